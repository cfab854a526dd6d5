# disclosedctl follow and FINRA's files: one that is not published yet, or was never made, is not missing; one that is late is.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site(template => 'empty');
mkdir "$site->{root}/htdocs/$_" or die for qw(finra finra/equity finra/equity/otcmarket finra/equity/otcmarket/biweekly);
sub publish
{
    my ($day) = @_;
    my $number = $day =~ tr/-//dr;
    $site->write("htdocs/finra/equity/otcmarket/biweekly/shrt$number.csv", "accountingYearMonthNumber|symbolCode|issueName|issuerServicesGroupExchangeCode|marketClassCode|currentShortPositionQuantity|"
            . "previousShortPositionQuantity|stockSplitFlag|averageDailyVolumeQuantity|daysToCoverQuantity|revisionFlag|changePercent|changePreviousNumber|settlementDate\n"
            . "$number|A|Agilent Technologies Inc.|A|NYSE|2571122|2456982||1646442|1.56||4.65|114140|$day\n");
}

# A round, as if the source said that it is that time, and all pauses were over.
sub at
{
    my ($time) = @_;
    $site->execute("INSERT INTO disclosed.followed_source AS s (source, since, told_at, told_seen) VALUES ('finra-short-interest', '2026-11-11', '$time', clock_timestamp())
        ON CONFLICT (source) DO UPDATE SET told_at = excluded.told_at, told_seen = excluded.told_seen;
        UPDATE disclosed.followed_document SET next_at = clock_timestamp() WHERE state <> 'stored'");
    return $site->control('follow', '--once', '--verbose', '--source', 'finra-short-interest', '--mirror', "https://cdn.finra.org=http://127.0.0.1:$site->{port}/finra");
}
sub state_of { my ($day) = @_; return $site->value("SELECT state FROM disclosed.followed_document WHERE identity = 'shrt$day.csv'") }
sub failures { return $site->value("SELECT coalesce(sum(count), 0) FROM disclosed.followed_failure") }

# The settlement of 13 November is published on the 24th, and was not when the day began.
publish('2026-10-30');
my ($code, $out, $err) = at('2026-11-24T06:00:00Z');
is("$code$err", '0', 'on the day of the schedule') or diag $out;
like($out, qr/^2 requests, 1 documents stored, 0 failed, 0 missing$/m, '... the file before is stored, and nothing is missing');
is(state_of('20261113'), 'absent', '... one is not there yet');
is(failures(), 0, '... which is no failure');
is($site->value("SELECT next_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 hour 1 minute' FROM disclosed.followed_document WHERE identity = 'shrt20261113.csv'"), 't', '... and is asked for within the hour');
is(($site->control('follow', '--status', '--json'))[1], "[]\n", '... --status has nothing');
for (1 .. 9) { ($code, $out, $err) = at('2026-11-27T12:00:00Z') }
is("$code$err", '0', 'two business days later, over and over');
is($site->value("SELECT next_at < clock_timestamp() + interval '61 minutes' FROM disclosed.followed_document WHERE identity = 'shrt20261113.csv'"), 't', '... it is asked for as often');

($code, $out, $err) = at('2026-11-30T12:00:00Z');
is($code, 1, 'three business days later');
like($err, qr/^finra-short-interest: shrt20261113\.csv: absent: /m, '... it is missing');
is(failures(), 1, '... which is a failure');

publish('2026-11-13');
($code, $out, $err) = at('2026-11-30T12:00:00Z');
is("$code$err", '0', 'when it comes');
is(state_of('20261113'), 'stored', '... it is stored');

# One that was never made, and a later one that was, found in one round.
publish('2026-12-15');
($code, $out, $err) = at('2026-12-28T20:00:00Z');
is($code, 0, 'a day of which there is no file, before one of which there is');
is(state_of('20261130'), 'absent', '... is not missing') or diag $out, $err;
is(state_of('20261215'), 'stored', '... and the later one is stored');
my $failed = failures();
($code, $out, $err) = at('2026-12-28T20:00:00Z');
is("$code$err", '0', '... nor is it the next time');
is(failures(), $failed, '... or a failure');

finish();

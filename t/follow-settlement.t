# disclosedctl follow and FINRA's files: one that is not published yet, or was never made, is not missing; one that is late is.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Process qw(slurp);

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
    $site->execute("INSERT INTO disclosed.followed_source AS s (source, since, told_at, told_seen) VALUES ('finra-short-interest', '2025-11-13', '$time', clock_timestamp())
        ON CONFLICT (source) DO UPDATE SET told_at = excluded.told_at, told_seen = excluded.told_seen;
        UPDATE disclosed.followed_document SET next_at = clock_timestamp() WHERE state <> 'stored'");
    return $site->control('follow', '--once', '--verbose', '--source', 'finra-short-interest', '--mirror', "https://cdn.finra.org=http://127.0.0.1:$site->{port}/finra");
}
sub state_of { my ($day) = @_; return $site->value("SELECT state FROM disclosed.followed_document WHERE identity = 'shrt$day.csv'") }
sub failures { return $site->value("SELECT coalesce(sum(count), 0) FROM disclosed.followed_failure") }

# The settlement of 14 November is published on the 25th, and was not when the day began.
publish('2025-10-31');
my ($code, $out, $err) = at('2025-11-25T06:00:00Z');
is("$code$err", '0', 'on the day of the schedule') or diag $out;
like($out, qr/^2 requests, 1 documents stored, 0 failed, 0 missing$/m, '... the file before is stored, and nothing is missing');
is(state_of('20251114'), 'absent', '... one is not there yet');
is(failures(), 0, '... which is no failure');
is($site->value("SELECT next_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 hour 1 minute' FROM disclosed.followed_document WHERE identity = 'shrt20251114.csv'"), 't', '... and is asked for within the hour');
is(($site->control('follow', '--status', '--json'))[1], "[]\n", '... --status has nothing');
for (1 .. 9) { ($code, $out, $err) = at('2025-11-28T12:00:00Z') }
is("$code$err", '0', 'two business days later, over and over');
is($site->value("SELECT next_at < clock_timestamp() + interval '61 minutes' FROM disclosed.followed_document WHERE identity = 'shrt20251114.csv'"), 't', '... it is asked for as often');

($code, $out, $err) = at('2025-12-01T12:00:00Z');
is($code, 1, 'three business days later');
like($err, qr/^finra-short-interest: shrt20251114\.csv: absent: /m, '... it is missing');
is(failures(), 1, '... which is a failure');

publish('2025-11-14');
($code, $out, $err) = at('2025-12-01T12:00:00Z');
is("$code$err", '0', 'when it comes');
is(state_of('20251114'), 'stored', '... it is stored');

# One that was never made, and a later one that was, found in one round.
publish('2025-12-15');
($code, $out, $err) = at('2025-12-29T20:00:00Z');
is($code, 0, 'a day of which there is no file, before one of which there is');
is(state_of('20251128'), 'absent', '... is not missing') or diag $out, $err;
is(state_of('20251215'), 'stored', '... and the later one is stored');
my $failed = failures();
($code, $out, $err) = at('2025-12-29T20:00:00Z');
is("$code$err", '0', '... nor is it the next time');
is(failures(), $failed, '... or a failure');

# All of its rows are rejected: it is not stored, and is asked for again until there is one that is.
my $short = "$site->{root}/htdocs/finra/equity/otcmarket/biweekly/shrt20251231.csv";
publish('2025-12-31');
my $whole = slurp($short);
$site->write('htdocs/finra/equity/otcmarket/biweekly/shrt20251231.csv', $whole =~ s/2571122/many/r);
for my $time ('2026-01-13T20:00:00Z', '2026-01-13T21:00:00Z') {
    ($code, $out, $err) = at($time);
    is($code, 1, 'a file of which all rows are rejected');
    like($err, qr/^finra-short-interest: shrt20251231\.csv: import: finra-short-interest: all of its rows are rejected, 1: disclosedctl runs says why/m, '... says so');
    is(state_of('20251231'), 'wanted', '... and is not stored');
}
like(($site->control('follow', '--status'))[1], qr/shrt20251231\.csv +import +finra-short-interest: all of its rows are rejected/, '... in --status, too');
$site->write('htdocs/finra/equity/otcmarket/biweekly/shrt20251231.csv', $whole . ($whole =~ s/.*\n//r =~ s/2571122/many/r));
($code, $out, $err) = at('2026-01-13T22:00:00Z');
is("$code$err", '0', 'one of which some are rejected');
is(state_of('20251231'), 'stored', '... is stored');

finish();

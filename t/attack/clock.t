# The system's clock steps, by an hour, back and on: nobody is locked out, nothing is let through twice, counts reach the
# database, responses keep their ETags. With libfaketime, which steps the time of day and leaves the monotonic clock alone.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test 'without_cache';
use Disclosed::FakeClock qw(why_no_clock clock_environment step_clock);
use Disclosed::Process qw(wait_until);
use Time::HiRes qw(sleep time);

my $missing = why_no_clock();
plan skip_all => "NO STEPS OF THE CLOCK ARE TRIED: $missing" if $missing;

my $site = site(start => 0, limits => "DisclosedAddressLimit 1/s 30\nDisclosedPlan enterprise rate=1000000/s burst=100000 day=unlimited\n"
        . "DisclosedPlan builder rate=6/m burst=8 day=unlimited\nDisclosedPlan starter rate=1000/s burst=1000 day=1000\n");
$site->{environment} = clock_environment($site);
$site->start;

my $path = '/v1/companies?limit=1';

# The time of day of the server, from its own header, less ours.
sub offset
{
    my $date = $site->get($path)->header('date');
    my ($hours, $minutes, $seconds) = $date =~ /(\d\d):(\d\d):(\d\d)/ or die "no date: $date";
    my $difference = $hours * 3600 + $minutes * 60 + $seconds - time % 86400;
    return $difference - 86400 * int($difference / 86400 + ($difference < 0 ? -0.5 : 0.5));
}

sub statuses { my ($key, $count) = @_; return join ' ', map { $site->get($path, key => $key)->status } 1 .. $count }

cmp_ok(abs offset(), '<', 5, 'the clock is right at first');

# A bucket is spent by eight requests and gets one each ten seconds.
is(statuses('builder', 9), '200 200 200 200 200 200 200 200 429', 'a bucket is used up');
my $spent = time;
my $account = $site->value("SELECT account_id FROM disclosed.api_key WHERE key_id = '" . substr($site->{keys}{starter}, 8, 8) . "'");
my $stored = "SELECT coalesce(sum(requests), 0) FROM disclosed.account_day WHERE account_id = $account AND kind = 'live'";
for my $case (['-3600', -3600, 'an hour back'], ['+3600', 3600, 'two hours on'], ['-3600', -3600, 'two hours back, and a graceful restart', 1]) {
    my ($to, $seconds, $what, $restart) = @$case;
    my $before = $site->value($stored);
    step_clock($site, $to);
    $site->httpd('-k', 'graceful') if $restart;
    sleep 0.2;
    cmp_ok(abs(offset() - $seconds), '<', 10, "the clock is put $what");
    is(statuses('enterprise', 5), '200 200 200 200 200', '... and keys are good');
    my $refused = $site->get($path, key => 'builder');
    if (time - $spent < 9) {
        is($refused->status, 429, '... who had nothing left has nothing now');
        cmp_ok($refused->header('retry-after'), '<=', 10, '... but not for longer');
    }
    is(statuses('starter', 3), '200 200 200', '... quotas of the day go on');
    ok(wait_until(5, sub { $site->value($stored) >= $before + 3 }), '... and reach the database within seconds');
    ok(wait_until(5, sub { $site->get($path)->header('etag') }), '... ETags are there');
    is($site->get($path, key => undef)->status, 401, '... addresses have their limit, and no more');
    my $reset = $site->get($path, key => 'starter')->header('x-ratelimit-reset') - (time + $seconds);
    ok($reset >= -5 && $reset <= 86400, "... the reset is told in the time of the server: in $reset s") or diag $reset;
}
ok(wait_until(15, sub { statuses('builder', 1) eq '200' }), 'who waits is served within the time of one request');

# A key that is revoked right after a step is refused as soon as ever.
step_clock($site, '-7200');
$site->execute("UPDATE disclosed.api_key SET revoked_at = now() WHERE key_id = '" . substr($site->{keys}{free}, 8, 8) . "'");
ok(wait_until(4, sub { $site->get($path, key => 'free')->status == 401 }), 'revocations are seen within seconds');

# A step while disclosedctl has a PDF read: no time has passed for that.
my $bin = "$site->{root}/bin";
mkdir $bin or die "$bin: $!";
open my $program, '>', "$bin/pdftotext" or die "pdftotext: $!";
print $program "#!/bin/sh\necho +7200 >'$site->{environment}{FAKETIME_TIMESTAMP_FILE}'\nsleep 0.3\necho no report\n";
close $program;
chmod 0755, "$bin/pdftotext";
step_clock($site, '+0');
{
    local @ENV{ keys $site->{environment}->%*, 'PATH' } = (values $site->{environment}->%*, "$bin:$ENV{PATH}");
    my ($code, $out, $err) = $site->control('import', 'house-ptr', $site->write('20000001.pdf', "%PDF-1.4\n"));
    is($code, 1, 'a PDF that is no report');
    like($err, qr/20000001\.pdf: failed, nothing of it is stored: (?!pdftotext)/, '... is refused for that') or diag $out;
    like($out, qr/\bin 0\.\d s/, '... and the summary tells how long it took');
}
finish();

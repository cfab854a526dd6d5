# Webhooks while the clock steps, by hours and back, and the process that sends is killed in the middle of it: what is under way and
# what is to be tried again comes when it should, with one id, and no attempt is lost or made twice. With libfaketime, which steps httpd's
# time of day, and leaves the monotonic clock and PostgreSQL's alone.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Attack qw(whole);
use Disclosed::Build qw(build);
use Disclosed::FakeClock qw(why_no_clock clock_environment fixed_clock step_clock);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use Disclosed::JSON ();
use Time::HiRes qw(sleep time);

my $missing = why_no_clock();
plan skip_all => "NO STEPS OF THE CLOCK ARE TRIED: $missing" if $missing;
my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory;
my $receiver = Disclosed::Receiver->start($directory, environment => fixed_clock('-86400'));
my $site = site(start => 0, threads => 16, config => $receiver->config, described => 0);
$site->{environment} = clock_environment($site);
$site->start;

my $json = Disclosed::JSON->new->utf8->canonical;
my $cik = $site->value('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
my $next = 0;

sub load_filing
{
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filings.ndjson', $json->encode({ dataset => 'filing', cik => $cik + 0,
        form => '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => sprintf '0009999999-26-%06d', ++$next } }) . "\n"));
    is($code, 0, 'a filing is loaded') or diag $out, $err;
}

# An endpoint: id, target, secret.
sub endpoint
{
    my ($target) = @_;
    my $made = json_of($site->post('/v1/webhook-endpoints', { url => $receiver->url($target), topics => ['filing.created'] }), 'an endpoint');
    return { id => $made->{id}, target => $target, secret => $made->{signing_secret} };
}

sub column { my ($endpoint, $what) = @_; return $site->value("SELECT $what FROM disclosed.webhook_delivery WHERE endpoint_id = $endpoint->{id}") }

my $offset = 0;
my $number = 0;
for my $step ((-3600, 3600, 0) x whole(4, 1)) {
    $number++;
    my ($failing, $held) = map { endpoint($_) } "/fail-first/1?$number", "/held/clock$number";
    load_filing();
    is(scalar($receiver->wait_for($held->{target}, 1, 20 * patience())), 1, 'a delivery is under way');
    ok(wait_until(20 * patience(), sub { (column($failing, 'attempts') || 0) == 1 }), '... another has failed, and is to come again');
    step_clock($site, sprintf '%+d', $step);
    my $shift = $step - $offset;
    $offset = $step;
    kill 'KILL', $site->watcher_pid;
    my @again = $receiver->wait_for($held->{target}, 2, 30 * patience());
    is(scalar @again, 2, "the clock goes $shift s on, and the process is killed: what it was sending comes again");
    is($again[1]{headers}{'webhook-id'}, $again[0]{headers}{'webhook-id'}, '... with the same id');
    cmp_ok(abs($again[1]{headers}{'webhook-timestamp'} - $again[1]{at} - $step), '<', 30 * patience(), '... signed at the time of its host');
    ok(Disclosed::Receiver::is_signed($again[1], $held->{secret}, 7200), '... rightly');
    my @failed = $receiver->wait_for($failing->{target}, 2, 40 * patience());
    is(scalar @failed, 2, '... and what had failed comes again');
    ok(wait_until(20 * patience(), sub { column($failing, 'outcome') eq 'delivered' }), '... and is delivered');
    is(column($failing, 'attempts'), 2, '... by its second attempt');

    # One that fails after the step has its next attempt in seconds, by PostgreSQL's clock.
    my $later = endpoint("/500?$number");
    load_filing();
    ok(wait_until(20 * patience(), sub { (column($later, 'attempts') || 0) > 0 }), 'another fails after the step');
    is(column($later, q{next_attempt_at BETWEEN created_at AND clock_timestamp() + interval '6 minutes'}), 't', '... and has its next attempt when it should');
    $receiver->release("clock$number");
    ok(wait_until(20 * patience(), sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $held->{id} AND outcome IS DISTINCT FROM 'delivered'") == 0 }), '... what was held is delivered');
    $site->request('DELETE', "/v1/webhook-endpoints/$_->{id}", key => 'enterprise') for $failing, $held, $later;
}
finish();

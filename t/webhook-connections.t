# Connections to receivers are kept, and receivers close them: a delivery arrives at its first attempt, however many of the kept ones
# have been closed meanwhile.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use JSON::PP ();
use Time::HiRes qw(sleep);

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

use constant { KEPT => 7, KEEP_ALIVE => 1 };

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory;
my $receiver = Disclosed::Receiver->start($directory);
my $site = site(config => $receiver->config . 'KeepAliveTimeout ' . KEEP_ALIVE . "\n", described => 0);
my $json = JSON::PP->new->utf8->canonical;
my $cik = $site->value('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
my $next = 0;

sub load_filing
{
    my $accession = sprintf '0009999999-26-%06d', ++$next;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filings.ndjson', $json->encode({ dataset => 'filing', cik => $cik + 0,
        form => '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => $accession } }) . "\n"));
    is($code, 0, 'a filing is loaded') or diag $out, $err;
}

my @endpoints = map { $site->post('/v1/webhook-endpoints', { url => $receiver->url("/held?$_"), topics => ['filing.created'] })->json->{id} } 1 .. KEPT;
my $last = $site->post('/v1/webhook-endpoints', { url => $receiver->url('/ok'), topics => ['filing.created'] })->json->{id};
load_filing();
$receiver->wait_for("/held?$_", 1) for 1 .. KEPT;
is(scalar(grep { $receiver->received("/held?$_") == 1 } 1 .. KEPT), KEPT, 'deliveries are under way at the same time, each on a connection of its own');
$receiver->release;
my $outcomes = "SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome = 'delivered'";
ok(wait_until(20 * patience(), sub { $site->value($outcomes) == KEPT + 1 }), '... and succeed');
$site->request('DELETE', "/v1/webhook-endpoints/$_", key => 'builder') for @endpoints;
sleep KEEP_ALIVE + 1; # the receiver closes all of them

load_filing();
is(scalar $receiver->wait_for('/ok', 2, 20 * patience()), 2, 'the next one arrives');
wait_until(20 * patience(), sub { $site->value("$outcomes AND endpoint_id = $last") == 2 });
same_json([$site->rows("SELECT a.attempt, a.status, a.error FROM disclosed.webhook_attempt a JOIN disclosed.webhook_delivery d USING (delivery_id)
    WHERE d.endpoint_id = $last ORDER BY d.delivery_id, a.attempt")], [map { { attempt => 1, status => 200, error => undef } } 1 .. 2], '... at its first attempt');
finish();

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
use Disclosed::JSON ();
use Time::HiRes qw(sleep);

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

use constant KEEP_ALIVE => 1;

my $json = Disclosed::JSON->new->utf8->canonical;
my $next = 0;

sub load_filing
{
    my ($site) = @_;
    my $cik = $site->value('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
    my $accession = sprintf '0009999999-26-%06d', ++$next;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filings.ndjson', $json->encode({ dataset => 'filing', cik => $cik + 0,
        form => '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => $accession } }) . "\n"));
    is($code, 0, 'a filing is loaded') or diag $out, $err;
}

sub endpoint { my ($site, $url) = @_; return $site->post('/v1/webhook-endpoints', { url => $url, topics => ['filing.created'] })->json->{id} }

sub delivers_after_idling
{
    my ($protocol, $kept, $config) = @_;
    my $directory = workspace() . '/' . fresh('receiver');
    mkdir $directory;
    my $receiver = Disclosed::Receiver->start($directory);
    my $site = site(config => $receiver->config . "$config\nKeepAliveTimeout " . KEEP_ALIVE . "\n", described => 0);
    my @endpoints = map { endpoint($site, $receiver->url("/held?$_")) } 1 .. $kept;
    my $last = endpoint($site, $receiver->url('/ok'));
    load_filing($site);
    $receiver->wait_for("/held?$_", 1) for 1 .. $kept;
    is(scalar(grep { $receiver->received("/held?$_") == 1 } 1 .. $kept), $kept, "$protocol: deliveries are under way at the same time");
    $receiver->release;
    my $delivered = "SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome = 'delivered'";
    ok(wait_until(20 * patience(), sub { $site->value($delivered) == $kept + 1 }), '... and succeed');
    $site->request('DELETE', "/v1/webhook-endpoints/$_", key => 'builder') for @endpoints;
    my $count = 1;
    for my $pause (KEEP_ALIVE + 1, KEEP_ALIVE, KEEP_ALIVE + 0.05) { # the receiver has closed all of them, and closes as we send
        sleep $pause;
        load_filing($site);
        is(scalar $receiver->wait_for('/ok', ++$count, 20 * patience()), $count, 'the next one arrives');
        wait_until(20 * patience(), sub { $site->value("$delivered AND endpoint_id = $last") == $count });
    }
    same_json([$site->rows("SELECT a.attempt, a.status, a.error FROM disclosed.webhook_attempt a JOIN disclosed.webhook_delivery d USING (delivery_id)
        WHERE d.endpoint_id = $last ORDER BY d.delivery_id, a.attempt")], [map { { attempt => 1, status => 200, error => undef } } 1 .. $count], '... at its first attempt');
    $site->stop;
    return;
}

delivers_after_idling('HTTP/1.1', 7, 'Protocols http/1.1');
SKIP: {
    skip 'this httpd has no mod_http2', 8 if !-e "$modules/mod_http2.so";
    delivers_after_idling('HTTP/2', 4, "LoadModule http2_module $modules/mod_http2.so\nProtocols h2 http/1.1");
}
finish();

# Names: what a receiver's name resolves to may change after its endpoint was made. Each address is judged as it is connected to, so none
# inside is ever called. Those of loopback stand for all of them here, as a fault would call them; t/unit knows all.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Kill qw(begin_with_own_mounts);
BEGIN { begin_with_own_mounts() }
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use Disclosed::JSON ();

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);
my $hosts = workspace() . '/' . fresh('hosts');

# From now on the name has these addresses; the file is this suite's alone.
sub resolve
{
    my (@addresses) = @_;
    open my $file, '>', $hosts or die "$hosts: $!";
    print $file "127.0.0.1 localhost\n", map { "$_ hook.attack.example\n" } @addresses;
    close $file;
    chmod 0644, $hosts;
}
resolve('192.0.2.1'); # of documentation: never called
plan skip_all => 'NAMES ARE NOT TRIED: none may be mounted here' if !$ENV{DISCLOSED_OWN_MOUNTS} || (run('mount', '--bind', $hosts, '/etc/hosts'))[0] != 0;

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory or die "$directory: $!";
my $receiver = Disclosed::Receiver->start($directory);
my $config = $receiver->config;
my $site = site(config => $config =~ s/^DisclosedWebhookAllow .*\n//mr, described => 0);
my $url = $receiver->url('/ok') =~ s/127\.0\.0\.1/hook.attack.example/r;
my $made = $site->post('/v1/webhook-endpoints', { url => $url, topics => ['filing.created'] });
is($made->status, 200, 'an endpoint by a name') or diag $made->body;
my $id = $made->json->{id};
my $refused = { result => { delivered => JSON::PP::false, status => 0, error => 'the host has no public address' } };

for my $addresses (['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['127.0.0.1', '::1'], ['0.0.0.0']) {
    resolve(@$addresses);
    same_json($site->post("/v1/webhook-endpoints/$id/test", {})->json, $refused, "@$addresses: not called");
}

# A delivery, by the worker.
resolve('127.0.0.1');
my $cik = $site->value('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
my ($code, undef, $err) = $site->control('import', 'ndjson', $site->write('news.ndjson', Disclosed::JSON->new->encode({ dataset => 'filing', cik => $cik + 0, form => '8-K',
    filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => '0009999999-26-000001' } }) . "\n"));
is($code, 0, 'news') or diag $err;
ok(wait_until(20 * patience(), sub { $site->value('SELECT count(*) FROM disclosed.webhook_attempt') > 0 }), '... are tried to be delivered');
is($site->value('SELECT string_agg(DISTINCT error, $$;$$) FROM disclosed.webhook_attempt'), 'the host has no public address', '... and are not');
is(scalar(() = $receiver->received), 0, 'nothing has come in');
is($site->request('DELETE', "/v1/webhook-endpoints/$id")->status, 200, 'the endpoint goes, whose secret the next server cannot open');
$site->stop;

# That it would have been called is seen where it may be: its certificate is of another name.
my $allowed = site(database => $site->{database}, config => $config, described => 0);
my $outcome = $allowed->post('/v1/webhook-endpoints', { url => $url, topics => ['filing.created'] })->json;
like($allowed->post("/v1/webhook-endpoints/$outcome->{id}/test", {})->body, qr/certificate/, 'where it is allowed it is called');
finish();

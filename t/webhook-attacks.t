# What an account, or a host that is at fault, must not do to others' webhooks: slots are shared, the number of endpoints is
# bounded however they are created, what a dead process had claimed is free at once, and a fault of a host is no attempt.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use IO::Select;
use IO::Socket::IP;
use Disclosed::JSON ();

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory;
my $receiver = Disclosed::Receiver->start($directory);
my $json = Disclosed::JSON->new->utf8->canonical;

# Whoever connects to it waits for the beginning of TLS, in vain.
my $silent = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 1024) or die "listen: $@";
my $site = site(threads => 32, config => $receiver->config =~ s/^(DisclosedWebhookPorts .*)$/$1 @{[ $silent->sockport ]}/mr . <<"END");
@{[ metrics_location() ]}
END
my $attacker = $site->own_key('builder');
my $victim = $site->own_key('builder');

sub create
{
    my ($key, $url) = @_;
    return json_of($site->post('/v1/webhook-endpoints', { url => $url, topics => ['filing.created'] }, key => $key), 'an endpoint')->{id};
}

sub account_of { my ($key) = @_; return $site->value("SELECT account_id FROM disclosed.api_key WHERE key_id = '" . substr($key, 8, 8) . "'") }

my $issuer = ($site->rows('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1'))[0];
my $next = 0;

sub load_filings
{
    my ($count) = @_;
    my $lines = join '', map { $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0, form => '8-K', filed_on => '2026-11-20',
        known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => sprintf '0009999999-26-%06d', ++$next } }) . "\n" } 1 .. $count;
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--quiet', $site->write('filings.ndjson', $lines));
    is($code, 0, "$count filings are loaded") or diag $out, $err;
}

sub metric { my ($name) = @_; return $site->get('/metrics', key => undef)->body =~ /^disclosed_$name\{database="0"\} (\S+)$/m ? $1 : undef }

# --- the number of endpoints --------------------------------------------------------------------

my $body = $json->encode({ url => 'https://127.0.0.1:' . $silent->sockport . '/', topics => ['filing.created'] });
# So many at once: how many got each status.
sub create_at_once
{
    my ($count) = @_;
    my @sockets = map {
        my $socket = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $site->{port}) or die "connect: $@";
        syswrite $socket, "POST /v1/webhook-endpoints HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer $attacker\r\nContent-Type: application/json\r\n"
            . 'Content-Length: ' . length($body) . "\r\nConnection: close\r\n\r\n";
        $socket;
    } 1 .. $count;
    syswrite $_, $body for @sockets;
    my %status;
    $status{ join('', readline $_) =~ m{^HTTP/1.1 (\d+)} ? $1 : 'none' }++ for @sockets;
    return \%status;
}

# Where PostgreSQL is slow some are told to come again: nothing is stored of them.
my $view = $site->value("SELECT pg_get_viewdef('disclosed.live_webhook_endpoint'::regclass)") =~ s/;\s*\z//r;
$site->execute("SET search_path = disclosed; CREATE OR REPLACE VIEW live_webhook_endpoint AS SELECT * FROM ($view) v WHERE (SELECT pg_sleep(0.2)) IS NOT NULL");
$site->{log}->permit('DSC0002');
my ($rounds, $again, %status) = (0, 64);
while ($again && $rounds++ < 30) {
    my $some = create_at_once($again);
    $again = 0;
    for my $code (keys %$some) {
        if ($code eq '429' || $code eq '503') { $again += $some->{$code} }
        else                                  { $status{$code} += $some->{$code} }
    }
    sleep 1 if $again;
}
note "64 creates in $rounds rounds";
$site->execute("SET search_path = disclosed; CREATE OR REPLACE VIEW live_webhook_endpoint AS $view");
same_json(\%status, { 200 => 50, 422 => 14 }, '64 creates at once, of which those that were refused come again, make 50 endpoints');
is($site->value('SELECT count(*) FROM disclosed.live_webhook_endpoint WHERE account_id = ' . account_of($attacker)), 50, '... of which the database has 50');

# --- slots --------------------------------------------------------------------------------------

# The attacker's endpoints never respond, and would take every slot. Each delivery to them takes five seconds, and comes again five
# seconds later. That others are served first is told by what is left of the attacker's, as times are the machine's.
my $of_attacker = "FROM disclosed.webhook_delivery d JOIN disclosed.webhook_endpoint e USING (endpoint_id) WHERE e.account_id = " . account_of($attacker);
my $most = 0;
my $held = sub { my $held = $site->value("SELECT count(*) $of_attacker AND d.claimed_until > now()"); $most = $held if $held > $most; return $held };
$site->execute('UPDATE disclosed.webhook_endpoint SET concurrency = 64');
my $served = create($victim, $receiver->url('/ok?victim'));
load_filings(1);
is(scalar($receiver->wait_for('/ok?victim', 1, 60)), 1, 'the victim is served');
load_filings(39);
ok(wait_until(60, sub { $held->() >= 100 }), 'the attacker holds half of the slots');
load_filings(20);
my $got = sub { my %of = map { ($_->{headers}{'webhook-id'} => 1) } $receiver->received('/ok?victim'); return scalar keys %of };
ok(wait_until(120, sub { $held->(); return $got->() == 60 }), 'another account gets all of its deliveries');
cmp_ok($site->value("SELECT count(*) $of_attacker AND d.attempts = 0"), '>', 0, "... while some of the attacker's were not attempted yet");
cmp_ok($most, '<=', 128, '... who held no more than half at any time');

# The same, by the numbers: of 256 slots an account takes no more than it leaves free, of which others get all that they bear.
ok(wait_until(60, sub { $held->() >= 20 }), 'some are under way');
$site->stop;
is($held->(), 0, 'when httpd stops, it lets go of what is under way');
sub claimed
{
    my ($worker, $room) = @_;
    my %of;
    $of{ $_->{account_id} }++ for $site->rows("SELECT account_id FROM disclosed.claim_webhooks($room, '60 seconds', '{builder,enterprise}', '$worker', '{}')");
    return \%of;
}
my ($a, $v) = map { account_of($_) } $attacker, $victim;
$site->execute('DELETE FROM disclosed.webhook_delivery');
my $deliver = sub {
    my ($account, $each) = @_;
    $site->execute("INSERT INTO disclosed.webhook_delivery (event_id, endpoint_id, message_id) SELECT v.event_id, e.endpoint_id, v.message_id
        FROM disclosed.live_webhook_endpoint e, (SELECT * FROM disclosed.webhook_event ORDER BY event_id LIMIT $each) v WHERE e.account_id = $account");
};
$site->execute('UPDATE disclosed.webhook_endpoint SET concurrency = 64');
$deliver->($a, 20);
same_json(claimed('one/1.1.0', 256), { $a => 128 }, 'alone, an account has half of the slots');
same_json(claimed('one/1.1.0', 128), {}, '... and no more');
$deliver->($v, 20);
same_json(claimed('one/1.1.0', 128), { $v => 20 }, '... so that another is served at once');
same_json(claimed('two/1.1.0', 256), { $a => 128 }, 'another host has slots of its own, shared in the same way');
$site->execute("UPDATE disclosed.webhook_delivery SET claimed_until = NULL, claimed_by = NULL; UPDATE disclosed.webhook_endpoint SET concurrency = 4");
my $of = claimed('one/1.1.0', 12);
same_json($of, { $a => 4, $v => 4 }, 'two accounts take turns, however many endpoints one has');
is($site->value("SELECT max(n) FROM (SELECT count(*) AS n FROM disclosed.webhook_delivery d JOIN disclosed.webhook_endpoint e USING (endpoint_id)
    WHERE claimed_until > now() AND account_id = $a GROUP BY endpoint_id) x"), 1, '... and so do the endpoints of an account');
same_json(claimed('two/1.1.0', 256)->{$v}, undef, 'an endpoint gets no more than it bears, over all hosts');

# --- leases -------------------------------------------------------------------------------------

$site->execute('DELETE FROM disclosed.webhook_delivery; UPDATE disclosed.webhook_endpoint SET disabled_at = now(), disabled_reason = \'deleted\' WHERE account_id = ' . $a);
$site->start;
my $foreign = 'cafecafecafecafe/1.1.0'; # of another host
my $held_open = create($victim, $receiver->url('/held/leases'));
load_filings(3);
is(scalar($receiver->wait_for('/held/leases', 3)), 3, 'three deliveries are under way');
$site->execute("UPDATE disclosed.webhook_delivery SET claimed_by = '$foreign' WHERE delivery_id = (SELECT max(delivery_id) FROM disclosed.webhook_delivery WHERE endpoint_id = $held_open)");
kill 'KILL', $site->watcher_pid;
my @got = $receiver->wait_for('/held/leases', 5, 20);
is(scalar(@got), 5, 'when the process is killed, its successor sends what it had claimed at once');
is($site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $held_open AND claimed_by = '$foreign' AND claimed_until > now()"), 1, '... and leaves what another host has claimed');
$receiver->release('leases');
ok(wait_until(10, sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $held_open AND outcome = 'delivered'") == 2 }), '... and notes both');
$site->request('DELETE', "/v1/webhook-endpoints/$held_open", key => $victim);

# --- faults of a host ---------------------------------------------------------------------------

# Another host may not call the receiver's port.
ok($site->stop, 'httpd stops');
my $other = site(database => $site->{database}, cluster => $site->{cluster}, start => 0);
$other->{config} = $receiver->directives =~ s/^DisclosedWebhookPorts .*$/DisclosedWebhookPorts 443/mr . metrics_location();
$other->{keys} = $site->{keys};
$other->write('conf/secret', "$site->{secret}\n", 0600);
$other->start;
load_filings(5);
my $count = sub { my ($what) = @_; return $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $served AND $what") };
my $metrics = sub { my ($name) = @_; return $other->get('/metrics', key => undef)->body =~ /^disclosed_$name\{database="0"\} (\S+)$/m ? $1 : -1 };
expect_log($other, 'DSC0054');
ok(wait_until(15, sub { $metrics->('webhook_put_back_total') >= 4 }), 'a host that may not call the port puts deliveries back');
is($metrics->('webhook_obstructed_endpoints'), 1, '... its metrics tell of the endpoint');
cmp_ok($metrics->('webhook_obstructed_seconds'), '>', 0, '... since when');
is($count->('outcome IS NULL AND attempts = 0 AND claimed_until IS NULL'), 5, '... no attempt is used up');
is($site->value("SELECT failing_since IS NULL AND disabled_at IS NULL FROM disclosed.webhook_endpoint WHERE endpoint_id = $served"), 't', '... and the endpoint is none the worse');
log_is_clean($other, '... which is logged once');
$site->start;
ok(wait_until(15, sub { $count->('outcome IS NULL') == 0 }), 'a host that may sends them meanwhile');
is($site->value("SELECT max(d.attempts) FROM disclosed.webhook_delivery d WHERE endpoint_id = $served"), 1, '... as first attempts');
ok($other->stop, 'the other stops');
finish();

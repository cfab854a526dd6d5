# PostgreSQL behind a network that freezes, cuts, refuses and dawdles: requests of the virtual hosts on that database get
# their 503 in time, those of others are served, and all comes back by itself.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(build);
use Disclosed::Key qw(insert_key_sql);
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::Proxy;
use Disclosed::Receiver;
use Disclosed::Shared qw(cluster database fresh workspace);
use Disclosed::JSON ();
use IO::Socket::IP;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

my $STATEMENT = 2;                       # DisclosedStatementTimeout
my $LONGEST = $STATEMENT + 0.1;          # of a request, whatever the network does
my $BOUND = 10 * patience();             # of commands, and of what comes by looking from time to time
my $BACK = 15 * patience();

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);
my $json = Disclosed::JSON->new->utf8->canonical;
my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory;
my $receiver = Disclosed::Receiver->start($directory);
my $healthy = database('demo');
my $proxy = Disclosed::Proxy->start(cluster());
my $site = site(start => 0, threads => 12, processes => 1);
$site->{log}->permit('DSC0061'); # its virtual hosts are meant to be taken
$site->{module_config} = <<"END";
DisclosedEngine On
DisclosedDatabase "@{[ $proxy->conninfo($site->{database}, 'disclosed_api') ]} connect_timeout=2"
DisclosedDatabasePool 3
DisclosedCache Off
DisclosedDatabaseTimeout 1
DisclosedStatementTimeout $STATEMENT
DisclosedSecretFile conf/secret
DisclosedDocsURL https://docs.example.org
DisclosedAddressLimit 1000000/s 100000
DisclosedPlan enterprise rate=1000000/s burst=100000 day=unlimited export=100000
DisclosedPlan builder rate=1000000/s burst=100000 day=unlimited
<Location /health>
SetHandler disclosed-health
</Location>
@{[ $receiver->config ]}
<VirtualHost *>
ServerName frozen.example
</VirtualHost>
<VirtualHost *>
ServerName healthy.example
DisclosedDatabase "@{[ cluster()->conninfo($healthy, 'disclosed_api') ]}"
</VirtualHost>
END
cluster()->execute($healthy, insert_key_sql($site->{keys}{enterprise}, 'enterprise'));
$site->start;

my %healthy = (headers => { Host => 'healthy.example' });
my $large = '/v1/insider?limit=500';
my @targets = ('/v1/companies?limit=2', '/v1/insider?limit=3', $large, '/v1/coverage');
my %expected = map { ($_ => $site->get($_)->body) } @targets;
cmp_ok(length $expected{$large}, '>', 100_000, 'one of the answers is large');

sub health { return $site->get('/health', key => undef, @_)->status }

# A response and how long it took.
sub timed
{
    my ($target, @option) = @_;
    my $start = working_time();
    my $response = $site->get($target, @option);
    return ($response, working_time() - $start);
}

sub is_refused_in_time
{
    my ($target, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($response, $seconds) = timed($target);
    problem_is($response, 503, "$name: 503", instance => $target =~ s/\?.*//r);
    cmp_ok($seconds, '<', $LONGEST * patience(), sprintf '... in time: %.2f s', $seconds);
}

sub others_are_served
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @answers = map { (timed('/v1/companies?limit=2', %healthy))[0]->status . ' ' . health(%healthy) } 1 .. 10;
    is_deeply([grep { $_ ne '200 200' } @answers], [], "$name: another database's virtual host answers, and is ready");
}

sub comes_back
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $start = working_time();
    wait_until($BACK, sub { $site->get($targets[0])->status == 200 });
    my $seconds = working_time() - $start;
    cmp_ok($seconds, '<', 1 * patience(), sprintf '%s: 200 after %.2f s', $name, $seconds);
    for my $target (@targets) {
        ok(wait_until($BACK, sub { my $response = $site->get($target); $response->status == 200 && $response->body eq $expected{$target} }), "$name: $target is back");
    }
    my @wrong = grep { $_ != 200 } map { $site->get($_)->status } (@targets) x 4;
    is_deeply(\@wrong, [], '... on every connection');
    ok(wait_until($BACK, sub { health() == 200 }), '... and ready');
}

is(health(), 200, 'ready') for 1 .. 2;
others_are_served('before');

# A database of which nothing was asked for a while is not a silent one.
sleep 1;
my @sockets = map { IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $site->{port}) or die "connect: $@" } 1 .. 24;
syswrite $_, "GET /v1/companies?limit=2 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer $site->{keys}{enterprise}\r\nConnection: close\r\n\r\n" for @sockets;
is(join(' ', map { join('', readline $_) =~ m{^HTTP/1.1 (\d+)} ? $1 : 'none' } @sockets), join(' ', (200) x 24), 'twice as many requests at once as httpd has threads, after a second without any, are all served');
log_is_clean($site, '... and nothing is logged');

# --- frozen --------------------------------------------------------------------------------------

expect_log($site, 'DSC0002');
$site->{log}->permit('DSC0020'); # where the background process has looked meanwhile
$proxy->freeze;
is_refused_in_time($_, "frozen: $_") for @targets;
ok(wait_until($BOUND, sub { health() == 503 }), '... the virtual host is not ready');
others_are_served('frozen');
my $load = Disclosed::Load->start($site, clients => 8, targets => \@targets);
sleep 1;
others_are_served('frozen, with requests that wait');
sleep 3;
others_are_served('... and later');
my @answers = $load->stop;
cmp_ok(scalar @answers, '>', 30, 'requests are refused, and not one by one after a deadline each: ' . @answers);
my ($longest) = sort { $b->{worked} <=> $a->{worked} } @answers;
is_deeply([grep { $_->{status} != 503 || $_->{worked} >= $LONGEST * patience() } @answers], [], sprintf '... all in time: the longest took %.2f s', $longest->{seconds});
$proxy->forward;
comes_back('thawed');
log_is_clean($site, 'the log has the outage');

# More clients than httpd has threads: those that wait leave some to others, after half a second.
expect_log($site, 'DSC0002');
$site->{log}->permit('DSC0020');
my $frozen = time;
$proxy->freeze;
$load = Disclosed::Load->start($site, clients => 36, pause => 0.05, targets => \@targets);
sleep 0.2;
my @beside = map { my ($response, $seconds) = timed('/v1/companies?limit=2', %healthy); sleep 0.05; { status => $response->status, seconds => $seconds } } 1 .. 20;
is_deeply([grep { $_->{status} != 200 } @beside], [], 'frozen, with three times as many clients as threads: another virtual host answers');
($longest) = sort { $b->{seconds} <=> $a->{seconds} } @beside;
cmp_ok($longest->{seconds}, '<', 1 * patience(), sprintf '... in time: the longest of %d took %.2f s', scalar @beside, $longest->{seconds});
@answers = $load->stop;
# What an account has waiting beyond a quarter of the threads is told so while the server is not known to be silent: at first, and when it is back.
sub is_surplus
{
    my ($answer, $frozen, $thawed) = @_;
    my $is_known = $answer->{start} > $frozen + 1 && (!$thawed || $answer->{start} < $thawed - 0.2);
    return $answer->{status} == 429 && $answer->{retry_after} eq '1' && !$is_known;
}
my @late = grep { ($_->{status} != 503 && !is_surplus($_, $frozen)) || $_->{worked} >= $LONGEST * patience() } @answers;
cmp_ok(2 * grep({ $_->{status} == 503 } @answers), '>', scalar @answers, '... most requests of who waits get 503');
is_deeply(\@late, [], "... and what waits is refused in time: " . @answers) or diag map { $json->encode($_) . "\n" } @late;
$proxy->forward;
comes_back('thawed, with many clients');
log_is_clean($site, 'the log has the outage');

# Under load at the moment of freezing: those that have connections wait no longer than the rest.
expect_log($site, 'DSC0002');
$site->{log}->permit('DSC0020'); # where the background process has looked meanwhile
$load = Disclosed::Load->start($site, clients => 8, targets => \@targets);
sleep 1;
$proxy->freeze;
$frozen = time;
others_are_served('freezing under load');
sleep $STATEMENT + 4;
my $thawed = time;
$proxy->forward;
sleep 5;
@answers = $load->stop;
my @other = grep { $_->{fault} ne '' || ($_->{status} != 200 && $_->{status} != 503 && !is_surplus($_, $frozen, $thawed)) } @answers;
is_deeply(\@other, [], 'frozen under load: nothing but whole 200, 429 and 503') or diag "frozen at $frozen: ", map { $json->encode($_) . "\n" } @other;
($longest) = sort { $b->{worked} <=> $a->{worked} } @answers;
cmp_ok($longest->{worked}, '<', $LONGEST * patience(), sprintf '... the longest of %d took %.2f s', scalar @answers, $longest->{seconds});
cmp_ok(scalar(grep { $_->{status} == 503 && $_->{start} > $frozen } @answers), '>', 5, '... with 503 meanwhile');
comes_back('thawed under load');
log_is_clean($site, 'the log has the outage');

# New connections are not taken, while one that is open goes on: it serves all.
$proxy->refuse;
$load = Disclosed::Load->start($site, clients => 6, targets => \@targets);
ok(wait_until($BOUND, sub { health() == 503 }), 'without connections');
$load->stop;
$proxy->forward;
ok(wait_until($BACK, sub { $site->get($targets[0])->status == 200 }), 'one connection');
$proxy->ignore;
$load = Disclosed::Load->start($site, clients => 3, targets => ['/v1/companies?limit=2', '/v1/coverage']);
sleep 5;
@answers = $load->stop;
$proxy->forward;
is_deeply([grep { $_->{status} != 200 } @answers], [], 'while no new connection is taken, all are served by the one that is open: ' . @answers) or diag map { $json->encode($_) . "\n" } grep { $_->{status} != 200 } @answers;
$site->{log}->permit(qw(DSC0002 DSC0020));
comes_back('new connections are taken again');
log_is_clean($site, 'the log has the outage');

# --- in the middle of a result -------------------------------------------------------------------

expect_log($site, 'DSC0002');
$site->{log}->permit('DSC0020'); # where the background process has looked meanwhile
$proxy->freeze_after(20_000);
is_refused_in_time($large, 'frozen in a result');
others_are_served('frozen in a result');
$proxy->forward;
comes_back('thawed in a result');

$proxy->cut_once(20_000);
is($site->get($large)->body, $expected{$large}, 'cut in a result: the statement is run again on another connection');
$proxy->cut_after(20_000);
is_refused_in_time($large, 'cut in each result');
others_are_served('cut in each result');
$proxy->forward;
comes_back('no longer cut');

$proxy->slow(200);
is_refused_in_time($large, 'a result that dribbles');
others_are_served('a result that dribbles');
$proxy->forward;
comes_back('no longer slow');

# An export has begun: its end is cut off where a client sees it, and is not passed off as a whole.
my $export = sub { return $site->get('/v1/insider?limit=100000', headers => { Accept => 'application/x-ndjson' }) };
my $whole = $export->()->body;
cmp_ok(length $whole, '>', 1_000_000, 'an export of many pages');
for my $way (qw(freeze_after cut_after)) {
    $proxy->$way(length($whole) / 3);
    my $part = $export->();
    is($part->status, 200, "$way in an export: it has begun");
    is($part->error, 'the last chunk is missing', '... and ends in the middle of its chunks');
    is($part->body, substr($whole, 0, length $part->body), '... the rows before it are right');
    cmp_ok(length $part->body, '>', 100_000, '... and sent: ' . length $part->body);
    others_are_served("$way in an export");
    $proxy->forward;
    comes_back("after $way in an export");
}

# --- refused -------------------------------------------------------------------------------------

$proxy->refuse;
is_refused_in_time($_, "refused: $_") for @targets;
others_are_served('refused');
$proxy->forward;
comes_back('no longer refused');
log_is_clean($site, 'the log has the outages');

# --- the session -----------------------------------------------------------------------------------

# As a pooler between two transactions may, or somebody with psql: statements are prepared anew.
for (1 .. 2) {
    $proxy->inject('DEALLOCATE ALL');
    is($site->get($_)->body, $expected{$_}, "prepared statements are gone: $_ answers as if nothing were") for @targets;
}
log_is_clean($site, '... and there is nothing to log');

# --- what the background process does -------------------------------------------------------------------

my $json_type = { 'Content-Type' => 'application/json' };
my $endpoint = json_of($site->request('POST', '/v1/webhook-endpoints', key => 'builder', headers => $json_type,
    body => $json->encode({ url => $receiver->url('/ok'), topics => ['filing.created'] })), 'an endpoint of webhooks');
my ($issuer) = $site->rows('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');

# Loads a filing, not by way of the proxy.
sub load_filing
{
    my ($number) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0,
        form => '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z',
        provenance => { source_provider => 'sec', accession => sprintf '0009999999-26-%06d', $number }, title => 'Report' }) . "\n"));
    is($code, 0, 'a filing is loaded') or diag $out, $err;
}
load_filing(1);
is(scalar(my @got = $receiver->wait_for('/ok', 1, 20)), 1, 'a delivery');
my $counted = sub { return $site->value('SELECT coalesce(sum(requests), 0) FROM key_usage') };
for my $way (qw(freeze refuse)) {
    $site->{log}->permit(qw(DSC0002 DSC0020));
    $proxy->$way;
    load_filing($way eq 'freeze' ? 2 : 3);
    ok(wait_until($BOUND, sub { health() == 503 }), "$way: not ready");
    sleep 4;
    $proxy->forward;
    is(scalar(@got = $receiver->wait_for('/ok', $way eq 'freeze' ? 2 : 3, 40 * patience())), $way eq 'freeze' ? 2 : 3, '... the delivery worker sends what has come meanwhile, once');
    ok(wait_until($BACK, sub { health() == 200 }), '... the watcher is back');
    my $before = $counted->();
    $site->get('/v1/companies?limit=1') for 1 .. 20;
    ok(wait_until($BACK, sub { $counted->() >= $before + 20 }), '... counts are stored');
    ok(wait_until($BACK, sub { $site->get('/v1/coverage')->header('etag') }), '... ETags are back');
    log_is_clean($site, '... and the log has the outage');
}

# A look at the queue that took long, as the database was frozen, puts off the next one by that much more; what comes while nobody
# listens to notifications is sent all the same when somebody does again.
$site->{log}->permit(qw(DSC0002 DSC0020));
sleep 5; # until nothing is queued any more, and it looks every four seconds
$proxy->freeze;
sleep 9; # that one would be given up after ten
$proxy->forward;
ok(wait_until($BOUND, sub { health() == 200 }), 'frozen for a while, and ready again');
$proxy->refuse;
load_filing(4);
sleep 1;
$proxy->forward;
is(scalar(@got = $receiver->wait_for('/ok', 4, 20 * patience())), 4, '... and lost: the delivery worker hears of what has come meanwhile');
ok(wait_until($BOUND, sub { health() == 200 }), '... and ready');
log_is_clean($site, '... and the log has the outage');

# A delivery that ends while PostgreSQL refuses waits to be noted, and the delivery worker waits with it.
my $patient = json_of($site->post('/v1/webhook-endpoints', { url => $receiver->url('/held/outage'), topics => ['filing.created'] }), 'an endpoint whose receiver takes its time')->{id};
my $processor_time = sub {
    my @fields = split ' ', slurp("/proc/@{[ $site->watcher_pid ]}/stat") =~ s/.*\)//sr;
    return ($fields[11] + $fields[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK);
};
load_filing(5);
is(scalar(@got = $receiver->wait_for('/held/outage', 1, 20 * patience())), 1, 'a delivery is under way');
$site->{log}->permit(qw(DSC0002 DSC0020));
$proxy->refuse;
$receiver->release('outage');
ok(wait_until($BOUND, sub { health() == 503 }), '... while PostgreSQL refuses');
sleep 1;
my $used = $processor_time->();
sleep 3;
cmp_ok($processor_time->() - $used, '<', 0.5, '... and its end is to be noted: the processor is left alone');
$proxy->forward;
ok(wait_until($BACK, sub { $site->value("SELECT outcome FROM disclosed.webhook_delivery WHERE endpoint_id = $patient") eq 'delivered' }), '... it is noted when PostgreSQL is back');
is(scalar($receiver->received('/held/outage')), 1, '... having been sent once');
is($site->request('DELETE', "/v1/webhook-endpoints/$patient", key => 'builder')->status, 200, '... and its endpoint is removed');
log_is_clean($site, '... and the log has the outage');

# A connection that is lost at a commit: it has happened, and the delivery worker does not hear of it.
sub lose_at
{
    my ($statement, $number) = @_;
    $site->{log}->permit(qw(DSC0002 DSC0020));
    my $before = $proxy->lost;
    $proxy->refuse; # connections end: the statement is told apart when it is prepared anew, and comes when there is something for it
    load_filing($number);
    $proxy->lose($statement);
    ok(wait_until(40 * patience(), sub { $proxy->lost > $before }), "the answer to the commit of $statement() is lost");
}
cluster()->execute($site->{database}, <<'END');
CREATE TABLE claimed (delivery_id bigint);
CREATE FUNCTION note_claim() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN INSERT INTO public.claimed VALUES (NEW.delivery_id); RETURN NEW; END $$;
CREATE TRIGGER note_claim AFTER UPDATE ON disclosed.webhook_delivery FOR EACH ROW
WHEN (NEW.claimed_by IS NOT NULL AND OLD.claimed_by IS NULL) EXECUTE FUNCTION note_claim();
END
# Whoever claims for another reason at that moment has it: then once more.
my $filing = 5;
my $claims = sub { return $site->value('SELECT coalesce(max(count), 0) FROM (SELECT count(*) FROM public.claimed GROUP BY delivery_id) c') };
while ($filing < 9 && $claims->() < 2) {
    lose_at('claim_webhooks', ++$filing);
    is(scalar(@got = $receiver->wait_for('/ok', $filing, 90 * patience())), $filing, '... what was claimed is sent');
    ok(wait_until($BACK, sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome = 'delivered' AND endpoint_id <> $patient") == $filing }), '... and noted');
}
is($claims->(), 2, '... claimed again, as nobody knew of the first time');
is($site->value(q{SELECT max(ended_at - created_at) < interval '55 seconds' FROM disclosed.webhook_delivery}), 't', '... before its lease would have ended');
my $failing = json_of($site->post('/v1/webhook-endpoints', { url => $receiver->url('/fail-first/1'), topics => ['filing.created'] }), 'an endpoint that fails once')->{id};
lose_at('note_own_webhooks', ++$filing);
ok(wait_until(90 * patience(), sub { $site->value("SELECT outcome FROM disclosed.webhook_delivery WHERE endpoint_id = $failing") eq 'delivered' }), '... deliveries go on');
same_json([map { $_->{status} } $site->rows("SELECT status FROM disclosed.webhook_attempt JOIN disclosed.webhook_delivery USING (delivery_id) WHERE endpoint_id = $failing ORDER BY attempt")],
    [500, 200], '... and what is noted again counts once');
is(scalar($receiver->received('/fail-first/1')), 2, '... as the receiver has it');
log_is_clean($site, '... and the log has it');

# --- disclosedctl ----------------------------------------------------------------------------------

my $conninfo = $proxy->conninfo($site->{database}) . ' connect_timeout=2';

# Starts a command on the proxy's database.
sub begin_command
{
    my (@arguments) = @_;
    my $output = workspace() . '/' . fresh('outages');
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        open STDOUT, '>', "$output.out";
        open STDERR, '>', "$output.err";
        exec build('CTL'), '--database', $conninfo, @arguments or POSIX::_exit(127);
    }
    return { pid => $pid, output => $output, start => time };
}

# Waits for its end: (exit code, or undef where it hangs; standard error).
sub end_command
{
    my ($command, $seconds) = @_;
    my $status;
    wait_until($seconds, sub { my $got = waitpid $command->{pid}, WNOHANG; $status = $?; $got == $command->{pid} }) or do { kill 'KILL', $command->{pid}; waitpid $command->{pid}, 0; $status = undef };
    note sprintf 'after %.1f s: %s', time - $command->{start}, slurp("$command->{output}.err") =~ s/\n\z//r;
    return (!defined $status ? undef : $status & 127 ? -($status & 127) : $status >> 8, slurp("$command->{output}.err"));
}

my $sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND application_name = 'disclosedctl'";
sub waits_for { my ($event) = @_; return wait_until(20 * patience(), sub { cluster()->value('postgres', "$sessions AND wait_event = '$event'") == 1 }) }

$proxy->freeze;
my ($code, $err) = end_command(begin_command('runs'), $BOUND);
is($code, 3, 'disclosedctl and a frozen database: no database');
like($err, qr/^disclosedctl: no database: .*timeout expired/m, '... and why');
$proxy->forward;
is((end_command(begin_command('runs'), $BOUND))[0], 0, '... and later there is');

my $held = cluster()->hold($site->{database}, 'LOCK TABLE disclosed.api_key IN ACCESS EXCLUSIVE MODE');
my $command = begin_command('key', 'list', '--timeout', '2s');
ok(waits_for('relation'), 'a command that waits for a lock');
($code, $err) = end_command($command, $BOUND);
is($code, 1, '... gives up at its --timeout');
like($err, qr/^disclosedctl: PostgreSQL has not responded in time: gave up a statement after \d+\.\d s, and its connection$/m, '... and says so');
ok(wait_until($BACK, sub { cluster()->value('postgres', $sessions) == 0 }), '... its session waits no longer');
$command = begin_command('key', 'list', '--timeout', '3s');
ok(waits_for('relation'), 'another one');
$proxy->freeze;
($code, $err) = end_command($command, $BOUND);
is($code, 1, '... whose connection freezes');
like($err, qr/^disclosedctl: PostgreSQL has not responded in time/m, '... says so');
$proxy->forward;
cluster()->release($held);

# Imports may take hours; what they notice is that the server is gone.
my $tickers = $site->write('company_tickers_exchange.2024-01-02.json', $json->encode({ fields => [qw(cik name ticker exchange)], data => [[9_300_001, 'Frozen Works Inc.', 'FRZN', 'NYSE']] }));
my @import = ('import', 'sec-company-tickers', $tickers);
my $lock = "SELECT pg_advisory_xact_lock(hashtextextended('disclosed load reconcile_companies', 0))";
$held = cluster()->hold($site->{database}, $lock);
$command = begin_command(@import);
ok(waits_for('advisory'), 'an import that waits for another');
$proxy->freeze;
($code, $err) = end_command($command, 60 * patience());
is($code, 3, '... ends when the database freezes');
like($err, qr/: failed, nothing of it is stored: PostgreSQL can no longer be reached: gave up/, '... and says what became of the file');
$proxy->forward;
$command = begin_command(@import);
ok(waits_for('advisory'), 'another one');
$proxy->freeze;
sleep 1;
kill 'TERM', $command->{pid};
($code, $err) = end_command($command, 15 * patience());
is($code, 143, '... is interrupted while the database is frozen');
like($err, qr/interrupted by SIGTERM: 0 files are stored whole/, '... and says what is kept');
$proxy->forward;
$command = begin_command(@import);
ok(waits_for('advisory'), 'a third');
$proxy->refuse;
($code, $err) = end_command($command, $BOUND);
is($code, 3, '... whose connection is cut');
like($err, qr/: failed, nothing of it is stored: server closed the connection unexpectedly/, '... says so');
$proxy->forward;
cluster()->release($held);
ok(wait_until($BACK, sub { cluster()->value('postgres', $sessions) == 0 }), 'no session of theirs is left');
is((end_command(begin_command(@import), 60 * patience()))[0], 0, 'the same command loads it then');
$site->{log}->permit(qw(DSC0002 DSC0020 DSC0024));
log_is_clean($site, 'the log has the outages');

# A freeze while httpd stops: nothing waits for the database.
$site->{log}->permit(qw(DSC0002 DSC0020));
$proxy->freeze;
sleep 1;
ok($site->stop, 'httpd stops while the database is frozen');
$proxy->forward;
finish();

# Streaming replicas: what a lagging one says is never passed off as what the primary has. No tag names a version that the responding
# server has not replayed, no cursor is read where its page has not happened yet, lag is shown, a replica that lags gets no reads, and what
# recovery cancels is read elsewhere.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Attack qw(pipelined);
use Disclosed::Key qw(make_key);
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(control own_cluster own_replica);
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes qw(sleep time);

my $BOUND = 3;     # DisclosedReplicaLag
my $STATEMENT = 5; # DisclosedStatementTimeout

my $primary = own_cluster(settings => "wal_level = replica\nmax_wal_senders = 10\nshared_buffers = 32MB\n");
$primary->create_database('own');
for my $step (['migrate'], ['demo', '--companies', '6']) {
    my ($code, $out, $err) = control($primary->conninfo('own'), @$step);
    is($code, 0, "disclosedctl @$step") or diag $out, $err;
}
# On replicas, as a table says that is replicated: filings can't be read, as recovery might have it, or wait for an advisory lock.
$primary->execute('own', <<'END');
CREATE TABLE disclosed.gate (state text);
INSERT INTO disclosed.gate VALUES ('open');
GRANT SELECT ON disclosed.gate TO disclosed_api;
CREATE TABLE disclosed.scratch AS SELECT 1 AS number;
CREATE FUNCTION disclosed.gate() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    state text := (SELECT g.state FROM disclosed.gate g);
BEGIN
    IF pg_is_in_recovery() AND state = 'wait' THEN
        PERFORM pg_advisory_xact_lock_shared(16);
    ELSIF pg_is_in_recovery() AND state <> 'open' THEN
        RAISE EXCEPTION 'recovery' USING ERRCODE = state;
    END IF;
    RETURN true;
END $$;
ALTER TABLE disclosed.filing ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON disclosed.filing USING (disclosed.gate());
END
my @replicas = map { own_replica($primary, settings => "max_standby_streaming_delay = 0\n") } 1 .. 2;

# The main server reads from both; a virtual host each from the first, however much it lags, from the second, and from the primary.
my $read_from = sub { my ($name, @from) = @_; return <<"END" };
<VirtualHost *>
ServerName $name.example
DisclosedReadDatabase "host=@{[ join ',', map { $_->{directory} } @from ]} dbname=own user=disclosed_api"
DisclosedReplicaLag 7200
</VirtualHost>
END
my $site = site(cluster => $primary, database => 'own', start => 0, config => <<"END"
DisclosedReadDatabase "host=@{[ join ',', map { $_->{directory} } @replicas ]} dbname=own user=disclosed_api"
DisclosedReplicaLag $BOUND
@{[ metrics_location() ]}
<VirtualHost *>
ServerName both.example
</VirtualHost>
<VirtualHost *>
ServerName guarded.example
DisclosedAddressLimit 1/m 5
</VirtualHost>
END
    . $read_from->('lagging', $replicas[0]) . $read_from->('fresh', $replicas[1]) . $read_from->('primary', $primary));
$site->{config} = status_location() . $site->{config};
$site->{log}->permit('DSC0061'); # its virtual hosts are meant to be taken
$site->start;

sub get_from
{
    my ($host, $target, %headers) = @_;
    return $site->get($target, headers => { Host => "$host.example", %headers });
}

# A figure of each of the two replicas.
sub figures
{
    my ($name) = @_;
    my $metrics = $site->get('/metrics', key => undef)->body;
    return map { $metrics =~ /^disclosed_replica_$name\{database="0",replica="\Q$_->{directory}\E"\} (\S+)$/m ? $1 : undef } @replicas;
}

# Where all that is committed on the primary has been replayed.
sub replayed
{
    $primary->is_replayed_by(20 * patience(), @_) or die 'a replica does not replay';
}

my $json = Disclosed::JSON->new->utf8->canonical;
my ($issuer) = $site->rows('SELECT cik, ticker FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
my $newest = '/v1/filings?limit=2';
sub accession { return sprintf '0009999999-26-%06d', $_[0] }

# Loads a filing, and returns when the site has noticed it.
sub load_filing
{
    my ($number, $filed_on, $known_at) = @_;
    my $before = get_from('primary', $newest)->header('etag');
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0,
        form => '8-K', filed_on => $filed_on, known_at => $known_at // "${filed_on}T21:00:00Z",
        provenance => { source_provider => 'sec', accession => accession($number) }, title => 'Report' }) . "\n"));
    is($code, 0, "filing $number is loaded") or diag $out, $err;
    ok(wait_until(10 * patience(), sub { (get_from('primary', $newest)->header('etag') // $before) ne $before }), '... and noticed');
}

# The accession numbers of all pages: the first from one host, the others from another.
sub walk
{
    my (@hosts) = @_;
    my (@seen, $cursor);
    do {
        my $page = json_of(get_from($hosts[0], "/v1/filings?symbols=$issuer->{ticker}&limit=4" . ($cursor ? "&cursor=$cursor" : '')), "a page from $hosts[0]");
        push @seen, map { $_->{accession} } $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor};
        shift @hosts if @hosts > 1;
    } while ($cursor);
    return @seen;
}

# Opens the gate, or has it do something else, on replicas that have heard of it.
sub set_gate
{
    my ($state) = @_;
    $primary->execute('own', "UPDATE disclosed.gate SET state = '$state'");
    replayed(@replicas);
}

# --- both are read -------------------------------------------------------------------------------

load_filing(1, '1995-01-03');
replayed(@replicas);
ok(wait_until(10 * patience(), sub { join(' ', figures('is_read')) eq '1 1' }), 'both replicas get reads');
my @reads = figures('reads_total');
is($site->get($newest)->status, 200, 'read') for 1 .. 8;
my @grown = figures('reads_total');
is($grown[0] + $grown[1] - $reads[0] - $reads[1], 8, 'eight requests are eight reads');
cmp_ok(abs($grown[0] - $reads[0] - 4), '<=', 2, "balanced: $reads[0] to $grown[0], $reads[1] to $grown[1]");
my @targets = ($newest, "/v1/filings?symbols=$issuer->{ticker}&limit=5", '/v1/filings?limit=2&as_of=2026-12-01', "/v1/coverage/$issuer->{ticker}");
my %before = map { ($_ => get_from('lagging', $_)) } @targets;
for my $target (@targets) {
    ok($before{$target}->header('etag'), "$target has a tag");
    is(get_from('lagging', $target, 'If-None-Match' => $before{$target}->header('etag'))->status, 304, '... and a 304 for it');
    is($before{$target}->body, get_from('fresh', $target)->body, '... the same from each');
}
my @all = walk('primary');
cmp_ok(scalar @all, '>=', 10, 'filings of several pages: ' . @all);
is(scalar(grep { $_ eq accession(1) } @all), 1, '... the one from 1995 among them');
is_deeply([walk('lagging', 'fresh')], \@all, '... the same in whatever way');
log_is_clean($site, 'nothing to log');

# --- one whose replay is paused ------------------------------------------------------------------

expect_log($site, 'DSC0026');
$replicas[0]->execute('postgres', 'SELECT pg_wal_replay_pause()');
load_filing(2, '2026-11-20');
replayed($replicas[1]);
for my $target (@targets) {
    my ($stale, $fresh) = map { get_from($_, $target) } qw(lagging fresh);
    is($stale->body, $before{$target}->body, "paused: $target is what it was");
    is($stale->header('etag'), undef, '... and is not passed off as what the primary has') or diag $stale->describe;
    is(get_from('lagging', $target, 'If-None-Match' => $before{$target}->header('etag'))->status, 200, '... nor as up to date');
    isnt($fresh->body, $before{$target}->body, '... the other is further');
    is(get_from('lagging', $target, 'If-None-Match' => $fresh->header('etag'))->status, 304, '... and who has that keeps it');
}
my $found = get_from('lagging', '/v1/filings/' . accession(2));
is($found->status, 200, 'what a replica does not have yet is found on the primary') or diag $found->describe;
is($found->header('etag'), get_from('primary', '/v1/filings/' . accession(2))->header('etag'), '... under its tag');
is(get_from('lagging', '/v1/filings/0009999999-26-999999')->status, 404, '... what nobody has is not');
# A list that nobody has is looked for on both, and has one place among the exports.
my $long = '/v1/companies/NOSUCH/insider?limit=100000';
my $tag = get_from('primary', '/v1/insider?limit=1')->header('etag') // '';
$primary->execute('own', "UPDATE disclosed.dataset_stat SET version = version + 1 WHERE dataset = 'insider'");
ok(wait_until(10 * patience(), sub { (get_from('primary', '/v1/insider?limit=1')->header('etag') // $tag) ne $tag }), 'insider trades have another version');
my %looked;
$looked{ get_from('lagging', $long, Accept => 'text/csv')->status }++ for 1 .. 2 * $site->{threads} * $site->{processes};
is_deeply([keys %looked], [404], '... exports of a company that nobody has give their places back') or diag explain \%looked;

# The filing of 1995 moves to the top. A page from where it has is not followed by one from where it has not.
load_filing(1, '2026-11-22', '2026-11-23T21:00:00Z');
replayed($replicas[1]);
@all = walk('primary');
is($all[0], accession(1), 'a filing moves to the first place');
isnt((walk('lagging'))[0], accession(1), '... not yet on the replica');
is_deeply([walk($_, 'lagging')], \@all, "... from $_ to the replica: no row twice, none lost") for qw(fresh primary);

ok(wait_until(($BOUND + 10) * patience(), sub { join(' ', figures('is_read')) eq '0 1' }), 'one that lags by more than the bound gets no reads');
cmp_ok((figures('lag_seconds'))[0], '>', $BOUND, '... its lag is shown');
cmp_ok((figures('lag_bytes'))[0], '>', 0, '... in bytes, too');
# PostgreSQL writes records of its own at times, which the other has a moment later.
ok(wait_until(10 * patience(), sub { join(' ', (figures('lag_seconds'))[1], (figures('lag_bytes'))[1]) eq '0.000 0' }), '... and that the other has none');
@reads = figures('reads_total');
my $expected = get_from('primary', $newest);
for (1 .. 8) {
    my $response = $site->get($newest);
    is($response->body, get_from('fresh', $newest)->body, '... the other is read');
    is($response->header('etag'), $expected->header('etag'), '... under its tag');
}
@grown = figures('reads_total');
is($grown[0], $reads[0], '... it alone');
is($grown[1], $reads[1] + 16, '... each time');
SKIP: {
    skip 'mod_status is not installed', 2 if !status_location();
    like($site->get('/status', key => undef)->body, qr{replica \Q$replicas[0]{directory}\E: not read, \d+\.\d+ seconds, [1-9]\d* bytes behind}, '... on the page of mod_status');
    like($site->get('/status?auto', key => undef)->body, qr{^DisclosedReplica0\.\Q$replicas[1]{directory}\E: read, 0\.000 seconds, 0 bytes behind, \d+ reads$}m, '... and for programs');
}
my $log = wait_until(10 * patience(), sub { my $text = $site->{log}->unread; $text =~ /DSC0026/ ? $text : undef }) // ''; # a replica is looked at once a second
is(scalar(() = $log =~ /DSC0026: replica \S+ gets no reads: it is \d+\.\d seconds, \d+ bytes behind/g), 1, 'it is told once') or diag $log;
log_is_clean($site, '... and nothing else');

# What replay then does may cancel the statement that began it.
eval { $replicas[0]->execute_apart('postgres', 'SELECT pg_wal_replay_resume()'); 1 } or $@ =~ /conflict with recovery/ or die $@;
replayed($replicas[0]);
ok(wait_until(10 * patience(), sub { join(' ', figures('is_read')) eq '1 1' }), 'resumed: it gets reads again');
ok(wait_until(10 * patience(), sub { $site->{log}->unread =~ /DSC0027: replica \Q$replicas[0]{directory}\E gets reads again/ }), '... as the log says');
$site->get($newest) for 1 .. 4;
cmp_ok((figures('reads_total'))[0], '>', $grown[0], '... really');
for my $target (@targets) {
    my $response = get_from('lagging', $target);
    is($response->body, get_from('primary', $target)->body, "$target is up to date");
    is($response->header('etag'), get_from('primary', $target)->header('etag'), '... under its tag');
}

# --- what recovery cancels -----------------------------------------------------------------------

my $listed = "/v1/filings?symbols=$issuer->{ticker}&limit=50";
$expected = get_from('lagging', $listed);

# 40001 and 40P01 are recovery's, 57P01 comes when a server stops; out of memory is a server's own as well.
for my $state (qw(40001 40P01 57P01 53200)) {
    $site->{log}->permit('DSC0002');
    set_gate($state);
    my $response = get_from('lagging', $listed);
    is($response->status, 200, "$state on a replica: 200") or diag $response->describe;
    is($response->body, $expected->body, '... from the primary');
    is($response->header('etag'), $expected->header('etag'), '... under its tag');
}

# A request that runs on the first replica while something happens; returns the status and whether the body is that of before.
sub get_while
{
    my ($happens) = @_;
    my $lock = $replicas[0]->hold('own', 'SELECT pg_advisory_xact_lock(16)');
    pipe my $read, my $write or die "pipe: $!";
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        my $response = get_from('lagging', $listed);
        syswrite $write, join ' ', $response->status, $response->body eq $expected->body ? 'whole' : $response->body;
        POSIX::_exit(0);
    }
    close $write;
    ok(wait_until(10 * patience(), sub { $replicas[0]->value('own', 'SELECT count(*) FROM pg_locks WHERE locktype = \'advisory\' AND NOT granted') }), 'a statement runs on the replica');
    my $start = time;
    $happens->();
    my $said = do { local $/; <$read> };
    cmp_ok(time - $start, '<', 4 * patience(), '... and ends');
    waitpid $pid, 0;
    $replicas[0]->release($lock);
    return $said;
}
set_gate('wait');
is(get_while(sub { $primary->execute_apart('own', 'BEGIN; LOCK TABLE disclosed.filing IN ACCESS EXCLUSIVE MODE; COMMIT; SELECT pg_switch_wal()') }), '200 whole', 'an exclusive lock on the primary: read elsewhere');
is(get_while(sub {
    $primary->execute_apart('own', 'DELETE FROM disclosed.scratch');
    $primary->execute_apart('own', 'VACUUM disclosed.scratch');
}), '200 whole', 'VACUUM on the primary: read elsewhere');
is(get_while(sub { $replicas[0]->execute('postgres', "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") }), '200 whole', 'a session that is ended: read elsewhere');
like($replicas[0]->value('own', 'SELECT confl_lock || \' \' || confl_snapshot FROM pg_stat_database_conflicts WHERE datname = current_database()'), qr/^[1-9]\d* [1-9]\d*$/, 'recovery did cancel both');
set_gate('open');
log_is_clean($site, 'what is read elsewhere is nothing to log');

# --- one that is stopped -------------------------------------------------------------------------

expect_log($site, 'DSC0026');
$site->{log}->permit('DSC0002');
my $load = Disclosed::Load->start($site, clients => 2, pause => 0.02, targets => \@targets);
sleep 0.5;
$replicas[1]->stop('immediate');
ok(wait_until(10 * patience(), sub { join(' ', figures('is_read')) eq '1 0' }), 'one stops, and gets no reads');
load_filing(3, '2026-11-24');
$replicas[1]->start;
my ($wrong, $tagged) = (0, 0);
ok(wait_until(20 * patience(), sub {
    my $response = $site->get($newest);
    $tagged++ if $response->header('etag');
    $wrong++ if $response->status != 200 || $response->header('etag') && index($response->body, accession(3)) < 0;
    return join(' ', figures('is_read')) eq '1 1';
}), 'it is back, and gets reads');
my @answers = $load->stop;
is($wrong, 0, '... no tag was on what it did not have yet');
cmp_ok($tagged, '>', 0, '... and there were tags');
cmp_ok(scalar @answers, '>', 50, '... clients asked all the time: ' . @answers);
is_deeply([grep { $_->{status} != 200 || $_->{fault} ne '' } @answers], [], '... and got whole 200s');
like($site->{log}->unread, qr/DSC0026: replica \Q$replicas[1]{directory}\E gets no reads: .*DSC0027: replica \Q$replicas[1]{directory}\E gets reads again/s, '... the log says when');
is(index($_->body, accession(3)) >= 0, 1, 'the newest filing is there') for map { $site->get($newest) } 1 .. 4;

# --- one that is frozen --------------------------------------------------------------------------

# All processes of a cluster; the first makes no others then.
sub signal_cluster
{
    my ($cluster, $signal) = @_;
    my ($postmaster) = split /\n/, slurp("$cluster->{directory}/data/postmaster.pid");
    kill $signal, $postmaster;
    kill $signal, split / /, slurp("/proc/$postmaster/task/$postmaster/children");
}

expect_log($site, qw(DSC0002 DSC0026));
$load = Disclosed::Load->start($site, clients => 4, pause => 0.02, targets => \@targets);
sleep 0.5;
my $lost = time - working_time();
signal_cluster($replicas[1], 'STOP');
ok(wait_until(10 * patience(), sub { join(' ', figures('is_read')) eq '1 0' }), 'one is silent, and gets no reads');
sleep 6;
signal_cluster($replicas[1], 'CONT');
ok(wait_until(20 * patience(), sub { join(' ', figures('is_read')) eq '1 1' }), 'it is back, and gets reads');
@answers = $load->stop;
$lost = time - working_time() - $lost;
my ($longest) = sort { $b->{seconds} <=> $a->{seconds} } @answers;
is_deeply([grep { $_->{status} != 200 || $_->{fault} ne '' } @answers], [], '... what it was asked another has answered: clients got whole 200s');
cmp_ok($longest->{seconds}, '<', $STATEMENT * patience() + 0.1 + $lost, sprintf '... the longest of %d took %.2f s, in which the machine lost %.2f s', scalar @answers, $longest->{seconds}, $lost);
log_is_clean($site, '... and the log says when');

# --- the primary is away -------------------------------------------------------------------------

# Keys are looked up on replicas: reads go on, for those who were never seen as well.
my ($revoked, $unseen) = map { $site->own_key('builder') } 1 .. 2;
is($site->get($newest, key => $revoked)->status, 200, 'a key');
$site->execute("UPDATE disclosed.api_key SET revoked_at = now() WHERE key_id = '" . substr($revoked, 8, 8) . "'");
replayed(@replicas);
ok(wait_until(10 * patience(), sub { join(' ', figures('is_read')) eq '1 1' }), 'both replicas get reads');
expect_log($site, qw(DSC0002 DSC0020));
$site->{log}->permit('DSC0026');
$primary->stop('immediate');
sleep 3; # until what the background process has seen is too old to be relied on
for my $key ('enterprise', $unseen) {
    my @responses = map { $site->get($newest, key => $key) } 1 .. 4;
    is(join(' ', map { $_->status } @responses), '200 200 200 200', 'the primary is away: reads go on') or diag $responses[0]->describe;
    is(index($responses[0]->body, accession(3)) >= 0, 1, '... with what was there');
    is(scalar(grep { $_->header('etag') } @responses), 0, '... and no tag');
}
is($site->get($newest, key => $_)->status, 503, 'a key that a replica knows as revoked, or not at all, waits for the primary') for $revoked, make_key('live');
# Guesses are at the expense of their address there, too.
my %guessed;
$guessed{$_}++ for pipelined($site, $newest, [map { make_key('live') } 1 .. 30], host => 'guarded.example', from => '127.0.0.9');
cmp_ok($guessed{503} // 0, '<=', 7, '... and guesses are bounded: ' . join ', ', map { "$guessed{$_} times $_" } sort keys %guessed);
is(($guessed{503} // 0) + ($guessed{429} // 0), 30, '... by the limit of their address');
is($site->post('/v1/webhook-endpoints', { url => 'https://hooks.example.com/in', topics => ['filing.created'] })->status, 503, '... and so does what changes something');
is($site->get($newest, key => 'sk_live_x')->status, 401, '... what is no key does not');
$primary->start;
ok(wait_until(20 * patience(), sub { $site->get($newest)->header('etag') }), 'the primary is back, and so are tags');
is($site->get($newest, key => $revoked)->status, 401, '... a revoked key is refused');
log_is_clean($site, '... and the log says when');
$site->{log}->permit('DSC0026'); # replicas come back to the primary in their own time

finish();
$_->stop for @replicas, $primary;

# Loads on Citus that are struck. A worker, or the connection to it, is lost between the two steps of a commit: until the worker has the load, no
# tag and no webhook tells of it. A worker dies in the midst of loads: they are there on all nodes or on none. And a database that was spread by an
# early version takes all later migrations.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Citus;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run wait_until);
use Disclosed::Proxy;
use Disclosed::Receiver;
use Disclosed::Shared qw(control fresh workspace);
use Disclosed::Test qw(without_cache);
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes qw(sleep);

if (my $missing = Disclosed::Citus::missing()) {
    plan skip_all => "NOT RUN: no Citus: $missing";
}
my $json = Disclosed::JSON->new->utf8->canonical;
# What is left prepared stays so until it is recovered here.
my $citus = Disclosed::Citus->create({ settings => "citus.recover_2pc_interval = '1h'\n" }, map { workspace() . '/' . fresh('own') } 1 .. 3);
my $coordinator = $citus->coordinator;
my ($first, $second) = $citus->workers;

sub control_of
{
    my ($database, @arguments) = @_;
    my ($code, $out, $err) = control($coordinator->conninfo($database), @arguments);
    is($code, 0, "disclosedctl @arguments") or diag $out, $err;
    return $out;
}

sub recover { my ($database) = @_; $coordinator->execute_apart($database, 'SELECT recover_prepared_transactions()') }

# --- a worker that is lost between the two steps ---------------------------------------------------

$citus->create_database('loads');
$coordinator->execute_apart('postgres', 'ALTER DATABASE loads SET citus.shard_count = 4');
my $proxy = Disclosed::Proxy->start($second);
$coordinator->execute_apart('loads', "SELECT citus_update_node(nodeid, '127.0.0.1', $proxy->{port}) FROM pg_dist_node WHERE nodename = '$second->{directory}'");
control_of('loads', @$_) for ['migrate'], ['distribute', '--apply'], ['demo', '--companies', '6'];
my $folder = workspace() . '/' . fresh('receiver');
mkdir $folder or die "$folder: $!";
my $receiver = Disclosed::Receiver->start($folder);
my $site = site(cluster => $coordinator, database => 'loads', config => $receiver->config, described => 0);
$site->{log}->permit(qw(DSC0002 DSC0020));
status_is($site->post('/v1/webhook-endpoints', { url => $receiver->url('/ok'), topics => ['filing.created'] }), 200, 'a webhook endpoint');

# Of a company whose rows the second worker has.
my ($away) = $coordinator->rows('loads', <<"END");
SELECT i.cik FROM issuer i JOIN pg_dist_shard_placement p ON p.shardid = get_shard_id_for_distribution_column('disclosed_shards.filing', i.issuer_id)
WHERE p.nodeport = $proxy->{port} AND i.cik IS NOT NULL ORDER BY i.issuer_id LIMIT 1
END
my $list = '/v1/filings?limit=2';
sub accession { my ($number) = @_; return sprintf '0009999999-26-%06d', $number }

sub load_filing
{
    my ($number) = @_;
    my ($code, $out, $err) = control($coordinator->conninfo('loads', 'disclosed_loader'), 'import', 'ndjson', $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => $away->{cik} + 0,
        form => '8-K', filed_on => '2026-11-' . (10 + $number), known_at => '2026-11-' . (10 + $number) . 'T21:00:00Z', provenance => { source_provider => 'sec', accession => accession($number) }, title => 'Report' }) . "\n"));
    is($code, 0, "filing $number is loaded") or diag $out, $err;
}

sub is_delivered { my ($number) = @_; my $accession = accession($number); return scalar grep { $_->{body} =~ /\Q$accession\E/ } $receiver->received('/ok') }
sub shows { my ($response, $number) = @_; return index($response->body, accession($number)) >= 0 }

load_filing(1);
ok(wait_until(20 * patience(), sub { shows($site->get($list), 1) && is_delivered(1) }), '... served, and told of');
my $tag = $site->get($list)->header('etag');
for my $case ('the connection is cut', 'the worker dies') {
    my $number = $case =~ /cut/ ? 2 : 3;
    $proxy->stop_before('COMMIT PREPARED');
    load_filing($number);
    $second->stop if $case =~ /dies/;
    $proxy->forward;
    if ($case =~ /dies/) {
        sleep 2.5;
        is(is_delivered($number), 0, "$case between the two steps of a commit: nobody is told while it is away");
        $second->start;
    }
    is($second->value('loads', 'SELECT count(*) FROM pg_prepared_xacts'), 1, "$case: the worker has it prepared");
    is($coordinator->value('loads', "SELECT count(*) FROM filing WHERE accession = '@{[ accession($number) ]}'"), 1, '... while the coordinator has committed it');
    my @wrong;
    for (1 .. 16) {
        my $response = $site->get($list);
        push @wrong, $response->describe if $response->status !~ /^(?:200|503)$/ || $response->status == 200 && !shows($response, $number) && ($response->header('etag') // $tag) ne $tag;
        sleep 0.25;
    }
    is(join("\n", @wrong), '', '... no response has a new tag on rows without it');
    is(is_delivered($number), 0, '... and no webhook tells of it');
    recover('loads');
    ok(wait_until(20 * patience(), sub { my $response = $site->get($list); shows($response, $number) && ($response->header('etag') // $tag) ne $tag }), '... until the worker has it');
    $tag = $site->get($list)->header('etag');
    ok(wait_until(30 * patience(), sub { is_delivered($number) }), '... which webhooks tell then');
    is(is_delivered($number), 1, '... once');
    is($citus->unlike_shards('loads'), '', '... and the shards have all');
}
load_filing(4);
ok(wait_until(20 * patience(), sub { shows($site->get($list), 4) && is_delivered(4) }), 'loads go on');
$site->stop;

# --- a worker that dies in the midst of loads -------------------------------------------------------

my @after = (0.3, 1, 2, 4);
my ($stored, $failed) = (0, 0);
for my $number (0 .. $#after) {
    my $before = $coordinator->value('loads', 'SELECT count(*) FROM filing');
    my $pid = fork() // die "fork: $!";
    if (!$pid) {
        my ($code) = control($coordinator->conninfo('loads', 'disclosed_loader'), 'demo', '--companies', 8 + 3 * $number);
        POSIX::_exit($code == 0 ? 0 : 1);
    }
    sleep $after[$number];
    $second->stop;
    waitpid $pid, 0;
    my $is_stored = $? == 0;
    $is_stored ? $stored++ : $failed++;
    $second->start;
    recover('loads');
    my $now = $coordinator->value('loads', 'SELECT count(*) FROM filing');
    $is_stored ? cmp_ok($now, '>', $before, "a worker dies $after[$number] s after the begin of a load, which was through") : is($now, $before, "a worker dies $after[$number] s after the begin of a load: nothing of it is stored");
    is($citus->unlike_shards('loads'), '', '... and the shards have what the tables have');
}
cmp_ok($failed, '>=', 1, "loads were struck: $failed failed, $stored were through");
control_of('loads', 'demo', '--companies', 20);
is($citus->unlike_shards('loads'), '', '... the load, again, stores all');

# --- later migrations -------------------------------------------------------------------------------

my $early = workspace() . '/' . fresh('sql-early');
run('cp', '-r', build('SRCDIR') . '/sql', $early);
unlink grep { m{/(\d{4})_[^/]*$} && $1 > 68 } glob "$early/[0-9]*.sql";
$citus->create_database('early');
control_of('early', 'migrate', '--sql-dir', $early);
# Managers' holdings of companies, and trades of politicians: of each fifth trade no company is known.
$coordinator->execute('early', <<'END');
SET search_path = disclosed, public;
INSERT INTO issuer (name, cik) SELECT 'Company ' || n, 9000000 + n FROM generate_series(1, 50) n;
INSERT INTO source (source_key, provider) SELECT 1, min(provider) FROM source_provider;
CREATE TEMP TABLE made AS SELECT n, n AS issuer_id, 51 - n AS company_id, 'record ' || n AS record_key, '2024-06-01'::timestamptz AS known_at,
    md5(n::text)::uuid AS src_digest, (SELECT max(source_id) FROM source) AS source_id FROM generate_series(1, 50) n;
INSERT INTO institution_holder (id, issuer_id, record_key, known_at, src_digest, source_id, company_id, symbol, period_of_report, value)
SELECT n, issuer_id, record_key, known_at, src_digest, source_id, company_id, 'C' || company_id || ':US', '2024-03-31', 1000 FROM made;
INSERT INTO congress_trade (id, issuer_id, record_key, known_at, src_digest, source_id, chamber, report_id, row_number, transaction_type, filing_date, filing_date_basis, company_id)
SELECT n, issuer_id, record_key, known_at, src_digest, source_id, 'senate', 'report ' || n, 1, 'purchase', '2024-05-31', 'stated', CASE WHEN n % 5 > 0 THEN company_id END FROM made;
END

# By its own SQL, as its disclosedctl did.
my %kept = map { $_ => 1 } 'source', map { ($_->{table}, split ' ', $_->{keeps} // '') } $json->decode(control_of('early', 'tables', '--json'))->{datasets}->@*;
my $first_plan = sprintf q{SELECT p.name, p.kind FROM disclosed.distribution_plan('{%s}', '{issuer_at}') p}, join ',', sort keys %kept;
my $by_first = <<'END';
SET client_min_messages = warning;
SET citus.enable_ddl_propagation = off;
CREATE SCHEMA IF NOT EXISTS disclosed_shards;
GRANT USAGE ON SCHEMA disclosed_shards TO disclosed_api, disclosed_loader;
SELECT run_command_on_workers(disclosed.worker_command());
END
$by_first .= "CALL disclosed.distribute_table('$_->{name}', '$_->{kind}');\n" for grep { $_->{kind} ne 'local' } $coordinator->rows('early', $first_plan);
my ($spread, undef, $why) = run({ stdin => $by_first }, build('PGBIN') . '/psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $coordinator->conninfo('early'));
is($spread, 0, 'a database is spread by the first version that can') or diag $why;
sub column_of_shards { my ($table) = @_; return $coordinator->value('early', "SELECT column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition WHERE logicalrelid = 'disclosed_shards.$table'::regclass") }
is(column_of_shards($_), 'issuer_id', "... $_ by issuer_id") for qw(filing institution_holder congress_trade);
is($citus->unlike_shards('early'), '', '... with what is there');
control_of('early', 'migrate');
is(join(' ', map { $_->{kind} ne 'local' && $_->{state} ne 'done' ? "$_->{name} $_->{state}" : () } $json->decode(control_of('early', 'distribute', '--json', '--plan'))->@*), '', '... and migrated: its shards are those of now');
is(column_of_shards($_->[0]), $_->[1], "... $_->[0] by $_->[1]") for ['filing', 'issuer_id'], ['institution_holder', 'company_id'], ['congress_trade', 'company_or_politician_id'];
is($citus->unlike_shards('early'), '', '... with what is there');
control_of('early', 'demo', '--companies', '6');
is($citus->unlike_shards('early'), '', '... and take what is loaded');
finish();

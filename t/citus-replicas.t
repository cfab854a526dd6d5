# Replicas beside Citus: DisclosedReadDatabase names a streaming replica of the coordinator, which is read as one of a single PostgreSQL: its own
# tables, of one instant, and no shards, which are of another. And a worker that is lost for good is replaced by its own replica. Workers'
# replicas are not read from, as they may be behind what an ETag says.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Citus;
use Disclosed::Cluster;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(control fresh workspace);
use Disclosed::Test qw(without_cache);
use Disclosed::JSON ();

if (my $missing = Disclosed::Citus::missing()) {
    plan skip_all => "NOT RUN: no Citus: $missing";
}
my $json = Disclosed::JSON->new->utf8->canonical;
my $citus = Disclosed::Citus->create({ settings => "wal_level = replica\nmax_wal_senders = 10\nshared_buffers = 64MB\n" }, map { workspace() . '/' . fresh('own') } 1 .. 3);
my $coordinator = $citus->coordinator;
my ($first, $second) = $citus->workers;

sub control_of
{
    my (@arguments) = @_;
    my ($code, $out, $err) = control($coordinator->conninfo('spread'), @arguments);
    is($code, 0, "disclosedctl @arguments") or diag $out, $err;
    return $out;
}

sub replica_of { my ($cluster, %option) = @_; return Disclosed::Cluster->create_replica(workspace() . '/' . fresh('own'), $cluster, settings => "max_standby_streaming_delay = 0\n", %option) }

$citus->create_database('spread');
$coordinator->execute('postgres', 'ALTER DATABASE spread SET citus.shard_count = 4');
control_of(@$_) for ['migrate'], ['distribute', '--apply'], ['demo', '--companies', '6'];

# --- a replica of the coordinator -----------------------------------------------------------------

my $replica = replica_of($coordinator);
my $plain = site(cluster => $coordinator, database => 'spread', start => 0, base_url => 'https://api.example.org');
my $site = site(cluster => $coordinator, database => 'spread', start => 0, base_url => 'https://api.example.org', config => <<"END");
DisclosedReadDatabase "@{[ $replica->conninfo('spread', 'disclosed_api') ]}"
@{[ metrics_location() ]}
END
$site->{secret} = $plain->{secret};
$site->write('conf/secret', "$plain->{secret}\n", 0600);
$_->start for $plain, $site;

sub figure { my ($name) = @_; return $site->get('/metrics', key => undef)->body =~ /^disclosed_replica_$name\{database="0",replica="\Q$replica->{directory}\E"\} (\S+)$/m ? $1 : 'none' }
ok(wait_until(20 * patience(), sub { figure('is_read') eq '1' }), 'the replica of the coordinator is read from');

my @companies = $coordinator->rows('spread', 'SELECT symbol FROM issuer i WHERE symbol IS NOT NULL AND EXISTS (SELECT FROM insider_transaction t WHERE t.issuer_id = i.issuer_id) ORDER BY issuer_id');
my ($filing) = $coordinator->rows('spread', 'SELECT accession FROM filing WHERE accession IS NOT NULL ORDER BY src_digest LIMIT 1');
my @targets = ((map { ("/v1/companies/$_->{symbol}", "/v1/companies/$_->{symbol}/insider?limit=5", "/v1/companies/$_->{symbol}/insider?limit=5&as_of=2025-01-01") } @companies),
    "/v1/filings/$filing->{accession}", (map { ("/v1/$_?limit=5", "/v1/$_?limit=5&as_of=2025-01-01", "/v1/$_?limit=5&symbols=$companies[0]{symbol}&symbols=$companies[1]{symbol}") } qw(insider filings documents)));

# What differs between what the two say; '' where they say the same. Cursors say how far the server had come that made them.
sub said { my ($response) = @_; return $response->body =~ s/"request_id":"\w+"//r =~ s/"next_cursor":"[^"]+"/"next_cursor":"..."/r }

sub difference
{
    my ($target) = @_;
    my @responses = map { $_->get($target) } $plain, $site;
    my @said = map { join "\n", $_->status, $_->header('etag') // '', said($_) } @responses;
    return $said[0] eq $said[1] ? '' : "$target: " . substr($said[0], 0, 200) . ' and ' . substr $said[1], 0, 200;
}

my $reads = figure('reads_total');
is(join("\n", grep { $_ } map { difference($_) } @targets), '', 'the same bytes of ' . @targets . ' targets');
cmp_ok(figure('reads_total') - $reads, '>=', scalar @targets, '... all read by way of the replica');
# Pages, the first from the primary, the others by way of the replica: a cursor leads on.
my @walked = map {
    my @hosts = @$_;
    my ($cursor, @seen) = ('');
    while (defined $cursor) {
        my $page = json_of((@hosts > 1 ? shift @hosts : $hosts[0])->get('/v1/insider?limit=100' . ($cursor && "&cursor=$cursor")), 'a page');
        push @seen, map { $_->{id} // $json->encode($_) } $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor};
    }
    join ' ', @seen;
} [$plain], [$plain, $site], [$site];
cmp_ok($walked[0] =~ tr/ //, '>', 100, 'pages of a list of all');
is($walked[$_], $walked[0], '... are the same rows, begun at the ' . ('', 'primary', 'replica')[$_] . ' and read by way of the replica') for 1, 2;
my $search = sub { my ($host) = @_; return said($host->post('/v1/search', { query => 'revenue', limit => 3 })) };
is($search->($site), $search->($plain), '... and of a search');

# A load: its rows are on the workers when it commits, and on the replica when that has replayed it. No tag is on older rows, and no row
# without its source.
my ($issuer) = $coordinator->rows('spread', "SELECT cik FROM issuer WHERE symbol = '$companies[0]{symbol}'");
my $list = "/v1/companies/$companies[0]{symbol}/insider?limit=1";
my $newest = '/v1/filings?limit=1';

sub load_filing
{
    my ($number) = @_;
    my $accession = sprintf '0009999999-26-%06d', $number;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0, form => '8-K',
        filed_on => '2026-11-' . (10 + $number), known_at => '2026-11-' . (10 + $number) . 'T21:00:00Z', provenance => { source_provider => 'sec', accession => $accession }, title => 'Report' }) . "\n"));
    is($code, 0, "filing $number is loaded") or diag $out, $err;
    return $accession;
}

my $tag = $site->get($newest)->header('etag');
my $accession = load_filing(1);
ok(wait_until(20 * patience(), sub { my $response = $site->get($newest); ($response->header('etag') // $tag) ne $tag && $response->body =~ /$accession/ }), '... is served, under another tag');

# The replica stands still: it has the old version, sources and rows; workers have the new row.
$replica->execute('spread', 'SELECT pg_wal_replay_pause()');
my $held = $site->get($newest)->header('etag');
$accession = load_filing(2);
ok(wait_until(20 * patience(), sub { ($plain->get($newest)->header('etag') // $held) ne $held }), 'while the replica stands still the primary has another tag');
my $tag_now = $plain->get($newest)->header('etag');
my @wrong;
for (1 .. 20) {
    my $response = $site->get($newest);
    push @wrong, $response->describe if $response->status != 200 || ($response->header('etag') // '') eq $tag_now && $response->body !~ /$accession/
        || $response->body !~ /"source_provider":"/;
}
is(join("\n", @wrong), '', '... no response has it on older rows, and each row has its source');
eval { $replica->execute_apart('postgres', 'SELECT pg_wal_replay_resume()') };    # recovery may cancel it, once it has done that
ok(wait_until(20 * patience(), sub { ($site->get($newest)->header('etag') // '') eq $tag_now }), '... the replica goes on, and so does the tag');

# The coordinator is gone: what was asked for goes on.
status_is($site->get($list), 200, 'before: a list of a company');
$site->{log}->permit(qw(DSC0002 DSC0020 DSC0010));
$coordinator->stop;
is(join(' ', map { $site->get($_)->status } $list, $newest, $list), '200 200 200', 'the coordinator is gone: reads go on');
$coordinator->start;
ok(wait_until(20 * patience(), sub { $plain->get($list)->status == 200 && $site->get($list)->status == 200 }), '... it is back');

# --- a replica of a worker ------------------------------------------------------------------------

my $standby = replica_of($second, settings => "citus.local_hostname = '$second->{directory}'\n");
$plain->{log}->permit(qw(DSC0002 DSC0020 DSC0010));
my ($away) = grep { $_->{node} eq $second->{directory} } $coordinator->rows('spread', <<'END');
SELECT i.symbol, p.nodename AS node FROM issuer i JOIN pg_dist_shard_placement p
  ON p.shardid = get_shard_id_for_distribution_column('disclosed_shards.insider_transaction', i.issuer_id)
WHERE i.symbol IN (SELECT i.symbol FROM insider_transaction t JOIN issuer i USING (issuer_id))
END
my $of_second = "/v1/companies/$away->{symbol}/insider?limit=5";
my $before = said($plain->get($of_second));
ok($second->is_replayed_by(20 * patience(), $standby), 'a replica of a worker has what it has');
$second->stop;
problem_is($plain->get($of_second), 503, 'a worker is lost: 503 for its companies', instance => $of_second =~ s/\?.*//r);
status_is($site->get($of_second), 200, '... but by way of the replica, which has them as well') for 1 .. 3;
$standby->program('pg_ctl', '-D', "$standby->{directory}/data", '-w', '-s', 'promote');
$coordinator->execute_apart('spread', "SELECT citus_update_node(nodeid, '$standby->{directory}', 5432) FROM pg_dist_node WHERE nodename = '$second->{directory}'");
ok(wait_until(20 * patience(), sub { $plain->get($of_second)->status == 200 }), '... its replica is promoted, and named in its place: they are served again');
is(said($plain->get($of_second)), $before, '... the same bytes');
load_filing(3);
ok(wait_until(20 * patience(), sub { $plain->get($newest)->body =~ /0009999999-26-000003/ }), '... and loads go there');

# --- what is refused ------------------------------------------------------------------------------

sub set_secondary_nodes
{
    my ($sql) = @_;
    $coordinator->execute_apart('postgres', $_) for "ALTER SYSTEM $sql", 'SELECT pg_reload_conf()';
}

set_secondary_nodes("SET citus.use_secondary_nodes = 'always'");
wait_until(10, sub { $coordinator->execute_apart('spread', 'SHOW citus.use_secondary_nodes') eq "always\n" });
for my $option (qw(--plan --apply)) {
    my ($code, undef, $reason) = control($coordinator->conninfo('spread'), 'distribute', $option);
    is($code, 1, "citus.use_secondary_nodes, by which workers' replicas are read, is refused by $option");
    like($reason, qr/citus\.use_secondary_nodes is always: workers' replicas may be behind/, '... with a reason');
}
set_secondary_nodes('RESET citus.use_secondary_nodes');
log_is_clean($_, 'nothing else is logged') for $plain, $site;
finish();

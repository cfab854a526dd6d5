# PostgreSQL is short of something, beside requests: of connections, which others have used up; of disk. Clients get 200 or a 503 with
# Retry-After, nothing of a load that fails is stored, webhooks arrive, and all goes on when there is enough again.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Kill qw(begin_with_own_mounts);
BEGIN { begin_with_own_mounts() }
use Disclosed::Test qw(without_cache own_sessions);
use Disclosed::Build qw(build);
use Disclosed::Load;
use Disclosed::MadeFiles qw(made_filing_lines);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(control fresh own_cluster workspace);
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes qw(sleep time);

my $disk = Disclosed::Kill::mount_disk();
my $folder;
if ($disk) {
    $folder = "$disk/data";
    Disclosed::Cluster::make_folder($folder);
}
my $cluster = own_cluster(files => $folder, initdb => ['--wal-segsize=1'], settings => <<'END');
fsync = on
synchronous_commit = on
shared_buffers = 16MB
min_wal_size = 2MB
max_wal_size = 32MB
max_connections = 14
superuser_reserved_connections = 3
END
$cluster->create_database('own');
for my $step (['migrate'], ['demo', '--companies', '6']) {
    my ($code, $out, $err) = control($cluster->conninfo('own'), @$step);
    is($code, 0, "disclosedctl @$step") or diag $out, $err;
}
my $receiver;
if (!grep { !-e build('MODULES_DIR') . "/mod_$_.so" } qw(ssl proxy_http)) {
    my $directory = workspace() . '/' . fresh('receiver');
    mkdir $directory;
    $receiver = Disclosed::Receiver->start($directory);
}
my $site = site(cluster => $cluster, database => 'own', pool => 4, processes => 1, threads => 12, config => $receiver ? $receiver->config : '');
my @targets = ('/v1/companies?limit=3', '/v1/insider?limit=20', '/v1/filings?limit=5');

sub is_back
{
    my ($name) = @_;
    for my $target (@targets) {
        ok(wait_until(10 * patience(), sub { $site->get($target)->status == 200 }), "$name: 200 $target");
    }
}

# That load's answers are what clients may get; returns how many were 200 and 503.
sub are_proper
{
    my ($name, @answers) = @_;
    my %count = (200 => 0, 503 => 0);
    $count{ $_->{status} }++ for @answers;
    note "$name: ", join ', ', map { "$count{$_} times $_" } sort keys %count;
    is_deeply([grep { $_->{fault} ne '' || $_->{status} != 200 && $_->{status} != 503 } @answers], [], "$name: nothing but whole 200 and 503");
    is_deeply([grep { $_->{status} == 503 && $_->{retry_after} !~ /^[1-9]\d*\z/ } @answers], [], '... with Retry-After');
    return @count{ 200, 503 };
}

# --- webhooks ------------------------------------------------------------------------------------

my $json = Disclosed::JSON->new->utf8->canonical;
my $cik = $cluster->value('own', 'SELECT cik FROM disclosed.issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');

# Loads a filing that endpoints are told of, by its form, as the many lines of other loads are not: its accession number.
sub load_news
{
    state $number = 0;
    my $accession = sprintf '0009999999-26-%06d', ++$number;
    my ($code, $out, $err) = control($cluster->conninfo('own', 'postgres'), 'import', 'ndjson', $site->write('news.ndjson', $json->encode({ dataset => 'filing', cik => $cik + 0, form => '10-K',
        filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => $accession } }) . "\n"));
    is($code, 0, 'news are loaded') or diag $out, $err;
    return $accession;
}

# A delivery that is on its way, to an endpoint of its own: what received() takes.
sub begin_delivery
{
    my ($name) = @_;
    my $target = "/held/$name";
    is($site->post('/v1/webhook-endpoints', { url => $receiver->url($target), topics => ['filing.created'], forms => ['10-K'] })->status, 200, 'an endpoint');
    my $accession = load_news();
    $receiver->wait_for($target, 1, 20 * patience());
    is(scalar $receiver->received($target), 1, '... a delivery is on its way');
    return { name => $name, target => $target, news => [$accession] };
}

# Each of the news arrives, and no delivery is left over; a delivery whose result could not be noted may come twice, with one id.
sub has_all
{
    my ($delivery) = @_;
    my $left = q{SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome IS DISTINCT FROM 'delivered'};
    my $come = sub { my %come = map { ($json->decode($_->{body})->{data}{accession} => 1) } $receiver->received($delivery->{target}); return scalar keys %come };
    # News are no deliveries yet while the delivery worker has no connection.
    ok(wait_until(90 * patience(), sub { $come->() >= $delivery->{news}->@* && $cluster->value('own', $left) == 0 }), 'deliveries are over, and none has failed')
        or diag $json->encode([$site->rows("SELECT * FROM disclosed.webhook_delivery WHERE outcome IS DISTINCT FROM 'delivered'")]);
    my %ids;
    $ids{ $json->decode($_->{body})->{data}{accession} }{ $_->{headers}{'webhook-id'} } = 1 for $receiver->received($delivery->{target});
    is_deeply({ map { ($_ => scalar keys $ids{$_}->%*) } keys %ids }, { map { ($_ => 1) } $delivery->{news}->@* }, '... the receiver has each of the news, with one id');
}

# --- connections ---------------------------------------------------------------------------------

# As many sessions as PostgreSQL gives to somebody who is no superuser.
sub use_up
{
    my @pids;
    for (1 .. 16) {
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            open STDOUT, '>', '/dev/null';
            open STDERR, '>', '/dev/null';
            exec build('PGBIN') . '/psql', '-Xq', '-d', $cluster->conninfo('own', 'disclosed_api') . ' application_name=others', '-c', 'SELECT pg_sleep(300)' or POSIX::_exit(127);
        }
        push @pids, $pid;
    }
    wait_until(20 * patience(), sub {
        my $number = $cluster->value('postgres', "SELECT count(*) FROM pg_stat_activity WHERE usename = 'disclosed_api'");
        return $number >= 11;
    }) or die 'the others do not get what connections there are';
    return @pids;
}

sub give_back
{
    $cluster->value('postgres', q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'others'});
    waitpid $_, 0 for @_;
}

ok($site->wait_until_watched, 'the background process has its connection');
my $delivery = $receiver ? begin_delivery('connections') : undef;
$cluster->value('postgres', q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name IN ('mod_disclosed', 'mod_disclosed delivery worker')});
my @others = use_up();
expect_log($site, 'DSC0002');
problem_is($site->get($targets[0]), 503, 'no connection is to be had: 503', instance => '/v1/companies');
like($site->{log}->unread, qr/DSC0002: .*(?:too many clients|remaining connection slots)/, '... the log says why');
if ($receiver) {
    $site->{log}->permit("DSC0002");
    push $delivery->{news}->@*, load_news(); # as the superuser, for whom there are connections
    $receiver->release('connections');
    sleep 2;
}
give_back(@others);
is_back('there are connections again');
has_all($delivery) if $receiver;

@others = use_up();
$site->{log}->permit('DSC0002');
is_deeply([grep { $_ != 200 } map { $site->get($_)->status } (@targets) x 3], [], 'one that it has serves all, in turn');
my $load = Disclosed::Load->start($site, clients => 6, targets => \@targets);
sleep 2;
my ($good, $refused) = are_proper('more clients than connections', $load->stop);
cmp_ok($good, '>', 20, '... they wait for the one');
is($refused, 0, '... and each gets it');
give_back(@others);
is_back('there are connections for all');
log_is_clean($site, 'the log has the shortage');

# --- disk ----------------------------------------------------------------------------------------

SKIP: {
    skip 'NOT TESTED: a full disk, as none may be mounted here', 12 if !$disk;
    mkdir my $made = workspace() . '/' . fresh('lines');
    my $lines = made_filing_lines($made, 3000);
    my $filings = 'SELECT count(*) FROM disclosed.filing';
    $delivery = begin_delivery('disk') if $receiver;
    my $before = $cluster->value('own', $filings);
    $site->{log}->permit(qw(DSC0002 DSC0003 DSC0004 DSC0020 DSC0024));
    $load = Disclosed::Load->start($site, clients => 3, pause => 0.02, targets => \@targets);
    Disclosed::Kill::resize_disk({ disk => $disk }, Disclosed::Kill::disk_used({ disk => $disk }) + 600);
    my ($code, $out, $err) = $site->control('import', 'ndjson', $lines);
    isnt($code, 0, 'a load fails when the disk is full');
    like($err, qr/No space left on device|the database|PostgreSQL|connection/, '... and says so') or diag $err;
    note $err;
    $receiver->release('disk') if $receiver;
    sleep 1;
    Disclosed::Kill::resize_disk({ disk => $disk }, 4096 * 1024);
    is_back('there is room again');
    ($good, $refused) = are_proper('beside a full disk', $load->stop);
    cmp_ok($good, '>', 20, '... and some are served');
    is($cluster->value('own', $filings), $before, 'nothing of the load is there');
    ($code, $out, $err) = $site->control('import', 'ndjson', $lines);
    is($code, 0, 'the same command loads it now') or diag $out, $err;
    cmp_ok($cluster->value('own', $filings), '>', $before, '... and it is there');
    has_all($delivery) if $receiver;
}

finish();
$cluster->stop;

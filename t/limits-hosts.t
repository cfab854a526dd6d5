# Counts of limits where processes crash, PostgreSQL is away, and several hosts share a database.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Pace qw(stay_in_day);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(own_cluster control);
use POSIX ();
use Time::HiRes qw(sleep);

my $limits = "DisclosedAddressLimit 1000000/s 100000\nDisclosedPlan enterprise rate=1000000/s burst=100000 day=unlimited\n"
    . "DisclosedPlan counted rate=1000000/s burst=100000 day=700\n";
# A cluster of its own, since it is stopped.
my $cluster = own_cluster();
$cluster->create_database('own');
stay_in_day(90);
for my $step (['migrate'], ['demo', '--companies', 3]) {
    my ($code, $out, $err) = control($cluster->conninfo('own'), @$step);
    die "@$step: $err" if $code != 0;
}

my $site = site(cluster => $cluster, database => 'own', limits => $limits, processes => 4, threads => 8,
    config => metrics_location());

# What the database has of a key's account.
sub stored_sql
{
    my ($key) = @_;
    return "SELECT coalesce(sum(requests), 0) FROM disclosed.account_day WHERE account_id = (SELECT account_id FROM disclosed.api_key"
        . " WHERE key_id = '" . substr($key, 8, 8) . "')";
}

# --- crashes ----------------------------------------------------------------------------------

my $crashed = $site->own_key('counted');
my $stored = stored_sql($crashed);
sub spend { my ($count) = @_; return grep { $_ == 200 } map { $site->get('/v1/companies?limit=1', key => $crashed)->status } 1 .. $count }

is(spend(50), 50, '50 requests');
my ($worker) = $site->worker_pids;
kill 'KILL', $worker;
ok(wait_until(5, sub { !grep { $_ == $worker } $site->worker_pids }), 'a worker is killed');
is(spend(10), 10, 'ten more');
my $left = $site->get('/v1/companies?limit=1', key => $crashed)->header('x-ratelimit-remaining');
is($left, 700 - 61, 'nothing of the count is lost with the worker');
my $watcher = $site->watcher_pid;
kill 'KILL', $watcher;
ok(wait_until(5, sub { my $new = $site->watcher_pid; $new && $new != $watcher }), 'the background process is killed and comes back');
is(spend(10), 10, 'ten more');
ok(wait_until(8, sub { $site->value($stored) >= 71 }), 'the counts reach the database') or diag $site->value($stored);
cmp_ok($site->value($stored), '<=', 71 + 61, 'what the child had on its way counts twice at most');

$site->{cluster}->stop;
expect_log($site, 'DSC0002', 'DSC0020');
my @away = map { $site->get('/v1/companies?limit=1', key => $crashed) } 1 .. 5;
is(scalar(grep { $_->status == 503 && length($_->header('x-ratelimit-limit') // '') && $_->header('ratelimit') } @away), 5, 'a 503 tells the limits too');
$site->{cluster}->start;
# Each process finds out for itself, within a second.
ok(wait_until(10, sub { !grep { $site->get('/v1/companies?limit=1', key => $crashed)->status != 200 } 1 .. 8 }), 'PostgreSQL comes back');
is(spend(5), 5, 'five more');
my $known = 700 - $site->get('/v1/companies?limit=1', key => $crashed)->header('x-ratelimit-remaining');
ok(wait_until(10, sub { $site->value($stored) >= $known }), "and the counts are stored after the outage: $known");
$site->stop;
is($site->value($stored), $known, 'to the last, when httpd stops');
$site->start;
is(700 - $site->get('/v1/companies?limit=1', key => $crashed)->header('x-ratelimit-remaining'), $known + 1, 'and go on from there');

# --- what storing costs -------------------------------------------------------------------------

my $row = "SELECT string_agg(xmin::text, ' ' ORDER BY account_id, kind, day) FROM disclosed.account_day";
sleep 5;
my $stored_once = $site->value($row);
sleep 5;
is($site->value($row), $stored_once, 'what has not changed is not stored again');

# A database that takes long to store counts is looked at all the same: keys and versions are known, and ETags sent.
$site->execute(<<'END');
CREATE FUNCTION disclosed.take_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.7); RETURN NULL; END $$;
CREATE TRIGGER take_long AFTER INSERT OR UPDATE ON disclosed.account_day FOR EACH STATEMENT EXECUTE FUNCTION disclosed.take_long();
END
my @ages;
for (1 .. 50) {
    spend(1);
    push @ages, $site->get('/metrics', key => undef)->body =~ /^disclosed_database_seen_age_seconds\{database="0"\} (\S+)$/m;
    sleep 0.15;
}
$site->execute('DROP TRIGGER take_long ON disclosed.account_day');
is(scalar @ages, 50, 'the age of what was seen');
is_deeply([grep { $_ > 1.5 } @ages], [], '... while counts are stored') or diag "@ages";
$site->stop;

# --- several hosts ----------------------------------------------------------------------------

# Until what hosts have counted is stored: each stores its own every two seconds.
sub wait_until_stored
{
    my ($key, $count) = @_;
    return ok(wait_until(10, sub { $site->value(stored_sql($key)) >= $count }), "$count requests are stored");
}

my @hosts = map { Disclosed::Site->new(limits => $limits, cluster => $site->{cluster}, database => $site->{database}) } 1 .. 2;
my $shared = $site->own_key('counted');
for my $round (1 .. 3) {
    for my $host (@hosts) {
        $host->get('/v1/companies?limit=1', key => $shared) for 1 .. 40;
    }
    wait_until_stored($shared, 80 * $round);
}
sleep 6; # each stores once more, every two seconds, and hears of all
my @remaining = map { $_->get('/v1/companies?limit=1', key => $shared)->header('x-ratelimit-remaining') } @hosts;
is($remaining[0], 700 - 241, 'a host knows what the other has counted');
is($remaining[1], 700 - 241, '... and the other, but for what the first has just counted');
wait_until_stored($shared, 242);
sleep 6;
# Both at once, as fast as they can: the overshoot is what one lets through before it hears of the other.
my @pids = map {
    my $host = $_;
    my $pid = fork() // die "fork: $!";
    if (!$pid) {
        my $good = grep { $host->get('/v1/companies?limit=1', key => $shared)->status == 200 } 1 .. 600;
        $host->write('good', $good);
        POSIX::_exit(0);
    }
    $pid;
} @hosts;
waitpid $_, 0 for @pids;
my $good = 242;
for my $host (@hosts) {
    open my $file, '<', "$host->{root}/good" or die $!;
    $good += <$file>;
}
cmp_ok($good, '>=', 700, "two hosts together let $good of 700 through: not fewer");
cmp_ok($good, '<=', 700 + 600, '... and no more above it than one lets through in two or three seconds');
ok(wait_until(5, sub { !grep { $_->get('/v1/companies?limit=1', key => $shared)->status == 200 } @hosts }), 'then both refuse');

finish();
$cluster->stop;

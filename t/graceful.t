# Restarts of httpd under load, and the background process through all of them.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Test;
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Load;
use Disclosed::Pace qw(working_time);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until is_alive run slurp);
use Disclosed::Proxy;
use IO::Socket::IP;
use Time::HiRes qw(sleep time);

my $site = site(config => "MaxRequestsPerChild 0\n" . metrics_location());
my @targets = ('/v1/companies?limit=3', '/v1/insider?limit=20', '/v1/companies/ZEMRUZ');

# How often httpd has come up.
sub generations
{
    open my $log, '<', "$site->{root}/logs/error_log" or return 0;
    return scalar grep { /AH00489|AH00493|resuming normal operations/ && /resuming/ } <$log>;
}

# Restarts httpd; returns the seconds until the new generation is up.
sub restart
{
    my ($how) = @_;
    my $before = generations();
    my $start  = working_time();
    my ($code, $output) = $site->httpd('-k', $how);
    is($code, 0, "httpd -k $how") or diag $output;
    wait_until(15, sub { generations() > $before }) or fail("no new generation after $how");
    return working_time() - $start;
}

sub uid_of
{
    my ($pid) = @_;
    open my $status, '<', "/proc/$pid/status" or return -1;
    my ($uids) = grep { /^Uid:/ } <$status>;
    return ($uids =~ /(\d+)/g)[1];
}

# --- the background process -----------------------------------------------------------------------

my $watcher = $site->watcher_pid;
ok($watcher, 'there is one child that watches');
if ($> == 0) {
    isnt(uid_of($watcher), 0, 'it is not root');
    is(uid_of($watcher), uid_of(($site->worker_pids)[0]), 'but the user of the others');
}
for my $signal (qw(KILL TERM INT)) {
    my $old = $site->watcher_pid;
    kill $signal, $old;
    ok(wait_until(5, sub { my $new = $site->watcher_pid; $new && $new != $old }), "killed by $signal, it is started again");
    ok($site->wait_until_watched, '... and watches');
    sleep 2.1; # one that lives for two seconds has no penalty to wait for
}
for my $signal (qw(HUP USR1 WINCH PIPE)) {
    kill $signal, $site->watcher_pid;
}
my $same = $site->watcher_pid;
sleep 0.7;
is($site->watcher_pid, $same, 'signals that httpd gets from its terminal or its admin do not end it');
log_is_clean($site, 'no trouble in the log');

# A crash is told by its stack, as the machine of a check keeps no core: httpd runs its MPM there.
SKIP: {
    skip 'a sanitizer or valgrind has a report of its own', 4 if build('SANITIZERS') || $ENV{DISCLOSED_VALGRIND};
    skip 'NOT TESTED: stacks of crashes (make t/crash_stack.so)', 4 if !-e build('BUILDDIR') . '/t/crash_stack.so';
    my $log = "$site->{root}/logs/error_log";
    kill 'SEGV', my $crashed = ($site->worker_pids)[0];
    ok(wait_until(10, sub { slurp($log) =~ /AH00052: child pid $crashed exit signal Segmentation fault/ }), 'a process crashes');
    like(slurp($log), qr/^crash stack: process $crashed, signal 11\n(?:crash stack: \S+ 0x[0-9a-f]+ \w*\n)*crash stack: \S+ 0x[0-9a-f]+ ap_run_mpm\n/m, '... and its stack is in the log');
    is($site->get('/v1/companies?limit=1')->status, 200, '... while others serve');
    expect_log($site, 'AH00052');
    log_is_clean($site, '... which is no clean one without that');
}

# What a new one lacks for a moment, it need not lack for ever.
SKIP: {
    my %taken = map { m{(\d+)$} ? ($1 => 1) : () } glob "/proc/$site->{pid}/fd/*";
    my ($free) = grep { !$taken{$_} } 0 .. keys %taken;
    my ($limits) = map { /^Max open files\s+(\d+)\s+(\d+)/ ? "$1:$2" : () } split /\n/, slurp("/proc/$site->{pid}/limits");
    my ($denied) = run('prlimit', "--pid=$site->{pid}", "--nofile=$free:");
    skip 'no prlimit', 4 if $denied;
    kill 'KILL', $site->watcher_pid;
    ok(wait_until(10, sub { slurp("$site->{root}/logs/error_log") =~ /\(24\).*DSC0022: the background process could not be started/ }), 'without descriptors none is started, and the log says why');
    is($site->watcher_pid, undef, '... there is none');
    run('prlimit', "--pid=$site->{pid}", "--nofile=$limits");
    ok(wait_until(30 * patience(), sub { $site->watcher_pid }), '... and when there are some again, one is');
    ok($site->wait_until_watched, '... which watches');
    expect_log($site, 'DSC0022');
}

# --- graceful --------------------------------------------------------------------------------

my $late = make_key('live');
$site->execute(insert_key_sql($late, 'builder'));
my $load = Disclosed::Load->start($site, clients => 6, targets => \@targets);
sleep 0.5;
my @seconds;
for (1 .. 4) {
    my $old = $site->watcher_pid;
    push @seconds, restart('graceful');
    ok(wait_until(5, sub { my $new = $site->watcher_pid; $new && $new != $old && !is_alive($old) }), 'the child is a new one, the old one has gone');
    sleep 0.4;
}
my @answers = $load->stop;
cmp_ok(scalar @answers, '>', 200, scalar(@answers) . ' requests while httpd was restarted gracefully');
is_deeply([grep { $_->{status} != 200 || $_->{fault} ne '' } @answers], [], 'none is lost');
is_deeply([grep { $_ > 2 } @seconds], [], 'no restart hangs: ' . join ', ', map { sprintf '%.2f s', $_ } @seconds);
log_is_clean($site, 'nothing in the log');

# The cache of keys outlives it: no key can be looked up now, but those that were seen are known.
$site->get('/v1/companies?limit=1') for 1 .. 5;
my $held = $site->{cluster}->hold($site->{database}, 'LOCK TABLE disclosed.api_key IN ACCESS EXCLUSIVE MODE');
restart('graceful');
sleep 1; # until the new child has looked at the database
is($site->get('/v1/companies?limit=1')->status, 200, 'shared memory survives a graceful restart');
$site->{cluster}->release($held);
is($site->get('/v1/companies?limit=1', key => $late)->status, 200, 'other keys are found as before');

# Processes that are leaving have no background process that they could call, and wait for none: what it saw last is a while ago here.
my $bearer = $site->{keys}{enterprise};
my @begun = map { IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $site->{port}) // die "connect: $@" } 1 .. 4;
print $_ "GET /v1/companies?limit=1 HTTP/1.1\r\nHost: localhost\r\n" for @begun;
sleep 0.3;
restart('graceful');
ok($site->wait_until_watched, 'a restart while four requests are coming in');
my (@lines, @waits);
for my $socket (@begun) {
    sleep 0.7;
    $site->get('/v1/companies?limit=1'); # it looks
    sleep 0.2;
    kill 'STOP', my $stopped = $site->watcher_pid;
    sleep 1.9;
    my $begin = time;
    print $socket "Authorization: Bearer $bearer\r\nConnection: close\r\n\r\n";
    push @lines, scalar readline $socket;
    push @waits, time - $begin;
    kill 'CONT', $stopped;
}
is(join('', @lines), "HTTP/1.1 200 OK\r\n" x 4, '... which then get their responses');
cmp_ok(scalar(grep { $_ >= 0.25 } @waits), '<=', 2, join ' ', '... at once:', map { sprintf '%.3f s', $_ } @waits);

# --- restart ---------------------------------------------------------------------------------

$load = Disclosed::Load->start($site, clients => 4, targets => \@targets);
sleep 0.5;
my $slow = restart('restart');
sleep 1;
@answers = $load->stop;
is_deeply([grep { $_->{status} != 200 && $_->{status} != 0 } @answers], [], 'a hard restart may cut a connection, but never answers wrongly');
is_deeply([grep { $_->{status} == 200 && $_->{fault} ne '' } @answers], [], 'nor by half');
cmp_ok($slow, '<', 3, sprintf 'a hard restart takes %.2f s', $slow);
$held = $site->{cluster}->hold($site->{database}, 'LOCK TABLE disclosed.api_key IN ACCESS EXCLUSIVE MODE');
is($site->get('/v1/companies?limit=1')->status, 200, 'shared memory survives that as well');
$site->{cluster}->release($held);

# A child that was started again after a crash stops as well as the first.
kill 'KILL', my $old = $site->watcher_pid;
wait_until(5, sub { my $new = $site->watcher_pid; $new && $new != $old });
cmp_ok(restart('graceful'), '<', 2, 'a graceful restart after a crash of the child does not hang');
ok($site->wait_until_watched, 'and all is well');

# An endpoint that is switched off meanwhile is gone for new requests.
$site->{config} .= "DisclosedEndpoint get_coverage Off\n";
$site->configure;
restart('graceful');
ok(wait_until(5, sub { $site->get('/v1/coverage')->status == 404 }), 'a graceful restart reads the configuration');

# Another string is another database: of the one that no server names any more, nothing grows old in the metrics.
sub databases { return join ' ', sort $site->get('/metrics', key => undef)->body =~ /^disclosed_database_seen_age_seconds\{database="(\d+)"\}/gm }
my $conninfo = $site->conninfo('disclosed_api');
my $before = $site->module_config;
is(databases(), '0', 'one database');
$site->{module_config} = $before =~ s/\Q$conninfo\E/$conninfo keepalives_count=3/r;
$site->configure;
restart('graceful');
ok(wait_until(10, sub { databases() eq '1' }), '... and another instead of it, by its string') or diag databases();
is($site->get('/v1/companies?limit=1')->status, 200, '... that is served');
$site->{module_config} = $before;
$site->configure;
restart('graceful');
ok(wait_until(10, sub { databases() eq '0' }), '... and back') or diag databases();

# httpd does not end for want of a cache that cannot be made: it goes on without.
my $configured = $site->{config};
my $library = build('MODULES_DIR') . '/mod_socache_dbm.so';
SKIP: {
    skip 'this httpd has no mod_socache_dbm', 5 if !-e $library;
    $site->{config} = "LoadModule socache_dbm_module $library\nDisclosedCache dbm:/nonexistent/x\n$configured";
    $site->configure;
    expect_log($site, 'DSC0038', 'AH00804');
    for my $how (qw(graceful restart)) {
        restart($how);
        ok(wait_until(10, sub { $site->get('/v1/companies?limit=1')->status == 200 }), "a cache that cannot be made, at $how");
    }
    log_is_clean($site, '... is told');
}

# Nor does httpd end where a restart, and another one soon after, replace all databases and replicas that it has places for.
my $hosts = sub { my ($name) = @_; return join '', map { "<VirtualHost *>\nServerName h$_.example\nDisclosedBaseURL http://h$_.example\nDisclosedDatabase \"host=/nonexistent/$name$_ dbname=x\"\n"
            . "DisclosedReadDatabase \"host=/nonexistent/$name$_,/nonexistent/x$name$_ dbname=x\"\n</VirtualHost>\n" } 1 .. 15 };
$site->{log}->permit('DSC0020', 'DSC0061');
for my $name (qw(a b c)) {
    $site->{config} = $configured . "<VirtualHost *>\nServerName main\n</VirtualHost>\n" . $hosts->($name);
    $site->configure;
    restart('graceful');
    is($site->get('/v1/companies?limit=1')->status, 200, "fifteen other databases: $name");
}
$site->{config} = $configured;
$site->configure;
restart('graceful');
is($site->get('/v1/companies?limit=1')->status, 200, '... and none of them');

# --- processes that connect -----------------------------------------------------------------

# A new process has no connections yet. Where they take their time, all requests of an account wait for them, also those that would be too many
# behind statements that take theirs.
my $proxy = Disclosed::Proxy->start($site->{cluster});
my $cold = Disclosed::Site->new(threads => 8, processes => 1, pool => 2, start => 0);
$cold->{module_config} = "DisclosedEngine On\nDisclosedCache Off\nDisclosedDatabase \"@{[ $proxy->conninfo($cold->{database}, 'disclosed_api') ]}\"\nDisclosedDatabasePool 2\nDisclosedSecretFile conf/secret\n";
$cold->start;
my $connected = "FROM pg_stat_activity WHERE datname = '$cold->{database}' AND application_name =";
for my $what ('connections that are new', 'connections that were lost') {
    is($cold->get('/v1/openapi.json')->status, 200, 'the key is known');
    if ($what =~ /new/) {
        my $watched = wait_until(10, sub { $cold->value("SELECT max(pid) $connected 'mod_disclosed watcher'") });
        is(($cold->httpd('-k', 'graceful'))[0], 0, 'a graceful restart');
        ok(wait_until(10, sub { $cold->value("SELECT count(*) $connected 'mod_disclosed watcher' AND pid <> $watched AND query <> ''") }), '... and its background process watches');
        ok(!$cold->value("SELECT count(*) $connected 'mod_disclosed'"), '... while no process is connected that serves');
    } else { # until what is watched is new, and so no connection was needed for the key
        ok(wait_until(10, sub { $cold->value("SELECT count(pg_terminate_backend(pid)) $connected 'mod_disclosed'"); $cold->get('/v1/openapi.json'); !$cold->value("SELECT count(*) $connected 'mod_disclosed'") }), 'none is connected');
    }
    $proxy->freeze;
    my @four = map { IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $cold->{port}) // die "connect: $@" } 1 .. 4;
    print $_ "GET /v1/companies?limit=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $cold->{keys}{enterprise}\r\nConnection: close\r\n\r\n" for @four;
    sleep 0.4;
    $proxy->forward;
    is(join('', map { scalar readline $_ } @four), "HTTP/1.1 200 OK\r\n" x 4, "four requests of one account, $what");
}
log_is_clean($cold, 'nothing in the log');
$cold->stop;

# --- the end ---------------------------------------------------------------------------------

$watcher = wait_until(5, sub { $site->watcher_pid });
my @workers = $site->worker_pids;
my $start = working_time();
ok($site->stop, 'httpd stops');
cmp_ok(working_time() - $start, '<', 3, 'soon');
ok(wait_until(3, sub { !grep { is_alive($_) } $watcher, @workers }), 'and all its processes with it');

finish();

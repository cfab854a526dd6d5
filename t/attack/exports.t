# Long exports whose clients read slowly or not at all: they hold threads, up to a part of them, and an account up to a part of that. Others
# are served; who reads too slowly is cut off; who goes away leaves nothing behind.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Attack qw(times_of);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(database);
use Socket qw(AF_INET INADDR_LOOPBACK SOCK_STREAM SOL_SOCKET SO_RCVBUF pack_sockaddr_in);
use Time::HiRes qw(sleep time);

# The system would take in all of an export of the demo: its buffers are made small.
my $threads = 8;
my $site = site(threads => $threads, processes => 1, cached => 0, sanitizer => 'quarantine_size_mb=1', config => "SendBufferSize 8192\nTimeout 300\n");
my $target = '/v1/insider?limit=100000';
my $key = $site->{keys}{enterprise};
my $whole = $site->get($target, key => $key, headers => { Accept => 'text/csv' });
is($whole->status, 200, 'an export');
cmp_ok(length $whole->body, '>', 1_000_000, '... of a megabyte');

# A client that asks and reads nothing.
sub silent
{
    my ($of, $asked, $version) = @_;
    $asked //= $site;
    $version //= '1.1';
    socket my $socket, AF_INET, SOCK_STREAM, 0 or die "socket: $!";
    setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 2048 or die "setsockopt: $!";
    connect $socket, pack_sockaddr_in($asked->{port}, INADDR_LOOPBACK) or die "connect: $!";
    syswrite $socket, "GET $target HTTP/$version\r\nHost: x\r\nAuthorization: Bearer $of\r\nAccept: text/csv\r\nConnection: close\r\n\r\n";
    return $socket;
}

my @silent = map { silent($key) } 1 .. 5 * $threads;
sleep 1;
my @times = times_of(20, sub { $site->get('/v1/companies?limit=1', key => $site->{keys}{builder})->status == 200 or die 'not served' });
cmp_ok($times[-1], '<', 1 * patience(), 'others are served beside clients that read nothing: at most ' . sprintf('%.2f s', $times[-1]));
my $refused = $site->get($target, key => $key, headers => { Accept => 'text/csv' });
problem_is($refused, 429, 'another export of the account has to wait', detail => 'Too many exports at once; see the Retry-After header.', instance => '/v1/insider');
is($site->get('/v1/insider?limit=500', key => $key, headers => { Accept => 'text/csv' })->status, 200, '... what comes as one piece has not');
my $other = $site->own_key('enterprise');
is($site->get($target, key => $other, headers => { Accept => 'text/csv' })->body, $whole->body, '... nor has an export of another account');
is($site->value("SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND application_name LIKE 'mod_disclosed%' AND state <> 'idle' AND pid <> pg_backend_pid()"), 0, 'no connection to PostgreSQL is held');
my @others = map { silent($site->own_key('enterprise')) } 1 .. $threads;
sleep 0.5;
is($site->get($target, key => $other, headers => { Accept => 'text/csv' })->status, 429, 'all of them have no more than a part of the threads');
is($site->get('/v1/companies?limit=1')->status, 200, '... and the rest is for others');

# Those that have not been refused go away, in the middle of their responses.
close $_ for @silent, @others;
@silent = @others = ();
ok(wait_until(10 * patience(), sub { $site->get($target, key => $key, headers => { Accept => 'text/csv' })->status == 200 }), 'when they are gone, exports are served');

# Whatever went away has given its place back: the account's are all there, and no more.
for (1 .. 30) { my $client = silent($key); sleep 0.02; close $client }
ok(wait_until(10 * patience(), sub { $site->get($target, key => $key, headers => { Accept => 'text/csv' })->status == 200 }), 'exports that are cut one after the other');
@silent = map { silent($key) } 1 .. $threads / 4 - 1;
sleep 0.5;
is($site->get($target, key => $key, headers => { Accept => 'text/csv' })->status, 200, '... leave the account all of its places');
push @silent, silent($key);
sleep 0.5;
is($site->get($target, key => $key, headers => { Accept => 'text/csv' })->status, 429, '... and no more than these');
close $_ for @silent;
ok(wait_until(10 * patience(), sub { $site->get($target, key => $key, headers => { Accept => 'text/csv' })->status == 200 }), '... which come free, too');

# Read slowly, but read: it is cut off, and the client sees that. HTTP/1.0 has no chunks: there the end of the connection would be the
# end of the body, so it is reset.
for my $version ('1.1', '1.0') {
    my $slow = silent($key, $site, $version);
    my ($bytes, $began, $ended) = ('', time, '');
    while (time - $began < 60 * patience()) {
        my $got = sysread $slow, $bytes, 512, length $bytes;
        if (!$got) { $ended = defined $got ? 'closed' : $!{ECONNRESET} ? 'reset' : "$!"; last }
        sleep 0.5;
    }
    like($ended, $version eq '1.0' ? qr/^reset$/ : qr/^(?:closed|reset)$/, "HTTP/$version: one that is read at 1,000 bytes a second is ended") or diag length $bytes;
    cmp_ok(time - $began, '<', 45 * patience(), '... after some ' . sprintf('%d s', time - $began));
    like($bytes, qr/^HTTP\/1\.1 200 OK\r\n/, '... had begun');
    ($version eq '1.1' ? \&like : \&unlike)->($bytes, qr/\r\nTransfer-Encoding: chunked\r\n/, '... in chunks, if the client knows them');
    unlike($bytes, qr/\r\n0\r\n\r\n\z/, '... and has no end');
}
is($site->get($target, key => $key, headers => { Accept => 'text/csv' })->body, $whole->body, 'the next is served');

# Not read at all: their threads are for others after ten seconds, whatever httpd's Timeout is.
@silent = map { silent($key) } 1 .. $threads / 4;
sleep 0.5;
is($site->get($target, key => $key, headers => { Accept => 'text/csv' })->status, 429, 'clients that read nothing have all places of the account');
ok(wait_until(45 * patience(), sub { sleep 1; $site->get($target, key => $key, headers => { Accept => 'text/csv' })->status == 200 }), '... for ten seconds');
close $_ for @silent;

# Accounts of two databases that have the same id are two accounts.
my $second = database('demo');
my $two = site(database => $site->{database}, cluster => $site->{cluster}, threads => $threads, processes => 1, cached => 0,
    config => "SendBufferSize 8192\nTimeout 300\n<VirtualHost *>\nServerName main.example\n</VirtualHost>\n<VirtualHost *>\nServerName other.example\n"
        . "DisclosedBaseURL http://other.example\nDisclosedDatabase \"@{[ $site->{cluster}->conninfo($second, 'disclosed_api') ]}\"\n</VirtualHost>\n");
$two->{log}->permit('DSC0061');
my $namesake = $two->same_account_key($key, $second);
@silent = map { silent($key, $two) } 1 .. $threads / 4;
sleep 0.5;
is($two->get($target, key => $key, headers => { Accept => 'text/csv' })->status, 429, 'an account has all of its places');
is($two->get($target, key => $namesake, headers => { Accept => 'text/csv', Host => 'other.example' })->status, 200, '... and that of another database with its id has its own');
close $_ for @silent;
$two->stop;

# Many rows, each large: what a page took is given back before the next one, and pages go over the same connection.
my $table = 'disclosed.insider_transaction';
$site->execute("INSERT INTO $table OVERRIDING SYSTEM VALUE
    SELECT made.* FROM (SELECT * FROM $table WHERE superseded_at IS NULL ORDER BY row_id LIMIT 1) one, generate_series(1, 20000) n,
        jsonb_populate_record(NULL::$table, to_jsonb(one) || jsonb_build_object('row_id', 1000000000 + n, 'id', 1000000000 + n,
            'src_digest', gen_random_uuid(), 'record_key', 'many/' || n, 'remarks', repeat('x', 2500), 'filing_date', date '1990-01-01' + n % 4000)) made");
my $module = "FROM pg_stat_activity WHERE datname = '$site->{database}' AND application_name = 'mod_disclosed'";
sub resident { my ($pid) = $site->worker_pids; return slurp("/proc/$pid/status") =~ /^VmHWM:\s+(\d+) kB/m ? $1 / 1024 : die 'no memory' }
is($site->get('/v1/insider?limit=500&scale=million', key => $key, headers => { Accept => 'text/csv' })->status, 200, 'many rows');
my %before = map { $_->{pid} => 1 } $site->rows("SELECT pid $module");
my $memory = resident();
my $all = $site->get('/v1/insider?limit=100000', key => $key, headers => { Accept => 'text/csv' });
cmp_ok(length $all->body, '>', 50_000_000, 'an export of ' . length $all->body);
cmp_ok(resident() - $memory, '<', 40, sprintf '... for which the process takes %.1f MB', resident() - $memory);
my %after = map { $_->{pid} => 1 } $site->rows("SELECT pid $module");
is_deeply([grep { !$after{$_} } keys %before], [], '... and no connection is closed');
is(scalar keys %after, scalar keys %before, '... nor made');

finish();

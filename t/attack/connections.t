# One account asks for what takes PostgreSQL long, over more connections than there are to the database. Others find one free at once.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test 'without_cache';
use Disclosed::Attack qw(times_of);
use Disclosed::Memory qw(patience);
use Socket qw(AF_INET SOCK_STREAM INADDR_LOOPBACK pack_sockaddr_in);
use Time::HiRes qw(sleep time);

my $pool = 8;
my $wait = 4; # seconds for a connection
my $site = site(pool => $pool, processes => 1, threads => 40, config => "<Location /mcp>\nSetHandler disclosed-mcp\n</Location>\nDisclosedDatabaseTimeout $wait\nDisclosedStatementTimeout 600\n");
my ($greedy, $other, $third) = map { $site->own_key('enterprise') } 1 .. 3;

# Holds up what reads a table, and what is asked meanwhile.
my $lock = $site->{cluster}->hold($site->{database}, 'LOCK TABLE disclosed.insider_transaction IN ACCESS EXCLUSIVE MODE');
my $running = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND wait_event_type = 'Lock'";

sub ask
{
    my ($key, $target, $headers, $body) = @_;
    socket my $socket, AF_INET, SOCK_STREAM, 0 or die "socket: $!";
    connect $socket, pack_sockaddr_in($site->{port}, INADDR_LOOPBACK) or die "connect: $!";
    $target //= 'GET /v1/insider?limit=2';
    syswrite $socket, "$target HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer $key\r\nConnection: close\r\n" . ($headers // '') . "\r\n" . ($body // '');
    return $socket;
}

sub answer_of { my ($socket) = @_; local $/; return scalar(<$socket>) // '' }

# Those that have been answered; httpd takes connections in any order.
sub answered { return grep { my $bits = ''; vec($bits, fileno $_, 1) = 1; select $bits, undef, undef, 0 } @_ }

# Another account meanwhile, until those that find no connection have been told so.
sub serve
{
    my ($key, $name) = @_;
    my ($end, @times) = time + $wait + 1;
    push @times, times_of(1, sub { $site->get('/v1/companies?limit=1', key => $key)->status == 200 or die 'not served'; sleep 0.03 }) while time < $end;
    @times = sort { $a <=> $b } @times;
    cmp_ok($times[-1], '<', 0.5 * patience(), sprintf '%s is served at once: %.3f s at most', $name, $times[-1]);
}

my @asked = map { ask($greedy) } 1 .. $pool;
serve($other, 'another account');
is($site->{cluster}->value('postgres', $running), $pool / 2, 'the first one has a half of the connections');

my @done = answered(@asked);
my %done = map { fileno($_) => 1 } @done;
my @running = grep { !$done{ fileno $_ } } @asked;
my @answers = map { answer_of($_) } @done;
is(scalar(grep { m{^HTTP/1.1 429 } } @answers), $pool / 2, 'what is beyond is refused');
is(scalar(grep { /^Retry-After: 1\r$/m } @answers), $pool / 2, '... for a second');
like($answers[0], qr/"detail":"Too many requests of this account are being processed; see the Retry-After header\."/, '... and told why');
my $call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insider_trades","arguments":{"limit":2}}}';
my $tool = ask($greedy, 'POST /mcp', "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: " . length($call) . "\r\n", $call);
serve($other, 'while it calls a tool, another account');
like(answer_of($tool), qr/"Too many requests of this account are being processed; see the Retry-After header\. \(status 429\)\. Retry after 1 seconds\. Wait as long as that, then call again\."/,
    '... which says as much');

# Two of them leave a connection as well, each having less.
my @others = map { ask($other) } 1 .. $pool;
serve($third, 'a third account');
is($site->{cluster}->value('postgres', $running), $pool / 2 + $pool / 4, 'the second one has a half of what was left');

$site->{cluster}->release($lock);
is(scalar(grep { m{^HTTP/1.1 200 } } map { answer_of($_) } @running), $pool / 2, 'what was running is answered when it can be');
is(scalar(grep { m{^HTTP/1.1 (?:200|429) } } map { answer_of($_) } @others), $pool, '... or had been refused');
is($site->get('/v1/insider?limit=2', key => $greedy)->status, 200, 'the account is served again');
is(scalar(grep { $_->status == 200 } map { $site->get("/v1/insider?limit=$_", key => $greedy) } 1 .. 2 * $pool), 2 * $pool, '... no connection is lost');

# More of them than there are threads: a part of these waits, the others are left.
$lock = $site->{cluster}->hold($site->{database}, 'LOCK TABLE disclosed.insider_transaction IN ACCESS EXCLUSIVE MODE');
@asked = map { ask($greedy) } 1 .. 4 * $site->{threads};
sleep 0.3 * patience(); # until those that come at once have been sent away
serve($other, 'with more requests of one account than threads, another');
$site->{cluster}->release($lock);
my %statuses;
$statuses{ answer_of($_) =~ m{^HTTP/1.1 (\d+) } ? $1 : 'none' }++ for @asked;
is_deeply(\%statuses, { 200 => $pool / 2, 429 => @asked - $pool / 2 }, '... and what is beyond is refused') or diag explain \%statuses;
is(scalar(grep { $_->status == 200 } map { $site->get('/v1/companies?limit=1', key => $greedy) } 1 .. 2 * $pool), 2 * $pool, '... no connection is lost');

finish();

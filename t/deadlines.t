# How long a request may wait for PostgreSQL: statements that hang, a pool that is used up, a reader that is slow. What is
# measured is time, so that nothing else runs beside it.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Load;
use IO::Socket::IP;
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Disclosed::Pace qw(working_time);
use Time::HiRes qw(sleep time);

my $site = site(pool => 1, processes => 1, config => "DisclosedDatabaseTimeout 1\nDisclosedStatementTimeout 2\nSendBufferSize 8192\n");
my $cluster = $site->{cluster};

# --- statements that hang --------------------------------------------------------------------

my $lock = $cluster->hold($site->{database}, 'LOCK TABLE disclosed.insider_transaction IN ACCESS EXCLUSIVE MODE');
expect_log($site, 'DSC0004', 'DSC0010');
my $start = time;
problem_is($site->get('/v1/insider?limit=2'), 504, 'a statement that takes too long is a 504', instance => '/v1/insider');
my $seconds = time - $start;
ok($seconds > 1.5 && $seconds < 4, sprintf 'after the statement timeout: %.2f s', $seconds);
log_is_clean($site, 'and is logged');

# --- the pool is used up ---------------------------------------------------------------------

my $load = Disclosed::Load->start($site, clients => 1, targets => ['/v1/insider?limit=2'], pause => 0);
sleep 0.5;
expect_log($site, 'DSC0002');
$site->{log}->permit('DSC0004', 'DSC0010'); # of the load, where this takes longer than its statement may
$start = time;
my $working = working_time();
my $refused = $site->get('/v1/companies?limit=1');
$seconds = time - $start;
$working = working_time() - $working;
problem_is($refused, 503, 'no connection free: 503 with Retry-After', instance => '/v1/companies');
ok($seconds > 0.8 && $working < 2, sprintf 'after the acquire timeout: %.2f s', $seconds);
kill 'TERM', $load->{pids}->@*;
$cluster->release($lock);
$load->stop;
is($site->get('/v1/companies?limit=1')->status, 200, 'and a 200 when one is');
log_is_clean($site, 'the log says what happened');

# --- a slow reader holds no connection -------------------------------------------------------

my $slow = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $site->{port}) or die;
setsockopt $slow, SOL_SOCKET, SO_RCVBUF, pack 'i', 4096;
syswrite $slow, "GET /v1/insider?limit=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer $site->{keys}{enterprise}\r\nConnection: close\r\n\r\n";
sysread $slow, my $begin, 100;
like($begin, qr/^HTTP\/1\.1 200/, 'a large answer to a slow reader has begun');
$start = working_time();
is($site->get('/v1/companies?limit=1')->status, 200, 'another request is answered meanwhile') for 1 .. 5;
cmp_ok(working_time() - $start, '<', 1, 'at once, on the only connection');
close $slow;

finish();

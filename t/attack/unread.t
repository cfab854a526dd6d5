# Pages and descriptions that their clients ask for and do not read, over HTTP/1.1 and HTTP/2, with a key and without: they hold threads and
# memory, up to a part of these; others are served at once; what is taken, or left, is given back.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test 'without_cache';
use Disclosed::Attack qw(times_of);
use Disclosed::Build qw(build);
use Disclosed::Http2 qw(END_STREAM request open_h2 send_all);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(slurp wait_until);
use Socket qw(AF_INET INADDR_LOOPBACK SOCK_STREAM SOL_SOCKET SO_RCVBUF inet_aton pack_sockaddr_in);
use Time::HiRes qw(sleep);

my $modules = build('MODULES_DIR');
# The system would take in whole pages: its buffers are made small.
my $site = site(threads => 8, processes => 1, config => "SendBufferSize 8192\n" . status_location());
my $page = '/v1/insider?limit=500';
my $described = '/v1/openapi.json';
cmp_ok(length $site->get($page)->body, '>', 400_000, 'a page is large');
cmp_ok(length $site->get($described, key => undef)->body, '>', 400_000, '... and so is a description, for which nobody needs a key');

# A client that asks and reads nothing.
sub silent
{
    my ($of, $target, $key, $from) = @_;
    socket my $socket, AF_INET, SOCK_STREAM, 0 or die "socket: $!";
    setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 2048 or die "setsockopt: $!";
    bind $socket, pack_sockaddr_in(0, inet_aton($from)) or die "bind: $!" if $from;
    connect $socket, pack_sockaddr_in($of->{port}, INADDR_LOOPBACK) or die "connect: $!";
    syswrite $socket, "GET $target HTTP/1.1\r\nHost: x\r\n" . ($key ? "Authorization: Bearer $key\r\n" : '') . "\r\n";
    return $socket;
}

# Threads that are at requests, beside the one that answers this.
sub busy { my ($of) = @_; return $of->get('/status?auto', key => undef)->body =~ /^BusyWorkers: (\d+)/m ? $1 - 1 : die 'no status' }

sub serves
{
    my ($what) = @_;
    my @statuses;
    my @times = times_of(2, sub { push @statuses, $site->get('/v1/companies?limit=1', key => $site->{keys}{builder})->status });
    is("@statuses", '200 200', "others are served beside $what");
    cmp_ok($times[-1], '<', 0.5 * patience(), sprintf '... at once: at most in %.2f s', $times[-1]);
}

# --- HTTP/1.1 ------------------------------------------------------------------------------------

my $refusal = 'Too many requests wait for their bodies, or responses for being read; see the Retry-After header.';
for my $case (['without a key', $described, undef, '127.0.0.41'], ['with a key', $page, $site->own_key('enterprise')]) {
    my ($what, $target, $key, $from) = @$case;
    my @silent = map { silent($site, $target, $key, $from) } 1 .. 40;
    sleep 1.5 * patience(); # until all have a response, or part of it
    serves("40 clients $what that do not read");
    if ($key) {
        my $refused = $site->get('/v1/companies?limit=1', key => $key);
        problem_is($refused, 429, 'whose account gets no more', detail => $refusal, instance => '/v1/companies');
        is($refused->header('retry-after'), 1, '... for a second');
        is($site->post('/v1/search', { query => 'sales' }, key => $key)->status, 429, '... of anything');
    }
    close $_ for @silent;
    ok(wait_until(10 * patience(), sub { busy($site) == 0 }), '... and when they are gone nothing is held');
    is($site->get($target, key => $key)->status, 200, '... and who reads is served');
}
is(scalar(grep { $_->status == 200 } map { $site->get($page) } 1 .. 30), 30, 'pages that are read, one after the other, are all there');

# As conf/example-site.conf has it, they hold no threads at all.
my ($directive) = slurp(build('SRCDIR') . '/conf/example-site.conf') =~ /^(FlushMaxThreshold \d+)$/m;
my $free = site(threads => 8, processes => 1, database => $site->{database}, config => "SendBufferSize 8192\n" . status_location() . ($directive // '') . "\n");
my @silent = map { silent($free, $page, $free->{keys}{enterprise}) } 1 .. 4;
sleep 0.5;
ok(wait_until(10 * patience(), sub { busy($free) == 0 }), 'responses that wait for their clients hold no thread where FlushMaxThreshold allows it');
close $_ for @silent;

# --- HTTP/2 --------------------------------------------------------------------------------------

SKIP: {
    skip 'NO HTTP/2 IS TRIED: this httpd has no mod_http2', 1 if !-e "$modules/mod_http2.so";
    my $streams = site(threads => 8, processes => 1, sanitizer => 'quarantine_size_mb=1', database => $site->{database}, config => "LoadModule http2_module $modules/mod_http2.so\nProtocols h2c http/1.1\n");
    $streams->{log}->permit('AH03069', 'AH10302');
    my $get = sub { my $response = $streams->get($page, key => $streams->{keys}{builder}); $response->status == 200 or die 'not served: ' . $response->describe };
    $get->() for 1 .. 8;
    my ($worker) = $streams->worker_pids;
    my $resident = sub { slurp("/proc/$worker/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 / 1024 : die 'no memory' };
    my $before = $resident->();
    my $key = $streams->own_key('enterprise');
    for my $case (['with a key', $page, ['authorization', "Bearer $key"]], ['without a key', $described]) {
        my ($what, $target, @fields) = @$case;
        my @sockets = map { open_h2($streams, window => 0) } 1 .. 3;
        for my $socket (@sockets) {
            send_all($socket, join '', map { request(2 * $_ + 1, 'GET', $target, END_STREAM, @fields) } 0 .. 99);
        }
        sleep 2;
        my @times = times_of(5, $get);
        cmp_ok($times[-1], '<', 1 * patience(), sprintf '300 streams %s that take nothing: others are served at most in %.2f s', $what, $times[-1]);
        cmp_ok($resident->() - $before, '<', 60, sprintf '... and the process takes %.0f MB', $resident->() - $before);
        close $_ for @sockets;
        ok(wait_until(10 * patience(), sub { $streams->get($target, key => @fields ? $key : undef)->status == 200 }), '... which are given back');
    }
}
finish();

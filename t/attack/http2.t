# HTTP/2: streams whose bodies never end, streams that are reset as soon as they begin, more streams than a connection may have.
# Whoever speaks HTTP/1.1 meanwhile notices nothing, and httpd lives.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Attack qw(whole times_of);
use Disclosed::Build qw(build);
use Disclosed::Http2 qw(DATA RESET END_STREAM frame request open_h2 send_all statuses);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);

my $library = build('MODULES_DIR') . '/mod_http2.so';
plan skip_all => 'NO HTTP/2 IS TRIED: this httpd has no mod_http2' if !-e $library;
my $site = site(threads => 8, processes => 1, config => "LoadModule http2_module $library\nProtocols h2c http/1.1\n");
$site->{log}->permit('AH03069', 'AH10302');

my $get = sub { $site->get('/v1/companies?limit=1')->status == 200 or fail('a request by HTTP/1.1 is served') };
my @quiet = times_of(10, $get);
my $key = "Bearer $site->{keys}{enterprise}";

# --- bodies that never end -------------------------------------------------------------------------

my $streams = whole(90, 40);
my @numbers = map { 2 * $_ + 1 } 0 .. $streams - 1;
my @sockets = map { open_h2($site) } 1 .. whole(20, 4);
for my $socket (@sockets) {
    send_all($socket, join '', map { request($_, 'POST', '/v1/search', 0, ['content-type', 'application/json']) . frame(DATA, 0, $_, '{') } @numbers);
}
my @busy = times_of(20, $get);
cmp_ok($busy[10], '<', $quiet[5] + 0.3 * patience(), sprintf '%d streams with bodies that never end: others are served in %.0f ms at the median (%.0f before)',
    $streams * @sockets, 1000 * $busy[10], 1000 * $quiet[5]);
my ($status) = statuses($sockets[0], 10, @numbers);
is(scalar(grep { defined } @$status{@numbers}), $streams, '... each of which is told at once');
is_deeply([sort keys %{ { map { $_ => 1 } @$status{@numbers} } }], ['401', '?'], '... that it has no key');
close $_ for @sockets;

# With a key they are waited for, of one account up to a part of the workers. Its neighbour speaks HTTP/2 as well.
my $greedy = 'Bearer ' . $site->own_key('enterprise');
my @waiting = map { 2 * $_ + 1 } 0 .. 9;
@sockets = map { open_h2($site) } 1 .. 6;
for my $connection (@sockets) {
    send_all($connection, join '', map { request($_, 'POST', '/v1/search', 0, ['authorization', $greedy], ['content-type', 'application/json']) . frame(DATA, 0, $_, '{') } @waiting);
}
my $beside = open_h2($site);
send_all($beside, request(1, 'GET', '/v1/companies?limit=1', END_STREAM, ['authorization', $key]));
is((statuses($beside, 5, 1))[0]->{1}, 200, 'beside bodies of another account that never end a stream is served');
my %told;
$told{$_ // 'none'}++ for map { values((statuses($_, 1, @waiting))[0]->%*) } @sockets;
is($told{200}, undef, '... and they are not answered');
cmp_ok(($told{429} // 0) + ($told{'?'} // 0), '>=', 60 - 3 * 8, '... but for most that are refused');
my $refused = $site->post('/v1/search', { query => 'sales' }, key => $greedy =~ s/^Bearer //r);
problem_is($refused, 429, 'whose account gets no more', detail => 'Too many requests wait for their bodies, or responses for being read; see the Retry-After header.', instance => '/v1/search');
close $_ for @sockets, $beside;
ok(wait_until(20 * patience(), sub { $site->post('/v1/search', { query => 'sales' }, key => $greedy =~ s/^Bearer //r)->status == 200 }), '... until they are gone');

my $socket = open_h2($site);
send_all($socket, request(1, 'GET', '/v1/companies?limit=1', 0, ['authorization', $key]) . frame(DATA, 0, 1, 'x'));
is((statuses($socket, 5, 1))[0]->{1}, 200, 'a body that nobody needs is not waited for');
send_all($socket, request(3, 'GET', '/v1/companies?limit=1', END_STREAM, ['authorization', $key]));
is((statuses($socket, 5, 3))[0]->{3}, 200, '... nor does the connection end with it');
send_all($socket, request(5, 'POST', '/v1/search', 0, ['authorization', $key], ['content-type', 'application/json'], ['content-length', '70000']));
is((statuses($socket, 5, 5))[0]->{5}, 413, 'a length over the limit is judged before the body is read');
send_all($socket, request(7, 'POST', '/v1/search', 0, ['authorization', $key], ['content-type', 'application/json']) . frame(DATA, END_STREAM, 7, '{"query":"sales"}'));
is((statuses($socket, 5, 7))[0]->{7}, 200, '... and other streams go on');
close $socket;

# --- a client that asks for much at once, and reads --------------------------------------------------

my $reader = open_h2($site);
my @pages = map { 2 * $_ + 1 } 0 .. 49;
send_all($reader, join '', map { request($_, 'GET', '/v1/companies?limit=2', END_STREAM, ['authorization', $key]) } @pages);
my %read;
$read{$_ // 'none'}++ for @{ (statuses($reader, 10, @pages))[0] }{@pages};
is_deeply(\%read, { 200 => 50 }, 'fifty pages at once over one connection are all served') or diag explain \%read;
close $reader;

# --- rapid resets (CVE-2023-44487), and more streams than are allowed ------------------------------

my $rounds = whole(20, 4);
my @attackers = map { open_h2($site) } 1 .. 4;
my @during = times_of(20, sub {
    for my $attacker (@attackers) {
        state $next = 1;
        my @batch = map { $next += 2; $next } 1 .. 25 * $rounds;
        send_all($attacker, join '', map { request($_, 'GET', '/v1/companies?limit=1', END_STREAM, ['authorization', $key]) . frame(RESET, 0, $_, pack 'N', 8) } @batch)
            or $attacker = open_h2($site), $next = 1;
    }
    $get->();
});
cmp_ok($during[10], '<', $quiet[5] + 1.5 * patience(), sprintf '%d streams reset as they begin: others are served in %.0f ms at the median', 20 * 4 * 25 * $rounds, 1000 * $during[10]);
close $_ for @attackers;
my $many = open_h2($site);
send_all($many, join '', map { request(2 * $_ + 1, 'POST', '/v1/search', 0) } 0 .. 2000);
my ($told) = statuses($many, 2, 4001);
cmp_ok(scalar keys %$told, '<=', 2001, 'thousands of streams at once: ' . keys(%$told) . ' are told, others reset');
close $many;
is($site->get('/v1/companies?limit=1')->status, 200, 'httpd serves on');

finish();

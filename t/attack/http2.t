# HTTP/2: streams whose bodies never end, streams that are reset as soon as they begin, more streams than a connection may have.
# Whoever speaks HTTP/1.1 meanwhile notices nothing, and httpd lives.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Attack qw(whole connection times_of);
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use IO::Select;
use Time::HiRes qw(time);

my $library = build('MODULES_DIR') . '/mod_http2.so';
plan skip_all => 'NO HTTP/2 IS TRIED: this httpd has no mod_http2' if !-e $library;
my $site = site(threads => 8, processes => 1, config => "LoadModule http2_module $library\nProtocols h2c http/1.1\n");
$site->{log}->permit('AH03069', 'AH10302');

use constant { DATA => 0, HEADERS => 1, RESET => 3, SETTINGS => 4, PING => 6, GOAWAY => 7, END_STREAM => 1, END_HEADERS => 4 };

sub frame { my ($type, $flags, $stream, $payload) = @_; return substr(pack('N', length $payload), 1) . pack('CCN', $type, $flags, $stream) . $payload }

# Header fields, each literal and without Huffman's code (RFC 7541, section 6.2.2).
sub fields { return join '', map { pack('C', 0) . join '', map { pack('C/a*', $_) } @$_ } @_ }

sub request
{
    my ($stream, $method, $path, $flags, @more) = @_;
    return frame(HEADERS, END_HEADERS | $flags, $stream, fields([':method', $method], [':scheme', 'http'], [':path', $path], [':authority', 'localhost'], @more));
}

sub open_h2
{
    my $socket = connection($site);
    $socket->blocking(0);
    send_all($socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . frame(SETTINGS, 0, 0, ''));
    return $socket;
}

# What cannot be sent, as the server has ended the connection, is left out.
sub send_all
{
    my ($socket, $bytes) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my $end = time + 10 * patience();
    while (length $bytes && time < $end) {
        IO::Select->new($socket)->can_write(1) or next;
        my $sent = syswrite $socket, $bytes;
        return 0 if !defined $sent && !$!{EAGAIN};
        substr($bytes, 0, $sent // 0) = '';
    }
    return !length $bytes;
}

# Digits in Huffman's code, as :status has them.
my %digit = ('00000' => 0, '00001' => 1, '00010' => 2, '011001' => 3, '011010' => 4, '011011' => 5, '011100' => 6, '011101' => 7, '011110' => 8, '011111' => 9);

# The status that a block of fields begins with, maybe behind updates of the table's size. Those with an index beyond the static table
# have been told before on the connection: '?'.
sub status_of
{
    my ($block) = @_;
    $block =~ s/^[\x20-\x3f]+//;
    my $first = ord $block;
    my %known = (0x88 => 200, 0x89 => 204, 0x8a => 206, 0x8b => 304, 0x8c => 400, 0x8d => 404, 0x8e => 500);
    return $known{$first} // '?' if $first & 0x80;
    my ($length, $text) = (ord(substr $block, 1, 1), substr $block, 2, 3);
    return $text if !($length & 0x80);
    my $bits = unpack 'B*', $text;
    my $status = '';
    while (length $status < 3 && $bits =~ s/^(0000[01]|00010|0110[01][01]|0111[01][01]|011001)//) { $status .= $digit{$1} }
    return $status;
}

# Statuses by stream, until all of these have one, the connection ends, or the time is over.
sub statuses
{
    my ($socket, $seconds, @streams) = @_;
    my ($bytes, %status, $ended) = ('');
    my $end = time + $seconds * patience();
    while (time < $end && grep { !defined $status{$_} } @streams) {
        IO::Select->new($socket)->can_read(0.2) or next;
        my $got = sysread $socket, $bytes, 65536, length $bytes;
        $ended = 1, last if defined $got && !$got;
        while (length $bytes >= 9) {
            my ($length, $type, undef, $stream) = (unpack('N', "\0" . substr $bytes, 0, 3), unpack 'CCN', substr $bytes, 3, 6);
            last if length $bytes < 9 + $length;
            $status{$stream} //= status_of(substr $bytes, 9, $length) if $type == HEADERS;
            $ended = 1 if $type == GOAWAY;
            substr($bytes, 0, 9 + $length) = '';
        }
    }
    return (\%status, $ended);
}

my $get = sub { $site->get('/v1/companies?limit=1')->status == 200 or fail('a request by HTTP/1.1 is served') };
my @quiet = times_of(10, $get);
my $key = "Bearer $site->{keys}{enterprise}";

# --- bodies that never end -------------------------------------------------------------------------

my $streams = whole(90, 40);
my @numbers = map { 2 * $_ + 1 } 0 .. $streams - 1;
my @sockets = map { open_h2() } 1 .. whole(20, 4);
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

my $socket = open_h2();
send_all($socket, request(1, 'GET', '/v1/companies?limit=1', 0, ['authorization', $key]) . frame(DATA, 0, 1, 'x'));
is((statuses($socket, 5, 1))[0]->{1}, 200, 'a body that nobody needs is not waited for');
send_all($socket, request(3, 'GET', '/v1/companies?limit=1', END_STREAM, ['authorization', $key]));
is((statuses($socket, 5, 3))[0]->{3}, 200, '... nor does the connection end with it');
send_all($socket, request(5, 'POST', '/v1/search', 0, ['authorization', $key], ['content-type', 'application/json'], ['content-length', '70000']));
is((statuses($socket, 5, 5))[0]->{5}, 413, 'a length over the limit is judged before the body is read');
send_all($socket, request(7, 'POST', '/v1/search', 0, ['authorization', $key], ['content-type', 'application/json']) . frame(DATA, END_STREAM, 7, '{"query":"sales"}'));
is((statuses($socket, 5, 7))[0]->{7}, 200, '... and other streams go on');
close $socket;

# --- rapid resets (CVE-2023-44487), and more streams than are allowed ------------------------------

my $rounds = whole(20, 4);
my @attackers = map { open_h2() } 1 .. 4;
my @during = times_of(20, sub {
    for my $attacker (@attackers) {
        state $next = 1;
        my @batch = map { $next += 2; $next } 1 .. 25 * $rounds;
        send_all($attacker, join '', map { request($_, 'GET', '/v1/companies?limit=1', END_STREAM, ['authorization', $key]) . frame(RESET, 0, $_, pack 'N', 8) } @batch)
            or $attacker = open_h2(), $next = 1;
    }
    $get->();
});
cmp_ok($during[10], '<', $quiet[5] + 1.5 * patience(), sprintf '%d streams reset as they begin: others are served in %.0f ms at the median', 20 * 4 * 25 * $rounds, 1000 * $during[10]);
close $_ for @attackers;
my $many = open_h2();
send_all($many, join '', map { request(2 * $_ + 1, 'POST', '/v1/search', 0) } 0 .. 2000);
my ($told) = statuses($many, 2, 4001);
cmp_ok(scalar keys %$told, '<=', 2001, 'thousands of streams at once: ' . keys(%$told) . ' are told, others reset');
close $many;
is($site->get('/v1/companies?limit=1')->status, 200, 'httpd serves on');

finish();

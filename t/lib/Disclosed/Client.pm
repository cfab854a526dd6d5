package Disclosed::Client;

# A small HTTP/1.1 client that hides nothing: one connection a request, the answer as it came.

use v5.24;
use warnings;
use Disclosed::Memory qw(patience);
use Disclosed::Response;
use Exporter qw(import);
use IO::Socket::IP;
use IO::Select;
use Time::HiRes qw(time);

our @EXPORT_OK = qw(exchange send_request);

# What has been answered with a status of 2xx or 3xx, by method and target: see promises() of Disclosed::Test.
our %answered;

my $patience = 30 * patience();

# Sends bytes and reads until the server closes, or half a minute has gone. Options: linger
# (do not wait for the close: return what came within so many seconds).
sub exchange
{
    my ($port, $bytes, %option) = @_;
    my $socket = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $port, Timeout => 5 * patience())
        or return { error => "connect: $@" };
    $socket->autoflush(1);
    local $SIG{PIPE} = 'IGNORE';
    my $sent = syswrite_all($socket, $bytes);
    my $answer = '';
    my $end = time + ($option{linger} ? $option{linger} * patience() : $patience);
    my $select = IO::Select->new($socket);
    while ((my $left = $end - time) > 0) {
        next if !$select->can_read($left);
        my $read = sysread $socket, $answer, 65536, length $answer;
        return { bytes => $answer, error => defined $read ? undef : "read: $!" } if !$read;
    }
    return { bytes => $answer, error => $option{linger} ? undef : 'no end of the answer' };
}

sub syswrite_all
{
    my ($socket, $bytes) = @_;
    my $sent = 0;
    while ($sent < length $bytes) {
        my $now = syswrite $socket, $bytes, length($bytes) - $sent, $sent;
        return 0 if !$now; # an early answer closes the connection: it is still there to be read
        $sent += $now;
    }
    return 1;
}

# One request. Options: headers (hash), body, linger.
sub send_request
{
    my ($port, $method, $target, %option) = @_;
    my %headers = (Host => "127.0.0.1:$port", Connection => 'close', %{ $option{headers} // {} });
    my $body = $option{body} // '';
    $headers{'Content-Length'} = length $body if $body ne '';
    my $head = "$method $target HTTP/1.1\r\n" . join '', map { "$_: $headers{$_}\r\n" } sort keys %headers;
    my $raw = exchange($port, "$head\r\n$body", %option);
    my $response = Disclosed::Response->new($method, $raw);
    $answered{"$method $target"} = 1 if $response->status =~ /^[23]/;
    return $response;
}

1;

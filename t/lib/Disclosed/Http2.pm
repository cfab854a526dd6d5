package Disclosed::Http2;

# HTTP/2 as a hostile client speaks it, without TLS: frames by hand, windows that stay shut, streams that are begun and left.

use v5.24;
use warnings;
use Disclosed::Attack qw(connection);
use Disclosed::Memory qw(patience);
use Exporter qw(import);
use IO::Select;
use Time::HiRes qw(time);

our @EXPORT_OK = qw(DATA RESET END_STREAM frame request open_h2 send_all statuses);

use constant { DATA => 0, HEADERS => 1, RESET => 3, SETTINGS => 4, GOAWAY => 7, END_STREAM => 1, END_HEADERS => 4 };

sub frame { my ($type, $flags, $stream, $payload) = @_; return substr(pack('N', length $payload), 1) . pack('CCN', $type, $flags, $stream) . $payload }

# Header fields, each literal and without Huffman's code (RFC 7541, section 6.2.2).
sub fields { return join '', map { pack('C', 0) . join '', map { length_of(length $_) . $_ } @$_ } @_ }

# A length as an integer with a prefix of seven bits (RFC 7541, section 5.1).
sub length_of
{
    my ($length) = @_;
    return pack 'C', $length if $length < 127;
    my ($rest, $bytes) = ($length - 127, pack 'C', 127);
    while ($rest >= 128) { $bytes .= pack 'C', 128 | $rest & 127; $rest >>= 7 }
    return $bytes . pack 'C', $rest;
}

sub request
{
    my ($stream, $method, $path, $flags, @more) = @_;
    return frame(HEADERS, END_HEADERS | $flags, $stream, fields([':method', $method], [':scheme', 'http'], [':path', $path], [':authority', 'localhost'], @more));
}

# A connection to the site. Option window: bytes that a stream may send before it is told to go on.
sub open_h2
{
    my ($site, %option) = @_;
    my $socket = connection($site, %option);
    $socket->blocking(0);
    my $settings = defined $option{window} ? pack 'nN', 4, $option{window} : '';
    send_all($socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . frame(SETTINGS, 0, 0, $settings));
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

# Statuses by stream, until all of these have one, the connection ends, or the time is over; and whether it ended. Windows stay as they are.
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

1;

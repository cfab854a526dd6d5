package Disclosed::Attack;

# What attacks are made of: many requests at once over few connections, from addresses of this machine, with keys that are well formed
# and unknown, or with bodies that come slowly or never. `make check` runs a part; `make attack` all (whole()).

use v5.24;
use warnings;
use Disclosed::Key qw(make_key);
use Disclosed::Memory qw(patience);
use Exporter qw(import);
use IO::Socket::IP;
use POSIX ();
use Time::HiRes qw(time);

our @EXPORT_OK = qw(whole unknown_keys connection pipelined metric slow_senders times_of);

# The number for a run in full, or the one for `make check`.
sub whole
{
    my ($full, $part) = @_;
    return ($ENV{DISCLOSED_ATTACK} // '') eq 'whole' ? $full : $part;
}

sub unknown_keys { my ($count) = @_; return map { make_key('live') } 1 .. $count }

# A connection to the site; option from: the address that it comes from.
sub connection
{
    my ($site, %option) = @_;
    return IO::Socket::IP->new(PeerHost => $option{to} // '127.0.0.1', PeerPort => $site->{port}, ($option{from} ? (LocalHost => $option{from}) : ()),
        Timeout => 5 * patience()) || die "connect: $@";
}

# Sends GETs of a path with these keys, one behind the other without waiting, over one connection; returns the statuses.
# A server that closes in between is connected to again.
sub pipelined
{
    my ($site, $path, $keys, %option) = @_;
    my (@left, @statuses) = @$keys;
    my $end = time + 60 * patience();
    while (@left && time < $end) {
        my $socket = connection($site, %option);
        my @batch = @left[0 .. ($#left < 49 ? $#left : 49)];
        print $socket join '', map { "GET $path HTTP/1.1\r\nHost: @{[ $option{host} // 'x' ]}\r\nAuthorization: Bearer $_\r\n" . ($_ eq $batch[-1] ? "Connection: close\r\n" : '') . "\r\n" } @batch;
        $socket->flush;
        my $bytes = do { local $/; <$socket> } // '';
        my @got = $bytes =~ m{HTTP/1\.1 (\d{3}) [A-Z]}g;
        last if !@got;
        push @statuses, @got;
        splice @left, 0, scalar @got;
    }
    return @statuses;
}

# A process that opens so many connections, sends each the beginning and then a byte of the rest every so often, until it is
# stopped or one is closed by the server. Returns its id; stop it by kill and waitpid.
sub slow_senders
{
    my ($site, $count, $beginning, %option) = @_;
    my $pid = fork() // die "fork: $!";
    return $pid if $pid;
    local $SIG{PIPE} = 'IGNORE';
    my @sockets = map { connection($site, %option) } 1 .. $count;
    $_->autoflush(1) for @sockets;
    syswrite $_, $beginning for @sockets;
    my $end = time + ($option{seconds} // 60);
    while (time < $end) {
        select undef, undef, undef, $option{pause} // 0.2;
        syswrite $_, $option{rest} // 'x' for @sockets;
    }
    POSIX::_exit(0);
}

# Does something so many times, each within so many seconds; returns how long each took, the quickest first.
sub times_of
{
    my ($count, $code) = @_;
    my @times;
    for (1 .. $count) {
        my $start = time;
        $code->();
        push @times, time - $start;
        select undef, undef, undef, 0.02;
    }
    return sort { $a <=> $b } @times;
}

# A figure of the site's metrics, at /metrics.
sub metric
{
    my ($site, $name) = @_;
    my ($figure) = $site->get('/metrics', key => undef)->body =~ /^\Q$name\E (\S+)$/m;
    return $figure;
}

1;

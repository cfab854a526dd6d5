package Bench::Relay;

# Stands before a node of a distributed PostgreSQL, under an address of its own, and counts what goes by: bytes each way, statements, and
# rows that come back. A process of its own; it reads no more of the protocol than where a message ends.

use v5.24;
use warnings;
use Disclosed::Shared qw(register_process);
use Errno qw(EAGAIN EWOULDBLOCK);
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);

my @counted = qw(to from statements rows open most);

# In front of a cluster (Disclosed::Cluster), in a folder that does not exist yet: that is its address.
sub start
{
    my ($class, $directory, $cluster) = @_;
    mkdir $directory, 0755 or die "$directory: $!\n";
    my $self = bless { directory => $directory }, $class;
    my $listener = IO::Socket::UNIX->new(Local => "$directory/.s.PGSQL.5432", Listen => 64) or die "$directory: $!\n";
    chmod 0777, "$directory/.s.PGSQL.5432";
    socketpair $self->{control}, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!\n";
    $self->{pid} = fork() // die "fork: $!\n";
    if ($self->{pid} == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{PIPE} = 'IGNORE';
        close $self->{control};
        serve({ listener => $listener, control => $theirs, path => "$cluster->{directory}/.s.PGSQL.5432", links => [], map { $_ => 0 } @counted });
        POSIX::_exit(0);
    }
    close $theirs;
    register_process($self->{pid});
    return $self;
}

# What went by since the last time: {to (bytes to the node), from, statements, rows (of the node), open (connections), most (at once)}.
sub counts
{
    my ($self) = @_;
    syswrite $self->{control}, '?';
    my $line = '';
    while ($line !~ /\n/) { sysread($self->{control}, $line, 4096, length $line) or die "the relay is gone\n" }
    my %counts;
    @counts{@counted} = split ' ', $line;
    return \%counts;
}

# --- the process -----------------------------------------------------------------------------

sub serve
{
    my ($relay) = @_;
    while (1) {
        my ($reading, $writing) = ('', '');
        vec($reading, fileno $_, 1) = 1 for $relay->{listener}, $relay->{control};
        for my $way (map { $_->{ways}->@* } $relay->{links}->@*) {
            length $way->{pending} ? vec($writing, fileno $way->{sink}, 1) = 1 : (vec($reading, fileno $way->{source}, 1) = 1);
        }
        select $reading, $writing, undef, undef;
        accept_one($relay) if vec $reading, fileno $relay->{listener}, 1;
        for my $link ($relay->{links}->@*) {
            for my $way ($link->{ways}->@*) {
                take($relay, $link, $way) if vec $reading, fileno $way->{source}, 1;
                give($link, $way) if length $way->{pending};
            }
        }
        close_ended($relay);
        report($relay) if vec $reading, fileno $relay->{control}, 1;
    }
}

sub report
{
    my ($relay) = @_;
    sysread($relay->{control}, my $asked, 1) or POSIX::_exit(0);    # the bench has ended
    syswrite $relay->{control}, join(' ', @$relay{@counted}) . "\n";
    @$relay{qw(to from statements rows)} = (0, 0, 0, 0);
    $relay->{most} = $relay->{open};
}

# A link has two ways; the client's first message has no letter.
sub accept_one
{
    my ($relay) = @_;
    my $client = $relay->{listener}->accept or return;
    my $server = IO::Socket::UNIX->new(Peer => $relay->{path}) or return close $client;
    $_->blocking(0) for $client, $server;
    push $relay->{links}->@*, { ways => [
        { name => 'to', source => $client, sink => $server, pending => '', head => '', skip => 0, is_first => 1 },
        { name => 'from', source => $server, sink => $client, pending => '', head => '', skip => 0 },
    ] };
    $relay->{open}++;
    $relay->{most} = $relay->{open} if $relay->{open} > $relay->{most};
}

sub take
{
    my ($relay, $link, $way) = @_;
    my $got = sysread $way->{source}, my $bytes, 65536;
    return if !defined $got && ($! == EAGAIN || $! == EWOULDBLOCK);
    return $link->{ended} = 1 if !$got;
    $relay->{ $way->{name} } += $got;
    count_messages($relay, $way, $bytes);
    $way->{pending} .= $bytes;
}

# Messages are a letter, four bytes of length that count themselves, and what they say.
sub count_messages
{
    my ($relay, $way, $bytes) = @_;
    my $at = 0;
    while ($at < length $bytes) {
        if ($way->{skip} > 0) {
            my $rest = length($bytes) - $at;
            my $part = $way->{skip} < $rest ? $way->{skip} : $rest;
            $way->{skip} -= $part;
            $at += $part;
            next;
        }
        my $needed = ($way->{is_first} ? 4 : 5) - length $way->{head};
        $way->{head} .= substr $bytes, $at, $needed;
        $at += $needed;
        next if length $way->{head} < ($way->{is_first} ? 4 : 5);
        my ($letter, $length) = $way->{is_first} ? ('', unpack 'N', $way->{head}) : unpack 'aN', $way->{head};
        $relay->{statements}++ if $way->{name} eq 'to' && $letter =~ /[QE]/;
        $relay->{rows}++ if $way->{name} eq 'from' && $letter eq 'D';
        @$way{qw(skip head is_first)} = ($length - 4, '', 0);
    }
}

sub give
{
    my ($link, $way) = @_;
    my $sent = syswrite $way->{sink}, $way->{pending};
    return substr $way->{pending}, 0, $sent, '' if defined $sent;
    $link->{ended} = 1 if $! != EAGAIN && $! != EWOULDBLOCK;
}

sub close_ended
{
    my ($relay) = @_;
    my @ended = grep { $_->{ended} } $relay->{links}->@* or return;
    $relay->{links} = [grep { !$_->{ended} } $relay->{links}->@*];
    close $_->{source} for map { $_->{ways}->@* } @ended;
    $relay->{open} -= @ended;
}

1;

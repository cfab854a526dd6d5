package Disclosed::Proxy;

# A TCP proxy in front of PostgreSQL that does to connections what networks and hosts do: a process of its own,
# told by these what to do next with all connections, those that are open and those to come:
#
#     forward            passes everything on; what was frozen goes on
#     freeze             accepts nothing, passes nothing on, closes nothing
#     freeze_after(N)    passes N more bytes of the server on in each connection, then nothing; accepts and freezes as well
#     cut_after(N)       passes N more bytes of the server on in each connection, then closes it
#     cut_once(N)        the same for the first connection that comes so far; all others go on
#     ignore             accepts nothing; what is open goes on
#     refuse             closes all connections and the port
#     slow(N)            passes N bytes of the server on every tenth of a second, in each connection
#     lose(TEXT)          in the first connection whose client says TEXT: passes on what it says up to its next COMMIT, of which it gets no
#                         answer, as the connection is closed then; lost() says how often that has been done
#     stop_before(TEXT)  closes each connection whose client says TEXT, and passes on nothing of what it then said
#     inject(SQL)        runs a statement in each open session, of which the client hears nothing

use v5.24;
use warnings;
use Disclosed::Shared qw(register_process);
use Errno qw(EAGAIN EWOULDBLOCK EINTR);
use IO::Select;
use IO::Socket::IP;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);
use Time::HiRes qw(time);

# In front of a cluster (Disclosed::Cluster).
sub start
{
    my ($class, $cluster) = @_;
    my $self = bless { cluster => $cluster, owner => $$ }, $class;
    my $listener = listen_on(0);
    $self->{port} = $listener->sockport;
    socketpair $self->{control}, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!";
    $self->{pid} = fork() // die "fork: $!";
    if ($self->{pid} == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{PIPE} = 'IGNORE';
        close $self->{control};
        serve({ listener => $listener, port => $self->{port}, control => $theirs, path => "$cluster->{directory}/.s.PGSQL.5432" });
        POSIX::_exit(0);
    }
    register_process($self->{pid});
    return $self;
}

sub conninfo
{
    my ($self, $database, $role) = @_;
    return "host=127.0.0.1 port=$self->{port} dbname=$database user=" . ($role // 'disclosed_owner');
}

sub tell
{
    my ($self, $word, $argument) = @_;
    syswrite $self->{control}, "$word " . ($argument // '') . "\n";
    sysread($self->{control}, my $done, 1) or die 'the proxy is gone';
    return ord $done;
}

# How many commits were lost.
sub lost { my ($self) = @_; return $self->tell('lost') }

for my $word (qw(forward freeze ignore freeze_after cut_after cut_once refuse slow inject lose stop_before)) {
    no strict 'refs';
    *$word = sub { my ($self, $argument) = @_; $self->tell($word, $argument) };
}

sub stop
{
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'TERM', $pid;
    waitpid $pid, 0;
}

sub DESTROY { my ($self) = @_; local ($?, $!); $self->stop if $self->{owner} == $$ }

# --- the process -----------------------------------------------------------------------------

sub listen_on
{
    my ($port) = @_;
    return IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1) || die "proxy: $@";
}

sub serve
{
    my ($proxy) = @_;
    $proxy->{mode} = 'forward';
    $proxy->{links} = [];
    while (1) {
        my @read = ($proxy->{control}, readable($proxy));
        my $vector = '';
        vec($vector, fileno $_, 1) = 1 for @read;
        my $writing = '';
        for my $link ($proxy->{links}->@*) {
            vec($writing, fileno $link->{server}, 1) = 1 if length $link->{to_server};
            vec($writing, fileno $link->{client}, 1) = 1 if length $link->{to_client} && allowance($proxy, $link);
        }
        select my $ready = $vector, my $writable = $writing, undef, 0.05;
        take_order($proxy) if vec $ready, fileno $proxy->{control}, 1;
        accept_one($proxy) if $proxy->{listener} && vec($ready, fileno $proxy->{listener}, 1);
        move($proxy, $_, $ready) for $proxy->{links}->@*;
        close_ended($proxy);
    }
}

# What is read from now: nothing while all is frozen.
sub readable
{
    my ($proxy) = @_;
    return if $proxy->{mode} eq 'freeze';
    my $listener = $proxy->{mode} eq 'ignore' ? undef : $proxy->{listener};
    return ($listener // (), map { ($_->{client}, length $_->{to_client} < 65536 ? $_->{server} : ()) } $proxy->{links}->@*);
}

# How many bytes of the server may go on to the client now.
sub allowance
{
    my ($proxy, $link) = @_;
    my $mode = $proxy->{mode};
    return 0 if $mode eq 'freeze';
    return $proxy->{argument} - $link->{passed} if $mode =~ /\A(?:freeze_after|cut_after|cut_once)\z/;
    return time >= ($link->{next_at} // 0) ? $proxy->{argument} : 0 if $mode eq 'slow';
    return 65536;
}

sub take_order
{
    my ($proxy) = @_;
    sysread $proxy->{control}, my $line, 4096 or POSIX::_exit(0);
    my ($word, $argument) = $line =~ /\A(\w+) (.*)\n/s;
    if ($word eq 'inject') {
        $_->{to_inject} = $argument for $proxy->{links}->@*;
        inject_into($_) for grep { $_->{is_at_rest} } $proxy->{links}->@*;
    } elsif ($word eq 'lost') {
        syswrite $proxy->{control}, chr($proxy->{lost} // 0);
        return;
    } else {
        @$proxy{qw(mode argument)} = ($word, $argument);
        $_->{passed} = 0 for $proxy->{links}->@*;
    }
    if ($word eq 'refuse') {
        $_->{ended} = 1 for $proxy->{links}->@*;
        close_ended($proxy);
        close delete $proxy->{listener} if $proxy->{listener};
    } else {
        $proxy->{listener} //= listen_on($proxy->{port});
    }
    syswrite $proxy->{control}, '.';
}

sub accept_one
{
    my ($proxy) = @_;
    my $client = $proxy->{listener}->accept or return;
    my $server = IO::Socket::UNIX->new(Peer => $proxy->{path}) or return close $client;
    $_->blocking(0) for $client, $server;
    push $proxy->{links}->@*, { client => $client, server => $server, to_client => '', to_server => '', passed => 0, swallowed => undef };
}

# A statement of ours in a session that is at rest, having been told so by ReadyForQuery: what the server answers, up to the next
# one, is swallowed.
sub inject_into
{
    my ($link) = @_;
    my $sql = delete $link->{to_inject};
    $link->{to_server} .= 'Q' . pack('N', 5 + length $sql) . "$sql\0";
    $link->{swallowed} = '';
}

sub swallow
{
    my ($link, $bytes) = @_;
    $link->{swallowed} .= $bytes;
    while (length $link->{swallowed} >= 5) {
        my ($type, $length) = unpack 'aN', $link->{swallowed};
        return if length $link->{swallowed} < 1 + $length;
        substr $link->{swallowed}, 0, 1 + $length, '';
        if ($type eq 'Z') {
            $link->{to_client} .= $link->{swallowed};
            $link->{swallowed} = undef;
            return;
        }
    }
}

sub take_from
{
    my ($link, $from) = @_;
    my $count = sysread $link->{$from}, my $bytes, 32768;
    if (!defined $count) {
        $link->{ended} = 1 if $! != EAGAIN && $! != EWOULDBLOCK && $! != EINTR;
    } elsif ($count == 0) {
        $link->{half} = 1;
    } elsif ($from eq 'client') {
        $link->{to_server} .= $bytes;
        $link->{said} .= $bytes;
        $link->{is_at_rest} = 0;
    } elsif ($link->{is_lost}) { # the commit has been done
        $link->{ended} = 1;
    } elsif (defined $link->{swallowed}) {
        swallow($link, $bytes);
    } else {
        $link->{to_client} .= $bytes;
        my $last = ($link->{last} // '') . $bytes;
        $link->{last} = length $last > 6 ? substr $last, -6 : $last;
        $link->{is_at_rest} = $link->{last} eq "Z\0\0\0\x05I";
        inject_into($link) if $link->{is_at_rest} && defined $link->{to_inject};
    }
}

sub give_to
{
    my ($link, $to, $most) = @_;
    my $buffer = \$link->{"to_$to"};
    return if !length $$buffer || $most <= 0;
    my $count = syswrite $link->{$to}, $$buffer, $most < length $$buffer ? $most : length $$buffer;
    if (defined $count) {
        substr $$buffer, 0, $count, '';
        $link->{passed} += $count if $to eq 'client';
        $link->{next_at} = time + 0.1 if $to eq 'client';
    } elsif ($! != EAGAIN && $! != EWOULDBLOCK && $! != EINTR) {
        $link->{ended} = 1;
    }
}

sub move
{
    my ($proxy, $link, $ready) = @_;
    return if $proxy->{mode} eq 'freeze';
    vec($ready, fileno $link->{$_}, 1) and take_from($link, $_) for qw(client server);
    my $said = delete $link->{said};
    lose_commit($proxy, $link, $said) if $proxy->{mode} eq 'lose' && defined $said;
    stop_what_says($proxy, $link, $said) if $proxy->{mode} eq 'stop_before' && defined $said;
    give_to($link, 'server', 65536);
    give_to($link, 'client', allowance($proxy, $link));
    $link->{ended} = 1 if $link->{half} && !length $link->{to_client} && !length $link->{to_server};
    if ($proxy->{mode} =~ /\Acut_/ && $link->{passed} >= $proxy->{argument}) {
        $link->{ended} = 1;
        $proxy->{mode} = 'forward' if $proxy->{mode} eq 'cut_once';
    }
}

sub lose_commit
{
    my ($proxy, $link, $said) = @_;
    my $at = index $said, $proxy->{argument};
    $link->{is_meant} ||= $at >= 0;
    return if !$link->{is_meant} || index($said, 'COMMIT', $at < 0 ? 0 : $at) < 0;
    $link->{is_lost} = 1;
    $proxy->{mode} = 'forward';
    $proxy->{lost}++;
}

sub stop_what_says
{
    my ($proxy, $link, $said) = @_;
    return if index($said, $proxy->{argument}) < 0;
    @$link{qw(to_server ended)} = ('', 1);
}

sub close_ended
{
    my ($proxy) = @_;
    for my $link (grep { $_->{ended} } $proxy->{links}->@*) {
        close $link->{$_} for qw(client server);
    }
    $proxy->{links} = [grep { !$_->{ended} } $proxy->{links}->@*];
}

1;

package Disclosed::RawServer;

# A server on this machine that sends what a function makes of each request, byte by byte if it likes: whatever a server may do wrong.

use v5.24;
use warnings;
use Disclosed::Process qw(slurp_if_there);
use Disclosed::Shared qw(fresh register_process workspace);
use IO::Socket::INET;
use POSIX ();

use constant MOST => 60; # requests: then it is gone, so that nobody asks for ever

# The function is called with the client, the request's number from 1, its text, and the port; it returns what is still to be sent, or undef. Clients are
# served one after the other.
sub start
{
    my ($class, $respond) = @_;
    my $listening = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 8) or die "listen: $!";
    my $self = bless { owner => $$, port => $listening->sockport, log => workspace() . '/' . fresh('raw-requests') }, $class;
    $self->{pid} = fork() // die "fork: $!";
    if ($self->{pid} == 0) {
        local $SIG{PIPE} = 'IGNORE';
        my $number = 0;
        while (my $client = $listening->accept) {
            my $request = '';
            while (defined(my $line = <$client>)) { last if $line eq "\r\n"; $request .= $line }
            last if $number >= MOST;
            open my $out, '>>', $self->{log} or die "$self->{log}: $!";
            print $out $request =~ s/\r\n/ /gr, "\n";
            close $out;
            $client->autoflush(1);
            my $bytes = $respond->($client, ++$number, $request, $self->{port});
            print $client $bytes if defined $bytes;
            close $client;
        }
        POSIX::_exit(0);
    }
    register_process($self->{pid});
    return $self;
}

sub url { my ($self) = @_; return "http://127.0.0.1:$self->{port}" }

# The requests so far, a line each.
sub requests { my ($self) = @_; return split /\n/, slurp_if_there($self->{log}) // '' }

sub stop
{
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'KILL', $pid;
    waitpid $pid, 0;
}

sub DESTROY { my ($self) = @_; local ($?, $!); $self->stop if $self->{owner} == $$ }

1;

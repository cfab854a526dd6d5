package Disclosed::Load;

# Clients that send requests for as long as they are let, in processes of their own. Every answer is
# written down: when it was asked for, how long it took (seconds; worked: of these, what the machine could have worked), status, what
# was wrong with it.

use v5.24;
use warnings;
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(wait_until is_alive);
use POSIX ();
use Time::HiRes qw(sleep time);

# Options: clients (4), targets (paths that each client goes through), pause (seconds between two).
sub start
{
    my ($class, $site, %option) = @_;
    my $self = bless { site => $site, file => "$site->{root}/load-" . int(time * 1000), pids => [] }, $class;
    working_time(); # starts its measuring, for all clients
    for my $number (1 .. $option{clients} // 4) {
        my $pid = fork() // die "fork: $!";
        if ($pid == 0) {
            run_client($site, "$self->{file}.$number", $option{pause} // 0.005, $option{targets}->@*);
            POSIX::_exit(0);
        }
        push $self->{pids}->@*, $pid;
    }
    return $self;
}

sub run_client
{
    my ($site, $path, $pause, @targets) = @_;
    my $stopped = 0;
    $site->{described} = 0; # nobody would hear of it, and it takes time that is measured
    $SIG{TERM} = sub { $stopped = 1 };
    open my $file, '>', $path or POSIX::_exit(1);
    while (!$stopped) {
        my $target = shift @targets;
        push @targets, $target;
        my ($start, $worked) = (time, working_time());
        my $response = $site->get($target);
        my $seconds = time - $start;
        printf $file "%.6f\t%.6f\t%.6f\t%d\t%s\t%s\t%s\n", $start, $seconds, working_time() - $worked, $response->status, $target,
            $response->header('retry-after') // '', fault_of($response);
        sleep $pause;
    }
    close $file;
}

# What is wrong with an answer, or nothing.
sub fault_of
{
    my ($response) = @_;
    return $response->error =~ s/\s+/ /gr if $response->error;
    return 'no answer' if !$response->status;
    return '' if $response->status != 200;
    return 'not whole' if $response->body !~ /^\{.*\}\z/s;
    return 'empty' if $response->body =~ /"data":\[\]/;
    return '';
}

# Stops the clients. Returns all answers, in the order in which they were asked for.
sub stop
{
    my ($self) = @_;
    kill 'TERM', $self->{pids}->@*;
    waitpid $_, 0 for $self->{pids}->@*;
    my @answers;
    for my $path (glob "$self->{file}.*") {
        open my $file, '<', $path or die "$path: $!";
        while (my $line = <$file>) {
            chomp $line;
            my %answer;
            @answer{qw(start seconds worked status target retry_after fault)} = split /\t/, $line, -1;
            push @answers, \%answer;
        }
    }
    return sort { $a->{start} <=> $b->{start} } @answers;
}

1;

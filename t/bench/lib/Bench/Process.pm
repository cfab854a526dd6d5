package Bench::Process;

# Programs that the bench runs: as another user where that is needed, with their output in a log,
# and none of them left behind.

use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Path qw(make_path);
use File::Temp ();
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(run_program start_program stop_program stop_all children_of free_port wait_until
                    say_progress tail_of work_directory);

my %running;    # pid -> name and turn
my $turn = 0;

sub say_progress
{
    my ($text) = @_;
    print STDERR "bench: $text\n";
    return;
}

# A command line for `user` (undef: as we are) that dies with the bench even if that is killed.
sub command_as
{
    my ($user, @command) = @_;
    my @identity;
    if (defined $user && $> == 0) {
        my (undef, undef, $uid, $gid) = getpwnam($user) or die "there is no user $user\n";
        @identity = ("--reuid=$uid", "--regid=$gid", '--init-groups');
    }
    return ('setpriv', @identity, '--pdeathsig', 'TERM', '--', @command);
}

# A directory that other users can pass through, as the servers do not run as root; and the one that is kept,
# which DISCLOSED_BENCH_DATA names, or the same.
sub work_directory
{
    my $kept = $ENV{DISCLOSED_BENCH_DATA};
    my $work = File::Temp->newdir('disclosed-bench-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chmod 0755, "$work" or die "$work: $!\n";
    if (defined $kept) {
        make_path($kept);
        $kept = realpath($kept);
        die "$kept: PostgreSQL's user cannot get there; name a directory outside private homes\n"
            if $> == 0
            && system('setpriv', '--reuid=postgres', '--clear-groups', 'test', '-x', $kept) != 0;
    }
    return ($work, $kept // "$work");
}

sub exec_in_child
{
    my ($option, @command) = @_;
    POSIX::setsid();
    $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
    @ENV{keys %{$option->{env}}} = values %{$option->{env}} if $option->{env};
    chdir($option->{directory} // '/') or POSIX::_exit(126);
    open(STDIN, '<', '/dev/null') or POSIX::_exit(126);
    open(STDOUT, '>>', $option->{log}) or POSIX::_exit(126);
    open(STDERR, '>&', \*STDOUT) or POSIX::_exit(126);
    { no warnings 'exec'; exec { $command[0] } @command; }
    print STDERR "$command[0]: $!\n";
    POSIX::_exit(127);
}

sub tail_of
{
    my ($log) = @_;
    open(my $file, '<', $log) or return '';
    my @lines = <$file>;
    splice(@lines, 0, -15) if @lines > 15;
    return join('', @lines);
}

# Starts a server in the foreground of a session of its own. Options: env, directory, user, log.
sub start_program
{
    my ($name, $option, @command) = @_;
    my @line = command_as($option->{user}, @command);
    my $pid = fork() // die "fork: $!\n";
    exec_in_child($option, @line) if $pid == 0;
    $running{$pid} = {name => $name, turn => $turn++};
    return $pid;
}

# Runs a program to its end, at most `seconds` long; dies with the end of its log when it fails.
# Returns what it wrote to standard output when `capture` is set. `watch` is called with its process id
# fifty times a second; with `may_refuse` it may end with 1, having refused a part of its input.
sub run_program
{
    my ($name, $option, @command) = @_;
    my $log = $option->{log};
    my $output = "$log.out";
    if ($option->{capture}) {
        unlink $output;
        @command = ('sh', '-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', $output, @command);
    }
    my $pid = start_program($name, $option, @command);
    my $deadline = time() + ($option->{seconds} // 120);
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        if (time() > $deadline) {
            stop_program($pid);
            die "$name did not end in time; its log ends:\n" . tail_of($log);
        }
        $option->{watch}->($pid) if $option->{watch};
        sleep 0.02;
    }
    my $status = $?;
    delete $running{$pid};
    die "$name failed (status " . ($status >> 8) . "); its log ends:\n" . tail_of($log)
        if $status && !($option->{may_refuse} && $status == 1 << 8);
    return if !$option->{capture};
    open(my $file, '<', $output) or die "$output: $!\n";
    local $/;
    return scalar <$file>;
}

# Ends a program that was started here, politely first.
sub stop_program
{
    my ($pid, $signal) = @_;
    return if !delete $running{$pid};
    kill $signal // 'TERM', $pid;
    my $deadline = time() + 15;
    while (time() < $deadline) {
        return if waitpid($pid, POSIX::WNOHANG()) != 0;
        sleep 0.05;
    }
    kill 'KILL', -$pid;
    waitpid($pid, 0);
    return;
}

# The latest first, so that the database goes last.
sub stop_all
{
    for my $pid (sort { $running{$b}{turn} <=> $running{$a}{turn} } keys %running) {
        # PostgreSQL waits for its clients on TERM, not on INT.
        stop_program($pid, $running{$pid}{name} eq 'postgres' ? 'INT' : 'TERM');
    }
    return;
}

sub children_of
{
    my ($pid) = @_;
    my @children;
    for my $task (glob "/proc/$pid/task/*/children") {
        open(my $file, '<', $task) or next;
        push @children, split ' ', <$file> // '';
    }
    return @children;
}

sub free_port
{
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1)
        or die "no free port: $!\n";
    return $socket->sockport;
}

# Asks until `ready` says yes; dies when the program is gone or the time is over.
sub wait_until
{
    my ($name, $pid, $log, $ready) = @_;
    my $deadline = time() + 60;
    while (!$ready->()) {
        my $gone = waitpid($pid, POSIX::WNOHANG()) != 0;
        delete $running{$pid} if $gone;
        my $fault = $gone ? 'has ended' : time() > $deadline ? 'does not answer' : '';
        die "$name $fault; its log ends:\n" . tail_of($log) if $fault;
        sleep 0.1;
    }
    return;
}

1;

package Disclosed::Process;

# Running programs: output, exit code, users, and processes that must not outlive a test.

use v5.24;
use warnings;
use Exporter qw(import);
use File::Temp ();
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(run run_as slurp slurp_if_there wait_until is_alive stop_process children_of identity is_at_rest);

# Runs a command without a shell. Returns (exit code, standard output, standard error); 128 + n
# for a signal n. Options in a leading hash: user, env, stdin, directory.
sub run
{
    my %option = ref $_[0] eq 'HASH' ? %{ shift() } : ();
    my @command = @_;
    my ($out, $err, $in) = map { File::Temp->new } 1 .. 3;
    my $input = $option{stdin} // '';
    utf8::encode($input) if utf8::is_utf8($input);
    print $in $input;
    close $in;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', $in->filename;
        open STDOUT, '>', $out->filename;
        open STDERR, '>', $err->filename;
        chdir($option{directory} // '/') or POSIX::_exit(126);
        $ENV{$_} = $option{env}{$_} for keys %{ $option{env} // {} };
        become($option{user}) if $option{user};
        { no warnings; exec { $command[0] } @command; }
        POSIX::_exit(127);
    }
    waitpid $pid, 0;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return ($code, slurp($out->filename), slurp($err->filename));
}

# The same as another user, where we are root; otherwise as ourselves.
sub run_as
{
    my ($user, @command) = @_;
    return run({ user => $user }, @command);
}

sub become
{
    my ($user) = @_;
    return if $> != 0;
    my ($uid, $gid) = (getpwnam $user)[2, 3];
    defined $uid or POSIX::_exit(125);
    $) = "$gid $gid";
    POSIX::setgid($gid);
    POSIX::setuid($uid);
    $ENV{HOME} = '/';
}

# A file's bytes; dies where it cannot be read.
sub slurp
{
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!";
    local $/;
    return scalar <$file> // '';
}

# The same, or nothing where there is no file (or process) by now.
sub slurp_if_there
{
    my ($path) = @_;
    return eval { slurp($path) } // '';
}

# Polls until the code is true, at first at short intervals; returns what it returned, or nothing after the time.
sub wait_until
{
    my ($seconds, $code) = @_;
    my $end = time + $seconds;
    for (my $pause = 0.005;; $pause = $pause < 0.05 ? 1.5 * $pause : 0.05) {
        my $value = $code->();
        return $value if $value;
        return if time > $end;
        sleep $pause;
    }
}

# What no other process has, before or after: its id and when it began, in ticks since the machine did; '' where there is none.
sub identity
{
    my ($pid) = @_;
    my ($state, @fields) = split ' ', slurp_if_there("/proc/$pid/stat") =~ s/^.*\) //sr;
    return defined $state && $state !~ /[ZX]/ ? "$pid-$fields[18]" : '';
}

# Whether the process exists and is no zombie.
sub is_alive
{
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/stat" or return kill 0, $pid;
    return (<$file> // '') !~ /\) [ZX] /;
}

# Whether the process sleeps, and has slept for that many seconds: it waits for something, and not for a processor.
sub is_at_rest
{
    my ($pid, $seconds) = @_;
    my $look = sub { return slurp_if_there("/proc/$pid/status") =~ /^State:\s+S.*^(voluntary_ctxt_switches:\s+\d+)/ms ? $1 : undef };
    my $before = $look->() // return 0;
    sleep $seconds;
    return ($look->() // '') eq $before;
}

# Asks it to stop, waits, and only then insists. Returns whether it went by itself.
sub stop_process
{
    my ($pid, $signal, $seconds) = @_;
    kill $signal, $pid;
    return 1 if wait_until($seconds, sub { waitpid($pid, WNOHANG); !is_alive($pid) });
    kill 'KILL', $pid;
    wait_until(5, sub { waitpid($pid, WNOHANG); !is_alive($pid) });
    return 0;
}

# Process ids of the children of a process.
sub children_of
{
    my ($parent) = @_;
    my @children;
    for my $path (glob '/proc/[0-9]*/stat') {
        open my $file, '<', $path or next;
        my ($pid, $state, $ppid) = (<$file> // '') =~ /^(\d+) \(.*\) (\w) (\d+)/s or next;
        push @children, $pid if $ppid == $parent && $state ne 'Z';
    }
    return @children;
}

1;

package Disclosed::Pace;

# A clock that goes as fast as this machine can work now, and stands still while it does: bounds of time then say how long something
# waits for what it need not wait for, and not how busy the processors are with other work.

use v5.24;
use warnings;
use Exporter qw(import);
use File::Temp ();
use POSIX ();
use Time::HiRes qw(clock_gettime sleep time CLOCK_PROCESS_CPUTIME_ID);

our @EXPORT_OK = qw(working_time stay_in_day);

use constant { PAUSE => 0.02, WORK => 0.003 };

my ($meter, $file, $owner);

# Beside the suite, works a little again and again, and writes how much of the time that passed it could not have worked: by how
# much later it has woken than it should, and what share of a processor it then had.
sub measure
{
    my ($parent) = @_;
    my $lost = 0;
    open my $out, '+<', $file->filename or POSIX::_exit(1);
    while (getppid == $parent) {
        my $before = time;
        sleep PAUSE;
        my ($woken, $used) = (time, clock_gettime(CLOCK_PROCESS_CPUTIME_ID));
        1 while clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $used < WORK;
        my $share = WORK / (time - $woken);
        my $late = $woken - $before - PAUSE;
        $lost += ($late > 0.001 ? $late : 0) + (1 - ($share < 1 ? $share : 1)) * (time - $before - $late);
        sysseek $out, 0, 0;
        syswrite $out, sprintf '%12.4f', $lost;
    }
    POSIX::_exit(0);
}

sub start
{
    ($file, $owner) = (File::Temp->new, $$);
    print $file sprintf '%12.4f', 0;
    $file->flush;
    $meter = fork() // die "fork: $!";
    measure($owner) if !$meter;
    return $meter;
}

# Seconds by this clock; differences are what counts.
sub working_time
{
    start() if !$meter;
    open my $in, '<', $file->filename or die "$file: $!";
    my $now = time;
    return $now - <$in>;
}

sub meter { return $meter }

# Waits for the next day in UTC where this one ends within so many seconds: counts of a day then begin anew.
sub stay_in_day
{
    my ($seconds) = @_;
    my $left = 86400 - time % 86400;
    sleep $left + 1 if $left < $seconds;
}

END {
    my $code = $?;
    if ($meter && $$ == $owner) {
        kill 'KILL', $meter;
        waitpid $meter, 0;
    }
    $? = $code;
}

1;

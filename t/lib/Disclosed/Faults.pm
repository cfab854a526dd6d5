package Disclosed::Faults;

# What went wrong in the suites of a run, told once more at its end: what a suite says is far above by then, among what others say. Loaded into
# each suite by `make check`; appends to the file that DISCLOSED_FAULTS names.

use v5.24;
use warnings;
use Fcntl qw(LOCK_EX);
use Test2::API qw(test2_stack);
use Test::More ();

my ($file, $suite, $owner, $told) = ($ENV{DISCLOSED_FAULTS}, $0, $$, 0);

# So many lines of a suite; what was wrong first is what matters.
use constant MOST => 60;

sub note_fault
{
    my ($message) = @_;
    return if !length($file // '') || $$ != $owner;
    local ($!, $@, $?);
    my @lines = split /\n/, $message;
    splice @lines, MOST - $told if @lines > MOST - $told;
    $told += @lines;
    open my $faults, '>>', $file or return warn "$file: $!\n";
    flock $faults, LOCK_EX;
    utf8::encode($_) for grep { utf8::is_utf8($_) } @lines;
    print $faults map { "$suite: $_\n" } @lines;
    close $faults;
}

# What is said of a failed test follows it.
my $has_failed = 0;

sub look_at
{
    my (undef, $event) = @_;
    $has_failed = $event->facet_data->{assert} ? $event->causes_fail : $has_failed;
    note_fault($event->message) if $has_failed && $event->isa('Test2::Event::Diag');
}

test2_stack()->top->listen(\&look_at, inherit => 1);
$SIG{__DIE__} = sub { note_fault("it died: $_[0]") if defined $^S && !$^S };
END { note_fault("it ended with exit code $?") if $? && $$ == $owner }

1;

package Disclosed::Log;

# httpd's error log as a part of every test: what is worse than a notice has to be announced by its
# number, and what was announced as expected has to come.

use v5.24;
use warnings;

my $severe = qr/^\[[^\]]+\] \[[^:\]]*:(?:warn|error|crit|alert|emerg)\]/;
# Lines of any level, or of none, that mean that something broke. A stack (t/crash_stack.c) belongs to the message that a process has crashed.
my $stack = qr/^crash stack: /;
my $broken = qr/$stack|exit signal|AddressSanitizer|LeakSanitizer|runtime error:|Assertion .* failed/;

sub new
{
    my ($class, $path) = @_;
    return bless { path => $path, offset => 0, required => {}, permitted => {} }, $class;
}

# These have to appear, any number of times.
sub expect
{
    my ($self, @numbers) = @_;
    $self->{required}{$_} = 1 for @numbers;
}

# These may appear, or not: for what depends on which of two things came first. What always comes is expected.
sub permit
{
    my ($self, @numbers) = @_;
    $self->{permitted}{$_} = 1 for @numbers;
}

# What was written since the last check.
sub unread
{
    my ($self) = @_;
    open my $file, '<', $self->{path} or return '';
    seek $file, $self->{offset}, 0;
    local $/;
    return scalar <$file> // '';
}

# Reads on to the end of the log. Returns what is wrong, one text each; announcements are used up.
sub check
{
    my ($self) = @_;
    my $text = $self->unread;
    my (@faults, %seen, %severe);
    for my $line (split /\n/, $text) {
        my @numbers = $line =~ $stack ? 'AH00052' : $line =~ /\b((?:DSC|AH)\d{4,5})\b/g;
        $seen{$_} = 1 for @numbers;
        next if $line !~ $severe && $line !~ $broken;
        $severe{$_} = 1 for @numbers;
        push @faults, "not announced: $line" if !grep { $self->{required}{$_} || $self->{permitted}{$_} } @numbers;
    }
    push @faults, "announced, but not in the log: $_"
        for sort grep { !$seen{$_} } keys $self->{required}->%*;
    push @faults, "permitted for nothing, as it is no warning: $_"
        for sort grep { $seen{$_} && !$severe{$_} } keys $self->{permitted}->%*;
    $self->{offset} += length $text;
    $self->{$_} = {} for qw(required permitted);
    return @faults;
}

1;

package Disclosed::MutantTrial;

# What becomes of a mutant: seen by a suite, or not; and how many of a run were seen.

use v5.24;
use warnings;
use Disclosed::Mutator qw(apply);
use Exporter qw(import);

our @EXPORT_OK = qw(try_mutant counts share);

# Plants a mutant in a tree, asks the suites that the map says can see it, and puts the original back. Options: suites
# (these alone), patience (seconds), confirm (what fails is asked once more). Returns a hash: outcome, by, how, seconds. The
# outcomes: seen, unseen, not executed (by any suite), not compiled, same code (as without it).
sub try_mutant
{
    my ($tree, $map, $mutant, $text, %option) = @_;
    my $planted = $tree->plant($mutant->{path}, apply($text, $mutant));
    my %result = eval { $planted eq 'planted' ? ask_suites($tree, $map, $mutant, %option) : (outcome => $planted) };
    my $died = $@;
    $tree->weed;
    die $died if $died;
    return %result;
}

sub ask_suites
{
    my ($tree, $map, $mutant, %option) = @_;
    my @suites = $map->that_see($mutant);
    return (outcome => 'not executed') if !@suites;
    my %wanted = map { ($_ => 1) } $option{suites} ? $option{suites}->@* : @suites;
    my ($seconds, $asked) = (0, 0);
    for my $suite (grep { $wanted{$_} } @suites) {
        last if $seconds > ($option{patience} // 600);
        my ($state, $took, $complaint) = $tree->run_suite($suite, $map->limits($suite));
        $seconds += $took;
        $asked++;
        next if $state eq 'ok';
        return (outcome => 'seen', by => $suite, how => $complaint, seconds => $seconds)
            if !$option{confirm} || ($tree->run_suite($suite, $map->limits($suite)))[0] ne 'ok';
        print STDERR "$mutant->{id}: $suite fails but once: $complaint\n";
    }
    return (outcome => 'unseen', how => "$asked of " . @suites . ' suites asked', seconds => $seconds);
}

# Whether a result counts: what does not compile or is the same code is no fault.
sub counts { return $_[0]{outcome} =~ /^(?:seen|unseen|not executed)$/ }

# Percent of the results that were seen; 0 of none.
sub share
{
    my @counted = grep { counts($_) } @_;
    return @counted ? 100 * (grep { $_->{outcome} eq 'seen' } @counted) / @counted : 0;
}

1;

# A share of the damage proof (t/proofs/damage does all of it): every format, small files of our own and some real ones, with
# cuts and other damage that are the same each time. What is stored of a damaged file is part of what the whole one
# stores, or the file is refused; damage.reasons says what may differ.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Damage qw(columns prove_damage read_reasons);
use Disclosed::Fuzz qw(targets seeds real_seeds missing_seeds);
use File::Temp qw(tempdir);
use Test::More;
use v5.24;
use warnings;

use constant {CUTS => 60, OTHERS => 25, REAL_CUTS => 15, REAL_OTHERS => 6, REAL_FILES => 2, LARGEST => 100_000};

my $temporary = tempdir(CLEANUP => 1);
my $columns = columns("$temporary/columns");
my $reasons = read_reasons();
my @missing = missing_seeds();
diag "NOT TESTED: real files (DISCLOSED_SHARED): @missing" if @missing;

my ($cells, $cases) = (0, 0);
my @formats = grep { $_->[1] } targets();
for my $target (map { $_->[0] } @formats) {
    my @real = grep { -s $_ <= LARGEST } real_seeds($target, $temporary);
    splice @real, REAL_FILES;
    for my $set ([0, CUTS, OTHERS, seeds($target)], [1, REAL_CUTS, REAL_OTHERS, @real]) {
        my ($real, $cuts, $others, @files) = @$set;
        next if !@files;
        my $sum = prove_damage($reasons, $target, \@files, columns => $columns, cuts => $cuts, others => $others, by_name => $real, seconds => 3);
        is_deeply($sum->{faults}, [], "$target: $sum->{cases} cases, $sum->{refused} refused, $sum->{cells} cells of " . ($real ? 'real files' : 'ours'));
        cmp_ok($sum->{cases}, '>=', 50, '... that were damaged') if !$real;
        is(scalar $sum->{refused_whole}->@*, 0, '... our own whole files are taken') or diag "@{ $sum->{refused_whole} }" if !$real;
        $cells += $sum->{cells};
        $cases += $sum->{cases};
    }
}
cmp_ok(scalar @formats, '>=', 25, scalar(@formats) . ' formats');
cmp_ok($cells, '>=', 50_000, "$cells cells compared");
diag "$cases cases, $cells cells compared";

# It can fail: with no reason at all, rows that are read in another order are told.
my $sum = prove_damage([], '13f', [seeds('13f')], columns => $columns, cuts => 0, others => 40);
cmp_ok(scalar $sum->{faults}->@*, '>', 0, 'without reasons there are faults');
done_testing;

# A share of the order proof (t/proofs/order does all of it): small files of every format, and some real ones, in other orders
# and with repeats, leave the same answers, now and at each instant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Order qw(prove_order);
use Disclosed::OrderFiles qw(own_files real_groups);
use Disclosed::Process qw(slurp);
use File::Temp qw(tempdir);
use Test::More;
use v5.24;
use warnings;

my $temporary = tempdir(CLEANUP => 1);
my %groups = (own => own_files($temporary));
if (my %real = real_groups($temporary, 2)) {
    $groups{$_} = $real{$_} for 'short interest', 'house', 'senate';
} else {
    diag 'NOT TESTED: real files (DISCLOSED_SHARED)';
}

my $cells = 0;
for my $name (sort keys %groups) {
    my $sum = prove_order($groups{$name}, orders => $name eq 'own' ? 2 : 1, jobs => $name eq 'own' ? 2 : 1, instants => 50, answers => 1, symbols => 3, most => 3);
    is_deeply($sum->{faults}, [], "$name: $sum->{files} files, $sum->{orders} orders, $sum->{instants} instants, $sum->{cells} cells");
    cmp_ok($sum->{rows}, '>=', 50, "... $sum->{rows} versions");
    cmp_ok($sum->{answers}, '>=', 1000, "... $sum->{answers} cells of $sum->{requests} answers");
    $cells += $sum->{cells} + $sum->{answers};
}
cmp_ok($cells, '>=', 50_000, "$cells cells compared");
diag "$cells cells compared";

# It can fail: two files that contradict each other, and tell no time.
my ($finra) = grep { $_->[0] eq 'finra-short-interest' && $_->[1] =~ /csv\z/ } $groups{own}->@*;
mkdir "$temporary/other";
open my $other, '>', "$temporary/other/shrt20210715.csv" or die;
print $other slurp($finra->[1]) =~ s/\|2571122\|2456982\|/|2571123|2456983|/r;
close $other;
my @both = ($finra, ['finra-short-interest', "$temporary/other/shrt20210715.csv", $finra->@[2, 3]]);
my $faults = prove_order(\@both, orders => 3, answers => 0)->{faults};
cmp_ok(scalar grep({ /as of / && !/ as of now/ } @$faults), '>', 0, 'files that contradict each other depend on their order');
cmp_ok(scalar grep({ /^order \d: (?:list|get)_/ } @$faults), '>', 0, '... and what is served does') or diag explain $faults;
done_testing;

# Fuzzing, briefly: every target takes its seeds, real files where they are, and damaged copies of them that are the
# same each time, under ASan and UBSan. `make fuzz` goes on for as long as is wanted.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Fuzz qw(program targets seeds real_seeds missing_seeds environment);
use Disclosed::Process qw(run);
use File::Temp qw(tempdir);
use Test::More;
use v5.24;
use warnings;

use constant {COPIES => 250, REAL_COPIES => 40, REAL_FILES => 3, LARGEST => 60_000, SECONDS => 3};

my $found = tempdir(CLEANUP => 1);
my @missing = missing_seeds();
diag "NOT TESTED: real files as seeds (DISCLOSED_SHARED): @missing" if @missing;

# Runs a target over files; what was found is told with where the input lies.
sub fuzz
{
    my ($copies, $target, @files) = @_;
    return run({ env => {environment()} }, program(), '-n', $copies, '-t', SECONDS, '-o', $found, $target, @files);
}

my ($inputs, $listed) = (0, 0);
for my $one (targets()) {
    my ($target, $importer) = @$one;
    my @seeds = seeds($target);
    cmp_ok(scalar @seeds, '>', 0, "$target has seeds");
    my @real = grep { -s $_ <= LARGEST } real_seeds($target, $found);
    splice @real, REAL_FILES;
    for my $run ([COPIES, @seeds], @real ? [REAL_COPIES, @real] : ()) {
        my ($copies, @files) = @$run;
        my ($code, $out, $err) = fuzz($copies, $target, @files);
        is($code, 0, "$target: " . ($out =~ s/^\S+ |\n//gr)) or diag substr "$out$err", 0, 4000;
        cmp_ok($out =~ /(\d+) rows stored/ ? $1 : 0, '>', 0, '... and rows are stored') if $importer && $run->[1] eq $seeds[0];
        $inputs += $1 + $2 if $out =~ /(\d+) seeds, (\d+) damaged/;
    }
    $listed++;
}
my %importers = map { ($_->[1] // '') => 1 } targets();
my ($code, $usage) = run(build('CTL'), 'import', '--help');
my ($sources) = $usage =~ /^Sources:\n((?:  .*\n)+)/m;
my @known = ($sources // '') =~ /^  (\S+)/gm;
cmp_ok(scalar @known, '>=', 14, 'importers that the program names');
is_deeply([grep { !$importers{$_} } @known], [], 'every importer has a target');
cmp_ok($listed, '>=', 30, "$listed targets");
cmp_ok($inputs, '>=', 5000, "$inputs inputs");
diag "$inputs inputs for $listed targets";

# It can fail.
is((fuzz(0, 'nothing', __FILE__))[0], 2, 'an unknown target is told');
my $crashed = (run({ env => { environment(), FUZZ_FAULT => 1 } }, program(), '-o', $found, 'json', seeds('json')))[0];
is($crashed, 99, 'a byte read behind the input is found');
ok(-s "$found/found-json", '... and its input is kept');
my ($ended, undef, $said) = run({ env => { environment(), FUZZ_FAULT => 'endless' } }, program(), '-o', $found, 'json', seeds('json'));
is($ended, 1, 'what never ends is ended');
like($said, qr/: it takes too long$/m, '... and told');
done_testing;

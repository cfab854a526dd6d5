# Each suite is run on Citus by t/citus/suites, or t/citus/not-run says why not.
use v5.24;
use warnings;
use FindBin;
use Test::More;

sub slurp { my ($path) = @_; open my $file, '<', $path or die "$path: $!"; local $/; return <$file> }

my $t = "$FindBin::Bin/..";
my ($run) = slurp("$t/citus/suites") =~ /for name in (.*?); do/s or die 'no list';
my @run = grep { /\w/ } split /[\s\\]+/, $run;
my @others = map { split ' ', s/.*: //r } grep { !/^#/ } split /\n/, slurp("$t/citus/not-run");
my %said;
$said{$_}++ for @run, @others;
my @suites = map { m{/([^/]+)[.]t\z} } glob "$t/*.t";
is(join(' ', grep { !$said{$_} } @suites), '', 'each suite is run on Citus, or it is said why not');
is(join(' ', grep { $said{$_} > 1 } sort keys %said), '', '... once');
my %is_there = map { ($_ => 1) } @suites;
is(join(' ', grep { !$is_there{$_} } sort keys %said), '', '... and no other is named');
done_testing();

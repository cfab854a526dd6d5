# The mutants of a small file: where they are, that they compile, and that what no test sees is told as unseen. t/mutate
# itself takes hours and is run by hand.

use v5.24;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::MutantMap;
use Disclosed::MutantTrial qw(try_mutant counts share);
use Disclosed::Mutator qw(tokens mutants apply choose);
use Disclosed::Process qw(run slurp);
use File::Temp qw(tempdir);
use Test::More;

my $sample = <<'END';
/* if (a < b) return 1; -- a comment */
#include <string.h>
#define MANY(a) \
    ((a) > 5 && 1)
enum { LARGEST = 9, TEXT = 'a' };
static const char *words[] = {"a == b", "x\"&& 7"};

int clamp(int value)
{
    int low = 0; // value > 3
    if (value < low || value == -1) {
        value = low;
    }
    if (!MANY(value)) {
        return value;
    }
    return value > LARGEST ? LARGEST : value;
}

int count(const char *text, char sign)
{
    int found = 0;
    for (;; text++) {
        if (*text == '\0') {
            break;
        }
        if (*text != sign) {
            continue;
        }
        found += 1;
    }
    return found + (int)strlen(words[0]) - 6;
}

int never(int value)
{
    return value + 1;
}
END

# --- tokens -----------------------------------------------------------------------------------

my @tokens = tokens($sample);
is(join('', map { $_->[1] } grep { $_->[3] == 6 } @tokens), 'staticconstchar*words[]={"a == b","x\"&& 7"};', 'strings are whole, lines are counted');
ok(!(grep { $_->[1] eq 'MANY' && $_->[3] < 8 || $_->[1] eq 'include' } @tokens), 'the preprocessor\'s lines have no tokens');
ok(!(grep { substr($sample, $_->[2], length $_->[1]) ne $_->[1] } @tokens), 'each is where it says');

# --- mutants ----------------------------------------------------------------------------------

my @mutants = mutants('sample.c', $sample);
my %named = map { ("$_->{line} $_->{operator}: $_->{what}" => $_) } @mutants;
for my $expected (
    '5 constant: 9 -> 10', '11 relational: < -> <=', '11 relational: == -> !=', '11 logical: || -> &&', '11 constant: 1 -> 0',
    '11 condition: value < low || value == -1 -> (value < low || value == -1) && 0', '11 condition: value < low || value == -1 -> (value < low || value == -1) || 1',
    '12 statement: without value = low', '14 logical: ! -> nothing', '15 return: value -> 0', '17 relational: > -> >=',
    '17 return: value > LARGEST ? LARGEST : value -> 0', '23 arithmetic: ++ -> --', '25 jump: break -> continue', '28 jump: continue -> break',
    '30 statement: without found += 1', '30 arithmetic: += -> -=', '32 arithmetic: + -> -', '32 arithmetic: - -> +', '32 constant: 6 -> 7', '10 constant: 0 -> 1',
    ) {
    ok($named{$expected}, $expected) or diag join "\n", sort keys %named;
}
is(join(' ', sort { $a <=> $b } grep { !{ map { $_ => 1 } 5, 10 .. 37 }->{$_} } map { $_->{line} } @mutants), '', 'nothing of comments, strings and the preprocessor');
is(scalar(grep { $_->{what} =~ /without (?:int|return|if|for)/ } @mutants), 0, 'declarations and control stay');
is(scalar(grep { $_->{what} eq '- -> +' && $_->{line} == 11 } @mutants), 0, 'a sign is no difference');
my %ids = map { ($_->{id} => 1) } @mutants;
is(scalar keys %ids, scalar @mutants, 'each has an id of its own');
is_deeply([sort map { $_->{id} } mutants('elsewhere/sample.c', "\n\n$sample")], [sort keys %ids], '... which stays when lines and files move');
my %first = map { ($_ => 1) } map { $_->{id} } (choose(7, all => \@mutants))[0 .. 9];
is_deeply([sort map { $_->{id} } (choose(7, all => \@mutants))[0 .. 9]], [sort keys %first], 'a seed gives the same again');
is(scalar(choose(7, all => \@mutants)), scalar @mutants, '... and in the end all of them');
isnt(join(' ', map { $_->{id} } choose(8, all => \@mutants)), join(' ', map { $_->{id} } choose(7, all => \@mutants)), 'another seed another order');

my $map = bless { known => { counted => { 'sample.c' => [3, 7, 9] } } }, 'Disclosed::MutantMap';
is(join(' ', map { $map->line_of({ path => 'sample.c', begins => 4, line => $_ }) } 5, 7, 8, 9, 10), '7 7 7 9 9', 'a statement is counted where it begins, a table with what follows it');

# --- what becomes of them -----------------------------------------------------------------------

# A tree of one file; its suites are programs that end with 0 where all is well. They ask clamp() all, count() nothing.
package SmallTree {
    use Disclosed::Process qw(run slurp);

    sub plant
    {
        my ($self, $path, $text) = @_;
        open my $file, '>', "$self->{folder}/sample.c" or die "$path: $!";
        print $file $text;
        close $file;
        my ($code) = run({ directory => $self->{folder} }, 'cc', '-std=c11', '-O0', '-w', '-o', 'program', 'sample.c', 'suites.c');
        $self->{planted}++;
        return $code == 0 ? 'planted' : 'not compiled';
    }

    sub run_suite
    {
        my ($self, $suite) = @_;
        my ($code) = run({ directory => $self->{folder} }, 'sh', '-c', "ulimit -t 2; exec ./program $suite");
        return ($code == 0 ? 'ok' : 'failed', 1, "code $code");
    }

    sub weed { $_[0]{weeded}++ }

    # Of a map: what comes before never() is executed by both suites.
    sub that_see { my ($self, $mutant) = @_; return $mutant->{line} < 34 ? qw(careless careful) : () }
    sub limits   { return (10, 10) }
}

my $folder = tempdir(CLEANUP => 1);
open my $suites, '>', "$folder/suites.c" or die $!;
print $suites <<'END';
#include <string.h>
int clamp(int), count(const char *, char);
int main(int argc, char **argv)
{
    int wrong = 0, at;
    for (at = -3; at < 13; at++) {
        wrong += clamp(at) != (at < 0 ? 0 : at > 9 ? 9 : at);
    }
    return strcmp(argv[1], "careful") == 0 ? wrong : count("aba", 'a') > 1000;
}
END
close $suites;
my $tree = bless { folder => $folder }, 'SmallTree';
is((run({ directory => $folder }, 'true'))[0], 0, 'a place to build in');
$tree->plant('sample.c', $sample);
is(join(' ', map { ($tree->run_suite($_))[0] } qw(careless careful)), 'ok ok', 'without a mutant all is well');

my %outcome = map { my $name = $_; ($name => { try_mutant($tree, $tree, $named{$name}, $sample) }) } keys %named;
is($tree->{weeded}, scalar keys %named, 'each original is put back');
for my $case (
    ['11 relational: < -> <=', 'unseen'],    # low is 0, so that both are the same
    ['12 statement: without value = low', 'seen'], ['15 return: value -> 0', 'seen'], ['17 relational: > -> >=', 'unseen'],
    ['5 constant: 9 -> 10', 'seen'], ['30 statement: without found += 1', 'unseen'],
    ['37 arithmetic: + -> -', 'not executed'], ['37 constant: 1 -> 0', 'not executed'],
    ) {
    is($outcome{ $case->[0] }{outcome}, $case->[1], "$case->[0]: $case->[1]") or diag explain $outcome{ $case->[0] };
}
is($outcome{'15 return: value -> 0'}{by}, 'careful', 'a mutant is seen by the suite that looks');
is($outcome{'30 statement: without found += 1'}{how}, '2 of 2 suites asked', '... and unseen when all have been asked');
is({ try_mutant($tree, $tree, $named{'15 return: value -> 0'}, $sample, suites => ['careless']) }->{outcome}, 'unseen', '... or those that were wanted');
is((grep { $_->{outcome} eq 'not compiled' } values %outcome) + 0, 0, 'all of them compile');
is({ try_mutant($tree, $tree, { %{ $named{'15 return: value -> 0'} }, instead => ')' }, $sample) }->{outcome}, 'not compiled', 'one that does not is told');
my @four = map { +{ outcome => $_ } } 'seen', 'seen', 'unseen', 'not executed', 'not compiled', 'same code', 'equivalent';
is(share(@four), 50, 'the share: what does not compile or is the same does not count');
is(scalar(grep { counts($_) } @four), 4, '... four of seven');
is(share(), 0, '... of none');
is((run($^X, "$FindBin::Bin/mutate", '--nonsense'))[0], 2, 't/mutate: an unknown option');
my ($code, $help) = run($^X, "$FindBin::Bin/mutate", '--help');
like("$code $help", qr/^0 usage: .*--seed N.*--count N.*exit code/s, '... and --help');
my ($listed, $list) = run($^X, "$FindBin::Bin/mutate", '--list', '--seed', '3', '--count', '400', '--work', $folder);
is($listed, 0, '... and --list');
my %areas;
$areas{ (split /\t/)[1] }++ for split /\n/, $list;
is_deeply([sort keys %areas], [qw(access engine loader webhook)], '... has all four areas') or diag explain \%areas;
cmp_ok(scalar(split /\n/, $list), '==', 400, '... and as many as wanted');

done_testing;

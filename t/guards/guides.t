#!/usr/bin/env perl
# What README.md, docs/ and conf/ show: each command, and each block of settings or input, is of a suite or a script that says so and runs
# it (Disclosed::Guides; there its output is compared), or it is here with the reason why no test runs it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Guard;
use Disclosed::Guides qw(declared items);
use Test::More;

# Page, beginning, why it is not run; and where there is what is nearest to it: a file that has the text.
my @not_run = (
    [qr/^README/, qr/^\|? *\W*SEC, FINRA/, 'a picture'],
    [qr/^(?:README|docs.README)/, qr/^make check\b/, 'runs the suites'],
    [qr/^README/, qr/^\.\/quickstart check/, 'builds, lints, and runs the suites'],
    [qr/^docs.(?:follow|bootstrap)/, qr/^systemctl /, 'starts a service of the system'],
    [qr/^docs.mcp/, qr/^claude /, 'a client of a language model, which needs an account; t/clients.t has the SDKs, with the same address and header', 't/clients.t', '--header'],
    [qr/^docs.scale/, qr/^pg_autoctl /, 'starts servers, on three machines', 't/proofs/failover', 'kills'],
    [qr/^docs.scale/, qr/^DSC0003: /, 'lines of a log, by version of PgBouncer', 't/pgbouncer.t', 'DSC0003: ERROR:'],
    [qr/^docs.client/, qr/^webhook-id: /, 'headers, explained', 't/first-hour/client', 'webhook-id'],
    [qr/^docs.import.congress/, qr/^chamber \//, 'the parts of a key, explained'],
    [qr/^docs.import.sec-ownership/, qr/^"footnotes":/, 'a part of a response that the demo data do not have', 't/insider.t', 'footnotes'],
    [qr/^docs.internals/, qr/./, 'pictures, and commands by which contributors run the suites themselves'],
);

my @files = grep { $_ !~ m{^t/(?:citus|clients|fuzz|lib)/} && slurp($_) =~ /^# runs /m } tree(qr{\.t$|^t/(?:first-hour|proofs)/}, 't');
looked_at(scalar @files, 11, 'suites and scripts that run what the guides show');
my (@declared, @faults);
for my $file (@files) {
    my $text = slurp($file);
    push @faults, "$file: does not see whether all of it is run" if $file !~ m{^t/proofs/} && $text !~ /->all_ran;|' all_ran$/m;
    push @faults, map { "$file: not understood: $_" } grep { !/^# runs (?:README\.md|docs|conf)[^\s:]*(?: [^\s:]+)*: \S/ } $text =~ /^(# runs .*)$/mg;
    push @declared, map { [@$_, $file, 0] } declared(root() . "/$file");
}
my @items = items();
looked_at(scalar @items, 250, 'commands and blocks in the guides');
my (@nobody, %used);
for my $item (@items) {
    my @by = grep { $item->{page} =~ $_->[0] && $item->{text} =~ $_->[1] } @declared;
    my @not = grep { $item->{page} =~ $not_run[$_][0] && $item->{text} =~ $not_run[$_][1] } 0 .. $#not_run;
    $_->[4]++ for @by;
    $used{$_}++ for @not;
    push @nobody, "$item->{place}: $item->{text}" if !@by && !@not;
    push @faults, "$item->{place}: $by[0][3] runs it, and $0 says why nobody does" if @by && @not;
}
none(\@nobody, 'each is run by a suite');
none(\@faults, 'the suites say so as it is');
none([map { "$_->[3]: # runs $_->[2]" } grep { !$_->[4] } @declared], 'no suite says that it runs what no guide has');
none([map { "$not_run[$_][1]" } grep { !$used{$_} } 0 .. $#not_run], 'nothing is here that no guide has');
none([map { "$_->[3] has no $_->[4]" } grep { $_->[3] && index(slurp($_->[3]), $_->[4]) < 0 } @not_run], 'what is nearest to it is there');
done_testing;

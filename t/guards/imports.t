#!/usr/bin/env perl
# Loading: each importer has a page in docs/import/, under the headings that all of them have, and a line in the index there and in
# README.md. The columns of NDJSON are those that the program exports.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Disclosed::JSON ();
use Test::More;

my @headings = ('What it is', 'Where to get it', 'The command', 'What is made of it', 'What is rejected and why', 'How it is updated');

my $ctl = $ENV{DISCLOSED_CTL} || root() . '/disclosedctl';
plan skip_all => "no disclosedctl at $ctl: build first, or run make check" unless -x $ctl;
my $tables = Disclosed::JSON->new->utf8->decode(scalar `'$ctl' tables --json`);
my @importers = map { $_->{name} } $tables->{importers}->@*;
looked_at(scalar @importers, 17, 'importers');

my %page = map { m{([\w-]+)\.md$} ? ($1 => slurp($_)) : () } tree(qr/\.md$/, 'docs/import');
is(join("\n", grep { !defined $page{$_} } @importers), '', 'each importer has a page');
for my $name (grep { defined $page{$_} } @importers) {
    my $text = $page{$name};
    is(($text =~ /\A# (.*)$/m)[0], $name, "docs/import/$name.md is about it");
    is_deeply([$text =~ /^## (.*)$/gm], \@headings, '... has the headings of all');
    my @sections = $text =~ /^## [^\n]*\n(.*?)(?=^## |\z)/gms;
    is(scalar(grep { /\S/ } @sections), scalar @headings, '... none of them empty');
    like($text, qr/^    (?:\$ )?disclosedctl import (?:--\S+ (?:\S+ )?)*\Q$name\E /m, '... its command');
}

my ($index) = $page{README} =~ /^\| source \|[^\n]*\n\|[-|]+\n(.*?)\n\n/ms;
same_set([$index =~ /^\| \[([\w-]+)\]\(\1\.md\)/gm], \@importers, 'the index has a line for each');
my %in_readme = map { ($_ => 1) } slurp('README.md') =~ /^    \.\/quickstart import ([\w-]+) /gm;
none([grep { !$in_readme{$_} } @importers], 'README.md has a command of each');
is(system("'$^X' '@{[root()]}/docs/make-datasets' --check '$ctl'"), 0, 'docs/import/datasets.md is current');
done_testing;

#!/usr/bin/env perl
# Directives: module/settings.h, docs/directives.md and the sample configuration say the same.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

# The list in settings.h, as text: KIND(member, "Name", ...).
my ($list) = slurp('mod_disclosed/module/settings.h') =~ /#define DSC_SETTINGS\([^)]*\)(.*?)\/\* clang-format on/s;
my @directives = $list =~ /\b(?:FLAG|NUMBER|TEXT|LIST|LINES)\(\w+,\s*"(\w+)"/g;
looked_at(scalar @directives, 10, 'directives');

my $docs = slurp('docs/directives.md');
my %section = $docs =~ /^## (Disclosed\w+)\n(.*?)(?=^## |\z)/gms;
same_set([keys %section], \@directives, 'docs/directives.md has a section for each, and no other');

my @parts = ('Syntax', 'Default', 'Context');
none([grep { my $name = $_; grep { ($section{$name} || '') !~ /^- $_: \S/m } @parts } @directives],
     'each section has syntax, default and context');
none([grep { ($section{$_} || '') !~ /^    .*$_ /m } @directives], 'each section has an example');

my %configured;
for my $path ('conf/disclosed.conf', 'conf/example-site.conf') {
    my @lines = slurp($path) =~ /^\s*#?\s*(Disclosed\w+)\s+\S/gm;
    $configured{$_} = 1 for @lines;
}
same_set([keys %configured], \@directives, 'the sample configuration has each, and no other');

my $numbers = 0;
while ($list =~ /\bNUMBER\(\w+,\s*"(\w+)",\s*(\d+),\s*(\d+),\s*(\d+),/g) {
    my ($name, $default, $least, $most) = ($1, $2, $3, $4);
    $numbers++;
    like($section{$name}, qr/^- Default: \Q$default\E\b/m, "$name: its default is documented");
    like($section{$name}, qr/\b$least to $most\b/, "$name: its range is documented");
    like(slurp('conf/disclosed.conf'), qr/Default: $default\.\s+#?\s*\Q$name\E /,
         "$name: its default is in disclosed.conf");
}
looked_at($numbers, 3, 'directives that take a number');

my $flags = 0;
while ($list =~ /\bFLAG\(\w+,\s*"(\w+)",\s*([01]),/g) {
    my ($name, $default) = ($1, $2 ? 'On' : 'Off');
    $flags++;
    like($section{$name}, qr/^- Default: `?$default\b/m, "$name: its default is documented");
}
looked_at($flags, 2, 'switches');
done_testing;

#!/usr/bin/env perl
# Directives: module/config.c, docs/directives.md and the sample configuration say the same.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my $code = without_comments(slurp('mod_disclosed/module/config.c'));
my @directives = $code =~ /\bAP_INIT_\w+\(\s*"(\w+)"/g;
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

# The numbers: {"Name", APR_OFFSETOF(..., member), least, most, "unit"} and the default of member.
my %default_name = without_comments(slurp('mod_disclosed/module/mod_disclosed.c'))
    =~ /dsc_config_number\(config->(\w+),\s*(DSC_\w+)\)/g;
my %value = slurp('mod_disclosed/module/config.h') =~ /\b(DSC_\w+)\s*=\s*(\d+)/g;
my $numbers = 0;
while ($code =~ /\{"(Disclosed\w+)",\s*APR_OFFSETOF\(\w+,\s*(\w+)\),\s*(\d+),\s*(\d+),/g) {
    my ($name, $member, $least, $most) = ($1, $2, $3, $4);
    my $default = $value{$default_name{$member} || ''};
    $numbers++;
    like($section{$name}, qr/^- Default: \Q$default\E\b/m, "$name: its default is documented");
    like($section{$name}, qr/\b$least to $most\b/, "$name: its range is documented");
    like(slurp('conf/disclosed.conf'), qr/Default: $default\.\s+#?\s*\Q$name\E /,
         "$name: its default is in disclosed.conf");
}
looked_at($numbers, 3, 'directives that take a number');
done_testing;

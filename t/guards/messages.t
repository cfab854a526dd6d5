#!/usr/bin/env perl
# Log messages: one number one place, each explained in docs/messages.md.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

# The engine reports a number through dsc_log_t: log_text(worker, 51, ...); a choice between two
# numbers counts as one place for each. Where a number has a name, DSC_MESSAGE_..., that is its place.
sub engine_numbers {
    my ($code) = @_;
    my @numbers = map { sprintf 'DSC%04d', $_ } $code =~ /\bDSC_MESSAGE_\w+ = (\d+)/g;
    while ($code =~ /\blog_text\(\s*\w+,\s*([^,]+),/g) {
        my $argument = $1;
        $argument =~ s/^.*\?//s;
        push @numbers, map { sprintf 'DSC%04d', $_ } $argument =~ /\b(\d+)\b/g;
    }
    return @numbers;
}

# The text of a call from its name to the semicolon, strings of one argument joined.
sub log_calls {
    my ($code) = @_;
    my @calls = $code =~ /\b(ap_log_\w?error\((?:[^;"]|"(?:[^"\\]|\\.)*")*;)/g;
    s/"\s*"//g for @calls;
    return @calls;
}

my (%places, @unnumbered);
my $calls = 0;
for my $path (tree(qr/\.[ch]$/, 'mod_disclosed')) {
    my $code = without_comments(slurp($path));
    my @numbers = ($code =~ /"(DSC\d{4}): /g, engine_numbers($code));
    push @{$places{$_}}, $path for @numbers;
    for my $call (log_calls($code)) {
        $calls++;
        next if $call =~ /\bAPLOG_(?:DEBUG|TRACE\d|INFO)\b/ || $call =~ /"DSC(?:\d{4}|%04d): /;
        push @unnumbered, "$path: $call";
    }
}

my $docs = slurp('docs/messages.md');
my @documented = $docs =~ /^## (DSC\d{4})\b/gm;
looked_at($calls, 10, 'log calls');
looked_at(scalar keys %places, 10, 'message numbers');
none([map { "$_: @{$places{$_}}" } grep { @{$places{$_}} > 1 } sort keys %places],
     'each number stands in one place');
none(\@unnumbered, 'every message from notice up has a number');
same_set(\@documented, [keys %places], 'docs/messages.md explains each number, and no other');

my %section = $docs =~ /^## (DSC\d{4})\b[^\n]*\n(.*?)(?=^## |\z)/gms;
none([grep { $section{$_} !~ /^What to do: \S/m } sort keys %section], 'each says what to do');
done_testing;

#!/usr/bin/env perl
# A reader's sizes: no function over 100 lines, no file over 800; prints how they spread.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

use constant {MOST_IN_FUNCTION => 100, MOST_IN_FILE => 800};

# What may be larger, and why: path, or path:function.
my %exception = ();

# functions(TEXT): [name, lines] of each; a body begins and ends with a brace in the first column.
sub functions {
    my @lines = split /\n/, without_comments($_[0]);
    my @found;
    my $begin;
    for my $i (0 .. $#lines) {
        if ($lines[$i] eq '{') {
            $begin = $i;
            $begin-- while $begin > 0 && $lines[$begin - 1] =~ /\S/ && $lines[$begin - 1] !~ /[;}]\s*$|^\s*#/;
        } elsif ($lines[$i] eq '}' && defined $begin) {
            my ($name) = join(' ', @lines[$begin .. $i]) =~ /(\w+)\s*\(/;
            push @found, [$name, $i - $begin + 1];
            undef $begin;
        }
    }
    return @found;
}

is_deeply([functions("int f(void)\n{\n    return 1; /* }\n*/\n}\n\nstatic int g(int a,\n             int b)\n{\n}\n")],
          [['f', 5], ['g', 4]], 'functions are found and measured');

my (@too_large, %used, @sizes, $files);
for my $path (tree(qr/\.[ch]$/, 'mod_disclosed', 'include', 't/unit', 't/fuzz')) {
    my $text = slurp($path);
    my $lines = () = $text =~ /\n/g;
    $files++;
    if ($lines > MOST_IN_FILE) {
        $used{$path} = 1;
        push @too_large, "$path: $lines lines" unless $exception{$path};
    }
    for my $function (functions($text)) {
        my ($name, $length) = @$function;
        push @sizes, [$length, "$path:$name"];
        next if $length <= MOST_IN_FUNCTION;
        $used{"$path:$name"} = 1;
        push @too_large, "$path:$name: $length lines" unless $exception{"$path:$name"};
    }
}

looked_at($files, 80, 'files');
looked_at(scalar @sizes, 600, 'functions');
none(\@too_large, 'no function over ' . MOST_IN_FUNCTION . ' lines, no file over ' . MOST_IN_FILE);
none([grep { !$used{$_} } sort keys %exception], 'every exception is still needed');

@sizes = sort { $b->[0] <=> $a->[0] } @sizes;
my $under_forty = grep { $_->[0] < 40 } @sizes;
diag(sprintf '%d functions in %d files: median %d lines, %.1f %% under 40; the longest: %s',
     scalar @sizes, $files, $sizes[@sizes / 2][0], 100 * $under_forty / @sizes,
     join ', ', map { "$_->[1] $_->[0]" } @sizes[0 .. 4]);
cmp_ok($under_forty / @sizes, '>=', 0.9, 'nine in ten functions are under 40 lines');
done_testing;

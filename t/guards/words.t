#!/usr/bin/env perl
# What no file may hold: things left undone, keys, and formats that APR's formatter does not know.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my @files = grep { !m{/words\.t$} }
    (tree(qr/./, qw(mod_disclosed include sql conf docs scripts t)),
     grep { -f root() . "/$_" } qw(README.md ChangeLog Makefile.am configure.ac quickstart .ci/run));
my (@undone, @keys, @formats, $calls);
for my $path (@files) {
    my $text = slurp($path);
    my $line = 0;
    for (split /\n/, $text) {
        $line++;
        push @undone, "$path:$line: $_" if /\b(?:TODO|FIXME|XXX)\b/;
        push @keys, "$path:$line" if /sk_(?:live|test)_[0-9A-Za-z]{36}/;
    }
    next unless $path =~ m{^(?:mod_disclosed|t/unit|t/fuzz)/.*\.[ch]$};
    # %ll is C's: APR's formatter prints it as text and takes no argument for it. APR_INT64_T_FMT does.
    my $code = without_comments($text);
    while ($code =~ /\b(apr_p?s?n?printf|apr_p?vs?n?printf|dsc_buffer_printf|ap_log_\w?error)(\((?:[^;"]|"(?:[^"\\]|\\.)*")*;)/g) {
        my ($function, $call) = ($1, $2);
        $calls++;
        push @formats, "$path: $function" if $call =~ /"[^"]*%[-+ #0-9.]*(?:ll|z|t|j)[diuxX]/;
    }
}
looked_at(scalar @files, 150, 'files');
looked_at($calls, 100, 'calls of APR\'s formatter');
none(\@undone, 'nothing is left undone');
none(\@keys, 'no text looks like an API key');
none(\@formats, 'APR\'s formatter is given only what it knows');
done_testing;

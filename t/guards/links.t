#!/usr/bin/env perl
# Links between the documentation's pages lead somewhere, and pages that the sources name exist.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

# Anchors of a page, as GitHub makes them from headings.
sub anchors {
    my ($text) = @_;
    $text =~ s/^(?: {4}|\t).*$//gm;
    my %anchor;
    for my $heading ($text =~ /^#{1,6} (.+)$/gm) {
        my $anchor = lc $heading;
        $anchor =~ s/[^a-z0-9 _-]//g;
        $anchor =~ tr/ /-/;
        $anchor{$anchor} = 1;
    }
    return \%anchor;
}

my @pages = ('README.md', tree(qr/\.md$/, 'docs'));
my %anchors = map { $_ => anchors(slurp($_)) } @pages;
my (@broken, %linked);
my $links = 0;
for my $page (@pages) {
    my $text = slurp($page);
    $text =~ s/^(?: {4}|\t).*$//gm;
    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my $target = $1;
        next if $target =~ /^\w+:/;
        $links++;
        my ($file, $anchor) = $target =~ /^([^#]*)(?:#(.*))?$/;
        my $path = $file eq '' ? $page : ($page =~ m{^(.*/)})[0] // '';
        $path .= $file if $file ne '';
        1 while $path =~ s{[^/]+/\.\./}{};
        $path .= 'README.md' if $path =~ m{/$};
        $linked{$path} = 1 if $path ne $page;
        push @broken, "$page: $target" unless -e root() . "/$path" && (!defined $anchor || !$anchors{$path} || $anchors{$path}{$anchor});
    }
}
looked_at(scalar @pages, 25, 'pages');
looked_at($links, 80, 'links');
none(\@broken, 'every link leads somewhere');
none([grep { !$linked{$_} && $_ ne 'README.md' && $_ ne 'docs/README.md' } @pages], 'every page is linked from another');

my @named;
for my $path (tree(qr/\.(?:[chl]|sql|conf|pm|t|am|ac)$/, qw(mod_disclosed include sql conf t)), tree(qr{\.sh$}, 'scripts'), 'README.md', 'quickstart') {
    push @named, map { "$path: $_" } slurp($path) =~ m{\b(docs/[\w./-]+\.md)\b}g;
}
looked_at(scalar @named, 3, 'pages named in sources');
none([grep { my ($page) = /: (\S+)$/; !-e root() . "/$page" } @named], 'every page that a source names exists');
done_testing;

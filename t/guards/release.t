#!/usr/bin/env perl
# A release has every file of the tree: what EXTRA_DIST and dist_... of Makefile.am name, and what automake lists by itself: sources, and
# what configure makes files of.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my $makefile = slurp('Makefile.am') =~ s/\\\n/ /gr;
my $extra = join ' ', $makefile =~ /^(?:EXTRA_DIST|dist_\w+) = (.*)$/mg;
my ($configured) = slurp('configure.ac') =~ /AC_CONFIG_FILES\(\[(.*?)\]/s or die "configure.ac has no AC_CONFIG_FILES\n";
my @named = (($extra =~ s/\$\(wildcard [^)]*\)//gr) =~ /(\S+)/g, map { "$_.in" } $configured =~ /([^\s:]+)/g);
my @patterns = map { s{\*}{[^/]*}gr } $extra =~ m{\$\(srcdir\)/([^)\s]+)}g;

# Sources stand in the lists that t/guards/sources.t holds against the files.
sub is_released
{
    my ($path) = @_;
    return $path =~ /\.(?:c|h|am)\z/ || (grep { $path eq $_ || $path =~ m{^\Q$_\E/} } @named) || grep { $path =~ /^$_\z/ } @patterns;
}

my @files = tree(qr/./, qw(t scripts conf debian docs));
looked_at(scalar @files, 250, 'files');
none([grep { !is_released($_) } @files], 'each is in a release');
done_testing;

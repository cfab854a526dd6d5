package Guard;

# What the guards share: reading the project's files, and C without its comments.
# Each guard tells by looked_at() how many things it has seen, so that none passes empty.

use strict;
use warnings;

use Exporter 'import';
use File::Find ();
use FindBin ();
use Test::More ();

our @EXPORT = qw(root slurp tree without_comments looked_at none same_set);

sub root { $ENV{DISCLOSED_SRCDIR} || "$FindBin::Bin/../.." }

# slurp(PATH): the text of a file, its path taken from the project's root.
sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', root() . "/$path" or die "$path: $!\n";
    local $/;
    my $text = <$file>;
    close $file;
    return $text;
}

# tree(PATTERN, FOLDER...): paths of the files below the folders, or in the root for '', that match.
sub tree {
    my ($pattern, @folders) = @_;
    my $root = root();
    my @found;
    for my $folder (@folders) {
        next unless -d "$root/$folder";
        my $take = sub {
            my $path = $File::Find::name;
            $path =~ s{^\Q$root\E/*(?:\./)?}{};
            push @found, $path if -f $File::Find::name && $path =~ $pattern;
        };
        my $enter = sub { $folder eq '' ? grep { -f "$File::Find::dir/$_" } @_ : grep { !/^(?:\.|node_modules$)/ || $_ eq '.' } @_ };
        File::Find::find({wanted => $take, preprocess => $enter, no_chdir => 1}, "$root/$folder");
    }
    return sort @found;
}

# without_comments(TEXT): C with its comments blanked, strings and line numbers kept.
sub without_comments {
    my ($text) = @_;
    $text =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')|(/\*.*?\*/|//[^\n]*)}
              {defined $1 ? $1 : do { (my $blank = $2) =~ s/[^\n]//g; " $blank" }}gse;
    return $text;
}

# looked_at(COUNT, LEAST, WHAT): a guard that sees too little is broken, not content.
sub looked_at {
    my ($count, $least, $what) = @_;
    Test::More::cmp_ok($count, '>=', $least, "looked at $count $what, at least $least");
}

# none(LIST, WHAT): passes when the list is empty, else names what is in it.
sub none {
    my ($list, $what) = @_;
    Test::More::is(join("\n", @$list), '', $what);
}

# same_set(GOT, EXPECTED, WHAT): both hold the same texts, in any order, none twice.
sub same_set {
    my ($got, $expected, $what) = @_;
    Test::More::is_deeply([sort @$got], [sort @$expected], $what);
}

1;

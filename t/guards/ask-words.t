#!/usr/bin/env perl
# Expressions of questions that are tried only where the question has one of their words: none matches a question without such a word.
# A text that an expression matches is made of each of its alternatives.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

use constant MOST => 20_000; # texts of one expression

# --- texts that an expression matches: a list, from its beginning or from that of a group ------

# How often it may stand there: what follows it takes away from the expression.
sub times_of {
    my ($expression) = @_;
    return $$expression =~ s/^(?:[?*]\??|\{0,\d+\})// ? (0, 1) : $$expression =~ s/^\+\??// ? 1 : $$expression =~ s/^\{(\d+)(?:,\d*)?\}// ? $1 : 1;
}

sub one_piece {
    my ($expression) = @_;
    if ($$expression =~ s/^\((\?(?:[:=!]|<[=!]))?//) {
        my $kind = $1 // '';
        my @texts = alternatives($expression);
        $$expression =~ s/^\)// or die "a group without its end: $$expression";
        return $kind =~ /[=!]/ ? ('') : @texts;
    }
    return ' ' if $$expression =~ s/^\.\*\??//; # between words
    return '' if $$expression =~ s/^(?:\\[mMyAZ]|\^|\$)//;
    return 'x' if $$expression =~ s/^(?:\\w|\\S|\.)//;
    return ' ' if $$expression =~ s/^(?:\\s|\[\[:space:\][^\]]*\])//;
    return 'x' if $$expression =~ s/^\[\^[^\]]*\]//;
    if ($$expression =~ s/^\[([^\]]*)\]//) {
        my $class = $1;
        return $class =~ /^(?:\w-\w)+\z/ ? substr($class, 0, 1) : split //, $class;
    }
    return $1 if $$expression =~ s/^\\?([^()|\[\]\\])//;
    die "not understood: $$expression";
}

sub alternatives {
    my ($expression) = @_;
    my (@all, @texts);
    @texts = ('');
    while (length $$expression && $$expression !~ /^\)/) {
        if ($$expression =~ s/^\|//) {
            push @all, @texts;
            @texts = ('');
            next;
        }
        my @pieces = one_piece($expression);
        my @times = times_of($expression);
        my %seen;
        my @parts = grep { !$seen{$_}++ } map { my $times = $_; $times ? map { $_ x $times } @pieces : '' } @times;
        @texts = map { my $text = $_; map { $text . $_ } @parts } @texts;
        die "more than " . MOST . " texts" if @texts > MOST;
    }
    return (@all, @texts);
}

# The first text that it matches without any of the words.
sub unseen {
    my ($expression, @words) = @_;
    my %is_word = map { ($_ => 1) } @words;
    my $left = $expression;
    for my $text (alternatives(\$left)) {
        return "\"$text\"" if !grep { $is_word{$_} } split / +/, $text;
    }
    return;
}

# --- where expressions stand behind words ------------------------------------------------------

my $literal = qr/'((?:[^']|'')*)'(?!\s*\|\|)/; # a part of an expression cannot be looked at
my $words = qr/'\{([a-z0-9,]+)\}'/;

# Of a text of SQL: [place, expression, words].
sub behind_words {
    my ($sql) = @_;
    my (@found, $number);
    for my $line (split /\n/, $sql) {
        $number++;
        push @found, [$number, $3, $2] while $line =~ /\b(words) && $words AND (?:r\.rest|plain|body) ~ $literal/g;
        push @found, [$number, $3, $2] while $line =~ /ask_says\(([\w.]+), $words\)\s*THEN (?:\w+ := )?regexp_(?:match|replace)\(\1, $literal/g;
    }
    while ($sql =~ /^( +)(?:IF|ELSIF) disclosed\.ask_says\(([\w.]+), $words\) THEN\n((?:\1 .*\n)+)/mg) {
        my ($of, $list, $block) = ($2, $3, $4);
        my $place = 1 + (() = substr($sql, 0, $-[0]) =~ /\n/g);
        push @found, [$place, $1, $list] while $block =~ /regexp_(?:match|replace)\(\Q$of\E, $literal/g;
    }
    return @found;
}

sub faults {
    my ($sql) = @_;
    my @faults;
    for my $found (behind_words($sql)) {
        my ($place, $expression, $list) = @$found;
        my $text = unseen($expression =~ s/''/'/gr, split /,/, $list);
        push @faults, "line $place: $text has none of $list" if defined $text;
    }
    return @faults;
}

# --- planted -----------------------------------------------------------------------------------

my $planted = "WHEN words && '{ceo,chief}' AND r.rest ~ '\\m(ceo|chief executive|chair(man)?)\\M' THEN 1\n";
is_deeply([faults($planted)], ['line 1: "chair" has none of ceo,chief'], 'an alternative without its word is seen');
is_deeply([faults($planted =~ s/ceo,chief/ceo,chief,chair/r)], ['line 1: "chairman" has none of ceo,chief,chair'], '... each of its forms');
is_deeply([faults($planted =~ s/ceo,chief/ceo,chief,chair,chairman/r)], [], '... and none with its words');
is_deeply([faults("    IF disclosed.ask_says(r.rest, '{pay}') THEN\n        x := regexp_replace(r.rest, '\\m(?:pay|paid)\\M', '');\n    END IF;\n")], ['line 1: "paid" has none of pay'], 'in a block, too');

# --- what reads a question, and all that was restated of it since ------------------------------

my (@found, @seen);
for my $path (grep { slurp($_) =~ /\bask_says\(/ } tree(qr/\.sql$/, 'sql')) {
    my $sql = slurp($path);
    push @seen, behind_words($sql);
    push @found, map { "$path: $_" } faults($sql);
}
looked_at(scalar @seen, 15, 'expressions behind words');
none(\@found, 'no expression matches what has none of its words');
done_testing();

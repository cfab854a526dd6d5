#!/usr/bin/env perl
# Migrations are numbered without gaps, and those that have landed never change: databases have them. What the tables of
# datasets say of them, t/tables.t looks at in a migrated database.
use strict;
use warnings;

use Digest::SHA 'sha256_hex';
use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my @migrations = map { m{([^/]+)$} } grep { !m{/roles\.sql$} } tree(qr/\.sql$/, 'sql');
looked_at(scalar @migrations, 20, 'migrations');
my @numbers = map { /^(\d{4})_[a-z][a-z0-9_]*\.sql$/ ? $1 + 0 : $_ } @migrations;
is_deeply(\@numbers, [1 .. @numbers], 'numbered from 0001 without gaps, named NNNN_name.sql');

# --- what has landed is as it was: sql/SHA256SUMS has a line for each, as sha256sum prints it -----

my %text = map { $_ => slurp("sql/$_") } @migrations;
my $sums = slurp('sql/SHA256SUMS');

# What is wrong with the texts of migrations, by the file of their sums.
sub edited {
    my ($lines, %now) = @_;
    my %noted = reverse $lines =~ /^([0-9a-f]{64})  (\S+)$/gm;
    return ((map { "$_ was edited: write a new migration" } grep { exists $now{$_} && sha256_hex($now{$_}) ne $noted{$_} } sort keys %noted),
        (map { "$_ is gone: what has landed stays" } grep { !exists $now{$_} } sort keys %noted),
        (map { "$_ has no line in sql/SHA256SUMS" } grep { !exists $noted{$_} } sort keys %now));
}

none([edited($sums, %text)], 'migrations are as they have landed');
my ($first, $last) = @migrations[0, -1];
is_deeply([edited($sums, %text, $first => "$text{$first}\n")], ["$first was edited: write a new migration"], '... an edit would be seen');
is_deeply([edited($sums =~ s/^.*\Q$last\E\n//mr, %text)], ["$last has no line in sql/SHA256SUMS"], '... and a new one without a line');
is_deeply([edited($sums, map { $_ => $text{$_} } @migrations[1 .. $#migrations])], ["$first is gone: what has landed stays"], '... and one that is taken away');

# --- what they may not do --------------------------------------------------------------------------

# Functions that run as the owner are granted one by one; a grant of all would take that back.
my @blanket = grep { $text{$_} =~ /^\s*GRANT\b[^;]*\bALL\s+(?:FUNCTIONS|ROUTINES|PROCEDURES)\b/mi } @migrations;
none(\@blanket, 'no migration grants all functions');

# Hosts with the module of before go on while others have the new one: what it asks for stays. What goes since the rule stands has a line that
# says why nobody asks for it.
sub taken_away {
    my (%now) = @_;
    return map { my $name = $_; map { "$name: $_" } grep { !/-- asked for by \S/ } $now{$name} =~ /^(?![ \t]*--)(.*\b(?:DROP[ ](?:FUNCTION|PROCEDURE|VIEW|TABLE|COLUMN|TYPE|SCHEMA)\b(?![ ]IF[ ]EXISTS[ ]pg_temp)|RENAME\b).*)$/gm }
        grep { substr($_, 0, 4) > 82 } sort keys %now;
}

none([taken_away(%text)], 'what the module of before asks for stays');
my $gone = '0083_planted.sql: DROP FUNCTION passage_provenance(text_origin, bigint);';
is_deeply([taken_away(%text, split /: /, $gone)], [$gone], '... a function that goes would be seen');
is_deeply([taken_away(%text, '0083_planted.sql' => "ALTER TABLE a DROP COLUMN b; -- asked for by the loader alone\n-- DROP TABLE c\n")], [], '... and what nobody serving asks for may go');

# Migrations that are named elsewhere are there; tests make some of their own.
my @others = tree(qr/\.(?:c|h|md|sql|am)$|^ChangeLog$/, '', qw(conf docs mod_disclosed sql));
my (@dangling, $named);
for my $path (@others) {
    for my $name (slurp($path) =~ /\b(0\d{3}_[a-z]\w+)/g) {
        $named++;
        push @dangling, "$path: $name" if !exists $text{"$name.sql"};
    }
}
looked_at($named, 10, 'mentions of migrations');
none(\@dangling, 'migrations that are mentioned exist');

done_testing;

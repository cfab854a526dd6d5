#!/usr/bin/env perl
# Migrations are numbered without gaps, released ones never change, and the tables that they make
# have the columns that the datasets name.
use strict;
use warnings;

use Digest::SHA 'sha256_hex';
use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my @migrations = grep { !m{/roles\.sql$} } tree(qr/\.sql$/, 'sql');
looked_at(scalar @migrations, 1, 'migrations');
my @numbers = map { m{^sql/(\d{4})_[a-z][a-z0-9_]*\.sql$} ? $1 + 0 : $_ } @migrations;
my %here = map { $_ => 1 } @numbers;
# Numbers that are given to migrations which are being written: none of them may be missing in a release.
my %awaited = map { $_ => 1 } 27, 28;
is_deeply(\@numbers, [grep { $here{$_} || !$awaited{$_} } 1 .. $numbers[-1]],
          'numbered from 0001 without gaps, named NNNN_name.sql');

# A release freezes its migrations: sql/CHECKSUMS has them as sha256sum prints them.
my @released = slurp('ChangeLog') =~ /^(\d+\.\d+\.\d+)(?! \(not released yet\))/gm;
my $checksums = -e root() . '/sql/CHECKSUMS' ? slurp('sql/CHECKSUMS') : '';
my %frozen = reverse $checksums =~ /^([0-9a-f]{64})  (\S+)$/gm;
ok(!@released || %frozen, 'migrations of a released version are listed in sql/CHECKSUMS');
none([grep { sha256_hex(slurp("sql/$_")) ne $frozen{$_} } sort keys %frozen], 'frozen migrations are as they were');

# --- tables and datasets --------------------------------------------------------------------------

my %table;
for my $sql (map { slurp($_) } @migrations) {
    $sql =~ s/--[^\n]*//g;
    while ($sql =~ /^CREATE TABLE (\w+) \(\n(.*?)^\);/gms) {
        my ($name, $body) = ($1, $2);
        $table{$name} = {map { $_ => 1 } $body =~ /^    ([a-z]\w*)\s/gm};
        %{$table{$name}} = (%{$table{$name}}, %{$table{$_} || {}}) for $body =~ /^    LIKE (\w+)\b/gm;
    }
    $table{$1}{$2} = 1 while $sql =~ /ALTER TABLE (\w+)\s+ADD COLUMN (?:IF NOT EXISTS )?(\w+)/g;
}
my @common = qw(row_id id issuer_id record_key known_at superseded_at recorded_at import_run_id src_digest
    source_provider source_url accession quote content_hash extracted_at);

# #define NAME {"a", ...}, {"b", ...} of column tables, and the tables themselves.
my (@wrong, @undated, @unfinished, $datasets, $columns);
my %finished = map { $_ => 1 } map { slurp($_) =~ /^CALL finish_dataset_table\('(\w+)'\);/gm } @migrations;
for my $path (tree(qr/\.c$/, 'mod_disclosed/datasets')) {
    my $code = without_comments(slurp($path));
    my %macro = $code =~ /^#define (\w+)\s*\\\n((?:.*\\\n)*.*)$/gm;
    my %list;
    while ($code =~ /const dsc_column_t (\w+)\[\] = \{(.*?)^\};/gms) {
        my ($name, $body) = ($1, $2);
        $body =~ s/^\s+(\w+),$/exists $macro{$1} ? "$macro{$1}," : $&/gme;
        $list{$name} = [$body =~ /\{"(\w+)",\s*DSC_COLUMN_/g];
    }
    while ($code =~ /const dsc_dataset_t \w+ = \{\s*"(\w+)",\s*"(\w+)",.*?,\s*(\w+_columns),\s*DSC_COUNT\(\3\),\s*(?:NULL|"(\w+)")/gs) {
        my ($dataset, $table, $list, $day) = ($1, $2, $3, $4);
        $datasets++;
        $columns += @{$list{$list}};
        push @wrong, "$dataset: $table.$_" for grep { !$table{$table}{$_} } @{$list{$list}}, @common;
        push @unfinished, $table unless $finished{$table};
        push @undated, "$dataset: $day" if defined $day && !$table{$table}{$day};
    }
}
looked_at($datasets, 8, 'datasets');
looked_at($columns, 80, 'columns of datasets');
looked_at(scalar keys %table, 15, 'tables');
none(\@wrong, 'every column of a dataset, and every common one, is in its table');
none(\@unfinished, 'every dataset\'s table has its keys and common indexes');
none(\@undated, 'the date column of a dataset is in its table');
done_testing;

package Disclosed::References;

# What rows of versions name and is not there: loads keep references without foreign keys.

use v5.24;
use warnings;
use Exporter qw(import);

our @EXPORT_OK = qw(dangling issuer_columns);

# Where a column points to, by its name.
my %targets = (
    issuer_id     => 'issuer (issuer_id)', company_id      => 'issuer (issuer_id)', registrant_id => 'issuer (issuer_id)', held_by => 'issuer (issuer_id)',
    company_or_politician_id => 'issuer (issuer_id)',
    source_id     => 'source (source_id)', source_provider => 'source_provider (provider)', provider => 'source_provider (provider)',
);

# Columns that hold the number of an issuer, which are given in the order of coming.
sub issuer_columns { return grep { $targets{$_} =~ /^issuer / } sort keys %targets }

# Each as "table.column: rows"; a view points where its tables do.
sub dangling
{
    my ($cluster, $database) = @_;
    my $names = join ', ', map { "'$_'" } sort keys %targets;
    my @columns = $cluster->rows($database, "SELECT c.relname AS table, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            . " WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname IN ($names) AND NOT a.attisdropped ORDER BY 1, 2");
    die "no table refers to anything\n" if @columns < 60;
    my @asked = map {
        my ($table, $key) = $targets{$_->{column}} =~ /^(\w+) \((\w+)\)/;
        $table eq $_->{table} ? ()
            : "SELECT '$_->{table}.$_->{column}' AS place, count(*) AS rows FROM disclosed.$_->{table} t WHERE t.$_->{column} IS NOT NULL"
            . " AND NOT EXISTS (SELECT FROM disclosed.$table k WHERE k.$key = t.$_->{column})"
    } @columns;
    return map { "$_->{place}: $_->{rows}" } grep { $_->{rows} } $cluster->rows($database, join ' UNION ALL ', @asked);
}

1;

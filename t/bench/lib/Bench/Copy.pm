package Bench::Copy;

# What PostgreSQL itself takes for the rows that a load has stored: COPY into the same tables, as they are, and without indexes and
# keys that are made afterwards.

use strict;
use warnings;
use Exporter 'import';

use Bench::Loads qw(backend_seconds);

our @EXPORT_OK = qw(dump_rows copy_rows);

sub lines_of
{
    my ($database, $name, $sql) = @_;
    return split /\n/, $database->psql('postgres', $name, '-c', 'SET search_path = disclosed, public', '-c', $sql);
}

# Tables that have rows.
sub filled_tables
{
    my ($database, $name) = @_;
    return lines_of($database, $name, "SELECT relname FROM pg_class WHERE relnamespace = 'disclosed'::regnamespace AND relkind = 'r'"
        . " AND (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM disclosed.%I', relname), false, true, '')))[1]::text <> '0'"
        . ' ORDER BY relname');
}

# Writes the rows of all tables that have some, and had none before (`empty`), into a folder, a file each; but not the log of loads. Returns
# the tables, those that others point to first.
sub dump_rows
{
    my ($database, $name, $empty, $folder) = @_;
    mkdir $folder or die "$folder: $!\n";
    $database->give_to_user($folder);
    my %left_out = map { $_ => 1 } qw(import_run import_reject), filled_tables($database, $empty);
    my @tables = grep { !$left_out{$_} } filled_tables($database, $name);
    my %before;
    for (lines_of($database, $name, "SELECT conrelid::regclass, confrelid::regclass FROM pg_constraint WHERE contype = 'f'"
        . " AND connamespace = 'disclosed'::regnamespace AND conrelid <> confrelid")) {
        my ($from, $to) = split /\|/;
        $before{$from}{$to} = 1;
    }
    my (@sorted, %seen);
    my $visit;
    $visit = sub {
        my ($table) = @_;
        return if $seen{$table}++;
        $visit->($_) for sort keys %{$before{$table}};
        push @sorted, $table;
    };
    $visit->($_) for @tables;
    my %has_rows = map { $_ => 1 } @tables;
    @sorted = grep { $has_rows{$_} } @sorted;
    $database->psql('postgres', $name, map { ('-c', "COPY disclosed.$_ TO '$folder/$_'") } @sorted);
    return \@sorted;
}

# The statements that take indexes and keys of these tables away, and those that make them again.
sub index_statements
{
    my ($database, $name, $tables) = @_;
    my $list = join ', ', map { "'disclosed.$_'::regclass" } @{$tables};
    my (@drop, @make);
    for (lines_of($database, $name, "SELECT conrelid::regclass, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint"
        . " WHERE conrelid IN ($list) AND contype IN ('p', 'u', 'x', 'f') OR contype = 'f' AND confrelid IN ($list) ORDER BY contype <> 'f'")) {
        my ($table, $constraint, $text) = split /\|/, $_, 3;
        push @drop, "ALTER TABLE $table DROP CONSTRAINT $constraint";
        unshift @make, "ALTER TABLE $table ADD CONSTRAINT $constraint $text";
    }
    my (@drop_indexes, @make_indexes);
    for (lines_of($database, $name, "SELECT i.indexrelid::regclass, pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid IN ($list)"
        . " AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))")) {
        my ($index, $text) = split /\|/, $_, 2;
        push @drop_indexes, "DROP INDEX $index";
        push @make_indexes, $text;
    }
    return ([@drop, @drop_indexes], [@make_indexes, @make]);
}

# Copies what was dumped into the tables, which are empty, in one transaction; `later`: indexes and keys are made behind it.
# Returns {seconds, backend}.
sub copy_rows
{
    my ($database, $name, $folder, $tables, $later) = @_;
    my ($drop, $make) = $later ? index_statements($database, $name, $tables) : ([], []);
    my @path = ('-c', 'SET search_path = disclosed, public');
    $database->psql('postgres', $name, @path, map { ('-c', $_) } @{$drop}) if @{$drop};
    my $clock = 'SELECT extract(epoch FROM clock_timestamp())';
    my $backend = backend_seconds($database->{pid});
    my ($began, $ended) = split /\n/, $database->psql('postgres', $name, @path, '-c', $clock, '-c', 'BEGIN',
        map({ ('-c', $_) } map({ "COPY disclosed.$_ FROM '$folder/$_'" } @{$tables}), @{$make}), '-c', 'COMMIT', '-c', $clock);
    return {seconds => $ended - $began, backend => backend_seconds($database->{pid}) - $backend};
}

1;

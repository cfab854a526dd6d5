package Bench::Sizes;

# Bytes that a row of each large table takes: itself, each of its indexes, and its share of tables that it points to.

use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();

our @EXPORT_OK = qw(measure_sizes print_sizes);

# What is said, and the table.
my @TABLES = (
    ['insider', 'insider_transaction'], ['filing', 'filing'], ['short interest', 'short_interest'], ['fund holding', 'fund_holding'],
    ['congress trade', 'congress_trade'], ['corporate action', 'corporate_action'], ['institution position', 'institution_position'],
);

# Sizes, and how often the loads have read each index. A table that is gone has no row.
my $tables_sql = <<'END';
SELECT c.relname AS name, pg_table_size(c.oid) AS bytes,
       (SELECT coalesce(json_agg(json_build_object('name', i.indexrelid::regclass, 'bytes', pg_relation_size(i.indexrelid), 'scans', s.idx_scan)
                                 ORDER BY pg_relation_size(i.indexrelid) DESC), '[]')
        FROM pg_index i JOIN pg_stat_user_indexes s USING (indexrelid) WHERE i.indrelid = c.oid) AS indexes
FROM pg_class c WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
END

# Columns that hold another table's key: by a foreign key, or by the key's name alone, as loads may do without the check.
my $pointers_sql = <<'END';
SELECT t.relname AS "table", a.attname AS "column", k.relname AS "target", pg_total_relation_size(k.oid) AS bytes
FROM pg_class k
JOIN pg_index p ON p.indrelid = k.oid AND p.indisprimary AND p.indnkeyatts = 1
JOIN pg_attribute ka ON ka.attrelid = k.oid AND ka.attnum = p.indkey[0]
JOIN pg_class t ON t.relnamespace = k.relnamespace AND t.relkind = 'r' AND t.oid <> k.oid
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = ka.atttypid
WHERE k.relnamespace = 'disclosed'::regnamespace AND k.relkind = 'r'
  AND (a.attname = ka.attname AND ka.attname NOT IN ('row_id', 'id')
       OR EXISTS (SELECT 1 FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = t.oid AND f.confrelid = k.oid AND f.conkey = ARRAY[a.attnum]))
END

sub rows_of
{
    my ($database, $sql) = @_;
    my $json = $database->psql('postgres', 'disclosed', '-c', 'SET search_path = disclosed, public', '-c',
        "SELECT coalesce(json_agg(row_to_json(r)), '[]') FROM ($sql) r");
    return @{JSON::PP->new->utf8->decode($json)};
}

sub count_of
{
    my ($database, $table, $column) = @_;
    return $database->psql('postgres', 'disclosed', '-c', "SELECT count($column) FROM disclosed.$table") + 0;
}

# table => {target => bytes of it for each row of the table}.
sub shares
{
    my ($database) = @_;
    my (%pointing, %bytes, %shares);
    for my $pointer (rows_of($database, $pointers_sql)) {
        my $count = count_of($database, $pointer->{table}, $pointer->{column});
        $pointing{$pointer->{target}}{$pointer->{table}} += $count;
        $bytes{$pointer->{target}} = $pointer->{bytes};
    }
    for my $target (keys %pointing) {
        my $all = 0;
        $all += $_ for values %{$pointing{$target}};
        next if !$all;
        for my $table (keys %{$pointing{$target}}) {
            my $rows = count_of($database, $table, '*') or next;
            $shares{$table}{$target} = $bytes{$target} * $pointing{$target}{$table} / $all / $rows;
        }
    }
    return \%shares;
}

# [{title, table, rows, heap, indexes: [{name, bytes, scans}], all_indexes, shares: {target: bytes}, shared, bytes}, ...], all
# bytes for each row.
sub measure_sizes
{
    my ($database) = @_;
    my %found = map { $_->{name} => $_ } rows_of($database, $tables_sql);
    my $shares = shares($database);
    my @sizes;
    for my $wanted (@TABLES) {
        my ($title, $table) = @{$wanted};
        my $rows = $found{$table} ? count_of($database, $table, '*') : 0;
        next if !$rows;
        my @indexes = map { {%{$_}, bytes => $_->{bytes} / $rows, name => $_->{name} =~ s/^disclosed\.//r} } @{$found{$table}{indexes}};
        my %size = (title => $title, table => $table, rows => $rows, heap => $found{$table}{bytes} / $rows,
            indexes => \@indexes, all_indexes => 0, shares => $shares->{$table} // {}, shared => 0);
        $size{all_indexes} += $_->{bytes} for @indexes;
        $size{shared} += $_ for values %{$size{shares}};
        $size{bytes} = $size{heap} + $size{all_indexes} + $size{shared};
        push @sizes, \%size;
    }
    return \@sizes;
}

sub print_sizes
{
    my ($sizes) = @_;
    printf "%-22s %10s %8s %8s %8s %8s\n", 'bytes a row', 'rows', 'in all', 'heap', 'indexes', 'shared';
    for my $size (@{$sizes}) {
        printf "%-22s %10d %8.0f %8.0f %8.0f %8.1f\n", @{$size}{qw(title rows bytes heap all_indexes shared)};
        printf "    %-46s %8.0f%s\n", $_->{name}, $_->{bytes}, $_->{scans} ? '' : '  not read by the loads' for @{$size->{indexes}};
        printf "    %-46s %8.1f  shared\n", $_, $size->{shares}{$_} for grep { $size->{shares}{$_} >= 0.1 } sort keys %{$size->{shares}};
    }
    print "heap: with TOAST and maps; shared: a row's part of tables that it points to\n\n";
    return;
}

1;

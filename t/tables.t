# What the tables of endpoints and datasets say agrees with the schema of a migrated database. Each check is tried on a table
# with the mistake that it is there for.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Disclosed::Shared qw(cluster control database);
use Disclosed::Test;
use Disclosed::JSON ();
use Storable qw(dclone);

my $database = database('empty');
my ($code, $out) = control(cluster()->conninfo($database), 'tables', '--json');
is($code, 0, 'disclosedctl tables --json');
our $tables = Disclosed::JSON->new->utf8->decode($out);
cmp_ok(scalar $tables->{endpoints}->@*, '>', 30, 'endpoints');
cmp_ok(scalar $tables->{datasets}->@*, '>', 20, 'datasets');

# ---------------------------------------------------------------------------------------- the schema

my %schema;    # table => {columns: name => not null (undef: of an expression), unique: [columns], checks: [text], versions: whether one row of a record is in force}
for my $row (cluster()->rows($database, q{SELECT c.relname AS "table", a.attname AS name, CASE WHEN c.relkind <> 'v' AND a.attgenerated = '' THEN a.attnotnull END AS "set"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped})) {
    $schema{ $row->{table} }{columns}{ $row->{name} } = $row->{set};
}
for my $row (cluster()->rows($database, q{SELECT c.relname AS "table", pg_get_expr(i.indpred, i.indrelid) AS "where", array_to_string(ARRAY(SELECT a.attname
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey) ORDER BY 1), ' ') AS columns FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'disclosed'::regnamespace AND i.indisunique AND i.indexprs IS NULL})) {
    push $schema{ $row->{table} }{unique}->@*, $row->{columns} if !defined $row->{where};
}
for my $row (cluster()->rows($database, q{SELECT c.relname AS "table" FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indisunique
    AND pg_get_indexdef(i.indexrelid) LIKE '% (issuer_id, %key_hash(record_key)) WHERE (superseded_at IS NULL)'})) {
    $schema{ $row->{table} }{versions} = 1;
}
# Numbers of metrics are put in words by a view, and by lists; the key of their table is what a number is of, and when its version begins.
# t/fundamentals.t sees that versions follow each other.
if (grep { $_ eq 'end_date issuer_id kind known_at metric_id unit' } ($schema{metric_value}{unique} // [])->@*) {
    $schema{$_}{versions} = 1 for qw(fundamental metric_value);
}
for my $row (cluster()->rows($database, q{SELECT c.relname AS "table", pg_get_constraintdef(k.oid) AS text FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid WHERE c.relnamespace = 'disclosed'::regnamespace AND k.contype = 'c'})) {
    push $schema{ $row->{table} }{checks}->@*, $row->{text};
}

# The tables of a FROM text: alias => [table, whether its row may be missing].
sub aliases
{
    my ($from) = @_;
    $from =~ s/\{(?:present|past|shown):/ /g;
    $from =~ s/^\(SELECT v\.end_date, .*? FROM (\w+) v\) t\b/$1 t/; # rows of a table, with some columns in words
    1 while $from =~ s/\((?:[^()]|\(\))*\)/()/g && $from =~ /\([^()]+\)/;
    my %of;
    while ($from =~ /(?:^|,|\b(?:(LEFT)(?: OUTER)? |CROSS |INNER )?JOIN)\s*(\w+)\s+(\w+)\b/g) {
        $of{$3} = [$2, defined $1] if $schema{$2};
    }
    return \%of;
}

# The column behind "t.name", with what is known of it: [table, column, whether it is set in all rows]; nothing where it is more.
sub column_of
{
    my ($sql, $aliases) = @_;
    return if ($sql // '') !~ /^(\w+)\.(\w+)\z/ || !$aliases->{$1};
    my ($table, $may_be_missing) = $aliases->{$1}->@*;
    my $set = $schema{$table}{columns}{$2};
    return if !exists $schema{$table}{columns}{$2};
    return [$table, $2, defined $set || $may_be_missing ? $set && !$may_be_missing : undef];
}

# ------------------------------------------------------------------------------------------ the checks

# A page ends at a row: two rows with the same position would be lost or told twice.
sub tie_faults
{
    my ($endpoint) = @_;
    my $source = $endpoint->{source};
    return () if $endpoint->{response} ne 'list';
    my $column = column_of($source->{tie}, aliases($source->{from}));
    if (!$column) {
        # A page of a document: as many as the parent has, told apart by their places.
        return $endpoint->{parent} ? () : "$source->{tie} is no column of its tables";
    }
    my ($table, $name) = @$column;
    # A record's number, the same over its versions (dataset_record): one version of a record is in force.
    my $unique = grep({ $_ eq $name } $schema{$table}{unique}->@*) || ($name eq 'id' && $schema{$table}{versions});
    return $unique ? () : "$source->{tie} is not unique in $table";
}

# A condition that as_of adds so that an index serves it holds by a CHECK.
sub bound_faults
{
    my ($endpoint) = @_;
    my ($as_of) = grep { $_->{name} eq 'as_of' } $endpoint->{parameters}->@*;
    return () if !$as_of || !defined $as_of->{predicate};
    my ($sql, $days) = $as_of->{predicate} =~ /^(\w+\.\w+) <= .*?(\d+)/ or return "as_of adds $as_of->{predicate}";
    my $column = column_of($sql, aliases($endpoint->{source}{from})) or return "as_of is bound to $sql, which is no column";
    my ($table, $name) = @$column;
    return (grep { /\b\Q$name\E <= .*\bknown_at\b.*?(\d+)\D*\z/s && $1 <= $days } $schema{$table}{checks}->@*) ? () : "no CHECK of $table bounds $name by known_at and $days days";
}

sub field_faults
{
    my ($shape, $aliases, $seen, $where) = @_;
    my @faults;
    return () if $seen->{$shape}++;
    for my $field ($tables->{shapes}{$shape}{fields}->@*) {
        push @faults, field_faults($field->{shape}, $aliases, $seen, $where) if $field->{type} eq 'OBJECT' && !$field->{optional};
        my $column = column_of($field->{sql}, $aliases) or next;
        my ($table, $name, $set) = @$column;
        next if !defined $set;
        $set ||= $where =~ /(?<!\w)\Q$field->{sql}\E IS NOT NULL/;
        push @faults, "$shape.$field->{name}: $table.$name may be null" if !$set && !$field->{nullable};
        push @faults, "$shape.$field->{name}: $table.$name is never null" if $set && $field->{nullable};
    }
    return @faults;
}

sub null_faults
{
    my ($endpoint) = @_;
    return () if !$endpoint->{source} || !$endpoint->{shape};
    return map { field_faults($_->{shape}, aliases($_->{source}{from}), {}, $_->{source}{where} // '') } $endpoint, ($endpoint->{children} // [])->@*;
}

# A dataset's table has its columns, those that all have, and one version of a record in force.
my @common = qw(row_id id issuer_id record_key known_at superseded_at recorded_at src_digest source_id accession
    quote);

sub column_faults
{
    my ($dataset) = @_;
    my $table = $schema{ $dataset->{table} } or return "no table $dataset->{table}";
    return ((map { "no column $dataset->{table}.$_" } grep { !exists $table->{columns}{$_} }
            (grep { $_ ne 'row_id' || $dataset->{table} ne 'fundamental' } @common), $dataset->{date_column}, ($dataset->{expected} // [])->@*, map { $_->{name} } $dataset->{columns}->@*),
        (map { my $name = $_; (grep { $_->{name} eq $name } $dataset->{columns}->@*) ? "$name is expected, and a column of records" : () } ($dataset->{expected} // [])->@*),
        $table->{versions} ? () : "$dataset->{table} has no unique index on the record key of rows in force");
}

# Loads of datasets that are written company by company share the lock of issuer, and hold it when their functions run: one that
# takes it alone would wait for another that does the same.
my %text_of = map { $_->{name} => $_->{text} } cluster()->rows($database, q{SELECT proname AS name, string_agg(prosrc, ' ') AS text FROM pg_proc
    WHERE pronamespace = 'disclosed'::regnamespace GROUP BY 1});

# The function and those that it calls, or that triggers of tables run that it names.
my %run_by;
for my $trigger (cluster()->rows($database, q{SELECT c.relname AS "table", p.proname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal AND c.relnamespace = 'disclosed'::regnamespace})) {
    push $run_by{ $trigger->{table} }->@*, $trigger->{name};
}

sub reached_from
{
    my (@functions) = @_;
    my %seen;
    while (my $function = shift @functions) {
        next if $seen{$function}++;
        push @functions, map { ($text_of{$_} ? $_ : ()), ($run_by{$_} // [])->@* } ($text_of{$function} // '') =~ /\b(\w+)\b/g;
    }
    return sort keys %seen;
}

sub company_faults
{
    my ($dataset) = @_;
    return if !$dataset->{by_company};
    my %follows = ($dataset->{follows} // {})->%*;
    my %by_company = map { $_->{name} => 1 } grep { $_->{by_company} } $tables->{datasets}->@*;
    my @functions = reached_from((map { ($_ // '') =~ /^(\w+)/ } @$dataset{qw(reconcile derive announce expect)}), map { $follows{$_} } grep { $by_company{$_} } keys %follows);
    return ((map { "it is by company, and $_" } grep { $dataset->{$_} } qw(key_global says_symbols)),
        map { my $function = $_; map { "$function() takes the lock \"$_\"" } grep { $_ ne 'disclosed load end' } $text_of{$function} =~ /'(disclosed load [^']*)'/g } @functions);
}

# ------------------------------------------------------------- as they are, and with a mistake in them

sub all_faults
{
    my ($check, $what) = @_;
    return map { my $one = $_; map { "$one->{name}: $_" } $check->($one) } $tables->{$what}->@*;
}

my %checks = (
    'tie-breakers are unique'                 => [\&tie_faults,    'endpoints'],
    'bounds of as_of are CHECKs'              => [\&bound_faults,  'endpoints'],
    'fields are nullable where columns are'   => [\&null_faults,   'endpoints'],
    'columns of datasets are in their tables' => [\&column_faults, 'datasets'],
    'what is by company waits for nobody'     => [\&company_faults, 'datasets'],
);
for my $name (sort keys %checks) {
    is(join("\n", all_faults($checks{$name}->@*)), '', $name);
}

# plant(NAME, WHAT, CHANGE, FAULT): with the change the check tells the fault.
sub plant
{
    my ($name, $change, $fault) = @_;
    my $sound = $tables;
    local $tables = dclone($sound);
    $change->($tables);
    my @faults = all_faults($checks{$name}->@*);
    ok(scalar(grep { $_ =~ $fault } @faults), "$name: a mistake is seen") or diag(join "\n", 'seen:', @faults);
}

sub endpoint { my ($all, $name) = @_; return (grep { $_->{name} eq $name } $all->{endpoints}->@*)[0] }
sub field { my ($all, $shape, $name) = @_; return (grep { $_->{name} eq $name } $all->{shapes}{$shape}{fields}->@*)[0] }

plant('tie-breakers are unique', sub { endpoint($_[0], 'list_insider')->{source}{tie} = 't.issuer_id' }, qr/list_insider: t\.issuer_id is not unique/);
plant('tie-breakers are unique', sub { endpoint($_[0], 'list_insider')->{source}{tie} = 't.nothing' }, qr/list_insider: t\.nothing is no column/);
plant('bounds of as_of are CHECKs', sub { (grep { $_->{name} eq 'as_of' } endpoint($_[0], 'list_short_interest')->{parameters}->@*)[0]{predicate} =~ s/14/7/ },
    qr/list_short_interest: no CHECK of short_interest/);
plant('fields are nullable where columns are', sub { delete field($_[0], 'ShortInterest', 'previous_short_position')->{nullable} }, qr/ShortInterest\.previous_short_position: .* may be null/);
plant('fields are nullable where columns are', sub { field($_[0], 'ShortInterest', 'settlement_date')->{nullable} = 1 }, qr/ShortInterest\.settlement_date: .* is never null/);
plant('fields are nullable where columns are', sub { delete endpoint($_[0], 'list_segments')->{source}{where} }, qr/Segment\.member: .* may be null/);
plant('columns of datasets are in their tables', sub { $_[0]{datasets}[0]{columns}[0]{name} = 'nothing' }, qr/no column issuer_profile\.nothing/);
plant('columns of datasets are in their tables', sub { $_[0]{datasets}[0]{date_column} = 'nothing' }, qr/no column issuer_profile\.nothing/);
plant('columns of datasets are in their tables', sub { $_[0]{datasets}[0]{expected} = ['nothing'] }, qr/no column issuer_profile\.nothing/);
plant('columns of datasets are in their tables', sub { $_[0]{datasets}[0]{expected} = ['name'] }, qr/name is expected, and a column of records/);
plant('columns of datasets are in their tables', sub { $_[0]{datasets}[0]{table} = 'issuer_name' }, qr/issuer_name has no unique index/);

plant('what is by company waits for nobody', sub { $_->{by_company} = 1 for grep { $_->{name} eq 'executive' } $_[0]{datasets}->@* }, qr/executive: \w+\(\) takes the lock "disclosed load issuer"/);
plant('what is by company waits for nobody', sub { $_->{key_global} = 1 for grep { $_->{name} eq 'xbrl_report' } $_[0]{datasets}->@* }, qr/xbrl_report: it is by company, and key_global/);

# -------------------------------------------------- what functions read, against those of the database

my %relations = map { /^\{"(\w+)", "([^"]*)"\}/ ? ($1 => { map { $_ => 1 } split ' ', $2 }) : () } split /\n/, slurp(build('BUILDDIR') . '/sql_relations.inc');
cmp_ok(scalar keys %relations, '>', 200, 'relations of the migrations');
my %views = map { $_->{name} => 1 } cluster()->rows($database, q{SELECT relname AS name FROM pg_class WHERE relnamespace = 'disclosed'::regnamespace AND relkind = 'v'});
my @missing;
my @functions = cluster()->rows($database, q{SELECT proname AS name, prosrc AS text FROM pg_proc WHERE pronamespace = 'disclosed'::regnamespace});
for my $function (@functions) {
    my $text = lc $function->{text} =~ s/--[^\n]*//gr =~ s/'(?:[^']|'')*'/ /gr;
    for my $table (grep { $schema{$_} } $text =~ /\b(?:from|join|into|update)\s+(?:only\s+)?(?:disclosed\.)?(\w+)/g) {
        push @missing, "$function->{name} reads $table" if !$relations{ $function->{name} }{$table} && !$views{$table};
    }
}
is(join("\n", @missing), '', 'what ' . @functions . ' functions read is known');

done_testing;

package Disclosed::Order;

# The order proof: the same files, loaded in another order, with repeats and with parts of them before or after, leave the
# same answers: what is in force now, and what was in force at each instant.

use v5.24;
use warnings;
use Digest::MD5 qw(md5_hex);
use Disclosed::Build qw(build);
use Disclosed::References qw(dangling issuer_columns);
use Disclosed::Shared qw(cluster control database);
use Disclosed::Site;
use Disclosed::TimeMachine;
use Exporter qw(import);
use POSIX qw(strftime);

our @EXPORT_OK = qw(prove_order shuffled number_below runs_of versions);

# ------------------------------------------------------------------------ numbers, the same each time

my $state = 1;

sub seed { ($state) = @_ }

sub number_below
{
    my ($limit) = @_;
    $state = ($state * 1103515245 + 12345) % 2**31;
    return int($state / 2**31 * $limit);
}

sub shuffled
{
    my (@items) = @_;
    for (my $i = $#items; $i > 0; $i--) {
        my $j = number_below($i + 1);
        @items[$i, $j] = @items[$j, $i];
    }
    return @items;
}

# ---------------------------------------------------------------------------------- what is stored

# What is of a load and not of a record; numbers that a database gives in the order of coming; and, where several files
# say the same thing, which of them it was read from.
my @not_compared = qw(row_id redated_from id recorded_at source_id import_run_id extracted_at content_hash source_url event_id fund_row known_at superseded_at created_at);

# Of trades of Congress the file follows from all of them.
my %placed = map { ("congress_trade/$_" => 1) } qw(content_hash source_url);

# Columns that hold an issuer's number: compared as CIK or party.
my %issuer_column = map { $_ => 1 } issuer_columns();

# The place of a trade in the file it was read from: told nowhere, and no part of its key.
my %place = ('congress_trade/row_number' => 1);

# Of these the key is made of the number that the database gave.
my %numbered = (event => 1);

my $statements;

# A SELECT for each table of versions: digest, known_at, superseded_at, the rest as JSON.
sub statements
{
    my ($cluster, $database) = @_;
    return $statements if $statements;
    my @columns = $cluster->rows($database, q{SELECT substr(c.relname, 1, length(c.relname) - length('_sourced')) AS "table", a.attname AS name, a.atttypid = 'bigint'::regtype AS is_number, a.atttypid = 'text'::regtype AS is_text
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'v' AND c.relname ~ '_sourced$'
        AND a.attnum > 0 AND NOT a.attisdropped
        AND EXISTS (SELECT 1 FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attname = 'src_digest') ORDER BY c.relname, a.attname});
    my %skip = map { $_ => 1 } @not_compared;
    my %of;
    for my $column (@columns) {
        my ($table, $name) = @$column{qw(table name)};
        next if ($skip{$name} && !$placed{"$table/$name"}) || $place{"$table/$name"} || ($numbered{$table} && $name eq 'record_key') || ($name eq 'report_id' && $column->{is_number});
        my $value = $issuer_column{$name} ? "(SELECT coalesce(i.cik::text, i.party_key) FROM issuer i WHERE i.issuer_id = t.$name)"
            : $column->{is_text} ? "CASE WHEN length(t.$name) > 500 THEN md5(t.$name) ELSE t.$name END" : "t.$name";
        push $of{$table}->@*, "'$name', $value";
    }
    $statements = { map { ($_ => { columns => scalar $of{$_}->@*, sql => "SELECT '$_', extract(epoch FROM t.known_at), extract(epoch FROM t.superseded_at), jsonb_build_object("
        . join(', ', $of{$_}->@*) . ") FROM ${_}_sourced t" }) } keys %of };
    return $statements;
}

# All versions: [table, from, until (undef: open), text].
sub versions
{
    my ($cluster, $database) = @_;
    my $of = statements($cluster, $database);
    my @sql = map { "COPY ($of->{$_}{sql}) TO STDOUT;" } sort keys %$of;
    my $text = $cluster->execute($database, "SET search_path = disclosed, public; SET TimeZone = 'UTC'; @sql");
    my @versions;
    for my $line (split /\n/, $text) {
        my ($table, $from, $until, $json) = split /\t/, $line, 4;
        push @versions, [$table, $from, $until eq '\N' ? undef : $until, $json];
    }
    return \@versions;
}

# Instants at which something begins, as many as asked for; the last is after all of them.
sub instants
{
    my ($versions, $count) = @_;
    my %seen = map { $_->[1] => 1 } @$versions;
    my @all = sort { $a <=> $b } keys %seen;
    my @some = @all > $count ? map { $all[number_below(scalar @all)] } 1 .. $count : @all;
    return (@some, 4e9);
}

# What is in force at an instant: the rows of each table, sorted.
sub in_force
{
    my ($versions, $instant) = @_;
    my %rows;
    for my $version (@$versions) {
        my ($table, $from, $until, $json) = @$version;
        push $rows{$table}->@*, $json if $from <= $instant && (!defined $until || $until > $instant);
    }
    return { map { ($_ => [sort $rows{$_}->@*]) } keys %rows };
}

# --------------------------------------------------------------------------------------- loading

# Files are [source, path, options...]. Those of one source and options that follow each other go into one run: arguments of
# `disclosedctl import`.
sub runs_of
{
    my ($quiet, @files) = @_;
    my (@runs, $last);
    for my $file (@files) {
        my ($source, $path, @options) = @$file;
        my $kind = join "\t", $source, @options;
        push @runs, [$source, @$quiet, @options] if !defined $last || $kind ne $last;
        $last = $kind;
        push $runs[-1]->@*, $path;
    }
    return @runs;
}

# Dies where a load does not end well; files with faulty rows may (code 1).
sub load
{
    my ($database, $jobs, @files) = @_;
    for my $run (runs_of(['--quiet', '--jobs', $jobs], @files)) {
        my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', @$run);
        die "import $run->[0]: code $code: $out$err\n" if $code > 1;
    }
}

# A first line of what differs between two lists of rows.
sub difference
{
    my ($table, $one, $other) = @_;
    my (%count, @left, @right);
    $count{$_}++ for @$one;
    $count{$_}-- for @$other;
    for (sort keys %count) {
        push @left,  $_ if $count{$_} > 0;
        push @right, $_ if $count{$_} < 0;
    }
    my $text = "$table: " . @left . ' rows are missing, ' . @right . ' are others';
    return $text if !@left || !@right;
    my %right = $right[0] =~ /"(\w+)": ("(?:[^"\\]|\\.)*"|[^,}]+)/g;
    my $best = $right[0];
    my ($key) = $left[0] =~ /("record_key": "(?:[^"\\]|\\.)*")/;
    if ($key) { ($best) = grep { index($_, $key) >= 0 } @right; $best //= $right[0] }
    %right = $best =~ /"(\w+)": ("(?:[^"\\]|\\.)*"|[^,}]+)/g;
    my %left = $left[0] =~ /"(\w+)": ("(?:[^"\\]|\\.)*"|[^,}]+)/g;
    return $text . ": " . ($left{record_key} // '') . ": " . join '; ', map { "$_: " . ($right{$_} // '-') . ' <- ' . ($left{$_} // '-') } grep { ($left{$_} // '') ne ($right{$_} // '') } sort keys %left;
}

# --------------------------------------------------------------------------------------- answers

# What is served of a database: its own httpd, with few processes.
sub site_of
{
    my ($database) = @_;
    return Disclosed::Site->new(database => $database, processes => 1, threads => 4, pool => 4, cached => 0);
}

# The instants at which lists and items are asked for: now, and so many of those that are compared, the last before the end.
sub asked_instants
{
    my ($instants, $count) = @_;
    my @of = grep { $_ < time } map { $_->[0] } @$instants;
    my @some = map { $of[int(($_ + 1) * @of / ($count + 1))] } 0 .. $count - 1;
    my %seen;
    return (undef, grep { defined && !$seen{$_}++ } map { defined ? strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $_) : undef } @some);
}

# What is served otherwise after this order than after the first, at each of the instants.
sub served_otherwise
{
    my ($machine, $site, @asked) = @_;
    $machine->against($site);
    return map { s/\n\s*/ | /gr } map { $_->{text} } map { $machine->compare($_, alike => 1) } @asked;
}

# Proves a group of files: in their own order by one process, then in so many others by `jobs`, each with some files repeated. `answers` is at how many
# instants lists and items are compared besides now (undef: not even now); `symbols` and `most` say of how many
# companies and values. Returns {orders, files, rows, cells, answers (cells of texts), requests, instants, faults}.
sub prove_order
{
    my ($files, %option) = @_;
    seed($option{seed} // 1);
    my (%sum, $first, @instants, %told, $machine, @asked);
    %sum = (files => scalar @$files, orders => 0, cells => 0, rows => 0, answers => 0, requests => 0, faults => []);
    for my $number (0 .. $option{orders}) {
        my @order = @$files;
        if ($number > 0) {
            my @repeats = grep { number_below(4) == 0 } @order;
            @order = shuffled(@order, @repeats);
        }
        my $database = database('empty');
        load($database, $number > 0 ? $option{jobs} // 1 : 1, @order);
        my $versions = versions(cluster(), $database);
        push $sum{faults}->@*, map { "order $number: it names what is not there: $_" } dangling(cluster(), $database);
        my $site = defined $option{answers} ? site_of($database) : undef;
        if ($number == 0) {
            $first = $versions;
            @instants = instants($first, $option{instants} // 50);
            $sum{rows} = @$first;
            push $sum{faults}->@*, 'nothing is stored' if !@$first;
            $sum{instants} = @instants;
            $_ = [$_, in_force($first, $_)] for @instants;
            @asked = asked_instants(\@instants, $option{answers} // 0);
            $machine = Disclosed::TimeMachine->new(full => $site, symbols => $option{symbols} // 12, most => $option{most} // 8, sources => 3, hash => 1) if $site;
            cluster()->drop_database($database) if !$site;
            next;
        }
        if ($site) {
            my @others = served_otherwise($machine, $site, @asked);
            push $sum{faults}->@*, map { "order $number: $_" } grep { !$told{ (split ' ')[0] }++ } @others;
            $site->stop;
        }
        cluster()->drop_database($database);
        $sum{orders}++;
        for my $one (@instants) {
            my ($instant, $expected) = @$one;
            my $got = in_force($versions, $instant);
            for my $table (keys %{{ %$expected, %$got }}) {
                my ($left, $right) = ($expected->{$table} // [], $got->{$table} // []);
                $sum{cells} += @$left * $statements->{$table}{columns};
                next if "@$left" eq "@$right" || $told{$table}++ > ($option{tell} // 2);
                push $sum{faults}->@*, "order $number, as of " . gmtime($instant) . ': ' . difference($table, $left, $right);
            }
        }
    }
    if ($machine) {
        @sum{qw(answers requests)} = @$machine{qw(cells requests)};
        $machine->{full}->stop;
        cluster()->drop_database($machine->{full}{database});
    }
    return \%sum;
}

1;

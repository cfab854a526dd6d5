package Disclosed::Damage;

# The damage proof: runs `fuzz damage` (t/fuzz/damage.c) over files, and holds what differs against the reasons of
# t/proofs/damage.reasons. Needs the columns of a database, which say what is required.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Fuzz qw(program environment);
use Disclosed::Process qw(run slurp);
use Disclosed::Shared qw(cluster database);
use Exporter qw(import);

our @EXPORT_OK = qw(columns prove_damage read_reasons);

# Writes what the columns of the tables are, as no_server.h wants it, into a file.
sub columns
{
    my ($path) = @_;
    my $rows = cluster()->execute(database('empty'), <<'END');
SET search_path = disclosed, public;
SELECT concat_ws(E'\t', c.relname, a.attname, CASE WHEN a.attnotnull THEN 't' ELSE 'f' END,
    coalesce(CASE WHEN d.adbin IS NOT NULL THEN replace(pg_get_expr(d.adbin, d.adrelid), E'\n', ' ')
                  WHEN a.attnotnull AND a.atttypid = 'date'::regtype THEN 'day' END, ''),
    CASE WHEN EXISTS (SELECT 1 FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
        WHERE x.indrelid = a.attrelid AND m.amname = 'btree' AND a.attnum = ANY (x.indkey::int2[])) THEN 't' ELSE 'f' END)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.attidentity = '' AND a.attgenerated = ''
WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY 1
END
    open my $file, '>', $path or die "$path: $!";
    print $file "$rows\n";
    close $file;
    return $path;
}

# Each reason: target, dataset, column, damage and value as patterns, the reason itself, how often it was needed.
sub read_reasons
{
    my @reasons;
    for my $line (split /\n/, slurp(build('SRCDIR') . '/t/proofs/damage.reasons')) {
        next if $line =~ /^#|^\s*$/;
        my @fields = split /\t/, $line;
        @fields == 6 && $fields[5] =~ /\w/ or die "damage.reasons: no reason in: $line\n";
        push @reasons, { target => qr/^(?:$fields[0])\z/, dataset => qr/^(?:$fields[1])\z/, column => qr/^(?:$fields[2])\z/,
            damage => qr/^(?:$fields[3])\z/, value => qr/^(?:$fields[4])\z/s, line => $line, used => 0 };
    }
    return \@reasons;
}

sub is_excused
{
    my ($reasons, $target, $dataset, $column, $damage, $value) = @_;
    for my $reason (@$reasons) {
        next if $target !~ $reason->{target} || $dataset !~ $reason->{dataset} || $column !~ $reason->{column}
            || $damage !~ $reason->{damage} || $value !~ $reason->{value};
        $reason->{used}++;
        return 1;
    }
    return 0;
}

# Whether a row with values missing is to be expected: of what was dropped, or of a separator.
sub less_is_expected
{
    my ($damage) = @_;
    return $damage =~ /dropped|separator/;
}

# The columns of a difference that no reason covers.
sub unexcused
{
    my ($reasons, $target, $difference) = @_;
    my ($verdict, $damage, $dataset, $columns, $text) = @$difference{qw(verdict damage dataset columns text)};
    return is_excused($reasons, $target, $dataset, 'MOVED', $damage, '') ? () : ('MOVED') if $verdict eq 'MOVED';
    return () if $verdict eq 'LESS' && less_is_expected($damage);
    my %value;
    $value{$1} = $2 while $text =~ /(?:^|; )(\w+): (.*?) <- /gs;
    my $prefix = $verdict eq 'LESS' ? 'LESS ' : '';
    return grep { !is_excused($reasons, $target, $dataset, "$prefix$_", $damage, $value{$_} // '')
            && !($prefix && is_excused($reasons, $target, $dataset, $_, $damage, $value{$_} // '')) } split / /, $columns;
}

# Proves files of a target. Options: columns, cuts, others, seconds (for a file), by_name, seed, folder (for what is
# found). Returns {cases, refused, rows, cells, same, moved, less, other, faults: [text], refused_whole: [path]}.
sub prove_damage
{
    my ($reasons, $target, $files, %option) = @_;
    my @arguments = ('-n', $option{cuts} // 200, '-m', $option{others} // 50, '-t', $option{seconds} // 3600, '-r', $option{seed} // 1);
    push @arguments, '-c', $option{columns} if $option{columns};
    # A bare document of a filing is known by the accession number in its name, else by its bytes: every damage is another report.
    push @arguments, '-b' if $option{by_name} && $target !~ /^(?:nport|beneficial)\z/;
    push @arguments, '-w', $option{folder} if $option{folder};
    my ($code, $out, $err) = run({ env => {environment()} }, program(), 'damage', @arguments, $target, @$files);
    my %sum = (target => $target, files => scalar @$files, faults => [], refused_whole => [], map { $_ => 0 } qw(cases refused rows cells same moved less other));
    push $sum{faults}->@*, "ended with code $code: " . substr $err, 0, 3000 if $code != 0;
    for my $line (split /\n/, $out) {
        my ($kind, @fields) = split /\t/, $line, -1;
        if ($kind eq 'TALLY') {
            my ($damage, @numbers) = @fields;
            $sum{$_} += shift @numbers for qw(cases refused rows cells same moved less other);
            $sum{by_damage}{$damage} = $fields[1];
        } elsif ($kind eq 'REFUSED') {
            push $sum{refused_whole}->@*, "$fields[0]: $fields[1]";
        } else {
            my %difference = (verdict => $kind);
            @difference{qw(damage number path dataset columns key text)} = @fields;
            my @columns = unexcused($reasons, $target, \%difference);
            push $sum{faults}->@*, "$kind, $difference{damage}, $difference{path} [$difference{number}]: $difference{dataset} "
                . "$difference{key}: @columns: $difference{text}" if @columns;
        }
    }
    return \%sum;
}

1;

package Bench::Imports;

# How fast files are loaded and what memory that takes: the real files where they are, and generated ones of
# two sizes, over which memory must stay flat.

use strict;
use warnings;
use Exporter 'import';
use File::Find ();
use JSON::PP ();

use Bench::Process qw(run_program say_progress);

our @EXPORT_OK = qw(measure_imports);

my $FLAT = 0.2;     # growth of peak memory from the small file to the one ten times its size
my $STALL = 10;     # seconds that the first line of the README may take

# Where the real files of a source are, below the folder of real files.
my @REAL = (
    ['sec-company-tickers', 'edgar-tickers'], ['sec-submissions', 'edgar-submissions'],
    ['sec-ownership', 'ownership-xml'], ['sec-filing', 'sgml-filings'], ['sec-filing', '8k-ex99'],
    ['sec-13f', 'form13f'], ['sec-nport', 'nport'], ['senate-ptr', 'senate-ptr'], ['house-ptr', 'house-ptr'],
    ['finra-short-interest', 'finra-short-interest'], ['corporate-actions', 'corporate-actions'],
    ['earnings-calendar', 'events'],
);

# Into a database of its own: [{title, bytes, read, rejected, seconds, kilobytes}, ...], and what falls short.
sub measure_imports
{
    my ($database, $shared, $lines) = @_;
    my (@results, @short);
    if (-d "$shared/edgar-tickers") {
        my @starts = map { measure_start($database, "$shared/edgar-tickers", $_) } 'off', 'on';
        push @short, map { sprintf '%s: %.1f s', $_->{title}, $_->{seconds} } grep { $_->{seconds} > $STALL } @starts;
        push @results, @starts;
    }
    $database->make_empty('imports');
    my $help = control($database, undef, 'import', '--help');
    for my $real (@REAL) {
        my ($source, $folder) = @{$real};
        next if !-d "$shared/$folder" || $help !~ /^  \Q$source\E /m;
        say_progress("importing $folder");
        push @results, import_path($database, "$source, $folder", $source, "$shared/$folder");
    }
    my ($small, $large) = map { generated($database, $_) } $lines / 10, $lines;
    push @results, $small, $large;
    my $growth = $large->{kilobytes} / $small->{kilobytes} - 1;
    push @short, sprintf 'memory grows by %.0f %% from %d to %d lines', 100 * $growth, $lines / 10, $lines
        if $growth > $FLAT;
    return (\@results, \@short);
}

# The SEC's tickers on a database that nobody has gathered statistics of yet: empty, beside the demo data,
# and once more.
sub measure_start
{
    my ($database, $path, $autovacuum) = @_;
    my @results;
    $database->psql('postgres', 'postgres', '-c', "ALTER SYSTEM SET autovacuum = $autovacuum", '-c', 'SELECT pg_reload_conf()');
    for my $state ('empty', 'demo data', 'once more') {
        say_progress("importing tickers: $state, autovacuum $autovacuum");
        $database->make_empty('imports') if $state ne 'once more';
        control($database, undef, 'demo') if $state eq 'demo data';
        push @results, import_path($database, "tickers, $state, autovacuum $autovacuum", 'sec-company-tickers', $path);
    }
    $database->psql('postgres', 'postgres', '-c', 'ALTER SYSTEM SET autovacuum = off', '-c', 'SELECT pg_reload_conf()');
    return @results;
}

sub generated
{
    my ($database, $lines) = @_;
    my $path = "$database->{work}/filings-$lines.ndjson";
    say_progress("importing $lines generated lines");
    write_filings($path, $lines);
    my $result = import_path($database, "ndjson, $lines generated filings", 'ndjson', $path);
    unlink $path;
    die "of $lines generated lines $result->{stored} were stored\n" if $result->{stored} != $lines;
    return $result;
}

# Filings of 2,000 companies that exist nowhere, other ones for each size.
sub write_filings
{
    my ($path, $lines) = @_;
    open(my $file, '>', $path) or die "$path: $!\n";
    for my $number (1 .. $lines) {
        my $cik = 8_000_000_000 + $number % 2000;
        my $accession = sprintf '%010d-%02d-%06d', $cik, $lines % 89 + 10, $number / 2000;
        my $day = sprintf '20%02d-%02d-%02d', 10 + $number / 2000 % 15, 1 + $number / 300 % 12, 1 + $number / 7 % 28;
        print {$file} qq({"dataset":"filing","cik":$cik,"issuer_name":"Generated $cik","form":"8-K",),
            qq("filed_on":"$day","title":"Current report number $number","provenance":{"source_provider":"fictional",),
            qq("source_url":"https://bench.example/$accession.htm","accession":"$accession"}}\n);
    }
    close($file) or die "$path: $!\n";
    return;
}

sub import_path
{
    my ($database, $title, $source, $path) = @_;
    my $kilobytes = 0;
    my $summary = JSON::PP::decode_json(control($database, \$kilobytes, 'import', $source, '--json', $path));
    return {title => $title, bytes => bytes_of($path), kilobytes => $kilobytes,
        map { $_ => $summary->{$_} } qw(read stored rejected failed seconds)};
}

sub bytes_of
{
    my ($path) = @_;
    my $bytes = 0;
    File::Find::find({no_chdir => 1, wanted => sub { $bytes += -s $_ if -f $_ }}, $path);
    return $bytes;
}

# disclosedctl as the loader; its peak memory goes to $$kilobytes. Rejected rows make it end with 1.
sub control
{
    my ($database, $kilobytes, @arguments) = @_;
    my $watch = sub {
        my ($pid) = @_;
        open(my $file, '<', "/proc/$pid/status") or return;
        for (<$file>) { ${$kilobytes} = $1 if /^VmHWM:\s+(\d+)/ && $1 > ${$kilobytes} }
    };
    return run_program("disclosedctl $arguments[0]", {
        log => "$database->{work}/disclosedctl.log", capture => 1, seconds => 1800, $kilobytes ? (watch => $watch) : (),
        may_refuse => 1,
        env => $database->{build}->control_environment($database->conninfo('disclosed_loader', 'imports')),
    }, $database->{build}{DISCLOSED_CTL}, @arguments);
}

1;

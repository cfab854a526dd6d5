package Bench::Loads;

# One load by disclosedctl, measured: its own time and memory, and the processor time of its backend in PostgreSQL. And the formats.

use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use POSIX ();
use Time::HiRes qw(sleep time);

use Bench::Process qw(run_program);
use Disclosed::MadeFiles qw(made_filing_lines made_insider_lines made_short_interest made_submissions made_ownership made_funds
    made_13f_set made_13f_reports made_insider_set made_fund_set made_senate made_house);

our @EXPORT_OK = qw(formats load_paths backend_seconds);

my $TICKS = POSIX::sysconf(POSIX::_SC_CLK_TCK());
my @KNOWN = ('--known-at', '2026-06-30');

# Title, importer, options, what makes the files in a folder, and what the importer's line of the help has to say; sizes follow from so
# many rows. Those that this build does not take are left out.
sub formats
{
    my ($help, $rows) = @_;
    my $part = sub { my ($of) = @_; return POSIX::ceil($rows / $of) };
    my @formats = (
        ['NDJSON filings', 'ndjson', [], sub { made_filing_lines($_[0], $rows) }],
        ['NDJSON insider', 'ndjson', [], sub { made_insider_lines($_[0], $rows) }],
        ['13F data set', 'sec-13f', [], sub { made_13f_set($_[0], $part->(100), 100) }],
        ['13F submissions', 'sec-13f', [], sub { made_13f_reports($_[0], $part->(500), 100); $_[0] }],
        ['submissions JSON', 'sec-submissions', [], sub { made_submissions($_[0], $part->(2500), 500); $_[0] }],
        ['N-PORT XML', 'sec-nport', [], sub { made_funds($_[0], $part->(1000), 500); $_[0] }],
        ['ownership XML', 'sec-ownership', [], sub { made_ownership($_[0], $part->(60)); $_[0] }],
        ['insider data set', 'sec-ownership', [], sub { made_insider_set($_[0], $part->(4)) }, 'data sets'],
        ['N-PORT data set', 'sec-nport', [], sub { made_fund_set($_[0], $part->(500), 500) }, 'data sets'],
        ['FINRA short interest', 'finra-short-interest', \@KNOWN, sub { made_short_interest($_[0], 2, $part->(2)); $_[0] }],
        ['Senate dump', 'senate-ptr', \@KNOWN, sub { made_senate($_[0], $part->(4)) }],
        ['House dump', 'house-ptr', \@KNOWN, sub { made_house($_[0], $part->(4)) }],
    );
    return grep { my $word = $_->[4] // ''; $help =~ /^  \Q$_->[1]\E .*\Q$word\E/m } @formats;
}

# What a file of /proc holds; nothing where its process is gone.
sub content { my ($path) = @_; open(my $file, '<', $path) or return ''; return join '', <$file> }

# Whether a client has a backend yet: a child of the postmaster whose title says where the client is, or one without a title, which is
# ending or has not been waited for.
sub has_backend
{
    my ($postmaster) = @_;
    for my $path (glob '/proc/[0-9]*/stat') {
        open(my $stat, '<', $path) or next;
        my $line = <$stat> // next;
        next if $line !~ /^(\d+) \(.*\) \S (\d+) /s || $2 != $postmaster;
        open(my $title, '<', "/proc/$1/cmdline") or next;
        return 1 if (<$title> // '[local]') =~ /\[local\]/;
    }
    return 0;
}

# Processor time of backends of PostgreSQL: what the postmaster has waited for, once the last of them has ended.
sub backend_seconds
{
    my ($postmaster) = @_;
    my $deadline = time() + 60;
    while (has_backend($postmaster)) {
        die "a backend of PostgreSQL does not end\n" if time() > $deadline;
        sleep 0.01;
    }
    open(my $file, '<', "/proc/$postmaster/stat") or die "/proc/$postmaster/stat: $!\n";
    my @fields = split ' ', <$file> =~ s/^.*\)//sr;
    return ($fields[13] + $fields[14]) / $TICKS;
}

# Loads paths into a database. Returns {files, read, stored, unchanged, rejected, failed, seconds, control (processor seconds of
# disclosedctl), backend (of its backends), kilobytes (peak of any of its processes), third (peak when a third of the time had passed)}.
sub load_paths
{
    my ($database, $name, $source, $options, @paths) = @_;
    my ($began, @peaks) = (time);
    my $watch = sub {
        my ($pid) = @_;
        my $peak = 0;
        for my $one ($pid, split ' ', content("/proc/$pid/task/$pid/children")) {
            $peak = $1 if content("/proc/$one/status") =~ /^VmHWM:\s+(\d+)/m && $1 > $peak;
        }
        push @peaks, [time() - $began, @peaks && $peaks[-1][1] > $peak ? $peaks[-1][1] : $peak];
    };
    my ($backend, @control) = (backend_seconds($database->{pid}), (times)[2, 3]);
    my $text = run_program("import $source", {
        log => "$database->{work}/disclosedctl.log", capture => 1, seconds => 1800, watch => $watch, may_refuse => 1,
        env => $database->{build}->control_environment($database->conninfo('disclosed_loader', $name)),
    }, $database->{build}{DISCLOSED_CTL}, 'import', $source, '--json', @{$options}, @paths);
    my $elapsed = time() - $began;
    my $control = (times)[2] + (times)[3] - $control[0] - $control[1];
    my %load = (%{JSON::PP::decode_json($text)}, control => $control, backend => backend_seconds($database->{pid}) - $backend);
    die "import $source: $load{failed} files failed: $load{failures}[0]{reason}\n" if $load{failed};
    my ($third) = grep { $_->[0] >= $elapsed / 3 } @peaks;
    return {(map { $_ => $load{$_} } qw(files read stored unchanged rejected failed seconds control backend)),
        kilobytes => @peaks ? $peaks[-1][1] : 0, third => $third ? $third->[1] : 0};
}

1;

package Disclosed::BootstrapFiles;

# The SEC's bulk archives, made: submissions.zip, companyfacts.zip, and data sets of each kind with the pages that list them; served by
# Disclosed::ReplayServer, which takes an object of this package for its pages and its damage. What happens to requests for a path is a
# plan, one entry for each in the order of their coming: {} (nothing), {cut => bytes}, {pause => seconds}, {ignores_range => 1},
# {wrong_range => 1}, {blocked => 1}, {unmarked => 1} (without what a file is known by). A path has one file, or another one from the n-th request on.

use v5.24;
use warnings;
use Disclosed::MadeFiles qw(made_13f_set made_fund_set made_insider_set made_submissions);
use Disclosed::Process qw(slurp);
use Disclosed::ReplayDamage qw(block_page);
use Disclosed::ZipFile qw(write_zip);
use Exporter qw(import);
use Disclosed::JSON ();

our @EXPORT_OK = qw(bootstrap_sets page_of set_path zip_of);

my $json = Disclosed::JSON->new->utf8->canonical;
my %page_name = ('sec-financial-statements' => 'financial-statement-data-sets', 'sec-ownership' => 'insider-transactions-data-sets', 'sec-13f' => 'form-13f-data-sets', 'sec-nport' => 'form-n-port-data-sets');
my %fixed = ('sec-submissions' => '/www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip', 'sec-companyfacts' => '/www.sec.gov/Archives/edgar/daily-index/xbrl/companyfacts.zip');

# --- archives ------------------------------------------------------------------------------------

# Members [name, bytes] of an archive, of so many companies, filings or reports, other ones for each `from`. Option: ballast, bytes of a member that
# nobody loads, as real sets have them; reversed, the same members in another order.
my %make = (
    'sec-submissions' => sub { my ($folder, $size, $from) = @_; return map { [m{([^/]+)\z}, slurp($_)] } made_submissions($folder, $size, 10, base => 1000 * $from) },
    'sec-companyfacts' => sub { my (undef, $size, $from) = @_; return map { facts(9000 + 1000 * $from + $_) } 1 .. $size },
    'sec-financial-statements' => sub { my (undef, $size, $from) = @_; return statements($size, $from) },
    'sec-ownership' => sub { my ($folder, $size, $from) = @_; return tables(made_insider_set($folder, $size, from => $from * 100_000)) },
    'sec-13f' => sub { my ($folder, $size, $from) = @_; return tables(made_13f_set($folder, $size, 20, from => $from * 10_000)) },
    'sec-nport' => sub { my ($folder, $size, $from) = @_; return tables(made_fund_set($folder, $size, 20, from => $from * 10_000)) },
);

sub tables { my ($folder) = @_; return map { [m{([^/]+)\z}, slurp($_)] } sort glob "$folder/*.tsv" }

sub zip_of
{
    my ($source, $path, $size, $from, %option) = @_;
    my $folder = "$path.d";
    mkdir $folder or die "$folder: $!";
    my @members = $make{$source}->($folder, $size, $from // 0);
    my $block = join '', map { chr 32 + $_ * 7 % 90 } 1 .. 1 << 16;
    push @members, ['readme.htm', $block x ($option{ballast} / length $block)] if $option{ballast};
    @members = reverse @members if $option{reversed};
    system 'rm', '-rf', $folder;
    return write_zip($path, scalar @members, sub { $members[ $_[0] ]->@* });
}

# A company's facts of two reports.
sub facts
{
    my ($cik) = @_;
    my @facts = map { { end => '2024-03-31', val => 1000 * $cik + $_, accn => sprintf('%010d-24-%06d', $cik, $_), form => '10-Q', filed => '2024-05-01', fy => 2024, fp => 'Q1' } } 1, 2;
    return [sprintf('CIK%010d.json', $cik), $json->encode({ cik => $cik, entityName => "Numbers $cik", facts => { 'us-gaap' => { Assets => { units => { USD => \@facts } } } } })];
}

# A set of so many filings, each with ten facts.
sub statements
{
    my ($size, $from) = @_;
    my (@sub, @num);
    for my $number (map { 100_000 * $from + $_ } 1 .. $size) {
        my $adsh = sprintf '%010d-24-000001', 5_000_000 + $number;
        push @sub, join("\t", $adsh, 5_000_000 + $number, "Statements $number", 3711, '1231', '10-Q', '20240331', 2024, 'Q1', '20240507', '2024-05-07 13:14:00.0', 0, 'stm-20240331.xml') . "\n";
        push @num, map { join("\t", $adsh, "Element$_", 'us-gaap/2024', '20240331', 0, 'USD', '', '', 1000 * $number + $_ . '.0000', '') . "\n" } 1 .. 10;
    }
    return (['sub.txt', join '', join("\t", qw(adsh cik name sic fye form period fy fp filed accepted prevrpt instance)) . "\n", @sub],
        ['num.txt', join '', join("\t", qw(adsh tag version ddate qtrs uom segments coreg value footnote)) . "\n", @num],
        ['tag.txt', join '', "tag\tversion\tdatatype\n", map { "Element$_\tus-gaap/2024\tmonetary\n" } 1 .. 10], ['pre.txt', "adsh\treport\n"]);
}

# --- what is served ------------------------------------------------------------------------------

# Where the SEC has a data set of that name.
sub set_path { my ($source, $name) = @_; return $fixed{$source} // "/www.sec.gov/files/structureddata/data/$page_name{$source}/$name" }

sub page_of { my ($source) = @_; return "/www.sec.gov/data-research/sec-markets-data/$page_name{$source}" }

# HTML as the SEC's pages have it, with links to other things.
sub html_of
{
    my ($source, @names) = @_;
    my $rows = join '', map { qq{<tr><td class="views-field"><a href="} . (set_path($source, $_) =~ s{^/www\.sec\.gov}{}r) . qq{">$_</a></td><td>20.1 MB</td></tr>\n} } @names;
    return qq{<!DOCTYPE html>\n<html lang="en"><head><title>SEC.gov | Data Sets</title></head>\n<body><a href="/files/aqfs.pdf">Documentation</a>\n}
        . qq{<a href="https://www.example.com/files/2024q1_form345.zip">elsewhere</a> <a href='/files/2024q9.zip'>no quarter</a> <a href="/files/2024q1_other.zip">other sets</a>\n}
        . qq{<table>\n$rows</table></body></html>\n};
}

# Options: at (of files), files ([source, name, path of the zip, ...], the SEC's order), absent ([source, name]: listed, not there), plan ({path =>
# [entries]}), later ({path => [number of a request, path of the zip from then on]}).
sub new
{
    my ($class, %option) = @_;
    my $self = bless { from => 0, until => 1, at => 1_700_000_000, plan => {}, later => {}, %option }, $class;
    my %listed;
    for my $file ($self->{files}->@*, ($self->{absent} // [])->@*) {
        my ($source, $name, $zip) = @$file;
        push $listed{$source}->@*, $name if $page_name{$source};
        $self->{pages}{ set_path($source, $name) } = { type => 'application/zip', path => $zip, at => $self->{at} } if $zip;
    }
    $self->{pages}{ page_of($_) } = { type => 'text/html; charset=UTF-8', bytes => html_of($_, ($listed{$_} // [])->@*), at => $self->{at} } for keys %page_name;
    return $self;
}

sub page
{
    my ($self, $path) = @_;
    my $number = ++$self->{asked}{$path};
    my $page = $self->{pages}{$path} or return;
    my $entry = ($self->{plan}{$path} // [])->[$number - 1] // {};
    my $later = $self->{later}{$path};
    $page = { %$page, path => $later->[1], at => $page->{at} + 86_400 } if $later && $number >= $later->[0];
    $page = { %$page, at => undef } if $entry->{unmarked};
    return { %$page, careless => $entry->{careless} };
}

# --- what goes wrong -----------------------------------------------------------------------------

my %change = (
    cut   => sub { my ($response, $bytes) = @_; $response->{cut} = $bytes < $response->{length} ? $bytes : $response->{length} - 1 },
    pause => sub { my ($response, $seconds) = @_; $response->{pause} = $seconds },
    wrong_range => sub {
        my ($response) = @_;
        my $first = ($response->{offset} // 0) - 1;
        $response->{headers}{'Content-Range'} =~ s/bytes \d+/bytes $first/ if $response->{headers}{'Content-Range'};
    },
    ignores_range => sub {
        my ($response) = @_;
        return if $response->{status} != 206;
        delete $response->{headers}{'Content-Range'};
        @$response{qw(status offset length)} = (200, 0, -s $response->{path});
    },
    blocked => sub {
        my ($response) = @_;
        delete @$response{qw(path offset)};
        delete @{ $response->{headers} }{qw(ETag Last-Modified Content-Range Accept-Ranges)};
        @$response{qw(status bytes length)} = (200, block_page(), length block_page());
        $response->{headers}{'Content-Type'} = 'text/html; charset=UTF-8';
    },
);

# As Disclosed::ReplayDamage: changes a response, and returns what was done.
sub apply
{
    my ($self, $target, $response) = @_;
    my $entry = ($self->{plan}{$target} // [])->[($self->{asked}{$target} // 1) - 1] or return;
    my @done = grep { $change{$_} } sort keys %$entry;
    $change{$_}->($response, $entry->{$_}) for @done;
    return join(' ', sort keys %$entry) || undef;
}

# Archives of each kind, made in a folder; `size` is how many companies, filings or reports each has. Returns what `files` takes.
sub bootstrap_sets
{
    my ($folder, $size, %option) = @_;
    my @sets = (['sec-submissions', 'submissions.zip'], ['sec-companyfacts', 'companyfacts.zip'], ['sec-financial-statements', '2024q2.zip', 1], ['sec-financial-statements', '2024q1.zip'],
        ['sec-ownership', '2024q2_form345.zip', 1], ['sec-ownership', '2024q1_form345_0.zip'], ['sec-13f', '01mar2024-31may2024_form13f.zip', 1], ['sec-13f', '2023q4_form13f.zip'],
        ['sec-nport', '2024q1_nport.zip']);
    return map { my ($source, $name, $from) = @$_; [$source, $name, zip_of($source, "$folder/$name", $size, $from, %option)] } @sets;
}

1;

# Real files, of every importer: the content hash of each row is the SHA-256 of the file that it was read
# from, unpacked, as it is computed here. And what that must not change: documents are known again that come
# once by themselves and once in a submission; a second run stores nothing; rows that were stored without a
# hash take the file's.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder slurp);
use Disclosed::Process qw(run);
use Disclosed::Shared qw(fresh workspace);
use Digest::SHA qw(sha256_hex);
use IO::Uncompress::Unzip qw(unzip);

my $data = folder('ownership-xml') =~ s{/ownership-xml\z}{}r;
my $site = site(template => 'empty');
my $place = workspace() . '/' . fresh('content-hash');
mkdir $place or die "$place: $!";

sub write_file
{
    my ($path, $bytes) = @_;
    open my $out, '>:raw', $path or die "$path: $!";
    print $out $bytes;
    close $out or die "$path: $!";
    return;
}

sub hash_of { return 'sha256:' . sha256_hex($_[0]) }

# The bytes of a file as an import_run names it: with the member of an archive, or packed.
sub bytes_of
{
    my ($name) = @_;
    my ($path, $member) = $name =~ /^(.*?\.(?:zip|tar\.gz)):(.*)$/ ? ($1, $2) : ($name, undef);
    my @command = $path =~ /\.zip\z/ ? ('unzip', '-p', $path, $member) : $path =~ /\.tar\.gz\z/ ? ('tar', 'xzOf', $path, $member)
        : $path =~ /\.gz\z/ ? ('gzip', '-dc', $path) : ();
    return slurp($path) if !@command;
    open my $pipe, '-|', @command or die "@command: $!";
    binmode $pipe;
    local $/;
    return scalar <$pipe>;
}

sub import_all
{
    my ($source, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @paths);
    my $summary = eval { Disclosed::JSON->new->utf8->decode($out) } // {};
    cmp_ok($summary->{read} // 0, '>', 0, "$source: $summary->{read} rows") or diag substr "$out$err", 0, 2000;
    return $summary;
}

# --- as they are, packed, and as members ------------------------------------------------------

run('sh', '-c', "gzip -nc '$data/ownership-xml/form4/0000899243-18-015035.xml' >$place/0000899243-18-015035.xml.gz");
run('tar', 'czf', "$place/reports.tar.gz", '-C', "$data/ownership-xml/form4", '0000899243-18-025227.xml', '0000899243-18-029394.xml');
my @ownership = ("$data/ownership-xml/sgml", glob("$data/ownership-xml/form3/*.xml"), "$place/0000899243-18-015035.xml.gz", "$place/reports.tar.gz");
mkdir "$place/filings" or die;
symlink $_, "$place/filings/" . s{.*/}{}r or die for glob("$data/8k-ex99/*.txt"), glob "$data/sgml-filings/*.txt";
my %paths = (
    'sec-company-tickers' => ["$data/edgar-tickers/company_tickers_exchange.2024-07-16.json"],
    'sec-submissions'     => [glob "$data/edgar-submissions/CIK00003201*.json $data/edgar-submissions/CIK00010671*.json"],
    'sec-companyfacts'    => [glob "$data/edgar-companyfacts/CIK*.json.gz"],
    'sec-financial-statements' => [glob "$data/financial-statement-data-sets/*.zip"],
    'xbrl-instance'       => ['--known-at', '2025-05-02', '--accession', '0000320193-25-000057', glob "$data/xbrl/aapl*/*_htm.xml"],
    'sec-ownership'       => \@ownership,
    'sec-beneficial-ownership' => [grep { !/truncated/ } glob "$data/beneficial-ownership/sc*.xml"],
    'sec-13f'             => [glob("$data/form13f/*.txt"), glob("$data/form13f/*.nc"), "$data/form13f/sec-spec-samples"],
    'sec-filing'          => ["$place/filings"],
    'earnings-calendar'   => [glob "$data/events/*.csv"],
    'finra-short-interest' => ["$data/finra-short-interest"],
    'corporate-actions'   => ["$data/corporate-actions"],
    'sec-nport'           => [glob "$data/nport/*.xml"],
    'senate-ptr'          => ["$data/senate-ptr/daily"],
    'house-ptr'           => ["$data/house-ptr"],
);
write_file("$place/mf.json", '{"fields":["cik","seriesId","classId","symbol"],"data":[[2110,"S000009184","C000024954","LACAX"]]}' . "\n");
$paths{'sec-fund-tickers'} = ["$place/mf.json"];

my @order = qw(sec-company-tickers sec-submissions sec-companyfacts sec-financial-statements xbrl-instance sec-ownership sec-beneficial-ownership sec-13f sec-filing earnings-calendar finra-short-interest corporate-actions
    sec-fund-tickers sec-nport senate-ptr house-ptr);
my ($sources) = ($site->control('import', '--help'))[1] =~ /^Sources:\n(.*?)\n\n/ms;
is(join(' ', sort @order), join(' ', sort grep { $_ ne 'ndjson' } $sources =~ /^  (\S+)/mg), 'every importer of files');
import_all($_, $paths{$_}->@*) for @order;

my %hashes; # of all files
my @runs = $site->rows("SELECT import_run_id, source, file FROM import_run WHERE status = 'done'");
for my $run (@runs) {
    $run->{hash} = hash_of(bytes_of($run->{file}));
    $hashes{ $run->{hash} } = $run->{file};
}
my %run = map { ($_->{import_run_id} => $_) } @runs;

# A cover that lies beside its table is a file of its own, which has no run.
$hashes{ hash_of(slurp($_)) } = $_ for glob "$data/form13f/sec-spec-samples/*";

# The facts of a set lie in another table than the one that leads.
for my $set ($paths{'sec-financial-statements'}->@*) {
    unzip($set, \my $table, Name => 'num.txt') or die "$set: no num.txt";
    $hashes{ hash_of($table) } = "$set:num.txt";
}

# The rows of each source: their file's hash, or where another file says the same as well, the lesser one.
sub check_rows
{
    my ($what) = @_;
    my (%seen, @wrong);
    my @tables = $site->rows("SELECT c.table_name, EXISTS (SELECT 1 FROM information_schema.columns e WHERE e.table_schema = 'disclosed' AND e.table_name = c.table_name
            AND e.column_name = 'superseded_at') AS has_end FROM information_schema.columns c JOIN information_schema.columns d USING (table_schema, table_name)
        WHERE table_schema = 'disclosed' AND c.column_name = 'content_hash' AND d.column_name = 'import_run_id' AND table_name LIKE '%\\_sourced' ORDER BY 1");
    for my $one (@tables) {
        my $table = $one->{table_name};
        my $counts = $one->{has_end} ? 'AND superseded_at IS DISTINCT FROM known_at' : '';
        for my $row ($site->rows("SELECT import_run_id, content_hash, source_provider, count(*) AS rows FROM $table WHERE import_run_id IS NOT NULL $counts GROUP BY 1, 2, 3")) {
            my $run = $run{ $row->{import_run_id} } or next;
            my $hash = $row->{content_hash};
            $seen{"$run->{source} $table"} += $row->{rows};
            next if defined $hash && ($hash eq $run->{hash} || ($hashes{$hash} && ($hash lt $run->{hash} || $run->{source} eq 'sec-13f')));
            push @wrong, "$table of $run->{file}: " . ($hash // 'none') . " in $row->{rows} rows, not $run->{hash}";
        }
    }
    is_deeply(\@wrong, [], $what);
    return \%seen;
}
my $seen = check_rows('each row has the hash of its file');
my $rows = 0;
$rows += $_ for values %$seen;
for my $source (@order) {
    cmp_ok((scalar grep { /^$source / } keys %$seen), '>=', 1, "... rows of $source");
}
note("$rows rows, " . scalar(@runs) . ' files');
for my $case (['insider_transaction', '0000320193-22-000061'], ['filing_exhibit', '0000891092-03-001810'], ['filing_text', '0000912057-00-023442'],
    ['institution_position', '0001951757-25-000093']) {
    my ($table, $accession) = @$case;
    my ($file) = grep { /\Q$accession\E/ } map { $_->{file} } @runs;
    my @found = $site->rows("SELECT DISTINCT content_hash FROM ${table}_sourced WHERE accession = '$accession'");
    is_deeply([map { $_->{content_hash} } @found], [hash_of(slurp($file))], "$table of $accession: one hash, the file's");
}

# --- what is known again ----------------------------------------------------------------------

# A document out of a submission, by itself and without a name that tells: unchanged, whichever comes first.
my $submission = slurp("$data/ownership-xml/sgml/0000899243-22-035394.txt");
my ($document) = $submission =~ m{<XML>\n(.*?)</XML>}s;
write_file("$place/alone.xml", $document);
my $alone = import_all('sec-ownership', "$place/alone.xml");
is($alone->{stored}, 0, 'a form that came in its submission before: nothing is stored');
is($alone->{unchanged}, $alone->{read}, '... and all is unchanged');
my $nc = slurp("$data/ownership-xml/sgml/0001127602-25-004598.nc");
($document) = $nc =~ m{<XML>\r(.*?)</XML>}s;
write_file("$place/from-nc.xml", $document =~ s/\r/\n/gr);
$alone = import_all('sec-ownership', "$place/from-nc.xml");
is($alone->{stored}, 0, 'one with other line ends alike');

# Of two files that say the same, known at the same time, the lesser hash stays, whichever came first.
write_file("$place/0000899243-22-035394.xml", my $form = $submission =~ s{.*<XML>\n(.*?)</XML>.*}{$1}sr);
my ($least) = sort(hash_of($submission), hash_of($form));
for my $order ([0, 1], [1, 0]) {
    my $other = site(template => 'empty');
    for my $file (("$data/ownership-xml/sgml/0000899243-22-035394.txt", "$place/0000899243-22-035394.xml")[@$order]) {
        my ($code, $out, $err) = $other->control('import', 'sec-ownership', $file);
        is($code, 0, $file) or diag "$out$err";
    }
    is_deeply([map { $_->{content_hash} } $other->rows('SELECT DISTINCT content_hash FROM insider_transaction_sourced')], [$least],
        'a form in its submission and by itself: ' . ($order->[0] ? 'by itself first' : 'in its submission first'));
}

# --- rows of before, and the second run -------------------------------------------------------

my ($version) = $site->value("SELECT version FROM dataset_stat WHERE dataset = 'insider'");
$site->execute("UPDATE disclosed.source SET content_hash = NULL WHERE source_id IN (SELECT source_id FROM disclosed.$_)")
    for qw(insider_transaction insider_holding executive short_interest corporate_action filing fund_holding);
for my $source (qw(sec-ownership sec-submissions finra-short-interest corporate-actions sec-nport)) {
    my $summary = import_all($source, $paths{$source}->@*);
    is($summary->{stored} + $summary->{superseded}, 0, "$source again: nothing is stored");
}
import_all('sec-filing', $paths{'sec-filing'}->@*);
check_rows('rows without a hash have taken their files\'');
cmp_ok($site->value("SELECT version FROM dataset_stat WHERE dataset = 'insider'"), '>', $version, 'their version is another: answers change');
my $before = $site->value('SELECT version FROM dataset_stat WHERE dataset = \'insider\'');
import_all('sec-ownership', $paths{'sec-ownership'}->@*);
is($site->value("SELECT version FROM dataset_stat WHERE dataset = 'insider'"), $before, '... and stays after that');

# --- as served, and NDJSON --------------------------------------------------------------------

my $line = '{"dataset":"short_interest","symbol":"AAPL:US","symbol_code":"AAPL","settlement_date":"2026-01-15","current_short_position":"1","known_at":"2026-01-27","provenance":{"source_provider":"finra"%s}}' . "\n";
write_file("$place/own.ndjson", sprintf($line, ',"content_hash":"sha256:' . ('ab' x 32) . '"') . sprintf($line =~ s/01-15/01-30/r =~ s/01-27/02-10/r, ''));
my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', "$place/own.ndjson");
is($code, 0, 'ndjson') or diag "$out$err";
my @own = $site->rows("SELECT content_hash FROM short_interest_sourced WHERE settlement_date IN ('2026-01-15', '2026-01-30') AND current_short_position = 1 ORDER BY settlement_date");
is_deeply([map { $_->{content_hash} } @own], ['sha256:' . 'ab' x 32, undef], 'lines tell their own, or have none: their file is not their source');

$site->start;
my ($api) = grep { $_->{file} =~ /api-consolidated/ } @runs;
my $item = json_of($site->get('/v1/companies/AAPL/short-interest?end_date=2026-03-01&limit=1', key => 'builder'))->{data}[0];
ok($item, 'a row is served') and is($item->{provenance}{content_hash}, $api->{hash}, '... with its file\'s hash');

finish();

# The SEC's quarterly Form N-PORT Data Sets: reports of funds and their holdings in tables. The same records as of the
# documents themselves, which stand whichever is loaded first; what is no good of a set.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(shared_data);
use Disclosed::NportSet qw(nport_set);
use Disclosed::Process qw(slurp);
use Disclosed::ZipFile qw(write_zip);

my $site = site(template => 'empty');
my $root = $site->{root};

sub folder_of
{
    my ($name, %files) = @_;
    mkdir "$root/$name" or die "$name: $!";
    $site->write("$name/$_", $files{$_}) for keys %files;
    return "$root/$name";
}

sub imported
{
    my ($wanted, $name, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', 'sec-nport', @paths);
    is($code, $wanted, $name) or diag substr "$out$err", 0, 3000;
    return "$out$err";
}

sub clear
{
    $site->execute('TRUNCATE disclosed.fund, disclosed.fund_holding, disclosed.fund_class, disclosed.fund_exposure, disclosed.filing, disclosed.named_document, disclosed.dataset_issuer_stat,
        disclosed.dataset_stat');
    return;
}

# All rows in force, with what each says and where it is from; `less`: columns that are left out.
sub known
{
    my (@less) = @_;
    my $less = join ' ', map { "- '$_'" } qw(row_id id issuer_id source_id import_run_id recorded_at extracted_at settled_from settled_until), @less;
    # Zeros at the end of a number say nothing.
    return map { $_->{line} =~ s/(": -?\d+)\.0+(?=[,}])/$1/gr =~ s/(": -?\d+\.\d*[1-9])0+(?=[,}])/$1/gr } map { my $table = $_;
        $site->rows("SELECT '$table ' || (to_jsonb(t) $less)::text AS line FROM ${table}_sourced t WHERE superseded_at IS DISTINCT FROM known_at ORDER BY 1") } qw(fund fund_holding);
}

sub difference
{
    my ($left, $right) = @_;
    my %left = map { ($_ => 1) } @$left;
    my %right = map { ($_ => 1) } @$right;
    return [(map { "first:  $_" } grep { !$right{$_} } @$left), map { "second: $_" } grep { !$left{$_} } @$right];
}

# --- made reports ----------------------------------------------------------------------------

sub holding
{
    my ($name, $value, %is) = @_;
    return "<invstOrSec><name>$name</name><lei>N/A</lei><title>$name &quot;A&quot;</title><cusip>@{[$is{cusip} // '000000000']}</cusip><identifiers>@{[$is{identifiers} // '<isin value=\"US0378331005\"/>']}</identifiers>"
        . "<balance>100.50000000</balance><units>NS</units>@{[$is{currency} // '<curCd>USD</curCd>']}<valUSD>$value</valUSD><pctVal>0.512345678901</pctVal><payoffProfile>Long</payoffProfile>"
        . "@{[$is{asset} // '<assetCat>EC</assetCat>']}<issuerCat>CORP</issuerCat><invCountry>US</invCountry><isRestrictedSec>N</isRestrictedSec><fairValLevel>1</fairValLevel></invstOrSec>";
}

sub document
{
    my ($series, @holdings) = @_;
    return '<?xml version="1.0"?>' . "\n<edgarSubmission><headerData><submissionType>NPORT-P</submissionType><filerInfo><filer><issuerCredentials><cik>0009900011</cik></issuerCredentials></filer><seriesClassInfo>"
        . "<seriesId>$series</seriesId><classId>C000099001</classId></seriesClassInfo></filerInfo></headerData><formData><genInfo><regName>Teasel &amp; Trust</regName><regFileNumber>811-1</regFileNumber>"
        . "<regCik>0009900011</regCik><regLei>N/A</regLei><seriesName>Teasel Fund</seriesName><seriesId>$series</seriesId><seriesLei>N/A</seriesLei><repPdEnd>2024-12-31</repPdEnd><repPdDate>2024-06-30</repPdDate>"
        . '<isFinalFiling>N</isFinalFiling></genInfo><fundInfo><totAssets>1000.25</totAssets><totLiabs>0.25</totLiabs><netAssets>1000.00</netAssets></fundInfo><invstOrSecs>' . join('', @holdings)
        . '</invstOrSecs><signature><dateSigned>2024-08-20</dateSigned></signature></formData></edgarSubmission>';
}

my @made = (
    ['0009900011-24-000001', '2024-08-26', document('S000099001', holding('Alder Inc', 10), holding('Birch Ltd', 20.5, cusip => '037833100', identifiers => '<ticker value="brch"/><other otherDesc="SEDOL" value="B1"/>'),
        holding('Cedar', 30, currency => '<currencyConditional curCd="EUR" exchangeRt="0.91"/>', asset => '<assetConditional desc="Things" assetCat="OTHER"/>'))],
    ['0009900011-24-000002', '2024-08-27', document('S000099002', holding('Dogwood', 5, identifiers => ''))],
);
my %set = nport_set(sub { reverse @_ }, @made);
my @files = map { $site->write("$_->[0].xml", $_->[2]) } @made;
my @dated = qw(known_at filed_on class_ids signed_on content_hash);

imported(0, 'documents', @files);
my @documents = known(@dated);
cmp_ok(scalar @documents, '==', 6, 'reports and holdings');
imported(0, 'a data set of them', my $folder = folder_of('2024q3_nport', %set, 'nport_readme.htm' => 'x'));
my @whole = known();
is_deeply(difference(\@documents, [known(@dated)]), [], '... changes nothing');
is($site->value("SELECT string_agg(DISTINCT filed_on || ' ' || to_char(known_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI'), ', ' ORDER BY filed_on || ' ' || to_char(known_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI')) FROM fund"),
    '2024-08-26 08-27 03:59, 2024-08-27 08-28 03:59', '... but tells the days of filing');
is($site->value('SELECT count(DISTINCT known_at) FROM fund_holding'), 2, '... of the holdings as well');

clear();
my $said = imported(0, 'a data set', $folder);
like($said, qr{SUBMISSION\.tsv: read 6, stored 6, unchanged 0, superseded 0, rejected 0\n}, '... is one file');
is_deeply(difference(\@documents, [known(@dated)]), [], '... says the same');
is($site->value("SELECT other_identifiers::text || ticker || cusip FROM fund_holding WHERE name = 'Birch Ltd'"), '[{"type": "SEDOL", "value": "B1"}]BRCH037833100', '... with further identifiers');
like(imported(0, 'the set again', $folder), qr/read 6, stored 0, unchanged 6/, '... stores nothing');
my %stray = %set;
$stray{'FUND_REPORTED_HOLDING.tsv'} =~ s/^(\d+-24-00000)1(?=\t\d+\tCedar)/${1}9/m or die;
my @sound = known();
like(imported(1, 'the set with a line of no report', folder_of('stray', %stray)), qr/FUND_REPORTED_HOLDING\.tsv line \d: rejected: SUBMISSION\.tsv does not have this accession number/, '... is told');
is_deeply(difference(\@sound, [known()]), [], '... and ends nothing: it may be any report\'s') or diag explain difference(\@sound, [known()]);

# A table that is cut at a line end looks whole: what is stored stays, unless the table goes on behind the report.
for my $case (['REGISTRANT', 0], ['FUND_REPORTED_INFO', 0], ['FUND_REPORTED_HOLDING', 0], ['IDENTIFIERS', 0], ['IDENTIFIERS', 1], ['IDENTIFIERS', 2], ['IDENTIFIERS', 3]) {
    my ($table, $lines) = @$case;
    my @lines = split /^/, $set{"$table.tsv"};
    $said = imported(1, "$table of $lines lines over the whole set", folder_of("cut-$table-$lines", %set, "$table.tsv" => join '', @lines[0 .. $lines]));
    like($said, $lines == 0 ? qr/failed, nothing of it is stored: $table\.tsv: there is no row: it is cut, or is no part of this set/
        : qr/SUBMISSION\.tsv line \d: rejected: IDENTIFIERS\.tsv is cut or ends there: it has $lines identifiers of its holdings, and 4 are stored/, '... is told');
    is_deeply(difference(\@sound, [known()]), [], '... what is stored stays') or diag explain difference(\@sound, [known()]);
}
is(scalar(() = $said =~ /\d+: rejected/g) . ($said =~ /read (\d+), stored 0, unchanged 2, superseded 0, rejected (\d+)/ && $1 - $2), "@{[$said =~ /rejected (\d+)/]}2", '... and the other report is as it was');
my @others = (['0009900011-24-000001', '2024-08-26', document('S000099001', holding('Alder Inc', 10))], ['0009900011-24-000002', '2024-08-27', document('S000099002', holding('Dogwood', 5, identifiers => ''), holding('Elm', 6))]);
my @less = ([$others[0]->@[0, 1], $others[0][2] =~ s/(?<=<\/invstOrSec>)(?=<\/invstOrSecs>)/holding('Fir', 7, identifiers => '')/er], $others[1]);
clear();
imported(0, 'a set in which a holding has no identifiers', my $fewer = folder_of('fewer-identifiers', nport_set(sub { @_ }, @less)));
my @few = known();
clear();
imported(0, 'the set in which it has', folder_of('more-identifiers', nport_set(sub { @_ }, [$less[0]->@[0, 1], $less[0][2] =~ s/<identifiers><\/identifiers>/<identifiers><isin value="US0378331005"\/><\/identifiers>/r], $less[1])));
imported(0, 'the set in which it has not', $fewer);
is_deeply(difference(\@few, [known()]), [], '... is as if it had been the only one') or diag explain difference(\@few, [known()]);

clear();
imported(0, 'the data set', $folder);
imported(0, 'the documents after it', @files);
is_deeply(difference(\@whole, [known()]), [], '... stand, days of filing and all') or diag explain difference(\@whole, [known()]);
$said = imported(0, 'the set after them', $folder);
like($said, qr/read 0, stored 0.*2 reports are loaded from their documents, which stand: their 14 lines are passed over/s, '... is passed over, and says so') or diag $said;
is_deeply(difference(\@whole, [known()]), [], '... and changes nothing');

# A set that has the holdings in another order, with one more, and other numbers.
my %poor = %set;
$poor{'FUND_REPORTED_HOLDING.tsv'} =~ s/\t20\.5\t/\t21\t/;
$poor{'FUND_REPORTED_HOLDING.tsv'} =~ s/\t4001\t/\t4009\t/;
$poor{'IDENTIFIERS.tsv'} =~ s/^4001\t/4009\t/m;
$poor{'FUND_REPORTED_HOLDING.tsv'} .= ($poor{'FUND_REPORTED_HOLDING.tsv'} =~ /^(0009900011-24-000002\t[^\n]*\n)/m)[0] =~ s/\t4\d+\t/\t4100\t/r;
my $poor = folder_of('poor', %poor);
for my $order ([$poor, @files], [@files, $poor], [$poor, $files[1], $poor, $files[0]]) {
    clear();
    imported(0, 'another set and the documents', $_) for @$order;
    is_deeply(difference(\@whole, [known()]), [], '... leave the documents\' rows') or diag explain difference(\@whole, [known()]);
}

# An archive.
clear();
my @tables = sort keys %set;
write_zip("$root/2024q3_nport.zip", scalar @tables, sub { my ($i) = @_; ("2024q3_nport/$tables[$i]", $set{ $tables[$i] }) });
like(imported(0, 'a set as an archive', "$root/2024q3_nport.zip"), qr{2024q3_nport\.zip:2024q3_nport/SUBMISSION\.tsv: read 6, stored 6}, '... is one file');

# --- what is no good -------------------------------------------------------------------------

my $broken = 0;
my $first = '0009900011-24-000001';
my $stored = sub { return join ' ', map { substr $_->{accession}, -1 } $site->rows('SELECT accession FROM fund ORDER BY 1') };
my %damage = (
    'a line that is cut'       => ['FUND_REPORTED_HOLDING.tsv', sub { s/($first\t\d+\tCedar)[^\n]*/$1/ }, qr/FUND_REPORTED_HOLDING\.tsv line \d: rejected: the row has 3 fields/, '2'],
    'a holding without a key'  => ['FUND_REPORTED_HOLDING.tsv', sub { s/($first\t)\d+/$1x/ }, qr/holdingid is no number/, '2'],
    'a key twice'              => ['FUND_REPORTED_HOLDING.tsv', sub { s/\t4002\t/\t4001\t/ }, qr/SUBMISSION\.tsv line 3: rejected: FUND_REPORTED_HOLDING\.tsv line \d: holdingid 4001 is there twice/, '2'],
    'a key of another report'  => ['FUND_REPORTED_HOLDING.tsv', sub { s/\t4004\t/\t4001\t/ }, qr/SUBMISSION\.tsv line 3: rejected: FUND_REPORTED_HOLDING\.tsv line \d: holdingid 4001 is there twice/, ''],
    'an identifier of nothing' => ['IDENTIFIERS.tsv', sub { s/^4001\t/5001\t/m }, qr/IDENTIFIERS\.tsv line \d: rejected: FUND_REPORTED_HOLDING\.tsv does not have this key/, '1 2'],
    'an ISIN that is no UTF-8' => ['IDENTIFIERS.tsv', sub { s/(?<=US0378331005)/\xe9/ }, qr/FUND_REPORTED_HOLDING\.tsv line \d: rejected: IDENTIFIERS\.tsv line \d: not valid UTF-8/, '1 2'],
    'an identifier twice'      => ['IDENTIFIERS.tsv', sub { s/([^\n]*\tbrch[^\n]*\n)/$1$1/ }, qr/FUND_REPORTED_HOLDING\.tsv line \d: rejected: IDENTIFIERS\.tsv line \d: IDENTIFIERS_ID is there twice/, '1 2'],
    'no registrant'            => ['REGISTRANT.tsv', sub { s/$first[^\n]*\n// }, qr/SUBMISSION\.tsv line 3: rejected: REGISTRANT\.tsv does not have the report/, '2'],
    'no fund'                  => ['FUND_REPORTED_INFO.tsv', sub { s/$first[^\n]*\n// }, qr/FUND_REPORTED_INFO\.tsv does not have the report/, '2'],
    'a fund twice'             => ['FUND_REPORTED_INFO.tsv', sub { s/($first[^\n]*\n)/$1$1/ }, qr/FUND_REPORTED_INFO\.tsv line 4: the report is there twice/, '2'],
    'another form'             => ['SUBMISSION.tsv', sub { s/($first[^\n]*)NPORT-P/$1NPORT-NP/ }, qr/SUB_TYPE NPORT-NP: NPORT-P and NPORT-P\/A alone are public/, '2'],
    'no date'                  => ['SUBMISSION.tsv', sub { s/($first[^\n]*)30-JUN-2024/${1}31-JUN-2024/ }, qr/reportdate "2024-06-31" is not a date/, '2'],
    'no day of the holdings'   => ['SUBMISSION.tsv', sub { s/($first[^\n]*)30-JUN-2024/$1/ }, qr/REPORT_DATE is missing/, '2'],
    'no number'                => ['FUND_REPORTED_HOLDING.tsv', sub { s/\t20\.5\t/\tmany\t/ }, qr/FUND_REPORTED_HOLDING\.tsv line \d: rejected: currencyvalue "many" is not a number/, '1 2'],
);
for my $name (sort keys %damage) {
    my ($table, $change, $told, $left) = $damage{$name}->@*;
    clear();
    my %other = %set;
    $change->() for $other{$table};
    $said = imported(1, $name, folder_of('broken' . ++$broken, %other));
    like($said, $told, '... is told with its table and line') or diag $said;
    is($stored->(), $left, '... and the other report is stored');
    my ($read, @counts) = $said =~ /read (\d+), stored (\d+), unchanged (\d+), superseded \d+, rejected (\d+)/;
    is($read, $counts[0] + $counts[1] + $counts[2], '... all lines are accounted for');
}
like(imported(1, 'a table is missing', folder_of('less', map { ($_ => $set{$_}) } grep { !/IDENT/ } keys %set)), qr/SUBMISSION\.tsv: failed, nothing of it is stored: IDENTIFIERS\.tsv is missing/, '... refuses the set');
like(imported(1, 'a table alone', folder_of('alone', 'IDENTIFIERS.tsv' => $set{'IDENTIFIERS.tsv'})), qr/IDENTIFIERS\.tsv: failed.*without SUBMISSION\.tsv in its folder/, '... is refused');

# --- real reports ----------------------------------------------------------------------------

SKIP: {
    my $real = shared_data('nport');
    diag 'NOT TESTED: real reports (DISCLOSED_SHARED)' if !$real;
    skip 'no real reports', 1 if !$real;
    my (@paths, @reports);
    for my $path (glob("$real/*.xml"), glob "$real/sec-spec-samples/*.xml") {
        my $xml = slurp($path);
        next if $xml !~ /submissionType>NPORT-P/ || $xml !~ /seriesName>/;
        utf8::decode($xml);
        my $accession = sprintf '0009900099-24-%06d', 1 + @reports;
        push @reports, [$accession, '2030-01-01' =~ s/2030/2024/r, $xml];
        push @paths, $site->write("$accession.xml", slurp($path));
    }
    clear();
    imported(0, scalar(@reports) . ' real reports', @paths);
    my @of_documents = known(@dated);
    my %all = nport_set(sub { reverse @_ }, @reports);
    clear();
    imported(0, 'the same as a data set', my $path = folder_of('real', %all));
    my $different = difference(\@of_documents, [known(@dated)]);
    is(scalar @$different, 0, scalar(@of_documents) . ' rows, which say the same') or diag join "\n", map { substr $_, 0, 1500 } grep { defined } @$different[0 .. 5];
}
finish();

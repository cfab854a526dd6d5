# Form 13F: whole submissions, tables with and without their covers, data sets; restatements, options,
# principal amounts; dollars and thousands. The files in ../shared are real; all others are made here,
# by the SEC's schema and the readme of its Form 13F data sets, for want of real ones.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(import_twice slurp text_of);
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(run);
use Math::BigFloat;

my $site = site(template => 'empty');
my $root = $site->{root};

sub folder_of
{
    my ($name, %files) = @_;
    my $path = $root;
    for my $part (split m{/}, $name) {
        $path .= "/$part";
        -d $path or mkdir $path or die "$path: $!";
    }
    $site->write("$name/$_", $files{$_}) for sort keys %files;
    return $path;
}

# Imports and expects an exit code; returns all that was said.
sub imported
{
    my ($code, $name, @arguments) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($got, $out, $err) = $site->control('import', 'sec-13f', @arguments);
    is($got, $code, $name) or diag "$out$err";
    return "$out$err";
}

sub report
{
    my ($accession) = @_;
    my ($row) = $site->rows("SELECT r.*, i.cik FROM institution_report r JOIN issuer i USING (issuer_id)
        WHERE accession = '$accession' AND superseded_at IS NULL");
    return $row // {};
}

sub positions
{
    my ($accession) = @_;
    return $site->rows("SELECT * FROM institution_position WHERE accession = '$accession'
        AND superseded_at IS NOT DISTINCT FROM NULL ORDER BY row_number");
}

sub known_at { return $site->value("SELECT known_at FROM institution_report WHERE accession = '$_[0]'") }

# --- files that are made ---------------------------------------------------------------------

# A cover; `more` has elements of the cover page.
sub cover
{
    my (%is) = @_;
    my $summary = defined $is{total} ? "<summaryPage><otherIncludedManagersCount>0</otherIncludedManagersCount>"
        . "<tableEntryTotal>$is{rows}</tableEntryTotal><tableValueTotal>$is{total}</tableValueTotal></summaryPage>" : '';
    my $more = $is{more} // '';
    my $type = $is{type} // '13F HOLDINGS REPORT';
    return <<"END";
<?xml version="1.0" encoding="UTF-8"?>
<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler" xmlns:com="http://www.sec.gov/edgar/common">
<headerData><submissionType>$is{form}</submissionType><filerInfo><filer><credentials><cik>$is{cik}</cik></credentials></filer>
<periodOfReport>$is{period}</periodOfReport></filerInfo></headerData>
<formData><coverPage><reportCalendarOrQuarter>$is{period}</reportCalendarOrQuarter>$more
<filingManager><name>Manager $is{cik}</name></filingManager><reportType>$type</reportType></coverPage>
<signatureBlock><signatureDate>08-13-2024</signatureDate></signatureBlock>$summary</formData>
</edgarSubmission>
END
}

# A table of rows [name, cusip, value, amount, type, put_call].
sub table
{
    my ($prefix, @rows) = @_;
    my $text = "<${prefix}informationTable" . ($prefix ? ' xmlns:' . $prefix =~ s/://r . '="x"' : '') . ">\n";
    for my $row (@rows) {
        my ($name, $cusip, $value, $amount, $type, $put_call) = @$row;
        $text .= "<P:infoTable><P:nameOfIssuer>$name</P:nameOfIssuer><P:titleOfClass>COM</P:titleOfClass><P:cusip>$cusip</P:cusip><P:value>$value</P:value>"
            . "<P:shrsOrPrnAmt><P:sshPrnamt>$amount</P:sshPrnamt><P:sshPrnamtType>" . ($type // 'SH') . '</P:sshPrnamtType></P:shrsOrPrnAmt>'
            . ($put_call ? "<P:putCall>$put_call</P:putCall>" : '') . "<P:investmentDiscretion>SOLE</P:investmentDiscretion></P:infoTable>\n";
    }
    $text =~ s/P:/$prefix/g;
    return "$text</${prefix}informationTable>\n";
}

# A submission as EDGAR stores it.
sub submission
{
    my (%is) = @_;
    my $number = 0;
    my $documents = join '', map { $number++; "<DOCUMENT>\n<TYPE>$_->[0]\n<SEQUENCE>$number\n<FILENAME>x.xml\n<TEXT>\n$_->[1]\n</TEXT>\n</DOCUMENT>\n" } $is{documents}->@*;
    return <<"END";
<SEC-DOCUMENT>$is{accession}.txt : $is{filed}
<SEC-HEADER>$is{accession}.hdr.sgml : $is{filed}
<ACCEPTANCE-DATETIME>$is{accepted}
ACCESSION NUMBER:		$is{accession}
CONFORMED SUBMISSION TYPE:	$is{form}
PUBLIC DOCUMENT COUNT:		2
CONFORMED PERIOD OF REPORT:	@{[$is{period} // '20240630']}
FILED AS OF DATE:		$is{filed}

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			MANAGER
		CENTRAL INDEX KEY:			$is{cik}
</SEC-HEADER>
$documents</SEC-DOCUMENT>
END
}

my @five = (['ALPHA INC', '037833100', 21000, 100], ['BETA INC', '594918104', 44000, 100], ['GAMMA LTD', '02079K305', 18000, 100],
    ['DELTA CO', '88579Y101', 12000, 100], ['EPS AG', '00206R102', 1900, 100]);

# --- a report that was mistaken for an amendment --------------------------------------------

{
    my %is = (form => '13F-HR', cik => '0009990091', accession => '0009990091-24-000001', filed => '20240814', accepted => '20240814163005');
    my %more = ('' => '', '/A' => '<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo><amendmentInfo><amendmentType>NEW HOLDINGS</amendmentType></amendmentInfo>');
    my $copy = sub { my ($kind, $more, %other) = @_; my %one = (%is, form => "13F-HR$kind", %other);
        return $site->write("$one{accession}.txt", submission(%one, documents => [["13F-HR$kind", '<XML>' . cover(%one, period => '06-30-2024', rows => 5, total => 96900, more => $more) . '</XML>'], ['INFORMATION TABLE', '<XML>' . table('', @five) . '</XML>']])) };
    my $stated = sub { return join ' ', map { $_ // '-' } @{ report($_[0]) }{qw(form amendment_type amendment_number)} };
    for my $good ('', '<isAmendment>false</isAmendment>') {
        imported(0, 'a report', $copy->('', $good));
        is($stated->($is{accession}), '13F-HR - -', '... is no amendment');
        imported(0, 'a copy that is mistaken for an amendment', $copy->('/A', $more{'/A'}));
        is($stated->($is{accession}), '13F-HR/A new_holdings 1', '... is one');
        imported(0, 'the good copy again', $copy->('', $good));
        is($stated->($is{accession}), '13F-HR - -', '... is none again');
        like(imported(0, 'and again', $copy->('', $good)), qr/stored 0, unchanged 6/, '... changes nothing');
    }
    my @amendment = (accession => '0009990092-24-000001', cik => '0009990092');
    imported(0, 'an amendment', $copy->('/A', $more{'/A'}, @amendment));
    like(imported(0, 'its table alone', folder_of('000999009224000001', 'table.xml' => table('', @five)), '--accession', $amendment[1]), qr/stored 0/, '... says nothing new');
    is($stated->($amendment[1]), '13F-HR/A new_holdings 1', '... and leaves what its cover said');
}

# --- one report: submission, folder, archive -------------------------------------------------

my %first = (form => '13F-HR', cik => '0009990011', accession => '0009990011-24-000001', filed => '20240814', accepted => '20240814163005');
my $first_cover = cover(%first, period => '06-30-2024', rows => 5, total => 96900);
my $first = $site->write("$first{accession}.txt", submission(%first,
    documents => [['13F-HR', "<XML>\n$first_cover</XML>"], ['INFORMATION TABLE', "<XML>\n" . table('ns1:', @five) . '</XML>']]));
my $summary = import_twice($site, 'sec-13f', $first);
is($summary->{read}, 6, 'a report and five rows');
my $got = report($first{accession});
is_deeply([@$got{qw(cik form report_type period_of_report filing_date manager_name table_entry_total table_value_total value_factor total_factor value_scale)}],
    [9990011, '13F-HR', 'holdings', '2024-06-30', '2024-08-14', 'Manager 0009990011', 5, 96900, 1, 1, 'dollars as filed'], 'its report');
is(known_at($first{accession}), '2024-08-14 20:30:05+00', 'public when it was accepted, 16:30:05 in New York');
is_deeply([map { [@$_{qw(row_number issuer_title cusip value shares shares_type)}] } positions($first{accession})],
    [map { [$_ + 1, @{ $five[$_] }[0 .. 3], 'SH'] } 0 .. 4], 'its rows');
is($site->value("SELECT source_url FROM institution_position_sourced WHERE accession = '$first{accession}' LIMIT 1"),
    'https://www.sec.gov/Archives/edgar/data/9990011/000999001124000001/0009990011-24-000001-index.htm', 'where EDGAR has it')
    or diag $site->value("SELECT source_url FROM institution_position_sourced LIMIT 1");

# The same as files of a folder named by the accession number, and in an archive: nothing is new.
my $folder = folder_of('pair/9990011/000999001124000001', 'primary_doc.xml' => $first_cover, 'form13fInfoTable.xml' => table('', @five), 'R1.htm' => 'x');
for my $path ("$root/pair", archive("$root/pair.tar.gz", "$root/pair")) {
    my $said = imported(0, "cover and table of $path", $path);
    like($said, qr/unchanged 6,/, '... are the same report');
    like($said, qr/1 files were read together with others/, '... and the cover is told as a part');
}
like(imported(1, 'the cover alone named', "$folder/primary_doc.xml"), qr/is read with its information table, form13fInfoTable\.xml/, '... says with which file it is read');

# Many reports in one folder, told apart by their names.
my %second = (%first, cik => '0009990012', accession => '0009990012-24-000001');
my %third = (%first, cik => '0009990013', accession => '0009990013-24-000001');
$folder = folder_of('flat', map {
    my $one = $_;
    ("$one->{accession}-primary_doc.xml" => cover(%$one, period => '06-30-2024', rows => 5, total => 96900), "$one->{accession}-table.xml" => table('n1:', @five))
} \%second, \%third);
like(imported(0, 'two reports in one folder', $folder, '--known-at', '2024-08-15'), qr/total of 2 files, 0 failed.*stored 12,/, '... are two');
is(known_at($second{accession}), '2024-08-16 03:59:59.999999+00', '... public when --known-at says, at the end of the day');
my @nested = map { my $one = $_; { 'primary_doc.xml' => cover(%$one, period => '06-30-2024', rows => 5, total => 96900), 'table.xml' => table('n1:', @five) } } \%second, \%third, \%second;
folder_of('nested/000999001224000001', $nested[0]->%*);
folder_of('nested/000999001224000001/000999001324000001', $nested[1]->%*);
folder_of('nested/000999001224000001/000999001224000001', $nested[2]->%*);
like(imported(0, 'folders in folders of an archive', archive("$root/nested.tar.gz", "$root/nested"), '--known-at', '2024-08-15'), qr/3 files were read together with others.*unchanged 18,/s, '... each with files of its own');
like(imported(0, 'files of one folder in an archive', archive("$root/flat.tar.gz", $folder), '--known-at', '2024-08-15'), qr/2 files were read together with others.*unchanged 12,/s, '... by their accession numbers');
like(imported(0, 'files that are named one by one', (sort glob "$folder/*.xml"), (sort glob "$root/nested/000999001224000001/*.xml"), '--known-at', '2024-08-15'), qr/3 files were read together with others.*unchanged 18,/s, '... with those beside them');
$folder = folder_of('mixed', 'a.xml' => cover(%second, period => '06-30-2024', rows => 5, total => 1), 'b.xml' => cover(%third, period => '06-30-2024', rows => 5, total => 1),
    't.xml' => table('', @five));
like(imported(1, 'covers and a table that nothing joins', $folder), qr{t\.xml: failed, nothing of it is stored: an information table without its cover: put}, '... are not joined');

# A cover without its rows makes no empty report.
$folder = folder_of('alone/0009990014-24-000001', 'primary_doc.xml' => cover(%first, cik => '9990014', period => '06-30-2024', rows => 5, total => 1));
like(imported(1, 'a cover without its table', $folder), qr/the cover states 5 rows, and neither is an information table beside it nor are rows of 0009990014-24-000001 loaded/, '... is refused');

# --- notices, amendments, what is refused ----------------------------------------------------

my %notice = (%first, form => '13F-NT', cik => '0009990015', accession => '0009990015-24-000001');
my %asked = (%first, form => '13F-CTR', cik => '0009990016', accession => '0009990016-24-000001');
for my $one ([\%notice, '13F NOTICE', 'notice'], [\%asked, '13F HOLDINGS REPORT', 'holdings']) {
    my ($is, $type, $stored) = @$one;
    my $path = $site->write("$is->{accession}.txt", submission(%$is, documents => [[$is->{form}, "<XML>\n" . cover(%$is, period => '06-30-2024', type => $type) . '</XML>']]));
    imported(0, "a $is->{form}", $path);
    is_deeply([@{ report($is->{accession}) }{qw(form report_type table_entry_total)}], [$is->{form}, $stored, undef], '... is a report');
    is(scalar(positions($is->{accession})), 0, '... without rows');
}
my %after = (%first, form => '13F-CTR', accession => '0009990011-24-000002', accepted => '20240815120000', filed => '20240815');
imported(0, 'a request for confidential treatment after a report', $site->write("$after{accession}.txt",
    submission(%after, documents => [['13F-CTR', "<XML>\n" . cover(%after, period => '06-30-2024') . '</XML>']])));
is($site->value("SELECT count(*) FROM institution_position WHERE accession = '$first{accession}' AND superseded_at IS NULL"), 5, '... ends none of its rows');
for my $amendment (['RESTATEMENT', 'restatement', 1], ['NEW HOLDINGS', 'new_holdings', 2]) {
    my ($type, $stored, $number) = @$amendment;
    my %is = (%first, form => '13F-HR/A', accession => "0009990011-24-00001$number");
    my $more = "<isAmendment>true</isAmendment><amendmentNo>$number</amendmentNo><amendmentInfo><amendmentType>$type</amendmentType></amendmentInfo>";
    my $path = $site->write("$is{accession}.txt", submission(%is, documents => [
        ['13F-HR/A', "<XML>\n" . cover(%is, period => '06-30-2024', more => $more, rows => 1, total => 21000) . '</XML>'],
        ['INFORMATION TABLE', "<XML>\n" . table('', $five[0]) . '</XML>']]));
    imported(0, "an amendment, $type", $path);
    is_deeply([@{ report($is{accession}) }{qw(form amendment_type amendment_number)}], ['13F-HR/A', $stored, $number], '... is stored as such');
}

# A table with fewer rows than its cover states, in each of the ways in which the two come.
my %fewer = (%first, cik => '0009990017', accession => '0009990017-24-000001');
my $fewer_cover = cover(%fewer, period => '06-30-2024', rows => 5, total => 96900);
$folder = folder_of('fewer/9990017/000999001724000001', 'primary_doc.xml' => $fewer_cover, 'table.xml' => table('', @five[0, 2 .. 4]));
my $fewer = $site->write("$fewer{accession}.txt", submission(%fewer, documents => [['13F-HR', "<XML>\n$fewer_cover</XML>"], ['INFORMATION TABLE', "<XML>\n" . table('', @five[0 .. 2, 4]) . '</XML>']]));
for my $path ($folder, $fewer) {
    like(imported(1, 'fewer rows than the cover states', $path), qr/the information table has 4 of the 5 rows that the cover states: it may be cut/, '... are refused');
}
my $bare = folder_of('bare/9990017/000999001724000001', 'table.xml' => table('', @five[0 .. 2, 4]));
imported(0, 'four rows that come without the cover', $bare, '--period', '2024-06-30', '--known-at', '2024-08-14');
$folder = folder_of('later/9990017/000999001724000001', 'primary_doc.xml' => $fewer_cover);
like(imported(1, 'then the cover', $folder), qr/the information table has 4 of the 5 rows that the cover states/, '... is refused');
$site->write("$fewer{accession}.txt", submission(%fewer, documents => [['13F-HR', "<XML>\n$fewer_cover</XML>"], ['INFORMATION TABLE', "<XML>\n" . table('', @five) . '</XML>']]));
imported(0, 'the whole submission', $fewer);
is(scalar(positions($fewer{accession})), 5, '... has all five');
like(imported(1, 'the four rows once more', $bare, '--period', '2024-06-30', '--known-at', '2024-08-14'), qr/the information table has 4 of the 5 rows/, '... are held to the cover that is known');
is_deeply([map { $_->{issuer_title} } positions($fewer{accession})], [map { $_->[0] } @five], '... and change nothing');

# Elements that every row must have: a row without is rejected, a table of such rows is refused.
my %lacks = (%first, cik => '0009990018', accession => '0009990018-24-000001');
for my $element (qw(nameOfIssuer titleOfClass cusip value sshPrnamt)) {
    my $lost = submission(%lacks, documents => [['13F-HR', "<XML>\n" . cover(%lacks, period => '06-30-2024', rows => 5, total => 96900) . '</XML>'],
        ['INFORMATION TABLE', "<XML>\n" . (table('', @five) =~ s{<$element>[^<]*</$element>}{}gr) . '</XML>']]);
    like(imported(1, "no row has $element", $site->write("$lacks{accession}.txt", $lost)), qr/none of the 5 rows is good: infoTable\[1\]: $element is missing/, '... is refused');
}
imported(1, 'one row has no CUSIP', $site->write("$lacks{accession}.txt", submission(%lacks, documents => [['13F-HR', "<XML>\n" . cover(%lacks, period => '06-30-2024', rows => 5, total => 96900) . '</XML>'],
    ['INFORMATION TABLE', "<XML>\n" . (table('', @five) =~ s{<cusip>594918104</cusip>}{}r) . '</XML>']])));
is_deeply([map { "$_->{row_number} $_->{value}" } positions($lacks{accession})], ['1 21000', '3 18000', '4 12000', '5 1900'], '... is rejected, and the others are what they are');

my $cut = slurp($first);
for my $case (
    ['cut.txt', substr($cut, 0, length($cut) - 300), qr/cut\.txt: failed, nothing of it is stored: line \d+: /],
    ['cut.xml', substr(table('', @five), 0, 900), qr/cut\.xml: failed, nothing of it is stored: line \d+: /],
    ['old.txt', submission(%first, accession => '0009990011-10-000001', documents => [['13F-HR', '<PAGE> FORM 13F'], ['13F-HR', "<TABLE>\nAPPLE 037833100"]]), qr/plain text before May 2013/],
    ['form4.xml', '<?xml version="1.0"?><ownershipDocument/>', qr/the root element is ownershipDocument, neither/],
    ['undated.txt', submission(%first, accession => '0009990011-24-000008', documents => [['13F-HR', "<XML>\n" . cover(%first, period => '', rows => 5, total => 96900) . '</XML>'],
        ['INFORMATION TABLE', "<XML>\n" . table('', @five) . '</XML>']]), qr/coverPage: rejected: periodOfReport is missing.*infoTable\[5\]: rejected: its report is rejected/s],
    ['untyped.txt', submission(%first, accession => '0009990011-24-000010', documents => [['13F-HR', "<XML>\n"
        . (cover(%first, period => '06-30-2024', rows => 5, total => 96900) =~ s/<reportType>[^<]*<\/reportType>//r) . '</XML>'],
        ['INFORMATION TABLE', "<XML>\n" . table('', @five) . '</XML>']]), qr/coverPage: rejected: reportType is missing/],
    ['test.txt', submission(%first, accession => '0009990011-24-000009', documents => [['13F-HR', "<XML>\n"
        . (cover(%first, period => '06-30-2024', rows => 0, total => 0) =~ s/<filerInfo>/<filerInfo><liveTestFlag>TEST<\/liveTestFlag>/r) . '</XML>']]), qr/coverPage: rejected: a test filing/])
{
    my ($name, $text, $said) = @$case;
    like(imported(1, "$name", $site->write($name, $text)), $said, '... says why it is refused');
}

# --- the scale of values ---------------------------------------------------------------------

# Reports of one quarter by name: which unit they are in, and which was due.
sub scaled
{
    my ($number, $filed, $total, @rows) = @_;
    my %is = (form => '13F-HR', cik => 9990100 + $number, period => '20220930', accession => sprintf('0009990%03d-24-000001', 100 + $number), filed => $filed, accepted => "${filed}170000");
    return $site->write("scale-$number.txt", submission(%is, documents => [
        ['13F-HR', "<XML>\n" . cover(%is, period => '09-30-2022', rows => scalar @rows, total => $total) . '</XML>'],
        ['INFORMATION TABLE', "<XML>\n" . table('', @rows) . '</XML>']]));
}
sub scale_of { return [@{ report(sprintf '0009990%03d-24-000001', 100 + shift) }{qw(value_factor total_factor value_scale)}] }
my @dollars   = ('1', '1', 'dollars as filed');
my @thousands = ('1000', '1000', 'thousands, multiplied by 1000');
my @in_thousands = map { [@$_[0, 1], $_->[2] / 1000, $_->[3]] } @five;
my $said = imported(0, 'thousands when dollars were due', scaled(1, '20230301', 97, @in_thousands));
like($said, qr/0009990101-24-000001: values are thousands, multiplied by 1000: filed 2023-03-01, when dollars were due; 5 of 5 rows imply less than 1 a share/, '... are corrected, and said to be');
is_deeply(scale_of(1), [1000, 1000, $thousands[2]], '... the report has the decision');
is_deeply([map { $_->{value} } positions('0009990101-24-000001')], [map { $_->[2] } @five], '... its rows have dollars');
is_deeply([map { $_->{value_as_filed} } positions('0009990101-24-000001')], [map { $_->[2] } @in_thousands], '... and what was filed');
imported(0, 'thousands when they were due', scaled(2, '20221110', 97, @in_thousands));
is_deeply(scale_of(2), [1000, 1000, $thousands[2]], '... are thousands');
$said = imported(0, 'rows in dollars under a total in thousands', scaled(3, '20221110', 97, @five));
is_deeply(scale_of(3), [1, 1000, $dollars[2]], '... are told by the total');
like($said, qr/the rows amount to 100 USD less than the summary page states/, '... and what the rounding of the total leaves is told');
is(report('0009990103-24-000001')->{value_difference}, -100, '... and stored with the report');
like($site->value("SELECT message FROM import_run WHERE file LIKE '%scale-3.txt'"), qr/0009990103-24-000001: .*100 USD less/, '... and kept with the run');
my ($code, $out) = $site->control('runs', '--limit', 1);
like($out, qr/100 USD less than the summary page states/, '... which disclosedctl runs shows');

# Large prices alone decide nothing: one share of a company whose share costs half a million.
my $dear = ['BERKSHIRE', '084670108', 406470, 1];
imported(0, 'one share of 406,470 dollars, when dollars are due', scaled(4, '20230301', 406470, $dear));
imported(0, 'the same in thousands, when these are due', scaled(5, '20221110', 406, ['BERKSHIRE', '084670108', 406, 1]));
is_deeply(scale_of(4), [1, 1, $dollars[2]], 'dollars stay');
is_deeply(scale_of(5), [1000, 1000, $thousands[2]], 'thousands stay');
isnt(report('0009990104-24-000001')->{unconfirmed_cusips}, undef, 'both until other reports confirm them');

# Other managers' values of the same securities decide, whichever report is loaded first.
my @pair = @five[0, 1];
imported(0, 'two securities in dollars, when thousands were due', scaled(6, '20221110', 65000, @pair));
is_deeply(scale_of(6), [1, 1, $dollars[2]], '... are corrected by what three others say');
like(report('0009990106-24-000001')->{value_scale_reason}, qr/filed 2022-11-10, when thousands were due; (\d+) of \1 comparisons/, '... with the reason');
my @sole = (['RARE INC', '17275R102', 50000, 1000], ['RARER INC', '478160104', 160000, 1000]);
imported(0, 'two securities that nobody else holds, in dollars before their time', scaled(7, '20221110', 210000, @sole));
is_deeply(scale_of(7), [1000, 1000, $thousands[2]], '... are taken by the rule');
my @holders = map { scaled(10 + $_, '20230301', 210000 + 96900, @sole, @five) } 1, 2;
imported(0, 'then two managers report the same', @holders);
is_deeply(scale_of(7), [1, 1, $dollars[2]], '... which corrects the first report');
is_deeply([map { $_->{value} } positions('0009990107-24-000001')], [50000, 160000], '... and its rows');
is_deeply([@{ report('0009990107-24-000001') }{qw(entries_stored value_stored value_difference)}], [2, 210000, 0], '... and what is counted of them');
my @penny = map { ["PENNY $_->[0]", $_->[1], 500, 1000] } ['A', '88160R101'], ['B', '92826C839'], ['C', '931142103'];
imported(0, 'three securities of half a dollar', scaled(8, '20230301', 1500, @penny));
is_deeply(scale_of(8), [1000, 1000, $thousands[2]], '... look like thousands');
imported(0, 'then two managers have them among dear ones', map { scaled(12 + $_, '20230301', 1500 + 96900, @penny, @five) } 1, 2);
is_deeply(scale_of(8), [1, 1, $dollars[2]], '... and were dollars after all');
is_deeply([map { [@$_{qw(value value_scale)}] } positions('0009990108-24-000001')], [([500, undef]) x 3], '... with their rows');
for my $path (map { "$root/scale-$_.txt" } 1 .. 8, 11 .. 14) {
    like(imported(0, "$path again", $path), qr/stored 0, unchanged \d+, superseded 0, rejected 0/, '... changes nothing');
}

# Of many others the same eight are asked, wherever their rows are stored.
imported(0, 'five more managers', map { scaled(20 + $_, '20230301', 96900, @five) } 1 .. 5);
my $compared = "SELECT is_dollars, is_thousands, votes FROM disclosed.value_scale_votes('{2022-09-30}', NULL) WHERE accession = '0009990106-24-000001';";
my ($stored, $moved) = split /\n/, $site->value("BEGIN;
    UPDATE disclosed.institution_report SET unconfirmed_cusips = ARRAY['$pair[0][1]', '$pair[1][1]'] WHERE accession = '0009990106-24-000001';
    UPDATE disclosed.institution_position SET value = value / 1000 WHERE accession ~ '^00099901(2[1-5])';
    $compared
    UPDATE disclosed.institution_position SET recorded_at = recorded_at + interval '1 microsecond' WHERE accession ~ '^00099901(0[123]|11)';
    $compared ROLLBACK");
is($stored, '14|0|16', 'eight rows of a security are compared');
is($moved, $stored, '... and the same where others are stored first');

# --- data sets -------------------------------------------------------------------------------

my %set = (
    'SUBMISSION.tsv' => <<'END', 'COVERPAGE.tsv' => <<'END', 'SUMMARYPAGE.tsv' => <<'END', 'OTHERMANAGER2.tsv' => <<'END', 'INFOTABLE.tsv' => <<'END');
ACCESSION_NUMBER	FILING_DATE	SUBMISSIONTYPE	CIK	PERIODOFREPORT
0009990011-24-000001	14-AUG-2024	13F-HR	0009990011	30-JUN-2024
0009990021-24-000001	14-AUG-2024	13F-HR	0009990021	30-JUN-2024
0009990021-24-000002	2024-08-20	13F-HR/A	0009990021	2024-06-30
0009990022-24-000001	14-AUG-2024	13F-NT	0009990022	30-JUN-2024
0009990024-24-000001		13F-HR	0009990024
0009990023-24-000001	14-AUG-2024	13F-HR	0009990023	30-JUNE-2024
END
ACCESSION_NUMBER	REPORTCALENDARORQUARTER	ISAMENDMENT	AMENDMENTNO	AMENDMENTTYPE	FILINGMANAGER_NAME	REPORTTYPE	FORM13FFILENUMBER	ADDITIONALINFORMATION
0009990011-24-000001	30-JUN-2024	N			Manager 0009990011	13F HOLDINGS REPORT
0009990021-24-000001	30-JUN-2024				O'Hara "Quay" LLC	13F COMBINATION REPORT	028-11	"to be continued
0009990021-24-000002	30-JUN-2024	Y	1	NEW HOLDINGS	O'Hara "Quay" LLC	13F HOLDINGS REPORT	028-11
0009990022-24-000001	30-JUN-2024	N			Pier LP	13F NOTICE	028-12
0009990023-24-000001	30-JUN-2024	N			Bad Day LP	13F HOLDINGS REPORT	028-13
0009990099-24-000001	30-JUN-2024	N			Nobody LP	13F HOLDINGS REPORT	028-14
END
ACCESSION_NUMBER	OTHERINCLUDEDMANAGERSCOUNT	TABLEENTRYTOTAL	TABLEVALUETOTAL	ISCONFIDENTIALOMITTED
0009990011-24-000001	0	5	96900	
0009990021-24-000001	1	6	1,234,567	Y
0009990021-24-000002	0	1	500	N
0009990023-24-000001	0	1	1	N
END
ACCESSION_NUMBER	SEQUENCENUMBER	CIK	FORM13FFILENUMBER	CRDNUMBER	SECFILENUMBER	NAME
0009990021-24-000001	4	0009990031	028-31			Included "One" LLC
0009990021-24-000001	5		028-32			Included Two LLC
END
ACCESSION_NUMBER	INFOTABLE_SK	NAMEOFISSUER	TITLEOFCLASS	CUSIP	FIGI	VALUE	SSHPRNAMT	SSHPRNAMTTYPE	PUTCALL	INVESTMENTDISCRETION	OTHERMANAGER	VOTING_AUTH_SOLE	VOTING_AUTH_SHARED	VOTING_AUTH_NONE
0009990011-24-000001	1	ALPHA INC	COM	037833100		21000	100	SH		SOLE
0009990011-24-000001	2	BETA INC	COM	594918104		44000	100	SH		SOLE
0009990021-24-000001	3	AT&T "INC"	COM	37833100	BBG000B9XRY4	21000	100	SH	Put	DFND	4,5	100	0	0
0009990011-24-000001	4	GAMMA LTD	COM	02079K305		18000	100	SH		SOLE
0009990011-24-000001	5	DELTA CO	COM	88579Y101		12000	100	SH		SOLE
0009990011-24-000001	6	EPS AG	COM	00206R102		1900	100	SH		SOLE
0009990021-24-000001	7	GAMMA LTD	NOTE 1/1	02079k305		"1,000"	100	SH		SOLE
0009990021-24-000001	8	GAMMA LTD	NOTE 1/1	02079k305		1,000.50	2000	PRN	call	SOLE		0	0	0
0009990021-24-000001	9	MADE UP	COM	111111111		5000	100	SH		SOLE		1	2	3
0009990021-24-000001	10	NO KIND	COM	037833100		5000	100	LOT		SOLE
0009990021-24-000001	11	SHORT
0009990021-24-000002	12	LATE ONE	COM	594918104		500	1	SH		SOLE
0009990023-24-000001	13	OF A BAD REPORT	COM	594918104		500	1	SH		SOLE
0009990098-24-000001	14	OF NO REPORT	COM	594918104		500	1	SH		SOLE
END
# Rows have all fields of their header, as the SEC writes them.
sub padded
{
    my ($columns, @lines) = (undef, split /\n/, shift);
    return join '', map { my $tabs = tr/\t//; $columns //= $tabs; $_ . "\t" x ($columns - $tabs) . "\n" } @lines;
}
%set = map { ($_ => padded($set{$_})) } keys %set;
$folder = folder_of('2024q3_form13f', %set, 'FORM13F_readme.htm' => 'x', 'SIGNATURE.tsv' => "ACCESSION_NUMBER\tNAME\n");
$said = imported(1, 'a data set', $folder);
like($said, qr{SUBMISSION\.tsv: read 21, stored 8, unchanged 6, superseded 0, rejected 7\n}, '... accounts for each of its lines');
like($said, qr/skipped 1 files.*FORM13F_readme\.htm/, '... passes over what is no table');
like($said, qr/5 files were read together with others/, '... and reads the tables as one');
like($said, qr/0009990021-24-000001: the rows amount to 1206566\.5 USD less than the summary page states; the summary page states 6 rows, 4 are good; 1 CUSIPs fail their check digit and are kept as filed: 111111111/,
    '... and tells what does not agree');
my @rejects = $site->rows("SELECT place, reason, sample FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run) ORDER BY place COLLATE \"C\"");
is_deeply([map { "$_->{place}: $_->{reason}" } @rejects], [
    'COVERPAGE.tsv line 7: SUBMISSION.tsv does not have this accession number',
    'INFOTABLE.tsv line 11: sshPrnamtType is neither SH nor PRN',
    'INFOTABLE.tsv line 12: titleOfClass is missing',
    'INFOTABLE.tsv line 14: its report is rejected',
    'INFOTABLE.tsv line 15: SUBMISSION.tsv does not have this accession number',
    'SUBMISSION.tsv line 6: periodOfReport is missing',
    'SUBMISSION.tsv line 7: periodOfReport is not a date',
], '... each reject with place and reason') or diag explain \@rejects;
$got = report('0009990021-24-000001');
is_deeply([@$got{qw(cik form report_type period_of_report filing_date manager_name file_number table_entry_total table_value_total confidential_omitted other_managers)}],
    [9990021, '13F-HR', 'combination', '2024-06-30', '2024-08-14', q{O'Hara "Quay" LLC}, '028-11', 6, 1234567, JSON::PP::true,
        [{ number => '4', cik => '9990031', file_number => '028-31', name => 'Included "One" LLC' }, { number => '5', file_number => '028-32', name => 'Included Two LLC' }]],
    'a report of a data set') or diag explain $got;
is(known_at('0009990021-24-000001'), '2024-08-15 03:59:59.999999+00', '... known at the end of its filing date in New York');
is_deeply([@{ report('0009990021-24-000002') }{qw(form amendment_type amendment_number filing_date)}], ['13F-HR/A', 'new_holdings', 1, '2024-08-20'], 'an amendment, with ISO dates');
is_deeply([@{ report('0009990022-24-000001') }{qw(form report_type)}], ['13F-NT', 'notice'], 'a notice');
my @columns = qw(row_number issuer_title class_title cusip figi value value_as_filed shares principal_amount shares_type put_call investment_discretion other_managers voting_sole voting_shared voting_none);
is_deeply([map { [@$_{@columns}] } positions('0009990021-24-000001')], [
    [1, 'AT&T "INC"', 'COM', '037833100', 'BBG000B9XRY4', 21000, 21000, 100, undef, 'SH', 'Put', 'DFND', ['4', '5'], 100, 0, 0],
    [2, 'GAMMA LTD', 'NOTE 1/1', '02079K305', undef, 1000, 1000, 100, undef, 'SH', undef, 'SOLE', undef, undef, undef, undef],
    [3, 'GAMMA LTD', 'NOTE 1/1', '02079K305', undef, 1000.5, 1000.5, undef, 2000, 'PRN', 'Call', 'SOLE', undef, 0, 0, 0],
    [4, 'MADE UP', 'COM', '111111111', undef, 5000, 5000, 100, undef, 'SH', undef, 'SOLE', undef, 1, 2, 3],
], 'its rows: options, principal amounts, numbers with commas, a CUSIP whose zero was lost and one that is none');

# The same in a zip, with other columns before and between, lower case, CR LF, a byte order mark, gzip.
my %other = map {
    my ($name, $text) = ($_, $set{$_});
    my @lines = map { s/\n//r } split /^/, $text;
    my $columns = () = $lines[0] =~ /\t/g;
    @lines = map { join "\t", reverse 'extra', split /\t/, $_ . "\t" x ($columns - (() = /\t/g)), -1 } @lines;
    $lines[0] = lc $lines[0];
    ($name => "\xEF\xBB\xBF" . join '', map { "$_\r\n" } @lines)
} keys %set;
$other{'INFOTABLE.tsv'} = $set{'INFOTABLE.tsv'} =~ s/\n/\r\n/gr;
$folder = folder_of('other_form13f', %other);
like(imported(1, 'the same set in another guise', archive("$root/other.tar.gz", $folder)), qr{read 21, stored 0, unchanged 14, superseded 0, rejected 7\n}, '... says nothing new');
is((run('gzip', "$folder/INFOTABLE.tsv"))[0], 0, 'a table is compressed');
like(imported(1, 'and by two processes', '--jobs', 2, $folder), qr{read 21, stored 0, unchanged 14, superseded 0, rejected 7\n}, '... the same');
like(imported(1, 'one table named alone', "$folder/COVERPAGE.tsv"), qr/COVERPAGE\.tsv is read with SUBMISSION\.tsv/, '... says with which one it is read');
like(imported(1, 'a table without the first one', folder_of('part', 'INFOTABLE.tsv' => $set{'INFOTABLE.tsv'})), qr/INFOTABLE\.tsv: failed.*without SUBMISSION\.tsv in its folder/, '... is refused');
like(imported(1, 'a set without a table', folder_of('less', map { ($_ => $set{$_}) } grep { !/INFO/ } keys %set)), qr/INFOTABLE\.tsv is missing/, '... is refused');
like(imported(1, 'a table without a column', folder_of('narrow', %set, 'INFOTABLE.tsv' => "ACCESSION_NUMBER\tCUSIP\n")), qr/INFOTABLE\.tsv: the header has no column \w+/, '... is refused');

# Parts of a data set: a table that is cut, a line that is damaged, a page that is not there. Each refuses the report
# that it is of, and nothing else; what is stored of the others is what the whole set stores.
my %whole = (
    'SUBMISSION.tsv' => "ACCESSION_NUMBER\tFILING_DATE\tSUBMISSIONTYPE\tCIK\tPERIODOFREPORT\n" . join('', map { "000999005$_-24-000001\t14-AUG-2024\t13F-HR\t999005$_\t30-JUN-2024\n" } 1, 2),
    'COVERPAGE.tsv' => "ACCESSION_NUMBER\tFILINGMANAGER_NAME\tREPORTTYPE\n" . join('', map { "000999005$_-24-000001\tManager 000999005$_\t13F HOLDINGS REPORT\n" } 1, 2),
    'SUMMARYPAGE.tsv' => "ACCESSION_NUMBER\tTABLEENTRYTOTAL\tTABLEVALUETOTAL\n" . join('', map { "000999005$_-24-000001\t5\t96900\n" } 1, 2),
    'OTHERMANAGER2.tsv' => "ACCESSION_NUMBER\tSEQUENCENUMBER\tCIK\tNAME\n0009990052-24-000001\t1\t\tOne\n0009990052-24-000001\t2\t\tTwo\n",
    'INFOTABLE.tsv' => "ACCESSION_NUMBER\tNAMEOFISSUER\tTITLEOFCLASS\tCUSIP\tVALUE\tSSHPRNAMTTYPE\tINVESTMENTDISCRETION\tSSHPRNAMT\n"
        . join('', map { my $manager = $_; map { "000999005$manager-24-000001\t$_->[0]\tCOM\t$_->[1]\t$_->[2]\tSH\tSOLE\t$_->[3]\n" } @five } 1, 2));
my $all_of = sub { return $site->value("SELECT string_agg(accession || ' ' || n, ', ' ORDER BY accession) FROM (SELECT accession, count(*) AS n FROM institution_position WHERE accession LIKE '000999005%' GROUP BY 1) c") // '' };
my %part = (
    'cut within a row' => ['INFOTABLE.tsv' => qr/SOLE\t100\n\z/ => "SOLE\t1", qr/line 11: rejected: the file ends here without a line end/],
    'cut between rows' => ['INFOTABLE.tsv' => qr/[^\n]+\n[^\n]+\n\z/ => '', qr/INFOTABLE\.tsv ends after 3 of its 5 rows/],
    'a row of fewer fields' => ['INFOTABLE.tsv' => qr/(0009990052-24-000001\tBETA[^\n]*)\tSOLE/ => '$1', qr/line 8: rejected: the row has 7 fields, the header 8/],
    'a cover page is missing' => ['COVERPAGE.tsv' => qr/0009990052[^\n]*\n/ => '', qr/the manager's name is missing/],
    'a summary page is missing' => ['SUMMARYPAGE.tsv' => qr/0009990052[^\n]*\n/ => '', qr/SUMMARYPAGE\.tsv does not have it/],
    'an amendment without its type' => ['SUBMISSION.tsv' => qr/(?<=0009990052-24-000001\t14-AUG-2024\t)13F-HR/ => '13F-HR/A', qr/COVERPAGE\.tsv has no AMENDMENTTYPE of it, which says whether it replaces the report or adds to it/],
    'two lines of it' => ['SUBMISSION.tsv' => qr/\z/ => "0009990052-24-000001\t15-AUG-2024\t13F-HR\t9990053\t30-JUN-2024\n", qr/SUBMISSION\.tsv line 4: rejected: the accession number is there twice/],
    'a number of a manager twice' => ['OTHERMANAGER2.tsv' => qr/(?<=\t)2(?=\t\tTwo)/ => '1', qr/OTHERMANAGER2\.tsv line 3: rejected: the SEQUENCENUMBER is there twice/],
    'a name that is no UTF-8' => ['OTHERMANAGER2.tsv' => qr/Two/ => "Tw\xf6", qr/OTHERMANAGER2\.tsv line 3: rejected: not valid UTF-8/],
);
for my $name (sort keys %part) {
    my ($table, $from, $to, $why) = $part{$name}->@*;
    my $text = $whole{$table} =~ s/$from/$to eq '$1' ? $1 : $to/er;
    isnt($text, $whole{$table}, "$name: the set is damaged");
    like(imported(1, $name, folder_of('part-' . $name =~ tr/ /-/r, %whole, $table => $text)), $why, '... says what is wrong');
    is($all_of->(), '0009990051-24-000001 5', '... and has the other report alone');
    is($site->value("SELECT count(*) FROM institution_report WHERE accession = '0009990052-24-000001'"), 0, '... nothing of the one that is not whole');
}
imported(0, 'the whole set', folder_of('whole', %whole));
is($all_of->(), '0009990051-24-000001 5, 0009990052-24-000001 5', '... has both');
like(imported(0, 'whole, but for the last line end', folder_of('unended', %whole, 'SUBMISSION.tsv' => $whole{'SUBMISSION.tsv'} =~ s/30-JUN-2024\n\z/2024-06-30/r)), qr/stored 0, unchanged 12/, '... says nothing new');

# A data set first, the submission later: what was known by the day is known by the minute.
%first = (%first, accession => '0009990041-24-000001', cik => '0009990041');
$folder = folder_of('early', 'SUBMISSION.tsv' => "ACCESSION_NUMBER\tFILING_DATE\tSUBMISSIONTYPE\tCIK\tPERIODOFREPORT\n0009990041-24-000001\t14-AUG-2024\t13F-HR\t9990041\t30-JUN-2024\n",
    'COVERPAGE.tsv' => "ACCESSION_NUMBER\tFILINGMANAGER_NAME\tREPORTTYPE\n0009990041-24-000001\tManager 0009990041\t13F HOLDINGS REPORT\n",
    'SUMMARYPAGE.tsv' => "ACCESSION_NUMBER\tTABLEENTRYTOTAL\tTABLEVALUETOTAL\n0009990041-24-000001\t5\t96900\n",
    'INFOTABLE.tsv' => "ACCESSION_NUMBER\tNAMEOFISSUER\tTITLEOFCLASS\tCUSIP\tVALUE\tSSHPRNAMT\tSSHPRNAMTTYPE\tINVESTMENTDISCRETION\n"
        . join '', map { "0009990041-24-000001\t$_->[0]\tCOM\t$_->[1]\t$_->[2]\t$_->[3]\tSH\tSOLE\n" } @five);
imported(0, 'a data set', $folder);
is(known_at('0009990041-24-000001'), '2024-08-15 03:59:59.999999+00', '... is known at the end of the day');
$first_cover = cover(%first, period => '06-30-2024', rows => 5, total => 96900);
imported(0, 'then the submission', $site->write("$first{accession}.txt", submission(%first,
    documents => [['13F-HR', "<XML>\n$first_cover</XML>"], ['INFORMATION TABLE', "<XML>\n" . table('', @five) . '</XML>']])));
is(known_at('0009990041-24-000001'), '2024-08-14 20:30:05+00', '... is known when it was accepted');
is($site->value("SELECT count(*) FROM institution_position WHERE accession = '0009990041-24-000001'"), 5, '... and is one version');
like(imported(0, 'the data set again', $folder), qr/stored 0, unchanged 6/, '... changes nothing');

# A data set first, the filing itself later, by its own importer: the same.
%first = (%first, accession => '0009990042-24-000001', cik => '0009990042');
$folder = folder_of('late', map { ("$_.tsv" => slurp("$root/early/$_.tsv") =~ s/0009990041/0009990042/gr =~ s/9990041/9990042/gr) } qw(SUBMISSION COVERPAGE SUMMARYPAGE INFOTABLE));
imported(0, 'another data set', $folder);
is(known_at($first{accession}), '2024-08-15 03:59:59.999999+00', '... is known at the end of the day');
my $before = $site->value("SELECT version FROM dataset_stat WHERE dataset = 'institution_position'");
($code, $out) = $site->control('import', 'sec-filing', $site->write("$first{accession}.txt", submission(%first, documents => [['13F-HR', 'x']])));
is($code, 0, 'its filing is loaded') or diag $out;
is(known_at($first{accession}), '2024-08-14 20:30:05+00', '... and the report is known when the filing was accepted');
is_deeply([map { $_->{known_at} } $site->rows("SELECT DISTINCT known_at FROM institution_position WHERE accession = '$first{accession}'")], ['2024-08-14T20:30:05+00:00'], '... with its rows');
cmp_ok($site->value("SELECT version FROM dataset_stat WHERE dataset = 'institution_position'"), '>', $before, '... and answers get another tag');
like(imported(0, 'the data set once more', $folder), qr/stored 0, unchanged 6/, '... changes nothing');

# --- real files ------------------------------------------------------------------------------

my ($real, $submissions, $tickers) = map { shared_data($_) } qw(form13f edgar-submissions edgar-tickers);
SKIP: {
    my $has_all = $real && $submissions && $tickers;
    diag 'NOT TESTED: there are no real Form 13F files here, with submissions and tickers (DISCLOSED_SHARED)' if !$has_all;
    skip 'no real files', 1 if !$has_all;
    real_files($real);
}

finish();

# A tar.gz of a folder.
sub archive
{
    my ($path, $source) = @_;
    my ($parent, $name) = $source =~ m{(.*)/(.*)};
    my ($status, undef, $error) = run('tar', '-czf', $path, '-C', $parent, $name);
    die "tar: $error" if $status;
    return $path;
}

# The rows of an information table, read here in another way: [name, class, cusip, value, amount, kind, other managers].
sub rows_of
{
    my ($xml) = @_;
    $xml =~ s/\r\n?/\n/g;
    $xml =~ s{(</?)\w+:}{$1}g;
    return map {
        my $row = $_;
        [(map { text_of($row, $_) } qw(nameOfIssuer titleOfClass cusip value sshPrnamt sshPrnamtType)), join ',', split /[, ]+/, text_of($row, 'otherManager') // '']
    } $xml =~ m{<infoTable>(.*?)</infoTable>}gs;
}

# What is stored of a report is what stands in its table, value times factor.
sub table_is
{
    my ($accession, $xml, $factor, $name) = @_;
    my @expected = map { [@$_[0, 1], uc $_->[2], $_->[3] * $factor, @$_[4 .. 6]] } rows_of($xml);
    my @stored = map { [@$_{qw(issuer_title class_title cusip value)}, $_->{shares} // $_->{principal_amount}, $_->{shares_type}, join ',', ($_->{other_managers} // [])->@*] } positions($accession);
    is(scalar @stored, scalar @expected, "$name: " . @expected . ' rows');
    my @differ = grep { "@{ $stored[$_] // [] }" ne "@{ $expected[$_] }" } 0 .. $#expected;
    is(join("\n", map { "@{ $stored[$_] // [] } instead of @{ $expected[$_] }" } @differ[0 .. ($#differ > 4 ? 4 : $#differ)]), '', '... each as in the file');
    my $sum = Math::BigFloat->bzero;
    $sum += $_->[3] for @expected;
    is($site->value("SELECT sum(value) FROM institution_position WHERE accession = '$accession'"), $sum->bstr, '... and the sum of their values');
}

# What is served of a manager's quarter is what stands in the table.
sub served_is
{
    my ($cik, $period, $xml, $factor, $accession) = @_;
    my (@served, $cursor);
    do {
        my $page = json_of($site->get("/v1/institutions/$cik/positions?limit=100" . ($cursor ? "&cursor=$cursor" : '')), 'a page of positions');
        push @served, grep { $_->{period_of_report} eq $period } $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor};
    } while ($cursor);
    my %wanted;
    $wanted{ join '|', $_->[0], uc $_->[2], $_->[3] * $factor, $_->[5] eq 'SH' ? $_->[4] : '-' }++ for rows_of($xml);
    my %got;
    $got{ join '|', $_->{name}, $_->{cusip}, $_->{value}{raw}, $_->{shares} // '-' }++ for @served;
    same_json(\%got, \%wanted, "... and what is served of $cik: " . @served . ' rows');
    is_deeply([grep { ($_->{provenance}{accession} // '') ne $accession } @served], [], '... each with its filing') if @served;
}

sub real_files
{
    my ($folder) = @_;
    my @whole = (
        ['0001140361-23-013281.txt', 1099219, '2021-12-31', '2023-03-23 15:27:45+00', 11019796, 1],
        ['0001790837-23-000002.txt', 1790837, '2022-12-31', '2023-02-28 18:28:48+00', 192767, 1000],
        ['0001894188-23-000007.txt', 1894188, '2023-09-30', '2023-11-14 14:38:54+00', 454926000, 1],
        ['0001951757-25-000093.nc', 1994827, '2024-12-31', undef, 194611845, 1],
    );
    for my $file (@whole) {
        my ($name, $cik, $period, $public, $total, $factor) = @$file;
        my ($accession) = $name =~ /^(\S+)\./;
        import_twice($site, 'sec-13f', "$folder/$name");
        my $report = report($accession);
        is_deeply([@$report{qw(cik period_of_report table_value_total value_factor total_factor)}], [$cik, $period, $total, $factor, $factor], "$name: the report");
        is(known_at($accession), $public, '... when it was accepted') if $public;
        my ($table) = slurp("$folder/$name") =~ m{(<(?:\w+:)?informationTable.*)}s;
        table_is($accession, $table, $factor, $name);
        is($site->value("SELECT sum(value) FROM institution_position WHERE accession = '$accession'"), $total * $factor, '... the total of the cover');
        is($report->{value_difference}, 0, '... and no difference is told');
        served_is($cik, $period, $table, $factor, $accession);
    }
    like(report('0001790837-23-000002')->{value_scale_reason}, qr/^filed 2023-02-28, when dollars were due; 90 of 90 rows imply less than 1 a share$/, 'Bull Street reported thousands, and why that is known');

    # The folder as it is: what lacks its filing is refused with what would help, and nothing else changes.
    for my $time (qw(first second)) {
        my $said = imported(1, "the whole folder, $time time", $folder);
        like($said, qr/total of 15 files, 10 failed.*read 192, stored 0, unchanged 192, superseded 0, rejected 0/, '... of which five are known already');
        like($said, qr{brk-ancient-thousands\.xml: failed.*an information table without its cover}, '... tables without covers are refused');
        like($said, qr{abacus\.xml: failed.*its accession number is not told}, '... and a cover without its accession number');
    }

    # Berkshire's tables without covers: its filings, once loaded, tell what they do not.
    $site->control('import', 'sec-submissions', "$submissions/CIK0001067983.json");
    my @berkshire = (['brk-ancient-thousands', '2022-09-30', '0000950123-22-012275', 1000], ['brk-transition-2022q4', '2022-12-31', '0000950123-23-002585', 1],
        ['brk-modern-dollars', '2025-12-31', '0001193125-26-054580', 1]);
    for my $file (@berkshire) {
        my ($name, $period, $accession, $factor) = @$file;
        import_twice($site, 'sec-13f', "$folder/infotable/$name.xml", '--cik', 1067983, '--period', $period);
        my ($filing) = $site->rows("SELECT known_at, filed_on FROM filing WHERE accession = '$accession'");
        my $report = report($accession);
        is_deeply([@$report{qw(cik form period_of_report filing_date known_at value_factor)}], [1067983, '13F-HR', $period, $filing->{filed_on}, $filing->{known_at}, $factor], "$name: the report of its filing");
        table_is($accession, slurp("$folder/infotable/$name.xml"), $factor, $name);
        served_is(1067983, $period, slurp("$folder/infotable/$name.xml"), $factor, $accession);
    }
    # Apple by Berkshire, summed over the rows of its managers, where Apple's listing is known.
    $site->control('import', 'sec-company-tickers', "$tickers/company_tickers.json");
    my $holders = json_of($site->get('/v1/institutions/holders-of/AAPL?limit=100'), 'holders of Apple');
    my ($berkshire) = grep { $_->{institution}{cik} eq '0001067983' && $_->{period_of_report} eq '2025-12-31' } $holders->{data}->@*;
    my ($value, $shares) = (0, 0);
    ($value, $shares) = ($value + $_->[3], $shares + $_->[4]) for grep { $_->[2] eq '037833100' } rows_of(slurp("$folder/infotable/brk-modern-dollars.xml"));
    is_deeply([$berkshire->{value}{raw}, $berkshire->{shares}], [$value, $shares], "Berkshire's Apple: $shares shares, summed over its managers");
    is($site->value("SELECT sum(value) FROM institution_position p JOIN institution_report r USING (accession) WHERE r.period_of_report = '2022-09-30' AND r.accession = '0000950123-22-012275'"),
        '296096640000', 'Berkshire held 296 billion dollars on 30 September 2022');

    # A table whose folder, as EDGAR names it, tells whose and which it is; the rest is given.
    my $path = "$root/edgar/data/1000000/000100000024000001";
    folder_of('edgar/data/1000000/000100000024000001', 'table.xml' => slurp("$folder/infotable/infotable-edgartools.xml"));
    import_twice($site, 'sec-13f', $path, '--period', '2020-06-30', '--known-at', '2023-08-14');
    table_is('0001000000-24-000001', slurp("$folder/infotable/infotable-edgartools.xml"), 1, '255 rows with principal amounts');
    is($site->value("SELECT count(*) FROM institution_position WHERE accession = '0001000000-24-000001' AND shares_type = 'PRN' AND shares IS NULL AND principal_amount > 0"), 3, '... of which three');

    # The SEC's samples of its own specification: real structure, invented content.
    my %sample = (HR => ['0009999999-21-000001', 169, '13F-HR'], NT => ['0009999999-21-000003', 0, '13F-NT']);
    for my $name (sort keys %sample) {
        my ($accession, $count, $form) = $sample{$name}->@*;
        import_twice($site, 'sec-13f', "$folder/sec-spec-samples/Sample_13F-$name.xml", '--accession', $accession, '--known-at', '2022-02-14');
        is_deeply([@{ report($accession) }{qw(cik form period_of_report)}], [123456789, $form, '2021-12-31'], "the SEC's sample of a $form");
        is(scalar(positions($accession)), $count, "... with $count rows");
    }
    like(imported(1, "the SEC's sample of a 13F-HR/A", "$folder/sec-spec-samples/Sample_13F-HRA.xml", '--accession', '0009999999-21-000002', '--known-at', '2022-02-14'),
        qr/failed, nothing of it is stored: the information table has 169 of the 1222 rows that the cover states/, '... whose cover states more rows than there are, is refused');
}

# Form 13F: what contradicts itself, lies beside a report or is none of it, and the unit of a report whose filing date comes later.
# All files are made here, by the SEC's schema.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

my $site = site(template => 'empty');
my $folders = 0;

# Writes files into a folder of their own, which has the accession number's name.
sub folder_of
{
    my ($accession, %files) = @_;
    my $name = 'faults-' . ++$folders;
    mkdir "$site->{root}/$name" or die $!;
    mkdir "$site->{root}/$name/$accession" or die $!;
    $site->write("$name/$accession/$_", $files{$_}) for sort keys %files;
    return "$site->{root}/$name/$accession";
}

sub imported
{
    my ($code, $name, @arguments) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($got, $out, $err) = $site->control('import', @arguments);
    is($got, $code, $name) or diag "$out$err";
    return "$out$err";
}

sub cover
{
    my (%is) = (form => '13F-HR', period => '09-30-2022', more => '', rows => 2, @_);
    my $total = defined $is{total} ? "<tableValueTotal>$is{total}</tableValueTotal>" : '';
    return <<"END";
<?xml version="1.0" encoding="UTF-8"?>
<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler">
<headerData><submissionType>$is{form}</submissionType><filerInfo><filer><credentials><cik>$is{cik}</cik></credentials></filer>
<periodOfReport>$is{period}</periodOfReport></filerInfo></headerData>
<formData><coverPage><reportCalendarOrQuarter>$is{period}</reportCalendarOrQuarter>$is{more}
<filingManager><name>Manager $is{cik}</name></filingManager><reportType>13F HOLDINGS REPORT</reportType></coverPage>
<summaryPage><tableEntryTotal>$is{rows}</tableEntryTotal>$total</summaryPage></formData>
</edgarSubmission>
END
}

# A table of rows [name, cusip, value, shares]; `more`: elements at the end of each row.
sub table
{
    my ($rows, $more, $discretion) = @_;
    return '<informationTable xmlns="http://www.sec.gov/edgar/document/thirteenf/informationtable">' . join('', map {
        "<infoTable><nameOfIssuer>$_->[0]</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>$_->[1]</cusip><value>$_->[2]</value>"
        . "<shrsOrPrnAmt><sshPrnamt>$_->[3]</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt>"
        . '<investmentDiscretion>' . ($discretion // 'SOLE') . '</investmentDiscretion>' . ($more // '') . "</infoTable>\n"
    } @$rows) . "</informationTable>\n";
}

sub submission
{
    my (%is) = (form => '13F-HR', period => '20220930', filed => '20221110', more => '', @_);
    return <<"END";
<SEC-DOCUMENT>$is{accession}.txt : $is{filed}
<SEC-HEADER>$is{accession}.hdr.sgml : $is{filed}
<ACCEPTANCE-DATETIME>$is{filed}163005
ACCESSION NUMBER:		$is{accession}
CONFORMED SUBMISSION TYPE:	$is{form}
PUBLIC DOCUMENT COUNT:		2
CONFORMED PERIOD OF REPORT:	$is{period}
FILED AS OF DATE:		$is{filed}

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			MANAGER
		CENTRAL INDEX KEY:			$is{cik}
</SEC-HEADER>
<DOCUMENT>
<TYPE>$is{form}
<SEQUENCE>1
<FILENAME>primary_doc.xml
<TEXT>
<XML>
$is{cover}</XML>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>INFORMATION TABLE
<SEQUENCE>2
<FILENAME>table.xml
<TEXT>
<XML>
$is{table}</XML>
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
END
}

# The filing of a report, as NDJSON.
sub filing
{
    my ($cik, $accession, $day, $period) = @_;
    return $site->write("$accession-$day.ndjson", qq({"dataset": "filing", "cik": $cik, "form": "13F-HR", "filed_on": "$day", "accepted_at": "${day}T15:00:00Z", )
        . qq("known_at": "${day}T15:00:00Z", "period_of_report": "@{[$period // '2022-09-30']}", "provenance": {"source_provider": "sec", "accession": "$accession"}}\n));
}

# What is stored of a report: its unit and why, date, and the rows' values.
sub stored
{
    my ($accession) = @_;
    my ($report) = $site->rows("SELECT * FROM institution_report WHERE accession = '$accession' AND superseded_at IS NULL");
    my @rows = $site->rows("SELECT * FROM institution_position WHERE accession = '$accession' AND superseded_at IS NULL ORDER BY row_number");
    return [map({ $_ // '-' } @{ $report // {} }{qw(filing_date value_scale value_scale_reason value_stored)}), [map { $_->{value} } @rows]];
}

sub nothing_of { return $site->value("SELECT count(*) FROM institution_report WHERE accession = '$_[0]'") . ' ' . $site->value("SELECT count(*) FROM institution_position WHERE accession = '$_[0]'") }

my @two = (['ALPHA INC', '037833100', 21, 100], ['BETA INC', '594918104', 44, 100]);
my @five = (@two, ['GAMMA LTD', '02079K305', 18, 100], ['DELTA CO', '88579Y101', 12, 100], ['EPS AG', '00206R102', 1900, 100]);
my %names = ('thousands' => 'thousands, multiplied by 1000', 'dollars' => 'dollars as filed');

# --- the unit, and the date that comes later -------------------------------------------------

# A report of rows that say nothing themselves, dated wrongly first; its filing before and after it.
my $number = 0;
my @others = (['OTHER INC', '17275R102', 22000, 100], ['ANOTHER INC', '478160104', 45000, 100]);
for my $case (['2022-11-10', '2023-02-01', \@two, 'thousands', 1000, '2 of 2 rows imply less than 1 a share'],
    ['2023-02-10', '2022-11-01', \@others, 'dollars', 1, '0 of 2 rows imply less than 1 a share, which decides nothing'],
    ['2022-11-14', '2023-02-01', [map { [@$_[0, 1], 200, 100] } @five], 'thousands', 1000, '0 of 5 rows imply less than 1 a share, which decides nothing'],
    ['2022-11-14', '2022-12-01', \@two, 'thousands', 1000, '2 of 2 rows imply less than 1 a share']) {
    my ($filed, $stated, $rows, $due, $factor, $why) = @$case;
    my $cik = 9991000 + ++$number;
    my @values = map { $_->[2] * $factor } @$rows;
    my $sum = 0;
    $sum += $_ for @values;
    my $right = [$filed, $names{$due}, "filed $filed, when $due were due; $why", $sum, \@values];
    for my $order (qw(report filing)) {
        my $accession = sprintf '000%d-22-%06d', $cik, $order eq 'report' ? 1 : 2;
        my $manager = $order eq 'report' ? $cik : $cik + 100;
        my @report = ('sec-13f', '--known-at', $stated, folder_of($accession, 'primary_doc.xml' => cover(cik => $manager, rows => scalar @$rows), 'table.xml' => table($rows)));
        my @filing = ('ndjson', filing($manager, $accession, $filed));
        imported(0, "the $order of $accession first", $order eq 'report' ? @report : @filing);
        imported(0, '... then the other', $order eq 'report' ? @filing : @report);
        is_deeply(stored($accession), $right, "... the unit is that of $filed, and its reason names that day") or diag explain stored($accession);
        like(imported(0, '... the report again', @report), qr/stored 0, unchanged \d+, superseded 0, rejected 0/, '... changes nothing');
    }
}
my $served = json_of($site->get('/v1/institutions/9991001/positions?fields=name,value,value_as_filed,value_scale'), 'the positions of the first');
is_deeply([map { [$_->{name}, $_->{value}{raw}, $_->{value_as_filed}, $_->{value_scale}] } $served->{data}->@*],
    [map { [$_->[0], $_->[2] * 1000, $_->[2], 'thousands, multiplied by 1000'] } reverse @two], '... are served in dollars');

# What prices and totals show does not depend on the date.
{
    my $accession = '0009991300-22-000001';
    my $folder = folder_of($accession, 'primary_doc.xml' => cover(cik => 9991300, total => 65, rows => 2), 'table.xml' => table([map { [@$_[0, 1], $_->[2] * 1000, $_->[3]] } @two]));
    imported(0, 'rows in dollars under a total in thousands', 'sec-13f', '--known-at', '2023-02-01', $folder);
    imported(0, '... then the filing', 'ndjson', filing(9991300, $accession, '2022-11-10'));
    is_deeply(stored($accession), ['2022-11-10', $names{dollars}, 'filed 2022-11-10, when thousands were due; the rows amount to 1000 times the summary page\'s total, which is in thousands', 65000, [21000, 44000]],
        '... stay dollars');
}

# A data set has its own filing date, which a filing that is loaded before it corrects.
{
    my ($accession, $folder) = ('0009991501-22-000001', 'faults-' . ++$folders);
    mkdir "$site->{root}/$folder" or die $!;
    my %set = (SUBMISSION => "ACCESSION_NUMBER\tFILING_DATE\tSUBMISSIONTYPE\tCIK\tPERIODOFREPORT\n$accession\t01-FEB-2023\t13F-HR\t9991501\t30-SEP-2022\n",
        COVERPAGE => "ACCESSION_NUMBER\tREPORTCALENDARORQUARTER\tFILINGMANAGER_NAME\tREPORTTYPE\n$accession\t30-SEP-2022\tManager\t13F HOLDINGS REPORT\n",
        SUMMARYPAGE => "ACCESSION_NUMBER\tTABLEENTRYTOTAL\tTABLEVALUETOTAL\n$accession\t1\t21\n",
        INFOTABLE => "ACCESSION_NUMBER\tINFOTABLE_SK\tNAMEOFISSUER\tTITLEOFCLASS\tCUSIP\tVALUE\tSSHPRNAMT\tSSHPRNAMTTYPE\tINVESTMENTDISCRETION\n$accession\t1\tSOLE INC\tCOM\t67066G104\t21\t100\tSH\tSOLE\n");
    $site->write("$folder/$_.tsv", $set{$_}) for sort keys %set;
    imported(0, 'a filing', 'ndjson', filing(9991501, $accession, '2022-11-10'));
    imported(0, '... then a data set with another date', 'sec-13f', "$site->{root}/$folder");
    is_deeply(stored($accession), ['2022-11-10', $names{thousands}, 'filed 2022-11-10, when thousands were due; 1 of 1 rows imply less than 1 a share', 21000, [21000]], '... has the unit of the filing\'s');
}

# A report that was compared with one whose date was wrong is decided again with it.
{
    my @rare = map { ["RARE $_", $_, 50, 10] } qw(931142103 88160R101 92826C839 46625H100 30231G102);
    my ($peer, $asking) = ('0009991401-22-000001', '0009991402-22-000001');
    imported(0, 'five securities in thousands, by a date on which dollars were due', 'sec-13f', '--known-at', '2023-02-01',
        folder_of($peer, 'primary_doc.xml' => cover(cik => 9991401, rows => 5), 'table.xml' => table(\@rare)));
    imported(0, 'three of them, in thousands when these were due', 'sec-13f', '--known-at', '2022-11-01',
        folder_of($asking, 'primary_doc.xml' => cover(cik => 9991402, rows => 3), 'table.xml' => table([@rare[0 .. 2]])));
    is(stored($asking)->[1], $names{dollars}, 'the one misleads the other');
    imported(0, 'the filing of the first', 'ndjson', filing(9991401, $peer, '2022-11-10'));
    my $none = 'rows imply less than 1 a share, which decides nothing';
    is_deeply(stored($peer), ['2022-11-10', $names{thousands}, "filed 2022-11-10, when thousands were due; 0 of 5 $none", 250_000, [(50_000) x 5]], '... which puts it right');
    is_deeply(stored($asking), ['2022-11-01', $names{thousands}, "filed 2022-11-01, when thousands were due; 0 of 3 $none", 150_000, [(50_000) x 3]], '... and the other');
}

# --- what lies beside a report ---------------------------------------------------------------

my @known = ('--known-at', '2022-11-10');
my @one_manager = ('--cik', '9992001', '--period', '2022-09-30', @known);
for my $case (['a cover', "\n\n  ", ''], ['a table', '', "\n"], ['both', "\xEF\xBB\xBF\n", " \n"]) {
    my ($what, $before_cover, $before_table) = @$case;
    my $cik = 9992100 + $number++;
    my $folder = folder_of(sprintf('000%d-22-000001', $cik), 'primary_doc.xml' => $before_cover . cover(cik => $cik), 'table.xml' => $before_table . table(\@two));
    like(imported(0, "white space before $what", 'sec-13f', @known, $folder), qr/\n1 files were read together with others\ntotal of 1 files, 0 failed, .*: read 3, stored 3, unchanged 0, superseded 0, rejected 0\n/, '... it is one report');
    is(nothing_of(sprintf '000%d-22-000001', $cik), '1 2', '... with its rows');
}
{
    my $folder = folder_of('0009992200-22-000001', 'primary_doc.xml' => cover(cik => 9992200), 'a.xml' => "\n" . table(\@two), 'b.xml' => table([@five[2, 3]]));
    like(imported(1, 'two tables beside a cover, one behind a blank line', 'sec-13f', @known, $folder), qr/total of 3 files, 3 failed/, '... are both refused');
    is(nothing_of('0009992200-22-000001'), '0 0', '... with the cover');
    $folder = folder_of('0009992201-22-000001', 'primary_doc.xml' => "\n" . cover(cik => 9992201), 'other.xml' => cover(cik => 9992299), 'table.xml' => table(\@two));
    imported(1, 'two covers beside a table, one behind a blank line', 'sec-13f', @known, $folder);
    is(nothing_of('0009992201-22-000001'), '0 0', '... are refused');
}
for my $case (['an empty file', ''], ['the cover of another form', '<?xml version="1.0"?><edgarSubmission xmlns="http://www.sec.gov/edgar/nport"><headerData/></edgarSubmission>'], ['some other XML', '<html/>']) {
    my ($what, $text) = @$case;
    my $cik = 9992300 + $number++;
    my $accession = sprintf '000%d-22-000001', $cik;
    my $folder = folder_of($accession, 'table.xml' => table(\@two), 'zz.xml' => $text);
    like(imported(0, "$what beside a table", 'sec-13f', '--cik', $cik, '--period', '2022-09-30', @known, "$folder/table.xml"), qr/stored 3,/, '... does not matter');
    is(nothing_of($accession), '1 2', '... the table is that of the options');
}
like(imported(1, 'the cover of another form', 'sec-13f', $site->write('nport.xml', '<?xml version="1.0"?><edgarSubmission xmlns="http://www.sec.gov/edgar/nport"/>')),
    qr{the root element is edgarSubmission of http://www\.sec\.gov/edgar/nport, neither a 13F's edgarSubmission nor informationTable}, '... is named');

# Options that the cover contradicts.
{
    my $folder = folder_of('0009992001-22-000001', 'cover.xml' => cover(cik => 9992002), 'table.xml' => table(\@two));
    like(imported(1, '--cik and the cover of another manager', 'sec-13f', @one_manager, "$folder/table.xml"),
        qr/table\.xml: failed, nothing of it is stored: --cik says 9992001, but the cover is that of 9992002 \(Manager 9992002\)/, '... contradict each other');
    like(imported(1, '--period and the cover for another', 'sec-13f', '--period', '2022-12-31', @known, "$folder/table.xml"),
        qr/--period says 2022-12-31, but the cover is for 2022-09-30/, '... too');
    is(nothing_of('0009992001-22-000001'), '0 0', '... and nothing is stored');
    like(imported(0, 'the right ones', 'sec-13f', '--cik', '0009992002', '--period', '2022-09-30', @known, "$folder/table.xml"), qr/stored 3,/, '... may be told as well');
}

# --- submissions that contradict themselves --------------------------------------------------

my $good = { cik => 9993001 };
for my $case ([{ period => '20220630' }, {}, 'the quarters of the header and of the cover differ (2022-06-30, 2022-09-30)'],
    [{ cik => 9993999 }, {}, 'the header does not name the cover\'s manager as filer (9993001)'],
    [{ form => '13F-HR/A' }, {}, 'the forms of the header and of the cover differ (13F-HR/A, 13F-HR)'],
    [{ form => '13F-HR/A' }, { form => '13F-HR/A', more => '<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo>' }, 'amendmentType is missing, which says whether the amendment replaces the report or adds to it'],
    [{ filed => '20220810' }, {}, 'it was filed before the end of its quarter (2022-08-10, 2022-09-30)']) {
    my ($header, $cover, $reason) = @$case;
    my $accession = sprintf '0009993001-22-%06d', ++$number;
    my $path = $site->write("$accession.txt", submission(%$good, accession => $accession, cover => cover(%$good, %$cover), table => table(\@two), %$header));
    my $said = imported(1, $reason, 'sec-13f', $path);
    like($said, qr/stored 0, unchanged 0, superseded 0, rejected 3/, '... is rejected with its rows');
    like($said, qr/: coverPage: rejected: \Q$reason\E\n/, '... for that reason');
    is(nothing_of($accession), '0 0', '... and nothing of it is stored');
}
is($site->get('/v1/institutions/9993001/positions')->status, 404, 'the manager does not seem to hold nothing');

# --- rows ------------------------------------------------------------------------------------

for my $case (['<putcall>Put</putcall>', 'SOLE', 'the row has an element that the format does not have', 'putcall'],
    ['<votingAuthority><Sole>1</Sole><Shard>0</Shard></votingAuthority>', 'SOLE', 'the row has an element that the format does not have', 'Shard'],
    ['', 'SLE', 'investmentDiscretion is none of SOLE, DFND and OTR', 'SLE']) {
    my ($more, $discretion, $reason, $sample) = @$case;
    my $accession = sprintf '0009994001-22-%06d', ++$number;
    my $bad = table([$two[0]], $more, $discretion);
    my $table = table([$two[1]], '<votingAuthority><Sole>100</Sole><Shared>0</Shared><None>0</None></votingAuthority>', 'Otr') =~ s/(?=<infoTable>)/$bad =~ m{(<infoTable>.*<\/infoTable>)}s ? $1 : die/er;
    my $path = $site->write("$accession.txt", submission(cik => 9994001, accession => $accession, cover => cover(cik => 9994001), table => $table));
    my $said = imported(1, "$reason: $sample", 'sec-13f', $path);
    like($said, qr/stored 2, unchanged 0, superseded 0, rejected 1/, '... is rejected');
    like($said, qr/: infoTable\[1\]: rejected: \Q$reason ($sample)\E\n/, '... for that reason');
    is_deeply([map { [@$_{qw(row_number investment_discretion)}] } $site->rows("SELECT * FROM institution_position WHERE accession = '$accession'")], [[2, 'OTR']], '... alone');
}

# Values and shares of many digits are served as they were filed.
{
    my $accession = '0009994101-24-000001';
    imported(0, 'a value of eighteen digits', 'sec-13f', $site->write("$accession.txt", submission(cik => 9994101, accession => $accession, period => '20240630', filed => '20240814',
        cover => cover(cik => 9994101, period => '06-30-2024', rows => 1), table => table([['MANY INC', '037833100', '123456789012345678', '1234567890123456']]))));
    like($site->get('/v1/institutions/9994101/positions')->body, qr/"value":\{"raw":123456789012345678,"normalized":123456789012345678,.*"shares":1234567890123456,/, '... has all of them');
}

done_testing();

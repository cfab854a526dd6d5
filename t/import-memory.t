# Memory: an import's does not grow with its file. The inputs are made here; what a process has held at most
# is what the kernel says of it (VmHWM).

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(build);
use Disclosed::Shared qw(fresh workspace);
use Disclosed::ZipFile qw(write_zip);
use Time::HiRes qw(sleep);

plan skip_all => 'a memory checker holds memory of its own' if build('SANITIZERS') ne '' || $ENV{DISCLOSED_VALGRIND};

my $mega  = 1024 * 1024;
my $site  = site(template => 'empty');
my $place = workspace() . '/' . fresh('large');
mkdir $place or die "$place: $!";

# Runs an import: (exit code, most MB held, what it said).
sub import_measured
{
    my ($source, @arguments) = @_;
    my $said = "$place/said";
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
        open STDOUT, '>', $said;
        open STDERR, '>&', \*STDOUT;
        no warnings;
        exec build('CTL'), '--database', $site->conninfo, 'import', $source, @arguments;
        POSIX::_exit(127);
    }
    my $most = 0;
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        my $status = '';
        if (open my $in, '<', "/proc/$pid/status") { local $/; $status = <$in> // '' }
        my ($name) = $status =~ /^Name:\s+(\S+)/m;
        my ($held) = $status =~ /^VmHWM:\s+(\d+)/m;
        $most = $held if $held && $name =~ /disclosedctl/;
        sleep 0.005;
    }
    my $code = $? >> 8;
    open my $in, '<', $said or die;
    local $/;
    return ($code, $most / 1024, scalar <$in>);
}

# A file of a beginning, `size` bytes of lines, and an end.
sub write_large
{
    my ($name, $size, $beginning, $line, $end) = @_;
    open my $out, '>:raw', "$place/$name" or die;
    print $out $beginning;
    for (my ($written, $i) = (0, 0); $written < $size; $i++) {
        my $text = $line->($i);
        print $out $text;
        $written += length $text;
    }
    print $out $end;
    close $out or die;
    return "$place/$name";
}

my $header = "<SEC-DOCUMENT>%s.txt : 20240102\n<SEC-HEADER>x\n<ACCEPTANCE-DATETIME>20240102170000\nACCESSION NUMBER:\t\t%s\n"
    . "CONFORMED SUBMISSION TYPE:\t%s\nITEM INFORMATION:\t\tResults of Operations and Financial Condition\nFILED AS OF DATE:\t\t20240102\n\nFILER:\n\n\tCOMPANY DATA:\n"
    . "\t\tCOMPANY CONFORMED NAME:\tKETTLE CORP\n\t\tCENTRAL INDEX KEY:\t0009900001\n</SEC-HEADER>\n";
sub document { my ($type, $number, $text) = @_; return "<DOCUMENT>\n<TYPE>$type\n<SEQUENCE>$number\n<FILENAME>d$number.htm\n<TEXT>\n$text" }
my $closed = "</TEXT>\n</DOCUMENT>\n";
my $report = document('8-K', 1, "<html><body><p>Item 2.02 Results of Operations and Financial Condition</p><p>We did well.</p></body></html>\n") . $closed;

sub submission
{
    my ($accession, $size, $type, $first, $line) = @_;
    return write_large("$accession.txt", $size, sprintf($header, $accession, $accession, '8-K') . $report . document($type, 2, $first), $line, $closed . "</SEC-DOCUMENT>\n");
}
my $paragraph = sub { "<p>Row $_[0]: net sales rose to \$" . $_[0] * 3 . " million, up 3% &amp; more than expected.</p>\n" };

# --- filings ----------------------------------------------------------------------------------

my $small = submission('0009900001-24-000001', 1000, 'EX-99.1', '<html><body>', $paragraph);
my ($code, $base, $said) = import_measured('sec-filing', $small);
is($code, 0, 'a small filing') or diag $said;
note(sprintf 'a small filing: %.1f MB', $base);
cmp_ok($base, '<', 24, '... takes what the program itself takes') or diag $base;

my $held;
($code, $held, $said) = import_measured('sec-filing', submission('0009900001-24-000002', 40 * $mega, 'GRAPHIC', "begin 644 x.jpg\n", sub { 'M' . 'X' x 60 . "\n" }));
is($code, 0, 'a filing with a picture of 40 MB') or diag $said;
cmp_ok($held, '<', $base + 3, sprintf '... which is not held: %.1f MB', $held);

($code, $held, $said) = import_measured('sec-filing', submission('0009900001-24-000003', 40 * $mega, 'EX-99.1', '<html><body>', $paragraph));
is($code, 1, 'one with an exhibit of 40 MB of text');
like($said, qr/line \d+: document 2 \(EX-99\.1\): rejected: its text is longer than 8 MB, the most that is stored/, '... is told');
like($said, qr/read 3, stored 2, unchanged 0, superseded 0, rejected 1/, '... and the filing is stored without it');
cmp_ok($held, '<', 48, sprintf '... %.1f MB', $held);
is($site->value("SELECT count(*) FROM filing_exhibit WHERE accession = '0009900001-24-000003'"), 0, '... nor a part of it');

($code, $held, $said) = import_measured('sec-filing', submission('0009900001-24-000004', 40 * $mega, 'EX-99.1', '<html><body>',
    sub { '<p style="margin:0pt;font-family:Times New Roman;' . 'x' x 2000 . "\">Row $_[0]</p>\n" }));
is($code, 0, 'an exhibit whose 40 MB are markup') or diag $said;
cmp_ok($held, '<', $base + 6, sprintf '... is read piece by piece: %.1f MB', $held);
like($site->value("SELECT text FROM filing_exhibit WHERE accession = '0009900001-24-000004'"), qr/\ARow 0\n\nRow 1\n\n.*\n\nRow \d{5}\z/s, '... and stored whole');

($code, $held, $said) = import_measured('sec-filing', submission('0009900001-24-000005', 8.5 * $mega, 'EX-99.1', '<html><body>', $paragraph));
is($code, 0, 'an exhibit near the limit') or diag $said;
cmp_ok($site->value("SELECT octet_length(text) FROM filing_exhibit WHERE accession = '0009900001-24-000005'"), '>', 6 * $mega, '... is stored');
cmp_ok($held, '<', 64, sprintf '... %.1f MB', $held);

# --- N-PORT -----------------------------------------------------------------------------------

my $fund = '<?xml version="1.0" encoding="UTF-8"?>' . "\n" . '<edgarSubmission xmlns="http://www.sec.gov/edgar/nport"><headerData><submissionType>NPORT-P</submissionType>'
    . '</headerData><formData><genInfo><regName>Kettle</regName><regCik>0009900001</regCik><seriesName>Kettle Fund</seriesName><seriesId>%s</seriesId>'
    . "<repPdDate>2024-03-31</repPdDate></genInfo><fundInfo><netAssets>999</netAssets></fundInfo><invstOrSecs>\n";
my $holding = sub { "<invstOrSec><name>Company $_[0]</name><title>Common Stock</title><balance>100.5</balance><units>NS</units><curCd>USD</curCd>"
    . '<valUSD>1000.25</valUSD><pctVal>0.01</pctVal><assetCat>EC</assetCat>' . '<securityLending><isCashCollateral>N</isCashCollateral></securityLending>' x 12 . "</invstOrSec>\n" };
my $end = "</invstOrSecs><signature><dateSigned>2024-05-30</dateSigned></signature></formData></edgarSubmission>\n";
my ($fund_base, $large);
($code, $fund_base, $said) = import_measured('sec-nport', write_large('small.xml', $mega, sprintf($fund, 'S000099001'), $holding, $end));
is($code, 0, 'an N-PORT of 1 MB') or diag $said;
($code, $held, $said) = import_measured('sec-nport', $large = write_large('large.xml', 20 * $mega, sprintf($fund, 'S000099002'), $holding, $end));
is($code, 0, 'one of 20 MB') or diag $said;
cmp_ok($held, '<', $fund_base + 4, sprintf '... takes no more: %.1f MB, %.1f MB', $held, $fund_base);
my ($read) = $said =~ /read (\d+), stored \1, unchanged 0/;
is($site->value("SELECT count(*) FROM fund_holding h WHERE report_key = (SELECT record_key FROM fund WHERE series_id = 'S000099002')"), ($read // 0) - 1, '... with all its holdings');
($code, $held, $said) = import_measured('sec-nport', $large);
like($said, qr/stored 0, unchanged $read,/, '... which are known again');

# --- Form 13F -----------------------------------------------------------------------------------

my $table = '<?xml version="1.0"?>' . "\n<informationTable xmlns=\"http://www.sec.gov/edgar/document/thirteenf/informationtable\">\n";
my $position = sub { '<infoTable><nameOfIssuer>APPLE INC</nameOfIssuer><titleOfClass>' . 'COM ' x 200 . '</titleOfClass><cusip>037833100</cusip><value>1000</value>'
    . '<shrsOrPrnAmt><sshPrnamt>10</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt><investmentDiscretion>SOLE</investmentDiscretion>'
    . "<votingAuthority><Sole>10</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>\n" };
my @whose = qw(--cik 9900001 --period 2023-12-31 --known-at 2024-02-14);
my ($table_base, $positions);
($code, $table_base, $said) = import_measured('sec-13f', @whose, '--accession', '0009900001-24-000010', write_large('0009900001-24-000010.xml', $mega, $table, $position, "</informationTable>\n"));
is($code, 0, 'an information table of 1 MB') or diag $said;
($code, $held, $said) = import_measured('sec-13f', @whose, '--accession', '0009900001-24-000011', write_large('0009900001-24-000011.xml', 24 * $mega, $table, $position, "</informationTable>\n"));
is($code, 0, 'one of 24 MB') or diag $said;
cmp_ok($held, '<', $table_base + 4, sprintf '... takes no more: %.1f MB, %.1f MB', $held, $table_base);

# --- read whole, or by lines --------------------------------------------------------------------

for my $source (qw(sec-submissions sec-company-tickers senate-ptr house-ptr sec-ownership)) {
    my $name = write_large("$source.json", 33 * $mega, '{"a":[', sub { '"' . 'x' x 60 . "\",\n" }, '1]}');
    ($code, $held, $said) = import_measured($source, $name);
    is($code, 1, "$source: a file of 33 MB");
    like($said, qr/the file is larger than 32 MB, the most that is read of such a file/, '... is refused');
    cmp_ok($held, '<', 84, sprintf '... %.1f MB', $held);
}
my $line = sub { qq({"dataset":"short_interest","symbol":"S$_[0]:US","symbol_code":"S$_[0]","settlement_date":"none","current_short_position":"1","known_at":"2026-01-27","provenance":{"source_provider":"finra"}}\n) };
($code, $held, $said) = import_measured('ndjson', write_large('many.ndjson', 8 * $mega, '', $line, ''));
like($said, qr/read (\d{5}), stored 0, unchanged 0, superseded 0, rejected \1/, 'NDJSON of 8 MB');
cmp_ok($held, '<', $base + 6, sprintf '... is read line by line: %.1f MB', $held);
($code, $held, $said) = import_measured('ndjson', write_large('long.ndjson', 17 * $mega, '{"dataset":"', sub { 'x' x 1000 }, "\"}\n"));
like($said, qr/line 1 is longer than 16 MB: this is no NDJSON/, 'a line of 17 MB is refused');

# --- data sets and archives -------------------------------------------------------------------------

# A set with 2,000 forms and 40 MB of footnotes, whose owners are missing, or have no CIK: read, set aside and refused form by form.
my $forms = "$place/forms";
mkdir $forms or die "$forms: $!";
my $accession = sub { sprintf '0009900001-24-%06d', 1 + $_[0] % 2000 };
my $row = join "\t", map { ($_, "${_}_FN") } qw(SECURITY_TITLE TRANS_DATE DEEMED_EXECUTION_DATE CONV_EXERCISE_PRICE TRANS_CODE EQUITY_SWAP_INVOLVED TRANS_TIMELINESS TRANS_SHARES TRANS_TOTAL_VALUE
    TRANS_PRICEPERSHARE TRANS_ACQUIRED_DISP_CD EXERCISE_DATE EXPIRATION_DATE UNDLYNG_SEC_TITLE UNDLYNG_SEC_SHARES UNDLYNG_SEC_VALUE TRANS_FORM_TYPE SHRS_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS
    DIRECT_INDIRECT_OWNERSHIP NATURE_OF_OWNERSHIP);
my $none = sub { '' };
write_large("forms/$_->[0].tsv", 1, "ACCESSION_NUMBER\t$_->[1]\n", sub { "\n" }, '') for map { ["${_}", "${_}_SK\t$row"] } qw(NONDERIV_TRANS NONDERIV_HOLDING DERIV_TRANS DERIV_HOLDING);
write_large('forms/REPORTINGOWNER.tsv', 1, join("\t", qw(ACCESSION_NUMBER RPTOWNERCIK RPTOWNERNAME RPTOWNER_RELATIONSHIP RPTOWNER_TITLE RPTOWNER_TXT)) . "\n",
    sub { join("\t", $accession->(0), 'none', 'Nobody', 'Director', '', '') . "\n" }, '');
my @form = ('14-AUG-2024', '12-AUG-2024', '', '', '4', '9900001', 'KETTLE CORP', 'KETT', 'None');
write_large('forms/SUBMISSION.tsv', 2000 * 100, "ACCESSION_NUMBER\tFILING_DATE\tPERIOD_OF_REPORT\tDATE_OF_ORIG_SUB\tNOT_SUBJECT_SEC16\tDOCUMENT_TYPE\tISSUERCIK\tISSUERNAME\tISSUERTRADINGSYMBOL\tREMARKS\n",
    sub { substr(join("\t", $accession->($_[0]), @form) . 'x' x 100, 0, 99) . "\n" }, '');
write_large('forms/FOOTNOTES.tsv', 40 * $mega, "ACCESSION_NUMBER\tFOOTNOTE_ID\tFOOTNOTE_TXT\n", sub { join("\t", $accession->($_[0]), 'F' . int($_[0] / 2000), 'x' x 2000) . "\n" }, '');
($code, $held, $said) = import_measured('sec-ownership', $forms);
like($said, qr/read \d{5}, stored 0, unchanged 0, superseded 0, rejected \d{5}/, 'a data set of 40 MB') or diag substr $said, 0, 2000;
cmp_ok($held, '<', $base + 12, sprintf '... is set aside, not held: %.1f MB', $held);

# Rows of prices without an action, and one that is rejected.
($code, $held, $said) = import_measured('corporate-actions', write_large('AAPL.csv', 12 * $mega, "date,open,close,dividends,stock splits\n",
    sub { my $day = $_[0] % 28 + 1; sprintf "20%02d-%02d-%02d,10.5,10.25,%s,0\n", $_[0] / 336 % 20, $_[0] / 28 % 12 + 1, $day, $_[0] == 7 ? 'x' : '0.00' }, ''));
like($said, qr/rejected 1\n/, 'prices of 12 MB') or diag substr $said, 0, 2000;
cmp_ok($held, '<', $base + 6, sprintf '... are not held: %.1f MB', $held);

# Files that are named one by one, and may belong to any other of their folder.
my $flat = "$place/flat";
mkdir $flat or die "$flat: $!";
write_large(sprintf('flat/0009900777-24-%06d.xml', $_), 1, '<informationTable xmlns="http://www.sec.gov/edgar/document/thirteenf/informationtable">', sub { "\n" }, '</informationTable>') for 1 .. 1000;
($code, $held, $said) = import_measured('sec-13f', glob "$flat/*.xml");
like($said, qr/total of 1000 files, 1000 failed/, 'a thousand files of one folder') or diag substr $said, -2000;
cmp_ok($held, '<', $base + 12, sprintf '... of which the names are read once: %.1f MB', $held);

# An archive of 100,000 members: what the list of them takes.
($code, $held, $said) = import_measured('sec-company-tickers', write_zip("$place/many.zip", 100_000, sub { (sprintf('CIK%010d.json', $_[0]), '{}') }));
like($said, qr/skipped 100000 files that are of another kind/, 'an archive of 100,000 members') or diag substr $said, 0, 2000;
cmp_ok($held, '<', $base + 20, sprintf '... takes less than 200 bytes for each: %.1f MB', $held);

finish();

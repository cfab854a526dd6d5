# The same reports by every kind of source that tells them, in random orders and with repeats: Form 13F as
# submission, as cover and table, as a table alone, in data sets; Form N-PORT and Forms 4 as submission, as
# named and as nameless document. What is known in the end is the same, record by record, and what is
# told again stores nothing.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(slurp);

my $site = site(template => 'empty');
my $root = $site->{root};
my $json = Disclosed::JSON->new->utf8->canonical;
my $orders = $ENV{REPORT_ORDERS} // 4;
my $seed = $ENV{REPORT_ORDERS_SEED} // 20240814;
srand $seed;
diag "seed $seed";

sub shuffled { my @list = @_; for my $i (reverse 1 .. $#list) { my $j = int rand $i + 1; @list[$i, $j] = @list[$j, $i] } return @list }

sub written
{
    my ($name, $text) = @_;
    my $path = $root;
    my @parts = split m{/}, $name;
    for my $part (@parts[0 .. $#parts - 1]) {
        $path .= "/$part";
        -d $path or mkdir $path or die "$path: $!";
    }
    return $site->write($name, $text);
}

# Imports paths in that order; returns the summary and what was said.
sub imported
{
    my ($source, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @arguments);
    my $summary = eval { $json->decode($out) };
    diag "$code $out$err" if !$summary;
    return ($summary // {}, $err);
}

# What is known of the issuers whose numbers begin with a prefix of seven digits, with that prefix left out.
sub known
{
    my ($prefix, %tables) = @_;
    my @lines;
    for my $table (sort keys %tables) {
        push @lines, map { "$table: $_->{line}" =~ s/$prefix/P/gr } $site->rows("SELECT concat_ws(' | ', i.cik, t.record_key, t.known_at, coalesce(t.superseded_at::text, 'now'), t.accession,
            $tables{$table}) AS line FROM $table t JOIN issuer i USING (issuer_id) WHERE i.cik::text LIKE '$prefix%' AND t.superseded_at IS DISTINCT FROM t.known_at ORDER BY 1");
    }
    return join "\n", @lines;
}

# Records that have more than one version in force at the same time or none, for whoever looks for the reason.
sub versions
{
    my ($prefix, $last, @tables) = @_;
    return join ', ', map { my $table = $_; map { "$table $_->{record_key}: $_->{n} versions of the last run: $_->{line}" } $site->rows("SELECT t.record_key, count(*) AS n, min(t::text) AS line FROM ${table}_sourced t JOIN issuer i USING (issuer_id)
        WHERE i.cik::text LIKE '$prefix%' AND import_run_id IN (SELECT import_run_id FROM (SELECT * FROM import_run ORDER BY import_run_id DESC LIMIT $last) r WHERE stored > 0) GROUP BY 1 LIMIT 3") } @tables;
}

# The first lines in which two texts differ.
sub difference
{
    my ($left, $right) = map { { map { $_ => 1 } split /\n/, $_ } } @_;
    return join "\n", (map { "first order: $_" } grep { !$right->{$_} } sort keys %$left)[0 .. 3], (map { "this order:  $_" } grep { !$left->{$_} } sort keys %$right)[0 .. 3];
}

# Tries orders of what make() returns for a prefix: [options], and a hash of paths by name.
sub all_orders
{
    my ($source, $make, $base, %tables) = @_;
    my ($first, $failed, $stored_again, $cells) = (undef, 0, 0, 0);
    for my $order (1 .. $orders) {
        my $prefix = $base + $order;
        my ($options, %paths) = $make->($prefix);
        my @names = shuffled(sort keys %paths);
        push @names, (shuffled(@names))[0 .. int rand @names];
        imported($source, @$options, map { $paths{$_} } @names);
        my ($again, $said) = imported($source, @$options, map { $paths{$_} } shuffled(sort keys %paths));
        $stored_again += $again->{stored} // 1;
        diag "order @names: stored $again->{stored} again, " . versions($prefix, scalar(keys %paths), keys %tables) if $again->{stored};
        my $known = known($prefix, %tables) =~ s/\d+ of \d+ comparisons/comparisons/gr; # with what was there at the time
        $first //= $known;
        $cells += () = $known =~ /\|/g;
        next if $known eq $first;
        diag "order @names:\n" . difference($first, $known) if !$failed++;
    }
    cmp_ok(scalar(split /\n/, $first), '>', 0, scalar(() = $first =~ /\n/g) + 1 . " records of $source");
    is($failed, 0, "... the same in $orders orders ($cells cells)");
    is($stored_again, 0, '... and told again nothing is stored');
}

# --- Form 13F --------------------------------------------------------------------------------------

sub cover
{
    my (%is) = @_;
    my $more = $is{amends} ? "<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo><amendmentInfo><amendmentType>$is{amends}</amendmentType></amendmentInfo>" : '';
    return "<?xml version=\"1.0\"?>\n<edgarSubmission><headerData><submissionType>$is{form}</submissionType><filerInfo><filer><credentials><cik>$is{cik}</cik></credentials></filer>"
        . '<periodOfReport>09-30-2022</periodOfReport></filerInfo></headerData><formData><coverPage><reportCalendarOrQuarter>09-30-2022</reportCalendarOrQuarter>'
        . "$more<filingManager><name>Manager $is{cik}</name></filingManager><reportType>13F HOLDINGS REPORT</reportType><form13FFileNumber>028-00001</form13FFileNumber></coverPage>"
        . "<signatureBlock><signatureDate>11-13-2022</signatureDate></signatureBlock><summaryPage><isConfidentialOmitted>false</isConfidentialOmitted>"
        . "<tableEntryTotal>@{[scalar $is{rows}->@*]}</tableEntryTotal><tableValueTotal>$is{total}</tableValueTotal></summaryPage></formData></edgarSubmission>";
}

sub table
{
    my (@rows) = @_;
    return "<informationTable>\n" . join('', map { "<infoTable><nameOfIssuer>$_->[0]</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>$_->[1]</cusip><value>$_->[2]</value>"
        . "<shrsOrPrnAmt><sshPrnamt>$_->[3]</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt><investmentDiscretion>SOLE</investmentDiscretion>"
        . "<votingAuthority><Sole>$_->[3]</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>\n" } @rows) . '</informationTable>';
}

# A submission as EDGAR stores it.
sub submission
{
    my (%is) = @_;
    my $day = $is{filed} =~ s/-//gr;
    return "<SEC-DOCUMENT>$is{accession}.txt : $day\n<SEC-HEADER>$is{accession}.hdr.sgml : $day\n<ACCEPTANCE-DATETIME>${day}163005\nACCESSION NUMBER:\t\t$is{accession}\n"
        . "CONFORMED SUBMISSION TYPE:\t$is{form}\nCONFORMED PERIOD OF REPORT:\t20220930\nFILED AS OF DATE:\t\t$day\n\nFILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\t\t\tManager $is{cik}\n"
        . "\t\tCENTRAL INDEX KEY:\t\t\t$is{cik}\n</SEC-HEADER>\n"
        . join('', map { "<DOCUMENT>\n<TYPE>$_->[0]\n<SEQUENCE>1\n<FILENAME>x.xml\n<TEXT>\n<XML>\n$_->[1]\n</XML>\n</TEXT>\n</DOCUMENT>\n" } $is{documents}->@*) . "</SEC-DOCUMENT>\n";
}

my %month = ('11' => 'NOV', '12' => 'DEC');

# A data set; its lines stand in any order, the numbers of rows say how they stood.
sub data_set
{
    my ($name, @reports) = @_;
    my $day = sub { my ($y, $m, $d) = split /-/, shift; return "$d-$month{$m}-$y" };
    my %lines = map { $_ => [] } qw(SUBMISSION COVERPAGE SUMMARYPAGE INFOTABLE);
    my $key = 1000;
    for my $r (@reports) {
        push $lines{SUBMISSION}->@*, join "\t", $r->{accession}, $day->($r->{filed}), $r->{form}, $r->{cik}, '30-SEP-2022';
        push $lines{COVERPAGE}->@*, join "\t", $r->{accession}, "Manager $r->{cik}", '13F HOLDINGS REPORT', '028-00001', $r->{amends} ? ('Y', 1, $r->{amends}) : ('', '', '');
        push $lines{SUMMARYPAGE}->@*, join "\t", $r->{accession}, scalar $r->{rows}->@*, $r->{total}, 'N';
        push $lines{INFOTABLE}->@*, map { $key++; join "\t", $r->{accession}, $key, $_->[0], 'COM', $_->[1], $_->[2], $_->[3], 'SH', 'SOLE', $_->[3], 0, 0 } $r->{rows}->@*;
    }
    my %header = (SUBMISSION => "ACCESSION_NUMBER\tFILING_DATE\tSUBMISSIONTYPE\tCIK\tPERIODOFREPORT", COVERPAGE => "ACCESSION_NUMBER\tFILINGMANAGER_NAME\tREPORTTYPE\tFORM13FFILENUMBER\tISAMENDMENT\tAMENDMENTNO\tAMENDMENTTYPE",
        SUMMARYPAGE => "ACCESSION_NUMBER\tTABLEENTRYTOTAL\tTABLEVALUETOTAL\tISCONFIDENTIALOMITTED",
        INFOTABLE => "ACCESSION_NUMBER\tINFOTABLE_SK\tNAMEOFISSUER\tTITLEOFCLASS\tCUSIP\tVALUE\tSSHPRNAMT\tSSHPRNAMTTYPE\tINVESTMENTDISCRETION\tVOTING_AUTH_SOLE\tVOTING_AUTH_SHARED\tVOTING_AUTH_NONE");
    written("$name/$_.tsv", join '', map { "$_\n" } $header{$_}, shuffled($lines{$_}->@*)) for sort keys %lines;
    return "$root/$name";
}

# Two managers: one reports dollars under a total in thousands, which the cover alone tells; the other restates.
sub holdings_reports
{
    my ($prefix) = @_;
    my @rows = (['ALPHA INC', '037833100', 21000, 100], ['BETA INC', '594918104', 44000, 100], ['GAMMA LTD', '02079K305', 18000, 100], ['ALPHA INC', '037833100', 21000, 100],
        ['DELTA CO', '88579Y101', 12000, 100], ['EPS AG', '00206R102', 1900, 100]);
    my @reports = ({ cik => "${prefix}1", n => 1, form => '13F-HR', filed => '2022-11-14', rows => \@rows, total => 118 },
        { cik => "${prefix}2", n => 1, form => '13F-HR', filed => '2022-11-10', rows => [@rows[0 .. 3]], total => 104000 },
        { cik => "${prefix}2", n => 2, form => '13F-HR/A', amends => 'RESTATEMENT', filed => '2022-12-01', rows => [@rows[1 .. 4]], total => 95000 });
    my %paths;
    for my $r (@reports) {
        $r->{accession} = sprintf '00%s-22-%06d', $r->{cik}, $r->{n};
        my $folder = "13f-$prefix/$r->{cik}/" . $r->{accession} =~ s/-//gr;
        my ($cover, $table) = (cover(%$r), table($r->{rows}->@*));
        $paths{"submission $r->{n}$r->{cik}"} = written("13f-$prefix/$r->{accession}.txt", submission(%$r, documents => [[$r->{form}, $cover], ['INFORMATION TABLE', $table]]));
        written("$folder/$_->[0]", $_->[1]) for ['primary_doc.xml', $cover], ['table.xml', $table];
        $paths{"pair $r->{n}$r->{cik}"} = "$root/$folder";
        $paths{"cover $r->{n}$r->{cik}"} = written("cover-$folder/primary_doc.xml", $cover);
        $paths{"table $r->{n}$r->{cik}"} = written("table-$folder/table.xml", $table);
    }
    $paths{'data set'} = data_set("13f-$prefix/set", @reports);
    $paths{'part of it'} = data_set("13f-$prefix/part", $reports[2], $reports[0]);
    return (['--period', '2022-09-30', '--known-at', '2022-12-15'], %paths);
}

my $position = "t.row_number, t.issuer_title, t.class_title, t.cusip, t.value, t.value_as_filed, coalesce(t.value_scale, '-'), t.shares, t.voting_sole, t.filing_date, t.period_of_report";
all_orders('sec-13f', \&holdings_reports, 7100000, institution_position => $position,
    institution_report => "t.form, t.report_type, t.period_of_report, t.filing_date, coalesce(t.amendment_type, '-'), t.amendment_number, t.manager_name, t.file_number, t.confidential_omitted,
        t.table_entry_total, t.table_value_total, t.value_factor, t.total_factor, t.value_scale, t.value_scale_reason, t.entries_stored, t.value_stored, t.value_difference");

# Real reports, each order under numbers of its own: as submission, as cover and table, as a table and a cover alone.
sub real_reports
{
    my ($prefix) = @_;
    my ($n, %paths) = (0);
    for my $file (grep { -f } glob shared_data('form13f') . '/*') {
        my $text = slurp($file);
        my ($accession) = $file =~ m{/([\d-]+)\.\w+\z};
        my $cik = $prefix . ++$n;
        my $own = sprintf '00%s-23-%06d', $cik, 1;
        my ($was) = $text =~ m{<(?:\w+:)?cik>0*(\d+)</} or next;
        $text =~ s/$accession/$own/g;
        $text =~ s/(<(?:\w+:)?cik>|CENTRAL INDEX KEY:\s+|<CIK>)0*$was\b/${1}00$cik/g;
        my ($cover) = $text =~ m{<XML>\s*(.*?edgarSubmission.*?)\s*</XML>}s;
        my ($table) = $text =~ m{.*<XML>\s*(.*?informationTable.*?)\s*</XML>}s;
        my $folder = "real-$prefix/$cik/" . $own =~ s/-//gr;
        $paths{"submission $n"} = written("real-$prefix/$own." . ($file =~ /\.nc\z/ ? 'nc' : 'txt'), $text);
        written("$folder/$_->[0]", $_->[1]) for ['primary_doc.xml', $cover], ['table.xml', $table];
        $paths{"pair $n"} = "$root/$folder";
        $paths{"cover $n"} = written("cover-$folder/primary_doc.xml", $cover);
    }
    return ([], %paths);
}
all_orders('sec-13f', \&real_reports, 7400000, institution_position => $position,
    institution_report => 't.form, t.report_type, t.period_of_report, t.filing_date, t.manager_name, t.table_entry_total, t.table_value_total, t.value_factor, t.total_factor, t.value_scale, t.entries_stored,
        t.value_stored, t.value_difference') if shared_data('form13f');
diag 'NOT TESTED: there are no real Form 13F files here (DISCLOSED_SHARED)' if !shared_data('form13f');

# --- Form N-PORT -----------------------------------------------------------------------------------

sub fund_document
{
    my (%r) = @_;
    return "<?xml version=\"1.0\"?>\n<edgarSubmission><headerData><submissionType>$r{form}</submissionType></headerData><formData><genInfo><regName>Index Trust</regName><regCik>$r{cik}</regCik>"
        . "<seriesName>Order Fund</seriesName><seriesId>S$r{cik}0</seriesId><repPdEnd>2024-12-31</repPdEnd><repPdDate>2024-03-31</repPdDate><isFinalFiling>N</isFinalFiling></genInfo>"
        . '<fundInfo><totAssets>10000</totAssets><totLiabs>0</totLiabs><netAssets>10000</netAssets></fundInfo><invstOrSecs>'
        . join('', map { "<invstOrSec><name>$_->[0]</name><lei>N/A</lei><title>$_->[0]</title><cusip>$_->[1]</cusip><identifiers><isin value=\"$_->[2]\"/></identifiers><balance>$_->[3]</balance><units>NS</units>"
            . '<curCd>USD</curCd><valUSD>100</valUSD><pctVal>1</pctVal><payoffProfile>Long</payoffProfile><assetCat>EC</assetCat><issuerCat>CORP</issuerCat><invCountry>US</invCountry>'
            . '<isRestrictedSec>N</isRestrictedSec><fairValLevel>1</fairValLevel></invstOrSec>' } $r{rows}->@*)
        . '</invstOrSecs><signature><dateSigned>2024-05-28</dateSigned></signature></formData></edgarSubmission>';
}

sub fund_reports
{
    my ($prefix) = @_;
    my @rows = (['Apple Inc', '037833100', 'US0378331005', 10], ['Microsoft Corp', '594918104', 'US5949181045', 20], ['Apple Inc', '037833100', 'US0378331005', 10]);
    my %paths;
    for my $r ({ n => 1, form => 'NPORT-P', filed => '2024-05-29', rows => \@rows }, { n => 2, form => 'NPORT-P/A', filed => '2024-06-11', rows => [@rows[1, 2]] }) {
        $r->{cik} = "${prefix}1";
        $r->{accession} = sprintf '00%s-24-%06d', $r->{cik}, $r->{n};
        my $document = fund_document(%$r);
        $paths{"submission $r->{n}"} = written("nport-$prefix/$r->{accession}.txt", submission(%$r, documents => [[$r->{form}, $document]]));
        $paths{"document $r->{n}"} = written("nport-$prefix/$r->{accession}.xml", $document);
        $paths{"folder $r->{n}"} = written("nport-$prefix/" . $r->{accession} =~ s/-//gr . '/primary_doc.xml', $document);
        $paths{"nameless $r->{n}"} = written("nport-$prefix/nameless-$r->{n}/primary_doc.xml", $document);
    }
    return ([], %paths);
}

$site->control('import', 'ndjson', $site->write('listed.ndjson', join '', map { $json->encode({ dataset => 'listing', cik => $_->[0], issuer_name => $_->[2], known_at => '2020-01-01', ticker => $_->[1], market => 'US',
    name => $_->[2], status => 'active', provenance => { source_provider => 'issuer_page' } }) . "\n" } [320193, 'AAPL', 'Apple Inc.'], [789019, 'MSFT', 'Microsoft Corp']));
all_orders('sec-nport', \&fund_reports, 7200000,
    fund => "t.fund_key, t.name, t.form, t.report_date, t.net_assets, t.holding_count, t.holding_value, t.filed_on, t.accepted_at",
    fund_holding => "t.row_number, t.name, t.cusip, t.isin, t.balance, t.value, t.weight_pct, t.company_id, coalesce(t.symbol, '-')");
is(join(', ', map { $_->{line} } $site->rows("SELECT DISTINCT concat_ws(' ', e.fund_name, e.shares, e.known_at, e.superseded_at) AS line FROM fund_exposure e JOIN issuer i USING (issuer_id)
    WHERE i.cik = 320193 AND e.superseded_at IS DISTINCT FROM e.known_at ORDER BY 1")),
    'Order Fund 10 2024-06-11 20:30:05+00, Order Fund 20 2024-05-29 20:30:05+00 2024-06-11 20:30:05+00', '... and what all these funds hold of Apple');

# --- Forms 3, 4 and 5 ------------------------------------------------------------------------------

sub ownership_document
{
    my (%r) = @_;
    my $owned = '<postTransactionAmounts/><ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature>';
    return "<?xml version=\"1.0\"?>\n<ownershipDocument><documentType>$r{form}</documentType><periodOfReport>2024-03-01</periodOfReport>"
        . ($r{amends} ? "<dateOfOriginalSubmission>$r{amends}</dateOfOriginalSubmission>" : '')
        . "<issuer><issuerCik>$r{cik}</issuerCik><issuerName>Teasel Works</issuerName><issuerTradingSymbol>TSL</issuerTradingSymbol></issuer>"
        . '<reportingOwner><reportingOwnerId><rptOwnerCik>7999999</rptOwnerCik><rptOwnerName>Reed Ann</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>'
        . '<nonDerivativeTable>' . join('', map { '<nonDerivativeTransaction><securityTitle><value>Common</value></securityTitle><transactionDate><value>2024-03-01</value></transactionDate>'
            . '<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>S</transactionCode></transactionCoding>'
            . "<transactionAmounts><transactionShares><value>$_->[0]</value></transactionShares><transactionPricePerShare><value>$_->[1]</value><footnoteId id=\"F1\"/></transactionPricePerShare>"
            . '<transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts>' . $owned . '</nonDerivativeTransaction>' } $r{rows}->@*)
        . '<nonDerivativeHolding><securityTitle><value>Preferred</value></securityTitle>' . $owned . '</nonDerivativeHolding></nonDerivativeTable>'
        . '<footnotes><footnote id="F1">An average.</footnote></footnotes><ownerSignature><signatureDate>' . ($r{amends} ? '2024-04-01' : '2024-03-04') . '</signatureDate></ownerSignature></ownershipDocument>';
}

sub ownership_reports
{
    my ($prefix) = @_;
    my %paths;
    for my $r ({ n => 1, form => '4', filed => '2024-03-05', rows => [[100, 10], [100, 10], [50, 11]] }, { n => 2, form => '4/A', amends => '2024-03-05', filed => '2024-04-02', rows => [[100, 10], [120, 10]] }) {
        $r->{cik} = "${prefix}1";
        $r->{accession} = sprintf '00%s-24-%06d', $r->{cik}, $r->{n};
        my $document = ownership_document(%$r);
        $paths{"submission $r->{n}"} = written("form4-$prefix/$r->{accession}.txt", submission(%$r, documents => [[$r->{form}, $document]]));
        $paths{"document $r->{n}"} = written("form4-$prefix/$r->{accession}.xml", $document);
        $paths{"folder $r->{n}"} = written("form4-$prefix/" . $r->{accession} =~ s/-//gr . '/doc4.xml', $document);
        $paths{"nameless $r->{n}"} = written("form4-$prefix/nameless-$r->{n}/doc4.xml", $document);
    }
    return ([], %paths);
}

my $reported = 't.form, t.period_of_report, t.original_filing_date, t.owner_cik, t.insider_name, t.relationship, t.security_title, t.filing_date, t.footnotes';
all_orders('sec-ownership', \&ownership_reports, 7300000, insider_transaction => "$reported, t.shares, t.price, t.value", insider_holding => $reported,
    executive => 't.name, t.role, t.is_current, t.reported_on');

# --- Schedules 13D and 13G -------------------------------------------------------------------------

sub schedule_document
{
    my (%r) = @_;
    my @names = map { $_->[0] } $r{rows}->@*;
    return "<?xml version=\"1.0\"?>\n<edgarSubmission><headerData><submissionType>$r{form}</submissionType>" . ($r{amends} ? "<previousAccessionNumber>$r{amends}</previousAccessionNumber>" : '')
        . '</headerData><formData><coverPageHeader>' . ($r{amends} ? '<amendmentNo>1</amendmentNo>' : '') . "<securitiesClassTitle>Common</securitiesClassTitle><dateOfEvent>$r{event}</dateOfEvent><issuerInfo><issuerCIK>$r{cik}</issuerCIK>"
        . "<issuerCUSIP>037833100</issuerCUSIP><issuerName>$r{issuer}</issuerName></issuerInfo></coverPageHeader><reportingPersons>"
        . join('', map { "<reportingPersonInfo><reportingPersonName>$_->[0]</reportingPersonName><fundType>WC</fundType><citizenshipOrOrganization>DE</citizenshipOrOrganization><soleVotingPower>$_->[1]</soleVotingPower>"
            . "<sharedVotingPower>0</sharedVotingPower><soleDispositivePower>$_->[1]</soleDispositivePower><sharedDispositivePower>0</sharedDispositivePower><aggregateAmountOwned>$_->[1]</aggregateAmountOwned>"
            . '<percentOfClass>5.5</percentOfClass><typeOfReportingPerson>PN</typeOfReportingPerson></reportingPersonInfo>' } $r{rows}->@*)
        . '</reportingPersons><items1To7><item3><fundsSource>Own.</fundsSource></item3><item4><transactionPurpose>To hold.</transactionPurpose></item4></items1To7><signatureInfo>'
        . join('', map { "<signaturePerson><signatureReportingPerson>$_</signatureReportingPerson><signatureDetails><date>$r{signed}</date></signatureDetails></signaturePerson>" } @names) . '</signatureInfo></formData></edgarSubmission>';
}

sub schedules
{
    my ($prefix) = @_;
    my %paths;
    for my $r ({ n => 1, form => 'SCHEDULE 13D', event => '03/01/2024', signed => '03/08/2024', filed => '2024-03-11', issuer => 'Teasel Works', rows => [['Quill Fund LP', 100], ['Reed Ann', 100]] },
        { n => 2, form => 'SCHEDULE 13D/A', event => '04/01/2024', signed => '04/02/2024', filed => '2024-04-02', issuer => 'TEASEL WORKS INC', rows => [['Quill Fund, L.P.', 120], ['Reed Ann', 120]] },
        { n => 3, form => 'SCHEDULE 13D/A', event => '03/15/2024', signed => '04/09/2024', filed => '2024-04-09', issuer => 'Teasel Works', rows => [['Quill Fund LP', 110]] })
    {
        $r->{cik} = "${prefix}1";
        $r->{accession} = sprintf '00%s-24-%06d', $r->{cik}, $r->{n};
        $r->{amends} = sprintf '00%s-24-%06d', $r->{cik}, 1 if $r->{n} > 1;
        my $document = schedule_document(%$r);
        $paths{"submission $r->{n}"} = written("schedule-$prefix/$r->{accession}.txt", submission(%$r, documents => [[$r->{form}, $document]]));
        $paths{"document $r->{n}"} = written("schedule-$prefix/$r->{accession}.xml", $document);
        $paths{"folder $r->{n}"} = written("schedule-$prefix/" . $r->{accession} =~ s/-//gr . '/primary_doc.xml', $document);
        $paths{"nameless $r->{n}"} = written("schedule-$prefix/nameless-$r->{n}/primary_doc.xml", $document);
    }
    return ([], %paths);
}

all_orders('sec-beneficial-ownership', \&schedules, 7500000,
    beneficial_owner => "i.name, t.form, t.event_date, t.filing_date, t.owner_name, t.aggregate_amount, t.previous_accession, coalesce(t.restated_at::text, 'latest')");

finish();

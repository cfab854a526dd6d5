package Disclosed::MadeFiles;

# Files of the import formats, of companies that do not exist, as many and as large as asked for: for the bench of the loader and
# for the kill proof. The same arguments give the same bytes. Each function writes into a folder and returns the paths; `from` is
# the number of the first row, manager, form or report, so that later files have others; `base` that of the first company.

use v5.24;
use warnings;
use Exporter qw(import);
use File::Path qw(make_path);
use Disclosed::JSON ();
use Time::Local qw(timegm);

our @EXPORT_OK = qw(cusip_of made_filing_lines made_insider_lines made_short_interest made_submissions made_ownership made_funds made_13f_set
    made_13f_reports made_insider_set made_fund_set made_senate made_house);

my $FIRST_CIK = 8_000_000_000;

sub write_file
{
    my ($path, @texts) = @_;
    open my $file, '>:raw', $path or die "$path: $!";
    print $file @texts;
    close $file or die "$path: $!";
    return $path;
}

# A working day, so many after the first one of 2019.
sub day_of
{
    my ($number) = @_;
    my ($day, $month, $year) = (gmtime(timegm(0, 0, 12, 7, 0, 119) + 86_400 * (int($number / 5) * 7 + $number % 5)))[3 .. 5];
    return sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day;
}

sub accession_of
{
    my ($cik, $day, $number) = @_;
    return sprintf '%010d-%s-%06d', $cik, substr($day, 2, 2), $number;
}

# Nine characters with their check digit.
sub cusip_of
{
    my ($number) = @_;
    my $base = sprintf '%08d', 10_000_000 + 7 * $number;
    my $sum = 0;
    for my $place (0 .. 7) {
        my $value = substr($base, $place, 1) * ($place % 2 + 1);
        $sum += int($value / 10) + $value % 10;
    }
    return $base . (10 - $sum % 10) % 10;
}

# ----------------------------------------------------------------------------------------- NDJSON

# So many filings, of so many companies.
sub made_filing_lines
{
    my ($folder, $rows, %option) = @_;
    my ($companies, $from, $base) = ($option{companies} // 2000, $option{from} // 0, $option{base} // 0);
    my @lines = map {
        my $cik = $FIRST_CIK + $base + $_ % $companies;
        my $day = $option{day} // day_of($_ / 3 % 1800);
        my $accession = accession_of($cik, $day, $_ / $companies);
        qq({"dataset":"filing","cik":$cik,"issuer_name":"Generated $cik","form":"8-K","filed_on":"$day","title":"Current report number $_",)
            . qq("provenance":{"source_provider":"fictional","source_url":"https://bench.example/$accession.htm","accession":"$accession"}}\n)
    } $from .. $from + $rows - 1;
    return write_file("$folder/filings-$base-$from.ndjson", @lines);
}

# So many insider transactions.
sub made_insider_lines
{
    my ($folder, $rows, %option) = @_;
    my ($companies, $from, $base) = ($option{companies} // 2000, $option{from} // 0, $option{base} // 0);
    my @kinds = (['P', 'purchase', 'A'], ['S', 'sale', 'D'], ['M', 'exercise', 'A'], ['F', 'tax', 'D'], ['A', 'grant', 'A']);
    my @lines = map {
        my $cik = $FIRST_CIK + $base + $_ % $companies;
        my $day = day_of($_ / 3 % 1800);
        my $accession = accession_of($cik, $day, $_ / $companies);
        my ($code, $type, $direction) = $kinds[$_ % 5]->@*;
        my ($shares, $price, $owner) = (100 + $_ * 37 % 90_000, sprintf('%.2f', 5 + $_ * 13 % 20_000 / 100), $FIRST_CIK + 500_000 + $_ % ($companies * 3));
        qq({"dataset":"insider","cik":$cik,"issuer_name":"Generated $cik","record_key":"$accession/0","form":"4","owner_cik":$owner,)
            . qq("insider_name":"Insider $owner","relationship":"Director","is_derivative":false,"security_title":"Common Stock",)
            . qq("transaction_code":"$code","transaction_type":"$type","acquired_disposed":"$direction","shares":"$shares","price":"$price",)
            . sprintf('"value":"%.2f","shares_owned_after":"%d","ownership":"direct",', $shares * $price, $shares * 7)
            . qq("transaction_date":"$day","filing_date":"$day","period_of_report":"$day",)
            . qq("provenance":{"source_provider":"fictional","source_url":"https://bench.example/$accession.xml","accession":"$accession"}}\n)
    } $from .. $from + $rows - 1;
    return write_file("$folder/insider-$base-$from.ndjson", @lines);
}

# --------------------------------------------------------------------------------------- delimited

# FINRA's files of so many settlement dates, with so many symbols each.
sub made_short_interest
{
    my ($folder, $dates, $symbols) = @_;
    my @columns = qw(accountingYearMonthNumber symbolCode issueName issuerServicesGroupExchangeCode marketClassCode currentShortPositionQuantity
        previousShortPositionQuantity stockSplitFlag averageDailyVolumeQuantity daysToCoverQuantity revisionFlag changePercent changePreviousNumber settlementDate);
    my @paths;
    for my $date (0 .. $dates - 1) {
        my $day = day_of(10 * $date);
        my $digits = $day =~ tr/-//dr;
        my @lines = map {
            my ($now, $before, $volume) = (1000 + ($_ * 7919 + $date * 104_729) % 9_000_000, 1000 + ($_ * 7919 + ($date - 1) * 104_729) % 9_000_000, 50_000 + $_ % 4000);
            my $cover = $now / $volume;
            join('|', $digits, symbol_of($_), "Generated $_", 'A', 'NYSE', $now, $before, '', $volume,
                sprintf('%.2f', $cover < 1 ? 1 : $cover > 999.99 ? 999.99 : $cover), '', sprintf('%.2f', 100 * ($now - $before) / $before), $now - $before, $day) . "\n"
        } 0 .. $symbols - 1;
        push @paths, write_file("$folder/shrt$digits.csv", join('|', @columns) . "\n", @lines);
    }
    return @paths;
}

# A symbol of four letters and one that makes it nobody's.
sub symbol_of
{
    my ($number) = @_;
    return 'Q' . join '', map { chr(65 + $number / 26**$_ % 26) } 0 .. 3;
}

# A Form 13F data set: reports of one quarter, each of another manager, with so many rows.
sub made_13f_set
{
    my ($folder, $reports, $rows, %option) = @_;
    my ($from, $day, $period) = ($option{from} // 0, '14-AUG-2024', '30-JUN-2024');
    my (@submissions, @covers, @summaries, @table);
    for my $report ($from .. $from + $reports - 1) {
        my $cik = sprintf '%010d', $FIRST_CIK + 900_000 + $report;
        my $accession = "$cik-24-000001";
        my $total = 0;
        for my $row (0 .. $rows - 1) {
            my $security = ($report * 31 + $row * 7) % ($option{securities} // 6000);
            my ($shares, $price) = (100 + ($report * 17 + $row * 29) % 40_000, 5 + $security % 400);
            $total += $shares * $price;
            push @table, join("\t", $accession, scalar @table, "SECURITY $security INC", 'COM', cusip_of($security), $shares * $price, $shares, 'SH', 'SOLE', $shares, 0, 0) . "\n";
        }
        push @submissions, "$accession\t$day\t13F-HR\t$cik\t$period\n";
        push @covers, "$accession\t$period\tN\tManager $cik\t13F HOLDINGS REPORT\n";
        push @summaries, "$accession\t0\t$rows\t$total\n";
    }
    make_path($folder);
    write_file("$folder/SUBMISSION.tsv", "ACCESSION_NUMBER\tFILING_DATE\tSUBMISSIONTYPE\tCIK\tPERIODOFREPORT\n", @submissions);
    write_file("$folder/COVERPAGE.tsv", "ACCESSION_NUMBER\tREPORTCALENDARORQUARTER\tISAMENDMENT\tFILINGMANAGER_NAME\tREPORTTYPE\n", @covers);
    write_file("$folder/SUMMARYPAGE.tsv", "ACCESSION_NUMBER\tOTHERINCLUDEDMANAGERSCOUNT\tTABLEENTRYTOTAL\tTABLEVALUETOTAL\n", @summaries);
    write_file("$folder/INFOTABLE.tsv", join("\t", qw(ACCESSION_NUMBER INFOTABLE_SK NAMEOFISSUER TITLEOFCLASS CUSIP VALUE SSHPRNAMT SSHPRNAMTTYPE
        INVESTMENTDISCRETION VOTING_AUTH_SOLE VOTING_AUTH_SHARED VOTING_AUTH_NONE)) . "\n", @table);
    return $folder;
}

# Columns of the tables of an Insider Transactions Data Set; behind those of the last four each has one for its footnotes.
my %insider_columns = (
    SUBMISSION => 'ACCESSION_NUMBER FILING_DATE PERIOD_OF_REPORT DATE_OF_ORIG_SUB NO_SECURITIES_OWNED NOT_SUBJECT_SEC16 FORM3_HOLDINGS_REPORTED FORM4_TRANS_REPORTED DOCUMENT_TYPE'
        . ' ISSUERCIK ISSUERNAME ISSUERTRADINGSYMBOL REMARKS AFF10B5ONE',
    REPORTINGOWNER => 'ACCESSION_NUMBER RPTOWNERCIK RPTOWNERNAME RPTOWNER_RELATIONSHIP RPTOWNER_TITLE RPTOWNER_TXT',
    FOOTNOTES      => 'ACCESSION_NUMBER FOOTNOTE_ID FOOTNOTE_TXT',
);
my @insider_rows = qw(SECURITY_TITLE CONV_EXERCISE_PRICE TRANS_DATE DEEMED_EXECUTION_DATE TRANS_FORM_TYPE TRANS_CODE EQUITY_SWAP_INVOLVED TRANS_TIMELINESS TRANS_SHARES
    TRANS_TOTAL_VALUE TRANS_PRICEPERSHARE TRANS_ACQUIRED_DISP_CD EXCERCISE_DATE EXPIRATION_DATE UNDLYNG_SEC_TITLE UNDLYNG_SEC_SHARES UNDLYNG_SEC_VALUE
    SHRS_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS DIRECT_INDIRECT_OWNERSHIP NATURE_OF_OWNERSHIP);
for my $table (qw(NONDERIV_TRANS NONDERIV_HOLDING DERIV_TRANS DERIV_HOLDING)) {
    my @columns = map { $_ eq 'EXCERCISE_DATE' && $table eq 'DERIV_HOLDING' ? 'EXERCISE_DATE' : $_ } @insider_rows;
    $insider_columns{$table} = join ' ', 'ACCESSION_NUMBER', "${table}_SK", map { $_ eq 'TRANS_CODE' ? $_ : $_ eq 'EQUITY_SWAP_INVOLVED' ? ($_, 'EQUITY_SWAP_TRANS_CD_FN') : ($_, "${_}_FN") } @columns;
}

# So many Forms 4 as a data set, each with two transactions and one holding.
sub made_insider_set
{
    my ($folder, $forms, %option) = @_;
    my ($from, $key, %lines) = ($option{from} // 0, 0);
    for my $number ($from .. $from + $forms - 1) {
        my ($cik, $owner) = ($FIRST_CIK + ($option{base} // 100_000) + $number % ($option{companies} // 2000), $FIRST_CIK + 500_000 + $number % 5000);
        my $filed = day_of($number / 3 % 1800);
        my ($accession, $day) = (accession_of($owner, $filed, 100_000 + $number), american_month($filed));
        my ($shares, $price) = (100 + $number * 37 % 9000, 5 + $number * 13 % 400);
        my %row = (ACCESSION_NUMBER => $accession, SECURITY_TITLE => 'Common Stock', DIRECT_INDIRECT_OWNERSHIP => 'D');
        my $add = sub { my ($table, %more) = @_; push $lines{$table}->@*, { %row, %more } };
        $add->('SUBMISSION', FILING_DATE => $day, PERIOD_OF_REPORT => $day, DOCUMENT_TYPE => 4, ISSUERCIK => $cik, ISSUERNAME => "Generated $cik",
            ISSUERTRADINGSYMBOL => symbol_of($cik % 100_000), AFF10B5ONE => 0);
        $add->('REPORTINGOWNER', RPTOWNERCIK => $owner, RPTOWNERNAME => "Insider $owner", RPTOWNER_RELATIONSHIP => 'Director');
        $add->('NONDERIV_TRANS', NONDERIV_TRANS_SK => ++$key, TRANS_DATE => $day, TRANS_FORM_TYPE => 4, TRANS_CODE => $_->[0], EQUITY_SWAP_INVOLVED => 0,
            TRANS_SHARES => "$shares.0", TRANS_PRICEPERSHARE => "$price.0", TRANS_ACQUIRED_DISP_CD => $_->[1], SHRS_OWND_FOLWNG_TRANS => 5 * $shares . '.0') for ['P', 'A'], ['S', 'D'];
        $add->('NONDERIV_HOLDING', NONDERIV_HOLDING_SK => ++$key, SHRS_OWND_FOLWNG_TRANS => 3 * $shares . '.0');
    }
    return write_tables($folder, \%insider_columns, \%lines);
}

# The tables of a data set: columns, and rows as values by column.
sub write_tables
{
    my ($folder, $columns, $rows) = @_;
    make_path($folder);
    for my $table (sort keys %$columns) {
        my @columns = split / /, $columns->{$table};
        write_file("$folder/$table.tsv", join("\t", @columns) . "\n", map { join("\t", map { $_ // '' } @$_{@columns}) . "\n" } ($rows->{$table} // [])->@*);
    }
    return $folder;
}

my %fund_columns = (
    SUBMISSION            => 'ACCESSION_NUMBER FILING_DATE FILE_NUM SUB_TYPE REPORT_ENDING_PERIOD REPORT_DATE IS_LAST_FILING',
    REGISTRANT            => 'ACCESSION_NUMBER CIK REGISTRANT_NAME FILE_NUM LEI',
    FUND_REPORTED_INFO    => 'ACCESSION_NUMBER SERIES_NAME SERIES_ID SERIES_LEI TOTAL_ASSETS TOTAL_LIABILITIES NET_ASSETS',
    FUND_REPORTED_HOLDING => 'ACCESSION_NUMBER HOLDING_ID ISSUER_NAME ISSUER_LEI ISSUER_TITLE ISSUER_CUSIP BALANCE UNIT OTHER_UNIT_DESC CURRENCY_CODE CURRENCY_VALUE'
        . ' EXCHANGE_RATE PERCENTAGE PAYOFF_PROFILE ASSET_CAT OTHER_ASSET ISSUER_TYPE OTHER_ISSUER INVESTMENT_COUNTRY IS_RESTRICTED_SECURITY FAIR_VALUE_LEVEL DERIVATIVE_CAT',
    IDENTIFIERS           => 'HOLDING_ID IDENTIFIERS_ID IDENTIFIER_ISIN IDENTIFIER_TICKER OTHER_IDENTIFIER OTHER_IDENTIFIER_DESC',
);

# So many reports of funds as a data set, with so many holdings each; each of another registrant, or all of one trust.
sub made_fund_set
{
    my ($folder, $reports, $holdings, %option) = @_;
    my ($key, %lines) = (0);
    my %same = (UNIT => 'NS', CURRENCY_CODE => 'USD', BALANCE => 100, PERCENTAGE => '0.5', PAYOFF_PROFILE => 'Long', ASSET_CAT => 'EC', ISSUER_TYPE => 'CORP',
        INVESTMENT_COUNTRY => 'US', IS_RESTRICTED_SECURITY => 'N', FAIR_VALUE_LEVEL => 1, ISSUER_LEI => 'N/A');
    for my $series (map { $_ + ($option{from} // 0) } 0 .. $reports - 1) {
        my ($cik, $id, $total) = ($FIRST_CIK + 700_000 + ($option{trust} ? 0 : $series), sprintf('S9%08d', $series), 0);
        my $accession = accession_of($FIRST_CIK + 700_000 + $series, '2024-05-29', 1);
        my $add = sub { my ($table, %row) = @_; push $lines{$table}->@*, { ACCESSION_NUMBER => $accession, %row } };
        for (0 .. $holdings - 1) {
            my $security = ($series * 31 + $_ * 7) % ($option{securities} // 6000);
            my ($value, $name) = (1000 + ($series * 17 + $_ * 29) % 40_000, "SECURITY $security INC");
            $total += $value;
            $add->('FUND_REPORTED_HOLDING', %same, HOLDING_ID => ++$key, ISSUER_NAME => $name, ISSUER_TITLE => $name, ISSUER_CUSIP => cusip_of($security), CURRENCY_VALUE => $value);
            $add->('IDENTIFIERS', HOLDING_ID => $key, IDENTIFIERS_ID => $key, IDENTIFIER_TICKER => symbol_of($security));
        }
        $add->('SUBMISSION', FILING_DATE => '29-MAY-2024', SUB_TYPE => 'NPORT-P', REPORT_ENDING_PERIOD => '30-JUN-2024', REPORT_DATE => '31-MAR-2024', IS_LAST_FILING => 'N');
        $add->('REGISTRANT', CIK => $cik, REGISTRANT_NAME => "Generated Funds $cik", FILE_NUM => '811-99918');
        $add->('FUND_REPORTED_INFO', SERIES_NAME => "Generated Fund $series", SERIES_ID => $id, TOTAL_ASSETS => $total, TOTAL_LIABILITIES => 0, NET_ASSETS => $total);
    }
    return write_tables($folder, \%fund_columns, \%lines);
}

# 05-AUG-2024.
sub american_month
{
    my ($year, $month, $day) = split /-/, $_[0];
    return join '-', $day, (qw(JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC))[$month - 1], $year;
}

# -------------------------------------------------------------------------------------------- JSON

# CIK##########.json of so many companies, with so many filings each.
sub made_submissions
{
    my ($folder, $companies, $filings, %option) = @_;
    my $json = Disclosed::JSON->new->utf8->canonical;
    my @paths;
    for my $company (0 .. $companies - 1) {
        my $cik = sprintf '%010d', $FIRST_CIK + 100_000 + $company + ($option{from} // 0);
        my %recent;
        for my $number (0 .. $filings - 1) {
            my $day = day_of((7 * $number + $company) % 1800);
            push $recent{accessionNumber}->@*, accession_of($cik, $day, $number);
            push $recent{filingDate}->@*, $day;
            push $recent{acceptanceDateTime}->@*, sprintf '%sT%02d:%02d:10.000Z', $day, 14 + $number % 5, $number % 60;
            push $recent{form}->@*, my $form = (qw(8-K 10-Q 4 10-K 8-K/A))[$number % 5];
            push $recent{reportDate}->@*, $day;
            push $recent{items}->@*, $form =~ /8-K/ ? '2.02,9.01' : '';
            push $recent{act}->@*, '34';
            push $recent{fileNumber}->@*, '001-90001';
            push $recent{filmNumber}->@*, "24$number";
            push $recent{size}->@*, 10_000 + $number;
            push $recent{$_}->@*, 0 for qw(isXBRL isInlineXBRL);
            push $recent{primaryDocument}->@*, "d$number.htm";
            push $recent{primaryDocDescription}->@*, $form;
        }
        my %address = (street1 => '1 WAY', city => 'TOWN', stateOrCountry => 'CA', zipCode => '95014', stateOrCountryDescription => 'CA');
        push @paths, write_file("$folder/CIK$cik.json", $json->encode({
            cik => $cik, entityType => 'operating', sic => '3571', sicDescription => 'Electronic Computers', name => "Generated $cik",
            tickers => [symbol_of($company)], exchanges => ['NYSE'], ein => '999000001', description => '', website => '', category => 'Large accelerated filer',
            fiscalYearEnd => '0928', stateOfIncorporation => 'CA', addresses => { business => \%address, mailing => \%address }, phone => '',
            formerNames => [], filings => { recent => \%recent, files => [] } }));
    }
    return @paths;
}

# Files as two public projects have reports of Congress: so many trades in reports of ten.
sub made_senate
{
    my ($folder, $trades) = @_;
    my @rows = map {
        my $day = day_of($_ / 10 % 400);
        { transaction_date => american($day), owner => (qw(Self Spouse Joint))[$_ % 3], ticker => symbol_of($_ % 3000), asset_description => 'Generated ' . $_ % 3000,
            asset_type => 'Stock', type => $_ % 2 ? 'Purchase' : 'Sale (Full)', amount => '$15,001 - $50,000', comment => '--', senator => 'Ada Quill ' . chr(65 + $_ / 10 % 26),
            ptr_link => sprintf('https://efdsearch.senate.gov/search/view/ptr/a0010f4a-c31a-4824-8b6d-%012d/', $_ / 10) }
    } 0 .. $trades - 1;
    return write_file("$folder/all_transactions.json", Disclosed::JSON->new->utf8->canonical->encode(\@rows));
}

sub made_house
{
    my ($folder, $trades) = @_;
    my @rows = map {
        my $day = day_of(1300 + $_ / 10 % 400);
        { disclosure_date => american($day), transaction_date => american($day), owner => (qw(Self JT SP))[$_ % 3], ticker => symbol_of($_ % 3000),
            asset_description => 'Generated ' . $_ % 3000, type => $_ % 2 ? 'Purchase' : 'Sale (Partial)', amount => '$1,001 - $15,000',
            representative => 'Bo Carper ' . chr(65 + $_ / 10 % 26), district => 'TX0' . (1 + $_ / 10 % 9),
            source_url => sprintf('https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/%s/%d.pdf', substr($day, 0, 4), 20_000_000 + $_ / 10) }
    } 0 .. $trades - 1;
    return write_file("$folder/house_transactions.json", Disclosed::JSON->new->utf8->canonical->encode(\@rows));
}

sub american { my ($year, $month, $day) = split /-/, $_[0]; return "$month/$day/$year" }

# --------------------------------------------------------------------------------------------- XML

# So many Forms 4, each with two transactions and one holding.
sub made_ownership
{
    my ($folder, $forms, %option) = @_;
    my $from = $option{from} // 0;
    return map {
        my ($cik, $owner) = ($FIRST_CIK + ($option{base} // 100_000) + $_ % ($option{companies} // 2000), $FIRST_CIK + 500_000 + $_ % 5000);
        my $day = $option{day} // day_of($_ / 3 % 1800);
        write_file("$folder/" . accession_of($owner, $day, 100_000 + $_ % 800_000) . '.xml', ownership_form($_, $cik, $owner, $day))
    } $from .. $from + $forms - 1;
}

sub ownership_form
{
    my ($number, $cik, $owner, $day) = @_;
    my ($shares, $price) = (100 + $number * 37 % 9000, 5 + $number * 13 % 400);
    my $nature = '<ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature>';
    my $after = '<postTransactionAmounts><sharesOwnedFollowingTransaction><value>%d</value></sharesOwnedFollowingTransaction></postTransactionAmounts>';
    my $transactions = join '', map { sprintf(<<'END', $day, $_->[0], $shares, $price, $_->[1]) . sprintf($after, $shares * 5) . "$nature</nonDerivativeTransaction>\n" } ['P', 'A'], ['S', 'D'];
<nonDerivativeTransaction><securityTitle><value>Common Stock</value></securityTitle><transactionDate><value>%s</value></transactionDate>
<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>%s</transactionCode><equitySwapInvolved>0</equitySwapInvolved></transactionCoding>
<transactionAmounts><transactionShares><value>%s</value></transactionShares><transactionPricePerShare><value>%s</value></transactionPricePerShare>
<transactionAcquiredDisposedCode><value>%s</value></transactionAcquiredDisposedCode></transactionAmounts>
END
    my $holding = sprintf $after, $shares * 3;
    return <<"END";
<?xml version="1.0"?>
<ownershipDocument><schemaVersion>X0508</schemaVersion><documentType>4</documentType><periodOfReport>$day</periodOfReport>
<notSubjectToSection16>0</notSubjectToSection16>
<issuer><issuerCik>$cik</issuerCik><issuerName>Generated $cik</issuerName><issuerTradingSymbol>@{[ symbol_of($cik % 100_000) ]}</issuerTradingSymbol></issuer>
<reportingOwner><reportingOwnerId><rptOwnerCik>$owner</rptOwnerCik><rptOwnerName>Insider $owner</rptOwnerName></reportingOwnerId>
<reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>
<aff10b5One>0</aff10b5One>
<nonDerivativeTable>
$transactions<nonDerivativeHolding><securityTitle><value>Class B Stock</value></securityTitle>$holding$nature</nonDerivativeHolding>
</nonDerivativeTable>
<ownerSignature><signatureName>Insider $owner</signatureName><signatureDate>$day</signatureDate></ownerSignature>
</ownershipDocument>
END
}

# So many N-PORT reports, each of another series, with so many holdings.
sub made_funds
{
    my ($folder, $reports, $holdings, %option) = @_;
    return map { my $series = $_; write_file("$folder/" . accession_of($FIRST_CIK + 700_000 + $series, '2024-05-29', 1) . '.xml', fund_report($series, $holdings)) }
        map { $_ + ($option{from} // 0) } 0 .. $reports - 1;
}

sub fund_report
{
    my ($series, $holdings) = @_;
    my $cik = $FIRST_CIK + 700_000 + $series;
    my $id = sprintf '9%08d', $series;
    my $total = 0;
    my @rows = map {
        my $security = ($series * 31 + $_ * 7) % 6000;
        my $value = 1000 + ($series * 17 + $_ * 29) % 40_000;
        $total += $value;
        my ($name, $cusip) = ("SECURITY $security INC", cusip_of($security));
        "<invstOrSec><name>$name</name><lei>N/A</lei><title>$name</title><cusip>$cusip</cusip><identifiers><ticker value=\"@{[ symbol_of($security) ]}\"/></identifiers>"
            . "<balance>100</balance><units>NS</units><curCd>USD</curCd><valUSD>$value</valUSD><pctVal>0.5</pctVal><payoffProfile>Long</payoffProfile><assetCat>EC</assetCat>"
            . '<issuerCat>CORP</issuerCat><invCountry>US</invCountry><isRestrictedSec>N</isRestrictedSec><fairValLevel>1</fairValLevel>'
            . "<securityLending><isCashCollateral>N</isCashCollateral></securityLending></invstOrSec>\n"
    } 0 .. $holdings - 1;
    return <<"END", @rows, <<"END";
<?xml version="1.0" encoding="UTF-8"?><edgarSubmission xmlns="http://www.sec.gov/edgar/nport" xmlns:com="http://www.sec.gov/edgar/common">
<headerData><submissionType>NPORT-P</submissionType><isConfidential>false</isConfidential><filerInfo><filer><issuerCredentials><cik>$cik</cik></issuerCredentials></filer><seriesClassInfo><seriesId>S$id</seriesId><classId>C$id</classId></seriesClassInfo></filerInfo></headerData>
<formData><genInfo><regName>Generated Funds $cik</regName><regFileNumber>811-99918</regFileNumber><regCik>$cik</regCik><seriesName>Generated Fund $series</seriesName><seriesId>S$id</seriesId><repPdEnd>2024-06-30</repPdEnd><repPdDate>2024-03-31</repPdDate><isFinalFiling>N</isFinalFiling></genInfo>
<fundInfo><totAssets>$total</totAssets><totLiabs>0</totLiabs><netAssets>$total</netAssets></fundInfo>
<invstOrSecs>
END
</invstOrSecs>
<signature><dateSigned>2024-05-28</dateSigned><nameOfApplicant>Generated Funds</nameOfApplicant><signature>A</signature><signerName>A</signerName><title>T</title></signature></formData></edgarSubmission>
END
}

# So many Form 13F submissions of managers of a data set: amendments with new holdings, as EDGAR stores them.
sub made_13f_reports
{
    my ($folder, $reports, $rows, %option) = @_;
    return map { my $cik = sprintf '%010d', $FIRST_CIK + 900_000 + $_; write_file("$folder/$cik-24-000002.txt", amendment($cik, $_, $rows, $option{securities} // 6000)) }
        map { $_ + ($option{from} // 0) } 0 .. $reports - 1;
}

sub amendment
{
    my ($cik, $report, $rows, $securities) = @_;
    my ($total, @table) = (0);
    for my $row (0 .. $rows - 1) {
        my $security = ($report * 31 + $row * 7 + 3) % $securities;
        my $shares = 100 + ($report + $row * 29) % 40_000;
        my $value = $shares * (5 + $security % 400);
        $total += $value;
        push @table, "<infoTable><nameOfIssuer>SECURITY $security INC</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>@{[ cusip_of($security) ]}</cusip><value>$value</value>"
            . "<shrsOrPrnAmt><sshPrnamt>$shares</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt><investmentDiscretion>SOLE</investmentDiscretion></infoTable>\n";
    }
    my $cover = <<"END";
<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler" xmlns:com="http://www.sec.gov/edgar/common">
<headerData><submissionType>13F-HR/A</submissionType><filerInfo><filer><credentials><cik>$cik</cik></credentials></filer>
<periodOfReport>06-30-2024</periodOfReport></filerInfo></headerData>
<formData><coverPage><reportCalendarOrQuarter>06-30-2024</reportCalendarOrQuarter><isAmendment>true</isAmendment><amendmentNo>1</amendmentNo>
<amendmentInfo><amendmentType>NEW HOLDINGS</amendmentType></amendmentInfo>
<filingManager><name>Manager $cik</name></filingManager><reportType>13F HOLDINGS REPORT</reportType></coverPage>
<signatureBlock><signatureDate>08-20-2024</signatureDate></signatureBlock>
<summaryPage><otherIncludedManagersCount>0</otherIncludedManagersCount><tableEntryTotal>$rows</tableEntryTotal><tableValueTotal>$total</tableValueTotal></summaryPage></formData>
</edgarSubmission>
END
    my $number = 0;
    my $documents = join '', map { $number++; "<DOCUMENT>\n<TYPE>$_->[0]\n<SEQUENCE>$number\n<FILENAME>x.xml\n<TEXT>\n<XML>\n$_->[1]</XML>\n</TEXT>\n</DOCUMENT>\n" }
        ['13F-HR/A', $cover], ['INFORMATION TABLE', "<informationTable>\n@table</informationTable>\n"];
    return <<"END";
<SEC-DOCUMENT>$cik-24-000002.txt : 20240820
<SEC-HEADER>$cik-24-000002.hdr.sgml : 20240820
<ACCEPTANCE-DATETIME>20240820163005
ACCESSION NUMBER:		$cik-24-000002
CONFORMED SUBMISSION TYPE:	13F-HR/A
PUBLIC DOCUMENT COUNT:		2
CONFORMED PERIOD OF REPORT:	20240630
FILED AS OF DATE:		20240820

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			MANAGER
		CENTRAL INDEX KEY:			$cik
</SEC-HEADER>
$documents</SEC-DOCUMENT>
END
}

1;

# Files that are not what they are taken for: two joined into one, days before months, thousands as in Europe, prices as
# a calendar, the future. Nothing of them becomes other data. (Made input.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8;

sub import_text
{
    my ($source, $name, $text, @options) = @_;
    my ($code, $out, $err) = $site->control('import', $source, @options, $site->write($name, $text));
    return ($code, "$out$err" =~ s/^total of .*\n//mr);
}

sub refused
{
    my ($source, $name, $text, $reason, $what) = @_;
    my ($code, $told) = import_text($source, $name, $text);
    like("$code $told", qr/^1 .*\Q$name\E: failed, nothing of it is stored: \Q$reason\E\n/s, "$what is refused");
}

# Each [row, reason]; a reason of undef: the row is good.
sub rejects
{
    my ($source, $name, $header, @rows) = @_;
    my ($code, $told) = import_text($source, $name, join '', "$header\n", map { "$_->[0]\n" } @rows);
    my %reason = $told =~ /: line (\d+): rejected: (.*?) \(/g;
    is($reason{ $_ + 2 }, $rows[$_][1], "$rows[$_][0]: " . ($rows[$_][1] // 'good')) for 0 .. $#rows;
}

my %other = (header => 'another header: here begins another file, whose columns are others',
    day => 'a date has its day before its month: dates are YYYY-MM-DD, or MM/DD/YYYY in all of a file');

# --- submissions of another form -----------------------------------------------------------------------

# What they are is told, and not what is wrong with their text as XML.
for my $case (['SC 13G', "<html><p>Schedule&nbsp;13G<br>of before they were XML</p></html>\n"], ['10-Q', "<PAGE>\n<C> Sales & results\n"], ['144', "<XML>\n<?xml version=\"1.0\"?>\n<edgarSubmission></edgarSubmission>\n</XML>\n"]) {
    my ($form, $text) = @$case;
    my $submission = "<SEC-DOCUMENT>0009990001-24-000401.txt : 20240702\n<SEC-HEADER>0009990001-24-000401.hdr.sgml : 20240702\nACCESSION NUMBER:\t\t0009990001-24-000401\nCONFORMED SUBMISSION TYPE:\t$form\nFILED AS OF DATE:\t\t20240702\n\n"
        . "FILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\tNORTHLIGHT KETTLES INC\n\t\tCENTRAL INDEX KEY:\t0009990001\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>$form\n<SEQUENCE>1\n<TEXT>\n$text</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n";
    refused('sec-beneficial-ownership', 'form.txt', $submission, "the submission is a $form, no SCHEDULE 13D or 13G, as they are called since they are XML", "a $form as a schedule");
    refused('sec-nport', 'form.txt', $submission, "the submission is a $form, no Form N-PORT", "a $form as Form N-PORT");
}

# --- two files in one --------------------------------------------------------------------------------

my $header = 'symbol,exDate,amount,annualDividend';
refused('corporate-actions', 'joined.csv', "$header\nQA,2021-01-04,1,4\nsymbol,exDate,annualDividend,amount\nQB,2021-01-04,8,2\n",
    "line 3: $other{header}", 'a file whose columns change places');
refused('corporate-actions', 'joined.csv', "$header\nQA,2021-01-04,1,4\nticker,date,annualized_amount,dividend\nQB,2021-01-04,8,2\n",
    "line 3: $other{header}", '... and names');
my $finra = 'symbolCode|marketClassCode|currentShortPositionQuantity|previousShortPositionQuantity|averageDailyVolumeQuantity|daysToCoverQuantity|changePercent|settlementDate';
refused('finra-short-interest', 'joined.csv', "$finra\nQA|NNM|1000|900|500|2|11.11|2021-07-15\n" . $finra =~ s/current(\w+)\|previous\w+/previous$1|current$1/r
    . "\nQB|NNM|900|1000|500|2|11.11|2021-07-15\n", "line 3: $other{header}", 'FINRA\'s, joined');
my $calendar = 'symbol,name,reportDate,fiscalDateEnding';
refused('earnings-calendar', 'earnings-calendar.csv', "$calendar\nQA,Kettle,2026-01-05,2025-12-31\nsymbol,name,fiscalDateEnding,reportDate\nQB,Pan,2025-12-31,2026-01-05\n",
    "line 3: $other{header}", 'a calendar, joined');
rejects('corporate-actions', 'same.csv', $header, ['QA,2021-01-04,1,4'], [$header, 'the header again'], [uc $header, 'the header again'],
    ['AMOUNT,2021-01-05,1,4'], ['QB,2021-01-04,2,8']);
is($site->value("SELECT string_agg(symbol_code || ' ' || amount, ', ' ORDER BY symbol_code) FROM corporate_action"), 'AMOUNT 1, QA 1, QB 2', 'the same header again loses no row');

refused('corporate-actions', 'twice.csv', "symbol,exDate,amount,Amount\nQA,2021-01-04,1,4\n", 'two columns are named amount', 'a column twice');
refused('earnings-calendar', 'earnings-calendar.csv', "$calendar,Report Date\nQA,Kettle,2026-01-05,2025-12-31,2026-02-05\n", 'two columns are named reportdate', '... of a calendar');
my ($code, $told) = import_text('corporate-actions', 'other.csv', "symbol,exDate,amount,change,Change %\nQA,2021-01-04,1,4,5\n");
is($code, 0, 'two columns that are not taken may have one name') or diag $told;
($code, $told) = import_text('finra-short-interest', 'short_interest.json',
    '[{"symbolCode":"QA","marketClassCode":"NNM","settlementDate":"2021-07-15","currentShortPositionQuantity":1000,"currentShortPositionQuantity":5}]');
like($told, qr/record 1: rejected: it has currentshortpositionquantity twice/, 'a member twice');
refused('senate-ptr', 'all_transactions.json', '[{"owner":"Self","owner":"Spouse"}]', q{not JSON: line 1, column 24: duplicate object key near '"owner"'}, '... in a report of the Senate');
($code, $told) = import_text('sec-submissions', 'CIK0000000007.json', '{"cik":"7","cik":"8","name":"Kettle"}');
like("$code $told", qr/^1 .*duplicate object key/s, '... in submissions');

# Around lists of rows as in rows, lists and what is about them as well.
my $history = '"historical":[{"date":"2021-01-04","dividend":1}]';
for my $case (["{\"symbol\":\"QR\",\"symbol\":\"QS\",$history}", 'it has symbol twice'], ["{\"symbol\":\"QR\",\"symbol\":null,$history}", 'it has symbol twice'], ["{\"symbol\":\"QR\",$history,$history}", 'it has historical twice'],
    ["{\"data\":{\"symbol\":\"QR\",$history},\"data\":{\"symbol\":\"QS\",$history}}", 'it has data twice']) {
    refused('corporate-actions', 'around.json', $case->[0], $case->[1], $case->[0]);
}
($code, $told) = import_text('corporate-actions', 'around.json', "{\"symbol\":\"QT\",\"ticker\":\"QU\",$history}");
is("$code " . $site->value("SELECT string_agg(symbol_code, ' ') FROM corporate_action WHERE symbol_code ~ '^Q[R-U]'"), '0 QT', 'of two words for the symbol the first counts') or diag $told;

# A list is one whatever it begins with.
my $row_of = sub { my ($symbol) = @_; return "{\"symbol\":\"$symbol\",\"exDate\":\"2021-01-04\",\"amount\":1}" };
($code, $told) = import_text('corporate-actions', 'lists.json', '{"a":[null,' . $row_of->('QV') . '],"b":[' . $row_of->('QW') . '],"c":[1,"x",[]],"d":["x",{"e":1}]}');
like($told, qr/read 5, stored 2, unchanged 0, superseded 0, rejected 3\n.*a record 1: rejected: not a JSON object.*d record 1: rejected: not a JSON object.*d record 2: rejected: /s, 'a list that begins with null has its rows') or diag $told;
($code, $told) = import_text('corporate-actions', 'lists.json', '[' . $row_of->('QX') . ',1]');
like($told, qr/read 2, stored 1.*record 2: rejected: not a JSON object/s, '... and one that ends with a number');
($code, $told) = import_text('corporate-actions', 'lists.json', '{"a":[null,' . $row_of->('QY') . ',{"symbol"}],"b":[' . $row_of->('QZ') . ']}');
like("$code $told", qr/^1 .*failed, nothing of it is stored/s, '... and one that is damaged behind it refuses the file');

my $line = '"symbol_code":"QV","settlement_date":"2021-07-15","current_short_position":1000,"known_at":"2021-07-28T00:00:00Z"';
my $source = '"provenance":{"source_provider":"finra"}';
for my $case (['"dataset":"short_interest"', 'dataset'], ['"dataset":"kpi_metric"', 'dataset'], ['"provenance":{"source_provider":"sec"}', 'provenance'], ['"provenance":null', 'provenance'], ['"known_at":null', 'known_at'],
    ['"cik":null', 'cik'], ['"symbol_code":"QA"', 'symbol_code']) {
    for my $text ("\"dataset\":\"short_interest\",\"cik\":9990007,$source,$line,$case->[0]", "$case->[0],\"dataset\":\"short_interest\",\"cik\":9990007,$source,$line") {
        next if $text =~ /^"dataset":"kpi/;
        ($code, $told) = import_text('ndjson', 'twice.ndjson', "{$text}\n");
        like("$code $told", qr/^1 .*line 1: rejected: (?:$case->[1]: given twice|provenance: not an object)/s, "$case->[0] beside another");
    }
}
like((import_text('ndjson', 'twice.ndjson', '{"dataset":"short_interest","cik":9990007,"provenance":{"source_provider":null,"source_provider":"finra"},' . "$line}\n"))[1],
    qr/line 1: rejected: source_provider: given twice/, '... null and a provider');
my $member = '<Member><Last>Kettle</Last><FilingType>P</FilingType><StateDst>AL01</StateDst><Year>2023</Year><FilingDate>8/2/2023</FilingDate><DocID>20023000</DocID></Member>';
my $index = sub { return '<FinancialDisclosure>' . join('', @_) . '</FinancialDisclosure>' };
for my $element (qw(DocID FilingDate Year Last)) {
    my $twin = $member =~ s{(<$element>)(.*?)(</$element>)}{$1$2$3$1$2$3}r;
    like((import_text('house-ptr', '2023FD.xml', $index->($twin, $member)))[1], qr/read 2, stored [01], unchanged [01], superseded 0, rejected 1\n.*rejected: $element: given twice/s, "a line of the Clerk's index with two $element");
}

# --- days before months ------------------------------------------------------------------------------

refused('corporate-actions', 'days.csv', "symbol,exDate,amount\nQA,03/04/2021,1\nQB,25/12/2021,1\n", "line 3: $other{day}", 'a list with 25/12/2021');
refused('corporate-actions', 'pays.csv', "symbol,exDate,amount,paymentDate\nQA,03/04/2021,1,4/5/2021\nQB,05/12/2021,1,13/1/2022\n", "line 3: $other{day}", 'one with 13/1/2022 in another column');
refused('finra-short-interest', 'shrt.csv', "$finra\nQA|NNM|1000|900|500|2|11.11|01/07/2021\nQB|NNM|1000|900|500|2|11.11|15/07/2021\n", "line 3: $other{day}", 'FINRA\'s');
refused('earnings-calendar', 'earnings-calendar.csv', "$calendar\nQA,Kettle,03/04/2026,12/31/2025\nQB,Pan,05/04/2026,31/12/2025\n", "line 3: $other{day}", 'a calendar');
rejects('corporate-actions', 'texts.csv', 'symbol,exDate,amount', map { [ "QC,$_->[0],1", $_->[1] ] } ['2021-01-04 00:00:00'], ['1/4/2021 12:00:00 AM'], ['2021-01-04T00:00:00.000Z'],
    map { [$_, "not a date: $_"] } '2021-01-04 to 2021-03-01', '2021-01-04 2021-03-01', '2021-01-04Tx', '2021-01-04T25', '13/45/2021', '0000-01-01', '2021-02-30');

# --- numbers -----------------------------------------------------------------------------------------

my $row = 'QN|NNM|%s|%s|%s|%s|%s|2021-07-30';
rejects('finra-short-interest', 'shrt20210730.csv', $finra, map { [ sprintf($row, @$_[0 .. 4]), $_->[5] ] }
    ['1,234,567', '1,000', '5,000', '246.91', '12,345.60', undef],
    ['1000', '900', '500', '2,00', '11.11', 'stated_days_to_cover: not a decimal number'],
    ['1000', '900', '500', '2.00', '11,11', 'stated_change_pct: not a decimal number'],
    ['1,0,0,0', '900', '500', '2', '11.11', 'current_short_position: not a decimal number'],
    ['1,0000', '900', '500', '2', '11.11', 'current_short_position: not a decimal number'],
    ['1.234.567', '900', '500', '2', '11.11', 'points between the thousands of a number of shares'],
    ['1.234', '900', '500', '2', '11.11', 'points between the thousands of a number of shares'],
    ['1000', '900', '5.000', '2', '11.11', 'points between the thousands of a number of shares']);
is($site->value("SELECT current_short_position || ' ' || avg_daily_share_volume || ' ' || stated_change_pct FROM short_interest WHERE symbol_code = 'QN'"),
    '1234567 5000 12345.60', 'commas between thousands are read');
rejects('finra-short-interest', 'shrt20210730.csv', $finra, map { [ sprintf($row, @$_[0 .. 4]), $_->[5] ] }
    ['0,250', '900', '500', '2', '11.11', 'current_short_position: not a decimal number'],
    ['1e3', '900', '500', '2', '11.11', 'a position or its change is no whole number of shares'],
    ['1000.5', '900', '500', '2', '11.11', 'a position or its change is no whole number of shares'],
    ['1000', '9e2', '500', '2', '11.11', 'a position or its change is no whole number of shares']);
rejects('finra-short-interest', 'shrt20210715.csv', "$finra|changePreviousNumber", map { ["QZ|NNM|$_->[0]|2456982|1646442|1.56|4.65|2021-07-15|$_->[1]", $_->[2]] }
    ['2571122.0', '114140.00', undef], map { [@$_, 'a position or its change is no whole number of shares'] } ['2571122', '1.1414e5'], ['2571122', '114140.5'], ['2571122', 'x']);
is($site->value("SELECT current_short_position FROM short_interest WHERE symbol_code = 'QZ'"), '2571122', 'zeros behind the point of a number of shares are none of it');
rejects('corporate-actions', 'currencies.csv', 'symbol,exDate,amount,currency,annualDividend', ['QD,2021-01-04,1,USD,4'], ['QE,2021-01-04,1,,'], ['QE,2021-01-05,1,usd,N/A'],
    ['QE,2021-01-06,12,GBp,', q{not a currency's code: GBp}], ['QE,2021-01-07,12,pence,', q{not a currency's code: pence}], ['QE,2021-01-08,1,USD,4 USD', 'the amount is no number']);
rejects('corporate-actions', 'thousands.csv', 'symbol,exDate,amount', map { [qq{QD,2021-02-04,"$_"}, 'the amount is no number'] } '1,000', '0,250', '1,000.5');

# Amounts of Congress's trades may be numbers of JSON; what is neither text nor a number is no amount.
my %trade = (transaction_date => '11/10/2020', owner => 'Self', ticker => '--', asset_type => 'Stock', type => 'Purchase', comment => '--', senator => 'Ada L Quill',
    ptr_link => 'https://efdsearch.senate.gov/search/view/ptr/a0010f4a-c31a-4824-8b6d-000000000001/');
my @amounts = ('15000.5', '15000', '"15000.25"', 'null', 'true', '{"from":1001}', '[1]');
($code, $told) = import_text('senate-ptr', 'all_transactions.json', '[' . join(',', map { my $text = $json->encode({ %trade, asset_description => "Asset $_" }); my $amount = $amounts[$_]; $text =~ s/\}$/,"amount":$amount}/r } 0 .. $#amounts) . ']');
is(join(', ', $told =~ /(\[\d\]: rejected: [^(\n]+)/g) =~ s/ +(?=,|$)//gr, join(', ', map { "[$_]: rejected: amount: neither a string nor a number" } 4 .. 6), 'an amount that is neither text nor a number is rejected') or diag $told;
is($site->value("SELECT string_agg(coalesce(amount_range, '-'), ' ' ORDER BY asset_name) FROM congress_trade"), '15000.5 15000 15000.25 -', '... and a number is one, also with decimals');

# --- another kind of file ----------------------------------------------------------------------------

refused('earnings-calendar', 'prices.csv', "ticker,date,open,close,volume\nQA,2024-01-05,1,2,3\n", 'the header has no column reportDate', 'prices as a calendar');
refused('earnings-calendar', 'dividends.csv', "TICKER,DATE,AMOUNT\nQA,2024-01-05,1\n", 'the header has no column reportDate', 'dividends as a calendar');
($code, $told) = import_text('earnings-calendar', 'earnings-calendar.2026-01-02.csv', "symbol,date,EPS Estimate\nQA,2026-01-05,1\n");
is($code, 0, 'a date beside an estimate of earnings is a report\'s') or diag $told;

# --- numbers that no client reads ------------------------------------------------------------------------

($code, $told) = import_text('ndjson', 'large.ndjson', join '', map { $json->encode({ dataset => 'short_interest', cik => 9990007, symbol_code => 'QL', settlement_date => '2021-07-15',
    known_at => '2021-07-28T00:00:00Z', provenance => { source_provider => 'finra' } }) =~ s/\}$/,"current_short_position":$_}\n/r } '1E400', '1E300');
like($told, qr/line 1: rejected: current_short_position: a decimal number with too many digits/, 'a number beyond any double is rejected');
unlike($told, qr/line 2: rejected: current_short_position/, '... one within is not');

# --- the future --------------------------------------------------------------------------------------

($code, $told) = import_text('corporate-actions', 'future.csv', "symbol,exDate,amount\nQF,2021-01-04,1\n", '--known-at', '2399-01-01');
like("$code $told", qr/^2 .*--known-at lies in the future: 2399-01-01/s, '--known-at in the future is refused');
($code, $told) = import_text('corporate-actions', 'past.csv', "symbol,exDate,amount\nQF,2021-01-04,1\n", '--known-at', '1900-01-01');
like("$code $told", qr/^2 .*--known-at lies before 1976: 1900-01-01/s, '... and one of long ago');
refused('earnings-calendar', 'earnings-calendar.2399-01-01.csv', "$calendar\nQF,Kettle,2399-01-05,\n", q{the date in the file's name lies in the future}, 'a calendar of the future');
refused('sec-company-tickers', 'company_tickers.2399-01-01.json', '{"0":{"cik_str":7,"ticker":"QF","title":"Kettle"}}', q{the date in the file's name lies in the future}, 'tickers of the future');
($code, $told) = import_text('sec-company-tickers', 'company_tickers.json', '{"0":{"cik_str":7,"ticker":"QF","title":"Kettle"},"1":{"cik_str":8,"ticker":"QG","title":"Pan"}}');
is($code, 0, 'two companies are listed');
my %line = (dataset => 'executive', symbol => 'QF:US', name => 'Fenwick Tamsin', role => 'CEO', category => 'executives', person_rank => 1, is_current => JSON::PP::true,
    reported_on => '2026-01-01', provenance => { source_provider => 'issuer_page' });
for (['known_at: lies in the future', known_at => '2399-01-01'], ['known_at: lies in the future', known_at => '2399-01-01T00:00:00Z'], ['known_at: lies in the future', reported_on => '2399-01-01'],
    [q{symbol: another company's than the CIK's}, cik => 8]) {
    my ($reason, %changed) = @$_;
    ($code, $told) = import_text('ndjson', 'future.ndjson', $json->encode({ %line, %changed }) . "\n");
    like("$code $told", qr/^1 .*line 1: rejected: \Q$reason\E/s, "a line with @changed{keys %changed} as @{[keys %changed]} is rejected");
}
is($site->value('SELECT count(*) FROM executive'), 0, 'nobody is stored');
($code, $told) = import_text('ndjson', 'marked.ndjson', "\xEF\xBB\xBF" . $json->encode({ %line, cik => 7 }) . "\n");
is($code, 0, 'a line with the CIK of its symbol is good, as is a byte order mark before it') or diag $told;
my $form = '<ownershipDocument><documentType>4</documentType><periodOfReport>2399-01-01</periodOfReport><issuer><issuerCik>7</issuerCik><issuerName>Kettle</issuerName>'
    . '<issuerTradingSymbol>QF</issuerTradingSymbol></issuer><reportingOwner><reportingOwnerId><rptOwnerCik>9</rptOwnerCik><rptOwnerName>Tamsin Fenwick</rptOwnerName></reportingOwnerId>'
    . '<reportingOwnerRelationship><isOfficer>1</isOfficer></reportingOwnerRelationship></reportingOwner><nonDerivativeTable><nonDerivativeHolding><securityTitle><value>Common</value></securityTitle>'
    . '<postTransactionAmounts><sharesOwnedFollowingTransaction><value>5</value></sharesOwnedFollowingTransaction></postTransactionAmounts><ownershipNature><directOrIndirectOwnership><value>D</value>'
    . '</directOrIndirectOwnership></ownershipNature></nonDerivativeHolding></nonDerivativeTable><ownerSignature><signatureName>x</signatureName><signatureDate>2399-01-01</signatureDate></ownerSignature></ownershipDocument>';
($code, $told) = import_text('sec-ownership', 'form4.xml', $form);
like("$code $told", qr/^1 .*: failed, nothing of it is stored: neither a filing date nor a signature date is given: when it was public is not known$/m, 'a form that is signed in the future alone is refused');

# --- documents of one form that stand twice in a submission -------------------------------------------------

my %document = ('sec-ownership' => ['ownership-submission/form4', 'a second ownershipDocument'], 'sec-nport' => ['nport-submission/report', 'a second document of type NPORT-P'],
    'sec-beneficial-ownership' => ['beneficial-submission/13g', 'a second document of type SCHEDULE 13G'], 'sec-13f' => ['13f/holdings', 'a second document of type 13F-HR', 'a second document of type INFORMATION TABLE']);
for my $source (sort keys %document) {
    my ($seed, @reasons) = $document{$source}->@*;
    my $whole = slurp(build('SRCDIR') . "/t/fuzz/corpus/$seed");
    my @documents = $whole =~ m{(<DOCUMENT>.*?</DOCUMENT>\n?)}gs;
    is(scalar @documents, scalar @reasons, "$seed has documents");
    for my $i (0 .. $#reasons) {
        my $twice = $whole =~ s{\Q$documents[$i]\E}{$documents[$i] . $documents[$i] =~ s/<SEQUENCE>\K\d+/9/r}er;
        refused($source, '0009990001-24-000001.txt', $twice, "the submission has $reasons[$i]: which of them counts is not known", "a submission with $reasons[$i]");
    }
}

# --- elements that stand twice -------------------------------------------------------------------------

$form =~ s/2399-01-01/2026-01-05/g;
($code, $told) = import_text('sec-ownership', 'form4.xml', $form);
is($code, 0, 'the form of another day is good') or diag $told;
for my $element (qw(issuerCik documentType periodOfReport nonDerivativeTable signatureName signatureDate)) {
    my $twin = $form =~ s{(<$element>)(.*?)(</$element>)}{$1$2$3$1$2$3}r;
    refused('sec-ownership', 'form4.xml', $twin, "$element stands more than once", "a form with two $element");
}
for my $element (qw(rptOwnerCik rptOwnerName reportingOwnerId isOfficer reportingOwnerRelationship)) {
    my $twin = $form =~ s{(<$element>.*?</$element>)}{$1$1}r;
    refused('sec-ownership', 'form4.xml', $twin, "reportingOwner[1]: $element stands more than once", "a form with an owner of two $element");
}
my $noted = sub { my (@notes) = @_; return $form =~ s{(?=<ownerSignature>)}{'<footnotes>' . join('', map { "<footnote id=\"$_->[0]\">$_->[1]</footnote>" } @notes) . '</footnotes>'}er };
($code, $told) = import_text('sec-ownership', 'form4.xml', $noted->(['F1', 'Shares.'], ['F10', 'Shares.']));
is($code, 0, 'a form with two footnotes is good') or diag $told;
for my $text ('Shares.', 'Other shares.') {
    refused('sec-ownership', 'form4.xml', $noted->(['F1', 'Shares.'], ['F2', 'Votes.'], ['F1', $text]), 'footnote F1 stands more than once', "... and one with two footnotes F1, \"$text\",");
}
for my $element (qw(securityTitle value sharesOwnedFollowingTransaction postTransactionAmounts)) {
    my $twin = $form =~ s{(<$element>.*?</$element>)}{my $one = $1; $one . $one =~ s/5/6/r}er;
    ($code, $told) = import_text('sec-ownership', 'form4.xml', $twin);
    like("$code $told", qr/^1 .*stored 0.*rejected: $element stands more than once/s, "a row with two $element is rejected");
}

finish();

# Funds that hold a company: what is derived from reports on Form N-PORT, whichever order they come
# in, and the list that shows it. The reports are made here, by the SEC's technical specification.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Schema qw(schema_faults);

promises(
    list_fund_exposure => {
        parameters => [qw(symbol sort etfs_only cursor limit fields direction as_of)],
        fields => [qw(fund_ticker? fund_name weight? weight_pct? shares? market_value? as_of_date payoff_profile is_etf
            provenance)],
    },
);
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;
my $document = json_of($site->get('/v1/openapi.json'), 'the OpenAPI document');

sub import_lines
{
    my (@lines) = @_;
    my $path = $site->write('lines.ndjson', join '', map { $json->encode($_) . "\n" } @lines);
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $path);
    is($code, 0, scalar(@lines) . ' lines') or diag "$out$err";
    return $json->decode($out);
}

my %from = (provenance => { source_provider => 'issuer_page' });

sub listing
{
    my ($cik, $ticker, $name, %more) = @_;
    return { dataset => 'listing', cik => $cik, issuer_name => $name, known_at => '2020-01-01', %from, ticker => $ticker, market => 'US',
        name => $name, status => 'active', %more };
}

# --- reports -----------------------------------------------------------------------------------

my %usual = (name => 'N/A', lei => 'N/A', title => 'N/A', cusip => '000000000', balance => 1, units => 'NS', value => 0, pct => 0,
    payoff => 'Long', asset => 'EC', level => 1, country => 'US');

sub holding
{
    my (%h) = (%usual, @_);
    my $identifiers = join '', map { "<$_->[0] value=\"$_->[1]\"/>" } ($h{ids} // [])->@*;
    return "<n:invstOrSec><n:name>$h{name}</n:name><n:lei>$h{lei}</n:lei><n:title>$h{title}</n:title><n:cusip>$h{cusip}</n:cusip>"
        . '<n:identifiers>' . ($identifiers =~ s{<(\w)}{<n:$1}gr) . "</n:identifiers><n:balance>$h{balance}</n:balance><n:units>$h{units}</n:units>"
        . ($h{rate} ? "<n:currencyConditional curCd=\"EUR\" exchangeRt=\"$h{rate}\"/>" : '<n:curCd>USD</n:curCd>')
        . "<n:valUSD>$h{value}</n:valUSD>" . (defined $h{pct} ? "<n:pctVal>$h{pct}</n:pctVal>" : '')
        . "<n:payoffProfile>$h{payoff}</n:payoffProfile><n:assetCat>$h{asset}</n:assetCat>"
        . "<n:issuerCat>CORP</n:issuerCat><n:invCountry>$h{country}</n:invCountry><n:isRestrictedSec>N</n:isRestrictedSec>"
        . "<n:fairValLevel>$h{level}</n:fairValLevel>" . ($h{derivative} ? "<n:derivativeInfo><n:swapDeriv derivCat=\"$h{derivative}\"/></n:derivativeInfo>" : '')
        . "</n:invstOrSec>\n";
}

sub report
{
    my (%r) = (form => 'NPORT-P', net => 1000000, name => 'Larkspur Growth Fund', signed => '2000-01-01', classes => '', @_);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<n:edgarSubmission xmlns:n=\"http://www.sec.gov/edgar/nport\" xmlns:c=\"http://www.sec.gov/edgar/nportcommon\">\n"
        . "<n:headerData><n:submissionType>$r{form}</n:submissionType><n:filerInfo><n:filer><n:issuerCredentials><n:cik>$r{cik}</n:cik></n:issuerCredentials></n:filer></n:filerInfo></n:headerData>\n"
        . "<n:formData><n:genInfo><n:regName>Larkspur Trust</n:regName><n:regCik>$r{cik}</n:regCik><n:seriesName>$r{name}</n:seriesName>"
        . ($r{series} ? "<n:seriesId>$r{series}</n:seriesId>" : '')
        . "<n:repPdEnd>2024-12-31</n:repPdEnd><n:repPdDate>$r{day}</n:repPdDate><n:isFinalFiling>N</n:isFinalFiling></n:genInfo>\n"
        . "<n:fundInfo><n:totAssets>$r{net}</n:totAssets><n:totLiabs>0</n:totLiabs><n:netAssets>$r{net}</n:netAssets></n:fundInfo>\n"
        . '<n:invstOrSecs>' . join('', ($r{holdings} // [])->@*) . "</n:invstOrSecs>\n"
        . "<n:signature><c:dateSigned>$r{signed}</c:dateSigned></n:signature></n:formData></n:edgarSubmission>\n";
}

# The report in a full submission; its header may name classes.
sub submission
{
    my (%r) = @_;
    my $day = $r{filed} =~ s/-//gr;
    my $cik = sprintf '%010d', $r{cik};
    return "<SEC-DOCUMENT>$r{accession}.txt : $day\n<SEC-HEADER>$r{accession}.hdr.sgml : $day\n<ACCEPTANCE-DATETIME>${day}103000\n"
        . "ACCESSION NUMBER:\t\t$r{accession}\nCONFORMED SUBMISSION TYPE:\t" . ($r{form} // 'NPORT-P') . "\nFILED AS OF DATE:\t\t$day\n\n"
        . "FILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\t\t\tLarkspur Trust\n\t\tCENTRAL INDEX KEY:\t\t\t$cik\n\n"
        . ($r{classes} // '') . "</SEC-HEADER>\n<DOCUMENT>\n<TYPE>" . ($r{form} // 'NPORT-P') . "\n<SEQUENCE>1\n<FILENAME>primary_doc.xml\n<TEXT>\n<XML>\n"
        . report(%r) . "</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n";
}

my $files = 0;

sub import_files
{
    my (@paths) = @_;
    my ($code, $out, $err) = $site->control('import', 'sec-nport', '--json', @paths);
    my $summary = eval { $json->decode($out) } // {};
    return ($code, $summary, "$out$err");
}

# Imports texts in that order, each in a file; names are accession numbers where they are given.
sub import_texts
{
    my (@texts) = @_;
    my @paths;
    for my $one (@texts) {
        my ($name, $text) = ref $one ? @$one : ('', $one);
        $files++;
        mkdir "$site->{root}/nport-$files";
        push @paths, $site->write("nport-$files/" . ($name || 'primary_doc') . ($text =~ /^<SEC/ ? '.txt' : '.xml'), $text);
    }
    my ($code, $summary, $output) = import_files(@paths);
    is($code, 0, scalar(@texts) . ' reports are imported') or diag $output;
    return $summary;
}

my $path = '/v1/companies/ABCD/fund-exposure';
sub exposure { my ($query, $symbol) = @_; return json_of($site->get("/v1/companies/@{[$symbol // 'ABCD']}/fund-exposure" . ($query ? "?$query" : '')), 'exposure ' . ($query // '')) }

# --- one report --------------------------------------------------------------------------------

import_lines(
    listing(1000001, 'ABCD', 'Abcdale Works Inc', isin => 'US0378331005'),
    listing(1000002, 'EFGH', 'The Efghill Company'),
    listing(1000003, 'BRK-B', 'Brook Holdings Inc'),
    listing(2000001, 'LKSP', 'Larkspur Trust'),
);
my @first = (
    holding(name => 'ABCDALE WORKS INC', title => 'ABCDALE COM', cusip => '037833100', ids => [['isin', 'US0378331005'], ['ticker', 'ABCD']], balance => '1000.5', value => '25000.10', pct => '2.5000100'),
    holding(name => 'Abcdale Works', title => 'Abcdale pfd', ids => [['isin', 'US0378331005']], asset => 'EP', balance => 10, value => '1000', pct => '0.1'),
    holding(name => 'ABCDALE WORKS INC', title => 'ABCDALE 5% 2030', ids => [['isin', 'US0378331005']], asset => 'DBT', units => 'PA', balance => 50000, value => 49000, pct => 4.9),
    holding(name => 'N/A', title => 'TRS ABCDALE', ids => [['isin', 'US0378331005']], asset => 'DE', units => 'NC', balance => 1, value => -12, pct => '-0.0012', payoff => 'N/A', level => 'N/A', derivative => 'SWP'),
    holding(name => 'EFGHILL CO', title => 'EFGHILL CO', cusip => 'N/A', ids => [['ticker', 'efgh'], ['ticker', 'EFGH LN'], ['isin', 'N/A']], balance => 40, value => 400, pct => '0.04', rate => '0.91'),
    holding(name => 'SOMEBODY ELSE PLC', title => 'SOMEBODY ELSE', cusip => '12', ids => [['ticker', 'EFGH']], balance => 5, value => 50, pct => '0.005'),
    holding(name => 'BROOK HOLDINGS', title => 'Brook B', ids => [['ticker', 'BRK/B']], payoff => 'Short', balance => -20, value => -2000, pct => '-0.2'),
);
my $header = "<SERIES-AND-CLASSES-CONTRACTS-DATA>\n<EXISTING-SERIES-AND-CLASSES-CONTRACTS>\n<SERIES>\n<OWNER-CIK>0002000001\n<SERIES-ID>S000000001\n<SERIES-NAME>Larkspur Growth Fund\n"
    . "<CLASS-CONTRACT>\n<CLASS-CONTRACT-ID>C000000001\n<CLASS-CONTRACT-NAME>Investor Class\n</CLASS-CONTRACT>\n"
    . "<CLASS-CONTRACT>\n<CLASS-CONTRACT-ID>C000000002\n<CLASS-CONTRACT-NAME>Institutional Class\n<CLASS-CONTRACT-TICKER-SYMBOL>lkgrx\n</CLASS-CONTRACT>\n</SERIES>\n"
    . "</EXISTING-SERIES-AND-CLASSES-CONTRACTS>\n</SERIES-AND-CLASSES-CONTRACTS-DATA>\n";
my %growth = (cik => 2000001, series => 'S000000001');
my $one = submission(%growth, accession => '0000000001-24-000001', filed => '2024-05-29', day => '2024-03-31', holdings => \@first, classes => $header);
my $summary = import_texts(['0000000001-24-000001', $one]);
is("$summary->{read} $summary->{stored} $summary->{rejected}", '10 10 0', 'the report, seven holdings and two classes');
$summary = import_texts(['0000000001-24-000001', $one]);
is("$summary->{read} $summary->{stored} $summary->{unchanged}", '10 0 10', 'a second time nothing is stored');

my ($row) = $site->rows("SELECT src_digest, to_char(extracted_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.US') AS extracted, content_hash FROM fund_exposure_sourced e JOIN issuer i USING (issuer_id) WHERE i.cik = 1000001 AND superseded_at IS NULL");
my $extracted = $row->{extracted} =~ s/\.?0*\z//r;
my $issuer = $site->value('SELECT issuer_id FROM issuer WHERE cik = 1000001');
my $body = '{"fund_count":1,"alpha":true,"company":{"symbol":"ABCD:US","ticker":"ABCD","market":"US","name":"Abcdale Works Inc","cik":"0001000001","isin":"US0378331005","figi":null,"issuer_id":' . $issuer . '},'
    . '"data":[{"fund_ticker":"LKGRX","fund_name":"Larkspur Growth Fund","weight":0.026000100,"weight_pct":2.6000100,"shares":1010.5,"market_value":{"raw":26000.1,"normalized":26000.1,"unit":"USD","original_unit":"USD","conversion_factor":1},'
    . '"as_of_date":"2024-03-31","payoff_profile":"Long","is_etf":false,"provenance":{"src_id":"src_fund_exposure_' . $row->{src_digest} =~ s/-//gr . '","source_provider":"sec",'
    . '"source_url":"https://www.sec.gov/Archives/edgar/data/2000001/000000000124000001/0000000001-24-000001-index.htm","accession":"0000000001-24-000001","quote":null,"content_hash":"' . $row->{content_hash} . '","extracted_at":"' . $extracted . 'Z"}}],'
    . '"pagination":{"next_cursor":null,"has_more":false}}';
$body =~ s/(\d\.\d*?[1-9])0+(?=[,}])/$1/g;
is($site->get($path)->body, $body, 'common and preferred shares are summed; bonds and derivatives are not; byte for byte');
my $operation = $document->{paths}{'/v1/companies/{symbol}/fund-exposure'}{get}{responses}{200}{content}{'application/json'}{schema};
is_deeply([schema_faults(exposure(), $operation, $document)], [], 'the answer fits its schema');

my $source = json_of($site->get('/v1/src/src_fund_exposure_' . $row->{src_digest} =~ s/-//gr), 'the src_id resolves');
is($source->{record}{fund_name}, 'Larkspur Growth Fund', '... to the same record');
my @held = $site->rows('SELECT h.*, h.other_identifiers::text AS others, h.balance::text AS number FROM fund_holding h ORDER BY row_number');
is_deeply([map { $_->{symbol} // '-' } @held], ['ABCD:US', 'ABCD:US', '-', '-', 'EFGH:US', '-', 'BRK-B:US'],
    'by ISIN; by ticker and name; by a ticker whose company has another name not at all');
is_deeply([map { $_->{cusip} // '-' } @held], ['037833100', ('-') x 6], 'N/A, nine zeros and texts of another length are no CUSIP');
is($held[5]{others}, '[{"type": "cusip", "value": "12"}]', '... but the text is kept');
is($held[4]{others}, '[{"type": "ticker", "value": "EFGH LN"}]', 'a second ticker is kept, N/A is not');
is("$held[4]{currency} $held[4]{exchange_rate}", 'EUR 0.91', 'a currency with its rate');
is_deeply([@{$held[3]}{qw(payoff_profile fair_value_level derivative_category unit name)}], [undef, undef, 'SWP', 'NC', undef], 'a derivative is kept');
my $short = exposure('', 'BRK-B')->{data}[0];
is("$short->{weight} $short->{shares} $short->{market_value}{raw} $short->{payoff_profile}", '-0.002 -20 -2000 Short', 'a short position is negative');
is(exposure('', 'EFGH')->{fund_count}, 1, 'EFGH is held by one fund');
is($site->value("SELECT message FROM import_run WHERE status = 'done' AND source = 'sec-nport' ORDER BY import_run_id LIMIT 1"),
    '7 holdings of 73438.1 USD in all, 7.34381 % of net assets as filed; net assets 1000000 USD, total assets 1000000 USD; 0 weights differ from value / net assets
1 of 5 equity holdings found no listing, for example SOMEBODY ELSE PLC (ticker EFGH)',
    'the run tells the totals, and what belongs to nobody who is listed');

# --- reports replace each other, in whatever order they come -------------------------------------

# For the quarters: first, its amendment, second, an amendment of the first that is filed after the
# second. As of each instant one of them stands.
sub four_reports
{
    my ($cik, $series) = @_;
    my %same = (cik => $cik, series => $series, name => 'Order Fund');
    my $abcd = sub { my ($shares) = @_; holding(name => 'ABCDALE WORKS INC', ids => [['isin', 'US0378331005']], balance => $shares, value => $shares * 10, pct => $shares / 1000) };
    my $efgh = holding(name => 'EFGHILL CO', ids => [['ticker', 'EFGH']], balance => 7, value => 70, pct => '0.007');
    my $number = sub { sprintf '%010d-24-%06d', $cik, $_[0] };
    return (
        ['', submission(%same, accession => $number->(1), filed => '2024-05-30', day => '2024-03-31', holdings => [$abcd->(100), $efgh])],
        ['', submission(%same, accession => $number->(2), filed => '2024-06-10', day => '2024-03-31', form => 'NPORT-P/A', holdings => [$abcd->(110), $efgh])],
        ['', submission(%same, accession => $number->(3), filed => '2024-08-29', day => '2024-06-30', holdings => [$abcd->(200)])],
        ['', submission(%same, accession => $number->(4), filed => '2024-09-15', day => '2024-03-31', form => 'NPORT-P/A', holdings => [$abcd->(120), $efgh])],
    );
}

sub permutations
{
    my (@items) = @_;
    return [] if !@items;
    return map { my $i = $_; map { [$items[$i], @$_] } permutations(@items[grep { $_ != $i } 0 .. $#items]) } 0 .. $#items;
}

my @orders = permutations(0 .. 3);
my $cik = 3000000;
for my $order (@orders) {
    $cik++;
    my @reports = four_reports($cik, sprintf 'S%09d', $cik);
    import_texts(@reports[@$order]);
}
my $timeline = sub {
    my ($sql) = @_;
    my %found;
    push $found{$_->{cik}}->@*, $_->{line} for $site->rows($sql);
    my %different = map { (join("\n", @$_) => 1) } values %found;
    is(scalar(keys %found), scalar @orders, '... of each of ' . @orders . ' orders');
    is(scalar(keys %different), 1, '... are the same') or diag join "\n---\n", keys %different;
    return (values %found)[0];
};
my $utc = "to_char(%s AT TIME ZONE 'UTC', 'MM-DD HH24:MI')";
my $interval = join " || '..' || ", sprintf($utc, 't.known_at'), 'coalesce(' . sprintf($utc, 't.superseded_at') . ", '')";
is_deeply($timeline->("SELECT i.cik, t.report_date || ' ' || $interval AS line FROM fund t JOIN issuer i USING (issuer_id) WHERE i.cik > 3000000 ORDER BY t.known_at"),
    ['2024-03-31 05-30 14:30..06-10 14:30', '2024-03-31 06-10 14:30..08-29 14:30', '2024-06-30 08-29 14:30..', '2024-03-31 09-15 14:30..09-15 14:30'],
    'a report stands until one for the same or a later day; a late one for an earlier day never does');
is_deeply($timeline->("SELECT i.cik, t.balance || ' ' || $interval AS line FROM fund_holding t JOIN issuer i USING (issuer_id) WHERE i.cik > 3000000 ORDER BY t.known_at, t.row_number"),
    ['100 05-30 14:30..06-10 14:30', '7 05-30 14:30..06-10 14:30', '110 06-10 14:30..08-29 14:30', '7 06-10 14:30..08-29 14:30', '200 08-29 14:30..', '120 09-15 14:30..09-15 14:30', '7 09-15 14:30..09-15 14:30'],
    'holdings stand with their report');
is_deeply($timeline->("SELECT i.cik, c.ticker || ' ' || t.shares || ' ' || $interval AS line FROM fund_exposure t JOIN issuer i ON i.issuer_id = t.registrant_id JOIN issuer c ON c.issuer_id = t.issuer_id WHERE i.cik > 3000000 ORDER BY t.known_at, c.ticker"),
    ['ABCD 100 05-30 14:30..06-10 14:30', 'EFGH 7 05-30 14:30..06-10 14:30', 'ABCD 110 06-10 14:30..08-29 14:30', 'EFGH 7 06-10 14:30..08-29 14:30', 'ABCD 200 08-29 14:30..'],
    'so do exposures; a position that is gone is closed');
is($site->value('SELECT count(*) FROM (SELECT 1 FROM fund_exposure GROUP BY issuer_id, record_key HAVING count(DISTINCT id) > 1) x'), 0, 'one fund and company is one record');

sub counts_agree
{
    my ($name) = @_;
    my $wrong = $site->value("SELECT count(*) FROM (SELECT issuer_id, count(*) AS n FROM fund_exposure WHERE superseded_at IS NULL GROUP BY 1) c
        FULL JOIN (SELECT * FROM dataset_issuer_stat WHERE dataset = 'fund_exposure' AND record_count > 0) s USING (issuer_id) WHERE c.n IS DISTINCT FROM s.record_count");
    is($wrong, 0, "kept numbers are those of the rows, $name");
    is($site->value("SELECT record_count FROM dataset_stat WHERE dataset = 'fund_exposure'"), $site->value('SELECT count(*) FROM fund_exposure WHERE superseded_at IS NULL'), '... and in all');
}
counts_agree('after the reports');

for my $case (['2024-05-01', 0, 0], ['2024-06-01', 25, 100], ['2024-06-11T00:00:00Z', 25, 110], ['2024-08-30', 25, 200], ['2024-12-31', 25, 200]) {
    my ($time, $funds, $shares) = @$case;
    my $answer = exposure("as_of=$time&limit=500");
    is($answer->{fund_count}, $funds, "$funds funds as of $time");
    is(scalar $answer->{data}->@*, $funds, '... are listed');
    is_deeply([grep { $_->{fund_name} eq 'Order Fund' && $_->{shares} != $shares } $answer->{data}->@*], [], '... with what they held then');
}
is(exposure('', 'EFGH')->{fund_count}, 1, 'EFGH is left by the others');

# --- when a report was public ------------------------------------------------------------------

sub known { my ($condition) = @_; return $site->value("SELECT to_char(min(t.known_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM fund t JOIN issuer i USING (issuer_id) WHERE $condition") }
my $alone = report(cik => 4000001, series => 'S000000041', day => '2024-03-31', signed => '2024-05-20', holdings => [@first]);
my $late  = report(cik => 4000002, series => 'S000000042', day => '2024-03-31', signed => '2024-07-01', holdings => [$first[0]]);
import_texts(['', $alone], ['', $late]);
is(known('i.cik = 4000001'), '2024-05-31 03:59:59', 'a document alone: sixty days after its day, at the end of that day in New York');
is(known('i.cik = 4000002'), '2024-07-02 03:59:59', '... but not before it was signed');
my $before = exposure('limit=500')->{fund_count};
import_texts(['0000000004-24-000001', $alone]);
is($site->value("SELECT string_agg(coalesce(accession, 'alone') || CASE WHEN superseded_at = known_at THEN ' gone' ELSE '' END, ',' ORDER BY accession) FROM fund JOIN issuer USING (issuer_id) WHERE cik = 4000001"),
    '0000000004-24-000001,alone gone', 'the same document under its accession number takes its place');
is(exposure('limit=500')->{fund_count}, $before, '... and no fund counts twice');
$summary = import_texts(['', $alone]);
is("$summary->{read} $summary->{stored}", '8 0', 'the document alone is known by its content then');
import_lines({ dataset => 'filing', cik => 4000001, known_at => '2024-05-24T15:01:02Z', form => 'NPORT-P', filed_on => '2024-05-24', accepted_at => '2024-05-24T15:01:02Z',
    provenance => { source_provider => 'sec', accession => '0000000004-24-000001' } });
is(known("i.cik = 4000001 AND t.accession IS NOT NULL"), '2024-05-24 15:01:02', 'its filing tells the time');
is($site->value("SELECT count(*) FROM fund_holding WHERE accession = '0000000004-24-000001' AND known_at <> '2024-05-24T15:01:02Z'"), 0, '... to its holdings');
is(exposure('as_of=2024-05-25')->{fund_count}, 1, '... and to what is listed');
is(exposure('as_of=2024-05-24T15:01:01Z')->{fund_count}, 0, '... from then on');
$summary = import_texts(['0000000004-24-000001', $alone]);
is("$summary->{read} $summary->{stored}", '8 0', 'imported again it changes nothing');
counts_agree('after corrections');

# --- a listing that comes later ----------------------------------------------------------------

import_texts(['0000000005-24-000001', report(cik => 5000001, day => '2024-03-31', name => 'N/A', holdings => [holding(name => 'WXYZ LTD', ids => [['isin', 'US5949181045']], balance => 3, value => 30, pct => undef)])]);
is($site->value('SELECT count(*) FROM fund_holding WHERE symbol IS NULL AND company_id IS NULL AND isin = $$US5949181045$$'), 1, 'a holding of nobody who is listed is kept');
my $etag = $site->get($path)->header('etag');
import_lines(listing(1000009, 'WXYZ', 'Wxyz Limited', isin => 'US5949181045'), listing(5000001, 'LONE', 'Lone Fund'));
my $wxyz = exposure('', 'WXYZ');
is($wxyz->{fund_count}, 1, 'a listing finds the fund that holds it');
is("$wxyz->{data}[0]{fund_name}, $wxyz->{data}[0]{fund_ticker}", 'Larkspur Trust, LONE', 'a fund without a series has its registrant\'s name and ticker');
is("$wxyz->{data}[0]{weight_pct}", '0.003', 'a weight that is not filed is the value over the net assets');
counts_agree('after a listing');

# --- what a CUSIP is known to be ----------------------------------------------------------------

import_texts(['0000000005-24-000002', report(cik => 5000002, day => '2024-03-31', name => 'Cusip Fund', holdings => [holding(name => 'EFG', title => 'EFG COM', cusip => '02079K305', balance => 9, value => 90, pct => 1)])]);
is($site->value("SELECT coalesce(symbol, 'none') FROM fund_holding WHERE cusip = '02079K305'"), 'none', 'a CUSIP that nothing is known of');
my %stated = (dataset => 'security', cik => 1000002, known_at => '2024-01-01', %from, cusip => '02079K305', ticker => 'EFGH', market => 'US');
import_lines({ %stated, valid_from => '2010-01-01', valid_to => '2020-12-31' });
is($site->value("SELECT coalesce(symbol, 'none') FROM fund_holding WHERE cusip = '02079K305'"), 'none', '... that named somebody until before the report');
import_lines({ %stated, valid_from => '2024-01-01' });
is($site->value("SELECT symbol FROM fund_holding WHERE cusip = '02079K305'"), 'EFGH:US', '... and is stated to name a listing on its day');
is((grep { $_->{fund_name} eq 'Cusip Fund' } exposure('limit=500', 'EFGH')->{data}->@*)[0]{shares}, 9, '... whose company the fund then holds');
counts_agree('after a statement');

# --- names and tickers -------------------------------------------------------------------------

import_texts(['0000000006-24-000001', report(cik => 6000001, series => 'S000000061', day => '2024-03-31', name => 'Plain Index Fund', holdings => [$first[0]])],
    ['0000000006-24-000002', report(cik => 6000001, series => 'S000000062', day => '2024-03-31', name => 'Betwixt ETF', holdings => [$first[0]])],
    ['0000000006-24-000003', report(cik => 6000001, series => 'S000000063', day => '2024-03-31', name => 'Betfair Fund', holdings => [$first[0]])]);
import_lines({ dataset => 'fund_class', cik => 6000001, known_at => '2024-01-01', %from, class_id => 'C000000061', series_id => 'S000000061', name => 'Admiral', ticker => 'ADMX' },
    { dataset => 'fund_class', cik => 6000001, known_at => '2024-01-01', %from, class_id => 'C000000062', series_id => 'S000000061', name => 'ETF Shares', ticker => 'PLN' });
my %funds = map { ("$_->{fund_name}" => $_) } exposure('limit=500')->{data}->@*;
is_deeply([map { my $f = $funds{$_}; [$_, $f->{fund_ticker}, $f->{is_etf} ? 1 : 0] } 'Plain Index Fund', 'Betwixt ETF', 'Betfair Fund'],
    [['Plain Index Fund', 'PLN', 1], ['Betwixt ETF', undef, 1], ['Betfair Fund', undef, 0]], 'exchange-traded by its own name or that of a class, whose ticker is shown');

# The SEC's file of funds' tickers, in its own shape; the rows are made.
my $tickers = '{"fields":["cik","seriesId","classId","symbol"],"data":[[6000001,"S000000063","C000000063","BTFRX"],[6000001,"S000000063","C000000064",""],["x","S1","C000000065","NONE"],[6000001,"S000000063",null,"NONE"]]}';
my $ticker_file = $site->write('company_tickers_mf.2024-06-30.json', $tickers);
for my $time (1, 2) {
    my ($code, $out, $err) = $site->control('import', 'sec-fund-tickers', '--json', $ticker_file);
    my $result = $json->decode($out);
    is("$code $result->{read} $result->{stored} $result->{unchanged} $result->{rejected}", $time == 1 ? '1 4 2 0 2' : '1 4 0 2 2', "tickers of funds, time $time") or diag $err;
}
is((grep { $_->{fund_name} eq 'Betfair Fund' } exposure('limit=500')->{data}->@*)[0]{fund_ticker}, 'BTFRX', 'a fund has the ticker of its class from then on');
like(($site->control('import', 'sec-fund-tickers', $site->write('company_tickers_mf.json', '{"fields":["cik"],"data":[]}')))[2], qr/fields: there is no "seriesId"/, 'a field that is missing');
my (undef, $skipped) = $site->control('import', 'sec-company-tickers', "$site->{root}");
like($skipped, qr/company_tickers_mf/, 'the importer of companies passes the file over');

# --- the list ----------------------------------------------------------------------------------

# Sixty funds from NDJSON, with weights and values in different orders, some the same.
my @lines = listing(1000010, 'LIST', 'Listed Things Inc', isin => 'US0231351067');
for my $n (1 .. 60) {
    my %fund = (cik => 7000000 + $n % 7, issuer_name => 'Many Funds', known_at => '2024-05-01', %from);
    push @lines, { dataset => 'fund', %fund, fund_key => "fund-$n", name => "Fund $n", report_date => '2024-03-31', net_assets => 1000 * $n,
        ticker => "F$n", is_etf => $n % 3 ? JSON::PP::false : JSON::PP::true },
        { dataset => 'fund_holding', %fund, report_key => "fund-$n/2024-03-31", row_number => 1, name => 'Listed Things', isin => 'US0231351067', balance => $n, unit => 'NS',
        value => ($n * 37) % 50, weight_pct => ($n * 11) % 20, payoff_profile => 'Long', asset_category => 'EC' };
}
$summary = import_lines(@lines);
is("$summary->{read} $summary->{stored}", '121 121', 'sixty funds by NDJSON');
is(import_lines(@lines)->{stored}, 0, '... and again');

sub walk
{
    my ($query, %option) = @_;
    my ($cursor, @rows);
    do {
        my $answer = json_of($site->get("/v1/companies/LIST/fund-exposure?$query" . (defined $cursor ? "&cursor=$cursor" : ''), %option), "a page of $query");
        push @rows, $answer->{data}->@*;
        is($answer->{fund_count}, 60, '... fund_count is that of all funds') if $answer->{fund_count} != 60;
        $cursor = $answer->{pagination}{next_cursor};
    } while (defined $cursor && @rows < 500);
    return @rows;
}

my @all = walk('limit=500');
is(scalar @all, 60, 'all sixty');
for my $sort (qw(weight value)) {
    my $key = sub { my ($fund) = @_; return $sort eq 'weight' ? $fund->{weight_pct} : $fund->{market_value}{raw} };
    my @sorted = walk("sort=$sort&limit=500");
    is_deeply([map { $key->($_) } @sorted], [sort { $b <=> $a } map { $key->($_) } @all], "sort=$sort: greatest first");
    for my $limit (1, 7, 25, 60) {
        is_deeply([map { $_->{fund_name} } walk("sort=$sort&limit=$limit")], [map { $_->{fund_name} } @sorted], "... the same in pages of $limit");
    }
    is_deeply([map { $_->{fund_name} } walk("sort=$sort&limit=9&direction=asc")], [reverse map { $_->{fund_name} } @sorted], '... asc is the reverse');
    is_deeply([map { $_->{fund_name} } walk("sort=$sort&etfs_only=true&limit=4")], [map { $_->{fund_name} } grep { $_->{is_etf} } @sorted], '... etfs_only is a filter of the same');
    is_deeply([map { $_->{fund_name} } walk("sort=$sort&limit=500", key => 'free')], [map { $_->{fund_name} } @sorted], '... also in pages of a free plan');
}
is_deeply([walk('limit=500')], [walk('sort=weight&etfs_only=false&limit=500')], 'weight is the default, all funds are');
is(scalar json_of($site->get('/v1/companies/LIST/fund-exposure'), 'default')->{data}->@*, 50, 'fifty rows by default');
is(scalar json_of($site->get('/v1/companies/LIST/fund-exposure', key => 'free'), 'free')->{data}->@*, 25, 'twenty-five on a free key');
is($site->get("$path?limit=$_")->status, 422, "limit $_ is refused") for 0, 501;
my $cursor = json_of($site->get('/v1/companies/LIST/fund-exposure?limit=2'), 'a page')->{pagination}{next_cursor};
is($site->get("/v1/companies/LIST/fund-exposure?limit=2&sort=value&cursor=$cursor")->status, 422, 'a cursor belongs to its order');
is($site->get("/v1/companies/LIST/fund-exposure?limit=2&etfs_only=1&cursor=$cursor")->status, 422, '... and to its filter');
faults_is($site->get("$path?sort=size&etfs_only=perhaps"), [fault('literal_error', ['query', 'sort'], "Input should be 'weight' or 'value'", 'size', '{"expected":"\'weight\' or \'value\'"}'),
    fault('bool_parsing', ['query', 'etfs_only'], 'Input should be a valid boolean, unable to interpret input', 'perhaps')], 'faults of both');
problem_is($site->get('/v1/companies/NOBODY/fund-exposure'), 404, 'nobody', instance => '/v1/companies/NOBODY/fund-exposure', detail => not_found_company('NOBODY'));
same_json(exposure('', 'LKSP'), { %{ exposure('', 'LKSP') }, fund_count => 0, data => [], pagination => { next_cursor => undef, has_more => JSON::PP::false } }, 'a company that no fund holds');

# A correction of one holding moves one exposure.
import_lines({ dataset => 'fund_holding', cik => 7000001, known_at => '2024-07-01', %from, report_key => 'fund-1/2024-03-31', row_number => 1, name => 'Listed Things', isin => 'US0231351067',
    balance => 99, unit => 'NS', value => 37, weight_pct => 11, payoff_profile => 'Long', asset_category => 'EC' });
is_deeply([map { $_->{shares} } grep { $_->{fund_name} eq 'Fund 1' } walk("limit=500$_")], [$_ ? 1 : 99], "a corrected holding, $_") for '', '&as_of=2024-06-01';
counts_agree('after a correction');

# --- what is traded abroad, what is not stated, and funds of funds ------------------------------

import_lines(
    listing(9100001, 'AMSC', 'AMERICAN SUPERCONDUCTOR CORP /DE/'), listing(9100002, 'SHOP', 'Shopify Inc.'), listing(9100003, 'ACN', 'Accenture plc'),
    listing(9100004, 'UTHR', 'UNITED THERAPEUTICS Corp'), listing(9100005, 'PART', 'Partly Stated Inc', isin => 'US0846707026'));
my %abroad = (cik => 9200001, series => 'S000000921', name => 'Fund Abroad', day => '2024-03-31');
my $abroad = report(%abroad, holdings => [
    holding(name => 'American Shipping Co ASA', title => 'American Shipping Co ASA', ids => [['isin', 'NO0010272065'], ['ticker', 'AMSC']], balance => 1000, value => 5000, pct => '0.5', rate => '10.7', country => 'NO'),
    holding(name => 'United Overseas Bank Ltd', title => 'United Overseas Bank', ids => [['isin', 'SG1M31001969'], ['ticker', 'UTHR']], balance => 10, value => 200, pct => '0.02', country => 'SG'),
    holding(name => 'United Overseas Bank Ltd', title => 'United Overseas Bank', ids => [['ticker', 'UTHR']], balance => 10, value => 200, pct => '0.02', rate => '1.3', country => 'SG'),
    holding(name => 'SHOPIFY INC', title => 'SHOPIFY INC CL A SUB VTG', ids => [['isin', 'CA82509L1076'], ['ticker', 'SHOP']], balance => 30, value => 2000, pct => '0.2', rate => '1.36', country => 'CA'),
    holding(name => 'ACCENTURE PLC', title => 'ACCENTURE PLC-CL A', ids => [['isin', 'IE00B4BNMY34'], ['ticker', 'ACN']], balance => 4, value => 1200, pct => '0.12', country => 'IE'),
    holding(name => 'American Superconductor', title => 'AMSC', ids => [['ticker', 'AMSC']], balance => 7, value => 90, pct => '0.009')]);
import_texts($abroad);
my $of_abroad = "SELECT h.symbol FROM fund_holding h JOIN issuer i USING (issuer_id) WHERE i.cik = 9200001 AND h.superseded_at IS NULL ORDER BY h.row_number";
is_deeply([map { $_->{symbol} // '-' } $site->rows($of_abroad)], ['-', '-', '-', 'SHOP:US', 'ACN:US', 'AMSC:US'],
    'a ticker and a first word are not enough abroad: in another currency, or under a foreign ISIN');
is(join(' ', map { "$_->{fund_name} $_->{shares}" } exposure('', 'AMSC')->{data}->@*), 'Fund Abroad 7', '... so that the fund has what is listed here alone');
import_lines(listing(9100001, 'AMSC', 'AMERICAN SUPERCONDUCTOR CORP /DE/', isin => 'US0301112076', known_at => '2021-01-01'), listing(9100006, 'UTHR', 'United Overseas Bank Limited', known_at => '2021-01-01'));
is_deeply([map { $_->{symbol} // '-' } $site->rows($of_abroad)], ['-', 'UTHR:US', 'UTHR:US', 'SHOP:US', 'ACN:US', 'AMSC:US'], '... also after listings that are loaded later, and the name in full is found');

my @part = (ids => [['isin', 'US0846707026']], title => 'PARTLY');
import_texts(report(cik => 9200002, series => 'S000000922', name => 'Without A Balance', day => '2024-03-31', holdings => [holding(@part, balance => 5, value => 50, pct => '0.005'), holding(@part, balance => 'N/A', value => 100, pct => '0.01')]),
    report(cik => 9200003, series => 'S000000923', name => 'Without A Value', day => '2024-03-31', holdings => [holding(@part, balance => 5, value => 50, pct => '0.005'), holding(@part, balance => 10, value => 'N/A', pct => '0.01')]));
is_deeply({ map { $_->{fund_name} => [$_->{shares}, $_->{market_value} && $_->{market_value}{raw}, $_->{weight_pct}] } exposure('', 'PART')->{data}->@* },
    { 'Without A Balance' => [undef, 150, 0.015], 'Without A Value' => [15, undef, 0.015] }, 'a sum of which one part is not stated is not stated');

my @named = ('Morningstar Balanced ETF Asset Allocation Portfolio', 'Fund of ETFs Growth', 'Exchange-Traded Funds Income Fund', 'Non-ETF Fund', 'Cambria Global Asset Allocation ETF', 'Qord S&amp;P 500 ETF Trust',
    'Active Exchange-Traded Fund');
import_texts(map { report(cik => 9300000 + $_, series => sprintf('S%09d', 9300 + $_), name => $named[$_], day => '2024-03-31', holdings => [holding(@part, balance => 1, value => 1, pct => '0.001')]) } 0 .. $#named);
is_deeply([sort map { $_->{fund_name} } exposure('etfs_only=true', 'PART')->{data}->@*], ['Active Exchange-Traded Fund', 'Cambria Global Asset Allocation ETF', 'Qord S&P 500 ETF Trust'], 'a fund that holds exchange-traded funds is none');

# --- files that are none -----------------------------------------------------------------------

my $whole = report(%growth, day => '2024-06-30', holdings => [@first]);
for my $case (
    ['cut off', substr($whole, 0, 3000), qr/line \d+: /],
    ['empty', '', qr/empty/],
    ['not XML', "ACCESSION_NUMBER\tFILING_DATE\n", qr/line 1: Document is empty/],
    ['a document type', $whole =~ s/\?>/?>\n<!DOCTYPE a [<!ENTITY b "c">]>/r, qr/document type/],
    ['another form', $whole =~ s/NPORT-P/NPORT-NP/r, qr/NPORT-NP: NPORT-P and NPORT-P\/A alone are public/],
    ['another root', '<ownershipDocument/>', qr/ownershipDocument, not edgarSubmission/],
    ['no day', $whole =~ s{<n:repPdDate>.*?</n:repPdDate>}{}r, qr/no repPdDate/],
    ['no series name', $whole =~ s{<n:seriesName>.*?</n:seriesName>}{}r, qr/there is no seriesName/],
    ['no series number', $whole =~ s{(</n:filer>)}{$1<n:seriesClassInfo><n:seriesId>S000000001</n:seriesId></n:seriesClassInfo>}r =~ s{(</n:seriesName>)<n:seriesId>.*?</n:seriesId>}{$1}r,
        qr/the header names a series, and genInfo has no seriesId/],
    ['no registrant', $whole =~ s{<n:(regCik|cik)>.*?</n:\1>}{}gr, qr/no regCik/],
    ['assets that are none', $whole =~ s{<n:netAssets>\d+}{<n:netAssets>lots}r, qr/line \d+: netAssets "lots" is not a number/],
) {
    my ($name, $text, $reason) = @$case;
    my ($code, $result, $output) = import_files($site->write('broken.xml', $text));
    is($code, 1, "$name: refused");
    like($output, $reason, '... with the reason');
    is($result->{stored} // 0, 0, '... and nothing is stored');
}
my ($code, $result, $output) = import_files($site->write('faulty.xml', report(cik => 8000001, day => '2024-06-30', holdings => [$first[0], holding(balance => 'many'), holding(units => 'XX'), holding(level => 7)])));
is("$code $result->{read} $result->{stored} $result->{rejected}", '1 5 2 3', 'faulty holdings are rejected one by one');
like($output, qr/line \d+: invstOrSec 2.*balance "many" is not a number/, '... with line, place and reason');

finish();

# Facts of a filing that several files have: the filing's own instance, companyfacts, and the financial statement data sets. What they have
# in common is one fact, with its sources; where they differ all are kept, and the instance's is taken. Metrics take one report of a filing.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test qw(without_cache);
use Disclosed::JSON ();

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_bignum;

# A report's line: facts are [concept, unit, start, end, amount, dimensions, decimals].
sub report
{
    my ($cik, $number, $told_by, $facts, %more) = @_;
    my $accession = sprintf '%010d-24-%06d', $cik, $number;
    my @columns = qw(concepts units start_dates end_dates amounts dimensions decimals);
    my %arrays = map { my $i = $_; ($columns[$i] => [map { $_->[$i] // '' } @$facts]) } 0 .. ($told_by eq 'companyfacts' ? 4 : 6);
    return { dataset => 'xbrl_report', cik => $cik, record_key => "$accession/$told_by", told_by => $told_by, form => '10-Q', filed_on => '2024-05-01',
        known_at => '2024-05-01T12:00:00Z', provenance => { source_provider => 'sec', accession => $accession }, %arrays, %more };
}

sub load
{
    my ($name, @lines) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write($name, join '', map { $json->encode($_) . "\n" } @lines));
    is($code, 0, $name) or diag $out, $err;
    return;
}

sub rejection
{
    my (@lines) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('wrong.ndjson', join '', map { $json->encode($_) . "\n" } @lines));
    return $site->value('SELECT reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)');
}

sub reports { my ($accession, $query) = @_; return json_of($site->get("/v1/filings/$accession/facts" . ($query // '')), "facts of $accession")->{data} }

sub shown { return [map { my $fact = $_; join '|', (map { $fact->{$_} // '-' } qw(concept unit start_date end_date value decimals)),
    join(',', map { "$_->{axis}=$_->{member}" } $fact->{dimensions}->@*), join(',', $fact->{sources}->@*), map { $fact->{$_} ? 'yes' : 'no' } qw(differs rounded) } @{$_[0]}] }

# --- three sources ----------------------------------------------------------------------------

my @listing = map { {dataset => 'listing', cik => $_, ticker => "F$_", market => 'US', name => "Facts $_", status => 'active', known_at => '2020-01-01T00:00:00Z', provenance => { source_provider => 'sec', source_url => 'https://www.sec.gov/x' }} } 7401, 7402, 7403;
my @quarter = ('2023-12-31', '2024-03-30');
my $product = 'srt:ProductOrServiceAxis=own:ShipsMember';
my $instance = report(7401, 1, 'instance', [
    ['us-gaap:Assets', 'USD', '', '2024-03-30', '500', '', '-6'],
    ['us-gaap:EarningsPerShareBasic', 'USD/shares', @quarter, '1.23456', '', 'INF'],
    ['us-gaap:Liabilities', 'USD', '', '2024-03-30', '70', '', '0'],
    ['us-gaap:Revenues', 'USD', @quarter, '100', '', '-3'],
    ['us-gaap:Revenues', 'USD', @quarter, '60', $product, '-3'],
    ['us-gaap:Revenues', 'USD', @quarter, '40', "$product;us-gaap:StatementBusinessSegmentsAxis=own:NorthMember", ''],
    ['us-gaap:Revenues', 'USD', '2024-03-03', '2024-03-30', '35', '', '-3'],
]);
my $companyfacts = report(7401, 1, 'companyfacts', [
    ['us-gaap:Assets', 'USD', '', '2024-03-30', '500.0'],
    ['us-gaap:Liabilities', 'USD', '', '2024-03-30', '71'],
    ['us-gaap:Revenues', 'USD', @quarter, '100'],
]);
my $data_set = report(7401, 1, 'data_set', [
    ['us-gaap:Assets', 'USD', '', '2024-03-31', '500'],
    ['us-gaap:EarningsPerShareBasic', 'USD/shares', '2024-01-01', '2024-03-31', '1.2346'],
    ['us-gaap:Liabilities', 'USD', '', '2024-03-31', '72'],
    ['us-gaap:Revenues', 'USD', '2024-01-01', '2024-03-31', '100'],
    ['us-gaap:Revenues', 'USD', '2024-01-01', '2024-03-31', '60', 'ProductOrService=Ships'],
    ['us-gaap:Revenues', 'USD', '2024-01-01', '2024-03-31', '40', 'BusinessSegments=North;ProductOrService=Ships'],
    ['own:Alone', 'USD', '', '2024-03-31', '9'],
]);
my @merged = (
    'own:Alone|USD|-|2024-03-31|9|-||data_set|no|yes',
    'us-gaap:Assets|USD|-|2024-03-30|500|-6||instance,companyfacts,data_set|no|no',
    'us-gaap:EarningsPerShareBasic|USD/shares|2023-12-31|2024-03-30|1.23456|INF||instance,data_set|no|no',
    'us-gaap:Liabilities|USD|-|2024-03-30|70|0||instance|yes|no',
    'us-gaap:Liabilities|USD|-|2024-03-30|71|-||companyfacts|yes|no',
    'us-gaap:Liabilities|USD|-|2024-03-31|72|-||data_set|yes|yes',
    'us-gaap:Revenues|USD|2023-12-31|2024-03-30|100|-3||instance,companyfacts,data_set|no|no',
    'us-gaap:Revenues|USD|2024-03-03|2024-03-30|35|-3||instance|no|no',
    "us-gaap:Revenues|USD|2023-12-31|2024-03-30|60|-3|srt:ProductOrServiceAxis=own:ShipsMember|instance,data_set|no|no",
    "us-gaap:Revenues|USD|2023-12-31|2024-03-30|40|-|srt:ProductOrServiceAxis=own:ShipsMember,us-gaap:StatementBusinessSegmentsAxis=own:NorthMember|instance,data_set|no|no",
);
my $accession = '0000007401-24-000001';
load('data-set.ndjson', @listing, $data_set);
is($site->value(q{SELECT json_agg(value ORDER BY metric_key)::text FROM fundamental t JOIN issuer i USING (issuer_id) WHERE i.cik = 7401 AND metric_key IN ('assets', 'liabilities') AND superseded_at IS NULL}), '[500, 72]', 'the data set is taken where it is alone');
my ($report) = reports($accession)->@*;
is((grep { !$_->{rounded} || $_->{sources}[0] ne 'data_set' || $_->{differs} } $report->{facts}->@*), 0, '... and its dates are rounded');
load('companyfacts.ndjson', $companyfacts);
load('instance.ndjson', $instance);
my @reports = reports($accession)->@*;
is(scalar @reports, 1, 'a filing of three sources is one report');
same_json([map { $_->{source} } $reports[0]{sources}->@*], [qw(instance companyfacts data_set)], '... with all of them');
is($reports[0]{sources}[0]{src_id}, $reports[0]{provenance}{src_id}, '... of which the instance is named first');
same_json(shown($reports[0]{facts}), \@merged, 'what they have in common is one fact');
same_json(shown(reports($accession, '?concepts=us-gaap:Liabilities')->[0]{facts}), [grep { /Liabilities/ } @merged], '... also of one element');
is(json_of($site->get("/v1/src/$_->{src_id}"), $_->{source})->{resolvable}, JSON::PP::true, "... the $_->{source} resolves") for $reports[0]{sources}->@*;
same_json([map { $_->{value} } $site->rows(q{SELECT value::text FROM fundamental t JOIN issuer i USING (issuer_id) WHERE i.cik = 7401 AND superseded_at IS NULL AND metric_key IN ('assets', 'liabilities', 'revenue') ORDER BY metric_key})], [qw(500 70 100)], 'metrics take the instance');
is($site->value(q{SELECT count(*) FROM fundamental t JOIN issuer i USING (issuer_id) WHERE i.cik = 7401 AND superseded_at IS NULL AND end_date = '2024-03-31'}), 0, '... and nothing of the rounded dates');
same_json([map { $_->{fact_count} } json_of($site->get('/api/disclosed/v1/metrics/F7401/concepts'), 'elements')->@*], [2, (1) x 3], 'elements are counted once, and without those of parts of the company');
same_json([map { $_->{value} } json_of($site->get('/api/disclosed/v1/metrics/F7401/series?concept=us-gaap:Revenues'), 'series')->@*], [100], '... and so is their series');

# --- the order of loading decides nothing -----------------------------------------------------

sub state_of { my ($cik) = @_; return $site->value("SELECT json_agg(row_to_json(f) ORDER BY f.record_key, f.known_at)::text FROM (SELECT record_key, known_at, superseded_at, value, start_date, end_date, rule, verified_at FROM fundamental JOIN issuer USING (issuer_id) WHERE cik = $cik) f") }

for my $case ([7402, $instance, $data_set, $companyfacts], [7403, $companyfacts, $instance, $data_set]) {
    my ($cik, @lines) = @$case;
    for my $line (@lines) {
        my %copy = %$line;
        my $own = sprintf '%010d-24-000001', $cik;
        @copy{qw(cik record_key provenance)} = ($cik, "$own/$copy{told_by}", { source_provider => 'sec', accession => $own });
        load("$cik $copy{told_by}", \%copy);
    }
    same_json(shown(reports(sprintf '%010d-24-000001', $cik)->[0]{facts}), \@merged, "the same facts in the order of $cik");
    is(state_of($cik), state_of(7401), '... and the same metrics');
}

# --- a data set beside other filings of the issuer --------------------------------------------

load('year-before.ndjson', { %{report(7404, 1, 'data_set', [['us-gaap:Revenues', 'USD', '2023-01-01', '2023-03-31', '50'], ['us-gaap:Assets', 'USD', '', '2023-03-31', '8'], ['us-gaap:Assets', 'USD', '', '2022-12-31', '7']])}, filed_on => '2023-05-01', known_at => '2023-05-01T12:00:00Z' },
    { dataset => 'listing', cik => 7404, ticker => 'F7404', market => 'US', name => 'Facts 7404', status => 'active', known_at => '2020-01-01T00:00:00Z', provenance => { source_provider => 'sec', source_url => 'https://www.sec.gov/x' } });
sub numbers { return [map { join '|', map { $_ // '-' } $_->@{qw(metric_key start_date end_date value filings)} } $site->rows(q{SELECT metric_key, start_date, end_date, value::text, verified_at IS NOT NULL AS filings FROM fundamental JOIN issuer USING (issuer_id) WHERE cik = 7404 AND superseded_at IS NULL AND metric_key IN ('revenue', 'assets') ORDER BY 1, 3})] }
same_json(numbers(), ['assets|-|2022-12-31|7|0', 'assets|-|2023-03-31|8|0', 'revenue|2023-01-01|2023-03-31|50|0'], 'periods of a data set that stands alone');
load('year-after.ndjson', report(7404, 2, 'companyfacts', [['us-gaap:Revenues', 'USD', '2023-01-01', '2023-04-01', '50'], ['us-gaap:Revenues', 'USD', '2023-12-31', '2024-03-30', '60'], ['us-gaap:Assets', 'USD', '', '2022-12-31', '7']]));
same_json(numbers(), ['assets|-|2022-12-31|7|1', 'assets|-|2023-03-31|8|0', 'revenue|2023-01-01|2023-04-01|50|1', 'revenue|2023-12-31|2024-03-30|60|0'], '... are those that the issuer names, once it does');

# --- what is no report ------------------------------------------------------------------------

my @fact = ('us-gaap:Assets', 'USD', '', '2024-03-30', '1');
my $places = 'concepts, units, start_dates, end_dates, amounts, and dimensions and decimals where they are told, are not of one length';
for my $case (
    ['an axis without a member', 'dimensions[0]: not axis=member, with semicolons between, nor empty', dimensions => ['own:Axis']],
    ['a member without an axis', 'dimensions[0]: not axis=member, with semicolons between, nor empty', dimensions => ['=own:Member']],
    ['two equals signs', 'dimensions[0]: not axis=member, with semicolons between, nor empty', dimensions => ['a=b=c']],
    ['a semicolon at the end', 'dimensions[0]: not axis=member, with semicolons between, nor empty', dimensions => ['a=b;']],
    ['decimals in words', 'decimals[0]: not INF or an integer, nor empty', decimals => ['six']],
    ['too few dimensions', $places, dimensions => []],
    ['too many decimals', $places, decimals => ['1', '2']],
    (map { ["the day $_", 'end_dates[0]: not a date (YYYY-MM-DD)', end_dates => [$_]] } qw(2023-02-30 2023-04-31 2023-02-29 1900-02-29 0000-01-01 0000-02-29 2023-13-01 12023-01-01 2023-1-01)),
    ['a first day that is none', 'start_dates[0]: not a date (YYYY-MM-DD)', start_dates => ['2023-02-29']],
    ['another source', 'told_by: not one of instance, companyfacts, data_set', told_by => 'newspaper', record_key => '0000007401-24-000009/newspaper']) {
    my ($name, $reason, %wrong) = @$case;
    like(rejection(report(7401, 9, 'instance', [[@fact]], %wrong)), qr/\Q$reason\E/, $name);
}
for my $case (
    ['a line break in an element, and none beside it', 'concepts[0]: not taxonomy:Name', concepts => q{E'us-gaap:Assets\nus-gaap:Cash', NULL}],
    ['a line break in a number, and none beside it', 'amounts[0]: not a number', amounts => q{E'1\n2', NULL}],
    ['a line break in elements', 'concepts[1]: not taxonomy:Name', concepts => q{'us-gaap:Assets', E'us-gaap:Assets\nus-gaap:Cash'}],
    ['no unit', 'units[1]: is empty', units => q{'USD', NULL}],
    ['two days for one', 'start_dates[1]: not a date (YYYY-MM-DD), nor empty', start_dates => q{'', '2024-01-01/2024-01-02'}],
    ['no first day', 'start_dates[1]: not a date (YYYY-MM-DD), nor empty', start_dates => q{'', NULL}],
    ['no last day', 'end_dates[0]: not a date (YYYY-MM-DD)', end_dates => q{NULL, '2024-12-31'}],
    ['nothing wrong', '']) {
    my ($name, $reason, %wrong) = @$case;
    my %columns = (concepts => q{'us-gaap:Assets', 'us-gaap:Cash'}, units => q{'USD', 'EUR'}, start_dates => q{'', '2024-01-01'}, end_dates => q{'2024-12-31', '2024-12-31'},
        amounts => q{'1', '-2.5e3'}, %wrong);
    is($site->value('SELECT disclosed.xbrl_fault(' . join(', ', map { "ARRAY[$columns{$_}]" } qw(concepts units start_dates end_dates amounts)) . ', NULL, NULL)'), $reason, "$name, in one of two facts");
}
is($site->value(q{SELECT count(*) FROM (SELECT d, disclosed.xbrl_fault('{us-gaap:Assets}', '{USD}', '{""}', ARRAY[to_char(d, 'YYYY-MM-DD')], '{1}', NULL, NULL) AS fault
    FROM generate_series(timestamp '1896-01-01', timestamp '2104-12-31', interval '1 day') d) x WHERE fault IS NOT NULL}), 0, 'each day of two centuries is one');

# --- wrong ones among others --------------------------------------------------------------------

my @cash = (['us-gaap:Cash', 'USD', '', '2023-12-31', '7']);
my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $site->write('mixed.ndjson', join '', map { $json->encode($_) . "\n" } report(7401, 21, 'instance', \@cash),
    report(7409, 1, 'instance', \@cash, amounts => ['1e']), report(7401, 22, 'instance', \@cash)));
is_deeply([@{$json->decode($out)}{qw(stored rejected failed)}], [2, 1, 0], 'the table refuses a row: those beside it are stored') or diag $out, $err;
is($site->value("SELECT count(*) FROM issuer WHERE cik = 7409"), 0, '... and nothing is left of it');
is($site->value("SELECT string_agg(accession, ' ' ORDER BY accession) FROM xbrl_report WHERE accession ~ '-00002[12]\$'"), '0000007401-24-000021 0000007401-24-000022', '... each once');

# --- provenance of series -----------------------------------------------------------------------

my @currencies = map { my $unit = $_; (['us-gaap:Revenues', $unit, @quarter, '200'], ['us-gaap:GrossProfit', $unit, @quarter, $unit eq 'USD' ? '50' : '60']) } qw(USD EUR);
load('currencies.ndjson', report(7402, 31, 'instance', \@currencies, form => '10-Q/A'));
for my $case (['revenue', 2], ['gross_margin', 1]) {
    my ($metric, $points) = @$case;
    my $series = json_of($site->get("/v1/companies/F7402/kpis/$metric"), "series of $metric");
    my @of_quarter = grep { $_->{period}{end_date} eq $quarter[1] && $_->{period}{kind} eq 'quarter' && $_->{provenance}[0]{accession} eq '0000007402-24-000031' } $series->{points}->@*;
    same_json([map { scalar $_->{provenance}->@* } @of_quarter], [(1) x $points], "$metric in two currencies: points of one source each, $points of them");
    my %observed = map { ($_->{provenance}{src_id} => $_->{provenance}) } json_of($site->get("/v1/companies/F7402/kpis/$metric/observations"), "observations of $metric")->{data}->@*;
    my @provenances = map { $_->{provenance}->@* } $series->{points}->@*;
    same_json(\@provenances, [map { $observed{$_->{src_id}} } @provenances], '... are those of its observations');
}

# --- how long lists are stored ------------------------------------------------------------------

my $lz4 = $site->value("SELECT count(*) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)");
load('long.ndjson', report(7401, 23, 'instance', [map { ['us-gaap:Element' . $_, 'USD', '', '2023-12-31', '' . $_ * 1001] } 1 .. 900]));
is($site->value("SELECT pg_column_compression(concepts) || ' ' || pg_column_compression(units) || ' ' || pg_column_compression(amounts) FROM xbrl_report WHERE accession = '0000007401-24-000023'"),
    $lz4 ? 'lz4 lz4 pglz' : 'pglz pglz pglz', 'elements and units are compressed by LZ4, where PostgreSQL has it, and numbers by pglz');
finish();

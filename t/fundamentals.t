# Canonical metrics: which fact is taken, what is derived from which, in versions; the dictionary; what a company's metrics and a
# metric's companies are, now and as of an instant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Test qw(without_cache kept_sessions);
use Disclosed::JSON ();

promises(
    list_fundamentals => {
        parameters => [qw(symbol metrics periods unit cursor limit fields direction as_of)],
        fields => [qw(canonical display sub_row_label template_slug? period value source_tier restated splits_since? concept? derivation? inputs? provenance)],
    },
    search_metrics => {
        parameters => [qw(q limit fields)],
        fields => [qw(canonical_key display definition unit basis category aliases status higher_is_better? decimal_places ticker?)],
    },
    get_metric => {
        parameters => [qw(canonical_key as_of)],
        fields => [qw(canonical_key display definition unit basis category aliases status higher_is_better? decimal_places companies company_count concepts formula? gap)],
    },
    list_metric_values => {
        parameters => [qw(canonical_key cursor limit fields direction as_of)],
        fields => [qw(ticker? company_cik? metric_key period value source_tier restated splits_since? provenance)],
    },
);
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_nonref->allow_bignum;

# A migration that adds a metric sets its statement.
is($site->value(q{SELECT string_agg(m.metric_key, ' ') FROM canonical_metric m WHERE m.template_slug IS DISTINCT FROM (
    SELECT l.template_slug FROM template_metric l JOIN statement_template s ON s.slug = l.template_slug WHERE l.metric_key = m.metric_key ORDER BY s.place LIMIT 1)}) // '', '',
    'metrics name the first of their statements');
cmp_ok($site->value('SELECT count(*) FROM canonical_metric WHERE template_slug IS NOT NULL'), '>', 150, '... most have one');

# --- a company's reports --------------------------------------------------------------------------

my $cik = 7200;
my (%tree, $number);

# A report with facts [concept, start, end, value]; units are USD but where they are named.
sub report
{
    my ($form, $filed, $year, $period, @facts) = @_;
    my $accession = sprintf '%010d-24-%06d', $cik, ++$number;
    for my $fact (@facts) {
        my ($concept, $start, $end, $value, $unit) = @$fact;
        push $tree{'us-gaap'}{$concept}{units}{ $unit // 'USD' }->@*,
            {defined $start ? (start => $start) : (), end => $end, val => $value, accn => $accession, form => $form, filed => $filed, fy => $year, fp => $period};
    }
    return $accession;
}

sub load
{
    my ($name) = @_;
    my $path = $site->write(sprintf('CIK%010d.json', $cik), $json->encode({cik => $cik, entityName => $name, facts => \%tree}));
    my ($code, $out, $err) = $site->control('import', 'sec-companyfacts', $path);
    is($code, 0, "$name is loaded") or diag $out, $err;
    my $listed = $json->encode({dataset => 'listing', cik => $cik, record_key => "N$cik:US", ticker => "N$cik", market => 'US', name => $name, status => 'active',
        known_at => '2000-01-01T00:00:00Z', provenance => {source_provider => 'exchange_site'}});
    ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('listing.ndjson', "$listed\n"));
    is($code, 0, '... and listed') or diag $out, $err;
    %tree = ();
    return "N$cik";
}

sub rows { my ($symbol, $query) = @_; return $json->decode($site->get("/v1/companies/$symbol/fundamentals?limit=500" . ($query ? "&$query" : ''))->body)->{data} }

# Metrics as text: kind, end, value, tier, derivation.
sub told
{
    my ($symbol, $query) = @_;
    return [sort map { join ' ', $_->{canonical}, $_->{period}{kind}, $_->{period}{end_date}, $_->{value}{raw}, $_->{source_tier}, $_->{derivation} // '-', $_->{restated} ? 'restated' : () } rows($symbol, $query)->@*];
}

# A fiscal year of 52 weeks that ends in September; the year before is told again in the next reports.
my @first = (
    report('10-Q', '2023-02-01', 2023, 'Q1', [Revenues => '2022-09-25', '2022-12-24', 100], [NetCashProvidedByUsedInOperatingActivities => '2022-09-25', '2022-12-24', 10]),
    report('10-Q', '2023-05-01', 2023, 'Q2', [Revenues => '2022-12-25', '2023-03-25', 110], [Revenues => '2022-09-25', '2023-03-25', 210],
        [NetCashProvidedByUsedInOperatingActivities => '2022-09-25', '2023-03-25', 25]),
    report('10-Q', '2023-08-01', 2023, 'Q3', [Revenues => '2023-03-26', '2023-06-24', 120], [Revenues => '2022-09-25', '2023-06-24', 330],
        [NetCashProvidedByUsedInOperatingActivities => '2022-09-25', '2023-06-24', 45]),
    report('10-K', '2023-11-01', 2023, 'FY', [Revenues => '2022-09-25', '2023-09-23', 470], [NetCashProvidedByUsedInOperatingActivities => '2022-09-25', '2023-09-23', 70],
        [PaymentsToAcquirePropertyPlantAndEquipment => '2022-09-25', '2023-09-23', 30], [NetIncomeLoss => '2022-09-25', '2023-09-23', 47],
        [EarningsPerShareDiluted => '2022-09-25', '2023-09-23', 1.25, 'USD/shares'], [Assets => undef, '2023-09-23', 1000]),
    report('10-Q', '2024-02-01', 2024, 'Q1', [Revenues => '2023-09-24', '2023-12-23', 130], [Revenues => '2022-09-25', '2022-12-24', 100], [Assets => undef, '2023-09-23', 1000]),
    report('10-Q', '2024-05-01', 2024, 'Q2', [Revenues => '2022-12-25', '2023-03-25', 105]),
    report('DEF 14A', '2024-05-02', 2023, 'FY', [NetIncomeLoss => '2022-09-25', '2023-09-23', 48]),
);
my $symbol = load('Fifty Two Weeks Inc.');
same_json(told($symbol, 'metrics=revenue'), [sort
    'revenue quarter 2022-12-24 100 verified -', 'revenue quarter 2023-03-25 105 extracted - restated', 'revenue quarter 2023-06-24 120 verified -',
    'revenue annual 2023-09-23 470 extracted -', 'revenue quarter 2023-09-23 140 derived difference', 'revenue quarter 2023-12-23 130 extracted -',
    ], 'revenue: the fourth quarter is the year less nine months; a restated quarter is in no sum with those that are not');
same_json(told($symbol, 'metrics=revenue&as_of=2024-04-01'), [sort
    'revenue quarter 2022-12-24 100 verified -', 'revenue quarter 2023-03-25 110 verified -', 'revenue quarter 2023-06-24 120 verified -',
    'revenue annual 2023-09-23 470 extracted -', 'revenue quarter 2023-09-23 140 derived difference', 'revenue quarter 2023-12-23 130 extracted -',
    'revenue ttm 2023-12-23 500 derived four_quarters',
    ], '... before the restatement: twelve months are four quarters');
same_json(told($symbol, 'metrics=revenue&as_of=2023-11-01'), [sort
    'revenue quarter 2022-12-24 100 extracted -', 'revenue quarter 2023-03-25 110 verified -', 'revenue quarter 2023-06-24 120 verified -',
    ], '... before the annual report; quarters are verified by the year so far');
same_json(told($symbol, 'metrics=operating_cash_flow&metrics=free_cash_flow'), [sort
    'operating_cash_flow quarter 2022-12-24 10 extracted -', 'operating_cash_flow quarter 2023-03-25 15 derived difference', 'operating_cash_flow quarter 2023-06-24 20 derived difference',
    'operating_cash_flow quarter 2023-09-23 25 derived difference', 'operating_cash_flow annual 2023-09-23 70 extracted -', 'free_cash_flow annual 2023-09-23 40 derived formula',
    ], 'cash flows of the year so far make quarters, and free cash flow');
same_json(told($symbol, 'metrics=net_income&metrics=net_margin&metrics=eps_diluted&metrics=assets'), [sort
    'net_income annual 2023-09-23 47 extracted -', 'net_margin annual 2023-09-23 0.1 derived formula', 'eps_diluted annual 2023-09-23 1.25 extracted -',
    'assets instant 2023-09-23 1000 verified -',
    ], 'a margin; earnings per share of no quarter; nothing from the proxy statement; what a second filing repeats is verified');
same_json([sort { $a cmp $b } map { "$_->{period}{end_date} $_->{period}{kind} " . ($_->{period}{fiscal} // 'none') . ' ' . ($_->{period}{calendar} // 'none') } rows($symbol, 'metrics=revenue&as_of=2024-04-01')->@*],
    ['2022-12-24 quarter none 2022Q4', '2023-03-25 quarter none 2023Q1', '2023-06-24 quarter none 2023Q2', '2023-09-23 annual FY2023 2023', '2023-09-23 quarter Q4 FY2023 2023Q3',
        '2023-12-23 quarter Q1 FY2024 2023Q4', '2023-12-23 ttm Q1 FY2024 none'], 'fiscal periods are told from the first annual report on');
my ($fourth) = grep { $_->{derivation} // '' eq 'difference' } rows($symbol, 'metrics=revenue&periods=2023-Q3')->@*;
is($fourth->{provenance}{accession}, $first[3], 'the newest report is the source of what is derived');
my @inputs = map { $site->get("/v1/src/$_")->json } $fourth->{inputs}->@*;
same_json([map { [$_->{resolvable}, $_->{record}{accession}] } @inputs], [[JSON::PP::true, $first[3]], [JSON::PP::true, $first[2]]], '... and its inputs are found by their src_ids') or diag $json->encode(\@inputs);
my ($margin) = rows($symbol, 'metrics=net_margin')->@*;
same_json([map { $site->get("/v1/src/$_")->json->{record}{canonical} } $margin->{inputs}->@*], ['net_income', 'revenue'], 'so are those of a formula');
my ($twelve) = grep { $_->{period}{kind} eq 'ttm' } rows($symbol, 'metrics=revenue&as_of=2024-04-01')->@*;
same_json([map { $site->get("/v1/src/$_?as_of=2024-04-01")->json->{record}{value}{raw} } $twelve->{inputs}->@*], [130, 140, 120, 110], '... and four quarters');
is(rows($symbol, 'metrics=assets&unit=thousand')->[0]{value}{normalized}, 1, 'a balance in thousands');
is(rows($symbol, 'metrics=eps_diluted&unit=million')->[0]{value}{normalized}, '1.25', '... earnings per share stay as they are');
is($site->get("/v1/companies/$symbol/fundamentals?unit=dozen")->status, 422, 'a unit that there is not');
is($site->get('/v1/companies/NOSUCH/fundamentals')->status, 404, 'a company that there is not');

# What a filing counts in shares is of its own day; splits after it are told beside, as they were known.
sub split_of
{
    my ($symbol_code, $day, $to, $from) = @_;
    return $json->encode({dataset => 'corporate_action', cik => $cik, symbol_code => $symbol_code, kind => 'split', action_date => $day, split_to => $to, split_from => $from,
        known_at => "${day}T00:00:00Z", provenance => {source_provider => 'exchange_site', source_url => 'https://exchange.example/splits'}}) . "\n";
}
my $class = $json->encode({dataset => 'listing', cik => $cik, record_key => "Z$cik:US", ticker => "Z$cik", market => 'US', name => 'Fifty Two Weeks Inc.', status => 'active',
    known_at => '2001-01-01T00:00:00Z', provenance => {source_provider => 'exchange_site'}}) . "\n";
my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('splits.ndjson', join '', $class, split_of("N$cik", '2023-06-01', 9, 1), split_of("N$cik", '2024-06-10', 7, 1), split_of("N$cik", '2025-08-31', 1, 20),
    split_of("Z$cik", '2024-06-11', 3, 1)));
is($code, 0, 'splits of two listings') or diag $out, $err;
sub splits { my ($query) = @_; return [map { my $row = $_; join ' ', $row->{canonical}, $row->{value}{raw}, $row->{splits_since} ? map { "$_->{numerator}:$_->{denominator}" } $row->{splits_since}->@* : 'null' } rows($symbol, "metrics=eps_diluted&metrics=assets$query")->@*] }
same_json(splits(''), ['assets 1000 null', 'eps_diluted 1.25 7:1 1:20'], 'splits after the filing, of the primary listing, by day');
same_json(splits('&as_of=2024-12-31'), ['assets 1000 null', 'eps_diluted 1.25 7:1'], '... that were known');
same_json(splits('&as_of=2024-03-31'), ['assets 1000 null', 'eps_diluted 1.25'], '... none yet');
my ($since) = map { $_->{splits_since}->@* } rows($symbol, 'metrics=eps_diluted')->@*;
is($site->get("/v1/src/$since->{src_id}")->json->{record}{description}, '7-for-1 split', '... and each resolves');
same_json([map { scalar $_->{splits_since}->@* } json_of($site->get('/v1/metrics/eps_diluted/values'), 'earnings per share')->{data}->@*], [2], '... also beside those of all companies');

# Each calendar period finds what the whole list has under it; what is none finds nothing.
my (%by_period, %found);
push $by_period{ $_->{period}{calendar} // '' }->@*, $_->{provenance}{src_id} for rows($symbol)->@*;
delete $by_period{''};
$found{$_} = [map { $_->{provenance}{src_id} } rows($symbol, "periods=$_")->@*] for keys %by_period;
same_json(\%found, \%by_period, keys(%by_period) . ' calendar periods');
same_json(rows($symbol, "periods=$_"), [], "no calendar period: $_") for qw(x 2023Q5 0000 9999 99999 2023Q1x);
is(scalar rows($symbol, 'periods=2023Q1&periods=2022Q4&periods=x')->@*, $by_period{'2023Q1'}->@* + $by_period{'2022Q4'}->@*, 'several of them');

# --- what is off ----------------------------------------------------------------------------------

$cik++;
report('10-K', '2020-02-01', 2019, 'FY', [Revenues => '2019-01-01', '2019-12-31', 5_000_000]);
report('10-K', '2021-02-01', 2020, 'FY', [Revenues => '2020-01-01', '2020-12-31', 5_100_000]);
report('10-K', '2022-02-01', 2021, 'FY', [Revenues => '2021-01-01', '2021-12-31', 5_200]);
report('10-K', '2023-02-01', 2022, 'FY', [Revenues => '2022-01-01', '2022-12-31', 5_300_000], [Revenues => '2021-01-01', '2021-12-31', 5_200_000]);
$symbol = load('Thousands Inc.');
my $scaled = told($symbol, 'metrics=revenue&as_of=2022-06-01');
is($scaled->[2], 'revenue annual 2021-12-31 5200 extracted_low_confidence -', 'a thousandth of the years before is suspect');
is(told($symbol, 'metrics=revenue')->[2], 'revenue annual 2021-12-31 5200000 extracted - restated', '... until the next filing tells it right');
is((grep { /low_confidence/ } told($symbol, 'metrics=revenue')->@*), 0, '... after which nothing is');

# The better element stands whichever filing is newer; both are kept where units differ.
$cik++;
report('10-K', '2020-02-01', 2019, 'FY', [Revenues => '2019-01-01', '2019-12-31', 50], [Revenues => '2019-01-01', '2019-12-31', 45, 'EUR']);
report('10-K', '2021-02-01', 2020, 'FY', [SalesRevenueNet => '2019-01-01', '2019-12-31', 40]);
$symbol = load('Two Currencies Inc.');
same_json([map { [$_->{value}{raw}, $_->{value}{unit}, $_->{concept}] } sort { $a->{value}{unit} cmp $b->{value}{unit} } rows($symbol, 'metrics=revenue')->@*],
    [[45, 'EUR', 'us-gaap:Revenues'], [50, 'USD', 'us-gaap:Revenues']], 'the better element, in each currency');

# A bank's revenue is not that of its contracts, as soon as it is known to be one.
$cik++;
report('10-K', '2020-02-01', 2019, 'FY', [RevenueFromContractWithCustomerExcludingAssessedTax => '2019-01-01', '2019-12-31', 7]);
$symbol = load('Bank Inc.');
is(scalar rows($symbol, 'metrics=revenue')->@*, 1, 'contract revenue of a company of no known industry');
my $profile = $json->encode({dataset => 'company', cik => $cik, record_key => 'profile', name => 'Bank Inc.', sic => '6021', known_at => '2019-01-01T00:00:00Z', provenance => {source_provider => 'issuer_page'}});
($code, $out, $err) = $site->control('import', 'ndjson', $site->write('profile.ndjson', "$profile\n"));
is($code, 0, 'it is a bank') or diag $out, $err;
is(scalar rows($symbol, 'metrics=revenue')->@*, 0, '... of which contract revenue is but a part');

# --- the dictionary -------------------------------------------------------------------------------

sub found { my ($query) = @_; return map { $_->{canonical_key} } json_of($site->get("/v1/metrics?q=$query"))->{data}->@* }
for my $case (['revenue', 'revenue'], ['Sales', 'revenue'], ['reveneu', 'revenue'], ['turnover', 'revenue'], ['free%20cash%20flow', 'free_cash_flow'], ['operating_income', 'operating_income'], ['EBITDA', 'ebitda']) {
    is((found($case->[0]))[0], $case->[1], "$case->[0] is $case->[1]");
}
is(scalar(found('zzzzqqq')), 0, 'a name of nothing');
my $page = $json->decode($site->get('/v1/metrics?q=income&limit=3')->body);
is(join(' ', sort keys %$page) . " $page->{query} " . scalar $page->{data}->@*, 'alpha data pagination query income 3', 'the envelope');
same_json($page->{pagination}, {next_cursor => undef, has_more => JSON::PP::true}, '... of a query with more');
is($site->get('/v1/metrics')->status, 422, 'without q');
is($site->get('/v1/metrics?q=')->status, 422, 'with an empty one');
my $detail = $json->decode($site->get('/v1/metrics/net_margin')->body);
same_json([@$detail{qw(canonical_key unit basis category companies company_count formula concepts)}], ['net_margin', 'ratio', 'duration', 'ratio', ['N7200'], 1, 'net_income / revenue', []], 'a metric');
is($json->decode($site->get('/v1/metrics/net_margin?as_of=2023-10-01')->body)->{company_count}, 0, '... before anybody had it');
problem_is($site->get('/v1/metrics/x'), 404, 'no such metric', instance => '/v1/metrics/x', detail => 'There is no metric with the key "x".');
problem_is($site->get('/v1/metrics/x/values'), 404, '... has no values', instance => '/v1/metrics/x/values', detail => 'There is no metric with the key "x".');
my $values = $json->decode($site->get('/v1/metrics/revenue/values')->body);
is($values->{canonical_key}, 'revenue', 'values of a metric');
same_json([map { "$_->{ticker} $_->{period}{end_date}" } $values->{data}->@[0 .. 1]], ['N7200 2023-12-23', 'N7200 2023-09-23'], '... the latest periods first');

# --- real files -----------------------------------------------------------------------------------

# Of each quarter that is reported, what it would be by difference: how often that agrees.
SKIP: {
    my $folder = shared_data('edgar-companyfacts') // skip('no real files: ../shared is absent', 1);
    ($code, $out, $err) = $site->control('import', 'sec-companyfacts', glob "$folder/CIK*.json.gz");
    is($code, 0, 'real files') or diag $out, $err;
    my ($sum) = $site->rows(<<'END');
WITH fact AS MATERIALIZED (
    SELECT r.issuer_id, r.accession, m.metric_key, e.unit, e.concept, e.starts::date AS starts, e.ends::date AS ends, e.amount::numeric AS amount
    FROM xbrl_report r CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts) AS e(concept, unit, starts, ends, amount)
    JOIN canonical_concept m USING (concept) JOIN canonical_metric c ON c.metric_key = m.metric_key AND c.additive WHERE e.starts <> ''),
tried AS (
    SELECT DISTINCT a.issuer_id, a.metric_key, a.unit, a.concept, b.ends AS before, a.ends, a.amount - b.amount AS derived, q.amount AS reported
    FROM fact a JOIN fact b USING (issuer_id, metric_key, unit, concept, starts)
    JOIN fact q ON (q.issuer_id, q.metric_key, q.unit, q.concept, q.starts, q.ends, q.accession) = (a.issuer_id, a.metric_key, a.unit, a.concept, b.ends + 1, a.ends, a.accession)
    WHERE b.ends < a.ends AND period_kind(b.ends + 1, a.ends) = 'quarter')
SELECT count(*) AS tried, count(*) FILTER (WHERE derived = reported) AS same, count(*) FILTER (WHERE abs(derived - reported) <= greatest(abs(reported) * 0.005, 2000000)) AS near FROM tried
END
    diag "$sum->{tried} quarters that are reported were derived as well: $sum->{same} are the same, $sum->{near} within rounding";
    cmp_ok($sum->{near}, '>', 0.9 * $sum->{tried}, 'derived quarters agree with reported ones');
    my ($follow) = $site->rows("SELECT count(*) AS pairs, count(*) FILTER (WHERE v.superseded_at IS NULL OR v.superseded_at > n.known_at) AS overlapping FROM metric_value v
        JOIN metric_value n USING (issuer_id, metric_id, end_date, kind, unit) WHERE n.known_at > v.known_at");
    cmp_ok($follow->{pairs}, '>', 1000, 'pairs of versions');
    is($follow->{overlapping}, 0, '... of which each ends before the next begins');
    my ($apple) = $site->rows("SELECT string_agg(value::text, ' ' ORDER BY end_date) AS q FROM fundamental t JOIN issuer i USING (issuer_id)
        WHERE i.cik = 320193 AND metric_key = 'revenue' AND period_kind = 'quarter' AND end_date BETWEEN '2022-12-01' AND '2023-10-01' AND superseded_at IS NULL");
    is($apple->{q}, '117154000000 94836000000 81797000000 89498000000', 'quarters of a fiscal year, the last one derived');
}
finish();

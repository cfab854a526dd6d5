# Canonical metrics: which fact is taken, what is derived from which, in versions; the dictionary; what a company's metrics and a
# metric's companies are, now and as of an instant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();
use IO::Uncompress::Gunzip qw(gunzip);

promises(
    list_fundamentals => {
        parameters => [qw(symbol metrics periods unit cursor limit fields direction as_of)],
        fields => [qw(canonical display sub_row_label template_slug? period value source_tier restated splits_since? concept? derivation? inputs? provenance)],
    },
    search_metrics => {
        parameters => [qw(q cursor limit fields direction)],
        fields => [qw(canonical_key display definition unit basis category aliases status higher_is_better? decimal_places ticker?)],
    },
    get_metric => {
        parameters => [qw(canonical_key as_of)],
        fields => [qw(canonical_key display definition unit basis category aliases status higher_is_better? decimal_places companies company_count alpha concepts formula? gap)],
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
# Periods as text: end, kind, fiscal and calendar period.
sub periods { my ($symbol, $query) = @_; return [sort map { my $period = $_->{period}; join ' ', @$period{qw(end_date kind)}, map { $_ // 'none' } @$period{qw(fiscal calendar)} } rows($symbol, $query)->@*] }
same_json(periods($symbol, 'metrics=revenue&as_of=2023-11-01'), ['2022-12-24 quarter none 2022Q4', '2023-03-25 quarter none 2023Q1', '2023-06-24 quarter none 2023Q2'],
    'before the first annual report fiscal periods are not known');
same_json(periods($symbol, 'metrics=revenue&as_of=2024-04-01'),
    ['2022-12-24 quarter Q1 FY2023 2022Q4', '2023-03-25 quarter Q2 FY2023 2023Q1', '2023-06-24 quarter Q3 FY2023 2023Q2', '2023-09-23 annual FY2023 2023', '2023-09-23 quarter Q4 FY2023 2023Q3',
        '2023-12-23 quarter Q1 FY2024 2023Q4', '2023-12-23 ttm Q1 FY2024 none'], '... and then those of all periods are');
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

# A report in millions, as Kimberly-Clark's first one in XBRL, and its amendment: of the two nothing tells which is right, so they are no measure of each other or
# of what comes after them, and the newer one counts. Reports before them are a measure.
$cik++;
sub cash { my ($scale, %at) = @_; return map { [CashAndCashEquivalentsAtCarryingValue => undef, $_, $at{$_} * $scale] } sort keys %at }
my %cash = ('2008-12-31' => 364, '2009-03-31' => 592, '2009-12-31' => 798, '2010-03-31' => 669);
report('10-Q', '2010-05-07', 2010, 'Q1', cash(1, %cash));
report('10-Q/A', '2010-05-14', 2010, 'Q1', cash(1_000_000, %cash));
report('10-Q', '2010-08-06', 2010, 'Q2', cash(1_000_000, '2010-06-30' => 650));
$symbol = load('In Millions Inc.');
same_json(told($symbol, 'metrics=cash_and_cash_equivalents'), [(map { "cash_and_cash_equivalents instant $_ $cash{$_}000000 extracted - restated" } sort keys %cash), 'cash_and_cash_equivalents instant 2010-06-30 650000000 extracted -'],
    'an amendment puts a scale right');
same_json(told($symbol, 'metrics=cash_and_cash_equivalents&as_of=2010-05-10'), [map { "cash_and_cash_equivalents instant $_ $cash{$_} extracted -" } sort keys %cash], '... as of before it there is what was filed');
$cik++;
report('10-K', (2013 + $_) . '-02-01', 2012 + $_, 'FY', [Revenues => (2012 + $_) . '-01-01', (2012 + $_) . '-12-31', 5_000_000 + 100_000 * $_]) for 0 .. 3;
report('10-K/A', '2016-03-01', 2015, 'FY', [Revenues => '2015-01-01', '2015-12-31', 5_300]);
report('10-K', '2017-02-01', 2016, 'FY', [Revenues => '2016-01-01', '2016-12-31', 5_400_000]);
same_json([(told(load('Amended Wrongly Inc.'), 'metrics=revenue')->@*)[3, 4]], ['revenue annual 2015-12-31 5300000 extracted -', 'revenue annual 2016-12-31 5400000 extracted -'], 'one that puts it wrong does not count');

# Shares in thousands, as NVIDIA's reports of two years had them: income and earnings per share of the same filing say which number is off, whatever was reported
# before. So the reports that put them right are believed, and one that has them wrong again is not. A split of 1 for 1,000 changes earnings per share as well.
$cik++;
sub shares_of { my ($year, $income, $per_share, $count) = @_; my @days = ("$year-01-01", "$year-12-31"); return ([NetIncomeLoss => @days, $income], [EarningsPerShareBasic => @days, $per_share, 'USD/shares'], [WeightedAverageNumberOfSharesOutstandingBasic => @days, $count, 'shares']) }
report('10-K', '2011-03-01', 2010, 'FY', shares_of(2008, -30_000_000, -0.05, 548_126), shares_of(2009, 68_000_000, 0.12, 549_574), shares_of(2010, 253_000_000, 0.44, 575_177));
report('10-K', '2013-03-01', 2012, 'FY', shares_of(2010, 253_000_000, 0.44, 575_177_000), shares_of(2011, 581_000_000, 0.96, 603_646_000), shares_of(2012, 562_000_000, 0.91, 619_324_000));
report('10-K', '2014-03-01', 2013, 'FY', shares_of(2012, 562_000_000, 0.91, 619_324), shares_of(2013, 440_000_000, 0.75, 587_893_000));
report('10-K', '2015-03-01', 2014, 'FY', shares_of(2013, 440_000_000, 750, 587_893), shares_of(2014, 630_000_000, 1_120, 562_500));
$symbol = load('In Thousands Inc.');
same_json(told($symbol, 'metrics=weighted_average_shares_basic'), [map { "weighted_average_shares_basic annual $_" } '2008-12-31 548126 extracted_low_confidence -', '2009-12-31 549574 extracted_low_confidence -',
    '2010-12-31 575177000 extracted - restated', '2011-12-31 603646000 extracted -', '2012-12-31 619324000 extracted -', '2013-12-31 587893 extracted - restated', '2014-12-31 562500 extracted -'], 'shares in thousands');
same_json(told($symbol, 'metrics=eps_basic'), [map { "eps_basic annual $_" } '2008-12-31 -0.05 extracted -', '2009-12-31 0.12 extracted -', '2010-12-31 0.44 verified -', '2011-12-31 0.96 extracted -', '2012-12-31 0.91 verified -',
    '2013-12-31 750 extracted - restated', '2014-12-31 1120 extracted -'], '... and earnings per share');
same_json(told($symbol, 'metrics=weighted_average_shares_basic&as_of=2012-06-01'), [map { "weighted_average_shares_basic annual $_" } '2008-12-31 548126 extracted_low_confidence -', '2009-12-31 549574 extracted_low_confidence -',
    '2010-12-31 575177 extracted_low_confidence -'], '... as long as nothing better was known');

# What a formula would make against what else is reported: noncurrent liabilities that leave debt out, as AT&T's, and depreciation without the amortization that
# is more, as Marvell's. Liabilities of which a small part is told otherwise, as what may be redeemed, add up.
$cik++;
sub balance_of { my ($end, $total, $current, $noncurrent, $equity) = @_; return ([LiabilitiesAndStockholdersEquity => undef, $end, $total], [LiabilitiesCurrent => undef, $end, $current], [LiabilitiesNoncurrent => undef, $end, $noncurrent], @$equity) }
my $of_all = 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest';
report('10-K', '2019-02-01', 2018, 'FY', balance_of('2018-12-31', 1000, 300, 400, [[StockholdersEquity => undef, '2018-12-31', 300]]));
report('10-K', '2020-02-01', 2019, 'FY', balance_of('2019-12-31', 2685, 367, 650, [[$of_all => undef, '2019-12-31', 1020]]), [OperatingIncomeLoss => '2019-01-01', '2019-12-31', -35], [Revenues => '2019-01-01', '2019-12-31', 446],
    [DepreciationDepletionAndAmortization => '2019-01-01', '2019-12-31', 27], [AmortizationOfIntangibleAssets => '2019-01-01', '2019-12-31', 98]);
report('10-K', '2021-02-01', 2020, 'FY', balance_of('2020-12-31', 2685, 367, 650, [[$of_all => undef, '2020-12-31', 1650], [StockholdersEquity => undef, '2020-12-31', 1500]]), [OperatingIncomeLoss => '2020-01-01', '2020-12-31', 35], [Revenues => '2020-01-01', '2020-12-31', 500],
    [DepreciationDepletionAndAmortization => '2020-01-01', '2020-12-31', 115], [AmortizationOfIntangibleAssets => '2020-01-01', '2020-12-31', 98]);
report('10-K', '2022-02-01', 2021, 'FY', balance_of('2021-12-31', 1000, 300, 200, [[StockholdersEquity => undef, '2021-12-31', 300], [TemporaryEquityCarryingAmount => undef, '2021-12-31', 200]]));
report('10-K', '2023-02-01', 2022, 'FY', balance_of('2022-12-31', 1000, 300, 200, [[StockholdersEquity => undef, '2022-12-31', 200], [MinorityInterest => undef, '2022-12-31', 300]]), [Liabilities => undef, '2019-12-31', 1665], [OperatingIncomeLoss => '2022-01-01', '2022-12-31', 50],
    [DepreciationDepletionAndAmortization => '2022-01-01', '2022-12-31', 30]);
report('10-K', '2024-02-01', 2023, 'FY', [AmortizationOfIntangibleAssets => '2022-01-01', '2022-12-31', 40]);
$symbol = load('Not Added Up Inc.');
same_json([map { s/ derived formula//r } told($symbol, 'metrics=liabilities&metrics=ebitda&metrics=ebitda_margin')->@*], ['ebitda annual 2020-12-31 150', 'ebitda_margin annual 2020-12-31 0.3', 'liabilities instant 2018-12-31 700', 'liabilities instant 2019-12-31 1665 verified -',
    'liabilities instant 2020-12-31 1017', 'liabilities instant 2021-12-31 500', 'liabilities instant 2022-12-31 500'], 'no formula makes what other numbers contradict');
same_json(told($symbol, 'metrics=ebitda&as_of=2023-06-01'), ['ebitda annual 2020-12-31 150 derived formula', 'ebitda annual 2022-12-31 80 derived formula'], '... that were known: amortization is told a year later');
same_json(told($symbol, 'metrics=liabilities&as_of=2020-06-01'), ['liabilities instant 2018-12-31 700 derived formula', 'liabilities instant 2019-12-31 1665 derived remainder'], '... before it is reported the rest of the balance sheet leaves it');

# What is spent, with a sign that says that it was earned.
$cik++;
my @twenty = ('2020-01-01', '2020-12-31');
report('10-K', '2021-02-01', 2020, 'FY', [NetCashProvidedByUsedInOperatingActivities => @twenty, 500], [PaymentsToAcquirePropertyPlantAndEquipment => @twenty, -200], [OperatingIncomeLoss => @twenty, 300], [InterestExpense => @twenty, -30],
    [DepreciationDepletionAndAmortization => @twenty, -50], [Revenues => @twenty, 1000]);
report('10-K', '2022-02-01', 2021, 'FY', [PaymentsToAcquirePropertyPlantAndEquipment => @twenty, 200], [InterestExpense => @twenty, 30], [DepreciationDepletionAndAmortization => @twenty, 50]);
$symbol = load('Wrong Signs Inc.');
my $spent = join '&', map { "metrics=$_" } qw(capital_expenditure free_cash_flow free_cash_flow_margin interest_expense interest_coverage ebitda);
same_json([map { s/annual 2020-12-31 //r } told($symbol, "$spent&as_of=2021-06-01")->@*], ['capital_expenditure -200 extracted -', 'interest_expense -30 extracted -'], 'an amount is as filed, and no formula takes one with the wrong sign');
same_json([map { s/annual 2020-12-31 //r } told($symbol, $spent)->@*], ['capital_expenditure 200 extracted - restated', 'ebitda 350 derived formula', 'free_cash_flow 300 derived formula', 'free_cash_flow_margin 0.3 derived formula',
    'interest_coverage 10 derived formula', 'interest_expense 30 extracted - restated'], '... until it is put right');

# The better element stands whichever filing is newer; both are kept where units differ.
$cik++;
report('10-K', '2020-02-01', 2019, 'FY', [Revenues => '2019-01-01', '2019-12-31', 50], [Revenues => '2019-01-01', '2019-12-31', 45, 'EUR']);
report('10-K', '2021-02-01', 2020, 'FY', [SalesRevenueNet => '2019-01-01', '2019-12-31', 40]);
$symbol = load('Two Currencies Inc.');
same_json([map { [$_->{value}{raw}, $_->{value}{unit}, $_->{concept}] } sort { $a->{value}{unit} cmp $b->{value}{unit} } rows($symbol, 'metrics=revenue')->@*],
    [[45, 'EUR', 'us-gaap:Revenues'], [50, 'USD', 'us-gaap:Revenues']], 'the better element, in each currency');

# A filing in millions, as NVIDIA's since 2015, repeats what those before it had in thousands; a number that is not the other rounded restates it. The fourth
# quarter is that of the exact numbers. A few numbers do not tell what a filing is in.
$cik++;
my @years = map { ["$_-01-01", "$_-12-31"] } 2013 .. 2015;
my @lines = qw(CostOfRevenue OperatingExpenses OperatingIncomeLoss IncomeTaxExpenseBenefit ResearchAndDevelopmentExpense SellingGeneralAndAdministrativeExpense InterestExpense ShareBasedCompensation);
my @thousands = map { [$lines[$_] => $years[1]->@*, 1_111_111_000 + 1000 * $_] } 0 .. $#lines;
my @millions = map { [$lines[$_] => $years[2]->@*, 1_222_000_000 + 1_000_000 * $_] } 0 .. $#lines;
report('10-Q', '2014-11-01', 2014, 'Q3', [Revenues => '2014-01-01', '2014-09-30', 3_000_499_000]);
report('10-K', '2015-02-01', 2014, 'FY', [Revenues => $years[0]->@*, 4_280_159_000], [Revenues => $years[1]->@*, 4_130_162_000], [IncomeTaxesPaidNet => $years[1]->@*, 440_700_000], @thousands);
report('10-K', '2016-02-01', 2015, 'FY', [Revenues => $years[0]->@*, 4_282_000_000], [Revenues => $years[1]->@*, 4_130_000_000], [Revenues => $years[2]->@*, 4_682_000_000], [IncomeTaxesPaidNet => $years[1]->@*, 441_000_000], @millions);
report('10-K', '2017-02-01', 2016, 'FY', [Revenues => $years[2]->@*, 4_682_400_000], [IncomeTaxesPaidNet => $years[1]->@*, 440_000_000]);
report('10-K', '2018-02-01', 2017, 'FY', [Revenues => $years[1]->@*, 4_130_000_000], [Revenues => $years[0]->@*, 4_282_000_000], @millions);
$symbol = load('In Millions Inc.');
same_json(told($symbol, 'metrics=revenue&metrics=income_taxes_paid'), ['income_taxes_paid annual 2014-12-31 440000000 extracted - restated', 'revenue annual 2013-12-31 4282000000 verified - restated', 'revenue annual 2014-12-31 4130162000 verified -',
    'revenue annual 2015-12-31 4682400000 extracted - restated', 'revenue quarter 2014-12-31 1129663000 derived difference'], 'what is rounded is repeated');
same_json(told($symbol, 'metrics=income_taxes_paid&as_of=2016-06-01'), ['income_taxes_paid annual 2014-12-31 440700000 verified -'], '... and as of then');

# A period that ends more than 100 days after its filing is a slip of its date. The filing is accepted on the next day in UTC.
$cik++;
report('10-Q', '2014-05-01', 2014, 'Q1', [Assets => undef, '2014-08-10', 900], [Liabilities => undef, '2014-08-11', 400], [Revenues => '2014-01-01', '2014-03-31', 70]);
report('10-Q', '2014-08-15', 2014, 'Q2', [Liabilities => undef, '2014-06-30', 500]);
$symbol = load('Slips of Dates Inc.');
same_json(told($symbol, 'metrics=assets&metrics=liabilities&metrics=revenue'),
    ['assets instant 2014-08-10 900 extracted -', 'liabilities instant 2014-06-30 500 extracted -', 'revenue quarter 2014-03-31 70 extracted -'], 'no number of a period long after its filing');
same_json([map { "$_->{metric_key} $_->{period}{end_date}" } grep { ($_->{ticker} // '') eq "N$cik" } map { $json->decode($site->get("/v1/metrics/$_/values?as_of=2014-05-03")->body)->{data}->@* } 'assets', 'liabilities'],
    ['assets 2014-08-10'], '... nor among those of all companies as of then, which are bounded by it');

# Questions are answered in the currency in which a company has more numbers, not in that of a translation for convenience.
$cik++;
report('20-F', '2022-04-01', 2021, 'FY', [Revenues => '2021-01-01', '2021-12-31', 60, 'ZAR'], [Revenues => '2020-01-01', '2020-12-31', 55, 'ZAR'], [Revenues => '2021-01-01', '2021-12-31', 4]);
$symbol = load('Rand Ltd.');
my $grown = json_of($site->post('/v1/ask', {question => 'How much did revenue grow in fiscal 2021?', symbols => [$symbol]}), 'a question');
is($grown->{answer_md} || $grown->{not_found},
    'Rand Ltd. had revenue of ZAR 60 in fiscal 2021, ended 31 December 2021 [1], up 9.1% from ZAR 55 in fiscal 2020, ended 31 December 2020 [2].', 'the currency of most numbers');

# --- four quarters of a fiscal year -----------------------------------------------------------------

# A metric that is told of the quarters alone has no sum where a year ends that others are told of: the annual report names its fourth quarter as well.
$cik++;
my @quarters = (['2021-01-01', '2021-03-31'], ['2021-04-01', '2021-06-30'], ['2021-07-01', '2021-09-30'], ['2021-10-01', '2021-12-31'], ['2022-01-01', '2022-03-31']);
report('10-Q', '2021-05-01', 2021, 'Q1', [PaymentsOfDividends => $quarters[0]->@*, 10]);
report('10-Q', '2021-08-01', 2021, 'Q2', [PaymentsOfDividends => $quarters[1]->@*, 11]);
report('10-Q', '2021-11-01', 2021, 'Q3', [PaymentsOfDividends => $quarters[2]->@*, 12]);
report('8-K', '2022-01-15', 2021, 'Q4', [PaymentsOfDividends => $quarters[3]->@*, 13]);
report('10-K', '2022-02-01', 2021, 'FY', [Revenues => '2021-01-01', '2021-12-31', 500], [PaymentsOfDividends => $quarters[3]->@*, 13]);
report('10-Q', '2022-05-01', 2022, 'Q1', [PaymentsOfDividends => $quarters[4]->@*, 14]);
$symbol = load('Dividends of Quarters Inc.');
same_json([grep { /ttm/ } told($symbol, 'metrics=dividends_paid')->@*], ['dividends_paid ttm 2022-03-31 50 derived four_quarters'], 'four quarters that are no fiscal year');
same_json([grep { /ttm/ } told($symbol, 'metrics=dividends_paid&as_of=2022-03-01')->@*], [], '... none of the year that an annual report has told');
same_json([grep { /ttm/ } told($symbol, 'metrics=dividends_paid&as_of=2022-01-20')->@*], ['dividends_paid ttm 2021-12-31 46 derived four_quarters'], '... before which nobody knew that it is one');

# --- one number of a ratio ------------------------------------------------------------------------

# The first filing has the terms in two currencies, most numbers in EUR; the second tells the ratio itself, as two of the formulas do.
$cik++;
my @year = ('2019-01-01', '2019-12-31');
my $before_tax = 'IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest';
my %filed = (
    EUR => [[IncomeTaxExpenseBenefit => @year, 21], [$before_tax => @year, 100], [Revenues => @year, 500], [OperatingIncomeLoss => @year, 50], [Assets => undef, $year[1], 900]],
    USD => [[IncomeTaxExpenseBenefit => @year, 23], [$before_tax => @year, 111], [Revenues => @year, 555], [OperatingIncomeLoss => @year, 56]],
);
report('20-F', '2020-02-01', 2019, 'FY', map { my $unit = $_; map { [@$_, $unit] } $filed{$unit}->@* } qw(EUR USD));
report('20-F', '2021-02-01', 2020, 'FY', [EffectiveIncomeTaxRateContinuingOperations => @year, 0.205, 'pure']);
$symbol = load('Ratios Inc.');
my $ratios = 'metrics=effective_tax_rate&metrics=operating_margin';
same_json(told($symbol, "$ratios&as_of=2020-06-01"), ['effective_tax_rate annual 2019-12-31 0.21 derived formula', 'operating_margin annual 2019-12-31 0.1 derived formula'],
    'of a ratio in two currencies that in which the filing has more numbers');
same_json(told($symbol, $ratios), ['effective_tax_rate annual 2019-12-31 0.205 extracted -', 'operating_margin annual 2019-12-31 0.1 derived formula'],
    '... until an element fills the metric');
my ($in_force) = grep { $_->{canonical} eq 'operating_margin' } rows($symbol, $ratios)->@*;
same_json([map { $site->get("/v1/src/$_")->json->{record}{value}{unit} } $in_force->{inputs}->@*], ['EUR', 'EUR'], '... its inputs are those of the currency');
same_json([map { $_->{value}{unit} } sort { $a->{value}{unit} cmp $b->{value}{unit} } rows($symbol, 'metrics=revenue')->@*], ['EUR', 'USD'], '... amounts stand in both');

# What is reported and what the formula makes are one number, verified where they agree.
$cik++;
@year = ('2020-01-01', '2020-12-31');
report('10-K', '2021-02-01', 2020, 'FY', [IncomeTaxExpenseBenefit => @year, 21], [$before_tax => @year, 100], [EffectiveIncomeTaxRateContinuingOperations => @year, 0.21, 'pure']);
$symbol = load('One Rate Inc.');
same_json(told($symbol, 'metrics=effective_tax_rate'), ['effective_tax_rate annual 2020-12-31 0.21 verified -'], 'a reported ratio is verified by its formula');

# --- fiscal and calendar years --------------------------------------------------------------------

# Annual reports that count their years differently, and one quarter that is not told again: its version is as old as the first report.
$cik++;
my @ends = map { "201$_-01-31" } 0 .. 4;
for my $place (0 .. $#ends) {
    my $year = 2010 + $place;
    report('10-K', "$year-03-15", $year - ($place == 1 || $place == 2 ? 1 : 0), 'FY', map { ['Revenues', $year - 1 . '-02-01', $ends[$place], 100 + $place + ($_ eq 'EUR'), $_] } qw(USD EUR));
    report('10-Q', "$year-06-10", $year, 'Q1', [Revenues => "$year-02-01", "$year-04-30", 20 + $place], $place ? [ResearchAndDevelopmentExpense => $year - 1 . '-02-01', $year - 1 . '-04-30', 7] : ());
}
$symbol = load('Counting Inc.');
my $counted = "metrics=revenue&metrics=research_and_development";
my %labels;
for my $row (rows($symbol, $counted)->@*) { my $period = $row->{period}; $labels{"$period->{kind} $period->{end_date}"}{ $period->{fiscal} // 'none' } = 1 }
same_json({map { $_ => join ' or ', sort keys $labels{$_}->%* } keys %labels},
    {(map { ("annual $ends[$_]" => 'FY' . (2010 + $_)) } 0 .. 4), map { ("quarter 201$_-04-30" => 'Q1 FY201' . ($_ + 1)) } 0 .. 4}, 'years are counted as most annual reports count them');
same_json([map { /^\S+ \S+ (\S+ \S+|FY\S+) / } periods($symbol, 'metrics=revenue&periods=2009&periods=2010Q1&as_of=2010-12-31')->@*], [('FY2010') x 2, 'Q1 FY2011'], '... of those that were known');
same_json([map { /^\S+ \S+ (\S+ \S+|FY\S+) / } periods($symbol, 'metrics=revenue&periods=2009&periods=2010Q1&as_of=2012-12-31')->@*], [('FY2009') x 2, 'Q1 FY2010'], '... which said something else for a time');

# A year cut short: fiscal years to June, then to December.
$cik++;
report('10-K', '2014-08-15', 2014, 'FY', [Revenues => '2013-07-01', '2014-06-30', 100], [Revenues => '2014-04-01', '2014-06-30', 25]);
report('10-Q', '2014-11-15', 2015, 'Q1', [Revenues => '2014-07-01', '2014-09-30', 26]);
report('10-K', '2016-02-15', 2015, 'FY', [Revenues => '2015-01-01', '2015-12-31', 110], [Revenues => '2014-10-01', '2014-12-31', 27], [Revenues => '2015-01-01', '2015-03-31', 28]);
$symbol = load('Cut Short Inc.');
same_json(periods($symbol, 'metrics=revenue'), ['2014-06-30 annual FY2014 2014', '2014-06-30 quarter Q4 FY2014 2014Q2', '2014-09-30 quarter none 2014Q3', '2014-12-31 quarter none 2014Q4',
    '2015-03-31 quarter Q1 FY2015 2015Q1', '2015-03-31 ttm Q1 FY2015 none', '2015-12-31 annual FY2015 2015'], 'no quarter of a year cut short has the name of one of the year before');
same_json(periods($symbol, 'metrics=revenue&as_of=2015-01-01&periods=2014Q3'), ['2014-09-30 quarter Q1 FY2015 2014Q3'], '... as long as nothing was known of it, it was named as always');

# A new label is no other number: splits since the filing are those since the filing.
$cik++;
report('10-Q', '2020-05-10', 2020, 'Q1', [EarningsPerShareDiluted => '2020-01-01', '2020-03-31', 2, 'USD/shares']);
report('10-K', '2021-02-10', 2020, 'FY', [Revenues => '2020-01-01', '2020-12-31', 100]);
$symbol = load('Split Between Inc.');
($code, $out, $err) = $site->control('import', 'ndjson', $site->write('between.ndjson', split_of($symbol, '2020-09-01', 4, 1)));
is($code, 0, 'a split between a filing and the label of its quarter') or diag $out, $err;
same_json([map { [$_->{period}{fiscal}, $_->{restated}, map { "$_->{numerator}:$_->{denominator}" } $_->{splits_since}->@*] } rows($symbol, 'metrics=eps_diluted')->@*],
    [['Q1 FY2020', JSON::PP::false, '4:1']], '... is since the filing');

is($site->value('SELECT concat_ws(\' \', ' . join(', ', map { "coalesce(calendar_period($_), 'none')" } "'2024-07-01', '2025-06-30'", "'2024-06-01', '2025-05-31'", "'2008-07-01', '2009-06-30'",
    "NULL, '0001-01-01'", "NULL, '0001-02-14'", "NULL, '0001-02-15'", "'0001-01-01', '0001-12-31'") . ')'), '2025 2024 2009 none none 1Q1 1', 'calendar periods');

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
same_json($page->{pagination}{has_more}, JSON::PP::true, '... of a query with more');

# Page by page it is all that is found, on each plan, whose page may have fewer rows than are asked for.
my @named = map { $_->{metric_key} } $site->rows("SELECT metric_key FROM metrics_named('income') ORDER BY place");
cmp_ok(scalar @named, '>', 25, 'a query with more than a page of the free plan');
for my $case (['enterprise', 7, 7], ['enterprise', 200, 200], ['test', 200, 25], ['test', 7, 7]) {
    my ($plan, $limit, $rows) = @$case;
    my (@keys, @sizes, $cursor);
    do {
        my $one = $json->decode($site->get("/v1/metrics?q=income&limit=$limit" . ($cursor ? "&cursor=$cursor" : ''), key => $site->{keys}{$plan})->body);
        push @keys, map { $_->{canonical_key} } $one->{data}->@*;
        push @sizes, scalar $one->{data}->@*;
        $cursor = $one->{pagination}{next_cursor};
        is(!!$one->{pagination}{has_more}, defined $cursor, '... has_more says whether there is a cursor') or last;
    } while defined $cursor && @sizes < 100;
    is("@keys", "@named", "$plan, limit=$limit: all of them, the best first");
    is((grep { $_ != $rows } @sizes[0 .. $#sizes - 1]), 0, '... in full pages');
}
is(join(' ', map { $_->{canonical_key} } $json->decode($site->get('/v1/metrics?q=income&limit=200&direction=desc')->body)->{data}->@*), join(' ', reverse @named), 'the other way round');
is($site->get('/v1/metrics')->status, 422, 'without q');
is($site->get('/v1/metrics?q=')->status, 422, 'with an empty one');
my $detail = $json->decode($site->get('/v1/metrics/net_margin')->body);
same_json([@$detail{qw(canonical_key unit basis category companies company_count formula concepts)}], ['net_margin', 'ratio', 'duration', 'ratio', ['N7200'], 1, 'net_income / revenue', []], 'a metric');
same_json([map { $_->{alpha} } $detail, $page, $json->decode($site->get('/v1/metrics/net_margin/values')->body)], [(JSON::PP::true) x 3], '... which is experimental, as the search and the values are');
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
    # The SEC says of some facts which frame they are in: CY2024, CY2024Q1, CY2024Q1I. Of one month its frames are those of instants.
    my %framed;
    for my $file (glob "$folder/CIK*.json.gz") {
        gunzip($file => \my $text) or die $file;
        my $facts = Disclosed::JSON->new->utf8->decode($text)->{facts};
        $framed{ join ',', $_->{start} // '', $_->{end}, $_->{frame} }++ for grep { defined $_->{frame} } map { map { map { @$_ } values $_->{units}->%* } values %$_ } values %$facts;
    }
    my ($frames) = $site->rows("SELECT sum(n) FILTER (WHERE calendar IS NOT NULL) AS told, sum(n) FILTER (WHERE calendar IS NULL AND kind <> 'month') AS untold,
        sum(n) FILTER (WHERE frame <> 'CY' || calendar || CASE kind WHEN 'instant' THEN 'I' ELSE '' END) AS others
        FROM (SELECT frame, n, period_kind(starts, ends) AS kind, calendar_period(starts, ends) AS calendar
              FROM (SELECT nullif(split_part(f, ',', 1), '')::date AS starts, split_part(f, ',', 2)::date AS ends, split_part(f, ',', 3) AS frame, split_part(f, ',', 4)::integer AS n
                    FROM unnest('{" . join(',', map { "\"$_,$framed{$_}\"" } sort keys %framed) . "}'::text[]) AS f) p) c");
    cmp_ok($frames->{told}, '>', 50000, "$frames->{told} facts with a frame");
    is(($frames->{others} // 0) . ' ' . ($frames->{untold} // 0), '0 0', '... of which our calendar period is that of the frame');

    # Of each company and period now, and at instants of as_of.
    my ($twice) = $site->rows("SELECT count(*) AS periods, count(*) FILTER (WHERE labels > 1) AS contradictory, sum(ratios) AS ratios FROM (
        SELECT count(DISTINCT coalesce(v.fiscal, '-')) AS labels, count(*) FILTER (WHERE m.unit = 'ratio') - count(DISTINCT v.metric_id) FILTER (WHERE m.unit = 'ratio') AS ratios
        FROM (SELECT DISTINCT known_at AS at FROM metric_value WHERE known_at > '2010-01-01') a
        JOIN metric_value v ON v.known_at <= a.at AND (v.superseded_at IS NULL OR v.superseded_at > a.at) JOIN canonical_metric m USING (metric_id)
       
        GROUP BY a.at, v.issuer_id, v.kind, v.end_date) p");
    cmp_ok($twice->{periods}, '>', 10000, 'periods of companies at instants');
    is("$twice->{contradictory} $twice->{ratios}", '0 0', '... each with one fiscal label, and one number of a ratio');
    my $shared = $site->value("SELECT string_agg(DISTINCT cik || ' ' || fiscal, ', ') FROM (SELECT i.cik, v.fiscal, v.kind FROM metric_value v JOIN issuer i USING (issuer_id)
        WHERE v.superseded_at IS NULL AND v.kind IN (2, 5) GROUP BY 1, 2, 3 HAVING max(v.end_date) - min(v.end_date) > 20 AND v.fiscal IS NOT NULL) f");
    is($shared // '', '', '... which no period has that ends more than some days off');
    my ($follow) = $site->rows("SELECT count(*) AS pairs, count(*) FILTER (WHERE v.superseded_at IS NULL OR v.superseded_at > n.known_at) AS overlapping FROM metric_value v
        JOIN metric_value n USING (issuer_id, metric_id, end_date, kind, unit) WHERE n.known_at > v.known_at");
    cmp_ok($follow->{pairs}, '>', 1000, 'pairs of versions');
    is($follow->{overlapping}, 0, '... of which each ends before the next begins');
    my ($apple) = $site->rows("SELECT string_agg(value::text, ' ' ORDER BY end_date) AS q FROM fundamental t JOIN issuer i USING (issuer_id)
        WHERE i.cik = 320193 AND metric_key = 'revenue' AND period_kind = 'quarter' AND end_date BETWEEN '2022-12-01' AND '2023-10-01' AND superseded_at IS NULL");
    is($apple->{q}, '117154000000 94836000000 81797000000 89498000000', 'quarters of a fiscal year, the last one derived');
}
finish();

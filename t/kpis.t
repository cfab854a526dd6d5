# Metrics that companies report themselves, beside canonical ones: which there are, their points with all sources, observations,
# segments; now and as of an instant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();

promises(
    list_kpis => {
        parameters => [qw(symbol cursor limit fields direction as_of)],
        fields => [qw(metric_key display? definition? importance? unit? category? basis? dimension_axis? first_period? last_period? canonical_id?)],
    },
    get_kpi_series => {
        parameters => [qw(symbol metric_key scale as_of)],
        fields => [qw(metric points)],
    },
    list_kpi_observations => {
        parameters => [qw(symbol metric_key cursor limit fields direction as_of)],
        fields => [qw(obs_id metric_key issuer_label as_described? unit dimension? member? period value source_type tier restated provenance)],
    },
    list_segments => {
        parameters => [qw(symbol unit cursor limit fields direction as_of)],
        fields => [qw(metric_key issuer_label dimension member period value tier source_type provenance)],
    },
);
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;

# --- what is loaded -------------------------------------------------------------------------------

my $cik = 8100;
my $company = '/v1/companies/EXMP:US';

sub load
{
    my @lines = map { $json->encode($_) . "\n" } @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('kpis.ndjson', join '', @lines));
    return ($code, $out . $err);
}

sub observation
{
    my ($source, $known, $metric, $end, $value, %more) = @_;
    return { dataset => 'kpi_observation', cik => $cik, known_at => $known, metric_key => $metric, end_date => $end, value => $value, source_type => $source,
        issuer_label => 'Paid subscribers', as_described => 'Subscribers with a paid plan', unit => 'subscribers', basis => 'instant',
        provenance => { source_provider => 'issuer_page', source_url => "https://issuer.example/$source", quote => "$value as written", extracted_at => $known }, %more };
}

sub part
{
    my ($dimension, $member, $known, $value, %more) = @_;
    return observation('10-Q', $known, 'revenue', '2024-03-31', $value, unit => 'USD', basis => 'duration', start_date => '2024-01-01', fiscal => 'Q1 FY2024',
        issuer_label => "$member revenue", as_described => "Revenue of $member", dimension => $dimension, member => $member, canonical_key => 'revenue', %more);
}

my ($code, $output) = load(
    { dataset => 'listing', cik => $cik, record_key => 'EXMP:US', ticker => 'EXMP', market => 'US', name => 'Example Inc.', status => 'active',
        known_at => '2000-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } },
    observation('EX-99.1', '2024-02-01T12:00:00Z', 'subscribers', '2023-12-31', 1000, fiscal => 'Q4 FY2023', display => 'Subscribers', importance => 'headline', category => 'customers'),
    observation('10-K', '2024-02-20T12:00:00Z', 'subscribers', '2023-12-31', 1000, fiscal => 'Q4 FY2023', display => 'Subscribers', importance => 'headline', category => 'customers', tier => 'verified'),
    observation('EX-99.1', '2024-05-01T12:00:00Z', 'subscribers', '2024-03-31', '1100.5', fiscal => 'Q1 FY2024', display => 'Members', importance => 'headline', category => 'customers'),
    observation('10-Q', '2024-05-10T12:00:00Z', 'subscribers', '2024-03-31', 1101, fiscal => 'Q1 FY2024', display => 'Members', importance => 'headline', category => 'customers'),
    observation('10-Q', '2024-08-10T12:00:00Z', 'subscribers', '2024-06-30', 1200, display => 'Members', importance => 'headline', category => 'customers'),
    part('segment', 'Cloud', '2024-05-10T12:00:00Z', '12345678901234567890.5'),
    part('segment', 'Devices', '2024-05-10T12:00:00Z', 400, tier => 'verified'),
);
is($code, 0, 'observations are loaded') or diag $output;
# The report of a year later has another number of a quarter.
($code, $output) = load(observation('10-K', '2025-02-20T12:00:00Z', 'subscribers', '2023-12-31', 990, fiscal => 'Q4 FY2023', display => 'Members'));
is($code, 0, '... and one is restated') or diag $output;

sub get { my ($path) = @_; return $json->decode($site->get("$company/$path")->body) }

# --- metrics --------------------------------------------------------------------------------------

my $reference = $json->encode(get('kpis')->{company});
my $issuer = get('kpis')->{company}{issuer_id};
like($site->get("$company/kpis")->body, qr/\A\{"company":\{[^}]+\},"data":\[
    \{"metric_key":"revenue","display":"\w+\ revenue","definition":"Revenue\ of\ \w+","importance":null,"unit":"USD","category":null,"basis":"duration",
    "dimension_axis":"segment","first_period":"FY2024-Q1","last_period":"FY2024-Q1","canonical_id":"revenue"\},
    \{"metric_key":"subscribers","display":"Members","definition":"Subscribers\ with\ a\ paid\ plan","importance":"headline","unit":"subscribers","category":"customers",
    "basis":"instant","dimension_axis":null,"first_period":"FY2023-Q4","last_period":"FY2024-Q2","canonical_id":null\}
    \],"pagination":\{"next_cursor":null,"has_more":false\}\}\z/x, 'metrics, by key');
same_json([map { "$_->{metric_key} $_->{display} $_->{last_period}" } get('kpis?as_of=2024-04-01')->{data}->@*], ['subscribers Subscribers FY2023-Q4'],
    '... as of an instant: what was public, in the words of then');
same_json(get('kpis?as_of=2024-02-01')->{data}, [], '... nothing before');
same_json([map { $_->{metric_key} } get('kpis?direction=desc')->{data}->@*], [qw(subscribers revenue)], '... the other way round');

# --- a series -------------------------------------------------------------------------------------

sub points { my ($query) = @_; return get('kpis/subscribers' . ($query ? "?$query" : ''))->{points} }

sub brief { return [map { join ' ', $_->{period}{end_date}, $_->{value}{raw}, "@{$_->{sources}}", $_->{sources_agree} // 'alone', $_->{restated} ? 'restated' : () } @_] }

like($site->get("$company/kpis/subscribers?as_of=2024-02-10")->body, qr/\A\{"company":\{"symbol":"EXMP:US","ticker":"EXMP","market":"US","name":"Example\ Inc\.","cik":"0000008100",
    "isin":null,"figi":null,"issuer_id":$issuer\},"metric":\{"metric_key":"subscribers","display":"Subscribers","definition":"Subscribers\ with\ a\ paid\ plan",
    "importance":"headline","unit":"subscribers","category":"customers","basis":"instant","split_adjusted":false\},"points":\[
    \{"period":\{"calendar":"2023Q4","fiscal":"Q4\ FY2023","start_date":null,"end_date":"2023-12-31","kind":"instant"\},
    "value":\{"raw":1000,"normalized":1000,"unit":"subscribers","original_unit":"subscribers","conversion_factor":1\},"kind":"actual","tier":"reported",
    "source_tier":"extracted","sources":\["EX-99\.1"\],"sources_agree":null,"split_adjusted":false,"restated":false,"dimension":null,"member":null,
    "provenance":\[\{"src_id":"src_kpi_observation_[0-9a-f]{32}","source_provider":"issuer_page","source_url":"https:\/\/issuer\.example\/EX-99\.1","accession":null,
    "quote":"1000\ as\ written","content_hash":(?:null|"sha256:[0-9a-f]{64}"),"extracted_at":"2024-02-01T12:00:00Z"\}\]\}\]\}\z/x, 'a whole answer');
same_json(brief(points('as_of=2024-12-31')->@*), ['2023-12-31 1000 10-K EX-99.1 1', '2024-03-31 1101 10-Q EX-99.1 0', '2024-06-30 1200 10-Q alone'],
    'before the restatement: sources agree, disagree, or there is one; the newest is preferred');
same_json([map { $_->{source_tier} } points('as_of=2024-08-20')->@*], [qw(verified extracted extracted)], '... stated as verified, or not');
same_json(brief(points()->@*), ['2023-12-31 990 10-K EX-99.1 0 restated', '2024-03-31 1101 10-Q EX-99.1 0', '2024-06-30 1200 10-Q alone'], '... after it');
is(points()->[0]{provenance}->@*, 2, 'each source has its provenance');
is(points()->[0]{provenance}[0]{quote}, '990 as written', '... that of the value first');
is($json->decode($site->get('/v1/src/' . points()->[1]{provenance}[1]{src_id})->body)->{record}{value}{raw}, '1100.5', '... which leads to the record');
same_json(points('scale=thousand')->[2]{value}, { raw => 1200, normalized => 1.2, unit => 'subscribers_thousand', original_unit => 'subscribers', conversion_factor => 0.001 }, 'in thousands');
same_json([map { "$_->{dimension} $_->{member}" } get('kpis/revenue')->{points}->@*], ['segment Cloud', 'segment Devices'], 'of segments alone, if nothing is reported of the whole');
like($site->get("$company/kpis/revenue?scale=billion")->body, qr/"value":\{"raw":12345678901234567890\.5,"normalized":12345678901\.2345678905,"unit":"USD_billion"/, '... to the last digit');

# --- observations ---------------------------------------------------------------------------------

my $all = get('kpis/subscribers/observations');
same_json([$all->{metric_key}, $all->{company}{symbol}], ['subscribers', 'EXMP:US'], 'observations name metric and company');
same_json([map { join ' ', $_->{period}{end_date}, $_->{source_type}, $_->{value}{raw}, $_->{tier}, $_->{restated} ? 'restated' : () } $all->{data}->@*],
    ['2024-06-30 10-Q 1200 extracted', '2024-03-31 10-Q 1101 extracted', '2024-03-31 EX-99.1 1100.5 extracted', '2023-12-31 10-K 990 extracted restated', '2023-12-31 EX-99.1 1000 extracted'],
    'each as its source reports it');
my %ids = map { ($_->{obs_id} => 1) } $all->{data}->@*;
is(scalar(grep { /\A[0-9a-f]{64}\z/ } keys %ids), 5, 'each has an obs_id of its own');
my ($before) = grep { $_->{source_type} eq '10-K' } get('kpis/subscribers/observations?as_of=2024-12-31')->{data}->@*;
ok($ids{ $before->{obs_id} }, '... the same before a restatement');
same_json([$before->{value}{raw}, $before->{tier}], [1000, 'verified'], '... with the value of then');
my ($walked, $cursor) = ([]);
for (1 .. 5) {
    my $page = get('kpis/subscribers/observations?limit=2' . ($cursor ? "&cursor=$cursor" : ''));
    push @$walked, $page->{data}->@*;
    last if !($cursor = $page->{pagination}{next_cursor});
}
same_json($walked, $all->{data}, '... page by page');

# --- segments -------------------------------------------------------------------------------------

my $segments = get('segments?unit=million');
same_json([sort map { join ' ', $_->@{qw(metric_key issuer_label dimension member tier)}, $_->{value}{unit}, $_->{period}{fiscal} } $segments->{data}->@*],
    ['revenue Cloud revenue segment Cloud dimensioned USD_million Q1 FY2024', 'revenue Devices revenue segment Devices verified USD_million Q1 FY2024'], 'segments');
like($segments->{_gaps}[0], qr/extractions/, '... and what they do not cover');
same_json(get('segments?as_of=2024-05-01')->{data}, [], '... none before they were public');

# --- beside canonical metrics ---------------------------------------------------------------------

my $facts = { cik => $cik, entityName => 'Example Inc.', facts => { 'us-gaap' => { Revenues => { units => { USD => [
    { start => '2024-01-01', end => '2024-03-31', val => 1000, accn => '0000008100-24-000001', form => '10-Q', filed => '2024-05-10', fy => 2024, fp => 'Q1' },
    { start => '2024-04-01', end => '2024-06-30', val => 1500, accn => '0000008100-24-000002', form => '10-Q', filed => '2024-08-10', fy => 2024, fp => 'Q2' },
    { start => '2024-01-01', end => '2024-06-30', val => 2500, accn => '0000008100-24-000002', form => '10-Q', filed => '2024-08-10', fy => 2024, fp => 'Q2' },
    { start => '2024-01-01', end => '2024-09-30', val => 4100, accn => '0000008100-24-000003', form => '10-Q', filed => '2024-11-10', fy => 2024, fp => 'Q3' },
] } } } } };
($code, $output) = ($site->control('import', 'sec-companyfacts', $site->write("CIK000000$cik.json", $json->encode($facts))))[0, 1];
is($code, 0, 'numbers in XBRL are loaded') or diag $output;
my ($revenue) = grep { $_->{metric_key} eq 'revenue' } get('kpis')->{data}->@*;
same_json([$revenue->@{qw(display unit category basis dimension_axis last_period canonical_id)}], ['Revenue', 'currency', 'income_statement', 'duration', 'segment', 'FY2024-Q3', 'revenue'],
    'a canonical metric, which has segments too');
same_json([map { join ' ', $_->{period}{end_date}, $_->{value}{raw}, $_->{tier}, $_->{source_tier}, "@{$_->{sources}}" } get('kpis/revenue')->{points}->@*],
    ['2024-03-31 1000 reported extracted 10-Q', '2024-06-30 1500 reported verified 10-Q', '2024-09-30 1600 derived derived 10-Q'],
    'its points are of the company as a whole');
($code, $output) = load(observation('8-K', '2024-07-20T12:00:00Z', 'revenue', '2024-06-30', 1499, unit => 'USD', basis => 'duration', start_date => '2024-04-01', issuer_label => 'Sales'));
is($code, 0, 'a release has another number') or diag $output;
my (undef, $second) = get('kpis/revenue')->{points}->@*;
same_json(brief($second), ['2024-06-30 1500 10-Q 8-K 0'], '... and the point says so');
same_json([map { "$_->{period}{end_date} $_->{issuer_label}: $_->{as_described}" } grep { !defined $_->{dimension} } get('kpis/revenue/observations')->{data}->@*],
    ['2024-09-30 Revenue: a longer period less its beginning', '2024-06-30 Sales: Subscribers with a paid plan', '2024-06-30 Revenue: us-gaap:Revenues', '2024-03-31 Revenue: us-gaap:Revenues'],
    'observations name the element or the rule');
is($json->decode($site->get('/v1/coverage')->body)->{$_->[0]}, $_->[1], "coverage: $_->[0]") for ['tickers_with_kpis', 1];
same_json([$json->decode($site->get('/v1/coverage')->body)->{datasets}->@{qw(kpi_metrics kpi_observations)}], [2, 8], '... metrics and observations');
is($json->decode($site->get('/v1/coverage?as_of=2024-01-01')->body)->{tickers_with_kpis}, 0, '... none before');

# --- other units, periods and times of coming -----------------------------------------------------

my @margin = map { observation($_->[0], $_->[1], 'churn', $_->[2], $_->[3], unit => 'percent', basis => 'duration', start_date => '2024-01-01', $_->[4]->%*) }
    ['10-Q', '2024-11-01T12:00:00Z', '2024-06-30', '2.25', {}], ['10-Q', '2024-08-01T12:00:00Z', '2024-06-30', '2.50', { fiscal => 'FY2024', tier => 'derived' }],
    ['8-K', '2024-07-20T12:00:00Z', '2024-06-30', '2.4', { split_adjusted => JSON::PP::true }];
for my $line (@margin) {
    ($code, $output) = load($line);
    is($code, 0, 'the later value is loaded first') or diag $output;
}
my ($half) = get('kpis/churn?scale=million')->{points}->@*;
same_json($half->{period}, { calendar => undef, fiscal => undef, start_date => '2024-01-01', end_date => '2024-06-30', kind => 'half' }, 'half a year');
same_json($half->{value}, { raw => 2.25, normalized => 2.25, unit => 'percent', original_unit => 'percent', conversion_factor => 1 }, 'percentages are not scaled');
same_json([$half->@{qw(sources tier source_tier sources_agree restated)}], [['10-Q', '8-K'], 'reported', 'extracted', JSON::PP::false, JSON::PP::true], '... of two sources');
my ($then) = get('kpis/churn?as_of=2024-09-01')->{points}->@*;
same_json([$then->{value}{raw}, $then->@{qw(tier source_tier restated split_adjusted)}, $then->{period}{fiscal}], [2.4, 'reported', 'extracted', JSON::PP::false, JSON::PP::true, 'FY2024'],
    '... before that what is reported comes before what is derived; the fiscal period is that of whichever source has one');
same_json([map { "$_->{period}{end_date} $_->{source_type}" } get('kpis/subscribers/observations?direction=asc&limit=2')->{data}->@*], ['2023-12-31 EX-99.1', '2023-12-31 10-K'], 'observations, the first first');
($code, $output) = load(observation('transcript', '2024-11-02T12:00:00Z', 'subscribers', '2024-06-30', '1200.0'));
is($code, 0, 'a second source agrees') or diag $output;
same_json([points()->[2]->@{qw(sources_agree source_tier tier)}], [JSON::PP::true, 'verified', 'reported'], '... which verifies what was extracted');
my ($churn) = grep { $_->{metric_key} eq 'churn' } get('kpis')->{data}->@*;
same_json([$churn->@{qw(first_period last_period)}], ['FY2024-Q2', 'FY2024-Q2'], 'without a fiscal period the quarter of the calendar');

# --- several sources, of which some agree ---------------------------------------------------------

my $told = sub { my ($metric, $unit, @sources) = @_; my $day = 0; return map { observation($_->[0], sprintf('2024-05-%02dT10:00:00Z', ++$day), $metric, '2024-03-31', $_->[1], unit => $unit, $_->[2] ? (tier => $_->[2]) : ()) } @sources };
my $low = 'extracted_low_confidence';
($code, $output) = load($told->('two_of_three', 'count', ['10-Q', 100], ['transcript', '100.0'], ['EX-99.1', 120]), $told->('two_and_sure', 'count', ['8-K', 90, 'verified'], ['10-Q', 100], ['transcript', 100]),
    $told->('three_and_two', 'count', ['10-Q', 100], ['8-K', 100], ['10-K', 100], ['transcript', 120], ['EX-99.1', 120]), $told->('two_low', 'count', ['10-Q', 7, $low], ['transcript', 7, $low], ['EX-99.1', 8, $low]),
    $told->('low_and_one', 'count', ['10-Q', 7, $low], ['transcript', 7, $low], ['EX-99.1', 8]), $told->('in_millions', 'USD_million', ['10-Q', 7]), $told->('in_thousands', 'USD_thousand', ['10-Q', '7000.5']));
is($code, 0, 'several sources') or diag $output;
sub first_point { my ($metric) = @_; my ($point) = get("kpis/$metric")->{points}->@*; return join ' ', $point->{value}{raw}, $point->{source_tier}, $point->{sources_agree} ? 'agree' : 'differ', "@{$point->{sources}}", $point->{provenance}[0]{quote} =~ s/(?:[.]0)? .*//r }
is(first_point('two_of_three'), '100 verified differ 10-Q EX-99.1 transcript 100', 'two that agree verify the value; the newest alone does not');
is(first_point('two_and_sure'), '90 verified differ 10-Q 8-K transcript 90', '... what was loaded as verified comes first');
is(first_point('three_and_two'), '100 verified differ 10-K 10-Q 8-K EX-99.1 transcript 100', '... three count for more than two');
is(first_point('two_low'), "8 $low differ 10-Q EX-99.1 transcript 8", '... of low confidence they verify nothing');
is(first_point('low_and_one'), '8 extracted differ 10-Q EX-99.1 transcript 8', '... nor against one of a better tier');
for my $scaled (['in_millions', 'thousand', 7000, 'USD_thousand', 1000], ['in_millions', 'million', 7, 'USD_million', 1], ['in_millions', 'billion', '0.007', 'USD_billion', 0.001], ['in_thousands', 'million', '7.0005', 'USD_million', 0.001],
    ['in_thousands', 'thousand', '7000.5', 'USD_thousand', 1]) {
    my ($metric, $scale, $normalized, $unit, $factor) = @$scaled;
    my $value = get("kpis/$metric?scale=$scale")->{points}[0]{value};
    same_json([$value->@{qw(normalized unit original_unit conversion_factor)}], [$normalized + 0, $unit, $metric eq 'in_millions' ? 'USD_million' : 'USD_thousand', $factor + 0], "$metric in ${scale}s");
}

# --- versions of metrics, by their definition: at each instant the latest observation of the company as a whole, else the latest of all ----------

# Random histories: of some metrics records that are told again only, of others such as end, for good or for half a day; and asides that nobody knew.
$site->execute(<<'SQL');
SET search_path = disclosed;
SELECT setseed(0.25);
INSERT INTO kpi_observation (id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, metric_key, end_date, dimension, member,
                             issuer_label, as_described, unit, basis, value, source_type, fiscal)
SELECT 1000 + n, issuer_id, format('%s/%s', metric_key, n), known_at,
       CASE WHEN random() < 0.05 THEN known_at
            WHEN later IS NOT NULL THEN later - CASE WHEN random() < 0.03 * (n % 40 % 3) THEN interval '12 hours' ELSE interval '0' END
            WHEN random() < 0.03 * (n % 40 % 3) THEN known_at + interval '9 days' END,
       md5(n || '/' || v)::uuid, source_id, metric_key, date '2020-12-31' + n % 7 * 91, 'axis_' || NULLIF(n % 11 % 4, 0), CASE WHEN n % 11 % 4 > 0 THEN 'm' || n END,
       'label ' || n, 'words ' || v, 'unit', 'instant', n, 'T' || n, NULL
FROM (SELECT *, lead(known_at) OVER (PARTITION BY n ORDER BY v) AS later
      FROM (SELECT n, v, 'random_' || n % 40 AS metric_key, since + interval '1 day' * v * (1 + n % 5) AS known_at
            FROM (SELECT n, timestamptz '2021-01-01 00:00Z' + interval '1 day' * floor(random() * 60) AS since FROM generate_series(1, 1600) n) point,
                 generate_series(0, n % 4) v) version) known,
     (SELECT issuer_id, source_id FROM kpi_observation LIMIT 1) company;
CREATE VIEW defined_version AS
WITH known AS (SELECT * FROM kpi_observation WHERE metric_key LIKE 'random%' AND superseded_at IS DISTINCT FROM known_at),
told AS (
    SELECT i.metric_key, i.known_at, string_agg(DISTINCT dimension, ', ') AS axes,
           (array_agg(issuer_label || '/' || as_described ORDER BY dimension IS NULL DESC, end_date DESC, k.known_at DESC, record_key))[1] AS words
    FROM (SELECT DISTINCT metric_key, known_at FROM known) i
    LEFT JOIN known k ON k.metric_key = i.metric_key AND k.known_at <= i.known_at AND (k.superseded_at > i.known_at OR k.superseded_at IS NULL)
    GROUP BY 1, 2),
version AS (SELECT *, lag(ROW(words, axes)) OVER (PARTITION BY metric_key ORDER BY known_at) IS DISTINCT FROM ROW(words, axes) AS is_new FROM told)
SELECT metric_key, known_at, lead(known_at) OVER (PARTITION BY metric_key ORDER BY known_at) AS superseded_at, words, axes
FROM version WHERE is_new;
CREATE VIEW derived_version AS
SELECT metric_key, known_at, superseded_at, display || '/' || definition, dimension_axis
FROM kpi_metric_versions(ARRAY(SELECT DISTINCT issuer_id FROM kpi_observation)) WHERE metric_key LIKE 'random%';
SQL
cmp_ok($site->value('SELECT count(*) FROM disclosed.defined_version'), '>', 300, 'versions of metrics of random histories');
is($site->value("SELECT count(*) FROM ((TABLE disclosed.$_->[0] EXCEPT ALL TABLE disclosed.$_->[1]) LIMIT 3) x"), 0, "... each $_->[2]") for ['defined_version', 'derived_version', 'is there'], ['derived_version', 'defined_version', 'is right'];

# --- what is refused ------------------------------------------------------------------------------

for my $path ('kpis/nosuch', 'kpis/nosuch/observations', 'kpis/subscribers?as_of=2024-01-01') {
    my $answer = $site->get("$company/$path");
    my $key = $path =~ /nosuch/ ? 'nosuch' : 'subscribers';
    is($answer->status . ' ' . $answer->json->{detail}, "404 The company has no metric with the key \"$key\".", "$path: 404");
}
for my $path (qw(kpis kpis/subscribers kpis/subscribers/observations segments)) {
    my $answer = $site->get("/v1/companies/NOSUCH:US/$path");
    is($answer->status, 404, "$path of nobody: 404");
    like($answer->json->{detail}, qr/NOSUCH:US/, '... which names the company');
}
is($site->get("$company/$_")->status, 422, "$_: 422") for 'kpis?limit=501', 'kpis?limit=0', 'kpis/subscribers?scale=dozen', 'kpis/subscribers/observations?limit=501', 'segments?unit=dozen', 'kpis?cursor=x';
like($site->get("$company/kpis/subscribers?scale=dozen")->body, qr/"loc":\["query","scale"\]/, '... at the parameter');

for my $wrong (
    [{ metric_key => 'Paid Subscribers' }, 'metric_key: not small letters, digits and underscores'],
    [{ dimension => 'segment' }, 'dimension and member: one without the other'],
    [{ start_date => '2024-01-01' }, 'start_date: a duration has one, an instant has none'],
    [{ basis => 'duration', start_date => '2025-01-01' }, 'start_date: after the end'],
    [{ fiscal => 'FY2024-Q1' }, 'fiscal: not Q2 FY2024, nor FY2024'],
    [{ tier => 'sure' }, 'tier: not one of'],
    [{ record_key => 'mine' }, 'record_key: can only be subscribers////2024-03-31/10-Q'],
) {
    ($code, $output) = load(observation('10-Q', '2024-06-01T12:00:00Z', 'subscribers', '2024-03-31', 1, $wrong->[0]->%*));
    like($output . $site->value('SELECT reason FROM import_reject ORDER BY import_run_id DESC LIMIT 1'), qr/\Q$wrong->[1]\E/, "rejected: $wrong->[1]");
}

# --- many companies -------------------------------------------------------------------------------

# What is derived of a whole data set must not be joined to itself: in a first load, without statistics, that is done row by row.
my $derive = $site->value("SELECT prosrc FROM pg_proc WHERE proname = 'kpi_metric_versions'") =~ s/\bissuers\b/ARRAY[1, 2]::bigint[]/gr;
my $plan = $site->value("SET search_path = disclosed, public; SET enable_hashjoin = off; SET enable_mergejoin = off; EXPLAIN (COSTS OFF) $derive");
is(scalar(() = $plan =~ /CTE Scan on canonical\b/g), 1, 'metrics of all companies are read once');
is(scalar(() = $plan =~ /CTE Scan on instant\b/g), 2, '... with what has been said by each instant: those that end, and the others');

# --- a series of which nothing is observed is read for less, and says the same --------------------

my $plain = 8101;
my @net = map { { start => $_->[0], end => $_->[1], val => $_->[2], accn => "0000008101-$_->[3]", form => $_->[4], filed => $_->[5], fy => 2024, fp => $_->[6] } }
    ['2024-01-01', '2024-03-31', 10, '24-000001', '10-Q', '2024-05-10', 'Q1'], ['2024-04-01', '2024-06-30', 20, '24-000002', '10-Q', '2024-08-10', 'Q2'],
    ['2024-01-01', '2024-09-30', 60, '24-000003', '10-Q', '2024-11-10', 'Q3'], ['2024-01-01', '2024-12-31', 100, '25-000001', '10-K', '2025-02-20', 'FY'],
    ['2024-01-01', '2024-03-31', 11, '25-000002', '10-Q/A', '2025-05-10', 'Q1'], ['2024-01-01', '2024-12-31', 100, '25-000002', '10-Q/A', '2025-05-10', 'Q1'];
my @per_share = map { { %$_, val => $_->{val} / 100 } } @net[0, 1];
$facts = { cik => $plain, entityName => 'Plain Inc.', facts => { 'us-gaap' => { NetIncomeLoss => { units => { USD => \@net } }, EarningsPerShareBasic => { units => { 'USD/shares' => \@per_share } } } } };
($code, $output) = load({ dataset => 'listing', cik => $plain, record_key => 'PLIN:US', ticker => 'PLIN', market => 'US', name => 'Plain Inc.', status => 'active',
    known_at => '2000-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } });
is($code, 0, 'another company is listed') or diag $output;
is(($site->control('import', 'sec-companyfacts', $site->write("CIK000000$plain.json", $json->encode($facts))))[0], 0, '... and has numbers in XBRL');
my @plain_series = map { my $metric = $_; map { "/v1/companies/PLIN:US/kpis/$metric$_" } '', '?scale=thousand', '?as_of=2024-09-01', '?as_of=2025-03-01' } qw(net_income eps_basic);
my %before = map { $_ => $json->encode($json->decode($site->get($_)->body)->{points}) } @plain_series;
same_json([map { join ' ', $_->{period}{end_date}, $_->{period}{kind}, $_->{value}{raw}, $_->{source_tier}, "@{$_->{sources}}", $_->{restated} ? 'restated' : () } $json->decode($before{$plain_series[0]})->@*],
    ['2024-03-31 quarter 11 extracted 10-Q/A restated', '2024-06-30 quarter 20 extracted 10-Q', '2024-12-31 quarter 40 derived 10-K', '2024-12-31 annual 100 verified 10-K'], 'points of numbers in XBRL alone');
for my $metric (qw(net_income eps_basic)) {
    ($code, $output) = load({ %{ observation('8-K', '2026-02-20T12:00:00Z', $metric, '2025-12-31', 7, unit => $metric eq 'net_income' ? 'USD' : 'USD_per_share', basis => 'duration', start_date => '2025-10-01') }, cik => $plain });
    is($code, 0, "$metric is observed of another period") or diag $output;
}
for my $path (@plain_series) {
    my @after = grep { $_->{period}{end_date} ne '2025-12-31' } $json->decode($site->get($path)->body)->{points}->@*;
    is($json->encode(\@after), $before{$path}, "$path: the others are what they were");
}

finish();

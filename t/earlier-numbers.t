# Numbers of the earlier surface: elements and their series, canonical facts, calculations, peers, and what is expected of a company.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Schema qw(schema_faults);
use Disclosed::Test;
use Disclosed::JSON ();
use List::Util qw(sum);

promises(
    earlier_list_metric_concepts => {
        parameters => [qw(ticker limit fields as_of)],
        fields => [qw(concept taxonomy name unit fact_count first_end_date last_end_date)],
    },
    earlier_list_metric_points => {
        parameters => [qw(ticker concept freq limit fields as_of)],
        fields => [qw(concept unit start_date? end_date kind calendar? value restated first_value filing_count form provenance)],
    },
    earlier_get_kpi_facts => {
        parameters => [qw(ticker canonical calendar_period tier published_only include limit as_of)],
        fields => [qw(ticker? facts)],
    },
    earlier_get_canonical_facts => {
        parameters => [qw(ticker canonical period_end only_axis only_consolidated tier limit as_of)],
        fields => [qw(ticker? facts)],
    },
    earlier_get_calculation => {
        parameters => [qw(ticker canonical_name period_end as_of)],
        fields => [qw(ticker? canonical_name link_role period value source_tier sum? difference? children provenance)],
    },
    earlier_get_peers => {
        parameters => [qw(ticker canonical_name max_peers max_periods as_of)],
        fields => [qw(ticker? canonical_name series)],
    },
    earlier_get_coverage => {
        parameters => [qw(ticker as_of)],
        fields => [qw(ticker? templates expected_canonicals counts)],
    },
);
my $site = site();
my $surface = '/api/disclosed/v1';
my $json = Disclosed::JSON->new->utf8;
my ($code, $out) = run(build('BUILDDIR') . '/disclosedctl', 'openapi', '--surface', 'earlier');
my $document = $json->decode($out);

sub get
{
    my ($path, $template) = @_;
    my $response = $site->get("$surface$path");
    is($response->status, 200, substr $path, 0, 60) or diag $response->describe;
    my $body = json_of($response, $path);
    my $schema = $document->{paths}{$surface . ($template // '')}{get}{responses}{200}{content}{'application/json'}{schema};
    same_json([schema_faults($body, $schema, $document)], [], '... fits its schema') if $template;
    return $json->decode($response->body);
}

# --- elements ---------------------------------------------------------------------------------

my $concepts = get('/metrics/LYXRAX/concepts', '/metrics/{ticker}/concepts');
same_json([map { $_->{fact_count} } @$concepts], [sort { $b <=> $a } map { $_->{fact_count} } @$concepts], '... the most frequent first');
is(sum(map { $_->{fact_count} } @$concepts), $site->value("SELECT sum(cardinality(concepts)) FROM xbrl_report r JOIN issuer i USING (issuer_id) WHERE i.ticker = 'LYXRAX'"), '... all facts are counted');
same_json(get('/metrics/LYXRAX/concepts?limit=2'), [@$concepts[0, 1]], '... the first two');
is($site->get("$surface/metrics/LYXRAX/concepts?as_of=2000-01-01")->status, 404, '... none before there was a company');
is((grep { $_->{last_end_date} gt '2023-01-01' } get('/metrics/LYXRAX/concepts?as_of=2023-01-01')->@*), 0, '... and no later ones than were public');

my $series = get('/metrics/LYXRAX/series?concept=us-gaap:Revenues&limit=200', '/metrics/{ticker}/series');
my %seen;
is((grep { $seen{"$_->{start_date} $_->{end_date} $_->{unit}"}++ } @$series), 0, '... each period once');
same_json([map { $_->{end_date} } @$series], [sort { $b cmp $a } map { $_->{end_date} } @$series], '... the latest first');
same_json([map { $_->{kind} } @$series], [map { 'quarter' } @$series], '... quarters');
my ($restated) = grep { $_->{end_date} eq '2022-12-31' } @$series;
same_json([@$restated{qw(value first_value restated filing_count)}], [15183000, 15336000, JSON::PP::true, 2], '... a restated one is flagged, with what was said first');
($restated) = grep { $_->{end_date} eq '2022-12-31' } get('/metrics/LYXRAX/series?concept=us-gaap:Revenues&as_of=2024-01-01')->@*;
same_json([@$restated{qw(value restated filing_count)}], [15336000, JSON::PP::false, 1], '... and is not before it was');
for my $case (['annual', 'annual'], ['instant', 'instant', 'us-gaap:Assets'], ['any', 'annual half quarter ytd']) {
    my ($frequency, $kinds, $concept) = @$case;
    my %kinds = map { ($_->{kind} => 1) } get("/metrics/LYXRAX/series?concept=@{[$concept // 'us-gaap:Revenues']}&freq=$frequency&limit=200")->@*;
    is(join(' ', sort keys %kinds), $kinds, "... $frequency");
}
same_json(get('/metrics/LYXRAX/series?concept=us-gaap:Nothing'), [], 'an element that the company does not report');

# --- canonical facts --------------------------------------------------------------------------

sub facts { return get(@_)->{facts} }
sub whole { return [grep { !defined $_->{dimension} } facts(@_)->@*] } # t/canonical-parts.t is about those of parts
my $kpi = facts('/kpi/LYXRAX?canonical=revenue&limit=1000', '/kpi/{ticker}');
my $all = facts('/kpi/LYXRAX?canonical=revenue&limit=1000&tier=all');
is(join(' ', sort keys { map { ($_->{source_tier} => 1) } @$kpi }->%*), 'derived dimensioned verified', 'the default tiers');
is(join(' ', sort keys { map { ($_->{source_tier} => 1) } @$all }->%*), 'derived dimensioned extracted verified', '... all of them');
is((grep { !defined $_->{dimension} } @$all), $site->value("SELECT count(*) FROM fundamental t JOIN issuer i USING (issuer_id) WHERE i.ticker = 'LYXRAX' AND metric_key = 'revenue' AND superseded_at IS NULL"), '... and all current facts');
is((grep { exists $_->{_qa} } @$all), 0, 'checks are not told');
my ($checked) = facts('/kpi/LYXRAX?canonical=revenue&include=qa&limit=1', '/kpi/{ticker}')->@*;
same_json($checked->{_qa}, {extractor => 'xbrl', extractor_confidence => 1, auditor_status => 'agreed'}, '... but with include=qa');
for my $period ('2022-Q4', '2022Q4', '2022q4') {
    same_json([map { $_->{value}{raw} } whole("/kpi/LYXRAX?canonical=revenue&tier=all&calendar_period=$period")->@*], [15183000], "the calendar period $period");
}
$site->execute("UPDATE disclosed.fundamental SET is_suspect = true WHERE metric_key = 'revenue' AND end_date = '2022-12-31' AND period_kind = 'quarter'");
same_json(whole('/kpi/LYXRAX?canonical=revenue&tier=all&calendar_period=2022Q4&as_of=2099-01-01'), [], 'a suspect fact is not published');
is(facts('/kpi/LYXRAX?canonical=revenue&tier=all&calendar_period=2022Q4&published_only=false&as_of=2099-01-01&include=qa')->[0]{_qa}{auditor_status}, 'suspect', '... and found with published_only=false');
same_json(whole('/kpi/LYXRAX?canonical=revenue&calendar_period=2022Q4&published_only=false&as_of=2099-01-01'), [], '... in the tier all alone');
$site->execute("UPDATE disclosed.fundamental SET is_suspect = false WHERE is_suspect");

# The tier all is for plans that have all facts: of the built-in ones builder and enterprise.
for my $case (['free', 403], ['test', 403], ['starter', 403], ['builder', 200], ['enterprise', 200]) {
    my ($plan, $status) = @$case;
    for my $path ('/kpi/LYXRAX', '/canonical/LYXRAX') {
        my $response = $site->get("$surface$path?tier=all&limit=1", key => $site->{keys}{$plan});
        is($response->status, $status, "$path?tier=all: $plan");
        problem_is($response, 403, '... says which plan has it', instance => "$surface$path", required_tier => 'builder', detail => 'tier=all needs the plan builder or a higher one.') if $status == 403;
        is($site->get("$surface$path?limit=1", key => $site->{keys}{$plan})->status, 200, '... which the default tiers need not');
    }
}

my $day = facts('/canonical/ZEMRUZ?period_end=2025-12-31&tier=all&limit=2000', '/canonical/{ticker}');
is((grep { $_->{period}{end_date} ne '2025-12-31' } @$day), 0, 'canonical facts of a day');
same_json(facts('/canonical/ZEMRUZ?period_end=2025-12-31&tier=all&only_consolidated=true&limit=2000'), [grep { !defined $_->{dimension} } @$day], '... of the company as a whole');
same_json(facts('/canonical/ZEMRUZ?period_end=2025-12-31&tier=all&only_axis=ProductOrServiceAxis'), [], '... none is on an axis');
same_json(facts('/canonical/ZEMRUZ?period_end=2025-12-31&tier=all&only_axis=segment'), [grep { ($_->{dimension} // '') eq 'segment' } @$day], '... some are of segments');
cmp_ok((grep { ($_->{dimension} // '') eq 'segment' } @$day), '>', 0, '... of which there are');
same_json(facts('/canonical/ZEMRUZ?canonical=nothing'), [], 'facts of no metric');

# --- calculations -----------------------------------------------------------------------------

my $checked_sums = 0;
my ($issuer) = $site->rows("SELECT issuer_id FROM issuer WHERE ticker = 'ZEMRUZ'");
for my $fact (grep { ($_->{derivation} // '') eq 'formula' || $_->{canonical} eq 'gross_profit' } @$day) {
    my $calculation = get("/canonical/ZEMRUZ/$fact->{canonical}/calc?period_end=2025-12-31", '/canonical/{ticker}/{canonical_name}/calc');
    my @children = $calculation->{children}->@*;
    cmp_ok(scalar @children, '>', 1, "... $fact->{canonical} has children");
    next if $children[0]{kind} eq 'ratio';
    if ($children[0]{kind} eq 'average_ratio') {
        my ($amount, $opening, $closing) = map { $_->{value} } @children;
        is(sprintf('%.4f', 2 * $amount / ($opening + $closing)), sprintf('%.4f', $calculation->{value}), '... of which the first, by the average of the others, is the value');
        next;
    }
    my $sum = sum(map { $_->{weight} * $_->{value} } @children);
    same_json([map { 0 + $_ } @$calculation{qw(sum difference)}], [0 + $sum, 0 + ($calculation->{value} - $sum)], '... and the sum is theirs');
    $checked_sums++;
}
cmp_ok($checked_sums, '>', 0, "$checked_sums sums");

# By the filing's own statement where it has the sum; by the dictionary's formula before that is known, and of what it does not have.
my $profit = get('/canonical/ZEMRUZ/gross_profit/calc?period_end=2025-12-31', '/canonical/{ticker}/{canonical_name}/calc');
is($profit->{link_role}, 'https://filer.example/role/IncomeStatement', 'the statement of the filing');
same_json([map { "$_->{name} $_->{kind} $_->{weight}" } $profit->{children}->@*], ['us-gaap:Revenues sum 1', 'us-gaap:CostOfRevenue sum -1'], '... and its lines');
is($profit->{difference}, 0, '... add up');
my $lines_of = json_of($site->get("/v1/src/$profit->{children}[0]{src_id}"), 'the source of a line');
is("$lines_of->{resolvable} $lines_of->{record}{accession}", "1 $profit->{provenance}{accession}", '... of the filing\'s report');
is(get('/canonical/ZEMRUZ/net_margin/calc?period_end=2025-12-31', '/canonical/{ticker}/{canonical_name}/calc')->{link_role}, 'formula', 'a ratio is by the dictionary');
$site->execute("UPDATE disclosed.xbrl_linkbase SET weights[2] = '1' WHERE accession = '$profit->{provenance}{accession}'");
my $wrong = get('/canonical/ZEMRUZ/gross_profit/calc?period_end=2025-12-31&as_of=2100-01-01T00:00:01Z', '/canonical/{ticker}/{canonical_name}/calc');
isnt($wrong->{difference}, 0, 'a filing that does not add up says so');
$site->execute("UPDATE disclosed.xbrl_linkbase SET roles = '{}', parents = '{}', children = '{}', weights = '{}' WHERE accession = '$profit->{provenance}{accession}'");
$wrong = get('/canonical/ZEMRUZ/gross_profit/calc?period_end=2025-12-31&as_of=2100-01-01T00:00:02Z', '/canonical/{ticker}/{canonical_name}/calc');
same_json([$wrong->{link_role}, map { $_->{name} } $wrong->{children}->@*], ['formula', 'revenue', 'cost_of_revenue'], '... one without the sum is by the dictionary');
problem_is($site->get("$surface/canonical/ZEMRUZ/revenue/calc?period_end=2025-12-30"), 404, 'no number of that day', instance => "$surface/canonical/ZEMRUZ/revenue/calc",
    detail => 'The company has no number of the metric "revenue" for a period that ends on that day.');

# --- peers ------------------------------------------------------------------------------------

my $peers = get('/canonical/ZEMRUZ/revenue/peers?max_peers=2&max_periods=3', '/canonical/{ticker}/{canonical_name}/peers');
is($peers->{series}[0]{ticker}, 'ZEMRUZ', 'the company comes first');
my %tickers = map { ($_->{ticker} => 1) } $peers->{series}->@*;
my $others = $site->value("SELECT count(DISTINCT z.issuer_id) FROM issuer i JOIN issuer_profile p ON p.issuer_id = i.issuer_id AND p.superseded_at IS NULL
    JOIN issuer_profile o ON o.sic = p.sic AND o.superseded_at IS NULL JOIN metric_issuer z ON z.issuer_id = o.issuer_id AND z.metric_key = 'revenue' WHERE i.ticker = 'ZEMRUZ'");
is(scalar keys %tickers, $others < 3 ? $others : 3, '... with those of its industry');
my %days = map { ($_->{aligned_on} => 1) } $peers->{series}->@*;
is(scalar keys %days, 3, '... at three of its quarters');
is((grep { $_->{period}{kind} ne 'quarter' } $peers->{series}->@*), 0, '... all quarters');
problem_is($site->get("$surface/canonical/ZEMRUZ/nothing/peers"), 404, 'peers by no metric', instance => "$surface/canonical/ZEMRUZ/nothing/peers",
    detail => 'There is no metric with the key "nothing".');

# Who is of like size is told by what was known then: later sizes choose nobody as of before.
$site->execute("UPDATE disclosed.issuer_profile SET sic = (SELECT p.sic FROM disclosed.issuer_profile p JOIN disclosed.issuer i USING (issuer_id) WHERE i.ticker = 'ZEMRUZ' AND p.superseded_at IS NULL)");
sub nearest {
    my ($query) = @_;
    my %series = map { ($_->{ticker} => 1) } get("/canonical/ZEMRUZ/revenue/peers?$query", '/canonical/{ticker}/{canonical_name}/peers')->{series}->@*;
    return [sort keys %series];
}
my ($now, $then) = (nearest('max_peers=1&max_periods=2'), nearest('max_peers=1&max_periods=2&as_of=2024-01-01'));
is(scalar @$then, 2, 'one peer of then');
$site->execute("UPDATE disclosed.metric_issuer m SET latest = latest * 1000000000 FROM disclosed.issuer i WHERE i.issuer_id = m.issuer_id AND i.ticker <> 'ZEMRUZ' AND i.ticker IN ('@{[join q{', '}, @$now, @$then]}')");
# Of more periods: responses are kept.
isnt("@{nearest('max_peers=1&max_periods=3')}", "@$now", 'other sizes of now choose another peer');
same_json(nearest('max_peers=1&max_periods=3&as_of=2024-01-01'), $then, '... and nobody else as of before');

# --- coverage ---------------------------------------------------------------------------------

for my $target ('/coverage/ZEMRUZ', '/coverage/LYXRAX?as_of=2022-01-01', '/coverage/HYVVADY') {
    my $coverage = get($target, '/coverage/{ticker}');
    my $counts = $coverage->{counts};
    is(sum(values $counts->{by_tier}->%*), $counts->{expected}, '... tiers add up');
    is(scalar $coverage->{expected_canonicals}->@*, $counts->{expected}, '... to what is expected');
    my %missing = map { ($_->{canonical_name} => 1) } grep { $_->{tier} eq 'missing' } map { $_->{kpis}->@* } $coverage->{templates}->@*;
    is(scalar keys %missing, $counts->{by_tier}{missing}, '... and what is missing is told');
    is((grep { $_->{kpi_count} != $_->{kpis}->@* } $coverage->{templates}->@*), 0, '... with the number of lines');
    my %lines = map { ($_->{canonical_name} => $_) } map { $_->{kpis}->@* } $coverage->{templates}->@*;
    is((grep { ($_->{tier} eq 'missing') != defined $_->{missing_reason} } values %lines), 0, '... and a reason for each that is missing');
    my %metric = map { ($_ => $site->get("/v1/metrics/$_")->json) } keys %missing;
    for my $name (sort keys %missing) {
        my $reason = $lines{$name}{missing_reason};
        my $none = 'None of its elements is reported' . ($metric{$name}{basis} eq 'duration' ? ' for a quarter or a year' : '');
        my $expected = defined $metric{$name}{formula} ? "$none, and its formula, $metric{$name}{formula}, " : "$none.";
        is(substr($reason, 0, length $expected), $expected, "... $name: $reason") or next;
        my ($lacks) = $reason =~ /lacks ([\w, ]+)[.]$/ or next;
        is((grep { exists $lines{$_} && $lines{$_}{tier} ne 'missing' } split /, /, $lacks), 0, '... of which it has none');
    }
}
problem_is($site->get("$surface/kpi/LYXRAX?tier=all&limit=x", key => $site->{keys}{free}), 403, 'what the plan lacks is said before what is wrong', instance => "$surface/kpi/LYXRAX",
    required_tier => 'builder', detail => 'tier=all needs the plan builder or a higher one.');
is($site->get("$surface/kpi/LYXRAX?tier=all&limit=x", key => $site->{keys}{builder})->status, 422, '... which is all where it lacks nothing');
is($site->get("$surface/kpi/LYXRAX?tier=all&tier=x", key => $site->{keys}{free})->status, 422, 'the last tier counts');

# The plan's page cap is the greatest limit.
for my $path ('/kpi/LYXRAX', '/canonical/LYXRAX') {
    my $whole = json_of($site->get("$surface$path?limit=60"))->{facts};
    is(scalar @$whole, 60, "$path has more than a page of the free plan");
    for my $plan ('free', 'test') {
        for my $case (['', 25], ['?limit=60', 25], ['?limit=7', 7]) {
            my ($query, $rows) = @$case;
            same_json(json_of($site->get("$surface$path$query", key => $site->{keys}{$plan}))->{facts}, [@$whole[0 .. $rows - 1]], "$path$query: $plan has $rows of them");
        }
        my $lines = $site->get("$surface$path?limit=60", key => $site->{keys}{$plan}, headers => {Accept => 'application/x-ndjson'})->body;
        is(($lines =~ tr/\n//), 25, '... in lines as well');
    }
}

$site->execute("UPDATE disclosed.fundamental SET is_suspect = true FROM disclosed.issuer i WHERE i.issuer_id = fundamental.issuer_id AND i.ticker = 'AKOGOM' AND metric_key = 'assets'");
my ($assets) = grep { $_->{canonical_name} eq 'assets' } map { $_->{kpis}->@* } get('/coverage/AKOGOM', '/coverage/{ticker}')->{templates}->@*;
is("$assets->{tier}: $assets->{missing_reason}", 'missing: Its numbers are off scale, and withheld.', 'numbers that are suspect are missing');

# Of a company whose first report is of nine months, as Cisco's in the SEC's first data sets: what it reports of these has no numbers, and is reported.
my %nine = (start => '2023-01-01', end => '2023-09-30', val => 7, accn => '0009990001-23-000001', fy => 2023, fp => 'Q3', form => '10-Q', filed => '2023-11-01');
my ($loaded, undef, $why_not) = $site->control('import', 'sec-companyfacts', $site->write('CIK0008820001.json', qq({"cik":8820001,"entityName":"Nine Months Inc.","facts":{"us-gaap":{"NetCashProvidedByUsedInOperatingActivities":)
    . qq({"label":null,"description":null,"units":{"USD":[{"start":"$nine{start}","end":"$nine{end}","val":$nine{val},"accn":"$nine{accn}","fy":$nine{fy},"fp":"$nine{fp}","form":"$nine{form}","filed":"$nine{filed}"}]}}}}})));
is($loaded, 0, 'a report of nine months') or diag $why_not;
($loaded, undef, $why_not) = $site->control('import', 'ndjson', $site->write('nine.ndjson', '{"dataset":"listing","cik":8820001,"record_key":"NINEM:US","ticker":"NINEM","market":"US","name":"Nine Months Inc.","status":"active",'
    . '"known_at":"2020-01-01T00:00:00Z","provenance":{"source_provider":"exchange_site"}}' . "\n"));
is($loaded, 0, '... of a listed company') or diag $why_not;
my %reason = map { ($_->{canonical_name} => $_->{missing_reason}) } map { $_->{kpis}->@* } get('/coverage/NINEM', '/coverage/{ticker}')->{templates}->@*;
same_json([@reason{qw(operating_cash_flow assets free_cash_flow)}], ['None of its elements is reported for a quarter or a year.', 'None of its elements is reported.',
    'None of its elements is reported for a quarter or a year, and its formula, operating_cash_flow - capital_expenditure, lacks operating_cash_flow, capital_expenditure.'], '... does not say that nothing is reported');

# --- what is refused --------------------------------------------------------------------------

for my $case (['/metrics/ZEMRUZ/concepts?limit=1001', 'limit'], ['/metrics/ZEMRUZ/series', 'concept'], ['/metrics/ZEMRUZ/series?concept=' . 'x' x 257, 'concept'],
    ['/metrics/ZEMRUZ/series?concept=a&freq=daily', 'freq'], ['/metrics/ZEMRUZ/series?concept=a&limit=201', 'limit'], ['/kpi/ZEMRUZ?tier=some', 'tier'],
    ['/kpi/ZEMRUZ?canonical=' . 'x' x 129, 'canonical'], ['/kpi/ZEMRUZ?calendar_period=' . '1' x 17, 'calendar_period'], ['/kpi/ZEMRUZ?include=all', 'include'],
    ['/kpi/ZEMRUZ?limit=1001', 'limit'], ['/kpi/ZEMRUZ?published_only=perhaps', 'published_only'], ['/canonical/ZEMRUZ?period_end=2024-13-01', 'period_end'],
    ['/canonical/ZEMRUZ?only_axis=' . 'x' x 65, 'only_axis'], ['/canonical/ZEMRUZ?limit=2001', 'limit'], ['/canonical/ZEMRUZ/revenue/calc', 'period_end'],
    ['/canonical/ZEMRUZ/revenue/peers?max_peers=11', 'max_peers'], ['/canonical/ZEMRUZ/revenue/peers?max_periods=21', 'max_periods'])
{
    my ($target, $name) = @$case;
    my $response = $site->get("$surface$target");
    is($response->status . ' ' . ($response->json->{detail}[0]{loc}[1] // ''), "422 $name", substr $target, 0, 60);
}
for my $case (['/kpi/ZEMRUZ', 'tier', 16], ['/canonical/ZEMRUZ', 'tier', 16], ['/kpi/ZEMRUZ', 'include', 32], ['/canonical/ZEMRUZ', 'period_end', 16],
    ['/canonical/ZEMRUZ/revenue/calc', 'period_end', 16], ['/kpi/ZEMRUZ', 'calendar_period', 16], ['/canonical/ZEMRUZ', 'only_axis', 64])
{
    my ($path, $name, $most) = @$case;
    my $long = '2024-01-31T00:00:' . '0' x ($most - 16);
    faults_is($site->get("$surface$path?$name=$long"), [fault('string_too_long', ['query', $name], "String should have at most $most characters", $long, qq({"max_length":$most}))],
        "$path: $name has at most $most characters");
    unlike($site->get("$surface$path?$name=" . substr $long, 0, $most)->body, qr/string_too_long/, '... and may have as many');
    my ($described) = grep { $_->{name} eq $name } $site->get("$surface/openapi.json")->json->{paths}{$surface . $path =~ s{/ZEMRUZ}{/{ticker}}r =~ s{/revenue}{/{canonical_name}}r}{get}{parameters}->@*;
    is($described->{schema}{maxLength}, $most, '... as its document says');
}
for my $target ('/metrics/NOSUCH/concepts', '/metrics/NOSUCH/series?concept=a', '/kpi/NOSUCH', '/canonical/NOSUCH', '/canonical/NOSUCH/revenue/calc?period_end=2024-12-31', '/canonical/NOSUCH/revenue/peers', '/coverage/NOSUCH') {
    is($site->get("$surface$target")->status, 404, $target);
}

# Facts of an element stand together where an importer has put them in order; NDJSON may have them in any.
my $in_order = get('/metrics/LYXRAX/series?concept=us-gaap:Revenues&freq=any&limit=198');
$site->execute(q{UPDATE disclosed.xbrl_report r SET concepts = s.concepts, units = s.units, start_dates = s.start_dates, end_dates = s.end_dates, amounts = s.amounts,
    dimensions = CASE WHEN r.dimensions IS NOT NULL THEN s.dimensions END, decimals = CASE WHEN r.decimals IS NOT NULL THEN s.decimals END
    FROM (SELECT x.row_id, array_agg(e.concept ORDER BY h) AS concepts, array_agg(e.unit ORDER BY h) AS units, array_agg(e.starts ORDER BY h) AS start_dates,
                 array_agg(e.ends ORDER BY h) AS end_dates, array_agg(e.amount ORDER BY h) AS amounts, array_agg(e.dimension ORDER BY h) AS dimensions,
                 array_agg(e.rounding ORDER BY h) AS decimals
          FROM disclosed.xbrl_report x CROSS JOIN LATERAL unnest(x.concepts, x.units, x.start_dates, x.end_dates, x.amounts, x.dimensions, x.decimals)
              WITH ORDINALITY AS e(concept, unit, starts, ends, amount, dimension, rounding, place) CROSS JOIN LATERAL md5(e.place::text) AS h
          GROUP BY 1) s
    WHERE s.row_id = r.row_id AND r.issuer_id = (SELECT i.issuer_id FROM disclosed.issuer i WHERE i.ticker = 'LYXRAX')});
cmp_ok(scalar @$in_order, '>', 4, 'a series of an element');
same_json(get('/metrics/LYXRAX/series?concept=us-gaap:Revenues&freq=any&limit=199'), $in_order, '... is the same where facts of reports are in another order');

# A report may state two values of a period: the smaller one is taken, and they are one filing's.
$site->execute(q{UPDATE disclosed.xbrl_report r SET concepts = r.concepts || s.concepts, units = r.units || s.units, start_dates = r.start_dates || s.starts,
    end_dates = r.end_dates || s.ends, amounts = r.amounts || s.amounts,
    dimensions = CASE WHEN r.dimensions IS NOT NULL THEN r.dimensions || s.nothing END, decimals = CASE WHEN r.decimals IS NOT NULL THEN r.decimals || s.nothing END
    FROM (SELECT x.row_id, array_agg(e.concept) AS concepts, array_agg(e.unit) AS units, array_agg(e.starts) AS starts, array_agg(e.ends) AS ends,
                 array_agg((e.amount::numeric - 1)::text) AS amounts, array_agg(''::text) AS nothing
          FROM disclosed.xbrl_report x CROSS JOIN LATERAL unnest(x.concepts, x.units, x.start_dates, x.end_dates, x.amounts, x.dimensions)
              AS e(concept, unit, starts, ends, amount, dimension)
          WHERE e.concept = 'us-gaap:Revenues' AND coalesce(e.dimension, '') = ''
          GROUP BY 1) s
    WHERE s.row_id = r.row_id AND r.issuer_id = (SELECT i.issuer_id FROM disclosed.issuer i WHERE i.ticker = 'LYXRAX')});
same_json(get('/metrics/LYXRAX/series?concept=us-gaap:Revenues&freq=any&limit=197'),
    [map { {%$_, value => $_->{value} - 1, first_value => $_->{first_value} - 1, restated => JSON::PP::true} } @$in_order], '... and with two values of each, they are told');
finish();

# Canonical numbers of segments, products and regions on the earlier surface: by axis, tier, period and instant, beside those of the
# company as a whole; in coverage; in index order on many rows; and of real instances each one is found again.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build shared_data);
use Disclosed::Plans;
use Disclosed::Process qw(run);
use Disclosed::Schema qw(schema_faults);
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();
use List::Util qw(sum max);
use Math::BigFloat;

my $site = site(start => 0);
my $has_explain = !$ENV{DISCLOSED_CITUS_SUITES} && eval { $site->execute("LOAD 'auto_explain'"); 1 };
$site->{cluster}->execute('postgres', Disclosed::Plans->settings($site->{database}, 'auto_explain.log_analyze' => 'on', 'auto_explain.log_timing' => 'off')) if $has_explain;
$site->start;
my $surface = '/api/disclosed/v1';
my $json = Disclosed::JSON->new->utf8->canonical;
my $exact = Disclosed::JSON->new->utf8->allow_bignum;
my ($status, $document) = run(build('BUILDDIR') . '/disclosedctl', 'openapi', '--surface', 'earlier');
$document = $json->decode($document);
my %template = (canonical => '/canonical/{ticker}', kpi => '/kpi/{ticker}', coverage => '/coverage/{ticker}');

sub got
{
    my ($path, $decoder) = @_;
    my $response = $site->get("$surface$path");
    is($response->status, 200, substr $path, 0, 90) or diag $response->describe;
    my $body = ($decoder // $json)->decode($response->body);
    my ($kind) = $path =~ m{^/(\w+)};
    my @faults = schema_faults($json->decode($response->body), $document->{paths}{"$surface$template{$kind}"}{get}{responses}{200}{content}{'application/json'}{schema}, $document);
    is("@faults", '', '... fits its schema') if @faults;
    return $body;
}

# A fact in short; whole numbers are those of the company.
sub short
{
    my ($fact) = @_;
    return join ' ', $fact->{canonical}, $fact->{sub_row_label} || 'whole', $fact->{period}{end_date}, $fact->{value}{raw}, $fact->{source_tier};
}
sub facts { return [map { short($_) } got($_[0], $exact)->{facts}->@*] }
# Those of parts that end on our day.
sub parts { return [grep { / 2024-02-29 / && !/ whole / } facts($_[0])->@*] }

# --- what is loaded ---------------------------------------------------------------------------

my $ticker = 'ZEMRUZ';
my ($issuer, $cik) = split ' ', $site->value("SELECT issuer_id || ' ' || cik FROM issuer WHERE ticker = '$ticker'");
my $day = '2024-02-29';

sub load
{
    my @lines = map { $json->encode($_) . "\n" } @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('parts.ndjson', join '', @lines));
    is($code, 0, 'observations are loaded') or diag "$out$err";
    return;
}

sub part
{
    my ($dimension, $member, $axis, $value, %more) = @_;
    my $concept = delete $more{concept} // 'us-gaap:Revenues';
    return { dataset => 'kpi_observation', cik => $cik, known_at => '2024-05-01T12:00:00Z', metric_key => 'revenue', canonical_key => 'revenue', dimension => $dimension, member => $member,
        issuer_label => 'Revenue', as_described => $axis ? "$concept of $axis=own:${member}Member" : "Revenue of the part", unit => 'USD', basis => 'duration', start_date => '2023-12-01', end_date => $day,
        value => $value, source_type => '10-Q', provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/report' }, %more };
}

my ($segments, $products) = ('us-gaap:StatementBusinessSegmentsAxis', 'srt:ProductOrServiceAxis');
load(
    part('segment', 'Cloud', $segments, '12345678901234567890.5'),
    part('segment', 'Devices', $segments, 400, tier => 'verified'),
    part('product', 'Ships', $products, 300),
    part('segment', 'Told', undef, 200),
    part('segment', 'Guessed', undef, 100, tier => 'extracted'),
    part('segment', 'Doubted', undef, 90, tier => 'extracted_low_confidence'),
    part('region', 'North', 'us-gaap:StatementGeographicalAxis', 50, metric_key => 'margin_of_north', canonical_key => 'gross_margin', unit => 'percent'),
    part('segment', 'Nobody', $segments, 80, metric_key => 'nothing', canonical_key => 'no_such_metric'),
    part('segment', 'Own', $segments, 70, metric_key => 'own', canonical_key => undef),
    part(undef, undef, undef, 60, metric_key => 'whole', as_described => "us-gaap:Revenues of $segments=own:NorthMember"),
    part('segment', 'Cloud', 'us-gaap:StatementBusinessSegmentsAxis', 1, start_date => '2023-09-01', end_date => '2023-11-30'),
);
my @default = ('revenue Told 2024-02-29 200 dimensioned', 'revenue Ships 2024-02-29 300 dimensioned', 'revenue Devices 2024-02-29 400 verified', 'revenue Cloud 2024-02-29 12345678901234567890.5 dimensioned');
my $margin = 'gross_margin North 2024-02-29 50 dimensioned';

# --- which are listed -------------------------------------------------------------------------

# All in the order of their loading within a day, the last one first.
same_json(facts("/canonical/$ticker?period_end=$day"), [$margin, @default], 'parts of a day: neither what is extracted, nor of no metric of the dictionary, nor of the company as a whole');
same_json([sort { $a cmp $b } facts("/canonical/$ticker?period_end=$day&tier=all")->@*], [sort { $a cmp $b } $margin, @default, 'revenue Guessed 2024-02-29 100 extracted', 'revenue Doubted 2024-02-29 90 extracted_low_confidence'], '... with tier=all those that are extracted');
same_json(facts("/canonical/$ticker?period_end=$day&canonical=revenue"), \@default, '... of a metric');
same_json(facts("/canonical/$ticker?period_end=$day&canonical=gross_margin"), [$margin], '... under whose key the company has another name for it');
same_json(facts("/canonical/$ticker?period_end=$day&canonical=no_such_metric"), [], '... of no metric');
same_json(facts("/canonical/$ticker?period_end=$day&only_consolidated=true"), [], '... and none that is consolidated');
for my $case (['StatementBusinessSegmentsAxis', 'Cloud Devices'], [$segments, 'Cloud Devices'], ['segment', 'Cloud Devices Told'], ['ProductOrServiceAxis', 'Ships'], [$products, 'Ships'], ['product', 'Ships'], ['region', 'North'],
    ['statementbusinesssegmentsaxis', ''], ['BusinessSegmentsAxis', ''], ['us-gaap', ''], ['srt:StatementBusinessSegmentsAxis', ''], ['%25', ''], ['_', ''], ["'", '']) {
    my ($axis, $members) = @$case;
    is(join(' ', sort map { $_->{sub_row_label} } got("/canonical/$ticker?period_end=$day&only_axis=$axis")->{facts}->@*), $members, "only_axis=$axis");
    same_json(facts("/canonical/$ticker?only_consolidated=true&only_axis=$axis&tier=all"), [], '... and of the company as a whole none');
}
my %by_member = map { ($_->{sub_row_label} => $_) } got("/canonical/$ticker?period_end=$day&tier=all")->{facts}->@*;
same_json([map { [@{$by_member{$_}}{qw(dimension axis concept derivation template_slug)}] } qw(Cloud Told)],
    [['segment', $segments, 'us-gaap:Revenues', undef, 'income_statement'], ['segment', undef, undef, undef, 'income_statement']], 'what a part is of, with axis and element where the source names them');
is($by_member{North}{value}{unit}, 'percent', 'the unit is as loaded');
my $source = json_of($site->get("/v1/src/$by_member{Cloud}{provenance}{src_id}"), 'its source');
is("$source->{dataset} $source->{record}{member}", 'kpi_observation Cloud', '... is the observation');
is($by_member{Cloud}{provenance}{source_url}, 'https://issuer.example/report', '... with its address');

# --- beside those of the company ----------------------------------------------------------------

# A part that is loaded last, of a day of which there are numbers of the whole: it stands behind them.
my $common = $site->value("SELECT max(end_date) FROM fundamental WHERE issuer_id = $issuer AND superseded_at IS NULL");
load(part('segment', 'Late', $segments, 6, start_date => undef, basis => 'instant', metric_key => 'assets', canonical_key => 'assets', end_date => $common));
my $all = got("/canonical/$ticker?tier=all&limit=2000")->{facts};
my @whole = grep { !defined $_->{dimension} } @$all;
is(scalar @whole, $site->value("SELECT count(*) FROM fundamental WHERE issuer_id = $issuer AND superseded_at IS NULL"), 'all numbers of the company as a whole');
is(@$all - @whole, $site->value("SELECT count(*) FROM kpi_observation o JOIN canonical_metric m ON m.metric_key = o.canonical_key WHERE o.issuer_id = $issuer AND o.superseded_at IS NULL AND o.dimension IS NOT NULL"), '... and of its parts');
same_json([map { $_->{provenance}{src_id} =~ s/_[0-9a-f]{32}$//r } @$all], [map { defined $_->{dimension} ? 'src_kpi_observation' : 'src_fundamental' } @$all], '... each by the name of its dataset');
same_json(got("/canonical/$ticker?tier=all&limit=2000&only_consolidated=true")->{facts}, \@whole, 'only_consolidated leaves the others out');
my @days = map { $_->{period}{end_date} . (defined $_->{dimension} ? ' 0' : ' 1') } @$all;
same_json(\@days, [sort { $b cmp $a } @days], 'the latest first, of a day those of the whole first');
cmp_ok((grep { $_->{period}{end_date} eq $common && !defined $_->{dimension} } @$all), '>', 0, '... of which there are some on the day of a later part');
my %once = map { ($_->{provenance}{src_id} => 1) } @$all;
is(scalar keys %once, scalar @$all, 'each once');
for my $limit (1 .. 7, map { $_ - 1, $_, $_ + 1 } 20, scalar @whole) {
    same_json(got("/canonical/$ticker?tier=all&limit=$limit")->{facts}, [@$all[0 .. ($limit < @$all ? $limit : @$all) - 1]], "the first $limit");
}
same_json(got("/kpi/$ticker?tier=all&limit=1000&published_only=false")->{facts}, $all, '/kpi has the same');

# --- /kpi ---------------------------------------------------------------------------------------

same_json(parts("/kpi/$ticker?calendar_period=2024-Q1"), [$margin, @default], 'by calendar period');
same_json(parts("/kpi/$ticker?calendar_period=2024-Q2"), [], '... of another one');
for my $case (['tier=all', 'Cloud Devices Guessed Ships Told'], ['tier=all&published_only=false', 'Cloud Devices Doubted Guessed Ships Told'], ['published_only=false', 'Cloud Devices Ships Told'], ['tier=default', 'Cloud Devices Ships Told']) {
    is(join(' ', sort map { (split)[1] } parts("/kpi/$ticker?canonical=revenue&calendar_period=2024Q1&$case->[0]")->@*), $case->[1], $case->[0]);
}
my %checks = map { ($_->{sub_row_label} => join ' ', map { $_ // 'null' } @{$_->{_qa}}{qw(extractor extractor_confidence auditor_status)}) }
    grep { $_->{period}{end_date} eq $day } got("/kpi/$ticker?canonical=revenue&calendar_period=2024Q1&tier=all&published_only=false&include=qa")->{facts}->@*;
same_json(\%checks, {Cloud => 'xbrl 1 unconfirmed', Devices => 'xbrl 1 agreed', Ships => 'xbrl 1 unconfirmed', Told => 'extraction null unconfirmed', Guessed => 'extraction null unconfirmed', Doubted => 'extraction 0.1 suspect'}, 'what was checked');

# --- as of an instant -----------------------------------------------------------------------------

load(part('segment', 'Cloud', $segments, 500, known_at => '2024-08-01T12:00:00Z'));
for my $case (['2024-05-01T11:59:59Z', ''], ['2024-05-01T12:00:00Z', '12345678901234567890.5 false'], ['2024-08-01T11:59:59Z', '12345678901234567890.5 false'], ['2024-08-01T12:00:00Z', '500 true'], ['2099-01-01', '500 true']) {
    my ($instant, $expected) = @$case;
    for my $path ("/canonical/$ticker?only_axis=segment&canonical=revenue&period_end=$day", "/canonical/$ticker?only_axis=segment&period_end=$day", "/kpi/$ticker?calendar_period=2024Q1") {
        my @cloud = grep { $_->{sub_row_label} eq 'Cloud' } got("$path&as_of=$instant", $exact)->{facts}->@*;
        is(join(', ', map { "$_->{value}{raw} " . ($_->{restated} ? 'true' : 'false') } @cloud), $expected, "... $instant");
    }
}
same_json(parts("/canonical/$ticker?canonical=revenue&period_end=$day"), [grep({ !/ Cloud / } @default), 'revenue Cloud 2024-02-29 500 dimensioned'], '... and now');

# --- coverage -------------------------------------------------------------------------------------

sub tier_of
{
    my ($metric, $query) = @_;
    my $coverage = got("/coverage/$ticker" . ($query // ''));
    my %line = map { ($_->{canonical_name} => $_) } map { $_->{kpis}->@* } $coverage->{templates}->@*;
    my %tiers;
    $tiers{ $_->{tier} }++ for values %line;
    my $counts = $coverage->{counts};
    is(sum(values $counts->{by_tier}->%*), $counts->{expected}, '... tiers add up');
    same_json({map { $_ => 0 + $counts->{by_tier}{$_} } grep { $counts->{by_tier}{$_} } keys $counts->{by_tier}->%*}, \%tiers, '... and are those of the lines');
    return "$line{$metric}{tier} " . ($line{$metric}{missing_reason} // '-');
}
my ($missing) = map { $_->{canonical_name} } grep { $_->{tier} eq 'missing' } map { $_->{kpis}->@* } got("/coverage/$ticker")->{templates}->@*;
like(tier_of($missing), qr/^missing None of its elements is reported/, "$missing is missing");
load(part('segment', 'Cloud', $segments, 7, metric_key => $missing, canonical_key => $missing, tier => 'extracted_low_confidence'));
is(tier_of($missing), 'missing Its numbers are of low confidence, and withheld.', '... with numbers of low confidence');
load(part('segment', 'Devices', $segments, 7, metric_key => $missing, canonical_key => $missing, known_at => '2024-06-01T00:00:00Z'));
is(tier_of($missing), 'dimensioned -', '... with those of a part is dimensioned');
is(tier_of($missing, '?as_of=2024-05-31'), 'missing Its numbers are of low confidence, and withheld.', '... and was not before');
is(tier_of('revenue'), $site->value("SELECT CASE WHEN rule IS NOT NULL THEN 'derived' WHEN verified_at IS NOT NULL THEN 'verified' ELSE 'extracted' END FROM fundamental WHERE issuer_id = $issuer AND metric_key = 'revenue' AND superseded_at IS NULL AND NOT is_suspect ORDER BY end_date DESC, rule IS NOT NULL, id DESC LIMIT 1") . ' -', 'parts do not change the tier of what the company has');

# --- many rows ------------------------------------------------------------------------------------

SKIP: {
    skip 'PostgreSQL has no auto_explain here (contrib)', 1 if !$has_explain;
    my $big = $site->value("SELECT issuer_id FROM issuer WHERE ticker = 'LYXRAX'");
    # A company with 30,000 facts of parts, half of them of no metric of the dictionary, and as many of itself.
    $site->execute("INSERT INTO disclosed.kpi_observation (id, issuer_id, record_key, known_at, src_digest, source_id, start_date, end_date, metric_key, issuer_label, as_described, unit, basis, dimension, member, value, source_type, canonical_key)
        SELECT nextval('disclosed.record_id'), $big, 'many/' || n, '2024-06-01', md5('many' || n)::uuid, (SELECT min(source_id) FROM disclosed.source), date '2000-01-01' + n / 30 - 89, date '2000-01-01' + n / 30, 'many_' || n % 7,
               'Many', 'us-gaap:Revenues of ' || CASE n % 10 WHEN 0 THEN 'srt:ProductOrServiceAxis' ELSE 'us-gaap:StatementBusinessSegmentsAxis' END || '=own:M' || n % 30, 'USD', 'duration', 'segment', 'M' || n % 30, n, '10-Q',
               CASE n % 2 WHEN 0 THEN (ARRAY['revenue', 'assets', 'net_income', 'gross_profit'])[1 + n / 2 % 4] END FROM generate_series(1, 60000) n");
    $site->execute("INSERT INTO disclosed.metric_value (id, issuer_id, known_at, accession_number, source_id, end_date, start_date, metric_id, kind, concept_rank, is_suspect, is_restated, src_digest, unit, value, verified_at)
        SELECT nextval('disclosed.record_id'), $big, '2024-06-01', n, (SELECT min(source_id) FROM disclosed.source), date '1990-01-01' + n / 30, date '1990-01-01' + n / 30 - 89, m.metric_id, 2, 1, false, false, md5('whole' || n)::uuid, 'U' || n, n, '2024-06-01'
        FROM generate_series(1, 30000) n JOIN (SELECT row_number() OVER (ORDER BY metric_key) - 1 AS place, metric_id FROM disclosed.canonical_metric) m ON m.place = n % 30");
    $site->{cluster}->execute($site->{database}, 'VACUUM (ANALYZE) disclosed.kpi_observation, disclosed.metric_value');
    my $log = Disclosed::Plans->new("$site->{cluster}{directory}/log", $site->{database});
    for my $case (['canonical', 'limit=50', 400], ['canonical', 'limit=50&canonical=revenue', 1200], ['canonical', 'limit=50&only_axis=StatementBusinessSegmentsAxis', 300], ['canonical', 'limit=50&only_axis=segment&canonical=assets', 300],
        ['canonical', 'limit=50&only_consolidated=true', 400], ['canonical', 'limit=50&period_end=2003-01-01', 300], ['kpi', 'limit=50', 400], ['kpi', 'limit=50&canonical=revenue', 1200]) {
        my ($endpoint, $query, $most) = @$case;
        for my $instant ('', '&as_of=2025-01-01') {
            $log->read;
            my $count = got("/$endpoint/LYXRAX?tier=default&$query$instant")->{facts}->@*;
            my ($plan) = map { $_->{plan} } grep { $_->{query} =~ /kpi_observation o/ && $_->{query} =~ /row_number/ } $log->read;
            my @scans = grep { ($_->{'Relation Name'} // '') =~ /^(?:kpi_observation|metric_value)$/ && $_->{'Actual Loops'} } map { $_->[0] } Disclosed::Plans::nodes($plan);
            is(join(' ', map { $_->{'Node Type'} } grep { $_->{'Node Type'} !~ /^Index/ } @scans), '', "... $count facts by index scans");
            diag join " | ", "$endpoint $query$instant", map { "$_->{q(Node Type)} $_->{q(Index Name)} rows=$_->{q(Actual Rows)} removed=" . ($_->{q(Rows Removed by Filter)} // 0) . " loops=$_->{q(Actual Loops)}" } @scans if $ENV{SHOW_PLANS};
            is((grep { $_->{'Index Name'} eq 'metric_value_metric_end' && $_->{'Actual Loops'} == 1 } @scans), 0, '... of the company');
            my $read = max(0, map { $_->{'Actual Rows'} + ($_->{'Rows Removed by Filter'} // 0) } grep { $_->{'Actual Loops'} == 1 } @scans);
            cmp_ok($read, '<=', $most, "... $query$instant: none reads more than $most rows");
        }
    }
}

# --- real instances -------------------------------------------------------------------------------

# Axes that numbers are broken down by, in words of our own: how the importer names them, it is to be seen.
my %word = (StatementBusinessSegmentsAxis => 'segment', SegmentReportingInformationBySegmentAxis => 'segment', SegmentsAxis => 'segment', ProductOrServiceAxis => 'product', ProductsAndServicesAxis => 'product',
    StatementGeographicalAxis => 'region', GeographicalAreasAxis => 'region');

SKIP: {
    my $real = shared_data('xbrl');
    diag 'NOT TESTED: real instances (DISCLOSED_SHARED)' if !$real;
    skip 'no real instances', 1 if !$real;
    my %concept = map { ($_->{concept} => $_) } $site->rows('SELECT concept, metric_key, rank, sign FROM canonical_concept');
    my ($number, $total) = (0, 0);
    for my $path (sort glob "$real/*-10q-* $real/*.xml") {
        my $of = sprintf '0000007699-26-%06d', ++$number;
        my ($code, $out, $err) = $site->control('import', 'xbrl-instance', '--known-at', '2026-01-01', '--accession', $of, $path);
        is($code, 0, $path =~ s{.*/}{}r) or diag "$out$err";
        my $filer = $site->value("SELECT i.cik FROM xbrl_report r JOIN issuer i USING (issuer_id) WHERE r.accession = '$of'");
        load({ dataset => 'listing', cik => "$filer", ticker => "REAL$number", market => 'US', name => "Real $number", status => 'active', known_at => '2000-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } });
        my @facts = grep { $_->{dimensions}->@* == 1 && $concept{ $_->{concept} } } $exact->decode($site->get("/v1/filings/$of/facts")->body)->{data}[0]{facts}->@*;
        my (%wanted, %found);
        for my $fact (grep { $word{ $_->{dimensions}[0]{axis} =~ s/.*://r } } @facts) {
            my $canonical = $concept{ $fact->{concept} };
            my $point = join '|', $canonical->{metric_key}, $fact->{dimensions}[0]{axis}, $fact->{dimensions}[0]{member}, $fact->{start_date} // '-', $fact->{end_date};
            my $told = join '|', $canonical->{metric_key}, $fact->{dimensions}[0]{axis}, $fact->{start_date} // '-', $fact->{end_date}, $fact->{unit} =~ s{/shares}{_per_share}r, $fact->{concept}, Math::BigFloat->new($fact->{value})->bmul($canonical->{sign})->bstr;
            $wanted{$point} = [$canonical->{rank}, $told] if !$wanted{$point} || $canonical->{rank} < $wanted{$point}[0];
        }
        for my $axis (sort keys %{{map { ((split /\|/)[1] => 1) } keys %wanted}}) {
            my $local = $axis =~ s/.*://r;
            for my $fact (got("/canonical/REAL$number?only_axis=$local&limit=2000", $exact)->{facts}->@*) {
                $found{ join '|', $fact->{canonical}, $fact->{axis}, $fact->{period}{start_date} // '-', $fact->{period}{end_date}, $fact->{value}{unit}, $fact->{concept}, Math::BigFloat->new($fact->{value}{raw})->bstr }++;
                is("$fact->{axis} $fact->{dimension} $fact->{source_tier}", "$axis $word{$local} dimensioned", '... is of the axis') if "$fact->{axis} $fact->{dimension} $fact->{source_tier}" ne "$axis $word{$local} dimensioned";
            }
        }
        my %told;
        $told{ $_->[1] }++ for values %wanted;
        diag sprintf '%s: %d numbers of parts, %d of the dictionary with one axis', $path =~ s{.*/}{}r, scalar keys %wanted, scalar @facts;
        same_json(\%found, \%told, '... each number of a part is found by its axis, and no other');
        $total += keys %wanted;
    }
    is($number, 4, 'all real instances');
    cmp_ok($total, '>', 20, "$total numbers of parts");
}
finish();

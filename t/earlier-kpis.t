# Companies' own metrics on the earlier surface: what two kinds of sources agree on is served, the rest is withheld; and what was extracted.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Schema qw(schema_faults);
use Disclosed::Test qw(without_cache);
use Disclosed::JSON ();

promises(
    earlier_get_kpi_index => {
        parameters => [qw(as_of)],
        fields => [qw(tickers ticker_count)],
    },
    earlier_get_company_kpis => {
        parameters => [qw(ticker as_of)],
        fields => [qw(ticker? points)],
    },
    earlier_list_extracted_facts => {
        parameters => [qw(ticker kind limit fields as_of)],
        fields => [qw(id kind metric_key label as_described dimension? member? period value source_type tier provenance)],
    },
);
my $site = site(template => 'empty');
my $surface = '/api/disclosed/v1';
my $json = Disclosed::JSON->new->utf8->canonical;
my ($code, $out) = run(build('BUILDDIR') . '/disclosedctl', 'openapi', '--surface', 'earlier');
my $document = $json->decode($out);

sub get
{
    my ($path, $template) = @_;
    my $body = json_of($site->get("$surface$path"), $path);
    same_json([schema_faults($body, $document->{paths}{"$surface$template"}{get}{responses}{200}{content}{'application/json'}{schema}, $document)], [], '... fits its schema');
    return $body;
}

# --- observations -----------------------------------------------------------------------------

my %from = (known_at => '2026-01-01T00:00:00Z', provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/x', quote => 'as written' });
my @quarters = (['2025-01-01', '2025-03-31'], ['2025-04-01', '2025-06-30'], ['2025-07-01', '2025-09-30'], ['2025-10-01', '2025-12-31']);

sub observation
{
    my ($cik, $metric, $quarter, $source, $value, %more) = @_;
    return { dataset => 'kpi_observation', cik => $cik, metric_key => $metric, issuer_label => ucfirst $metric, as_described => "$metric at the quarter's end", unit => 'count',
        basis => 'duration', start_date => $quarters[$quarter][0], end_date => $quarters[$quarter][1], source_type => $source, value => $value, %from, %more };
}

my @lines;
for my $cik (7301, 7302) {
    push @lines, { dataset => 'listing', cik => $cik, ticker => "K$cik", market => 'US', name => "Kpi $cik", status => 'active', %from };
    # Two sources agree in three quarters, or in two alone; in the others one is alone, or they differ.
    push @lines, map { my $quarter = $_; map { observation($cik, 'stores', $quarter, $_, 100 + $quarter) } 'EX-99.1', '10-Q' } 0 .. ($cik == 7301 ? 2 : 1);
    push @lines, observation($cik, 'stores', 3, 'EX-99.1', 103), observation($cik, 'stores', 3, '10-Q', 104);
    # The same number in two units is no agreement.
    push @lines, observation($cik, 'fleet', 0, 'EX-99.1', 5), observation($cik, 'fleet', 0, '10-Q', 5, unit => 'thousand');
    push @lines, observation($cik, 'riders', 0, 'EX-99.1', 7), observation($cik, 'riders', 1, 'EX-99.1', 8, tier => 'verified');
    # Two against one; and two that are sure of nothing.
    push @lines, observation($cik, 'yards', 0, '10-Q', 20), observation($cik, 'yards', 0, 'transcript', 20), observation($cik, 'yards', 0, 'EX-99.1', 22) if $cik == 7302;
    push @lines, map { observation($cik, 'wharves', 0, $_, 3, tier => 'extracted_low_confidence') } '10-Q', 'EX-99.1' if $cik == 7302;
    push @lines, observation($cik, 'sales', 0, '10-Q', 50, dimension => 'segment', member => 'North');
}
($code, $out, my $err) = $site->control('import', 'ndjson', $site->write('kpis.ndjson', join '', map { $json->encode($_) . "\n" } @lines));
is($code, 0, 'observations of two companies') or diag $out, $err;

# --- what is served ---------------------------------------------------------------------------

my $index = get('/company-kpis/index?as_of=2026-02-01', '/company-kpis/index');
same_json($index, { tickers => [{ ticker => 'K7301', metrics => ['stores'] }], ticker_count => 1 }, 'three verified quarters make a company one of the index');
same_json(get('/company-kpis/index?as_of=2029-02-01', '/company-kpis/index'), { tickers => [], ticker_count => 0 }, '... of the last two years');
same_json(get('/company-kpis/index?as_of=2025-12-31', '/company-kpis/index'), { tickers => [], ticker_count => 0 }, '... and of what was public');

my $points = get('/company-kpis/K7301', '/company-kpis/{ticker}');
is($points->{ticker}, 'K7301', 'points of a company');
same_json([map { [$_->{metric_key}, $_->{period}{end_date}, $_->{value}{raw}, $_->{sources}, $_->{sources_agree}, $_->{quote}, $_->{provenance}{source_url}] } $points->{points}->@*],
    [['riders', '2025-06-30', 8, ['EX-99.1'], JSON::PP::false, 'as written', 'https://issuer.example/x'],
        map { ['stores', $quarters[$_][1], 100 + $_, ['10-Q', 'EX-99.1'], JSON::PP::true, 'as written', 'https://issuer.example/x'] } 0 .. 2],
    '... those that two sources agree on, and what is verified otherwise');
same_json(get('/company-kpis/K7302', '/company-kpis/{ticker}')->{points}[1]{period}, { calendar => '2025Q1', fiscal => undef, start_date => '2025-01-01', end_date => '2025-03-31', kind => 'quarter' }, '... with their periods');
same_json([map { [$_->{metric_key}, $_->{period}{end_date}, $_->{value}{raw}, $_->{sources}, $_->{sources_agree}] } get('/company-kpis/K7302', '/company-kpis/{ticker}')->{points}->@*],
    [['riders', '2025-06-30', 8, ['EX-99.1'], JSON::PP::false], (map { ['stores', $quarters[$_][1], 100 + $_, ['10-Q', 'EX-99.1'], JSON::PP::true] } 0 .. 1), ['yards', '2025-03-31', 20, ['10-Q', 'transcript'], JSON::PP::true]],
    '... two against one are served, with the sources that report it; of low confidence they are withheld');

my $facts = get('/extracted-facts/K7301?limit=200', '/extracted-facts/{ticker}');
is(scalar @$facts, 13, 'all that was extracted');
same_json([map { $_->{period}{end_date} } @$facts], [sort { $b cmp $a } map { $_->{period}{end_date} } @$facts], '... the latest first');
same_json([map { "$_->{metric_key} $_->{member} $_->{tier}" } get('/extracted-facts/K7301?kind=segment', '/extracted-facts/{ticker}')->@*], ['sales North dimensioned'], '... of segments');
is(scalar get('/extracted-facts/K7301?kind=kpi&limit=200', '/extracted-facts/{ticker}')->@*, 12, '... of the company as a whole');
same_json(get('/extracted-facts/K7301?kind=other', '/extracted-facts/{ticker}'), [], '... of no such kind');
is($site->get("$surface/extracted-facts/K7301?kind=" . 'x' x 65)->status, 422, 'a kind that is too long');
is($site->get("$surface/extracted-facts/K7301?limit=201")->status, 422, 'a limit that is too large');
is($site->get("$surface/$_/NOSUCH")->status, 404, "$_ of no company") for qw(company-kpis extracted-facts);
finish();

# Questions about parts of a company: segments, products, regions, by the names that the company's own numbers have. A part that is not
# there, or is not plain, is never answered for by the company as a whole.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Test;
use Disclosed::JSON ();

my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }

my $cik = 8820001;
my %from = (provenance => { source_provider => 'issuer_page', source_url => 'https://partwise.example/report' });
my %year = (FY2022 => ['2022-01-01', '2022-12-31'], FY2023 => ['2023-01-01', '2023-12-31'], FY2024 => ['2024-01-01', '2024-12-31'], 'Q2 FY2024' => ['2024-04-01', '2024-06-30'], 'Q2 FY2025' => ['2025-04-01', '2025-06-30'], half => ['2024-01-01', '2024-06-30']);
my $million = 1_000_000;

# A number of a part, in millions.
sub part
{
    my ($metric, $label, $dimension, $member, $period, $value, %more) = @_;
    my ($start, $end) = $year{$period}->@*;
    return { dataset => 'kpi_observation', cik => $cik, known_at => '2025-02-01T12:00:00Z', metric_key => $metric, canonical_key => $metric, issuer_label => $label, as_described => "$label of $member", dimension => $dimension,
        member => $member, unit => 'USD', basis => 'duration', start_date => $start, end_date => $end, $period eq 'half' ? () : (fiscal => $period), value => $value * $million, source_type => '10-K', %from, %more };
}
my @parts = (
    (map { part('revenue', 'Net sales', 'product', 'Gadgets', @$_) } ['FY2022', 48], ['FY2023', 50], ['FY2024', 60], ['Q2 FY2024', 14], ['half', 29]),
    (map { part('revenue', 'Net sales', 'product', 'Service', @$_) } ['FY2023', 20], ['FY2024', 30]),
    part('revenue', 'Net sales', 'product', 'Wearables, Home and Accessories', 'FY2024', 5),
    (map { part('revenue', 'Net sales', 'segment', @$_) } ['Americas Segment', 'FY2024', 52], ['Greater China Segment', 'FY2024', 38], ['Greater China Segment', 'FY2023', 40], ['Partwise Web Services', 'FY2024', 5], ['Rest of Aurora Pacific Segment', 'FY2024', 1], ['Legacy Segment', 'FY2022', 7]),
    (map { part('operating_income', 'Operating income', 'segment', @$_) } ['Americas Segment', 'FY2024', 9], ['Greater China Segment', 'FY2024', -2], ['Partwise Web Services', 'FY2024', 3]),
    (map { part('revenue', 'Net sales', 'product', @$_) } ['Energy Leasing', 'FY2024', 1], ['Energy Storage', 'FY2024', 2], ['Lighting', 'FY2024', 11], ['Trinkets', 'FY2024', 4]),
    part('revenue', 'Net sales', 'product', 'Robot Sales', 'FY2024', 21), part('revenue', 'Net sales', 'segment', 'Robots Segment', 'FY2024', 22),
    (map { part('revenue', 'Net sales', 'region', $_, 'FY2024', 3) } '2024', 'B', 'Net sales', 'Total'), # names that say nothing
    part('revenue', 'Net sales', 'segment', 'Lighting Segment', 'FY2024', 12), part('revenue', 'Net sales', 'region', 'U.S.', 'FY2024', 44),
    part('revenue', 'Net sales', 'segment', 'Startups', 'Q2 FY2025', 1), # of a quarter alone
);
my @lines = ({ dataset => 'listing', cik => $cik, ticker => 'PARTW', market => 'US', name => 'Partwise Inc.', status => 'active', known_at => '2020-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } },
    { dataset => 'listing', cik => 8820002, ticker => 'GADGT', market => 'US', name => 'Legacy Software & Gadgets Inc.', status => 'active', known_at => '2020-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } },
    (map { { dataset => 'listing', cik => 8820003 + $_, ticker => "AURO$_", market => 'US', name => ('Aurora Pacific Corp', 'Trinkets Ltd')[$_], status => 'active', known_at => '2020-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } } } 0 .. 1), @parts);
my ($code, undef, $wrong) = $site->control('import', 'ndjson', $site->write('parts.ndjson', join '', map { $json->encode($_) . "\n" } @lines));
is($code, 0, 'a company with parts') or diag $wrong;
my @whole = map { ({ start => "$_->[0]-01-01", end => "$_->[0]-12-31", val => $_->[1] * $million, accn => '0008820001-' . ($_->[0] - 1999) . '-000001', fy => $_->[0], fp => 'FY', form => '10-K', filed => ($_->[0] + 1) . '-02-01' }) } [2023, 90], [2024, 95];
($code, undef, $wrong) = $site->control('import', 'sec-companyfacts', $site->write(sprintf('CIK%010d.json', $cik),
    $json->encode({ cik => $cik, entityName => 'Partwise Inc.', facts => { 'us-gaap' => { Revenues => { label => 'Revenues', description => 'Revenues', units => { USD => \@whole } } } } })));
is($code, 0, 'and numbers of the whole') or diag $wrong;

sub says
{
    my ($question, $answer, @values) = @_;
    my $said = ask($question);
    is_deeply([@$said{qw(answer_md not_found)}, [map { 0 + $_->{value}{raw} } $said->{data_points}->@*]], [$answer, undef, [map { $_ * $million } @values]], $question);
    return $said;
}

sub refuses
{
    my ($question, $why) = @_;
    my $said = ask($question);
    is_deeply([@$said{qw(answer_md confidence)}, $said->{data_points}], ['', 'none', []], "refused: $question") or diag $said->{answer_md};
    is($said->{not_found}, $why, '... and says why') if defined $why;
    return;
}

# --------------------------------------------------------------------------- one part

my $gadgets = 'Partwise Inc., Gadgets: revenue of USD 60 million in fiscal 2024, ended 31 December 2024 [1].';
my $one = says('What was the revenue of Partwise from Gadgets in 2024?', $gadgets, 60);
is_deeply([@{ $one->{citations}[0] }{qw(dataset symbol)}, $one->{data_points}[0]{metric_key}, $one->{confidence}], ['kpi_observation', 'PARTW:US', 'revenue', 'high'], '... its source');
ok(json_of($site->get("/v1/src/$one->{citations}[0]{src_id}"))->{resolvable}, '... which resolves');
says($_, $gadgets, 60) for 'Partwise Gadgets revenue 2024', 'How much revenue did Partwise make from gadgets in 2024?', "Partwise's sales of Gadgets in fiscal 2024", 'How much revenue did the Gadgets business of Partwise have in FY2024?', 'PARTW gadget sales 2024',
    'Partwise gadgets revenue for the year ended December 31, 2024', 'Partwise Gadgets revenue';
says('Partwise gadgets revenue in Q2 2024', 'Partwise Inc., Gadgets: revenue of USD 14 million in the second quarter of fiscal 2024, ended 30 June 2024 [1].', 14);
says('Partwise gadgets revenue for the six months ended June 30, 2024', 'Partwise Inc., Gadgets: revenue of USD 29 million in the six months ended 30 June 2024 [1].', 29);
says("Partwise $_ revenue 2024", 'Partwise Inc., Service: revenue of USD 30 million in fiscal 2024, ended 31 December 2024 [1].', 30) for 'Services', 'service', 'services segment';
says($_, 'Partwise Inc., Greater China Segment: revenue of USD 38 million in fiscal 2024, ended 31 December 2024 [1].', 38) for "Partwise's sales in Greater China in 2024", 'What was the revenue of the Greater China segment of Partwise in fiscal 2024?', 'Partwise sales in the Greater China region 2024';
says('Partwise Greater China operating income 2024', 'Partwise Inc., Greater China Segment: operating income of USD -2 million in fiscal 2024, ended 31 December 2024 [1].', -2);
says("Partwise $_ revenue 2024", 'Partwise Inc., Partwise Web Services: revenue of USD 5 million in fiscal 2024, ended 31 December 2024 [1].', 5) for 'Web Services', "'s PWS";
says("Partwise revenue 2024 in $_", 'Partwise Inc., U.S.: revenue of USD 44 million in fiscal 2024, ended 31 December 2024 [1].', 44) for 'the U.S.', 'the US';
says('Partwise wearables revenue 2024', 'Partwise Inc., Wearables, Home and Accessories: revenue of USD 5 million in fiscal 2024, ended 31 December 2024 [1].', 5);
says('Partwise Wearables, Home and Accessories revenue 2024', 'Partwise Inc., Wearables, Home and Accessories: revenue of USD 5 million in fiscal 2024, ended 31 December 2024 [1].', 5);
says($_, 'Partwise Inc. had revenue of USD 95 million in fiscal 2024, ended 31 December 2024 [1].', 95) for 'Partwise revenue 2024', 'Partwise net sales 2024', 'total revenue of Partwise in 2024';
is(ask('Gadgets revenue 2024', symbols => ['PARTW'])->{answer_md}, $gadgets, 'of a company that the request names');

# ----------------------------------------------------- growth, several years, several parts

my $grown = 'Partwise Inc., Gadgets: revenue of USD 60 million in fiscal 2024, ended 31 December 2024 [1], up 20% from USD 50 million in fiscal 2023, ended 31 December 2023 [2].';
says($_, $grown, 60, 50) for 'How much did gadgets revenue of Partwise grow in 2024?', 'Partwise Gadgets revenue growth 2024', 'Partwise gadgets revenue growth from 2023 to 2024';
says('Partwise gadgets revenue from 2022 to 2024', join("\n\n", map { "Partwise Inc., Gadgets: revenue of USD $_->[1] million in fiscal $_->[0], ended 31 December $_->[0] [$_->[2]]." } [2022, 48, 1], [2023, 50, 2], [2024, 60, 3]), 48, 50, 60);
says('Partwise gadgets revenue in 2023 and 2024', join("\n\n", map { "Partwise Inc., Gadgets: revenue of USD $_->[1] million in fiscal $_->[0], ended 31 December $_->[0] [$_->[2]]." } [2023, 50, 1], [2024, 60, 2]), 50, 60);
my $both = "$gadgets\n\nPartwise Inc., Service: revenue of USD 30 million in fiscal 2024, ended 31 December 2024 [2].";
says('Partwise revenue from Gadgets and Services in 2024', $both, 60, 30);
says($_, "$both\n\nThe higher is that of Gadgets [3], by USD 30 million over that of Service [4].", 60, 30, 60, 30) for 'Compare Gadgets and Services revenue of Partwise in 2024', 'Which had more revenue in 2024, gadgets or services of Partwise?';
says($_, join("\n\n", map { "Partwise Inc., $_->[0]: revenue of USD $_->[1] million in fiscal 2024, ended 31 December 2024 [$_->[2]]." } ['Americas Segment', 52, 1], ['Greater China Segment', 38, 2], ['Robots Segment', 22, 3], ['Lighting Segment', 12, 4], ['Partwise Web Services', 5, 5], ['Rest of Aurora Pacific Segment', 1, 6]), 52, 38, 22, 12, 5, 1)
    for 'revenue by segment of Partwise in fiscal 2024', 'Partwise revenue by business segment 2024', "What was the revenue of each of Partwise's segments in 2024?", 'Partwise segment revenue 2024', 'Partwise revenue by segment';
says('Partwise revenue by product 2024', join("\n\n", map { "Partwise Inc., $_->[0]: revenue of USD $_->[1] million in fiscal 2024, ended 31 December 2024 [$_->[2]]." } ['Gadgets', 60, 1], ['Service', 30, 2], ['Robot Sales', 21, 3], ['Lighting', 11, 4],
    ['Wearables, Home and Accessories', 5, 5], ['Trinkets', 4, 6], ['Energy Storage', 2, 7], ['Energy Leasing', 1, 8]), 60, 30, 21, 11, 5, 4, 2, 1);
says('Which segment of Partwise had the highest operating income in 2024?', 'Partwise Inc., Americas Segment: operating income of USD 9 million in fiscal 2024, ended 31 December 2024 [1].', 9);

# ------------------------------------------------------------------ what is not answered

refuses('Partwise Americas operating loss 2024', 'Partwise Inc. had no loss of Americas Segment in fiscal 2024, ended 31 December 2024.');
refuses('Partwise revenue 2024 and gadgets revenue', 'An answer from numbers and records would leave out "revenue" of the question.');
refuses('Partwise rest revenue 2024');
says('Partwise gadgets revenue and services revenue in 2024', $both, 60, 30);
refuses('Partwise gadgets revenue 2021', 'Partwise Inc. has no revenue of Gadgets for that period; numbers are stored of 2022-12-31 to 2024-12-31.');
refuses('Partwise gadgets operating income 2024', 'Partwise Inc. has no operating income of Gadgets among the stored numbers.');
refuses('Partwise energy revenue 2024', 'Partwise Inc. has several parts of that name: Energy Leasing, Energy Storage.');
refuses('Partwise robot sales 2024', 'Partwise Inc. has several parts of that name: Robot Sales, Robots Segment.');
refuses('Partwise lighting revenue 2024', 'Partwise Inc. has several numbers of that name for the period: Lighting (product): USD 11 million; Lighting Segment (segment): USD 12 million.');
refuses('Partwise gadgets revenue in Greater China in 2024', 'An answer from numbers and records would leave out "Greater China Segment" of the question.');
refuses('Partwise gadgets and Greater China revenue 2024', 'An answer from numbers and records would leave out "Greater China Segment" of the question.');
refuses($_) for 'Partwise software revenue 2024', 'Partwise iPhone revenue 2024', 'Partwise revenue in China 2024', 'Partwise revenue excluding gadgets 2024', 'Partwise revenue without gadgets 2024', 'Partwise revenue 2024 other than gadgets',
    'Partwise combined gadgets and services revenue 2024', 'Partwise total gadgets and services revenue 2024', 'What percent of Partwise revenue was from gadgets in 2024?', 'What share of Partwise revenue is gadgets?', 'How many gadgets did Partwise sell in 2024?',
    'Partwise gadgets revenue by region 2024', 'gadgets revenue 2024', 'Partwise highest gadgets revenue', 'Partwise Gadgets and Qordra revenue 2024', 'Compare gadgets revenue of Partwise and Qordra in 2024', 'Partwise gadgets plus services revenue 2024',
    'Partwise not gadgets revenue 2024', 'Partwise gadgets', 'Partwise gadgets holders', 'Partwise product with the highest revenue in 2024', 'Partwise gadgets revenue per employee 2024', 'Partwise gadgets services revenue 2024',
    'How much did Partwise earn from gadgets in 2024?', 'Which company had the highest gadgets revenue in 2024?', 'Partwise revenue by country 2024 and segment', 'Partwise revenue by city 2024', 'Partwise gadgets revenue last decade';
# Words of a part's name that are a company's.
says('Partwise Rest of Aurora Pacific revenue 2024', 'Partwise Inc., Rest of Aurora Pacific Segment: revenue of USD 1 million in fiscal 2024, ended 31 December 2024 [1].', 1);
is(ask('Aurora Pacific revenue 2024')->{not_found}, 'Aurora Pacific Corp has no revenue among the stored numbers.', '... which alone is the company');
says('Partwise trinkets revenue 2024', 'Partwise Inc., Trinkets: revenue of USD 4 million in fiscal 2024, ended 31 December 2024 [1].', 4);
is(ask('Trinkets revenue 2024')->{not_found}, 'Trinkets Ltd has no revenue among the stored numbers.', '... as is another');
refuses("$_ revenue 2024", '"trinkets" may be a company or a part of one.') for 'Partwise and Trinkets', 'Compare Partwise gadgets and trinkets', 'Compare trinkets of Partwise and Qordra';
# The name of a company that has a part's name in it is the company's.
is(ask('Legacy Software & Gadgets revenue 2024')->{not_found}, 'Legacy Software & Gadgets Inc. has no revenue among the stored numbers.', 'a name that contains a part\'s');
is(ask('Partwise gadgets revenue 2024', as_of => '2025-01-15')->{answer_md}, '', 'as of before it was reported');

# -------------------------------------------------------------- of a filing's own XBRL

SKIP: {
    my $folder = build('SHARED') . '/data/xbrl/aapl-10q-20250329';
    skip 'no real files', 1 if !-e $folder;
    ($code, undef, $wrong) = $site->control('import', 'sec-company-tickers', build('SHARED') . '/data/edgar-tickers/company_tickers_exchange.json');
    is($code, 0, 'ten thousand companies') or diag $wrong;
    ($code, undef, $wrong) = $site->control('import', 'sec-companyfacts', build('SHARED') . '/data/edgar-companyfacts/CIK0000320193.json.gz');
    is($code, 0, 'Apple\'s companyfacts') or diag $wrong;
    ($code, undef, $wrong) = $site->control('import', 'xbrl-instance', '--accession', '0000320193-25-000057', '--known-at', '2025-05-02', $folder);
    is($code, 0, 'Apple\'s 10-Q of 2025') or diag $wrong;
    my $in = 'in the second quarter of fiscal 2025, ended 29 March 2025 [1]';
    my $before = 'in the second quarter of fiscal 2024, ended 30 March 2024 [2]';
    says('How much revenue did Apple make from iPhone in the quarter ended March 29, 2025?', "Apple Inc., iPhone: revenue of USD 46.84 billion $in.", 46841);
    says('Apple Services revenue Q2 2025', "Apple Inc., Service: revenue of USD 26.65 billion $in.", 26645);
    says('How fast did Apple Services revenue grow in Q2 2025?', "Apple Inc., Service: revenue of USD 26.65 billion $in, up 11.6% from USD 23.87 billion $before.", 26645, 23867);
    says("Apple's sales in Greater China in the second quarter of fiscal 2025", "Apple Inc., Greater China Segment: revenue of USD 16 billion $in.", 16002);
    says('Apple Mac revenue six months ended March 29, 2025', 'Apple Inc., Mac: revenue of USD 16.94 billion in the six months ended 29 March 2025 [1].', 16936);
    refuses('Apple Vision Pro revenue Q2 2025');
    refuses('Apple iPhone revenue 2023');
}

finish();

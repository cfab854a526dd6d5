# Trades of members of Congress: every filter against an unfiltered walk, every field, politicians,
# companies, amendments, and listings that come later.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

promises(
    list_congress => {
        parameters => [qw(ticker chamber transaction_type start_date end_date cursor limit fields direction as_of)],
        fields => [qw(id ticker? symbol? asset_name? asset_type? politician transaction_type amount_range? owner? comment?
            transaction_date? filing_date filing_date_basis filed_after_days? provenance)],
    },
    list_politician_trades => {
        parameters => [qw(slug ticker chamber transaction_type start_date end_date cursor limit fields direction as_of)],
        fields => [qw(id ticker? symbol? asset_name? asset_type? politician transaction_type amount_range? owner? comment?
            transaction_date? filing_date filing_date_basis filed_after_days? provenance)],
    },
    list_company_congress => {
        parameters => [qw(symbol chamber transaction_type start_date end_date cursor limit fields direction as_of)],
        fields => [qw(id ticker? symbol? asset_name? asset_type? politician transaction_type amount_range? owner? comment?
            transaction_date? filing_date filing_date_basis filed_after_days? provenance)],
    },
);
my $site = site();
my $rows = 'FROM congress_trade t JOIN issuer i USING (issuer_id) WHERE';
my $now  = 't.superseded_at IS NULL';

sub trades { my ($target, %option) = @_; return json_of($site->get($target, %option), $target)->{data} }
sub ids    { return [map { $_->{id} } trades(@_)->@*] }

# All rows, page by page.
sub walk
{
    my ($target) = @_;
    my (@all, $cursor);
    do {
        my $json = json_of($site->get($target . ($target =~ /\?/ ? '&' : '?') . 'limit=100' . ($cursor ? "&cursor=$cursor" : '')), 'a page');
        push @all, $json->{data}->@*;
        $cursor = $json->{pagination}{next_cursor};
        is($json->{pagination}{has_more} ? 1 : 0, $cursor ? 1 : 0, 'has_more says so') if !$cursor || @all <= 100;
    } while ($cursor && @all < 5000);
    return \@all;
}

# --- filters against the unfiltered walk -----------------------------------------------------

my $all = walk('/v1/congress');
is(scalar @$all, $site->value("SELECT count(*) FROM congress_trade t WHERE $now"), 'all rows: ' . @$all);
cmp_ok(scalar @$all, '>', 400, 'enough to tell filters apart');
is_deeply([map { $_->{id} } walk('/v1/congress?direction=asc')->@*], [reverse map { $_->{id} } @$all], 'the other way round');
my @in_order = sort { $b->{filing_date} cmp $a->{filing_date} || $b->{id} <=> $a->{id} } @$all;
is_deeply([map { $_->{id} } @$all], [map { $_->{id} } @in_order], 'by filing date, newest first');

my ($ticker, $symbol) = map { @$_{qw(ticker symbol)} } grep { $_->{symbol} } @$all;
my $slug = $all->[7]{politician}{slug};
my %keep = (
    "ticker=$ticker"                    => sub { ($_->{ticker} // '') eq $ticker },
    'ticker=' . lc $ticker              => sub { ($_->{ticker} // '') eq $ticker },
    "ticker=$symbol"                    => sub { ($_->{ticker} // '') eq $ticker },
    'ticker='                           => sub { 1 },
    'ticker=NOBODY'                     => sub { 0 },
    'chamber=senate'                    => sub { $_->{politician}{chamber} eq 'senate' },
    'chamber=house'                     => sub { $_->{politician}{chamber} eq 'house' },
    (map { my $type = $_; ("transaction_type=$type" => sub { $_->{transaction_type} eq $type }) }
        qw(purchase sale sale_partial exchange unknown)),
    'start_date=2025-01-01'             => sub { $_->{filing_date} ge '2025-01-01' },
    'end_date=2023-06-30'               => sub { $_->{filing_date} le '2023-06-30' },
    'start_date=2024-02-01&end_date=2024-04-30' => sub { $_->{filing_date} ge '2024-02-01' && $_->{filing_date} le '2024-04-30' },
    'start_date=2024-04-30&end_date=2024-02-01' => sub { 0 },
    "ticker=$ticker&chamber=house&transaction_type=purchase&start_date=2022-01-01" =>
        sub { ($_->{ticker} // '') eq $ticker && $_->{politician}{chamber} eq 'house' && $_->{transaction_type} eq 'purchase' && $_->{filing_date} ge '2022-01-01' },
);
for my $query (sort keys %keep) {
    my @wanted = map { $_->{id} } grep { $keep{$query}->() } @$all;
    is_deeply([map { $_->{id} } walk("/v1/congress?$query")->@*], \@wanted, "$query: " . @wanted . ' rows');
    is_deeply([map { $_->{id} } walk("/v1/congress?$query&direction=asc")->@*], [reverse @wanted], '... and ascending') if $query =~ /=s|&/;
}
my %of_politician = map { $_->{politician}{slug} => 1 } @$all;
for my $one ($slug, (sort keys %of_politician)[0, -1]) {
    my @wanted = map { $_->{id} } grep { $_->{politician}{slug} eq $one } @$all;
    is_deeply([map { $_->{id} } walk("/v1/congress/politicians/$one")->@*], \@wanted, "$one: " . @wanted . ' rows');
    @wanted = map { $_->{id} } grep { $_->{politician}{slug} eq $one && ($_->{ticker} // '') eq $ticker && $_->{transaction_type} eq 'sale' } @$all;
    is_deeply(ids("/v1/congress/politicians/$one?ticker=$ticker&transaction_type=sale"), \@wanted, '... its filters');
}
for my $query ('', 'chamber=senate', 'transaction_type=purchase&end_date=2025-01-01') {
    my @wanted = map { $_->{id} } grep { ($_->{symbol} // '') eq $symbol && (!$query || $keep{'chamber=senate'}->() && $query =~ /senate/
        || $query =~ /purchase/ && $_->{transaction_type} eq 'purchase' && $_->{filing_date} le '2025-01-01') } @$all;
    is_deeply([map { $_->{id} } walk("/v1/companies/$ticker/congress?$query")->@*], \@wanted, "$ticker $query: " . @wanted . ' rows');
}
is(scalar trades('/v1/congress?limit=500', key => 'free')->@*, 25, 'the plan caps a page');
is(scalar trades('/v1/congress?limit=3')->@*, 3, 'the limit holds');

# --- what is refused -------------------------------------------------------------------------

problem_is($site->get('/v1/congress/politicians/nobody-at-all'), 404, 'no such politician', instance => '/v1/congress/politicians/nobody-at-all',
    detail => 'There is no politician "nobody-at-all".');
problem_is($site->get('/v1/congress/politicians/' . uc $slug), 404, 'slugs are as they are', instance => '/v1/congress/politicians/' . uc $slug,
    detail => "There is no politician \"@{[uc $slug]}\".");
problem_is($site->get('/v1/companies/NOBODY/congress'), 404, 'no such company', instance => '/v1/companies/NOBODY/congress',
    detail => not_found_company('NOBODY'));
faults_is($site->get('/v1/congress?chamber=lords&limit=0'), [
    fault('literal_error', ['query', 'chamber'], "Input should be 'senate' or 'house'", 'lords', '{"expected":"\'senate\' or \'house\'"}'),
    fault('greater_than_equal', ['query', 'limit'], 'Input should be greater than or equal to 1', '0', '{"ge":1}')], 'two faults at once');
is($site->get('/v1/congress?cursor=x')->status, 422, 'a forged cursor');
my $cursor = json_of($site->get('/v1/congress?limit=1'), 'a cursor')->{pagination}{next_cursor};
is($site->get("/v1/congress?limit=1&chamber=house&cursor=$cursor")->status, 422, 'a cursor of other filters');

# --- every field -----------------------------------------------------------------------------

my $iso = q{'YYYY-MM-DD"T"HH24:MI:SS"Z"'};
my $columns = "t.*, i.party_key, p.political_party AS party, coalesce(t.state_district, p.state_district) AS district,
    to_char(t.extracted_at, $iso) AS extracted, t.filing_date - t.transaction_date AS days";
my %seen;
for my $row ($site->rows("SELECT $columns FROM congress_trade_sourced t JOIN issuer i USING (issuer_id) LEFT JOIN politician p USING (issuer_id)
    WHERE $now ORDER BY t.filing_date DESC, t.id DESC"))
{
    my $kind = join ' ', map { $_ // '-' } $row->{chamber}, $row->{transaction_type}, $row->{amends} ? 'amends' : '', $row->{ticker} ? 't' : '', $row->{party};
    next if $seen{$kind}++;
    my ($shown) = grep { $_->{id} == $row->{id} } @$all;
    same_json($shown, {
        id => $row->{id}, ticker => $row->{ticker}, symbol => $row->{symbol}, asset_name => $row->{asset_name}, asset_type => $row->{asset_type},
        politician => { slug => $row->{party_key} =~ s{^politician/}{}r, first => $row->{first_name}, last => $row->{last_name}, chamber => $row->{chamber},
            party => $row->{party}, state_district => $row->{district} },
        transaction_type => $row->{transaction_type}, amount_range => $row->{amount_range}, owner => $row->{owner}, comment => $row->{comment},
        transaction_date => $row->{transaction_date}, filing_date => $row->{filing_date}, filing_date_basis => 'stated',
        filed_after_days => $row->{days},
        provenance => { src_id => 'src_congress_trade_' . $row->{src_digest} =~ s/-//gr, source_provider => 'fictional', source_url => $row->{source_url},
            accession => undef, quote => undef, content_hash => $row->{content_hash}, extracted_at => $row->{extracted} },
    }, "a row: $kind");
}
my ($first) = @$all;
my $source = json_of($site->get("/v1/src/$first->{provenance}{src_id}"), 'its source');
same_json($source->{record}, $first, 'src_id resolves to the record');
my ($paper) = grep { $_->{transaction_type} eq 'unknown' } @$all;
ok(defined $paper && !grep({ defined $paper->{$_} } qw(ticker symbol asset_name amount_range owner transaction_date filed_after_days)),
    'a report on paper says nothing but that it is there');
my $envelope = json_of($site->get("/v1/congress/politicians/$slug"), 'the politician');
same_json($envelope->{politician}, $envelope->{data}[0]{politician}, 'the envelope names the politician');
is_deeply([sort keys %$envelope], [qw(data pagination politician)], '... beside data and pagination');

# --- amendments and as_of --------------------------------------------------------------------

my ($amended) = $site->rows("SELECT t.id, i.party_key, t.known_at, t.superseded_at, t.report_id $rows t.superseded_at > t.known_at ORDER BY t.id LIMIT 1");
my $path = '/v1/congress/politicians/' . $amended->{party_key} =~ s{^politician/}{}r . '?limit=500';
my $has = sub { my ($query) = @_; scalar grep { $_ == $amended->{id} } ids("$path$query")->@* };
my ($from, $to) = map { s/\+00:?(00)?$/Z/r =~ s/ /T/r } @$amended{qw(known_at superseded_at)};
is($has->(''), 0, 'what an amendment replaced is not shown now');
is($has->("&as_of=$from"), 1, 'but from when it was known');
is($has->("&as_of=$to"), 0, 'until the amendment was');
is($site->value("SELECT count(*) FROM congress_trade WHERE amends = '$amended->{report_id}' AND known_at = '$amended->{superseded_at}'") > 0 ? 1 : 0, 1,
    'which was known from then on');
for my $time ('2023-06-01', '2025-01-15T12:00:00Z') {
    my @then = map { $_->{id} } $site->rows("SELECT t.id $rows t.known_at <= '$time' AND (t.superseded_at IS NULL OR t.superseded_at > '$time')
        ORDER BY t.filing_date DESC, t.id DESC");
    is_deeply([map { $_->{id} } walk("/v1/congress?as_of=$time")->@*], \@then, "as of $time: " . @then . ' rows');
}
is_deeply(ids('/v1/congress?as_of=2011-01-01'), [], 'nothing was known before the law');
is($site->get("/v1/congress/politicians/$slug?as_of=2009-01-01")->status, 404, 'nor was the politician');

# --- NDJSON: parties, amendments, versions ---------------------------------------------------

my $encoder = Disclosed::JSON->new->utf8->canonical;
my %from = (provenance => { source_provider => 'issuer_page' });

sub import_lines
{
    my (@lines) = @_;
    my $file = $site->write('lines.ndjson', join '', map { $encoder->encode($_) . "\n" } @lines);
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $file);
    is($code, 0, 'lines are imported') or diag "$out$err";
    return $encoder->decode($out);
}

sub line
{
    my ($report, $row, %more) = @_;
    return { dataset => 'congress_trade', party => 'politician/jane-doe', issuer_name => 'Jane Doe', %from, chamber => 'senate', report_id => $report,
        row_number => $row, first_name => 'Jane', last_name => 'Doe', transaction_type => 'purchase', filing_date => '2024-05-10',
        filing_date_basis => 'stated', %more };
}

my @lines = (line('r1', 1, ticker => $ticker, transaction_date => '2024-05-01', amount_range => '$1,001 - $15,000', owner => 'self', asset_name => 'Shares'),
    line('r1', 2, ticker => 'LATERB', asset_name => 'To be listed', transaction_date => '2024-06-01'),
    line('r1', 3, ticker => 'LATER-B', filing_date_basis => 'latest_possible', transaction_date => '2024-05-01'));
is(import_lines(@lines)->{stored}, 3, 'three trades of a new politician');
my $jane = trades('/v1/congress/politicians/jane-doe?direction=asc');
same_json([map { $_->{symbol} } @$jane], [$symbol, undef, undef], 'one is listed, two are not yet');
same_json([map { $_->{filed_after_days} } @$jane], [9, undef, undef], 'days only where both dates are sure and in order');
same_json($jane->[0]{politician}, { slug => 'jane-doe', first => 'Jane', last => 'Doe', chamber => 'senate', party => undef, state_district => undef },
    'the politician, as far as is known');
is_deeply(ids('/v1/congress?ticker=LATERB'), [$jane->[1]{id}], 'what is not listed is found by its own spelling');
my %coverage = json_of($site->get("/v1/coverage/$ticker"), 'coverage')->{datasets}->%*;
is($coverage{congress_trades}{count}, scalar walk("/v1/companies/$ticker/congress")->@*, 'the company\'s coverage counts its trades');

my %listing = (dataset => 'listing', cik => 7654321, %from, ticker => 'LATER-B', market => 'US', name => 'Later Corp', status => 'active',
    listed_on => '2024-07-01', known_at => '2024-07-01');
import_lines(\%listing);
my $later = walk('/v1/companies/LATER-B/congress');
is_deeply([map { $_->{id} } @$later], [$jane->[2]{id}, $jane->[1]{id}], 'a listing that comes later finds its trades, whatever their spelling');
is_deeply([map { $_->{symbol} } @$later], [('LATER-B:US') x 2], '... and names them');
is_deeply([sort { $a <=> $b } ids("/v1/congress?ticker=$_")->@*], [sort { $a <=> $b } map { $_->{id} } @$later], "ticker=$_ means them all")
    for qw(LATER-B LATER.B laterb LATER/B LATER-B:US);
same_json(json_of($site->get('/v1/coverage/LATER-B'), 'coverage')->{datasets}{congress_trades}, { count => 2, latest => '2024-05-10' }, 'so does coverage');


# Tickers pass from one company to another: an old trade needs the name, which may be a former one.
my @old = (line('r9', 1, party => 'politician/joe-old', ticker => 'LATERB', asset_name => 'Later Corporation (NYSE)'),
    line('r9', 2, party => 'politician/joe-old', ticker => 'LATERB', asset_name => 'Sooner Industries Inc'), line('r9', 3, party => 'politician/joe-old', ticker => 'LATERB'));
import_lines(map { { %$_, filing_date => '2016-02-03' } } @old);
my $names = sub { [map { $_->{symbol} } trades('/v1/congress/politicians/joe-old?direction=asc')->@*] };
same_json($names->(), ['LATER-B:US', undef, undef], 'an old trade of a ticker is the company\'s where the names agree');
import_lines({ dataset => 'company', cik => 7654321, %from, known_at => '2015-01-01', name => 'Sooner Inc.' }, { dataset => 'company', cik => 7654321, %from, known_at => '2020-01-01', name => 'Later Corp' });
same_json($names->(), ['LATER-B:US', 'LATER-B:US', undef], '... a former name, when it comes to be known');

import_lines({ dataset => 'politician', party => 'politician/jane-doe', %from, political_party => 'Independent', state_district => 'VT', reported_on => '2024-01-01' });
same_json(trades('/v1/congress/politicians/jane-doe?limit=1')->[0]{politician}, { slug => 'jane-doe', first => 'Jane', last => 'Doe', chamber => 'senate',
    party => 'Independent', state_district => 'VT' }, 'party and state come by NDJSON');
is(trades('/v1/congress/politicians/jane-doe?limit=1&as_of=2024-06-01')->[0]{politician}{party}, 'Independent', '... from when they were reported');

is(import_lines(line('r2', 1, ticker => $ticker, amends => 'r1', filing_date => '2024-05-20', transaction_date => '2024-05-01',
    amount_range => '$15,001 - $50,000'))->{stored}, 1, 'an amendment');
$jane = trades('/v1/congress/politicians/jane-doe');
same_json([map { $_->{amount_range} } @$jane], ['$15,001 - $50,000'], 'stands for the whole report');
is(scalar ids('/v1/congress/politicians/jane-doe?as_of=2024-05-15')->@*, 3, 'which was in force until then');
is(json_of($site->get('/v1/coverage/LATER-B'), 'coverage')->{datasets}{congress_trades}{count}, 2, 'coverage follows');
is(import_lines(@lines)->{stored}, 0, 'the old report does not come back');
is(scalar ids('/v1/congress/politicians/jane-doe')->@*, 1, '... it stays replaced');

# A currency has a ticker of its own, and a town's bond has none: it is no company's that has the same, but by its name.
my @coins = map { line('r11', $_->[0], party => 'politician/coin-holder', ticker => 'LATERB', $_->[1] ? (asset_type => $_->[1]) : (), asset_name => $_->[2], filing_date => '2026-02-03') }
    [1, 'Cryptocurrency', 'Mooncoin'], [2, undef, 'Litecoin (LATERB)'], [3, undef, 'Bitcoin Cash cryptocurrency'], [4, 'Cryptocurrency', 'Later Corp'], [5, 'Government Security', 'Castle County Bonds'], [6, undef, 'Litecoin Later Fund'], [7, 'Stock', 'Mooncoin'];
import_lines(@coins);
for my $query ('', '&as_of=2026-12-01') {
    same_json([map { $_->{symbol} } trades("/v1/congress/politicians/coin-holder?direction=asc$query")->@*], [undef, undef, undef, 'LATER-B:US', undef, 'LATER-B:US', 'LATER-B:US'], "the ticker of a currency is no company's $query");
}

# A trust that holds a coin has its name: the coin alone is not the trust.
import_lines({ dataset => 'listing', cik => 7654322, %from, ticker => 'LTCN', market => 'US', name => 'Grayslate Litecoin Trust', status => 'active', listed_on => '2024-07-01', known_at => '2024-07-01' },
    map { line('r12', $_->[0], party => 'politician/coin-holder', ticker => 'LTCN', $_->[1] ? (asset_type => $_->[1]) : (), asset_name => $_->[2], filing_date => '2026-02-04') }
        [1, undef, 'Litecoin'], [2, 'Cryptocurrency', 'Litecoin (LTCN)'], [3, 'Cryptocurrency', 'Grayslate Litecoin Trust'], [4, 'Stock', 'Grayslate Litecoin Trust']);
for my $query ('', '&as_of=2026-12-01') {
    same_json([map { $_->{symbol} } trades("/v1/congress/politicians/coin-holder?ticker=LTCN&direction=asc$query")->@*], [undef, undef, 'LTCN:US', 'LTCN:US'], "a coin is no trust $query");
}

my @bad = map { { line('r3', 1)->%*, @$_ } } [chamber => 'lords'], [transaction_type => 'gift'], [filing_date => undef], [filing_date_basis => 'guess'],
    [row_number => 0], [ticker => 'small'], [owner => 'SELF'], [record_key => 'senate/r3/2'], [party => ''];
my $file = $site->write('bad.ndjson', join '', map { $encoder->encode($_) . "\n" } @bad);
my ($code, $out) = $site->control('import', 'ndjson', '--json', $file);
is($code, 1, 'faulty lines');
is($encoder->decode($out)->{rejected}, scalar @bad, '... are refused') or diag $out;

finish();

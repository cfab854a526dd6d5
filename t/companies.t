# Companies: the list's filters together, detail by every spelling of a symbol, people, and what was
# true on a day in the past.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

promises(
    list_companies => {
        parameters => [qw(q markets sector tickers ciks isins figis issuer_ids active_only sort cursor limit fields direction as_of)],
        fields => [qw(symbol ticker market name cik? isin? figi? issuer_id)],
    },
    get_company => {
        parameters => [qw(symbol as_of)],
        fields => [qw(symbol ticker market name cik? isin? figi? issuer_id website? country? listing_exchange? is_etf is_fund
            is_adr status sector? industry? employee_count? description? description_provenance? _gaps)],
    },
    list_executives => {
        parameters => [qw(symbol category current_only limit fields as_of)],
        fields => [qw(name role category affiliation? rank is_current provenance)],
    },
);
my $site = site();

sub listed
{
    my ($query, $name) = @_;
    return [map { $_->{symbol} } json_of($site->get("/v1/companies?limit=500&$query"), $name)->{data}->@*];
}

my $current = 'FROM listing l JOIN issuer i USING (issuer_id) LEFT JOIN issuer_profile_sourced p ON p.issuer_id = l.issuer_id
    AND p.superseded_at IS NULL WHERE l.superseded_at IS NULL';
my $newest_first = 'ORDER BY l.listed_on DESC, l.id DESC';

sub symbols_where
{
    my ($condition) = @_;
    return [map { $_->{symbol} } $site->rows("SELECT l.symbol $current AND $condition $newest_first")];
}

# --- the list --------------------------------------------------------------------------------

is_deeply(listed('', 'all'), symbols_where("l.status = 'active'"), 'active listings, newest first');
is_deeply(listed('active_only=false', 'all'), symbols_where('true'), 'active_only=false lists every listing');
is_deeply(listed('active_only=false&q=stores', 'q'), symbols_where("l.name ILIKE '%stores%'"), 'a part of the name, any case');
is_deeply(listed('q=RUZ', 'q'), symbols_where("l.status = 'active' AND (l.ticker LIKE '%RUZ%' OR l.name ILIKE '%ruz%')"), 'a part of the ticker');
is_deeply(listed('q=us%20ru', 'q'), [], 'not across ticker and name');
is_deeply(listed("q=$_", 'q'), [], "'$_' is no wildcard") for '%25', '_', '%5C', '*';
my ($chosen) = $site->rows("SELECT l.*, i.cik $current AND l.isin IS NOT NULL AND l.figi IS NOT NULL AND l.status = 'active'
    AND i.cik IS NOT NULL $newest_first LIMIT 1");
my $all = "tickers=$chosen->{ticker}&tickers=NOBODY&ciks=$chosen->{cik}&isins=$chosen->{isin}&figis=$chosen->{figi}"
    . "&issuer_ids=$chosen->{issuer_id}&markets=$chosen->{market}&q=" . lc($chosen->{ticker});
is_deeply(listed($all, 'all'), [$chosen->{symbol}], 'all filters together find the one that fits them all');
is_deeply(listed("$all&markets=XX&sector=nothing", 'none'), [], 'one that does not fit leaves nothing');
is_deeply(listed("tickers=$chosen->{ticker}&tickers=ZEMRUZ&direction=asc", 'two'),
    [reverse listed("tickers=$chosen->{ticker}&tickers=ZEMRUZ", 'two')->@*], 'several tickers');
is_deeply(listed('ciks=9990000027', 'cik'), listed("ciks=$_", 'cik'), "a CIK as $_") for qw(9990000027 CIK9990000027 cik9990000027);
is_deeply(listed('sector=manufacturing', 'sector'), symbols_where("l.status = 'active' AND p.sic BETWEEN '2000' AND '3999'"),
    'a sector is a division of the SIC');
my ($delisted) = $site->rows("SELECT l.symbol, l.ticker $current AND l.status = 'delisted' LIMIT 1");
is_deeply(listed("tickers=$delisted->{ticker}", 'delisted'), [], 'a delisted company is not listed');
is_deeply(listed("tickers=$delisted->{ticker}&active_only=false", 'delisted'), [$delisted->{symbol}], 'unless it is asked for');

# --- detail ----------------------------------------------------------------------------------

my ($row) = $site->rows("SELECT l.isin, l.figi, l.issuer_id, l.listing_exchange, i.cik, p.name AS registrant, p.website, p.country, p.sic_description, p.employee_count,
    p.description, p.src_digest, p.source_url AS profile_url, p.accession AS profile_accession $current AND l.symbol = 'ZEMRUZ:US'");
my $detail = json_of($site->get('/v1/companies/ZEMRUZ:US'), 'detail');
is($detail->{$_->[0]}, $_->[1], "detail: $_->[0]")
    for ['symbol', 'ZEMRUZ:US'], ['ticker', 'ZEMRUZ'], ['market', 'US'], ['name', $row->{registrant}], ['cik', '9990000027'],
    ['isin', $row->{isin}], ['figi', $row->{figi}], ['issuer_id', $row->{issuer_id}], ['website', $row->{website}],
    ['country', $row->{country}], ['listing_exchange', $row->{listing_exchange}], ['status', 'active'],
    ['employee_count', $row->{employee_count}], ['description', $row->{description}], ['industry', $row->{sic_description}],
    ['sector', 'Transportation, Communications, Electric, Gas, And Sanitary Services'];
my $provenance = $detail->{description_provenance};
is($provenance->{src_id}, 'src_company_' . $row->{src_digest} =~ s/-//gr, 'provenance: src_id');
is($provenance->{source_url}, $row->{profile_url}, 'provenance: source_url');
is($provenance->{accession}, $row->{profile_accession}, 'provenance: accession');
like($detail->{_gaps}[0], qr/SIC code 4213/, 'the gap says where sector and industry come from');
for my $spelling (qw(ZEMRUZ zemruz ZEMRUZ:us zemruz%3AUS ZEMRUZ%3aus)) {
    is($site->get("/v1/companies/$spelling")->body, $site->get('/v1/companies/ZEMRUZ:US')->body, "the same as $spelling");
}
is(json_of($site->get('/v1/companies/HYVVAD'), 'primary')->{symbol}, 'HYVVAD:CA', 'a bare ticker finds its only market');
is(json_of($site->get('/v1/companies/HYVVADY'), 'ADR')->{is_adr}, JSON::PP::true, 'an ADR says so');
is(json_of($site->get('/v1/companies/ZEMRUZ-B'), 'class')->{name}, $detail->{name}, 'a class of shares is the same company');
my $fund = json_of($site->get('/v1/companies/HAXBRU'), 'a fund');
same_json([@$fund{qw(is_etf is_fund is_adr sector)}], [JSON::PP::true, JSON::PP::true, JSON::PP::false, undef], 'a fund says so');
like(join(' ', $fund->{_gaps}->@*), qr/no SIC code/, '... and what is not known of it');
is(json_of($site->get("/v1/companies/$delisted->{ticker}"), 'delisted')->{status}, 'delisted', 'a delisted company can be asked for');
for my $symbol ('NOBODY', 'ZEMRUZ:XX', 'ZEMRUZ:US:US', '%25') {
    my $path = '/v1/companies/' . ($symbol =~ s/%25/%/r);
    problem_is($site->get("/v1/companies/$symbol"), 404, "no company $symbol", instance => $path,
        detail => not_found_company($symbol =~ s/%25/%/r));
}

# --- people ----------------------------------------------------------------------------------

sub people
{
    my ($query) = @_;
    my $json = json_of($site->get("/v1/companies/ZEMRUZ/executives?limit=500&$query"), "people $query");
    return [map { "$_->{rank} $_->{category} $_->{name} " . ($_->{is_current} ? 'now' : 'then') } $json->{data}->@*];
}

sub people_where
{
    my ($condition) = @_;
    return [map { "$_->{person_rank} $_->{category} $_->{name} " . ($_->{is_current} ? 'now' : 'then') }
            $site->rows("SELECT e.* FROM executive e JOIN issuer i USING (issuer_id) WHERE i.ticker = 'ZEMRUZ'
            AND superseded_at IS NULL AND $condition ORDER BY person_rank, e.name, record_key")];
}

is_deeply(people(''), people_where('is_current'), 'current people, in the order of rank and name');
is_deeply(people('current_only=false'), people_where('true'), 'all people');
is_deeply(people("category=$_&current_only=false"), people_where("category = '$_'"), "category $_") for qw(executives ir analysts);
my $company = json_of($site->get('/v1/companies/ZEMRUZ-B/executives?limit=1'), 'people of a class');
same_json($company->{company}, { map { ($_ => json_of($site->get('/v1/companies/ZEMRUZ-B'), 'class')->{$_}) } qw(symbol ticker market name cik isin figi issuer_id) },
    'the envelope names the company of the path');
is(scalar($company->{data}->@*), 1, 'limit');
is($company->{data}[0]{role}, 'Chief Executive Officer', 'the chief executive comes first');
problem_is($site->get('/v1/companies/NOBODY/executives'), 404, 'people of nobody', instance => '/v1/companies/NOBODY/executives',
    detail => not_found_company('NOBODY'));
is(scalar(json_of($site->get('/v1/companies/QORDRA/executives?limit=100&current_only=false', key => 'free'), 'free')->{data}->@*),
    scalar(json_of($site->get('/v1/companies/QORDRA/executives?limit=25&current_only=false'), 'page')->{data}->@*), 'the page cap holds here too');

# --- as of -----------------------------------------------------------------------------------

my ($renamed) = $site->rows("SELECT i.ticker, old.name AS old_name, new.name AS new_name, new.known_at
    FROM issuer_profile old JOIN issuer_profile new ON new.issuer_id = old.issuer_id AND new.known_at = old.superseded_at
    AND new.name <> old.name JOIN issuer i ON i.issuer_id = old.issuer_id ORDER BY i.ticker LIMIT 1");
my $change = $renamed->{known_at} =~ s/\+00:00$/Z/r;
my ($second) = $change =~ /:(\d\d)(?:\.\d+)?Z/;
my $before = $change =~ s/:\d\d(?:\.\d+)?Z/sprintf ':%02dZ', $second - 1/er;
my $path = "/v1/companies/$renamed->{ticker}";
ok($second > 0, 'the change has a second before it in its minute');
is(json_of($site->get($path), 'now')->{name}, $renamed->{new_name}, 'the name now');
is(json_of($site->get("$path?as_of=$change"), 'at')->{name}, $renamed->{new_name}, 'at the instant of the change');
is(json_of($site->get("$path?as_of=$before"), 'before')->{name}, $renamed->{old_name}, 'a second before it');
is(json_of($site->get("$path?as_of=2023-01-01"), 'day')->{name}, $renamed->{old_name}, 'on a day before');
is(json_of($site->get("/v1/companies?tickers=$renamed->{ticker}&as_of=2023-01-01"), 'list')->{data}[0]{name}, $renamed->{old_name},
    'the list too has the name of then');
is(json_of($site->get("$path/executives?as_of=2023-01-01"), 'people')->{company}{name}, $renamed->{old_name},
    'and the company in an envelope');
is($site->get("$path?as_of=2000-01-01")->status, 404, 'before it was public there is no such company');
is($site->get("$path/executives?as_of=2000-01-01")->status, 404, 'nor its people');
is_deeply(listed('as_of=2000-01-01', 'nobody'), [], 'nor any other');
my ($gone) = $site->rows("SELECT l.ticker, l.known_at $current AND l.status = 'delisted' LIMIT 1");
is(json_of($site->get("/v1/companies/$gone->{ticker}?as_of=2023-01-01"), 'then')->{status}, 'active', 'a delisted company was active once');
is_deeply(listed("tickers=$gone->{ticker}&as_of=2023-01-01", 'then'), ["$gone->{ticker}:US"], '... and was listed');
my @then = map { $_->{name} } $site->rows("SELECT e.name FROM executive e JOIN issuer i USING (issuer_id) WHERE i.ticker = 'ZEMRUZ'
    AND e.known_at <= '2023-06-01' AND (e.superseded_at IS NULL OR e.superseded_at > '2023-06-01') AND e.is_current
    ORDER BY person_rank, e.name, record_key");
is_deeply([map { $_->{name} } json_of($site->get('/v1/companies/ZEMRUZ/executives?limit=500&as_of=2023-06-01'), 'then')->{data}->@*],
    \@then, 'people who were current then');

# --- who looks for a company -----------------------------------------------------------------

# In the order in which they are found by GE: the ticker, whole words, beginnings of words, parts of words; of each those known longest first.
my @known = (
    ['QQE', 'Edgewater Bridge Corp', '2001-01-02'], ['GEHC', 'Gevity Health', '2002-01-02'], ['QQD', 'Midrange Corp', '2003-01-02'], ['QQC', 'Blue-Gear Inc', '2004-01-02'],
    ['QQB', 'Qq Ge-Works Inc', '2006-01-02'], ['GEV', 'Ge Vernova Inc', '2005-01-02'], ['GE', 'General Things Co', '2007-01-02'],
);
my @lines = map { my ($ticker, $name, $day) = $known[$_]->@*; ({ dataset => 'listing', cik => 8100001 + $_, ticker => $ticker, market => 'ZZ', name => $name, status => 'active',
    known_at => $day, listed_on => $day, provenance => { source_provider => 'issuer_page' } }) } 0 .. $#known;
my ($code, $out, $err) = $site->control('import', 'ndjson', '--quiet', $site->write('known.ndjson', join '', map { Disclosed::JSON->new->utf8->encode($_) . "\n" } @lines));
is($code, 0, 'companies to look for') or diag $out, $err;
my @best = map { "$_:ZZ" } qw(GE GEV QQB GEHC QQC QQE QQD);
is_deeply(listed("q=$_&markets=ZZ&sort=match", 'match'), \@best, "q=$_: the ticker, words, beginnings of words, the rest") for 'GE', 'ge', 'gE';
is_deeply(listed('q=ge&markets=ZZ&sort=match&direction=asc', 'match'), [reverse @best], '... and back');
is_deeply(listed('q=ge&markets=ZZ', 'listed'), [map { "$_:ZZ" } qw(GE QQB GEV QQC QQD GEHC QQE)], '... without sort by day');
is_deeply(listed("q=$_->[0]&markets=ZZ&sort=match", 'match'), [map { "$_:ZZ" } $_->[1]->@*], "q=$_->[0]")
    for ['ge-works', ['QQB']], ['ge%20v', ['GEV']], ['-', [qw(QQC QQB)]];
is_deeply(listed('markets=ZZ&sort=match', 'match'), [map { "$_:ZZ" } qw(QQE GEHC QQD QQC GEV QQB GE)], 'without q those known longest');
my ($next, @walked) = ('');
for my $step (1 .. 4) {
    my $json = json_of($site->get("/v1/companies?q=ge&markets=ZZ&sort=match&limit=2$next"), "page $step");
    push @walked, map { $_->{symbol} } $json->{data}->@*;
    $next = '&cursor=' . ($json->{pagination}{next_cursor} // 'none');
}
is_deeply(\@walked, \@best, '... page by page');
is($next, '&cursor=none', '... to the end');
my $first = json_of($site->get('/v1/companies?q=ge&markets=ZZ&sort=match&limit=2'), 'a page')->{pagination}{next_cursor};
is($site->get("/v1/companies?q=ge&markets=ZZ&limit=2&cursor=$first")->status, 422, 'a cursor is of its order');
is($site->get("/v1/companies?q=gea&markets=ZZ&sort=match&limit=2&cursor=$first")->status, 422, '... and of its q');
is(scalar(split /\n/, $site->get('/v1/companies?q=ge&markets=ZZ&sort=match&limit=5000', headers => { Accept => 'application/x-ndjson' })->body), 7, '... as an export');
is_deeply(listed('q=ge&markets=ZZ&sort=match&as_of=2003-06-01', 'then'), [map { "$_:ZZ" } qw(GEHC QQE QQD)], '... as of an instant');

finish();

# Insider transactions: every filter alone and together, values in exact decimals, amendments.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

promises(
    list_insider => {
        parameters => [qw(transaction_types min_value start_date end_date cursor limit fields direction as_of)],
        fields => [qw(id symbol? ticker? company_cik? insider transaction_type transaction_code? shares? price? value?
            shares_owned_after? transaction_date? filing_date form is_derivative security_title? acquired_disposed?
            ownership? footnotes? remarks? provenance)],
    },
    list_company_insider => {
        parameters => [qw(symbol transaction_types min_value start_date end_date cursor limit fields direction as_of)],
        fields => [qw(id symbol? ticker? company_cik? insider transaction_type transaction_code? shares? price? value?
            shares_owned_after? transaction_date? filing_date form is_derivative security_title? acquired_disposed?
            ownership? footnotes? remarks? provenance)],
    },
);
my $site = site();
my $rows = 'FROM insider_transaction_sourced t JOIN issuer i USING (issuer_id) WHERE';
my $now  = 't.superseded_at IS NULL';

sub ids
{
    my ($target) = @_;
    return [map { $_->{id} } json_of($site->get($target), $target)->{data}->@*];
}

sub ids_where
{
    my ($condition, $limit, $way) = @_;
    $way //= 'DESC';
    return [map { $_->{id} } $site->rows("SELECT t.id $rows $condition ORDER BY t.filing_date $way, t.id $way LIMIT $limit")];
}

sub same
{
    my ($query, $condition, $way) = @_;
    my $wanted = ids_where("$now AND $condition", 60, $way);
    is_deeply(ids("/v1/insider?limit=60&$query"), $wanted, "$query: " . @$wanted . ' rows');
}

# --- filters ---------------------------------------------------------------------------------

same('', 'true');
same('direction=asc', 'true', 'ASC');
same('transaction_types=P', "transaction_code = 'P'");
same('transaction_types=G&transaction_types=F', "transaction_code IN ('G', 'F')");
same('min_value=1000000', 'value >= 1000000');
same('min_value=0', 'value >= 0');
same('min_value=123456.789', 'value >= 123456.789');
same('start_date=2026-01-01', "filing_date >= '2026-01-01'");
same('end_date=2022-03-31', "filing_date <= '2022-03-31'");
same('start_date=2024-05-01&end_date=2024-05-31', "filing_date BETWEEN '2024-05-01' AND '2024-05-31'");
same('start_date=2024-05-31&end_date=2024-05-01', 'false');
same('transaction_types=S&min_value=250000&start_date=2023-01-01&end_date=2025-12-31&direction=asc',
    "transaction_code = 'S' AND value >= 250000 AND filing_date BETWEEN '2023-01-01' AND '2025-12-31'", 'ASC');
my ($exact) = $site->rows("SELECT value::text, id $rows $now AND value IS NOT NULL ORDER BY t.value DESC, id LIMIT 1");
is_deeply(ids("/v1/insider?min_value=$exact->{value}"), [$exact->{id}], 'min_value takes the value itself');
is_deeply(ids('/v1/insider?min_value=' . ($exact->{value} =~ /\./ ? "$exact->{value}001" : "$exact->{value}.001")), [],
    'and no value that is a thousandth of a dollar above it');

# --- one company -----------------------------------------------------------------------------

for my $query ('', 'transaction_types=S', 'direction=asc', 'min_value=50000&transaction_types=S&start_date=2023-01-01') {
    my $condition = $query =~ /min_value/ ? "transaction_code = 'S' AND value >= 50000 AND filing_date >= '2023-01-01'"
        : $query =~ /types/ ? "transaction_code = 'S'" : 'true';
    is_deeply(ids("/v1/companies/ZEMRUZ/insider?limit=500&$query"),
        ids_where("$now AND i.ticker = 'ZEMRUZ' AND $condition", 500, $query =~ /asc/ ? 'ASC' : undef), "ZEMRUZ $query");
}
is_deeply(ids('/v1/companies/zemruz-b:us/insider'), ids('/v1/companies/ZEMRUZ/insider'),
    'any listing of the company will do');
same_json(json_of($site->get('/v1/companies/HAXBRU/insider'), 'a fund'), { data => [], pagination => { next_cursor => undef, has_more => JSON::PP::false } },
    'a company without insiders has an empty list');
problem_is($site->get('/v1/companies/NOBODY/insider'), 404, 'nobody', instance => '/v1/companies/NOBODY/insider',
    detail => not_found_company('NOBODY'));

# --- a row, byte for byte --------------------------------------------------------------------

# Numbers as PostgreSQL has them, without trailing zeros; the rest as JSON text.
sub trimmed
{
    my ($text) = @_;
    return 'null' if !defined $text;
    return $text =~ /\./ ? $text =~ s/\.?0+\z//r : $text;
}

sub value_text
{
    my ($text, $unit) = @_;
    my $number = trimmed($text);
    return 'null' if $number eq 'null';
    return "{\"raw\":$number,\"normalized\":$number,\"unit\":\"$unit\",\"original_unit\":\"$unit\",\"conversion_factor\":1}";
}

my $encoder = Disclosed::JSON->new->utf8->allow_nonref;

sub row_text
{
    my ($row) = @_;
    my $text = sub { $encoder->encode($_[0]) };
    my $provenance = join ',', map { "\"$_->[0]\":" . $text->($_->[1]) } ['src_id', 'src_insider_' . $row->{src_digest} =~ s/-//gr],
        (map { [$_, $row->{$_}] } qw(source_provider source_url accession quote content_hash)), ['extracted_at', $row->{extracted}];
    return '{"id":' . $row->{id} . ',"symbol":' . $text->($row->{symbol}) . ',"ticker":' . $text->($row->{ticker})
        . ",\"company_cik\":\"$row->{cik10}\"" . ',"insider":{"name":' . $text->($row->{insider_name}) . ',"relationship":'
        . $text->($row->{relationship}) . ',"joint_owners":' . ($row->{joint} // 'null') . '}'
        . ',"transaction_type":' . $text->($row->{transaction_type}) . ',"transaction_code":' . $text->($row->{transaction_code})
        . ',"shares":' . trimmed($row->{shares_text}) . ',"price":' . value_text($row->{price_text}, 'USD_per_share')
        . ',"value":' . value_text($row->{value_text}, 'USD') . ',"shares_owned_after":' . trimmed($row->{after_text})
        . ',"transaction_date":' . $text->($row->{transaction_date}) . ',"filing_date":' . $text->($row->{filing_date})
        . ',"form":' . $text->($row->{form}) . ',"is_derivative":' . ($row->{is_derivative} ? 'true' : 'false')
        . ',"security_title":' . $text->($row->{security_title}) . ',"acquired_disposed":' . $text->($row->{acquired_disposed})
        . ',"ownership":' . $text->($row->{ownership}) . ',"footnotes":' . (($row->{notes} // 'null') =~ s/("): /$1:/gr =~ s/(["}]|null), (?=["{])/$1,/gr) . ',"remarks":' . $text->($row->{remarks}) . ",\"provenance\":{$provenance}}";
}

my $columns = "t.*, i.symbol, i.ticker, lpad(i.cik::text, 10, '0') AS cik10, shares::text AS shares_text, price::text AS price_text,
    value::text AS value_text, shares_owned_after::text AS after_text, to_json(joint_owners)::text AS joint, footnotes::text AS notes,
    to_char(extracted_at, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS extracted";
for my $condition ('true', 'price IS NULL', 'joint_owners IS NOT NULL', "form = '4/A'", 'is_derivative', 'quote IS NOT NULL', 'transaction_date IS NULL',
    'footnotes IS NOT NULL', 'footnotes IS NOT NULL AND quote IS NULL', 'remarks IS NOT NULL') {
    my ($row) = $site->rows("SELECT $columns $rows $now AND $condition ORDER BY filing_date DESC, id DESC LIMIT 1") or next;
    my $day = $row->{filing_date};
    my $body = $site->get("/v1/companies/$row->{ticker}/insider?start_date=$day&end_date=$day&limit=500")->body;
    ok(index($body, row_text($row)) >= 0, "a row where $condition, byte for byte") or diag 'wanted ' . row_text($row) . "\nin $body";
}
my $wrong = $site->value("SELECT count(*) FROM insider_transaction WHERE price IS NOT NULL AND shares IS NOT NULL AND value <> shares * price");
is($wrong, 0, 'values are shares times price');
is($site->value("SELECT count(*) FROM insider_transaction WHERE (price IS NULL) <> (value IS NULL) AND shares IS NOT NULL"), 0,
    'no price, no value');

# Numbers that floating point would spoil.
my ($first) = $site->rows("SELECT id, issuer_id, row_id $rows $now ORDER BY filing_date DESC, id DESC LIMIT 1");
for my $number ('123456789012345678901234567890.123456789', '0.1', '0.30', '1000000', '-0.000001', '0.00', '9007199254740993') {
    $site->execute("UPDATE disclosed.insider_transaction SET shares = $number, price = $number WHERE row_id = $first->{row_id}");
    my $shown = trimmed($number);
    my $body = $site->get('/v1/insider?limit=1')->body;
    like($body, qr/"shares":\Q$shown\E,"price":\{"raw":\Q$shown\E,"normalized":\Q$shown\E,/, "$number stays exact");
}

# --- amendments ------------------------------------------------------------------------------

my ($amended) = $site->rows("SELECT i.ticker, t.id, t.filing_date, t.known_at, t.superseded_at
    $rows t.superseded_at IS NOT NULL AND t.superseded_at > t.known_at AND t.form = '4' ORDER BY t.id LIMIT 1");
ok($amended, 'the demo has an amended report') or BAIL_OUT('no amendment');
my $path = "/v1/companies/$amended->{ticker}/insider?limit=500&start_date=$amended->{filing_date}";
my $between = $amended->{known_at} =~ s/\+00:00$/Z/r;
my $after   = $amended->{superseded_at} =~ s/\+00:00$/Z/r;
my $has = sub { my ($query) = @_; scalar grep { $_ == $amended->{id} } ids("$path$query")->@* };
is($has->(''), 0, 'what an amendment replaced is not shown now');
is($has->("&as_of=$between"), 1, 'but as of when it had come');
is($has->("&as_of=$after"), 0, 'not as of the amendment');
for my $time ('2023-06-01', '2025-01-15T12:00:00Z', $after) {
    my $condition = "t.known_at <= '$time' AND (t.superseded_at IS NULL OR t.superseded_at > '$time')";
    is_deeply(ids("/v1/companies/$amended->{ticker}/insider?limit=500&as_of=$time"),
        ids_where("$condition AND i.ticker = '$amended->{ticker}'", 500), "all rows as of $time");
    is_deeply(ids("/v1/insider?limit=60&as_of=$time&transaction_types=S"), ids_where("$condition AND transaction_code = 'S'", 60),
        '... of all companies');
}
is_deeply(ids('/v1/insider?as_of=2000-01-01'), [], 'nothing was known in 2000');

finish();

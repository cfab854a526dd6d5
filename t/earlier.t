# The earlier surface: bare arrays of the items that /v1 lists, offsets, its own OpenAPI document, and how one switches it off.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Schema qw(schema_faults);
use Disclosed::Test;

promises(
    earlier_list_filings => {
        parameters => [qw(ticker limit fields offset as_of)],
        fields => [qw(id ticker? form accession filed_on filed_at? accepted_at? period_of_report? title? items? source_url?
            event_id? doc_group provenance)],
    },
    earlier_list_transcripts => {
        parameters => [qw(ticker limit fields as_of)],
        fields => [qw(id ticker? exchange? period_label? period_end_date? call_date event_type event_id? is_current
            supersedes_id? superseded_by_id? duration_ms? has_slides? provenance)],
    },
    earlier_list_documents => {
        parameters => [qw(ticker limit fields as_of)],
        fields => [qw(id ticker? title doc_type language? published_at pages? event_id? doc_group provenance)],
    },
    earlier_list_companies => {
        parameters => [qw(q markets is_etf is_fund is_adr active_only limit fields offset as_of)],
        fields => [qw(symbol ticker market name cik? isin? figi? issuer_id)],
    },
    earlier_get_allowlist => {
        parameters => [qw(as_of)],
        fields => [qw(allowlist)],
    },
    earlier_get_openapi => {
        parameters => [],
        fields => [],
    },
);
my $site = site();
my $surface = '/api/disclosed/v1';
# Listings of more than one kind, so that each filter has something to leave out.
$site->execute("UPDATE disclosed.listing SET is_etf = true WHERE id % 3 = 0; UPDATE disclosed.listing SET is_fund = true WHERE id % 4 = 0");

# The items of a list of /v1 as they were sent.
sub items_of { my ($target) = @_; return '[' . $site->get($target)->data_text . ']' }

# --- bodies -----------------------------------------------------------------------------------

my ($busy) = $site->rows('SELECT i.ticker, count(*) AS filings FROM filing f JOIN issuer i USING (issuer_id) WHERE f.superseded_at IS NULL'
        . ' GROUP BY 1 ORDER BY 2 DESC LIMIT 1');
cmp_ok($busy->{filings}, '>', 60, "$busy->{ticker} has $busy->{filings} filings");
my %lists = (filings => ['filings', 200, 50], transcripts => ['transcripts', 100, 20], 'ir-documents' => ['documents', 200, 50]);
for my $name (sort keys %lists) {
    my ($same, $most, $default) = $lists{$name}->@*;
    for my $ticker ($busy->{ticker}, "$busy->{ticker}:US", lc $busy->{ticker}, 'ZYLLUX-B:US', 'HYVVADY') {
        for my $query (["?limit=$most", "limit=$most"], ['', "limit=$default"], ['?limit=1', 'limit=1'],
            ['?as_of=2024-06-30', "limit=$default&as_of=2024-06-30"], ['?as_of=2024-06-30T12:00:00Z&limit=3', 'limit=3&as_of=2024-06-30T12:00:00Z'])
        {
            my $target = "$surface/$name/$ticker$query->[0]";
            my $response = $site->get($target);
            json_of($response, $target);
            is($response->body, items_of("/v1/$same?symbols=$ticker&$query->[1]"), '... the items of /v1, in their order');
        }
    }
    problem_is($site->get("$surface/$name/NOBODY:US"), 404, "$name of nobody", instance => "$surface/$name/NOBODY:US",
        detail => not_found_company('NOBODY:US'));
    problem_is($site->get("$surface/$name/$busy->{ticker}?as_of=1950-01-01"), 404, "$name of a company that was not known then",
        instance => "$surface/$name/$busy->{ticker}", detail => not_found_company($busy->{ticker}));
    faults_is($site->get("$surface/$name/$busy->{ticker}?limit=0&as_of=x"),
        [fault('greater_than_equal', ['query', 'limit'], 'Input should be greater than or equal to 1', '0', '{"ge":1}'),
            fault('datetime_from_date_parsing', ['query', 'as_of'], 'Input should be a valid datetime or date, input is too short', 'x', '{"error":"input is too short"}')],
        "$name: 422 names the parameters");
    faults_is($site->get("$surface/$name/$busy->{ticker}?limit=" . ($most + 1)),
        [fault('less_than_equal', ['query', 'limit'], "Input should be less than or equal to $most", '' . ($most + 1), "{\"le\":$most}")], "... limit ends at $most");
    is($site->get("$surface/$name")->status, 404, '... a ticker is needed');
}
my @providers = map { $_->{provider} } $site->rows('SELECT provider FROM source_provider ORDER BY provider');
same_json(json_of($site->get("$surface/_meta/allowlist"), 'the allowlist'), { allowlist => \@providers }, '... is that of /v1/coverage');
same_json($site->get('/v1/coverage')->json->{allowlist}, \@providers, '... as it says');
faults_is($site->get("$surface/_meta/allowlist?as_of="), [fault('datetime_from_date_parsing', ['query', 'as_of'],
        'Input should be a valid datetime or date, input is too short', '', '{"error":"input is too short"}')], '... as_of is looked at');

# --- offsets ----------------------------------------------------------------------------------

sub accessions { my ($query, @option) = @_; return map { $_->{accession} } $site->get("$surface/filings/$busy->{ticker}?$query", @option)->json->@* }

my @all = map { $_->{accession} } $site->rows("SELECT accession FROM filing f JOIN issuer i USING (issuer_id) WHERE f.superseded_at IS NULL AND i.ticker = '$busy->{ticker}'"
        . ' ORDER BY filed_on DESC, f.id DESC');
for my $offset (0, 1, 2, 49, 50, $#all - 1, $#all) {
    my $last = $offset + 9 > $#all ? $#all : $offset + 9;
    is_deeply([accessions("limit=10&offset=$offset")], [@all[$offset .. $last]], "offset $offset");
}
is($site->get("$surface/filings/$busy->{ticker}?offset=$_")->body, '[]', "offset $_: no row is left") for scalar @all, 2147483647, 9223372036854775807, '9' x 30;
is(join(' ', accessions('offset=3&limit=2&as_of=2024-06-30')), join(' ', (accessions('limit=5&as_of=2024-06-30'))[3, 4]), 'an offset as of an instant');
faults_is($site->get("$surface/filings/ZEMRUZ?offset=-1"),
    [fault('greater_than_equal', ['query', 'offset'], 'Input should be greater than or equal to 0', '-1', '{"ge":0}')], 'an offset is not negative');
faults_is($site->get("$surface/filings/ZEMRUZ?offset=x"),
    [fault('int_parsing', ['query', 'offset'], 'Input should be a valid integer, unable to parse string as an integer', 'x')], '... but a number');

# Follows Link headers to the end.
sub walk
{
    my ($target, @option) = @_;
    my (@rows, $pages);
    while ($target && $pages++ < 100) {
        my $response = $site->get($target, @option);
        push @rows, $response->json->@*;
        ($target) = ($response->header('link') // '') =~ /^<\Q$site->{base_url}\E([^>]+)>; rel="next"\z/;
    }
    return (\@rows, $pages);
}

my ($rows, $pages) = walk("$surface/filings/$busy->{ticker}?offset=5&limit=20&unknown=1");
is_deeply([map { $_->{accession} } @$rows], [@all[5 .. $#all]], "Link leads to the end, in $pages pages");
is($pages, int((@all - 5 + 19) / 20), '... and not beyond it');
($rows, $pages) = walk("$surface/filings/$busy->{ticker}?limit=200", key => 'free');
is_deeply([map { $_->{accession} } @$rows], \@all, 'so it does on the free plan');
is($pages, int((@all + 24) / 25), '... whose pages have 25 rows');
is(scalar $site->get("$surface/companies?limit=200", key => 'test')->json->@*, 25, 'so have those of test keys');
is($site->get("$surface/transcripts/$busy->{ticker}?limit=1")->header('link'), undef, 'what takes no offset has no next page');

# --- companies --------------------------------------------------------------------------------

my $listing = "FROM listing t WHERE t.superseded_at IS NULL";
for my $case (
    ['', "t.status = 'active'"], ['active_only=false', 'true'], ['active_only=true&is_etf=true', "t.status = 'active' AND t.is_etf"],
    ['active_only=false&is_etf=true', 't.is_etf'], ['active_only=false&is_etf=false', 'NOT t.is_etf'], ['active_only=false&is_fund=1', 't.is_fund'],
    ['active_only=false&is_fund=no', 'NOT t.is_fund'], ['active_only=false&is_etf=yes&is_fund=false', 't.is_etf AND NOT t.is_fund'],
    ['active_only=false&is_adr=true', 't.is_adr'], ['active_only=false&is_adr=0', 'NOT t.is_adr'],
    ['q=zem', "(t.ticker ILIKE '%zem%' OR t.name ILIKE '%zem%') AND t.status = 'active'"], ['markets=us&markets=CA', "t.market IN ('US', 'CA') AND t.status = 'active'"],
    ['markets=XX', 'false'])
{
    my ($query, $condition) = @$case;
    my @wanted = map { $_->{symbol} } $site->rows("SELECT t.symbol $listing AND $condition ORDER BY t.listed_on DESC, t.id DESC");
    my ($found, $pages) = walk("$surface/companies?limit=7&$query");
    is_deeply([map { $_->{symbol} } @$found], \@wanted, "companies, $query: " . @wanted . " in $pages pages");
}
cmp_ok($site->value("SELECT count(*) $listing AND t.is_etf AND NOT t.is_fund"), '>', 0, 'there is something to tell apart');
is($site->get("$surface/companies?limit=9&offset=2")->body, '[' . join(',', (split /(?<=\}),(?=\{)/, $site->get('/v1/companies?limit=11')->data_text)[2 .. 10]) . ']',
    'the items of /v1');
is($site->get("$surface/companies?as_of=2020-06-30&limit=50")->body, items_of('/v1/companies?as_of=2020-06-30&limit=50'), '... as of an instant, too');
for my $name (qw(is_etf is_fund is_adr active_only)) {
    faults_is($site->get("$surface/companies?$name=maybe"), [fault('bool_parsing', ['query', $name],
            'Input should be a valid boolean, unable to interpret input', 'maybe')], "$name: 422");
}

# --- as on every endpoint ---------------------------------------------------------------------

for my $target ("$surface/filings/ZEMRUZ", "$surface/companies?limit=3", "$surface/_meta/allowlist") {
    my $etag = $site->get($target)->header('etag');
    is($site->get($target, headers => { 'If-None-Match' => $etag })->status, 304, "$target: 304 for its ETag");
    is($site->request('HEAD', $target)->status, 200, '... HEAD');
    is($site->request('POST', $target)->status, 405, '... no POST');
    problem_is($site->get($target, key => undef), 401, '... no response without a key', instance => $target =~ s/\?.*//r);
}
is($site->get("$surface/filings/ZEMRUZ?offset=$_")->header('etag') eq $site->get("$surface/filings/ZEMRUZ")->header('etag'), $_ == 0,
    "an ETag is of one offset: $_") for 0, 1;

# --- its document -----------------------------------------------------------------------------

my $document = json_of($site->get("$surface/openapi.json"), 'the document');
is($document->{openapi}, '3.1.0', 'OpenAPI 3.1');
is($document->{info}{version}, '0.1.0', '... of version 0.1.0');
like($document->{info}{title}, qr/\(alpha\)\z/, '... labelled alpha');
is($site->get("$surface/openapi.json", key => undef)->status, 200, '... read without a key');
my $tables = Disclosed::JSON->new->utf8->decode((run(build('CTL'), 'tables', '--json'))[1]);
my %named = map { ("\L$_->{method}\E $_->{path}" => $_) } grep { $_->{surface} eq 'earlier' } $tables->{endpoints}->@*;
my %described = map { my $path = $_; map { ("$_ $path" => $document->{paths}{$path}{$_}) } keys $document->{paths}{$path}->%* } keys $document->{paths}->%*;
is_deeply([sort keys %described], [sort keys %named], 'the operations of the surface');
is_deeply([grep { !m{^get \Q$surface\E/} } keys %described], [], '... and no other');
is_deeply([grep { m{^\Q$surface\E} } keys $site->get('/v1/openapi.json')->json->{paths}->%*], [], 'the document of /v1 has none of them');
for my $name (sort keys %named) {
    is_deeply([map { $_->{name} } $described{$name}{parameters}->@*], [map { $_->{name} } $named{$name}{parameters}->@*], "$name: its parameters");
    is($described{$name}{operationId}, $named{$name}{name}, '... its name');
    like($described{$name}{operationId}, qr/^earlier_/, '... which a pattern for all of them fits');
}
my %schema = map { my $name = $_; map { ("$name $_->{name}" => $_->{schema}) } $described{$name}{parameters}->@* } keys %described;
same_json($schema{"get $surface/filings/{ticker} $_->[0]"}, $_->[1], "filings: $_->[0]")
    for ['limit', { type => 'integer', minimum => 1, maximum => 200, default => 50 }], ['offset', { type => 'integer', minimum => 0, default => 0 }];
same_json($schema{"get $surface/transcripts/{ticker} limit"}, { type => 'integer', minimum => 1, maximum => 100, default => 20 }, 'transcripts: limit');
same_json($schema{"get $surface/companies $_"}, { type => 'boolean' }, "companies: $_") for qw(is_etf is_fund is_adr);
same_json($schema{"get $surface/companies limit"}, { type => 'integer', minimum => 1, maximum => 500, default => 50 }, 'companies: limit');
is($site->get("$surface/companies?limit=500")->status, 200, '... which is as that of /v1');
faults_is($site->get("$surface/companies?limit=501"), [fault('less_than_equal', ['query', 'limit'], 'Input should be less than or equal to 500', '501', '{"le":500}')], '... and no greater');
my $text = $site->get("$surface/openapi.json")->body;
my %referred = map { ($_ => 1) } $text =~ m{"\$ref":"#/components/schemas/(\w+)"}g;
is_deeply([sort keys %referred], [sort keys $document->{components}{schemas}->%*], 'no reference to nothing, no schema that nothing uses');
for my $name (sort keys %described) {
    my $content = $described{$name}{responses}{200}{content}{'application/json'};
    is_deeply([schema_faults($content->{example}, $content->{schema}, $document)], [], "$name: its example fits") if $content->{example};
    my $target = $name =~ s/^get //r =~ s/\{ticker\}/$busy->{ticker}/r;
    next if $target =~ /\{/ || grep { $_->{required} && $_->{in} eq 'query' } $described{$name}{parameters}->@*; # t/earlier-numbers.t has the answers
    my $body = json_of($site->get($target), $target);
    next if $target eq "$surface/openapi.json"; # an object: looked at above
    my $schema = $described{$name}{responses}{200}{content}{'application/json'}{schema};
    is_deeply([schema_faults($body, $schema, $document)], [], '... fits its schema');
}
is((run(build('CTL'), 'openapi', '--surface', 'earlier', '--base-url', $site->{base_url}))[1], "$text\n", 'disclosedctl prints the same');
is((run(build('CTL'), 'openapi', '--surface', 'none'))[0], 2, '... of no other surface');

# --- switched off -----------------------------------------------------------------------------

$site->stop;
my $switched = site(config => "DisclosedEndpoint earlier_* Off\nDisclosedEndpoint earlier_list_filings On\n");
is($switched->get("$surface/companies")->status, 404, 'switched off');
is($switched->get("$surface/openapi.json")->status, 404, '... with its document');
is($switched->get("$surface/filings/ZEMRUZ")->status, 200, '... but for what is on');
is($switched->get('/v1/companies')->status, 200, '... and the other surface');

finish();

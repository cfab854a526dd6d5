# The Model Context Protocol at /mcp: both eras on one URL, every tool by each way that it leads to the API, resources and
# prompts, and what clients do wrong. t/clients.t has the SDKs' own clients.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Schema qw(structured_faults);
use Disclosed::Test;

my $config = <<'END';
<Location "/mcp">
    SetHandler disclosed-mcp
</Location>
<Location "/tools/mcp">
    SetHandler disclosed-mcp
    DisclosedEndpoint list_insider Off
</Location>
<Location "/.well-known/oauth-protected-resource">
    SetHandler disclosed-oauth
</Location>
<Location "/v1/documents">
    DisclosedEndpoint list_documents Off
</Location>
<Location "/v1/events/calendar">
    Require all denied
</Location>
DisclosedPlan narrow rank=30 rate=1/m burst=4 day=unlimited
DisclosedPlan poor rank=30 rate=1000/s burst=1000 day=unlimited credits=0
DisclosedRequirePlan list_congress builder
DisclosedCORS https://app.example.com
END
my $site = site(config => $config);
my $json = Disclosed::JSON->new->utf8->canonical->allow_nonref;
my $next = 0;

# A POST of a body; options: path, key, headers.
sub post
{
    my ($body, %option) = @_;
    return $site->request('POST', $option{path} // '/mcp', body => ref $body ? $json->encode($body) : $body,
        (exists $option{key} ? (key => $option{key}) : ()),
        headers => { 'Content-Type' => 'application/json', Accept => 'application/json, text/event-stream', ($option{headers} // {})->%* });
}

sub message { my ($method, $params) = @_; return { jsonrpc => '2.0', id => ++$next, method => $method, $params ? (params => $params) : () } }

# The result of a request of the era with a handshake; undef with a failed test where there is none.
sub result
{
    my ($method, $params, %option) = @_;
    my $response = post(message($method, $params), %option);
    my $got = $response->json;
    ok($response->status == 200 && $got->{id} == $next && $got->{result}, "$method has a result") or diag $response->describe;
    return $got->{result} // {};
}

my @tools; # as they are listed
sub call
{
    my ($name, $arguments, %option) = @_;
    my $got = result('tools/call', { name => $name, arguments => $arguments }, %option);
    is(join("\n", structured_faults(\@tools, $name, $got->{structuredContent})), '', "what $name has is as its schema says") if @tools && !$got->{isError};
    return $got;
}

sub error_is
{
    my ($response, $status, $code, $name) = @_;
    my $got = $response->json // {};
    is($response->status . ' ' . (($got->{error} // {})->{code} // 'no error'), "$status $code", $name) or diag $response->describe;
    is($response->header('content-type'), 'application/json', '... as JSON');
    return $got;
}

# --- handshake --------------------------------------------------------------------------------

my %info = (protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 'test', version => '1' });
my $begun = result('initialize', \%info);
is($begun->{protocolVersion}, '2025-11-25', 'the version that was asked for');
same_json($begun->{capabilities}, { tools => {}, resources => {}, prompts => {} }, 'what there is');
is(result('initialize', { %info, protocolVersion => $_ })->{protocolVersion}, $_, "version $_") for qw(2025-03-26 2025-06-18);
is(result('initialize', { %info, protocolVersion => $_ })->{protocolVersion}, '2025-11-25', "version $_: the newest with a handshake") for qw(2024-11-05 2031-01-01 x);
same_json(result('ping'), {}, 'ping');
my $noted = post({ jsonrpc => '2.0', method => 'notifications/initialized' });
is($noted->status . $noted->body, '202', 'a notification: 202 and no body');
is(post({ jsonrpc => '2.0', id => 1, result => {} })->status, 202, 'a reply to nothing');
is($noted->header('mcp-session-id'), undef, 'there are no sessions');
is(post(message('tools/list'), headers => { 'MCP-Protocol-Version' => $_ })->status, 200, "the header $_") for qw(2025-03-26 2025-06-18 2025-11-25);
error_is(post(message('tools/list'), headers => { 'MCP-Protocol-Version' => '2024-11-05' }), 400, -32600, 'a version that is not served');

# --- the era without a handshake ----------------------------------------------------------------

my $meta = 'io.modelcontextprotocol/';
my %meta = ("${meta}protocolVersion" => '2026-07-28', "${meta}clientCapabilities" => {});

# A request of that era; options: meta, headers (undef leaves one out), name.
sub modern
{
    my ($method, $params, %option) = @_;
    my %headers = ('MCP-Protocol-Version' => '2026-07-28', 'Mcp-Method' => $method, $option{name} ? ('Mcp-Name' => $option{name}) : (), ($option{headers} // {})->%*);
    delete $headers{$_} for grep { !defined $headers{$_} } keys %headers;
    return post(message($method, { %{ $params // {} }, _meta => $option{meta} // \%meta }), headers => \%headers);
}

my $found = modern('server/discover')->json->{result};
same_json($found->{supportedVersions}, ['2026-07-28'], 'server/discover: the versions');
is($found->{resultType} . $found->{ttlMs} . $found->{cacheScope}, 'complete300000private', '... as all results of the era');
is($found->{_meta}{"${meta}serverInfo"}{name}, 'mod_disclosed', '... by whom');
my $tool = modern('tools/call', { name => 'find_company', arguments => { symbol => 'ZEMRUZ' } }, name => 'find_company')->json->{result};
is($tool->{structuredContent}{symbol}, 'ZEMRUZ:US', 'a tool is called');
is(modern('tools/call', { name => 'find_company', arguments => { symbol => 'ZEMRUZ' } }, name => '=?base64?ZmluZF9jb21wYW55?=')->status, 200, 'a name in base64');
error_is(modern($_), 404, -32601, "$_ is not of this era") for qw(initialize ping);
error_is(modern('nothing/at/all'), 404, -32601, 'an unknown method');
error_is(post(message('server/discover')), 200, -32601, 'nor is server/discover of the other');
error_is(modern('tools/list', {}, meta => { "${meta}protocolVersion" => '2026-07-28' }), 400, -32602, 'without capabilities');
error_is(modern('tools/list', {}, meta => { "${meta}clientCapabilities" => {} }), 400, -32602, 'without a version');
error_is(modern('tools/list', {}, meta => { %meta, "${meta}protocolVersion" => 7 }), 400, -32602, 'a version that is no text');
error_is(modern('tools/list', {}, headers => { 'MCP-Protocol-Version' => $_ }), 400, -32020, 'the header ' . ($_ // 'left out')) for undef, '2025-11-25';
error_is(modern('tools/list', {}, headers => { 'Mcp-Method' => $_ }), 400, -32020, 'Mcp-Method ' . ($_ // 'left out')) for undef, 'tools/call', 'Tools/List';
error_is(modern('tools/call', { name => 'ask' }, headers => { 'Mcp-Name' => $_ }), 400, -32020, 'Mcp-Name ' . ($_ // 'left out')) for undef, 'search';
my $later = error_is(modern('tools/list', {}, meta => { %meta, "${meta}protocolVersion" => '2027-01-01' }, headers => { 'MCP-Protocol-Version' => '2027-01-01' }), 400, -32022, 'a version to come');
same_json($later->{error}{data}, { requested => '2027-01-01', supported => [qw(2026-07-28 2025-11-25 2025-06-18 2025-03-26)] }, '... is told what is served');
error_is(modern('tools/call', { name => 'nothing' }, name => 'nothing'), 400, -32602, 'an unknown tool');

# --- what is no message -------------------------------------------------------------------------

my %broken = (
    'no JSON' => ['{', -32700], 'nothing' => [' ', -32700], 'no UTF-8' => ["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700],
    'a number' => ['5', -32600], 'text' => ['"x"', -32600], 'no version' => ['{"id":1,"method":"ping"}', -32600],
    'another version' => ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600], 'no method' => ['{"jsonrpc":"2.0","id":1}', -32600],
    'a null id' => ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600], 'a fraction for an id' => ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    'an object for an id' => ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600], 'params that are a list' => ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
    'a name twice' => ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700], 'deep nesting' => ['[' x 5000 . ']' x 5000, -32700],
    'an empty batch' => ['[]', -32600], 'a huge number' => ['{"jsonrpc":"2.0","id":' . '9' x 400 . ',"method":"ping"}', -32700],
    'a batch of 51' => ['[' . join(',', ('{"jsonrpc":"2.0","id":1,"method":"ping"}') x 51) . ']', -32600],
);
error_is(post($broken{$_}[0]), 400, $broken{$_}[1], $_) for sort keys %broken;
is($json->encode(post('{"jsonrpc":"2.0","id":null,"method":"ping"}')->json->{error}{message}), '"An id is text or an integer."', 'what is wrong is said');
is(post('{"jsonrpc":"2.0","id":"' . 'x' x 66000 . '","method":"ping"}')->status, 413, 'a body over 64 KiB');
problem_is($site->request($_, '/mcp'), 405, "$_: there is no stream and no session", instance => '/mcp',
    detail => 'MCP is spoken by POST; there is no stream to GET and no session to DELETE.') for qw(GET DELETE PUT);
is($site->request('GET', '/mcp')->header('allow'), 'POST', '... but POST');
is(post(message('ping'), headers => { 'Content-Type' => $_ })->status, 415, "Content-Type: $_") for 'text/plain', 'application/jsonx', 'multipart/form-data';
is(post(message('ping'), headers => { Accept => $_ })->status, 200, "Accept: $_") for 'application/json', '*/*';
is(post(message('ping'), headers => { Accept => 'text/event-stream' })->status, 406, 'JSON must be accepted');

# Batches are of the oldest revision. Their response is bounded: what is left when it is full is not carried out, and costs nothing.
{
    my $one = length post(message('tools/list'))->body;
    my $spent = sub { return 0 + $site->value("SELECT coalesce(sum(month_used), 0) FROM credit_balance") };
    my $before = $spent->();
    my $response = post([(map { message('tools/list') } 1 .. 48), message('tools/call', { name => 'ask', arguments => { question => 'Who is the CEO of ZEMRUZ?' } }), { jsonrpc => '2.0', method => 'notifications/x' }]);
    my @each = ($response->json // [])->@*;
    is($response->status, 200, 'a batch that asks for too much');
    cmp_ok(length $response->body, '<', 512 * 1024 + $one + 50 * 300, '... has a response of half a megabyte');
    is(scalar(@each), 49, '... in which each request has its own');
    is(join(' ', sort keys %{{ map { ($_->{error} ? "$_->{error}{code}: $_->{error}{message}" : 'result') => 1 } @each }}), '-32000: The batch\'s response is full: send this message again, by itself. result', '... a result, or an error that says what to do');
    ok($each[0]{result} && $each[6]{result} && $each[20]{error} && $each[48]{error}, '... the first ones are carried out') or diag join ' ', map { $_->{error} ? 'e' : 'r' } @each;
    is_deeply([map { $_->{id} } @each], [$next - 48 .. $next], '... and each is of its request');
    is($spent->(), $before, '... what is not carried out costs nothing');
}
my $batch = post([message('ping'), { jsonrpc => '2.0', method => 'x' }, message('nothing'), 7, message('tools/call', { name => 'find_company', arguments => { q => 'ZEM' } })])->json;
is(join(' ', map { $_->{error} ? $_->{error}{code} : 'result' } @$batch), 'result -32601 -32600 result', 'a batch: each message has its own');
is(post([{ jsonrpc => '2.0', method => 'x' }])->status, 202, 'a batch of notifications');
error_is(post([message('ping')], headers => { 'MCP-Protocol-Version' => '2025-06-18' }), 400, -32600, 'later revisions have no batches');

# --- who may ------------------------------------------------------------------------------------

my $stranger = post(message('ping'), key => undef);
is($stranger->status . ' ' . $stranger->header('www-authenticate'),
    qq{401 Bearer resource_metadata="$site->{base_url}/.well-known/oauth-protected-resource/mcp"}, '401 says where the resource is described');
is($stranger->json->{type}, 'https://docs.example.org/errors/invalid-key', '... as a problem');
for (['/mcp/%0d%0aX-Of:%20mine', '/mcp/%0d%0aX-Of:%20mine'], ['/mcp/%22,%20error=%22none', '/mcp/%22%2C%20error=%22none'], ['/mcp/%ff%c3', '/mcp/%ff%c3']) {
    my ($asked, $told) = @$_;
    my $response = $site->request('POST', $asked, key => undef, body => '{}', headers => { 'Content-Type' => 'application/json' });
    is(join(' ', $response->status, $response->header('www-authenticate') // ''),
        qq{401 Bearer resource_metadata="$site->{base_url}/.well-known/oauth-protected-resource$told"}, "... whatever its path is: $asked");
    is($site->get("/.well-known/oauth-protected-resource$asked", key => undef)->json->{resource}, $site->{base_url} . $told, '... and its description');
}
for my $path ('/mcp', '/tools/mcp', '') {
    same_json($site->get("/.well-known/oauth-protected-resource$path", key => undef)->json, { resource => $site->{base_url} . ($path || '/mcp'),
        bearer_methods_supported => ['header'], resource_name => 'Company disclosures', resource_documentation => 'https://docs.example.org' }, "its description: $path");
}
is($site->get('/.well-known/oauth-protected-resource/v1', key => undef)->status, 404, 'there is no MCP elsewhere');
is($site->request('POST', '/.well-known/oauth-protected-resource/mcp', key => undef, body => '{}')->status, 405, 'it is only read');
is(post(message('ping'), headers => { Origin => $_ })->status, 403, "Origin: $_") for 'https://evil.example', 'null', 'https://app.example.com.evil.example';
is(post(message('ping'), headers => { Origin => $_ })->status, 200, "Origin: $_") for $site->{base_url}, 'https://app.example.com';

# --- tools --------------------------------------------------------------------------------------

@tools = result('tools/list')->{tools}->@*;
my %tool = map { ($_->{name} => $_) } @tools;
cmp_ok(scalar @tools, '<=', 15, scalar @tools . ' tools');
my ($words, $enums) = (0, 0);
for my $one (@tools) {
    $words += length $json->encode({ map { ($_ => $one->{$_}) } qw(name title description inputSchema) });
    like($one->{name}, qr/^[a-z_]{1,64}\z/, "$one->{name}: its name");
    is($one->{inputSchema}{type} . $one->{outputSchema}{type}, 'objectobject', '... its schemas are of objects');
    ok($one->{annotations}{readOnlyHint}, '... it only reads');
    my @enums = enums_of($one);
    is_deeply([grep { repeats(@$_) } @enums], [], '... no value stands twice in any of its ' . @enums . ' enums');
    $enums += @enums;
}
cmp_ok($enums, '>', 10, "$enums enums in all");
cmp_ok($words / 4, '<=', 4000, "names, descriptions and inputs together: $words characters, at four a token " . int($words / 4));
is_deeply([map { $_->{name} } result('tools/list')->{tools}->@*], [map { $_->{name} } @tools], 'always in the same order');
error_is(post(message('tools/list', { cursor => 'x' })), 200, -32602, 'there is one page of them');

# The values of all enums of a schema, at any depth.
sub enums_of
{
    my ($schema) = @_;
    return map { enums_of($_) } @$schema if ref $schema eq 'ARRAY';
    return () if ref $schema ne 'HASH';
    return ((ref $schema->{enum} eq 'ARRAY' ? $schema->{enum} : ()), map { enums_of($_) } values %$schema);
}

sub repeats { my %seen; return grep { $seen{ $json->encode([$_]) }++ } @_ }

# What each tool needs in each of its ways, and a member that its result has.
my ($accession) = map { $_->{accession} } $site->get('/v1/filings?symbols=ZEMRUZ&forms=10-K&limit=1')->json->{data}->@*;
my ($release) = map { $_->{accession} } $site->rows('SELECT accession FROM filing_exhibit WHERE superseded_at IS NULL ORDER BY accession LIMIT 1');
my $row = sub { my ($target, $field) = @_; my $item = $site->get($target)->json->{data}[0]; return $item->{$field} };
my $transcript = $site->value('SELECT id FROM transcript WHERE superseded_at IS NULL ORDER BY id LIMIT 1');
my $document   = $site->value('SELECT id FROM document WHERE superseded_at IS NULL ORDER BY id LIMIT 1');
my ($insider) = $site->get('/v1/insider?limit=1')->json->{data}->@*;
my @ways = (
    [find_company => { q => 'ZEM' }, 'data'], [find_company => { symbol => 'ZEMRUZ' }, 'symbol'], [find_company => { symbol => 'ZEMRUZ', view => 'people' }, 'data'],
    [find_company => { symbol => 'ZEMRUZ', view => 'coverage' }, 'datasets'], [fundamentals => { symbol => 'ZEMRUZ', metrics => ['revenue'], periods => '2024' }, 'data'],
    [fundamentals => { canonical_key => 'revenue' }, 'data'], [fundamentals => { q => 'net income' }, 'data'], [kpis => { symbol => 'ZEMRUZ' }, 'data'],
    [kpis => { symbol => 'ZEMRUZ', metric_key => 'revenue' }, 'points'], [kpis => { symbol => 'AKOGOM', metric_key => 'revenue', view => 'observations' }, 'data'],
    [kpis => { symbol => 'ZEMRUZ', view => 'segments' }, 'data'], [filings => { symbols => 'ZEMRUZ', forms => ['10-K'], start_date => '2020-01-01' }, 'data'],
    [read_filing => { accession => $accession }, 'sections'], [read_filing => { accession => $release, view => 'exhibits' }, 'exhibits'],
    [read_filing => { accession => $accession, view => 'facts', limit => 3 }, 'data'],
    [read_filing => { accession => $accession, view => 'calculations' }, 'data'], [read_filing => { accession => $accession, view => 'statements' }, 'data'],
    [read_filing => { accession => $accession, view => 'statements', number => 1, limit => 3 }, 'lines'],
    [insider_trades => { symbols => ['ZEMRUZ'], transaction_types => ['S', 'P'], min_value => 10.5 }, 'data'], [insider_trades => {}, 'data'],
    [institutional_holdings => { symbol => 'ZEMRUZ' }, 'data'], [institutional_holdings => { symbol => 'ZEMRUZ', view => 'flows' }, 'data'],
    [institutional_holdings => { cik => $site->value('SELECT min(cik) FROM issuer JOIN institution_position USING (issuer_id)') }, 'data'],
    (map { [company_shares => { symbol => 'ZEMRUZ', view => $_ }, 'data'] } qw(beneficial_owners funds short_interest corporate_actions)),
    [events => { symbols => ['ZEMRUZ'] }, 'data'], [events => { event_id => $row->('/v1/events?limit=1', 'event_id') }, 'bundle'],
    [transcripts => { symbols => 'ZEMRUZ' }, 'data'], [transcripts => { transcript_id => $transcript, limit => 5 }, 'segments'],
    [documents => { doc_id => $document }, 'title'], [documents => { doc_id => $document, view => 'pages' }, 'data'],
    [congress_trades => {}, 'data'], [congress_trades => { slug => $site->get('/v1/congress?limit=1')->json->{data}[0]{politician}{slug} }, 'data'],
    [search => { query => 'revenue', symbols => 'ZEMRUZ' }, 'data'], [ask => { question => 'What was the revenue of ZEMRUZ in 2024?' }, 'answer_md'],
    [get_source => { src_id => $insider->{provenance}{src_id} }, 'record'],
);
my %used;
for my $way (@ways) {
    my ($name, $arguments, $member) = @$way;
    my $got = call($name, $arguments);
    my $structured = $got->{structuredContent};
    ok(!$got->{isError} && defined $structured->{$member}, "$name " . $json->encode($arguments) . " has $member") or diag $got->{content}[0]{text};
    my @bad = grep { !$tool{$name}{inputSchema}{properties}{$_} } keys %$arguments;
    is("@bad", '', '... of arguments that are described');
    my $text = $got->{content}[0]{text};
    cmp_ok(length $text, '<', 0.75 * length $json->encode($structured), '... the text is shorter') if ref $structured->{data} eq 'ARRAY' && $structured->{data}->@* > 4 && $name ne 'search';
    like($text, qr/src_\w+_[0-9a-f]{32}/, '... and names sources') if $json->encode($structured) =~ /"src_id"/;
    $used{$name}++;
}
is(join(' ', grep { !$used{$_} } sort keys %tool), '', 'every tool was called');

# Pages, and long text in parts.
my $first = call('insider_trades', { limit => 2 });
my $cursor = $first->{structuredContent}{pagination}{next_cursor};
like($first->{content}[0]{text}, qr/call again with the same arguments and cursor=\Q$cursor\E\n/, 'text says how to go on');
my $both = [map { $_->{structuredContent}{data}->@* } $first, call('insider_trades', { limit => 2, cursor => $cursor })];
is_deeply($both, $site->get('/v1/insider?limit=4')->json->{data}, '... and so it goes on');
# Those that match best come first (t/companies.t); of the same those that have been there longest.
my $best = $site->get('/v1/companies?q=inc&limit=4&sort=match')->json->{data};
my $named = call('find_company', { q => 'inc', limit => 2 });
my $cursor_of_names = $named->{structuredContent}{pagination}{next_cursor};
is_deeply([map { $_->{structuredContent}{data}->@* } $named, call('find_company', { q => 'inc', limit => 2, cursor => $cursor_of_names })], $best, 'companies by name, page by page');
my $facts = $site->get("/v1/filings/$accession/facts")->json->{data};
my ($offset, @parts) = (0);
while (defined $offset) {
    my $part = call('read_filing', { accession => $accession, view => 'facts', limit => 40, offset => $offset })->{structuredContent};
    push @parts, $part->{data}->@*;
    $offset = $part->{next_offset};
}
is_deeply(\@parts, $facts, 'a long list in parts is the whole list');
my $said = $site->get("/v1/transcripts/$transcript")->json->{segments};
my $half = int(@$said / 2);
my @halves = map { call('transcripts', { transcript_id => $transcript, limit => $half, offset => $_ })->{structuredContent} } 0, $half;
is_deeply([map { $_->{segments}->@* } @halves], [@$said[0 .. 2 * $half - 1]], 'so is a transcript');
is($halves[0]{next_offset}, $half, '... which says where it goes on');
my ($section) = $site->get("/v1/filings/$accession")->json->{sections}->@*;
my $text = call('read_filing', { accession => $accession, section_text => $section->{key}, text_length => 100 })->{structuredContent}{sections}[0];
is(length $text->{text}, 100, 'text of a section, by length');
is($text->{text_next}, 100, '... which says where it goes on');

# --- what is wrong with arguments -----------------------------------------------------------------

my %wrong = (
    'an unknown argument' => ['insider_trades', { symbol => 'ZEMRUZ' }, 'insider_trades has no argument "symbol".'],
    'too little' => ['company_shares', { symbol => 'ZEMRUZ' }, qr/^These arguments do not go together: company_shares takes symbol view=beneficial_owners; or /],
    'a view that there is not' => ['kpis', { symbol => 'ZEMRUZ', view => 'x' }, qr/^These arguments do not go together: kpis takes/],
    'a view of another type' => ['find_company', { symbol => 'AKOGOM', view => 5 }, 'view takes one of: people, coverage.'],
    'a list of views' => ['read_filing', { accession => $accession, view => ['facts'] }, 'view takes one of: exhibits, facts, calculations, statements.'],
    'a view where there is none' => ['filings', { view => 5 }, 'filings has no argument "view".'],
    'what does not go together' => ['read_filing', { accession => $accession, view => 'facts', sequence => 1 }, 'sequence does not apply here, with accession view=facts.'],
    'a list where one is taken' => ['find_company', { q => ['a', 'b'] }, 'q takes one value, not a list.'],
    'an object' => ['insider_trades', { start_date => {} }, 'start_date takes one value: text, a number or true or false.'],
    'too many rows' => ['insider_trades', { limit => 101 }, 'limit is a number of rows from 1 to 100.'],
    'rows in words' => ['insider_trades', { limit => 'ten' }, 'limit is a number of rows from 1 to 100.'],
    'an offset below zero' => ['read_filing', { accession => $accession, view => 'facts', offset => -1 }, 'offset is a number of rows from 0 on.'],
    'a bad date' => ['insider_trades', { start_date => 'x' }, 'start_date: Input should be a valid date or datetime, input is too short (it was "x"). Correct the arguments and call again.'],
    'nobody' => ['fundamentals', { symbol => 'NOBODY' }, 'There is no company with the symbol "NOBODY". (status 404). find_company, filings, transcripts, documents and events list what there is.'],
    'an empty symbol' => ['fundamentals', { symbol => '' }, 'symbol takes one value that is not empty.'],
    'a path in a symbol' => ['fundamentals', { symbol => '../filings' }, qr/\(status 404\)/],
    'a dot' => ['read_filing', { accession => '.' }, 'There is no accession ".".'],
    'two dots' => ['kpis', { symbol => 'ZEMRUZ', metric_key => '..' }, 'There is no metric_key "..".'],
    'no query' => ['search', {}, qr/^query: Field required/],
    'a question about nobody' => ['ask', { question => 'What was the revenue in 2024?', symbols => ['NOPE'] }, qr/^There is no company with the symbol "NOPE"\. \(status 404\)\. find_company/],
    'a question of nobody' => ['ask', { question => '' }, qr/^question: String should have at least 1 character/],
);
for my $what (sort keys %wrong) {
    my ($name, $arguments, $expected) = $wrong{$what}->@*;
    my $got = call($name, $arguments);
    ok($got->{isError} && !$got->{structuredContent}, "$what: an error of the tool");
    ref $expected ? like($got->{content}[0]{text}, $expected, '... that says what to do') : is($got->{content}[0]{text}, $expected, '... that says what to do');
}

# What is of no type that an argument takes, in each way of each tool. Numbers and texts of numbers are taken for each other.
sub of_wrong_type
{
    my ($schema) = @_;
    my $type = ref $schema->{type} eq 'ARRAY' ? join ' ', $schema->{type}->@* : $schema->{type} // '';
    return ({}, [{}], [['x']]) if $type =~ /array/;
    return ({}, ['x'], [], $type =~ /string/ ? ($schema->{enum} ? (5, $json->true) : ()) : ('x', $type =~ /integer/ ? 1.5 : ()));
}
my $tried = 0;
for my $way (@ways) {
    my ($name, $arguments) = @$way;
    my @taken;
    for my $argument (sort keys $tool{$name}{inputSchema}{properties}->%*) {
        for my $value (of_wrong_type($tool{$name}{inputSchema}{properties}{$argument})) {
            push @taken, $json->encode({ $argument => $value }) if !call($name, { %$arguments, $argument => $value })->{isError};
            $tried++;
        }
    }
    is("@taken", '', "$name " . $json->encode($arguments) . ' takes no argument of a wrong type');
}
cmp_ok($tried, '>', 700, "$tried arguments of a wrong type");
error_is(post(message('tools/call', { name => 'nothing' })), 200, -32602, 'an unknown tool');
error_is(post(message('tools/call', { name => 'ask', arguments => [] })), 200, -32602, 'arguments that are a list');
error_is(post(message('tools/call')), 200, -32602, 'no name at all');

# --- the same limits, scopes, switches and plans as the API's -------------------------------------

is(join(' ', grep { /^insider/ } map { $_->{name} } result('tools/list', undef, path => '/tools/mcp')->{tools}->@*), '', 'an endpoint that is off here is no tool here');
error_is(post(message('tools/call', { name => 'nothing' }), path => '/tools/mcp'), 200, -32602, '... all else is');
like(call('documents', {})->{content}[0]{text}, qr/status 404/, 'an endpoint that is off where the API is, is off for tools');
expect_log($site, 'AH01630');
my $denied = call('events', { view => 'upcoming' });
like($denied->{content}[0]{text}, qr/The request is not allowed\. \(status 403\)/, 'so is what httpd closes');

my $refused = call('congress_trades', {}, key => $site->own_key('free'));
ok($refused->{isError} && $refused->{content}[0]{text} =~ /status 403/, 'a plan that is too low for an endpoint is too low for its tool') or diag $refused->{content}[0]{text};
my $poor = call('ask', { question => 'What was the revenue of ZEMRUZ in 2024?' }, key => $site->own_key('poor'));
ok($poor->{isError} && $poor->{content}[0]{text} =~ /status 402/, 'without credits ask is an error of the tool') or diag $poor->{content}[0]{text};
my $narrow = $site->own_key('narrow');
my @statuses = map { post([message('ping'), (message('tools/call', { name => 'find_company', arguments => { q => 'Z' } })) x 3], key => $narrow) } 1 .. 2;
is($statuses[0]->header('x-ratelimit-remaining'), 1, 'each call of a tool counts as a request');
my $over = $statuses[1]->json;
is(join(' ', map { $_->{result}{isError} ? 'error' : 'good' } @$over), 'good good error error', '... in a batch, too');
like($over->[3]{result}{content}[0]{text}, qr/Retry after \d+ seconds\. Wait as long as that/, '... which says how long to wait');
is(post(message('ping'), key => $narrow)->status, 429, '... then requests are refused');
my $scoped = $site->own_key('enterprise');
$site->execute("UPDATE disclosed.api_key SET scopes = '{list_insider}' WHERE key_id = '" . substr($scoped, 8, 8) . "'");
is(join(' ', map { $_->{name} } result('tools/list', undef, key => $scoped)->{tools}->@*), 'insider_trades', 'a key sees the tools of its scope');
error_is(post(message('resources/read', { uri => 'disclosed://coverage' }), key => $scoped), 200, -32002, '... and reads no more');
my $credits = call('ask', { question => 'What was the revenue of ZEMRUZ in 2024?' })->{structuredContent}{credits};
is($credits->{used}, 1, 'ask costs what it costs');

# --- resources and prompts ------------------------------------------------------------------------

my $read = sub { my ($uri) = @_; return Disclosed::JSON->new->decode(result('resources/read', { uri => $uri })->{contents}[0]{text}) };
is_deeply($read->("disclosed://filings/$accession"), $site->get("/v1/filings/$accession")->json, 'a filing');
is($read->("disclosed://filings/$accession?section_text=$section->{key}&text_length=10")->{sections}[0]{text_next}, 10, '... with text');
is_deeply($read->("disclosed://sources/$insider->{provenance}{src_id}"), $site->get("/v1/src/$insider->{provenance}{src_id}")->json, 'a source record');
is_deeply($read->("disclosed://transcripts/$transcript"), $site->get("/v1/transcripts/$transcript")->json, 'a transcript');
ok($read->('disclosed://coverage')->{datasets}, 'coverage');
for my $uri ('disclosed://filings/0000000000-00-000000', 'disclosed://filings/', 'disclosed://nothing/1', 'https://example.com/', 'disclosed://coverage/x', 'disclosed://filings/.', 'disclosed://filings/.?section_text=x', 'disclosed://filings/a/../../coverage') {
    error_is(post(message('resources/read', { uri => $uri })), 200, -32002, "no resource: $uri");
}
is(scalar result('resources/templates/list')->{resourceTemplates}->@*, 3, 'templates of what can be read');
is(scalar result('prompts/list')->{prompts}->@*, 3, 'prompts');
like(result('prompts/get', { name => 'company_brief', arguments => { symbol => 'ZEMRUZ' } })->{messages}[0]{content}{text}, qr/brief on ZEMRUZ\./, 'a prompt with its argument');
error_is(post(message('prompts/get', { name => 'company_brief' })), 200, -32602, 'without its argument');
error_is(post(message('prompts/get', { name => 'x' })), 200, -32602, 'an unknown prompt');

# --- damaged messages ------------------------------------------------------------------------------

srand 15;
my @good = map { $json->encode($_) } message('initialize', \%info), message('tools/call', { name => 'find_company', arguments => { q => 'ZEM', limit => 2 } }),
    message('resources/read', { uri => "disclosed://filings/$accession" }), message('tools/list', { _meta => \%meta }), [message('ping')];
my %statuses;
for my $try (1 .. 400) {
    my $bytes = $good[rand @good];
    for (1 .. 1 + int rand 3) {
        my $at = int rand length $bytes;
        my $way = int rand 4;
        if    ($way == 0) { substr($bytes, $at, 1) = chr int rand 256 }
        elsif ($way == 1) { $bytes = substr $bytes, 0, $at + 1 }
        elsif ($way == 2) { substr($bytes, $at, 0) = substr $bytes, int rand length $bytes, 12 }
        else              { substr($bytes, $at, 1 + rand 6) = '' }
    }
    my $response = post($bytes eq '' ? ' ' : $bytes);
    $statuses{ $response->status }++;
    ok(0, "damaged: $bytes") || diag $response->describe if $response->status !~ /^(?:200|202|400|404)\z/ || $response->status != 202 && !$response->json;
}
# Arguments that are left out, null, or of another kind, each in each tool.
my @pids = sort { $a <=> $b } $site->worker_pids;
for my $tool (@tools) {
    my @arguments = sort keys $tool->{inputSchema}{properties}->%*;
    my @given = ({}, map { my $name = $_; map { { $name => $_ } } undef, JSON::PP::true, 7, '', 'x', [], ['x'], [undef], {} } @arguments);
    my @wrong = grep { my $response = post(message('tools/call', { name => $tool->{name}, arguments => $_ })); $response->error || $response->status != 200 || !$response->json->{result} } @given;
    same_json(\@wrong, [], "$tool->{name} responds, whatever its arguments are");
}
is(call('get_source', $_)->{content}[0]{text}, 'These arguments do not go together: get_source takes src_id.', 'get_source tells what it takes') for {}, { src_id => undef };
same_json([sort { $a <=> $b } $site->worker_pids], \@pids, 'no process has ended');

diag join ', ', map { "$statuses{$_} times $_" } sort keys %statuses;
ok($statuses{400} > 50, 'damaged messages are refused, not more');

finish();

# The formats of lists: what Accept asks for, CSV and NDJSON with the same values as JSON in each list that there is, long
# exports, `fields`, and refusals of what is not understood.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Lists qw(with);
use Disclosed::Test;
use Encode ();

my $site  = site(config => "DisclosedPlan wide rank=30 rate=1000000/s burst=100000 day=unlimited page=500 export=100000 webhooks=on\n"
        . "DisclosedPlan narrow rank=30 rate=1000000/s burst=100000 day=unlimited export=7\n");
my $lists = Disclosed::Lists->new($site);
my %key   = (wide => $site->own_key('wide'), narrow => $site->own_key('narrow'));
my $json  = Disclosed::JSON->new->utf8->canonical->allow_nonref;
my ($csv_type, $lines_type) = ('text/csv; charset=utf-8; header=present', 'application/x-ndjson');

sub as
{
    my ($accept, $target, %option) = @_;
    return $site->get($target, headers => { Accept => $accept, ($option{headers} // {})->%* }, map { ($_ => $option{$_}) } grep { $_ ne 'headers' } keys %option);
}

# RFC 4180, read by its grammar: rows of cells; a cell that is not quoted and empty is undef.
sub csv_rows
{
    my ($text) = @_;
    my @rows;
    while ($text ne '') {
        my @cells;
        {
            if ($text =~ s/\A"((?:[^"]|"")*)"//) { push @cells, $1 =~ s/""/"/gr }
            elsif ($text =~ s/\A([^",\r\n]*)//) { push @cells, $1 eq '' ? undef : $1 }
            redo if $text =~ s/\A,//;
        }
        $text =~ s/\A\r\n// or return "no end of a line: " . substr $text, 0, 40;
        push @rows, \@cells;
    }
    return \@rows;
}

# An item's leaves by path, as cells show them: objects of the header's columns are gone into, all else is JSON.
sub leaves
{
    my ($item, $columns, $prefix, $leaves) = @_;
    for my $name (keys %$item) {
        my ($path, $value) = ("$prefix$name", $item->{$name});
        if (ref $value eq 'HASH' && !$columns->{$path}) { leaves($value, $columns, "$path.", $leaves) }
        elsif (ref $value eq 'ARRAY' || ref $value eq 'HASH') { $leaves->{$path} = $json->encode($value) }
        elsif (JSON::PP::is_bool($value)) { $leaves->{$path} = $value ? 'true' : 'false' }
        else { $leaves->{$path} = $value }
    }
    return $leaves;
}

# Cells of a row by column; JSON in the order of the canonical encoder, numbers as Perl has them.
sub cells
{
    my ($columns, $row) = @_;
    my %cells;
    for my $i (0 .. $#$columns) {
        my $cell = $row->[$i] // next;
        $cell = $json->encode($json->decode($cell)) if $cell =~ /\A[\[{]/ && eval { $json->decode($cell); 1 };
        utf8::decode($cell) if $cell !~ /\A[\[{]/;
        $cells{ $columns->[$i] } = $cell;
    }
    return \%cells;
}

sub row_faults
{
    my ($columns, $row, $item) = @_;
    return @$row . ' cells' if @$row != @$columns;
    my %is_column = map { ($_ => 1) } @$columns;
    my ($cells, $leaves) = (cells($columns, $row), leaves($item, \%is_column, '', {}));
    my @faults = grep { my ($one, $other) = ($cells->{$_}, $leaves->{$_});
        defined $one != defined $other || defined $one && $one ne $other && !($one =~ /\A-?[\d.]+(?:e-?\d+)?\z/ && $one == $other) }
        keys %{ { %$cells, %$leaves } };
    return map { "$_: " . ($cells->{$_} // 'nothing') . ', not ' . ($leaves->{$_} // 'nothing') } @faults;
}

# --- every list --------------------------------------------------------------------------------

my ($rows_compared, $lists_compared) = (0, 0);
for my $list ($lists->lists) {
    my $target = with($lists->path_of($list->{path}), limit => 200);
    my $whole = $site->get($target)->json;
    my $csv = as('text/csv', $target);
    is($csv->status . ' ' . $csv->header('content-type'), "200 $csv_type", "$list->{path} as CSV") or diag $csv->describe;
    my $rows = csv_rows($csv->body);
    ok(ref $rows, '... is RFC 4180') or do { diag $rows; next };
    my $columns = shift @$rows;
    is(scalar @$rows, scalar $whole->{data}->@*, '... has the same rows');
    my @faults = map { row_faults($columns, $rows->[$_], $whole->{data}[$_]) } 0 .. $#$rows;
    is(join("\n", @faults[0 .. ($#faults > 5 ? 5 : $#faults)]), '', '... and their values');
    my $documented = $lists->{document}{paths}{ $list->{path} }{get}{responses}{200}{content}{'text/csv'}{example} // '';
    is((split /\r?\n/, $documented)[0], join(',', @$columns), '... under the columns that are documented');
    my $lines = as('application/x-ndjson', $target);
    is($lines->header('content-type'), $lines_type, '... as NDJSON');
    is_deeply([map { $lists->item($_) } split /\n/, $lines->body], $whole->{data}, '... the same items, a line each');
    is($lines->header('link') // '', $csv->header('link') // '', '... both lead to the same next page');
    isnt($csv->header('etag'), $lines->header('etag'), '... and have ETags of their own') if $csv->header('etag');
    my ($some) = sort grep { ref $whole->{data}[0]{$_} ne 'ARRAY' } keys $whole->{data}[0]->%*;
    my @only = map { { $_->%{$some} } } $whole->{data}->@*;
    is_deeply($site->get(with($target, fields => $some))->json->{data}, \@only, "... fields=$some shows that alone");
    $rows_compared += @$rows;
    $lists_compared++;
}
cmp_ok($lists_compared, '>=', 22, "$lists_compared lists");
cmp_ok($rows_compared, '>=', 1000, "$rows_compared rows");

# --- what is about an array -------------------------------------------------------------------

# Operations that respond with an object of which an array is what clients want, by its name; a target of each, and a body.
my %target = (
    search => ['/v1/search', '{"query":"revenue","limit":7}'],
    list_webhook_topics => ['/v1/webhook-topics'],
    get_kpi_series => ['/v1/companies/AKOGOM/kpis/store_count?scale=thousand'],
    get_filing_statement => ['/v1/filings/' . $site->value('SELECT min(accession) FROM xbrl_linkbase') . '/statements/1'],
    list_exhibits => ['/v1/filings/' . $site->value('SELECT min(accession) FROM filing_exhibit') . '/exhibits'],
    earlier_get_kpi_index => ['/api/disclosed/v1/company-kpis/index'],
    earlier_get_company_kpis => ['/api/disclosed/v1/company-kpis/AKOGOM'],
    earlier_get_kpi_facts => ['/api/disclosed/v1/kpi/AKOGOM?limit=60&include=qa'],
    earlier_get_canonical_facts => ['/api/disclosed/v1/canonical/AKOGOM?limit=60'],
    earlier_get_peers => ['/api/disclosed/v1/canonical/AKOGOM/revenue/peers'],
    list_changes => undef, # t/webhook-requests.t, which has events
);
# All others that respond with JSON alone, and why.
my %alone = (
    (map { ($_ => 'an answer') } qw(ask)),
    (map { ($_ => 'an item, with arrays that are parts of it') } qw(get_company get_document get_event get_filing get_metric get_source get_transcript
        get_webhook_endpoint earlier_get_calculation)),
    (map { ($_ => 'counts and settings, each of another kind') } qw(get_coverage get_company_coverage earlier_get_allowlist earlier_get_coverage)),
    (map { ($_ => 'a file') } qw(get_openapi get_typescript get_llms earlier_get_openapi)),
    (map { ($_ => 'changes something') } qw(create_webhook_endpoint change_webhook_endpoint delete_webhook_endpoint rotate_webhook_secret test_webhook_endpoint
        replay_webhook_delivery recover_webhook_endpoint)),
);
my %operation;
for my $prefix ('/v1', '/api/disclosed/v1') {
    my $paths = $site->get("$prefix/openapi.json")->json->{paths};
    for my $path (keys %$paths) {
        $operation{ $_->{operationId} } = $_->{responses}{200}{content} for values $paths->{$path}->%*;
    }
}
is_deeply([sort grep { !$operation{$_}{'text/csv'} } keys %operation], [sort keys %alone], 'what responds with JSON alone is told, with a reason');
is_deeply([sort grep { !$operation{$_}{'text/csv'} != !$operation{$_}{'application/x-ndjson'} } keys %operation], [], 'all else has CSV and NDJSON');
my %array_of = map { ($operation{$_}{'application/x-ndjson'}{schema}{description} // '') =~ /^An item of `(\w+)` a line/ ? ($_ => $1) : () } keys %operation;
is_deeply([sort keys %array_of], [sort keys %target], 'each that is about an array is asked below');
# Lines have an example: the rows of that of JSON, where it has any.
my $examples = 0;
for my $name (sort grep { $operation{$_}{'text/csv'} } keys %operation) {
    my ($whole, $example) = map { $operation{$name}{$_}{example} } 'application/json', $lines_type;
    my $rows = ref $whole eq 'ARRAY' ? $whole : $whole->{ $array_of{$name} // 'data' };
    is_deeply([map { $json->decode(Encode::encode_utf8($_)) } split /(?<=\n)/, $example // ''], $rows, "$name: the example of its lines");
    $examples += defined $example;
}
cmp_ok($examples, '>', 40, "$examples examples");
is((() = $site->get('/v1/openapi.json')->body =~ /\d\.\d{16}/g), 0, 'examples have decimals as they are served');

for my $name (sort grep { $target{$_} } keys %target) {
    my ($target, $body) = $target{$name}->@*;
    my $ask = sub {
        my ($accept) = @_;
        return $site->request($body ? 'POST' : 'GET', $target, key => $key{wide}, headers => { Accept => $accept, $body ? ('Content-Type' => 'application/json') : () }, $body ? (body => $body) : ());
    };
    my ($whole, $csv, $lines) = map { $ask->($_) } 'application/json', 'text/csv', 'application/x-ndjson';
    my $items = $whole->json->{ $array_of{$name} };
    cmp_ok(scalar @$items, '>', 0, "$name: " . @$items . " $array_of{$name}");
    is($csv->status . ' ' . $csv->header('content-type'), "200 $csv_type", '... as CSV') or diag $csv->describe;
    my $rows = csv_rows($csv->body);
    my $columns = shift @$rows;
    is(join("\n", @$rows - @$items, map { row_faults($columns, $rows->[$_], $items->[$_]) } 0 .. $#$rows), 0, '... has the same rows and values');
    is(join(',', @$columns) . "\r\n", $operation{$name}{'text/csv'}{example}, '... under the columns that are documented');
    is($lines->status . ' ' . $lines->header('content-type'), "200 $lines_type", '... as NDJSON');
    is_deeply([map { $lists->item($_) } split /\n/, $lines->body], $items, '... the same items, a line each');
    is(scalar(grep { defined } map { $_->header('etag') } $csv, $lines, $whole), $body || $name =~ /webhook/ ? 0 : 3, '... tags');
    isnt($csv->header('etag'), $lines->header('etag'), '... of their own') if $csv->header('etag');
}
my @series = split /\r\n/, as('text/csv', '/v1/companies/AKOGOM/kpis/store_count')->body;
is($series[0], 'period.calendar,period.fiscal,period.start_date,period.end_date,period.kind,value.raw,value.normalized,value.unit,value.original_unit,value.conversion_factor,'
    . 'kind,tier,source_tier,sources,sources_agree,split_adjusted,restated,dimension,member,provenance', 'the columns of a series');
like($series[1], qr/^2022Q1,Q1 FY2023,,2022-04-30,instant,1286,1286,count,count,1,actual,reported,verified,"\[""10-Q"",""EX-99.1""\]",true,false,false,,,"\[\{""src_id"":""src_kpi_observation_/, '... and a row');
problem_is(as('text/csv', '/v1/companies/AKOGOM/kpis/no_such_metric'), 404, 'a series that is not there, as CSV', instance => '/v1/companies/AKOGOM/kpis/no_such_metric',
    detail => 'The company has no metric with the key "no_such_metric".');
problem_is(as('image/png', '/v1/companies/AKOGOM/kpis/store_count'), 406, 'a series as a picture', instance => '/v1/companies/AKOGOM/kpis/store_count', slug => 'not-acceptable',
    detail => 'Lists are served as application/json, text/csv and application/x-ndjson; the Accept header excludes all of them.');

# A search goes on by a cursor in its body, which lines have in a header.
my $search = sub { my ($accept, $cursor) = @_; return $site->request('POST', '/v1/search', key => $key{wide}, headers => { Accept => $accept, 'Content-Type' => 'application/json' },
    body => '{"query":"revenue","limit":3' . ($cursor ? qq(,"cursor":"$cursor") : '') . '}') };
my $page = $search->('application/json');
my $page_lines = $search->('application/x-ndjson');
is($page->header('x-next-cursor'), $page->json->{pagination}{next_cursor}, 'X-Next-Cursor of a search is its next_cursor');
is($page->header('link'), undef, '... to which no link leads');
is_deeply([map { $lists->item($_) } split /\n/, $search->('application/x-ndjson', $page_lines->header('x-next-cursor'))->body],
    $search->('application/json', $page->json->{pagination}{next_cursor})->json->{data}, '... and leads lines on');
my $none = $site->request('POST', '/v1/search', headers => { Accept => 'text/csv', 'Content-Type' => 'application/json' }, body => '{"query":"zzzzqqq"}');
is($none->status . ' ' . $none->body, "200 $operation{search}{'text/csv'}{example}", 'a search that finds nothing is the header line alone');
is($none->header('x-next-cursor'), undef, '... and leads nowhere');

# --- long exports ------------------------------------------------------------------------------

my ($all) = $lists->walk('/v1/insider?limit=500');
cmp_ok(scalar @$all, '>', 1500, 'more rows than three pages have');
my $long = as('application/x-ndjson', '/v1/insider?limit=100000', key => $key{wide});
is($long->status, 200, 'a long export');
is($long->body, join('', map { "$_\n" } @$all), '... has each row once, in order');
is($long->header('link'), undef, '... and nothing behind it');
like($long->header('transfer-encoding'), qr/chunked/, '... and comes in pieces');
my $most = @$all - 3;
my $cut = as('application/x-ndjson', "/v1/insider?limit=$most", key => $key{wide});
my ($next) = ($cut->header('link') // '') =~ m{^<\Q$site->{base_url}\E([^>]+)>; rel="next"\z};
is(() = $cut->body =~ /\n/g, $most, "an export of $most rows");
is(as('application/x-ndjson', $next, key => $key{wide})->body, join('', map { "$_\n" } @$all[-3 .. -1]), '... whose Link leads to the last three');
my $codes = '/v1/insider?transaction_types=S&transaction_types=P&transaction_types=A&limit=';
my ($of_codes) = $lists->walk($codes . 500);
is(as('application/x-ndjson', $codes . 5000, key => $key{wide})->body, join('', map { "$_\n" } @$of_codes), 'rows that are read value by value');
my ($back) = $lists->walk('/v1/insider?limit=500&direction=asc&as_of=2025-06-30');
is(as('application/x-ndjson', '/v1/insider?limit=5000&direction=asc&as_of=2025-06-30', key => $key{wide})->body,
    join('', map { "$_\n" } @$back), 'forth, as of an instant');
is(scalar(split /\r\n/, as('text/csv', '/v1/insider?limit=1000', key => $key{narrow})->body), 8, 'a plan caps exports: 7 rows behind the header');
is(scalar(split /\r\n/, as('text/csv', '/v1/insider?limit=1000', key => 'free')->body), 26, 'the free plan exports as many rows as its pages have');
is(as('text/csv', '/v1/insider?limit=100001')->status, 422, 'no export has more than 100000 rows');
is($site->get('/v1/insider?limit=501')->status, 422, 'JSON has pages of at most 500');
my $head = $site->request('HEAD', '/v1/insider?limit=5000', headers => { Accept => 'text/csv' }, key => $key{wide});
is($head->status . ' ' . $head->header('content-type') . ' ' . length $head->body, "200 $csv_type 0", 'HEAD of a long export');
my $tag = as('text/csv', '/v1/insider?limit=5000', key => $key{wide})->header('etag');
is(as('text/csv', '/v1/insider?limit=5000', key => $key{wide}, headers => { 'If-None-Match' => $tag })->status, 304, 'a 304 of a long export');

# --- Accept ------------------------------------------------------------------------------------

my %choice = (
    '*/*' => 'application/json', 'application/*' => 'application/json', 'text/*' => $csv_type,
    'text/html,application/xhtml+xml,*/*;q=0.8' => 'application/json',
    'text/csv;q=0.5, application/json;q=0.4' => $csv_type, 'text/csv, application/json' => $csv_type,
    'application/json, text/csv' => 'application/json', 'text/csv;q=0, */*' => 'application/json',
    'TEXT/CSV' => $csv_type, 'text/csv; header=present' => $csv_type, 'application/ndjson' => $lines_type,
    'application/json;q=0.001,text/csv;q=0.002' => $csv_type, '' => 'application/json', ',, ,' => 'application/json',
    'application/json;q=0, text/*' => $csv_type,
);
is(as($_, '/v1/insider?limit=1')->header('content-type'), $choice{$_}, "Accept: $_") for sort keys %choice;
for my $accept ('text/html', 'application/json;q=0', 'text/csv;q=0.0', 'image/*, application/xml', 'nonsense') {
    my $refused = as($accept, '/v1/insider?limit=1');
    problem_is($refused, 406, "Accept: $accept", instance => '/v1/insider', slug => 'not-acceptable',
        detail => 'Lists are served as application/json, text/csv and application/x-ndjson; the Accept header excludes all of them.');
}
problem_is(as('text/csv', '/v1/coverage'), 406, 'what is no list is JSON alone', instance => '/v1/coverage', slug => 'not-acceptable');
is(as('text/csv', '/v1/companies/NOBODY:US/insider')->header('content-type'), 'application/problem+json', 'errors of CSV are problems');
is(as('text/csv', '/api/disclosed/v1/filings/OXOKIZ?limit=2')->header('content-type'), $csv_type, 'the earlier surface has CSV as well');

# --- fields ------------------------------------------------------------------------------------

my $one = $site->get('/v1/insider?limit=1')->json->{data}[0];
is_deeply($site->get('/v1/insider?limit=1&fields=id,insider.name&fields=provenance')->json->{data},
    [{ id => $one->{id}, insider => { name => $one->{insider}{name} }, provenance => $one->{provenance} }], 'fields, members of objects, whole objects');
is((split /\r\n/, as('text/csv', '/v1/insider?limit=1&fields=provenance.src_id,id')->body)[0], 'id,provenance.src_id', 'columns of CSV, in the order of the row');
is_deeply($site->get('/v1/insider?limit=1&fields=')->json->{data}, [$one], 'none named: all');
my $bad = $site->get('/v1/insider?fields=id,nothing,insider.nobody');
is($bad->status, 422, 'unknown fields');
is_deeply([map { [$_->@{qw(type loc msg input)}] } $bad->json->{detail}->@*],
    [map { ['value_error', ['query', 'fields'], qq{Value error, rows have no field "$_"}, $_] } qw(nothing insider.nobody)], '... are named');
my $first = $site->get('/v1/insider?limit=2&fields=id');
is($site->get('/v1/insider?limit=2&fields=form&cursor=' . $first->json->{pagination}{next_cursor})->status, 200, 'a cursor goes on with other fields');

# --- Prefer: handling=strict -------------------------------------------------------------------

my %strict = (headers => { Prefer => 'respond-async, handling=strict' });
is($site->get('/v1/insider?symbol=AAPL&limit=1')->status, 200, 'unknown parameters are ignored');
my $refused = $site->get('/v1/insider?symbol=AAPL&limit=1&x=1', %strict);
is($refused->status, 422, '... but for who prefers strict handling');
is_deeply($refused->json->{detail}, [
    { type => 'extra_forbidden', loc => ['query', 'symbol'], msg => 'Extra inputs are not permitted; did you mean "symbols"?', input => 'AAPL' },
    { type => 'extra_forbidden', loc => ['query', 'x'], msg => 'Extra inputs are not permitted', input => '1' },
], '... who is told what may be meant');
is($refused->header('preference-applied'), 'handling=strict', '... and that it was heeded');
is($site->get('/v1/insider?symbols=AAPL&limit=1', %strict)->status, 200, 'what is known passes');
is($site->get('/v1/insider?symbol=A&limit=1', headers => { Prefer => 'handling=lenient' })->status, 200, 'handling=lenient');
my $body = $site->request('POST', '/v1/search', body => '{"query":"dividend","symbol":["OXOKIZ"]}', headers => { 'Content-Type' => 'application/json', $strict{headers}->%* });
is_deeply($body->json->{detail}, [{ type => 'extra_forbidden', loc => ['body', 'symbol'], msg => 'Extra inputs are not permitted; did you mean "symbols"?', input => ['OXOKIZ'] }],
    'members of bodies as well');

# --- symbols -----------------------------------------------------------------------------------

my ($symbol) = map { $_->{symbol} } grep { defined $_->{symbol} } $site->get('/v1/congress?limit=100')->json->{data}->@*;
for my $path (qw(/v1/insider /v1/filings /v1/congress /v1/events /v1/transcripts /v1/documents)) {
    for my $named ('ZEMRUZ', 'ZEMRUZ:US') {
        my $rows = $site->get("$path?symbols=$named&limit=500")->json->{data};
        my %others = map { (($_->{symbol} // $_->{ticker} // 'none') =~ s/:.*//r => 1) } @$rows;
        is(join(' ', sort keys %others), 'ZEMRUZ', "$path?symbols=$named: " . @$rows . ' rows, all of the company');
    }
    is($site->get("$path?symbols=NOBODY")->body, '{"data":[],"pagination":{"next_cursor":null,"has_more":false}}', '... and of a symbol that no company has: none');
}
my ($company) = $lists->walk("/v1/companies/$symbol/congress?limit=500&as_of=2026-06-01");
my ($by_symbols) = $lists->walk("/v1/congress?symbols=$symbol&limit=500&as_of=2026-06-01");
is_deeply($by_symbols, $company, 'trades by symbols as of an instant are the company\'s');

finish();

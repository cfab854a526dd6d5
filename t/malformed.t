# Input of every broken kind: always a 4xx with the right body, never a 5xx, never a crash.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Test;
use Compress::Zlib ();

my $modules = build('MODULES_DIR');
my $inflates = -e "$modules/mod_deflate.so" && -e "$modules/mod_filter.so";
my $site = site(config => "LimitRequestBody 100000\n<Location /mcp>\nSetHandler disclosed-mcp\n</Location>\n"
    . ($inflates ? "LoadModule filter_module $modules/mod_filter.so\nLoadModule deflate_module $modules/mod_deflate.so\n<Location /v1/search>\nSetInputFilter DEFLATE\n</Location>\n" : ''));
my $auth = "Authorization: Bearer $site->{keys}{enterprise}\r\n";
my $host = "Host: localhost\r\nConnection: close\r\n";

# --- HTTP itself -----------------------------------------------------------------------------

my $line = "GET /v1/companies HTTP/1.1\r\n";
for my $case (
    [400, 'no Host',                   "$line$auth\r\n"],
    [400, 'two Hosts',                 "${line}Host: a\r\n$host\r\n"],
    [400, 'a Host with a slash',       "${line}Host: a/b\r\nConnection: close\r\n\r\n"],
    [400, 'a header without a colon',  "$line${host}Nonsense\r\n\r\n"],
    [400, 'a header with a space before its colon', "$line${host}Name : x\r\n\r\n"],
    [400, 'a NUL in a header',         "$line${host}X: a\0b\r\n\r\n"],
    [400, 'a control character in a header', "$line${host}X: a\x01b\r\n\r\n"],
    [400, 'two lengths',               "$line${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [400, 'a length that is none',     "$line${host}Content-Length: abc\r\n\r\n"],
    [400, 'a negative length',         "$line${host}Content-Length: -5\r\n\r\n"],
    [400, 'an unknown transfer coding', "$line${host}Transfer-Encoding: nonsense\r\n\r\n"],
    [400, 'a broken chunk',            "$line$host${auth}Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    [400, 'too many headers',          $line . $host . join('', map { "X-$_: 1\r\n" } 1 .. 150) . "\r\n"],
    [431, 'a long header',             "$line${host}X: " . 'a' x 9000 . "\r\n\r\n"],
    [431, 'a long key',                "$line${host}Authorization: Bearer " . 'a' x 100_000 . "\r\n\r\n"],
    [413, 'a body over the limit',     "$line$host${auth}Content-Length: 200000\r\n\r\n" . 'x' x 200_000],
    [414, 'a query of 100 KB',         'GET /v1/companies?q=' . 'a' x 100_000 . " HTTP/1.1\r\n$host$auth\r\n"],
    [414, 'a path of 100 KB',          'GET /v1/companies/' . 'a' x 100_000 . " HTTP/1.1\r\n$host$auth\r\n"],
    [400, 'a tab in the request line', "GET\t/v1/companies HTTP/1.1\r\n$host$auth\r\n"],
    [400, 'a bare line feed',          "GET /v1/companies HTTP/1.1\n$host$auth\r\n"],
    [400, 'a space in the path',       "GET /v1/comp anies HTTP/1.1\r\n$host$auth\r\n"],
    )
{
    my ($status, $what, $bytes) = @$case;
    my $response = $site->raw($bytes);
    is($response->status, $status, "$what is a $status") or diag $response->describe;
    is($response->header('content-type'), 'application/problem+json', '... as a problem');
    my $problem = $response->json // {};
    is($problem->{status}, $status, '... that says so');
    is($problem->{request_id}, $response->header('x-request-id'), '... with its id');
}
for my $case (['a broken chunk', "zz\r\n"], ['a chunk of too many bytes', "FFFFFFFFFFFFFFFF\r\n"]) {
    my $response = $site->raw("POST /mcp HTTP/1.1\r\n$host${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n$case->[1]");
    problem_is($response, $response->status, "$case->[0] to MCP", instance => '/mcp');
    like($response->status, qr/\A4\d\d\z/, '... is refused');
}
for my $bytes ("\r\n\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00", 'PRI * HTTP/2.0' . "\r\n\r\nSM\r\n\r\n", "GET /v1/companies HTTP/9.9\r\n$host\r\n",
    "$line${host}Expect: nonsense\r\n\r\n", "FOO BAR BAZ\r\n\r\n", "GET /v1/companies\r\n$host\r\n", "GET http://[::1 HTTP/1.1\r\n$host\r\n", "CONNECT localhost:1 HTTP/1.1\r\n$host\r\n")
{
    my $response = $site->raw($bytes, linger => 2);
    my $shown = substr($bytes, 0, 30) =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger;
    ok($response->status == 0 || ($response->status >= 400 && $response->status < 500) || $response->status == 505,
        "$shown is refused") or diag $response->describe;
    my $problem = $response->json;
    is($problem->{status}, $response->status, '... and a problem says the same status') if $problem;
}
is($site->raw("GET /v1/companies?q=\xff HTTP/1.1\r\n$host$auth\r\n")->status, 200, 'a raw byte in a query is text');
is($site->raw("$line$host$auth\r\nGET / HTTP/1.1\r\n\r\n")->status, 200, 'what follows a good request does not matter');

# --- bytes in paths and queries --------------------------------------------------------------

for my $case (['%FF', "\x{fffd}"], ['%C3%28', "\x{fffd}("], ['%ED%A0%80', undef], ['%F4%90%80%80', undef]) {
    my ($bytes, $shown) = @$case;
    my $response = $site->get("/v1/companies/$bytes");
    is($response->status, 404, "a symbol of $bytes") or diag $response->describe;
    ok(utf8::decode(my $copy = $response->body), '... is answered in UTF-8');
    is($response->json->{instance}, "/v1/companies/$shown", '... with the bytes replaced') if $shown;
    $response = $site->get("/v1/insider?limit=$bytes");
    is($response->status, 422, "a limit of $bytes");
    ok(utf8::decode($copy = $response->body), '... is answered in UTF-8');
    is($response->json->{detail}[0]{input}, $shown, '... with the bytes replaced') if $shown;
}
for my $path ('/v1/companies/a%00b', '/v1/filings/%00') {
    my $response = $site->get($path);
    ok($response->status == 404 || $response->status == 400, "NUL in $path") or diag $response->describe;
}
is($site->get('/v1/insider?limit=%zz')->json->{detail}[0]{input}, '%zz', 'a bad percent sequence in a query stays');
is($site->get('/v1/companies?q=%zz%4')->status, 200, '... and is text like any other');
is($site->get('/v1/companies?&&=&==&q&%00=1')->status, 200, 'odd pairs are ignored');
is($site->get('/v1/companies?' . join('&', map { "tickers=T$_" } 1 .. 500))->status, 200, '500 elements in a list');

# --- cursors ---------------------------------------------------------------------------------

my $page   = json_of($site->get('/v1/insider?limit=2'), 'a page');
my $cursor = $page->{pagination}{next_cursor};

sub cursor_refused
{
    my ($target, $value, $name) = @_;
    my $shown = $value =~ s/%([0-9A-F]{2})/chr hex $1/ger;
    faults_is($site->get("$target" . ($target =~ /\?/ ? '&' : '?') . "cursor=$value"),
        [fault('value_error', ['query', 'cursor'], 'Value error, invalid cursor', $shown, '{"error":{}}')], $name);
}

cursor_refused('/v1/filings',   $cursor, 'a cursor of another endpoint');
cursor_refused('/v1/companies/ZEMRUZ:US/insider', $cursor, 'a cursor of the endpoint without a company');
cursor_refused('/v1/insider?transaction_types=S', $cursor, 'a cursor of other filters');
cursor_refused('/v1/insider?min_value=0',         $cursor, 'a cursor of one filter less');
cursor_refused('/v1/insider?as_of=2026-01-01',    $cursor, 'a cursor of another as_of');
cursor_refused('/v1/insider?direction=asc',       $cursor, 'a cursor of the other direction');
cursor_refused('/v1/insider', "$cursor=",      'a cursor with padding');
cursor_refused('/v1/insider', "${cursor}A",    'a cursor with more behind');
cursor_refused('/v1/insider', "%20$cursor",    'a cursor with a space');
cursor_refused('/v1/insider', substr($cursor, 0, -1), 'a cut cursor');
cursor_refused('/v1/insider', 'A' x 5000,      'a long one');
my $symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
my $passed  = 0;
for my $place (0 .. length($cursor) - 1) {
    my $forged = $cursor;
    my $at = index $symbols, substr $cursor, $place, 1;
    substr $forged, $place, 1, substr $symbols, ($at + 1) % 64, 1;
    $passed++ if $site->get("/v1/insider?limit=2&cursor=$forged")->status != 422;
}
is($passed, 0, 'no cursor with one character changed is taken');
my $elsewhere = site(database => $site->{database}, start => 0);
$elsewhere->start;
cursor_refused('/v1/insider', json_of($elsewhere->get('/v1/insider?limit=2'), 'elsewhere')->{pagination}{next_cursor},
    'a cursor of a server with another secret');
is($site->get("/v1/insider?limit=100&cursor=$cursor&unknown=1")->status, 200, 'another limit is no other query');
is($site->get("/v1/insider?direction=desc&cursor=$cursor")->status, 200, 'nor is the direction that it has');

# --- anything, anywhere ----------------------------------------------------------------------

my @values = ('', '%20', "'", '%22', '%5C', '%25', '_', '%00', '%FF', '{}', '{a,b}', '%22%7D', "');DROP%20TABLE%20listing;--",
    '$1', '%25s', '%25n%25n', '?', '{now:t}', '{value:x}', 'NULL', '-1', '0', '1e400', '9' x 400, '1e-400', '-0', 'nan',
    '0001-01-01', '9999-12-31', '9999-12-31T23:59:59.999999%2B23:59', '0001-01-01T00:00:00%2B23:59', '-62135596800', '253402300799', '10000-01-01',
    '9223372036854775807', '9223372036854775808', '-9223372036854775809', 'a' x 3000, '%F0%9F%92%A9', '%E2%80%A8', '%0A', 'true', '[]', '0' x 50 . '1');
my $document = json_of($site->get('/v1/openapi.json'), 'the OpenAPI document');

# Bodies are taken as they are: one that is compressed is told so, whoever reads it.
my $body = '{"query":"revenue"}';
my @takers = (['POST', '/mcp'], grep { $_->[1] ne '/v1/search' || !$inflates } map { my $path = $_; map { [uc, $path =~ s/\{\w+\}/1/gr] } grep { ref $document->{paths}{$path}{$_} eq 'HASH' && $document->{paths}{$path}{$_}{requestBody} } sort keys $document->{paths}{$path}->%* }
    sort keys $document->{paths}->%*);
cmp_ok(scalar(@takers), '>=', 6, 'operations that take bodies: ' . join ' ', map { $_->[1] } @takers);
for my $taker (@takers) {
    my ($method, $path) = @$taker;
    my $send = sub { return $site->request($method, $path, headers => { 'Content-Type' => 'application/json', defined $_[0] ? ('Content-Encoding' => $_[0]) : () }, body => $_[1]) };
    for my $coding ('gzip', 'GZIP', 'br', 'zstd', 'identity, gzip', 'gzip,identity', 'aes128gcm') {
        my $response = $send->($coding, $coding =~ /^gzip$/i ? Compress::Zlib::memGzip($body) : $body);
        problem_is($response, 415, "$coding for $method $path", instance => $path, detail => 'The body has a Content-Encoding: send it as it is, without one.');
        is($response->header('accept-encoding'), 'identity', '... what would be taken');
    }
    my ($plain, @coded) = map { $send->($_, $body) } undef, 'identity', 'Identity', ' ';
    is($_->status, $plain->status, "identity for $method $path is $plain->{status}") for @coded;
    isnt($plain->status, 415, '... as without one');
    is($plain->header('accept-encoding'), undef, '... which says nothing of codings');
}
SKIP: {
    skip('httpd has no mod_deflate', 2) if !$inflates;
    my @headers = (headers => { 'Content-Type' => 'application/json', 'Content-Encoding' => 'gzip' });
    is($site->request('POST', '/v1/search', @headers, body => Compress::Zlib::memGzip($body))->status, 200, 'what a filter of httpd has decompressed is read');
    is($site->request('POST', '/v1/search', headers => { 'Content-Type' => 'application/json', 'Content-Encoding' => 'br' }, body => $body)->status, 415, '... and what it has not is none');
}
is($site->request('GET', '/v1/companies', headers => { 'Content-Encoding' => 'gzip' })->status, 200, 'a request without a body has no coding');

my ($requests, %counts, @odd) = (0);
for my $template (sort keys $document->{paths}->%*) {
    my @parameters = ($document->{paths}{$template}{get}{parameters} // [])->@*;
    for my $parameter (@parameters) {
        for my $value (@values) {
            my $path = $template;
            my $query = '';
            if ($parameter->{in} eq 'path') {
                next if $value eq '';
                $path =~ s/\{\w+\}/$value =~ s{\?}{%3F}r/e;
            } else {
                $path =~ s/\{symbol\}/ZEMRUZ/;
                $path =~ s/\{\w+\}/x/;
                $query = "?$parameter->{name}=$value&$parameter->{name}=$value";
            }
            my $response = $site->get($path . $query);
            $requests++;
            $counts{ $response->status }++;
            my $fine = !$response->error && $response->status =~ /^(?:200|302|307|400|404|422)$/ && ($response->json || $response->status =~ /^3/);
            push @odd, "$path$query: " . $response->describe if !$fine;
        }
    }
}
is(scalar(@odd), 0, "$requests requests with odd values: no 5xx") or diag @odd[0 .. ($#odd > 5 ? 5 : $#odd)];
cmp_ok($requests, '>', 1000, 'there were many');
note join ' ', map { "$_: $counts{$_}" } sort keys %counts;
is($site->value('SELECT count(*) > 0 FROM listing'), 't', 'the tables are still there');

finish();

# From method and path to an endpoint: what is not found, not allowed, redirected, or not ours.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
my $base = "http://127.0.0.1:$site->{port}";

# --- 404 -------------------------------------------------------------------------------------

for my $path (qw(/v1 /v1/ /v1/nothing /v1/companies/ZEMRUZ:US/nothing /v1/openapi /api/disclosed/v1
    /api/disclosed/v1/filings /api/disclosed/v1/insider /v1/congress/politicians /v1/Companies /v1/companies/A/B/C))
{
    problem_is($site->get($path), 404, "$path does not exist", instance => $path);
}
problem_is($site->get('/v1/nothing', key => undef), 404, 'an unknown path needs no key to be unknown',
    instance => '/v1/nothing');
problem_is($site->get('/v1/nothing?limit=x'), 404, 'nor good parameters', instance => '/v1/nothing');
problem_is($site->get('/v1/companies//insider'), 404, 'slashes are merged, so that no symbol is left',
    instance => '/v1/companies/insider', detail => not_found_company('insider'));

# --- what is not ours ------------------------------------------------------------------------

my $outside = $site->get('/');
is($outside->status, 404, 'outside /v1 httpd decides: no index without mod_dir');
is($site->get('/index.html', key => undef)->body, "<p>outside</p>\n", 'a file is served as always');
for my $path (qw(/V1/companies /v1companies /v10/companies /api /api/disclosed /api/disclosed/v2/x)) {
    my $response = $site->get($path);
    is($response->status, 404, "$path is httpd's 404");
    like($response->header('content-type'), qr{^text/html}, '... in HTML');
    is($response->header('x-request-id'), undef, '... without a request id of ours');
}

# --- methods ---------------------------------------------------------------------------------

my $allow = 'GET, HEAD, OPTIONS';
for my $method (qw(POST PUT DELETE PATCH PROPFIND LOCK BREW)) {
    for my $path ('/v1/companies', '/v1/companies/ZEMRUZ:US', '/v1/src/x') {
        my $response = $site->request($method, $path);
        problem_is($response, 405, "$method $path", instance => $path);
        is($response->header('allow'), $allow, '... with Allow');
    }
}
my $post = $site->request('POST', '/v1/companies', key => undef, body => 'x' x 100_000);
problem_is($post, 405, 'a body does not matter, nor does the key', instance => '/v1/companies');
my $trace = $site->request('TRACE', '/v1/companies');
isnt($trace->status, 200, 'TRACE does not echo a key') or diag $trace->describe;

for my $path ('/v1/companies', '/v1/filings/0000000000-00-000000') {
    my $options = $site->request('OPTIONS', $path, key => undef);
    status_is($options, 204, "OPTIONS $path");
    is($options->header('allow'), $allow, '... with Allow');
    is($options->body, '', '... without a body');
}
problem_is($site->request('OPTIONS', '/v1/nothing', key => undef), 404, 'OPTIONS of nothing',
    instance => '/v1/nothing');

my $get  = $site->get('/v1/companies?limit=3');
my $head = $site->head('/v1/companies?limit=3');
status_is($head, 200, 'HEAD');
is($head->header($_), $get->header($_), "HEAD has GET's $_")
    for qw(content-type content-length etag link cache-control vary);
my $missing = $site->head('/v1/nothing');
is($missing->status, 404, 'HEAD of nothing');
is($missing->header('content-type'), 'application/problem+json', '... says what GET would');
is($site->head('/v1/companies', key => undef)->header('www-authenticate'), 'Bearer', 'HEAD without a key');

# --- slashes ---------------------------------------------------------------------------------

for my $case (
    ['/v1/companies/',                   '/v1/companies'],
    ['/v1/insider/?limit=5&x=%20y+z',    '/v1/insider?limit=5&x=%20y+z'],
    ['/v1/companies/ZEMRUZ:US/',         '/v1/companies/ZEMRUZ:US'],
    ['/v1/companies/ZEMRUZ%3AUS/insider/', qr{^/v1/companies/ZEMRUZ(?::|%3[Aa])US/insider\z}],
    ['/v1/companies/A%20B/',             '/v1/companies/A%20B'],
    ['/v1/coverage/?',                   qr{^/v1/coverage\??\z}],
    )
{
    my ($path, $location) = @$case;
    my $response = $site->get($path, key => undef);
    status_is($response, 307, "$path is redirected");
    my $found = $response->header('location') // '';
    ref $location ? like($found, $location, '... there') : is($found, $location, '... there');
}
is($site->request('POST', '/v1/companies/')->status, 307, 'with any method');
my $injected = $site->get('/v1/companies/%0d%0aX-Injected:%201/');
is($injected->header('x-injected'), undef, 'nothing can be put into Location');
is($site->get('//v1//companies?limit=1')->status, 200, 'slashes are merged, as httpd does everywhere');
is($site->get('/v1/insider/../companies?limit=1')->body, $site->get('/v1/companies?limit=1')->body,
    'dots are resolved before routing');
is($site->get('/v1/%63ompanies?limit=1')->status, 200, 'escapes are decoded before routing');
problem_is($site->get('/v1/companies#x'), 400, 'a fragment has no place in a request', instance => '/v1/companies');
problem_is($site->get('/v1/companies/ZEMRUZ%2FUS'), 404, 'an escaped slash is no slash',
    instance => '/v1/companies/ZEMRUZ/US');
expect_log($site, 'AH10244'); # httpd's own: invalid URI path
problem_is($site->get('/v1/companies/%zz'), 400, 'a bad percent sequence in the path',
    instance => '/v1/companies/%zz');

# --- order: route before key before parameters -----------------------------------------------

is($site->get('/v1/companies/?limit=x', key => undef)->status, 307, 'redirect before the key');
is($site->request('POST', '/v1/companies?limit=x', key => undef)->status, 405, 'method before the key');
is($site->get('/v1/companies?limit=x', key => undef)->status, 401, 'key before parameters');
is($site->get('/v1/companies/NOBODY?as_of=x')->status, 422, 'parameters before the resource');

# --- every answer ----------------------------------------------------------------------------

my %ids;
for my $path ('/v1/companies?limit=1', '/v1/nothing', '/v1/companies?limit=0', '/v1/companies/') {
    my $response = $site->get($path);
    is($response->header('cache-control'), 'private, no-cache', "$path: Cache-Control");
    is($response->header('vary') =~ s/\s//gr, 'Authorization,Accept,Accept-Encoding', "$path: Vary");
    $ids{ $response->header('x-request-id') } = 1;
}
is(scalar(keys %ids), 4, 'request ids differ');
my $link = $site->get('/v1/companies?limit=1&q=a%20b&x=1')->header('link');
is($link, undef, 'no Link where there is no next page');
like($site->get('/v1/companies?limit=1&x=a%20b')->header('link'),
    qr{^<\Q$base\E/v1/companies\?limit=1&x=a%20b&cursor=[\w-]+>; rel="next"\z},
    'Link keeps all parameters');

finish();

# Pages of other origins: preflights, and which headers of which responses let them read.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $app  = 'https://app.example.com';
my $site = site(config => "DisclosedCORS $app http://localhost:5173\n<Location \"/mcp\">\nSetHandler disclosed-mcp\n</Location>\n<Location \"/v1/metrics\">\nRequire all denied\n</Location>\n",
    limits => "DisclosedAddressLimit 1/m 3\nDisclosedPlan enterprise rate=1000/s burst=1000 day=unlimited\n", start => 0);
# The harness itself asks without limits.
$site->{limits} =~ s{1/m 3}{1/m 1000};
$site->start;

sub preflight
{
    my ($path, $origin, %headers) = @_;
    return $site->request('OPTIONS', $path, key => undef, headers => { Origin => $origin, 'Access-Control-Request-Method' => 'GET', %headers });
}

sub allowed { return $_[0]->header('access-control-allow-origin') // 'none' }

# --- preflights ---------------------------------------------------------------------------------

for my $path ('/v1/companies', '/v1/nothing/at/all', '/api/disclosed/v1/companies', '/v1/openapi.json', '/mcp') {
    for my $origin ($app, 'http://localhost:5173') {
        my $response = preflight($path, $origin, 'Access-Control-Request-Headers' => 'authorization,if-none-match');
        is($response->status . ' ' . allowed($response), "204 $origin", "$path: a preflight of $origin");
        is(length $response->body, 0, '... without a body');
        like($response->header('access-control-allow-headers'), qr/\bAuthorization\b.*\bIf-None-Match\b/, '... lets the key be sent');
        is($response->header('access-control-allow-methods'), 'GET, HEAD, POST, PATCH, DELETE', '... by our methods');
        ok(!defined $response->header('x-ratelimit-remaining'), '... and counts as nothing');
    }
    for my $origin ('https://app.example.com.evil.example', 'https://evil.example', 'http://app.example.com', 'null', 'https://app.example.com:8443') {
        my $response = preflight($path, $origin);
        is(allowed($response) . ' ' . ($response->header('access-control-allow-methods') // ''), 'none ', "... and not of $origin");
    }
}
is(preflight('/v1/companies', 'HTTPS://APP.example.com')->status, 204, 'schemes and hosts have no case');
is($site->request('OPTIONS', '/v1/companies', headers => { Origin => $app })->status, 204, 'OPTIONS with a key');

# --- responses ------------------------------------------------------------------------------------

my %from = (headers => { Origin => $app });
my $etag = $site->get('/v1/companies')->header('etag');
my %response = (
    200 => $site->get('/v1/companies?limit=1', %from), 304 => $site->get('/v1/companies', headers => { Origin => $app, 'If-None-Match' => $etag }),
    401 => $site->get('/v1/companies', key => undef, %from), 404 => $site->get('/v1/companies/NOBODY', %from), 422 => $site->get('/v1/companies?limit=x', %from),
    405 => $site->request('DELETE', '/v1/companies', %from), 406 => $site->get('/v1/coverage', headers => { Origin => $app, Accept => 'text/csv' }),
    414 => $site->get('/v1/companies?q=' . 'x' x 9000, %from),
);
for my $status (sort keys %response) {
    my $response = $response{$status};
    is($response->status, $status, "a $status");
    next if $status == 414; # no headers were read
    is(allowed($response), $app, '... that the page may read');
    like($response->header('access-control-expose-headers'), qr/\bETag\b.*\bLink\b.*\bRetry-After\b.*\bX-RateLimit-Remaining\b.*\bX-Request-Id\b/, '... with its headers');
    like($response->header('vary'), qr/\bOrigin\b/, '... kept apart from those of others');
}
# What httpd refuses by itself: no plan opens it.
expect_log($site, 'AH01630');
my $closed = $site->get('/v1/metrics', %from);
problem_is($closed, 403, 'what httpd closes', slug => 'forbidden', instance => '/v1/metrics');
is(allowed($closed), $app, '... which the page may read');
like($closed->header('access-control-expose-headers'), qr/\bX-Request-Id\b/, '... with its headers');
is(scalar(() = $closed->header('vary') =~ /\bOrigin\b/g), 1, '... kept apart from those of others, said once');
is(allowed($site->get('/v1/metrics', headers => { Origin => 'https://evil.example' })), 'none', '... and no other page');
my $other = $site->get('/v1/companies?limit=1', headers => { Origin => 'https://evil.example' });
is($other->status . ' ' . allowed($other), '200 none', 'a page of another origin is shown nothing by its browser');
like($other->header('vary'), qr/\bOrigin\b/, '... and its response is no other\'s');
like($site->get('/v1/companies?limit=1')->header('vary'), qr/\bOrigin\b/, '... nor that of a program');

# --- configuration --------------------------------------------------------------------------------

my $any = site(config => "DisclosedCORS *\n");
is(allowed($any->get('/v1/coverage', headers => { Origin => 'https://anybody.example' })), 'https://anybody.example', '*: any origin');
my $none = site();
my $plain = $none->get('/v1/coverage', headers => { Origin => $app });
is(allowed($plain), 'none', 'off as installed');
unlike($plain->header('vary'), qr/Origin/, '... then Origin makes no difference');

finish();

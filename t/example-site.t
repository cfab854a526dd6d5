# conf/example-site.conf as a site: TLS and HTTP/2, both compressions with the ETags that they leave, preflights, MCP and what describes
# it, the documentation under its policy, the access log. Names, files and ports are those of the suite; all else is as shipped.
#
# runs docs/admin.md: ^ServerLimit x

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::Test;

my $modules = build('MODULES_DIR');
my @names   = qw(authz_host ssl http2 headers setenvif filter deflate brotli alias dir mime reqtimeout);
my ($missing) = grep { !-e "$modules/mod_$_.so" } @names;
plan(skip_all => "this httpd has no mod_$missing") if $missing;
plan(skip_all => 'curl and openssl are not both installed') if grep { (run('sh', '-c', "command -v $_"))[0] != 0 } qw(curl openssl);

my $site = site(start => 0);
$site->configure;
run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=api.example.com', '-keyout', "$site->{root}/conf/site.key", '-out', "$site->{root}/conf/site.pem");
my $docs = build('BUILDDIR') . '/docs/html';
my $text = slurp(build('SRCDIR') . '/conf/example-site.conf');
my $conninfo = $site->conninfo('disclosed_api');
for my $change (
    [qr{<VirtualHost \*:80>.*?</VirtualHost>\n}s, ''], [qr{<VirtualHost \*:443>}, "<VirtualHost *:$site->{port}>"],
    [qr{"host=/run/postgresql [^"]*"}, "\"$conninfo\""], [qr{/etc/apache2/disclosed\.secret}, "$site->{root}/conf/secret"],
    [qr{/etc/ssl/certs/ssl-cert-snakeoil}, "$site->{root}/conf/site"], [qr{/etc/ssl/private/ssl-cert-snakeoil}, "$site->{root}/conf/site"],
    [qr{/var/www/html}, "$site->{root}/htdocs"], [qr{\$\{APACHE_LOG_DIR\}}, "$site->{root}/logs"], [qr{/usr/share/doc/libapache2-mod-disclosed/html}, $docs],
    )
{
    my ($from, $to) = @$change;
    ok($text =~ s/$from/$to/g, "there is $from");
}
$site->{module_config} = '';
$site->{config} = join('', map { "<IfModule !${_}_module>\nLoadModule ${_}_module $modules/mod_$_.so\n</IfModule>\n" } @names) . "TypesConfig /etc/mime.types\n$text";
$site->{log}->permit('AH01873'); # no cache of TLS sessions: that is a matter of the whole server
$site->{log}->permit('AH01882'); # mod_ssl and OpenSSL of different updates of the system: not of ours
$site->start(watched => 0);

# A request by curl: status, HTTP's version, headers, body as it came. Options: curl's.
sub ask
{
    my ($target, @options) = @_;
    my $headers = "$site->{root}/headers";
    my ($code, $body, $err) = run('curl', '-sS', '-D', $headers, '--cacert', "$site->{root}/conf/site.pem", '--resolve', "api.example.com:$site->{port}:127.0.0.1",
        @options, "https://api.example.com:$site->{port}$target");
    return { error => $err } if $code != 0;
    # Behind a redirect there are several: the last one counts.
    my ($version, $status) = slurp($headers) =~ m{.*^HTTP/(\S+) (\d+)}ms;
    return { status => $status, version => $version, body => $body, map { /^([^:]+): (.*?)\r?\z/ ? (lc $1 => $2) : () } split /\n/, slurp($headers) };
}

my @key = ('-H', "Authorization: Bearer $site->{keys}{enterprise}");
my $first = wait_until(20, sub { my $got = ask('/v1/coverage', @key); ($got->{status} // 0) == 200 && $got->{etag} ? $got : undef });
ok($first, 'the API is served') or diag explain ask('/v1/coverage', @key);
is($first->{version}, 2, '... by HTTP/2');
ok($first->{'strict-transport-security'}, '... and by TLS alone');
is(ask('/v1/coverage')->{status}, 401, '... to keys alone');

# --- connections ------------------------------------------------------------------------------------

my $background = wait_until(20, sub {
    my $names = $site->{cluster}->value('postgres', "SELECT string_agg(application_name, ', ' ORDER BY application_name) FROM pg_stat_activity WHERE datname = '$site->{database}' AND application_name LIKE 'mod_disclosed %'");
    $names eq 'mod_disclosed counts, mod_disclosed delivery worker, mod_disclosed watcher' ? 3 : undef;
});
ok($background, 'the background process has three connections');
my %sizes = $text =~ /^ *(ServerLimit|DisclosedDatabasePool) +(\d+)$/gm;
my $processes = $sizes{ServerLimit} * $sizes{DisclosedDatabasePool};
like($text, qr/ServerLimit \($sizes{ServerLimit}\) x DisclosedDatabasePool \($sizes{DisclosedDatabasePool}\) \+ $background = @{[ $processes + $background ]} connections/, '... which its sum has');
my $guides = Disclosed::Guides->new;
is($guides->text(qr/^ServerLimit/), "ServerLimit x DisclosedDatabasePool + $background for the background process", '... as that of the guide');
$guides->all_ran;

# --- compression ------------------------------------------------------------------------------------

my $list = '/v1/insider?limit=200';
my $plain = ask($list, @key);
for my $type ('application/json', 'text/csv', 'application/x-ndjson') {
    my %got = map { ($_ => ask($list, @key, '-H', "Accept: $type", '-H', "Accept-Encoding: $_")) } 'gzip', 'br, gzip', 'identity';
    is(join(' ', map { $got{$_}{'content-encoding'} // 'plain' } 'gzip', 'br, gzip', 'identity'), 'gzip br plain', "$type: gzip to those that take it alone, brotli to others");
    cmp_ok(length $got{gzip}{body}, '<', length($got{identity}{body}) / 3, '... and it is small: ' . join ' ', map { length $got{$_}{body} } sort keys %got);
    is($got{gzip}{etag}, $got{identity}{etag}, '... under one ETag');
    is(ask($list, @key, '-H', "Accept: $type", '-H', 'Accept-Encoding: gzip', '-H', "If-None-Match: $got{gzip}{etag}")->{status}, 304, '... that matches again');
}

# --- other origins, MCP, documentation ----------------------------------------------------------------

my $preflight = ask('/v1/companies', '-X', 'OPTIONS', '-H', 'Origin: https://app.example.com', '-H', 'Access-Control-Request-Method: GET');
is("$preflight->{status} $preflight->{'access-control-allow-origin'}", '204 https://app.example.com', 'a preflight');
is(ask('/v1/companies?limit=1', @key, '-H', 'Origin: https://evil.example')->{'access-control-allow-origin'}, undef, '... and none of others');
# curl 7.88 takes an HTTP/2 stream for broken where the response comes before it has sent the body.
my $mcp = ask('/mcp', '--http1.1', '-d', '{}', '-H', 'Content-Type: application/json');
is("$mcp->{status} $mcp->{'www-authenticate'}", '401 Bearer resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"', 'MCP without a key');
like(ask("/.well-known/oauth-protected-resource$_")->{body}, qr{"resource":"https://api\.example\.com/mcp"}, "its description$_") for '', '/mcp';
is(ask('/llms.txt')->{status}, 200, 'llms.txt');
is(ask('/health')->{status}, 200, 'health');
is(ask('/metrics')->{status}, 200, 'metrics, from this machine');
SKIP: {
    skip 'cmark-gfm is not installed: nothing is rendered', 4 if !-e "$docs/index.html";
    my $problem = ask('/v1/companies/NOBODY', @key);
    my ($page) = $problem->{body} =~ m{"type":"https://api\.example\.com(/docs/errors/not-found)"};
    ok($page, 'a problem names its page') or diag $problem->{body};
    my $got = ask($page // '/', '-L');
    is($got->{status}, 200, '... which is there');
    my $reference = ask('/docs/reference.html');
    is($reference->{status}, 200, 'the reference');
    is($reference->{'content-security-policy'}, "default-src 'self'", '... under its policy');
}

# --- the access log ------------------------------------------------------------------------------------

my ($line) = grep { /"list_insider"/ } split /\n/, slurp("$site->{root}/logs/disclosed-access.log");
my $json = Disclosed::JSON->new->utf8->decode($line // '{}');
is($json->{status}, 200, 'the access log is JSON');
unlike(slurp("$site->{root}/logs/disclosed-access.log"), qr/\Q$site->{keys}{enterprise}\E/, '... without keys');

finish();

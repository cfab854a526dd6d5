# Behind a proxy: with mod_remoteip the client's address counts, not the proxy's; of an IPv6 address its /64. Behind one that ends TLS the
# API's own addresses are those that clients see.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Process qw(run);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);

my $library = build('MODULES_DIR') . '/mod_remoteip.so';
plan skip_all => 'this httpd has no mod_remoteip' if !-e $library;
my $site = site(limits => "DisclosedAddressLimit 1/d 3\n", config => <<"END");
LoadModule remoteip_module $library
RemoteIPHeader X-Forwarded-For
RemoteIPInternalProxy 127.0.0.1
END

# Statuses of requests without a key that the proxy passes on for these clients.
sub asked { return join ' ', map { $site->get('/v1/companies', key => undef, headers => { 'X-Forwarded-For' => $_ })->status } @_ }

is(asked(('198.51.100.7') x 4), '401 401 401 429', 'a client has three attempts');
is(asked('198.51.100.8'), '401', '... another one has its own');
is(asked('203.0.113.9, 198.51.100.7'), '429', 'what a client writes into the header is not believed');
is(asked('2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::abcd'), '401 401 401 429', 'addresses of one /64 are one client');
is(asked('2001:db8:1:3::1'), '401', '... those of the next are another');
my $refused = $site->get('/v1/companies', key => undef, headers => { 'X-Forwarded-For' => '2001:db8:1:2::5' });
is($refused->header('x-ratelimit-remaining'), 0, 'the headers tell of the client\'s limit');
is($site->get('/v1/companies', key => undef)->status, 401, 'the proxy itself has spent nothing');

# A key's networks are compared with the client, too.
my $key = make_key('live');
$site->execute(insert_key_sql($key, 'enterprise') . "; UPDATE disclosed.api_key SET addresses = '{192.0.2.0/24}' WHERE key_id = '" . substr($key, 8, 8) . "'");
is($site->get('/v1/companies?limit=1', key => $key, headers => { 'X-Forwarded-For' => '192.0.2.77' })->status, 200, 'a key used from its network');
is($site->get('/v1/companies?limit=1', key => $key, headers => { 'X-Forwarded-For' => '192.0.3.77' })->status, 401, '... and from elsewhere');

# --- a front that ends TLS -----------------------------------------------------------------------

my $remote_address = "RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 127.0.0.1\n";
my $directory = workspace() . '/' . fresh('front');
my $port = Disclosed::Site::free_port();
my $public = "https://127.0.0.1:$port";
my @source = ('--interface', '127.0.0.31');

# Asks the front as a client would: its status, headers and body.
sub through
{
    my ($target, @options) = @_;
    my ($code, $out, $err) = run({}, 'curl', '-sS', '-i', '--max-time', 30, '--cacert', "$directory/receiver.pem", @source, @options, "$public$target");
    diag $err if $code != 0;
    my ($head, $body) = split /\r\n\r\n/, $out, 2;
    return (($head =~ m{^HTTP/\S+ (\d+)})[0], { map { /^([^:]+):\s*(.*)/ ? (lc $1 => $2) : () } split /\r\n/, $head }, $body);
}

SKIP: {
    my $missing = join ' ', grep { !-e build('MODULES_DIR') . "/mod_$_.so" } qw(ssl proxy_http);
    skip "this httpd has no $missing", 15 if $missing;
    mkdir $directory or die "$directory: $!";
    Disclosed::Receiver->start($directory)->stop; # its certificate serves the front as well
    my $modules = build('MODULES_DIR');
    my $load = join '', map { "LoadModule ${_}_module $modules/mod_$_.so\n" } qw(ssl proxy proxy_http remoteip);
    my $behind = site(start => 0, base_url => $public, limits => "DisclosedAddressLimit 1/d 3\nDisclosedPlan builder rate=1000000/s burst=100000 day=unlimited\n");
    $behind->{port} = Disclosed::Site::free_port();
    $behind->{config} = <<"END";
$load$remote_address<Location /mcp>
SetHandler disclosed-mcp
</Location>
LogLevel ssl:error
Listen 127.0.0.1:$port
<VirtualHost 127.0.0.1:$port>
DisclosedEngine Off
SSLEngine On
SSLCertificateFile $directory/receiver.pem
SSLCertificateKeyFile $directory/receiver.key
ProxyPass / http://127.0.0.1:$behind->{port}/ nocanon
</VirtualHost>
END
    $behind->start;
    my @key = ('-H', "Authorization: Bearer $behind->{keys}{builder}");
    my ($status, $headers, $body) = through('/v1/companies?limit=2', @key);
    is($status, 200, 'through TLS: an answer');
    is($body, $behind->get('/v1/companies?limit=2', key => 'builder')->body, '... that is the one behind it');
    like($headers->{etag}, qr{^W/"}, '... with its tag');
    is((through('/v1/companies?limit=2', @key, '-H', "If-None-Match: $headers->{etag}"))[0], 304, '... which is good for a 304');
    ($status, $headers, $body) = through('/v1/companies?limit=2', @key, '-H', 'Accept: text/csv');
    like($headers->{link}, qr{<\Q$public\E/v1/companies\?[^>]*>; rel="next"}, 'the address of the next page is the front\'s');
    is((through(($headers->{link} =~ m{<\Q$public\E([^>]*)>})[0], @key))[0], 200, '... and can be followed');
    ($status, $headers) = through('/mcp', '-X', 'POST', '-H', 'Content-Type: application/json', '-d', '{}');
    is($status, 401, 'MCP without a key');
    like($headers->{'www-authenticate'}, qr{resource_metadata="\Q$public\E/}, '... says where to read on, at the front');
    is((through('/v1/search', @key, '-H', 'Content-Type: application/json', '-d', '{"query":"revenue","limit":1}'))[0], 200, 'a body goes through');
    is((through('/v1/search', @key, '-H', 'Content-Type: application/json', '-d', '{"query":"' . 'x' x 70_000 . '"}'))[0], 413, '... one that is too long is refused');
    is((through('/v1/insider?limit=0', @key))[0], 422, 'a 422');
    is(join(' ', map { (through('/v1/companies'))[0] } 1 .. 3), '401 401 429', 'a client without a key has its limit, of which MCP took one');
    is((through('/v1/companies', '-H', 'X-Forwarded-For: 198.51.100.9'))[0], 429, '... also when it claims to be another');
    @source = ('--interface', '127.0.0.32');
    is((through('/v1/companies'))[0], 401, '... its neighbour has its own');
    is((through('/v1/companies?limit=1', @key))[0], 200, '... and keys are served');
}

finish();

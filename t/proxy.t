# Behind a proxy: with mod_remoteip the client's address counts, not the proxy's; of an IPv6 address its /64.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Key qw(make_key insert_key_sql);

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

finish();

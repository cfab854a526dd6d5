# Addresses: on a socket for IPv4 and IPv6 everybody has a bucket of their own, and those of many addresses leave others alone.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Attack qw(unknown_keys pipelined);
use IO::Socket::IP;

plan skip_all => 'NO ADDRESSES OF IPv6 ARE TRIED: this system has none' if !IO::Socket::IP->new(LocalHost => '::1', Listen => 1);

my $plans = join "", map { "DisclosedPlan $_ rate=1000000/s burst=100000 day=unlimited\n" } qw(enterprise builder);
my $port = Disclosed::Site::free_port();
my $site = site(limits => "DisclosedAddressLimit 1/d 5\n$plans", config => "Listen [::]:$port\n");
my $both = { %$site, port => $port };
my $path = '/v1/companies?limit=1';

# Statuses of requests without a good key from there.
sub asked { my ($from, $to, $count) = @_; return join ' ', pipelined($both, $path, [unknown_keys($count)], from => $from, to => $to) }

is(asked('127.0.0.21', '127.0.0.1', 7), '401 401 401 401 401 429 429', 'a client of IPv4 has its limit');
is(asked('127.0.0.22', '127.0.0.1', 6), '401 401 401 401 401 429', '... its neighbour has another');
is(asked('::1', '::1', 6), '401 401 401 401 401 429', '... and so has one of IPv6');
my $direct = { %$site };
is(join(' ', pipelined($direct, $path, [unknown_keys(1)], from => '127.0.0.21')), '429', 'on the socket of IPv4 it is the same client');
is((pipelined($both, $path, [$site->{keys}{builder}], from => '127.0.0.21'))[0], 200, 'a key that was made, and never used, does not wait for its address');
is((pipelined($both, $path, [$site->{keys}{builder}], from => '127.0.0.21'))[0], 200, '... nor does one that is known');

# A key that may be used from one network of IPv4 may be from there, whatever the socket.
my $own = $site->own_key('enterprise');
$site->execute("UPDATE disclosed.api_key SET addresses = '{127.0.0.24/32}' WHERE key_id = '" . substr($own, 8, 8) . "'");
is((pipelined($both, $path, [$own], from => '127.0.0.24'))[0], 200, 'a network of IPv4 holds on a socket for both');
is((pipelined($both, $path, [$own], from => '127.0.0.25'))[0], 401, '... for others as well');

finish();

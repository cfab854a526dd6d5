# The cache of responses: what comes from it is what the database would have said, byte for byte, and never older than its tag.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Described qw(configured_headers);
use Disclosed::Freshness qw(watch_freshness load_number plain_body);
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(database);
use POSIX ();
use Socket qw(AF_INET SOCK_STREAM SOL_SOCKET SO_RCVBUF INADDR_LOOPBACK pack_sockaddr_in);
use Time::HiRes qw(sleep time);

my $modules = build('MODULES_DIR');
plan(skip_all => 'httpd has no mod_socache_shmcb') if !-e "$modules/mod_socache_shmcb.so";
my @filters = grep { -e "$modules/mod_$_.so" } qw(filter deflate brotli headers substitute);
my %has = map { ($_ => 1) } @filters;

my $site = site(start => 0);
$site->{log}->permit('DSC0061'); # its virtual hosts are meant to be taken
my $other = database('demo');
my ($second, $scoped) = (make_key('live'), make_key('live'));
$site->execute(insert_key_sql($second, 'enterprise') . insert_key_sql($scoped, 'enterprise')
    . "UPDATE disclosed.api_key SET scopes = '{get_company}' WHERE key_id = '" . substr($scoped, 8, 8) . "';");
$site->{cluster}->execute($other, insert_key_sql($site->{keys}{enterprise}, 'enterprise')
    . "UPDATE disclosed.executive SET role = 'Of another database';");

my $compress = join '', map { "LoadModule ${_}_module $modules/mod_$_.so\n" } @filters;
$compress .= "<IfModule brotli_module>\nAddOutputFilterByType BROTLI_COMPRESS application/json\nBrotliAlterETag NoChange\n</IfModule>\n"
    . "<IfModule deflate_module>\nAddOutputFilterByType DEFLATE application/json\nDeflateAlterETag NoChange\n</IfModule>\n";
my %hosts = (
    off      => 'DisclosedCache Off',
    small    => 'DisclosedCacheMaxBody 1',
    brief    => 'DisclosedCacheTime 1',
    other    => 'DisclosedDatabase "' . $site->{cluster}->conninfo($other, 'disclosed_api') . '"',
    switched => 'DisclosedEndpoint list_* Off',
    base     => 'DisclosedBaseURL https://base.example',
    dated    => "DisclosedDeprecation list_* 2027-01-01 2027-06-30",
    costly   => "DisclosedCredits list_* 1\nDisclosedPlan enterprise rate=1000000/s burst=100000 day=unlimited credits=3",
    suffix   => "<IfModule deflate_module>\nDeflateAlterETag AddSuffix\n</IfModule>\n<IfModule brotli_module>\nBrotliAlterETag AddSuffix\n</IfModule>",
    replica  => 'DisclosedReadDatabase "' . $site->conninfo('disclosed_api') . '"',
    changed  => $has{substitute} ? "AddOutputFilterByType SUBSTITUTE application/json\nSubstitute s/Zemruz/Changed/n" : '',
    plain    => $has{headers} ? "SetEnvIf User-Agent Old no-gzip no-brotli\nHeader set X-Agent %{HTTP_USER_AGENT}e" : '',
);
configured_headers('x-agent');
$hosts{plain} = '' if !-e "$modules/mod_setenvif.so";
$compress .= "LoadModule setenvif_module $modules/mod_setenvif.so\n" if $hosts{plain};
$hosts{"$_-off"} = "$hosts{$_}\nDisclosedCache Off" for qw(base dated suffix changed plain);
$site->{config} = "SendBufferSize 8192\n" . $compress . metrics_location()
    . join '', map { "<VirtualHost *>\nServerName $_.test\n" . ($hosts{$_} // '') . "\n</VirtualHost>\n" } 'on', sort keys %hosts;
$site->start;

# What the cache has counted since the last look: "hit", "compressed_hit", "miss", "stored", "too_large", "failed".
my %counted;
sub counts
{
    my %now = $site->get('/metrics', key => undef)->body =~ /^disclosed_cache_\w+\{result="(\w+)"\} (\d+)/gm;
    my @more = map { my $more = $now{$_} - ($counted{$_} // 0); $more ? "$_ $more" : () } sort keys %now;
    %counted = %now;
    return join ', ', @more;
}

# Options: host, encoding, headers; the rest as get() takes them.
sub ask
{
    my ($target, %option) = @_;
    my %headers = (Host => (delete $option{host} // 'on') . '.test', %{ delete $option{headers} // {} });
    my $encoding = delete $option{encoding};
    $headers{'Accept-Encoding'} = $encoding if defined $encoding;
    return $site->request(delete $option{method} // 'GET', $target, headers => \%headers, %option);
}

# All of a response that is not of the moment. Whether a length is told is left to httpd's filters.
sub told
{
    my ($response) = @_;
    my %headers = $response->{headers}->%*;
    delete @headers{qw(date x-request-id content-length transfer-encoding), grep { /ratelimit/ } keys %headers};
    return { status => $response->status, headers => \%headers, body => $response->body };
}

my @encodings = ('', $has{deflate} ? 'gzip' : (), $has{brotli} ? 'br' : ());
my $people = '/v1/companies/ZEMRUZ/executives';
my $page = '/v1/insider?limit=20';
counts();

# --- the same as without -----------------------------------------------------------------------

for my $target ($people, $page, '/v1/companies/ZEMRUZ', '/v1/coverage/ZEMRUZ', '/v1/insider?limit=20&as_of=2024-01-01', '/v1/filings?limit=3&forms=10-K&direction=asc') {
    for my $encoding (@encodings) {
        my $name = "$target, " . ($encoding || 'plain');
        my $without = ask($target, host => 'off', encoding => $encoding);
        is(counts(), '', "$name: off, nothing is counted");
        my $miss = ask($target, encoding => $encoding);
        like(counts(), $encoding ? qr/^(?:hit 1|miss 1), stored 1\z/ : qr/^miss 1, stored 1\z/, '... then kept');
        my $hit = ask($target, encoding => $encoding);
        is(counts(), $encoding ? 'compressed_hit 1' : 'hit 1', '... then there');
        is($hit->header('content-encoding') // '', $encoding, '... in that encoding');
        is_deeply(told($miss), told($without), '... the same when it is kept');
        is_deeply(told($hit), told($without), '... and when it comes from the cache');
        isnt($hit->header('x-request-id'), $miss->header('x-request-id'), '... with an id of its own');
    }
}
my $plain = ask($page)->body;
is(plain_body(ask($page, encoding => 'gzip')), $plain, 'unpacked it is the plain body') if $has{deflate};
counts();

# Conditional requests, HEAD, other methods.
my $etag = ask($page)->header('etag');
counts();
for my $encoding (@encodings) {
    is_deeply(told(ask($page, encoding => $encoding, headers => { 'If-None-Match' => $_ })), told(ask($page, host => 'off', encoding => $encoding, headers => { 'If-None-Match' => $_ })),
        "If-None-Match $_, " . ($encoding || 'plain')) for $etag, '*', '"other"';
    is_deeply(told(ask($page, method => 'HEAD', encoding => $encoding)), told(ask($page, host => 'off', method => 'HEAD', encoding => $encoding)), '... and HEAD');
}
counts();
is(ask('/v1/companies?limit=2', method => 'HEAD')->status, 200, 'a HEAD');
is(counts(), 'miss 1', '... is not kept');
ask($_), is(counts() =~ s/miss 1//r, '', "not kept: $_") for '/v1/companies/NOBODY', '/v1/companies?limit=0', '/v1/openapi.json', '/v1/nothing', '/v1/webhooks',
    '/v1/events/calendar?limit=1', '/v1/insider?cursor=x';
is(ask('/v1/insider?limit=20', key => undef)->status, 401, 'not without a key');
is(counts(), '', '... and nothing was looked for');

# Ranges of what is kept, as of what is not.
is_deeply(told(ask($page, headers => { Range => 'bytes=5-20' })), told(ask($page, host => 'off', headers => { Range => 'bytes=5-20' })), 'a range');
is(ask($page, headers => { Range => 'bytes=5-20' })->status, 206, '... of a GET');
my $head = ask($page, method => 'HEAD', headers => { Range => 'bytes=5-20' });
is($head->status, 200, '... and not of a HEAD');
is($head->header('content-range'), undef, '... which has no part');
counts();

# --- how clients say what they take --------------------------------------------------------------

SKIP: {
    skip 'no mod_deflate', 9 if !$has{deflate};
    ask($people, encoding => 'gzip');
    counts();
    ask($people, encoding => $_), is(counts(), 'compressed_hit 1', "the same: $_") for 'gzip, deflate, zstd', 'identity,gzip', ' gzip ';
    is_deeply(told(ask($people, encoding => $_)), told(ask($people, host => 'off', encoding => $_)), "as without: $_")
        for 'gzip;q=0', 'GZIP', 'identity', '"gzip"', 'x-gzip', 'gzip;q=0.5, br;q=0', '*';
    my @suffixed = map { ask($people, host => 'suffix', encoding => 'gzip') } 1, 2;
    like($suffixed[0]->header('etag'), qr/-gzip"\z/, 'where mod_deflate changes tags');
    is_deeply(told($_), told(ask($people, host => 'suffix-off', encoding => 'gzip')), '... they are changed from the cache as well') for @suffixed;
    counts();
    ask($people, host => 'suffix', encoding => 'gzip');
    is(counts(), 'compressed_hit 1', '... which they came from');
}
SKIP: {
    skip 'no mod_substitute', 4 if !$has{substitute};
    counts();
    my ($changed) = map { ask('/v1/companies/ZEMRUZ', host => 'changed', encoding => 'gzip') } 1, 2;
    like(plain_body($changed), qr/Changed/, 'a filter that changes bodies');
    is_deeply(told($changed), told(ask('/v1/companies/ZEMRUZ', host => 'changed-off', encoding => 'gzip')), '... does so from the cache as well');
    is(counts(), 'hit 2', '... and what it makes of them is not kept');
    unlike(ask('/v1/companies/ZEMRUZ')->body, qr/Changed/, '... for nobody');
}
SKIP: {
    skip 'no mod_headers, mod_setenvif', 4 if !$hosts{plain} || !$has{deflate};
    for my $agent ('New', 'Old', 'New', 'Old') {
        my %option = (encoding => 'gzip', headers => { 'User-Agent' => $agent });
        is_deeply(told(ask($people, host => 'plain', %option)), told(ask($people, host => 'plain-off', %option)), "as without: agent $agent");
    }
}

# --- whose it is ---------------------------------------------------------------------------------

counts();
ask($page);
is(ask($page, key => $second)->body, $plain, 'two keys of a plan share');
is(counts(), 'hit 2', '... what is kept');
my $free = ask('/v1/insider?limit=40', key => 'free');
my $all = ask('/v1/insider?limit=40');
is(counts(), 'miss 2, stored 2', 'plans with other page caps do not');
is(scalar $free->json->{data}->@*, 25, '... and each gets its own');
is(scalar $all->json->{data}->@*, 40, '... and each gets its own');
is(scalar ask('/v1/insider?limit=40', key => 'free')->json->{data}->@*, 25, '... again');
status_is(ask($people, key => $scoped), 403, 'a key without the scope gets nothing from the cache');
status_is(ask($people, host => 'switched'), 404, 'nor is there anything where the endpoint is off');
isnt(ask($people, host => 'other')->body, ask($people)->body, 'another database has other responses');
like(ask($people, host => 'other')->body, qr/Of another database/, '... which are its own');
unlike(ask($people)->body, qr/Of another database/, '... alone');
for my $host (qw(base dated)) {
    ask($page, host => $host);
    is_deeply(told(ask($page, host => $host)), told(ask($page, host => "$host-off")), "headers are each server's own: $host");
}
like(ask("$page&unknown=1")->header('link'), qr/unknown=1/, 'the link to the next page has the parameters of the request');

# --- what it costs -------------------------------------------------------------------------------

counts();
is(join(' ', map { ask($page, host => 'costly')->status } 1 .. 4), '200 200 200 402', 'a response from the cache costs credits as any');
like(counts(), qr/^hit 4/, '... and came from there');
my ($first, $then) = map { ask($page)->header('x-ratelimit-remaining') } 1, 2;
cmp_ok($then, '<=', $first, 'and counts against limits');

# --- bounds --------------------------------------------------------------------------------------

counts();
is(ask($page, host => 'small')->body, $plain, 'a body above the bound');
is(counts(), 'miss 1, too_large 1', '... is not kept');
my $large = '/v1/insider?limit=21';
ask($large, host => 'small') for 1, 2;
is(counts(), 'miss 2, too_large 2', '... by a server with the bound');
ask('/v1/companies/ZEMRUZ?as_of=2024-02-02', host => 'brief');
sleep 2.1;
ask('/v1/companies/ZEMRUZ?as_of=2024-02-02', host => 'brief');
is(counts(), 'miss 2, stored 2', 'a response is kept for its time alone');
ask('/v1/companies?limit=7', host => 'replica') for 1, 2;
is(counts(), '', 'nothing is kept of what replicas say');
like($site->{log}->unread, qr/DSC0035: responses are not cached: DisclosedReadDatabase/, '... which the log says');

# --- slow clients --------------------------------------------------------------------------------

# A client that does not read yet, while the threads serve others: what waits for it is its own.
my $long = '/v1/insider?limit=60'; # below 64 KB: more is waited for by the thread itself
my $whole = ask($long)->body;
cmp_ok(length $whole, '>', 40_000, 'a long body');
ask($long);
counts();
socket my $slow, AF_INET, SOCK_STREAM, 0 or die "socket: $!";
setsockopt $slow, SOL_SOCKET, SO_RCVBUF, 4096 or die "setsockopt: $!";
connect $slow, pack_sockaddr_in($site->{port}, INADDR_LOOPBACK) or die "connect: $!";
syswrite $slow, "GET $long HTTP/1.1\r\nHost: on.test\r\nConnection: close\r\nAuthorization: Bearer $site->{keys}{enterprise}\r\n\r\n";
sleep 0.3;
ask("/v1/insider?limit=140&direction=asc") for 1 .. 60;
my $came = '';
while (sysread $slow, $came, 65536, length $came) { }
is($came =~ s/.*?\r\n\r\n//sr, $whole, 'a client that reads late gets what it asked for');
like(counts(), qr/^hit 60\b/, '... from the cache');

# --- loads ---------------------------------------------------------------------------------------

# A load is committed while a response is being read from the state before it: it goes under the tag of that state.
$site->execute('ALTER TABLE disclosed.executive RENAME TO executive_rows; CREATE VIEW disclosed.executive AS SELECT e.* FROM disclosed.executive_rows e,'
    . ' (SELECT 1 WHERE pg_sleep(1.5) IS NOT NULL OFFSET 0) slow; GRANT SELECT ON disclosed.executive TO disclosed_api; ' . load_number(1, 'executive_rows'));
sleep 1;
my $before = ask('/v1/companies?limit=1')->header('etag');
my $reader = fork() // die "fork: $!";
if ($reader == 0) {
    ask($people);
    POSIX::_exit(0);
}
sleep 0.6;
$site->execute(load_number(2, 'executive_rows'));
waitpid $reader, 0;
like(ask($people)->body, qr/Load 2/, 'what was read before a load is not served after it');
like(ask($people)->body, qr/Load 2/, '... nor later');
$site->execute('DROP VIEW disclosed.executive; ALTER TABLE disclosed.executive_rows RENAME TO executive');

# Bursts of loads, and pauses longer than versions may be old.
my $sum = watch_freshness($site, clients => 2, bound => 2, rest => 2.5, seconds => [map { my $burst = $_; map { 3.4 * $burst + $_ / 5 } 0 .. 4 } 0 .. 1]);
is_deeply($sum->{faults}, [], "$sum->{requests} responses under $sum->{loads} loads are of the database");
cmp_ok($sum->{requests}, '>', 20, '... enough of them');
my ($hits) = counts() =~ /\bhit (\d+)/;
cmp_ok($hits // 0, '>', 5, '... many from the cache');
diag(sprintf '%d of %d responses lacked a load that was committed when they were asked for, by up to %.0f ms', $sum->{behind}, $sum->{requests}, 1000 * $sum->{lag});

# --- restarts ------------------------------------------------------------------------------------

my ($code, $output) = $site->httpd('-k', 'graceful');
is($code, 0, 'a graceful restart') or diag $output;
ok(wait_until(15, sub { counts(); ask($page); counts() eq 'hit 1' }), '... after which responses are kept again');
is(ask($page)->body, $plain, '... the same');

# --- configurations ------------------------------------------------------------------------------

sub refused
{
    my ($line, $pattern, $name) = @_;
    local $site->{config} = "$line\n";
    $site->configure;
    my ($code, $output) = $site->httpd('-t');
    isnt($code, 0, "$name: refused");
    like($output, $pattern, '... and why');
}

$site->stop;
refused('DisclosedCache nothing', qr/DisclosedCache: there is no cache provider "nothing" \(there are: .*shmcb.*\); is mod_socache_nothing loaded/, 'an unknown provider');
refused('DisclosedCache shmcb:name(12)', qr/DisclosedCache: .*size/, 'arguments that the provider does not take');
refused('DisclosedCacheMaxBody 0', qr/DisclosedCacheMaxBody: "0" is not a number of kilobytes from 1 to 65536/, 'no size');
refused('DisclosedCacheTime 0', qr/DisclosedCacheTime: "0" is not a number of seconds from 1 to 86400/, 'no time');

# The provider is not loaded, and nobody asked for it by name.
{
    no warnings 'redefine';
    my $lines = \&Disclosed::Site::load_lines;
    local *Disclosed::Site::load_lines = sub { $lines->() =~ s/<IfModule !socache.*?<\/IfModule>\n//sr };
    $site->{config} = metrics_location();
    $site->start;
    like($site->{log}->unread, qr/DSC0035: responses are not cached: there is no cache provider "shmcb" \(there are: none\)/, 'without mod_socache_shmcb httpd starts, and says what is lacking');
    %counted = ();
    counts();
    ask($page) for 1, 2;
    is(counts(), '', '... and nothing is kept');
    $site->stop;
    refused('DisclosedCache shmcb', qr/DisclosedCache: there is no cache provider "shmcb" \(there are: none\)/, '... unless it is named');
}

finish();

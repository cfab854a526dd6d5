# Bodies that come slowly, never, or in odd pieces: whoever has no key waits for nothing, and no thread waits for what nobody needs.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Attack qw(whole connection slow_senders times_of);
use Disclosed::Build qw(build);
use Disclosed::Client qw(exchange);
use Disclosed::Memory qw(patience);
use IO::Select;
use Time::HiRes qw(sleep time);

my $modules = build('MODULES_DIR');
my $threads = 4;
my $site = site(threads => $threads, processes => 1, config => <<"END");
LoadModule reqtimeout_module $modules/mod_reqtimeout.so
RequestReadTimeout header=5-10,MinRate=1000 body=5,MinRate=4000
LimitRequestBody 65536
<Location /health>
SetHandler disclosed-health
</Location>
<Location /mcp>
SetHandler disclosed-mcp
</Location>
END
my $host = "Host: localhost\r\n";
my $key = "Authorization: Bearer $site->{keys}{enterprise}\r\n";
my $json = "Content-Type: application/json\r\n";

# --- more slow bodies than there are threads ------------------------------------------------------

sub served { return scalar grep { $site->get('/v1/companies?limit=1')->status == 200 } 1 .. 5 }

my $attackers = whole(100, 40);
for my $case (
    ['POST without a key', "POST /v1/search HTTP/1.1\r\n$host${json}Content-Length: 60000\r\n\r\n"],
    ['POST without a key, in chunks', "POST /v1/search HTTP/1.1\r\n$host${json}Transfer-Encoding: chunked\r\n\r\nea60\r\n"],
    ['POST without a key to MCP', "POST /mcp HTTP/1.1\r\n$host${json}Content-Length: 60000\r\n\r\n"],
    ['GET with a key', "GET /v1/companies?limit=1 HTTP/1.1\r\n$host${key}Content-Length: 60000\r\n\r\n"],
    ['GET with a key, in chunks', "GET /v1/companies?limit=1 HTTP/1.1\r\n$host${key}Transfer-Encoding: chunked\r\n\r\nea60\r\n"],
    ['POST to no endpoint, with a key', "POST /v1/nothing HTTP/1.1\r\n$host${key}Content-Length: 60000\r\n\r\n"],
    ['GET of the health', "GET /health HTTP/1.1\r\n${host}Content-Length: 60000\r\n\r\n"],
    ['GET with a chunk size that never ends', "GET /v1/companies?limit=1 HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1;", rest => 'y'],
    )
{
    my ($what, $beginning, %option) = @$case;
    my @quiet = times_of(5, sub { $site->get('/v1/companies?limit=1') });
    my $pid = slow_senders($site, $attackers, $beginning, %option);
    sleep 0.5;
    my $served = 0;
    my @busy = times_of(5, sub { $served += $site->get('/v1/companies?limit=1')->status == 200 });
    kill 'KILL', $pid;
    waitpid $pid, 0;
    is($served, 5, sprintf "%d times %s: others are served, at the median in %.0f ms (%.0f before)", $attackers, $what, 1000 * $busy[2], 1000 * $quiet[2]);
    cmp_ok($busy[2], '<', $quiet[2] + 0.5 * patience(), '... as quickly as before');
}

# --- what each is told, at once -------------------------------------------------------------------

# The response to what is sent while the rest stays out, the connection open; and whether the server ends it.
sub told
{
    my ($bytes, %option) = @_;
    my $began = time;
    my $response = $site->raw($bytes, %option);
    return ($response, time - $began);
}

for my $case (
    [401, 'no key', "POST /v1/search HTTP/1.1\r\n$host${json}Content-Length: 60000\r\n\r\n{"],
    [401, 'no key, and a length beyond all', "POST /v1/search HTTP/1.1\r\n$host${json}Content-Length: 6000000000\r\n\r\n{"],
    [401, 'no key, chunks', "POST /v1/search HTTP/1.1\r\n$host${json}Transfer-Encoding: chunked\r\n\r\n"],
    [401, 'no key, Expect', "POST /v1/search HTTP/1.1\r\n$host${json}Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n"],
    [413, 'a length over the limit', "POST /v1/search HTTP/1.1\r\n$host$key${json}Content-Length: 65537\r\n\r\n{"],
    [413, 'a length over the limit, Expect', "POST /v1/search HTTP/1.1\r\n$host$key${json}Expect: 100-continue\r\nContent-Length: 65537\r\n\r\n"],
    [413, 'a length over the limit to MCP', "POST /mcp HTTP/1.1\r\n$host$key${json}Content-Length: 65537\r\n\r\n{"],
    [200, 'a body that is not needed', "GET /v1/companies?limit=1 HTTP/1.1\r\n$host${key}Content-Length: 60000\r\n\r\nx"],
    [200, 'a body that is not needed, Expect', "GET /v1/companies?limit=1 HTTP/1.1\r\n$host${key}Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n"],
    [404, 'a body for nothing', "POST /v1/nothing HTTP/1.1\r\n$host${key}Content-Length: 60000\r\n\r\nx"],
    [405, 'a body for another method', "DELETE /v1/search HTTP/1.1\r\n$host${key}Content-Length: 60000\r\n\r\nx"],
    [204, 'a preflight with a body', "OPTIONS /v1/search HTTP/1.1\r\n$host${key}Content-Length: 60000\r\n\r\nx"],
    [400, 'a chunk size of nonsense', "GET /v1/companies HTTP/1.1\r\n$host${key}Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    [413, 'a chunk over all', "POST /v1/search HTTP/1.1\r\n$host$key${json}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n"],
    )
{
    my ($status, $what, $bytes) = @$case;
    my ($response, $seconds) = told($bytes, linger => 4);
    is($response->status, $status, "$what: $status") or diag $response->describe;
    is($response->header('connection'), 'close', '... with which the connection ends');
    isnt($response->header('x-ratelimit-limit'), undef, '... and the limits');
    unlike($response->{raw} // '', qr/ 100 /, '... and no 100 Continue') if $what =~ /Expect/;
}

# --- bodies that are there already cost no connection ---------------------------------------------

for my $body ("Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "Content-Length: 60000\r\n\r\n" . 'x' x 60000) {
    my $request = "GET /v1/companies?limit=1 HTTP/1.1\r\n$host$key";
    my $answer = exchange($site->{port}, "$request$body" . "${request}Connection: close\r\n\r\n");
    my @statuses = $answer->{bytes} =~ m{HTTP/1\.1 (\d{3}) }g;
    is("@statuses", '200 200', 'what follows ' . length($body) . ' bytes of a body that nobody needs is read');
}

# --- a body with a key is waited for, but not for ever --------------------------------------------

my ($late, $seconds) = told("POST /v1/search HTTP/1.1\r\n$host$key${json}Content-Length: 20\r\n\r\n{\"query\"");
is($late->status, 408, 'a body that stops is a 408');
cmp_ok($seconds, '<', 15 * patience(), '... in time');
my $socket = connection($site);
syswrite $socket, "POST /v1/search HTTP/1.1\r\n$host$key${json}Expect: 100-continue\r\nContent-Length: 17\r\nConnection: close\r\n\r\n";
IO::Select->new($socket)->can_read(5 * patience());
sysread $socket, my $continue, 4096;
like($continue, qr{^HTTP/1\.1 100 Continue}, 'who is to send its body is told so');
syswrite $socket, '{"query":"sales"}';
my $rest = do { local $/; <$socket> };
like($rest, qr{^HTTP/1\.1 200 }, '... and served');

# --- a hundred slow headers, and a hundred slow bodies --------------------------------------------

# As many threads as the shipped configuration has, in proportion.
my $roomy = site(threads => 64, processes => 3, database => $site->{database}, config => <<"END");
LoadModule reqtimeout_module $modules/mod_reqtimeout.so
RequestReadTimeout header=5-10,MinRate=1000 body=5,MinRate=4000
END
my $get = sub { $roomy->get('/v1/companies?limit=1')->status == 200 or fail('a request is served') };
my @quiet = times_of(20, $get);
my $opened = time;
my $slow = connection($roomy);
syswrite $slow, "GET /v1/comp";
my @pids = (slow_senders($roomy, 100, 'GET /v1/comp', rest => 'a', pause => 0.4),
    slow_senders($roomy, 100, "POST /v1/search HTTP/1.1\r\n$host${json}Content-Length: 60000\r\n\r\n"));
sleep 1;
my @busy = times_of(whole(200, 30), $get);
kill 'KILL', @pids;
waitpid $_, 0 for @pids;
my @ms = map { sprintf '%.0f', 1000 * $_ } @quiet[$#quiet / 2, 0.95 * $#quiet], @busy[$#busy / 2, 0.95 * $#busy];
cmp_ok($busy[0.95 * $#busy], '<', $quiet[0.95 * $#quiet] + 0.3 * patience(),
    "100 slow headers and 100 slow bodies: others are served in $ms[2] ms at the median, $ms[3] ms at p95; without them $ms[0] and $ms[1]");
IO::Select->new($slow)->can_read(20 * patience());
sysread $slow, my $end, 4096;
cmp_ok(time - $opened, '<', 12 * patience(), 'slow headers are cut off');
like($end // '', qr{^(?:HTTP/1\.1 408 .*)?\z}s, '... with a 408 at most');

finish();

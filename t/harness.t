# The harness itself: each helper is shown a case that it must refuse, so that no suite can pass by
# a helper that never fails.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Key qw(make_key checksum);
use Disclosed::Log;
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(identity run slurp wait_until is_alive stop_process);
use Disclosed::Response;
use Disclosed::Described qw(look_at look_at_delivery take_faults);
use Disclosed::Schema qw(schema_faults structured_faults type_of);
use Disclosed::Shared qw(cluster fresh);
use Disclosed::JSON ();
use File::Temp ();
use IO::Compress::Gzip qw(gzip $GzipError);
use Time::HiRes qw(sleep time);

# Runs assertions in a process of their own; true when they made the suite fail.
sub fails
{
    my ($code) = @_;
    my ($status, $out) = run($^X, "-I$FindBin::Bin/lib", '-e',
        "use Disclosed::Test; use Disclosed::Response; $code; done_testing();");
    return $status != 0 && $out =~ /^not ok 1/m;
}

sub passes
{
    my ($code) = @_;
    my ($status, $out) = run($^X, "-I$FindBin::Bin/lib", '-e',
        "use Disclosed::Test; use Disclosed::Response; $code; done_testing();");
    return $status == 0 && $out =~ /^ok 1/m;
}

# Perl source of a response.
sub answer
{
    my ($bytes, $method) = @_;
    $bytes =~ s/([\\"\$\@])/\\$1/g;
    $bytes =~ s/\r/\\r/g;
    $bytes =~ s/\n/\\n/g;
    return sprintf 'Disclosed::Response->new("%s", {bytes => "%s"})', $method // 'GET', $bytes;
}

my $id      = "X-Request-Id: req_0123456789abcdef\r\n";
my $problem = '{"type":"https://docs.example.org/errors/not-found","title":"Not found","status":404,'
    . '"detail":"There is no such resource.","request_id":"req_0123456789abcdef","instance":"/v1/x"}';
my $type = "Content-Type: application/problem+json\r\n";
my $good = "HTTP/1.1 404 Not Found\r\n$id$type\r\n$problem";
my $is   = ', 404, "name", instance => "/v1/x")';
ok(passes('problem_is(' . answer($good) . $is), 'problem_is takes a good problem');
for my $case (
    ['another status', $good =~ s/404 Not/400 Bad/r],
    ['another detail', $good =~ s/no such/none/r],
    ['another instance', $good =~ s{/v1/x}{/v1/y}r],
    ['no request id', $good =~ s/X-Request-Id: .*\r\n//r],
    ['another request id in the body', $good =~ s/req_0123456789abcdef",/req_1123456789abcdef",/r],
    ['a plain content type', $good =~ s/problem\+json/json/r],
    ['a space in the body', $good =~ s/","title/", "title/r],
    ['a short body', $good =~ s/(\r\n\r\n)/\r\nContent-Length: 5000$1/r],
    )
{
    ok(fails('problem_is(' . answer($case->[1]) . $is), "problem_is refuses $case->[0]");
}
my $unauthorized = $good =~ s/404 Not Found/401 Unauthorized/r;
ok(fails('problem_is(' . answer($unauthorized) . ', 401, "name", instance => "/v1/x")'),
    'problem_is refuses a 401 without WWW-Authenticate');

my $faults = "HTTP/1.1 422 x\r\nContent-Type: application/json\r\n\r\n"
    . '{"detail":[{"type":"t","loc":["query","a"],"msg":"m","input":"i","ctx":{"ge":1}}]}';
my $fault = '[fault("t", ["query", "a"], "m", "i", q({"ge":1}))]';
ok(passes('faults_is(' . answer($faults) . ", $fault, 1)"), 'faults_is takes a good 422');
ok(fails('faults_is(' . answer($faults =~ s/"ge":1/"ge":1.0/r) . ", $fault, 1)"), 'and refuses another ctx');
ok(fails('faults_is(' . answer($faults =~ s/422/400/r) . ", $fault, 1)"), 'another status');
ok(fails('faults_is(' . answer($faults) . ', [], 1)'), 'and a fault too many');

my $ok = "HTTP/1.1 200 OK\r\n${id}Content-Type: application/json\r\n\r\n{\"a\":1}";
ok(passes('json_of(' . answer($ok) . ', 1)'), 'json_of takes a 200');
ok(fails('json_of(' . answer($ok =~ s/200/500/r) . ', 1)'), 'and refuses a 500');
ok(fails('json_of(' . answer($ok =~ s/:1\}/:1/r) . ', 1)'), 'and what is not JSON');
ok(fails('status_is(' . answer($ok) . ', 404, 1)'), 'status_is refuses another status');
ok(fails('status_is(' . answer($ok =~ s/X-Request.*?\r\n//r) . ', 200, 1)'), 'and no request id');
ok(fails('same_json({a => [1, 2]}, {a => [2, 1]}, 1)'), 'same_json sees the order of a list');
ok(fails('same_json({a => 1}, {a => "1"}, 1)'), 'and a string for a number');
ok(fails('is(1, 2); finish()'), 'a failed assertion fails the suite');

# --- responses -------------------------------------------------------------------------------

my $parse = sub { Disclosed::Response->new($_[1] // 'GET', { bytes => $_[0] }) };
my $head  = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
is($parse->("${head}3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n")->body, 'abcd', 'chunks are put together');
ok($parse->("${head}3\r\nabc\r\n")->error,                              'a cut chunked body is seen');
ok($parse->("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")->error,  'a short body is seen');
ok($parse->("HTTP/1.1 304 x\r\n\r\nabc")->error,                        'a body of a 304 is seen');
ok($parse->("HTTP/1.1 200 OK\r\n\r\nabc", 'HEAD')->error,               'a body after HEAD is seen');
ok($parse->("nonsense\r\n\r\n")->error,                                 'nonsense is seen');
is($parse->('')->status, 0, 'no answer has no status');

# --- the error log ---------------------------------------------------------------------------

sub log_of
{
    my ($text, %announced) = @_;
    my $file = File::Temp->new;
    print $file $text;
    $file->flush;
    my $log = Disclosed::Log->new($file->filename);
    $log->expect($announced{expect}->@*) if $announced{expect};
    $log->permit($announced{permit}->@*) if $announced{permit};
    return scalar(my @faults = $log->check);
}

my $line = sub { "[Sat Nov 21 07:46:05 2026] [disclosed:$_[0]] [pid 1:tid 1] $_[1]\n" };
my $error = $line->('error', 'DSC0003: syntax error');
is(log_of($line->('notice', 'AH00489: up')),  0, 'notices pass');
is(log_of($line->($_, 'AH00001: trouble')),    1, "$_ does not") for qw(warn error crit alert emerg);
is(log_of($error),                             1, 'an error that was not announced fails');
is(log_of($error, expect => ['DSC0003']),      0, 'one that was announced passes');
is(log_of($error, expect => ['DSC0004']),      2, 'one announced by another number fails twice');
is(log_of('', expect => ['DSC0003']),          1, 'what was announced has to come');
is(log_of($error, permit => ['DSC0003']),      0, 'what is permitted may come');
is(log_of('', permit => ['DSC0003']),          0, '... or not');
is(log_of($line->('info', 'DSC0003: no error'), permit => ['DSC0003']), 1, 'what needs no permission has none');
is(log_of($line->('notice', 'AH00052: child pid 5 exit signal Segmentation fault (11)')), 1,
    'a crash is seen though httpd notes it as a notice');
is(log_of("query.c:5:1: runtime error: signed integer overflow\n"), 1, "a sanitizer's line is seen");

# --- the schema checker ----------------------------------------------------------------------

my $root = { defs => { N => { type => 'object', properties => { a => { type => ['integer', 'null'] } }, required => ['a'] } } };
my $true = JSON::PP::true;
for my $case (
    [{ type => 'integer' }, 5, 5.5], [{ type => 'number' }, 5.5, '5.5'], [{ type => 'string' }, 'x', 5],
    [{ type => 'boolean' }, $true, 1], [{ type => ['string', 'null'] }, undef, 1],
    [{ type => 'array', items => { type => 'integer' } }, [1, 2], [1, 'x']],
    [{ '$ref' => '#/defs/N' }, { a => 1 }, {}], [{ '$ref' => '#/defs/N' }, { a => undef }, { a => 'x' }],
    [{ '$ref' => '#/defs/N' }, { a => 1 }, { a => 1, b => 2 }],
    [{ '$ref' => '#/defs/N' }, { a => 1 }, []],
    [{ enum => ['x', 'y'] }, 'y', 'z'], [{ format => 'date' }, '2024-02-28', '2024-2-28'],
    [{ format => 'date-time' }, '2024-02-28T01:02:03Z', '2024-02-28 01:02:03'],
    [{ anyOf => [{ type => 'null' }, { type => 'integer' }] }, undef, 'x'],
    [{ minimum => 1 }, 1, 0], [{ maximum => 1 }, 1, 2], [{ minLength => 1 }, 'a', ''],
    [{ maxLength => 1 }, 'a', 'ab'], [{ pattern => '^a' }, 'ab', 'b'],
    )
{
    my ($schema, $fits, $does_not) = @$case;
    my ($keyword) = sort keys %$schema;
    ok(!schema_faults($fits, $schema, $root),    "$keyword takes what fits");
    ok(schema_faults($does_not, $schema, $root), "$keyword refuses what does not");
}
ok(schema_faults(1, { multipleOf => 2 }, $root), 'an unknown keyword is refused');
ok(schema_faults(1, { '$ref' => '#/defs/M' }, $root), 'a reference to nothing is refused');
ok(schema_faults(1, { format => 'colour' }, $root) == 0, 'a format is for strings');
ok(schema_faults('red', { format => 'colour' }, $root), 'an unknown format is refused');
is(type_of('5'), 'string', 'text that looks like a number is text');

# Responses against the documents, in each form that a list has: whole, without a member, with one too many, cut.
my $listing = Disclosed::JSON->new->utf8->decode((run(build('CTL'), 'openapi'))[1])->{paths}{'/v1/filings'}{get}{responses}{200}{content};
my $as_json = Disclosed::JSON->new->utf8->canonical;
my ($filing) = $listing->{'application/json'}{example}{data}->@*;
my $page = { next_cursor => undef, has_more => JSON::PP::false };

my %always = (
    'X-Request-Id' => 'req_0123456789abcdef', 'X-RateLimit-Limit' => 10, 'X-RateLimit-Remaining' => 9, 'X-RateLimit-Reset' => 1700000000, 'RateLimit-Policy' => '"burst";q=10;w=1',
    RateLimit => '"burst";r=9;t=1', 'Cache-Control' => 'private, no-cache', Vary => 'Accept',
);

sub told_of
{
    my ($target, $type, $body, $encoding, %header) = @_;
    my $plain = $body;
    gzip(\$plain => \$body) or die $GzipError if $encoding;
    %header = (%always, %header, 'Content-Type' => $type, $encoding ? ('Content-Encoding' => $encoding) : ());
    my $head = join '', map { defined $header{$_} ? "$_: $header{$_}\r\n" : () } sort keys %header;
    look_at('GET', $target, Disclosed::Response->new('GET', { bytes => "HTTP/1.1 200 OK\r\n$head\r\n$body" }));
    return join '; ', take_faults();
}

my %lacking = %$filing;
delete $lacking{accession};
my %short = map { ($_ => $filing->{$_}) } qw(accession form);
my ($json_type, $lines_type, $csv_type) = ('application/json', 'application/x-ndjson', 'text/csv');
my $list = sub { return $as_json->encode({ data => [@_], pagination => $page }) };
my $lines = sub { return join '', map { $as_json->encode($_) . "\n" } @_ };
for my $encoding (undef, 'gzip') {
    my $how = $encoding // 'plain';
    is(told_of('/v1/filings', $json_type, $list->($filing), $encoding), '', "$how JSON that fits");
    like(told_of('/v1/filings', $json_type, $list->(\%lacking), $encoding), qr/accession is missing/, '... without a member');
    like(told_of('/v1/filings', $json_type, $list->({ %$filing, more => 1 }), $encoding), qr/more: not in the schema/, '... with one too many');
    like(told_of('/v1/filings', $json_type, substr($list->($filing), 1), $encoding), qr/no JSON/, '... cut');
    is(told_of('/v1/filings', $lines_type, $lines->($filing, $filing), $encoding), '', "$how lines that fit");
    like(told_of('/v1/filings', $lines_type, $lines->($filing, \%lacking), $encoding), qr/line 2: .*accession is missing/, '... without a member');
    like(told_of('/v1/filings', $lines_type, substr($lines->($filing), 0, -1), $encoding), qr/last line does not end/, '... cut');
    is(told_of('/v1/filings', $csv_type, $listing->{$csv_type}{example}, $encoding), '', "$how CSV that fits");
    like(told_of('/v1/filings', $csv_type, $listing->{$csv_type}{example} =~ s/accession,//r, $encoding), qr/columns are id,/, '... without a column');
}
my $some = '/v1/filings?limit=1&fields=accession,form';
is(told_of($some, $json_type, $list->(\%short)), '', 'fields that were asked for');
is(told_of($some, $lines_type, $lines->(\%short)), '', '... in lines');
like(told_of($some, $json_type, $list->($filing)), qr/it has the members/, '... and others');
like(told_of($some, $json_type, $list->({ accession => $filing->{accession} })), qr/it has the members accession, not accession,form/, '... and one that is missing');
like(told_of($some, $json_type, $list->({ %short, form => 8 })), qr/form: is a integer, not string/, '... and of another type');
like(told_of($some, $lines_type, $lines->({ %short, form => 8 })), qr/form: is a integer, not string/, '... in lines');
like(told_of('/v1/filings?fields=accession', 'text/html', 'x'), qr/is of the type/, 'a type that is not described');
is(told_of('/v1/no-such-thing', $json_type, '{}'), 'GET /v1/no-such-thing: status 200 of an operation that is not described', 'a path that is not described');
is(told_of('/api/disclosed/v1/filings', $json_type, '[]'), 'GET /api/disclosed/v1/filings: status 200 of an operation that is not described', '... or only with more behind it');
is(told_of($_, $json_type, $list->($filing)), '', "$_ is one that is") for '/v1/%66ilings', '/v1//filings', '/v1/./x/../filings?limit=1';
look_at('POST', '/v1/filings', Disclosed::Response->new('POST', { bytes => "HTTP/1.1 201 Created\r\n${id}Content-Length: 0\r\n\r\n" }));
is(join('; ', take_faults()), 'POST /v1/filings: status 201 of an operation that is not described', '... or of another method');
look_at('GET', '/v1/no-such-thing', Disclosed::Response->new('GET', { bytes => "HTTP/1.1 404 Not Found\r\n${id}Content-Length: 0\r\n\r\n" }));
is(join('; ', take_faults()), '', '... which is rightly a 404');
like(told_of('/v1/filings', $json_type, $list->($filing), undef, 'X-Request-Id' => undef), qr/it lacks the header x-request-id/, 'a success that nobody has numbered');
my @good = ('/v1/filings', $json_type, $list->($filing), undef);
is(told_of(@good, ETag => 'W/"x"', Link => '<https://x/>; rel="next"', Deprecation => '@1'), '', 'headers that are described, or configured');
is(told_of(@good, RateLimit => undef), 'GET /v1/filings: status 200: it lacks the header ratelimit', 'one that is missing');
is(told_of(@good, Location => '/'), 'GET /v1/filings: status 200: its header location is not described', 'one of another response');
is(told_of('/v1/coverage', $json_type, '{}', undef, Link => '<https://x/>; rel="next"') =~ s/;.*//r, 'GET /v1/coverage: status 200: its header link is not described', 'a page behind what has no pages');

# Deliveries of webhooks, and what tools of MCP have.
sub told_of_delivery
{
    my ($value, %header) = @_;
    look_at_delivery({ target => '/ok', body => $as_json->encode($value), headers => { 'webhook-id' => 'msg_1', 'webhook-timestamp' => 1700000000, 'webhook-signature' => 'v1,x', %header } });
    return join '; ', take_faults();
}

my %delivery = (type => 'filing.created', timestamp => '2026-11-20T21:00:00Z', data => { %$filing, symbol => 'X:US', url => 'https://x.example/v1/filings/x' });
is(told_of_delivery(\%delivery), '', 'a delivery that fits');
like(told_of_delivery({ %delivery, data => $filing }), qr{^delivery /ok: filing\.created: \$\.data: symbol is missing}, '... without a member');
like(told_of_delivery({ %delivery, more => 1 }), qr/more: not in the schema/, '... with one too many');
is(told_of_delivery({ %delivery, type => 'filing.removed' }), 'delivery /ok: no topic filing.removed is described', '... of another topic');
is(told_of_delivery(\%delivery, 'webhook-signature' => undef), 'delivery /ok: it lacks the header webhook-signature', '... that is not signed');
is(told_of_delivery({ type => 'webhook.test', data => 'x' }), '', '... that is a test');
my @listed = ({ name => 'one', outputSchema => { type => 'object', anyOf => [{ type => 'object', required => ['id'], properties => { id => { type => 'integer' } } }] } });
is(join('; ', structured_faults(\@listed, 'one', { id => 1 })), '', 'what a tool has fits');
like(join('; ', structured_faults(\@listed, 'one', { id => 'x' })), qr/id: is a string/, '... or not');
is(join('; ', structured_faults(\@listed, 'two', {})), 'no tool two is listed', '... of a tool that there is');

# --- processes, keys -------------------------------------------------------------------------

is((run('/bin/sh', '-c', 'exit 3'))[0], 3, 'run tells the exit code');
is((run('/bin/sh', '-c', 'kill -9 $$'))[0], 137, 'and a signal');
is((run('/no/such/program'))[0], 127, 'and that there is no such program');
is((run({ stdin => 'abc' }, 'cat'))[1], 'abc', 'and what was written');
ok(!wait_until(0.2, sub { 0 }), 'wait_until gives up');
ok(!is_alive(4194303), 'a process that does not exist is not alive');
my $stubborn = fork() // die;
if (!$stubborn) { $SIG{TERM} = 'IGNORE'; sleep 30; POSIX::_exit(0) }
select undef, undef, undef, 0.2;
ok(!stop_process($stubborn, 'TERM', 0.3), 'stop_process tells that it had to insist');
my $key = make_key('live');
isnt(checksum(substr $key, 8, 30), checksum(substr make_key('live'), 8, 30), 'checksums differ');
is(length $key, 44, 'a key has 44 characters');
ok(!eval { build('NONSENSE'); 1 }, 'an unknown build setting dies');
{
    local $ENV{DISCLOSED_CTL} = '/no/such/program';
    ok(!eval { build('CTL'); 1 }, 'a build setting that names no file dies');
}

# --- suites side by side ---------------------------------------------------------------------

# What several processes get at the same time, and keep for as long as all of them are there.
sub got_by_several
{
    my ($code) = @_;
    my $folder = File::Temp->newdir;
    my @pids = map {
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            open my $file, '>', "$folder/$$" or POSIX::_exit(1);
            print $file map { $code->() . "\n" } 1 .. 50;
            close $file;
            rename "$folder/$$", "$folder/$$.got" or POSIX::_exit(1);
            sleep 60;
            POSIX::_exit(0);
        }
        $pid;
    } 1 .. 8;
    my $is_done = wait_until(30, sub { (my @files = glob "$folder/*.got") == @pids });
    kill 'KILL', @pids;
    waitpid $_, 0 for @pids;
    return $is_done ? map { split /\n/, slurp($_) } glob "$folder/*.got" : ();
}

cluster();
for my $case (['names', sub { fresh('name') }], ['ports', \&Disclosed::Site::free_port]) {
    my ($what, $code) = @$case;
    my %seen = map { ($_ => 1) } my @got = got_by_several($code);
    is(@got . ' ' . keys %seen, '400 400', "$what of eight processes: each has its own");
}
my $short = fork() // die;
if (!$short) { sleep 30; POSIX::_exit(0) }
like(identity($short), qr/^$short-\d+\z/, 'a process is known by its id and its beginning');
isnt(identity($short), identity($$) =~ s/^\d+/$short/r, '... which another of that id does not have');
kill 'KILL', $short;
waitpid $short, 0;
is(identity($short), '', '... and not at all when it has ended');

# --- PostgreSQL and httpd --------------------------------------------------------------------

ok(!eval { cluster()->execute('postgres', 'SELECT nonsense'); 1 }, 'SQL that fails dies');
is(cluster()->value('postgres', 'SELECT 1 + 1'), '2', 'SQL that works does not');
my $site = site(template => 'empty', start => 0, config => "NoSuchDirective On\n");
ok(!eval { $site->start; 1 }, 'a site that cannot start dies');
like($@, qr/NoSuchDirective/, 'and says why');
$site->{config} = '';
$site->start;
kill 'KILL', $site->watcher_pid;
$site->wait_until_watched;
my $library = build('SANITIZERS');
SKIP: {
    skip 'no sanitizers in this build', 1 if !$library;
    open my $maps, '<', "/proc/$site->{pid}/maps" or die;
    ok((grep { /\Q$library\E/ } <$maps>), "httpd runs with $library");
}
$site->write('logs/memory.1', "ERROR: heap-buffer-overflow\n");
is(scalar(my @faults = $site->log_faults), 1, 'what a memory checker writes is seen');
is($site->get('/v1/companies', key => 'nobody')->status, 401, 'a key that does not exist is refused');
# SQL runs in sessions that are kept, and finds nothing of what ran before; one that has ended, or has failed, is replaced.
{
    my $pid = sub { my ($database) = @_; return cluster()->value($database // 'postgres', 'SELECT pg_backend_pid()') };
    my $first = $pid->();
    is($pid->(), $first, 'a session is kept for the next SQL');
    cluster()->execute('postgres', 'SET work_mem = 777; CREATE TEMPORARY TABLE left_over (); BEGIN; CREATE TABLE not_there ()');
    is(cluster()->value('postgres', q{SELECT concat_ws(' ', to_regclass('left_over'), to_regclass('public.not_there'), current_setting('work_mem') = '777kB', pg_backend_pid())}), "f $first",
        '... which finds no setting, table or transaction of it');
    cluster()->execute_apart('postgres', "SELECT pg_terminate_backend($first)");
    wait_until(10, sub { cluster()->execute_apart('postgres', "SELECT count(*) FROM pg_stat_activity WHERE pid = $first") =~ /^0/ });
    isnt(my $second = $pid->(), $first, '... another one when PostgreSQL has ended it');
    ok(!eval { cluster()->value('postgres', 'SELECT 1 / 0') }, 'SQL that fails dies');
    like($@, qr/division by zero.*in: .*SELECT 1 \/ 0/s, '... and says why');
    isnt($pid->(), $second, '... another session follows');
    my $long = cluster()->value('postgres', "SELECT repeat('x', 200000) || E'\\nend of '");
    is(length $long, 200008, 'what it prints may be long, and look like an end');
    my @names = map { fresh('kept') } 1 .. 9;
    cluster()->create_database($_) for @names;
    $pid->($_) for @names;
    my $kept = join ', ', map { "'$_'" } @names;
    cmp_ok(cluster()->value('postgres', "SELECT count(*) FROM pg_stat_activity WHERE datname IN ($kept)"), '<', 9, 'not all sessions are kept');
    cluster()->drop_database($_) for @names;
}

# --- what a suite leaves ------------------------------------------------------------------------

{
    my $at = "$FindBin::Bin/lib";
    my ($code, $out, $err) = run($^X, "-I$at", '-e', 'use Disclosed::Shared qw(database own_cluster); my $own = own_cluster(); print database("empty"), " $own->{directory}\n"');
    my ($name, $own) = $out =~ /^(\S+) (\S+)$/m or diag $err;
    is($code, 0, "a suite makes a database, $name, and a cluster of its own");
    is(cluster()->value('postgres', "SELECT count(*) FROM pg_database WHERE datname = '$name'"), 0, '... the database is gone when it has ended');
    ok(!Disclosed::Cluster->attach($own)->is_running, '... and the cluster stopped');
    ok(!-e "$own/data/PG_VERSION", '... and removed, where it was in memory') if -l "$own/data";
    ($code, $out) = run($^X, "-I$at", '-e', 'use Disclosed::Shared qw(database); print database("empty"), "\n"; exit 7');
    is($code >> 8 || $code, 7, 'one that fails keeps its exit code');
    is(cluster()->value('postgres', "SELECT count(*) FROM pg_database WHERE datname = '" . ($out =~ s/\s+\z//r) . "'"), 0, '... and leaves nothing either');
}

# --- what guides show -----------------------------------------------------------------------------

my @shown = Disclosed::Guides::items_of('README.md', <<'END');
Text with `psql -d postgres -f x.sql`, `psql` and `psql ...`.

    curl -s "$URL/v1/x"   # the company's
    {"a":...,"z":1}
    ask '{"open":
      1}'

    frobnicate --all

```json
{"query": 1}
```
END
same_json([map { [$_->{place}, $_->{text}, $_->{output}, $_->{is_command} // 0] } @shown], [
    ['README.md:3', q{curl -s "$URL/v1/x"   # the company's}, qq({"a":...,"z":1}\n), 1], ['README.md:5', qq(ask '{"open":\n  1}'), '', 1],
    ['README.md:8', 'frobnicate --all', '', 0], ['README.md:11', '{"query": 1}', '', 0], ['README.md:1', 'psql -d postgres -f x.sql', '', 1]], 'commands, their output, and what is neither');
my $pattern = Disclosed::Guides::output_pattern($shown[0]{output});
ok(qq({"a":[2],"z":1}) =~ /\A$pattern\z/ && qq({"a":[2],"z":2}) !~ /\A$pattern\z/ && qq({"a":[2],"z":1}x) !~ /\A$pattern\z/, 'output is compared to its end');
my $of_guides = 'use Disclosed::Guides; my $one = { place => 1, text => q(x), output => q(y) }; my $all = bless { mine => [$one] }, q(Disclosed::Guides);';
my $whole = sub { my (undef, $out) = run($^X, "-I$FindBin::Bin/lib", '-e', "use Disclosed::Test; $of_guides $_[0]; \$all->all_ran; done_testing();"); return $out =~ /^not ok/m ? 'fails' : 'passes' };
is($whole->(''), 'fails', 'a suite that does not run what it says fails');
is($whole->('$all->ran($one)'), 'fails', '... and so does one that does not compare');
is($whole->('$all->ran($one, q(z))'), 'fails', '... or finds something else');
is($whole->('$all->ran($one, q(y))'), 'passes', '... and another passes');

# --- a clock that stands still while the machine does ----------------------------------------

my ($began, $working) = (time, working_time());
sleep 0.5;
my ($passed, $worked) = (time - $began, working_time() - $working);
ok($worked <= $passed + 0.01, sprintf 'it is never ahead of the time: %.2f s of %.2f', $worked, $passed);
($began, $working) = (time, working_time());
kill 'STOP', Disclosed::Pace::meter();
sleep 1;
kill 'CONT', Disclosed::Pace::meter();
wait_until(10, sub { working_time() - $working < time - $began - 0.7 });
($passed, $worked) = (time - $began, working_time() - $working);
ok($worked < $passed - 0.7, sprintf '... and what could not run has no part in it: %.2f s of %.2f', $worked, $passed);

finish();

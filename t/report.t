# What an admin sees: metrics, health, the section of mod_status, the JSON access log, and the usage of keys.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(fresh);
use Disclosed::JSON ();

my $site = site(config => <<"END");
@{[ metrics_location() ]}
<IfModule !alias_module>
LoadModule alias_module @{[ build('MODULES_DIR') ]}/mod_alias.so
</IfModule>
<Location /v1/moved>
Redirect 302 https://elsewhere.example/
</Location>
<Location /health>
SetHandler disclosed-health
</Location>
@{[ status_location() ]}
<Location /llms.txt>
SetHandler disclosed-llms
</Location>
CustomLog logs/json_log "%^DJ"
END

my $key = make_key('live');
$site->execute(insert_key_sql($key, 'builder'));
my $key_id = substr $key, 8, 8;
my $etag = $site->get('/v1/companies?limit=1', key => $key)->header('etag');
$site->get('/v1/companies?limit=1', key => $key, headers => { 'If-None-Match' => $etag, traceparent => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
$site->get('/v1/companies?limit=0&q=%22%5C%0A' . "&key=$key", key => $key);
$site->get('/v1/nothing', key => $key);
$site->get('/v1/companies', key => undef);

# --- metrics ----------------------------------------------------------------------------------

# Counts are made when an answer has left: a moment later.
my $metrics;
ok(wait_until(5, sub { ($metrics = $site->get('/metrics', key => undef))->body =~ /status="401"/ }), 'metrics');
is($metrics->header('content-type'), 'text/plain; version=0.0.4; charset=utf-8', 'their type');
my %value = $metrics->body =~ /^(disclosed_\S+) (\S+)$/gm;
is($value{"disclosed_requests_total{endpoint=\"list_companies\",status=\"$_->[0]\"}"}, $_->[1], "list_companies: $_->[1] of $_->[0]")
    for [200, 1], [304, 1], [422, 1], [401, 1];
is($value{'disclosed_requests_total{endpoint="none",status="404"}'}, 1, 'paths that lead nowhere');
is($value{'disclosed_request_duration_seconds_count{endpoint="list_companies"}'}, 4, 'as many times');
is($value{'disclosed_request_duration_seconds_bucket{endpoint="list_companies",le="+Inf"}'}, 4, '... in the last bucket');
cmp_ok($value{'disclosed_request_duration_seconds_sum{endpoint="list_companies"}'}, '>', 0, '... that take time');
cmp_ok($value{'disclosed_limit_slots{kind="key"}'}, '>=', 1, 'slots of keys');
cmp_ok($value{'disclosed_database_seen_age_seconds{database="0"}'}, '<', 3, 'the database was seen');
cmp_ok($value{'disclosed_dataset_changed_timestamp_seconds{database="0",dataset="filing"}'}, '>', 1.7e9, 'a dataset was changed');
my @faults = grep { !/^(?:# (?:HELP|TYPE) disclosed_\w+ .+|disclosed_\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? -?[\d.]+(?:e[+-]\d+)?)$/ } split /\n/, $metrics->body;
is_deeply(\@faults, [], 'every line is of the format');
my %typed = map { ($_ => 1) } $metrics->body =~ /^# TYPE (\w+) /gm;
is_deeply([grep { !$typed{ s/\{.*//r } && !$typed{ s/\{.*//r =~ s/_(?:bucket|sum|count)\z//r } } keys %value], [], 'every figure has a type');

# --- health -----------------------------------------------------------------------------------

is($site->get('/health/live', key => undef)->body, qq({"live":true}\n), 'live');
is($site->get('/health', key => undef)->body, qq({"live":true,"ready":true}\n), 'ready');
my $posted = $site->request('POST', '/health', key => undef);
is($posted->status, 405, 'only GET');
like($posted->header('allow'), qr/^(?=.*\bGET\b)(?=.*\bHEAD\b)(?!.*\bPOST\b)/, '... which the response says');
my $moved = $site->get('/v1/moved', key => undef, described => 0);
is($moved->status, 302, 'what httpd sends elsewhere');
is($moved->header('location'), 'https://elsewhere.example/', '... where to');
is_deeply([$moved->header('content-type') =~ /problem/, $moved->body =~ /Internal error/], [], '... is no error') or diag $moved->describe;

# --- mod_status -------------------------------------------------------------------------------

SKIP: {
    skip 'mod_status is not installed', 4 if !status_location();
    my $auto = $site->get('/status?auto', key => undef)->body;
    like($auto, qr/^Disclosed$_: \d+$/m, "?auto: $_") for qw(ConnectionsOpen ConnectionsInUse StatementsPrepared LimitSlots LimitSlots.key Unauthorized RateLimited NotModified);
    like($auto, qr/^DisclosedNotModified: 1$/m, 'one 304');
    like($auto, qr/^DisclosedDataset0\.filing: \w{3}, \d\d \w{3} \d{4} [\d:]+ GMT$/m, 'datasets');
    my $page = $site->get('/status', key => undef)->body;
    like($page, qr{<h2>mod_disclosed</h2>\n<dl>\n<dt>database connections open: \d+</dt>}, 'the page');
    for (1 .. 3) { $site->get('/v1/companies?limit=1', key => $key) for 1 .. 10; sleep 4 }
    ok(wait_until(12, sub { $site->get('/status?auto', key => undef)->body =~ /^DisclosedTopKey\d+: $key_id [\d.]+\/s$/m }), 'busy keys are shown');
}

# --- the access log ---------------------------------------------------------------------------

open my $file, '<', "$site->{root}/logs/json_log" or die $!;
my @lines = map { Disclosed::JSON->new->utf8->decode($_) } <$file>;
my ($conditional) = grep { $_->{status} == 304 } @lines;
is($conditional->{$_->[0]}, $_->[1], "log: $_->[0]") for [endpoint => 'list_companies'], [key => $key_id], [method => 'GET'],
    [path => '/v1/companies'], [query => 'limit=1'], [traceparent => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'];
like($conditional->{request_id}, qr/^req_[0-9a-f]+$/, 'log: request_id');
like($conditional->{time}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, 'log: time');
my ($bad) = grep { $_->{status} == 422 } @lines;
is($bad->{query}, 'limit=0&q=%22%5C%0A&key=sk_live_' . '*' x (length($key) - 8), 'log: a key that was sent in the query is masked');

# Keys and secrets by mistake: anywhere in what a client sends, however it is encoded.
my @misplaced = (["/v1/companies/$key"], ["/v1/companies/$key/filings"], ['/v1/companies?q=' . $key =~ s/^s/%73/r], ['/v1/companies?q=' . $key =~ s/_/%5F/gr . '&limit=1'], ['/v1/companies?q=' . $key =~ s/_/%5f/r],
    ['/v1/companies?q=' . $key =~ s/_/%255F/gr], ['/v1/companies?q=' . $key =~ s/_/%252525255f/r =~ s/^s/%2573/r],
    ['/v1/companies', 'User-Agent' => "client/1 $key"], ['/v1/companies', traceparent => $key], ['/v1/companies?q=whsec_Abc%2FdefGH/' . substr($key, 10)], ['/v1/companies?q=' . substr($key, 0, 8)], ['/v1/companies?q=%73k_liv%']);
$site->get($_->[0], key => undef, headers => { $_->@[1 .. $#$_] }) for @misplaced;
ok(wait_until(8, sub { open my $log, '<', "$site->{root}/logs/json_log" or die $!; my @all = <$log>; @all == @lines + @misplaced }), 'misplaced keys: each request is logged');
open $file, '<', "$site->{root}/logs/json_log" or die $!;
my $logged = join '', (<$file>)[scalar(@lines) .. @lines + $#misplaced];
is(index($logged, substr $key, 10), -1, '... and no key') or diag $logged;
is(scalar(() = $logged =~ /\*{34}/g), 10, '... whose place is seen') or diag $logged;
like($logged, qr/"query":"q=sk_live_".*"query":"q=%73k_liv%"/s, '... others stay as they are');

# --- usage ------------------------------------------------------------------------------------

ok(wait_until(8, sub { $site->value("SELECT count(*) FROM disclosed.key_usage WHERE key_id = '$key_id'") >= 2 }), 'usage reaches the database');
my ($code, $out) = $site->control('usage', $key_id, '--json');
is($code, 0, 'disclosedctl usage');
my %used = map { ($_->{endpoint} => $_) } Disclosed::JSON->new->decode($out)->@*;
is($used{none}{requests}, 1, 'requests to nowhere');
cmp_ok($used{list_companies}{requests}, '>=', 3, 'and to companies');
is($used{list_companies}{refused}, 0, 'none refused');
($code, $out) = $site->control('key', 'list', '--json');
my ($listed) = grep { $_->{key_id} eq $key_id } Disclosed::JSON->new->decode($out)->@*;
like($listed->{last_used_at}, qr/^\d{4}-/, 'a key knows its last use');

# Counts that cannot be stored stay where they are and come again, once.
my $other = make_key('live');
my $other_id = substr $other, 8, 8;
$site->execute(insert_key_sql($other, 'builder'));
sub stored { return $site->value("SELECT coalesce(sum(requests), 0) FROM disclosed.key_usage WHERE key_id = '$other_id'") }
sub of_day { return $site->value("SELECT coalesce(sum(requests), 0) FROM disclosed.account_day JOIN disclosed.api_key USING (account_id) WHERE key_id = '$other_id'") }
my $of_day = of_day();
$site->execute('REVOKE EXECUTE ON FUNCTION disclosed.add_key_usage FROM disclosed_api');
is($site->get('/v1/companies?limit=1', key => $other)->status, 200, 'a request whose usage cannot be stored') for 1 .. 2;
ok(wait_until(10, sub { of_day() == $of_day + 2 }), '... counts for the day');
is(stored(), 0, '... and not for the key yet');
$site->execute('GRANT EXECUTE ON FUNCTION disclosed.add_key_usage TO disclosed_api');
ok(wait_until(10, sub { stored() == 2 }), '... and then it is');
$site->get('/v1/companies?limit=1', key => $other);
ok(wait_until(10, sub { of_day() == $of_day + 3 && stored() == 3 }), 'what is stored is not counted again');

# A response that comes by an internal redirect counts as any other, for its key as well.
my $redirected = make_key('live');
my $redirected_id = substr $redirected, 8, 8;
$site->execute(insert_key_sql($redirected, 'builder'));
my $responses = sub { my $all = 0; $all += $_ for $site->get('/metrics', key => undef)->body =~ /^disclosed_requests_total\{\S+\} (\d+)$/gm; return $all };
my $before = $responses->();
is($site->get($_, key => $redirected)->status, 200, $_) for '/llms.txt', '/v1/llms.txt';
my $of = sub { my ($sql) = @_; return $site->value("$sql JOIN disclosed.api_key k USING (" . ($sql =~ /usage/ ? 'key_id' : 'account_id') . ") WHERE k.key_id = '$redirected_id'") };
ok(wait_until(10, sub { $of->('SELECT coalesce(sum(requests), 0) FROM disclosed.key_usage') == 2 }), '... both are in the usage of the key') or diag $of->('SELECT sum(requests) FROM disclosed.key_usage');
is($responses->(), $before + 2, '... and in the metrics');

# Virtual hosts that share a pool, with another's between them, count it once.
{
    my $conninfo = $site->conninfo('disclosed_api');
    my $host = sub { my ($name, $more) = @_; return "<VirtualHost *>\nServerName $name.example\nDisclosedBaseURL http://$name.example\n$more</VirtualHost>\n" };
    my $several = Disclosed::Site->new(cluster => $site->{cluster}, database => $site->{database}, processes => 1,
        config => metrics_location() . $host->('first', '') . $host->('other', "DisclosedDatabase \"$conninfo keepalives_count=3\"\n") . $host->('last', ''));
    my $open = sub { return $several->get('/metrics', key => undef)->body =~ /^disclosed_database_connections\{state="open"\} (\d+)$/m ? $1 : 'none' };
    my $pooled = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mod_disclosed' AND datname = '$site->{database}'";
    $site->stop;
    ok(wait_until(10, sub { $several->get('/v1/companies?limit=1', headers => { Host => 'last.example' }); $open->() =~ /^[1-9]/ }), 'connections of several hosts');
    sleep 2;
    $several->get('/v1/companies?limit=1', headers => { Host => 'last.example' });
    ok(wait_until(10, sub { $open->() == $site->value($pooled) }), '... are as many as PostgreSQL has') or diag $open->(), ' ', $site->value($pooled);
    $several->stop;
    $site->start;
}

# --- an old schema ----------------------------------------------------------------------------

$site->execute('UPDATE public.disclosed_migration SET version = version - 10000');
$site->stop;
$site->start;
expect_log($site, 'DSC0023');
ok(wait_until(5, sub { $site->get('/health', key => undef)->body =~ /"ready":false,"reason":"the database lacks migrations/ }),
    'without its migrations the server is not ready, and says why') or diag $site->get('/health', key => undef)->body;
is($site->get('/health', key => undef)->status, 503, '... by its status, too');
is($site->get('/health/live', key => undef)->status, 200, '... but live');
$site->execute('UPDATE public.disclosed_migration SET version = version + 10000');
ok(wait_until(5, sub { $site->get('/health', key => undef)->status == 200 }), 'ready once they are there');
my $last = '(SELECT max(version) FROM public.disclosed_migration)';
$site->execute("UPDATE public.disclosed_migration SET name = name || '_of_others' WHERE version = $last");
$site->stop;
$site->start;
ok(wait_until(5, sub { $site->get('/health', key => undef)->status == 503 }), 'nor is it on a database that other migrations made');
$site->execute("UPDATE public.disclosed_migration SET name = replace(name, '_of_others', '') WHERE version = $last");
ok(wait_until(5, sub { $site->get('/health', key => undef)->status == 200 }), 'ready on one of its own');

# --- a database without tables, and roles that may not -----------------------------------------------

{
    my $bare = fresh('bare');
    $site->{cluster}->create_database($bare);
    my $host = sub { my ($name, $conninfo) = @_; return "<VirtualHost *>\nServerName $name\nDisclosedDatabase \"$conninfo\"\n</VirtualHost>\n" };
    my $faulty = Disclosed::Site->new(cluster => $site->{cluster}, database => $site->{database}, processes => 1, start => 0, config => "<Location /health>\nSetHandler disclosed-health\n</Location>\n"
        . "<VirtualHost *>\nServerName good\n</VirtualHost>\n" . $host->('bare', $site->{cluster}->conninfo($bare, 'disclosed_api')) . $host->('loader', $site->conninfo('disclosed_loader'))
        . $host->('stranger', $site->conninfo('disclosed_stranger'))
        . $host->('owner', $site->conninfo) . "<VirtualHost *>\nServerName reader\nDisclosedReadDatabase \"@{[ $site->conninfo ]}\"\n</VirtualHost>\n");
    $faulty->{log}->permit('DSC0061'); # its hosts are meant to be taken
    $faulty->start;
    expect_log($faulty, 'DSC0020', 'DSC0023', 'DSC0028');
    my $health = sub { return $faulty->get('/health', key => undef, headers => { Host => $_[0] }) };
    for my $case (['bare', 'the database lacks migrations: run disclosedctl migrate'], ['loader', 'the role of DisclosedDatabase may not read the database'], ['stranger', 'the database is not reachable']) {
        my ($name, $reason) = @$case;
        ok(wait_until(10, sub { $health->($name)->body eq qq({"live":true,"ready":false,"reason":"$reason"}\n) }), "$name: $reason") or diag $health->($name)->body;
        is($health->($name)->status, 503, '... by its status, too');
    }
    ok(wait_until(10, sub { $health->('good')->status == 200 }), 'the others notice nothing') or diag $health->('good')->body;
    my $log = slurp("$faulty->{root}/logs/error_log");
    is(() = $log =~ /DSC0023/g, 1, 'the lack of migrations is told once');
    like($log, qr/DSC0023: the database is at migration 0, /, '... as it is');
    unlike($log, qr/DSC0020\S* .*does not exist\\nLINE/, '... and not as a fault of a statement');
    like($log, qr/DSC0020: the background process cannot use the database: ERROR:  permission denied for (?:table|function) \S+, as disclosed_loader$/m, 'the role that may not is named');
    is_deeply([sort $log =~ /DSC0028: (\w+ names the role \w+), which may change what is served: it is for disclosed_api$/gm],
        [map { "$_->[0] names the role disclosed_$_->[1]" } ['DisclosedDatabase', 'loader'], ['DisclosedDatabase', 'owner'], ['DisclosedReadDatabase', 'owner']], 'roles that may change what is served are told, each once');
    is($health->($_)->status, 200, "... and $_ is served") for qw(owner reader);
    is((Disclosed::Shared::control($site->{cluster}->conninfo($bare), 'migrate'))[0], 0, 'it is migrated');
    ok(wait_until(20, sub { $health->('bare')->status == 200 }), '... and ready') or diag $health->('bare')->body;
    $site->{cluster}->execute($bare, 'REVOKE SELECT ON disclosed.dataset_stat FROM disclosed_api');
    ok(wait_until(20, sub { $health->('bare')->body =~ /may not read/ }), 'a right that is taken') or diag $health->('bare')->body;
    $site->{cluster}->execute($bare, 'GRANT SELECT ON disclosed.dataset_stat TO disclosed_api');
    ok(wait_until(20, sub { $health->('bare')->status == 200 }), '... and given back') or diag $health->('bare')->body;
    $faulty->stop;
}

finish();

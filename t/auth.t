# Keys: who is let in, who is not, and how soon a change holds in every process.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Key qw(make_key checksum insert_key_sql);
use Disclosed::Build qw(build);
use Disclosed::Process qw(run wait_until);
use Time::HiRes qw(sleep time);

my $site = site(processes => 3);
my $path = '/v1/companies?limit=1';
my $good = $site->{keys}{builder};

# --- 401 -------------------------------------------------------------------------------------

my ($body)  = $good =~ /^sk_live_(.{30})/;
my $typo    = $good =~ s/^(sk_live_.{12})(.)/$1 . ($2 eq 'x' ? 'y' : 'x')/er;
my $foreign = make_key('live');
my $mixed   = substr($body, 0, 8) . substr($foreign, 16, 22);
my $other_secret = 'sk_live_' . $mixed . checksum($mixed);
my %refused = (
    'no header'             => undef,
    'nothing after Bearer'  => 'Bearer',
    'a space after Bearer'  => 'Bearer ',
    'garbage'               => 'Bearer garbage',
    'another scheme'        => "Basic $good",
    'no scheme'             => $good,
    'a typo'                => "Bearer $typo",
    'a wrong checksum'      => 'Bearer ' . substr($good, 0, 38) . 'AAAAAA',
    'an unknown key'        => "Bearer $foreign",
    'a known id, but another secret' => "Bearer $other_secret",
    'a live key said to be a test key' => 'Bearer ' . $good =~ s/live/test/r,
    'a cut key'             => 'Bearer ' . substr($good, 0, 43),
    'a key with more behind' => "Bearer ${good}x",
    'two keys'              => "Bearer $good $good",
    'a very long key'       => 'Bearer sk_live_' . 'a' x 5000,
    'bytes beyond ASCII'    => "Bearer sk_live_\xff\xfe" . 'a' x 34,
    'an SQL string'         => "Bearer sk_live_' OR 1=1 --",
);
for my $what (sort keys %refused) {
    my %headers = defined $refused{$what} ? (Authorization => $refused{$what}) : ();
    problem_is($site->get($path, key => undef, headers => \%headers), 401, "refused: $what",
        instance => '/v1/companies');
}
problem_is($site->get("$path&key=$good&api_key=$good", key => undef), 401, 'a key in the query is none',
    instance => '/v1/companies');
for my $endpoint (qw(/v1/companies/NOBODY /v1/filings /v1/insider /v1/coverage /v1/src/x)) {
    problem_is($site->get($endpoint, key => undef), 401, "$endpoint needs a key", instance => $endpoint);
}
is($site->get('/v1/openapi.json', key => undef)->status, 200, 'the description is read without a key');
problem_is($site->get('/v1/openapi.json', key => undef, headers => { Authorization => 'Bearer sk_live_nobody' }), 401, '... but not with a bad one', instance => '/v1/openapi.json');
problem_is($site->get('/v1/companies?limit=x&as_of=y', key => undef), 401,
    'strangers learn nothing of parameters', instance => '/v1/companies');

# --- let in ----------------------------------------------------------------------------------

for my $plan (qw(enterprise builder starter free test)) {
    status_is($site->get($path, key => $plan), 200, "a key of $plan");
}
for my $scheme ('bearer', 'BEARER', 'BeArEr', 'Bearer  ') {
    status_is($site->get($path, key => undef, headers => { Authorization => "$scheme $good" }), 200,
        "scheme '$scheme'");
}
my $id = substr $good, 8, 8;
my $request_id = $site->get($path, key => $good)->header('x-request-id');
open my $log, '<', "$site->{root}/logs/access_log" or die;
my @noted = grep { /\Q$request_id\E/ } <$log>;
is_deeply(\@noted, ["200 $id list_companies $request_id GET /v1/companies\n"],
    'the access log has key id, endpoint and request id');
seek $log, 0, 0;
ok(!(grep { /\Q$good\E|\Q$body\E/ } <$log>), 'and never the key');
unlike($site->{log}->unread, qr/\Q$body\E/, 'nor has the error log');

# --- changes: in force in every process within two seconds -----------------------------------

# Statuses that many requests, spread over the processes, are answered with.
sub statuses
{
    my ($key) = @_;
    my %seen;
    $seen{ $site->get($path, key => $key)->status }++ for 1 .. 40;
    return join ',', sort keys %seen;
}

sub becomes
{
    my ($key, $status, $name) = @_;
    my $start = time;
    wait_until(2.0, sub { $site->get($path, key => $key)->status == $status });
    sleep 2.0 - (time - $start) if time - $start < 2.0;
    is(statuses($key), $status, $name);
}

is(statuses($good), 200, 'the key is in the cache of all processes');
$site->execute("UPDATE disclosed.api_key SET revoked_at = now() WHERE key_id = '$id'");
becomes($good, 401, 'revoked: refused everywhere within two seconds');
$site->execute("UPDATE disclosed.api_key SET revoked_at = NULL WHERE key_id = '$id'");
becomes($good, 200, 'given back: let in again');
# Its counted use refers to it, and goes with it here.
$site->execute("WITH used AS (DELETE FROM disclosed.key_usage WHERE key_id = '$id')"
        . " DELETE FROM disclosed.api_key WHERE key_id = '$id'");
becomes($good, 401, 'deleted: refused');

# Changes reach the caches through the process that watches the database. While it does not look, no cache is believed.
my $cached = make_key('live');
$site->execute(insert_key_sql($cached, 'builder'));
is(statuses($cached), 200, 'a key is in the caches');
my $watcher = $site->watcher_pid;
kill 'STOP', $watcher;
sleep 2;
$site->execute("UPDATE disclosed.api_key SET revoked_at = now() WHERE key_id = '" . substr($cached, 8, 8) . "'");
is(statuses($cached), 401, 'revoked while nobody watches: refused everywhere at once');
is(statuses('starter'), 200, '... and keys that are good are let in');
kill 'CONT', $watcher;
ok($site->wait_until_watched, '... it is watched again');

my %limited = map { ($_ => make_key('live')) } qw(past soon later);
$site->execute(insert_key_sql($limited{past},  'builder', expires_at => "now() - interval '1 second'")
        . insert_key_sql($limited{soon},  'builder', expires_at => "now() + interval '3 seconds'")
        . insert_key_sql($limited{later}, 'builder', expires_at => "now() + interval '1 day'"));
is($site->get($path, key => $limited{past})->status,  401, 'an expired key');
is(statuses($limited{soon}), 200, 'one that will expire is good');
is($site->get($path, key => $limited{later})->status, 200, 'so is one of tomorrow');
sleep 3.2;
is(statuses($limited{soon}), 401, 'until it has, in spite of the cache');

# A plan changes: the page cap with it.
my $plan = make_key('live');
$site->execute(insert_key_sql($plan, 'builder'));
is(scalar(json_of($site->get('/v1/insider?limit=40', key => $plan), 'builder')->{data}->@*), 40, '40 rows');
$site->execute("UPDATE disclosed.api_key SET plan = 'free' WHERE key_id = '" . substr($plan, 8, 8) . "'");
sleep 2;
is(scalar(json_of($site->get('/v1/insider?limit=40', key => $plan), 'free')->{data}->@*), 25, '25 rows');

# --- disclosedctl key ------------------------------------------------------------------------

sub ctl_json
{
    my (@arguments) = @_;
    my ($code, $out, $err) = $site->control('key', @arguments, '--json');
    is($code, 0, "key $arguments[0]") or diag $out, $err;
    return eval { Disclosed::JSON->new->utf8->decode($out) } // {};
}

my $created = ctl_json('create', '--plan', 'builder', '--kind', 'live', '--owner', 'somebody');
like($created->{key}, qr/^sk_live_[0-9A-Za-z]{36}\z/, 'a key is shown');
is(checksum(substr $created->{key}, 8, 30), substr($created->{key}, 38), 'its checksum is right');
is($site->get($path, key => $created->{key})->status, 200, 'it is let in at once');
my ($text) = ($site->control('key', 'list'))[1];
like($text, qr/\b\Q$created->{key_id}\E\b/, 'key list shows its id');
unlike($text, qr/\Q$created->{key}\E/, 'and not the key');
is($site->value("SELECT count(*) FROM api_key k WHERE k::text LIKE '%' || '$created->{key}' || '%'"), 0,
    'it is stored nowhere');
my $rotated = ctl_json('rotate', $created->{key_id});
is($site->get($path, key => $rotated->{key})->status, 200, 'after a rotation the new one is let in');
is($site->get($path, key => $created->{key})->status, 200, 'and the old one too, for the overlap');
my $next = ctl_json('rotate', $rotated->{key_id}, '--overlap', '0h');
becomes($rotated->{key}, 401, 'without an overlap the old one is not');
$rotated = $next;
ctl_json('revoke', $rotated->{key_id});
becomes($rotated->{key}, 401, 'a revoked one is not');
my $test = ctl_json('create', '--plan', 'enterprise', '--kind', 'test', '--owner', 'somebody');
is(scalar(json_of($site->get('/v1/insider?limit=40', key => $test->{key}), 'test key')->{data}->@*), 25,
    'a test key has the free page cap');
my ($code) = $site->control('key', 'revoke', 'nosuchid');
is($code, 1, 'revoking what does not exist fails');

# --- what an admin types ---------------------------------------------------------------------

# Names of other people's, shown on a terminal: what it would obey is shown as \xNN. New ones have none of it.
$site->execute("INSERT INTO disclosed.account (owner) VALUES (E'a\\x1b[2J\\nb\\u009b')");
for my $command (['account', 'list'], ['credits', 'show']) {
    like(($site->control(@$command))[1], qr/a\\x1b\[2J\\x0ab\\xc2\\x9b/, "@$command shows control characters");
}
my $long = 'x' x 1001;
for my $name (' a', 'a ', "a\nb", "a\e[2J", "a\xc2\x9b", "\xff", $long) {
    for my $command (['key', 'create', '--plan', 'free', '--owner', $name], ['key', 'create', '--plan', 'free', '--owner', 'somebody', '--name', $name],
        ['key', 'set', $created->{key_id}, '--name', $name], ['account', 'rename', 'somebody', $name])
    {
        my ($code, $out, $err) = $site->control(@$command);
        like("$code $out$err", qr/^2 disclosedctl: .* at most 1000 bytes of UTF-8 without control characters, and no spaces at its ends\n/, "@$command[0 .. 1] refuses " . substr $name, 0, 4);
    }
}
my $umlaut = ctl_json('create', '--plan', 'free', '--owner', "M\xc3\xbcller \"&\" S\xc3\xb6hne", '--name', 'x' x 1000);
is($umlaut->{owner}, "M\x{fc}ller \"&\" S\x{f6}hne", 'other characters are taken');

# An end that is over, a plan that nobody knows.
for my $command (['create', '--plan', 'free', '--owner', 'Late'], ['set', $created->{key_id}]) {
    for my $end ('2020-01-01', '2020-01-01T00:00:00Z') {
        my ($code, $out, $err) = $site->control('key', @$command, '--expires', $end);
        like("$code $out$err", qr/^1 disclosedctl: --expires lies in the past: \Q$end\E \(key revoke ends a key now\)\n\z/, "key $command->[0] --expires $end");
    }
}
is($site->value("SELECT count(*) FROM account WHERE owner = 'Late'"), 0, '... makes nothing');
my $unknown = qr/^the plan bilder is not built in, and no other key has it: where httpd has no DisclosedPlan bilder, the key is held to free$/m;
my ($mistyped, $printed, $told) = $site->control('key', 'create', '--plan', 'bilder', '--owner', 'Typing');
is($mistyped, 0, 'a plan that is not built in');
like($told, $unknown, '... is told of');
is(($site->control('key', 'create', '--plan', 'bilder', '--owner', 'Typing'))[2], '', '... once');
like(($site->control('key', 'set', $created->{key_id}, '--plan', 'bilderr'))[2], qr/^the plan bilderr is not built in/, '... also where a key gets it');
is(($site->control('key', 'set', $created->{key_id}, '--plan', 'builder'))[2], '', '... and one that is built in is not');

my @ignored = ([rotate => '--name', 'x'], [set => '--owner', 'x'], [revoke => '--plan', 'free'], [rotate => '--rate', '5/s'], [create => '--overlap', '1h']);
for my $ignored (@ignored) {
    my ($action, $option) = @$ignored;
    my ($code, $out, $err) = $site->control('key', $action, ($action eq 'create' ? () : $created->{key_id}), @$ignored[1, 2]);
    like("$code $out$err", qr/^2 disclosedctl: key $action takes no $option\n/, "key $action takes no $option");
}

# A key that nobody has seen can only be revoked.
my ($failed, undef, $why) = run({}, 'sh', '-c', 'exec "$0" --database "$1" key create --plan free --owner nobody > /dev/full', build('CTL'), $site->conninfo);
my $unseen = $site->value("SELECT key_id FROM disclosed.api_key k JOIN disclosed.account a USING (account_id) WHERE a.owner = 'nobody'");
is("$failed $why", "1 disclosedctl: the key $unseen was created, but could not be shown: revoke it\n", 'a key that cannot be shown is told of');

# --- a database that is restored -------------------------------------------------------------

# What was known of a key before must not be taken for what was changed since.
my $kept = $site->own_key('builder');
my $generation = $site->value('SELECT generation FROM disclosed.key_generation');
$site->control('key', 'revoke', $test->{key_id});
becomes($test->{key}, 401, 'another key is revoked');
is($site->get($path, key => $kept)->status, 200, 'one is known');
$site->execute("UPDATE disclosed.key_generation SET generation = $generation; NOTIFY disclosed");
sleep 1.5;
$site->control('key', 'revoke', substr $kept, 8, 8);
becomes($kept, 401, 'the database is as it was before, and the key is revoked');

finish();

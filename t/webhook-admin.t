# What an administrator does with webhooks: endpoints and deliveries listed, replayed, disabled, enabled,
# removed; signing secrets rotated; imports that tell nothing.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run wait_until);
use Disclosed::Receiver;
use Disclosed::JSON ();

# httpd sends nothing until the end: deliveries are taken and noted here as a delivery worker does.
my $site = site(config => "DisclosedWebhooks Off\n");
my $json = Disclosed::JSON->new->utf8;
my $time = qr/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/;

# Exit code and output of a command.
sub ctl
{
    my ($code, $out, $err) = $site->control('webhook', @_);
    return "$code $out $err";
}

# The JSON of a command that succeeds; of one that fails, exit code and output.
sub ctl_json
{
    my ($code, $out, $err) = $site->control('webhook', @_, '--json');
    return $code == 0 && $err eq '' ? $json->decode($out) : "$code $out $err";
}

# A command that fails, with --json as without.
sub refused
{
    my ($code, $expected, @arguments) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $more ([], ['--json']) {
        my ($got, $out, $err) = $site->control('webhook', @arguments, @$more);
        my ($first) = $err =~ /^([^\n]*)/;
        is_deeply([$got, $out, $first], [$code, '', "disclosedctl: $expected"], "@arguments @$more: $expected");
    }
}

# What has ended of an endpoint's, once nothing waits for it.
sub wait_for_end
{
    my ($endpoint) = @_;
    wait_until(10, sub { ctl_json('queue', '--endpoint', $endpoint)->@* == 0 });
    return ctl_json('queue', '--ended', '--endpoint', $endpoint)->@*;
}

# --- endpoints ---------------------------------------------------------------------------------

my $response = $site->request('POST', '/v1/webhook-endpoints', headers => { 'Content-Type' => 'application/json' },
    body => '{"url":"https://hooks.example.com/in","topics":["filing.created","transcript.published"]}');
my $made = json_of($response, 'an endpoint is made');
like($made->{signing_secret}, qr/^whsec_/, '... with its secret');
my $id = $made->{id};
$site->stop;

my $key = $site->value("SELECT key_id FROM disclosed.api_key WHERE plan = 'builder' AND kind = 'live'");
$site->execute("INSERT INTO disclosed.account (owner) VALUES ('Hooks Ltd')");
my $other = $site->value("INSERT INTO disclosed.webhook_endpoint (account_id, url, topics, base_url, sealed_secret, secret_hint, created_by)"
    . " SELECT account_id, 'https://other.example.com/', '{filing.created}', 'https://api.example.org', 'v1:c2VhbGVk', 'whsec_OTHERS', '$key'"
    . " FROM disclosed.account WHERE owner = 'Hooks Ltd' RETURNING endpoint_id");

my ($mine) = ctl_json('list', '--account', 'tests')->@*;
my $hint = substr $made->{signing_secret}, 0, 12;
my $account = $site->value("SELECT account_id FROM disclosed.account WHERE owner = 'tests'");
is_deeply($mine, { endpoint_id => $id, account_id => $account + 0, owner => 'tests', url => 'https://hooks.example.com/in',
    topics => ['filing.created', 'transcript.published'], secret_hint => $hint, state => 'active', disabled_at => undef,
    disabled_reason => undef, failing_since => undef, concurrency => 4, waiting => 0, previous_until => undef,
    created_at => $made->{created_at} }, 'list --account: one of that owner');
is_deeply([map { $_->{endpoint_id} } ctl_json('list')->@*], [$id, $other + 0], 'list: all');
like(ctl('list', '--account', 'tests'), qr{^0 \s*$id  tests  https://hooks\.example\.com/in\n        filing\.created,transcript\.published  secret \Q$hint\E\.\.\.  active, 0 waiting, created $time\n $}, '... as text');
$site->execute("INSERT INTO disclosed.account (owner) VALUES ('Nothing Ltd')");
is_deeply(ctl_json('list', '--account', 'Nothing Ltd'), [], 'an account without any');
refused(1, 'no account has the name Nobody', 'list', '--account', 'Nobody');

# --- what is waiting ---------------------------------------------------------------------------

# A delivery to an endpoint, with the columns given.
sub deliver
{
    my ($endpoint, $subject, %column) = @_;
    my $event = $site->value("INSERT INTO disclosed.webhook_event (topic, subject) VALUES ('filing.created', '$subject')"
        . ' ON CONFLICT (topic, subject) DO UPDATE SET topic = excluded.topic RETURNING event_id');
    my @names = sort keys %column;
    return $site->value("INSERT INTO disclosed.webhook_delivery (event_id, endpoint_id, message_id" . join('', map { ", $_" } @names)
        . ") SELECT event_id, $endpoint, message_id" . join('', map { ", $column{$_}" } @names) . " FROM disclosed.webhook_event WHERE event_id = $event RETURNING delivery_id");
}

sub attempted
{
    my ($delivery, $verdict, $status, $problem, $next) = @_;
    return $site->value("SELECT reason FROM disclosed.note_webhooks(ARRAY[$delivery], '{$verdict}', ARRAY[$status]::integer[], ARRAY[$problem]::text[], '{120}', ARRAY[$next]::timestamptz[], '5 days')") // '';
}

sub claim { return $site->rows("SELECT * FROM disclosed.claim_webhooks(20, '60 seconds', '{builder,enterprise}', 'host/1.1.0', '{}') ORDER BY delivery_id") }

# A long queue keeps nobody waiting: one of each endpoint before a second one of any.
my @pair = map { $site->value("INSERT INTO disclosed.webhook_endpoint (account_id, url, topics, base_url, sealed_secret, secret_hint, created_by)"
    . " VALUES ($account, 'https://$_.example.com/', '{filing.created}', 'https://api.example.org', 'v1:c2VhbGVk', 'whsec_FAIRLY', '$key') RETURNING endpoint_id") } 'long', 'short';
deliver($pair[0], "0000320193-24-00010$_", next_attempt_at => "now() - interval '1 hour'") for 1 .. 9;
deliver($pair[1], '0000320193-24-000110');
my $claim_two = "SELECT string_agg(endpoint_id::text, ' ' ORDER BY endpoint_id) FROM disclosed.claim_webhooks(4, '60 seconds', '{builder}', 'host/' || txid_current() || '.1.0', '{}')";
is($site->value($claim_two), "@pair", 'a long queue does not come before a short one');
is($site->value($claim_two), "$pair[0] $pair[0]", '... and goes on when the short one is empty');
is($site->value($claim_two), $pair[0], '... four at a time');
$site->execute(join ';', map { "DELETE FROM disclosed.webhook_delivery WHERE endpoint_id = $_; DELETE FROM disclosed.webhook_endpoint WHERE endpoint_id = $_" } @pair);

my $first  = deliver($id, '0000320193-24-000001');
my $second = deliver($id, '0000320193-24-000002', body => q('{"n":2}'));
my $alien  = deliver($other, '0000320193-24-000001', next_attempt_at => "now() + interval '1 hour'");
my @claimed = claim();
is_deeply([map { [@$_{qw(delivery_id attempts)}] } @claimed], [[$first, 0], [$second, 0]], 'two are claimed');
is((ctl_json('queue', '--endpoint', $id)->@*)[0]{sending}, JSON::PP::true, '... and being sent');
like(ctl('queue', '--endpoint', $id, '--limit', 1), qr/^0 \s*$second  endpoint $id  filing\.created 0000320193-24-000002  msg_\w+\n        0 attempts, being sent\n $/, '... as text, no more than the limit');
is(attempted($second, 'retry', 503, 'NULL', "now() + interval '5 seconds'"), '', 'an attempt failed');
is(attempted($first, 'retry', 'NULL', q('connection refused'), "now() + interval '5 seconds'"), '', 'another had no answer');

my @queue = ctl_json('queue', '--endpoint', $id)->@*;
is_deeply([map { $_->{delivery_id} } @queue], [$second, $first], 'queue: the newest first');
my $row = $queue[0];
like(delete $row->{$_}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/, "... $_ is a datetime") for qw(next_attempt_at last_attempted_at created_at);
my $message = delete $row->{message_id};
like($message, qr/^msg_[0-9a-f]{32}$/, '... its message id');
is_deeply($row, { delivery_id => $second + 0, endpoint_id => $id, topic => 'filing.created', subject => '0000320193-24-000002',
    attempts => 1, sending => JSON::PP::false, outcome => undef, ended_at => undef, last_status => 503, last_error => undef }, '... and the rest');
is($queue[1]{last_error}, 'connection refused', 'the error of one without an answer');
is($queue[1]{last_status}, undef, '... which has no status');
is_deeply([map { $_->{delivery_id} } ctl_json('queue')->@*], [$alien, $second, $first], 'queue: of all endpoints');
is(ctl_json('list', '--account', 'tests')->[0]{waiting}, 2, 'list counts what waits');
like(ctl_json('list', '--account', 'tests')->[0]{failing_since}, qr/^\d.*Z$/, '... and says since when nothing arrives');
like(ctl('list', '--account', 'tests'), qr/active, failing since $time, 2 waiting/, '... as text');
like(ctl('queue', '--endpoint', $id), qr/1 attempts, next $time, last $time: 503\n.*1 attempts, next $time, last $time: connection refused\n/s, 'the queue as text');
is_deeply(ctl_json('queue', '--ended'), [], 'none has ended');

attempted($second, 'delivered', 204, 'NULL', 'NULL');
attempted($first, 'retry', 500, 'NULL', 'NULL');
@queue = ctl_json('queue', '--ended', '--endpoint', $id)->@*;
is_deeply([map { [@$_{qw(delivery_id outcome attempts last_status next_attempt_at)}] } @queue],
    [[$first, 'failed', 2, 500, undef], [$second, 'delivered', 2, 204, undef]], 'queue --ended: the last that ended first');
like(ctl('queue', '--ended'), qr/2 attempts, failed $time, last $time: 500\n.*2 attempts, delivered $time, last $time: 204\n/s, '... as text');
is(scalar ctl_json('queue', '--ended', '--limit', 1)->@*, 1, '... --limit');

my $attempts = ctl_json('attempts', $first);
like(delete $_->{attempted_at}, qr/^\d.*Z$/, 'an attempt has its time') for @$attempts;
is_deeply($attempts, [{ attempt => 1, status => undef, error => 'connection refused', duration_ms => 120 },
    { attempt => 2, status => 500, error => undef, duration_ms => 120 }], 'attempts of a delivery');
like(ctl('attempts', $first), qr/^0      1  $time     120 ms  connection refused\n     2  $time     120 ms  500\n $/, '... as text');
is_deeply(ctl_json('attempts', $alien), [], 'a delivery that was not attempted');

# --- replaying ---------------------------------------------------------------------------------

is_deeply(ctl_json('replay', $second), { endpoint_id => $id, replayed => 1 }, 'a delivery is sent again');
refused(1, "delivery $second has not ended: it waits for its next attempt", 'replay', $second);
@claimed = claim();
is_deeply([map { [@$_{qw(delivery_id message_id body attempts)}] } @claimed], [[$second, $message, '{"n":2}', 0]],
    '... with the same message id and bytes, and the schedule from its beginning');
is(attempted($second, 'retry', 503, 'NULL', "now() + interval '1 hour'"), '', '... it fails');
is_deeply([map { [@$_{qw(attempt status)}] } ctl_json('attempts', $second)->@*], [[1, 503], [2, 204], [3, 503]], '... as attempt 3');
$site->execute("UPDATE disclosed.webhook_delivery SET next_attempt_at = now() WHERE delivery_id = $second");
is((claim())[0]{attempts}, 1, '... which is the first of the schedule');
is(attempted($second, 'retry', 503, 'NULL', 'NULL'), '', '... the last');
is(ctl('replay', $first), "0 webhook endpoint $id: deliveries sent again: 1\n ", 'as text');
is((claim())[0]{body}, undef, 'one without a body is claimed without: it is made then');
is(attempted($first, 'delivered', 200, 'NULL', 'NULL'), '', '... and delivered');

refused(1, "no delivery to webhook endpoint $id has ended since 2999-01-01T00:00:00Z", 'replay', '--endpoint', $id, '--since', '2999-01-01');
$site->execute("UPDATE disclosed.webhook_delivery SET ended_at = '2026-03-01T12:00:00Z' WHERE delivery_id = $second");
is_deeply(ctl_json('replay', '--endpoint', $id, '--since', '2026-03-01T12:00:01Z'), { endpoint_id => $id, replayed => 1 }, 'those that ended since a time');
attempted($first, 'delivered', 200, 'NULL', 'NULL');
is_deeply(ctl_json('replay', '--endpoint', $id, '--since', '2026-03-01'), { endpoint_id => $id, replayed => 2 }, '... since a day');
is(ctl_json('queue', '--endpoint', $other)->[0]{attempts}, 0, '... of that endpoint alone');

# --- disabling and enabling --------------------------------------------------------------------

my $disabled = ctl_json('disable', $id);
is_deeply([@$disabled{qw(endpoint_id state disabled_reason waiting)}], [$id, 'disabled', 'administrator', 0], 'disable');
is_deeply([map { $_->{outcome} } ctl_json('queue', '--ended', '--endpoint', $id)->@*], ['dropped', 'dropped'], 'what waited is dropped');
like(ctl('disable', $id), qr/disabled: administrator since $time, .*0 waiting/, 'disabled already: as it is');
is(ctl_json('disable', $id)->{disabled_at}, $disabled->{disabled_at}, '... since then');
refused(1, "webhook endpoint $id is disabled (administrator): enable it first", 'replay', $first);
refused(1, "webhook endpoint $id is disabled (administrator): enable it first", 'replay', '--endpoint', $id, '--since', '2026-01-01');
my $late = deliver($id, '0000320193-24-000003');
is_deeply([claim()], [], 'what was queued meanwhile is not sent');
$site->execute("SELECT disclosed.drop_unwanted_webhooks('{builder}')");
is_deeply([map { $_->{outcome} } grep { $_->{delivery_id} == $late } ctl_json('queue', '--ended')->@*], ['dropped'], '... but dropped');

$site->execute("UPDATE disclosed.webhook_endpoint SET failing_since = now(), concurrency = 1 WHERE endpoint_id = $id");
is_deeply([@{ ctl_json('enable', $id) }{qw(state disabled_at disabled_reason failing_since concurrency)}], ['active', undef, undef, undef, 4], 'enable');
is_deeply(ctl_json('replay', $late), { endpoint_id => $id, replayed => 1 }, 'what was dropped can be sent again');
is_deeply([map { $_->{delivery_id} } claim()], [$late], '... and is due');

$site->execute("UPDATE disclosed.webhook_endpoint SET failing_since = now() - interval '6 days' WHERE endpoint_id = $id");
is(attempted($late, 'retry', 503, 'NULL', 'now()'), 'failing', 'an endpoint that nothing reaches for five days');
is_deeply([@{ ctl_json('list', '--account', 'tests')->[0] }{qw(state disabled_reason)}], ['disabled', 'failing'], '... is disabled');
ctl('enable', $id);
is(ctl_json('replay', $late)->{replayed}, 1, 'sent again');
claim();
is(attempted($late, 'retry', 503, 'NULL', 'NULL'), '', '... the patience begins anew');

# Notes and replays at the same time, while the endpoint is being disabled: nobody waits in a circle, and
# nothing is left waiting.
my $psql = build('PGBIN') . '/psql';
my @errors;
for my $round (1 .. 8) {
    my @open = map { deliver($other, "round $round-$_") } 1 .. 6;
    deliver($other, "round $round-ended", next_attempt_at => 'NULL', outcome => q('failed'), ended_at => 'now()');
    my @running = map {
        my $verdict = $_ % 3 ? 'unwanted' : 'delivered';
        open my $out, '-|', "$psql -XAtq -d '@{[ $site->conninfo ]}' -c \"SELECT disclosed.note_webhooks(ARRAY[$open[$_]], '{$verdict}', '{410}', '{NULL}', '{1}', '{NULL}', '5 days')\" 2>&1" or die $!;
        $out;
    } 0 .. $#open;
    $site->control('webhook', 'replay', '--endpoint', $other, '--since', '2026-01-01');
    push @errors, grep { /ERROR/ } map { readline $_ } @running;
    push @errors, 'something waits' if $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $other AND next_attempt_at IS NOT NULL");
    ctl('enable', $other);
}
is_deeply(\@errors, [], 'notes at the same time');
$site->execute("UPDATE disclosed.webhook_delivery SET next_attempt_at = now() + interval '1 hour', outcome = NULL, ended_at = NULL WHERE delivery_id = $alien");

# --- rotating ----------------------------------------------------------------------------------

my $file = "$site->{root}/conf/secret";
my $sealed = $site->value("SELECT sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $id");
my ($ab, $cd) = map { my $factor = $_; join '', map { sprintf '%02x', $_ * $factor % 256 } 1 .. 32 } 5, 7;
my $wrong = $site->write('conf/wrong', "$ab\n", 0600);
refused(1, "$wrong is not the server secret that the signing secret of webhook endpoint $id was sealed under", 'rotate', $id, '--secret-file', $wrong);
my $bad = $site->write('conf/bad', "no secret\n", 0600);
refused(1, "$bad: line 1 is not 64 hex digits: it has 9 characters", 'rotate', $id, '--secret-file', $bad);
my $empty = $site->write('conf/empty', '', 0600);
refused(1, "$empty is empty", 'rotate', $id, '--secret-file', $empty);
refused(1, "cannot open $file-none: No such file or directory", 'rotate', $id, '--secret-file', "$file-none");
refused(1, 'no webhook endpoint has the id 99999', 'rotate', 99999, '--secret-file', $file);
is($site->value("SELECT sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $id"), $sealed, 'nothing has changed');

my %secrets = ($made->{signing_secret} => 1);
my $rotated = ctl_json('rotate', $id, '--secret-file', $file);
my $secret = delete $rotated->{signing_secret};
like($secret, qr{^whsec_[A-Za-z0-9+/]{43}=$}, 'rotate shows the new secret');
is($secrets{$secret}++, 0, '... which is new');
is($rotated->{secret_hint}, substr($secret, 0, 12), '... with its hint');
is($site->value("SELECT previous_sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $id"), $sealed, 'the one before is kept');
ok($site->value("SELECT previous_until BETWEEN now() + interval '23 hours 59 minutes' AND now() + interval '24 hours' FROM disclosed.webhook_endpoint WHERE endpoint_id = $id") eq 't', '... for a day');
like(ctl('list', '--account', 'tests'), qr/active, .*old secret signs until $time/, '... as the list says');

# The file's secret is replaced: what the old line sealed opens by the second line, the first seals.
my $two = $site->write('conf/two', "$cd\n$site->{secret}\n", 0600);
my $new = $site->write('conf/new', "$cd\n", 0600);
my ($code, $out, $err) = $site->control('webhook', 'rotate', $id, '--secret-file', $two, '--overlap', '90m');
my ($shown) = $out =~ /^(whsec_\S+)$/m;
like($out, qr/\n\Q$shown\E\nThis is the only time that the signing secret is shown\.\n$/, 'as text');
is($code, 0, '... under a file of two lines');
is($secrets{$shown}++, 0, '... another one');
ok($site->value("SELECT previous_until BETWEEN now() + interval '89 minutes' AND now() + interval '90 minutes' FROM disclosed.webhook_endpoint WHERE endpoint_id = $id") eq 't', '--overlap');
refused(1, "$file is not the server secret that the signing secret of webhook endpoint $id was sealed under", 'rotate', $id, '--secret-file', $file);
$rotated = ctl_json('rotate', $id, '--secret-file', $new, '--overlap', '0');
my $unlost = $rotated->{signing_secret};
is($secrets{$unlost}++, 0, 'sealed under the first line');
is($rotated->{previous_until}, undef, 'no overlap');
is($site->value("SELECT num_nonnulls(previous_sealed_secret, previous_until) FROM disclosed.webhook_endpoint WHERE endpoint_id = $id"), 0, '... nothing is kept');


# The secret that sealed it is lost: the file is taken as it is.
$rotated = ctl_json('rotate', $id, '--secret-file', $file, '--lost');
is($secrets{$rotated->{signing_secret}}++, 0, 'a lost secret is replaced');
is($rotated->{previous_until}, undef, '... which signs no more');
refused(2, 'webhook rotate takes --overlap or --lost', 'rotate', $id, '--secret-file', $file, '--lost', '--overlap', '1h');
refused(1, 'no webhook endpoint has the id 99999', 'rotate', 99999, '--secret-file', $file, '--lost');
push my @shown, $secret, $shown, $unlost, $rotated->{signing_secret};

# --- no secret anywhere ------------------------------------------------------------------------

$site->execute("UPDATE disclosed.webhook_endpoint SET previous_sealed_secret = 'v1:b2xk', previous_until = now() + interval '1 day' WHERE endpoint_id = $id");
my $all = join '', map { ($site->control(@$_))[1] } map { ([@$_], [@$_, '--json']) } ['webhook', 'list'], ['webhook', 'queue'],
    ['webhook', 'queue', '--ended'], ['webhook', 'attempts', $first], ['audit', '--limit', '1000'];
$all .= $site->value('SELECT string_agg(a::text, chr(10)) FROM disclosed.access_audit a');
unlike($all, qr/\Q$_\E/, 'a signing secret is nowhere') for sort keys %secrets;
unlike($all, qr/sealed_secret|v1:/, 'nor is a sealed one');
my @audit = grep { $_->{action} =~ /^webhook_endpoint/ && $_->{account_id} == $account && ($_->{after} // $_->{before})->{endpoint_id} == $id } $json->decode(($site->control('audit', '--json', '--limit', '1000'))[1])->@*;
is_deeply([map { [$_->{action} =~ /(\w+)$/, $_->{after}{secret_hint}, $_->{after}{disabled_reason}] } reverse @audit],
    [['insert', $hint, undef], ['update', $hint, 'administrator'], ['update', $hint, undef], ['update', $hint, 'failing'], ['update', $hint, undef],
     map { ['update', substr($_, 0, 12), undef] } @shown], 'the audit has each change, with the hint');
like($audit[0]{actor}, qr/^disclosed_owner \w+$/, '... and who made it');
is($audit[0]{key_id}, $site->value("SELECT created_by FROM disclosed.webhook_endpoint WHERE endpoint_id = $id"), '... under the key that the endpoint was made with');
like(($site->control('audit', '--limit', 1))[1], qr/^$time  disclosed_owner \w+ +webhook_endpoint update account $account, key \w+\n        before \{.*\}\n        after  \{.*\}\n$/, '... as text');

# It is in force before it is shown.
my $before = $site->value("SELECT sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $id");
for my $json ([], ['--json']) {
    my ($failed, undef, $why) = run({}, 'sh', '-c', 'exec "$0" "$@" > /dev/full', build('CTL'), '--database', $site->conninfo, 'webhook', 'rotate', @$json, $id, '--secret-file', $file);
    is("$failed $why", "1 disclosedctl: the signing secret of webhook endpoint $id was changed, but could not be shown: rotate it again\n", join ' ', 'a secret that cannot be shown is told of', @$json);
    isnt($site->value("SELECT sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $id"), $before, '... as it is in force');
}

# --- removing ----------------------------------------------------------------------------------

is_deeply([@{ ctl_json('remove', $other) }{qw(endpoint_id owner waiting)}], [$other + 0, 'Hooks Ltd', 1], 'remove');
is($site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $other AND outcome IS NULL"), 0, '... with what waits for it');
is($site->value("SELECT concat(sealed_secret, previous_sealed_secret) FROM disclosed.webhook_endpoint WHERE endpoint_id = $other"), '', '... and its secrets');
my $last = $json->decode(($site->control('audit', '--json', '--limit', 1))[1])->[0];
is("$last->{action} $last->{after}{disabled_reason}", 'webhook_endpoint update deleted', '... in the audit');
$site->execute("UPDATE disclosed.webhook_endpoint SET disabled_at = now() - interval '31 days' WHERE endpoint_id = $other;"
    . " UPDATE disclosed.webhook_delivery SET ended_at = now() - interval '31 days' WHERE endpoint_id = $other");
cmp_ok($site->value("SELECT disclosed.prune_webhooks('30 days', 10)"), '==', 10, 'pruning goes by steps');
$site->value("SELECT disclosed.prune_webhooks('30 days', 1000)");
is($site->value("SELECT count(*) FROM disclosed.webhook_endpoint WHERE endpoint_id = $other"), 0, '... and takes the endpoint with the last of its deliveries');
refused(1, "no webhook endpoint has the id $other", $_, $other) for qw(disable enable remove);
refused(1, "no webhook endpoint has the id $other", 'queue', '--endpoint', $other);
refused(1, "no webhook endpoint has the id $other", 'replay', '--endpoint', $other, '--since', '2026-01-01');
refused(1, "no delivery has the id $alien", $_, $alien) for qw(attempts replay);

# --- imports -----------------------------------------------------------------------------------

my $issuer = ($site->rows('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1'))[0];

sub load_filings
{
    my ($name, $files, @options) = @_;
    my @paths = map {
        my @numbers = @$_;
        $site->write("filings-$numbers[0].ndjson", join '', map { $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0, form => '8-K',
            filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => "0009999999-26-9000$_" } }) . "\n" } @numbers);
    } @$files;
    my ($code, $out, $err) = $site->control('import', 'ndjson', @options, '--quiet', @paths);
    return is($code, 0, $name) || diag $out, $err;
}

sub queued { return $site->value("SELECT count(*) FROM disclosed.webhook_event WHERE subject LIKE '0009999999-26-9000%'") }

load_filings('import --no-webhooks', [[10, 11]], '--no-webhooks');
is($site->value("SELECT count(*) FROM disclosed.filing WHERE accession LIKE '0009999999-26-9000%'"), 2, '... loads');
is(queued(), 0, '... and queues nothing');
load_filings('... in several processes', [[12], [13]], '--no-webhooks', '--jobs', 2);
is(queued(), 0, '... neither');
load_filings('an import without it', [[13, 14]]);
is(queued(), 1, '... queues what was not known');

# --- command lines -----------------------------------------------------------------------------

refused(2, 'what is to be done with which webhook?', @$_) for [], ['list', 'x'], ['attempts'], ['disable', 1, 2], ['replay', 1, 2];
refused(2, "webhook $_->[0] takes an id, a number: $_->[1]", @$_) for ['attempts', 'x'], ['replay', '0'], ['disable', '1.5'],
    ['enable', '99999999999999999999'], ['remove', ''], ['rotate', 'all', '--secret-file', $new];
refused(2, 'webhook rotate needs --secret-file', 'rotate', $id);
refused(2, "--overlap takes 0 to 7d, as 24h: $_", 'rotate', $id, '--secret-file', $new, '--overlap', $_) for '8d', '24', 'x', '';
refused(2, 'webhook replay takes a delivery, or --endpoint and --since', 'replay', @$_)
    for [], ['--endpoint', $id], ['--since', '2026-01-01'], [$first, '--endpoint', $id], [$first, '--since', '2026-01-01'];
refused(2, "--since takes a date, or a date and time with a zone: $_", 'replay', '--endpoint', $id, '--since', $_) for 'yesterday', '2026-02-30', '2026-01-01T00:00:00';
refused(2, '--endpoint takes the id of a webhook endpoint: x', 'queue', '--endpoint', 'x');
refused(2, "--limit takes a number from 1 on: $_", 'queue', '--limit', $_) for '0', 'x';
refused(2, "webhook $_->[0] takes no $_->[1]", @$_) for ['list', '--ended'], ['list', '--limit', '5'], ['attempts', '--since', '2026-01-01', 1],
    ['disable', '--overlap', '1h', 1], ['queue', '--account', 'tests'];
for my $help ('webhook', 'import') {
    my ($code, $out) = $site->control($help, '--help');
    is($code, 0, "$help --help");
    like($out, $help eq 'import' ? qr/--no-webhooks .*back-fills/ : qr/replay .*\n.*rotate .*--secret-file VALUE/s, '... tells of it');
}
is((Disclosed::Shared::control('host=/nonexistent', 'webhook', 'list'))[0], 3, 'no database');

# --- as receivers see it -----------------------------------------------------------------------

SKIP: {
    my $modules = build('MODULES_DIR');
    skip 'this httpd has no mod_ssl or mod_proxy_http', 1 if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);
    ctl('remove', $id);
    mkdir "$site->{root}/receiver";
    my $receiver = Disclosed::Receiver->start("$site->{root}/receiver");
    $site->write('receiver/received', '');
    $site->{config} = $receiver->config;
    $site->start;
    my $endpoint = json_of($site->request('POST', '/v1/webhook-endpoints', headers => { 'Content-Type' => 'application/json' },
        body => $json->encode({ url => $receiver->url('/ok'), topics => ['filing.created'] })), 'an endpoint on a receiver');
    load_filings('a filing', [[15]]);
    my ($once) = $receiver->wait_for('/ok', 1);
    ok(Disclosed::Receiver::is_signed($once, $endpoint->{signing_secret}), '... is delivered');
    my ($delivery) = wait_for_end($endpoint->{id});
    my $new_secret = ctl_json('rotate', $endpoint->{id}, '--secret-file', $file)->{signing_secret};
    is(ctl_json('replay', $delivery->{delivery_id})->{replayed}, 1, '... and sent again');
    my (undef, $twice) = $receiver->wait_for('/ok', 2);
    is($twice->{headers}{'webhook-id'}, $once->{headers}{'webhook-id'}, '... with the same id');
    is($twice->{body}, $once->{body}, '... and bytes');
    ok(Disclosed::Receiver::is_signed($twice, $_), '... signed by the old secret and the new one') for $endpoint->{signing_secret}, $new_secret;
    is((wait_for_end($endpoint->{id}))[0]{attempts}, 2, '... as its second attempt');
    $site->stop;
}

finish();

# What owners of webhook endpoints ask for: changes, filters, rotation with overlap, deliveries with their attempts, replay,
# recovery, keys against repetition; the ordered log of events; and the topics of all datasets that grow.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use Disclosed::JSON ();

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

promises(
    get_webhook_endpoint => {
        parameters => [qw(id)],
        fields => [qw(id url topics symbols? forms? created_at secret_hint previous_secret_until? disabled_at? disabled_reason?)],
    },
    change_webhook_endpoint => {
        parameters => [qw(id url topics enabled symbols forms)],
        fields => [qw(id url topics symbols? forms? created_at secret_hint previous_secret_until? disabled_at? disabled_reason?)],
    },
    rotate_webhook_secret => {
        parameters => [qw(id overlap_hours)],
        fields => [qw(id url topics symbols? forms? created_at signing_secret)],
    },
    list_webhook_deliveries => {
        parameters => [qw(id state cursor limit fields direction)],
        fields => [qw(id message_id topic created_at state next_attempt_at? ended_at? attempts)],
    },
    replay_webhook_delivery => {
        parameters => [qw(id delivery_id)],
        fields => [qw(ok id)],
    },
    recover_webhook_endpoint => {
        parameters => [qw(id since)],
        fields => [qw(recovered more)],
    },
    list_changes => {
        parameters => [qw(after topics limit)],
        fields => [qw(data next has_more)],
    },
);
my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory;
my $receiver = Disclosed::Receiver->start($directory);
my $site = site(config => $receiver->config);
my $json = Disclosed::JSON->new->utf8->canonical;
my %keyed = (key => 'builder');

sub post { my ($target, $value, %more) = @_; return $site->post($target, $value, %keyed, %more) }
sub patch { my ($id, $value) = @_; return $site->request('PATCH', "/v1/webhook-endpoints/$id", %keyed, headers => { 'Content-Type' => 'application/json' }, body => $json->encode($value)) }
sub with { my ($key) = @_; return (headers => { 'Idempotency-Key' => $key }) }

sub endpoint
{
    my ($path, %more) = @_;
    my $made = json_of(post('/v1/webhook-endpoints', { url => $receiver->url($path), topics => ['filing.created'], %more }), "an endpoint on $path");
    return ($made->{id}, $made->{signing_secret});
}

my ($one, $two) = $site->rows('SELECT issuer_id, symbol, cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 2');
my $next = 0;

sub load_lines
{
    my (@records) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--quiet', $site->write('records.ndjson', join '', map { $json->encode($_) . "\n" } @records));
    is($code, 0, @records . ' records are loaded') or diag $out, $err;
}

sub filing
{
    my ($company, $form) = @_;
    my $accession = sprintf '0009999999-26-%06d', ++$next;
    return { dataset => 'filing', cik => $company->{cik} + 0, form => $form // '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z',
        provenance => { source_provider => 'sec', accession => $accession } };
}

# --- changing -----------------------------------------------------------------------------------

my ($id, $secret) = endpoint('/ok?a', symbols => [$one->{symbol}], forms => ['8-K']);
my $shown = json_of($site->get("/v1/webhook-endpoints/$id", %keyed), 'one endpoint');
same_json([@$shown{qw(id url topics symbols forms)}], [$id, $receiver->url('/ok?a'), ['filing.created'], [$one->{symbol}], ['8-K']], '... with its filters');
load_lines(filing($one), filing($one, '10-Q'), filing($two), filing($one));
is(scalar($receiver->wait_for('/ok?a', 2)), 2, 'it is told of what passes the filters');
is($site->value('SELECT count(*) FROM disclosed.webhook_event'), 4, '... of four events');
$shown = json_of(patch($id, { symbols => [], forms => [] }), 'without filters');
same_json([@$shown{qw(symbols forms topics)}], [undef, undef, ['filing.created']], '... and the rest is as it was');
$shown = json_of(patch($id, { url => $receiver->url('/ok?b'), topics => ['filing.created', 'event.created'] }), 'another URL, and topics');
same_json([@$shown{qw(url topics)}], [$receiver->url('/ok?b'), ['filing.created', 'event.created']], '... are changed');
my $disabled = json_of(patch($id, { enabled => JSON::PP::false }), 'disabled');
is($disabled->{disabled_reason}, 'owner', '... by its owner');
load_lines(filing($two));
ok(wait_until(20, sub { $site->value('SELECT count(*) FROM webhook_event WHERE position IS NULL') == 0 }), '... of which nobody is told while it is disabled');
is(json_of(patch($id, { enabled => JSON::PP::true, topics => ['filing.created'] }), 'enabled')->{disabled_at}, undef, '... it is in use again');
$site->control('webhook', 'disable', $id);
problem_is(patch($id, { enabled => JSON::PP::true }), 409, 'what the administrator has disabled stays so', slug => 'conflict', instance => "/v1/webhook-endpoints/$id",
    detail => 'The administrator has disabled this webhook endpoint.');
$site->control('webhook', 'enable', $id);
for my $case ([{ url => 'http://x.example/' }, 'url_scheme', 'url'], [{ topics => [] }, 'too_short', 'topics'], [{ enabled => 'perhaps' }, 'bool_parsing', 'enabled'],
    [{ enabled => 5 }, 'bool_type', 'enabled'], [{ symbols => ['NOBODY:XNAS'] }, 'value_error', 'symbols'], [{ symbols => [map { "A$_" } 1 .. 101] }, 'value_error', 'symbols'],
    [{ forms => [map { "F$_" } 1 .. 51] }, 'value_error', 'forms'], [{ forms => ['x' x 21] }, 'string_too_long', 'forms']) {
    my $response = patch($id, $case->[0]);
    is($response->status, 422, "refused: $case->[1] of $case->[2]");
    my $error = $json->decode($response->body)->{detail}[0];
    is("$error->{type} $error->{loc}[1]", "$case->[1] $case->[2]", '... says which');
}
# What is wrong is told as the client has sent it, not as it was read.
my @many = map { "a$_" } 1 .. 101;
for my $case ([{ url => "  HTTPS://10.1.2.3:443/a/../b?c=\x{e9} " }, ['body', 'url'], "  HTTPS://10.1.2.3:443/a/../b?c=\x{e9} "],
    [{ symbols => [$one->{symbol}, lc $one->{symbol}, 'nobody:Xnas', 'ALSO'] }, ['body', 'symbols', 2], 'nobody:Xnas'], [{ symbols => \@many }, ['body', 'symbols'], \@many],
    [{ url => 'https://User@X.example/' }, ['body', 'url'], 'https://User@X.example/']) {
    my ($body, $place, $input) = @$case;
    for my $response (patch($id, $body), $site->post('/v1/webhook-endpoints', { url => $receiver->url('/ok?c'), topics => ['filing.created'], %$body }, %keyed)) {
        my $error = ($json->decode($response->body)->{detail} // [])->[0] // {};
        same_json([$response->status, @$error{qw(type loc input)}], [422, 'value_error', $place, $input], '... as it was sent: ' . substr $json->encode($body), 0, 60);
    }
}
problem_is(patch(99999, {}), 404, 'no such endpoint', instance => '/v1/webhook-endpoints/99999', detail => 'There is no webhook endpoint with the id "99999".');

# --- recovering, deliveries, replaying ----------------------------------------------------------

my $recovered = json_of(post("/v1/webhook-endpoints/$id/recover", { since => '2026-01-01T00:00:00Z' }), 'what was missed');
same_json($recovered, { recovered => 3, more => JSON::PP::false }, '... are the three that it never got');
is(scalar($receiver->wait_for('/ok?b', 3)), 3, '... they arrive');
ok(wait_until(10, sub { json_of($site->get("/v1/webhook-endpoints/$id/deliveries?state=pending", %keyed), 'pending')->{data}->@* == 0 }), '... and are noted');
same_json(json_of(post("/v1/webhook-endpoints/$id/recover", { since => '2026-01-01' }), 'again'), { recovered => 0, more => JSON::PP::false }, '... then nothing is missed');
my @deliveries = json_of($site->get("/v1/webhook-endpoints/$id/deliveries", %keyed), 'deliveries')->{data}->@*;
is(scalar(@deliveries), 5, 'five deliveries are listed');
same_json([@{ $deliveries[0] }{qw(topic state next_attempt_at)}], ['filing.created', 'delivered', undef], '... the last first');
same_json([map { [@$_{qw(attempt status error)}] } $deliveries[0]{attempts}->@*], [[1, 200, undef]], '... with its attempts');
my $page = json_of($site->get("/v1/webhook-endpoints/$id/deliveries?limit=2&direction=asc", %keyed), 'a page');
is($page->{data}[0]{id}, $deliveries[4]{id}, '... from the first on');
is(json_of($site->get("/v1/webhook-endpoints/$id/deliveries?limit=2&direction=asc&cursor=$page->{pagination}{next_cursor}", %keyed), 'the next page')->{data}[0]{id}, $deliveries[2]{id}, '... and so on');
problem_is($site->get("/v1/webhook-endpoints/$id/deliveries", key => $site->own_key('builder')), 404, 'another account sees none', instance => "/v1/webhook-endpoints/$id/deliveries",
    detail => "There is no webhook endpoint with the id \"$id\".");
my $again = $deliveries[0];
my $path = "/v1/webhook-endpoints/$id/deliveries/$again->{id}/replay";
same_json(json_of(post($path, '', with('replay-1')), 'replayed'), { ok => JSON::PP::true, id => $again->{id} }, '... is sent again');
ok(wait_until(5, sub { grep { $_->{headers}{'webhook-id'} eq $again->{message_id} } ($receiver->received('/ok?b'))[3] // () }), '... within seconds, under the same id');
ok(wait_until(10, sub { $site->value("SELECT outcome FROM disclosed.webhook_delivery WHERE delivery_id = $again->{id}") }), '... it ends');
json_of(post($path, '', with('replay-1')), 'the same request');
is($site->value("SELECT attempts FROM disclosed.webhook_delivery WHERE delivery_id = $again->{id}"), 2, '... does nothing');
$site->execute("UPDATE disclosed.webhook_delivery SET attempts = 100, replayed_after = 99 WHERE delivery_id = $again->{id}");
problem_is(post($path, ''), 409, 'a hundred attempts are enough', slug => 'conflict', instance => $path, detail => 'The delivery has been attempted 100 times.');
problem_is(post("/v1/webhook-endpoints/$id/deliveries/999999/replay", ''), 404, 'no such delivery', instance => "/v1/webhook-endpoints/$id/deliveries/999999/replay",
    detail => 'There is no delivery with the id "999999" to that webhook endpoint.');

# --- keys against repetition --------------------------------------------------------------------

my $body = { url => $receiver->url('/ok?once'), topics => ['filing.created'] };
my $first = json_of(post('/v1/webhook-endpoints', $body, with('create-1')), 'created');
same_json(json_of(post('/v1/webhook-endpoints', $body, with('create-1')), 'created once more'), $first, '... is the same, secret included');
is($site->value("SELECT count(*) FROM disclosed.live_webhook_endpoint WHERE url LIKE '%once'"), 1, '... and one');
problem_is(post('/v1/webhook-endpoints', { %$body, topics => ['event.created'] }, with('create-1')), 409, 'another request with the key', slug => 'idempotency-conflict',
    instance => '/v1/webhook-endpoints', detail => 'The Idempotency-Key was used for another request.');
problem_is(post('/v1/webhook-endpoints', $body, with('x' x 256)), 400, 'too long a key', instance => '/v1/webhook-endpoints', detail => 'An Idempotency-Key has 1 to 255 visible characters of ASCII.');
$site->execute("UPDATE disclosed.idempotency_key SET created_at = created_at - interval '25 hours' WHERE key = 'create-1'");
isnt(json_of(post('/v1/webhook-endpoints', $body, with('create-1')), 'a day later')->{id}, $first->{id}, '... a key is new again');
unlike($site->value("SELECT string_agg(k::text, ' ') FROM disclosed.idempotency_key k"), qr/whsec_/, 'no secret is kept with a key');

# --- rotating -----------------------------------------------------------------------------------

my $rotated = json_of(post("/v1/webhook-endpoints/$id/rotate-secret", { overlap_hours => 1 }), 'a new secret');
isnt($rotated->{signing_secret}, $secret, '... is another');
my $seen = scalar $receiver->received('/ok?b');
load_lines(filing($one));
my $signed = ($receiver->wait_for('/ok?b', $seen + 1))[$seen];
ok(Disclosed::Receiver::is_signed($signed, $_), '... and both sign') for $secret, $rotated->{signing_secret};
like(json_of($site->get("/v1/webhook-endpoints/$id", %keyed), 'the endpoint')->{previous_secret_until}, qr/^20.*Z$/, '... until then');
json_of(post("/v1/webhook-endpoints/$id/rotate-secret", { overlap_hours => 0 }), 'at once');
is($site->value("SELECT previous_sealed_secret IS NULL FROM disclosed.webhook_endpoint WHERE endpoint_id = $id"), 't', '... the old one signs no more');

# --- the log ------------------------------------------------------------------------------------

my $log = json_of($site->get('/v1/changes', %keyed), 'the log');
is(scalar($log->{data}->@*), $next, 'it has every filing');
my %by_id = map { ($_->{headers}{'webhook-id'} => $_->{body}) } $receiver->received('/ok?b');
my ($known) = grep { $by_id{ $_->{id} } } $log->{data}->@*;
my $delivered = $json->decode($by_id{ $known->{id} });
same_json([@$known{qw(type timestamp data)}], [@$delivered{qw(type timestamp data)}], '... under the ids of deliveries, with their bytes');
$page = json_of($site->get('/v1/changes?limit=2', %keyed), 'a page');
same_json([$page->{has_more}, $page->{next}], [JSON::PP::true, $log->{data}[1]{position}], '... goes on');
is(json_of($site->get("/v1/changes?limit=2&after=$page->{next}", %keyed), 'the next')->{data}[0]{id}, $log->{data}[2]{id}, '... there');
my $lines = $site->get('/v1/changes?limit=2', %keyed, headers => { Accept => 'application/x-ndjson' });
same_json([map { Disclosed::JSON->new->utf8->decode($_) } split /\n/, $lines->body], $page->{data}, 'as NDJSON an event a line');
is($lines->header('link'), qq{<$site->{base_url}/v1/changes?limit=2&after=$page->{next}>; rel="next"}, '... and a link to those behind');
is($site->get('/v1/changes', %keyed, headers => { Accept => 'application/x-ndjson' })->header('link'), undef, '... where there are any');
my ($columns, $row) = split /\r\n/, $site->get('/v1/changes?limit=2', %keyed, headers => { Accept => 'text/csv' })->body;
is($columns, 'id,position,type,timestamp,data', 'as CSV');
my $event = $page->{data}[0];
my ($cell) = $row =~ /^\Q$event->{id},$event->{position},$event->{type},$event->{timestamp},\E"(.*)"\z/;
same_json(Disclosed::JSON->new->utf8->decode(($cell // 'null') =~ s/""/"/gr), $event->{data}, '... where data is one cell, of JSON');
same_json(json_of($site->get("/v1/changes?after=$log->{next}", %keyed), 'the end')->{data}, [], 'nothing is behind the end');

# An event that commits late is not skipped: one that was announced before has no position until it is seen.
{
    open my $slow, '|-', build('PGBIN') . "/psql -XAtq -d '@{[ $site->conninfo ]}' >/dev/null" or die $!;
    $slow->autoflush(1);
    print $slow "BEGIN; INSERT INTO disclosed.webhook_event (topic, subject) VALUES ('filing.created', 'late'); SELECT pg_advisory_lock(4711);\n";
    ok(wait_until(10, sub { $site->value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND granted") }), 'a load has announced and not committed');
    load_lines(filing($one));
    my $before = json_of($site->get("/v1/changes?after=$log->{next}", %keyed), 'a later load commits first');
    is(scalar($before->{data}->@*), 1, '... and is read');
    print $slow "COMMIT;\n";
    close $slow;
    my $after = json_of($site->get("/v1/changes?after=$before->{next}", %keyed), 'then the first commits');
    is(scalar($after->{data}->@*), 1, '... and is read, too');
    is($after->{data}[0]{data}, undef, '... though there is no such filing');
}

# --- topics -------------------------------------------------------------------------------------

my @topics = map { $_->{topic} } json_of($site->get('/v1/webhook-topics', %keyed), 'topics')->{data}->@*;
same_json(\@topics, [qw(filing.created transcript.published insider_transaction.reported institution_report.filed short_interest.published event.created corporate_action.created)], '... are seven');
my $all = '/v1/changes?' . join '&', map { "topics=$_" } @topics;
my $end = json_of($site->get($all, %keyed), 'all topics are asked for')->{next};
my $insider = { dataset => 'insider', cik => $one->{cik} + 0, record_key => 'a', form => '4', insider_name => 'Somebody', relationship => 'Director', transaction_type => 'purchase',
    transaction_code => 'P', shares => '100', price => '5', value => '500', filing_date => '2026-11-20', known_at => '2026-11-20T21:00:00Z', is_derivative => JSON::PP::false,
    provenance => { source_provider => 'sec', accession => '0009999999-26-900000' } };
my $call = { dataset => 'transcript', cik => $one->{cik} + 0, record_key => 'call-1', known_at => '2026-11-20T22:00:00Z', provenance => { source_provider => 'issuer_page' },
    call_date => '2026-11-20T21:00:00Z', event_type => 'investor_day', speakers => [], segments => [] };
load_lines($insider, $call);
my @news = json_of($site->get("$all&after=$end", %keyed), 'what is new')->{data}->@*;
my %of = map { ($_->{type} => $_) } @news;
same_json([sort keys %of], [qw(event.created insider_transaction.reported transcript.published)], 'a transcript, its event, and a transaction are announced');
is($of{'insider_transaction.reported'}{data}{insider}{name}, 'Somebody', '... with the item');
is($site->get($of{$_}{data}{url} =~ s{^https?://[^/]+}{}r)->status, 200, "... whose address leads to it ($_)") for sort keys %of;

# What a load says was public before the day that it names is history: no topic has it.
$end = json_of($site->get($all, %keyed), 'the end')->{next};
{
    local $ENV{PGOPTIONS} = '-c disclosed.webhooks_since=2026-11-20';
    my %past = (known_at => '2026-11-20T04:59:59Z'); # the day before in New York
    load_lines({ filing($two)->%*, filed_on => '2026-11-19', %past }, { %$insider, %past, record_key => 'b', insider_name => 'Somebody Before' },
        { %$call, %past, record_key => 'call-2', cik => $two->{cik} + 0, call_date => '2026-11-19T21:00:00Z' });
    is($site->value("SELECT count(*) FROM transcript WHERE record_key = 'call-2' AND event_id IS NOT NULL"), 1, 'a call of the past, and its event, are loaded');
    same_json(json_of($site->get("$all&after=$end", %keyed), 'history')->{data}, [], '... is told to nobody');
    load_lines({ filing($two)->%* }, { %$insider, known_at => '2026-11-20T05:00:00Z', record_key => 'c', insider_name => 'Somebody Since' });
    same_json([sort map { $_->{type} } json_of($site->get("$all&after=$end", %keyed), 'what is of that day')->{data}->@*], [qw(filing.created insider_transaction.reported)], '... is');
}

# What is announced is found without what is stored of the companies: so many rows are read as a load brings, not as there are. One of a record that was
# there is none.
{
    local $ENV{PGOPTIONS} = '-c disclosed.webhooks_since=2026-11-20';
    load_lines(map { { %$insider, record_key => "past-$_", filing_date => '2026-11-02', known_at => '2026-11-02T21:00:00Z' } } 1 .. 3000);
}
$site->execute('ANALYZE disclosed.insider_transaction');
my $copied = q{INSERT INTO disclosed.insider_transaction SELECT (jsonb_populate_record(t, jsonb_build_object('row_id', nextval('disclosed.row_id'), 'recorded_at', now(), 'known_at', '2026-11-21T00:00:00Z', %s))).*
    FROM disclosed.insider_transaction t WHERE t.record_key = '%s' AND t.superseded_at IS %s};
my $read = q{SELECT 'read=' || (seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables WHERE relname = 'insider_transaction' AND schemaname = 'disclosed'};
my $told = $site->value(join '; ', 'BEGIN',
    q{UPDATE disclosed.insider_transaction SET superseded_at = '2026-11-21T00:00:00Z' WHERE record_key = 'past-7'},
    sprintf($copied, q{'superseded_at', NULL}, 'past-7', 'NOT NULL'),
    sprintf($copied, q{'id', nextval('disclosed.record_id'), 'record_key', 'new'}, 'past-8', 'NULL'), $read,
    "SELECT disclosed.announce_rows('insider_transaction.reported', ARRAY(SELECT issuer_id FROM disclosed.issuer WHERE cik = $one->{cik}))", $read,
    q{SELECT 'told=' || coalesce(string_agg(t.record_key, ','), '') FROM disclosed.webhook_event v JOIN disclosed.insider_transaction t ON t.id::text = v.subject WHERE v.xmin::text::bigint = txid_current()}, 'ROLLBACK');
my ($before, $after) = $told =~ /read=(\d+)/g;
cmp_ok(($after // 1e6) - ($before // 0), '<', 30, 'a load of two rows of a company with thousands reads few of them');
like($told, qr/told=new$/m, '... and announces the new one') or diag $told;

# --- who waits for whom -------------------------------------------------------------------------

# What a session does before it stands still, and what another says that asks with patience for half a second.
sub beside
{
    my ($held, $asked) = @_;
    open my $other, '|-', build('PGBIN') . "/psql -XAtq -d '@{[ $site->conninfo ]}' >/dev/null" or die $!;
    $other->autoflush(1);
    print $other "SET search_path = disclosed; BEGIN; $held SELECT pg_advisory_lock(4712);\n";
    ok(wait_until(10, sub { $site->value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712 AND granted") }), 'another is at it');
    my $got = eval { $site->value("SET lock_timeout = '500ms'; BEGIN; $asked; ROLLBACK") } // $@;
    print $other "ROLLBACK;\n";
    close $other;
    return $got;
}

my $reader = $site->value('SELECT max(account_id) FROM disclosed.change_reader');
my $reading = sub { "SELECT count(*) > 0 FROM disclosed.read_changes($reader, 0, '{$_[0]}', 10, 'https://a.test');" };
is(beside($reading->('filing.created,event.created'), $reading->('event.created,filing.created')), 't', 'requests of an account for the log do not wait for each other');
$site->execute('DELETE FROM disclosed.change_reader');
my $twice = json_of($site->get('/v1/changes?topics=filing.created&topics=filing.created', %keyed), 'a topic that is named twice');
same_json($twice, json_of($site->get('/v1/changes?topics=filing.created', %keyed), '... once'), '... counts once');
$site->execute("UPDATE disclosed.change_reader SET read_at = read_at - interval '2 days'");
json_of($site->get('/v1/changes?topics=filing.created&topics=filing.created', %keyed), '... also a day later');
is($site->value("SELECT count(*) FROM disclosed.change_reader WHERE read_at > now() - interval '1 hour'"), 1, '... which is noted');
$site->execute("UPDATE disclosed.change_reader SET read_at = read_at - interval '40 days'");
is(beside('UPDATE change_reader SET read_at = now();', 'SELECT disclosed.prune_requests(); SELECT count(*) FROM disclosed.change_reader'), "\n1", 'who forgets readers waits for none');
$site->execute('SELECT disclosed.prune_requests()');
is($site->value('SELECT count(*) FROM disclosed.change_reader'), 0, '... and forgets them when they are free');

# Whoever changes deliveries of an endpoint has locked it.
my ($sent, $of) = split /\|/, $site->value('SELECT delivery_id, endpoint_id FROM disclosed.webhook_delivery ORDER BY 1 DESC LIMIT 1');
my $claimed = "UPDATE disclosed.webhook_delivery SET next_attempt_at = now(), ended_at = NULL, outcome = NULL, claimed_by = 'a.test/1', claimed_until = now() + interval '1 hour' WHERE delivery_id = $sent";
for my $call ("drop_webhooks(ARRAY[$sent])", "drop_unwanted_webhooks('{}')", "release_webhooks('a.test/1', NULL)", "release_lost_webhooks('a.test/1', '{}')") {
    my $said = $call =~ s/[(].*//r;
    like(beside("SELECT 1 FROM webhook_endpoint WHERE endpoint_id = $of FOR NO KEY UPDATE;", "$claimed; SELECT disclosed.$call"), qr/lock timeout/, "$said() locks endpoints first");
    is($site->value("BEGIN; $claimed; DO 'BEGIN PERFORM disclosed.@{[ $call =~ s/'/''/gr ]}; END'; SELECT claimed_by IS NULL FROM disclosed.webhook_delivery WHERE delivery_id = $sent; ROLLBACK"), 't', '... and does what it is for');
}

finish();

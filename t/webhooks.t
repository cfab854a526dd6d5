# Webhooks from registration to delivery, with a receiver behind HTTPS: what is refused, what is sent and
# how it is signed, what a receiver's answer leads to, and what is lost when a process dies: nothing.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Process qw(wait_until children_of is_alive);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use IO::Socket::IP;
use Disclosed::JSON ();

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory;
my $receiver = Disclosed::Receiver->start($directory);
promises(
    list_webhook_endpoints => {
        parameters => [qw()],
        fields => [qw(id url topics symbols? forms? created_at secret_hint previous_secret_until? disabled_at? disabled_reason?)],
    },
    create_webhook_endpoint => {
        parameters => [qw(url topics symbols forms)],
        fields => [qw(id url topics symbols? forms? created_at signing_secret)],
    },
    delete_webhook_endpoint => {
        parameters => [qw(id)],
        fields => [qw(ok)],
    },
    test_webhook_endpoint => {
        parameters => [qw(id)],
        fields => [qw(result)],
    },
    list_webhook_topics => {
        parameters => [qw()],
        fields => [qw(data)],
    },
);
my $site = site(config => $receiver->config . <<"END");
@{[ status_location() ]}
@{[ metrics_location() ]}
END
my $json = Disclosed::JSON->new->utf8->canonical;

sub post
{
    my ($target, $body, %option) = @_;
    my %headers = ('Content-Type' => 'application/json', %{ delete $option{headers} // {} });
    return $site->request('POST', $target, key => 'builder', headers => \%headers, body => ref $body ? $json->encode($body) : $body, %option);
}

# A new endpoint on a path of the receiver: its id and its secret.
sub endpoint
{
    my ($path, @topics) = @_;
    my $made = json_of(post('/v1/webhook-endpoints', { url => $receiver->url($path), topics => @topics ? \@topics : ['filing.created'] }), "an endpoint on $path");
    return ($made->{id}, $made->{signing_secret});
}

sub remove { my ($id) = @_; json_of($site->request('DELETE', "/v1/webhook-endpoints/$id", key => 'builder'), "endpoint $id is removed") }

my $issuer = ($site->rows('SELECT issuer_id, symbol, cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1'))[0];
my $next = 0;

# Loads new filings; returns their accession numbers.
sub load_filings
{
    my ($count, @options) = @_;
    my @accessions = map { sprintf '0009999999-26-%06d', ++$next } 1 .. $count;
    my $lines = join '', map { $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0, form => '8-K', filed_on => '2026-11-20',
        known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => $_ }, title => "Report <$_> é" }) . "\n" } @accessions;
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', @options, $site->write('filings.ndjson', $lines));
    is($code, 0, "$count filings are loaded") or diag $out, $err;
    return @accessions;
}

# --- who may ------------------------------------------------------------------------------------

problem_is($site->get('/v1/webhook-endpoints', key => $_), 403, "$_ has no webhooks", instance => '/v1/webhook-endpoints',
    required_tier => 'builder', detail => 'This endpoint needs the plan builder or a higher one.') for qw(free starter test);
problem_is($site->get('/v1/webhook-endpoints', key => undef), 401, 'nor has a stranger', instance => '/v1/webhook-endpoints');
problem_is(post('/v1/webhook-endpoints', '{', key => 'free'), 403, 'a plan is asked for before the body is looked at', instance => '/v1/webhook-endpoints',
    required_tier => 'builder', detail => 'This endpoint needs the plan builder or a higher one.');
same_json({ data => [(json_of($site->get('/v1/webhook-topics', key => 'builder'), 'topics')->{data}->@*)[0, 1]] },
    { data => [{ topic => 'filing.created', description => 'A new filing was indexed for a covered issuer.' },
        { topic => 'transcript.published', description => 'A first-party transcript of an earnings call can be read.' }] }, '... are those of the contract, and others');
is($site->get('/v1/webhook-endpoints', key => 'builder')->body, '{"data":[]}', 'no endpoints yet');
ok(wait_until(10, sub { $site->value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mod_disclosed delivery worker'") == 1 }),
    'what delivers has a connection of its own, which the database shows by its name');

# --- what is refused ----------------------------------------------------------------------------

my $missing = sub { my ($name, $input) = @_; return fault('missing', ['body', $name], 'Field required', $input) };
my $topics_missing = sub { my ($url) = @_; return $missing->('topics', { url => $url }) };
my $good = $receiver->url('/ok');
my $topics = join(', ', map { "'$_'" } qw(filing.created transcript.published insider_transaction.reported institution_report.filed short_interest.published event.created))
    . " or 'corporate_action.created'";
my $choices = qq({"expected":"$topics"});
my $value_error = '{"error":{}}';
for my $case (
    ['', [fault('missing', ['body'], 'Field required', undef)], 'no body'],
    ['null', [fault('missing', ['body'], 'Field required', undef)], 'null'],
    ['{}', [$missing->('url', {}), $missing->('topics', {})], 'an empty object'],
    ['[]', [fault('model_attributes_type', ['body'], 'Input should be a valid dictionary or object to extract fields from', [])], 'a list'],
    ['{"url":', [fault('json_invalid', ['body', 7], 'JSON decode error', {}, '{"error":"Expecting value"}')], 'half an object'],
    ['{"é": 1,}', [fault('json_invalid', ['body', 7], 'JSON decode error', {}, '{"error":"Illegal trailing comma before end of object"}')], 'a trailing comma, counted in characters'],
    [{ url => $good, topics => [] }, [fault('too_short', ['body', 'topics'], 'List should have at least 1 item after validation, not 0', [],
        '{"field_type":"List","min_length":1,"actual_length":0}')], 'no topics'],
    [{ url => $good, topics => 'filing.created' }, [fault('list_type', ['body', 'topics'], 'Input should be a valid list', 'filing.created')], 'a text for a list'],
    [{ url => $good, topics => ['filing.created', 'x', 5] }, [map { fault('literal_error', ['body', 'topics', $_->[0]],
        "Input should be $topics", $_->[1], $choices) } [1, 'x'], [2, 5]], 'unknown topics'],
    [{ url => 5, topics => ['filing.created'] }, [fault('url_type', ['body', 'url'], 'URL input should be a string or URL', 5)], 'a number for a URL'],
    [{ url => 'http://example.com/', topics => ['filing.created'] }, [fault('url_scheme', ['body', 'url'], "URL scheme should be 'https'", 'http://example.com/',
        q({"expected_schemes":"'https'"}))], 'http'],
    [{ url => 'nothing', topics => ['filing.created'] }, [fault('url_parsing', ['body', 'url'], 'Input should be a valid URL, relative URL without a base', 'nothing',
        '{"error":"relative URL without a base"}')], 'no URL'],
    [{ url => 'https://10.1.2.3/x', topics => ['filing.created'] }, [fault('value_error', ['body', 'url'], 'Value error, the address 10.1.2.3 is not public',
        'https://10.1.2.3/x', $value_error)], 'an address inside'],
    [{ url => 'https://[::1]/x', topics => ['filing.created'] }, [fault('value_error', ['body', 'url'], 'Value error, the address [::1] is not public',
        'https://[::1]/x', $value_error)], 'an IPv6 address inside'],
    [{ url => 'https://example.com:8443/', topics => ['filing.created'] }, [fault('value_error', ['body', 'url'], 'Value error, port 8443 may not be called',
        'https://example.com:8443/', $value_error)], 'another port'],
    ) {
    faults_is(post('/v1/webhook-endpoints', $case->[0]), $case->[1], "refused: $case->[2]");
}
faults_is(post('/v1/webhook-endpoints', '{"url":1}', headers => { 'Content-Type' => 'text/plain' }),
    [fault('model_attributes_type', ['body'], 'Input should be a valid dictionary or object to extract fields from', '{"url":1}')], 'a text is no object');
problem_is(post('/v1/webhook-endpoints', "{\"url\":\"\xff\"}"), 400, 'no UTF-8', instance => '/v1/webhook-endpoints',
    detail => 'The body cannot be read: it is not UTF-8, nests too deeply, or has a number or character that is out of range.');
problem_is(post('/v1/webhook-endpoints', '[' x 100), 400, 'too deep', instance => '/v1/webhook-endpoints',
    detail => 'The body cannot be read: it is not UTF-8, nests too deeply, or has a number or character that is out of range.');
problem_is(post('/v1/webhook-endpoints', '"' . 'x' x 70000 . '"'), 413, 'too long', instance => '/v1/webhook-endpoints');
is($site->get('/v1/webhook-endpoints', key => 'builder')->body, '{"data":[]}', 'nothing of that was stored');

# --- registering --------------------------------------------------------------------------------

my $made = json_of(post('/v1/webhook-endpoints', { url => "$good#part", topics => ['filing.created', 'filing.created'], more => 1 }), 'an endpoint');
my ($id, $secret) = @$made{qw(id signing_secret)};
like($secret, qr{^whsec_[A-Za-z0-9+/]{43}=$}, 'its secret: 32 bytes');
like($made->{created_at}, qr/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/, 'when it was made');
same_json([sort keys %$made], [qw(created_at forms id signing_secret symbols topics url)], 'its members');
same_json([@$made{qw(url topics)}], [$good, ['filing.created']], 'the fragment and the repetition are gone');
my $listed = json_of($site->get('/v1/webhook-endpoints', key => 'builder'), 'the list');
same_json($listed, { data => [{ id => $id, url => $good, topics => ['filing.created'], created_at => $made->{created_at},
    symbols => undef, forms => undef, previous_secret_until => undef,
    secret_hint => substr($secret, 0, 12), disabled_at => undef, disabled_reason => undef }] }, '... shows no more of the secret than a hint');
like($site->value('SELECT sealed_secret FROM disclosed.webhook_endpoint'), qr{^v1:[A-Za-z0-9+/=]+$}, 'the secret is stored sealed');
unlike($site->value("SELECT concat(e, (SELECT string_agg(a::text, ' ') FROM disclosed.access_audit a)) FROM disclosed.webhook_endpoint e"),
    qr/\Q@{[substr $secret, 12]}\E/, '... and stands nowhere in clear');
is($site->value("SELECT count(*) FROM disclosed.access_audit WHERE action = 'webhook_endpoint insert' AND NOT after ? 'sealed_secret'"), 1, 'it is in the audit');

# Another account sees nothing of it.
my $other = tester('another');
is($site->get('/v1/webhook-endpoints', key => $other)->body, '{"data":[]}', 'another account has none');
for my $number ($id, 999, '99999999999999999999') {
    my %of = (key => $number eq $id ? $other : 'builder');
    my $detail = "There is no webhook endpoint with the id \"$number\".";
    problem_is($site->request('DELETE', "/v1/webhook-endpoints/$number", %of), 404, "no endpoint $number to remove", instance => "/v1/webhook-endpoints/$number", detail => $detail);
    problem_is($site->request('POST', "/v1/webhook-endpoints/$number/test", %of), 404, '... nor to test', instance => "/v1/webhook-endpoints/$number/test", detail => $detail);
}
faults_is($site->request('DELETE', '/v1/webhook-endpoints/x', key => 'builder'),
    [fault('int_parsing', ['path', 'id'], 'Input should be a valid integer, unable to parse string as an integer', 'x')], 'an id is a number');

# An account has 50 at most; deleted ones do not count, nor do those of others.
my @many = map { (endpoint("/ok?$_"))[0] } 2 .. 50;
faults_is(post('/v1/webhook-endpoints', { url => $good, topics => ['filing.created'] }),
    [fault('value_error', ['body'], 'Value error, an account has at most 50 webhook endpoints', { url => $good, topics => ['filing.created'] }, $value_error)], 'a 51st is refused');
is(scalar(json_of($site->get('/v1/webhook-endpoints', key => 'builder'), 'the list')->{data}->@*), 50, '... 50 are there');
status_is($site->request('POST', '/v1/webhook-endpoints', key => $other, headers => { 'Content-Type' => 'application/json' },
    body => $json->encode({ url => $good, topics => ['filing.created'] })), 200, 'another account may have its own');
remove(pop @many);
push @many, (endpoint('/ok?again'))[0];
remove($_) for @many;
$site->request('DELETE', '/v1/webhook-endpoints/' . $site->value('SELECT max(endpoint_id) FROM live_webhook_endpoint'), key => $other);
is($site->value('SELECT count(*) FROM live_webhook_endpoint'), 1, 'one is left');

# --- tests --------------------------------------------------------------------------------------

my $trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
is(post("/v1/webhook-endpoints/$id/test", '', headers => { traceparent => $trace, tracestate => 'a=1' })->body,
    '{"result":{"delivered":true,"status":200,"error":null}}', 'a test arrives');
my ($test) = $receiver->received('/ok');
ok($test && Disclosed::Receiver::is_signed($test, $secret), '... signed');
same_json([@{ $test->{headers} }{qw(content-type traceparent tracestate)}], ['application/json', $trace, 'a=1'], '... with its headers and the request\'s trace');
like($test->{headers}{'user-agent'}, qr{^mod_disclosed/\d+\.\d+\.\d+ \(\+https://docs\.example\.org\)$}, '... by whom');
my $told = $json->decode($test->{body});
like($told->{timestamp}, qr/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, '... when');
same_json([$told->{type}, $told->{data}], ['webhook.test', { endpoint_id => $id, message => 'This is a test of your webhook endpoint.' }], '... what');
like($test->{headers}{'webhook-id'}, qr/^msg_[0-9a-f]{32}$/, '... and by which id');
for my $case (['/moved', 302], ['/410', 410], ['/500', 500]) {
    my ($tested) = endpoint("$case->[0]?test");
    is(post("/v1/webhook-endpoints/$tested/test", '')->body, qq({"result":{"delivered":false,"status":$case->[1],"error":null}}), "a test that is answered with $case->[1]");
    remove($tested);
}
is(scalar($receiver->received('/ok')), 1, 'redirects are not followed');
my ($closed) = endpoint('/closed');
my $outcome = json_of(post("/v1/webhook-endpoints/$closed/test", ''), 'a test that is not answered');
is($outcome->{result}{delivered}, JSON::PP::false, '... is not delivered');
remove($closed);
is($site->value('SELECT count(*) FROM disclosed.webhook_delivery'), 0, 'tests leave nothing behind');

# Each test holds a thread while its receiver thinks: a process runs eight at a time, of an account two.
my $single = site(database => $site->{database}, cluster => $site->{cluster}, start => 0, processes => 1, threads => 16);
$single->{config} = $receiver->directives;
$single->write('conf/secret', "$site->{secret}\n", 0600);
$single->{keys} = $site->{keys};
$single->start;
my @testers = ($site->{keys}{builder}, $other, map { tester("tester $_") } 1 .. 3);
my $unresponsive = test_target($testers[0], '/held/never');
my @unanswered = map { start_test($single, $testers[0], $unresponsive) } 1 .. 2;
is(scalar($receiver->wait_for('/held/never', 2)), 2, 'an account has two tests at a time');
my $third = test_target($testers[0], '/ok?third');
my $begun = time;
my $refused = $single->request('POST', "/v1/webhook-endpoints/$third/test", key => $testers[0]);
problem_is($refused, 429, '... a third is refused', instance => "/v1/webhook-endpoints/$third/test",
    detail => 'Too many webhook tests of the account are running; see the Retry-After header.');
my $wait = $refused->header('retry-after') // 99;
ok($wait <= 16, '... until the first must have ended') or diag $refused->describe;
my @others = map { test_target($_, '/held') } @testers[1 .. 4];
my $after_silence = test_target($testers[1], '/ok?beside');
is($single->request('POST', "/v1/webhook-endpoints/$after_silence/test", key => $testers[1])->body, '{"result":{"delivered":true,"status":200,"error":null}}', '... that of another account arrives meanwhile');
my @running = map { my $who = $_; map { start_test($single, $testers[$who], $others[$who - 1]) } 1 .. 2 } 1 .. 3;
is(scalar($receiver->wait_for('/held', 6)), 6, 'eight tests run at a time');
my $full = $single->request('POST', "/v1/webhook-endpoints/$others[3]/test", key => $testers[4]);
problem_is($full, 503, '... a ninth is refused, of whatever account',
    instance => "/v1/webhook-endpoints/$others[3]/test", detail => 'Too many webhook tests are running; try again.');
ok($full->header('retry-after') > 1 && $full->header('retry-after') <= 16, '... until the first of all must have ended') or diag $full->describe;
$receiver->release;
is(scalar(grep { join('', readline $_) =~ /"delivered":true/ } @running), 6, '... those that are answered arrive');
is($single->request('POST', "/v1/webhook-endpoints/$others[3]/test", key => $testers[4])->status, 200, '... and then others run');
my $left = $wait - (time - $begun);
sleep $left if $left > 0;
is($single->request('POST', "/v1/webhook-endpoints/$third/test", key => $testers[0])->status, 200, 'who waits as long as Retry-After says succeeds');
$receiver->release('never');
close $_ for @running, @unanswered;
ok($single->stop, 'that httpd stops');
log_is_clean($single, '... with a clean log');
remove($_) for $unresponsive, $third;
json_of($site->request('DELETE', "/v1/webhook-endpoints/$_->[1]", key => $_->[0]), '... of another account') for [$testers[1], $after_silence], map { [$testers[$_], $others[$_ - 1]] } 1 .. 4;

# A key of an account of its own.
sub tester
{
    my ($owner) = @_;
    my $key = make_key('live');
    $site->execute("INSERT INTO disclosed.account (owner) VALUES ('$owner'); " . insert_key_sql($key, 'builder')
        . "; UPDATE disclosed.api_key SET account_id = (SELECT account_id FROM disclosed.account WHERE owner = '$owner') WHERE key_id = '" . substr($key, 8, 8) . "'");
    return $key;
}

# A new endpoint of the key's account: its id.
sub test_target
{
    my ($key, $path) = @_;
    return json_of(post('/v1/webhook-endpoints', { url => $receiver->url($path), topics => ['filing.created'] }, key => $key), "an endpoint on $path")->{id};
}

# A test whose answer is read later: its socket.
sub start_test
{
    my ($host, $key, $number) = @_;
    my $socket = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $host->{port}) or die "connect: $@";
    syswrite $socket, "POST /v1/webhook-endpoints/$number/test HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer $key\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    return $socket;
}

# --- deliveries ---------------------------------------------------------------------------------

my ($both) = endpoint('/ok?both', 'filing.created', 'transcript.published');
my ($accession) = load_filings(1);
my @got = $receiver->wait_for('/ok', 2);
is(scalar(@got), 2, 'a new filing is told of');
my $delivery = $json->decode($got[1]{body});
ok(Disclosed::Receiver::is_signed($got[1], $secret), '... signed');
my $item = json_of($site->get('/v1/filings?symbols=' . ($issuer->{symbol} =~ s/:/%3A/r) . '&start_date=2026-11-20'), 'the filing in the list')->{data}[0];
is($item->{accession}, $accession, '... is that one');
same_json($delivery->{data}, { %$item, symbol => $issuer->{symbol}, url => "$site->{base_url}/v1/filings/$accession" }, 'the delivery has the item, its symbol and its address');
like($got[1]{body}, qr/^\{"type":"filing\.created","timestamp":"[^"]+","data":\{"id":\d+,.*"symbol":"[^"]+","url":"[^"]+"\}\}$/, '... in this order');
is($delivery->{type}, 'filing.created', '... its topic');
ok(wait_until(5, sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome = 'delivered'") == 2 }), 'both endpoints got it');
is(($receiver->received('/ok?both'))[0]{headers}{'webhook-id'}, $got[1]{headers}{'webhook-id'}, '... under the id of the event');
is($site->value('SELECT message_id FROM disclosed.webhook_event'), $got[1]{headers}{'webhook-id'}, '... which its log has');
$site->control('import', 'ndjson', "$site->{root}/filings.ndjson");
is($site->value('SELECT count(*) FROM disclosed.webhook_event'), 1, 'the same once more is not news');
load_filings(1, '--no-webhooks');
is($site->value('SELECT count(*) FROM disclosed.webhook_event'), 1, 'nor is what is loaded without webhooks');

my $transcript = $json->encode({ dataset => 'transcript', cik => $issuer->{cik} + 0, record_key => 'call-1', known_at => '2026-11-20T22:00:00Z', provenance => { source_provider => 'issuer_page' },
    call_date => '2026-11-20T21:00:00Z', event_type => 'earnings', speakers => [], segments => [] });
is(($site->control('import', 'ndjson', $site->write('transcript.ndjson', "$transcript\n")))[0], 0, 'a transcript is loaded');
@got = $receiver->wait_for('/ok?both', 2);
$delivery = $json->decode($got[1]{body});
my $transcripts = json_of($site->get('/v1/transcripts?symbols=' . ($issuer->{symbol} =~ s/:/%3A/r)), 'the transcript in the list')->{data};
my ($shown) = grep { $_->{id} == ($delivery->{data}{id} // 0) } @$transcripts;
same_json($delivery->{data}, { %{ $shown // {} }, symbol => $issuer->{symbol}, url => "$site->{base_url}/v1/transcripts/$delivery->{data}{id}" }, 'a transcript is told of in the same way');
is($delivery->{type}, 'transcript.published', '... under its topic');
is(scalar($receiver->received('/ok')), 2, '... to those who want it');
remove($both);

# --- what does not arrive at once ---------------------------------------------------------------

my ($failing, $failing_secret) = endpoint('/fail-first/1');
remove($id);
load_filings(1);
@got = $receiver->wait_for('/fail-first/1', 2, 15);
is(scalar(@got), 2, 'a failed attempt is repeated');
is($got[0]{headers}{'webhook-id'}, $got[1]{headers}{'webhook-id'}, '... under the same id');
is($got[0]{body}, $got[1]{body}, '... with the same bytes');
cmp_ok($got[1]{at} - $got[0]{at}, '>=', 4, '... seconds later');
ok(Disclosed::Receiver::is_signed($got[1], $failing_secret), '... signed anew');
ok(wait_until(5, sub { $site->value('SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome IS NULL') == 0 }), '... and done');
same_json([map { [@$_{qw(attempt status)}] } $site->rows("SELECT a.attempt, a.status FROM disclosed.webhook_attempt a JOIN disclosed.webhook_delivery d USING (delivery_id) WHERE d.endpoint_id = $failing ORDER BY 1")],
    [[1, 500], [2, 200]], '... both attempts are noted');
is($site->value("SELECT failing_since IS NULL FROM disclosed.webhook_endpoint WHERE endpoint_id = $failing"), 't', '... and the endpoint is well again');
remove($failing);

my ($busy) = endpoint('/busy');
my ($moved) = endpoint('/moved');
my ($aborting) = endpoint('/abort');
my ($unwanted) = endpoint('/410');
load_filings(1);
ok(wait_until(10, sub { $site->value('SELECT count(*) FROM disclosed.webhook_attempt a JOIN disclosed.webhook_delivery d USING (delivery_id)'
    . " WHERE d.endpoint_id IN ($busy, $moved, $aborting, $unwanted)") >= 4 }), 'four receivers that do not take it');
my %state = map { ($_->{endpoint_id} => $_) } $site->rows('SELECT d.endpoint_id, d.outcome, e.concurrency, e.disabled_reason, round(extract(epoch FROM d.next_attempt_at - a.at)) AS wait'
    . ' FROM disclosed.webhook_delivery d JOIN disclosed.webhook_endpoint e USING (endpoint_id) JOIN disclosed.webhook_attempt a ON a.delivery_id = d.delivery_id AND a.attempt = 1'
    . " WHERE e.endpoint_id IN ($busy, $moved, $aborting, $unwanted)");
ok($state{$busy}{wait} >= 29 && $state{$busy}{wait} <= 31, 'Retry-After is obeyed');
is($state{$busy}{concurrency}, 2, '... and fewer are sent at a time');
ok($state{$moved}{wait} >= 4 && $state{$moved}{wait} <= 6, 'a redirect is a failure like others');
is($state{$aborting}{outcome}, 'aborted', 'a receiver may abort a message');
is($state{$unwanted}{outcome} . ' ' . ($state{$unwanted}{disabled_reason} // ''), 'unwanted unwanted', '410 disables the endpoint');
expect_log($site, 'DSC0051');
log_is_clean($site, '... which the log tells');
my ($gone) = grep { $_->{id} == $unwanted } json_of($site->get('/v1/webhook-endpoints', key => 'builder'), 'the list')->{data}->@*;
is($gone->{disabled_reason}, 'unwanted', '... and the list shows it');
ok($gone->{disabled_at}, '... since when');
load_filings(1);
is($site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $unwanted"), 1, 'nothing more is queued for it');
remove($_) for $aborting, $unwanted;

# After all attempts, a message has failed; after five days without any success, the endpoint is disabled.
ok(wait_until(10, sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $moved AND attempts > 0 AND claimed_until IS NULL") == 2 }), 'no attempt is under way');
$site->execute("UPDATE disclosed.webhook_delivery SET attempts = 9, next_attempt_at = now() WHERE endpoint_id = $moved");
ok(wait_until(10, sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $moved AND outcome = 'failed' AND attempts = 10") == 2 }), 'ten attempts are all');
$site->execute("UPDATE disclosed.webhook_endpoint SET failing_since = now() - interval '5 days 1 minute' WHERE endpoint_id = $moved");
load_filings(1);
ok(wait_until(10, sub { $site->value("SELECT disabled_reason FROM disclosed.webhook_endpoint WHERE endpoint_id = $moved") eq 'failing' }), 'five days of failures disable an endpoint');
expect_log($site, 'DSC0051');
log_is_clean($site, '... which the log tells');
remove($moved);

sub metric { my ($name) = @_; return $site->get('/metrics', key => undef)->body =~ /^disclosed_$name\{database="0"\} (\S+)$/m ? $1 : undef }

# --- what an admin sees -------------------------------------------------------------------------

$site->execute("UPDATE disclosed.webhook_delivery SET claimed_until = NULL, next_attempt_at = now() + interval '1 hour', created_at = now() - interval '2 hours' WHERE endpoint_id = $busy");
my $waiting = $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE outcome IS NULL");
my %metric;
ok(wait_until(5, sub {
    %metric = $site->get('/metrics', key => undef)->body =~ /^(disclosed_webhook\S+) (\S+)$/gm;
    return $metric{'disclosed_webhook_deliveries_waiting{database="0"}'} == $waiting && $metric{'disclosed_webhook_queue_age_seconds{database="0"}'} > 7000;
}), 'metrics tell how many wait, and how long');
is($metric{'disclosed_webhook_overdue_seconds{database="0"}'}, '0.000', '... that none is overdue');
cmp_ok($metric{'disclosed_webhook_attempts_total{database="0",result="delivered"}'}, '>=', 4, '... what was delivered');
cmp_ok($metric{'disclosed_webhook_attempts_total{database="0",result="failed"}'}, '>=', 6, '... and what was not');
my $status = $site->get('/status?auto', key => undef)->body;
like($status, qr/^DisclosedWebhooksWaiting0: $waiting$/m, 'so does mod_status');
like($status, qr/^DisclosedWebhookQueueAge0: 7\d\d\d\.\d$/m, '... with the queue\'s age');
like($site->get('/status', key => undef)->body, qr{<dt>database 0: $waiting webhook deliveries wait, the oldest for 7\d\d\d\.\d seconds, 0\.0 overdue</dt>}, '... in words too');
remove($busy);

# --- what is lost -------------------------------------------------------------------------------

# The background process dies while a delivery is under way: its successor sends it again.
my ($slow) = endpoint('/slow');
load_filings(1);
$receiver->wait_for('/slow', 1);
kill 'KILL', $site->watcher_pid;
@got = $receiver->wait_for('/slow', 2, 15);
is(scalar(@got), 2, 'what a dead process was sending is sent again');
is($got[0]{headers}{'webhook-id'}, $got[1]{headers}{'webhook-id'}, '... under the same id');
ok(wait_until(10, sub { $site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $slow AND outcome = 'delivered'") == 1 }), '... and noted');
remove($slow);

# One that is told to stop waits a second for what is under way, and notes it. A machine may be held up for that second: three tries.
sub noted_at_a_stop
{
    my ($name) = @_;
    my ($held) = endpoint("/held/$name");
    load_filings(1);
    is(scalar($receiver->wait_for("/held/$name", 1)), 1, 'a delivery is under way');
    my $watcher = $site->watcher_pid;
    my $threads = sub { return scalar(my @tasks = glob "/proc/$watcher/task/*") };
    my $before = $threads->();
    kill 'TERM', $watcher;
    ok(wait_until(10, sub { $threads->() < $before }), '... when the process is told to stop, and the thread ends that looks at the database');
    $receiver->release($name);
    ok(wait_until(10, sub { !is_alive($watcher) }), '... as does the process');
    my $outcome = $site->value("SELECT outcome FROM disclosed.webhook_delivery WHERE endpoint_id = $held");
    remove($held);
    return $outcome eq 'delivered';
}
my $noted = 0;
for my $try (1 .. 3) { $noted ||= noted_at_a_stop("stop$try") }
ok($noted, 'what ends while a process stops is noted: nobody sends it again');

# A key that is revoked takes the account's webhooks with it.
my ($orphan) = endpoint('/ok?orphan');
$site->execute('UPDATE disclosed.api_key SET revoked_at = now() WHERE account_id = (SELECT account_id FROM disclosed.live_webhook_endpoint)');
load_filings(1);
ok(wait_until(10, sub { $site->value("SELECT outcome FROM disclosed.webhook_delivery WHERE endpoint_id = $orphan") eq 'dropped' }), 'without a key, nothing is sent');
is(scalar($receiver->received('/ok?orphan')), 0, '... indeed');
$site->execute('UPDATE disclosed.api_key SET revoked_at = NULL');
remove_when_keys_are_back($orphan);

sub remove_when_keys_are_back
{
    my ($number) = @_;
    ok(wait_until(10, sub { $site->request('DELETE', "/v1/webhook-endpoints/$number", key => 'builder')->status == 200 }), 'the keys are back');
}

# Two hosts send what is queued in one database: each delivery once.
my $second = site(database => $site->{database}, cluster => $site->{cluster}, start => 0);
$second->{config} = $receiver->directives;
$second->{secret} = $site->{secret};
$second->write('conf/secret', "$site->{secret}\n", 0600);
$second->{keys} = $site->{keys};
$second->start;
my ($shared) = endpoint('/ok?shared');
load_filings(60);
@got = $receiver->wait_for('/ok?shared', 60, 30);
my %ids = map { ($_->{headers}{'webhook-id'} => 1) } @got;
is(scalar(@got) . ' ' . keys %ids, '60 60', 'two hosts deliver each of 60 once');
my $attempts = sub { return $site->value("SELECT count(*) FROM disclosed.webhook_attempt a JOIN disclosed.webhook_delivery d USING (delivery_id) WHERE d.endpoint_id = $shared") };
ok(wait_until(30, sub { $attempts->() == 60 }), '... and note it')
    or diag explain [$attempts->() . ' attempts', $site->rows("SELECT a.* FROM disclosed.webhook_attempt a JOIN disclosed.webhook_delivery d USING (delivery_id) WHERE d.endpoint_id = $shared AND a.status IS DISTINCT FROM 200")];
remove($shared);
ok($second->stop, 'one of them stops');
log_is_clean($second, '... with a clean log');

# A new server secret: what was sealed under the one before is sealed anew, and still signs.
my ($kept, $kept_secret) = endpoint('/ok?kept');
my $sealed = $site->value("SELECT sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $kept");
ok($site->stop, 'httpd stops');
my $new = join '', map { sprintf '%02x', rand 256 } 1 .. 32;
$site->write('conf/secret', "$new\n$site->{secret}\n", 0600);
$site->start;
ok(wait_until(10, sub { $site->value("SELECT sealed_secret FROM disclosed.webhook_endpoint WHERE endpoint_id = $kept") ne $sealed }), 'a secret is sealed anew');
ok($site->stop, 'httpd stops');
$site->write('conf/secret', "$new\n", 0600);
$site->start;
load_filings(1);
@got = $receiver->wait_for('/ok?kept', 1);
ok($got[0] && Disclosed::Receiver::is_signed($got[0], $kept_secret), 'the endpoint\'s secret is what it was');

# Nothing is sent where webhooks are off, or where the database lacks the secret's key.
ok($site->stop, 'httpd stops');
$site->write('conf/secret', join('', map { sprintf '%02x', rand 256 } 1 .. 32) . "\n", 0600);
$site->start;
load_filings(1);
expect_log($site, 'DSC0052');
ok(wait_until(10, sub { metric('webhook_put_back_total') == 1 }), 'under another server secret nothing is signed');
is($site->value("SELECT concat_ws(' ', attempts, claimed_by, outcome) FROM disclosed.webhook_delivery WHERE endpoint_id = $kept AND outcome IS NULL"), '0', '... which is no attempt');
is($site->value("SELECT failing_since IS NULL FROM disclosed.webhook_endpoint WHERE endpoint_id = $kept"), 't', '... and not the receiver\'s fault');
is(metric('webhook_obstructed_endpoints'), 1, '... the metrics tell of it');
is(post("/v1/webhook-endpoints/$kept/test", '')->body, '{"result":{"delivered":false,"status":0,"error":"the signing secret cannot be opened"}}', '... nor is a test');
log_is_clean($site, '... the log tells of it, once');
remove($kept);
ok($site->stop, 'httpd stops');
$site->{config} = "DisclosedWebhooks Off\n" . $site->{config};
$site->start;
my ($silent) = endpoint('/ok?silent');
is(post("/v1/webhook-endpoints/$silent/test", '')->body, '{"result":{"delivered":false,"status":0,"error":"this server sends no webhooks"}}', 'with webhooks off nothing is tested');
load_filings(1);
sleep 2;
is($site->value("SELECT count(*) FROM disclosed.webhook_delivery WHERE endpoint_id = $silent AND outcome IS NULL AND attempts = 0"), 1, 'with webhooks off they wait');
ok(wait_until(5, sub { $site->get('/metrics', key => undef)->body =~ /^disclosed_webhook_deliveries_waiting\{database="0"\} 1$/m }), '... which the metrics tell all the same');
remove($silent);

unlike(join('', map { my $log = $_; local $/; open my $file, '<', "$site->{root}/logs/$log" or die; scalar <$file> } qw(error_log access_log)),
    qr/whsec_/, 'no secret in the logs');
finish();

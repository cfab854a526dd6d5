package Disclosed::Test;

# What every suite uses: Test::More, a site, and assertions on answers. A suite ends with finish(),
# which stops its servers and looks through their logs. Responses are cached, as they are for users, except in a suite that says
# `use Disclosed::Test 'without_cache'`: one that loads and reads at once, changes rows without their version, or stops PostgreSQL.
# One that counts the database's sessions, or needs a new one for each SQL, says 'own_sessions'.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Client;
use Disclosed::Described qw(described_faults looked_at_responses);
use Disclosed::Process qw(run);
use Disclosed::Site;
use Disclosed::JSON ();
use Test::More;

our @names = qw(site status_is problem_is faults_is fault json_of log_is_clean finish same_json expect_log
    not_found_company promises metrics_location status_location);

sub import
{
    my ($class, @words) = @_;
    my $caller = caller;
    $Disclosed::Site::cached = 0 if grep { $_ eq 'without_cache' } @words;
    $Disclosed::Cluster::keeps_sessions = 0 if grep { $_ eq 'own_sessions' } @words;
    strict->import;
    warnings->import;
    feature->import(':5.24');
    Test::More->export_to_level(1);
    no strict 'refs';
    *{"${caller}::$_"} = \&$_ for @names;
    # A suite that dies, or is stopped, still runs its END blocks.
    $SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);
}

sub site { return Disclosed::Site->new(@_) }

# Parts of a configuration: where metrics are, and mod_status; nothing where that is not installed.
sub metrics_location { return "<Location /metrics>\nSetHandler disclosed-metrics\n</Location>\n" }

sub status_location
{
    my $library = build('MODULES_DIR') . '/mod_status.so';
    return -e $library ? "<IfModule !status_module>\nLoadModule status_module $library\n</IfModule>\n<Location /status>\nSetHandler server-status\n</Location>\n" : '';
}

my $encoder = Disclosed::JSON->new->utf8->canonical->allow_nonref;

# Two structures as text, for is(): members in alphabetical order.
sub same_json
{
    my ($got, $expected, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($encoder->encode($got), $encoder->encode($expected), $name);
}

sub status_is
{
    my ($response, $status, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $good = !$response->error && $response->status == $status
        && ($response->header('x-request-id') // '') =~ /^req_[0-9a-f]{8,}$/;
    ok($good, $name) or diag $response->describe;
    return $good;
}

# The decoded body of a 200.
sub json_of
{
    my ($response, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $json = $response->json;
    my $good = !$response->error && $response->status == 200 && defined $json
        && ($response->header('content-type') // '') eq 'application/json';
    ok($good, $name) or diag $response->describe;
    return $json // {};
}

my %problems = (
    400 => ['bad-request', 'Bad request', 'The request could not be understood.'],
    401 => ['invalid-key', 'Invalid API key',
        'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>.'],
    402 => ['credits-exhausted', 'Credits exhausted', 'Too few credits remain for this request.'],
    403 => ['tier-required', 'Plan too low', 'This endpoint needs a higher plan.'],
    'out-of-scope' => ['out-of-scope', "Out of the key's scope", 'This key may not use the endpoint.'],
    forbidden => ['forbidden', 'Forbidden', 'The request is not allowed.'],
    404 => ['not-found', 'Not found', 'There is no such resource.'],
    405 => ['method-not-allowed', 'Method not allowed',
        'The resource does not support this method; see the Allow header.'],
    'not-acceptable' => ['not-acceptable', 'Not acceptable',
        'This resource is served as application/json only, which the Accept header excludes.'],
    conflict => ['conflict', 'Conflict', 'The state of the resource does not allow this request.'],
    'idempotency-conflict' => ['idempotency-conflict', 'Idempotency conflict',
        'The idempotency key was used for another request, or that request is still running.'],
    413 => ['content-too-large', 'Content too large', 'The request body is larger than allowed.'],
    414 => ['uri-too-long', 'URI too long', 'The request line is longer than allowed.'],
    415 => ['unsupported-media-type', 'Unsupported media type', "The body's Content-Type is not application/json."],
    429 => ['rate-limited', 'Rate limited', 'Too many requests; see the Retry-After header.'],
    431 => ['headers-too-large', 'Header fields too large',
        'A header field, or all of them together, is larger than allowed.'],
    500 => ['internal', 'Internal error',
        'The request failed because of an error in the server; quote the request_id to report it.'],
    503 => ['unavailable', 'Unavailable', 'The service cannot respond now; see the Retry-After header.'],
    504 => ['timeout', 'Timeout', 'The server could not build the response in time; ask for less.'],
);

# A problem, byte for byte. Options: detail (when it is not the usual one), instance, docs_url, required_tier,
# slug (where a status has several).
sub problem_is
{
    my ($response, $status, $name, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($slug, $title, $detail) = $problems{ $option{slug} // $status }->@*;
    my $text = sub { $encoder->encode($_[0]) };
    my $instance = $option{instance};
    my $id = $response->header('x-request-id') // '';
    my $body = '{"type":' . $text->(($option{docs_url} // 'https://docs.example.org') . "/errors/$slug")
        . ',"title":' . $text->($title) . ",\"status\":$status,\"detail\":" . $text->($option{detail} // $detail)
        . ",\"request_id\":\"$id\"" . (defined $instance ? ',"instance":' . $text->($instance) : '')
        . ($option{required_tier} ? ',"required_tier":' . $text->($option{required_tier}) : '') . '}';
    my @wrong = grep { defined } (
        $response->error,
        $response->status != $status ? "status is $response->{status}, not $status" : undef,
        $id !~ /^req_[0-9a-f]{8,}$/ ? "X-Request-Id is '$id'" : undef,
        ($response->header('content-type') // '') ne 'application/problem+json' ? 'wrong content type' : undef,
        $response->body ne $body ? "body should be\n  $body" : undef,
        $status == 429 && ($response->header('retry-after') // '') !~ /^[1-9]\d*$/ ? 'no Retry-After' : undef,
        $status == 503 && ($response->header('retry-after') // '') !~ /^\d+$/ ? 'no Retry-After' : undef,
        $status == 401 && ($response->header('www-authenticate') // '') ne 'Bearer' ? 'no WWW-Authenticate' : undef,
    );
    ok(!@wrong, $name) or diag join("\n", @wrong), "\n", $response->describe;
    return !@wrong;
}

# One fault of a 422, as its JSON text: members in the order of the contract. `input` is a string,
# a list of strings or undef; `ctx` is JSON text.
sub fault
{
    my ($type, $loc, $msg, $input, $ctx) = @_;
    return '{"type":' . $encoder->encode($type) . ',"loc":' . $encoder->encode($loc) . ',"msg":'
        . $encoder->encode($msg) . ',"input":' . $encoder->encode($input)
        . (defined $ctx ? ",\"ctx\":$ctx" : '') . '}';
}

# A 422, byte for byte.
sub faults_is
{
    my ($response, $faults, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $body = '{"detail":[' . join(',', @$faults) . ']}';
    my $good = !$response->error && $response->status == 422 && $response->body eq $body
        && ($response->header('content-type') // '') eq 'application/json';
    ok($good, $name) or diag "body should be\n  $body\n", $response->describe;
    return $good;
}

sub not_found_company
{
    my ($symbol) = @_;
    return "There is no company with the symbol \"$symbol\".";
}

# Announces messages that have to come.
sub expect_log
{
    my ($site, @numbers) = @_;
    $site->{log}->expect(@numbers);
}

# Looks through a site's logs now, for what a section has announced.
sub log_is_clean
{
    my ($site, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @faults = $site->log_faults;
    return ok(!@faults, $name) || diag map { "  $_\n" } @faults > 20 ? @faults[0 .. 19] : @faults;
}

# What clients were promised of the operations that this suite is about: name => {parameters => [names], fields => [names of an
# item's, with "?" where they may be null]}. finish() fails where the tables say less or other, or where the suite did not have
# the operation answer; a guard (endpoints.t) where an operation has no suite. Kept by hand: it changes when the promise does.
my %promised;

sub promises { %promised = (%promised, @_) }

sub was_answered
{
    my ($endpoint) = @_;
    my $pattern = join '', map { /^\{/ ? '[^/?]+' : quotemeta } split /(\{\w+\})/, $endpoint->{path};
    return scalar grep { m{^\Q$endpoint->{method}\E $pattern(?:\?|\z)} } keys %Disclosed::Client::answered;
}

# What a table says otherwise than was promised.
sub promise_faults
{
    my ($endpoint, $promise, $shapes) = @_;
    return 'there is no such operation' if !$endpoint;
    my $shape = $endpoint->{shape} ? $shapes->{ $endpoint->{shape} }{fields} : [];
    my %has = map { ($_ => 1) } (map { "parameter $_->{name}" } $endpoint->{parameters}->@*),
        (map { "field $_->{name}" . ($_->{nullable} ? '?' : '') } @$shape), map { "field $_->{name}" } ($endpoint->{children} // [])->@*;
    my @wanted = ((map { "parameter $_" } $promise->{parameters}->@*), map { "field $_" } $promise->{fields}->@*);
    return (was_answered($endpoint) ? () : 'it was not answered', map { "no $_" } grep { !$has{$_} } @wanted);
}

sub check_promises
{
    my ($code, $out) = run(build('CTL'), 'tables', '--json');
    my $tables = Disclosed::JSON->new->utf8->decode($out);
    my %of = map { ($_->{name} => $_) } $tables->{endpoints}->@*;
    is(join("\n", map { my $name = $_; map { "$name: $_" } promise_faults($of{$name}, $promised{$name}, $tables->{shapes}) } sort keys %promised),
        '', 'the operations that the suite is about answer as promised');
}

# Every response that a site has given is one that the OpenAPI documents describe.
sub check_described
{
    my ($responses, $bodies) = looked_at_responses();
    my @faults = described_faults();
    return if !$responses && !@faults;
    is(join("\n", @faults), '', "the OpenAPI documents describe $responses responses, and the bodies of $bodies");
}

# Stops the servers, looks through their logs, and ends the suite.
sub finish
{
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $site (Disclosed::Site->started) {
        ok($site->stop, 'httpd stops when it is told to') if $site->{pid};
        log_is_clean($site, 'nothing in the error log that was not announced');
    }
    check_promises() if %promised;
    check_described();
    done_testing();
}

1;

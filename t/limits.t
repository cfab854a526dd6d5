# Limits as clients meet them: headers on every answer, the burst, the day, weights, plans, addresses, keys
# with limits and rules of their own, and what restarts leave of the counts.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Pace qw(stay_in_day);
use Disclosed::Process qw(wait_until);
use POSIX ();
use Time::HiRes qw(sleep time);

my $limits = <<'END';
DisclosedPlan free rate=6/m burst=100 day=100
DisclosedPlan starter rate=10/s burst=5 day=1000
DisclosedPlan builder rate=1/d burst=50 day=unlimited
DisclosedPlan enterprise rate=1000/s burst=1000 day=100000 rank=30
DisclosedPlan small rate=1000/s burst=100 day=20
DisclosedPlan alpha rate=1000/s burst=1000 day=150
DisclosedPlan mixed rate=1000/s burst=1000 day=8 earlier=5
DisclosedPlan paid rate=1000/s burst=1000 day=150 earlier=unlimited
DisclosedAddressLimit 1/d 60
DisclosedWeight get_coverage 7
DisclosedRequirePlan list_insider builder
DisclosedDeprecation list_executives 2027-01-01 2027-06-30 https://docs.example.org/changelog#executives
END
stay_in_day(60);
my $site = site(limits => $limits, processes => 2, config => metrics_location());
my $keys = $site->{keys};

sub of { my ($response, @names) = @_; return map { $response->header($_) } @names }

# What the three headers say: limit, remaining, seconds until the reset.
sub limit_of
{
    my ($response) = @_;
    my ($limit, $remaining, $reset) = of($response, qw(x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset));
    return ($limit, $remaining, $reset - time);
}

sub midnight { return (int(time / 86400) + 1) * 86400 }

# A key of its own account, with columns of api_key as given.
my $accounts = 0;
sub own_key
{
    my ($plan, %columns) = @_;
    my $key = make_key('live');
    my $owner = 'account ' . ++$accounts;
    $columns{account_id} //= "(SELECT account_id FROM disclosed.account WHERE owner = '$owner')";
    $site->execute("INSERT INTO disclosed.account (owner) VALUES ('$owner'); " . insert_key_sql($key, $plan)
            . '; UPDATE disclosed.api_key SET ' . join(', ', map { "$_ = $columns{$_}" } sort keys %columns) . " WHERE key_id = '" . id_of($key) . "'");
    return $key;
}

# Spends a key by so many clients at once; returns the statuses with their counts.
sub spend_together
{
    my ($key, $target, $clients, $each) = @_;
    my @pids = map {
        my $client = $_;
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            $site->write("statuses$client", join '', map { $site->get($target, key => $key)->status . "\n" } 1 .. $each);
            POSIX::_exit(0);
        }
        $pid;
    } 1 .. $clients;
    waitpid $_, 0 for @pids;
    my %count;
    for my $client (1 .. $clients) {
        open my $file, '<', "$site->{root}/statuses$client" or die $!;
        chomp, $count{$_}++ for <$file>;
    }
    return \%count;
}

sub id_of { return substr $_[0], 8, 8 }

sub account_of { return $site->value("SELECT account_id FROM disclosed.api_key WHERE key_id = '" . id_of($_[0]) . "'") }

# --- on every answer --------------------------------------------------------------------------

my $etag = $site->get('/v1/companies?limit=1')->header('etag');
for my $case (
    [200, '/v1/companies?limit=1'], [304, '/v1/companies?limit=1', { 'If-None-Match' => $etag }], [404, '/v1/nothing'], [404, '/v1/companies/NONE'],
    [422, '/v1/companies?limit=0'], [307, '/v1/companies/'], [405, '/v1/companies', {}, 'DELETE'], [204, '/v1/companies', {}, 'OPTIONS'],
    [401, '/v1/companies', { Authorization => 'Bearer none' }], [404, '/v1/nothing', undef], [413, '/v1/companies', { 'Content-Length' => '999999999999999999999' }],
    [431, '/v1/companies', { 'X-Long' => 'x' x 9000 }], [414, '/v1/companies?q=' . 'x' x 9000])
{
    my ($status, $target, $headers, $method) = @$case;
    my $response = $site->request($method // 'GET', $target, @$case == 3 && !$headers ? (key => undef) : (headers => $headers // {}));
    my @values = of($response, qw(x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset ratelimit ratelimit-policy));
    is(scalar(grep { defined && length } @values), 5, "$status of " . substr($target, 0, 40) . ': five headers') or diag explain [$response->status, @values];
    ok(!grep({ /,.*,/ } @values[0 .. 2]), '... each once');
}

# --- the burst --------------------------------------------------------------------------------

my @statuses;
my $began = time;
my $last;
push @statuses, ($last = $site->get('/v1/companies?limit=1', key => $keys->{starter}))->status for 1 .. 12;
is_deeply([@statuses[0 .. 4]], [(200) x 5], 'a burst of five is allowed');
my $refused = grep { $_ == 429 } @statuses;
cmp_ok($refused, '>=', 12 - 5 - int(10 * (time - $began)) - 1, "what is beyond it is refused: $refused");
# Five a second come back: a machine that is held up may need more than one burst.
for (1 .. 200) {
    $last = $site->get('/v1/companies?limit=1', key => $keys->{starter});
    last if $last->status == 429;
}
problem_is($last, 429, 'the refusal', instance => '/v1/companies');
is_deeply([(limit_of($last))[0, 1]], [5, 0], '... says whose limit it was');
my $wait = $last->header('retry-after');
is($wait, 1, 'Retry-After is whole seconds');
like($last->header('ratelimit-policy'), qr/^"burst";q=5;w=1, "daily";q=1000;w=86400\z/, 'the policies');
like($last->header('ratelimit'), qr/^"burst";r=0;t=1, "daily";r=\d+;t=\d+\z/, 'and where they stand');
sleep $wait;
is($site->get('/v1/companies?limit=1', key => $keys->{starter})->status, 200, 'Retry-After, obeyed, succeeds');
is($site->get('/v1/companies?limit=1', key => $keys->{enterprise})->status, 200, 'other keys are not concerned');

# --- the day ----------------------------------------------------------------------------------

my $small = own_key('small');
my ($limit, $remaining, $reset);
for my $expected (reverse 0 .. 19) {
    ($limit, $remaining, $reset) = limit_of($site->get('/v1/companies?limit=1', key => $small));
    is_deeply([$limit, $remaining], [20, $expected], "$expected of the day are left") if $expected < 3 || $expected == 19;
}
cmp_ok(abs(midnight() - time - $reset), '<', 3, 'until midnight UTC');
my $over = $site->get('/v1/companies?limit=1', key => $small);
problem_is($over, 429, 'the day is used up', instance => '/v1/companies',
    detail => "The day's quota of 20 requests is used up; see the Retry-After header.");
cmp_ok(abs(midnight() - time - $over->header('retry-after')), '<', 3, '... Retry-After is midnight');
my $second = own_key('small', account_id => account_of($small));
is($site->get('/v1/companies?limit=1', key => $second)->status, 429, 'another key of the account has no day of its own');

# --- the day on the earlier surface -----------------------------------------------------------

my $earlier = '/api/disclosed/v1';
my $alpha = own_key('alpha');
my $companies = "$earlier/companies?limit=1";
my $first = $site->get($companies, key => $alpha);
is_deeply([(limit_of($first))[0, 1]], [100, 99], 'a new plan has 100 requests, as the free one');
like($first->header('ratelimit-policy'), qr/, "daily";q=150;w=86400, "earlier";q=100;w=86400\z/, '... as the policy says');
like($first->header('ratelimit'), qr/, "daily";r=149;t=\d+, "earlier";r=99;t=\d+\z/, '... and where it stands');
my $tag = $first->header('etag');
for my $case ([304, $companies, { 'If-None-Match' => $tag }], [404, "$earlier/filings/NONE"], [404, "$earlier/nothing"], [422, "$companies&offset=x"],
    [405, $companies, {}, 'DELETE'], [200, "$earlier/openapi.json"])
{
    my ($status, $target, $headers, $method) = @$case;
    my $before = (limit_of($site->get($companies, key => $alpha)))[1];
    my $response = $site->request($method // 'GET', $target, key => $alpha, headers => $headers // {});
    is($response->status, $status, "$status of $target");
    is((limit_of($response))[1], $before - 1, '... counts');
}
unlike($site->get('/v1/companies?limit=1', key => $alpha)->header('ratelimit'), qr/earlier/, 'a request to /v1 is not told of it');
my $used = 13; # so far
my $statuses = spend_together($alpha, $companies, 8, 20);
is_deeply($statuses, { 200 => 100 - $used, 429 => 60 + $used }, 'of 160 requests at once to all processes as many are allowed as make 100') or diag explain $statuses;
my $spent = $site->get($companies, key => $alpha);
problem_is($spent, 429, 'the day on the earlier surface is used up', instance => "$earlier/companies",
    detail => "The day's quota of 100 requests to the earlier surface is used up; see the Retry-After header.");
is_deeply([(limit_of($spent))[0, 1]], [100, 0], '... as its headers say');
cmp_ok(abs(midnight() - time - $spent->header('retry-after')), '<', 3, '... until midnight UTC');
cmp_ok(abs(midnight() - $spent->header('x-ratelimit-reset')), '<', 3, '... as they say, too');
my $other = $site->get('/v1/companies?limit=1', key => $alpha);
is($other->status, 200, '/v1 goes on');
is_deeply([(limit_of($other))[0, 1]], [150, 48], '... in the same day: what was refused is not counted');
is($site->get($companies, key => own_key('alpha', account_id => account_of($alpha)))->status, 429, 'another key of the account has no day of its own');
is((limit_of($site->get($companies, key => own_key('alpha'))))[1], 99, '... another account has');

my $mixed = own_key('mixed');
is_deeply([map { $site->get($_, key => $mixed)->status } ($companies) x 4, ('/v1/companies?limit=1') x 4, $companies], [(200) x 8, 429], 'the day of all requests holds as well');
like($site->get($companies, key => $mixed)->header('ratelimit'), qr/"daily";r=0;t=\d+, "earlier";r=1;/, '... and takes nothing of the other');
unlike($site->get($companies, key => own_key('paid'))->header('ratelimit-policy'), qr/earlier/, 'a plan without the limit has its usual ones');
like($site->get($companies, key => $keys->{$_})->header('ratelimit-policy'), qr/"earlier";q=100;/, "$_ keys have 100") for qw(free test);
unlike($site->get($companies, key => $keys->{$_})->header('ratelimit-policy'), qr/earlier/, "$_ keys have their usual limits") for qw(builder enterprise);

# --- weights, plans ---------------------------------------------------------------------------

my $weighed = own_key('small');
is((limit_of($site->get('/v1/coverage', key => $weighed)))[1], 13, 'a weight of seven counts as seven');
is((limit_of($site->get('/v1/companies?limit=1', key => $weighed)))[1], 12, 'others as one');
$site->get('/v1/coverage', key => $weighed);
is($site->get('/v1/coverage', key => $weighed)->status, 429, 'what does not fit is refused whole');
is((limit_of($site->get('/v1/companies?limit=1', key => $weighed)))[1], 4, '... and costs nothing');

my $gated = $site->get('/v1/insider', key => $keys->{free});
problem_is($gated, 403, 'a plan too low', instance => '/v1/insider', required_tier => 'builder',
    detail => 'This endpoint needs the plan builder or a higher one.');
is($site->get('/v1/insider', key => $keys->{$_})->status, 200, "$_ may") for qw(builder enterprise);
is($site->get('/v1/insider', key => $keys->{test})->status, 403, 'a test key is free, whatever its plan');
is($site->get('/v1/insider', key => own_key('unheard-of'))->status, 403, 'and so is a key of a plan that is not configured');
my $test_limit = $site->get('/v1/companies?limit=1', key => $keys->{test});
like($test_limit->header('ratelimit-policy'), qr/"daily";q=100;/, 'test keys have the free quota');

my $deprecated = $site->get('/v1/companies/ZEMRUZ/executives');
is($deprecated->header('deprecation'), '@1798761600', 'Deprecation');
is($deprecated->header('sunset'), 'Wed, 30 Jun 2027 00:00:00 GMT', 'Sunset');
is($deprecated->header('link'), '<https://docs.example.org/changelog#executives>; rel="deprecation"; type="text/html"', 'Link');
is($site->get('/v1/companies?limit=500')->header('deprecation'), undef, 'others are not deprecated');
my $described = $site->get('/v1/openapi.json')->json;
is_deeply([map { $_->{operationId} } grep { $_->{deprecated} } map { values %$_ } values $described->{paths}->%*], ['list_executives'], 'OpenAPI says which');
is_deeply([map { $described->{paths}{'/v1/companies/{symbol}/executives'}{get}{responses}{200}{headers}{$_}{'$ref'} } qw(Deprecation Sunset Link)],
    [map { "#/components/headers/$_" } qw(Deprecation Sunset DeprecationLink)], '... and its headers');
is($described->{paths}{'/v1/companies'}{get}{responses}{200}{headers}{Link}{'$ref'}, '#/components/headers/Link', '... beside those of pages');

# --- keys with limits and rules of their own --------------------------------------------------

my $tight = own_key('enterprise', rate_interval => 3600 * 1_000_000_000, burst => 3, day_quota => 50);
is_deeply([map { $site->get('/v1/companies?limit=1', key => $tight)->status } 1 .. 4], [200, 200, 200, 429], 'a burst of its own');
my $scoped = own_key('enterprise', scopes => "'{list_*,get_coverage}'");
is($site->get('/v1/companies?limit=1', key => $scoped)->status, 200, 'in scope') for 1 .. 2;
problem_is($site->get('/v1/companies/ZEMRUZ', key => $scoped), 403, 'out of scope', instance => '/v1/companies/ZEMRUZ', slug => 'out-of-scope',
    detail => 'This key may not use the endpoint get_company.');
my $elsewhere = own_key('enterprise', addresses => "'{10.0.0.0/8,2001:db8::/32}'");
problem_is($site->get('/v1/companies', key => $elsewhere), 401, 'used from another network', instance => '/v1/companies') for 1 .. 2;
is($site->get('/v1/companies?limit=1', key => own_key('enterprise', addresses => "'{10.0.0.0/8,127.0.0.0/8}'"))->status, 200, 'used from its network');

# --- restarts ---------------------------------------------------------------------------------

my $lasting = own_key('small');
my $stored  = 'SELECT coalesce(sum(requests), 0) FROM disclosed.account_day WHERE account_id = ' . account_of($lasting);
$site->get('/v1/companies?limit=1', key => $lasting) for 1 .. 4;
ok(wait_until(6, sub { $site->value($stored) == 4 }), 'counts reach the database within seconds');
my $lasting_earlier = own_key('mixed');
is((limit_of($site->get($companies, key => $lasting_earlier)))[1], $_, 'the count of the earlier surface') for 4, 3;
$site->httpd('-k', 'graceful');
sleep 1;
is((limit_of($site->get('/v1/companies?limit=1', key => $lasting)))[1], 15, 'they survive a graceful restart');
$site->get('/v1/companies?limit=1', key => $lasting) for 1 .. 2;
$site->stop;
is($site->value($stored), 7, 'a stop leaves none behind');
is_deeply([map { "$_->{kind} $_->{requests}" } $site->rows('SELECT kind, requests FROM account_day WHERE account_id = ' . account_of($lasting_earlier) . ' ORDER BY kind')],
    ['live 2', 'live_earlier 2'], 'the count of the earlier surface is stored beside that of all requests');
$site->start;
is((limit_of($site->get('/v1/companies?limit=1', key => $lasting)))[1], 12, 'and a start reads them back');
is((limit_of($site->get($companies, key => $lasting_earlier)))[1], 2, '... that of the earlier surface, too');

# --- addresses --------------------------------------------------------------------------------

my @anonymous = map { $site->get('/v1/companies', key => undef)->status } 1 .. 70;
is_deeply([sort { $a <=> $b } keys %{ { map { $_ => 1 } @anonymous } }], [401, 429], 'who has no key is limited by address');
my $turned_away = $site->get('/v1/nothing', key => undef);
problem_is($turned_away, 429, '... whatever is asked for', instance => '/v1/nothing');
is($turned_away->header('x-ratelimit-limit'), 60, '... and told so');
is($site->get('/v1/companies?limit=1')->status, 200, 'keys that are known are not concerned');
# Keys that were made are listed within half a second, and wait for nobody; what was invented is not looked up.
sub looked_up { return map { $site->get('/metrics', key => undef)->body =~ /^disclosed_key_lookups_total\{result="$_"\} (\d+)$/m ? $1 : die "no $_" } qw(bad withheld) }
sub wait_for_list { sleep 1.6; $site->wait_until_watched or die 'nobody looks at the database' }
my @fresh = map { own_key('enterprise') } 1 .. 2;
wait_for_list();
my $first_of_key = $site->get('/v1/companies?limit=1', key => $fresh[0]);
is($first_of_key->status, 200, '... nor is a key that was never used: it is listed');
is_deeply([map { $_ // 'none' } of($first_of_key, qw(x-ratelimit-limit retry-after))], [1000, 'none'], '... with the headers of its own limit');
my ($bad, $withheld) = looked_up();
is_deeply([map { $site->get('/v1/companies?limit=1', key => make_key('live'))->status } 1 .. 20], [(429) x 20], '... invented keys are refused');
is($site->get('/v1/companies?limit=1', key => make_key('live', id_of($fresh[1])))->status, 429, '... and a wrong one with the id of a listed one');
is_deeply([looked_up()], [$bad + 1, $withheld + 20], '... of which that one alone was looked up');
is($site->get('/v1/companies?limit=1', key => $fresh[1])->status, 200, '... and the right one is served');
my $revoked = own_key('enterprise');
wait_for_list();
$site->execute("UPDATE disclosed.api_key SET revoked_at = now() WHERE key_id = '" . id_of($revoked) . "'");
my ($bad_before, $revoked_at) = (looked_up(), time)[0, 2];
is_deeply([map { $site->get('/v1/companies?limit=1', key => $revoked)->status } 1 .. 10], [(429) x 10], '... one that was revoked is refused');
cmp_ok((looked_up())[0] - $bad_before, '<=', 1 + (time - $revoked_at) / 2, '... and looked up once in two seconds');

finish();

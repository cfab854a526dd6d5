# ETags and 304: answered without the data's tables, changed by a load, compared as RFC 9110 says.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(wait_until);
use Time::HiRes qw(time);

my $site = site();
my ($filing) = $site->rows('SELECT accession FROM filing_exhibit ORDER BY accession LIMIT 1');
my @targets = ('/v1/companies?limit=3', '/v1/companies/ZEMRUZ', '/v1/companies/ZEMRUZ/executives', '/v1/filings?limit=3&forms=10-K',
    "/v1/filings/$filing->{accession}", "/v1/filings/$filing->{accession}/exhibits", '/v1/insider?limit=3&as_of=2024-01-01',
    '/v1/companies/ZEMRUZ/insider', '/v1/coverage', '/v1/coverage/ZEMRUZ', '/v1/src/src_insider_' . '0' x 32);

sub conditional
{
    my ($target, $tag, %option) = @_;
    return $site->get($target, headers => { 'If-None-Match' => $tag }, %option);
}

# --- every read ------------------------------------------------------------------------------

my %tags;
for my $target (@targets) {
    my $response = $site->get($target);
    my $tag = $tags{$target} = $response->header('etag') // '';
    like($tag, qr/^W\/"[0-9a-f]{16,32}"\z/, "$target has a weak tag");
    is($site->get($target)->header('etag'), $tag, '... the same every time');
    my $not_modified = conditional($target, $tag);
    status_is($not_modified, 304, '... answered with 304');
    is($not_modified->body, '', '... without a body');
    is($not_modified->header('content-type'), undef, '... or a type');
    is($not_modified->header($_), $response->header($_), "... with the 200's $_") for qw(etag cache-control vary);
    ok($not_modified->header('date'), '... and a date');
}
is(scalar(keys %{ { reverse %tags } }), scalar @targets, 'different requests have different tags');

# --- comparison ------------------------------------------------------------------------------

my ($target, $tag) = ($targets[0], $tags{ $targets[0] });
my $opaque = $tag =~ s{^W/}{}r;
for my $case ([$tag, 304], [$opaque, 304], ["\"x\", $tag", 304], ["W/\"x\",$opaque , \"y\"", 304], [" $tag ", 304], ['*', 304],
    ['"x"', 200], ['', 200], [$tag =~ s/"$/0"/r, 200], [substr($tag, 0, -2) . '"', 200], [$opaque =~ s/"//gr, 200], ["W/\"x\", \"y\"", 200],
    [$tag =~ tr/a-f/A-F/r, $tag =~ /[a-f]/ ? 200 : 304], ["w/$opaque", 200])
{
    my ($value, $status) = @$case;
    is(conditional($target, $value)->status, $status, "If-None-Match: $value");
}
is($site->head($target, headers => { 'If-None-Match' => $tag })->status, 304, 'HEAD too');
is(conditional($target, $tag, key => undef)->status, 401, 'not without a key');
is(conditional($target, $tag, key => 'free')->status, 200, 'not for a plan with another page cap');
is(conditional("$target&limit=0", $tag)->status, 422, 'not for faults');
is(conditional('/v1/companies/NOBODY', '*')->status, 404, 'not for what is not there');
is($site->get('/v1/companies/NOBODY')->header('etag'), undef, 'a 404 has no tag');
is($site->get('/v1/companies?limit=x')->header('etag'), undef, 'nor has a 422');
is(conditional('/v1/companies?unknown=1&limit=3', $tag)->status, 304, 'unknown parameters do not count');
is(conditional('/v1/companies?limit=03', $tag)->status, 304, 'nor does the spelling of a value');
is(conditional('/v1/companies?limit=3&direction=desc', $tag)->status, 304, 'nor a default that is said');
is(conditional('/v1/companies?limit=4', $tag)->status, 200, 'the value does');

# --- without the data ------------------------------------------------------------------------

my $tables = join ', ', map { "disclosed.$_" } qw(listing issuer issuer_profile executive filing filing_exhibit filing_text
    insider_transaction insider_holding api_key dataset_issuer_stat);
my $held = $site->{cluster}->hold($site->{database}, "LOCK TABLE $tables IN ACCESS EXCLUSIVE MODE");
my $start = working_time();
is(conditional($_, $tags{$_})->status, 304, "304 while all tables are locked: $_") for @targets;
cmp_ok(working_time() - $start, '<', 2, 'at once');
$site->{cluster}->release($held);
is($site->get($targets[0])->status, 200, 'afterwards all is as before');

# --- a load changes them ---------------------------------------------------------------------

sub load
{
    my ($dataset) = @_;
    $site->execute("UPDATE disclosed.dataset_stat SET version = version + 1 WHERE dataset = '$dataset'");
}

load('executive');
my $people = '/v1/companies/ZEMRUZ/executives';
ok(wait_until(2, sub { conditional($people, $tags{$people})->status == 200 }), 'a load of people changes their tag within two seconds');
is($site->get('/v1/coverage')->header('etag'), $tags{'/v1/coverage'}, 'that of coverage is of its text, which is as it was');
is(conditional($_, $tags{$_})->status, 304, "but not that of $_") for grep { !/executives|coverage|src/ } @targets;
load('insider');
my $insider = '/v1/companies/ZEMRUZ/insider';
ok(wait_until(2, sub { conditional($insider, $tags{$insider})->status == 200 }), 'a load of insiders changes theirs');
is(conditional('/v1/companies?limit=3', $tags{'/v1/companies?limit=3'})->status, 304, 'but not that of companies');

# While nobody watches the database there is no telling, so there are no tags.
kill 'STOP', my $watcher = $site->watcher_pid;
ok(wait_until(5, sub { !defined $site->get('/v1/companies?limit=3')->header('etag') }), 'no tags while the watcher stands still');
is(conditional('/v1/companies?limit=3', $tags{'/v1/companies?limit=3'})->status, 200, 'and no 304');
kill 'CONT', $watcher;
ok(wait_until(5, sub { conditional('/v1/companies?limit=3', $tags{'/v1/companies?limit=3'})->status == 304 }), 'until it goes on');

# Nothing was loaded yet: tags all the same, and other ones after the first load.
my $empty = site(template => 'empty');
my $first;
ok(wait_until(5, sub { defined(($first = $empty->get('/v1/companies'))->header('etag')) }), 'the watcher has looked');
same_json($first->json, { data => [], pagination => { next_cursor => undef, has_more => JSON::PP::false } }, 'an empty database has an empty list');
is($empty->get('/v1/companies', headers => { 'If-None-Match' => $first->header('etag') })->status, 304, 'with a tag');
my ($code) = $empty->control('demo', '--companies', '2');
is($code, 0, 'a load');
ok(wait_until(2, sub { ($empty->get('/v1/companies')->header('etag') // '') ne $first->header('etag') }), 'changes it');

finish();

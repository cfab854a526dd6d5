# Endpoints that cost ask credits: 402 when too few are left, exactly as many answers as are paid for when
# many ask at once, nothing spent on what is no answer.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Client qw(send_request);
use Disclosed::Process qw(wait_until);
use Disclosed::JSON ();
use POSIX ();

my $site = site(processes => 2, limits => <<'END');
DisclosedPlan free rate=1000/s burst=1000 day=10000 credits=2
DisclosedPlan enterprise rate=1000/s burst=1000 day=unlimited credits=50
DisclosedCredits list_* 3
DisclosedCredits list_insider 2
DisclosedCredits list_companies 0
DisclosedCredits get_filing 4
END
my $json = Disclosed::JSON->new->utf8;

# A key with credits of its own, of its own account: the key and the account's number.
sub key_with
{
    my ($owner, @options) = @_;
    my ($code, $out) = $site->control('key', 'create', '--plan', 'enterprise', '--owner', $owner, @options, '--json');
    is($code, 0, "a key of $owner");
    return ($json->decode($out)->{key}, $site->value("SELECT account_id FROM disclosed.account WHERE owner = '$owner'"));
}

sub spent { my ($account) = @_; return $site->value("SELECT coalesce((SELECT month_used FROM disclosed.credit_balance WHERE account_id = $account), 0)") }
sub open_reservations { return $site->value("SELECT count(*) FROM disclosed.credit_entry WHERE kind = 'reservation' AND closed_at IS NULL") }

my ($key, $account) = key_with('Payer Ltd', '--credits', '5');
is($site->get('/v1/companies?limit=1', key => $key)->status, 200, 'an endpoint that costs nothing');
is(spent($account), 0, '... nothing is spent');
my $page = $site->get('/v1/insider?limit=1', key => $key);
is($page->status, 200, 'one that costs two');
is(spent($account), 2, '... two of five are spent');

# What is no answer costs nothing, in the order in which requests are looked at.
is($site->get('/v1/insider?limit=1', key => $key, headers => { 'If-None-Match' => $page->header('etag') })->status, 304, 'not modified');
is($site->get('/v1/insider?limit=0', key => $key)->status, 422, 'a fault');
is($site->get('/v1/insider?cursor=forged', key => $key)->status, 422, 'a forged cursor');
is($site->get('/v1/companies/NOBODY/insider', key => $key)->status, 404, 'no such company');
is($site->get('/v1/nothing', key => $key)->status, 404, 'no such path');
is(spent($account), 2, '... nothing of it is spent');
is(open_reservations(), 0, '... nor held');

is($site->request('HEAD', '/v1/insider?limit=1', key => $key)->status, 200, 'HEAD is an answer');
is(spent($account), 4, '... and spends');
my $refused = $site->get('/v1/insider?limit=1', key => $key);
is($refused->status, 402, 'two more of one');
is($refused->header('content-type'), 'application/problem+json', '... a problem');
my $problem = $refused->json;
like($problem->{type}, qr{/errors/credits-exhausted$}, '... of its type');
is($problem->{detail}, 'Credits requested: 2; remaining: 1.', '... that states what was requested and what remains');
is($site->get('/v1/insider?limit=0', key => $key)->status, 422, 'faults are told before');
is($site->get('/v1/companies/NOBODY/insider', key => $key)->status, 402, 'and 402 before 404');
is($site->get('/v1/companies?limit=1', key => $key)->status, 200, 'what costs nothing goes on');

is(($site->control('credits', 'top-up', 'Payer Ltd', '1'))[0], 0, 'a top-up of one');
is($site->get('/v1/insider?limit=1', key => $key)->status, 200, '... is enough for two');
is($site->get('/v1/insider?limit=1', key => $key)->json->{detail}, 'Credits requested: 2; remaining: 0.', '... and then nothing remains');

# A test key has the free plan's credits, whatever its plan.
is($site->get('/v1/insider?limit=1', key => $site->{keys}{test})->status, 200, 'a test key spends the free plan\'s two');
is($site->get('/v1/insider?limit=1', key => $site->{keys}{test})->status, 402, '... which are all it has');

# --- at the same time ------------------------------------------------------------------------

my ($busy, $shared) = key_with('Busy Ltd', '--credits', '25');
my @pids = map {
    my $number = $_;
    my $pid = fork() // die "fork: $!";
    if (!$pid) {
        my %got;
        $got{send_request($site->{port}, 'GET', '/v1/insider?limit=1', headers => { Authorization => "Bearer $busy" })->status}++ for 1 .. 5;
        $site->write("got-$number", $json->encode(\%got));
        POSIX::_exit(0);
    }
    $pid;
} 1 .. 8;
waitpid $_, 0 for @pids;
my %got;
for my $number (1 .. 8) {
    open my $file, '<', "$site->{root}/got-$number" or die $!;
    my $part = $json->decode(join '', <$file>);
    $got{$_} += $part->{$_} for keys %$part;
}
is_deeply(\%got, { 200 => 12, 402 => 28 }, 'of 40 that ask at once, 25 credits pay for 12');
is(spent($shared), 24, '... which are spent exactly');
is(open_reservations(), 0, '... and nothing stays held');

# --- what a process held when it died ---------------------------------------------------------

my $entry = $site->value("SELECT reservation FROM disclosed.reserve_credits($shared, 1, 25, NULL)");
$site->execute("UPDATE disclosed.credit_entry SET at = at - interval '11 minutes' WHERE entry_id = $entry");
$site->stop;
$site->start;
ok(wait_until(10, sub { open_reservations() == 0 }), 'the background process gives back what nobody ended');
is(spent($shared), 24, '... whole');

finish();

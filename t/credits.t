# Ask credits: the month's allowance, top-ups, reservations that are settled or released, exact under
# concurrency; the audit of all that changes access.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::JSON ();
use POSIX ();
use Disclosed::Build ();
use Disclosed::Process qw(wait_until);

my $site = site(start => 0);
my $json = Disclosed::JSON->new->utf8;

my ($code, $out) = $site->control('key', 'create', '--plan', 'builder', '--owner', 'Credits Ltd', '--credits', '3', '--json');
is($code, 0, 'a key with three credits');
my $key = $json->decode($out);
is($key->{credits}, 3, '... says so');
my $account = $site->value("SELECT account_id FROM disclosed.account WHERE owner = 'Credits Ltd'");

sub reserve { my ($wanted, $allowance) = @_; return ($site->rows("SELECT reservation, remaining FROM disclosed.reserve_credits($account, $wanted, $allowance, '$key->{key_id}')"))[0] }
sub left { return $site->value("SELECT disclosed.credits_left($account, $_[0])") }

is(left(3), 3, 'three are left');
my $two = reserve(2, 3);
is($two->{remaining}, 1, 'two are held, one remains');
my $none = reserve(2, 3);
is($none->{reservation}, undef, 'two more are not to be had');
is($none->{remaining}, 1, '... one remains');
is($site->value("SELECT disclosed.settle_credits($two->{reservation}, 1)"), 1, 'one was used, one goes back');
is(left(3), 2, 'two are left');
is($site->value("SELECT disclosed.settle_credits($two->{reservation}, 0)"), 0, 'a reservation ends once');
my $again = reserve(2, 3);
is($site->value("SELECT disclosed.release_credits($again->{reservation})"), 2, 'released: both go back');
is(left(3), 2, '... to the month');

($code, $out) = $site->control('credits', 'top-up', 'Credits Ltd', '10', '--note', 'invoice 7');
is($out, "Credits Ltd: 10 credits topped up\n", 'a top-up');
is(left(3), 12, 'they come on top');
my $five = reserve(5, 3);
is($five->{remaining}, 7, 'the month first, then what was topped up');
$site->value("SELECT disclosed.settle_credits($five->{reservation}, 3)");
is($site->value("SELECT topped_up FROM disclosed.credit_balance WHERE account_id = $account"), 9, 'what goes back is topped-up credits first');
is($site->value("SELECT month_used FROM disclosed.credit_balance WHERE account_id = $account"), 3, '... the month is used up');
($code, $out) = $site->control('credits', 'show', 'Credits Ltd', '--json');
is_deeply($json->decode($out), [{ owner => 'Credits Ltd', account_id => $account + 0, month_used => 3, topped_up => 9, open_reservations => 0 }], 'credits show');

# A new month: the allowance is whole again, what was topped up is as it was.
$site->execute("UPDATE disclosed.credit_balance SET month = month - interval '1 month' WHERE account_id = $account");
is(left(3), 12, 'a new month');
my $late = reserve(12, 3);
is($late->{remaining}, 0, '... can be used whole');
$site->execute("UPDATE disclosed.credit_entry SET at = at - interval '2 hours' WHERE entry_id = $late->{reservation}");
is($site->value("SELECT disclosed.release_stale_credits('1 hour')"), 1, 'a reservation that nobody ended goes back');
is(left(3), 12, '... whole');
my ($held, $lost) = map { reserve(1, 3)->{reservation} } 1, 2;
$site->execute("UPDATE disclosed.credit_entry SET at = at - interval '2 hours' WHERE entry_id IN ($held, $lost)");
{
    open my $asked, '|-', Disclosed::Build::build('PGBIN') . "/psql -XAtq -d '@{[ $site->conninfo ]}' >/dev/null" or die $!;
    $asked->autoflush(1);
    print $asked "BEGIN; SELECT 1 FROM disclosed.credit_entry WHERE entry_id = $held FOR UPDATE; SELECT pg_advisory_lock(4713);\n";
    ok(wait_until(10, sub { $site->value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4713 AND granted") }), 'a question that took long ends');
    is(eval { $site->value("SET lock_timeout = '500ms'; SELECT disclosed.release_stale_credits('1 hour')") } // $@, 1, '... and nobody waits for it to give others back');
    print $asked "SELECT disclosed.settle_credits($held, 0); COMMIT;\n";
    close $asked;
}
is(left(3), 12, '... both go back');
my ($bad) = $site->control('credits', 'top-up', 'Nobody', '5');
is($bad, 1, 'an unknown account');
is(($site->control('credits', 'top-up', 'Credits Ltd', $_))[0], 2, "no number of credits: $_") for '0', '-1', '1.5', 'x';

# --- at the same time -------------------------------------------------------------------------

# 8 clients take one credit each, 40 times, of 100 and 9: exactly so many succeed.
my @pids = map {
    my $number = $_;
    my $pid = fork() // die "fork: $!";
    if (!$pid) {
        my $sql = join ' ', map { "SELECT count(reservation) FROM disclosed.reserve_credits($account, 1, 100, NULL);" } 1 .. 40;
        open my $psql, '-|', Disclosed::Build::build('PGBIN') . '/psql', '-XAtq', '-d', $site->conninfo, '-c', $sql or POSIX::_exit(1);
        my @got = <$psql>;
        $site->write("got-$number", scalar grep { /1/ } @got);
        POSIX::_exit(0);
    }
    $pid;
} 1 .. 8;
waitpid $_, 0 for @pids;
my $got = 0;
for my $number (1 .. 8) {
    open my $file, '<', "$site->{root}/got-$number" or die $!;
    $got += <$file>;
}
is($site->value("SELECT count(*) FROM disclosed.credit_entry WHERE account_id = $account AND kind = 'reservation' AND closed_at IS NULL"), 109,
    'of 320 that ask at once exactly 109 get one');
is(left(100), 0, 'nothing is left');

# --- the audit --------------------------------------------------------------------------------

$site->control('key', 'set', $key->{key_id}, '--plan', 'starter', '--rate', '5/s', '--scope', 'list_*');
$site->control('key', 'rotate', $key->{key_id}, '--overlap', '1h');
($code, $out) = $site->control('audit', '--json', '--limit', '100');
my @audit = $json->decode($out)->@*;
my ($set) = grep { $_->{action} eq 'api_key update' && $_->{after}{plan} eq 'starter' && $_->{before}{plan} eq 'builder' } @audit;
ok($set, 'a change of plan is in the audit');
is($set->{after}{rate_interval}, 200000000, '... with the new rate');
is_deeply($set->{after}{scopes}, ['list_*'], '... and scopes');
my ($topped) = grep { $_->{action} eq 'credit_entry insert' } @audit;
is($topped->{after}{note}, 'invoice 7', 'top-ups are, with their note');
ok((grep { $_->{action} eq 'account insert' } @audit), 'accounts are');
is((grep { $_->{after} && (exists $_->{after}{salt} || exists $_->{after}{digest}) } @audit), 0, 'digests are not');
like($set->{actor}, qr/^disclosed_owner \w+/, 'the role and the user');
my ($next) = grep { $_->{replaces} && $_->{replaces} eq $key->{key_id} } $json->decode(($site->control('key', 'list', '--json'))[1])->@*;
is_deeply([$next->@{qw(plan rate_interval credits)}, $next->{scopes}], ['starter', 200000000, 3, ['list_*']], 'a rotated key has all of the old one');
($code, $out) = $site->control('account', 'list', '--json');
my ($mine) = grep { $_->{owner} eq 'Credits Ltd' } $json->decode($out)->@*;
is($mine->{keys}, 2, 'both keys of the account are in force');
is(($site->control('account', 'rename', 'Credits Ltd', 'Credits plc'))[0], 0, 'an account gets another name');
is(($site->control('account', 'rename', 'Credits Ltd', 'x'))[0], 1, '... under its old one it is not found');

finish();

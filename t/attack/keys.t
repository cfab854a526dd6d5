# Unknown keys by the thousand: what they may cost the database, and that they cost others nothing.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Pace qw(working_time);
use Disclosed::Attack qw(whole unknown_keys pipelined metric);
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Process qw(slurp wait_until);
use POSIX ();
use Time::HiRes qw(sleep time);

my $burst = 40;
my $rate = 0.1;
my $plans = join '', map { "DisclosedPlan $_ rate=1000000/s burst=100000 day=unlimited\n" } qw(enterprise builder);
my $site = site(start => 0, limits => "DisclosedAddressLimit 6/m $burst\n$plans", config => metrics_location());
$site->execute("ALTER DATABASE \"$site->{database}\" SET log_statement = 'all'");
my $renewed = make_key('live');
$site->execute(insert_key_sql($renewed, 'builder', expires_at => "now() - interval '1 day'"));
$site->start;

# Look-ups of keys that PostgreSQL's own log has of this database.
sub lookups
{
    my @lines = split /\n/, slurp("$site->{cluster}{directory}/log");
    return scalar grep { /database=\Q$site->{database}\E .*execute.*FROM api_key WHERE key_id/ } @lines;
}

my $path = '/v1/companies?limit=1';
my $good = $site->{keys}{enterprise};
$site->get($path, key => $good);

# --- thousands of keys from one address ---------------------------------------------------------

my @beside = map { made() } 1 .. 5;
wait_for_look();
my ($before, $began) = (lookups(), time);
my $count = whole(20_000, 2000);
my $clients = 4;

# Several processes do something at once that returns statuses: what finish_clients() takes, which returns how many of each there were.
sub begin_clients
{
    my ($code) = @_;
    return map {
        my $client = $_;
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            srand; # each invents keys of its own
            my %statuses;
            $statuses{$_}++ for $code->($client);
            $site->write("statuses$client", join '', map { "$_ $statuses{$_}\n" } sort keys %statuses);
            POSIX::_exit(0);
        }
        $pid;
    } 1 .. $clients;
}

sub finish_clients
{
    waitpid $_, 0 for @_;
    my %statuses = (401 => 0, 429 => 0);
    for my $line (map { split /\n/, slurp("$site->{root}/statuses$_") } 1 .. $clients) {
        my ($status, $number) = split ' ', $line;
        $statuses{$status} += $number;
    }
    return %statuses;
}

my @pids = begin_clients(sub { pipelined($site, $path, [unknown_keys($count / $clients)], from => '127.0.0.9') });
wait_until(20, sub { metric($site, 'disclosed_key_lookups_total{result="withheld"}') > 0 }) or die 'the address has no end of requests';
my @first_beside = map { (pipelined($site, $path, [$_], from => '127.0.0.9'))[0] } @beside;
my @others = map { sleep 0.02; $site->get($path, key => $good)->status } 1 .. 30;
my %statuses = finish_clients(@pids);
my $seconds = time - $began;
is($statuses{401} + $statuses{429}, $count, "$count unknown keys in " . sprintf('%.1f s: ', $seconds) . join ', ', map { "$statuses{$_} times $_" } sort keys %statuses);
my $allowed = $burst + $rate * $seconds + 1;
cmp_ok($statuses{401}, '<=', $allowed, 'the address is held to its limit');
my $asked = lookups() - $before;
cmp_ok($asked, '<=', $allowed + @beside, "... and so are look-ups: $asked");
cmp_ok(metric($site, 'disclosed_key_lookups_total{result="withheld"}'), '>=', 0.9 * $statuses{429}, '... as the metrics tell');
is_deeply(\@first_beside, [map { 200 } @beside], 'keys that were never used are served behind the same address, at once');
is_deeply([grep { $_ != 200 } @others], [], 'a key from elsewhere is served all the while');

# --- few keys from each of many addresses -------------------------------------------------------

# Each is below its own limit. Look-ups of keys that were never made have a bucket for all of them.
my ($at_once, $a_second) = (100, 50);
$site->{log}->permit('DSC0041') if whole(1, 0); # thousands of addresses are nearly as many as there are slots
my ($addresses, $each) = (whole(1500, 150), whole(20, 8));
my $calm = "$site->{root}/calm";
sub made { my $key = make_key('live'); $site->execute(insert_key_sql($key, 'builder')); return $key }

# From all addresses in turn, until it is calm.
sub flood
{
    my ($client, $make) = @_;
    my @statuses;
    for (my $i = 0; $i < $addresses || !-e $calm; $i++) {
        my $address = $i % $addresses;
        push @statuses, pipelined($site, $path, [$make->($each)], from => sprintf '127.%d.%d.%d', 1 + $client, $address / 250, 1 + $address % 250);
    }
    return @statuses;
}

# Look-ups that were refused, to an address or to all.
sub refused { return metric($site, 'disclosed_key_lookups_total{result="withheld"}') + metric($site, 'disclosed_key_lookups_total{result="unlisted"}') }

# Until what has been made is known: an ETag tells of a look within the last second and a half.
sub wait_for_look { sleep 1.6; $site->wait_until_watched or die 'nobody looks at the database' }

my @unused = map { made() } 1 .. 12;
$site->execute("UPDATE disclosed.api_key SET expires_at = now() + interval '1 day' WHERE key_id = '" . substr($renewed, 8, 8) . "'");
wait_for_look();
($before, $began) = (lookups(), time);
my $refused = refused();
@pids = begin_clients(sub { flood($_[0], \&unknown_keys) });
wait_until(20, sub { metric($site, 'disclosed_key_lookups_total{result="unlisted"}') > 0 }) or die 'there is no flood';
my (@first, @later);
for my $number (1 .. @unused) {
    push @first, (pipelined($site, $path, [$unused[$number - 1]], from => "127.0.1.$number"))[0];
    my $key = made();
    push @later, wait_until(10, sub { (pipelined($site, $path, [$key], from => "127.0.2.$number"))[0] == 200 || do { sleep 0.1; 0 } }) ? 200 : 'no answer';
}
my ($first_renewed) = pipelined($site, $path, [$renewed], from => '127.0.4.1');
$site->write('calm', '');
%statuses = finish_clients(@pids);
$seconds = time - $began;
cmp_ok($statuses{401} + $statuses{429}, '>=', $clients * $addresses * $each, "unknown keys from @{[ $clients * $addresses ]} addresses in " . sprintf('%.1f s: ', $seconds) . join ', ', map { "$statuses{$_} times $_" } sort keys %statuses);
cmp_ok($asked = lookups() - $before, '<=', $at_once + $a_second * $seconds + 1 + @first + @later + 1, "... are looked up up to a bound for all: $asked");
cmp_ok($statuses{401}, '<=', $at_once + $a_second * $seconds, '... and no others are 401');
cmp_ok(refused() - $refused, '>=', $statuses{429}, '... as the metrics tell');
is_deeply([grep { $_ ne '200' } @first], [], 'keys that were never used are served at once, all the while');
is_deeply([grep { $_ ne '200' } @later], [], '... and those that are made meanwhile, soon');
is($first_renewed, 200, '... and at once one that had expired when keys were listed, and is in force again');

# An id is no secret: keys with that of another's.
my $wronged = made();
wait_for_look();
$before = lookups();
%statuses = finish_clients(begin_clients(sub { flood(10 + $_[0], sub { my ($number) = @_; map { make_key('live', substr $wronged, 8, 8) } 1 .. $number }) }));
is_deeply([@statuses{ 401, 429 }], [$clients * $addresses * $each, 0], 'wrong keys with the id of one that was never used');
cmp_ok($asked = lookups() - $before, '<=', $clients * (1 + $seconds / 55), "... are told by what is known of it: looked up $asked times");
$before = lookups();
is((pipelined($site, $path, [$wronged], from => '127.0.3.1'))[0], 200, '... which is served');
cmp_ok(lookups() - $before, '<=', 1, '... as if nothing had been');

# --- good keys from the attacked address --------------------------------------------------------

sub from_there { my ($key) = @_; return (pipelined($site, $path, [$key], from => '127.0.0.9'))[0] }

sub spend { pipelined($site, $path, [unknown_keys($burst + 40)], from => '127.0.0.9') }

spend();
is(from_there($good), 200, 'a key that is known goes on, whatever its neighbours send');
$site->execute("UPDATE disclosed.api_key SET burst = burst WHERE key_id = '" . substr($site->{keys}{free}, 8, 8) . "'");
sleep 1.2;
spend();
is(from_there($good), 200, '... as it does when it has to be looked up again');
is(from_there($site->{keys}{builder}), 200, 'one that has never been seen is listed, and looked up beside its neighbours');
my @fresh = map { my $key = make_key('live'); $site->execute(insert_key_sql($key, 'builder')); $key } 1 .. 3 * $burst;
is_deeply([grep { $_ != 200 } pipelined($site, $path, \@fresh, from => '127.0.0.11')], [], 'good keys cost their address nothing');

# --- one unknown key again and again ------------------------------------------------------------

my ($unknown) = unknown_keys(1);
($before, $began) = (lookups(), time);
pipelined($site, $path, [($unknown) x 30], from => '127.0.0.12');
my $looked_up = lookups() - $before;
ok($looked_up >= 1 && $looked_up <= 1 + int((time - $began) / 2), 'an unknown key is looked up once in two seconds') or diag $looked_up;
$site->execute(insert_key_sql($unknown, 'builder'));
my $created = working_time();
ok(wait_until(4, sub { from_elsewhere($unknown) == 200 }), 'when it is made, it works');
cmp_ok(working_time() - $created, '<', 2.5, '... within two seconds');
$site->execute("UPDATE disclosed.api_key SET revoked_at = now() WHERE key_id = '" . substr($unknown, 8, 8) . "'");
my $revoked = working_time();
ok(wait_until(4, sub { from_elsewhere($unknown) == 401 }), 'when it is revoked, it does not');
cmp_ok(working_time() - $revoked, '<', 2.5, '... within two seconds');
$before = lookups();
my @after = pipelined($site, $path, [($unknown) x 30], from => '127.0.0.13');
is_deeply([grep { $_ != 401 } @after], [], 'a revoked key');
cmp_ok(lookups() - $before, '<=', 1, '... is not looked up for each request');

# Not so often that the limit of the address is what is seen.
sub from_elsewhere
{
    my ($key) = @_;
    sleep 0.1;
    return (pipelined($site, $path, [$key], from => '127.0.0.14'))[0];
}

finish();

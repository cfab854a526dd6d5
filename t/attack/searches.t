# Searches keep PostgreSQL's processors busy. However many are asked for, a few are in PostgreSQL at a time, and pages are served beside them.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test 'without_cache';
use Disclosed::Attack qw(times_of);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use IO::Select ();
use IO::Socket::IP ();
use POSIX ();
use Time::HiRes qw(sleep time);

my ($pool, $most, $asked) = (8, 2, 6);
my $wait = 4; # seconds for a connection
my $site = site(pool => $pool, processes => 1, threads => 40,
    config => "DisclosedDatabaseTimeout $wait\nDisclosedStatementTimeout 600\nDisclosedSearchConcurrency $most\n");
my ($greedy, $other) = map { $site->own_key('enterprise') } 1 .. 2;

# Searches wait for a table, each with its connection.
my $lock;
sub hold { $lock = $site->{cluster}->hold($site->{database}, 'LOCK TABLE disclosed.document_chunk IN ACCESS EXCLUSIVE MODE'); return }
my $running = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND wait_event_type = 'Lock'";

sub ask
{
    my ($key) = @_;
    my $body = '{"query":"revenue","limit":1}';
    my $socket = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $site->{port}) or die "connect: $@";
    syswrite $socket, "POST /v1/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer $key\r\nContent-Type: application/json\r\n"
        . 'Content-Length: ' . length($body) . "\r\nConnection: close\r\n\r\n$body";
    return $socket;
}

sub status_of { my ($socket) = @_; local $/; return (<$socket> // '') =~ m{^HTTP/1.1 (\d+) } ? $1 : 'none' }
sub count_of { my %count; $count{$_}++ for @_; return \%count }

# How many searches are in PostgreSQL once as many are as will be.
sub in_postgresql
{
    my ($expected) = @_;
    wait_until(20 * patience(), sub { $site->{cluster}->value('postgres', $running) >= $expected });
    sleep 0.3 * patience();
    return $site->{cluster}->value('postgres', $running);
}

hold();
my @searches = map { ask($greedy) } 1 .. $asked;
is(in_postgresql($most), $most, 'as many searches are in PostgreSQL as DisclosedSearchConcurrency says');
my @times = times_of(20, sub { $site->get('/v1/companies?limit=1', key => $other)->status == 200 or die 'not served' });
cmp_ok((sort { $a <=> $b } @times)[-1], '<', 0.5 * patience(), 'pages of another account are served meanwhile');
is(scalar(grep { $_->status == 200 } map { $site->get("/v1/companies?limit=$_", key => $greedy) } 1 .. 20), 20, '... and those of the same account');
push @searches, ask($other);
$site->{cluster}->release($lock);
is_deeply(count_of(map { status_of($_) } @searches), { 200 => $asked + 1 }, 'all searches are served in the end');

hold();
@searches = map { ask($greedy) } 1 .. $asked;
is(in_postgresql($most), $most, 'the places are free again');
my $end = time + $wait + 1; # PostgreSQL responds meanwhile, so that it is not in doubt
do { $site->get('/v1/companies?limit=1', key => $other); sleep 0.1 } while time < $end;
is(scalar(IO::Select->new(@searches)->can_read(0)), $asked - $most, 'those that wait for too long have their response');
$site->{cluster}->release($lock);
is_deeply(count_of(map { status_of($_) } @searches), { 200 => $most, 429 => $asked - $most }, '... a 429');
is_deeply(count_of(map { status_of(ask($greedy)) } 1 .. 2 * $asked), { 200 => 2 * $asked }, '... and no place is lost');

# A client that goes away while it waits leaves its place to others.
hold();
@searches = map { ask($greedy) } 1 .. $asked;
is(in_postgresql($most), $most, 'once more');
close $_ for @searches;
@searches = map { ask($other) } 1 .. $most;
$site->{cluster}->release($lock);
is_deeply(count_of(map { status_of($_) } @searches), { 200 => $most }, 'clients that have gone hold nobody up');

# By default it follows from the processors. Two processes may be added to the site's.
$site->{config} = "DisclosedDatabaseTimeout $wait\nDisclosedStatementTimeout 600\n";
$site->stop;
$site->start;
my $by_default = int(2 * POSIX::sysconf(84) / 3) || 1; # _SC_NPROCESSORS_ONLN
$by_default = $pool / 2 if $by_default > $pool / 2;    # an account's share of the connections
hold();
@searches = map { ask($greedy) } 1 .. $asked;
is(in_postgresql($by_default), $by_default, 'without the directive two for each processor, over all processes');
$site->{cluster}->release($lock);
is_deeply(count_of(map { status_of($_) } @searches), { 200 => $asked }, '... and all are served');

finish();

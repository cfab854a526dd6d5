# How disclosedctl follow asks publishers: compressed, on connections that are kept, on condition where something is here; and what it does when they
# refuse. All processes pause as long as is said, or longer and longer, and nothing is asked meanwhile.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build shared_data);
use Disclosed::FollowProof;
use Disclosed::RawServer;
use Disclosed::Shared qw(cluster register_process);
use Disclosed::Test;
use IO::Socket::INET;
use POSIX qw(strftime);
use Time::HiRes qw(sleep);

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};

# ---- how it asks

SKIP: {
    if (!shared_data('edgar-submissions')) {
        diag 'NOT TESTED: how a made day of real filings is asked for (DISCLOSED_SHARED)';
        skip 'no real filings', 1;
    }
    my $proof = Disclosed::FollowProof->new(each => 2, most => 50, lean => 1 << 20, seconds => 1, sources => [qw(sec-tickers sec-edgar)]);
    $proof->{server}->begin;
    sleep 1.2;
    my ($code, $out, $err) = $proof->once;
    is($code, 0, 'a day is followed') or diag $out, $err;
    my @requests = $proof->{server}->requests;
    cmp_ok(scalar @requests, '>', 20, scalar(@requests) . ' requests');
    same_json([map { $_->{target} } grep { ($_->{encoding} // '') !~ /\bgzip\b/ } @requests], [], '... each of which takes gzip');
    my %connections = map { ($_->{connection} => 1) } @requests;
    cmp_ok(scalar keys %connections, '<=', 4, '... over ' . keys(%connections) . ' connections');
    same_json([$proof->manner_faults], [], '... politely');

    # What has not changed is asked for on condition, and not imported again.
    my %read = map { ($_ => $proof->value("SELECT count(*) FROM import_run WHERE source = '$_'")) } qw(sec-company-tickers sec-fund-tickers);
    my $rows = $proof->value('SELECT count(*) FROM import_run');
    cluster()->execute($proof->{database}, "UPDATE disclosed.followed_document SET next_at = clock_timestamp() WHERE source = 'sec-tickers';
        UPDATE disclosed.followed_listing SET next_at = clock_timestamp(), completed = false WHERE listing IN ('daily-index', 'full-index')");
    ($code, $out, $err) = $proof->once;
    is($code, 0, 'all of it again') or diag $out, $err;
    my @again = grep { $_->{target} !~ /getcurrent/ } ($proof->{server}->requests)[scalar @requests .. scalar($proof->{server}->requests) - 1];
    is(scalar @again, 5, '... three files of tickers and two indexes are asked for');
    same_json([map { "$_->{target} $_->{status}" } grep { $_->{status} != 304 || !$_->{condition} } @again], [], '... on condition that they have changed');
    is($proof->value('SELECT count(*) FROM import_run'), $rows, '... and nothing is imported');

    # A filing waits for one of companies' files at most: each comes just after the feed was read, if that was due, which it always is here.
    my $other = Disclosed::FollowProof->new(each => 4, most => 50, lean => 1 << 20, seconds => 1, sources => ['sec-edgar']);
    cluster()->execute($other->{database}, <<~"SQL");
        CREATE FUNCTION disclosed.always_due() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN NEW.next_at := '-infinity'; RETURN NEW; END \$\$;
        CREATE TRIGGER always_due BEFORE INSERT OR UPDATE ON disclosed.followed_listing FOR EACH ROW WHEN (NEW.listing = 'feed') EXECUTE FUNCTION disclosed.always_due()
        SQL
    my $follower = $other->begin_following;
    $other->{server}->begin;
    ok($other->wait_until_complete(120), 'a day is followed, of which the feed is always due');
    is($other->end_following($follower), 0, '... to the end');
    my @targets = map { $_->{target} } $other->{server}->requests;
    my @of_companies = grep { $targets[$_] =~ m{/(?:submissions|companyfacts)/CIK} } 0 .. $#targets;
    cmp_ok(scalar @of_companies, '>', 3, '... with files of companies');
    same_json([map { "$targets[$_] after $targets[$_ - 1]" } grep { $targets[$_ - 1] !~ m{action=getcurrent|-index/} } @of_companies], [], '... each of which comes just after it');
}

my $site = site(template => 'empty', start => 0);

# ---- how often

# The times that requests get after a rest, in milliseconds since they are asked for, and since the one before.
my ($spacing, $rests, $requests) = (40, 6, 12);
$site->execute(<<~"SQL");
    CREATE FUNCTION disclosed.slots() RETURNS TABLE (since_asked numeric, since_last numeric) LANGUAGE plpgsql AS \$\$
    DECLARE asked timestamptz; slot timestamptz; last timestamptz;
    BEGIN
        FOR rest IN 1 .. $rests LOOP
            PERFORM pg_sleep(0.2 + $spacing * $requests / 1000.0);
            FOR request IN 1 .. $requests LOOP
                asked := clock_timestamp();
                PERFORM disclosed.take_followed_slot('slots.example', $spacing);
                SELECT l.next_at - $spacing * interval '1 ms' INTO slot FROM disclosed.followed_limit l WHERE l.name = 'slots.example';
                since_asked := extract(epoch FROM slot - asked) * 1000; since_last := extract(epoch FROM slot - last) * 1000;
                last := slot;
                RETURN NEXT;
            END LOOP;
        END LOOP;
    END \$\$
    SQL
my @slots = $site->rows('SELECT * FROM disclosed.slots()');
is(scalar @slots, $rests * $requests, 'times of requests, with rests between');
is(scalar(grep { defined $_->{since_last} && $_->{since_last} < $spacing } @slots), 0, '... none is nearer to the one before than it may be');
is(scalar(grep { $_->{since_asked} < 0 } @slots), 0, '... nor is a rest made up for: several processes would send too many in a second');

# ---- what it does when it is refused

# A round of three files, of which the n-th request gets what the function says: (code, what it says, requests).
sub round
{
    my ($respond) = @_;
    my $server = Disclosed::RawServer->start(sub { my ($client, $number) = @_; return $respond->($number, $client) });
    $site->execute('UPDATE disclosed.followed_document SET next_at = clock_timestamp()');
    my ($code, $out, $err) = $site->control('follow', '--once', '--user-agent', 'Replay Suite suite@example.org', '--source', 'sec-tickers', '--mirror', 'https://www.sec.gov=' . $server->url);
    my @asked = $server->requests;
    $server->stop;
    return ($code, "$out$err", scalar @asked);
}

sub refusal { my ($status, $more) = @_; return "HTTP/1.1 $status\r\nConnection: close\r\n" . ($more // '') . "Content-Length: 0\r\n\r\n" }
sub page    { my ($text) = @_; return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: " . length($text) . "\r\n\r\n$text" }
sub begin_anew { $site->execute('DELETE FROM disclosed.followed_document; DELETE FROM disclosed.followed_source; DELETE FROM disclosed.followed_limit; DELETE FROM disclosed.followed_failure') }
sub pause   { return $site->value("SELECT round(extract(epoch FROM paused_until - paused_at)) FROM disclosed.followed_limit WHERE name = 'sec.gov'") }
sub is_over { $site->execute('UPDATE disclosed.followed_limit SET paused_until = clock_timestamp()') }

for my $case (['429', sub { refusal('429 Too Many Requests') }], ['403', sub { refusal('403 Forbidden') }], ['a page with status 200 that says so', sub { page('<html><head><title>Request Rate Threshold Exceeded</title></head></html>') }],
    ['429 with a pause of nothing', sub { refusal('429 Too Many Requests', "Retry-After: 0\r\n") }])
{
    my ($what, $respond) = @$case;
    begin_anew();
    for my $expected (10, 20, 40, 80) {
        my ($code, $told) = round($respond);
        is($code, 1, "$what: it is refused") or diag $told;
        is(pause(), $expected, "... and pauses for $expected s");
        my (undef, undef, $asked) = round($respond);
        is($asked, 0, '... in which another process asks nothing, either');
        is($site->value("SELECT count(*) FROM disclosed.followed_document WHERE next_at < (SELECT paused_until FROM disclosed.followed_limit WHERE name = 'sec.gov')"), 0, '... and nothing is due before its end');
        is_over();
    }
}

for my $case (['429 and 90 seconds', sub { refusal('429 Too Many Requests', "Retry-After: 90\r\n") }], ['503 and 90 seconds', sub { refusal('503 Unavailable', "Retry-After: 90\r\n") }],
    ['403 and a time', sub { refusal('403 Forbidden', 'Date: ' . strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime 1_700_000_000) . "\r\nRetry-After: " . strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime 1_700_000_090) . "\r\n") }])
{
    my ($what, $respond) = @$case;
    begin_anew();
    my ($code, $told) = round($respond);
    is($code, 1, $what) or diag $told;
    is(pause(), 90, '... is the pause');
}
begin_anew();
round(sub { refusal('429 Too Many Requests', "Retry-After: 99999999999999999999\r\n") });
is(pause(), 86_400, 'for ever is a day');

# Requests that are under way together, on connections of their own: the longest that is said counts.
sub refuse_together
{
    my (@said) = @_;
    my $listening = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 8) or die "listen: $!";
    my $pid = fork() // die "fork: $!";
    return ($listening->sockport, $pid) if $pid;
    local $SIG{CHLD} = 'IGNORE';
    while (my $client = $listening->accept) {
        next if fork() // die "fork: $!";
        $client->autoflush(1);
        while (defined(my $line = <$client>)) {
            my $number = $line =~ /^GET \S+company_tickers(\.|_mf\.)/ ? length $1 : next;
            # The first that there is makes the connection; these two are sent one after the other, and refused when both are under way.
            sleep $number == 1 ? 2 : 2.5;
            print $client refusal('429 Too Many Requests', defined $said[ $number > 1 ] ? "Retry-After: $said[$number > 1]\r\n" : '');
            last;
        } continue {
            print $client "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" if $line eq "\r\n";
        }
        POSIX::_exit(0);
    }
    POSIX::_exit(0);
}

for my $said ([undef, 600], [30, 600], [600, 30], [600, undef]) {
    begin_anew();
    my ($port, $pid) = refuse_together(@$said);
    register_process($pid);
    my ($code, $out, $err) = $site->control('follow', '--once', '--user-agent', 'Replay Suite suite@example.org', '--source', 'sec-tickers', '--mirror', "https://www.sec.gov=http://127.0.0.1:$port");
    kill 'KILL', $pid;
    waitpid $pid, 0;
    my $what = join ', ', map { $_ // 'nothing' } @$said;
    is($site->value("SELECT count(*) FROM disclosed.followed_document WHERE failure_kind = 'refused'"), 2, "two requests under way, to which is said: $what") or diag $out, $err;
    cmp_ok($site->value("SELECT extract(epoch FROM paused_until - clock_timestamp()) FROM disclosed.followed_limit WHERE name = 'sec.gov'"), '>', 590, '... pause for the longest');
    is($site->value("SELECT pauses FROM disclosed.followed_limit WHERE name = 'sec.gov'"), 1, '... which is one pause');
}

finish();

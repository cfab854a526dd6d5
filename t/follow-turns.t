# Followers that take turns: one that was stopped for longer than its lease, and wakes when another has stored something newer; two on machines that
# have the same name and the same process number; a server so slow that a lease would end meanwhile.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run slurp_if_there wait_until);
use Disclosed::RawServer;
use Disclosed::Shared qw(cluster fresh register_process workspace);
use Disclosed::Test;
use IO::Socket::UNIX;
use POSIX qw(WNOHANG);
use Socket qw(SOCK_DGRAM);
use Time::HiRes qw(sleep time);

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
my $site = site(template => 'empty', start => 0);
my $folder = workspace() . '/' . fresh('turns');
mkdir $folder or die "$folder: $!";

sub tickers { my ($name) = @_; return qq({"0":{"cik_str":7001,"ticker":"NUMA","title":"$name"}}) }
sub ok_of   { my ($bytes, $more) = @_; return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n" . ($more // '') . 'Content-Length: ' . length($bytes) . "\r\n\r\n$bytes" }
sub told    { my ($name) = @_; return -e "$folder/$name" }
sub say_it  { my ($name) = @_; open my $file, '>', "$folder/$name" or die "$folder/$name: $!"; close $file; return }

# A follower of the one file that the server has, beside us; the command in front of it, if any.
sub begin_following
{
    my ($server, $output, @front) = @_;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', "$folder/$output.out";
        open STDERR, '>', "$folder/$output.err";
        $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
        { no warnings; exec @front, build('CTL'), '--database', cluster()->conninfo($site->{database}), 'follow', '--poll', 1, '--user-agent', 'Replay Suite suite@example.org', '--source', 'sec-tickers', '--verbose',
            '--mirror', 'https://www.sec.gov=' . $server->url; }
        POSIX::_exit(127);
    }
    register_process($pid);
    return $pid;
}

sub end_following
{
    my ($pid) = @_;
    kill 'TERM', $pid;
    ok(wait_until(30 * patience(), sub { waitpid($pid, WNOHANG) != 0 }), '... and ends when it is told to');
    return;
}

sub begin_anew { $site->execute('DELETE FROM disclosed.followed_document; DELETE FROM disclosed.followed_source; DELETE FROM disclosed.followed_limit; DELETE FROM disclosed.followed_failure') }

# What has become of company_tickers.json, the only file of which something else than 404 comes.
sub value { my ($what) = @_; return $site->value("SELECT $what FROM disclosed.followed_document WHERE identity = 'company_tickers.json'") }
sub name_of { return $site->value(q{SELECT string_agg(name, ',') FROM disclosed.listing WHERE ticker = 'NUMA' AND superseded_at IS NULL}) // 'none' }

# ---- stopped while it fetches

for my $case (['the same file as before', 'Numbers 7001', 'Numbers 7001'], ['an older file than is stored by now', 'Old Name', 'New Name']) {
    my ($what, $old, $new) = @$case;
    begin_anew();
    unlink glob "$folder/*";
    $site->execute('DELETE FROM disclosed.listing; DELETE FROM disclosed.import_run');
    my $server = Disclosed::RawServer->start(sub {
        my ($client, $number, $request) = @_;
        return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" if $request !~ /company_tickers\.json/;
        return ok_of(tickers($new), qq{ETag: "new"\r\n}) if told('asked');
        say_it('asked');
        for (1 .. 600) { last if told('stopped'); sleep 0.1 }
        return ok_of(tickers($old), qq{ETag: "old"\r\n});
    });
    my $stopped = begin_following($server, 'stopped');
    ok(wait_until(30 * patience(), sub { told('asked') }), "one that is stopped with $what in its hands");
    kill 'STOP', $stopped;
    say_it('stopped');
    $site->execute('UPDATE disclosed.followed_source SET lease_until = clock_timestamp() - interval \'2 minutes\'');
    my $other = begin_following($server, 'other');
    ok(wait_until(60 * patience(), sub { (value('state') // '') eq 'stored' }), '... another takes its turn, and stores it') or diag slurp_if_there("$folder/other.err");
    is(name_of(), $new, '... as it is by now');
    my $hash = value('content_hash');
    my $runs = $site->value('SELECT count(*) FROM disclosed.import_run');
    kill 'CONT', $stopped;
    ok(wait_until(30 * patience(), sub { slurp_if_there("$folder/stopped.out") =~ /company_tickers\.json: .*meanwhile/ }), '... when it wakes, it sees that') or diag slurp_if_there("$folder/stopped.out"), slurp_if_there("$folder/stopped.err");
    end_following($_) for $stopped, $other;
    is(name_of(), $new, '... what is newer stays');
    is(value('content_hash'), $hash, '... and is what is known of it');
    is(value('concat_ws(\' \', state, etag, failure)'), 'stored "new"', '... and nothing is wrong with it');
    is($site->value('SELECT count(*) FROM disclosed.import_run'), $runs, '... nothing is imported again');
    $server->stop;
}

# ---- the same name and number

SKIP: {
    my @namespace = qw(unshare --pid --fork --kill-child --mount-proc);
    my ($denied) = run(@namespace, 'true');
    diag 'NOT TESTED: followers with the same process number (unshare is not permitted)' if $denied;
    skip 'no namespace of processes', 5 if $denied;
    begin_anew();
    unlink glob "$folder/*";
    my $server = Disclosed::RawServer->start(sub {
        my (undef, undef, $request) = @_;
        return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" if $request !~ /company_tickers\.json/;
        say_it('asked');
        for (1 .. 600) { last if told('go on'); sleep 0.1 }
        return ok_of(tickers('Numbers 7001'));
    });
    my @followers = begin_following($server, 'first', @namespace);
    ok(wait_until(30 * patience(), sub { told('asked') }), 'one that is process 1 of its container asks for a file');
    my $seen = $site->value('SELECT lease_until FROM disclosed.followed_source');
    push @followers, begin_following($server, 'second', @namespace);
    ok(wait_until(30 * patience(), sub { $site->value(q{SELECT count(DISTINCT pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'disclosedctl'}) >= 2 }), '... another is process 1 of another, on a host of that name');
    sleep 2;
    is($site->value('SELECT lease_until FROM disclosed.followed_source'), $seen, '... and does not take the lease of the first for its own');
    say_it('go on');
    ok(wait_until(60 * patience(), sub { (value('state') // '') eq 'stored' }), '... the first stores it');
    is(scalar(grep { /company_tickers\.json/ } $server->requests), 1, '... and nobody else has asked for it');
    kill 'KILL', $_ for @followers;
    waitpid $_, 0 for @followers;
}

# ---- a server that is slow

{
    begin_anew();
    unlink glob "$folder/*";
    my $notified = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => "$folder/notify") or die "notify: $!";
    my $server = Disclosed::RawServer->start(sub {
        my ($client, undef, $request) = @_;
        return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" if $request !~ /company_tickers\.json/;
        my $bytes = tickers('Numbers 7001') . ' ' x 800_000;
        print $client substr ok_of($bytes), 0, 200;
        say_it('asked');
        my $at = 200 - (length(ok_of($bytes)) - length $bytes);
        while ($at < length $bytes) {
            print $client substr $bytes, $at, 30_000 or last;
            $at += 30_000;
            sleep 1;
        }
        return;
    });
    local $ENV{NOTIFY_SOCKET} = "$folder/notify";
    my $follower = begin_following($server, 'slow');
    ok(wait_until(30 * patience(), sub { told('asked') }), 'a file that takes half a minute');
    $notified->blocking(0);
    my $drain = sub { my $count = 0; while (defined $notified->recv(my $text, 100)) { $count++ if $text =~ /WATCHDOG=1/ } return $count };
    sleep 3;
    $drain->();
    my $lease = $site->value('SELECT lease_until FROM disclosed.followed_source');
    my $alive = 0;
    ok(wait_until(25, sub { $alive += $drain->(); sleep 0.2; return $alive && $site->value("SELECT lease_until > '$lease' FROM disclosed.followed_source") eq 't' }), '... is no reason to lose the lease, or to be taken for dead');
    is(value('state'), 'wanted', '... while it comes');
    ok(wait_until(60 * patience(), sub { value('state') eq 'stored' }), '... and is stored in the end') or diag slurp_if_there("$folder/slow.err");
    end_following($follower);
}

# ---- bootstrap: a folder of the same name on another machine of that name

for my $case (['the same folder', 0, qr/^(?!.*another process)/s], ["another container's folder of that name", 1, qr/^sec-submissions: another process is at it, or was a minute ago$/m]) {
    my ($what, $is_another, $says) = @$case;
    begin_anew();
    unlink glob "$folder/*";
    my $server = Disclosed::RawServer->start(sub {
        my ($client, $number) = @_;
        say_it('asked');
        sleep 30 if $number == 1;
        return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    });
    my @command = (build('CTL'), '--database', cluster()->conninfo($site->{database}), 'bootstrap', '--user-agent', 'Replay Suite suite@example.org', '--source', 'sec-submissions', '--folder', "$folder/downloads",
        '--mirror', 'https://www.sec.gov=' . $server->url);
    my $killed = fork() // die "fork: $!";
    if ($killed == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
        { no warnings; exec @command; }
        POSIX::_exit(127);
    }
    register_process($killed);
    ok(wait_until(30 * patience(), sub { told('asked') }), 'a bootstrap under way');
    kill 'KILL', $killed;
    waitpid $killed, 0;
    $server->stop;
    $server = Disclosed::RawServer->start(sub { return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" });
    $command[-1] = 'https://www.sec.gov=' . $server->url;
    ok(wait_until(10 * patience(), sub { (run('flock', '-n', "$folder/downloads/downloading.lock", 'true'))[0] == 0 }), '... and killed');
    run('rm', '-rf', "$folder/downloads") if $is_another;
    my ($code, $out, $err) = run({ env => { DISCLOSED_SQL_DIR => build('SRCDIR') . '/sql' } }, @command);
    like($err, $says, "... the next one, with $what") or diag $out;
}

finish();

# disclosedctl bootstrap and servers that send anything but the file: bodies without an end, of another length, compressed, in parts that nobody
# asked for, from elsewhere. Each ends with a reason, after few requests, and leaves nothing on the disk that could not be gone on with.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::BootstrapFiles qw(zip_of);
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::RawServer;
use Disclosed::Shared qw(cluster fresh register_process workspace);
use Disclosed::Test;
use Disclosed::ZipFile qw(write_zip);
use Compress::Zlib ();
use POSIX ();
use Time::HiRes qw(sleep);

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
my $site = site(template => 'empty', start => 0);
my $folder = workspace() . '/' . fresh('servers');
mkdir $folder or die "$folder: $!";
my $zip = slurp(zip_of('sec-companyfacts', "$folder/companyfacts.zip", 3, 0));
my $half = int(length($zip) / 2);
my $marks = qq{ETag: "abc"\r\nLast-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\nDate: Tue, 14 Nov 2025 22:13:20 GMT\r\n};

sub ok_of { my ($bytes, $more, $length) = @_; return "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n" . ($more // $marks) . 'Content-Length: ' . ($length // length $bytes) . "\r\n\r\n$bytes" }
sub part_of { my ($range, $bytes, $more) = @_; return "HTTP/1.1 206 Partial Content\r\nContent-Type: application/zip\r\n" . ($more // $marks) . "Content-Range: $range\r\nContent-Length: " . length($bytes) . "\r\n\r\n$bytes" }

my $small;  # a folder on a disk that is full soon
my $is_again; # what is known of the last run stays

# The rest that a request asks for, or an n-th of the file of it.
sub rest_of
{
    my ($request, $whole, $share) = @_;
    my ($from) = $request =~ /^Range: bytes=(\d+)-/m;
    my $bytes = substr $whole, $from, int(length($whole) / 2 / $share);
    return part_of("bytes $from-" . ($from + length($bytes) - 1) . '/' . length $whole, $bytes);
}

# Runs against that server, pauses cut short, and all attempts but the first and the last where it is not said how many: (exit code, all that it says, requests,
# files that are left).
sub bootstrap
{
    my ($respond, $most, @options) = @_;
    my $attempts = $most ? 0 : 5; # it gives up after six
    my $server = Disclosed::RawServer->start($respond);
    my $downloads = $small // "$folder/" . fresh('downloads');
    $site->execute('DELETE FROM disclosed.followed_document; DELETE FROM disclosed.followed_source; DELETE FROM disclosed.followed_limit') if !$is_again;
    my $haste = fork() // die "fork: $!";
    if ($haste == 0) {
        while (1) {
            $site->{cluster}->execute_apart($site->{database}, "UPDATE disclosed.followed_document SET next_at = clock_timestamp(), attempts = CASE WHEN attempts > 0 THEN greatest(attempts, $attempts) ELSE 0 END
                WHERE next_at > clock_timestamp();
                UPDATE disclosed.followed_limit SET paused_until = clock_timestamp() WHERE paused_until > clock_timestamp()");
            sleep 0.2;
        }
    }
    register_process($haste);
    my @source = grep({ $_ eq '--source' } @options) ? () : ('--source', 'sec-companyfacts');
    my ($code, $out, $err) = $site->control('bootstrap', '--user-agent', 'Replay Suite suite@example.org', @source, '--folder', $downloads,
        '--mirror', 'https://www.sec.gov=' . $server->url, @options);
    kill 'KILL', $haste;
    waitpid $haste, 0;
    $server->stop;
    return ($code, "$out$err", [$server->requests], [map { s{.*/}{}r } grep { !/\.lock\z/ && -f } glob "$downloads/* $downloads/*/*"]);
}

# It is stored, by so many requests.
sub is_stored
{
    my ($respond, $requests, $name) = @_;
    $site->execute('DELETE FROM disclosed.xbrl_report');
    my ($code, $told, $asked, $left) = bootstrap($respond);
    is($code, 0, "$name: it is stored") or diag $told;
    is(scalar @$asked, $requests, '... by so many requests') or diag join "\n", @$asked;
    return $told;
}

# It is refused with such a reason. Options: most (requests, if all attempts are to be made), left (files), options (of the command).
sub is_refused
{
    my ($name, $reason, $respond, %option) = @_;
    my ($code, $told, $asked, $left) = bootstrap($respond, $option{most}, ($option{options} // [])->@*);
    is($code, 1, "$name: it is refused") or diag $told;
    like($told, qr/^sec-companyfacts: companyfacts\.zip: $reason/m, '... with the reason');
    cmp_ok(scalar @$asked, '<=', $option{most} // 3, '... after few requests') or diag $told;
    same_json($left, $option{left} // [], '... and this is left of it');
    return;
}

is_stored(sub { ok_of($zip) }, 1, 'a file as it should be');
is_stored(sub { my ($client, $number) = @_; $number == 1 ? ok_of(substr($zip, 0, $half), $marks, length $zip) : part_of("bytes $half-" . (length($zip) - 1) . '/' . length $zip, substr $zip, $half) }, 2, 'one in two parts');
is_stored(sub { ok_of(Compress::Zlib::memGzip($zip), "${marks}Content-Encoding: gzip\r\n") }, 1, 'one that is compressed, which nobody asked for');
is_stored(sub { my ($client, $number, $request) = @_; $number == 1 ? ok_of(substr($zip, 0, $half), $marks, length $zip) : rest_of($request, $zip, 7) }, 9, 'one in nine parts, each as short as the server likes');
is_stored(sub { my ($client, $number, $request) = @_; my ($from) = $request =~ /^Range: bytes=(\d+)-/m; $number == 1 ? ok_of(substr($zip, 0, $half), $marks, length $zip)
    : $number == 2 ? part_of("bytes $half-" . (length($zip) - 1) . '/' . length $zip, substr($zip, $half) =~ s/Numbers/Numbexs/r) : ok_of($zip) }, 3, 'one of which the rest is of another file, as nothing says');
is($site->value("SELECT string_agg(message, ' ') FROM disclosed.import_run WHERE status <> 'done'") =~ s/0x\w+/X/gr, 'ZIP bad CRC: X should be X', '... but the checksum of a member');
$site->execute("DELETE FROM disclosed.import_run WHERE status <> 'done'");
is_stored(sub { my ($client, $number, $request) = @_; $number == 1 ? ok_of(substr($zip, 0, $half), $marks, length $zip)
    : $number == 2 ? part_of("bytes $half-" . (length($zip) - 1) . '/' . length $zip, substr($zip, $half) . 'x' x 100) : ok_of($zip) }, 3, 'one of which the rest is longer than there is');
is_stored(sub { my (undef, $number, undef, $port) = @_; $number == 1 ? "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:$port/elsewhere\r\nContent-Length: 0\r\n\r\n" : ok_of($zip) }, 2, 'a redirect on the same server');

is_refused('a body without an end', 'too-large: more than 1048576 bytes', sub { my ($client) = @_; print $client "HTTP/1.1 200 OK\r\n$marks\r\nPK\3\4"; while (print $client 'x' x 65536) { } undef }, options => ['--disk-budget', '1M']);
is_refused('a length beyond all numbers', '\S+: ', sub { ok_of('PK', $marks, '99999999999999999999') });
is_refused('a length beyond all disks', 'too-large: it has 1125899906842624 bytes', sub { ok_of('PK', $marks, 1 << 50) });
is_refused('one that is cut, with nothing to know it by again', 'truncated: the body ended before its length', sub { ok_of(substr($zip, 0, $half), "Date: Tue, 14 Nov 2025 22:13:20 GMT\r\n", length $zip) }, most => 7);
is_refused('one that is another each time, and cut', 'truncated: the body ended before its length', sub { ok_of(substr($zip, 0, $half), qq{ETag: "@{[rand]}"\r\n}, length $zip) }, most => 7, left => [qw(companyfacts.zip.part companyfacts.zip.part.of)]);
my $vast = 'PK' . 'x' x 3_000_000;
is_refused('one of which a byte comes each time', 'truncated: ', sub {
    my ($from) = $_[2] =~ /^Range: bytes=(\d+)-/m;
    return $from ? part_of("bytes $from-" . (length($vast) - 1) . '/' . length $vast, substr($vast, $from, 1)) : ok_of(substr($vast, 0, 1000), $marks, length $vast);
}, most => 7, left => [qw(companyfacts.zip.part companyfacts.zip.part.of)]);
is_refused('a part in place of the whole', 'response: a part was sent that nobody asked for', sub { part_of("bytes 0-" . (length($zip) - 1) . '/' . length $zip, $zip) });
is_refused('one that is shorter, and says so', 'truncated: the archive breaks off', sub { ok_of(substr($zip, 0, $half)) });
my $false = slurp(write_zip("$folder/false.zip", 3, sub { my @facts = Disclosed::BootstrapFiles::facts(7000 + $_[0])->@*; $facts[1] =~ s/2024-03-31/2023-02-30/g; @facts }));
is_refused('one of which all rows are rejected', 'import: all of its rows are rejected, 6: disclosedctl runs says why', sub { ok_of($false) });
is($site->value("SELECT count(*) FROM disclosed.issuer WHERE cik BETWEEN 7000 AND 7003"), 0, '... and nothing of it is stored');
is_refused('a page that says it is an archive', 'blocked: ', sub { ok_of("<html>Undeclared Automated Tool</html>") });
is_refused('a redirect to a file', 'redirect: redirected to file:///etc/passwd', sub { "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n" });
is_refused('a redirect to elsewhere', 'redirect: redirected to http://localhost:1/x', sub { "HTTP/1.1 302 Found\r\nLocation: http://localhost:1/x\r\nContent-Length: 0\r\n\r\n" });
is_refused('a redirect in circles', 'redirect: ', sub { my (undef, undef, undef, $port) = @_; "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:$port/again\r\nContent-Length: 0\r\n\r\n" }, most => 24);
is_refused('a pause beyond all numbers', '(?:refused|server): status 503', sub { "HTTP/1.1 503 Unavailable\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n" });
is_refused('headers without an end', '\S+: ', sub { my ($client) = @_; print $client "HTTP/1.1 200 OK\r\n"; for (1 .. 100_000) { print $client "X-$_: @{[ 'y' x 100 ]}\r\n" or last } undef });
is_refused('responses of which none is the last', '\S+: ', sub { my ($client) = @_; for (1 .. 200_000) { print $client "HTTP/1.1 100 Continue\r\n\r\n" or last } undef });

# Who waits for a response or a body that does not come gives up after half a minute, and asks for it, or for the rest.
for my $case (['that takes the request and says nothing', sub { sleep 40; return }],
    ['that sends a header a second', sub { my ($client) = @_; print $client "HTTP/1.1 200 OK\r\n"; for (1 .. 60) { print $client "X-$_: y\r\n" or last; sleep 1 } return }],
    ['that sends headers and then nothing', sub { my ($client) = @_; print $client ok_of('', $marks, length $zip); sleep 40; return }],
    ['that goes silent in the body', sub { my ($client) = @_; print $client ok_of(substr($zip, 0, $half), $marks, length $zip); sleep 40; return }],
    ['that sends a byte a second', sub { my ($client) = @_; print $client ok_of('', $marks, length $zip); for (0 .. 60) { print $client substr $zip, $_, 1 or last; sleep 1 } return }]) {
    my ($what, $first) = @$case;
    my $began = time;
    my $told = is_stored(sub {
        my ($client, $number, $request) = @_;
        return $first->($client) if $number == 1;
        my ($from) = $request =~ /^Range: bytes=(\d+)-/m;
        return defined $from ? part_of("bytes $from-" . (length($zip) - 1) . '/' . length $zip, substr $zip, $from) : ok_of($zip);
    }, 2, "a server $what");
    like($told, qr/^sec-companyfacts: companyfacts\.zip: timeout: no response in time: /m, '... is given up');
    cmp_ok(time - $began, '<', 60, '... in time');
}

# A page of data sets that does not come is given up, too, and asked for again; archives come meanwhile. And a signal waits for nobody.
{
    my $page = '<html><body><a href="/files/structureddata/data/form-13f-data-sets/2023q4_form13f.zip">2023 Q4</a></body></html>';
    my $set = slurp(zip_of('sec-13f', "$folder/2023q4_form13f.zip", 2, 0));
    my ($began, $silent) = (time, 0);
    my $respond = sub {
        my ($client, $number, $request) = @_;
        if ($number == 1) { sleep 40; return }
        return $request =~ m{^GET \S+-data-sets } ? ok_of($page) =~ s{application/zip}{text/html}r : ok_of($set);
    };
    my ($code, $told, $asked) = bootstrap($respond, 0, '--source', 'sec-13f');
    is($code, 0, 'a page that does not come') or diag $told;
    like($told, qr/^sec-13f: [^\n]*: timeout: no response in time: /m, '... is given up');
    cmp_ok(time - $began, '<', 90, '... in time');

    for my $source ('sec-13f', 'sec-companyfacts') {
        my $server = Disclosed::RawServer->start(sub { sleep 60; return });
        $site->execute('DELETE FROM disclosed.followed_document; DELETE FROM disclosed.followed_source; DELETE FROM disclosed.followed_limit; DELETE FROM disclosed.followed_listing');
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            open STDOUT, '>', '/dev/null';
            open STDERR, '>', '/dev/null';
            $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
            exec build('CTL'), '--database', $site->conninfo, 'bootstrap', '--user-agent', 'Replay Suite suite@example.org', '--source', $source, '--folder', "$folder/" . fresh('downloads'),
                '--mirror', 'https://www.sec.gov=' . $server->url or POSIX::_exit(127);
        }
        register_process($pid);
        ok(wait_until(20 * patience(), sub { $server->requests == 1 }), "$source: a request without a response");
        kill 'TERM', $pid;
        ok(wait_until(5 * patience(), sub { waitpid($pid, POSIX::WNOHANG) == $pid }), '... is given up for SIGTERM');
        is($? >> 8, 143, '... with its exit code');
    }
}

# A disk that is full: what has come stays, and is gone on with when there is room.
SKIP: {
    $small = "$folder/small";
    mkdir $small or die "$small: $!";
    skip 'no disk can be mounted', 6 if (run('mount', '-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'none', $small))[0] != 0;
    my $large = slurp(zip_of('sec-companyfacts', "$folder/large.zip", 300, 0));
    my $respond = sub {
        my (undef, undef, $request) = @_;
        my ($from) = $request =~ /^Range: bytes=(\d+)-/m;
        return $from ? part_of("bytes $from-" . (length($large) - 1) . '/' . length $large, substr $large, $from) : ok_of($large);
    };
    is_refused('a file larger than the disk', 'disk: ', $respond, left => [qw(companyfacts.zip.part companyfacts.zip.part.of)]);
    is((run('mount', '-o', 'remount,size=4m', $small))[0], 0, 'there is room');
    $is_again = 1;
    my ($code, $told, $asked) = bootstrap($respond);
    like("$code @$asked", qr/^0 GET .* Range: bytes=[1-9]\d+- /, '... and the rest is asked for') or diag $told;
}
run('umount', $small);
is($site->value('SELECT count(*) FROM disclosed.import_run WHERE status <> \'done\''), 0, 'nothing of all that was given to an importer');

finish();

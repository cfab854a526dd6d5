# disclosedctl follow and servers that send anything but the file: bodies that grow when they are unpacked, that break off, that never come, from elsewhere.
# Each ends with a reason and stores nothing; memory and disk have their bounds; what was refused is asked for again by schedule, and stored when it is whole.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::RawServer;
use Disclosed::Shared qw(cluster fresh workspace);
use Disclosed::Test;
use Compress::Zlib ();
use Time::HiRes qw(sleep);

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
my $site = site(template => 'empty', start => 0);
my $good = '{"fields":["cik","name","ticker","exchange"],"data":[[7001,"Numbers 7001","NUMA","Nasdaq"]]}';
my $plain = '{"0":{"cik_str":7001,"ticker":"NUMA","title":"Numbers 7001"}}';

sub ok_of { my ($bytes, $more, $length) = @_; return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n" . ($more // '') . 'Content-Length: ' . ($length // length $bytes) . "\r\n\r\n$bytes" }

# What is there of each of the three files.
sub file_of { my ($request) = @_; return $request =~ /_exchange/ ? $good : $request =~ /_mf/ ? '{"fields":["cik","seriesId","classId","symbol"],"data":[[7001,"S000000001","C000000001","NUMAX"]]}' : $plain }

my $folder; # where what is fetched lies, if not where it always does

# A round in 600 MB of memory, of which one file is sent as the function says, others as they are: (code, what it says).
sub round
{
    my ($respond, $is_again) = @_;
    my $server = Disclosed::RawServer->start(sub { my ($client, $number, $request, $port) = @_; return $request =~ m{GET \S+company_tickers\.json|GET /again} ? $respond->($client, $request, $port) : ok_of(file_of($request)) });
    if (!$is_again) {
        $site->execute('DELETE FROM disclosed.followed_document; DELETE FROM disclosed.followed_source; DELETE FROM disclosed.followed_limit; DELETE FROM disclosed.import_run;');
    }
    $site->execute('UPDATE disclosed.followed_document SET next_at = clock_timestamp() WHERE next_at IS NOT NULL');
    my ($code, $out, $err) = run({ env => { DISCLOSED_SQL_DIR => build('SRCDIR') . '/sql', $folder ? (TMPDIR => $folder) : () } }, '/usr/bin/env', 'bash', '-c', 'ulimit -v 600000; exec "$@"', 'bash', build('CTL'), '--database',
        cluster()->conninfo($site->{database}), 'follow', '--once', '--user-agent', 'Replay Suite suite@example.org', '--source', 'sec-tickers', '--mirror', 'https://www.sec.gov=' . $server->url);
    return ($code, "$out$err");
}

my $tickers = q{FROM disclosed.followed_document WHERE identity = 'company_tickers.json'};

sub is_refused
{
    my ($what, $reason, $respond) = @_;
    my ($code, $told) = round($respond);
    is($code, 1, "$what: it is refused") or diag $told;
    like($told, qr/^sec-tickers: company_tickers\.json: $reason/m, '... with the reason');
    is($site->value("SELECT concat_ws(' ', state, attempts, next_at > clock_timestamp()) $tickers"), 'wanted 1 t', '... to be asked for again later');
    is($site->value("SELECT count(*) FROM disclosed.import_run WHERE file ~ 'company_tickers\\.json' AND status = 'done'"), 0, '... and nothing of it is stored');
    return;
}

my $gzip = "Content-Encoding: gzip\r\n";
is_refused('a body that grows a thousandfold', 'too-large: more than 67108864 bytes', sub { ok_of(Compress::Zlib::memGzip('{' . ' ' x (200 << 20)), $gzip) });
is_refused('one of a million lists', q{import: \S+: |damaged: }, sub { ok_of(Compress::Zlib::memGzip('[' . '[],' x 20_000_000 . '[]]'), $gzip) });
is_refused('one that is nested a million deep', 'damaged: the JSON is damaged: character 64: nested too deeply', sub { ok_of('[' x 1_000_000) });
is_refused('one that is compressed twice', 'damaged: no JSON', sub { ok_of(Compress::Zlib::memGzip(Compress::Zlib::memGzip($plain)), $gzip) });
is_refused('one that says it is compressed', 'truncated: the compressed body is damaged', sub { ok_of($plain, $gzip) });
is_refused('one that is no UTF-8', 'damaged: the JSON is damaged: byte 10: no UTF-8', sub { ok_of(qq({"title":"\xff"})) });
is_refused('one that is cut', 'truncated: the body ended before its length', sub { ok_of(substr($plain, 0, 30), '', length $plain) });
is_refused('... and says so', 'damaged: the JSON is damaged: character 30: ', sub { ok_of(substr $plain, 0, 30) });
is_refused('a page', 'blocked: a page, in place of the file', sub { ok_of('<!DOCTYPE html><html><body>Down</body></html>') });
is_refused('nothing', 'truncated: the body is empty', sub { ok_of('') });
is_refused('a part that nobody asked for', 'response: status 206', sub { ok_of($plain) =~ s/200 OK/206 Partial Content/r });
is_refused('a redirect to a file', 'redirect: redirected to file:///etc/passwd', sub { "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n" });
is_refused('a redirect to elsewhere', 'redirect: redirected to http://localhost:1/x', sub { "HTTP/1.1 302 Found\r\nLocation: http://localhost:1/x\r\nContent-Length: 0\r\n\r\n" });
is_refused('a redirect in circles', 'redirect: redirected to http://127\.0\.0\.1:\d+/again', sub { "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:$_[2]/again\r\nContent-Length: 0\r\n\r\n" });
is_refused('a body without an end', 'too-large: more than 67108864 bytes', sub { my ($client) = @_; print $client "HTTP/1.1 200 OK\r\n\r\n{"; while (print $client ' ' x 65536) { } undef });
is_refused('one that goes silent', 'timeout: no response in time: ', sub { my ($client) = @_; print $client ok_of(substr($plain, 0, 20), '', length $plain); sleep 40; undef });
is_refused('a byte a second', 'timeout: no response in time: ', sub { my ($client) = @_; print $client ok_of('', '', length $plain); for (split //, $plain) { print $client $_ or last; sleep 1 } undef });

my ($code, $told) = round(sub { ok_of($plain) }, 1);
is($code, 0, 'when it is whole it is stored') or diag $told;
is($site->value("SELECT state $tickers"), 'stored', '... all of it');

# A disk that is full: what cannot be written is told, and asked for again.
SKIP: {
    my $small = workspace() . '/' . fresh('small');
    mkdir $small or die "$small: $!";
    skip 'no disk can be mounted', 7 if (run('mount', '-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'none', $small))[0] != 0;
    $folder = $small;
    is_refused('a file larger than the disk', 'disk: the body cannot be written: no room on the disk', sub { ok_of('{"0":{"cik_str":7001,"ticker":"NUMA","title":"Numbers 7001"}}' . ' ' x 100_000) });
    is((run('mount', '-o', 'remount,size=4m', $small))[0], 0, 'there is room');
    ($code, $told) = round(sub { ok_of($plain . ' ' x 100_000) }, 1);
    is($code, 0, '... and it is stored') or diag $told;
    is_deeply([glob "$small/*"], [], '... with nothing left behind');
    run('umount', $small);
}

finish();

# disclosedctl follow: what it refuses, and what it would ask. What it does with the sources: t/follow.t.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Shared qw(register_process);
use Digest::SHA qw(sha256_hex);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX ();

my $site = site(template => 'empty');
my @contact = ('--user-agent', 'Example Research ops@example.com');

sub follow { return $site->control('follow', @_) }

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
for my $agent (undef, 'Example Research', '@example.com', 'ops@', "a\@b.example\nX-Other: 1") {
    my ($code, $out, $err) = follow('--once', defined $agent ? ('--user-agent', $agent) : ());
    is($code, 2, 'nothing is asked of the SEC by ' . ($agent // 'nobody'));
    like($err, qr/sec\.gov asks for a User-Agent with a contact/, '... and it says so');
}
for my $case ([['--source', 'sec'], '--source: no such source: sec'], [['--poll', 0], '--poll takes seconds, 1 to 86400: 0'],
    [['--since', 'May'], '--since takes a date, not before 1993-01-01: May'],
    [['--since', '0026-01-02'], '--since takes a date, not before 1993-01-01: 0026-01-02'], [['--keep', ''], '--keep takes a folder: '], [['--keep', '/etc/passwd'], '--keep takes a folder: /etc/passwd'],
    [['--source', 'watch'], '--source watch follows folders: say which by --watch IMPORTER=FOLDER'], [['--mirror', 'www.sec.gov=http://127.0.0.1'], '--mirror takes https://ORIGIN=URL: www.sec.gov=http://127.0.0.1'],
    [['--mirror', 'https://www.sec.gov=http://127.0.0.1/'], '--mirror takes origin and URL without a slash at their ends: https://www.sec.gov=http://127.0.0.1/'],
    [['--mirror', 'https://sec.gov=http://127.0.0.1'], '--mirror: no source is at that origin: https://sec.gov=http://127.0.0.1'],
    [['--mirror', 'https://WWW.sec.gov=http://127.0.0.1'], '--mirror: no source is at that origin: https://WWW.sec.gov='],
    [['--mirror', 'https://www.sec.gov:443/Archives=http://127.0.0.1'], '--mirror: no source is at that origin: https://www.sec.gov:443/Archives='],
    [['--keep-budget', '5 GB'], '--keep-budget takes bytes, as 500M or 20G: 5 GB'], (map { [['--keep-budget', $_], "--keep-budget takes bytes, as 500M or 20G: $_"] } '16777217T', '8388608T', '0G', '999999999T'), [['now'], 'no argument now here']) {
    my ($options, $says) = @$case;
    my ($code, undef, $err) = follow('--dry-run', @contact, @$options);
    is($code, 2, "@$options is refused");
    like($err, qr/\Q$says\E/, '... and it says why');
}

# One list of mirrors does for follow and bootstrap.
for my $command (qw(follow bootstrap)) {
    for my $case (['https://www.sec.gov=http://127.0.0.1,https://sec.gov=http://127.0.0.1', 2, qr{^disclosedctl: DISCLOSED_MIRRORS: --mirror: no source is at that origin: https://sec\.gov=http://127\.0\.0\.1\n}],
        ['https://cdn.finra.org=http://127.0.0.1, https://data.sec.gov=http://127.0.0.1', 0, qr/^\z/])
    {
        my ($mirrors, $expected, $says) = @$case;
        local $ENV{DISCLOSED_MIRRORS} = $mirrors;
        my ($code, undef, $err) = $site->control($command, '--dry-run', @contact);
        is($code, $expected, "$command: $mirrors");
        like($err, $says, '... and what it says');
    }
}

my ($code, $out) = follow('--dry-run', @contact, '--source', 'sec-edgar', '--since', '2026-11-19', '--mirror', 'https://www.sec.gov=http://127.0.0.1:1/sec');
is($code, 0, 'a dry run');
like($out, qr{^http://127\.0\.0\.1:1/sec/cgi-bin/browse-edgar\?action=getcurrent&type=&company=&dateb=&owner=include&start=0&count=100&output=atom$}m, '... tells the feed, at the mirror');
like($out, qr{^http://127\.0\.0\.1:1/sec/Archives/edgar/daily-index/2026/QTR4/master\.20261119\.idx$}m, '... the index of a day');
unlike($out, qr/20261121|20261122/, '... none of a weekend');
like($out, qr{^http://127\.0\.0\.1:1/sec/Archives/edgar/full-index/2026/QTR4/master\.idx$}m, '... and of the quarter');
is($site->value('SELECT count(*) FROM disclosed.followed_source'), 0, '... and changes nothing');

# What killed ones have left behind goes: folders of their own. Others may put there what they like.
{
    local $ENV{TMPDIR} = tempdir(CLEANUP => 1);
    for my $folder ('disclosed-follow-killed', 'disclosed-follow-killed/17', 'disclosed-follow-begun', 'another', 'disclosed-other') {
        mkdir "$ENV{TMPDIR}/$folder" or die "$folder: $!";
    }
    for my $file ('disclosed-follow-killed/lock', 'disclosed-follow-killed/17/body', 'another/lock', 'another/body', 'disclosed-other/lock') {
        open my $made, '>', "$ENV{TMPDIR}/$file" or die "$file: $!";
        close $made;
    }
    symlink 'another', "$ENV{TMPDIR}/disclosed-follow-link" or die "symlink: $!";
    is((follow('--dry-run', @contact, '--source', 'sec-tickers'))[0], 0, 'a run beside what is left of others');
    same_json([sort map { s{.*/}{}r } glob "$ENV{TMPDIR}/*"], [qw(another disclosed-follow-link disclosed-other)], '... removes what a killed one has left');
    same_json([sort map { s{.*/}{}r } glob "$ENV{TMPDIR}/another/*"], [qw(body lock)], '... and nothing that a link leads to');
}

# Nobody listens there: each address is tried once, and what has failed is kept.
($code, $out, my $err) = follow('--once', @contact, '--source', 'sec-tickers', '--mirror', 'https://www.sec.gov=http://127.0.0.1:1');
is($code, 1, 'a round without its source');
like($err, qr/^sec-tickers: company_tickers\.json: connection: no connection could be made/m, '... says why');
like($out, qr/^3 requests|0 requests, 0 documents stored, 3 failed, 3 missing$/m, '... and what is missing');
is($site->value("SELECT count(*) FROM disclosed.followed_document WHERE state = 'wanted' AND attempts = 1 AND failure_kind = 'connection' AND next_at > clock_timestamp()"), 3,
    '... which is tried again later');
is($site->value('SELECT lease_until IS NULL FROM disclosed.followed_source'), 't', '... and another may take it');

# What was not asked for on condition cannot be unchanged: 304 stores nothing.
{
    my $listening = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 8) or die "listen: $!";
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        while (my $client = $listening->accept) {
            while (defined(my $line = <$client>)) { last if $line eq "\r\n" }
            print $client "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nConnection: close\r\n\r\n";
        }
        POSIX::_exit(0);
    }
    register_process($pid);
    my $other = site(template => 'empty', start => 0);
    ($code, $out, $err) = $other->control('follow', '--once', @contact, '--source', 'sec-tickers', '--mirror', 'https://www.sec.gov=http://127.0.0.1:' . $listening->sockport);
    is($code, 1, 'a server that says of what was never here that it has not changed');
    like($err, qr/^sec-tickers: company_tickers\.json: response: status 304/m, '... gives no response');
    is($other->value("SELECT count(*) FROM disclosed.followed_document WHERE state = 'wanted'"), 3, '... and all of it is still wanted');
    kill 'KILL', $pid;
    waitpid $pid, 0;
}

# ---- what clients see of it
my $freshness = $site->get('/v1/coverage')->json->{freshness};
my %first = $freshness->[0]->%*;
same_json([map { [$_->{source}, $_->{document}] } @$freshness], [['sec-tickers', 'company-tickers'], ['sec-tickers', 'fund-tickers']], 'coverage has what is followed');
same_json([map { $_->{missing} } @$freshness], [2, 1], '... with what is missing');
like($first{missing_since}, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/, '... since when');
same_json([@first{qw(newest_at stored_at unread_listings)}], [undef, undef, 0], '... and nothing stored');
my $etag = $site->get('/v1/coverage')->header('etag');
is($site->get('/v1/coverage', headers => { 'If-None-Match' => $etag })->status, 304, 'a tag stands for it');
$site->execute("UPDATE disclosed.followed_document SET state = 'stored', stored_at = clock_timestamp(), published_at = '2026-11-20T21:00:00Z', next_at = NULL WHERE kind = 'fund-tickers';"
        . " SELECT disclosed.refresh_followed('sec-tickers')");
my $later = $site->get('/v1/coverage', headers => { 'If-None-Match' => $etag });
is($later->status, 200, '... until it changes');
same_json([map { [@$_{qw(document missing missing_since newest_at)}] } $later->json->{freshness}[1]], [['fund-tickers', 0, undef, '2026-11-20T21:00:00Z']], '... when a document is stored');
same_json($site->get('/v1/coverage?as_of=2026-11-20')->json->{freshness}, [], 'nobody keeps how fresh it was');

# ---- --status
($code, $out) = $site->control('follow', '--status');
is($code, 0, 'what is missing');
like($out, qr/^sec-tickers +company_tickers\.json +connection no connection could be made/m, '... by name, with the reason');
like($out, qr/^    next at .*, after 1 attempts$/m, '... and when it is asked for again');
is(($site->control('follow', '--status', '--source', 'house-clerk'))[1], '', '... of a source of which nothing is');
is(($site->control('follow', '--status', '--source', 'watch', '--json'))[1], "[]\n", '... and of folders');
is(($site->control('follow', '--status', '--source', 'house-clerk', '--source', 'sec-tickers'))[1], $out, '... of two of them');
$site->execute("UPDATE disclosed.followed_document SET state = 'stored', next_at = NULL");
($code, $out) = $site->control('follow', '--status', '--json');
is($out, "[]\n", 'nothing is missing');

# ---- reimport: nothing is kept of these
my @again = (qw(--source sec-tickers --since 2020-01-01 --keep), tempdir(CLEANUP => 1));
($code, $out) = $site->control('reimport', @again);
is($code, 0, 'reimport');
is($out, "0 files read again, 0 no longer kept, 0 failed: stored 0, unchanged 0, superseded 0, rejected 0\n", '... of nothing');
my $tickers = '{"0":{"cik_str":320193,"ticker":"AAPL","title":"Apple Inc."},"1":{"cik_str":0,"ticker":"NONE","title":"Nobody"}}';
my $digits = sha256_hex($tickers);
mkdir "$again[-1]/" . substr $digits, 0, 2 or die;
open my $kept, '>:raw', join '/', $again[-1], $digits =~ /\A(..)(.+)\z/ or die;
print $kept $tickers;
close $kept or die;
$site->execute("UPDATE disclosed.followed_document SET content_hash = 'sha256:$digits' WHERE identity = 'company_tickers.json'");
($code, $out, $err) = $site->control('reimport', @again);
is($code, 1, '... of a file with a row that is rejected') or diag $err;
like($out, qr/^1 files read again, 0 no longer kept, 0 failed: stored \d+, unchanged 0, superseded 0, rejected 1$/m, '... which is counted');
for my $case ([[@again[0 .. 3]], '--source, --since and --keep are needed'], [['--source', 'sec', @again[2 .. 5]], '--source: no such source: sec'],
    [[@again[0, 1], '--since', 'May', @again[4, 5]], '--since takes a date: May'], map { [[@again[0 .. 3], '--keep', $_], "--keep: there is no such folder: $_"] } '', '/nonexistent', '/etc/passwd') {
    my ($options, $says) = @$case;
    ($code, undef, $err) = $site->control('reimport', @$options);
    is($code, 2, "reimport @$options is refused");
    like($err, qr/\Q$says\E/, '... and it says why');
}

finish();

# disclosedctl follow --keep on a disk that is full: what cannot be kept is told and stored all the same, nothing that is not whole has a content's name, and when there is
# room files are kept again.

use FindBin;
use lib "$FindBin::Bin/lib";
use Digest::SHA qw(sha256_hex);
use Disclosed::Process qw(run slurp);
use Disclosed::RawServer;
use Disclosed::Shared qw(fresh workspace);
use Disclosed::Test;

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
my $site = site(template => 'empty', start => 0);
my $kept = workspace() . '/' . fresh('kept');
mkdir $kept or die "$kept: $!";

my %file = (
    'company_tickers.json'          => '{"0":{"cik_str":7001,"ticker":"NUMA","title":"Numbers 7001"}}',
    'company_tickers_exchange.json' => '{"fields":["cik","name","ticker","exchange"],"data":[[7001,"Numbers 7001","NUMA","Nasdaq"]]}' . ' ' x 100_000,
    'company_tickers_mf.json'       => '{"fields":["cik","seriesId","classId","symbol"],"data":[[7001,"S000000001","C000000001","NUMAX"]]}',
);
my $server = Disclosed::RawServer->start(sub {
    my ($name) = $_[2] =~ m{/files/(\S+) };
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " . length($file{$name}) . "\r\n\r\n$file{$name}";
});

# A round: (exit code, all that it says).
sub round
{
    my ($code, $out, $err) = $site->control('follow', '--once', '--user-agent', 'Replay Suite suite@example.org', '--source', 'sec-tickers', '--mirror', 'https://www.sec.gov=' . $server->url, '--keep', $kept);
    return ($code, "$out$err");
}

# What lies in the folder: names, and those whose content is another.
sub files { return grep { -f } glob "$kept/*/*" }
sub wrong { return grep { my ($folder, $name) = m{([^/]+)/([^/]+)\z}; sha256_hex(slurp($_)) ne "$folder$name" } files() }

SKIP: {
    if ((run('mount', '-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'none', $kept))[0] != 0) {
        diag 'NOT TESTED: a disk that is full (no disk can be mounted)';
        skip 'no disk can be mounted', 12;
    }
    my ($code, $told) = round();
    is($code, 0, 'a folder of kept files that is full') or diag $told;
    my $digits = sha256_hex($file{'company_tickers_exchange.json'});
    like($told, qr{^not kept: \Q$kept\E/\Q${\ substr $digits, 0, 2}\E/\Q${\ substr $digits, 2}\E: No space left on device$}m, '... is told');
    is($site->value("SELECT count(*) FROM disclosed.followed_document WHERE state = 'stored'"), 3, '... and all is stored');
    same_json([wrong()], [], '... nothing of it has a content\'s name that is not whole');
    is(scalar files(), 2, '... what there is room for is kept');

    is((run('mount', '-o', 'remount,size=4m', $kept))[0], 0, 'there is room');
    $site->execute('UPDATE disclosed.followed_document SET next_at = clock_timestamp()');
    ($code, $told) = round();
    is($code, 0, '... and the next time') or diag $told;
    unlike($told, qr/not kept/, '... nothing is told');
    is(scalar files(), 3, '... all is kept');
    same_json([wrong()], [], '... under its name');
    my ($exit, $out) = $site->control('reimport', '--source', 'sec-tickers', '--since', '2000-01-01', '--keep', $kept);
    is($exit, 0, 'it is read again');
    like($out, qr/^3 files read again, 0 no longer kept, 0 failed: stored 0, /, '... all of it');
}
run('umount', $kept);

finish();

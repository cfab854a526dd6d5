# What goes wrong while disclosedctl follow reads: each kind of damage is recognised, nothing false is stored, what has failed is asked for again, and administrators and clients
# see it: in /v1/coverage, in metrics and in mod_status. When the sources are whole again all is as after a plain import.

use FindBin;
use lib "$FindBin::Bin/lib";
use Compress::Zlib ();
use Disclosed::Build qw(shared_data);
use Disclosed::FollowProof;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run wait_until);
use Disclosed::ReplayDamage qw(block_page);
use Disclosed::ReplayServer;
use Disclosed::Shared qw(cluster control fresh register_process workspace);
use Disclosed::Test;
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(sleep);

if (!shared_data('edgar-submissions')) {
    diag 'NOT TESTED: damage of a made day of real filings (DISCLOSED_SHARED)';
    plan skip_all => 'no real filings';
}
delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};

# Damages each response whose address matches, as a function says.
package Planned {
    sub new { my ($class, %plan) = @_; return bless { share => 1, plan => \%plan }, $class }

    sub apply
    {
        my ($self, $target, $response) = @_;
        my ($pattern) = grep { index($target, $_) >= 0 } sort keys $self->{plan}->%* or return;
        $self->{plan}{$pattern}->($response);
        return $pattern;
    }
}

my $proof = Disclosed::FollowProof->new(each => 6, most => 200, lean => 1 << 20, seconds => 10, sources => [qw(sec-tickers sec-edgar)]);
my $site = site(database => $proof->{database}, described => 0, config => <<"END_OF_CONFIG");
@{[ metrics_location() ]}
@{[ status_location() ]}
END_OF_CONFIG

my $day = $proof->day;

# ---- rounds

sub plain
{
    my ($response) = @_;
    return $response->{bytes} if !delete $response->{headers}{'Content-Encoding'};
    my $bytes = $response->{bytes};
    return Compress::Zlib::memGunzip($bytes);
}

sub put { my ($response, $bytes) = @_; @$response{qw(bytes length)} = ($bytes, length $bytes); return }

sub put_page
{
    my ($response, $bytes) = @_;
    delete @{ $response->{headers} }{qw(ETag Last-Modified Content-Encoding)};
    $response->{headers}{'Content-Type'} = 'text/html';
    return put($response, $bytes);
}

my $page = "<!DOCTYPE html>\n<html><head><title>SEC.gov | File Unavailable</title></head><body></body></html>\n";

# A round at that part of the day, from a server that damages so: all that it says. Options follow those of the command.
sub round
{
    my ($part, $plan, @options) = @_;
    $proof->{server}->stop;
    $proof->{server} = Disclosed::ReplayServer->start(pages => $proof->{pages}, damage => Planned->new(%$plan), seconds => 1000);
    $proof->{server}->begin($part);
    $proof->hasten;
    cluster()->execute($proof->{database}, "UPDATE disclosed.followed_listing SET next_at = clock_timestamp() WHERE listing = 'feed'");
    my ($code, $out, $err) = $proof->once(@options);
    return "$code $out$err";
}

sub value { my ($sql) = @_; return $proof->value($sql) }

# ---- what is seen

my %failures; # what must have been counted so far: "source kind" => number

sub freshness
{
    my ($source) = @_;
    my @rows = grep { $_->{source} eq $source } $site->get('/v1/coverage')->json->{freshness}->@*;
    my ($missing, $since) = (0, 0);
    $missing += $_->{missing}, $since += defined $_->{missing_since} ? 1 : 0 for @rows;
    return { missing => $missing, since => $since, unread => $rows[0]{unread_listings} };
}

# What clients and administrators see after a round: failures by kind, what is missing, listings that could not be read.
sub is_seen
{
    my ($what, $source, $missing, $unread) = @_;
    my $fresh = freshness($source);
    is("$fresh->{missing} missing, $fresh->{unread} unread", "$missing missing, $unread unread", "$what: /v1/coverage has what is missing");
    is($fresh->{since} > 0, $missing > 0, '... and since when');
    my %expected = map { my ($of, $kind) = split / /; (qq(disclosed_follow_failures_total{database="0",source="$of",kind="$kind"}) => $failures{$_}) } keys %failures;
    my ($metrics, %got);
    my $wanted = sub { my $sum = 0; $sum += $_ for $metrics =~ /^disclosed_follow_documents_wanted\{database="0",source="\Q$source\E",document="[^"]*"\} (\d+)$/mg; return $sum };
    wait_until(40 * patience(), sub {
        $metrics = $site->get('/metrics', key => undef)->body;
        %got = $metrics =~ /^(disclosed_follow_failures_total\{\S+) (\d+)$/mg;
        return join("\n", map { "$_ $got{$_}" } sort keys %got) eq join("\n", map { "$_ $expected{$_}" } sort keys %expected) && $wanted->() == $missing
            && $metrics =~ /^disclosed_follow_unread_listings\{database="0",source="\Q$source\E"\} $unread$/m;
    });
    same_json({ map { ($_ => 0 + $got{$_}) } keys %got }, \%expected, '... metrics have failures by kind');
    is($wanted->(), $missing, '... the backlog');
    like($metrics, qr/^disclosed_follow_unread_listings\{database="0",source="\Q$source\E"\} $unread$/m, '... and the listings');
    return if !status_location();
    my $status = $site->get('/status?auto', key => undef)->body;
    same_json({ map { my ($of, $kind, $count) = @$_; ("$of $kind" => 0 + $count) } map { [/^(\S+)\.(\S+): (\d+)$/] } $status =~ /^DisclosedFollow0\.(\S+\.\S+: \d+) failures$/mg }, \%failures, '... and so has mod_status');
    like($status, qr/^DisclosedFollow0\.\Q$source\E: read \S+ seconds ago, $unread lists unread$/m, '... with the listings');
    return;
}

# ---- a disk that is full

SKIP: {
    my $small = workspace() . '/' . fresh('small');
    mkdir $small or die "$small: $!";
    skip 'no disk can be mounted', 10 if (run('mount', '-t', 'tmpfs', '-o', 'size=12k,mode=0700', 'none', $small))[0] != 0;
    local $proof->{sources} = ['sec-tickers'];
    local $ENV{TMPDIR} = $small;
    my $told = round(0.5, {});
    run('umount', $small);
    my $count = 0 + value(q{SELECT count(*) FROM followed_document WHERE failure_kind = 'disk'});
    cmp_ok($count, '>', 0, 'a full disk is recognised') or diag $told;
    $failures{'sec-tickers disk'} = $count;
    is_seen('a full disk', 'sec-tickers', value(q{SELECT count(*) FROM followed_document WHERE source = 'sec-tickers' AND state = 'wanted'}), 0);
    is(value(q{SELECT count(*) FROM import_run r JOIN followed_document d ON r.file ~ d.identity WHERE d.failure_kind = 'disk' AND r.status = 'done'}), 0, '... and nothing of it is stored');
}

# ---- whole, until noon

my $told = round(0.5, {});
like($told, qr/ 2 failed| 0 failed/, 'until noon all is whole') or diag $told;
$failures{'sec-edgar absent'} = 2; # the indexes, of a day that is not over by the source's clock
is_seen('whole', 'sec-edgar', 0, 2);

# ---- the feed, documents and names of hosts

my %seen = map { ($_->{identity} => 1) } $proof->rows('SELECT identity FROM disclosed.followed_document');
my @later = grep { !$seen{ $_->{accession} } && $_->{form} =~ /^[34]\z/ } $proof->{filings}->@*;
cmp_ok(scalar @later, '>=', 6, 'filings of the afternoon');
my ($cut, $long, $short, $other, $html, $empty) = map { $_->{accession} } @later;
{
    package Elsewhere;
    our @ISA = 'Disclosed::ReplayServer';
    # A host that has no address has what is about companies.
    sub mirrors { my ($self) = @_; return ('--mirror', 'https://data.sec.gov=http://no-such-host.invalid', Disclosed::ReplayServer::mirrors($self)) }
}
{
    no warnings 'redefine';
    my $start = \&Disclosed::ReplayServer::start;
    local *Disclosed::ReplayServer::start = sub { return bless $start->(@_), 'Elsewhere' };
    $told = round(1, {
        'getcurrent'  => sub { put_page($_[0], $page) },
        "$cut.txt"    => sub { $_[0]{cut} = int($_[0]{length} / 2) },
        "$long.txt"   => sub { $_[0]{stated} = $_[0]{length} + 100; $_[0]{cut} = $_[0]{length} },
        "$short.txt"  => sub { my $text = plain($_[0]); put($_[0], substr $text, 0, int(length($text) / 2)) },
        "$other.txt"  => sub { put($_[0], (grep { $_->{accession} eq $cut } @later)[0]{text}); delete $_[0]{headers}{'Content-Encoding'} },
        "$html.txt"   => sub { put_page($_[0], $page) },
        "$empty.txt"  => sub { put_page($_[0], '') },
    });
}
my %kind = map { ($_->{identity} => $_->{failure_kind}) } $proof->rows('SELECT identity, failure_kind FROM disclosed.followed_document WHERE failure_kind IS NOT NULL');
my $about = 0 + value(q{SELECT count(*) FROM followed_document WHERE failure_kind = 'dns'});
my %expected = ($cut => 'truncated', $long => 'truncated', $short => 'truncated', $other => 'other', $html => 'blocked', $empty => 'truncated');
same_json({ map { ($_ => $kind{$_}) } keys %expected }, \%expected, 'bodies that are cut, of a wrong length, of another file, pages, and nothing: each is recognised') or diag $told;
cmp_ok($about, '>', 0, '... and a host without an address');
is(scalar keys %kind, $about + keys %expected, '... and nothing else is damaged') or diag explain \%kind;
%failures = (%failures, 'sec-edgar truncated' => 4, 'sec-edgar other' => 1, 'sec-edgar blocked' => 2, 'sec-edgar dns' => $about);
my $unknown = value(q{SELECT count(*) FROM followed_document WHERE failure_kind = 'dns' AND state = 'wanted'}); # of others an older file is stored
is_seen('damage', 'sec-edgar', 6 + $unknown, 1);
same_json([$proof->rows(q{SELECT file FROM disclosed.import_run WHERE file ~ '(} . join('|', sort keys %expected) . q{)'})], [], '... of these filings nothing is given to an importer');
is(value(q{SELECT count(*) FROM followed_document WHERE failure_kind IS NOT NULL AND next_at IS NULL}), 0, '... and they are asked for again');
my ($code, $status) = control(cluster()->conninfo($proof->{database}), 'follow', '--status');
same_json([grep { $status !~ /^sec-edgar +\Q$_\E +$expected{$_} /m } sort keys %expected], [], '... --status lists each with its reason');
like($status, qr/^sec-edgar +feed +blocked +a page, in place of the file$/m, '... and the feed');

# ---- a publisher that refuses by a page

$told = round(1, { 'getcurrent' => sub { put_page($_[0], block_page()) } });
like($told, qr/^1 .*^sec-edgar: feed: blocked: a page that refuses further requests/ms, 'a page that refuses, with status 200') or diag $told;
$failures{'sec-edgar blocked'}++;
is_seen('a page that refuses', 'sec-edgar', 6 + $unknown, 1);
is(value(q{SELECT count(*) FROM followed_document WHERE failure_kind = 'paused' AND state = 'wanted'}) > 0, 1, '... nothing else is asked for');

# ---- a host whose certificate is none of its own, and one that has none

$proof->{server}->stop;
{
    my $folder = workspace() . '/' . fresh('tls');
    mkdir $folder or die "$folder: $!";
    is((run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', "$folder/key", '-out', "$folder/certificate", '-days', 2, '-subj', '/CN=elsewhere.example'))[0], 0, 'a certificate');
    my $port = $site->free_port;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        { no warnings; exec qw(openssl s_server -quiet -www -accept), $port, '-key', "$folder/key", '-cert', "$folder/certificate"; }
        POSIX::_exit(127);
    }
    register_process($pid);
    ok(wait_until(10 * patience(), sub { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") }), '... with a server');
    for my $case (["of another's name", $port], ['none', $site->{port}]) {
        my ($what, $at) = @$case;
        my (undef, $out, $err) = control(cluster()->conninfo($proof->{database}), 'follow', '--once', '--source', 'house-clerk', '--since', $proof->day, '--mirror', "https://disclosures-clerk.house.gov=https://127.0.0.1:$at");
        like($err, qr/^house-clerk: index: tls: /m, "a host with a certificate: $what") or diag $out;
        $failures{'house-clerk tls'} += 2; # the list, and the file that it is
        is_seen('a wrong certificate', 'house-clerk', 1, 1);
        $proof->hasten;
    }
    kill 'KILL', $pid;
    waitpid $pid, 0;
    cluster()->execute($proof->{database}, q{DELETE FROM disclosed.followed_document WHERE source = 'house-clerk'; DELETE FROM disclosed.followed_listing WHERE source = 'house-clerk'});
}

# ---- a clock that is off, and a feed that skips

$told = round(1, { 'getcurrent' => sub { my $text = plain($_[0]); put($_[0], $text =~ s{<updated>[^<]*</updated>}{<updated>2037-01-01T00:00:00-05:00</updated>}r) } });
like($told, qr/^0 /, 'a feed whose clock is off, and the rest whole: all is stored') or diag $told;
$failures{'sec-edgar clock'}++;
is_seen('a clock that is off', 'sec-edgar', 0, 0);
is(value('SELECT count(*) FROM followed_listing WHERE part > current_date'), 0, '... and no day is asked for that is not there yet');

# As if it had been followed the day before, and three of the day's filings were not there yet.
my @skipped = map { $_->{accession} } @later[0 .. 2];
cluster()->execute($proof->{database}, "SET search_path = disclosed, public; DELETE FROM followed_document WHERE identity IN ('" . join("', '", @skipped) . "');
    UPDATE followed_document SET stored_at = '$day'::date - interval '5 hours' WHERE document_id = (SELECT min(document_id) FROM followed_document WHERE seen_in = 'feed');
    UPDATE followed_listing SET completed = false, etag = NULL, last_modified = NULL, next_at = clock_timestamp() WHERE listing = 'daily-index'");
$told = round(1, { 'getcurrent' => sub { my $text = plain($_[0]); for my $number (@skipped) { $text =~ s{<entry>(?:(?!</entry>).)*\Q$number\E.*?</entry>\n}{}sg } put($_[0], $text) } });
like($told, qr/^0 .*^sec-edgar: daily-index of $day: 3 filings that the feed has not shown$/ms, 'a feed that skips: the index of the day tells') or diag $told;
$failures{'sec-edgar skipped'}++;
is_seen('a feed that skips', 'sec-edgar', 0, 0);
is(value("SELECT count(*) FROM followed_document WHERE seen_in = 'daily-index' AND state = 'stored' AND identity IN ('" . join("', '", @skipped) . "')"), 3, '... and all that was skipped is stored');

# ---- a file that changes under its name

my ($path) = grep { m{/files/company_tickers\.json\z} } keys $proof->{pages}{files}->%*;
my $file = $proof->{pages}{files}{$path}[0];
my ($name) = $file->{bytes} =~ /"title":\s*"([^"]+)"/;
my $changed = $file->{bytes} =~ s/"title":(\s*)"\Q$name\E"/"title":$1"Another Name"/r;
$proof->{pages}{files}{$path} = [{ %$file, bytes => $changed, at => $file->{at} + 60 }];
delete $proof->{pages}{files}{$path}[0]{etag};
my $runs = value('SELECT count(*) FROM import_run');
cluster()->execute($proof->{database}, "UPDATE disclosed.followed_document SET next_at = clock_timestamp() WHERE source = 'sec-tickers'");
$told = round(1, {});
like($told, qr/^0 /, 'a file that has changed under its name') or diag $told;
is(value("SELECT count(*) FROM listing WHERE name = 'Another Name' AND superseded_at IS NULL"), 1, '... is read again');
is(value('SELECT count(*) FROM import_run') - $runs, 1, '... and no other');
is_seen('a changed file', 'sec-tickers', 0, 0);

# ---- all of it

same_json([$proof->plain_faults], [], 'in the end all is as after a plain import');

finish();

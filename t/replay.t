# The replay server (Disclosed::ReplayServer) itself: its addresses serve what the sources would, it has their manners, and each kind of
# damage can fail who takes what comes.

use FindBin;
use lib "$FindBin::Bin/lib";
use v5.24;
use warnings;
use Compress::Zlib ();
use Disclosed::MadeDay qw(documents_of last_weekday made_filings);
use Disclosed::Process qw(wait_until);
use Disclosed::RealFiles qw(folder);
use Disclosed::ReplayDamage qw(kinds);
use Disclosed::ReplayFiles qw(replay_files settlements_before);
use Disclosed::ReplayPages qw(eastern);
use Disclosed::ReplayServer;
use Disclosed::Shared qw(fresh workspace);
use HTTP::Tiny;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

folder($_) for qw(ownership-xml 8k-ex99 edgar-submissions);
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);

my $day = last_weekday();
my $filings = made_filings($day, each => 6);
my $made = workspace() . '/' . fresh('archives');
mkdir $made;
my $files = replay_files($day, $filings, $made, most => 50);
my $pages = Disclosed::ReplayPages->new(day => $day, filings => $filings, files => $files, unlisted => { $filings->[3]{accession} => 1 });
cmp_ok(scalar @$filings, '>=', 25, @$filings . ' filings');

sub server { return Disclosed::ReplayServer->start(pages => $pages, limit => 1000, seconds => 60, @_) }

my %contact = (agent => 'Replay Suite suite@example.org');

sub agent { return HTTP::Tiny->new(%contact, timeout => 5, @_) }

my $server = server();
my $client = agent();

sub asked { my ($path, %headers) = @_; return $client->get($server->url($path), { headers => \%headers }) }

sub whole
{
    my ($response) = @_;
    my $bytes = $response->{content}; # memGunzip() takes what it reads
    return ($response->{headers}{'content-encoding'} // '') eq 'gzip' ? Compress::Zlib::memGunzip($bytes) : $bytes;
}

my $feed = '/www.sec.gov/cgi-bin/browse-edgar?action=getcurrent&type=&company=&dateb=&owner=include&start=%d&count=%d&output=atom';

# --- the day ---------------------------------------------------------------------------------------

my $entries = () = asked(sprintf $feed, 0, 100)->{content} =~ /<entry>/g;
is($entries, 0, 'before the day the feed is empty');
my $first = $filings->[0];
my $address = sub { my ($filing, $name) = @_; return "/www.sec.gov/Archives/edgar/data/$filing->{filers}[0]{cik}/" . ($name // "$filing->{accession}.txt") };
is(asked($address->($first))->{status}, 404, '... and no filing is there');
my ($year, $quarter) = (substr($day, 0, 4), int((substr($day, 4, 2) + 2) / 3));
my $indexes = "/www.sec.gov/Archives/edgar/daily-index/$year/QTR$quarter";
is(asked("$indexes/master.$day.idx")->{status}, 404, '... nor the index');

$server->begin(0.5);
my $not_yet = $filings->[-1];
my ($there) = reverse grep { $_->{at} < ($pages->{from} + $pages->{until}) / 2 } @$filings;
is(asked($address->($there))->{content}, $there->{text}, 'at noon a filing of the morning is there');
is(asked($address->($not_yet))->{status}, 404, '... and one of the evening is not');
cmp_ok(abs($server->published_at($there->{at}) - time), '<', 2, '... at a time that is told');
ok(!$server->is_over, '... the day is not over');
$server->begin(1);
ok($server->is_over, '... until it is');

# --- the feed ----------------------------------------------------------------------------------------

my (@listed, @pages_read);
for (my $start = 0; $start < 1000; $start += 20) {
    my $text = asked(sprintf $feed, $start, 20)->{content};
    my @numbers = $text =~ /<id>urn:tag:sec.gov,2008:accession-number=([\d-]+)/g or last;
    push @listed, @numbers;
    push @pages_read, $text;
}
my %filers = map { ($_->{accession} => scalar $_->{filers}->@*) } @$filings;
my %times;
$times{$_}++ for @listed;
my %expected = %filers;
delete $expected{ $filings->[3]{accession} };
is_deeply(\%times, \%expected, 'over its pages the feed has each filing once for each filer, but for the one that is not listed');
is($listed[0], $not_yet->{accession}, '... the latest first');
my ($link) = $pages_read[0] =~ m{<link rel="alternate" type="text/html" href="https:/(/www.sec.gov/Archives/[^"]*-index.htm)"};
like(asked($link)->{content}, qr/EDGAR Filing Documents/, '... each with a link to its index');
like($pages_read[0], qr{<title>\Q$not_yet->{form}\E - .* \(\d{10}\) \(\w[\w ]*\)</title>}, '... and a title of form, name, CIK and role');
is(scalar(() = asked(sprintf($feed =~ s/type=/type=8-K/r, 0, 100))->{content} =~ /term="8-K"/g), scalar(grep { $_->{form} eq '8-K' } @$filings), '... by form');

# --- indexes -----------------------------------------------------------------------------------------

my %paths = map { my $filing = $_; map { ("edgar/data/$_->{cik}/$filing->{accession}.txt" => 1) } $filing->{filers}->@* } @$filings;
for my $kind (qw(form company master)) {
    my %of_day = map { ($_ => 1) } asked("$indexes/$kind.$day.idx")->{content} =~ m{(edgar/data/\S+\.txt)}g;
    is_deeply(\%of_day, \%paths, "the day's index by $kind has all filings, also the one that is not listed");
}
my ($line) = grep { /^$first->{filers}[0]{cik}\|.*\Q$first->{accession}\E/ } split /\n/, asked("$indexes/master.$day.idx")->{content};
like($line, qr{^$first->{filers}[0]{cik}\|[^|]+\|\Q$first->{form}\E\|$day\|edgar/data/}, '... a line in five fields');
my $quarterly = "/www.sec.gov/Archives/edgar/full-index/$year/QTR$quarter";
like(asked("$quarterly/master.idx")->{content}, qr{\|\d{4}-\d\d-\d\d\|edgar/data/\d+/\Q$first->{accession}\E\.txt}, 'the index of the quarter has it, with a date in dashes');
my $list = JSON::PP::decode_json(asked("$indexes/index.json")->{content});
ok((grep { $_->{name} eq "form.$day.idx" } $list->{directory}{item}->@*), 'index.json names the indexes');

# --- filings -----------------------------------------------------------------------------------------

my $documents = 0;
for my $filing (@$filings) {
    my $plain = $filing->{accession} =~ s/-//gr;
    my $names = JSON::PP::decode_json(asked($address->($filing, "$plain/index.json"))->{content})->{directory}{item};
    my %size = map { ($_->{name} => $_->{size}) } @$names;
    my @wrong = grep { my $got = asked($address->($filing, "$plain/$_->{name}"))->{content}; $got ne $_->{text} || length $got != $size{ $_->{name} } } documents_of($filing->{text})->@*;
    is(scalar @wrong, 0, "$filing->{form} $filing->{accession}: its folder has its documents") if @wrong;
    $documents += documents_of($filing->{text})->@*;
    my ($stated) = $filing->{text} =~ /^FILED AS OF DATE:\s+(\d+)/m;
    is($stated, $day, "$filing->{accession}: its header is of the day") if $stated ne $day;
    is(eastern('%Y%m%d%H%M%S', $filing->{at}), ($filing->{text} =~ /<ACCEPTANCE-DATETIME>(\d+)/)[0], '... and of its time') if eastern('%Y%m%d', $filing->{at}) ne $day;
}
cmp_ok($documents, '>=', @$filings - 3, "$documents documents lie in the folders of their filings");
my @binary = grep { $_->{name} =~ /\.zip\z/ } map { documents_of($_->{text})->@* } made_filings($day)->@*;
ok(@binary && !(grep { $_->{text} !~ /^PK\x03\x04/ } @binary), 'what is packed as text in a submission is a file in its folder');

# --- files -------------------------------------------------------------------------------------------

my @wrong = grep { my $path = $_; my $latest = $files->{$path}[-1]; my $got = asked($path)->{content}; length $got != (defined $latest->{bytes} ? length $latest->{bytes} : -s $latest->{path}) } keys %$files;
is("@wrong", '', scalar(keys %$files) . ' other files are there');
my @kinds = (qr{files/company_tickers_exchange}, qr{submissions/CIK}, qr{companyfacts/CIK}, qr{biweekly/shrt\d{8}\.csv}, qr{financial-pdfs/\d{4}FD\.zip}, qr{ptr-pdfs/\d{4}/\d+\.pdf});
is(scalar(grep { my $kind = $_; scalar grep { $_ =~ $kind } keys %$files } @kinds), @kinds, '... of all kinds');
my ($changed) = grep { $files->{$_}->@* > 1 } sort keys %$files;
isnt($pages->page($changed, {}, $pages->{from})->{bytes}, $pages->page($changed, {}, $pages->{until})->{bytes}, '... some of which change in the day');
is_deeply([settlements_before('20261123', 4)], [qw(20261113 20261030 20261015 20260930)], "FINRA's days of settlement");

# --- conditions, ranges, gzip ------------------------------------------------------------------------

my $got = asked($address->($first), 'Accept-Encoding' => 'gzip');
is($got->{headers}{'content-encoding'}, 'gzip', 'texts are compressed for who says so');
is(whole($got), $first->{text}, '... and are the same');
my ($tag, $date) = @{ $got->{headers} }{qw(etag last-modified)};
is(asked($address->($first), 'If-None-Match' => $tag, 'Accept-Encoding' => 'gzip')->{status}, 304, 'If-None-Match');
is(asked($address->($first), 'If-Modified-Since' => $date)->{status}, 304, 'If-Modified-Since');
is(asked($address->($first), 'If-None-Match' => '"other"')->{status}, 200, '... and where it is another');
my $plain_tag = asked($address->($first))->{headers}{etag};
my $range = asked($address->($first), Range => 'bytes=100-', 'If-Range' => $plain_tag);
is($range->{status} . ' ' . $range->{content}, '206 ' . substr($first->{text}, 100), 'a range');
is(asked($address->($first), Range => 'bytes=100-', 'If-Range' => '"other"')->{content}, $first->{text}, '... of another file is all of it');
is(asked($address->($first), Range => 'bytes=99999999-')->{status}, 416, '... and behind its end nothing');
my ($zip) = grep { /\.zip\z/ } keys %$files;
my $halves = join '', map { asked($zip, Range => $_)->{content} } 'bytes=0-999', 'bytes=1000-';
is($halves, asked($zip)->{content}, 'ranges of a file on the disk');

# --- manners -----------------------------------------------------------------------------------------

my %connections = map { ($_->{connection} => 1) } $server->requests;
cmp_ok(scalar keys %connections, '<', 5, 'connections are kept');
my @requests = $server->requests;
is_deeply([@{ $requests[-1] }{qw(method target status agent)}], ['GET', $zip, 200, $contact{agent}], 'each request is written down');
my $strict = server(limit => 10);
$strict->begin(1);
my $url = $strict->url(sprintf $feed, 0, 10);
is(agent(agent => 'curl/8.0')->get($url)->{status}, 403, 'without a contact: 403');
is(agent(agent => 'HTTP::Tiny')->get($strict->url('/cdn.finra.org/equity/none'))->{status}, 404, '... of FINRA nobody asks for one');
sleep 1.1;
my $hasty = agent();
my @statuses = map { $hasty->get($url)->{status} } 1 .. 12;
is("@statuses", join(' ', (200) x 10, 429, 429), 'the eleventh request in a second is refused');
is($strict->most_in_a_second('www\.sec\.gov'), 12, '... and counted');
cmp_ok($hasty->get($url)->{headers}{'retry-after'}, '>', 0, '... with Retry-After');
sleep 1.1;
is($hasty->get($url)->{status}, 200, '... until a second is over');

# --- damage ------------------------------------------------------------------------------------------

# What is wrong with a response, or nothing: as who follows sources has to see it.
sub fault_of
{
    my ($response, $expected) = @_;
    return "status $response->{status}" . ($response->{status} == 599 ? ": $response->{content}" : '') if $response->{status} != 200;
    my $body = whole($response) // return 'gzip';
    return 'HTML' if $body =~ /^<!DOCTYPE html>/;
    return 'nothing' if $body eq '';
    return $body eq $expected ? undef : 'other bytes';
}

my %seen_as = (cut => qr/599/, reset => qr/599/, refused => qr/599/, short_length => qr/^(?:gzip|other bytes)/, long_length => qr/599/, blocked => qr/HTML/, html => qr/HTML/, empty => qr/nothing/,
    unavailable => qr/status 503/, packed => qr/gzip/, skips => qr/other bytes/);
my $expected_feed = asked(sprintf $feed, 0, 100)->{content};
for my $kind (kinds()) {
    my $faulty = server(damage => Disclosed::ReplayDamage->new(share => 1, kinds => [$kind]));
    $faulty->begin(1);
    my ($path, $expected) = $kind eq 'skips' ? (sprintf($feed, 0, 100), $expected_feed) : ($address->($first), $first->{text});
    my $started = time;
    # HTTP::Tiny itself asks again where a connection has ended.
    my (@responses, @faults);
    until ((@responses && !defined $faults[-1] && $faulty->requests > 2) || @responses == 3) {
        push @responses, agent()->get($faulty->url($path), { headers => { 'Accept-Encoding' => 'gzip' } });
        push @faults, fault_of($responses[-1], $expected);
    }
    my @entries = map { scalar(() = (whole($_) // '') =~ /<entry>/g) } @responses;
    if ($kind eq 'skips') {
        cmp_ok($entries[0], '<', $entries[-1], 'skips: entries are missing, and then are there');
    } elsif ($kind eq 'slow') {
        cmp_ok(time - $started, '>', 2, 'slow: it takes long, and is whole');
        is($faults[0], undef, '... each time');
    } elsif ($kind eq 'clock') {
        like($responses[0]{headers}{date}, qr/2037/, 'clock: it tells another time');
        is($faults[0], undef, '... and is whole');
    } else {
        like($faults[0] // 'whole', $seen_as{$kind}, "$kind: it fails a client");
        is($faults[-1], undef, '... and the third time it is whole');
    }
    is(join(' ', map { $_->{damage} // '-' } $faulty->requests), "$kind $kind -", '... and is written down');
}
my @plans = map { my $plan = Disclosed::ReplayDamage->new(share => 0.3, seed => $_); join ' ', map { $plan->apply("/x/$_", { bytes => 'a' x 300, length => 300, headers => {} }) // '-' } 1 .. 50 } 1, 1, 2;
is($plans[0], $plans[1], 'a plan is the same each time');
isnt($plans[0], $plans[2], '... and another by another seed');
cmp_ok(scalar(grep { $_ ne '-' } split / /, $plans[0]), '>', 5, '... and damages a share');
done_testing;

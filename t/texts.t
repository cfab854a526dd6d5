# Long texts: exhibits and sections are served in parts, whose sizes an answer bounds, and which together are
# the text; and what httpd holds for such answers it gives back.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(build);

my $site = site(template => 'demo');
$site->start;

my $most = 1_000_000;
my ($accession) = $site->value("SELECT accession FROM filing_exhibit WHERE superseded_at IS NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1");
my @sequences = map { $_->{sequence} } $site->rows("SELECT sequence FROM filing_exhibit WHERE accession = '$accession' AND superseded_at IS NULL ORDER BY sequence");
if (@sequences < 2) { # the demo data have one exhibit for a filing
    $site->execute("INSERT INTO disclosed.filing_exhibit (id, issuer_id, record_key, known_at, src_digest, source_id, accession, exhibit_type, sequence, published_at, text)
        SELECT nextval('disclosed.record_id'), issuer_id, record_key || '/9', known_at, gen_random_uuid(), source_id, accession, 'EX-99.2', 9, published_at, text
        FROM disclosed.filing_exhibit WHERE accession = '$accession' AND superseded_at IS NULL");
    push @sequences, 9;
}
my @lengths = (2_300_000, 600_000);
my %text; # by sequence
for my $i (0, 1) {
    $site->execute("UPDATE disclosed.filing_exhibit SET text = substr(repeat('é€💹 \"quoted\" </b> row ', 150000), $i + 1, $lengths[$i])
        WHERE accession = '$accession' AND sequence = $sequences[$i]");
    $text{ $sequences[$i] } = $site->value("SELECT text FROM filing_exhibit WHERE accession = '$accession' AND sequence = $sequences[$i]");
    utf8::decode($text{ $sequences[$i] }) if !utf8::is_utf8($text{ $sequences[$i] });
}

sub exhibits { return json_of($site->get("/v1/filings/$accession/exhibits" . ($_[0] // '')), $_[0] // 'exhibits')->{exhibits} }

# --- exhibits ---------------------------------------------------------------------------------

my $all = exhibits();
is_deeply([map { $_->{sequence} } @$all], \@sequences, 'all exhibits are listed');
is_deeply([map { $_->{text_chars} } @$all], \@lengths, '... with their lengths in characters');
is_deeply([map { length $_->{text} } @$all], [$most, 0], '... and a million characters of text, of all together');
is_deeply([map { $_->{text_next} } @$all], [$most, 0], '... and where the rest begins');
for my $sequence (@sequences) {
    my ($whole, $start, $parts) = ('', 0, 0);
    while (defined $start && $parts++ < 10) {
        my ($part) = exhibits("?sequence=$sequence&text_start=$start")->@*;
        is($part->{text_start}, $start, "exhibit $sequence from $start on");
        $whole .= $part->{text};
        $start = $part->{text_next};
    }
    ok($whole eq $text{$sequence}, '... which together are the text') or diag length $whole;
    is($parts, $sequence == $sequences[0] ? 3 : 1, "... in $parts parts");
}
my ($part, $other) = exhibits('?text_start=2299990&text_length=30')->@*;
is_deeply([@$part{qw(text text_next)}], [substr($text{ $sequences[0] }, 2299990), undef], 'the last characters');
is_deeply([@$other{qw(text text_start text_next)}], ['', 2299990, undef], '... of a shorter one none');
($part) = exhibits('?text_start=2299990&text_length=3')->@*;
is_deeply([@$part{qw(text text_next)}], [substr($text{ $sequences[0] }, 2299990, 3), 2299993], 'three of them');
is_deeply(exhibits("?sequence=$_"), [], "none in place $_") for qw(99999 -1 9223372036854775808 -9223372036854775809 99999999999999999999);
faults_is($site->get("/v1/filings/$accession/exhibits?text_length=1000001"), [fault('less_than_equal', ['query', 'text_length'],
    'Input should be less than or equal to 1000000', '1000001', '{"le":1000000}')], 'more than an answer holds');
my $id = $all->[0]{provenance}{src_id};
my $record = json_of($site->get("/v1/src/$id"), 'the source')->{record};
is_deeply([length $record->{text}, @$record{qw(text_next text_chars)}], [$most, $most, $lengths[0]], 'a source shows the first part');

# --- sections ---------------------------------------------------------------------------------

my $filing = $site->value("SELECT accession FROM filing_text WHERE superseded_at IS NULL ORDER BY accession LIMIT 1");
$site->execute("UPDATE disclosed.filing_text SET text = substr(repeat('é€💹 words of a section. ', 150000), 1, 2500000), sections =
    '[{\"key\":\"a\",\"title\":\"A\",\"char_start\":5,\"char_end\":700005},{\"key\":\"b\",\"title\":\"B\",\"char_start\":700005,\"char_end\":700105},
      {\"key\":\"c\",\"title\":\"C\",\"char_start\":700105,\"char_end\":2500000}]' WHERE accession = '$filing'");
my $body = $site->value("SELECT text FROM filing_text WHERE accession = '$filing'");
utf8::decode($body) if !utf8::is_utf8($body);
sub sections { return json_of($site->get("/v1/filings/$filing?$_[0]"), $_[0])->{sections} }
my ($a, $b, $c) = sections('section_text=a&section_text=c')->@*;
is_deeply([length $a->{text}, $a->{text_next}, $b->{text}, length $c->{text}, $c->{text_next}], [700000, undef, undef, 300000, 300000], 'sections share what an answer holds');
ok($a->{text} eq substr($body, 5, 700000) && $c->{text} eq substr($body, 700105, 300000), '... each from its beginning');
(undef, undef, $c) = sections('section_text=c&text_start=1799890')->@*;
is_deeply([@$c{qw(text text_start text_next)}], [substr($body, 2499995), 1799890, undef], 'the end of one');
($a) = sections('section_text=a&text_length=10')->@*;
is_deeply([@$a{qw(text text_start text_next)}], [substr($body, 5, 10), 0, 10], 'ten characters of one');

# --- memory -----------------------------------------------------------------------------------

sub held
{
    my ($field) = @_;
    my $sum = 0;
    for my $pid ($site->worker_pids) {
        open my $in, '<', "/proc/$pid/status" or next;
        local $/;
        my ($kilobytes) = <$in> =~ /^$field:\s+(\d+)/m;
        $sum = $kilobytes if ($kilobytes // 0) > $sum;
    }
    return $sum / 1024;
}

SKIP: {
    skip 'a memory checker holds memory of its own', 4 if build('SANITIZERS') ne '' || $ENV{DISCLOSED_VALGRIND};
    $site->execute("UPDATE disclosed.filing_exhibit SET text = repeat('0123456789abcdef', 524288) WHERE accession = '$accession'");
    $site->get("/v1/filings/$accession/exhibits?text_length=1000") for 1 .. 40;
    my $before = held('VmRSS');
    $site->get("/v1/filings/$accession/exhibits?text_start=" . 100000 * $_) for 1 .. 40;
    my ($after, $peak) = (held('VmRSS'), held('VmHWM'));
    note(sprintf 'httpd: %.1f MB before, %.1f MB after, %.1f MB at most', $before, $after, $peak);
    cmp_ok($peak, '<', $before + 16, 'what httpd holds at most for a text of 8 MB');
    cmp_ok($after, '<', $before + 6, '... and after it');

    # The longest that is served whole: a value as long as the loader takes one.
    my $transcript = $site->value('SELECT id FROM transcript WHERE superseded_at IS NULL ORDER BY id LIMIT 1');
    $site->execute("UPDATE disclosed.transcript SET segments = (SELECT jsonb_agg(jsonb_build_object('speaker', 1, 'text', repeat('words ', 50), 'offset_ms', g,
        'duration_ms', 10, 'section', 'qa')) FROM generate_series(1, 20000) g) WHERE id = $transcript");
    my $length = length $site->get("/v1/transcripts/$transcript")->body;
    $site->get("/v1/transcripts/$transcript") for 1 .. 5;
    ($after, $peak) = (held('VmRSS'), held('VmHWM'));
    note(sprintf 'a transcript of %.1f MB: %.1f MB after, %.1f MB at most', $length / 1e6, $after, $peak);
    cmp_ok($peak, '<', $before + 56, 'what httpd holds at most for the longest transcript');
    cmp_ok($after, '<', $before + 8, '... and after it');
}

finish();

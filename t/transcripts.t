# Transcripts: every field, sections, transcripts that replace others, the analysts who spoke, what was
# public when, and lines of NDJSON that are refused by the element that is wrong.

use FindBin;
use lib "$FindBin::Bin/lib";
use utf8;
use Disclosed::Test 'without_cache';

promises(
    list_transcripts => {
        parameters => [qw(symbols cursor limit fields direction as_of)],
        fields => [qw(id ticker? exchange? period_label? period_end_date? call_date event_type event_id? is_current
            supersedes_id? superseded_by_id? duration_ms? has_slides? provenance)],
    },
    get_transcript => {
        parameters => [qw(transcript_id section as_of)],
        fields => [qw(id ticker? exchange? period_label? period_end_date? call_date event_type event_id? is_current
            supersedes_id? superseded_by_id? duration_ms? has_slides? provenance section speakers chapters segments)],
    },
);
my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
my $utc  = sub { my ($column) = @_; return "to_char($column, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')" };
my $from = 'FROM transcript_sourced t JOIN issuer i USING (issuer_id) WHERE t.superseded_at IS NULL';

# --- a row, with all its members; transcripts that replace others ------------------------------

my ($row) = $site->rows("SELECT t.*, i.ticker, l.listing_exchange, @{[$utc->('t.call_date')]} AS called, @{[$utc->('t.extracted_at')]} AS extracted,
        o.id AS older_id, @{[$utc->('o.known_at')]} AS older_known, @{[$utc->('t.known_at')]} AS known
    FROM transcript_sourced t JOIN issuer i USING (issuer_id) JOIN listing l ON l.issuer_id = t.issuer_id AND l.record_key = i.symbol AND l.superseded_at IS NULL
    JOIN transcript o ON o.issuer_id = t.issuer_id AND o.record_key = t.supersedes
    WHERE t.superseded_at IS NULL AND jsonb_array_length(t.segments) > 10 ORDER BY t.id LIMIT 1");
my $transcript = { id => $row->{id}, ticker => $row->{ticker}, exchange => $row->{listing_exchange}, period_label => $row->{period_label},
    period_end_date => $row->{period_end_date}, call_date => $row->{called}, event_type => 'earnings', event_id => $row->{event_id},
    is_current => JSON::PP::true, supersedes_id => $row->{older_id}, superseded_by_id => undef, duration_ms => $row->{duration_ms},
    has_slides => $row->{has_slides}, provenance => { src_id => 'src_transcript_' . $row->{src_digest} =~ s/-//gr, extracted_at => $row->{extracted},
        map { ($_ => $row->{$_}) } qw(source_provider source_url accession quote content_hash) } };
my %listed = map { ($_->{id} => $_) } json_of($site->get("/v1/transcripts?symbols=$row->{ticker}&limit=500"), 'calls of a company')->{data}->@*;
same_json($listed{ $row->{id} }, $transcript, 'a transcript, with all its members');
same_json([@{ $listed{ $row->{older_id} } }{qw(is_current supersedes_id superseded_by_id)}], [JSON::PP::false, undef, $row->{id}],
    'the one that it replaced is listed, and leads back to it');
is(scalar(grep { $_->{ticker} ne $row->{ticker} } values %listed), 0, 'symbols: only of that company');

sub links
{
    my ($id, $query) = @_;
    return [@{ json_of($site->get("/v1/transcripts/$id$query"), "transcript $id$query") }{qw(is_current supersedes_id superseded_by_id)}];
}
same_json(links($row->{older_id}, "?as_of=$row->{older_known}"), [JSON::PP::true, undef, undef], 'before, the first one was current');
is($site->get("/v1/transcripts/$row->{id}?as_of=$row->{older_known}")->status, 404, '... and the other was not there');
same_json(links($row->{older_id}, "?as_of=$row->{known}"), [JSON::PP::false, undef, $row->{id}], 'from then on it is not');
same_json(links($row->{id}, "?as_of=$row->{known}"), [JSON::PP::true, $row->{older_id}, undef], '... and the other is');

sub same
{
    my ($query, $condition, $way) = @_;
    $way //= 'DESC';
    my @wanted = map { $_->{id} } $site->rows("SELECT t.id $from AND $condition ORDER BY call_date $way, t.id $way LIMIT 60");
    my @found = map { $_->{id} } json_of($site->get("/v1/transcripts?limit=60&$query"), $query)->{data}->@*;
    is_deeply(\@found, \@wanted, "$query: " . @wanted . ' rows');
}
same('', 'true');
same('direction=asc', 'true', 'ASC');
same('symbols=QORDRA&symbols=zemruz-b:us', "ticker IN ('ZEMRUZ', 'QORDRA')");
same('symbols=NOBODY', 'false');

# --- detail and its sections -----------------------------------------------------------------

my $path = "/v1/transcripts/$row->{id}";
my %full = json_of($site->get($path), 'detail')->%*;
my %head = %full;
delete @head{qw(section speakers chapters segments)};
same_json(\%head, $transcript, 'detail has what the list has');
is($full{section}, 'full', 'the whole call by default');
same_json($full{speakers}, [map { { affiliation => undef, %$_ } } $row->{speakers}->@*], 'speakers');
same_json($full{chapters}, $row->{chapters}, 'chapters');
same_json($full{segments}, $row->{segments}, scalar($row->{segments}->@*) . ' segments');
like($site->get($path)->body, qr/"speakers":\[\{"speaker_id":"0","name":"Operator","role":"Operator","affiliation":null\}.*"segments":\[\{"speaker":0,"text":"/,
    '... a speaker_id is a text, a speaker is a number');
my %known_speaker = map { ($_->{speaker_id} => 1) } $full{speakers}->@*;
is(scalar(grep { !$known_speaker{ $_->{speaker} } } $full{segments}->@*), 0, 'every segment is somebody\'s');
for my $section (qw(prepared qa full)) {
    my $part = json_of($site->get("$path?section=$section"), $section);
    my $in = sub { my ($of) = @_; $section eq 'full' || $of eq $section };
    is($part->{section}, $section, "section=$section says so");
    same_json($part->{segments}, [grep { $in->($_->{section}) } $full{segments}->@*], '... has its segments');
    same_json($part->{chapters}, [grep { $in->($_->{kind}) } $full{chapters}->@*], '... and chapters');
    same_json($part->{speakers}, $full{speakers}, '... and all who speak in the call');
    cmp_ok(scalar $part->{segments}->@*, '>', 2, '... of which there are some');
}
faults_is($site->get("$path?section=remarks"), [fault('literal_error', ['query', 'section'], "Input should be 'full', 'prepared' or 'qa'", 'remarks',
    '{"expected":"\'full\', \'prepared\' or \'qa\'"}')], 'no other section');
for my $id (0, 999_999_999, '99999999999999999999') {
    problem_is($site->get("/v1/transcripts/$id"), 404, "/v1/transcripts/$id", instance => "/v1/transcripts/$id", detail => "There is no transcript with the id \"$id\".");
}
faults_is($site->get('/v1/transcripts/x'), [fault('int_parsing', ['path', 'transcript_id'], 'Input should be a valid integer, unable to parse string as an integer', 'x')], 'x');

# --- NDJSON: calls, and the analysts who speak in them -----------------------------------------

sub import_lines
{
    my (@lines) = @_;
    my $file = $site->write('calls.ndjson', join '', map { $json->encode($_) . "\n" } @lines);
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $file);
    return ($code, eval { $json->decode($out) } // {}, "$out$err");
}

my $company = $site->value("SELECT ticker FROM issuer i WHERE ticker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM transcript t WHERE t.issuer_id = i.issuer_id)
    AND NOT EXISTS (SELECT 1 FROM executive e WHERE e.issuer_id = i.issuer_id AND category = 'analysts') ORDER BY issuer_id LIMIT 1");
sub call
{
    my ($number, $day, @analysts) = @_;
    my $speaker = 0;
    my @speakers = ({ speaker_id => '0', name => 'Host', role => 'Operator' }, { speaker_id => '9', name => 'Ida Rel', role => 'Director, Analyst Relations' },
        map { { speaker_id => ++$speaker . '', name => $_->[0], role => $_->[1] // 'Analyst', affiliation => $_->[2] // 'Firm & Söhne' } } @analysts);
    return { dataset => 'transcript', symbol => $company, record_key => "call/$number", call_date => "${day}T15:00:00Z",
        period_label => "Q$number FY2023", provenance => { source_provider => 'service_transcript', source_url => "https://calls.example/$number" },
        speakers => \@speakers, chapters => [{ kind => 'prepared', start_ms => 0 }, { kind => 'qa', start_ms => 2000 }],
        segments => [{ speaker => 0, text => 'Welcome.', section => 'prepared', offset_ms => 0, duration_ms => 1000 },
            { speaker => $speaker, text => 'Why? „Weil“ 💹', section => 'qa', offset_ms => 2000 }] };
}
my @days  = qw(2023-02-01 2023-05-01 2023-08-01 2023-11-01 2024-02-01 2024-05-01);
my @calls = map { call($_, $days[ $_ - 1 ], ['Ann Often'], $_ <= 1 ? ['Bob Once', 'Senior Analyst, Research', 'Bank'] : (), $_ >= 5 ? ['Cem Later'] : ()) } 1 .. 6;
# The calls come in an order of their own.
my ($code, $summary, $text) = import_lines(@calls[4, 0, 5, 2]);
is("$code $summary->{stored}", '0 4', 'calls are stored') or diag $text;
($code, $summary, $text) = import_lines(@calls);
is("$code $summary->{stored} $summary->{unchanged}", '0 2 4', 'two are new') or diag $text;
sub analysts
{
    my ($query) = @_;
    return [map { [@$_{qw(name role affiliation is_current)}, $_->{provenance}{source_url}] }
        json_of($site->get("/v1/companies/$company/executives?category=analysts&current_only=false$query"), "analysts$query")->{data}->@*];
}
my ($yes, $no) = (JSON::PP::true, JSON::PP::false);
my @firm = ('Analyst', 'Firm & Söhne');
my $calls = 'https://calls.example';
my $sorted = sub { [sort { $a->[0] cmp $b->[0] } $_[0]->@*] };
same_json($sorted->(analysts('')), [['Ann Often', @firm, $yes, "$calls/1"], ['Bob Once', 'Senior Analyst, Research', 'Bank', $no, "$calls/5"],
    ['Cem Later', @firm, $yes, "$calls/5"]], 'analysts are among the people, current for a year of calls, with the call as their source');
same_json($sorted->(analysts('&as_of=2024-01-31')), [['Ann Often', @firm, $yes, "$calls/1"], ['Bob Once', 'Senior Analyst, Research', 'Bank', $yes, "$calls/1"]],
    'the year before is not over yet');
same_json(analysts('&as_of=2023-01-01'), [], 'before the first call nobody');
my $of_call = "SELECT string_agg(e.name || e.id || is_current, ',' ORDER BY e.name, known_at) FROM executive e JOIN issuer USING (issuer_id)
    WHERE record_key LIKE 'analysts/call/%' AND ticker = '$company' AND known_at < '2024-05-30'";
my $ids = $site->value($of_call);
my $version = $site->value("SELECT version FROM dataset_stat WHERE dataset = 'executive'");
is((import_lines(@calls))[1]{unchanged}, 6, 'again: all unchanged');
is($site->value("SELECT version FROM dataset_stat WHERE dataset = 'executive'"), $version, '... the people too');
is($site->value("SELECT record_count FROM dataset_issuer_stat s JOIN issuer i USING (issuer_id) WHERE dataset = 'executive' AND ticker = '$company'"),
    $site->value("SELECT count(*) FROM executive e JOIN issuer i USING (issuer_id) WHERE superseded_at IS NULL AND ticker = '$company'"), '... and are counted');
# A role that changes is a version of the same person.
is((import_lines({ call(6, $days[5], ['Ann Often', 'Managing Director, Analyst'], ['Cem Later'])->%*, known_at => '2024-06-01T00:00:00Z' }))[1]{superseded}, 1, 'a corrected call');
is($site->value($of_call), $ids, '... leaves versions before as they were');
same_json([map { $_->[1] } grep { $_->[0] eq 'Ann Often' } analysts('')->@*], ['Managing Director, Analyst'], '... and tells the new role');
# A first transcript has a name wrong; the one that replaces it puts it right.
import_lines({ call(7, '2024-08-01', ['Dan Wrogn'])->%*, record_key => 'call/7/first' });
is(scalar(grep { $_->[0] eq 'Dan Wrogn' && $_->[3] } analysts('')->@*), 1, 'a name that a first transcript has wrong');
import_lines({ call(7, '2024-08-01', ['Dan Wrong'])->%*, supersedes => 'call/7/first', known_at => '2024-08-03T00:00:00Z' });
same_json([map { [@$_[0, 3]] } grep { $_->[0] =~ /^Dan/ } $sorted->(analysts(''))->@*], [['Dan Wrogn', $no], ['Dan Wrong', $yes]], '... is nobody current any more');
is(scalar(grep { $_->[0] eq 'Dan Wrogn' && $_->[3] } analysts('&as_of=2024-08-02')->@*), 1, '... though he was for a day');
# Who is named by another source is left to it.
($code, $summary, $text) = import_lines({ dataset => 'executive', symbol => $company, name => 'Ann Often', role => 'Lead Analyst', category => 'analysts', person_rank => 5,
    is_current => $yes, reported_on => '2024-07-01', provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/analysts' } });
is("$code $summary->{stored}", '0 1', 'the company names one itself') or diag $text;
same_json([map { $_->[4] } grep { $_->[0] eq 'Ann Often' } analysts('')->@*], ['https://issuer.example/analysts'], '... who is shown once');
same_json([grep { $_->[0] =~ /Ida|Host/ } analysts('')->@*], [], 'hosts and analyst relations are no analysts');

# --- NDJSON that is refused --------------------------------------------------------------------

my %good = call(1, '2023-02-01', ['Ann Often'])->%*;
my @bad = (
    [{ speakers => {} },                                           'speakers: not an array'],
    [{ speakers => [{ speaker_id => 1 }] },                        'speakers[0].speaker_id: not a text'],
    [{ speakers => [$good{speakers}->@*, { speaker_id => '0' }] }, 'speakers[3].speaker_id: stands twice'],
    [{ speakers => [{ speaker_id => '0', firm => 'x' }] },         'speakers[0].firm: no such member'],
    [{ segments => [$good{segments}[0], { speaker => 7, text => 'x' }] }, 'segments[1].speaker: no speaker 7'],
    [{ segments => [{ speaker => '0', text => 'x' }] },            'segments[0].speaker: not a whole number from 0 on'],
    [{ segments => [{ speaker => 0 }] },                           'segments[0].text: is required'],
    [{ segments => [{ speaker => 0, text => '' }] },               'segments[0].text: not a text'],
    [{ segments => [{ speaker => 0, text => 'x', section => 'full' }] }, 'segments[0].section: not one of prepared, qa'],
    [{ segments => [map { { speaker => 0, text => 'x', offset_ms => $_ } } 5, 4] }, 'segments[1].offset_ms: before the segment before'],
    [{ chapters => [{ kind => 'intro' }] },                        'chapters[0].kind: not one of prepared, qa'],
    [{ chapters => [map { { kind => 'qa', start_ms => $_ } } 5, 4] }, 'chapters[1].start_ms: before the chapter before'],
    [{ chapters => [{ kind => 'qa', start_ms => -1 }] },           'chapters[0].start_ms: not a whole number from 0 on'],
    [{ event_type => 'party' },                                    'event_type: not one of earnings, investor_day, agm, ma_announcement, other'],
    [{ call_date => '2023-02-01' },                                'call_date: not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)'],
    [{ supersedes => 'bad/15' },                                   'record_key, supersedes: not in the form that the dataset asks for'],
);
($code, $summary, $text) = import_lines(map { { %good, record_key => "bad/$_", $bad[$_][0]->%* } } 0 .. $#bad);
is("$code $summary->{read} $summary->{rejected}", '1 ' . @bad . ' ' . @bad, 'lines with a fault are refused') or diag $text;
my %reason = map { ($_->{place} => $_->{reason}) } $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)');
is($reason{ 'line ' . ($_ + 1) }, $bad[$_][1], $bad[$_][1]) for 0 .. $#bad;

# A transcript without parts is one of which only the call is known.
is((import_lines({ %good{qw(dataset symbol call_date provenance)}, record_key => 'bare', event_type => 'other' }))[1]{stored}, 1, 'a call of which nothing is written down');
my $bare = json_of($site->get('/v1/transcripts/' . $site->value("SELECT id FROM transcript WHERE record_key = 'bare'")), 'it');
same_json([@$bare{qw(speakers chapters segments event_id has_slides duration_ms period_label period_end_date is_current)}], [[], [], [], (undef) x 5, $yes], '... has no parts');

finish();

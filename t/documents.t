# Investor-relations documents: every field, their pages, what was public when, and lines of NDJSON that
# are refused by the element that is wrong.

use FindBin;
use lib "$FindBin::Bin/lib";
use utf8;
use Disclosed::Test 'without_cache';

promises(
    list_documents => {
        parameters => [qw(symbols doc_types cursor limit fields direction as_of)],
        fields => [qw(id ticker? title doc_type language? published_at pages? event_id? doc_group provenance)],
    },
    get_document => {
        parameters => [qw(doc_id as_of)],
        fields => [qw(id ticker? title doc_type language? published_at pages? event_id? doc_group provenance page_count)],
    },
    list_document_pages => {
        parameters => [qw(doc_id page cursor limit fields direction as_of)],
        fields => [qw(document_id page_index char_start? char_end? vision_caption?)],
    },
);
my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
my $rows = 'FROM document_sourced t JOIN issuer i USING (issuer_id) WHERE t.superseded_at IS NULL';
my $utc  = sub { my ($column) = @_; return "to_char($column, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')" };

# --- a row, with all its members ------------------------------------------------------------

my ($row) = $site->rows("SELECT t.*, i.ticker, @{[$utc->('published_at')]} AS published, @{[$utc->('extracted_at')]} AS extracted
    $rows AND doc_type = 'slide_deck' AND event_id IS NOT NULL AND page_records = 6 ORDER BY id LIMIT 1");
my $document = { id => $row->{id}, ticker => $row->{ticker}, title => $row->{title}, doc_type => 'slide_deck', language => 'en',
    published_at => $row->{published}, pages => 6, event_id => $row->{event_id}, doc_group => 'slide_deck',
    provenance => { src_id => 'src_document_' . $row->{src_digest} =~ s/-//gr, extracted_at => $row->{extracted},
        citation_url => $row->{source_url}, map { ($_ => $row->{$_}) } qw(source_provider source_url accession quote content_hash) } };
my @listed = json_of($site->get("/v1/documents?symbols=$row->{ticker}&doc_types=slide_deck&limit=500"), 'decks of a company')->{data}->@*;
my ($shown) = grep { $_->{id} == $row->{id} } @listed;
same_json($shown, $document, 'a document, with all its members');
is(scalar(grep { $_->{doc_type} ne 'slide_deck' || $_->{ticker} ne $row->{ticker} } @listed), 0, 'only decks of that company');
same_json(json_of($site->get("/v1/documents/$row->{id}"), 'detail'), { %$document, page_count => 6 }, 'detail adds page_count');
same_json(json_of($site->get("/v1/src/$document->{provenance}{src_id}"), 'its source')->{record}, $document, 'its src_id leads to it');

sub same
{
    my ($query, $condition, $way) = @_;
    $way //= 'DESC';
    my @wanted = map { $_->{id} } $site->rows("SELECT t.id $rows AND $condition ORDER BY published_at $way, t.id $way LIMIT 60");
    my @found = map { $_->{id} } json_of($site->get("/v1/documents?limit=60&$query"), $query)->{data}->@*;
    is_deeply(\@found, \@wanted, "$query: " . @wanted . ' rows');
}
same('', 'true');
same('direction=asc', 'true', 'ASC');
same('doc_types=annual_report&doc_types=fact_sheet', "doc_type IN ('annual_report', 'fact_sheet')");
same('doc_types=prospectus&direction=asc', "doc_type = 'prospectus'", 'ASC');
same('symbols=ZEMRUZ-B:US&symbols=qordra', "ticker IN ('ZEMRUZ', 'QORDRA')");
same('symbols=NOBODY', 'false');
faults_is($site->get('/v1/documents?doc_types=slides&doc_types=other'), [fault('literal_error', ['query', 'doc_types', 0],
    "Input should be 'slide_deck', 'press_release', 'annual_report', 'quarterly_report', 'shareholder_letter', 'fact_sheet', 'prospectus', "
    . "'sustainability_report' or 'other'", 'slides', '{"expected":"\'slide_deck\', \'press_release\', \'annual_report\', \'quarterly_report\', '
    . '\'shareholder_letter\', \'fact_sheet\', \'prospectus\', \'sustainability_report\' or \'other\'"}')], 'a kind that does not exist');

# --- pages ----------------------------------------------------------------------------------

my @pages = map { { document_id => $row->{id}, char_start => undef, char_end => undef, vision_caption => undef, %$_ } } $row->{pages}->@*;
my $path  = "/v1/documents/$row->{id}/pages";
my $all   = json_of($site->get($path), 'all pages');
same_json($all, { document_id => $row->{id}, data => \@pages, pagination => { next_cursor => undef, has_more => JSON::PP::false } },
    'all pages in their order, under the document');
like($site->get($path)->body, qr/^\{"document_id":$row->{id},"data":\[\{"document_id":$row->{id},"page_index":0,"char_start":0,/, '... members in the order of the contract');
same_json(json_of($site->get("$path?page=$_"), "page $_")->{data}, [$pages[$_]], "page=$_: that one alone") for 0, 3, 5;
same_json(json_of($site->get("$path?page=6"), 'page 6'), { %$all, data => [] }, 'a page that it does not have: an empty list');
same_json(json_of($site->get("$path?direction=desc"), 'backwards')->{data}, [reverse @pages], 'direction=desc: the last one first');
my ($cursor, @walk) = (undef);
do {
    my $page = json_of($site->get("$path?limit=4" . ($cursor ? "&cursor=$cursor" : '')), 'a page of pages');
    push @walk, $page->{data}->@*;
    is($page->{document_id}, $row->{id}, '... every page names the document');
    $cursor = $page->{pagination}{next_cursor};
} while $cursor;
same_json(\@walk, \@pages, '... paged');
my ($end, $texts) = (0, 0);
for my $page (grep { defined $_->{char_start} } $all->{data}->@*) {
    my $text = substr $row->{text}, $page->{char_start}, $page->{char_end} - $page->{char_start};
    ok($page->{char_start} == $end && $text =~ /\S/, "page $page->{page_index}: its range of the text follows the one before");
    $end = $page->{char_end};
    $texts++;
}
is($end, length $row->{text}, "$texts pages with text are the whole text");
is(scalar(grep { !defined $_->{char_start} && $_->{vision_caption} } $all->{data}->@*), 1, 'a page without text has a caption');
faults_is($site->get("$path?page=-1"), [fault('greater_than_equal', ['query', 'page'], 'Input should be greater than or equal to 0', '-1', '{"ge":0}')],
    'no page below 0');
faults_is($site->get("$path?page=first"), [fault('int_parsing', ['query', 'page'], 'Input should be a valid integer, unable to parse string as an integer', 'first')],
    'a page is a number');
is(scalar(json_of($site->get("$path?page=99999999999999999999"), 'a huge page')->{data}->@*), 0, 'nor one beyond 64 bits');

# --- not there ------------------------------------------------------------------------------

for my $id (0, -5, 999_999_999, '99999999999999999999') {
    problem_is($site->get("/v1/documents/$id$_"), 404, "/v1/documents/$id$_", instance => "/v1/documents/$id$_", detail => "There is no document with the id \"$id\".")
        for '', '/pages';
}
faults_is($site->get("/v1/documents/x$_"), [fault('int_parsing', ['path', 'doc_id'], 'Input should be a valid integer, unable to parse string as an integer', 'x')], "x$_")
    for '', '/pages';

# --- as of ----------------------------------------------------------------------------------

my $known  = $site->value("SELECT @{[$utc->('known_at')]} $rows AND t.id = $row->{id}");
my $before = $site->value("SELECT @{[$utc->(q{known_at - interval '1 second'})]} $rows AND t.id = $row->{id}");
for my $target ("/v1/documents/$row->{id}", $path) {
    is($site->get("$target?as_of=$known")->status,  200, "$target: as of when it was known");
    is($site->get("$target?as_of=$before")->status, 404, '... not a second before');
}
my @then = map { $_->{id} } $site->rows("SELECT t.id FROM document t WHERE known_at <= '2024-01-01' AND (superseded_at IS NULL OR superseded_at > '2024-01-01')
    ORDER BY published_at DESC, id DESC LIMIT 100");
is_deeply([map { $_->{id} } json_of($site->get('/v1/documents?as_of=2024-01-01&limit=100'), 'then')->{data}->@*], \@then, 'the newest of a day in the past');
# Then the event of results that were published later was not known yet.
is(scalar(grep { my $one = $_; $one->{event_id} && !$site->value("SELECT count(*) FROM event WHERE id = $one->{event_id} AND known_at <= '2024-01-01'") }
    json_of($site->get('/v1/documents?as_of=2024-01-01&limit=500'), 'then')->{data}->@*), 0, '... show no event of which nobody knew');

# --- NDJSON ---------------------------------------------------------------------------------

sub import_lines
{
    my (@lines) = @_;
    my $file = $site->write('documents.ndjson', join '', map { $json->encode($_) . "\n" } @lines);
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $file);
    return ($code, eval { $json->decode($out) } // {}, "$out$err");
}

my $body = "Über uns: 💹 wächst.\fZahlen.\f";
my %line = (dataset => 'document', symbol => $row->{ticker}, record_key => 'made/1', title => 'Made', doc_type => 'other', language => 'de',
    published_at => '2026-01-05T10:00:00Z', text => $body, provenance => { source_provider => 'issuer_page' },
    pages => [{ page_index => 0, char_start => 0, char_end => 20 }, { page_index => 1, vision_caption => 'A picture.' },
        { page_index => 2, char_start => 20, char_end => 28, vision_caption => undef }]);
my ($code, $summary, $text) = import_lines(\%line);
is("$code $summary->{stored}", '0 1', 'a document of three pages is stored') or diag $text;
my $id = $site->value("SELECT id FROM document WHERE record_key = 'made/1'");
my $made = json_of($site->get("/v1/documents/$id"), 'it');
same_json([@$made{qw(pages page_count language doc_group published_at)}, $made->{provenance}{citation_url}],
    [3, 3, 'de', 'other', '2026-01-05T10:00:00Z', undef], '... and served');
is((import_lines(\%line))[1]{unchanged}, 1, 'a second time it is unchanged');
my %bare = (%line, record_key => 'made/2', page_count => 30);
delete @bare{qw(text pages language)};
is((import_lines(\%bare))[1]{stored}, 1, 'one of which only the number of pages is known');
my $bare = json_of($site->get('/v1/documents/' . $site->value("SELECT id FROM document WHERE record_key = 'made/2'")), 'it');
same_json([@$bare{qw(pages page_count language)}], [30, 0, undef], '... says that none is described');

my $page = sub { my (%change) = @_; return { page_index => 1, char_start => 20, char_end => 28, %change } };
my @bad = (
    [{ pages => {} },                                     'pages: not an array'],
    [{ pages => ['x'] },                                  'pages[0]: not an object'],
    [{ pages => [$line{pages}[0], $page->(page_index => 2)] }, 'pages[1].page_index: is 2, not 1'],
    [{ pages => [{ page_index => 1 }] },                  'pages[0].page_index: is 1, not 0'],
    [{ pages => [{ char_start => 0, char_end => 1 }] },   'pages[0].page_index: is required'],
    [{ pages => [{ page_index => '0' }] },                'pages[0].page_index: not a whole number from 0 on'],
    [{ pages => [{ page_index => 0, char_start => -1, char_end => 3 }] }, 'pages[0].char_start: not a whole number from 0 on'],
    [{ pages => [{ page_index => 0, char_start => 1.5, char_end => 3 }] }, 'pages[0].char_start: not a whole number from 0 on'],
    [{ pages => [{ page_index => 0, caption => 'x' }] },  'pages[0].caption: no such member'],
    [{ pages => [{ page_index => 0, vision_caption => 5 }] }, 'pages[0].vision_caption: not a text'],
    [{ pages => [{ page_index => 0, char_start => 1 }] }, 'pages[0].char_start: neither without char_end nor the reverse'],
    [{ pages => [{ page_index => 0, char_start => 5, char_end => 4 }] }, 'pages[0].char_end: before char_start'],
    [{ pages => [$line{pages}[0], $page->(char_start => 19)] }, 'pages[1].char_start: in a page before'],
    [{ pages => [$line{pages}[0], $page->(char_end => 29)] }, 'pages[1].char_end: the text ends at 28'],
    [{ page_count => 4 },                                 'page_count: is 4, and pages has 3'],
    [{ doc_type => 'slides' },                            'doc_type: not one of slide_deck, press_release, annual_report, quarterly_report, shareholder_letter, fact_sheet, prospectus, sustainability_report, other'],
    [{ published_at => '2026-01-05' },                    'published_at: not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)'],
);
($code, $summary, $text) = import_lines(map { { %line, record_key => "bad/$_", $bad[$_][0]->%* } } 0 .. $#bad);
is("$code $summary->{read} $summary->{stored} $summary->{rejected}", '1 ' . @bad . ' 0 ' . @bad, 'lines with a fault are refused') or diag $text;
my %reason = map { ($_->{place} => $_->{reason}) } $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)');
is($reason{ 'line ' . ($_ + 1) }, $bad[$_][1], $bad[$_][1]) for 0 .. $#bad;

# A correction is a version; the one before stays visible as of its time.
my %later = (%line, title => 'Made anew', known_at => '2026-02-01T00:00:00Z');
is((import_lines(\%later))[1]{superseded}, 1, 'a correction supersedes');
is(json_of($site->get("/v1/documents/$id$_->[0]"), 'title')->{title}, $_->[1], "... $_->[1]") for ['', 'Made anew'], ['?as_of=2026-01-20', 'Made'];

finish();

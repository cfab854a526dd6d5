# Filings: filters, detail with sections and their text, exhibits, and what was public when.

use FindBin;
use lib "$FindBin::Bin/lib";
use utf8;
use Disclosed::Test;

promises(
    list_filings => {
        parameters => [qw(symbols forms start_date end_date updated_after cursor limit fields direction as_of)],
        fields => [qw(id ticker? form accession filed_on filed_at? accepted_at? period_of_report? title? items? source_url?
            event_id? doc_group provenance)],
    },
    get_filing => {
        parameters => [qw(accession section_text text_start text_length as_of)],
        fields => [qw(id ticker? form accession filed_on filed_at? accepted_at? period_of_report? title? items? source_url?
            event_id? doc_group provenance sections sections_available)],
    },
    list_exhibits => {
        parameters => [qw(accession sequence text_start text_length as_of)],
        fields => [qw(accession ticker? exhibits_note exhibits)],
    },
);
my $site = site();
my $rows = 'FROM filing_sourced t JOIN issuer i USING (issuer_id) WHERE t.superseded_at IS NULL';

sub accessions
{
    my ($query) = @_;
    return [map { $_->{accession} } json_of($site->get("/v1/filings?limit=60&$query"), $query)->{data}->@*];
}

sub same
{
    my ($query, $condition, $way) = @_;
    $way //= 'DESC';
    my $wanted = [map { $_->{accession} } $site->rows("SELECT accession $rows AND $condition ORDER BY filed_on $way, id $way LIMIT 60")];
    is_deeply(accessions($query), $wanted, "$query: " . @$wanted . ' rows');
}

# --- the list --------------------------------------------------------------------------------

# Rows of several values are merged: over the borders of pages, too.
{
    my $query = 'symbols=ZEMRUZ&symbols=QORDRA&forms=8-K&forms=10-Q';
    my ($target, @walked) = ("/v1/filings?$query&limit=3");
    while (@walked < 60) {
        my $page = json_of($site->get($target), 'a page of several companies and forms');
        push @walked, map { $_->{accession} } $page->{data}->@*;
        $target = "/v1/filings?$query&limit=3&cursor=" . ($page->{pagination}{next_cursor} // last);
    }
    is_deeply(\@walked, accessions($query), 'pages of several companies and forms: ' . @walked . ' rows');
    cmp_ok(scalar @walked, '>', 20, 'more than a page');
}

same('', 'true');
same('direction=asc', 'true', 'ASC');
same('forms=10-K', "form = '10-K'");
same('forms=10-K/A&forms=20-F', "form IN ('10-K/A', '20-F')");
same('forms=DEF+14A', "form = 'DEF 14A'");
same('forms=10-k', 'false');
same('forms=10-K,10-Q', 'false');
same('symbols=ZEMRUZ', "ticker = 'ZEMRUZ'");
same('symbols=zemruz-b:us&symbols=QORDRA', "ticker IN ('ZEMRUZ', 'QORDRA')");
same('symbols=ZEMRUZ&symbols=QORDRA&symbols=zemruz:us&forms=8-K&forms=10-Q&forms=8-K',
    "ticker IN ('ZEMRUZ', 'QORDRA') AND form IN ('8-K', '10-Q')");
same('symbols=ZEMRUZ&symbols=QORDRA&forms=4&forms=10-Q&direction=asc', "ticker IN ('ZEMRUZ', 'QORDRA') AND form IN ('4', '10-Q')", 'ASC');
same('symbols=NOBODY', 'false');
same('symbols=ZEMRUZ:CA', 'false');
same('start_date=2026-06-01', "filed_on >= '2026-06-01'");
same('end_date=2021-12-31&direction=asc', "filed_on <= '2021-12-31'", 'ASC');
same('start_date=2024-05-01&end_date=2024-05-10', "filed_on BETWEEN '2024-05-01' AND '2024-05-10'");
same('symbols=ZEMRUZ&forms=8-K&start_date=2023-01-01&end_date=2024-12-31&updated_after=2020-01-01',
    "ticker = 'ZEMRUZ' AND form = '8-K' AND filed_on BETWEEN '2023-01-01' AND '2024-12-31'");

# updated_after looks at when a filing came here.
my ($newest) = $site->rows("SELECT t.accession $rows ORDER BY filed_on DESC, id DESC LIMIT 1 OFFSET 20");
$site->execute("UPDATE disclosed.filing SET recorded_at = now() + interval '1 day' WHERE accession = '$newest->{accession}'");
my $tomorrow = $site->value("SELECT to_char(now() + interval '12 hours', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
is_deeply(accessions("updated_after=$tomorrow"), [$newest->{accession}], 'updated_after: what came since');

# --- a row -----------------------------------------------------------------------------------

my ($row) = $site->rows("SELECT t.*, i.ticker, to_char(accepted_at, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS accepted,
    to_char(extracted_at, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS extracted $rows AND form = '8-K' AND items IS NOT NULL ORDER BY id LIMIT 1");
my ($shown) = grep { $_->{accession} eq $row->{accession} }
    json_of($site->get("/v1/filings?symbols=$row->{ticker}&start_date=$row->{filed_on}&end_date=$row->{filed_on}"), 'a row')->{data}->@*;
my $provenance = { src_id => 'src_filing_' . $row->{src_digest} =~ s/-//gr, extracted_at => $row->{extracted},
    map { ($_ => $row->{$_}) } qw(source_provider source_url accession quote content_hash) };
my $filing = { id => $row->{id}, ticker => $row->{ticker}, form => '8-K', accession => $row->{accession}, filed_on => $row->{filed_on}, filed_at => $row->{accepted},
    accepted_at => $row->{accepted}, period_of_report => $row->{period_of_report}, title => $row->{title}, items => $row->{items},
    source_url => $row->{source_url}, event_id => $row->{event_id}, doc_group => 'filing', provenance => $provenance };
same_json($shown, $filing, 'a filing, with all its members');

# --- detail and sections ---------------------------------------------------------------------

my ($text) = $site->rows("SELECT x.accession, x.text, x.sections FROM filing_text x WHERE form = '10-K' AND superseded_at IS NULL
    AND jsonb_array_length(sections) > 3 ORDER BY accession LIMIT 1");
my $path   = "/v1/filings/$text->{accession}";
my $detail = json_of($site->get($path), 'detail');
is($detail->{sections_available}, JSON::PP::true, 'sections are there');
same_json([map { [@$_{qw(key title char_start char_end)}] } $detail->{sections}->@*],
    [map { [@$_{qw(key title char_start char_end)}] } $text->{sections}->@*], '... as they were found');
is_deeply([grep { exists $_->{text} && defined $_->{text} } $detail->{sections}->@*], [], '... without their text');
my $end = 0;
for my $section ($detail->{sections}->@*) {
    ok($section->{char_start} >= $end && $section->{char_end} > $section->{char_start}
            && $section->{char_end} <= length $text->{text}, "$section->{key}: offsets in order and in the text");
    $end = $section->{char_end};
}
my @keys = map { $_->{key} } $detail->{sections}->@*;
my $with = json_of($site->get("$path?section_text=$keys[1]&section_text=$keys[-1]&section_text=nothing"), 'with text');
my %wanted = map { ($_ => 1) } @keys[1, -1];
for my $section ($with->{sections}->@*) {
    my $expected = $wanted{ $section->{key} } ? substr $text->{text}, $section->{char_start}, $section->{char_end} - $section->{char_start} : undef;
    is($section->{text}, $expected, "$section->{key}: " . ($expected ? 'its text, by characters' : 'no text'));
}
is($site->get("/v1/filings/" . $text->{accession} =~ s/-//gr)->body, $site->get($path)->body, 'an accession number without dashes');
my ($bare) = $site->rows("SELECT accession $rows AND form = '4' LIMIT 1");
my $plain = json_of($site->get("/v1/filings/$bare->{accession}"), 'a filing without text');
same_json([@$plain{qw(sections sections_available)}], [[], JSON::PP::false], 'no sections, and it says so');
my %listed = json_of($site->get("/v1/filings/$row->{accession}"), 'an 8-K')->%*;
delete @listed{qw(sections sections_available)};
same_json(\%listed, $filing, 'detail has what the list has');

# Offsets count characters, not bytes: text with letters of two and four bytes in front.
$site->execute("UPDATE disclosed.filing_text SET text = 'é€💹 Ärger', sections = '[{\"key\":\"k\",\"title\":\"T\",\"char_start\":4,\"char_end\":9}]'"
        . " WHERE accession = '$text->{accession}'");
is(json_of($site->get("$path?section_text=k"), 'letters')->{sections}[0]{text}, 'Ärger', 'letters of several bytes count as one');

# --- exhibits --------------------------------------------------------------------------------

my ($release) = $site->rows("SELECT accession, count(*) AS number FROM filing_exhibit WHERE superseded_at IS NULL
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1");
my @exhibits = $site->rows("SELECT x.*, i.ticker, to_char(published_at, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS published FROM filing_exhibit_sourced x
    JOIN issuer i USING (issuer_id) WHERE accession = '$release->{accession}' AND superseded_at IS NULL ORDER BY sequence");
my $answer = json_of($site->get("/v1/filings/$release->{accession}/exhibits"), 'exhibits');
is(scalar($answer->{exhibits}->@*), $release->{number}, 'as many as there are');
same_json([map { my %exhibit = %$_; delete $exhibit{provenance}; \%exhibit } $answer->{exhibits}->@*],
    [map { { accession => $_->{accession}, ticker => $_->{ticker}, exhibit_type => $_->{exhibit_type}, published_at => $_->{published},
                source_url => $_->{source_url}, text => $_->{text},
                sequence => $_->{sequence}, text_start => 0, text_next => undef, text_chars => length $_->{text} } } @exhibits], '... in the order of the submission');
is($answer->{exhibits}[0]{provenance}{src_id}, 'src_exhibit_' . $exhibits[0]{src_digest} =~ s/-//gr, '... with provenance');
same_json([@$answer{qw(accession ticker)}], [$release->{accession}, $exhibits[0]{ticker}], '... and whose they are');
like($answer->{exhibits_note}, qr/EX-99\.1 and EX-99\.2/, '... and what is covered');
same_json(json_of($site->get("/v1/filings/$bare->{accession}/exhibits"), 'none')->{exhibits}, [], 'a filing without exhibits');

# --- not there -------------------------------------------------------------------------------

for my $accession ('0000000000-00-000000', 'x', '9990000001220000031', "';--") {
    for my $target ("/v1/filings/$accession", "/v1/filings/$accession/exhibits") {
        problem_is($site->get($target), 404, $target, instance => $target, detail => "There is no filing with the accession number \"$accession\".");
    }
}

# --- as of -----------------------------------------------------------------------------------

my $accepted = $row->{known_at} =~ s/\+00:00$/Z/r;
my $earlier  = $site->value("SELECT to_char('$row->{known_at}'::timestamptz - interval '1 second', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
is($site->get("/v1/filings/$row->{accession}?as_of=$accepted")->status, 200, 'a filing, as of its acceptance');
is($site->get("/v1/filings/$row->{accession}?as_of=$earlier")->status,  404, 'not a second before');
is($site->get("/v1/filings/$row->{accession}/exhibits?as_of=$earlier")->status, 404, 'nor its exhibits');
my @then = map { $_->{accession} } $site->rows("SELECT accession FROM filing t JOIN issuer i USING (issuer_id) WHERE ticker = 'ZEMRUZ'
    AND t.known_at <= '2023-06-01' AND (t.superseded_at IS NULL OR t.superseded_at > '2023-06-01') ORDER BY filed_on DESC, id DESC");
is_deeply(accessions('symbols=ZEMRUZ&as_of=2023-06-01'), \@then, @then . ' filings of a company as of a day');
my @walk;
my $next = '/v1/filings?symbols=ZEMRUZ&as_of=2023-06-01&limit=9';
for (my $target = $next; $target;) {
    my $page = json_of($site->get($target), 'a page');
    push @walk, map { $_->{accession} } $page->{data}->@*;
    my $cursor = $page->{pagination}{next_cursor};
    $target = $cursor ? "$next&cursor=$cursor" : undef;
}
is_deeply(\@walk, \@then, 'a walk keeps as_of');

finish();

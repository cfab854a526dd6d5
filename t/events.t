# Events: every field, what belongs to them, the calendar, and how an event comes to be known: estimated,
# announced, held, reported; in whatever order its sources are loaded.

use FindBin;
use lib "$FindBin::Bin/lib";
use utf8;
use Disclosed::Test 'without_cache';

promises(
    list_events => {
        parameters => [qw(symbols types start_date end_date updated_after cursor limit fields direction as_of)],
        fields => [qw(event_id symbol? ticker? type family label title period? event_day event_date? event_date_estimated
            event_url? source filing_count ir_doc_count provenance)],
    },
    list_calendar => {
        parameters => [qw(symbols end_date cursor limit fields direction as_of)],
        fields => [qw(event_id symbol? ticker? type family label title period? event_day event_date? event_date_estimated
            event_url? source filing_count ir_doc_count provenance date_status)],
    },
    get_event => {
        parameters => [qw(event_id as_of)],
        fields => [qw(event_id symbol? ticker? type family label title period? event_day event_date? event_date_estimated
            event_url? source filing_count ir_doc_count provenance bundle filings documents)],
    },
);
my $site = site(config => <<'END');
<Location "/mcp">
SetHandler disclosed-mcp
</Location>
END
my $json = Disclosed::JSON->new->utf8->canonical;
my $utc  = sub { my ($column) = @_; return "to_char($column, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')" };
my ($true, $false) = (JSON::PP::true, JSON::PP::false);

# --- an event, with all its members ------------------------------------------------------------

my ($row) = $site->rows("SELECT t.*, i.symbol, i.ticker, i.name, @{[$utc->('event_at')]} AS day, @{[$utc->('t.extracted_at')]} AS extracted,
        (SELECT json_agg(id ORDER BY filed_on, id) FROM filing f WHERE f.event_id = t.id AND f.superseded_at IS NULL) AS filings,
        (SELECT json_agg(id ORDER BY published_at, id) FROM document d WHERE d.event_id = t.id AND d.superseded_at IS NULL) AS documents
    FROM event_sourced t JOIN issuer i USING (issuer_id) WHERE t.superseded_at IS NULL AND type = 'earnings' AND date_status = 'confirmed' AND webcast_status IS NULL
    AND EXISTS (SELECT 1 FROM document d WHERE d.event_id = t.id AND doc_type = 'slide_deck' AND d.superseded_at IS NULL)
    AND EXISTS (SELECT 1 FROM document d WHERE d.event_id = t.id AND doc_type = 'press_release' AND d.superseded_at IS NULL)
    AND EXISTS (SELECT 1 FROM transcript c WHERE c.event_id = t.id AND c.supersedes IS NOT NULL)
    AND EXISTS (SELECT 1 FROM filing f WHERE f.event_id = t.id AND form = '10-K') ORDER BY t.id LIMIT 1");
my ($quarter, $fiscal) = $row->{fiscal_period} =~ /^Q(\d) FY(\d+)$/;
my $event = { event_id => $row->{id}, symbol => $row->{symbol}, ticker => $row->{ticker}, type => 'earnings', family => 'earnings_call',
    label => "Q$quarter FY$fiscal earnings", title => "$row->{name} Q$quarter FY$fiscal earnings",
    period => { calendar => $site->value("SELECT to_char('$row->{period_end_date}'::date - 45, 'YYYY\"Q\"Q')"), fiscal => $row->{fiscal_period},
        end_date => $row->{period_end_date}, kind => 'quarter' },
    event_day => substr($row->{day}, 0, 10), event_date => $row->{day}, event_date_estimated => $false, event_url => $row->{event_url}, source => $row->{source},
    filing_count => scalar $row->{filings}->@*, ir_doc_count => scalar $row->{documents}->@*,
    provenance => { src_id => 'src_event_' . $row->{src_digest} =~ s/-//gr, extracted_at => $row->{extracted},
        map { ($_ => $row->{$_}) } qw(source_provider source_url accession quote content_hash) } };
my @listed = json_of($site->get("/v1/events?symbols=$row->{ticker}&limit=500"), 'events of a company')->{data}->@*;
same_json((grep { $_->{event_id} == $row->{id} } @listed)[0], $event, 'an event, with all its members');
is(scalar(grep { $_->{symbol} ne $row->{symbol} } @listed), 0, 'symbols: only of that company');
same_json(json_of($site->get("/v1/src/$event->{provenance}{src_id}"), 'its source')->{record}, $event, 'its src_id leads to it');

my %detail = json_of($site->get("/v1/events/$row->{id}"), 'detail')->%*;
my ($bundle, $filings, $documents) = delete @detail{qw(bundle filings documents)};
same_json(\%detail, $event, 'detail has what the list has');
my %kind_of = map { ($_->{doc_type} => $_->{id}) } @$documents;
same_json($bundle, { filing_ids => $row->{filings}, slide_deck_id => $kind_of{slide_deck}, press_release_id => $kind_of{press_release}, webcast_status => 'captured',
    transcript_id => 0 + $site->value("SELECT id FROM transcript WHERE event_id = $row->{id} AND supersedes IS NOT NULL") }, 'the bundle, with the current transcript');
same_json([map { $_->{id} } @$filings],   $row->{filings},   scalar(@$filings) . ' filings');
same_json([map { $_->{id} } @$documents], $row->{documents}, scalar(@$documents) . ' documents');
my ($filing) = $filings->@*;
my %same = json_of($site->get("/v1/filings/$filing->{accession}"), 'a filing')->%*;
delete @same{qw(sections sections_available)};
same_json($filing, \%same, 'a filing is as elsewhere, and leads back');
my %document = json_of($site->get("/v1/documents/$documents->[0]{id}"), 'a document')->%*;
delete $document{page_count};
same_json($documents->[0], \%document, 'so is a document');
is_deeply([sort map { $_->{form} } @$filings], [grep { 1 } sort map { $_->{form} } $site->rows("SELECT form FROM filing WHERE event_id = $row->{id} AND superseded_at IS NULL")], 'the results and the annual report');

# --- filters ---------------------------------------------------------------------------------

sub same
{
    my ($query, $condition, $way) = @_;
    $way //= 'DESC';
    my @wanted = map { $_->{id} } $site->rows("SELECT t.id FROM event t JOIN issuer i USING (issuer_id) WHERE t.superseded_at IS NULL AND $condition
        ORDER BY event_at $way, t.id $way LIMIT 60");
    my @found = map { $_->{event_id} } json_of($site->get("/v1/events?limit=60&$query"), $query)->{data}->@*;
    is_deeply(\@found, \@wanted, "$query: " . @wanted . ' rows');
}
same('', 'true');
same('direction=asc', 'true', 'ASC');
same('types=earnings_call', "type = 'earnings'");
same('types=agm&types=investor_day', "type IN ('agm', 'investor_day')");
same('types=ma_announcement', "type = 'ma_announcement'");
same('start_date=2026-09-01', "event_at >= '2026-09-01'");
same('start_date=2023-05-01&end_date=2023-05-10&direction=asc', "event_at >= '2023-05-01' AND event_at < '2023-05-11'", 'ASC');
same('symbols=QORDRA&types=agm&end_date=2024-12-31', "ticker = 'QORDRA' AND type = 'agm' AND event_at < '2025-01-01'");
same('updated_after=2020-01-01', 'true');
same('updated_after=2099-01-01T00:00:00Z', 'false');
faults_is($site->get('/v1/events?types=earnings'), [fault('literal_error', ['query', 'types', 0], "Input should be 'earnings_call', 'investor_day', 'agm' or 'ma_announcement'",
    'earnings', '{"expected":"\'earnings_call\', \'investor_day\', \'agm\' or \'ma_announcement\'"}')], 'types are families');
for my $id (0, 999_999_999, '99999999999999999999') {
    problem_is($site->get("/v1/events/$id"), 404, "/v1/events/$id", instance => "/v1/events/$id", detail => "There is no event with the id \"$id\".");
}
faults_is($site->get('/v1/events/x'), [fault('int_parsing', ['path', 'event_id'], 'Input should be a valid integer, unable to parse string as an integer', 'x')], 'x is no event');

# --- counts and lists agree, now and then ------------------------------------------------------

for my $query ('', '&as_of=2026-03-15', '&as_of=2023-11-05T12:00:00Z') {
    my @events = grep { $_->{type} eq 'earnings' } json_of($site->get("/v1/events?limit=40$query"), "events$query")->{data}->@*;
    my $query_alone = $query =~ s/^&/?/r;
    my @wrong;
    for my $listed (@events) {
        my $one = $site->get("/v1/events/$listed->{event_id}$query_alone")->json;
        my @ids = map { $_->{id} } $one->{filings}->@*;
        my @strangers = grep { ($_->{event_id} // 0) != $one->{event_id} } $one->{filings}->@*, $one->{documents}->@*;
        push @wrong, "$listed->{event_id}: filings " . join ' ', $listed->{filing_count}, $one->{filing_count}, "(@ids)", "($one->{bundle}{filing_ids}->@*)"
            if join(' ', $listed->{filing_count}, @ids) ne join ' ', $one->{filing_count}, $one->{bundle}{filing_ids}->@* or @ids != $listed->{filing_count};
        push @wrong, "$listed->{event_id}: documents " . join ' ', $listed->{ir_doc_count}, $one->{ir_doc_count}, scalar $one->{documents}->@*
            if $listed->{ir_doc_count} != $one->{ir_doc_count} || $one->{documents}->@* != $listed->{ir_doc_count};
        push @wrong, "$listed->{event_id}: " . @strangers . ' that lead elsewhere' if @strangers;
    }
    is(join("\n", @wrong), '', @events . " events$query: counts, lists and links agree");
    cmp_ok(scalar @events, '>', 5, '... of which there are some');
}

# --- the calendar ------------------------------------------------------------------------------

my $today = '2026-09-30T12:00:00Z';
sub calendar { my ($query) = @_; return json_of($site->get("/v1/events/calendar?limit=500&$query"), "calendar?$query")->{data} }
my $coming = calendar("as_of=$today");
my @wanted = map { $_->{id} } $site->rows("SELECT t.id FROM event t WHERE known_at <= '$today' AND (superseded_at IS NULL OR superseded_at > '$today')
    AND event_at >= '$today' ORDER BY event_at DESC, id DESC");
is_deeply([map { $_->{event_id} } @$coming], \@wanted, @wanted . ' events to come, as of the end of the demo data');
is(scalar(grep { ($_->{event_date} // "$_->{event_day}T99") lt $today } @$coming), 0, '... none is over');
for my $state (qw(estimated confirmed)) {
    my @of = grep { $_->{date_status} eq $state } @$coming;
    cmp_ok(scalar @of, '>', 3, @of . " are $state");
    is(scalar(grep { !!$_->{event_date_estimated} != ($state eq 'estimated') } @of), 0, '... and say so twice');
}
my %item = $coming->[0]->%*;
delete $item{date_status};
same_json([sort keys %item], [sort keys %$event], 'an item is an event with date_status');
is_deeply([map { $_->{event_id} } calendar("as_of=$today&direction=asc")->@*], [reverse @wanted], 'direction=asc: the next one first');
same_json(calendar("as_of=$today&end_date=2026-11-15"), [grep { $_->{event_day} lt '2026-11-16' } @$coming], 'end_date: up to that day');
my $symbol = $coming->[3]{symbol};
same_json(calendar("as_of=$today&symbols=$symbol"), [grep { $_->{symbol} eq $symbol } @$coming], "symbols=$symbol");
same_json(calendar("as_of=$today&symbols=NOBODY"), [], 'nobody has none');
my $now = $site->value("SELECT @{[$utc->('now()')]}");
# Days end in New York: until then yesterday's, by UTC, are to come.
my $day_there = $site->value("SELECT (now() AT TIME ZONE 'America/New_York')::date");
is(scalar(grep { $_->{event_day} lt $day_there } calendar('')->@*), 0, 'without as_of: from now on');
# A day without a time is to come until it is over in New York.
my ($dated) = grep { !defined $_->{event_date} && $_->{event_day} gt '2026-11' } @$coming;
my $day = $dated->{event_day};
my $shown = sub { scalar grep { $_->{event_id} == $dated->{event_id} } calendar("as_of=$_[0]")->@* };
is($shown->("${day}T23:59:59Z"), 1, "an event of the day $day is to come while the day lasts");
is($shown->($site->value("SELECT @{[$utc->(qq{'$day'::date + interval '30 hours'})]}")), 0, '... and not when it is over');
# The answer changes with time, so that its tag is that of its text.
# MCP's tool has no direction, and pages begin where a model looks: at the next one.
sub upcoming
{
    my (%more) = @_;
    my $body = $json->encode({ jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => 'events', arguments => { view => 'upcoming', limit => 2, %more } } });
    my $got = $site->request('POST', '/mcp', body => $body, headers => { 'Content-Type' => 'application/json', Accept => 'application/json, text/event-stream' });
    return json_of($got, 'the tool events')->{result}{structuredContent};
}
my $nearest = upcoming();
my $nearer = upcoming(cursor => $nearest->{pagination}{next_cursor});
is(scalar $nearer->{data}->@*, 2, 'upcoming events of the tool, two pages');
same_json([$nearest->{data}->@*, $nearer->{data}->@*], json_of($site->get('/v1/events/calendar?direction=asc&limit=4'), 'the next four')->{data}, '... the next one first');
my $tagged = $site->get('/v1/events/calendar?limit=5');
my $tag = $tagged->header('etag');
is($site->get('/v1/events/calendar?limit=5', headers => { 'If-None-Match' => $tag })->status, 304, 'the same calendar is a 304');
isnt($site->get('/v1/events/calendar?limit=4')->header('etag'), $tag, '... another has another tag');

# --- how an event comes to be known ------------------------------------------------------------

my %from = (provenance => { source_provider => 'issuer_page', source_url => 'https://made.example/ir' });
my %vendor = (provenance => { source_provider => 'vendor_feed_mini' });
sub filed { my ($number, $accepted) = @_; my $accession = "0007654321-24-00000$number";
    return (cik => 7654321, known_at => $accepted, filed_on => substr($accepted, 0, 10), accepted_at => $accepted,
        provenance => { source_provider => 'sec', source_url => "https://www.sec.gov/$accession", accession => $accession }) }
my %company = (dataset => 'company', cik => 7654321, known_at => '2020-01-02', name => 'Made Events Corp', fiscal_year_end => '0930', %from);
my %listing = (dataset => 'listing', cik => 7654321, known_at => '2020-01-02T00:00:00Z', ticker => 'MADEV', market => 'US', name => 'Made Events Corp', status => 'active', %from);
my %notice = (dataset => 'event_notice', cik => 7654321, type => 'earnings', period_end_date => '2024-06-30');
my @story = (
    { %notice, %vendor, record_key => 'vendor/2024-06-30', known_at => '2024-06-01T00:00:00Z', event_on => '2024-08-05', date_status => 'estimated' },
    { %notice, %vendor, record_key => 'vendor/2024-06-30', known_at => '2024-07-01T00:00:00Z', event_on => '2024-08-07', date_status => 'estimated' },
    { %notice, %from, record_key => 'ir/q3', known_at => '2024-07-15T12:00:00Z', event_on => '2024-08-08', event_at => '2024-08-08T20:30:00Z', date_status => 'confirmed',
        event_url => 'https://made.example/q3', webcast_status => 'scheduled', title => 'Q3 results call' },
    { dataset => 'filing', filed(1, '2024-08-08T20:05:00Z'), form => '8-K', items => ['2.02', '9.01'], period_of_report => '2024-08-08', title => '8-K' },
    { dataset => 'exhibit', cik => 7654321, exhibit_type => 'EX-99.1', sequence => 2, published_at => '2024-08-08T20:05:00Z', (filed(1, ''))[-2, -1],
        text => 'Made Events Corp today reported results for its third quarter ended June 29, 2024. The quarter ending September 28, 2024 is not over.' },
    { dataset => 'document', cik => 7654321, record_key => 'deck', title => 'Q3 slides', doc_type => 'slide_deck', published_at => '2024-08-08T20:10:00Z', %from },
    { dataset => 'document', cik => 7654321, record_key => 'report', title => 'Report', doc_type => 'quarterly_report', published_at => '2024-09-20T00:00:00Z',
        period_end_date => '2024-06-29', %from },
    { dataset => 'transcript', cik => 7654321, record_key => 'call', call_date => '2024-08-08T20:30:00Z', known_at => '2024-08-09T06:00:00Z', period_label => 'Q3 FY2024', %from },
    { dataset => 'filing', filed(2, '2024-08-12T21:00:00Z'), form => '10-Q', period_of_report => '2024-06-29', title => '10-Q' },
    # A vendor who is late with an estimate changes nothing.
    { %notice, %vendor, record_key => 'late/2024-06-30', known_at => '2024-08-14T00:00:00Z', event_on => '2024-08-30', date_status => 'estimated' },
    # Not of this quarter, nor of results.
    { dataset => 'filing', filed(3, '2024-05-09T20:05:00Z'), form => '8-K', items => ['2.02'], period_of_report => '2024-05-09', title => '8-K' },
    { dataset => 'filing', filed(4, '2024-08-08T20:06:00Z'), form => '8-K', items => ['8.01'], period_of_report => '2024-08-08', title => '8-K' },
    { dataset => 'document', cik => 7654321, record_key => 'letter', title => 'Letter', doc_type => 'shareholder_letter', published_at => '2024-03-01T00:00:00Z', %from },
    { dataset => 'event_notice', cik => 7654321, type => 'agm', record_key => 'agm', known_at => '2024-01-10T00:00:00Z', event_on => '2024-03-05', date_status => 'estimated', %from },
    { dataset => 'event_notice', cik => 7654321, type => 'agm', record_key => 'agm', known_at => '2024-02-10T00:00:00Z', event_on => '2024-03-28', date_status => 'confirmed', %from },
    # An investor day, of which there is a transcript; and a talk that is no event.
    { dataset => 'event_notice', cik => 7654321, type => 'investor_day', record_key => 'day', known_at => '2024-09-01T00:00:00Z', event_on => '2024-11-12', date_status => 'confirmed', %from },
    { dataset => 'transcript', cik => 7654321, record_key => 'day', event_type => 'investor_day', call_date => '2024-11-12T14:00:00Z', %from },
    { dataset => 'transcript', cik => 7654321, record_key => 'talk', event_type => 'other', call_date => '2024-08-08T12:00:00Z', %from },
);

sub import_lines
{
    my ($to, @lines) = @_;
    my $file = $site->write('events.ndjson', join '', map { $json->encode($_) . "\n" } @lines);
    my ($code, $out, $err) = $to->control('import', 'ndjson', '--json', $file);
    return ($code, eval { $json->decode($out) } // {}, "$out$err");
}
sub load
{
    my ($to, @lines) = @_;
    my ($code, $summary, $text) = import_lines($to, @lines);
    is("$code $summary->{rejected}", '0 0', @lines . ' lines are taken') or diag $text;
    return $summary;
}

load($site, \%company, \%listing);
my (@ids, %seen);
for my $line (@story) {
    load($site, $line);
    push @ids, $site->value("SELECT coalesce((SELECT id FROM event JOIN issuer USING (issuer_id) WHERE cik = 7654321 AND type = 'earnings'
        AND period_end_date BETWEEN '2024-06-01' AND '2024-07-30' AND event.superseded_at IS NULL), 0)");
}
$seen{$_}++ for @ids;
is(join(' ', keys %seen), $ids[0], 'from the first estimate to the last document it is one event');
my $made = json_of($site->get("/v1/events/$ids[0]"), 'the event');
same_json([@$made{qw(symbol label title event_date event_date_estimated event_url filing_count ir_doc_count)}],
    ['MADEV:US', 'Q3 FY2024 earnings', 'Q3 results call', '2024-08-08T20:30:00Z', $false, 'https://made.example/q3', 2, 2], 'when all is known');
same_json($made->{period}, { calendar => '2024Q2', fiscal => 'Q3 FY2024', end_date => '2024-06-29', kind => 'quarter' }, 'its period is the one that the release states');
is($made->{bundle}{webcast_status}, 'captured', 'the call was captured');
# Estimated, estimated anew, announced, held: each as of its time.
for my $case (['2024-06-15', '2024-08-05', undef, $true, '2024-06-30', undef, 'Q3 FY2024', 0], ['2024-07-10', '2024-08-07', undef, $true, '2024-06-30', undef, 'Q3 FY2024', 0],
    ['2024-08-01', '2024-08-08', '2024-08-08T20:30:00Z', $false, '2024-06-30', 'scheduled', 'Q3 FY2024', 0], ['2024-08-08T20:20:00Z', '2024-08-08', '2024-08-08T20:05:00Z', $false, '2024-06-29', 'scheduled', 'Q3 FY2024', 1],
    ['2024-08-10', '2024-08-08', '2024-08-08T20:30:00Z', $false, '2024-06-29', 'captured', 'Q3 FY2024', 1], ['2024-08-20', '2024-08-08', '2024-08-08T20:30:00Z', $false, '2024-06-29', 'captured', 'Q3 FY2024', 2])
{
    my ($then, @state) = @$case;
    my $one = json_of($site->get("/v1/events/$ids[0]?as_of=$then"), "as of $then");
    same_json([@$one{qw(event_day event_date event_date_estimated)}, $one->{period}{end_date}, $one->{bundle}{webcast_status}, $one->{period}{fiscal}, $one->{filing_count}], \@state,
        "... $state[0], " . ($state[2] ? 'estimated' : 'confirmed'));
    is($one->{filings}->@*, $one->{filing_count}, '... with as many filings as it says');
}
is($site->get("/v1/events/$ids[0]?as_of=2024-05-31")->status, 404, 'before the first estimate there is none');
is(json_of($site->get('/v1/filings/0007654321-24-000001?as_of=2024-08-08T20:05:00Z'), 'the 8-K')->{event_id}, $ids[0], 'the filing leads to it');
is(json_of($site->get('/v1/filings/0007654321-24-000004'), 'another 8-K')->{event_id}, undef, 'an 8-K without results is of no event');
my @agm = $site->rows("SELECT @{[$utc->('event_at')]} AS day, date_status FROM event JOIN issuer USING (issuer_id) WHERE cik = 7654321 AND type = 'agm' ORDER BY event.known_at");
same_json([map { [@$_{qw(day date_status)}] } @agm], [['2024-03-05T00:00:00Z', 'estimated'], ['2024-03-28T00:00:00Z', 'confirmed']], 'a meeting that was put off is one event with two versions');
my ($investors) = json_of($site->get('/v1/events?symbols=MADEV&types=investor_day'), 'the investor day')->{data}->@*;
same_json([@$investors{qw(label event_date period)}, json_of($site->get("/v1/events/$investors->{event_id}"), 'it')->{bundle}{webcast_status}],
    ['investor day', '2024-11-12T14:00:00Z', undef, 'captured'], 'an investor day has the time of its transcript, and no period');
is(json_of($site->get('/v1/transcripts/' . $site->value("SELECT id FROM transcript WHERE record_key = 'talk'")), 'a talk')->{event_id}, undef, 'another talk is of no event');
my ($created) = $site->rows("SELECT count(DISTINCT created_at) AS number, @{[$utc->(q{min(created_at) - interval '1 second'})]} AS before, @{[$utc->(q{min(created_at) + interval '1 second'})]} AS after FROM event WHERE id = $ids[0]");
is($created->{number}, 1, 'it was created once');
my @new = map { grep { $_->{event_id} == $ids[0] } json_of($site->get("/v1/events?symbols=MADEV&updated_after=$_"), "updated_after=$_")->{data}->@* } $created->{before}, $created->{after};
is(scalar @new, 1, 'updated_after looks at when that was');

# The same lines again change nothing, nor does their order: in another database they come backwards.
my $versions = $site->value("SELECT string_agg(dataset || version, ',' ORDER BY dataset) FROM dataset_stat");
is(load($site, @story)->{stored}, 0, 'again: nothing is stored');
is($site->value("SELECT string_agg(dataset || version, ',' ORDER BY dataset) FROM dataset_stat"), $versions, '... and no version rises');
my $other = site(template => 'empty');
load($other, \%listing);
load($other, $_) for reverse @story;
load($other, \%company);
my $all = "SELECT type, t.known_at, t.superseded_at, event_at, has_time, date_status, period_end_date, period_kind, fiscal_period, title, event_url, webcast_status, t.source,
        source_provider, accession, (SELECT string_agg(accession, ' ' ORDER BY accession) FROM filing f WHERE f.event_id = t.id) AS filings,
        (SELECT string_agg(record_key, ' ' ORDER BY record_key) FROM document d WHERE d.event_id = t.id) AS documents
    FROM event_sourced t JOIN issuer i USING (issuer_id) WHERE cik = 7654321 ORDER BY type, period_end_date, t.known_at";
same_json([$other->rows($all)], [$site->rows($all)], 'backwards, the same events come out');

# Two filings of one instant are told apart by their numbers, whichever was loaded first.
my @twins = map { my $number = $_; { dataset => 'filing', filed($number, '2025-02-06T21:05:00Z'), form => '8-K', items => ['2.02'], period_of_report => '2025-02-06', title => "8-K $number" } } 7, 8;
load($site, $_) for @twins;
load($other, $_) for reverse @twins;
my $twin = "SELECT t.accession, t.source FROM event t JOIN issuer i USING (issuer_id) WHERE cik = 7654321 AND event_at >= '2025-02-01' ORDER BY t.known_at";
same_json([$site->rows($twin)], [{ accession => '0007654321-24-000008', source => 'date: results in Form 8-K 0007654321-24-000008; period: the last fiscal quarter that had ended' }], 'of two filings of one instant the later number');
same_json([$other->rows($twin)], [$site->rows($twin)], '... whichever was loaded first');

# --- what later knowledge brings together --------------------------------------------------------

# A calendar's row and a filing are of one event once a listing tells whose the ticker is; a filing and a notice once the
# end of the fiscal year tells the period; meetings 17 days apart once one is announced between them.
sub report
{
    my ($number, $accepted) = @_;
    my $accession = "0007654400-23-00000$number";
    return (cik => 7654400, known_at => $accepted, filed_on => substr($accepted, 0, 10), accepted_at => $accepted,
        provenance => { source_provider => 'sec', source_url => "https://www.sec.gov/$accession", accession => $accession });
}
my %meeting = (dataset => 'event_notice', cik => 7654400, type => 'agm', date_status => 'confirmed', %from);
my @steps = (
    ['calendar'],
    [{ %notice, %vendor, cik => 7654400, record_key => 'q1', known_at => '2023-04-01T00:00:00Z', event_on => '2023-05-20', period_end_date => '2023-03-31', date_status => 'estimated' }],
    [{ dataset => 'filing', report(1, '2023-05-04T20:05:00Z'), form => '8-K', items => ['2.02'], period_of_report => '2023-05-04', title => '8-K' }],
    [{ dataset => 'document', cik => 7654400, record_key => 'deck', title => 'Slides', doc_type => 'slide_deck', published_at => '2023-05-04T20:30:00Z', %from }],
    [map { { %meeting, record_key => $_->[0], known_at => "$_->[1]T00:00:00Z", event_on => $_->[2] } } ['a', '2023-02-01', '2023-06-01'], ['c', '2023-02-02', '2023-06-18']],
    [{ %meeting, record_key => 'b', known_at => '2024-01-05T00:00:00Z', event_on => '2023-06-09' }],
    [{ dataset => 'company', cik => 7654400, known_at => '2024-01-01T00:00:00Z', name => 'Zed Works Inc', fiscal_year_end => '1231', %from }],
    [{ dataset => 'filing', report(2, '2023-11-02T20:05:00Z'), form => '8-K', items => ['2.02'], period_of_report => '2023-11-02', title => '8-K' },
        { dataset => 'exhibit', cik => 7654400, exhibit_type => 'EX-99.1', sequence => 2, published_at => '2023-11-02T20:05:00Z', (report(2, ''))[-2, -1],
            text => 'Zed Works Inc today reported results for its third quarter ended September 30, 2023.' }],
    [{ dataset => 'filing', report(3, '2023-11-03T20:05:00Z'), form => '10-Q', period_of_report => '2023-09-30', title => '10-Q' }],
    [{ dataset => 'listing', cik => 7654400, known_at => '2024-07-16T00:00:00Z', ticker => 'ZEDW', market => 'US', name => 'Zed Works Inc', status => 'active', %from }],
);
sub take
{
    my ($to, $step) = @_;
    return load($to, @$step) if $step->[0] ne 'calendar';
    my $file = $site->write('earnings-calendar.csv', "symbol,name,reportDate,fiscalDateEnding\nZEDW,Zed Works,2023-11-08,2023-09-30\n");
    is(($to->control('import', 'earnings-calendar', '--known-at', '2023-10-01', $file))[0], 0, 'a calendar');
    return;
}
my @then = map { site(template => 'empty') } 1 .. 3;
my @orders = ([0 .. $#steps], [reverse 0 .. $#steps], [6, 9, 0, 7, 1, 5, 8, 3, 4, 2]);
for my $i (0 .. $#then) {
    take($then[$i], $steps[$_]) for $orders[$i]->@*;
}
my %states = (
    '2023-10-20' => [['2023-11-08', 'ZEDW', 'Zed Works', 0, 0], ['2023-06-18', undef, undef, 0, 0], ['2023-06-01', undef, undef, 0, 0], ['2023-05-20', undef, undef, 0, 0], ['2023-05-04', undef, undef, 1, 1]],
    '2023-12-01' => [['2023-11-08', 'ZEDW', 'Zed Works', 0, 0], ['2023-11-02', undef, undef, 2, 0], ['2023-06-18', undef, undef, 0, 0], ['2023-06-01', undef, undef, 0, 0], ['2023-05-20', undef, undef, 0, 0],
        ['2023-05-04', undef, undef, 1, 1]],
    '2024-01-03' => [['2023-11-08', 'ZEDW', 'Zed Works', 0, 0], ['2023-11-02', undef, 'Zed Works Inc', 2, 0], ['2023-06-18', undef, 'Zed Works Inc', 0, 0], ['2023-06-01', undef, 'Zed Works Inc', 0, 0],
        ['2023-05-04', undef, 'Zed Works Inc', 1, 1]],
    '2024-07-20' => [['2023-11-02', 'ZEDW', 'Zed Works Inc', 2, 0], ['2023-06-09', 'ZEDW', 'Zed Works Inc', 0, 0], ['2023-05-04', 'ZEDW', 'Zed Works Inc', 1, 1]],
);
for my $i (0 .. $#then) {
    my %lasting;
    for my $day (sort keys %states) {
        my $listed = json_of($then[$i]->get("/v1/events?as_of=$day&limit=500"), "order $i, events as of $day")->{data};
        my @shown = map { my $one = $_; my ($name) = $one->{title} =~ /^(Zed Works(?: Inc)?)\b/; [@$one{qw(event_day ticker)}, $name, @$one{qw(filing_count ir_doc_count)}] } @$listed;
        same_json(\@shown, $states{$day}, "... are those that were known to be such");
        for my $one (@$listed) {
            my $alone = $then[$i]->get("/v1/events/$one->{event_id}?as_of=$day")->json;
            my @strangers = grep { ($_->{event_id} // 0) != $one->{event_id} } $alone->{filings}->@*, $alone->{documents}->@*;
            is(join(' ', $alone->{event_day}, scalar $alone->{filings}->@*, scalar $alone->{documents}->@*, scalar @strangers), join(' ', @$one{qw(event_day filing_count ir_doc_count)}, 0), "... $one->{event_day}: it leads to what belongs to it, and back");
            same_json($then[$i]->get("/v1/src/$one->{provenance}{src_id}?as_of=$day")->json->{record}, $one, '... and its src_id to it');
            $lasting{ $one->{event_id} }++;
        }
        my $notice = $then[$i]->value("SELECT 'src_event_notice_' || replace(src_digest::text, '-', '') FROM event_notice WHERE record_key = 'ZEDW/2023-09-30' OR spellings LIKE 'ZEDW%'");
        my ($of_calendar) = grep { $_->{event_day} eq ($day lt '2024-07' ? '2023-11-08' : '2023-11-02') } @$listed;
        is($then[$i]->get("/v1/src/$notice?as_of=$day")->json->{record}{event_id}, $of_calendar->{event_id}, '... so does the notice of the calendar');
    }
    is(scalar(grep { $_ == 4 } values %lasting), 3, 'the events of what was known first keep their numbers');
    is(keys %lasting, 6, 'events that have gone up in others have theirs no more');
}
my $told = "SELECT i.cik, i.party_key, type, e.known_at, e.superseded_at, event_at, date_status, period_end_date, e.source FROM event e JOIN issuer i USING (issuer_id) ORDER BY type, event_at, e.known_at";
my $were = "SELECT coalesce(f.accession, n.record_key, d.record_key) AS record, w.known_at, w.superseded_at, w.event_id IS NULL AS nothing FROM former_event w LEFT JOIN filing f ON f.id = w.record_id
    LEFT JOIN event_notice n ON n.id = w.record_id LEFT JOIN document d ON d.id = w.record_id ORDER BY 1, 2";
for my $query ($told, $were) {
    same_json([$then[$_]->rows($query)], [$then[0]->rows($query)], "order $_: the same versions") for 1, 2;
}

# --- what is refused -----------------------------------------------------------------------------

my @bad = (
    [{ dataset => 'event', cik => 1, known_at => '2024-01-01', %from }, 'dataset: made of other datasets, never loaded'],
    [{ $story[0]->%*, type => 'party' }, 'type: not one of earnings, investor_day, agm, ma_announcement'],
    [{ $story[0]->%*, date_status => 'sure' }, 'date_status: not one of estimated, confirmed'],
    [{ $story[0]->%*, event_on => undef }, 'event_on: is required'],
    [{ $story[0]->%*, event_at => '2024-08-09T20:00:00Z' }, 'event_on, event_at: not in the form that the dataset asks for'],
    [{ $story[0]->%*, event_on => '2026-08-05' }, 'known_at, event_on: not in the form that the dataset asks for'],
    [{ $story[0]->%*, webcast_status => 'soon' }, 'webcast_status: not one of scheduled, live, captured, unavailable'],
);
my ($code, $summary, $text) = import_lines($site, map { $_->[0] } @bad);
is("$code $summary->{rejected}", '1 ' . @bad, 'lines with a fault are refused') or diag $text;
my %reason = map { ($_->{place} => $_->{reason}) } $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)');
is($reason{ 'line ' . ($_ + 1) }, $bad[$_][1], $bad[$_][1]) for 0 .. $#bad;

# A Form 8-K gives the day of its earliest event. That is the day of the results only where it has no other.
my @days = (['results alone', ['2.02', '9.01'], '2024-05-02'], ['with what tells of them', ['2.02', '7.01', '8.01', '9.01'], '2024-05-02'], ['before August 2004', ['12', '7'], '2024-05-02'],
    ['with another event', ['2.02', '5.02', '9.01'], '2024-05-07'], ['with an agreement', ['1.01', '2.02'], '2024-05-07']);
my $number = 0;
my ($days_code, undef, $days_output) = import_lines($site, map {
    my %of = (cik => 7654400 + $number++, provenance => { source_provider => 'sec', source_url => 'https://www.sec.gov/', accession => "0007654400-24-00000$number" });
    ({ %listing, cik => $of{cik}, ticker => "DAY$number", name => "Day $number" },
     { dataset => 'filing', %of, form => '8-K', items => $_->[1], period_of_report => '2024-05-02', filed_on => '2024-05-07', accepted_at => '2024-05-07T20:15:37Z', known_at => '2024-05-07T20:15:37Z', title => '8-K' });
} @days);
is($days_code, 0, 'reports of results, with other events') or diag $days_output;
for my $i (1 .. @days) {
    my ($found) = json_of($site->get("/v1/events?symbols=DAY$i"), 'its event')->{data}->@*;
    same_json([$found->@{qw(event_day event_date)}], [$days[$i - 1][2], $days[$i - 1][2] eq '2024-05-07' ? '2024-05-07T20:15:37Z' : undef], $days[$i - 1][0]);
}

# Of two transcripts that say the same one counts, and the event comes from where that does, whichever came first.
my %call_of = map { my $provider = $_; ($provider => { dataset => 'transcript', cik => 7654321, issuer_name => 'Made Events Inc', record_key => "by $provider", known_at => '2024-11-13T22:00:00Z',
    provenance => { source_provider => $provider, source_url => "https://$provider.example/" }, call_date => '2024-11-12T14:00:00Z', event_type => 'investor_day', speakers => [], segments => [] }) } qw(issuer_page vendor_feed_mini);
my %event_from = map {
    my $where = site(template => 'empty', start => 0);
    load($where, $call_of{$_}) for @$_;
    ("@$_" => $where->value('SELECT string_agg(source_provider, $$, $$) FROM event_sourced WHERE superseded_at IS NULL'));
} [qw(issuer_page vendor_feed_mini)], [qw(vendor_feed_mini issuer_page)];
same_json(\%event_from, { map { $_ => 'vendor_feed_mini' } keys %event_from }, 'an event comes from its best evidence, in whatever order that came');

# --- releases of reports that furnish no results -----------------------------------------------------

# A Form 8-K on statements that are no longer to be relied on, or on others, may have a release of results that were told long before: its day is not that
# of the results, in whatever order they come.
{
    my @told = ({ dataset => 'filing', filed(1, '2024-08-08T20:05:00Z'), form => '8-K', items => ['2.02', '9.01'], period_of_report => '2024-08-08', title => '8-K' },
        { dataset => 'exhibit', cik => 7654321, exhibit_type => 'EX-99.1', sequence => 2, published_at => '2024-08-08T20:05:00Z', (filed(1, ''))[-2, -1], text => 'Made Events Corp reports results for its quarter ended June 29, 2024.' });
    my @again = map { my ($number, $accepted, @items) = @$_;
        [{ dataset => 'filing', filed($number, $accepted), form => '8-K', items => [@items], period_of_report => substr($accepted, 0, 10), title => '8-K' },
         { dataset => 'exhibit', cik => 7654321, exhibit_type => 'EX-99.1', sequence => 2, published_at => $accepted, (filed($number, ''))[-2, -1], text => 'Made Events Corp restates its results for the quarter ended June 29, 2024.' }]
    } [2, '2024-10-30T12:05:00Z', '4.02', '9.01'], [3, '2024-10-15T12:05:00Z', '8.01', '9.01'];
    my $days = sub { my ($where) = @_; return $where->value("SELECT string_agg(to_char(event_at, 'YYYY-MM-DD') || ' ' || period_end_date || ' ' || (SELECT count(*) FROM filing f WHERE f.event_id = e.id), '; ' ORDER BY event_at) FROM event e WHERE superseded_at IS NULL") };
    for my $order ([\@told, @again], [reverse(@again), \@told]) {
        my $where = site(template => 'empty', start => 0);
        load($where, \%company, \%listing);
        load($where, @$_) for @$order;
        is($days->($where), '2024-08-08 2024-06-29 3', 'the day of results is that of the report which furnishes them');
    }
    my $alone = site(template => 'empty', start => 0);
    load($alone, \%company, \%listing, $again[1]->@*);
    is($days->($alone), '2024-10-15 2024-06-29 1', '... of a release alone its own');
}

# --- loads that bring nothing of an event, and those that do ---------------------------------------

{
    my $where = site(template => 'empty', start => 0);
    my $events = sub { $where->value('SELECT count(*) FROM event') };
    my $written = sub { $where->value("SELECT coalesce(string_agg(xmin::text, ' ' ORDER BY row_id), '') FROM event") };
    load($where, \%company, \%listing, { dataset => 'filing', filed(5, '2024-08-08T20:05:00Z'), form => '8-K', items => ['8.01'], period_of_report => '2024-08-08', title => '8-K' });
    load($where, { dataset => 'filing', filed(6, '2024-08-08T21:05:00Z'), form => 'SC 13G', title => 'SC 13G' });
    is($events->(), 0, 'a report without results is no event, nor is another form');
    load($where, { dataset => 'exhibit', cik => 7654321, exhibit_type => 'EX-99.1', sequence => 2, published_at => '2024-08-08T20:05:00Z', (filed(5, ''))[-2, -1],
        text => 'Made Events Corp today reported results for its third quarter ended June 29, 2024.' });
    is($events->(), 1, '... but with a release that comes after both');
    my $before = $written->();
    load($where, { dataset => 'filing', filed(7, '2024-08-09T21:05:00Z'), form => 'SC 13G/A', title => 'SC 13G/A' },
        { dataset => 'transcript', cik => 7654321, record_key => 'talk', event_type => 'other', call_date => '2024-08-09T12:00:00Z', known_at => '2024-08-09T21:06:00Z', %from });
    is($written->(), $before, 'what brings nothing writes no event');
    load($where, { dataset => 'transcript', cik => 7654321, record_key => 'call', call_date => '2024-08-08T20:30:00Z', known_at => '2024-08-09T22:00:00Z', %from });
    isnt($written->(), $before, '... a call does');
    # Forms 8-K of other things, and documents of other kinds, as they come, turn into what is of an event, and back.
    my $linked = sub { $where->value("SELECT count(*) FROM (SELECT event_id FROM filing WHERE superseded_at IS NULL UNION ALL SELECT event_id FROM document WHERE superseded_at IS NULL) r WHERE event_id IS NOT NULL") };
    my @release = (dataset => 'exhibit', cik => 7654321, exhibit_type => 'EX-99.1', sequence => 2, (filed(8, ''))[-2, -1]);
    my @deck = (dataset => 'document', cik => 7654321, record_key => 'deck', title => 'Deck', published_at => '2024-08-09T12:00:00Z', text => 'Made Events.', %from);
    my $had = $linked->();
    load($where, { dataset => 'filing', filed(8, '2024-08-20T20:05:00Z'), form => '8-K', items => ['8.01'], period_of_report => '2024-08-20', title => '8-K' },
        { @release, published_at => '2024-08-20T20:05:00Z', text => 'Made Events Corp has a new office.' });
    load($where, { @deck, doc_type => 'other', known_at => '2024-08-10T12:00:00Z' });
    is($linked->(), $had, 'an office and a document of another kind are of no event');
    for my $turn (1 .. 2) {
        load($where, { @release, published_at => "2024-08-20T20:05:00Z", known_at => "2024-08-2${turn}T22:00:00Z", text => "Turn $turn: results for the quarter ended June 29, 2024." });
        is($linked->(), $had + 1, "... but with results ($turn)");
        load($where, { @deck, doc_type => 'slide_deck', known_at => "2024-08-1${turn}T12:00:00Z" });
        is($linked->(), $had + 2, "... and as slides ($turn)");
        load($where, { @release, published_at => "2024-08-20T20:05:00Z", known_at => "2024-08-2${turn}T23:00:00Z", text => "Turn $turn: an office." });
        is($linked->(), $had + 1, "... the report no longer ($turn)");
        load($where, { @deck, doc_type => 'other', known_at => "2024-08-1${turn}T13:00:00Z" });
        is($linked->(), $had, "... the document no longer ($turn)");
    }
    is($where->value('SELECT count(*) FROM reconcile_events(ARRAY(SELECT issuer_id FROM issuer))'), 0, 'all derived anew: nothing was left out');
}

finish();

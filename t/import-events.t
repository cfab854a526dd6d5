# Real files: an earnings calendar, filings with results, EDGAR's submissions. The calendar's rows are
# compared with what is served; events with the periods that companies then reported on; and all comes out
# the same when the files come the other way round.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice slurp);

my $calendar    = folder('events') . '/earnings-calendar.excerpt.csv';
my $tickers     = folder('edgar-tickers') . '/company_tickers_exchange.2024-07-16.json';
my $releases    = folder('8k-ex99');
my $submissions = folder('edgar-submissions');
my $site = site(template => 'empty');
my @calendar = ('--known-at', '2023-09-01');

# --- the calendar ------------------------------------------------------------------------------

my ($header, @lines) = split /\r?\n/, slurp($calendar);
is($header, 'symbol,name,reportDate,fiscalDateEnding,estimate,currency', 'the columns of the calendar');
my $iso = sub { my ($text) = @_; return sprintf '%04d-%02d-%02d', (split m{/}, $text)[2, 0, 1] };
my %expected;
for my $line (@lines) {
    my ($symbol, $name, $report, $period) = split /,/, $line;
    $expected{$symbol} = [$iso->($report), undef, $iso->($period), JSON::PP::true];
}
my $summary = import_twice($site, 'earnings-calendar', $calendar, @calendar);
is("$summary->{stored} $summary->{rejected}", @lines . ' 0', @lines . ' rows');

# All events as the calendar of a day has them, by ticker or by number.
sub calendar_of
{
    my ($day, $by) = @_;
    my (%events, $cursor);
    do {
        my $page = json_of($site->get("/v1/events/calendar?as_of=$day&direction=asc&limit=500" . ($cursor ? "&cursor=$cursor" : '')), 'a page');
        $events{ $_->{$by} } = $_ for $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor};
    } while $cursor;
    return %events;
}
my %events = calendar_of('2023-09-15', 'ticker');
my $of = sub { my (%by) = @_; return { map { ($_ => [@{ $by{$_} }{qw(event_day event_date)}, $by{$_}{period}{end_date}, $by{$_}{event_date_estimated}]) } keys %by } };
my %coming = map { ($_ => $expected{$_}) } grep { $expected{$_}[0] ge '2023-09-15' } keys %expected;
same_json($of->(%events), \%coming, keys(%coming) . ' events to come, as in the file');
is(scalar(grep { defined $_->{symbol} || $_->{date_status} ne 'estimated' } values %events), 0, 'of companies that nothing lists yet, all estimated');
my %id = map { ($_ => $events{$_}{event_id}) } keys %events;

# A listing makes them the company's; the events stay the same.
is(($site->control('import', 'sec-company-tickers', '--known-at', '2020-01-01', $tickers))[0], 0, 'tickers');
%events = calendar_of('2023-09-15', 'event_id');
same_json($of->(%events), { map { ($id{$_} => $coming{$_}) } keys %id }, 'with listings, the same events under the same numbers');
my $listed = grep { defined $_->{symbol} } values %events;
cmp_ok($listed, '>', 200, "$listed of them of listed companies");
is(json_of($site->get('/v1/events?symbols=AAPL:US'), 'Apple')->{data}[0]{event_id}, $id{AAPL}, 'Apple\'s is found by its symbol');

# Two classes of shares of one company: their notices come together in one event.
my $classes = site(template => 'empty');
my $both = $classes->write('earnings-calendar.csv', "symbol,name,reportDate,fiscalDateEnding\nGOOG,Alphabet,2023-10-24,2023-09-30\nGOOGL,Alphabet,2023-10-25,2023-09-30\n");
is(($classes->control('import', 'earnings-calendar', @calendar, $both))[0], 0, 'a calendar with two classes of shares');
{
    my $to = site(template => 'empty', start => 0);
    my $first = $to->write('earnings-calendar.csv', "symbol,name,reportDate,fiscalDateEnding\nQA,Q,2026-12-24,2026-09-30\n");
    my $two = $to->write('earnings-calendar-2.csv', "symbol,name,reportDate,fiscalDateEnding\nQA,Q,2026-12-24,2026-09-30\nQA,Q,2026-12-24,2026-09-30\nQA,Q,2026-12-26,2026-09-30\n");
    for my $file ($first, $two, $two, $two) {
        my ($code, $out, $err) = $to->control('import', 'earnings-calendar', '--verbose', $file);
        is($code, $file eq $two ? 1 : 0, 'a calendar, with two dates of one report');
        like("$out$err", qr/line 4: rejected: reportDate: another than before: 2026-12-24, line 2 \(QA\)$/m, '... is told of both') if $file eq $two;
        is($to->value('SELECT event_on FROM event_notice WHERE superseded_at IS NULL'), '2026-12-24', '... and the first one counts, however often it is loaded');
    }
}
is($classes->value('SELECT count(*) FROM event WHERE superseded_at IS NULL'), 2, '... two events, while nothing is listed');
is(($classes->control('import', 'sec-company-tickers', '--known-at', '2020-01-01', $tickers))[0], 0, '... then listings come');
same_json([map { [@$_{qw(symbol event_day)}] } json_of($classes->get('/v1/events'), 'events')->{data}->@*], [['GOOGL:US', '2023-10-25']], '... and one event is left');

# --- filings -----------------------------------------------------------------------------------

is(($site->control('import', 'sec-submissions', $submissions))[0], 0, 'submissions');
is(($site->control('import', 'sec-filing', $releases))[0], 0, 'filings with results');
my $apple = json_of($site->get("/v1/events/$id{AAPL}"), 'Apple\'s event');
same_json([@$apple{qw(event_date event_date_estimated label)}, $apple->{period}{calendar}, [map { $_->{form} } $apple->{filings}->@*]],
    ['2023-11-02T20:30:32Z', JSON::PP::false, 'Q4 FY2023 earnings', '2023Q3', ['8-K', '10-K']], 'is confirmed by its results, under the same number');
same_json([@{ json_of($site->get("/v1/events/$id{AAPL}?as_of=2023-10-01"), 'before') }{qw(event_day event_date event_date_estimated filing_count)}],
    ['2023-10-25', undef, JSON::PP::true, 0], '... and was estimated before');

# What the releases themselves say.
my %stated = ('0000891092-03-001810' => '2003-06-30', '0001125282-04-000379' => '2003-12-31', '0001125282-04-005938' => '2004-09-30', '0001275287-05-000371' => '2004-12-31',
    '0001125282-05-000624' => '2004-12-31', '0001275287-05-001389' => '2005-03-31', '0001275287-05-003130' => '2005-06-30', '0001125282-05-004198' => '2005-06-30',
    '0001275287-05-004474' => '2005-10-01', '0001125282-05-006555' => '2005-09-30', '0001275287-06-004486' => '2006-07-01', '0001275287-06-005470' => '2006-09-30',
    '0001144204-07-020827' => '2007-03-31', '0000796343-23-000044' => '2023-03-03');
my %found = map { ($_->{accession} => $_->{period_end_date}) } $site->rows("SELECT f.accession, e.period_end_date FROM filing f JOIN event e ON e.id = f.event_id
    AND e.superseded_at IS NULL WHERE f.accession IN (SELECT accession FROM filing_exhibit UNION SELECT accession FROM filing_text) AND f.superseded_at IS NULL");
same_json(\%found, \%stated, 'events of ' . keys(%stated) . ' releases have the periods that these state; a stock split and other news are no results');

# Every report of results in the submissions is of an event, and the periodic report that came with it is of its period.
my ($results, $periods, @wrong) = (0, 0);
for my $path (glob "$submissions/CIK*.json") {
    my $json = Disclosed::JSON->new->utf8->decode(slurp($path));
    my $recent = $json->{filings}{recent} // $json;
    for my $i (0 .. $recent->{form}->$#*) {
        next if $recent->{form}[$i] ne '8-K' || ($recent->{items}[$i] // '') !~ /\b2\.02\b/;
        $results++;
        my $filing = $site->get("/v1/filings/$recent->{accessionNumber}[$i]")->json // {};
        push @wrong, "$recent->{accessionNumber}[$i]: no event" if !$filing->{event_id};
    }
}
is(join("\n", @wrong[0 .. ($#wrong > 4 ? 4 : $#wrong)]), '', "$results filings with results are of events");
my $mixed = $site->value("SELECT count(*) FROM event e JOIN filing f ON f.event_id = e.id AND f.superseded_at IS NULL AND form IN ('10-K', '10-Q')
    WHERE e.superseded_at IS NULL AND f.period_of_report <> e.period_end_date
      AND NOT EXISTS (SELECT 1 FROM filing_exhibit x JOIN filing g USING (accession) WHERE g.event_id = e.id)");
is($mixed, 0, 'periodic reports among an event\'s filings are of its period');
my $twice = $site->value("SELECT count(*) FROM (SELECT 1 FROM event WHERE superseded_at IS NULL AND type = 'earnings' GROUP BY issuer_id, period_end_date HAVING count(*) > 1) d");
is($twice, 0, 'no quarter has two events');
cmp_ok($results, '>', 450, "$results of them");

# --- the other way round -------------------------------------------------------------------------

my $other = site(template => 'empty');
for my $step (['sec-filing', $releases], ['sec-submissions', $submissions], ['sec-company-tickers', '--known-at', '2020-01-01', $tickers], ['earnings-calendar', @calendar, $calendar]) {
    is(($other->control('import', @$step))[0], 0, "the other way round: $step->[0]");
}
my $all = "SELECT i.cik, i.party_key, type, e.known_at, e.superseded_at, event_at, has_time, date_status, period_end_date, period_kind, fiscal_period, e.source, accession,
        (SELECT string_agg(accession, ' ' ORDER BY accession) FROM filing f WHERE f.event_id = e.id AND f.superseded_at IS NULL) AS filings
    FROM event e JOIN issuer i USING (issuer_id) ORDER BY i.cik, i.party_key, type, period_end_date, e.known_at";
my ($this, $that) = ([$site->rows($all)], [$other->rows($all)]);
is(scalar @$that, scalar @$this, @$this . ' versions of events');
my @different = grep { Disclosed::JSON->new->canonical->encode($this->[$_]) ne Disclosed::JSON->new->canonical->encode($that->[$_] // {}) } 0 .. $#$this;
is(join("\n", map { Disclosed::JSON->new->canonical->encode($this->[$_]) . "\n" . Disclosed::JSON->new->canonical->encode($that->[$_] // {}) } @different[0 .. ($#different > 2 ? 2 : $#different)]), '', '... are the same');

# --- files that are made: other shapes, and what is refused ----------------------------------------

my $made = $site->write('earnings_calendar.2024-08-01.csv', "\xef\xbb\xbfTicker;Report Date;Company Name\r\n\"AAPL\";2024-10-31;Apple\r\nBRK.B;8/5/2024;Berkshire\r\nX X;2024-08-05;x\r\n"
    . "NODATE;;x\r\nWRONG;2024-02-30;x\r\nFAR;2029-01-01;x\r\nOLD;1013-01-01;x\r\n");
my ($code, $out, $err) = $site->control('import', 'earnings-calendar', '--json', $made);
my $counts = Disclosed::JSON->new->decode($out);
is("$code $counts->{read} $counts->{stored} $counts->{rejected}", '1 7 2 5', 'semicolons, other names, dates and order of columns, a byte order mark') or diag "$out$err";
my @rejects = map { "$_->{place}: $_->{reason}" } $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run) ORDER BY place');
is(join("\n", @rejects), "line 4: symbol: not a symbol\nline 5: reportDate: is required\nline 6: event_on: not a date (YYYY-MM-DD)\nline 7: known_at, event_on: not in the form that the dataset asks for\nline 8: a date is before 1990 or more than ten years ahead",
    'each row that is refused, with its reason');
my ($berkshire) = $site->rows("SELECT i.ticker, n.known_at, e.period_end_date, e.source FROM event_notice n JOIN issuer i USING (issuer_id) JOIN event e ON e.id = n.event_id AND e.superseded_at IS NULL
    WHERE n.source_id = (SELECT source_id FROM event_notice WHERE known_at = '2024-08-02T03:59:59.999999Z' LIMIT 1) AND i.name ILIKE 'berkshire%'");
is($berkshire->{ticker} =~ /^BRK/ ? 1 : 0, 1, 'BRK.B is Berkshire\'s, known at the end of the day in the file\'s name');
is($berkshire->{period_end_date}, '2024-06-30', '... of the quarter that its 10-Q is of');
# A calendar that is cut: the last column is not taken, so that nothing of a row is lost there.
for my $case ([1, '0 2 2 0'], [4, '0 2 1 0'], [9, '1 2 0 1'], [13, '1 2 0 1'], [30, '1 2 0 1']) {
    my ($off, $expected) = @$case;
    my $text = substr "symbol,name,reportDate,fiscalDateEnding,estimate,currency\nAAA,A,10/25/2024,9/30/2024,1.39,USD\nAA$off,B,10/26/2024,9/30/2024,1.39,USD\n", 0, -$off;
    ($code, $out) = $site->control('import', 'earnings-calendar', '--json', $site->write("earnings_calendar.2024-08-01.csv", $text));
    my $told = Disclosed::JSON->new->decode($out);
    is("$code $told->{read} $told->{stored} $told->{rejected}", $expected, "a calendar cut by $off");
}
for my $case (["symbol,name\nA,B\n", qr/no column reportDate/], ["name,reportDate\nA,2024-01-01\n", qr/no column symbol/], ["\x00\x01", qr/./], ['', qr/./]) {
    my ($bytes, $reason) = @$case;
    my ($exit, $stdout, $stderr) = $site->control('import', 'earnings-calendar', $site->write('bad.csv', $bytes));
    is($exit, 1, 'a file that is no calendar fails');
    like("$stdout$stderr", $reason, '... and says why');
}

finish();

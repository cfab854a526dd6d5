# Coverage: counts that are kept with the data agree with the data.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();

promises(
    get_coverage => {
        parameters => [qw(as_of)],
        fields => [qw(issuers tickers_with_kpis datasets allowlist freshness)],
    },
    get_company_coverage => {
        parameters => [qw(symbol as_of)],
        fields => [qw(company datasets)],
    },
);
my $site = site();
my %tables = (filings => ['filing', 'filed_on'], exhibits => ['filing_exhibit', "(known_at AT TIME ZONE 'America/New_York')::date"],
    insider_transactions => ['insider_transaction', 'filing_date'], insider_holdings => ['insider_holding', 'filing_date'],
    executives => ['executive', 'reported_on'], institution_reports => ['institution_report', 'period_of_report'],
    institution_positions => ['institution_position', 'period_of_report'], institution_holders => ['institution_holder', 'period_of_report'],
    institution_flows => ['institution_flow', 'period_of_report'], listings => ['listing', 'listed_on'], ir_documents => ['document', 'published_at'],
    transcripts => ['transcript', 'call_date'], xbrl_reports => ['xbrl_report', 'filed_on'], xbrl_linkbases => ['xbrl_linkbase', 'filed_on'], fundamentals => ['fundamental', 'end_date'], kpi_metrics => ['kpi_metric', 'known_at'], kpi_observations => ['kpi_observation', 'end_date'], events => ['event', 'event_at'], congress_trades => ['congress_trade', 'filing_date']);
my %is_time = map { ($_ => 1) } qw(ir_documents transcripts events);

# What a list has, page by page: items are counted by their provenance, which is quicker than decoding them.
sub listed
{
    my ($path) = @_;
    my ($count, $cursor) = (0);
    my $sign = $path =~ m{^/v1/companies\?} ? qr/"issuer_id":/ : qr/"provenance":\{/;
    do {
        my $page = $site->get($path . ($path =~ /\?/ ? '&' : '?') . 'limit=100' . (defined $cursor ? "&cursor=$cursor" : ''))->body;
        return "no list: $path" if $page !~ /\A\{"data":\[/;
        $count += () = $page =~ /$sign/g;
        ($cursor) = $page =~ /"next_cursor":"([^"]+)"/;
    } while defined $cursor;
    return $count;
}

# Records that have a version in force.
sub counted
{
    my ($table, $condition) = @_;
    return 0 + $site->value("SELECT count(DISTINCT id) FROM $table WHERE superseded_at IS NULL AND $condition");
}

my $all = json_of($site->get('/v1/coverage'), 'coverage');
is($all->{issuers}, 40, 'issuers');
is($all->{datasets}{$_}, counted($tables{$_}[0], $_ eq 'filings' ? 'is_primary' : 'true'), "$_: $all->{datasets}{$_}") for sort keys %tables;
is($all->{datasets}{document_chunks}, 0 + $site->value('SELECT count(*) FROM document_chunk WHERE is_current'), "document_chunks: $all->{datasets}{document_chunks}");
my $unmapped = 'SELECT count(*) FROM institution_position t LEFT JOIN LATERAL security_of(t.cusip, NULL, NULL, t.period_of_report) s ON true WHERE s.symbol IS NULL';
is($all->{datasets}{institution_positions_unmapped}, 0 + $site->value("$unmapped AND t.superseded_at IS NULL"),
    "positions without a listing: $all->{datasets}{institution_positions_unmapped}");
is($all->{tickers_with_kpis}, $site->value('SELECT count(DISTINCT issuer_id) FROM kpi_metric WHERE superseded_at IS NULL'), "companies with metrics: $all->{tickers_with_kpis}");
my %allowed = map { ($_ => 1) } $all->{allowlist}->@*;
ok($allowed{$_}, "$_ is on the allow list") for qw(sec finra issuer_page exchange_site vendor_feed_mini exchange_hist service_ir service_transcript);

for my $symbol (qw(ZEMRUZ:US qordra HAXBRU zemruz-b:us MOXTYX)) {
    my $one = json_of($site->get("/v1/coverage/$symbol"), "coverage of $symbol");
    my $id  = $one->{company}{issuer_id};
    my %reference = json_of($site->get("/v1/companies/$symbol"), 'the company')->%{qw(symbol ticker market name cik isin figi issuer_id)};
    same_json($one->{company}, \%reference, "$symbol: the company");
    for my $name (qw(filings exhibits insider_transactions xbrl_reports fundamentals kpi_observations ir_documents transcripts events)) {
        my ($table, $day) = $tables{$name}->@*;
        my $count  = counted($table, "issuer_id = $id");
        my $date   = $is_time{$name} ? "($day AT TIME ZONE 'UTC')::date" : $day;
        my $latest = $site->value("SELECT max($date) FROM $table WHERE superseded_at IS NULL AND issuer_id = $id");
        same_json($one->{datasets}{$name}, { count => $count, latest => $latest eq '' ? undef : $latest }, "$symbol: $count $name");
    }
    my ($trades) = $site->rows("SELECT count(*) AS count, max(filing_date) AS latest FROM congress_trade WHERE superseded_at IS NULL AND company_id = $id");
    same_json($one->{datasets}{congress_trades}, $trades, "$symbol: $trades->{count} trades of members of Congress");
}
# Each count is that of its list.
my %lists = (filings => '/v1/filings', transcripts => '/v1/transcripts', ir_documents => '/v1/documents', insider_transactions => '/v1/insider',
    events => '/v1/events', congress_trades => '/v1/congress', listings => '/v1/companies?active_only=false');
my %of_listing = (short_interest => '/v1/companies/%s/short-interest', institution_holders => '/v1/institutions/holders-of/%s',
    institution_flows => '/v1/institutions/flow-of/%s');
my %of_company = (corporate_actions => '/v1/companies/%s/corporate-actions', executives => '/v1/companies/%s/executives?current_only=false');
my @listings = map { $_->{symbol} } $site->rows('SELECT record_key AS symbol FROM listing WHERE superseded_at IS NULL ORDER BY 1');
my @issuers  = map { $_->{symbol} } $site->rows('SELECT DISTINCT ON (issuer_id) record_key AS symbol FROM listing WHERE superseded_at IS NULL ORDER BY issuer_id, record_key');
my @filers   = map { $_->{cik} } $site->rows('SELECT DISTINCT cik FROM institution_report JOIN issuer USING (issuer_id) ORDER BY 1');
sub sum_of { my ($path, @of) = @_; my $sum = 0; $sum += listed(sprintf $path, $_) for @of; return $sum }

sub counts_are_lists
{
    my ($when, @names) = @_;
    my $counts = json_of($site->get('/v1/coverage'), "coverage $when")->{datasets};
    is($counts->{$_}, listed($lists{$_}), "$_ $when: $counts->{$_}, as the list has") for @names;
    return $counts;
}
my $counts = counts_are_lists('of the demo data', sort keys %lists);
is($counts->{$_}, sum_of($of_listing{$_}, @listings), "$_: $counts->{$_}, as the lists of listings have") for sort keys %of_listing;
for my $name (sort keys %of_company) {
    my %seen;
    for my $symbol (@listings) {
        my $cursor;
        do {
            my $page = $site->get(sprintf($of_company{$name}, $symbol) . ($of_company{$name} =~ /\?/ ? '&' : '?') . 'limit=100' . (defined $cursor ? "&cursor=$cursor" : ''))->json;
            $seen{ $_->{provenance}{src_id} } = 1 for $page->{data}->@*;
            $cursor = $page->{pagination}{next_cursor};
        } while defined $cursor;
    }
    is($counts->{$name}, scalar keys %seen, "$name: $counts->{$name}, as the lists of companies have");
}
is($counts->{institution_positions}, sum_of('/v1/institutions/%s/positions', @filers), "institution_positions: $counts->{institution_positions}, as the lists of institutions have");
my $exhibits = 0;
$exhibits += $site->get("/v1/filings/$_->{accession}/exhibits")->json->{exhibits}->@* for $site->rows('SELECT DISTINCT accession FROM filing_exhibit WHERE superseded_at IS NULL');
is($counts->{exhibits}, $exhibits, "exhibits: $exhibits, as the filings have");
for my $then ('2024-07-01', '2025-05-05T12:00:00Z') {
    my $past = json_of($site->get("/v1/coverage?as_of=$then"), "coverage as of $then")->{datasets};
    is($past->{$_}, listed("$lists{$_}" . ($lists{$_} =~ /\?/ ? '&' : '?') . "as_of=$then"), "$_ as of $then: $past->{$_}, as the list has") for sort keys %lists;
}

# A filing of several filers is one of the list, and one of each filer's.
my $line = sub { my ($cik, $accession, %more) = @_; return Disclosed::JSON->new->canonical->encode({dataset => 'filing', cik => $cik, form => 'SC 13D', filed_on => '2026-10-01',
    known_at => '2026-10-01T20:00:00Z', provenance => {source_provider => 'sec', accession => $accession, source_url => 'https://sec.example/'}, %more}) . "\n" };
my ($one, $two) = map { $_->{cik} } $site->rows("SELECT cik FROM issuer WHERE ticker IN ('ZEMRUZ', 'MOXTYX') ORDER BY cik");
my %each = map { ($_ => listed("/v1/filings?symbols=$_")) } qw(ZEMRUZ MOXTYX);
my $before = $counts->{filings};
is(($site->control('import', 'ndjson', $site->write('both.ndjson', $line->($one, '0007777777-26-000001') . $line->($two, '0007777777-26-000001') . $line->(7777, '0007777777-26-000001'))))[0], 0,
    'one filing of three filers');
is(counts_are_lists('with it', 'filings')->{filings}, $before + 1, '... is one more');
for my $symbol (sort keys %each) {
    is(listed("/v1/filings?symbols=$symbol"), $each{$symbol} + 1, "... and one more of $symbol");
    is(json_of($site->get("/v1/coverage/$symbol"), "coverage of $symbol")->{datasets}{filings}{count}, $each{$symbol} + 1, '... as its coverage has');
}
is(($site->control('import', 'ndjson', $site->write('later.ndjson', $line->($one, '0007777777-26-000001', title => 'Amended', known_at => '2026-10-02T20:00:00Z') . $line->(7778, '0007777777-26-000001')
    . $line->(7779, '0007777777-26-000002'))))[0], 0, 'a later version, another filer, another filing');
is(counts_are_lists('with them', 'filings')->{filings}, $before + 2, '... one more again');
# As of a time when the row that stands for it now was not known, another filer's did.
is(($site->control('import', 'ndjson', $site->write('then.ndjson', $line->($one, '0007777777-26-000003', known_at => '2026-10-05T20:00:00Z') . $line->($two, '0007777777-26-000003'))))[0], 0,
    'a filing of which one filer is known later');
for my $then ('2026-10-01T19:00:00Z', '2026-10-03', '2026-10-06') {
    my $past = json_of($site->get("/v1/coverage?as_of=$then"), "coverage as of $then")->{datasets}{filings};
    is($past, listed("/v1/filings?as_of=$then"), "filings as of $then: $past, as the list has");
}
# Who stands for a filing changes with what is listed; it stays one.
is(counts_are_lists('with all of them', 'filings')->{filings}, $before + 3, 'three filings of several filers');
my $primary = sub { $site->value("SELECT i.cik FROM filing f JOIN issuer i USING (issuer_id) WHERE f.accession = '0007777777-26-000002' AND f.is_primary AND f.superseded_at IS NULL") };
is($primary->(), 7779, 'a filing of one filer, who is not listed');
is(($site->control('import', 'ndjson', $site->write('second.ndjson', $line->(7780, '0007777777-26-000002')
    . Disclosed::JSON->new->canonical->encode({dataset => 'listing', cik => 7780, ticker => 'QQSECOND', market => 'US', name => 'Second', status => 'active', known_at => '2026-10-01T20:00:00Z',
        provenance => {source_provider => 'sec', source_url => 'https://sec.example/'}}) . "\n")))[0], 0, 'another filer of it is listed');
is($primary->(), 7780, '... and stands for it');
is(counts_are_lists('then', 'filings')->{filings}, $before + 3, '... which is no other filing');

problem_is($site->get('/v1/coverage/NOBODY'), 404, 'nobody', instance => '/v1/coverage/NOBODY', detail => not_found_company('NOBODY'));

# as_of is a parameter of every read.
is(json_of($site->get('/v1/coverage/AKOVEX?as_of=2023-01-01'), 'then')->{company}{name}, 'Akovex Holdings Inc.', 'the company as it was');
is($site->get('/v1/coverage/AKOVEX?as_of=2000-01-01')->status, 404, 'no company before it was public');
is(json_of($site->get('/v1/coverage?as_of=2024-07-01'), 'then')->{datasets}{institution_positions_unmapped}, 0 + $site->value("$unmapped
    AND t.known_at <= '2024-07-01' AND (t.superseded_at IS NULL OR t.superseded_at > '2024-07-01')"), '... positions without a listing then');
is($site->get('/v1/coverage?as_of=x')->status, 422, 'as_of is read');
is(json_of($site->get('/v1/coverage?as_of=2000-01-01'), 'then')->{datasets}{filings}, 0, 'nothing was there in 2000');

# What is asked of listings once for all rows of theirs comes to what is asked of each row, at many instants; of instants at which listings begin and end, too.
my @instants = map { $_->{at} } $site->rows("SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS at FROM (
    (SELECT known_at AS at FROM listing UNION SELECT superseded_at FROM listing WHERE superseded_at IS NOT NULL ORDER BY 1 LIMIT 12)
    UNION SELECT at FROM (SELECT at, row_number() OVER (ORDER BY at) AS place, count(*) OVER () AS all FROM (SELECT DISTINCT known_at AS at FROM institution_position) p) n WHERE place % greatest(n.all / 10, 1) = 0
    UNION SELECT max(known_at) + interval '1 day' FROM institution_holder) i ORDER BY 1");
cmp_ok(scalar @instants, '>', 15, 'instants: ' . @instants);
my %by_row = (
    institution_holders            => "SELECT count(*) FROM institution_holder x WHERE {now} AND symbol_then(x.company_id, x.symbol, {at}) IS NOT NULL",
    institution_flows              => "SELECT count(*) FROM institution_flow x WHERE {now} AND symbol_then(x.issuer_id, x.symbol, {at}) IS NOT NULL",
    institution_positions_unmapped => "SELECT count(*) FROM institution_position x WHERE {now} AND NOT EXISTS (SELECT 1 FROM security_of(x.cusip, NULL, NULL, x.period_of_report) s
        WHERE symbol_then(s.company_id, s.symbol, {at}) IS NOT NULL)");
my %differing;
for my $at (@instants) {
    my $then = json_of($site->get("/v1/coverage?as_of=$at"), "coverage as of $at")->{datasets};
    for my $name (sort keys %by_row) {
        my $sql = $by_row{$name} =~ s/\{now\}/x.known_at <= {at} AND (x.superseded_at IS NULL OR x.superseded_at > {at})/r =~ s/\{at\}/'$at'::timestamptz/gr;
        push $differing{$name}->@*, $at if $then->{$name} != $site->value($sql);
    }
}
is_deeply(\%differing, {}, '... of holders, flows and positions without a listing');

finish();

# Coverage: counts that are kept with the data agree with the data.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
my %tables = (filings => ['filing', 'filed_on'], exhibits => ['filing_exhibit', 'published_at'],
    insider_transactions => ['insider_transaction', 'filing_date'], insider_holdings => ['insider_holding', 'filing_date'],
    executives => ['executive', 'reported_on'], institution_reports => ['institution_report', 'period_of_report'],
    institution_positions => ['institution_position', 'period_of_report'], institution_holders => ['institution_holder', 'period_of_report'],
    institution_flows => ['institution_flow', 'period_of_report'], listings => ['listing', 'listed_on'], ir_documents => ['document', 'published_at'],
    transcripts => ['transcript', 'call_date'], events => ['event', 'event_at'], congress_trades => ['congress_trade', 'filing_date']);
my %is_time = map { ($_ => 1) } qw(exhibits ir_documents transcripts events);

# Records that have a version in force.
sub counted
{
    my ($table, $condition) = @_;
    return 0 + $site->value("SELECT count(DISTINCT id) FROM $table WHERE superseded_at IS NULL AND $condition");
}

my $all = json_of($site->get('/v1/coverage'), 'coverage');
is($all->{issuers}, 40, 'issuers');
is($all->{datasets}{$_}, counted($tables{$_}[0], 'true'), "$_: $all->{datasets}{$_}") for sort keys %tables;
is($all->{datasets}{$_}, 0, "$_: none yet") for qw(kpi_metrics kpi_observations document_chunks);
my $unmapped = 'SELECT count(*) FROM institution_position t LEFT JOIN LATERAL security_of(t.cusip, NULL, NULL, t.period_of_report) s ON true WHERE s.symbol IS NULL';
is($all->{datasets}{institution_positions_unmapped}, 0 + $site->value("$unmapped AND t.superseded_at IS NULL"),
    "positions without a listing: $all->{datasets}{institution_positions_unmapped}");
is($all->{tickers_with_kpis}, 0, 'no KPIs yet');
my %allowed = map { ($_ => 1) } $all->{allowlist}->@*;
ok($allowed{$_}, "$_ is on the allow list") for qw(sec finra issuer_page exchange_site vendor_feed_mini exchange_hist service_ir service_transcript);

for my $symbol (qw(ZEMRUZ:US qordra HAXBRU zemruz-b:us MOXTYX)) {
    my $one = json_of($site->get("/v1/coverage/$symbol"), "coverage of $symbol");
    my $id  = $one->{company}{issuer_id};
    my %reference = json_of($site->get("/v1/companies/$symbol"), 'the company')->%{qw(symbol ticker market name cik isin figi issuer_id)};
    same_json($one->{company}, \%reference, "$symbol: the company");
    for my $name (qw(filings exhibits insider_transactions ir_documents transcripts events)) {
        my ($table, $day) = $tables{$name}->@*;
        my $count  = counted($table, "issuer_id = $id");
        my $date   = $is_time{$name} ? "($day AT TIME ZONE 'UTC')::date" : $day;
        my $latest = $site->value("SELECT max($date) FROM $table WHERE superseded_at IS NULL AND issuer_id = $id");
        same_json($one->{datasets}{$name}, { count => $count, latest => $latest eq '' ? undef : $latest }, "$symbol: $count $name");
    }
    same_json($one->{datasets}{$_}, { count => 0, latest => undef }, "$symbol: no $_") for qw(kpi_observations);
    my ($trades) = $site->rows("SELECT count(*) AS count, max(filing_date) AS latest FROM congress_trade WHERE superseded_at IS NULL AND company_id = $id");
    same_json($one->{datasets}{congress_trades}, $trades, "$symbol: $trades->{count} trades of members of Congress");
}
problem_is($site->get('/v1/coverage/NOBODY'), 404, 'nobody', instance => '/v1/coverage/NOBODY', detail => not_found_company('NOBODY'));

# as_of is a parameter of every read.
is(json_of($site->get('/v1/coverage/AKOVEX?as_of=2023-01-01'), 'then')->{company}{name}, 'Akovex Holdings Inc.', 'the company as it was');
is($site->get('/v1/coverage/AKOVEX?as_of=2000-01-01')->status, 404, 'no company before it was public');
is(json_of($site->get('/v1/coverage?as_of=2024-07-01'), 'then')->{datasets}{institution_positions_unmapped}, 0 + $site->value("$unmapped
    AND t.known_at <= '2024-07-01' AND (t.superseded_at IS NULL OR t.superseded_at > '2024-07-01')"), '... positions without a listing then');
is($site->get('/v1/coverage?as_of=x')->status, 422, 'as_of is read');
is(json_of($site->get('/v1/coverage?as_of=2000-01-01'), 'then')->{datasets}{filings}, 0, 'nothing was there in 2000');

finish();

package Disclosed::PastStory;

# A made story for the time machine, with what is hard to tell as of an instant: a company that takes another name,
# ticker and exchange; another one that later takes its old ticker; one that is listed only after much is known of it;
# two classes of shares; reports that are amended, restated and corrected; estimates that move; funds and classes.

use v5.24;
use warnings;
use Disclosed::PastInputs qw(lines_input);
use Exporter qw(import);
use JSON::PP ();

our @EXPORT_OK = qw(story_inputs story_instants story_symbols story_reasons);

my ($true, $false) = (JSON::PP::true, JSON::PP::false);
my %page = (provenance => { source_provider => 'issuer_page', source_url => 'https://made.example/ir' });
my ($elder, $gold, $late, $manager, $trust, $other) = map { 7654300 + $_ } 1 .. 6;

sub company { my ($cik, $known, $name, %more) = @_; return { dataset => 'company', cik => $cik, known_at => $known, name => $name, %page, %more } }

sub listing
{
    my ($cik, $known, $ticker, $name, %more) = @_;
    return { dataset => 'listing', cik => $cik, known_at => $known, ticker => $ticker, market => 'US', name => $name, status => 'active', %page, %more };
}

# A filing of EDGAR: its common members.
sub filed
{
    my ($cik, $number, $accepted) = @_;
    my $accession = sprintf '%010d-%s-%06d', $cik, substr($accepted, 2, 2), $number;
    return (cik => $cik, known_at => $accepted, provenance => { source_provider => 'sec', source_url => "https://made.example/$accession", accession => $accession });
}

sub names_and_listings
{
    return (
        company($elder, '2015-01-01T00:00:00Z', 'Elder Games Plc', sic => '3944'),
        listing($elder, '2016-01-01T00:00:00Z', 'ELDG', 'Elder Games', listing_exchange => 'NYSE'),
        company($elder, '2024-07-01T00:00:00Z', 'Younger Games Plc', fiscal_year_end => '1231'),
        listing($elder, '2024-07-01T00:00:00Z', 'ELDG', 'Elder Games', status => 'inactive', listing_exchange => 'NYSE'),
        listing($elder, '2024-07-01T00:00:00Z', 'YNGG', 'Younger Games', listing_exchange => 'Nasdaq'),
        company($gold, '2025-01-01T00:00:00Z', 'Eldorado Gold Corp'),
        listing($gold, '2025-01-01T00:00:00Z', 'ELDG', 'Eldorado Gold', listing_exchange => 'NYSE'),
        listing($late, '2024-09-01T00:00:00Z', 'LATE', 'Late Listed Inc', isin => 'US5184391044'),
        listing($late, '2024-09-01T00:00:00Z', 'LATE-B', 'Late Listed Inc', listing_rank => 1),
        company($late, '2024-11-01T00:00:00Z', 'Late Listed Incorporated'),
        company($other, '2014-01-01T00:00:00Z', 'Other Filer LLC'),
    );
}

sub filings_and_reports
{
    my %insider = (dataset => 'insider', form => '4', insider_name => 'Roe Jane', owner_cik => 7654399, relationship => 'Director', is_derivative => $false,
        transaction_type => 'purchase', transaction_code => 'P', period_of_report => '2023-08-01');
    return (
        # Two filers, of whom one has a ticker from 2016, and later the other as well.
        (map { { dataset => 'filing', form => 'SC 13D', filed_on => '2015-06-01', title => 'SC 13D', filed($elder, 1, '2015-06-01T20:00:00Z'), cik => $_ } } $elder, $other),
        { dataset => 'filing', form => '10-K', filed_on => '2023-02-20', period_of_report => '2022-12-31', title => '10-K', filed($elder, 2, '2023-02-20T21:00:00Z') },
        { dataset => 'filing', form => '8-K', items => ['2.02'], period_of_report => '2023-08-01', filed_on => '2023-08-01', accepted_at => '2023-08-01T20:05:00Z', title => '8-K',
            filed($elder, 3, '2023-08-01T20:05:00Z') },
        { dataset => 'exhibit', exhibit_type => 'EX-99.1', sequence => 2, published_at => '2023-08-01T20:05:00Z', text => 'Elder Games reported a quarter.', filed($elder, 3, '2023-08-01T20:05:00Z') },
        { dataset => 'filing', form => '10-Q', filed_on => '2023-08-09', period_of_report => '2023-06-30', title => '10-Q', filed($elder, 4, '2023-08-09T20:05:00Z') },
        { dataset => 'filing', form => '8-K', items => ['2.02'], period_of_report => '2024-05-02', filed_on => '2024-05-02', accepted_at => '2024-05-02T20:05:00Z', title => '8-K',
            filed($late, 1, '2024-05-02T20:05:00Z') },
        # What the calendar estimates, of a company that nothing lists yet.
        { dataset => 'filing', form => '8-K', items => ['2.02'], period_of_report => '2023-11-09', filed_on => '2023-11-09', accepted_at => '2023-11-09T21:05:00Z', title => '8-K',
            filed($late, 3, '2023-11-09T21:05:00Z') },
        { dataset => 'exhibit', exhibit_type => 'EX-99.1', sequence => 2, published_at => '2023-11-09T21:05:00Z', text => 'We today reported results for the quarter ended September 30, 2023.',
            filed($late, 3, '2023-11-09T21:05:00Z') },
        # An amendment of a Form 4.
        { %insider, shares => '10', filing_date => '2023-08-02', record_key => 'first', filed($elder, 5, '2023-08-02T20:00:00Z') },
        { %insider, form => '4/A', shares => '12', filing_date => '2023-08-20', original_filing_date => '2023-08-02', record_key => 'again', filed($elder, 6, '2023-08-20T20:00:00Z') },
        { %insider, shares => '7', filing_date => '2024-08-20', period_of_report => '2024-08-19', record_key => 'late', filed($late, 2, '2024-08-20T20:00:00Z') },
        { dataset => 'executive', cik => $elder, name => 'Roe Jane', role => 'Director', category => 'executives', person_rank => 4, is_current => $true, reported_on => '2023-08-02', known_at => '2023-08-02T20:00:00Z', %page },
        { dataset => 'executive', cik => $elder, name => 'Roe Jane', role => 'Chair', category => 'executives', person_rank => 4, is_current => $true, reported_on => '2024-08-02', known_at => '2024-08-02T20:00:00Z', %page },
    );
}

sub events_and_documents
{
    my %told = (dataset => 'kpi_observation', cik => $elder, metric_key => 'players', issuer_label => 'Players', as_described => 'Players in the quarter', unit => 'count', basis => 'duration',
        start_date => '2023-04-01', end_date => '2023-06-30', source_type => '10-Q', %page);
    my %vendor = (dataset => 'event_notice', type => 'earnings', date_status => 'estimated', provenance => { source_provider => 'vendor_feed_mini' });
    return (
        { %vendor, cik => $elder, record_key => 'v/2023-09-30', event_on => '2023-10-31', period_end_date => '2023-09-30', known_at => '2023-09-15T00:00:00Z' },
        { %vendor, cik => $elder, record_key => 'v/2023-09-30', event_on => '2023-11-02', period_end_date => '2023-09-30', known_at => '2023-10-15T00:00:00Z' },
        { %vendor, cik => $elder, record_key => 'v/2024-12-31', event_on => '2025-02-20', period_end_date => '2024-12-31', known_at => '2024-12-01T00:00:00Z' },
        { %vendor, cik => $late, record_key => 'late', event_on => '2024-10-10', period_end_date => '2024-09-30', known_at => '2024-08-01T00:00:00Z', issuer_name => 'Late Listed, before it was' },
        # A metric in other words, restated, and told by two sources; a part of it.
        { %told, source_type => 'EX-99.1', value => 100, known_at => '2023-08-01T20:05:00Z' },
        { %told, value => 101, known_at => '2023-08-09T20:05:00Z' },
        { %told, value => 99, known_at => '2024-08-09T20:05:00Z', display => 'Active players' },
        { %told, value => 102, known_at => '2024-08-09T20:05:00Z', start_date => '2024-04-01', end_date => '2024-06-30', fiscal => 'Q2 FY2024', display => 'Active players' },
        { %told, value => 60, known_at => '2024-08-09T20:05:00Z', dimension => 'region', member => 'Europe' },
        { dataset => 'event_notice', cik => $elder, type => 'agm', record_key => 'agm', event_on => '2024-06-05', date_status => 'confirmed', known_at => '2024-04-10T00:00:00Z', %page },
        { dataset => 'document', cik => $elder, record_key => 'deck', title => 'Slides', doc_type => 'slide_deck', published_at => '2023-08-01T21:00:00Z', known_at => '2023-08-01T21:00:00Z', %page },
        { dataset => 'transcript', cik => $elder, record_key => 'call', call_date => '2023-08-01T21:00:00Z', known_at => '2023-08-02T06:00:00Z', period_label => 'Q2 FY2023', %page,
            speakers => [{ speaker_id => '0', name => 'Ann Alyst', role => 'Analyst', affiliation => 'Bank' }], segments => [{ speaker => 0, text => 'Hello.' }] },
        { dataset => 'transcript', cik => $elder, record_key => 'better', supersedes => 'call', call_date => '2023-08-01T21:00:00Z', known_at => '2023-09-02T06:00:00Z', period_label => 'Q2 FY2023', %page,
            speakers => [{ speaker_id => '0', name => 'Ann Alyst', role => 'Analyst', affiliation => 'Bank' }], segments => [{ speaker => 0, text => 'Hello, all.' }] },
    );
}

sub market_and_congress
{
    my %short = (dataset => 'short_interest', provenance => { source_provider => 'finra' }, settlement_date => '2023-08-31', symbol_code => 'ELDG');
    my %action = (dataset => 'corporate_action', provenance => { source_provider => 'issuer_page' }, symbol_code => 'ELDG', kind => 'dividend');
    my %trade = (dataset => 'congress_trade', party => 'politician/jane-doe', issuer_name => 'Jane Doe', provenance => { source_provider => 'senate_efd' }, chamber => 'senate',
        first_name => 'Jane', last_name => 'Doe', transaction_type => 'purchase', filing_date_basis => 'stated');
    return (
        { %short, cik => $elder, current_short_position => '1000', known_at => '2023-09-13T04:00:00Z' },
        { %short, cik => $elder, current_short_position => '1100', known_at => '2023-09-20T04:00:00Z' },
        { %short, cik => $elder, symbol_code => 'YNGG', settlement_date => '2024-08-30', current_short_position => '900', known_at => '2024-09-12T04:00:00Z' },
        { %action, cik => $elder, action_date => '2023-09-01', amount => '0.10', known_at => '2023-08-10T00:00:00Z' },
        { %action, cik => $elder, action_date => '2023-09-01', amount => '0.12', known_at => '2023-08-20T00:00:00Z' },
        { %action, cik => $elder, symbol_code => 'YNGG', action_date => '2024-09-02', amount => '0.14', known_at => '2024-08-20T00:00:00Z' },
        { %trade, report_id => 'r1', row_number => 1, ticker => 'ELDG', asset_name => 'Elder Games', transaction_date => '2023-07-20', filing_date => '2023-08-15', known_at => '2023-08-16T03:00:00Z' },
        { %trade, report_id => 'r1', row_number => 2, ticker => 'LATEB', asset_name => 'Late Listed, class B', transaction_date => '2023-07-21', filing_date => '2023-08-15', known_at => '2023-08-16T03:00:00Z' },
        { %trade, report_id => 'r2', row_number => 1, amends => 'r1', ticker => 'ELDG', asset_name => 'Elder Games', transaction_date => '2023-07-22', filing_date => '2023-10-15', known_at => '2023-10-16T03:00:00Z' },
        { %trade, report_id => 'r3', row_number => 1, ticker => 'ELDG', asset_name => 'Eldorado Gold', transaction_date => '2025-03-01', filing_date => '2025-03-15', known_at => '2025-03-16T03:00:00Z' },
        { dataset => 'politician', party => 'politician/jane-doe', %page, political_party => 'Independent', state_district => 'VT', reported_on => '2024-01-01', known_at => '2024-01-02T00:00:00Z' },
    );
}

sub holdings
{
    my %report = (dataset => 'institution_report', form => '13F-HR', report_type => 'holdings', manager_name => 'Made Managers LP', issuer_name => 'Made Managers LP', period_of_report => '2023-06-30', filing_date => '2023-08-14');
    my %position = (dataset => 'institution_position', issuer_name => 'Made Managers LP', period_of_report => '2023-06-30', filing_date => '2023-08-14', shares_type => 'SH', class_title => 'COM');
    my %fund = (issuer_name => 'Made Trust', known_at => '2023-08-29T20:00:00Z', cik => $trust, %page);
    return (
        { dataset => 'security', cik => $elder, cusip => '285512109', valid_from => '2016-01-01', ticker => 'ELDG', class_title => 'COM', known_at => '2016-01-02T00:00:00Z', %page },
        { %report, table_entry_total => 1, table_value_total => '5000', filed($manager, 1, '2023-08-14T20:00:00Z') },
        { %position, row_number => 1, cusip => '285512109', issuer_title => 'ELDER GAMES PLC', value => '5000', value_as_filed => '5000', shares => '100', filed($manager, 1, '2023-08-14T20:00:00Z') },
        { %report, form => '13F-HR/A', amendment_type => 'restatement', amendment_number => 1, filing_date => '2023-09-14', table_entry_total => 1, table_value_total => '6000', filed($manager, 2, '2023-09-14T20:00:00Z') },
        { %position, row_number => 1, filing_date => '2023-09-14', cusip => '285512109', issuer_title => 'ELDER GAMES PLC', value => '6000', value_as_filed => '6000', shares => '120', filed($manager, 2, '2023-09-14T20:00:00Z') },
        { dataset => 'fund', %fund, fund_key => 'S000000091', series_id => 'S000000091', name => 'Made Index Fund', report_date => '2023-06-30', net_assets => '100000' },
        { dataset => 'fund_holding', %fund, report_key => 'S000000091/2023-06-30', row_number => 1, name => 'Elder Games Plc', ticker => 'ELDG', balance => '10', unit => 'NS', value => '500',
            weight_pct => '0.5', payoff_profile => 'Long', asset_category => 'EC' },
        { dataset => 'fund_class', cik => $trust, class_id => 'C000000091', series_id => 'S000000091', name => 'ETF Shares', ticker => 'MADEX', known_at => '2024-02-01T00:00:00Z', %page },
        { dataset => 'fund_class', cik => $trust, class_id => 'C000000090', series_id => 'S000000091', name => 'Admiral', ticker => 'MADAX', known_at => '2024-08-01T00:00:00Z', %page },
    );
}

# The calendar knows of companies that nothing lists yet.
sub calendar_input
{
    return { source => 'earnings-calendar', options => ['--known-at', '2023-10-01'], name => 'earnings-calendar.csv', head => "symbol,name,reportDate,fiscalDateEnding,estimate,currency\n",
        parts => [map { ['2023-10-02T04:00:00Z', $_] } "LATE,Late Listed Inc,2023-11-09,2023-09-30,0.1,USD\n", "ELDG,Elder Games Plc,2023-11-03,2023-09-30,,USD\n"] };
}

# Prices that have been adjusted for a split, and the dividend before it with them: nobody knew that amount before.
sub prices_input
{
    return { source => 'corporate-actions', options => ['--known-at', '2026-01-01'], made => ['YNGG.csv', "date,open,close,dividend,split\n2024-07-15,10,10.1,0.05,1\n2024-09-30,10.2,10.3,0,1\n2024-10-01,10.3,10.2,0,2\n"] };
}

sub story_inputs
{
    return (lines_input('names.ndjson', names_and_listings()), calendar_input(), prices_input(), lines_input('rows.ndjson', filings_and_reports(), events_and_documents(), market_and_congress(), holdings()));
}

sub story_symbols { return map { "$_:US" } qw(ELDG YNGG LATE LATE-B) }

# Differences that are known, and why.
sub story_reasons
{
    # An issuer that neither a profile nor a listing names has the name that came with its first record, which is kept
    # without a time. Once it is named otherwise, its name is null as of the time before, and never a later one.
    return [qr/as of: .*"title":"(?:period ended [\d-]+ )?earnings".*then: .*"title":"Late Listed, before it was /s, 'a name that came with a record, of an issuer that is named otherwise now'];
}

# Instants between what happens in it.
sub story_instants
{
    return map { "${_}T12:00:00Z" } qw(2015-07-01 2023-08-05 2023-08-25 2023-09-16 2023-10-02 2023-10-20 2024-02-05 2024-06-30 2024-07-05 2024-08-25 2024-09-15 2024-12-05 2025-02-01 2025-04-01);
}

1;

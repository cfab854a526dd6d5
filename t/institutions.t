# Institutional holdings: what reports, amendments and CUSIPs mean, each shown on reports made by hand
# (no filing of anybody). Every file is loaded twice; the second time nothing changes.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

promises(
    list_institution_holders => {
        parameters => [qw(symbol cursor limit fields direction as_of)],
        fields => [qw(institution value shares? period_of_report provenance)],
    },
    list_institution_flow => {
        parameters => [qw(symbol cursor limit fields direction as_of)],
        fields => [qw(period_of_report holders holders_change? value shares provenance)],
    },
    list_institution_positions => {
        parameters => [qw(cik cursor limit fields direction as_of)],
        fields => [qw(ticker? symbol? name cusip? value shares? put_call? period_of_report company_cik? class_title? figi?
            principal_amount? value_as_filed value_scale? investment_discretion? other_managers? filing_date provenance)],
    },
);
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;
my %sec  = (source_provider => 'sec');

# --- making and loading ----------------------------------------------------------------------

my @files; # all that was loaded, in its order

sub import_lines
{
    my ($name, @lines) = @_;
    push @files, \@lines;
    my $path = $site->write('lines.ndjson', join '', map { $json->encode($_) . "\n" } @lines);
    my ($code, $out, $err) = $site->control('import', 'ndjson', $path, '--json', '--verbose');
    is($code, 0, "$name: loaded") or diag $out, $err;
    my $before = snapshot();
    ($code, $out) = $site->control('import', 'ndjson', $path, '--quiet');
    like($out, qr/\bstored 0, unchanged @{[ scalar @lines ]}, superseded 0, rejected 0/, "$name: loaded again, unchanged");
    is(snapshot(), $before, "$name: and what is derived is the same");
    $site->wait_until_watched;
}

# All versions of what is derived, with their ids.
sub snapshot
{
    return join "\n", map { $site->value("SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t.row_id), '') FROM $_ t") }
        qw(institution_holder institution_flow);
}

sub company
{
    my ($cik, $name, $isin, @listings) = @_;
    return map { { dataset => 'listing', cik => $cik, known_at => '2020-01-01', provenance => {%sec}, ticker => $_->[0],
        market => 'US', name => $name, listing_exchange => $_->[1] // 'NYSE', listing_rank => $_->[2] // 0, status => 'active',
        listed_on => '2020-01-01', (defined $isin ? (isin => $isin) : ()) } } @listings;
}

# A report with its rows: [cusip, name, class, value, shares, more]. Options go to the report.
sub report
{
    my ($cik, $number, $period, $filed, $rows, %option) = @_;
    my $accession = sprintf '%010d-%02d-%06d', $cik, substr($filed, 2, 2), $number;
    my %from = (cik => $cik, issuer_name => "Manager $cik", known_at => $filed =~ /T/ ? $filed : "${filed}T21:00:00Z",
        provenance => { %sec, accession => $accession, source_url => "https://www.sec.gov/$accession" },
        period_of_report => $period, filing_date => substr($filed, 0, 10));
    my $total = 0;
    $total += $_->[3] for @$rows;
    my $n = 0;
    return ({ dataset => 'institution_report', %from, form => $option{amendment_type} ? '13F-HR/A' : '13F-HR',
            report_type => 'holdings', manager_name => "Manager $cik", table_entry_total => scalar @$rows,
            table_value_total => $total, %option },
        map { { dataset => 'institution_position', %from, row_number => ++$n, cusip => $_->[0], issuer_title => $_->[1],
            class_title => $_->[2], value => $_->[3], value_as_filed => $_->[3], shares_type => 'SH',
            (defined $_->[4] ? (shares => $_->[4]) : ()), ($_->[5] // {})->%* } } @$rows);
}

# --- asking ----------------------------------------------------------------------------------

sub data
{
    my ($target) = @_;
    return json_of($site->get($target), $target)->{data};
}

# Holders as "cik period value shares", in the order of the list.
sub holders
{
    my ($symbol, $as_of) = @_;
    return [map { sprintf '%d %s %s %s', $_->{institution}{cik}, $_->{period_of_report}, $_->{value}{raw}, $_->{shares} }
        data("/v1/institutions/holders-of/$symbol" . (defined $as_of ? "?as_of=$as_of" : ''))->@*];
}

# Flows as "period holders change value shares".
sub flows
{
    my ($symbol, $as_of) = @_;
    return [map { join ' ', $_->{period_of_report}, $_->{holders}, $_->{holders_change} // 'null', $_->{value}{raw}, $_->{shares} }
        data("/v1/institutions/flow-of/$symbol" . (defined $as_of ? "?as_of=$as_of" : ''))->@*];
}

# Positions as "period cusip symbol value shares".
sub positions
{
    my ($cik, $as_of) = @_;
    return [map { join ' ', $_->{period_of_report}, $_->{cusip}, $_->{symbol} // 'null', $_->{value}{raw}, $_->{shares} // 'null' }
        data("/v1/institutions/$cik/positions?limit=500" . (defined $as_of ? "&as_of=$as_of" : ''))->@*];
}

sub unmapped { return 0 + ($site->value("SELECT record_count FROM dataset_stat WHERE dataset = 'institution_position_unmapped'") || 0) }

# Counted without what is kept.
sub unmapped_counted
{
    return 0 + $site->value("SELECT count(*) FROM institution_position t LEFT JOIN LATERAL
        security_of(t.cusip, NULL, NULL, t.period_of_report) s ON true WHERE t.superseded_at IS NULL AND s.symbol IS NULL");
}

# --- one report ------------------------------------------------------------------------------

my @alpha = ('111111118', 'ALPHA ROCKET CORP', 'COM');
my @beta  = ('222222226', 'BETA TEAPOTS INC', 'COM');
import_lines('two companies', company(101, 'Alpha Rocket Corp', 'US1111111186', ['ALPH']), company(102, 'Beta Teapots, Inc.', undef, ['BETA']));
import_lines('a report', report(9001, 1, '2024-03-31', '2024-05-10', [
    [@alpha, 1000, 10], [@beta, 300, 30], [@alpha, 500, 5, { other_managers => ['1'] }],
    [@alpha, 700, 7, { put_call => 'Put' }], [@alpha, 800, 8, { put_call => 'Call' }],
    ['111111AA1', 'ALPHA ROCKET CORP', 'NOTE 2.500% 6/1', 90, undef, { shares_type => 'PRN', principal_amount => 100000 }],
    ['999999999', 'GAMMA UNLISTED LTD', 'COM', 44, 4],
]));
is_deeply(holders('ALPH'), ['9001 2024-03-31 1500 15'], 'rows of one CUSIP are summed; puts, calls and notes are not in the sum');
is_deeply(holders('BETA:US'), ['9001 2024-03-31 300 30'], 'a CUSIP is known by the name of its issuer');
is_deeply(positions(9001), ['2024-03-31 999999999 null 44 4', '2024-03-31 111111AA1 null 90 null', '2024-03-31 111111118 ALPH:US 800 8',
    '2024-03-31 111111118 ALPH:US 700 7', '2024-03-31 111111118 ALPH:US 500 5', '2024-03-31 222222226 BETA:US 300 30',
    '2024-03-31 111111118 ALPH:US 1000 10'], 'positions are the rows as filed');
is(unmapped(), 2, 'two rows have no listing');
is_deeply(flows('ALPH'), ['2024-03-31 1 null 1500 15'], 'no earlier quarter: no change is known');

my ($note) = grep { $_->{cusip} eq '111111AA1' } data('/v1/institutions/9001/positions')->@*;
is($note->{principal_amount}, 100000, 'a principal amount is kept apart from shares');
is($note->{company_cik}, '0000000101', 'the issuer of a note is known by its name, though it has no listing');
my ($put) = grep { $_->{put_call} } data('/v1/institutions/9001/positions?direction=asc')->@*;
same_json({ %$put, provenance => undef }, { ticker => 'ALPH', symbol => 'ALPH:US', name => 'ALPHA ROCKET CORP', cusip => '111111118',
    value => { raw => 700, normalized => 700, unit => 'USD', original_unit => 'USD', conversion_factor => 1 }, shares => 7, put_call => 'Put',
    period_of_report => '2024-03-31', company_cik => '0000000101', class_title => 'COM', figi => undef, principal_amount => undef,
    value_as_filed => 700, value_scale => undef, investment_discretion => undef, other_managers => undef, filing_date => '2024-05-10',
    provenance => undef }, 'all fields of a position');
my ($holder) = data('/v1/institutions/holders-of/ALPH')->@*;
my %from = (source_provider => 'sec', source_url => 'https://www.sec.gov/0000009001-24-000001', accession => '0000009001-24-000001', quote => undef,
    content_hash => undef);
same_json({ %$holder, provenance => { $holder->{provenance}->%*, src_id => undef, extracted_at => undef } },
    { institution => { cik => '0000009001', name => 'Manager 9001' }, value => { raw => 1500, normalized => 1500, unit => 'USD',
        original_unit => 'USD', conversion_factor => 1 }, shares => 15, period_of_report => '2024-03-31',
      provenance => { %from, src_id => undef, extracted_at => undef } }, 'all fields of a holder');
for my $target ('/v1/institutions/holders-of/ALPH', '/v1/institutions/flow-of/ALPH', '/v1/institutions/9001/positions') {
    my ($row) = data($target)->@*;
    my $source = json_of($site->get("/v1/src/$row->{provenance}{src_id}"), "the source of $target");
    same_json($source->{record}, $row, "$target: its src_id resolves to the row");
}
is($site->value("SELECT entries_stored || ' ' || value_stored || ' ' || value_difference FROM institution_report"), '7 3434 0',
    'what is stored is told beside the stated total');

# --- who is asked for ------------------------------------------------------------------------

is_deeply(positions('0000009001'), positions('CIK9001'), 'a CIK in any form');
problem_is($site->get('/v1/institutions/101/positions'), 404, 'a company that files no 13F', instance => '/v1/institutions/101/positions',
    detail => 'There is no institution with the CIK "101".');
problem_is($site->get('/v1/institutions/4711/positions'), 404, 'nobody', instance => '/v1/institutions/4711/positions',
    detail => 'There is no institution with the CIK "4711".');
problem_is($site->get('/v1/institutions/x/positions'), 404, 'not a CIK', instance => '/v1/institutions/x/positions',
    detail => 'There is no institution with the CIK "x".');
problem_is($site->get("/v1/institutions/$_-of/NOBODY"), 404, "$_ of nothing", instance => "/v1/institutions/$_-of/NOBODY",
    detail => not_found_company('NOBODY')) for qw(holders flow);
import_lines('a notice', (report(9002, 1, '2024-03-31', '2024-05-10', [], form => '13F-NT', report_type => 'notice',
    table_entry_total => undef, table_value_total => undef))[0]);
same_json(json_of($site->get('/v1/institutions/9002/positions'), 'of who files notices'),
    { data => [], pagination => { next_cursor => undef, has_more => JSON::PP::false } }, 'a notice is no positions');

# --- amendments ------------------------------------------------------------------------------

import_lines('another manager', report(9003, 1, '2024-03-31', '2024-05-14', [[@alpha, 2000, 20], [@beta, 100, 10]]));
my @then = ('2024-06-01', '2024-06-20', '2024-07-20');
import_lines('new holdings', report(9003, 3, '2024-03-31', '2024-07-10', [[@alpha, 100, 1]], amendment_type => 'new_holdings', amendment_number => 2));
is_deeply(holders('ALPH', $then[2]), ['9003 2024-03-31 2100 21', '9001 2024-03-31 1500 15'], 'new holdings are added');
is_deeply(holders('ALPH', $then[0]), ['9003 2024-03-31 2000 20', '9001 2024-03-31 1500 15'], 'not before they were public');

# The restatement lies between the two and comes last.
import_lines('a restatement', report(9003, 2, '2024-03-31', '2024-06-15', [[@alpha, 1600, 16]], amendment_type => 'restatement', amendment_number => 1));
is_deeply(holders('ALPH', $then[0]), ['9003 2024-03-31 2000 20', '9001 2024-03-31 1500 15'], 'as of the original');
is_deeply(holders('BETA', $then[0]), ['9003 2024-03-31 100 10', '9001 2024-03-31 300 30'], '... with all it said');
is_deeply(holders('ALPH', $then[1]), ['9003 2024-03-31 1600 16', '9001 2024-03-31 1500 15'], 'as of the restatement: it replaces the report');
is_deeply(holders('BETA', $then[1]), ['9001 2024-03-31 300 30'], '... what it does not say is no longer held');
is_deeply(holders('ALPH'), ['9003 2024-03-31 1700 17', '9001 2024-03-31 1500 15'], 'new holdings are added to the restated report');
is_deeply(positions(9003), ['2024-03-31 111111118 ALPH:US 1600 16', '2024-03-31 111111118 ALPH:US 100 1'], 'positions in force now');
is_deeply(positions(9003, $then[0]), ['2024-03-31 222222226 BETA:US 100 10', '2024-03-31 111111118 ALPH:US 2000 20'], '... and then');
is_deeply(flows('ALPH'), ['2024-03-31 2 null 3200 32'], 'flow now');
is_deeply(flows('BETA', $then[0]), ['2024-03-31 2 null 400 40'], 'flow as of the original');
is_deeply(flows('BETA'), ['2024-03-31 1 null 300 30'], 'flow without what was restated away');
is_deeply([map { $_->[0] . ' ' . (flows('ALPH', $_->[0])->[0] // 'none') } ['2024-05-10T22:00:00Z'], ['2024-05-11T05:00:00Z'], ['2024-05-14T22:00:00Z'],
    ['2024-05-15T05:00:00Z'], ['2024-06-16T05:00:00Z'], ['2024-07-11T05:00:00Z']],
    ['2024-05-10T22:00:00Z none', '2024-05-11T05:00:00Z 2024-03-31 1 null 1500 15', '2024-05-14T22:00:00Z 2024-03-31 1 null 1500 15',
     '2024-05-15T05:00:00Z 2024-03-31 2 null 3500 35', '2024-06-16T05:00:00Z 2024-03-31 2 null 3100 31',
     '2024-07-11T05:00:00Z 2024-03-31 2 null 3200 32'], 'flows change at the end of a day, never before');

# --- quarters --------------------------------------------------------------------------------

import_lines('the next quarter', report(9001, 2, '2024-06-30', '2024-08-10', [[@alpha, 1100, 10]]),
    report(9004, 1, '2024-06-30', '2024-08-12', [[@alpha, 2200, 20], [@beta, 10, 1]]),
    report(9005, 1, '2024-06-30', '2024-08-12', [[@alpha, 3300, 30]]));
is_deeply(flows('ALPH'), ['2024-06-30 3 1 6600 60', '2024-03-31 2 null 3200 32'], 'the change is against the quarter before');
is_deeply(flows('BETA'), ['2024-06-30 1 0 10 1', '2024-03-31 1 null 300 30'], '... for each listing');
is_deeply(flows('ALPH', '2024-08-11T12:00:00Z'), ['2024-06-30 1 -1 1100 10', '2024-03-31 2 null 3200 32'], 'as of when one had reported');
import_lines('late for the quarter before', report(9004, 2, '2024-03-31', '2024-09-01', [[@alpha, 5, 1]]));
is_deeply(flows('ALPH'), ['2024-06-30 3 0 6600 60', '2024-03-31 3 null 3205 33'], 'who reports late changes the change');
is_deeply(flows('ALPH', '2024-08-20'), ['2024-06-30 3 1 6600 60', '2024-03-31 2 null 3200 32'], '... not as of earlier');
import_lines('an older quarter', report(9001, 3, '2023-09-30', '2023-11-01', [[@alpha, 900, 10]]));
is_deeply(flows('ALPH')->[2], '2023-09-30 1 null 900 10', 'the quarter between is not known:');
is_deeply(flows('ALPH')->[1], '2024-03-31 3 null 3205 33', '... no change is told');

# --- CUSIPs ----------------------------------------------------------------------------------

# One CUSIP that named Delta's shares and, from July 2024 on, Alpha's.
my @moved = ('333333334', 'SOMETHING ELSE', 'COM');
import_lines('a third company', company(103, 'Delta Kites Ltd', undef, ['DLTA']));
import_lines('a report with an unknown CUSIP', report(9006, 1, '2024-03-31', '2024-05-15', [[@moved, 60, 6]]), report(9006, 2, '2024-09-30', '2024-11-01', [[@moved, 70, 7]]));
is_deeply(positions(9006), ['2024-09-30 333333334 null 70 7', '2024-03-31 333333334 null 60 6'], 'kept and served without a symbol');
is(unmapped(), unmapped_counted(), 'and counted');
my $etag = $site->get('/v1/institutions/9006/positions')->header('etag');
import_lines('what the CUSIP is', { dataset => 'security', cik => 103, cusip => '333333334', valid_from => '2020-01-01', valid_to => '2024-06-30', ticker => 'DLTA',
    known_at => '2024-01-01', provenance => {%sec} }, { dataset => 'security', cik => 101, cusip => '333333334', valid_from => '2024-07-01', ticker => 'ALPH',
    known_at => '2024-07-01', provenance => {%sec} });
is_deeply(positions(9006), ['2024-09-30 333333334 ALPH:US 70 7', '2024-03-31 333333334 DLTA:US 60 6'], 'a CUSIP means what it meant at the end of the quarter');
isnt($site->get('/v1/institutions/9006/positions')->header('etag'), $etag, 'the answer has another tag');
is_deeply(holders('DLTA'), ['9006 2024-03-31 60 6'], 'holders follow');
is_deeply(flows('ALPH')->[0], '2024-09-30 1 -2 70 7', 'and flows');
is(unmapped(), unmapped_counted(), 'the count follows');

# Names first, tickers later.
my @late = ('444444442', 'EPSILON SVCS CORP NEW', 'COM');
import_lines('before its ticker', report(9006, 3, '2024-12-31', '2025-02-01', [[@late, 10, 1], ['555555559', 'ZETA HLDGS INC', 'CL A', 20, 2],
    ['555555567', 'ZETA HLDGS INC', 'CL B', 30, 3], ['666666665', 'ETA INDS INC', 'CL A', 40, 4], ['777777772', 'THETA CORP', 'COM', 50, 5]]));
is(unmapped(), unmapped_counted(), 'unmapped rows');
is_deeply([grep { !/null/ } positions(9006)->@[0 .. 4]], [], 'none is known yet');
import_lines('tickers', company(104, 'Epsilon Services Corp /DE/', undef, ['EPSI']), company(105, 'Zeta Holdings, Inc.', undef, ['ZETA-A', 'NYSE', 0], ['ZETA-B', 'NYSE', 1]),
    company(106, 'Eta Industries Inc', undef, ['ETAX', 'Nasdaq', 0], ['ETAZ', 'Nasdaq', 1]), company(107, 'Theta Corp', undef, ['THTA']), company(108, 'THETA CORP /NV/', undef, ['THTB']));
is_deeply(positions(9006), ['2024-12-31 777777772 null 50 5', '2024-12-31 666666665 null 40 4', '2024-12-31 555555567 ZETA-B:US 30 3',
    '2024-12-31 555555559 ZETA-A:US 20 2', '2024-12-31 444444442 EPSI:US 10 1', '2024-09-30 333333334 ALPH:US 70 7', '2024-03-31 333333334 DLTA:US 60 6'],
    'a later ticker is enough; classes by their letter; not where two issuers have the name, nor where no listing tells the class');
is_deeply(holders('EPSI'), ['9006 2024-12-31 10 1'], 'holders of what was listed later');
is_deeply(holders('EPSI', '2025-02-02'), ['9006 2024-12-31 10 1'], '... from when the report was public');
is_deeply(flows('ZETA-B'), ['2024-12-31 1 null 30 3'], 'and flows of it');
my ($eta) = grep { $_->{cusip} eq '666666665' } data('/v1/institutions/9006/positions')->@*;
is($eta->{company_cik}, '0000000106', 'the company is known where the class is not');
is(unmapped(), unmapped_counted(), 'the count follows: ' . unmapped());
import_lines('one of two goes', { (company(108, 'THETA CORP /NV/', undef, ['THTB']))[0]->%*, status => 'delisted', known_at => '2025-03-01' });
is_deeply(positions(9006)->[0], '2024-12-31 777777772 THTA:US 50 5', 'one active issuer has the name now');
is(unmapped(), unmapped_counted(), 'the count follows');

# --- any order -------------------------------------------------------------------------------

# All of it once more, last file first, into a database of its own. The order among holders of one
# quarter is that of their arrival.
my @symbols = qw(ALPH BETA DLTA EPSI ZETA-A ZETA-B THTA);

sub everything
{
    return [map { [$_, [sort { $a cmp $b } holders($_)->@*], flows($_), [sort { $a cmp $b } holders($_, $then[0])->@*], flows($_, '2024-08-20')] } @symbols];
}
my $held = everything();
$site = site(template => 'empty');
for my $lines (reverse @files) {
    my $path = $site->write('lines.ndjson', join '', map { $json->encode($_) . "\n" } @$lines);
    is(($site->control('import', 'ndjson', $path, '--quiet'))[0], 0, 'a file, the last first');
}
$site->wait_until_watched;
is_deeply(everything(), $held, 'the same in the other order');
is(unmapped(), unmapped_counted(), 'and the count');

# --- where holders come from ------------------------------------------------------------------

# A manager's rows of one security by two sources: the holder's source and src_id are the same in either order.
my %row_of = map { my ($row, $provider) = @$_; ($provider => { dataset => 'institution_position', cik => 9_100, issuer_name => 'Two Sources LLC', period_of_report => '2024-03-31', filing_date => '2024-05-10',
    known_at => '2024-05-11T03:59:59.999999Z', row_number => $row, issuer_title => 'ALPHA INDS', class_title => 'COM', cusip => '037833100', value => 1000, value_as_filed => 1000, shares_type => 'SH', shares => 10,
    provenance => { source_provider => $provider, accession => '0000009100-24-000001' } }) } [1, 'sec'], [2, 'issuer_page'];
my @of_both = (company(101, 'Alpha Industries Inc', undef, ['ALPH']), { dataset => 'security', cik => 101, cusip => '037833100', valid_from => '2020-01-01', ticker => 'ALPH', known_at => '2024-01-01', provenance => {%sec} });
my %holder;
for my $turns ([qw(sec issuer_page)], [qw(issuer_page sec)]) {
    my $where = site(template => 'empty', start => 0);
    for my $lines (\@of_both, map { [$row_of{$_}] } @$turns) {
        my ($code, $out, $err) = $where->control('import', 'ndjson', '--quiet', $where->write('lines.ndjson', join '', map { $json->encode($_) . "\n" } @$lines));
        is($code, 0, "rows of @$turns") or diag $out, $err;
    }
    $holder{"@$turns"} = $where->value("SELECT string_agg(concat_ws(' ', source_provider, src_digest, value), ', ') FROM institution_holder_sourced WHERE superseded_at IS NULL");
}
like($holder{'sec issuer_page'}, qr/^issuer_page \S+ 2000$/, 'a holder by two sources');
is($holder{'sec issuer_page'}, $holder{'issuer_page sec'}, '... comes from the same one in either order');

# --- what PostgreSQL knows of them ----------------------------------------------------------------

# A symbol is of one company, which a page's plan goes by: a load that makes the table grow gathers that, too.
my $grown = site(template => 'empty', start => 0);
$grown->execute(<<'SQL');
INSERT INTO disclosed.institution_holder (id, issuer_id, record_key, known_at, src_digest, source_id, company_id, symbol, period_of_report, value)
SELECT n, n, 'holding ' || n, '2024-01-01', md5(n::text)::uuid, 1, n % 7, 'S' || n % 7 || ':US', '2023-12-31', 1 FROM generate_series(1, 2000) n
SQL
$grown->execute('SELECT disclosed.analyze_grown(ARRAY[$$disclosed.institution_holder$$::regclass])');
is($grown->value("SELECT count(*) FROM pg_stats_ext WHERE statistics_name = 'institution_holder_listing' AND dependencies IS NOT NULL"), 1, 'statistics of companies and symbols together');

finish();

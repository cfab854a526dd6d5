# What tells the same number: another element, another first day, a filing that rounds. Each story is loaded in every order of its reports, and again; each
# instant has what followed from the reports that were public by then.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_bignum;
my ($cik, $files) = (7500, 0);

# Every order of a list.
sub orders
{
    my (@list) = @_;
    return [@list] if @list < 2;
    return map { my $i = $_; map { [$list[$i], @$_] } orders(@list[grep { $_ != $i } 0 .. $#list]) } 0 .. $#list;
}

# A report with facts [element, first day or '', last day, amount, decimals]; without decimals it is one of companyfacts.
sub report
{
    my ($number, $day, $form, @facts) = @_;
    my $told_by = defined $facts[0][4] ? 'instance' : 'companyfacts';
    my @facts_in_order = sort { "$a->[0] $a->[1] $a->[2]" cmp "$b->[0] $b->[1] $b->[2]" } @facts;
    return sub {
        my ($of) = @_;
        my $accession = sprintf '%010d-24-%06d', $of, $number;
        return {
            dataset => 'xbrl_report', cik => $of, record_key => "$accession/$told_by", told_by => $told_by, form => $form, filed_on => $day, known_at => "${day}T12:00:00Z",
            provenance => {source_provider => 'sec', accession => $accession}, concepts => [map { "us-gaap:$_->[0]" } @facts_in_order], units => [map { 'USD' } @facts],
            start_dates => [map { $_->[1] } @facts_in_order], end_dates => [map { $_->[2] } @facts_in_order], amounts => [map { "$_->[3]" } @facts_in_order],
            $told_by eq 'instance' ? (dimensions => [map { '' } @facts], decimals => [map { "$_->[4]" } @facts_in_order]) : (),
        };
    };
}

sub load
{
    my (@lines) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $site->write(++$files . '.ndjson', join '', map { $json->encode($_) . "\n" } @lines));
    die "$out$err" if $code;
    return $json->decode($out);
}

# The versions of a company's numbers: metric, kind, last day, value, rule, since when and until when.
sub versions
{
    my ($of) = @_;
    return [map { $_->{version} } $site->rows("SELECT concat_ws(' ', f.metric_key, f.period_kind, f.end_date, f.value, f.rule, CASE WHEN f.is_restated THEN 'restated' END,
            to_char(f.known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), coalesce(to_char(f.superseded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), '-')) AS version
        FROM disclosed.fundamental f JOIN disclosed.issuer i USING (issuer_id) WHERE i.cik = $of ORDER BY f.metric_key COLLATE \"C\", f.end_date, f.period_kind, f.known_at")];
}

sub story
{
    my ($name, $reports, @expected) = @_;
    my @orders = map { {cik => ++$cik, order => $_} } orders(@$reports);
    for my $turn (0 .. $#$reports) {
        load(map { $_->{order}[$turn]->($_->{cik}) } @orders);
    }
    my @wrong;
    for my $one (@orders) {
        my $found = versions($one->{cik});
        push @wrong, $found if "@$found" ne "@expected";
    }
    is(scalar @wrong, 0, "$name, in " . @orders . ' orders') or diag $json->encode({found => $wrong[0], expected => \@expected});
    my $again = load(map { my $one = $_; map { $_->($one->{cik}) } reverse $one->{order}->@* } @orders);
    is(($again->{stored} // 0) + ($again->{superseded} // 0), 0, '... and again nothing');
    is(scalar(grep { "@{versions($_->{cik})}" ne "@expected" } @orders), 0, '... changes');
    # All of them at once.
    load(map { $_->(++$cik) } @$reports[0]);
    load(map { $_->($cik) } reverse @$reports);
    same_json(versions($cik), \@expected, '... in one file, but for the first');
    return;
}

# --- other elements --------------------------------------------------------------------------------

my ($first, $second) = map { "RevenueFromContractWithCustomer${_}AssessedTax" } 'Excluding', 'Including';
my @nine = ('2020-01-01', '2020-09-30');
my @year = ('2020-01-01', '2020-12-31');
story('the year is told again under the element that told nine months', [
        report(1, '2020-11-05', '10-Q', [Revenues => @nine, 300]), report(2, '2021-02-15', '10-K', [$first => @year, 400]), report(3, '2022-02-15', '10-K', [Revenues => @year, 400])],
    'revenue annual 2020-12-31 400 2021-02-15 -', 'revenue quarter 2020-12-31 100 difference 2022-02-15 -');
story('nine months are', [
        report(1, '2020-11-05', '10-Q', [$first => @nine, 300]), report(2, '2021-02-15', '10-K', [Revenues => @year, 400]), report(3, '2021-11-05', '10-Q', [Revenues => @nine, 300])],
    'revenue annual 2020-12-31 400 2021-02-15 -', 'revenue quarter 2020-12-31 100 difference 2021-11-05 -');
story('both elements tell both', [
        report(1, '2020-11-05', '10-Q', [$first => @nine, 300], [Revenues => @nine, 300]), report(2, '2021-02-15', '10-K', [$first => @year, 400]), report(3, '2022-02-15', '10-K', [Revenues => @year, 400], [$first => @year, 400])],
    'revenue annual 2020-12-31 400 2021-02-15 -', 'revenue quarter 2020-12-31 100 difference 2021-02-15 -');
story('another number of another element is not the one that stands', [
        report(1, '2020-11-05', '10-Q', [$first => @nine, 290], [Revenues => @nine, 300]), report(2, '2021-02-15', '10-K', [$second => @year, 400]), report(3, '2022-02-15', '10-K', [$first => @year, 400])],
    'revenue annual 2020-12-31 400 2021-02-15 -');
story('an element that says another number later no longer tells the one that stands', [
        report(1, '2020-11-05', '10-Q', [$first => @nine, 300]), report(2, '2021-02-15', '10-K', [$first => @year, 400]), report(3, '2022-02-15', '10-K', [Revenues => @year, 400], [$first => @year, 390])],
    'revenue annual 2020-12-31 400 2021-02-15 -', 'revenue quarter 2020-12-31 100 difference 2021-02-15 2022-02-15');
story('a year that is restated is of another basis, whatever tells it', [
        report(1, '2020-11-05', '10-Q', [Revenues => @nine, 300]), report(2, '2021-02-15', '10-K', [$first => @year, 400]), report(3, '2022-02-15', '10-K', [Revenues => @year, 410])],
    'revenue annual 2020-12-31 400 2021-02-15 2022-02-15', 'revenue annual 2020-12-31 410 restated 2022-02-15 -');

# --- other first days, as of NVIDIA's first report in XBRL ---------------------------------------------

my $cash = 'NetCashProvidedByUsedInOperatingActivities';
story('half a year is told again with the first day of the year', [
        report(1, '2009-08-05', '10-Q', [$cash => '2008-12-31', '2009-06-30', 20]), report(2, '2009-11-05', '10-Q', [$cash => '2009-01-01', '2009-09-30', 33]),
        report(3, '2010-02-05', '10-K', [$cash => '2009-01-01', '2009-12-31', 46]), report(4, '2010-08-05', '10-Q', [$cash => '2009-01-01', '2009-06-30', 20])],
    'operating_cash_flow quarter 2009-09-30 13 difference 2010-08-05 -', 'operating_cash_flow annual 2009-12-31 46 2010-02-05 -', 'operating_cash_flow quarter 2009-12-31 13 difference 2010-02-05 -');
story('... with which the four quarters are twelve months', [
        report(1, '2009-05-05', '10-Q', [$cash => '2009-01-01', '2009-03-31', 9]), report(2, '2009-08-05', '10-Q', [$cash => '2008-12-31', '2009-06-30', 20]),
        report(3, '2010-02-05', '10-K', [$cash => '2009-01-01', '2009-09-30', 33], [$cash => '2009-01-01', '2009-12-31', 46]),
        report(4, '2010-08-05', '10-Q', [$cash => '2009-01-01', '2009-06-30', 20], [$cash => '2010-01-01', '2010-03-31', 10])],
    'operating_cash_flow quarter 2009-03-31 9 2009-05-05 -', 'operating_cash_flow quarter 2009-06-30 11 difference 2010-08-05 -', 'operating_cash_flow quarter 2009-09-30 13 difference 2010-08-05 -',
    'operating_cash_flow annual 2009-12-31 46 2010-02-05 -', 'operating_cash_flow quarter 2009-12-31 13 difference 2010-02-05 -', 'operating_cash_flow quarter 2010-03-31 10 2010-08-05 -',
    'operating_cash_flow ttm 2010-03-31 47 four_quarters 2010-08-05 -');

# --- filings that say how exact their numbers are --------------------------------------------------------

sub debt { my ($amount, @decimals) = @_; return [LongTermDebt => '', '2024-09-28', $amount, @decimals] }
story('a number that rounds another, as Apple\'s debt, is that one', [
        report(1, '2024-11-01', '10-K', debt('96662000000', -6)), report(2, '2025-05-02', '10-Q', debt('96700000000', -8)), report(3, '2025-10-31', '10-K', debt('96662000000', -6))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 -');
story('... whoever told the other', [report(1, '2024-11-01', '10-K', debt('96662000000')), report(2, '2025-05-02', '10-Q', debt('96700000000', -8))], 'long_term_debt instant 2024-09-28 96662000000 2024-11-01 -');
story('... though it was exact to another digit itself', [
        report(1, '2024-11-01', '10-K', debt('96662345678', 0)), report(2, '2025-02-01', '10-Q', debt('96662000000', -6)), report(3, '2025-05-02', '10-Q', debt('96700000000', -8)), report(4, '2025-08-02', '10-Q', debt('97000000000', -9))],
    'long_term_debt instant 2024-09-28 96662345678 2024-11-01 -');
story('what does not round it restates it', [report(1, '2024-11-01', '10-K', debt('96662000000', -6)), report(2, '2025-05-02', '10-Q', debt('96600000000', -8))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 2025-05-02', 'long_term_debt instant 2024-09-28 96600000000 restated 2025-05-02 -');
story('... and so does what is as exact', [report(1, '2024-11-01', '10-K', debt('96662000000', -6)), report(2, '2025-05-02', '10-Q', debt('96700000000', -6))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 2025-05-02', 'long_term_debt instant 2024-09-28 96700000000 restated 2025-05-02 -');
story('... or does not say how exact it is', [report(1, '2024-11-01', '10-K', debt('96662000000', -6)), report(2, '2025-05-02', '10-Q', debt('96700000000'))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 2025-05-02', 'long_term_debt instant 2024-09-28 96700000000 restated 2025-05-02 -');
story('of two in one filing the more exact one is taken', [report(1, '2024-11-01', '10-K', debt('96640000000', -6), debt('96600000000', -8)), report(2, '2025-05-02', '10-Q', debt('96640000000', -6))],
    'long_term_debt instant 2024-09-28 96640000000 2024-11-01 -');
story('after a restatement it is the restated number that is rounded', [
        report(1, '2024-11-01', '10-K', debt('96662123000', -3)), report(2, '2025-02-01', '10-Q', debt('96680000000', -6)), report(3, '2025-05-02', '10-Q', debt('96700000000', -8))],
    'long_term_debt instant 2024-09-28 96662123000 2024-11-01 2025-02-01', 'long_term_debt instant 2024-09-28 96680000000 restated 2025-02-01 -');
story('a number that is as exact as another one is no rounding of one before it', [
        report(1, '2024-11-01', '10-K', debt('96662000000', -6)), report(2, '2025-02-01', '10-Q', debt('96700000000', -6)), report(3, '2025-05-02', '10-Q', debt('96700000000', -8))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 2025-02-01', 'long_term_debt instant 2024-09-28 96700000000 restated 2025-02-01 -');
story('a report that does not say how exact a number is rounds as another one has said by then', [
        report(1, '2024-11-01', '10-K', debt('96662000000')), report(2, '2025-02-01', '10-Q', debt('96700000000')), report(3, '2025-05-02', '10-Q', debt('96700000000', -8)), report(4, '2025-08-02', '10-Q', debt('96700000000'))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 2025-02-01', 'long_term_debt instant 2024-09-28 96700000000 restated 2025-02-01 2025-05-02', 'long_term_debt instant 2024-09-28 96662000000 restated 2025-05-02 -');
story('a rounding that is repeated stays one', [
        report(1, '2024-11-01', '10-K', debt('96662000000', -6)), report(2, '2025-02-01', '10-Q', debt('96700000000', -8)), report(3, '2025-05-02', '10-Q', debt('96700000000', -8)), report(4, '2025-08-02', '10-Q', debt('-96662000000', -6))],
    'long_term_debt instant 2024-09-28 96662000000 2024-11-01 2025-08-02', 'long_term_debt instant 2024-09-28 -96662000000 restated 2025-08-02 -');
finish();

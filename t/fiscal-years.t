# What fiscal years and quarters are called, at every instant: as the annual reports count that were known. A year is called what its own report calls it, or
# what it is called now; real companies, and made ones that count in all the ways there are.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();
use IO::Uncompress::Gunzip qw(gunzip);
use Time::Piece ();

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_nonref->allow_bignum;

my $cik = 7300;
my (%tree, $number, @listed);

# A report on a period of revenue: its fiscal year and period as it says itself.
sub report
{
    my ($form, $filed, $year, $period, @periods) = @_;
    my $accession = sprintf '%010d-24-%06d', $cik, ++$number;
    push $tree{'us-gaap'}{Revenues}{units}{USD}->@*, map { { start => $_->[0], end => $_->[1], val => 100, accn => $accession, form => $form, filed => $filed, fy => $year, fp => $period } } @periods;
    return;
}

sub list_company
{
    my ($of, $name) = @_;
    push @listed, $json->encode({dataset => 'listing', cik => $of, record_key => "Y$of:US", ticker => "Y$of", market => 'US', name => $name, status => 'active',
        known_at => '2000-01-01T00:00:00Z', provenance => {source_provider => 'exchange_site'}});
    return;
}

sub import_of
{
    my ($name, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', @arguments);
    is($code, 0, $name) or diag $out, $err;
    return;
}

sub load
{
    my ($name) = @_;
    import_of("$name is loaded", 'sec-companyfacts', $site->write(sprintf('CIK%010d.json', $cik), $json->encode({cik => $cik, entityName => $name, facts => \%tree})));
    list_company($cik, $name);
    import_of('... and listed', 'ndjson', $site->write('listing.ndjson', join "\n", splice(@listed), ''));
    %tree = ();
    return 'Y' . $cik++;
}

sub days_after { my ($day, $count) = @_; return (Time::Piece->strptime($day, '%Y-%m-%d') + 86400 * $count)->ymd }

# What the years and quarters of a company are called, by kind and last day: as of the day after one on which something was filed, or now.
sub labels
{
    my ($symbol, $metric, $filed) = @_;
    my $page = json_of($site->get("/v1/companies/$symbol/fundamentals?limit=500&metrics=$metric" . ($filed ? '&as_of=' . days_after($filed, 1) . 'T12:00:00Z' : '')), "$symbol as of " . ($filed // 'now'));
    return {map { my $period = $_->{period}; ("$period->{kind} $period->{end_date}" => $period->{fiscal} // 'none') } grep { $_->{period}{kind} ne 'ttm' } $page->{data}->@*};
}

sub years_are
{
    my ($symbol, $day, $name, @years) = @_;
    my $labels = labels($symbol, 'revenue', $day);
    same_json([map { "$_ $labels->{$_}" } sort grep { /^annual/ } keys %$labels], [map { "annual $_->[0] FY$_->[1]" } @years], $name);
    return $labels;
}

# A year of 52 or 53 weeks that ends on a day, in its annual report and three quarterly ones before; years as the reports call them.
sub year_of
{
    my ($start, $end, $annual, @quarterly) = @_;
    for my $place (grep { defined $quarterly[$_] } 0 .. 2) {
        report('10-Q', days_after($start, 91 * $place + 120), $quarterly[$place], 'Q' . ($place + 1), [days_after($start, 91 * $place), days_after($start, 91 * $place + 90)]);
    }
    my $filed = days_after($end, 50);
    report('10-K', $filed, $annual, 'FY', [$start, $end]);
    return $filed;
}

# --- a company that counts otherwise from some year on, as NVIDIA since the year to January 2015 ---------------------------

my @ends = qw(2009-01-25 2010-01-31 2011-01-30 2012-01-29 2013-01-27 2014-01-26 2015-01-25 2016-01-31);
my @starts = qw(2008-01-28 2009-01-26 2010-02-01 2011-01-31 2012-01-30 2013-01-28 2014-01-27 2015-01-26);
my @filed = map { year_of($starts[$_], $ends[$_], 2009 + $_ - ($_ >= 2 && $_ < 6 ? 1 : 0), map { 2009 + $_ - 1 } $_, $_ < 6 ? ($_, $_) : ($_ + 1, $_ + 1)) } 1 .. 7;
my $symbol = load('Counts Anew Inc.');
for my $place (1 .. 7) {
    my $ahead = $place >= 2 && $place < 6 ? 1 : 0;
    my $labels = years_are($symbol, $filed[$place - 1], "as of $filed[$place - 1] the year of the newest report is called what its report says", map { [$ends[$_], 2009 + $_ - $ahead] } 1 .. $place);
    is($labels->{"quarter " . days_after($starts[$place], 90)}, 'Q1 FY' . (2009 + $place - $ahead), '... and its quarters with it');
}
years_are($symbol, undef, 'now all are counted as the newest are', map { [$ends[$_], 2009 + $_] } 1 .. 7);

# Questions are answered by the same names; of a year that is not known yet it is said what there is.
sub answer { my ($question, $filed) = @_; my $said = json_of($site->post('/v1/ask', {question => $question, symbols => [$symbol], $filed ? (as_of => days_after($filed, 1) . 'T12:00:00Z') : ()}), $question); return $said->{answer_md} || $said->{not_found} }
my $name = 'Counts Anew Inc.';
is(answer('What was the revenue in fiscal 2015?', $filed[5]), "$name had revenue of USD 100 in fiscal 2015, ended 25 January 2015 [1].", 'a question about a year, as of its report');
is(answer('What was the revenue in fiscal 2013?', $filed[4]), "$name had revenue of USD 100 in fiscal 2013, ended 26 January 2014 [1].", '... and about the year before, as of its own');
is(answer('What was the revenue in fiscal 2014?', $filed[4]), "$name has no revenue for that period; numbers are stored of 2009-04-26 to 2014-01-26.", '... and about one that is not known yet');

# --- one report that is mistaken ----------------------------------------------------------------------------------------

for my $mistake (-1, 1) {
    my @known = map { year_of("$_-01-01", "$_-12-31", $_ == 2015 ? 2015 + $mistake : $_, ($_) x 3) } 2012 .. 2017;
    $symbol = load("Mistaken by $mistake Inc.");
    years_are($symbol, $known[$_ - 2012], "a year's mistake of $mistake in a single report counts for nothing: $_", map { ["$_-12-31", $_] } 2012 .. $_) for 2012 .. 2017;
}

# The same, where annual reports alone are loaded: a second one confirms the first.
my @alone = map { year_of("$_-01-01", "$_-12-31", $_ == 2015 ? 2014 : $_ >= 2017 ? $_ - 1 : $_) } 2012 .. 2018;
$symbol = load('Annual Reports Alone Inc.');
years_are($symbol, $alone[$_ - 2012], "without quarterly reports: $_", map { ["$_-12-31", $_] } 2012 .. $_) for 2012 .. 2017;
years_are($symbol, $alone[6], '... two that follow each other count', map { ["$_-12-31", $_ - 1] } 2012 .. 2018);

# A report on the months between two ends of years is called by a year of its own, and has the year before beside them. It says what that is called as well, and is
# mistaken: the year's own report is confirmed by quarterly reports, or by the annual report before it, and the later one is not.
for my $quarterly (0 .. 2) {
    my @known = (year_of('2019-01-01', '2019-12-31', 2019, $quarterly > 1 ? (2019) x 3 : ()), year_of('2020-01-01', '2020-12-31', 2020, $quarterly > 0 ? (2020) x 3 : ()));
    report('10-Q', '2021-05-05', 2021, 'Q1', ['2021-01-01', '2021-03-31']) if $quarterly;
    report('10-KT', '2021-08-20', 2021, 'FY', ['2021-01-01', '2021-06-30'], ['2020-01-01', '2020-12-31']);
    push @known, '2021-08-20', year_of('2021-07-01', '2022-06-30', 2022, $quarterly ? (2022) x 3 : ());
    $symbol = load("Between Two Ends $quarterly Inc.");
    my @called = (['2019-12-31', 2019], ['2020-12-31', 2020], ['2022-06-30', 2022]);
    years_are($symbol, $known[$_], "the year before a transition period, with quarterly reports of $quarterly years: as of $known[$_]", @called[0 .. ($_ < 2 ? $_ : $_ - 1)]) for 0 .. 3;
    my $labels = years_are($symbol, undef, '... and now', @called);
    is($labels->{'quarter 2020-03-31'}, 'Q1 FY2020', '... and its quarters with it') if $quarterly;
}

# --- the ways in which years are counted ------------------------------------------------------------------------------------

# By the year in which they begin, as retailers do; the last one has 53 weeks.
@ends = qw(2014-02-01 2015-01-31 2016-01-30 2017-01-28 2018-02-03);
@starts = qw(2013-02-03 2014-02-02 2015-02-01 2016-01-31 2017-01-29);
@filed = map { year_of($starts[$_], $ends[$_], 2013 + $_, (2013 + $_) x 3) } 0 .. 4;
$symbol = load('Begins With It Inc.');
years_are($symbol, $filed[$_], 'years that are called after their beginning', map { [$ends[$_], 2013 + $_] } 0 .. $_) for 0 .. 4;

# A year of 53 weeks that ends in January, between years that end in December.
@ends = qw(2013-12-29 2014-12-28 2016-01-03 2017-01-01 2017-12-31);
@starts = qw(2012-12-31 2013-12-30 2014-12-29 2016-01-04 2017-01-02);
@filed = map { year_of($starts[$_], $ends[$_], 2013 + $_, (2013 + $_) x 3) } 0 .. 4;
$symbol = load('Into January Inc.');
my $last = (map { years_are($symbol, $filed[$_], 'years around the end of December', map { [$ends[$_], 2013 + $_] } 0 .. $_) } 0 .. 4)[-1];
is($last->{'quarter 2015-03-29'}, 'Q1 FY2015', '... and a quarter of the long one');

# Six years of 52 and 53 weeks: what ends three weeks after a quarter is named by the last year's end, not by one that is days off.
@ends = qw(2020-01-26 2021-01-31 2022-01-30 2023-01-29 2024-01-28 2025-01-26);
@starts = qw(2019-01-28 2020-01-27 2021-02-01 2022-01-31 2023-01-30 2024-01-29);
year_of($starts[$_], $ends[$_], 2020 + $_, (2020 + $_) x 3) for 0 .. 5;
report('10-Q', '2025-06-20', 2026, 'Q1', ['2025-02-22', '2025-05-23'], ['2025-02-13', '2025-05-14']);
$symbol = load('Days Off Inc.');
$last = labels($symbol, 'revenue');
same_json([map { $last->{"quarter 2025-05-$_"} } 14, 23], ['Q1 FY2026', 'none'], 'a quarter is at most twenty days off');

# From years to January, called after their beginning, to years to December.
@filed = map { year_of(@$_) } ['2013-02-01', '2014-01-31', 2013, (2013) x 3], ['2014-02-01', '2015-01-31', 2014, (2014) x 3], ['2016-01-01', '2016-12-31', 2016, (2016) x 3], ['2017-01-01', '2017-12-31', 2017, (2017) x 3];
report('10-Q', '2018-05-01', 2018, 'Q1', ['2018-01-01', '2018-03-31']);
report('10-Q', '2018-08-01', 2018, 'Q2', ['2018-04-01', '2018-06-30']);
$symbol = load('Another End Inc.');
my @called = (['2014-01-31', 2013], ['2015-01-31', 2014], ['2016-12-31', 2016], ['2017-12-31', 2017]);
$last = (map { years_are($symbol, $filed[$_], 'before and after the end has changed', @called[0 .. $_]) } 0 .. 3)[-1];
my $after = labels($symbol, 'revenue');
same_json([map { $after->{"quarter $_"} } qw(2018-03-31 2018-06-30)], ['Q1 FY2018', 'Q2 FY2018'], '... and those after the last year are counted from its end');
same_json([map { $last->{"quarter $_"} } qw(2013-05-02 2014-05-02 2016-03-31 2017-04-01)], ['Q1 FY2013', 'Q1 FY2014', 'Q1 FY2016', 'Q1 FY2017'], '... with their quarters');

# --- what is no fiscal year -----------------------------------------------------------------------------------------------------

# A quarterly report with the last twelve months that says FY, and an annual report with a year that has not ended.
@filed = map { year_of("$_-01-01", "$_-12-31", $_, ($_) x 3) } 2014 .. 2015;
report('10-Q', '2016-04-30', 2016, 'FY', ['2015-04-01', '2016-03-31'], ['2016-01-01', '2016-03-31']);
$symbol = load('Twelve Months Inc.');
same_json({map { ($_ => labels($symbol, 'revenue', '2016-05-01')->{$_}) } 'annual 2015-12-31', 'annual 2016-03-31', 'quarter 2016-03-31'}, {'annual 2015-12-31' => 'FY2015', 'annual 2016-03-31' => 'none', 'quarter 2016-03-31' => 'Q1 FY2016'},
    'twelve months of a quarterly report are no fiscal year, whatever it says');
year_of('2014-01-01', '2014-12-31', 2014, (2014) x 3);
report('10-Q', '2015-05-01', 2015, 'Q1', ['2015-01-01', '2015-03-31']);
report('10-K', '2016-02-20', 2015, 'FY', ['2015-01-01', '2015-12-31'], ['2016-04-01', '2017-03-31']);
$symbol = load('Yet To Come Inc.');
same_json({map { ($_ => labels($symbol, 'revenue')->{$_}) } 'annual 2015-12-31', 'quarter 2015-03-31'}, {'annual 2015-12-31' => 'FY2015', 'quarter 2015-03-31' => 'Q1 FY2015'}, 'a year that has not ended is none that is told');

# --- key figures and parts of a company -------------------------------------------------------------------------------------------

# Sources that do not say of which fiscal period a number is: it is of that of the company's other numbers. A source's own word stands.
sub observation
{
    my ($metric, $kind, $start, $end, $value, %more) = @_;
    return $json->encode({dataset => 'kpi_observation', cik => $cik, known_at => '2025-05-02T12:00:00Z', metric_key => $metric, end_date => $end, defined $start ? (start_date => $start) : (), value => $value, source_type => '10-Q',
        issuer_label => 'Devices', as_described => 'Devices', unit => 'USD', basis => defined $start ? 'duration' : 'instant', provenance => {source_provider => 'issuer_page', extracted_at => '2025-05-02T12:00:00Z'}, %more}) . "\n";
}
year_of('2023-10-01', '2024-09-28', 2024, (2024) x 3);
report('10-Q', '2025-05-01', 2025, 'Q2', ['2024-12-29', '2025-03-29']);
my @observed = (observation('devices', 'instant', undef, '2025-03-29', 5), observation('devices', 'instant', undef, '2024-09-28', 4), observation('sold', 'quarter', '2024-12-29', '2025-03-29', 7), observation('sold', 'half', '2024-09-29', '2025-03-29', 9),
    observation('sold', 'annual', '2023-10-01', '2024-09-28', 20), observation('told', 'quarter', '2024-12-29', '2025-03-29', 7, fiscal => 'Q2 FY2026'), observation('far', 'quarter', '2025-04-01', '2025-06-30', 1),
    observation('revenue', 'quarter', '2024-12-29', '2025-03-29', 70, dimension => 'segment', member => 'North', canonical_key => 'revenue'));
my $owner = $cik;
$symbol = load('Own Figures Inc.');
import_of('key figures', 'ndjson', $site->write('observed.ndjson', join '', map { s/"cik":\d+/"cik":$owner/r } @observed));
sub called { my ($rows) = @_; return [map { join ' ', $_->{period}{kind}, $_->{period}{end_date}, $_->{period}{fiscal} // 'none' } @$rows] }
my $of = "/v1/companies/$symbol";
same_json(called(json_of($site->get("$of/kpis/devices"), 'balances')->{points}), ['instant 2024-09-28 Q4 FY2024', 'instant 2025-03-29 Q2 FY2025'], 'balances');
same_json([sort { $a cmp $b } called(json_of($site->get("$of/kpis/sold"), 'periods')->{points})->@*], ['annual 2024-09-28 FY2024', 'half 2025-03-29 none', 'quarter 2025-03-29 Q2 FY2025'], 'a year and a quarter; half a year has no name');
same_json([sort { $a cmp $b } called(json_of($site->get("$of/kpis/sold/observations"))->{data})->@*], ['annual 2024-09-28 FY2024', 'half 2025-03-29 none', 'quarter 2025-03-29 Q2 FY2025'], '... and observations');
same_json(called(json_of($site->get("$of/kpis/told"), 'a source that tells')->{points}), ['quarter 2025-03-29 Q2 FY2026'], 'what a source tells');
same_json(called(json_of($site->get("$of/kpis/far"), 'a period without other numbers')->{points}), ['quarter 2025-06-30 none'], '... and a period of which nothing else is known');
same_json(called(json_of($site->get("$of/segments"), 'segments')->{data}), ['quarter 2025-03-29 Q2 FY2025'], 'segments');
same_json(called(json_of($site->get("/api/disclosed/v1/canonical/$symbol?canonical=revenue&only_axis=segment"), 'parts')->{facts}), ['quarter 2025-03-29 Q2 FY2025'], '... on the earlier surface');
my %spans = map { ($_->{metric_key} => "$_->{first_period} $_->{last_period}") } json_of($site->get("$of/kpis?limit=500"), 'metrics')->{data}->@*;
same_json([@spans{qw(devices far sold told)}], ['FY2024-Q4 FY2025-Q2', 'FY2025-Q2 FY2025-Q2', 'FY2024-Q4 FY2025-Q2', 'FY2026-Q2 FY2026-Q2'], 'the first and last quarter of each metric');

# --- real companies --------------------------------------------------------------------------------------------------------------

SKIP: {
    my $folder = shared_data('edgar-companyfacts') // skip('no real files: ../shared is absent', 1);
    my @files = glob "$folder/CIK*.json.gz";
    import_of('real files', 'sec-companyfacts', @files);
    my (%stated, %instants, @wrong, $asked);
    for my $file (@files) {
        gunzip($file => \my $text) or die $file;
        my $company = Disclosed::JSON->new->utf8->decode($text);
        my %filing;
        for my $fact (map { map { map { @$_ } values $_->{units}->%* } values %$_ } values $company->{facts}->%*) {
            next if !defined $fact->{start} || ($fact->{fp} // '') ne 'FY' || $fact->{form} !~ /^(?:10-K|20-F)$/;
            $filing{ $fact->{accn} }{year} = [@$fact{qw(filed fy)}];
            $filing{ $fact->{accn} }{ends}{ $fact->{end} }++;
        }
        my $of = $company->{cik} + 0;
        for my $filing (values %filing) {
            my ($filed, $year) = $filing->{year}->@*;
            my ($end) = reverse sort grep { $filing->{ends}{$_} > 30 && $_ lt $filed } keys $filing->{ends}->%*;
            $stated{$of}{$end} = $year;
            $instants{$of}{$filed} = $end;
        }
        list_company($of, $company->{entityName});
    }
    import_of('... listed', 'ndjson', $site->write('listings.ndjson', join "\n", splice(@listed), ''));
    for my $of (sort { $a <=> $b } keys %stated) {
        my $present = labels("Y$of", 'net_income');
        my @ends = sort keys $stated{$of}->%*;
        # Of two years that their reports call the same the older one gives way.
        my %own = map { ($_ => {"FY$stated{$of}{$_}" => 1, ($present->{"annual $_"} // 'none') => 1}) } @ends;
        for my $place (1 .. $#ends) {
            $own{ $ends[$place - 1] }{ 'FY' . ($stated{$of}{ $ends[$place] } - 1) } = 1 if $stated{$of}{ $ends[$place - 1] } == $stated{$of}{ $ends[$place] };
        }
        for my $filed (sort keys $instants{$of}->%*) {
            my $then = labels("Y$of", 'net_income', $filed);
            my %told = map { /^annual (.*)/ ? ($1 => $then->{$_}) : () } keys %$then;
            for my $end (grep { exists $told{$_} } @ends) {
                $asked++;
                push @wrong, "$of as of $filed: the year to $end is $told{$end}" if !$own{$end}{ $told{$end} };
            }
            my $newest = $instants{$of}{$filed};
            push @wrong, "$of as of $filed: the newest year is " . ($told{$newest} // 'none') . ", and its report says $stated{$of}{$newest}" if ($told{$newest} // '') ne "FY$stated{$of}{$newest}";
            my %twice; $twice{$_}++ for values %told;
            push @wrong, "$of as of $filed: two years are $_" for grep { $twice{$_} > 1 && $_ ne 'none' } sort keys %twice;
        }
    }
    cmp_ok($asked, '>', 400, "$asked fiscal years, each asked for as of many instants");
    same_json(\@wrong, [], '... are called what their reports call them, or what they are called now');
}
finish();

# Lines of a balance sheet that are not reported, from what its other lines leave: which are made, of what, since when, and what contradicts them.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();
use Math::BigFloat ();

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_nonref->allow_bignum;
my $all = 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest';
my ($cik, $number) = (7900, 0);

# A company of reports [filed, end, {element => amount}, unit], in companyfacts. Returns its symbol and the accession numbers.
sub company
{
    my (@reports) = @_;
    my (%tree, @accessions);
    $cik++;
    for my $report (@reports) {
        my ($filed, $end, $lines, $unit) = @$report;
        push @accessions, sprintf '%010d-%02d-%06d', $cik, substr($filed, 2, 2), ++$number;
        for my $element (keys %$lines) {
            push $tree{'us-gaap'}{$element}{units}{ $unit // 'USD' }->@*,
                {end => $end, val => $lines->{$element}, accn => $accessions[-1], form => '10-K', filed => $filed, fy => 0 + substr($end, 0, 4), fp => 'FY'};
        }
    }
    my $path = $site->write(sprintf('CIK%010d.json', $cik), $json->encode({cik => $cik, entityName => "Left $cik Inc.", facts => \%tree}));
    my ($code, $out, $err) = $site->control('import', 'sec-companyfacts', $path);
    is($code, 0, "company $cik is loaded") or diag $out, $err;
    my $listed = $json->encode({dataset => 'listing', cik => $cik, record_key => "L$cik:US", ticker => "L$cik", market => 'US', name => "Left $cik Inc.", status => 'active',
        known_at => '2000-01-01T00:00:00Z', provenance => {source_provider => 'exchange_site'}});
    ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('listing.ndjson', "$listed\n"));
    is($code, 0, '... and listed') or diag $out, $err;
    return "L$cik", @accessions;
}

my $asked = 'metrics=liabilities&metrics=total_equity&metrics=stockholders_equity';
sub rows { my ($symbol, $query) = @_; return $json->decode($site->get("/v1/companies/$symbol/fundamentals?limit=500&" . ($query // $asked))->body)->{data} }

# Lines as text: metric, day, amount, how it is derived.
sub told
{
    my ($symbol, $query) = @_;
    return [sort map { join ' ', $_->{canonical}, $_->{period}{end_date}, $_->{value}{raw}, $_->{derivation} // 'reported' } rows($symbol, $query)->@*];
}

sub balance { my (%lines) = @_; return {LiabilitiesAndStockholdersEquity => 1000, LiabilitiesCurrent => 250, %lines} }
my $day = '2023-12-31';
my $filed = '2024-02-01';

# [what, the balance sheet, what is served]
for my $case (
    ['equity without noncontrolling interests, and liabilities', balance(StockholdersEquity => 400), [qw(600:remainder 400:reported 400:remainder)]],
    ['liabilities beside total equity', balance(StockholdersEquity => 380, MinorityInterest => 20, $all => 400), [qw(600:remainder 380:reported 400:reported)]],
    ['total equity by its formula', balance(StockholdersEquity => 380, MinorityInterest => 20), [qw(600:remainder 380:reported 400:formula)]],
    ['owners\' equity', balance($all => 400, MinorityInterest => 20), [qw(600:remainder 380:remainder 400:reported)]],
    ['owners\' equity whose noncontrolling interests are not told', balance($all => 400), [qw(600:remainder - 400:reported)]],
    ['what may be redeemed', balance(StockholdersEquity => 400, TemporaryEquityCarryingAmountAttributableToParent => 50, RedeemableNoncontrollingInterestEquityCarryingAmount => 30),
        [qw(520:remainder 400:reported 400:remainder)]],
    ['... of which one element has all', balance(StockholdersEquity => 400, TemporaryEquityCarryingAmountIncludingPortionAttributableToNoncontrollingInterests => 80,
        RedeemableNoncontrollingInterestEquityCarryingAmount => 30), [qw(520:remainder 400:reported 400:remainder)]],
    ['... under an element that no metric has', balance(StockholdersEquity => 400, TemporaryEquityRedemptionValue => 80), [qw(- 400:reported 400:remainder)]],
    ['... of which there is none', balance(StockholdersEquity => 400, TemporaryEquityRedemptionValue => 0), [qw(600:remainder 400:reported 400:remainder)]],
    ['a deficit', balance(StockholdersEquity => -400), [qw(1400:remainder -400:reported -400:remainder)]],
    ['liabilities that are reported', balance(StockholdersEquity => 400, Liabilities => 600), [qw(600:reported 400:reported 400:remainder)]],
    ['... and leave more than equity', balance(StockholdersEquity => 400, Liabilities => 500), [qw(500:reported 400:reported -)]],
    ['... but for rounding', balance(StockholdersEquity => 400, Liabilities => 601), [qw(601:reported 400:reported 400:remainder)]],
    ['... but for what may be redeemed', balance(StockholdersEquity => 400, Liabilities => 500, TemporaryEquityCarryingAmount => 100), [qw(500:reported 400:reported 400:remainder)]],
    ['less than current liabilities', balance(StockholdersEquity => 900), [qw(- 900:reported 900:remainder)]],
    ['equity that is not that of its owners', balance(StockholdersEquity => 380, MinorityInterest => 60, $all => 400), [qw(- 380:reported 400:reported)]],
    ['no sum of the balance sheet', {StockholdersEquity => 400, LiabilitiesCurrent => 250}, [qw(- 400:reported 400:remainder)]],
    ['liabilities by their formula', balance(StockholdersEquity => 400, LiabilitiesNoncurrent => 350), [qw(600:formula 400:reported 400:remainder)]],
    ['... which the rest contradicts', balance(StockholdersEquity => 400, LiabilitiesNoncurrent => 100), [qw(600:remainder 400:reported 400:remainder)]],
    ['exact decimals', {LiabilitiesAndStockholdersEquity => Math::BigFloat->new('12345678901234567890.01'), StockholdersEquity => Math::BigFloat->new('0.02')},
        [qw(12345678901234567889.99:remainder 0.02:reported 0.02:remainder)]],
) {
    my ($what, $lines, $expected) = @$case;
    my ($symbol) = company([$filed, $day, $lines]);
    my @metrics = qw(liabilities stockholders_equity total_equity);
    same_json(told($symbol), [map { my ($value, $how) = split /:/, $expected->[$_]; defined $how ? "$metrics[$_] $day $value $how" : () } 0 .. 2], $what);
}

# Currencies and days don't mix.
my ($symbol) = company([$filed, $day, {StockholdersEquity => 400}], [$filed, $day, {LiabilitiesAndStockholdersEquity => 1000}, 'EUR'],
    [$filed, '2022-12-31', {LiabilitiesAndStockholdersEquity => 900}]);
same_json(told($symbol), ["stockholders_equity $day 400 reported", "total_equity $day 400 remainder"], 'lines of another currency, or day, leave nothing');

# Versions: what was known at each instant. What is reported later takes the place of what was left; a noncontrolling interest that is told later is part of equity.
($symbol, my @accessions) = company(['2024-02-01', $day, balance(StockholdersEquity => 400)],
    ['2024-05-01', $day, {StockholdersEquity => 390}],
    ['2024-08-01', $day, {MinorityInterest => 10}],
    ['2024-11-01', $day, {RedeemableNoncontrollingInterestEquityCarryingAmount => 5}],
    ['2025-02-01', $day, {Liabilities => 596}]);
for my $instant (['2024-03-01', [qw(600:remainder 400:reported 400:remainder)]], ['2024-06-01', [qw(610:remainder 390:reported 390:remainder)]],
    ['2024-09-01', [qw(600:remainder 390:reported 400:formula)]], ['2024-12-01', [qw(595:remainder 390:reported 400:formula)]],
    ['2025-03-01', [qw(596:reported 390:reported 400:formula)]], ['2023-12-31', []]) {
    my ($at, $expected) = @$instant;
    my @metrics = qw(liabilities stockholders_equity total_equity);
    same_json(told($symbol, "$asked&as_of=$at"), [map { my ($value, $how) = split /:/, $expected->[$_]; "$metrics[$_] $day $value $how" } 0 .. $#$expected], "as of $at");
}

# What it is made of, and whose filing it is.
($symbol, @accessions) = company(['2024-02-01', $day, balance(StockholdersEquity => 400)], ['2024-05-01', $day, {RedeemableNoncontrollingInterestEquityCarryingAmount => 5}]);
my %row = map { $_->{canonical} => $_ } rows($symbol, '')->@*;
my %src = map { $_ => $row{$_}{provenance}{src_id} } keys %row;
same_json($row{liabilities}{inputs}, [@src{qw(liabilities_and_equity total_equity redeemable_noncontrolling_interests)}], 'the terms of liabilities by src_id, those that are there');
same_json($row{total_equity}{inputs}, [$src{stockholders_equity}], '... and of equity');
is($row{liabilities}{provenance}{accession}, $accessions[1], 'the filing is the newest of them');
is($row{liabilities}{source_tier}, 'derived', 'its tier');
my %before = map { $_->{canonical} => $_ } rows($symbol, 'as_of=2024-03-01')->@*;
same_json($before{liabilities}{inputs}, [@src{qw(liabilities_and_equity total_equity)}], '... before what may be redeemed was known');
is($before{liabilities}{provenance}{accession}, $accessions[0], '... of the filing before');
for my $input ($row{liabilities}{inputs}->@*) {
    is($site->get("/v1/src/$input")->status, 200, "$input is found");
}
my $calculation = $json->decode($site->get("/api/disclosed/v1/canonical/$symbol/liabilities/calc?period_end=$day")->body);
is($calculation->{sum} . ' ' . $calculation->{difference} . ' ' . $calculation->{link_role}, '595 0 formula', 'the earlier surface adds it up');
same_json([map { "$_->{name} $_->{weight} $_->{value} $_->{src_id}" } $calculation->{children}->@*],
    ["liabilities_and_equity 1 1000 $src{liabilities_and_equity}", "total_equity -1 400 $src{total_equity}",
    "redeemable_noncontrolling_interests -1 5 $src{redeemable_noncontrolling_interests}"], '... of its terms');
same_json([map { $_->{as_described} } $json->decode($site->get("/v1/companies/$symbol/kpis/liabilities/observations")->body)->{data}->@*],
    ['what other lines of the balance sheet leave'], 'the series says how it is made');

# A load that changes nothing moves nothing; one that ends a line ends what it left.
my $stored = 'SELECT json_agg(v ORDER BY v.metric_id, v.known_at) FROM metric_value v JOIN issuer i USING (issuer_id) WHERE i.cik = ' . $cik;
my $numbers = $site->value($stored);
is($site->value("SELECT count(*) FROM derive_fundamentals(ARRAY(SELECT issuer_id FROM issuer))"), 0, 'derived again, nothing is another');
is($site->value($stored), $numbers, '... nor has moved');

done_testing;

# Return on equity and return on assets: net income of twelve months by the average of the balances at both ends, in versions, in every order of loading; why
# there is none; and what real companies' facts make of them.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();
use IO::Uncompress::Gunzip qw(gunzip);
use List::Util qw(shuffle);
use Math::BigFloat ();
use POSIX qw(strftime);
use Time::Local qw(timegm_modern);

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_nonref->allow_bignum;
my ($cik, $number) = (7500, 0);

# A report [form, filed, [element, first day, last day, value, unit], ...]; balances have no first day. Returns it with an accession number.
sub report { my ($form, $filed, @facts) = @_; return { form => $form, filed => $filed, facts => \@facts, number => ++$number } }
sub accession { my ($report) = @_; return sprintf '%010d-%02d-%06d', $cik, substr($report->{filed}, 2, 2), $report->{number} }

# Loads reports of the company as one file of companyfacts.
sub load
{
    my (@reports) = @_;
    my %tree;
    for my $report (@reports) {
        my ($accession, $last) = (accession($report), (sort map { $_->[2] } $report->{facts}->@*)[-1]);
        my $period = $report->{form} =~ /^10-K/ ? 'FY' : 'Q1';
        push $tree{'us-gaap'}{ $_->[0] }{units}{ $_->[4] // 'USD' }->@*,
            { defined $_->[1] ? (start => $_->[1]) : (), end => $_->[2], val => $_->[3], accn => $accession, form => $report->{form}, filed => $report->{filed}, fy => 0 + substr($last, 0, 4), fp => $period }
            for $report->{facts}->@*;
    }
    my $path = $site->write(sprintf('CIK%010d.json', $cik), $json->encode({ cik => $cik, entityName => "Returning $cik Inc.", facts => \%tree }));
    my ($code, $out, $err) = $site->control('import', 'sec-companyfacts', $path);
    is($code, 0, scalar(@reports) . " reports of $cik are loaded") or diag $out, $err;
    return $out;
}

sub list_company
{
    my ($of) = @_;
    my $listed = $json->encode({ dataset => 'listing', cik => $of, record_key => "R$of:US", ticker => "R$of", market => 'US', name => "Returning $of Inc.", status => 'active',
        known_at => '2000-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } });
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('listing.ndjson', "$listed\n"));
    is($code, 0, '... and listed') or diag $out, $err;
    return "R$of";
}

sub company { my (@reports) = @_; $cik++; load(@reports); return list_company($cik) }

sub get { my ($path) = @_; return $json->decode($site->get($path)->body) }
my $returns = 'metrics=return_on_equity&metrics=return_on_assets&limit=500';
sub rows { my ($symbol, $query) = @_; return get("/v1/companies/$symbol/fundamentals?" . ($query // $returns))->{data} }

# Returns as text: equity or assets, kind, last day, value.
sub told
{
    my ($symbol, $as_of) = @_;
    return [sort map { join ' ', $_->{canonical} =~ s/^return_on_//r, $_->{period}{kind}, $_->{period}{end_date}, $_->{value}{raw}, $_->{restated} ? 'restated' : () }
        rows($symbol, $returns . (defined $as_of ? "&as_of=$as_of" : ''))->@*];
}

my $net = 'NetIncomeLoss';
my $own = 'StockholdersEquity';
sub balance { my ($day, $equity, $assets, @unit) = @_; return ([$own, undef, $day, $equity, @unit], defined $assets ? ['Assets', undef, $day, $assets, @unit] : ()) }

# --- fiscal years of 52 and 53 weeks that end in September; a balance is restated -----------------

my @reports = (
    report('10-K', '2021-10-29', [$net, '2020-09-27', '2021-09-25', 100], balance('2021-09-25', 400, 1000)),
    report('10-Q', '2022-01-28', [$net, '2021-09-26', '2021-12-25', 30], balance('2021-12-25', 430, 1100)),
    report('10-Q', '2022-04-29', [$net, '2021-12-26', '2022-03-26', 28], balance('2022-03-26', 440, 1150)),
    report('10-Q', '2022-07-29', [$net, '2022-03-27', '2022-06-25', 27], balance('2022-06-25', 460, 1200), [$net, '2021-09-26', '2022-06-25', 85]),
    report('10-K', '2022-10-28', [$net, '2021-09-26', '2022-09-24', 120], balance('2022-09-24', 500, 1400), balance('2021-09-25', 400, 1000)),
    report('10-Q', '2023-02-03', [$net, '2022-09-25', '2022-12-24', 40], balance('2022-12-24', 520, 1500)),
    report('10-K', '2023-11-03', [$net, '2022-09-25', '2023-09-30', 150], balance('2023-09-30', 700, 1600), balance('2022-09-24', 480, 1400)),
);
# 130 of four quarters, of which the third is the rest of the year, by 475; a year without an opening balance has none.
my $first = ['assets annual 2022-09-24 0.1', 'equity annual 2022-09-24 0.2667'];
my $twelve = ['assets annual 2022-09-24 0.1', 'assets ttm 2022-12-24 0.1', 'equity annual 2022-09-24 0.2667', 'equity ttm 2022-12-24 0.2737'];
my $last = ['assets annual 2022-09-24 0.1', 'assets annual 2023-09-30 0.1', 'assets ttm 2022-12-24 0.1', 'equity annual 2022-09-24 0.2727 restated', 'equity annual 2023-09-30 0.2542',
    'equity ttm 2022-12-24 0.2737'];
my @known = (['2021-10-28', []], ['2021-10-31', []], ['2022-10-27', []], ['2022-10-30', $first], ['2023-02-02', $first], ['2023-02-05', $twelve], ['2023-11-02', $twelve], ['2023-11-05', $last], [undef, $last]);
my $at = sub { my ($as_of) = @_; return defined $as_of ? "as of $as_of" : 'now' };

my $weeks = company(@reports);
same_json(told($weeks, $_->[0]), $_->[1], 'years of weeks ' . $at->($_->[0])) for @known;
is((grep { $_->{period}{kind} !~ /^(?:annual|ttm)$/ } rows($weeks)->@*), 0, 'none is of a quarter');

# What it is made of, and whose filing it is: the newest of the three.
my ($row) = grep { "$_->{canonical} $_->{period}{end_date}" eq 'return_on_equity 2023-09-30' } rows($weeks)->@*;
my %src = map { ("$_->{canonical} $_->{period}{kind} $_->{period}{end_date}" => $_->{provenance}{src_id}) } rows($weeks, 'limit=500')->@*;
my @terms = @src{'net_income annual 2023-09-30', 'stockholders_equity instant 2022-09-24', 'stockholders_equity instant 2023-09-30'};
same_json($row->{inputs}, \@terms, 'its inputs: the amount, the balance before, the balance at the end');
same_json([@$row{qw(derivation source_tier concept)}, $row->{value}{unit}, $row->{period}{fiscal}, $row->{period}{start_date}], ['formula', 'derived', undef, 'pure', 'FY2023', '2022-09-25'], '... by a formula, of a fiscal year');
is($row->{provenance}{accession}, accession($reports[6]), '... of the newest filing');
is($site->get("/v1/src/$_")->status, 200, "$_ is found") for @terms, $row->{provenance}{src_id};
my ($before) = grep { "$_->{canonical} $_->{period}{end_date}" eq 'return_on_equity 2022-09-24' } rows($weeks, "$returns&as_of=2023-01-01")->@*;
is($before->{provenance}{accession}, accession($reports[4]), 'as it was before the balance was restated');
($row) = grep { "$_->{canonical} $_->{period}{end_date}" eq 'return_on_equity 2022-09-24' } rows($weeks)->@*;
is($row->{provenance}{accession}, accession($reports[6]), '... and since');
($row) = grep { "$_->{canonical} $_->{period}{end_date}" eq 'return_on_assets 2022-12-24' } rows($weeks)->@*;
same_json($row->{inputs}, [@src{'net_income ttm 2022-12-24', 'assets instant 2021-12-25', 'assets instant 2022-12-24'}], 'twelve months');
my ($sum) = grep { "$_->{period}{kind} $_->{period}{end_date}" eq 'ttm 2022-12-24' } rows($weeks, 'metrics=net_income&limit=500')->@*;
same_json($sum->{inputs}, [map { $src{"net_income quarter $_"} } qw(2022-12-24 2022-09-24 2022-06-25 2022-03-26)], '... are four quarters, the latest first');
same_json([map { $_->{inputs} } grep { $_->{canonical} eq 'net_income' && $_->{period}{kind} eq 'ttm' } get("/api/disclosed/v1/canonical/$weeks?canonical=net_income&tier=all&period_end=2022-12-24")->{facts}->@*], [$sum->{inputs}],
    '... also on the earlier surface');

my $calculation = get("/api/disclosed/v1/canonical/$weeks/return_on_equity/calc?period_end=2023-09-30");
same_json(["$calculation->{value}", @$calculation{qw(sum difference link_role)}], ['0.2542', undef, undef, 'formula'], 'the earlier surface has the calculation');
same_json([map { "$_->{name} $_->{kind} $_->{value} $_->{src_id}" } $calculation->{children}->@*],
    ["net_income average_ratio 150 $terms[0]", "stockholders_equity average_ratio 480 $terms[1]", "stockholders_equity average_ratio 700 $terms[2]"], '... of its terms');
$calculation = get("/api/disclosed/v1/canonical/$weeks/return_on_equity/calc?period_end=2022-09-24&as_of=2023-01-01");
same_json([map { "$_->{value}" } $calculation, $calculation->{children}->@*], [qw(0.2667 120 400 500)], '... as it was');

# The dictionary.
for my $case ([qw(return_on_equity stockholders_equity roe)], [qw(return_on_assets assets roa)]) {
    my ($key, $balance, $alias) = @$case;
    my $metric = get("/v1/metrics/$key");
    same_json([@$metric{qw(unit basis category formula concepts higher_is_better decimal_places)}], ['ratio', 'duration', 'ratio', "net_income / average($balance)", [], JSON::PP::true, 4], "$key in the dictionary");
    is(get("/v1/metrics?q=$alias&limit=1")->{data}[0]{canonical_key}, $key, "... also as $alias");
    cmp_ok(scalar get("/v1/metrics/$key/values")->{data}->@*, '>=', 3, '... and its values');
    cmp_ok(scalar get("/v1/companies/$weeks/kpis/$key")->{points}->@*, '==', 2, '... a series of years');
}
my $asked = $json->decode($site->post('/v1/ask', $json->encode({ question => "What was the ROE of Returning $cik in fiscal 2023?" }))->body);
like($asked->{answer_md}, qr/25\.4[0-9]? ?%/, 'a question is answered as a percentage') or diag $json->encode($asked);

# --- the order of loading ----------------------------------------------------------------------------

srand 75;
for my $case (['by filing date', @reports], ['the newest first', reverse @reports], (map { ["shuffled, $_", shuffle @reports] } 1 .. 3), ['each twice', map { ($_, $_) } shuffle @reports]) {
    my ($name, @order) = @$case;
    $cik++;
    load($_) for @order;
    my $symbol = list_company($cik);
    same_json([map { told($symbol, $_->[0]) } @known], [map { $_->[1] } @known], "loaded one by one, $name: the same at each instant");
}
my $state = sub { return $site->value("SELECT json_agg(v ORDER BY v.metric_id, v.end_date, v.kind, v.known_at) FROM metric_value v JOIN issuer i USING (issuer_id) WHERE i.cik = $cik") };
my $stored = $state->();
load($_) for @reports;
ok($state->() eq $stored, 'loaded once more, nothing has moved');
is($site->value('SELECT count(*) FROM derive_fundamentals(ARRAY(SELECT issuer_id FROM issuer))'), 0, 'derived again, nothing is another');

# An input that is corrected takes its returns with it, in the same load.
load(report('10-K/A', '2023-12-01', [$net, '2022-09-25', '2023-09-30', 295]));
same_json([grep { / 2023-09-30/ } told("R$cik")->@*], ['assets annual 2023-09-30 0.1967 restated', 'equity annual 2023-09-30 0.5 restated'], 'an amended amount');
same_json(told("R$cik", '2023-11-30'), $last, '... and before it');

# --- losses, deficits, and what is missing ----------------------------------------------------------

sub year { my ($year, $amount, @balance) = @_; return report('10-K', $year + 1 . '-02-20', [$net, "$year-01-01", "$year-12-31", $amount], balance("$year-12-31", @balance)) }
# [what, what is told, reasons of equity and of assets, reports]
my $no_balances = 'has no year or twelve months in one currency for which the balances at the beginning and at the end are known.';
my $not_positive = 'has no year or twelve months for which the average is positive.';
for my $case (
    ['a loss', ['assets annual 2021-12-31 -0.4', 'equity annual 2021-12-31 -1'], undef, undef, year(2020, 5, 150, 300), year(2021, -100, 50, 200)],
    ['a deficit at the beginning, and equity on average', ['equity annual 2021-12-31 -0.4'], undef, 'lacks assets.', year(2020, 5, -50), year(2021, -20, 150)],
    ['a deficit on average', ['assets annual 2021-12-31 -0.4'], $not_positive, undef, year(2020, 5, 30, 300), year(2021, -100, -50, 200)],
    ['an average of zero', [], $not_positive, $not_positive, year(2020, 5, 50, 0), year(2021, 5, -50, 0)],
    ['no balance at the beginning', [], $no_balances, $no_balances, year(2021, 10, 100, 200)],
    ['a balance of another day', [], $no_balances, 'lacks assets.', report('10-K', '2021-02-20', balance('2020-12-30', 100)), year(2021, 10, 100)],
    ['no amount', [], 'lacks net_income.', 'lacks net_income.', report('10-K', '2022-02-20', balance('2020-12-31', 100, 200), balance('2021-12-31', 110, 210))],
    ['balances of another currency', [], $no_balances, $no_balances, year(2020, 5, 100, 200, 'EUR'), year(2021, 10, 100, 200, 'EUR')],
    ['two currencies, of which the filing in euros has more numbers', ['assets annual 2021-12-31 0.4211', 'equity annual 2021-12-31 0.8889'], undef, undef, year(2020, 5, 100, 200), year(2021, 10, 100, 200),
        report('10-K', '2022-02-20', [$net, '2021-01-01', '2021-12-31', 80, 'EUR'], balance('2020-12-31', 90, 190, 'EUR'), balance('2021-12-31', 90, 190, 'EUR'))],
    ['net income by its formula, and equity that others leave', ['equity annual 2021-12-31 0.1'], undef, 'lacks assets.',
        report('10-K', '2022-02-20', ['ProfitLoss', '2021-01-01', '2021-12-31', 12], ['NetIncomeLossAttributableToNoncontrollingInterest', '2021-01-01', '2021-12-31', 2],
            map { (["${own}IncludingPortionAttributableToNoncontrollingInterest", undef, $_, 120], ['MinorityInterest', undef, $_, 20]) } '2020-12-31', '2021-12-31')],
    ['half a year', [], 'lacks net_income.', 'lacks net_income.', report('10-KT', '2021-08-20', [$net, '2021-01-01', '2021-06-30', 10], balance('2020-12-31', 100, 200), balance('2021-06-30', 100, 200))],
) {
    my ($what, $expected, $equity_reason, $assets_reason, @filed) = @$case;
    my $symbol = company(@filed);
    same_json(told($symbol), $expected, $what);
    my %reason = map { $_->{canonical_name} => $_->{missing_reason} } map { $_->{kpis}->@* } get("/api/disclosed/v1/coverage/$symbol")->{templates}->@*;
    for my $one ([equity => stockholders_equity => $equity_reason], [assets => assets => $assets_reason]) {
        my ($name, $balance, $reason) = @$one;
        is($reason{"return_on_$name"}, defined $reason ? "None of its elements is reported for a quarter or a year, and its formula, net_income / average($balance), $reason" : undef, "... the reason for $name");
    }
}

# --- real companies ----------------------------------------------------------------------------------

# What a file's facts say, filed before a day: the last of each period in US dollars.
sub facts_of
{
    my ($facts, $element, $until) = @_;
    my %last;
    for my $fact (sort { $a->{filed} cmp $b->{filed} || $a->{accn} cmp $b->{accn} } grep { $_->{filed} lt $until && $_->{form} !~ /14/ } $facts->{'us-gaap'}{$element}{units}{USD}->@*) {
        my $one = \$last{ join ' ', $fact->{start} // (), $fact->{end} };
        # Millions that repeat an exact value restate nothing.
        $$one = $fact->{val} unless defined $$one && $fact->{val} % 1e6 == 0 && $$one % 1e6 != 0 && abs($fact->{val} - $$one) < 1e6;
    }
    return \%last;
}

sub day_number { my ($day) = @_; my ($y, $m, $d) = split /-/, $day; return timegm_modern(0, 0, 0, $d, $m - 1, $y) / 86400 }
sub days { my ($first, $last) = @_; return day_number($last) - day_number($first) }
sub day_after { my ($day, $days) = @_; return strftime('%Y-%m-%d', gmtime((day_number($day) + $days) * 86400)) }

# The amount of a quarter that ends on a day, with its first day: as filed, or the year less its nine months.
sub quarter_of
{
    my ($amounts, $end) = @_;
    my ($filed) = grep { days(split / /) < 120 } grep { / $end$/ } keys %$amounts;
    return ($amounts->{$filed}, (split / /, $filed)[0]) if defined $filed;
    my ($begin) = map { (split / /)[0] } grep { days(split / /) > 340 } grep { / $end$/ } keys %$amounts or return;
    my ($before) = map { (split / /)[1] } grep { my $length = days(split / /); $length > 250 && $length < 300 } grep { /^$begin / } keys %$amounts or return;
    return ($amounts->{"$begin $end"} - $amounts->{"$begin $before"}, day_after($before, 1));
}

# The amount of twelve months: as filed, or the sum of four quarters.
sub amount_of
{
    my ($amounts, $start, $end) = @_;
    return $amounts->{"$start $end"} if defined $amounts->{"$start $end"};
    my ($sum, $day) = (0, $end);
    for (1 .. 4) {
        my ($amount, $begin) = quarter_of($amounts, $day) or return;
        return if !defined $amount;
        $sum += $amount;
        $day = day_after($begin, -1);
    }
    return $day eq day_after($start, -1) ? $sum : undef;
}

# Of each derived number in force on a day: the numbers that are stored of its terms, or of its quarters.
sub inputs_by_lookup
{
    my ($of, $day) = @_;
    return { map { ($_->{src_id} => $_->{inputs}) } $site->rows("
        SELECT replace(t.src_digest::text, '-', '') AS src_id, string_agg(replace(n.src_digest::text, '-', ''), ' ' ORDER BY e.place) AS inputs
        FROM issuer i JOIN metric_value t USING (issuer_id) JOIN canonical_metric m USING (metric_id)
        CROSS JOIN LATERAL (
            SELECT f.term, CASE f.balance WHEN 'opening' THEN t.start_date - 1 ELSE t.end_date END AS day, CASE WHEN f.balance IS NULL THEN t.kind ELSE 1 END AS kind, f.place
            FROM unnest(m.terms, m.term_balances) WITH ORDINALITY AS f(term, balance, place) WHERE t.rule = 3
            UNION ALL SELECT t.metric_id, q.day, 2, q.place FROM unnest(quarter_ends(t.end_date, t.earlier_quarters)) WITH ORDINALITY AS q(day, place) WHERE t.rule = 2) e
        LEFT JOIN LATERAL (SELECT DISTINCT n.src_digest FROM metric_value n
                           WHERE (n.issuer_id, n.metric_id, n.end_date, n.kind, n.unit) = (t.issuer_id, e.term, e.day, e.kind, t.unit)) n ON true
        WHERE i.cik = $of AND t.known_at <= '$day' AND (t.superseded_at IS NULL OR t.superseded_at > '$day') GROUP BY 1") };
}

sub inputs_served
{
    my ($symbol, $day) = @_;
    my (%inputs, $cursor);
    do {
        my $page = get("/v1/companies/$symbol/fundamentals?limit=500&as_of=$day" . ($cursor ? "&cursor=$cursor" : q()));
        $inputs{ $_->{provenance}{src_id} =~ s/^src_fundamental_//r } = join ' ', map { s/^src_fundamental_//r } $_->{inputs}->@*
            for grep { $_->{derivation} && $_->{derivation} =~ /^(?:formula|four_quarters)$/ } $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor};
    } while $cursor;
    return \%inputs;
}

SKIP: {
    my $folder = shared_data('edgar-companyfacts') // skip('no real files: ../shared is absent', 1);
    for my $company (['0000320193', 'Apple'], ['0001045810', 'NVIDIA']) {
        my ($real, $name) = @$company;
        my ($code, $out, $err) = $site->control('import', 'sec-companyfacts', "$folder/CIK$real.json.gz");
        is($code, 0, "$name is loaded") or diag $out, $err;
        my $symbol = list_company(0 + $real);
        for my $day ('2015-06-30', '2026-06-30') {
            my ($stored, $served) = (inputs_by_lookup(0 + $real, $day), inputs_served($symbol, $day));
            cmp_ok(scalar(keys %$stored), '>', 500, "$name on $day: " . scalar(keys %$stored) . ' numbers are computed from others');
            is_deeply($served, $stored, '... and each names the stored ones');
        }
        gunzip("$folder/CIK$real.json.gz" => \my $text) or die "$folder/CIK$real.json.gz";
        my $facts = Disclosed::JSON->new->utf8->decode($text)->{facts};
        for my $until ('2013-01-15', '2018-01-15', '2099-01-01') {
            my %of = map { $_ => facts_of($facts, $_, $until) } $net, $own, 'Assets';
            my (@made, %kinds);
            my @stored = $site->rows("SELECT f.metric_key, f.period_kind, f.start_date, f.end_date, f.start_date - 1 AS opening, f.value FROM fundamental f JOIN issuer i USING (issuer_id)
                WHERE i.cik = $real AND f.metric_key LIKE 'return_on_%' AND f.known_at <= '$until' AND (f.superseded_at IS NULL OR f.superseded_at > '$until') ORDER BY 1, 2, 4");
            for my $one (@stored) {
                my $balances = $of{ $one->{metric_key} =~ /equity/ ? $own : 'Assets' };
                my $amount = amount_of($of{$net}, @$one{qw(start_date end_date)});
                my ($opening, $closing) = @$balances{ @$one{qw(opening end_date)} };
                my $value = defined $amount && defined $opening && defined $closing ? Math::BigFloat->new(2 * $amount)->bdiv($opening + $closing)->bfround(-4, 'common')->bstr : 'nothing';
                $kinds{ $one->{period_kind} }++;
                push @made, "$one->{metric_key} $one->{start_date} $one->{end_date}: $one->{value}, not $value" if $value eq 'nothing' || $value != $one->{value};
            }
            is_deeply(\@made, [], "$name as of $until: " . scalar(@stored) . ' returns are those of the facts');
            # Of each year with both balances there is one.
            my @years = grep { my ($start, $end) = split / /; my $opening = day_after($start, -1); days($start, $end) > 340 && defined $of{$own}{$opening} && defined $of{$own}{$end} } keys $of{$net}->%*;
            my %annual = map { ("$_->{start_date} $_->{end_date}" => 1) } grep { $_->{metric_key} eq 'return_on_equity' && $_->{period_kind} eq 'annual' } @stored;
            is_deeply([sort keys %annual], [sort @years], '... of ' . scalar(@years) . ' years');
            cmp_ok($kinds{ttm} // 0, '>', @years, "... and of $kinds{ttm} times twelve months");
        }
    }
}
done_testing;

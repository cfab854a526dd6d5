# Real files of short interest, dividends and splits, imported twice; what is served is what stands in
# them. Files of forms of which there is no real one here are made below, and say so.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice);

my $finra   = folder('finra-short-interest');
my $actions = folder('corporate-actions');
my $tickers = folder('edgar-tickers');
my $site    = site(template => 'empty');
my $json    = Disclosed::JSON->new->utf8->canonical;

sub slurp { my ($path) = @_; open my $file, '<:raw', $path or die "$path: $!"; local $/; return scalar <$file> }

sub import_file
{
    my ($source, $name, $text, @options) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @options, $site->write($name, $text));
    my $summary = eval { $json->decode($out) } // {};
    return wantarray ? ($summary, "$out$err", $code) : join ' ', map { $summary->{$_} // '?' } qw(read stored unchanged superseded rejected);
}

# --- short interest, before anything is listed -----------------------------------------------

my ($csv)  = glob "$finra/shrt*.csv";
my ($api)  = glob "$finra/api-*.json";
my @lines  = grep { length } split /\n/, slurp($csv);
my @header = split /\|/, shift @lines;
my @file   = map { my %row; @row{@header} = split /\|/, $_, -1; \%row } @lines;
my $reply  = $json->decode(slurp($api));
my $summary = import_twice($site, 'finra-short-interest', $finra);
is($summary->{read}, @file + @$reply, 'read: ' . (@file + @$reply) . ' rows, as many as the files have');
is($summary->{rejected}, 0, 'none is rejected');
is($site->value('SELECT count(*) FROM short_interest WHERE symbol IS NULL'), @file + @$reply, 'nothing is listed yet: all are kept without a symbol');
is($site->value('SELECT count(*) FROM issuer WHERE cik IS NOT NULL'), 0, '... under parties');

# --- dividends and splits --------------------------------------------------------------------

$summary = import_twice($site, 'corporate-actions', $actions);
my @dividends = map { /^(\w+),([\d-]+),([\d.]+)/ ? [$1, $2, $3] : () } split /\n/, slurp("$actions/dividends.csv");
my @splits    = map { /^(\w+),([\d-]+),([\d.]+)/ ? [$1, $2, $3] : () } split /\n/, slurp("$actions/splits.csv");
my $calendar  = $json->decode(slurp("$actions/nasdaq-calendar-dividends-2023-11-06.json"))->{data}{calendar}{rows};
my %daily; # of the files of prices, only days with an action are rows
for my $path ("$actions/quandl-wiki-prices-2014.csv", glob "$actions/daily-with-dividend-split/*.csv") {
    my ($head, @days) = split /\n/, slurp($path);
    my ($base) = $path =~ m{([^/]+)\.csv$};
    my %place; my @names = split /,/, $head; @place{@names} = 0 .. $#names;
    for (@days) {
        my @day = split /,/;
        my ($amount, $ratio) = (@day[$place{dividend} // $place{'ex-dividend'}, $place{split} // $place{split_ratio}]);
        push $daily{$base}->@*, [defined $place{ticker} ? $day[0] : $base, $day[$place{date}], $amount, $ratio] if $amount != 0 || $ratio != 1;
    }
}
my $rows = @dividends + @splits + @$calendar + map { @$_ } values %daily;
is($summary->{read}, $rows, "read: $rows rows with an action");
is($summary->{rejected}, 0, 'none is rejected');
like($site->value("SELECT message FROM import_run WHERE file LIKE '%quandl%' ORDER BY 1 LIMIT 1"), qr/^907 days of prices without a dividend or split/,
    'the other days are accounted for in the run');

# --- listings come, and the rows go to their companies ---------------------------------------

my ($code) = $site->control('import', 'sec-company-tickers', '--quiet', '--known-at', '2010-01-01', "$tickers/company_tickers.json");
is($code, 0, 'listings are imported');
my %listed = map { ($_->{ticker} => 1) } $site->rows("SELECT ticker FROM listing WHERE superseded_at IS NULL AND status = 'active'");
my @expected = grep { $listed{ $_->{symbolCode} } } @file;
is(join(' ', map { $_->{symbolCode} } grep { $_->{symbolCode} eq 'AAC' } @expected), 'AAC', 'AAC is listed: by Ares Acquisition Corp III');
is($site->value("SELECT party_key FROM short_interest JOIN issuer USING (issuer_id) WHERE symbol_code = 'AAC'"), 'symbol/AAC:US AA-C:US', '... and was the ticker of Ares Acquisition Corporation: its row is nobody\'s');
@expected = grep { $_->{symbolCode} ne 'AAC' } @expected;
cmp_ok(scalar @expected, '>=', 25, scalar(@expected) . ' symbols of the file are listed');
for my $row (@expected) {
    my $served = json_of($site->get("/v1/companies/$row->{symbolCode}:US/short-interest?as_of=2021-12-31"), $row->{symbolCode})->{data};
    my @members = qw(settlement_date current_short_position previous_short_position avg_daily_share_volume days_to_cover change_pct);
    same_json([map { { $_->%{@members} } } @$served], [{
        settlement_date => $row->{settlementDate}, current_short_position => $row->{currentShortPositionQuantity} + 0,
        previous_short_position => $row->{previousShortPositionQuantity} + 0, avg_daily_share_volume => $row->{averageDailyVolumeQuantity} + 0,
        days_to_cover => $row->{daysToCoverQuantity} == 999.99 ? undef : $row->{daysToCoverQuantity} + 0,
        change_pct => $row->{previousShortPositionQuantity} == 0 ? undef : $row->{changePercent} + 0 }], '... is served as it stands in the file');
}
for my $symbol (qw(AAPL BRK-B)) {
    my %one = map { ($_->{settlementDate} => $_) } grep { $_->{symbolCode} eq $symbol =~ s/-//r } @$reply;
    my $served = json_of($site->get("/v1/companies/$symbol/short-interest?limit=12"), $symbol)->{data};
    same_json([map { [@$_{qw(settlement_date current_short_position previous_short_position days_to_cover change_pct)}] } @$served],
        [map { [@{ $one{$_} }{qw(settlementDate currentShortPositionQuantity previousShortPositionQuantity daysToCoverQuantity changePercent)}] }
            reverse sort keys %one], "$symbol: the API's twelve settlement dates");
}
is_deeply(json_of($site->get('/v1/companies/BRK-A/short-interest'), 'BRK-A')->{data}, [], 'BRKB is BRK-B, not BRK-A');
is(scalar json_of($site->get('/v1/companies/AAPL/short-interest?as_of=2021-07-27'), 'before')->{data}->@*, 0, 'not known before the eighth business day after');
is(scalar json_of($site->get('/v1/companies/AAPL/short-interest?as_of=2021-07-28T04:00:00Z'), 'after')->{data}->@*, 1, '... is over');
is($site->value("SELECT count(*) FROM short_interest WHERE symbol IS NULL AND superseded_at IS NULL"),
    @file - $site->value("SELECT count(*) FROM short_interest WHERE symbol IS NOT NULL AND settlement_date = '2021-07-15'"), 'what is not listed stays where it is');
is(import_file('finra-short-interest', 'shrt20210715.csv', slurp($csv)), '75 0 75 0 0', 'once more, now under the companies: unchanged');

# --- dividends and splits as served ----------------------------------------------------------

sub served
{
    my ($symbol, $kind, $query) = @_;
    my ($all, $cursor) = ([], '');
    for (1 .. 9) {
        my $page = json_of($site->get("/v1/companies/$symbol/corporate-actions?kind=$kind&limit=500&" . ($query // '') . $cursor), "$symbol $kind");
        push @$all, $page->{data}->@*;
        return $all if !$page->{pagination}{has_more};
        $cursor = "&cursor=$page->{pagination}{next_cursor}";
    }
}

my %wiki = map { ("$_->[0] $_->[1]" => $_->[2]) } $daily{'quandl-wiki-prices-2014'}->@*;
my %by_symbol;
push $by_symbol{ $_->[0] }->@*, $_ for @dividends;
my $announced = { map { ("$_->{symbol} " . join '-', ($_->{dividend_Ex_Date} =~ m{(\d+)/(\d+)/(\d+)})[2, 0, 1]) => $_ } @$calendar };
for my $symbol (grep { $listed{$_} } sort keys %by_symbol) {
    my %day = map { ($_->{action_date} => $_) } served($symbol, 'dividend')->@*;
    my @wrong;
    for (grep { !$wiki{"$_->[0] $_->[1]"} && !$announced->{"$_->[0] $_->[1]"} } $by_symbol{$symbol}->@*) {
        my $one = $day{ $_->[1] }{dividend};
        push @wrong, $_->[1] if !$one || $one->{amount}{raw} != $_->[2] || $one->{ex_dividend_date} ne $_->[1]
            || grep { defined $one->{$_} } qw(record_date payment_date declaration_date annualized_amount);
    }
    is("@wrong", '', "$symbol: " . $by_symbol{$symbol}->@* . ' dividends as in the list, dates that it lacks null');
}
for my $row (grep { $listed{ $_->{symbol} } } @$calendar) {
    my ($one) = grep { $_->{action_date} eq '2023-11-06' } served($row->{symbol}, 'dividend')->@*;
    my $date = sub { my ($text) = @_; return $text =~ m{(\d+)/(\d+)/(\d+)} ? "$3-$1-$2" : undef };
    same_json([map { ref $_ ? $_->{raw} : $_ } @{ $one->{dividend} }{qw(ex_dividend_date record_date payment_date declaration_date amount annualized_amount currency)}],
        [(map { $date->($row->{$_}) } qw(dividend_Ex_Date record_Date payment_Date announcement_Date)), $row->{dividend_Rate} + 0, $row->{indicated_Annual_Dividend} + 0, 'USD'],
        "$row->{symbol}: as in the calendar");
}
is(scalar(grep { $_->{action_date} eq '2023-11-06' } served('INTC', 'dividend')->@*), 1, 'INTC: the list and the calendar meet in one record');
is(scalar(grep { $_->{action_date} eq '2023-11-06' } served('INTC', 'dividend', 'as_of=2023-11-05')->@*), 0, '... not known before it was announced');
is(scalar(grep { $_->{action_date} eq '2023-11-06' } served('INTC', 'dividend', 'as_of=2023-11-06T05:00:00Z')->@*), 1, '... but before the day');
my %apple = map { ($_->{action_date} => $_->{dividend}{amount}{raw}) } served('AAPL', 'dividend')->@*;
is($apple{ $_->[1] }, $_->[2] + 0, "AAPL $_->[1]: as declared, not as adjusted for splits since")
    for grep { $_->[0] eq 'AAPL' && $_->[2] > 0 } $daily{'quandl-wiki-prices-2014'}->@*;
my ($coke) = grep { $_->{action_date} eq '2012-06-13' } served('KO', 'dividend')->@*;
is($coke->{description}, 'Cash dividend of 0.255 USD a share, as its source has adjusted it for later splits',
    'KO: prices that do not jump at a split are adjusted, and dividends before it');

my %meant = ('1.3333333333333333' => '4:3', '0.8888888888888888' => '8:9', '1.13314447592068' => '400:353', '1.1424654404204273' => '10000:8753',
    '1.45' => '29:20', '1.05' => '21:20', '1.005' => '201:200', '3.207' => '3207:1000', '0.02' => '1:50', '1.5' => '3:2', '2.25' => '9:4');
my $exact = 0;
for my $split (grep { $listed{ $_->[0] } } @splits) {
    my ($one) = grep { $_->{action_date} eq $split->[1] } served($split->[0], 'split')->@*;
    my $ratio = "$one->{split}{numerator}:$one->{split}{denominator}";
    my $whole = $split->[2] =~ /^(\d+)\.0$/ ? "$1:1" : $meant{ $split->[2] };
    $exact++ if defined $whole;
    ok(defined $whole ? $ratio eq $whole : abs($one->{split}{numerator} / $one->{split}{denominator} - $split->[2]) < 1e-15,
        "$split->[0] $split->[1]: $split->[2] is $ratio, $one->{description}");
}
cmp_ok($exact, '>', 60, "$exact of them known exactly");
my %words = map { ($_->{action_date} => $_->{description}) } map { served($_, 'split')->@* } qw(AAPL TSM CELH);
is_deeply([@words{qw(2014-06-09 2005-06-13 2009-12-24)}], ['7-for-1 split', '21-for-20 stock dividend', '1-for-20 reverse split'], 'in words');
my $coverage = json_of($site->get('/v1/coverage'), 'coverage')->{datasets};
is($coverage->{short_interest}, $site->value('SELECT count(*) FROM short_interest WHERE superseded_at IS NULL'), 'coverage counts short interest');
is($coverage->{corporate_actions}, $site->value('SELECT count(*) FROM corporate_action WHERE superseded_at IS NULL'), '... and actions');
my $apple = json_of($site->get('/v1/coverage/AAPL'), 'coverage of AAPL')->{datasets};
same_json($apple->{short_interest}, { count => 13, latest => '2026-08-31' }, '... of one company');

# --- the order of files does not matter ------------------------------------------------------

sub state
{
    my ($of) = @_;
    return join "\n", map { join ' ', map { $_ // '-' } @$_{qw(record_key known_at amount amount_basis record_date split_to split_from symbol)} }
        $of->rows("SELECT * FROM corporate_action WHERE superseded_at IS NULL
            AND known_at < '2026-01-01' AND NOT EXISTS (SELECT 1 FROM corporate_action x WHERE x.record_key = corporate_action.record_key
                AND x.standing = corporate_action.standing AND x.amount <> corporate_action.amount) ORDER BY record_key");
}

my $other = site(template => 'empty');
$other->control('import', $_->[0], '--quiet', $_->[1]) for ['sec-company-tickers', "$tickers/company_tickers.json"],
    map { ['corporate-actions', $_] } "$actions/splits.csv", "$actions/quandl-wiki-prices-2014.csv",
    "$actions/nasdaq-calendar-dividends-2023-11-06.json", "$actions/dividends.csv", reverse glob "$actions/daily-with-dividend-split/*";
my @states = map { [split /\n/, state($_)] } $site, $other;
cmp_ok(scalar $states[0]->@*, '>', 1800, scalar($states[0]->@*) . ' actions');
is_deeply($states[1], $states[0], 'files in another order, listings first: the same');

# --- made: the names that FINRA's columns had before 2021, and other shapes -------------------

is(import_file('finra-short-interest', 'shrt20141114.csv', "Security Name|Security Symbol|OTC Market|Current Shares Short|Previous Report Shares Short|"
        . "Change in Shares Short from Previous Report|Percent Change from Previous Report|Average Daily Share Volume|Days to Cover\r\n"
        . "Apple Inc.|AAPL|u|7409|131879|-124470|-94.38|153|48.42\r\n"), '1 1 0 0 0', 'the columns of 2014, the date in the name');
is(import_file('finra-short-interest', 'short-interest.csv', "\xEF\xBB\xBFissueSymbolIdentifier,settlementDate,issueName,marketCategoryCode,currentShortShareNumber,"
        . "previousShortShareNumber,averageShortShareNumber\n\"AAPL\",06/14/2019,\"Apple, \"\"Inc.\"\"\",u,\"2,500,000\",2000000,800000\n"), '1 1 0 0 0', 'those of 2019, with commas, quotes and a mark');
my %old = map { ($_->{settlement_date} => $_) } json_of($site->get('/v1/companies/AAPL/short-interest?limit=500'), 'AAPL')->{data}->@*;
same_json([@{ $old{'2014-11-14'} }{qw(current_short_position previous_short_position avg_daily_share_volume days_to_cover change_pct)}], [7409, 131879, 153, 48.42, -94.38], '... of 2014');
same_json([@{ $old{'2019-06-14'} }{qw(current_short_position days_to_cover change_pct)}], [2500000, 3.13, 25], '... of 2019: what is not stated is computed');
is($site->value("SELECT issue_name FROM short_interest WHERE settlement_date = '2019-06-14'"), 'Apple, "Inc."', '... quotes are read');

# Made: a corrected file, and a position that the next cycle says was revised.
my $head = 'settlementDate|symbolCode|issueName|marketClassCode|currentShortPositionQuantity|previousShortPositionQuantity|stockSplitFlag|'
    . "averageDailyVolumeQuantity|daysToCoverQuantity|revisionFlag|changePercent\n";
import_file('finra-short-interest', 'shrt20230113.csv', $head . "2023-01-13|AAPL|Apple|NNM|1000|900||100|10.00||11.11\n");
is(import_file('finra-short-interest', 'shrt20230113.csv', $head . "2023-01-13|AAPL|Apple|NNM|1100|900||100|11.00||22.22\n", '--known-at', '2023-03-01'), '1 1 0 1 0', 'a corrected file supersedes');
my $position = sub {
    my ($date, $as_of) = @_;
    my ($hit) = grep { $_->{settlement_date} eq $date } json_of($site->get("/v1/companies/AAPL/short-interest?limit=500&as_of=$as_of"), "as of $as_of")->{data}->@*;
    return $hit && join ' ', map { $_ // '-' } @$hit{qw(current_short_position days_to_cover stock_split)};
};
is($position->('2023-01-13', '2023-02-01'), '1000 10 0', '... from the day that --known-at names');
is($position->('2023-01-13', '2023-03-03'), '1100 11 0', '... on');
is(import_file('finra-short-interest', 'shrt20230113.csv', $head . "2023-01-13|AAPL|Apple|NNM|1100|900||100|11.00||22.22\n", '--known-at', '2023-03-01'), '1 0 1 0 0', '... once');
is(import_file('finra-short-interest', 'shrt20230113.csv', $head . "2023-01-13|AAPL|Apple|NNM|1000|900||100|10.00||11.11\n", '--known-at', '2023-03-15'), '1 1 0 1 0', '... and the first file once more is in force again');
is($position->('2023-01-13', '2023-03-03'), '1100 11 0', '... from the day that --known-at names');
is($position->('2023-01-13', '2026-01-01'), '1000 10 0', '... on');
is(import_file('finra-short-interest', 'shrt20230131.csv', $head . "2023-01-31|AAPL|Apple|NNM|5000|1200||100|50.00|R|316.67\n"), '1 1 0 0 0', 'the next cycle, which was loaded later, revises it');
is($position->('2023-01-13', '2023-02-10'), '1000 10 0', '... not before it is published');
is($position->('2023-01-13', '2023-02-15'), '1200 12 0', '... then, with days to cover computed');
is($position->('2023-01-13', '2023-03-03'), '1100 11 0', '... until the correction of March');
import_file('finra-short-interest', 'shrt20230215.csv', $head . "2023-02-15|AAPL|Apple|NNM|10000|10000|S|100|100.00|R|0\n");
is($position->('2023-01-31', '2026-01-01'), '5000 50 0', 'after a split the position before is of other shares: no revision');
is($position->('2023-02-15', '2026-01-01'), '10000 100 1', '... and the split is told');

# Made: symbols that look like no value are symbols.
is(scalar import_file('finra-short-interest', 'shrt20230314.csv', $head . join '', map { "2023-03-14|$_|N/A|NNM|5|4||N/A|null||25.00\n" } qw(NA NAN NULL NONE)), '4 4 0 0 0', 'NA and NAN are tickers');
is($site->value("SELECT string_agg(symbol_code || ':' || coalesce(days_to_cover::text, '-'), ' ' ORDER BY symbol_code) FROM short_interest WHERE settlement_date = '2023-03-14'"),
    'NA:- NAN:- NONE:- NULL:-', '... and null elsewhere is no number');

# Made: faulty files.
my ($faulty, $text, $exit) = import_file('finra-short-interest', 'shrt20230228.csv', $head . "2023-02-28|AAPL|Apple|NNM||900||100|10.00||11.11\n2023-02-30|AAPL|Apple|NNM|1|1||1|1||1\n"
    . "2023-02-28||Apple|NNM|1|1||1|1||1\n2023-02-28|AAPL|Apple|NNM|many|1||1|1||1\n2023-02-28|AAPL|Apple|NNM|1|1||1|1||1|surplus\n2023-02-28|AAPL|Apple|NNM|-1|1||1|1||1\n2023-02-28|MSFT|M|NNM|1|1||1|1||0\n");
is(join(' ', @$faulty{qw(read stored rejected)}), '7 1 6', 'faulty rows are rejected, the good one is stored') or diag $text;
is_deeply([map { "$_->{place}: $_->{reason}" } $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run) ORDER BY place')],
    ['line 2: the current short position is missing', 'line 3: the settlement date is missing or is none', 'line 4: the symbol is missing',
        'line 5: current_short_position: not a decimal number', 'line 6: the row has 12 fields, the header 11',
        'line 7: current_short_position: not in the form that the dataset asks for'], '... each with its place and reason');
for my $case (['{"statusCode":404}', qr/no list of records/], ["a|b\n1|2\n", qr/no column symbolcode/], ['', qr/empty/], ["\xFF\xFEa", qr/UTF-16/],
    ['[{"symbolCode":"A"', qr/record 1: /], ["symbolCode,currentShort,market\n\"A,1,u\n", qr/line 2: a quoted field does not end/]) {
    my ($none, $why, $failed) = import_file('finra-short-interest', 'short_interest.json', $case->[0]);
    is($failed, 1, 'no such file');
    like($why, $case->[1], '... and why');
}

# A cut file, and rows that have lost a field: what is stored is what the whole file stores, or nothing.
my $cut = sub {
    my ($source, $name, $text) = @_;
    my ($of, $said) = import_file($source, $name, $text, '--known-at', '2023-04-10');
    return "$of->{read} " . ($of->{stored} + $of->{unchanged}) . " $of->{rejected}";
};
my $positions = sub { return $site->value("SELECT string_agg(symbol_code || ' ' || current_short_position, ', ' ORDER BY symbol_code) FROM short_interest WHERE settlement_date = '2023-03-31'") };
my ($full, @rest) = split /^/, "symbolCode|issueName|marketClassCode|previousShortPositionQuantity|averageDailyVolumeQuantity|daysToCoverQuantity|changePercent|changePreviousNumber|settlementDate|currentShortPositionQuantity\n"
    . "ZIOA|Zions|NNM|4186461|1200000|3.70|6.03|252542|2023-03-31|4439003\nZIOB|Zions|NNM|4186461|1200000|3.70|6.03|252542|2023-03-31|4439003\n";
my $whole = join '', $full, @rest;
is($cut->('finra-short-interest', 'shrt20230331.csv', substr $whole, 0, -$_), '2 1 1', "FINRA's file cut by $_: its last row is rejected") for 2 .. 7, 8, 9, 20, 60;
is($positions->(), 'ZIOA 4439003', '... only the whole row is stored');
is($cut->('finra-short-interest', 'shrt20230331.csv', $whole =~ s/252542\|2023-03-31\|4439003\n\z/252542|2023-03-31|44/r), '2 1 1', '44 of 4439003 is not what the change says');
is($cut->('finra-short-interest', 'shrt20230331.csv', $whole =~ s/ZIOB\|Zions\|NNM/ZIOC|Zions/r), '2 1 1', 'a row that has lost a field is rejected');
is($cut->('finra-short-interest', 'shrt20230331.csv', $whole =~ s/4439003\n\z/4439004\n/r), '2 1 1', 'a position that is not what the change says is rejected, line end or not');
is($positions->(), 'ZIOA 4439003', '... nothing of them');
is($cut->('finra-short-interest', 'shrt20230331.csv', substr $whole, 0, -1), '2 2 0', 'a last row without line end is taken where what FINRA computes of it shows it whole');
is($positions->(), 'ZIOA 4439003, ZIOB 4439003', '... with its position');
is($cut->('finra-short-interest', 'shrt20230331.csv', substr $head . "2023-03-31|ZIOD|Zions|NNM|1000|900||100|10.00||11.11\n", 0, -$_->[0]), $_->[1], "cut by $_->[0]") for [1, '1 1 0'], [2, '1 0 1'], [3, '1 0 1'];
my $dividends = "symbol,ex_date,amount\r\nKO,2016-05-05,0.35\r\nIBM,2016-05-06,1.40\r\n";
is($cut->('corporate-actions', 'cut.csv', substr $dividends, 0, -$_), '2 1 1', "dividends cut by $_: the last row is rejected") for 1 .. 9;
is($cut->('corporate-actions', 'cut.csv', $dividends =~ s/0\.35\r\n/0.35$_/r), '1 0 1', 'rows that run into each other are rejected') for "\rX", "X\n", ',', ' ';
is($cut->('corporate-actions', 'cut.csv', "symbol,amount,ex_date\nIBM,1.40,2016-05-06"), '1 1 0', 'a date at the end is whole');
is($cut->('corporate-actions', 'cut.csv', "symbol,ex_date,amount\nIBM,2016-05-06,\"1.40\""), '1 1 0', '... as is what is in quotes');
is($cut->('corporate-actions', 'cut.csv', "symbol,ex_date,amount,note\nIBM,2016-05-06,1.40,quar"), '1 1 0', '... and a column that is not taken may be cut');
is($site->value("SELECT string_agg(symbol_code || ' ' || amount, ', ' ORDER BY symbol_code) FROM corporate_action WHERE action_date IN ('2016-05-05', '2016-05-06') AND spellings ~ '^(KO|IBM):' AND superseded_at IS NULL"),
    'IBM 1.4, KO 0.35', '... and the dividends are those of the whole file');

# Made: what stands where an object should, before, between and behind others; dates that no position can have.
my $short = sub { my ($date, $code) = @_; return qq({"symbolCode":"$code","marketClassCode":"NNM","currentShortPositionQuantity":100,"settlementDate":"$date","issueName":"x"}) };
is(scalar import_file('finra-short-interest', 'short_interest.json', '[5,' . $short->('2023-05-15', 'AAA') . ',5,null,[1],' . $short->('2023-05-15', 'AAB') . ',"x"]'), '7 2 0 0 5',
    'what is no object is rejected, and takes nothing from the one before it');
is(scalar import_file('finra-short-interest', 'short_interest.json', '[' . join(',', map { $short->($_, 'AAA') } qw(0001-01-01 1013-03-15 1930-12-31 1962-03-15 2023-05-31 9999-12-31)) . ']'), '6 2 0 0 4',
    'settlement dates before 1931 and in the future are rejected');
is($site->value("SELECT string_agg(DISTINCT reason, '; ') FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)"),
    'the settlement date is before 1931 or in the future', '... with the reason');
is($site->value("SELECT (known_at AT TIME ZONE 'America/New_York')::date FROM short_interest WHERE settlement_date = '1962-03-15'"), '1962-03-27', '... 1962 is none of them');
is(scalar import_file('corporate-actions', 'far.csv', "symbol,date,dividend,payment_date\nKO,1013-03-15,1,\nKO,1899-12-31,1,\nKO,1900-01-02,1,\nKO,2013-03-15,1,1013-04-01\nKO,9999-12-31,1,\n"), '5 1 0 0 4',
    'dividends of other ages are rejected');

# Made: a record or a file that has lost a member or column is not read as if it had never had one.
my %record = (symbolCode => 'ZEPWS', marketClassCode => 'OTC', currentShortPositionQuantity => 100, previousShortPositionQuantity => 90, averageDailyVolumeQuantity => 10, stockSplitFlag => 'S', revisionFlag => 'R', settlementDate => '2023-06-15');
for my $lost (sort keys %record) {
    my %less = %record; delete $less{$lost};
    is(scalar import_file('finra-short-interest', 'short_interest.json', $json->encode([{ %record, symbolCode => 'ZEPA' }, \%less, { %record, symbolCode => 'ZEPB' }])) =~ s/^3 \d+ \d+/3/r, '3 0 1', "a record without $lost is rejected");
}
is($site->value("SELECT string_agg(symbol_code || ' ' || spellings, ', ' ORDER BY symbol_code) FROM short_interest WHERE settlement_date = '2023-06-15'"), 'ZEPA ZEPA:US, ZEPB ZEPB:US', '... of them nothing is stored');
like((import_file('finra-short-interest', 'shrt20230630.csv', $head =~ s/marketClassCode\|//r . "2023-06-30|AAPL|Apple|1000|900||100|10.00||11.11\n"))[1], qr/no column marketclasscode/, 'nor a file without the market');
is(scalar import_file('finra-short-interest', 'shrt20230630.csv', $head =~ s/revisionFlag\|//r . "2023-06-30|AAPL|Apple|NNM|1000|900||100|10.00|11.11\n"), '1 0 0 0 1', '... or without one of the flags');

# Made: a row in which something has changed, as its other figures show.
my $wide = 'accountingYearMonthNumber|symbolCode|issueName|marketClassCode|currentShortPositionQuantity|previousShortPositionQuantity|stockSplitFlag|averageDailyVolumeQuantity|daysToCoverQuantity|revisionFlag|changePercent|changePreviousNumber|settlementDate';
my $reason = sub { return $site->value('SELECT reason FROM import_reject ORDER BY import_run_id DESC LIMIT 1') };
my $change = 'the change in percent is not that of the two positions';
my $cover = 'the days to cover are not the current position divided by the average volume';
my $day = 'the settlement date is neither that of accountingYearMonthNumber nor that of the file\'s name';
for my $row (['20230915|ZEPD|Zep|NNM|1000|900||100|10.00||11.11|100|2023-09-14', '1 0 0 0 1', $day], ['20230915|ZEPD|Zep|NNM|1000|900||100|10.00||11.12|100|2023-09-15', '1 0 0 0 1', $change],
    ['20230915|ZEPD|Zep|NNM|1000|900||100|10.01||11.11|100|2023-09-15', '1 0 0 0 1', $cover], ['20230915|ZEPD|Zep|NNM|1000|900||200|10.00||11.11|100|2023-09-15', '1 0 0 0 1', $cover],
    ['20230915|ZEPD|Zep|NNM|1000|900||0|7.77||11.11|100|2023-09-15', '1 0 0 0 1', $cover], ['20230915|ZEPD|Zep|NNM|1000|900||2000|7.77||11.11|100|2023-09-15', '1 0 0 0 1', $cover],
    ['20230815|ZEPD|Zep|NNM|1000|900||100|10.00||11.11|100|2023-09-15', '1 1 0 0 0'], ['20230915|ZEPE|Zep|NNM|1000|900|S|100|10.00||55.55|500|2023-09-15', '1 1 0 0 0'],
    ['202309|ZEPF|Zep|NNM|1000|900||100||||100|2023-09-15', '1 1 0 0 0'], ['20230915|ZEPG|Zep|NNM|10|0||0|999.99||100.00|10|2023-09-15', '1 1 0 0 0']) {
    my ($line, $counts, $said) = @$row;
    is(scalar import_file('finra-short-interest', 'shrt20230915.csv', "$wide\n$line\n"), $counts, $line);
    is($reason->(), $said, '... with the reason') if $said;
}
is(scalar import_file('finra-short-interest', 'short_interest.json', $json->encode([{ %record, stockSplitFlag => undef, symbolCode => 'ZEPH', changePercent => 12.11, settlementDate => '2023-09-15' }])), '1 0 0 0 1', 'in JSON as well');
is($reason->(), $change, '... with the reason');

my %paid = (ticker => 'ZEPQ', ex_dividend_date => '2023-06-15', record_date => '2023-06-16', pay_date => '2023-07-01', cash_amount => 0.5, currency => 'CAD', unadjustedValue => 1);
for my $lost (qw(ticker ex_dividend_date currency unadjustedValue)) {
    my %less = %paid; delete $less{$lost};
    is(scalar import_file('corporate-actions', 'less.json', $json->encode({ headers => { symbol => 'Symbol', currency => 'USD' }, results => [{ %paid, ticker => 'ZEPR' }, { %less, record_date => '2023-06-19' }] })) =~ s/^2 \d+ \d+/2/r, '2 0 1', "a dividend without $lost is rejected");
}
is(scalar import_file('corporate-actions', 'mixed.json', $json->encode({ symbol => 'ZEPR', historical => [{ date => '2023-07-15', adjDividend => 0.25, dividend => 0.25, currency => 'CAD' }, { date => '2020-08-31', numerator => 4, denominator => 1 }] })), '2 2 0 0 0', 'a split in a list of dividends is whole');
is(scalar import_file('corporate-actions', 'less.json', $json->encode({ headers => { symbol => 'Symbol' }, results => [{ map { ($_ => $paid{$_}) } grep { $_ ne 'ticker' } keys %paid }] })), '1 0 0 0 1', '... and a neighbour of the list says nothing of it');
is($site->value("SELECT count(*) FROM corporate_action WHERE spellings ~ '^(SYMBOL|ZEPQ)'"), 0, '... nothing of them');

# --- made: other shapes of dividends and splits -----------------------------------------------

my %shape = (
    'alpha.json' => ['{"symbol":"MSFT","data":[{"ex_dividend_date":"2031-02-14","declaration_date":"2030-12-01","record_date":"2031-02-15","payment_date":"None","amount":"0.9100"}]}', '1 1 0 0 0'],
    'polygon.json' => ['{"results":[{"cash_amount":0.5,"currency":"USD","declaration_date":"2022-01-03","ex_dividend_date":"2022-02-03","frequency":12,"pay_date":"2022-03-03","record_date":"2022-02-04","ticker":"NVDA"},'
            . '{"cash_amount":1.25,"currency":"usd","ex_dividend_date":"2022-02-03","frequency":0,"ticker":"NVDA"}],"status":"OK","request_id":"6a"}', '2 2 0 0 0'],
    'splits.json' => ['{"results":[{"execution_date":"2022-07-01","split_from":20,"split_to":1,"ticker":"NVDA"},{"execution_date":"2022-08-01","split_from":2,"split_to":3,"ticker":"NVDA"}]}', '2 2 0 0 0'],
    'yahoo.csv' => ["Date,Open,High,Low,Close,Volume,Dividends,Stock Splits,Ticker\n2022-01-03 00:00:00-05:00,1,1,1,1,1,0,0,JPM\n2022-01-04 00:00:00-05:00,1,1,1,1,1,0.24,0.0,JPM\n"
            . "2022-01-05 00:00:00-05:00,1,1,1,1,1,0,1.5,JPM\n2022-01-06 00:00:00-05:00,1,1,1,1,1,0.1,2,JPM\n", '4 4 0 0 0'],
    'eod.csv' => ["Date;Declaration Date;Record Date;Payment Date;Period;Value;Unadjusted Value;Currency;Code\n2022-05-06;;;;Quarterly;0.115;0.23;CAD;JPM\n", '1 1 0 0 0'],
    'calendar.csv' => ["Symbol,Name,Ratio,Payable Date,Ex-Date\nJPM,JPMorgan,4 : 1,06/01/2022,06/02/2022\nBRK.B,Berkshire,5.000%,N/A,06/03/2022\nJPM,JPMorgan,1 : 1,,06/04/2022\nJPM,JPMorgan,x,,06/05/2022\n", '4 2 0 0 2'],
    'XOM.csv' => ["date,dividends\n1971-02-08,0.05\n1971-02-08,0.07\n1971-02-08,0.05\n1971-02-09,0\n", '4 2 1 0 1'],
    'nobody.csv' => ["date,dividends\n2022-02-08,0.05\n", '1 0 0 0 1'],
);
for my $name (sort keys %shape) {
    is(scalar import_file('corporate-actions', $name, $shape{$name}[0]), $shape{$name}[1], "made: $name");
    my ($again) = import_file('corporate-actions', $name, $shape{$name}[0]);
    is($again->{stored}, 0, '... once');
}
my $told = sub { my ($symbol) = @_; return [sort map { my $one = $_; join ' ', $one->{action_date}, $one->{description},
        map { ref $_ ? $_->{raw} : $_ // '-' } @{ $one->{dividend} // {} }{$one->{dividend} ? qw(record_date payment_date declaration_date annualized_amount currency) : ()} }
        json_of($site->get("/v1/companies/$symbol/corporate-actions?limit=500&direction=asc"), $symbol)->{data}->@*] };
my $of_year = sub { my ($symbol, $year) = @_; return [grep { /^$year/ } $told->($symbol)->@*] };
is_deeply($of_year->('MSFT', 2031), ['2031-02-14 Cash dividend of 0.91 USD a share 2031-02-15 - 2030-12-01 - USD'], 'members around the list name the company; None is no date');
is($site->value("SELECT known_at <= now() FROM corporate_action WHERE action_date = '2031-02-14'"), 't', '... what lies ahead is known when the file is loaded');
is_deeply([grep { /^2022-0[278]-0[13]/ } $told->('NVDA')->@*], ['2022-02-03 Cash dividend of 0.5 USD a share 2022-02-04 2022-03-03 2022-01-03 6 USD', '2022-02-03 Cash dividend of 1.25 USD a share, which its source may have adjusted for later splits - - - - USD',
        '2022-07-01 1-for-20 reverse split', '2022-08-01 3-for-2 split'], 'two dividends of one day are two; a year is payments times amount');
is_deeply($of_year->('JPM', 2022), ['2022-01-04 Cash dividend of 0.24 USD a share, as its source has adjusted it for later splits - - - - USD', '2022-01-05 3-for-2 split', '2022-01-06 2-for-1 split', '2022-01-06 Cash dividend of 0.1 USD a share, which its source may have adjusted for later splits - - - - USD',
        '2022-05-06 Cash dividend of 0.23 CAD a share - - - 0.92 CAD', '2022-06-02 4-for-1 split'], 'daily prices, an unadjusted value beside an adjusted one, a ratio in words')
    or diag explain $told->('JPM');
is_deeply([grep { /^2022-06/ } $told->('BRK-B')->@*], ['2022-06-03 21-for-20 stock dividend'], 'five percent, and a symbol in another spelling');
is_deeply([grep { /^1971/ } $told->('XOM')->@*], ['1971-02-08 Cash dividend of 0.05 USD a share - - - - USD', '1971-02-08 Cash dividend of 0.07 USD a share - - - - USD'], 'the symbol in the file\'s name, years before 1976');
is($site->value("SELECT string_agg(reason, ', ' ORDER BY reason) FROM import_reject JOIN import_run USING (import_run_id) WHERE file ~ 'calendar.csv|XOM.csv|nobody.csv' AND source = 'corporate-actions'"),
    join(', ', ('neither a dividend nor a split') x 4, ('the split ratio is none') x 2, ("the symbol is missing, and the file's name is none") x 2), 'what is rejected, and why');

# --- made: tickers that go from one company to another ------------------------------------------

# Whether a market's name for a security can be a company's.
my @agree = (['Aris Water Solutions Inc - Class A', 'Aris Water Solutions, Inc.'], ['Altisource Asset Mgmt Corp', 'Altisource Asset Management Corp'], ['ACADIA Pharmaceuticals Inc. Co', 'ACADIA PHARMACEUTICALS INC'],
    ['J.M. Smucker Company (The)', 'SMUCKER J M Co'], ['Estee Lauder Cos., Inc. (The)', 'ESTEE LAUDER COMPANIES INC'], ['BERKSHIRE HATHAWAY Class B', 'BERKSHIRE HATHAWAY INC'], ['ABM Industries, Inc.', 'ABM INDUSTRIES INC /DE/'],
    ['ExxonMobil', 'EXXON MOBIL CORP'], ['Coca-Cola Co', 'COCA COLA CO'], ['Ares Acquisition Corporation II', 'Ares Acquisition Corp II'], ['Goldman Sachs Physical Gold ET', 'Goldman Sachs Physical Gold ETF'], ['Intl Business Machines', 'INTERNATIONAL BUSINESS MACHINES CORP'],
    ['Charles Schwab Corporation', 'SCHWAB CHARLES CORP'], ['Walt Disney Hldgs', 'Walt Disney Co']);
my @differ = (['Aris Water Solutions Inc - Class A', 'Aris Mining Corp'], ['Ares Acquisition Corporation', 'Ares Acquisition Corp III'], ['Catalyst Biosciences Inc', 'CRESCENT BIOPHARMA, INC.'], ['American Airlines Group', 'American Tower Corp'],
    ['First Trust Energy', 'First Trust Bancorp'], ['Spectra Energy Corp', 'Sea Ltd']);
my $agrees = sub { my @names = map { s/'/''/gr } @_; return $site->value("SELECT share_names_agree('$names[0]', '$names[1]')") };
is($agrees->(@$_), 't', "$_->[0]: $_->[1]") for @agree;
is($agrees->(@$_), 'f', "$_->[0]: not $_->[1]") for @differ;

my %step = (
    water => ['sec-company-tickers', 'tickers-water.json', $json->encode({ 0 => { cik_str => 9990101, ticker => 'ARIS', title => 'Aris Water Solutions, Inc.' } }), '--known-at', '2022-01-01'],
    mining => ['sec-company-tickers', 'tickers-mining.json', $json->encode({ 0 => { cik_str => 9990102, ticker => 'ARIS', title => 'Aris Mining Corp' } }), '--known-at', '2026-01-01'],
    short => ['finra-short-interest', 'shrt-made.csv', $head . "2023-10-31|ARIS|Aris Water Solutions, Inc. Cla|NYSE|1000|900||100|10.00||11.11\n2026-03-31|ARIS|Aris Mining Corporation Common|NYSE|2000|900||100|20.00||122.22\n"],
    dividends => ['corporate-actions', 'made-dividends.csv', "symbol,companyName,ex_date,amount\nARIS,Aris Water Solutions Inc,2023-09-07,0.09\nARIS,,2023-06-07,0.08\nARIS,ARIS,2026-03-07,0.07\nARIS,Another Company,2026-03-08,0.06\n", '--known-at', '2026-04-01'],
    calendar => ['earnings-calendar', 'earnings-calendar.csv', "symbol,name,reportDate,fiscalDateEnding,estimate\nARIS,Aris Water Solutions Inc - Class A,11/8/2023,9/30/2023,0.1\n", '--known-at', '2023-09-01'],
);
my $placed = sub {
    my ($of) = @_;
    return join '; ', map { "$_->{day} $_->{who}" } $of->rows(q{SELECT x.day, coalesce(i.cik::text, i.party_key) || coalesce(' ' || x.symbol, '') AS who FROM (
        SELECT settlement_date AS day, issuer_id, symbol FROM short_interest WHERE superseded_at IS NULL UNION ALL SELECT action_date, issuer_id, symbol FROM corporate_action WHERE superseded_at IS NULL
        UNION ALL SELECT event_on, issuer_id, NULL FROM event_notice WHERE superseded_at IS NULL UNION ALL SELECT event_at::date, issuer_id, 'event' FROM event WHERE superseded_at IS NULL) x JOIN issuer i USING (issuer_id) ORDER BY 1, 2});
};
my $digests = sub { my ($of) = @_; return join ' ', map { $_->{src_digest} } $of->rows('SELECT src_digest FROM short_interest UNION ALL SELECT src_digest FROM corporate_action UNION ALL SELECT src_digest FROM event_notice ORDER BY 1') };
my $all = '2023-06-07 9990101 ARIS:US; 2023-09-07 9990101 ARIS:US; 2023-10-31 9990101 ARIS:US; 2023-11-08 9990101; 2023-11-08 9990101 event; 2026-03-07 9990102 ARIS:US; 2026-03-08 symbol/ARIS:US; 2026-03-31 9990102 ARIS:US';
my $mining_alone = '2023-06-07 9990102 ARIS:US; 2023-09-07 symbol/ARIS:US; 2023-10-31 symbol/ARIS:US ARI-S:US; 2023-11-08 symbol/ARIS:US; 2023-11-08 symbol/ARIS:US event; 2026-03-07 9990102 ARIS:US; 2026-03-08 symbol/ARIS:US; 2026-03-31 9990102 ARIS:US';
my ($first, $reused);
for my $order ('water mining short dividends calendar', 'short dividends calendar water mining', 'mining short dividends calendar water', 'water calendar short dividends mining', 'calendar mining dividends water short',
    'short mining calendar short dividends water dividends') {
    my $of = site(template => 'empty');
    for my $name (split / /, $order) {
        my ($source, $file, $text, @options) = $step{$name}->@*;
        my ($status, $out, $err) = $of->control('import', $source, @options, $of->write($file, $text));
        is($status, 0, "$name of: $order") or diag "$out$err";
        is($placed->($of), $mining_alone, '... with Aris Mining listed alone, rows of Aris Water are nobody\'s') if $order =~ /^mining/ && $name eq 'calendar';
        like("$out$err", qr/1 rows name another company than is listed under their ticker, and are kept without one: ARIS Aris Water Solutions, Inc. Cla \(now or then Aris Mining Corp\)/, '... and the import says so') if $order =~ /^mining/ && $name eq 'short';
    }
    is($placed->($of), $all, "who has the rows: $order");
    $first //= $digests->($of);
    is($digests->($of), $first, '... under the same src_id');
    $reused = $of;
}
# What was loaded when names were not kept yet: the file once more puts it right.
$reused->execute("UPDATE disclosed.event_notice SET stated_name = NULL, issuer_id = (SELECT issuer_id FROM disclosed.issuer WHERE cik = 9990102)");
is(($reused->control('import', 'earnings-calendar', '--known-at', '2023-09-01', $reused->write('earnings-calendar.csv', $step{calendar}[2])))[0], 0, 'a calendar whose row stands with another company');
is($placed->($reused), $all, '... and now with its own');
my $days = sub { my ($list, $query) = @_; return join ' ', map { $_->{settlement_date} // $_->{action_date} } json_of($reused->get("/v1/companies/ARIS/$list?direction=asc$query"), "$list$query")->{data}->@* };
is($days->('short-interest', ''), '2026-03-31', 'ARIS is Aris Mining now');
is($days->('short-interest', '&as_of=2024-01-01'), '2023-10-31', '... and was Aris Water');
is($days->('corporate-actions', ''), '2026-03-07', '... with its dividends');
is($days->('corporate-actions', '&as_of=2024-01-01'), '2023-06-07 2023-09-07', '... and those of Aris Water');

finish();

# Corporate actions: kinds, the objects of dividends and splits, shares of a company told apart,
# corrections, as of an instant; NDJSON for what no file has.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

promises(
    list_corporate_actions => {
        parameters => [qw(symbol kind cursor limit fields direction as_of)],
        fields => [qw(id symbol? kind action_date description source_url? dividend split provenance)],
    },
);
my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
my $now  = 'superseded_at IS NULL';

sub path { my ($symbol, $query) = @_; return "/v1/companies/$symbol/corporate-actions" . ($query ? "?$query" : '') }

sub actions
{
    my ($symbol, $query) = @_;
    return json_of($site->get(path($symbol, $query)), "$symbol " . ($query // ''))->{data};
}

sub ids { return [map { $_->{id} } actions(@_)->@*] }

sub ids_where
{
    my ($condition, $way) = @_;
    return [map { $_->{id} } $site->rows("SELECT t.id FROM corporate_action t JOIN issuer i USING (issuer_id)
        WHERE $condition ORDER BY action_date $way, id $way")];
}

# --- kinds and directions --------------------------------------------------------------------

my $ticker = $site->value("SELECT i.ticker FROM corporate_action t JOIN issuer i USING (issuer_id) WHERE kind = 'spinoff'
    AND t.$now AND EXISTS (SELECT 1 FROM corporate_action x WHERE x.issuer_id = t.issuer_id AND kind = 'dividend')
    AND EXISTS (SELECT 1 FROM corporate_action x WHERE x.issuer_id = t.issuer_id AND kind = 'split') ORDER BY 1 LIMIT 1");
my $mine = "t.$now AND i.ticker = '$ticker'";
my $all  = ids($ticker, 'limit=500');
cmp_ok(scalar @$all, '>', 10, "$ticker: " . @$all . ' actions');
is_deeply($all, ids_where($mine, 'DESC'), '... newest first');
is_deeply(ids($ticker, 'limit=500&direction=asc'), ids_where($mine, 'ASC'), '... oldest first');
my %kind = map { ($_->{id} => $_->{kind}) } actions($ticker, 'limit=500')->@*;
for my $kind (qw(split dividend m_and_a spinoff)) {
    is_deeply(ids($ticker, "limit=500&kind=$kind"), [grep { $kind{$_} eq $kind } @$all], "... kind=$kind is what a walk over all finds");
}
my ($walked, $cursor) = ([], undef);
for (1 .. 40) {
    my $page = json_of($site->get(path($ticker, 'limit=3&kind=dividend' . ($cursor ? "&cursor=$cursor" : ''))), "page $_");
    push @$walked, map { $_->{id} } $page->{data}->@*;
    last if !($cursor = $page->{pagination}{next_cursor});
}
is_deeply($walked, [grep { $kind{$_} eq 'dividend' } @$all], '... page by page');
my $company = json_of($site->get("/v1/companies/$ticker"), 'the company');
my $answer  = json_of($site->get(path($ticker, 'limit=1')), 'the envelope');
is_deeply([sort keys %$answer], [qw(company data pagination)], 'the envelope names the company');
same_json($answer->{company}, { $company->%{qw(symbol ticker market name cik isin figi issuer_id)} }, '... as its own page does');

# --- fields ----------------------------------------------------------------------------------

sub value { my ($number, $unit) = @_; return { raw => $number, normalized => $number, unit => $unit, original_unit => $unit, conversion_factor => 1 } }

my @common = qw(id symbol kind action_date description source_url provenance);
for my $row ($site->rows("SELECT t.*, i.symbol AS primary_symbol FROM corporate_action_sourced t JOIN issuer i USING (issuer_id) WHERE $mine")) {
    my ($served) = grep { $_->{id} == $row->{id} } actions($ticker, 'limit=500')->@*;
    my $extra = { dividend => 'dividend', split => 'split' }->{ $row->{kind} };
    is_deeply([sort keys %$served], [sort @common, $extra // ()], "$row->{record_key}: its members");
    same_json([@$served{qw(symbol kind action_date source_url)}], [@$row{qw(symbol kind action_date source_url)}], '... and what they say');
    is($row->{symbol}, $row->{primary_symbol}, '... its listing');
    if ($row->{kind} eq 'dividend') {
        same_json($served->{dividend}, { (map { ($_ => $row->{$_}) } qw(ex_dividend_date record_date payment_date declaration_date currency)),
            amount => value($row->{amount} + 0, "$row->{currency}_per_share"),
            annualized_amount => value($row->{annualized_amount} + 0, "$row->{currency}_per_share") }, '... its dividend');
        is($served->{description}, 'Cash dividend of ' . ($row->{amount} + 0) . " $row->{currency} a share", '... in words');
    }
    elsif ($row->{kind} eq 'split') {
        my ($to, $from) = @$row{qw(split_to split_from)};
        same_json($served->{split}, { numerator => $to + 0, denominator => $from + 0 }, '... its ratio');
        is($served->{description}, "$to-for-$from " . ($to < $from ? 'reverse split' : $to / $from < 1.25 ? 'stock dividend' : 'split'), '... in words');
    }
    else { is($served->{description}, $row->{description}, '... in words') }
}
my $foreign = $site->value("SELECT DISTINCT currency FROM corporate_action WHERE currency <> 'USD' ORDER BY 1 LIMIT 1");
my $abroad  = $site->value("SELECT i.ticker FROM corporate_action t JOIN issuer i USING (issuer_id) WHERE currency = '$foreign' ORDER BY 1 LIMIT 1");
my ($paid)  = actions($abroad, 'kind=dividend&limit=1')->@*;
same_json([$paid->{dividend}{currency}, $paid->{dividend}{amount}{unit}], [$foreign, "${foreign}_per_share"], "$abroad pays in $foreign");

# Classes of shares have actions of their own; mergers and spin-offs are the company's. No dividend or split is listed twice.
my %of_class = map { my $class = $_; ($class => [actions($class, 'limit=500')->@*]) } qw(ZYLLUX ZYLLUX:US ZYLLUX-B ZYLLUX-B:US);
same_json($of_class{'ZYLLUX:US'}, $of_class{ZYLLUX}, 'a bare ticker is its listing');
same_json($of_class{'ZYLLUX-B:US'}, $of_class{'ZYLLUX-B'}, '... of either class');
for my $class ('ZYLLUX', 'ZYLLUX-B') {
    my %symbols = map { ($_->{symbol} => 1) } grep { $_->{kind} =~ /^(?:dividend|split)$/ } $of_class{$class}->@*;
    is_deeply([keys %symbols], ["$class:US"], "$class: dividends and splits of that class alone");
    is_deeply([map { $_->{id} } $of_class{$class}->@*], ids_where("t.$now AND i.ticker = 'ZYLLUX' AND (t.symbol = '$class:US' OR kind IN ('m_and_a', 'spinoff'))", 'DESC'), '... and what is the company\'s');
}
is($site->value("SELECT count(*) FROM corporate_action t JOIN issuer i USING (issuer_id) WHERE t.$now AND i.ticker = 'ZYLLUX'"),
    scalar(keys %{ { map { ($_->{id} => 1) } map { @$_ } values %of_class } }), 'none is lost');

# --- corrections and instants ----------------------------------------------------------------

my ($old) = $site->rows("SELECT t.id, i.ticker, t.known_at, t.superseded_at, t.payment_date FROM corporate_action t JOIN issuer i USING (issuer_id)
    WHERE t.superseded_at > t.known_at ORDER BY t.id LIMIT 1");
my $new = $site->value("SELECT payment_date FROM corporate_action WHERE id = $old->{id} AND $now");
my $paid_on = sub {
    my ($time) = @_;
    my ($hit) = grep { $_->{id} == $old->{id} } actions($old->{ticker}, "limit=500&as_of=$time")->@*;
    return $hit && $hit->{dividend}{payment_date};
};
my ($from, $until) = map { s/\+00:00$/Z/r } @$old{qw(known_at superseded_at)};
isnt($new, $old->{payment_date}, "$old->{ticker}: the day of payment was put right");
is($paid_on->($from), $old->{payment_date}, '... first the wrong one');
is($paid_on->($until), $new, '... then the right one');
is($paid_on->($from =~ s/T21:30:00/T21:29:59/r), undef, '... and before the announcement none');
for my $time ('2023-06-01', $until) {
    is_deeply(ids($old->{ticker}, "limit=500&as_of=$time"), ids_where("i.ticker = '$old->{ticker}' AND t.known_at <= '$time'
        AND (t.superseded_at IS NULL OR t.superseded_at > '$time')", 'DESC'), "all actions as of $time");
}

# --- what is refused -------------------------------------------------------------------------

problem_is($site->get(path('NOBODY')), 404, 'nobody', instance => path('NOBODY'), detail => not_found_company('NOBODY'));
faults_is($site->get(path('ZYLLUX', 'kind=merger')), [fault('literal_error', ['query', 'kind'],
    "Input should be 'split', 'dividend', 'm_and_a' or 'spinoff'", 'merger', q({"expected":"'split', 'dividend', 'm_and_a' or 'spinoff'"}))], 'no such kind');

# --- NDJSON ----------------------------------------------------------------------------------

my %from = (dataset => 'corporate_action', symbol => 'ZYLLUX:US', provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/news' });
my @lines = (
    { %from, symbol_code => 'ZYLLUX', kind => 'm_and_a', action_date => '2026-09-01', known_at => '2026-08-01', description => 'Bought a rival' },
    { %from, symbol_code => 'ZYLLUX', kind => 'spinoff', action_date => '2026-09-02', known_at => '2026-08-01', description => 'Spun off a branch' },
    { %from, symbol_code => 'ZYLLUX', kind => 'dividend', action_date => '2026-09-03', known_at => '2026-08-01', ex_dividend_date => '2026-09-03', amount => '0.0001250', payments_a_year => 4 },
    { %from, symbol_code => 'ZYLLUXB', kind => 'split', action_date => '2026-09-04', known_at => '2026-08-01', split_to => 21, split_from => 20 },
);
sub import_lines
{
    my (@given) = @_;
    my $file = $site->write('actions.ndjson', join '', map { $json->encode($_) . "\n" } @given);
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $file);
    return (eval { $json->decode($out) } // {}, "$out$err");
}
my ($summary, $text) = import_lines(@lines);
is($summary->{stored}, 4, 'four lines are stored') or diag $text;
my @newest = (actions('ZYLLUX-B', 'limit=1')->@*, actions('ZYLLUX', 'limit=3')->@*);
same_json([map { $_->{description} } @newest], ['21-for-20 stock dividend', 'Cash dividend of 0.000125 USD a share', 'Spun off a branch', 'Bought a rival'], 'and served');
same_json($newest[0]{symbol}, 'ZYLLUX-B:US', '... the code without its hyphen finds the class') or diag explain $newest[0];
same_json($newest[1]{dividend}{annualized_amount}, value(0.0005, 'USD_per_share'), '... a year is payments times amount, where both are stated');
($summary) = import_lines(@lines);
is($summary->{unchanged}, 4, 'a second time nothing changes');
same_json([map { $_->{description} } actions('ZYLLUX-B', 'limit=3')->@*], ['21-for-20 stock dividend', 'Spun off a branch', 'Bought a rival'], '... what is the company\'s with both classes');
same_json([map { $_->{description} } actions('ZYLLUX-B', 'limit=3&as_of=2026-08-10')->@*], ['21-for-20 stock dividend', 'Spun off a branch', 'Bought a rival'], '... at an instant, too');
my %right = ($lines[2]->%*, amount => '0.2', known_at => '2026-08-15');
($summary) = import_lines(\%right);
is("$summary->{stored} $summary->{superseded}", '1 1', 'a later statement supersedes');
is((actions('ZYLLUX', 'limit=4&as_of=2026-08-10'))->[0]{dividend}{amount}{raw}, 0.000125, '... from then on');
is((actions('ZYLLUX', 'limit=4'))->[0]{dividend}{amount}{raw}, 0.2, '... and not before');
for my $bad ([{ $lines[2]->%*, amount => undef }, qr/amount|corporate_action/], [{ $lines[2]->%*, amount => '-1' }, qr/amount/],
    [{ $lines[3]->%*, split_to => 0 }, qr/split_to/], [{ $lines[0]->%*, description => undef }, qr/corporate_action|description/],
    [{ $lines[0]->%*, kind => 'merger' }, qr/kind/], [{ $lines[0]->%*, symbol_code => 'BRK-B' }, qr/symbol_code/])
{
    my ($refused, $why) = import_lines($bad->[0]);
    is($refused->{rejected}, 1, 'refused') or diag $why;
    like($site->value('SELECT reason FROM import_reject ORDER BY import_run_id DESC LIMIT 1'), $bad->[1], '... with its reason');
}

finish();

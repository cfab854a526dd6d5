# Dividends are known by what is said of them: several of one day in any order of rows and files, halves and repeats, a
# corrected amount, amounts adjusted for later splits; and of two companies under one ticker, which one has it.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Order qw(number_below shuffled);
use Disclosed::Test 'without_cache';

my $json = Disclosed::JSON->new->utf8->canonical;
my $head = "ticker,ex_date,amount,currency,pay_date,dividend_type\n";
my %row = (
    regular => "PAYS,2022-02-03,0.5,USD,2022-03-03,CD\n",
    special => "PAYS,2022-02-03,1.25,USD,2022-03-03,SC\n",
    other   => "PAYS,2022-02-03,0.05,USD,2022-03-04,SC\n",
    lone    => "PAYS,2022-05-05,0.5,USD,2022-06-03,CD\n",
);
my @known = ('--known-at', '2024-01-01');
my $files = 0;

sub load
{
    my ($of, $name, $text, @options) = @_;
    mkdir "$of->{root}/" . ++$files;
    my ($code, $out, $err) = $of->control('import', 'corporate-actions', '--json', @options, $of->write("$files/$name", $text));
    my $summary = eval { $json->decode($out) } // {};
    diag "$out$err" if $code;
    return join ' ', map { $summary->{$_} // '-' } qw(read stored unchanged rejected);
}

# What is served of a share: day, amount, day of payment, src_id.
sub told
{
    my ($of, $symbol, $query) = @_;
    return join '; ', sort map { my $one = $_; join ' ', $one->{action_date}, map({ $_ // '-' } $one->{dividend}{amount}{raw}, $one->{dividend}{payment_date}), $one->{provenance}{src_id} }
        json_of($of->get("/v1/companies/$symbol/corporate-actions?kind=dividend&limit=500" . ($query // '')), $symbol . ($query // ''))->{data}->@*;
}
sub amounts { return told(@_) =~ s/ src_\w+//gr }

sub with_listing
{
    my $of = site(template => 'empty', processes => 1);
    $of->control('import', 'sec-company-tickers', '--known-at', '2010-01-01', $of->write('company_tickers.json',
        $json->encode({ 0 => { cik_str => 9990201, ticker => 'PAYS', title => 'Pays Inc' }, 1 => { cik_str => 9990202, ticker => 'ADJ', title => 'Adjusts Inc' } })));
    return $of;
}

# --- several on one day --------------------------------------------------------------------------

# Files: the whole in two orders of rows, halves, one with a third.
my %file = (
    whole => [$head . join('', @row{qw(regular special lone)}), @known],
    turned => [$head . join('', @row{qw(lone special regular)}), @known],
    first => [$head . $row{regular}, @known],
    second => [$head . $row{special}, @known],
    third => [$head . join('', @row{qw(other special)}), @known],
    plain => ["symbol,date,dividend\nPAYS,2022-02-03,0.5\n", @known],
    calendar => [$json->encode({ data => { calendar => { rows => [{ symbol => 'PAYS', dividend_Ex_Date => '02/03/2022', payment_Date => '03/03/2022', record_Date => '02/04/2022', announcement_Date => '01/03/2022', dividend_Rate => 1.25 }] } } }), @known],
);
my $suffix = sub { $_[0] eq 'calendar' ? 'json' : 'csv' };
my ($both, $expected) = ('2022-02-03 0.5 2022-03-03; 2022-02-03 1.25 2022-03-03; 2022-05-05 0.5 2022-06-03');
my $of = with_listing();
is(load($of, 'a.csv', $file{whole}->@*), '3 3 0 0', 'two dividends on one day, and one on another');
is(amounts($of, 'PAYS'), $both, '... are served as three');
my $first = told($of, 'PAYS');
is(load($of, 'a.csv', $file{whole}->@*), '3 0 3 0', 'once more: nothing');
is(load($of, 'b.csv', $file{turned}->@*), '3 0 3 0', 'in another order of rows: nothing');
is(load($of, 'c.csv', $file{$_}->@*), '1 0 1 0', "... nor the $_ alone") for qw(first second);
is(told($of, 'PAYS'), $first, '... under the same src_id');
is(told($of, 'PAYS', '&as_of=2022-03-01'), $first =~ s/; 2022-05.*//r, '... and then');
$of->stop;

# All files, in many orders and with repeats.
my %end;
for my $number (1 .. 5) {
    my $one = with_listing();
    my @order = shuffled(keys %file, grep { number_below(2) } keys %file);
    load($one, 'x.' . $suffix->($_), $file{$_}->@*) for @order;
    $end{ join "\n", map { told($one, 'PAYS', $_) } '', '&as_of=2022-01-10', '&as_of=2022-03-01', '&as_of=2023-01-01' } .= "@order\n";
    is($one->value('SELECT count(*) FROM (SELECT record_key FROM corporate_action WHERE superseded_at IS NULL GROUP BY issuer_id, record_key HAVING count(*) > 1) x'), 0, 'one of each is current');
    is(amounts($one, 'PAYS'), "2022-02-03 0.05 2022-03-04; $both", "in the end: @order") or diag explain [$one->rows('SELECT record_key, known_at, superseded_at, amount, payment_date, of_several, taken_at FROM corporate_action ORDER BY 1, 2')];
    $one->stop;
}
is(scalar keys %end, 1, 'in any order: the same, now and then, src_id included') or diag explain \%end;

# Halves alone cannot know of each other: the later one is a correction, and one of one time is chosen by what it says.
my %halves;
for my $order (['first', 'second'], ['second', 'first'], ['first', 'second', 'first']) {
    my $one = with_listing();
    load($one, 'x.csv', $file{$_}->@*) for @$order;
    $halves{ told($one, 'PAYS') } .= "@$order; ";
    load($one, 'x.csv', $file{turned}->@*);
    is(told($one, 'PAYS'), $first, "halves @$order, and then the whole");
    $one->stop;
}
is_deeply([map { s/ src_\w+//r } keys %halves], ['2022-02-03 1.25 2022-03-03'], 'two halves of a day in any order: one dividend, which was corrected') or diag explain \%halves;

# The same amount twice: other days of payment, another type of dividend, and nothing but another name of the company.
$of = with_listing();
is(load($of, 'equal.csv', $head . "PAYS,2021-02-03,0.5,USD,2021-03-03,CD\nPAYS,2021-02-03,0.5,USD,2021-04-04,SC\nPAYS,2021-02-04,0.7,USD,2021-03-03,CD\nPAYS,2021-02-04,0.7,USD,2021-03-03,SC\n"
        , @known), '4 4 0 0', 'amounts twice on one day');
is(load($of, 'names.csv', "symbol,name,ex_date,amount\nPAYS,Pays Inc,2021-02-05,0.9\nPAYS,Pays Inc Common Stock,2021-02-05,0.9\n", @known), '2 1 1 0', '... and under two names');
my $equal = '2021-02-03 0.5 2021-03-03; 2021-02-03 0.5 2021-04-04; 2021-02-04 0.7 2021-03-03; 2021-02-04 0.7 2021-03-03; 2021-02-05 0.9 -';
is(amounts($of, 'PAYS'), $equal, '... two where what is said differs, one under two names');
$first = told($of, 'PAYS');
is(load($of, 'equal.csv', $head . "PAYS,2021-02-04,0.7,USD,2021-03-03,SC\nPAYS,2021-02-03,0.5,USD,2021-04-04,SC\n", @known), '2 0 2 0', '... and a half says nothing new');
is(told($of, 'PAYS'), $first, '... of either');
$of->stop;

# --- a corrected amount --------------------------------------------------------------------------

my %stated = (early => ['0.40', '2022-06-01'], late => ['0.42', '2023-06-01'], again => ['0.40', '2024-06-01']);
my %corrected;
for my $order ([qw(early late again)], [qw(late again early late)], [qw(again late early)], [qw(again early late again)]) {
    my $one = with_listing();
    load($one, 'c.csv', $head . "PAYS,2022-05-05,$stated{$_}[0],USD,2022-06-03,CD\n", '--known-at', $stated{$_}[1]) for @$order;
    $corrected{ join ' | ', map { told($one, 'PAYS', $_) } '', '&as_of=2022-12-01', '&as_of=2023-12-01', '&as_of=2022-05-01' } .= "@$order; ";
    $one->stop;
}
my ($history) = keys %corrected;
is(scalar keys %corrected, 1, 'files with two amounts, in any order: one history') or diag explain \%corrected;
like($history, qr/^2022-05-05 0\.4 2022-06-03 (src_\w+) \| 2022-05-05 0\.4 2022-06-03 \1 \| 2022-05-05 0\.42 2022-06-03 \1 \| \z/, '... the first until the other was taken, and again since it was said again, under one src_id');

# --- amounts adjusted for later splits -------------------------------------------------------------

my $prices = "date,open,close,dividend,split\n2012-03-13,35,35.1,0.255,1.0\n2012-08-10,39.2,39.3,0.0,1.0\n2012-08-13,39.3,39.2,0.0,2.0\n2012-09-12,38,37.5,0.255,1.0\n";
my @taken = ('2012-10-01', '2024-01-01');
for my $order ([0, 1], [1, 0, 1], [0]) {
    my $one = with_listing();
    my @both = ($prices, $prices . "2014-08-08,40,40,0.0,1.0\n2014-08-11,40,40.1,0.0,4.0\n" =~ s/0\.255/0.06375/gr);
    $both[1] =~ s/0\.255/0.06375/g;
    load($one, 'ADJ.csv', $both[$_], '--known-at', $taken[$_]) for @$order;
    is(amounts($one, 'ADJ', '&as_of=2012-08-01'), '', "@$order: before the split nobody knew the adjusted amount");
    is(amounts($one, 'ADJ', '&as_of=2012-08-20'), (grep { !$_ } @$order) ? '2012-03-13 0.255 -' : '', '... from its day on it is known');
    is(amounts($one, 'ADJ', '&as_of=2013-01-01'), '2012-03-13 0.255 -; 2012-09-12 0.255 -', '... and one after it from its own') if @$order == 1;
    my ($old) = grep { $_->{action_date} eq '2012-03-13' } json_of($one->get('/v1/companies/ADJ/corporate-actions?kind=dividend&as_of=2012-08-20'), 'ADJ')->{data}->@*;
    is($old->{description}, 'Cash dividend of 0.255 USD a share, as its source has adjusted it for later splits', '... and says what it is');
    $one->stop;
}

# A list says neither what its amounts are adjusted for nor which splits there were. Where another file has a split between a dividend
# and the day on which the list was taken, the amount may be adjusted for it: it says so, and is not known before.
my %part = (
    list => ["ticker,date,amount\nADJ,2013-11-06,0.108929\nADJ,2014-02-06,0.108929\nADJ,2014-08-07,0.1175\nADJ,2021-02-05,0.205\n", '--known-at', '2024-01-01'],
    splits => ["ticker,date,ratio\nADJ,2014-06-09,7.0\nADJ,2020-08-31,4.0\nPAYS,2022-03-01,2.0\nADJ,2024-06-03,2.0\n", '--known-at', '2024-07-01'],
    daily => ["ticker,date,open,close,ex-dividend,split_ratio,adj_volume\nADJ,2014-02-06,510,512,3.05,1.0,9\nADJ,2014-02-07,510,512,0.0,1.0,9\n", '--known-at', '2024-01-01'],
    early => ["ticker,date,amount\nADJ,2014-02-06,3.05\n", '--known-at', '2014-03-01'],
);
my $unsure = ', which its source may have adjusted for later splits';
sub described
{
    my ($of, $symbol, $query) = @_;
    return join '; ', sort map { "$_->{action_date} $_->{description}" =~ s/Cash dividend of | USD a share//gr }
        json_of($of->get("/v1/companies/$symbol/corporate-actions?kind=dividend&limit=500" . ($query // '')), $symbol . ($query // ''))->{data}->@*;
}
for my $order ([qw(list splits)], [qw(splits list)], [qw(list splits list splits)]) {
    my $one = with_listing();
    load($one, "$_.csv", $part{$_}->@*) for @$order;
    is(described($one, 'ADJ'), "2013-11-06 0.108929$unsure; 2014-02-06 0.108929$unsure; 2014-08-07 0.1175$unsure; 2021-02-05 0.205",
        "@$order: amounts say that they may be adjusted for splits up to the day on which their list was taken");
    is(described($one, 'ADJ', '&as_of=2020-08-31'), '', '... of which none was known before the last of these');
    is(described($one, 'ADJ', '&as_of=2020-09-01T12:00:00Z'), "2013-11-06 0.108929$unsure; 2014-02-06 0.108929$unsure; 2014-08-07 0.1175$unsure", '... but from its day on');
    is(described($one, 'ADJ', '&as_of=2021-02-06T12:00:00Z') =~ s/.*; //r, '2021-02-05 0.205', '... and what no split follows from its own');
    my $answer = json_of($one->post('/v1/ask', { question => 'When did ADJ pay a dividend in 2013?' }), 'ask')->{answer_md};
    is($answer, "Adjusts Inc had a dividend of USD 0.108929 per share$unsure, with the ex-dividend date 6 November 2013 [1].", '... an answer says so too');
    $one->stop;
}
for my $order ([qw(list splits daily)], [qw(daily splits list)], [qw(splits early list)], [qw(list early splits)], [qw(early daily list splits)]) {
    my $one = with_listing();
    load($one, "$_.csv", $part{$_}->@*) for @$order;
    is(described($one, 'ADJ', $_) =~ s/; 2014-08.*//r =~ s/^2013[^;]*; //r, '2014-02-06 3.05', "@$order: an amount that cannot be adjusted stands before one that may be" . ($_ && ', then and now'))
        for '', '&as_of=2014-04-01', '&as_of=2020-12-01';
    $one->stop;
}

# Prices that end before a split do not show whether it has been taken into account.
{
    my $one = with_listing();
    load($one, 'ADJ.csv', $prices, @known);
    is(described($one, 'ADJ', '&as_of=2012-08-20'), '2012-03-13 0.255, as its source has adjusted it for later splits', 'an adjusted amount is known from the last split that is known');
    load($one, 'splits.csv', $part{splits}->@*);
    is(described($one, 'ADJ', '&as_of=2020-08-31'), '', '... also where another file tells of one');
    is(described($one, 'ADJ'), '2012-03-13 0.255, as its source has adjusted it for later splits; 2012-09-12 0.255' . $unsure, '... and the amount after it may be adjusted');
    $one->stop;
}

# --- two companies under one ticker --------------------------------------------------------------

my %company = map { ($_ => $json->encode({ dataset => 'listing', cik => $_, known_at => '2019-12-31', ticker => 'TWIN', market => 'US', name => "Twin $_", status => 'active',
        provenance => { source_provider => 'issuer_page', source_url => 'https://made.example/ir' } }) . "\n") } 9990301, 9990302;
my %snapshot = map { ($_ => $json->encode({ 0 => { cik_str => $_, ticker => 'TWIN', title => "Twin $_" } })) } 9990303, 9990304;
my %holder;
for my $order ([9990301, 9990302], [9990302, 9990301, 9990302], [9990303, 9990302, 9990301], [9990302, 9990301, 9990303]) {
    my $one = site(template => 'empty', processes => 1);
    for my $cik (@$order) {
        my @import = $company{$cik} ? ('ndjson', $one->write("l$cik.ndjson", $company{$cik})) : ('sec-company-tickers', '--known-at', '2019-12-31', $one->write('company_tickers.json', $snapshot{$cik}));
        is(($one->control('import', @import))[0], 0, "$cik of @$order");
    }
    load($one, 'x.csv', "symbol,date,dividend\nTWIN,2022-02-03,0.5\nTWIN,2019-02-03,0.4\n", @known);
    my $kind = grep({ $_ == 9990303 } @$order) ? 'with a file of tickers' : 'alone';
    $holder{$kind}{ join ' ', map { my $at = $_; map { $_ // '-' } json_of($one->get("/v1/companies/TWIN$at"), "TWIN$at")->@{qw(cik name)}, amounts($one, 'TWIN', $at =~ s/\?/&/r) } '', '?as_of=2022-06-01' } .= "@$order; ";
    $one->stop;
}
is_deeply([map { scalar keys $holder{$_}->%* } sort keys %holder], [1, 1], 'one ticker, two companies at one instant: the same one has it in any order') or diag explain \%holder;
like((keys $holder{alone}->%*)[0], qr/^0009990302 /, '... the one with the higher CIK');
like((keys $holder{'with a file of tickers'}->%*)[0], qr/^0009990303 /, '... or that of the whole-market file');

# Two listings of one company that nothing ranks: the same is the primary one in any order.
my %primary;
for my $order (['AAA', 'BBB'], ['BBB', 'AAA']) {
    my $one = site(template => 'empty', processes => 1);
    $one->control('import', 'ndjson', $one->write("$_.ndjson", $company{9990301} =~ s/TWIN/$_/r)) for @$order;
    $primary{ join ' ', map { json_of($one->get("/v1/companies/AAA$_"), 'AAA')->{symbol}, $one->value('SELECT symbol FROM issuer') } '', '?as_of=2022-06-01' } .= "@$order; ";
    $one->stop;
}
# --- many of one day, and prices -------------------------------------------------------------------

my $many = with_listing();
is(load($many, 'types.csv', $head . join('', map { "PAYS,2022-02-03,0.5,USD,2022-03-03,T$_\n" } 1 .. 103), @known), '103 100 0 3', 'dividends that differ in their type alone: a hundred of them');
my $grouped = "date,open,close,dividends,stock splits\n" . join '', map { "$_\n" } '2020-02-03,"1,190.00","1,195.50",2.5,0', '2020-03-02,"1,210.00","$1,200.00",0,0', '2020-03-03,121,120,0,10';
is(load($many, 'ADJ.csv', $grouped, @known), '2 2 0 0', 'prices with commas between thousands');
is($many->value("SELECT string_agg(DISTINCT amount_basis, ' ') FROM corporate_action t JOIN issuer i USING (issuer_id) WHERE i.ticker = 'ADJ'"), 'declared', '... show that they fall with the split');
{
    my ($code, $out, $err) = $many->control('import', 'corporate-actions', @known, $many->write('PAYS.csv', $grouped =~ s/"1,195.50"/"1,19.5"/r));
    is($code, 1, 'a price with a comma elsewhere');
    like("$out$err", qr/line 2: rejected: a price is no number/, '... is rejected with its row');
}
$many->stop;

is_deeply([keys %primary], ['AAA:US AAA:US AAA:US AAA:US'], 'listings of one rank: the first by its symbol') or diag explain \%primary;

finish();

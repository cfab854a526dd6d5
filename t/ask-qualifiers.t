# Questions with qualifiers: a second period, a period of another length, a bound, a negation, a superlative. Each is used by the answer or makes
# it refuse, and the refusal names it. No question is answered as if a word of it were not there.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }

# What is stored of a company: the value of a metric by its fiscal label.
sub stored
{
    my ($ticker, $metric) = @_;
    return map { ($_->{fiscal} => 0 + $_->{value}) } $site->rows("SELECT f.fiscal, f.value FROM fundamental f JOIN issuer i USING (issuer_id) WHERE i.ticker = '$ticker'
        AND f.metric_key = '$metric' AND f.superseded_at IS NULL AND f.period_kind IN ('annual', 'quarter') AND f.fiscal IS NOT NULL");
}
my %revenue = stored('QORDRA', 'revenue');
my %income = stored('QORDRA', 'net_income');
ok($revenue{"FY$_"}, "revenue of $_ is stored") for 2021 .. 2024;

sub values_are
{
    my ($question, @values) = @_;
    my $answer = ask($question);
    return is_deeply([map { 0 + $_->{value}{raw} } $answer->{data_points}->@*], \@values, $question) || diag $answer->{answer_md}, $answer->{not_found};
}

# Nothing is answered from numbers or records; `named` is the word that the refusal has to name.
sub refused
{
    my ($question, $named) = @_;
    my $answer = ask($question);
    is_deeply($answer->{data_points}, [], "refused: $question") or diag $answer->{answer_md};
    isnt($answer->{confidence}, 'high', '... without confidence');
    return if !defined $named;
    is_deeply([@$answer{qw(answer_md confidence)}, $answer->{citations}], ['', 'none', []], '... without a statement');
    return like($answer->{not_found}, qr/"$named"/, "... which names $named");
}

# ------------------------------------------------------------------------- periods

values_are('Qordra revenue in 2022 and 2024', @revenue{qw(FY2022 FY2024)});
values_are('Qordra revenue 2022, 2024', @revenue{qw(FY2022 FY2024)});
values_are('Qordra 2023 revenue vs 2024', @revenue{qw(FY2023 FY2024)});
values_are('Compare Qordra revenue of FY24 with FY2022', @revenue{qw(FY2022 FY2024)});
values_are('What was Qordra\'s revenue in 2021, 2023 and 2024?', @revenue{qw(FY2021 FY2023 FY2024)});
values_are('What was Qordra\'s revenue and net income in FY2024 and FY2023?', map { @$_{qw(FY2023 FY2024)} } \(%income, %revenue));
values_are('Qordra revenue from 2022 to 2024', @revenue{qw(FY2022 FY2023 FY2024)});
values_are('Qordra revenue 2022-2024', @revenue{qw(FY2022 FY2023 FY2024)});
values_are('Qordra revenue, 2022 to 2024', @revenue{qw(FY2022 FY2023 FY2024)});
values_are('QORDRA:US revenue FY2024', $revenue{FY2024});
values_are('Compare Qordra and Zemrus revenue 2024', $revenue{FY2024}, +{ stored('ZEMRUZ', 'revenue') }->{FY2024}, +{ stored('ZEMRUZ', 'revenue') }->{FY2024}, $revenue{FY2024});
values_are('What revenue did QORDRA record in Q2 of fiscal 2024?', $revenue{'Q2 FY2024'});
values_are($_, $revenue{'Q2 FY2024'}) for 'Qordra 2024 Q2 revenue', 'Qordra revenue 2024Q2', 'Qordra revenue 2024-Q2', 'Qordra revenue fiscal 2024 Q2', 'Qordra Q2 2024 revenue';
values_are('Qordra quaterly revenue 2024', @revenue{map { "Q$_ FY2024" } 1 .. 4});
values_are('Qordra quarterly revenue 2024', @revenue{map { "Q$_ FY2024" } 1 .. 4});
my %shop = stored('AKOGOM', 'revenue');
values_are('Akogom revenue calendar 2022 and 2023', @shop{qw(FY2023 FY2024)}); # its years end in January
isnt($shop{'Q2 FY2024'}, undef, 'its quarters are stored');
values_are($_, $shop{'Q2 FY2024'}) for 'Akogom 2024 Q2 revenue', 'Akogom 2024Q2 revenue', 'Akogom Q2 2024 revenue', 'Akogom revenue 2024 second quarter';
values_are($_, $shop{'Q2 FY2025'}) for 'Akogom calendar 2024 Q2 revenue', 'Akogom revenue calendar 2024Q2', 'Akogom revenue Q2 of calendar 2024', 'Akogom revenue in calendar Q2 2024';
values_are('Akogom revenue from calendar 2022 to calendar 2023', @shop{qw(FY2023 FY2024)});
values_are('Akogom revenue 2022 and 2023', @shop{qw(FY2022 FY2023)});
like(ask('Qordra revenue in 2024 and 2035')->{not_found}, qr/2035/, 'a year without a number is named');
for my $question ('Qordra revenue growth 2022 to 2024', 'How much did Qordra revenue grow between 2022 and 2024?', 'Growth of Qordra\'s revenue from fiscal 2022 to fiscal 2024', 'Qordra revenue growth 2024 vs 2022',
    'How much did revenue of Qordra change in 2024 compared to 2022?') {
    values_are($question, @revenue{qw(FY2024 FY2022)});
    my $percent = sprintf '%.1f', 100 * ($revenue{FY2024} / $revenue{FY2022} - 1);
    $percent =~ s/\.0\z//;
    like(ask($question)->{answer_md}, qr/ (?:up|down) \Q@{[abs $percent]}\E% from .* in fiscal 2022/, '... of all years');
}
refused($_->[0], $_->[1]) for (
    ['Qordra nine months 2024 revenue', 'nine'], ['Qordra revenue for the first nine months of 2024', 'first'], ['Qordra six months 2024 revenue', 'six'], ['Qordra monthly revenue 2024', 'monthly'],
    ['Qordra revenue for three months of fiscal 2024', 'three'], ['Qordra YTD revenue 2024', 'ytd'],
    ['Qordra revenue 2024 year to date', 'date'], ['revenue of Qordra in the first two months of 2024', 'first'], ['Qordra weekly revenue in 2024', 'weekly'],
    ['Qordra revenue before 2022', 'before'], ['revenue of Qordra prior to 2022', 'prior to'], ['Qordra revenue until 2022', 'until'], ['Qordra\'s revenue after 2022', 'after'], ['Qordra revenue since 2023', 'since'],
    ['Qordra revenue earlier than 2022', 'earlier than'], ['Qordra revenue from 2022', 'from'], ['Qordra revenue up to 2022', 'up to'], ['Qordra revenue past 2022', 'past'], ['Qordra revenue by 2022', 'by'],
    ['Qordra revenue 2022 to today', 'to'], ['Qordra revenue between Q1 and Q3 2024'], ['Qordra revenue from Q1 2023 to Q3 2024'], ['Qordra revenue 2023/2024'],
    ['Qordra revenue first quarter and Q2 2024'], ['Qordra revenue growth since 2021', 'since'], ['Qordra revenue growth from 2022', 'from'], ['Qordra revenue growth over 2022', 'over'],
    ['Qordra revenue growth in 2022 and 2024', '2024'], ['Qordra growth of revenue 2024 to 2022', '2022'], ['Qordra revenue growth over the last 3 years', 'growth'],
    ['revenue of Qordra in 2023 and of Zemruz in 2024', '2024'], ['Compare Qordra 2023 with Zemruz 2024 net income', '2024'], ['revenue qordra 2024 vs zemruz 2023', '2024'],
    ['Qordra previous quarter revenue', 'previous'], ['Qordra revenue of the year before', 'before'], ['Qordra assets at the beginning of 2024', 'beginning'], ['Qordra trailing twelve months revenue Q2 2024', 'trailing'],
    ['Qordra revenue of the last 3 years before 2022', 'before'], ['Qordra quarterly revenue over the last 3 years', 'quarterly'], ['Qordra annual revenue in Q2 2024', 'annual'], ['Qordra latest revenue 2022', 'latest'],
    ['Qordra revenue 2024 quarter over quarter growth', 'quarter'], ['Qordra total assets trailing twelve months', 'trailing'], ['Qordra revenue in 10-Q 2024'],
    ['Qordra revenue this year', 'this year'], ['Qordra revenue announced in 2023 for fiscal 2022', 'announced'], ['Did Qordra have record revenue in 2024?', 'record'], ['Qordra peak revenue 2024'],
    ['Qordra revenue in euros in 2024'], ['Qordra revenue this quarter', 'this quarter'], ['Qordra calendar revenue', 'calendar'], ['revenue 2024 of Qordra in US', 'us'],
);
isnt(ask('Qordra current assets 2024')->{data_points}[0]{metric_key} // '', 'assets', 'current assets are not all assets');
like(ask('Which had the lower net income in FY2023, Qordra or Zemruz?')->{answer_md}, qr/The lower is that of .* by USD [\d.]+ \w+ below that of/, 'the lower of two');
my @last = map { $_->{value}{raw} } ask('Compare Qordra and Zemruz revenue over the last 3 years')->{data_points}->@*;
is(scalar @last, 6, 'three years of two companies');

# ------------------------------------------------------ superlatives and negations

refused($_->[0], $_->[1]) for (
    ['Qordra lowest quarterly net income', 'lowest'], ['highest revenue of Qordra', 'highest'], ['Qordra worst net income', 'worst'],
    ['What was the smallest revenue of Qordra?', 'smallest'], ['lowest quarterly net income of Qordra and Zemruz', 'lowest'],
    ['Which company had the lowest quarterly net income in 2024?', 'quarterly'], ['Which company had the highest revenue growth in 2024?', 'growth'], ['Which company had the highest revenue from 2021 to 2023?', '2023'],
    ['Which company had the highest and the lowest revenue in 2024?', 'highest'], ['Which company had the highest revenue and net income in 2024?', '(?:revenue|net income)'],
    ['Which company had the second highest revenue in 2024?', 'second'],
    ['Which company did not have the highest revenue in 2024?', 'not'], ['How much revenue did Qordra not make in 2024?', 'not'], ['Which companies had no revenue in 2024?'], ['Qordra never had revenue in 2024', 'never'],
    ["How much revenue didn't Qordra make in 2024?"], ['Which insiders did not sell shares of Akogom in 2025?', 'not'], ['Who is not the CEO of Qordra?', 'not'], ['What was the net loss of Qordra in FY2024?'],
    ['Qordra revenue excluding 2024', 'excluding'], ['Qordra US revenue 2024', 'us'],
);

# ------------------------------------------------- words that make another number of a metric

refused($_->[0], $_->[1]) for (
    ['How many shares did Qordra repurchase in 2024?', 'many'], ['Qordra number of shares repurchased 2024', 'number'], ['How many revenue did Qordra have in 2024?', 'many'], ['number of net income of Qordra 2024', 'number'],
    ['value of diluted shares of Qordra 2024', 'value'], ['Qordra inventory turnover 2024', 'turnover'], ['Qordra turnover of inventory 2024', '(?:turnover|inventory)'], ['Qordra receivables turnover 2024'],
    ['Qordra assets turnover 2024', '(?:turnover|assets)'], ['Qordra revenue net income 2024', '(?:revenue|net income)'], ['Qordra net income to revenue 2024', '(?:revenue|net income)'],
    ['Qordra net income per revenue 2024', '(?:revenue|net income|per)'], ['Qordra liabilities to assets 2024', '(?:liabilities|assets)'], ['Qordra revenue per employee 2024'], ['Qordra revenue by employee 2024'],
    ['Qordra revenue per share 2024'], ['Qordra deferred revenue growth rate of customers 2024'], ['Qordra staff turnover 2024'], ['Qordra revenue 2023 and net income 2022', '2023'],
    ['Qordra 2023 revenue and 2022 net income', '2023'],
);
values_are($_, $income{FY2024}, $revenue{FY2024}) for 'Qordra net income, revenue 2024', 'Qordra net income and revenue 2024', 'Qordra net income & revenue in 2024', 'Qordra net income / revenue in fiscal 2024';
values_are('Qordra revenue 2024 and net income 2024', $income{FY2024}, $revenue{FY2024});
isnt(ask('How many diluted shares did Qordra have in 2024?')->{answer_md}, '', 'a count may be asked for by "how many"');

# -------------------------------------------------------------------------- topics

for my $case (['Short interest of Akogom in 2023', 'short_interest', 'settlement_date', 'company_id'], ['largest holder of Zemruz in 2022', 'institution_holder', 'period_of_report', 'company_id']) {
    my $answer = ask($case->[0]);
    my ($year) = $case->[0] =~ /(\d{4})/;
    cmp_ok(scalar $answer->{data_points}->@*, '>', 0, "$case->[0] is answered");
    is_deeply([grep { $_->{period}{end_date} !~ /^$year-/ } $answer->{data_points}->@*], [], "... from records of $year alone");
}
refused($_->[0], $_->[1]) for (
    ['Who was CEO of Akogom in 2005?'], ['Who was the CEO of Qordra?', 'was'], ['Who will be the next CEO of Qordra?', '(?:will|next)'], ['Who is the next CEO of Qordra?', 'next'], ['Who is the former CEO of Qordra?', 'former'],
    ['Who is the CEO of Qordra since 2020?'], ['Who is the first CEO of Qordra?', 'first'], ['Who is CEO of Qordra in 2020?', '2020'], ['Who is the CEO and CFO of Qordra?', 'cfo'], ['Who were the CEO of Qordra?', 'were'],
    ['short interest in Akogom before 2024', 'before'], ['short interest in Akogom since 2023', 'since'], ['short interest in Akogom in Q2 2024', 'Q2'], ['short interest in Akogom 2023 and 2024', '2024'],
    ['lowest short interest in Akogom', 'lowest'], ['smallest holder of Zemruz', 'smallest'], ['How many holders does Zemruz have?', 'many'],
    ['three holders of Zemruz', 'three'], ['top 60 holders of Zemruz', '60'], ['top three holders of Zemruz before 2024', 'before'], ['second largest holder of Zemruz', 'second'], ['holders of Zemruz last quarter', 'quarter'], ['Which insiders sold Qordra in Q1 2025?', 'Q1'], ['Which insiders sold Qordra from 2023 to 2025?', '2025'],
    ['Which insiders bought and sold Qordra in 2025?', 'bought'], ['largest insiders of Qordra in 2025', 'largest'], ['smallest insider sale of Qordra in 2025', 'smallest'], ['total of the three largest insider sales of Qordra', 'total'], ['Which insiders sold Qordra last year?', 'last'],
    ['next ex dividend date of Zemruz', 'next'], ['When was the first stock split of Zemruz?', 'first'], ['When is the next Q2 earnings report of Qordra?', 'Q2'], ['Next 3 earnings dates of Qordra'],
    ['When was the earnings call of Zemruz before last?', 'before'], ['Which insiders sold Akogom shares in fiscal 2025?', 'fiscal'], ['short interest of Akogom in FY2023', 'fiscal'],
    ['When is the next previous earnings report of Qordra?', 'previous'],
);

# ----------------------------------------------------- the class: a qualifier in each place

my @answered = ("What was Qordra's revenue in fiscal 2024?", 'Qordra net income Q2 2025', 'How much did Qordra revenue grow in fiscal 2024?', 'Compare net income of Qordra and Zemruz Freight in FY2023',
    'Which company had the highest revenue in 2024?', 'Qordra revenue over the last 4 quarters', 'Who is the CEO of Zemruz Freight?', 'What is the short interest in Zemruz?', 'Who are the holders of Zyllux?',
    'Which insiders sold shares of Qordra in 2025?', 'When is the next earnings report of Qordra?', 'Qordra revenue from 2021 to 2023',
    'Qordra revenue in the quarter ended June 30, 2025', 'What were the total assets of Qordra as of June 30, 2025?', 'How much revenue did Qordra make from Services in Q2 2025?', 'Qordra revenue by segment in Q2 2025',
    'How much did Qordra Services revenue grow in Q2 2025?', 'Compare Products and Services revenue of Qordra in Q2 2025',
    'Which members of Congress traded Qordra?', 'Which funds hold Qordra?', 'What does Haxbru Imaginary Equity ETF hold?', 'Short interest of Qordra on March 15, 2024', 'Who owns more than 5% of Qordra?',
    'Which directors sold shares of Qordra in October 2022?',
    'top 3 holders of Zemruz', 'Who is the largest holder of Qordra?', 'Which fund holds most of Qordra?', 'the two largest insider sales at Akogom in 2025', 'the two biggest purchases of Qordra by members of Congress',
    'What did Yorick Marrowmoor sell?', 'Who added Zemruz in the last quarter?', 'Which institutions reduced their stake in Qordra in Q2 2024?', 'Did Vellumridge & Plujub Partners change its position in Zemruz in 2024?',
    'latest trades of members of Congress', 'What did members of Congress buy in March 2024?');
my @qualifiers = ('not', 'no', 'never', 'without', 'except', 'before', 'after', 'since', 'until', 'prior to', 'before 2022', 'since 2019', 'lowest', 'smallest', 'worst', 'least', 'average', 'median', 'first', 'second', 'next',
    'previous', 'former', 'nine months', 'monthly', 'half', 'year to date', 'weekly', 'under', 'like', 'other', 'another', 'per month', 'excluding', '2019 and', 'in 2016', 'Q3', 'per share', 'twice', 'minimum', 'combined', 'US', 'might');
my ($tried, $refusals) = (0, 0);
for my $question (@answered) {
    my $plain = ask($question);
    isnt($plain->{answer_md}, '', "answered: $question");
    my @words = split / /, $question;
    for my $qualifier (@qualifiers) {
        next if $question =~ /next/ && $qualifier eq 'next' || $question =~ /quarter ended June/ && $qualifier eq 'second'; # which it is
        for my $place (0, int(@words / 2), scalar @words) {
            my $asked = join ' ', @words[0 .. $place - 1], $qualifier, @words[$place .. $#words];
            my $answer = ask($asked);
            $tried++;
            $refusals++ if $answer->{answer_md} eq '';
            fail("not as without \"$qualifier\": $asked") or diag $answer->{answer_md} if $answer->{answer_md} eq $plain->{answer_md};
        }
    }
}
cmp_ok($tried, '>', 1400, "$tried questions with a qualifier have other answers than without, or none ($refusals)");

finish();

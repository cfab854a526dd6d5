# Questions that are read again in other words: typing errors, sums and averages, differences, how many, filings, who is what. What is computed is held
# against the stored records here. What a question has beyond that still makes it refused.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }
sub told { my ($question, @lines) = @_; my $answer = ask($question); return is($answer->{answer_md}, join("\n\n", @lines), $question) || diag $answer->{not_found} // '' }
sub same { my ($question, $as) = @_; my ($answer, $other) = (ask($question), ask($as)); isnt($other->{answer_md}, '', "answered: $as"); return is($answer->{answer_md}, $other->{answer_md}, "$question: as $as") || diag $answer->{not_found} // '' }
sub nothing { my ($question, $why) = @_; my $answer = ask($question); is_deeply([@$answer{qw(answer_md confidence)}, $answer->{citations}], ['', 'none', []], "nothing: $question") or diag $answer->{answer_md}; return !defined $why || is($answer->{not_found}, $why, '... and why') }
sub company { my ($ticker) = @_; return $site->value("SELECT issuer_id FROM issuer WHERE ticker = '$ticker'") }
my $present = 'superseded_at IS NULL';

sub number_of { my ($ticker, $metric, $fiscal) = @_; return $site->value("SELECT value FROM fundamental WHERE issuer_id = ${\company($ticker)} AND metric_key = '$metric' AND fiscal = '$fiscal' AND $present AND period_kind IN ('annual', 'quarter')") }
sub said { my ($value, $unit) = @_; return $site->value("SELECT ask_number($value, '" . ($unit // 'USD') . "', false)") }
my %year = map { my $year = $_; ($year => number_of('QORDRA', 'revenue', "FY$year")) } 2021 .. 2025;
my @quarter = (undef, map { number_of('QORDRA', 'revenue', "Q$_ FY2024") } 1 .. 4);
my $qordra = 'Qordra Software Inc.';
my @ordinal = qw(none first second third fourth);
my @ended = ('', '31 March 2024', '30 June 2024', '30 September 2024', '31 December 2024');
sub of_quarter { my ($n) = @_; return "$qordra, revenue in the $ordinal[$n] quarter of fiscal 2024, ended $ended[$n]: ${\said($quarter[$n])} [" . $_[1] . '].' }
sub of_year { my ($year, $marker) = @_; return "$qordra, revenue in fiscal $year, ended 31 December $year: ${\said($year{$year})} [$marker]." }

# ----------------------------------------------------------------- sums and averages

my $total = said($quarter[1] + $quarter[2]);
told($_, of_quarter(1, 1), of_quarter(2, 2), "Together that is $total [3][4].") for 'Qordra revenue in the first half of 2024', 'Qordra H1 2024 revenue', 'Total Qordra revenue for Q1 and Q2 2024', 'Qordra revenue Q1 plus Q2 2024';
told('Qordra revenue Q1 and Q2 2024', of_quarter(1, 1), of_quarter(2, 2));
told('Qordra revenue Q2 through Q4 of fiscal 2024', map { of_quarter($_, $_ - 1) } 2 .. 4);
my $average = said(($quarter[1] + $quarter[2] + $quarter[3] + $quarter[4]) / 4);
told($_, (map { of_quarter($_, $_) } 1 .. 4), "On average that is $average a quarter [5][6][7][8].")
    for 'What was the average quarterly revenue of Qordra in fiscal 2024?', 'Qordra mean revenue per quarter in fiscal 2024', 'What did Qordra average in revenue per quarter in fiscal 2024?';
told($_, of_year(2022, 1), of_year(2023, 2), of_year(2024, 3), 'Together that is ' . said($year{2022} + $year{2023} + $year{2024}) . ' [4][5][6].')
    for 'Sum of Qordra revenue for fiscal 2022 through 2024', 'How much revenue did Qordra make in total from fiscal 2022 to fiscal 2024?', 'Combined revenue of Qordra for fiscal 2022, 2023 and 2024', 'Cumulative revenue of Qordra FY2022-FY2024', 'cumulative revenue of Qordra FY22-FY24';
told('Qordra average revenue 2022 and 2024', of_year(2022, 1), of_year(2024, 2), 'On average that is ' . said(($year{2022} + $year{2024}) / 2) . ' a year [3][4].');
told('Qordra total of revenue 2022 and 2024', of_year(2022, 1), of_year(2024, 2), 'Together that is ' . said($year{2022} + $year{2024}) . ' [3][4].');
my $freight = number_of('ZEMRUZ', 'revenue', 'FY2024');
my @both = ("$qordra had revenue of ${\said($year{2024})} in fiscal 2024, ended 31 December 2024 [1].", "Zemruz Freight Inc. had revenue of ${\said($freight)} in fiscal 2024, ended 31 December 2024 [2].");
told('Combined revenue of Qordra and Zemruz in fiscal 2024', @both, 'Together that is ' . said($year{2024} + $freight) . ' [3][4].');
is(ask('Average gross margin of Qordra from 2022 to 2024')->{answer_md} =~ s/.*\n//sr, 'On average that is 50.2% a year [4][5][6].', 'margins have an average');
nothing($_) for 'Sum of Qordra gross margin for 2022 and 2023', 'What was the average revenue of Qordra?', 'Sum of Qordra revenue from 2010 to 2024', "Sum of Qordra's total assets for 2022 and 2023", 'average stock price of Qordra in 2024', 'Qordra average revenue growth from 2021 to 2024', 'total revenue of Qordra by 2024';

# ------------------------------------------------------------- differences and bounds

my $grown = "$qordra had revenue of ${\said($year{2024})} in fiscal 2024, ended 31 December 2024 [1], up 16.4% from ${\said($year{2023})} in fiscal 2023, ended 31 December 2023 [2], a difference of ${\said($year{2024} - $year{2023})}.";
told($_, $grown) for "By how many dollars did Qordra's revenue grow in fiscal 2024?", 'How many more dollars of revenue did Qordra have in fiscal 2024 than in fiscal 2023?', 'What was the dollar change in Qordra revenue from FY2023 to FY2024?', "How much higher was Qordra's revenue in fiscal 2024 than in 2023, in dollars?",
    'absolute change in revenue of Qordra between fiscal 2023 and fiscal 2024', 'Qordra revenue change in dollars, fiscal 2024 vs 2023', "What is the difference between Qordra's 2024 and 2023 revenue?";
told("By how many dollars did Qordra's diluted EPS grow in fiscal 2024?", "$qordra had earnings per share, diluted of USD 0.04 per share in fiscal 2024, ended 31 December 2024 [1], up 33.3% from USD 0.03 per share in fiscal 2023, ended 31 December 2023 [2], a difference of USD 0.01 per share.");
told('CAGR of Qordra revenue from fiscal 2021 to fiscal 2024', "$qordra had revenue of ${\said($year{2024})} in fiscal 2024, ended 31 December 2024 [1], up 55.2% from ${\said($year{2021})} in fiscal 2021, ended 31 December 2021 [2], which is 15.8% a year, compounded over 3 years.");
told("Did Qordra's revenue exceed 100 million dollars in fiscal 2024?", "$qordra had revenue of ${\said($year{2024})} in fiscal 2024, ended 31 December 2024 [1], which is more than USD 100 million.");
told('Was Qordra revenue above $1 billion in fiscal 2024?', "$qordra had revenue of ${\said($year{2024})} in fiscal 2024, ended 31 December 2024 [1], which is less than USD 1 billion.");
told('Is the gross margin of Qordra below 10% in fiscal 2024?', "$qordra had gross margin of 50.4% in fiscal 2024, ended 31 December 2024 [1], which is more than 10%.");
told('Qordra net income as a percentage of revenue in fiscal 2024', "$qordra had net income of USD 4.3 million in fiscal 2024, ended 31 December 2024 [1], which is 1.4% of revenue of ${\said($year{2024})} [2].");
same("Ratio of Qordra's net income to revenue in fiscal 2024", 'Qordra net income as a percentage of revenue in fiscal 2024');
told($_, "$qordra, revenue in fiscal 2025, ended 31 December 2025: ${\said($year{2025})} [1], the highest of the 6 years that are stored.") for 'In which year did Qordra have the highest revenue?', "What was Qordra's best year by revenue?";
told('Which quarter of fiscal 2024 had the lowest revenue for Qordra?', of_quarter(1, 1) =~ s/\.\z/, the lowest of the 4 quarters that are stored./r);
told('Qordra revenue in dollars fiscal 2024', $both[0]);
nothing('Qordra revenue in euros fiscal 2024');
same('Qordra revenue two years before fiscal 2024', 'Qordra revenue in fiscal 2022');

# ------------------------------------------------------------------------ wordings

same($_, "Was Qordra's revenue larger than Zemruz's in fiscal 2024?") for 'Between Qordra and Zemruz, which one had the greater revenue in FY2024?', "Was Qordra's revenue larger than Zemruz's (fiscal 2024)?", "By how much did Qordra's revenue exceed Zemruz's in fiscal 2024?", 'Rank Qordra and Zemruz by revenue in fiscal 2024';
is(ask("How many times larger was Zemruz's revenue than Qordra's in fiscal 2024?")->{answer_md} =~ s/.*, //sr, $site->value("SELECT trim_scale(round(${freight}::numeric / $year{2024}, 2))") . ' times as much.', 'a multiple');
same($_, 'What was the revenue of Qordra in fiscal 2024?') for "What was Qordraa's revnue in fiscal 2024?", 'what was qordras revenue in fiscal 2024', 'Hi, can you look up Qordra revenue, fiscal 2024, pls', "Do you know Qordra's revenue figures for fiscal 2024?", 'how mch revenue did Qordra hav in fiscal 2024';
same('Qordra oprating incme fiscal 2024', 'Qordra operating income fiscal 2024');
same('Show Qordra revenue by year from fiscal 2022 to fiscal 2024', 'Qordra revenue from fiscal 2022 to fiscal 2024');
same('top five companies by revenue in 2024', 'top five companies with the highest revenue in 2024');

# -------------------------------------------------------------------------- people

my $chief = 'Hollowworth Ondra K. is Chief Executive Officer of Qordra Software Inc., as reported on 30 March 2022 [1].';
told($_, $chief) for 'Is Ondra Hollowworth the CEO of Qordra?', "Is Ondra Hollowworth Qordra's chief executive?", 'Who runs Qordra?', "What is Ondra Hollowworth's role at Qordra?", 'What position does Ondra Hollowworth hold at Qordra?';
told($_, $chief) for 'Is Ondra Hollowworth the CFO of Qordra?', 'Is Corvin Hollowworth the CEO of Qordra?'; # what she is, and who is
my @board = map { $_->{name} } $site->rows("SELECT name FROM executive WHERE issuer_id = ${\company('QORDRA')} AND $present AND is_current AND role ~* '\\mdirector\\M' ORDER BY reported_on DESC, name");
for my $question ('Who sits on the board of Qordra?', 'List the directors of Qordra', "Qordra's board members") {
    is_deeply([ask($question)->{answer_md} =~ /^(.+?) is /gm], \@board, $question);
}
my @officers = map { $_->{name} } $site->rows("SELECT name FROM executive WHERE issuer_id = ${\company('QORDRA')} AND $present AND is_current AND category = 'executives' AND role !~* '^director' ORDER BY reported_on DESC, name");
is_deeply([ask($_)->{answer_md} =~ /^(.+?) is /gm], \@officers, $_) for "Who are Qordra's executives?", 'Which officers does Qordra have?';
nothing($_) for 'How many directors does Qordra have?', 'Was Ondra Hollowworth the CEO of Qordra in 2010?', 'Who was the CEO of Qordra before Ondra Hollowworth?', 'What is the role of the board at Qordra?', 'Is Ondra Hollowworth married to the CEO of Qordra?';

# -------------------------------------------------------------------------- trades

my ($sales) = $site->rows("SELECT count(*) AS number, sum(shares)::bigint AS shares, sum(value) AS value, count(DISTINCT insider_name) AS people FROM insider_transaction WHERE issuer_id = ${\company('AKOGOM')}
    AND $present AND NOT is_derivative AND transaction_type = 'sale' AND transaction_date BETWEEN '2025-01-01' AND '2025-12-31'");
my $stored = "$sales->{number} sales in Akogom Stores Inc. of 2025 are stored";
my $cited = '; cited are the latest 5 [1][2][3][4][5].';
told('How many shares did insiders sell at Akogom in 2025?', "$stored, of " . (scalar reverse((reverse $sales->{shares}) =~ s/(\d{3})(?=\d)/$1,/gr)) . " shares in all$cited");
told('How many insiders sold shares of Akogom in 2025?', "$stored, by $sales->{people} insiders$cited");
told('How many insider sales were there at Akogom in 2025?', "$stored$cited");
told('What was the total value of insider sales at Akogom in 2025?', "$stored, worth ${\said($sales->{value})} in all$cited");
my ($traded) = $site->rows("SELECT count(*) AS number, count(DISTINCT issuer_id) AS people FROM congress_trade WHERE company_id = ${\company('QORDRA')} AND $present AND left_out IS NOT TRUE");
told('How many members of Congress traded Qordra?', "$traded->{number} transactions in Qordra Software Inc. are stored, by $traded->{people} members of Congress$cited");
like(ask('When did Ondra Hollowworth last sell Qordra shares?')->{answer_md}, qr/\AHollowworth Ondra K\. .* reported a sale of 5,368 shares of Qordra Software Inc\. on 14 August 2025 at USD 128\.58 \[1\]\.\z/, 'when it was last');
same("Did Qordra's CEO sell shares in 2025?", 'Did Ondra Hollowworth sell shares of Qordra in 2025?');
told('How many shares of Qordra does Ondra Hollowworth own?', 'Hollowworth Ondra K. owned 80,072 shares of Qordra Software Inc. directly after the transaction of 26 January 2026 [1].');
nothing($_) for 'How many trades did members of Congress report in 2025?', 'Which insider of Qordra sold most shares?', 'How many shares did insiders of Qordra not sell in 2025?', 'How many shares did the chauffeur of Qordra sell?', 'How many insiders of Qordra went to prison?';

# ---------------------------------------------------------------- other records

told('How has the short interest in Qordra changed?', 'The short interest in Qordra Software Inc. was 4,501,233 shares on 15 September 2026 [1], up 100,028 shares, or 2.3%, from 4,401,205 on 31 August 2026 [2].');
told('How did the short interest in Qordra change from 15 March 2024 to 30 April 2024?', 'The short interest in Qordra Software Inc. was 5,464,217 shares on 30 April 2024 [1], up 543,351 shares, or 11%, from 4,920,866 on 15 March 2024 [2].');
told('By how much did the short interest in Qordra rise in March 2024?', 'The short interest in Qordra Software Inc. was 4,776,929 shares on 28 March 2024 [1], up 296,872 shares, or 6.6%, from 4,480,057 on 29 February 2024 [2].');
same($_, 'short interest of Qordra') for 'How heavily is Qordra shorted?', 'How many shares of Qordra are sold short right now?';
told('How many times has Zemruz split its stock?', '2 stock splits of Zemruz Freight Inc. (ZEMRUZ:US) are stored [1][2].'); # of one class of its shares
told('How many dividends did Zemruz pay in 2025?', '4 dividends of Zemruz Freight Inc. (ZEMRUZ:US) of 2025 are stored [1][2][3][4].');
told('How much did Zemruz pay in dividends per share in 2025?', '4 dividends of Zemruz Freight Inc. (ZEMRUZ:US) of 2025 are stored, of USD 0.28 per share in all [1][2][3][4].');
told('Did Zemruz raise its dividend?', 'Zemruz Freight Inc. (ZEMRUZ:US) had a dividend of USD 0.08 per share with the ex-dividend date 13 August 2026, paid on 2 September 2026 [1], up from USD 0.07 with the ex-dividend date 14 November 2025 [2].');
same('latest earnings release of Qordra', 'When was the last earnings date of Qordra?');
told('How many times did Qordra report earnings in 2025?', '4 earnings dates of Qordra Software Inc. of 2025 are stored [1][2][3][4].');
same("What is Ambervane & Jixvar Partners' stake in Qordra?", 'How many shares of Qordra does Ambervane & Jixvar Partners hold?');
same('Who filed a 13D on Qordra?', 'Schedule 13D beneficial owners of Qordra');

# ------------------------------------------------------------------------- filings

my $annual = 'Qordra Software Inc. filed Form 10-K on 24 March 2026, period of report 31 December 2025, accession number 9990000001-26-000004 [1].';
told($_, $annual) for "When was Qordra's latest 10-K filed?", 'latest 10-K of Qordra', 'When was the annual report of Qordra published?', 'What did Qordra file on 24 March 2026?', "accession number of Qordra's latest 10-K", "Qordra's 10-K for fiscal 2025", 'Did Qordra file a 10-K in March 2026?';
my $quarterly = 'Qordra Software Inc. filed Form 10-Q on 5 August 2025, period of report 30 June 2025, accession number 9990000001-25-000015 [1].';
told($_, $quarterly) for "Qordra's 10-Q for Q2 2025", 'Did Qordra file a 10-Q in August 2025?', '10-Q of Qordra for the second quarter of fiscal 2025';
told('How many 8-Ks did Qordra file in 2025?', '5 filings of Form 8-K of Qordra Software Inc. of 2025 are stored [1][2][3][4][5].');
is_deeply([map { $_->{dataset} } ask('Show the three most recent 8-Ks of Qordra')->{citations}->@*], [('filing') x 3], 'three of them');
nothing($_) for "When was Qordra's first 10-K filed?", "What was in Qordra's latest 10-K?", 'Did Qordra file for bankruptcy?', 'Did Qordra file a patent in 2025?', 'Who audited the 10-K of Qordra?', 'How many pages does the 10-K of Qordra have?';

finish();

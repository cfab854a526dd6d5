# Questions about records: of a day, of a month, or from one day to another; trades of members of Congress, funds that hold a company,
# what funds and managers hold and how that changes, owners of more than five percent; the top few; insiders by their names. What the question restricts is what the answer keeps to, or it is refused.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }

my $present = 'superseded_at IS NULL';
sub company { my ($ticker) = @_; return ($site->rows("SELECT issuer_id, name FROM issuer WHERE ticker = '$ticker'"))[0] }
sub src_ids { my ($dataset, $sql) = @_; return map { "src_${dataset}_$_->{digest}" } $site->rows("SELECT replace(src_digest::text, '-', '') AS digest FROM $sql") }

# The records that the answer cites are these, in their order, and each has a sentence.
sub cites
{
    my ($question, $dataset, $sql, %more) = @_;
    my @wanted = src_ids($dataset, $sql);
    cmp_ok(scalar @wanted, '>', 0, "there is what is asked for: $question");
    my $answer = ask($question, %more);
    is_deeply([map { $_->{src_id} } $answer->{citations}->@*], \@wanted, $question) or diag $answer->{answer_md}, $answer->{not_found};
    is($answer->{confidence}, 'high', '... from records');
    is(scalar(() = $answer->{answer_md} =~ /\[\d+\]/g), scalar @wanted, '... one sentence for each');
    return $answer;
}
sub nothing { my ($question, $why) = @_; my $answer = ask($question); is_deeply([@$answer{qw(answer_md confidence not_found)}, $answer->{citations}], ['', 'none', $why, []], $question); return }
sub refused { my ($question, $named) = @_; nothing($question, "An answer from numbers and records would leave out \"$named\" of the question."); return }
sub untold
{
    my ($question) = @_;
    my $answer = ask($question);
    return is_deeply([grep { $_->{dataset} ne 'filing_text' && !defined $_->{quote} } $answer->{citations}->@*], [], "no record answers: $question") || diag $answer->{answer_md};
}

my $qordra = company('QORDRA')->{issuer_id};

# ------------------------------------------------------------- what is not stored

nothing('Did Qordra have a stock split in 2022?', 'Nothing of that kind is stored about Qordra Software Inc. of 2022.');
nothing('Who are the holders of Qordra in 1990?', 'Nothing of that kind is stored about Qordra Software Inc. of 1990.');
my ($unpaid) = $site->rows("SELECT name FROM issuer i WHERE ticker IS NOT NULL AND name LIKE '%.' AND NOT EXISTS (SELECT 1 FROM corporate_action a WHERE a.issuer_id = i.issuer_id AND a.kind = 'dividend') ORDER BY 1 LIMIT 1");
nothing("Dividends of $unpaid->{name}?", "Nothing of that kind is stored about $unpaid->{name}");

# ------------------------------------------------------------------ short interest

my ($day, $before) = map { $_->{day} } $site->rows("SELECT settlement_date AS day FROM short_interest WHERE issuer_id = $qordra AND $present AND settlement_date BETWEEN '2024-03-01' AND '2024-03-31' ORDER BY 1 DESC");
my $short = "short_interest WHERE issuer_id = $qordra AND $present";
my $answer = cites("Short interest of Qordra on $day", short_interest => "$short AND settlement_date = '$day'");
is($answer->{data_points}[0]{period}{end_date}, $day, '... of that day');
cites('What was the short interest in Qordra in March 2024?', short_interest => "$short AND settlement_date BETWEEN '2024-03-01' AND '2024-03-31' ORDER BY settlement_date DESC");
cites('latest short interest of Qordra in March 2024', short_interest => "$short AND settlement_date = '$day'");
cites('Short interest of Qordra from March 2024 to April 2024', short_interest => "$short AND settlement_date BETWEEN '2024-03-01' AND '2024-04-30' ORDER BY settlement_date DESC");
cites('Days to cover of Qordra between 1 March 2024 and 20 March 2024', short_interest => "$short AND settlement_date = '$before'");
cites('short interest in Qordra', short_interest => "$short AND settlement_date <= '2024-03-20' ORDER BY settlement_date DESC LIMIT 1", end_date => '2024-03-20');
nothing('Short interest of Qordra on March 17, 2024', 'Nothing of that kind is stored about Qordra Software Inc. of 17 March 2024. The nearest is of 15 March 2024 and 28 March 2024.');
refused(@$_) for (['short interest of Qordra until March 2024', 'until'], ['short interest of Qordra in March 2024 and May 2024', '31 May 2024'], ['short interest of Qordra in March 2024 vs April 2024', '30 April 2024'],
    ['short interest of Qordra before 15 March 2024', 'before'], ['short interest of Qordra from March 2024', 'from'], ['short interest of Qordra in March 2024 and 2023', '2023'],
    ['short interest of Qordra in the quarter ended 31 March 2024', '31 March 2024'], ['short interest of Qordra from April 2024 to March 2024', '31 March 2024']);
untold('short interest of Qordra in early March 2024');

# A company with two classes of shares has two of them, each with its symbol.
$answer = cites('Short interest in Zemruz as of June 30, 2023', short_interest => "short_interest WHERE issuer_id = @{[ company('ZEMRUZ')->{issuer_id} ]} AND $present AND settlement_date = '2023-06-30' ORDER BY symbol");
like($answer->{answer_md}, qr/^The short interest in Zemruz Freight Inc\. \(ZEMRUZ-B:US\) was [\d,]+ shares on 30 June 2023, .*\n\nThe short interest in Zemruz Freight Inc\. \(ZEMRUZ:US\) was /, '... which it names');
is_deeply([map { $_->{symbol} } $answer->{data_points}->@*], ['ZEMRUZ-B:US', 'ZEMRUZ:US'], '... as its data points do');
is(scalar ask('What is the short interest in Zemruz?')->{data_points}->@*, 2, 'the latest are two as well');

# ------------------------------------------------------------ dividends and splits

my ($paid) = $site->rows("SELECT i.issuer_id, i.name, a.action_date AS ex, a.payment_date AS payment, a.declaration_date AS declaration,
        to_char(a.payment_date, 'FMMonth YYYY') AS paid_in, to_char(a.action_date, 'FMMonth YYYY') AS ex_in, to_char(a.declaration_date, 'FMMonth YYYY') AS declared_in
    FROM corporate_action a JOIN issuer i USING (issuer_id)
    WHERE a.kind = 'dividend' AND a.$present AND a.action_date BETWEEN '2022-01-01' AND '2025-12-31' AND to_char(a.payment_date, 'YYYYMM') <> to_char(a.action_date, 'YYYYMM') AND a.declaration_date IS NOT NULL
    ORDER BY i.issuer_id, a.action_date DESC LIMIT 1");
my $dividend = "corporate_action WHERE kind = 'dividend' AND issuer_id = $paid->{issuer_id} AND $present AND action_date = '$paid->{ex}'";
$paid->{name} =~ s/,? (?:Inc\.|plc|AG)\z//;
cites("What dividend did $paid->{name} pay in $paid->{paid_in}?", corporate_action => $dividend);
cites("dividend paid on $paid->{payment} by $paid->{name}", corporate_action => $dividend);
cites("$paid->{name} dividend with ex-date in $paid->{ex_in}", corporate_action => $dividend);
cites("Which dividend did $paid->{name} declare on $paid->{declaration}?", corporate_action => $dividend);
like(ask("dividend of $paid->{name} in $paid->{paid_in}")->{not_found}, qr/^Nothing of that kind is stored about .* from 1 \w+ \d{4} to \d+ \w+ \d{4}\.$/, 'a month without an ex-dividend date');
refused("What dividend did $paid->{name} pay before $paid->{paid_in}?", 'before');
refused("dividends of $paid->{name} since $paid->{paid_in}", 'since');
$answer = cites('last dividend of Zemruz', corporate_action => "(SELECT *, max(action_date) OVER () AS newest FROM corporate_action WHERE kind = 'dividend' AND issuer_id = @{[ company('ZEMRUZ')->{issuer_id} ]} AND $present) a WHERE action_date = newest ORDER BY id");
is(scalar(() = $answer->{answer_md} =~ /^Zemruz Freight Inc\. \(ZEMRUZ(?:-B)?:US\) had a dividend/gm), 2, '... of both classes');
my ($split) = $site->rows("SELECT to_char(action_date, 'FMMonth YYYY') AS month FROM corporate_action WHERE kind = 'split' AND issuer_id = $qordra AND $present ORDER BY action_date DESC LIMIT 1");
cites("Did Qordra split its stock in $split->{month}?", corporate_action => "corporate_action WHERE kind = 'split' AND issuer_id = $qordra AND $present AND to_char(action_date, 'FMMonth YYYY') = '$split->{month}'");

# ------------------------------------------------------------ spin-offs and takeovers

for my $case (['spinoff', 'What spin-offs did N have?', 'had a spin-off'], ['m_and_a', 'Who acquired N?', 'had a merger or takeover'], ['m_and_a', 'Was N taken over?', 'had a merger or takeover']) {
    my ($kind, $question, $had) = @$case;
    my ($one) = $site->rows("SELECT i.issuer_id, i.name, a.description, to_char(a.action_date, 'FMDD FMMonth YYYY') AS day FROM corporate_action a JOIN issuer i USING (issuer_id)
        WHERE a.kind = '$kind' AND a.$present AND i.name LIKE '% Inc.' AND a.description NOT LIKE '%.' ORDER BY 1 LIMIT 1");
    (my $short_name = $one->{name}) =~ s/ Inc\.\z//;
    my $said = cites($question =~ s/N/$short_name/r, corporate_action => "corporate_action WHERE kind = '$kind' AND issuer_id = $one->{issuer_id} AND $present");
    is($said->{answer_md}, "$one->{name} $had on $one->{day}: $one->{description} [1].", '... as it is described');
}
untold('Which companies did Moxtyx acquire?');

# ------------------------------------------------------------------------ insiders

my ($sold) = $site->rows("SELECT i.issuer_id, i.name, to_char(t.transaction_date, 'YYYY') AS year, max(t.transaction_date) AS last, to_char(max(t.transaction_date), 'FMMonth YYYY') AS month
    FROM insider_transaction t JOIN issuer i USING (issuer_id) WHERE t.$present AND NOT t.is_derivative AND t.transaction_type = 'sale' AND t.shares IS NOT NULL AND i.name LIKE '% Inc.'
    GROUP BY 1, 2, 3 HAVING count(*) <= 20 AND count(*) FILTER (WHERE t.relationship ~ '^Director') BETWEEN 1 AND count(*) - 1 ORDER BY 1, 4 LIMIT 1");
my $sale = "insider_transaction WHERE issuer_id = $sold->{issuer_id} AND $present AND NOT is_derivative AND transaction_type = 'sale' AND transaction_date BETWEEN '$sold->{year}-01-01' AND '$sold->{year}-12-31'";
my $in_month = "$sale AND to_char(transaction_date, 'FMMonth YYYY') = '$sold->{month}'";
my $latest_first = 'ORDER BY transaction_date DESC, id DESC';
(my $seller = $sold->{name}) =~ s/ Inc\.\z//;
cites("Which insiders sold $seller shares in $sold->{month}?", insider => "$in_month $latest_first");
cites("Which directors sold shares of $seller in $sold->{year}?", insider => "$sale AND relationship ~ '^Director' $latest_first");
cites("Which officers sold shares of $seller in $sold->{year}?", insider => "$sale AND relationship ~ 'Officer:' $latest_first");
cites("Insider sales of $seller between 1 January $sold->{year} and $sold->{last}", insider => "$sale $latest_first");
is(cites("Who sold $seller shares in $sold->{month}?", insider => "$in_month $latest_first")->{not_found}, 'Named are insiders; holders and members of Congress are other questions.', '... and says who is meant');
cites("Who sold shares in $sold->{month}?", insider => "$in_month $latest_first", symbols => [$site->value("SELECT ticker FROM issuer WHERE issuer_id = $sold->{issuer_id}")]);
my ($gift) = $site->rows("SELECT i.name, i.issuer_id FROM insider_transaction t JOIN issuer i USING (issuer_id) WHERE t.$present AND t.transaction_type = 'gift' AND NOT t.is_derivative GROUP BY 1, 2 HAVING count(*) BETWEEN 1 AND 5 ORDER BY 2 LIMIT 1");
cites("Insider gifts at $gift->{name}", insider => "insider_transaction WHERE issuer_id = $gift->{issuer_id} AND $present AND NOT is_derivative AND transaction_type = 'gift' $latest_first");
refused(@$_) for (['Which insiders received shares of Qordra?', 'received'], ['Which insiders bought options of Qordra?', 'options'], ['Did Qordra buy shares from its directors?', 'from'], ['Who sold the most Qordra shares in 2025?', 'most'],
    ['Which insiders sold or received grants of Akogom in 2025?', 'grants'], ['Which insiders sold Akogom shares after March 2024?', 'after'], ['Which directors and insiders who are officers sold Akogom?', 'officers']);
untold('Who did Qordra buy shares from?');

# ------------------------------------------------------------------------ Congress

my $of_qordra = "congress_trade WHERE company_id = $qordra AND $present";
$answer = cites('Which members of Congress traded Qordra?', congress_trade => "$of_qordra $latest_first LIMIT 5");
is($answer->{not_found}, 'More of Qordra Software Inc. are stored; named are the latest.', '... the latest');
my ($trade) = $site->rows("SELECT t.*, i.name AS member FROM congress_trade t JOIN issuer i USING (issuer_id) WHERE t.company_id = $qordra AND t.$present AND t.transaction_type = 'purchase' AND t.owner IS NOT NULL ORDER BY t.transaction_date DESC, t.id DESC LIMIT 1");
my ($written) = $site->rows("SELECT to_char(date '$trade->{transaction_date}', 'FMDD FMMonth YYYY') AS day, to_char(date '$trade->{transaction_date}', 'FMMonth YYYY') AS month");
$answer = ask("Which politicians bought Qordra shares on $written->{day}?");
is($answer->{answer_md}, "$trade->{member} (" . ucfirst($trade->{chamber}) . ") reported a purchase of $trade->{asset_name} ($trade->{asset_type}) on $written->{day} of $trade->{amount_range}, owner: $trade->{owner} [1]\.", 'a trade is told with its range');
is_deeply([@{ $answer->{citations}[0] }{qw(dataset symbol quote)}, $answer->{citations}[0]{period}{end_date}, $answer->{data_points}], ['congress_trade', 'QORDRA:US', undef, $trade->{transaction_date}, []], '... and cited; a range is no value');
cites('Which senators traded Qordra?', congress_trade => "$of_qordra AND chamber = 'senate' $latest_first LIMIT 5");
cites('Which representatives sold Qordra in 2025?', congress_trade => "$of_qordra AND chamber = 'house' AND transaction_type LIKE 'sale%' AND transaction_date BETWEEN '2025-01-01' AND '2025-12-31' $latest_first");
cites("Congressional trades in Qordra in $written->{month}", congress_trade => "$of_qordra AND to_char(transaction_date, 'FMMonth YYYY') = '$written->{month}' $latest_first");
my ($first, $last) = $trade->{member} =~ /^(\S+) .*?(\S+)\z/;
my $of_member = "congress_trade WHERE issuer_id = $trade->{issuer_id} AND $present";
cites("What did $first $last buy?", congress_trade => "$of_member AND transaction_type = 'purchase' $latest_first LIMIT 5");
cites("Did $trade->{member} trade Qordra?", congress_trade => "$of_member AND company_id = $qordra $latest_first LIMIT 5");
my $title = $trade->{chamber} eq 'senate' ? 'Senator' : 'Representative';
is($site->value("SELECT count(*) FROM issuer WHERE party_key LIKE 'politician/%' AND surname_of(name) = lower('$last')"), 1, "one member is called $last");
cites("What did $title $last sell?", congress_trade => "$of_member AND transaction_type LIKE 'sale%' $latest_first LIMIT 5");
refused(@$_) for (['Which members of Congress traded Qordra before 2024?', 'before'], ['smallest trade by members of Congress in Qordra', 'smallest'],
    ['Which members of Congress bought and sold Qordra?', 'bought'], ['Which senators or representatives traded Qordra?', 'representatives'], ['Which members of Congress did not trade Qordra?', 'not'],
    ['Which congresswomen traded Qordra?', 'congresswomen'], ['Did the representative from Zemruz buy Qordra?', 'from zemruz'], ['What did Senator Qordra buy?', 'qordra']);
untold($_) for 'Which Democrats traded Qordra?', 'Did Senator Pelosi trade Qordra?', "What did $last buy?", "What did the spouse of $first $last buy?", 'What did Representative Marrowfold buy?';

# ------------------------------------------------------- funds, managers and holders

my $exposure = "fund_exposure WHERE issuer_id = $qordra AND $present";
my $by_value = 'ORDER BY value DESC, id DESC';
cites('Which funds hold Qordra?', fund_exposure => "$exposure $by_value");
$answer = cites('Which ETFs own Qordra shares?', fund_exposure => "$exposure AND is_etf $by_value");
is($answer->{data_points}[0]{value}{unit}, 'shares', '... by shares');
refused(@$_) for (['Which funds do not hold Qordra?', 'not'], ['Which funds hold Qordra in 2024?', '2024'], ['Which funds held Qordra on 30 June 2024?', '30 June 2024'], ['How many funds hold Qordra?', 'many']);
my $fund = company('HAXBRU')->{issuer_id};
my $holding = "fund_holding WHERE issuer_id = $fund AND $present";
$answer = cites('What does Haxbru Imaginary Equity ETF hold?', fund_holding => "$holding ORDER BY value DESC, id LIMIT 5");
is($answer->{not_found}, 'More of Haxbru Imaginary Equity ETF are stored; named are the largest.', '... the largest');
cites('Does Haxbru Imaginary Equity ETF hold Qordra?', fund_holding => "$holding AND company_id = $qordra");
cites('What does it hold?', fund_holding => "$holding ORDER BY value DESC, id LIMIT 5", symbols => ['HAXBRU']);

my ($manager) = $site->rows("SELECT h.issuer_id, i.name FROM institution_holder h JOIN issuer i USING (issuer_id) WHERE h.company_id = $qordra AND h.$present AND h.period_of_report = '2024-12-31' ORDER BY h.value DESC LIMIT 1");
my $held = "institution_holder WHERE issuer_id = $manager->{issuer_id} AND $present AND shares > 0";
my $of_value = 'ORDER BY value DESC, id LIMIT 5';
(my $called = $manager->{name}) =~ s/ (?:LLC|LLP|LP|Inc)\z//;
cites("What does $called hold?", institution_holder => "$held AND period_of_report = (SELECT max(period_of_report) FROM institution_report WHERE issuer_id = $manager->{issuer_id} AND $present) $of_value");
cites("Largest positions of $manager->{name} on 31 December 2024", institution_holder => "$held AND period_of_report = '2024-12-31' $of_value");
$answer = cites("How many shares of Qordra did $called own in December 2024?", institution_holder => "$held AND period_of_report = '2024-12-31' AND company_id = $qordra");
is($answer->{data_points}[0]{symbol}, 'QORDRA:US', '... of the company');
refused("smallest position of $called", 'smallest');
untold($_) for "What patents does $called hold?", 'Does Qordra hold Zemruz?', 'What does Vellumridge own?', 'What does Qordra own?';
# A manager whose name has a company's in it.
my ($wexlix) = $site->rows(q{SELECT issuer_id, name FROM issuer WHERE name LIKE 'Gossamermoor & Wexlix%'});
cites("What does $wexlix->{name} hold?", institution_holder => "institution_holder WHERE issuer_id = $wexlix->{issuer_id} AND $present AND shares > 0
    AND period_of_report = (SELECT max(period_of_report) FROM institution_report WHERE issuer_id = $wexlix->{issuer_id} AND $present) $of_value");

my $holders = "institution_holder WHERE company_id = $qordra AND symbol = 'QORDRA:US' AND $present AND shares > 0";
cites('Institutional holders of Qordra as of June 30, 2024', institution_holder => "$holders AND period_of_report = '2024-06-30' $of_value");
cites('Who held Qordra in March 2024?', institution_holder => "$holders AND period_of_report = '2024-03-31' $of_value");
cites('Holders of Qordra in the quarter ended June 30, 2024', institution_holder => "$holders AND period_of_report = '2024-06-30' $of_value");
my @said = ask('Who owns Gaxvar?')->{answer_md} =~ /^(.*?) held /gm;
is(scalar @said, scalar(keys { map { $_ => 1 } @said }->%*), 'a holder is named once');
nothing('Holders of Qordra on 15 June 2024', 'Nothing of that kind is stored about Qordra Software Inc. of 15 June 2024.');

# ------------------------------------------------------------------ beneficial owners

my $latest = "(SELECT DISTINCT ON (owner_name) * FROM beneficial_owner WHERE issuer_id = $qordra AND $present ORDER BY owner_name, event_date DESC, filing_date DESC, id DESC) o WHERE aggregate_amount > 0";
my $by_percent = 'ORDER BY percent_of_class DESC NULLS LAST, event_date DESC, id LIMIT 5';
cites('Beneficial owners of Qordra', beneficial_owner => "$latest $by_percent");
$answer = cites('Who owns more than 5% of Qordra?', beneficial_owner => "$latest AND percent_of_class > 5 $by_percent");
like($answer->{answer_md}, qr/^\S.* beneficially owned [\d,]+ shares of Qordra Software Inc\., [\d.]+% of the class, on \d+ \w+ \d{4}, by Schedule 13[DG](?:\/A)? \[1\]\./, '... with their part of the class');
cites('Schedule 13D filings of Qordra', beneficial_owner => $latest =~ s/AND superseded/AND form LIKE 'SCHEDULE 13D%' AND superseded/r . " $by_percent");
refused('Who owns more than 10% of Qordra?', 'more');
untold($_) for 'Who owns less than 5% of Qordra?', 'Who owns more than 5 shares of Qordra?', 'Who owns more than 5 million shares of Qordra?';

# -------------------------------------------------------------------------- events

cites('Earnings dates of Qordra in 2025', event => "event WHERE issuer_id = $qordra AND type = 'earnings' AND $present AND event_at >= '2025-01-01' AND event_at < '2026-01-01' ORDER BY event_at DESC");
cites('Earnings date of Qordra in July 2025', event => "event WHERE issuer_id = $qordra AND type = 'earnings' AND $present AND event_at >= '2025-07-01' AND event_at < '2025-08-01'");

my ($investor_day) = $site->rows("SELECT to_char(event_at AT TIME ZONE 'UTC', 'FMDD FMMonth YYYY') AS day FROM event WHERE issuer_id = $qordra AND type = 'investor_day' AND $present AND event_at < now() ORDER BY event_at DESC LIMIT 1");
is(ask('When was the last investor day of Qordra?')->{answer_md}, "The last investor day of Qordra Software Inc. was $investor_day->{day} [1].", 'an investor day is no typing error');

# ------------------------------------------ a month is no period of other questions

untold($_) for 'Qordra revenue in March 2024', 'Who is the CEO of Qordra in March 2024?', 'Which funds held Qordra in March 2024?';
# --------------------------------------------------------------------- the top few

my $newest = "period_of_report = '2026-06-30'";
for my $case (['top 3 holders of Qordra', 3], ['the two largest institutional holders of Qordra', 2], ['Who are the biggest 4 holders of Qordra?', 4], ['Who is the largest holder of Qordra?', 1], ['Who holds the most shares of Qordra?', 1],
    ['Which institution owns most of Qordra?', 1]) {
    is(cites($case->[0], institution_holder => "$holders AND $newest ORDER BY value DESC, id LIMIT $case->[1]")->{not_found}, undef, '... as many as are asked for');
}
is(cites('Who are the largest holders of Qordra?', institution_holder => "$holders AND $newest $of_value")->{not_found}, 'More of Qordra Software Inc. are stored; named are the largest.', 'five if no number is said');
cites('top 2 holders of Qordra in March 2024', institution_holder => "$holders AND period_of_report = '2024-03-31' ORDER BY value DESC, id LIMIT 2");
cites('Which fund holds most of Qordra?', fund_exposure => "$exposure $by_value LIMIT 1");
cites('top 2 ETFs that hold Qordra', fund_exposure => "$exposure AND is_etf $by_value LIMIT 2") if $site->value("SELECT count(*) FROM $exposure AND is_etf") > 1;
cites('Which funds hold the most of Qordra?', fund_exposure => "$exposure $by_value LIMIT 5");
cites("What are the two largest positions of $called?", institution_holder => "$held AND period_of_report = (SELECT max(period_of_report) FROM institution_report WHERE issuer_id = $manager->{issuer_id} AND $present) ORDER BY value DESC, id LIMIT 2");

my $by_worth = 'ORDER BY value DESC, transaction_date DESC, id DESC';
$answer = cites("the three largest insider sales at $seller in $sold->{year}", insider => "$sale AND value IS NOT NULL $by_worth LIMIT 3");
like($answer->{answer_md}, qr/ at USD [\d.]+, worth USD [\d.,]+(?: million)? \[1\]\./, '... with what was paid, by which they are ordered');
cites("largest insider sale of $seller in $sold->{year}", insider => "$sale AND value IS NOT NULL $by_worth LIMIT 1");
cites("top 2 sales by directors of $seller in $sold->{year}", insider => "$sale AND relationship ~ '^Director' AND value IS NOT NULL $by_worth LIMIT 2");
cites("latest 2 insider sales of $seller", insider => "insider_transaction WHERE issuer_id = $sold->{issuer_id} AND $present AND NOT is_derivative AND transaction_type = 'sale' $latest_first LIMIT 2");
cites("largest insider gift at $gift->{name}", insider => "insider_transaction WHERE issuer_id = $gift->{issuer_id} AND $present AND NOT is_derivative AND transaction_type = 'gift' ORDER BY shares DESC, transaction_date DESC, id DESC LIMIT 1");
refused(@$_) for (['top 60 holders of Qordra', '60'], ['top 0 holders of Qordra', '0'], ["Who are the 3 largest insiders of $seller?", 'largest'], ["largest $seller insider", 'largest'], ["smallest insider sale of $seller", 'smallest'],
    ["three insider sales of $seller", 'three'], ["second largest insider sale of $seller", 'second'], ['Who sold the most Qordra shares?', 'most']);
untold($_) for 'top 500 million holders of Qordra', 'top holders of Glombarwick', 'largest holder of patents at Qordra';

# Owners of ten percent, whose relationship begins with a number.
my ($tenth) = $site->rows("SELECT i.name, i.issuer_id, t.transaction_date AS day FROM insider_transaction t JOIN issuer i USING (issuer_id) WHERE t.$present AND NOT t.is_derivative AND t.transaction_type = 'sale' AND t.relationship = '10% Owner'
    AND i.name LIKE '% Inc.' ORDER BY t.id LIMIT 1");
like(cites('Which insiders sold ' . ($tenth->{name} =~ s/ Inc\.\z//r) . " shares on $tenth->{day}?", insider => "insider_transaction WHERE issuer_id = $tenth->{issuer_id} AND $present AND NOT is_derivative AND transaction_type = 'sale' AND transaction_date = '$tenth->{day}' $latest_first")->{answer_md},
    qr/ \(10% Owner\) reported a sale /, 'an owner of ten percent is told of');

# What is ordered by what was paid is not told of transactions of which that is not known.
my ($priceless) = $site->rows("SELECT row_id, issuer_id, value FROM $sale ORDER BY value DESC LIMIT 1");
$site->execute("UPDATE disclosed.insider_transaction SET value = NULL WHERE issuer_id = $priceless->{issuer_id} AND row_id = $priceless->{row_id}");
$answer = cites("two largest insider sales at $seller in $sold->{year}", insider => "$sale AND value IS NOT NULL $by_worth LIMIT 2");
is($answer->{not_found}, 'Transactions for which the form states no price are not ranked.', '... which the answer says');
$site->execute("UPDATE disclosed.insider_transaction SET value = $priceless->{value} WHERE issuer_id = $priceless->{issuer_id} AND row_id = $priceless->{row_id}");

# Amounts of Congress are ranges: of several trades with the last one's range it is said.
my $amounts = q{replace(substring(amount_range FROM '\$([0-9,]+)'), ',', '')::numeric};
my $by_range = "amount_range IS NOT NULL ORDER BY $amounts DESC, transaction_date DESC, id DESC";
my $bought = "$of_qordra AND transaction_type = 'purchase'";
$answer = cites('the 3 biggest purchases of Qordra by members of Congress', congress_trade => "$bought AND $by_range LIMIT 3");
my ($third, $fourth) = ($site->rows("SELECT amount_range FROM $bought AND $by_range LIMIT 4"))[2, 3];
is($answer->{not_found}, $third->{amount_range} eq $fourth->{amount_range} ? 'The amounts are ranges: other trades have that of the last one, too; named are the latest of them.' : undef, '... others of the range');
cites('largest trade by members of Congress in Qordra', congress_trade => "$of_qordra AND $by_range LIMIT 1");
cites("two largest purchases of $first $last", congress_trade => "$of_member AND transaction_type = 'purchase' AND $by_range LIMIT 2");

# A manager that has reported since without the company is no holder; one that has not yet reported is.
my ($one, $two) = $site->rows("SELECT issuer_id, row_id, value FROM $holders AND $newest ORDER BY value DESC, id LIMIT 2");
my $of_first = "institution_holder WHERE issuer_id = $one->{issuer_id} AND company_id = $qordra AND symbol = 'QORDRA:US' AND $present";
$site->execute("UPDATE disclosed.institution_holder SET superseded_at = now() WHERE issuer_id = $one->{issuer_id} AND row_id = $one->{row_id}");
cites('largest holder of Qordra', institution_holder => "$holders AND issuer_id = $two->{issuer_id} AND $newest");
my $its_report = "issuer_id = $one->{issuer_id} AND period_of_report = '2026-06-30' AND superseded_at IS NULL";
my ($report) = $site->rows("SELECT row_id FROM institution_report WHERE $its_report");
$site->execute("UPDATE disclosed.institution_report SET superseded_at = now() WHERE $its_report");
cites('largest holder of Qordra', institution_holder => "$of_first AND period_of_report = '2026-03-31'");
$site->execute("UPDATE disclosed.institution_report SET superseded_at = NULL WHERE issuer_id = $one->{issuer_id} AND row_id = $report->{row_id};
    UPDATE disclosed.institution_holder SET superseded_at = NULL WHERE issuer_id = $one->{issuer_id} AND row_id = $one->{row_id}");

# --------------------------------------------------------------- insiders by their names

my ($insider) = $site->rows("SELECT t.owner_cik, t.insider_name, t.issuer_id, i.name, count(*) FILTER (WHERE t.transaction_type = 'sale') AS sales
    FROM insider_transaction t JOIN issuer i USING (issuer_id) WHERE t.$present AND NOT t.is_derivative AND t.insider_name ~ '^[A-Z][a-z]+ [A-Z][a-z]+ [A-Z]\\.\$' AND i.name LIKE '% Inc.'
      AND NOT EXISTS (SELECT 1 FROM issuer p WHERE p.party_key LIKE 'politician/%' AND surname_of(p.name) = lower(split_part(t.insider_name, ' ', 1)))
    GROUP BY 1, 2, 3, 4 HAVING count(*) FILTER (WHERE t.transaction_type = 'sale') BETWEEN 2 AND 5 ORDER BY t.owner_cik LIMIT 1");
my ($family, $given, $middle) = $insider->{insider_name} =~ /^(\w+) (\w+) (\w)/;
(my $at = $insider->{name}) =~ s/ Inc\.\z//;
my $of_insider = "insider_transaction WHERE owner_cik = $insider->{owner_cik} AND $present AND NOT is_derivative AND shares IS NOT NULL";
my $its_sales = "$of_insider AND transaction_type = 'sale'";
my ($in) = $site->rows("SELECT to_char(max(transaction_date), 'YYYY') AS year, to_char(max(transaction_date), 'FMMonth YYYY') AS month, max(transaction_date) AS day FROM $its_sales");
cites($_, insider => "$its_sales $latest_first") for "What did $given $family sell?", "What did $given $middle. $family sell?", "What did $family $given sell?", "What shares did \U$given $family\E sell?", "$given $family\'s insider sales",
    "Did $given $family sell shares of $at?", "Form 4 sales of $given $family";
cites("What did $given $family sell in $in->{year}?", insider => "$its_sales AND transaction_date BETWEEN '$in->{year}-01-01' AND '$in->{year}-12-31' $latest_first");
cites("Has $given $family sold shares of $at in $in->{month}?", insider => "$its_sales AND to_char(transaction_date, 'FMMonth YYYY') = '$in->{month}' $latest_first");
cites("largest sale by $given $family", insider => "$its_sales AND value IS NOT NULL $by_worth LIMIT 1");
nothing("Has $given $family bought shares of Qordra?", "Nothing of that kind is stored about $insider->{insider_name} and Qordra Software Inc.") if $at !~ /Qordra/;
nothing("What did $given $family sell in 1990?", "Nothing of that kind is stored about $insider->{insider_name} of 1990.");
refused(@$_) for (["What did $given $family sell before 2024?", 'before'], ["What did $given $family not sell?", 'not'], ["How much did $given $family sell?", 'much'], ["Did $given $family buy and sell shares?", 'buy']);
untold($_) for "What did $family sell?", "What did ${given}x $family sell?", "What did $given Q. $family sell?", "What did the spouse of $given $family sell?", "What does $given $family own?", "Did $given $family sell patents?";

# A name for short, and one that several people have.
my ($other) = $site->rows("SELECT owner_cik, insider_name, issuer_id FROM insider_transaction WHERE $present AND owner_cik IS NOT NULL AND owner_cik <> $insider->{owner_cik} AND issuer_id <> $insider->{issuer_id} ORDER BY owner_cik LIMIT 1");
sub renamed { my ($cik, $called_now) = @_; $site->execute("UPDATE disclosed.insider_transaction SET insider_name = \$\$$called_now\$\$ WHERE owner_cik = $cik"); return }
renamed($insider->{owner_cik}, "O'$family Timothy $middle");
cites("What did Tim O'$family sell?", insider => "$its_sales $latest_first");
is_deeply([map { $_->{src_id} } ask("What did Timothy O\x{2019}$family sell?")->{citations}->@*], [src_ids(insider => "$its_sales $latest_first")], '... with another apostrophe');
untold("What did Timo O'$family sell?");
renamed($insider->{owner_cik}, "VAN DER $family Thomas");
cites("What did Tom van der $family sell?", insider => "$its_sales $latest_first");
renamed($insider->{owner_cik}, $insider->{insider_name});
renamed($other->{owner_cik}, "$family $given Z.");
my ($a, $z) = ("$insider->{insider_name} (CIK $insider->{owner_cik})", "$family $given Z. (CIK $other->{owner_cik})");
nothing("What did $given $family sell?", qq("\L$given $family\E" may be $a or $z.)) if $middle lt 'Z';
cites("What did $given $middle. $family sell?", insider => "$its_sales $latest_first");
cites("Did $given $family sell shares of $at?", insider => "$its_sales $latest_first");
renamed($other->{owner_cik}, $other->{insider_name});
renamed($insider->{owner_cik}, "$last $first");
nothing("What did $first $last buy?", qq("\L$first $last\E" may be $last $first (CIK $insider->{owner_cik}) or $trade->{member}, a member of Congress.));
cites("What did $title $first $last buy?", congress_trade => "$of_member AND transaction_type = 'purchase' $latest_first LIMIT 5");
renamed($insider->{owner_cik}, $insider->{insider_name});

# ------------------------------------------------------------------ changes of positions

# What an answer says of two quarters: each number with its period and source, and their difference.
sub changed
{
    my ($question, $before, $after, $says) = @_;
    my $said = ask($question);
    is_deeply([map { [$_->{src_id}, 0 + $_->{value}{raw}, $_->{value}{unit}, $_->{period}{end_date}] } $said->{data_points}->@*],
        [map { ["src_institution_holder_$_->{digest}", 0 + $_->{shares}, 'shares', $_->{period_of_report}] } grep { $_ } $after, $before], $question) or diag $said->{answer_md}, $said->{not_found};
    like($said->{answer_md}, $says, '... in words');
    is($said->{confidence}, 'medium', '... derived from two numbers');
    return $said;
}
sub position
{
    my ($issuer, $symbol, $period) = @_;
    return ($site->rows("SELECT replace(src_digest::text, '-', '') AS digest, shares, period_of_report, row_id FROM institution_holder WHERE issuer_id = $issuer AND symbol = '$symbol' AND period_of_report = '$period' AND $present"))[0];
}
my @moves = $site->rows("SELECT h.issuer_id, i.name, h.period_of_report AS after, b.period_of_report AS before, h.shares - b.shares AS by_shares, round((h.shares - b.shares) / b.shares * 100, 1) AS percent
    FROM institution_holder h JOIN institution_holder b ON b.issuer_id = h.issuer_id AND b.symbol = h.symbol AND b.$present AND b.period_of_report = (date_trunc('quarter', h.period_of_report::timestamp) - interval '1 day')::date
    JOIN issuer i ON i.issuer_id = h.issuer_id
    WHERE h.company_id = $qordra AND h.symbol = 'QORDRA:US' AND h.$present AND h.period_of_report = '2024-06-30' AND h.shares <> b.shares AND i.name LIKE '% & %' ORDER BY h.shares - b.shares DESC, h.issuer_id" =~ s/(?<=[hb])\.superseded/.superseded/gr);
my ($less) = grep { $_->{by_shares} < 0 } @moves;
my @falls = reverse grep { $_->{by_shares} < 0 } @moves;
(my $mover = $less->{name}) =~ s/ (?:LLC|LLP|LP|Inc)\z//;
my @two = map { position($less->{issuer_id}, 'QORDRA:US', $_) } '2024-03-31', '2024-06-30';
my $fell = -$less->{by_shares};
1 while $fell =~ s/^(\d+)(\d{3})/$1,$2/;
my $tells = qr/^\Q$less->{name}\E reduced its position in Qordra Software Inc\. \(QORDRA:US\) by $fell shares, [\d.]+%: it held [\d,]+ on 30 June 2024 \[1\], and [\d,]+ on 31 March 2024 \[2\]\.$/;
changed($_, @two, $tells) for "Did $mover increase its stake in Qordra in Q2 2024?", "Did $mover reduce its position in Qordra in the quarter ended June 30, 2024?", "How did the Qordra holdings of $mover change in June 2024?",
    "Did $mover add to its shares of Qordra from 31 March 2024 to 30 June 2024?";
$answer = ask('Which institutions reduced their stake in Qordra in Q2 2024?');
is_deeply([map { $_->{src_id} } grep { $_->{period}{end_date} eq '2024-06-30' } $answer->{citations}->@*],
    [map { 'src_institution_holder_' . position($_->{issuer_id}, 'QORDRA:US', '2024-06-30')->{digest} } @falls[0 .. ($#falls < 4 ? $#falls : 4)]], 'who reduced it, the largest change first');
is($answer->{not_found}, 'Compared are managers with reports for both quarters that are stored, those with the largest changes first.', '... and who is compared');
is(scalar ask('top 2 institutions that reduced their stake in Qordra in Q2 2024')->{data_points}->@*, 4, 'two of them');
$answer = ask('Who added Qordra in the last quarter?');
is_deeply([sort keys { map { $_->{period}{end_date} => 1 } $answer->{citations}->@* }->%*], ['2026-03-31', '2026-06-30'], 'the last quarter that is reported');
like($answer->{answer_md}, qr/^(?:[^\n]+ (?:increased its position in Qordra Software Inc\. \(QORDRA:US\)|held [\d,]+ shares of Qordra)[^\n]+\n*)+$/, '... by increases alone');

is_deeply([sort keys { map { $_->{period}{end_date} => 1 } ask('Who added Qordra in the last quarter?', as_of => '2024-09-01')->{citations}->@* }->%*], ['2024-03-31', '2024-06-30'], '... at an instant');

# A quarter that is missing, or is stored in part, is no sale. One that is there without the company is none of its shares.
my $earlier = "issuer_id = $less->{issuer_id} AND period_of_report = '2024-03-31' AND superseded_at IS NULL";
$site->execute("UPDATE disclosed.institution_holder SET superseded_at = now() WHERE $earlier AND symbol = 'QORDRA:US'");
$answer = changed("Did $mover increase its stake in Qordra in Q2 2024?", undef, $two[1], qr/^\Q$less->{name}\E held [\d,]+ shares of Qordra Software Inc\. \(QORDRA:US\) on 30 June 2024 \[1\], and none on 31 March 2024 by its report \[2\]\.$/);
is($answer->{citations}[1]{dataset}, 'institution_report', '... which is cited');
changed("Did $mover reduce its stake in Qordra in Q1 2024?", position($less->{issuer_id}, 'QORDRA:US', '2023-12-31'), undef, qr/^\Q$less->{name}\E held no shares of Qordra Software Inc\. \(QORDRA:US\) on 31 March 2024 by its report \[1\], and [\d,]+ on 31 December 2023 \[2\]\.$/);
for my $change ('table_entry_total = entries_stored + 1', "report_type = 'notice'") {
    my ($kept) = $site->rows("SELECT row_id, table_entry_total, report_type FROM institution_report WHERE $earlier");
    $site->execute("UPDATE disclosed.institution_report SET $change WHERE $earlier");
    nothing("Did $mover increase its stake in Qordra in Q2 2024?", "No whole report of $less->{name} for the quarter that ended on 31 March 2024 is stored: how its position in Qordra Software Inc. (QORDRA:US) changed by 30 June 2024 is not known.");
    unlike(ask('Who added Qordra in Q2 2024?')->{answer_md}, qr/\Q$less->{name}\E/, '... nor is it among those that added');
    $site->execute("UPDATE disclosed.institution_report SET table_entry_total = @{[ $kept->{table_entry_total} // 'NULL' ]}, report_type = '$kept->{report_type}' WHERE $earlier");
}
$site->execute("UPDATE disclosed.institution_holder SET superseded_at = NULL WHERE row_id = $two[0]{row_id} AND issuer_id = $less->{issuer_id}");

# After a split the earlier shares are adjusted.
$site->execute("UPDATE disclosed.corporate_action SET action_date = '2024-05-10', symbol = 'QORDRA:US', split_from = 1, split_to = 2 WHERE id = (SELECT min(id) FROM disclosed.corporate_action WHERE issuer_id = $qordra AND kind = 'split' AND superseded_at IS NULL) AND issuer_id = $qordra");
$answer = changed("Did $mover increase its stake in Qordra in Q2 2024?", @two, qr/^\Q$less->{name}\E reduced its position in .*, and [\d,]+ on 31 March 2024 \[2\], [\d,]+ adjusted for the split of 2 for 1 on 10 May 2024 \[3\]\.$/);
is($answer->{citations}[2]{dataset}, 'corporate_action', '... and the split is cited');

refused(@$_) for (["Did $mover not increase its stake in Qordra?", 'not'], ["Did $mover increase its stake in Qordra since 2023?", 'since'], ["Did $mover increase or reduce its stake in Qordra?", 'reduce'],
    ['Which institutions changed their stake in Qordra?', 'changed'], ["Did $mover increase its stake in Qordra in fiscal Q2 2024?", 'fiscal'], ["Did $mover increase its stake in Qordra in the last 3 quarters?", '3'], ['Who trimmed Qordra in the prior quarter?', 'prior']);
nothing("Did $mover increase its stake in Qordra in Q2 1999?", "No whole report of $less->{name} for the quarter that ended on 30 June 1999 is stored: how its position in Qordra Software Inc. (QORDRA:US) changed by 30 June 1999 is not known.");
nothing("Did $mover increase its stake in Qordra in May 2024?", "Nothing of that kind is stored about $less->{name} and Qordra Software Inc.");
untold($_) for "Did $mover increase its stake in Glombarwick?", 'Did Qordra increase its shares of the market?', 'Did Glombarwick Capital increase its stake in Qordra?', 'Which managers increased the share of women at Qordra?';

# ------------------------------------------------------------- Congress, in whatever

my $trades = "congress_trade WHERE $present";
my $by_day = 'ORDER BY least(transaction_date, filing_date) DESC, id DESC';
is(cites('latest trades of members of Congress', congress_trade => "$trades $by_day LIMIT 5")->{not_found}, undef, '... the latest, as is asked for');
cites('latest 3 purchases by senators', congress_trade => "$trades AND transaction_type = 'purchase' AND chamber = 'senate' $by_day LIMIT 3");
is(cites('What did members of Congress sell in 2024?', congress_trade => "$trades AND transaction_type LIKE 'sale%' AND transaction_date BETWEEN '2024-01-01' AND '2024-12-31' $by_day LIMIT 20")->{not_found},
    'More of members of Congress are stored; named are the latest.', '... and that there are more');
cites("What did $first $last buy in " . substr($trade->{transaction_date}, 0, 4) . '?', congress_trade => "$of_member AND transaction_type = 'purchase' AND to_char(transaction_date, 'YYYY') = '" . substr($trade->{transaction_date}, 0, 4) . "' $latest_first LIMIT 20");
my $then = '2024-01-15';
cites('latest trades of members of Congress', congress_trade => "congress_trade WHERE known_at <= '$then' AND (superseded_at IS NULL OR superseded_at > '$then') $by_day LIMIT 5", as_of => "${then}T00:00:00Z");
nothing('What did members of Congress buy in 1950?', 'Nothing of that kind is stored about members of Congress of 1950.');
refused(@$_) for (['biggest trades of members of Congress in 2024', 'biggest'], ['What did members of Congress buy before 2024?', 'before'], ['How many trades did members of Congress report in 2024?', 'many'], ['What did members of Congress not buy?', 'not']);
nothing($_, 'The question names no company that is known here.') for 'What did the senator buy?', 'Which senators bought shares of the company?', 'Which members of Congress traded it?';
untold($_) for 'What did Democrats in Congress buy?', 'What did members of Parliament buy?', 'Which members of Congress bought Glombarwick?', 'What did members of Congress buy for lunch?';
# --- words by which records are asked for: each by itself, as others of the question may name the same -------------------------

my %asked = (
    executive => ['who is the ceo', 'who is the chief executive', 'who is the cfo', 'who is the chief financial officer', 'who is the coo', 'who is the chairman', 'who is the chair', 'who is the president', 'who is the general counsel'],
    short_interest => ['short interest', 'short position', 'shares sold short', 'how many shares are shorted', 'days to cover'],
    congress => ['congressional trades', 'what did a senator buy', 'what did senators sell', 'purchases by representatives', 'sales by lawmakers', 'trades of politicians', 'trades by members of the house'],
    insider => ['insider trades', 'insiders', 'form 4', 'trades of directors', 'trades of officers', 'purchases by executives', 'who sold shares', 'who bought stock'],
    owner => ['beneficial owners', 'who beneficially owns it', '13d', '13 g', 'who holds more than 5 percent'],
    fund => ['which funds hold it', 'what fund holds it', 'which etfs own it', 'top etf exposure'],
    holder => ['holders', 'institutions', 'institutional owners', '13f holders', 'shareholders', 'who owns it', 'who holds it'],
    split => ['stock split', 'splits'], spinoff => ['spinoffs', 'spin offs', 'spun off'], dividend => ['dividend', 'dividends'],
    m_and_a => ['merger', 'mergers', 'takeover', 'takeovers', 'who acquired it', 'who bought it', 'was taken over'],
    event => ['next earnings', 'when are the results', 'date of the annual meeting', 'upcoming investor day', 'when is the agm'],
);
for my $topic (sort keys %asked) {
    my $questions = join ', ', map { "('$_', disclosed.ask_read('QORDRA $_', NULL))" } $asked{$topic}->@*;
    same_json({ map { ($_->{question} => $_->{form}) } $site->rows("SELECT q.question, (q.read).form FROM (VALUES $questions) AS q(question, read)") }, { map { ($_ => $topic) } $asked{$topic}->@* }, "words that ask for records: $topic");
}

finish();

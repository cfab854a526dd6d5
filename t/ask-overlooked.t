# Words that most questions have without a meaning of their own: only, both, number of, who, where. Where the answer would be another one with them than without,
# it is refused, and the refusal names them. So is what stands between two companies of which the answer would tell apart.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }
sub nothing { my ($question, $why) = @_; my $answer = ask($question); is_deeply([@$answer{qw(answer_md confidence not_found)}, $answer->{citations}], ['', 'none', $why, []], $question) or diag $answer->{answer_md}; return }
sub refused { my ($question, $named) = @_; nothing($question, "An answer from numbers and records would leave out \"$named\" of the question."); return }
sub same { my ($question, $as) = @_; my ($answer, $other) = (ask($question), ask($as)); isnt($answer->{answer_md}, '', "answered: $question"); is($answer->{answer_md}, $other->{answer_md}, "... as $as"); return $answer }

# ------------------------------------------------------------------------- records

# Some that are told are neither all of them, nor their number, nor their sum.
refused(@$_) for (
    ['Which institutions own only Qordra?', 'only'], ['Which funds hold just Qordra?', 'just'], ['Which members of Congress only bought Qordra?', 'only'], ['Did only directors sell shares of Qordra in 2025?', 'only'],
    ['Which funds hold both Qordra and Zemruz?', 'both'], ['Do holders of Qordra also hold Zemruz?', 'also'], ['Which insiders bought both Qordra and Zemruz shares?', 'both'],
    ['What is the number of holders of Qordra?', 'number'], ['Number of members of Congress who traded Qordra', 'number'], ['What number of funds hold Qordra?', 'number'], ['Number of stock splits of Zemruz', 'number'],
    ['What amount of Qordra shares did insiders sell in 2025?', 'amount'], ['What was the value of insider sales at Qordra in 2025?', 'value'], ['What is the value of all shares of Qordra held by institutions?', 'value'],
    ['What is the value of the portfolio of Haxbru Imaginary Equity ETF?', 'value'], ['Value of the short position in Qordra', 'value'], ['What did insider sales at Qordra in 2025 totaled?', 'totaled'],
    ['Which insiders sold all their shares of Qordra?', 'all'], ['Which insiders sold all of their Qordra stock in 2025?', 'all'], ['Did all insiders of Qordra sell shares in 2025?', 'all'],
    ['Did Ambervane & Jixvar Partners hold Qordra throughout 2024?', 'throughout'], ['Did Ambervane & Jixvar Partners hold Qordra during all of 2024?', 'all']);
same('Show only the insider sales at Qordra in 2025', 'insider sales at Qordra in 2025');
same('All insider sales at Qordra in 2025', 'insider sales at Qordra in 2025');
same('What number of shares of Qordra does Haxbru Imaginary Equity ETF hold?', 'Does Haxbru Imaginary Equity ETF hold Qordra?');
same('Number of Qordra shares sold short on 15 March 2024', 'Short interest of Qordra on 15 March 2024');
same('top 3 holders of Qordra by value', 'top 3 holders of Qordra');
same('What are the only funds that hold Qordra?', 'Which funds hold Qordra?');

# The largest are so by what was paid, and by shares.
refused(@$_) for (
    ['the largest insider purchase at Uvopip by number of shares', 'number'], ['largest insider purchase at Qordra in shares', 'shares'], ['Which institution reduced its stake in Zyllux by the largest percentage in Q2 2025?', 'percentage']);

same('Which institution increased its stake in Qordra by the largest number of shares in Q2 2024?', 'Which institution increased its stake in Qordra the most in Q2 2024?');
same('top 3 holders of Qordra by number of shares', 'top 3 holders of Qordra');

# When it was.
refused(@$_) for (
    ['Did Qordra insiders trade today?', 'today'], ['Did Zemruz pay a dividend today?', 'today'], ['Who is the past CEO of Qordra?', 'past'], ['past earnings dates of Qordra', 'past'], ['past dividends of Zemruz', 'past'],
    ['Insider sales at Qordra at the end of 2025', 'end'], ['Which trades did members of Congress report in December 2025?', 'report'], ['Which insider sales of Qordra were reported in August 2025?', 'reported']);
same("Today's holders of Qordra", 'Holders of Qordra');
same('dividends announced by Zemruz in October 2025', 'dividends declared by Zemruz in October 2025');

# Of what kind.
my ($etfs) = map { $_->{answer_md} } ask('Which ETFs hold Qordra?');
is(ask('Which exchange traded funds hold Qordra?')->{answer_md}, $etfs, 'exchange traded funds are those alone');
isnt(ask('Which funds hold Qordra?')->{answer_md}, $etfs, '... of all funds');
same('Which funds and exchange traded funds hold Qordra?', 'Which funds hold Qordra?');
refused(@$_) for (
    ['Which mutual funds hold Qordra?', 'mutual'], ['Did Zemruz pay a stock dividend?', 'stock'], ['Did Zemruz pay a share dividend in 2025?', 'share'], ['Who is the co-CEO of Qordra?', 'co'], ['Who shorted Qordra?', 'who']);

# What happened at an event, and results of a year.
refused(@$_) for (
    ['What did Qordra announce at its investor day?', 'announce'], ['Who did Qordra show at its investor day?', 'show'], ['What were the results of the investor day of Qordra?', 'results'], ['Who come to the investor day of Qordra?', 'come'],
    ['When did Zemruz report annual results for 2024?', 'annual']);
isnt(ask($_)->{answer_md}, '', "answered: $_") for 'When did Qordra report its Q2 2026 results?', 'When was the annual meeting of Zemruz in 2025?', 'What is the next earnings date of Qordra?', 'What day is the next earnings report of Qordra?',
    'What was the date of the last investor day of Qordra?', 'Who reports earnings next, Qordra or Zemruz?';

# ----------------------------------------------------------------------- companies

# Who does what to whom.
refused(@$_) for (
    ['Which companies were acquired by Moxtyx?', 'acquired by'], ['Was Zordyn taken over by Moxtyx?', 'taken over by'], ['Which funds does Qordra own?', 'own'], ['Which institutions does Qordra own?', 'own'], ['Which funds are held by Qordra?', 'held by'],
    ['Which companies does Qordra beneficially own?', 'own'], ['Which insiders did Qordra sell shares to?', 'to'], ['Which insiders sold shares to Qordra?', 'to'], ['Which insiders bought shares from Qordra in 2025?', 'from'], ['Did insiders of Qordra buy Zemruz shares?', 'buy'], ['Which directors of Zemruz bought Qordra in 2025?', 'bought'],
    ['Did Zemruz pay dividends to Qordra?', 'pay dividends to'], ['How much revenue did Qordra get from Zemruz in 2024?', 'from'], ['How much did Qordra sell to Zemruz in 2024?', 'sell'], ['Does Qordra own Zemruz shares?', 'own']);
isnt(ask($_)->{answer_md}, '', "answered: $_") for 'Who acquired Moxtyx?', 'When was Moxtyx acquired?', 'Did Qordra insiders sell shares in 2025?', 'Short interest of Qordra and Zemruz', 'Which insiders of Qordra or Zemruz sold in 2025?',
    "Is Qordra's revenue larger than Zemruz's?", "How does Qordra's gross margin compare with Zemruz and Akogom in 2024?", "Did Qordra's revenue grow at the same rate as Zemruz's in 2024?", 'Compare the revenue of Qordra with that of Zemruz';
# One number of one company, and another of another.
refused(@$_) for (["Compare Qordra's revenue with Zemruz's net income in 2024", 'net income'], ['revenue of Qordra and net income of Zemruz in 2024', 'net income']);
is(scalar ask('revenue and net income of Qordra and Zemruz in 2024')->{data_points}->@*, 8, 'both numbers of both are compared');

refused(@$_) for (['Who sold shares to Ondra Hollowworth?', 'to'], ['Which insiders of Qordra bought from Ondra Hollowworth?', 'from'], ['Where did Ondra Hollowworth sell shares?', 'where']);
same('I want to know what Ondra Hollowworth sold', 'What did Ondra Hollowworth sell?');
same('Where can I find the holders of Qordra?', 'Who are the holders of Qordra?');

# ------------------------------------------------------------------------- numbers

refused(@$_) for (
    ['Is Qordra the only company with revenue in 2024?', 'only'], ['Did Qordra only make a profit in 2022?', 'only'], ['Qordra revenue in the second quarter of last year', 'last year'], ['Which company had the highest revenue in Q2 of last year?', 'last year'],
    ["Did Qordra's revenue growth decline in 2024?", 'growth'], ["Did the growth rate of Qordra's revenue fall in 2024?", 'growth'], ['What does Qordra sell?', 'sell'], ['Did Qordra sell a business in 2024?', 'sell'],
    ['How does Qordra recognize revenue?', 'how'], ["Where does Qordra's revenue come from?", 'where'], ['Who generated the revenue of Qordra?', 'who'], ['In which filing did Qordra report its revenue of 2024?', 'filing'],
    ['What did Qordra do with its profit in 2024?', 'with'], ['In which quarter did Qordra post a net loss?', 'which quarter'], ['Does Qordra report earnings today?', 'today'], ['What were the financial liabilities of Zemruz in 2024?', 'financial'],
    ["What were Qordra's financial liabilities in 2024?", 'financial']);
same($_, 'Qordra revenue in 2024') for 'Qordra revenue only for 2024', 'How much did Qordra sell in 2024?', 'How much revenue did Qordra generate in 2024?', 'Where did the revenue of Qordra stand in 2024?';
same('How much did the Q2 revenue of Qordra grow compared to last year?', 'Qordra Q2 revenue growth');
same('Did the revenue of Qordra show growth or a decline in 2024?', 'Qordra revenue growth in 2024');
nothing($_, '"CFO" may be the chief financial officer or the operating cash flow.') for 'Is there a CFO at Qordra?', "Did Qordra's CFO change in 2025?", 'How much did the CFO of Qordra earn in 2024?', 'Did Qordra change its CFO in 2024?';
same('What was the change in CFO of Qordra in 2024?', 'Qordra operating cash flow growth 2024');
same($_, 'Qordra operating cash flow 2024') for 'Qordra CFO 2024', 'How much CFO did Qordra have in 2024?';

# ------------------------------------------------------------------ why it is refused

my $opinion = 'It asks for an opinion or the future, and the data say what was disclosed.';
nothing($_, $opinion) for 'Should I buy or sell Qordra?', 'Is Qordra a buy or a sell?', 'Can I invest in Qordra?', 'Would you buy Qordra?', 'Do you think Qordra is undervalued?', 'Will Qordra make a profit?';
refused('Did insiders buy or sell shares of Qordra in 2025?', 'buy');
same('Which funds invest in Qordra?', 'Which funds hold Qordra?');
same($_, 'Qordra revenue in 2024') for "I would like to know Qordra's revenue in 2024", "Would you please tell me Qordra's revenue in 2024?", 'I think Qordra had revenue in 2024, how much was it?';
nothing("What was Qordra's stock price on 30 June 2024?", 'Prices of shares on a market are not stored.');
# Words as they are written, where they are read as others.
refused(@$_) for (['Did Qordra expect a loss?', 'expect'], ['Qordra cloud revenue 2024', 'cloud'], ['Qordra media revenue 2024', 'media']);
# Of whom nothing is stored.
nothing('Does Ambervane & Jixvar Partners hold Zemruz?', 'Nothing of that kind is stored about Ambervane & Jixvar Partners LLP and Zemruz Freight Inc.');

# More is stored than is told.
is(ask('Short interest of Qordra in 2024')->{not_found}, 'More of Qordra Software Inc. are stored; named is the latest.', 'of a year there are more');
is(ask($_)->{not_found}, undef, "$_: one is asked for") for 'latest short interest of Qordra in 2024', 'Short interest of Qordra at the end of 2024', 'Short interest of Qordra';

finish();

# Questions with periods that are named by their last day: quarters, years, six and nine months, balances. A day some days off is taken,
# and the answer says which end the period has. Where none is near, it says which are.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::JSON ();

my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }

# ------------------------------------------------------------- a company whose years end on a Saturday

my $cik = 8810001;
my @listing = ({ dataset => 'listing', cik => $cik, ticker => 'FORTN', market => 'US', name => 'Fortnight Stores Inc.', status => 'active', known_at => '2020-01-01T00:00:00Z',
    provenance => { source_provider => 'exchange_site' } });
my ($code, undef, $wrong) = $site->control('import', 'ndjson', $site->write('fortnight.ndjson', join '', map { $json->encode($_) . "\n" } @listing));
is($code, 0, 'the company') or diag $wrong;

my %filing = (y2023 => ['0008810001-23-000004', 2023, 'FY', '10-K', '2023-11-10'], q1 => ['0008810001-24-000001', 2024, 'Q1', '10-Q', '2024-02-02'],
    q2 => ['0008810001-24-000002', 2024, 'Q2', '10-Q', '2024-05-03'], q3 => ['0008810001-24-000003', 2024, 'Q3', '10-Q', '2024-08-02'], y2024 => ['0008810001-24-000004', 2024, 'FY', '10-K', '2024-11-08']);
sub fact { my ($filing, $start, $end, $value) = @_; my ($accn, $fy, $fp, $form, $filed) = $filing{$filing}->@*; return { defined $start ? (start => $start) : (), end => $end, val => $value, accn => $accn, fy => $fy, fp => $fp, form => $form, filed => $filed } }
my $million = 1_000_000;
my @revenue = (
    fact('y2023', '2022-10-01', '2023-09-30', 400 * $million), fact('q1', '2023-10-01', '2023-12-30', 100 * $million),
    fact('q2', '2023-12-31', '2024-03-30', 110 * $million), fact('q2', '2023-10-01', '2024-03-30', 210 * $million),
    fact('q3', '2024-03-31', '2024-06-29', 120 * $million), fact('q3', '2023-10-01', '2024-06-29', 330 * $million),
    fact('q3', '2023-04-02', '2023-07-01', 96 * $million), fact('q3', '2022-10-01', '2023-07-01', 300 * $million),
    fact('y2024', '2023-10-01', '2024-09-28', 460 * $million));
my @assets = (fact('y2023', undef, '2023-09-30', 900 * $million), fact('q3', undef, '2024-06-29', 950 * $million), fact('y2024', undef, '2024-09-28', 970 * $million));
sub element { my ($name, @facts) = @_; return ($name => { label => $name, description => $name, units => { USD => \@facts } }) }
($code, undef, $wrong) = $site->control('import', 'sec-companyfacts', $site->write(sprintf('CIK%010d.json', $cik),
    $json->encode({ cik => $cik, entityName => 'Fortnight Stores Inc.', facts => { 'us-gaap' => { element('Revenues', @revenue), element('Assets', @assets) } } })));
is($code, 0, 'its numbers') or diag $wrong;

sub says
{
    my ($question, $answer, @values) = @_;
    my $said = ask($question);
    is_deeply([@$said{qw(answer_md not_found)}, [map { 0 + $_->{value}{raw} } $said->{data_points}->@*]], [$answer, undef, [map { $_ * $million } @values]], $question);
    return $said;
}

sub refuses
{
    my ($question, $why) = @_;
    my $said = ask($question);
    is_deeply([@$said{qw(answer_md confidence)}, $said->{data_points}], ['', 'none', []], "refused: $question") or diag $said->{answer_md};
    is($said->{not_found}, $why, '... and says why') if defined $why;
    return;
}

# --------------------------------------------------------------------- quarters and years

my $third = 'Fortnight Stores Inc. had revenue of USD 120 million in the third quarter of fiscal 2024, ended 29 June 2024 [1].';
says("What was Fortnight Stores' revenue $_?", $third, 120) for 'in the quarter ended June 29, 2024', 'for the three months ended June 29, 2024', 'in the quarter ended June 30, 2024', 'for the quarter ending 30 June 2024',
    'for the quarter that ended on June 28th, 2024', 'in the quarterly period ended 2024-06-29', 'for the 13 weeks ended 6/29/2024', 'for the twelve weeks ended June 29, 2024', 'for the thirteen weeks ended Jun. 29, 2024', 'in the quarter ended 29th of June 2024',
    'in the quarter to 30 June 2024', 'in the quarter ended June 2024', 'in the June 2024 quarter', 'in the third quarter ended June 29, 2024', 'in Q3, ended June 29, 2024', 'in the third quarter of fiscal 2024, ended June 29, 2024',
    'in the quarter from March 31, 2024 to June 29, 2024', 'from March 31, 2024 through June 29, 2024', 'between April 1, 2024 and June 30, 2024';
# A month has the period that ends in it, on whatever day.
says('Fortnight Stores revenue for the quarter ended December 2023', 'Fortnight Stores Inc. had revenue of USD 100 million in the first quarter of fiscal 2024, ended 30 December 2023 [1].', 100);
says('Fortnight Stores revenue for the nine months ended July 2023', 'Fortnight Stores Inc. had revenue of USD 300 million in the nine months ended 1 July 2023 [1].', 300);
says($_, $third, 120) for 'FORTN revenue quarter ended 2024-06-30', 'Revenue of FORTN for three months ended 30-Jun-2024';
my $year = 'Fortnight Stores Inc. had revenue of USD 460 million in fiscal 2024, ended 28 September 2024 [1].';
says("What was Fortnight Stores' revenue $_?", $year, 460) for 'for the year ended September 28, 2024', 'in the fiscal year ended 9/30/2024', 'for the twelve months ended September 30, 2024', 'for the 52 weeks ended September 28, 2024',
    'in the year ended September 2024', 'in fiscal 2024 (ended September 28, 2024)', 'in the year to 28 September 2024', 'for the fiscal year ending September 28 2024';
says('How much did revenue of Fortnight Stores grow in the quarter ended June 29, 2024?', $third =~ s/ \[1\]\.\z/ [1], up 25% from USD 96 million in the third quarter of fiscal 2023, ended 1 July 2023 [2]./r, 120, 96);
says('Fortnight Stores revenue growth for the year ended September 28, 2024', $year =~ s/ \[1\]\.\z/ [1], up 15% from USD 400 million in fiscal 2023, ended 30 September 2023 [2]./r, 460, 400);

# Compared with another period of the same length.
my $with = $third =~ s/ \[1\]\.\z/ [1], up 25% from USD 96 million in the third quarter of fiscal 2023, ended 1 July 2023 [2]./r;
says($_, $with, 120, 96) for 'Fortnight Stores revenue for the three months ended June 29, 2024 compared to the three months ended July 1, 2023', 'Fortnight Stores revenue, quarter ended June 29, 2024 vs. quarter ended July 1, 2023',
    'How much did Fortnight Stores revenue grow from the quarter ended July 1, 2023 to the quarter ended June 29, 2024?', 'Compare Fortnight Stores revenue for the three months ended June 29, 2024 and July 1, 2023';
says('Fortnight Stores revenue growth in the quarter ended June 29, 2024 over the quarter ended March 30, 2024', $third =~ s/ \[1\]\.\z/ [1], up 9.1% from USD 110 million in the second quarter of fiscal 2024, ended 30 March 2024 [2]./r, 120, 110);
says('Fortnight Stores total assets as of June 29, 2024 versus September 30, 2023', 'Fortnight Stores Inc. had total assets of USD 950 million at 29 June 2024 [1], up 5.6% from USD 900 million at 30 September 2023 [2].', 950, 900);

# ------------------------------------------------------------------- six and nine months

my $half = says('What was the revenue of Fortnight Stores in the six months ended March 31, 2024?', 'Fortnight Stores Inc. had revenue of USD 210 million in the six months ended 30 March 2024 [1].', 210);
is_deeply([@{ $half->{data_points}[0]{period} }{qw(start_date end_date kind fiscal calendar)}], ['2023-10-01', '2024-03-30', 'half', undef, undef], 'the period of six months');
is($half->{citations}[0]{dataset}, 'xbrl_report', '... from the filing');
ok(json_of($site->get("/v1/src/$half->{citations}[0]{src_id}"))->{resolvable}, '... which resolves');
says($_, 'Fortnight Stores Inc. had revenue of USD 330 million in the nine months ended 29 June 2024 [1].', 330) for 'Fortnight Stores revenue for the nine months ended June 30, 2024', 'Fortnight Stores revenue, first nine months ended June 2024',
    'Fortnight Stores revenue 39 weeks ended 6/29/2024';
says('How much did Fortnight Stores revenue grow in the nine months ended June 29, 2024?',
    'Fortnight Stores Inc. had revenue of USD 330 million in the nine months ended 29 June 2024 [1], up 10% from USD 300 million in the nine months ended 1 July 2023 [2].', 330, 300);

# ------------------------------------------------------------------------------ balances

my $assets = 'Fortnight Stores Inc. had total assets of USD 950 million at 29 June 2024 [1].';
says("What were the total assets of Fortnight Stores $_?", $assets, 950) for 'as of June 29, 2024', 'as of June 30, 2024', 'at June 30, 2024', 'on 2024-06-28', 'at the end of June 2024', 'at the end of the quarter ended June 29, 2024';

# ------------------------------------------------------------------- what is not answered

my $near = 'the nearest ended on 30 March 2024 and 29 June 2024.';
refuses('Fortnight Stores revenue in the quarter ended May 15, 2024', "Fortnight Stores Inc. has no revenue of a quarter that ended within a week of 15 May 2024; $near");
refuses('Fortnight Stores revenue for the year ended June 29, 2024', 'Fortnight Stores Inc. has no revenue of a year that ended within a week of 29 June 2024; the nearest ended on 30 September 2023 and 28 September 2024.');
refuses('Fortnight Stores revenue for the six months ended June 29, 2024', 'Fortnight Stores Inc. has no revenue of six months that ended within a week of 29 June 2024; the nearest ended on 30 March 2024.');
refuses('Fortnight Stores total assets as of May 1, 2024', 'Fortnight Stores Inc. has no total assets of a day within a week of 1 May 2024; the nearest is of 30 September 2023 and 29 June 2024.');
refuses("Fortnight Stores revenue for $_ ended June 29, 2024", 'The period of Fortnight Stores Inc. that ended on 29 June 2024 is Q3 FY2024.') for 'fiscal 2023, quarter', 'the second quarter';
refuses('Fortnight Stores net income for the quarter ended June 29, 2024', 'Fortnight Stores Inc. has no net income among the stored numbers.');
refuses('Fortnight Stores revenue as of June 29, 2024', 'An amount over a period is asked for without its length: for how long until 29 June 2024?');
refuses('Fortnight Stores revenue growth for the quarter ended December 30, 2023', 'There is no number of the period before to compare with: Fortnight Stores Inc. has no revenue of a quarter that ended within a week of 30 December 2022; the nearest ended on 1 July 2023.');
refuses('Fortnight Stores revenue growth for the six months ended March 30, 2024', 'There is no number of the period before to compare with: Fortnight Stores Inc. has no revenue of six months that ended within a week of 31 March 2023; the nearest ended on 30 March 2024.');
refuses('Fortnight Stores revenue for the 30 weeks ended June 29, 2024', 'An answer from numbers and records would leave out "30 weeks" of the question.');
refuses($_) for 'Fortnight Stores revenue for the quarter ended June 29, 2024 compared to the nine months ended July 1, 2023', 'Fortnight Stores revenue for the quarter ended June 29, 2024 and the quarter ended March 30, 2024',
    'Fortnight Stores revenue since June 29, 2024', 'Fortnight Stores revenue before June 29, 2024', 'Fortnight Stores revenue in June 2024', 'Fortnight Stores revenue in the quarter ended February 30, 2024',
    'Fortnight Stores revenue in the quarter ended 3/4/2024', 'Fortnight Stores revenue for fiscal 2023, quarter ended June 29, 2024', 'Fortnight Stores revenue for the month ended June 29, 2024', 'Fortnight Stores revenue in the second quarter ended June 29, 2024',
    'Fortnight Stores revenue between June 1, 2024 and June 29, 2024', 'Fortnight Stores revenue over the last 3 quarters ended June 29, 2024', 'Fortnight Stores revenue in the quarter after the quarter ended March 30, 2024',
    'Fortnight Stores revenue for the quarters ended March 30, 2024 and June 29, 2024', 'Fortnight Stores latest revenue for the quarter ended June 29, 2024', 'Short interest in Zemruz in the quarter ended June 30, 2023',
    'Who was the CEO of Zemruz as of June 30, 2023?', 'Fortnight Stores revenue through June 29, 2024', 'Fortnight Stores revenue not in the quarter ended June 29, 2024', 'Fortnight Stores revenue quarter ended day20240629', 'Fortnight Stores revenue quarter ended month202406', 'Fortnight Stores revenue quarter ended day20249999', 'month202413 revenue of Fortnight Stores';
refuses("Fortnight Stores revenue in the quarter ended $_") for 'June 31, 2024', '2024-13-01', '0/0/2024', 'June 29', '2024-06-31';
says('Fortnight Stores revenue for the twelve months ended June 30, 2024', 'Fortnight Stores Inc. had revenue of USD 430 million in the twelve months ended 29 June 2024 [1].', 430);
is(ask('Fortnight Stores revenue in the quarter ended June 29, 2024', as_of => '2024-07-01')->{answer_md}, '', 'as of before it was filed there is none');
is(ask('Fortnight Stores revenue in the nine months ended June 29, 2024', as_of => '2024-07-01')->{answer_md}, '', '... of nine months neither');

# ------------------------------------------------------- calendar years, percentages, and numbers of long ago

# A calendar year is twelve months that end near its end, of which there are none of 2023. The numbers of the quarter that ended in December 2024 come later.
refuses('Fortnight Stores revenue in calendar 2023', 'Fortnight Stores Inc. has no revenue for that period; numbers are stored of 2023-07-01 to 2024-09-28.');
$filing{later} = ['0008810001-25-000001', 2025, 'Q1', '10-Q', '2025-02-07'];
my @income = (fact('y2023', '2022-10-01', '2023-09-30', 40 * $million), fact('y2024', '2023-10-01', '2024-09-28', 69 * $million));
push @revenue, fact('later', '2024-09-29', '2024-12-28', 140 * $million);
push @assets, fact('later', undef, '2024-12-28', 990 * $million);
($code, undef, $wrong) = $site->control('import', 'sec-companyfacts', $site->write(sprintf('CIK%010d.json', $cik), $json->encode({ cik => $cik, entityName => 'Fortnight Stores Inc.',
    facts => { 'us-gaap' => { element('Revenues', @revenue), element('Assets', @assets), element('NetIncomeLoss', @income), element('InventoryNet', fact('y2023', undef, '2022-10-01', 50 * $million)) } } })));
is($code, 0, 'later numbers') or diag $wrong;
says($_, 'Fortnight Stores Inc. had revenue of USD 500 million in the twelve months ended 28 December 2024 [1].', 500) for 'Fortnight Stores revenue in calendar 2024', 'What was the revenue of Fortnight Stores in calendar year 2024?';
says('Fortnight Stores revenue in 2024', $year, 460);
says('Fortnight Stores revenue in calendar Q4 2024', 'Fortnight Stores Inc. had revenue of USD 140 million in the first quarter of fiscal 2025, ended 28 December 2024 [1].', 140);

my $margin = ask('How much did the net margin of Fortnight Stores grow in fiscal 2024?');
is($margin->{answer_md}, 'Fortnight Stores Inc. had net margin of 15% in fiscal 2024, ended 28 September 2024 [1], up 5 percentage points from 10% in fiscal 2023, ended 30 September 2023 [2].', 'what a percentage grew by are points');
like(ask('Compare net margin of Fortnight Stores and Qordra in 2024')->{answer_md}, qr/The higher is that of [^[]+ \[3\], by [\d.]+ percentage points over that of /, '... and by what one is higher');

refuses('Fortnight Stores inventory', 'Fortnight Stores Inc. has no inventory of its latest year; the latest stored is of 1 October 2022.');
says('Fortnight Stores inventory as of October 1, 2022', 'Fortnight Stores Inc. had inventory of USD 50 million at 1 October 2022 [1].', 50);
says('Fortnight Stores total assets', 'Fortnight Stores Inc. had total assets of USD 990 million at 28 December 2024 [1].', 990);

# ------------------------------------------------------------------------- rankings of several currencies

# One company reports in two currencies, more in the one that nobody else reports in; the other one in that alone.
my ($before) = ask('Which company had the highest revenue in 2024?')->{answer_md} =~ /of (\d+) companies/;
$filing{two} = ['0008810002-25-000001', 2024, 'FY', '20-F', '2025-02-07'];
$filing{one} = ['0008810003-25-000001', 2024, 'FY', '20-F', '2025-02-07'];
sub of_year { my ($filing, $value) = @_; return fact($filing, '2024-01-01', '2024-12-31', $value * $million) }
for my $case ([8810002, 'TWOCU', 'Two Currencies Ltd.', Revenue => { TWD => [of_year('two', 90_000_000), fact('two', '2023-01-01', '2023-12-31', 80_000_000 * $million)], USD => [of_year('two', 3_000_000)] }],
    [8810003, 'ONECU', 'One Currency Ltd.', Revenue => { TWD => [of_year('one', 70_000_000)] }]) {
    my ($of, $ticker, $name, $element, $units) = @$case;
    ($code, undef, $wrong) = $site->control('import', 'ndjson', $site->write("$ticker.ndjson", $json->encode({ %{ $listing[0] }, cik => $of, ticker => $ticker, name => $name }) . "\n"));
    is($code, 0, $name) or diag $wrong;
    ($code, undef, $wrong) = $site->control('import', 'sec-companyfacts', $site->write(sprintf('CIK%010d.json', $of),
        $json->encode({ cik => $of, entityName => $name, facts => { 'ifrs-full' => { $element => { label => undef, description => undef, units => $units } } } })));
    is($code, 0, '... its numbers') or diag $wrong;
}
is(ask('Two Currencies revenue in 2024')->{answer_md}, 'Two Currencies Ltd. had revenue of TWD 90000 billion in fiscal 2024, ended 31 December 2024 [1].', 'the currency that most of its numbers are in');
is(ask('Which company had the highest revenue in 2024?')->{answer_md}, 'Two Currencies Ltd. had the highest revenue: USD 3000 billion in fiscal 2024, ended 31 December 2024 [1], of ' . ($before + 1) . ' companies with the number.',
    'a ranking has its number in the currency of the others, and counts the companies that are ranked');

finish();

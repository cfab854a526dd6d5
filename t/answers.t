# How well questions are answered: some hundred questions over the stored facts of the demo companies and of Apple's companyfacts, worded in many
# ways, with typing errors and pronouns of time, and questions that can't be answered. Two halves have wordings of their own; nothing was
# tuned on the half "report". Prints for each: correct, wrong, refused, within 1 %, quotes found.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Test;
use List::Util qw(first sum0);
use Time::HiRes ();

my $site = site();
my $facts = build('SHARED') . '/data/edgar-companyfacts/CIK0000320193.json.gz';
my $has_real = -e $facts;
if ($has_real) {
    my ($code, undef, $wrong) = $site->control('import', 'sec-company-tickers', glob(build('SHARED') . '/data/edgar-tickers/company_tickers_exchange*.json'));
    is($code, 0, 'ten thousand listings') or diag $wrong;
    my ($exit, undef, $errors) = $site->control('import', 'sec-companyfacts', $facts);
    is($exit, 0, 'Apple\'s companyfacts') or diag $errors;
}
else { diag 'no real files: only the demo companies are asked about' }

# The same questions each time.
my $seed = 20261123;
sub pick { my (@of) = @_; $seed = ($seed * 1103515245 + 12345) % 2147483648; return $of[int($seed / 65536) % @of] }

# ------------------------------------------------------------------------- facts

my @companies = $site->rows(q{SELECT DISTINCT i.issuer_id, i.name, i.ticker FROM issuer i JOIN fundamental f USING (issuer_id) WHERE f.superseded_at IS NULL AND i.name IS NOT NULL AND i.ticker IS NOT NULL ORDER BY i.issuer_id});
my %name = map { ($_->{issuer_id} => $_->{name} =~ s/,? (?:Inc\.|plc|AG|Corp\.?)\z//r) } @companies;
my %ticker = map { ($_->{issuer_id} => $_->{ticker}) } @companies;
my %label = (revenue => ['revenue', 'net sales', 'total revenue', 'turnover'], net_income => ['net income', 'net profit', 'net earnings', 'profit'],
    gross_profit => ['gross profit'], assets => ['total assets', 'assets'], stockholders_equity => ["stockholders' equity", 'shareholders equity'],
    operating_income => ['operating income', 'operating profit', 'EBIT'], liabilities => ['total liabilities'], eps_diluted => ['diluted EPS', 'diluted earnings per share'],
    cash_and_cash_equivalents => ['cash and cash equivalents'], operating_cash_flow => ['operating cash flow', 'cash from operations']);
my @numbers = $site->rows(q{SELECT issuer_id, metric_key, period_kind, fiscal, end_date, value, unit FROM fundamental WHERE superseded_at IS NULL AND fiscal IS NOT NULL
    AND NOT is_suspect AND period_kind IN ('annual', 'quarter', 'instant') AND metric_key IN (} . join(',', map { "'$_'" } sort keys %label) . q{) ORDER BY issuer_id, metric_key, end_date, period_kind});
@numbers = grep { $name{ $_->{issuer_id} } } @numbers;
my %number = map { ("$_->{issuer_id} $_->{metric_key} $_->{period_kind} $_->{fiscal}" => $_) } @numbers;
my $latest_year = 2025;

sub number_of { my ($kind) = @_; return pick(grep { $_->{period_kind} eq $kind && ($kind ne 'instant' || $_->{fiscal} =~ /^Q4/) && $_->{fiscal} =~ /20(?:2[1-5])\z/ } @numbers) }
sub year_of { return $_[0]{fiscal} =~ /(\d{4})\z/ ? $1 : '' }
sub quarter_of { return $_[0]{fiscal} =~ /^Q(\d)/ ? $1 : '' }
my @ordinal = ('', 'first', 'second', 'third', 'fourth');
sub typo { my ($word) = @_; my $at = 2 + length($word) % 3; return $word if length $word < 6; return substr($word, 0, $at) . substr($word, $at + 1, 1) . substr($word, $at, 1) . substr($word, $at + 2) }

# Revenue of parts of the companies in a quarter, where all sources have the same.
my @parts = grep { $name{ $_->{issuer_id} } } $site->rows(q{SELECT issuer_id, 'revenue' AS metric_key, member, fiscal, end_date, min(value) AS value FROM kpi_observation
    WHERE superseded_at IS NULL AND dimension IS NOT NULL AND canonical_key = 'revenue' AND period_kind = 'quarter' AND fiscal IS NOT NULL GROUP BY issuer_id, member, fiscal, end_date
    HAVING count(DISTINCT value) = 1 ORDER BY issuer_id, member, end_date});
my @months = qw(January February March April May June July August September October November December);

# A day as people write it, up to two days off.
sub written
{
    my ($day, $turn) = @_;
    my ($year, $month, $of_month) = $site->value("SELECT (DATE '$day' + ($turn % 5 - 2))::text") =~ /^(\d+)-(\d+)-(\d+)\z/;
    return ("$months[$month - 1] " . ($of_month + 0) . ", $year", "$year-$month-$of_month", ($of_month + 0) . " $months[$month - 1] $year", substr($months[$month - 1], 0, 3) . '. ' . ($of_month + 0) . ", $year")[$turn % 4];
}

# ------------------------------------------------------------------------- wordings: C company, T ticker, M metric, Y year, Q quarter, O its ordinal, D and E another company, N the last day, P a part

my %wording = (
    tune => {
        annual  => ["What was C's M in fiscal Y?", 'C M Y', 'How much M did C report for Y?', 'Tell me the M of C in FY Y', "what's T M for fiscal year Y", 'M of C in Y please'],
        quarter => ["What was C's M in Qx Y?", 'C M QxY', 'How much was M of C in the O quarter of fiscal Y?', 'T Qx FYY M', 'M for C, O quarter Y'],
        instant => ["What were C's M at the end of fiscal Y?", 'C M Y', 'How large were the M of C at the end of Y?', 'T M FYY', 'M of C as of year end Y'],
        growth  => ["How much did C's M grow in fiscal Y?", 'C M growth Y', 'By what percentage did M of C change in Y?', 'Did T M increase or decrease in FY Y?', 'year over year change in M of C for Y'],
        comparison => ['Compare M of C and D in Y', 'Which had the higher M in fiscal Y, C or D?', 'C vs D M Y', "Was C's M larger than D's in Y?", 'M Y: C versus D'],
        ranking => ['Which company had the highest M in Y?', 'Who had the largest M in fiscal Y?', 'Which company has the lowest M in FYY?', 'company with the biggest M Y', 'What company reported the most M in Y?'],
        list    => ['C M over the last 3 years', 'List the M of C for the past three years', 'Show me C M for the last 3 fiscal years', 'What was M of C in each of the last three years?', 'M history of C, last 3 years'],
        ended_quarter => ["What was C's M in the quarter ended N?", 'C M for the three months ended N', 'M of C, quarter ending N', 'How much M did T have in the quarter that ended on N?'],
        ended_year => ["What was C's M for the year ended N?", 'C M, fiscal year ended N', 'How much M did C report for the twelve months ended N?', 'M of T in the fiscal year ending N'],
        ended_instant => ["What were C's M as of N?", 'C M at N', 'How large were the M of C on N?', 'M of T as at N'],
        part    => ["What was C's revenue from P in Qx Y?", 'C P revenue Qx Y', 'How much revenue did C make from P in the O quarter of fiscal Y?', "T's sales of P in the quarter ended N", 'revenue of the P segment of C, Qx Y'],
        text    => ['What did C say about W?', 'C W', 'Where does C mention W?', 'What do the filings of C say about W?', 'Did C mention W?'],
        unanswerable => ["What was C's M in fiscal 2039?", 'Should I buy shares of C?', "What is the favourite film of C's CEO?", 'What was the M of Glombar Quuxley in Y?', "Will C's M rise next year?", 'What will C stock price be tomorrow?',
            'How many unicorn farms does C operate?', 'What is the M of the moon?', "What was C's M in 1987?", 'Is C a good investment?'],
    },
    report => {
        annual  => ['In Y, how much M did C have?', 'Give me M for C, fiscal Y', "C's Y M", 'M (T, FYY)', 'Could you tell me what M C posted for fiscal year Y?', 'how much did C make in M during fiscal Y'],
        quarter => ['In the O quarter of Y, what was M at C?', "C's Qx Y M?", 'What M did T record in Qx of fiscal Y?', 'FYY Qx M C', 'Please give the M of C for the O fiscal quarter of Y'],
        instant => ['What M did C have at the end of Y?', 'M at C, fiscal year-end Y', "C's M, end of fiscal Y", 'how much M did T have in FYY', "C's M at year end Y?"],
        growth  => ['What was the growth of M at C in Y?', "How fast did C's M grow in fiscal Y?", 'M growth rate for T in FYY', 'Change in M from the prior year for C, Y', 'Has M of C risen or fallen in fiscal Y, and by how much? '],
        comparison => ['Who had more M in Y, C or D?', 'How does the M of C compare with that of D for fiscal Y?', 'M of C against D, FYY', 'Is M at C higher than at D in Y?', 'Y M comparison: C, D'],
        ranking => ['Rank the top company by M in Y', 'Of all companies, which one had the greatest M in fiscal Y?', 'smallest M in FYY, which company?', 'Name the company with the highest M for Y', 'Which firm reported the largest M in Y?'],
        list    => ["C's M for the previous 3 years", 'How has M of C developed over the last three years? ', 'give me three years: C M over the past 3 years', 'T M last 3 years', 'the M of C by year, last three years'],
        text    => ['What is said about W at C?', 'Find what C wrote about W', 'C on W', 'Tell me what C says about W', 'What does C report about W?'],
        unanswerable => ['M of C in 2041?', 'Do you recommend C shares?', 'Which football club does the CEO of C support?', 'How much M did Vlimp Industries Worldwide report for Y?', 'Predict the M of C', 'What is the share price target for C?',
            'How tall is the headquarters of C?', "What was C's M in 1975?", 'Who will win the election?', 'What is the recipe for pancakes?'],
    },
);

# The words of a question: its company's name, at times with a typing error, and a name of the metric.
sub words
{
    my ($wording, $n, $other, $turn) = @_;
    my $metric = pick($label{ $n->{metric_key} }->@*);
    my $company = $name{ $n->{issuer_id} };
    my $short = $company =~ /^(\w{5,})/ ? $1 : $company;
    my %of = (C => $turn % 3 == 1 ? $short : $company, T => $ticker{ $n->{issuer_id} }, P => $n->{member} // '', N => $wording =~ /\bN\b/ ? written($n->{end_date}, $turn) : '', M => $turn % 7 == 5 ? typo($metric) : $metric, Y => year_of($n), x => quarter_of($n),
        O => $ordinal[quarter_of($n) || 0], D => $other ? $name{$other} : '', W => $n->{words} // '');
    return $wording =~ s/\b([CTMOWDNP])\b|(?<=Q)(x)|(?<=FY)(Y)\b|\b(Y)\b/$of{$1 \/\/ $2 \/\/ $3 \/\/ $4}/gr =~ s/(?<=\d)Y\b/$of{Y}/gr;
}

# ------------------------------------------------------------------------- records: C company, F and L first and last name, M manager, K how many, Y year, Qx quarter

my $now = 'superseded_at IS NULL';
my @held = $site->rows("SELECT company_id AS issuer_id, max(period_of_report) AS period FROM institution_holder WHERE $now AND shares > 0 AND company_id IN (SELECT i.issuer_id FROM issuer i WHERE i.ticker IS NOT NULL)
    GROUP BY 1 HAVING count(DISTINCT symbol) = 1 AND count(*) FILTER (WHERE period_of_report = '2026-06-30') > 3 ORDER BY 1");
my @sold = $site->rows("SELECT issuer_id, to_char(transaction_date, 'YYYY') AS year FROM insider_transaction WHERE $now AND NOT is_derivative AND transaction_type = 'sale' AND value IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 3 ORDER BY 1, 2");
my @people = $site->rows("SELECT owner_cik, min(split_part(insider_name, ' ', 1)) AS last, min(split_part(insider_name, ' ', 2)) AS first, min(issuer_id) AS issuer_id, to_char(transaction_date, 'YYYY') AS year FROM insider_transaction t
    WHERE $now AND NOT is_derivative AND transaction_type = 'sale' AND insider_name ~ '^[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][.]\$' AND owner_cik > 9991000000
      AND NOT EXISTS (SELECT 1 FROM insider_transaction o WHERE o.owner_cik <> t.owner_cik AND starts_with(o.insider_name, split_part(t.insider_name, ' ', 1) || ' ' || split_part(t.insider_name, ' ', 2)))
    GROUP BY owner_cik, to_char(transaction_date, 'YYYY') HAVING count(*) <= 20 AND count(DISTINCT issuer_id) = 1 ORDER BY 1, 5");
my @moved = $site->rows("SELECT h.issuer_id AS manager, h.company_id AS issuer_id, h.symbol, extract(quarter FROM h.period_of_report) AS quarter, extract(year FROM h.period_of_report) AS year, h.src_digest AS now_digest, b.src_digest AS then_digest, i.name AS manager_name
    FROM institution_holder h JOIN institution_holder b ON b.issuer_id = h.issuer_id AND b.symbol = h.symbol AND b.$now AND b.period_of_report = (date_trunc('quarter', h.period_of_report::timestamp) - interval '1 day')::date
    JOIN issuer i ON i.issuer_id = h.issuer_id
    WHERE h.$now AND h.period_of_report > '2023-01-01' AND (SELECT count(DISTINCT o.symbol) FROM institution_holder o WHERE o.issuer_id = h.issuer_id AND o.company_id = h.company_id) = 1 AND i.name LIKE '% & %' ORDER BY 1, 2, 4, 5");
my @traders = $site->rows("SELECT c.issuer_id AS member, split_part(i.name, ' ', 1) AS first, split_part(i.name, ' ', 3) AS last, to_char(transaction_date, 'YYYY') AS year FROM congress_trade c JOIN issuer i USING (issuer_id)
    WHERE c.$now AND transaction_type = 'purchase' AND i.name ~ '^[A-Z][a-z]+ [A-Z][.] [A-Z][a-z]+\$' AND transaction_date IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING count(*) <= 20 ORDER BY 1, 4");
my $recent = 'ORDER BY transaction_date DESC, id DESC';
# Whom a question is about, and the records that its answer cites, in their order.
my %of_records = (
    top_holders => [\@held, sub { "institution_holder WHERE company_id = $_[0]{issuer_id} AND $now AND shares > 0 AND period_of_report = '$_[0]{period}' ORDER BY value DESC, id LIMIT $_[1]" }],
    top_sales   => [\@sold, sub { "insider_transaction WHERE issuer_id = $_[0]{issuer_id} AND $now AND NOT is_derivative AND transaction_type = 'sale' AND to_char(transaction_date, 'YYYY') = '$_[0]{year}' ORDER BY value DESC, transaction_date DESC, id DESC LIMIT $_[1]" }],
    named       => [\@people, sub { "insider_transaction WHERE owner_cik = $_[0]{owner_cik} AND $now AND NOT is_derivative AND transaction_type = 'sale' AND to_char(transaction_date, 'YYYY') = '$_[0]{year}' $recent" }],
    change      => [\@moved, undef],
    member      => [\@traders, sub { "congress_trade WHERE issuer_id = $_[0]{member} AND $now AND transaction_type = 'purchase' AND to_char(transaction_date, 'YYYY') = '$_[0]{year}' $recent LIMIT 20" }],
    congress    => [\@traders, sub { "congress_trade WHERE $now AND transaction_type LIKE 'sale%' AND to_char(transaction_date, 'YYYY') = '$_[0]{year}' $recent LIMIT 20" }],
    unstored    => [\@moved, undef],
);
my %dataset = (top_holders => 'institution_holder', top_sales => 'insider', named => 'insider', member => 'congress_trade', congress => 'congress_trade');
my %record_wording = (
    tune => {
        top_holders => ['top K holders of C', 'Who are the K largest holders of C?', 'the K biggest institutional holders of C', 'K largest shareholders of C'],
        top_sales   => ['the K largest insider sales at C in Y', 'top K insider sales of C in Y', 'K biggest sales by insiders of C, Y', 'What were the K largest insider sales at C in Y?'],
        named       => ['What did F L sell in Y?', 'Has F L sold shares of C in Y?', 'Insider sales of F L in Y', 'Did F L sell any shares in Y?'],
        change      => ['Did M increase its stake in C in Qx Y?', 'Did M reduce its position in C in Qx Y?', 'How did the position of M in C change in Qx Y?', 'Has M added to its shares of C in Qx Y?'],
        member      => ['What did F L buy in Y?', 'Which stocks did F L buy in Y?', 'purchases of F L in Y'],
        congress    => ['What did members of Congress sell in Y?', 'sales by members of Congress in Y', 'Which stocks did politicians sell in Y?'],
        unstored    => ['Who is the smallest holder of C?', 'What did Glombar Quuxley sell in Y?', 'Did Glombar Quuxley Advisors increase its stake in C?', 'Who sold the most shares of C?', 'Did M increase its stake in C in Qx 1987?', 'Which holder of C will sell?', 'What did members of Congress buy before Y?'],
    },
    report => {
        top_holders => ["Who are C's top K institutional holders?", 'Name the K largest institutions that hold C', 'biggest K holders of C', 'List the K largest owners of C stock'],
        top_sales   => ["In Y, what were the K biggest insider sales at C?", 'largest K sales by insiders of C in Y', "C's K largest insider sales in Y"],
        named       => ['In Y, what did F L sell?', 'Which shares did F L sell in Y?', 'Shares that F L sold in Y', 'F L insider sales in Y'],
        change      => ["Was M's position in C increased in Qx Y?", 'By how much did M change its stake in C in Qx Y?', 'Did M cut its holdings of C in Qx Y?', 'In Qx Y, did M raise its stake in C?'],
        member      => ['In Y, what did F L buy?', 'What stocks has F L bought in Y?', 'What shares did F L purchase in Y?'],
        congress    => ['In Y, what did members of Congress sell?', 'stocks that members of Congress sold in Y', 'congressional sales in Y'],
        unstored    => ['Name the smallest institution that holds C', 'In Y, what did Vlimp Glombar sell?', 'Has Vlimp Glombar Partners cut its stake in C?', 'Which insider sold the most C shares in Y?', 'In Qx 1987, did M raise its stake in C?', 'Will M raise its stake in C?', 'What did the neighbour of F L sell in Y?'],
    },
);
my %records_per_kind = (top_holders => 16, top_sales => 16, named => 24, change => 24, member => 12, congress => 6, unstored => 21);

sub record_question
{
    my ($half, $kind, $turn) = @_;
    my ($subjects, $expected) = $of_records{$kind}->@*;
    my $n = pick(@$subjects);
    my $number = 2 + $turn % 2;
    my ($person) = $kind eq 'unstored' ? pick(@people) : $n;
    my $company = ($n->{issuer_id} ? $site->value("SELECT name FROM issuer WHERE issuer_id = $n->{issuer_id}") : '') =~ s/,? (?:Inc\.|plc|AG|Corp\.?)\z//r;
    my %of = (C => $company, F => $person->{first}, L => $person->{last}, Y => $n->{year}, K => ('', '', $turn % 3 ? 'two' : '2', $turn % 3 ? 'three' : '3')[$number], M => ($n->{manager_name} // '') =~ s/ (?:LLC|LLP|LP|Inc)\z//r, x => $n->{quarter});
    my $wording = $record_wording{$half}{$kind}[$turn % $record_wording{$half}{$kind}->@*] =~ s/\b([CFLYKM])\b|(?<=Q)(x)/$of{$1 \/\/ $2}/gr;
    my %right = $kind eq 'unstored' ? (nothing => 1) : $kind eq 'change' ? (cites => [map { 'src_institution_holder_' . $n->{$_} =~ s/-//gr } qw(now_digest then_digest)])
        : (cites => [map { "src_$dataset{$kind}_$_->{digest}" } $site->rows("SELECT replace(src_digest::text, '-', '') AS digest FROM " . $expected->($n, $number))]);
    return { question => $wording, kind => $kind, %right };
}

# ------------------------------------------------------------------------- questions with what is right

# Kinds that the half "report" does not have use no random number of the others'.
my %per_kind = (ended_quarter => 24, ended_year => 20, ended_instant => 16, part => 24, annual => 30, quarter => 24, instant => 18, growth => 24, comparison => 20, ranking => 20, list => 15, text => 20, unanswerable => 30);
my @phrases = ('few suppliers', 'interest rates raise the cost', 'backups may prove incomplete', 'disclosure controls and procedures');

sub question
{
    my ($half, $kind, $turn) = @_;
    my $wording = $wording{$half}{$kind}[$turn % $wording{$half}{$kind}->@*];
    my $n = $kind eq 'part' ? pick(grep { $_->{fiscal} =~ /20(?:2[1-5])\z/ } @parts) : number_of($kind =~ /^(?:ended_)?(quarter|instant)\z/ ? $1 : 'annual');
    my $other;
    my %right;
    if ($kind eq 'growth') {
        $n = number_of('annual') until $number{"$n->{issuer_id} $n->{metric_key} annual FY" . (year_of($n) - 1)} && $n->{metric_key} ne 'eps_diluted';
        $right{values} = [$n->{value}, $number{"$n->{issuer_id} $n->{metric_key} annual FY" . (year_of($n) - 1)}{value}];
    }
    elsif ($kind eq 'comparison') {
        my @others;
        until (@others) {
            $n = number_of('annual');
            @others = grep { $_->{issuer_id} != $n->{issuer_id} && $_->{metric_key} eq $n->{metric_key} && $_->{period_kind} eq 'annual' && $_->{fiscal} eq $n->{fiscal} && $_->{unit} eq $n->{unit} && $_->{value} != $n->{value} } @numbers;
        }
        my $second = pick(@others);
        $other = $second->{issuer_id};
        $right{values} = [$n->{value}, $second->{value}];
        $right{says} = 'The higher is that of ' . quotemeta($name{ ($n->{value} > $second->{value} ? $n : $second)->{issuer_id} });
    }
    elsif ($kind eq 'ranking') {
        $n = number_of('annual') until $n->{metric_key} =~ /^(?:revenue|net_income|gross_profit)\z/ && year_of($n) < 2025;
        my @all = sort { $b->{value} <=> $a->{value} } grep { $_->{metric_key} eq $n->{metric_key} && $_->{period_kind} eq 'annual' && $_->{fiscal} eq $n->{fiscal} && $_->{unit} eq 'USD' } @numbers;
        $right{values} = [($wording =~ /lowest|smallest/ ? $all[-1] : $all[0])->{value}];
    }
    elsif ($kind eq 'list') {
        my @all = sort { $b->{end_date} cmp $a->{end_date} } grep { $_->{issuer_id} == $n->{issuer_id} && $_->{metric_key} eq $n->{metric_key} && $_->{period_kind} eq 'annual' } @numbers;
        $right{values} = [map { $_->{value} } @all[0 .. ($#all < 2 ? $#all : 2)]];
    }
    elsif ($kind eq 'text') {
        my $phrase = $phrases[$turn % @phrases];
        my ($of) = $site->rows("SELECT DISTINCT c.issuer_id FROM document_chunk c WHERE is_current AND strpos(text, '$phrase') > 0 ORDER BY 1 OFFSET " . ($turn % 9) . ' LIMIT 1');
        $n = { %$n, issuer_id => $of->{issuer_id}, words => $phrase };
        $right{says} = quotemeta $phrase;
    }
    elsif ($kind eq 'unanswerable') { $right{nothing} = 1 }
    else { $right{values} = [$n->{value}] }
    my $question = words($wording, $n, $other, $turn);
    return { question => $question, kind => $kind, %right };
}

# What an answer is: correct, wrong or refused.
sub verdict
{
    my ($question, $answer) = @_;
    return $question->{nothing} ? 'correct' : 'refused' if $answer->{answer_md} eq '';
    return 'wrong' if $question->{nothing};
    return join(' ', map { $_->{src_id} } $answer->{citations}->@*) eq join(' ', $question->{cites}->@*) ? 'correct' : 'wrong' if $question->{cites};
    my @got = map { $_->{value}{raw} } $answer->{data_points}->@*;
    my @lacking = grep { my $wanted = $_; !grep { $_ == $wanted } @got } ($question->{values} // [])->@*;
    return 'wrong' if @lacking || $question->{says} && $answer->{answer_md} !~ /$question->{says}/;
    return 'wrong' if $question->{kind} eq 'ranking' && $got[0] != $question->{values}[0];
    return 'correct';
}

for my $half (qw(tune report)) {
    my (%count, %structured, @times, @bad, $quotes, $found);
    for my $kind ((sort grep { $wording{$half}{$_} } keys %per_kind), sort keys %records_per_kind) {
        my $kept = $seed;
        for my $turn (0 .. ($per_kind{$kind} // $records_per_kind{$kind}) - 1) {
            my $question = $per_kind{$kind} ? question($half, $kind, $turn) : record_question($half, $kind, $turn);
            my $began = Time::HiRes::time();
            my $answer = json_of($site->post('/v1/ask', { question => $question->{question} }));
            push @times, 1000 * (Time::HiRes::time() - $began);
            my $verdict = verdict($question, $answer);
            $count{$kind}{$verdict}++;
            $structured{$verdict}++ if $kind !~ /^(?:text|unanswerable|unstored)\z/;
            push @bad, "$kind $verdict: $question->{question} -> " . ($answer->{answer_md} || $answer->{not_found} // '') if $verdict ne 'correct';
            for my $quote (grep { defined } map { $_->{quote} } $answer->{citations}->@*) {
                $quotes++;
                utf8::encode(my $bytes = $quote =~ s/'/''/gr);
                $found++ if $site->value("SELECT count(*) FROM document_chunk WHERE strpos(text, '$bytes') > 0") > 0;
            }
        }
        $seed = $kept if !$wording{report}{$kind}; # records have numbers of their own as well
    }
    diag sprintf '%-6s %-13s correct %3d  wrong %3d  refused %3d', $half, $_, map { $_ // 0 } $count{$_}->@{qw(correct wrong refused)} for sort keys %count;
    my $all = sum0(values %structured);
    my ($correct, $wrong) = map { 100 * ($structured{$_} // 0) / $all } qw(correct wrong);
    my $refused = 100 * sum0(map { $count{$_}{correct} // 0 } qw(unanswerable unstored)) / ($per_kind{unanswerable} + $records_per_kind{unstored});
    @times = sort { $a <=> $b } @times;
    diag sprintf '%-6s %d questions: structured %.1f %% correct (exact), %.1f %% wrong; unanswerable refused %.1f %%; quotes found %d of %d; p50 %.0f ms, p95 %.0f ms', $half, scalar @times,
        $correct, $wrong, $refused, $found // 0, $quotes // 0, $times[@times / 2], $times[@times * 0.95];
    diag join "\n", '', @bad if $ENV{DISCLOSED_ANSWERS} && ($half eq 'tune' || $ENV{DISCLOSED_ANSWERS} eq 'report');
    cmp_ok($correct, '>=', 95, "$half: answerable structured questions are answered");
    cmp_ok($wrong, '<=', 1, "$half: hardly any is answered wrongly");
    cmp_ok($refused, '>=', 95, "$half: unanswerable ones are refused");
    is($found // 0, $quotes // 0, "$half: every quote stands in a text");
}
finish();

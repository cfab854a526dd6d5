# Which trades of Congress are one: a trade is known by what it says, so that dumps which leave rows out, other
# spellings, the report itself and the order of files make no others, and lose none.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(shared_data);
use List::Util qw(shuffle);

my $json  = Disclosed::JSON->new->utf8->canonical;
my $clerk = 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs';
my $cells = 0;
srand 20261122;

sub import_into
{
    my ($where, $source, $path, @options) = @_;
    my ($code, $out, $err) = $where->control('import', $source, '--json', @options, $path);
    is($code, 0, "$source $path") or diag substr "$out$err", 0, 1000;
    return eval { $json->decode($out) } // {};
}

my $words = 't.chamber, t.report_id, i.party_key, t.first_name, t.last_name, t.political_party, t.state_district, t.ticker, t.asset_name, t.asset_type,
    t.transaction_type, t.amount_range, t.owner, t.comment, t.transaction_date, t.filing_date, t.filing_date_basis, t.read_from';

# What is in force at an instant (now, without): by src_id, with all that it says.
sub in_force
{
    my ($where, $at, $and) = @_;
    my $condition = $at ? "t.known_at <= '$at' AND (t.superseded_at IS NULL OR t.superseded_at > '$at')" : 't.superseded_at IS NULL';
    my @rows = map { $_->{line} } $where->rows("SELECT concat_ws('|', t.src_digest, t.record_key, row_to_json(x)) AS line FROM disclosed.congress_trade t
        JOIN disclosed.issuer i USING (issuer_id) CROSS JOIN LATERAL (SELECT $words) x WHERE $condition @{[$and // '']} ORDER BY 1");
    $cells += 18 * @rows;
    return \@rows;
}

# --- made dumps ------------------------------------------------------------------------------

my %row = (disclosure_date => '05/01/2023', transaction_date => '04/20/2023', owner => 'Self', ticker => 'MADE', asset_description => 'Made Co', type => 'Purchase',
    amount => '$1,001 - $15,000', representative => 'Hon. John Dump', district => 'TX03', source_url => "$clerk/2023/20088888.pdf");
sub rows_as { return $json->encode([map { { %row, %$_ } } @_]) }

# Each of these is the trade above in other words.
my @spellings = (
    {}, { ticker => ' made ' }, { ticker => '--', asset_description => 'Made Co (MADE) [ST]' }, { ticker => undef, asset_description => 'MADE CO. (MADE)  [st]' },
    { asset_description => 'Made Co (MADE)', asset_type => 'ST' }, { asset_type => 'Stock' }, { asset_type => 'Stocks (including ADRs)' },
    { asset_description => 'Made &amp;amp; Co' }, { asset_description => '<div>Made</div>  Co' }, { type => 'P' }, { type => 'purchase' },
    { amount => '$1,001  -  $15,000' }, { amount => '$1,001 -' }, { amount => '$1,001' }, { amount => '$1001 - $15000' }, { owner => 'SELF' }, { owner => '--' }, { owner => undef },
    { transaction_date => '4/20/2023' }, { transaction_date => '2023-04-20' }, { transaction_date => '2023-04-20T00:00:00Z' },
    { asset_description => '$200? Made Co' }, { asset_description => '2000166537 Made Co' }, { asset_description => 'F S: New Made Co' },
    { asset_description => "Made Co F\0\0 S\0\0: New S\0 O\0: An account" }, { source_url => "$clerk/2023/20088888.PDF" },
    { disclosure_date => '05/02/2023' }, { representative => 'Dump, John' }, { representative => 'John Dump, Jr.' }, { representative => 'Dump Jr., John' }, { district => 'TX' },
);
my $site = site(template => 'empty', start => 0);
for my $i (0 .. $#spellings) {
    import_into($site, 'house-ptr', $site->write("$i-transactions.json", rows_as($spellings[$i])), '--known-at', '2024-01-01');
}
my @keys = map { $_->{record_key} } $site->rows('SELECT DISTINCT record_key FROM congress_trade');
is_deeply(\@keys, ['house/20088888/2023-04-20/purchase/self/MADE/1001/1'], scalar(@spellings) . ' spellings are one trade');
is($site->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL'), 1, '... of which one stands');
same_json([$site->rows('SELECT DISTINCT asset_type FROM congress_trade WHERE asset_type IS NOT NULL')], [{ asset_type => 'Stock' }], '... and of one type');
is($site->value(q{SELECT count(DISTINCT party_key) FROM congress_trade JOIN issuer USING (issuer_id)}), 1, '... of one politician');

# Each of these is another trade.
my @others = ({ owner => 'Spouse' }, { owner => 'DC' }, { ticker => 'OTHER' }, { ticker => '--', asset_description => 'Made Bond 4%' }, { ticker => '--', asset_description => 'Made Bond 5%' },
    { type => 'Sale' }, { type => 'Sale (Partial)' }, { type => 'E' }, { transaction_date => '04/21/2023' }, { transaction_date => '0023-04-21' }, { amount => '$15,001 - $50,000' },
    { amount => 'Over $50,000,000' }, { amount => '$50,000,001 - $60,000,000', transaction_date => '04/22/2023' }, { source_url => "$clerk/2023/20088889.pdf" },
    { owner => 'Self', asset_description => 'S O: An account JT Made Co' });
import_into($site, 'house-ptr', $site->write('others-transactions.json', rows_as(@others)), '--known-at', '2024-01-01');
is($site->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL'), 1 + @others, scalar(@others) . ' are others');
same_json([map { [@$_{qw(owner asset_name quote)}] } $site->rows("SELECT * FROM congress_trade WHERE owner = 'joint'")],
    [['joint', 'Made Co', 'asset_description: S O: An account JT Made Co']], 'an owner that a dump takes for a part of the asset; what it says is quoted');

# Lines above an asset that no owner ends: other rows of the file tell where they do, by the ticker's asset or by the account.
my @lines = ({}, { ticker => 'OTHER', asset_description => 'Other plc - Class A (OTHER) [ST]' },
    { asset_description => 'S O: A Trust > An Account (1) Made Co' }, { ticker => 'OTHER', asset_description => 'S O: A Trust > An Account (1) Other plc - Class A' },
    { ticker => 'THIRD', asset_description => 'S O: A Trust > An Account (1) Third Co' }, { owner => 'JT', ticker => 'FOURTH', asset_description => 'D: Sold at an auction JT Fourth Co' },
    { ticker => 'FIFTH', asset_description => 'D: Sold at an auction Fifth Co' }, { ticker => 'OTHER', asset_description => 'D: All of it. The Other plc - Class A' },
    { ticker => 'OTHER', asset_description => 'SUBHOLDING Or: An IRA Other PLC, Class A' }, { ticker => 'SIXTH', asset_description => 'C: Once Sixth Co' },
    { ticker => 'FOURTH', asset_description => 'D: Another one Fourth Co' }, { ticker => 'SEVENTH', asset_description => '$200? SP Seventh Co', owner => 'Spouse' },
    { ticker => 'SEVENTH', asset_description => 'S O: An IRA Seventh Co' }, { ticker => '--', asset_description => 'S O: A Trust > An Account (1) A Bond 4%' }, { ticker => 'CALM', asset_description => 'S O' });
my $cut = site(template => 'empty', start => 0);
my @paths = map { $cut->write("lines-$_-transactions.json", rows_as(map { { %{ $lines[$_] }, amount => '$' . (1001 + $_) . ' - $15,000' } } $_ ? reverse(0 .. $#lines) : 0 .. $#lines)) } 0, 1;
import_into($cut, 'house-ptr', $_, '--known-at', '2024-01-01') for @paths;
same_json([map { [@$_{qw(asset_name quote)}] } $cut->rows('SELECT * FROM congress_trade WHERE superseded_at IS NULL ORDER BY disclosed.congress_amount(amount_range)::numeric')],
    [['Made Co', undef], ['Other plc - Class A', 'asset_description: Other plc - Class A (OTHER) [ST]'], map({ [$_->[0], "asset_description: $lines[$_->[1]]{asset_description}"] } ['Made Co', 2], ['Other plc - Class A', 3],
        ['Third Co', 4], ['Fourth Co', 5], ['Fifth Co', 6], ['Other plc - Class A', 7], ['Other PLC, Class A', 8]), [$lines[9]{asset_description}, undef], map({ [$_->[0], "asset_description: $lines[$_->[1]]{asset_description}"] } ['Fourth Co', 10], ['Seventh Co', 11], ['Seventh Co', 12]),
        map { [$lines[$_]{asset_description}, undef] } 13, 14], 'lines before assets are cut off; where nothing tells their end, they stay');

# A file that holds one of these rows does not know where its line ends, before the file that does and behind it: names stay cut, as of an
# instant too, and a row that comes twice stays two trades.
sub names_of
{
    my ($where, $at) = @_;
    return [map { [@$_{qw(record_key asset_name quote)}] } $where->rows('SELECT * FROM disclosed.congress_trade t WHERE ' .
        ($at ? "t.known_at <= '$at' AND (t.superseded_at IS NULL OR t.superseded_at > '$at')" : 't.superseded_at IS NULL') . ' ORDER BY record_key')];
}
my @dump = map { { %{ $lines[$_] }, amount => '$' . (1001 + $_) . ' - $15,000' } } 0 .. $#lines, 4;
my $expected;
for my $order (['whole'], ['whole', 'pieces'], ['pieces', 'whole'], ['pieces', 'whole', 'pieces']) {
    my $where = site(template => 'empty', start => 0);
    my $day = 1;
    for my $step (@$order) {
        my @files = $step eq 'whole' ? [0 .. $#dump] : map { [$_] } shuffle(0 .. $#dump - 1);
        import_into($where, 'house-ptr', $where->write("$step-$day-transactions.json", rows_as(@dump[@$_])), '--known-at', sprintf '2024-01-%02d', $day++) for @files;
    }
    $expected //= names_of($where);
    same_json(names_of($where), $expected, "lines are cut off: @$order");
    same_json(names_of($where, '2024-01-01'), $expected, '... as of the day when they were all public, too');
}

# True repeats: a counter; as many stand as the dump has that has most.
sub repeats
{
    my @counts = @_;
    my $where = site(template => 'empty', start => 0);
    for my $i (0 .. $#counts) {
        import_into($where, 'house-ptr', $where->write("repeats-$i-transactions.json", rows_as(({}) x $counts[$i], { type => 'Sale' })));
    }
    return $where->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL') - 1;
}
is(repeats(@$_), 3, "identical rows, @$_ of them: 3") for [2, 3], [3, 2], [1, 3, 1, 2];

# Rows that only a comment, or a kind of asset, tells apart: a dump that has one of them takes none for another.
my @alike = ({ comment => 'sep' }, { comment => 'R' }, { comment => 'R', asset_type => 'OP' });
my $alike;
for my $order ([[0 .. 2], [1]], [[1], [0 .. 2]], [[2], [0], [0 .. 2]], [[0 .. 2], [2], [0, 2]], [[2, 1, 0]], [[0], [2, 1], [1, 0]]) {
    my $where = site(template => 'empty', start => 0);
    import_into($where, 'house-ptr', $where->write("alike$_-transactions.json", rows_as(@alike[$order->[$_]->@*])), '--known-at', "2024-01-0@{[1 + $_]}") for 0 .. $#$order;
    same_json([map { [@$_{qw(comment asset_type)}] } $where->rows('SELECT * FROM congress_trade WHERE superseded_at IS NULL ORDER BY comment DESC, asset_type')],
        [['sep', undef], ['R', 'Stock Option'], ['R', undef]], 'alike but for their words: ' . join ', ', map { "@$_" } @$order);
    my $keys = [map { join ' ', map { $_ // '-' } @$_{qw(src_digest record_key comment asset_type)} } $where->rows('SELECT * FROM congress_trade WHERE superseded_at IS NULL ORDER BY record_key')];
    $alike //= $keys;
    same_json($keys, $alike, '... each with the same src_id');
}

# --- orders ----------------------------------------------------------------------------------

my $headings = <<'END';
ID         Owner Asset                                  Transaction Date         Notification Amount             Cap.
                                                        Type                     Date                            Gains >
                                                                                                                 $200?
END

# A report's text of rows [owner, asset, type, date, amount].
sub report_text
{
    my ($id, @rows) = @_;
    return "                         Filing ID #$id\n\nName:                Hon. John Dump Jr\nStatus:              Member\nState/District: TX03\n\n$headings"
        . join('', map { sprintf "           %-6s %-40s %s   %s 04/30/2023      %s\n\n       F      S     : %s\n\n", @$_[0 .. 4], $_->[5] // 'New' } @rows)
        . "* For the complete list of asset type abbreviations, see there.\n\nDigitally Signed: Hon. John Dump Jr , 05/05/2023\n";
}

# Two reports, each in two dumps; one of them there as itself. B has stocks alone, spells otherwise, and has a trade that the
# report takes back.
my @first = ({}, {}, { ticker => 'OTHER', asset_description => 'Other Inc', owner => 'Joint' }, { ticker => '--', asset_description => 'US Treasury Note 4%' },
    { ticker => 'MADE', type => 'Sale (Partial)', amount => '$15,001 - $50,000' }, { ticker => 'WRONG', asset_description => 'Wrong Corp' });
my @second = map { { %$_, source_url => "$clerk/2023/20088889.pdf" } } @first;
my @stocks = map { { %$_, disclosure_date => '05/05/2023', asset_description => uc(($_->{asset_description} // $row{asset_description})) . ' Common Stock', asset_type => 'Stock',
        representative => 'Dump Jr., John', $_->{amount} ? () : (amount => '$1,001 -') } } grep { ($_->{ticker} // '') ne '--' } @first, @second;
my @of_report = (['', 'Made Co (MADE) [ST]', 'P', '04/20/2023', '$1,001 - $15,000'], ['', 'Made Co (MADE) [ST]', 'P', '04/20/2023', '$1,001 - $15,000'],
    ['JT', 'Other, Inc. - Common Stock (OTHER) [ST]', 'P', '04/20/2023', '$1,001 - $15,000'], ['', 'US Treasury Note 4% [GS]', 'P', '04/20/2023', '$1,001 - $15,000'],
    ['', 'Made Co (MADE) [ST]', 'S (partial)', '04/20/2023', '$15,001 - $50,000']);
my $index = join("\t", qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)) . "\n" . join("\t", 'Hon.', 'Dump', 'John', 'Jr', 'P', 'TX03', '2023', '5/5/2023', '20088888') . "\n";

sub in_orders
{
    my ($source, $files, $times, $and) = @_;
    my @names = sort keys %$files;
    my ($wanted, %at);
    for my $time (1 .. $times) {
        my $where = site(template => 'empty', start => 0);
        my @order = shuffle @names, $names[0];
        import_into($where, $source, $files->{$_}[0], '--known-at', $files->{$_}[1]) for @order;
        my $stands = in_force($where);
        $wanted //= $stands;
        same_json($stands, $wanted, "@order: the same stands");
        for my $instant ('2023-05-06 12:00Z', '2024-01-15Z', '2024-02-15Z') {
            my $then = in_force($where, $instant);
            $at{$instant} //= $then;
            same_json($then, $at{$instant}, "... and stood at $instant");
        }
        is($where->value("SELECT count(*) FROM congress_trade a JOIN congress_trade b USING (record_key) WHERE a.row_id < b.row_id
            AND tstzrange(a.known_at, a.superseded_at) && tstzrange(b.known_at, b.superseded_at)"), 0, '... nothing twice');
        next if $time % 4; # again: one in four
        my $runs = $where->value('SELECT max(import_run_id) FROM import_run');
        import_into($where, $source, $files->{$_}[0], $time % 8 ? () : ('--known-at', $files->{$_}[1])) for shuffle @names;
        is($where->value("SELECT sum(stored) FROM import_run WHERE import_run_id > $runs"), 0, '... and nothing new comes with them again');
        same_json(in_force($where), $wanted, '... nor is anything else in force');
    }
    return $wanted;
}

my $stands = in_orders('house-ptr', { A => [$site->write('a-transactions.json', rows_as(@first, @second)), '2024-01-01'], B => [$site->write('b-transactions.json', rows_as(@stocks)), '2024-02-01'],
    report => [$site->write('20088888.txt', report_text('20088888', @of_report)), '2024-03-01'], index => [$site->write('2023FD.txt', $index), '2024-03-01'] }, 20);
is(scalar(grep { m{\|house/20088888/} } @$stands), 5, 'of a report that has been read its own rows stand');
is(scalar(grep { m{"Made Co"} && m{\|house/20088888/} } @$stands), 3, '... in its own words');
is(scalar(grep { m{\|house/20088889/} } @$stands), 6, 'of another those that any of the dumps has');

# A report of which a row could not be read is no witness against a dump's.
{
    my $where = site(template => 'empty', start => 0);
    my $broken = report_text('20088888', @of_report[0 .. 3], ['', 'Made Co (MADE) [ST]', 'X', '04/20/2023', '$15,001 - $50,000'],
        ['', 'Wrong Corp (WRONG) [ST]', 'P', '04/20/2023', '$1,001 - $15,000', 'Deleted']);
    my ($code) = $where->control('import', 'house-ptr', $where->write('20088888.txt', $broken));
    import_into($where, 'house-ptr', $where->write('a-transactions.json', rows_as(@first)));
    is($where->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL'), 6, 'of a report that was read in part dumps add what it lacks');
    is($where->value(q{SELECT string_agg(DISTINCT read_from, ' ' ORDER BY read_from) FROM congress_trade WHERE superseded_at IS NULL}), 'copy part_of_report', '... and nothing else');
    $where->control('import', 'house-ptr', $where->write('20088888-whole.txt', report_text('20088888', @of_report, ['', 'Wrong Corp (WRONG) [ST]', 'P', '04/20/2023', '$1,001 - $15,000', 'Deleted'])));
    is($where->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL'), 5, '... until it is read whole');
}

# Without a time of their own, and in other words: dumps one after the other, again and again.
{
    my $where = site(template => 'empty', start => 0);
    my @paths = map { $where->write("$_->[0]-transactions.json", $_->[1]) } ['a', rows_as(@first)], ['b', rows_as(grep { $_->{source_url} =~ /20088888/ } map { { %row, %$_ } } @stocks)];
    import_into($where, 'house-ptr', $_) for @paths;
    my $stands = in_force($where);
    is(scalar @$stands, 6, 'two dumps: six trades');
    for my $path (@paths, @paths) {
        is(import_into($where, 'house-ptr', $path)->{stored}, 0, 'once more: nothing is stored');
        same_json(in_force($where), $stands, '... nor is anything else in force');
    }
}

# An amendment, which is a report of its own, ends what it replaces, whatever comes after it.
{
    my $where = site(template => 'empty', start => 0);
    my $dump = $where->write('a-transactions.json', rows_as(map { { %$_, disclosure_date => '05/05/2023' } } @first));
    my $amending = $where->write('lines.ndjson', $json->encode({ dataset => 'congress_trade', party => 'politician/john-dump-tx', provenance => { source_provider => 'house_clerk' },
        chamber => 'house', report_id => '20090000', row_number => 1, amends => '20088888', transaction_type => 'purchase', ticker => 'MADE', filing_date => '2023-06-01',
        filing_date_basis => 'stated', last_name => 'Dump' }) . "\n");
    for my $order ([$dump, $amending, $dump], [$amending, $dump]) {
        my $where = site(template => 'empty', start => 0);
        import_into($where, $_ eq $dump ? 'house-ptr' : 'ndjson', $_) for @$order;
        is(scalar in_force($where)->@*, 1, 'an amended report stands no more');
        is(scalar in_force($where, '2023-05-15Z')->@*, 6, '... but did before');
    }
}

# Who filed a report: all of its rows are one person's, and nobody is made up of a part of a name.
{
    my $where = site(template => 'empty', start => 0);
    my $people = sub { join ' ', map { "$_->{who} $_->{count}" } $where->rows("SELECT substr(party_key, 12) AS who, count(*) AS count FROM congress_trade
        JOIN issuer USING (issuer_id) WHERE superseded_at IS NULL GROUP BY 1 ORDER BY 1") };
    my $import = sub { my ($name, $text, $source) = @_; my (undef, $out) = $where->control('import', $source // 'house-ptr', '--json', $where->write($name, $text)); $json->decode($out)->{rejected} };
    is($import->('some-transactions.json', rows_as({}, { district => undef, type => 'Sale' }, { district => '', type => 'E' })), 0, 'rows that lack the district');
    is($people->(), 'john-dump-tx 3', '... are of the one whom the others name');
    my $alone = rows_as({ district => undef, source_url => "$clerk/2023/20088889.pdf" });
    is($import->('alone-transactions.json', $alone), 1, 'a report that lacks it is rejected');
    is($import->('alone-transactions.json', rows_as({ district => undef })), 0, '... one of which it is known is not');
    $import->('2023FD.txt', $index =~ s/20088888/20088889/r);
    is($import->('alone-transactions.json', $alone), 0, "... nor one that the Clerk's index names");
    is($people->(), 'john-dump-tx 4', '... all are one person');
    is($import->('20088890.txt', report_text('20088890', @of_report) =~ s/^State.*//mr), 5, 'nor is a report itself without it taken');
    is($import->('surname-transactions.json', rows_as({ representative => 'Dump' }, { representative => 'Jr.' })), 2, 'a surname alone names nobody');
    is($import->('daily-transactions.json', $json->encode([{ last_name => 'Justice', ptr_link => 'https://efdsearch.senate.gov/search/view/paper/cccccccc-0000-4000-8000-000000000001/', date_recieved => '01/02/2024', transactions => [] }]),
        'senate-ptr'), 1, '... in the Senate as well');
    is($people->(), 'john-dump-tx 4', '... and nobody else is there');
}

# --- the Senate ------------------------------------------------------------------------------

my %senate = (transaction_date => '08/01/2024', owner => 'Spouse', ticker => 'MSFT', asset_description => 'Microsoft Corporation', asset_type => 'Stock', type => 'Purchase',
    amount => '$1,001 - $15,000', comment => '--');
my $link = 'https://efdsearch.senate.gov/search/view/ptr/aaaaaaaa-0000-4000-8000-000000000001/';
my $paper = 'https://efdsearch.senate.gov/search/view/paper/bbbbbbbb-0000-4000-8000-000000000001/';
my @sold = ({ %senate }, { %senate }, { %senate, asset_type => 'Stock Option', asset_description => 'Microsoft <div class="text-muted">Option Type: Put</div>' }, { %senate, ticker => '--', asset_description => 'Bond &amp; Co', asset_type => 'Corporate Bond' });
my @aggregate = ({ transaction_date => '09/01/2024', owner => 'N/A', ticker => 'N/A', asset_description => 'This filing was disclosed via scanned PDF.', asset_type => 'PDF Disclosed Filing', type => 'N/A',
    amount => 'Unknown', comment => '', senator => 'Justice II,  James Conley', ptr_link => $paper }, map { { %$_, senator => 'Justice II,  James Conley', ptr_link => $link } } @sold);
my @daily = ({ first_name => 'James C.', last_name => 'Justice, II', office => 'Justice, Jim (Senator)', ptr_link => $link, date_recieved => '08/20/2024', transactions => [grep { $_->{asset_type} eq 'Stock' } @sold] },
    { first_name => 'JAMES C', last_name => 'JUSTICE', office => 'Senator', ptr_link => $paper, date_recieved => '09/01/2024', transactions => [] });
$stands = in_orders('senate-ptr', { A => [$site->write('all_transactions.json', $json->encode(\@aggregate)), '2024-12-01'], B => [$site->write('daily-transactions.json', $json->encode(\@daily)), '2024-12-01'],
    C => [$site->write('part-transactions.json', $json->encode([@aggregate[0, 2, 4]])), '2024-12-01'] }, 8);
is(scalar @$stands, 5, 'the Senate: four trades and a report on paper');
is(scalar(grep { m{politician/james-justice"} } @$stands), 5, '... of one senator');

# --- real files ------------------------------------------------------------------------------

my $shared = shared_data('house-ptr');
my $orders = $ENV{DISCLOSED_ORDERS} // 4;
SKIP: {
    diag 'NOT TESTED: there is no folder house-ptr of real files here (DISCLOSED_SHARED)' if !$shared;
    skip 'no real files', 1 if !$shared;
    open my $in, '<', "$shared/house_transactions.json" or die $!;
    my $rows = [grep { $_->{disclosure_date} ne '30/01/2025' } $json->decode(do { local $/; <$in> })->@*];
    my $all = $site->write('all-transactions.json', $json->encode($rows));
    my $b = $site->write('b-transactions.json', $json->encode([grep { defined $_->{ticker} && $_->{ticker} ne '--' } @$rows]));
    # A part of the dump, of reports of which the index is here as well, and the real reports.
    my %in_index = map { (split /[\t\r\n]/)[8] // '', 1 } do { open my $lines, '<', "$shared/clerk-index/2023FD.txt" or die $!; <$lines> };
    my @part = grep { $_->{source_url} =~ m{/(\d+)\.pdf$} && $in_index{$1} } @$rows;
    push @part, @$rows[0 .. 299];
    in_orders('house-ptr', { A => [$site->write('part-a-transactions.json', $json->encode(\@part)), '2026-09-01'],
        B => [$site->write('part-b-transactions.json', $json->encode([grep { defined $_->{ticker} && $_->{ticker} ne '--' } @part])), '2026-09-02'],
        reports => ["$shared/ptr-pdf", '2026-09-03'], index => ["$shared/clerk-index/2023FD.xml", '2026-09-03'] }, $orders) if grep { -x "$_/pdftotext" } split /:/, $ENV{PATH};
    my $where = site(template => 'empty', start => 0);
    import_into($where, 'house-ptr', $all);
    my $before = in_force($where);
    is(scalar @$before, scalar @$rows, 'the real dump: each of its rows that have a day is a trade');
    for my $path ($b, $all, $b) {
        my $counts = import_into($where, 'house-ptr', $path);
        same_json([@$counts{qw(stored superseded rejected)}], [0, 0, 0], 'without all but stocks, whole, and without once more: nothing new');
        ok($json->encode($before) eq $json->encode(in_force($where)), '... the same stands');
    }
}
diag "compared $cells cells";

finish();

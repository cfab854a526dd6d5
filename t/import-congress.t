# Real files: periodic transaction reports of Senate and House, and the Clerk's index. Every row, read here a
# second time. Files of the shapes that are not among them are made here, and say so.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice slurp);
use Time::Local qw(timegm);

my $senate  = folder('senate-ptr');
my $house   = folder('house-ptr');
my $tickers = folder('edgar-tickers');
my $json   = Disclosed::JSON->new->utf8->canonical;
my $site   = site(template => 'empty');

# --- read here -------------------------------------------------------------------------------

sub plain
{
    my ($text) = @_;
    return undef if !defined $text;
    $text =~ s/<[^>]*>/ /g if $text =~ m{<[a-z/]}i;
    my %entities = (amp => '&', nbsp => ' ', lt => '<', gt => '>', quot => '"', apos => "'", '#39' => "'");
    $text =~ s/&([a-z]+|#39);/$entities{$1}/g for 1 .. 2; # some texts are escaped twice
    $text =~ s/\s+/ /g;
    $text =~ s/^ | $//g;
    return $text eq '' || $text eq '--' || $text eq 'N/A' ? undef : $text;
}

sub day
{
    my ($text) = @_;
    my ($month, $day, $year) = ($text // '') =~ m{^(\d\d?)/(\d\d?)/(\d{4})$} or return undef;
    return $month > 12 ? undef : sprintf '%04d-%02d-%02d', $year, $month, $day;
}

sub days_between
{
    my ($from, $to) = map { my ($y, $m, $d) = split /-/; timegm(0, 0, 0, $d, $m - 1, $y) / 86400 } @_;
    return $to - $from;
}

my %types = ('Purchase' => 'purchase', 'Sale' => 'sale', 'Sale (Full)' => 'sale', 'Sale (Partial)' => 'sale_partial', 'Exchange' => 'exchange');
my %owners = ('Dependent Child' => 'child', map { ($_ => lc) } qw(Self Spouse Joint Child));

# Assets of the House's dump that begin with lines above them, and have the owner behind these.
my $read_past = 0;

sub read_past
{
    my ($owner, $asset, $ticker) = @_;
    my $was = $asset;
    my %codes = (SP => 'spouse', JT => 'joint', DC => 'child');
    if ($asset =~ m{^(?:\$200\?|F S: New|\d{10}|[CDLS]:|S O:) }) {
        if ($owner eq 'self' && $asset =~ m{^.* (SP|JT|DC) (.+)$}) {
            ($owner, $asset) = ($codes{$1}, $2);
        } else {
            1 while $asset =~ s{^(?:\$200\?|F S: New|\d{10}) (?=.)}{};
        }
    }
    $asset =~ s/ ?\(\Q$ticker\E\)$// if defined $ticker;
    $read_past++ if $asset ne $was;
    return ($owner, $asset);
}

sub values_of
{
    my ($row) = @_;
    my $ticker = plain($row->{ticker});
    $ticker =~ s/ .*//, $ticker =~ s/^([A-Z]+)\.([A-Z])$/$1-$2/ if defined $ticker;
    my ($owner, $asset) = ($owners{ $row->{owner} }, plain($row->{asset_description}));
    ($owner, $asset) = read_past($owner, $asset, $ticker) if $row->{representative};
    return { ticker => $ticker, asset_name => $asset, asset_type => plain($row->{asset_type}), transaction_type => $types{ $row->{type} },
        amount_range => $row->{amount}, owner => $owner, comment => plain($row->{comment}), transaction_date => day($row->{transaction_date}) };
}

my $paper = { (map { ($_ => undef) } qw(ticker asset_name asset_type amount_range owner comment transaction_date)), transaction_type => 'unknown' };

# Records as they are now: by their place in the report.
sub stored
{
    my ($chamber) = @_;
    return map { ("$chamber/$_->{report_id}/$_->{row_number}" => $_) } $site->rows("SELECT t.*, i.party_key, extract(epoch FROM t.known_at) AS known FROM congress_trade_sourced t
        JOIN issuer i USING (issuer_id) WHERE superseded_at IS NULL AND chamber = '$chamber'");
}

sub compare
{
    my ($wanted, $chamber, $name) = @_;
    my %stored = stored($chamber);
    my (@missing, @other);
    for my $key (sort keys %$wanted) {
        my $row = $stored{$key} or push(@missing, $key), next;
        my $want = $wanted->{$key};
        push @other, map { "$key $_: " . ($row->{$_} // 'null') . ' for ' . ($want->{$_} // 'null') }
            grep { ($row->{$_} // "\0") ne ($want->{$_} // "\0") } sort keys %$want;
    }
    is(scalar keys %stored, scalar keys %$wanted, "$name: @{[scalar keys %$wanted]} records");
    is("@missing[0 .. ($#missing < 3 ? $#missing : 3)]", '', '... none is missing');
    is(join("\n", @other[0 .. ($#other < 5 ? $#other : 5)]), '', '... with what the files say');
    return %stored;
}

# --- the Senate: the aggregate, and daily files ----------------------------------------------

my %wanted;
my $aggregate = $json->decode(slurp("$senate/all_transactions.json"));
my %number;
for my $row (@$aggregate) {
    my ($id) = $row->{ptr_link} =~ m{/([0-9A-Fa-f-]{36})/$};
    $id = lc $id;
    my $key = "senate/$id/" . ++$number{$id};
    $wanted{$key} = $row->{asset_type} eq 'PDF Disclosed Filing' ? $paper : values_of($row);
    $wanted{$key} = { $wanted{$key}->%*, source_url => $row->{ptr_link}, source_provider => 'senate_efd' };
}
my $summary = import_twice($site, 'senate-ptr', "$senate/all_transactions.json");
is($summary->{read}, scalar @$aggregate, 'read: as many as the file has');
is($summary->{rejected}, 0, 'none is rejected');
my %stored = compare(\%wanted, 'senate', 'the aggregate');
cmp_ok(scalar(grep { $_ > 1 } values %number), '>', 500, 'many reports have several rows');

# Reports stand in the order of their receipt, and those on paper have its day.
my ($above, @late);
for my $row (@$aggregate) {
    my $id = lc(($row->{ptr_link} =~ m{/([0-9A-Fa-f-]{36})/$})[0]);
    my $record = $stored{"senate/$id/1"};
    $above = day($row->{transaction_date}) if $row->{asset_type} eq 'PDF Disclosed Filing';
    my $basis = $row->{asset_type} eq 'PDF Disclosed Filing' ? 'stated' : $above ? 'latest_possible' : 'earliest_possible';
    push @late, "$id: $record->{filing_date_basis} $record->{filing_date}"
        if $record->{filing_date_basis} ne $basis || $basis ne 'earliest_possible' && $record->{filing_date} ne $above;
}
is("@late[0 .. ($#late < 3 ? $#late : 3)]", '', 'a report has the day of the next one on paper above it');

my (%daily, %filed);
for my $path (sort glob "$senate/daily/*.json") {
    for my $report ($json->decode(slurp($path))->@*) {
        my ($id) = map { lc } $report->{ptr_link} =~ m{/([0-9A-Fa-f-]{36})/$};
        my @rows = map { values_of($_) } $report->{transactions}->@*;
        @rows = $paper if !@rows;
        $daily{"senate/$id/" . ($_ + 1)} = { $rows[$_]->%*, filing_date => day($report->{date_recieved}), filing_date_basis => 'stated' } for 0 .. $#rows;
        $filed{$id} = day($report->{date_recieved});
    }
}
my $instants = sub { return map { ($_->{record_key} => $_->{at}) } $site->rows('SELECT record_key, extract(epoch FROM known_at) AS at FROM congress_trade WHERE superseded_at IS NULL') };
my %before = $instants->();
$summary = import_twice($site, 'senate-ptr', "$senate/daily");
is($summary->{read}, scalar keys %daily, 'the daily files: as many rows as they have');
my %after = $instants->();
is(keys(%after) - keys %before, scalar(grep { !$wanted{$_} } keys %daily), '... of which only those of reports that the aggregate lacks are new');
is($summary->{stored}, scalar(grep { !exists $before{$_} || $after{$_} < $before{$_} } keys %after), '... and others are known earlier');
%stored = compare({ %wanted, %daily }, 'senate', 'both together');
my @early = grep { my ($id) = m{/(.*)/}; $stored{$_}{known} < days_between('1970-01-01', $filed{$id}) * 86400 + 86400 + 4 * 3600 - 1 } keys %daily;
is("@early", '', 'reports are known from the end of the day of filing in New York');
is($site->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NOT NULL'), 0, 'no row is there twice');

# The other way round: a database of its own that gets the daily files first.
my $other = site(template => 'empty');
import_twice($other, 'senate-ptr', $_) for "$senate/daily", "$senate/all_transactions.json";
my $content = 'SELECT md5(string_agg(x::text, $$,$$ ORDER BY record_key)) FROM (SELECT record_key, party_key, first_name, last_name, ticker, asset_name,
    asset_type, transaction_type, amount_range, owner, comment, transaction_date, filing_date, filing_date_basis,
    CASE WHEN filing_date_basis <> $$earliest_possible$$ THEN known_at END, superseded_at FROM congress_trade_sourced t JOIN issuer i USING (issuer_id)) x';
$content =~ s/ticker, asset_name/t.ticker, asset_name/;
is($other->value($content), $site->value($content), 'files in another order come to the same');

# People: one slug for each, whatever the spelling.
my %people = map { ($_->{party_key} => $_->{names}) } $site->rows("SELECT party_key, string_agg(DISTINCT first_name || ' ' || last_name, ',') AS names
    FROM congress_trade JOIN issuer USING (issuer_id) GROUP BY 1");
is($people{"politician/$_->[0]"}, $_->[1], "$_->[0]: $_->[1]") for ['ronald-wyden', 'Ron L Wyden,Ron Wyden,Ronald L Wyden'], ['david-perdue', 'David A Perdue'],
    ['john-reed', 'Jack Reed,John F Reed'], ['thomas-udall', 'Thomas Udall,Tom S Udall'], ['mitchell-mcconnell', 'A. Mitchell McConnell'],
    ['christopher-van-hollen', 'Chris Van Hollen'], ['rafael-cruz', 'Rafael E Cruz,Rafael Edward (Ted) Cruz'];
is(scalar(grep { !m{^politician/[a-z]+(-[a-z]+)+$} } keys %people), 0, 'slugs are ASCII in lower case');

# --- the House -------------------------------------------------------------------------------

my @lines = split /\r?\n/, slurp("$house/clerk-index/2023FD.txt");
my @names = split /\t/, shift @lines;
my %index = map { my %line; @line{@names} = split /\t/; ($line{DocID} => \%line) } @lines;
$summary = import_twice($site, 'house-ptr', "$house/clerk-index");
is($summary->{read}, 4 * @lines, 'the index: as text, as XML, and both again in the archive');
is($summary->{stored}, scalar @lines, '... say the same');
is($summary->{rejected}, 0, '... and are all taken');
my @wrong = grep {
    my $line = $index{ $_->{report_id} };
    join('|', map { $_ // '' } @$_{qw(filing_type filing_date state_district first_name last_name name_suffix)})
        ne join('|', $line->{FilingType}, day($line->{FilingDate}) // '', map { s/\s+/ /gr } @$line{qw(StateDst First Last Suffix)})
} $site->rows('SELECT * FROM congress_report');
is(scalar @wrong, 0, '... as they stand') or diag explain $wrong[0];

# One of its rows has a day that no calendar has, and is rejected; all others are in a file of their own.
my ($dayless, $transactions) = map { my $wanted = $_; [grep { ($_->{disclosure_date} eq '30/01/2025') == $wanted } $json->decode(slurp("$house/house_transactions.json"))->@*] } 1, 0;
my ($rejecting, $said, $told) = $site->control('import', 'house-ptr', '--json', $site->write('house-transactions-dayless.json', $json->encode($dayless)));
like("$rejecting $told", qr{^1 .*\[0\]: rejected: disclosure_date: not a date \(30/01/2025\)}s, 'the row with a day that there is not is rejected by name');
is($json->decode($said)->{stored}, 0, '... and not stored');
my $dated = $site->write('house-transactions.json', $json->encode($transactions));
my (%house, %dates);
%number = ();
for my $row (@$transactions) {
    my ($year, $id) = $row->{source_url} =~ m{/(\d{4})/(\d+)\.pdf$};
    my $key = "house/$id/" . ++$number{$id};
    my $values = values_of($row);
    $values->{transaction_date} = undef if $values->{transaction_date} && substr($values->{transaction_date}, 0, 4) > $year;
    my $filed = day($row->{disclosure_date});
    $filed = undef if defined $filed && $filed lt '2012-04-04';
    $house{$key} = { %$values, state_district => $row->{district}, source_url => $row->{source_url}, source_provider => 'house_clerk',
        (defined $filed ? (filing_date => $filed, filing_date_basis => 'notified') : (filing_date_basis => 'earliest_possible')) };
    $dates{$id}{ $row->{disclosure_date} }++;
}
$summary = import_twice($site, 'house-ptr', $dated);
is($summary->{read}, scalar @$transactions, 'read: as many as the file has');
is($summary->{rejected}, 0, 'none is rejected');
# Lines before an asset that no owner ends: what is left is called as another row calls the ticker's asset, or the same line stands before others.
my $label = qr/(?:S O|D|C|L|SUBHOLDING O[FR]): /i;
my $letters = sub { return lc($_[0] =~ s/ \([^()]*\)\s*\z//r) =~ s/[^a-z0-9]//gr };
my %cut_at = do {
    my %now = stored('house');
    map { my ($is, $was) = map { $_->{asset_name} // '' } $now{$_} // {}, $house{$_}; $was =~ /^($label.*) \Q$is\E\z/ ? ($_ => [$1, $is]) : () } grep { $house{$_}{ticker} } keys %house;
};
my (%called, %stands);
$called{ $_->{ticker} }{ $letters->($_->{asset_name}) } = 1 for grep { $_->{ticker} && ($_->{asset_name} // '') !~ /^$label/ } values %house;
$stands{ $_->[0] }++ for values %cut_at;
for my $key (keys %cut_at) {
    my ($line, $asset) = $cut_at{$key}->@*;
    $house{$key} = { $house{$key}->%*, asset_name => $asset } if $called{ $house{$key}{ticker} }{ $letters->($asset) } || $stands{$line} > 1;
}
cmp_ok(scalar(keys %cut_at), '>', 300, scalar(keys %cut_at) . ' assets have been read past lines that other rows show');
my %house_stored = compare(\%house, 'house', 'the House');
cmp_ok(scalar(grep { keys $_->%* > 1 } values %dates), '>', 100, 'reports with several dates show that these are not filing dates');
my %quotes = map { ($_->{quote} => $_->{count}) } $site->rows("SELECT quote, count(*) AS count FROM (SELECT regexp_replace(quote, '(^|; )asset_description: .*', '') AS quote
    FROM congress_trade WHERE chamber = 'house') q WHERE quote <> '' GROUP BY 1");
cmp_ok($read_past, '>', 1000, "$read_past assets have been read past other lines");
is($site->value("SELECT count(*) FROM congress_trade WHERE quote ~ 'asset_description: '"), $read_past + keys %cut_at, '... which are quoted as they stand');
same_json(\%quotes, { 'disclosure_date: 03/28/1935' => 18, 'transaction_date: 09/25/2035' => 1 },
    'dates that cannot be are quoted');
is($site->value("SELECT count(DISTINCT party_key) FROM congress_trade JOIN issuer USING (issuer_id) WHERE chamber = 'house'"), 127,
    '128 spellings are 127 people');

# --- served ----------------------------------------------------------------------------------

is(($site->control('import', 'sec-company-tickers', "$tickers/company_tickers.json"))[0], 0, 'listings');
my $berkshire = json_of($site->get('/v1/companies/BRK-B/congress?limit=500'), 'Berkshire')->{data};
is(scalar @$berkshire, scalar(grep { ($_->{ticker} // '') =~ /^BRK-?B$/ } values %wanted, values %house,
    map { $daily{$_} } grep { !$wanted{$_} } keys %daily), 'class shares in all spellings: ' . @$berkshire);
is(scalar(grep { $_->{symbol} ne 'BRK-B:US' } @$berkshire), 0, '... are one listing');
my $pelosi = json_of($site->get('/v1/congress/politicians/nancy-pelosi-ca?limit=500'), 'a representative');
is(scalar $pelosi->{data}->@*, scalar(grep { $_->{representative} eq 'Nancy Pelosi' } @$transactions), 'her trades: ' . $pelosi->{data}->@*);
same_json($pelosi->{politician}, { slug => 'nancy-pelosi-ca', first => 'Nancy', last => 'Pelosi', chamber => 'house', party => undef, state_district => 'CA11' },
    'who she is');
@wrong = grep { $_->{filing_date} ge $_->{transaction_date} && $_->{filed_after_days} != days_between(@$_{qw(transaction_date filing_date)}) } $pelosi->{data}->@*;
is(scalar @wrong, 0, 'filed_after_days are the days between');
my $contradicting = json_of($site->get('/v1/congress/politicians/steven-cohen-tn?limit=500'), 'Cohen')->{data};
same_json([map { [@$_{qw(transaction_date filing_date filed_after_days)}] } grep { $_->{transaction_date} gt $_->{filing_date} } @$contradicting],
    [['2026-12-26', '2026-01-21', undef]], 'dates that contradict each other are as filed, without days between');
my $total = @$transactions + keys(%wanted) + grep { !$wanted{$_} } keys %daily;
is(json_of($site->get('/v1/coverage'), 'coverage')->{datasets}{congress_trades}, $total, "coverage: $total");

# --- the Clerk's dates, before and after the trades ------------------------------------------

# MADE: rows in the shape of house-stock-watcher's all_transactions.json, of reports that the real index has.
my ($doc) = sort grep { $index{$_}{FilingType} eq 'P' && $index{$_}{FilingDate} =~ m{^6/} } keys %index;
my $line = $index{$doc};
my @made = map { { disclosure_year => 2023, disclosure_date => '05/30/2023', transaction_date => '2023-05-15', owner => 'joint', ticker => 'AAPL',
    asset_description => 'Apple Inc.', type => $_, amount => '$1,001 -', representative => "Hon. $line->{First} $line->{Last}", district => $line->{StateDst},
    ptr_link => "https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/$doc.pdf", cap_gains_over_200_usd => JSON::PP::false } }
    qw(sale_full sale_partial purchase purchase);
push @made, { $made[0]->%*, ptr_link => 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/1.pdf', transaction_date => '0023-01-11', ticker => '--' };
my $path = $site->write('all_transactions.json', $json->encode(\@made));
for my $where ($site, $other) {
    my $first = import_twice($where, 'house-ptr', $path);
    is($first->{stored}, 5, 'rows that are the same twice are two trades');
    import_twice($other, 'house-ptr', "$house/clerk-index/2023FD.xml") if $where == $other;
    my ($row) = $where->rows("SELECT *, extract(epoch FROM known_at) AS known FROM congress_trade_sourced WHERE report_id = '$doc' AND row_number = 1");
    same_json([@$row{qw(filing_date filing_date_basis transaction_type amount_range owner)}], [day($line->{FilingDate}), 'stated', 'sale', '$1,001 -', 'joint'],
        'the index knows better when it was filed');
    is(days_between('1970-01-01', day($line->{FilingDate})), int(($row->{known} - 4 * 3600 - 1) / 86400), '... and known');
    ($row) = $where->rows("SELECT * FROM congress_trade WHERE report_id = '1'");
    same_json([@$row{qw(filing_date filing_date_basis transaction_date quote ticker)}], ['2023-05-30', 'stated', undef, 'transaction_date: 0023-01-11', undef],
        'one that it does not have keeps the date of the file');
    is(import_twice_again($where, $path), 0, 'the file once more changes nothing');
}

sub import_twice_again
{
    my ($where, $file) = @_;
    my ($code, $out) = $where->control('import', 'house-ptr', '--json', $file);
    return $json->decode($out)->{stored};
}

# --- other shapes and files that are none ----------------------------------------------------

# MADE: the Senate's newer aggregate with dates of disclosure, and one object for each senator.
my %row = (transaction_date => '08/01/2024', owner => 'SP', ticker => 'MSFT', asset_description => 'Microsoft &amp; Co', asset_type => 'Stock', type => 'Purchase',
    amount => '$1,001 - $15,000', comment => '--');
my $link = 'https://efdsearch.senate.gov/search/view/ptr/';
my @newer = ({ %row, senator => 'Boozman, John', ptr_link => $link . 'AAAAAAAA-0000-4000-8000-000000000001/', disclosure_date => '08/20/2024', party => 'Republican', state => 'AR' },
    { %row, senator => 'Boozman, John', ptr_link => $link . 'aaaaaaaa-0000-4000-8000-000000000001/', disclosure_date => '08/20/2024', party => 'Republican', state => 'AR', type => 'Received' });
my @senators = ({ first_name => 'William F', last_name => 'Hagerty, Iv', office => 'Hagerty, Bill (Senator)', ptr_link => $link . 'bbbbbbbb-0000-4000-8000-000000000001/', date_recieved => '09/10/2024',
    transactions => [{ %row, ptr_link => $link . 'bbbbbbbb-0000-4000-8000-000000000001/' }, { %row, ptr_link => $link . 'bbbbbbbb-0000-4000-8000-000000000002/' },
        { scanned_pdf => JSON::PP::true, ptr_link => 'https://efdsearch.senate.gov/search/view/paper/CCCCCCCC-0000-4000-8000-000000000003/', date_recieved => '01/29/2024' }] });
import_twice($other, 'senate-ptr', $other->write("senate-$_->[0].json", $json->encode($_->[1]))) for ['newer', \@newer], ['senators', \@senators];
same_json([map { [@$_{qw(key party_key owner asset_name filing_date filing_date_basis political_party state_district transaction_type quote)}] } $other->rows(
    "SELECT t.*, party_key, chamber || '/' || report_id || '/' || row_number AS key FROM congress_trade_sourced t JOIN issuer USING (issuer_id) WHERE report_id ~ '^(aaaa|bbbb|cccc)' ORDER BY key")], [
    ['senate/aaaaaaaa-0000-4000-8000-000000000001/1', 'politician/john-boozman', 'spouse', 'Microsoft & Co', '2024-08-20', 'stated', 'Republican', 'AR', 'purchase', undef],
    ['senate/aaaaaaaa-0000-4000-8000-000000000001/2', 'politician/john-boozman', 'spouse', 'Microsoft & Co', '2024-08-20', 'stated', 'Republican', 'AR', 'unknown', 'type: Received'],
    ['senate/bbbbbbbb-0000-4000-8000-000000000001/1', 'politician/william-hagerty', 'spouse', 'Microsoft & Co', '2024-09-10', 'stated', undef, undef, 'purchase', undef],
    ['senate/bbbbbbbb-0000-4000-8000-000000000002/1', 'politician/william-hagerty', 'spouse', 'Microsoft & Co', '2024-09-10', 'latest_possible', undef, undef, 'purchase', undef],
    ['senate/cccccccc-0000-4000-8000-000000000003/1', 'politician/william-hagerty', undef, undef, '2024-01-29', 'stated', undef, undef, 'unknown', undef],
], 'disclosure dates, parties, states, senators with all their reports');

my @none = (
    ['senate-ptr', '{', qr/not JSON/],
    ['senate-ptr', '{}', qr/no JSON array/],
    ['senate-ptr', '[1]', qr/not an array of objects/],
    ['senate-ptr', $json->encode(\@made), qr/use house-ptr/],
    ['senate-ptr', $json->encode([{ ticker => 'A', transactions => [{ %row, senator => 'X Y', ptr_link => $link . 'a1/' }] }]), qr/grouped by ticker/],
    ['house-ptr', $json->encode(\@newer), qr/use senate-ptr/],
    ['house-ptr', '<Other/>', qr/root element is Other, not FinancialDisclosure/],
    ['house-ptr', '<FinancialDisclosure><Member>', qr/line 1: not well-formed/],
    ['house-ptr', '<FinancialDisclosure><Member ' . join(' ', map { "a$_=''" } 1 .. 60_000) . '/></FinancialDisclosure>', qr/line 1: an element with more than 1000 attributes/],
    ['house-ptr', "a\tb\n1\t2\n", qr/there is no column FilingType/],
);
for my $case (@none) {
    my ($source, $text, $reason) = @$case;
    my ($code, $out, $err) = $other->control('import', $source, $other->write('none.json', $text));
    is($code, 1, "$source, $text: refused") if length $text < 40;
    like($out . $err, $reason, '... with its reason');
}
my @rows = (undef, { %row, senator => 'A B' }, { %row, senator => 'A B', ptr_link => 'nowhere' }, { %row, ptr_link => $link . 'dd01/' }, { %row, senator => 'Jr.', ptr_link => $link . 'dd02/' });
my ($code, $out, $err) = $other->control('import', 'senate-ptr', '--json', $other->write('rows.json', $json->encode([{ %row, senator => 'A B', ptr_link => $link . 'dd03/' }, @rows])));
my $counts = $json->decode($out);
same_json([@$counts{qw(read stored rejected)}], [6, 1, 5], 'rows that name no report or nobody are rejected') or diag "$out$err";
is($site->value("SELECT string_agg(DISTINCT reason, '; ' ORDER BY reason) FROM import_reject"), 'disclosure_date: not a date', 'of the real files one was');
is($other->value("SELECT string_agg(DISTINCT reason, '; ' ORDER BY reason) FROM import_reject"), 'it names nobody; the address names no report', '... with their reasons');
my $index_text = "\xEF\xBB\xBFDocID\tFilingDate\tStateDst\tFilingType\tLast\tFirst\tExtra\r\n30000001\t13/2/2023\tTX01\tP\tPe\xF1a\tA\tx\r\n\t2/3/2023\tTX01\tP\tB\tA\tx\r\n30000002\t2/3/2023\tTX02\tP\tPe\xF1a\tA\tx\r\n";
($code, $out) = $other->control('import', 'house-ptr', '--json', $other->write('2022FD.txt', $index_text));
$counts = $json->decode($out);
same_json([@$counts{qw(read stored rejected)}], [3, 1, 2], 'an index in other order, with a byte order mark, in Windows-1252');
is($other->value("SELECT ascii(substr(last_name, 3)) || ' ' || filing_date FROM congress_report WHERE report_id = '30000002'"), '241 2023-02-03', '... is read all the same');

finish();

# The SEC's Financial Statement Data Sets: filings in sub, their facts in num. A set as an archive and as a folder, in any order of lines
# and columns, and with notes; what is no good of it; every fact of a real set found again in its filing.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(run);
use Disclosed::Test 'without_cache';
use Disclosed::ZipFile qw(write_zip);
use IO::Uncompress::Unzip ();
use Disclosed::JSON ();

my $site = site(template => 'empty');
my $root = $site->{root};

sub folder_of
{
    my ($name, %files) = @_;
    mkdir "$root/$name" or die "$name: $!";
    $site->write("$name/$_", $files{$_}) for keys %files;
    return "$root/$name";
}

sub imported
{
    my ($wanted, $name, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', 'sec-financial-statements', @paths);
    is($code, $wanted, $name) or diag substr "$out$err", 0, 3000;
    return "$out$err";
}

sub clear
{
    $site->execute('TRUNCATE disclosed.xbrl_report, disclosed.metric_value, disclosed.metric_issuer, disclosed.dataset_issuer_stat, disclosed.dataset_stat');
    return;
}

sub facts
{
    my ($accession) = @_;
    my $response = $site->get("/v1/filings/$accession/facts");
    return $response->status if $response->status != 200;
    return [map { my $fact = $_; join '|', (map { $fact->{$_} // '-' } qw(concept unit start_date end_date value decimals)), map { "$_->{axis}=$_->{member}" } $fact->{dimensions}->@* } $response->json->{data}[0]{facts}->@*];
}

# --- a made set -------------------------------------------------------------------------------

my @sub = qw(adsh cik name sic fye form period fy fp filed accepted prevrpt instance);
my @num = qw(adsh tag version ddate qtrs uom segments coreg value footnote);
my ($one, $two) = ('0000007501-10-000001', '0000007502-10-000007');
sub table { my ($columns, @rows) = @_; return join '', map { join("\t", @$_) . "\n" } $columns, map { my $row = $_; [map { $row->{$_} // '' } @$columns] } @rows }
my %one = (adsh => $one, cik => 7501, name => 'STATEMENTS INC', sic => 3711, fye => '1231', form => '10-Q', period => '20100331', fy => 2010, fp => 'Q1', filed => '20100507',
    accepted => '2010-05-07 13:14:00.0', prevrpt => 0, instance => 'stm-20100331.xml');
my @filings = (\%one, { %one, adsh => $two, cik => 7502, name => 'OTHER CO', fy => '', fp => '', accepted => '2010-05-07 18:30:00.0', instance => 'x.xml' });
sub line { my ($adsh, $tag, $version, $date, $quarters, $unit, $value, %more) = @_; return { adsh => $adsh, tag => $tag, version => $version, ddate => $date, qtrs => $quarters, uom => $unit, value => $value, %more } }
my @lines = (
    line($one, 'Revenues', 'us-gaap/2009', '20100331', 1, 'USD', '1250000.0000'),
    line($two, 'Assets', 'ifrs-full/2009', '20100228', 0, 'EUR', '77.5000'),
    line($one, 'Revenues', 'us-gaap/2009', '20100331', 1, 'USD', '250000.0000', segments => 'ProductOrService=Ships;BusinessSegments=North;'),
    line($one, 'Assets', 'us-gaap/2009', '20091231', 0, 'USD', '12345678901234567890.1234'),
    line($one, 'NetIncomeLoss', 'us-gaap/2009', '20100228', 4, 'USD', '-5.0000'),
    line($one, 'Fleet', $one, '20100331', 0, 'ship', '0.0000'),
    line($two, 'Crew', $two, '20100331', 0, 'pure', '-0.0500'),
    line($one, 'EarningsPerShareBasic', 'us-gaap/2009', '20100331', 1, 'USD/shares', ''),
    line($one, 'Liabilities', 'us-gaap/2009', '20100331', 0, 'USD', '9.0000', segments => 'LegalEntity=Daughter;', coreg => 'Daughter'),
    line($one, 'Liabilities', 'us-gaap/2009', '20100331', 0, 'USD', '8.0000', coreg => 'Sister'),
    line($one, 'Dividends', 'us-gaap/2009', '20100331', 1, 'USD', '0.1300'),
    line($one, 'Dividends', $one, '20100331', 1, 'USD', '13.0000'),
    line($one, 'Ratio', 'us-gaap/2009', '20100515', 2, 'pure', '3', footnote => 'as "restated"'),
);
my %set = ('sub.txt' => table(\@sub, @filings), 'num.txt' => table(\@num, @lines), 'tag.txt' => "tag\tversion\tdatatype\nAssets\tus-gaap/2009\tmonetary\nDividends\tus-gaap/2009\tperShare\nDividends\t$two\tperShare\nRevenuesAbstract\tus-gaap/2009\t\n"
    . join('', map { "$_\t\n" } "Assets\tifrs-full/2009", "Fleet\t$one", "Crew\t$two", "Dividends\t$one", map { "$_\tus-gaap/2009" } qw(Revenues NetIncomeLoss EarningsPerShareBasic Liabilities Ratio)), 'pre.txt' => "adsh\treport\n");
my @of_one = (
    'stm:Dividends|USD|2010-01-01|2010-03-31|13|-',
    'stm:Fleet|ship|-|2010-03-31|0|-',
    'us-gaap:Assets|USD|-|2009-12-31|12345678901234567890.1234|-',
    'us-gaap:Dividends|USD/shares|2010-01-01|2010-03-31|0.13|-',
    'us-gaap:Liabilities|USD|-|2010-03-31|9|-|LegalEntity=Daughter',
    'us-gaap:Liabilities|USD|-|2010-03-31|8|-|LegalEntity=Sister',
    'us-gaap:NetIncomeLoss|USD|2009-03-01|2010-02-28|-5|-',
    'us-gaap:Ratio|pure|2009-11-16|2010-05-15|3|-',
    'us-gaap:Revenues|USD|2010-01-01|2010-03-31|1250000|-',
    'us-gaap:Revenues|USD|2010-01-01|2010-03-31|250000|-|BusinessSegments=North|ProductOrService=Ships');
my @of_two = ('custom:Crew|pure|-|2010-03-31|-0.05|-', 'ifrs-full:Assets|EUR|-|2010-02-28|77.5|-');

sub told_whole
{
    my ($name) = @_;
    my $exact = Disclosed::JSON->new->utf8->allow_bignum;
    my ($report) = $exact->decode($site->get("/v1/filings/$one/facts")->body)->{data}->@*;
    same_json([map { my $fact = $_; join '|', (map { $fact->{$_} // '-' } qw(concept unit start_date end_date value decimals)), map { "$_->{axis}=$_->{member}" } $fact->{dimensions}->@* } $report->{facts}->@*], \@of_one, $name);
    same_json(facts($two), \@of_two, '... and of the other filing');
    return $report;
}

my $folder = folder_of('set', %set);
my $said = imported(0, 'a set in a folder', $folder);
like($said, qr/sub\.txt: read 2, stored 2, unchanged 0, superseded 0, rejected 0/, '... counts filings');
like($said, qr/12 facts of 2 filings; 1 lines of num have no number \(nil\), 0 filings have no facts/, '... and facts');
my $report = told_whole('all facts of a filing');
is(join('|', map { $_ // '-' } @$report{qw(company_cik form filed_on fiscal_year fiscal_period)}, $report->{sources}[0]{source}), '0000007501|10-Q|2010-05-07|2010|Q1|data_set', 'what the filing says of itself');
is((grep { !$_->{rounded} } $report->{facts}->@*), 0, '... its dates are rounded');
is($report->{provenance}{source_url}, 'https://www.sec.gov/Archives/edgar/data/7501/000000750110000001/0000007501-10-000001-index.htm', '... and its source is the filing');
is($site->get("/v1/filings/$one/facts?as_of=2010-05-07T17:13:59Z")->status, 404, 'before it was accepted, Eastern');
is($site->get("/v1/filings/$one/facts?as_of=2010-05-07T17:14:00Z")->status, 200, '... and from then on');
like(imported(0, 'the set again', $folder), qr/read 2, stored 0, unchanged 2, superseded 0, rejected 0/, '... changes nothing');
my @members = map { [$_ => $set{$_}] } sort keys %set;
write_zip("$root/2010q2.zip", scalar @members, sub { my ($i) = @_; return $members[$i]->@* });
like(imported(0, 'as an archive', "$root/2010q2.zip"), qr/unchanged 2/, '... says the same');
my $other = $set{'num.txt'} =~ s/\t77\.5000/\t78.5000/r;
like(imported(0, 'a set in which a number has changed', folder_of('corrected', %set, 'num.txt' => $other)), qr/read 2, stored 1, unchanged 1, superseded 1/, '... has a new version of that filing');
is((grep { /\|78\.5\|/ } facts($two)->@*), 1, '... with the number');
my $of_two = sub { return [map { [@$_{qw(value differs)}] } grep { $_->{concept} eq 'ifrs-full:Assets' } $site->get("/v1/filings/$two/facts")->json->{data}[0]{facts}->@*] };
same_json($of_two->(), [[78.5, JSON::PP::false]], '... that differs from no other');
like(imported(0, 'a set with two numbers for one fact', folder_of('two', %set, 'num.txt' => $set{'num.txt'} =~ s/^($two\tAssets[^\n]*\n)/my $line = $1; $line . $line =~ s{77\.5000}{79.5000}r/mer)), qr/stored 1/, '... has both');
same_json($of_two->(), [[77.5, JSON::PP::true], [79.5, JSON::PP::true]], '... and says that they differ');
like(imported(0, 'the set in which it had changed', "$root/corrected"), qr/stored 1, unchanged 1, superseded 1/, '... counts again, loaded last');

# The order of lines and columns says nothing, nor do line ends, capitals, and compression.
for my $case (
    ['reversed lines', 'num.txt' => table(\@num, reverse @lines), 'sub.txt' => table(\@sub, reverse @filings)],
    ['reversed columns', 'num.txt' => table([reverse @num], @lines), 'sub.txt' => table([reverse @sub], @filings)],
    ['CR LF and a byte order mark', map { ($_ => "\xef\xbb\xbf" . $set{$_} =~ s/\n/\r\n/gr) } keys %set],
    ['tables of their own names', 'SUB.TSV' => $set{'sub.txt'}, 'Num.tsv' => $set{'num.txt'}, 'sub.txt' => undef, 'num.txt' => undef],
    ['without pre', 'pre.txt' => undef]) {
    my ($name, %changed) = @$case;
    my %files = (%set, %changed);
    clear();
    imported(0, $name, folder_of($name, map { ($_ => $files{$_}) } grep { defined $files{$_} } keys %files));
    told_whole("... $name");
}
clear();
my $packed = folder_of('packed', %set);
is((run('gzip', "$packed/num.txt"))[0], 0, 'a table is compressed');
imported(0, 'with one of its tables compressed', $packed);
told_whole('... the same');

# --- with notes -------------------------------------------------------------------------------

my @noted = qw(adsh tag version ddate qtrs uom dimh iprx value footnote footlen dimn coreg durp datp dcml);
my %hash = ('0x00000000' => '', '0xab12' => 'BusinessSegments=North;ProductOrService=Ships;', '0xcd34' => 'LegalEntity=Daughter;');
my %of = map { ($hash{$_} => $_) } keys %hash;
my %notes = ('sub.tsv' => $set{'sub.txt'}, 'num.tsv' => table(\@noted, map { { %$_, dimh => $of{ join ';', sort(split /;/, $_->{segments} // ''), '' } // '0x00000000', dcml => $_->{tag} eq 'Revenues' ? -3 : 32767 } } @lines),
    'dim.tsv' => table([qw(dimhash segments segt)], map { { dimhash => $_, segments => $hash{$_}, segt => 0 } } sort keys %hash), 'tag.tsv' => $set{'tag.txt'}, 'txt.tsv' => "adsh\n", 'ren.tsv' => "adsh\n", 'cal.tsv' => "adsh\n");
clear();
imported(0, 'a set with notes', folder_of('notes', %notes));
my @exact = map { my $fact = $_; $fact =~ s/^((?:[^|]*\|){5})-/$1 . ($fact =~ m{Revenues} ? '-3' : 'INF')/e; $fact } @of_two;
same_json(facts($two), \@exact, '... has the same facts, and how exact they are');
is((grep { /Revenues.*\|-3\|BusinessSegments=North\|ProductOrService=Ships$/ } facts($one)->@*), 1, '... and their dimensions');
clear();
like(imported(1, 'a hash that dim lacks', folder_of('unhashed', %notes, 'dim.tsv' => "dimhash\tsegments\tsegt\n0xcd34\tLegalEntity=Daughter;\t0\n")), qr/num\.tsv line \d+: rejected: dimh: dim does not have this hash/, '... is told');
like(imported(1, 'a table dim that is damaged', folder_of('undimmed', %notes, 'dim.tsv' => "dimhash\tsegments\tsegt\n0xcd34\n")), qr/failed, nothing of it is stored: dim\.tsv: line 2: /, '... refuses the set');

# --- damage -----------------------------------------------------------------------------------

my $line = 1;
my %at = map { ($_->{adsh} . $_->{tag} . ($_->{segments} // '') . ($_->{coreg} // '') => ++$line) } @lines;
my %damage = (
    'a date that is none'    => ['num.txt', sub { s/\t20100228\t0\tEUR/\t20100231\t0\tEUR/ }, qr/num\.txt line 3: rejected: ddate: not a date \(YYYYMMDD\)/, 1],
    'no quarters'            => ['num.txt', sub { s/\t20100228\t0\tEUR/\t20100228\t\tEUR/ }, qr/num\.txt line 3: rejected: qtrs: not a number from 0 to 4000/, 1],
    'negative quarters'      => ['num.txt', sub { s/\t20100228\t0\tEUR/\t20100228\t-1\tEUR/ }, qr/num\.txt line 3: rejected: qtrs: not a number from 0 to 4000/, 1],
    'fractions of quarters'  => ['num.txt', sub { s/\t20100228\t0\tEUR/\t20100228\t0.5\tEUR/ }, qr/num\.txt line 3: rejected: qtrs: not a number from 0 to 4000/, 1],
    'before the year 1'      => ['num.txt', sub { s/\t20100228\t0\tEUR/\t00010228\t4\tEUR/ }, qr/num\.txt line 3: rejected: qtrs: the period begins before the year 1/, 1],
    'no tag'                 => ['num.txt', sub { s/\tAssets\tifrs/\t\tifrs/ }, qr/num\.txt line 3: rejected: tag is missing/, 1],
    'no version'             => ['num.txt', sub { s{\tifrs-full/2009}{\t} }, qr/num\.txt line 3: rejected: version is missing/, 1],
    'a tag with a space'     => ['num.txt', sub { s/\tAssets\tifrs/\tAs sets\tifrs/ }, qr/num\.txt line 3: rejected: version and tag: not of the form taxonomy:Name, both names of XML/, 1],
    'a tag with a wide space' => ['num.txt', sub { s/\tAssets\tifrs/\tAs\xe2\x80\x83sets\tifrs/ }, qr/num\.txt line 3: rejected: version and tag: not of the form taxonomy:Name, both names of XML/, 1],
    'an axis with a wide space' => ['num.txt', sub { s/\tEUR\t/\tEUR\tBusiness\xe2\x80\x83Segments=North;/ }, qr/num\.txt line 3: rejected: segments: not axis=member, with semicolons between/, 1],
    'segments that are too long' => ['num.txt', sub { s/\tEUR\t/"\tEUR\tBusinessSegments=" . 'N' x 4096 . ';'/e }, qr/num\.txt line 3: rejected: segments: longer than 4096 characters/, 1],
    'no unit'                => ['num.txt', sub { s/\tEUR/\t/ }, qr/num\.txt line 3: rejected: uom is missing/, 1],
    'a value in words'       => ['num.txt', sub { s/\t77\.5000/\tmany/ }, qr/num\.txt line 3: rejected: value: not a number/, 1],
    'a point alone'          => ['num.txt', sub { s/\t77\.5000/\t./ }, qr/num\.txt line 3: rejected: value: not a number/, 1],
    'a value that is too long' => ['num.txt', sub { s/\t77\.5000/"\t" . '9' x 131073/e }, qr/num\.txt line 3: rejected: value: too large or too long/, 1],
    'an axis without member' => ['num.txt', sub { s/\tEUR\t/\tEUR\tBusinessSegments;/ }, qr/num\.txt line 3: rejected: segments: not axis=member, with semicolons between/, 1],
    'a fact twice'           => ['num.txt', sub { s/^($two\tAssets[^\n]*\n)/$1$1/m }, qr/num\.txt line 4: rejected: the filing's same fact again/, 2],
    'a line that is cut'     => ['num.txt', sub { s/^($two\tAssets[^\n]*)\t[^\n]*\t[^\n]*\n/$1\n/m }, qr/num\.txt line 3: rejected: /, 404],
    'a filing that sub lacks' => ['sub.txt', sub { s/^$two[^\n]*\n//m }, qr/num\.txt line 3: rejected: sub\.txt does not have this accession number/, 404],
    'a filing twice'         => ['sub.txt', sub { s/^($two[^\n]*\n)/$1$1/m }, qr/sub\.txt line 4: rejected: the accession number is there twice/, 404],
    'no accession number'    => ['sub.txt', sub { s/^$two/x/m }, qr/sub\.txt line 3: rejected: adsh is no accession number/, 404],
    'no CIK'                 => ['sub.txt', sub { s/\t7502\t/\t\t/ }, qr/sub\.txt line 3: rejected: cik: not a number of up to ten digits/, 404],
    'a CIK of zeros'         => ['sub.txt', sub { s/\t7502\t/\t000\t/ }, qr/sub\.txt line 3: rejected: cik: not a number of up to ten digits/, 404],
    'no name'                => ['sub.txt', sub { s/\tOTHER CO\t/\t\t/ }, qr/sub\.txt line 3: rejected: name is missing/, 404],
    'no form'                => ['sub.txt', sub { s/^($two.*)\t10-Q\t/$1\t\t/m }, qr/sub\.txt line 3: rejected: form is missing/, 404],
    'no day of filing'       => ['sub.txt', sub { s/^($two.*)\t20100507\t/$1\t20101307\t/m }, qr/sub\.txt line 3: rejected: filed: not a date \(YYYYMMDD\)/, 404],
    'a time that is none'    => ['sub.txt', sub { s/2010-05-07 18:30:00\.0/2010-05-07 25:30:00/ }, qr/sub\.txt line 3: rejected: accepted: not a time/, 404],
    'a fiscal year of one'   => ['sub.txt', sub { s/^($two.*20100331\t)\t/${1}1\t/m }, qr/sub\.txt line 3: rejected: fy: not a year from 1900 to 9999/, 404],
);
for my $name (sort keys %damage) {
    my ($table, $change, $told, $left) = $damage{$name}->@*;
    my %files = %set;
    $change->() for $files{$table};
    isnt($files{$table}, $set{$table}, "$name: the set is damaged");
    clear();
    $said = imported(1, $name, folder_of($name =~ s/\W/-/gr, %files));
    like($said, $told, '... is told with its table and line') or diag $said;
    my $facts = facts($two);
    is(ref $facts ? scalar @$facts : $facts, $left, '... what else the filing has is kept, or none of it where it is not whole');
    is(scalar facts($one)->@*, scalar @of_one, '... and so is the other filing');
    my ($read, @counts) = $said =~ /read (\d+), stored (\d+), unchanged (\d+), superseded \d+, rejected (\d+)/;
    is($read, $counts[0] + $counts[1] + $counts[2], '... all is accounted for');
}
# A line of no filing may be any filing's, as may one that is rejected: what is stored is not replaced by less.
clear();
imported(0, 'the set before a damaged copy', $folder);
my %copy = (
    'a digit of an accession number' => [sub { s/^$two(\tCrew)/0000007503-10-000007$1/m }, qr/num\.txt line \d+: rejected: sub\.txt does not have this accession number/],
    'a value of a filing' => [sub { s/\t-0\.0500/\tmany/ }, qr/num\.txt line \d+: rejected: value: not a number/],
);
for my $name (sort keys %copy) {
    my ($change, $told) = $copy{$name}->@*;
    my %files = %set;
    $change->() for $files{'num.txt'};
    isnt($files{'num.txt'}, $set{'num.txt'}, "$name: a copy is damaged");
    $said = imported(1, $name, folder_of("copy-$name" =~ s/\W/-/gr, %files));
    like($said, $told, '... is told');
    like($said, qr/sub\.txt line 3: rejected: it has fewer facts than are stored, and a line was rejected that may be one of them/, '... and its filing');
    like($said, qr/stored 0, unchanged 1, superseded 0, rejected 2/, '... the other one is as it was');
    told_whole('... what is stored stays');
}


# So it is where a table ends early at a line end, and nothing else shows that. num is not sorted by filings.
for my $kept (0, 1, 5, 12) {
    my @cut = (split /^/, $set{'num.txt'})[0 .. $kept];
    $said = imported(1, "num with $kept of 13 lines", folder_of("num-$kept", %set, 'num.txt' => join '', @cut));
    like($said, qr/sub\.txt line 2: rejected: it has fewer facts than are stored: num may be cut/, '... is told');
    my ($read, @counts) = $said =~ /read (\d+), stored 0, unchanged (\d+), superseded 0, rejected (\d+)/;
    is($read, $counts[0] + $counts[1], '... all is accounted for, and nothing changes') or diag $said;
    told_whole('... what is stored stays');
}
my ($tags, @tags) = split /^/, $set{'tag.txt'};
like(imported(1, 'tag without a row', folder_of('tag-0', %set, 'tag.txt' => $tags)), qr/sub\.txt: failed, nothing of it is stored: tag\.txt has no row: it is cut, or is no part of this set/, '... refuses the set');
$said = imported(1, 'tag that is cut', folder_of('tag-1', %set, 'tag.txt' => $tags . $tags[0]));
like($said, qr/num\.txt line 12: rejected: tag and version: the table tag does not have them, so that the unit is not known/, '... is told by its facts');
like($said, qr/stored 0, unchanged 0, superseded 0, rejected/, '... nothing is stored in another unit');
told_whole('... what is stored stays');
clear();
imported(1, 'num with 5 of 13 lines in a filing more, first', folder_of('num-first', %set, 'num.txt' => join '', (split /^/, $set{'num.txt'})[0 .. 5], "x\n"));
like(imported(0, 'the whole set after it', $folder), qr/stored 2/, '... is stored');
told_whole('... as if it had been the only one');

clear();
like(imported(1, 'without num', folder_of('less', map { ($_ => $set{$_}) } grep { !/num/ } keys %set)), qr/sub\.txt: failed, nothing of it is stored: num\.t\w+ is missing/, '... refuses the set');
like(imported(1, 'without tag', folder_of('untagged', map { ($_ => $set{$_}) } grep { !/tag/ } keys %set)), qr/sub\.txt: failed, nothing of it is stored: tag\.txt is missing: it tells which numbers are amounts per share/, '... refuses the set');
like(imported(1, 'a table tag that is damaged', folder_of('mistagged', %set, 'tag.txt' => "tag\tversion\tdatatype\nAssets\t\tmonetary\n")), qr/failed, nothing of it is stored: tag\.txt: line 2: version is missing/, '... refuses the set');
like(imported(1, 'a table tag without a column', folder_of('untyped', %set, 'tag.txt' => "tag\tversion\n")), qr/failed, nothing of it is stored: tag\.txt: the header has no column that is called datatype/, '... refuses the set');
like(imported(1, 'without a column', folder_of('narrow', %set, 'num.txt' => $set{'num.txt'} =~ s/\tuom/\tunit/r)), qr/num\.txt: the header has no column that is called uom/, '... refuses the set');
like(imported(1, 'without the accession number', folder_of('nameless', %set, 'num.txt' => $set{'num.txt'} =~ s/adsh/accession/r)), qr/num\.txt: the header has no column adsh/, '... refuses the set');
like(imported(1, 'num alone', folder_of('alone', 'num.txt' => $set{'num.txt'})), qr/num\.txt: failed.*without sub\.tsv in its folder, or \.txt/, '... is refused');
like(imported(1, 'num named', "$folder/num.txt"), qr/is read with sub\.txt/, '... says with which one it is read');
is($site->value('SELECT count(*) FROM xbrl_report'), 0, 'nothing is stored of these');
like(imported(0, 'a set of filings without facts', folder_of('empty', %set, 'num.txt' => table(\@num))), qr/0 facts of 2 filings; 0 lines of num have no number \(nil\), 2 filings have no facts/, '... is told');

# --- a real set -------------------------------------------------------------------------------

SKIP: {
    my $real = shared_data('financial-statement-data-sets');
    diag 'NOT TESTED: a real set (DISCLOSED_SHARED)' if !$real;
    skip 'no real set', 1 if !$real;
    my ($zip) = glob "$real/*.zip";
    my (%prefix, %per_share);
    my $read = sub {
        my ($member, $each) = @_;
        my $input = IO::Uncompress::Unzip->new($zip, Name => $member) or die $IO::Uncompress::Unzip::UnzipError;
        my @columns = split /\t/, $input->getline =~ s/\r?\n\z//r;
        while (defined(my $text = $input->getline)) {
            my %row;
            @row{@columns} = split /\t/, $text =~ s/\r?\n\z//r, -1;
            $each->(\%row);
        }
    };
    $read->('sub.txt', sub { my ($row) = @_; $prefix{ $row->{adsh} } = $row->{instance} =~ /^([^-]+)-/ ? $1 : 'custom' });
    $read->('tag.txt', sub { my ($row) = @_; $per_share{"$row->{tag} $row->{version}"} = $row->{datatype} eq 'perShare' });
    imported(0, 'a real set', $zip);
    my %stored;
    for my $row ($site->rows("SELECT r.accession, e.* FROM xbrl_report r CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, coalesce(r.dimensions, array_fill(''::text, ARRAY[cardinality(r.concepts)]))) AS e(concept, unit, starts, ends, amount, dimensions)")) {
        my $months = $row->{starts} eq '' ? 0 : do { my ($y, $m) = $row->{starts} =~ /^(\d+)-(\d+)/; my ($ey, $em) = $row->{ends} =~ /^(\d+)-(\d+)/; ($ey - $y) * 12 + $em - $m + 1 };
        $stored{ join '|', @$row{qw(accession concept unit)}, $row->{ends} =~ s/-//gr, $months / 3, $row->{amount}, $row->{dimensions} }++;
    }
    my ($facts, $found, $nil, @lost) = (0, 0, 0);
    $read->('num.txt', sub {
        my ($row) = @_;
        return $nil++ if $row->{value} eq '';
        $facts++;
        my %dimensions = map { /^([^=]+)=(.*)/ ? ($1 => $2) : () } split /;/, $row->{segments};
        $dimensions{LegalEntity} //= $row->{coreg} if $row->{coreg} ne '';
        my $concept = ($row->{version} =~ /^\d{10}-/ ? $prefix{ $row->{adsh} } : $row->{version} =~ s{/.*}{}r) . ":$row->{tag}";
        $row->{uom} .= '/shares' if $per_share{"$row->{tag} $row->{version}"} && $row->{uom} =~ /^[A-Z]{3}\z/;
        my $amount = $row->{value} =~ s/(\.\d*?)0+\z/$1/r =~ s/\.\z//r;
        my $key = join '|', $row->{adsh}, $concept, @$row{qw(uom ddate qtrs)}, $amount, join ';', map { "$_=$dimensions{$_}" } sort keys %dimensions;
        if ($stored{$key}) { $found++ } else { push @lost, $key }
    });
    diag sprintf '%d of %d facts found again: %.2f %%; %d without a number', $found, $facts, 100 * $found / $facts, $nil;
    is($found, $facts, 'every fact of the set') or diag join "\n", @lost[0 .. ($#lost < 9 ? $#lost : 9)];
    my ($sample) = $site->rows("SELECT accession FROM xbrl_report WHERE dimensions IS NOT NULL ORDER BY cardinality(concepts) DESC LIMIT 1");
    my $served = $site->get("/v1/filings/$sample->{accession}/facts")->json->{data}[0]{facts};
    is(scalar @$served, $site->value("SELECT cardinality(concepts) FROM xbrl_report WHERE accession = '$sample->{accession}'"), 'the largest filing is served whole');

    # Where companyfacts has the same filings, both say the same.
    my $companyfacts = shared_data('edgar-companyfacts') or skip 'no companyfacts', 1;
    my ($code, $out, $err) = $site->control('import', 'sec-companyfacts', glob "$companyfacts/CIK*.json.gz");
    is($code, 0, 'companyfacts beside it') or diag $out, $err;
    my (%agree, @differ);
    for my $row ($site->rows("SELECT accession FROM xbrl_report GROUP BY 1 HAVING count(DISTINCT told_by) = 2")) {
        for my $fact ($site->get("/v1/filings/$row->{accession}/facts")->json->{data}[0]{facts}->@*) {
            next if $fact->{dimensions}->@*;
            $agree{ join ',', $fact->{sources}->@* }++;
            push @differ, "$row->{accession} $fact->{concept} $fact->{end_date} $fact->{value} " . join ',', $fact->{sources}->@* if $fact->{differs};
        }
    }
    diag 'facts of filings that companyfacts and the set have: ' . join '; ', map { "$_: $agree{$_}" } sort keys %agree;
    cmp_ok($agree{'companyfacts,data_set'}, '>', 100, '... have facts in common');
    is(scalar @differ, 0, '... and none differs') or diag join "\n", @differ;
}
finish();

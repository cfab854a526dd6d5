# A filing's own XBRL: plain instances and inline documents, with dimensions; what is no good of them; every number of real instances
# found again, and the same numbers in both forms of one.

use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use Disclosed::ZipFile qw(write_zip);
use Disclosed::JSON ();
use feature qw(state);

promises(
    list_filing_calculations => {
        parameters => [qw(accession as_of)],
        fields     => [qw(id ticker? company_cik? accession form filed_on statements provenance)],
    },
    list_filing_statements => {
        parameters => [qw(accession as_of)],
        fields     => [qw(id ticker? company_cik? accession form filed_on statements provenance)],
    },
    get_filing_statement => {
        parameters => [qw(accession number as_of)],
        fields     => [qw(id ticker? company_cik? accession form filed_on number role name kind? lines provenance)],
    },
);
my $site = site(template => 'empty');
my $root = $site->{root};
my $exact = Disclosed::JSON->new->utf8->allow_bignum;

sub folder_of
{
    my ($name, %files) = @_;
    mkdir "$root/$name" or die "$name: $!";
    for my $file (keys %files) {
        my $bytes = $files{$file};
        utf8::encode($bytes) if utf8::is_utf8($bytes);
        $site->write("$name/$file", $bytes);
    }
    return "$root/$name";
}

sub imported
{
    my ($wanted, $name, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', 'xbrl-instance', @arguments);
    is($code, $wanted, $name) or diag substr "$out$err", 0, 3000;
    return "$out$err";
}

sub clear
{
    $site->execute('TRUNCATE disclosed.xbrl_report, disclosed.metric_value, disclosed.metric_issuer, disclosed.dataset_issuer_stat, disclosed.dataset_stat');
    return;
}

sub report { my ($accession) = @_; my $response = $site->get("/v1/filings/$accession/facts"); return $response->status == 200 ? $exact->decode($response->body)->{data}[0] : undef }
sub facts { my $report = report(@_); return $report ? [map { my $fact = $_; join '|', (map { $fact->{$_} // '-' } qw(concept unit start_date end_date value decimals)), map { "$_->{axis}=$_->{member}" } $fact->{dimensions}->@* } $report->{facts}->@*] : 'none' }

# --- a made instance --------------------------------------------------------------------------

my %uri = ('us-gaap' => 'http://fasb.org/us-gaap/2024', gaap => 'http://fasb.org/us-gaap/2024', dei => 'http://xbrl.sec.gov/dei/2024', own => 'http://own.example/20240331', srt => 'http://fasb.org/srt/2024',
    ifrs => 'https://xbrl.ifrs.example/2024', xbrldi => 'http://xbrl.org/2006/xbrldi', xsi => 'http://www.w3.org/2001/XMLSchema-instance', iso4217 => 'http://www.xbrl.org/2003/iso4217', xbrli => 'http://www.xbrl.org/2003/instance');
my $declared = join ' ', map { "xmlns:$_=\"$uri{$_}\"" } sort keys %uri;

sub context
{
    my ($id, $period, $segment, %more) = @_;
    my ($start, $end) = split /\.\./, $period;
    $start //= '';
    $period = defined $end ? "<xbrli:startDate>$start</xbrli:startDate><xbrli:endDate>$end</xbrli:endDate>" : "<xbrli:instant>$start</xbrli:instant>";
    $segment = defined $segment ? '<xbrli:segment>' . $segment . '</xbrli:segment>' : '';
    my $cik = $more{cik} // '0000007601';
    my $scheme = $more{scheme} // 'http://www.sec.gov/CIK';
    return "<xbrli:context id=\"$id\"><xbrli:entity><xbrli:identifier scheme=\"$scheme\">$cik</xbrli:identifier>$segment</xbrli:entity><xbrli:period>" . ($more{period} // $period) . '</xbrli:period>' . ($more{scenario} // '') . '</xbrli:context>';
}
sub explicit { my ($axis, $member) = @_; return "<xbrldi:explicitMember dimension=\"$axis\">\n $member </xbrldi:explicitMember>" }

my $contexts = join "\n", context(q => '2024-01-01..2024-03-31'), context(i => '2024-03-31'), context(d => '2024-01-01..2024-03-31', explicit('us-gaap:StatementBusinessSegmentsAxis', 'own:NorthMember') . explicit('srt:ProductOrServiceAxis', 'own:ShipsMember')),
    context(t => '2024-03-31', '<xbrldi:typedMember dimension="own:LoanAxis"><own:loan>No. 5;  a=b 100%</own:loan></xbrldi:typedMember>'), context(s => '2024-03-31', undef, scenario => '<xbrli:scenario>' . explicit('gaap:ScenarioAxis', 'own:PlanMember') . '</xbrli:scenario>'),
    context(m => '2024-01-01T00:00:00..2024-04-01T00:00:00'), context(old => '2024-03-31', '<own:division>North</own:division>'), context(f => '', undef, period => '<xbrli:forever/>'), context(x => '2024-03-31', undef, cik => '0000009999'),
    context(b => '2024-02-30'), context(r => '2024-03-31..2024-01-01'), context(n => '2024-03-31', explicit('nobody:Axis', 'own:NorthMember')), context(z => '2024-03-31', undef, scheme => 'http://www.own.example/ID'), context(two => '2024-03-31'), context(two => '2024-03-30'), context(first => '0001-01-01T00:00:00'),
    context(many => '2024-03-31', join '', map { explicit("own:A${_}Axis", 'own:NorthMember') } 1 .. 200);
my %unit = (long => 'own:' . 'L' x 257, usd => 'iso4217:USD', shares => 'xbrli:shares', pure => 'xbrli:pure', ship => 'own:Ship', none => undef);
my $units = join "\n", (map { "<xbrli:unit id=\"$_\">" . (defined $unit{$_} ? "<xbrli:measure> $unit{$_} </xbrli:measure>" : '') . '</xbrli:unit>' } sort keys %unit),
    '<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>',
    '<xbrli:unit id="work"><xbrli:measure>own:Person</xbrli:measure><xbrli:measure>own:Hour</xbrli:measure></xbrli:unit>';
sub fact { my ($name, $context, $unit, $text, $more) = @_; return "<$name contextRef=\"$context\"" . (defined $unit ? " unitRef=\"$unit\"" : '') . ($more ? " $more" : '') . ">$text</$name>" }
my @own = (fact('dei:DocumentType', 'q', undef, '10-Q'), fact('dei:EntityRegistrantName', 'q', undef, 'Instances &amp; Co.'), fact('dei:DocumentFiscalYearFocus', 'q', undef, '2024'), fact('dei:DocumentFiscalPeriodFocus', 'q', undef, 'Q1'));
my @good = (
    fact('us-gaap:Revenues', 'q', 'usd', '1250000', 'decimals="-3" id="f-1"'), fact('gaap:Revenues', 'd', 'usd', '250000', 'decimals="-3"'), fact('us-gaap:Revenues', 'm', 'usd', '1250000', 'decimals="0"'),
    fact('us-gaap:Assets', 'i', 'usd', '12345678901234567890.123456789', 'decimals="INF"'), fact('us-gaap:EarningsPerShareBasic', 'q', 'eps', '-.05', 'precision="2"'), fact('own:Fleet', 'i', 'ship', '+007', 'precision="INF"'),
    fact('own:Loan', 't', 'usd', '5', 'decimals="0"'), fact('own:Loan', 's', 'usd', '6', 'decimals="0"'), fact('own:Loan', 'old', 'usd', '7', 'decimals="0"'), fact('own:Rate', 'i', 'pure', '1.5E-3', 'decimals="4"'), fact('own:Work', 'q', 'work', '40.', 'decimals="0"'),
    fact('own:Total', 'i', 'usd', '5123', 'decimals="0"'), fact('own:Total', 'i', 'usd', '5000', 'decimals="-3"'), fact('own:Total', 'i', 'usd', '6000', 'decimals="-3"'), fact('own:Total', 'i', 'usd', '5100', 'decimals="-2"'),
    fact('us-gaap:Assets', 'i', 'usd', '', 'xsi:nil="true"'), fact('own:Note', 'q', undef, 'a text'));
sub instance { my (@facts) = @_; return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xbrli:xbrl $declared>\n$contexts\n$units\n" . join("\n", @own, @facts) . "\n</xbrli:xbrl>\n" }
my @told = (
    'own:Fleet|ship|-|2024-03-31|7|INF' =~ s/ship/Ship/r,
    'own:Loan|USD|-|2024-03-31|5|0|own:LoanAxis=No. 5%3B a%3Db 100%25', 'own:Loan|USD|-|2024-03-31|7|0|own:division=North', 'own:Loan|USD|-|2024-03-31|6|0|us-gaap:ScenarioAxis=own:PlanMember',
    'own:Rate|pure|-|2024-03-31|0.0015|4', 'own:Total|USD|-|2024-03-31|5123|0', 'own:Total|USD|-|2024-03-31|6000|-3', 'own:Work|Person*Hour|2024-01-01|2024-03-31|40|0',
    'us-gaap:Assets|USD|-|2024-03-31|12345678901234567890.123456789|INF', 'us-gaap:EarningsPerShareBasic|USD/shares|2024-01-01|2024-03-31|-0.05|-',
    'us-gaap:Revenues|USD|2024-01-01|2024-03-31|1250000|0', 'us-gaap:Revenues|USD|2024-01-01|2024-03-31|250000|-3|srt:ProductOrServiceAxis=own:ShipsMember|us-gaap:StatementBusinessSegmentsAxis=own:NorthMember');
my $accession = '0000007601-24-000001';
my $name = 'own-20240331';
my $said = imported(1, 'an instance of a filing that nobody knows', folder_of('000000760124000001', "$name.xml" => instance(@good)));
like($said, qr/failed, nothing of it is stored: nothing says when filing $accession was filed: load it first, or say --known-at/, '... says what is missing');
$said = imported(0, 'with the day of filing', '--known-at', '2024-05-01', "$root/000000760124000001");
like($said, qr/15 numbers, of which 3 are there more than once; 5 facts are texts, 1 have no number \(nil\)/, '... counts facts');
same_json(facts($accession), \@told, 'all numbers');
my $report = report($accession);
is(join('|', map { $_ // '-' } @$report{qw(company_cik form filed_on fiscal_year fiscal_period)}, map { $_->{source} } $report->{sources}->@*), '0000007601|10-Q|2024-05-01|2024|Q1|instance', 'what the document says of itself');
is($site->value('SELECT name FROM issuer WHERE cik = 7601'), 'Instances & Co.', '... and of its filer');
like(imported(0, 'it again', '--known-at', '2024-05-01', "$root/000000760124000001"), qr/unchanged 5/, '... changes nothing');
my $filing = Disclosed::JSON->new->utf8->encode({ dataset => 'filing', cik => '7601', provenance => { source_provider => 'sec', accession => $accession }, form => '10-Q/A', filed_on => '2024-05-02', accepted_at => '2024-05-02T12:00:00Z', known_at => '2024-05-02T12:00:00Z' });
is(($site->control('import', 'ndjson', $site->write('filing.ndjson', "$filing\n")))[0], 0, 'the filing is loaded');
imported(0, 'the instance after it', "$root/000000760124000001");
$report = report($accession);
is("$report->{form} $report->{filed_on}", '10-Q/A 2024-05-02', '... is what the filing is');
is($site->get("/v1/filings/$accession/facts?as_of=2024-05-02T11:59:59Z")->status . ' ' . $site->get("/v1/filings/$accession/facts?as_of=2024-05-02T12:00:00Z")->status, '404 200', '... and public when it is');

# A filing of somebody else.
is(($site->control('import', 'ndjson', $site->write('other.ndjson', $filing =~ s/7601"/7699"/r =~ s/-24-000001/-24-000077/r . "\n")))[0], 0, 'a filing of another company');
like(imported(1, 'a document of the one as that of the other', '--accession', '0000007601-24-000077', '--known-at', '2024-05-01', "$root/000000760124000001/$name.xml"), qr/nothing of it is stored: filing 0000007601-24-000077 is not one of CIK 7601, whose document this is/, '... is refused');

# Where it is taken from.
my $document = instance(@good);
for my $case (['an archive as EDGAR names it', sub { write_zip("$root/0000007602-24-000001-xbrl.zip", 1, sub { return ("$name.xml", $document) }); return "$root/0000007602-24-000001-xbrl.zip" }, '0000007602-24-000001'],
    ['a name on the command line', sub { return ('--accession', '0000007602-24-000002', folder_of('elsewhere', "$name.xml" => $document) . "/$name.xml") }, '0000007602-24-000002'],
    ['a folder with dashes', sub { return folder_of('0000007602-24-000003', "${name}_htm.xml" => $document, "${name}_cal.xml" => '<linkbase/>', "$name.xsd" => '<schema/>', 'R1.htm' => 'x', 'FilingSummary.xml' => 'x') }, '0000007602-24-000003']) {
    my ($what, $path, $of) = @$case;
    imported(0, $what, '--known-at', '2024-05-01', $path->());
    same_json(facts($of), \@told, "... $what");
}
like(imported(1, 'a document of no filing', '--known-at', '2024-05-01', "$root/elsewhere/$name.xml"), qr/nothing says of which filing it is: name its folder or archive by the accession number, or say --accession/, '... is refused');
like(imported(1, 'a linkbase alone', folder_of('0000007602-24-000004', "${name}_cal.xml" => '<x/>')), qr/a linkbase or schema without its instance in the folder/, '... is refused');

# --- facts that are none ----------------------------------------------------------------------

my @bad = (
    [fact('own:A', 'nowhere', 'usd', '1', 'decimals="0"'), 'contextRef: there is no context nowhere'], [fact('own:B', 'f', 'usd', '1', 'decimals="0"'), 'contextRef: context f: its period is forever'],
    [fact('own:C', 'x', 'usd', '1', 'decimals="0"'), 'contextRef: context x is of another CIK, 9999'], [fact('own:D', 'b', 'usd', '1', 'decimals="0"'), 'contextRef: context b: its instant is not a date'],
    [fact('own:E', 'r', 'usd', '1', 'decimals="0"'), 'contextRef: context r: its period ends before it begins'], [fact('own:F', 'n', 'usd', '1', 'decimals="0"'), 'contextRef: context n: a dimension of it has a name of no namespace'],
    [fact('own:G', 'z', 'usd', '1', 'decimals="0"'), 'contextRef: context z: its entity is not a CIK'], [fact('own:H', 'two', 'usd', '1', 'decimals="0"'), 'contextRef: context two: there are two of its id'],
    [fact('own:HH', 'first', 'usd', '1', 'decimals="0"'), 'contextRef: context first: its instant is not a date'],
    [fact('own:HI', 'many', 'usd', '1', 'decimals="0"'), 'contextRef: context many: its dimensions are longer than 4096 characters'], [fact('own:IJ', 'i', 'long', '1', 'decimals="0"'), 'unitRef: there is no unit long, there are two of it, or it has no measure of up to 256 characters'],
    [fact('own:I', 'i', 'nowhere', '1', 'decimals="0"'), 'unitRef: there is no unit nowhere, there are two of it, or it has no measure of up to 256 characters'], [fact('own:J', 'i', 'none', '1', 'decimals="0"'), 'unitRef: there is no unit none, there are two of it, or it has no measure of up to 256 characters'],
    [fact('own:K', 'i', 'usd', 'many', 'decimals="0"'), 'not a number'], [fact('own:L', 'i', 'usd', '', 'decimals="0"'), 'not a number'], [fact('own:M', 'i', 'usd', '1,000', 'decimals="0"'), 'not a number'], [fact('own:N', 'i', 'usd', 'INF', 'decimals="0"'), 'not a number'],
    [fact('own:O', 'i', 'usd', '1', 'decimals="few"'), 'decimals: not INF or an integer of up to three digits'], [fact('own:P', 'i', 'usd', '1e9999', 'decimals="0"'), 'not a number'], [fact('own:Q', 'i', 'usd', '9' x 131073, 'decimals="0"'), 'too large or too long'],
);
clear();
$said = imported(1, 'facts that are none', '--verbose', '--known-at', '2024-05-01', folder_of('0000007603-24-000001', "$name.xml" => instance(@good, map { $_->[0] } @bad)));
for my $case (@bad) {
    my ($concept) = $case->[0] =~ /^<([\w:]+)/;
    like($said, qr/line \d+: rejected: \Q$concept: $case->[1]\E/, $case->[1]);
}
like($said, qr/read 25, stored 1, unchanged 4, superseded 0, rejected 20/, '... are accounted for');
same_json(facts('0000007603-24-000001'), \@told, '... and the others are kept');
for my $case (['an instance that is cut', substr($document, 0, length($document) / 2), qr/line \d+: not well-formed/], ['another document', '<html/>', qr/the root element is html, not xbrl/], ['entities', "<!DOCTYPE x [<!ENTITY a 'b'>]>" . $document =~ s/^<\?.*?\n//r, qr/a document type declaration is not accepted/], ['attributes by the hundred thousand', "<?xml version='1.0'?>\n<xbrl>\n<a " . join(' ', map { "a$_='>'" } 1 .. 200_000) . '/></xbrl>', qr/line 3: an element with more than 1000 attributes/], ['elements in elements', '<xbrl>' . '<a>' x 100000, qr/not well-formed: Excessive depth/],
    ['no entity', $document =~ s{http://www.sec.gov/CIK}{urn:other}gr, qr/it has no context whose entity is a CIK/], ['nothing', '', qr/the file is empty/], ['a name of no namespace', $document =~ s/<own:Fleet/<nobody:Fleet/r =~ s/own:Fleet>/nobody:Fleet>/r, qr/rejected: custom:nobody:Fleet: not of the form taxonomy:Name/]) {
    my ($what, $text, $told) = @$case;
    like(imported(1, $what, '--known-at', '2024-05-01', folder_of("0000007604-24-0000" . (++$site->{made} + 10), "$name.xml" => $text)), $told, '... is refused');
}

# --- linkbases --------------------------------------------------------------------------------

my $link = 'xmlns:link="http://www.xbrl.org/2003/linkbase" xmlns:xlink="http://www.w3.org/1999/xlink"';
sub loc { my ($id, $of) = @_; return "<link:loc xlink:type=\"locator\" xlink:label=\"$id\" xlink:href=\"" . ($of // 'own-20240331.xsd') . "#$id\"/>" }
sub arc { my ($from, $to, $weight, $more) = @_; return "<link:calculationArc xlink:type=\"arc\" xlink:from=\"$from\" xlink:to=\"$to\" weight=\"$weight\" " . ($more // '') . '/>' }
sub calculations { my (%roles) = @_; return "<link:linkbase $link>" . join('', map { my $role = $_; "<link:calculationLink xlink:type=\"extended\" xlink:role=\"http://own.example/role/$role\">" . join('', map { loc($_) } qw(us-gaap_Assets own_Ships own_Docks own_Debt us-gaap_Liabilities)) . join('', $roles{$role}->@*) . '</link:calculationLink>' } sort keys %roles) . '</link:linkbase>' }
my @sums = (fact('us-gaap:Assets', 'i', 'usd', '100000', 'decimals="-3"'), fact('own:Ships', 'i', 'usd', '60400', 'decimals="-2"'), fact('own:Docks', 'i', 'usd', '39000', 'decimals="-3"'), fact('own:Ships', 'd', 'usd', '7', 'decimals="0"'),
    fact('own:Debt', 'i', 'usd', '50', 'decimals="INF"'), fact('us-gaap:Liabilities', 'i', 'usd', '49', 'decimals="0"'));
my $calculations = calculations(Balance => [arc(qw(us-gaap_Assets own_Ships 1.0)), arc(qw(us-gaap_Assets own_Docks 1)), arc(qw(us-gaap_Assets own_Debt 1.0), 'priority="1"'), arc(qw(us-gaap_Assets own_Debt 1.0), 'use="prohibited" priority="2"')],
    Detail => [arc(qw(own_Debt us-gaap_Liabilities -1)), arc(qw(own_Ships own_Nothing 1)) =~ s/own_Nothing/own_Docks/r, arc(qw(us-gaap_Liabilities own_Debt 1.0), 'use="prohibited"'), arc(qw(us-gaap_Liabilities own_Debt 1.0))]);
my $labels = "<link:linkbase $link><link:labelLink xlink:type=\"extended\">" . loc('us-gaap_Assets') . loc('own_Ships') . join('', map { "<link:labelArc xlink:type=\"arc\" xlink:from=\"$_->[0]\" xlink:to=\"$_->[1]\"/>" } ['us-gaap_Assets', 'a'], ['own_Ships', 's'])
    . join('', map { "<link:label xlink:type=\"resource\" xlink:label=\"$_->[0]\" xlink:role=\"http://www.xbrl.org/2003/role/$_->[1]\" xml:lang=\"$_->[2]\">$_->[3]</link:label>" } ['a', 'terseLabel', 'en-US', 'Assets, in short'], ['a', 'label', 'en-US', ' Total &amp; all  assets '], ['a', 'label', 'fr', 'Actifs'], ['s', 'terseLabel', 'en', 'Ships']) . '</link:labelLink></link:linkbase>';
my $schema = "<schema xmlns=\"http://www.w3.org/2001/XMLSchema\" $link><annotation><appinfo><link:roleType roleURI=\"http://own.example/role/Balance\" id=\"B\"><link:definition>0000002 - Statement - BALANCE SHEETS - YEAR ENDS</link:definition></link:roleType></appinfo></annotation></schema>";
sub statements
{
    my ($accession) = @_;
    my $response = $site->get("/v1/filings/$accession/calculations");
    return $response->status if $response->status != 200;
    return [map { my $statement = $_; ("$statement->{name}: $statement->{agreeing} of $statement->{sum_count}", map { my $sum = $_; join ' ', $sum->{concept}, $sum->{label} // '-', (map { $sum->{$_} } qw(end_date value sum difference tolerance)), ($sum->{agrees} ? 'agrees' : 'differs'), map { "$_->{concept}*$_->{weight}=$_->{value}" } $sum->{children}->@* } $statement->{sums}->@*) } $exact->decode($response->body)->{data}[0]{statements}->@*];
}
my %linked = ("$name.xml" => instance(@sums), "${name}_cal.xml" => $calculations, "${name}_lab.xml" => $labels, "$name.xsd" => $schema);
my @added = ('BALANCE SHEETS - YEAR ENDS: 1 of 1', 'us-gaap:Assets Total & all assets 2024-03-31 100000 99400 600 1050 agrees own:Ships*1=60400 own:Docks*1=39000',
    'Detail: 0 of 2', 'own:Debt - 2024-03-31 50 -49 99 0.5 differs us-gaap:Liabilities*-1=49', 'own:Ships Ships 2024-03-31 60400 39000 21400 550 differs own:Docks*1=39000');
clear();
$said = imported(0, 'an instance with its linkbases', '--known-at', '2024-05-01', folder_of('0000007606-24-000001', %linked));
like($said, qr/read 5, stored 5, unchanged 0, superseded 0, rejected 0/, '... makes a report, a linkbase and key figures');
same_json(statements('0000007606-24-000001'), \@added, 'statements are added up, arcs that are prohibited left out');
like(imported(0, 'it again', '--known-at', '2024-05-01', "$root/0000007606-24-000001"), qr/unchanged 5/, '... changes nothing');
my ($ticker) = map { $_->{ticker} } $site->rows('SELECT ticker FROM issuer WHERE cik = 7601');
my $listed = Disclosed::JSON->new->utf8->encode({ dataset => 'listing', cik => '7601', ticker => 'INST', market => 'US', name => 'Instances & Co.', status => 'active', known_at => '2000-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } });
is(($site->control('import', 'ndjson', $site->write('listed.ndjson', "$listed\n")))[0], 0, 'the filer is listed');
same_json($site->get('/v1/coverage/INST')->json->{calculations}, { filings => 1, statements => 2, statements_agreeing => 1, sums => 3, sums_agreeing => 1 }, 'coverage counts what agrees');
same_json($site->get('/v1/coverage/INST?as_of=2024-04-30')->json->{calculations}, { filings => 0, statements => 0, statements_agreeing => 0, sums => 0, sums_agreeing => 0 }, '... as of before there is nothing');
same_json($site->get('/api/disclosed/v1/coverage/INST')->json->{calculations}, { filings => 1, statements => 2, statements_agreeing => 1, sums => 3, sums_agreeing => 1 }, '... on the earlier surface, too');
imported(0, 'the instance with another number', '--known-at', '2024-05-01', '--accession', '0000007606-24-000001', folder_of('changed', "$name.xml" => $linked{"$name.xml"} =~ s/>39000</>99000</r));
is($site->get('/v1/coverage/INST')->json->{calculations}{sums_agreeing}, 0, '... is checked against the linkbase that is known');
like(imported(0, 'all linkbases in the schema', '--known-at', '2024-05-01', folder_of('0000007606-24-000002', "$name.xml" => $linked{"$name.xml"}, "$name.xsd" => $schema =~ s{</appinfo>}{ join '', map { s/^<\?.*?\?>//r } $calculations, $labels, '</appinfo>' }er)), qr/stored 2/, '... are found there');
same_json(statements('0000007606-24-000002'), \@added, '... the same');
for my $case (['a calculation that points nowhere', "${name}_cal.xml" => $calculations =~ s/#own_Docks/#Docks/r, qr/own-20240331_cal\.xml: rejected: line \d+: calculationArc: from or to names no element/], ['a weight in words', "${name}_cal.xml" => $calculations =~ s/weight="1"/weight="one"/r, qr/calculationArc: weight is no decimal/],
    ['a linkbase that is cut', "${name}_cal.xml" => substr($calculations, 0, 900), qr/own-20240331_cal\.xml: rejected: line \d+: not well-formed/], ['a weight of many digits', "${name}_cal.xml" => $calculations =~ s/weight="1"/weight="1.0000000001"/r, qr/calculationArc: weight is no decimal of up to nine digits before and behind the point/],
    ['a role that is too long', "${name}_cal.xml" => $calculations =~ s{role/Balance}{'role/' . 'B' x 512}er, qr/calculationLink: role is longer than 512 characters/],
    ['an element that is no name', "${name}_cal.xml" => $calculations =~ s/#own_Docks/#own_Do\x{2003}cks/r, qr/calculationArc: from or to names no element/], ['another document', "${name}_cal.xml" => '<html/>', qr/the root element is html, not linkbase/]) {
    my ($what, $file, $text, $told) = @$case;
    state $made = 0;
    my $of = sprintf '0000007607-24-%06d', ++$made;
    like(imported(1, $what, '--verbose', '--known-at', '2024-05-01', folder_of($of, %linked, $file => $text)), $told, '... is told');
    is(statements($of), 404, '... and there are no calculations');
    is(ref facts($of), 'ARRAY', '... but facts');
}
problem_is($site->get('/v1/filings/0000007606-24-000009/calculations'), 404, 'no such filing', instance => '/v1/filings/0000007606-24-000009/calculations', detail => 'There are no calculations of a filing with the accession number "0000007606-24-000009".');

# What adds up more than any filing does would hold up the load.
my $often = join '', map { context("y$_", 1990 + $_ . '-12-31') } 0 .. 20;
my $net = calculations(Net => [(map { loc("own_N$_") } 0 .. 99), map { my $from = $_; map { arc("own_N$from", "own_N$_", 1) } 0 .. 99 } 0 .. 99]);
$said = imported(1, 'every element a sum of all others', '--verbose', '--known-at', '2024-05-01', folder_of('0000007606-24-000003', "$name.xml" => instance(map { my $of = $_; map { fact("own:N$of", "y$_", 'usd', $_, 'decimals="0"') } 0 .. 20 } 0 .. 99) =~ s/<xbrli:unit /$often<xbrli:unit /r, "${name}_cal.xml" => $net));
like($said, qr/its linkbases: rejected: its calculations add up more than 200000 numbers/, '... is not added up');
is(statements('0000007606-24-000003') . ' ' . facts('0000007606-24-000003')->@*, '404 2100', '... and the facts are kept');

# --- statements as presented ------------------------------------------------------------------

sub presented_arc { my ($from, $to, $more) = @_; return "<link:presentationArc xlink:type=\"arc\" xlink:from=\"$from\" xlink:to=\"$to\" " . ($more // '') . '/>' }
sub presentation
{
    my (@statements) = @_;
    return "<link:linkbase $link>" . join('', map { my ($role, @arcs) = @$_; "<link:presentationLink xlink:type=\"extended\" xlink:role=\"http://own.example/role/$role\">" . join('', map { loc($_) } qw(us-gaap_Assets own_Ships own_Docks own_Debt own_Heading own_KindAxis own_KindDomain own_ShipsMember own_DocksMember own_Lost)) . join('', @arcs) . '</link:presentationLink>' } @statements) . '</link:linkbase>';
}
sub preferred { my ($role) = @_; return "preferredLabel=\"http://www.xbrl.org/2003/role/$role\"" }
sub part { my ($id, $member, $day) = @_; return context($id, $day, explicit('own:KindAxis', "own:$member")) }
# A line a string: depth, element, label and its role, then its numbers.
sub line_of
{
    my ($line) = @_;
    return join ' ', '-' x $line->{depth}, $line->{concept}, $line->{label} // '?', ($line->{label_role} // ()), ($line->{negated} ? 'negated' : ()), ($line->{axis} ? "on $line->{axis}" : ()),
        map { my $value = $_; join('', ($value->{start_date} // ''), '/', $value->{end_date}, map({ "[$_->{axis}=$_->{member}]" } $value->{dimensions}->@*), '=', $value->{value}, ' ', $value->{unit}) } $line->{values}->@*;
}
sub lines_of
{
    my ($accession, $number, $query) = @_;
    my $response = $site->get("/v1/filings/$accession/statements/$number" . ($query // ''));
    return $response->status if $response->status != 200;
    return [map { line_of($_) } $exact->decode($response->body)->{lines}->@*];
}
sub presented
{
    my ($accession, $query) = @_;
    my $response = $site->get("/v1/filings/$accession/statements" . ($query // ''));
    return $response->status if $response->status != 200;
    return [map { join ' ', $_->{number}, $_->{name}, $_->{kind} // '?', $_->{line_count} } $response->json->{data}[0]{statements}->@*];
}
my @years = (context('d23', '2023-01-01..2023-12-31'), context('d24', '2024-01-01..2024-03-31'), context('i22', '2022-12-31'), context('i23', '2023-12-31'), context('i24', '2024-03-31'),
    part('s24', 'ShipsMember', '2024-03-31'), part('o24', 'OtherMember', '2024-03-31'), part('w24', 'KindDomain', '2024-03-31'));
my @shown = ((map { fact('us-gaap:Assets', @$_, 'decimals="0"') } ['i22', 'usd', 1], ['i23', 'usd', 2], ['i24', 'usd', 3]), (map { fact('own:Ships', @$_, 'decimals="0"') } ['d23', 'usd', 20], ['d24', 'usd', 30]),
    (map { fact('own:Docks', @$_, 'decimals="0"') } ['s24', 'usd', 7], ['o24', 'usd', 8], ['i24', 'usd', 9]), fact('own:Debt', 'i24', 'usd', '123456789012345678901.000000001', 'decimals="INF"'));
my $shown = instance(@shown) =~ s/<xbrli:unit /@years<xbrli:unit /r;
my $heading = presented_arc('own_Heading', 'us-gaap_Assets', 'order="1" ' . preferred('periodStartLabel'));
my $rolled = join '', presented_arc('own_Heading', 'us-gaap_Assets', 'order="30" ' . preferred('periodEndLabel')), presented_arc('own_Heading', 'own_Ships', 'order="2.5" preferredLabel="http://www.xbrl.org/2009/role/negatedLabel"'), $heading,
    presented_arc('own_Heading', 'own_Debt', 'order="4" priority="1"'), presented_arc('own_Heading', 'own_Debt', 'order="4" use="prohibited" priority="2"');
my $by_kind = join '', presented_arc('own_Heading', 'own_KindAxis', 'order="1"'), presented_arc('own_KindAxis', 'own_KindDomain'), presented_arc('own_KindDomain', 'own_ShipsMember', 'order="2"'), presented_arc('own_KindDomain', 'own_DocksMember', 'order="1"'), presented_arc('own_Heading', 'own_Docks', 'order="2"'), presented_arc('own_Heading', 'own_Debt', 'order="3"');
my $pre = presentation(['Later', $rolled], ['Balance', $by_kind]);
my $defaults = "<link:linkbase $link><link:definitionLink xlink:type=\"extended\" xlink:role=\"http://own.example/role/Balance\">" . join('', map { loc($_) } qw(own_KindAxis own_KindDomain own_Lost)) . '<link:definitionArc xlink:type="arc" xlink:arcrole="http://xbrl.org/int/dim/arcrole/dimension-default" xlink:from="own_KindAxis" xlink:to="own_KindDomain"/></link:definitionLink></link:linkbase>';
my $words = "<link:linkbase $link><link:labelLink xlink:type=\"extended\">" . loc('us-gaap_Assets') . loc('own_Ships') . join('', map { "<link:labelArc xlink:type=\"arc\" xlink:from=\"$_\" xlink:to=\"$_.l\"/>" } qw(us-gaap_Assets own_Ships))
    . join('', map { "<link:label xlink:type=\"resource\" xlink:label=\"$_->[0]\" xlink:role=\"http://www.xbrl.org/$_->[1]\" xml:lang=\"en-US\">$_->[2]</link:label>" } ['us-gaap_Assets.l', '2003/role/label', 'Assets'], ['us-gaap_Assets.l', '2003/role/periodStartLabel', 'At the start'], ['us-gaap_Assets.l', '2003/role/periodEndLabel', 'At the end'], ['own_Ships.l', '2009/role/negatedLabel', 'Ships lost'], ['own_Ships.l', '2003/role/label', 'Ships']) . '</link:labelLink></link:linkbase>';
my %presented = ("$name.xml" => $shown, "${name}_pre.xml" => $pre, "${name}_def.xml" => $defaults, "${name}_lab.xml" => $words, "$name.xsd" => $schema);
my @balance = (' own:Heading ?', '- own:KindAxis ? on own:KindAxis', '-- own:KindDomain ? on own:KindAxis', '--- own:DocksMember ? on own:KindAxis', '--- own:ShipsMember ? on own:KindAxis',
    '- own:Docks ? /2024-03-31=9 USD /2024-03-31[own:KindAxis=own:ShipsMember]=7 USD', '- own:Debt ? /2024-03-31=123456789012345678901.000000001 USD');
my @later = (' own:Heading ?', '- us-gaap:Assets At the start periodStartLabel /2023-12-31=2 USD /2022-12-31=1 USD', '- own:Ships Ships lost negatedLabel negated 2024-01-01/2024-03-31=30 USD 2023-01-01/2023-12-31=20 USD', '- us-gaap:Assets At the end periodEndLabel /2024-03-31=3 USD /2023-12-31=2 USD');
clear();
like(imported(0, 'an instance with a presentation alone', '--known-at', '2024-05-01', folder_of('0000007618-24-000001', %presented)), qr/rejected 0/, '... is taken');
same_json(presented('0000007618-24-000001'), ['1 BALANCE SHEETS - YEAR ENDS statement 7', '2 Later ? 4'], 'statements are listed, those with a number in their definition first');
same_json(lines_of('0000007618-24-000001', 1), \@balance, 'numbers of members that are lines are shown, of others not');
same_json(lines_of('0000007618-24-000001', 2), \@later, 'a start is that of a period, an end its end; arcs are in their order, those that are prohibited left out');
my $csv = $site->get('/v1/filings/0000007618-24-000001/statements/2', headers => { Accept => 'text/csv' })->body;
is(($csv =~ /\A([^\r]*)\r\n(?:[^\r]*\r\n){2}([^\r]*)\r\n/) ? "$1 | $2" : $csv, 'concept,label,label_role,negated,depth,axis,values | own:Ships,Ships lost,negatedLabel,true,1,,"[{""unit"":""USD"",""start_date"":""2024-01-01"",""end_date"":""2024-03-31"",""dimensions"":[],""value"":30},{""unit"":""USD"",""start_date"":""2023-01-01"",""end_date"":""2023-12-31"",""dimensions"":[],""value"":20}]"', 'lines are served as CSV');
is(statements('0000007618-24-000001'), 404, 'there are no calculations of it');
is($site->value("SELECT count(*) FROM calculation_check WHERE accession = '0000007618-24-000001'"), 0, '... and none are checked');
same_json([map { my $as_of = $_; presented('0000007618-24-000001', "?as_of=$as_of"), lines_of('0000007618-24-000001', 1, "?as_of=$as_of") } '2024-04-30'], [404, 404], '... nothing is known before it is filed');
is(ref lines_of('0000007618-24-000001', 1, '?as_of=2024-05-03'), 'ARRAY', '... and all after');
for my $case ([3, 404, 'The filing has no statement "3".'], ['0', 422], ['1000000', 422], ['x', 422]) {
    my ($number, $status, $detail) = @$case;
    my $target = "/v1/filings/0000007618-24-000001/statements/$number";
    $detail ? problem_is($site->get($target), $status, "statement $number", instance => $target, detail => $detail) : is($site->get($target)->status, $status, "statement $number");
}
problem_is($site->get('/v1/filings/0000007618-24-000009/statements'), 404, 'no such filing', instance => '/v1/filings/0000007618-24-000009/statements', detail => 'There are no statements of a filing with the accession number "0000007618-24-000009".');

# What is by default is a line, or is not shown.
my @without_domain = ("${name}_pre.xml" => presentation(['Balance', $by_kind =~ s/<link:presentationArc[^>]*own_KindAxis" xlink:to="own_KindDomain"[^>]*>//r =~ s/from="own_KindDomain"/from="own_KindAxis"/gr]));
imported(0, 'an axis without its default', '--known-at', '2024-05-01', folder_of('0000007618-24-000002', %presented, @without_domain));
same_json([grep { /Docks \?|Debt/ } lines_of('0000007618-24-000002', 1)->@*], ['- own:Docks ? /2024-03-31[own:KindAxis=own:ShipsMember]=7 USD', '- own:Debt ?'], '... shows numbers of its lines alone');
imported(0, 'the same without definitions', '--known-at', '2024-05-01', folder_of('0000007618-24-000003', %presented, @without_domain, "${name}_def.xml" => "<link:linkbase $link/>"));
same_json([grep { /Docks \?/ } lines_of('0000007618-24-000003', 1)->@*], ['- own:Docks ? /2024-03-31=9 USD /2024-03-31[own:KindAxis=own:ShipsMember]=7 USD'], '... shows those of the whole as well');
imported(0, 'an axis without members', '--known-at', '2024-05-01', folder_of('0000007618-24-000004', %presented, "${name}_def.xml" => "<link:linkbase $link/>", "${name}_pre.xml" => presentation(['Balance', presented_arc('own_Heading', 'own_KindAxis'), presented_arc('own_Heading', 'own_Docks')])));
same_json([grep { /Docks \?/ } lines_of('0000007618-24-000004', 1)->@*], ['- own:Docks ? /2024-03-31=9 USD /2024-03-31[own:KindAxis=own:OtherMember]=8 USD /2024-03-31[own:KindAxis=own:ShipsMember]=7 USD'], '... shows those of any');

# The same filing again, with calculations, and told twice.
like(imported(0, 'calculations beside it', '--known-at', '2024-05-01', '--accession', '0000007618-24-000001', folder_of('beside', %presented, "${name}_cal.xml" => $calculations)), qr/superseded 1, rejected 0/, '... are a version of the record');
same_json(lines_of('0000007618-24-000001', 1), \@balance, '... with the same lines');
is(ref statements('0000007618-24-000001'), 'ARRAY', '... and calculations');
like(imported(0, 'it again', '--known-at', '2024-05-01', '--accession', '0000007618-24-000001', "$root/beside"), qr/stored 0, unchanged \d+, superseded 0, rejected 0/, '... changes nothing');

my $deep = join '', map { loc("own_N$_") . loc('own_N' . ($_ + 1)) . presented_arc("own_N$_", 'own_N' . ($_ + 1)) } 0 .. 70;
my $wide = loc('own_N21') . join '', map { my $from = $_; loc("own_N$from") . join '', map { presented_arc("own_N$from", 'own_N' . ($from + 1), "order=\"$_\"") } 1 .. 4 } 0 .. 20;
for my $case (['an arc that points nowhere', $pre =~ s/#own_Docks/#Docks/gr, qr/own-20240331_pre\.xml: rejected: line \d+: presentationArc: from or to names no element/], ['an order in words', $pre =~ s/order="2.5"/order="first"/r, qr/_pre\.xml: rejected: line \d+: presentationArc: order is no number/],
    ['an infinite order', $pre =~ s/order="2.5"/order="INF"/r, qr/presentationArc: order is no number/], ['a presentation that is cut', substr($pre, 0, 900), qr/own-20240331_pre\.xml: rejected: line \d+: not well-formed/], ['a role that is too long', $pre =~ s{role/Balance}{'role/' . 'B' x 512}er, qr/presentationLink: role is empty or longer than 512 characters/],
    ['a label\'s role that is too long', $pre =~ s{periodStartLabel}{'p' x 512}er, qr/preferredLabel is longer than 512 characters/], ['a circle', presentation(['Balance', $by_kind, presented_arc('own_Docks', 'own_Docks')]), qr/its presentation: rejected: http:\/\/own\.example\/role\/Balance presents elements below themselves, or more than 64 deep/],
    ['a circle that nothing leads to', presentation(['Balance', presented_arc('own_Docks', 'own_Debt'), presented_arc('own_Debt', 'own_Docks')]), qr/its presentation: rejected: \S+Balance presents elements below themselves/],
    ['a circle beside other lines', presentation(['Balance', $by_kind, map({ loc($_) } qw(own_N1 own_N2)), presented_arc('own_N1', 'own_N2'), presented_arc('own_N2', 'own_N1')]), qr/its presentation: rejected: \S+Balance presents elements below themselves/],
    ['more than 64 deep', presentation(['Balance', $deep]), qr/its presentation: rejected: \S+ presents elements below themselves, or more than 64 deep/], ['lines by the million', presentation(['Balance', $wide]), qr/its presentation: rejected: \S+: the filing presents more than 20000 lines/]) {
    my ($what, $text, $told) = @$case;
    state $made = 0;
    my $of = sprintf '0000007619-24-%06d', ++$made;
    like(imported(1, $what, '--verbose', '--known-at', '2024-05-01', folder_of($of, %presented, "${name}_cal.xml" => $calculations, "${name}_pre.xml" => $text)), $told, '... is told');
    is(presented($of), 404, '... and there are no statements');
    is(ref(statements($of)) . ref(facts($of)), 'ARRAYARRAY', '... but calculations and facts');
}
is(presented('0000007606-24-000001'), 404, 'a filing with calculations alone has no statements');

# What has more numbers on its lines than any filing would be slow to respond with.
my $repeated = presentation(['Balance', map { presented_arc('own_Heading', 'us-gaap_Assets', "order=\"$_\"") } 1 .. 200]);
my @of_years = map { context("p$_", 1800 + $_ . '-12-31') } 0 .. 100;
$said = imported(1, 'two hundred lines of a hundred numbers', '--verbose', '--known-at', '2024-05-01', folder_of('0000007618-24-000007', "$name.xml" => instance(map { fact('us-gaap:Assets', "p$_", 'usd', $_, 'decimals="0"') } 0 .. 100) =~ s/<xbrli:unit /@of_years<xbrli:unit /r, "${name}_pre.xml" => $repeated));
like($said, qr/its presentation: rejected: a statement has more than 20000 numbers on its lines/, '... is refused');
is(presented('0000007618-24-000007') . ' ' . facts('0000007618-24-000007')->@*, '404 101', '... and the facts are kept');

# Its table refuses what is no presentation, from whatever source.
my %told = (dataset => 'xbrl_linkbase', cik => '7618', known_at => '2024-05-01T00:00:00Z', form => '10-Q', filed_on => '2024-05-01', roles => [], parents => [], children => [], weights => [], provenance => { source_provider => 'sec', accession => '0000007618-24-000008' },
    presented_roles => ['urn:a'], line_statements => ['1', '1'], line_depths => ['0', '1'], line_concepts => ['own:A', 'own:B'], line_labels => ['A', ''], line_label_roles => ['', ''], line_axes => ['', '']);
for my $case ([{ line_statements => ['1', '2'] }, 'line_statements[1]: not the number of a statement'], [{ line_statements => ['0', '1'] }, 'line_statements[0]: not the number of a statement'], [{ line_depths => ['0', '-1'] }, 'line_depths[1]: not a depth of 0 to 99'], [{ line_concepts => ['own:A', 'B'] }, 'line_concepts[1]: not taxonomy:Name'],
    [{ line_axes => ['', 'Axis'] }, 'line_axes[1]: not taxonomy:Name'], [{ line_labels => ['A'] }, 'the columns of lines are not of one length'], [{ presented_roles => undef }, 'of presented_roles and the columns of lines some are missing'], [{ axes => ['own:KindAxis'] }, 'axes and axis_defaults are not of one length']) {
    my ($change, $fault) = @$case;
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--verbose', $site->write('told.ndjson', Disclosed::JSON->new->utf8->encode({ %told, %$change }) . "\n"));
    like("$code $out$err", qr/^1 .*\Q$fault\E/s, $fault);
}
is(($site->control('import', 'ndjson', $site->write('told.ndjson', Disclosed::JSON->new->utf8->encode(\%told) . "\n")))[0], 0, 'what is one is taken');
same_json(presented('0000007618-24-000008'), ['1 urn:a ? 2'], '... and listed');

# --- key figures ------------------------------------------------------------------------------

# Numbers with one axis of products, segments or regions, and those of the filer's own elements.
my $parts = join '', context(p => '2024-01-01..2024-03-31', explicit('srt:ProductOrServiceAxis', 'own:ShipsMember')), context(g => '2024-03-31', explicit('srt:StatementGeographicalAxis', 'own:NorthAmericaMember')), context(c => '2024-03-31', explicit('us-gaap:StatementClassOfStockAxis', 'own:ShipsMember'));
my @figures = (fact('us-gaap:SalesRevenueNet', 'p', 'usd', '41', 'decimals="0"'), fact('us-gaap:Revenues', 'p', 'usd', '40', 'decimals="0"'), fact('us-gaap:EarningsPerShareBasic', 'p', 'eps', '1.25', 'decimals="2"'),
    fact('us-gaap:NoncurrentAssets', 'g', 'usd', '7', 'decimals="0"'), fact('us-gaap:NoncurrentAssets', 'c', 'usd', '8', 'decimals="0"'), fact('us-gaap:Revenues', 'd', 'usd', '9', 'decimals="0"'), fact('own:ShipsInUseAtQ1End', 'i', 'ship', '12', 'decimals="INF"'), fact('own:FreeCashFlow', 'q', 'usd', '3', 'decimals="0"'), fact('us-gaap:Assets', 'i', 'usd', '5', 'decimals="0"'));
my $members = $labels =~ s{</link:labelLink>}{loc('own_ShipsMember') . '<link:labelArc xlink:type="arc" xlink:from="own_ShipsMember" xlink:to="m"/><link:label xlink:type="resource" xlink:label="m" xlink:role="http://www.xbrl.org/2003/role/label" xml:lang="en-US">Ships &amp; boats [Member]</link:label></link:labelLink>'}er;
clear();
$site->execute('TRUNCATE disclosed.kpi_observation, disclosed.kpi_metric');
$said = imported(0, 'an instance with numbers of parts', '--known-at', '2024-05-01', folder_of('0000007608-24-000001', "$name.xml" => instance(@figures) =~ s/<xbrli:unit /$parts<xbrli:unit /r, "${name}_lab.xml" => $members));
like($said, qr/5 key figures/, '... has key figures');
sub segments { return [sort map { my $row = $_; join '|', (map { $row->{$_} } qw(metric_key issuer_label dimension member tier source_type)), $row->{period}{start_date} // '-', $row->{period}{end_date}, $row->{value}{raw}, $row->{value}{unit} } json_of($site->get('/v1/companies/INST/segments'), 'segments')->{data}->@*] }
my $eps = 'eps_basic|Earnings Per Share Basic|product|Ships & boats|dimensioned|10-Q|2024-01-01|2024-03-31|1.25|USD_per_share';
# us-gaap:NoncurrentAssets are long-lived assets, and none of the dictionary's noncurrent assets.
same_json(segments(), [$eps, 'revenue|Revenues|product|Ships & boats|dimensioned|10-Q|2024-01-01|2024-03-31|40|USD', 'us_gaap_noncurrent_assets|Noncurrent Assets|region|North America|dimensioned|10-Q|-|2024-03-31|7|USD'],
    'numbers of products and regions, under the metric of the dictionary, the best element of it, or under their own');
my $kpis = json_of($site->get('/v1/companies/INST/kpis'), 'key figures');
same_json([sort grep { /ships|free/ } map { $_->{metric_key} } $kpis->{data}->@*], ['own_free_cash_flow', 'ships_in_use_at_q1_end'], 'elements of its own are key figures, of no metric of the dictionary');
my $series = json_of($site->get('/v1/companies/INST/kpis/ships_in_use_at_q1_end'), 'its series');
is("$series->{points}[0]{value}{raw} $series->{points}[0]{value}{unit} $series->{points}[0]{source_tier} $series->{points}[0]{sources}[0]", '12 Ship extracted 10-Q', '... with its point');
is(json_of($site->get('/v1/companies/INST/kpis/assets'), 'assets')->{points}[0]{value}{raw}, 5, 'canonical metrics are those of the whole company');
like(imported(0, 'it again', '--known-at', '2024-05-01', "$root/0000007608-24-000001"), qr/unchanged 6/, '... changes nothing');

# Numbers of a segment as one of the operating segments are the segment's; those that it has besides stand before them, in whatever order, and what is between segments is none's.
my ($segment, $consolidation, $quarter) = ('us-gaap:StatementBusinessSegmentsAxis', 'ConsolidationItemsAxis', '2024-01-01..2024-03-31');
my $operating = join '', context(o1 => $quarter, explicit("srt:$consolidation", 'us-gaap:OperatingSegmentsMember') . explicit($segment, 'own:NorthMember')), context(o2 => $quarter, explicit($segment, 'own:NorthMember')),
    context(o3 => $quarter, explicit($segment, 'own:SouthMember') . explicit("us-gaap:$consolidation", 'us-gaap:OperatingSegmentsMember')), context(o4 => $quarter, explicit("srt:$consolidation", 'us-gaap:IntersegmentEliminationMember') . explicit($segment, 'own:SouthMember')),
    context(o5 => $quarter, explicit("srt:$consolidation", 'us-gaap:OperatingSegmentsMember') . explicit('srt:ProductOrServiceAxis', 'own:ShipsMember')), context(o6 => $quarter, explicit("srt:$consolidation", 'us-gaap:OperatingSegmentsMember')),
    context(o7 => $quarter, explicit("srt:$consolidation", 'us-gaap:OperatingSegmentsMember') . explicit('srt:ProductOrServiceAxis', 'own:ShipsMember') . explicit($segment, 'own:NorthMember'));
my @of_segments = ((map { fact('us-gaap:Revenues', $_->[0], 'usd', $_->[1], 'decimals="0"') } [o1 => 50], [o3 => 31], [o4 => -5], [o5 => 3], [o6 => 81], [o7 => 2]), fact('us-gaap:SalesRevenueNet', 'o2', 'usd', '45', 'decimals="0"'), fact('us-gaap:OperatingIncomeLoss', 'o1', 'usd', '7', 'decimals="0"'));
for my $order ('as it is', 'the other way round') {
    clear();
    $site->execute('TRUNCATE disclosed.kpi_observation, disclosed.kpi_metric');
    imported(0, "numbers of operating segments, $order", '--known-at', '2024-05-01', folder_of('000000760' . ($order =~ /other/ ? 8 : 9) . '-24-000003', "$name.xml" => instance($order =~ /other/ ? reverse @of_segments : @of_segments) =~ s/<xbrli:unit /$operating<xbrli:unit /r));
    same_json(segments(), ['operating_income|Operating Income Loss|segment|North|dimensioned|10-Q|2024-01-01|2024-03-31|7|USD', 'revenue|Revenues|segment|South|dimensioned|10-Q|2024-01-01|2024-03-31|31|USD', 'revenue|Sales Revenue Net|segment|North|dimensioned|10-Q|2024-01-01|2024-03-31|45|USD'],
        '... are of their segments');
}
same_json([sort map { "$_->{axis} $_->{sub_row_label} $_->{value}{raw}" } map { ($_->{facts} // $_->{data})->@* } json_of($site->get('/api/disclosed/v1/canonical/INST?only_axis=StatementBusinessSegmentsAxis'), 'canonical numbers')], ["$segment North 45", "$segment North 7", "$segment South 31"], '... with their axis');
same_json([map { $_->{as_described} } $site->rows("SELECT as_described FROM kpi_observation WHERE metric_key = 'operating_income'")], ["us-gaap:OperatingIncomeLoss of $segment=own:NorthMember (us-gaap:OperatingSegmentsMember)"], '... and how they are told');

# Days with midnight in either spelling, another time, and a time zone: the day is the one that is written.
my @midnight = (['2024-03-31T24:00:00', '2024-03-31'], ['2024-04-01T00:00:00.000', '2024-03-31'], ['2024-03-01T00:00:00Z', '2024-02-29'], ['2024-03-31-05:00', '2024-03-31'], ['2024-03-31Z', '2024-03-31'],
    ['2023-12-31T24:00:00..2024-03-31+01:00', '2024-01-01/2024-03-31'], ['2024-01-01T00:00:00..2024-03-31T24:00:00.0Z', '2024-01-01/2024-03-31'], ['2024-03-31T12:00:00', '2024-03-31'], ['2024-01-01T12:21:45..2024-03-31T03:00:00', '2024-01-01/2024-03-31'], ['2024-03-31T24:00:01', undef], ['2024-03-31T25:00:00', undef], ['2024-03-31T1:00:00', undef], ['2024-03-31T00:61:00', undef], ['2024-04-01T00:00:00x', undef], ['2024-03-31-5:00', undef], ['9999-12-31T24:00:00..9999-12-31', undef]);
my $midnights = join '', map { context("mid$_" => $midnight[$_][0]) } 0 .. $#midnight;
clear();
imported(1, 'times of midnight', '--known-at', '2024-05-01', folder_of('0000007610-24-000001', "$name.xml" => instance(map { fact("own:At$_", "mid$_", 'usd', $_, 'decimals="0"') } 0 .. $#midnight) =~ s/<xbrli:unit /$midnights<xbrli:unit /r));
same_json([sort map { my ($concept, undef, $start, $end) = split /\|/; "$concept $start $end" } facts('0000007610-24-000001')->@*], [sort map { my ($start, $end) = ($midnight[$_][1] // next) =~ m{(?:(.*)/)?(.*)}; "own:At$_ " . ($start // '-') . " $end" } grep { $midnight[$_][1] } 0 .. $#midnight], '... are days');

# An instance with a name of the user's own, which no other file of its folder stands for; linkbases with a date beside an instance without one.
my $own_name = folder_of('0000007611-24-000001', "$name.xml" => instance(fact('us-gaap:Assets', 'i', 'usd', '5', 'decimals="0"')), 'mine.2024.xml' => instance(fact('us-gaap:Assets', 'i', 'usd', '6', 'decimals="0"')), 'other.xml' => '<report/>');
clear();
imported(0, 'an instance with a name of its own', '--known-at', '2024-05-01', '--accession', '0000007611-24-000002', "$own_name/mine.2024.xml");
same_json(facts('0000007611-24-000002'), ['us-gaap:Assets|USD|-|2024-03-31|6|0'], '... is read as it is named');
like(imported(1, 'another XML file', '--known-at', '2024-05-01', '--accession', '0000007611-24-000002', "$own_name/other.xml"), qr/the root element is report, not xbrl/, '... is none, and that is said');
clear();
like(imported(0, 'linkbases with a date, an instance without', '--known-at', '2024-05-01', folder_of('0000007612-24-000001', 'Form10q_htm.xml' => instance(fact('us-gaap:Assets', 'i', 'usd', '5', 'decimals="0"')), "${name}_lab.xml" => $members, "$name.xsd" => '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>')),
    qr/^2 files were read together with others\ntotal of 1 files, 0 failed/m, '... are read with it');

my $folders = 0;
# Of two elements of a metric that stands which the whole company's number has, so that its parts add up to it.
for my $case (['us-gaap:Revenues', 50], ['us-gaap:SalesRevenueNet', 45], ['us-gaap:Revenues and us-gaap:SalesRevenueNet', 50]) {
    my ($elements, $north) = @$case;
    my @all = (@of_segments, map { fact($_, 'q', 'usd', $_ =~ /Net/ ? 79 : 81, 'decimals="0"') } split / and /, $elements);
    for my $order ('as it is', 'the other way round') {
        clear();
        $site->execute('TRUNCATE disclosed.kpi_observation, disclosed.kpi_metric');
        my $number = sprintf '00000076%02d-24-000004', 20 + $folders++;
        imported(0, "a total of $elements, $order", '--known-at', '2024-05-01', folder_of($number, "$name.xml" => instance($order =~ /other/ ? reverse @all : @all) =~ s/<xbrli:unit /$operating<xbrli:unit /r));
        is(join(' ', grep { /^revenue\|.*North/ } segments()->@*) =~ s/.*\|(\d+)\|USD$/$1/r, $north, '... the segment has its element');
    }
}

# What is another number is not lost for a key figure that has its name: translations into another currency, and members of one label.
my $others = $parts . context(o => '2024-01-01..2024-03-31', explicit('srt:ProductOrServiceAxis', 'own:BoatsMember'));
my $doubled = $members =~ s{</link:labelLink>}{loc('own_BoatsMember') . '<link:labelArc xlink:type="arc" xlink:from="own_BoatsMember" xlink:to="m"/></link:labelLink>'}er;
my @twice = (fact('us-gaap:Revenues', 'p', 'usd', '40', 'decimals="0"'), fact('us-gaap:Revenues', 'p', 'cny', '280', 'decimals="0"'), fact('us-gaap:Revenues', 'o', 'usd', '3', 'decimals="0"'),
    fact('us-gaap:EarningsPerShareBasic', 'p', 'cnyeps', '8.75', 'decimals="2"'), fact('us-gaap:EarningsPerShareBasic', 'p', 'eps', '1.25', 'decimals="2"'), fact('us-gaap:Assets', 'i', 'usd', '5', 'decimals="0"'));
my $currency = '<xbrli:unit id="cny"><xbrli:measure>iso4217:CNY</xbrli:measure></xbrli:unit><xbrli:unit id="cnyeps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:CNY</xbrli:measure></xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>';
my @kept = ('eps_basic_cny|Earnings Per Share Basic|product|Ships & boats (own:ShipsMember)|dimensioned|10-Q|2024-01-01|2024-03-31|8.75|CNY_per_share', 'eps_basic|Earnings Per Share Basic|product|Ships & boats (own:ShipsMember)|dimensioned|10-Q|2024-01-01|2024-03-31|1.25|USD_per_share',
    'revenue_cny|Revenues|product|Ships & boats (own:ShipsMember)|dimensioned|10-Q|2024-01-01|2024-03-31|280|CNY', 'revenue|Revenues|product|Ships & boats (own:BoatsMember)|dimensioned|10-Q|2024-01-01|2024-03-31|3|USD', 'revenue|Revenues|product|Ships & boats (own:ShipsMember)|dimensioned|10-Q|2024-01-01|2024-03-31|40|USD');
for my $order ('as it is', 'the other way round') {
    clear();
    $site->execute('TRUNCATE disclosed.kpi_observation, disclosed.kpi_metric');
    imported(0, "two currencies and members of one label, $order", '--known-at', '2024-05-01', folder_of('000000760' . ($order =~ /other/ ? 8 : 9) . '-24-000002', "$name.xml" => instance($order =~ /other/ ? reverse @twice : @twice) =~ s/<xbrli:unit /$others$currency<xbrli:unit /r, "${name}_lab.xml" => $doubled));
    same_json(segments(), \@kept, '... each is a number of its own');
}
my $canonical = json_of($site->get('/api/disclosed/v1/canonical/INST?canonical=revenue'), 'canonical numbers');
same_json([sort map { my $fact = $_; join ' ', (map { $fact->{$_} // '-' } qw(dimension axis)), map { $fact->{value}{$_} } qw(raw unit) } ($canonical->{facts} // $canonical->{data})->@*], ['product srt:ProductOrServiceAxis 280 CNY', 'product srt:ProductOrServiceAxis 3 USD', 'product srt:ProductOrServiceAxis 40 USD'], '... under the metric of the dictionary');

# --- inline -----------------------------------------------------------------------------------

sub inline
{
    my (@facts) = @_;
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:ix=\"http://www.xbrl.org/2013/inlineXBRL\" xmlns:ixt=\"http://www.xbrl.org/inlineXBRL/transformation/2020-02-12\" xmlns:ixt-sec=\"http://www.sec.gov/inlineXBRL/transformation/2015-08-31\" $declared><head><title>x</title></head><body>"
        . '<ix:header><ix:hidden>' . join('', map { my ($concept, $context, $text) = /^<([\w:]+) contextRef="(\w+)">(.*)</; "<ix:nonNumeric name=\"$concept\" contextRef=\"$context\">$text</ix:nonNumeric>" } @own) . "</ix:hidden><ix:resources>$contexts$units</ix:resources></ix:header>\n" . join("\n", map { "<p>$_</p>" } @facts) . "\n</body></html>\n";
}
sub number { my ($concept, $text, %more) = @_; my %all = (name => $concept, contextRef => 'i', unitRef => 'usd', decimals => 0, %more); return '<ix:nonFraction ' . join(' ', map { "$_=\"$all{$_}\"" } grep { defined $all{$_} } sort keys %all) . ">$text</ix:nonFraction>" }
my @numbers = (
    [number('own:A', '1,250', format => 'ixt:num-dot-decimal', scale => 3, decimals => -3), 1250000], [number('own:B', '1.234,5', format => 'ixt:num-comma-decimal'), '1234.5'], [number('own:C', '—', format => 'ixt:fixed-zero'), 0],
    [number('own:D', '-', format => 'ixt:zerodash', scale => 6), 0], [number('own:E', 'twenty-one', format => 'ixt-sec:numwordsen'), 21], [number('own:F', 'two hundred and five thousand', format => 'ixt-sec:numwordsen'), 205000],
    [number('own:G', '5.25', sign => '-', scale => -2), '-0.0525'], [number('own:H', '<span>1</span> 0<b>0</b>', format => 'ixt:numdotdecimal'), 100], [number('own:I', '7<ix:exclude> pages</ix:exclude>'), 7],
    [number('own:J', number('own:K', '12', scale => 6), scale => 6), 12000000], ['', 12000000], [number('gaap:Assets', '1,0,0.0', format => 'ixt:numcommadot', scale => 30), '1' . '0' x 32], [number('own:L', '123456789012345678901234567890', scale => -31), '0.012345678901234567890123456789'],
    [number('own:M', "1\x{a0}000,5", format => 'ixt:numspacecomma'), '1000.5'], [number('own:N', "1'000.5", format => 'ixt:num-dot-decimal-apos'), '1000.5'], [number('own:O', '5', sign => undef, contextRef => 'd'), 5], [number('own:P', 'no', format => 'ixt-sec:numwordsen'), 0]);
my @not = (
    [number('own:NA', 'about 5'), 'not a number'], [number('own:NB', 'several', format => 'ixt-sec:numwordsen'), 'not a number of the format numwordsen'], [number('own:NC', '5', format => 'ixt:hieroglyphs'), 'the format hieroglyphs is not known'],
    [number('own:ND', '5', scale => '500'), 'scale: not an integer from -400 to 400'], [number('own:NE', '5', scale => 'x'), 'scale: not an integer from -400 to 400'], [number('own:NF', '5', sign => '+'), 'sign: can only be -'],
    [number('nobody:NG', '5'), 'name: missing, or of no namespace'], ['<ix:fraction name="own:NH" contextRef="i" unitRef="usd"><ix:numerator>1</ix:numerator><ix:denominator>3</ix:denominator></ix:fraction>', 'own:NH: a fraction, which is not read'], [number('own:NI', ''), 'not a number'], [number("own:N\x{2003}J", '5'), 'name: missing, or of no namespace']);
clear();
$said = imported(1, 'an inline document', '--verbose', '--known-at', '2024-05-01', folder_of('0000007605-24-000001', "$name.htm" => inline(map { $_->[0] } grep { $_->[0] } @numbers, @not), "${name}_lab.xml" => '<x/>'));
like($said, qr/\Q$_->[1]\E/, $_->[1]) for @not;
my %value = map { my @parts = split /\|/; ($parts[0] => $parts[4]) } facts('0000007605-24-000001')->@*;
my @names = map { $_->[0] =~ /name="([\w:]+)"/ ? $1 =~ s/^gaap/us-gaap/r : 'own:K' } @numbers;
is($value{ $names[$_] }, $numbers[$_][1], "$names[$_]: $numbers[$_][1]") for 0 .. $#numbers;
is(scalar keys %value, scalar @numbers, '... and no other');
$said = imported(0, 'a document in both forms', '--verbose', '--known-at', '2024-05-01', folder_of('0000007605-24-000002', "$name.htm" => inline(number('own:A', '1')), "${name}_htm.xml" => $document));
same_json(facts('0000007605-24-000002'), \@told, '... is read as the plain one');
like(imported(1, 'a page without XBRL', '--known-at', '2024-05-01', folder_of('0000007605-24-000003', "$name.htm" => '<html><body>text</body></html>')), qr/not inline XBRL: it names no namespace of inline XBRL/, '... is refused');
like(imported(1, 'a page that only declares it', '--known-at', '2024-05-01', folder_of('0000007605-24-000004', "$name.htm" => '<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body>text</body></html>')), qr/not inline XBRL: it has no context whose entity is a CIK/, '... is refused');

# --- full submissions -------------------------------------------------------------------------

# A submission as EDGAR stores it, of documents [type, name, text, tag that wraps it].
sub submission
{
    my ($of, $cik, @documents) = @_;
    my $header = "<SEC-DOCUMENT>$of.txt : 20240503\n<SEC-HEADER>$of.hdr.sgml : 20240503\n<ACCEPTANCE-DATETIME>20240503161530\nACCESSION NUMBER:\t\t$of\nCONFORMED SUBMISSION TYPE:\t10-Q\nPUBLIC DOCUMENT COUNT:\t\t" . @documents
        . "\nCONFORMED PERIOD OF REPORT:\t20240331\nFILED AS OF DATE:\t\t20240503\nDATE AS OF CHANGE:\t\t20240503\n\nFILER:\n\n\tCOMPANY DATA:\t\n\t\tCOMPANY CONFORMED NAME:\t\t\tINSTANCES & CO.\n\t\tCENTRAL INDEX KEY:\t\t\t" . sprintf('%010d', $cik) . "\n</SEC-HEADER>\n";
    my $sequence = 0;
    return $header . join('', map { my ($type, $file, $text, $tag) = @$_; $sequence++; utf8::encode($text) if utf8::is_utf8($text);
        "<DOCUMENT>\n<TYPE>$type\n<SEQUENCE>$sequence\n<FILENAME>$file\n<DESCRIPTION>$type\n<TEXT>\n" . ($tag ? "<$tag>\n$text\n</$tag>" : $text) . "\n</TEXT>\n</DOCUMENT>\n" } @documents) . "</SEC-DOCUMENT>\n";
}
sub submitted { my ($of, $text) = @_; return $site->write("$of.txt", $text) }
my @linked = (['10-Q', "$name.htm", inline(number('own:A', '1')), 'XBRL'], ['EX-101.SCH', "$name.xsd", $schema, 'XBRL'], ['EX-101.CAL', "${name}_cal.xml", $calculations, 'XBRL'], ['EX-101.LAB', "${name}_lab.xml", $labels, 'XBRL'],
    ['GRAPHIC', 'logo.jpg', "begin 644 logo.jpg\n#0V%T\n`\nend"], ['XML', 'R1.htm', '<html><body>x</body></html>', 'XML'], ['XML', "${name}_htm.xml", instance(@sums), 'XML']);
clear();
my $of = '0000007601-24-000011';
$said = imported(0, 'a full submission', submitted($of, submission($of, 7601, @linked)));
like($said, qr/read 5, stored 5, unchanged 0, superseded 0, rejected 0/, '... makes a report, a linkbase and key figures');
is(join('|', @{ report($of) }{qw(form filed_on)}), '10-Q|2024-05-03', '... of the filing that its header is of');
is($site->get("/v1/filings/$of/facts?as_of=2024-05-03T20:15:29Z")->status . ' ' . $site->get("/v1/filings/$of/facts?as_of=2024-05-03T20:15:30Z")->status, '404 200', '... public from its acceptance');
same_json(statements($of), \@added, '... its statements are added up');
like(imported(0, 'the same documents in a folder', '--known-at', '2024-05-03', '--accession', $of, folder_of('unpacked', map { ($_->[1] => $_->[2]) } grep { $_->[1] =~ /^own/ } @linked)), qr/unchanged 5/, '... change nothing');
clear();
imported(0, 'an inline document in a submission', submitted($of, submission($of, 7601, ['10-Q', "$name.htm", inline(number('own:A', '1')), 'XBRL'])));
same_json(facts($of), ['own:A|USD|-|2024-03-31|1|0'], '... is read');
like(imported(0, 'a submission without XBRL', submitted('0000007601-24-000012', submission('0000007601-24-000012', 7601, ['10-Q', 'report.txt', 'A report.']))), qr/the filing has no XBRL/, '... is none of the importer');
my @refused = (['documents of a company that does not file it', submission('0000007601-24-000013', 7602, @linked), qr/header: CIK 7601, whose document own-20240331_htm\.xml is, does not file it/],
    ['a submission that is cut', substr(submission('0000007601-24-000013', 7601, @linked), 0, -200), qr/failed, nothing of it is stored/], ['no time of acceptance', submission('0000007601-24-000013', 7601, @linked) =~ s/20240503161530/20240503/r, qr/header: acceptance time "20240503" is not of the form YYYYMMDDHHMMSS/],
    ['an instance that is no XML', submission('0000007601-24-000013', 7601, ['10-Q', "$name.xml", '<html', 'XML']), qr/line 25: not well-formed/]);
like(imported(1, $_->[0], submitted('0000007601-24-000013', $_->[1])), $_->[2], '... is refused') for @refused;
like(imported(1, 'another filing on the command line', '--accession', '0000007601-24-000014', submitted($of, submission($of, 7601, @linked))), qr/header: it is filing 0000007601-24-000011, and --accession says 0000007601-24-000014/, '... is refused');

# --- real ones --------------------------------------------------------------------------------

# Numbers of an instance by regular expressions: a second reader, for these files alone.
sub numbers_of
{
    my ($text) = @_;
    my (%context, %unit, %prefix, %count);
    while ($text =~ m{xmlns:([\w-]+)="([^"]+)"}g) {
        my ($prefix, $uri) = ($1, $2);
        $prefix{$prefix} = $uri =~ m{^http://(?:fasb\.org|xbrl\.us|xbrl\.sec\.gov)/([\w-]+)/\d} ? $1 : $prefix;
    }
    my $named = sub { my ($text) = @_; my ($prefix, $local) = $text =~ /^\s*([\w-]+):(\S+)\s*\z/; return "$prefix{$prefix}:$local" };
    while ($text =~ m{<(?:\w+:)?context\b[^>]*\bid="([^"]+)"[^>]*>(.*?)</(?:\w+:)?context>}gs) {
        my ($id, $body) = ($1, $2);
        my ($instant) = $body =~ m{<(?:\w+:)?instant>\s*(\S+?)\s*<};
        my ($start) = $body =~ m{<(?:\w+:)?startDate>\s*(\S+?)\s*<};
        my ($end) = $body =~ m{<(?:\w+:)?endDate>\s*(\S+?)\s*<};
        my @dimensions;
        push @dimensions, $named->($1) . '=' . $named->($2) while $body =~ m{explicitMember[^>]*dimension="([^"]+)"[^>]*>([^<]+)<}g;
        push @dimensions, $named->($1) . "=$2" while $body =~ m{typedMember[^>]*dimension="([^"]+)"[^>]*>\s*<[^>]+>\s*([^<]*?)\s*<}g;
        $context{$id} = join '|', $start // '', $end // $instant, join ';', sort @dimensions;
    }
    while ($text =~ m{<(?:\w+:)?unit\b[^>]*\bid="([^"]+)"[^>]*>(.*?)</(?:\w+:)?unit>}gs) {
        my ($id, $body) = ($1, $2);
        $unit{$id} = join '/', map { s/.*://r } $body =~ m{<(?:\w+:)?measure>\s*(\S+?)\s*<}g;
    }
    while ($text =~ m{<([\w-]+:[\w.-]+)\s([^>]*\bcontextRef="([^"]+)"[^>]*)>([^<]*)</\1>}g) {
        my ($concept, $attributes, $context, $value) = ($1, $2, $3, $4);
        my ($unit) = $attributes =~ /\bunitRef="([^"]+)"/ or next;
        next if $attributes =~ /\bxsi:nil="true"/;
        my ($decimals) = $attributes =~ /\bdecimals="([^"]+)"/;
        $count{ join '|', $named->($concept), $unit{$unit}, $context{$context}, Math::BigFloat->new($value =~ s/\s//gr)->bstr }++;
    }
    return \%count;
}

SKIP: {
    require Math::BigFloat;
    my $real = shared_data('xbrl');
    diag 'NOT TESTED: real instances (DISCLOSED_SHARED)' if !$real;
    skip 'no real instances', 1 if !$real;
    my $number = 0;
    for my $path (sort glob "$real/*/*_htm.xml $real/*/????-????????.xml $real/*.xml") {
        my $of = sprintf '0000007699-26-%06d', ++$number;
        $said = imported(0, $path =~ s{.*/}{}r, '--known-at', '2026-01-01', '--accession', $of, $path);
        my $wanted = numbers_of(slurp($path));
        my %stored = map { (join('|', @$_{qw(concept unit starts ends dimension)}, Math::BigFloat->new($_->{amount})->bstr) => 1) } $site->rows("SELECT e.* FROM xbrl_report r CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, coalesce(r.dimensions, array_fill(''::text, ARRAY[cardinality(r.concepts)])), r.amounts) AS e(concept, unit, starts, ends, dimension, amount) WHERE accession = '$of'");
        my @lost = grep { !$stored{$_} } sort keys %$wanted;
        my @more = grep { !$wanted->{$_} } sort keys %stored;
        diag sprintf '%s: %d of %d numbers found again: %.2f %%', $path =~ s{.*/}{}r, keys(%$wanted) - @lost, scalar keys %$wanted, 100 * (keys(%$wanted) - @lost) / keys %$wanted;
        cmp_ok(scalar keys %$wanted, '>', 200, '... has numbers');
        same_json(\@lost, [], '... every one is found again');
        same_json(\@more, [], '... and there are no others');
        is(scalar report($of)->{facts}->@*, $site->value("SELECT cardinality(concepts) FROM xbrl_report WHERE accession = '$of'"), '... all are served');
    }
    is($number, 4, 'all of them');

    # Their statements add up, or the difference is flagged: here are those of which the number is not the sum.
    my %differs = ('us-gaap:Assets' => 4); # Tesla reports some assets of consolidated entities as parts alone
    for my $folder (sort glob "$real/*-10q-*") {
        my $of = sprintf '0000007699-26-%06d', ++$number;
        imported(0, $folder =~ s{.*/}{}r, '--known-at', '2026-01-01', '--accession', $of, $folder);
        my ($sums, $agreeing, %other) = (0, 0);
        for my $statement ($exact->decode($site->get("/v1/filings/$of/calculations")->body)->{data}[0]{statements}->@*) {
            for my $sum ($statement->{sums}->@*) {
                my $total = Math::BigFloat->new(0);
                $total += Math::BigFloat->new($_->{weight}) * $_->{value} for $sum->{children}->@*;
                is("$sum->{sum}", $total->bstr, "$sum->{concept} is added up") if $total != $sum->{sum};
                $sums++;
                if ($sum->{agrees}) { $agreeing++ } else { $other{ $sum->{concept} }++ }
            }
        }
        diag sprintf '%s: %d of %d sums agree', $folder =~ s{.*/}{}r, $agreeing, $sums;
        cmp_ok($sums, '>', 50, '... has sums');
        same_json(\%other, $folder =~ /tsla/ ? \%differs : {}, '... those that differ are flagged');

        # Each number stands on a line.
        my (%on_line, %label_of);
        for my $statement ($site->get("/v1/filings/$of/statements")->json->{data}[0]{statements}->@*) {
            for my $line ($exact->decode($site->get("/v1/filings/$of/statements/$statement->{number}")->body)->{lines}->@*) {
                push $label_of{ $statement->{role} }->@*, [@$line{qw(concept label label_role)}];
                $on_line{ join '|', $line->{concept}, $_->{unit}, $_->{start_date} // '', $_->{end_date}, "$_->{value}", map { "$_->{axis}=$_->{member}" } $_->{dimensions}->@* } = 1 for $line->{values}->@*;
            }
        }
        my @filed = map { my $fact = $_; join '|', (map { $fact->{$_} // '' } qw(concept unit start_date end_date)), "$fact->{value}", map { "$_->{axis}=$_->{member}" } $fact->{dimensions}->@* } report($of)->{facts}->@*;
        my @off = grep { !$on_line{$_} } @filed;
        diag sprintf '%s: %d of %d numbers stand on lines of %d statements', $folder =~ s{.*/}{}r, @filed - @off, scalar @filed, scalar keys %label_of;
        same_json(\@off, [], '... each does');

        # The SEC's own rendering has the same statements in the same order, and the same labels. Definitions of the SEC's roles are not in the filing.
        next if !-e "$folder/MetaLinks.json";
        my ($rendered) = values Disclosed::JSON->new->utf8->decode(slurp("$folder/MetaLinks.json"))->{instance}->%*;
        my @order = grep { !m{^http://xbrl\.sec\.gov/} } map { $_->{role} } sort { $a->{order} <=> $b->{order} } values $rendered->{report}->%*;
        my %is_rendered = map { $_ => 1 } @order;
        same_json([grep { $is_rendered{$_} } map { $_->{role} } $site->get("/v1/filings/$of/statements")->json->{data}[0]{statements}->@*], \@order, '... statements are in the order of the rendering');
        my @wrong = grep { my ($concept, $label, $role) = @$_; my $labels = $rendered->{tag}{ $concept =~ s/:/_/r }{lang}{'en-us'}{role} // {}; ($labels->{ $role // 'label' } // $labels->{label} // '') ne ($label // '') } map { $_->@* } @label_of{@order};
        same_json(\@wrong, [], '... and have its labels');
    }

    # A real filing's documents as a submission, and submissions as they were filed, which have a cover page in XBRL alone.
    my ($apple) = glob "$real/aapl*";
    my @documents = map { my $file = s{.*/}{}r; [$file =~ /^aapl-\d+\.htm/ ? '10-Q' : 'XML', $file, slurp($_), 'XBRL'] } sort glob "$apple/aapl*";
    imported(0, 'a real filing as a submission', submitted('0000007699-26-000097', submission('0000007699-26-000097', 320193, @documents)));
    imported(0, '... and as a folder', '--known-at', '2026-01-01', '--accession', '0000007699-26-000096', $apple);
    same_json(facts('0000007699-26-000097'), facts('0000007699-26-000096'), '... has the same numbers');
    same_json(statements('0000007699-26-000097'), statements('0000007699-26-000096'), '... and the same sums');
    for my $path (sort glob shared_data('8k-ex99') . '/*.txt') {
        my $text = slurp($path);
        like(imported(0, $path =~ s{.*/}{}r, $path), $text =~ /_htm\.xml/ ? qr/read 0|read [1-9]/ : qr/the filing has no XBRL/, '... is taken');
    }

    # Both forms of one filing.
    my ($inline) = glob "$real/aapl*/aapl-*.htm";
    imported(0, 'an inline document', '--known-at', '2026-01-01', '--accession', '0000007699-26-000099', folder_of('inline', $inline =~ s{.*/}{}r => slurp($inline)));
    my ($plain) = glob "$real/aapl*/*_htm.xml";
    imported(0, 'its extracted instance', '--known-at', '2026-01-01', '--accession', '0000007699-26-000098', $plain);
    my ($left, $right) = map { facts($_) } '0000007699-26-000099', '0000007699-26-000098';
    is(scalar @$left, scalar @$right, 'both have as many numbers');
    same_json([map { s/\.?0+\|/|/r } @$left], [map { s/\.?0+\|/|/r } @$right], '... the same');
}
finish();

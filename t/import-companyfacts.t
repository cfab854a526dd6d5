# Numbers of filings in XBRL: EDGAR's companyfacts files. Every fact of every file is found again in its filing, to the last digit;
# what is damaged is rejected with its place; a second load changes nothing, and when a filing is known to be public its numbers are.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Test 'without_cache';
use IO::Uncompress::Gunzip qw(gunzip);
use Disclosed::JSON ();

promises(
    list_filing_facts => {
        parameters => [qw(accession concepts as_of)],
        fields     => [qw(id ticker? company_cik? accession form filed_on fiscal_year? fiscal_period? sources facts provenance)],
    },
);
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical->allow_nonref->allow_bignum;

sub import_file { my ($name, $text) = @_; return $site->control('import', 'sec-companyfacts', $site->write($name, $text)) }

sub reports { my ($accession, $query) = @_; return json_of($site->get("/v1/filings/$accession/facts" . ($query // '')), "facts of $accession")->{data} }

sub rejects { return {map { ($_->{place} => $_->{reason}) } $site->rows('SELECT place, reason FROM import_reject r JOIN import_run USING (import_run_id) WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)')} }

# A file with these facts, [taxonomy, name, unit, {members}], of a filer with this CIK.
my $cik = 7100;

sub fact { my (%members) = @_; return {end => '2024-03-31', val => 5, accn => '0000007100-24-000001', form => '10-Q', filed => '2024-05-01', fy => 2024, fp => 'Q1', %members} }

sub companyfacts
{
    my ($facts, %more) = @_;
    my %tree;
    push $tree{$_->[0]}{$_->[1]}{units}{$_->[2]}->@*, $_->[3] for @$facts;
    return $json->encode({cik => $cik, entityName => 'Numbers Inc.', facts => \%tree, %more});
}

# --- what is served -------------------------------------------------------------------------------

my $exact = '12345678901234567890.123456789';
my $text  = companyfacts([
    ['us-gaap', 'Assets', 'USD', fact(val => 777)],
    ['us-gaap', 'Revenues', 'USD', fact(start => '2024-01-01', val => 888)],
    ['us-gaap', 'Revenues', 'USD', fact(start => '2023-01-01', end => '2023-12-30', val => -1, accn => '0000007100-24-000002', form => '10-K', fy => 2023, fp => 'FY')],
    ['own', 'Ships', 'ship', fact(start => '2023-10-01', val => 3)],
]);
$text =~ s/777/$exact/;
$text =~ s/888/1E-9/;
my ($code, $out, $err) = import_file('CIK0000007100.json', $text);
is($code, 0, 'a file of two filings') or diag $out, $err;
like($out, qr/^new companies without a ticker, found by their CIK alone: 1 \(disclosedctl import sec-company-tickers loads tickers\)$/m, '... of a company that has no ticker yet');
is($site->value('SELECT message FROM import_run'), '4 facts, of which 4 are kept in 2 reports', '... says how many facts it has');
unlike((import_file('CIK0000007100.json', $text))[1], qr/without a ticker/, '... which is not told again');
is($json->decode(($site->control('import', 'sec-companyfacts', '--json', $site->write('CIK0000007100.json', $text)))[1])->{without_ticker}, 0, '... and is a number in JSON');
my $body = $site->get('/v1/filings/0000007100-24-000001/facts')->{body};
like($body, qr/"value":\Q$exact\E[,}]/, 'a number of 29 digits is served to the last one');
like($body, qr/"value":0\.000000001[,}]/, '... and one of a billionth');
my ($report) = reports('0000007100-24-000001')->@*;
is(join('|', @$report{qw(company_cik accession form filed_on fiscal_year fiscal_period)}), '0000007100|0000007100-24-000001|10-Q|2024-05-01|2024|Q1', 'what the filing says of itself');
same_json($report->{sources}, [{ source => 'companyfacts', src_id => $report->{provenance}{src_id} }], '... and where its facts are from');
same_json([map { [@$_{qw(concept unit start_date end_date kind calendar)}] } $report->{facts}->@*],
    [['own:Ships', 'ship', '2023-10-01', '2024-03-31', 'half', undef], ['us-gaap:Assets', 'USD', undef, '2024-03-31', 'instant', '2024Q1'],
        ['us-gaap:Revenues', 'USD', '2024-01-01', '2024-03-31', 'quarter', '2024Q1']], 'its facts');
is($report->{provenance}{source_url}, 'https://www.sec.gov/Archives/edgar/data/7100/000000710024000001/0000007100-24-000001-index.htm', '... with the filing as their source');
is(scalar reports('0000007100-24-000001', '?concepts=us-gaap:Assets')->[0]{facts}->@*, 1, 'facts of one element');
is(scalar reports('0000007100-24-000001', '?concepts=us-gaap:Assets&concepts=own:Ships')->[0]{facts}->@*, 2, '... of two');
is(scalar reports('0000007100-24-000001', '?concepts=us-gaap:Nothing')->[0]{facts}->@*, 0, '... of one that it does not have');
is(scalar reports('000000710024000001')->@*, 1, 'an accession number without dashes');
for my $accession ('0000007100-24-000009', 'x') {
    my $target = "/v1/filings/$accession/facts";
    problem_is($site->get($target), 404, $target, instance => $target, detail => "There are no XBRL facts of a filing with the accession number \"$accession\".");
}

# --- when it is public ----------------------------------------------------------------------------

sub as_of { my ($accession, $instant) = @_; return $site->get("/v1/filings/$accession/facts?as_of=$instant")->{status} }
is(as_of('0000007100-24-000001', '2024-05-01T20:00:00Z'), 404, 'before the end of the day of filing');
is(as_of('0000007100-24-000001', '2024-05-02T04:00:00Z'), 200, '... after it');
is((import_file('CIK0000007100.json', $text))[0], 0, 'the file again');
is($site->value('SELECT unchanged FROM import_run ORDER BY import_run_id DESC LIMIT 1'), 2, '... changes nothing');
my $filing = $json->encode({dataset => 'filing', cik => '7100', provenance => {source_provider => 'sec', accession => '0000007100-24-000001'}, form => '10-Q', filed_on => '2024-05-01', accepted_at => '2024-05-01T12:00:00Z', known_at => '2024-05-01T12:00:00Z'});
($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', "$filing\n"));
is($code, 0, 'the filing is loaded, accepted at noon') or diag $out, $err;
is(as_of('0000007100-24-000001', '2024-05-01T11:59:59Z'), 404, '... its numbers are not known before');
is(as_of('0000007100-24-000001', '2024-05-01T12:00:00Z'), 200, '... and known from then on');
is((import_file('CIK0000007100.json', $text))[0], 0, 'the file once more');
is($site->value('SELECT unchanged FROM import_run ORDER BY import_run_id DESC LIMIT 1'), 2, '... changes nothing');
is($site->value("SELECT count(*) FROM xbrl_report JOIN issuer USING (issuer_id) WHERE cik = 7100"), 2, '... and there are two reports');

# --- what is damaged ------------------------------------------------------------------------------

my $needs = 'a fact needs "accn", "end", "val", "form" and "filed"';
my @cases = (
    (map { [{$_ => undef}, $needs] } qw(accn end val form filed)),
    (map { [{$_ => 12}, "$_: not a text"] } qw(accn end form filed start fp)),
    (map { [{$_ => 'x'}, "$_: not a number"] } qw(val fy)),
    [{form => ''}, $needs],
    (map { [{accn => $_}, 'accn: not of the form 0000000000-00-000000'] } '', '1', '000000710024000001', '0000007100-24-0000010'),
    (map { my $name = $_; map { [{$name => $_}, "$name: not a date (YYYY-MM-DD)"] } '', '2024', '2024-13-01', '2024-02-30', '20240331', '2024-03-31T00:00:00Z' } qw(filed end start)),
    [{start => '2024-04-01'}, 'start: after "end"'],
);
$cik++;
my @facts = map { ['us-gaap', 'Assets', 'USD', fact(accn => '0000007100-24-000003', $_->[0]->%*)] } @cases;
push @facts, ['us-gaap', 'Assets', 'USD', fact(accn => '0000007100-24-000003')], ['us-gaap', 'Assets', 'USD', 'x'];
($code, $out, $err) = import_file('CIK0000007101.json', companyfacts(\@facts));
is($code, 1, 'a file with ' . @cases . ' faulty facts');
same_json(rejects(), {(map { ("facts.us-gaap.Assets.units.USD[$_]" => $cases[$_][1]) } keys @cases), 'facts.us-gaap.Assets.units.USD[' . (@cases + 1) . ']' => 'not an object'}, '... each is rejected with its place and reason');
is(scalar reports('0000007100-24-000003')->[0]{facts}->@*, 1, '... and the good one is kept');

# A fact that no report can have is left out alone: the others of its filing stay.
$cik = 7110;
my @odd = (accn => '0000007110-24-000001');
my $odd = companyfacts([['us-gaap', 'Assets', 'USD', fact(@odd)], ['us gaap', 'Assets', 'USD', fact(@odd)], ['', 'Assets', 'USD', fact(@odd)], ['us-gaap', 'As:sets', 'USD', fact(@odd)],
    ['us-gaap', '', 'USD', fact(@odd)], ['us-gaap', 'Revenues', '', fact(@odd)], ['us-gaap', "As\x{2003}sets", 'USD', fact(@odd)], ['us-gaap', 'N' x 257, 'USD', fact(@odd)], ['us-gaap', 'Revenues', 'U' x 257, fact(@odd)], (map { ['us-gaap', 'Liabilities', 'USD', fact(@odd, val => $_)] } 771, 772, 773),
    (map { ['us-gaap', 'Goodwill', 'USD', fact(@odd, fy => $_)] } 1, 10000, 775)]);
$odd =~ s/771/1e9999/;
$odd =~ s/772/1e-1000/;
$odd =~ s/773/1e999/;
$odd =~ s/775/2024.5/;
($code, $out, $err) = import_file('CIK0000007110.json', $odd);
is($code, 1, 'facts that no report can have');
my $name = 'not of the form taxonomy:Name, both names of XML';
my ($large, $many, $year) = ('val: too large or too long', 'val: an exponent of more than three digits', 'fy: not a year from 1900 to 9999');
my $rejected = rejects();
my @long = grep { /N{99}|U{99}/ } sort keys %$rejected;
same_json([map { delete $rejected->{$_} } @long], ['a name of more than 256 characters', 'the unit is longer than 256 characters'], '... names that are too long');
same_json($rejected, {'facts.us gaap.Assets.units.USD[0]' => $name, 'facts..Assets.units.USD[0]' => $name, 'facts.us-gaap.As:sets.units.USD[0]' => $name, 'facts.us-gaap..units.USD[0]' => $name,
    'facts.us-gaap.Revenues.units.[0]' => 'the unit is empty', "facts.us-gaap.As\x{2003}sets.units.USD[0]" => $name,
    'facts.us-gaap.Liabilities.units.USD[0]' => $large, 'facts.us-gaap.Liabilities.units.USD[1]' => $many, 'facts.us-gaap.Liabilities.units.USD[2]' => $large,
    map { ("facts.us-gaap.Goodwill.units.USD[$_]" => $year) } 0 .. 2}, '... are rejected one by one');
same_json([map { $_->{concept} } reports('0000007110-24-000001')->[0]{facts}->@*], ['us-gaap:Assets'], '... and the other is kept');
is($site->value('SELECT message FROM import_run ORDER BY import_run_id DESC LIMIT 1'), '15 facts, of which 1 are kept in 1 reports', '... as the run says');

$cik = 7102;
my @of_one = (accn => '0000007100-24-000004');
($code, $out, $err) = import_file('CIK0000007102.json', companyfacts([
    (map { ['us-gaap', 'Assets', 'USD', fact(@of_one, %$_)] } {}, {}, {val => 6}, {form => '10-Q/A'}, {filed => '2024-05-02'}, {fy => 2023}, {fp => undef}),
]));
is($code, 1, 'a filing that says two things of itself');
same_json(rejects(), {'facts.us-gaap.Assets.units.USD[1]' => 'the filing\'s same fact again', 'facts.us-gaap.Assets.units.USD[3]' => 'form: another than with the filing\'s facts before',
    'facts.us-gaap.Assets.units.USD[4]' => 'filed: another than with the filing\'s facts before', 'facts.us-gaap.Assets.units.USD[5]' => 'fy, fp: others than with the filing\'s facts before',
    'facts.us-gaap.Assets.units.USD[6]' => 'the filing\'s same fact again'}, '... each is rejected; what is not told agrees with all');
same_json([map { $_->{value} } reports('0000007100-24-000004')->[0]{facts}->@*], [5, 6], '... two values of one filing are both kept');

# The first fact does not tell the fiscal year: the others of its filing do.
$cik = 7105;
@of_one = (accn => '0000007105-24-000001');
($code, $out, $err) = import_file('CIK0000007105.json', companyfacts([map { ['us-gaap', $_->[0], 'USD', fact(@of_one, $_->@[1 .. $#$_])] } ['Assets', fy => undef, fp => undef], ['Cash', fp => undef], ['Goodwill'], ['Land', fy => undef]]));
is($code, 0, 'facts that do not tell their filing\'s year') or diag $out, $err;
my ($untold) = reports('0000007105-24-000001')->@*;
is(join('|', @$untold{qw(fiscal_year fiscal_period)}, scalar $untold->{facts}->@*), '2024|Q1|4', '... are kept beside those that do');

# Members that stand twice.
my $plain = companyfacts([['us-gaap', 'Assets', 'USD', fact(accn => '0000007106-24-000001')], ['us-gaap', 'Assets', 'EUR', fact(accn => '0000007106-24-000001')]], cik => 7106);
$cik = 7106;
for my $member (qw(accn end val form filed fy fp)) {
    my $twice = $plain =~ s/("$member":\s*(?:"[^"]*"|[\d.]+))/$1,$1/r;
    isnt($twice, $plain, "$member twice");
    ($code, $out, $err) = import_file('CIK0000007106.json', $twice);
    is($code, 1, '... is an error');
    same_json([values rejects()->%*], ["$member: it stands twice, and nobody knows which counts"], '... of its fact');
}
for my $case (['cik', qr/"cik":\s*\d+/], ['entityName', qr/"entityName":\s*"[^"]*"/], ['facts', qr/"facts":\s*(?<object>\{(?:[^{}]|(?&object))*\})/], ['facts.us-gaap', qr/"us-gaap":\s*(?<object>\{(?:[^{}]|(?&object))*\})/],
    ['facts.us-gaap.Assets', qr/"Assets":\s*(?<object>\{(?:[^{}]|(?&object))*\})/], ['us-gaap:Assets.units', qr/"units":\s*(?<object>\{(?:[^{}]|(?&object))*\})/], ['us-gaap:Assets.EUR', qr/"EUR":\s*\[[^\]]*\]/]) {
    my ($where, $member) = @$case;
    my ($found) = $plain =~ /($member)/;
    ($code, $out, $err) = import_file('CIK0000007106.json', $plain =~ s/\Q$found\E/$found,$found/r);
    is($code, 1, "$where twice");
    like("$out$err", qr/failed, nothing of it is stored: (?:the file\.)?\Q$where\E: it stands twice, and nobody knows which counts/, '... is refused');
}

$cik = 7103;
for my $case (['', qr/the file is empty/], [' ', qr/not a JSON object/], ['[]', qr/not a JSON object/], ['{}', qr/not a companyfacts file/], [companyfacts([]), qr/not a companyfacts file/],
    [companyfacts([['a', 'b', 'c', fact()]], cik => 'x'), qr/"cik" is not a number/], [companyfacts([['a', 'b', 'c', fact()]], cik => 0), qr/"cik" is not a number/],
    [companyfacts([['a', 'b', 'c', fact()]], entityName => ''), qr/there is no "entityName"/], [companyfacts([], facts => []), qr/facts: not an object/],
    [companyfacts([], facts => {dei => 1}), qr/facts\.dei: not an object/], [companyfacts([], facts => {dei => {a => {units => {b => {}}}}}), qr/facts\.dei\.a\.units\.b: not an array/],
    [substr($text, 0, length($text) / 2), qr/failed, nothing of it is stored/], ["$text x", qr/more text follows/], ["$text\0", qr/there is a NUL/])
{
    ($code, $out, $err) = import_file(sprintf('CIK%010d.json', $cik), $case->[0]);
    is($code, 1, 'refused: ' . substr($case->[0], 0, 60));
    like("$out$err", $case->[1], '... with the reason') or diag $out, $err;
}
is($site->value("SELECT count(*) FROM issuer WHERE cik = $cik"), 0, '... and nothing is stored');
is((import_file('CIK0000007104.json', companyfacts([['us-gaap', 'Assets', 'USD', fact(accn => '0000007104-24-000001')]], cik => '0000007104')))[0], 0, 'a CIK that is a text');
is($site->value('SELECT count(*) FROM issuer WHERE cik = 7104'), 1, '... is taken');

# --- real files -----------------------------------------------------------------------------------

# How the served value reads: without exponent and trailing zeros, as numbers of files have none.
sub digits { my ($number) = @_; return "$number" }

SKIP: {
    my @files = glob((shared_data('edgar-companyfacts') // skip("no real files: ../shared is absent", 1)) . '/CIK*.json.gz');
    my $whole = Disclosed::JSON->new->utf8->allow_bignum;
    my ($all, $found) = (0, 0);
    for my $path (@files) {
        ($code, $out, $err) = $site->control('import', 'sec-companyfacts', $path);
        is($code, 0, "imports $path") or diag $out, $err;
        my ($name) = $path =~ m{([^/]+)$};
        my %expected;
        gunzip($path => \my $bytes) or die "$path";
        my $file = $whole->decode($bytes);
        for my $taxonomy (keys $file->{facts}->%*) {
            for my $concept (keys $file->{facts}{$taxonomy}->%*) {
                my $units = $file->{facts}{$taxonomy}{$concept}{units};
                for my $unit (keys %$units) {
                    push $expected{$_->{accn}}->@*, join '|', "$taxonomy:$concept", $unit, $_->{start} // '', $_->{end}, digits($_->{val}) for $units->{$unit}->@*;
                }
            }
        }
        my ($facts, $here) = (0, 0);
        for my $accession (sort keys %expected) {
            my %served;
            for my $report (grep { $_->{company_cik} == $file->{cik} } $whole->decode($site->get("/v1/filings/$accession/facts")->{body})->{data}->@*) {
                $served{join '|', @$_{qw(concept unit)}, $_->{start_date} // '', $_->{end_date}, digits($_->{value})}++ for $report->{facts}->@*;
            }
            $facts += $expected{$accession}->@*;
            $here += grep { delete $served{$_} } $expected{$accession}->@*;
            is(scalar(keys %served), 0, "$accession: nothing is served that is not in the file") if %served;
        }
        is($here, $facts, "$name: each of $facts facts in " . keys(%expected) . ' filings is found again');
        ($all, $found) = ($all + $facts, $found + $here);
    }
    diag sprintf '%d of %d facts found again: %.2f %%', $found, $all, 100 * $found / $all;
}
finish();

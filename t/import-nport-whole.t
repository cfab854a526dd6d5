# A document of a fund's report is the whole of it: what an earlier one of its accession number had besides ends, and what belongs to a
# report that is rejected is rejected with it. Of two reports that became known at one instant the same stands, whichever is
# loaded first: one that was stored whole before one with rejected rows.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::NportSet qw(nport_set);
use Disclosed::Process qw(slurp);

my $site = site(template => 'empty');
my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('listing.ndjson',
    '{"dataset":"listing","cik":1000001,"ticker":"ABCD","market":"US","name":"Abcdale Works Inc","status":"active","isin":"US0378331005","known_at":"2015-01-01","provenance":{"source_provider":"sec"}}' . "\n"));
is($code, 0, 'a company') or diag $err;

# --- made files ----------------------------------------------------------------------------------

my %report = (form => 'NPORT-P', series => 'S000000001', signed => '2023-01-31', day => '2022-12-31', filed => '2023-02-27');

sub document
{
    my (%is) = (%report, @_);
    my $place = 0;
    my $holdings = join "\n", map { $place++; "<invstOrSec><name>Abcdale Works</name><lei>N/A</lei><title>Abcdale $place</title><cusip>000000000</cusip><identifiers><isin value=\"US0378331005\"/></identifiers>"
            . "<balance>$_</balance><units>NS</units><curCd>USD</curCd><valUSD>10</valUSD><pctVal>1</pctVal><payoffProfile>Long</payoffProfile><assetCat>EC</assetCat><issuerCat>CORP</issuerCat>"
            . '<invCountry>US</invCountry><isRestrictedSec>N</isRestrictedSec><fairValLevel>' . ($is{level} // 1) . '</fairValLevel></invstOrSec>' } $is{shares}->@*;
    my $signature = $is{signed} ? "<signature><dateSigned>$is{signed}</dateSigned></signature>" : '';
    return "<?xml version=\"1.0\"?>\n<edgarSubmission><headerData><submissionType>$is{form}</submissionType></headerData><formData><genInfo><regName>Whole Trust</regName><regFileNumber>811-1</regFileNumber>"
        . "<regCik>0009900021</regCik><regLei>N/A</regLei><seriesName>Whole Fund</seriesName><seriesId>$is{series}</seriesId><seriesLei>N/A</seriesLei><repPdEnd>2023-06-30</repPdEnd><repPdDate>$is{day}</repPdDate>"
        . "<isFinalFiling>N</isFinalFiling></genInfo><fundInfo><totAssets>1000</totAssets><totLiabs>0</totLiabs><netAssets>1000</netAssets></fundInfo><invstOrSecs>\n$holdings</invstOrSecs>$signature</formData></edgarSubmission>";
}

my $files = 0;

# The accession number of that number; each its file.
sub accession { my ($number) = @_; return sprintf '0009900021-23-%06d', $number }
sub file { my ($number, %is) = @_; mkdir "$site->{root}/" . ++$files; return $site->write("$files/" . accession($number) . '.xml', document(%is)) }

sub set
{
    my (@reports) = @_;
    my %tables = nport_set(sub { @_ }, map { my ($number, %is) = @$_; [accession($number), $is{filed} // $report{filed}, document(%is)] } @reports);
    mkdir "$site->{root}/" . ++$files;
    $site->write("$files/$_", $tables{$_}) for keys %tables;
    return "$site->{root}/$files";
}

sub imported
{
    my ($wanted, $name, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', 'sec-nport', @paths);
    is($code, $wanted, $name) or diag substr "$out$err", 0, 3000;
    return "$out$err";
}

sub clear
{
    $site->execute('TRUNCATE disclosed.fund, disclosed.fund_holding, disclosed.fund_class, disclosed.fund_exposure, disclosed.named_document');
    $site->execute("DELETE FROM disclosed.$_ WHERE dataset LIKE 'fund%'") for qw(dataset_stat dataset_issuer_stat);
    return;
}

# What is in force: the fund's reports, their numbers of holdings and shares, and what is derived of them.
sub in_force
{
    return join '; ', map { $_->{line} } $site->rows("SELECT concat_ws(' ', right(f.accession, 1), f.fund_key, f.holding_count, (SELECT string_agg(h.balance::text, '+' ORDER BY h.row_number) FROM fund_holding h
        WHERE h.issuer_id = f.issuer_id AND h.report_key = f.record_key AND h.superseded_at IS NULL), '=', (SELECT string_agg(trim_scale(e.shares)::text, ',') FROM fund_exposure e WHERE e.report_id = f.id AND e.superseded_at IS NULL)) AS line
        FROM fund f WHERE f.superseded_at IS NULL ORDER BY f.record_key");
}

sub counts_agree
{
    my ($name) = @_;
    is($site->value("SELECT string_agg(dataset || ' ' || record_count, ', ' ORDER BY dataset) FROM dataset_stat WHERE dataset IN ('fund', 'fund_holding', 'fund_exposure') AND record_count > 0") // '',
        $site->value("SELECT string_agg(dataset || ' ' || n, ', ' ORDER BY dataset) FROM (SELECT 'fund' AS dataset, count(*) AS n FROM fund WHERE superseded_at IS NULL UNION ALL SELECT 'fund_holding', count(*) FROM fund_holding WHERE superseded_at IS NULL
            UNION ALL SELECT 'fund_exposure', count(*) FROM fund_exposure WHERE superseded_at IS NULL) c WHERE n > 0") // '', $name);
    return;
}

# --- a report that is rejected takes its holdings along --------------------------------------------

my $said = imported(1, 'a report with a series that is none', file(1, series => 'S00000000199', shares => [100, 5000, 100]));
like($said, qr/genInfo: rejected: series_id: not S and nine digits: S00000000199|genInfo.*series_id: not S and nine digits/, '... is told');
like($said, qr/line 3: invstOrSec 2: rejected: its report is rejected|invstOrSec 2.*its report is rejected/, '... each holding as well');
like($said, qr/read 4, stored 0, unchanged 0, superseded 0, rejected 4\n/, '... and all are counted') or diag $said;
is($site->value('SELECT (SELECT count(*) FROM fund) + (SELECT count(*) FROM fund_holding) + (SELECT count(*) FROM named_document)'), 0, '... and nothing is stored');
imported(0, 'the right document', file(1, shares => [100]));
is(in_force(), '1 S000000001 1 100 = 100', '... alone counts');
$said = imported(1, 'a rejected one after it', file(1, series => 'S00000000199', shares => [7, 8]));
is(in_force(), '1 S000000001 1 100 = 100', '... leaves it as it is');

clear();
$said = imported(1, 'a data set with such a report', set([1, series => 'S00000000199', shares => [1, 2]], [2, shares => [3]]));
like($said, qr/read 5, stored 2, unchanged 0, superseded 0, rejected 3\n/, '... has its lines rejected') or diag $said;
is(in_force(), '2 S000000001 1 3 = 3', '... and the other report stored');
counts_agree('... and counted');

# --- a file is the whole of its report -------------------------------------------------------------

clear();
my @three = (file(1, shares => [100, 200, 300]), file(1, shares => [100]), file(1, shares => []));
imported(0, 'a document with three holdings', $three[0]);
is(in_force(), '1 S000000001 3 100+200+300 = 600', '... of which all count');
$said = imported(0, 'one of the same accession number with one', $three[1]);
is(in_force(), '1 S000000001 1 100 = 100', '... ends the others');
like($said, qr/read 2, stored 0, unchanged 2, superseded 2, rejected 0\n/, '... and says so') or diag $said;
unlike($said, qr/nothing has changed/, '... as that is something');
counts_agree('... and they are no longer counted');
like($site->value('SELECT message FROM import_run ORDER BY import_run_id DESC LIMIT 1'), qr/^1 holdings of 10 USD in all/, '... nor told of');
like(imported(0, 'it again', $three[1]), qr/nothing has changed/, '... changes nothing');
$said = imported(0, 'the first one again', $three[0]);
is(in_force(), '1 S000000001 3 100+200+300 = 600', '... has all again');
like($said, qr/read 4, stored 2, unchanged 2, superseded 0, rejected 0\n/, '... which counts as stored') or diag $said;
imported(0, 'one without holdings', $three[2]);
is(in_force(), '1 S000000001 0 =', '... has none');
imported(0, 'all at once', @three[0, 2, 1]);
is(in_force(), '1 S000000001 1 100 = 100', '... of which the last one counts');
is($site->value('SELECT count(*) FROM fund_holding WHERE superseded_at <> known_at'), 0, 'what was left out was in force at no time');
imported(1, 'a holding that is none', file(1, shares => [100, 'many', 300]));
is(in_force(), '1 S000000001 2 100+300 = 400', '... is none of the report\'s');
$said = imported(1, 'in place of one that was stored', file(1, shares => ['many', 200]));
is(in_force(), '1 S000000001 3 100+200+300 = 600', '... does not end it, nor one that the file lacks: it may be the one that cannot be read');
like($said, qr/read 3, stored 1, unchanged 1, superseded 0, rejected 1\n/, '... and what it has that had ended counts as stored') or diag $said;
imported(1, 'a holding that the table would refuse', file(1, shares => [100], level => 4));
is(in_force(), '1 S000000001 3 100+200+300 = 600', '... ends none');
counts_agree('... and they are counted');
imported(0, 'a document of another series', file(1, series => 'S000000002', shares => [100, 200, 300]));
is(in_force(), '1 S000000002 3 100+200+300 = 600', '... is the report of that series alone');

clear();
imported(0, 'a data set', set([1, shares => [100, 200, 300]], [2, series => 'S000000002', shares => [5, 6]]));
imported(0, 'one with less', set([1, shares => [100]], [2, series => 'S000000002', shares => [5, 6]]));
is(in_force(), '1 S000000001 1 100 = 100; 2 S000000002 2 5+6 = 11', '... ends what it lacks');
imported(0, 'a document', file(1, shares => [100, 200]));
is(in_force(), '1 S000000001 2 100+200 = 300; 2 S000000002 2 5+6 = 11', '... stands');
imported(0, 'the set', set([1, shares => [100, 200, 300]], [2, series => 'S000000002', shares => [5]]));
is(in_force(), '1 S000000001 2 100+200 = 300; 2 S000000002 1 5 = 5', '... does not change it');
counts_agree('numbers of rows are kept');

# A holding of a set that is rejected keeps those of its report alone; and those of a set stand where a document's is rejected.
clear();
imported(0, 'a data set', set([1, shares => [100, 200, 300]], [2, series => 'S000000002', shares => [5, 6]]));
$said = imported(1, 'a damaged one', set([1, shares => ['many', 201]], [2, series => 'S000000002', shares => [5]]));
is(in_force(), '1 S000000001 3 100+201+300 = 601; 2 S000000002 1 5 = 5', '... ends nothing of the report with a holding that is rejected');
for my $is ({ shares => [100, 'many', 400] }, { shares => [100], level => 4 }) {
    like(imported(1, 'a damaged document', file(1, %$is)), qr/failed, nothing of it is stored: holdings of it are rejected: those stand that a data set has of its report/, '... is refused');
    is(in_force(), '1 S000000001 3 100+201+300 = 601; 2 S000000002 1 5 = 5', '... and those of the set stand');
}
imported(0, 'a good one', file(1, shares => [100, 200]));
is(in_force(), '1 S000000001 2 100+200 = 300; 2 S000000002 1 5 = 5', '... replaces them');
counts_agree('... and all are counted');

# --- which of two reports stands -------------------------------------------------------------------

my @cases = (
    ['an amendment, though its accession number is less', [3, shares => [100]], [2, form => 'NPORT-P/A', shares => [150]], 2],
    ['an amendment, though it was signed earlier', [1, signed => '2023-02-20', shares => [100]], [2, form => 'NPORT-P/A', signed => '2023-01-31', shares => [150]], 2],
    ['what was signed last', [3, shares => [100]], [2, signed => '2023-02-01', shares => [150]], 2],
    ['the amendment that was signed last', [3, form => 'NPORT-P/A', shares => [100]], [2, form => 'NPORT-P/A', signed => '2023-02-01', shares => [150]], 2],
    ['the larger accession number', [1, shares => [100]], [2, shares => [150]], 2],
    ['the larger accession number, without signatures', [2, signed => '', shares => [150]], [1, signed => '', shares => [100]], 2],
);
for my $case (@cases) {
    my ($name, $one, $other, $stands) = @$case;
    my @paths = map { file(@$_) } $one, $other;
    for my $order ([0, 1], [1, 0]) {
        clear();
        imported(0, "reports of one instant, $_", $paths[$_]) for @$order;
        is(in_force(), "$stands S000000001 1 150 = 150", "... $name stands");
        is($site->value('SELECT count(DISTINCT known_at) FROM fund'), 1, '... of one instant');
    }
}
clear();
imported(0, 'a data set with reports of one day', set([1, form => 'NPORT-P/A', shares => [150]], [2, shares => [100]]));
is(in_force(), '1 S000000001 1 150 = 150', '... of which the amendment stands');

# --- reports of which rows are rejected ------------------------------------------------------------

# Copies without an accession number are reports of their own, named by what they say. The one that was stored whole stands, in every order and
# after every repeat, whichever name is the larger one; of two whole ones the same.
my %text = (good => document(shares => [100, 200, 300]), good2 => document(shares => [100, 200, 301]), worse => document(shares => ['many', 'some', 300]),
    map { ("bad$_" => document(shares => [100, "many$_", 300])) } 1 .. 4);
my %path = map { mkdir "$site->{root}/" . ++$files; ($_ => $site->write("$files/report.xml", $text{$_})) } keys %text;
my %sum = (good => '3 100+200+300 = 600', good2 => '3 100+200+301 = 601', worse => '1 300 = 300', map { ("bad$_" => '2 100+300 = 400') } 1 .. 4);
sub loaded { my ($which, $why) = @_; return imported($which =~ /good/ ? 0 : 1, "$why: $which", $path{$which}) }
my %name;
for my $which (sort keys %text) {
    clear();
    loaded($which, 'alone');
    $name{$which} = $site->value('SELECT record_key FROM fund');
    like($name{$which}, qr/^sha256:/, '... is named by what it says');
    is(in_force(), "S000000001 $sum{$which}", '... and stands');
}
my ($larger) = grep { $name{$_} gt $name{good} } map { "bad$_" } 1 .. 4;
my ($smaller) = grep { $name{$_} lt $name{good} } map { "bad$_" } 1 .. 4;
ok($larger && $smaller, 'damaged copies of a larger name and of a smaller one') or diag explain(\%name);
my ($last) = sort { $name{$b} cmp $name{$a} } qw(good good2);
my $told = qr/rows of the report are rejected: another report of the fund for 2022-12-31 stands, of which fewer are/;
for my $bad (grep { defined } $larger, $smaller, 'worse') {
    my @more = $bad eq $larger ? (['good', 'good', $bad], ['good', $bad, 'good2'], ['good2', $bad, 'good', $bad], [$bad, 'good', $bad, 'good2', 'good']) : ();
    for my $order (['good', $bad, 'good'], [$bad, 'good'], [$bad, 'good2', 'good', $bad], @more) {
        my ($stands, $said) = ((grep { $_ eq 'good2' } @$order) ? $last : 'good');
        clear();
        $said = loaded($_, "@$order") for @$order;
        is(in_force(), "S000000001 $sum{$stands}", "... $stands stands, which was stored whole");
        is($site->value("SELECT count(*) FROM (SELECT known_at FROM fund WHERE superseded_at IS DISTINCT FROM known_at UNION SELECT known_at FROM fund_holding WHERE superseded_at IS DISTINCT FROM known_at) t"), 1, '... since the instant of all');
        is($site->value("SELECT count(*) FROM fund_holding h JOIN fund f USING (issuer_id) WHERE f.record_key = h.report_key AND f.record_key <> '$name{$stands}' AND h.superseded_at IS DISTINCT FROM h.known_at"), 0, '... and nothing of another at any');
        counts_agree('... and is counted');
        $order->[-1] =~ /good/ ? unlike($said, $told, '... of which nothing is told') : like($said, $told, '... which is told');
        like(loaded($stands, 'again'), qr/nothing has changed/, '... and changes nothing');
        is(in_force(), "S000000001 $sum{$stands}", '... indeed');
    }
}
for my $order ([$larger, 'worse'], ['worse', $larger, 'worse']) {
    clear();
    loaded($_, "@$order") for @$order;
    is(in_force(), "S000000001 $sum{$larger}", '... the one of which fewer rows are rejected stands');
}

# A greater claim counts: a later signature, an amendment. Between reports of one claim with accession numbers the whole one stands; and a
# report is whole once a copy of it was.
my %bad = (shares => [100, 'many'], filed => '2023-02-27');
for my $case (['a damaged amendment', [[1, shares => [150]], [2, form => 'NPORT-P/A', %bad]], '2 S000000001 1 100 = 100'],
    ['a damaged one that was signed later', [[1, shares => [150]], [2, signed => '2023-02-01', %bad]], '2 S000000001 1 100 = 100'],
    ['a damaged one of the larger number', [[1, shares => [150]], [2, %bad]], '1 S000000001 1 150 = 150'],
    ['one of the larger number with a good copy', [[1, shares => [150]], [2, %bad], [2, shares => [100, 200]]], '2 S000000001 2 100+200 = 300'])
{
    my ($name, $reports, $stands) = @$case;
    my @paths = map { file(@$_) } @$reports;
    for my $order ([0 .. $#paths], [reverse 0 .. $#paths], [0 .. $#paths, 1]) {
        clear();
        imported($reports->[$_][0] == 2 && $_ == 1 ? 1 : 0, "$name, @$order: $_", $paths[$_]) for @$order;
        is(in_force(), $stands, '... comes to the same');
    }
}
clear();
imported(1, 'a data set with reports of one day', set([1, shares => [150]], [2, %bad]));
is(in_force(), '1 S000000001 1 150 = 150', '... of which the whole one stands');
imported(1, 'it again, with rows of both rejected', set([1, shares => [150, 'many']], [2, shares => [100, 'some', 'many']]));
is(in_force(), '1 S000000001 1 150 = 150', '... changes nothing');
imported(0, 'it again, with both whole', set([1, shares => [150]], [2, shares => [100, 200]]));
is(in_force(), '2 S000000001 2 100+200 = 300', '... has the one of the larger number');

# A holding has one ISIN.
my $two = document(shares => [100, 200]) =~ s/(<isin value="US0378331005"\/>)/$1<isin value="US5949181045"\/>/r;
clear();
like(imported(1, 'a holding with two ISINs', $site->write('two.xml', $two)), qr/invstOrSec 1: rejected: isin stands more than once|invstOrSec 1.*isin stands more than once/, '... is rejected');
is(in_force(), 'S000000001 1 200 = 200', '... and no other');

# --- what is stored by earlier versions ------------------------------------------------------------

sub by_sql { my (@statements) = @_; return $site->execute(join '; ', 'SET search_path = disclosed, public', @statements) }

# As they were left: nothing has ended that a later document lacked, holdings of a rejected report are there, the report that was loaded last stands.
clear();
imported(0, 'documents of one report', file(1, shares => [100, 200, 300]), file(1, shares => [150]));
imported(0, 'two of another fund', file(2, series => 'S000000002', form => 'NPORT-P/A', shares => [7]), file(3, series => 'S000000002', shares => [8]), file(4, series => 'S000000003', shares => [9, 9]));
my $stands = in_force();
by_sql('UPDATE fund_holding SET superseded_at = NULL, left_out = NULL WHERE left_out');
by_sql("UPDATE fund_holding SET report_key = replace(report_key, '000004', '000005'), record_key = replace(record_key, '000004/', '000005/') WHERE report_key LIKE '%4'");
by_sql("UPDATE fund SET superseded_at = known_at WHERE record_key LIKE '%2'", "UPDATE fund SET superseded_at = NULL WHERE record_key LIKE '%3'", "UPDATE fund SET settled_from = NULL");
by_sql('ALTER FUNCTION fund_timeline(bigint[]) RENAME TO timeline_now',
    'CREATE FUNCTION fund_timeline(issuers bigint[]) RETURNS TABLE (issuer_id bigint, row_id bigint, ends_at timestamptz) LANGUAGE sql STABLE AS $$ SELECT issuer_id, row_id, superseded_at FROM disclosed.fund $$',
    'SELECT reconcile_funds(ARRAY(SELECT issuer_id FROM fund))', 'DROP FUNCTION fund_timeline(bigint[])', 'ALTER FUNCTION timeline_now(bigint[]) RENAME TO fund_timeline');
is(in_force(), '1 S000000001 3 150+200+300 = 650; 3 S000000002 1 8 = 8; 4 S000000003 0 =', 'rows of earlier versions');
my ($migrated) = slurp("$FindBin::Bin/../sql/0096_whole_fund_reports.sql") =~ /^(DO \$\$.*)/ms;
by_sql($migrated =~ s/\bsettle_/reconcile_/gr); # as 0104_reconciling has called them
is(in_force(), $stands =~ s/; 4 .*/; 4 S000000003 0 =/r, '... are brought to what is stored now');
is($site->value("SELECT count(*) FROM fund_holding WHERE report_key LIKE '%5' AND superseded_at = known_at AND left_out"), 2, '... and holdings without a report end');
counts_agree('... and are not counted');
imported(0, 'the report of these', file(5, series => 'S000000003', shares => [9]));
like(in_force(), qr/; 5 S000000003 1 9 = 9\z/, '... has its own alone');

# Of copies without an accession number the larger name stood.
clear();
loaded($_, 'of an earlier version') for 'good', $larger;
by_sql('UPDATE fund SET rejected_rows = NULL', 'SELECT reconcile_funds(ARRAY(SELECT issuer_id FROM fund))');
is(in_force(), "S000000001 $sum{$larger}", 'a damaged copy stands that an earlier version has stored');
($migrated) = slurp("$FindBin::Bin/../sql/0114_damaged_copies.sql") =~ /^(DO \$\$.*?^END \$\$;)/ms;
by_sql($migrated);
is(in_force(), "S000000001 $sum{good}", '... and gives way to the good one');
counts_agree('... and is not counted');

finish();

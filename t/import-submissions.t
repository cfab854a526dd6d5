# EDGAR's submissions files that are damaged: each row is held to what such rows are, and what is not is rejected with its
# place, rule and sample. Nothing of a bad row counts, neither for the clock nor for when the issuer is known.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::ZipFile qw(write_zip);
use JSON::PP qw(encode_json);
use POSIX qw(strftime);

my $site = site(template => 'empty');
my $cik  = 4100;

my @names = qw(accessionNumber filingDate reportDate acceptanceDateTime form fileNumber items size primaryDocument primaryDocDescription);

# Rows of a file as EDGAR has them: three filings, the second one of which is the faulty one.
sub rows
{
    my ($own) = @_;
    return map { {
        accessionNumber => sprintf('%010d-24-%06d', $own, $_), filingDate => "2024-03-0$_", reportDate => '2024-02-29', acceptanceDateTime => "2024-03-0${_}T18:00:00.000Z",
        form => '8-K', fileNumber => '001-00001', items => '2.02,9.01', size => 1000 + $_, primaryDocument => 'a.htm', primaryDocDescription => '8-K' } } 1 .. 3;
}

sub submissions
{
    my ($own, $arrays, %more) = @_;
    return encode_json({cik => $own, name => "Damaged $own Inc.", sic => 7372, tickers => [], exchanges => [], formerNames => [], filings => {recent => $arrays, files => []}, %more});
}

sub arrays { my (@rows) = @_; return {map { my $name = $_; ($name => [map { $_->{$name} } @rows]) } @names} }

sub import_file
{
    my ($own, $text) = @_;
    my $path = $site->write(sprintf('CIK%010d.json', $own), $text);
    return $site->control('import', 'sec-submissions', $path);
}

# What is stored of a filer's filings, told by their size.
sub stored { my ($own) = @_; return $site->value("SELECT string_agg(size_bytes::text, ' ' ORDER BY size_bytes) FROM filing f JOIN issuer i USING (issuer_id) WHERE i.cik = $own") }

# --- one cell of one row ---------------------------------------------------------------------

my ($text, $whole) = ('is not a text', 'is not a whole number');
my ($date, $time, $empty) = ('is not a date (YYYY-MM-DD)', 'is not a date and time (YYYY-MM-DDTHH:MM:SS.000Z)', 'is empty');
my @cases = map { my $name = $_; map { [$name, $_, $name eq 'size' ? $whole : $text] } undef, JSON::PP::true, 1.5, [], {} } @names;
push @cases, map { [$_, 12, $text] } grep { $_ ne 'size' } @names;
push @cases, map { [$_, '', $empty] } qw(accessionNumber filingDate acceptanceDateTime form);
push @cases, ['size', '', $whole], ['size', '12', $whole], ['size', -1, 'is negative'];
push @cases, map { ['accessionNumber', $_, 'is not of the form 0000000000-00-000000'] } '1', '000004100-24-000001', '0000004100-24-0000010';
push @cases, map { ['filingDate', $_, $date] } '2024', '2024-13-01', '2024-02-30', '20240301', '2024-03-01T00:00:00Z', '-024-03-01', '2024-03-01 ', 'x';
push @cases, map { ['filingDate', $_, 'lies before 1980'] } '1013-03-01', '1962-03-01', '0001-01-01';
push @cases, map { ['filingDate', $_, 'lies in the future'] } '9999-12-31', '2924-03-01';
push @cases, map { ['reportDate', $_, $date] } '2024', '2024-13-01', '29 February 2024';
push @cases, ['reportDate', '0024-02-29', 'lies before 1900'], ['reportDate', '2099-01-01', 'lies in the future'];
push @cases, map { ['acceptanceDateTime', $_, $time] } '2024-03-02', '2024-03-02T18:00:00.000', '2024-03-02T25:00:00.000Z', '2024-03-02T18:00:00.000Zx', 'T', '2024-03-02T18:00:00+02:00';
push @cases, ['acceptanceDateTime', '1013-03-02T18:00:00.000Z', 'lies before 1980'], ['acceptanceDateTime', '9999-03-02T18:00:00.000Z', 'lies in the future'];

# All of them in one file, each with a good row after it.
my (@all, %expected);
for my $case (@cases) {
    my ($name, $value, $rule) = @$case;
    my ($good, $bad) = rows($cik);
    $_->[0]{accessionNumber} = sprintf '%010d-%d-%06d', $cik, $_->[1], scalar @all for [$bad, 23], [$good, 22];
    $bad->{$name} = $value;
    $expected{"filings.recent.$name\[" . @all . ']'} = "$rule: " . Disclosed::JSON->new->allow_nonref->canonical->encode($value);
    push @all, $bad, $good;
}
push @all, (rows($cik))[2];
my ($code, $out, $err) = import_file($cik, submissions($cik, arrays(@all)));
is($code, 1, 'a file with ' . @cases . ' faulty cells') or diag $out, $err;
my %rejects = map { ($_->{place} => "$_->{reason}: $_->{sample}") } $site->rows('SELECT place, reason, sample FROM import_reject');
same_json(\%rejects, \%expected, '... each is rejected with place, rule and sample');
is(stored($cik), join(' ', ('1001') x @cases, '1003'), '... and the rows around them are stored');
is($site->value("SELECT to_char(max(known_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') FROM issuer_profile p JOIN issuer i USING (issuer_id) WHERE i.cik = $cik"),
    '2024-03-03 18:00', '... the issuer is known as of the newest good filing');
$cik++;
cmp_ok(scalar @cases, '>=', 80, scalar(@cases) . ' faulty cells');

# What may be empty may be empty.
my @rows = rows($cik);
$rows[1]{$_} = '' for qw(reportDate fileNumber items primaryDocument primaryDocDescription);
is((import_file($cik, submissions($cik, arrays(@rows))))[0], 0, 'cells that may be empty');
is(stored($cik++), '1001 1002 1003', '... are stored');

# --- arrays that make no rows ----------------------------------------------------------------

for my $name (@names) {
    for my $case (['missing', sub { delete $_[0]{$name} }, 'there is no such array'], ['null', sub { $_[0]{$name} = undef }, 'there is no such array'],
        ['a text', sub { $_[0]{$name} = 'x' }, 'there is no such array'], ['an object', sub { $_[0]{$name} = {} }, 'there is no such array'],
        ['shorter', sub { pop $_[0]{$name}->@* }, qr/has \d entries where accessionNumber has \d/], ['longer', sub { push $_[0]{$name}->@*, 'x' }, qr/has \d entries where accessionNumber has \d/])
    {
        my ($what, $break, $rule) = @$case;
        my $arrays = arrays(rows($cik));
        $break->($arrays);
        my ($code, $out, $err) = import_file($cik, submissions($cik, $arrays));
        is($code, 1, "array $name $what");
        my $shown = ref $rule ? $rule : qr/\Q$rule\E/;
        like("$out$err", qr/failed, nothing of it is stored: .*$shown/, '... the file is refused') or diag $out, $err;
        is($site->value("SELECT count(*) FROM issuer WHERE cik = $cik"), 0, '... and nothing of it is stored');
        $cik++;
    }
}
for my $recent (undef, 'x', 1, [], {}) {
    my ($code, $out, $err) = import_file($cik, submissions($cik, $recent));
    is($code, 1, 'filings.recent is ' . Disclosed::JSON->new->allow_nonref->encode($recent));
    like("$out$err", qr/failed, nothing of it is stored/, '... the file is refused');
}
is((import_file($cik, submissions($cik, arrays())))[0], 0, 'a filer without filings');
$cik++;
my $odd = arrays(rows($cik));
$odd->{later} = [1, 2];
is((import_file($cik, submissions($cik, $odd)))[0], 1, 'an array that nobody knows, of another length: rows have shifted somewhere');
is((import_file($cik, submissions($cik, {arrays(rows($cik))->%*, later => [1, 2, 3]})))[0], 0, '... of the same length');
$cik++;

# --- one filing told of twice ----------------------------------------------------------------

my @twice = (rows($cik), {(rows($cik))[1]->%*});
is((import_file($cik, submissions($cik, arrays(@twice))))[0], 0, 'a row that stands twice');
is(stored($cik++), '1001 1002 1003', '... is one filing');
@twice = (rows($cik), {(rows($cik))[1]->%*, form => '10-K'});
($code, $out, $err) = import_file($cik, submissions($cik, arrays(@twice)));
is($code, 1, 'two rows that say different things of one filing');
like("$out$err", qr/accessionNumber\[$_\]: rejected: another row of the file says something else of the same filing/, "... row $_ is rejected") for 1, 3;
is(stored($cik++), '1001 1003', '... and neither is believed');

# --- the clock that a file does not tell -----------------------------------------------------

# Papers of office hours, which come through EDGAR at no time that its hours forbid.
my @papers = map { { (rows($cik))[0]->%*, form => 'REGDEX', accessionNumber => "9999999997-05-00000$_->[0]", filingDate => $_->[1], acceptanceDateTime => "$_->[2].000Z" } }
    [1, '2005-02-17', '2005-02-23T16:38:36'], [2, '2005-05-31', '2005-06-06T14:49:20'], [3, '2005-12-01', '2005-12-05T16:33:41'];
my $papers = $site->write('CIK0000009999-submissions-001.json', encode_json(arrays(@papers)));
my $accepted = sub { $site->value("SELECT to_char(accepted_at AT TIME ZONE 'UTC', 'HH24:MI') FROM filing WHERE accession = '9999999997-05-000001' AND superseded_at IS NULL") };
for my $case ([eastern => '21:38'], [utc => '16:38']) {
    my ($clock, $time) = @$case;
    $site->execute('DELETE FROM disclosed.filing WHERE issuer_id = (SELECT issuer_id FROM disclosed.issuer WHERE cik = 9999)');
    ($code, $out, $err) = $site->control('import', 'sec-submissions', '--clock', $clock, $papers);
    is("$code " . $accepted->(), "0 $time", "--clock $clock") or diag "$out$err";
    like($site->value('SELECT message FROM import_run ORDER BY import_run_id DESC LIMIT 1'), qr/ clock, as the command line says: /, '... and the run says where it has it from');
}
($code, $out, $err) = $site->control('import', 'sec-submissions', '--clock', 'local', $papers);
is($code, 2, 'there is no other clock');
like($err, qr/--clock takes utc or eastern/, '... and it is said');

# --- whose file it is ------------------------------------------------------------------------------

($code, $out, $err) = $site->control('import', 'sec-submissions', $site->write('CIK0000009998.json', submissions($cik, arrays(rows($cik)))));
like("$code $out$err", qr/^1 .*failed, nothing of it is stored: "cik" is 000000$cik, which contradicts the file's name\n/s, 'a file of one filer under the name of another is refused');
is(stored($cik), '', '... and nothing is stored');
is(($site->control('import', 'sec-submissions', $site->write('apple.json', submissions($cik, arrays(rows($cik))))))[0], 0, 'a name without a CIK says nothing');
# A meeting to come, half a year after its proxy statement.
$cik++;
my @proxy = ({ (rows($cik))[0]->%*, form => 'DEF 14A', filingDate => strftime('%Y-%m-%d', gmtime(time - 86400 * 3)), reportDate => strftime('%Y-%m-%d', gmtime(time + 86400 * 180)) });
$proxy[0]{acceptanceDateTime} = "$proxy[0]{filingDate}T18:00:00.000Z";
is((import_file($cik, submissions($cik, arrays(@proxy))))[0], 0, 'the day of a meeting in half a year');
is(stored($cik++), '1001', '... is taken');

# --- items -----------------------------------------------------------------------------------

for my $case (['2.02,9.01', '2.02', '9.01'], ['12,7', '12', '7'], ['9.01,2.02', '9.01', '2.02'], ['06b,3C,3C.7', '06b', '3C', '3C.7'], ['1.01', '1.01'],
    ['S-4,,2024-11-18 16:00:00', 'S-4,,2024-11-18 16:00:00'], [',,', ',,'], ['20190224,20190225', '20190224,20190225'],
    ['POS AM,0001104659-13-083650,2013-11-25', 'POS AM,0001104659-13-083650,2013-11-25'], ['2.02,', '2.02,'], ['2.02, 9.01', '2.02, 9.01'])
{
    my ($items, @expected) = @$case;
    my @rows = (rows($cik))[0];
    $rows[0]{items} = $items;
    is((import_file($cik, submissions($cik, arrays(@rows))))[0], 0, "items \"$items\"");
    same_json(json_of($site->get("/v1/filings/$rows[0]{accessionNumber}"), '... the filing')->{items}, \@expected, '... as the source has them');
    $cik++;
}

# --- a filer category in parts ----------------------------------------------------------------

for my $case (['Large accelerated filer<br>Emerging growth company', 'Large accelerated filer; Emerging growth company'], ['<br>Smaller<br><br>', 'Smaller'], ['<br>', ''], ['a<br>' x 100_000, 'too long']) {
    my ($category, $wanted) = @$case;
    $cik++;
    ($code, $out, $err) = import_file($cik, submissions($cik, arrays(rows($cik)), category => $category));
    my $said = substr $category, 0, 40;
    cmp_ok($code, '<', 2, "category $said") or diag substr "$out$err", 0, 1000;
    is($site->value("SELECT coalesce(max(filer_category), '') FROM issuer_profile c JOIN issuer i USING (issuer_id) WHERE i.cik = $cik"), $wanted, '... by its parts') if $wanted ne 'too long';
}

# --- an archive as it is -------------------------------------------------------------------------

# submissions.zip: each member is a file of its own, and one that is damaged fails alone.
my $first = $cik + 1;
my @members = map {
    my @rows = rows($_);
    ([sprintf('CIK%010d.json', $_), submissions($_, arrays($rows[0]))], [sprintf('CIK%010d-submissions-001.json', $_), encode_json(arrays($rows[1]))])
} $first .. $first + 11;
my $path = write_zip("$site->{root}/submissions.zip", @members + 2,
    sub { ((@members, [sprintf('CIK%010d.json', $first + 12), '{"cik":"1","name":"Cu'], ['placeholder.txt', 'x'])[$_[0]])->@* });
for my $run (['--jobs', 1], ['--jobs', 3]) {
    my $runs = $site->value('SELECT count(*) FROM import_run');
    ($code, $out, $err) = $site->control('import', 'sec-submissions', '--json', @$run, $path);
    my $told = Disclosed::JSON->new->utf8->decode($out);
    is("$code $told->{files} $told->{failed} $told->{skipped}", '1 25 1 1', "@$run: each member is a file") or diag $err;
    is($told->{failures}[0]{file} // "@{ $told->{failures} }", sprintf("$path:CIK%010d.json", $first + 12), '... and one fails alone') if ref $told->{failures}[0];
    is($site->value('SELECT count(*) FROM import_run') - $runs, 25, '... in a run of its own');
    is($site->value("SELECT count(DISTINCT i.cik) FROM filing f JOIN issuer i USING (issuer_id) WHERE i.cik BETWEEN $first AND $first + 12"), 12, '... and the others are stored');
    is($told->{stored}, 0, '... a second time nothing') if $run->[1] == 3;
}

finish();

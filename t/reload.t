# A file that is loaded again after another that says something else of the same instant, such as a damaged one, brings back what it says: what
# was loaded last counts. The same file twice changes nothing, and a folder of both comes to the same end each time.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use File::Temp qw(tempdir);

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';
my $folder = tempdir(CLEANUP => 1);

# Source => a seed of the fuzz program, its name, what the worse file has in place of what, options.
my %case = (
    'sec-companyfacts' => ['companyfacts/two-filings', 'CIK0000320193.json', qr/"val":\s*\d/, '"val":7'],
    'sec-submissions'  => ['submissions/rows', 'CIK0000320193.json', qr/"(primaryDocument)":\s*\["\K[^"]/, 'x'],
    'sec-submissions, its profile' => ['submissions/rows', 'CIK0000320193.json', qr/"sic": "\K3571/, '7372'],
    'xbrl-instance'    => ['instance/own', 'own-20240331.xml', qr/(?<=>)[1-9](?=\d{2,}<)/, '77', '--accession', '0000007601-24-000001', '--known-at', '2024-05-01'],
    'sec-filing'       => ['filing/8-k', '0000320193-24-000061.txt', qr/\bquarter\b/, 'quartet'],
    'sec-ownership'    => ['ownership/form4', '0000320193-24-000061.xml', qr/<transactionShares>\s*<value>\K\d/, '7'],
    'sec-beneficial-ownership' => ['beneficial/amendment-13d', '0000320193-24-000061.xml', qr/(?<=<aggregateAmountOwned>)\d/, '7'],
    'sec-nport'        => ['nport/report', '0000320193-24-000061.xml', qr/(?<=<balance>)\d/, '7'],
);
for my $name (sort keys %case) {
    my ($source) = $name =~ /^([^,]+)/;
    my ($seed, $file, $from, $to, @options) = $case{$name}->@*;
    my $good = slurp("$corpus/$seed");
    isnt(my $worse = $good =~ s/$from/$to/r, $good, "$name: the two files differ");
    my %path = (good => path_of($name, 'good', $file, $good), worse => path_of($name, 'worse', $file, $worse));
    my $site = site(template => 'empty', start => 0);
    my $load = sub { my ($step, @which) = @_; (my $code, my $out, my $err) = $site->control('import', $source, '--json', @options, map { $path{$_} } @which);
        is($code, 0, "$name: $step") or diag substr "$out$err", 0, 600; return $json->decode($out) };
    $load->('good', 'good'); my $expected = content($site);
    $load->('worse', 'worse');
    isnt(content($site), $expected, "$name: the worse file says something else");
    my $counts = $load->('good again', 'good');
    is(content($site), $expected, '... and the good one brings it back');
    cmp_ok($counts->{stored}, '>', 0, '... and says so');
    is($load->('the same again', 'good')->{stored}, 0, '... the same again changes nothing');
    is(content($site), $expected, '... indeed');
}

# Rows of one file that say different things of a record, of one filing, of two of one day, or of pages: the file again finds them all.
{
    my $site = site(template => 'empty', start => 0);
    my @rows = map { my ($metric, $number, %from) = @$_; { dataset => 'kpi_observation', cik => '9990000077', metric_key => $metric, issuer_label => 'Sales', as_described => 'Sales', unit => 'USD',
        basis => 'duration', start_date => '2024-01-01', end_date => '2024-03-31', source_type => '10-Q', value => $number, known_at => '2024-05-01T00:00:00Z',
        provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/report', %from } } } (
        (map { ['of_one_filing', $_, accession => '0009990000-24-000001'] } 1, 2, 1),
        (map { ['of_two_filings', $_, accession => "0009990000-24-00000$_"] } 1, 2, 1),
        (map { ['of_pages', $_, source_url => "https://issuer.example/$_"] } 1, 2, 1),
        (map { ['of_one_page', $_] } 1, 2, 1));
    my $path = $site->write('rows.ndjson', join '', map { $json->encode($_) . "\n" } @rows);
    for my $step (1 .. 3) {
        my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $path);
        is($code, 0, "rows that say different things, load $step") or diag $out, $err;
        my $counts = $json->decode($out);
        is("$counts->{read} $counts->{rejected}", '12 0', '... all are read');
        is($counts->{stored}, 0, '... the same again changes nothing') if $step > 1;
    }
}

sub path_of
{
    my ($source, $which, $name, $text) = @_;
    mkdir "$folder/$source"; mkdir "$folder/$source/$which";
    open my $file, '>:raw', "$folder/$source/$which/$name" or die $!;
    print $file $text; close $file;
    return "$folder/$source/$which/$name";
}

# What all datasets say now.
sub content
{
    my ($site) = @_;
    my @tables = map { $_->{table_name} } $site->rows("SELECT DISTINCT table_name FROM information_schema.columns c JOIN pg_tables p ON p.tablename = c.table_name AND p.schemaname = c.table_schema
        WHERE table_schema = 'disclosed' AND column_name = 'superseded_at' ORDER BY 1");
    return join "\n", map { my $table = $_; map { "$table $_->{line}" } $site->rows("SELECT (to_jsonb(t) - ARRAY['row_id', 'id', 'source_id', 'recorded_at', 'quote', 'src_digest'])::text AS line FROM disclosed.$table t WHERE superseded_at IS NULL ORDER BY 1") } @tables;
}

finish();

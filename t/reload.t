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

# A file is the whole of its filing: rows that another copy of it had besides are gone, and those that one lacked are back, whatever was loaded before. Source =>
# a seed, its name, how more and fewer rows are made of it, options.
my %whole = (
    'sec-ownership' => ['ownership/form4', '0000320193-24-000061.xml', sub { s/(<nonDerivativeTransaction>.*?<\/nonDerivativeTransaction>\n)/$1$1/s; s/(<nonDerivativeHolding>.*?<\/nonDerivativeHolding>)/$1$1/s },
        sub { s/<derivativeTable>.*<\/derivativeTable>//s; s/<nonDerivativeHolding>.*<\/nonDerivativeHolding>// }],
    'sec-beneficial-ownership' => ['beneficial/amendment-13d', '0000320193-24-000061.xml', sub { s/Ada Quill/Ada Quil/g },
        sub { s/<reportingPersonInfo><reportingPersonNoCIK>.*?<\/reportingPersonInfo>//s; s/<signaturePerson><signatureReportingPerson>Ada.*?<\/signaturePerson>//s }],
    'sec-13f' => ['13f/holdings', '0001951757-25-000093.txt', sub { s/(<infoTable>(?:(?!<infoTable>).)*EPS AG.*?<\/infoTable>\n)/$1$1/s },
        sub { s/<infoTable>(?:(?!<infoTable>).)*EPS AG.*?<\/infoTable>\n//s; s/<tableEntryTotal>5/<tableEntryTotal>4/ }],
    'sec-filing' => ['filing/8-k', '0000320193-24-000061.txt', sub { s/(<DOCUMENT>\n<TYPE>EX-99.1\n<SEQUENCE>)2(.*?<\/DOCUMENT>\n)/${1}2$2${1}3$2/s }, sub { s/<DOCUMENT>\n<TYPE>EX-99.1.*?<\/DOCUMENT>\n//s }],
    'xbrl-instance' => ['instance/own', 'own-20240331.xml', sub { s/(<\/xbrl>)/<own:Widgets contextRef="q" unitRef="usd" decimals="0">17<\/own:Widgets>$1/ },
        sub { s/<us-gaap:Assets contextRef="d".*?<\/us-gaap:Assets>// }, '--accession', '0000007601-24-000001', '--known-at', '2024-05-01'],
);
for my $source (sort keys %whole) {
    my ($seed, $file, $more, $fewer, @options) = $whole{$source}->@*;
    my %text = (good => slurp("$corpus/$seed"));
    for (['more', $more], ['fewer', $fewer]) {
        my ($name, $edit) = @$_;
        local $_ = $text{good};
        $edit->();
        isnt($text{$name} = $_, $text{good}, "$source: $name");
    }
    my %path = map { $_ => path_of("$source whole", $_, $file, $text{$_}) } keys %text;
    my $load = sub { my ($site, $which) = @_; my ($code, $out, $err) = $site->control('import', $source, '--json', @options, $path{$which});
        is($code, 0, "$source: $which") or diag substr "$out$err", 0, 600; return $json->decode($out) };
    my %fresh = map { $_ => site(template => 'empty', start => 0) } keys %text;
    my %expected = map { $load->($fresh{$_}, $_); ($_ => content($fresh{$_})) } sort keys %text;
    isnt($expected{$_}, $expected{good}, "$source: $_ rows") for 'more', 'fewer';
    my $site = $fresh{good};
    for my $which (qw(more fewer more good fewer good)) {
        my $counts = $load->($site, $which);
        is(content($site), $expected{$which}, '... stands as if it alone had been loaded');
        is($counts->{read}, $counts->{stored} + $counts->{unchanged} + $counts->{rejected}, '... each row is accounted for') or diag $json->encode($counts);
    }
    is($load->($site, 'good')->{stored}, 0, '... the same again changes nothing');
    is(content($site), $expected{good}, '... indeed');
    my ($code, $out, $err) = $site->control('import', $source, '--json', @options, @path{qw(good more)});
    is($code, 0, "$source: two copies in one run") or diag $out, $err;
    is(content($site), $expected{more}, '... the later one stands');
}

# A file with a row that is rejected may lack what it should have, and what others say of the filing is not its copy's: nothing of them ends.
{
    my $site = site(template => 'empty', start => 0);
    my $good = slurp("$corpus/ownership/form4");
    my $cut  = $good =~ s/<transactionCode>S/<transactionCode>?/r;
    my $count = 'SELECT count(*) FROM insider_transaction WHERE superseded_at IS NULL';
    my %line = (dataset => 'insider', cik => '9990000001', record_key => 'own/1', known_at => '2024-05-10T00:00:00Z', form => '4', filing_date => '2024-05-09', insider_name => 'Quill Ada B',
        relationship => 'Director', is_derivative => JSON::PP::false, transaction_type => 'purchase', provenance => { source_provider => 'sec', accession => '0000320193-24-000061' });
    is(($site->control('import', 'ndjson', $site->write('own.ndjson', $json->encode(\%line) . "\n")))[0], 0, 'NDJSON');
    my $others = $site->value($count);
    is($others, 1, 'a row of the filing that NDJSON has');
    my @path = map { path_of('rejected', $_->[0], '0000320193-24-000061.xml', $_->[1]) } ['good', $good], ['cut', $cut];
    is(($site->control('import', 'sec-ownership', $path[0]))[0], 0, 'the report');
    my $all = $site->value($count);
    is($all, $others + 4, '... is beside it');
    my ($code, $out) = $site->control('import', 'sec-ownership', '--json', $path[1]);
    is($json->decode($out)->{rejected}, 1, 'a copy with a row that is rejected');
    is($site->value($count), $all, '... ends none');
}

sub path_of
{
    my ($source, $which, $name, $text) = @_;
    mkdir "$folder/$source"; mkdir "$folder/$source/$which";
    open my $file, '>:raw', "$folder/$source/$which/$name" or die $!;
    print $file $text; close $file;
    return "$folder/$source/$which/$name";
}

# What all datasets say now, without numbers of their own. The size of a filing is that of its file that was loaded first.
sub content
{
    my ($site) = @_;
    my @tables = map { $_->{table_name} } $site->rows("SELECT DISTINCT table_name FROM information_schema.columns c JOIN pg_tables p ON p.tablename = c.table_name AND p.schemaname = c.table_schema
        WHERE table_schema = 'disclosed' AND column_name = 'superseded_at' ORDER BY 1");
    my $own = "ARRAY['row_id', 'id', 'record_id', 'event_id', 'source_id', 'recorded_at', 'created_at', 'quote', 'src_digest', 'size_bytes']";
    return join "\n", map { my $table = $_; map { "$table $_->{line}" =~ s/"earnings\/\d+"/"earnings"/r }
        $site->rows("SELECT (to_jsonb(t) - $own)::text AS line FROM disclosed.$table t WHERE superseded_at IS NULL ORDER BY 1") } @tables;
}

finish();

# A file is the whole of its filing: rows that another copy of it had besides are gone, and those that one lacked are back, whatever was loaded
# before.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# Source => a seed of the fuzz program, its name, how more and fewer rows are made of it, options.
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
    my ($code, $out, $err) = $site->control('import', $source, '--json', '--jobs', 1, @options, @path{qw(good more)});
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

# Sums of a manager's quarter follow what is left out of it, also where a load has new rows of another quarter alone.
{
    my $site = site(template => 'empty', start => 0);
    my $good = slurp("$corpus/13f/holdings");
    my $next = $good =~ s/0001951757-25-000093/0001951757-25-000094/gr =~ s/06-30-2024/09-30-2024/gr =~ s/20240630/20240930/gr =~ s/20240814/20241114/gr =~ s/08-13-2024/11-13-2024/gr;
    my $load = sub {
        my (@texts) = @_;
        my @path = map { path_of('quarters', scalar(@texts) . $_, $texts[$_] =~ /ACCESSION NUMBER:\s*(\S+)/ && "$1.txt", $texts[$_]) } 0 .. $#texts;
        my ($code, $out, $err) = $site->control('import', 'sec-13f', '--json', @path);
        is($code, 0, 'quarters of a manager') or diag $out, $err;
        return join ' ', map { $_->{entries_stored} } $site->rows('SELECT entries_stored FROM institution_report WHERE superseded_at IS NULL ORDER BY period_of_report');
    };
    my $more = $good;
    $whole{'sec-13f'}[2]->() for $more;
    is($load->($more, $next), '6 5', '... have their rows');
    is($load->($good, $next =~ s/<value>12000</<value>12001</r), '5 5', '... the first without a row, and the second with another number');
}

# A copy whose CIK is misread is of the same filing: nothing of the other company's or manager's stays.
my %misread = ('sec-13f' => ['13f/holdings', '0001951757-25-000093.txt', '0009990011', '0009990012'], 'sec-nport' => ['nport/report', '0000320193-24-000061.xml', '9990000014', '9990000777']);
for my $source (sort keys %misread) {
    my ($seed, $file, $from, $to) = $misread{$source}->@*;
    my $good = slurp("$corpus/$seed");
    my @path = (path_of("$source misread", 'good', $file, $good), path_of("$source misread", 'misread', $file, $good =~ s/$from(?!-)/$to/gr));
    my ($fresh, $site) = map { site(template => 'empty', start => 0) } 1 .. 2;
    is(($fresh->control('import', $source, $path[0]))[0], 0, "$source");
    my $whose = sub { my ($where) = @_; return content($where) =~ s/"issuer_id": \K\d+//gr };
    for my $step (1, 0) {
        my ($code, $out, $err) = $site->control('import', $source, $path[$step]);
        is($code, 0, "$source: " . ('good', 'of another CIK')[$step]) or diag $out, $err;
    }
    is($whose->($site), $whose->($fresh), '... is as if it alone had been loaded');
}

# A copy that gives a manager's report another quarter, and an amendment to the good one.
{
    my $good  = slurp("$corpus/13f/holdings");
    my $wrong = $good =~ s/06-30-2024/03-31-2024/gr =~ s/20240630/20240331/gr;
    my $added = $good =~ s/0001951757-25-000093/0001951757-25-000095/gr =~ s/13F-HR(?=[\n<])/13F-HR\/A/gr =~ s/20240814/20240820/gr
        =~ s/(<coverPage>.*?<\/reportCalendarOrQuarter>)/$1<isAmendment>true<\/isAmendment><amendmentNo>1<\/amendmentNo><amendmentInfo><amendmentType>NEW HOLDINGS<\/amendmentType><\/amendmentInfo>/sr;
    my %path = map { ($_->[0] => path_of('quarter', $_->[0], $_->[1], $_->[2])) } ['good', '0001951757-25-000093.txt', $good], ['wrong', '0001951757-25-000093.txt', $wrong], ['added', '0001951757-25-000095.txt', $added];
    my ($fresh, $site) = map { site(template => 'empty', start => 0) } 1 .. 2;
    my $load = sub { my ($where, @which) = @_; my ($code, $out, $err) = $where->control('import', 'sec-13f', @path{@which}); is($code, 0, "@which") or diag $out, $err };
    $load->($fresh, 'good', 'added');
    $load->($site, $_) for 'good', 'wrong', 'added', 'good';
    is(content($site), content($fresh), 'a report that another copy gave another quarter');
}

# What lies beside an instance is told by other files than its facts: a copy that lacks some of it, or says it otherwise, gives way to the good one; one that
# cannot be read takes nothing away. Key figures have the time of their filing, whichever is loaded first, and a data set, whose times are cut, its own once.
{
    my ($accession, %part) = '0000007601-24-000001';
    my $submission = slurp("$corpus/instance-submission/presented");
    $part{$1} = $2 while $submission =~ m{<FILENAME>(\S+)\n<TEXT>\n<XBRL>\n(.*?)\n?</XBRL>}gs;
    my $cal = 'own-20240331_cal.xml';
    my %copy = (good => $part{$cal}, cut => substr($part{$cal}, 0, -40), other => $part{$cal} =~ s/weight="1.0"/weight="-1.0"/r, none => undef);
    my $load = sub {
        my ($site, $which, $expected) = @_;
        my $path;
        for my $name (keys %part) {
            my $text = $name eq $cal ? $copy{$which} : $part{$name};
            $path = path_of('instance', $which, $name, $text) =~ s{/[^/]*$}{}r if defined $text;
        }
        my ($code, $out, $err) = $site->control('import', 'xbrl-instance', '--json', '--accession', $accession, '--known-at', '2024-05-03', $path);
        is($code, $expected // 0, "an instance, its calculations: $which") or diag $out, $err;
        return $json->decode($out);
    };
    my $site = site(template => 'empty', start => 0);
    $load->($site, 'good');
    my $good = content($site);
    for my $which (qw(other none)) {
        $load->($site, $which);
        isnt(content($site), $good, '... say something else');
        cmp_ok($load->($site, 'good')->{stored}, '>', 0, '... and the good ones are stored again');
        is(content($site), $good, '... as they were');
    }
    is($load->($site, 'good')->{stored}, 0, '... once');
    $load->($site, 'cut', 1);
    is(content($site), $good, 'calculations that cannot be read take nothing away');

    my $filing = $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => 7601, form => '10-Q', filed_on => '2024-05-03', accepted_at => '2024-05-03T20:15:30Z', known_at => '2024-05-03T20:15:30Z',
        period_of_report => '2024-03-31', provenance => { source_provider => 'sec', accession => $accession } }) . "\n");
    is(($site->control('import', 'ndjson', $filing))[0], 0, 'its filing');
    is($site->value("SELECT string_agg(DISTINCT (known_at AT TIME ZONE 'UTC')::text, ' ') FROM $_"), '2024-05-03 20:15:30', "... dates $_") for qw(xbrl_report kpi_observation kpi_metric);
    my $tsv = sub { return join '', map { join("\t", @$_) . "\n" } @_ };
    my %set = ('sub.txt' => $tsv->([qw(adsh cik name sic fye form period fy fp filed accepted prevrpt instance)], [$accession, 7601, 'OWN CO', 3711, '1231', '10-Q', '20240331', 2024, 'Q1', '20240503', '2024-05-03 16:15:00.0', 0, 'own-20240331.xml']),
        'num.txt' => $tsv->([qw(adsh tag version ddate qtrs uom segments coreg value footnote)], [$accession, 'Goodwill', 'us-gaap/2024', '20240331', 0, 'USD', '', '', '8.0000', '']), 'tag.txt' => "tag\tversion\tdatatype\nAssets\tus-gaap/2024\tmonetary\nGoodwill\tus-gaap/2024\tmonetary\n", 'pre.txt' => "adsh\treport\n");
    my ($folder) = map { s{/[^/]*$}{}r } map { path_of('set', 'set', $_, $set{$_}) } sort keys %set;
    for my $stored (1, 0, 0) {
        my ($code, $out, $err) = $site->control('import', 'sec-financial-statements', '--json', $folder);
        is("$code " . $json->decode($out)->{stored}, "0 $stored", 'a data set with the filing') or diag $out, $err;
    }
    is($site->value("SELECT string_agg(DISTINCT (known_at AT TIME ZONE 'UTC')::text, ' ') FROM xbrl_report"), '2024-05-03 20:15:30', '... has the time of the filing');
}

finish();

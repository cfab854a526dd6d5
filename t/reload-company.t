# A file whose copy named another company: what that copy has left stands under the other company, where the good one's rows do not meet it. It goes when the
# good file is loaded, again or for the first time. So does what a data set's copy had besides of a filing, or had for another period.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of);
use Disclosed::InsiderSet qw(insider_set);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# A folder with copies of these files.
sub folder_of
{
    my ($source, $which, %text) = @_;
    my @path = map { path_of($source, $which, $_, $text{$_}) } sort keys %text;
    return $path[0] =~ s{/[^/]*$}{}r;
}

sub table { return join '', map { join("\t", @$_) . "\n" } @_ }

# What all datasets say and have said, without the numbers of issuers, which are given in the order of coming. What several files state of a person has the least
# hash of theirs.
sub said
{
    my ($site) = @_;
    my $text = content($site, 'superseded_at IS DISTINCT FROM known_at');
    for my $issuer ($site->rows('SELECT issuer_id, coalesce(cik::text, party_key) AS name FROM issuer')) {
        $text =~ s/"issuer_id": $issuer->{issuer_id}\b/"issuer": "$issuer->{name}"/g;
    }
    my @beside = map { "$_->{line}" } $site->rows("SELECT 'calculation_check ' || (to_jsonb(t) - '{issuer_id}'::text[])::text AS line FROM calculation_check t"),
        $site->rows("SELECT 'executive_stated ' || (to_jsonb(t) - '{issuer_id,stated_in,extracted_at,place,executive_digest,content_hash}'::text[])::text AS line FROM executive_stated t"),
        $site->rows("SELECT 'count ' || dataset || ' ' || record_count AS line FROM dataset_stat WHERE record_count > 0");
    return join "\n", sort(split /\n/, $text), sort @beside;
}

# Each copy of %path in turn, with the good one before, between and after; each must stand as if it alone had been loaded.
sub loaded_in_turn
{
    my ($name, $source, $path, @options) = @_;
    my $load = sub {
        my ($site, $which, @more) = @_;
        my ($code, $out, $err) = $site->control('import', $source, '--json', @options, $path->{$which}, @more);
        is($code, 0, "$name: $which") or diag substr "$out$err", 0, 600;
        return $json->decode($out);
    };
    my (%fresh, %expected);
    for my $which (sort keys %$path) {
        $fresh{$which} = site(template => 'empty', start => 0);
        $load->($fresh{$which}, $which);
        $expected{$which} = said($fresh{$which});
    }
    my @others = grep { $_ ne 'good' } sort keys %$path;
    isnt($expected{$_}, $expected{good}, "... $_ says something else") for @others;
    my $site = $fresh{$others[0]};
    for my $which ('good', (map { ($_, 'good') } @others, @others)) {
        my $counts = $load->($site, $which);
        is(difference(said($site), $expected{$which}), '', '... stands as if it alone had been loaded');
        is($counts->{read}, $counts->{stored} + $counts->{unchanged} + $counts->{rejected}, '... each row is accounted for') or diag $json->encode($counts);
    }
    is($load->($site, 'good')->{stored}, 0, '... the same again changes nothing');
    is(difference(said($site), $expected{good}), '', '... indeed');
    return $site;
}

sub difference
{
    my ($got, $expected) = map { { map { ($_ => 1) } split /\n/ } } @_;
    return join "\n", (map { 'got ' . substr $_, 0, 500 } grep { !$expected->{$_} } sort keys %$got), map { 'lacks ' . substr $_, 0, 500 } grep { !$got->{$_} } sort keys %$expected;
}

# --- an instance -----------------------------------------------------------------------------

{
    my $accession = '0000007601-24-000001';
    my %part;
    my $submission = slurp("$corpus/instance-submission/presented");
    $part{$1} = $2 while $submission =~ m{<FILENAME>(\S+)\n<TEXT>\n<XBRL>\n(.*?)\n?</XBRL>}gs;
    my ($instance) = grep { /\d\.xml$/ } keys %part;
    my %other = (%part, $instance => $part{$instance} =~ s/0000007601/0000007602/gr);
    my %bare = %part;
    delete @bare{grep { /_(?:cal|pre|lab|def)\.xml$/ } keys %bare};
    my @options = ('--accession', $accession, '--known-at', '2024-05-03');
    my $site = loaded_in_turn('an instance', 'xbrl-instance', { good => folder_of('instance', 'good', %part), other => folder_of('instance', 'other', %other),
        bare => folder_of('instance', 'bare', %bare) }, @options);
    is($site->value("SELECT count(*) FROM xbrl_report WHERE superseded_at IS NULL AND accession = '$accession'"), 1, '... of one company');
    cmp_ok($site->value("SELECT count(*) FROM kpi_observation WHERE superseded_at IS NULL AND accession = '$accession'"), '>', 0, '... with its key figures');

    # What others have of the filing is not the copy's.
    my $set = folder_of('instance', 'set', 'sub.txt' => table([qw(adsh cik name sic fye form period fy fp filed accepted prevrpt instance)],
            [$accession, 7603, 'OTHER CO', 3711, '1231', '10-Q', '20240331', 2024, 'Q1', '20240503', '2024-05-03 16:15:00.0', 0, $instance]),
        'num.txt' => table([qw(adsh tag version ddate qtrs uom segments coreg value footnote)], [$accession, 'Goodwill', 'us-gaap/2024', '20240331', 0, 'USD', '', '', '8.0000', '']),
        'tag.txt' => "tag\tversion\tdatatype\nAssets\tus-gaap/2024\tmonetary\nGoodwill\tus-gaap/2024\tmonetary\n", 'pre.txt' => "adsh\treport\n");
    is(($site->control('import', 'xbrl-instance', @options, folder_of('instance', 'other', %other)))[0], 0, 'an instance of another company');
    is(($site->control('import', 'sec-financial-statements', $set))[0], 0, '... and a data set with the filing, of a third');
    is($site->value("SELECT string_agg(i.cik || ' ' || r.told_by, ', ' ORDER BY i.cik) FROM xbrl_report r JOIN issuer i USING (issuer_id) WHERE r.superseded_at IS NULL"), '7602 instance, 7603 data_set',
        '... stand side by side');
}

# --- financial statement data sets -----------------------------------------------------------

{
    my @accessions = map { sprintf '0000007601-24-%06d', $_ } 1 .. 3;
    my $set = sub {
        my ($which, %cik) = @_;
        return folder_of('statements', $which, 'sub.txt' => table([qw(adsh cik name sic fye form period fy fp filed accepted prevrpt instance)],
                map { [$_, $cik{$_} // 7601, 'OWN CO', 3711, '1231', '10-Q', '20240331', 2024, 'Q1', '20240503', '2024-05-03 16:15:00.0', 0, 'own-20240331.xml'] } @accessions),
            'num.txt' => table([qw(adsh tag version ddate qtrs uom segments coreg value footnote)],
                map { my $adsh = $_; map { [$adsh, $_, 'us-gaap/2024', '20240331', 0, 'USD', '', '', '8.0000', ''] } qw(Assets Goodwill) } @accessions),
            'tag.txt' => "tag\tversion\tdatatype\nAssets\tus-gaap/2024\tmonetary\nGoodwill\tus-gaap/2024\tmonetary\n", 'pre.txt' => "adsh\treport\n");
    };
    loaded_in_turn('a financial statement data set', 'sec-financial-statements', { good => $set->('good'), other => $set->('other', $accessions[1] => 7602) });
}

# --- forms of insiders -----------------------------------------------------------------------

my $form = slurp("$corpus/ownership/form4");
{
    my $name = '0000320193-24-000061.xml';
    my %copy = (good => $form, other => $form =~ s/<issuerCik>9990000001/<issuerCik>9990000777/r, amendment => $form =~ s/(<documentType>)4/${1}4\/A/r =~ s/(<\/periodOfReport>\n)/$1<dateOfOriginalSubmission>2024-05-09<\/dateOfOriginalSubmission>\n/r,
        period => $form =~ s/(<periodOfReport>)2024-05-07/${1}2024-04-07/r, person => $form =~ s/9990000102/9990000103/r =~ s/Quill Trust/Quill Trusty/r =~ s/<isTenPercentOwner>1/<isDirector>1<\/isDirector><isTenPercentOwner>1/r);
    my $site = loaded_in_turn('a form', 'sec-ownership', { map { ($_ => path_of('form', $_, $name, $copy{$_})) } keys %copy });
    is($site->value('SELECT count(DISTINCT issuer_id) FROM executive'), 1, '... and executives are those of one company');
}

# --- data sets of insiders -------------------------------------------------------------------

my @forms = map { my $n = $_; [sprintf('0000320193-24-%06d', $n), '2024-05-09', $form =~ s/33638324/3363832$n/r =~ s/Quill Trust/Quill Trust $n/r =~ s/9990000102/999000011$n/r] } 1 .. 4;
my $last = pop @forms;
{
    my $set = sub { my ($which, @of) = @_; return folder_of('insiders', $which, insider_set(sub { @_ }, @of)) };
    my $changed = sub { my ($edit) = @_; local $_ = $forms[1][2]; $edit->(); return ($forms[0], [$forms[1]->@[0, 1], $_], $forms[2]) };
    my %path = (good => $set->('good', @forms), other => $set->('other', $changed->(sub { s/<issuerCik>9990000001/<issuerCik>9990000777/ })),
        more => $set->('more', $changed->(sub { s/(<nonDerivativeTransaction>.*?<\/nonDerivativeTransaction>\n)/$1$1/s; s/(<nonDerivativeHolding>.*?<\/nonDerivativeHolding>)/$1$1/s; s/(<reportingOwner>.*?<\/reportingOwner>)/my $one = $1; $one . $one =~ s{9990000101}{9990000199}r/es })),
        fewer => $set->('fewer', $changed->(sub { s/<derivativeTable>.*<\/derivativeTable>//s; s/<nonDerivativeHolding>.*<\/nonDerivativeHolding>//; s/(.*)<reportingOwner>.*?<\/reportingOwner>/$1/s })));
    loaded_in_turn('a data set of insiders', 'sec-ownership', \%path);

    # A form with a row that is rejected ends nothing, and the others of its set are whole; what a document has said is the document's. Tables go on
    # behind the forms: they could be cut in the last one.
    my $site = site(template => 'empty', start => 0);
    my $load = sub { my ($code, @paths) = @_; my ($got, $out, $err) = $site->control('import', 'sec-ownership', @paths); is($got, $code, "a data set with $code") or diag $out, $err };
    my $rows = sub { join ' ', map { "$_->{count}" } $site->rows('SELECT count(*) FROM insider_transaction WHERE superseded_at IS NULL GROUP BY accession ORDER BY accession') };
    my $added = sub { $_[0] =~ s/(<nonDerivativeTransaction>.*?<\/nonDerivativeTransaction>\n)/$1$1/sr };
    $load->(0, $set->('all more', (map { [$_->@[0, 1], $added->($_->[2])] } @forms), $last));
    is($rows->(), '5 5 5 4', '... of four forms');
    my %cut = insider_set(sub { @_ }, @forms, $last);
    $cut{'NONDERIV_TRANS.tsv'} =~ s/^($forms[1][0]\t[^\n]*\t)5903\.0\t/${1}many\t/m or die $cut{'NONDERIV_TRANS.tsv'};
    $load->(1, folder_of('insiders', 'cut', %cut));
    is($rows->(), '4 5 4 4', '... of which one is not whole');
    $load->(0, path_of('insiders', 'document', "$forms[0][0].xml", $added->($forms[0][2])));
    is($rows->(), '5 5 4 4', '... and one is a document');
    $load->(0, $set->('good of four', @forms, $last));
    is($rows->(), '5 4 4 4', '... which stands');
}

# --- data sets of 13F reports ----------------------------------------------------------------

{
    my $set = sub {
        my ($which, %is) = @_;
        my @reports = map { { accession => "000999001$_-24-000001", cik => "999001$_", period => '2024-06-30', rows => 3 } } 1 .. 3;
        $reports[1] = { $reports[1]->%*, %is };
        my $key = 0;
        return folder_of('holdings', $which, 'SUBMISSION.tsv' => table([qw(ACCESSION_NUMBER FILING_DATE SUBMISSIONTYPE CIK PERIODOFREPORT)], map { [$_->{accession}, '2024-08-14', '13F-HR', $_->{cik}, $_->{period}] } @reports),
            'COVERPAGE.tsv' => table([qw(ACCESSION_NUMBER REPORTCALENDARORQUARTER FILINGMANAGER_NAME REPORTTYPE)], map { ([$_->{accession}, $_->{calendar} // $_->{period}, "Manager $_->{cik}", '13F HOLDINGS REPORT']) x ($_->{covers} // 1) } @reports),
            'SUMMARYPAGE.tsv' => table([qw(ACCESSION_NUMBER TABLEENTRYTOTAL TABLEVALUETOTAL)], map { ([$_->{accession}, $_->{stated} // $_->{rows}, 1000 * $_->{rows}]) x ($_->{pages} // 1) } @reports),
            'INFOTABLE.tsv' => table([qw(ACCESSION_NUMBER INFOTABLE_SK NAMEOFISSUER TITLEOFCLASS CUSIP VALUE SSHPRNAMT SSHPRNAMTTYPE INVESTMENTDISCRETION)],
                map { my $report = $_; map { [$report->{accession}, ++$key, 'ALPHA INC', 'COM', '037833100', 1000, $_, $report->{kind} && $_ == 1 ? $report->{kind} : 'SH', 'SOLE'] } 1 .. $report->{rows} } @reports));
    };
    my %path = (good => $set->('good'), more => $set->('more', rows => 5), fewer => $set->('fewer', rows => 1), other => $set->('other', cik => 9990777), quarter => $set->('quarter', period => '2024-03-31'));
    loaded_in_turn('a data set of holdings', 'sec-13f', \%path);

    my $site = site(template => 'empty', start => 0);
    my $load = sub { my ($code, $path) = @_; my ($got, $out, $err) = $site->control('import', 'sec-13f', $path); is($got, $code, "a data set with $code") or diag $out, $err; return "$out$err" };
    my $rows = sub { join ' ', map { "$_->{count}" } $site->rows('SELECT count(*) FROM institution_position WHERE superseded_at IS NULL GROUP BY accession ORDER BY accession') };
    $load->(0, $path{more});
    is($rows->(), '3 5 3', '... of three reports');
    $load->(1, $set->('kind', kind => 'LOT'));
    is($rows->(), '3 5 3', '... of which one has a row that is rejected');
    my %says = (calendar => ['2024-03-31', qr/SUBMISSION\.tsv line 3: rejected: periodOfReport and reportCalendarOrQuarter differ \(2024-06-30, 2024-03-31\)/],
        covers => [2, qr/COVERPAGE\.tsv line 4: rejected: the accession number is there twice/], pages => [2, qr/SUMMARYPAGE\.tsv line 4: rejected: the accession number is there twice/]);
    for my $what (sort keys %says) {
        like($load->(1, $set->($what, $what => $says{$what}[0])), $says{$what}[1], "... that contradicts itself: $what");
        is($rows->(), '3 5 3', '... nothing of it ends') ;
    }
    $load->(0, $path{good});
    is($rows->(), '3 3 3', '... the good one');
    my ($code, $out, $err) = $site->control('import', 'sec-13f', path_of('holdings', 'cover', '0009990012-24-000001.txt', slurp("$corpus/13f/holdings") =~ s/(<reportCalendarOrQuarter>)06-30-2024/${1}03-31-2024/r));
    is($code, 1, 'a document whose cover page names another quarter');
    like("$out$err", qr/periodOfReport and reportCalendarOrQuarter differ/, '... is rejected');
}

# --- reports of funds --------------------------------------------------------------------------

{
    my $report = slurp("$corpus/nport/report");
    my $at = sub { my ($end, $edit) = @_; local $_ = $report =~ s/(<repPdDate>)2024-03-31/$1$end/r; $edit->() if $edit; return $_ };
    my %copy = (good => $report, earlier => $at->('2023-12-31'), later => $at->('2024-04-30', sub { s/<balance>100</<balance>101</ }), other => $report =~ s/9990000014(?!-)/9990000777/gr);
    my $site = loaded_in_turn('a report of a fund', 'sec-nport', { map { ($_ => path_of('fund', $_, '0000320193-24-000061.xml', $copy{$_})) } keys %copy });
    is($site->value("SELECT string_agg(DISTINCT (known_at AT TIME ZONE 'America/New_York')::date::text, ' ') FROM fund WHERE accession = '0000320193-24-000061'"), '2024-05-30', '... known since it was due');
}

finish();

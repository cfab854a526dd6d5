# A file that is loaded again after another that says something else of the same instant, such as a damaged one, brings back what it says: what
# was loaded last counts. The same file twice changes nothing, and a folder of both comes to the same end each time.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# Source => a seed of the fuzz program, its name, what the worse file has in place of what, options.
my %case = (
    'sec-companyfacts' => ['companyfacts/two-filings', 'CIK0000320193.json', qr/"val":\s*\d/, '"val":7'],
    'sec-submissions'  => ['submissions/rows', 'CIK0000320193.json', qr/"(primaryDocument)":\s*\["\K[^"]/, 'x'],
    'sec-submissions, its profile' => ['submissions/rows', 'CIK0000320193.json', qr/"sic": "\K3571/, '7372'],
    'xbrl-instance'    => ['instance/own', 'own-20240331.xml', qr/(?<=>)[1-9](?=\d{2,}<)/, '77', '--accession', '0000007601-24-000001', '--known-at', '2024-05-01'],
    'sec-filing'       => ['filing/8-k', '0000320193-24-000061.txt', qr/\bquarter\b/, 'quartet'],
    'sec-ownership'    => ['ownership/form4', '0000320193-24-000061.xml', qr/<transactionShares>\s*<value>\K\d/, '7'],
    'sec-ownership, a role' => ['ownership/form4', '0000320193-24-000061.xml', qr/<isOfficer>\s*(?:<value>)?\K(?:1|true)/, '0'],
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

# A form without an accession number, in its header and in its name: the copy that was loaded last says who its owner is.
{
    my $form = sub { my ($person, $title) = @_; return <<"END" };
<?xml version="1.0"?>
<ownershipDocument><schemaVersion>X0206</schemaVersion><documentType>3</documentType><periodOfReport>2021-12-31</periodOfReport>
<noSecuritiesOwned>1</noSecuritiesOwned>
<issuer><issuerCik>0000867773</issuerCik><issuerName>SOLAR CORP</issuerName><issuerTradingSymbol>SLR</issuerTradingSymbol></issuer>
<reportingOwner><reportingOwnerId><rptOwnerCik>0001698764</rptOwnerCik><rptOwnerName>$person</rptOwnerName></reportingOwnerId>
<reportingOwnerRelationship><isDirector>0</isDirector><isOfficer>1</isOfficer><officerTitle>$title</officerTitle></reportingOwnerRelationship></reportingOwner>
<footnotes></footnotes><ownerSignature><signatureName>/s/ A. Attorney</signatureName><signatureDate>2022-01-07</signatureDate></ownerSignature>
</ownershipDocument>
END
    my %text = (good => $form->('Right Rita', 'Treasurer'), name => $form->('Wrong Wanda', 'Treasurer'), title => $form->('Right Rita', 'Treasure'));
    my %path = map { ($_ => path_of('unnamed', $_, 'form3.xml', $text{$_})) } keys %text;
    $path{filed} = path_of('unnamed', 'filed', '0000867773-22-000001.xml', $text{good});
    my $expected;
    for my $order ([qw(good good)], [qw(name good good)], [qw(good name good good)], [qw(title good good)], [qw(good title good good)], [qw(name title good good)]) {
        my $site = site(template => 'empty', start => 0);
        my $counts;
        for my $which (@$order) {
            my ($code, $out, $err) = $site->control('import', 'sec-ownership', '--json', $path{$which});
            is($code, 0, "a form without accession number: @$order: $which") or diag substr "$out$err", 0, 600;
            $counts = $json->decode($out);
        }
        $expected //= content($site);
        is(content($site), $expected, '... the copy loaded last counts');
        is("$counts->{stored} $counts->{superseded} $counts->{unchanged}", '0 0 1', '... and again changes nothing');
    }
    for my $order ([qw(name filed filed)], [qw(filed name name)]) {
        my $site = site(template => 'empty', start => 0);
        is(($site->control('import', 'sec-ownership', '--json', $path{$_}))[0], 0, "@$order: $_") for @$order;
        is($site->value('SELECT name FROM disclosed.executive WHERE superseded_at IS NULL'), 'Right Rita', "... @$order: the one with an accession number counts");
    }
}

# An instance that comes before its filing has the filing's dates when it comes, as if it had come after it.
{
    my $instance = path_of('before its filing', 'any', 'own-20240331.xml', slurp("$corpus/instance/own"));
    my %row = (accessionNumber => '0000007601-24-000001', filingDate => '2024-05-01', reportDate => '2024-03-31', acceptanceDateTime => '2024-05-01T21:05:00.000Z', form => '10-Q', fileNumber => '',
        items => '', size => 1000, primaryDocument => 'own.htm', primaryDocDescription => '10-Q');
    my $filings = path_of('before its filing', 'any', 'CIK0000007601.json', $json->encode({ cik => '7601', name => 'Own Inc.', tickers => [], exchanges => [], formerNames => [],
        filings => { files => [], recent => { map { $_ => [$row{$_}] } keys %row } } }));
    my @instance = ('xbrl-instance', '--accession', $row{accessionNumber}, '--known-at', '2024-11-20', $instance);
    my @filing = ('sec-submissions', $filings);
    my $expected;
    for my $order ([\@filing, \@instance], [\@instance, \@filing]) {
        my $site = site(template => 'empty', start => 0);
        for my $load (@$order) {
            my ($code, $out, $err) = $site->control('import', @$load, '--json');
            is($code, 0, "an instance and its filing: $load->[0]") or diag substr "$out$err", 0, 600;
        }
        is($site->value("SELECT string_agg(DISTINCT filed_on::text, ' ') FROM disclosed.xbrl_report WHERE superseded_at IS NULL"), '2024-05-01', "... numbers are filed with it");
        $expected //= content($site);
        is(content($site), $expected, '... in either order');
        my $counts = $json->decode(($site->control('import', @instance, '--json'))[1]);
        is("$counts->{stored} $counts->{superseded}", '0 0', '... the instance again changes nothing');
    }
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

# What states no instant of its own, or that of its day: what is said again after something else was said counts from then on, and what was
# public before stays. With --known-at, of one day or of later ones, and without.
my @short = split /\|/, 'symbolCode|issueName|marketClassCode|currentShortPositionQuantity|previousShortPositionQuantity|stockSplitFlag|averageDailyVolumeQuantity|daysToCoverQuantity|revisionFlag|changePercent|changePreviousNumber|settlementDate';
my $shorts = sub { my ($position) = @_; return join '', map { join('|', @$_) . "\n" } \@short,
    ['A', 'Agilent Technologies', 'NYSE', $position, 2500000, '', 1000000, sprintf('%.2f', $position / 1e6), '', sprintf('%.2f', $position / 25000 - 100), $position - 2500000, '2021-07-15'] };
my $calendar = sub { my ($day) = @_; return "symbol,name,reportDate,fiscalDateEnding,estimate,currency\nMSFT,Microsoft Corporation,$day,2023-09-30,1,USD\n" };
my $index = sub { my ($date) = @_; return join '', map { join("\t", @$_) . "\r\n" } [qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)],
    ['Hon.', 'Allen', 'Richard W.', '', 'P', 'GA12', 2023, $date, '20022658'] };
my $line = sub { my ($dataset, %row) = @_; return $json->encode({ dataset => $dataset, provenance => { source_provider => 'issuer_page' }, %row }) . "\n" };
my $lists = sub { my ($name, @exchange) = @_; return $json->encode({ fields => [qw(cik name ticker exchange)], data => [[320193, $name, 'AAPL', @exchange], [789019, 'MICROSOFT CORP', 'MSFT', 'Nasdaq']] }) };
my $funds = sub { my ($ticker) = @_; return $json->encode({ fields => [qw(cik seriesId classId symbol)], data => [[320193, 'S000000001', 'C000000001', $ticker]] }) };
my @later = map { ['--known-at', $_] } '2023-09-01', '2023-09-02', '2023-09-03', '2023-09-04';
my @none  = map { [] } 1 .. 4;
my @same  = map { ['--known-at', '2023-09-01'] } 1 .. 4;
# Source, file, table, good text, worse one, options of each load.
my @again = (
    (map { ['finra-short-interest', 'shrt20210715.csv', 'short_interest', $shorts->(2571122), $shorts->(2572122), @$_] } \@none, \@later, \@same),
    (map { my $options = $_; map { ['corporate-actions', 'dividends.csv', 'corporate_action', map({ "symbol,ex_dividend_date,amount\nKO,2021-03-12,$_\n" } @$_), @$options] } ['0.42', '0.5'], ['0.42', '0.24'] } \@none, \@later),
    (map { ['corporate-actions', 'splits.csv', 'corporate_action', map({ "symbol,date,split_ratio\nAAPL,2020-08-31,$_\n" } '4:1', '1:4'), @$_] } \@none, \@later),
    (map { ['earnings-calendar', 'earnings-calendar.csv', 'event_notice', $calendar->('2023-10-24'), $calendar->('2023-10-26'), @$_] } \@none, \@later, \@same),
    (map { ['house-ptr', '2023FD.txt', 'congress_report', $index->('3/7/2023'), $index->($_), @none] } '1/9/2024', '1/9/2023'),
    ['house-ptr', '2023FD.txt', 'congress_report', $index->('3/7/2023'), $index->('3/7/2023') =~ s/Allen/Alien/r, @none],
    (map { my ($dataset, $table, $good, $worse) = @$_; ['ndjson', 'lines.ndjson', $table, $line->($dataset, %$good), $line->($dataset, %$good, %$worse), @none] }
        ['event_notice', 'event_notice', { cik => 320193, record_key => 'iday', type => 'investor_day', event_on => '2025-03-02', date_status => 'confirmed', title => 'Investor Day', known_at => '2025-01-02T10:00:00Z' }, { event_on => '2025-03-09' }],
        ['politician', 'politician', { party => 'politician/richard-w-allen-ga12', political_party => 'Republican', reported_on => '2025-01-03' }, { political_party => 'Democratic' }],
        ['executive', 'executive', { cik => 320193, name => 'Tim Test', role => 'CEO', category => 'executives', person_rank => 1, is_current => JSON::PP::true, reported_on => '2025-01-01' }, { role => 'CFO' }]),
    ['sec-company-tickers', 'company_tickers_exchange.json', 'listing', $lists->('Apple Inc.', 'Nasdaq'), $lists->('Apfel Inc.', 'NYSE'), @none],
    ['sec-company-tickers', 'company_tickers_exchange.json', 'listing', $lists->('Apple Inc.', 'Nasdaq'), $lists->('Apple Inc.', 'Nasdaq') =~ s/,\[789019.*?\]//r, @none],
    ['sec-company-tickers', 'company_tickers_exchange.json', 'listing', $lists->('Apple Inc.', 'Nasdaq'), $lists->('Apfel Inc.', 'NYSE'), @later],
    (map { ['sec-fund-tickers', 'company_tickers_mf.json', 'fund_class', $funds->('AAAX'), $funds->('ZZZX'), @$_] } \@none, \@later, \@same),
);
for my $case (@again) {
    my ($source, $file, $table, $good, $worse, @options) = @$case;
    my $name = join ' ', $source, $file, map { $_->[1] // () } @options;
    my %path = (good => path_of($source, 'good', $file, $good), worse => path_of($source, 'worse', $file, $worse));
    my $site = site(template => 'empty', start => 0);
    my $step = sub { my ($which) = @_;
        my ($code, $out, $err) = $site->control('import', $source, '--json', @{ shift @options }, $path{$which});
        is($code, 0, "$name: $which") or diag substr "$out$err", 0, 600; return $json->decode($out) };
    my $at  = sub { my ($instant) = @_; return join "\n", map { $_->{line} } $site->rows("SELECT (to_jsonb(t) - ARRAY['row_id', 'id', 'source_id', 'recorded_at', 'quote', 'src_digest', 'known_at', 'superseded_at', 'taken_at', 'event_id'])::text AS line
        FROM disclosed.$table t WHERE known_at <= '$instant' AND (superseded_at IS NULL OR superseded_at > '$instant') ORDER BY 1") };
    my $clock = sub { return $site->value('SELECT clock_timestamp()') };
    $step->('good');  my $first  = $clock->(); my $expected = $at->($first);
    my $before = ($options[0][1] // '') =~ /-02$/ ? ['2023-09-02 12:00Z', '2023-09-03 12:00Z'] : !@{ $options[0] } && $file !~ /ndjson|FD/ ? [$first] : [];
    $step->('worse'); my $second = $clock->(); my $wrong = $at->($second);
    push @$before, $second if @$before == 1;
    isnt($wrong, $expected, '... the worse file says something else');
    my @then = map { $at->($_) } @$before;
    my $counts = $step->('good');
    is($at->('infinity'), $expected, '... and the good one brings it back');
    cmp_ok($counts->{stored}, '>', 0, '... and says so');
    is_deeply([map { $at->($_) } @$before], \@then, '... what was public before stays');
    $options[0] = $options[0][0] ? ['--known-at', '2023-09-03'] : [] if ($options[0][1] // '') eq '2023-09-04';
    is($step->('good')->{stored}, 0, '... the same again changes nothing');
    is($at->('infinity'), $expected, '... indeed');
}

# What turns out to be known earlier is counted as stored: nothing else says that something has changed.
for my $case (['sec-company-tickers', 'company_tickers.json', $json->encode({ 0 => { cik_str => 320193, ticker => 'AAPL', title => 'Apple Inc.' } })], ['sec-fund-tickers', 'company_tickers_mf.json', $funds->('AAAX')]) {
    my ($source, $file, $text) = @$case;
    my $site = site(template => 'empty', start => 0);
    my $path = path_of($source, 'earlier', $file, $text);
    is(($site->control('import', $source, '--known-at', '2024-07-16', $path))[0], 0, "$source: a file");
    my ($code, $out) = $site->control('import', $source, '--known-at', '2009-01-02', $path);
    like($out, qr/read 1, stored 1, unchanged 0, superseded 0, rejected 0/, '... which was taken earlier');
    unlike($out, qr/nothing has changed/, '... and that is something');
    like((($site->control('import', $source, '--known-at', '2009-01-02', $path))[1]), qr/unchanged 1.*nothing has changed/s, '... once');
}

finish();

# A wrong copy of a file, of which all rows are taken: after the good file what is in force is what it alone stores, whether it was loaded before the wrong
# one or not, and however often.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of with_names);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

my $dividends = "symbol,exDate,amount\nHAXB,2024-11-28,0.025\nHAXB,2024-11-28,1.5\n";
my $kpi = sub { my (%more) = @_; return $json->encode({ dataset => 'kpi_observation', cik => 9990000077, metric_key => 'sales', issuer_label => 'Sales', as_described => 'Sales', unit => 'USD', basis => 'duration', start_date => '2024-01-01',
    end_date => '2024-03-31', source_type => '10-Q', value => 1, known_at => '2024-05-01T00:00:00Z', provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/report' }, %more }) . "\n" };

# Case => source, a seed of the fuzz program or text, name of the file, what the wrong copy says, options. A case whose name ends in "now" is of a source that
# states no instant.
my %case = (
    'reports of the Senate, a name' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/Haxbru, Inc\./Haxbrew and Sons, Incorporated/ }],
    'reports of the Senate, a name without a ticker' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/A bond /A bound / }],
    'reports of the Senate, a type' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/Sale \(Full\)/Purchase/ }],
    'reports of the Senate, a date' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/11\/10\/2020/11\/11\/2020/ }],
    'reports of the Senate, a day of filing' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/01\/05\/2021/01\/06\/2021/ }],
    'reports of the Senate, an earlier day of filing' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/01\/05\/2021/01\/04\/2021/ }],
    'reports of the Senate, a senator' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/"Ada L"/"Abe L"/ }],
    'reports of the Senate, a row too many' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/"transactions": \[(\{.*?\})/"transactions": [$1, $1/ }],
    'reports of the Senate, a row too few' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/"transactions": \[\{.*?\}, /"transactions": [/ }],
    'a report of the House, a name' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/Volqu Co /Volquant Co / }],
    'a report of the House, a ticker' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/\(VOLQ\)/(VOLX)/ }],
    'a report of the House, a date' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/12\/30\/2023/12\/29\/2023/ }],
    'a report of the House, a type' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/P       12/S       12/ }],
    'a report of the House, an amount' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/\$1,001 - \$15,000/\$15,001 - \$50,000/ }],
    'a report of the House, a signature' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/01\/20\/2024/01\/22\/2024/ }],
    'a report of the House, an earlier signature' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/01\/20\/2024/01\/18\/2024/ }],
    'a report of the House, a member' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/Ada Q\. Quill/Abe Q. Quill/g }],
    'a report of the House, a state' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/TX 02/CA 02/ }],
    'an index of the Clerk, a district, now' => ['house-ptr', 'house-index-text/members', '2023FD.txt', sub { s/TX02/CA02/ }],
    'short interest, a name, now' => ['finra-short-interest', 'short-interest/rows', 'shrt20210715.csv', sub { s/Haxbru Inc\./Wrong Inc./ }],
    'short interest of who is listed, a name, now' => ['finra-short-interest', 'short-interest/rows', 'shrt20210715.csv', sub { s/Haxbru Inc\./Wrong Inc./ }],
    'short interest of who is listed, a name and a position, now' => ['finra-short-interest', 'short-interest/rows', 'shrt20210715.csv', sub { s/Haxbru Inc\./Wrong Inc./; s/1646442/1646443/ }],
    'short interest, a market, now' => ['finra-short-interest', 'short-interest/rows', 'shrt20210715.csv', sub { s/\|NYSE\|/|NNM|/ }],
    'dividends of a day, now' => ['corporate-actions', $dividends, 'dividends.csv', sub { s/1\.5/2.5/ }],
    'dividends of a day, one too many, now' => ['corporate-actions', $dividends, 'dividends.csv', sub { $_ .= "HAXB,2024-11-28,9\n" }],
    'dividends of a day, one too few, now' => ['corporate-actions', $dividends, 'dividends.csv', sub { s/.*1\.5\n// }],
    'dividends, now' => ['corporate-actions', 'actions-list/dividends', 'dividends.csv', sub { s/0.025/0.026/ }],
    'an instance, a period' => ['xbrl-instance', 'instance/own', 'own-20240331.xml', sub { s{<xbrli:instant>2024-03-31</xbrli:instant>}{<xbrli:startDate>2024-01-01</xbrli:startDate><xbrli:endDate>2024-03-31</xbrli:endDate>} }, '--accession', '0000007601-24-000001', '--known-at', '2024-05-01'],
    'a key figure, its basis' => ['ndjson', $kpi->(), 'lines.ndjson', sub { $_ = $kpi->(basis => 'instant', start_date => undef) }],
    'a key figure, its unit' => ['ndjson', $kpi->(), 'lines.ndjson', sub { $_ = $kpi->(unit => 'EUR') }],
);

# What is loaded before the copies.
my %before = map { ($_ => ['sec-company-tickers', path_of('before', 'any', 'company_tickers.2021-01-04.json', $json->encode({ 0 => { cik_str => 9990000001, ticker => 'HAXB', title => 'Haxbru Inc.' }, 1 => { cik_str => 9990000002, ticker => 'WRNG', title => 'Wrong Inc.' } }))]) }
    grep { /listed/ } keys %case;

# What is in force, or was at any time where the source states instants, without the numbers of issuers, which are given in the order of coming.
sub said
{
    my ($site, $case) = @_;
    my $text = with_names($site, content($site, $case =~ /now$/ ? () : 'superseded_at IS DISTINCT FROM known_at')) =~ s/"(?:of_reports|left_out|of_index)": (?:true|null)//gr =~ s/"sources": \K\[.*?\](?=, ")/[]/gr =~ s/"seen_at": "[^"]*"/""/gr;
    $text =~ s/"(?:known_at|taken_at|settled_\w+)": "[^"]*"/""/g if $case =~ /now$/;
    return [sort split /\n/, $text];
}

for my $case (sort keys %case) {
    my ($source, $seed, $file, $change, @options) = $case{$case}->@*;
    my %text = map { ($_ => $seed =~ /\n/ ? $seed : slurp("$corpus/$seed")) } qw(good wrong);
    for ($text{wrong}) { $change->() }
    isnt($text{wrong}, $text{good}, "$case: the copies differ");
    my %path = map { ($_ => path_of($case =~ s/\W+/-/gr, $_, $file, $text{$_})) } keys %text;
    my $load = sub {
        my ($site, $which, $name) = @_;
        my ($code, $out, $err) = $site->control('import', $source, '--json', @options, $path{$which});
        is($code, 0, "$name: $which") or diag substr "$out$err", 0, 600;
        return eval { $json->decode($out) } // {};
    };
    my $made = sub {
        my $site = site(template => 'empty', start => 0);
        is(($site->control('import', $before{$case}->@*))[0], 0, "$case: what is listed") if $before{$case};
        return $site;
    };
    my $fresh = $made->();
    $load->($fresh, 'good', $case);
    my $expected = said($fresh, $case);
    for my $order ([qw(wrong good)], [qw(good wrong good)], [qw(wrong wrong good good wrong good)]) {
        my $site = $made->();
        $load->($site, $_, "$case, @$order") for @$order;
        my %left = map { $_ => 1 } said($site, $case)->@*;
        my @lost = grep { !delete $left{$_} } @$expected;
        is_deeply([sort keys %left], [], "$case, @$order: nothing is left of the wrong one");
        is_deeply(\@lost, [], '... and nothing of the good one is lost');
        is($load->($site, 'good', '... again')->{stored}, 0, '... which changes nothing');
    }
    my $site = $made->();
    my ($code, $out, $err) = $site->control('import', $source, '--jobs', 1, @options, @path{qw(wrong good)});
    is($code, 0, "$case: both in one run") or diag "$out$err";
    is_deeply(said($site, $case), $expected, '... come to the same');
}

# Trades whose file names no district are of whom the copy of the Clerk's index means that was loaded last; those of a file that names one are not.
{
    my %path = map { my ($which, $district) = @$_; ($which => ['house-ptr', path_of('district', $which, '2023FD.txt', join '', map { join("\t", @$_) . "\r\n" } [qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)],
        map { ['Hon.', 'Quill', 'Ada Q.', '', 'P', $district, 2023, '1/20/2024', $_] } 20022260, 20022261)]) } ['good', 'TX02'], ['wrong', 'CA02'], ['worse', 'TX03'];
    my @row = (transaction_date => '01/02/2024', owner => 'Self', ticker => 'HAXB', asset_description => 'Haxbru, Inc.', type => 'Purchase', amount => '$1,001 - $15,000', representative => 'Ada Quill');
    my $address = 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2024/2002226';
    $path{trades} = ['house-ptr', '--known-at', '2024-02-01', path_of('district', 'trades', 'house_transactions.json', $json->encode([{ @row, source_url => $address . '0.pdf' }, { @row, source_url => $address . '0.pdf', type => 'Sale' }, { @row, source_url => $address . '1.pdf', district => 'CA02' }, { @row, source_url => $address . '1.pdf', type => 'Sale', district => 'CA02' }]))];
    my $expected;
    for my $order ('good trades', 'wrong trades good', 'wrong trades good trades', 'good trades wrong good', 'worse trades good', 'wrong trades worse trades good', 'good trades wrong trades worse good good') {
        my $site = site(template => 'empty', start => 0);
        is(($site->control('import', $path{$_}->@*))[0], 0, "districts, $order: $_") for split ' ', $order;
        $expected //= said($site, 'now');
        is_deeply(said($site, 'now'), $expected, '... stands as if the good index alone had been loaded');
        is($site->value("SELECT string_agg(concat_ws(' ', party_key, state_district), ', ' ORDER BY report_id, transaction_type) FROM congress_trade JOIN issuer USING (issuer_id) WHERE superseded_at IS NULL"),
            'politician/ada-quill-tx TX02, politician/ada-quill-tx TX02, politician/ada-quill-ca CA02, politician/ada-quill-ca CA02', '... each of who filed it');
    }
}

# What a file of another name says of a day too stays; so does what was said before a split, for which amounts of later files may be adjusted.
{
    my $list = sub { my (@amounts) = @_; return join '', "symbol,exDate,amount\n", map { "HAXB,2023-11-28,$_\n" } @amounts };
    my @steps = (['dividends.csv', '2024-01-02', 0.5, 1.5], ['others.csv', '2024-01-03', 1.5, 4], ['dividends.csv', '2024-01-04', 0.5, 2.5], ['others.csv', '2024-01-05', 4, 2.5], ['dividends.csv', '2025-01-02', 0.25, 1.25]);
    my @amounts = ('0.5, 1.5', '0.5, 1.5, 4', '0.5, 1.5, 2.5, 4', '0.5, 2.5, 4', '0.25, 0.5, 1.25, 2.5, 4');
    my $site = site(template => 'empty', start => 0);
    for my $step (0 .. $#steps) {
        my ($name, $day, @has) = $steps[$step]->@*;
        is(($site->control('import', 'corporate-actions', '--known-at', $day, path_of('names', "splits-$step", 'splits.csv', "symbol,date,split_ratio\nHAXB,2024-06-03,2:1\n")))[0], 0, 'a split') if $step == $#steps;
        is(($site->control('import', 'corporate-actions', '--known-at', $day, path_of('names', $step, $name, $list->(@has))))[0], 0, "$name of $day has @has");
        is($site->value("SELECT string_agg(trim_scale(amount)::text, ', ' ORDER BY amount) FROM corporate_action WHERE kind = 'dividend' AND superseded_at IS NULL"), $amounts[$step], "... and $amounts[$step] stand");
    }
}

# A day that no calendar has is no day that is missing: its row is rejected by the member's name, wherever one is read. What is absent stays so, and another
# year is quoted.
{
    my $senate = slurp("$corpus/senate/rows");
    my $house = slurp("$corpus/house/rows");
    my $report = slurp("$corpus/senate-reports/reports");
    my $text = slurp("$corpus/house-text/report");
    my @dates = (
        ['senate-ptr', 'all_transactions.json', $senate, sub { s/11\/16\/2020/11\/46\/2020/ }, '[1]', 'transaction_date', '11/46/2020', 1],
        ['senate-ptr', 'all_transactions.json', $senate, sub { s/12\/02\/2020/02\/30\/2020/ }, '[2]', 'transaction_date', '02/30/2020', 1],
        ['senate-ptr', 'all_transactions.json', $senate, sub { s/"senator": "Ada/"disclosure_date": "2020-13-01", $&/ }, '[0]', 'disclosure_date', '2020-13-01', 1],
        ['senate-ptr', 'all_transactions.json', $senate, sub { s/"11\/16\/2020"/20201116/ }, '[1]', 'transaction_date', '20201116', 1],
        ['senate-ptr', 'daily.transactions.json', $report, sub { s/11\/16\/2020/11\/31\/2020/ }, '[0].transactions[1]', 'transaction_date', '11/31/2020', 1],
        ['senate-ptr', 'daily.transactions.json', $report, sub { s/01\/05\/2021/13\/05\/2021/ }, '[0].transactions[0]', 'date_recieved', '13/05/2021', 2],
        ['senate-ptr', 'daily.transactions.json', $report, sub { s/01\/05\/2021/13\/05\/2021/; s/"transactions": \[.*?\]/"transactions": []/ }, '[0]', 'date_recieved', '13/05/2021', 1],
        ['house-ptr', 'all_transactions.json', $house, sub { s/2024-03-20/2024-03-32/ }, '[2]', 'transaction_date', '2024-03-32', 1],
        ['house-ptr', 'all_transactions.json', $house, sub { s/04\/02\/2024/soon/ }, '[2]', 'disclosure_date', 'soon', 1],
        ['house-ptr', '20022260.txt', $text, sub { s/12\/30\/2023/12\/32\/2023/ }, 'line 27', 'transaction_date', '12/32/2023', 1],
        ['house-ptr', '20022260.txt', $text, sub { s/01\/20\/2024/01\/40\/2024/ }, 'line 14', 'Digitally Signed', '01/40/2024', 3],
    );
    for my $case (@dates) {
        my ($source, $file, $good, $change, $place, $member, $day, $rejected) = @$case;
        local $_ = $good;
        $change->();
        my $name = "$source, $file: $member $day";
        isnt($_, $good, "$name: it is another");
        my $site = site(template => 'empty', start => 0);
        my ($code, $out, $err) = $site->control('import', $source, '--json', path_of($name =~ s/\W+/-/gr, 'any', $file, $_));
        is($code, 1, '... which is told');
        like($err, qr/\Q: $place: rejected: $member: not a date ($day)\E/, '... by name, with its row');
        my $counts = eval { $json->decode($out) } // {};
        is($counts->{rejected}, $rejected, '... and so is each row of it');
        is($site->value('SELECT count(*) FROM congress_trade'), $counts->{read} - $rejected, '... and no other');
    }
    my $site = site(template => 'empty', start => 0);
    my @absent = ('--', 'N/A', '', undef, ' ');
    my @rows = map { my $row = $json->decode($house)->[0]; +{ %$row, transaction_date => $absent[$_], asset_description => "Asset $_", ticker => '--' } } 0 .. $#absent;
    push @rows, { $rows[0]->%*, transaction_date => '03/11/2202', asset_description => 'Asset of a late year' };
    my ($code, $out, $err) = $site->control('import', 'house-ptr', '--json', path_of('absent', 'any', 'all_transactions.json', $json->encode(\@rows)));
    is($code, 0, 'absent days, and another year, are taken') or diag "$out$err";
    is($site->value("SELECT string_agg(concat_ws(' ', asset_name, transaction_date, quote), ', ' ORDER BY asset_name) FROM congress_trade"),
        join(', ', map({ "Asset $_" } 0 .. $#absent), 'Asset of a late year transaction_date: 03/11/2202'), '... as none, and a year that cannot be is quoted');
}

finish();

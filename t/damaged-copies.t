# A damaged copy of a file, of which rows are rejected, takes no good row out of force for good: after the good file what is in force is what it
# alone stores, however often and in whatever order both are loaded.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# Case => source, a seed of the fuzz program or text, name of the file (undef: the seed has several, of a folder), what has a row rejected, what says
# something else besides, options.
# A case whose name ends in "now" is of a source that states no instant.
my $nothing = sub { s/\n?\z/\n\n/ }; # other bytes: which spelling of an asset's name stands does not follow from what is loaded last
my %case = (
    'a fund report' => ['sec-nport', 'nport/report', '0000320193-24-000061.xml', sub { s/<valUSD>/<valUSD>x/ }, sub { s/BETA INC/BETTA INC/g }],
    'a fund report without accession number' => ['sec-nport', 'nport/report', 'report.xml', sub { s/<valUSD>/<valUSD>x/ }, sub { s/BETA INC/BETTA INC/g }],
    'a form' => ['sec-ownership', 'ownership/form4', '0000320193-24-000061.xml', sub { s/<transactionCode>S/<transactionCode>?/ }, sub { s/<transactionShares>\s*<value>\K\d/7/ }],
    'a form without accession number' => ['sec-ownership', 'ownership/form4', 'form4.xml', sub { s/<transactionCode>S/<transactionCode>?/ }, sub { s/<transactionShares>\s*<value>\K\d/7/ }],
    'a schedule' => ['sec-beneficial-ownership', 'beneficial/amendment-13d', '0000320193-24-000061.xml', sub { s/<aggregateAmountOwned>1234567/<aggregateAmountOwned>x/ }, sub { s/(?<=<aggregateAmountOwned>)\d/7/ }],
    'a schedule without accession number' => ['sec-beneficial-ownership', 'beneficial/amendment-13d', 'primary_doc.xml', sub { s/<aggregateAmountOwned>1234567/<aggregateAmountOwned>x/ }, sub { s/(?<=<aggregateAmountOwned>)\d/7/ }],
    'a 13F report' => ['sec-13f', '13f/holdings', '0001951757-25-000093.txt', sub { s/(EPS AG.*?<value>)/$1x/s }, sub { s/(<sshPrnamt>)\d/${1}7/ }],
    'short interest, now' => ['finra-short-interest', 'short-interest/rows', 'shrt20210715.csv', sub { s/\|10384553\|/|x|/ }, sub { s/1646442/1646443/ }],
    'short interest in JSON, now' => ['finra-short-interest', 'short-interest-json/rows', 'short_interest.json', sub { s/11068550/"x"/ }, sub { s/39537335/39537336/ }],
    'dividends, now' => ['corporate-actions', 'actions-list/dividends', 'dividends.csv', sub { s/0.035/x/ }, sub { s/0.025/0.026/ }],
    'dividends of a day, now' => ['corporate-actions', "symbol,exDate,amount\nHAXB,2024-11-28,0.025\nHAXB,2024-11-28,1.5\n", 'dividends.csv', sub { s/1\.5/x/ }, sub { s/0.025/0.0250/ }],
    'splits, now' => ['corporate-actions', 'actions-list/splits', 'splits.csv', sub { s/1\.45/x/ }, sub { s/10\.0/11/ }],
    'dividends in JSON, now' => ['corporate-actions', 'actions-json/list', 'HAXB.json', sub { s/2020-08-31/2020-18-31/ }, sub { s/"dividend": 0.25/"dividend": 0.26/ }],
    'a calendar, now' => ['earnings-calendar', 'earnings-calendar/rows', 'earnings-calendar.csv', sub { s/2026-10-25/2026-10-35/ }, sub { s/1\.35/1.36/ }],
    'a calendar with a day' => ['earnings-calendar', 'earnings-calendar/rows', 'earnings-calendar.2026-10-01.csv', sub { s/2026-10-25/2026-10-35/ }, sub { s/1\.35/1.36/ }],
    'an index of the Clerk, now' => ['house-ptr', 'house-index-text/members', '2023FD.txt', sub { s/(?<=\t)2\/14\/2024/2\/44\/2024/ }, sub { s/Quill/Quilt/ }],
    'trades of the House' => ['house-ptr', 'house/rows', 'all_transactions.json', sub { s/"\$15,001 -"/true/ }, $nothing],
    'a report of the House' => ['house-ptr', 'house-text/report', '20022260.txt', sub { s/E       01\/02\/2024/Q       01\/02\/2024/ }, sub { s/Volqu Co/Volqu Corp/ }],
    'trades of the Senate, now' => ['senate-ptr', 'senate/rows', 'all_transactions.json', sub { s/"\$15,001 - \$50,000"/true/ }, $nothing],
    'reports of the Senate' => ['senate-ptr', 'senate-reports/reports', 'all_transactions.json', sub { s/"\$15,001 - \$50,000"/true/ }, $nothing],
    'tickers, now' => ['sec-company-tickers', 'company-tickers/rows', 'company_tickers.json', sub { s/"VOLQ-B"/7/ }, sub { s/Haxbru/Haxbrew/ }],
    'tickers with exchanges, now' => ['sec-company-tickers', 'company-tickers-exchange/rows', 'company_tickers_exchange.json', sub { s/"VOLQ-B"/7/ }, sub { s/Haxbru/Haxbrew/ }],
    'tickers with a day' => ['sec-company-tickers', 'company-tickers-exchange/rows', 'company_tickers_exchange.2024-01-03.json', sub { s/"VOLQ-B"/7/ }, sub { s/Nasdaq/NYSE/ }],
    'tickers of funds, now' => ['sec-fund-tickers', 'fund-tickers/rows', 'company_tickers_mf.json', sub { s/C900000015/C9/ }, sub { s/HAXFX/ZAXFX/ }],
    'tickers of funds with a day' => ['sec-fund-tickers', 'fund-tickers/rows', 'company_tickers_mf.2024-01-03.json', sub { s/C900000015/C9/ }, sub { s/HAXFX/ZAXFX/ }],
    'submissions' => ['sec-submissions', 'submissions/rows', 'CIK0000320193.json', sub { s/"2024-05-14"/"2024-15-14"/ }, sub { s/"(primaryDocument)":\s*\["\K[^"]/x/ }],
    'company facts' => ['sec-companyfacts', 'companyfacts/two-filings', 'CIK0000320193.json', sub { s/"val":\s*\d/"val":"x/; s/"val":"x(\d*)/"val":"x$1"/ }, sub { s/(.*"val":\s*)\d/${1}7/s }],
    'an instance' => ['xbrl-instance', 'instance/own', 'own-20240331.xml', sub { s/(?<=>)[1-9](?=\d{2,}<)/x/ }, sub { s/>77\.5</>78.5</ }, '--accession', '0000007601-24-000001', '--known-at', '2024-05-01'],
    'a data set of statements' => ['sec-financial-statements', 'statements-folder/two-filings', undef, sub { s/250000.0000/x/ }, sub { s/77.5000/77.6000/ }],
    'a data set of 13F' => ['sec-13f', '13f-folder/data-set', undef, sub { s/\t44000\t/\tx\t/ }, sub { s/ALPHA INC/ALPHAS INC/ }],
    'a data set of forms' => ['sec-ownership', 'ownership-folder/forms', undef, sub { s/\t20\.0\t/\tx\t/ }, sub { s/Corrected/Mended/ }],
    'a data set of funds' => ['sec-nport', 'nport-folder/reports', undef, sub { s/\t20\.5\t/\tx\t/ }, sub { s/\t30\t/\t31\t/ }],
);

# Writes a copy; its path.
sub copy_of
{
    my ($case, $which, $file, $text) = @_;
    return path_of($case, $which, $file, $text) if defined $file;
    my %part = $text =~ /^=== (\S+)\n(.*?)(?=^=== |\z)/gms;
    my ($path) = map { path_of($case, $which, $_, $part{$_}) } sort keys %part;
    return $path =~ s{/[^/]*$}{}r;
}

# What is in force, without the numbers of issuers, which are given in the order of coming; and without instants where the source states none.
sub said
{
    my ($site, $case) = @_;
    my $text = content($site) =~ s/"sources": \K\[.*?\](?=, ")/[]/gr =~ s/"seen_at": "[^"]*"/""/gr;
    for my $issuer ($site->rows('SELECT issuer_id, coalesce(cik::text, party_key) AS name FROM issuer')) {
        $text =~ s/"(\w+_id)": $issuer->{issuer_id}\b/"$1": "$issuer->{name}"/g;
    }
    $text =~ s/"(?:known_at|taken_at|settled_\w+)": "[^"]*"/""/g if $case =~ /now$/;
    return map { ($_ => 1) } split /\n/, $text;
}

my @orders = ([qw(good bad good)], [qw(worse good)], [qw(good worse bad good)]);
for my $case (sort keys %case) {
    my ($source, $seed, $file, $reject, $change, @options) = $case{$case}->@*;
    my $good = $seed =~ /\n/ ? $seed : slurp("$corpus/$seed");
    my %text = (good => $good, bad => $good, worse => $good);
    for ($text{bad}, $text{worse}) { $reject->() }
    for ($text{worse}) { $change->() }
    isnt($text{bad}, $good, "$case: a row is damaged");
    isnt($text{worse}, $text{bad}, '... and something else besides');
    my %path = map { ($_ => copy_of($case, $_, $file, $text{$_})) } keys %text;
    my $load = sub {
        my ($site, $which, $name) = @_;
        my ($code, $out, $err) = $site->control('import', $source, '--json', @options, $path{$which});
        my $counts = eval { $json->decode($out) } // {};
        is($code, $which eq 'good' ? 0 : 1, "$name: $which") or diag substr "$out$err", 0, 600;
        cmp_ok($counts->{rejected} // 0, '>', 0, '... has rows rejected') or diag substr "$out$err", 0, 600 if $which ne 'good';
        return $counts;
    };
    my $fresh = site(template => 'empty', start => 0);
    $load->($fresh, 'good', $case);
    my %expected = said($fresh, $case);
    for my $order (@orders) {
        my $site = site(template => 'empty', start => 0);
        $load->($site, $_, "$case, @$order") for @$order;
        my %said = said($site, $case);
        is_deeply([grep { !$expected{$_} } sort keys %said], [], '... stands as if the good one alone had been loaded');
        is_deeply([grep { !$said{$_} } sort keys %expected], [], '... all of it');
        is($load->($site, 'good', '... again')->{stored}, 0, '... which changes nothing');
    }
}

finish();

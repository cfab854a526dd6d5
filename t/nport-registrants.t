# A data set of N-PORT that gave a report to another registrant: the next one that gives it to its own ends there what it had said, at once.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::NportSet qw(nport_set);
use Disclosed::Test 'without_cache';

my $json = Disclosed::JSON->new->utf8->canonical;
my $site = site(template => 'empty', start => 0);
my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('listing.ndjson',
    '{"dataset":"listing","cik":1000001,"ticker":"ABCD","market":"US","name":"Abcdale Works Inc","status":"active","isin":"US0378331005","known_at":"2015-01-01","provenance":{"source_provider":"sec"}}' . "\n"));
is($code, 0, 'a company') or diag $err;

sub document
{
    my ($cik, @shares) = @_;
    my $holdings = join '', map { "<invstOrSec><name>Abcdale Works</name><lei>N/A</lei><title>Abcdale $_</title><cusip>000000000</cusip><identifiers><isin value=\"US0378331005\"/></identifiers><balance>$shares[$_]</balance><units>NS</units>"
        . '<curCd>USD</curCd><valUSD>10</valUSD><pctVal>1</pctVal><payoffProfile>Long</payoffProfile><assetCat>EC</assetCat><issuerCat>CORP</issuerCat><invCountry>US</invCountry><isRestrictedSec>N</isRestrictedSec><fairValLevel>1</fairValLevel></invstOrSec>' } 0 .. $#shares;
    return "<?xml version=\"1.0\"?>\n<edgarSubmission><headerData><submissionType>NPORT-P</submissionType></headerData><formData><genInfo><regName>Registrant $cik</regName><regFileNumber>811-1</regFileNumber><regCik>$cik</regCik><regLei>N/A</regLei>"
        . '<seriesName>A Fund</seriesName><seriesId>S000000001</seriesId><seriesLei>N/A</seriesLei><repPdEnd>2023-06-30</repPdEnd><repPdDate>2022-12-31</repPdDate><isFinalFiling>N</isFinalFiling></genInfo><fundInfo><totAssets>1000</totAssets>'
        . "<totLiabs>0</totLiabs><netAssets>1000</netAssets></fundInfo><invstOrSecs>$holdings</invstOrSecs></formData></edgarSubmission>";
}

# Sets of two reports: of the first the registrant differs.
my $own = '0009900021';
my %registrant = (good => $own, other => '0009900022', beside => '0009900023');
my %set;
for my $which (sort keys %registrant) {
    my %tables = nport_set(sub { @_ }, ['0009900021-23-000001', '2023-02-27', document($registrant{$which}, 100, 200)], ['0009900023-23-000002', '2023-02-27', document($registrant{beside}, 7) =~ s/S000000001/S000000002/r]);
    mkdir "$site->{root}/$which";
    $site->write("$which/$_", $tables{$_}) for keys %tables;
    $set{$which} = "$site->{root}/$which";
}

sub imported
{
    my ($which, $name) = @_;
    my ($code, $out, $err) = $site->control('import', 'sec-nport', '--json', $set{$which});
    is($code, 0, $name) or diag substr "$out$err", 0, 1000;
    return join ' ', @{ $json->decode($out) }{qw(read stored unchanged superseded rejected)};
}
sub clear
{
    $site->execute('TRUNCATE disclosed.fund, disclosed.fund_holding, disclosed.fund_class, disclosed.fund_exposure, disclosed.named_document');
    $site->execute("DELETE FROM disclosed.$_ WHERE dataset LIKE 'fund%'") for qw(dataset_stat dataset_issuer_stat);
    return;
}

# What is in force at all times, whose, and what is counted.
sub state
{
    return join "\n", map { $_->{line} } $site->rows("SELECT concat_ws(' ', t.what, coalesce(i.cik::text, t.key), t.said, t.known_at) AS line FROM (
        SELECT 'fund' AS what, record_key AS key, concat_ws(' ', fund_key, holding_count) AS said, issuer_id, known_at FROM fund WHERE superseded_at IS DISTINCT FROM known_at
        UNION ALL SELECT 'holding', record_key, concat_ws(' ', record_key, balance, superseded_at), issuer_id, known_at FROM fund_holding WHERE superseded_at IS DISTINCT FROM known_at
        UNION ALL SELECT 'exposure', record_key, concat_ws(' ', accession, trim_scale(shares), superseded_at), fund_issuer, known_at FROM (SELECT e.*, f.issuer_id AS fund_issuer FROM fund_exposure e JOIN fund f ON f.id = e.report_id) e WHERE superseded_at IS DISTINCT FROM known_at
        UNION ALL SELECT 'counted', dataset, record_count::text, 0, NULL FROM dataset_stat WHERE dataset IN ('fund', 'fund_holding', 'fund_exposure')) t LEFT JOIN issuer i USING (issuer_id) ORDER BY 1");
}

my %alone;
for my $which (sort keys %set) {
    clear();
    imported($which, "a set, registrant: $which");
    $alone{$which} = state();
    like($alone{$which}, qr/^holding 9900021 .*000001\/\d+ 200/m, '... has its holdings') if $which eq 'good';
}
for my $order (['other', 'good'], ['beside', 'good'], ['good', 'other', 'good'], ['other', 'beside', 'good', 'good'], ['other', 'other', 'good'], ['other', 'good', 'other', 'good', 'beside'], ['good', 'beside', 'other', 'good', 'good']) {
    clear();
    for my $step (0 .. $#$order) {
        my $counts = imported($order->[$step], "@$order: $step");
        is($counts, '5 0 5 0 0', '... the same again changes nothing') if $step > 0 && $order->[$step] eq $order->[$step - 1];
        isnt($counts, '5 0 5 0 0', '... which is something') if $step > 0 && $order->[$step] ne $order->[$step - 1];
        is(state(), $alone{ $order->[$step] }, '... is as if it alone had been loaded');
    }
    is(imported($order->[-1], '... and again'), '5 0 5 0 0', '... which changes nothing');
    is(state(), $alone{ $order->[-1] }, '... indeed');
}

finish();

# Which listing a CUSIP is, by the names in real information tables and the SEC's list of tickers: each
# pair has been checked by eye. What is not in the list has no listing: no other is guessed.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder);

my $tickers = folder('edgar-tickers');
my $tables  = folder('form13f/infotable');
my $site    = site(template => 'empty', start => 0);

my %checked = qw(
    00206R102 T 002824100 ABT 00287Y109 ABBV 02005N100 ALLY 02209S103 MO 023135106 AMZN 025537101 AEP 025816109 AXP
    03027X100 AMT 037833100 AAPL 053015103 ADP 05464C101 AXON 060505104 BAC 064058100 BK 084670702 BRK-B
    088606108 BHP 097023105 BA 110122108 BMY 126650100 CVS 14040H105 COF 150870103 CE 16119P108 CHTR 166764100 CVX
    17275R102 CSCO 172967424 C 191216100 KO 20030N101 CMCSA 20825C104 COP 21036P108 STZ 22052L104 CTVA 22160K105 COST
    22717L101 CRON 23804L103 DDOG 23918K108 DVA 252131107 DXCM 25243Q205 DEO 254687106 DIS 256163106 DOCU
    25754A201 DPZ 260557103 DOW 26142R104 DKNG 27828G107 EVT 285512109 EA 29444U700 EQIX 30231G102 XOM 339750101 FND
    34959E109 FTNT 369604301 GE 37045V100 GM 37959E102 GL 40434L105 HPQ 422806208 HEI-A 437076102 HD 438516106 HON
    443573100 HUBS 458140100 INTC 459200101 IBM 46120E602 ISRG 46284V101 IRM 464285204 IAU 46428Q109 SLV
    46625H100 JPM 47233W109 JEF 478160104 JNJ 49456B101 KMI 500754106 KHC 501044101 KR 512807108 LRCX 512816109 LAMR
    517834107 LVS 52567D107 LMND 526057104 LEN 526057302 LEN-B 539830109 LMT 546347105 LPX 571748102 MMC 57636Q104 MA
    580135101 MCD 58155Q103 MCK 58733R102 MELI 58933Y105 MRK 594918104 MSFT 595112103 MU 609207105 MDLZ 615369105 MCO
    617446448 MS 62944T105 NVR 64110L106 NFLX 650111107 NYT 655844108 NSC 670346105 NUE 67066G104 NVDA 674599105 OXY
    68389X105 ORCL 693506107 PPG 70202L102 PSN 70450Y103 PYPL 713448108 PEP 717081103 PFE 718172109 PM 73278L105 POOL
    742718109 PG 74340W103 PLD 747525103 QCOM 74967X103 RH 760759100 RSG 77543R102 ROKU 778296103 ROST 78409V104 SPGI
    78462F103 SPY 78463V107 GLD 78467X109 DIA 806857108 SLB 81141R100 SE 81762P102 NOW 82509L107 SHOP 82982L103 SITE
    829933100 SIRI 83191H107 SND 833445109 SNOW 864482104 SPH 871829107 SYY 872590104 TMUS 874039100 TSM
    874054109 TTWO 88160R101 TSLA 883556102 TMO 88579Y101 MMM 90138F102 TWLO 902973304 USB 907818108 UNP
    911312106 UPS 91324P102 UNH 92243A200 VXRT 92343E102 VRSN 92343V104 VZ 92826C839 V 92857W308 VOD 931142103 WMT
    949746101 WFC 983134107 WYNN D18190898 DB G0176J109 ALLE G0403H108 AON G1151C101 ACN G29183103 ETN G6683N103 NU
    G6693N103 NU G85158106 STNE G9001E102 LILA H1467J104 CB M4R82T106 FVRR
);

# Tables without their covers: who files them and when is made up here.
my @reports = (['brk-ancient-thousands', 1067983, '2016-06-30', '0000000001-16-000001', '2016-08-15'],
    ['brk-transition-2022q4', 1067983, '2022-12-31', '0000000001-23-000001', '2023-02-14'],
    ['brk-modern-dollars', 1067983, '2025-03-31', '0000000001-25-000001', '2025-05-15'],
    ['infotable-edgartools', 9999999, '2022-09-30', '0000000001-22-000001', '2022-11-14']);
for my $report (@reports) {
    my ($name, $cik, $period, $accession, $filed) = @$report;
    my ($code, $out, $err) = $site->control('import', 'sec-13f', '--cik', $cik, '--period', $period, '--accession', $accession,
        '--known-at', $filed, "$tables/$name.xml");
    is($code, 0, $name) or diag $out, $err;
}
is($site->value('SELECT count(*) FROM security_link'), 0, 'without tickers no CUSIP is a listing');
my ($code, $out, $err) = $site->control('import', 'sec-company-tickers', '--known-at', '2025-06-01', "$tickers/company_tickers_exchange.json");
is($code, 0, 'tickers come later') or diag $out, $err;
my %linked = map { ($_->{cusip} => $_->{ticker}) } $site->rows(q{SELECT cusip, split_part(symbol, ':', 1) AS ticker
    FROM security_link WHERE symbol IS NOT NULL});
is_deeply(\%linked, \%checked, keys(%checked) . ' CUSIPs have the listing that they should have, the others none');

# Classes that no file tells: the company alone.
my %companies = ('02079K305' => 'Alphabet', '02079K107' => 'Alphabet', '531229854' => 'Liberty Media', '92556H206' => 'Paramount');
for my $cusip (sort keys %companies) {
    like($site->value("SELECT i.name FROM security_link l JOIN issuer i ON i.issuer_id = l.company_id WHERE l.cusip = '$cusip' AND l.symbol IS NULL"),
        qr/^$companies{$cusip}/, "$cusip: $companies{$cusip}, of a class that is not known");
}
for my $report (@reports) {
    my ($row) = $site->rows("SELECT round(100 * sum(p.value) FILTER (WHERE s.symbol IS NOT NULL) / sum(p.value), 1) AS share
        FROM institution_position p LEFT JOIN LATERAL security_of(p.cusip, NULL, NULL, p.period_of_report) s ON true WHERE p.accession = '$report->[3]'");
    my $least = $report->[0] =~ /^brk/ ? 96 : 20; # the other one holds funds, whose trusts have many listings
    cmp_ok($row->{share}, '>=', $least, "$report->[0]: $row->{share} percent of the value has a listing");
}
is($site->value("SELECT coalesce(sum(entries), 0) FROM institution_unmapped"), $site->value("SELECT record_count FROM dataset_stat
    WHERE dataset = 'institution_position_unmapped'"), 'what has none is counted');
is($site->value("SELECT string_agg(symbol, ' ' ORDER BY symbol) FROM institution_holder WHERE symbol LIKE 'BRK%' AND superseded_at IS NULL"), 'BRK-B:US',
    'class B of Berkshire Hathaway is not class A');

# The check digit, against a reckoning of our own.
sub check_digit
{
    my ($eight) = @_;
    my ($sum, $place) = (0, 0);
    for my $character (split //, $eight) {
        my $value = index('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', $character) * (1 + $place++ % 2);
        $sum += int($value / 10) + $value % 10;
    }
    return (10 - $sum % 10) % 10;
}
srand 12;
my @characters = (0 .. 9, 'A' .. 'Z', '*', '@', '#');
my %is_valid = map { my $eight = join '', map { $characters[rand @characters] } 1 .. 8; my $last = int rand 10; ("$eight$last" => $last == check_digit($eight)) } 1 .. 20_000;
$is_valid{$_} = 0 for '', '0', '03783310', '0378331000', 'o37833100', "\xc3\x8437833100", '03783310A', ' 37833100', '037833101';
$is_valid{$_} = substr($_, 8) eq check_digit(substr $_, 0, 8) for keys %checked; # some are wrong as filed
my $given = join ',', map { "('$_', " . ($is_valid{$_} ? 'true' : 'false') . ')' } sort keys %is_valid;
is($site->value("SELECT string_agg(c, ' ') FROM (VALUES $given) AS v(c, valid) WHERE disclosed.cusip_is_valid(c) IS DISTINCT FROM valid"), '', 'CUSIPs are valid by their check digits');
is($site->value('SELECT disclosed.cusip_is_valid(NULL) IS NULL'), 't', '... and nothing is neither');

finish();

# Holdings of funds that reports name by CUSIP and ISIN alone: whose they are is told by the name of the
# issuer, where one company that is listed bears it; and the import says which of them found nobody. The
# reports are made here.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;

# The CUSIP of eight characters, and its ISIN.
sub cusip
{
    my ($eight) = @_;
    my ($sum, $place) = (0, 0);
    for my $character (split //, $eight) {
        my $value = index('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', $character) * ($place++ % 2 ? 2 : 1);
        $sum += int($value / 10) + $value % 10;
    }
    return $eight . (10 - $sum % 10) % 10;
}

sub isin
{
    my ($country, $cusip) = @_;
    my @digits = split //, join '', map { /\d/ ? $_ : ord($_) - 55 } split //, "$country$cusip";
    my ($sum, $place) = (0, 0);
    for my $digit (reverse @digits) {
        my $value = $place++ % 2 ? $digit : 2 * $digit;
        $sum += int($value / 10) + $value % 10;
    }
    return "$country$cusip" . (10 - $sum % 10) % 10;
}
is(cusip('03783310'), '037833100', 'a check digit as it should be');
is(isin('US', '037833100'), 'US0378331005', '... of an ISIN as well');

sub import_lines
{
    my (@lines) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('lines.ndjson', join '', map { $json->encode($_) . "\n" } @lines));
    is($code, 0, scalar(@lines) . ' lines') or diag "$out$err";
}

sub listing
{
    my ($cik, $ticker, $name, %more) = @_;
    return { dataset => 'listing', cik => $cik, issuer_name => $name, known_at => '2020-01-01', ticker => $ticker, market => 'US', name => $name,
        status => 'active', provenance => { source_provider => 'issuer_page' }, %more };
}

# A holding of 10 shares; identifiers are of its CUSIP unless they are given.
sub holding
{
    my ($name, %h) = @_;
    my $cusip = $h{cusip} // '000000000';
    my $isin = exists $h{isin} ? $h{isin} : isin('US', $cusip);
    return "<invstOrSec><name>$name</name><lei>N/A</lei><title>@{[$h{title} // $name]}</title><cusip>$cusip</cusip><identifiers>"
        . (defined $isin ? "<isin value=\"$isin\"/>" : '') . ($h{ticker} ? "<ticker value=\"$h{ticker}\"/>" : '')
        . "</identifiers><balance>10</balance><units>NS</units>" . ($h{currency} ? "<currencyConditional curCd=\"$h{currency}\" exchangeRt=\"0.9\"/>" : '<curCd>USD</curCd>')
        . '<valUSD>' . ($h{value} // 100) . '</valUSD><pctVal>1</pctVal><payoffProfile>Long</payoffProfile><assetCat>' . ($h{asset} // 'EC')
        . '</assetCat><issuerCat>CORP</issuerCat><invCountry>US</invCountry><isRestrictedSec>N</isRestrictedSec><fairValLevel>1</fairValLevel></invstOrSec>';
}

my $number = 0;

sub import_report
{
    my ($cik, @holdings) = @_;
    my $accession = sprintf '%010d-24-%06d', $cik, ++$number;
    my ($code, $out, $err) = $site->control('import', 'sec-nport', $site->write("$accession.xml", "<edgarSubmission><headerData><submissionType>NPORT-P</submissionType></headerData>"
        . "<formData><genInfo><regName>Index Trust $cik</regName><regCik>$cik</regCik><seriesName>N/A</seriesName><repPdEnd>2024-12-31</repPdEnd><repPdDate>2024-03-31</repPdDate><isFinalFiling>N</isFinalFiling></genInfo>"
        . "<fundInfo><totAssets>10000</totAssets><totLiabs>0</totLiabs><netAssets>10000</netAssets></fundInfo><invstOrSecs>" . join('', @holdings) . '</invstOrSecs></formData></edgarSubmission>'));
    is($code, 0, "a report of $cik") or diag "$out$err";
    return "$out$err";
}

sub funds { my ($symbol) = @_; return join ', ', sort map { $_->{fund_name} } json_of($site->get("/v1/companies/$symbol/fund-exposure"), $symbol)->{data}->@* }

# --- by name ---------------------------------------------------------------------------------------

my %cusip = map { $_->[0] => cusip($_->[1]) } ['dovetail', '25999910'], ['harrow A', '41299910'], ['harrow C', '41299920'], ['islander', 'G4799910'], ['marten', '57399910'], ['later', '52199910'];
import_lines(
    listing(1001, 'DOVE', 'Dovetail Instruments, Inc.'),
    listing(1002, 'HARA', 'Harrow Group Inc.'), listing(1002, 'HARC', 'Harrow Group Inc.'),
    listing(1003, 'ISLE', 'Islander Holdings plc'),
    listing(1004, 'MART', 'Marten Corp'), listing(1005, 'MRTN', 'Marten Co'),
    listing(1006, 'OTTR', 'Otter Works Ltd'),
);
my @named = (
    holding('Dovetail Instruments Inc', cusip => $cusip{dovetail}),
    holding('HARROW GROUP INC', title => 'Harrow Group Inc Class A', cusip => $cusip{'harrow A'}),
    holding('HARROW GROUP INC', title => 'CL C', cusip => $cusip{'harrow C'}),
    holding('Islander Holdings PLC', cusip => $cusip{islander}, isin => 'IE00B4BNMY34'),
    holding('Later Listed Corp', cusip => $cusip{later}),
);
my $said = import_report(9001, @named);
is(funds('DOVE'), 'Index Trust 9001', 'CUSIP and ISIN alone: the name tells the company');
is(funds('HARA'), 'Index Trust 9001', '... of two classes');
is(json_of($site->get('/v1/companies/HARA/fund-exposure'), 'both classes')->{data}[0]{shares}, 20, '... which are summed');
is(funds('ISLE'), 'Index Trust 9001', '... where the ISIN holds no CUSIP');
like($said, qr/1 of 5 equity holdings found no listing, for example Later Listed Corp \(CUSIP $cusip{later}, ISIN US$cusip{later}\d\)/, 'the import says what found nobody');
is($site->value("SELECT string_agg(coalesce(symbol, '-'), ' ' ORDER BY row_number) FROM fund_holding"), '- - - - -', '... but a bare name does not tell which listing');
import_lines(listing(1007, 'LATE', 'Later Listed Corporation'));
is(funds('LATE'), 'Index Trust 9001', 'a listing that comes later is found');
unlike(import_report(9002, @named), qr/found no listing/, 'a report that all is found of says nothing');
is(funds('DOVE'), 'Index Trust 9001, Index Trust 9002', '... and counts as well');

# --- not by name -------------------------------------------------------------------------------------

my $other = cusip('67199910');
my @never = (
    holding('Marten Corp', cusip => $cusip{marten}, value => 900),                                  # two companies bear that name
    holding('Otter Works Ltd', cusip => cusip('69999910'), currency => 'GBP'),                      # not what is listed here
    holding('Otter Works Ltd', title => 'Badger Mills common stock', cusip => cusip('69999920')),   # name and title are two companies'
    holding('Otter Works Ltd', cusip => cusip('69999930'), isin => isin('US', $other)),             # two securities
    holding('Otter Works Ltd', cusip => '699999409'),                                               # a check digit that is none
    holding('Otter Works Finance Ltd', cusip => cusip('69999950')),
    holding('Otter Works Ltd', cusip => cusip('69999960'), asset => 'DBT'),
    holding('N/A', cusip => cusip('69999970'), title => 'Otter Works Ltd'),
    holding('Otter Works Ltd', isin => undef),
);
$said = import_report(9003, @never);
is(funds($_), '', "$_ is held by none") for qw(OTTR MART MRTN);
like($said, qr/8 of 8 equity holdings found no listing, for example Marten Corp \(CUSIP $cusip{marten}, /, 'all are told, the largest as an example');

finish();

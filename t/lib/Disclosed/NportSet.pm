package Disclosed::NportSet;

# Makes the tables of the SEC's "Form N-PORT Data Sets" of N-PORT documents: columns as their readme lists them, dates as
# in the set of 2026 Q1.

use v5.24;
use warnings;
use Disclosed::RealFiles qw(text_of);
use Exporter qw(import);

our @EXPORT_OK = qw(nport_set);

my %header = (
    SUBMISSION            => [qw(ACCESSION_NUMBER FILING_DATE FILE_NUM SUB_TYPE REPORT_ENDING_PERIOD REPORT_DATE IS_LAST_FILING)],
    REGISTRANT            => [qw(ACCESSION_NUMBER CIK REGISTRANT_NAME FILE_NUM LEI ADDRESS1 ADDRESS2 CITY STATE COUNTRY ZIP PHONE)],
    FUND_REPORTED_INFO    => [qw(ACCESSION_NUMBER SERIES_NAME SERIES_ID SERIES_LEI TOTAL_ASSETS TOTAL_LIABILITIES NET_ASSETS)],
    FUND_REPORTED_HOLDING => [qw(ACCESSION_NUMBER HOLDING_ID ISSUER_NAME ISSUER_LEI ISSUER_TITLE ISSUER_CUSIP BALANCE UNIT OTHER_UNIT_DESC CURRENCY_CODE CURRENCY_VALUE EXCHANGE_RATE PERCENTAGE
        PAYOFF_PROFILE ASSET_CAT OTHER_ASSET ISSUER_TYPE OTHER_ISSUER INVESTMENT_COUNTRY IS_RESTRICTED_SECURITY FAIR_VALUE_LEVEL DERIVATIVE_CAT)],
    IDENTIFIERS           => [qw(HOLDING_ID IDENTIFIERS_ID IDENTIFIER_ISIN IDENTIFIER_TICKER OTHER_IDENTIFIER OTHER_IDENTIFIER_DESC)],
    MONTHLY_TOTAL_RETURN  => [qw(ACCESSION_NUMBER MONTHLY_TOTAL_RETURN_ID CLASS_ID)],
);
my %entity = (amp => '&', lt => '<', gt => '>', quot => '"', apos => "'");

sub field
{
    my ($text) = @_;
    return '' if !defined $text;
    $text =~ s/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/defined $1 ? chr hex $1 : defined $2 ? chr $2 : $entity{$3}/ge;
    $text =~ s/\s+/ /g;
    $text =~ s/\A | \z//g;
    return $text =~ /"/ ? '"' . $text =~ s/"/""/gr . '"' : $text;
}

sub date { my ($text) = @_; return ($text // '') =~ /^(\d{4})-(\d\d)-(\d\d)/ ? "$3-" . (qw(JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC))[$2 - 1] . "-$1" : '' }

# An attribute of the first element of that name.
sub attribute { my ($xml, $element, $name) = @_; return $xml =~ m{<$element\s[^>]*?\b$name="([^"]*)"} ? $1 : undef }

# Table => text, of [accession number, filing date, XML document] each; lines stand as `order` sorts them.
sub nport_set
{
    my ($order, @documents) = @_;
    my %lines = map { ($_ => []) } keys %header;
    my ($holding, $identifier) = (4000, 90000);
    for my $document (@documents) {
        my ($accession, $filed, $xml) = @$document;
        $xml =~ s{(</?)\w+:}{$1}g;
        my ($general) = $xml =~ m{<genInfo>(.*?)</genInfo>}s;
        my ($fund) = $xml =~ m{<fundInfo>(.*?)</fundInfo>}s;
        push $lines{SUBMISSION}->@*, [$accession, date($filed), '', text_of($xml, 'submissionType'), map({ date(text_of($general, $_)) } qw(repPdEnd repPdDate)), text_of($general, 'isFinalFiling')];
        push $lines{REGISTRANT}->@*, [$accession, map({ text_of($general, $_) } qw(regCik regName regFileNumber regLei)), ('') x 7];
        push $lines{FUND_REPORTED_INFO}->@*, [$accession, map({ text_of($general, $_) } qw(seriesName seriesId seriesLei)), map { text_of($fund, $_) } qw(totAssets totLiabs netAssets)];
        push $lines{MONTHLY_TOTAL_RETURN}->@*, [$accession, 1, 'C000000001'];
        for my $row ($xml =~ m{<invstOrSec>(.*?)</invstOrSec>}gs) {
            my ($own) = $row =~ m{^(.*?)(?:<securityLending>|<derivativeInfo>|<debtSec>|\z)}s;
            my ($derivative) = $row =~ m{<derivativeInfo>\s*<\w+\s[^>]*?derivCat="([^"]*)"};
            $holding++;
            push $lines{FUND_REPORTED_HOLDING}->@*, [$accession, $holding, map({ text_of($own, $_) } qw(name lei title cusip balance units descOthUnits)),
                text_of($own, 'curCd') // attribute($own, 'currencyConditional', 'curCd'), text_of($own, 'valUSD'), attribute($own, 'currencyConditional', 'exchangeRt'), text_of($own, 'pctVal'), text_of($own, 'payoffProfile'),
                text_of($own, 'assetCat') // attribute($own, 'assetConditional', 'assetCat'), attribute($own, 'assetConditional', 'desc'),
                text_of($own, 'issuerCat') // attribute($own, 'issuerConditional', 'issuerCat'), attribute($own, 'issuerConditional', 'desc'), map({ text_of($own, $_) } qw(invCountry isRestrictedSec fairValLevel)), $derivative];
            my ($identifiers) = $own =~ m{<identifiers>(.*?)</identifiers>}s;
            for my $one (($identifiers // '') =~ m{<(\w+\s[^>]*?)/?>}g) {
                my ($kind) = $one =~ /^(\w+)/;
                my ($value) = $one =~ /\bvalue="([^"]*)"/;
                my ($description) = $one =~ /otherDesc="([^"]*)"/;
                push $lines{IDENTIFIERS}->@*, [$holding, $identifier++, $kind eq 'isin' ? ($value, '', '', '') : $kind eq 'ticker' ? ('', $value, '', '') : ('', '', $value, $description)];
            }
        }
    }
    my %set;
    for my $name (keys %lines) {
        $set{"$name.tsv"} = join '', map { join("\t", map { field($_) } @$_) . "\n" } $header{$name}, $order->($lines{$name}->@*);
        utf8::encode($set{"$name.tsv"});
    }
    return %set;
}

1;

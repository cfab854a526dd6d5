package Disclosed::InsiderSet;

# Makes the tables of the SEC's "Insider Transactions Data Sets" of ownership documents: columns as their readme lists
# them, dates, quotes, numbers, keys and the order of lines as in the set of 2024 Q3.

use v5.24;
use warnings;
use Disclosed::RealFiles qw(text_of);
use Exporter qw(import);

our @EXPORT_OK = qw(insider_set);

# Columns of the tables: name of the column, element.
my @row = (['SECURITY_TITLE', 'securityTitle'], ['CONV_EXERCISE_PRICE', 'conversionOrExercisePrice'], ['TRANS_DATE', 'transactionDate'],
    ['DEEMED_EXECUTION_DATE', 'deemedExecutionDate'], ['TRANS_FORM_TYPE', 'transactionFormType'], ['TRANS_CODE', 'transactionCode'], ['EQUITY_SWAP_INVOLVED', 'equitySwapInvolved'],
    ['TRANS_TIMELINESS', 'transactionTimeliness'], ['TRANS_SHARES', 'transactionShares'], ['TRANS_TOTAL_VALUE', 'transactionTotalValue'],
    ['TRANS_PRICEPERSHARE', 'transactionPricePerShare'], ['TRANS_ACQUIRED_DISP_CD', 'transactionAcquiredDisposedCode'], ['EXCERCISE_DATE', 'exerciseDate'],
    ['EXPIRATION_DATE', 'expirationDate'], ['UNDLYNG_SEC_TITLE', 'underlyingSecurityTitle'], ['UNDLYNG_SEC_SHARES', 'underlyingSecurityShares'],
    ['UNDLYNG_SEC_VALUE', 'underlyingSecurityValue'], ['SHRS_OWND_FOLWNG_TRANS', 'sharesOwnedFollowingTransaction'], ['VALU_OWND_FOLWNG_TRANS', 'valueOwnedFollowingTransaction'],
    ['DIRECT_INDIRECT_OWNERSHIP', 'directOrIndirectOwnership'], ['NATURE_OF_OWNERSHIP', 'natureOfOwnership']);
my %only = (CONV_EXERCISE_PRICE => 'D', TRANS_DATE => 'T', DEEMED_EXECUTION_DATE => 'T', TRANS_CODE => 'T', EQUITY_SWAP_INVOLVED => 'T', TRANS_TIMELINESS => 'T', TRANS_SHARES => 'T',
    TRANS_TOTAL_VALUE => 'DT', TRANS_PRICEPERSHARE => 'T', TRANS_ACQUIRED_DISP_CD => 'T', EXCERCISE_DATE => 'D', EXPIRATION_DATE => 'D', UNDLYNG_SEC_TITLE => 'D',
    UNDLYNG_SEC_SHARES => 'D', UNDLYNG_SEC_VALUE => 'D');
my @tables = (['NONDERIV_TRANS', 'nonDerivativeTransaction', 'T'], ['NONDERIV_HOLDING', 'nonDerivativeHolding', ''], ['DERIV_TRANS', 'derivativeTransaction', 'DT'],
    ['DERIV_HOLDING', 'derivativeHolding', 'D']);
my %entity = (amp => '&', lt => '<', gt => '>', quot => '"', apos => "'");
my @months = qw(JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC);

sub plain
{
    my ($text) = @_;
    return '' if !defined $text;
    $text =~ s/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/defined $1 ? chr hex $1 : defined $2 ? chr $2 : $entity{$3}/ge;
    $text =~ s/\s+/ /g;
    return $text =~ s/\A | \z//gr;
}

sub field
{
    my ($text) = @_;
    $text = plain($text);
    return $text =~ /"/ ? '"' . $text =~ s/"/""/gr . '"' : $text;
}

sub date { my ($text) = @_; return ($text // '') =~ /^(\d{4})-(\d\d)-(\d\d)/ ? "$3-$months[$2 - 1]-$1" : '' }

sub value
{
    my ($column, $text) = @_;
    return date($text) if $column =~ /DATE$/;
    return field($text) if $column !~ /SHARES|VALUE|PRICE|SHRS_|VALU_/ || !defined $text;
    return $text =~ /\./ ? $text : "$text.0";
}

# The element of a row, itself without its children, or nothing.
sub element
{
    my ($row, $name) = @_;
    return $row =~ m{<$name(?:\s[^>]*)?>(.*?)</$name>}s ? $1 : '';
}

# The footnotes of a value; of the code those of the coding, without its elements'.
sub notes
{
    my ($row, $name) = @_;
    return join ', ', element($row, $name) =~ /<footnoteId\s+id="(\w+)"/g;
}

# Table => text, of [accession number, filing date, XML document] each; lines stand as `order` sorts them.
sub insider_set
{
    my ($order, @documents) = @_;
    my %lines;
    my $key = 1000;
    my $titled = sub { my ($column, $table) = @_; return $table eq 'DERIV_HOLDING' ? $column =~ s/EXCERCISE/EXERCISE/r : $column };
    for my $table (@tables) {
        my ($name, undef, $has) = @$table;
        my @columns = grep { !exists $only{ $_->[0] } || $has =~ /\Q$only{$_->[0]}\E/ } @row;
        push $lines{$name}->@*, join "\t", 'ACCESSION_NUMBER', "${name}_SK", map { my $column = $titled->($_->[0], $name);
            ($column eq 'TRANS_CODE' || ($column eq 'TRANS_FORM_TYPE' && $has =~ /T/) ? $column : $column eq 'EQUITY_SWAP_INVOLVED' ? ($column, 'EQUITY_SWAP_TRANS_CD_FN') : ($column, "${column}_FN")) } @columns;
        $table->[3] = \@columns;
    }
    for my $document (@documents) {
        my ($accession, $filed, $xml) = @$document;
        my $head = $xml =~ s{<reportingOwner>.*}{}sr;
        push $lines{SUBMISSION}->@*, join "\t", $accession, date($filed), map({ date(text_of($xml, $_)) } qw(periodOfReport dateOfOriginalSubmission)), map({ plain(text_of($xml, $_)) } qw(noSecuritiesOwned notSubjectToSection16)),
            '', '', plain(text_of($xml, 'documentType')), map({ field(text_of($head, $_)) } qw(issuerCik issuerName issuerTradingSymbol)), field(text_of($xml, 'remarks')), plain(text_of($xml, 'aff10b5One'));
        for my $owner ($xml =~ m{<reportingOwner>(.*?)</reportingOwner>}gs) {
            my %is = (isDirector => 'Director', isOfficer => 'Officer', isTenPercentOwner => 'TenPercentOwner', isOther => 'Other');
            push $lines{REPORTINGOWNER}->@*, join "\t", $accession, map({ field(text_of($owner, $_)) } qw(rptOwnerCik rptOwnerName)),
                join(',', map { plain(text_of($owner, $_)) =~ /^(?:1|true)$/i ? $is{$_} : () } qw(isDirector isOfficer isTenPercentOwner isOther)),
                map({ field(text_of($owner, $_)) } qw(officerTitle otherText)), ('') x 7;
        }
        push $lines{FOOTNOTES}->@*, join "\t", $accession, $1, field($2) while $xml =~ m{<footnote id="(\w+)">(.*?)</footnote>}gs;
        push $lines{OWNER_SIGNATURE}->@*, join "\t", $accession, field(text_of($1, 'signatureName')), date(text_of($1, 'signatureDate')) while $xml =~ m{<ownerSignature>(.*?)</ownerSignature>}gs;
        for my $table (@tables) {
            my ($name, $element, $has, $columns) = @$table;
            for my $row ($xml =~ m{<$element>(.*?)</$element>}gs) {
                my $coding = element($row, 'transactionCoding') =~ s{<(transaction\w+|equity\w+)>.*?</\1>}{}gsr;
                my $coded = join ', ', $coding =~ /<footnoteId\s+id="(\w+)"/g;
                push $lines{$name}->@*, join "\t", $accession, $key++, map {
                    my ($column, $path) = @$_;
                    my $text = value($column, text_of($row, $path));
                    $column eq 'TRANS_CODE' || ($column eq 'TRANS_FORM_TYPE' && $has =~ /T/) ? $text : $column =~ /EQUITY|FORM_TYPE/ ? ($text, $coded) : ($text, notes($row, $path))
                } @$columns;
            }
        }
    }
    unshift $lines{SUBMISSION}->@*, join "\t", qw(ACCESSION_NUMBER FILING_DATE PERIOD_OF_REPORT DATE_OF_ORIG_SUB NO_SECURITIES_OWNED NOT_SUBJECT_SEC16 FORM3_HOLDINGS_REPORTED FORM4_TRANS_REPORTED
        DOCUMENT_TYPE ISSUERCIK ISSUERNAME ISSUERTRADINGSYMBOL REMARKS AFF10B5ONE);
    unshift $lines{REPORTINGOWNER}->@*, join "\t", qw(ACCESSION_NUMBER RPTOWNERCIK RPTOWNERNAME RPTOWNER_RELATIONSHIP RPTOWNER_TITLE RPTOWNER_TXT RPTOWNER_STREET1 RPTOWNER_STREET2 RPTOWNER_CITY
        RPTOWNER_STATE RPTOWNER_ZIPCODE RPTOWNER_STATE_DESC FILE_NUMBER);
    unshift $lines{FOOTNOTES}->@*, join "\t", qw(ACCESSION_NUMBER FOOTNOTE_ID FOOTNOTE_TXT);
    unshift $lines{OWNER_SIGNATURE}->@*, join "\t", qw(ACCESSION_NUMBER OWNERSIGNATURENAME OWNERSIGNATUREDATE);
    my %set;
    for my $name (keys %lines) {
        my ($header, @rest) = $lines{$name}->@*;
        # An owner has no key: those of a form stand in its order.
        @rest = $name eq 'REPORTINGOWNER' ? @rest : $order->(@rest);
        $set{"$name.tsv"} = join '', map { "$_\n" } $header, @rest;
        utf8::encode($set{"$name.tsv"});
    }
    return %set;
}

1;

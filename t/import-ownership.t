# Real files: Forms 3, 4 and 5. Every transaction and holding of every document, with its shares,
# prices, codes and dates.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice slurp text_of);

my $ownership = folder('ownership-xml');
my $site = site(template => 'empty');

# --- read here -------------------------------------------------------------------------------

# Numbers compare by value, texts as they are.
sub number
{
    my ($text) = @_;
    return undef if !defined $text;
    $text =~ s/,//g;
    $text =~ s/^0+(?=\d)//;
    return $text =~ /\./ ? $text =~ s/\.?0+\z//r : $text;
}

# One transaction element as a line of text.
sub transaction
{
    my ($element, $derivative) = @_;
    my %ownership = (D => 'direct', I => 'indirect');
    my $owned = text_of($element, 'directOrIndirectOwnership');
    my @values = ($derivative, text_of($element, 'securityTitle'), text_of($element, 'transactionCode'), text_of($element, 'transactionAcquiredDisposedCode'),
        number(text_of($element, 'transactionShares')), number(text_of($element, 'transactionPricePerShare')),
        number(text_of($element, 'sharesOwnedFollowingTransaction')), substr(text_of($element, 'transactionDate') // '', 0, 10),
        defined $owned ? $ownership{$owned} : undef);
    return join ' | ', map { $_ // '-' } @values;
}

# Documents that stand in a whole submission as well: they count once, under its accession number.
my %in_submission;
for my $path (glob "$ownership/sgml/*") {
    my ($document) = slurp($path) =~ m{(<ownershipDocument.*</ownershipDocument>)}s or next;
    $in_submission{ $document =~ s/\s+//gr } = 1;
}

my (%documents, %transactions, %holdings, $duplicates);
for my $path (glob "$ownership/form*/*.xml") {
    my $xml = slurp($path);
    utf8::decode($xml);
    my ($accession) = $path =~ m{/(\d{10}-\d\d-\d{6})\.xml\z};
    my $key = $accession // $path =~ s{.*/}{}r;
    my ($document) = $xml =~ m{(<ownershipDocument.*</ownershipDocument>)}s or die "$path: no document";
    $duplicates++, next if $documents{$document}++ || $in_submission{ $document =~ s/\s+//gr };
    my @rows = ((map { transaction($_, 'N') } $document =~ m{(<nonDerivativeTransaction>.*?</nonDerivativeTransaction>)}gs),
        (map { transaction($_, 'D') } $document =~ m{(<derivativeTransaction>.*?</derivativeTransaction>)}gs));
    $transactions{$key} = { rows => \@rows, form => text_of($document, 'documentType'), cik => text_of($document, 'issuerCik'),
        owner => text_of($document, 'rptOwnerName'), owners => scalar(() = $document =~ /<rptOwnerCik>/g), accession => $accession };
    $holdings{$key} = () = $document =~ m{<(?:nonD|d)erivativeHolding>}g;
}
my $count = 0;
$count += $_->{rows}->@* for values %transactions;
my $held = 0;
$held += $_ for values %holdings;

# --- imported --------------------------------------------------------------------------------

my $summary = import_twice($site, 'sec-ownership', $ownership);
is($summary->{rejected}, 0, 'none is rejected');
is($summary->{failed},   0, 'no file fails');
cmp_ok($summary->{files}, '>=', 315, "$summary->{files} files");

# Without the four whole submissions, which are compared below.
my $sgml = join ', ', map { "'$_'" } map { m{([^/]+)\.\w+\z} } glob "$ownership/sgml/*";
my $ours = "(accession IS NULL OR accession NOT IN ($sgml))";
is($site->value("SELECT count(*) FROM insider_transaction WHERE $ours AND superseded_at IS DISTINCT FROM known_at"), $count, "$count transactions");
is($site->value("SELECT count(*) FROM insider_holding WHERE $ours AND superseded_at IS DISTINCT FROM known_at"), $held, "$held holdings");

my %imported;
for my $row ($site->rows("SELECT accession, i.cik, CASE WHEN is_derivative THEN 'D' ELSE 'N' END AS kind, security_title, transaction_code, acquired_disposed,
    shares::text AS shares, price::text AS price, shares_owned_after::text AS shares_after, transaction_date, ownership, insider_name, t.form,
    coalesce(cardinality(joint_owners), 0) AS joint, value::text AS value FROM insider_transaction t JOIN issuer i USING (issuer_id)
    WHERE accession IS NOT NULL AND t.superseded_at IS DISTINCT FROM t.known_at ORDER BY t.is_derivative, t.id"))
{
    my $line = join ' | ', map { $_ // '-' } @$row{qw(kind security_title transaction_code acquired_disposed)}, number($row->{shares}), number($row->{price}),
        number($row->{shares_after}), $row->{transaction_date}, $row->{ownership};
    push $imported{ $row->{accession} }{rows}->@*, $line;
    $imported{ $row->{accession} }{$_} = $row->{$_} for qw(cik form insider_name joint);
}
my ($compared, %wrong) = (0);
for my $key (grep { $transactions{$_}{accession} } sort keys %transactions) {
    my ($source, $found) = ($transactions{$key}, $imported{$key});
    next if !$source->{rows}->@*;
    $compared += $source->{rows}->@*;
    my ($left, $right) = (join("\n", $source->{rows}->@*), join "\n", ($found->{rows} // [])->@*);
    $wrong{$key} = "file:\n$left\ndatabase:\n$right" if $left ne $right;
    $wrong{"$key form"}  = $found->{form} if ($found->{form} // '') ne $source->{form};
    $wrong{"$key owner"} = $found->{insider_name} if ($found->{insider_name} // '') ne $source->{owner};
    $wrong{"$key joint"} = $found->{joint} if ($found->{joint} // -1) != $source->{owners} - 1;
    $wrong{"$key cik"}   = $found->{cik} if ($found->{cik} // 0) != $source->{cik};
}
is(scalar(keys %wrong), 0, "$compared transactions are as in their documents") or diag map { "$_: $wrong{$_}\n" } (sort keys %wrong)[0 .. (keys(%wrong) > 4 ? 3 : keys(%wrong) - 1)];
is($site->value('SELECT count(*) FROM insider_transaction WHERE value IS DISTINCT FROM shares * price'), 0, 'value is shares times price, or none');

# A price that is a footnote is null, and the footnote is quoted.
my ($footnoted) = $site->rows('SELECT id, quote FROM insider_transaction WHERE price IS NULL AND quote IS NOT NULL ORDER BY id LIMIT 1');
ok($footnoted && length $footnoted->{quote} > 10, 'a footnote in place of a price is quoted');

# --- served ----------------------------------------------------------------------------------

my %types = (P => 'purchase', S => 'sale', A => 'grant', M => 'option_exercise', G => 'gift', F => 'tax_withholding', C => 'conversion',
    D => 'disposition_to_issuer', J => 'other', X => 'exercise_in_the_money');
my ($served, $page) = (0, '/v1/insider?limit=500');
my %rows_of;
my %odd;
for (my $target = $page; $target;) {
    my $answer = json_of($site->get($target), 'a page');
    for my $row ($answer->{data}->@*) {
        $served++;
        $odd{"type of $row->{transaction_code}: $row->{transaction_type}"}++
            if defined $row->{transaction_code} && ($types{ $row->{transaction_code} } // $row->{transaction_type}) ne $row->{transaction_type};
        my $number = sub { my ($value) = @_; return defined $value ? 0 + $value : '-' };
        push $rows_of{ $row->{provenance}{accession} }->@*, join ' | ', $row->{transaction_code} // '-', map { $number->($_) } $row->{shares}, $row->{price} && $row->{price}{raw}
            if $row->{provenance}{accession};
    }
    my $cursor = $answer->{pagination}{next_cursor};
    $target = $cursor ? "$page&cursor=$cursor" : undef;
}
is($served, $site->value('SELECT count(*) FROM insider_transaction WHERE superseded_at IS NULL'), "$served transactions are served");
is_deeply([sort keys %odd], [], 'codes have their meanings');
my @different;
for my $key (grep { $transactions{$_}{accession} } sort keys %transactions) {
    my @source = map { my @value = split / \| /; join ' | ', $value[2], map { $_ eq '-' ? '-' : 0 + $_ } @value[4, 5] } $transactions{$key}{rows}->@*;
    push @different, $key if join(' ; ', sort @source) ne join ' ; ', sort(($rows_of{$key} // [])->@*);
}
is_deeply(\@different, [], 'shares, prices and codes over HTTP are those of the documents');

# --- footnotes -------------------------------------------------------------------------------

# Read here by regular expressions: each reference in the order of the document, with the innermost element around it.
my %field = (securityTitle => 'security_title', transactionDate => 'transaction_date', transactionCoding => 'transaction_code', transactionShares => 'shares',
    transactionPricePerShare => 'price', transactionAcquiredDisposedCode => 'acquired_disposed', directOrIndirectOwnership => 'ownership');
my %kind_of = (nonDerivativeTransaction => 'N', nonDerivativeHolding => 'NH', derivativeTransaction => 'D', derivativeHolding => 'DH');
my %entity = (amp => '&', lt => '<', gt => '>', quot => '"', apos => "'");

sub characters
{
    my ($text) = @_;
    $text =~ s/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/defined $1 ? chr hex $1 : defined $2 ? chr $2 : $entity{$3} \/\/ die $3/ge;
    $text =~ s/\s+/ /g;
    return $text =~ s/\A | \z//gr;
}

my ($references, %noted) = (0);
for my $path (glob("$ownership/form*/*.xml"), glob "$ownership/sgml/*") {
    my $xml = slurp($path);
    utf8::decode($xml);
    my ($document) = $xml =~ m{(<ownershipDocument.*</ownershipDocument>)}s;
    my %text = map { characters($_) } $document =~ m{<footnote\s+id="(\w+)"\s*>(.*?)</footnote>}gs;
    my %number;
    while ($document =~ m{<((?:nonD|d)erivative(?:Transaction|Holding))>(.*?)</\1>}gs) {
        my ($kind, $row) = ($kind_of{$1}, $2);
        my $key = "$kind/" . ++$number{$kind};
        my @open;
        while ($row =~ m{<(/?)(\w+)([^>]*?)(/?)>}g) {
            my ($closes, $name, $attributes, $is_empty) = ($1, $2, $3, $4);
            if ($name eq 'footnoteId' && !$closes) {
                my ($id) = $attributes =~ /id\s*=\s*"(\w+)"/;
                my $on = $open[-1] eq 'sharesOwnedFollowingTransaction' ? ($kind =~ /H/ ? 'shares_owned' : 'shares_owned_after')
                    : $kind =~ /H/ && $open[-1] =~ /^transaction/ ? $open[-1] : $field{ $open[-1] } // $open[-1];
                push $noted{ $path =~ s{.*/}{}r }{$key}->@*, "$id on $on: $text{$id}";
            }
            pop @open if $closes;
            push @open, $name if !$closes && !$is_empty;
        }
    }
}

# Whose rows stand: a document that came twice is stored once.
my (%standing, %row_of);
for my $table (['insider', 'insider_transaction'], ['insider_holding', 'insider_holding']) {
    for my $row ($site->rows("SELECT t.id, regexp_replace(t.record_key, '^.*?/', '') AS key, regexp_replace(r.file, '^.*/', '') AS file,
        'src_$table->[0]_' || replace(t.src_digest::text, '-', '') AS src_id FROM $table->[1]_sourced t JOIN import_run r USING (import_run_id) WHERE t.superseded_at IS NULL"))
    {
        $standing{ $row->{file} }{ $row->{key} } = $row;
        $row_of{ $row->{id} } = $row;
    }
}
my %sent;
my $said = sub { my ($row, $notes) = @_; $sent{ $row->{file} }{ $row->{key} } = [map { "$_->{id} on " . ($_->{field} // 'all') . ": $_->{text}" } $notes->@*] if $notes };
for (my $target = $page; $target;) {
    my $answer = json_of($site->get($target), 'a page');
    $said->($row_of{ $_->{id} }, $_->{footnotes}) for $answer->{data}->@*;
    my $cursor = $answer->{pagination}{next_cursor};
    $target = $cursor ? "$page&cursor=$cursor" : undef;
}
for my $file (sort keys %standing) {
    for my $key (grep { /H/ } sort keys $standing{$file}->%*) {
        my $row = $standing{$file}{$key};
        $said->($row, json_of($site->get("/v1/src/$row->{src_id}"), $row->{src_id})->{record}{footnotes});
    }
}
my @lost;
for my $file (sort keys %standing) {
    for my $key (sort keys $standing{$file}->%*) {
        my ($wanted, $got) = map { join "\n", ($_->{$file}{$key} // [])->@* } \%noted, \%sent;
        $references += ($noted{$file}{$key} // [])->@*;
        push @lost, "$file $key:\nfile:   $wanted\nserved: $got" if $wanted ne $got;
    }
}
is(scalar @lost, 0, "$references footnote references are served with their rows, fields and texts") or diag $lost[0];
cmp_ok($references, '>', 5000, '... of all kinds');
my $served_references = 0;
$served_references += scalar map { $_->@* } values $_->%* for values %sent;
is($served_references, $references, '... and no others');

# --- remarks ----------------------------------------------------------------------------------------

my %remarks;
for my $path (glob("$ownership/form*/*.xml"), glob "$ownership/sgml/*") {
    my $xml = slurp($path);
    utf8::decode($xml);
    my ($text) = $xml =~ m{<remarks>(.*?)</remarks>}s;
    $text = characters($text // '');
    $remarks{ $path =~ s{.*/}{}r } = $text if length $text;
}
my ($remarked_rows, @unlike) = (0);
for my $row ($site->rows("SELECT regexp_replace(r.file, '^.*/', '') AS file, t.remarks FROM (SELECT import_run_id, remarks FROM insider_transaction_sourced WHERE superseded_at IS NULL
    UNION ALL SELECT import_run_id, remarks FROM insider_holding_sourced WHERE superseded_at IS NULL) t JOIN import_run r USING (import_run_id)"))
{
    push @unlike, "$row->{file}: " . ($row->{remarks} // 'none') if ($row->{remarks} // '') ne ($remarks{ $row->{file} } // '');
    $remarked_rows++ if defined $row->{remarks};
}
is_deeply(\@unlike, [], "remarks of " . keys(%remarks) . " forms are in each of their rows, and no others");
cmp_ok($remarked_rows, '>', 100, "... $remarked_rows rows");
my ($with) = $site->rows('SELECT id, remarks FROM insider_transaction_sourced WHERE remarks IS NOT NULL AND superseded_at IS NULL ORDER BY filing_date DESC, id DESC LIMIT 1');
my ($shown) = grep { $_->{id} == $with->{id} } map { json_of($site->get($_), $_)->{data}->@* } $page;
is($shown && $shown->{remarks}, $with->{remarks}, '... and served') if $shown;

# --- rows that were loaded before footnotes and remarks were kept -----------------------------------

my $state = "SELECT md5(string_agg(concat_ws('|', id, record_key, known_at, superseded_at, src_digest, footnotes, remarks), ',' ORDER BY id)) FROM";
my @before = map { $site->value("$state $_ WHERE superseded_at IS DISTINCT FROM known_at") } qw(insider_transaction insider_holding);
my $annotated = $site->value('SELECT (SELECT count(*) FROM insider_transaction WHERE footnotes IS NOT NULL OR remarks IS NOT NULL)
    + (SELECT count(*) FROM insider_holding WHERE footnotes IS NOT NULL OR remarks IS NOT NULL)');
$site->execute("UPDATE disclosed.$_ SET footnotes = NULL, remarks = NULL") for qw(insider_transaction insider_holding);
my $again = import_twice($site, 'sec-ownership', $ownership);
is($again->{stored}, $annotated, "$annotated rows get theirs when the same files are loaded again");
is_deeply([map { $site->value("$state $_ WHERE superseded_at IS DISTINCT FROM known_at") } qw(insider_transaction insider_holding)], \@before,
    '... under the same records, known from the same instants');

# --- footnotes that do not fit together -------------------------------------------------------------

my ($made) = slurp((glob "$ownership/form4/*.xml")[0]) =~ m{(<ownershipDocument.*</ownershipDocument>)}s;
$made =~ s{<footnotes>.*</footnotes>}{}s;
$made =~ s{<(\w+)>\s*(?:<footnoteId[^>]*>\s*)+</\1>}{my $name = $1; "<$name><value>" . ($name =~ /Date/ ? '2030-01-01' : 1) . "</value></$name>"}ge;
$made =~ s{<footnoteId[^>]*>}{}g;
$made =~ s{(</transactionShares>)}{<footnoteId id="F7"/>$1};
$made =~ s{(<ownerSignature>)}{<footnotes><footnote id="F8">Of the form as a whole.</footnote></footnotes>$1};
my ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990000-24-000001.xml', $made));
is($code, 0, 'a reference without a text, a text without a reference');
like("$out$err", qr/references to footnotes without a text: F7; footnotes that nothing refers to, kept with each row: F8/, '... are remarked upon');
is($site->value("SELECT footnotes FROM insider_transaction WHERE record_key ~ '^0009990000-24-000001/[ND]/1\$' ORDER BY record_key DESC LIMIT 1"),
    '[{"id": "F7", "text": null, "field": "shares"}, {"id": "F8", "text": "Of the form as a whole.", "field": null}]', '... and lost nowhere');

# --- elements that are lost ------------------------------------------------------------------------------

my $full = '<ownershipDocument><documentType>4</documentType><periodOfReport>2024-05-07</periodOfReport><issuer><issuerCik>9990003</issuerCik><issuerName>Teasel Works</issuerName>'
    . '<issuerTradingSymbol>TSL</issuerTradingSymbol></issuer><reportingOwner><reportingOwnerId><rptOwnerCik>9990004</rptOwnerCik><rptOwnerName>Reed Ann</rptOwnerName></reportingOwnerId>'
    . '<reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner><nonDerivativeTable><nonDerivativeTransaction><securityTitle><value>Common</value></securityTitle>'
    . '<transactionDate><value>2024-05-07</value></transactionDate><transactionCoding><transactionCode>S</transactionCode></transactionCoding><transactionAmounts>'
    . '<transactionShares><value>10</value></transactionShares><transactionPricePerShare><value>2</value></transactionPricePerShare><transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts>'
    . '<postTransactionAmounts><sharesOwnedFollowingTransaction><value>90</value></sharesOwnedFollowingTransaction></postTransactionAmounts>'
    . '<ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature></nonDerivativeTransaction></nonDerivativeTable>'
    . '<ownerSignature><signatureDate>2024-05-09</signatureDate></ownerSignature></ownershipDocument>';
my $lost = 0;
for my $case (['reportingOwnerRelationship', qr/reportingOwner\[1\]: reportingOwnerRelationship is missing/, 0], ['signatureDate', qr/neither a filing date nor a signature date is given: when it was public is not known/, 0],
    (map { [$_, qr/nonDerivativeTransaction\[1\]: rejected: (?:\w+\/)?$_ is missing/, 1] } qw(securityTitle transactionDate transactionCode transactionAmounts transactionShares transactionPricePerShare transactionAcquiredDisposedCode
        postTransactionAmounts directOrIndirectOwnership)))
{
    my ($element, $why, $stored) = @$case;
    my $accession = sprintf '0009990003-24-%06d', ++$lost;
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write("$accession.xml", $full =~ s{<$element>.*</$element>}{}r));
    like("$out$err", $why, "a form without $element says so");
    is($site->value("SELECT count(*) FROM insider_transaction WHERE accession = '$accession'"), 0, '... and its row is not stored');
    is($site->value("SELECT count(*) FROM executive WHERE accession = '$accession'") > 0 ? 1 : 0, $stored && $lost == 3 ? 1 : 0, '... nor what it says of its owner') if $lost < 4;
}

($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000098.xml', $full =~ s{<value>Common</value>}{<footnoteId id="F1"/>}r));
like("$out$err", qr/nonDerivativeTransaction\[1\]: rejected: securityTitle has no value/, 'a footnote is no title');
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000099.xml', $full =~ s{(<transactionPricePerShare>).*?(</trans)}{$1<footnoteId id="F1"/>$2}r));
is($code, 0, '... but stands for a price') or diag "$out$err";

# A submission's header names the owners, so that one who is lost does not make another one of the insider.
my $second = $full =~ /(<reportingOwner>.*<\/reportingOwner>)/ ? $1 =~ s/9990004/9990005/r =~ s/Reed Ann/Reed Trust/r : die;
my $joint = $full =~ s{(<nonDerivativeTable>)}{$second$1}r;
my $header = "<SEC-DOCUMENT>x\n<SEC-HEADER>x\nACCESSION NUMBER:\t\t0009990003-24-0001%02d\nCONFORMED SUBMISSION TYPE:\t4\nFILED AS OF DATE:\t\t20240509\n"
    . join('', map { "REPORTING-OWNER:\n\tOWNER DATA:\n\t\tCENTRAL INDEX KEY:\t\t\t000$_\n" } 9990004, 9990005)
    . "ISSUER:\n\t\tCENTRAL INDEX KEY:\t\t\t0009990003\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>4\n<TEXT>\n<XML>\n%s\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n";
my $number = 0;
for my $case ([$joint, 0], [$full, 5], [$joint =~ s{<reportingOwner>.*?</reportingOwner>}{}r, 4]) {
    my ($document, $gone) = @$case;
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('joint-' . ++$number . '.txt', sprintf $header, $number, $document));
    is($code ? 1 : 0, $gone ? 1 : 0, 'a submission ' . ($gone ? 'without one of its owners is refused' : 'with all its owners')) or diag "$out$err";
    like("$out$err", qr/the header names reporting owner 999000$gone, the form does not/, '... and says whom') if $gone;
}
is($site->value("SELECT string_agg(concat_ws(' ', insider_name, joint_owners), ', ') FROM insider_transaction WHERE accession ~ '^0009990003-24-00010'"), 'Reed Ann {"Reed Trust"}',
    '... nothing of it is stored');

# EDGAR makes the header of the form: one that says otherwise shows that one of both is damaged.
for my $case ([sub { s/(ISSUER:\s+CENTRAL INDEX KEY:\s+000)9990003/${1}9990009/ }, 'the header names issuer 9990009, the form 9990003'], [sub { s{<issuerCik>9990003}{<issuerCik>9990001} }, 'the header names issuer 9990003, the form 9990001'],
    [sub { s{(SUBMISSION TYPE:\t4)}{$1/A} }, 'the header says 4/A, the document 4'], [sub { s{<documentType>4}{$&/A} }, 'the header says 4, the document 4/A'],
    [sub { s{FILED AS OF}{CONFORMED PERIOD OF REPORT:\t20240506\n$&} }, 'the header says period of report 2024-05-06, the form 2024-05-07'])
{
    my ($change, $why) = @$case;
    local $_ = sprintf $header, ++$number, $joint;
    $change->();
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write("told-$number.txt", $_));
    is($code, 1, "refused: $why");
    like("$out$err", qr/: failed, nothing of it is stored: \Q$why\E$/m, '... with both values');
}
my $other_kind = "<SUBMISSION>\n<ACCESSION-NUMBER>0009990003-24-000120\n<TYPE>4\n<PUBLIC-DOCUMENT-COUNT>1\n<PERIOD>20240507\n<FILING-DATE>20240509\n<REPORTING-OWNER>\n<OWNER-DATA>\n<CIK>0009990004\n</OWNER-DATA>\n</REPORTING-OWNER>\n"
    . "<ISSUER>\n<COMPANY-DATA>\n<CIK>0009990003\n</COMPANY-DATA>\n</ISSUER>\n<DOCUMENT>\n<TYPE>4\n<SEQUENCE>1\n<FILENAME>x.xml\n<TEXT>\n<XML>\n$full\n</XML>\n</TEXT>\n</DOCUMENT>\n</SUBMISSION>\n";
for my $case ([qr/<CIK>000999000\K3/, '9', 'the header names issuer 9990009, the form 9990003'], [qr/<TYPE>4\K\n<PUB/, "/A\n<PUB", 'the header says 4/A, the document 4'], [qr/<PERIOD>\d+/, '<PERIOD>20240508', 'the header says period of report 2024-05-08, the form 2024-05-07']) {
    my ($what, $other, $why) = @$case;
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('told.nc', $other_kind =~ s/$what/$other/r));
    like("$out$err", qr/: failed, nothing of it is stored: \Q$why\E$/m, "refused in the other kind of header: $why");
}
is($site->value("SELECT count(*) FROM insider_transaction WHERE accession >= '0009990003-24-000103' AND accession <= '0009990003-24-000120'"), 0, '... nothing of these is stored');
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('told.nc', $other_kind));
is($code, 0, '... while one that agrees is good') or diag "$out$err";

# The schema is closed: an unknown name in a row, or text beside its elements, was a footnote or a value.
my $noted = $full =~ s{(<value>2</value>)(?=</transactionPrice)}{$1<footnoteId id="F1"/>}r =~ s{(?=<ownerSignature>)}{<footnotes><footnote id="F1">An average.</footnote></footnotes>}r;
my $strays = 0;
for my $case (['<footnoteId id="F1"/>', '<footnoteAd id="F1"/>', 'transactionAmounts/transactionPricePerShare/footnoteAd is no element of a row'], ['<footnoteId id="F1"/>', '&gt;footnoteId id="F1"/>', 'transactionAmounts/transactionPricePerShare has text beside its elements'],
    ['<value>10</value>', '<value>1<x>5</x>0</value>', 'transactionAmounts/transactionShares/value/x is no element of a row'], ['<securityTitle>', '<b/>$&', 'b is no element of a row'], ['<securityTitle>', 'x<securityTitle>', 'nonDerivativeTransaction has text beside its elements'],
    ['<footnoteId id="F1"/>', '<footnoteId id="F1">x</footnoteId>', 'transactionAmounts/transactionPricePerShare/footnoteId has text beside its elements'])
{
    my ($what, $other, $why) = @$case;
    my $accession = sprintf '0009990003-24-0003%02d', ++$strays;
    $other =~ s/\$&/$what/;
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write("$accession.xml", $noted =~ s/\Q$what/$other/r));
    like("$out$err", qr/nonDerivativeTransaction\[1\]: rejected: \Q$why\E/, "rejected: $why");
    is($site->value("SELECT count(*) FROM insider_transaction WHERE accession = '$accession'"), 0, '... and not stored');
}
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000320.xml', $noted =~ s{An average}{An <b>average</b>}r));
like("$out$err", qr/: failed, nothing of it is stored: footnote F1 has an element in it$/m, 'a footnote with an element in it');
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000320.xml', $noted));
is($site->value("SELECT footnotes FROM insider_transaction WHERE accession = '0009990003-24-000320'"), '[{"id": "F1", "text": "An average.", "field": "price"}]', '... while the form is good') or diag "$out$err";

# One that is cut within its last tags has all of the form, and is refused as other submissions are.
my $whole = sprintf $header, 50, $joint;
for my $case (["ENT>\n</SEC-DOCUMENT>\n", qr/<DOCUMENT> is never closed: the file is cut off/], ["DOCUMENT>\n", qr/the file is cut off: it ends without <\/SEC-DOCUMENT>/]) {
    my ($rest, $why) = @$case;
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000150.txt', $whole =~ s{\Q$rest\E\z}{}r));
    is($code, 1, 'a submission that is cut within its tags is refused');
    like("$out$err", $why, '... with the reason');
}
is($site->value("SELECT count(*) FROM insider_transaction WHERE accession = '0009990003-24-000150'"), 0, '... nothing of it is stored');
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000150.txt', $whole));
is($code, 0, '... while the whole one is good') or diag "$out$err";

# Days on which no insider has traded or signed.
for my $day ('0001-01-01', '1934-06-05', '9999-12-31') {
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000160.xml', $full =~ s{(<transactionDate><value>)[^<]*}{$1$day}r));
    like("$out$err", qr/nonDerivativeTransaction\[1\]: rejected: transactionDate "$day" cannot be/, "a transaction on $day is rejected");
}
is($site->value("SELECT count(*) FROM insider_transaction WHERE accession = '0009990003-24-000160'"), 0, '... and not stored');
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000161.xml', $full =~ s{(<signatureDate>)[^<]*}{${1}0001-01-01}r));
like("$out$err", qr/neither a filing date nor a signature date is given/, 'a signature of the year 1 says nothing');
for my $day ('2024-05-06', '2015-05-09', do { my @then = gmtime time + 3 * 86_400; sprintf '%04d-%02d-%02d', $then[5] + 1900, $then[4] + 1, $then[3] }) {
    ($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000163.xml', $full =~ s{(<signatureDate>)[^<]*}{$1$day}r));
    like("$out$err", qr/neither a filing date nor a signature date is given/, "nor does one of $day, before the period or not yet come");
}
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000164.xml', $full =~ s{(<signatureDate>)[^<]*}{${1}2024-05-07}r));
is($site->value("SELECT filing_date FROM insider_transaction WHERE accession = '0009990003-24-000164'"), '2024-05-07', '... while one of the period itself counts') or diag "$out$err";
($code, $out, $err) = $site->control('import', 'sec-ownership', $site->write('0009990003-24-000162.xml', $full =~ s{(<ownerSignature>.*</ownerSignature>)}{my $one = $1; $one . $one =~ s/2024-05-09/0001-01-01/r}er));
is($site->value("SELECT filing_date FROM insider_transaction WHERE accession = '0009990003-24-000162'"), '2024-05-09', '... beside another one that counts') or diag "$out$err";

# --- extractions of one's own --------------------------------------------------------------------------

my $json = Disclosed::JSON->new->utf8->canonical;
my %line = (dataset => 'insider', cik => 9990000, issuer_name => 'Teasel Works', known_at => '2024-03-01', form => '4', insider_name => 'Reed Ann', relationship => 'Director',
    is_derivative => JSON::PP::false, transaction_type => 'sale', filing_date => '2024-03-01', provenance => { source_provider => 'issuer_page' });
my @lists = ([{ id => 'F1', field => 'price', text => 'An average.' }], [{ text => 'Alone.', field => undef }], { id => 'F1' }, [{ id => 1 }], [{ id => 'F1', note => 'x' }], ['F1']);
my $lines = join '', map { $json->encode({ %line, record_key => "own/$_", footnotes => $lists[$_] }) . "\n" } 0 .. $#lists;
($code, $out, $err) = $site->control('import', 'ndjson', $site->write('notes.ndjson', $lines));
like("$out$err", qr/read 6, stored 2, .*rejected 4/, 'footnotes in NDJSON');
like("$out$err", qr/line $_->[0]: rejected: \Q$_->[1]/, "... $_->[1]") for [3, 'footnotes: not an array'], [4, 'footnotes[0].id: not a text'], [5, 'footnotes[0].note: no such member'], [6, 'footnotes[0]: not an object'];

finish();

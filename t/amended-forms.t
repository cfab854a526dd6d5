# Amendments of Forms 3, 4 and 5: lines that are not amended are not repeated (General Instruction 9 of Form 4), so an amendment takes away what
# its form had in the tables that it has, and nothing else; in every order, from every kind of file, at every instant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use Disclosed::InsiderSet qw(insider_set);

my $json = Disclosed::JSON->new->utf8->canonical;
my $site = site(template => 'empty');
my $cik = 7_600_001;

# --- files -----------------------------------------------------------------------------------

sub valued { my ($element, $value) = @_; return "<$element><value>$value</value></$element>" }

sub row
{
    my ($is_derivative, $shares) = @_;
    my $element = $is_derivative ? 'derivativeTransaction' : 'nonDerivativeTransaction';
    return "<$element>" . valued('securityTitle', $is_derivative ? 'Option' : 'Common') . ($is_derivative ? valued('conversionOrExercisePrice', 1) : '') . valued('transactionDate', '2024-03-01')
        . '<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>S</transactionCode><equitySwapInvolved>0</equitySwapInvolved></transactionCoding><transactionAmounts>'
        . valued('transactionShares', $shares) . valued('transactionPricePerShare', 2) . valued('transactionAcquiredDisposedCode', 'D') . '</transactionAmounts>'
        . ($is_derivative ? valued('exerciseDate', '2024-01-01') . valued('expirationDate', '2034-01-01') . '<underlyingSecurity>' . valued('underlyingSecurityTitle', 'Common') . valued('underlyingSecurityShares', 1) . '</underlyingSecurity>' : '')
        . '<postTransactionAmounts>' . valued('sharesOwnedFollowingTransaction', 900) . '</postTransactionAmounts><ownershipNature>' . valued('directOrIndirectOwnership', 'D') . "</ownershipNature></$element>";
}

# A form of its number: signed in March 2024, of so many shares in either table.
sub document
{
    my (%is) = @_;
    my @table = map { my $rows = $is{$_}; my $table = $_ eq 'D' ? 'derivativeTable' : 'nonDerivativeTable'; $rows ? "<$table>" . join('', map { row($table eq 'derivativeTable', $_) } @$rows) . "</$table>" : '' } qw(N D);
    return '<?xml version="1.0"?>' . "\n<ownershipDocument><schemaVersion>X0508</schemaVersion><documentType>" . ($is{amends} ? '4/A' : '4') . '</documentType><periodOfReport>' . ($is{period} // '2024-03-01') . '</periodOfReport>'
        . ($is{amends} ? "<dateOfOriginalSubmission>$is{amends}</dateOfOriginalSubmission>" : '') . "<issuer><issuerCik>$cik</issuerCik><issuerName>Teasel Works</issuerName><issuerTradingSymbol>TSL</issuerTradingSymbol></issuer>"
        . '<reportingOwner><reportingOwnerId><rptOwnerCik>' . ($is{owner} // 7_699_901) . '</rptOwnerCik><rptOwnerName>Reed Ann</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>'
        . join('', @table) . "<ownerSignature><signatureName>x</signatureName><signatureDate>$is{signed}</signatureDate></ownerSignature></ownershipDocument>";
}

sub accession { my ($n) = @_; return sprintf '0007600001-24-%06d', $n }

my $folders = 0;
sub written
{
    my ($name, $text) = @_;
    my $folder = ++$folders;
    mkdir "$site->{root}/$folder" or die $folder;
    return $site->write("$folder/$name", $text);
}

# A form as each kind of file: [importer, path].
sub as_document { my ($n, %is) = @_; return ['sec-ownership', written(accession($n) . '.xml', document(%is))] }
sub as_nameless { my ($n, %is) = @_; return ['sec-ownership', written('form.xml', document(%is))] }
sub as_set { my ($n, %is) = @_; my %set = insider_set(sub { @_ }, [accession($n), $is{signed}, document(%is)]); my $folder = ++$folders; mkdir "$site->{root}/$folder"; $site->write("$folder/$_", $set{$_}) for keys %set; return ['sec-ownership', "$site->{root}/$folder"] }
sub as_submission
{
    my ($n, %is) = @_;
    my ($number, $day, $form) = (accession($n), $is{signed} =~ s/-//gr, $is{amends} ? '4/A' : '4');
    return ['sec-ownership', written("$number.txt", "<SEC-DOCUMENT>$number.txt : $day\n<SEC-HEADER>$number.hdr.sgml : $day\nACCESSION NUMBER:\t\t$number\nCONFORMED SUBMISSION TYPE:\t$form\nCONFORMED PERIOD OF REPORT:\t"
        . ($is{period} // '2024-03-01') =~ s/-//gr . "\nFILED AS OF DATE:\t\t$day\n\nREPORTING-OWNER:\n\tOWNER DATA:\n\t\tCENTRAL INDEX KEY:\t\t\t" . ($is{owner} // 7_699_901) . "\n\nISSUER:\n\tCOMPANY DATA:\n\t\tCENTRAL INDEX KEY:\t\t\t000$cik\n"
        . "</SEC-HEADER>\n<DOCUMENT>\n<TYPE>$form\n<SEQUENCE>1\n<FILENAME>x.xml\n<TEXT>\n<XML>\n" . document(%is) . "\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n")];
}
sub as_lines
{
    my ($n, %is) = @_;
    my @lines = map { my $kind = $_; my $place = 0; map { { dataset => 'insider', cik => $cik, issuer_name => 'Teasel Works', record_key => accession($n) . "/$kind/" . ++$place, known_at => "$is{signed}T23:00:00Z", form => $is{amends} ? '4/A' : '4',
        $is{amends} ? (original_filing_date => $is{amends}) : (), period_of_report => $is{period} // '2024-03-01', owner_cik => 7_699_901, insider_name => 'Reed Ann', relationship => 'Director', is_derivative => $kind eq 'D' ? JSON::PP::true : JSON::PP::false,
        transaction_type => 'sale', shares => "$_", filing_date => $is{signed}, provenance => { source_provider => 'issuer_page', accession => accession($n) } } } ($is{$kind} // [])->@* } qw(N D);
    return ['ndjson', written('lines.ndjson', join '', map { $json->encode($_) . "\n" } @lines)];
}
my %kinds = (document => \&as_document, nameless => \&as_nameless, set => \&as_set, submission => \&as_submission, lines => \&as_lines);

# --- loading ---------------------------------------------------------------------------------

sub load
{
    my ($source, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @paths);
    is($code, 0, "$source @paths") or diag $out, $err if $code;
    return $json->decode($out);
}

sub clear
{
    $site->execute('TRUNCATE disclosed.executive, disclosed.executive_stated, disclosed.insider_transaction, disclosed.insider_holding, disclosed.filing, disclosed.named_document, disclosed.dataset_issuer_stat, disclosed.dataset_stat');
}

# What is in force at noon UTC of days of March 2024, as "N10 D20".
sub in_force
{
    my ($at) = @_;
    return join ' ', map { $_->{line} } $site->rows(qq{SELECT (CASE WHEN is_derivative THEN 'D' ELSE 'N' END) || shares::bigint AS line FROM insider_transaction
        WHERE known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at') ORDER BY 1});
}
sub history { return join ', ', map { in_force("2024-03-${_}T12:00Z") } qw(06 13 20 27) }

sub all_orders { my (@items) = @_; return [] if !@items; return map { my $i = $_; map { [$items[$i], @$_] } all_orders(@items[grep { $_ != $i } 0 .. $#items]) } 0 .. $#items }

# Whatever the order, one by one and in one run, the same is in force at each instant, and is counted.
sub one_outcome
{
    my ($title, $expected, @files) = @_;
    my %got;
    for my $order (all_orders(@files)) {
        clear();
        load(@$_) for @$order;
        $got{ history() }++;
    }
    if (!grep { $_->[0] ne $files[0][0] } @files) {
        clear();
        load($files[0][0], map { $_->[1] } @files);
        $got{ history() }++;
    }
    is(join(' | ', sort keys %got), $expected, $title);
    my $now = () = in_force('now') =~ /\d+/g;
    is($site->value("SELECT record_count FROM dataset_issuer_stat WHERE dataset = 'insider'"), $now, '... and counted');
    is(load(@$_)->{stored}, 0, '... and loaded again nothing is stored') for $files[0];
    return;
}

# Forms: the original of 5 March, amendments of the 12th, 19th and 26th.
my %original = (signed => '2024-03-05', N => [10, 11], D => [20]);
sub amending { my ($day, %is) = @_; return (signed => "2024-03-$day", amends => '2024-03-05', %is) }

# --- tables ----------------------------------------------------------------------------------

for my $kind (sort keys %kinds) {
    my $as = $kinds{$kind};
    one_outcome("$kind: an amendment of one table leaves the other", 'D20 N10 N11, D20 N12, D20 N12, D20 N12', $as->(1, %original), $as->(2, amending(12, N => [12])));
    one_outcome("$kind: amendments of either table", 'D20 N10 N11, D20 N12, D21 N12, D21 N12', $as->(1, %original), $as->(2, amending(12, N => [12])), $as->(3, amending(19, D => [21])));
    one_outcome("$kind: one of both tables, then one of one", 'D20 N10 N11, D22 N12, D22 N13, D22 N13', $as->(1, %original), $as->(2, amending(12, N => [12], D => [22])), $as->(3, amending(19, N => [13])));
    one_outcome("$kind: one that adds what the form lacks", 'N10, D21 N10, D21 N10, D21 N10', $as->(1, %original, N => [10], D => undef), $as->(2, amending(12, D => [21])));
}
one_outcome('a set, and documents of two of its forms', 'D20 N10 N11, D20 N12, D21 N12, D21 N12', as_set(1, %original), as_submission(2, amending(12, N => [12])), as_document(3, amending(19, D => [21])));
clear();
load(@$_) for as_document(1, %original), as_document(2, amending(12, N => [12]));
for my $at (['2024-03-06T12:00:00Z', [10, 11, 20]], ['2024-03-20T12:00:00Z', [12, 20]]) {
    is_deeply([sort { $a <=> $b } map { $_->{shares} } json_of($site->get("/v1/insider?as_of=$at->[0]"), 'served')->{data}->@*], $at->[1], "served as of $at->[0]");
}

# A copy of an amendment that has a table, and the good one that does not.
for my $files ([[1, %original], [2, amending(12, N => [12], D => [22])], [2, amending(12, N => [12])]], [[2, amending(12, N => [12], D => [22])], [2, amending(12, N => [12])], [1, %original]], [[2, amending(12, N => [12], D => [22])], [1, %original], [2, amending(12, N => [12])]]) {
    clear();
    load(as_document(@$_)->@*) for @$files;
    is(history(), 'D20 N10 N11, D20 N12, D20 N12, D20 N12', 'a table that an amendment has no longer holds again');
}

# --- periods ---------------------------------------------------------------------------------

my %late = (period => '2024-03-02');
one_outcome('an amendment that corrects the period', 'D20 N10 N11, D20 N12, D20 N12, D20 N12', as_document(1, %original), as_document(2, amending(12, N => [12], %late)));
one_outcome('... of a form that has another table alone', 'D20, D20 N12, D20 N12, D20 N12', as_document(1, %original, N => undef), as_document(2, amending(12, N => [12], %late)));
one_outcome('... of two forms of that day', 'D20 N10 N11 N15, D20 N10 N11 N12 N15, D20 N10 N11 N12 N15, D20 N10 N11 N12 N15', as_document(1, %original), as_document(2, amending(12, N => [12], %late)), as_document(3, signed => '2024-03-05', period => '2024-02-28', N => [15]));
one_outcome('... one of which has it', 'D20 N10 N11 N15, D20 N10 N11 N12, D20 N10 N11 N12, D20 N10 N11 N12', as_document(1, %original), as_document(2, amending(12, N => [12], %late)), as_document(3, signed => '2024-03-05', %late, N => [15]));
one_outcome('... of another owner\'s form', 'D20 N10 N11, D20 N10 N11 N12, D20 N10 N11 N12, D20 N10 N11 N12', as_document(1, %original, owner => 7_699_902), as_document(2, amending(12, N => [12], %late)));
one_outcome('a corrected period that is amended', 'D20 N10 N11, D20 N12, D20 N13, D20 N13', as_document(1, %original), as_document(2, amending(12, N => [12], %late)), as_document(3, amending(19, N => [13], %late)));
one_outcome('... and set back', 'D20 N10 N11, D20 N12, D20 N13, D20 N13', as_document(1, %original), as_document(2, amending(12, N => [12], %late)), as_document(3, amending(19, N => [13])));
one_outcome('... and corrected a second time', 'D20 N10 N11, D20 N12, D20 N13, D20 N13', as_document(1, %original), as_document(2, amending(12, N => [12])), as_document(3, amending(19, N => [13], %late)));
one_outcome('... by one that names the amendment', 'D20 N10 N11, D20 N12, D20 N13, D20 N13', as_document(1, %original), as_document(2, amending(12, N => [12], %late)), as_document(3, amending(19, N => [13], %late, amends => '2024-03-12')));

# --- rejected rows ---------------------------------------------------------------------------

my $damaged = sub { my ($source, $path) = $_[0]->@*; my $text = slurp($path) =~ s/<value>13</<value>1x3</r; open my $file, '>', $path or die; print {$file} $text; close $file; return [$source, $path] };
for my $kind ('document', 'submission', 'nameless') {
    clear();
    load($kinds{$kind}->(1, %original)->@*);
    my ($code, $out, $err) = $site->control('import', $damaged->($kinds{$kind}->(2, amending(12, N => [12, 13], D => [23])))->@*);
    like($err . $out, qr/rejected 3/, "$kind: an amendment with a rejected row: each is rejected");
    like($err . $out, qr/nonDerivativeTransaction\[2\]: rejected: transactionShares "1x3" is not a number/, '... the one with its reason');
    like($err . $out, qr/nonDerivativeTransaction\[1\]: rejected: another row of this amendment is rejected: what it amends stays in force/, '... the others with theirs');
    is(history(), 'D20 N10 N11, D20 N10 N11, D20 N10 N11, D20 N10 N11', '... what it amends stays in force');
    load($kinds{$kind}->(2, amending(12, N => [12, 13], D => [23]))->@*);
    is(history(), 'D20 N10 N11, D23 N12 N13, D23 N12 N13, D23 N12 N13', '... until a good copy comes');
    ($code, $out, $err) = $site->control('import', $damaged->($kinds{$kind}->(2, amending(12, N => [12, 13], D => [23])))->@*);
    is(history(), 'D20 N10 N11, D23 N12 N13, D23 N12 N13, D23 N12 N13', '... which a damaged one leaves alone');
}
clear();
$site->control('import', $damaged->(as_document(1, %original, N => [10, 13]))->@*);
is(in_force('now'), 'D20 N10', 'the other rows of an original are stored');

# --- what is stored --------------------------------------------------------------------------

clear();
load(as_document(1, %original)->@*);
load(as_document(2, amending(12, N => [12]))->@*);
$site->execute("UPDATE disclosed.insider_transaction SET superseded_at = timestamptz '2024-03-13 03:59:59.999999Z' WHERE form = '4'; UPDATE disclosed.dataset_issuer_stat SET record_count = 1 WHERE dataset = 'insider'");
is(in_force('now'), 'N12', 'an earlier build had ended the other table');
my ($migrated) = slurp(glob "$FindBin::Bin/../sql/*_amended_tables.sql") =~ /^-- -+ what is stored.*?^(DO \$\$.*?^END \$\$;)/ms;
$site->execute("SET search_path = disclosed, public; $migrated");
is(in_force('now'), 'D20 N12', '... which the migration puts right');
is($site->value("SELECT record_count FROM dataset_issuer_stat WHERE dataset = 'insider'"), 2, '... and counts');

finish();

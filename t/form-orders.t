# People and rows of Forms 3, 4 and 5: who is what and which rows hold at each instant follows from the set of forms and of the dates
# that are known of them, in whatever order files come.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use Digest::SHA qw(sha256_hex);
use Disclosed::Order qw(number_below shuffled);
use Disclosed::Shared qw(cluster);

my $json = Disclosed::JSON->new->utf8->canonical;
my $site = site(template => 'empty');
my $cik = 7_500_001;
my $ann = 7_599_901;

# --- files -----------------------------------------------------------------------------------

# The boxes of a form by what the owner is.
my %boxes = (CEO => '<isOfficer>1</isOfficer><officerTitle>Chief Executive Officer</officerTitle>', President => '<isOfficer>1</isOfficer><officerTitle>President, North</officerTitle>',
    Director => '<isDirector>1</isDirector>', Holder => '<isTenPercentOwner>1</isTenPercentOwner>');

# An ownership document that Ann Reed (or `owner`) has signed; of Form 3 without securities where there are no `shares`.
sub document
{
    my (%is) = @_;
    my $form = $is{form} // '4';
    return "<?xml version=\"1.0\"?>\n<ownershipDocument><documentType>$form</documentType><periodOfReport>@{[$is{period} // $is{signed}]}</periodOfReport>"
        . ($form eq '3' ? '<noSecuritiesOwned>1</noSecuritiesOwned>' : '') . ($is{gone} ? '<notSubjectToSection16>1</notSubjectToSection16>' : '')
        . ($is{amends} ? "<dateOfOriginalSubmission>$is{amends}</dateOfOriginalSubmission>" : '')
        . "<issuer><issuerCik>$cik</issuerCik><issuerName>Teasel Works</issuerName><issuerTradingSymbol>TSL</issuerTradingSymbol></issuer><reportingOwner><reportingOwnerId><rptOwnerCik>@{[$is{owner} // $ann]}</rptOwnerCik>"
        . "<rptOwnerName>@{[$is{name} // 'Reed Ann']}</rptOwnerName></reportingOwnerId><reportingOwnerRelationship>$boxes{$is{as}}</reportingOwnerRelationship></reportingOwner>"
        . join('', map { "<reportingOwner><reportingOwnerId><rptOwnerCik>$_->[0]</rptOwnerCik><rptOwnerName>$_->[1]</rptOwnerName></reportingOwnerId><reportingOwnerRelationship>$boxes{Holder}</reportingOwnerRelationship></reportingOwner>" } ($is{others} // [])->@*)
        . ($form eq '3' ? '' : '<nonDerivativeTable><nonDerivativeHolding><securityTitle><value>Common</value></securityTitle><postTransactionAmounts><sharesOwnedFollowingTransaction><value>100</value>'
            . '</sharesOwnedFollowingTransaction></postTransactionAmounts><ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature></nonDerivativeHolding></nonDerivativeTable>')
        . "<ownerSignature><signatureDate>$is{signed}</signatureDate></ownerSignature></ownershipDocument>";
}

sub accession { my ($n) = @_; return sprintf '0007500001-24-%06d', $n }

# A file in a folder of its own.
my $folders = 0;
sub written
{
    my ($name, $text) = @_;
    my $folder = ++$folders;
    mkdir "$site->{root}/$folder";
    return $site->write("$folder/$name", $text);
}

# A form by its number, as a document under its accession number, without one, and in its submission.
sub form { my ($n, %is) = @_; return ['sec-ownership', written(accession($n) . '.xml', document(%is))] }
sub nameless { my (%is) = @_; return ['sec-ownership', written('doc4.xml', document(%is))] }

sub submission
{
    my ($n, $accepted, %is) = @_;
    my ($day) = $accepted =~ /^(\d{8})/;
    my $number = accession($n);
    return ['sec-ownership', written("$number.txt", "<SEC-DOCUMENT>$number.txt : $day\n<SEC-HEADER>$number.hdr.sgml : $day\n<ACCEPTANCE-DATETIME>$accepted\nACCESSION NUMBER:\t\t$number\n"
        . "CONFORMED SUBMISSION TYPE:\t@{[$is{form} // '4']}\nFILED AS OF DATE:\t\t$day\n\nREPORTING-OWNER:\n\n\tOWNER DATA:\n\t\tCOMPANY CONFORMED NAME:\t\t\tReed Ann\n\t\tCENTRAL INDEX KEY:\t\t\t@{[$is{owner} // $ann]}\n"
        . "</SEC-HEADER>\n<DOCUMENT>\n<TYPE>@{[$is{form} // '4']}\n<SEQUENCE>1\n<FILENAME>x.xml\n<TEXT>\n<XML>\n" . document(%is) . "\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n")];
}

# The filer's submissions file: [number, form, filing date, acceptance in UTC].
sub submissions
{
    my (@filings) = @_;
    my $column = sub { my ($i) = @_; return [map { $_->[$i] } @filings] };
    my $blank = [('') x @filings];
    return ['sec-submissions', written(sprintf('CIK%010d.json', $cik), $json->encode({ cik => $cik, name => 'Teasel Works', entityType => 'operating', sic => '3873', sicDescription => 'Watches', tickers => [], exchanges => [],
        formerNames => [], addresses => {}, filings => { files => [], recent => { accessionNumber => [map { accession($_->[0]) } @filings], form => $column->(1), filingDate => $column->(2), acceptanceDateTime => $column->(3),
            reportDate => $blank, fileNumber => $blank, items => $blank, size => [(1000) x @filings], primaryDocument => [('a.xml') x @filings], primaryDocDescription => $blank } } })), '--clock', 'utc'];
}

# --- loading ---------------------------------------------------------------------------------

# Loads files, those of one source that follow each other in one run. Returns how many versions are stored and superseded.
sub load
{
    my (@files) = @_;
    my ($stored, @run) = (0);
    while (my $file = shift @files) {
        my ($source, $path, @options) = @$file;
        my @paths = ($path);
        push @paths, (shift @files)->[1] while @files && $files[0][0] eq $source;
        my ($code, $out, $err) = $site->control('import', $source, '--json', @options, @paths);
        is($code, 0, "$source @paths") or diag $out, $err if $code;
        my $summary = $json->decode($out);
        $stored += $summary->{stored} + $summary->{superseded};
    }
    return $stored;
}

sub clear
{
    $site->execute('TRUNCATE disclosed.executive, disclosed.executive_stated, disclosed.insider_transaction, disclosed.insider_holding, disclosed.filing, disclosed.named_document, disclosed.issuer_profile,
        disclosed.dataset_issuer_stat, disclosed.dataset_stat');
}

# Who was what, from when to when, by which form; and all that is kept of it.
sub people
{
    my ($database, $of) = @_;
    return map { $_->{line} } cluster()->rows($database, qq{SELECT concat_ws(' ', to_char(e.known_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI'), coalesce(to_char(e.superseded_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI'), 'now'),
        nullif(e.name, 'Reed Ann'), e.role, CASE WHEN NOT e.is_current THEN 'gone' END, '#' || right(coalesce(e.accession, '-'), 1), to_char(e.reported_on, 'MM-DD')) AS line
        FROM disclosed.executive e WHERE e.superseded_at IS DISTINCT FROM e.known_at ORDER BY e.record_key, e.known_at, e.row_id});
}

# All that is told, in whatever order.
sub told
{
    return join "\n", map { $_->{line} } $site->rows(q{SELECT concat_ws(' | ', e.record_key, e.known_at, coalesce(e.superseded_at::text, 'now'), e.src_digest, e.source_url, e.accession, e.content_hash, e.person_cik, e.name, e.role,
        e.person_rank, e.is_current, e.reported_on, e.id = min(e.id) OVER (PARTITION BY e.issuer_id, e.record_key)) AS line FROM executive_sourced e ORDER BY e.record_key, e.known_at, e.row_id}),
        $site->rows(q{SELECT concat_ws(' | ', t.record_key, t.known_at, coalesce(t.superseded_at::text, 'now'), t.accession, t.form, t.filing_date) AS line FROM insider_holding t
        WHERE t.superseded_at IS DISTINCT FROM t.known_at ORDER BY t.record_key, t.known_at});
}

# The rows of forms: from when to when, and by which form.
sub rows_of_forms
{
    return [map { $_->{line} } $site->rows(q{SELECT concat_ws(' ', to_char(t.known_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI'), coalesce(to_char(t.superseded_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI'), 'now'), t.form, '#' || right(t.accession, 1)) AS line
        FROM insider_holding t WHERE t.superseded_at IS DISTINCT FROM t.known_at ORDER BY t.known_at, t.record_key})];
}

sub all_orders
{
    my (@items) = @_;
    return [] if !@items;
    return map { my $i = $_; map { [$items[$i], @$_] } all_orders(@items[grep { $_ != $i } 0 .. $#items]) } 0 .. $#items;
}

# Loads files forwards, backwards and in three other orders, each with a repeat. All leave the same, and then nothing is stored.
sub one_outcome
{
    my ($title, $expected, @files) = @_;
    my @orders = (\@files, [reverse @files], @files > 2 ? map { [shuffled(@files)] } 1 .. 3 : ());
    my ($same, $again, $first) = (0, 0);
    for my $order (@orders) {
        clear();
        load(@$order, $order->[number_below(scalar @$order)]);
        my $told = told();
        my $counted = $site->value("SELECT coalesce(sum(record_count), 0) = (SELECT count(*) FROM executive WHERE superseded_at IS NULL) FROM dataset_issuer_stat WHERE dataset = 'executive'");
        $first //= $told;
        $again += load(@$order) if $order == $orders[0] || $order == $orders[1];
        $same += $told eq $first && told() eq $first && $counted eq 't';
        next if $told eq $first;
        is($told, $first, "$title: " . join ' ', map { $_->[1] =~ s{.*/([^/]+/[^/]+)\z}{$1}r } @$order);
        last;
    }
    is($same, scalar @orders, "$title: " . @orders . ' orders leave the same');
    is($again, 0, '... and loaded again nothing is stored');
    is_deeply([people($site->{database})], $expected, '... which is what the forms say') or diag explain [people($site->{database})];
}

# --- what is said again ----------------------------------------------------------------------

my @turn = (form(1, as => 'CEO', signed => '2024-03-01'), form(2, as => 'President', signed => '2024-03-05'), form(3, as => 'CEO', signed => '2024-03-08'));
one_outcome('who is the same again', ['03-02 04:59 03-06 04:59 Chief Executive Officer #1 03-01', '03-06 04:59 03-09 04:59 President, North #2 03-05', '03-09 04:59 now Chief Executive Officer #3 03-08'], @turn);

# Signed one after the other, filed otherwise: dates that come later part what was alike, and unite what was not.
my $parting = submissions([1, '4', '2024-03-04', '2024-03-04T22:00:00.000Z'], [2, '4', '2024-03-06', '2024-03-06T22:00:00.000Z'], [3, '4', '2024-03-05', '2024-03-05T22:00:00.000Z']);
one_outcome('dates that unite', ['03-04 22:00 03-06 22:00 Chief Executive Officer #1 03-04', '03-06 22:00 now President, North #2 03-06'], @turn, $parting);
my @alike = (form(1, as => 'CEO', signed => '2024-03-01'), form(2, as => 'CEO', signed => '2024-03-02'), form(3, as => 'President', signed => '2024-03-03'));
one_outcome('dates that part', ['03-04 22:00 03-05 22:00 Chief Executive Officer #1 03-04', '03-05 22:00 03-06 22:00 President, North #3 03-05', '03-06 22:00 now Chief Executive Officer #2 03-06'], @alike, $parting);

# --- one day ---------------------------------------------------------------------------------

# Without a clock the forms of a day are in the order of their numbers; acceptance times say better.
my @day = (form(1, as => 'CEO', signed => '2024-03-01'), form(2, as => 'President', signed => '2024-03-01'), form(3, as => 'CEO', signed => '2024-03-01'));
one_outcome('forms of a day', ['03-02 04:59 now President, North #2 03-01'], @day[0, 1]);
one_outcome('three forms of a day', ['03-02 04:59 now Chief Executive Officer #1 03-01'], @day);
my $clocks = submissions([1, '4', '2024-03-01', '2024-03-01T20:00:00.000Z'], [2, '4', '2024-03-01', '2024-03-01T22:00:00.000Z'], [3, '4', '2024-03-01', '2024-03-01T21:00:00.000Z']);
one_outcome('forms of a day with clocks', ['03-01 20:00 03-01 22:00 Chief Executive Officer #1 03-01', '03-01 22:00 now President, North #2 03-01'], @day, $clocks);

# --- documents, submissions, filings ---------------------------------------------------------

# Two documents of one day's signature, that say the same of one day, one of which gets a number; forms without rows; who
# leaves; and who is no more than a holder.
my %first = (form => '3', as => 'Director', signed => '2024-03-01');
my %second = (form => '3/A', as => 'Director', signed => '2024-03-01', amends => '2024-03-04');
one_outcome('documents without a number', ['03-02 04:59 now Director #- 03-01'], nameless(%first), nameless(%second));
one_outcome('documents of which one has a number', ['03-02 04:59 now Director #- 03-01'], nameless(%first), nameless(%second), form(1, %first), submission(1, '20240304163005', %first));
one_outcome('a form without rows', ['03-04 21:30 now Director #1 03-04'], nameless(%first), form(1, %first), submission(1, '20240304163005', %first));
one_outcome('a form and its amendment', ['03-04 21:30 03-06 21:00 Director #1 03-04', '03-06 21:00 03-07 04:59 Chief Executive Officer #2 03-06', '03-07 04:59 now Chief Executive Officer gone #3 03-06'],
    nameless(%first), submission(1, '20240304163005', %first), form(2, form => '3/A', as => 'CEO', signed => '2024-03-05', amends => '2024-03-04'), form(3, as => 'CEO', signed => '2024-03-06', gone => 1),
    submissions([2, '3/A', '2024-03-06', '2024-03-06T21:00:00.000Z']));
one_outcome('a holder who becomes a director and leaves', ['03-06 04:59 03-09 04:59 Director #2 03-05', '03-09 04:59 now 10% Owner gone #3 03-08'],
    form(1, as => 'Holder', signed => '2024-03-01'), form(2, as => 'Director', signed => '2024-03-05'), form(3, as => 'Holder', signed => '2024-03-08'));
one_outcome('one who is a holder before, by later dates', ['03-05 22:00 now Director #2 03-05'],
    form(1, as => 'Director', signed => '2024-03-01'), form(2, as => 'Director', signed => '2024-03-02'), form(3, as => 'Holder', signed => '2024-03-03'),
    submissions([1, '4', '2024-03-07', '2024-03-07T22:00:00.000Z'], [2, '4', '2024-03-05', '2024-03-05T22:00:00.000Z'], [3, '4', '2024-03-04', '2024-03-04T22:00:00.000Z']));

# --- rows that amendments end ----------------------------------------------------------------

# An amendment names the day on which what it amends was filed. Signed on that day, but filed on another: not this form.
my @amended = (form(1, as => 'CEO', signed => '2024-03-04', period => '2024-03-01'), form(2, form => '4/A', as => 'CEO', signed => '2024-03-11', amends => '2024-03-04', period => '2024-03-01'));
one_outcome('a form that is amended', ['03-05 04:59 now Chief Executive Officer #1 03-04'], @amended);
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 now 4/A #2'], '... its rows end');
one_outcome('a form that was filed on another day', ['03-05 22:00 now Chief Executive Officer #1 03-05'], @amended,
    submissions([1, '4', '2024-03-05', '2024-03-05T22:00:00.000Z'], [2, '4/A', '2024-03-12', '2024-03-12T22:00:00.000Z']));
is_deeply(rows_of_forms(), ['03-05 22:00 now 4 #1', '03-12 22:00 now 4/A #2'], '... its rows hold');

# An amendment of the same form again replaces the first one, by when it was public and of one day by its number, whichever day it names; that of another
# period's form does not, nor does one of the day that it names end itself.
sub amendment { my ($n, $signed, $amends, %more) = @_; return form($n, form => '4/A', as => 'CEO', signed => $signed, amends => $amends, period => '2024-03-01', %more) }
my @ceo = ('03-05 04:59 now Chief Executive Officer #1 03-04');
one_outcome('a form that is amended twice', \@ceo, @amended, amendment(3, '2024-03-15', '2024-03-04'));
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 03-16 03:59 4/A #2', '03-16 03:59 now 4/A #3'], '... has the rows of the last amendment');
one_outcome('a form that is amended twice on a day', \@ceo, @amended, amendment(3, '2024-03-11', '2024-03-04'));
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 now 4/A #3'], '... has the rows of the amendment with the greater number');
one_outcome('an amendment that is amended', \@ceo, @amended, amendment(3, '2024-03-15', '2024-03-11'));
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 03-16 03:59 4/A #2', '03-16 03:59 now 4/A #3'], '... gives way');
one_outcome('an amendment that is amended on its day', \@ceo, @amended, amendment(3, '2024-03-11', '2024-03-11'));
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 now 4/A #3'], '... gives way, and its original stays amended');
one_outcome('amendments of two periods', \@ceo, @amended, amendment(3, '2024-03-15', '2024-03-04', period => '2024-02-28'), form(4, as => 'CEO', signed => '2024-03-04', period => '2024-02-28'));
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-05 04:59 03-16 03:59 4 #4', '03-12 03:59 now 4/A #2', '03-16 03:59 now 4/A #3'], '... are two');
one_outcome('an amendment that corrects the period', \@ceo, @amended, amendment(3, '2024-03-15', '2024-03-04', period => '2024-02-28'));
is_deeply(rows_of_forms(), ['03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 03-16 03:59 4/A #2', '03-16 03:59 now 4/A #3'], '... is one of the form that is the only one of its day');

# Several owners may stand in another order in the amendment, and some may be more or fewer: it is known by all of them. What one alone reports is another form, and
# so is that of others with one in common.
my @owner = map { [7_599_910 + $_, "Fund $_ LP"] } 0 .. 3;
sub jointly { my ($first, @others) = map { $owner[$_] } @_; return (owner => $first->[0], name => $first->[1], others => \@others) }
for my $case (['in another order', [0, 1], [1, 0], 1], ['with one more', [0, 1], [2, 0, 1], 1], ['with one fewer', [0, 1, 2], [2, 1], 1], ['with the same first one', [0, 1], [0, 2], 1],
    ['with one in common', [0, 1], [1, 2], 0], ['of one of them', [0, 1], [1], 0], ['of one and others', [1], [0, 1], 0], ['of others', [0, 1], [2, 3], 0]) {
    my ($what, $first, $then, $ends) = @$case;
    my @files = (form(1, as => 'Holder', signed => '2024-03-04', period => '2024-03-01', jointly(@$first)),
        form(2, form => '4/A', as => 'Holder', signed => '2024-03-11', amends => '2024-03-04', period => '2024-03-01', jointly(@$then)),
        form(3, form => '4/A', as => 'Holder', signed => '2024-03-15', amends => '2024-03-04', period => '2024-03-01', jointly(@$first)));
    my @rows = $ends ? ('03-05 04:59 03-12 03:59 4 #1', '03-12 03:59 03-16 03:59 4/A #2', '03-16 03:59 now 4/A #3') : ('03-05 04:59 03-16 03:59 4 #1', '03-12 03:59 now 4/A #2', '03-16 03:59 now 4/A #3');
    for my $order ([0, 1, 2], [2, 1, 0], [1, 2, 0]) {
        clear();
        load($files[$_]) for @$order;
        is_deeply(rows_of_forms(), \@rows, "owners of an amendment $what: @$order");
    }
}

# What a copy of an amendment ended holds again with the good one, as if the copy had not been: another day, period, form or owner, and rows that are none.
my @third = (amendment(3, '2024-03-15', '2024-03-04'));
my %wrong = (
    'another day' => [amendment(2, '2024-03-11', '2024-03-06'), amendment(2, '2024-03-11', '2024-03-04')],
    'another period' => [amendment(2, '2024-03-11', '2024-03-04', period => '2024-02-28'), amendment(2, '2024-03-11', '2024-03-04')],
    'another form' => [form(2, form => '5/A', as => 'CEO', signed => '2024-03-11', amends => '2024-03-04', period => '2024-03-01'), amendment(2, '2024-03-11', '2024-03-04')],
    'no amendment' => [form(2, as => 'CEO', signed => '2024-03-11', period => '2024-03-01'), amendment(2, '2024-03-11', '2024-03-04')],
    'another owner' => [amendment(2, '2024-03-11', '2024-03-04', owner => 7_599_902), amendment(2, '2024-03-11', '2024-03-04')],
    'no rows' => [form(2, form => '3/A', as => 'CEO', signed => '2024-03-11'), amendment(2, '2024-03-11', '2024-03-04')],
);
$wrong{"$_, the other way"} = [reverse $wrong{$_}->@*] for sort keys %wrong;
for my $what (sort keys %wrong) {
    my ($good, $bad) = $wrong{$what}->@*;
    for my $more ([], $what =~ /day/ ? \@third : ()) {
        my @states;
        for my $files ([$amended[0], $good, @$more], [$amended[0], $bad, @$more, $good], [@$more, $bad, $good, $amended[0]]) {
            clear();
            load($_) for @$files;
            push @states, join ', ', rows_of_forms()->@*;
            my $now = () = $states[-1] =~ / now /g;
            is($site->value("SELECT coalesce(sum(record_count), 0) FROM dataset_issuer_stat WHERE dataset = 'insider_holding'"), $now, "$what: counted");
        }
        is_deeply(\@states, [($states[0]) x @states], "a copy of an amendment that has $what leaves nothing, " . @$more . ' more');
    }
}

# What is stored is put right by the migration: ends that no amendment says any more, and amendments that were amended.
clear();
load($amended[0]);
load(amendment(2, '2024-03-11', '2024-03-06'));
load(amendment(3, '2024-03-15', '2024-03-06'));
my $stored = rows_of_forms();
$site->execute("UPDATE disclosed.insider_holding SET superseded_at = CASE WHEN form = '4' THEN timestamptz '2024-03-12 04:00Z' END");
my ($migrated) = slurp(glob "$FindBin::Bin/../sql/*_ends_anew.sql") =~ /^-- -+ what is stored.*?^(DO \$\$.*?^END \$\$;)/ms;
$site->execute("SET search_path = disclosed, public; $migrated");
is_deeply(rows_of_forms(), $stored, 'the migration puts right what is stored');

# --- NDJSON ----------------------------------------------------------------------------------

sub lines
{
    my ($name, @lines) = @_;
    return ['ndjson', $site->write("$name.ndjson", join '', map { $json->encode({ dataset => 'executive', cik => $cik, issuer_name => 'Teasel Works', name => 'Reed Ann', category => 'ir', person_rank => 3, is_current => JSON::PP::true,
        reported_on => substr($_->{known_at}, 0, 10), provenance => { source_provider => 'issuer_page' }, %$_ }) . "\n" } @lines)];
}
one_outcome('lines of NDJSON', ['03-01 12:00 03-03 12:00 IR #- 03-01', '03-03 12:00 03-05 12:00 Head of IR #- 03-03', '03-05 12:00 now IR #- 03-05'],
    lines('first', { known_at => '2024-03-01T12:00:00Z', role => 'IR' }), lines('last', { known_at => '2024-03-05T12:00:00Z', role => 'IR' }),
    lines('between', { known_at => '2024-03-03T12:00:00Z', role => 'IR contact' }, { known_at => '2024-03-03T12:00:00Z', role => 'Head of IR' }));
one_outcome('lines that cite a form', ['03-04 22:00 now Chief Executive Officer #1 03-04', '03-01 12:00 now IR #1 03-01'], lines('cite', { known_at => '2024-03-01T12:00:00Z', role => 'IR',
    provenance => { source_provider => 'issuer_page', accession => accession(1) } }), $turn[0], submissions([1, '4', '2024-03-04', '2024-03-04T22:00:00.000Z']));

# People of one rank are listed by name, whoever came first.
my @names = ('Zimmer Ada', 'Archer Zoe', 'Moss Ivy');
my @lists;
load(['ndjson', $site->write('listed.ndjson', $json->encode({ dataset => 'listing', cik => $cik, issuer_name => 'Teasel Works', known_at => '2020-01-01', ticker => 'TSL', market => 'US', name => 'Teasel Works',
    status => 'active', provenance => { source_provider => 'issuer_page' } }) . "\n")]);
for my $order (\@names, [reverse @names]) {
    clear();
    load(lines('names', map { { known_at => '2024-03-01T12:00:00Z', name => $_, role => 'IR' } } @$order, $order eq \@names ? () : 'Boss Eva'));
    push @lists, [map { $_->{name} } json_of($site->get('/v1/companies/TSL/executives'), 'people')->{data}->@*];
}
is_deeply(\@lists, [[sort @names], [sort @names, 'Boss Eva']], 'people of one rank are listed by name');

# --- it can fail -----------------------------------------------------------------------------

$site->execute("CREATE OR REPLACE FUNCTION disclosed.state_executives(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE sql AS \$\$ SELECT 'executive', 1 WHERE false \$\$");
my %ends;
for my $order (all_orders(@turn)) {
    clear();
    load(@$order);
    $ends{ join "\n", people($site->{database}) }++;
}
cmp_ok(scalar keys %ends, '>', 1, 'where statements are not kept, the order decides');

finish();

# Beneficial owners: Schedules 13D and 13G, in the list of a company and from the SEC's XML. What is the latest statement of a
# person, now and as of an instant; what a document must have; that nothing is stored twice.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();

promises(
    list_beneficial_owners => {
        parameters => [qw(symbol forms latest_only start_date end_date cursor limit fields direction as_of)],
        fields => [qw(id symbol? ticker? company_cik? owner form amendment_number? event_date filing_date is_latest security_title cusips?
            sole_voting_power? shared_voting_power? sole_dispositive_power? shared_dispositive_power? aggregate_amount? excludes_shares?
            percent_of_class? rules? fund_sources? fund_description? purpose? comment? provenance)],
    },
);
my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;

sub path { my ($symbol, $query) = @_; return "/v1/companies/$symbol/beneficial-owners" . ($query ? "?$query" : '') }

sub rows
{
    my ($symbol, $query) = @_;
    return json_of($site->get(path($symbol, $query)), "$symbol " . ($query // ''))->{data};
}

sub ids { return [map { $_->{id} } rows(@_)->@*] }

# --- the list of a company -----------------------------------------------------------------------

my ($company) = $site->rows("SELECT i.ticker, i.issuer_id, count(*) AS n FROM beneficial_owner t JOIN issuer i USING (issuer_id)
    WHERE i.ticker IS NOT NULL AND EXISTS (SELECT 1 FROM beneficial_owner d WHERE d.issuer_id = t.issuer_id AND d.form = 'SCHEDULE 13D/A')
    GROUP BY 1, 2 ORDER BY n DESC, 1 LIMIT 1");
my $symbol = $company->{ticker};

sub stored_ids
{
    my ($condition, $way) = @_;
    $way //= 'DESC';
    return [map { 0 + $_->{id} } $site->rows("SELECT id FROM beneficial_owner t WHERE issuer_id = $company->{issuer_id} AND $condition ORDER BY filing_date $way, id $way")];
}

my $now = 'superseded_at IS NULL';
for my $case (['', 'true'], ['direction=asc', 'true', 'ASC'], ['forms=SCHEDULE%2013D', "form = 'SCHEDULE 13D'"],
    ['forms=SCHEDULE%2013D&forms=SCHEDULE%2013G/A', "form IN ('SCHEDULE 13D', 'SCHEDULE 13G/A')"], ['latest_only=true', 'restated_at IS NULL'],
    ['latest_only=true&forms=SCHEDULE%2013D/A', "restated_at IS NULL AND form = 'SCHEDULE 13D/A'"],
    ['start_date=2024-01-01&end_date=2024-12-31', "filing_date BETWEEN '2024-01-01' AND '2024-12-31'"])
{
    my ($query, $condition, $way) = @$case;
    my $expected = stored_ids("$now AND $condition", $way);
    cmp_ok(scalar @$expected, '>', 0, "$symbol $query: " . @$expected . ' rows');
    is_deeply(ids($symbol, "limit=500&$query"), $expected, '... in order');
}
my ($walked, $cursor) = ([], undef);
for (1 .. 100) {
    my $page = json_of($site->get(path($symbol, 'limit=3' . ($cursor ? "&cursor=$cursor" : ''))), "page $_");
    push @$walked, map { $_->{id} } $page->{data}->@*;
    last if !($cursor = $page->{pagination}{next_cursor});
}
is_deeply($walked, stored_ids($now), 'page by page');
faults_is($site->get(path($symbol, 'forms=SC%2013D')), [fault('literal_error', ['query', 'forms', 0],
    "Input should be 'SCHEDULE 13D', 'SCHEDULE 13D/A', 'SCHEDULE 13G' or 'SCHEDULE 13G/A'", 'SC 13D', q({"expected":"'SCHEDULE 13D', 'SCHEDULE 13D/A', 'SCHEDULE 13G' or 'SCHEDULE 13G/A'"}))], 'a form that is none');
problem_is($site->get(path('NOBODY')), 404, 'nobody', instance => path('NOBODY'), detail => not_found_company('NOBODY'));
my ($first) = rows($symbol, 'limit=1')->@*;
is(json_of($site->get("/v1/src/$first->{provenance}{src_id}"), 'a source')->{record}{owner}{name}, $first->{owner}{name}, 'a src_id leads back to the record');

# --- the latest statement, at each instant -------------------------------------------------------

# As it is said: of a person's statements those known by then, the one about the latest day.
my $wrong = $site->value("SELECT count(*) FROM beneficial_owner t WHERE $now AND (restated_at IS NULL) <> (row_id = (SELECT row_id FROM beneficial_owner o
    WHERE o.issuer_id = t.issuer_id AND o.owner_name = t.owner_name AND o.$now ORDER BY event_date DESC, known_at DESC LIMIT 1))");
is($wrong, 0, 'of each person one statement is the latest');
for my $at ('2023-06-01', '2025-01-01T00:00:00Z') {
    my $then = "t.known_at <= '$at' AND (t.superseded_at IS NULL OR t.superseded_at > '$at')";
    my $latest = stored_ids("$then AND row_id = (SELECT row_id FROM beneficial_owner o WHERE o.issuer_id = t.issuer_id AND o.owner_name = t.owner_name AND o.known_at <= '$at' ORDER BY event_date DESC, known_at DESC LIMIT 1)");
    cmp_ok(scalar @$latest, '>', 0, "as of $at: " . @$latest . ' latest statements');
    is_deeply(ids($symbol, "limit=500&latest_only=true&as_of=$at"), $latest, '... are those then');
    is_deeply([map { $_->{id} } grep { $_->{is_latest} } rows($symbol, "limit=500&as_of=$at")->@*], $latest, '... and marked');
    is_deeply(ids($symbol, "limit=500&as_of=$at"), stored_ids($then), '... among all');
}

# --- documents -----------------------------------------------------------------------------------

my $number = 0;

# Imports a text under a name of its own: exit code, summary, what was said.
sub import_text
{
    my ($text, $name, @options) = @_;
    $name //= sprintf '0001234567-26-%06d.xml', ++$number;
    my ($code, $out, $err) = $site->control('import', 'sec-beneficial-ownership', '--json', @options, $site->write($name, $text));
    return ($code, eval { $json->decode($out) } // {}, $err);
}

sub person
{
    my (%p) = (cik => undef, name => 'Ann Reed', types => ['IN'], funds => ['PF'], sole => '100', shared => '0', sum => '100', percent => '5.1', @_);
    my $is = $p{of} // 'D';
    my $powers = "<soleVotingPower>$p{sole}</soleVotingPower><sharedVotingPower>$p{shared}</sharedVotingPower><soleDispositivePower>$p{sole}</soleDispositivePower><sharedDispositivePower>$p{shared}</sharedDispositivePower>";
    my $types = join '', map { "<typeOfReportingPerson>$_</typeOfReportingPerson>" } $p{types}->@*;
    return '<reportingPersonInfo>' . (defined $p{cik} ? "<reportingPersonCIK>$p{cik}</reportingPersonCIK>" : '<reportingPersonNoCIK>Y</reportingPersonNoCIK>')
        . "<reportingPersonName>$p{name}</reportingPersonName>" . join('', map { "<fundType>$_</fundType>" } $p{funds}->@*) . "<citizenshipOrOrganization>X1</citizenshipOrOrganization>$powers"
        . "<aggregateAmountOwned>$p{sum}</aggregateAmountOwned><isAggregateExcludeShares>N</isAggregateExcludeShares><percentOfClass>$p{percent}</percentOfClass>$types</reportingPersonInfo>" if $is eq 'D';
    return '<coverPageHeaderReportingPersonDetails>' . (defined $p{cik} ? "<reportingCik>$p{cik}</reportingCik>" : '') . "<reportingPersonName>$p{name}</reportingPersonName><memberGroup>a</memberGroup>"
        . "<citizenshipOrOrganization>DE</citizenshipOrOrganization><reportingPersonBeneficiallyOwnedNumberOfShares>$powers</reportingPersonBeneficiallyOwnedNumberOfShares>"
        . "<reportingPersonBeneficiallyOwnedAggregateNumberOfShares>$p{sum}</reportingPersonBeneficiallyOwnedAggregateNumberOfShares><classPercent>$p{percent}</classPercent>$types</coverPageHeaderReportingPersonDetails>";
}

sub schedule
{
    my (%s) = (of => 'D', cik => '0007654321', cusips => ['037833100'], event => '03/02/2026', title => 'Common Stock', signed => '03/05/2026', persons => [{}], @_);
    my $persons = join "\n", map { person(of => $s{of}, %$_) } $s{persons}->@*;
    my @names = map { $_->{name} // 'Ann Reed' } $s{persons}->@*;
    my $cusips = '<issuerCusips>' . join('', map { "<issuerCusipNumber>$_</issuerCusipNumber>" } $s{cusips}->@*) . '</issuerCusips>';
    my $head = "<?xml version=\"1.0\"?>\n<edgarSubmission xmlns=\"http://www.sec.gov/edgar/schedule13$s{of}\"><headerData><submissionType>SCHEDULE 13$s{of}" . ($s{amends} ? '/A' : '') . '</submissionType>'
        . ($s{amends} ? "<previousAccessionNumber>$s{amends}</previousAccessionNumber>" : '') . '</headerData><formData><coverPageHeader>' . ($s{amends} ? '<amendmentNo>1</amendmentNo>' : '')
        . "<securitiesClassTitle>$s{title}</securitiesClassTitle>";
    return "$head<dateOfEvent>$s{event}</dateOfEvent><issuerInfo><issuerCIK>$s{cik}</issuerCIK>$cusips<issuerName>Teasel Works</issuerName></issuerInfo></coverPageHeader>\n"
        . "<reportingPersons>\n$persons\n</reportingPersons><items1To7><item3><fundsSource>Own money</fundsSource></item3><item4><transactionPurpose>To  hold\n it.</transactionPurpose></item4></items1To7>"
        . '<signatureInfo>' . join('', map { "<signaturePerson><signatureReportingPerson>$_</signatureReportingPerson><signatureDetails><date>$s{signed}</date></signatureDetails></signaturePerson>" } @names)
        . '</signatureInfo></formData></edgarSubmission>' if $s{of} eq 'D';
    return "$head<eventDateRequiresFilingThisStatement>$s{event}</eventDateRequiresFilingThisStatement><issuerInfo><issuerCik>$s{cik}</issuerCik><issuerName>Teasel Works</issuerName>$cusips</issuerInfo>"
        . '<designateRulesPursuantThisScheduleFiled><designateRulePursuantThisScheduleFiled>Rule 13d-1(b)</designateRulePursuantThisScheduleFiled><designateRulePursuantThisScheduleFiled>Rule 13d-1(c)</designateRulePursuantThisScheduleFiled></designateRulesPursuantThisScheduleFiled>'
        . "</coverPageHeader>$persons" . join('', map { "<signatureInformation><reportingPersonName>$_</reportingPersonName><signatureDetails><date>$s{signed}</date></signatureDetails></signatureInformation>" } @names) . '</formData></edgarSubmission>';
}

sub known { my ($accession) = @_; return $site->rows("SELECT * FROM beneficial_owner WHERE accession = '$accession' AND superseded_at IS NULL ORDER BY id") }

my @two = ({ cik => '0001000001', sole => '1,234,567.5', sum => '1,234,567.50', percent => '12.25%' }, { name => 'Reed Fund LP', types => ['PN', 'HC'], funds => ['WC', 'AF'], shared => 'N/A', percent => 'N/A' });
my ($code, $summary, $said) = import_text(schedule(cusips => ['037833100', '594918-10 4', '000000000'], persons => \@two));
is("$code $summary->{read} $summary->{stored} $summary->{rejected}", '0 2 2 0', 'a schedule of two persons, two classes of CUSIPs') or diag $said;
my ($ann, $fund) = known('0001234567-26-000001');
is(join(' ', map { $_ // '-' } @$ann{qw(form amendment_number event_date filing_date owner_cik citizenship sole_voting_power shared_voting_power aggregate_amount percent_of_class excludes_shares purpose)}),
    'SCHEDULE 13D - 2026-03-02 2026-03-05 1000001 X1 1234567.5 0 1234567.5 12.25 0 To hold it.', '... commas and a percent sign are taken off');
is($site->value("SELECT concat_ws(' ', cusips, owner_types, fund_sources) FROM beneficial_owner WHERE id = $fund->{id}"), '{037833100,594918104} {PN,HC} {WC,AF}', '... lists');
is(join(' ', map { $_ // '-' } @$fund{qw(owner_cik shared_voting_power percent_of_class rules)}), '- - - -', '... N/A is no value');
is($ann->{known_at}, '2026-03-06T04:59:59.999999+00:00', '... public by the end of the day of signing');
my $prefixed = schedule(of => 'G', cik => '0007654322') =~ s{<(/?)(?=\w)}{<$1s:}gr =~ s/xmlns=/xmlns:s=/r;
($code, $summary, $said) = import_text($prefixed);
is("$code $summary->{stored}", '0 1', 'in another namespace prefix') or diag $said;
is($site->value("SELECT concat_ws(' ', form, rules, group_membership) FROM beneficial_owner WHERE accession = '0001234567-26-000002'"), 'SCHEDULE 13G {13d-1(b),13d-1(c)} member', '... a Schedule 13G with its rules');
($code, $summary) = import_text(schedule(cusips => ['037833100', '594918-10 4', '000000000'], persons => \@two), '0001234567-26-000001.xml');
is("$summary->{stored} $summary->{unchanged}", '0 2', 'loaded again nothing is stored');

# Rows of a damaged document: each accounted for.
my $damaged = schedule(cik => '0007654323', persons => [{}, { name => 'B', percent => 'many' }, { name => 'C', sole => '1,23' }, { name => 'D', sum => '-5' }, { name => 'E', types => ['individual'] }]);
($code, $summary, $said) = import_text($damaged);
is("$code $summary->{read} $summary->{stored} $summary->{rejected}", '1 5 1 4', 'rows that cannot be taken are rejected, others stored');
is_deeply([map { "$_->{place}: $_->{reason}" } $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run) ORDER BY place')],
    ['line 5: reportingPersonInfo[2]: percentOfClass "many" is not a number of zero or more', 'line 6: reportingPersonInfo[3]: soleVotingPower "1,23" is not a number of zero or more',
        'line 7: reportingPersonInfo[4]: aggregateAmountOwned "-5" is not a number of zero or more', 'line 8: reportingPersonInfo[5]: typeOfReportingPerson "individual" is not a code of two letters'], '... with place and reason');

# What every schedule has.
my $whole = schedule(cik => '0007654324');
my $two_persons = schedule(cik => '0007654324', persons => [{}, { name => 'Bob' }]);
for my $case (
    ['cut off', substr($whole, 0, -9), qr/line 6: not well-formed: expected '>'/],
    ['a tag is not closed', $whole =~ s{</item3>}{</item3}r, qr/line 5: not well-formed: expected '>'/],
    ['a document type', $whole =~ s/<edgar/<!DOCTYPE edgarSubmission>\n<edgar/r, qr/a document type declaration is not accepted/],
    ['another root', '<html/>', qr/line 1: the root element is html, not edgarSubmission/],
    ['another form', $whole =~ s/SCHEDULE 13D/NPORT-P/r, qr/submissionType "NPORT-P" is none of SCHEDULE 13D/],
    ['no CIK of the issuer', $whole =~ s{<issuerCIK>\d+</issuerCIK>}{}r, qr/issuerCIK is missing/],
    ['no name of the issuer', $whole =~ s{<issuerName>.*?</issuerName>}{}r, qr/issuerName is missing/],
    ['no class', $whole =~ s{>Common Stock<}{><}r, qr/securitiesClassTitle is missing/],
    ['no CUSIP', $whole =~ s{<issuerCusips>.*?</issuerCusips>}{}r, qr/the issuer's CUSIP is missing/],
    ['no date of event', $whole =~ s{<dateOfEvent>.*?</dateOfEvent>}{}r, qr/dateOfEvent is missing/],
    ['a date of event that is none', $whole =~ s{03/02/2026}{02/30/2026}r, qr{dateOfEvent "02/30/2026" is not a date}],
    ['two dates of event', $whole =~ s{(<dateOfEvent>.*?</dateOfEvent>)}{$1$1}r, qr/dateOfEvent stands more than once/],
    ['nobody reports', $whole =~ s{<reportingPersonInfo>.*</reportingPersonInfo>}{}sr, qr/reportingPersonInfo is missing/],
    ['one of two persons is lost', $two_persons =~ s{<reportingPersonInfo>.*?</reportingPersonInfo>}{}sr, qr/"Ann Reed" signs and is no reporting person/],
    ['one of two signatures is lost', $two_persons =~ s{<signaturePerson>.*?</signaturePerson>}{}sr, qr/the signature of "Ann Reed" is missing/],
    ['a person stands twice', $two_persons =~ s/Bob/Ann Reed/gr, qr/line 5: reportingPersonName "Ann Reed" stands more than once/],
    ['no purpose', $whole =~ s{<item4>.*?</item4>}{}sr, qr/transactionPurpose is missing/],
    ['an amendment of nothing', schedule(amends => '0001-26') , qr/previousAccessionNumber "0001-26" is no accession number/],
    ['an amendment without a number', schedule(amends => '0001234567-26-000001') =~ s{<amendmentNo>.*?</amendmentNo>}{}r, qr/amendmentNo is missing/],
    ['a rule that is none', schedule(of => 'G') =~ s/Rule 13d-1\(c\)/Rule 13d-1(x)/r, qr/"Rule 13d-1\(x\)" is none of Rules 13d-1\(b\), \(c\) and \(d\)/],
    ['no date at all', $whole =~ s{<date>.*?</date>}{}r, qr/when it was public is not known/],
    ['101 persons', schedule(persons => [map { { name => "P$_" } } 1 .. 101]), qr/more than 100 reporting persons/],
    )
{
    my ($what, $text, $expected) = @$case;
    ($code, $summary, $said) = import_text($text, sprintf '0001234568-26-%06d.xml', ++$number);
    like("$code $said", qr/\A1 .*$expected/s, "$what: refused");
    is($summary->{stored} // 0, 0, '... nothing is stored');
}
for my $element (qw(soleVotingPower sharedVotingPower soleDispositivePower sharedDispositivePower aggregateAmountOwned percentOfClass citizenshipOrOrganization typeOfReportingPerson fundType reportingPersonName)) {
    my $text = $two_persons =~ s{<$element>.*?</$element>}{}r;
    $text =~ s{<signaturePerson>.*?</signaturePerson>}{}s if $element eq 'reportingPersonName';
    ($code, $summary) = import_text($text, sprintf('0001234569-26-%06d.xml', ++$number), '--strict');
    my $reason = $site->value('SELECT reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)');
    is($reason, "$element is missing", "a person of an original schedule without $element");
    ($code, $summary, $said) = import_text(schedule(cik => '0007654325', amends => '0001234567-26-000001') =~ s{<$element>.*?</$element>}{}r =~ s{<signaturePerson>.*?</signaturePerson>}{$element eq 'reportingPersonName' ? '' : $&}ser,
        sprintf('0001234570-26-%06d.xml', ++$number));
    is($summary->{stored}, $element eq 'reportingPersonName' ? 0 : 1, '... and of an amendment, which need not repeat it') or diag $said;
}

# --- amendments ----------------------------------------------------------------------------------

my $cik = 7654330;
sub latest
{
    my ($at) = @_;
    my $then = $at ? "(restated_at IS NULL OR restated_at > '$at') AND known_at <= '$at'" : 'restated_at IS NULL';
    return join ', ', map { $_->{line} } $site->rows("SELECT concat_ws(' ', owner_name, form, aggregate_amount) AS line FROM beneficial_owner JOIN issuer i USING (issuer_id)
        WHERE i.cik = $cik AND superseded_at IS NULL AND $then ORDER BY 1");
}
my @story = (
    # Two persons on 13G; one turns to 13D; an amendment of the 13G comes late and is about an earlier day; the CUSIP changes.
    ['0000000001-26-000001', schedule(of => 'G', cik => $cik, event => '01/31/2026', signed => '02/10/2026', persons => [{ sum => 1 }, { name => 'Bob, L.P.', cik => '0001000002', sum => 1 }])],
    ['0000000001-26-000002', schedule(cik => $cik, event => '03/20/2026', signed => '03/25/2026', persons => [{ name => 'ANN REED', cik => '0001000001', sum => 2 }])],
    ['0000000001-26-000003', schedule(of => 'G', cik => $cik, event => '03/10/2026', signed => '04/01/2026', amends => '0000000001-26-000001', persons => [{ sum => 3 }, { name => 'Bob LP', cik => '0001000002', sum => 3 }])],
    ['0000000001-26-000004', schedule(cik => $cik, event => '05/01/2026', signed => '05/04/2026', amends => '0000000001-26-000002', cusips => ['594918104'], persons => [{ cik => '0001000001', sum => 4 }])],
    # Another class, and another person of the name.
    ['0000000001-26-000005', schedule(cik => $cik, event => '05/10/2026', signed => '05/12/2026', title => 'Class B', cusips => ['88579Y101'], persons => [{ cik => '0001000001', sum => 5 }])],
    ['0000000001-26-000006', schedule(cik => $cik, event => '05/20/2026', signed => '05/21/2026', persons => [{ cik => '0001000009', sum => 6 }])],
);
my $expected;
for my $order ([0 .. 5], [5, 3, 1, 4, 2, 0], [2, 0, 4, 5, 1, 3]) {
    $cik++;
    for my $n (@$order) {
        my ($accession, $text) = $story[$n]->@*;
        my $own = sub { $_[0] =~ s/0000000001-26/000${cik}-26/gr =~ s/(<issuerC(?:IK|ik)>)\d+/$1$cik/r };
        ($code, $summary, $said) = import_text($own->($text), "s$cik/" . $own->("$accession.xml")) if -d "$site->{root}/s$cik" || mkdir "$site->{root}/s$cik";
        is($code, 0, "filing $n") or diag $said;
    }
    is(latest(), 'Ann Reed SCHEDULE 13D 5, Ann Reed SCHEDULE 13D 6, Ann Reed SCHEDULE 13D/A 4, Bob LP SCHEDULE 13G/A 3', "order @$order: each person's latest statement about each class");
    is(latest('2026-03-01'), 'Ann Reed SCHEDULE 13G 1, Bob, L.P. SCHEDULE 13G 1', '... in March the first ones');
    is(latest('2026-04-03'), 'ANN REED SCHEDULE 13D 2, Bob LP SCHEDULE 13G/A 3', '... in April an amendment about an earlier day is not the latest');
    is(scalar $site->rows("SELECT 1 FROM beneficial_owner JOIN issuer i USING (issuer_id) WHERE i.cik = $cik AND superseded_at IS NULL"), 8, '... and what was said before stays');
}

# --- where the document is -----------------------------------------------------------------------

my $own = schedule(cik => '0007654340', signed => '03/05/2026');
sub submission
{
    my ($form, $accession, $text) = @_;
    return "<SEC-DOCUMENT>$accession.txt : 20260306\n<SEC-HEADER>$accession.hdr.sgml : 20260306\n<ACCEPTANCE-DATETIME>20260305191502\nACCESSION NUMBER:\t\t$accession\nCONFORMED SUBMISSION TYPE:\t$form\nPUBLIC DOCUMENT COUNT:\t\t1\n"
        . "FILED AS OF DATE:\t\t20260306\n\nSUBJECT COMPANY:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\t\t\tTeasel Works\n\t\tCENTRAL INDEX KEY:\t\t\t0007654340\n\nFILED BY:\n\n\tCOMPANY DATA:\n"
        . "\t\tCOMPANY CONFORMED NAME:\t\t\tReed Ann\n\t\tCENTRAL INDEX KEY:\t\t\t0001000001\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>$form\n<SEQUENCE>1\n<FILENAME>primary_doc.xml\n<TEXT>\n<XML>\n$text\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n";
}
my $dated = sub { join ' ', map { "$_->{record_key} $_->{known_at} $_->{filing_date}" } $site->rows("SELECT record_key, known_at, filing_date FROM beneficial_owner JOIN issuer i USING (issuer_id)
    WHERE i.cik = 7654340 AND superseded_at IS DISTINCT FROM known_at") };
($code) = import_text($own, 'primary_doc.xml');
like($dated->(), qr{\Asha256:[0-9a-f]{32}/Ann Reed 2026-03-06T04:59:59.999999\+00:00 2026-03-05\z}, 'a document without a name is known by its digest');
($code, $summary, $said) = import_text(submission('SCHEDULE 13D', '0001234571-26-000001', $own), 'full.txt');
is($code, 0, '... the submission of it') or diag $said;
is($dated->(), '0001234571-26-000001/Ann Reed 2026-03-06T00:15:02+00:00 2026-03-06', '... gives it accession number and dates, once');
($code, $summary) = import_text($own, 'primary_doc.xml');
is("$summary->{stored} $summary->{unchanged} " . $dated->(), '0 1 0001234571-26-000001/Ann Reed 2026-03-06T00:15:02+00:00 2026-03-06', '... and is met again without');
($code, $summary, $said) = import_text(submission('SCHEDULE 13D/A', '0001234571-26-000002', $own), 'other.txt');
like("$code $said", qr{\A1 .*the header says SCHEDULE 13D/A, the document SCHEDULE 13D}s, 'a header of another form: refused');
($code, $summary, $said) = import_text(submission('SCHEDULE 13D', '0001234571-26-000002', $own) =~ s{<issuerCIK>\K0007654340}{0007654342}r, 'other.txt');
like("$code $said", qr/\A1 .*: failed, nothing of it is stored: the header names subject company 7654340, the document 7654342$/sm, 'a header of another company: refused, with both');
($code, $summary, $said) = import_text($own =~ s{<date>\K03/05/2026}{03/05/2016}r, 'early.xml');
like("$code $said", qr/\A1 .*neither a filing date nor a date of signing is given/s, 'a day of signing before the event says nothing');
($code, $summary, $said) = import_text(schedule(cik => '0007654343', signed => '03/02/2026'), '0001234571-26-000003.xml');
is("$code " . $site->value("SELECT filing_date FROM beneficial_owner WHERE accession = '0001234571-26-000003'"), '0 2026-03-02', '... while that of the event itself counts') or diag $said;
$site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => 7654340, known_at => '2026-03-05T22:00:00Z', form => 'SCHEDULE 13D', filed_on => '2026-03-05', provenance => { source_provider => 'sec', accession => '0001234571-26-000001' } }) . "\n");
($code, my $out, $said) = $site->control('import', 'ndjson', "$site->{root}/filing.ndjson");
is($code, 0, 'its filing, loaded later') or diag "$out$said";
is($dated->(), '0001234571-26-000001/Ann Reed 2026-03-05T22:00:00+00:00 2026-03-05', '... tells best when it was public');
like(json_of($site->get('/v1/coverage'), 'coverage')->{datasets}{beneficial_owners}, qr/^\d+$/, 'coverage counts statements');
is(json_of($site->get('/v1/coverage'), 'coverage')->{datasets}{beneficial_owners}, $site->value("SELECT count(*) FROM beneficial_owner WHERE $now"), '... as many as there are');

# --- real files ----------------------------------------------------------------------------------

my $real = shared_data('beneficial-ownership');
if ($real) {
    my %rows = ('schedule13d.xml' => 2, 'schedule13d_nested_cusip.xml' => 7, 'schedule13g.xml' => 2, 'sc13d-qxo.xml' => 6, 'sc13g-x0202-an2.xml' => 4);
    for my $file (sort keys %rows) {
        ($code, $out, $said) = $site->control('import', 'sec-beneficial-ownership', '--json', "$real/$file");
        $summary = eval { $json->decode($out) } // {};
        is("$code $summary->{read} $summary->{stored} $summary->{rejected}", "0 $rows{$file} $rows{$file} 0", $file) or diag $said;
        ($code, $out) = $site->control('import', 'sec-beneficial-ownership', '--json', "$real/$file");
        is($json->decode($out)->{stored}, 0, '... again: nothing');
    }
    is_deeply([map { $_->{line} } $site->rows("SELECT concat_ws(' | ', t.owner_cik, t.owner_name, t.cusips, t.sole_voting_power, t.shared_voting_power, t.aggregate_amount, t.percent_of_class, t.owner_types, t.fund_sources, t.event_date, left(t.purpose, 21)) AS line
            FROM beneficial_owner t JOIN issuer i USING (issuer_id) WHERE i.cik = 1422142 ORDER BY owner_cik")],
        ['1373603 | Leonard Braden Michael | {00032Q104} | 335000 | 2100000 | 2435000 | 9.9 | {IN} | {PF} | 2024-12-31 | The Reporting Persons',
            '1373604 | BML Investment Partners, L.P. | {00032Q104} | 0 | 2100000 | 2100000 | 8.5 | {PN} | {WC} | 2024-12-31 | The Reporting Persons'], 'what a real Schedule 13D says');
    is_deeply([map { $_->{line} } $site->rows("SELECT concat_ws(' | ', t.owner_name, t.cusips, t.shared_dispositive_power, t.percent_of_class, t.owner_types, t.rules, t.event_date, t.filing_date) AS line
            FROM beneficial_owner t JOIN issuer i USING (issuer_id) WHERE i.cik = 1880438 AND owner_name ~ 'Egen'")],
        ['Robert Egen Atkinson | {037326105} | 3697435.00 | 9.9 | {IN,HC} | {13d-1(c)} | 2026-03-09 | 2026-03-16'], '... and a real Schedule 13G');
    ($code, $out, $said) = $site->control('import', 'sec-beneficial-ownership', "$real/sc13da-zivo-truncated-endtag.xml");
    like("$code $out$said", qr/\A1 .*line 155: not well-formed: expected '>'/s, 'a real document that is not well-formed is refused, with the line');
    is($site->value('SELECT count(*) FROM beneficial_owner JOIN issuer i USING (issuer_id) WHERE i.cik = 1101026'), 0, '... and nothing of it is stored');
    ($code, $out, $said) = $site->control('import', 'sec-beneficial-ownership', "$real/form144-apple.xml");
    like("$code $out$said", qr/\A1 .*submissionType "144" is none of/s, 'a Form 144 is none');
}
diag 'NOT TESTED: real Schedules 13D and 13G (DISCLOSED_SHARED)' if !$real;

finish();

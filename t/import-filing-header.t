# Submissions whose header is damaged or contradicts itself, copies that have lost a document, items of
# all forms, and releases of reports that furnish no results. (Made input.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use feature "state";

my $site = site(template => 'empty');

my @results = ('Results of Operations and Financial Condition', 'Regulation FD Disclosure', 'Financial Statements and Exhibits');

sub header
{
    my ($accession, %is) = @_;
    my $form = $is{form} // '8-K';
    return "<SEC-DOCUMENT>$accession.txt : 20240702\n<SEC-HEADER>$accession.hdr.sgml : 20240702\n<ACCEPTANCE-DATETIME>20240702183057\n"
        . "ACCESSION NUMBER:\t\t$accession\nCONFORMED SUBMISSION TYPE:\t$form\nPUBLIC DOCUMENT COUNT:\t\t" . ($is{count} // 2) . "\nCONFORMED PERIOD OF REPORT:\t20240702\n"
        . join('', map { "ITEM INFORMATION:\t\t$_\n" } ($is{items} // \@results)->@*)
        . "FILED AS OF DATE:\t\t20240703\nDATE AS OF CHANGE:\t\t20240703\n\nFILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\tNORTHLIGHT KETTLES INC\n"
        . "\t\tCENTRAL INDEX KEY:\t0009990001\n\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tHARDWARE [3420]\n\n\tFILING VALUES:\n\t\tFORM TYPE:\t\t$form\n"
        . "\t\tSEC ACT:\t\t1934 Act\n\t\tSEC FILE NUMBER:\t001-99901\n\t\tFILM NUMBER:\t\t24000001\n</SEC-HEADER>\n";
}
sub document { my ($number, $type, $text) = @_; return "<DOCUMENT>\n<TYPE>$type\n<SEQUENCE>$number\n<FILENAME>d$number.htm\n<TEXT>\n$text</TEXT>\n</DOCUMENT>\n" }
my $end     = "</SEC-DOCUMENT>\n";
my $report  = document(1, '8-K', "<html><p>Item 2.02. Results of Operations</p><p>We did well.</p><p>Item 9.01. Exhibits</p><p>99.1</p></html>\n");
my $release = document(2, 'EX-99.1', "<html><p>Northlight Kettles reports results of its quarter ended June 1, 2024</p><p>Net sales rose; net income was \$5.</p></html>\n");

sub accession { state $number = 100; return '0009990001-24-000' . $number++ }

# Imports the text: exit code and messages.
sub import_text
{
    my ($accession, $text) = @_;
    my ($code, $out, $err) = $site->control('import', 'sec-filing', $site->write("$accession.txt", $text));
    return "$code $out$err";
}
sub filing { my ($accession) = @_; return json_of($site->get("/v1/filings/$accession"), "... $accession") }
sub exhibits { my ($accession) = @_; return [map { $_->{exhibit_type} } json_of($site->get("/v1/filings/$accession/exhibits"), "... exhibits of $accession")->{exhibits}->@*] }

# --- damage of the header ------------------------------------------------------------------------

my @damages = (
    ['a label',                 'ITEM INFORMATION:\t\tReg',  'ITEM INFORMAVION:\t\tReg',  'line 9: ITEM INFORMATION is damaged, or not at the beginning of its line'],
    ['its first letter',        'ITEM INFORMATION:\t\tReg',  'iTEM INFORMATION:\t\tReg',  'line 9: ITEM INFORMATION is damaged, or not at the beginning of its line'],
    ['its colon',               'ITEM INFORMATION:\t\tReg',  'ITEM INFORMATION;\t\tReg',  'line 9: ITEM INFORMATION is damaged, or not at the beginning of its line'],
    ['a line end',              'Disclosure\nITEM',          "Disclosure\x08ITEM",        'line 9: ITEM INFORMATION is damaged, or not at the beginning of its line'],
    ['the period\'s label',     'PERIOD OF REPORT',          'PERIOD OF RETORT',          'line 7: CONFORMED PERIOD OF REPORT is damaged, or not at the beginning of its line'],
    ['a tag',                   '<ACCEPTANCE-DATETIME>',     '<ACSEPTANCE-DATETIME>',     'line 3: ACCEPTANCE-DATETIME is damaged, or not at the beginning of its line'],
    ['the end of a tag',        '<ACCEPTANCE-DATETIME>',     '<ACCEPTANCE-DATETIME?',     'line 3: ACCEPTANCE-DATETIME is damaged, or not at the beginning of its line'],
    ['the beginning of a tag',  '<ACCEPTANCE-DATETIME>',     '8ACCEPTANCE-DATETIME>',     'line 3: ACCEPTANCE-DATETIME is damaged, or not at the beginning of its line'],
    ['the form',                'SUBMISSION TYPE:\t8-K',     'SUBMISSION TYPE:\t8-J',     'header: the submission is of form 8-J, and the filer\'s form is 8-K: nobody knows which'],
    ['a filer\'s form',         'FORM TYPE:\t\t8-K',         'FORM TYPE:\t\t8-J',         'header: the submission is of form 8-K, and the filer\'s form is 8-J: nobody knows which'],
    ['the form where no filer states it', 'SUBMISSION TYPE:\t8-K(.*)\tFORM TYPE:[^\n]*\n', 'SUBMISSION TYPE:\t8-J$1\n', 'line 27: document 1 (8-K): the submission is of form 8-J'],
    ['the period',              'REPORT:\t20240702',         'REPORT:\t20640702',         'the period of report ends more than a year after the filing'],
    ['the CIK',                 'KEY:\t0009990001',          'KEY:\t000999001;',          'line 18: CENTRAL INDEX KEY is not a number of up to ten digits: 000999001;'],
    ['the line end of the CIK', 'KEY:\t0009990001\n',        "KEY:\t0009990001\x08",      'line 18: CENTRAL INDEX KEY is not a number of up to ten digits: 0009990001'],
);
for my $case (@damages) {
    my ($what, $from, $to, $reason) = @$case;
    my $accession = accession();
    my $text = header($accession);
    my $wanted = $to =~ s/\\t/\t/gr =~ s/\\n/\n/gr;
    $text =~ s/$from/ my $kept = $1; $wanted =~ s{\$1}{$kept}r /se or die $what;
    like(import_text($accession, $text . $report . $release . $end), qr/^1 .*failed, nothing of it is stored: [^\n]*\Q$reason\E/s, "damage of $what is told");
    is($site->value("SELECT count(*) FROM filing WHERE accession = '$accession'"), 0, '... and nothing is stored');
}

{
    my $accession = accession();
    my $text = header($accession, form => 'SC TO-T/A', items => []) =~ s/FORM TYPE:\t\tSC TO-T\/A/FORM TYPE:\t\tSC 13D\/A/r;
    like(import_text($accession, $text . document(1, 'SC TO-T/A', "<p>An offer.</p>\n") . document(2, 'EX-99.1', "<p>A letter.</p>\n") . $end), qr/^0 /, 'an offer that amends a schedule');
    is(filing($accession)->{form}, 'SC TO-T/A', '... has two forms');
}

# --- lost documents ------------------------------------------------------------------------------

my $second = document(3, 'EX-99.2', "<p>Northlight Kettles' tables of the quarter.</p>\n");
my $third  = document(4, 'EX-101.SCH', "<XML>\n<a/>\n</XML>\n") . document(7, 'XML', "<XML>\n<a/>\n</XML>\n");
{
    my $accession = accession();
    like(import_text($accession, header($accession, count => 3) . $report . $release . $second . $end), qr/^0 .*stored 4,/s, 'a submission of three documents');
    like(import_text($accession, header($accession, count => 3) . $report . $second . $end),
        qr/^1 .*failed, nothing of it is stored: line \d+: the document with <SEQUENCE>2 is missing, of 3 documents\n/s, 'a copy without the second is refused');
    same_json(exhibits($accession), ['EX-99.1', 'EX-99.2'], '... and takes nothing away');
    # Real submissions have such gaps where the count is right, and counts that are too great where there is data.
    for (['a gap', 2, $report . $second], ['a count', 4, $report . $release . $second], ['a gap behind data', 7, $report . $release . $second . $third]) {
        my ($what, $count, $documents) = @$_;
        my $other = accession();
        like(import_text($other, header($other, count => $count) . $documents . $end), qr/^0 /, "$what alone is no loss");
    }
}

# --- items ---------------------------------------------------------------------------------------

for (['D', ['3C.7', '06b', '3C'], ['06b', '3C', '3C.7']], ['ABS-15G', ['2.01'], ['2.01']], ['D', ['Rule 506'], undef], ['D', [], undef]) {
    my ($form, $items, $expected) = @$_;
    my $accession = accession();
    like(import_text($accession, header($accession, form => $form, items => $items, count => 1) . document(1, $form, "<p>Kettles.</p>\n") . $end), qr/^0 /, "a Form $form");
    same_json(filing($accession)->{items}, $expected, '... its items');
}
for (['Items 7.01 and 8.01. Regulation FD Disclosure and Other Events', '7.01', '8.01'], ['Items 2.02, 7.01, and 9.01 Results', '2.02', '7.01', '9.01'], ['Item 7.01 &amp; 8.01', '7.01', '8.01'],
    ['Item 7.01, 2024 was told', '7.01'])
{
    my ($heading, @items) = @$_;
    my $accession = accession();
    like(import_text($accession, header($accession, items => [], count => 1) . document(1, '8-K', "<p>ITEM 5.02. DEPARTURE OF DIRECTORS</p><p>They left.</p><p>$heading</p><p>Told.</p>\n") . $end),
        qr/^0 /, "a report headed $heading");
    same_json(filing($accession)->{items}, [sort '5.02', @items], '... its items');
}

# --- releases of reports that furnish no results ---------------------------------------------------

my $merger = document(2, 'EX-99.1', "<p>Northlight Kettles to Acquire Smith Lids Inc. for \$45.00 per Share in Cash</p>\n<p>Northlight Kettles announced today that it has signed an agreement. "
    . "Smith Lids had sales of about \$700 million and earnings of \$50 million in its fiscal year ended January 31, 2024. It is expected to close in the third quarter.</p>\n");
my $of_other = $report =~ s/Item 2\.02\. Results of Operations/Item 8.01. Other Events/r;
for (['of a merger', ['Entry into a Material Definitive Agreement', 'Other Events', 'Financial Statements and Exhibits'], $report, []], ['of a merger, with items in the text alone', [], $of_other, []],
    ['of a merger, with a title that is not known', ['Other Things', 'Other Events'], $of_other, []],
    ['of a report with results', \@results, $report, ['EX-99.1']], ['of a report without items', [], document(1, '8-K', "<p>Kettles.</p>\n"), ['EX-99.1']])
{
    my ($what, $items, $main, $expected) = @$_;
    my $accession = accession();
    like(import_text($accession, header($accession, items => $items) . $main . (@$expected ? $release : $merger) . $end), qr/^0 /, "a release $what");
    same_json(exhibits($accession), $expected, '... whether it is one of results');
    is($site->value("SELECT count(*) FROM filing WHERE accession = '$accession' AND event_id IS NOT NULL"), scalar @$expected, '... and of an event');
}

# A copy whose items are not known, or an earlier build, has stored what is no release of results: the submission ends it.
{
    my $accession = accession();
    my $stored = sub { return $site->value("SELECT count(*) || ' ' || (SELECT count(*) FROM filing WHERE accession = '$accession' AND superseded_at IS NULL AND event_id IS NOT NULL) FROM filing_exhibit WHERE accession = '$accession' AND superseded_at IS NULL") };
    my $about = document(1, '8-K', "<p>Kettles.</p>\n");
    like(import_text($accession, header($accession, items => []) . $about . $release . $end), qr/^0 /, 'a release of which the items are not known');
    is($stored->(), '1 1', '... is one of results by its text');
    like(import_text($accession, header($accession, items => ['Other Events']) . $about . $release . $end), qr/^0 .*superseded [1-9]/s, 'the submission with its items');
    is($stored->(), '0 0', '... ends it, and its event');
    same_json(exhibits($accession), [], '... it is not served');
}

finish();

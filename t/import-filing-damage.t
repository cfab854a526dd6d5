# Submissions that are cut off, or of which something is missing, are refused whole; and exhibits that hold no text are left out,
# which is told and is no fault.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Shared qw(fresh workspace);
use File::Path qw(make_path);
use Disclosed::Build qw(build shared_files);
use Disclosed::Process qw(slurp);
use Disclosed::JSON ();
use feature "state";

my $site = site(template => 'empty');
my $place = workspace() . '/' . fresh('filing-damage');

sub header
{
    my ($accession, @items) = @_;
    return "<SEC-DOCUMENT>$accession.txt : 20240702\n<SEC-HEADER>$accession.hdr.sgml : 20240702\n<ACCEPTANCE-DATETIME>20240702183057\n"
        . "ACCESSION NUMBER:\t\t$accession\nCONFORMED SUBMISSION TYPE:\t8-K\n" . join('', map { "ITEM INFORMATION:\t\t$_\n" } @items)
        . "FILED AS OF DATE:\t\t20240703\n\nFILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\tNORTHLIGHT KETTLES INC\n"
        . "\t\tCENTRAL INDEX KEY:\t0009990001\n</SEC-HEADER>\n";
}
sub document { my ($number, $type, $text) = @_; return "<DOCUMENT>\n<TYPE>$type\n<SEQUENCE>$number\n<FILENAME>d$number.htm\n<TEXT>\n$text</TEXT>\n</DOCUMENT>\n" }
my $end     = "</SEC-DOCUMENT>\n";
my $report  = document(1, '8-K', "<html><p>Item 2.02. Results of Operations</p><p>We did well.</p><p>Item 9.01. Exhibits</p><p>99.1</p></html>\n");
my $release = document(2, 'EX-99.1', "<html><p>Northlight Kettles reports second quarter results</p><p>Net sales rose; net income was \$5.</p></html>\n");
my @results = ('Results of Operations and Financial Condition', 'Financial Statements and Exhibits');

sub import_file { my ($name, $text, @options) = @_; return $site->control('import', 'sec-filing', @options, $site->write($name, $text)) }

# --- exhibits without text -------------------------------------------------------------------

my $pictures = document(3, 'EX-99.2', "<html><body><p><img src=\"g1.jpg\" alt=\"page 1\"></p><div style=\"x\"><img src=\"g2.jpg\"/></div></body></html>\n");
for my $case (['images alone', $pictures], ['nothing', document(3, 'EX-99.2', '')], ['blanks', document(3, 'EX-99.2', "\n  \n\n")],
    ['a PDF file', document(3, 'EX-99.2', "<PDF>\nbegin 644 a.pdf\nM)5!\n\nend\n</PDF>\n")])
{
    state $number = 100;
    my ($what, $exhibit) = @$case;
    my $accession = '0009990001-24-000' . $number++;
    my ($code, $out, $err) = import_file("$accession.txt", header($accession, @results) . $report . $release . $exhibit . $end, '--strict');
    is($code, 0, "an exhibit of $what is no fault, with --strict either") or diag $out, $err;
    like("$out$err", qr/1 exhibit of type EX-99 without text/, '... it is told of');
    same_json([map { $_->{exhibit_type} } json_of($site->get("/v1/filings/$accession/exhibits"), '... exhibits')->{exhibits}->@*], ['EX-99.1'], '... and the others are stored');
}

# --- items -----------------------------------------------------------------------------------

for my $case ([[''], ['2.02', '9.01']], [[], ['2.02', '9.01']], [['', ''], ['2.02', '9.01']], [['Other Events'], ['8.01']], [['Financial Statements and Exhibits', ''], ['2.02', '9.01']]) {
    state $number = 200;
    my ($items, $expected) = @$case;
    my $accession = '0009990001-24-000' . $number++;
    is((import_file("$accession.txt", header($accession, @$items) . $report . $release . $end))[0], 0, 'a header with items (' . join(', ', map { "\"$_\"" } @$items) . ')');
    same_json(json_of($site->get("/v1/filings/$accession"), '... the filing')->{items}, $expected, '... items as the header says, else as the text does');
}

# --- damage ----------------------------------------------------------------------------------

my $accession = '0009990001-24-000300';
my $whole = header($accession, @results) . $report . $release . $end;
my $count = $site->value('SELECT count(*) FROM filing');

# Imports texts as a folder: (files, failed, stored).
sub import_all
{
    my ($folder, @texts) = @_;
    make_path("$place/$folder");
    for my $i (0 .. $#texts) {
        open my $out, '>:raw', sprintf('%s/%s/%05d.txt', $place, $folder, $i) or die;
        print $out $texts[$i];
        close $out;
    }
    my ($code, $out, $err) = $site->control('import', 'sec-filing', '--json', "$place/$folder");
    my ($summary) = grep { defined $_->{files} } map { Disclosed::JSON->new->decode($_) } grep { /^\{/ } split /\n/, $out;
    diag $out, $err if !$summary;
    return ($code, $summary // {});
}

my @cut = map { substr $whole, 0, $_ } 1 .. length($whole) - length("</SEC-DOCUMENT>\n") + length('</SEC-DOCUMENT') - 1;
@cut = @cut[grep { $_ % 7 == 0 || $_ > $#cut - 30 } 0 .. $#cut];
my ($code, $summary) = import_all('cut', @cut);
is($code, 1, scalar(@cut) . ' cut files');
is("$summary->{failed} $summary->{stored}", scalar(@cut) . ' 0', '... each is refused, and nothing is stored');

my @lines = split /^/, $whole;
my @structure = grep { $lines[$_] =~ m{^</?(?:SEC-HEADER|DOCUMENT|TEXT|TYPE|SEC-DOCUMENT)>} && $_ > 1 } 0 .. $#lines;
my @without = map { my $line = $_; join '', @lines[grep { $_ != $line } 0 .. $#lines] } @structure;
push @without, map { my $line = $_; join '', @lines[grep { $_ < $line || $_ > $line + 1 } 0 .. $#lines] } grep { $_ < $#lines } @structure;
push @without, map { header($accession, @results) . $report =~ s{(?<=</TEXT>\n)}{"\n" x $_ . "More of it.\n"}er . $release . $end } 1, 70, 70_000;
($code, $summary) = import_all('without', @without);
is($code, 1, scalar(@without) . ' files without a line or two of their structure, or with text behind the end of a document');
is("$summary->{failed} $summary->{stored}", scalar(@without) . ' 0', '... each is refused, and nothing is stored');
# The main document is lost, whole or by its type: no exhibit takes its place.
my @headless = (header($accession, @results) . $release . $end, header($accession, @results) . document(1, 'EX-99.1', "x\n") . $release . $end,
    header($accession, @results) . $end, header($accession, @results) . $report =~ s/<TYPE>8-K\n/<TYPE>\n/r . $release . $end,
    header($accession, @results) . $report =~ s/<TYPE>8-K/<TYPE>GRAPHIC/r . $release . $end, header($accession, @results) . $report =~ s/<SEQUENCE>1\n//r . $release . $end,
    header($accession, @results) =~ s/TYPE:\t8-K/TYPE:\tS-8/r . $release . $end);
($code, $summary) = import_all('headless', @headless);
is("$summary->{failed} $summary->{stored}", scalar(@headless) . ' 0', scalar(@headless) . ' submissions without their main document are refused');
is($site->value('SELECT count(*) FROM filing'), $count, 'no filing has come of it');
is((import_file("$accession.txt", $whole))[0], 0, 'the whole one is taken');

# Exhibits are known by their numbers: without one none is stored, and none takes another's place.
my $numberless = '0009990001-24-000301';
($code, my $said, my $err) = import_file("$numberless.txt", (header($numberless, @results) . $report . $release . document(3, 'EX-99.2', "<p>Another release.</p>\n") . $end) =~ s/<SEQUENCE>[23]\n//gr);
like("$code $said$err", qr/^1 .*read 4, stored 2, unchanged 0, superseded 0, rejected 2\n.*document \? \(EX-99\.1\): rejected: sequence: is required.*document \? \(EX-99\.2\): rejected: sequence: is required/s,
    'exhibits without a number are rejected');

# A tag that opens something is missed as well: the first line of a submission, and the only <DOCUMENT> of an .nc file, whose header has no end.
my $closed = slurp(build('SRCDIR') . '/t/fuzz/corpus/filing-nc/8-k');
my $first = (split /(?=<DOCUMENT>)/, $closed)[0];
my ($only) = $closed =~ m{(<DOCUMENT>.*?</DOCUMENT>\n)}s;
for my $case (['txt', header('0009990001-24-000302', @results) . $report . $release . $end, qr/^<SEC-DOCUMENT>.*\n/, 'line 1: <SEC-DOCUMENT>, which opens a submission, is missing'],
    ['nc', "$first$only</SUBMISSION>\n", qr/<DOCUMENT>\n/, 'a document stands in the header: <DOCUMENT> is missing'])
{
    my ($kind, $text, $tag, $reason) = @$case;
    ($code, $said, $err) = import_file("0009990001-24-000302.$kind", $text);
    is($code, 0, "a submission .$kind") or diag "$said$err";
    isnt(my $without = $text =~ s/$tag//r, $text, '... loses a tag');
    ($code, $said, $err) = import_file("0009990001-24-000302.$kind", $without);
    like("$code $said$err", qr/^1 .*failed, nothing of it is stored: .*\Q$reason\E/s, '... and is refused');
}
# EDGAR stored some filings of 1995 in an envelope more: the header stands twice, and both are closed at the end.
my $enveloped = '0009990001-24-000303';
my $inner = header($enveloped, @results) . $report . $release . $end;
my $twice = header($enveloped, @results) =~ s/<ACCEPTANCE-DATETIME>.*\n//r . $inner . $end;
for my $case (['lacks an end', $twice =~ s{</SEC-DOCUMENT>\n\z}{}r, 'the file is cut off: it ends without </SEC-DOCUMENT>'],
    ['has an end too many', "$twice$end", 'the file goes on after its end'],
    ['has another filing within', header($enveloped, @results) . header('0009990001-24-000304', @results) . $report . $end . $end, 'ACCESSION NUMBER is 0009990001-24-000304 here and 0009990001-24-000303 before'],
    ['has another day within', $twice =~ s/(.*FILED AS OF DATE:\t\t2024070)3/${1}2/sr, 'FILED AS OF DATE is 2024-07-02 here and 2024-07-03 before'],
    ['has text between', $twice =~ s{(</SEC-HEADER>\n)}{$1More of it.\n}r, 'something stands between documents: a tag is missing'])
{
    my ($what, $text, $reason) = @$case;
    ($code, $said, $err) = import_file("$enveloped.txt", $text);
    like("$code $said$err", qr/^1 .*failed, nothing of it is stored: .*\Q$reason\E/s, "an envelope that $what is refused");
}
($code, $said, $err) = import_file("$enveloped.txt", $twice, '--strict');
is($code, 0, 'a submission in an envelope more is taken') or diag "$said$err";
my $filing = json_of($site->get("/v1/filings/$enveloped"), '... the filing');
same_json([@$filing{qw(form filed_on accepted_at)}, $filing->{items}], ['8-K', '2024-07-03', '2024-07-02T22:30:57Z', ['2.02', '9.01']], '... as its headers say, once');
same_json([map { $_->{exhibit_type} } json_of($site->get("/v1/filings/$enveloped/exhibits"), '... exhibits')->{exhibits}->@*], ['EX-99.1'], '... with its release');

my $form = slurp(build('SRCDIR') . '/t/fuzz/corpus/ownership-submission/form4') =~ s/^<SEC-DOCUMENT>.*\n//r;
($code, $said, $err) = $site->control('import', 'sec-ownership', $site->write('form4.txt', $form));
like("$code $said$err", qr/^1 .*failed, nothing of it is stored: line 1: <SEC-DOCUMENT>, which opens a submission, is missing/s, '... as is a form');

# Real ones, where they are at hand.
SKIP: {
    my @real = grep { -s $_ < 400_000 } map { shared_files($_) } '8k-ex99/*.txt', 'sgml-filings/*.txt', 'ownership-xml/sgml/*', 'form13f/*.nc';
    diag 'NOT TESTED: there are no real submissions here (DISCLOSED_SHARED)' if !@real;
    skip 'no real submissions at hand', 1 if !@real;
    my @texts;
    for my $path (@real) {
        open my $in, '<:raw', $path or die;
        local $/;
        my $text = <$in>;
        srand length $text;
        push @texts, substr $text, 0, 1 + int rand(length($text) - 60) for 1 .. 6;
    }
    ($code, $summary) = import_all('real', @texts);
    is("$summary->{failed} $summary->{stored}", scalar(@texts) . ' 0', scalar(@texts) . ' cuts of ' . @real . ' real submissions are refused');
}

finish();

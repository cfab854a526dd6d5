# A filing with several XBRL instances: one of them stands, the same in whatever order they are loaded, and what is left out is told.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test qw(without_cache kept_sessions);

my $site = site(template => 'empty');
my $declared = 'xmlns="http://www.xbrl.org/2003/instance" xmlns:us-gaap="http://fasb.org/us-gaap/2024" xmlns:own="http://own.example/20240331" xmlns:dei="http://xbrl.sec.gov/dei/2024" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"';

sub context_of { my ($cik) = @_; return "<context id=\"c\"><entity><identifier scheme=\"http://www.sec.gov/CIK\">$cik</identifier></entity><period><instant>2024-03-31</instant></period></context>" }
sub plain
{
    my ($cik, %facts) = @_;
    return "<?xml version=\"1.0\"?>\n<xbrl $declared>" . context_of($cik) . '<unit id="usd"><measure>iso4217:USD</measure></unit><dei:DocumentType contextRef="c">10-Q</dei:DocumentType>'
        . join('', map { "<$_ contextRef=\"c\" unitRef=\"usd\" decimals=\"0\">$facts{$_}</$_>" } sort keys %facts) . '</xbrl>';
}
sub inline
{
    my ($cik, %facts) = @_;
    return "<html xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:ix=\"http://www.xbrl.org/2013/inlineXBRL\" xmlns:xbrli=\"http://www.xbrl.org/2003/instance\" " . $declared =~ s/^xmlns="\S+ //r . '><body><ix:header><ix:resources>'
        . (context_of($cik) =~ s{(</?)(\w)}{$1xbrli:$2}gr) . '<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit></ix:resources></ix:header><p><ix:nonNumeric name="dei:DocumentType" contextRef="c">10-Q</ix:nonNumeric>'
        . join('', map { "<ix:nonFraction name=\"$_\" contextRef=\"c\" unitRef=\"usd\" decimals=\"0\">$facts{$_}</ix:nonFraction>" } sort keys %facts) . '</p></body></html>';
}

# Documents: their names, and what is in them. The two forms of the second say nearly the same.
my %assets = (A => 100, B => 200, C => 300);
my %documents = (
    'own-20240331.xml'  => sub { plain($_[0], 'us-gaap:Assets' => 100, 'own:Ships' => 5) },
    'own-20240331.htm'  => sub { inline($_[0], 'us-gaap:Assets' => 101) },
    'zzz-20240331.xml'  => sub { plain($_[0], 'us-gaap:Assets' => 200, 'us-gaap:Liabilities' => 20) },
    'aaa-20240331.xml'  => sub { plain($_[0]) },
    'ex107_htm.xml'     => sub { plain($_[0], 'us-gaap:Assets' => 300) },
);
my %sets = (
    'two'            => { of => ['own-20240331.xml', 'zzz-20240331.xml'], assets => 100 },
    'three'          => { of => ['zzz-20240331.xml', 'ex107_htm.xml', 'own-20240331.htm'], assets => 101 },
    'two forms'      => { of => ['own-20240331.xml', 'own-20240331.htm', 'zzz-20240331.xml'], assets => 100 },
    'one is empty'   => { of => ['aaa-20240331.xml', 'zzz-20240331.xml'], assets => 200 },
    'of an exhibit'  => { of => ['ex107_htm.xml', 'zzz-20240331.xml'], assets => 200 },
);

sub orders { my (@all) = @_; return [] if !@all; return map { my $one = $_; map { [$all[$one], @$_] } orders(@all[grep { $_ != $one } 0 .. $#all]) } 0 .. $#all }

my $cik = 7800;
my (@steps, %filings, %left_out);
sub folder { my ($name) = @_; mkdir "$site->{root}/$name"; return $name }
sub accession { return sprintf '%010d-24-000001', $_[0] }

# The n-th run loads the n-th documents of all orders: folders named by their filings, a document in each.
for my $set (sort keys %sets) {
    for my $order (orders($sets{$set}{of}->@*)) {
        $cik++;
        push $filings{$set}->@*, $cik;
        for my $step (0 .. $#$order) {
            my $folder = folder(folder("step$step") . '/' . accession($cik));
            push $steps[$step]->@*, $site->write("$folder/$order->[$step]", $documents{ $order->[$step] }->($cik));
        }
    }
    # In one run, from one folder; and as documents of a submission.
    $cik++;
    push $filings{$set}->@*, $cik;
    my $folder = folder(folder('together') . '/' . accession($cik));
    $site->write("$folder/$_", $documents{$_}->($cik)) for $sets{$set}{of}->@*;
    $cik++;
    push $filings{$set}->@*, $cik;
    my $sequence = 0;
    $site->write(folder('submissions') . '/' . accession($cik) . '.txt', '<SEC-DOCUMENT>' . accession($cik) . ".txt : 20240501\n<SEC-HEADER>" . accession($cik) . ".hdr.sgml : 20240501\n<ACCEPTANCE-DATETIME>20240501160000\n"
        . 'ACCESSION NUMBER:		' . accession($cik) . "\nCONFORMED SUBMISSION TYPE:	10-Q\nPUBLIC DOCUMENT COUNT:		1\nCONFORMED PERIOD OF REPORT:	20240331\nFILED AS OF DATE:		20240501\n\nFILER:\n\n	COMPANY DATA:	\n		COMPANY CONFORMED NAME:			Several Inc\n		CENTRAL INDEX KEY:			"
        . sprintf('%010d', $cik) . "\n</SEC-HEADER>\n" . join('', map { my $n = ++$sequence; "<DOCUMENT>\n<TYPE>" . (/htm$/ ? '10-Q' : 'XML') . "\n<SEQUENCE>$n\n<FILENAME>$_\n<TEXT>\n" . (/htm$/ ? '' : "<XML>\n") . $documents{$_}->($cik) . (/htm$/ ? '' : "\n</XML>") . "\n</TEXT>\n</DOCUMENT>\n" } $sets{$set}{of}->@*) . "</SEC-DOCUMENT>\n");
}

sub load
{
    my ($name, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', 'xbrl-instance', '--verbose', '--known-at', '2024-05-01', @paths);
    is($code, 0, "loaded: $name") or diag substr "$out$err", 0, 3000;
    return "$out$err";
}

# What stands of a filing: numbers of it as a whole, and key figures.
sub stands
{
    my ($cik) = @_;
    return join '; ', map { $_->{line} } $site->rows("SELECT concat_ws(' ', document, array_to_string(concepts, ','), array_to_string(amounts, ',')) AS line FROM xbrl_report JOIN issuer USING (issuer_id) WHERE cik = $cik AND superseded_at IS NULL
        UNION ALL SELECT concat_ws(' ', metric_key, value) FROM kpi_observation JOIN issuer USING (issuer_id) WHERE cik = $cik AND superseded_at IS NULL ORDER BY 1");
}
sub all_stand
{
    my ($when) = @_;
    for my $set (sort keys %sets) {
        my %got = map { (stands($_) => 1) } $filings{$set}->@*;
        is(scalar keys %got, 1, "$when: $set: one thing stands in " . $filings{$set}->@* . ' ways') or diag join "\n", map { "$_: " . stands($_) } $filings{$set}->@*;
        like((keys %got)[0], qr/us-gaap:Assets\S* (?:\d+,)*$sets{$set}{assets}\b/, '... the one that the rule says');
    }
    return;
}

my @said = map { load("step $_", $steps[$_]->@*) } 0 .. $#steps;
push @said, load('together', "$site->{root}/together"), load('submissions', glob "$site->{root}/submissions/*.txt");
all_stand('loaded');
like($said[1], qr/left out, 2 numbers: own-20240331\.xml, which is stored, stands for the filing/, 'what is left out is told');
like($said[1], qr/stands for the filing in place of zzz-20240331\.xml, which is left out/, '... and what gives way');
like($said[$#said], qr/zzz-20240331\.xml is left out: own-20240331\.xml stands for the filing/, '... of a submission');
like($said[$#said], qr/ex107_htm\.xml is left out: zzz-20240331\.xml stands for the filing/, '... whose exhibit has one');

load("step $_ again", $steps[$_]->@*) for reverse 0 .. $#steps;
all_stand('loaded again');

# The instance that stands may come again as another copy, and counts then.
my ($of) = $filings{two}[0];
my $folder = folder(folder('changed') . '/' . accession($of));
$site->write("$folder/own-20240331.xml", plain($of, 'us-gaap:Assets' => 150));
load('a copy that says something else', "$site->{root}/$folder");
is(stands($of), 'own-20240331.xml us-gaap:Assets 150', 'a copy of it counts');

# A copy of the instance that stands which has lost its numbers takes nothing away, whichever of all is loaded first; another instance stands only while
# no copy with numbers is there.
my %copies = (whole => ['own-20240331.xml', $documents{'own-20240331.xml'}], empty => ['own-20240331.xml', sub { plain($_[0]) }], exhibit => ['ex107_htm.xml', $documents{'ex107_htm.xml'}]);
my (@turns, %stand);
for my $order (orders(qw(whole empty exhibit)), orders(qw(empty exhibit)), orders(qw(whole empty)), [qw(whole empty whole exhibit empty)]) {
    $cik++;
    $stand{$cik} = { order => "@$order", stands => (grep { $_ eq 'whole' } @$order) ? 'own-20240331.xml own:Ships,us-gaap:Assets 5,100; ships 5' : 'ex107_htm.xml us-gaap:Assets 300' };
    for my $turn (0 .. $#$order) {
        my ($name, $text) = $copies{ $order->[$turn] }->@*;
        push $turns[$turn]->@*, $site->write(folder(folder("turn$turn") . '/' . accession($cik)) . "/$name", $text->($cik));
    }
}
@said = map { load("turn $_", $turns[$_]->@*) } 0 .. $#turns;
is(stands($_), $stand{$_}{stands}, "$stand{$_}{order}: the instance with numbers stands") for sort keys %stand;
like(join('', @said), qr/left out, 0 numbers: own-20240331\.xml, which is stored, stands for the filing/, 'a copy without numbers is told');

# Exhibits and reports may have a day in their names and be HTML without XBRL: none of them stands for the filing, or keeps its instance out.
my $page = "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/loose.dtd\">\n<html><body><p>Assets &nbsp; 999<br>of nobody</p></body></html>";
my %pages = ('aaa-20240331.htm' => $page, 'own-03312024xex101.htm' => $page, 'zzz-20240331x10q.htm' => '<html><body><p>Assets</p></body></html>');
sub submission
{
    my ($cik, %texts) = @_;
    my $sequence = 0;
    return '<SEC-DOCUMENT>' . accession($cik) . ".txt : 20240501\n<SEC-HEADER>" . accession($cik) . ".hdr.sgml : 20240501\n<ACCEPTANCE-DATETIME>20240501160000\nACCESSION NUMBER:\t\t" . accession($cik)
        . "\nCONFORMED SUBMISSION TYPE:\t8-K\nFILED AS OF DATE:\t\t20240501\n\nFILER:\n\n\tCOMPANY DATA:\t\n\t\tCOMPANY CONFORMED NAME:\t\t\tSeveral Inc\n\t\tCENTRAL INDEX KEY:\t\t\t" . sprintf('%010d', $cik) . "\n</SEC-HEADER>\n"
        . join('', map { my $n = ++$sequence; "<DOCUMENT>\n<TYPE>EX-10.$n\n<SEQUENCE>$n\n<FILENAME>$_\n<TEXT>\n$texts{$_}\n</TEXT>\n</DOCUMENT>\n" } sort keys %texts) . "</SEC-DOCUMENT>\n";
}
my %expected = ('own-20240331.htm' => 'own-20240331.htm us-gaap:Assets 101', 'own-20240331.xml' => 'own-20240331.xml own:Ships,us-gaap:Assets 5,100; ships 5', 'ex107_htm.xml' => 'ex107_htm.xml us-gaap:Assets 300');
for my $instance (sort keys %expected) {
    $cik++;
    my %all = (%pages, $instance => $documents{$instance}->($cik));
    my $told = load("pages beside $instance, in a submission", $site->write('submissions/' . accession($cik) . '.txt', submission($cik, %all)));
    is(stands($cik), $expected{$instance}, '... it stands');
    unlike($told, qr/left out/, '... and the pages are no instances that are left out');
    $cik++;
    $folder = folder(folder('pages') . '/' . accession($cik));
    $site->write("$folder/$_", $_ eq $instance ? $documents{$_}->($cik) : $all{$_}) for sort keys %all;
    $told = load("pages beside $instance, in a folder", "$site->{root}/$folder");
    is(stands($cik), $expected{$instance}, '... it stands');
    like($told, qr/total of 1 files, 0 failed/, '... and the pages are not files that fail') or diag $told;
}
$cik++;
like(load('pages alone, in a submission', $site->write('submissions/' . accession($cik) . '.txt', submission($cik, %pages))), qr/the filing has no XBRL/, '... which is told');
is(stands($cik), '', '... and nothing is stored');
for my $name (sort keys %pages) {
    my ($code, $out, $err) = $site->control('import', 'xbrl-instance', '--accession', accession($cik), '--known-at', '2024-05-01', $site->write(folder(folder('alone') . "/$cik-$name") . "/$name", $pages{$name}));
    like("$code $out$err", qr/^1 .*failed, nothing of it is stored: not inline XBRL: it names no namespace of inline XBRL/s, "$name alone is refused");
}

# An inline document that somebody saved under a name of his own is the filing's if no other file is; an exhibit is refused as what it is.
for my $case (['report.html', 'own-20240331.htm', 0, 'report.html us-gaap:Assets 101'], ['10-k-2024-05-01.htm', 'own-20240331.htm', 0, '10-k-2024-05-01.htm us-gaap:Assets 101'],
    ['exhibit.htm', undef, 1, '']) {
    my ($name, $document, $expected, $stands) = @$case;
    $cik++;
    my ($code, $out, $err) = $site->control('import', 'xbrl-instance', '--accession', accession($cik), '--known-at', '2024-05-01',
        $site->write(folder(folder('saved') . "/$cik") . "/$name", $document ? $documents{$document}->($cik) : $page));
    is($code, $expected, "$name alone");
    is(stands($cik), $stands, '... what is stored') or diag $out, $err;
    unlike("$out$err", qr/a linkbase or schema/, '... it is not called a linkbase');
    like("$out$err", qr/not inline XBRL: it names no namespace of inline XBRL/, '... but what it is') if $expected;
}

# One that was loaded before documents had names, from a file that tells it, and from one that does not.
for my $case (['own-20240331.xml', 100], ['old.ndjson', 200]) {
    my ($file, $assets) = @$case;
    $cik++;
    my ($first, $second) = map { folder(folder($_) . '/' . accession($cik)) } "first$cik", "second$cik";
    $site->write("$first/own-20240331.xml", $documents{'own-20240331.xml'}->($cik));
    $site->write("$second/zzz-20240331.xml", $documents{'zzz-20240331.xml'}->($cik));
    load('one', "$site->{root}/$first");
    $site->execute("UPDATE disclosed.xbrl_report SET document = NULL WHERE accession = '" . accession($cik) . "'; UPDATE disclosed.import_run SET file = replace(file, 'own-20240331.xml', '$file') WHERE file LIKE '%first$cik%'");
    load('another', "$site->{root}/$second");
    like(stands($cik), qr/us-gaap:Assets\S* (?:\d+,)*$assets\b/, "a nameless one of $file");
}

finish();

package Disclosed::MadeDay;

# A made day of EDGAR, of real filings: full submissions as they were sent out, and XML documents, reports and XBRL inside the
# submission that was around them. Each keeps its time of day and moves to the day that is made, in its header as well, so that
# feeds, indexes and documents agree. Those of which only the document is known get a time at which such forms come.
#
# A filing: {accession, form, at (seconds since 1970), period, filers => [{role, cik, name}], documents => [{type, name, text}],
# items => [...], text (the full submission)}.

use v5.24;
use warnings;
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(slurp);
use Disclosed::RealFiles qw(eastern_to_utc);
use Exporter qw(import);
use File::Basename qw(basename dirname);
use POSIX qw(strftime);

our @EXPORT_OK = qw(last_weekday made_filings made_filing documents_of first_second last_second);

# How many filings come in which hour of a day in New York, in parts of a hundred: most come when the exchanges have closed.
my @hours = (6 => 4, 7 => 4, 8 => 6, 9 => 5, 10 => 4, 11 => 4, 12 => 4, 13 => 4, 14 => 4, 15 => 5, 16 => 21, 17 => 19, 18 => 8, 19 => 4, 20 => 3, 21 => 1);

# EDGAR takes filings from 6 to 22 o'clock.
sub first_second { my ($day) = @_; return eastern_to_utc("${day}060000") }
sub last_second  { my ($day) = @_; return eastern_to_utc("${day}220000") }

# YYYYMMDD of the last weekday that is over in New York, or of the weekdays before it.
sub last_weekday
{
    my ($before) = @_;
    my $wanted = 1 + ($before // 0);
    local $ENV{TZ} = 'America/New_York';
    POSIX::tzset();
    my @now = localtime time;
    my $noon = POSIX::mktime(0, 0, 12, @now[3 .. 5], 0, 0, -1);
    my $day;
    while ($wanted > 0) {
        $noon -= 86_400;
        my @then = localtime $noon;
        $wanted-- if $then[6] % 6 != 0;
        $day = strftime('%Y%m%d', @then);
    }
    delete local $ENV{TZ};
    POSIX::tzset();
    return $day;
}

# ------------------------------------------------------------------------ numbers, the same each time

my $state = 1;

sub number_below
{
    my ($limit) = @_;
    $state = ($state * 1103515245 + 12345) % 2**31;
    return int($state / 2**31 * $limit);
}

# HHMMSS, drawn from the hours.
sub time_of_day
{
    my $part = number_below(100);
    for (my $i = 0; $i < @hours; $i += 2) {
        return sprintf '%02d%02d%02d', $hours[$i], number_below(60), number_below(60) if ($part -= $hours[ $i + 1 ]) < 0;
    }
    return '160000';
}

# ------------------------------------------------------------------------------- full submissions

# A real submission, moved to the day; nothing where it is not in the form that EDGAR has today.
sub moved
{
    my ($day, $path) = @_;
    my $text = slurp($path);
    return if $text !~ /<SEC-HEADER>/;
    # What an acceptance time after closing time says is of the day before.
    my ($of_day) = $text =~ /<ACCEPTANCE-DATETIME>\d{8}(\d{6})/;
    $of_day = time_of_day() if !defined $of_day || $of_day lt '060000' || $of_day ge '220000';
    my $stamp = "<ACCEPTANCE-DATETIME>$day$of_day\n";
    $text =~ s/<ACCEPTANCE-DATETIME>\d{14}\r?\n/$stamp/ or $text =~ s/(<SEC-HEADER>[^\n]*\n)/$1$stamp/;
    $text =~ s/^(<SEC-(?:DOCUMENT|HEADER)>[^\n]* : )\d{8}/$1$day/mg;
    $text =~ s/^((?:FILED AS OF|DATE AS OF CHANGE|EFFECTIVENESS) ?(?:DATE)?:\s+)\d{8}/$1$day/mg;
    return made_filing($text);
}

# What the header says of who filed: a block for each, whose head is the role.
sub filers_of
{
    my ($header) = @_;
    my %role = ('REPORTING-OWNER' => 'Reporting', ISSUER => 'Issuer', FILER => 'Filer', 'FILED BY' => 'Filed by', 'SUBJECT COMPANY' => 'Subject');
    my @filers;
    for my $block (split /\n(?=[A-Z][A-Z -]+:\s*\n)/, $header) {
        my ($head) = $block =~ /^([A-Z][A-Z -]+):/ or next;
        my ($name) = $block =~ /COMPANY CONFORMED NAME:\s*(\S[^\n]*)/;
        my ($cik)  = $block =~ /CENTRAL INDEX KEY:\s*0*(\d+)/;
        push @filers, { role => $role{$head}, cik => $cik, name => $name =~ s/\s+\z//r } if $role{$head} && $cik && defined $name;
    }
    return \@filers;
}

# The documents of a submission as they lie in its folder.
sub documents_of
{
    my ($text) = @_;
    my @documents;
    while ($text =~ m{<DOCUMENT>\n(.*?)<TEXT>\n(.*?)</TEXT>\n</DOCUMENT>}sg) {
        my ($head, $body) = ($1, $2);
        my ($type) = $head =~ /^<TYPE>([^\n]*)/m;
        my ($name) = $head =~ /^<FILENAME>([^\n]*)/m;
        next if !defined $name;
        $body =~ s{^<(XML|XBRL|PDF|JSON)>\n(.*)</\1>\n?\z}{$2}s;
        $body = join '', map { unpack('u', $_) // '' } split /^/, $1 if $body =~ /^begin \d+ [^\n]*\n(.*?)^end\s*\z/ms;
        push @documents, { type => $type, name => $name, text => $body };
    }
    return \@documents;
}

# What a full submission says of itself.
sub made_filing
{
    my ($text) = @_;
    my ($header) = $text =~ m{<SEC-HEADER>(.*?)</SEC-HEADER>}s or return;
    my %filing = (text => $text, filers => filers_of($header), items => [$header =~ /^ITEM INFORMATION:\s*(\S[^\n]*)/mg]);
    ($filing{accession}) = $header =~ /^ACCESSION NUMBER:\s*(\S+)/m;
    ($filing{form})      = $header =~ /^CONFORMED SUBMISSION TYPE:\s*(\S[^\n]*)/m;
    ($filing{period})    = $header =~ /^CONFORMED PERIOD OF REPORT:\s*(\d+)/m;
    my ($stamp)          = $header =~ /^<ACCEPTANCE-DATETIME>(\d+)/m;
    return if !$filing{accession} || !$stamp || !$filing{filers}->@*;
    $filing{form} =~ s/\s+\z//;
    $filing{at} = eastern_to_utc($stamp);
    return \%filing;
}

# ------------------------------------------------------------------------------- documents wrapped

my %head_of = (Reporting => ['REPORTING-OWNER', 'OWNER DATA'], Issuer => ['ISSUER', 'COMPANY DATA'], Filer => ['FILER', 'COMPANY DATA'],
    'Filed by' => ['FILED BY', 'COMPANY DATA'], Subject => ['SUBJECT COMPANY', 'COMPANY DATA']);

# A full submission around documents: {day, accession, form, period, filers, documents => [[type, name, text], ...]}.
sub wrapped
{
    my (%made) = @_;
    my $count = $made{documents}->@*;
    my $text = "<SEC-DOCUMENT>$made{accession}.txt : $made{day}\n<SEC-HEADER>$made{accession}.hdr.sgml : $made{day}\n"
        . "<ACCEPTANCE-DATETIME>$made{day}" . time_of_day() . "\nACCESSION NUMBER:\t\t$made{accession}\nCONFORMED SUBMISSION TYPE:\t$made{form}\n"
        . "PUBLIC DOCUMENT COUNT:\t\t$count\n" . ($made{period} ? "CONFORMED PERIOD OF REPORT:\t$made{period}\n" : '')
        . "FILED AS OF DATE:\t\t$made{day}\nDATE AS OF CHANGE:\t\t$made{day}\n";
    for my $filer ($made{filers}->@*) {
        my ($head, $data) = $head_of{ $filer->{role} }->@*;
        $text .= "\n$head:\n\n\t$data:\n\t\tCOMPANY CONFORMED NAME:\t\t\t$filer->{name}\n"
            . sprintf("\t\tCENTRAL INDEX KEY:\t\t\t%010d\n", $filer->{cik}) . "\n\tFILING VALUES:\n\t\tFORM TYPE:\t\t$made{form}\n\t\tSEC ACT:\t\t1934 Act\n";
    }
    $text .= "</SEC-HEADER>\n";
    my $number = 0;
    for my $document ($made{documents}->@*) {
        my ($type, $name, $body) = @$document;
        my $tag = $name =~ /\.(?:xml|xsd)\z/ ? ($type =~ /^EX-101|^XML/ ? 'XBRL' : 'XML') : $name =~ /\.htm\z/ && $body =~ /<ix:header/ ? 'XBRL' : undef;
        $body .= "\n" if $body !~ /\n\z/;
        $body = "<$tag>\n$body</$tag>\n" if $tag;
        $text .= "<DOCUMENT>\n<TYPE>$type\n<SEQUENCE>" . ++$number . "\n<FILENAME>$name\n<TEXT>\n$body</TEXT>\n</DOCUMENT>\n";
    }
    return made_filing("$text</SEC-DOCUMENT>\n");
}

# The text of the first element of that name, its references resolved.
sub first_text
{
    my ($xml, $name) = @_;
    my ($text) = $xml =~ m{<(?:\w+:)?$name>\s*(?:<value>)?\s*([^<]*?)\s*<} or return;
    my %entities = (amp => '&', lt => '<', gt => '>', quot => '"', apos => "'");
    return $text =~ s/&(\w+);/$entities{$1} \/\/ ''/ger;
}

my $numbered = 0;

# The number of a document's name, else one that EDGAR would have given.
sub accession_of
{
    my ($path, $day, $cik) = @_;
    return basename($path) =~ /^(\d{10}-\d\d-\d{6})/ ? $1 : sprintf '%010d-%s-%06d', $cik, substr($day, 2, 2), ++$numbered;
}

sub ownership_filing
{
    my ($day, $path) = @_;
    my $xml = slurp($path);
    my @owners = map { { role => 'Reporting', cik => 0 + first_text($_, 'rptOwnerCik'), name => first_text($_, 'rptOwnerName') } } $xml =~ m{(<reportingOwner>.*?</reportingOwner>)}sg;
    my $issuer = { role => 'Issuer', cik => 0 + first_text($xml, 'issuerCik'), name => first_text($xml, 'issuerName') };
    my ($form, $period) = map { first_text($xml, $_) } qw(documentType periodOfReport);
    return wrapped(day => $day, accession => accession_of($path, $day, $owners[0]{cik}), form => $form, period => ($period // '') =~ s/-//gr,
        filers => [@owners, $issuer], documents => [[$form, 'ownership.xml', $xml]]);
}

sub fund_filing
{
    my ($day, $path) = @_;
    my $xml = slurp($path);
    my $cik = 0 + first_text($xml, 'cik');
    return wrapped(day => $day, accession => accession_of($path, $day, $cik), form => first_text($xml, 'submissionType'), period => (first_text($xml, 'repPdDate') // '') =~ s/-//gr,
        filers => [{ role => 'Filer', cik => $cik, name => first_text($xml, 'regName') }], documents => [['NPORT-P', 'primary_doc.xml', $xml]]);
}

sub schedule_filing
{
    my ($day, $path) = @_;
    my $xml = slurp($path);
    my $form = first_text($xml, 'submissionType');
    my $subject = { role => 'Subject', cik => 0 + (first_text($xml, 'issuerCIK') // first_text($xml, 'issuerCik')), name => first_text($xml, 'issuerName') };
    my $by = { role => 'Filed by', cik => 0 + first_text($xml, 'cik'), name => first_text($xml, 'reportingPersonName') };
    return wrapped(day => $day, accession => accession_of($path, $day, $by->{cik}), form => $form, filers => [$subject, $by], documents => [[$form, 'primary_doc.xml', $xml]]);
}

# A filer's statements in XBRL, as the folder of a filing has them.
my %linkbase = (cal => 'EX-101.CAL', def => 'EX-101.DEF', lab => 'EX-101.LAB', pre => 'EX-101.PRE');

sub statement_filing
{
    my ($day, $folder, %of) = @_;
    my @paths = sort { ($b =~ /\.htm\z/) <=> ($a =~ /\.htm\z/) || $a cmp $b } grep { !/(?:FilingSummary|MetaLinks)/ } glob "$folder/*";
    my @documents = map {
        my $name = basename($_) =~ s/\.xsd\.xml\z/.xsd/r;
        my ($part) = $name =~ /_(\w+)\.xml\z/;
        my $type = $name =~ /\.htm\z/ ? $of{form} : $name =~ /\.xsd\z/ ? 'EX-101.SCH' : $part && $linkbase{$part} ? $linkbase{$part} : $part && $part eq 'htm' ? 'XML' : 'EX-101.INS';
        [$type, $name, slurp($_)]
    } @paths;
    # A filing has a document of its form, whatever else is known of it.
    unshift @documents, [$of{form}, 'report.htm', "<html><body><p>$of{form} of $of{filers}[0]{name}</p></body></html>\n"] if !grep { $_->[0] eq $of{form} } @documents;
    return wrapped(day => $day, %of, documents => \@documents);
}

my @statements = (
    ['xbrl/aapl-10q-20250329', accession => '0000320193-25-000057', form => '10-Q', period => '20250329', filers => [{ role => 'Filer', cik => 320193, name => 'Apple Inc.' }]],
    ['xbrl/nflx-10q-20100930', accession => '0001065280-10-000057', form => '10-Q', period => '20100930', filers => [{ role => 'Filer', cik => 1065280, name => 'NETFLIX INC' }]],
);

# ------------------------------------------------------------------------------------ other forms

# Forms of which there is no real file, each with the form whose files are changed into it.
my @others = (
    (map { ["$_/A" => $_] } 3, 4, 5, '13F-HR', 'NPORT-P', '8-K', 'SCHEDULE 13D', 'SCHEDULE 13G'),
    (map { [$_ => '10-Q'] } '10-Q/A', map { ($_, "$_/A") } qw(10-K 20-F 40-F 6-K)),
);

# A filing as if it were of another form, at the end of its minute.
sub changed_form
{
    my ($filing, $form, $number) = @_;
    my ($was, $plain) = ($filing->{form}, $form =~ s{/A\z}{}r);
    my $text = $filing->{text};
    my $accession = sprintf '%010d-%s-%06d', 9_000_000, substr($filing->{accession}, 11, 2), $number;
    $text =~ s/^(<ACCEPTANCE-DATETIME>\d{12})\d\d/${1}59/m;
    $text =~ s/\Q$filing->{accession}\E/$accession/g;
    $text =~ s/^((?:CONFORMED SUBMISSION TYPE|\t\tFORM TYPE):\s+|<TYPE>)\Q$was\E\s*$/$1$form/mg;
    $text =~ s{(<(?:documentType|submissionType)>\s*)\Q$was\E\s*<}{$1$form<}g;
    $text =~ s{(<dei:DocumentType\b[^>]*>)[^<]*<}{$1$plain<}g;
    $text =~ s{(</submissionType>)}{$1<previousAccessionNumber>$filing->{accession}</previousAccessionNumber>} if $form =~ /^SCHEDULE/;
    $text =~ s{<balance>}{<balance>9}; # what an amendment repeats stays the report's
    $text =~ s{(<coverPageHeader>)}{$1<amendmentNo>1</amendmentNo>};
    $text =~ s{<isAmendment>false</isAmendment>}{<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo><amendmentInfo><amendmentType>RESTATEMENT</amendmentType></amendmentInfo>};
    return made_filing($text);
}

# Whether there is more in it than that it was filed, if such forms may have no more.
sub has_rows
{
    my ($filing) = @_;
    my %rows = ((map { ($_ => qr/<(?:nonDerivative|derivative)(?:Transaction|Holding)>/) } 3, 4, 5), '10-Q' => qr/<TYPE>EX-101\.INS/, 'NPORT-P' => qr/<balance>/);
    return !$rows{ $filing->{form} } || $filing->{text} =~ $rows{ $filing->{form} };
}

# One of each: of the smallest filing of the form that it is made of.
sub filings_of_other_forms
{
    my (@filings) = @_;
    my $number = 0;
    return map {
        my ($form, $of) = @$_;
        my ($from) = sort { length $a->{text} <=> length $b->{text} } grep { $_->{form} eq $of && has_rows($_) } @filings;
        $from ? changed_form($from, $form, ++$number) : ();
    } @others;
}

# ------------------------------------------------------------------------------------ all of a day

# How filings of each kind are made, and of which files; the smallest files first, of a part of them.
my @kinds = (
    [ownership  => \&ownership_filing, 'ownership-xml', qr{^form[345]/.*\.xml\z}],
    [submission => \&moved,            'ownership-xml', qr{^sgml/.*\.txt\z}],
    [submission => \&moved,            '8k-ex99',       qr{\.txt\z}],
    [submission => \&moved,            'sgml-filings',  qr{\.txt\z}],
    [submission => \&moved,            'form13f',       qr{^[^/]*\.txt\z}],
    [fund       => \&fund_filing,      'nport',         qr{^[^/]*\.xml\z}],
    [schedule   => \&schedule_filing,  'beneficial-ownership', qr{^s(?!.*truncated).*\.xml\z}],
);

sub files_below
{
    my ($folder) = @_;
    return map { -d $_ ? files_below($_) : $_ } sort glob "$folder/*";
}

# So many of the smallest files of each group.
sub smallest
{
    my ($most, $group, @paths) = @_;
    my %count;
    return grep { $count{ $group->($_) }++ < $most } sort { -s $a <=> -s $b || $a cmp $b } @paths;
}

# All filings of the day, in the order of their times; `each`: at most so many files of each kind; `every_form`: also one of each form that no
# real file has. Nothing where the real files are not here.
sub made_filings
{
    my ($day, %option) = @_;
    ($state, $numbered) = ($option{seed} // 1, 0);
    my (@filings, %seen);
    for my $kind (@kinds) {
        my (undef, $make, $name, $wanted) = @$kind;
        my $folder = shared_data($name) // return;
        my @paths = grep { substr($_, 1 + length $folder) =~ $wanted } files_below($folder);
        @paths = smallest($option{each}, $option{every_form} ? sub { dirname($_[0]) } : sub { '' }, @paths) if $option{each};
        push @filings, grep { defined } map { $make->($day, $_) } @paths;
    }
    for my $statement ($option{each} && !$option{every_form} ? () : @statements) {
        my ($folder, %of) = @$statement;
        push @filings, statement_filing($day, shared_data($folder) // return, %of);
    }
    push @filings, filings_of_other_forms(@filings) if $option{every_form};
    return [sort { $a->{at} <=> $b->{at} || $a->{accession} cmp $b->{accession} } grep { !$seen{ $_->{accession} }++ } @filings];
}

1;

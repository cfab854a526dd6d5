package Disclosed::ReplayPages;

# What the public sources would serve at an instant of a made day (Disclosed::MadeDay): EDGAR's feed of current filings, indexes,
# filings and their documents, and files that change. A path begins with the host: /www.sec.gov/Archives/...
#
# A page: {type, bytes or path (of a file), at (since when it is so; absent where each request makes it anew)}.

use v5.24;
use warnings;
use Disclosed::MadeDay qw(documents_of first_second last_second);
use Disclosed::RealFiles qw(eastern_to_utc);
use Exporter qw(import);
use Disclosed::JSON ();
use POSIX qw(strftime);

our @EXPORT_OK = qw(eastern);

my $json = Disclosed::JSON->new->utf8->canonical;

# Options: day (YYYYMMDD), filings, files ({path => [{at, bytes or path}, ...]}, in the order of their times), unlisted ({accession => 1}, of
# those that the feed never shows).
sub new
{
    my ($class, %option) = @_;
    my $self = bless { files => {}, unlisted => {}, %option }, $class;
    $self->{from}  = first_second($self->{day});
    $self->{until} = last_second($self->{day});
    for my $filing ($self->{filings}->@*) {
        my $plain = $filing->{accession} =~ s/-//gr;
        $self->{by_number}{$plain} = $filing;
    }
    return $self;
}

# By strftime, of the clock in New York.
sub eastern
{
    my ($format, $at) = @_;
    local $ENV{TZ} = 'America/New_York';
    POSIX::tzset();
    my $text = strftime($format, localtime $at);
    delete local $ENV{TZ};
    POSIX::tzset();
    return $text;
}

sub escaped
{
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');
    return $text =~ s/([&<>"])/$entity{$1}/gr;
}

sub filings_until
{
    my ($self, $now) = @_;
    return grep { $_->{at} <= $now } $self->{filings}->@*;
}

# --- paths ---------------------------------------------------------------------------------------

my @pages = (
    [qr{^/www\.sec\.gov/cgi-bin/browse-edgar\z}                                          => \&feed],
    [qr{^/www\.sec\.gov/Archives/edgar/daily-index/(\d{4})/QTR([1-4])/(\w+\.\w+(?:\.\w+)?)\z} => \&daily_index],
    [qr{^/www\.sec\.gov/Archives/edgar/full-index/(\d{4})/QTR([1-4])/(\w+\.\w+)\z}       => \&full_index],
    [qr{^/www\.sec\.gov/Archives/edgar/data/(\d+)/([\d-]{20})\.txt\z}                    => \&submission],
    [qr{^/www\.sec\.gov/Archives/edgar/data/(\d+)/(\d{18})/(?:index\.(json))?\z}         => \&folder],
    [qr{^/www\.sec\.gov/Archives/edgar/data/(\d+)/(\d{18})/([^/]+)\z}                    => \&document],
);

# What is at a path at an instant of the day, or nothing. `parameters` is a hash of the query's.
sub page
{
    my ($self, $path, $parameters, $now) = @_;
    if (my $versions = $self->{files}{$path}) {
        my ($latest) = grep { $_->{at} <= $now } reverse @$versions;
        return $latest;
    }
    for my $row (@pages) {
        my ($pattern, $make) = @$row;
        my @parts = $path =~ $pattern or next;
        return $make->($self, $now, $parameters, @parts);
    }
    return;
}

# --- the feed ------------------------------------------------------------------------------------

# A filing is listed once for each of its filers, the latest first; `type` is the beginning of a form's name.
sub entries
{
    my ($self, $now, $type) = @_;
    my @filings = grep { !$self->{unlisted}{ $_->{accession} } && index($_->{form}, $type) == 0 } $self->filings_until($now);
    return map { my $filing = $_; map { [$filing, $_] } $filing->{filers}->@* } reverse @filings;
}

sub feed
{
    my ($self, $now, $parameters) = @_;
    return if ($parameters->{action} // '') ne 'getcurrent' || ($parameters->{output} // '') ne 'atom';
    my $start = $parameters->{start} || 0;
    my $count = $parameters->{count} || 40;
    $count = 100 if $count > 100;
    my @entries = $self->entries($now, $parameters->{type} // '');
    my @page = grep { defined } @entries[$start .. $start + $count - 1];
    my $address = 'https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent';
    my $text = qq{<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n}
        . '<title>Latest Filings - ' . eastern('%a, %d %b %Y %H:%M:%S %Z', $now) . "</title>\n"
        . qq{<link rel="alternate" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n<link rel="self" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n}
        . "<id>$address</id>\n<author><name>Webmaster</name><email>webmaster\@sec.gov</email></author>\n<updated>" . zoned($now) . "</updated>\n";
    return { type => 'application/atom+xml', bytes => $text . join('', map { entry(@$_) } @page) . "</feed>\n" };
}

sub zoned { return eastern('%Y-%m-%dT%H:%M:%S%z', $_[0]) =~ s/(\d\d)\z/:$1/r }

sub entry
{
    my ($filing, $filer) = @_;
    my $plain = $filing->{accession} =~ s/-//gr;
    my $size = int(length($filing->{text}) / 1024);
    $size = $size > 1024 ? int($size / 1024) . ' MB' : "$size KB";
    my $day = eastern('%Y-%m-%d', $filing->{at});
    my $name = escaped($filer->{name});
    return sprintf("<entry>\n<title>%s - %s (%010d) (%s)</title>\n", $filing->{form}, $name, @$filer{qw(cik role)})
        . qq{<link rel="alternate" type="text/html" href="https://www.sec.gov/Archives/edgar/data/$filer->{cik}/$plain/$filing->{accession}-index.htm"/>\n}
        . "<summary type=\"html\">\n &lt;b&gt;Filed:&lt;/b&gt; $day &lt;b&gt;AccNo:&lt;/b&gt; $filing->{accession} &lt;b&gt;Size:&lt;/b&gt; $size"
        . join('', map { "\n&lt;br&gt;" . escaped(escaped($_)) } $filing->{items}->@*) . "\n</summary>\n"
        . '<updated>' . zoned($filing->{at}) . "</updated>\n<category scheme=\"https://www.sec.gov/\" label=\"form type\" term=\"$filing->{form}\"/>\n"
        . "<id>urn:tag:sec.gov,2008:accession-number=$filing->{accession}</id>\n</entry>\n";
}

# --- indexes -------------------------------------------------------------------------------------

# Lines of filings, of each filer one: [form, name, cik, accession].
sub index_lines
{
    my ($self) = @_;
    return map { my $filing = $_; map { [$filing->{form}, $_->{name}, $_->{cik}, $filing->{accession}] } $filing->{filers}->@* } $self->{filings}->@*;
}

# The columns of an index by form, by company, and of that with bars; EDGAR's widths.
my %format = (
    form    => ['%-12s  %-62s%-12s%-12s%-52s', sub { my ($form, $name, $cik, $day, $file) = @_; ($form, $name, $cik, $day, $file) }, 'Form Type   Company Name                                                  CIK         Date Filed  File Name', 0],
    company => ['%-62s%-12s%-12s%-12s%-52s', sub { my ($form, $name, $cik, $day, $file) = @_; ($name, $form, $cik, $day, $file) }, 'Company Name                                                  Form Type   CIK         Date Filed  File Name', 1],
    master  => ['%s|%s|%s|%s|%s', sub { my ($form, $name, $cik, $day, $file) = @_; ($cik, $name, $form, $day, $file) }, 'CIK|Company Name|Form Type|Date Filed|File Name', 2],
);

sub index_text
{
    my ($self, $kind, $title, $date) = @_;
    my ($format, $order, $head, $by) = $format{$kind}->@*;
    my @lines = sort { $a->[$by] cmp $b->[$by] || $a->[3] cmp $b->[3] } $self->index_lines;
    my $text = "Description:           $title\nLast Data Received:    " . eastern('%b %e, %Y', $self->{until}) . "\nComments:              webmaster\@sec.gov\n"
        . "Anonymous FTP:         ftp://ftp.sec.gov/edgar/\n \n \n \n \n$head\n" . '-' x ($kind eq 'master' ? 80 : 149) . "\n";
    for my $line (@lines) {
        my ($form, $name, $cik, $accession) = @$line;
        $text .= sprintf("$format\n", $order->($form, $name, $cik, $date, "edgar/data/$cik/$accession.txt"));
    }
    return { type => 'text/plain', bytes => $text, at => $self->{until} };
}

sub quarter { my ($day) = @_; return (substr($day, 0, 4), int((substr($day, 4, 2) + 2) / 3)) }

sub daily_index
{
    my ($self, $now, undef, $year, $quarter, $name) = @_;
    return if "$year/$quarter" ne join '/', quarter($self->{day});
    if ($name eq 'index.json') {
        my @names = $now >= $self->{until} ? map { "$_.$self->{day}.idx" } qw(company form master) : ();
        return folder_list("daily-index/$year/QTR$quarter/", $self->{until}, map { [$_, 100_000] } @names);
    }
    my ($kind) = $name =~ /^(form|company|master)\.$self->{day}\.idx\z/ or return;
    return if $now < $self->{until};
    return $self->index_text($kind, "Daily Index of EDGAR Dissemination Feed by \u$kind", $self->{day});
}

sub full_index
{
    my ($self, $now, undef, $year, $quarter, $name) = @_;
    return if "$year/$quarter" ne join('/', quarter($self->{day})) || $now < $self->{until};
    return folder_list("full-index/$year/QTR$quarter/", $self->{until}, map { ["$_.idx", 100_000] } qw(company form master)) if $name eq 'index.json';
    my ($kind) = $name =~ /^(form|company|master)\.idx\z/ or return;
    return $self->index_text($kind, "Full Index of EDGAR Dissemination Feed by \u$kind", $self->{day} =~ s/(....)(..)(..)/$1-$2-$3/r);
}

# index.json of a folder: [name, size] of each file.
sub folder_list
{
    my ($name, $at, @files) = @_;
    my $stamp = eastern('%Y-%m-%d %H:%M:%S', $at);
    return { type => 'application/json', bytes => $json->encode({ directory => { name => $name, 'parent-dir' => '../',
        item => [map { { name => $_->[0], type => 'text.gif', size => "$_->[1]", 'last-modified' => $stamp } } @files] } }) };
}

# --- filings -------------------------------------------------------------------------------------

# A filing that is public and of that filer.
sub filing
{
    my ($self, $now, $cik, $number) = @_;
    my $filing = $self->{by_number}{ $number =~ s/-//gr } or return;
    return $filing->{at} <= $now && (grep { $_->{cik} == $cik } $filing->{filers}->@*) ? $filing : undef;
}

sub submission
{
    my ($self, $now, undef, $cik, $accession) = @_;
    my $filing = $self->filing($now, $cik, $accession) or return;
    return { type => 'text/plain', bytes => $filing->{text}, at => $filing->{at} };
}

sub folder
{
    my ($self, $now, undef, $cik, $number) = @_;
    my $filing = $self->filing($now, $cik, $number) or return;
    my @files = map { [$_->{name}, length $_->{text}] } documents_of($filing->{text})->@*;
    return folder_list("/Archives/edgar/data/$cik/$number", $filing->{at}, ["$filing->{accession}.txt", length $filing->{text}], @files);
}

my %type_of = (htm => 'text/html', xml => 'text/xml', xsd => 'text/xml', txt => 'text/plain', json => 'application/json', pdf => 'application/pdf', zip => 'application/zip');

sub document
{
    my ($self, $now, undef, $cik, $number, $name) = @_;
    my $filing = $self->filing($now, $cik, $number) or return;
    return { type => 'text/plain', bytes => $filing->{text}, at => $filing->{at} } if $name eq "$filing->{accession}.txt";
    if ($name eq "$filing->{accession}-index.htm") {
        my $rows = join '', map { "<tr><td>$_->{type}</td><td><a href=\"/Archives/edgar/data/$cik/$number/$_->{name}\">$_->{name}</a></td></tr>\n" } documents_of($filing->{text})->@*;
        return { type => 'text/html', bytes => "<html><head><title>EDGAR Filing Documents for $filing->{accession}</title></head><body><table>\n$rows</table></body></html>\n", at => $filing->{at} };
    }
    my ($document) = grep { $_->{name} eq $name } documents_of($filing->{text})->@* or return;
    my ($ending) = $name =~ /\.(\w+)\z/;
    return { type => $type_of{ $ending // '' } // 'application/octet-stream', bytes => $document->{text}, at => $filing->{at} };
}

1;

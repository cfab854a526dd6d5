package Disclosed::OrderFiles;

# What the order proof loads: groups of files that speak of the same things, with parts of them as files of their own.
# Files that do not tell their time get one by a rule of the file, so that when they are loaded has no part in it.

use v5.24;
use warnings;
use Disclosed::Build qw(build shared_data);
use Disclosed::Fuzz qw(targets seeds);
use Disclosed::InsiderSet qw(insider_set);
use Disclosed::NportSet qw(nport_set);
use Disclosed::Process qw(slurp);
use Exporter qw(import);
use File::Basename qw(basename);
use IO::Uncompress::Unzip qw(unzip);
use Disclosed::JSON ();

our @EXPORT_OK = qw(own_files real_groups);

my $json = Disclosed::JSON->new->utf8->canonical;

sub write_file
{
    my ($path, $bytes) = @_;
    open my $file, '>:raw', $path or die "$path: $!";
    print $file $bytes;
    close $file;
    return $path;
}

# Seeds that contradict others of the same instant, or hold faults.
my %left_out = map { $_ => 1 } qw(submissions/empty-filing-date submissions/null-filing-date filing-nc/8-k 13f-cover/notice short-interest-json/year-1962
    short-interest-json/year-1013 short-interest-json/number-after-object);

# The small files of the fuzz targets, under names that their importers know. They are all of one company, and of
# filings of their own; a form and the submission around it have one number.
sub own_files
{
    my ($folder) = @_;
    my @files;
    my $filing = 70;
    for my $target (targets()) {
        my ($name, $importer, $file, $known_at) = @$target;
        next if !$importer || !$file || $name eq '13f-table';
        for my $seed (seeds($name)) {
            next if $left_out{ "$name/" . basename($seed) };
            my $number = $importer eq 'sec-ownership' ? 61 : $importer eq 'sec-nport' ? 62 : ++$filing;
            my ($path, $text) = ("$folder/$name-" . basename($seed), slurp($seed));
            $text =~ s/0000320193-24-000061/0000320193-24-0000$number/g;
            $text =~ s/\b9990000001\b/320193/g;
            mkdir $path;
            push @files, [$importer, write_file("$path/" . ($file =~ s/-24-000061/-24-0000$number/r), $text), $known_at ? ('--known-at', $known_at) : ()];
        }
    }
    return \@files;
}

# A part of the lines behind the head: every other one.
sub half_of_lines
{
    my ($from, $to, $rest) = @_;
    my ($head, @lines) = split /^/, slurp($from);
    return write_file($to, join '', $head, map { $lines[$_] } grep { $_ % 2 == $rest } 0 .. $#lines);
}

# Every other row of an array, or all, of the first so many and of those around rows that are wanted.
sub half_of_array
{
    my ($from, $to, $rest, $limit, $wanted) = @_;
    my $rows = $json->decode(slurp($from));
    my %near = map { my $at = $_; map { ($_ => 1) } $at - 20 .. $at + 20 } grep { $wanted && $wanted->($rows->[$_]) } 0 .. $#$rows;
    $rows = [map { $rows->[$_] } grep { !$limit || $_ < $limit || $near{$_} } 0 .. $#$rows];
    return write_file($to, $json->encode(defined $rest ? [map { $rows->[$_] } grep { $_ % 2 == $rest } 0 .. $#$rows] : $rows));
}

# The tickers of some companies, in the shape of their file.
sub some_tickers
{
    my ($from, $to, $wanted) = @_;
    my $all = $json->decode(slurp($from));
    if ($all->{data}) {
        $all->{data} = [grep { $wanted->($_) } $all->{data}->@*];
    } else {
        delete @$all{ grep { !$wanted->([@{ $all->{$_} }{qw(cik_str title ticker)}]) } keys %$all };
    }
    return write_file($to, $json->encode($all));
}

# A folder with the data set of forms that are files of their own, named by their accession numbers.
sub set_of_forms
{
    my ($folder, @paths) = @_;
    my @forms;
    for my $path (@paths) {
        my ($accession) = $path =~ m{/(\d{10}-\d\d-\d{6})\.xml\z} or next;
        my $xml = slurp($path);
        utf8::decode($xml);
        my ($signed) = sort { $b cmp $a } $xml =~ m{<signatureDate>(?:\s*<value>)?\s*(\d{4}-\d\d-\d\d)}g;
        push @forms, [$accession, $signed, $xml];
    }
    my %set = insider_set(sub { reverse @_ }, @forms);
    mkdir $folder;
    write_file("$folder/$_", $set{$_}) for keys %set;
    return $folder;
}

# Copies of reports under accession numbers, and a folder with the data set of them, which tells when they were filed.
sub numbered_reports
{
    my ($folder, @paths) = @_;
    my @reports = map { [sprintf('0009900099-26-%06d', 1 + $_), '2026-02-20', slurp($paths[$_])] } 0 .. $#paths;
    mkdir "$folder/numbered";
    my @files = map { ['sec-nport', write_file("$folder/numbered/$_->[0].xml", $_->[2])] } @reports;
    utf8::decode($_->[2]) for @reports;
    my %set = nport_set(sub { reverse @_ }, @reports);
    mkdir "$folder/nport-set";
    write_file("$folder/nport-set/$_", $set{$_}) for keys %set;
    return (@files, ['sec-nport', "$folder/nport-set"]);
}

# A data set of financial statements with the filings of these CIKs alone.
sub some_statements
{
    my ($zip, $folder, $wanted) = @_;
    my %filings;
    mkdir $folder;
    for my $name (qw(sub.txt num.txt tag.txt)) {
        unzip($zip, \my $table, Name => $name) or die "$zip: no $name";
        my ($header, @lines) = split /^/, $table;
        if ($name eq 'sub.txt') {
            @lines = grep { $wanted->{ (split /\t/)[1] } } @lines;
            %filings = map { ((split /\t/)[0] => 1) } @lines;
        }
        @lines = grep { $filings{ (split /\t/)[0] } } @lines if $name eq 'num.txt';
        write_file("$folder/$name", join '', $header, @lines);
    }
    return $folder;
}

# The folders of real files that they are made of.
my @folders = qw(8k-ex99 beneficial-ownership corporate-actions edgar-companyfacts edgar-submissions edgar-tickers events financial-statement-data-sets finra-short-interest form13f house-ptr nport
    ownership-xml senate-ptr sgml-filings xbrl);

# name => files, of the real files; nothing where this machine lacks some. All files, or those up to `most` of each kind.
sub real_groups
{
    my ($folder, $most) = @_;
    return if grep { !shared_data($_) } @folders;
    my $data = build('SHARED') . '/data';
    $most //= 1000;
    my $some = sub { my @all = sort @_; splice @all, $most; return @all };
    my @submissions = ($some->(glob "$data/edgar-submissions/CIK*.json"), $some->(glob "$data/edgar-submissions/earlier-snapshot/*.json"));
    my %cik = map { /CIK0*(\d+)/ ? ($1 => 1) : () } @submissions;
    my %symbol = map { (split /\|/)[1] => 1 } split /\n/, slurp("$data/finra-short-interest/shrt20210715.excerpt.csv");
    my $wanted = sub { my ($row) = @_; return $cik{ $row->[0] } || $symbol{ $row->[2] =~ s/-//r } || $row->[2] =~ /^(?:KO|AAPL|MSFT|BRK-B|FIX)\z/ };
    my @tickers = map { ['sec-company-tickers', some_tickers("$data/edgar-tickers/$_->[0]", "$folder/$_->[1]", $wanted)] }
        ['company_tickers_exchange.2024-07-16.json', 'company_tickers_exchange.2024-07-16.json'], ['company_tickers_exchange.json', 'company_tickers_exchange.2026-02-20.json'];
    my @known = ('--known-at', '2026-06-30');
    my $finra = "$data/finra-short-interest";
    my $actions = "$data/corporate-actions";
    my $house = "$data/house-ptr";
    my @daily = $some->(glob "$data/senate-ptr/daily/*.json");
    my %daily = map { my $reports = $json->decode(slurp($_)); map { ($_->{ptr_link} => 1) } @$reports } @daily;
    my $is_daily = sub { return $daily{ $_[0]{ptr_link} } };
    mkdir "$folder/$_" for qw(a b c);
    return (
        submissions => [@tickers, ['sec-company-tickers', some_tickers("$data/edgar-tickers/company_tickers.json", "$folder/company_tickers.json", $wanted), '--known-at', '2026-01-01'],
            map { ['sec-submissions', $_] } @submissions],
        numbers => [@tickers, map({ ['sec-companyfacts', $_] } glob "$data/edgar-companyfacts/CIK*.json.gz"), map({ ['sec-financial-statements', some_statements($_, "$folder/statements", \%cik)] } glob "$data/financial-statement-data-sets/*.zip"),
            map({ ['xbrl-instance', $_, '--known-at', '2025-05-02', '--accession', '0000320193-25-000057'] } glob "$data/xbrl/aapl*/*_htm.xml"),
            map({ ['sec-submissions', $_] } grep { /CIK0000320193|CIK0001045810/ } @submissions)],
        ownership => [map({ ['sec-ownership', $_] } $some->(glob "$data/ownership-xml/form3/*.xml"), $some->(glob "$data/ownership-xml/form4/*.xml"), $some->(glob "$data/ownership-xml/form5/*.xml"), glob "$data/ownership-xml/sgml/*"),
            ['sec-ownership', set_of_forms("$folder/insider-set", $some->(glob "$data/ownership-xml/form4/*.xml"))],
            map({ ['sec-submissions', $_] } grep { /CIK0000320193|CIK0001318605/ } @submissions)],
        '13f' => [@tickers, map({ ['sec-13f', $_] } glob("$data/form13f/*.txt"), glob "$data/form13f/*.nc"),
            ['sec-13f', "$data/form13f/infotable/brk-transition-2022q4.xml", qw(--cik 1067983 --accession 0000950123-23-002585 --period 2022-12-31 --known-at 2023-02-14)],
            ['sec-13f', "$data/form13f/infotable/brk-modern-dollars.xml", qw(--cik 1067983 --accession 0000950123-25-005701 --period 2025-03-31 --known-at 2025-05-15)],
            map({ ['sec-submissions', $_] } grep { /CIK0001067983/ } @submissions)],
        filings => [map({ ['sec-filing', $_] } $some->(glob "$data/8k-ex99/*.txt"), glob "$data/sgml-filings/*.txt"), map({ ['sec-submissions', $_] } grep { /CIK0000320193|CIK0001045810/ } @submissions)],
        owners => [@tickers, map({ ['sec-beneficial-ownership', $_] } grep { !/truncated/ } glob "$data/beneficial-ownership/sc*.xml"),
            map({ ['sec-submissions', $_] } grep { /CIK0000320193/ } @submissions)],
        funds => [@tickers, map({ ['sec-nport', $_] } grep { -s $_ < 500_000 } glob("$data/nport/*.xml"), glob "$data/nport/sec-spec-samples/*.xml"),
            numbered_reports($folder, glob "$data/nport/NPORT.*.xml")],
        senate => [map({ ['senate-ptr', $_, @known] } @daily),
            map({ ['senate-ptr', half_of_array("$data/senate-ptr/all_transactions.json", "$folder/" . ($_->[0] // 'a') . '/all_transactions.json', $_->[1], 600, $is_daily), $_->[2] ? ('--known-at', $_->[2]) : @known] } ['a', undef], ['b', 0, '2026-05-31'], ['c', 1])],
        house => [['house-ptr', "$house/clerk-index/2023FD.txt", @known], map({ ['house-ptr', $_, @known] } glob "$house/ptr-pdf/*.pdf"),
            map({ ['house-ptr', half_of_array("$house/house_transactions.json", "$folder/$_->[0]/house_transactions.json", $_->[1], 600), $_->[2] ? ('--known-at', $_->[2]) : @known] } ['a', undef], ['b', 0, '2026-07-31'], ['c', 1])],
        'short interest' => [@tickers, ['finra-short-interest', "$finra/shrt20210715.excerpt.csv", @known],
            map({ ['finra-short-interest', half_of_lines("$finra/shrt20210715.excerpt.csv", "$folder/" . qw(a b)[$_] . '/shrt20210715.csv', $_), @known] } 0, 1),
            map({ ['finra-short-interest', $_, @known] } glob "$finra/*.json")],
        actions => [@tickers, map({ ['corporate-actions', $_, @known] } glob("$actions/*.csv"), glob("$actions/daily-with-dividend-split/*.csv"), glob "$actions/*.json"),
            map({ ['corporate-actions', half_of_lines("$actions/dividends.csv", "$folder/" . qw(a b)[$_] . '/dividends.csv', $_), @known] } 0, 1)],
        calendar => [@tickers, ['earnings-calendar', "$data/events/earnings-calendar.excerpt.csv", @known],
            map({ ['earnings-calendar', half_of_lines("$data/events/earnings-calendar.excerpt.csv", "$folder/" . qw(a b)[$_] . '/earnings-calendar.csv', $_), @known] } 0, 1)],
    );
}

1;

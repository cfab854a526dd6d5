package Disclosed::ReplayFiles;

# Files of the public sources that are no filings, as Disclosed::ReplayPages serves them: tickers, each filer's submissions and facts,
# FINRA's short interest, the House Clerk's index and reports. Real files, where there are some of the filer; those that change have
# two states, the later one from the middle of the day on.

use v5.24;
use warnings;
use Compress::Zlib ();
use Disclosed::Build qw(shared_data);
use Disclosed::MadeDay qw(first_second last_second);
use Disclosed::Process qw(slurp);
use Disclosed::ReplayPages qw(eastern);
use Disclosed::ZipFile qw(write_zip);
use Exporter qw(import);
use Disclosed::JSON ();
use POSIX qw(strftime);
use Time::Local qw(timegm);

our @EXPORT_OK = qw(replay_files settlements_before);

my $json = Disclosed::JSON->new->utf8->canonical;

# {path => [{at, type, bytes}, ...]} for a day and its filings; `folder` is for archives that are made. Options: most (of the tickers, all).
sub replay_files
{
    my ($day, $filings, $folder, %option) = @_;
    my $before = first_second($day) - 1;
    my $midday = int((first_second($day) + last_second($day)) / 2);
    my %files = (tickers($before, $midday, $option{most}), submissions($day, $filings, $before, $midday), facts($before), short_interest($day, $before),
        house($day, $before, $folder));
    return \%files;
}

sub json_page { my ($at, $bytes) = @_; return { type => 'application/json', bytes => $bytes, at => $at } }

# --- tickers -------------------------------------------------------------------------------------

# Files in the SEC's two shapes; the first so many rows.
sub tickers
{
    my ($before, $midday, $most) = @_;
    my $folder = shared_data('edgar-tickers') // return;
    my $exchange = sub {
        my $all = $json->decode(slurp("$folder/$_[0]"));
        splice $all->{data}->@*, $most if $most && $all->{data}->@* > $most;
        return $json->encode($all);
    };
    my $plain = $json->decode(slurp("$folder/company_tickers.json"));
    delete @$plain{ grep { $most && $_ >= $most } keys %$plain };
    my $funds = $json->encode({ fields => [qw(cik seriesId classId symbol)], data => [[814679, 'S000002348', 'C000006210', 'ASTBX']] });
    return (
        '/www.sec.gov/files/company_tickers_exchange.json' => [json_page($before, $exchange->('company_tickers_exchange.2024-07-16.json')), json_page($midday, $exchange->('company_tickers_exchange.json'))],
        '/www.sec.gov/files/company_tickers.json' => [json_page($before, $json->encode($plain))],
        '/www.sec.gov/files/company_tickers_mf.json' => [json_page($before, $funds)],
    );
}

# --- data.sec.gov --------------------------------------------------------------------------------

# Each filer of the day has its submissions, from the first filing on.
sub submissions
{
    my ($day, $filings, $before, $midday) = @_;
    my $folder = shared_data('edgar-submissions') // return;
    my (%of, %files);
    for my $filing (@$filings) {
        push $of{ $_->{cik} }->@*, [$_->{name}, $filing] for $filing->{filers}->@*;
    }
    for my $cik (keys %of) {
        my $name = sprintf 'CIK%010d', $cik;
        $files{"/data.sec.gov/submissions/$name.json"} = [json_page($before, made_submissions($cik, $of{$cik}->@*))] if !-e "$folder/$name.json";
    }
    for my $path (glob "$folder/CIK*.json") {
        my ($name) = $path =~ m{(CIK[^/]*)\.json\z};
        my ($earlier) = glob "$folder/earlier-snapshot/$name.*";
        my ($then, $now) = map { $_ && moved(slurp($_), $filings) } $earlier, $path;
        $files{"/data.sec.gov/submissions/$name.json"} = [$earlier ? (json_page($before, $then), json_page($midday, $now)) : json_page($before, $now)];
    }
    return %files;
}

# A filer's submissions say of the day's filings what these say of themselves.
sub moved
{
    my ($bytes, $filings) = @_;
    my $document = $json->decode($bytes);
    my $recent = $document->{filings} ? $document->{filings}{recent} : $document;
    my %at = map { ($_->{accession} => $_->{at}) } @$filings;
    my @moved = grep { $at{ $recent->{accessionNumber}[$_] } } 0 .. $recent->{accessionNumber}->$#* or return $bytes;
    for my $row (@moved) {
        my $at = $at{ $recent->{accessionNumber}[$row] };
        $recent->{filingDate}[$row] = eastern('%Y-%m-%d', $at);
        $recent->{acceptanceDateTime}[$row] = strftime('%Y-%m-%dT%H:%M:%S.000Z', gmtime $at);
    }
    return $json->encode($document);
}

# Of a filer of whom only filings of the day are known.
sub made_submissions
{
    my ($cik, @of) = @_;
    my %recent = map { ($_ => []) } qw(accessionNumber filingDate reportDate acceptanceDateTime act form fileNumber filmNumber items size isXBRL isInlineXBRL primaryDocument primaryDocDescription);
    for my $one (reverse @of) {
        my $filing = $one->[1];
        my $period = ($filing->{period} // '') =~ s/(....)(..)(..)/$1-$2-$3/r;
        my %row = (accessionNumber => $filing->{accession}, filingDate => eastern('%Y-%m-%d', $filing->{at}), reportDate => $period, form => $filing->{form}, size => length $filing->{text},
            acceptanceDateTime => strftime('%Y-%m-%dT%H:%M:%S.000Z', gmtime $filing->{at}), isXBRL => 0, isInlineXBRL => 0);
        push $recent{$_}->@*, $row{$_} // '' for keys %recent;
    }
    return $json->encode({ cik => sprintf('%010d', $cik), name => $of[0][0], entityType => 'other', sic => '', tickers => [], exchanges => [], formerNames => [],
        filings => { recent => \%recent, files => [] } });
}

sub facts
{
    my ($before) = @_;
    my $folder = shared_data('edgar-companyfacts') // return;
    return map { my ($name) = m{(CIK\d+)\.json}; ("/data.sec.gov/api/xbrl/companyfacts/$name.json" => [json_page($before, Compress::Zlib::memGunzip(slurp($_)))]) } glob "$folder/CIK*.json.gz";
}

# --- FINRA ---------------------------------------------------------------------------------------

# The days of settlement before a day, YYYYMMDD, the latest first: the weekday that is the 15th or before it, and the last of the month.
sub settlements_before
{
    my ($day, $count) = @_;
    my $noon = timegm(0, 0, 12, substr($day, 6, 2), substr($day, 4, 2) - 1, substr $day, 0, 4);
    my @days;
    for (my $at = $noon - 86_400; @days < $count; $at -= 86_400) {
        my @then = gmtime $at;
        next if $then[6] % 6 == 0;
        # The next weekday is over the middle or the end of the month.
        my @next = gmtime $at + 86_400 * ($then[6] == 5 ? 3 : 1);
        push @days, strftime('%Y%m%d', @then) if ($then[3] <= 15 && $next[3] > 15) || $next[4] != $then[4];
    }
    return @days;
}

# The real rows, of the latest days whose publication, eight weekdays later, is over.
sub short_interest
{
    my ($day, $before) = @_;
    my $folder = shared_data('finra-short-interest') // return;
    my ($path) = glob "$folder/shrt*.csv";
    my $text = slurp($path);
    my @public = grep { 12 * 86_400 < first_second($day) - first_second($_) } settlements_before($day, 4);
    return map {
        my $plain = $_;
        my $dashed = $plain =~ s/(....)(..)(..)/$1-$2-$3/r;
        ("/cdn.finra.org/equity/otcmarket/biweekly/shrt$plain.csv" => [{ type => 'text/csv', at => $before, bytes => $text =~ s/20210715/$plain/gr =~ s/2021-07-15/$dashed/gr }])
    } @public[0 .. 1];
}

# --- the House Clerk -----------------------------------------------------------------------------

# The year's index, of the reports that are here and of filings that are no reports of trades; and those reports.
sub house
{
    my ($day, $before, $folder) = @_;
    my $house = shared_data('house-ptr') // return;
    my %reports = map { m{/(\d+)\.pdf\z} ? ($1 => slurp($_)) : () } glob "$house/ptr-pdf/*.pdf";
    my ($head, @rows) = split /^/, slurp("$house/clerk-index/2023FD.txt");
    my $year = substr $day, 0, 4;
    my @kept;
    for my $row (@rows) {
        my @cells = split /\t/, $row;
        my ($month, $of_month) = split m{/}, $cells[7];
        next if $cells[4] eq 'P' ? !grep { $cells[8] =~ /^$_\b/ } keys %reports : @kept >= 20;
        next if "$month/$of_month" eq '2/29' || sprintf('%02d%02d', $month, $of_month) gt substr $day, 4;
        push @kept, $row =~ s{\t2023\t(\d+/\d+)/\d{4}\t}{\t$year\t$1/$year\t}r;
    }
    my @members = (["${year}FD.txt", join '', $head, @kept], ["${year}FD.xml", xml_index($year, @kept)]);
    my $zip = write_zip("$folder/${year}FD.zip", scalar @members, sub { $members[ $_[0] ]->@* });
    return ("/disclosures-clerk.house.gov/public_disc/financial-pdfs/${year}FD.zip" => [{ type => 'application/zip', path => $zip, at => $before }],
        map { ("/disclosures-clerk.house.gov/public_disc/ptr-pdfs/$year/$_.pdf" => [{ type => 'application/pdf', bytes => $reports{$_}, at => $before }]) } keys %reports);
}

sub xml_index
{
    my ($year, @rows) = @_;
    my @names = qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID);
    my $members = join '', map {
        my @cells = split /\t/, s/\s+\z//r, -1;
        "  <Member>\n" . join('', map { "    <$names[$_]>" . ($cells[$_] // '') =~ s/&/&amp;/gr . "</$names[$_]>\n" } 0 .. $#names) . "  </Member>\n"
    } @rows;
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<FinancialDisclosure>\n$members</FinancialDisclosure>\n";
}

1;

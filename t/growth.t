# What a load costs follows its rows, not the square of what one company has: four times the rows of one company, of each dataset, read about four
# times as many rows; as a first load, the same again, changed in each row, and as many versions of few records. Rows are counted, not seconds.

use v5.24;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::JSON ();
use Disclosed::Shared qw(cluster control database workspace fresh);
use Test::More;

my ($few, $times, $most) = (2500, 4, 7);
my $json = Disclosed::JSON->new->utf8->canonical;

sub day { my ($number) = @_; my (undef, undef, undef, $day, $month, $year) = gmtime(820_454_400 + 86_400 * ($number % 10_000)); return sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day }
sub accession { my ($number) = @_; return sprintf '%010d-20-%06d', 7000000001, $number }
sub midnight { my ($number) = @_; return day($number) . 'T00:00:00Z' }

# Row `i` of a company, as it is told the first time (0) and then (1).
my %insider = (form => '4', relationship => 'director', is_derivative => \0);
my %row = (
    # Quarterly results are some forty a decade; the other filings are of other kinds.
    filing => sub { my ($i, $then) = @_; return { form => $i % 100 ? '4' : '8-K', filed_on => day($i), accepted_at => day($i) . 'T10:00:00Z', $i % 100 ? () : (items => ['2.02']), primary_document => "d$then.htm", record_key => accession($i), accession => accession($i) } },
    insider => sub { my ($i, $then) = @_; return { %insider, record_key => accession($i >> 2) . '/' . $i % 4, insider_name => 'Doe ' . $i % 50, owner_cik => 1000 + $i % 50, transaction_type => 'sale', filing_date => day($i >> 2), transaction_date => day($i >> 2), shares => $i + $then + 1, price => 5, accession => accession($i >> 2) } },
    insider_holding => sub { my ($i, $then) = @_; return { %insider, record_key => accession($i >> 2) . '/' . $i % 4, insider_name => 'Doe ' . $i % 50, owner_cik => 1000 + $i % 50, filing_date => day($i >> 2), security_title => 'Common', shares_owned => $i + $then + 1, accession => accession($i >> 2) } },
    beneficial_owner => sub { my ($i, $then) = @_; return { form => 'SCHEDULE 13G', record_key => accession(int $i / 3) . '/' . $i % 3, event_date => day(int $i / 3), issuer_title => 'One', security_title => 'Common', owner_name => 'Owner ' . $i % 30, filing_date => day(int $i / 3), aggregate_amount => 5 + $then, accession => accession(int $i / 3) } },
    fund_holding => sub { my ($i, $then) = @_; return { report_key => 'S1/' . int($i / 1000), row_number => $i % 1000 + 1, name => "Asset $i", balance => $i + $then, value => 7, known_at => '2020-01-01T00:00:00Z', accession => accession(int $i / 1000) } },
    kpi_observation => sub { my ($i, $then) = @_; my $n = int $i / 40; return { metric_key => 'm' . $i % 40, issuer_label => 'M', as_described => 'd', unit => 'USD', basis => 'instant', end_date => day($n), value => $i + $then, source_type => '10-Q', known_at => midnight($n), accession => accession($n) } },
    executive => sub { my ($i, $then) = @_; my $n = $i % 4; return { name => 'Officer ' . ($i >> 2), role => "officer $n", category => 'executives', person_rank => 1, is_current => $then ? \0 : \1, reported_on => day(30 * $n), known_at => midnight(30 * $n), accession => accession($n) } },
    short_interest => sub { my ($i, $then) = @_; return { symbol_code => 'S' . $i % 8, settlement_date => day($i >> 3), current_short_position => 100 + $i + $then, source_provider => 'finra' } },
    corporate_action => sub { my ($i, $then) = @_; return { symbol_code => 'S' . $i % 4, kind => 'dividend', action_date => day($i >> 2), amount => '0.' . ($i % 90 + 10 + $then), currency => 'USD', source_provider => 'vendor_feed_mini' } },
    congress_trade => sub { my ($i, $then) = @_; my $n = int $i / 10; return { party => 'politician/jane-doe', chamber => 'house', report_id => "R$n", row_number => $i % 10 + 1, transaction_type => 'purchase', filing_date => day($n), filing_date_basis => 'stated', first_name => 'Jane', last_name => 'Doe',
        ticker => 'T' . $i % 200, asset_name => 'Asset ' . $i % 200, transaction_date => day($n), amount_range => '$1,001 - $15,000', owner => 'self', comment => "c$then", source_provider => 'house_clerk' } },
    document => sub { my ($i, $then) = @_; return { record_key => "d$i", title => "T$then", doc_type => 'slide_deck', published_at => midnight($i), source_provider => 'issuer_page' } },
    transcript => sub { my ($i, $then) = @_; return { record_key => "t$i", call_date => midnight($i * 7), period_label => "P$then", source_provider => 'service_transcript' } },
);
# Few records in many versions, one file.
my %versions = (
    insider => sub { my ($i) = @_; my $n = int $i / 100; return { $row{insider}->($i % 100, $n)->%*, known_at => day(9000 + $n) . 'T00:00:00Z', filing_date => day(9000) } },
    kpi_observation => sub { my ($i) = @_; my $n = int $i / 100; return { $row{kpi_observation}->($i % 100, $n)->%*, known_at => day(9000 + $n) . 'T00:00:00Z' } },
);

sub lines
{
    my ($dataset, $make, $count, $then) = @_;
    my $path = workspace() . '/' . fresh('growth') . '.ndjson';
    open my $out, '>', $path or die "$path: $!";
    for my $i (0 .. $count - 1) {
        my %line = $make->($i, $then)->%*;
        my %provenance = (source_provider => delete $line{source_provider} // 'sec', source_url => 'https://source.example/', $line{accession} ? (accession => delete $line{accession}) : ());
        print $out $json->encode({ $line{party} ? () : (cik => 77), %line, dataset => $dataset, provenance => \%provenance }), "\n";
    }
    close $out or die "$path: $!";
    return $path;
}

# Rows and entries of indexes that scans have read so far; a session counts at its end.
sub scanned
{
    my ($database) = @_;
    return cluster()->value($database, "SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'disclosed') + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'disclosed')");
}

sub cost
{
    my ($database, $path, $count) = @_;
    my $before = scanned($database);
    my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', 'ndjson', $path, '--json');
    my $told = eval { Disclosed::JSON->new->decode($out) } // {};
    my $total = $told->{total} // $told;
    die "$path: $code $total->{read} of $count rows: ", substr("$out$err", 0, 600) if $code != 0 || $total->{read} != $count || $total->{rejected};
    return scanned($database) - $before;
}

# How many rows each step reads, for so many rows.
sub costs
{
    my ($dataset, $count) = @_;
    my $database = database('empty');
    my ($first, $then) = map { lines($dataset, $row{$dataset}, $count, $_) } 0, 1;
    my %cost = ('a first load' => cost($database, $first, $count), 'the same again' => cost($database, $first, $count), 'each row changed' => cost($database, $then, $count));
    cluster()->drop_database($database);
    return \%cost;
}

sub compared
{
    my ($name, $small, $large) = @_;
    my $ratio = $large / $small;
    cmp_ok($ratio, '<', $most, sprintf '%s: of %d times the rows, %.1f times as many are read (%d, %d)', $name, $times, $ratio, $small, $large);
}

for my $dataset (sort keys %row) {
    my ($small, $large) = map { costs($dataset, $_) } $few, $few * $times;
    compared("$dataset, $_", $small->{$_}, $large->{$_}) for sort keys %$small;
}
for my $dataset (sort keys %versions) {
    my @cost = map { my $database = database('empty'); my $cost = cost($database, lines($dataset, $versions{$dataset}, $_), $_); cluster()->drop_database($database); $cost } $few, $few * $times;
    compared("$dataset, a hundred records in versions", @cost);
}

done_testing;

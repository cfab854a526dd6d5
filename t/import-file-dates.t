# A day in a file's name says when the file was taken: in its own name, or else in that of its archive; a folder's says nothing of it.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use Disclosed::ZipFile qw(write_zip);
use File::Path qw(make_path);

my $corpus = build('SRCDIR') . '/t/fuzz/corpus';
my $site   = site(template => 'empty', start => 0);
my $files  = 0;

# The path of a file below a folder of its own; one with a member's name behind a colon is that archive.
sub file
{
    my ($name, $text) = @_;
    my ($path, $member) = split /(?<=zip):/, "$site->{root}/" . ++$files . "/$name";
    make_path($path =~ s{/[^/]*$}{}r);
    return write_zip($path, 1, sub { ($member, $text) }) && $path if defined $member;
    open my $file, '>:raw', $path or die "$path: $!";
    print $file $text; close $file;
    return $path;
}

# Source => text, table, files with the day that they are of; undef: none, so that they are known from now on.
my $ticker = '{"0":{"cik_str":7,"ticker":"QF","title":"Kettle"}}';
my $fund   = '{"fields":["cik","seriesId","classId","symbol"],"data":[[9900001,"S000000001","C000000001","QFXX"]]}';
my %named  = (
    '2020-01-01/F.json' => undef, '2020-01-01/F.2021-02-03.json' => '2021-02-03', 'F.2021-02-03.json.2020-01-01/F.json' => undef, 'F.12021-02-03.json' => undef, 'F.2021-02-034.json' => undef,
    'F.2021-02-034.2022-03-04.json' => '2022-03-04', 'x-2020-01-01.zip:F.json' => '2020-01-01', 'x-2020-01-01.zip:F.2021-02-03.json' => '2021-02-03', '2019-01-01/x.zip:F.json' => undef,
    'x.zip:2020-01-01/F.json' => undef, 'F 2021-02-03T10:30.json' => '2021-02-03',
);
my %source = (
    'sec-company-tickers' => [$ticker, 'listing', 'company_tickers'],
    'sec-fund-tickers'    => [$fund, 'fund_class', 'company_tickers_mf'],
    'earnings-calendar'   => ["symbol,name,reportDate,fiscalDateEnding\nQA,Kettle,SOON,\n", 'event_notice', 'earnings-calendar'],
);
for my $source (sort keys %source) {
    my ($text, $table, $stem) = $source{$source}->@*;
    for my $name (sort keys %named) {
        my $own = $name =~ s/F/$stem/gr;
        $own =~ s/\.json$/.csv/ if $source eq 'earnings-calendar';
        $site->execute("TRUNCATE disclosed.$_ CASCADE") for $table, grep { $site->value("SELECT to_regclass('disclosed.$_') IS NOT NULL") eq 't' } qw(listing_seen listing_stated listing_snapshot);
        my $soon = $site->value('SELECT ' . ($named{$name} ? "date '$named{$name}'" : 'current_date') . ' + 30');
        my ($code, $out, $err) = $site->control('import', $source, file($own, $text =~ s/SOON/$soon/r));
        is($code, 0, "$source: $own") or diag substr "$out$err", 0, 1000;
        is($site->value("SELECT CASE WHEN min(known_at) < now() - interval '1 day' THEN to_char(min(known_at) AT TIME ZONE 'America/New_York', 'YYYY-MM-DD') END FROM disclosed.$table"), $named{$name} // "", "... is of " . ($named{$name} // "no day"));
    }
}

# Rows of FINRA without a day are of the settlement date in the name.
my $short = "symbolCode|marketClassCode|currentShortPositionQuantity|previousShortPositionQuantity\nQA|NNM|1000|900\n";
for my $case (['20240115/shrt20231229.csv', '2023-12-29'], ['x-2024-01-12.zip:shrt20231229.csv', '2023-12-29'], ['x-2024-01-12.zip:shrt.csv', '2024-01-12'], ['x.20240112.zip:20231229/shrt.csv', '2024-01-12'],
    ['20231229/shrt.csv', undef], ['shrt2024-01-121.csv', undef], ['shrt120240112.csv', undef], ['shrt2024-01-12.csv', '2024-01-12']) {
    my ($name, $day) = @$case;
    $site->execute('TRUNCATE disclosed.short_interest');
    my ($code, $out, $err) = $site->control('import', 'finra-short-interest', file($name, $short));
    is($code, defined $day ? 0 : 1, "finra-short-interest: $name") or diag substr "$out$err", 0, 1000;
    is($site->value('SELECT max(settlement_date) FROM disclosed.short_interest'), $day // "", "... is of " . ($day // "no day"));
    is($site->value("SELECT count(*) FROM disclosed.short_interest_sourced WHERE source_url LIKE '%/shrt20231229.csv'"), $name =~ /shrt20231229/ ? 1 : 0, '... and FINRA has the file of that name') if defined $day && $day ne '2024-01-12';
}

finish();

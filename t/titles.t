# What a CUSIP is follows from how the rows in force title it. A row that another copy of its report has put right has no say, in whatever
# order the copies come and however often: neither in information tables nor in funds' holdings.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::MadeFiles;
use Disclosed::Process qw(slurp);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test 'without_cache';

my $folder = workspace() . '/' . fresh('titles');
mkdir $folder or die "$folder: $!";
mkdir "$folder/$_" or die "$folder/$_: $!" for qw(made good bad);

sub write_file
{
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
    return $path;
}

# Two reports each: the first holds the company's shares; the second does not, but for its bad copy, which has the CUSIP in another company's row. What is put
# right by an amendment is put right as well.
sub copies
{
    my ($source, $name, $cusip, @reports) = @_;
    my ($with, $without) = map { slurp($_) } @reports;
    $with =~ s{<(nameOfIssuer|name)>SECURITY \d+ INC</\1>}{<$1>$name</$1>} or die "$source: no issuer";
    $with =~ s{<title>SECURITY \d+ INC</title>}{<title>$name COMMON STOCK</title>};
    $with =~ s{<cusip>[^<]*</cusip>}{<cusip>$cusip</cusip>} or die "$source: no CUSIP";
    (my $bad = $without) =~ s{<cusip>[^<]*</cusip>}{<cusip>$cusip</cusip>} or die "$source: no CUSIP";
    $_ =~ s{SECURITY \d+ INC}{Other Works Inc}g for $without, $bad;
    my ($first, $second) = map { s{.*/}{}r } @reports;
    # The second report's restatement, or amendment, which is right.
    my $number = $second =~ s/(\d)(?=\.)/$1 + 1/er;
    my ($old, $new) = map { s/\..*//r } $second, $number;
    (my $restated = $without) =~ s/\Q$old\E/$new/g;
    $restated =~ s{20240820}{20240827}g;
    $restated =~ s{<amendmentNo>1</amendmentNo>}{<amendmentNo>2</amendmentNo>};
    $restated =~ s{NEW HOLDINGS}{RESTATEMENT};
    $restated =~ s{<submissionType>NPORT-P<}{<submissionType>NPORT-P/A<};
    $restated =~ s{<dateSigned>2024-05-28<}{<dateSigned>2024-06-11<};
    return { R => write_file("$folder/good/$number", $restated), source => $source, A => write_file("$folder/good/$first", $with), B => write_file("$folder/good/$second", $without), bad => write_file("$folder/bad/$second", $bad) };
}

my $tickers = write_file("$folder/company_tickers_exchange.json",
    '{"fields":["cik","name","ticker","exchange"],"data":[[9990001,"Held Works Inc.","HELD","Nasdaq"],[9990002,"Other Works Inc.","OTHR","Nasdaq"]]}');
my @sources = (
    copies('sec-13f', 'Held Works Inc', '99900HE19', Disclosed::MadeFiles::made_13f_reports("$folder/made", 2, 1)),
    copies('sec-nport', 'Held Works Inc', '99900HE19', Disclosed::MadeFiles::made_funds("$folder/made", 2, 1)));

# The links, and what follows from them for the first report.
sub state_of
{
    my ($site) = @_;
    return join "\n", map { $site->value($_) } q{SELECT string_agg(format('%s %s %s', cusip, basis, symbol), ', ' ORDER BY cusip) FROM security_link},
        q{SELECT string_agg(format('%s %s', symbol, holders), ', ' ORDER BY symbol) FROM (SELECT symbol, count(*) AS holders FROM institution_holder WHERE superseded_at IS NULL GROUP BY 1) h},
        q{SELECT string_agg(format('%s %s', x.name, x.symbol), ', ' ORDER BY x.name, x.symbol) FROM fund_holding x WHERE x.superseded_at IS NULL},
        q{SELECT string_agg(format('%s %s %s', cusip, issuer_title, rows_seen), ', ' ORDER BY cusip, issuer_title) FROM security_title WHERE rows_seen > 0};
}

sub loaded
{
    my ($of, $name, @turns) = @_;
    my $site = site(template => 'empty', start => 0);
    my ($code, $out, $err) = $site->control('import', 'sec-company-tickers', '--known-at', '2024-01-01', $tickers);
    is($code, 0, "$name: tickers") or diag $out, $err;
    for my $turn (@turns) {
        ($code, $out, $err) = $site->control('import', $of->{source}, $of->{$turn});
        is($code, 0, "$name: $turn") or diag $out, $err;
    }
    return $site;
}

for my $of (@sources) {
    my $good = state_of(loaded($of, $of->{source}, qw(A B)));
    like($good, qr/99900HE19 name HELD:US/, "$of->{source}: the CUSIP is the company's");
    unlike(state_of(loaded($of, "$of->{source}, bad", qw(A bad))), qr/99900HE19 name/, '... not while as many rows title it otherwise');
    for my $turns ([qw(A bad B)], [qw(bad B A)], [qw(A B bad B)], [qw(bad A B B)], [qw(B A bad bad B A)]) {
        is(state_of(loaded($of, "$of->{source}, @$turns", @$turns)), $good, "$of->{source}: @$turns ends as without the bad copy");
    }
}

# A row that its filer has put right by an amendment was in force, and has no say any more where others title the CUSIP.
sub standing { my ($site) = @_; return state_of($site) =~ s/\n[^\n]*\z//r }

for my $of (@sources) {
    my $right = standing(loaded($of, "$of->{source}, amended", qw(A B R)));
    like($right, qr/99900HE19 name HELD:US/, "$of->{source}: an amendment that says the same");
    for my $turns ([qw(A bad R)], [qw(R bad A)], [qw(bad R A)], [qw(A R bad R)], [qw(bad A R B)]) {
        is(standing(loaded($of, "$of->{source}, @$turns", @$turns)), $right, "$of->{source}: @$turns ends as without the bad report");
    }
    like(state_of(loaded($of, "$of->{source}, alone", qw(bad))), qr/99900HE19 name/, "$of->{source}: the only title of a CUSIP counts");
    like(state_of(loaded($of, "$of->{source}, alone, amended", qw(bad R))), qr/99900HE19 name/, '... also after an amendment, for what was known then');
}

# --- counted once -----------------------------------------------------------------------------

# A report, its rows, and the filing that dates it better: in one file or in two.
my $encoder = Disclosed::JSON->new->utf8->canonical;
sub line
{
    my ($dataset, %more) = @_;
    return $encoder->encode({ cik => 7_400_001, issuer_name => 'A Manager LLC', dataset => $dataset, provenance => { source_provider => 'sec', accession => '0007400001-24-000001' }, known_at => '2024-05-11T03:59:59.999999Z', %more }) . "\n";
}
my %of_report = (period_of_report => '2024-03-31', filing_date => '2024-05-10');
my $report = line('institution_report', %of_report, form => '13F-HR', report_type => 'holdings', manager_name => 'A Manager LLC', dated_by => 'filed')
    . join '', map { line('institution_position', %of_report, row_number => $_, issuer_title => 'HELD WORKS INC', class_title => 'COM', cusip => '99900HE19', value => 1000 * $_, value_as_filed => 1000 * $_, shares_type => 'SH', shares => 10 * $_) } 1 .. 3;
my $filing = line('filing', form => '13F-HR', filed_on => '2024-05-10', accepted_at => '2024-05-10T20:00:00Z', known_at => '2024-05-10T20:00:00Z');
my %lines = (source => 'ndjson', together => write_file("$folder/together.ndjson", $report . $filing), report => write_file("$folder/report.ndjson", $report), filing => write_file("$folder/filing.ndjson", $filing));
for my $turns ([qw(together)], [qw(report filing)], [qw(filing report)], [qw(together together)]) {
    is(loaded(\%lines, "lines, @$turns", @$turns)->value('SELECT sum(rows_seen) FROM security_title'), 3, "three rows are counted once: @$turns");
}

finish();

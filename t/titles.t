# What a CUSIP is follows from how the rows in force title it. A row that another copy of its report has put right has no say, in whatever
# order the copies come and however often: neither in information tables nor in funds' holdings.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::MadeFiles;
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test 'without_cache';
use POSIX ();

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

my $of_all = q{SELECT string_agg(format('%s %s %s', i.cik, h.symbol, h.value), ', ' ORDER BY i.cik, h.symbol) FROM institution_holder h JOIN issuer i USING (issuer_id) WHERE h.superseded_at IS NULL};
my $unmapped = q{SELECT string_agg(format('%s %s', i.cik, u.entries), ', ' ORDER BY i.cik) || ' of ' || (SELECT coalesce(sum(record_count), 0) FROM dataset_stat WHERE dataset = 'institution_position_unmapped')
    FROM institution_unmapped u JOIN issuer i USING (issuer_id)};
# What a filing says of one manager's report in the same file gives the CUSIP of another's rows back to the report that it shows to be the later one.
{
    my @restatement = (provenance => { source_provider => 'sec', accession => '0007500001-24-000002' });
    my $reports = manager_lines(1, 30, 'OTHER WORKS INC') . manager_lines(2, 2, 'HELD WORKS INC')
        . line('institution_report', %of_report, cik => 7_500_001, issuer_name => 'Manager 1', @restatement, form => '13F-HR/A', report_type => 'holdings', manager_name => 'Manager 1', dated_by => 'filed',
        amendment_type => 'restatement', amendment_number => 1, known_at => '2024-05-13T03:59:59.999999Z');
    my $dated = line('filing', cik => 7_500_001, issuer_name => 'Manager 1', @restatement, form => '13F-HR/A', filed_on => '2024-05-10', accepted_at => '2024-05-10T20:00:00Z', known_at => '2024-05-10T20:00:00Z');
    my %of = (source => 'ndjson', reports => write_file("$folder/reports.ndjson", $reports), dated => write_file("$folder/dated.ndjson", $dated), both => write_file("$folder/both.ndjson", $reports . $dated));
    like(whole_state(loaded(\%of, 'reports', 'reports')), qr/7500002 HELD:US/, 'a restatement has taken the rows of a report');
    my $right = whole_state(loaded(\%of, 'reports, then a filing', qw(reports dated)));
    like($right, qr/7500002 OTHR:US/, '... until its filing shows that it came before');
    is(whole_state(loaded(\%of, 'reports and a filing', 'both')), $right, '... also in one file');
}

# --- loads at the same time -------------------------------------------------------------------

# What a file of each says: the one that begins first is stored last, so that its transaction is older than rows that it finds.
sub manager_lines
{
    my ($number, $rows, $title) = @_;
    my @of = (cik => 7_500_000 + $number, issuer_name => "Manager $number", provenance => { source_provider => 'sec', accession => "000750000$number-24-000001" });
    return line('institution_report', %of_report, @of, form => '13F-HR', report_type => 'holdings', manager_name => "Manager $number", dated_by => 'filed')
        . join '', map { line('institution_position', %of_report, @of, row_number => $_, issuer_title => $title, class_title => 'COM', cusip => '99900HE19', value => 1000 * $_, value_as_filed => 1000 * $_,
            shares_type => 'SH', shares => 10 * $_) } 1 .. $rows;
}

sub fund_lines
{
    my ($number, $rows, $title) = @_;
    my @of = (cik => 7_600_000 + $number, issuer_name => "Trust $number", provenance => { source_provider => 'issuer_page' });
    return line('fund', @of, fund_key => "fund-$number", name => "Fund $number", report_date => '2024-03-31', net_assets => 1000)
        . join '', map { line('fund_holding', @of, report_key => "fund-$number/2024-03-31", row_number => $_, name => $title, title => 'Common Stock', cusip => '99900HE19', balance => 10 * $_, unit => 'NS',
            currency => 'USD', value => 1000 * $_, payoff_profile => 'Long', asset_category => 'EC') } 1 .. $rows;
}

sub whole_state { my ($site) = @_; return join "\n", state_of($site), map { $site->value($_) // '' } $of_all, $unmapped }

# Stores the second file while the first, a named pipe, has begun and not ended.
sub at_once
{
    my ($name, $first, $second) = @_;
    my $site = loaded({}, $name);
    my $pipe = "$site->{root}/lines.ndjson";
    POSIX::mkfifo($pipe, 0600) or die "$pipe: $!";
    my $import = fork // die "fork: $!";
    POSIX::_exit(($site->control('import', 'ndjson', $pipe))[0]) if !$import;
    open my $lines, '>', $pipe or die "$pipe: $!";
    $lines->autoflush(1);
    my ($beginning, $rest) = $first =~ /^(.*\n)(.*\n)\z/s;
    print $lines $beginning;
    ok(wait_until(30, sub { $site->value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'disclosedctl' AND datname = current_database() AND xact_start IS NOT NULL") }), "$name: a load has begun");
    my ($code, $out, $err) = $site->control('import', 'ndjson', write_file("$folder/second.ndjson", $second));
    is($code, 0, '... another begins and is stored') or diag $out, $err;
    print $lines $rest;
    close $lines;
    waitpid $import, 0;
    is($?, 0, '... and so is the first');
    return $site;
}

my %at_once = (
    'two managers'           => [manager_lines(1, 30, 'HELD WORKS INC'), manager_lines(2, 1, 'OTHER WORKS INC')],
    'a title of nobody'      => [manager_lines(1, 30, 'HELD WORKS INC'), manager_lines(2, 2, 'NOBODY KNOWS INC')],
    'two funds'              => [fund_lines(1, 5, 'Held Works Inc'), fund_lines(2, 60, 'Held Works Inc')],
    'a fund and a manager'   => [fund_lines(1, 30, 'Held Works Inc'), manager_lines(2, 2, 'OTHER WORKS INC')],
);
for my $name (sort keys %at_once) {
    my ($first, $second) = $at_once{$name}->@*;
    my %in_turn = (source => 'ndjson', first => write_file("$folder/first.ndjson", $first), second => write_file("$folder/second.ndjson", $second));
    my $right = whole_state(loaded(\%in_turn, "$name, in turn", qw(second first)));
    is(whole_state(loaded(\%in_turn, "$name, in turn", qw(first second))), $right, '... in whatever turn');
    is(whole_state(at_once($name, $first, $second)), $right, '... as in turn');
}

finish();

# What a load reads of a table follows from what it brings, not from what is stored: short interest of one date after the other. And what it says then:
# rows of other sources under FINRA's names.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::JSON ();
use Disclosed::MadeFiles qw(cusip_of made_13f_reports made_13f_set made_filing_lines made_fund_set made_insider_lines made_insider_set made_ownership made_short_interest);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(cluster control database);
use Disclosed::Test;
use File::Temp ();
use List::Util qw(max sum);

my $work = File::Temp->newdir;

sub folder { my ($name) = @_; mkdir "$work/$name" or die "$work/$name: $!"; return "$work/$name" }

sub load
{
    my ($database, $source, @arguments) = @_;
    my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', $source, @arguments);
    is($code, 0, "$source") or diag "$out$err";
    return;
}

sub await_end
{
    my ($database) = @_;
    my $sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$database' AND application_name = 'disclosedctl'";
    ok(wait_until(30, sub { cluster()->value('postgres', $sessions) == 0 }), '... whose session has ended');
    return;
}

# How many rows of each of these tables a load reads.
sub rows_read_of
{
    my ($database, $tables, @load) = @_;
    my $read = sub { map { ($_->{relname} => $_->{read}) } cluster()->rows($database, sprintf q(SELECT relname, coalesce(idx_tup_fetch, 0) + seq_tup_read AS read FROM pg_stat_user_tables
        WHERE schemaname = 'disclosed' AND relname IN ('%s')), join q(', '), @$tables) };
    my %before = $read->();
    load($database, @load);
    await_end($database);
    my %after = $read->();
    return map { ($_ => $after{$_} - $before{$_}) } @$tables;
}

sub rows_read { my ($database, $table, @load) = @_; return {rows_read_of($database, [$table], @load)}->{$table} }

# The most rows that a step of a plan has given in one statement of a load, and how many rows all steps have given or left out.
sub rows_of_steps
{
    my ($database, @load) = @_;
    my %explain = (log_min_duration => 0, log_analyze => 'on', log_timing => 'off', log_nested_statements => 'on');
    cluster()->execute('postgres', "ALTER DATABASE $database SET session_preload_libraries = 'auto_explain'");
    cluster()->execute('postgres', "ALTER DATABASE $database SET auto_explain.$_ = '$explain{$_}'") for sort keys %explain;
    my $path = cluster()->value('postgres', 'SHOW data_directory') =~ s{[^/]*$}{log}r; # beside it: it may be a link
    open my $log, '<', $path or die "$path: $!";
    seek $log, 0, 2;
    load($database, @load);
    await_end($database);
    my ($most, $all, $plans, $loops) = (0, 0, 0, 0);
    while (<$log>) {
        $plans++ if /database=\Q$database\E .*duration: .*plan:/;
        if (/actual rows=([0-9]+) loops=([0-9]+)/) {
            $loops = $2;
            $most = max($most, $2, $1 * $2);
            $all += $1 * $2;
        }
        $all += $1 * $loops if /Rows Removed by .*Filter: ([0-9]+)/;
    }
    ok($plans > 20, "$plans statements are explained");
    return ($most, $all);
}

# --- short interest --------------------------------------------------------------------------

my ($symbols, $dates) = (250, 14);
my $grown = database('empty');
my @files = made_short_interest(folder('short'), $dates, $symbols);
my @read = map { rows_read($grown, 'short_interest', 'finra-short-interest', '--known-at', '2026-06-30', $_) } @files;
is(cluster()->value($grown, 'SELECT count(*) FROM disclosed.short_interest'), $symbols * $dates, 'all rows are stored');
my $more = ($read[-1] - $read[5]) / ($dates - 6) / $symbols;
cmp_ok($more, '<', 2, "a row that is stored costs a later load of its company: read $more times, to count it");

# --- one more of a company that has many -------------------------------------------------------

my ($many, $of_others) = (1500, 3000);
my $filers = database('empty');
for my $made (\&made_filing_lines, \&made_insider_lines) {
    my $folder = File::Temp->newdir;
    $made->($folder, $many, companies => 1);
    $made->($folder, $of_others, companies => 50, base => 1000);
    load($filers, 'ndjson', "$folder");
}
await_end($filers);
# As autovacuum would; a commit that is not on disk yet leaves its pages out.
ok(wait_until(30, sub {
    cluster()->execute($filers, 'VACUUM (ANALYZE) disclosed.filing, disclosed.insider_transaction');
    cluster()->value($filers, "SELECT bool_and(relallvisible = relpages) FROM pg_class WHERE oid IN ('disclosed.filing'::regclass, 'disclosed.insider_transaction'::regclass)") eq 't';
}), 'the tables are vacuumed');
# Somebody reads the log of events, so new rows are announced.
cluster()->execute($filers, "WITH reader AS (INSERT INTO disclosed.account (owner) VALUES ('reader') RETURNING account_id)
    INSERT INTO disclosed.change_reader (account_id, topic) SELECT account_id, unnest(ARRAY['filing.created', 'insider_transaction.reported']) FROM reader");
mkdir "$work/more" or die "$work/more: $!";
for my $more (['filing', 'ndjson', made_filing_lines("$work/more", 1, companies => 1, from => $many)],
    ['insider_transaction', 'ndjson', made_insider_lines("$work/more", 1, companies => 1, from => $many)],
    ['insider_transaction', 'sec-ownership', made_ownership("$work/more", 1, companies => 1, base => 0, day => '2026-10-02')]) {
    my ($table, @load) = @{$more};
    my $rows = rows_read($filers, $table, @load);
    cmp_ok($rows, '<', 60, "one more row of a company that has $many: of $table $rows are read");
}
# What is amended is looked up, and not sought among all transactions for each amendment.
my @amended = map { s/"form":"4"/"form":"4\/A"/r =~ s/"filing_date":"([-\d]+)"/"filing_date":"$1","original_filing_date":"$1"/r =~ s/-\d(\d{5})(?=["\/.])/-9$1/gr }
    split /^/, slurp(made_insider_lines(folder('amended'), 150, companies => 1));
load($filers, 'ndjson', written('amended.ndjson', @amended));
await_end($filers);
cluster()->execute($filers, 'VACUUM (ANALYZE) disclosed.insider_transaction');
my $ended = "SELECT count(*) FROM disclosed.insider_transaction WHERE superseded_at IS NOT NULL AND form = '4'";
is(cluster()->value($filers, $ended), 150, 'amendments end what they amend');
my $of_amended = rows_read($filers, 'insider_transaction', 'ndjson', made_insider_lines(folder('after'), 1, companies => 1, from => $many + 1));
cmp_ok($of_amended, '<', 3000, "one more row of a company that has $many and 150 amendments: $of_amended are read");

# A filing of two companies is listed once.
my %joint = (dataset => 'filing', form => '8-K', filed_on => '2026-10-05',
    provenance => { source_provider => 'fictional', accession => '8000000000-26-900000', source_url => 'https://bench.example/joint.htm' });
load($filers, 'ndjson', written('joint.ndjson', map { { %joint, cik => 8_000_000_000 + $_, issuer_name => "Generated $_" } } 0, 1000));
is(cluster()->value($filers, 'SELECT count(*) FROM disclosed.filing WHERE NOT is_primary'), 1, 'one of two rows is not listed');
is(cluster()->value($filers, "SELECT count(*) FROM disclosed.dataset_stat s JOIN (SELECT 'filing' AS dataset, count(*) AS n, max(filed_on) AS day FROM disclosed.filing
    UNION ALL SELECT 'filing/listed', count(*), max(filed_on) FROM disclosed.filing WHERE is_primary
    UNION ALL SELECT 'insider', count(*), max(filing_date) FROM disclosed.insider_transaction WHERE superseded_at IS NULL) c USING (dataset) WHERE (s.record_count, s.latest) = (c.n, c.day)"), 3, '... and all are counted');

my @forms = made_ownership(folder('forms'), 2200, companies => 1);
my $of_form = rows_read(database('empty'), 'insider_transaction', 'sec-ownership', @forms) / @forms;
cmp_ok($of_form, '<', 400, "one of many forms of one company: $of_form transactions are read");

# --- rows of others under FINRA's names ------------------------------------------------------

my $named = database('empty');

sub written
{
    my ($name, @texts) = @_;
    open my $file, '>', "$work/$name" or die "$work/$name: $!";
    print $file map { ref ? Disclosed::JSON->new->canonical->encode($_) . "\n" : $_ } @texts;
    close $file or die "$work/$name: $!";
    return "$work/$name";
}

my %from = (provenance => { source_provider => 'finra' });
my %zithers = (name => 'Quilled Zithers', ticker => 'QQZZ', market => 'US', status => 'active', listed_on => '2026-01-02');
my @columns = qw(accountingYearMonthNumber symbolCode issueName issuerServicesGroupExchangeCode marketClassCode currentShortPositionQuantity
    previousShortPositionQuantity stockSplitFlag averageDailyVolumeQuantity daysToCoverQuantity revisionFlag changePercent changePreviousNumber settlementDate);
load($named, 'ndjson', written('listing.ndjson', { dataset => 'listing', cik => 7654321, %zithers, known_at => '2026-01-05T00:00:00Z', %from }));
load($named, 'ndjson', written('told.ndjson', { dataset => 'short_interest', symbol_code => 'QQZZ', settlement_date => '2026-08-31', cik => 7654322,
    current_short_position => 900, previous_short_position => 450, avg_daily_share_volume => 100, known_at => '2026-09-10T00:00:00Z', %from }));
load($named, 'finra-short-interest', '--known-at', '2026-09-12', written('shrt20260831.csv', join('|', @columns) . "\n",
    "20260831|QQZZ|Quilled Zithers|A|NYSE|900|450||100|9.00||100.00|450|2026-08-31\n"));
is_deeply([map { "$_->{cik} $_->{symbol} $_->{name}" } cluster()->rows($named, "SELECT i.cik, t.symbol, t.issue_name AS name
    FROM disclosed.short_interest t JOIN disclosed.issuer i USING (issuer_id) WHERE t.superseded_at IS NULL")],
    ['7654321 QQZZ:US Quilled Zithers'], 'a row that another source has of another company goes to the one that FINRA names, with its symbol');

# --- holdings of funds -----------------------------------------------------------------------

my ($reports, $holdings) = (6, 100);
my @folder = (folder('funds'));
made_fund_set($folder[0], $reports, $holdings);
my $read = rows_read(database('empty'), 'fund_holding', 'sec-nport', @folder) / ($reports * $holdings);
cmp_ok($read, '<', 10, "a holding that is stored for the first time is read $read times");

# A trust files one report for each of its series, on one day.
@folder = (folder('trust'));
made_fund_set($folder[0], 100, 40, trust => 1);
my $trust = database('empty');
$read = rows_read($trust, 'fund', 'sec-nport', @folder) / 100;
is(cluster()->value($trust, 'SELECT count(DISTINCT issuer_id) FROM disclosed.fund'), 1, 'all reports are of one registrant');
cmp_ok($read, '<', 1000, "one of 100 reports of a trust: $read reports are read");

# Funds that all hold the same listed companies.
(my $listed, $reports, $holdings) = (20, 150, 20);
my $mapped = database('empty');
load($mapped, 'ndjson', written('listed.ndjson', map { { dataset => 'listing', cik => 7654400 + $_, name => "SECURITY $_ INC", ticker => sprintf('QZ%c', 65 + $_), market => 'US',
    status => 'active', listed_on => '2015-01-02', known_at => '2015-01-05T00:00:00Z', %from } } 0 .. $listed - 1));
@folder = (folder('mapped'));
made_fund_set($folder[0], $reports, $holdings, securities => $listed);
$read = rows_read($mapped, 'fund_holding', 'sec-nport', @folder) / ($reports * $holdings);
is(cluster()->value($mapped, 'SELECT count(*) FROM disclosed.fund_exposure'), $reports * $holdings, 'each holding is one of a company');
cmp_ok($read, '<', 40, "a holding of a company that other funds hold is read $read times");

# --- events of one company ---------------------------------------------------------------------

# So many days of one company, each known a while before: apart, or so near each other that they are one event; or results that no period is known of.
sub event_lines
{
    my ($kind, $from, $count) = @_;
    return map {
        my $time = 86_400 * (2000 + $_ * ($kind eq 'apart' ? 12 : 2));
        my ($day, $known) = map { my @t = gmtime $_; sprintf '%04d-%02d-%02d', $t[5] + 1900, $t[4] + 1, $t[3] } $time, $time - 20 * 86_400;
        my $accession = sprintf '8000000000-%s-%06d', substr($day, 2, 2), $_;
        my %source = (source_provider => 'fictional', source_url => "https://bench.example/$accession.htm");
        { cik => 8_000_000_000, issuer_name => 'Generated 8000000000', $kind eq 'results'
            ? (dataset => 'filing', form => '8-K', items => ['2.02'], filed_on => $day, title => "Results $_", known_at => "${day}T21:00:00Z",
                accepted_at => "${day}T21:00:00Z", provenance => { %source, accession => $accession })
            : (dataset => 'event_notice', type => 'investor_day', record_key => "day/$_", event_on => $day, date_status => 'confirmed', title => "Day $_",
                known_at => "${known}T10:00:00Z", provenance => \%source) }
    } $from .. $from + $count - 1;
}
for my $kind (qw(apart near results)) {
    my (%all, %more);
    for my $events (600, 1200) {
        my $held = database('empty');
        $all{$events} = (rows_of_steps($held, 'ndjson', written("$kind-$events.ndjson", event_lines($kind, 0, $events))))[1];
        cluster()->execute($held, 'VACUUM (ANALYZE)');
        $more{$events} = (rows_of_steps($held, 'ndjson', written("$kind-$events-more.ndjson", event_lines($kind, $events, 1))))[1];
        is(cluster()->value($held, 'SELECT count(DISTINCT id) FROM disclosed.event'), $kind eq 'apart' ? $events + 1 : 1, "$kind: the events of " . ($events + 1) . ' days');
    }
    cmp_ok($all{1200} / $all{600}, '<', 2.6, "$kind: twice as many events: $all{1200} rows of steps instead of $all{600}");
    cmp_ok($more{1200} / $more{600}, '<', 2.6, "$kind: one more of twice as many: $more{1200} rows instead of $more{600}");
}

# --- a CUSIP that a company gets besides one that many hold -----------------------------------

my ($holders, $relinked) = (600, database('empty'));
load($relinked, 'ndjson', written('held.ndjson', { dataset => 'listing', cik => 7654500, name => 'SECURITY 0 INC', ticker => 'QZAA', market => 'US', status => 'active',
    listed_on => '2015-01-02', known_at => '2015-01-05T00:00:00Z', %from }));
for my $set ([\&made_13f_set, 'managers', 'sec-13f'], [\&made_fund_set, 'holders', 'sec-nport']) {
    my ($made, $name, $source) = @{$set};
    $made->(folder("many-$name"), $holders, 5, securities => 5);    # of all five, the first of which is listed
    $made->(folder("both-$name"), 2, 6, securities => 6, from => $holders);
    $made->(folder("other-$name"), 1, 1, securities => 6, from => $holders + 5);    # of the sixth
    load($relinked, $source, map { "$work/$_-$name" } qw(many both other));
}
await_end($relinked);
cluster()->execute($relinked, 'VACUUM (ANALYZE)');
cluster()->execute('postgres', "ALTER DATABASE $relinked SET seq_page_cost = 50");    # so few rows would be read whole, as millions are not
my $linked = written('linked.ndjson', { dataset => 'security', cik => 7654500, cusip => cusip_of(5), valid_from => '2015-01-02', ticker => 'QZAA', market => 'US',
    known_at => '2025-01-05T00:00:00Z', %from });
my %read_of = rows_read_of($relinked, [qw(institution_position institution_holder fund_holding)], 'ndjson', $linked);
cmp_ok($read_of{$_}, '<', 60, "a CUSIP is linked to a company that $holders hold by another CUSIP: of $_ $read_of{$_} rows are read") for sort keys %read_of;
is(cluster()->value($relinked, 'SELECT count(*) FROM disclosed.institution_holder'), $holders + 3, 'its holders are those of both CUSIPs');
is(cluster()->value($relinked, sprintf "SELECT count(*) FROM disclosed.institution_holder h JOIN (SELECT issuer_id, sum(shares) AS shares, count(*) AS rows
    FROM disclosed.institution_position WHERE cusip IN ('%s', '%s') GROUP BY 1) p USING (issuer_id) WHERE h.shares = p.shares AND p.rows = 2", cusip_of(0), cusip_of(5)), 2,
    '... those of both with the sum');
is(cluster()->value($relinked, 'SELECT holders FROM disclosed.institution_flow WHERE superseded_at IS NULL'), $holders + 3, '... and all are counted');
is(cluster()->value($relinked, sprintf "SELECT count(*) FROM disclosed.fund_holding WHERE cusip = '%s' AND symbol = 'QZAA:US'", cusip_of(5)), 3, '... and so are those of funds');

# --- reports whose unit is open, of securities that many others report as well ---------------

my %decided;
for my $count (600, 1200) {
    my $held = database('empty');
    made_13f_set(folder("open-$count"), $count, 1, securities => 2);    # one row says nothing of its unit
    made_13f_set(folder("sure-$count"), 3, 5, securities => 5, from => $count);
    my $open = sum(values %{{ rows_read_of($held, [qw(institution_report institution_position)], 'sec-13f', "$work/open-$count") }}) / $count;
    # Smaller tables are read from end to end by other statements.
    cmp_ok($open, '<', 60, "one of $count reports whose unit is open: $open rows are read") if $count == 1200;
    is(cluster()->value($held, 'SELECT count(unconfirmed_cusips) FROM disclosed.institution_report'), $count, '... all are open');
    cluster()->execute($held, 'VACUUM (ANALYZE)');
    $decided{$count} = (rows_of_steps($held, 'sec-13f', "$work/sure-$count"))[1];
    is(cluster()->value($held, "SELECT count(*) FROM disclosed.institution_report WHERE scale_compared AND value_scale_reason LIKE '%; 3 of 3 comparisons with %'"), $count,
        '... until three managers report the same securities');
}
cmp_ok($decided{1200} / $decided{600}, '<', 2.6, "what decides twice as many: $decided{1200} rows of steps instead of $decided{600}");

# The same as documents of one load.
my $documents = 250;
my @documents = made_13f_reports(folder('documents'), $documents, 1, securities => 2);
my $apart = database('empty');
my $each = sum(values %{{ rows_read_of($apart, [qw(institution_report institution_position)], 'sec-13f', @documents) }}) / $documents;
cmp_ok($each, '<', 5 * $documents, "one of $documents documents whose unit is open: $each rows are read");
is(cluster()->value($apart, 'SELECT count(unconfirmed_cusips) FROM disclosed.institution_report'), $documents, '... all are open');

# --- the same again, when the statistics know what is stored ----------------------------------

sub busiest_step { my ($most) = rows_of_steps(@_); return $most }

for my $set (['sec-nport', \&made_fund_set, 60, 40, 2400], ['sec-13f', \&made_13f_set, 60, 40, 2400], ['sec-ownership', \&made_insider_set, 1000, 0, 3000]) {
    my ($source, $made, $of, $with, $rows) = @{$set};
    my ($again, $folder) = (database('empty'), folder("again-$source"));
    $made->($folder, $of, $with ? $with : ());
    load($again, $source, $folder);
    await_end($again);
    cluster()->execute($again, 'VACUUM (ANALYZE)');
    my $most = busiest_step($again, $source, $folder);
    cmp_ok($most, '<', 20 * $rows, "$source again: at most $most rows of a step for $rows rows");
}

finish();

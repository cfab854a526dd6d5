# Loads of different companies run side by side where all that is written is company by company, those of one company one after the
# other, and what is stored is what one process stores: rows, counts, versions. Each wait is looked at. (Made input.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Order qw(versions);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(cluster database);
use Disclosed::Test 'without_cache';
use JSON::PP ();

my $site = site(template => 'empty');
my $json = JSON::PP->new->utf8->canonical;
my $root = $site->{root};

# ---- files: reports of `years` years of a company, quarters and years, of which metrics are derived

my @kinds = (['Q1', '01-01', '03-31'], ['Q2', '04-01', '06-30'], ['Q3', '07-01', '09-30'], ['FY', '01-01', '12-31']);

sub companyfacts
{
    my ($cik, $years) = @_;
    my (%tree, $number);
    for my $year (2019 .. 2018 + $years) {
        for my $kind (@kinds) {
            my ($period, $start, $end) = @$kind;
            my %fact = (accn => sprintf('%010d-%02d-%06d', $cik, $year - 2000, ++$number), form => $period eq 'FY' ? '10-K' : '10-Q', fy => $year, fp => $period,
                filed => $period eq 'FY' ? $year + 1 . '-02-01' : "$year-" . substr($end, 0, 2) . '-30', end => "$year-$end");
            my $size = $cik * 10 + $year % 10 * 3 + $number;
            push $tree{'us-gaap'}{$_->[0]}{units}{USD}->@*, {%fact, start => "$year-$start", val => $size * $_->[1]} for ['Revenues', 1000], ['NetIncomeLoss', 70], ['GrossProfit', 300];
            push $tree{'us-gaap'}{$_->[0]}{units}{USD}->@*, {%fact, val => $size * $_->[1]} for ['Assets', 9000], ['Liabilities', 5000], ['StockholdersEquity', 4000];
        }
    }
    return $json->encode({cik => $cik, entityName => "Company $cik", facts => \%tree});
}

sub folder { my ($name) = @_; mkdir "$root/$name"; return "$root/$name" }

sub made
{
    my ($folder, $cik, $years) = @_;
    my $path = sprintf '%s/CIK%010d.json', $folder, $cik;
    open my $file, '>', $path or die "$path: $!";
    print $file companyfacts($cik, $years);
    close $file or die "$path: $!";
    return $path;
}

# ---- loads, apart

sub start
{
    my ($name, $database, @arguments) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    open STDOUT, '>', "$root/$name.out";
    open STDERR, '>', "$root/$name.err";
    exec $ENV{DISCLOSED_CTL}, '--database', cluster()->conninfo($database), 'import', @arguments or POSIX::_exit(127);
}

sub ends_well { my ($name, $pid, $what) = @_; waitpid $pid, 0; return is($?, 0, $what) || diag slurp("$root/$name.err") }

my $loads = "FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND NOT l.granted AND a.application_name = 'disclosedctl' AND a.datname = current_database()";
sub key { my ($what) = @_; return "hashtextextended('disclosed load $what', 0)" }

# How many loads wait for a lock.
sub waiting
{
    my ($what) = @_;
    my $value = $what ? "AND (l.classid::bigint << 32 | l.objid::bigint) = " . key($what) : '';
    return $site->value("SELECT count(*) $loads $value");
}

sub comes_to_wait { my ($what, $count) = @_; return wait_until(60, sub { waiting($what) == $count }) }

# ------------------------------------------------------------------------------------ who waits for whom

my $one = made(folder('one'), 7001, 2);
my $two = made(folder('two'), 7002, 2);
my $filing = $site->write('filing.ndjson', $json->encode({dataset => 'filing', cik => '7002', provenance => {source_provider => 'sec', accession => '0000007002-19-000001'}, form => '10-Q',
    filed_on => '2019-03-30', accepted_at => '2019-03-30T12:00:00Z', known_at => '2019-03-30T12:00:00Z'}) . "\n");

# The first company is there already: nothing but its lock keeps two loads of it apart.
ends_well('before', start('before', $site->{database}, 'sec-companyfacts', made(folder('before'), 7001, 1)), 'a company');

# Before it counts, a load holds all that it has stored.
my $end = cluster()->hold($site->{database}, 'SELECT pg_advisory_xact_lock(' . key('end') . ')');
my %load = (one => start('one', $site->{database}, 'sec-companyfacts', $one));
ok(comes_to_wait('end', 1), 'a company has been derived, and is to be counted');
$load{two} = start('two', $site->{database}, 'sec-companyfacts', $two);
ok(comes_to_wait('end', 2), 'another comes as far beside it');
is(waiting(), 2, '... and waited for nothing else');
$load{again} = start('again', $site->{database}, 'sec-companyfacts', $one);
ok(comes_to_wait('company 7001', 1), 'the first company once more waits for itself');
$load{filing} = start('filing', $site->{database}, 'ndjson', $filing);
ok(comes_to_wait('date_xbrl_reports', 1), 'a filing, which is not of one company, waits for both');
$load{three} = start('three', $site->{database}, 'sec-companyfacts', made(folder('three'), 7003, 1));
ok(comes_to_wait('date_xbrl_reports', 2), '... and a company that comes later waits for it, or it would wait for ever');
is($site->value('SELECT count(*) FROM xbrl_report'), 4, 'nothing of it is stored yet');
cluster()->release($end);
ends_well($_, $load{$_}, "... and then $_ is stored") for sort keys %load;
is($site->value('SELECT count(*) FROM xbrl_report'), 20, '... of each company once');
is($site->value("SELECT string_agg(unchanged::text, ',' ORDER BY import_run_id) FROM import_run WHERE file ~ '/one/'"), '4,8', '... as the second load of the first found');
is($site->value("SELECT known_at FROM xbrl_report WHERE accession = '0000007002-19-000001'"), '2019-03-30 12:00:00+00', '... and the filing says when it was public');

# One that has to wait where it must not is rolled back; then its files are loaded one by one.
my $four = folder('four');
my @files = (made($four, 7011, 1), made(folder('again'), 7011, 1), made($four, 7012, 1));
my $company = cluster()->hold($site->{database}, 'SELECT pg_advisory_xact_lock(' . key('company 7012') . ')');
my $late = start('late', $site->{database}, 'sec-companyfacts', '--jobs', 1, @files);
ok(comes_to_wait('company 7012', 1), 'a later round of a transaction wants a company that another load is at');
is($site->value("SELECT string_agg(status, ',') FROM import_run WHERE file ~ '7011'"), 'done,done', '... which it waits for with nothing in hand');
is($site->value("SELECT pg_try_advisory_xact_lock(" . key('company 7011') . ')'), 't', '... and no lock');
cluster()->release($company);
ends_well('late', $late, '... and all is stored');
is($site->value("SELECT count(*) FROM xbrl_report JOIN issuer USING (issuer_id) WHERE cik IN (7011, 7012)"), 8, '... once');

# ------------------------------------------------------------------------------------ the same as one after the other

# Each company in two states; the later one has all of the earlier, and more.
my @folders = map { folder($_) } qw(earlier later);
for my $cik (8001 .. 8024) {
    made($folders[0], $cik, 1 + $cik % 3);
    made($folders[1], $cik, 2 + $cik % 3);
}

sub counts
{
    my ($database) = @_;
    return cluster()->execute($database, q{SET search_path = disclosed, public;
        COPY (SELECT dataset, record_count, latest FROM dataset_stat ORDER BY 1) TO STDOUT;
        COPY (SELECT i.cik, s.dataset, s.record_count, s.latest FROM dataset_issuer_stat s JOIN issuer i USING (issuer_id) ORDER BY 1, 2) TO STDOUT;
        COPY (SELECT x.metric_key, i.cik, x.known_at, x.latest FROM metric_issuer x JOIN issuer i USING (issuer_id) ORDER BY 1, 2) TO STDOUT;
        COPY (SELECT i.cik, i.name, i.ticker FROM issuer i ORDER BY 1) TO STDOUT;
        COPY (SELECT substring(file FROM 'CIK[0-9]+'), status, sum(rows_read), sum(stored), sum(unchanged), sum(superseded), sum(rejected)
              FROM import_run GROUP BY 1, 2 ORDER BY 1, 2) TO STDOUT});
}

sub state_of
{
    my ($database) = @_;
    my @rows = sort map { join "\t", map { $_ // '' } @$_ } versions(cluster(), $database)->@*;
    return (\@rows, counts($database));
}

sub agrees
{
    my ($database, $rows, $counts, $what) = @_;
    my ($other, $other_counts) = state_of($database);
    my %left = map { $_ => 1 } @$rows;
    my @others = grep { !$left{$_} } @$other;
    ok(!@others && @$rows == @$other, "$what: the same rows") or diag scalar(@$rows), ' and ', scalar(@$other), " rows; others: @others[0 .. ($#others < 2 ? $#others : 2)]";
    return is($other_counts, $counts, "$what: the same counts");
}

my $serial = database('empty');
ends_well('serial', start('serial', $serial, 'sec-companyfacts', '--jobs', 1, @folders), 'one process');
my ($rows, $counts) = state_of($serial);
cmp_ok(scalar(grep { /^fundamental/ } @$rows), '>', 1000, 'metrics are derived') or diag scalar @$rows;
like($counts, qr/^kpi_issuer\t24\t/m, '... of all companies');

my $versions = "SELECT string_agg(dataset || ' ' || version, ',' ORDER BY dataset) FROM disclosed.dataset_stat";
for my $jobs (2, 5) {
    my $parallel = database('empty');
    ends_well("jobs$jobs", start("jobs$jobs", $parallel, 'sec-companyfacts', '--jobs', $jobs, @folders), "$jobs processes");
    agrees($parallel, $rows, $counts, "$jobs processes");
    my $before = cluster()->value($parallel, $versions);
    ends_well('repeated', start('repeated', $parallel, 'sec-companyfacts', '--jobs', $jobs, @folders), '... once more');
    is(cluster()->value($parallel, $versions), $before, '... and no version has moved');
    cluster()->drop_database($parallel);
}

# A load of one company writes rows of no other. Rows of no company are those of the load, and what loads write in the order of their ends.
my @tables = cluster()->rows($serial, q{SELECT c.relname AS name, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'issuer_id') AS has FROM pg_class c
    WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'});
my $latest = cluster()->value($serial, 'SELECT txid_current()');
ends_well('alone', start('alone', $serial, 'sec-companyfacts', made(folder('alone'), 8002, 7)), 'a company has news');
my %written;
for my $table (@tables) {
    my $company = $table->{has} ? "(SELECT i.cik FROM disclosed.issuer i WHERE i.issuer_id = t.issuer_id)" : 'NULL';
    my $found = cluster()->value($serial, "SELECT string_agg(DISTINCT coalesce(($company)::text, '-'), ',') FROM disclosed.$table->{name} t WHERE xmin::text::bigint > $latest");
    $written{ $table->{name} } = $found if $found ne '';
}
is_deeply(\%written, {(map { $_ => '8002' } qw(xbrl_report metric_value metric_issuer kpi_metric dataset_issuer_stat)), map { $_ => '-' } qw(dataset_stat import_run source)},
    '... and nothing else is written') or diag explain \%written;
($rows, $counts) = state_of($serial);
push @folders, folder('alone');

# Loads of the same companies, and others, at the same time.
my $crowd = database('empty');
my %crowd = map { $_ => start("crowd$_", $crowd, 'sec-companyfacts', '--quiet', '--jobs', $_ % 2 + 1, $_ % 2 ? @folders : reverse @folders) } 1 .. 4;
my $line = $site->write('others.ndjson', join '', map { $json->encode({dataset => 'listing', cik => "$_", ticker => "X$_", market => 'US', name => "Company $_", status => 'active', known_at => '2019-01-01T00:00:00Z',
    provenance => {source_provider => 'exchange_site', source_url => 'https://exchange.example/'}}) . "\n" } 9001 .. 9400);
$crowd{5} = start('crowd5', $crowd, 'ndjson', $line);
ends_well("crowd$_", $crowd{$_}, "in a crowd: $_") for sort keys %crowd;
unlike(join('', map { slurp("$root/crowd$_.err") } 1 .. 5), qr/deadlock|failed/, '... without a word');
ends_well('listed', start('listed', $serial, 'ndjson', $line), 'the others, after one process');
($rows, $counts) = state_of($serial);
my ($crowded, $crowded_counts) = state_of($crowd);
is_deeply([grep { !/^\S+listing/ } @$crowded], [grep { !/^\S+listing/ } @$rows], '... and the same rows');
is($crowded_counts =~ s/^\S*\tdone\t.*\n//gmr, $counts =~ s/^\S*\tdone\t.*\n//gmr, '... and counts');
cluster()->drop_database($crowd);

# ------------------------------------------------------------------------------------ one process is killed

my $struck = database('empty');
my $held = cluster()->hold($struck, 'SELECT pg_advisory_xact_lock(' . key('end') . ')');
my $run = start('struck', $struck, 'sec-companyfacts', '--jobs', 3, @folders);
ok(wait_until(60, sub { cluster()->value($struck, "SELECT count(*) $loads") == 3 }), 'three processes hold what they have stored');
my ($victim) = grep { /\S/ } split /\s+/, `ps -o pid= --ppid $run`;
kill 'KILL', $victim;
ok(wait_until(60, sub { cluster()->value($struck, "SELECT count(*) $loads") == 2 }), '... and one is killed');
cluster()->release($held);
waitpid $run, 0;
isnt($?, 0, '... which the import says');
is(cluster()->value($struck, "SELECT count(*) FROM disclosed.xbrl_report r WHERE NOT EXISTS (SELECT 1 FROM disclosed.dataset_issuer_stat s WHERE s.issuer_id = r.issuer_id AND s.dataset = 'xbrl_report')"),
    0, '... the others are stored, and counted');
ends_well('whole', start('whole', $struck, 'sec-companyfacts', '--jobs', 2, @folders), '... and the same command completes the load');
my ($whole, $whole_counts) = state_of($struck);
cluster()->drop_database($_) for $struck;
is_deeply([grep { !/^\S+listing/ } @$whole], [grep { !/^\S+listing|^listing/ } @$rows], '... to the same rows');

finish();

# Small files share a transaction and are merged together. What comes of it is what comes of them one by one, row for row and
# count for count; and each is stored whole or not at all, whatever becomes of the others. (Made input, and real forms.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(build);
use Disclosed::MadeFiles qw(made_13f_reports made_funds made_ownership made_submissions);
use Disclosed::Order qw(versions);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(cluster control database);
use File::Basename qw(basename);

my $site = site(template => 'empty', start => 0);
my $root = $site->{root};

sub folder { my ($name) = @_; mkdir "$root/$name" or die "$root/$name: $!"; return "$root/$name" }

sub change
{
    my ($file, $change) = @_;
    my $text = slurp($file);
    $change->() for $text;
    open my $out, '>', $file or die "$file: $!";
    print $out $text;
    close $out;
}

# ------------------------------------------------------------------------------------ the same as one by one

# All that a load leaves, but numbers in the order of coming and times of loading.
my @state = (
    q{SELECT source || ' ' || regexp_replace(file, '^.*/', '') || ': ' || status AS what, ARRAY[rows_read, stored, unchanged, superseded, rejected]::text AS counts, message FROM import_run ORDER BY 1, 2, 3},
    q{SELECT regexp_replace(r.file, '^.*/', '') AS file, j.place, j.reason, j.sample FROM import_reject j JOIN import_run r USING (import_run_id) ORDER BY 1, 2, 3},
    q{SELECT dataset, record_count, latest FROM dataset_stat ORDER BY 1},
    q{SELECT i.cik, i.party_key, i.name, s.dataset, s.record_count, s.latest FROM dataset_issuer_stat s RIGHT JOIN issuer i USING (issuer_id) ORDER BY 1, 2, 4},
    q{SELECT document, accession FROM named_document ORDER BY 1, 2},
    q{SELECT regexp_replace(r.file, '^.*/', '') AS file, t.record_key, t.origin, t.known_at, t.place, t.name, t.role, t.person_rank FROM executive_stated t LEFT JOIN import_run r ON import_run_id = stated_in ORDER BY 1, 2, 3, 4, 5, 7},
    q{SELECT regexp_replace(r.file, '^.*/', '') AS file, t.record_key, t.known_at, t.place, t.name FROM listing_stated t LEFT JOIN import_run r ON import_run_id = stated_in ORDER BY 1, 2, 3, 4},
);

sub state_of
{
    my ($database) = @_;
    my @rows = map { join "\t", map { $_ // '~' } @$_ } versions(cluster(), $database)->@*;
    return [sort(@rows), map { my $sql = $_; map { my $row = $_; join "\t", map { $_ . '=' . ($row->{$_} // '~') } sort keys %$row } cluster()->rows($database, $sql) } @state];
}

sub load
{
    my ($database, @arguments) = @_;
    my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', @arguments);
    cmp_ok($code, '<=', 1, "$database: loaded") or diag $err;
    return $out;
}

# How many transactions loaded the files.
sub transactions { my ($database) = @_; return cluster()->value($database, 'SELECT count(DISTINCT xmin::text) FROM import_run') }

# Loads files together and one by one, each twice; compares what is there after each.
sub same_as_one_by_one
{
    my ($name, $source, $most, @files) = @_;
    my ($together, $apart) = map { database('empty') } 1 .. 2;
    for my $time ('first', 'again') {
        my $out = load($together, $source, @files);
        load($apart, $source, $_) for @files;
        my ($one, $other) = map { state_of($_) } $together, $apart;
        is_deeply($one, $other, "$name, $time: the same, row for row and count for count: " . @$one);
        my @sources = map { cluster()->value($_, 'SELECT count(*) FROM source') } $together, $apart;
        cmp_ok($sources[0], '<=', $sources[1], "... with no more sources: @sources");
        is_deeply([map { basename($_) } $out =~ /^(\S+?): read /mg], [map { basename($_) } grep { $out =~ /\Q$_\E: read/ } @files], '... told in the order of the files');
    }
    cmp_ok(transactions($together), '<=', 2 * $most, "... in $most transactions each time");
    is(transactions($apart), 2 * @files, '... instead of one for each file');
}

# Forms of few persons and companies: some are known before others that are loaded later, some persons are neither officers nor
# directors at first; amendments, copies, and a document that has no accession number yet or has it from another file.
my $forms = folder('forms');
my @forms = made_ownership($forms, 40, companies => 3);
for my $number (0 .. $#forms) {
    change($forms[$number], sub {
        my $person = 8_000_000 + $number * 7 % 5;
        s{<rptOwnerCik>\d+</rptOwnerCik><rptOwnerName>[^<]*}{<rptOwnerCik>$person</rptOwnerCik><rptOwnerName>Insider $person};
        s{<isDirector>1</isDirector>}{$number % 4 == 0 ? '<isTenPercentOwner>1</isTenPercentOwner>' : $number % 4 == 1 ? '<isDirector>1</isDirector>'
            : '<isOfficer>1</isOfficer><officerTitle>' . ('Chief Executive Officer', 'Treasurer')[$number % 8 > 4] . '</officerTitle>'}e;
        s{<documentType>4<}{<documentType>4/A<} if $number % 10 == 9;
        s{(<periodOfReport>)([^<]*)(</periodOfReport>)}{$1$2$3<dateOfOriginalSubmission>$2</dateOfOriginalSubmission>} if $number % 10 == 9;
        s{(<signatureDate>)[^<]*}{$1 . (2015 + $number * 3 % 8) . '-05-0' . (1 + $number % 9)}e;
    });
}
sub copy
{
    my ($file, $name, $change) = @_;
    my $path = $site->write("forms/$name", slurp($file));
    change($path, $change) if $change;
    return $path;
}
my @mixed = (@forms[0 .. 9], copy($forms[3], 'a-document.xml'), copy($forms[12], 'b-document.xml'), @forms[10 .. 25],
    copy($forms[20], 'again-' . basename($forms[20])), copy($forms[21], 'c-' . basename($forms[21]), sub { s{<value>P</value>|(<transactionCode>)P}{$1A} }),
    $site->write('forms/none.xml', '<html>'), @forms[26 .. 39]);
same_as_one_by_one('forms', 'sec-ownership', 8, @mixed);

my $submissions = folder('submissions');
my @submissions = made_submissions($submissions, 12, 6);
my $later = folder('later');
push @submissions, made_submissions($later, 4, 9);
change($_, sub { s/"name":"Generated (\d+)"/"name":"Renamed $1"/; s/NYSE/Nasdaq/ }) for @submissions[12, 13];
change($submissions[14], sub { s/"tickers":\["[^"]*/"tickers":["OTHER/ });
same_as_one_by_one('submissions', 'sec-submissions', 4, @submissions);

same_as_one_by_one('funds', 'sec-nport', 4, made_funds(folder('funds'), 12, 30), map { my $file = $_; copy($file, basename($file)) } made_funds(folder('again'), 3, 30));

# A restatement of the same manager's in the same transaction, one that comes before what it restates, a report twice, and one in part.
my @reports = made_13f_reports(folder('reports'), 16, 12);
my $restated = sub { s/24-000002/24-000003/g; s/NEW HOLDINGS/RESTATEMENT/; s/20240820/20240903/g; s/<amendmentNo>1/<amendmentNo>2/; s/COM</CL A</ };
my ($first, $second, $part) = map { copy($reports[$_->[0]], "$_->[0]-$_->[1]", $_->[2]) }
    [2, '24-000003.txt', $restated], [9, '24-000003.txt', $restated], [5, 'part.txt', sub { s{<infoTable>.*?</infoTable>\n}{}s }];
same_as_one_by_one('13F reports', 'sec-13f', 8, @reports[0 .. 4], $first, $second, $part, @reports[5 .. 15], copy($reports[3], 'again.txt'),
    $site->write('reports/none.txt', '<html>'));

SKIP: {
    my $real = $ENV{DISCLOSED_SHARED} // '';
    my @real = sort glob "$real/data/ownership-xml/form[345]/*.xml";
    skip 'NOT TESTED: real files (DISCLOSED_SHARED)', 1 if @real < 100;
    same_as_one_by_one('real forms', 'sec-ownership', 6, @real[map { 2 * $_ } 0 .. 59]);
    same_as_one_by_one('real filings', 'sec-filing', 4, (sort glob "$real/data/8k-ex99/*.txt")[0 .. 11]);
}

# -------------------------------------------------------------------------------------- what it costs

# Rows are found by their keys: what is stored of an issuer is not read for each of its rows.
my $grown = database('empty');
my $sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$grown' AND application_name = 'disclosedctl'";
my $read = q{SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read FROM pg_stat_user_tables WHERE schemaname = 'disclosed' AND relname = 'filing'};
my @large = (made_submissions(folder('large'), 1, 2500), made_submissions(folder('small'), 1, 1500, from => 1));
change($_, sub { s{"(?:8-K|10-Q|10-K|8-K\\?/A)"}{"424B2"}g; s/2\.02,9\.01//g }) for @large; # nothing of which events are made
for my $time ('first', 'again', 'changed') {
    if ($time eq 'changed') { change($_, sub { s/"424B2","424B2","4"/"424B3","424B2","4"/g }) for @large }
    my $before = cluster()->value($grown, $read);
    load($grown, 'sec-submissions', $_) for @large;
    wait_until(30, sub { cluster()->value('postgres', $sessions) == 0 });
    my $rows = cluster()->value($grown, $read) - $before;
    cmp_ok($rows, '<', 60 * 4000, "two companies with 4000 filings, $time: $rows rows of them are read");
}

# Forms of one company, into tables that were empty when statements were planned: a few rows of its own for each of them at most.
load($grown, 'sec-ownership', made_ownership(folder('company'), 150, companies => 1));
wait_until(30, sub { cluster()->value('postgres', $sessions) == 0 });
my $rows = cluster()->value($grown, $read =~ s/'filing'/'insider_transaction'/r);
cmp_ok($rows, '<', 20 * 150 * 300, "150 forms of a company with 300 transactions: $rows rows of them are read");

# --------------------------------------------------------------------------------------- one of them fails

sub fresh_forms { my ($name, $count) = @_; my $base = $name =~ s/\D//gr; return made_ownership(folder($name), $count, from => 1000 * $base) }
sub stored { my (@files) = @_; return [map { my $name = basename($_); $site->value("SELECT string_agg(status, ',' ORDER BY import_run_id) FROM import_run WHERE file LIKE '%/$name'") // 'none' } @files] }
sub rows_of { my ($file) = @_; my ($accession) = basename($file) =~ /(\d{10}-\d\d-\d{6})/; return $site->value("SELECT (SELECT count(*) FROM insider_transaction WHERE accession = '$accession') + (SELECT count(*) FROM insider_holding WHERE accession = '$accession') + (SELECT count(*) FROM executive_stated WHERE accession = '$accession')") }
sub is_whole { my ($name, @files) = @_; local $Test::Builder::Level = $Test::Builder::Level + 1; is_deeply([map { rows_of($_) } @files], [(4) x @files], $name) }

my @good = fresh_forms('files1', 8);
change($good[3], sub { s{</ownershipDocument>}{} });
change($good[5], sub { s{<value>P</value>|(<transactionCode>)P}{$1PP} });
my ($code, $out, $err) = $site->control('import', 'sec-ownership', @good);
is($code, 1, 'a file that is none, and one with a bad row');
is_deeply(stored(@good), [('done') x 3, 'failed', ('done') x 4], '... the first fails alone');
is_whole('... the others are whole', @good[0 .. 2, 4, 6, 7]);
is_deeply([rows_of($good[3]), rows_of($good[5])], [0, 3], '... of the first nothing is stored, of the second all but the row');
like($err, qr/^disclosedctl: \Q$good[3]\E: failed, nothing of it is stored: line \d+/m, '... it is told');
is(transactions($site->{database}), 1, '... in one transaction');

# One that is cut off.
my @funds = made_funds(folder('cut'), 3, 40, from => 100);
change($funds[1], sub { s{</invstOrSecs>.*}{}s });
($code, $out, $err) = $site->control('import', 'sec-nport', @funds);
is_deeply(stored(@funds), ['done', 'failed', 'done'], 'a report that is cut off behind its holdings fails alone');
is_deeply([map { my ($accession) = /(\d{10}-\d\d-\d{6})/; $site->value("SELECT count(*) FROM fund_holding WHERE report_key = '$accession'") } @funds], [40, 0, 40], '... and nothing of it is stored');
is($site->value("SELECT count(*) FROM source JOIN import_run r USING (import_run_id) WHERE r.status = 'failed'"), 0, '... nor a source');

# --strict: a file for itself.
@good = fresh_forms('files2', 4);
change($good[1], sub { s{(<transactionCode>)P}{$1PP} });
($code, $out, $err) = $site->control('import', 'sec-ownership', '--strict', @good);
is_deeply(stored(@good), ['done', 'failed', 'done', 'done'], '--strict: the file with a bad row fails alone');
is(rows_of($good[1]), 0, '... and nothing of it is stored');

# What the database refuses, while rows are merged and when all is reconciled: the files are loaded one by one.
my %fault = (
    merged  => ['BEFORE INSERT ON disclosed.insider_holding', 'NEW.accession = %s'],
    reconciled => ['BEFORE INSERT OR UPDATE ON disclosed.dataset_issuer_stat', "NEW.dataset = 'insider' AND EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.issuer_id = NEW.issuer_id AND t.accession = %s)"],
);
my $set = 3;
for my $when (sort keys %fault) {
    my ($event, $condition) = $fault{$when}->@*;
    @good = fresh_forms('files' . $set++, 9);
    my ($accession) = $good[4] =~ /(\d{10}-\d\d-\d{6})\.xml/;
    $site->execute(sprintf("CREATE FUNCTION disclosed.refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
        IF $condition THEN RAISE EXCEPTION 'planted'; END IF; RETURN NEW; END \$\$; CREATE TRIGGER refuse $event FOR EACH ROW EXECUTE FUNCTION disclosed.refuse()", "'$accession'"));
    my $skipped = $site->write('files' . ($set - 1) . '/notes.pdf', 'x');
    ($code, $out, $err) = $site->control('import', 'sec-ownership', '--verbose', "$root/files" . ($set - 1));
    is($code, 1, "a file that is refused when it is $when");
    is_deeply(stored(@good), [('done') x 4, 'failed', ('done') x 4], '... fails alone');
    is_whole('... the others are whole', @good[0 .. 3, 5 .. 8]);
    is(rows_of($good[4]), 0, '... of it nothing is stored');
    is(() = $err =~ /failed, nothing of it is stored: ERROR:  planted/g, 1, '... it is named, once') or diag $err;
    is(() = $err =~ /^skipped: \Q$skipped\E$/mg, 1, '... and what was skipped, once');
    is_deeply([map { basename($_) } $out =~ /^(\S+): read /mg], [map { basename($_) } sort @good[0 .. 3, 5 .. 8]], '... in the order of the files');
    like($out, qr/^total of 9 files, 1 failed/m, '... and counted');
    $site->execute('DROP FUNCTION disclosed.refuse() CASCADE');
}

# From standard input nothing can be read again: each for itself.
@good = fresh_forms('files5', 3);
my $before = transactions($site->{database});
system 'tar', '-cf', "$root/forms.tar", '-C', "$root/files5", map { basename($_) } @good;
system build('CTL') . " --database '" . $site->conninfo . "' import sec-ownership --quiet - < $root/forms.tar > /dev/null";
is(transactions($site->{database}) - $before, 3, 'standard input: three transactions for three files');

# ------------------------------------------------------------------------------------------- interrupted

# disclosedctl beside us.
sub start
{
    my ($name, @arguments) = @_;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDOUT, '>', "$root/$name.out";
        open STDERR, '>', "$root/$name.err";
        exec build('CTL'), '--database', $site->conninfo, @arguments or POSIX::_exit(127);
    }
    return $pid;
}

@good = fresh_forms('files6', 300);
my ($accession) = $good[280] =~ /(\d{10}-\d\d-\d{6})\.xml/;
$site->execute("CREATE FUNCTION disclosed.wait_long() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
    IF NEW.accession = '$accession' THEN PERFORM pg_sleep(60); END IF; RETURN NEW; END \$\$;
    CREATE TRIGGER wait_long BEFORE INSERT ON disclosed.insider_transaction FOR EACH ROW EXECUTE FUNCTION disclosed.wait_long()");
my $sleeps = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND wait_event = 'PgSleep'";
my $pid = start('interrupted', 'import', 'sec-ownership', @good);
ok(wait_until(60, sub { cluster()->value('postgres', $sleeps) == 1 }), 'a transaction of several files is being merged');
kill 'INT', $pid;
waitpid $pid, 0;
is($? >> 8, 130, '... and interrupted');
my $done = $site->value("SELECT count(*) FROM import_run WHERE file LIKE '%/files6/%' AND status = 'done'");
($out, $err) = map { slurp("$root/interrupted.$_") } 'out', 'err';
is(() = $out =~ /: read 4, stored 4/g, $done, "... what was told as stored is: $done files");
cmp_ok($done, '>', 0, '... those of the transactions before');
is($site->value("SELECT count(DISTINCT accession) FROM insider_transaction JOIN source USING (source_id) JOIN import_run USING (import_run_id) WHERE file LIKE '%/files6/%'"), $done, '... and nothing of others');
like($err, qr/interrupted by SIGINT: $done files are stored whole/, '... which is said');
$site->execute('DROP FUNCTION disclosed.wait_long() CASCADE');
($code) = $site->control('import', 'sec-ownership', @good);
is($code, 0, 'the same command loads the rest');
is_whole('... all of it', @good);

# ------------------------------------------------------------------------------------------ beside others

# Files of a transaction want another lock than those before them, which somebody else has: nobody waits with locks in hand.
@good = fresh_forms('files7', 4);
change($good[0], sub { s{<nonDerivativeTable>.*</nonDerivativeTable>}{}s; s{<documentType>4}{<documentType>3} });
my $twin = copy($good[0], 'twin-' . basename($good[0]));
my $holder = fork() // die "fork: $!";
if ($holder == 0) {
    eval { $site->execute("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('disclosed load reconcile_insiders', 0)); SELECT pg_sleep(120)") };
    POSIX::_exit(0);
}
ok(wait_until(30, sub { cluster()->value('postgres', $sleeps) == 1 }), 'somebody loads insiders');
$pid = start('beside', 'import', 'sec-ownership', $good[0], $twin, @good[1 .. 3]);
my $waits = "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.datname = '$site->{database}' AND a.application_name = 'disclosedctl' AND l.locktype = 'advisory' AND NOT l.granted";
ok(wait_until(60, sub { cluster()->value('postgres', $waits) == 1 }), '... for whom a transaction waits');
is($site->value("SELECT pg_try_advisory_xact_lock(hashtextextended('disclosed load issuer', 0))"), 't', '... without what is locked after it');
is(cluster()->value('postgres', $sleeps =~ s/count\(\*\)/count(pg_cancel_backend(pid))/r), 1, '... which the other gives up');
waitpid $_, 0 for $holder, $pid;
is($?, 0, '... and then goes on');
is_whole('... all is stored', @good[1 .. 3]);

# Two loaders of differing datasets, again and again.
my @these = (folder('these'), folder('those'));
my @pids = (start('one', 'import', 'sec-ownership', made_ownership($these[0], 150, companies => 20)), start('two', 'import', 'sec-submissions', made_submissions($these[1], 40, 20)),
    start('three', 'import', 'sec-ownership', '--jobs', 2, made_ownership(folder('more'), 150, from => 150, companies => 20)));
for (@pids) { waitpid $_, 0; is($? >> 8, 0, 'three loaders at once: one has loaded all') }
unlike(join('', map { slurp("$root/$_.err") } qw(one two three)), qr/deadlock|failed/, '... without a word');
is($site->value("SELECT count(*) FROM import_run WHERE status <> 'done' AND file ~ '/(these|those|more)/'"), 0, '... and no file has failed');

finish();

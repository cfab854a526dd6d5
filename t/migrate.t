# Migrations: applied once, safe to repeat, refused where the database is newer or files have changed,
# whole or not at all; and the rights that they grant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Shared qw(cluster control fresh workspace);

my $cluster = cluster();
my $shipped = build('SRCDIR') . '/sql';
my $name    = fresh('migrate');
$cluster->create_database($name);

sub migrate
{
    my (@arguments) = @_;
    my ($code, $out, $err) = control($cluster->conninfo($name), 'migrate', @arguments);
    return ($code, $out . $err);
}

sub tables { return $cluster->value($name, "SELECT count(*) FROM pg_tables WHERE schemaname = 'disclosed'") }

# A folder with the shipped migrations, and others.
sub folder
{
    my ($label, %files) = @_;
    my $path = workspace() . '/' . fresh("sql-$label");
    run('cp', '-r', $shipped, $path);
    for my $file (keys %files) {
        open my $out, '>>', "$path/$file" or die "$path/$file: $!";
        print $out $files{$file};
        close $out;
    }
    return $path;
}

# --- once, twice, at the same time -----------------------------------------------------------

my ($code, $text) = migrate('--status');
is($code, 0, 'status of an empty database');
like($text, qr/foundation/, '... names what there is');
($code, $text) = migrate('--dry-run');
is($code, 0, 'a dry run');
is(tables(), 0, '... applies nothing');
my @pids = map { my $pid = fork() // die; if (!$pid) { my ($c) = migrate(); POSIX::_exit($c) } $pid } 1 .. 3;
my @codes = map { waitpid $_, 0; $? >> 8 } @pids;
is_deeply(\@codes, [0, 0, 0], 'three at the same time');
my $made = tables();
cmp_ok($made, '>', 10, "... make $made tables");
($code, $text) = migrate();
is($code, 0, 'once more');
is(tables(), $made, '... changes nothing');
my $count = () = glob "$shipped/[0-9][0-9][0-9][0-9]_*.sql";
is($cluster->value($name, 'SELECT count(*) FROM public.disclosed_migration'), $count, 'each is noted once');

# --- from fewer to more ----------------------------------------------------------------------

# What a database has, however it came to be: objects, and what may be done with them.
sub schema
{
    my ($database) = @_;
    return $cluster->value($database, q{
        SELECT string_agg(line, E'\n' ORDER BY line) FROM (
            SELECT format('%s %s %s', c.relkind, c.relname, c.relacl) AS line FROM pg_class c WHERE c.relnamespace = 'disclosed'::regnamespace
            UNION ALL
            SELECT format('%s.%s %s %s', a.attrelid::regclass, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod))
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
            UNION ALL
            SELECT format('%s %s', pg_get_functiondef(p.oid), p.proacl) FROM pg_proc p WHERE p.pronamespace = 'disclosed'::regnamespace) s});
}

my $fewer = folder('fewer');
my @later = grep { m{/(\d{4})_[^/]*$} && $1 > 10 } glob "$fewer/[0-9]*.sql";
unlink @later;
my $older = fresh('migrate_older');
$cluster->create_database($older);
($code, $text) = control($cluster->conninfo($older), 'migrate', '--sql-dir', $fewer);
is($code, 0, 'the first ten migrations');
($code, $text) = control($cluster->conninfo($older), 'migrate');
is($code, 0, '... and then the others');
is(scalar(() = $text =~ /^applied /mg), scalar @later, '... of which no more are applied');
is(schema($older), schema($name), '... which make the same database');
$cluster->drop_database($older);

# Whatever release a database is of: each migration as the first one of its run.
my $single = folder('single');
my @all = sort glob "$single/[0-9]*.sql";
unlink @all;
my $stepped = fresh('migrate_stepped');
$cluster->create_database($stepped);
my @failed;
for my $file (map { s{.*/}{}r } @all) {
    run('cp', "$shipped/$file", "$single/$file");
    ($code, $text) = control($cluster->conninfo($stepped), 'migrate', '--sql-dir', $single);
    next if $code == 0 && $text =~ /^applied \d/m;
    push @failed, "$file: $text";
    last;
}
same_json(\@failed, [], 'each migration is applied by a run of its own');
is(schema($stepped), schema($name), '... which makes the same database');
$cluster->drop_database($stepped);

# --- what is refused -------------------------------------------------------------------------

# A database of another chain of migrations, as there were before the first release.
my $others = workspace() . "/" . fresh("sql-others");
mkdir $others or die "$others: $!";
my %chain = ('0001_foundation' => 'CREATE SCHEMA disclosed; CREATE TABLE disclosed.account (owner text);', '0002_parties' => 'CREATE TABLE disclosed.party (x integer);',
    map { (sprintf('%04d_other', $_) => 'SELECT 1;') } 3 .. $count + 4);
for my $file (keys %chain) {
    open my $out, '>', "$others/$file.sql" or die "$file: $!";
    print $out "$chain{$file}\n";
    close $out;
}
my $foreign = fresh('migrate_foreign');
$cluster->create_database($foreign);
is((control($cluster->conninfo($foreign), 'migrate', '--sql-dir', $others))[0], 0, 'a database that other migrations made');
my $had = schema($foreign);
for my $mode ([], ['--dry-run'], ['--status']) {
    my ($exit, $out, $err) = control($cluster->conninfo($foreign), 'migrate', @$mode);
    is($exit, 1, "migrate @$mode: refused");
    like($err, qr/made by other migrations than this program's: it has 0002_parties where these are 0002_issuers.* Make an empty database, migrate it and load the sources anew/,
        '... with what it has, and what to do');
}
is(schema($foreign), $had, '... and nothing in it is another');
is($cluster->value($foreign, 'SELECT count(*) FROM public.disclosed_migration'), scalar keys %chain, '... nor what is noted as applied');
$cluster->drop_database($foreign);

my $future = folder('future', '0999_later.sql' => "CREATE TABLE disclosed.later (x integer);\n");
($code, $text) = migrate('--sql-dir', $future);
is($code, 0, 'a later migration is applied');
($code, $text) = migrate();
is($code, 1, 'the database is newer than the files: refused');
like($text, qr/newer than this program: it has migration 0999_later/, '... with its message');
my $gap = folder('gap', '0999_later.sql' => "CREATE TABLE disclosed.later (x integer);\n", '0500_between.sql' => "SELECT 1;\n");
($code, $text) = migrate('--sql-dir', $gap);
is($code, 1, 'a number before one that is applied: refused');
like($text, qr/0500_between\.sql: is not applied although a later one is/, '... with its message');
my $changed = folder('changed', '0001_foundation.sql' => "-- changed\n", '0999_later.sql' => "CREATE TABLE disclosed.later (x integer);\n");
($code, $text) = migrate('--sql-dir', $changed);
is($code, 1, 'a file that has changed: refused');
like($text, qr/0001_foundation\.sql: has changed since it was applied/, '... with its message');
my $broken = folder('broken', '0999_later.sql' => "CREATE TABLE disclosed.later (x integer);\n",
    '1000_broken.sql' => "CREATE TABLE disclosed.half (x integer);\nSELECT nonsense;\n");
($code, $text) = migrate('--sql-dir', $broken);
is($code, 1, 'SQL that fails');
like($text, qr/1000_broken\.sql: line 2: .*nonsense/, '... is told with its line');
is($cluster->value($name, "SELECT to_regclass('disclosed.half') IS NULL"), 't', '... and leaves nothing behind');
my @chain = ('0999_later.sql' => "CREATE TABLE disclosed.later (x integer);\n", '1000_errs.sql' => "CREATE TABLE disclosed.half (x integer);\n");
my $torn = folder('torn', @chain, '1001_mends.sql' => "-- Mends.\n-- In one transaction with 1000, so that nobody sees it.\nSELECT nonsense;\n");
($code, $text) = migrate('--sql-dir', $torn);
is("$code $text" =~ s{\S+/}{}gr, "1 disclosedctl: 1001_mends.sql: line 3: column \"nonsense\" does not exist\n", 'a migration that mends another, and fails');
is($cluster->value($name, "SELECT to_regclass('disclosed.half') IS NULL"), 't', '... leaves nothing of the other');
my $mended = folder('mended', @chain, '1001_mends.sql' => "-- Mends.\n-- In one transaction with 1000, so that nobody sees it.\nDROP TABLE disclosed.half;\n");
($code, $text) = migrate('--sql-dir', $mended);
is("$code $text", "0 applied 1000_errs\napplied 1001_mends\n", '... and does not fail');
is($cluster->value($name, 'SELECT count(DISTINCT m.xmin::text) FROM public.disclosed_migration m WHERE version >= 1000'), 1, '... is of the same transaction');
$cluster->execute($name, 'DELETE FROM public.disclosed_migration WHERE version >= 1000');
my $commits = folder('commits', '0999_later.sql' => "CREATE TABLE disclosed.later (x integer);\n", '1000_commits.sql' => "COMMIT;\n");
($code, $text) = migrate('--sql-dir', $commits);
is($code, 1, 'a migration that ends its transaction: refused');
mkdir my $empty = workspace() . '/' . fresh('sql');
is((migrate('--sql-dir', $empty))[0], 1, 'a folder without migrations');
is((migrate('--nonsense'))[0], 2, 'an unknown option');
is((control('host=/nowhere dbname=x', 'migrate'))[0], 3, 'no database');

# --- rights ----------------------------------------------------------------------------------

# Whether a role may do that.
sub may
{
    my ($role, $sql) = @_;
    my ($exit, $out, $err) = run({ stdin => "BEGIN; $sql; ROLLBACK;" }, build('PGBIN') . '/psql', '-XAtq', '-v', 'ON_ERROR_STOP=1',
        '-d', $cluster->conninfo($name, $role));
    die "$sql: $err" if $exit != 0 && $err !~ /permission denied/;
    return $exit == 0;
}

# What nobody but the owner and its functions write, and those whom they are shown to.
my %kept = (chunk_word => 'both', distributed_table => 'both', metric_name => 'both', unsent_change => '', account_day => 'disclosed_api', key_usage => 'disclosed_api', credit_balance => 'disclosed_api', credit_entry => '', access_audit => '',
    webhook_event => 'disclosed_api', webhook_delivery => 'disclosed_api', webhook_attempt => 'disclosed_api', webhook_body => '', change_reader => '', idempotency_key => '');
my @data = grep { !exists $kept{$_} } split /\n/, $cluster->value($name, "SELECT tablename FROM pg_tables WHERE schemaname = 'disclosed' AND tablename NOT IN
    ('account', 'api_key', 'key_generation', 'webhook_endpoint', 'import_run', 'import_reject', 'later', 'dataset_record', 'source_provider')
    AND tablename !~ '^canonical_|_template\$|^template_' ORDER BY 1"); # the mapping of metrics is the migrations', see t/canonical-metrics.t
cmp_ok(scalar @data, '>=', 10, 'tables of data: ' . @data);
for my $table (@data) {
    ok(may('disclosed_api', "SELECT 1 FROM disclosed.$table LIMIT 1"), "the module reads $table");
    ok(!may('disclosed_api', "DELETE FROM disclosed.$table"), '... and does not write it');
    ok(may('disclosed_loader', "DELETE FROM disclosed.$table"), "... the loader writes $table");
}
for my $table (sort keys %kept) {
    for my $role (qw(disclosed_api disclosed_loader)) {
        is(may($role, "SELECT 1 FROM disclosed.$table") ? 1 : 0, $kept{$table} eq $role || $kept{$table} eq 'both' ? 1 : 0, "whether $role reads $table");
        ok(!may($role, "DELETE FROM disclosed.$table"), '... and it does not write it');
    }
}
for my $table (qw(account api_key key_generation)) {
    ok(may('disclosed_api', "SELECT 1 FROM disclosed.$table"), "the module reads $table");
    ok(!may('disclosed_api', "DELETE FROM disclosed.$table"), '... and does not write it');
    ok(!may('disclosed_loader', "DELETE FROM disclosed.$table"), '... nor does the loader');
}
ok(may('disclosed_api', 'SELECT 1 FROM disclosed.webhook_endpoint'), 'the module reads webhook endpoints');
ok(!may('disclosed_api', $_), "... and may not: $_") for 'UPDATE disclosed.webhook_endpoint SET disabled_at = NULL', 'DELETE FROM disclosed.webhook_endpoint',
    'UPDATE disclosed.live_webhook_endpoint SET disabled_at = NULL';
ok(!may('disclosed_loader', "SELECT 1 FROM disclosed.$_"), "the loader does not see $_") for qw(account api_key webhook_endpoint);
ok(!may('disclosed_api', "SELECT 1 FROM disclosed.$_"), "the module does not see $_") for qw(import_run import_reject);
ok(!may($_, 'CREATE TABLE disclosed.x (y integer)'), "$_ makes no tables") for qw(disclosed_api disclosed_loader);

# Functions that run as the owner, and who may call them: nobody else may count requests, move credits, change webhooks
# or announce what is new.
my %called = (
    disclosed_api => [qw(add_account_days add_key_usage change_webhook claim_webhooks create_webhook credits_left delete_webhook drop_unwanted_webhooks drop_webhooks note_own_webhooks note_webhooks prune_requests prune_webhooks
        publish_webhooks read_changes recover_webhook release_credits release_lost_webhooks release_stale_credits release_webhooks replay_webhook reseal_webhook reserve_credits rotate_webhook settle_credits
        store_webhook_bodies webhook_queue webhook_workers)],
    disclosed_loader => [qw(analyze_grown announce_filings announce_rows announce_transcripts count_chunk_words)],
);
# Triggers run them for anybody: who may execute one may put it on a table of their own, and have it do as the owner what they like.
my $by_role = join ', ', map { "'" . $_ . "'" } sort keys %called;
is($cluster->value($name, "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc
        WHERE pronamespace = 'disclosed'::regnamespace AND prosecdef AND has_function_privilege('$_', oid, 'EXECUTE')"), join(' ', $called{$_}->@*), "what $_ may do as the owner")
    for sort keys %called;
is($cluster->value($name, "SELECT string_agg(DISTINCT p.proname, ' ') FROM pg_proc p CROSS JOIN aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        WHERE p.pronamespace = 'disclosed'::regnamespace AND p.prosecdef AND a.grantee <> p.proowner AND pg_get_userbyid(a.grantee) NOT IN ($by_role)"),
    '', 'nor may anybody else do anything');
is($cluster->value($name, "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'disclosed'::regnamespace AND prosecdef
        AND NOT (proconfig[1] ~ '^search_path=(disclosed|pg_catalog), pg_temp\$')"), '', '... and what they name is no table of the session');

# What the loader makes in its session is its own: nothing of it runs as the owner.
sub as_loader
{
    my ($sql) = @_;
    my ($exit, $out, $err) = run({ stdin => $sql }, build('PGBIN') . '/psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $cluster->conninfo($name, 'disclosed_loader'));
    return $err;
}
my $who = 'CREATE TEMP TABLE who (name name); GRANT ALL ON who TO PUBLIC; CREATE FUNCTION pg_temp.who() RETURNS bigint LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION \'I am %\', current_user; END $$; GRANT EXECUTE ON FUNCTION pg_temp.who TO PUBLIC;';
for my $made ('note_change(\'issuer_id, pg_temp.who()\')', 'empty_shards()', 'audit_access()', 'send_at_commit()', 'give_key_number()') {
    my $each = $made =~ /^audit|^send|^give/ ? 'ROW' : 'REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT';
    $each = "FOR EACH $each" if $each eq 'ROW';
    like(as_loader("$who CREATE TEMP TABLE fund (issuer_id bigint); CREATE TRIGGER t AFTER INSERT ON fund $each EXECUTE FUNCTION disclosed.$made;
        INSERT INTO fund VALUES (1);"), qr/permission denied for function/, "the loader puts no $made on a table of its own");
}
# What is noted of changes is in a table of the session that is the owner's, as a distributed database has it.
$cluster->execute($name, "CREATE TRIGGER noted AFTER INSERT ON disclosed.security_title REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
    EXECUTE FUNCTION disclosed.note_change('cusip')");
my $change = q{INSERT INTO disclosed.security_title (cusip, issuer_title, class_title, rows_seen, cut, forms) VALUES (gen_random_uuid(), 'A', 'COM', 1, false, '{}');};
is(as_loader($change), '', 'a change is noted');
for my $made ("CREATE TEMP TABLE unsent_security_title (cusip text); CREATE FUNCTION pg_temp.whose() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_temp.who(); RETURN NEW; END'; GRANT EXECUTE ON FUNCTION pg_temp.whose TO PUBLIC; GRANT ALL ON unsent_security_title TO PUBLIC;
        CREATE TRIGGER t BEFORE INSERT ON unsent_security_title FOR EACH ROW EXECUTE FUNCTION pg_temp.whose();",
    'CREATE TEMP VIEW unsent_security_title AS SELECT pg_temp.who()::text AS cusip; GRANT ALL ON unsent_security_title TO PUBLIC;') {
    my $said = as_loader("$who $made $change");
    unlike($said, qr/I am disclosed_owner/, 'nor a table where the owner notes what has changed');
    like($said, qr/unsent_security_title/, '... which is refused');
}
ok(!may($_, q{SELECT disclosed.top_up_credits(1, 1000000, 'mine')}), "$_ tops up no credits") for qw(disclosed_api disclosed_loader);
$cluster->drop_database($name);

done_testing();

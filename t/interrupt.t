# A command that is interrupted leaves nothing behind in the database: its statement is cancelled, what it had
# begun is rolled back, its locks go, and it says what is kept. And what a terminal shows meanwhile.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(children_of is_at_rest run slurp wait_until);
use Disclosed::Shared qw(cluster fresh workspace);
use Disclosed::JSON ();
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

my $SOON = 2 * patience();
my $json = Disclosed::JSON->new->utf8->canonical;
my $site = site(template => 'empty', start => 0);
my %number = (HUP => 1, INT => 2, TERM => 15);

# Files of tickers, by day; the settling of one whose day is in 2026 takes a minute.
sub tickers
{
    my ($day) = @_;
    return $site->write("company_tickers_exchange.$day.json", $json->encode({ fields => [qw(cik name ticker exchange)],
        data => [map { [9_300_000 + $_, "Slow Works $_ Inc.", "SLOW$_", 'NYSE'] } 1 .. 3] }));
}

sub make_slow
{
    my ($seconds) = @_;
    $site->execute("CREATE OR REPLACE FUNCTION disclosed.take_time() RETURNS trigger LANGUAGE plpgsql AS \$\$
        BEGIN IF NEW.taken_at > '2026-01-01' THEN PERFORM pg_sleep($seconds); END IF; RETURN NEW; END \$\$;
        CREATE OR REPLACE TRIGGER slow BEFORE INSERT ON disclosed.listing_snapshot FOR EACH ROW EXECUTE FUNCTION disclosed.take_time()");
}

sub make_fast { $site->execute('DROP TRIGGER slow ON disclosed.listing_snapshot') }

# disclosedctl beside us; its standard input stays open and empty. Options: ignore (a signal).
sub start
{
    my ($option, @arguments) = @_;
    my $output = workspace() . '/' . fresh('interrupt');
    pipe my $reader, my $writer or die "pipe: $!";
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for keys %number;
        $SIG{ $option->{ignore} } = 'IGNORE' if $option->{ignore};
        open STDIN,  '<&', $reader;
        open STDOUT, '>', "$output.out";
        open STDERR, '>', "$output.err";
        close $writer;
        $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
        exec build('CTL'), '--database', $site->conninfo, @arguments or POSIX::_exit(127);
    }
    return { pid => $pid, output => $output, writer => $writer };
}

# Waits for its end: (exit code or minus the signal that killed it, standard output, standard error).
sub ended
{
    my ($started) = @_;
    my $status;
    wait_until(30 * patience(), sub { my $got = waitpid $started->{pid}, WNOHANG; $status = $?; $got == $started->{pid} }) or kill 'KILL', $started->{pid};
    return (!defined $status ? undef : $status & 127 ? -($status & 127) : $status >> 8, slurp("$started->{output}.out"), slurp("$started->{output}.err"));
}

my $sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND application_name = 'disclosedctl'";
my $locks = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = '$site->{database}' AND locktype = 'advisory'";
sub asked { my ($sql) = @_; return cluster()->value('postgres', $sql) }

# Until so many sessions are at something that takes long.
sub at_work
{
    my ($count, $event) = @_;
    return wait_until(20 * patience(), sub { asked("$sessions AND wait_event = '" . ($event // 'PgSleep') . "'") == $count });
}

# What must hold once it has been interrupted at that time.
sub nothing_remains
{
    my ($since, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $gone = wait_until($SOON + 8, sub { asked($sessions) == 0 });
    my $took = working_time() - $since;
    ok($gone && $took < $SOON, "$name: no session of it is left after " . sprintf('%.1f s', $took));
    is(asked($locks), 0, '... and no lock');
}

sub last_run
{
    my ($row) = $site->rows("SELECT status, message FROM import_run ORDER BY import_run_id DESC LIMIT 1");
    return [@$row{qw(status message)}];
}

# --- a file that is being reconciled ------------------------------------------------------------

make_slow(60);
my @files = map { tickers($_) } '2024-01-02', '2024-02-03', '2026-03-04', '2026-05-06';
for my $signal (sort keys %number) {
    my $import = start({}, 'import', 'sec-company-tickers', @files);
    ok(at_work(1), "SIG$signal: a file is being reconciled");
    my $since = working_time();
    kill $signal, $import->{pid};
    my ($code, $out, $err) = ended($import);
    nothing_remains($since, "SIG$signal");
    is($code, 128 + $number{$signal}, '... the exit code tells the signal');
    like($err, qr/2026-03-04\.json: failed, nothing of it is stored: interrupted by SIG$signal$/m, '... the file at hand is told');
    like($err, qr/: interrupted by SIG$signal: 2 files are stored whole, nothing of others; the same command loads the rest$/m, '... and what is kept');
    is(() = $out =~ /: read 3, stored 3|: read 3, stored 0/g, 2, '... with two files');
    is_deeply(last_run(), ['failed', "interrupted by SIG$signal"], '... the run says so');
    is($site->value('SELECT count(*) FROM listing_snapshot'), 2, '... what was told as kept is there, and nothing else');
}
make_fast();
my ($code, $out) = $site->control('import', 'sec-company-tickers', @files);
is($code, 0, 'the same command completes');
is($site->value('SELECT count(*) FROM listing_snapshot'), 4, '... with all files');
$site->execute('DELETE FROM disclosed.listing_snapshot WHERE taken_at > \'2026-01-01\'');
make_slow(60);

# --- several processes -----------------------------------------------------------------------

my $import = start({}, 'import', 'sec-company-tickers', '--jobs', 3, @files);
ok(at_work(1), 'three processes: one reconciles');
my $since = working_time();
kill 'TERM', $import->{pid};
($code, $out, my $err) = ended($import);
nothing_remains($since, 'three processes');
is($code, 143, '... the exit code tells the signal');
like($err, qr/: interrupted by SIGTERM: \d files are stored whole/, '... and what is kept is told');
is($site->value('SELECT count(*) FROM listing_snapshot'), 2, '... which is so');

# A terminal sends its signal to all of them.
$import = start({}, 'import', 'sec-company-tickers', '--jobs', 2, @files);
ok(at_work(1), 'two processes of a terminal');
$since = working_time();
kill 'INT', $import->{pid}, children_of($import->{pid});
is((ended($import))[0], 130, '... all of which are interrupted');
nothing_remains($since, '... at once');

# --- what cannot be told ---------------------------------------------------------------------

for my $jobs (1, 2) {
    $import = start({}, 'import', 'sec-company-tickers', '--jobs', $jobs, $files[2], $files[0]);
    ok(at_work(1), "kill -9, $jobs processes");
    $since = working_time();
    kill 'KILL', $import->{pid};
    is((ended($import))[0], -9, '... ends it');
    nothing_remains($since, '... and its session notices');
}

# --- no statement runs -----------------------------------------------------------------------

sub waits_for_input
{
    my (@input) = @_;
    my $import = start({}, 'import', 'ndjson', @input);
    ok(wait_until(10 * patience(), sub { asked("$sessions AND state = 'idle' AND query ~ 'keepalives'") == 1 }), "@input has nothing to say");
    ok(wait_until(10 * patience(), sub { is_at_rest($import->{pid}, 0.1) }), '... and is waited for');
    return $import;
}

for my $begin ('', '{"dataset": "filing", ') {
    $import = waits_for_input('-');
    syswrite $import->{writer}, $begin;
    sleep 0.3;
    $since = working_time();
    kill 'TERM', $import->{pid};
    ($code, $out, $err) = ended($import);
    nothing_remains($since, 'standard input that has given ' . length($begin) . ' bytes');
    is($code, 143, '... the exit code tells the signal');
    like($err, qr/: interrupted by SIGTERM: 0 files are stored whole, nothing of others/, '... and what is kept is told');
    unlike($err, qr/damaged|at once/, '... in order');
}

# Nobody writes to it: that it is opened never ends.
my $fifo = workspace() . '/' . fresh('fifo');
POSIX::mkfifo($fifo, 0600) or die "$fifo: $!";
$import = waits_for_input($fifo);
kill 'TERM', $import->{pid};
sleep 0.8;
$since = working_time();
kill 'TERM', $import->{pid};
($code, $out, $err) = ended($import);
nothing_remains($since, 'a second signal');
is($code, 143, '... ends it at once');
like($err, qr/^disclosedctl: interrupted: 0 files are stored whole, nothing of others/m, '... with a last word');
$import = waits_for_input($fifo);
kill 'TERM', $import->{pid};
is((ended($import))[0], 143, '... the first ends it when it is not noticed');
ok(wait_until($SOON, sub { asked($sessions) == 0 }), '... and its session');

# --- behind another load, and under nohup ----------------------------------------------------

my $held = cluster()->hold($site->{database}, "SELECT pg_advisory_xact_lock(hashtextextended('disclosed load reconcile_companies', 0))");
$import = start({ ignore => 'HUP' }, 'import', 'sec-company-tickers', $files[0]);
ok(at_work(1, 'advisory'), 'an import that waits for another');
kill 'HUP', $import->{pid};
sleep 0.5;
is(asked("$sessions AND wait_event = 'advisory'"), 1, '... goes on where SIGHUP is ignored');
$since = working_time();
kill 'INT', $import->{pid};
is((ended($import))[0], 130, '... and waits no longer when it is interrupted');
ok(wait_until($SOON, sub { asked($sessions) == 0 }), '... nor does its session');
cluster()->release($held);

# --- other commands --------------------------------------------------------------------------

my $folder = workspace() . '/' . fresh('sql');
run('cp', '-r', build('SRCDIR') . '/sql', $folder);
for (['0998_quick.sql', 'CREATE TABLE disclosed.quick (x integer);'], ['0999_slow.sql', 'CREATE TABLE disclosed.slow (x integer); SELECT pg_sleep(60);']) {
    open my $file, '>', "$folder/$_->[0]" or die $!;
    print $file "$_->[1]\n";
    close $file;
}
my $migrate = start({}, 'migrate', '--sql-dir', $folder);
ok(at_work(1), 'a migration that takes long');
$since = working_time();
kill 'TERM', $migrate->{pid};
($code, $out, $err) = ended($migrate);
nothing_remains($since, '... is interrupted');
is($code, 143, '... the exit code tells the signal');
like($err, qr/: interrupted by SIGTERM: of the migrations those told as applied stay, the others are not$/m, '... and what is kept');
like($out, qr/^applied 0998_quick$/m, '... the one before');
is($site->value("SELECT to_regclass('disclosed.quick') IS NOT NULL AND to_regclass('disclosed.slow') IS NULL"), 't', '... which is so');
$site->execute('CREATE TRIGGER slow BEFORE INSERT ON disclosed.listing FOR EACH ROW EXECUTE FUNCTION disclosed.take_time()');
$site->execute("CREATE OR REPLACE FUNCTION disclosed.take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END'");
my $demo = start({}, 'demo', '--companies', 1);
ok(at_work(1), 'the demo data');
$since = working_time();
kill 'INT', $demo->{pid};
($code, $out, $err) = ended($demo);
nothing_remains($since, '... are interrupted');
is($code, 130, '... the exit code tells the signal');
like($err, qr/: interrupted by SIGINT: 0 batches are stored whole/, '... and what is kept');
$site->execute('DROP TRIGGER slow ON disclosed.listing');

# --- progress --------------------------------------------------------------------------------

make_slow(1.5);
my $on_terminal = sub {
    my (@options) = @_;
    $site->execute("DELETE FROM disclosed.listing_snapshot WHERE taken_at > '2026-01-01'");
    my $command = join ' ', map { "'$_'" } build('CTL'), '--database', $site->conninfo, 'import', 'sec-company-tickers', @options, @files;
    return (run('script', '-qec', $command, '/dev/null'))[1];
};
SKIP: {
    skip 'progress: there is no script(1)', 3 if (run('sh', '-c', 'command -v script'))[0];
    like($on_terminal->(), qr/file 3 of 4, 9 rows, \d+ s, deriving: .*2026-03-04\.json/, 'a terminal shows which file, how many rows, and what is being done');
    unlike($on_terminal->($_), qr/file \d/, "... not with $_") for '--quiet', '--json';
}
$site->execute("DELETE FROM disclosed.listing_snapshot WHERE taken_at > '2026-01-01'");
is(($site->control('import', 'sec-company-tickers', @files))[2], '', 'a log has none of it');

finish();

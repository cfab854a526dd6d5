# Files come, go and change while an import in several processes is at them: each file that was there when it began is loaded once,
# and what cannot be is reported. (Made input.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::JSON ();
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(cluster);
use Disclosed::Test 'without_cache';
use POSIX ();

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;
my $root = $site->{root};

sub facts
{
    my ($cik) = @_;
    return $json->encode({ cik => $cik, entityName => "Company $cik", facts => { 'us-gaap' => { Assets => { units => { USD => [
        { accn => sprintf('%010d-24-000001', $cik), form => '10-K', fy => 2023, fp => 'FY', filed => '2024-02-01', end => '2023-12-31', val => $cik * 1000 }] } } } } });
}

sub path_of { my ($folder, $cik) = @_; return sprintf '%s/CIK%010d.json', $folder, $cik }

sub made
{
    my ($folder, @ciks) = @_;
    mkdir "$root/$folder";
    for my $cik (@ciks) {
        my $path = path_of("$root/$folder", $cik);
        open my $file, '>', $path or die "$path: $!";
        print $file facts($cik);
        close $file or die "$path: $!";
    }
    return "$root/$folder";
}

sub packed
{
    my ($archive, $folder) = @_;
    unlink $archive;
    system('sh', '-c', 'cd "$1" && zip -q "$2" *.json', 'sh', $folder, $archive) == 0 or die "zip: $?";
    return $archive;
}

sub hold { my ($cik) = @_; return cluster()->hold($site->{database}, "SELECT pg_advisory_xact_lock(hashtextextended('disclosed load company $cik', 0))") }

sub start
{
    my ($name, @arguments) = @_;
    my $pid = fork // die "fork: $!";
    return { pid => $pid, name => $name } if $pid;
    open STDOUT, '>', "$root/$name.out";
    open STDERR, '>', "$root/$name.err";
    exec $ENV{DISCLOSED_CTL}, '--database', cluster()->conninfo($site->{database}), 'import', 'sec-companyfacts', @arguments or POSIX::_exit(127);
}

# The exit code of a load, and all that it has said.
sub end_of
{
    my ($load) = @_;
    waitpid $load->{pid}, 0;
    return ($? >> 8, slurp("$root/$load->{name}.out") . slurp("$root/$load->{name}.err"));
}

# The files of runs that have ended, by their CIKs.
sub loaded
{
    my ($first, $last) = @_;
    return $site->value(qq{SELECT string_agg(n.cik || ' ' || n.status, ', ' ORDER BY n.cik, n.status) FROM
        (SELECT substring(file FROM 'CIK0*([0-9]+)')::int AS cik, status FROM import_run) n WHERE n.cik BETWEEN $first AND $last});
}

sub comes_to { my ($first, $last, $what) = @_; return wait_until(60, sub { loaded($first, $last) eq $what }) }
sub waits { return wait_until(60, sub { $site->value("SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND NOT l.granted AND a.application_name = 'disclosedctl' AND a.datname = current_database()") == 1 }) }

# Files that don't share a transaction: one process waits in the first folder, while the other has come to the end of the second.
my $folder = made('own');
made('own/a', 7101);
made('own/b', 7102 .. 7105);
my $held = hold(7101);
my $load = start('comes', '--strict', '--jobs', 2, $folder);
ok(waits() && comes_to(7102, 7105, '7102 done, 7103 done, 7104 done, 7105 done'), 'one of two processes waits, the other has loaded all else');
made('own/b', 7099, 7100);
cluster()->release($held);
my ($code, $said) = end_of($load);
is($code, 0, 'two files come meanwhile: the load ends well') or diag $said;
like($said, qr/^total of 5 files, 0 failed/m, '... and has loaded what was there when it began');
is(loaded(7099, 7105), '7101 done, 7102 done, 7103 done, 7104 done, 7105 done', '... each once');

# An archive is replaced by one with other members, which only one of the processes sees.
my $first = made('first', 7201);
my $archive = packed("$root/facts.zip", made('packed', 7202 .. 7204));
$held = hold(7201);
$load = start('replaced', '--strict', '--jobs', 2, $first, $archive);
ok(waits() && comes_to(7202, 7204, '7202 done, 7203 done, 7204 done'), 'one of two processes waits, the other has loaded an archive');
packed($archive, made('packed', 7200));
cluster()->release($held);
($code, $said) = end_of($load);
is($code, 1, 'the archive is replaced meanwhile: the load fails');
like($said, qr/^disclosedctl: \Q$first\E: changed while it was loaded: an archive or a file was replaced or removed meanwhile: .*, load all again$/m, '... and says what to do');

# A transaction of three files is lost by the second, and the first is gone when they are loaded one by one.
my $gone = made('gone', 7301 .. 7303);
$site->execute(q{CREATE FUNCTION disclosed.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.accession = '0000007302-24-000001' THEN RAISE EXCEPTION 'planted'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON disclosed.xbrl_report FOR EACH ROW EXECUTE FUNCTION disclosed.refuse()});
$held = hold(7301);
$load = start('gone', '--jobs', 1, $gone);
ok(waits(), 'a transaction of three files waits');
unlink path_of($gone, 7301) or die;
cluster()->release($held);
($code, $said) = end_of($load);
is($code, 1, 'one is refused, another is gone: the load fails');
like($said, qr/^total of 3 files, 2 failed/m, '... for two of the files');
like($said, qr/\b\QCIK0000007301.json\E: .*was not there any more/, '... that which is gone among them');
like($said, qr/\b\QCIK0000007302.json\E: .*planted/, '... and that which is refused');
is(loaded(7301, 7303) =~ s/7301 failed, //r, '7302 failed, 7303 done', '... the third is stored');

# The same of an archive, whose members are loaded one by one then.
($code, $said) = end_of(start('lost', '--jobs', 1, packed("$root/lost.zip", made('lost', 7301 .. 7304))));
is($code, 1, 'a transaction of the members of an archive is lost');
like($said, qr/^total of 4 files, 1 failed/m, '... but for the one that is refused they are stored') or diag $said;
is(loaded(7304, 7304), '7304 done', '... those behind it, too');
$site->execute('DROP FUNCTION disclosed.refuse() CASCADE');
finish();

# disclosedctl bootstrap while a disk is full: the one of PostgreSQL, at several moments of a run, and the one where downloads lie. It is told as such, nothing
# is stored that is not whole, and the next run, when there is room, stores all that a plain import does, asking again only for what had not come.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Kill qw(begin_with_own_mounts);
BEGIN { begin_with_own_mounts() }
use Disclosed::BootstrapFiles qw(bootstrap_sets set_path);
use Disclosed::BootstrapProof;
use Disclosed::JSON ();
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run wait_until);
use Disclosed::Shared qw(cluster control fresh own_cluster register_process use_cluster workspace);
use Disclosed::Test;

my $disk = Disclosed::Kill::mount_disk();
my $small = Disclosed::Kill::mount_disk();
if (!$disk || !$small) {
    diag 'NOT TESTED: bootstrap on a full disk, as none may be mounted here';
    plan skip_all => 'no disk can be mounted';
}
delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
Disclosed::Cluster::make_folder("$disk/data");
use_cluster(own_cluster(files => "$disk/data", initdb => ['--wal-segsize=1'], settings => $Disclosed::Kill::SETTINGS));
register_process((split /\n/, Disclosed::Process::slurp("$disk/data/postmaster.pid"))[0]);

sub resize { my ($of, $kilobytes) = @_; return Disclosed::Kill::resize_disk({ disk => $of }, $kilobytes) }
sub used   { my ($of) = @_; return Disclosed::Kill::disk_used({ disk => $of }) }
sub has_room { my ($of) = @_; return resize($of, 4096 * 1024) }

my $folder = workspace() . '/' . fresh('archives');
mkdir $folder or die "$folder: $!";
my @sets = bootstrap_sets($folder, 60);
my @paths = map { set_path(@$_[0, 1]) } @sets;

# What is not so of the rows that are there.
sub count_faults
{
    my ($proof) = @_;
    my (undef, $out) = control(cluster()->conninfo($proof->{database}), 'tables', '--json');
    return Disclosed::Kill::count_faults({ cluster => cluster(), datasets => Disclosed::JSON->new->utf8->decode($out)->{datasets} }, $proof->{database});
}

# Archives that are noted as stored without a run that has stored something of them, or the other way.
sub false_notes
{
    my ($proof) = @_;
    return $proof->value(q{SELECT count(*) FROM followed_document d WHERE (d.state = 'stored') AND d.source NOT IN ('sec-submissions', 'sec-companyfacts')
        AND NOT EXISTS (SELECT FROM import_run r WHERE r.import_run_id = d.import_run_id AND r.status = 'done' AND r.stored > 0)});
}

sub is_completed
{
    my ($proof, $name) = @_;
    my ($code, $out, $err) = $proof->run;
    is($code, 0, "$name: the next run stores all") or diag $out, $err;
    same_json([$proof->plain_faults(@sets)], [], '... as a plain import does');
    same_json([$proof->twice], [], '... nothing twice');
    same_json([$proof->downloads], [], '... and nothing is left on the disk');
}

# ---- PostgreSQL's disk

# How much more a run takes there, with what is written ahead.
my $growth;
{
    my $proof = Disclosed::BootstrapProof->new(files => \@sets);
    my $size = $proof->value("SELECT pg_database_size('$proof->{database}')");
    my ($code, $out, $err) = $proof->run;
    is($code, 0, 'a run on a disk with room') or diag $out, $err;
    $growth = ($proof->value("SELECT pg_database_size('$proof->{database}')") - $size) / 1024;
    cluster()->drop_database($proof->{database});
}

for my $share (0.02, 0.2, 0.4, 0.6) {
    my $left = int $growth * $share;
    has_room($disk);
    my $proof = Disclosed::BootstrapProof->new(files => \@sets);
    $proof->{is_patient} = 1; # what is noted would not be, either
    cluster()->execute('postgres', 'CHECKPOINT');
    resize($disk, used($disk) + $left);
    my ($code, $out, $err) = $proof->finish($proof->begin, 120);
    has_room($disk);
    ok(wait_until(60 * patience(), sub { eval { $proof->value('SELECT 1') } }), "PostgreSQL's disk has $left kB: PostgreSQL is there");
    like($code, qr/^[13]\z/, '... it is not complete') or diag $out, $err;
    like($err, qr/No space left on device|wrote only \d+ of \d+ bytes|FATAL:  could not|server closed the connection|the database system is (?:in recovery|shutting down)/, '... and it is told why') or diag $out, $err;
    is($proof->value(q{SELECT string_agg(DISTINCT failure_kind, ' ') FROM followed_document WHERE failure IS NOT NULL}), 'disk', '... and noted as such') if $code == 1;
    note "code $code: ", $err =~ s/\n.*//sr;
    same_json([count_faults($proof)], [], '... counts are those of the rows');
    is(false_notes($proof), 0, '... nothing is noted that is not stored');
    is_completed($proof, '... when there is room');
    same_json([grep { scalar $proof->requests($_) != 1 } @paths], [], '... each archive was asked for once') if $code == 1;
    cluster()->drop_database($proof->{database});
}

# An archive that cannot be stored for that is counted and shown as what it is.
{
    my $proof = Disclosed::BootstrapProof->new(files => \@sets);
    $proof->execute("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END \$\$;
        CREATE TRIGGER full_disk BEFORE INSERT ON disclosed.source EXECUTE FUNCTION full_disk()");
    my ($code, $out, $err) = $proof->run('--source', 'sec-13f');
    is($code, 1, 'PostgreSQL has no room for a data set');
    like($err, qr/^sec-13f: \S+: disk: \S+: ERROR:  could not extend file: No space left on device/m, '... which is told as such');
    is($proof->value(q{SELECT string_agg(DISTINCT failure_kind, ' ') FROM followed_document WHERE failure IS NOT NULL}), 'disk', '... and noted');
    is($proof->value(q{SELECT string_agg(DISTINCT kind, ' ') FROM followed_failure WHERE source = 'sec-13f'}), 'disk', '... and counted');
}

# ---- the disk of downloads

my ($largest) = sort { $b <=> $a } map { -s $_->[2] } @sets;
my $proof = Disclosed::BootstrapProof->new(files => \@sets);
$proof->{folder} = "$small/downloads";
resize($small, int($largest / 1024) + 200);
# Imports wait, so that what has come stays.
my $held = cluster()->hold($proof->{database}, 'LOCK TABLE disclosed.import_run');
my $running = $proof->begin;
ok(wait_until(60 * patience(), sub { $proof->hasten; $proof->value(q{SELECT count(*) FROM followed_document WHERE failure_kind = 'disk'}) }), 'the disk of downloads is full while imports are under way');
cluster()->release($held);
my ($code, $out, $err) = $proof->finish($running, 180);
like($err, qr/: disk: the body cannot be written: no room on the disk/, '... which is told');
is($code, 0, '... and the run goes on when imports have made room') or diag $out, $err;
same_json([$proof->plain_faults(@sets)], [], '... to what a plain import stores');
same_json([$proof->downloads], [], '... with nothing left');

# Full from the beginning, by what others have there.
$proof = Disclosed::BootstrapProof->new(files => \@sets);
$proof->{folder} = "$small/more";
mkdir $proof->{folder}, 0700 or die "$proof->{folder}: $!";
{
    open my $file, '>', "$small/others" or die "$small/others: $!";
    1 while syswrite $file, 'x' x 4096;
    close $file;
}
($code, $out, $err) = $proof->run('--source', 'sec-companyfacts');
is($code, 1, 'no byte can be written');
like($err, qr/: disk: .*(?:No space left on device|no room on the disk)/, '... which is told with its reason') or diag $err;
is($proof->value(q{SELECT count(*) FROM import_run}), 0, '... nothing is given to an importer');
unlink "$small/others";
is_completed($proof, '... when there is room');

cluster()->stop;
run('umount', '--lazy', $_) for $disk, $small;
finish();

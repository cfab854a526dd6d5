package Bench::Database;

# A private PostgreSQL cluster with the demo universe, on a unix socket alone.

use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use JSON::PP ();

use Bench::Process qw(run_program start_program wait_until say_progress);

my @ROLES = qw(postgres disclosed_owner disclosed_api disclosed_loader);

# The same for all servers under test. What keeps data safe in a power failure is switched off:
# loading is quicker by it, and reading is not measured by it.
my @SETTINGS = (
    "listen_addresses = ''", 'max_connections = 100', 'shared_buffers = 512MB',
    'effective_cache_size = 2GB', 'maintenance_work_mem = 256MB', 'max_wal_size = 4GB',
    'fsync = off', 'synchronous_commit = off', 'full_page_writes = off', 'jit = off', 'log_min_messages = warning',
);

# build: a Bench::Build; root: directory of the cluster (kept or not); work: for logs and sockets;
# companies, rows, positions (as many as the demo makes by itself, where it is not given): size of the universe.
sub new
{
    my ($class, %self) = @_;
    my $self = bless {%self}, $class;
    $self->{user} = $> == 0 ? 'postgres' : undef;
    $self->{pgbin} = $self->{build}{DISCLOSED_PGBIN};
    $self->{cluster} = "$self->{root}/cluster";
    $self->{socket} = "$self->{work}/socket";
    $self->{log} = "$self->{work}/postgres.log";
    return $self;
}

sub start
{
    my ($self) = @_;
    make_path($self->{socket});
    open(my $log, '>>', $self->{log}) or die "$self->{log}: $!\n";
    $self->give_to_user($self->{socket}, $self->{log});
    my $stamp = $self->stamp;
    if ($self->kept_stamp ne $stamp) {
        $self->create;
        $self->launch;
        $self->fill;
        $self->write_stamp($stamp);
    } else {
        say_progress("using the data kept in $self->{root}");
        $self->launch;
    }
    return;
}

sub conninfo
{
    my ($self, $role, $database) = @_;
    return "host=$self->{socket} dbname=" . ($database // 'disclosed') . " user=$role";
}

# libpq's variables for a role, as the drivers of all languages read them.
sub environment
{
    my ($self, $role) = @_;
    return {PGHOST => $self->{socket}, PGDATABASE => 'disclosed', PGUSER => $role, PGTZ => 'UTC'};
}

sub give_to_user
{
    my ($self, @paths) = @_;
    return if !$self->{user};
    my (undef, undef, $uid, $gid) = getpwnam($self->{user}) or die "there is no user postgres\n";
    chown($uid, $gid, $_) or die "chown $_: $!\n" for @paths;
    return;
}

# What the kept data must have been made from.
sub stamp
{
    my ($self) = @_;
    my @migrations = map { join ' ', (split m{/})[-1], (stat $_)[7] }
        sort glob "$self->{build}{sql}/*.sql";
    return join "\n", "companies $self->{companies}", "rows $self->{rows}",
        $self->{positions} ? "positions $self->{positions}" : (),
        "programs $self->{pgbin}", @migrations, '';
}

sub kept_stamp
{
    my ($self) = @_;
    open(my $file, '<', "$self->{root}/stamp") or return '';
    local $/;
    return scalar <$file> // '';
}

sub write_stamp
{
    my ($self, $stamp) = @_;
    open(my $file, '>', "$self->{root}/stamp") or die "$self->{root}/stamp: $!\n";
    print {$file} $stamp;
    close($file) or die "$self->{root}/stamp: $!\n";
    return;
}

sub create
{
    my ($self) = @_;
    my $cluster = $self->{cluster};
    unlink "$self->{root}/stamp";
    remove_tree($cluster);
    make_path($cluster);
    $self->give_to_user($cluster);
    run_program('initdb', {user => $self->{user}, log => $self->{log}}, "$self->{pgbin}/initdb",
        '-D', $cluster, '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'peer', '-N');
    append("$cluster/postgresql.conf", @SETTINGS);
    append("$cluster/pg_ident.conf", map { my $user = $_; map { "bench $user $_" } @ROLES }
        grep { defined getpwnam($_) } 'root', 'postgres', 'www-data', (getpwuid($>))[0]);
    overwrite("$cluster/pg_hba.conf", 'local all all peer map=bench');
    return;
}

sub append    { return write_lines('>>', @_) }
sub overwrite { return write_lines('>', @_) }

sub write_lines
{
    my ($mode, $path, @lines) = @_;
    open(my $file, $mode, $path) or die "$path: $!\n";
    print {$file} "$_\n" for @lines;
    close($file) or die "$path: $!\n";
    return;
}

sub launch
{
    my ($self) = @_;
    my $pid = start_program('postgres', {user => $self->{user}, log => $self->{log}},
        "$self->{pgbin}/postgres", '-D', $self->{cluster}, '-k', $self->{socket});
    $self->{pid} = $pid;
    wait_until('postgres', $pid, $self->{log}, sub {
        return system("$self->{pgbin}/pg_isready -q -h '$self->{socket}' -d postgres") == 0;
    });
    return;
}

sub psql
{
    my ($self, $role, $database, @arguments) = @_;
    return run_program('psql', {log => $self->{log}, capture => 1, seconds => 900,
        env => {%{$self->environment($role)}, PGDATABASE => $database}},
        "$self->{pgbin}/psql", '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', @arguments);
}

sub fill
{
    my ($self) = @_;
    say_progress("loading $self->{companies} companies and $self->{rows} insider rows");
    $self->psql('postgres', 'postgres', '-f', "$self->{build}{sql}/roles.sql");
    $self->make_empty('disclosed');
    $self->control('disclosed_loader', 'demo', '--companies', $self->{companies},
        '--insider-rows', $self->{rows}, $self->{positions} ? ('--positions', $self->{positions}) : ());
    # From here on it would only disturb what is measured.
    $self->psql('postgres', 'disclosed', '-c', 'ALTER SYSTEM SET autovacuum = off', '-c', 'SELECT pg_reload_conf()',
        '-c', 'VACUUM (FREEZE, ANALYZE)', '-c', 'CHECKPOINT');
    return;
}

# A database with the schema and nothing in it, in place of the one of that name.
sub make_empty
{
    my ($self, $name) = @_;
    $self->psql('postgres', 'postgres', '-c', "DROP DATABASE IF EXISTS $name WITH (FORCE)",
        '-c', "CREATE DATABASE $name OWNER disclosed_owner TEMPLATE template0 ENCODING 'UTF8'");
    run_program('disclosedctl migrate', {log => "$self->{work}/disclosedctl.log", seconds => 120,
        env => $self->{build}->control_environment($self->conninfo('disclosed_owner', $name))},
        $self->{build}{DISCLOSED_CTL}, 'migrate');
    return;
}

# A copy of a database that nobody is connected to, in place of the one of that name.
sub copy_database
{
    my ($self, $template, $name) = @_;
    $self->drop($name);
    $self->psql('postgres', 'postgres', '-c', "CREATE DATABASE $name OWNER disclosed_owner TEMPLATE $template STRATEGY file_copy");
    return;
}

sub drop
{
    my ($self, $name) = @_;
    $self->psql('postgres', 'postgres', '-c', "DROP DATABASE IF EXISTS $name WITH (FORCE)");
    return;
}

# How many the demo made: about as many as it was asked for.
sub insider_rows
{
    my ($self) = @_;
    return $self->psql('postgres', 'disclosed',
        '-c', 'SELECT count(*) FROM disclosed.insider_transaction WHERE superseded_at IS NULL') + 0;
}

# A key that nothing holds back.
sub create_key
{
    my ($self) = @_;
    my $created = $self->control('disclosed_owner', 'key', 'create', '--plan', 'enterprise',
        '--kind', 'live', '--owner', 'bench', '--json');
    return JSON::PP::decode_json($created)->{key} // die "disclosedctl key create named no key\n";
}

# disclosedctl on this database; returns its output.
sub control
{
    my ($self, $role, @arguments) = @_;
    return run_program("disclosedctl $arguments[0]", {
        log => "$self->{work}/disclosedctl.log", capture => 1, seconds => 7200,
        env => $self->{build}->control_environment($self->conninfo($role)),
    }, $self->{build}{DISCLOSED_CTL}, @arguments);
}

1;

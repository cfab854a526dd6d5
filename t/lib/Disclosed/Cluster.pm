package Disclosed::Cluster;

# A private PostgreSQL cluster: a unix socket in its own folder, no network, nothing durable. As
# root it runs as user postgres, since PostgreSQL refuses root. Its files are in memory where that has
# room: each load makes and drops files of temporary tables, which a disk's file system takes a third of a suite's time for.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(children_of run run_as slurp slurp_if_there wait_until);
use Disclosed::Session;
use Disclosed::JSON ();
use POSIX ();

my $holds = 0;
my $memory = '/dev/shm';
my $needed = 8 * 1024 * 1024;    # kB: a run's databases are half of it
my $user = $> == 0 ? 'postgres' : getpwuid $>;

# Makes the cluster in a folder that does not exist yet, and starts it. Options: files (an empty folder for its data), initdb
# (further arguments), settings (lines that hold instead of those below).
sub create
{
    my ($class, $directory, %option) = @_;
    my $self = $class->attach($directory);
    make_folder($directory);
    if ($option{files} || has_memory()) {
        my $files = $option{files} // "$memory/" . $directory =~ s{^/}{}r =~ tr{/}{-}r;
        make_folder($files) if !$option{files};
        symlink $files, "$directory/data" or die "$directory/data: $!";
    }
    $self->program('initdb', '-D', "$directory/data", '-A', 'trust', '-U', 'postgres', '-N',
        '--encoding=UTF8', '--locale=C.UTF-8', ($option{initdb} // [])->@*);
    open my $settings, '>>', "$directory/data/postgresql.conf" or die "$directory: $!";
    print $settings <<"END";
listen_addresses = ''
unix_socket_directories = '$directory'
fsync = off
synchronous_commit = off
full_page_writes = off
log_line_prefix = '%m [%p] database=%d '
jit = off
autovacuum = off
wal_level = minimal
max_wal_senders = 0
shared_buffers = 256MB
max_connections = 200
max_wal_size = 512MB
END
    print $settings $option{settings} // '';
    close $settings;
    $self->start;
    $self->execute_apart('postgres', slurp(build('SRCDIR') . '/sql/roles.sql'));
    return $self;
}

# A streaming replica of a cluster that runs, in a folder that does not exist yet; it is made by pg_basebackup and started. The cluster has
# `wal_level = replica` and `max_wal_senders` above 0.
sub create_replica
{
    my ($class, $directory, $primary, %option) = @_;
    my $self = $class->attach($directory);
    make_folder($directory);
    make_folder("$directory/data");
    run('chmod', '0700', "$directory/data");
    $self->program('pg_basebackup', '-D', "$directory/data", '-d', $primary->conninfo('postgres', 'postgres'), '-X', 'stream', '-c', 'fast', '-R', '-N');
    open my $settings, '>>', "$directory/data/postgresql.conf" or die "$directory: $!";
    print $settings "unix_socket_directories = '$directory'\nhot_standby = on\nshared_buffers = 32MB\n", $option{settings} // '';
    close $settings;
    $self->start;
    return $self;
}

# A folder of the user that PostgreSQL runs as.
sub make_folder
{
    my ($path) = @_;
    mkdir $path, 0755 or die "$path: $!";
    return if $> != 0;
    my ($uid, $gid) = (getpwnam $user)[2, 3];
    chown $uid, $gid, $path;
}

# Whether the databases of a whole run fit into memory.
sub has_memory
{
    my ($available) = slurp_if_there('/proc/meminfo') =~ /^MemAvailable:\s+(\d+) kB/m;
    my (undef, $out) = run('df', '-Pk', $memory);
    my ($free) = $out =~ /^tmpfs\s+\d+\s+\d+\s+(\d+)/m;
    return -w $memory && ($free // 0) > $needed && ($available // 0) > $needed;
}

# Removes what it has in memory; it is stopped.
sub clear_away
{
    my ($self) = @_;
    my $data = "$self->{directory}/data";
    run('rm', '-rf', readlink $data) if -l $data;
}

# One that exists.
sub attach
{
    my ($class, $directory) = @_;
    return bless { directory => $directory }, $class;
}

sub program
{
    my ($self, $name, @arguments) = @_;
    my ($code, $out, $err) = run_as($user, build('PGBIN') . "/$name", @arguments);
    die "$name failed ($code): $out$err\n" if $code != 0;
    return $out;
}

sub start
{
    my ($self) = @_;
    my $directory = $self->{directory};
    $self->program('pg_ctl', '-D', "$directory/data", '-l', "$directory/log", '-w', '-s', 'start');
}

# Modes as pg_ctl has them: smart, fast, immediate.
sub stop
{
    my ($self, $mode) = @_;
    $self->forget_sessions;
    $self->thaw if $self->{frozen};
    $self->program('pg_ctl', '-D', "$self->{directory}/data", '-w', '-s', '-m', $mode // 'immediate',
        'stop');
}

# All its processes stand still: it takes connections, and answers nothing.
sub freeze
{
    my ($self) = @_;
    my ($postmaster) = slurp("$self->{directory}/data/postmaster.pid") =~ /^(\d+)/;
    $self->{frozen} = [$postmaster, children_of($postmaster)];
    kill 'STOP', $self->{frozen}->@*;
}

sub thaw { my ($self) = @_; kill 'CONT', (delete $self->{frozen})->@* }

sub is_running
{
    my ($self) = @_;
    my ($code) = run_as($user, build('PGBIN') . '/pg_ctl', '-D', "$self->{directory}/data", 'status');
    return $code == 0;
}

sub conninfo
{
    my ($self, $database, $role) = @_;
    return "host=$self->{directory} dbname=$database user=" . ($role // 'disclosed_owner');
}

# Whether sessions are kept for the next SQL, by database: not in a suite that counts sessions or needs new ones.
our $keeps_sessions = 1;
my $kept_at_most = 6;
my %sessions;
my $uses = 0;

# A process that has been forked has sessions of its own.
sub session
{
    my ($self, $database) = @_;
    my $kept = $sessions{$$}{ $self->{directory} } //= {};
    my $session = $kept->{$database};
    if (!$session || !$session->is_open) {
        my @oldest = sort { $kept->{$a}{used} <=> $kept->{$b}{used} } keys %$kept;
        $self->forget_sessions($oldest[0]) if @oldest >= $kept_at_most;
        $session = $kept->{$database} = Disclosed::Session->new($self->conninfo($database, 'postgres'));
    }
    $session->{used} = ++$uses;
    return $session;
}

sub forget_sessions
{
    my ($self, @databases) = @_;
    my $kept = $sessions{$$}{ $self->{directory} } // {};
    $_->close for grep { $_ } delete @$kept{ @databases ? @databases : keys %$kept };
}

# Runs SQL as the superuser; dies when it fails. Returns what psql printed, unaligned.
sub execute
{
    my ($self, $database, $sql) = @_;
    my $out = $keeps_sessions ? $self->session($database)->ask($sql) : $self->execute_apart($database, $sql);
    chomp $out;
    return $out;
}

# The same by a session of its own.
sub execute_apart
{
    my ($self, $database, $sql) = @_;
    my ($code, $out, $err) = run({ stdin => $sql }, build('PGBIN') . '/psql', '-XAtq', '-v',
        'ON_ERROR_STOP=1', '-d', $self->conninfo($database, 'postgres'));
    die "psql ($code): $err\nin: " . substr($sql, 0, 400) . "\n" if $code != 0;
    return $out;
}

# The rows of a query, as hashes; numbers as PostgreSQL prints them.
sub rows
{
    my ($self, $database, $sql) = @_;
    my $json = $self->execute($database,
        "SET search_path = disclosed, public; SET TimeZone = 'UTC';"
            . " SELECT coalesce(json_agg(row_to_json(r)), '[]') FROM ($sql) r");
    return Disclosed::JSON->new->utf8->decode($json)->@*;
}

# The first column of the first row.
sub value
{
    my ($self, $database, $sql) = @_;
    return $self->execute($database,
        "SET search_path = disclosed, public; SET TimeZone = 'UTC'; $sql");
}

# Whether replicas of this cluster replay, within so many seconds, all that was committed. The place is that of a record of its own: between
# records, pg_current_wal_insert_lsn() may be past a page's header, where no replica comes before the next record.
sub is_replayed_by
{
    my ($self, $seconds, @replicas) = @_;
    my $written = $self->value('postgres', q{SELECT pg_logical_emit_message(true, 'written', '')});
    return wait_until($seconds, sub { !grep { $_->value('postgres', "SELECT pg_last_wal_replay_lsn() < '$written'") eq 't' } @replicas });
}

# Runs SQL in a transaction of a session of its own, which stays open until release().
sub hold
{
    my ($self, $database, $sql) = @_;
    my $name = join '_', 'hold', $$, ++$holds, time;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        my @command = (build('PGBIN') . '/psql', '-Xq', '-d', $self->conninfo($database, 'postgres')
                . " application_name=$name", '-c', "BEGIN; $sql; SELECT pg_sleep(120)");
        { no warnings; exec { $command[0] } @command; }
        POSIX::_exit(127);
    }
    wait_until(10, sub {
        $self->value('postgres', "SELECT count(*) FROM pg_stat_activity WHERE application_name = '$name' AND query ~ 'pg_sleep' AND wait_event = 'PgSleep'");
    }) or die "the session does not hold: $sql";
    return { name => $name, pid => $pid };
}

sub release
{
    my ($self, $held) = @_;
    $self->value('postgres', "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '$held->{name}'");
    waitpid $held->{pid}, 0;
}

sub create_database
{
    my ($self, $name, $template) = @_;
    $template //= 'template0';
    $self->forget_sessions($template);
    $self->execute('postgres',
        "CREATE DATABASE $name OWNER disclosed_owner TEMPLATE $template STRATEGY file_copy");
}

sub drop_database
{
    my ($self, $name) = @_;
    $self->forget_sessions($name);
    $self->execute('postgres', "DROP DATABASE IF EXISTS $name WITH (FORCE)");
}

1;

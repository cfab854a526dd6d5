package Disclosed::Failover;

# A database that pg_auto_failover keeps: a monitor and two nodes on loopback. It is what a Disclosed::Cluster is, and always the node that
# writes: connection strings name both, with target_session_attrs=read-write.

use v5.24;
use warnings;
use parent 'Disclosed::Cluster';
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Process qw(children_of is_alive run slurp slurp_if_there wait_until);
use Disclosed::Shared qw(fresh register_process workspace);
use Disclosed::Site;
use POSIX ();

my $user = $> == 0 ? 'postgres' : getpwuid $>;

# With these of the guide the monitor finds out within seconds, so that the proof takes minutes.
my $impatient = Disclosed::Guides->new(build('SRCDIR') . '/t/proofs/failover')->text(qr/^pgautofailover/) . "\n";

# Why there can be none, or nothing.
sub why_none
{
    return 'pg_autoctl is missing (Debian package: pg-auto-failover-cli)' if !-x '/usr/bin/pg_autoctl';
    my (undef, $directory) = run(build('PGBIN') . '/pg_config', '--pkglibdir');
    chomp $directory;
    return -e "$directory/pgautofailover.so" ? undef : 'the extension pgautofailover is missing (Debian package: postgresql-15-auto-failover)';
}

# `as_installed`: the monitor is left as its package makes it, and takes some 50 seconds.
sub create
{
    my ($class, %option) = @_;
    my $directory = workspace() . '/' . fresh('failover');
    my $self = bless { directory => $directory, of => {} }, $class;
    Disclosed::Cluster::make_folder($directory);
    Disclosed::Cluster::make_folder("$directory/run");
    for my $name (qw(monitor one two)) {
        $self->{of}{$name}{port} = Disclosed::Site::free_port();
        $self->{of}{$name}{url} = "host=127.0.0.1 port=$self->{of}{$name}{port}";
    }
    $self->autoctl('create', 'monitor', '--pgdata', "$directory/monitor", '--pgport', $self->{of}{monitor}{port}, '--hostname', '127.0.0.1', '--auth', 'trust', '--no-ssl');
    $self->append('monitor', 'postgresql.conf', ($option{as_installed} ? '' : $impatient) . "listen_addresses = '127.0.0.1'\n");
    $self->run_node('monitor');
    for my $name (qw(one two)) {
        wait_until(60, sub { eval { $self->autoctl('create', 'postgres', '--pgdata', "$directory/$name", '--pgport', $self->{of}{$name}{port}, '--listen', '127.0.0.1',
            '--hostname', '127.0.0.1', '--name', $name, '--auth', 'trust', '--no-ssl',
            '--monitor', "postgres://autoctl_node\@127.0.0.1:$self->{of}{monitor}{port}/pg_auto_failover?sslmode=disable"); 1 } }) or die $@;
        $self->append($name, 'postgresql.conf', "max_connections = 200\njit = off\n") if $name eq 'one'; # the other is made of it
        $self->run_node($name);
    }
    $self->wait_until_safe or die 'the two do not come together: ' . $self->states;
    return $self;
}

sub append
{
    my ($self, $name, $file, $text) = @_;
    open my $handle, '>>', "$self->{directory}/$name/$file" or die "$name/$file: $!";
    print $handle $text;
    close $handle or die "$name/$file: $!";
}

sub environment
{
    my ($self) = @_;
    return (HOME => $self->{directory}, map({ ("XDG_${_}_HOME" => "$self->{directory}/" . lc $_) } qw(CONFIG DATA)), XDG_RUNTIME_DIR => "$self->{directory}/run",
        PATH => build('PGBIN') . ':/usr/bin:/bin');
}

# The user's HOME is not asked for: run_as() would set it after us.
sub autoctl
{
    my ($self, @arguments) = @_;
    my %environment = $self->environment;
    my ($code, $out, $err) = run({ user => $user, directory => $self->{directory} }, '/usr/bin/env', (map { "$_=$environment{$_}" } sort keys %environment), 'pg_autoctl', @arguments);
    die "pg_autoctl @arguments: $err" if $code != 0;
    return $out;
}

# Starts a node that was stopped or killed, or was never there.
sub run_node
{
    my ($self, $name) = @_;
    my %environment = $self->environment;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        POSIX::setsid();
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', "$self->{directory}/$name.log";
        open STDERR, '>&', \*STDOUT;
        Disclosed::Process::become($user);
        @ENV{ keys %environment } = values %environment;
        { no warnings; exec 'pg_autoctl', 'run', '--pgdata', "$self->{directory}/$name"; }
        POSIX::_exit(127);
    }
    register_process($pid);
    $self->{of}{$name}{pid} = $pid;
}

sub descendants { my ($pid) = @_; return ($pid, map { descendants($_) } children_of($pid)) }

# All that runs of a node.
sub processes_of
{
    my ($self, $name) = @_;
    my ($postmaster) = slurp_if_there("$self->{directory}/$name/postmaster.pid") =~ /^(\d+)/;
    return (descendants($self->{of}{$name}{pid}), $postmaster && is_alive($postmaster) ? descendants($postmaster) : ());
}

# The machine is gone, all at once: whatever runs of the node is stopped, until it begins nothing else, and killed.
sub kill_node
{
    my ($self, $name) = @_;
    my (%gone, $before);
    do {
        $before = keys %gone;
        %gone = (%gone, map { ($_ => 1) } $self->processes_of($name));
        kill 'STOP', keys %gone;
    } while (keys %gone > $before);
    kill 'KILL', keys %gone;
    waitpid $self->{of}{$name}{pid}, 0;
    wait_until(10, sub { !grep { is_alive($_) } keys %gone }) or die "$name does not end";
}

sub stop
{
    my ($self) = @_;
    for my $name (qw(one two monitor)) {
        my $pid = delete $self->{of}{$name}{pid} or next;
        kill 'TERM', $pid;
        next if wait_until(20, sub { waitpid $pid, POSIX::WNOHANG(); !is_alive($pid) });
        $self->{of}{$name}{pid} = $pid;
        $self->kill_node($name);
    }
}

# --- asking ------------------------------------------------------------------------------------

sub servers
{
    my ($self) = @_;
    return 'host=127.0.0.1,127.0.0.1 port=' . join ',', map { $self->{of}{$_}{port} } qw(one two);
}

sub conninfo
{
    my ($self, $database, $role) = @_;
    return $self->servers . " target_session_attrs=read-write connect_timeout=3 dbname=$database user=" . ($role // 'disclosed_owner');
}

# Each of them, for reads.
sub read_conninfo { my ($self, $database) = @_; return $self->servers . " dbname=$database user=disclosed_api" }

sub ask_node
{
    my ($self, $name, $sql, $database) = @_;
    my ($code, $out, $err) = run(build('PGBIN') . '/psql', '-XAtq', '-d', "$self->{of}{$name}{url} dbname=" . ($database // 'postgres') . ' user=postgres connect_timeout=2', '-c', $sql);
    die $err if $code != 0;
    chomp $out;
    return $out;
}

# The node that writes; undef where none does.
sub writer
{
    my ($self) = @_;
    my ($name) = grep { (eval { $self->ask_node($_, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean") } // '') eq 'f' } qw(one two);
    return $name;
}

# What each is, and is to become: 'one primary primary, two secondary secondary'.
sub states
{
    my ($self) = @_;
    return eval { $self->ask_node('monitor', "SELECT string_agg(nodename || ' ' || reportedstate || ' ' || goalstate, ', ' ORDER BY nodename) FROM pgautofailover.node", 'pg_auto_failover') } // $@;
}

# Until what is committed is on both: one is primary, the other secondary, and the first waits for the second.
sub wait_until_safe
{
    my ($self) = @_;
    return wait_until(180, sub {
        my $writer = $self->writer or return 0;
        return $self->states =~ /^(?=.*\bprimary primary)(?=.*\bsecondary secondary)/
            && (eval { $self->ask_node($writer, "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming'") } // 0) == 1;
    });
}

1;

package Disclosed::Citus;

# A distributed PostgreSQL of the suite's own: a coordinator and two workers, private clusters with the extension Citus, which
# t/citus/build installs.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Cluster;
use Disclosed::Process qw(run);

my $settings = <<'END';
shared_preload_libraries = 'citus'
max_prepared_transactions = 100
shared_buffers = 128MB
citus.node_conninfo = 'sslmode=disable'
citus.enable_statistics_collection = off
citus.node_connection_timeout = 3000
END

# Why there is no Citus; undef: there is.
sub missing
{
    my ($code, $out, $err) = run(build('PGBIN') . '/pg_config', '--sharedir', '--pkglibdir');
    return "pg_config: $err" if $code != 0;
    my ($share, $libraries) = split /\n/, $out;
    return "$share/extension/citus.control is not there: t/citus/build makes it" if !-e "$share/extension/citus.control";
    return "$libraries/citus.so is not there: t/citus/build makes it" if !-e "$libraries/citus.so";
    return;
}

# Settings: lines that hold beside ours.
sub create_node
{
    my ($directory, $more) = @_;
    return Disclosed::Cluster->create($directory, settings => "${settings}citus.local_hostname = '$directory'\n" . ($more // ''));
}

# Makes the clusters in three folders that do not exist yet, the coordinator's first. Options in a leading hash: settings.
sub create
{
    my ($class, @directories) = @_;
    my %option = ref $directories[0] ? %{ shift @directories } : ();
    return bless { clusters => [map { create_node($_, $option{settings}) } @directories] }, $class;
}

# Those that exist.
sub attach
{
    my ($class, @directories) = @_;
    return bless { clusters => [map { Disclosed::Cluster->attach($_) } @directories] }, $class;
}

sub coordinator { return $_[0]{clusters}[0] }
sub workers     { my ($self) = @_; my (undef, @workers) = $self->{clusters}->@*; return @workers }

# A database on all three, empty or a copy of one that the coordinator has. Hosts: by which the workers are asked [as they are].
sub create_database
{
    my ($self, $name, $template, @hosts) = @_;
    $self->coordinator->create_database($name, $template);
    $self->join_nodes($name, @hosts);
}

# Gives a database of the coordinator's workers.
sub join_nodes
{
    my ($self, $name, @hosts) = @_;
    my $coordinator = $self->coordinator;
    $_->create_database($name) for $self->workers;
    $_->execute_apart($name, 'CREATE EXTENSION citus') for $self->{clusters}->@*;
    $coordinator->execute_apart($name, "SELECT citus_set_coordinator_host('$coordinator->{directory}', 5432)");
    $coordinator->execute_apart($name, "SELECT citus_add_node('$_', 5432)") for @hosts ? @hosts : map { $_->{directory} } $self->workers;
}

# What a database's tables and their shards differ in; '' where they say the same.
sub unlike_shards
{
    my ($self, $database) = @_;
    my $coordinator = $self->coordinator;
    my @unlike;
    for my $table (map { $_->{name} } $coordinator->rows($database, 'SELECT name FROM distributed_table ORDER BY name')) {
        my ($here, $there) = map { $coordinator->value($database, "SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM $_.$table t") }
            qw(disclosed disclosed_shards);
        push @unlike, "$table: $here, $there" if $here ne $there;
    }
    return join "\n", @unlike;
}

# Drops a database of all nodes.
sub drop_database { my ($self, $name) = @_; $_->drop_database($name) for $self->{clusters}->@* }

# One worker more, for one database: a cluster of its own in that folder, which does not exist yet. Returns it.
sub add_worker
{
    my ($self, $name, $directory) = @_;
    my $worker = create_node($directory);
    push $self->{clusters}->@*, $worker;
    $worker->create_database($name);
    $worker->execute_apart($name, 'CREATE EXTENSION citus');
    $self->coordinator->execute_apart($name, "SELECT citus_add_node('$directory', 5432)");
    return $worker;
}

1;

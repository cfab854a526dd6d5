package Disclosed::Shared;

# What the suites of one run share: a PostgreSQL cluster with template databases, made by whoever
# comes first. A keeper process watches the runner (what DISCLOSED_RUNNER names, else prove, or the suite itself
# when it runs alone) and clears everything away when that has ended, however it ended.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Citus;
use Disclosed::Cluster;
use Disclosed::Memory qw(checked memory_reports);
use Disclosed::Process qw(run slurp_if_there wait_until stop_process identity);
use Exporter qw(import);
use Fcntl qw(:flock);
use POSIX ();
use Time::HiRes qw(sleep);

our @EXPORT_OK = qw(workspace fresh cluster own_cluster use_cluster own_replica database register_process control);

# The runner, by what no other process has: ids come again.
my $owner = identity($ENV{DISCLOSED_RUNNER} || ($ENV{HARNESS_ACTIVE} ? getppid : $$))
    or die "DISCLOSED_RUNNER: there is no such process\n";
# Short, as a unix socket's path has at most 107 bytes, and open to the user postgres.
my $directory = "/tmp/disclosed-t-$owner";
my $cluster;
# What this suite has made, to be removed at its end: a run's databases together take more memory than a machine has.
my $suite = $$;
my (@databases, @clusters);    # names of databases in the shared cluster; clusters of its own
my $of_templates = 'template'; # what names of notes about templates begin with
# DISCLOSED_CITUS_SUITES=1: suites run on Citus, each database spread over two workers.
my $on_citus = $ENV{DISCLOSED_CITUS_SUITES};
my @nodes = map { "$directory/$_" } qw(pg own_worker_1 own_worker_2);

# The folder of this run.
sub workspace
{
    my $ready = "$directory/ready";
    return $directory if $cluster;
    if (mkdir $directory, 0755) {
        start_keeper();
    }
    wait_until(120, sub { -e $ready || -e "$directory/failed" });
    die "no PostgreSQL for the tests: ", slurp_if_there("$directory/failed") || "none is ready in $directory", "\n"
        if !-e $ready;
    $cluster = Disclosed::Cluster->attach("$directory/pg");
    return $directory;
}

sub write_file
{
    my ($path, $text) = @_;
    open my $file, '>', "$path.new" or die "$path: $!";
    print $file $text;
    close $file;
    rename "$path.new", $path or die "$path: $!";
}

sub start_keeper
{
    my $pid = fork() // die "fork: $!";
    if ($pid > 0) {
        waitpid $pid, 0;
        return;
    }
    POSIX::setsid();
    POSIX::_exit(0) if fork();
    # prove waits until nobody holds its pipes.
    open STDIN,  '<',  '/dev/null';
    open STDOUT, '>>', "$directory/keeper.log";
    open STDERR, '>&', \*STDOUT;
    POSIX::close($_) for 3 .. 63;
    $SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE);
    my $kept = eval { $on_citus ? Disclosed::Citus->create(@nodes) : Disclosed::Cluster->create("$directory/pg") };
    write_file("$directory/failed", $@) if !$kept;
    write_file("$directory/ready", "$$\n") if $kept;
    sleep 0.2 while is_owner_alive();
    clear_away();
    POSIX::_exit(0);
}

sub is_owner_alive { return identity($owner =~ s/-.*//r) eq $owner }

sub clear_away
{
    for my $process (split /\n/, slurp_if_there("$directory/processes")) {
        my ($pid) = $process =~ /^(\d+)/;
        stop_process($pid, 'TERM', 5) if identity($pid) eq $process;
    }
    my @clusters = map { Disclosed::Cluster->attach($_) } grep { -d "$_/data" } "$directory/pg", glob "$directory/own*";
    eval { $_->stop } for @clusters;
    return if $ENV{DISCLOSED_KEEP};
    $_->clear_away for @clusters;
    run('rm', '-rf', $directory);
}

# Tells the keeper of a process that has to end with the run.
sub register_process
{
    my ($pid) = @_;
    open my $list, '>>', workspace() . '/processes' or die "processes: $!";
    flock $list, LOCK_EX;
    print $list identity($pid), "\n";
    close $list;
}

# A name that nobody else in this run has, for a database, a file or a folder: suites run side by side, and process ids
# come again in one run.
sub fresh
{
    my ($kind) = @_;
    open my $numbers, '>>', workspace() . '/numbers' or die "numbers: $!";
    flock $numbers, LOCK_EX;
    syswrite $numbers, '.' or die "numbers: $!";
    return "${kind}_" . -s $numbers;
}

sub cluster
{
    workspace();
    return $cluster;
}

# A cluster of the suite's own, for one that stops it or changes what holds for all databases.
sub own_cluster
{
    push @clusters, my $own = Disclosed::Cluster->create(workspace() . '/' . fresh('own'), @_);
    return $own;
}

# From now on it is the cluster of this suite: for those that work on the shared one otherwise.
sub use_cluster
{
    my ($own) = @_;
    workspace();
    $cluster = $own;
    $of_templates = 'own-template-' . $own->{directory} =~ s{.*/}{}r;
}

# A streaming replica of it.
sub own_replica
{
    push @clusters, my $own = Disclosed::Cluster->create_replica(workspace() . '/' . fresh('own'), @_);
    return $own;
}

# Runs disclosedctl on a database: (exit code, standard output, standard error). Dies when the memory
# checker has found something, as a suite that expects a failure would not tell that from its own.
sub control
{
    my ($conninfo, @arguments) = @_;
    my $reports = workspace() . '/' . fresh('memory');
    my ($environment, @command) = checked($reports, build('CTL'), '--database', $conninfo, @arguments);
    my @answer = run({ env => { %$environment, DISCLOSED_SQL_DIR => build('SRCDIR') . '/sql' } }, @command);
    my @faults = memory_reports($reports);
    die "disclosedctl @arguments: memory: @faults" if @faults;
    return @answer;
}

my %template_steps = (
    empty => [['migrate']],
    demo  => [['migrate'], ['demo']],
);

# Makes a template once in a run; the others wait for it.
sub template
{
    my ($name) = @_;
    my $made = workspace() . "/$of_templates-$name";
    return if -e $made;
    open my $lock, '>>', "$made.lock" or die "$made.lock: $!";
    flock $lock, LOCK_EX;
    return if -e $made;
    $cluster->drop_database("template_$name");
    $cluster->create_database("template_$name");
    for my $step ($template_steps{$name}->@*) {
        my ($code, $out, $err) = control($cluster->conninfo("template_$name"), @$step);
        die "disclosedctl @$step failed ($code): $out$err\n" if $code != 0;
    }
    $cluster->execute_apart("template_$name", 'VACUUM ANALYZE'); # nobody may be connected when it is copied
    write_file($made, "made\n");
}

sub spread
{
    my ($name) = @_;
    Disclosed::Citus->attach(@nodes)->join_nodes($name);
    my ($code, $out, $err) = control($cluster->conninfo($name), 'distribute', '--apply');
    die "disclosedctl distribute failed ($code): $out$err\n" if $code != 0;
}

# A database of the suite's own, copied from the template of that name: its name.
sub database
{
    my ($template) = @_;
    die "no template $template" unless $template_steps{$template};
    template($template);
    my $name = fresh('test');
    # Only one copy at a time of a template can be made.
    open my $lock, '>>', "$directory/$of_templates-$template.lock" or die "lock: $!";
    flock $lock, LOCK_EX;
    $cluster->create_database($name, "template_$template");
    close $lock;
    push @databases, $name if !grep { $_ == $cluster } @clusters;
    spread($name) if $on_citus;
    return $name;
}

# Sites have been stopped before, by an END of their own. What fails here the keeper does.
END {
    my $status = $?;
    local $@;
    if ($$ == $suite && !$ENV{DISCLOSED_KEEP}) {
        for my $own (reverse @clusters) {
            eval { $own->stop if $own->is_running; $own->clear_away };
        }
        my $shared = $on_citus ? Disclosed::Citus->attach(@nodes) : Disclosed::Cluster->attach("$directory/pg");
        for my $name (@databases) {
            eval { $shared->drop_database($name) };
        }
    }
    $? = $status;
}

1;

package Disclosed::Kill;

# The kill proof: at any instant of a load the loader, its backend or all of PostgreSQL is killed, or the disk is full. Files are then
# stored whole or not at all, those that were reported as stored are, counts agree, and the same commands complete the load to what
# an undisturbed one stores.

use v5.24;
use warnings;
use Digest::MD5 qw(md5_hex);
use Disclosed::Build qw(build);
use Disclosed::MadeFiles qw(made_filing_lines made_insider_lines made_short_interest made_submissions made_ownership made_funds made_13f_set
    made_13f_reports made_insider_set made_fund_set made_senate made_house);
use Disclosed::Memory qw(patience);
use Disclosed::Order qw(number_below runs_of versions);
use Disclosed::Process qw(is_alive run slurp slurp_if_there wait_until);
use Disclosed::Shared qw(control fresh own_cluster register_process workspace);
use Exporter qw(import);
use File::Path qw(make_path);
use Disclosed::JSON ();
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(begin_with_own_mounts made_load);

my $LARGE = 4096; # MB, of a disk with room

# What is written has to be there after a crash, and soon on the disk, not in shared memory.
our $SETTINGS = <<'END';
fsync = on
synchronous_commit = on
full_page_writes = on
shared_buffers = 16MB
min_wal_size = 2MB
max_wal_size = 32MB
END

# ------------------------------------------------------------------------------------------- disk

# Begins the program anew where mounts are its own and go with it, however it ends. Does nothing where that is not allowed: there is
# no disk to fill then.
sub begin_with_own_mounts
{
    return if $ENV{DISCLOSED_OWN_MOUNTS} || (run('unshare', '--mount', 'true'))[0] != 0;
    $ENV{DISCLOSED_OWN_MOUNTS} = 1;
    exec 'unshare', '--mount', $^X, $0, @ARGV or die "unshare: $!";
}

# A disk of memory whose size can be changed: where it is mounted, or nothing.
sub mount_disk
{
    return if !$ENV{DISCLOSED_OWN_MOUNTS};
    my $folder = workspace() . '/' . fresh('disk');
    mkdir $folder, 0755 or die "$folder: $!";
    return (run('mount', '-t', 'tmpfs', '-o', "size=${LARGE}m,mode=0755", 'none', $folder))[0] == 0 ? $folder : undef;
}

sub resize_disk
{
    my ($self, $kilobytes) = @_;
    my ($code, undef, $err) = run('mount', '-o', "remount,size=${kilobytes}k", $self->{disk});
    die "remount $self->{disk}: $err" if $code != 0;
}

sub disk_used
{
    my ($self) = @_;
    my (undef, $out) = run('df', '-Pk', $self->{disk});
    return ($out =~ /^none\s+\d+\s+(\d+)/m)[0] // die "df: $out";
}

# ------------------------------------------------------------------------------------------ files

# A load of most formats, files of one transaction each: `size` (0.5, 1, 2, ...) times as much as takes two seconds or three.
sub made_load
{
    my ($folder, $size) = @_;
    make_path(map { "$folder/$_" } 'a' .. 'l');
    my @known = ('--known-at', '2026-06-30');
    my @files = (
        ['ndjson', made_filing_lines("$folder/a", 1500 * $size)],
        map({ ['sec-submissions', $_] } made_submissions("$folder/b", 2 * $size, 100)),
        map({ ['sec-ownership', $_] } made_ownership("$folder/c", 8 * $size, companies => 20)),
        ['sec-ownership', made_insider_set("$folder/k", 100 * $size, from => 4000, companies => 20)],
        ['ndjson', made_insider_lines("$folder/d", 1500 * $size)],
        ['sec-13f', made_13f_set("$folder/e", 10 * $size, 50)],
        map({ ['sec-13f', $_] } made_13f_reports("$folder/f", 2 * $size, 20)),
        map({ ['sec-nport', $_] } made_funds("$folder/g", 2 * $size, 150)),
        ['sec-nport', made_fund_set("$folder/l", 2 * $size, 150, from => 1000)],
        map({ ['finra-short-interest', $_, @known] } made_short_interest("$folder/h", 2, 400 * $size)),
        ['senate-ptr', made_senate("$folder/i", 200 * $size), @known],
        ['house-ptr', made_house("$folder/j", 200 * $size), @known],
    );
    return \@files;
}

# --------------------------------------------------------------------------------------- the proof

# Files as Disclosed::Order has them. Makes a cluster, and loads them undisturbed.
sub new
{
    my ($class, $files) = @_;
    my $self = bless { files => $files, disk => scalar mount_disk(), expected => {} }, $class;
    my $data;
    if ($self->{disk}) {
        $data = "$self->{disk}/data";
        Disclosed::Cluster::make_folder($data);
    }
    $self->{cluster} = own_cluster(files => $data, settings => $SETTINGS, initdb => ['--wal-segsize=1']);
    $self->register;
    $self->{cluster}->create_database('template_empty');
    my $conninfo = $self->{cluster}->conninfo('template_empty');
    my ($code, $out, $err) = control($conninfo, 'migrate');
    die "migrate: $out$err\n" if $code != 0;
    ($code, $out, $err) = control($conninfo, 'tables', '--json');
    $self->{datasets} = Disclosed::JSON->new->utf8->decode($out)->{datasets};
    $self->load_undisturbed;
    return $self;
}

# The disk is seen by nobody else, so nobody else would find the cluster to stop it.
sub register
{
    my ($self) = @_;
    register_process($self->postmaster);
}

sub postmaster
{
    my ($self) = @_;
    return (split /\n/, slurp_if_there("$self->{cluster}{directory}/data/postmaster.pid"))[0];
}

sub load_undisturbed
{
    my ($self) = @_;
    my $database = $self->fresh_database;
    my $size = $self->database_size($database);
    my $load = $self->load($database, $self->{files});
    die "an undisturbed load: $load->{said}\n" if $load->{said} =~ /failed, nothing of it/ || !$load->{reported}->@*;
    my @faults = $self->count_faults($database);
    die "an undisturbed load: @faults\n" if @faults;
    $self->{growth} = $self->database_size($database) - $size;
    $self->{seconds} = $load->{seconds};
    $self->{all} = [map { $_->[1] } $self->{files}->@*];
    $self->{expected}{ join "\n", $self->{all}->@* } = $self->state_of($database);
    $self->{cluster}->drop_database($database);
}

# In kB.
sub database_size { return $_[0]{cluster}->value('postgres', "SELECT pg_database_size('$_[1]') / 1024") }

sub stop
{
    my ($self) = @_;
    eval { $self->{cluster}->stop };
    $self->{cluster}->clear_away;
    run('umount', '--lazy', $self->{disk}) if $self->{disk};
}

sub fresh_database
{
    my ($self, $template) = @_;
    my $name = fresh('test');
    $self->{cluster}->create_database($name, $template // 'template_empty');
    return $name;
}

# --------------------------------------------------------------------------------------- a load

# disclosedctl beside us; it says each file as soon as it is stored.
sub start_import
{
    my ($self, $database, @arguments) = @_;
    my $output = workspace() . '/' . fresh('import');
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', "$output.out";
        open STDERR, '>', "$output.err";
        # A sanitizer's library has to be loaded first, so that stdbuf's cannot be.
        my @lines = build('SANITIZERS') ? () : ('stdbuf', '-oL');
        exec @lines, build('CTL'), '--database', $self->{cluster}->conninfo($database), 'import', @arguments or POSIX::_exit(127);
    }
    return { pid => $pid, output => $output };
}

# What it said to standard output and standard error: nothing, where it was killed before it had them.
sub said_by
{
    my ($import) = @_;
    my @said = map { slurp_if_there("$import->{output}.$_") } qw(out err);
    unlink map { "$import->{output}.$_" } qw(out err);
    return @said;
}

# Loads files. Options: jobs (processes, 1); strike, which is called with the process at work when `after` seconds have passed, until it
# says that it has struck; no other command is begun then. Returns {seconds, struck, reported (files stored, with their counts), said}.
sub load
{
    my ($self, $database, $files, %option) = @_;
    my %load = (reported => [], said => '', struck => 0);
    my $begin = time;
    for my $run (runs_of(['--jobs', $option{jobs} // 1], @$files)) {
        my $import = $self->start_import($database, @$run);
        my $end = time + 120 * patience();
        while (waitpid($import->{pid}, WNOHANG) == 0) {
            $load{struck} = $option{strike}->($import) if $option{strike} && !$load{struck} && time - $begin >= $option{after};
            if (time > $end) {
                kill 'KILL', $import->{pid};
                $load{hangs} = 1;
            }
            sleep 0.002;
        }
        my ($out, $err) = said_by($import);
        push $load{reported}->@*, $out =~ /^((?!total of ).+: read \d+, stored \d+, unchanged \d+, superseded \d+, rejected \d+)$/mg;
        $load{said} .= $err;
        last if $load{struck} || $load{hangs};
    }
    $load{seconds} = time - $begin;
    return \%load;
}

# ------------------------------------------------------------------------------------- what is hit

my $sessions = "application_name = 'disclosedctl' AND backend_type = 'client backend'";

sub strike
{
    my ($self, $victim, $database, $import) = @_;
    return $self->strike_backend($database) if $victim eq 'backend';
    return kill 'KILL', $victim eq 'loader' ? $import->{pid} : $self->postmaster;
}

# Between two commands there is none, or one that ends by itself before it is hit: the next look finds another.
sub strike_backend
{
    my ($self, $database) = @_;
    my ($pid) = split /\n/, $self->{cluster}->value('postgres', "SELECT pid FROM pg_stat_activity WHERE datname = '$database' AND $sessions ORDER BY random()");
    return 0 if !$pid || !kill 'KILL', $pid;
    return wait_until(3, sub { $self->log =~ /\(PID $pid\) was terminated by signal 9/ }) ? 1 : 0;
}

sub log { return slurp("$_[0]{cluster}{directory}/log") }

# How often this cluster has been ready.
sub times_ready
{
    my ($self) = @_;
    return scalar(() = $self->log =~ /database system is ready to accept connections/g);
}

# Until PostgreSQL has been ready so often, and works, and no session of the load is left.
sub recover
{
    my ($self, $database, $ready) = @_;
    my $cluster = $self->{cluster};
    my $works = sub {
        my $postmaster = $self->postmaster;
        # While backends of the one that is gone are at work, no other can begin.
        return eval { $cluster->start; $self->register; 1 } if !$postmaster || !is_alive($postmaster);
        return $self->times_ready >= $ready && eval { $cluster->value('postgres', 'SELECT 1') };
    };
    wait_until(60 * patience(), $works) or die 'PostgreSQL does not come back: ', substr($self->log, -2000), "\n";
    $cluster->forget_sessions($database);
    wait_until(30 * patience(), sub { $cluster->value('postgres', "SELECT count(*) FROM pg_stat_activity WHERE datname = '$database'") eq '0' })
        or die "a session of the load is left\n";
}

# --------------------------------------------------------------------------------------- what is there

# What tables hold: of versions each row that was ever in force, of all others how many.
sub state_of
{
    my ($self, $database) = @_;
    my (%rows, %state);
    for my $version (versions($self->{cluster}, $database)->@*) {
        my ($table, $from, $until, $json) = @$version;
        push $rows{$table}->@*, join "\t", $from, $until // '', $json if !defined $until || $until ne $from;
    }
    $state{$_} = $rows{$_}->@* . ' versions ' . md5_hex(join "\n", sort $rows{$_}->@*) for keys %rows;
    my $counts = $self->{cluster}->value($database, q{SELECT relname, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM disclosed.%I', relname), false, true, '')))[1]
        FROM pg_class WHERE relnamespace = 'disclosed'::regnamespace AND relkind = 'r' AND relname NOT IN ('import_run', 'import_reject') ORDER BY relname});
    for my $line (split /\n/, $counts) {
        my ($table, $count) = split /\|/, $line;
        $state{$table} //= "$count rows";
    }
    return \%state;
}

# What these files leave, loaded undisturbed, in this order.
sub expected
{
    my ($self, @paths) = @_;
    return $self->{expected}{ join "\n", @paths } //= do {
        my %file = map { ($_->[1] => $_) } $self->{files}->@*;
        my $database = $self->fresh_database;
        $self->load($database, [@file{@paths}]);
        my $state = $self->state_of($database);
        $self->{cluster}->drop_database($database);
        $state;
    };
}

# Files of which rows are visible, in the order of their runs; dies where a run names none of ours.
sub visible_files
{
    my ($self, $database) = @_;
    my @runs = split /\n/, $self->{cluster}->value($database, "SELECT file FROM import_run WHERE status = 'done' ORDER BY import_run_id");
    my (@found, %seen);
    for my $run (@runs) {
        my ($path) = grep { $run eq $_ || index($run, "$_/") == 0 } $self->{all}->@*;
        push @found, $path // die("import_run has $run, which is not loaded here\n") if !$seen{ $path // '' }++;
    }
    return @found;
}

# Where the counts of datasets are not those of their rows.
sub count_faults
{
    my ($self, $database) = @_;
    my @each = map {
        my ($name, $table) = @$_{qw(name table)};
        my $rows = "SELECT count(*) FROM disclosed.$table t WHERE superseded_at IS NULL";
        ("SELECT '$name' AS dataset, ($rows) AS rows", $_->{listed} ? "SELECT '$name/listed', ($rows AND $_->{listed})" : ())
    } $self->{datasets}->@*;
    my $text = $self->{cluster}->value($database, 'SELECT d.dataset, d.rows, coalesce(s.record_count, 0), coalesce(i.record_count, 0) FROM ('
        . join(' UNION ALL ', @each) . ') d LEFT JOIN dataset_stat s USING (dataset)'
        . ' LEFT JOIN (SELECT dataset, sum(record_count) AS record_count FROM dataset_issuer_stat GROUP BY 1) i USING (dataset)'
        . ' WHERE d.rows <> coalesce(s.record_count, 0) OR d.rows <> coalesce(i.record_count, 0)');
    return map { my ($dataset, @counts) = split /\|/; "$dataset: $counts[0] rows, counted as $counts[1], of issuers as $counts[2]" } split /\n/, $text;
}

sub state_faults
{
    my ($self, $database, @paths) = @_;
    my ($expected, $got) = ($self->expected(@paths), $self->state_of($database));
    return map { "$_: " . ($got->{$_} // 'nothing') . ', an undisturbed load has ' . ($expected->{$_} // 'nothing') }
        grep { ($got->{$_} // '') ne ($expected->{$_} // '') } sort keys %{ { %$expected, %$got } };
}

# What must hold after a strike: no part of a file, all that was reported, counts that agree.
sub faults_of
{
    my ($self, $database, @reported) = @_;
    my @faults = $self->count_faults($database);
    my $running = $self->{cluster}->value($database, "SELECT string_agg(file, ', ') FROM import_run WHERE status = 'running'");
    push @faults, "a run is visible that has not ended: $running" if $running ne '';
    my %stored = map { ($_ => 1) } split /\n/, $self->{cluster}->value($database, "SELECT format('%s: read %s, stored %s, unchanged %s, superseded %s, rejected %s',
        file, rows_read, stored, unchanged, superseded, rejected) FROM import_run WHERE status = 'done'");
    push @faults, map { "reported as stored, and lost: $_" } grep { !$stored{$_} } @reported;
    push @faults, $self->state_faults($database, $self->visible_files($database));
    return @faults;
}

# ------------------------------------------------------------------------------------------ trials

# A load that is struck when this part of its time has passed, or of the disk that it needs is full; then the same commands again.
# Returns {midway (not behind its end), files (how many were visible), faults}.
sub trial
{
    my ($self, $victim, $part, $jobs) = @_;
    my $database = $self->fresh_database;
    my $ready = $self->times_ready;
    my $fills = $victim eq 'disk';
    $self->resize_disk($self->disk_used + int($part * $self->{growth})) if $fills;
    my $load = $self->load($database, $self->{files}, jobs => $jobs, after => $part * $self->{seconds},
        strike => $fills ? undef : sub { $self->strike($victim, $database, @_) });
    $self->resize_disk(1024 * $LARGE) if $fills;
    $self->recover($database, $load->{struck} && $victim ne 'loader' ? $ready + 1 : $ready);
    my @visible = $self->visible_files($database);
    my @faults = ($load->{hangs} ? 'the load does not end' : (), $self->faults_of($database, $load->{reported}->@*));
    my $again = $self->load($database, $self->{files}, jobs => $jobs);
    push @faults, "again: $again->{said}" if $again->{said} =~ /failed, nothing of it/;
    push @faults, map { "again: $_" } $self->count_faults($database), $self->state_faults($database, $self->{all}->@*);
    $self->{cluster}->drop_database($database);
    return { midway => $load->{struck} || $load->{said} =~ /failed, nothing of it/ ? 1 : 0, files => scalar @visible,
        faults => [map { sprintf '%s at %.3f, %d processes: %s', $victim, $part, $jobs, $_ } @faults] };
}

# So many trials, spread over the time of a load, in one process and in two by turns.
sub prove
{
    my ($self, $victim, $count) = @_;
    my %sum = (trials => $count, midway => 0, least => 0 + $self->{all}->@*, most => 0, faults => []);
    for my $number (0 .. $count - 1) {
        my $one = $self->trial($victim, ($number + number_below(1000) / 1000) / $count, $number % 2 + 1);
        $sum{midway} += $one->{midway};
        $sum{least} = $one->{files} if $one->{files} < $sum{least};
        $sum{most} = $one->{files} if $one->{files} > $sum{most};
        push $sum{faults}->@*, $one->{faults}->@*;
    }
    return \%sum;
}

1;

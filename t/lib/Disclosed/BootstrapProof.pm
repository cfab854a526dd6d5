package Disclosed::BootstrapProof;

# disclosedctl bootstrap against made archives that a server on this machine has (Disclosed::BootstrapFiles): runs it, cuts and kills it, and
# compares the database with that of a plain import of the same archives.

use v5.24;
use warnings;
use Disclosed::BootstrapFiles qw(set_path);
use Disclosed::Build qw(build);
use Disclosed::FollowProof;
use Disclosed::Kill;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(slurp_if_there wait_until);
use Disclosed::ReplayServer;
use Disclosed::Shared qw(cluster control database fresh register_process workspace);
use Disclosed::JSON ();
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

our $contact = 'Replay Suite suite@example.org';

# Options: those of Disclosed::BootstrapFiles.
sub new
{
    my ($class, %option) = @_;
    my $self = bless { owner => $$, database => database('empty'), folder => workspace() . '/' . fresh('downloads'), running => {} }, $class;
    $self->serve(%option);
    return $self;
}

# Serves other files, or under another plan, from now on.
sub serve
{
    my ($self, %option) = @_;
    $self->{server}->stop if $self->{server};
    $self->{files} = Disclosed::BootstrapFiles->new(%option);
    $self->{server} = Disclosed::ReplayServer->start(pages => $self->{files}, damage => $self->{files});
}

sub value { my ($self, $sql) = @_; return cluster()->value($self->{database}, "SET search_path = disclosed, public; $sql") =~ s/^SET\n//r }
sub execute { my ($self, $sql) = @_; cluster()->execute($self->{database}, "SET search_path = disclosed, public; $sql") }

sub arguments
{
    my ($self, @more) = @_;
    return ('bootstrap', '--user-agent', $contact, '--folder', $self->{folder}, $self->{server}->mirrors, @more);
}

# The command beside us: {pid, output}.
sub begin
{
    my ($self, @more) = @_;
    my $output = workspace() . '/' . fresh('bootstrap');
    my @arguments = ('--database', cluster()->conninfo($self->{database}), $self->arguments(@more));
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', "$output.out";
        open STDERR, '>', "$output.err";
        $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
        exec build('CTL'), @arguments or POSIX::_exit(127);
    }
    register_process($pid);
    return $self->{running}{$pid} = { pid => $pid, output => $output };
}

# Waits for its end, calling a function meanwhile: (exit code, standard output, standard error). Pauses after failures are cut short, but
# not those between two parts of a download, nor where the proof `is_patient`, nor while something is stored: what has failed for want of
# room would have failed too often before that makes room.
sub finish
{
    my ($self, $running, $seconds, $meanwhile) = @_;
    my $end = time + $seconds * patience();
    my $hastened = 0;
    while (waitpid($running->{pid}, WNOHANG) == 0) {
        if (!$self->{is_patient} && time - $hastened > 0.3 && !$self->is_storing) {
            $self->hasten;
            $hastened = time;
        }
        $meanwhile->() if $meanwhile;
        if (time > $end) {
            kill 'KILL', $running->{pid};
            waitpid $running->{pid}, 0;
            last;
        }
        sleep 0.1;
    }
    my $status = $?;
    delete $self->{running}{ $running->{pid} };
    return ($status & 127 ? 128 + ($status & 127) : $status >> 8, map { slurp_if_there("$running->{output}.$_") } qw(out err));
}

sub run { my ($self, @more) = @_; return $self->finish($self->begin(@more), 180) }

sub is_storing
{
    my ($self) = @_;
    return $self->value('SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL') > 0;
}

# Rows are locked in the order in which bring_followed_near() does.
sub hasten
{
    my ($self) = @_;
    $self->execute(q{WITH due AS MATERIALIZED (SELECT document_id FROM followed_document WHERE next_at > clock_timestamp() + interval '1 s' ORDER BY 1 FOR UPDATE)
        UPDATE followed_document d SET next_at = clock_timestamp() FROM due WHERE d.document_id = due.document_id});
    $self->execute(q{UPDATE followed_limit SET paused_until = clock_timestamp() WHERE paused_until > clock_timestamp()});
}

# Ends one by a signal; returns its exit code, or 128 and the signal.
sub end
{
    my ($self, $running, $signal) = @_;
    kill $signal, $running->{pid};
    return ($self->finish($running, 30))[0];
}

# Bytes of what is in the folder, and the names of it.
sub on_disk { my ($self) = @_; my $sum = 0; $sum += -s $_ // 0 for glob "$self->{folder}/*/*"; return $sum }
sub downloads { my ($self) = @_; return map { s/^\Q$self->{folder}\E.//r } glob "$self->{folder}/*/*" }

# Requests for a path, or all.
sub requests { my ($self, $path) = @_; return grep { !defined $path || $_->{target} eq $path } $self->{server}->requests }

# The state of archives: {identity => [state, failure_kind]}.
sub states
{
    my ($self) = @_;
    return { map { ($_->{identity} => $_->{state}) } cluster()->rows($self->{database}, 'SELECT identity, state FROM disclosed.followed_document') };
}

# --- faults --------------------------------------------------------------------------------------

# A database with a plain import of these files ([source, name, zip]).
sub plain_database
{
    my ($self, @files) = @_;
    my $database = database('empty');
    for my $file (@files) {
        my ($source, undef, $zip) = @$file;
        my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', $source, '--quiet', '--no-webhooks', $zip);
        die "import $source: code $code: $out$err\n" if $code > 1;
    }
    return $database;
}

# Where the database is not that of a plain import of the files, or its counts are not those of its rows.
sub plain_faults
{
    my ($self, @files) = @_;
    my $plain = $self->plain_database(@files);
    my @faults = Disclosed::FollowProof::difference_faults($plain, $self->{database});
    my (undef, $out) = control(cluster()->conninfo($plain), 'tables', '--json');
    push @faults, Disclosed::Kill::count_faults({ cluster => cluster(), datasets => Disclosed::JSON->new->utf8->decode($out)->{datasets} }, $self->{database});
    cluster()->drop_database($plain);
    return @faults;
}

# Files that have been stored by more than one run, by their names in archives.
sub twice
{
    my ($self) = @_;
    return map { "$_->{name}: $_->{runs} times" } cluster()->rows($self->{database}, "SELECT regexp_replace(file, '^.*/', '') AS name, count(*) AS runs FROM disclosed.import_run
        WHERE status = 'done' AND stored > 0 GROUP BY 1 HAVING count(*) > 1 ORDER BY 1");
}

# Where the SEC has been asked more often than it allows, or by somebody unknown.
sub manner_faults { my ($self) = @_; local $Disclosed::FollowProof::contact = $contact; return Disclosed::FollowProof::manner_faults($self) }

sub DESTROY
{
    my ($self) = @_;
    local ($?, $!);
    return if $self->{owner} != $$;
    $self->end($_, 'KILL') for values $self->{running}->%*;
}

1;

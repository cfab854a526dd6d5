package Disclosed::Session;

# A psql that stays open to a database, for suites that ask it often: starting psql and a session takes ten times as long
# as what is asked. What a piece of SQL sets, locks or leaves open ends with it, as if it had a session of its own.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use File::Temp ();
use IPC::Open3 qw(open3);

sub new
{
    my ($class, $conninfo) = @_;
    my ($input, $errors) = map { File::Temp->new } 1 .. 2;
    my $pid = open3(my $to, my $from, '>&' . fileno $errors, build('PGBIN') . '/psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $conninfo);
    $to->autoflush(1);
    return bless { pid => $pid, to => $to, from => $from, input => $input->filename, errors => $errors->filename, files => [$input, $errors], asked => 0 }, $class;
}

# Returns what psql printed; dies, and is of no use any more, when the SQL fails.
sub ask
{
    my ($self, $sql) = @_;
    my $end = 'end of ' . ++$self->{asked} . "\n";
    open my $input, '>', $self->{input} or die "$self->{input}: $!";
    utf8::encode($sql) if utf8::is_utf8($sql);
    print $input $sql;
    close $input or die "$self->{input}: $!";
    local $SIG{PIPE} = 'IGNORE';
    print { $self->{to} } "\\i $self->{input}\nABORT;\nDISCARD ALL;\n\\echo $end";
    my $out = '';
    until ($out eq $end || substr($out, -1 - length $end) eq "\n$end") {
        sysread $self->{from}, $out, 65536, length $out or die $self->failure($sql);
    }
    return substr $out, 0, -length $end;
}

sub failure
{
    my ($self, $sql) = @_;
    waitpid delete $self->{pid}, 0;
    return 'psql (' . ($? >> 8) . '): ' . slurp($self->{errors}) . "\nin: " . substr($sql, 0, 400) . "\n";
}

# Whether it is still of use: PostgreSQL may have ended, or have ended it.
sub is_open
{
    my ($self) = @_;
    return defined $self->{pid} && defined eval { $self->ask('SELECT 1') };
}

sub close
{
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'KILL', $pid; # it may ignore what we ignore
    waitpid $pid, 0;
}

1;

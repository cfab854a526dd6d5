# PgBouncer between httpd and PostgreSQL: in session mode all is as without it. In transaction mode it is not, and the module says so.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(slurp_if_there stop_process wait_until);
use Disclosed::Shared qw(cluster database fresh register_process workspace);
use IO::Socket::IP;
use Disclosed::JSON ();
use POSIX ();

my ($program) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';
plan skip_all => 'PGBOUNCER IS NOT TESTED: it is missing (Debian package: pgbouncer)' if !$program;

# A cluster as httpd sees it: behind a PgBouncer in that mode.
package Behind {
    use parent -norequire, 'Disclosed::Cluster';

    sub conninfo
    {
        my ($self, $database, $role) = @_;
        return ($role // '') eq 'disclosed_api' ? "host=127.0.0.1 port=$self->{port} dbname=$database user=disclosed_api" : $self->SUPER::conninfo($database, $role);
    }
}

sub bouncer
{
    my ($mode) = @_;
    my $directory = workspace() . '/' . fresh('bouncer');
    Disclosed::Cluster::make_folder($directory);
    my $self = bless { directory => cluster()->{directory}, port => Disclosed::Site::free_port(), folder => $directory }, 'Behind';
    # auth_type any: all are who the database's line says.
    open my $file, '>', "$directory/pgbouncer.ini" or die "$directory: $!";
    print $file <<"END";
[databases]
* = host=$self->{directory} user=disclosed_api
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $self->{port}
unix_socket_dir =
auth_type = any
pool_mode = $mode
default_pool_size = 40
max_client_conn = 200
logfile = $directory/log
END
    close $file;
    $self->{pid} = fork() // die "fork: $!";
    if ($self->{pid} == 0) {
        Disclosed::Process::become($> == 0 ? 'postgres' : getpwuid $>);
        open STDOUT, '>', '/dev/null';
        open STDERR, '>&', \*STDOUT;
        { no warnings; exec $program, "$directory/pgbouncer.ini"; }
        POSIX::_exit(127);
    }
    register_process($self->{pid});
    wait_until(10 * patience(), sub { IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $self->{port}) })
        or die 'PgBouncer does not start: ' . slurp_if_there("$directory/log");
    return $self;
}

my $name = database('demo');
my @modes;
for my $mode (@ARGV ? @ARGV : qw(session)) {
    my $bouncer = bouncer($mode);
    my $site = site(cluster => $bouncer, database => $name, pool => 3, processes => 2, config => "DisclosedCredits get_company_coverage 1\nDisclosedPlan enterprise credits=1000\n");
    my $load = Disclosed::Load->start($site, clients => 4, pause => 0.002, targets => ['/v1/companies?limit=3', '/v1/insider?limit=20', '/v1/filings?limit=5&as_of=2026-11-01', '/v1/coverage/ZEMRUZ']);
    sleep 3;
    my @answers = $load->stop;
    my @wrong = grep { $_->{status} != 200 || $_->{fault} } @answers;
    cmp_ok(scalar @answers, '>', 100, "$mode: " . @answers . ' requests');
    is(scalar @wrong, 0, '... all are good') or diag(Disclosed::JSON->new->encode($wrong[0]));
    $bouncer->{site} = $site;
    diag($site->{log}->unread) if @wrong;
    push @modes, $bouncer;
}

# In transaction mode, as docs/scale.md has it: named statements and settings are of another connection's. PgBouncer 1.21 and later keeps the first.
my ($version) = qx($program --version) =~ /(\d+[.]\d+)/;
SKIP: {
    skip "PgBouncer $version keeps prepared statements", 2 if $version =~ /^1[.](\d+)/ && $1 >= 21;
    my $bouncer = bouncer('transaction');
    my $site = site(cluster => $bouncer, database => $name, pool => 3, processes => 2, start => 0);
    $site->{log}->permit(qw(DSC0002 DSC0003 DSC0004 DSC0010 DSC0020 DSC0022));
    $site->start(watched => 0); # whether the watcher has answers is chance, too
    push @modes, $bouncer;
    my $load = Disclosed::Load->start($site, clients => 4, pause => 0.002, targets => ['/v1/companies?limit=3', '/v1/insider?limit=20', '/v1/filings?limit=5']);
    sleep 3;
    my @answers = $load->stop;
    cmp_ok(scalar(grep { $_->{status} != 200 } @answers), '>', 0, 'transaction: requests fail, of ' . @answers);
    like($site->{log}->unread, qr/DSC0003: ERROR:  (?:42P05: prepared statement|26000: prepared statement|42P01: relation)/, '... for the reasons that docs/scale.md has');
}
finish();
stop_process($_->{pid}, 'INT', 5) for @modes;

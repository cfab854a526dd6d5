package Disclosed::Hosts;

# Several httpd hosts of one site, with one database, secret and base URL, behind an httpd with mod_proxy_balancer.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(children_of slurp_if_there wait_until);
use Disclosed::Site;

my @modules = qw(proxy proxy_http proxy_balancer lbmethod_byrequests slotmem_shm);

# Why there can be none, or nothing.
sub why_none
{
    my ($missing) = grep { !-e build('MODULES_DIR') . "/mod_$_.so" } @modules;
    return $missing ? "this httpd has no mod_$missing" : undef;
}

# They are not started. A host that restarts gracefully closes connections that wait for a next request, so the balancer keeps none.
# Options: count (3), front (lines for the balancer), member (what a BalancerMember line ends with), and
# those of each site.
sub new
{
    my ($class, %option) = @_;
    my $self = bless { hosts => [], member => delete $option{member} // 'disablereuse=On retry=1' }, $class;
    my $count = delete $option{count} // 3;
    my $front_lines = delete $option{front} // '';
    my $port = Disclosed::Site::free_port();
    for (1 .. $count) {
        my $host = Disclosed::Site->new(%option, start => 0, base_url => "http://127.0.0.1:$port");
        my $first = $self->{hosts}[0] // $host;
        $host->{$_} = $first->{$_} for qw(keys secret);
        $option{$_} = $host->{$_} for qw(cluster database);
        $host->{port} = Disclosed::Site::free_port();
        set_secrets($host, $host->{secret});
        push $self->{hosts}->@*, $host;
    }
    # In a virtual host, so that others of this httpd inherit nothing of it.
    $self->{front} = Disclosed::Site->new(cluster => $option{cluster}, database => $option{database}, start => 0, processes => 1, threads => 32, described => 0,
        module_config => "DisclosedEngine Off\n", config => $self->balancer_lines($port) . $front_lines);
    $self->{front}{$_} = $self->{hosts}[0]{$_} for qw(keys base_url);
    $self->{front}{port} = $port;
    return $self;
}

sub balancer_lines
{
    my ($self, $port) = @_;
    my $directory = build('MODULES_DIR');
    my $load = join '', map { "<IfModule !${_}_module>\nLoadModule ${_}_module $directory/mod_$_.so\n</IfModule>\n" } @modules;
    my $members = join '', map { "    BalancerMember http://127.0.0.1:$_->{port} $self->{member}\n" } $self->{hosts}->@*;
    return $load . <<"END";
<Proxy balancer://disclosed>
$members    ProxySet lbmethod=byrequests
</Proxy>
<VirtualHost 127.0.0.1:$port>
ProxyPass / balancer://disclosed/ nocanon
</VirtualHost>
END
}

sub start
{
    my ($self) = @_;
    $_->start for $self->{hosts}->@*;
    $self->{front}->start(watched => 0);
    return $self;
}

sub hosts { my ($self) = @_; return $self->{hosts}->@* }
sub front { my ($self) = @_; return $self->{front} }

# How many requests each has served.
sub served
{
    my ($self) = @_;
    return map { scalar(() = slurp_if_there("$_->{root}/logs/access_log") =~ /\n/g) } $self->{hosts}->@*;
}

# The lines of a host's secret file; it is read at the next restart.
sub set_secrets
{
    my ($host, @secrets) = @_;
    $host->write('conf/secret', join('', map { "$_\n" } @secrets), 0600);
}

# Restarts a host gracefully, and waits until its new processes serve and its old ones have gone.
sub restart_gracefully
{
    my ($host) = @_;
    my %old = map { ($_ => 1) } children_of($host->{pid});
    $host->configure;
    my ($code, $output) = $host->httpd('-k', 'graceful');
    die "no graceful restart: $output" if $code != 0;
    wait_until(20 * patience(), sub { $host->watcher_pid && !grep { $old{$_} } children_of($host->{pid}) }) or die 'old processes stay';
    $host->wait_until_watched or die 'the host does not come back';
}

1;

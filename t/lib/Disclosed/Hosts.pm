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
<Location /balancer-manager>
SetHandler balancer-manager
Require all granted
</Location>
ProxyPass /balancer-manager !
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

# Takes a host out of the balancer, and waits until what was sent to it has ended: docs/scale.md.
sub drain
{
    my ($self, $host) = @_;
    $self->set_draining($host, 1);
    wait_until(20 * patience(), sub { my $state = $self->balanced($host); $state->{status} =~ /Drn/ && $state->{busy} == 0 }) or die 'the host is not drained';
    return;
}

# Puts it back.
sub undrain
{
    my ($self, $host) = @_;
    $self->set_draining($host, 0);
    $self->balanced($host)->{status} !~ /Drn/ or die 'the host is still drained';
    return;
}

# balancer-manager takes no change without the nonce of its page, and nothing by a link from elsewhere.
sub set_draining
{
    my ($self, $host, $is_draining) = @_;
    my ($nonce) = $self->ask_manager('GET') =~ /nonce=([\w-]+)/ or die 'no nonce';
    $self->ask_manager('POST', body => "b=disclosed&w=http://127.0.0.1:$host->{port}&nonce=$nonce&w_status_N=$is_draining");
    return;
}

sub ask_manager
{
    my ($self, $method, %option) = @_;
    my $page = '/balancer-manager';
    my $response = $self->{front}->request($method, $page, %option,
        headers => { 'Content-Type' => 'application/x-www-form-urlencoded', Referer => "http://127.0.0.1:$self->{front}{port}$page" });
    return $response->status == 200 ? $response->body : die $response->describe;
}

# What balancer-manager says of a host: {status, busy}, a text as "Init Drn Ok" and the requests that it is at.
sub balanced
{
    my ($self, $host) = @_;
    my $page = $self->ask_manager('GET');
    my ($head) = $page =~ m{<tr>(<th>Worker URL</th>.*?)</tr>}s or die "no table: $page";
    my ($row) = $page =~ m{<tr>\s*(<td><a [^>]*>http://127[.]0[.]0[.]1:$host->{port}</a></td>.*?)</tr>}s or die "no host $host->{port}: $page";
    my %cell;
    @cell{ $head =~ m{<th>(.*?)</th>}gs } = $row =~ m{<td>(.*?)</td>}gs;
    return { status => $cell{Status}, busy => $cell{Busy} };
}

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

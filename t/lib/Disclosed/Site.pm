package Disclosed::Site;

# A private httpd with the module on a database of its own, and keys of every plan.

use v5.24;
use warnings;
use Disclosed::JSON ();
use Disclosed::Build qw(build);
use Disclosed::Client qw(exchange send_request);
use Disclosed::Described qw(look_at);
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Log;
use Disclosed::Memory qw(checked memory_reports patience);
use Disclosed::Process qw(run slurp_if_there wait_until is_alive stop_process children_of);
use Disclosed::Shared qw(workspace fresh cluster database register_process);
use Socket qw(AF_INET SOCK_STREAM SOL_SOCKET SO_REUSEADDR INADDR_LOOPBACK pack_sockaddr_in unpack_sockaddr_in);
use Time::HiRes qw(sleep);

# Limits that no suite comes near, unless it brings its own.
my $wide_limits = join '', "DisclosedAddressLimit 1000000/s 100000\n",
    map { "DisclosedPlan $_ rate=1000000/s burst=100000 day=unlimited earlier=unlimited\n" } qw(free starter builder enterprise);

# Whether sites cache responses, unless they say so themselves.
our $cached = 1;

my (@started, @ports);

# Options: template (demo), cluster and database (made from the template), config (httpd.conf text
# at the end), environment (of httpd, beside ours), sanitizer (options of its runtime, beside ours), module_config (in place of the usual directives), limits (in place of wide ones), cached, threads, processes, pool, start (1),
# described (1: responses are held against the OpenAPI documents).
sub new
{
    my ($class, %option) = @_;
    my $self = bless {
        threads => 8, processes => 2, pool => 6, owner => $$, cached => $cached, described => 1, %option,
        root     => workspace() . '/' . fresh('site'),
        secret   => join('', map { sprintf '%02x', rand 256 } 1 .. 32),
        docs_url => 'https://docs.example.org',
    }, $class;
    $self->{cluster}  //= cluster();
    $self->{database} //= database($option{template} // 'demo');
    $self->make_keys;
    mkdir $_ for $self->{root}, map { "$self->{root}/$_" } qw(conf logs run htdocs);
    chmod 0777, "$self->{root}/logs";
    $self->write("conf/secret", "$self->{secret}\n", 0600);
    $self->write("htdocs/index.html", "<p>outside</p>\n");
    $self->{log} = Disclosed::Log->new("$self->{root}/logs/error_log");
    $self->start if $option{start} // 1;
    return $self;
}

sub write
{
    my ($self, $name, $text, $mode) = @_;
    my $path = "$self->{root}/$name";
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
    chmod $mode // 0644, $path;
    return $path;
}

sub make_keys
{
    my ($self) = @_;
    my %kinds = (enterprise => 'live', builder => 'live', starter => 'live', free => 'live', test => 'test');
    $self->{keys} = { map { ($_ => make_key($kinds{$_})) } keys %kinds };
    $self->execute(join '',
        map { insert_key_sql($self->{keys}{$_}, $_ eq 'test' ? 'enterprise' : $_) } sort keys %kinds);
}

# A new key of a plan, of an account of its own.
sub own_key
{
    my ($self, $plan) = @_;
    my $key = make_key('live');
    my $id = substr $key, 8, 8;
    $self->execute("INSERT INTO disclosed.account (owner) VALUES ('owner of $id'); " . insert_key_sql($key, $plan)
            . "; UPDATE disclosed.api_key SET account_id = (SELECT account_id FROM disclosed.account WHERE owner = 'owner of $id') WHERE key_id = '$id'");
    return $key;
}

# A key of an account of another database that has the id of the account of `key` here.
sub same_account_key
{
    my ($self, $key, $other) = @_;
    my $account = $self->value("SELECT account_id FROM disclosed.api_key WHERE key_id = '" . substr($key, 8, 8) . "'");
    my $made = make_key('live');
    $self->{cluster}->execute($other, insert_key_sql($made, 'enterprise')
            . "; INSERT INTO disclosed.account (account_id, owner) OVERRIDING SYSTEM VALUE VALUES ($account, 'account $account') ON CONFLICT DO NOTHING"
            . "; UPDATE disclosed.api_key SET account_id = $account WHERE key_id = '" . substr($made, 8, 8) . "'");
    return $made;
}

# --- the database ----------------------------------------------------------------------------

sub execute { my ($self, $sql) = @_; return $self->{cluster}->execute($self->{database}, $sql) }
sub rows    { my ($self, $sql) = @_; return $self->{cluster}->rows($self->{database}, $sql) }
sub value   { my ($self, $sql) = @_; return $self->{cluster}->value($self->{database}, $sql) }

sub conninfo
{
    my ($self, $role) = @_;
    return $self->{cluster}->conninfo($self->{database}, $role // 'disclosed_owner');
}

# disclosedctl on this database: (exit code, standard output, standard error).
sub control
{
    my ($self, @arguments) = @_;
    return Disclosed::Shared::control($self->conninfo, @arguments);
}

# --- httpd -----------------------------------------------------------------------------------

# A port that is ours until the suite ends: a socket stays bound to it that does not listen. httpd may bind to it as
# well, as both allow that (SO_REUSEADDR); nobody else is given it meanwhile, neither to listen nor for a connection.
sub free_port
{
    socket my $socket, AF_INET, SOCK_STREAM, 0 or die "socket: $!";
    setsockopt $socket, SOL_SOCKET, SO_REUSEADDR, 1 or die "setsockopt: $!";
    bind $socket, pack_sockaddr_in(0, INADDR_LOOPBACK) or die "no free port: $!";
    push @ports, $socket;
    return (unpack_sockaddr_in(getsockname $socket))[0];
}

sub load_lines
{
    my $modules = build('MODULES_DIR');
    my $lines = '';
    for my $name (qw(mpm_event unixd log_config authz_core socache_shmcb)) {
        $lines .= "<IfModule !${name}_module>\nLoadModule ${name}_module $modules/mod_$name.so\n</IfModule>\n"
            if -e "$modules/mod_$name.so";
    }
    return $lines . 'LoadModule disclosed_module ' . build('MODULE') . "\n";
}

sub module_config
{
    my ($self) = @_;
    return $self->{module_config} if defined $self->{module_config};
    my $conninfo = $self->conninfo('disclosed_api');
    return ($self->{limits} // $wide_limits) . ($self->{cached} ? '' : "DisclosedCache Off\n") . <<"END";
DisclosedEngine On
DisclosedDatabase "$conninfo"
DisclosedDatabasePool $self->{pool}
DisclosedSecretFile conf/secret
DisclosedBaseURL $self->{base_url}
DisclosedDocsURL $self->{docs_url}
END
}

# Writes httpd.conf; returns its path.
sub configure
{
    my ($self) = @_;
    $self->{port} //= free_port();
    $self->{base_url} //= "http://127.0.0.1:$self->{port}";
    my $threads = $self->{threads} * $self->{processes};
    my $spare   = $threads - $self->{threads} > 0 ? $threads : $threads + 1;
    my $limit   = $self->{processes} + 2;
    my $user    = $> == 0 ? "User www-data\nGroup www-data\n" : '';
    return $self->write('conf/httpd.conf', ($self->{first} // '') . load_lines() . $user . <<"END" . $self->module_config . ($self->{config} // ''));
ServerRoot $self->{root}
ServerName localhost
Listen 127.0.0.1:$self->{port}
PidFile run/httpd.pid
DefaultRuntimeDir run
DocumentRoot htdocs
ErrorLog logs/error_log
LogLevel info
LogFormat "%>s %{disclosed-key}n %{disclosed-endpoint}n %{disclosed-request-id}n %m %U" notes
CustomLog logs/access_log notes
ServerLimit $limit
StartServers $self->{processes}
ThreadsPerChild $self->{threads}
MaxRequestWorkers @{[ $self->{threads} * $limit ]}
MinSpareThreads 1
MaxSpareThreads $spare
GracefulShutdownTimeout @{[ 10 * patience() ]}
END
}

# The environment of an httpd, which is not built with a sanitizer build's runtime: that comes first, and the memory that httpd itself leaves behind is no fault.
# Any other writes the stack of a crash to the error log (t/crash_stack.c).
sub preloaded
{
    my (@options) = @_;
    return (LD_PRELOAD => build('SANITIZERS'), ASAN_OPTIONS => join(':', grep({ defined } @options), 'detect_leaks=0')) if build('SANITIZERS');
    my $stack = build('BUILDDIR') . '/t/crash_stack.so';
    return -e $stack && !$ENV{DISCLOSED_VALGRIND} ? (LD_PRELOAD => $stack) : ();
}

# httpd's command line on this configuration: (exit code, output).
sub httpd
{
    my ($self, @arguments) = @_;
    my ($environment, @command) = checked("$self->{root}/logs/memory", build('HTTPD'), '-d',
        $self->{root}, '-f', "$self->{root}/conf/httpd.conf", @arguments);
    my ($code, $out, $err) = run({ env => { %$environment, preloaded($environment->{ASAN_OPTIONS}, $self->{sanitizer}), ($self->{environment} // {})->%* } }, @command);
    return ($code, $out . $err);
}

# Options: watched (1): wait until the module answers from the database.
sub start
{
    my ($self, %option) = @_;
    $self->configure;
    my ($code, $output) = $self->httpd('-k', 'start');
    die "httpd does not start: $output" . $self->{log}->unread if $code != 0;
    $self->{pid} = wait_until(20 * patience(), sub { $self->read_pid })
        or die 'httpd wrote no pid file: ' . $self->{log}->unread;
    push @started, $self if !grep { $_ == $self } @started;
    register_process($self->{pid});
    return $self if !($option{watched} // 1);
    $self->wait_until_watched or die 'httpd does not answer: ' . $self->{log}->unread;
    return $self;
}

# Until the module answers and the watcher has looked at the database.
sub wait_until_watched
{
    my ($self) = @_;
    return wait_until(20 * patience(), sub {
        my $response = $self->get('/v1/coverage');
        return $response->status == 200 && $response->header('etag');
    });
}

sub read_pid
{
    my ($self) = @_;
    open my $file, '<', "$self->{root}/run/httpd.pid" or return;
    my ($pid) = (<$file> // '') =~ /^(\d+)/;
    return $pid;
}

# The watcher is the child that does not serve: its first thread has a name of its own.
sub watcher_pid
{
    my ($self) = @_;
    my @named = grep { slurp_if_there("/proc/$_/comm") eq "disclosed-watch\n" } children_of($self->{pid});
    return @named == 1 ? $named[0] : undef;
}

# The processes that serve.
sub worker_pids
{
    my ($self) = @_;
    my $watcher = $self->watcher_pid // 0;
    return grep { $_ != $watcher } children_of($self->{pid});
}

# Stops httpd; returns whether it went by itself within ten seconds (valgrind gets more).
# Whether httpd still has a connection that a client has made, open or half closed; listening and TIME_WAIT are none.
sub has_connections
{
    my ($self) = @_;
    my $local = sprintf ':%04X', $self->{port};
    open my $tcp, '<', '/proc/net/tcp' or return 0;
    return scalar grep { my (undef, $from, undef, $state) = split; ($from // '') =~ /\Q$local\E\z/ && $state !~ /^(?:0A|06)\z/ } <$tcp>;
}

# httpd's own (event, 2.4): at a stop that is not graceful it touches the connection that a worker is just ending, and may
# crash there. So its last connections end first, where they do by themselves.
sub stop
{
    my ($self) = @_;
    my $pid = delete $self->{pid} or return 1;
    eval { wait_until(1, sub { !$self->has_connections }) };
    sleep 0.02;
    # httpd's own: a stop that is not graceful closes sockets that its workers are just closing.
    $self->{log}->permit('AH03092');
    return stop_process($pid, 'TERM', 10 * patience());
}

# --- requests --------------------------------------------------------------------------------

# Options: key (name of a plan, a whole key, or undef for none; default enterprise), headers, body.
sub request
{
    my ($self, $method, $target, %option) = @_;
    my %headers = %{ delete $option{headers} // {} };
    my $key = exists $option{key} ? delete $option{key} : 'enterprise';
    $headers{Authorization} = 'Bearer ' . ($self->{keys}{$key} // $key) if defined $key;
    my $response = send_request($self->{port}, $method, $target, headers => \%headers, %option);
    look_at($method, $target, $response) if $self->{described};
    return $response;
}

sub get  { my ($self, $target, @option) = @_; return $self->request('GET',  $target, @option) }
sub head { my ($self, $target, @option) = @_; return $self->request('HEAD', $target, @option) }

# POSTs a value as JSON, or a text as it is.
sub post
{
    my ($self, $target, $value, %option) = @_;
    my %headers = ('Content-Type' => 'application/json', %{ delete $option{headers} // {} });
    return $self->request('POST', $target, headers => \%headers, body => ref $value ? Disclosed::JSON->new->utf8->canonical->encode($value) : $value, %option);
}

# Bytes of a request as they are; returns a response.
sub raw
{
    my ($self, $bytes, %option) = @_;
    return Disclosed::Response->new('GET', exchange($self->{port}, $bytes, %option));
}

# --- the end ---------------------------------------------------------------------------------

# What is wrong in the logs since the last look.
sub log_faults
{
    my ($self) = @_;
    my @faults = $self->{log}->check;
    push @faults, map { "memory: $_" } memory_reports("$self->{root}/logs/memory");
    return @faults;
}

sub started { return @started }

END {
    my $status = $?;
    local $@;
    eval { $_->stop } for grep { $_->{owner} == $$ } @started;
    $? = $status;
}

1;

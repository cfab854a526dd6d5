package Bench::Servers;

# The servers that are compared: httpd with the module (and a trivial handler in it), Fastify with
# pg, FastAPI with asyncpg. All get the same number of processes and connections to PostgreSQL.

use strict;
use warnings;
use Digest::SHA qw(sha256_base64);
use File::Copy qw(copy);
use File::Path qw(make_path);
use HTTP::Tiny;

use Bench::Process qw(run_program start_program wait_until free_port say_progress);

my %DEBIAN_MODULES = (
    asyncpg => 'python3-asyncpg', fastapi => 'python3-fastapi', httptools => 'python3-httptools',
    uvicorn => 'python3-uvicorn', uvloop => 'python3-uvloop',
);
my $PYTHON = '/usr/bin/python3';

# build, database, key, work, cache (for node_modules), here (t/bench), workers, pool, connections.
sub new
{
    my ($class, %self) = @_;
    my $self = bless {%self}, $class;
    # Servers run as httpd's children do, never as root.
    $self->{user} = $> == 0 ? (getpwnam('www-data') ? 'www-data' : 'nobody') : undef;
    $self->{versions} = {};
    return $self;
}

sub log_of
{
    my ($self, $name) = @_;
    my $log = "$self->{work}/$name.log";
    open(my $file, '>>', $log) or die "$log: $!\n";
    return $log;
}

sub answers
{
    my ($self, $url) = @_;
    my $response = HTTP::Tiny->new(timeout => 5)
        ->get($url, {headers => {Authorization => "Bearer $self->{key}"}});
    return $response->{status} == 200;
}

sub launch
{
    my ($self, $name, $port, $option, @command) = @_;
    my $log = $self->log_of($name);
    my $pid = start_program($name, {log => $log, %{$option}}, @command);
    my $base = "http://127.0.0.1:$port";
    wait_until($name, $pid, $log, sub { return $self->answers("$base/v1/insider?limit=1") });
    return {name => $name, pid => $pid, base => $base, log => $log};
}

# ---- httpd ----

# An httpd of that name, with lines of configuration of its own. Responses are cached where these say so.
sub start_httpd
{
    my ($self, $name, $lines) = @_;
    $name //= 'httpd';
    my $root = "$self->{work}/$name";
    make_path($root);
    my $port = free_port();
    write_secret("$root/secret") if !-e "$root/secret"; # cursors of an httpd before go on
    $self->build_trivial($root);
    $self->write_configuration($root, $port, $name, $lines // 'DisclosedCache off');
    my @command = ($self->{build}{DISCLOSED_HTTPD}, '-d', $root, '-f', "$root/httpd.conf");
    run_program('httpd -t', {log => $self->log_of($name)}, @command, '-t');
    my $httpd = $self->launch($name, $port, {}, @command, '-DFOREGROUND');
    $self->{versions}{httpd} = first_line("'$command[0]' -v", qr{Apache/(\S+)});
    return $httpd;
}

sub write_secret
{
    my ($path) = @_;
    open(my $random, '<:raw', '/dev/urandom') or die "/dev/urandom: $!\n";
    read($random, my $bytes, 32) == 32 or die "/dev/urandom: $!\n";
    my $mask = umask 077;
    open(my $file, '>', $path) or die "$path: $!\n";
    print {$file} unpack('H*', $bytes), "\n";
    close($file) or die "$path: $!\n";
    umask $mask;
    return;
}

sub build_trivial
{
    my ($self, $root) = @_;
    copy("$self->{here}/mod_bench_trivial.c", "$root/mod_bench_trivial.c") or die "copy: $!\n";
    run_program('apxs', {directory => $root, log => $self->log_of('apxs')},
        'apxs', '-c', '-Wc,-O2', 'mod_bench_trivial.c');
    return;
}

sub write_configuration
{
    my ($self, $root, $port, $name, $lines) = @_;
    my $modules = $self->{build}{DISCLOSED_MODULES_DIR};
    my $user = $self->{user} ? "User $self->{user}\nGroup #" . (getpwnam $self->{user})[3] : '';
    # Each process could hold all connections: httpd closes kept-alive ones when it runs out of
    # idle threads, and wrk counts that as an error.
    my $threads_per_child = $self->{connections} + 8;
    my $threads = $threads_per_child * $self->{workers};
    open(my $file, '>', "$root/httpd.conf") or die "$root/httpd.conf: $!\n";
    print {$file} <<"END";
ServerRoot "$root"
ServerName 127.0.0.1
Listen 127.0.0.1:$port
PidFile "$root/httpd.pid"
DefaultRuntimeDir "$root"
ErrorLog "$self->{work}/$name.log"
LogLevel warn
LoadModule mpm_event_module "$modules/mod_mpm_event.so"
LoadModule authz_core_module "$modules/mod_authz_core.so"
LoadModule disclosed_module "$self->{build}{DISCLOSED_MODULE}"
LoadModule bench_trivial_module "$root/.libs/mod_bench_trivial.so"
$user
StartServers $self->{workers}
ServerLimit $self->{workers}
ThreadLimit $threads_per_child
ThreadsPerChild $threads_per_child
MaxRequestWorkers $threads
MinSpareThreads 1
MaxSpareThreads $threads
MaxConnectionsPerChild 0
KeepAlive On
MaxKeepAliveRequests 0
DocumentRoot "$root"
DisclosedEngine On
DisclosedDatabase "@{[$self->{database}->conninfo('disclosed_api')]}"
DisclosedDatabasePool $self->{pool}
DisclosedSecretFile "$root/secret"
DisclosedBaseURL http://127.0.0.1:$port
DisclosedPlan enterprise rate=100000/s burst=100000 day=unlimited
DisclosedDocsURL http://127.0.0.1:$port/docs
$lines
<Location "/trivial">
    SetHandler bench-trivial
</Location>
END
    close($file) or die "$root/httpd.conf: $!\n";
    return;
}

# ---- the others ----

sub environment
{
    my ($self, $port) = @_;
    return {
        %{$self->{database}->environment('disclosed_api')},
        BENCH_BASE_URL => "http://127.0.0.1:$port",
        BENCH_KEY_SHA256 => sha256_base64($self->{key}) =~ tr{+/}{-_}r,
        BENCH_POOL => $self->{pool},
        BENCH_PORT => $port,
        BENCH_SECRET => sha256_base64("cursors $$"),
        BENCH_WORKERS => $self->{workers},
    };
}

sub start_fastify
{
    my ($self) = @_;
    my $modules = $self->install_node_modules;
    my $port = free_port();
    my $environment = {%{$self->environment($port)}, NODE_ENV => 'production'};
    my $server = $self->launch('fastify', $port,
        {env => $environment, user => $self->{user}, directory => $modules}, 'node', 'server.js');
    $self->{versions}{node} = first_line('node --version', qr/v(\S+)/);
    for my $package (qw(fastify pg)) {
        my $about = slurp("$modules/node_modules/$package/package.json");
        ($self->{versions}{$package}) = $about =~ /"version":\s*"([^"]+)"/;
    }
    return $server;
}

# Packages go to the cache, beside a copy of the server; returns that folder.
sub install_node_modules
{
    my ($self) = @_;
    my $folder = "$self->{cache}/fastify";
    make_path($folder);
    my $have = slurp("$folder/installed");
    my $want = slurp("$self->{here}/fastify/package.json");
    for my $file (glob "$self->{here}/fastify/*.js*") {
        copy($file, "$folder/") or die "copy $file: $!\n";
    }
    return $folder if $have eq $want && -d "$folder/node_modules/fastify";
    say_progress('npm: installing fastify and pg');
    run_program('npm install', {directory => $folder, log => $self->log_of('npm'), seconds => 300},
        'npm', 'install', '--omit=dev', '--no-audit', '--no-fund', '--ignore-scripts');
    copy("$folder/package.json", "$folder/installed") or die "copy: $!\n";
    return $folder;
}

sub start_fastapi
{
    my ($self) = @_;
    install_debian_packages($self->log_of('apt'));
    my $folder = "$self->{cache}/fastapi";
    make_path($folder);
    copy($_, "$folder/") or die "copy $_: $!\n" for glob "$self->{here}/fastapi/*.py";
    my $port = free_port();
    my $environment = {%{$self->environment($port)}, PYTHONDONTWRITEBYTECODE => 1};
    my $server = $self->launch('fastapi', $port,
        {env => $environment, user => $self->{user}, directory => $folder},
        $PYTHON, '-m', 'uvicorn', 'server:app', '--host', '127.0.0.1', '--port', $port,
        '--workers', $self->{workers}, '--no-access-log', '--log-level', 'warning',
        '--loop', 'uvloop', '--http', 'httptools');
    $self->{versions}{$_} = python_version($_) for qw(fastapi pydantic asyncpg uvicorn);
    $self->{versions}{python} = first_line("$PYTHON --version", qr/Python (\S+)/);
    return $server;
}

sub install_debian_packages
{
    my ($log) = @_;
    my @missing = map { $DEBIAN_MODULES{$_} }
        grep { system("$PYTHON -c 'import $_' 2>/dev/null") != 0 } sort keys %DEBIAN_MODULES;
    return if !@missing;
    die "FastAPI needs Debian packages: apt-get install @missing\n" if $> != 0;
    say_progress("apt-get: installing @missing");
    my $option = {log => $log, seconds => 300, env => {DEBIAN_FRONTEND => 'noninteractive'}};
    run_program('apt-get install', $option,
        'apt-get', 'install', '-y', '--no-install-recommends', @missing);
    return;
}

sub slurp
{
    my ($path) = @_;
    open(my $file, '<', $path) or return '';
    local $/;
    return scalar <$file> // '';
}

sub first_line
{
    my ($command, $pattern) = @_;
    return `$command 2>&1` =~ $pattern ? $1 : 'unknown';
}

sub python_version
{
    my ($module) = @_;
    my $version = "getattr($module, 'VERSION', None) or $module.__version__";
    return first_line("$PYTHON -c \"import $module; print($version)\"", qr/^(\S+)$/m);
}

1;

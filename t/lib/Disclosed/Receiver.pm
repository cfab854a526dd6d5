package Disclosed::Receiver;

# A receiver of webhooks: a process that writes down what it gets and answers as the path says. It speaks
# plain HTTP; config() has the lines for httpd that put HTTPS in front of it.
#
#     /ok              200
#     /fail-first/N    500 to the first N requests, then 200
#     /busy            503 with Retry-After: 30
#     /abort           500 with webhook-delivery: abort-message
#     /moved           302 to /ok
#     /flapping        500 for two seconds, 200 for the next two, and so on
#     /closed          no answer
#     /slow            200 after three seconds
#     /held            200 when release() has been called
#     /held/NAME       200 when release(NAME) has been
#     /N               the status N
# Whatever follows in the query tells receivers apart: the counts are by the whole target.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run wait_until);
use Disclosed::Shared qw(register_process);
use Disclosed::Site;
use IO::Socket::IP;
use JSON::PP ();
use MIME::Base64 qw(encode_base64 decode_base64);
use Digest::SHA qw(hmac_sha256);
use POSIX ();
use Time::HiRes qw(time);

my $json = JSON::PP->new->utf8->canonical;

# Makes the certificate and starts the process; `directory` is kept by the caller. Options: environment (of the program that makes the
# certificate, which is good from its time on).
sub start
{
    my ($class, $directory, %option) = @_;
    my $self = bless { directory => $directory, file => "$directory/received", owner => $$ }, $class;
    my ($code, undef, $err) = run({ env => $option{environment} // {} }, 'openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', 2, '-subj', '/CN=receiver',
        '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE', '-keyout', "$directory/receiver.key", '-out', "$directory/receiver.pem");
    die "openssl: $err" if $code != 0;
    chmod 0644, "$directory/receiver.key", "$directory/receiver.pem";
    my $socket = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 64) or die "receiver: $@";
    $self->{plain_port} = $socket->sockport;
    $self->{port} = Disclosed::Site::free_port();
    $self->{pid} = fork() // die "fork: $!";
    if ($self->{pid} == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        serve($socket, $self->{file});
        POSIX::_exit(0);
    }
    register_process($self->{pid});
    return $self;
}

sub url { my ($self, $target) = @_; return "https://127.0.0.1:$self->{port}$target" }

# Lines for httpd: HTTPS in front, and the module's directives that let it be called.
sub config
{
    my ($self) = @_;
    my $modules = build('MODULES_DIR');
    my $load = join '', map { "<IfModule !${_}_module>\nLoadModule ${_}_module $modules/mod_$_.so\n</IfModule>\n" } qw(ssl proxy proxy_http);
    return $self->directives . $load . <<"END";
LogLevel info ssl:emerg proxy:emerg proxy_http:emerg
SSLSessionCache none
Listen 127.0.0.1:$self->{port}
<VirtualHost 127.0.0.1:$self->{port}>
DisclosedEngine Off
SSLEngine On
SSLCertificateFile $self->{directory}/receiver.pem
SSLCertificateKeyFile $self->{directory}/receiver.key
ProxyPass / http://127.0.0.1:$self->{plain_port}/ disablereuse=On
</VirtualHost>
END
}

sub directives
{
    my ($self) = @_;
    return "DisclosedWebhookPorts 443 $self->{port}\nDisclosedWebhookAllow 127.0.0.0/8\nDisclosedWebhookCAFile $self->{directory}/receiver.pem\n";
}

# --- the process ---------------------------------------------------------------------------------

sub serve
{
    my ($socket, $file) = @_;
    my %count;
    $SIG{CHLD} = 'IGNORE';
    while (my $client = $socket->accept) {
        my $request = read_request($client) or next;
        my $number = ++$count{ $request->{target} };
        open my $log, '>>', $file or die "$file: $!";
        syswrite $log, $json->encode($request) . "\n";
        close $log;
        if ($request->{target} =~ m{^/(?:slow|held)}) {
            next if fork() // 1;
            $request->{target} =~ m{^/slow} ? sleep 3 : wait_until(60, sub { -e released($file, $request->{target} =~ m{^/held/(\w+)}) });
            syswrite $client, answer($request->{target}, $number);
            POSIX::_exit(0);
        }
        my $answer = answer($request->{target}, $number);
        syswrite $client, $answer if defined $answer;
        close $client;
    }
}

sub read_request
{
    my ($client) = @_;
    my $bytes = '';
    while ($bytes !~ /\r\n\r\n/) {
        sysread $client, $bytes, 65536, length $bytes or return;
    }
    my ($head, $body) = split /\r\n\r\n/, $bytes, 2;
    my ($line, @lines) = split /\r\n/, $head;
    my %headers = map { my ($name, $value) = split /:\s*/, $_, 2; (lc $name => $value) } @lines;
    while (length $body < ($headers{'content-length'} // 0)) {
        sysread $client, $body, 65536, length $body or return;
    }
    my ($method, $target) = split / /, $line;
    return { method => $method, target => $target, headers => \%headers, body => encode_base64($body, ''), at => time };
}

sub answer
{
    my ($target, $number) = @_;
    my ($path) = $target =~ m{^(/[^?]*)};
    return if $path eq '/closed';
    my ($status, @headers) = (200);
    if    ($path =~ m{^/fail-first/(\d+)}) { $status = $number > $1 ? 200 : 500 }
    elsif ($path eq '/busy')               { ($status, @headers) = (503, 'Retry-After: 30') }
    elsif ($path eq '/abort')              { ($status, @headers) = (500, 'webhook-delivery: abort-message') }
    elsif ($path eq '/flapping')           { $status = time / 2 % 2 ? 200 : 500 }
    elsif ($path eq '/moved')              { ($status, @headers) = (302, 'Location: /ok') }
    elsif ($path =~ m{^/(\d{3})$})         { $status = $1 }
    return join("\r\n", "HTTP/1.1 $status Said", @headers, 'Content-Length: 0', 'Connection: close') . "\r\n\r\n";
}

# --- what it got ---------------------------------------------------------------------------------

# The requests to a target, in their order: hashes of method, target, headers, body, at.
sub received
{
    my ($self, $target) = @_;
    open my $file, '<', $self->{file} or return;
    return grep { !defined $target || $_->{target} eq $target }
        map { my $request = $json->decode($_); +{ %$request, body => decode_base64($request->{body}) } } <$file>;
}

# Waits for that many requests to the target; returns them.
sub wait_for
{
    my ($self, $target, $count, $seconds) = @_;
    wait_until($seconds // 10, sub { my @got = $self->received($target); return @got >= $count });
    return $self->received($target);
}

# The file that says so.
sub released { my ($file, $name) = @_; return "$file.released" . ($name ? "-$name" : '') }

# Lets all that is held (under that name) be answered, now and later.
sub release { my ($self, $name) = @_; my $path = released($self->{file}, $name); open my $mark, '>', $path or die "$path: $!" }

# Whether a request is signed by the secret, as Standard Webhooks 1.0.0 says; the sender's clock is off by less than a minute, or the seconds.
sub is_signed
{
    my ($request, $secret, $seconds) = @_;
    my $headers = $request->{headers};
    my $key = decode_base64($secret =~ s/^whsec_//r);
    my $signed = join '.', @$headers{'webhook-id', 'webhook-timestamp'}, $request->{body};
    my $wanted = 'v1,' . encode_base64(hmac_sha256($signed, $key), '');
    return abs($headers->{'webhook-timestamp'} - $request->{at}) < ($seconds // 60) && grep { $_ eq $wanted } split / /, $headers->{'webhook-signature'};
}

sub stop
{
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'TERM', $pid;
    waitpid $pid, 0;
}

END { }

sub DESTROY { my ($self) = @_; local ($?, $!); $self->stop if $self->{owner} == $$ }

1;

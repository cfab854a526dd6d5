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
use Disclosed::Described qw(look_at_delivery);
use Disclosed::Process qw(run wait_until);
use Disclosed::Shared qw(register_process);
use Disclosed::Site;
use IO::Socket::IP;
use MIME::Base64 qw(encode_base64 decode_base64);
use Digest::SHA qw(hmac_sha256 sha256_base64);
use IO::Poll qw(POLLIN POLLHUP POLLERR);
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes qw(time);

my $json = Disclosed::JSON->new->utf8->canonical;

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
    my $socket = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 512) or die "receiver: $@";
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

# Lines for httpd: HTTPS in front, and the module's directives that let it be called. Option keeps: connections between the two are kept.
sub config
{
    my ($self, %option) = @_;
    my $reuse = $option{keeps} ? '' : ' disablereuse=On';
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
ProxyPass / http://127.0.0.1:$self->{plain_port}/$reuse
</VirtualHost>
END
}

sub directives
{
    my ($self) = @_;
    return "DisclosedWebhookPorts 443 $self->{port}\nDisclosedWebhookAllow 127.0.0.0/8\nDisclosedWebhookCAFile $self->{directory}/receiver.pem\n";
}

# --- the process ---------------------------------------------------------------------------------

# One loop for all connections, so that those that are held or slow keep nobody waiting. A connection: socket, in (bytes that have come),
# answer (what is to be sent, once it is due), due (a time, or a file that has to be there).
sub serve
{
    my ($listener, $file) = @_;
    $SIG{PIPE} = 'IGNORE';
    my (%count, %connection, %known);
    my $poll = IO::Poll->new;
    $poll->mask($listener => POLLIN);
    open my $log, '>>:raw', $file or die "$file: $!";
    while (1) {
        my @waiting = grep { defined $_->{due} } values %connection;
        $poll->poll(@waiting ? 0.02 : -1);
        for my $one (grep { is_due($_->{due}) } @waiting) {
            respond($one) or drop($poll, \%connection, $one);
        }
        for my $socket ($poll->handles(POLLIN | POLLHUP | POLLERR)) {
            if ($socket == $listener) {
                my $client = $listener->accept or next;
                $connection{$client} = { socket => $client, in => '' };
                $poll->mask($client => POLLIN);
                next;
            }
            my $one = $connection{$socket};
            my $is_open = sysread $socket, $one->{in}, 65536, length $one->{in};
            if (!$is_open) {
                drop($poll, \%connection, $one);
                next;
            }
            my $request = take_request($one) or next;
            write_down($log, $request, \%known);
            my $target = $request->{target};
            $one->{answer} = answer($target, ++$count{$target}, $one->{is_last});
            $one->{due} = $target =~ m{^/slow} ? time + 3 : $target =~ m{^/held(?:/(\w+))?} ? released($file, $1) : undef;
            defined $one->{due} or respond($one) or drop($poll, \%connection, $one);
        }
    }
}

sub is_due { my ($due) = @_; return $due =~ m{^/} ? -e $due : $due <= time }

sub drop
{
    my ($poll, $connections, $one) = @_;
    $poll->remove($one->{socket});
    delete $connections->{ $one->{socket} };
    close $one->{socket};
}

# Sends what is due; whether the connection stays.
sub respond
{
    my ($one) = @_;
    my $answer = delete $one->{answer};
    delete $one->{due};
    return defined $answer && syswrite($one->{socket}, $answer) && !$one->{is_last};
}

# The request that has come whole; nothing before.
sub take_request
{
    my ($one) = @_;
    my $end = index $one->{in}, "\r\n\r\n";
    return if $end < 0;
    my ($line, @lines) = split /\r\n/, substr $one->{in}, 0, $end;
    my %headers = map { my ($name, $value) = split /:\s*/, $_, 2; (lc $name => $value) } @lines;
    my $length = $headers{'content-length'} // 0;
    return if length $one->{in} < $end + 4 + $length;
    my $body = substr $one->{in}, $end + 4, $length;
    substr $one->{in}, 0, $end + 4 + $length, '';
    $one->{is_last} = ($headers{connection} // '') =~ /close/i;
    my ($method, $target) = split / /, $line;
    return { method => $method, target => $target, headers => \%headers, body => $body, at => time };
}

# A body is written down once; then it is known by its digest.
sub write_down
{
    my ($log, $request, $known) = @_;
    my $body = delete $request->{body};
    $request->{digest} = sha256_base64($body);
    $request->{body} = encode_base64($body, '') if !$known->{ $request->{digest} }++;
    syswrite $log, $json->encode($request) . "\n";
}

sub answer
{
    my ($target, $number, $is_last) = @_;
    my ($path) = $target =~ m{^(/[^?]*)};
    return if $path eq '/closed';
    my ($status, @headers) = (200);
    if    ($path =~ m{^/fail-first/(\d+)}) { $status = $number > $1 ? 200 : 500 }
    elsif ($path eq '/busy')               { ($status, @headers) = (503, 'Retry-After: 30') }
    elsif ($path eq '/abort')              { ($status, @headers) = (500, 'webhook-delivery: abort-message') }
    elsif ($path eq '/flapping')           { $status = time / 2 % 2 ? 200 : 500 }
    elsif ($path eq '/moved')              { ($status, @headers) = (302, 'Location: /ok') }
    elsif ($path =~ m{^/(\d{3})$})         { $status = $1 }
    return join("\r\n", "HTTP/1.1 $status Said", @headers, 'Content-Length: 0', $is_last ? 'Connection: close' : ()) . "\r\n\r\n";
}

# --- what it got ---------------------------------------------------------------------------------

# Calls the code for each request, in their order: hashes of method, target, headers, body, at.
sub each_received
{
    my ($self, $code) = @_;
    open my $file, '<:raw', $self->{file} or return;
    my %bodies;
    while (my $line = <$file>) {
        last if $line !~ /\n\z/; # is being written
        my $request = $json->decode($line);
        my $digest = delete $request->{digest};
        $request->{body} = $bodies{$digest} //= decode_base64($request->{body});
        look_at_delivery($request) if $request->{headers}{'webhook-id'} && !$self->{looked_at}{$digest}++;
        $code->($request);
    }
}

# The requests to a target, or all.
sub received
{
    my ($self, $target) = @_;
    my @requests;
    $self->each_received(sub { push @requests, $_[0] if !defined $target || $_[0]{target} eq $target });
    return @requests;
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

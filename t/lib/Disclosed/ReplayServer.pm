package Disclosed::ReplayServer;

# The public sources, played again by a process of its own on a port of this machine: what Disclosed::ReplayPages has at the time of
# the made day, damaged by Disclosed::ReplayDamage's plan. It has the sources' manners: conditional requests, ranges, gzip,
# connections that are kept; it knows nobody without a contact in the User-Agent, and refuses who asks too often. The day begins
# with begin() and takes so many seconds as the server was told. Each request is written down.

use v5.24;
use warnings;
use Compress::Zlib ();
use Digest::MD5 qw(md5_hex);
use Disclosed::Process qw(wait_until);
use Disclosed::ReplayDamage qw(block_page);
use Disclosed::ReplayPages;
use Disclosed::Shared qw(fresh register_process workspace);
use Errno qw(EAGAIN EWOULDBLOCK EINTR);
use IO::Socket::IP;
use Disclosed::JSON ();
use POSIX qw(strftime);
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC SOL_SOCKET SO_LINGER);
use Time::HiRes qw(time);

use constant PIECE => 65_536;

my $json = Disclosed::JSON->new->utf8->canonical;

my @hosts = qw(www.sec.gov data.sec.gov cdn.finra.org disclosures-clerk.house.gov);

# Options: pages (of Disclosed::ReplayPages), seconds (of the whole day, 60), damage (of Disclosed::ReplayDamage, or none), limit (of
# requests to the SEC in a second, 10), refusal (status of those beyond, 429). A page that is `careless` is given in parts though it has changed.
sub start
{
    my ($class, %option) = @_;
    my $self = bless { seconds => 60, limit => 10, refusal => 429, damage => Disclosed::ReplayDamage->new, %option,
        owner => $$, file => workspace() . '/' . fresh('requests') }, $class;
    my $listener = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 64, Blocking => 0) or die "replay: $@";
    $self->{port} = $listener->sockport;
    socketpair $self->{control}, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!";
    $self->{pid} = fork() // die "fork: $!";
    if ($self->{pid} == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{PIPE} = 'IGNORE';
        close $self->{control};
        eval { serve($self, $listener, $theirs) };
        warn "the replay server ends: $@";
        POSIX::_exit(1);
    }
    register_process($self->{pid});
    return $self;
}

# Where a source is to be asked for, as options of a command.
sub mirrors
{
    my ($self) = @_;
    return map { ('--mirror', "https://$_=" . $self->url("/$_")) } @hosts;
}

sub url { my ($self, $path) = @_; return "http://127.0.0.1:$self->{port}$path" }

sub tell
{
    my ($self, @words) = @_;
    syswrite $self->{control}, "@words\n";
    sysread($self->{control}, my $done, 1) or die "the replay server is gone\n";
}

# Lets the day begin, or puts it at a part of its time (0 to 1).
sub begin
{
    my ($self, $part) = @_;
    $self->{begun} = time - ($part // 0) * $self->{seconds};
    $self->tell('begin', $self->{begun});
}

# From now on damages so large a share of the requests.
sub damage_share { my ($self, $share) = @_; $self->tell('share', $share) }

# Whether the day is over, as is what appears at its end.
sub is_over { my ($self) = @_; return defined $self->{begun} && time >= $self->{begun} + $self->{seconds} }

# When a filing, or what has such a time, was there to be asked for.
sub published_at
{
    my ($self, $at) = @_;
    my $pages = $self->{pages};
    return $self->{begun} + ($at - $pages->{from}) * $self->{seconds} / ($pages->{until} - $pages->{from});
}

# The requests so far, in the order of their coming: hashes of at, method, target, status, agent, connection, damage, encoding, range, if_range, bytes, condition.
sub requests
{
    my ($self) = @_;
    open my $file, '<', $self->{file} or return;
    return map { $json->decode($_) } grep { /\n\z/ } <$file>;
}

# Bytes of bodies that have gone out so far.
sub sent
{
    my ($self) = @_;
    open my $file, '<', "$self->{file}-sent" or return 0;
    my $sum = 0;
    $sum += $_ while <$file>;
    return $sum;
}

# How many requests came in the worst second, of those to hosts whose names match.
sub most_in_a_second
{
    my ($self, $hosts) = @_;
    my @times = map { $_->{at} } grep { $_->{target} =~ m{^/$hosts/} } $self->requests;
    my ($first, $most) = (0, 0);
    for my $last (0 .. $#times) {
        $first++ while $times[$first] <= $times[$last] - 1;
        $most = $last - $first + 1 if $last - $first + 1 > $most;
    }
    return $most;
}

sub stop
{
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'TERM', $pid;
    waitpid $pid, 0;
}

sub DESTROY { my ($self) = @_; local ($?, $!); $self->stop if $self->{owner} == $$ }

# --- the process ---------------------------------------------------------------------------------

sub serve
{
    my ($self, $listener, $control) = @_;
    open $self->{log}, '>>', $self->{file} or die "$self->{file}: $!";
    open my $sent, '>>', "$self->{file}-sent" or die "$self->{file}-sent: $!";
    $self->{connections} = [];
    while (1) {
        my ($read, $write) = ('', '');
        vec($read, fileno $_, 1) = 1 for $listener, $control;
        for my $connection ($self->{connections}->@*) {
            my $number = fileno $connection->{socket};
            vec($read,  $number, 1) = 1 if !$connection->{queue}->@*;
            vec($write, $number, 1) = 1 if $connection->{queue}->@* && $connection->{queue}[0]{from} <= time;
        }
        select $read, $write, undef, 0.02;
        take_order($self, $control) if vec $read, fileno $control, 1;
        accept_all($self, $listener) if vec $read, fileno $listener, 1;
        for my $connection ($self->{connections}->@*) {
            my $number = fileno $connection->{socket};
            take($self, $connection) if vec $read, $number, 1;
            send_more($connection) if vec $write, $number, 1;
            syswrite $sent, delete($connection->{sent}) . "\n" if $connection->{sent} && ($connection->{ended} || !$connection->{queue}->@*);
        }
        $self->{connections} = [grep { !$_->{ended} } $self->{connections}->@*];
    }
}

sub take_order
{
    my ($self, $control) = @_;
    sysread $control, my $line, 256 or POSIX::_exit(0);
    my ($word, $number) = split ' ', $line;
    $self->{begun} = $number if $word eq 'begin';
    $self->{damage}{share} = $number if $word eq 'share';
    syswrite $control, '.';
}

sub accept_all
{
    my ($self, $listener) = @_;
    while (my $socket = $listener->accept) {
        $socket->blocking(0);
        push $self->{connections}->@*, { socket => $socket, input => '', queue => [], number => ++$self->{accepted} };
    }
}

sub take
{
    my ($self, $connection) = @_;
    my $got = sysread $connection->{socket}, $connection->{input}, PIECE, length $connection->{input};
    return if !defined $got && ($! == EAGAIN || $! == EWOULDBLOCK || $! == EINTR);
    return end($connection) if !$got;
    next_request($self, $connection);
}

sub next_request
{
    my ($self, $connection) = @_;
    $connection->{input} =~ s/\A(.*?)\r\n\r\n//s or return;
    my ($line, @lines) = split /\r\n/, $1;
    my %headers = map { my ($name, $value) = split /:\s*/, $_, 2; (lc $name => $value) } @lines;
    my ($method, $target) = split / /, $line;
    my $request = { method => $method, target => $target, headers => \%headers, at => time };
    my $response = respond($self, $request);
    my $damage = $response->{status} =~ /^20[06]$/ ? $self->{damage}->apply($target, $response) : undef;
    write_down($self, $connection, $request, $response, $damage);
    put($connection, $request, $response);
}

sub write_down
{
    my ($self, $connection, $request, $response, $damage) = @_;
    my $headers = $request->{headers};
    syswrite $self->{log}, $json->encode({ at => $request->{at}, method => $request->{method}, target => $request->{target}, status => $response->{status},
        agent => $headers->{'user-agent'}, connection => $connection->{number}, damage => $damage, encoding => $headers->{'accept-encoding'},
        range => $headers->{range}, if_range => $headers->{'if-range'}, bytes => $response->{cut} // $response->{length}, condition => $headers->{'if-none-match'} // $headers->{'if-modified-since'} }) . "\n";
}

# --- responses -----------------------------------------------------------------------------------

my %phrases = (200 => 'OK', 206 => 'Partial Content', 304 => 'Not Modified', 403 => 'Forbidden', 404 => 'Not Found', 405 => 'Method Not Allowed',
    416 => 'Range Not Satisfiable', 429 => 'Too Many Requests', 503 => 'Service Unavailable');

# A response: {status, headers, bytes or path with offset, length}.
sub message
{
    my ($status, $type, $bytes, %headers) = @_;
    return { status => $status, bytes => $bytes, length => length $bytes, headers => { 'Content-Type' => $type, %headers } };
}

sub respond
{
    my ($self, $request) = @_;
    my ($path, $query) = split /\?/, $request->{target}, 2;
    return message(405, 'text/html', "no\n", Allow => 'GET, HEAD') if $request->{method} !~ /^(?:GET|HEAD)\z/;
    if ($path =~ m{^/(?:www|data)\.sec\.gov/}) {
        my $refusal = manners($self, $request);
        return $refusal if $refusal;
    }
    my %parameters = map { my ($name, $value) = map { s/\+/ /gr =~ s/%(..)/chr hex $1/ger } split /=/, $_, 2; ($name => $value // '') } split /&/, $query // '';
    my $page = $self->{pages}->page($path, \%parameters, day_time($self)) or return missing($path);
    return with_condition($request, $page);
}

# Seconds since 1970 of the made day; what comes after it takes its time, as a day with an index of its own would soon be over otherwise.
sub day_time
{
    my ($self) = @_;
    my $pages = $self->{pages};
    return $pages->{from} - 1 if !defined $self->{begun};
    my $since = time - $self->{begun};
    return $pages->{until} + $since - $self->{seconds} if $since > $self->{seconds};
    return $pages->{from} + $since * ($pages->{until} - $pages->{from}) / $self->{seconds};
}

# What the SEC says to whom it does not serve.
sub manners
{
    my ($self, $request) = @_;
    my $now = $request->{at};
    my $recent = $self->{recent} //= [];
    shift @$recent while @$recent && $recent->[0] <= $now - 1;
    push @$recent, $now;
    return message(403, 'text/html', block_page()) if ($request->{headers}{'user-agent'} // '') !~ /[^\s@]+@[^\s@]+\.[a-z]{2,}/i;
    return if @$recent <= $self->{limit};
    return message($self->{refusal}, 'text/html', "<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head><body>Too many requests.</body></html>\n", 'Retry-After' => 2);
}

sub missing
{
    my ($path) = @_;
    return message(404, 'application/xml', "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>")
        if $path =~ m{^/data\.sec\.gov/};
    return message(404, 'text/html', "<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n");
}

sub http_date { return strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime $_[0]) }

sub etag_of
{
    my ($page) = @_;
    return $page->{etag} //= '"' . (defined $page->{bytes} ? md5_hex($page->{bytes}) : md5_hex(join ' ', $page->{path}, -s $page->{path}, $page->{at})) . '"';
}

# The page as the request's conditions, range and encodings want it.
sub with_condition
{
    my ($request, $page) = @_;
    my $headers = $request->{headers};
    my %response = (status => 200, path => $page->{path}, offset => 0, bytes => $page->{bytes}, length => defined $page->{bytes} ? length $page->{bytes} : -s $page->{path},
        headers => { 'Content-Type' => $page->{type} });
    if (defined $page->{at}) {
        my ($tag, $date) = (etag_of($page), http_date($page->{at}));
        @{ $response{headers} }{qw(ETag Last-Modified Accept-Ranges)} = ($tag, $date, 'bytes');
        my $is_same = defined $headers->{'if-none-match'} ? scalar grep { $_ eq $tag } map { s/^W\///r =~ s/-gzip"\z/"/r } split /\s*,\s*/, $headers->{'if-none-match'}
            : ($headers->{'if-modified-since'} // '') eq $date;
        return { status => 304, bytes => '', length => 0, headers => { ETag => $tag, 'Last-Modified' => $date } } if $is_same;
        my $is_range = defined $headers->{range} && ($page->{careless} || !defined $headers->{'if-range'} || $headers->{'if-range'} eq $tag || $headers->{'if-range'} eq $date);
        return in_range(\%response, $headers->{range}) if $is_range;
    }
    compress(\%response) if defined $page->{bytes} && ($headers->{'accept-encoding'} // '') =~ /\bgzip\b/ && $page->{type} =~ /text|xml|json/ && $response{length} > 200;
    return \%response;
}

sub in_range
{
    my ($response, $range) = @_;
    my $size = $response->{length};
    my ($first, $last) = $range =~ /^bytes=(\d*)-(\d*)\z/ or return $response;
    ($first, $last) = $first eq '' ? ($size - $last, $size - 1) : ($first, $last eq '' || $last >= $size ? $size - 1 : $last);
    return message(416, 'text/html', "no such range\n", 'Content-Range' => "bytes */$size") if $first > $last || $first >= $size;
    $response->{status} = 206;
    $response->{headers}{'Content-Range'} = "bytes $first-$last/$size";
    $response->{bytes} = substr $response->{bytes}, $first, $last - $first + 1 if defined $response->{bytes};
    @$response{qw(offset length)} = ($first, $last - $first + 1);
    return $response;
}

sub compress
{
    my ($response) = @_;
    $response->{bytes} = Compress::Zlib::memGzip($response->{bytes});
    $response->{length} = length $response->{bytes};
    $response->{headers}{'Content-Encoding'} = 'gzip';
    $response->{headers}{Vary} = 'Accept-Encoding';
    $response->{headers}{ETag} =~ s/"\z/-gzip"/ if $response->{headers}{ETag};
}

# --- sending -------------------------------------------------------------------------------------

# Queues a response: pieces, each with the time from which it goes, and what is done at the end.
sub put
{
    my ($connection, $request, $response) = @_;
    my $headers = $response->{headers};
    $headers->{Date} //= http_date(time);
    $headers->{'Content-Length'} = $response->{stated} // $response->{length};
    my $is_kept = !defined $response->{cut} && ($request->{headers}{connection} // '') !~ /close/i;
    $headers->{Connection} = 'close' if !$is_kept && !defined $response->{cut};
    my $head = join '', "HTTP/1.1 $response->{status} $phrases{ $response->{status} }\r\n", (map { "$_: $headers->{$_}\r\n" } sort keys %$headers), "\r\n";
    my $length = $request->{method} eq 'HEAD' || $response->{status} == 304 ? 0 : $response->{cut} // $response->{length};
    my @queue = $length < 0 ? () : ({ bytes => $head, from => 0 });
    push @queue, pieces_of($response, $length) if $length > 0;
    $connection->{queue} = \@queue;
    $connection->{end} = $response->{reset} ? 'reset' : $is_kept ? 'keep' : 'close';
    send_more($connection);
}

# The body's first bytes as pieces; over so many seconds where the response pauses.
sub pieces_of
{
    my ($response, $length) = @_;
    my $count = $response->{pause} ? 6 : 1;
    my $share = int($length / $count) + 1;
    my @pieces;
    for (my $at = 0; $at < $length; $at += $share) {
        my $size = $at + $share > $length ? $length - $at : $share;
        my $from = $response->{pause} ? time + $response->{pause} * $at / $length : 0;
        push @pieces, defined $response->{bytes} ? { bytes => substr($response->{bytes}, $at, $size), from => $from }
            : { path => $response->{path}, offset => $response->{offset} + $at, left => $size, from => $from };
    }
    return @pieces;
}

# Fills a piece of a file from where it stands.
sub fill
{
    my ($piece) = @_;
    return if length($piece->{bytes} // '') || !$piece->{left};
    if (!$piece->{file}) {
        open $piece->{file}, '<:raw', $piece->{path} or die "$piece->{path}: $!";
        sysseek $piece->{file}, $piece->{offset}, 0;
    }
    my $wanted = $piece->{left} > PIECE ? PIECE : $piece->{left};
    sysread($piece->{file}, $piece->{bytes}, $wanted) or die "$piece->{path}: it is shorter than it was\n";
    $piece->{left} -= length $piece->{bytes};
}

# As much as the socket takes, but not so much that others wait for it.
sub send_more
{
    my ($connection) = @_;
    my $queue = $connection->{queue};
    for (1 .. 16) {
        last if !@$queue || $queue->[0]{from} > time;
        my $piece = $queue->[0];
        fill($piece);
        my $sent = syswrite $connection->{socket}, $piece->{bytes};
        if (!defined $sent) {
            return if $! == EAGAIN || $! == EWOULDBLOCK || $! == EINTR;
            return end($connection);
        }
        $connection->{sent} += $sent;
        substr $piece->{bytes}, 0, $sent, '';
        return if length $piece->{bytes};
        shift @$queue if !$piece->{left};
    }
    return if @$queue || ($connection->{end} // 'keep') eq 'keep';
    # Without lingering, what is open is reset.
    setsockopt $connection->{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $connection->{end} eq 'reset';
    end($connection);
}

sub end
{
    my ($connection) = @_;
    close $connection->{socket};
    @$connection{qw(ended queue)} = (1, []);
}

1;

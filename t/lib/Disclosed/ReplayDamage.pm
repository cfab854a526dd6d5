package Disclosed::ReplayDamage;

# What goes wrong between a source and who reads it, mixed in by a plan: a seed and a share of the requests. The same request of the same
# number is damaged in the same way in each run; the third in a row is whole, so that whoever asks again gets what there is.
#
# A kind changes a response: {status, headers, bytes or path, length (of the body), and what is done: cut (bytes after which the connection
# is closed), reset (the same, by RST), pause (seconds for the whole body)}.

use v5.24;
use warnings;
use Compress::Zlib ();
use Digest::MD5 qw(md5);
use Exporter qw(import);

our @EXPORT_OK = qw(block_page kinds);

# What the SEC shows to whom it does not know.
sub block_page
{
    return <<'END';
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>SEC.gov | Your Request Originates from an Undeclared Automated Tool</title></head>
<body><h1>Your Request Originates from an Undeclared Automated Tool</h1>
<p>To allow for equitable access to all users, SEC reserves the right to limit requests originating from undeclared automated tools.</p>
<p>Reference ID: 0.5dfe1202.1763899326.2cb31e0</p></body></html>
END
}

sub html_page
{
    return "<!DOCTYPE html>\n<html><head><title>SEC.gov | File Unavailable</title></head>\n<body><h1>This page is temporarily unavailable.</h1></body></html>\n";
}

# A page in place of what was asked for, with the status of success.
sub replaced
{
    my ($response, $bytes) = @_;
    delete @$response{qw(path offset)};
    delete @{ $response->{headers} }{qw(ETag Last-Modified Content-Range Content-Encoding Accept-Ranges)};
    @$response{qw(status bytes length)} = (200, $bytes, length $bytes);
    $response->{headers}{'Content-Type'} = 'text/html';
}

my %change = (
    cut          => sub { $_[0]{cut} = int($_[0]{length} / 2) },                                   # the connection ends midway
    reset        => sub { $_[0]{cut} = int($_[0]{length} / 3); $_[0]{reset} = 1 },
    refused      => sub { $_[0]{cut} = -1; $_[0]{reset} = 1 },                                     # not even a status
    short_length => sub { $_[0]{length} = $_[0]{stated} = int($_[0]{length} / 2) },                # says half, and sends half
    long_length  => sub { $_[0]{stated} = $_[0]{length} + 100; $_[0]{cut} = $_[0]{length} },       # says more than comes
    blocked      => sub { replaced($_[0], block_page()) },
    html         => sub { replaced($_[0], html_page()) },
    empty        => sub { replaced($_[0], '') },
    unavailable  => sub { replaced($_[0], html_page()); $_[0]{status} = 503; $_[0]{headers}{'Retry-After'} = 1 },
    slow         => sub { $_[0]{pause} = 1.5 },                                                    # whole, in the end
    clock        => sub { @{ $_[0]{headers} }{qw(Date Last-Modified)} = ('Thu, 01 Jan 2037 00:00:00 GMT') x 2 }, # whole, by a clock that is off
    packed       => sub { packed(@_) },
    skips        => sub { skips(@_) },
);

# gzip whose end is missing, under its true length.
sub packed
{
    my ($response) = @_;
    return replaced($response, html_page()) if !defined $response->{bytes} || $response->{headers}{'Content-Range'};
    my $plain = $response->{headers}{'Content-Encoding'} ? Compress::Zlib::memGunzip($response->{bytes}) : $response->{bytes};
    my $whole = Compress::Zlib::memGzip($plain);
    $response->{bytes} = substr $whole, 0, int(2 * length($whole) / 3);
    $response->{length} = length $response->{bytes};
    $response->{headers}{'Content-Encoding'} = 'gzip';
}

# A feed without some of its entries.
sub skips
{
    my ($response) = @_;
    my $is_packed = delete $response->{headers}{'Content-Encoding'};
    my $text = $is_packed ? Compress::Zlib::memGunzip($response->{bytes}) : $response->{bytes};
    my $number = 0;
    $text =~ s{(<entry>.*?</entry>\n)}{$number++ % 3 == 0 ? '' : $1}sge;
    @$response{qw(bytes length)} = ($text, length $text);
}

sub kinds { return sort keys %change }

# Options: seed, share (of the requests, 0 to 1), kinds (all).
sub new
{
    my ($class, %option) = @_;
    my $self = bless { seed => 1, share => 0, kinds => [kinds()], asked => {}, row => {}, %option }, $class;
    for my $kind ($self->{kinds}->@*) {
        die "no damage of kind $kind\n" if !$change{$kind};
    }
    return $self;
}

# Damages a response, or leaves it; returns the kind, or nothing. `target` is the request's path and query.
sub apply
{
    my ($self, $target, $response) = @_;
    my $number = ++$self->{asked}{$target};
    my ($chance, $which) = unpack 'NN', md5("$self->{seed} $target $number");
    my @kinds = grep { $_ ne 'skips' || $target =~ /getcurrent/ } $self->{kinds}->@*;
    if (!@kinds || $chance / 2**32 >= $self->{share} || ($self->{row}{$target} // 0) >= 2) {
        $self->{row}{$target} = 0;
        return;
    }
    $self->{row}{$target}++;
    my $kind = $kinds[$which % @kinds];
    $change{$kind}->($response);
    return $kind;
}

1;

package Disclosed::Response;

# An answer: status, headers, body; and whether it is whole.

use v5.24;
use warnings;
use Disclosed::JSON ();

my $json = Disclosed::JSON->new->utf8->allow_nonref;

sub new
{
    my ($class, $method, $raw) = @_;
    my $self = bless { method => $method, status => 0, headers => {}, body => '', error => $raw->{error} },
        $class;
    my ($head, $body) = split /\r\n\r\n/, $raw->{bytes} // '', 2;
    return $self if !defined $body;
    my ($line, @lines) = split /\r\n/, $head;
    ($self->{status}) = $line =~ m{^HTTP/1\.[01] (\d{3}) } or return $self->fault("status line $line");
    for my $field (@lines) {
        my ($name, $value) = $field =~ /^([^:\s]+):\s*(.*?)\s*$/ or return $self->fault("field $field");
        $name = lc $name;
        $self->{headers}{$name} = defined $self->{headers}{$name} ? "$self->{headers}{$name}, $value" : $value;
    }
    $self->{body} = $body;
    return $self->check_body;
}

sub fault
{
    my ($self, $text) = @_;
    $self->{error} //= $text;
    return $self;
}

# Takes chunks apart; compares the length with what was announced.
sub check_body
{
    my ($self) = @_;
    my $length = $self->header('content-length');
    if ($self->{method} eq 'HEAD' || $self->{status} == 304 || $self->{status} == 204) {
        return length $self->{body} ? $self->fault('a body where there is none') : $self;
    }
    if (($self->header('transfer-encoding') // '') eq 'chunked') {
        my ($whole, $at, $line) = ('', 0, qr/([0-9a-fA-F]+)[^\r\n]*\r\n/);
        my $coded = delete $self->{body};
        while ($at < length $coded && substr($coded, $at, 100) =~ ($at ? qr/^\r\n$line/ : qr/^$line/)) {
            my ($size, $head) = (hex $1, $+[0]);
            $self->{body} = $whole, return $self if $size == 0;
            $whole .= substr $coded, $at + $head, $size;
            $at += $head + $size;
        }
        $self->{body} = $whole;
        return $self->fault('the last chunk is missing');
    }
    return $self->fault("$length bytes announced, " . length($self->{body}) . ' came')
        if defined $length && $length != length $self->{body};
    return $self;
}

sub status { return $_[0]{status} }
sub body   { return $_[0]{body} }
sub error  { return $_[0]{error} }

sub header
{
    my ($self, $name) = @_;
    return $self->{headers}{ lc $name };
}

# The body decoded; undef where it is not JSON.
sub json
{
    my ($self) = @_;
    $self->{json} //= eval { $json->decode($self->{body}) };
    return $self->{json};
}

# The text of the `data` array's elements, undecoded.
sub data_text
{
    my ($self) = @_;
    return $self->{body} =~ /"data":\[(.*)\],"pagination":\{[^{}]*\}\}\z/s ? $1 : undef;
}

# What a failing test should show.
sub describe
{
    my ($self) = @_;
    my $headers = join '', map { "  $_: $self->{headers}{$_}\n" } sort keys $self->{headers}->%*;
    return "status $self->{status}" . ($self->{error} ? " ($self->{error})" : '') . "\n$headers  "
        . substr($self->{body}, 0, 1500) . "\n";
}

1;

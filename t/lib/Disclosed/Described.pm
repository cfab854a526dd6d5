package Disclosed::Described;

# Responses against what the OpenAPI documents say of them: every status, content type and body, but of long ones the first of each
# operation and status and then fewer and fewer. finish() of Disclosed::Test tells what was found.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Schema qw(schema_faults);
use Exporter qw(import);
use Disclosed::JSON ();
use JSON::PP ();
use Storable ();

our @EXPORT_OK = qw(look_at described_faults looked_at_responses);

my (@operations, @faults, %seen, %checked);
my $exact = JSON::PP->new->utf8->allow_bignum;

# What any request may meet, whatever it asks for; and what a configuration may add to what the tables say.
my %always = map { ($_ => 1) } qw(206 307 400 402 405 408 413 414 431);

# The documents, read once for a build: JSON::PP takes a second for them.
sub documents
{
    my $ctl   = build('CTL');
    my $store = build('BUILDDIR') . '/t/openapi.store';
    if (!-e $store || (stat $store)[9] < (stat $ctl)[9]) {
        my @documents = map { Disclosed::JSON->new->utf8->decode(scalar `'$ctl' openapi --surface $_`) } qw(public earlier);
        Storable::nstore(\@documents, "$store.$$");
        rename "$store.$$", $store or die "$store: $!";
    }
    return Storable::retrieve($store)->@*;
}

sub read_operations
{
    for my $document (documents()) {
        for my $path (keys $document->{paths}->%*) {
            my $pattern = join '', map { /^\{/ ? '[^/]+' : quotemeta } split /(\{\w+\})/, $path;
            push @operations, { document => $document, method => uc $_, pattern => qr/^$pattern\z/, %{ $document->{paths}{$path}{$_} } }
                for keys $document->{paths}{$path}->%*;
        }
    }
}

# The operation of a target; of paths that fit, the one with the fewest parameters.
sub operation_of
{
    my ($method, $target) = @_;
    my $path = $target =~ s/\?.*//sr;
    read_operations() if !@operations;
    my ($found) = sort { (() = $a->{pattern} =~ /\[/g) <=> (() = $b->{pattern} =~ /\[/g) }
        grep { $_->{method} eq ($method eq 'HEAD' ? 'GET' : $method) && $path =~ $_->{pattern} } @operations;
    return $found;
}

sub fault { my ($method, $target, $text) = @_; push @faults, "$method $target: $text" if @faults < 20; return }

# Whether a body of this operation and status is checked: if it is longer than 64 KiB the first three, then each whose number is a power
# of two; with DISCLOSED_DESCRIBED=whole all of them.
sub is_due
{
    my ($name, $length) = @_;
    return 1 if $length <= 65536 || ($ENV{DISCLOSED_DESCRIBED} // '') eq 'whole';
    my $count = ++$seen{$name};
    return $count <= 3 || ($count & ($count - 1)) == 0;
}

sub check_body
{
    my ($operation, $described, $method, $target, $response) = @_;
    my ($type) = ($response->header('content-type') // '') =~ /^([^;]+)/;
    my $content = $described->{content}{ $type // '' };
    return fault($method, $target, 'status ' . $response->status . ' is of the type ' . ($type // 'none')) if !$content;
    return if $response->header('content-encoding') || $type !~ m{[/+]json\z} || $target =~ /[?&]fields=/ || $method eq 'HEAD' || !is_due("$operation->{operationId} " . $response->status, length $response->body);
    my $json = $response->json;
    return fault($method, $target, 'the body is no JSON') if !defined $json;
    my @wrong = schema_faults($json, $content->{schema}, $operation->{document});
    # Numbers of more digits than Perl's have become strings.
    @wrong = schema_faults($exact->decode($response->body), $content->{schema}, $operation->{document}) if grep { /is a string, not (?:number|integer)/ } @wrong;
    $checked{bodies}++;
    return @wrong ? fault($method, $target, "status " . $response->status . ": $wrong[0]") : undef;
}

sub look_at
{
    my ($method, $target, $response) = @_;
    return if $response->error || !$response->header('x-request-id') || $target !~ m{^/(?:v1|api/disclosed/v1)/} || $method !~ /^(?:GET|HEAD|POST|PATCH|DELETE)\z/;
    my $operation = operation_of($method, $target) // return;
    my $status = $response->status;
    my $described = $operation->{responses}{$status};
    if (!$described) {
        # An endpoint that is switched off is none.
        return if $always{$status} || $status == 404 && $response->body =~ /There is no such resource/;
        return fault($method, $target, "status $status is not described");
    }
    ($described) = map { $operation->{document}{components}{responses}{$_} } $described->{'$ref'} =~ m{([^/]+)\z} if $described->{'$ref'};
    $checked{responses}++;
    return $described->{content} ? check_body($operation, $described, $method, $target, $response) : undef;
}

sub described_faults { return @faults }
sub looked_at_responses { return ($checked{responses} // 0, $checked{bodies} // 0) }

1;

package Disclosed::Described;

# Responses against what the OpenAPI documents say of them: every status, content type and body, but of long ones the first of each
# operation and status and then fewer and fewer. finish() of Disclosed::Test tells what was found.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Schema qw(schema_faults partial_faults);
use Exporter qw(import);
use IO::Uncompress::Gunzip qw(gunzip);
use Disclosed::JSON ();
use JSON::PP ();
use Storable ();

our @EXPORT_OK = qw(look_at look_at_delivery configured_headers described_faults take_faults looked_at_responses);

my (@operations, @faults, %seen, %checked, $public);
my $json = Disclosed::JSON->new->utf8->allow_nonref;
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

# A target's path as httpd reads it: unreserved characters as themselves, no empty segments, and no dots between slashes.
sub path_of
{
    my ($target) = @_;
    my $path = $target =~ s/\?.*//sr =~ s{//+}{/}gr;
    $path =~ s{%([0-9A-Fa-f]{2})}{ my $letter = chr hex $1; $letter =~ /[A-Za-z0-9._~-]/ ? $letter : "%$1" }ge;
    1 while $path =~ s{/\.(?=/|\z)}{} || $path =~ s{/[^/]+/\.\.(?=/|\z)}{};
    return $path;
}

# The operation of a target; of paths that fit, the one with the fewest parameters.
sub operation_of
{
    my ($method, $target) = @_;
    my $path = path_of($target);
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

# The body without its encoding; nothing: it is one that cannot be read here.
sub decoded
{
    my ($response) = @_;
    my $encoding = $response->header('content-encoding') // return $response->body;
    return if $encoding ne 'gzip';
    my ($body, $plain) = ($response->body);
    return gunzip(\$body => \$plain) ? $plain : '';
}

# The members of items that `fields` asks for, as {first name => 1}; nothing: all.
sub fields_of
{
    my ($target) = @_;
    my @fields = map { /^([^.]+)/ } map { split /,/, s/%([0-9A-Fa-f]{2})/chr hex $1/ger } $target =~ /[?&]fields=([^&]*)/g;
    return @fields ? { map { ($_ => 1) } @fields } : undef;
}

# The schema that a reference leads to.
sub resolved { my ($schema, $document) = @_; return $schema->{'$ref'} ? $document->{components}{schemas}{ $schema->{'$ref'} =~ s{.*/}{}r } : $schema }

# The schema of a list's items, by that of the list; of what is no list, of the array of that name.
sub items_of
{
    my ($schema, $document, $name) = @_;
    my $whole = resolved($schema, $document);
    return ($whole->{properties} ? $whole->{properties}{ $name // 'data' } : $whole)->{items};
}

# What is wrong with an item of a list; with `fields` it has those members and no others.
sub item_faults
{
    my ($item, $schema, $fields, $document) = @_;
    return schema_faults($item, $schema, $document) if !$fields;
    my ($has, $wanted) = map { join ',', sort keys %$_ } $item, $fields;
    return ($has eq $wanted ? () : "it has the members $has, not $wanted", partial_faults($item, $schema, $document));
}

# Decodes and checks; where a number has more digits than Perl's, and so is a string, once more with all of them.
sub faults_of_text
{
    my ($text, $check) = @_;
    my $value = eval { $json->decode($text) } // return 'it is no JSON';
    my @wrong = $check->($value);
    return (grep { /is a string, not (?:number|integer)/ } @wrong) ? $check->($exact->decode($text)) : @wrong;
}

# What is wrong with a body, by its type; of a list in lines each line is an item.
sub body_faults
{
    my ($type, $body, $operation, $described, $fields) = @_;
    my ($schema, $document) = ($described->{content}{$type}{schema}, $operation->{document});
    if ($type eq 'application/x-ndjson') {
        my ($name) = $described->{content}{$type}{schema}{description} =~ /^An item of `(\w+)` a line/;
        my $items = items_of($described->{content}{'application/json'}{schema}, $document, $name);
        return 'its last line does not end' if length $body && $body !~ /\n\z/;
        my $number = 0;
        return map { $number++; my $line = $_; map { "line $number: $_" } faults_of_text($line, sub { item_faults($_[0], $items, $fields, $document) }) } split /\n/, $body;
    }
    if ($type eq 'text/csv') {
        my ($head, $columns) = map { /^([^\r\n]*)\r\n/ ? $1 : '' } $body, $described->{content}{$type}{example} // '';
        return $fields || $head eq $columns ? () : "its columns are $head, not $columns";
    }
    return faults_of_text($body, sub { schema_faults($_[0], $schema, $document) }) if !$fields;
    return faults_of_text($body, sub {
        my ($value) = @_;
        my $items = ref $value eq 'HASH' ? $value->{data} : $value;
        return ((map { item_faults($_, items_of($schema, $document), $fields, $document) } @$items), partial_faults($value, $schema, $document));
    });
}

sub check_body
{
    my ($operation, $described, $method, $target, $response) = @_;
    my ($type) = ($response->header('content-type') // '') =~ /^([^;]+)/;
    my $content = $described->{content}{ $type // '' };
    return fault($method, $target, 'status ' . $response->status . ' is of the type ' . ($type // 'none')) if !$content;
    return if $type !~ m{[/+](?:json|x-ndjson|csv)\z} || $method eq 'HEAD' || !is_due("$operation->{operationId} $type " . $response->status, length $response->body);
    my $body = decoded($response) // return;
    my ($wrong) = body_faults($type, $body, $operation, $described, $response->status == 200 ? fields_of($target) : undef);
    $checked{bodies}++;
    return defined $wrong ? fault($method, $target, "status " . $response->status . ", $type: $wrong") : undef;
}

# Headers that HTTP has by itself. What a configuration adds is not described here: disclosedctl, which writes the documents, knows none.
my %of_http = map { ($_ => 1) } qw(date server connection keep-alive content-type content-length content-encoding transfer-encoding upgrade);

# What is wrong with a response's headers: one that is described as required is missing, or one is there that is not described.
sub header_faults
{
    my ($operation, $described, $response) = @_;
    my %header = map { (lc $_ => resolved_header($described->{headers}{$_}, $operation->{document})) } keys(($described->{headers} // {})->%*);
    return ((map { "it lacks the header $_" } grep { $header{$_}{required} && !defined $response->header($_) } sort keys %header),
        map { "its header $_ is not described" } grep { !$header{$_} && !$of_http{$_} && !is_configured($_, $response->header($_)) } sort keys $response->{headers}->%*);
}

# For pages of other origins, by DisclosedDeprecation, by DisclosedPortalURL, and by what a suite says that it configures.
my %configured;
sub configured_headers { $configured{$_} = 1 for @_; return }

sub is_configured
{
    my ($name, $value) = @_;
    return $configured{$name} || $name =~ /^(?:access-control-.*|deprecation|sunset)\z/ || $name eq 'link' && $value =~ /rel="(?:deprecation|help)"/;
}

sub resolved_header { my ($header, $document) = @_; return $document->{components}{headers}{ $header->{'$ref'} =~ s{.*/}{}r } }

sub look_at
{
    my ($method, $target, $response) = @_;
    my $status = $response->status;
    my $succeeds = $status >= 200 && $status < 300;
    return if $response->error || $target !~ m{^/(?:v1|api/disclosed/v1)/} || $method !~ /^(?:GET|HEAD|POST|PATCH|DELETE)\z/;
    return if !$succeeds && !$response->header('x-request-id'); # httpd's own, of a request that has not come to us
    my $operation = operation_of($method, $target);
    # What is not described does not exist: other statuses say so.
    return $succeeds ? fault($method, $target, "status $status of an operation that is not described") : undef if !$operation;
    my $described = $operation->{responses}{$status};
    if (!$described) {
        # An endpoint that is switched off is none.
        return if $always{$status} || $status == 404 && $response->body =~ /There is no such resource/;
        return fault($method, $target, "status $status is not described");
    }
    ($described) = map { $operation->{document}{components}{responses}{$_} } $described->{'$ref'} =~ m{([^/]+)\z} if $described->{'$ref'};
    $checked{responses}++;
    fault($method, $target, "status $status: $_") for header_faults($operation, $described, $response);
    return $described->{content} ? check_body($operation, $described, $method, $target, $response) : undef;
}

# What a receiver of webhooks got: its body is as the public document says for its topic. Tests, whose data is a sentence, are of none.
sub look_at_delivery
{
    my ($request) = @_;
    my ($target, $headers) = @$request{qw(target headers)};
    my $value = eval { $json->decode($request->{body}) } // return fault('delivery', $target, 'it is no JSON');
    my $topic = $value->{type} // '';
    return if $topic eq 'webhook.test';
    ($public) = documents() if !$public;
    my $post = ($public->{webhooks}{$topic} // return fault('delivery', $target, "no topic $topic is described"))->{post};
    my @lacking = grep { !defined $headers->{ $_->{name} } } $post->{parameters}->@*;
    fault('delivery', $target, "it lacks the header $_->{name}") for @lacking;
    return if !is_due("delivery $topic", $checked{deliveries}++ < 200 ? 0 : 1e6);
    my ($wrong) = faults_of_text($request->{body}, sub { schema_faults($_[0], $post->{requestBody}{content}{'application/json'}{schema}, $public) });
    return defined $wrong ? fault('delivery', $target, "$topic: $wrong") : undef;
}

sub described_faults { return @faults }

# What was found so far, which is then forgotten: for the test of this.
sub take_faults { return splice @faults }
sub looked_at_responses { return ($checked{responses} // 0, $checked{bodies} // 0) }

1;

package Disclosed::Lists;

# The lists of a site, as its OpenAPI document tells of them, and walks over them. A row is its text as
# it was sent; item() decodes it, once for each text.

use v5.24;
use warnings;
use Exporter qw(import);
use Disclosed::JSON ();

our @EXPORT_OK = qw(with field_of);

my $json = Disclosed::JSON->new->utf8;

# Where values of path parameters come from: lists, and the field of their items; or the values.
my %places = (
    symbol => ['/v1/companies', 'symbol'],
    cik    => ['/v1/institutions/holders-of/{symbol}', 'institution.cik'],
    slug   => ['/v1/congress', 'politician.slug'],
    doc_id => ['/v1/documents', 'id'],
    canonical_key => ['', qw(assets eps_diluted net_margin revenue)],
);

# A target with parameters in its query; a list repeats the name.
sub with
{
    my ($target, %parameters) = @_;
    my @pairs = map { my $name = $_; map { "$name=" . s/([^A-Za-z0-9_.~:-])/sprintf '%%%02X', ord $1/ger }
            ref $parameters{$name} ? $parameters{$name}->@* : $parameters{$name} } sort keys %parameters;
    return $target . (@pairs ? ($target =~ /\?/ ? '&' : '?') . join '&', @pairs : '');
}

# A field of an item by its path, "politician.party"; a value with its unit by what was reported.
sub field_of
{
    my ($item, $path) = @_;
    for my $name (split /\./, $path) {
        $item = ref $item eq 'HASH' ? $item->{$name} : undef;
    }
    return ref $item eq 'HASH' ? $item->{raw} : $item;
}

# Asks the site for its document. `faults` collects what is wrong with pages on the way.
sub new
{
    my ($class, $site) = @_;
    my $document = $site->get('/v1/openapi.json')->json // die "no OpenAPI document\n";
    return bless { site => $site, document => $document, requests => 0, pages => 0, faults => [], items => {} }, $class;
}

# The schema of an operation's 200, with references followed one step.
sub schema_of
{
    my ($self, $operation) = @_;
    return $self->resolve($operation->{responses}{200}{content}{'application/json'}{schema});
}

sub resolve
{
    my ($self, $schema) = @_;
    return $schema->{'$ref'} ? $self->{document}{components}{schemas}{ $schema->{'$ref'} =~ s{.*/}{}r } : $schema;
}

# Each list: path template, name of the operation, parameters by name, the names of those in the query,
# schemas of the whole answer and of an item.
sub lists
{
    my ($self) = @_;
    my @lists;
    for my $path (sort keys $self->{document}{paths}->%*) {
        my $operation = $self->{document}{paths}{$path}{get} or next;
        my $schema = $self->schema_of($operation);
        my @parameters = ($operation->{parameters} // [])->@*;
        next if !$schema->{properties}{pagination} || !grep { $_->{name} eq 'cursor' } @parameters;
        next if !grep { $_->{name} eq 'as_of' } @parameters; # an account's own: t/webhook-requests.t
        push @lists, { path => $path, name => $operation->{operationId}, schema => $schema,
            item => $self->resolve($schema->{properties}{data}{items}),
            parameter => { map { ($_->{name} => $_) } @parameters },
            query => [map { $_->{name} } grep { $_->{in} eq 'query' } @parameters] };
    }
    return @lists;
}

sub get
{
    my ($self, $target, %option) = @_;
    $self->{requests}++;
    return $self->{site}->get($target, %option);
}

sub fault
{
    my ($self, $text) = @_;
    push $self->{faults}->@*, $text;
    return;
}

# The faults so far, which are forgotten.
sub faults
{
    my ($self) = @_;
    my @faults = $self->{faults}->@*;
    $self->{faults} = [];
    return @faults;
}

# The rows of an answer. They are told apart by the first member of each, as a decoder would be slow.
sub rows_of
{
    my ($response) = @_;
    my $text = $response->data_text // return;
    return [] if $text eq '';
    my ($first) = $text =~ /^(\{"\w+":)/ or return;
    return [split /(?<=\}),(?=\Q$first\E)/, $text];
}

# Walks a list to its end, or by so many pages. Returns the rows, and the number of pages.
sub walk
{
    my ($self, $target, %option) = @_;
    my $most = delete $option{pages} // 400;
    my ($cursor, @rows);
    for my $pages (1 .. $most) {
        my $response = $self->get(with($target, defined $cursor ? (cursor => $cursor) : ()), %option);
        my $rows = rows_of($response);
        if ($response->status != 200 || !$rows) {
            $self->fault("$target, page $pages: " . $response->describe);
            return ([], $pages);
        }
        $self->{pages}++;
        push @rows, @$rows;
        my ($next, $more) = $response->body =~ /"next_cursor":(null|"[\w-]+"),"has_more":(true|false)\}\}\z/;
        $self->fault("$target: next_cursor is $next, has_more $more") if ($next eq 'null') != ($more eq 'false');
        $self->fault("$target: Link is there exactly when there is a next page") if ($next eq 'null') == defined $response->header('link');
        return (\@rows, $pages) if $next eq 'null';
        $cursor = $next =~ s/"//gr;
    }
    $self->fault("$target: more than $most pages") if $most >= 400;
    return (\@rows, $most);
}

# The path of a list with that value, of at most 40, in the place of its parameter which gives the longest list.
sub path_of
{
    my ($self, $template) = @_;
    $template =~ /\{\w+\}/ or return $template;
    return $self->{paths}{$template} //= do {
        my ($best, $most) = (undef, -1);
        for my $path ($self->paths_to_try($template)) {
            my ($rows) = $self->walk(with($path, limit => 500), pages => 1);
            ($best, $most) = ($path, scalar @$rows) if @$rows > $most;
        }
        $best // die "no value for $template\n";
    };
}

# A parameter behind another one is a field of the list before it: /v1/companies/{symbol}/kpis has metric_key.
sub paths_to_try
{
    my ($self, $template) = @_;
    if (my ($list, $field, $rest) = $template =~ m{^(.*\{\w+\}.*)/\{(\w+)\}(.*)\z}) {
        my $path = $self->path_of($list);
        return map { "$path/$_$rest" } $self->values_of($path, $field);
    }
    my ($name) = $template =~ /\{(\w+)\}/;
    return map { $template =~ s/\{\w+\}/$_/r } $self->path_values($name);
}

sub path_values
{
    my ($self, $name) = @_;
    my ($template, $field, @more) = ($places{$name} // die "the path parameter $name: say in Lists.pm where its values come from\n")->@*;
    return ($field, @more) if $template eq '';
    return $self->values_of($self->path_of($template), $field);
}

# Up to 40 values of a field of a list's items.
sub values_of
{
    my ($self, $path, $field) = @_;
    my ($rows) = $self->walk(with($path, limit => 500), pages => 1);
    my %seen = map { (field_of($self->item($_), $field) // '' => 1) } @$rows;
    delete $seen{''};
    my @values = sort keys %seen;
    return @values > 40 ? @values[0 .. 39] : @values;
}

sub item
{
    my ($self, $row) = @_;
    return $self->{items}{$row} //= eval { $json->decode($row) } // die "a row is no JSON: $row\n";
}

# What tells a row from all others.
sub key_of
{
    my ($self, $row) = @_;
    my $item = $self->item($row);
    for my $path (qw(id event_id provenance.src_id symbol)) {
        my $value = field_of($item, $path);
        return $value if defined $value;
    }
    return $row;
}

1;

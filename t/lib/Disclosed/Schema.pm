package Disclosed::Schema;

# Checks JSON against the part of JSON Schema (2020-12) that the service's OpenAPI document uses. A
# keyword that it does not know is a fault, and so is a member that the schema does not name.

use v5.24;
use warnings;
use B ();
use Exporter qw(import);
use JSON::PP ();

our @EXPORT_OK = qw(schema_faults partial_faults structured_faults type_of);

our $is_partial = 0;

my %ignored = map { ($_ => 1) } qw($schema description default title);
my %formats = (
    'date'      => qr/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\z/,
    'date-time' => qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)\z/,
    'uri'       => qr{^[a-z][a-z0-9+.-]*:\S+\z},
);

# JSON type of a decoded value.
sub type_of
{
    my ($value) = @_;
    return 'null' if !defined $value;
    return 'boolean' if JSON::PP::is_bool($value);
    return ref $value eq 'ARRAY' ? 'array' : 'object' if ref $value eq 'ARRAY' || ref $value eq 'HASH';
    return $value->is_int ? 'integer' : 'number' if ref $value && $value->can('is_int'); # of Math::BigFloat
    return 'string' if B::svref_2object(\$value)->FLAGS & B::SVf_POK;
    return $value == int $value ? 'integer' : 'number';
}

# What is wrong, as texts with the place in the value. `root` is the whole document, for $ref.
sub schema_faults
{
    my ($value, $schema, $root, $place) = @_;
    $place //= '$';
    my @faults;
    for my $keyword (sort keys %$schema) {
        next if $ignored{$keyword} || $keyword eq 'required';
        my $check = __PACKAGE__->can("check_" . $keyword =~ s/\W//gr);
        if (!$check) {
            push @faults, "$place: the schema has the unknown keyword $keyword";
            next;
        }
        push @faults, $check->($value, $schema->{$keyword}, $root, $place);
    }
    push @faults, check_required($value, $schema->{required}, $place) if $schema->{required};
    return @faults;
}

# The same of a value of which members may be left out.
sub partial_faults
{
    my (@of) = @_;
    local $is_partial = 1;
    return schema_faults(@of);
}

sub check_ref
{
    my ($value, $reference, $root, $place) = @_;
    my $target = $root;
    my ($path) = $reference =~ m{^#/(.*)} or return "$place: a reference to elsewhere, $reference";
    $target = ref $target eq 'HASH' ? $target->{$_} : undef for split m{/}, $path;
    return $target ? schema_faults($value, $target, $root, $place) : "$place: no $reference";
}

sub check_type
{
    my ($value, $wanted, $root, $place) = @_;
    my $type = type_of($value);
    my @types = ref $wanted ? @$wanted : ($wanted);
    return if grep { $_ eq $type || ($_ eq 'number' && $type eq 'integer') } @types;
    return "$place: is a $type, not @types";
}

sub check_properties
{
    my ($value, $properties, $root, $place) = @_;
    return if ref $value ne 'HASH';
    return map {
        $properties->{$_}
            ? schema_faults($value->{$_}, $properties->{$_}, $root, "$place.$_")
            : "$place.$_: not in the schema"
    } sort keys %$value;
}

sub check_required
{
    my ($value, $names, $place) = @_;
    return if ref $value ne 'HASH' || $is_partial;
    return map { "$place: $_ is missing" } grep { !exists $value->{$_} } @$names;
}

# Members that are not named are faults anyway: anything but false would say otherwise.
sub check_additionalProperties
{
    my ($value, $allowed, $root, $place) = @_;
    return $allowed ? "$place: the schema allows members that it does not name" : ();
}

sub check_minItems
{
    my ($value, $least, $root, $place) = @_;
    return ref $value eq 'ARRAY' && @$value < $least ? "$place: has fewer than $least items" : ();
}

sub check_items
{
    my ($value, $items, $root, $place) = @_;
    return if ref $value ne 'ARRAY';
    return map { schema_faults($value->[$_], $items, $root, "$place\[$_]") } 0 .. $#$value;
}

sub check_enum
{
    my ($value, $choices, $root, $place) = @_;
    return if grep { defined $value ? defined $_ && $_ eq $value : !defined $_ } @$choices;
    return "$place: not one of the choices";
}

sub check_const
{
    my ($value, $constant, $root, $place) = @_;
    return defined $value && $value eq $constant ? () : "$place: not $constant";
}

sub check_anyOf
{
    my ($value, $schemas, $root, $place) = @_;
    my @first;
    for my $schema (@$schemas) {
        my @faults = schema_faults($value, $schema, $root, $place) or return;
        @first = @faults if !@first;
    }
    return "$place: fits none of the alternatives", @first;
}

sub check_format
{
    my ($value, $format, $root, $place) = @_;
    return if type_of($value) ne 'string';
    return "$place: unknown format $format" if !$formats{$format};
    return $value =~ $formats{$format} ? () : "$place: '$value' is no $format";
}

sub check_pattern
{
    my ($value, $pattern, $root, $place) = @_;
    return type_of($value) ne 'string' || $value =~ /$pattern/ ? () : "$place: does not fit $pattern";
}

sub check_minimum
{
    my ($value, $bound, $root, $place) = @_;
    return type_of($value) !~ /integer|number/ || $value >= $bound ? () : "$place: below $bound";
}

sub check_maximum
{
    my ($value, $bound, $root, $place) = @_;
    return type_of($value) !~ /integer|number/ || $value <= $bound ? () : "$place: above $bound";
}

sub check_minLength
{
    my ($value, $bound, $root, $place) = @_;
    return type_of($value) ne 'string' || length $value >= $bound ? () : "$place: shorter than $bound";
}

sub check_maxLength
{
    my ($value, $bound, $root, $place) = @_;
    return type_of($value) ne 'string' || length $value <= $bound ? () : "$place: longer than $bound";
}

# What is wrong with the structuredContent of a tool of MCP, by the tools as they are listed.
sub structured_faults
{
    my ($tools, $name, $structured) = @_;
    my ($schema) = map { $_->{outputSchema} } grep { $_->{name} eq $name } @$tools;
    return $schema ? schema_faults($structured, { $schema->%{anyOf} }, $schema) : "no tool $name is listed";
}

1;

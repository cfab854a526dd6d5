package Disclosed::Operations;

# All operations of a site, as the OpenAPI documents of its surfaces tell of them, and targets that ask each of them: with the values that
# the documents show as examples, and with a value for each other parameter.

use v5.24;
use warnings;
use Disclosed::Lists qw(with);
use Exporter qw(import);

our @EXPORT_OK = qw(operations targets_of);

my @documents = qw(/v1/openapi.json /api/disclosed/v1/openapi.json);

# Each operation: method, path, name, its parameters by name, whether it takes as_of, whether it is about one company.
sub operations
{
    my ($site) = @_;
    my @operations;
    for my $target (@documents) {
        my $paths = ($site->get($target)->json // die "no $target\n")->{paths};
        for my $path (sort keys %$paths) {
            for my $method (sort grep { ref $paths->{$path}{$_} eq 'HASH' } keys $paths->{$path}->%*) {
                my $operation = $paths->{$path}{$method};
                my %parameter = map { ($_->{name} => $_) } ($operation->{parameters} // [])->@*;
                push @operations, { method => uc $method, path => $path, name => $operation->{operationId}, parameter => \%parameter,
                    takes_as_of => exists $parameter{as_of}, of_company => $path =~ /\{(?:symbol|ticker)\}/ ? 1 : 0 };
            }
        }
    }
    return @operations;
}

# Values to try for a parameter: those that it may have, or some of its type.
sub values_of
{
    my ($parameter, $known) = @_;
    return $known->@* if $known;
    my $schema = $parameter->{schema}{items} // $parameter->{schema};
    my ($first) = ($schema->{anyOf} // [])->@*;
    $schema = $first->{items} // $first if $first;
    return $schema->{enum}->@* if $schema->{enum};
    return $parameter->{example} if defined $parameter->{example};
    my $type = $schema->{type} // '';
    return qw(true false) if $type eq 'boolean';
    return 1 if $type =~ /^(?:integer|number)\z/;
    return ($schema->{format} // '') =~ /^date/ ? '2025-03-31' : 'a';
}

# Targets of a GET: its path with what must be there, alone, and with a value for each other parameter. Values: lists by name, which come
# before those of the document.
sub targets_of
{
    my ($operation, %values) = @_;
    my $parameter = $operation->{parameter};
    my $one = sub { my ($name) = @_; my ($value) = values_of($parameter->{$name}, $values{$name}); return ref $value ? $value->[0] : $value };
    my @paths = $operation->{path} =~ s/\{(\w+)\}/$values{$1} ? "{$1}" : $one->($1)/ger;
    for my $name ($operation->{path} =~ /\{(\w+)\}/g) {
        @paths = map { my $path = $_; map { $path =~ s/\{$name\}/$_/r } ($values{$name} // [''])->@* } @paths;
    }
    my (@targets, %needed);
    my @queried = grep { $parameter->{$_}{in} eq 'query' } sort keys %$parameter;
    $needed{$_} = $one->($_) for grep { $parameter->{$_}{required} } @queried;
    my @others = grep { !/^(?:as_of|cursor|limit|fields|direction)\z/ && !exists $needed{$_} } @queried;
    for my $path (@paths) {
        push @targets, with($path, %needed), map { my $name = $_; map { with($path, %needed, $name => $_) } values_of($parameter->{$name}, $values{$name}) } @others;
    }
    return @targets;
}

1;

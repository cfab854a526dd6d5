#!/usr/bin/env perl
# Endpoints: each one declared is registered, documented in docs/endpoints.md, and asked by a suite.
# docs/endpoints.md is what docs/make-endpoints makes of the OpenAPI document.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my (@endpoints, @variables);
for my $path (tree(qr/\.c$/, 'mod_disclosed/datasets', 'mod_disclosed/describe', 'mod_disclosed/webhook')) {
    my $code = without_comments(slurp($path));
    while ($code =~ /^const dsc_endpoint_t (\w+) = \{\s*(?:\.name = )?"(\w+)",\s*(?:\.method = )?"([A-Z]+)",\s*(?:\.path = )?"([^"]+)"/gm) {
        push @variables, $1;
        push @endpoints, {name => $2, method => $3, path => $4};
    }
}
looked_at(scalar @endpoints, 12, 'endpoints');

my ($registry) = slurp('mod_disclosed/datasets/registry.c') =~ /dsc_endpoints\[\] = \{(.*?)\};/s;
same_set([$registry =~ /&(\w+)/g], \@variables, 'every endpoint is registered');

my $docs = slurp('docs/endpoints.md');
my @sections = $docs =~ /^## ([A-Z]+ \/\S+)$/gm;
same_set(\@sections, [map { "$_->{method} $_->{path}" } @endpoints], 'docs/endpoints.md has a section for each, and no other');
my $ctl = $ENV{DISCLOSED_CTL} || root() . '/disclosedctl';
SKIP: {
    skip "no disclosedctl at $ctl: build first, or run make check", 1 unless -x $ctl;
    is(system("'$ctl' openapi | '$^X' '@{[root()]}/docs/make-endpoints' --check -"), 0, 'docs/endpoints.md is current');
}
none([map { $_->{name} } grep { $docs !~ /Operation `$_->{name}`/ } @endpoints], 'with its operation');

my @suites = grep { m{^t/[\w-]+\.t$} && !m{/statements\.t$} } tree(qr/\.t$/, 't');
my $suites = join "\n", map { slurp($_) } @suites;
looked_at(scalar @suites, 3, 'suites');
my @unasked = grep {
    my $pattern = join '', map { /^\{/ ? q{[^/?'"`\s]+} : quotemeta } split /(\{\w+\})/, $_->{path};
    $suites !~ m{$pattern(?![\w/])};
} @endpoints;
none([map { "$_->{method} $_->{path}" } @unasked], 'a suite asks each endpoint');
done_testing;

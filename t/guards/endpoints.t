#!/usr/bin/env perl
# Endpoints: each one has a suite that is about it and a section in docs/endpoints.md, which is what docs/make-endpoints makes
# of the OpenAPI document. What there is, the program tells: disclosedctl tables --json.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Disclosed::JSON ();
use Test::More;

my $ctl = $ENV{DISCLOSED_CTL} || root() . '/disclosedctl';
plan skip_all => "no disclosedctl at $ctl: build first, or run make check" unless -x $ctl;
my $tables = Disclosed::JSON->new->utf8->decode(scalar `'$ctl' tables --json`);
my @endpoints = $tables->{endpoints}->@*;
looked_at(scalar @endpoints, 12, 'endpoints');

# --- suites: what a suite promises() it must have had answered, in the shape that it says ----------------------------

my %suite_of;
for my $path (grep { m{^t/[\w-]+\.t$} } tree(qr/\.t$/, 't')) {
    my ($promises) = slurp($path) =~ /^promises\(\n(.*?)^\);$/ms or next;
    $suite_of{$_} = $path for $promises =~ /^    (\w+) => \{$/gm;
}
same_set([sort keys %suite_of], [sort map { $_->{name} } @endpoints], 'each endpoint has a suite that is about it');

# --- docs -----------------------------------------------------------------------------------------------------------

my $docs = slurp('docs/endpoints.md');
same_set([$docs =~ /^## ([A-Z]+ \/\S+)$/gm], [map { "$_->{method} $_->{path}" } @endpoints], 'docs/endpoints.md has a section for each, and no other');
is(system("('$ctl' openapi; '$ctl' openapi --surface earlier) | '$^X' '@{[root()]}/docs/make-endpoints' --check -"), 0, 'docs/endpoints.md is current');
my ($counted) = slurp('README.md') =~ /\b(\d+) operations\b/;
is($counted, scalar @endpoints, 'README.md has their number');
done_testing;

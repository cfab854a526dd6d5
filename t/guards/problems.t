#!/usr/bin/env perl
# Problem types point to {docs_url}/errors/<slug>: each slug has its page, and no page is left over.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my $code = without_comments(slurp('mod_disclosed/engine/problem.c'));
my @problems;
push @problems, {status => $1, slug => $2, title => $3}
    while $code =~ /\{(\d{3}),\s*"([a-z-]+)",\s*"([^"]+)",/g;
looked_at(scalar @problems, 15, 'problems');

my @slugs = map { $_->{slug} } @problems;
my @pages = map { m{([^/]+)\.md$} } grep { !/README/ } tree(qr/\.md$/, 'docs/errors');
same_set(\@pages, \@slugs, 'docs/errors has a page for each slug, and no other');

my $index = slurp('docs/errors/README.md');
for my $problem (@problems) {
    my $page = -e root() . "/docs/errors/$problem->{slug}.md" ? slurp("docs/errors/$problem->{slug}.md") : '';
    like($page, qr/\A# $problem->{status} \Q$problem->{title}\E\n/, "$problem->{slug}: status and title");
    like($page, qr/^## What to do\n\n\S/m, "$problem->{slug}: says what to do");
    like($index, qr/\($problem->{slug}\.md\)/, "$problem->{slug}: is in the index");
}

# The types of a 422: names with an underscore that stand alone in a string of the readers.
my %type;
for my $path (tree(qr{/(?:value_\w+|parameter|fault|body|call_values)\.c$}, 'mod_disclosed/engine')) {
    $type{$_} = 1 for without_comments(slurp($path)) =~ /"([a-z]+(?:_[a-z]+)*_(?:parsing|parsing_size|inexact|number|equal|error|short|long|scheme|type|invalid|forbidden)|missing)"/g;
}
delete $type{field_type}; # a member of ctx
my ($rows) = $index =~ /^\| type \| a value that \|\n(.*?)\n\n/ms;
my @documented = map { /`(\w+)`/g } map { (split /\|/)[1] } grep { /^\| `/ } split /\n/, $rows;
looked_at(scalar keys %type, 25, 'types of faults');
same_set(\@documented, [keys %type], 'docs/errors/README.md lists each type of fault, and no other');
done_testing;

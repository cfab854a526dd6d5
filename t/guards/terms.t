#!/usr/bin/env perl
# Terms: what a reader of httpd's, PostgreSQL's, Stripe's or the SEC's documentation expects, instead of words of our own.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my $prose = qr{^(?:README\.md|ChangeLog|quickstart|conf/|docs/(?!errors/).*\.md|docs/errors/)};
my $code  = qr{^mod_disclosed/};
my $http  = qr{^mod_disclosed/(?:engine|module|access|webhook|describe)/|^(?:README\.md|docs/(?:admin|client|directives|messages)\.md)};
# Where, what is not said there, what to say instead, a text that the pattern must find.
my @terms = (
    [qr/$code|$prose/, qr/\bcouriers?\b/i,                             'delivery worker',        'a courier'],
    [qr/$code|$prose/, qr/\bmanaged child\b/i,                         'background process',     'The managed child'],
    [qr/$code|$prose/, qr/\b(?:strangers?|visitors?)\b|_stranger/i,    'name mismatch; unauthenticated client', 'dsc_note_stranger(x)'],
    [qr/$code|$prose/, qr/\bwide[ _]key|(?<!")KEY_WIDE/i,                    'global key',             'DSC_KEY_WIDE'],
    [qr/$code|$prose/, qr/CARRIED|\bcarried column/,                   'forward-filled',         'CARRIED(TEXT'],
    [qr/$code|$prose/, qr/\b(?:dsc_area|areas?)\b/,                    'database slot',          'uint32_t area;'],
    [$code,            qr/(?<!")\b(?:[a-z]+_)*faults?\b|dsc_(?:\w+_)?faults?(?![a-z])/, 'validation error',       'dsc_fault_t'],
    [$code,            qr/\bdsc_tell\b|\bimport_place|open_beside/,    'print, report; location; companion', 'dsc_tell(context'],
    [$code,            qr/\bturns?_(?:%s|"|\d)|MANY_TURNS|merge_turn/, 'pass',                   'merge_turns()'],
    # Credits are settled, trades are, and FINRA's settlement dates are called so.
    [qr{^mod_disclosed/(?:loader/|datasets/|describe/|engine/dataset|sources/(?!finra|congress))}, qr/\b(?:un)?settle[sd]?\b|\b(?:dsc_)?settle_/,
        'reconcile', '    .settle = "settle_events",'],
    [qr{^mod_disclosed/(?:formats|follow)/}, qr/\bpart(?:y|ies)\b|_party_/, 'entity', 'dsc_sgml_party_t *party'],
    # What /v1/ask gives is an answer, in the contract's own word: "ask answer".
    [$http,            qr/(?<!ask )\banswers?\b/i,                              'response; responds',     'Every answer has'],
    [qr/$code|$prose/, qr/\b(?:mended?|turned away|is whole again|whoever carries|thousands trap|reaching out|adds little)\b/i,
        'fixed; rejected; fully replenished; contributors; unit detection; outbound access; low verbosity', 'Until it is mended.'],
    [$code,            qr/\bdsc_\w*_(?:fore)?(?:tell|told)\b|(?<![.\w])(?:fore)?tell_[a-z]\w*\(|\bfollow_manners|\bdsc_(?:manners|places?)_/,
        'print, report, write or log; request limit; work slot', 'static void tell_failure(const char *line)'],
    # What clients read of fields and columns: the generated tables of the guides.
    [qr{^docs/(?:endpoints|import/datasets)\.md$}, qr/^\|.*\b(?:tells?|told|stands? (?:in|beside|behind)|asked for|[Nn]umber of the record|[Ww]here (?:it|no|none|nothing|the source|there))\b/,
        'states; is in; requested; record ID; if', '| `id` | integer | Number of the record. |'],
    [qr/$code|$prose/, qr/\bthis once\b|\bwhat waits for (?:it|them)\b|\bhands? out keys?\b/i, 'only once; pending; issue keys', 'shown this once'],
);

my @files = (tree(qr/./, qw(mod_disclosed conf docs)), qw(README.md ChangeLog quickstart));
my @found;
for my $path (@files) {
    my @of_file = grep { $path =~ $_->[0] } @terms or next;
    my $line = 0;
    for my $text (split /\n/, slurp($path)) {
        $line++;
        push @found, map { "$path:$line: say $_->[2]: $text" } grep { $text =~ $_->[1] } @of_file;
    }
}
looked_at(scalar @files, 300, 'files');
is_deeply([map { $_->[3] } grep { $_->[3] !~ $_->[1] } @terms], [], 'each pattern finds what it is for');
none(\@found, 'the terms are the field\'s');
done_testing;

# Descriptions for machines beside OpenAPI: TypeScript definitions and llms.txt, read without a key.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

promises(
    get_typescript => {
        parameters => [qw()],
        fields => [qw()],
    },
    get_llms => {
        parameters => [qw()],
        fields => [qw()],
    },
);
my $site = site(config => "<Location \"/llms.txt\">\nSetHandler disclosed-llms\n</Location>\n<Location \"/v1\">\nDisclosedEndpoint search Off\n</Location>\n");
my $document = $site->get('/v1/openapi.json')->json;
my %operation = map { my $path = $_; map { ($document->{paths}{$path}{$_}{operationId} => "\U$_\E $path") } keys $document->{paths}{$path}->%* } keys $document->{paths}->%*;

my $types = $site->get('/v1/disclosed.d.ts', key => undef);
is($types->status . ' ' . $types->header('content-type'), '200 application/typescript; charset=utf-8', 'definitions, without a key');
my $text = $types->body;
my %interface = $text =~ /^export interface (\w+) \{\n(.*?)^\}\n/gms;
is_deeply([sort grep { $_ ne 'Operations' && $_ ne 'Deliveries' } keys %interface], [sort keys $document->{components}{schemas}->%*], 'an interface for each schema');
my @wrong = grep { my $name = $_; join(' ', sort $interface{$name} =~ /^    "(\w+)"\??: /gm) ne join ' ', sort keys $document->{components}{schemas}{$name}{properties}->%* }
    keys $document->{components}{schemas}->%*;
is("@wrong", '', '... with its members');
my %typed = $interface{Operations} =~ /^    (\w+): \{\n        method: "(\w+)";/gm;
is_deeply([sort map { "$typed{$_} $_" } keys %typed], [sort map { (split / /, $operation{$_})[0] . " $_" } keys %operation], 'each operation');
ok(!$operation{search} && !$typed{search}, '... but what is off');
my $depth = () = $text =~ /\{/g;
is(() = $text =~ /\}/g, $depth, 'braces are balanced');
my $again = $site->get('/v1/disclosed.d.ts', key => undef, headers => { 'If-None-Match' => $types->header('etag') });
is($again->status, 304, 'a 304 where nothing is new');
is($site->get('/v1/disclosed.d.ts', headers => { Accept => 'text/html' })->status, 200, 'who asks for a file by its name gets it');

for my $path ('/v1/llms.txt', '/llms.txt') {
    my $llms = $site->get($path, key => undef);
    is($llms->status . ' ' . $llms->header('content-type'), '200 text/plain; charset=utf-8', $path);
    like($llms->body, qr/\A# Company Disclosure Data Service\n\n> \S/, '... begins with a title and a summary');
    my @named = $llms->body =~ /^- \[(\w+ \/v1\S*)\]\(https:\S+\): \S/gm;
    is_deeply([sort @named], [sort values %operation], '... and names each operation');
}

finish();

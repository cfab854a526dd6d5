# Descriptions for machines beside OpenAPI: TypeScript definitions and llms.txt, read without a key.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Pace qw(working_time);
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

# --- made once -----------------------------------------------------------------------------------

# Each is kept as it was made: its 304 takes the time of any other, whatever a client says of the host, and each location's says what is on there.
my @paths = ('/v1/openapi.json', '/api/disclosed/v1/openapi.json', '/v1/disclosed.d.ts', '/v1/llms.txt');
sub seconds_of
{
    my ($path, $tag) = @_;
    my @took = sort { $a <=> $b } map { my $start = working_time(); is_304($path, $tag); working_time() - $start } 1 .. 25;
    return $took[5];
}
sub is_304 { my ($path, $tag) = @_; my $status = $site->get($path, headers => { 'If-None-Match' => $tag })->status; die "$path: $status" if $status != 304; return }
my $list = '/v1/companies?limit=3';
my $usual = seconds_of($list, $site->get($list)->header('etag'));
for my $path (@paths) {
    my $tag = $site->get($path)->header('etag');
    my $took = seconds_of($path, $tag);
    cmp_ok($took, '<', 2 * $usual + 0.001, sprintf '%s: a 304 takes %.1f ms, of a list %.1f ms', $path, 1000 * $took, 1000 * $usual);
    my $first = $site->get($path);
    my @others = grep { $_->body ne $first->body || $_->header('etag') ne $tag } map { $site->get($path, headers => { Host => "host$_.example" }) } 1 .. 40;
    is(@others, 0, '... and is the same for any Host');
    is($site->head($path)->header('content-length'), length $first->body, '... HEAD says how long it is');
}
$site->stop;

$site->{config} = join '', map { "<If \"req('X-Off') == '$_'\">\nDisclosedEndpoint $_ Off\n</If>\n" } qw(get_company list_filings search);
$site->start;
for my $round (1, 2) {
    for my $off ('', qw(get_company list_filings search)) {
        my %named = map { $_->{operationId} => 1 } map { values %$_ } values $site->get('/v1/openapi.json', headers => { 'X-Off' => $off })->json->{paths}->%*;
        is_deeply([grep { !$named{$_} } qw(get_company list_filings search)], [$off || ()], "round $round: what is off is left out: " . ($off || 'nothing'));
    }
}

finish();

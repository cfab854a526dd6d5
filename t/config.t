# Directives: what each refuses and how it says so, what must not start, endpoints switched off, and
# the configuration files as shipped.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);

my $site = site(start => 0);
my $conninfo = $site->conninfo('disclosed_api');

# What `httpd -t` and a start say to this configuration of the module.
sub refused
{
    my ($config, $message, $name) = @_;
    $site->{module_config} = $config;
    $site->configure;
    my ($code, $output) = $site->httpd('-t');
    ok($code != 0, "$name: refused by -t") or diag $output;
    like($output, $message, '... with its message');
    ($code, $output) = $site->httpd('-k', 'start');
    ok($code != 0 && !$site->read_pid, '... and does not start') or diag $output;
}

sub accepted
{
    my ($config, $name) = @_;
    $site->{module_config} = $config;
    $site->configure;
    my ($code, $output) = $site->httpd('-t');
    is($code, 0, "$name: accepted") or diag $output;
    like($output, qr/Syntax OK/, '... in silence') or diag $output;
}

# --- each directive --------------------------------------------------------------------------

for my $case (['DisclosedDatabasePool', 1, 1000, 'connections'], ['DisclosedDatabaseTimeout', 1, 60, 'seconds'], ['DisclosedStatementTimeout', 1, 600, 'seconds']) {
    my ($directive, $least, $most, $unit) = @$case;
    for my $value ('0', $most + 1, 'x', '5x', '-1', '5.5', '99999999999999999999') {
        refused("$directive $value\n", qr/$directive: "\Q$value\E" is not a number of $unit from $least to $most/, "$directive $value");
    }
    refused("$directive$_\n", qr/$directive takes one argument/, "$directive$_") for '', ' ""';
    accepted("$directive $_\n", "$directive $_") for $least, $most;
}
for my $directive (qw(DisclosedDatabase DisclosedReadDatabase)) {
    refused("$directive \"\"\n", qr/$directive takes one argument/, "an empty $directive");
    refused("$directive \"$_\"\n", qr/$directive: no password here; use libpq's passfile or a service file/, "$directive $_")
        for 'host=x password=secret', 'postgresql://user:secret@host/db';
    accepted("$directive \"$_\"\n", "$directive $_") for 'service=disclosed', 'host=a,b dbname=x target_session_attrs=any', 'postgresql://user@host:5432/db';
}
for my $directive (qw(DisclosedBaseURL DisclosedDocsURL)) {
    refused("$directive $_\n", qr{$directive: "\Q$_\E" is not an absolute http:// or https:// URL}, "$directive $_")
        for 'api.example.com', 'ftp://x', '/v1';
    accepted("$directive $_\n", "$directive $_") for 'http://x', 'https://x.example/api/';
}
refused("DisclosedEndpoint nothing Off\n", qr/DisclosedEndpoint: no endpoint is called "nothing"/, 'an unknown endpoint');
refused("DisclosedEndpoint list_* Maybe\n", qr/DisclosedEndpoint: "Maybe" is neither On nor Off/, 'neither on nor off');
accepted("DisclosedEndpoint list_* off\nDisclosedEndpoint list_insider ON\n", 'DisclosedEndpoint');
refused("DisclosedEngine perhaps\n", qr/DisclosedEngine must be On or Off/, 'DisclosedEngine perhaps');
refused("<Location /v1>\n$_\n</Location>\n", qr/not allowed (?:here|in)/, "$_ in a Location")
    for 'DisclosedEngine On', 'DisclosedDatabase "x"', 'DisclosedEndpoint list_* Off';

# --- what must not start ---------------------------------------------------------------------

my $database = "DisclosedDatabase \"$conninfo\"\n";
my $secret   = "DisclosedSecretFile conf/secret\n";
refused("DisclosedEngine On\n$secret", qr/DSC0030: DisclosedEngine is On, but DisclosedDatabase is not set/, 'no database');
refused("DisclosedEngine On\n$database", qr/DSC0030: DisclosedEngine is On, but DisclosedSecretFile is not set/, 'no secret');
refused("DisclosedEngine On\n${database}DisclosedSecretFile conf/none\n", qr/DSC0030: cannot open \S+none: No such file/, 'no such secret');
refused("<VirtualHost *:1>\nServerName inner.example\nDisclosedEngine On\n</VirtualHost>\n", qr/DSC0030: .*inner\.example/, 'a virtual host without');
for my $text ('', "\n", 'abc', 'g' x 64, 'a' x 63, 'a' x 65, ' ' . 'a' x 64, '-1' x 32, '0x' . 'a' x 62) {
    $site->write('conf/bad', $text, 0600);
    refused("DisclosedEngine On\n${database}DisclosedSecretFile conf/bad\n", qr/bad(?:: line 1 is not 64 hex digits| is empty)/, "a secret of '$text'");
}
for my $text ('a' x 64, 'A0' x 32 . "\r\n", 'a' x 64 . "\n" . 'b' x 64 . "\n") {
    $site->write('conf/good', $text, 0600);
    accepted("DisclosedEngine On\n${database}DisclosedSecretFile conf/good\n", 'a good secret');
}
accepted('', 'nothing at all');

# --- as shipped ------------------------------------------------------------------------------

sub shipped
{
    my ($name) = @_;
    open my $file, '<', build('SRCDIR') . "/conf/$name" or die "$name: $!";
    local $/;
    my $text = <$file>;
    $text =~ s{/etc/apache2/disclosed\.secret}{$site->{root}/conf/secret}g;
    $text =~ s{\$\{APACHE_LOG_DIR\}}{$site->{root}/logs}g;
    $text =~ s{/var/www/html}{$site->{root}/htdocs}g;
    $text =~ s{/etc/ssl/(?:certs|private)/ssl-cert-snakeoil}{$site->{root}/conf/site}g;
    return $text;
}

my $plain = shipped('disclosed.conf');
accepted($plain, 'disclosed.conf as shipped');
accepted($plain =~ s/^(\s*)#(Disclosed\w+ )/$1$2/gmr =~ s/DisclosedEngine Off/DisclosedEngine On/r =~ s/insider\*/list_*/r,
    'disclosed.conf with every line switched on');
my %documented = map { ($_ => 1) } $plain =~ /^\s*#?(Disclosed\w+) /gm;
my ($code, $listing) = $site->httpd('-L');
my %known = map { ($_ => 1) } $listing =~ /^(Disclosed\w+)/gm;
is_deeply([sort keys %documented], [sort keys %known], 'disclosed.conf has every directive: ' . keys %known);

($code) = run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=api.example.com',
    '-keyout', "$site->{root}/conf/site.key", '-out', "$site->{root}/conf/site.pem");
my @modules = map { build('MODULES_DIR') . "/mod_$_.so" } qw(ssl http2 headers setenvif rewrite filter deflate brotli socache_shmcb alias);
SKIP: {
    my ($missing) = grep { !-e } @modules;
    skip "no $missing", 2 if $missing;
    skip 'no openssl', 2 if $code != 0;
    my $load = join '', map { 'LoadModule ' . (m{mod_(\w+)\.so})[0] . "_module $_\n" } @modules;
    accepted($load . shipped('example-site.conf'), 'example-site.conf as shipped');
}

# --- endpoints switched off ------------------------------------------------------------------

delete $site->{module_config};
$site->{config} = "DisclosedEndpoint list_* Off\nDisclosedEndpoint list_companies On\n";
$site->start;
problem_is($site->get($_), 404, "$_ is off", instance => $_) for '/v1/insider', '/v1/filings', '/v1/companies/ZEMRUZ/executives', '/v1/insider/';
is($site->request('POST', '/v1/insider')->status, 404, 'with any method');
is($site->get($_)->status, 200, "$_ is on") for '/v1/companies', '/v1/companies/ZEMRUZ', '/v1/coverage';
my $paths = json_of($site->get('/v1/openapi.json'), 'the document')->{paths};
is_deeply([sort keys %$paths], [sort qw(/v1/companies /v1/companies/{symbol} /v1/coverage /v1/coverage/{symbol}
            /v1/filings/{accession} /v1/openapi.json /v1/src/{src_id})], 'what is off is not in the OpenAPI document');
$site->stop;

# --- virtual hosts ---------------------------------------------------------------------------

$site->{config} = "<VirtualHost *>\nServerName main\n</VirtualHost>\n<VirtualHost *>\nServerName off.example\nDisclosedEngine Off\n</VirtualHost>\n"
    . "<VirtualHost *>\nServerName other.example\nDisclosedDocsURL https://other.example/docs/\nDisclosedBaseURL https://other.example/\n</VirtualHost>\n";
$site->start;
my $off = $site->get('/v1/companies', headers => { Host => 'off.example' });
is($off->status, 404, 'a host with the engine off has no /v1');
is($off->header('x-request-id'), undef, '... at all');
my $other = $site->get('/v1/companies?limit=1', headers => { Host => 'other.example' });
like($other->header('link'), qr{^<https://other\.example/v1/companies\?limit=1&cursor=}, 'a host has its own base URL');
problem_is($site->get('/v1/x', headers => { Host => 'other.example' }), 404, 'and documentation', instance => '/v1/x', docs_url => 'https://other.example/docs');

finish();

# Directives: what each refuses and how it says so, what must not start, endpoints switched off, and
# the configuration files as shipped, and those that the guides show.
#
# runs docs/directives.md docs/admin.md docs/scale.md: ^(?:Disclosed\w+ |<(?:VirtualHost|Directory|Location|Proxy) |Mutex |RemoteIP)
# runs README.md docs/admin.md conf/disclosed.conf: ^\(umask

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Process qw(run);
use IO::Socket::UNIX;
use POSIX ();

my $site = site(start => 0);
$site->{log}->permit('DSC0061'); # its virtual hosts are meant to be taken
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
    refused("$directive \" \"\n", qr/$directive: the connection string is empty/, "a blank $directive");
    refused("$directive x\n", qr/$directive: not a libpq connection string: missing "=" after "x" in connection info string$/m, "$directive without a value");
    refused("$directive \"$_\"\n", qr/$directive: no password here; use libpq's passfile or a service file/, "$directive $_")
        for 'host=x password=secret', 'postgresql://user:secret@host/db', 'host=x sslpassword=secret', 'postgresql://user@host/db?sslpassword=secret';
    accepted("$directive \"$_\"\n", "$directive $_") for 'service=disclosed', 'host=a,b dbname=x target_session_attrs=any', 'postgresql://user@host:5432/db';
}
# As many ports as hosts, or one for all; a host that a service file names is not known here.
for my $directive (qw(DisclosedDatabase DisclosedReadDatabase)) {
    refused("$directive \"$_->[0]\"\n", qr/$directive: "\Q$_->[0]\E" $_->[1]/, "$directive $_->[0]")
        for ['host=a,b port=1,2,3', 'has 2 hosts and 3 ports: each host has a port, or all have one'], ['host=a port=1,2', 'has 1 host and 2 ports: '],
        ['host=a,b,c port=1,2', 'has 3 hosts and 2 ports: '], ['hostaddr=127.0.0.1 port=1,2', 'has 1 host and 2 ports: '], ['postgresql://a:1,b:2/x?port=3,4,5', 'has 2 hosts and 3 ports: '],
        ['host=a,b hostaddr=127.0.0.1', 'has 2 hosts and 1 address: each host has an address'], ['host=a hostaddr=127.0.0.1,127.0.0.2', 'has 1 host and 2 addresses: '],
        ['host=a port=x', 'has a port that is no number from 1 to 65535: x'], ['host=a,b port=1,70000', 'has a port that is no number from 1 to 65535: 70000'], ['port=0', 'has a port that is no number from 1 to 65535: 0'];
    accepted("$directive \"$_\"\n", "$directive $_")
        for 'host=a,b port=1,2', 'host=a,b port=1', 'host=a,b', 'host=a,b port=,2', 'hostaddr=127.0.0.1,127.0.0.2 port=5432', 'postgresql://a,b:2/x', 'service=disclosed port=1,2', 'host=a port=';
}
for my $directive (qw(DisclosedBaseURL DisclosedDocsURL DisclosedPortalURL)) {
    refused("$directive $_\n", qr{$directive: "\Q$_\E" is not an absolute http:// or https:// URL}, "$directive $_")
        for 'api.example.com', 'ftp://x', '/v1', 'https://', 'https:///v1', 'http://x:port', 'http://x><script>',
        'https://*.example', 'https://x,y', 'https://x/%', 'https://x/%4g', 'http://[zz]', 'http://[1.2.3.4]';
    refused("$directive https://x/\xc3\xa4\n", qr{$directive: "https://x/\S+" is not an absolute http:// or https:// URL}, "$directive with a letter that belongs escaped");
    refused("$directive $_\n", qr{$directive: no user or password here; clients see this URL}, "$directive $_") for 'https://user@x', 'https://user:password@x/v1';
    refused("$directive \"http://x/ y\"\n", qr{$directive: "http://x/ y" is not an absolute http:// or https:// URL}, "$directive with a blank");
    accepted("$directive $_\n", "$directive $_") for 'http://x', 'https://x.example/api/', 'https://[::1]:8443/', 'http://127.0.0.1:8080', 'https://sub_domain.x-y.example';
}
for my $case (['DisclosedBaseURL', '/v1'], ['DisclosedBaseURL', '/api/disclosed/v1'], ['DisclosedDocsURL', '/errors']) {
    my ($directive, $end) = @$case;
    refused("$directive https://x$end$_\n", qr{$directive: "https://x$end$_" ends with $end, which is put behind it}, "$directive ... $end$_") for '', '/';
    accepted("$directive https://x$end/y\n", "$directive ... $end/y");
}
for my $directive (qw(DisclosedBaseURL DisclosedDocsURL)) {
    refused("$directive $_\n", qr{$directive: "\Q$_\E" has a query or a fragment, which the paths behind it would become a part of}, "$directive $_") for 'https://x/?a=b', 'https://x/#f';
}
accepted("DisclosedPortalURL $_\n", "DisclosedPortalURL $_") for 'https://x/?a=b', 'https://x/@a';
accepted("DisclosedAskModel https://x/chat/completions?api-version=1\n", 'DisclosedAskModel with a query');
refused("DisclosedAskModel $_->[0]\n", qr{DisclosedAskModel: $_->[1]}, "DisclosedAskModel $_->[0]")
    for ['https://x/#f', '"https://x/#f" has a fragment, which no server is sent'], ['https://me:x@host/', 'no user or password here; put a bearer token into the file of DisclosedAskModelKeyFile'];
refused("DisclosedDeprecation get_coverage 2027-01-01 2027-12-30 notaurl\n", qr{DisclosedDeprecation: "notaurl" is not an absolute http:// or https:// URL}, 'no URL that explains it');
refused("DisclosedCORS $_->[0]\n", qr/$_->[1]/, "DisclosedCORS $_->[0]" =~ s/\n/ /r)
    for ['off https://x', 'DisclosedCORS: "off" stands alone, not with "https://x"'], ['https://x Off', 'DisclosedCORS: "Off" stands alone, not with "https://x"'],
    ['* https://x', 'DisclosedCORS: "\*" stands alone, not with "https://x"'], ['https://x https://y *', 'DisclosedCORS: "\*" stands alone, not with "https://x"'],
    ['* off', 'DisclosedCORS: "\*" stands alone, not with "off"'], ["off\nDisclosedCORS https://x", 'DisclosedCORS: "off" stands alone, not with "https://x"'],
    ['x.example', 'DisclosedCORS: "x.example" is no origin, e.g. https://app.example.com, nor \* or off'], ['https://x/', '"https://x/" is no origin'], ['https://x:port', '"https://x:port" is no origin'],
    map({ ["https://x:$_", "\"https://x:$_\" is no origin"] } '', 0, 65536, 99999),
    map({ ["https://$_", "\"https://\Q$_\E\" is no origin"] } '*.example', 'user@x'),
    map({ ["$_->[0]:$_->[1]", "DisclosedCORS: \"\Q$_->[0]\E:$_->[1]\" is never sent: browsers leave out the port $_->[1] of $_->[2]"] } ['https://x', 443, 'https'], ['http://x', 80, 'http'], ['https://[::1]', 443, 'https']);
accepted("DisclosedCORS $_\n", "DisclosedCORS $_" =~ s/\n/ /gr) for 'off', '*', 'https://x http://localhost:5173', "https://x\nDisclosedCORS https://y", "*\n<VirtualHost *:1>\nDisclosedCORS off\n</VirtualHost>";
refused("DisclosedEndpoint nothing Off\n", qr/DisclosedEndpoint: no endpoint is called "nothing"/, 'an unknown endpoint');
refused("DisclosedEndpoint list_* Maybe\n", qr/DisclosedEndpoint: "Maybe" is neither On nor Off/, 'neither on nor off');
accepted("DisclosedEndpoint list_* off\nDisclosedEndpoint list_insider ON\n", 'DisclosedEndpoint');
refused("DisclosedEngine perhaps\n", qr/DisclosedEngine must be On or Off/, 'DisclosedEngine perhaps');
refused("<Location /v1>\n$_\n</Location>\n", qr/not allowed (?:here|in)/, "$_ in a Location")
    for 'DisclosedEngine On', 'DisclosedDatabase "x"', 'DisclosedPlan free day=1', 'DisclosedWeight list_* 2';
accepted("<Location /v1>\nDisclosedEndpoint list_* Off\n</Location>\n", 'DisclosedEndpoint in a Location');
accepted("$_->[0]\nDisclosedEndpoint list_* Off\n$_->[1]\n", "DisclosedEndpoint in $_->[0]")
    for ['<Directory /x>', '</Directory>'], ['<Directory ~ "/x">', '</Directory>'], ['<DirectoryMatch "/x">', '</DirectoryMatch>'],
    ['<If "true">', '</If>'], ["<Location /v1>\n<If \"true\">", "</If>\n</Location>"];
refused("$_->[0]\nDisclosedEndpoint list_* Off\n$_->[1]\n", $_->[2], "DisclosedEndpoint in $_->[0]")
    for ['<Files x>', '</Files>', qr/the API has no files, so it would never apply here; use <Directory> or <Location>/],
    ['<FilesMatch x>', '</FilesMatch>', qr/the API has no files/],
    ["<Directory /x>\n<Files x>", "</Files>\n</Directory>", qr/the API has no files/],
    ["<Directory /x>\n<If \"true\">", "</If>\n</Directory>", qr/never apply in an <If> within a <Directory>; put the <If> into the server or a <Location>/],
    ["<DirectoryMatch x>\n<If \"true\">\n</If>\n<Else>", "</Else>\n</DirectoryMatch>", qr/never apply in an <If> within a <Directory>/],
    ["<Directory /x>\n<Limit GET>", "</Limit>\n</Directory>", qr/DisclosedEndpoint cannot occur within <Limit> or <LimitExcept> section/];
refused("DisclosedPlan $_->[0]\n", $_->[1], "DisclosedPlan $_->[0]")
    for ['free', qr/takes the name of a plan and settings/], ['Free day=1', qr/"Free" is no name of a plan/],
    ['free day', qr/DisclosedPlan free: "day" is not of the form name=value/],
    ['free size=1', qr/"size" is no setting of a plan: there are rank, rate, burst, day, earlier, page, export, credits, webhooks, facts/],
    ['free rate=5', qr/rate: "5" is not requests in a second, minute, hour or day, e\.g\. 5\/s, 300\/m/],
    ['free rate=0/s', qr/rate: "0\/s" is not/], ['free burst=0', qr/burst: "0" is not a number of requests from 1 to 100000/],
    ['free day=-1', qr/day: "-1" is not/], ['free earlier=x', qr/earlier: "x" is not a number of requests to the earlier surface in a UTC day, or unlimited/], ['free page=501', qr/page: "501" is not a number of rows from 1 to 500/],
    ['free webhooks=yes', qr/webhooks: "yes" is not on or off/], ['free facts=some', qr/facts: "some" is not default or all/];
accepted("DisclosedPlan free rate=300/m burst=5 day=unlimited page=unlimited credits=0 rank=3 webhooks=on facts=all earlier=unlimited\n"
    . "DisclosedPlan big_1 rank=40\nDisclosedRequirePlan * big_1\n", 'DisclosedPlan');
refused("DisclosedWeight $_->[0]\n", $_->[1], "DisclosedWeight $_->[0]")
    for ['nothing 2', qr/DisclosedWeight: no endpoint is called "nothing"/],
    ['list_* 0', qr/DisclosedWeight: "0" is not a number of requests from 1 to 1000/];
refused("DisclosedCredits $_->[0]\n", $_->[1], "DisclosedCredits $_->[0]")
    for ['nothing 2', qr/DisclosedCredits: no endpoint is called "nothing"/],
    ['list_* -1', qr/DisclosedCredits: "-1" is not a number of credits from 0 to 1000000/],
    ['list_* 1.5', qr/DisclosedCredits: "1.5" is not a number/];
accepted("DisclosedCredits list_* 0\nDisclosedCredits get_coverage 1000000\n", 'DisclosedCredits');
refused("DisclosedAddressLimit $_->[0]\n", $_->[1], "DisclosedAddressLimit $_->[0]")
    for ['x 2', qr/DisclosedAddressLimit: "x" is not a rate/], ['2/s 0', qr/"0" is not a number of requests from 1 to 100000/];
refused("DisclosedDeprecation $_->[0]\n", $_->[1], "DisclosedDeprecation $_->[0]")
    for ['list_*', qr/takes an endpoint or pattern, the day of the deprecation/],
    ['list_* 2026-01-01 2026-03-31', qr/the sunset, 2026-03-31, is less than 90 days after the deprecation, 2026-01-01/],
    ['list_* 2026-1-1 2026-12-31', qr/"2026-1-1" and "2026-12-31" are not both days/],
    (map { ["list_* \"$_\" 2027-12-31", qr/"\Q$_\E" and "2027-12-31" are not both days/] } '-026-01-01', '+026-01-01', ' 026-01-01', '2026- 1- 1', '2026-+1-01', '0000-01-01', '2026-01-01 ', '2026-01-1x'),
    ['list_* 2026-01-01 2026-06-31', qr/"2026-01-01" and "2026-06-31" are not both days/],
    ['nothing 2026-01-01 2026-12-31', qr/no endpoint is called "nothing"/];
accepted("DisclosedDeprecation list_* 2026-01-01 2026-04-01\n", 'a sunset after 90 days');
refused("$_->[0]\n", $_->[1], $_->[0])
    for ['DisclosedWebhooks perhaps', qr/DisclosedWebhooks must be On or Off/],
    ['DisclosedWebhookPorts 443 x', qr/DisclosedWebhookPorts: "x" is not a port from 1 to 65535/],
    ['DisclosedWebhookPorts 65536', qr/"65536" is not a port/], ['DisclosedWebhookPorts 0', qr/"0" is not a port/],
    ['DisclosedWebhookAllow 10.0.0.0/33', qr/DisclosedWebhookAllow: "10.0.0.0\/33" is not a network, e\.g\. 10\.1\.0\.0\/16/],
    ['DisclosedWebhookAllow hook.example.com', qr/"hook.example.com" is not a network/],
    ['DisclosedWebhookCAFile conf/none.pem', qr/DisclosedWebhookCAFile: cannot open \S+conf\/none.pem: No such file/],
    ['DisclosedWebhookProxy proxy:3128', qr/DisclosedWebhookProxy: "proxy:3128" is not an absolute http:\/\/ or https:\/\/ URL/],
    ['DisclosedWebhookProxy http://me:x@proxy:3128', qr/DisclosedWebhookProxy: no user or password here/];
accepted("DisclosedWebhooks Off\nDisclosedWebhookPorts 443 8443\nDisclosedWebhookAllow 10.0.0.0/8 fd00::/8 192.0.2.1\nDisclosedWebhookProxy http://proxy:3128\n", 'directives of webhooks');

# Certificates of receivers: a file that libcurl could not read would fail each delivery.
my ($certified) = run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=ca.example.com', '-keyout', "$site->{root}/conf/ca.key", '-out', "$site->{root}/conf/ca.pem");
SKIP: {
    skip 'no openssl', 1 if $certified != 0;
    my $pem = do { local (@ARGV, $/) = "$site->{root}/conf/ca.pem"; <> };
    my $key = do { local (@ARGV, $/) = "$site->{root}/conf/ca.key"; <> };
    my $der = (run('openssl', 'x509', '-in', "$site->{root}/conf/ca.pem", '-outform', 'DER'))[1];
    for my $case (['an empty file', ''], ['text', "certificates\n"], ['a key', $key], ['another form', $der], ['a cut one', substr $pem, 0, 400], ['a second that is damaged', $pem . ($pem =~ s/MII\w+/MII!!/r)]) {
        my ($what, $text) = @$case;
        $site->write('conf/bad.pem', $text);
        refused("DisclosedWebhookCAFile conf/bad.pem\n", qr/DisclosedWebhookCAFile: "\S+conf\/bad.pem" is not made of certificates in PEM/, "certificates: $what");
    }
    for my $text ($pem, "# two\n$pem$pem", "$key$pem") {
        $site->write('conf/good.pem', $text);
        accepted("DisclosedWebhookCAFile conf/good.pem\n", 'certificates');
    }
}

# --- what must not start ---------------------------------------------------------------------

my $database = "DisclosedDatabase \"$conninfo\"\n";
my $secret   = "DisclosedSecretFile conf/secret\n";
refused("DisclosedEngine On\n$secret", qr/DSC0030: DisclosedEngine is On, but DisclosedDatabase is not set/, 'no database');
refused("DisclosedEngine On\n$database", qr/DSC0030: DisclosedEngine is On, but DisclosedSecretFile is not set/, 'no secret');
refused("DisclosedEngine On\n${database}DisclosedSecretFile conf/none\n", qr/DSC0030: cannot open \S+none: No such file/, 'no such secret');
refused("DisclosedEngine On\n$database${secret}DisclosedRequirePlan list_* gold\n", qr/DSC0030: DisclosedRequirePlan list_\*: there is no plan "gold"/, 'an unknown plan');
refused("<VirtualHost *:1>\nServerName inner.example\nDisclosedEngine On\n</VirtualHost>\n", qr/DSC0030: .*inner\.example/, 'a virtual host without');
for my $text ('', "\n", 'abc', 'g' x 64, 'a' x 63, 'a' x 65, ' ' . 'a' x 64, '-1' x 32, '0x' . 'a' x 62, 'a0:' x 21 . 'a') {
    $site->write('conf/bad', $text, 0600);
    refused("DisclosedEngine On\n${database}DisclosedSecretFile conf/bad\n", qr/bad(?:: line 1 is not 64 hex digits| is empty)/, "a secret of '$text'");
}
my ($one, $two) = map { my $factor = $_; join '', map { sprintf '%02x', $_ * $factor % 256 } 1 .. 32 } 5, 7;
# What is wrong with a line that looks right; and what would be in force as long as nobody looks.
for my $case (["\xef\xbb\xbf$one\n", 'line 1 begins with a byte order mark'], ["$one \n", 'line 1 is not 64 hex digits: it has 65 characters'], [substr($one, 0, 40), 'line 1 is not 64 hex digits: it has 40 characters'],
    ["\n$one\n", 'line 1 is empty'], ["$one\n\n$two\n", 'line 2 is empty'], [substr($one, 0, 63) . "g\n", 'line 1 is not 64 hex digits: character 64 is none'], ["$one\n$two\n$one\n", 'has a line 3: it takes two secrets at most'],
    ["$one\r\n$two\r\n$one", 'has a line 3'], ["$one\n$two\n# $one\n", 'has a line 3'], ["$one\n$two\0\n", 'line 2 is not 64 hex digits: it has 65 characters']) {
    my ($text, $message) = @$case;
    $site->write('conf/bad', $text, 0600);
    refused("DisclosedEngine On\n${database}DisclosedSecretFile conf/bad\n", qr/DSC0030: \S+bad:? $message/, $message);
}
for my $text ($one, uc "$one\r\n", "$one\n$two\n", "$one\n$two\n\n\n") {
    $site->write('conf/good', $text, 0600);
    accepted("DisclosedEngine On\n${database}DisclosedSecretFile conf/good\n", 'a good secret');
}
my $model = "DisclosedEngine On\n${database}DisclosedSecretFile conf/good\nDisclosedAskModel http://127.0.0.1:1/\nDisclosedAskModelKeyFile conf/key\n";
$site->write('conf/key', "token\n", 0600);
accepted($model, 'a bearer token');
chmod 0644, "$site->{root}/conf/key";
refused($model, qr/DSC0030: DisclosedAskModelKeyFile: \S+key may be read or written by others than its owner: chmod 600/, 'one that others may read');

chmod 0600, "$site->{root}/conf/key";
# What is no file is not opened: a FIFO would have httpd wait for its writer.
mkdir "$site->{root}/conf/a-directory" or die "mkdir: $!";
POSIX::mkfifo("$site->{root}/conf/a-fifo", 0600) or die "mkfifo: $!";
my $listens = IO::Socket::UNIX->new(Local => "$site->{root}/conf/a-socket", Listen => 1) or die "socket: $!";
for my $case (['conf/a-directory', 'a directory'], ['conf/a-fifo', 'a FIFO'], ['conf/a-socket', 'a socket'], ['/dev/zero', 'a device']) {
    my ($file, $is) = @$case;
    refused($model =~ s{conf/good}{$file}r, qr/DSC0030: \S*\Q$file\E is $is, not a file/, "$is as the secret");
    refused($model =~ s{conf/key}{$file}r, qr/DSC0030: DisclosedAskModelKeyFile: \S*\Q$file\E is $is, not a file/, "... as the model's token");
    refused("DisclosedWebhookCAFile $file\n", qr/DisclosedWebhookCAFile: \S*\Q$file\E is $is, not a file/, '... as certificates');
}
close $listens;
$site->write('conf/key', "\n", 0600);
refused($model, qr/DSC0030: DisclosedAskModelKeyFile: \S+key: its first line is empty/, 'an empty one');
for my $text ('Bearer token', 'token ', "to\tken", "to\0ken", "\xef\xbb\xbftoken", "t\xc3\xb6ken", 'x' x 5000) {
    $site->write('conf/key', "$text\n", 0600);
    refused($model, qr/DSC0030: DisclosedAskModelKeyFile: \S+key: its first line is no bearer token: a word of ASCII characters, 4000 at most/, 'no token');
}
for my $text ("token\r\n", "sk-proj_a.b~c+d/e==", 'x' x 4000) {
    $site->write('conf/key', $text, 0600);
    accepted($model, 'a bearer token');
}
# What httpd has places for is known before it ends for want of them.
my $good = "DisclosedEngine On\n${database}DisclosedSecretFile conf/good\n";
my $hosts = sub { my ($count, $line) = @_; return join '', map { "<VirtualHost *:$_>\nServerName h$_.example\nDisclosedBaseURL http://h$_.example\n" . $line->($_) . "</VirtualHost>\n" } 1 .. $count };
my $named = sub { my ($number) = @_; return "DisclosedDatabase \"$conninfo application_name=x$number\"\n" };
refused($good . $hosts->(16, $named), qr/DSC0033: more than 16 different databases/, '17 databases');
accepted($good . $hosts->(15, $named), '16 databases');
accepted($good . $hosts->(20, sub { '' }), 'one database of 21 servers');
my $replicas = sub { my ($number) = @_; return "DisclosedReadDatabase \"host=a$number,b$number,c dbname=x\"\n" };
refused($good . $hosts->(16, $replicas), qr/DSC0037: more than 32 different replicas/, '33 replicas');
accepted($good . $hosts->(15, $replicas), '31 replicas');
refused("${good}DisclosedReadDatabase \"host=" . join(',', map { "h$_" } 1 .. 33) . " dbname=x\"\n", qr/DSC0037/, '33 replicas in a line');
accepted('', 'nothing at all');

# --- as shipped ------------------------------------------------------------------------------

sub shipped
{
    my ($name) = @_;
    open my $file, '<', build('SRCDIR') . "/conf/$name" or die "$name: $!";
    local $/;
    return placed(scalar <$file>);
}

# With the files and folders of this site.
sub placed
{
    my ($text) = @_;
    $text =~ s{/etc/apache2/disclosed(?:-model)?\.(?:secret|key)}{$site->{root}/conf/secret}g;
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
my @modules = map { build('MODULES_DIR') . "/mod_$_.so" } qw(authz_host ssl http2 headers setenvif rewrite filter deflate brotli socache_shmcb alias);
SKIP: {
    my ($missing) = grep { !-e } @modules;
    skip "no $missing", 2 if $missing;
    skip 'no openssl', 2 if $code != 0;
    my $load = join '', map { 'LoadModule ' . (m{mod_(\w+)\.so})[0] . "_module $_\n" } @modules;
    accepted($load . shipped('example-site.conf'), 'example-site.conf as shipped');
}

# --- what the guides show --------------------------------------------------------------------

my $guides = Disclosed::Guides->new;
my @loaded = grep { -e build('MODULES_DIR') . "/mod_$_.so" } qw(authz_host alias remoteip proxy proxy_http proxy_balancer slotmem_shm lbmethod_byrequests status);
my $modules = join '', map { "LoadModule ${_}_module " . build('MODULES_DIR') . "/mod_$_.so\n" } @loaded;
my ($common) = map { placed("$_->{text}\n") } $guides->mine(qr/^DisclosedDatabase [^\n]*\nDisclosedSecretFile [^\n]*\z/, qr/directives/);
my $own_secret = "$site->{root}/conf/own-secret";
my $made = $guides->text(qr/^\(umask/) =~ s{/etc/apache2/disclosed\.secret}{$own_secret}r;
is((run('bash', '-c', $made))[0], 0, $made);
is(sprintf('%o', (stat $own_secret)[2] & 07777), '600', '... makes a file for root alone');
accepted("DisclosedEngine On\nDisclosedDatabase \"$conninfo\"\nDisclosedSecretFile $own_secret\n", '... with a secret');
for my $block ($guides->mine(qr/^(?!\(umask)/)) {
    if ($block->{text} =~ /^RemoteIP|^<Proxy/ && @loaded < 9) { $guides->left_out($block, 'a module of httpd is missing'); next }
    my $needed = $block->{text} =~ /^ *DisclosedEngine +On/m ? $common : '';
    accepted($modules . $needed . placed($block->{text}) . "\n", "$block->{place}: " . $block->{text} =~ s/\n.*//sr);
    $guides->ran($block);
}
$guides->all_ran;

# --- endpoints switched off ------------------------------------------------------------------

delete $site->{module_config};
$site->{config} = "DisclosedEndpoint list_* Off\nDisclosedEndpoint list_companies On\n";
$site->start;
problem_is($site->get($_), 404, "$_ is off", instance => $_) for '/v1/insider', '/v1/filings', '/v1/companies/ZEMRUZ/executives', '/v1/insider/';
is($site->request('POST', '/v1/insider')->status, 404, 'with any method');
is($site->get($_)->status, 200, "$_ is on") for '/v1/companies', '/v1/companies/ZEMRUZ', '/v1/coverage';
my $paths = json_of($site->get('/v1/openapi.json'), 'the document')->{paths};
my @lists = grep { /^list_/ } map { $_->{operationId} } map { values %$_ } values %$paths;
is_deeply(\@lists, ['list_companies'], 'what is off is not in the OpenAPI document');
cmp_ok(scalar keys %$paths, '>', 5, 'and the others are: ' . keys %$paths);
$site->stop;

# --- in locations ------------------------------------------------------------------------------

$site->{config} = "DisclosedEndpoint *insider Off\n<Location /v1/companies>\nDisclosedEndpoint list_company_insider On\n"
    . "DisclosedEndpoint get_company Off\n</Location>\n";
$site->start;
problem_is($site->get('/v1/insider'), 404, 'a location changes what holds in it alone', instance => '/v1/insider');
is($site->get('/v1/companies/ZEMRUZ/insider')->status, 200, 'it switches on what the server switched off');
problem_is($site->get('/v1/companies/ZEMRUZ'), 404, 'and off what was on', instance => '/v1/companies/ZEMRUZ');
is($site->get('/v1/coverage/ZEMRUZ')->status, 200, 'elsewhere all is as it was');
$site->stop;

# --- in directories ----------------------------------------------------------------------------

# The answers to these paths, each with its status.
sub statuses_are
{
    my ($name, $want, %option) = @_;
    my %got = map { $_ => $site->get($_, %option)->status } keys %$want;
    is_deeply(\%got, $want, "$name: " . keys %$want);
}

sub operations
{
    my $paths = json_of($site->get('/v1/openapi.json', @_), 'the document')->{paths};
    return { map { $_->{operationId} => 1 } map { values %$_ } values %$paths };
}

my $docs = "$site->{root}/htdocs";
ok(!-e "$docs/v1", 'there is nothing of the API below the document root');
$site->{config} = <<"END";
DisclosedEndpoint list_exhibits Off
<DirectoryMatch "/v1/(events|documents)\$">
DisclosedEndpoint * On
</DirectoryMatch>
<Directory "$docs/v1/companies">
DisclosedEndpoint list_company_insider On
DisclosedEndpoint list_executives On
</Directory>
<Directory "$docs/v1/*/ZEMRUZ">
DisclosedEndpoint get_company* Off
</Directory>
<Directory "$docs/v1">
DisclosedEndpoint *insider Off
DisclosedEndpoint list_e* Off
DisclosedEndpoint list_documents Off
</Directory>
<Directory "$docs/v1/documents/">
DisclosedEndpoint list_documents Off
</Directory>
<Directory "$docs/*">
DisclosedEndpoint list_congress Off
</Directory>
<Directory "$docs/*/calendar">
DisclosedEndpoint * Off
</Directory>
<Directory "$docs/v1/transcript">
DisclosedEndpoint * Off
</Directory>
<Directory ~ "/v1/transcripts/.">
DisclosedEndpoint get_transcript Off
</Directory>
<Directory "/elsewhere">
DisclosedEndpoint * Off
</Directory>
<Directory "/">
DisclosedEndpoint list_filings Off
DisclosedEndpoint list_congress On
Require all denied
</Directory>
<Location /v1/insider>
DisclosedEndpoint list_insider On
</Location>
<Location /v1/events/calendar>
DisclosedEndpoint list_calendar On
</Location>
<If "%{HTTP:X-Filings} == 'on'">
DisclosedEndpoint list_filings On
</If>
END
$site->start;
problem_is($site->get('/v1/filings'), 404, 'a section switches off', instance => '/v1/filings');
statuses_are('sections apply shortest first, then those with expressions, each with those before it', {
    '/v1/companies/ZEMRUZ:US/insider' => 200, '/v1/companies/ZEMRUZ:US/executives' => 200, '/v1/congress' => 404, '/v1/events' => 200,
    '/v1/documents' => 200, '/v1/documents/' => 404, '/v1/companies/' => 307,
});
statuses_are('patterns fit whole segments, no slashes', {
    '/v1/companies/ZEMRUZ' => 404, '/v1/companies/ZEMRUZ/executives' => 200, '/v1/companies/ZEMRUZ:US' => 200,
    '/v1/coverage/ZEMRUZ' => 404, '/v1/coverage/ZEMRUZ:US' => 200, '/v1/transcripts' => 200,
});
statuses_are('locations and conditions come after', { '/v1/insider' => 200, '/v1/events/calendar' => 200 });
statuses_are('locations and conditions come after', { '/v1/filings' => 200, '/v1/insider' => 200 }, headers => { 'X-Filings' => 'on' });
my ($transcript) = $site->get('/v1/transcripts?limit=1')->json->{data}->@*;
problem_is($site->get("/v1/transcripts/$transcript->{id}"), 404, '<Directory ~> is an expression', instance => "/v1/transcripts/$transcript->{id}");
statuses_are('slashes are as with files', { '//v1//companies/ZEMRUZ' => 404, '//v1//companies/ZEMRUZ:US' => 200, '/v1/./companies/x/../ZEMRUZ' => 404 });
is($site->get('/v1/companies/' . 'x' x 5000)->status, 404, 'a URL may be longer than a path of files');
my $listed = operations();
is_deeply([map { $listed->{$_} // 0 } qw(list_insider list_filings list_executives get_transcript get_company list_companies)], [0, 0, 0, 1, 1, 1],
    'the OpenAPI document lists what is on in the directories of its own path');
$site->stop;

# Hosts have the sections of the main server too; paths begin at their own document root.
mkdir $_ for "$site->{root}/other", "$site->{root}/third";
my $section = sub { "<Directory \"$site->{root}/$_[0]\">\nDisclosedEndpoint $_[1]\n</Directory>\n" };
$site->{config} = $section->('htdocs/v1', 'list_[!c]* Off') . $section->('other/v1', 'list_filings Off')
    . "<VirtualHost *>\nServerName main.example\n</VirtualHost>\n<VirtualHost *>\nServerName same.example\n" . $section->('htdocs/v1', 'list_filings On') . $section->('htdocs', 'get_coverage Off')
    . "</VirtualHost>\n<VirtualHost *>\nServerName other.example\nDocumentRoot other/\nDisclosedEndpoint list_filings On\n"
    . $section->('other/v1', 'list_insider Off') . "</VirtualHost>\n"
    . "<VirtualHost *>\nServerName third.example\nDocumentRoot third\nDisclosedEndpoint list_insider Off\n</VirtualHost>\n";
$site->start;
for my $case (['main.example', 404, 404, 200], ['same.example', 200, 404, 404], ['other.example', 404, 404, 200], ['third.example', 200, 404, 200]) {
    my ($host, %want) = ($case->[0]);
    @want{qw(/v1/filings /v1/insider /v1/coverage)} = $case->@[1 .. 3];
    statuses_are($host, \%want, headers => { Host => $host });
}
ok(!operations(headers => { Host => 'other.example' })->{list_filings}, 'and in the OpenAPI document of the host');
ok(operations(headers => { Host => 'third.example' })->{list_filings}, '... which is not that of another');
$site->stop;

# --- virtual hosts ---------------------------------------------------------------------------

# A database of its own, which knows the same key but has no companies.
my $second = Disclosed::Shared::database('empty');
$site->{cluster}->execute($second, Disclosed::Key::insert_key_sql($site->{keys}{enterprise}, 'enterprise'));
$site->{config} = "<VirtualHost *>\nServerName main\n</VirtualHost>\n<VirtualHost *>\nServerName off.example\nDisclosedEngine Off\n</VirtualHost>\n"
    . "<VirtualHost *>\nServerName other.example\nDisclosedDocsURL https://other.example/docs/\nDisclosedBaseURL https://other.example/\n"
    . "DisclosedPortalURL https://other.example/keys/\nDisclosedPlan enterprise page=1\nDisclosedEndpoint list_filings Off\n</VirtualHost>\n"
    . "<VirtualHost *>\nServerName below.example\nDisclosedBaseURL https://below.example/pre/\n</VirtualHost>\n"
    . "<VirtualHost *>\nServerName second.example\nDisclosedDatabase \"@{[ $site->{cluster}->conninfo($second, 'disclosed_api') ]}\"\n</VirtualHost>\n";
$site->start;
my @slash = map { $site->get('/v1/companies/?limit=1', headers => { Host => $_ }) } qw(below.example main);
is_deeply([map { $_->status . ' ' . $_->header('location') } @slash], ['307 /pre/v1/companies?limit=1', '307 /v1/companies?limit=1'], 'a 307 stays behind the path of the base URL');
my $off = $site->get('/v1/companies', headers => { Host => 'off.example' });
is($off->status, 404, 'a host with the engine off has no /v1');
is($off->header('x-request-id'), undef, '... at all');
my $other = my %rows = map { $_ => scalar $site->get('/v1/companies?limit=3', headers => { Host => $_ })->json->{data}->@* } qw(main other.example);
is_deeply(\%rows, { main => 3, 'other.example' => 1 }, '... and plans: pages of one row, which do not hold elsewhere');
is_deeply($site->get('/v1/companies?limit=1', headers => { Host => 'second.example' })->json->{data}, [], 'another host has another database');
my ($taken) = Disclosed::Process::slurp_if_there("$site->{root}/logs/error_log") =~ /.*DSC0061: DisclosedEngine is On for the whole server, so the API also serves \/v1 of ([^\n]*)/s;
is(join(' ', sort split /, /, $taken // ''), 'main second.example', 'who has the engine on for all sites is told which: not those that are off, or have an address of their own');

$site->stop;

# As DisclosedBaseURL says it, without the port of the scheme, which no browser sends as an origin; else as ServerName, the virtual host or Listen do.
my $address = "127.0.0.1:$site->{port}";
my %url = ("<VirtualHost $address>\nServerName a.example" => "http://a.example:$site->{port}", "<VirtualHost *>\nServerName b.example" => "http://b.example:$site->{port}",
    "<VirtualHost *>\nServerName c.example:80" => 'http://c.example', "<VirtualHost *>\nServerName d.example:443" => 'https://d.example', "<VirtualHost *>\nServerName https://e.example" => 'https://e.example',
    "<VirtualHost *>\nServerName https://f.example:8443" => 'https://f.example:8443', "<VirtualHost *>\nServerName g.example:8080" => 'http://g.example:8080',
    map({ ("<VirtualHost *>\nServerName $_->[0]\nDisclosedBaseURL $_->[1]" => $_->[2]) } ['h.example', 'https://h.example:443/api/', 'https://h.example/api'], ['i.example', 'http://i.example:80', 'http://i.example'], ['j.example', 'http://j.example:443', 'http://j.example:443']));
for my $host (sort keys %url) {
    my ($name) = $url{$host} =~ m{//([\w.]+)};
    $site->{module_config} = "DisclosedEngine On\n$database$secret";
    $site->{config} = ($host =~ /\Q$address/ ? '' : "<VirtualHost *>\nServerName default.example\n</VirtualHost>\n") . "$host\n</VirtualHost>\n";
    $site->start;
    is(json_of($site->get('/v1/openapi.json', headers => { Host => $name }), 'the document')->{servers}[0]{url}, $url{$host}, $host =~ s/\n/ /r);
    is($site->get('/v1/coverage', key => undef, headers => { Host => $name })->json->{type}, "$url{$host}/docs/errors/invalid-key", '... and its documentation is there as well');
    $site->stop;
}

# --- however few descriptors httpd may have, it runs or says why it does not ------------------

$site->{module_config} = "DisclosedEngine On\n$database$secret";
$site->{config} = join '', map { "<VirtualHost *>\nServerName of$_.example\nDisclosedDatabase \"host=/nowhere dbname=of$_\"\n</VirtualHost>\n" } 1 .. 12;
$site->configure;
my (@silent, $ended, $ran);
for my $descriptors (5 .. 60) {
    truncate "$site->{root}/logs/error_log", 0;
    my $said = "$site->{root}/said";
    my $pid = fork() // die "fork: $!";
    if (!$pid) {
        open STDOUT, '>', $said;
        open STDERR, '>&', \*STDOUT;
        local %ENV = (%ENV, Disclosed::Site::preloaded());
        exec '/bin/sh', '-c', "ulimit -n $descriptors && exec \"\$\@\"", 'sh', build('HTTPD'), '-DFOREGROUND', '-d', $site->{root}, '-f', "$site->{root}/conf/httpd.conf";
    }
    my $gone;
    Disclosed::Process::wait_until(20, sub { ($gone = waitpid($pid, 1) == $pid) || $site->read_pid }) or die "httpd neither runs nor ends with $descriptors descriptors";
    if ($gone) {
        $ended++;
        my $text = Disclosed::Process::slurp_if_there($said) . Disclosed::Process::slurp_if_there("$site->{root}/logs/error_log");
        push @silent, "$descriptors: $text" if $text !~ /Too many open files|Error 24/;
    } else {
        $ran++;
        kill 'TERM', $pid;
        waitpid $pid, 0;
        $site->{log}->permit(qw(AH03103 AH00050 DSC0022)); # it had enough to begin with; its background process may lack some, and says so
        last;
    }
}
cmp_ok($ended, '>', 0, 'httpd ends where it has too few descriptors');
ok($ran, '... and runs where it has enough');
is_deeply(\@silent, [], '... and says what it lacked');

finish();

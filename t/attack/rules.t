# Small rules, each with what it is against: headers that others split, responses that outgrow requests, names of files that a
# terminal would obey, secrets that are none.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run slurp);
use Disclosed::JSON ();

my $site = site();

# --- Link ------------------------------------------------------------------------------------------

for my $case (['x=%3E', 'x=%3E'], ['x=>,<y', 'x=%3E%2C%3Cy'], ["x=\"a\xff^`{|}", 'x=%22a%FF%5E%60%7B%7C%7D'], ['symbols=ZEMRUZ&x=a%2Cb;c', 'symbols=ZEMRUZ&x=a%2Cb;c']) {
    my ($query, $shown) = @$case;
    my $response = $site->get("/v1/filings?limit=1&$query");
    my ($target) = ($response->header('link') // '') =~ m{^<([^<>,"]+)>; rel="next"\z};
    is($target, "$site->{base_url}/v1/filings?limit=1&$shown&cursor=" . $response->json->{pagination}{next_cursor}, "$query in Link") or diag $response->describe;
    is($site->get($target =~ s/^\Q$site->{base_url}\E//r)->status, 200, '... which leads to the next page');
}

# --- 422 -------------------------------------------------------------------------------------------

for my $case (['elements', [(1) x 32_000]], ['long elements', [map { [("x" x 500)] } 1 .. 120]]) {
    my ($what, $elements) = @$case;
    my $response = $site->post('/v1/search', { query => 'x', symbols => $elements });
    is($response->status, 422, "thousands of mistakes ($what)");
    my $detail = $response->json->{detail};
    cmp_ok(scalar @$detail, '<=', 100, '... are told up to a hundred');
    is_deeply($detail->[0]{loc}, ['body', 'symbols', 0], '... the first first');
    cmp_ok(length $response->body, '<', 300_000, '... in ' . length($response->body) . ' bytes');
}
my $few = $site->post('/v1/search', { query => 'x', symbols => [(1) x 100] });
is(scalar $few->json->{detail}->@*, 100, 'a hundred are told all');

# --- names of files --------------------------------------------------------------------------------

my $name = "evil\e]0;owned\a\e[2J\x7f\xc2\x9b31m.csv";
my $file = $site->write($name, "no such\theader\e[31m\n");
for my $arguments (['ndjson', $file], ['ndjson', '--verbose', $file], ['corporate-actions', $file], ['ndjson', "$file-none"], ["\e[31m", $file]) {
    my ($code, $out, $err) = $site->control('import', @$arguments);
    isnt($code, 0, 'an import that fails');
    unlike("$out$err", qr/[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/, '... prints no control character') or diag "$out$err";
}
my (undef, undef, $err) = $site->control('import', 'ndjson', $file);
like($err, qr/evil\\x1b\]0;owned\\x07\\x1b\[2J\\x7f\\xc2\\x9b31m\.csv/, 'it shows them');
my (undef, $runs) = $site->control('runs');
unlike($runs, qr/[\x00-\x08\x0b-\x1f\x7f]/, 'nor does the list of runs');
my (undef, $json) = $site->control('runs', '--json');
ok(eval { Disclosed::JSON->new->decode($json) }, '... which as JSON is JSON');

# --- the server's secret ---------------------------------------------------------------------------

sub configtest
{
    my ($text, $mode) = @_;
    my $other = site(start => 0, database => $site->{database});
    $other->write('conf/secret', $text, $mode // 0600);
    $other->configure;
    my (undef, $output) = $other->httpd('-t');
    return $output . $other->{log}->unread;
}

my $good = join '', map { sprintf '%02x', $_ * 7 } 1 .. 32;
like(configtest("$good\n"), qr/Syntax OK/, 'a secret');
like(configtest("$good\n", 0640), qr/Syntax OK/, '... that a group may read');
for my $bad ('0' x 64, 'f' x 64, 'deadbeef' x 8, '00112233' x 8) {
    like(configtest("$bad\n"), qr/DSC0030: \S+secret: line 1 is no secret, as it can be guessed; make one: \(umask 077; openssl rand -hex 32 > /, "not $bad");
    like(configtest("$good\n$bad\n"), qr/DSC0030: \S+secret: line 2 is no secret/, '... nor in the second line');
}
for my $mode (0644, 0604, 0602, 0620) {
    like(configtest("$good\n", $mode), qr/DSC0030: \S+secret may be read or written by others than its owner: chmod 600 /, sprintf 'not with mode %04o', $mode);
}

# What the Debian package makes, in a folder of its own. It leaves a secret that is there.
my $folder = "$site->{root}/apache2";
mkdir $folder or die "$folder: $!";
$site->write('apache2/disclosed.secret.new', 'left over');
my $script = slurp(build('SRCDIR') . '/debian/libapache2-mod-disclosed.postinst') =~ s{/etc/apache2}{$folder}gr;
my @made = map { my ($code, $out, $error) = run('sh', '-c', $script, 'postinst', 'configure'); is("$code$out$error", '0', 'the package is configured'); slurp("$folder/disclosed.secret") } 1 .. 2;
is(sprintf('%04o', (stat "$folder/disclosed.secret")[2] & 07777), '0600', '... its secret is its owner\'s');
is($made[1], $made[0], '... stays when it is configured again');
like(configtest($made[0]), qr/Syntax OK/, '... and is taken');
unlink "$folder/disclosed.secret";
run('sh', '-c', $script, 'postinst', 'configure');
isnt(slurp("$folder/disclosed.secret"), $made[0], '... and another host has another');

finish();

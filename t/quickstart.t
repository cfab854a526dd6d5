# ./quickstart in a checkout of its own: from nothing to responses, what README.md shows of it, directives of one's own, commands of
# disclosedctl, what works beside a check, both compressions, and that nothing is left at the end. The checkout has the module of this
# build, in place of another one: `./quickstart check` configures and builds as the first step here would.
#
# runs README.md: ^\$ \./quickstart$
# runs README.md: ^(?:DISCLOSED_PORT=\d+ )?\./quickstart(?! check| import)(?: |$)
# runs docs/import/README.md: ^\./quickstart import$

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Client;
use Disclosed::Guides;
use Disclosed::Process qw(run slurp);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Site;
use Disclosed::Test;
use Fcntl qw(:flock);

plan(skip_all => 'a build with sanitizers needs their libraries in httpd') if build('SANITIZERS');
my $guides = Disclosed::Guides->new;
my ($source, $built) = (build('SRCDIR'), build('BUILDDIR'));
my $root = workspace() . '/' . fresh('checkout');
my $port = Disclosed::Site::free_port();
mkdir $_ or die "$_: $!" for $root, "$root/var", "$root/var/build", "$root/var/build/docs";
symlink "$source/$_", "$root/$_" or die "$_: $!" for qw(scripts sql);
run('cp', "$source/quickstart", $root);
symlink "$built/docs/html", "$root/var/build/docs/html" if -e "$built/docs/html/index.html";
spew("$root/var/build/.configured", $root);
spew("$root/var/build/Makefile", <<"END");
all:
install:
	\$(MAKE) -C '$built' -s install prefix='$root/var/installed' moduledir='$root/var/installed/modules' modsavailabledir='$root/var/installed/mods-available'
END

sub spew { my ($path, $text) = @_; open my $file, '>', $path or die "$path: $!"; print $file $text; close $file; return }

# Makes of a check around this one are not those of a user.
my %done; # by its words
sub quickstart
{
    my (@words) = @_;
    $done{"@words"} = 1;
    $done{$words[0]} = 1 if @words;
    return run({ env => { DISCLOSED_PORT => $port, DISCLOSED_SQL_DIR => "$source/sql", MAKEFLAGS => '', MFLAGS => '', MAKELEVEL => '' }, directory => $root },
        'timeout', '300', "$root/quickstart", @words);
}

my $owner = $$;
END { my $status = $?; quickstart('clean') if $owner && $$ == $owner && -d "$root/var"; $? = $status }

my %value;
sub read_environment { %value = slurp("$root/var/quickstart.env") =~ /^(\w+)=(.*)$/mg; return }

sub get
{
    my ($target, %headers) = @_;
    return Disclosed::Client::send_request($port, 'GET', $target, headers => { Authorization => "Bearer $value{DISCLOSED_KEY}", %headers });
}

sub companies { return scalar get('/v1/companies?limit=5')->json->{data}->@* }

# --- what goes wrong at once ----------------------------------------------------------------------

my ($code, $out, $err);
SKIP: {
    skip 'sh is bash here', 2 if (run('sh', '-c', 'echo $BASH_VERSION'))[1] =~ /\S/;
    ($code, $out, $err) = run('sh', "$root/quickstart");
    is($code, 2, 'sh quickstart');
    like($err, qr{^quickstart is for bash: run \./quickstart or bash quickstart$}m, '... says to use bash');
}
($code, $out, $err) = quickstart('--nothing');
is($code, 1, 'an unknown option');
like($err, qr/unknown option: --nothing/, '... is named');
($code, $out, $err) = quickstart('key', 'list');
is($code, 1, 'a command before there is a database');
like($err, qr{run \./quickstart first}, '... says what comes first');

# --- empty, then filled -----------------------------------------------------------------------------

($code, $out, $err) = quickstart('--empty');
is($code, 0, 'quickstart --empty') or diag $out, $err, eval { slurp("$root/var/log/quickstart.log") };
unlike($out, qr/loading the demo/, '... loads nothing');
read_environment();
is_deeply(get('/v1/companies')->json->{data}, [], '... and serves no company, yet');
is(get('/v1/companies', Authorization => 'Bearer nobody')->status, 401, '... and nobody without a key');

mkdir "$root/var/httpd.d";
for my $text (qw(first second)) {
    spew("$root/var/httpd.d/own.conf", "Header always set X-Own $text\n");
    ($code, $out, $err) = quickstart('--empty');
    is($code, 0, "once more, with directives of one's own: $text") or diag $out, $err;
    is(get('/v1/coverage')->header('x-own'), $text, '... which hold');
}

($code, $out, $err) = quickstart();
is($code, 0, 'quickstart') or diag $out, $err;
read_environment();
my ($first) = $guides->mine(qr/^\$ /);
my $shown = $first->{output};
$guides->compared($first);
sub steps { my ($text) = @_; return map { s{ in /\S+}{}r =~ s/\s+\d+ s$//r =~ s/ \d+ s$//r =~ s/127\.0\.0\.1:\d+/HOST/r =~ s/^\s+//r } grep { /\S/ } split /\n/, $text }
is_deeply([steps($shown)], [(steps($out))[0 .. scalar(steps($shown)) - 1]], '... prints what README.md shows');
cmp_ok(companies(), '>', 0, '... and has companies');
my ($tried) = $out =~ /^  (curl -H .*)$/m;
my ($tools) = $out =~ m{^Language models: +http://\S+?(/\S+),}m;
($code, $out) = run('bash', '-c', $tried =~ s/^curl/curl -s/r);
like($out, qr/^\{"data":\[\{"symbol"/, '... and the request that it suggests is served');
is(get('/docs/')->status, 200, '... and the documentation') if -e "$built/docs/html/index.html";
is(get('/llms.txt')->status, 200, '... and what tells language models of it');
is(Disclosed::Client::send_request($port, 'POST', $tools, body => '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    headers => { Authorization => "Bearer $value{DISCLOSED_KEY}", 'Content-Type' => 'application/json' })->status, 200, '... and their tools, where it says');

# --- commands of disclosedctl ----------------------------------------------------------------------

for my $words (['schema'], ['webhook', 'list'], ['migrate', '--status'], ['key', 'list'], ['runs'], ['usage'], ['provider', 'add', 'our_desk', 'our own analysts']) {
    ($code, $out, $err) = quickstart(@$words);
    is($code, 0, "quickstart @$words") or diag $out, $err;
}
($code) = quickstart('nothing');
is($code, 2, 'a word that is no command');

open my $check, '>', "$root/var/.check.lock" or die;
flock $check, LOCK_EX or die;
spew("$root/own.ndjson", '{"dataset":"executive","symbol":"OXOKIZ:US","name":"Nobody Atall","role":"Chief Executive Officer","category":"executives",'
    . '"person_rank":9,"is_current":true,"reported_on":"2026-01-05","known_at":"2026-01-05T12:00:00Z",'
    . '"provenance":{"source_provider":"our_desk","source_url":"https://desk.example/1"}}' . "\n");
($code, $out, $err) = quickstart('import', 'ndjson', 'own.ndjson');
is($code, 0, 'an import while a check runs, of a provider that was declared') or diag $out, $err;
like($out, qr/stored 1\b/, '... stores its line');
($code, $out, $err) = quickstart('check');
is($code, 1, 'another check does not');
like($err, qr/another check is running/, '... and says why');

# --- compression ------------------------------------------------------------------------------------

my %size = map { my $got = get('/v1/insider?limit=200', 'Accept-Encoding' => $_); (($got->header('content-encoding') // 'plain') => length $got->body) } 'gzip', 'br, gzip', 'identity';
is(join(' ', sort keys %size), 'br gzip plain', 'clients that take gzip alone get it, those that take brotli get brotli');
cmp_ok($size{gzip}, '<', $size{plain} / 4, "... which is a quarter at most: $size{plain} bytes are $size{gzip} and $size{br}") if $size{gzip} && $size{plain};

# --- without the demo, stopped, gone ------------------------------------------------------------------

# What others say of a company of the demo stands in the way: t/demo-remove.t.
run('psql', '-X', '-q', '-d', $value{DISCLOSED_DSN} =~ s/'//gr, '-c', "DELETE FROM executive WHERE name = 'Nobody Atall'");
($code, $out, $err) = quickstart('demo', '--remove');
is($code, 0, 'demo --remove') or diag $out, $err;
is(companies(), 0, '... and no company is left');
($code, $out, $err) = quickstart();
is($code, 0, 'quickstart once more') or diag $out, $err;
like($out, qr{no demo companies: they were removed, and \./quickstart demo loads them again\n}, '... leaves out what was removed');
unlike($out, qr/loading the demo|serves fictional/, '... and does not say that it is there');
is(companies(), 0, '... nor is it');
($code, $out) = quickstart('status');
is($code, 0, 'status');
like($out, qr/httpd: runs, pid \d+, \S+ responds with 200\nPostgreSQL: runs/, '... says what runs');
($code, $out, $err) = quickstart('stop');
is($code, 0, 'stop, while a check runs') or diag $out, $err;
is((quickstart('status'))[0], 3, '... stops');
($code, $out, $err) = quickstart('clean');
is($code, 0, 'clean') or diag $out, $err;
ok(!-e "$root/var", '... leaves nothing');

for my $command ($guides->mine(qr/^[^\$]/)) {
    my ($words) = $command->{text} =~ m{\./quickstart ?(.*?) *(?:#.*)?\z};
    $guides->ran($command) if $done{$words};
}
$guides->all_ran;

finish();

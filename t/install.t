# make install: what it installs, by the guides' own commands, and that it leaves alone what an admin has edited. Their `make` builds here
# what is built already.
#
# runs README.md: ^autoreconf
# runs README.md docs/admin.md: ^\.\./configure\b
# runs README.md docs/*.md docs/errors/*.md: ^make install$

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Process qw(run slurp);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test;

my $root = workspace() . '/' . fresh('installed');
mkdir $root or die "$root: $!";

# Makes of a check around this one are not those of a packager.
sub make
{
    my (@words) = @_;
    my ($code, $out, $err) = run({ env => { MAKEFLAGS => '', MFLAGS => '', MAKELEVEL => '' } }, 'make', '-s', '-C', build('BUILDDIR'), @words, "DESTDIR=$root");
    is($code, 0, "make @words") or diag $out, $err;
    return $out;
}

sub found { my ($name) = @_; return map { s/^\Q$root\E//r } split /\n/, (run('find', $root, '-path', "*/$name"))[1] }

my $guides = Disclosed::Guides->new;
is($guides->text(qr/^make install/), 'make install', 'the guides name the target');

# A checkout: its folders, but for what autoreconf writes to. A release is built without autoconf, which then need not be there.
my $has_autoconf = (run('sh', '-c', 'command -v autoreconf'))[0] == 0;
my $source = build('SRCDIR');
my $checkout = workspace() . '/' . fresh('source');
mkdir $checkout or die "$checkout: $!";
symlink "$source/$_", "$checkout/$_" or die "$_: $!" for qw(conf debian docs include mod_disclosed scripts sql t);
run('cp', '-r', (map { "$source/$_" } qw(Makefile.am configure.ac build-aux README.md ChangeLog LICENSE quickstart)), $checkout);
my $commands = join "\n", 'set -e', "make() { command make -s -C '@{[build('BUILDDIR')]}' \"\$@\" DESTDIR='$root'; }", map { $guides->text($_) } qr/^autoreconf/, qr/configure/;
SKIP: {
    skip 'autoconf is not installed', 2 if !$has_autoconf;
    my ($code, $out, $err) = run({ env => { MAKEFLAGS => '', MFLAGS => '', MAKELEVEL => '' }, directory => $checkout }, 'bash', '-c', $commands);
    is($code, 0, "the guides' commands configure and install") or diag $out, $err;
    ok(-s "$checkout/build/Makefile", '... in a folder of their own');
}
$guides->all_ran;
for my $name (qw(mod_disclosed.so disclosedctl disclosed.load disclosed.conf example-site.conf man1/disclosedctl.1 disclosed-follow.service disclosed-import.timer sql/roles.sql
    sql/0001_foundation.sql README.md ChangeLog)) {
    is(scalar(my @places = found($name)), 1, "$name is installed");
}
is(scalar(my @none = found('mod_disclosed.la')), 0, 'no .la');
SKIP: {
    skip 'cmark-gfm is not installed: nothing is rendered', 3 if !-e build('BUILDDIR') . '/docs/html/index.html';
    is(scalar(my @places = found($_)), 1, "$_ is installed") for qw(html/client.html html/reference.html html/errors/not-found/index.html);
}

SKIP: {
    my ($example) = map { slurp("$root$_") } found('example-site.conf');
    my ($alias, $directory) = ($example =~ m{Alias "/docs" "([^"]+)"}, $example =~ m{<Directory "([^"]+/html)">});
    is($alias, $directory, 'example-site.conf serves the documentation from a folder that it opens');
    skip 'nothing is rendered', 1 if !-e build('BUILDDIR') . '/docs/html/index.html';
    ok(-e "$root$alias/index.html", '... where it is installed') or diag $alias;
}

my ($conf) = map { "$root$_" } found('disclosed.conf');
my $shipped = slurp(build('SRCDIR') . '/conf/disclosed.conf');
is(slurp($conf), $shipped, 'disclosed.conf is as shipped');
make('install');
is(join(' ', found('disclosed.conf*')), $conf =~ s/^\Q$root\E//r, 'once more: nothing lies beside it');

my $edited = $shipped =~ s/DisclosedEngine Off/DisclosedEngine On/r;
isnt($edited, $shipped, 'an admin edits it');
open my $file, '>', $conf or die "$conf: $!";
print $file $edited;
close $file;
my $said = make('install');
is(slurp($conf), $edited, '... and an upgrade leaves it as it is');
like($said, qr/\Q$conf\E was changed and stays as it is; this version's is \Q$conf\E\.dist/, '... says so');
is(slurp("$conf.dist"), $shipped, '... and puts its own beside it');
make('uninstall');
is(slurp($conf), $edited, 'uninstall leaves it, too');
my @left = grep { !m{/disclosed\.conf\z} } split /\n/, (run('find', $root, '-type', 'f'))[1];
is(join("\n", @left), '', '... and nothing else');

finish();

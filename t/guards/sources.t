#!/usr/bin/env perl
# Every C file is built, every unit suite runs, every importer and command is listed.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my @fragments = tree(qr{/sources\.am$}, 'mod_disclosed', 't/unit', 't/fuzz');
my @listed = map { slurp($_) =~ /(\S+\.[ch])\b/g } @fragments;
# The two ways into the fuzz targets are in no list: each program has one of them.
my @found = grep { !m{^t/fuzz/(?:main|libfuzzer)\.c$} } tree(qr/\.[ch]$/, 'mod_disclosed', 't/unit', 't/fuzz');
looked_at(scalar @fragments, 8, 'sources.am files');
looked_at(scalar @found, 100, 'C files');
same_set(\@listed, \@found, 'every C file is in one sources.am, and every file there exists');
none([grep { my $am = $_; my ($folder) = m{^(.*)/}; grep { !m{^\Q$folder\E/} } slurp($am) =~ /(\S+\.[ch])\b/g }
      @fragments], 'a sources.am lists files of its own folder and those in it');
my $makefile = slurp('Makefile.am');
none([grep { $makefile !~ /^include \Q$_\E$/m } @fragments], 'Makefile.am includes each sources.am');

my @defined = map { slurp($_) =~ /^void (dsc_suite_\w+)\(void\)\s*\{/gm } grep { m{/test_\w+\.c$} } @found;
my @declared = slurp('t/unit/suites.h') =~ /^void (dsc_suite_\w+)\(void\);/gm;
my @registered = slurp('t/unit/main.c') =~ /^\s+(dsc_suite_\w+),/gm;
my @test_files = grep { m{^t/unit/test_\w+\.c$} } @found;
looked_at(scalar @defined, 4, 'unit suites');
same_set(\@declared, \@defined, 'every suite is declared in suites.h');
same_set(\@registered, \@defined, 'every suite is registered in main.c');
none([grep { slurp($_) !~ /^void dsc_suite_\w+\(void\)/m } @test_files], 'every t/unit/test_*.c has a suite');

# Bytes for secrets come from one function, which says when there are none.
my @random = grep { slurp($_) =~ /\b(?:RAND_(?:priv_)?bytes|apr_generate_random_bytes|getrandom|getentropy|arc4random\w*)\s*\(/ }
    grep { m{^mod_disclosed/.*\.c$} } @found;
same_set(\@random, ['mod_disclosed/engine/random.c'], 'random bytes come from engine/random.c');

# httpd's parent reloads the module with each configuration: what engine/digest.c keeps of OpenSSL would be lost each time.
my @parents = grep { m{^mod_disclosed/(?:module/(?:\w*config\w*|mod_disclosed|sections)|access/server_secret)\.c$} } @found;
looked_at(scalar @parents, 5, 'files that the parent runs');
none([grep { slurp($_) =~ /\bdsc_(?:sha256|hmac_sha256|content_hash\w*)\(\w/ } @parents], '... hash without engine/digest.c');

my ($version) = slurp('configure.ac') =~ /^AC_INIT\(\[mod_disclosed\], \[([\d.]+)\]/m;
my $header = slurp('include/mod_disclosed.h');
my %part = $header =~ /^#define MOD_DISCLOSED_VERSION_(\w+) (\d+)$/gm;
is(join('.', map { $part{$_} // '?' } qw(MAJOR MINOR PATCH)), $version, 'mod_disclosed.h has the version of configure.ac');
like($header, qr/^#define MOD_DISCLOSED_VERSION\s+"\Q$version\E"$/m, 'and as text');
like(slurp('ChangeLog'), qr/\A[^\n]*\n\n\Q$version\E\b/, 'ChangeLog begins with it');
# Suites run side by side, and process ids come again: what is named by one may be another suite's.
my @suites = (tree(qr/\.t$/, 't'), grep { m{^t/lib/} } tree(qr/\.pm$/, 't'));
looked_at(scalar @suites, 80, 'suites and their modules');
my @tells_ids = ('t/guards/sources.t', 't/lib/Disclosed/Shared.pm', 't/lib/Disclosed/Cluster.pm');
none([grep { my $file = $_; slurp($file) =~ m{["\w/][-_]\$(?:\$|\{\$\})|LocalPort => [1-9]|["']/tmp/}
      && !grep { $_ eq $file } @tells_ids } @suites], 'names come from fresh(), ports from the system');
# What is made by a build, wherever that is, is not the project's.
SKIP: {
    my $text = '';
    if (-e root() . '/.git' && open my $git, '-|', 'git', '-C', root(), 'ls-files', '-z') {
        local $/;
        $text = <$git> // '';
    }
    my @tracked = split /\0/, $text;
    skip 'no git here', 2 if !@tracked;
    looked_at(scalar @tracked, 500, 'files in git');
    none([grep { !m{^(?:\.ci|conf|debian|docs|include|mod_disclosed|scripts|sql|t)/|^[^/]+\z} || m{(?:^|/)(?:Makefile|config\.(?:log|status)|libtool|[^/]*\.l?[oa])\z}
        || $_ eq 't/build.env' || m{^docs/html/} } @tracked], 'nothing that a build makes is in git');
}
# What git writes between two sides of a merge.
my @texts = ('ChangeLog', 'README.md', 'Makefile.am', tree(qr/./, 'conf', 'debian', 'docs', 'mod_disclosed', 'scripts', 'sql', 't'));
none([grep { -T root() . "/$_" && slurp($_) =~ /^(?:<{7}|>{7}) \S/m } @texts], 'every merge is done');

# What the Makefile says of suites is of suites that there are.
my %suite = map { m{^t/(?:attack/)?([^/]+)\.t$} ? ($1 => 1) : () } @suites;
my @named = map { split ' ' } $makefile =~ /^(?:LONG|QUIET)_SUITES = ((?:.*\\\n)*.*)/gm;
looked_at(scalar @named, 2, 'names of suites');
none([grep { $_ ne '\\' && !$suite{$_} } @named], 'LONG_SUITES and QUIET_SUITES name suites');
done_testing;

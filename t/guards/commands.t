#!/usr/bin/env perl
# Commands of README.md and the guides are commands of the program: disclosedctl knows the command, its options and what it loads, and
# ./quickstart what it is asked for.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Disclosed::JSON ();
use Test::More;

my $ctl = $ENV{DISCLOSED_CTL} || root() . '/disclosedctl';
plan skip_all => "no disclosedctl at $ctl: build first, or run make check" unless -x $ctl;

my %own = map { ($_ => 1) } qw(--empty stop status clean check help);
my %importer = map { ($_->{name} => 1) } Disclosed::JSON->new->utf8->decode(scalar `'$ctl' tables --json`)->{importers}->@*;
my (%options, %actions);
my ($commands) = `'$ctl' --help` =~ /^Commands:\n(.*?)\n\n/ms;
for my $name ($commands =~ /^  (\S+)/gm) {
    my $help = `'$ctl' $name --help`;
    $options{$name} = {map { ($_ => 1) } '--database', $help =~ /^  (--[\w-]+)/gm};
    # "list | rotate ID | ...", "provider list | provider add NAME ...": the words that begin each
    my ($usage) = $help =~ /^usage: disclosedctl \Q$name\E (.*)/m;
    $actions{$name} = {map { /^ *(?:\Q$name\E +)?([a-z][\w-]*)/ ? ($1 => 1) : () } split /\|/, $usage // ''} if ($usage // '') =~ /^[a-z]/;
}
looked_at(scalar keys %options, 17, 'commands of disclosedctl');

# What is wrong with the words behind disclosedctl; nothing where all is well.
sub wrong {
    my (@words) = @_;
    my $name = shift @words // return 'no command';
    return "no command $name" if !$options{$name};
    my ($first) = grep { !/^-/ } @words;
    return "$name has no $first" if $actions{$name} && defined $first && $first eq ($words[0] // '') && $first =~ /^[a-z]/ && !$actions{$name}{$first};
    my @unknown = grep { /^--/ && !$options{$name}{s/=.*//r} } @words;
    return "$name has no @unknown" if @unknown;
    return '' if $name ne 'import' || grep { $importer{$_} } @words or !@words or grep { /^(?:[A-Z]+|--help|--no-webhooks|\.\.\.)$/ } @words;
    return "nothing is imported by @words";
}

my ($seen, @faults) = (0);
for my $path (tree(qr/\.md$/, 'docs'), 'README.md') {
    my $number = 0;
    for my $line (split /\n/, slurp($path)) {
        $number++;
        my @found = $line =~ /^ {4}/ ? $line =~ /(?:^ +(?:\$ )?|\d+ |; |&& )(disclosedctl(?= [^(])[^#;&|]*|\.\/quickstart[^#;&|]*)/g : ();
        push @found, $line =~ /`(disclosedctl [^`]*|\.\/quickstart [^`]*)`/g;
        for my $command (@found) {
            my ($program, @words) = split ' ', $command =~ s/'[^']*'|"[^"]*"/TEXT/gr;
            @words = grep { !/^[\[\\]/ } @words;
            $seen++;
            next if $program =~ /quickstart/ && (!@words || $own{$words[0]});
            my $why = wrong(@words);
            push @faults, "$path:$number: $command: $why" if $why;
        }
    }
}
looked_at($seen, 100, 'commands in the guides');
none(\@faults, 'all of them are some');

# The manual page has the commands as --help tells them, the options that all commands have, and the exit codes.
my $manual = slurp('docs/disclosedctl.1') =~ s/\\-/-/gr;
is(join("\n", $manual =~ /^\.SH COMMANDS\n(.*?)^\.SH/ms ? "$1" =~ /^\.TP\n\.B (\S+\n[^\n]+)/gm : ()), join("\n", map { s/^(\S+) +/$1\n/r } $commands =~ /^  (.+)/gm), 'the manual page has the commands');
my %common;
$common{$_}++ for map { keys %$_ } values %options;
same_set([$manual =~ /^\.(?:BI?|BR) (--\w+)/gm], [grep { $common{$_} == keys %options } keys %common], '... the options of all commands');
same_set([map { split /, / } $manual =~ /^\.TP\n(\d+(?:, \d+)*)\n/gm], [`'$ctl' --help` =~ /(?:codes: |;\s|\(|, )(\d+)\b(?! plus)/g], '... and the exit codes');

# Our own packages are in no archive: a file of them is installed. Those that a build takes README.md names, as debian/control does; what a
# Debian system has anyway, or another of them brings, need not be named.
my @installed = map { my $page = $_; map { [$page, split ' ', s/\\\n/ /gr =~ s/\s#.*//r] } slurp($page) =~ /^ {4}(?:sudo )?apt(?:-get)? install ((?:[^\n]*\\\n)*[^\n]*)$/gm }
    'README.md', tree(qr/\.md$/, 'docs');
looked_at(scalar @installed, 4, 'lines that install packages');
none([map { my ($page, @names) = @$_; map { "$page: $_" } grep { /disclosed/ && !m{^\./} } @names } @installed], 'our packages are installed by their files');
my %named = map { ($_ => 1) } map { my ($page, @names) = @$_; $page eq 'README.md' ? @names : () } @installed;
my ($needed) = slurp('debian/control') =~ /^Build-Depends: (.*)$/m;
my @builds = grep { !/^(?:debhelper-compat|perl|libapr1-dev|libaprutil1-dev)$/ } map { /([\w.+-]+)(?: \([^)]*\))?$/ } split /, /, $needed;
looked_at(scalar @builds, 8, 'packages that a build takes');
none([grep { !$named{$_} } @builds], 'README.md names each package that a build takes');

# dh_installexamples installs what debian/*.examples names under the last part of its name.
my %example = map { m{([^/\s]+)$} ? ($1 => 1) : () } split /\n/, slurp('debian/disclosed-tools.examples');
my @shown = map { my $page = $_; map { [$page, $_] } slurp($page) =~ m{/usr/share/doc/disclosed-tools/examples/([^/\s`]+)}g } tree(qr/\.md$/, 'docs');
looked_at(scalar @shown, 1, 'examples of the package that the guides name');
none([map { "$_->[0]: $_->[1]" } grep { !$example{$_->[1]} } @shown], 'they are where the package has them');
done_testing;

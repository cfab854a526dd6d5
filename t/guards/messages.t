#!/usr/bin/env perl
# Log messages: a row of engine/message.h each, explained in docs/messages.md. The rows are read from what the program exports.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Disclosed::JSON ();
use Test::More;

my %levels = (EMERG => 'emergency', CRIT => 'critical', ERR => 'error', WARNING => 'warning', NOTICE => 'notice');
my $ctl = $ENV{DISCLOSED_CTL} || root() . '/disclosedctl';
plan skip_all => "no disclosedctl at $ctl: build first, or run make check" unless -x $ctl;
my @messages = Disclosed::JSON->new->utf8->decode(scalar `'$ctl' tables --json`)->{messages}->@*;

# Calls that log at notice or above by a text of their own.
sub unnumbered {
    my ($code) = @_;
    return grep { !/\bAPLOG_(?:DEBUG|TRACE\d|INFO)\b/ && !/\bDSC_MESSAGE\(|"DSC%04d: / }
        without_comments($code) =~ /\b(ap_log_\w?error\((?:[^;"]|"(?:[^"\\]|\\.)*")*;)/g;
}

# What the document lacks or says otherwise.
sub differences {
    my ($text, @rows) = @_;
    my %listed = map { $_->[0] => $_->[1] } map { [/^\| \[(DSC\d{4})\]\(#[^)]+\) \| (\w+) \|/] } grep { /^\| \[DSC/ } split /\n/, $text;
    my %section = $text =~ /^## (DSC\d{4})\b[^\n]*\n(.*?)(?=^## |\z)/gms;
    my %known = map { $_->{number} => $levels{ $_->{level} } } @rows;
    return (
        (map { "$_: not in the list" } grep { !$listed{$_} } sort keys %known),
        (map { "$_: listed as $listed{$_}" } grep { $listed{$_} && $listed{$_} ne ($known{$_} // 'no level') } sort keys %known),
        (map { "$_: no section" } grep { !$section{$_} } sort keys %known),
        (map { "$_: does not say what to do" } grep { $section{$_} !~ /^What to do: \S/m } sort keys %section),
        (map { "$_: no such message" } grep { !$known{$_} } sort(keys %section, keys %listed)),
    );
}

my $calls = 0;
my @unnumbered;
for my $path (tree(qr/\.[ch]$/, 'mod_disclosed')) {
    my $code = slurp($path);
    $calls += () = $code =~ /\bap_log_\w?error\(/g;
    push @unnumbered, map { "$path: $_" } unnumbered($code);
}
looked_at($calls, 10, 'log calls');
looked_at(scalar @messages, 20, 'messages');
my %numbers;
$numbers{ $_->{number} }++ for @messages;
none([grep { $numbers{$_} > 1 } sort keys %numbers], 'no number stands twice');
none([sort { $a cmp $b } grep { !$levels{$_} } map { $_->{level} } @messages], 'each level is from notice up');
none(\@unnumbered, 'every message from notice up is a row of the table');
none([differences(slurp('docs/messages.md'), @messages)], 'docs/messages.md has each with its level and what to do, and no other');

is(scalar unnumbered('ap_log_error(APLOG_MARK, APLOG_ERR, 0, s, "text; %d", 1);'), 1, 'a message of its own is seen');
my $one = "| [DSC0001](#a) | error | x |\n\n## DSC0001 x\n\nWhat to do: y\n";
my %row = (number => 'DSC0001', level => 'ERR');
is_deeply([differences($one, \%row)], [], 'a document that is right');
is_deeply([differences($one, { %row, level => 'WARNING' })], ['DSC0001: listed as error'], 'another level is seen');
is_deeply([differences($one)], ['DSC0001: no such message', 'DSC0001: no such message'], 'a message that is gone is seen');
is_deeply([differences('', \%row)], ['DSC0001: not in the list', 'DSC0001: no section'], 'one that is not documented is seen');
is_deeply([differences("| [DSC0001](#a) | error | x |\n\n## DSC0001 x\n\ny\n", \%row)], ['DSC0001: does not say what to do'], 'one without advice is seen');
done_testing;

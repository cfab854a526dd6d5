#!/usr/bin/env perl
# Migrations are numbered without gaps, and released ones never change. What the tables of datasets say of them, t/tables.t
# looks at in a migrated database.
use strict;
use warnings;

use Digest::SHA 'sha256_hex';
use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my @migrations = grep { !m{/roles\.sql$} } tree(qr/\.sql$/, 'sql');
looked_at(scalar @migrations, 1, 'migrations');
my @numbers = map { m{^sql/(\d{4})_[a-z][a-z0-9_]*\.sql$} ? $1 + 0 : $_ } @migrations;
is_deeply(\@numbers, [1 .. @numbers], 'numbered from 0001 without gaps, named NNNN_name.sql');

# A release freezes its migrations: sql/CHECKSUMS has them as sha256sum prints them.
my @released = slurp('ChangeLog') =~ /^(\d+\.\d+\.\d+)(?! \(not released yet\))/gm;
my $checksums = -e root() . '/sql/CHECKSUMS' ? slurp('sql/CHECKSUMS') : '';
my %frozen = reverse $checksums =~ /^([0-9a-f]{64})  (\S+)$/gm;
ok(!@released || %frozen, 'migrations of a released version are listed in sql/CHECKSUMS');
none([grep { sha256_hex(slurp("sql/$_")) ne $frozen{$_} } sort keys %frozen], 'frozen migrations are as they were');

done_testing;

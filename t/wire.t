#!/usr/bin/env perl
# A share of the wire proof (t/proofs/wire compares millions): values of every type that we read in PostgreSQL's binary format,
# all special ones and random ones, are written as PostgreSQL itself writes them. And a field whose SQL yields another type than
# it takes is refused, not misread.
use v5.24;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Wire qw(random_values special_values prove_values);
use Disclosed::Shared qw(cluster);
use Disclosed::Test;

my $conninfo = cluster()->conninfo('postgres', 'postgres');
my %query = (special_values(), random_values(12_000));
my $sum = 0;
for my $kind (sort keys %query) {
    my ($compared, $differences) = prove_values($conninfo, $query{$kind});
    is($differences, '', "$kind: $compared values are written alike");
    $sum += $compared;
}
cmp_ok($sum, '>=', 200_000, "$sum values");

# It can fail.
my ($compared, $differences) = prove_values($conninfo, q{SELECT 1.50, '1.5', NULL::text});
like($differences, qr/1\.5\nis written as\n1\.5 1\.50/, 'what is written otherwise is reported');
(undef, $differences) = prove_values($conninfo, q{SELECT 1.5::float8, '1.5', NULL::text});
isnt($differences, '', 'so is a type that is not read');

# A column of another type than its field takes.
my $site = site();
is($site->get('/v1/insider?limit=1')->status, 200, 'the page is served');
$site->execute('DROP VIEW disclosed.insider_transaction_sourced');
$site->execute('ALTER TABLE disclosed.insider_transaction ALTER COLUMN shares TYPE double precision');
expect_log($site, 'DSC0003', 'DSC0010');
is($site->get('/v1/insider?limit=2')->status, 500, '... and not once a column has become of a type that its field does not take');
finish();

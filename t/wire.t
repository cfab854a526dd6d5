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

# Calendar periods are those of SQL: of instants, and of all lengths that have one or are next to those.
my $site = site();
my $days = 'SELECT date %s + n AS e FROM generate_series(0, %d, %d) n';
my $written = q{SELECT e, e::text, coalesce(to_json(disclosed.calendar_period(s, e))::text, 'null'), s FROM };
for my $kind (['instants', "'0001-12-01 BC'", 800, 1], ['present instants', "'1994-12-01'", 12_000, 1], ['periods', "'1998-01-01'", 11_000, 37], ['old periods', "'0002-01-01 BC'", 1500, 29]) {
    my ($name, @span) = $kind->@*;
    my $starts = $name =~ /instants/ ? 'SELECT NULL::date AS s' : 'SELECT e - length AS s FROM generate_series(1, 400) length WHERE length NOT BETWEEN 130 AND 320';
    ($compared, $differences) = prove_values($site->conninfo, $written . '(' . sprintf($days, @span) . ") d CROSS JOIN LATERAL ($starts) l");
    is($differences, '', "$name: $compared calendar periods are written alike");
    cmp_ok($compared, '>', 700, '... of many days');
}

# A column of another type than its field takes.
is($site->get('/v1/insider?limit=1')->status, 200, 'the page is served');
$site->execute('DROP VIEW disclosed.insider_transaction_sourced');
$site->execute('ALTER TABLE disclosed.insider_transaction ALTER COLUMN shares TYPE double precision');
expect_log($site, 'DSC0003', 'DSC0010');
is($site->get('/v1/insider?limit=2')->status, 500, '... and not once a column has become of a type that its field does not take');
finish();

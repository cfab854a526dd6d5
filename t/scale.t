# docs/scale.md computes what Citus, replicas and hosts cost: its tables are what t/scale/simulate says, which agrees with what was measured on one
# machine, and its money is what its formula gives.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run slurp);
use Disclosed::JSON ();

my $here = build('SRCDIR') . '/t/scale';
my ($code, $out, $err) = run("$here/simulate", '--check', "$here/points");
is($code, 0, 'the simulation agrees with the points that were measured') or diag $out, $err;
cmp_ok(scalar(() = $out =~ /^--/mg), '>=', 6, '... so many of them');

my $page = slurp(build('SRCDIR') . '/docs/scale.md');

# Rows as they stand there, and the options that give them.
my ($one, $citus) = ('--httpd 170 --sql 170', '--network 200 --databases 2');
my @rows = (
    ['| 1,000 | one machine for both, 2 cores | | 12 | 0.33, 0.73 ms | 17 % |', "$one --rate 1000 --together --host-cores 2 --pool 12"],
    ['| 10,000 | 1 host of 4 cores | the primary, 4 cores | 16 | 0.53, 0.88 ms | 43 % |', "$one --network 200 --rate 10000 --host-cores 4 --database-cores 4 --pool 16"],
    ['| | | | 4 | 0.94, 3.02 ms | 43 % |', "$one --network 200 --rate 10000 --host-cores 4 --database-cores 4 --pool 4"],
    ['| 100,000 | 4 hosts of 8 cores | 4 replicas of 8 cores | 24 each | 0.52, 0.87 ms | 53 % |', "$one --network 200 --rate 100000 --hosts 4 --host-cores 8 --databases 4 --database-cores 8 --pool 24 --seconds 0.5"],
    ['| | | | 8 each | 42 ms and longer: 85,000/s get through | 50 % |', "$one --network 200 --rate 100000 --hosts 4 --host-cores 8 --databases 4 --database-cores 8 --pool 8 --seconds 0.5"],
    ['| 1,000 of companies\' lists | 2 cores | 2 of 2 cores | 2.2, 4.7 ms | 55, 11 % |', "$citus --rate 1000 --httpd 260 --coordinator 1129 --sql 451"],
    ['| 1,000 of lists of all, 4 shards | 2 cores | 4 cores together | 3.4, 7.1 ms | 60, 38 % |', "$citus --rate 1000 --httpd 297 --coordinator 1175 --sql 1497"],
    ['| 1,000 of lists of all, 32 shards | 10 cores | 20 cores together | 16, 38 ms | 52, 56 % |', "$citus --rate 1000 --httpd 370 --coordinator 5183 --coordinator-cores 10 --sql 11402 --database-cores 10 --pool 64"],
    ['| 10,000 of companies\' lists | 20 cores | 2 of 4 cores | 2.0, 4.1 ms | 56, 56 % |', "$citus --rate 10000 --httpd 260 --host-cores 8 --coordinator 1129 --coordinator-cores 20 --sql 451 --database-cores 4 --pool 64"],
    ['| | 8 cores | 2 of 4 cores | 366 ms and longer: 6,800/s get through | 100, 40 % |', "$citus --rate 10000 --httpd 260 --host-cores 8 --coordinator 1129 --coordinator-cores 8 --sql 451 --database-cores 4 --pool 64"],
);

# Within a tenth, or half of the last digit.
sub is_near { my ($is, $said) = @_; $said =~ tr/,//d; return abs($is - $said) <= 0.1 * $said || abs($is - $said) <= 0.5 * 10**-length($said =~ s/^\d+\.?//r) }

for (@rows) {
    my ($row, $options) = @$_;
    ok(index($page, "$row\n") >= 0, "docs/scale.md has $row");
    (undef, $out) = run("$here/simulate", '--json', split / /, $options);
    my $is = Disclosed::JSON->new->decode($out);
    my ($times, $busy) = (split / \| /, $row =~ s/ \|\z//r)[-2, -1];
    my ($p50, $p99) = $times =~ /^([\d.]+), ([\d.]+) ms/;
    my ($longer, $through) = $times =~ /^(\d+) ms and longer: ([\d,]+)\/s/;
    ok($through ? is_near($is->{rate}, $through) && is_near($is->{p50}, $longer) : is_near($is->{p50}, $p50) && is_near($is->{p99}, $p99),
        sprintf '... the simulation says %.0f/s, p50 %.2f ms, p99 %.2f ms', $is->@{qw(rate p50 p99)});
    my @said = $busy =~ /(\d+)/g;
    my @busy = map { 100 * ($_ // 0) } $is->{busy}{machine} // (@said > 1 ? $is->{busy}->@{qw(coordinator databases)} : $is->{busy}{hosts});
    is(scalar(grep { !is_near($busy[$_], $said[$_]) && abs($busy[$_] - $said[$_]) > 4 } 0 .. $#said), 0, '... and busy: ' . join ', ', map { sprintf '%.0f', $_ } @busy);
}

# cores * 20 + GB * 0.10 * copies
my @cores  = (2, 4 + 4, 4 * 8 + 4 * 8 + 4);
my @copies = (1, 1, 5);
my $sums = 0;
for my $size (250, 2_500, 25_000) {
    my ($cells) = $page =~ /^\| (?:EDGAR|10 times|100 times), @{[ $size == 250 ? '250 GB' : $size == 2_500 ? '2[.]5 TB' : '25 TB' ]} \| (.*) \|$/m or next;
    my @said = map { my ($sum) = /= ([\d,]+)\z/; $sum =~ tr/,//dr } split / \| /, $cells;
    is("@said", join(' ', map { $cores[$_] * 20 + $size * 0.1 * $copies[$_] } 0 .. 2), "money a month of $size GB");
    $sums++;
}
is($sums, 3, '... for three sizes');
done_testing();

package Bench::Report;

# From rounds of numbers to the table, the marks and the JSON.

use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use List::Util qw(max min);

our @EXPORT_OK = qw(summarise judge median print_tables print_json);

# name, what is divided, by what, the mark, and whether more ('>=') or less ('<=') reaches it.
# All are of requests a second in the same round.
my @MARKS = (
    ['insider page: times Fastify', 'insider', 'insider_fastify', '>=', 2.5],
    ['insider page: times FastAPI', 'insider', 'insider_returned', '>=', 10],
    ['  the same, with response_model', 'insider', 'insider_modelled', '>=', 10],
    ['  the same, its encoder avoided', 'insider', 'insider_fastapi', '>=', 10],
    ['company detail: times Fastify', 'company', 'company_fastify', '>=', 1.0],
    ['304: share of the trivial handler', 'insider_304', 'trivial', '>=', 0.8],
    ['  route, key, limits, headers', 'insider_304', 'trivial', '>=', 0.9], # and parameters and tags
    ['cost of a late page: times page 1', 'insider', 'insider_late', '<=', 1.1],
);

sub median
{
    my @sorted = sort { $a <=> $b } @_;
    my $middle = int(@sorted / 2);
    return @sorted % 2 ? $sorted[$middle] : ($sorted[$middle - 1] + $sorted[$middle]) / 2;
}

# rounds: {name => [result, ...]}; returns {name => {rate, lowest, highest, p50, p99,
# server, sql, bytes, rounds}}, times in microseconds.
sub summarise
{
    my ($rounds) = @_;
    my %summary;
    for my $name (keys %{$rounds}) {
        my @results = @{$rounds->{$name}};
        my @rates = map { $_->{rate} } @results;
        $summary{$name} = {
            rate => median(@rates), lowest => min(@rates), highest => max(@rates),
            server => median(map { $_->{server} } @results),
            sql => median(map { $_->{sql} } @results),
            p50 => median(map { $_->{p50} } @results), p99 => median(map { $_->{p99} } @results),
            bytes => median(map { $_->{bytes} / $_->{requests} } @results),
            rounds => scalar @results,
        };
    }
    return \%summary;
}

# The marks: the median over rounds of the ratio within a round, with the least and the greatest.
sub judge
{
    my ($rounds) = @_;
    my @judged;
    for my $mark (@MARKS) {
        my ($title, $over, $under, $sign, $wanted) = @{$mark};
        next if !$rounds->{$over} || !$rounds->{$under};
        my @ratios = map { $rounds->{$over}[$_]{rate} / $rounds->{$under}[$_]{rate} }
            0 .. min($#{$rounds->{$over}}, $#{$rounds->{$under}});
        my $ratio = median(@ratios);
        my $reached = $sign eq '>=' ? $ratio >= $wanted : $ratio <= $wanted;
        push @judged, {
            mark => $title, ratio => $ratio, lowest => min(@ratios), highest => max(@ratios),
            sign => $sign, wanted => $wanted, result => $reached ? 'reached' : 'short',
        };
    }
    return \@judged;
}

sub print_tables
{
    my ($report) = @_;
    printf "%-18s %s\n", "$_->[0]:", $_->[1] for @{$report->{setup}};
    print "\n";
    printf "%-36s %10s %14s %8s %8s %9s %6s %6s\n", 'answer', 'requests/s', 'lowest..most',
        'p50 ms', 'p99 ms', 'server us', 'SQL us', 'bytes';
    for my $target (@{$report->{targets}}) {
        my $of = $report->{summary}{$target->{name}} or next;
        printf "%-36s %10.0f %14s %8.2f %8.2f %9.0f %6.0f %6.0f\n", $target->{title}, $of->{rate},
            sprintf('%.0f..%.0f', $of->{lowest}, $of->{highest}), $of->{p50} / 1000,
            $of->{p99} / 1000, $of->{server}, $of->{sql}, $of->{bytes};
    }
    print "server us, SQL us: processor time that the server and PostgreSQL spend on a request\n\n";
    printf "%-36s %10s %14s %8s %8s\n", 'mark', 'measured', 'lowest..most', 'wanted', '';
    for my $mark (@{$report->{marks}}) {
        printf "%-36s %10.2f %14s %8s %8s\n", $mark->{mark}, $mark->{ratio},
            sprintf('%.2f..%.2f', $mark->{lowest}, $mark->{highest}),
            "$mark->{sign} $mark->{wanted}", $mark->{result};
    }
    print_memory($report->{memory}) if $report->{memory};
    print "\n$_\n" for @{$report->{remarks}};
    return;
}

sub print_memory
{
    my ($memory) = @_;
    my @steps = @{$memory->{steps}};
    print "\n";
    printf "%-44s %s\n", 'resident memory of httpd\'s children, KB, after',
        join ' ', map { sprintf '%9d', $_->{requests} } @steps;
    for my $place (0 .. $#{$steps[0]{children}}) {
        my $child = $steps[0]{children}[$place];
        printf "%-48s %s\n", "  process $child->{pid} ($child->{threads} threads)",
            join ' ', map { sprintf '%9d', $_->{children}[$place]{kilobytes} // 0 } @steps;
    }
    printf "  growth at most %.1f %%: %s\n", 100 * $memory->{growth}, $memory->{result};
    return;
}

sub print_json
{
    my ($report) = @_;
    my %plain = (%{$report}, setup => {map { @{$_} } @{$report->{setup}}});
    print JSON::PP->new->canonical->pretty->encode(\%plain);
    return;
}

1;

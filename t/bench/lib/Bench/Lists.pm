package Bench::Lists;

# Every list of the module on a large universe: plans of its statements, and how long its pages take.

use strict;
use warnings;
use Exporter 'import';

use Bench::Load qw(run_load);
use Bench::Process qw(say_progress);
use Bench::Report qw(median);
use Disclosed::Client qw(send_request);
use Disclosed::Filters qw(filter_values);
use Disclosed::Lists qw(with);
use Disclosed::Plans;

our @EXPORT_OK = qw(find_cases look_at_plans measure_cases judge_cases);

my $MOST_SORTED = 501;      # rows of the largest page, and one that says that there are more
my $SMALL_TABLE = 1000;     # rows below which PostgreSQL rightly reads a table from end to end
my $SPREAD = 10;            # times p50 that p99 may be

# What Disclosed::Lists asks: a server and a key.
sub new
{
    my ($class, $server, $key) = @_;
    my ($port) = $server->{base} =~ /:(\d+)$/;
    return bless {port => $port, key => $key}, $class;
}

sub get
{
    my ($self, $target, %option) = @_;
    return send_request($self->{port}, 'GET', $target,
        headers => {Authorization => "Bearer $self->{key}", %{$option{headers} // {}}});
}

# The cases: {list, filters, page (1, or the number of a late one), path}. Without filters, with each filter, and
# with all; the first page, and page `late` of a walk or the last one; of lists whose path contains `only`.
sub find_cases
{
    my ($server, $key, $late, $only) = @_;
    my $lists = Disclosed::Lists->new(Bench::Lists->new($server, $key));
    my @cases;
    for my $list (grep { index($_->{path}, $only) >= 0 } $lists->lists) {
        my $path = $lists->path_of($list->{path});
        my %values = filter_values($lists, $list, $path);
        my @names = sort keys %values;
        say_progress("walking over $path");
        for my $group ([], (map { [$_] } @names), @names > 1 ? [@names] : ()) {
            my $target = with($path, map { $_ => $values{$_} } @{$group});
            my %case = (list => $list->{path}, filters => $group);
            push @cases, {%case, page => 1, path => $target};
            my ($page, $last) = late_page($lists, $target, $late);
            push @cases, {%case, page => $page, path => $last} if $page > 1;
        }
    }
    my @faults = $lists->faults;
    die join("\n", @faults), "\n" if @faults;
    return \@cases;
}

# Walks to a page, or to the last: its number and path.
sub late_page
{
    my ($lists, $target, $late) = @_;
    my ($page, $path) = (1, $target);
    while ($page < $late) {
        my $response = $lists->get($path);
        die "$path: " . $response->describe if $response->status != 200;
        my ($cursor) = $response->body =~ /"next_cursor":"([\w-]+)"/ or last;
        $path = with($target, cursor => $cursor);
        $page++;
    }
    return ($page, $path);
}

# Each case once, with PostgreSQL writing down the plans as they ran: adds plan, reads (rows that scans gave or
# threw away) and faults to each.
sub look_at_plans
{
    my ($cases, $server, $key, $database) = @_;
    my $site = Bench::Lists->new($server, $key);
    my %small = map { $_ => 1 } split /\n/, $database->psql('postgres', 'disclosed',
        '-c', "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples < $SMALL_TABLE");
    my $log = Disclosed::Plans->new($database->{log});
    for my $case (@{$cases}) {
        $log->read;
        my $response = $site->get($case->{path});
        die "$case->{path}: " . $response->describe if $response->status != 200;
        my @plans = grep { !Disclosed::Plans::is_beside($_->{query}) } $log->read;
        die "no plan of $case->{path} is in the log\n" if !@plans;
        $case->{faults} = [map { Disclosed::Plans::faults($_->{plan}, \%small, $MOST_SORTED) } @plans];
        $case->{reads} = 0;
        $case->{reads} += rows_read($_->{plan}) for @plans;
        $case->{plan} = Disclosed::Plans::line($plans[-1]{plan});
    }
    return;
}

sub rows_read
{
    my ($plan) = @_;
    my $rows = 0;
    for my $place (Disclosed::Plans::nodes($plan)) {
        my $node = $place->[0];
        next if !$node->{'Relation Name'};
        $rows += (($node->{'Actual Rows'} // 0) + ($node->{'Rows Removed by Filter'} // 0)
            + ($node->{'Rows Removed by Index Recheck'} // 0)) * ($node->{'Actual Loops'} // 0);
    }
    return $rows;
}

# Adds rate, p50 and p99, the medians over the rounds, to each.
sub measure_cases
{
    my ($cases, $server, $load, $option) = @_;
    my %results;
    for my $round (1 .. $option->{rounds}) {
        say_progress("round $round of $option->{rounds}");
        for my $case (@{$cases}) {
            run_load($load, $server, [[$case->{path}]], 1);
            my $result = run_load($load, $server, [[$case->{path}]], $option->{seconds});
            die "$result->{refused} refused, $result->{broken} broken: $case->{path}\n"
                if $result->{refused} + $result->{broken};
            push @{$results{$case->{path}}{$_}}, $result->{$_} for qw(rate p50 p99);
        }
    }
    for my $case (@{$cases}) {
        $case->{$_} = median(@{$results{$case->{path}}{$_}}) for qw(rate p50 p99);
    }
    return;
}

# What falls short, as texts; each case gets its result.
sub judge_cases
{
    my ($cases) = @_;
    my @short;
    for my $case (@{$cases}) {
        my @reasons = @{$case->{faults}};
        push @reasons, sprintf 'p99 is %.1f times p50', $case->{p99} / $case->{p50}
            if $case->{p99} && $case->{p99} >= $SPREAD * $case->{p50};
        $case->{result} = @reasons ? 'short' : 'reached';
        push @short, map { "$case->{path}: $_" } @reasons;
    }
    return \@short;
}

1;

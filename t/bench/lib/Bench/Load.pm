package Bench::Load;

# What is measured and how: single requests that look at answers, wrk for load, memory of httpd.

use strict;
use warnings;
use B ();
use Exporter 'import';
use HTTP::Tiny;
use JSON::PP ();
use List::Util qw(sum);
use POSIX ();
use Time::HiRes qw(time);

use Bench::Process qw(run_program children_of);

our @EXPORT_OK = qw(ask decode walk difference run_load processor_seconds resident busy_share);

my $client = HTTP::Tiny->new(timeout => 30, keep_alive => 1);

# GET; dies unless the status is the one expected.
sub ask
{
    my ($server, $path, $key, $status, %headers) = @_;
    my $response = $client->get("$server->{base}$path",
        {headers => {Authorization => "Bearer $key", Accept => 'application/json', %headers}});
    die "$server->{name} answers $path with $response->{status}, not $status:\n"
        . substr($response->{content}, 0, 600) . "\n" if $response->{status} != $status;
    return $response;
}

sub decode
{
    my ($response) = @_;
    return JSON::PP::decode_json($response->{content});
}

# The path of a page of a walk.
sub walk
{
    my ($server, $path, $key, $last) = @_;
    my $url = $path;
    for my $number (2 .. $last) {
        my $page = ask($server, $url, $key, 200)->{content};
        die "the walk over $path ends before page $number\n"
            if $page !~ /"next_cursor":"([\w.~%-]+)"/;
        $url = "$path&cursor=$1";
    }
    return $url;
}

# Where two decoded answers differ, as text; '' where they are equal. Numbers are compared as
# numbers, all else exactly; the places in `skip` (such as ".pagination.next_cursor") must be of one
# kind but may differ.
sub difference
{
    my ($one, $other, $skip, $place) = @_;
    $place //= '';
    my ($kind, $other_kind) = (kind($one), kind($other));
    return "$place: $kind and $other_kind" if $kind ne $other_kind;
    return '' if $kind eq 'null' || $skip->{$place};
    return difference_of_objects($one, $other, $skip, $place) if $kind eq 'object';
    return difference_of_arrays($one, $other, $skip, $place) if $kind eq 'array';
    return ($kind eq 'text' ? $one eq $other : $one == $other) ? '' : "$place: $one and $other";
}

sub difference_of_objects
{
    my ($one, $other, $skip, $place) = @_;
    my %names = (%{$one}, %{$other});
    for my $name (sort keys %names) {
        return "$place.$name: only in one" if !exists $one->{$name} || !exists $other->{$name};
        my $found = difference($one->{$name}, $other->{$name}, $skip, "$place.$name");
        return $found if $found;
    }
    return '';
}

sub difference_of_arrays
{
    my ($one, $other, $skip, $place) = @_;
    return "$place: " . @{$one} . ' and ' . @{$other} . ' elements' if @{$one} != @{$other};
    for my $index (0 .. $#{$one}) {
        my $found = difference($one->[$index], $other->[$index], $skip, "$place\[$index]");
        return $found if $found;
    }
    return '';
}

# JSON::PP makes Perl numbers of numbers, and strings of strings.
sub kind
{
    my ($value) = @_;
    return 'null' if !defined $value;
    return 'boolean' if JSON::PP::is_bool($value);
    return ref $value eq 'HASH' ? 'object' : 'array' if ref $value;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return $flags & (B::SVp_IOK | B::SVp_NOK) && !($flags & B::SVp_POK) ? 'number' : 'text';
}

# Runs wrk for `seconds` and returns its numbers: requests, bytes, rate, p50 and p99 in
# microseconds, broken (connections, and requests without an answer in 10 s), refused (answers of
# 400 and above), server and sql (microseconds of processor time that the server and PostgreSQL
# spent on a request). `requests`: [[path, etag], ...] in turn; `body`: JSON that is POSTed to each. `programs`: {name => pid} of
# others whose processor time is told likewise; of PostgreSQL and of these, what they use `at_rest` ({name => seconds a second}) is not counted.
sub run_load
{
    my ($option, $server, $requests, $seconds) = @_;
    my %programs = (server => $server->{pid}, sql => $option->{postgres}, ($option->{programs} // {})->%*);
    my $began = time();
    my %used = map { $_ => processor_seconds($programs{$_}) } keys %programs;
    my $output = run_program('wrk', {
        log => $option->{log}, capture => 1, seconds => $seconds + 30,
        watch => $option->{watch},
        env => {
            BENCH_AUTHORIZATION => "Bearer $option->{key}",
            defined $option->{encoding} ? (BENCH_ACCEPT_ENCODING => $option->{encoding}) : (),
            defined $option->{body} ? (BENCH_BODY => $option->{body}) : (),
            BENCH_REQUESTS => join('', map { "$_->[0]\t" . ($_->[1] // '') . "\n" } @{$requests}),
        },
    }, 'wrk', "-t$option->{threads}", "-c$option->{connections}", "-d${seconds}s",
        '--timeout', '10s', '-s', "$option->{here}/load.lua", $server->{base});
    my ($line) = $output =~ /^result (.*)$/m or die "wrk said nothing that counts:\n$output";
    my $result = JSON::PP::decode_json($line);
    die "$server->{name}: nothing was answered for $requests->[0][0]\n" if !$result->{requests};
    my $elapsed = time() - $began;
    for my $name (keys %programs) {
        my $spent = processor_seconds($programs{$name}) - $used{$name} - $elapsed * ($option->{at_rest}{$name} // 0);
        $result->{$name} = $spent * 1e6 / $result->{requests};
    }
    $result->{rate} = $result->{requests} * 1e6 / $result->{microseconds};
    return $result;
}

# Processor time that a program and its children have used.
sub processor_seconds
{
    my ($program) = @_;
    my $ticks = 0;
    for my $pid ($program, children_of($program)) {
        open(my $file, '<', "/proc/$pid/stat") or next;
        # Behind the name, which may hold anything: utime and stime are the 12th and 13th; then
        # what children have used that are gone by now.
        my @fields = split ' ', (<$file> // '') =~ s/^.*\)//sr;
        my $last = $pid == $program ? 14 : 12;
        $ticks += sum(@fields[11 .. $last]) if @fields > $last;
    }
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# The share of the processors' time that others use while the bench does nothing for a second.
sub busy_share
{
    my @before = processor_times();
    sleep 1;
    my @after = processor_times();
    my ($busy, $all) = map { $after[$_] - $before[$_] } 0, 1;
    return $all > 0 ? $busy / $all : 0;
}

sub processor_times
{
    open(my $file, '<', '/proc/stat') or return (0, 0);
    my (undef, @ticks) = split ' ', <$file>;
    my $all = sum(@ticks[0 .. 7]);
    return ($all - $ticks[3] - $ticks[4], $all);
}

# Resident memory of each child of httpd: [{pid, threads, kilobytes}, ...].
sub resident
{
    my ($pid) = @_;
    my @found;
    for my $child (sort { $a <=> $b } children_of($pid)) {
        open(my $file, '<', "/proc/$child/status") or next;
        my %status = map { /^(\w+):\s+(\d+)/ ? ($1 => $2) : () } <$file>;
        push @found, {
            pid => $child + 0, threads => $status{Threads} + 0, kilobytes => $status{VmRSS} + 0,
        };
    }
    return \@found;
}

1;

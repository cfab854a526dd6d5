package Bench::Growth;

# Loads into a database that holds much already, beside the same into an empty one; a single new form, by a command of its own and by one that follows; and a
# day of EDGAR.

use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(basename);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use List::Util qw(sum);

use Bench::Loads qw(load_paths);
use Bench::Process qw(say_progress start_program stop_program wait_until);
use Bench::Report qw(median);
use Disclosed::MadeFiles qw(made_filing_lines made_insider_lines made_ownership made_13f_set made_13f_reports);

our @EXPORT_OK = qw(measure_growth print_growth);

my $CHUNK = 100_000;     # lines of a file that makes the database grow
my $COMPANIES = 5000;    # whose rows they are
my $POSITIONS = 100;     # of a report
my %DAY = (filings => 6000, forms => 3000, amendments => 300);
my $DAY = '2026-11-20';
my $UNPLANNED = 8; # loads of a session until PostgreSQL keeps the plans of its statements

# A database with so many filings, insider transactions and positions; one that is kept is used again.
sub grow
{
    my ($database, $files, $rows) = @_;
    my $name = "grown_$rows";
    return $name if $database->psql('postgres', 'postgres', '-c', "SELECT 1 FROM pg_database WHERE datname = '$name'") ne '';
    $database->copy_database('empty', 'growing');
    for (my $from = 0; $from < $rows; $from += $CHUNK) {
        say_progress("growth: $from of $rows rows are stored of each of three datasets");
        my $count = $rows - $from < $CHUNK ? $rows - $from : $CHUNK;
        my @option = (from => $from, companies => $COMPANIES);
        my @lines = (made_filing_lines($files, $count, @option), made_insider_lines($files, $count, @option));
        load_paths($database, 'growing', 'ndjson', [], @lines);
        unlink @lines;
        load_paths($database, 'growing', 'sec-13f', [], made_13f_set("$files/set", int($count / $POSITIONS), $POSITIONS, from => $from / $POSITIONS));
    }
    $database->psql('postgres', 'growing', '-c', 'VACUUM (FREEZE, ANALYZE)');
    $database->psql('postgres', 'postgres', '-c', "ALTER DATABASE growing RENAME TO $name");
    return $name;
}

# title => [importer, paths]: rows of the companies, managers and securities that are there, but new ones.
sub more_rows
{
    my ($files, $stored, $rows) = @_;
    my @option = (from => $stored, companies => $COMPANIES);
    make_path("$files/more");
    return (
        ['NDJSON filings', 'ndjson', made_filing_lines("$files/more", $rows, @option)],
        ['NDJSON insider', 'ndjson', made_insider_lines("$files/more", $rows, @option)],
        ['13F data set', 'sec-13f', made_13f_set("$files/more/set", int($rows / $POSITIONS) || 1, $POSITIONS, from => int($stored / $POSITIONS))],
    );
}

# What EDGAR takes in a day, or a part of it: [title, importer, path, ...].
sub day_of_edgar
{
    my ($files, $stored, $part) = @_;
    my %day = map { $_ => int($DAY{$_} / $part) } keys %DAY;
    make_path("$files/day/forms", "$files/day/amendments");
    made_ownership("$files/day/forms", $day{forms}, from => $stored, base => 0, companies => $COMPANIES, day => $DAY);
    made_13f_reports("$files/day/amendments", $day{amendments}, 20);
    return (
        ["$day{filings} filings", 'ndjson', made_filing_lines("$files/day", $day{filings}, from => $stored, companies => $COMPANIES, day => $DAY)],
        ["$day{forms} ownership forms", 'sec-ownership', "$files/day/forms"],
        ["$day{amendments} 13F amendments", 'sec-13f', "$files/day/amendments"],
    );
}

# Loads a list of [title, importer, path, ...] into a copy of a database: {title: result}.
sub load_each
{
    my ($database, $template, @loads) = @_;
    my %results;
    $database->copy_database($template, 'load');
    for my $load (@loads) {
        my ($title, $source, @paths) = @{$load};
        $results{$title} = load_paths($database, 'load', $source, [], @paths);
    }
    return \%results;
}

# Forms that arrive one after the other in a folder that is watched: seconds from the beginning of each load to its commit, but for the first few, by
# which the session has all its plans.
sub watch_forms
{
    my ($database, $files, $template, @forms) = @_;
    my $folder = "$files/watched";
    remove_tree($folder);
    make_path($folder);
    $database->copy_database($template, 'load');
    my $follower = start_program('follow', {log => "$database->{work}/disclosedctl.log", env => $database->{build}->control_environment($database->conninfo('disclosed_loader', 'load'))},
        $database->{build}{DISCLOSED_CTL}, 'follow', '--poll', 1, '--source', 'watch', '--watch', "sec-ownership=$folder");
    for my $form (@forms) {
        my $name = basename($form);
        copy($form, "$folder/.new") && rename("$folder/.new", "$folder/$name") or die "$folder/$name: $!\n";
        wait_until("the load of $name", $follower, "$database->{work}/disclosedctl.log", sub { $database->psql('postgres', 'load', '-c', "SELECT 1 FROM disclosed.import_run WHERE file LIKE '%/$name' AND finished_at IS NOT NULL") ne '' });
    }
    stop_program($follower);
    my @seconds = split ' ', $database->psql('postgres', 'load', '-c',
        "SELECT extract(epoch FROM finished_at - started_at) FROM disclosed.import_run WHERE source = 'sec-ownership' ORDER BY import_run_id OFFSET $UNPLANNED");
    return @seconds;
}

sub medians
{
    my ($measure, $rounds) = @_;
    return {map { my $title = $_; ($title => median(map { $measure->($_->{$title}) } @{$rounds})) } keys %{$rounds->[0]}};
}

# Options: work (a folder), stored (rows), rows (of a load), rounds, part (of a day: 1, or so many times less).
# Returns {stored, loads: {title: {empty, grown (rows/s), ratio}}, form, form_empty (seconds to commit of one new form, by a command of
# its own), watched, watched_empty (the same by one that follows), day (seconds in all), parts: {title: seconds}}; medians over rounds.
sub measure_growth
{
    my ($database, %option) = @_;
    my ($stored, $files) = ($option{stored}, "$option{work}/growth");
    make_path($files, "$files/forms");
    my %template = (empty => 'empty', grown => grow($database, $files, $stored));
    my @loads = more_rows($files, $stored, $option{rows});
    my @day = day_of_edgar($files, $stored, $option{part});
    my @made = made_ownership("$files/forms", 30, from => $stored + $DAY{forms}, base => 0, companies => $COMPANIES, day => $DAY);
    my @forms = map { ["form $_", 'sec-ownership', $_] } @made[0 .. 9];
    my (%loads, %forms, %watched, @days);
    for my $round (1 .. $option{rounds}) {
        say_progress("growth: round $round of $option{rounds}");
        for my $state ($round % 2 ? qw(empty grown) : qw(grown empty)) {
            push @{$loads{$state}}, load_each($database, $template{$state}, @loads);
            push @{$forms{$state}}, map { $_->{seconds} } values %{load_each($database, $template{$state}, @forms)};
            push @{$watched{$state}}, watch_forms($database, $files, $template{$state}, @made);
        }
        push @days, load_each($database, $template{grown}, @day);
    }
    $database->drop('load');
    my $parts = medians(sub { $_[0]{seconds} }, \@days);
    my %rates = map { $_ => medians(sub { $_[0]{read} / $_[0]{seconds} }, $loads{$_}) } keys %loads;
    my %of = map { $_ => {empty => $rates{empty}{$_}, grown => $rates{grown}{$_}, ratio => $rates{grown}{$_} / $rates{empty}{$_}} } keys %{$rates{empty}};
    return {stored => $stored, loads => \%of, form => median(@{$forms{grown}}), form_empty => median(@{$forms{empty}}), watched => median(@{$watched{grown}}),
        watched_empty => median(@{$watched{empty}}), parts => $parts, day => sum(values %{$parts})};
}

sub print_growth
{
    my ($growth) = @_;
    printf "%-26s %12s %12s %8s\n", "with $growth->{stored} rows stored", 'empty', 'stored', 'ratio';
    printf "%-26s %10.0f/s %10.0f/s %8.2f\n", $_, @{$growth->{loads}{$_}}{qw(empty grown ratio)} for sort keys %{$growth->{loads}};
    printf "%-26s %9.0f ms %9.0f ms %8.2f\n", @{$_} for map { [$_->[0], 1000 * $_->[1], 1000 * $_->[2], $_->[1] / $_->[2]] }
        ['one new Form 4', @{$growth}{qw(form_empty form)}], ['the same while following', @{$growth}{qw(watched_empty watched)}];
    printf "%-26s %12s %10.1f s  (%s)\n\n", 'a day of EDGAR', '', $growth->{day},
        join(', ', map { sprintf '%s %.1f s', $_, $growth->{parts}{$_} } sort keys %{$growth->{parts}});
    return;
}

1;

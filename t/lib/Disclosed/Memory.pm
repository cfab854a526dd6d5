package Disclosed::Memory;

# Programs under a memory checker: the sanitizers that the build is made with, or valgrind where
# DISCLOSED_VALGRIND names it. Each process reports into a file of its own, which is only written
# when something is wrong.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Exporter qw(import);

our @EXPORT_OK = qw(checked memory_reports patience);

my $valgrind = $ENV{DISCLOSED_VALGRIND} // '';

# By what waiting times grow: valgrind runs threads one at a time, 20 to 50 times slower.
sub patience { return $valgrind eq '' ? 1 : 10 }

# (environment, command) under the checker; reports go to files whose names begin with `path`. A
# program that has something to report ends with 99.
sub checked
{
    my ($path, @command) = @_;
    return ({}, valgrind_command($path), @command) if $valgrind ne '';
    my $options = "log_path=$path:exitcode=99:halt_on_error=1:print_stacktrace=1";
    return ({ ASAN_OPTIONS => $options, UBSAN_OPTIONS => $options }, @command);
}

sub valgrind_command
{
    my ($path) = @_;
    return ($valgrind, '-q', "--log-file=$path.%p", '--vgdb=no', '--trace-children=yes',
        '--fair-sched=try', '--error-exitcode=99', '--leak-check=full', '--show-leak-kinds=definite',
        '--errors-for-leak-kinds=definite', '--num-callers=30', '--gen-suppressions=all',
        '--suppressions=' . build('SRCDIR') . '/t/valgrind.supp');
}

# The reports so far, which are removed.
sub memory_reports
{
    my ($path) = @_;
    my @reports;
    for my $file (glob "$path.*") {
        my $text = slurp($file);
        push @reports, $text if $text ne '';
        unlink $file;
    }
    return @reports;
}

1;

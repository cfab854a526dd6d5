package Disclosed::Fuzz;

# The fuzz program (t/fuzz): its targets, and the seeds of each.

use v5.24;
use warnings;
use Disclosed::Build qw(build shared_files);
use Disclosed::Process qw(run slurp);
use Exporter qw(import);
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);

our @EXPORT_OK = qw(program targets seeds real_seeds missing_seeds environment);

sub folder { return build('SRCDIR') . '/t/fuzz' }

# Where `make t/fuzz/fuzz` has put it.
sub program
{
    my $path = build('BUILDDIR') . '/t/fuzz/fuzz';
    -x $path or die "there is no $path: make t/fuzz/fuzz\n";
    return $path;
}

# [name, importer, name of its file, --known-at]: undef where it has none; no importer has a request's parser.
sub targets
{
    my @lines = split /\n/, qx('@{[ program() ]}' -l);
    die "no targets\n" if $? || !@lines;
    return map { [map { $_ eq '-' ? undef : $_ } split /\t/] } @lines;
}

# The small files of our own.
sub seeds
{
    my ($target) = @_;
    return sort glob folder() . "/corpus/$target/*";
}

# The text of a PDF as the importer takes it; nothing where pdftotext is not installed.
sub text_of_pdf
{
    my ($path, $into) = @_;
    my ($name) = $path =~ m{([^/]+)\.pdf\z};
    my ($code, undef, $err) = run('pdftotext', '-layout', '-enc', 'UTF-8', '-q', $path, "$into/$name.txt");
    print STDERR "# NOT TESTED: $path: pdftotext ends with code $code: $err\n" if $code != 0;
    return $code == 0 ? "$into/$name.txt" : ();
}

# Which real files are seeds: [target, pattern].
sub patterns { return map { [split /\t/] } grep { !/^#/ } split /\n/, slurp(folder() . '/seeds') }

# Patterns of real files of which this machine has none.
sub missing_seeds { return grep { !shared_files($_) } map { $_->[1] } patterns() }

# Real files, where this machine has them: paths. What is packed is unpacked into $into, and texts of PDFs are written there.
sub real_seeds
{
    my ($target, $into) = @_;
    my @found;
    for my $pattern (map { $_->[1] } grep { $_->[0] eq $target } patterns()) {
        for my $path (shared_files($pattern)) {
            if ($path =~ m{([^/]+)\.gz\z}) {
                gunzip($path => "$into/$1") or die "$path: $GunzipError\n";
                $path = "$into/$1";
            }
            push @found, $path =~ /\.pdf\z/ ? text_of_pdf($path, $into) : $path;
        }
    }
    return @found;
}

# What the sanitizers do when they find something: the program ends with code 99.
sub environment
{
    return (
        ASAN_OPTIONS  => 'exitcode=99:allocator_may_return_null=1:max_allocation_size_mb=2048:hard_rss_limit_mb=3000:detect_stack_use_after_return=0',
        UBSAN_OPTIONS => 'print_stacktrace=1',
    );
}

1;

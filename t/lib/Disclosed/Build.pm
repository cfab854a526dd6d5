package Disclosed::Build;

# What the suites need to know about the build. make check sets the variables by t/build.env;
# without it the usual places are tried, so that `prove -It/lib t/auth.t` works in a built tree.

use v5.24;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Glob qw(bsd_glob);

our @EXPORT_OK = qw(build shared_data shared_files);

my $source = $ENV{DISCLOSED_SRCDIR} || abs_path(dirname(__FILE__) . '/../../..');
my $built  = $ENV{DISCLOSED_BUILDDIR} || $source;

sub first_of
{
    my ($test, @candidates) = @_;
    my ($found) = grep { $test->($_) } @candidates;
    return $found // $candidates[0];
}

my %found = (
    SRCDIR   => $source,
    BUILDDIR => $built,
    HTTPD    => first_of(sub { -x $_[0] }, '/usr/sbin/apache2', '/usr/sbin/httpd'),
    MODULE   => first_of(sub { -e $_[0] }, "$built/.libs/mod_disclosed.so", "$built/mod_disclosed.so"),
    MODULES_DIR => first_of(sub { -d $_[0] }, '/usr/lib/apache2/modules', '/usr/lib64/httpd/modules'),
    CTL    => "$built/disclosedctl",
    PGBIN  => first_of(sub { -x "$_[0]/initdb" }, reverse(sort glob('/usr/lib/postgresql/*/bin')), '/usr/bin'),
    SHARED => "$source/../shared",
    SANITIZERS => '',
);

# A setting by its name without the prefix. One that names no file is a fault of the build.
sub build
{
    my ($name) = @_;
    die "no build setting $name" unless exists $found{$name};
    my $value = $ENV{"DISCLOSED_$name"} // '';
    $value = $found{$name} if $value eq '';
    die "$name: there is no $value: build first, or set DISCLOSED_$name\n"
        if $name =~ /^(?:HTTPD|MODULE|MODULES_DIR|CTL|PGBIN)$/ && !-e $value;
    return $value;
}

# A folder of the real files, or undef where this machine does not have them.
sub shared_data
{
    my ($folder) = @_;
    my $path = build('SHARED') . "/data/$folder";
    return -d $path ? abs_path($path) : undef;
}

# Real files by a pattern below that folder, those that there are: a glob gives a pattern without a wildcard back
# whether it names a file or not.
sub shared_files
{
    my ($pattern) = @_;
    my @found = sort grep { -e } bsd_glob(build('SHARED') . "/data/$pattern"); # sort has no value for who asks for a number
    return @found;
}

1;

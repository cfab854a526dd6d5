package Bench::Build;

# The build under test: where the module and disclosedctl are, and whether it is worth measuring.

use strict;
use warnings;
use Cwd qw(realpath);

# `directory`: where make ran; `source`: the project's root.
sub new
{
    my ($class, $directory, $source) = @_;
    my $settings = "$directory/t/build.env";
    die "$directory holds no build (t/build.env is missing): run configure and make, or name the "
        . "build by --build DIR\n" if !-f $settings;
    my $self = bless {read_settings($settings)}, $class;
    $self->{sql} = realpath("$source/sql");
    $self->{directory} = $directory;
    $self->{flags} = compiler_flags("$directory/Makefile");
    $self->check;
    return $self;
}

sub read_settings
{
    my ($settings) = @_;
    open(my $pipe, '-|', 'sh', '-c', '. "$1" && env -0', 'sh', $settings) or die "sh: $!\n";
    local $/ = "\0";
    my %settings;
    while (my $entry = <$pipe>) {
        chomp $entry;
        my ($name, $value) = split /=/, $entry, 2;
        $settings{$name} = $value if $name =~ /^DISCLOSED_/;
    }
    close($pipe) or die "$settings cannot be read\n";
    return %settings;
}

sub compiler_flags
{
    my ($makefile) = @_;
    open(my $file, '<', $makefile) or return '';
    my ($line) = grep { /^CFLAGS = / } <$file>;
    return $line && $line =~ /^CFLAGS = (.*)$/ ? $1 : '';
}

sub check
{
    my ($self) = @_;
    die "the build has sanitizers in it: measure one without --enable-sanitizers\n"
        if $self->{DISCLOSED_SANITIZERS};
    die "the build is not optimised (CFLAGS = $self->{flags}): measure one with -O2\n"
        if $self->{flags} !~ /-O[123s]/;
    for my $name (qw(DISCLOSED_MODULE DISCLOSED_CTL DISCLOSED_HTTPD)) {
        die "$name: $self->{$name} is not there: run make first\n" if !-e $self->{$name};
    }
    $self->{DISCLOSED_PGBIN} ||= (sort glob '/usr/lib/postgresql/*/bin')[-1] || '/usr/bin';
    return;
}

# What disclosedctl of an uninstalled build needs to be told.
sub control_environment
{
    my ($self, $conninfo) = @_;
    return {DISCLOSED_SQL_DIR => $self->{sql}, DISCLOSED_DATABASE => $conninfo};
}

1;

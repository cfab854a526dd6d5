package Disclosed::FakeClock;

# A clock of an httpd's own: libfaketime, which steps the time of day and leaves the monotonic clock alone.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Exporter qw(import);

our @EXPORT_OK = qw(why_no_clock clock_environment fixed_clock step_clock);

sub library
{
    my ($library) = grep { -e } map { glob "$_/faketime/libfaketimeMT.so.1" } '/usr/lib/*', '/usr/lib', '/usr/lib64', '/usr/local/lib';
    return $library;
}

# Why none can be had here, or nothing.
sub why_no_clock
{
    return 'libfaketime is missing (Debian package: libfaketime)' if !library();
    return 'a sanitizer or valgrind is preloaded' if build('SANITIZERS') || $ENV{DISCLOSED_VALGRIND};
    return;
}

# What an httpd of the site starts with (its `environment`); its clock is right at first.
sub clock_environment
{
    my ($site) = @_;
    return { LD_PRELOAD => library(), FAKETIME_TIMESTAMP_FILE => step_clock($site, '+0'), FAKETIME_NO_CACHE => 1, FAKETIME_DONT_FAKE_MONOTONIC => 1, DONT_FAKE_MONOTONIC => 1 };
}

# What a program starts with whose clock is off by so many seconds as long as it runs.
sub fixed_clock { my ($seconds) = @_; return { LD_PRELOAD => library(), FAKETIME => $seconds } }

# Puts it on or back, to so many seconds ('+120') from the right time. Returns the file that says so.
sub step_clock { my ($site, $seconds) = @_; return $site->write('clock', "$seconds\n") }

1;

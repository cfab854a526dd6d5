#!/usr/bin/env perl
# Dependencies point one way, and only module/ knows httpd.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my %may_include = (
    engine   => [qw(engine)],
    access   => [qw(engine access)],
    datasets => [qw(engine datasets)],
    describe => [qw(engine datasets describe)],
    webhook  => [qw(engine datasets webhook)],
    formats  => [qw(engine formats)],
    loader   => [qw(engine datasets formats loader)],
    sources  => [qw(engine datasets formats loader sources)],
    ctl      => [qw(engine datasets access describe webhook formats loader sources ctl)],
    module   => [qw(engine datasets access describe webhook module)],
);

# Headers that httpd installs; mod_disclosed.h is ours.
my $httpd_header = qr/^(?:httpd|http_\w+|ap_\w+|mpm_common|util_\w+|scoreboard|mod_(?!disclosed\b)\w+)\.h$/;

my @files = tree(qr/\.[ch]$/, 'mod_disclosed');
my (@wrong, @missing, @httpd, %seen);
my ($own, $foreign) = (0, 0);
for my $path (@files) {
    my ($folder) = $path =~ m{^mod_disclosed/(\w+)/} or next;
    $seen{$folder}++;
    my $line = 0;
    for (split /\n/, slurp($path)) {
        $line++;
        next unless /^\s*#\s*include\s*(["<])([^">]+)[">]/;
        my ($kind, $header) = ($1, $2);
        if ($kind eq '<' || $header !~ m{/}) {
            $foreign++;
            push @httpd, "$path:$line: $header" if $header =~ $httpd_header && $folder ne 'module';
            next;
        }
        $own++;
        my ($target) = $header =~ m{^(\w+)/};
        push @missing, "$path:$line: $header" unless -e root() . "/mod_disclosed/$header";
        push @wrong, "$path:$line: $header"
            unless grep { $_ eq $target } @{$may_include{$folder} || []};
    }
}

looked_at(scalar @files, 80, 'C files');
looked_at($own, 150, 'includes of our own');
looked_at($foreign, 200, 'includes of others');
same_set([keys %seen], [keys %may_include], 'every folder has its rule');
none(\@wrong, 'dependencies point one way');
none(\@missing, 'every header included is there');
none(\@httpd, 'only module/ includes httpd\'s headers');
done_testing;

#!/usr/bin/env perl
# Dependencies point one way, by what files include and by what they call; and only module/ knows httpd.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

# What each folder may use. '' is mod_disclosed/ itself: the list of all tables, which programs alone link.
my %may_use = (
    engine   => [],
    access   => [qw(engine)],
    datasets => [qw(engine)],
    describe => [qw(engine datasets)],
    webhook  => [qw(engine datasets)],
    search   => [qw(engine datasets)],
    ask      => [qw(engine datasets search)],
    mcp      => [qw(engine datasets describe)],
    formats  => [qw(engine)],
    loader   => [qw(engine formats)],
    sources  => [qw(engine datasets formats loader)],
    follow   => [qw(engine formats loader sources)],
    ''       => [qw(engine datasets describe webhook search ask)],
    ctl      => [qw(engine datasets access describe webhook search ask formats loader sources follow), ''],
    module   => [qw(engine datasets access describe webhook search ask mcp), ''],
);

# Names that a file uses though they stand above it.
my %excused = (
    disclosed_module => 'the record of the module, by which httpd finds a module\'s configuration',
);

sub folder_of { $_[0] =~ m{^mod_disclosed/(\w+)/} ? $1 : '' }
sub may { my ($from, $to) = @_; $from eq $to || grep { $_ eq $to } @{$may_use{$from} || []} }

# Of the folders of sources, each uses its own and shared/ alone; what lists them all is above them.
sub source_of { $_[0] =~ m{^mod_disclosed/sources/(\w+)/} ? $1 : undef }
sub sources_may {
    my ($from, $to) = map { source_of($_) } @_;
    return 1 if folder_of($_[1]) ne 'sources';
    return $from ? defined $to && ($to eq $from || $to eq 'shared') || $_[1] =~ m{/importers\.h$} : 1;
}

# ---- includes

# Headers that httpd installs; mod_disclosed.h is ours.
my $httpd_header = qr/^(?:httpd|http_\w+|ap_\w+|mpm_common|util_\w+|scoreboard|mod_(?!disclosed\b)\w+)\.h$/;

my @files = tree(qr/\.[ch]$/, 'mod_disclosed');
my (@wrong, @missing, @httpd, %seen);
my ($own, $foreign) = (0, 0);
for my $path (@files) {
    my $folder = folder_of($path);
    $seen{$folder}++;
    my $line = 0;
    for (split /\n/, slurp($path)) {
        $line++;
        next unless /^\s*#\s*include\s*(["<])([^">]+)[">]/;
        my ($kind, $header) = ($1, $2);
        if ($kind eq '<' || !-e root() . "/mod_disclosed/$header") {
            $foreign++;
            push @missing, "$path:$line: $header" if $kind eq '"' && $header =~ m{/};
            push @httpd, "$path:$line: $header" if $header =~ $httpd_header && $folder ne 'module';
            next;
        }
        $own++;
        my $target = "mod_disclosed/$header";
        push @wrong, "$path:$line: $header" unless may($folder, folder_of($target)) && sources_may($path, $target);
    }
}

looked_at(scalar @files, 80, 'C files');
looked_at($own, 150, 'includes of our own');
looked_at($foreign, 200, 'includes of others');
same_set([keys %seen], [keys %may_use], 'every folder has its rule');
none(\@wrong, 'by includes, dependencies point one way');
none(\@missing, 'every header included is there');
none(\@httpd, 'only module/ includes httpd\'s headers');

# ---- symbols: what files call, which an include does not always tell

# { objects => how many, defined => {symbol => file}, used => {file => [symbol, ...]} } of a build.
sub symbols_of {
    my ($build, @sources) = @_;
    my (%defined, %used);
    my $objects = 0;
    for my $source (@sources) {
        my ($folder, $name) = $source =~ m{^(.*)/(\w+)\.c$} or next;
        my ($object) = grep { -e } map { glob "$build/$folder/$_" } ".libs/*-$name.o", "disclosedctl-$name.o";
        next unless $object;
        $objects++;
        for (`nm -g '$object'`) {
            if    (/ [TDRBVC] (\w+)$/) { $defined{$1} = $source }
            elsif (/ U (\w+)$/)        { push @{ $used{$source} }, $1 }
        }
    }
    return { objects => $objects, defined => \%defined, used => \%used };
}

# Uses of symbols that point the wrong way, each as text.
sub upward {
    my ($symbols) = @_;
    my @upward;
    for my $file (sort keys %{ $symbols->{used} }) {
        for my $name (@{ $symbols->{used}{$file} }) {
            my $target = $symbols->{defined}{$name} // next;
            next if $excused{$name};
            push @upward, "$file: $name of $target"
                unless may(folder_of($file), folder_of($target)) && sources_may($file, $target);
        }
    }
    return @upward;
}

# Files that use each other in a circle: the strongly connected components, by Tarjan's algorithm.
sub circles {
    my ($symbols) = @_;
    my %uses;
    for my $file (keys %{ $symbols->{used} }) {
        for my $name (grep { !$excused{$_} } @{ $symbols->{used}{$file} }) {
            my $target = $symbols->{defined}{$name} // next;
            $uses{$file}{$target} = $name if $target ne $file;
        }
    }
    my (%index, %low, %on_stack, @stack, @circles);
    my $visit;
    $visit = sub {
        my ($file) = @_;
        $index{$file} = $low{$file} = keys %index;
        push @stack, $file;
        $on_stack{$file} = 1;
        for my $next (sort keys %{ $uses{$file} }) {
            if (!exists $index{$next}) {
                $visit->($next);
                $low{$file} = $low{$next} if $low{$next} < $low{$file};
            }
            elsif ($on_stack{$next} && $index{$next} < $low{$file}) {
                $low{$file} = $index{$next};
            }
        }
        return if $low{$file} != $index{$file};
        my @circle;
        do { push @circle, pop @stack; delete $on_stack{ $circle[-1] } } until $circle[-1] eq $file;
        push @circles, join ', ', map { my $one = $_; map { "$one uses $uses{$one}{$_} of $_" } grep { $uses{$one}{$_} } @circle } @circle
            if @circle > 1;
    };
    exists $index{$_} or $visit->($_) for sort keys %uses;
    return @circles;
}

SKIP: {
    my $build = $ENV{DISCLOSED_BUILDDIR};
    skip 'no build to look at (DISCLOSED_BUILDDIR)', 1 unless $build;
    my @sources = grep { /\.c$/ } @files;
    my $symbols = symbols_of($build, @sources);
    looked_at($symbols->{objects}, scalar @sources, 'objects: one of each C file');
    looked_at(scalar keys %{ $symbols->{defined} }, 500, 'symbols');
    none([upward($symbols)], 'by symbols, dependencies point one way');
    none([circles($symbols)], 'no files use each other in a circle');
    none([grep { my $name = $_; !grep { grep { $_ eq $name } @$_ } values %{ $symbols->{used} } } keys %excused],
         'every excuse is needed');
}

# ---- the checks see what they are for
my %planted = (
    defined => { dsc_low => 'mod_disclosed/engine/low.c', dsc_high => 'mod_disclosed/module/high.c', dsc_one => 'mod_disclosed/engine/one.c' },
    used => { 'mod_disclosed/engine/low.c' => ['dsc_high'], 'mod_disclosed/engine/one.c' => ['dsc_low'], 'mod_disclosed/module/high.c' => ['dsc_one'] },
);
is_deeply([upward(\%planted)], ['mod_disclosed/engine/low.c: dsc_high of mod_disclosed/module/high.c'], 'a planted use of what is above is seen');
is(scalar(circles(\%planted)), 1, 'a planted circle is seen');
ok(!sources_may('mod_disclosed/sources/sec_13f/a.c', 'mod_disclosed/sources/congress/b.h'), 'a source does not use another');
done_testing;

package Disclosed::MutantMap;

# Which lines each suite executes, measured by gcov in a build of its own, and so which suites can see a mutant. A suite
# is measured again when it has changed, all are when the sources have. The map is a hash, kept as JSON:
#
#     sources     digest of C and SQL
#     counted     { path => [lines that gcov counts] }
#     suites      { name => { digest, state (ok, failed, late), seconds, files => { path => [lines that it executes] } } }

use v5.24;
use warnings;
use Digest::SHA qw(sha1_hex);
use Disclosed::Build qw(build);
use Disclosed::MutantTree;
use Disclosed::Process qw(slurp slurp_if_there);
use File::Find qw(find);
use File::Path qw(make_path remove_tree);
use Disclosed::JSON ();

# The background process of httpd ends by _exit(), which writes no counts.
use constant {LONGEST => 900, FLAGS => '-O0 -w --coverage -fprofile-update=atomic -D_exit=exit'};

# These build a program of their own or measure memory: they say nothing of a mutant, or not soon.
my $left_out = qr{/(?:fuzz|damage|import-memory|mutate)\.t$};

sub suites { return 'unit', grep { $_ !~ $left_out } map { s{.*?(t/(?:guards/)?[^/]+)$}{$1}r } map { glob build('SRCDIR') . "/$_" } 't/*.t', 't/guards/*.t' }

sub new
{
    my ($class, $work) = @_;
    my $text = slurp_if_there("$work/map.json");
    my $known = $text eq '' ? {} : Disclosed::JSON->new->decode($text);
    my $self = bless { work => $work, known => $known }, $class;
    my $sources = sources_digest();
    $self->{known} = { sources => $sources, suites => {}, counted => {} } if ($known->{sources} // '') ne $sources;
    return $self;
}

# What a mutant may be in, and the SQL that answers it.
sub sources_digest
{
    my $root = build('SRCDIR');
    my @paths;
    find({ no_chdir => 1, wanted => sub { push @paths, $_ if /\.(?:c|h|sql)$/ } }, "$root/mod_disclosed", "$root/sql");
    return sha1_hex(join '', map { slurp($_) } sort @paths);
}

sub suite_digest
{
    my ($suite) = @_;
    my $root = build('SRCDIR');
    return sha1_hex(join '', map { slurp($_) } $suite eq 'unit' ? sort glob "$root/t/unit/*.[ch]" : "$root/$suite");
}

# Measures what is not known: `told` is called with a line for each suite.
sub measure
{
    my ($self, $told, @only) = @_;
    my $suites = $self->{known}{suites};
    my @unknown = grep { (($suites->{$_} // {})->{digest} // '') ne suite_digest($_) } @only ? @only : suites();
    delete $suites->{$_} for grep { my $suite = $_; !grep { $suite eq $_ } suites() } keys %$suites;
    return if !@unknown;
    my $tree = Disclosed::MutantTree->new("$self->{work}/cover", FLAGS);
    $tree->warm;
    for my $suite (@unknown) {
        my $prefix = $self->prefix($tree);
        my ($state, $seconds, $complaint) = $tree->run_suite($suite, LONGEST, LONGEST, GCOV_PREFIX => $prefix);
        $suites->{$suite} = { digest => suite_digest($suite), state => $state, seconds => $seconds, files => $self->executed($tree, $prefix) };
        $self->save;
        $told->(sprintf '%-32s %-6s %6.1f s %s', $suite, $state, $seconds, $state eq 'ok' ? '' : $complaint);
    }
}

sub save
{
    my ($self) = @_;
    open my $file, '>', "$self->{work}/map.json.new" or die "map.json: $!\n";
    print $file Disclosed::JSON->new->canonical->encode($self->{known});
    close $file;
    rename "$self->{work}/map.json.new", "$self->{work}/map.json" or die "map.json: $!\n";
}

# An empty folder for counts, which every user may write to: httpd's processes are not ours.
sub prefix
{
    my ($self, $tree) = @_;
    my $prefix = "$self->{work}/counts";
    remove_tree($prefix);
    my $build = "$tree->{folder}/build";
    find({ no_chdir => 1, wanted => sub { make_path("$prefix$File::Find::dir") if /\.gcno$/ } }, $build);
    system('chmod', '-R', '777', $prefix);
    return $prefix;
}

# { path => [lines that were executed] } of the files in mod_disclosed.
sub executed
{
    my ($self, $tree, $prefix) = @_;
    my (%counts, %files);
    find({ no_chdir => 1, wanted => sub { push $counts{$File::Find::dir}->@*, $_ if m{/mod_disclosed/.*\.gcda$} } }, $prefix);
    for my $folder (sort keys %counts) {
        for my $count ($counts{$folder}->@*) {
            my $notes = substr($count, length $prefix) =~ s/gcda$/gcno/r;
            symlink $notes, $count =~ s/gcda$/gcno/r;
        }
        my @names = map { "'" . s{.*/}{}r . "'" } $counts{$folder}->@*;
        for my $document (split /\n/, qx(cd '$folder' && gcov --json-format --stdout @names 2>/dev/null)) {
            $self->note_lines(\%files, Disclosed::JSON->new->decode($document));
        }
    }
    return { map { ($_ => [sort { $a <=> $b } keys $files{$_}->%*]) } keys %files };
}

sub note_lines
{
    my ($self, $files, $document) = @_;
    for my $file ($document->{files}->@*) {
        my ($path) = $file->{file} =~ m{(mod_disclosed/.*\.c)$} or next;
        $self->{known}{counted}{$path} //= [map { $_->{line_number} } $file->{lines}->@*];
        $files->{$path}{ $_->{line_number} } = 1 for grep { $_->{count} > 0 } $file->{lines}->@*;
    }
}

# The suites that execute the mutant's line, or, for what is in no function, any line of its file; those first that are
# short and about this file, as few others execute its lines.
sub that_see
{
    my ($self, $mutant) = @_;
    my $suites = $self->{known}{suites};
    my ($weight, $lines) = $self->weights($mutant->{path});
    my $line = $mutant->{function} eq '' ? undef : $self->line_of($mutant);
    my @seeing = grep { my $executed = $lines->{$_}; defined $line ? $executed->{$line} : %$executed } sort keys %$lines;
    my %rank = map { ($_ => $suites->{$_}{seconds} / ($weight->{$_} || 1e-6)) } @seeing;
    return sort { ($b eq 'unit') <=> ($a eq 'unit') || $rank{$a} <=> $rank{$b} || $a cmp $b } @seeing;
}

# How long a suite may take, and how much of the processor: one that is in an endless loop has seen the mutant.
sub limits
{
    my ($self, $suite) = @_;
    my $seconds = $self->{known}{suites}{$suite}{seconds};
    return (int(5 * $seconds + 180), int(2 * $seconds + 30));
}

# Of a file: what share of its lines are a suite's own, and the lines that each executes. Suites that fail see nothing.
sub weights
{
    my ($self, $path) = @_;
    return $self->{weights}{$path}->@* if $self->{weights}{$path};
    my $suites = $self->{known}{suites};
    my (%lines, %executing, %weight);
    for my $suite (grep { $suites->{$_}{state} eq 'ok' } keys %$suites) {
        $lines{$suite} = { map { ($_ => 1) } ($suites->{$suite}{files}{$path} // [])->@* };
        $executing{$_}++ for keys $lines{$suite}->%*;
    }
    for my $suite (keys %lines) {
        $weight{$suite} += 1 / $executing{$_} for keys $lines{$suite}->%*;
    }
    $self->{weights}{$path} = [\%weight, \%lines];
    return (\%weight, \%lines);
}

# A statement is counted where it begins: the mutant's line, or the last before it that is counted and in its function. A
# table at the beginning of a function is not counted: its statements follow.
sub line_of
{
    my ($self, $mutant) = @_;
    my @counted = sort { $a <=> $b } ($self->{known}{counted}{ $mutant->{path} } // [])->@*;
    my ($before) = grep { $_ <= $mutant->{line} && $_ >= $mutant->{begins} } reverse @counted;
    my ($after) = grep { $_ > $mutant->{line} } @counted;
    return $before // $after // $mutant->{line};
}

1;

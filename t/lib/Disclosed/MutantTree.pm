package Disclosed::MutantTree;

# A copy of the source tree with a build of its own, in which one file at a time may be a mutant, and suites that run
# against it. The tree that it is copied from is never written to.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(identity slurp slurp_if_there);
use Disclosed::Shared ();
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

# A mutant may eat memory or fill the disk: kB of address space, and blocks of a file.
use constant {MEMORY => 8_000_000, FILE_BLOCKS => 2_000_000};

my $generated = qr{^(?:configure|aclocal\.m4|Makefile\.in|build-aux/.*)$};

# The files that a build takes, as paths from the root.
sub source_files
{
    my ($root) = @_;
    my @paths = split /\0/, -d "$root/.git" || -f "$root/.git" ? qx(cd '$root' && git ls-files -coz --exclude-standard) : '';
    @paths = map { s{^\./}{}r } split /\0/, qx(cd '$root' && find . -type f ! -name '*.o' ! -name '*.lo' -print0) if !@paths;
    push @paths, map { s{^\Q$root\E/}{}r } grep { -f } glob("$root/{configure,aclocal.m4,Makefile.in} $root/build-aux/* $root/build-aux/m4/*");
    return grep { -f "$root/$_" } @paths;
}

# Makes the copy, or brings one that is there up to date, and builds it. `flags` are CFLAGS; `planted` says whether there
# will be mutants in it.
sub new
{
    my ($class, $folder, $flags, $planted) = @_;
    my $self = bless { folder => $folder, flags => $flags, registered => 0 }, $class;
    my $root = build('SRCDIR');
    my (%wanted, @changed);
    for my $path (source_files($root)) {
        $wanted{$path} = 1;
        next if -e "$folder/$path" && slurp("$folder/$path") eq slurp("$root/$path");
        make_path(dirname("$folder/$path"));
        system('cp', '-p', "$root/$path", "$folder/$path") == 0 or die "$folder/$path: cannot be copied\n";
        push @changed, $path;
    }
    for my $path (grep { !$wanted{$_} && !m{^build/} } source_files_of_copy($folder)) {
        unlink "$folder/$path";
        push @changed, $path;
    }
    # A run that was ended has left its mutant, whose source is put right by now.
    my $left = slurp_if_there("$folder/build/mutant");
    remove_tree("$folder/build") if grep { $_ !~ m{^t/(?!unit/)} && "$_\n" ne $left } @changed;
    $self->make;
    $self->make_library if $planted;
    return $self;
}

sub source_files_of_copy
{
    my ($folder) = @_;
    return map { s{^\./}{}r } split /\0/, qx(cd '$folder' && find . -path ./build -prune -o -type f -print0);
}

sub write
{
    my ($self, $path, $text) = @_;
    $path = "$self->{folder}/$path" if $path !~ m{^/};
    open my $file, '>:raw', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
}

# Module, program and unit tests, as they are.
sub make
{
    my ($self) = @_;
    my $build = "$self->{folder}/build";
    if (!-e "$build/make.log") {
        remove_tree($build);
        make_path($build);
        my $compiler = $ENV{CC} // ((grep { -x "$_/ccache" } split /:/, $ENV{PATH}) ? 'ccache gcc' : 'gcc');
        local @ENV{qw(CCACHE_BASEDIR CCACHE_NOHASHDIR)} = ($self->{folder}, 1);
        $self->tell("../configure -q --with-pic CC='$compiler' CFLAGS='$self->{flags}' && make V=1 all t/unit/unit") or die "it does not build: $self->{said}\n";
        $self->write('build/make.log', $self->{said});
    }
}

# The same once more, linked to a library of all that a mutant may be in, so that only this need be linked again.
sub make_library
{
    my ($self) = @_;
    $self->read_commands(slurp("$self->{folder}/build/make.log"));
    my $left = slurp_if_there("$self->{folder}/build/mutant") =~ s/\n//r;
    ($left ? $self->remake($left) : $self->link_library) or die "no library of it: $self->{said}\n";
    unlink "$self->{folder}/build/mutant";
    for my $command ($self->{programs}->@*) {
        $self->tell($command) or die "it cannot be linked to the library: $self->{said}\n";
    }
}

# How each file was compiled and each program linked, as libtool said.
sub read_commands
{
    my ($self, $log) = @_;
    my $library = ".libs/libmutant.so";
    my ($archive) = qr{(?:-Wl,--whole-archive )?\./\.libs/lib\w+\.a(?: -Wl,--no-whole-archive)?};
    my @lines = split /\n/, $log;
    $self->{compile} = { map { m{^libtool: compile: +(.* -c (?:\.\./)?(mod_disclosed/\S+\.c) .*-fPIC.*)} ? ($2 => $1) : () } @lines };
    my @programs = map { m{^libtool: link: +(.* -o (?:disclosedctl|t/unit/unit|\.libs/mod_disclosed\.so)\b.*)} ? $1 : () } @lines;
    my %libraries = map { ($_ => 1) } map { grep { m{^(?:-l\S+|/\S+\.so)$} } split } @programs;
    my @objects = map { m{ -o (\S+/lib\w+_la-\S+\.o)$} ? $1 : () } values $self->{compile}->%*;
    die "make.log does not say how it was built\n" if !@objects || @programs != 3;
    $self->write('build/objects', join "\n", sort @objects);
    $self->{link} = join ' ', 'gcc -shared -o', "$library.new", '@objects', (sort keys %libraries), "&& mv $library.new $library";
    $self->{programs} = [map { s{$archive}{}gr . " -L.libs -lmutant -Wl,-rpath,$self->{folder}/build/.libs" } @programs];
}

sub link_library { my ($self) = @_; return $self->tell($self->{link}) }

# Compiles a file and links the library; 0 where it does not compile.
sub remake
{
    my ($self, $path) = @_;
    my $command = $self->{compile}{$path} or die "make.log does not say how $path is compiled\n";
    return 0 if !$self->tell($command);
    $self->link_library or die "the library cannot be linked: $self->{said}\n";
    return 1;
}

sub object
{
    my ($self, $path) = @_;
    my ($object) = ($self->{compile}{$path} // '') =~ / -o (\S+)/ or die "make.log does not say how $path is compiled\n";
    return slurp("$self->{folder}/build/$object");
}

# Plants a mutant: "planted", "same code" or "not compiled".
sub plant
{
    my ($self, $path, $text) = @_;
    $self->write('build/mutant', "$path\n");
    $self->{original} = { path => $path, text => slurp("$self->{folder}/$path"), object => $self->object($path) };
    $self->write($path, $text);
    return !$self->remake($path) ? 'not compiled' : $self->object($path) eq $self->{original}{object} ? 'same code' : 'planted';
}

# Puts the original back.
sub weed
{
    my ($self) = @_;
    my $original = delete $self->{original};
    my ($object) = $self->{compile}{ $original->{path} } =~ / -o (\S+)/;
    $self->write($original->{path}, $original->{text});
    $self->write("build/$object", $original->{object});
    unlink "$self->{folder}/build/mutant";
}

# Runs a command in the build; what it says is in {said}. Returns whether it went well.
sub tell
{
    my ($self, $command) = @_;
    my $pid = open(my $pipe, '-|') // die "fork: $!";
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT;
        chdir "$self->{folder}/build" or POSIX::_exit(126);
        exec 'nice', '-n', '19', 'sh', '-c', $command or POSIX::_exit(127);
    }
    local $/;
    $self->{said} = <$pipe> // '';
    return close $pipe;
}

# Runs a suite, or "unit", for as many seconds at most; none of its processes may use more than `cpu` of the processor, so
# that an endless loop does not take that long. Returns (ok, failed or late, seconds, what it said first of what is wrong).
sub run_suite
{
    my ($self, $suite, $limit, $cpu, %env) = @_;
    my $log = "$self->{folder}/build/suite.log";
    my $start = time;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        setpgrp(0, 0);
        $self->exec_suite($suite, $log, $cpu, %env);
    }
    my ($code, $late) = (undef, 0);
    until (defined $code) {
        $code = $? if waitpid($pid, WNOHANG) == $pid;
        next if defined $code;
        $late = 1, kill 'KILL', -$pid if !$late && time - $start > $limit;
        sleep 0.03;
    }
    my $seconds = time - $start;
    kill 'KILL', -$pid;    # what it has left behind in its process group
    $self->clear_away($suite);
    my $why = $late ? "not done in $limit seconds" : $code & 127 ? 'killed by signal ' . ($code & 127) : complaint(slurp_if_there($log));
    return ($late ? 'late' : $code == 0 ? 'ok' : 'failed', $seconds, $why);
}

sub exec_suite
{
    my ($self, $suite, $log, $cpu, %env) = @_;
    my $folder = $self->{folder};
    $ENV{$_} = $env{$_} for keys %env;
    # The suites are children of this process, which makes the workspace: it is theirs as under prove.
    $ENV{HARNESS_ACTIVE} = 1;
    delete @ENV{grep { /^DISCLOSED_/ && $_ ne 'DISCLOSED_SHARED' } keys %ENV};
    my $program = $suite eq 'unit' ? './build/t/unit/unit' : "perl -I t/lib $suite";
    my @script = ("cd '$folder'", 'set -a', '. build/t/build.env', 'umask 0', 'ulimit -v ' . MEMORY, 'ulimit -f ' . FILE_BLOCKS, "ulimit -t $cpu",
        "exec nice -n 19 $program >'$log' 2>&1 </dev/null");
    exec 'sh', '-c', join '; ', @script or POSIX::_exit(126);
}

sub complaint
{
    my ($log) = @_;
    my ($first) = $log =~ /^\s*not ok \d+ - (.*)/m;
    ($first) = $log =~ /^\s*\d+\. (\S+:\d+\s+- .*)/m if !defined $first;
    ($first) = reverse $log =~ /^(?!\s*(?:ok|#|\d+\.\.))(\S.*)$/mg if !defined $first;
    return substr(($first // '') =~ s/\s+/ /gr, 0, 160);
}

# Servers that the suite has left, its databases and folders.
sub clear_away
{
    my ($self, $suite) = @_;
    return if $suite eq 'unit' || !$self->{warm};
    my @registered = split /\n/, slurp_if_there("$self->{workspace}/processes");
    for my $process (@registered[ $self->{registered} .. $#registered ]) {
        my ($pid) = $process =~ /^(\d+)/;
        kill 'KILL', -$pid, $pid if identity($pid) eq $process;
    }
    $self->{registered} = @registered;
    my $cluster = Disclosed::Shared::cluster();
    $cluster->drop_database($_) for split /\n/, $cluster->execute('postgres', "SELECT datname FROM pg_database WHERE datname ~ '^test_'");
    remove_tree(grep { -d } glob "$self->{workspace}/site*");
}

# The workspace of this process and its template databases, made by this build: call it before there is a mutant in it.
sub warm
{
    my ($self) = @_;
    local $ENV{DISCLOSED_CTL} = "$self->{folder}/build/disclosedctl";
    $self->{workspace} = Disclosed::Shared::workspace();
    Disclosed::Shared::database($_) for qw(empty demo);
    $self->{warm} = 1;
    $self->clear_away('');
}

1;

package Disclosed::Guides;

# What README.md, docs/ and conf/ show: commands with what they print, and other blocks (settings, lines of input). A suite, or a script of
# t/first-hour, says in its head comment what it takes from them, a line for each kind, and takes that text instead of a copy:
#
#     # runs README.md docs/client.md: ^ask '
#
# That is: pages, in which * stands for a part of a name, and a pattern of the beginning of what it runs. all_ran() fails for what a suite
# says that it runs and then does not run, or whose output it does not compare. t/guards/guides.t fails for what no suite says.

use v5.24;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use FindBin ();
use Test::More ();

our @EXPORT_OK = qw(declared items items_of output_pattern pages);

my $root = $ENV{DISCLOSED_SRCDIR} || dirname(__FILE__) . '/../../..';

# Words that begin commands. What begins otherwise is a block of another kind, which has to be said as well.
my $program = qr{(?:\w+=\S+ )*(?:ask|post|curl|\./quickstart|disclosedctl|make|psql|createdb|pg_\w+|sudo|apt|apt-get|systemctl|cd|cp|export|autoreconf|\.\./configure
    |a2en\w+|a2dis\w+|apachectl|apache2ctl|claude|spectral|redocly|openssl|sha256sum|git|npm|npx|python3?|node|wget|docker|t/[\w/-]+)(?:[ ]|$)}x;
my $command = qr/(?:$program|\. |\w+=\S|\w+\(\) \{|\(umask )/;
# In prose a program's name alone is its name, and one with "..." or a word in capitals is a pattern of commands.
my $in_prose = qr/^(?!.*(?:\.\.\.|\b[A-Z]{3,}$))(?:(?!(?:disclosedctl|t\/\S+|ask|post|curl|make) )$program\S|make \w|\(umask )/;

sub slurp
{
    my ($path) = @_;
    open my $file, '<', "$root/$path" or die "$path: $!";
    local $/;
    return scalar <$file>;
}

sub pages
{
    my @paths = map { s{^\Q$root\E/}{}r } map { glob "$root/$_" } qw(README.md docs/*.md docs/import/*.md docs/errors/*.md conf/*.conf conf/*.in conf/systemd/*);
    return sort @paths;
}

# Whether a command goes on behind the text: a backslash at its end, or a quote that is open.
sub goes_on { my ($text) = @_; $text =~ s/ +# .*//; return $text =~ /\\\z/ || (() = $text =~ /'/g) % 2 }

# Blocks of a page: [number of the first line, lines]. Of settings, the commands that their comments have indented, and what services start.
sub blocks
{
    my ($page, $text) = @_;
    my ($number, $fenced, @blocks, $open) = (0, 0);
    for my $line (split /\n/, $text) {
        $number++;
        if ($page =~ /\.md\z/ && $line =~ /^```/) { ($fenced, $open) = (!$fenced, undef); next }
        my $shown = $page !~ /\.md\z/ ? ($line =~ /^ *# {3,}($command.*)/ ? $1 : $line =~ m{^ExecStart=/usr/bin/(.*)} ? $1 : undef) : $fenced ? $line : $line =~ /^ {4}(.*)/ ? $1 : undef;
        if (!defined $shown) { $open = undef; next }
        push @blocks, $open = [$number] if !$open;
        push @$open, $shown;
    }
    return @blocks;
}

# Of a page, or of another text as if it were that: {page, place, text, output, is_command, in_prose}, as they stand there. `text` has the "$ " before a command, if there is one.
sub items_of
{
    my ($page, $text) = @_;
    $text //= slurp($page);
    my @items;
    for my $block (blocks($page, $text)) {
        my ($number, @lines) = @$block;
        my $begins = $lines[0] =~ /^\$ / ? qr/^\$ / : qr/^$command/;
        my $item;
        for my $line (@lines) {
            my $place = "$page:" . $number++;
            if ($item && $item->{is_open}) { $item->{text} .= "\n$line"; $item->{is_open} = goes_on($item->{text}) }
            elsif ($line =~ $begins) { push @items, $item = { page => $page, place => $place, text => $line, output => '', is_command => 1, is_open => goes_on($line) } }
            elsif ($item && $item->{is_command}) { $item->{output} .= "$line\n" }
            elsif ($item) { $item->{text} .= "\n$line" }
            else { push @items, $item = { page => $page, place => $place, text => $line, output => '' } }
        }
    }
    return @items if $page !~ /\.md\z/;
    my $number = 0;
    for my $line (split /\n/, $text) {
        $number++;
        next if $line =~ /^ {4}/;
        push @items, map { { page => $page, place => "$page:$number", text => $_, output => '', is_command => 1, in_prose => 1 } } grep { $_ =~ $in_prose } $line =~ /`([^`]+)`/g;
    }
    return @items;
}

sub items { return map { items_of($_) } pages() }

# What a file says in its comments that it runs: [pages, pattern, the line].
sub declared
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!";
    local $/ = "\n";
    my @declared;
    while (my $line = <$file>) {
        my ($names, $pattern) = $line =~ /^# runs ((?:README\.md|docs|conf)[^\s:]*(?: [^\s:]+)*): (\S.*)$/ or next;
        my $pages = join '|', map { join '[^/]*', map { quotemeta } split /\*/, $_, -1 } split ' ', $names;
        push @declared, [qr/^(?:$pages)\z/, qr/$pattern/, "$names: $pattern"];
    }
    return @declared;
}

# What a suite, or the script that is named, takes, in the order of its lines and of the pages.
sub new
{
    my ($class, $file) = @_;
    my (@mine, %seen);
    for my $line (declared($file // "$FindBin::Bin/$FindBin::Script")) {
        my ($pages, $pattern) = @$line;
        push @mine, grep { $_->{page} =~ $pages && $_->{text} =~ $pattern && !$seen{$_->{place} . $_->{text}}++ } items();
    }
    return bless { mine => \@mine }, $class;
}

# Those whose text fits, of the pages that fit; all without either.
sub mine
{
    my ($self, $text, $page) = @_;
    return grep { $_->{text} =~ ($text // qr//) && $_->{page} =~ ($page // qr//) } $self->{mine}->@*;
}

# The one whose text fits, which is run now.
sub text
{
    my ($self, $pattern, $page) = @_;
    my @found = $self->mine($pattern, $page);
    @found >= 1 or die "no guide that this suite runs has $pattern";
    $_->{ran} = 1 for @found;
    my %texts = map { ($_->{text} =~ s/^\$ //r =~ s/\s+# .*//r => 1) } @found;
    keys %texts == 1 or die "guides have $pattern in several ways:\n", join "\n", sort keys %texts;
    return (keys %texts)[0];
}

# "..." stands for anything and white space for none.
sub output_pattern
{
    my ($text) = @_;
    return join '.*?', map { quotemeta } split /\Q...\E/, $text =~ s/\s+//gr, -1;
}

# It is run; where it shows what is printed, that is compared. `pattern` in place of what stands there.
sub ran
{
    my ($self, $item, $printed, $pattern) = @_;
    $item->{ran} = 1;
    return 1 if $item->{output} eq '' || !defined $printed;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $item->{compared} = 1;
    $pattern //= output_pattern($item->{output});
    return Test::More::ok($printed =~ s/\s+//gr =~ /\A$pattern\z/s, "... $item->{place} prints what it says") || Test::More::diag("printed:\n$printed");
}

# What was shown was compared by the suite itself.
sub compared { my ($self, $item) = @_; @$item{qw(ran compared)} = (1, 1); return }

# What cannot be run on this machine: said, and not counted.
sub left_out { my ($self, $item, $why) = @_; Test::More::diag("NOT TESTED: $item->{place}: $why"); @$item{qw(ran compared)} = (1, 1); return }

sub all_ran
{
    my ($self) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @mine = $self->{mine}->@*;
    Test::More::cmp_ok(scalar @mine, '>', 0, 'guides: ' . @mine . ' commands and blocks');
    Test::More::is(join("\n", map { "$_->{place}: $_->{text}" } grep { !$_->{ran} } @mine), '', '... each is run');
    Test::More::is(join("\n", map { "$_->{place}: $_->{text}" } grep { $_->{output} ne '' && !$_->{compared} } @mine), '', '... and what it shows is compared');
    return;
}

1;

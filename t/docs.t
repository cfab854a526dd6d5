# What README.md and the guides for clients print is what a server with the demo data prints: each command is run by a shell, and
# what stands below it is compared, "..." standing for anything and white space for none.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Test;

my $site = site(config => "<Location \"/mcp\">\nSetHandler disclosed-mcp\n</Location>\n");
my %environment = (%ENV, DISCLOSED_KEY => $site->{keys}{enterprise}, DISCLOSED_BASE_URL => $site->{base_url},
    KEY => $site->{keys}{enterprise}, URL => $site->{base_url}, BASE => $site->{base_url});
my $prelude = <<'END';
ask() { curl -s -H "Authorization: Bearer $DISCLOSED_KEY" "$DISCLOSED_BASE_URL$1"; echo; }
post() { curl -s -H "Authorization: Bearer $DISCLOSED_KEY" -H 'Content-Type: application/json' -d "$2" "$DISCLOSED_BASE_URL$1"; echo; }
END

sub slurp { my ($path) = @_; open my $file, '<', build('SRCDIR') . "/$path" or die "$path: $!"; local $/; return scalar <$file> }

my $is_command = qr/^(?:\$ )?(?:ask '|ask "|post \/|curl )/;

# Whether a command goes on behind the line: a backslash at its end, or a quote that is open.
sub goes_on { my ($text) = @_; return $text =~ /\\\z/ || (() = $text =~ /'/g) % 2 }

# The commands of a page: text, the lines of output below it, and the line where it stands.
sub commands
{
    my ($path) = @_;
    my (@commands, $number);
    for my $line (split /\n/, slurp($path)) {
        $number++;
        my $indented = $line =~ s/^    //;
        if (@commands && $commands[-1]{open} && $indented) {
            $commands[-1]{text} .= "\n$line";
            $commands[-1]{open} = goes_on($commands[-1]{text});
        }
        elsif ($indented && $line =~ $is_command) {
            push @commands, { text => $line =~ s/^\$ //r, place => "$path:$number", output => '', open => 0, goes_on => 1 };
            $commands[-1]{open} = goes_on($commands[-1]{text});
        }
        elsif (!$indented) { $commands[-1]{goes_on} = 0 if @commands }
        elsif (@commands && $commands[-1]{goes_on}) { $commands[-1]{output} .= "$line\n" }
    }
    return @commands;
}

sub pattern_of
{
    my ($output) = @_;
    $output =~ s/\s+//g;
    return join '.*?', map { quotemeta } split /\Q...\E/, $output, -1;
}

# What a command of a page reads from its standard input: each line of the page's JSON.
sub inputs { my ($path, $text) = @_; return $text =~ / -d \@-/ ? map { /^(\{.+)$/mg } slurp($path) =~ /^```json\n(.*?)^```/gms : '' }

my ($ran, $compared, $read) = (0, 0, 0);
for my $path (qw(README.md docs/client.md docs/mcp.md docs/search.md docs/ask.md docs/errors/README.md)) {
    for my $command (map { my $one = $_; map { { %$one, input => $_ } } inputs($path, $one->{text}) } commands($path)) {
        my ($code, $out, $err) = run({ env => { %environment, INPUT => $command->{input} } }, 'bash', '-c', "$prelude\n{ $command->{text}\n} <<<\"\$INPUT\"");
        is($code, 0, "$command->{place}: $command->{text} $command->{input}") or diag $err;
        if ($command->{input} ne '') {
            like($out, qr/\A\{(?:"data":\[\{|"answer_md":"[^"])/, '... finds something') or diag "printed:\n$out";
            $read++;
        }
        $ran++;
        unlike(substr($out, 0, 300), qr/"status":(?:401|403|404|5\d\d),/, '... is not refused') if $command->{output} !~ /"status":/;
        next if $command->{output} eq '';
        my $pattern = pattern_of($command->{output});
        my $got = $out =~ s/\s+//gr;
        ok($got =~ /\A$pattern\z/s, '... prints what it says') or diag "printed:\n$out";
        $compared++;
    }
}

# --- lines of NDJSON in the guides for loading ------------------------------------------------------

my @lines;
for my $path (glob build('SRCDIR') . '/docs/import/*.md') {
    my ($name) = $path =~ m{/(docs/.*)\z};
    push @lines, map { s/\n {5}//gr } slurp($name) =~ /^ {4}(\{"dataset":.*(?:\n {5}.*)*)/gm;
}
my $file = Disclosed::Shared::workspace() . '/' . Disclosed::Shared::fresh('guides') . '.ndjson';
open my $out, '>', $file or die "$file: $!";
print $out "$_\n" for @lines;
close $out;
my ($loaded, $said, $why) = $site->control('import', 'ndjson', $file);
is($loaded, 0, 'the lines in docs/import load: ' . @lines) or diag $said, $why;
like($said, qr/read (\d+), stored \1, unchanged 0, superseded 0, rejected 0/, '... each says something new');
cmp_ok(scalar @lines, '>=', 7, '... enough of them');

cmp_ok($ran, '>=', 54, "$ran commands were run");
cmp_ok($read, '>=', 14, "... $read of them with a line of JSON");
cmp_ok($compared, '>=', 25, "... and what $compared of them print was compared");

finish();

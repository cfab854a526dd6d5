# What README.md and the guides for clients print is what a server with the demo data prints: each command is run by a shell, and
# what stands below it is compared, "..." standing for anything and white space for none.
#
# runs docs/client.md: ^\. var/
# runs docs/client.md: ^(?:ask|post)\(\) \{
# runs README.md: ^\$ (?:\. var/|ask\(\) \{)
# runs README.md docs/client.md docs/mcp.md docs/search.md docs/ask.md docs/errors/*.md: ^(?:\$ )?(?:ask|post|curl)\b(?!\()
# runs docs/search.md docs/ask.md: ^\{"(?:query|question)"
# runs docs/mcp.md: ^<Location "/mcp">
# runs docs/import/*.md: ^\{"dataset":

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Guides;
use Disclosed::Process qw(run);
use Disclosed::Shared qw(fresh workspace);
use Disclosed::Test;

my $guides = Disclosed::Guides->new;
my $site = site(config => $guides->text(qr/^<Location "\/mcp">/));

# The shell of a reader: what ./quickstart has written for it, and what the guides define before the examples.
my $folder = workspace() . '/' . fresh('reader');
mkdir $_ or die "$_: $!" for $folder, "$folder/var";
spew("$folder/var/quickstart.env", "DISCLOSED_KEY=$site->{keys}{enterprise}\nDISCLOSED_BASE_URL=$site->{base_url}\n");
my @definitions = map { $guides->text($_) } qr/^\. var\/.*URL=/, qr/ask\(\) \{/, qr/post\(\) \{/;
my $prelude = join "\n", @definitions, '';
is($guides->text(qr/^\$ \. /), (split /;/, $definitions[0])[0], 'README.md reads the same file as the guide for clients');

sub spew { my ($path, $text) = @_; open my $file, '>', $path or die "$path: $!"; print $file $text; close $file; return }

# What a command of a page reads from its standard input: each line of the page's JSON.
my %inputs;
for my $block ($guides->mine(qr/^\{"(?:query|question)"/)) {
    $guides->ran($block);
    push $inputs{$block->{page}}->@*, split /\n/, $block->{text};
}

my ($ran, $compared, $read) = (0, 0, 0);
for my $item (map { my $one = $_; map { [$one, $_] } $one->{text} =~ / -d \@-/ ? $inputs{$one->{page}}->@* : '' } $guides->mine(qr/^(?:\$ )?(?:ask|post|curl) /)) {
    my ($command, $input) = @$item;
    my $text = $command->{text} =~ s/^\$ //r;
    my ($code, $out, $err) = run({ directory => $folder, env => { INPUT => $input } }, 'bash', '-c', "$prelude\n{ $text\n} <<<\"\$INPUT\"");
    is($code, 0, "$command->{place}: $text $input") or diag $err;
    if ($input ne '') {
        like($out, qr/\A\{(?:"data":\[\{|"answer_md":"[^"])/, '... finds something') or diag "printed:\n$out";
        $read++;
    }
    $ran++;
    unlike(substr($out, 0, 300), qr/"status":(?:401|403|404|5\d\d),/, '... is not refused') if $command->{output} !~ /"status":/;
    $guides->ran($command, $out);
    like($out, qr/\A\{"detail":\[\{/, '... is a 422, as the comment says') if $text =~ /# 422:/;
    isnt($command->{output}, '', '... shows what it prints') if $command->{page} =~ /(?:client|mcp)\.md\z/;
    $compared++ if $command->{output} ne '';
}

# --- lines of NDJSON in the guides for loading ------------------------------------------------------

my @lines;
for my $block ($guides->mine(qr/^\{"dataset":/)) {
    $guides->ran($block);
    push @lines, split /\n/, $block->{text} =~ s/\n {1,}//gr;
}
my $file = "$folder/guides.ndjson";
spew($file, join '', map { "$_\n" } @lines);
my ($loaded, $said, $why) = $site->control('import', 'ndjson', $file);
is($loaded, 0, 'the lines in docs/import load: ' . @lines) or diag $said, $why;
like($said, qr/read (\d+), stored \1, unchanged 0, superseded 0, rejected 0/, '... each says something new');
cmp_ok(scalar @lines, '>=', 7, '... enough of them');

cmp_ok($ran, '>=', 54, "$ran commands were run");
cmp_ok($read, '>=', 14, "... $read of them with a line of JSON");
cmp_ok($compared, '>=', 25, "... and what $compared of them print was compared");
$guides->all_ran;

finish();

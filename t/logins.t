# How the roles log in, with the lines of pg_ident.conf and pg_hba.conf that docs/admin.md has; a dump by the user of backups, and its
# restoring by a plain superuser.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Cluster;
use Disclosed::Process qw(run run_as slurp);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test;

plan(skip_all => 'only root can be several users') if $> != 0;
plan(skip_all => "there is no user $_") for grep { !defined getpwnam $_ } qw(www-data backup postgres);

# Lines of a block of the page: those that stand indented behind its heading line.
sub block
{
    my ($heading) = @_;
    my ($text) = slurp(build('SRCDIR') . '/docs/admin.md') =~ /^(    # \Q$heading\E.*?)\n\n/ms or die "docs/admin.md has no block $heading";
    return $text =~ s/^ {4}//gmr . "\n";
}

my $folder  = workspace() . '/' . fresh('logins');
my $cluster = Disclosed::Cluster->create($folder);
my $data    = "$folder/data";
$cluster->execute_apart('postgres', 'CREATE DATABASE disclosed OWNER disclosed_owner TEMPLATE template0');

sub write_as_postgres
{
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
}

write_as_postgres("$data/pg_ident.conf", block('MAPNAME'));
write_as_postgres("$data/pg_hba.conf", block('TYPE') . "local all postgres peer\nlocal all all peer\n");
is((run_as('postgres', build('PGBIN') . '/pg_ctl', 'reload', '-D', $data))[0], 0, 'PostgreSQL reads both files');
sleep 1;

sub login
{
    my ($user, $role, $database) = @_;
    my ($code, $out, $err) = run_as($user, 'psql', '-X', '-At', '-h', $folder, '-U', $role, '-d', $database // 'disclosed', '-c', 'SELECT current_user');
    return $code == 0 ? $out =~ s/\n//r : $err =~ /Peer authentication failed/ ? 'refused' : $err;
}

my %may = (root => [qw(disclosed_owner disclosed_loader)], 'www-data' => ['disclosed_api'], backup => ['disclosed_owner'], postgres => []);
for my $user (sort keys %may) {
    for my $role (qw(disclosed_owner disclosed_loader disclosed_api)) {
        my $yes = grep { $_ eq $role } $may{$user}->@*;
        is(login($user, $role), $yes ? $role : 'refused', "$user as $role");
    }
}
is(login('postgres', 'postgres'), 'postgres', 'postgres keeps its own login');
is(login('postgres', 'postgres', 'postgres'), 'postgres', '... to every database');

# --- a dump and its restoring ---------------------------------------------------------------------

my $owner = "host=$folder dbname=disclosed user=disclosed_owner";
my ($code, $out, $err) = run_as('root', build('CTL'), '--database', $owner, 'migrate', '--sql-dir', build('SRCDIR') . '/sql');
is($code, 0, 'root migrates as the owner') or diag $err;
is((run_as('root', build('CTL'), '--database', $owner, 'demo', '--companies', 3))[0], 0, '... and loads');
my $dumps = workspace() . '/' . fresh('dumps');
mkdir $dumps;
chmod 0777, $dumps;
my $dump = "$dumps/disclosed.dump";
($code, $out, $err) = run_as('backup', 'pg_dump', '-h', $folder, '--format=custom', '--username=disclosed_owner', "--file=$dump", 'disclosed');
is($code, 0, 'the user of backups dumps') or diag $err;
chmod 0644, $dump;
my $count = 'SELECT count(*) FROM disclosed.filing';
my $before = (run_as('root', 'psql', '-X', '-At', '-h', $folder, '-U', 'disclosed_owner', '-d', 'disclosed', '-c', $count))[1];
run_as('postgres', 'psql', '-X', '-h', $folder, '-d', 'postgres', '-c', 'DROP DATABASE disclosed');
is((run_as('postgres', 'createdb', '-h', $folder, '--owner=disclosed_owner', '--template=template0', '--encoding=UTF8', 'disclosed'))[0], 0, 'an empty database');
($code, $out, $err) = run_as('postgres', 'pg_restore', '-h', $folder, '--dbname=disclosed', '--exit-on-error', $dump);
is($code, 0, 'a superuser restores it') or diag $err;
is((run_as('root', 'psql', '-X', '-At', '-h', $folder, '-U', 'disclosed_owner', '-d', 'disclosed', '-c', $count))[1], $before, '... with all rows');
is((run_as('www-data', 'psql', '-X', '-At', '-h', $folder, '-U', 'disclosed_api', '-d', 'disclosed', '-c', $count))[1], $before, '... which the API may read');
$cluster->stop;

finish();

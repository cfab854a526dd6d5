# How the roles log in, with the lines of pg_ident.conf and pg_hba.conf that docs/admin.md has; a dump by the user of backups, and its
# restoring by a plain superuser: all by the commands and lines that the guides have.
#
# runs docs/scale.md: ^pg_dump \S
# runs README.md docs/admin.md: ^(?:psql|createdb|pg_dump|pg_restore) -
# runs README.md docs/admin.md docs/bootstrap.md docs/follow.md: ^export DISCLOSED_DATABASE=
# runs docs/admin.md: ^# (?:MAPNAME|TYPE)\s

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Cluster;
use Disclosed::Guides;
use Disclosed::Process qw(run run_as);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test;

plan(skip_all => 'only root can be several users') if $> != 0;
plan(skip_all => "there is no user $_") for grep { !defined getpwnam $_ } qw(www-data backup postgres);

my $guides = Disclosed::Guides->new;
my $folder  = workspace() . '/' . fresh('logins');
my $cluster = Disclosed::Cluster->create($folder);
my $data    = "$folder/data";

# A command of the guides, by a user of the system, beside the files that it names.
my $dumps = workspace() . '/' . fresh('dumps');
mkdir $dumps;
chmod 0777, $dumps;
sub guided
{
    my ($user, $pattern, $more) = @_;
    my $command = $guides->text($pattern) =~ s{/usr/share/mod_disclosed/sql/}{build('SRCDIR') . '/sql/'}er . ($more // '');
    my ($code, $out, $err) = run({ user => $user, directory => $dumps, env => { PGHOST => $folder } }, 'bash', '-c', $command);
    is($code, 0, "$user: $command") or diag $out, $err;
    return;
}

run('cp', build('SRCDIR') . '/sql/roles.sql', $dumps);
guided('postgres', qr{^psql -d postgres -f /});
guided('postgres', qr/^createdb /);

sub write_as_postgres
{
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
}

write_as_postgres("$data/pg_ident.conf", $guides->text(qr/^# MAPNAME/) . "\n");
write_as_postgres("$data/pg_hba.conf", $guides->text(qr/^# TYPE/) . "\nlocal all postgres peer\nlocal all all peer\n");
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

# Who may not is told where it is said.
my @denied = run({ env => { PGHOST => $folder } }, build('CTL'), '--database', 'dbname=disclosed user=disclosed_api', 'runs');
is($denied[0], 3, 'root as disclosed_api, by disclosedctl');
like($denied[2], qr/^disclosedctl: pg_hba\.conf and pg_ident\.conf of the server say who logs in as which role: docs\/admin\.md, "Roles and the database"$/m, '... is told what says who may');

# --- a dump and its restoring ---------------------------------------------------------------------

# What the guides export, as they have it: root with each of them.
my ($code, $out, $err);
sub exported { my ($export, $command) = @_; return run({ env => { PGHOST => $folder } }, 'bash', '-c', "$export\n$command") }
for my $export ($guides->mine(qr/^export /)) {
    my $text = $export->{text} =~ s{host=/run/postgresql}{host=$folder}r;
    my $command = $text =~ /user=disclosed_owner/ ? "migrate --sql-dir '@{[build('SRCDIR')]}/sql'" : 'runs';
    ($code, $out, $err) = exported($text, "'@{[build('CTL')]}' $command");
    is($code, 0, "$export->{place}: root, $export->{text}") or diag $out, $err;
    $guides->ran($export);
}
my $owner = "host=$folder dbname=disclosed user=disclosed_owner";
is((run_as('root', build('CTL'), '--database', $owner, 'demo', '--companies', 3))[0], 0, '... and loads');
guided('backup', qr/^pg_dump --format/);
chmod 0644, "$dumps/disclosed.dump";
my $count = 'SELECT count(*) FROM disclosed.filing';
my $before = (run_as('root', 'psql', '-X', '-At', '-h', $folder, '-U', 'disclosed_owner', '-d', 'disclosed', '-c', $count))[1];
run_as('postgres', 'psql', '-X', '-h', $folder, '-d', 'postgres', '-c', 'DROP DATABASE disclosed');
guided('postgres', $_) for qr/^psql -d postgres -f roles/, qr/^createdb /, qr/^pg_restore /;
is((run_as('root', 'psql', '-X', '-At', '-h', $folder, '-U', 'disclosed_owner', '-d', 'disclosed', '-c', $count))[1], $before, '... with all rows');
is((run_as('www-data', 'psql', '-X', '-At', '-h', $folder, '-U', 'disclosed_api', '-d', 'disclosed', '-c', $count))[1], $before, '... which the API may read');
# Without the schema that Citus alone needs; it is restored by psql.
guided('backup', qr/^pg_dump --exclude/, ' --username=disclosed_owner disclosed >plain.sql');
run_as('postgres', 'createdb', '-h', $folder, '--owner=disclosed_owner', '--template=template0', '--encoding=UTF8', 'elsewhere');
($code, $out, $err) = run_as('postgres', 'psql', '-X', '-q', '-h', $folder, '-d', 'elsewhere', '-v', 'ON_ERROR_STOP=1', '-f', "$dumps/plain.sql");
is($code, 0, '... and is restored elsewhere') or diag $err;
is((run_as('postgres', 'psql', '-X', '-At', '-h', $folder, '-d', 'elsewhere', '-c', $count))[1], $before, '... with all rows');
$cluster->stop;
$guides->all_ran;

finish();

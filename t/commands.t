# disclosedctl: a command that cannot do what is asked says so, in words of its own, and ends with another code than 0.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::JSON ();
use Disclosed::Shared qw(cluster control database fresh workspace);

my $cluster = cluster();
my $json = Disclosed::JSON->new->utf8->canonical;
my $database = database('empty');
my $conninfo = $cluster->conninfo($database);
my $lines = workspace() . '/' . fresh('lines');
open my $out, '>', $lines or die "$lines: $!";
print $out $json->encode({ dataset => 'executive', symbol => 'NOBODY:US', name => 'X' }) . "\n";
close $out;

# What the command says, and how it ends.
sub says
{
    my ($code, $message, @arguments) = @_;
    my ($got, $out, $err) = control($conninfo, @arguments);
    is($got, $code, "@arguments: $code") or diag $out, $err;
    like($err, qr/^disclosedctl: $message/m, '... and says why');
    unlike($err, qr/\\x09|relation|SQL(?!_ASCII)/, '... in plain words');
    return $out;
}

sub done
{
    my (@arguments) = @_;
    my ($code, $out, $err) = control($conninfo, @arguments);
    is($code, 0, "@arguments: done") or diag $out, $err;
    return $out;
}

# --- scopes ---------------------------------------------------------------------------------------

for my $case (['nope', 'nope'], ['list_insider,nope', 'nope'], ['List_*', 'List_*'], ['get_company list_x*', 'list_x*'], ['/v1/insider', '/v1/insider']) {
    my ($scopes, $wrong) = @$case;
    says(2, qr/--scope: no endpoint is called "\Q$wrong\E"$/m, 'key', 'create', '--plan', 'free', '--owner', 'A', '--scope', $scopes);
}
is($cluster->value($database, 'SELECT count(*) FROM disclosed.api_key'), 0, 'no key was made');
my $key = $json->decode(done('key', 'create', '--plan', 'free', '--owner', 'A', '--scope', 'list_*,get_company', '--json'))->{key_id};
says(2, qr/--scope: no endpoint is called "nope"$/m, 'key', 'set', $key, '--scope', 'nope');
done('key', 'set', $key, '--scope', $_) for 'any', '*', 'list_insider';

# --- what is not there ----------------------------------------------------------------------------

control($conninfo, 'import', 'ndjson', '--json', $lines);
my $run = $cluster->value($database, 'SELECT max(import_run_id) FROM disclosed.import_run');
for my $more ([], ['--json']) {
    says(1, qr/no key has the id nosuchkey$/m, 'usage', 'nosuchkey', @$more);
    says(1, qr/no key has the id nosuchkey$/m, 'audit', '--key', 'nosuchkey', @$more);
    says(1, qr/no import run has the number 99999$/m, 'runs', '--rejects', 99999, @$more);
    says(1, qr/no account has the name Nobody$/m, 'webhook', 'list', '--account', 'Nobody', @$more);
    says(1, qr/no webhook endpoint has the id 99999$/m, 'webhook', 'queue', '--endpoint', 99999, @$more);
    says(1, qr/no account has that name$/m, 'credits', 'show', 'Nobody', @$more);
    done('usage', $key, @$more);
    done('usage', @$more);
    done('audit', '--key', $key, @$more);
    done('runs', '--rejects', $run, @$more);
}

# --- what is meant otherwise ------------------------------------------------------------------------

# A whole key where its id belongs is not repeated: it would be in logs.
my $secret = $json->decode(done('key', 'create', '--plan', 'free', '--owner', 'B', '--json'))->{key};
my $of_key = substr $secret, 8, 8;
for my $case (['key', 'revoke', $secret], ['key', 'rotate', $secret], ['key', 'set', $secret, '--name', 'x'], ['usage', $secret], ['audit', '--key', $secret], ['key', 'revoke', substr $secret, 0, 20]) {
    my ($got, $out, $err) = control($conninfo, @$case);
    is($got, 2, "@$case[0 .. 1]: a key in the place of its id");
    like($err, qr/^disclosedctl: a key is named by its id, the eight characters behind "sk_live_": $of_key$/m, '... which is told');
    unlike($out . $err, qr/$of_key\w/, '... and nothing more of it');
}
is($cluster->value($database, "SELECT revoked_at IS NULL FROM disclosed.api_key WHERE key_id = '$of_key'"), 't', 'nothing is revoked');
says(2, qr/key set takes what is to be set, as --plan$/m, 'key', 'set', $of_key);
says(1, qr/another account has the name B$/m, 'account', 'rename', 'A', 'B');
done('account', 'rename', 'A', 'A');
done('account', 'rename', 'B', 'C');
says(1, qr/no account has that name$/m, 'account', 'rename', 'B', 'D');
says(2, qr/--overlap takes 0 to 7d, as 24h: $_$/m, 'key', 'rotate', $of_key, '--overlap', $_) for '24', '8d', '-1h';
says(2, qr/$_->[0] takes a number from 1 on: 0$/m, $_->@[1 .. $#$_], 0) for ['--limit', 'runs', '--limit'], ['--rejects', 'runs', '--rejects'], ['--limit', 'audit', '--limit'], ['--days', 'usage', '--days'];

for my $case (['key', 'frobnicate'], ['account', 'frobnicate'], ['credits', 'frobnicate', 'A'], ['provider', 'frobnicate'], ['webhook', 'frobnicate', 1]) {
    says(2, qr/$case->[0] has no subcommand frobnicate$/m, @$case);
}
says(2, qr/what is to be done with which $_->[0]\?$/m, $_->@[1 .. $#$_]) for ['key', 'key'], ['key', 'key', 'revoke'], ['key', 'key', 'list', 'x'], ['account', 'account', 'rename', 'A'], ['provider', 'provider', 'add', 'x'], ['webhook', 'webhook', 'enable'];
like((control($conninfo, 'key', $secret))[2], qr/^disclosedctl: a key is named by its id, the eight characters behind "sk_live_": $of_key\n/, 'a key is no subcommand, and is not repeated');

# --- help ---------------------------------------------------------------------------------------------

my $commands = done('--help');
like($commands, qr/^Commands:$/m, 'help lists the commands');
is(done($_), $commands, "... as $_") for '-h', 'help';
my $of_import = done('import', '--help');
like($of_import, qr/^usage: disclosedctl import /, 'help of a command');
is(done(@$_), $of_import, "... as @$_") for ['import', '-h'], ['help', 'import'], ['import', 'ndjson', '-h'];
is(done('help', 'key', 'create'), done('key', '--help'), '... also of one of its subcommands');
says(2, qr/no command frobnicate$/m, @$_) for ['frobnicate'], ['help', 'frobnicate'];
says(2, qr/no option -x$/m, 'import', '-x');

# --- options given twice --------------------------------------------------------------------------------

# The last would count, and nobody would see that the first does not.
says(2, qr/--$_->[0] is given twice$/m, $_->@[1 .. $#$_])
    for ['limit', 'runs', '--limit', 1, '--limit', 2], ['limit', 'runs', '--limit=1', '--limit=1'], ['scope', 'key', 'create', '--scope', 'list_*', '--plan', 'free', '--owner', 'A', '--scope', 'get_*'],
    ['timeout', 'runs', '--timeout', '1m', '--timeout', '2m'], ['since', 'follow', '--status', '--since', '2026-01-01', '--since', '2026-01-02'], ['database', 'runs', '--database', $conninfo], ['database', '--database', $conninfo, 'runs'];
done('follow', '--status', '--source', 'house-clerk', '--source', 'sec-tickers');
done('runs', '--json', '--json');

# --- what was never followed ----------------------------------------------------------------------------

for my $case ([[], 'nothing was ever followed into this database'], [['--source', 'house-clerk'], 'never followed: house-clerk'], [['--json', '--source', 'watch', '--source', 'house-clerk'], 'never followed: house-clerk, watch']) {
    my ($options, $message) = @$case;
    my ($got, $out, $err) = control($conninfo, 'follow', '--status', @$options);
    is($got, 0, "follow --status @$options where nobody followed");
    is($err, "disclosedctl: $message\n", '... says so');
    is($out, (grep { $_ eq '--json' } @$options) ? "[]\n" : '', '... beside what is missing');
}
$cluster->execute($database, "INSERT INTO disclosed.followed_source (source) VALUES ('sec-tickers')");
is((control($conninfo, 'follow', '--status'))[2], '', '... and nothing where something is followed');
like((control($conninfo, 'follow', '--status', '--source', 'house-clerk', '--source', 'sec-tickers'))[2], qr/never followed: house-clerk$/m, '... but for what is asked for');

# --- options of others ----------------------------------------------------------------------------

for my $case (['sec-ownership', '--period', '2024-03-31', 'sec-13f'], ['sec-ownership', '--cik', '320193', 'sec-13f'], ['ndjson', '--accession', '0000320193-24-000001', 'sec-13f, xbrl-instance'],
    ['sec-13f', '--clock', 'utc', 'sec-submissions'], ['sec-filing', '--dataset', 'executive', 'ndjson']) {
    my ($source, $option, $value, $of) = @$case;
    says(2, qr/import $source takes no $option, which is of $of$/m, 'import', $source, $option, $value, $lines);
}
unlike((control($conninfo, 'import', 'ndjson', '--dataset', 'executive', $lines))[2], qr/takes no/, 'an option of the source is taken');
says(2, qr/credits show takes no --note$/m, 'credits', 'show', '--note', 'x');

# --- roles that may not -----------------------------------------------------------------------------

my ($owner, $loader, $api) = map { $cluster->conninfo($database, "disclosed_$_") } qw(owner loader api);
for my $case ([$api, 'disclosed_api', 'account', 'disclosed_owner', 'key', 'create', '--plan', 'free', '--owner', 'A'], [$loader, 'disclosed_loader', 'api_key', 'disclosed_owner', 'key', 'list'],
    [$api, 'disclosed_api', 'import_run', 'disclosed_loader', 'runs'], [$loader, 'disclosed_loader', 'disclosed_migration', 'disclosed_owner', 'migrate', '--status'], [$api, 'disclosed_api', 'credit_entry', 'disclosed_owner', 'credits', 'show'],
    [$api, 'disclosed_api', 'access_audit', 'disclosed_owner', 'audit'], [$loader, 'disclosed_loader', 'key_usage', 'disclosed_owner', 'usage']) {
    (my ($role, $table, $needed), $conninfo) = ($case->[1], $case->[2], $case->[3], $case->[0]);
    my @arguments = $case->@[4 .. $#$case];
    my $line = qr/ERROR:  permission denied for (?:table|view) $table, as $role\ndisclosedctl: this is for the role $needed: user=$needed in --database or DISCLOSED_DATABASE\n\z/;
    says(1, $line, @arguments);
}
$conninfo = $loader;
says(1, qr/ERROR:  permission denied for schema public, as disclosed_loader\ndisclosedctl: this is for the role disclosed_owner: /, 'migrate');
$conninfo = $api;
says(1, qr/\S+: failed, nothing of it is stored: ERROR:  permission denied for table import_run, as disclosed_api$/m, 'import', 'ndjson', $lines);
says(3, qr/no database: ERROR:  permission denied for table followed_source, as disclosed_api\n\z/, 'follow', '--once', '--user-agent', 'Example admin@example.com');
$conninfo = $owner;

# --- databases that migrations would spoil ----------------------------------------------------------

for my $case (['LATIN1', 'disclosed_owner', 'is encoded in LATIN1; make it by createdb --owner=disclosed_owner --template=template0 --encoding=UTF8'], ['SQL_ASCII', 'disclosed_owner', 'is encoded in SQL_ASCII; make it by createdb'],
    ['UTF8', 'postgres', 'is migrated by disclosed_owner: "postgres" is a superuser, and would own what is made'],
    ['UTF8', 'disclosed_loader', 'belongs to disclosed_owner, and "disclosed_loader" may make nothing in it; connect as its owner, or make it by createdb --owner=disclosed_owner']) {
    my ($encoding, $role, $message) = @$case;
    my $name = fresh('spoiled');
    $cluster->execute_apart('postgres', "CREATE DATABASE $name OWNER disclosed_owner TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
    $conninfo = $cluster->conninfo($name, $role);
    says(1, qr/the database "$name" \Q$message\E/, 'migrate', @$_) for [], ['--dry-run'];
    is($cluster->value($name, q{SELECT count(*) FROM pg_class WHERE relname = 'disclosed_migration'}), 0, '... and nothing is made');
    is((control($conninfo, 'migrate', '--status'))[0], 0, '... what is pending is told');
}

# --- closed standard descriptors -------------------------------------------------------------------

# They are no numbers for pipes and connections: what is written there is lost, and told of if it can be.
{
    my $closed = sub { my ($which, @command) = @_; return Disclosed::Process::run('timeout', 30, 'sh', '-c', "exec \"\$0\" \"\$\@\" $which", build('CTL'), '--database', $cluster->conninfo($database), @command) };
    my ($code, $out, $err) = $closed->('<&- >&-', qw(key create --plan free --owner nobody --name closed));
    is($code, 1, 'a key that cannot be told');
    like($err, qr/^disclosedctl: the key \w+ was created, but could not be shown: revoke it$/m, '... which is told');
    ($code, $out, $err) = $closed->('<&-', qw(import ndjson -));
    is($code, 1, 'standard input that is closed');
    like("$out$err", qr/standard input: failed, nothing of it is stored/, '... is not waited for');
    my $ran = sub { $cluster->value($database, "SELECT string_agg(status || ' ' || rows_read || ' ' || rejected, ', ') FROM disclosed.import_run WHERE file = '$lines'") };
    my $before = $ran->() // '';
    ($code) = $closed->('<&- >&- 2>&-', 'import', 'ndjson', $lines);
    is("$code " . $ran->() =~ s/^\Q$before\E//r, '1 ' . ($before ? ', ' : '') . 'done 1 1', 'messages that nobody can read do not go into the connection');
}

# --- databases that are none ----------------------------------------------------------------------

my $bare = fresh('bare');
$cluster->create_database($bare);
$conninfo = $cluster->conninfo($bare);
my $none = qr/no database: "\Q$bare\E" has no tables of mod_disclosed; disclosedctl migrate makes them$/m;
says(3, $none, @$_) for ['key', 'list'], ['key', 'create', '--plan', 'free', '--owner', 'A'], ['usage'], ['runs'], ['audit'], ['account', 'list'], ['credits', 'show'], ['provider', 'list'], ['webhook', 'list'],
    ['import', 'ndjson', $lines], ['demo'], ['demo', '--remove'], ['distribute', '--status'], ['follow', '--status'], ['follow', '--once', '--user-agent', 'Example admin@example.com'],
    ['bootstrap', '--status'], ['bootstrap', '--folder', workspace(), '--user-agent', 'Example admin@example.com'], ['reimport', '--source', 'sec-tickers', '--since', '2024-01-01', '--keep', workspace()];
for my $command (['migrate', '--status'], ['migrate', '--dry-run'], ['openapi'], ['schema'], ['tables'], ['key', 'check', 'x']) {
    my ($code, $out, $err) = control($conninfo, @$command);
    unlike($err, qr/no database/, "@$command needs no tables");
}
$conninfo = 'host=/nowhere dbname=x';
my ($code, undef, $err) = control($conninfo, 'runs');
is($code, 3, 'no server');
like($err, qr/\n +Is the server running/, '... of which libpq says more');
unlike($err, qr/\\x09/, '... with a space where it has a tab');

{
    local $ENV{PGHOST} = '/nowhere';
    for my $default ('', undef) {
        local $ENV{DISCLOSED_DATABASE} = $default;
        delete $ENV{DISCLOSED_DATABASE} if !defined $default;
        ($code, undef, $err) = Disclosed::Process::run(build('CTL'), 'runs');
        is($code, 3, 'no server where nothing names a database');
        like($err, qr/^disclosedctl: no database: connection to server .*^disclosedctl: neither --database nor DISCLOSED_DATABASE is set, so it was dbname=disclosed$/ms, '... and which it was');
    }
    unlike((Disclosed::Process::run(build('CTL'), '--database', 'dbname=disclosed', 'runs'))[2], qr/neither/, '... not where something does');
}

done_testing();

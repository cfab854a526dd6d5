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
    unlike($err, qr/\\x09|relation|SQL/, '... in plain words');
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

# --- options of others ----------------------------------------------------------------------------

for my $case (['sec-ownership', '--period', '2024-03-31', 'sec-13f'], ['sec-ownership', '--cik', '320193', 'sec-13f'], ['ndjson', '--accession', '0000320193-24-000001', 'sec-13f, xbrl-instance'],
    ['sec-13f', '--clock', 'utc', 'sec-submissions'], ['sec-filing', '--dataset', 'executive', 'ndjson']) {
    my ($source, $option, $value, $of) = @$case;
    says(2, qr/import $source takes no $option, which is of $of$/m, 'import', $source, $option, $value, $lines);
}
unlike((control($conninfo, 'import', 'ndjson', '--dataset', 'executive', $lines))[2], qr/takes no/, 'an option of the source is taken');
says(2, qr/credits show takes no --note$/m, 'credits', 'show', '--note', 'x');

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

done_testing();

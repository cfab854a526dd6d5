# Providers: who records may come from, declared by an administrator.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Shared qw(cluster);
use Disclosed::Test;
use POSIX ();

my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;

sub provider { my (@words) = @_; return $site->control('provider', @words) }
sub listed { return map { $_->{provider} } $json->decode((provider('list', '--json'))[1])->@* }
sub allowlist { return $site->get('/api/disclosed/v1/_meta/allowlist') }

my $line = { dataset => 'executive', symbol => 'OXOKIZ:US', name => 'Nobody Atall', role => 'Chief Executive Officer', category => 'executives',
    person_rank => 9, is_current => JSON::PP::true, reported_on => '2026-01-05', known_at => '2026-01-05T12:00:00Z', provenance => { source_provider => 'our_desk', source_url => 'https://desk.example/1' } };
open my $file, '>', "$site->{root}/one.ndjson" or die;
print $file $json->encode($line), "\n";
close $file;

my ($code, $out, $err) = $site->control('import', 'ndjson', "$site->{root}/one.ndjson");
is($code, 1, 'a provider that nobody has declared');
like($out . $err, qr/source_provider: not a known provider; disclosedctl provider add declares one/, '... is refused, with what to do');

my $before = allowlist();
is((provider('add', 'our_desk', 'our own analysts'))[0], 0, 'it is declared');
ok((grep { $_ eq 'our_desk' } listed()), '... and listed');
my $after = Disclosed::Process::wait_until(10, sub { my $now = allowlist(); $now->body =~ /our_desk/ ? $now : undef });
ok($after, '... and served in the allowlist');
isnt($after->header('etag'), $before->header('etag'), '... under another ETag');
is((provider('add', 'our_desk', 'our analysts'))[0], 0, 'described anew');
is($site->value("SELECT description FROM source_provider WHERE provider = 'our_desk'"), 'our analysts', '... it says so');

for my $bad (['Our Desk', 'x'], ['', 'x'], ['our_desk2', ' '], ['x' x 41, 'x'], ["a'b", 'x']) {
    is((provider('add', @$bad))[0], 1, "no provider: $bad->[0]");
}
is((provider(@$_))[0], 2, "usage: @$_") for [], ['add', 'x'], ['remove'], ['nothing'];
is((provider('remove', 'nobody'))[0], 1, 'what is not there is not removed');
is(($site->control('import', 'ndjson', "$site->{root}/one.ndjson"))[0], 0, 'records that name it are loaded');
is((provider('add', 'unused', 'nobody'))[0] + (provider('remove', 'unused'))[0], 0, 'one that no record names is');
isnt((provider('remove', 'fictional'))[0], 0, 'one that records name is not');
ok((grep { $_ eq 'fictional' } listed()), '... and stays');

# --- in the database ---------------------------------------------------------------------------

# What it says of a statement; '' where it takes it.
sub said { my ($sql) = @_; return eval { $site->execute($sql); 1 } ? '' : $@ }

my $source = 'INSERT INTO disclosed.source (source_key, provider, url) SELECT n, %s, NULL FROM generate_series(1, 3) AS n';
like(said(sprintf $source, q{CASE n WHEN 2 THEN 'nobody' ELSE 'fictional' END}), qr/table "source" has a row whose provider "nobody" is not in table "source_provider"/, 'one row of many that names nobody is refused');
is($site->value('SELECT count(*) FROM disclosed.source WHERE source_key IN (1, 2, 3)'), 0, '... with the others');
for my $table (['source', 'provider'], ['executive_stated', 'source_provider']) {
    my ($name, $column) = @$table;
    cmp_ok($site->value("SELECT count(*) FROM disclosed.$name"), '>', 0, "$name has rows");
    like(said("UPDATE disclosed.$name SET $column = 'nobody'"), qr/table "$name" has a row whose provider "nobody"/, '... which are not moved to nobody');
    is(said("UPDATE disclosed.$name SET $column = $column"), '', '... and may be written');
}
like(said("UPDATE disclosed.source_provider SET provider = 'renamed' WHERE provider = 'our_desk'"), qr/provider "our_desk" is named by records/, 'one that is named keeps its name');
is(said("UPDATE disclosed.source_provider SET description = 'made up' WHERE provider = 'fictional'"), '', '... and may be described anew');

# At the same time: who is first decides, and the other one waits for it.
sub beside
{
    my ($sql, $name, $then) = @_;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        my $good = eval { $site->execute("BEGIN; $sql; SELECT pg_sleep(2); COMMIT"); 1 };
        POSIX::_exit($good ? 0 : 1);
    }
    ok(Disclosed::Process::wait_until(20, sub { cluster()->value('postgres', "SELECT count(*) FROM pg_stat_activity WHERE datname = '$site->{database}' AND wait_event = 'PgSleep'") }), $name);
    $then->();
    waitpid $pid, 0;
    is($?, 0, '... and ends');
}
is((provider('add', $_, 'at the same time'))[0], 0, "$_ is declared") for qw(early late);
beside(sprintf($source, "'early'"), 'rows that name it are being written', sub { like(join('', provider('remove', 'early')), qr/provider "early" is named by records/, '... so that it is not removed') });
beside("DELETE FROM disclosed.source_provider WHERE provider = 'late'", 'it is being removed', sub { like(said(sprintf $source, "'late'"), qr/whose provider "late" is not in/, '... so that no rows name it') });

finish();

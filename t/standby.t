# A database that takes no writes: a standby in the primary's place, and a cluster that is read-only by default. Reads go on; what would be
# written is a 503 with Retry-After, not an error of ours; all works after the promotion, without a restart.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test qw(without_cache);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(control own_cluster own_replica);
use Disclosed::JSON ();

my $primary = own_cluster(settings => "wal_level = replica\nmax_wal_senders = 10\nshared_buffers = 32MB\n");
$primary->create_database('own');
for my $step (['migrate'], ['demo', '--companies', '6']) {
    my ($code, $out, $err) = control($primary->conninfo('own'), @$step);
    is($code, 0, "disclosedctl @$step") or diag $out, $err;
}
my $standby = own_replica($primary);
my $site = site(cluster => $primary, database => 'own', start => 0, config => <<"END");
<VirtualHost *>
ServerName primary.example
</VirtualHost>
<VirtualHost *>
ServerName standby.example
DisclosedDatabase "host=$standby->{directory} dbname=own user=disclosed_api"
</VirtualHost>
END
$site->{log}->permit(qw(DSC0002 DSC0020 DSC0061));
$site->start;
my $json = Disclosed::JSON->new->utf8->canonical;
my @reads = ('/v1/companies?limit=3', '/v1/insider?limit=20', '/v1/filings?limit=5', '/v1/webhook-endpoints');

# A request that writes: an endpoint is made.
sub make_endpoint
{
    my ($host) = @_;
    return $site->request('POST', '/v1/webhook-endpoints', key => 'builder',
        headers => { 'Content-Type' => 'application/json', Host => "$host.example" },
        body => $json->encode({ url => 'https://receiver.example/hook', topics => ['filing.created'] }));
}

sub read_from
{
    my ($host, $name) = @_;
    is($site->get($_, key => 'builder', headers => { Host => "$host.example" })->status, 200, "$name: 200 $_") for @reads;
}

my $count = 'SELECT count(*) FROM disclosed.webhook_endpoint';
ok($primary->is_replayed_by(20 * patience(), $standby), 'the standby has what the primary has');
read_from('standby', 'a standby');
for my $time ('first', 'second') {
    my $response = make_endpoint('standby');
    problem_is($response, 503, "a standby is asked to write for the $time time: 503", instance => '/v1/webhook-endpoints');
    like($response->header('retry-after') // '', qr/^[1-9]\d*\z/, '... with Retry-After');
}
like($site->{log}->unread, qr/DSC0002: .*read-write mode during recovery/, '... the log says why');
is($primary->value('own', $count), 0, '... nothing is written');
read_from('standby', 'after that');

$primary->execute('postgres', 'ALTER SYSTEM SET default_transaction_read_only = on');
$primary->execute('postgres', 'SELECT pg_reload_conf()');
ok(wait_until(10 * patience(), sub { $primary->value('own', 'SHOW default_transaction_read_only') eq 'on' }), 'a cluster is read-only by default');
read_from('primary', 'there');
is(make_endpoint('primary')->status, 200, '... which binds nobody who says that he writes');

$primary->stop('fast');
$standby->execute('postgres', 'SELECT pg_promote()');
$standby->execute('postgres', 'ALTER SYSTEM RESET default_transaction_read_only');
ok(wait_until(20 * patience(), sub { make_endpoint('standby')->status == 200 }), 'the standby is promoted, and writes');
read_from('standby', 'then');
is($standby->value('own', $count), 2, 'both endpoints are there');
log_is_clean($site, 'the log says no more than that');
finish();
$standby->stop;

# A database that is restored from a dump of before the last deliveries: what receivers and readers of the log of events get then. Nothing
# is lost for whoever knows events by their ids, and what they are about by its own.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::JSON ();
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run_as wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory or die "$directory: $!";
my $receiver = Disclosed::Receiver->start($directory);
my $site = site(config => $receiver->config);
my $cik = $site->value('SELECT cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
my $json = Disclosed::JSON->new->utf8->canonical;
my $wait = 20 * patience();

sub load_filing
{
    my ($number) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => $cik + 0, form => '8-K',
        filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => sprintf '0009999999-26-%06d', $number } }) . "\n"));
    is($code, 0, "filing $number is loaded") or diag $out, $err;
}

sub log_after { my ($after) = @_; return json_of($site->get("/v1/changes?after=$after&topics=filing.created"), "the log after $after") }

sub postgres
{
    my ($program, @arguments) = @_;
    my ($code, $out, $err) = run_as('postgres', build('PGBIN') . "/$program", '-h', $site->{cluster}{directory}, @arguments);
    is($code, 0, $program) or diag $out, $err;
}

# --- before ----------------------------------------------------------------------------------------

my %secret;
for my $target ('/ok', '/held/all') {
    my $made = json_of($site->post('/v1/webhook-endpoints', { url => $receiver->url($target), topics => ['filing.created'] }), 'an endpoint');
    $secret{$target} = $made->{signing_secret};
}
log_after(0);
load_filing(1);
my ($first) = $receiver->wait_for('/ok', 1, $wait);
my ($held) = $receiver->wait_for('/held/all', 1, $wait);
is($held->{headers}{'webhook-id'}, $first->{headers}{'webhook-id'}, 'an event goes to two endpoints, of which one does not answer');

my $dumps = workspace() . '/' . fresh('dumps');
mkdir $dumps;
chmod 0777, $dumps;
postgres('pg_dump', '-U', 'postgres', '--format=custom', "--file=$dumps/dump", $site->{database});

load_filing(2);
my ($second) = ($receiver->wait_for('/ok', 2, $wait))[1];
$receiver->release('all');
ok(wait_until($wait, sub { $site->value('SELECT count(*) FROM webhook_delivery WHERE outcome IS NULL') == 0 }), 'after the dump more is delivered');
my $read = log_after(0);
is(scalar $read->{data}->@*, 2, '... and read');

# --- the restore -----------------------------------------------------------------------------------

$site->stop;
$site->{cluster}->drop_database($site->{database});
postgres('createdb', '-U', 'postgres', '--owner=disclosed_owner', '--template=template0', '--encoding=UTF8', $site->{database});
postgres('pg_restore', '-U', 'postgres', "--dbname=$site->{database}", '--exit-on-error', "$dumps/dump");
my %before = map { $_ => scalar $receiver->received($_) } '/ok', '/held/all';
$site->start;

# What was under way at the dump is sent again as it was.
my ($again) = ($receiver->wait_for('/held/all', $before{'/held/all'} + 1, 90 * patience()))[-1];
is($again->{headers}{'webhook-id'}, $first->{headers}{'webhook-id'}, 'what was under way at the dump comes again, with its id');
is($again->{body}, $first->{body}, '... and its bytes');
ok(Disclosed::Receiver::is_signed($again, $secret{'/held/all'}), '... signed by the secret that its receiver has');

# What had come after the dump is news once more when it is loaded again.
load_filing(2);
my ($renewed) = ($receiver->wait_for('/ok', $before{'/ok'} + 1, $wait))[-1];
my ($old, $new) = map { $json->decode($_->{body}) } $second, $renewed;
isnt($renewed->{headers}{'webhook-id'}, $second->{headers}{'webhook-id'}, 'what is loaded again comes again, as another event');
is($new->{data}{accession}, $old->{data}{accession}, '... about the same filing');
ok(defined $new->{data}{provenance}{src_id} && $new->{data}{provenance}{src_id} eq $old->{data}{provenance}{src_id}, '... by its src_id');
ok(Disclosed::Receiver::is_signed($renewed, $secret{'/ok'}), '... signed by the secret that its receiver has');

# Who reads the log goes on from where it was, and is told of everything that was announced since the restore.
my $rest = log_after($read->{next});
is_deeply([map { $_->{id} } $rest->{data}->@*], [$renewed->{headers}{'webhook-id'}], 'a reader of the log that goes on skips nothing');
load_filing(3);
my ($third) = ($receiver->wait_for('/ok', $before{'/ok'} + 2, $wait))[-1];
is_deeply([map { $_->{id} } log_after($rest->{next})->{data}->@*], [$third->{headers}{'webhook-id'}], '... nor later');
cmp_ok($rest->{next}, '<', 2**53, '... and positions are integers that every client can read');
finish();

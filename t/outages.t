# PostgreSQL behind a network that freezes, cuts, refuses and dawdles: requests of the virtual hosts on that database get
# their 503 in time, those of others are served, and all comes back by itself. No exact times: what hangs, hangs for ever.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Key qw(insert_key_sql);
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Proxy;
use Disclosed::Shared qw(cluster database);
use Time::HiRes qw(sleep time);

my $STATEMENT = 2;                       # DisclosedStatementTimeout
my $BOUND = ($STATEMENT + 8) * patience(); # connecting, our own deadline and cancelling come on top
my $BACK = 15 * patience();

my $modules = build('MODULES_DIR');
my $healthy = database('demo');
my $proxy = Disclosed::Proxy->start(cluster());
my $site = site(start => 0, threads => 12, processes => 1);
$site->{module_config} = <<"END";
DisclosedEngine On
DisclosedDatabase "@{[ $proxy->conninfo($site->{database}, 'disclosed_api') ]} connect_timeout=2"
DisclosedDatabasePool 3
DisclosedDatabaseTimeout 1
DisclosedStatementTimeout $STATEMENT
DisclosedSecretFile conf/secret
DisclosedDocsURL https://docs.example.org
DisclosedAddressLimit 1000000/s 100000
DisclosedPlan enterprise rate=1000000/s burst=100000 day=unlimited
<Location /health>
SetHandler disclosed-health
</Location>
<VirtualHost *>
ServerName frozen.example
</VirtualHost>
<VirtualHost *>
ServerName healthy.example
DisclosedDatabase "@{[ cluster()->conninfo($healthy, 'disclosed_api') ]}"
</VirtualHost>
END
cluster()->execute($healthy, insert_key_sql($site->{keys}{enterprise}, 'enterprise'));
$site->start;

my %healthy = (headers => { Host => 'healthy.example' });
my $large = '/v1/insider?limit=500';
my @targets = ('/v1/companies?limit=2', '/v1/insider?limit=3', $large, '/v1/coverage');
my %expected = map { ($_ => $site->get($_)->body) } @targets;
cmp_ok(length $expected{$large}, '>', 100_000, 'one of the answers is large');

sub health { return $site->get('/health', key => undef, @_)->status }

# A response and how long it took.
sub timed
{
    my ($target, @option) = @_;
    my $start = time;
    my $response = $site->get($target, @option);
    return ($response, time - $start);
}

sub is_refused_in_time
{
    my ($target, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($response, $seconds) = timed($target);
    problem_is($response, 503, "$name: 503", instance => $target =~ s/\?.*//r);
    cmp_ok($seconds, '<', $BOUND, sprintf '... in time: %.1f s', $seconds);
}

sub others_are_served
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @answers = map { (timed('/v1/companies?limit=2', %healthy))[0]->status . ' ' . health(%healthy) } 1 .. 10;
    is_deeply([grep { $_ ne '200 200' } @answers], [], "$name: another database's virtual host answers, and is ready");
}

sub comes_back
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $target (@targets) {
        ok(wait_until($BACK, sub { my $response = $site->get($target); $response->status == 200 && $response->body eq $expected{$target} }), "$name: $target is back");
    }
    my @wrong = grep { $_ != 200 } map { $site->get($_)->status } (@targets) x 4;
    is_deeply(\@wrong, [], '... on every connection');
    ok(wait_until($BACK, sub { health() == 200 }), '... and ready');
}

is(health(), 200, 'ready') for 1 .. 2;
others_are_served('before');

# --- frozen --------------------------------------------------------------------------------------

$site->{log}->allow(qw(DSC0002 DSC0020));
$proxy->freeze;
is_refused_in_time($_, "frozen: $_") for @targets;
ok(wait_until($BOUND, sub { health() == 503 }), '... the virtual host is not ready');
others_are_served('frozen');
my $load = Disclosed::Load->start($site, clients => 8, targets => \@targets);
sleep 1;
others_are_served('frozen, with requests that wait');
sleep 3;
others_are_served('... and later');
my @answers = $load->stop;
cmp_ok(scalar @answers, '>', 30, 'requests are refused, and not one by one after a deadline each: ' . @answers);
is_deeply([grep { $_->{status} != 503 || $_->{seconds} >= $BOUND } @answers], [], '... all in time');
$proxy->forward;
comes_back('thawed');
log_is_clean($site, 'the log has the outage');

# Under load at the moment of freezing: those that have connections wait no longer than the rest.
$site->{log}->allow(qw(DSC0002 DSC0020));
$load = Disclosed::Load->start($site, clients => 8, targets => \@targets);
sleep 1;
$proxy->freeze;
my $frozen = time;
others_are_served('freezing under load');
sleep $STATEMENT + 4;
$proxy->forward;
my $thawed = time;
sleep 5;
@answers = $load->stop;
is_deeply([grep { $_->{fault} ne '' || ($_->{status} != 200 && $_->{status} != 503) } @answers], [], 'frozen under load: nothing but whole 200 and 503');
is_deeply([grep { $_->{seconds} >= $BOUND } @answers], [], '... none hangs');
cmp_ok(scalar(grep { $_->{status} == 503 && $_->{start} > $frozen } @answers), '>', 5, '... with 503 meanwhile');
comes_back('thawed under load');
log_is_clean($site, 'the log has the outage');

# --- in the middle of a result -------------------------------------------------------------------

$site->{log}->allow(qw(DSC0002 DSC0020));
$proxy->freeze_after(20_000);
is_refused_in_time($large, 'frozen in a result');
others_are_served('frozen in a result');
$proxy->forward;
comes_back('thawed in a result');

$proxy->cut_once(20_000);
is($site->get($large)->body, $expected{$large}, 'cut in a result: the statement is run again on another connection');
$proxy->cut_after(20_000);
is_refused_in_time($large, 'cut in each result');
others_are_served('cut in each result');
$proxy->forward;
comes_back('no longer cut');

$proxy->slow(200);
is_refused_in_time($large, 'a result that dribbles');
others_are_served('a result that dribbles');
$proxy->forward;
comes_back('no longer slow');

# --- refused -------------------------------------------------------------------------------------

$proxy->refuse;
is_refused_in_time($_, "refused: $_") for @targets;
others_are_served('refused');
$proxy->forward;
comes_back('no longer refused');
log_is_clean($site, 'the log has the outages');

# --- the session -----------------------------------------------------------------------------------

# As a pooler between two transactions may, or somebody with psql: statements are prepared anew.
for (1 .. 2) {
    $proxy->inject('DEALLOCATE ALL');
    is($site->get($_)->body, $expected{$_}, "prepared statements are gone: $_ answers as if nothing were") for @targets;
}
log_is_clean($site, '... and there is nothing to log');

# A freeze while httpd stops: nothing waits for the database.
$site->{log}->allow(qw(DSC0002 DSC0020));
$proxy->freeze;
sleep 1;
ok($site->stop, 'httpd stops while the database is frozen');
$proxy->forward;
finish();

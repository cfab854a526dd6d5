# PostgreSQL goes away under load and comes back: only 503 with Retry-After meanwhile, 200 within two
# seconds after, no stale statement, and never an empty 200.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Load;
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(own_cluster control);
use Time::HiRes qw(sleep time);

my $cluster = own_cluster();
$cluster->create_database('own');
for my $step (['migrate'], ['demo', '--companies', '12']) {
    my ($code, $out, $err) = control($cluster->conninfo('own'), @$step);
    is($code, 0, "disclosedctl @$step") or diag $out, $err;
}
my $site = site(cluster => $cluster, database => 'own', pool => 4);

my ($ticker) = map { $_->{ticker} } $site->rows('SELECT i.ticker FROM insider_transaction JOIN issuer i USING (issuer_id)
    GROUP BY 1 ORDER BY count(*) DESC LIMIT 1');
my @targets = ('/v1/companies?limit=3', '/v1/insider?limit=3', '/v1/insider?limit=3&transaction_types=S', '/v1/filings?limit=3&forms=8-K',
    "/v1/companies/$ticker", "/v1/companies/$ticker/insider?limit=2", '/v1/insider?limit=2&as_of=2024-01-01', '/v1/coverage');
my %expected = map { ($_ => $site->get($_)->body) } @targets;

for my $round (['fast', 'while it shuts down in order'], ['immediate', 'as if it had crashed']) {
    my ($mode, $how) = @$round;
    $site->{log}->expect('DSC0002');
    $site->{log}->permit('DSC0020');
    my $load = Disclosed::Load->start($site, clients => 5, targets => \@targets);
    sleep 1;
    my $stopping = time;
    $cluster->stop($mode);
    my $stopped = time;
    sleep 2.5;
    my $starting = time;
    $cluster->start;
    my $up = time;
    sleep 3.5;
    my @answers = $load->stop;

    my %count;
    $count{ $_->{status} }++ for @answers;
    note "$how: ", scalar @answers, ' answers: ', join ', ', map { "$_: $count{$_}" } sort keys %count;
    my @before = grep { $_->{start} + $_->{seconds} < $stopping } @answers;
    cmp_ok(scalar @before, '>', 50, "$how: load");
    is_deeply([grep { $_->{status} != 200 } @before], [], '... all 200 before');
    is_deeply([grep { $_->{status} != 200 && $_->{status} != 503 } @answers], [], '... nothing but 200 and 503');
    is_deeply([grep { $_->{fault} ne '' } @answers], [], '... no empty 200, no broken answer');
    my @away = grep { $_->{start} > $stopped && $_->{start} + $_->{seconds} < $starting } @answers;
    cmp_ok(scalar @away, '>', 3, '... answers while it is away: ' . @away);
    is_deeply([grep { $_->{status} != 503 } @away], [], '... all of them 503');
    is_deeply([grep { $_->{status} == 503 && $_->{retry_after} !~ /^[1-9]\d*\z/ } @answers], [], '... with Retry-After');
    is_deeply([grep { $_->{seconds} > 4 } @answers], [], '... none hangs');
    my @late = grep { $_->{start} > $up + 2 } @answers;
    cmp_ok(scalar @late, '>', 50, '... answers from two seconds after its return on: ' . @late);
    is_deeply([grep { $_->{status} != 200 } @late], [], '... all 200');
    my ($back) = grep { $_->{start} > $starting && $_->{status} == 200 } @answers;
    note sprintf 'first 200 %.2f s after PostgreSQL was up', $back->{start} + $back->{seconds} - $up if $back;

    for my $target (@targets) {
        my @wrong = grep { $_->status != 200 || $_->body ne $expected{$target} } map { $site->get($target) } 1 .. 20;
        is(scalar @wrong, 0, "... $target is what it was, on every connection") or diag $wrong[0]->describe;
    }
    ok($site->wait_until_watched, '... and the watcher is back');
    log_is_clean($site, '... the log has the outage and nothing else');
}

# httpd starts while there is no database, says so, and recovers by itself.
$site->stop;
$cluster->stop;
$site->{log}->expect('DSC0002');
$site->{log}->permit('DSC0020');
$site->start(watched => 0);
problem_is($site->get('/v1/companies'), 503, 'started without a database: 503', instance => '/v1/companies');
$cluster->start;
ok(wait_until(2, sub { $site->get('/v1/companies')->status == 200 }), 'and 200 within two seconds after it is there');
finish();
$cluster->stop;

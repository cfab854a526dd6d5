# A replica behind a network that freezes, dawdles, cuts and refuses, under load: what it was asked another server answers, in time; it gets
# no reads meanwhile where it is silent or away, and gets them again; other virtual hosts notice nothing.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test qw(without_cache);
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Pace qw(working_time);
use Disclosed::Process qw(wait_until);
use Disclosed::Proxy;
use Disclosed::Shared qw(control own_cluster own_replica);
use Time::HiRes qw(sleep time);

my $STATEMENT = 3; # DisclosedStatementTimeout

my $primary = own_cluster(settings => "wal_level = replica\nmax_wal_senders = 10\nshared_buffers = 32MB\n");
$primary->create_database('own');
for my $step (['migrate'], ['demo', '--companies', '6']) {
    my ($code, $out, $err) = control($primary->conninfo('own'), @$step);
    is($code, 0, "disclosedctl @$step") or diag $out, $err;
}
my $replica = own_replica($primary);
my $proxy = Disclosed::Proxy->start($replica);
my $site = site(cluster => $primary, database => 'own', start => 0, threads => 16, config => <<"END");
DisclosedReadDatabase "@{[ $proxy->conninfo('own', 'disclosed_api') ]} connect_timeout=2"
DisclosedStatementTimeout $STATEMENT
<Location /metrics>
SetHandler disclosed-metrics
</Location>
<VirtualHost *>
ServerName reads.example
</VirtualHost>
<VirtualHost *>
ServerName other.example
DisclosedReadDatabase "@{[ $replica->conninfo('own', 'disclosed_api') ]}"
</VirtualHost>
END
$site->{log}->permit('DSC0061'); # its virtual hosts are meant to be taken
$site->start;

my $other = $replica->{directory};
sub is_read { my ($name) = @_; return $site->get('/metrics', key => undef)->body =~ /^disclosed_replica_is_read\{database="0",replica="\Q$name\E"\} (\S+)$/m ? $1 : 'none' }
sub reads   { return $site->get('/metrics', key => undef)->body =~ /^disclosed_replica_reads_total\{database="0",replica="\Q127.0.0.1:$proxy->{port}\E"\} (\S+)$/m ? $1 : 0 }
my $name = "127.0.0.1:$proxy->{port}";
ok(wait_until(20 * patience(), sub { is_read($name) eq '1' && is_read($other) eq '1' }), 'the replica gets reads, by the network and without it')
    or diag $site->get('/metrics', key => undef)->body =~ s/^(?!disclosed_replica).*\n//gmr;
my @targets = ('/v1/companies?limit=3', '/v1/insider?limit=100', '/v1/filings?limit=20');

for my $case (['freeze', undef, 0], ['slow', 2000, undef], ['cut_after', 3000, undef], ['refuse', undef, 0]) {
    my ($way, $argument, $expected) = @$case;
    expect_log($site, 'DSC0002') if $way eq 'refuse';
    $site->{log}->permit(qw(DSC0002 DSC0026 DSC0027));
    my $load = Disclosed::Load->start($site, clients => 4, pause => 0.02, targets => \@targets);
    sleep 0.5;
    my $lost = time - working_time();
    $proxy->$way($argument);
    ok(wait_until(20 * patience(), sub { is_read($name) eq $expected }), "$way: the replica gets no reads") if defined $expected;
    my @beside = map { $site->get($_, headers => { Host => 'other.example' })->status } (@targets) x 5;
    is_deeply([grep { $_ != 200 } @beside], [], "$way: another virtual host is served");
    sleep 4;
    $proxy->forward;
    ok(wait_until(30 * patience(), sub { is_read($name) eq '1' }), '... when it is over, it gets reads');
    my $before = reads();
    ok(wait_until(20 * patience(), sub { reads() > $before }), '... which it answers');
    my @answers = $load->stop;
    $lost = time - working_time() - $lost;
    my ($longest) = sort { $b->{seconds} <=> $a->{seconds} } @answers;
    # The other server has half of the timeout; a machine that stands still for as long takes it away.
    my @late = $lost < $STATEMENT / 2 ? () : grep { $_->{status} == 503 && $_->{fault} eq '' && $_->{seconds} >= $STATEMENT } @answers;
    my @faults = grep { $_->{status} != 200 || $_->{fault} ne '' } @answers;
    is(@faults - @late, 0, '... meanwhile another server has answered: ' . @answers . ' whole 200s') or diag explain [$lost, @faults];
    cmp_ok($longest->{seconds}, '<', $STATEMENT * patience() + 0.1 + $lost, sprintf '... the longest took %.2f s, in which the machine lost %.2f s', $longest->{seconds}, $lost);
    $site->{log}->check;
}
finish();
$_->stop for $replica, $primary;

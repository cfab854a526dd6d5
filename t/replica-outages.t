# A replica behind a network that freezes, dawdles, cuts and refuses, under load: what it was asked another server answers, in time; it gets
# no reads meanwhile where it is silent or away, and gets them again; other virtual hosts notice nothing.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test qw(without_cache);
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Proxy;
use Disclosed::Shared qw(control own_cluster own_replica);
use POSIX ();
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
@{[ metrics_location() ]}
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

# Sessions of requests with the primary.
sub sessions { return map { $_->{pid} } $primary->rows('own', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'mod_disclosed' AND datname = 'own'}) }

# One that becomes silent right after it was looked at: it is the next look, a second later, that is in vain, after another. Who asked it
# in between has to hear of that while there is time for another server. The connection by the network is younger than the one without it.
my $looked = q{SELECT state_change FROM pg_stat_activity WHERE application_name = 'mod_disclosed watcher' AND datname = 'own' ORDER BY backend_start DESC LIMIT 1};

sub silent_after_a_look
{
    expect_log($site, qw(DSC0002 DSC0026));
    my ($last, $read) = ($replica->value('own', $looked), reads());
    $site->get($targets[0]) for 1 .. 4;
    cmp_ok(reads(), '>', $read, 'the replica gets reads');
    wait_until(5 * patience(), sub { $replica->value('own', $looked) ne $last }) or die 'nobody looks at the replica';
    $proxy->freeze;
    my $began = time;
    my @pids = map { my $target = $_; my $pid = fork() // die "fork: $!"; POSIX::_exit($site->get($target)->status == 200 ? 0 : 1) if !$pid; $pid } @targets;
    my @failed = grep { waitpid $_, 0; $? != 0 } @pids;
    my $took = time - $began;
    is(scalar @failed, 0, 'silent right after a look: ' . @pids . ' requests of that moment are served');
    cmp_ok($took, '<', 0.9 * $STATEMENT * patience(), sprintf '... the last after %.2f s', $took);
    $proxy->forward;
    ok(wait_until(30 * patience(), sub { is_read($name) eq '1' }), '... when it is over, it gets reads');
    $site->{log}->check;
}

# Slow: small responses come in time, and so do looks; large ones don't, which the first requests for them find out.
my $clients = 4;
for my $case (['refuse', undef, 0, 0], ['freeze', undef, 0, 0], ['slow', 1000, 0, $clients], ['cut_after', 3000, undef, 0]) {
    my ($way, $argument, $expected, $most_late) = @$case;
    expect_log($site, 'DSC0002') if $way eq 'refuse';
    $site->{log}->permit(qw(DSC0002 DSC0026 DSC0027));
    my $load = Disclosed::Load->start($site, clients => $clients, pause => 0.02, targets => \@targets);
    sleep 0.5;
    my @before = sessions();
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
    my @late = grep { $_->{status} == 503 && $_->{seconds} >= $STATEMENT } @answers;
    my @faults = grep { !($_->{status} == 503 && $_->{seconds} >= $STATEMENT) && ($_->{status} != 200 || $_->{fault} ne '') } @answers;
    is_deeply(\@faults, [], '... meanwhile another server has answered: ' . (@answers - @late) . ' whole 200s') or diag explain \@faults;
    cmp_ok(scalar @late, '<=', $most_late, '... but for those that were the first to wait in vain: ' . @late);
    my %after = map { ($_ => 1) } sessions();
    is_deeply([grep { !$after{$_} } @before], [], '... and kept the connections that it had');
    my ($longest) = sort { $b->{worked} <=> $a->{worked} } @answers;
    cmp_ok($longest->{worked}, '<', $STATEMENT * patience() + 0.1, sprintf '... the longest took %.2f s', $longest->{seconds});
    $site->{log}->check;
    silent_after_a_look() if $way eq 'refuse'; # while nothing makes it doubtful
}
finish();
$_->stop for $replica, $primary;

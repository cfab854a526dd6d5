# Limits under load: many clients on one key at many times its rate, over all httpd processes; the day's quota
# to the last request. They need both processors, so that nothing else runs beside them.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use POSIX ();
use Time::HiRes qw(sleep time);

my $limits = "DisclosedAddressLimit 1000000/s 100000\nDisclosedPlan enterprise rate=1000000/s burst=100000 day=unlimited\n"
    . "DisclosedPlan steady rate=40/s burst=40 day=unlimited\nDisclosedPlan counted rate=1000000/s burst=100000 day=700\n";
my $site = site(limits => $limits, processes => 4, threads => 8);

# Clients in processes of their own, each with a connection for each request, until the time is over, or so many have
# been refused to each. Returns [received, status, limit, remaining, reset, sent] of all answers.
sub hammer
{
    my ($key, $clients, $seconds, $pause, $most) = @_;
    my $name = "$site->{root}/hammer-" . int(time * 1000);
    my $end = time + $seconds;
    my @pids = map {
        my $number = $_;
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            open my $file, '>', "$name.$number" or POSIX::_exit(1);
            my $refused = 0;
            while (time < $end && $refused < ($most // 'inf')) {
                my $sent = time;
                my $answer = $site->get('/v1/companies?limit=1', key => $key);
                print $file join("\t", time, $answer->status, map({ $answer->header("x-ratelimit-$_") // '' } qw(limit remaining reset)), $sent), "\n";
                $refused++ if $answer->status == 429;
                sleep $pause if $pause;
            }
            close $file;
            POSIX::_exit(0);
        }
        $pid;
    } 1 .. $clients;
    waitpid $_, 0 for @pids;
    my @answers;
    for my $path (glob "$name.*") {
        open my $file, '<', $path or die "$path: $!";
        push @answers, map { chomp; [split /\t/] } <$file>;
    }
    return sort { $a->[0] <=> $b->[0] } @answers;
}

# The fewest and the most that a bucket of $rate, filled $rate a second, may have let through. When a request was judged
# is known as "after it was sent, before it was answered" alone, so that a machine that stands still proves nothing wrong.
# A refused request found the bucket empty; between two of them it can't have overflowed if they lie less than the second
# apart that it takes to fill.
sub bounds
{
    my ($rate, @answers) = @_;
    my @refused = sort { $a->[5] <=> $b->[5] } grep { $_->[1] == 429 } @answers;
    my ($first) = sort { $a <=> $b } map { $_->[5] } @answers;
    my $fewest = $rate;
    while (@refused) {
        my @stretch = shift @refused;
        push @stretch, shift @refused while @refused && $refused[0][0] - $stretch[-1][5] < 1;
        my $since = $stretch[-1][5] - $stretch[0][0];
        $fewest += $rate * $since - 1 if $since > 0;
    }
    return ($fewest - 1, $rate + $rate * ($answers[-1][0] - $first) + 1);
}

# --- the rate ---------------------------------------------------------------------------------

my $steady = $site->own_key('steady');
$site->get('/v1/companies?limit=1', key => $steady); # the key is known everywhere
sleep 2;
my @answers = hammer($steady, 32, 10, 0.04);
my @allowed = grep { $_->[1] == 200 } @answers;
my @refused = grep { $_->[1] == 429 } @answers;
my ($fewest, $most) = bounds(40, @answers);
is(@allowed + @refused, scalar @answers, @answers . ' answers: ' . @allowed . ' of them 200, ' . @refused . ' 429');
cmp_ok(scalar @refused, '>', scalar @allowed, 'far more than the rate allows');
cmp_ok(scalar @allowed, '>=', $fewest, sprintf '%d were allowed, at least %.1f had to be', scalar @allowed, $fewest);
cmp_ok(scalar @allowed, '<=', $most, sprintf 'and at most %.1f could be', $most);
is_deeply([grep { $_->[3] !~ /^\d+$/ || $_->[3] > 40 } @answers], [], 'what remains is never negative, nor more than there is');
is_deeply([grep { $_->[3] != 0 } @refused], [], 'nothing remains for those who are refused');

# --- the day ----------------------------------------------------------------------------------

my $counted = $site->own_key('counted');
my @day = hammer($counted, 16, 6, 0, 40);
is(scalar(grep { $_->[1] == 200 } @day), 700, 'of ' . @day . ' requests at once not one over the quota of the day is allowed, and none too few');
my $last = 700;
my %seen;
$seen{ $_->[3] }++ for grep { $_->[1] == 200 } @day;
is_deeply([sort { $a <=> $b } keys %seen], [0 .. 699], 'every number of what remains is told, each once');

finish();

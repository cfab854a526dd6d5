# The clock of a host steps, a day on or back, while disclosedctl follow and bootstrap work, and PostgreSQL with them: what is due is asked for within its
# pauses, everything is stored once, and a lease of somebody who is gone ends.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::BootstrapFiles qw(bootstrap_sets set_path);
use Disclosed::BootstrapProof;
use Disclosed::Build qw(shared_data);
use Disclosed::FakeClock qw(why_no_clock clock_environment step_clock);
use Disclosed::FollowProof;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(cluster control fresh own_cluster use_cluster workspace);
use Disclosed::Test;
use Time::HiRes qw(sleep);

my $missing = why_no_clock();
if ($missing) {
    diag "NOT TESTED: follow and bootstrap while the clock steps: $missing";
    plan skip_all => "NO STEPS OF THE CLOCK ARE TRIED: $missing";
}
delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};

# The clock of all programs that are started from now on, but not ours.
package Clock {
    sub write
    {
        my ($self, $name, $text) = @_;
        my $path = "$self->{folder}/$name";
        open my $file, '>', "$path.new" or die "$path: $!";
        print $file $text;
        close $file;
        chmod 0644, "$path.new";
        rename "$path.new", $path or die "$path: $!";
        return $path;
    }
}
my $clock = bless { folder => workspace() . '/' . fresh('clock') }, 'Clock';
mkdir $clock->{folder}, 0755 or die "$clock->{folder}: $!";
my $environment = clock_environment($clock);
# PostgreSQL asks for the time in a signal handler, where the library must not read its file: it allocates memory, perhaps in the middle of an allocation. Each process
# reads it once a second at most, so a clock is off everywhere when a second has passed.
delete $environment->{FAKETIME_NO_CACHE};
$environment->{FAKETIME_CACHE_DURATION} = 1;
sub put_clock { my ($seconds) = @_; step_clock($clock, $seconds); sleep 2; return }
@ENV{ keys %$environment } = values %$environment;
use_cluster(own_cluster());

my $day = 86_400;
sub ahead { my ($proof) = @_; return $proof->value('SELECT round(extract(epoch FROM clock_timestamp()))') - time }

my $folder = workspace() . '/' . fresh('archives');
mkdir $folder or die "$folder: $!";
my @sets = bootstrap_sets($folder, 6);
my @paths = map { set_path(@$_[0, 1]) } @sets;
my $first = $paths[0];

sub is_complete
{
    my ($proof, $name, $code, $told, %often) = @_;
    is($code, 0, "$name: all is stored") or diag $told;
    same_json({ map { my $path = $_; ($path => scalar $proof->requests($path)) } @paths }, { (map { ($_ => 1) } @paths), %often }, '... asked for no more often than needed');
    same_json([$proof->twice], [], '... nothing is loaded twice');
    same_json([$proof->plain_faults(@sets)], [], '... all is as after a plain import');
    same_json([$proof->downloads], [], '... and nothing is left on the disk');
}

# ---- bootstrap

for my $off (-$day, $day) {
    put_clock(sprintf '%+d', $off);
    my $proof = Disclosed::BootstrapProof->new(files => \@sets);
    cmp_ok(abs(ahead($proof) - $off), '<', 10, "a clock that is off by $off s");
    my ($code, $out, $err) = $proof->run;
    is_complete($proof, 'a run', $code, "$out$err");
}

for my $case (['back', '+0', sprintf '%+d', -$day], ['on', '+0', sprintf '%+d', $day]) {
    my ($where, $before, $after) = @$case;

    put_clock($before);
    my $proof = Disclosed::BootstrapProof->new(files => \@sets, plan => { $first => [{ pause => 2 }] });
    my $running = $proof->begin;
    ok(wait_until(30 * patience(), sub { $proof->requests($first) }), "the clock is put $where by a day while an archive comes");
    put_clock($after);
    my ($code, $out, $err) = $proof->finish($running, 120);
    is_complete($proof, '... the run', $code, "$out$err");

    # A failure is waited for, and a pause that the publisher has asked for.
    put_clock($before);
    $proof = Disclosed::BootstrapProof->new(files => \@sets, plan => { $first => [{ blocked => 1 }] });
    $proof->{is_patient} = 1;
    $running = $proof->begin;
    ok(wait_until(30 * patience(), sub { $proof->value(q{SELECT count(*) FROM followed_document WHERE failure_kind = 'blocked'}) }), "the clock is put $where by a day in a pause");
    put_clock($after);
    ($code, $out, $err) = $proof->finish($running, 120);
    is_complete($proof, '... the run', $code, "$out$err", $first => 2);
}

# A lease by the clock as it was is over when a minute has passed by the clock as it is.
{
    put_clock('+0');
    my $proof = Disclosed::BootstrapProof->new(files => \@sets);
    $proof->execute(q{INSERT INTO followed_source (source, holder, lease_until) VALUES ('sec-submissions', 'elsewhere:/gone', clock_timestamp() + interval '1 day')});
    my ($code, $out, $err) = $proof->run;
    is($code, 1, 'a source that another process had before the clock was put back');
    like($err, qr/^sec-submissions: another process is at it, or was a minute ago$/m, '... is left to it');
    is($proof->value(q{SELECT lease_until BETWEEN clock_timestamp() - interval '5 min' AND clock_timestamp() + interval '1 min' FROM followed_source WHERE source = 'sec-submissions'}), 't', '... for a minute');
    $proof->execute('UPDATE followed_source SET lease_until = clock_timestamp() WHERE lease_until > clock_timestamp()');
    ($code, $out, $err) = $proof->run;
    is_complete($proof, 'the next run', $code, "$out$err");
}

# ---- follow

SKIP: {
    if (!shared_data('edgar-submissions')) {
        diag 'NOT TESTED: follow while the clock steps, by real filings (DISCLOSED_SHARED)';
        skip 'no real filings', 1;
    }
    for my $case (['back', sprintf '%+d', -$day], ['on', sprintf '%+d', $day]) {
        my ($where, $after) = @$case;
        put_clock('+0');
        # Lists of tickers are of the day on which they are read, by the clock that there is.
        my $proof = Disclosed::FollowProof->new(each => 2, most => 50, lean => 1 << 20, seconds => 12, sources => [qw(sec-edgar)]);
        my $follower = $proof->begin_following;
        $proof->{server}->begin;
        ok(wait_until(60 * patience(), sub { $proof->value(q{SELECT count(*) FROM followed_document WHERE source = 'sec-edgar' AND state = 'stored'}) }), "the clock is put $where by a day while follow works");
        put_clock($after);
        ok($proof->wait_until_complete(120), '... all of the day is stored');
        is($proof->end_following($follower, 'TERM'), 0, '... it ends when it is told to');
        is_deeply([$proof->once_faults], [], '... each document is stored once');
        is_deeply([$proof->plain_faults], [], '... all is as after a plain import');
        is_deeply([$proof->manner_faults], [], '... the SEC is asked politely');
        is($proof->value('SELECT count(*) FROM followed_freshness WHERE greatest(refreshed_at, stored_at) > clock_timestamp()'), 0, '... and no figure lies ahead');
    }
}

put_clock('+0');
finish();
cluster()->stop;

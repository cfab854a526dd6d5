# disclosedctl follow: what it loads one after the other is loaded by one session of PostgreSQL. What others have declared meanwhile is known to it,
# and one that is gone, or has seen a file fail, is replaced without anybody hearing of it.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::JSON ();
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(slurp_if_there wait_until);
use Disclosed::Shared qw(fresh register_process workspace);
use POSIX qw(WNOHANG);

my $site = site(start => 0);
my $json = Disclosed::JSON->new->utf8->canonical;
my ($folder, $output) = map { workspace() . '/' . fresh($_) } qw(watched follow);
mkdir $folder or die "$folder: $!";

my $follower = fork() // die "fork: $!";
if ($follower == 0) {
    open STDIN,  '<', '/dev/null';
    open STDOUT, '>', "$output.out";
    open STDERR, '>', "$output.err";
    { no warnings; exec build('CTL'), '--database', $site->conninfo('disclosed_loader'), 'follow', '--poll', 1, '--source', 'watch', '--watch', "ndjson=$folder"; }
    POSIX::_exit(127);
}
register_process($follower);

sub said { return slurp_if_there("$output.err") // '' }

# The processes of PostgreSQL that serve the follower, the oldest first: the first is its own, the second loads.
sub sessions { return map { $_->{pid} } $site->rows("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'disclosedctl' ORDER BY backend_start") }

# Puts a file with one executive into the folder, as its provider says.
sub put
{
    my ($name, $provider) = @_;
    open my $file, '>', "$folder/.new" or die $!;
    print $file $json->encode({ dataset => 'executive', symbol => 'OXOKIZ:US', name => $name, role => 'Chief Executive Officer', category => 'executives',
        person_rank => 9, is_current => JSON::PP::true, reported_on => '2026-01-05', known_at => '2026-01-05T12:00:00Z',
        provenance => { source_provider => $provider // 'fictional', source_url => "https://desk.example/$name" } }) . "\n";
    close $file or die $!;
    rename "$folder/.new", "$folder/$name" or die $!;
    return;
}

sub is_stored
{
    my ($name, $says) = @_;
    ok(wait_until(60 * patience(), sub { $site->value("SELECT count(*) FROM executive WHERE name = '$name'") == 1 }), $says) or diag said();
    return;
}

put('first');
is_stored('first', 'a file is loaded');
my @first = sessions();
is(scalar @first, 2, 'by a session beside the follower\'s own');

# Nobody else's transactions end meanwhile but a few of ours and of autovacuum.
sub transactions { return $site->value('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()') }
my $before = transactions();
sleep 4;
cmp_ok(transactions() - $before, '<', 100, 'a follower that waits asks PostgreSQL for next to nothing');

put("later$_") for 1 .. 3;
is_stored("later$_", "later file $_ is loaded") for 1 .. 3;
is_deeply([sessions()], \@first, '... by the same session');

is(($site->control('provider', 'add', 'our_desk', 'our own analysts'))[0], 0, 'a provider is declared');
put('declared', 'our_desk');
is_stored('declared', '... and known at once');
is_deeply([sessions()], \@first, '... to the same session');

$site->execute("SELECT pg_terminate_backend($first[1])");
ok(wait_until(30 * patience(), sub { sessions() == 1 }), 'the session that loads ends');
put('after');
is_stored('after', '... and the next file is loaded');
my @second = sessions();
is($second[0], $first[0], '... the follower goes on');
isnt($second[1], $first[1], '... with another session');
is(said(), '', '... and says nothing of it');

open my $none, '>', "$folder/none" or die $!;
close $none;
ok(wait_until(60 * patience(), sub { said() =~ /none/ }), 'a file fails') or diag said();
put('good');
is_stored('good', '... and the next file is loaded');
isnt((sessions())[1], $second[1], '... by another session');

kill 'TERM', $follower;
ok(wait_until(30 * patience(), sub { waitpid($follower, WNOHANG) != 0 }), 'the follower ends');
is($?, 0, '... when it is told to');
ok(wait_until(30 * patience(), sub { sessions() == 0 }), '... with its sessions');

finish();

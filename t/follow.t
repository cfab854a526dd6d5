# disclosedctl follow on a made day of EDGAR from real filings, played again in seconds by a server on this machine, with every kind of damage,
# killed in between and beside another: each document is stored once, and all is as after a plain import. t/proofs/follow does all of it.
use v5.24;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(shared_data);
use Disclosed::FollowProof;
use Disclosed::Memory qw(patience);
use Disclosed::Order qw(number_below);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(cluster);
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(sleep);

if (!shared_data('edgar-submissions')) {
    diag 'NOT TESTED: a made day of real filings (DISCLOSED_SHARED)';
    plan skip_all => 'no real filings';
}
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);
Disclosed::Order::seed(1);
my $proof = Disclosed::FollowProof->new(each => 3, most => 300, lean => 2 << 20, seconds => 8, share => 0.4, seed => 1, unlisted => 7, sources => [qw(sec-tickers sec-edgar)]);
my @expected = $proof->expected;
my $scratch = $ENV{TMPDIR} = tempdir(CLEANUP => 1);
sub scratch_folders { my @found = glob "$scratch/disclosed-follow-*"; return scalar @found }

# Two that take turns; one is killed again and again.
my $other = $proof->begin_following;
my $follower = $proof->begin_following;
$proof->{server}->begin;
for (1 .. 4) {
    sleep 0.3 + number_below(1000) / 1000;
    is($proof->end_following($follower, 'KILL'), 137, 'one that follows is killed');
    $follower = $proof->begin_following;
    $proof->hasten;
}
ok($proof->wait_until_complete(180, hasten => 1), 'all of the day is stored');
# A statement that is waited for long enough to look round, after imports have come to their ends.
cluster()->execute_apart($proof->{database}, 'BEGIN; LOCK TABLE disclosed.followed_source; SELECT pg_sleep(3); COMMIT');
is(scratch_folders(), 2, 'those that were killed leave no files behind');
is($proof->end_following($_), 0, 'it ends when it is told to') for $follower, $other;
is(scratch_folders(), 0, '... and removes what it has fetched');

my %damage;
$damage{ $_->{damage} // 'whole' }++ for $proof->{server}->requests;
note 'requests: ', join ', ', map { "$damage{$_} $_" } sort keys %damage;
cmp_ok(scalar keys %damage, '>', 5, 'damage of many kinds');
cmp_ok(scalar @expected, '>', 20, scalar(@expected) . ' documents');
is_deeply([$proof->manner_faults], [], 'the SEC is asked politely');
is_deeply([$proof->once_faults], [], 'each document is stored once');
is_deeply([$proof->plain_faults], [], 'all is as after a plain import');

# Fetched, and killed before it was imported: that it has not changed since says nothing.
sub spoil { my ($sql) = @_; cluster()->execute($proof->{database}, "SET search_path = disclosed, public; $sql") }
my $fetched = q{WHERE identity = 'company_tickers_mf.json'};
spoil("UPDATE followed_document SET state = 'wanted', done = '{}', next_at = clock_timestamp() $fetched");
ok(wait_until(30 * patience(), sub { $proof->hasten; $proof->once; $proof->value("SELECT state FROM followed_document $fetched") eq 'stored' }), 'what was fetched is asked for again');
is($proof->value("SELECT done FROM followed_document $fetched"), '{sec-fund-tickers}', '... and imported');

# A file about a company that comes later than its filing.
my $about = q{WHERE kind = 'submissions' AND document_id = (SELECT min(document_id) FROM followed_document WHERE kind = 'submissions')};
my $state = sub { return $proof->value("SELECT state || CASE WHEN next_at IS NULL THEN ', not asked for' ELSE '' END FROM followed_document $about") };
spoil("UPDATE followed_document SET url = url || '.later', state = 'wanted', done = '{}', attempts = 0, next_at = clock_timestamp() $about");
for my $attempt (1 .. 5) {
    # A round in which the server fails, or has refused another document, is not the attempt.
    ok(wait_until(30 * patience(), sub {
        $proof->hasten;
        spoil("UPDATE followed_document SET next_at = clock_timestamp(), attempts = $attempt - 1 $about");
        $proof->once;
        return $proof->value("SELECT attempts || ' ' || failure_kind FROM followed_document $about") eq "$attempt absent";
    }), "attempt $attempt");
    is($state->(), $attempt < 5 ? 'absent' : 'absent, not asked for', "what is not there is asked for again after attempt $attempt, but not for ever");
}
spoil("UPDATE followed_document SET url = replace(url, '.later', ''), attempts = 1, next_at = clock_timestamp() $about");
ok(wait_until(30 * patience(), sub { $proof->hasten; $proof->once; $state->() =~ /^stored/ }), '... and stored when it comes');

# It can fail.
spoil("DELETE FROM filing WHERE row_id = (SELECT max(row_id) FROM filing)");
isnt(scalar($proof->plain_faults), 0, 'a filing that is missing is seen');
spoil("INSERT INTO import_run SELECT (r).* FROM (SELECT jsonb_populate_record(i, jsonb_build_object('import_run_id', (SELECT max(import_run_id) + 1 FROM import_run))) AS r
    FROM import_run i WHERE source = 'sec-filing' AND status = 'done' AND stored > 0 LIMIT 1) x");
spoil("UPDATE followed_document SET state = 'wanted' WHERE url = (SELECT max(url) FROM followed_document WHERE state = 'stored')");
my @faults = $proof->once_faults;
like("@faults", qr/in 2 runs/, 'one that is loaded twice is seen');
like("@faults", qr/ is wanted/, 'one that is not stored is seen');
done_testing;

# Following tells webhooks of each filing that it brings, once, whichever document of a company comes first, and of none of the past that
# a company's list of filings has.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(shared_data);
use Disclosed::FollowProof;
use Disclosed::JSON ();
use Disclosed::MadeFiles qw(made_filing_lines);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);

my $json = Disclosed::JSON->new->utf8;

SKIP: {
    my $is_there = shared_data('edgar-submissions');
    diag 'NOT TESTED: a made day of real filings (DISCLOSED_SHARED)' if !$is_there;
    skip 'no real filings', 11 if !$is_there;
    my $proof = Disclosed::FollowProof->new(each => 3, most => 20, seconds => 6, unlisted => 0, sources => ['sec-edgar']);
    my $directory = workspace() . '/' . fresh('receiver');
    mkdir $directory or die "$directory: $!";
    my $receiver = Disclosed::Receiver->start($directory);
    my $site = site(database => $proof->{database}, config => $receiver->config, described => 0);
    my $made = $site->post('/v1/webhook-endpoints', { url => $receiver->url('/ok'), topics => ['filing.created'] })->json;
    $proof->once;
    my $past = sub { return $site->value('SELECT count(*) FROM filing WHERE superseded_at IS NULL') };
    my $of = $proof->freshness($site, $receiver, '/ok', $made->{signing_secret}, sub { $past->() > 500 });
    cmp_ok(scalar keys %$of, '>', 10, 'filings are followed');
    same_json([grep { ($of->{$_}{times} // 0) != 1 || !$of->{$_}{signed} } sort keys %$of], [], '... each comes to the receiver once, signed');
    cmp_ok($past->(), '>', 500, '... beside what companies filed before');
    same_json([sort keys(($proof->{others} // {})->%*)], [], '... of which nobody is told');

    # Files about companies take long: between fetching one and having stored it, nothing else is under way, so that filings wait for one at most.
    my $watched = workspace() . '/' . fresh('watched');
    mkdir $watched or die "$watched: $!";
    my $follower = $proof->begin_following('--source', 'watch', '--watch', "ndjson=$watched");
    ok($proof->wait_until_complete(120), 'files about companies are loaded as well');

    # What comes from a folder is told of, however old it is, also by a session that has just loaded what companies filed before.
    my ($lines) = made_filing_lines(workspace(), 1);
    my ($old) = slurp($lines) =~ /"accession":"([\d-]+)"/;
    rename $lines, "$watched/old.ndjson" or die "$watched: $!";
    ok(wait_until(60 * patience(), sub { grep { ($json->decode($_->{body})->{data}{accession} // '') eq $old } $receiver->received('/ok') }),
        'an old filing that somebody puts into a folder is told of') or diag $old;

    # Another host that waits for the lease asks for next to nothing: so many transactions more than there are without it, once it has begun. One that does not wait
    # never has such a time.
    my $transactions = sub {
        my $before = $proof->value('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()');
        sleep 4;
        return $proof->value('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()') - $before;
    };
    my $alone = $transactions->();
    my $other = $proof->begin_following;
    sleep 2;
    my $beside;
    for (1 .. 4) {
        $beside = $transactions->();
        last if $beside < $alone + 100;
    }
    cmp_ok($beside, '<', $alone + 100, 'a follower whose sources another one follows waits');
    is($proof->end_following($other), 0, '... and ends');
    is($proof->end_following($follower), 0, '... and it ends');
    my $about = q{kind IN ('submissions', 'companyfacts') AND c.state = 'stored'};
    cmp_ok($proof->value("SELECT count(*) FROM followed_document c WHERE c.$about"), '>', 2, '... several of them');
    same_json([$proof->rows("SELECT c.identity, d.identity AS beside FROM disclosed.followed_document c JOIN disclosed.followed_document d ON d.document_id <> c.document_id
        AND d.fetched_at < c.stored_at AND c.fetched_at < d.stored_at AND d.fetched_at <= d.stored_at AND c.fetched_at <= c.stored_at WHERE c.$about AND d.state = 'stored' ORDER BY 1, 2")], [], '... each by itself');
}
finish();

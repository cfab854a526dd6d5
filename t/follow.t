# disclosedctl follow, against a server that plays a made day of EDGAR again: a share of the proof (t/proofs/follow). Each document is
# stored once, whatever is damaged, killed, or at work beside it, and the database is that of a plain import.

use FindBin;
use lib "$FindBin::Bin/lib";
use v5.24;
use warnings;
use Disclosed::FollowProof;
use Disclosed::Order qw(number_below);
use Disclosed::RealFiles qw(folder);
use Disclosed::Shared qw(cluster control);
use Test::More;
use Time::HiRes qw(sleep time);

folder($_) for qw(ownership-xml 8k-ex99 edgar-submissions edgar-tickers form13f nport beneficial-ownership);
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);

my $proof = Disclosed::FollowProof->new(each => 3, most => 20, seconds => 8, share => 0.3, unlisted => 5, sources => [qw(sec-tickers sec-edgar)]);
my @expected = $proof->expected;
cmp_ok(scalar @expected, '>=', 20, @expected . ' documents are expected');
cmp_ok(scalar keys $proof->{pages}{unlisted}->%*, '>=', 3, '... some of which no feed ever shows');

# --- manners -----------------------------------------------------------------------------------------

sub plainly { return control(cluster()->conninfo($proof->{database}), 'follow', '--once', $proof->{server}->mirrors, @_) }

for my $agent (undef, 'disclosedctl', 'somebody @ example', "a\@example.org\nX-Header: 1") {
    my ($code, undef, $err) = plainly(defined $agent ? ('--user-agent', $agent) : ());
    isnt($code, 0, 'who names no contact is refused: ' . ($agent // 'none') =~ s/\n/ /r);
    like($err, qr/contact/, '... and is told why');
}
my ($code, $out, $err) = $proof->once('--dry-run');
is($code, 0, 'what would be asked is told') or diag $err;
like($out, qr{getcurrent.*\n(?:.*\n)*.*daily-index/\d{4}/QTR\d/\w+\.\d{8}\.idx}, '... the feed and the indexes');
is(scalar(my @none = $proof->{server}->requests), 0, '... and nothing is asked by any of these');
is($proof->value('SELECT count(*) FROM followed_document'), 0, '... nor noted');

# --- who cannot be reached ---------------------------------------------------------------------------

my $port = $proof->{server}{port};
for my $case (['no name', 'http://nowhere.invalid'], ['no port', 'http://127.0.0.1:1'], ['no TLS', "https://127.0.0.1:$port"]) {
    my ($name, $url) = @$case;
    ($code, $out, $err) = control(cluster()->conninfo($proof->{database}), 'follow', '--once', '--user-agent', $Disclosed::FollowProof::contact, '--since', $proof->day,
        map { ('--mirror', "https://$_=$url") } qw(www.sec.gov data.sec.gov cdn.finra.org disclosures-clerk.house.gov));
    is($code, 1, "$name: the round has failed");
    isnt($err, '', '... and says so');
    $proof->hasten;
}

# --- a day -------------------------------------------------------------------------------------------

my $began = time;
my @followers = map { $proof->begin_following } 1, 2;
$proof->{server}->begin;
for (1 .. 4) {
    sleep 1 + number_below(1000) / 1000;
    is($proof->end_following($followers[0], 'KILL'), 137, 'it is killed');
    @followers = ($followers[1], $proof->begin_following);
    $proof->hasten;
}
ok($proof->wait_until_complete(90, hasten => 1), 'in the end all is stored') or diag explain [$proof->progress], map { Disclosed::FollowProof::said_by($_) } @followers;
diag sprintf '%d s', time - $began;
$proof->end_following($_) for @followers;
is_deeply([$proof->once_faults], [], 'each document once');
is_deeply([$proof->plain_faults], [], 'the database is that of a plain import');
is_deeply([$proof->manner_faults], [], 'nobody has been asked too often');
my %damage = map { ($_->{damage} => 1) } grep { defined $_->{damage} } $proof->{server}->requests;
cmp_ok(scalar keys %damage, '>=', 5, 'damage has been met: ' . join ' ', sort keys %damage);
cmp_ok(scalar(grep { ($_->{encoding} // '') =~ /gzip/ } $proof->{server}->requests), '>', 20, 'gzip is asked for');
my %connections = map { ($_->{connection} => 1) } $proof->{server}->requests;
my $requests = () = $proof->{server}->requests;
cmp_ok(scalar keys %connections, '<', $requests, "connections are kept: $requests requests on " . keys %connections);

# --- again -------------------------------------------------------------------------------------------

$proof->{server}->damage_share(0);
my $stored = $proof->value('SELECT sum(stored) FROM import_run');
($code, $out, $err) = $proof->once;
is($code, 0, 'one round more: nothing is missing') or diag "$out$err";
is($proof->value('SELECT sum(stored) FROM import_run'), $stored, '... and nothing is stored');

# --- it can fail -------------------------------------------------------------------------------------

cluster()->execute($proof->{database}, "UPDATE disclosed.followed_document SET state = 'wanted' WHERE kind = '4' AND document_id = (SELECT min(document_id) FROM disclosed.followed_document WHERE kind = '4')");
like(join("\n", $proof->once_faults), qr/is wanted/, 'a document that is not stored is told');
cluster()->execute($proof->{database}, "UPDATE disclosed.filing SET title = 'x' WHERE row_id = (SELECT min(row_id) FROM disclosed.filing)");
like(join("\n", $proof->plain_faults), qr/^filing: 1 rows are missing, 1 are others/, 'a row that is another is told');
done_testing;

# What as_of says of the past is what was said then: a made story at three instants, everything that is served. The
# whole proof, with real files and more instants, is t/proofs/time-machine.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::PastInputs qw(load_all load_until);
use Disclosed::PastStory qw(story_inputs story_symbols story_reasons);
use Disclosed::Test 'without_cache';
use Disclosed::TimeMachine;

my @inputs = story_inputs();
my ($full, $grown) = map { site(template => 'empty') } 1 .. 2;
load_all($full, @inputs);
is(join("\n", map { "$_->{place}: $_->{reason}" } $full->rows('SELECT place, reason FROM import_reject')), '', 'all of the story is taken');
my $machine = Disclosed::TimeMachine->new(full => $full, grown => $grown, watched => [story_symbols()], reasons => [story_reasons()], most => 8, sources => 2);

# The machine notices an event that is joined by a ticker which was listed later.
sub notices_a_later_ticker
{
    my ($instant) = @_;
    my $reconcile = 'SELECT count(*) FROM disclosed.reconcile_events(ARRAY(SELECT issuer_id FROM disclosed.issuer))';
    my $joined = $full->value('SELECT count(*) FROM event_notice WHERE held_by IS NOT NULL');
    cmp_ok($joined, '>', 0, "$joined notices went to a company when it was listed");
    $full->execute("UPDATE disclosed.event_notice SET held_by = NULL, held_until = NULL; $reconcile");
    cmp_ok(scalar $machine->compare($instant, only => qr/^list_events\z/), '>', 0, 'that they did so before is noticed');
    $full->execute("SELECT count(*) FROM disclosed.note_notice_holders(ARRAY(SELECT issuer_id FROM disclosed.issuer), false); $reconcile");
    is(join('', map { $_->{text} } $machine->compare($instant, only => qr/^list_events\z/)), '', '... and that they did not, once it is mended');
    return;
}

my $since = '';
for my $instant (map { "${_}T12:00:00Z" } qw(2023-10-20 2024-08-25 2025-04-01)) {
    load_until($grown, $full, $since, $instant, @inputs);
    $since = $instant;
    is(join('', map { $_->{text} } $machine->compare($instant)), '', "as of $instant all is as it was then");
    notices_a_later_ticker($instant) if $instant lt '2024-09' && $instant gt '2024-08';
}
diag "$machine->{cells} cells of $machine->{rows} texts compared by $machine->{requests} requests";
diag "different $machine->{excused}{$_} times: $_" for sort keys $machine->{excused}->%*;
cmp_ok($machine->{cells}, '>=', 3000, 'and there was something to compare');

# The machine notices a number and a name that are others.
my %noticed = map { ($_ => 1) } qw(list_insider list_filings);
$full->execute("UPDATE disclosed.insider_transaction SET shares = 13 WHERE form = '4/A';"
    . " UPDATE disclosed.listing SET ticker = 'OTHR', record_key = 'OTHR:US' WHERE record_key = 'YNGG:US'");
delete $noticed{ $_->{operation} } for $machine->compare($since, only => qr/^list_(?:insider|filings)\z/);
is(join(' ', sort keys %noticed), '', 'what is made false is noticed');

finish();

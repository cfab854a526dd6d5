# Each form that disclosedctl follow handles, followed from the feed or an index to its rows, and as a plain import of the same files has it; and how the indexes prove that nothing
# is missing: what neither the feed nor the day's index has, and what is listed and not there.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build shared_data);
use Disclosed::FollowProof qw(followed_forms);
use Disclosed::MadeDay qw(documents_of);
use Disclosed::Process qw(slurp);
use Disclosed::ReplayServer;
use Disclosed::Shared qw(cluster control);
use Disclosed::Test;
use Time::HiRes qw(sleep);

if (!shared_data('edgar-submissions')) {
    diag 'NOT TESTED: a made day of real filings (DISCLOSED_SHARED)';
    plan skip_all => 'no real filings';
}
delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};

# The sources without what is held back: filings that an index has not, or that are listed and not there.
package HeldBack {
    our @ISA = 'Disclosed::ReplayPages';

    sub page
    {
        my ($self, $path, @more) = @_;
        return if grep { index($path, $_) >= 0 } $self->{not_there}->@*;
        my $page = $self->SUPER::page($path, @more) or return;
        return $page if $path !~ m{/daily-index/};
        my $text = $page->{bytes};
        $text =~ s/^[^\n]*\Q$_\E[^\n]*\n//mg for $self->{not_of_day}->@*;
        return { %$page, bytes => $text };
    }
}

my $proof = Disclosed::FollowProof->new(each => 4, every_form => 1, most => 50, lean => 1 << 20, seconds => 1, unlisted => 5, sources => ['sec-edgar']);
my @ours = grep { my $form = $_->{form}; scalar grep { $_ eq $form } followed_forms() } $proof->{filings}->@*;

# ---- all forms are there

my ($table) = slurp(build('SRCDIR') . '/mod_disclosed/follow/follow_table.c') =~ /\bedgar_kinds\[\] = \{(.*?)^\};/ms;
my @in_table = sort $table =~ /(?:\bFORM\(|\bREPORT\(|\.kind = )"([^"]+)"/g;
same_json(\@in_table, [followed_forms()], 'the forms that are handled');
my %of_day = map { ($_->{form} => 1) } @ours;
same_json([sort keys %of_day], \@in_table, '... are all among the filings of the day');

# ---- what is held back

my ($only_of_quarter, $not_there) = map { $_->{accession} } (grep { $proof->{pages}{unlisted}{ $_->{accession} } && $_->{form} =~ /^[348]/ } @ours)[0, 1];
ok($only_of_quarter && $not_there, 'filings that the feed does not show');
my ($listed) = grep { !$proof->{pages}{unlisted}{ $_->{accession} } && $_->{form} eq '4' } @ours;
my $real = $proof->{pages};

sub follow_once
{
    my (%held) = @_;
    $proof->{server}->stop;
    $proof->{server} = Disclosed::ReplayServer->start(pages => bless({ %$real, not_there => [], not_of_day => [], %held }, 'HeldBack'), seconds => 1);
    $proof->{server}->begin(1);
    $proof->hasten;
    return $proof->once;
}

sub value { my ($sql) = @_; return $proof->value($sql) }

my ($code, $out, $err) = follow_once(not_there => [$not_there, $listed->{accession}, 'full-index'], not_of_day => [$only_of_quarter]);
is($code, 1, 'a round in which two filings are not there, and the index of the quarter');
same_json([sort map { "$_->{identity} $_->{state} $_->{failure_kind} $_->{seen_in}" } $proof->rows('SELECT identity, state, failure_kind, seen_in FROM disclosed.followed_document WHERE failure_kind IS NOT NULL AND kind NOT IN (\'submissions\', \'companyfacts\')')],
    [sort "$not_there wanted absent daily-index", "$listed->{accession} wanted absent feed"], '... they are missing, with the reason, whichever list has them');
my (undef, $status) = control(cluster()->conninfo($proof->{database}), 'follow', '--status');
like($status, qr/^sec-edgar +\Q$_\E +absent +status 404\n +next at .*, after 1 attempts$/m, "... --status lists $_") for $not_there, $listed->{accession};
like($status, qr/^sec-edgar +full-index\S* .*absent +status 404/m, '... and the index');
is(value("SELECT count(*) FROM followed_document WHERE identity = '$only_of_quarter'"), 0, '... nobody knows of one that neither the feed nor the day has');

($code, $out, $err) = follow_once(not_there => [$not_there], not_of_day => [$only_of_quarter]);
is($code, 1, 'when the quarter is there, and one of the two') or diag $out, $err;
is(value("SELECT seen_in || ' ' || state FROM followed_document WHERE identity = '$only_of_quarter'"), 'full-index stored', '... it tells of that one');
is(value("SELECT state FROM followed_document WHERE identity = '$listed->{accession}'"), 'stored', '... what has come is stored');
is(value("SELECT state || ' ' || attempts FROM followed_document WHERE identity = '$not_there'"), 'wanted 2', '... and what has not is still missing');

($code, $out, $err) = follow_once();
is($code, 0, 'when all is there nothing is missing') or diag $out, $err;
is((control(cluster()->conninfo($proof->{database}), 'follow', '--status'))[1], '', '... --status has nothing');

# ---- what has become of each form

my %tables = (
    (map { ($_ => 'insider_transaction') } map { ($_, "$_/A") } 4, 5),
    (map { ($_ => 'insider_holding') } 3, '3/A'),
    (map { ($_ => 'institution_position') } '13F-HR', '13F-HR/A'),
    (map { ($_ => 'fund_holding') } 'NPORT-P', 'NPORT-P/A'),
    (map { ($_ => 'beneficial_owner') } map { ("SCHEDULE $_", "SCHEDULE $_/A") } '13D', '13G'),
    (map { ($_ => 'xbrl_report') } map { ($_, "$_/A") } qw(10-K 10-Q 20-F 40-F 6-K)),
);
for my $form (@in_table) {
    my @filings = grep { $_->{form} eq $form } @ours;
    my $numbers = join ', ', map { "'$_->{accession}'" } @filings;
    is(value("SELECT count(DISTINCT accession) FROM filing WHERE accession IN ($numbers) AND form = '$form' AND superseded_at IS NULL"), scalar @filings, "$form: the filing is stored");
    my @of_table = $tables{$form} ? $proof->rows("SELECT DISTINCT accession FROM disclosed.$tables{$form} WHERE accession IN ($numbers)") : ();
    cmp_ok(scalar @of_table, '>', 0, "... with rows of $tables{$form}") if $tables{$form};
    my @exhibits = map { my $filing = $_; map { "$filing->{accession} $_->{name}" } grep { $_->{type} =~ /^EX-99/ } documents_of($filing->{text})->@* } grep { $_->{form} =~ /^8-K/ } @filings;
    is(value("SELECT count(*) > 0 FROM filing_exhibit WHERE accession IN ($numbers)"), 't', '... and exhibits') if @exhibits;
}
same_json([$proof->once_faults], [], 'each is stored once');
same_json([$proof->plain_faults], [], 'and all is as after a plain import');

finish();

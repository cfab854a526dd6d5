# Short interest: by listing, so that share classes are told apart; what FINRA means by 999.99 and
# 100.00; positions that were revised; as of an instant.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::JSON ();

promises(
    list_short_interest => {
        parameters => [qw(symbol cursor limit fields direction as_of)],
        fields => [qw(settlement_date current_short_position previous_short_position? avg_daily_share_volume? days_to_cover?
            change_pct? stock_split provenance)],
    },
);
my $site = site();

sub path { my ($symbol, $query) = @_; return "/v1/companies/$symbol/short-interest" . ($query ? "?$query" : '') }

sub rows
{
    my ($symbol, $query) = @_;
    return json_of($site->get(path($symbol, $query)), "$symbol " . ($query // ''))->{data};
}

my @fields = qw(settlement_date current_short_position previous_short_position avg_daily_share_volume days_to_cover
    change_pct stock_split);

sub brief { my ($rows) = @_; return [map { my $row = $_; join ' ', map { $row->{$_} // '-' } @fields } @$rows] }

# What the table holds, by the columns that FINRA states: the derived ones are worked out here.
sub stored
{
    my ($symbol, $condition, $way) = @_;
    my @rows = $site->rows("SELECT settlement_date, current_short_position AS current, previous_short_position AS previous,
        avg_daily_share_volume AS volume, stated_days_to_cover AS days, stated_change_pct AS change
        FROM short_interest t WHERE spellings = '$symbol' AND $condition ORDER BY settlement_date $way, id $way");
    return [map { join ' ', $_->{settlement_date}, $_->{current} + 0, $_->{previous} + 0, $_->{volume} + 0,
            $_->{days} == 999.99 ? '-' : $_->{days} + 0, $_->{previous} == 0 ? '-' : $_->{change} + 0, 0 } @rows];
}

my $now = 'superseded_at IS NULL';

# --- one body, as it stands ------------------------------------------------------------------

my $body = $site->get(path('ZYLLUX-B', 'limit=1'))->body;
like($body, qr/\A\{"data":\[\{"settlement_date":"2026-09-15","current_short_position":1033017,"previous_short_position":846994,
    "avg_daily_share_volume":394525,"days_to_cover":2\.62,"change_pct":21\.96,"stock_split":false,
    "provenance":\{"src_id":"src_short_interest_[0-9a-f]{32}","source_provider":"fictional",
    "source_url":"https:\/\/demo\.example\/short-interest\/2026-09-15","accession":null,"quote":null,"content_hash":"sha256:[0-9a-f]{64}",
    "extracted_at":"2026-09-25T22:00:00Z"\}\}\],"pagination":\{"next_cursor":"[\w-]+","has_more":true\}\}\z/x, 'a whole answer');
my ($src_id) = $body =~ /"src_id":"(\w+)"/;
my $source = json_of($site->get("/v1/src/$src_id"), 'its source');
is($source->{record}{current_short_position}, 1033017, '... leads back to the record');

# --- listings --------------------------------------------------------------------------------

for my $symbol (qw(ZYLLUX:US ZYLLUX-B:US)) {
    my $expected = stored($symbol, $now, 'DESC');
    cmp_ok(scalar @$expected, '>', 100, "$symbol: " . @$expected . ' settlement dates');
    is_deeply(brief(rows($symbol, 'limit=500')), $expected, '... newest first');
    is_deeply(brief(rows($symbol, 'limit=500&direction=asc')), [reverse @$expected], '... oldest first');
    my ($walked, $cursor) = ([], undef);
    for (1 .. 60) {
        my $page = json_of($site->get(path($symbol, 'limit=7' . ($cursor ? "&cursor=$cursor" : ''))), "page $_");
        push @$walked, $page->{data}->@*;
        last if !($cursor = $page->{pagination}{next_cursor});
    }
    is_deeply(brief($walked), $expected, '... page by page');
}
is_deeply(brief(rows('zyllux', 'limit=3')), brief(rows('ZYLLUX:US', 'limit=3')), 'a bare ticker is its primary listing');
is(scalar rows('ZYLLUX')->@*, 50, '50 rows by default');
is(scalar json_of($site->get(path('ZYLLUX', 'limit=100'), key => 'free'), 'a free key')->{data}->@*, 25, '25 at most with a free key');
my $foreign = $site->value("SELECT l.symbol FROM listing l WHERE market <> 'US' AND superseded_at IS NULL AND EXISTS
    (SELECT 1 FROM short_interest s WHERE s.issuer_id = l.issuer_id) ORDER BY 1 LIMIT 1");
is_deeply(rows($foreign), [], "$foreign trades abroad: nothing is reported for it");
my $receipt = $site->value("SELECT symbol FROM listing WHERE is_adr AND superseded_at IS NULL AND issuer_id =
    (SELECT issuer_id FROM listing WHERE symbol = '$foreign' AND superseded_at IS NULL)");
cmp_ok(scalar rows($receipt)->@*, '>', 0, "... but for $receipt");

# --- what FINRA means ------------------------------------------------------------------------

my ($idle) = $site->rows("SELECT symbol, settlement_date FROM short_interest WHERE $now AND stated_days_to_cover = 999.99 ORDER BY id LIMIT 1");
my ($row) = grep { $_->{settlement_date} eq $idle->{settlement_date} } rows($idle->{symbol}, 'limit=500')->@*;
same_json([@$row{qw(avg_daily_share_volume days_to_cover)}], [0, undef], 'days to cover of 999.99 are not meaningful: null');
is($site->value("SELECT min(days_to_cover) FROM short_interest WHERE $now"), '1.00', 'and 1.00 at least');
my ($first) = $site->rows("SELECT symbol, settlement_date FROM short_interest WHERE $now AND previous_short_position = 0 ORDER BY id LIMIT 1");
($row) = grep { $_->{settlement_date} eq $first->{settlement_date} } rows($first->{symbol}, 'limit=500')->@*;
same_json([@$row{qw(previous_short_position change_pct)}], [0, undef], 'change from nothing: null');

# --- revised positions and instants ----------------------------------------------------------

my ($old) = $site->rows('SELECT symbol, settlement_date, current_short_position AS position, superseded_at, id FROM short_interest
    WHERE superseded_at > known_at ORDER BY id LIMIT 1');
my ($new) = $site->rows("SELECT current_short_position AS position FROM short_interest WHERE id = $old->{id} AND $now");
my $at = sub {
    my ($time) = @_;
    my ($hit) = grep { $_->{settlement_date} eq $old->{settlement_date} } rows($old->{symbol}, "limit=500&as_of=$time")->@*;
    return $hit && $hit->{current_short_position};
};
my $revised = $old->{superseded_at} =~ s/\+00:00$/Z/r;
cmp_ok($new->{position}, '!=', $old->{position}, "$old->{symbol} on $old->{settlement_date}: revised");
is($at->('2026-12-31'), $new->{position}, '... the revised position now');
is($at->($revised), $new->{position}, '... from when the next cycle was published');
is($at->($revised =~ s/T22:00:00/T21:59:59/r), $old->{position}, '... and the first one until then');
($row) = grep { $_->{settlement_date} gt $old->{settlement_date} } rows($old->{symbol}, 'limit=500&direction=asc')->@*;
is($row->{previous_short_position}, $new->{position}, '... which the row of the next cycle says as well');
for my $time ('2022-06-01', '2024-01-25T21:59:59Z', '2024-01-25T22:00:00Z') {
    is_deeply(brief(rows('ZYLLUX', "limit=500&as_of=$time")),
        stored('ZYLLUX:US', "known_at <= '$time' AND (superseded_at IS NULL OR superseded_at > '$time')", 'DESC'), "as of $time");
}
is($site->get(path('ZYLLUX', 'as_of=2000-01-01'))->status, 404, 'in 2000 nothing was listed under it');

# --- what is refused -------------------------------------------------------------------------

problem_is($site->get(path('NOBODY')), 404, 'nobody', instance => path('NOBODY'), detail => not_found_company('NOBODY'));
faults_is($site->get(path('ZYLLUX', 'limit=0&direction=up')), [
    fault('greater_than_equal', ['query', 'limit'], 'Input should be greater than or equal to 1', '0', '{"ge":1}'),
    fault('literal_error', ['query', 'direction'], "Input should be 'asc' or 'desc'", 'up', q({"expected":"'asc' or 'desc'"})),
], 'limit and direction');

# --- two names of one security ------------------------------------------------------------------

# Both stand under the symbol that a listing names later: one moves to the company, the other stays.
my %from = (provenance => { source_provider => 'finra' });
my $lines = sub { return join '', map { Disclosed::JSON->new->encode($_) . "\n" } @_ };
my %short = (dataset => 'short_interest', symbol_code => 'QQZZ', settlement_date => '2026-08-31', %from);
$site->write('parties.ndjson', $lines->({ %short, party => 'symbol/QQZZ', current_short_position => 1 }, { %short, party => 'symbol/QQZZ QQ-ZZ', current_short_position => 2 }));
is(($site->control('import', 'ndjson', "$site->{root}/parties.ndjson"))[0], 0, 'a security under two names');
$site->write('listing.ndjson', $lines->({ dataset => 'listing', cik => 7654321, ticker => 'QQZZ', market => 'US', name => 'Quilled Zithers', status => 'active', listed_on => '2026-01-02', %from }));
my ($adopted, $told, $trouble) = $site->control('import', 'ndjson', "$site->{root}/listing.ndjson");
is($adopted, 0, '... and then a listing that names it') or diag $told, $trouble;
is($site->value('SELECT count(*) FROM disclosed.short_interest s JOIN disclosed.issuer i USING (issuer_id) WHERE i.cik = 7654321'), 1, 'one of both goes to the company');
is($site->value("SELECT count(*) FROM disclosed.short_interest WHERE symbol_code = 'QQZZ'"), 2, 'none is lost');

# --- days to cover that nobody states -------------------------------------------------------------

my $unstated = sub { my ($day, %more) = @_; return { %short, party => 'symbol/QQDC', symbol_code => 'QQDC', settlement_date => $day, %more } };
$site->write('days.ndjson', $lines->($unstated->('2026-05-15', current_short_position => 100, avg_daily_share_volume => 1000),
    $unstated->('2026-05-29', current_short_position => 900_000, avg_daily_share_volume => 1), $unstated->('2026-06-15', current_short_position => 999_984, avg_daily_share_volume => 1000),
    $unstated->('2026-06-30', current_short_position => 999_990, avg_daily_share_volume => 1000), $unstated->('2026-07-15', current_short_position => 100, avg_daily_share_volume => 0),
    $unstated->('2026-07-31', current_short_position => 100), $unstated->('2026-08-14', current_short_position => 250, avg_daily_share_volume => 100)));
is(($site->control('import', 'ndjson', "$site->{root}/days.ndjson"))[0], 0, 'rows without days to cover');
is($site->value("SELECT string_agg(coalesce(days_to_cover::text, '-'), ' ' ORDER BY settlement_date) FROM disclosed.short_interest WHERE symbol_code = 'QQDC'"), '1.00 - 999.98 - - - 2.50', '... have FINRA\'s bounds');

finish();

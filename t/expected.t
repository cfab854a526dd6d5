# Rows are stored with what settling is expected to write into them: mostly it is right, so that they need not be written again, and
# where it is wrong or missing settling has the last word.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::MadeFiles qw(made_senate);
use Disclosed::Shared qw(cluster control database fresh workspace);
use Disclosed::Process qw(wait_until);
use Disclosed::Test;

my %expected = (
    short_interest   => 'symbol',
    corporate_action => 'symbol',
    congress_trade   => 'company_id, symbol',
    fund_holding     => 'company_id, symbol',
);

# The demo data, loaded with these functions in the place of the migrations'.
sub loaded
{
    my (@functions) = @_;
    my $database = database('empty');
    cluster()->execute($database, "SET search_path = disclosed, public; $_") for @functions;
    my ($code, $out) = control(cluster()->conninfo($database), 'demo', '--companies', 40, '--texts', 0, '--quiet');
    is($code, 0, 'demo') or diag $out;
    return $database;
}

# What a table says: issuers by their names, since numbers may differ.
sub told
{
    my ($database, $table) = @_;
    return join "\n", map { $_->{line} } cluster()->rows($database, "SELECT concat_ws(' | ', coalesce(i.cik::text, i.party_key), t.record_key, t.known_at,
        t.superseded_at, t.symbol, t.src_digest" . ($expected{$table} =~ /company_id/ ? ', c.cik' : '') . ") AS line
        FROM disclosed.$table t JOIN disclosed.issuer i USING (issuer_id)" . ($expected{$table} =~ /company_id/ ? ' LEFT JOIN disclosed.issuer c ON c.issuer_id = t.company_id' : '')
        . ' ORDER BY 1');
}

# The first lines that differ.
sub difference
{
    my ($one, $other) = map { [split /\n/] } @_;
    my ($line) = grep { ($one->[$_] // '') ne ($other->[$_] // '') } 0 .. ($#$one > $#$other ? $#$one : $#$other);
    return defined $line ? "$one->[$line]\n$other->[$line]" : '';
}

# How many of a table's rows have been written again, in percent.
sub rewritten
{
    my ($database, $table) = @_;
    my $percent;
    wait_until(10, sub {
        ($percent) = map { $_->{inserted} ? 100 * $_->{updated} / $_->{inserted} : undef } cluster()->rows($database,
            "SELECT n_tup_upd AS updated, n_tup_ins AS inserted FROM pg_stat_user_tables WHERE schemaname = 'disclosed' AND relname = '$table'");
        return defined $percent;
    });
    return $percent;
}

my $database = loaded();
my %plain = map { $_ => told($database, $_) } keys %expected;
cmp_ok(scalar(split /\n/, $plain{$_}), '>', 50, "$_: rows") for sort keys %expected;
like($plain{$_}, qr/ \| [A-Z]+:US \| /, "$_: with symbols") for sort keys %expected;
cmp_ok(rewritten($database, $_), '<', 12, "$_: few are written again") for sort keys %expected;

my @returns = map { "RETURNS TABLE (row_order bigint, superseded_at timestamptz$_)" } ', symbol text', ', company_id bigint, symbol text';
my $trades = 'RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text, seen_at timestamptz, sources jsonb)';
my $no_trades = "CREATE OR REPLACE FUNCTION expected_congress_trades() $trades LANGUAGE sql AS
    'SELECT NULL::bigint, NULL::timestamptz, NULL::bigint, NULL::text, NULL::timestamptz, NULL::jsonb WHERE false'";
my $silent = loaded(
    "CREATE OR REPLACE FUNCTION expected_symbols(dataset text) $returns[0] LANGUAGE sql AS 'SELECT NULL::bigint, NULL::timestamptz, NULL WHERE false'",
    $no_trades, "CREATE OR REPLACE FUNCTION expected_fund_companies() $returns[1] LANGUAGE sql AS 'SELECT NULL::bigint, NULL::timestamptz, NULL::bigint, NULL WHERE false'");
is(difference(told($silent, $_), $plain{$_}), '', "$_: nothing expected, and the same rows") for sort keys %expected;
cmp_ok(rewritten($silent, $_), '>', 40, "$_: many are written again then") for sort keys %expected;

my $wrong = loaded(
    "CREATE OR REPLACE FUNCTION expected_symbols(dataset text) $returns[0] LANGUAGE plpgsql AS
     \$\$ BEGIN RETURN QUERY EXECUTE format('SELECT row_order, NULL::timestamptz, ''WRONG:US'' FROM pg_temp.%I', 'stage_' || dataset); END \$\$",
    "CREATE OR REPLACE FUNCTION expected_congress_trades() $trades LANGUAGE plpgsql AS
     \$\$ BEGIN RETURN QUERY SELECT s.row_order, NULL::timestamptz, (SELECT max(issuer_id) FROM disclosed.issuer), 'WRONG:US', NULL::timestamptz, NULL::jsonb
        FROM pg_temp.stage_congress_trade s WHERE s.ticker IS NOT NULL; END \$\$",
    "CREATE OR REPLACE FUNCTION expected_fund_companies() $returns[1] LANGUAGE plpgsql AS
     \$\$ BEGIN RETURN QUERY SELECT s.row_order, s.known_at + interval '1 s', (SELECT max(issuer_id) FROM disclosed.issuer), 'WRONG:US' FROM pg_temp.stage_fund_holding s
        WHERE s.asset_category IN ('EC', 'EP'); END \$\$");
is(difference(told($wrong, $_), $plain{$_}), '', "$_: expected wrongly, and the same rows") for sort keys %expected;

# Files of trades: which of them said a trade, and when it was seen first, is stored with the row. Two files that overlap, each loaded
# with what is expected and with nothing.
my $folder = workspace() . '/' . fresh('trades');
mkdir $_ or die "$_: $!" for $folder, map { "$folder/$_" } 1, 2;
my @files = map { made_senate("$folder/$_", 150 + 50 * $_) } 1, 2;
my (%seen, %written);
for my $kind (qw(expected nothing)) {
    my $one = database('empty');
    cluster()->execute($one, "SET search_path = disclosed, public; $no_trades") if $kind eq 'nothing';
    my $known = 29;
    for my $file (@files) {
        my ($code, $out, $err) = control(cluster()->conninfo($one), 'import', 'senate-ptr', '--known-at', '2026-06-' . $known++, $file);
        is($code, 0, "$kind: $file") or diag $out, $err;
        $written{$kind} //= rewritten($one, 'congress_trade');
    }
    $seen{$kind} = join "\n", map { $_->{line} } cluster()->rows($one, 'SELECT concat_ws(\' | \', i.party_key, t.record_key, t.known_at, t.superseded_at,
        t.seen_at, t.sources, t.source_url, t.content_hash, t.src_digest) AS line FROM disclosed.congress_trade_sourced t JOIN disclosed.issuer i USING (issuer_id) ORDER BY 1');
}
cmp_ok(scalar(() = $seen{expected} =~ /"content_hash"/g), '>=', 250, 'trades with their files');
is(difference($seen{expected}, $seen{nothing}), '', 'files: with what is expected and without, the same rows');
cmp_ok($written{expected}, '<', 5, 'none is written again');
cmp_ok($written{nothing}, '>', 90, 'all are, where nothing is expected');

done_testing;

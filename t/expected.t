# Rows are stored with what settling is expected to write into them: mostly it is right, so that they need not be written again, and
# where it is wrong or missing settling has the last word.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Shared qw(cluster control database);
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
my $silent = loaded(
    "CREATE OR REPLACE FUNCTION expected_symbols(dataset text) $returns[0] LANGUAGE sql AS 'SELECT NULL::bigint, NULL::timestamptz, NULL WHERE false'",
    map { "CREATE OR REPLACE FUNCTION $_() $returns[1] LANGUAGE sql AS 'SELECT NULL::bigint, NULL::timestamptz, NULL::bigint, NULL WHERE false'" } qw(expected_congress_companies expected_fund_companies));
is(difference(told($silent, $_), $plain{$_}), '', "$_: nothing expected, and the same rows") for sort keys %expected;
cmp_ok(rewritten($silent, $_), '>', 40, "$_: many are written again then") for sort keys %expected;

my $wrong = loaded(
    "CREATE OR REPLACE FUNCTION expected_symbols(dataset text) $returns[0] LANGUAGE plpgsql AS
     \$\$ BEGIN RETURN QUERY EXECUTE format('SELECT row_order, NULL::timestamptz, ''WRONG:US'' FROM pg_temp.%I', 'stage_' || dataset); END \$\$",
    "CREATE OR REPLACE FUNCTION expected_congress_companies() $returns[1] LANGUAGE plpgsql AS
     \$\$ BEGIN RETURN QUERY SELECT s.row_order, NULL::timestamptz, (SELECT max(issuer_id) FROM disclosed.issuer), 'WRONG:US' FROM pg_temp.stage_congress_trade s WHERE s.ticker IS NOT NULL; END \$\$",
    "CREATE OR REPLACE FUNCTION expected_fund_companies() $returns[1] LANGUAGE plpgsql AS
     \$\$ BEGIN RETURN QUERY SELECT s.row_order, s.known_at + interval '1 s', (SELECT max(issuer_id) FROM disclosed.issuer), 'WRONG:US' FROM pg_temp.stage_fund_holding s
        WHERE s.asset_category IN ('EC', 'EP'); END \$\$");
is(difference(told($wrong, $_), $plain{$_}), '', "$_: expected wrongly, and the same rows") for sort keys %expected;

done_testing;

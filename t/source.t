# Provenance: every src_id that an answer carries resolves to its record, and leads to its source.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

promises(
    get_source => {
        parameters => [qw(src_id redirect as_of)],
        fields => [qw(src_id dataset digest resolvable gap? provenance record?)],
    },
);
my $site = site();
my ($release) = $site->rows('SELECT accession FROM filing_exhibit WHERE superseded_at IS NULL ORDER BY accession LIMIT 1');

# Records by the dataset that their src_id names.
my $insider  = json_of($site->get('/v1/insider?limit=3&transaction_types=S'), 'insider')->{data};
my $filings  = json_of($site->get('/v1/filings?limit=3'), 'filings')->{data};
my $exhibits = json_of($site->get("/v1/filings/$release->{accession}/exhibits"), 'exhibits')->{exhibits};
my $people   = json_of($site->get('/v1/companies/ZEMRUZ/executives?limit=3'), 'people')->{data};
my $company  = json_of($site->get('/v1/companies/ZEMRUZ'), 'company');
my @records  = ((map { ['insider', $_, $_->{provenance}] } @$insider), (map { ['filing', $_, $_->{provenance}] } @$filings),
    (map { ['exhibit', $_, $_->{provenance}] } @$exhibits), (map { ['executive', $_, $_->{provenance}] } @$people),
    ['company', undef, $company->{description_provenance}]);
cmp_ok(scalar @records, '>=', 11, 'there are records to look at');

for my $case (@records) {
    my ($dataset, $record, $provenance) = @$case;
    my $id = $provenance->{src_id};
    like($id, qr/^src_${dataset}_[0-9a-f]{32}\z/, "$id has the form of $dataset");
    my $source = json_of($site->get("/v1/src/$id"), '... resolves');
    my ($digest) = $id =~ /([0-9a-f]{32})\z/;
    same_json([@$source{qw(src_id dataset digest resolvable gap)}], [$id, $dataset, $digest, JSON::PP::true, undef], '... as itself');
    same_json($source->{provenance}, $provenance, '... with its provenance');
    same_json($source->{record}, $record, '... and the record as lists show it') if $record;
    my $redirect = $site->get("/v1/src/$id?redirect=true");
    status_is($redirect, 302, '... and leads');
    is($redirect->header('location'), $provenance->{source_url}, '... to its source');
    is($site->get("/v1/src/$id?redirect=false")->body, $site->get("/v1/src/$id")->body, '... unless it is not asked to');
}
is($company->{name}, json_of($site->get("/v1/src/$company->{description_provenance}{src_id}"), 'company')->{record}{name}, "a company's record names it");

# Every row of every dataset has an id of its own that leads back to it.
for my $table (qw(issuer_profile listing executive filing filing_exhibit filing_text insider_transaction insider_holding)) {
    is($site->value("SELECT count(*) FROM (SELECT src_digest FROM $table WHERE superseded_at IS NULL GROUP BY 1 HAVING count(*) > 1) x"), 0,
        "$table: no two records have the same src_id");
    my ($row) = $site->rows("SELECT id, src_digest FROM $table WHERE superseded_at IS NULL ORDER BY id LIMIT 1");
    my %names = (issuer_profile => 'company', filing_exhibit => 'exhibit', insider_transaction => 'insider');
    my $id = 'src_' . ($names{$table} // $table) . '_' . $row->{src_digest} =~ s/-//gr;
    is(json_of($site->get("/v1/src/$id"), $id)->{resolvable}, JSON::PP::true, '... and it resolves');
}

# --- ids that resolve to nothing -------------------------------------------------------------

my $nothing = '0' x 32;
for my $case (['insider', 'No record with this digest is in the dataset at that time.'], ['nonsense', 'This service has no dataset of that name.']) {
    my ($dataset, $gap) = @$case;
    my $id = "src_${dataset}_$nothing";
    same_json(json_of($site->get("/v1/src/$id"), $id),
        { src_id => $id, dataset => $dataset, digest => $nothing, resolvable => JSON::PP::false, gap => $gap }, '... does not resolve, and says why');
    is($site->get("/v1/src/$id?redirect=true")->status, 200, '... and leads nowhere');
}
for my $id ('x', 'src_', "src_$nothing", 'src_insider_' . '0' x 31, 'src_insider_' . 'g' x 32, 'src_insider_' . 'A' x 32, 'SRC_insider_' . $nothing) {
    problem_is($site->get("/v1/src/$id"), 404, "$id is no src_id", instance => "/v1/src/$id",
        detail => "\"$id\" is not a source id: src_<dataset>_<32 hex digits>.");
}

# --- addresses that are none -----------------------------------------------------------------

my $id = $insider->[0]{provenance}{src_id};
for my $url ('NULL', "'javascript:alert(1)'", "'disclosed://internal'", "''") {
    $site->execute("UPDATE disclosed.insider_transaction SET source_id = disclosed.source_of('sec', $url, NULL, NULL, NULL)
        WHERE src_digest = '" . substr($id, -32) . "'");
    is($site->get("/v1/src/$id?redirect=true")->status, 404, "nobody is sent to $url");
    is($site->get("/v1/src/$id")->status, 200, '... but the record is shown');
}

# --- as of -----------------------------------------------------------------------------------

my ($amended) = $site->rows("SELECT src_digest, known_at, superseded_at FROM insider_transaction t WHERE superseded_at > known_at
    AND NOT EXISTS (SELECT 1 FROM insider_transaction n WHERE n.src_digest = t.src_digest AND n.superseded_at IS NULL) ORDER BY id LIMIT 1");
my $path = '/v1/src/src_insider_' . $amended->{src_digest} =~ s/-//gr;
my $known = $amended->{known_at} =~ s/\+00:00$/Z/r;
is(json_of($site->get($path), 'now')->{resolvable}, JSON::PP::false, 'what an amendment replaced does not resolve now');
is(json_of($site->get("$path?as_of=$known"), 'then')->{resolvable}, JSON::PP::true, 'but as of when it stood');

# Views of rows with their sources have all columns of their tables: a migration that adds one makes the view anew.
my @lacking = map { "$_->{table_name}.$_->{column_name}" } $site->rows("SELECT t.table_name, t.column_name FROM information_schema.columns t JOIN pg_views v ON v.schemaname = 'disclosed' AND v.viewname = t.table_name || '_sourced'
    WHERE t.table_schema = 'disclosed' AND NOT EXISTS (SELECT 1 FROM information_schema.columns c WHERE c.table_schema = 'disclosed' AND c.table_name = t.table_name || '_sourced' AND c.column_name = t.column_name)");
is("@lacking", '', 'every column of a table is in its view with sources');
cmp_ok($site->value("SELECT count(*) FROM pg_views WHERE schemaname = 'disclosed' AND viewname LIKE '%_sourced'"), '>', 20, '... of many tables');

finish();

# NDJSON: the schemas that disclosedctl prints, a line of every dataset on its way to the API, and
# lines that are refused with their place and reason.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Schema qw(schema_faults);

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;

# --- schemas ---------------------------------------------------------------------------------

my ($code, $out) = $site->control('schema', '--json');
is($code, 0, 'schema --json');
my $schemas = $json->decode($out);
my @datasets = sort map { /^(\w+)/ ? $1 : () } split /\n/, ($site->control('schema'))[1];
cmp_ok(scalar @datasets, '>=', 8, 'datasets: ' . @datasets);
is_deeply([sort keys %$schemas], \@datasets, 'a schema for every dataset');
for my $dataset (@datasets) {
    my ($text) = ($site->control('schema', $dataset))[1];
    same_json($json->decode($text), $schemas->{$dataset}, "schema $dataset prints the same");
    is($schemas->{$dataset}{'$schema'}, 'https://json-schema.org/draft/2020-12/schema', '... JSON Schema 2020-12');
}
is(($site->control('schema', 'nonsense'))[0], 2, 'an unknown dataset');

# --- a line of every dataset -----------------------------------------------------------------

my %from = (provenance => { source_provider => 'issuer_page', source_url => 'https://issuer.example/x', quote => 'as written' });
my $accession = '0001234567-24-000001';
my %filed = (provenance => { source_provider => 'sec', source_url => "https://www.sec.gov/$accession", accession => $accession });
my $body = "Start. Item 1 text \x{20ac} here. End.";
my @lines = (
    { dataset => 'company', cik => 1234567, known_at => '2020-01-02', %from, name => 'Example Corp', sic => '3571', sic_description => 'ELECTRONIC COMPUTERS',
        country => 'US', website => 'https://issuer.example', employee_count => 12345, description => "Makes \"things\" \\ \x{1f4b9}" },
    { dataset => 'listing', cik => '1234567', known_at => '2020-01-02T00:00:00Z', %from, ticker => 'EXMP', market => 'US', name => 'Example Corp',
        status => 'active', listing_exchange => 'Nasdaq', isin => 'US0378331005', figi => 'BBG000B9XRY4', listed_on => '2020-01-02' },
    { dataset => 'executive', symbol => 'EXMP:US', %from, name => 'Roe Richard', role => 'Chief Executive Officer', category => 'executives',
        person_rank => 1, is_current => JSON::PP::true, reported_on => '2024-02-01', known_at => '2024-02-01' },
    { dataset => 'filing', symbol => 'EXMP', known_at => '2024-02-01T21:30:00Z', %filed, form => '8-K', filed_on => '2024-02-01',
        accepted_at => '2024-02-01T16:30:00-05:00', period_of_report => '2024-01-31', title => 'Current report', items => ['2.02', '9.01'] },
    { dataset => 'exhibit', cik => 1234567, %filed, exhibit_type => 'EX-99.1', sequence => 2, published_at => '2024-02-01T21:30:00Z',
        text => "Results\n\"record\"\ttab" },
    { dataset => 'filing_text', cik => 1234567, %filed, form => '8-K', published_at => '2024-02-01T21:30:00Z', text => $body,
        sections => [{ key => 'item_1', title => 'Item 1', char_start => 7, char_end => 26 }] },
    { dataset => 'insider', cik => 1234567, %filed, record_key => 'a/1', known_at => '2024-02-03T01:00:00Z', form => '4', insider_name => 'Roe Richard',
        relationship => 'Director', is_derivative => JSON::PP::false, transaction_code => 'S', transaction_type => 'sale', acquired_disposed => 'D',
        shares => '1000.5', price => '12.3400', value => '12346.17', shares_owned_after => 0, transaction_date => '2024-02-01', filing_date => '2024-02-02',
        joint_owners => ['Doe "J" Jane', 'a,b{}\\'] },
    { dataset => 'insider_holding', cik => 1234567, %filed, record_key => 'a/2', form => '3', insider_name => 'Roe Richard', relationship => 'Director',
        is_derivative => JSON::PP::false, shares_owned => '5', filing_date => '2024-02-02' },
);
for my $line (@lines) {
    is_deeply([schema_faults($line, $schemas->{ $line->{dataset} }, $schemas)], [], "the line of $line->{dataset} fits its schema");
}

# Imports lines; returns exit code, summary, output.
sub import_lines
{
    my ($lines, @options) = @_;
    my $path = $site->write('lines.ndjson', join '', map { (ref $_ ? $json->encode($_) : $_) . "\n" } @$lines);
    my ($exit, $text, $errors) = $site->control('import', 'ndjson', '--json', @options, $path);
    my $summary = eval { $json->decode($text) } // {};
    return ($exit, $summary, $text . $errors);
}

my @accounts = qw(read stored unchanged superseded rejected);
sub accounts { my ($summary) = @_; return join ' ', map { "$_=" . ($summary->{$_} // '?') } @accounts }

# A line that names its issuer by a symbol needs a listing that is there already.
my ($exit, $summary, $text) = import_lines([@lines[0, 1]]);
is($exit, 0, 'company and listing are imported') or diag $text;
is(accounts($summary), 'read=2 stored=2 unchanged=0 superseded=0 rejected=0', 'accounts');
($exit, $summary, $text) = import_lines(\@lines);
is($exit, 0, 'all are imported') or diag $text;
is(accounts($summary), 'read=8 stored=6 unchanged=2 superseded=0 rejected=0', 'accounts');
my $versions = $site->value('SELECT string_agg(dataset || version, $$,$$ ORDER BY dataset) FROM dataset_stat');
($exit, $summary) = import_lines(\@lines);
is(accounts($summary), 'read=8 stored=0 unchanged=8 superseded=0 rejected=0', 'a second time nothing changes');
is($site->value('SELECT string_agg(dataset || version, $$,$$ ORDER BY dataset) FROM dataset_stat'), $versions, 'nor does any version');

my $company = json_of($site->get('/v1/companies/EXMP'), 'the company');
same_json([@$company{qw(symbol name cik isin website employee_count description sector)}],
    ['EXMP:US', 'Example Corp', '0001234567', 'US0378331005', 'https://issuer.example', 12345, "Makes \"things\" \\ \x{1f4b9}", 'Manufacturing'], 'is served');
same_json($company->{description_provenance}{quote}, 'as written', '... with its provenance');
my @bare = ({ dataset => 'company', cik => 1234599, name => 'Bare Corp', known_at => '2024-01-02', provenance => { source_provider => 'issuer_page' } },
    { dataset => 'listing', cik => 1234599, ticker => 'BARE', market => 'US', name => 'Bare Corp', known_at => '2024-01-02', status => 'active', provenance => { source_provider => 'issuer_page' } });
($exit, $summary, $text) = import_lines(\@bare);
is($exit, 0, 'a company without a description') or diag $text;
my $plain = json_of($site->get('/v1/companies/BARE'), 'is served');
same_json([@$plain{qw(description description_provenance)}], [undef, undef], '... and has no provenance of one');
is(json_of($site->get('/v1/companies/EXMP/executives'), 'people')->{data}[0]{name}, 'Roe Richard', 'so are people');
my $filing = json_of($site->get("/v1/filings/$accession?section_text=item_1"), 'the filing');
same_json([@$filing{qw(form accepted_at filed_at filed_on items period_of_report)}, $filing->{sections}[0]{text}],
    ['8-K', '2024-02-01T21:30:00Z', '2024-02-01T21:30:00Z', '2024-02-01', ['2.02', '9.01'], '2024-01-31', substr $body, 7, 19], 'so is the filing');
is(json_of($site->get("/v1/filings/$accession/exhibits"), 'exhibits')->{exhibits}[0]{text}, "Results\n\"record\"\ttab", 'and its exhibit');
my $insider = $site->get('/v1/companies/EXMP/insider');
like($insider->body, qr/"shares":1000\.5,"price":\{"raw":12\.34,.*"value":\{"raw":12346\.17,.*"shares_owned_after":0,/, 'and the transaction, exact');
same_json($insider->json->{data}[0]{insider}{joint_owners}, ['Doe "J" Jane', 'a,b{}\\'], '... with names of any letters');

# A later version of a line supersedes; an earlier one takes its place in time.
my %renamed = ($lines[0]->%*, name => 'Example Holdings', known_at => '2022-01-02');
($exit, $summary) = import_lines([\%renamed]);
is(accounts($summary), 'read=1 stored=1 unchanged=0 superseded=1 rejected=0', 'a later version supersedes');
($exit, $summary) = import_lines([{ %renamed, name => 'Example Start', known_at => '2021-01-02' }]);
is($summary->{stored}, 1, 'one in between is stored');
is(json_of($site->get("/v1/companies/EXMP$_->[0]"), "name $_->[0]")->{name}, $_->[1], "... $_->[1]")
    for ['', 'Example Holdings'], ['?as_of=2021-06-01', 'Example Start'], ['?as_of=2020-06-01', 'Example Corp'];

# A ticker goes from one company to another: from then on it means the other one, and both are brought up to date.
my @movers = map { my ($cik, $name, $day) = @$_; (
    { dataset => 'company', cik => $cik, known_at => '2020-01-02', %from, name => $name },
    { dataset => 'listing', cik => $cik, known_at => $day, %from, ticker => 'MOVE', market => 'US', name => $name, status => 'active' },
) } [1234000, 'First Mover', '2020-01-02'], [1234999, 'Second Mover', '2022-01-03'];
my $first_mover = "(SELECT issuer_id FROM disclosed.issuer WHERE cik = 1234000)";
($exit, $summary, $text) = import_lines([@movers[0, 1]]);
is(accounts($summary), 'read=2 stored=2 unchanged=0 superseded=0 rejected=0', 'a company with a ticker') or diag $text;
is(json_of($site->get('/v1/companies/MOVE'), 'its symbol')->{name}, 'First Mover', '... is found by it');
is($site->value("SELECT count(*) FROM dataset_issuer_stat WHERE dataset = 'listing' AND issuer_id = $first_mover AND record_count > 0"), 1, '... its listing is counted');
($exit, $summary, $text) = import_lines([@movers[2, 3]]);
is(accounts($summary), 'read=2 stored=2 unchanged=0 superseded=1 rejected=0', 'another one gets the ticker') or diag $text;
is(json_of($site->get('/v1/companies/MOVE'), 'the symbol')->{name}, 'Second Mover', '... and is found by it');
is(json_of($site->get('/v1/companies/MOVE?as_of=2021-01-01'), 'the symbol then')->{name}, 'First Mover', '... as the first was before');
same_json([$site->rows('SELECT cik, symbol FROM issuer WHERE cik IN (1234000, 1234999) ORDER BY cik')],
    [{ cik => 1234000, symbol => undef }, { cik => 1234999, symbol => 'MOVE:US' }], '... the first has it no more');
is($site->value("SELECT coalesce(sum(record_count), 0) FROM dataset_issuer_stat WHERE dataset = 'listing' AND issuer_id = $first_mover"), 0, '... nor is a listing counted for it');
for my $symbol ('MOVE', 'MOVE:US') {
    my ($name) = "Roe $symbol" =~ s/:/ /r;
    import_lines([{ $lines[2]->%*, symbol => $symbol, name => $name }]);
    is($site->value("SELECT i.cik FROM executive e JOIN issuer i USING (issuer_id) WHERE e.name = '$name'"), 1234999, "a line's symbol $symbol means the second");
}

($exit, $summary, $text) = import_lines([{ $movers[1]->%*, known_at => '2023-01-03' }]);
is(accounts($summary), 'read=1 stored=1 unchanged=0 superseded=1 rejected=0', 'the first gets the ticker back, with what was said of it before') or diag $text;
is(json_of($site->get("/v1/companies/MOVE$_->[0]"), "the symbol $_->[0]")->{name}, "$_->[1] Mover", "... $_->[1]") for ['', 'First'], ['?as_of=2022-06-01', 'Second'];

# --- lines that are refused ------------------------------------------------------------------

my %good = $lines[6]->%*;
my $with = sub { my (%change) = @_; return { %good, record_key => 'x', %change } };
my @bad = (
    ['{', qr/./],                                         ['[]', qr/./],                      ['"x"', qr/./],
    ["{\"dataset\":\"insider\",\"x\":\"\x01\"}", qr/./],   ['{}', qr/dataset: is required/],    ["{\"dataset\":\"filing\"}\xff", qr/./],
    [$with->(dataset => 'nonsense'), qr/dataset: no such dataset/],
    [$with->(unknown => 1),          qr/unknown: no such member/],
    [$with->(provenance => { source_provider => 'sec', x => 1 }), qr/provenance\.x: no such member/],
    [$with->(provenance => { source_provider => 'nobody' }), qr/nobody|source_provider/],
    [$with->(shares => 'many'),      qr/shares/],         [$with->(shares => 'NaN'), qr/shares/],
    [$with->(filing_date => '2024-02-30'), qr/filing_date/], [$with->(filing_date => undef), qr/filing_date/],
    [$with->(transaction_code => 'Q'), qr/transaction_code/], [$with->(is_derivative => 'yes'), qr/is_derivative: not a boolean/],
    [$with->(joint_owners => 'x'),   qr/joint_owners: not an array/], [$with->(joint_owners => [1]), qr/joint_owners/],
    [$with->(insider_name => "a\0b"), qr/./],             [$with->(record_key => undef), qr/record_key/],
    [$with->(record_key => 'k' x 1001), qr/record_key: longer than 1000 bytes/],
    [$with->(cik => '99999999999'),  qr/cik/],            [$with->(cik => 'x'), qr/cik/],
    [$with->(cik => '0'), qr/cik: not a CIK/],            [$with->(cik => '0000000000'), qr/cik: not a CIK/],
    [do { my $line = $with->(symbol => 'NOBODY'); delete $line->{cik}; $line }, qr/NOBODY|symbol/],
    [$with->(known_at => 'yesterday'), qr/known_at/],     [$with->(insider_name => 5), qr/insider_name: not a string/],
    [$with->(filing_date => '99999-01-01'), qr/filing_date/], [$with->(owner_cik => '9223372036854775808'), qr/owner_cik/],
    (map { [$with->(provenance => { source_provider => 'sec', content_hash => $_ }), qr/content_hash: not sha256: and 64 hexadecimal digits/] }
        'sha256:' . 'a' x 63, 'sha256:' . 'a' x 65, 'sha256:' . 'a' x 64 . 'g', 'sha256:' . 'A' x 64, 'a' x 71, ''),
    [$with->(footnotes => [{ id => 5 }]), qr/footnotes/], [$with->(filing_date => '2034-01-01'), qr/filing_date/],
    (map { [$with->(provenance => { source_provider => 'sec', accession => $_ }), qr/accession: not an accession number/] }
        '0001234567-24-00001', '0001234567-24-0000012', '000123456A-24-000001', '0001234567/24/000001', '0001234567-24-00000A', ''),
    [$json->encode($with->()) =~ s/"form"/"form":"4","form"/r, qr/form: given twice/],
);
my @numbered = map { ($bad[$_][0], $with->(record_key => "good/$_")) } 0 .. $#bad;
($exit, $summary, $text) = import_lines(\@numbered);
is($exit, 1, 'rejected lines make the exit code 1');
is(accounts($summary), 'read=' . 2 * @bad . ' stored=' . @bad . ' unchanged=0 superseded=0 rejected=' . @bad, 'the good ones are stored all the same') or diag $text;
my @rejects = $site->rows('SELECT place, reason FROM import_reject WHERE import_run_id = (SELECT max(import_run_id) FROM import_run)
    ORDER BY substr(place, 6)::integer');
is(scalar @rejects, scalar @bad, 'each rejected line is kept');
for my $number (0 .. $#bad) {
    is($rejects[$number]{place}, 'line ' . (2 * $number + 1), "$rejects[$number]{reason}: its place");
    like($rejects[$number]{reason}, $bad[$number][1], '... and reason');
}
my ($run) = $site->rows('SELECT * FROM import_run ORDER BY import_run_id DESC LIMIT 1');
is($run->{rows_read}, $run->{stored} + $run->{unchanged} + $run->{rejected}, 'read = stored + unchanged + rejected');
like(($site->control('runs', '--rejects', $run->{import_run_id}))[1], qr/no such member/, 'disclosedctl runs lists them');

my $before = $site->value('SELECT count(*) FROM insider_transaction');
($exit, $summary, $text) = import_lines([$with->(record_key => 'strict/1'), $with->(record_key => 'strict/2', unknown => 1)], '--strict');
is($exit, 1, '--strict: a rejected line fails the file');
is($site->value('SELECT count(*) FROM insider_transaction'), $before, '... and nothing of it is stored');
is($site->value('SELECT status FROM import_run ORDER BY import_run_id DESC LIMIT 1'), 'failed', '... which is noted');

# --- the command line ------------------------------------------------------------------------

my %line = $with->(record_key => 'dataset')->%*;
delete $line{dataset};
is((import_lines([\%line], '--dataset', 'insider'))[1]{stored}, 1, '--dataset names it for lines that do not');
is(($site->control('import', 'nonsense', '/dev/null'))[0], 2, 'an unknown source');
is(($site->control('import', 'ndjson'))[0], 2, 'no file');
is(($site->control('import', 'ndjson', '/no/such/file'))[0], 1, 'a file that does not exist');
is((Disclosed::Shared::control('host=/nowhere dbname=x', 'import', 'ndjson', '/dev/null'))[0], 3, 'no database');
($exit, $summary, $text) = import_lines([]);
is($exit, 1, 'an empty file is no file of lines');
like($text, qr/the file is empty/, '... and that is said');

finish();

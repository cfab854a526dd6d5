# The OpenAPI document: its structure, every path and parameter of the contract's slice with its
# limits, and that answers of every operation fit what it says.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Test;
use Disclosed::Schema qw(schema_faults);

promises(
    get_openapi => {
        parameters => [qw()],
        fields => [qw()],
    },
);
my $site     = site();
my $document = json_of($site->get('/v1/openapi.json'), 'the document');
my $schemas  = $document->{components}{schemas};

is($document->{openapi}, '3.1.0', 'OpenAPI 3.1');
ok($document->{info}{$_}, "info.$_") for qw(title version description license);
same_json($document->{servers}, [{ url => $site->{base_url} }], 'the server is this one');
same_json($document->{security}, [{ bearer => [] }], 'every operation needs a key');
is($document->{components}{securitySchemes}{bearer}{scheme}, 'bearer', 'a bearer key');

# --- paths and parameters of the contract ----------------------------------------------------

my $tables = Disclosed::JSON->new->utf8->decode((run(build('CTL'), 'tables', '--json'))[1]);
my %names_of = map { ("\L$_->{method}\E $_->{path}" => [map { $_->{name} } grep { $_->{place} ne 'body' } $_->{parameters}->@*]) } grep { $_->{surface} eq 'public' } $tables->{endpoints}->@*;
my %contract = map { /^get (.*)/ ? ($1 => $names_of{$_}) : () } keys %names_of;
my %writing  = map { /^get / ? () : ($_ => $names_of{$_}) } keys %names_of;
my @operations = map { my $path = $_; map { "$_ $path" } keys $document->{paths}{$path}->%* } keys $document->{paths}->%*;
is_deeply([sort @operations], [sort((map { "get $_" } keys %contract), keys %writing)], 'the paths');
# Requests that are done once take a key, in a header that is no parameter of their row.
my %once = map { ("post /v1/webhook-endpoints$_" => 1) } '', '/{id}/rotate-secret', '/{id}/recover', '/{id}/deliveries/{delivery_id}/replay';
for my $name (sort keys %writing) {
    my ($method, $path) = split / /, $name;
    my $operation = $document->{paths}{$path}{$method};
    is_deeply([map { $_->{name} } $operation->{parameters}->@*], [$writing{$name}->@*, $once{$name} ? 'Idempotency-Key' : ()], "$name: its parameters");
    ok($operation->{responses}{$_}, "... describes $_") for qw(200 401 403 429 500 503), ($path =~ /\{/ ? (404, 422) : ());
    ok(!$operation->{responses}{304}, '... and no 304');
    my $told = $operation->{responses}{200}{content}{'application/json'};
    ok($told->{example}, '... has an example of its response') && is_deeply([schema_faults($told->{example}, $told->{schema}, $document)], [], '... that fits');
    my $taken = ($operation->{requestBody} // next)->{content}{'application/json'};
    ok($taken->{example}, '... and of its request') && is_deeply([schema_faults($taken->{example}, $taken->{schema}, $document)], [], '... that fits');
}
my $made = $document->{paths}{'/v1/webhook-endpoints'}{post}{requestBody};
ok($made->{required}, 'a webhook endpoint is made by a body');
my $members = $made->{content}{'application/json'}{schema};
delete $_->{description} for values $members->{properties}->%*;
my %filters = map { ($_ => delete $members->{properties}{$_}) } qw(symbols forms);
same_json([map { @{ $filters{$_} }{qw(type minItems)} } qw(symbols forms)], ['array', undef, 'array', undef], '... filters are lists, that may be empty');
my ($key) = grep { $_->{in} eq 'header' } $document->{paths}{'/v1/webhook-endpoints'}{post}{parameters}->@*;
same_json([@$key{qw(name required)}, $key->{schema}], ['Idempotency-Key', JSON::PP::false, { type => 'string', minLength => 1, maxLength => 255 }], '... with a key against repetition');
same_json($members, { type => 'object', required => ['url', 'topics'], properties => { url => { type => 'string', format => 'uri' },
    topics => { type => 'array', minItems => 1, items => { type => 'string', enum => [qw(filing.created transcript.published insider_transaction.reported institution_report.filed short_interest.published event.created corporate_action.created)] } } } }, '... of these members');
same_json([sort keys $document->{webhooks}->%*], [qw(corporate_action.created event.created filing.created insider_transaction.reported institution_report.filed short_interest.published transcript.published)],
    'deliveries are described');
# Of all responses; that each is described as it is sent, look_at() sees to in all suites (Disclosed::Described).
my @always = qw(X-Request-Id X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset RateLimit RateLimit-Policy Cache-Control Vary);
is_deeply([sort grep { $document->{components}{headers}{$_}{required} } keys $document->{components}{headers}->%*], [sort @always, qw(Location Retry-After WWW-Authenticate)],
    'headers that are always there, where they are named');
my %parameters;
for my $path (sort keys %contract) {
    my $operation = $document->{paths}{$path}{get};
    is_deeply([map { $_->{name} } $operation->{parameters}->@*], $contract{$path}, "$path: its parameters, in order");
    $parameters{$path}{ $_->{name} } = $_ for $operation->{parameters}->@*;
    ok($operation->{summary} && $operation->{operationId} && $operation->{tags}, '... has a name, a summary and a tag');
    my @given = sort grep { /^\d/ } keys $operation->{responses}->%*;
    my $is_file = $path =~ /\.(?:ts|txt)\z/; # served as itself alone
    my $keyed = !$is_file && $path ne '/v1/openapi.json';
    # 404 where something is named that there may not be, 422 where there are parameters, 402 where it costs credits.
    my @expected = sort(qw(200 401 429 500 503), $is_file ? () : 406, ($keyed ? qw(403 504) : ()), $path =~ m{webhook|/changes} ? () : 304, $path =~ /\{/ ? 404 : (),
        $operation->{parameters}->@* ? 422 : (), $path =~ m{/src/} ? 302 : ());
    is_deeply(\@given, \@expected, '... gives the statuses that it can');
    is_deeply([grep { !$document->{components}{responses}{ $operation->{responses}{$_}{'$ref'} =~ s{.*/}{}r } } grep { $operation->{responses}{$_}{'$ref'} } @given], [], '... which are described');
    my $success = $operation->{responses}{200};
    ok($success->{headers}{$_}, "... has the header $_") for @always, $path =~ m{webhook|/changes} ? () : 'ETag';
    next if $is_file;
    my $example = $success->{content}{'application/json'}{example};
    ok($example || !$keyed, '... has an example');
    is_deeply([schema_faults($example, $success->{content}{'application/json'}{schema}, $document)], [], '... that fits') if $example;
    for my $parameter ($operation->{parameters}->@*) {
        ok($parameter->{description}, "... $parameter->{name} is described");
        is($parameter->{in}, $path =~ /\{$parameter->{name}\}/ ? 'path' : 'query', '... and in its place');
    }
}

my $integer = { type => 'integer', minimum => 1, maximum => 500, default => 50 };
my %limit   = ((map { ($_ => { %$integer, maximum => 200 }) } '/v1/metrics', '/v1/webhook-endpoints/{id}/deliveries'), map { ($_ => { %$integer, default => 100 }) } '/v1/changes', '/v1/metrics/{canonical_key}/values', '/v1/companies/{symbol}/kpis', '/v1/companies/{symbol}/kpis/{metric_key}/observations');
my $texts   = { type => 'array', items => { type => 'string' } };
my $day     = { type => 'string', format => 'date' };
my $time    = { anyOf => [{ type => 'string', format => 'date-time' }, $day] };
my $codes   = { type => 'array', items => { type => 'string', enum => [qw(P S V A D F I M C E H O X G L W Z J K U)] } };
for my $case (
    (map { [$_, 'limit', $limit{$_} // $integer] } grep { $parameters{$_}{limit} } keys %contract),
    (map { [$_, 'direction', { type => 'string', enum => ['asc', 'desc'], default => 'desc' }] } qw(/v1/companies /v1/insider /v1/filings)),
    (map { [$_, 'as_of', $time] } grep { $parameters{$_}{as_of} } keys %contract),
    (map { ['/v1/companies', $_, $texts] } qw(markets tickers ciks isins figis)),
    (map { ['/v1/filings', $_, $texts] } qw(symbols forms)),
    (map { [$_, 'start_date', $day], [$_, 'end_date', $day] } qw(/v1/insider /v1/filings /v1/companies/{symbol}/insider)),
    ['/v1/companies', 'issuer_ids', { type => 'array', items => { type => 'integer' } }],
    ['/v1/companies', 'active_only', { type => 'boolean', default => JSON::PP::true }],
    ['/v1/insider', 'transaction_types', $codes],
    ['/v1/insider', 'min_value', { type => 'number' }],
    ['/v1/filings', 'updated_after', $time],
    ['/v1/companies/{symbol}/executives', 'current_only', { type => 'boolean', default => JSON::PP::true }],
    ['/v1/companies/{symbol}/executives', 'category', { type => 'string', enum => [qw(executives ir analysts)] }],
    ['/v1/src/{src_id}', 'redirect', { type => 'boolean', default => JSON::PP::false }],
    )
{
    my ($path, $name, $schema) = @$case;
    same_json($parameters{$path}{$name}{schema}, $schema, "$path $name: type, bounds and default");
}

# --- fields of the contract ------------------------------------------------------------------

my %fields = (
    Company => [qw(symbol ticker market name cik isin figi issuer_id)],
    CompanyDetail => [qw(symbol ticker market name cik isin figi issuer_id website country listing_exchange is_etf is_fund
            is_adr status sector industry employee_count description description_provenance _gaps)],
    Executive => [qw(name role category affiliation rank is_current provenance)],
    Filing => [qw(id ticker form accession filed_on filed_at accepted_at period_of_report title source_url event_id doc_group provenance)],
    FilingDetail => [qw(id ticker form accession filed_on filed_at accepted_at period_of_report title source_url event_id doc_group
            provenance sections sections_available)],
    Exhibits => [qw(accession ticker exhibits exhibits_note)],
    Exhibit => [qw(accession ticker exhibit_type published_at source_url text provenance)],
    InsiderTransaction => [qw(id symbol ticker company_cik insider transaction_type transaction_code shares price value
            shares_owned_after transaction_date filing_date provenance)],
    Insider => [qw(name relationship)],
    InstitutionHolder => [qw(institution value shares period_of_report provenance)],
    Institution => [qw(cik name)],
    InstitutionFlow => [qw(period_of_report holders holders_change value shares provenance)],
    InstitutionPosition => [qw(ticker symbol name cusip value shares put_call period_of_report provenance)],
    ShortInterest => [qw(settlement_date current_short_position previous_short_position avg_daily_share_volume days_to_cover change_pct provenance)],
    CorporateAction => [qw(id symbol kind action_date description source_url dividend provenance)],
    Dividend => [qw(ex_dividend_date record_date payment_date declaration_date amount annualized_amount currency)],
    Coverage => [qw(issuers tickers_with_kpis datasets allowlist)],
    CoverageDatasets => [qw(filings transcripts kpi_metrics kpi_observations ir_documents document_chunks)],
    CompanyCoverage => [qw(company datasets)],
    CompanyCoverageDatasets => [qw(filings transcripts kpi_observations ir_documents)],
    CoverageCount => [qw(count latest)],
    SourceReference => [qw(src_id dataset digest resolvable gap)],
    FundExposure => [qw(fund_ticker fund_name weight weight_pct shares market_value as_of_date provenance)],
    Value => [qw(raw normalized unit original_unit conversion_factor)],
    Provenance => [qw(src_id source_provider source_url accession quote content_hash extracted_at)],
    Pagination => [qw(next_cursor has_more)],
    WebhookEndpoint => [qw(id url topics secret_hint created_at)],
    CreatedWebhookEndpoint => [qw(id url topics signing_secret created_at)],
    WebhookTestResult => [qw(delivered status)],
    WebhookTopic => [qw(topic description)],
    FilingDelivery => [qw(type timestamp data)],
    TranscriptDelivery => [qw(type timestamp data)],
    Problem => [qw(type title status detail request_id instance required_tier)],
);
for my $name (sort keys %fields) {
    my @missing = grep { !$schemas->{$name}{properties}{$_} } $fields{$name}->@*;
    is("@missing", '', "$name has the contract's fields");
    my @undescribed = grep { !$schemas->{$name}{properties}{$_}{description} } keys $schemas->{$name}{properties}->%*;
    is("@undescribed", '', '... all described');
}

# Every reference leads somewhere, and every schema is used.
my $text = $site->get('/v1/openapi.json')->body;
my %referred = map { ($_ => 1) } $text =~ m{"\$ref":"#/components/schemas/(\w+)"}g;
is_deeply([grep { !$schemas->{$_} } sort keys %referred], [], 'no reference to nothing');
is_deeply([grep { !$referred{$_} } sort keys %$schemas], [], 'no schema that nothing uses');

# --- answers fit -----------------------------------------------------------------------------

my ($filing) = $site->rows("SELECT accession FROM filing_exhibit ORDER BY accession LIMIT 1");
my $src_id = $site->get('/v1/insider?limit=1')->json->{data}[0]{provenance}{src_id};
# A few records of a table, spread over it.
sub ids
{
    my ($table) = @_;
    return map { $_->{id} } $site->rows("SELECT id FROM $table WHERE superseded_at IS NULL AND id % 97 = 5 ORDER BY id LIMIT 6");
}
my %paths = (
    '/v1/companies/{symbol}' => ['ZEMRUZ', 'HAXBRU', 'MOXTYX:US', 'HYVVADY'],
    '/v1/companies/{symbol}/executives' => ['ZEMRUZ'], '/v1/companies/{symbol}/insider' => ['ZEMRUZ'],
    '/v1/companies/{symbol}/fund-exposure' => ['ZEMRUZ'],
    '/v1/filings/{accession}' => [$filing->{accession}], '/v1/filings/{accession}/exhibits' => [$filing->{accession}],
    '/v1/institutions/holders-of/{symbol}' => ['ZEMRUZ', 'ZEMRUZ-B:US', 'HAXBRU'], '/v1/institutions/flow-of/{symbol}' => ['ZEMRUZ'],
    '/v1/institutions/{cik}/positions' => [$site->value('SELECT min(cik) FROM issuer JOIN institution_position USING (issuer_id)'),
        $site->value("SELECT min(cik) FROM issuer JOIN institution_position USING (issuer_id) WHERE shares_type = 'PRN'")],
    '/v1/metrics' => ['/v1/metrics?q=income'], '/v1/metrics/{canonical_key}' => ['revenue'], '/v1/metrics/{canonical_key}/values' => ['revenue', 'net_margin'],
    '/v1/companies/{symbol}/kpis/{metric_key}' => [map { "/v1/companies/$_" } 'ZEMRUZ/kpis/revenue', 'AKOGOM/kpis/store_count'],
    '/v1/companies/{symbol}/kpis/{metric_key}/observations' => ['/v1/companies/AKOGOM/kpis/revenue/observations'],
    '/v1/documents/{doc_id}' => [ids('document')], '/v1/documents/{doc_id}/pages' => [ids('document')],
    '/v1/transcripts/{transcript_id}' => [ids('transcript')], '/v1/events/{event_id}' => [ids('event')],
    '/v1/companies/{symbol}/short-interest' => ['ZEMRUZ', 'ZYLLUX-B:US'], '/v1/companies/{symbol}/corporate-actions' => ['ZEMRUZ', 'JOZNOV', 'MOXTYX'],
    '/v1/congress/politicians/{slug}' => [$site->get('/v1/congress?limit=1')->json->{data}[0]{politician}{slug}],
    '/v1/companies/{symbol}/congress' => ['ZEMRUZ'],
    '/v1/coverage/{symbol}' => ['ZEMRUZ', 'HAXBRU'], '/v1/src/{src_id}' => [$src_id, $src_id =~ s/.$/x/r =~ s/x$/0/r, 'src_nothing_' . '0' x 32],
);
for my $path (sort keys %contract) {
    for my $value (($paths{$path} // [$path =~ /\{symbol\}/ ? 'ZEMRUZ' : ''])->@*) {
        next if $value eq '' && $path =~ /\{/ || $path =~ /\.(?:ts|txt)\z/; # their suites have the answers
        my $target = $value =~ m{^/} ? $value : $path =~ s/\{\w+\}/$value/r;
        my $schema = $document->{paths}{$path}{get}{responses}{200}{content}{'application/json'}{schema};
        my $response = $site->get($target);
        my @faults = schema_faults(json_of($response, $target), $schema, $document);
        my $described = $document->{paths}{$path}{get}{responses}{200}{headers};
        is(defined $response->header('etag'), defined $described->{ETag}, '... has a tag where one is described');
        next if $path eq '/v1/openapi.json'; # an object: its structure is what this suite looks at
        is_deeply(\@faults, [], '... fits its schema');
    }
}
my @problems = ($site->get('/v1/companies/NOBODY'), $site->get('/v1/companies', key => undef), $site->get('/v1/nothing'));
is_deeply([map { schema_faults($_->json, $schemas->{Problem}, $document) } @problems], [], 'problems fit theirs');
is_deeply([schema_faults($site->get('/v1/insider?limit=x&transaction_types=Q')->json, $schemas->{HTTPValidationError}, $document)],
    [], 'so does a 422');

finish();

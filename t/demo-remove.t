# disclosedctl demo --remove: the demo data goes, whole, and nothing else does; what others say of its companies stands in the way.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(wait_until);
use Disclosed::References qw(dangling);
use Disclosed::Shared qw(cluster database);
use Disclosed::Test;

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;
my @demo = ('--companies=4', '--insider-rows=400', '--positions=400', '--years=2');

sub load_lines
{
    my (@lines) = @_;
    my $path = "$site->{root}/" . Disclosed::Shared::fresh('lines') . '.ndjson';
    open my $file, '>', $path or die "$path: $!";
    print $file $json->encode({ known_at => '2025-03-04T12:00:00Z', provenance => { source_provider => 'issuer_page', source_url => 'https://real.example/' }, %$_ }), "\n" for @lines;
    close $file;
    my ($code, $out, $err) = $site->control('import', 'ndjson', '--strict', $path);
    is($code, 0, @lines . ' lines of NDJSON') or diag $out, $err;
    return;
}

# Each table's number of rows and a digest of them. Versions and instants of the statistics change, runs are numbered; shares of
# words are PostgreSQL's estimates.
sub tables
{
    my ($cluster, $database) = @_;
    my @names = map { $_->{name} } $cluster->rows($database, "SELECT relname AS name FROM pg_class WHERE relnamespace = 'disclosed'::regnamespace"
            . " AND relkind = 'r' AND relname <> 'chunk_word' AND relname !~ '^(account|api_key|key_)' ORDER BY 1");
    my %text = (dataset_stat => "(t.dataset, t.record_count, t.latest)::text", import_run => '(t.source, t.file, t.status)::text');
    my %where = (dataset_stat => 'WHERE t.record_count <> 0 OR t.latest IS NOT NULL', dataset_issuer_stat => 'WHERE t.record_count <> 0');
    return { map { ($_->{name} => $_->{digest}) } $cluster->rows($database, join ' UNION ALL ', map {
        my $line = $text{$_} // 't::text';
        "SELECT '$_' AS name, count(*) || ' ' || coalesce(md5(string_agg($line, '|' ORDER BY $line)), '') AS digest FROM disclosed.$_ t " . ($where{$_} // '')
    } @names) };
}

sub differences
{
    my ($one, $other) = @_;
    return join "\n", map { "$_: $one->{$_}, not $other->{$_}" } grep { $one->{$_} ne $other->{$_} } sort keys %$other;
}

# --- an empty database is empty again ------------------------------------------------------------

my $cluster = cluster();
my $empty = tables($cluster, $site->{database});
cmp_ok(scalar keys %$empty, '>=', 60, 'tables: ' . keys %$empty);
my ($code, $out, $err) = $site->control('demo', '--remove');
is("$code $out", "0 demo: there is no demo data to remove\n", 'nothing to remove') or diag $err;
is(($site->control('demo', @demo, '--quiet'))[0], 0, 'the demo data are loaded');
isnt(differences(tables($cluster, $site->{database}), $empty), '', '... and seen');
is_deeply([dangling($cluster, $site->{database})], [], '... and what they name is there');
my $before = wait_until(10, sub { my $response = $site->get('/v1/companies?limit=1'); $response->json->{data}->@* ? $response : undef });
my $symbol = $before->json->{data}[0]{symbol};
is($site->get("/v1/companies/$symbol")->status, 200, "$symbol is served");
($code, $out, $err) = $site->control('demo', '--remove');
like("$code $out", qr/\A0 demo: removed [1-9]\d+ issuers and [1-9]\d{3,} versions of records\n\z/, 'they are removed') or diag $err;
is(differences(tables($cluster, $site->{database}), $empty), '', '... all of them');
is_deeply([dangling($cluster, $site->{database})], [], '... and what is left');
my $after = wait_until(10, sub { my $response = $site->get('/v1/companies?limit=1', headers => { 'If-None-Match' => $before->header('etag') }); $response->status == 200 ? $response : undef });
is_deeply($after && $after->json->{data}, [], '... and the list is empty, under another ETag');
is($site->get("/v1/companies/$symbol")->status, 404, '... and the company is not found');
my $coverage = $site->get('/v1/coverage')->json;
is_deeply([grep { !ref $coverage->{$_} && ($coverage->{$_} // 0) =~ /\A[1-9]\d*\z/ } sort keys %$coverage], [], '... and coverage counts nothing');

# --- other data stay as they are ------------------------------------------------------------------

my @real = (
    { dataset => 'company', cik => 320193, name => 'Real Fruit Inc', sic => '3571' },
    { dataset => 'listing', cik => 320193, ticker => 'RFRT', market => 'US', name => 'Real Fruit Inc', status => 'active', isin => 'US0378331005', listed_on => '1999-01-04' },
    { dataset => 'executive', cik => 320193, name => 'Core Ann', role => 'Chief Executive Officer', category => 'executives', person_rank => 1, is_current => JSON::PP::true, reported_on => '2025-03-01' },
    { dataset => 'document', cik => 320193, record_key => 'deck-1', title => 'Orchards', doc_type => 'slide_deck', published_at => '2025-03-01T12:00:00Z', text => 'Our orchards grew in every region.' },
    { dataset => 'short_interest', cik => 320193, symbol_code => 'RFRT', settlement_date => '2025-02-14', current_short_position => 1000 },
    { dataset => 'event_notice', cik => 320193, record_key => 'q1', type => 'earnings', event_on => '2025-04-30', date_status => 'estimated' },
    { dataset => 'politician', party => 'politician/real-person', first_name => 'Real', last_name => 'Person', chamber => 'senate', reported_on => '2025-01-03' },
    { dataset => 'congress_trade', party => 'politician/real-person', chamber => 'senate', report_id => 'r1', row_number => 1, transaction_type => 'purchase', filing_date => '2025-02-03', filing_date_basis => 'stated',
        first_name => 'Real', last_name => 'Person', ticker => 'RFRT', asset_name => 'Real Fruit', amount_range => '$1,001 - $15,000', transaction_date => '2025-01-20' },
    { dataset => 'institution_report', cik => 1067983, issuer_name => 'Real Manager', form => '13F-HR', report_type => 'holdings', period_of_report => '2024-12-31', filing_date => '2025-02-14', manager_name => 'Real Manager',
        provenance => { source_provider => 'sec', accession => '0001067983-25-000001' } },
    { dataset => 'institution_position', cik => 1067983, period_of_report => '2024-12-31', filing_date => '2025-02-14', row_number => 1, issuer_title => 'REAL FRUIT INC', class_title => 'COM', cusip => '037833100',
        value => 5000, value_as_filed => 5000, shares_type => 'SH', shares => 20, provenance => { source_provider => 'sec', accession => '0001067983-25-000001' } },
);
load_lines(@real);
my $real = tables($cluster, $site->{database});
cmp_ok($site->value("SELECT count(*) FROM disclosed.$_"), '>=', 1, "... among them $_") for qw(institution_flow document_chunk event);
is(($site->control('demo', @demo, '--quiet'))[0], 0, 'the demo data once more, beside others');
($code, $out, $err) = Disclosed::Shared::control($site->conninfo('disclosed_loader'), 'demo', '--remove');
is($code, 1, 'not by the role of loads');
like($err, qr/permission denied for function remove_demo/, '... which is told');
($code, $out, $err) = $site->control('demo', '--remove', '--json');
is($code, 0, 'removed by the owner') or diag $out, $err;
cmp_ok($json->decode($out)->[0]{records}, '>', 1000, '... said as JSON');
is(differences(tables($cluster, $site->{database}), $real), '', '... and the others are as they were');

# --- what stands in the way -----------------------------------------------------------------------

is(($site->control('demo', @demo, '--seed=2', '--quiet'))[0], 0, 'another universe may come now');
my $company = $site->value("SELECT symbol FROM disclosed.issuer WHERE cik > 9990000000 AND symbol IS NOT NULL ORDER BY cik LIMIT 1");
my ($ticker) = $company =~ /\A([^:]+)/;
my %trade = ($real[7]->%*, row_number => 2, ticker => $ticker, asset_name => $site->value("SELECT name FROM disclosed.issuer WHERE symbol = '$company'"));
load_lines({ (map { ($_ => $real[2]{$_}) } grep { $_ ne 'cik' } keys $real[2]->%*), symbol => $company }, \%trade);
my $both = tables($cluster, $site->{database});
($code, $out, $err) = $site->control('demo', '--remove');
is("$code $out", '1 ', 'not removed, where others are about its companies');
is($err =~ s/\A\S+: //r, "nothing is removed: 2 records of other providers are about the demo companies\n"
        . "  congress_trade of $company, provider issuer_page: 1\n  executive of $company, provider issuer_page: 1\n", '... which are named');
is(differences(tables($cluster, $site->{database}), $both), '', '... and nothing has changed');
$site->execute("DELETE FROM disclosed.issuer WHERE symbol = '$company'");
like(join("\n", dangling($cluster, $site->{database})), qr/^executive\.issuer_id: [1-9]/m, '... nor unseen, were a company gone alone');
is(($site->control('demo', '--remove', 'x'))[0], 2, 'it takes no argument');
($code, $out, $err) = $site->control('demo', '--remove', @demo);
is($code, 2, '... and no option that says what to make');
like($err, qr/--remove takes all of it out: it goes without --years$/m, '... which it says');

finish();

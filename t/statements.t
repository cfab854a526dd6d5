#!/usr/bin/env perl
# Every SQL statement that the tables make prepares and runs: each endpoint is asked with each of its
# parameters alone, with all together, at an instant, and from the second page on. What PostgreSQL
# refuses is a 500 and a DSC0003 in the log. And docs/endpoints.md is what this server says of itself.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Test;
use Disclosed::JSON ();

my $site     = site();
my @responses = map { $site->get("$_/openapi.json") } '/v1', '/api/disclosed/v1';
my @openapi   = map { json_of($_, 'the OpenAPI document') } @responses;

# --- values -----------------------------------------------------------------------------------

my ($issuer)  = $site->rows('SELECT symbol, ticker, market, cik, issuer_id FROM issuer WHERE ticker IS NOT NULL'
        . ' ORDER BY issuer_id LIMIT 1');
my $accession = $site->value('SELECT accession FROM filing_exhibit ORDER BY id LIMIT 1');
my $year_end  = $site->value("SELECT max(end_date) FROM fundamental WHERE issuer_id = $issuer->{issuer_id} AND metric_key = 'revenue' AND period_kind = 'annual'") // '2024-12-31';
my $numbers   = $site->value('SELECT accession FROM xbrl_report ORDER BY id LIMIT 1');
my $sums      = $site->value('SELECT accession FROM xbrl_linkbase ORDER BY id LIMIT 1');
my $manager   = $site->value('SELECT i.cik FROM institution_position JOIN issuer i USING (issuer_id) ORDER BY row_id LIMIT 1');
my $digest    = $site->value('SELECT src_digest FROM filing WHERE superseded_at IS NULL ORDER BY id LIMIT 1');

my $document  = $site->value('SELECT id FROM document WHERE superseded_at IS NULL ORDER BY page_records DESC, id LIMIT 1');
my $transcript = $site->value('SELECT id FROM transcript WHERE superseded_at IS NULL ORDER BY id LIMIT 1');
my $event     = $site->value('SELECT event_id FROM document WHERE superseded_at IS NULL AND event_id IS NOT NULL ORDER BY id LIMIT 1');

my $metric    = $site->value("SELECT metric_key FROM kpi_observation WHERE issuer_id = $issuer->{issuer_id} AND dimension IS NULL ORDER BY id LIMIT 1");

my %value = (
    symbol => [$issuer->{symbol}], symbols => [$issuer->{symbol}, $issuer->{ticker}], tickers => [$issuer->{ticker}],
    markets => [$issuer->{market}], ciks => [$issuer->{cik}], issuer_ids => [$issuer->{issuer_id}], isins => ['US0000000000'], figis => ['BBG000000000'],
    q => ['a%_\\'], sector => ['manufacturing'], forms => ['10-K', '8-K'], section_text => ['item_1', 'item_2'],
    accession => [$accession], cik => [$manager], src_id => ['src_filing_' . $digest =~ s/-//gr],
    start_date => ['2020-01-01'], end_date => ['2030-01-01'], updated_after => ['2020-01-01T00:00:00Z'],
    doc_id => [$document], page => [1], transcript_id => [$transcript], event_id => [$event],
    slug => [$site->value("SELECT substr(party_key, 12) FROM issuer WHERE party_key LIKE 'politician/%' ORDER BY issuer_id LIMIT 1")],
    metric_key => [$metric], ticker => [$issuer->{ticker}], offset => [3],
    sequence => [2], text_start => [5], text_length => [1000],
    '/v1/filings/{accession}/facts accession' => [$numbers], # of a path's own
    (map { ($_ => [$sums]) } map { "/v1/filings/{accession}/$_ accession" } qw(calculations statements statements/{number})), number => [1],
    canonical_key => ['revenue'], canonical_name => ['revenue'], period_end => [$year_end], concept => ['us-gaap:Revenues'],
    as_of => ['2026-12-31'], min_value => ['1.5'], limit => [2],
);

# A value that the schema of a parameter takes, where none is named above.
sub any_of
{
    my ($schema) = @_;
    ($schema) = $schema->{anyOf}->@* if $schema->{anyOf};
    my $format = $schema->{format} // '';
    return $format eq 'date' ? '2024-01-01' : $format eq 'date-time' ? '2024-01-01T00:00:00Z'
        : $schema->{type} eq 'integer' || $schema->{type} eq 'number' ? $schema->{minimum} // 1 : 'a';
}

# Values to try for a parameter: one, or for a choice each.
sub values_of
{
    my ($parameter) = @_;
    my $schema = $parameter->{schema};
    my $single = $schema->{items} // $schema;
    return map { [$_] } $single->{enum}->@* if $single->{enum};
    return (['true'], ['false']) if ($single->{type} // '') eq 'boolean';
    my $values = $value{ $parameter->{name} } // [any_of($single)];
    return $schema->{items} ? $values : [$values->[0]];
}

sub escape { return $_[0] =~ s/([^A-Za-z0-9_.~:-])/sprintf '%%%02X', ord $1/ger }

sub query
{
    my (@pairs) = @_;
    return @pairs ? '?' . join('&', map { my $name = $_->[0]; map { "$name=" . escape($_) } $_->[1]->@* } @pairs) : '';
}

# --- asking -----------------------------------------------------------------------------------

my ($asked, $paged, $tried, @wrong) = (0, 0, 0);

sub ask
{
    my ($target) = @_;
    $asked++;
    my $answer = $site->get($target);
    # The source of a record may have no address: 302 and 404 are its answers to redirect=true.
    my $good = $answer->status == 200 || ($target =~ m{^/v1/src/.*redirect=true} && $answer->status == 302);
    push @wrong, "$target: " . $answer->status . ' ' . substr $answer->body, 0, 300 if !$good;
    return $good ? $answer->json : undef;
}

# The second page, where there is one: its statement compares with the cursor's position.
sub ask_page
{
    my ($target) = @_;
    my $json = ask($target) // return;
    my $cursor = ref $json eq 'HASH' && $json->{pagination} && $json->{pagination}{next_cursor} // return;
    $paged++;
    ask($target . ($target =~ /\?/ ? '&' : '?') . "cursor=$cursor");
}

sub ask_endpoint
{
    my ($path, $operation) = @_;
    my @parameters = grep { $_->{name} ne 'fields' } ($operation->{parameters} // [])->@*; # of the statement, all but what is shown
    my %in_path    = map { ($_->{name} => 1) } grep { $_->{in} eq 'path' } @parameters;
    my @query      = grep { $_->{in} eq 'query' && $_->{name} ne 'cursor' && !$_->{required} } @parameters;
    my @required   = map { [$_->{name}, (values_of($_))[0]] } grep { $_->{in} eq 'query' && $_->{required} } @parameters;
    my $plain      = $path =~ s/\{(\w+)\}/escape(($value{"$path $1"} \/\/ $value{$1} \/\/ [1])->[0])/ger;
    my @all        = map { [$_->{name}, (values_of($_))[0]] } @query;
    my @limit      = grep { $_->[0] eq 'limit' } @all;
    $tried += @parameters;
    ask($plain . query(@required));
    ask_page($plain . query(@required, ['limit', [1]], ['direction', [$_]])) for $operation->{operationId} =~ /^list_/ ? qw(asc desc) : ();
    for my $parameter (@query) {
        ask_page($plain . query(@required, [$parameter->{name}, $_], grep { $_->[0] ne $parameter->{name} } @limit))
            for values_of($parameter);
    }
    ask_page($plain . query(@required, @all)) if @all > 1;
    ask_page($plain . query(@required, grep { $_->[0] eq 'limit' || $_->[0] eq 'as_of' || $_->[0] eq 'direction' } @all)) if @all > 1;
}

# Members of a body alone and all together, and the page behind the first.
sub post
{
    my ($path, $body) = @_;
    $asked++;
    my $answer = $site->post($path, $body);
    push @wrong, "$path " . Disclosed::JSON->new->canonical->encode($body) . ': ' . $answer->status . ' ' . substr $answer->body, 0, 300 if $answer->status != 200;
    return $answer->status == 200 ? $answer->json : {};
}

sub ask_body
{
    my ($path, $schema) = @_;
    my %member = $schema->{properties}->%*;
    my %named  = (%value, query => ['revenue'], question => ['What was revenue?'], max_credits => [5]);
    my %is_list = map { ($_ => ($member{$_}{type} // '') eq 'array' || scalar grep { ($_->{type} // '') eq 'array' } ($member{$_}{anyOf} // [])->@*) } keys %member;
    my %of = map { my $one = $named{$_} // [any_of($member{$_})]; ($_ => $is_list{$_} ? $one : /^(?:limit|event_id|max_credits)\z/ ? 0 + $one->[0] : $one->[0]) } grep { $_ ne 'cursor' } keys %member;
    $of{source_kinds} = ['filing', 'exhibit', 'document'] if $of{source_kinds};
    my %least = map { ($_ => $of{$_}) } $schema->{required}->@*;
    $tried += keys %member;
    post($path, {%least, $_ => $of{$_}}) for sort keys %of;
    for my $body ({%of}, {%least, $of{limit} ? (limit => 1) : ()}, {%least, $of{limit} ? (limit => 1) : (), $of{as_of} ? (as_of => $of{as_of}) : ()}) {
        my $cursor = post($path, $body)->{pagination}{next_cursor} // next;
        $paged++;
        post($path, {%$body, cursor => $cursor});
    }
}

# One that the endpoints with an id of webhooks are asked by.
$site->post('/v1/webhook-endpoints', { url => 'https://hooks.example.com/', topics => ['filing.created'] });

my $operations = 0;
my %paths = map { $_->{paths}->%* } @openapi;
for my $path (sort keys %paths) {
    for my $method (sort keys $paths{$path}->%*) {
        next if $method ne 'get' && $path =~ m{^/v1/webhook-endpoints}; # t/webhooks.t asks those that write
        $operations++;
        my $body = $paths{$path}{$method}{requestBody};
        if ($body) {
            ask_body($path, $body->{content}{'application/json'}{schema});
            next;
        }
        die "$method $path: only GET can be asked here\n" if $method ne 'get';
        ask_endpoint($path, $paths{$path}{$method});
    }
}
cmp_ok($operations, '>=', 12, "asked $operations endpoints");
cmp_ok($tried,      '>=', 45, "with $tried parameters");
cmp_ok($asked,      '>=', 150, "by $asked requests");
cmp_ok($paged,      '>=', 40, "$paged of them for second pages");
is(join("\n", @wrong), '', 'all are answered');

# --- what the documentation says --------------------------------------------------------------

open my $check, '|-', $^X, build('SRCDIR') . '/docs/make-endpoints', '--check', '-' or die "make-endpoints: $!";
print $check map { $_->body } @responses;
ok(close $check, 'docs/endpoints.md is current');

finish();

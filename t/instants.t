# Names, tickers and listings are as of the instant that is asked about: a company that took another symbol and
# name, and another company that later took its old ones.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;
my %from = (provenance => { source_provider => 'issuer_page', source_url => 'https://made.example/ir' });
my @filed = (filed_on => '2023-08-01', accepted_at => '2023-08-01T20:05:00Z', known_at => '2023-08-01T20:05:00Z',
    provenance => { source_provider => 'sec', source_url => 'https://made.example/f', accession => '0007654322-23-000001' });
sub company { my ($cik, $known, $name) = @_; return { dataset => 'company', cik => $cik, known_at => $known, name => $name, %from } }
sub listing
{
    my ($cik, $known, $ticker, $name, %more) = @_;
    return { dataset => 'listing', cik => $cik, known_at => $known, ticker => $ticker, market => 'US', name => $name, status => 'active', %from, %more };
}
my @lines = (
    company(7654322, '2015-01-01T00:00:00Z', 'Elder Games Plc'),
    listing(7654322, '2016-01-01T00:00:00Z', 'ELDG', 'Elder Games', listing_exchange => 'NYSE'),
    { dataset => 'filing', cik => 7654322, form => '8-K', items => ['2.02'], period_of_report => '2023-08-01', title => '8-K', @filed },
    { dataset => 'event_notice', cik => 7654322, record_key => 'q3', type => 'earnings', event_on => '2023-10-31', date_status => 'estimated',
        period_end_date => '2023-09-30', known_at => '2023-09-15T00:00:00Z', %from },
    { dataset => 'insider', cik => 7654322, record_key => 'one', form => '4', insider_name => 'Roe Jane', relationship => 'Director', is_derivative => JSON::PP::false,
        transaction_type => 'purchase', transaction_code => 'P', shares => '10', filing_date => '2023-08-02', known_at => '2023-08-02T20:00:00Z', %from },
    { dataset => 'document', cik => 7654322, record_key => 'deck', title => 'Slides', doc_type => 'slide_deck', published_at => '2023-08-03T00:00:00Z', known_at => '2023-08-03T00:00:00Z', %from },
    { dataset => 'transcript', cik => 7654322, record_key => 'call', call_date => '2023-08-03T14:00:00Z', known_at => '2023-08-04T00:00:00Z', %from },
    # In 2024 it takes another name, another ticker and goes to another exchange.
    company(7654322, '2024-07-01T00:00:00Z', 'Younger Games Plc'),
    listing(7654322, '2024-07-01T00:00:00Z', 'ELDG', 'Elder Games', status => 'inactive', listing_exchange => 'NYSE'),
    listing(7654322, '2024-07-01T00:00:00Z', 'YNGG', 'Younger Games', listing_exchange => 'Nasdaq'),
    # The old ticker is somebody else's from 2025 on.
    company(7654323, '2025-01-01T00:00:00Z', 'Eldorado Gold Corp'),
    listing(7654323, '2025-01-01T00:00:00Z', 'ELDG', 'Eldorado Gold', listing_exchange => 'NYSE'),
);
my $file = $site->write('instants.ndjson', join '', map { $json->encode($_) . "\n" } @lines);
my ($code, $out, $err) = $site->control('import', 'ndjson', '--json', $file);
is("$code " . $json->decode($out)->{rejected}, '0 0', @lines . ' lines are taken') or diag "$out$err";

my ($old, $new) = ('2023-10-02T12:00:00Z', '2024-08-01');
my %shown = ($old => ['ELDG', 'Elder Games Plc', 'NYSE'], $new => ['YNGG', 'Younger Games Plc', 'Nasdaq']);
sub one { my ($target) = @_; my @data = (json_of($site->get($target), $target)->{data} // [])->@*; return @data == 1 ? $data[0] : { rows => scalar @data } }
for my $then ($old, $new) {
    my ($ticker, $name, $exchange) = $shown{$then}->@*;
    my $symbols = "symbols=$ticker&as_of=$then";
    my $event = one("/v1/events?$symbols&start_date=2023-09-01");
    is("@$event{qw(symbol ticker title)}", "$ticker:US $ticker $name period ended 2023-09-30 earnings", "$then: the event");
    is(one("/v1/filings?$symbols")->{ticker}, $ticker, '... the filing');
    is(one("/v1/documents?symbols=$ticker:US&as_of=$then")->{ticker}, $ticker, '... the document');
    my $transcript = one("/v1/transcripts?$symbols");
    is("@$transcript{qw(ticker exchange)}", "$ticker $exchange", '... the transcript');
    my $insider = one("/v1/companies/$ticker/insider?as_of=$then");
    is("@$insider{qw(symbol ticker)}", "$ticker:US $ticker", '... the transaction');
    is(one("/v1/insider?as_of=$then")->{symbol}, "$ticker:US", '... in the list of all');
    is(json_of($site->get("/v1/companies/$ticker/executives?as_of=$then"), 'people')->{company}{name}, $name, '... the company of an envelope');
    is(json_of($site->get("/v1/companies/$ticker?as_of=$then"), 'the company')->{name}, $name, '... the company');
}
is(one('/v1/events?symbols=YNGG&start_date=2023-09-01')->{symbol}, 'YNGG:US', 'now');
is(one("/v1/events?symbols=YNGG&as_of=$old")->{rows}, 0, 'the ticker to come finds nothing');
problem_is($site->get("/v1/companies/YNGG/insider?as_of=$old"), 404, '... and names nobody', instance => '/v1/companies/YNGG/insider', detail => not_found_company('YNGG'));
is($site->get("/v1/companies/YNGG:US?as_of=$old")->status, 404, '... with its market neither');
is($site->get('/v1/companies/ELDG/insider?as_of=2015-06-01')->status, 404, 'before anything was listed under it, nobody has it');
is(json_of($site->get("/v1/companies/ELDG?as_of=$old"), 'then')->{name}, 'Elder Games Plc', 'the old ticker is the one company\'s');
is(json_of($site->get('/v1/companies/ELDG:US'), 'now')->{name}, 'Eldorado Gold Corp', '... and the other\'s now');
is(one("/v1/insider?as_of=2023-08-03")->{symbol}, 'ELDG:US', 'a list at another instant');

# A tag changes when a name does: what an answer depends on are the names and listings as well.
my %tag = map { ($_ => $site->get($_)->header('etag')) } "/v1/events?as_of=$old", "/v1/filings?as_of=$old", "/v1/insider?as_of=$old", "/v1/documents?as_of=$old", "/v1/transcripts?as_of=$old";
$file = $site->write('more.ndjson', $json->encode(listing(7654322, '2023-01-01T00:00:00Z', 'ELDH', 'Elder Games H', listing_rank => -1)) . "\n");
$site->control('import', 'ndjson', $file);
my $changed = 0;
for my $attempt (1 .. 50) {
    $changed = grep { ($site->get($_)->header('etag') // $tag{$_}) ne $tag{$_} } keys %tag;
    last if $changed == keys %tag;
    select undef, undef, undef, 0.1;
}
is($changed, scalar keys %tag, 'all lists have another tag when a listing is learned of');
is(one("/v1/insider?as_of=$old")->{symbol}, 'ELDH:US', '... which is the primary one');

finish();

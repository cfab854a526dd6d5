# Real files: company tickers and submissions. What is imported is what stands in them, and what is
# served is what was imported.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice slurp eastern_to_utc utc_text);
use Time::Local qw(timegm);

my $tickers     = folder('edgar-tickers');
my $submissions = folder('edgar-submissions');
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8;

# --- tickers ---------------------------------------------------------------------------------

my (%symbols, %exchange_of, %cik_of, $rows);
for my $path ("$tickers/company_tickers.json", "$tickers/company_tickers_exchange.2024-07-16.json", "$tickers/company_tickers_exchange.json") {
    my $text = slurp($path);
    my @rows = $path =~ /exchange/
        ? $text =~ /\[(\d+),"(?:[^"\\]|\\.)*","([^"]*)",(null|"[^"]*")\]/g
        : map { /"cik_str": (\d+), "ticker": "([^"]*)"/ ? ($1, $2, undef) : () } $text =~ /\{"cik_str"[^{}]*\}/g;
    while (my ($cik, $ticker, $exchange) = splice @rows, 0, 3) {
        $rows++;
        $ticker =~ s/^\s+|\s+$//g; # one stands there with a space
        $symbols{ uc $ticker } = 1;
        next if !defined $exchange || $path =~ /2024-07/;
        $exchange_of{ uc $ticker } = $exchange eq 'null' ? undef : $exchange =~ s/"//gr;
        $cik_of{ uc $ticker } = $cik;
    }
}
my $summary = import_twice($site, 'sec-company-tickers', $tickers);
is($summary->{read}, $rows, "read: $rows rows, as many as the files have");
is($summary->{rejected}, 0, 'none is rejected');
is($site->value('SELECT count(DISTINCT record_key) FROM listing'), scalar(keys %symbols), scalar(keys %symbols) . ' different symbols');
for my $ticker (qw(AAPL MSFT NVDA BRK-B GOOGL JPM TSM FNMA)) {
    my $company = json_of($site->get("/v1/companies/$ticker"), $ticker);
    is($company->{cik}, sprintf('%010d', $cik_of{$ticker}), '... its CIK');
    is($company->{listing_exchange}, $exchange_of{$ticker}, '... its exchange');
}
my $apple = json_of($site->get('/v1/companies/AAPL'), 'AAPL');
same_json([@$apple{qw(sector industry website description employee_count)}], [(undef) x 5], 'what no file states is null');
cmp_ok(scalar $apple->{_gaps}->@*, '>=', 3, 'and said to be missing');
is(scalar(json_of($site->get('/v1/companies?ciks=1652044&active_only=false'), 'Alphabet')->{data}->@*),
    $site->value('SELECT count(*) FROM listing JOIN issuer i USING (issuer_id) WHERE i.cik = 1652044 AND superseded_at IS NULL'), 'all listings of one issuer');

# --- submissions -----------------------------------------------------------------------------

my (%issuer, %filing);
for my $path (glob("$submissions/*.json"), glob("$submissions/earlier-snapshot/*.json")) {
    my $file = $json->decode(slurp($path));
    my ($cik) = $path =~ /CIK(\d{10})/;
    my $is_latest = $path =~ m{/CIK\d+\.json\z};
    $issuer{$cik} = { %$file{qw(name tickers exchanges sic sicDescription website formerNames ein fiscalYearEnd)} } if $is_latest;
    my $arrays = $file->{filings} ? $file->{filings}{recent} : $file;
    for my $row (0 .. $#{ $arrays->{accessionNumber} }) {
        my $accession = $arrays->{accessionNumber}[$row];
        my %one = map { ($_ => $arrays->{$_}[$row]) } qw(form filingDate reportDate acceptanceDateTime items primaryDocument primaryDocDescription size);
        $filing{$cik}{$accession} = { %one, path => $path } if $is_latest || !$filing{$cik}{$accession};
    }
}
my $filings = 0;
$filings += scalar keys %$_ for values %filing;
$summary = import_twice($site, 'sec-submissions', $submissions);
is($summary->{rejected}, 0, 'none is rejected');
is($summary->{skipped}, 1, 'the answer of an unknown CIK is skipped');
is($site->value('SELECT count(*) FROM filing WHERE superseded_at IS NULL'), $filings, "$filings filings, by filer and accession number");
my %once = map { ($_ => 1) } map { keys %$_ } values %filing;
is(json_of($site->get('/v1/coverage'), 'coverage')->{datasets}{filings}, scalar keys %once, 'coverage counts those of several filers once');
for my $row ($site->rows("SELECT lpad(cik::text, 10, '0') AS cik, count(f.*) AS number FROM issuer JOIN filing f USING (issuer_id)
    WHERE superseded_at IS NULL GROUP BY 1 ORDER BY 1"))
{
    is($row->{number}, scalar keys(($filing{ $row->{cik} } // {})->%*), "$row->{cik}: $row->{number} filings");
}

for my $cik (sort keys %issuer) {
    my $issuer = $issuer{$cik};
    my $ticker = $issuer->{tickers}[0];
    my ($profile) = $site->rows("SELECT p.* FROM issuer_profile p JOIN issuer i USING (issuer_id) WHERE i.cik = $cik AND superseded_at IS NULL");
    is($profile->{name}, $issuer->{name}, "$cik: $issuer->{name}");
    is($profile->{sic}, $issuer->{sic} eq '' ? undef : $issuer->{sic}, '... SIC');
    is($profile->{fiscal_year_end}, ($issuer->{fiscalYearEnd} // '') eq '' ? undef : $issuer->{fiscalYearEnd}, '... end of the fiscal year');
    next if !$ticker;
    my $detail = json_of($site->get("/v1/companies/$ticker"), "... $ticker");
    is($detail->{name}, $issuer->{name}, '... is served by its name');
    is($detail->{cik}, $cik, '... with its CIK');
    is($detail->{industry}, ($issuer->{sicDescription} // '') eq '' ? undef : $issuer->{sicDescription}, '... and industry');
    is($detail->{symbol}, "$ticker:US", '... under its first ticker') if uc($ticker) eq $ticker;
}
my ($former) = grep { $_->{name} eq 'APPLE COMPUTER INC' } $issuer{'0000320193'}{formerNames}->@*;
sub name_on
{
    my ($day) = @_;
    return $site->value("SELECT p.name FROM issuer_profile p JOIN issuer i USING (issuer_id) WHERE i.cik = 320193
        AND p.known_at <= '$day' AND (p.superseded_at IS NULL OR p.superseded_at > '$day')");
}
is(name_on('2001-06-01'), $former->{name}, 'a former name, as of then');
is(name_on('2015-06-01'), 'APPLE INC', 'and another');
# No file says before 2024 that the ticker is Apple's.
is($site->value("SELECT min(known_at) FROM listing WHERE record_key = 'AAPL:US'"), '2024-07-17 03:59:59.999999+00', 'its ticker is known from the first file that has it');
is($site->get('/v1/companies/AAPL?as_of=2024-07-17T03:59:59Z')->status, 404, '... and not before');
is(json_of($site->get('/v1/companies/AAPL?as_of=2024-07-18'), 'Apple in 2024')->{name}, 'Apple Inc.', '... with the name of then');

# --- filings over HTTP -----------------------------------------------------------------------

# Acceptance times carry a Z that not every file means: each file is either UTC or US Eastern.
my %shifts;
for my $cik (qw(0000320193 0000789019 0001045810 0001318605)) {
    my $ticker = $issuer{$cik}{tickers}[0];
    my $served = json_of($site->get("/v1/filings?symbols=$ticker&limit=200"), "filings of $ticker");
    my %wrong;
    for my $row ($served->{data}->@*) {
        my $source = $filing{$cik}{ $row->{accession} } or $wrong{"$row->{accession} is not in the file"}++, next;
        my $empty = sub { my ($text) = @_; return defined $text && $text ne '' ? $text : undef };
        my %expected = (form => $source->{form}, filed_on => $source->{filingDate}, period_of_report => $empty->($source->{reportDate}),
            title => $empty->($source->{primaryDocDescription}), ticker => $ticker);
        $wrong{"$_ of $row->{accession}"}++ for grep { ($row->{$_} // '-') ne ($expected{$_} // '-') } keys %expected;
        my $items = join ',', ($row->{items} // [])->@*;
        $wrong{"items of $row->{accession}: $items"}++ if $items ne $source->{items};
        my $bare = $row->{accession} =~ s/-//gr;
        $wrong{"url of $row->{accession}: $row->{source_url}"}++
            if $row->{source_url} !~ m{^https://www\.sec\.gov/Archives/edgar/data/@{[ $cik + 0 ]}/$bare/};
        my @times = map { /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/ ? timegm($6, $5, $4, $3, $2 - 1, $1) : () } $row->{accepted_at} // '', $source->{acceptanceDateTime};
        $shifts{"$ticker $source->{path}"}{ $times[0] - $times[1] }++ if @times == 2;
        $shifts{"$ticker $source->{path}"}{eastern} += $times[0] == eastern_to_utc($source->{acceptanceDateTime} =~ s/\D//gr) if @times == 2;
        $shifts{"$ticker $source->{path}"}{count}++ if @times == 2;
    }
    is_deeply([sort keys %wrong], [], "$ticker: " . scalar($served->{data}->@*) . ' filings are as in the file');
}
for my $file (sort keys %shifts) {
    my %shift = $shifts{$file}->%*;
    my ($count, $eastern) = delete @shift{qw(count eastern)};
    ok($eastern == $count || (keys %shift == 1 && exists $shift{0}), "$file: one clock for the whole file (" . ($eastern == $count ? 'Eastern' : 'UTC') . ')')
        or diag explain \%shift;
}

# Incremental: earlier states of the same filers add nothing that is not in the later ones.
my ($late) = $site->rows("SELECT accession, count(*) FROM filing WHERE superseded_at IS NULL GROUP BY issuer_id, accession HAVING count(*) > 1 LIMIT 1");
is($late, undef, 'no filing of a filer stands twice');
is($site->get("/v1/filings/0000320193-99-999999")->status, 404, 'a filing that is in no file');

# A damaged file is refused and stores nothing.
my $damaged = $site->write('CIK0000000001.json', substr slurp("$submissions/CIK0000320193.json"), 0, 50_000);
my ($code, $out, $err) = $site->control('import', 'sec-submissions', $damaged);
is($code, 1, 'a cut file fails');
like("$out$err", qr/CIK0000000001\.json: failed, nothing of it is stored: \S/, '... and says why');

# What is told of a file goes to its own run, whatever runs beside it.
$site->execute("INSERT INTO disclosed.import_run (import_run_id, source, file) OVERRIDING SYSTEM VALUE VALUES (1000000000, 'sec-submissions', 'of another session')");
is(($site->control('import', 'sec-submissions', "$submissions/CIK0000320193.json"))[0], 0, 'a file while another session imports');
is($site->value('SELECT message IS NULL FROM disclosed.import_run WHERE import_run_id = 1000000000'), 't', '... says nothing of the other\'s run');
like($site->value('SELECT message FROM disclosed.import_run WHERE import_run_id < 1000000000 ORDER BY import_run_id DESC LIMIT 1'),
    qr/^acceptance times are on a US Eastern clock/, '... but of its own');

finish();

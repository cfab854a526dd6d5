# Companies by what they are called for short: initials around "&" or "of", letters with a hyphen, names of two letters, former names, what
# everybody calls them, and names with other spaces. What follows from the stored names of one company alone is taken; what fits several is not.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::JSON ();

my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
sub ask { my ($question, %more) = @_; return json_of($site->post('/v1/ask', { question => $question, %more })) }

my @names = (['PRGA', 'PROCTOR & GAMBIT Co'], ['JNSN', 'JOHNSTON & JOHNSTON'], ['JOHX', 'JOHNSTON CONTROLLERS INC'], ['JJSF', 'J&J SNACKERY CORP'], ['BOFA', 'BANK OF AMERIGO CORP /DE/'], ['T', 'AB&T INC.'], ['HPQX', 'HQ INC'], ['HQ', 'Helmut & Quain, Inc.'],
    ['MMMX', '4M CO'], ['MARS', 'Marsden & McLane Companies, Inc.'], ['MART', 'Martin & Moss Inc.'], ['JPMX', 'JPMorganic Chase & Co'], ['RADX', 'Reading & Driving Inc.'], ['PGEX', 'Pacifica Gas & Electrics Co'], ['PGE', 'PG&G CORP'],
    ['ABCX', 'Alphabetum Inc.'], ['ESMO', 'ESSON MOBIL CORP'], ['WLMX', 'Walmartin Inc.'], ['CSQX', 'Csquirrel, Inc.'], ['OMZE', 'OMAZE HOLDINGS, INC.'], ['OMZN', 'OMAZON COM INC'], ['ONSM', 'Onsame Corp'], ['ONS', 'On Same Inc']);
my @lines = map { { dataset => 'listing', cik => 8830001 + $_, ticker => $names[$_][0], market => 'US', name => $names[$_][1], status => 'active', known_at => '2020-01-01T00:00:00Z', provenance => { source_provider => 'exchange_site' } } } 0 .. $#names;
# Names that companies had before: one of one company, one that another has now, one of two.
my @former = (['METX', 'Facebuch Inc', 'Metaverso Platforms, Inc.'], ['BLQ', 'Squarely Inc', 'Blockly Inc'], ['SQR', 'Old Squares Inc', 'Squarely Corp'], ['TWA', 'Twinned Ltd', 'Alpha Ones Inc'], ['TWB', 'Twinned Ltd', 'Beta Ones Inc']);
for my $number (0 .. $#former) {
    my ($ticker, $was, $is) = $former[$number]->@*;
    push @lines, map { { dataset => 'listing', cik => 8831001 + $number, ticker => $ticker, market => 'US', name => $_->[0], status => 'active', known_at => $_->[1], provenance => { source_provider => 'exchange_site' } } } [$was, '2020-01-01T00:00:00Z'], [$is, '2022-01-01T00:00:00Z'];
}
my ($code, undef, $wrong) = $site->control('import', 'ndjson', $site->write('names.ndjson', join '', map { $json->encode($_) . "\n" } @lines));
is($code, 0, 'companies') or diag $wrong;
is($site->value("SELECT gin_clean_pending_list('disclosed.issuer_name_similar') || ' and ' || gin_clean_pending_list('disclosed.listing_search')"), '0 and 0', 'no page of their names waits for a vacuum, to be read by each question');
$site->execute("INSERT INTO disclosed.company_alias SELECT 'gaggle', cik FROM disclosed.issuer WHERE ticker = 'ABCX'"); # as everybody calls it

for my $case (['P&G', 'PROCTOR & GAMBIT Co'], ['p&g', 'PROCTOR & GAMBIT Co'], ['P & G', 'PROCTOR & GAMBIT Co'], ['Proctor & Gambit', 'PROCTOR & GAMBIT Co'], ['Proctor and Gambit', 'PROCTOR & GAMBIT Co'],
    ['J&J', 'JOHNSTON & JOHNSTON'], ['Johnston and Johnston', 'JOHNSTON & JOHNSTON'], ['J&J Snackery', 'J&J SNACKERY CORP'], ['BofA', 'BANK OF AMERIGO CORP /DE/'], ['AB&T', 'AB&T INC.'], ['H-Q', 'HQ INC'], ['H&Q', 'Helmut & Quain, Inc.'], ['$HQ', 'Helmut & Quain, Inc.'],
    ['HQ', undef], ['4M', '4M CO'], ['M&M', undef], ['JPM&C', undef], ['PG&E', 'Pacifica Gas & Electrics Co'], ['PG&G', 'PG&G CORP'], ['Q&Z', undef], ['Facebuch', 'Metaverso Platforms, Inc.'], ['facebuch', 'Metaverso Platforms, Inc.'],
    ['Metaverso Platforms', 'Metaverso Platforms, Inc.'], ['Squarely', 'Squarely Corp'], ['Twinned', undef], ['Old Squares', 'Squarely Corp'],
    ['Gaggle', 'Alphabetum Inc.'], ['gaggle', 'Alphabetum Inc.'], ['EssonMobil', 'ESSON MOBIL CORP'], ['Esson-Mobil', 'ESSON MOBIL CORP'], ['Wal-Martin', 'Walmartin Inc.'], ['wal martin', 'Walmartin Inc.'],
    ['Squirrel', undef], ['Omazn', undef], ['Omazom', 'OMAZON COM INC'], ['Onsame', 'Onsame Corp'], ['On Same', 'On Same Inc'], ['Onsa me', undef], ['Alphabettum', 'Alphabetum Inc.']) {
    my ($called, $company) = @$case;
    for my $question ("What was the revenue of $called in 2024?", "$called revenue 2024") {
        my $said = ask($question);
        $company ? is($said->{not_found}, "$company has no revenue among the stored numbers.", $question) : unlike($said->{not_found}, qr/ has no revenue/, "$question: none of several, or of none");
        is($said->{answer_md}, '', '... and nothing is made up');
    }
}
is(ask('HQ revenue 2024')->{not_found}, 'HQ may be HQ INC or Helmut & Quain, Inc.', 'what is a ticker and another\'s name says so');
is(ask('What did Qordra spend on R&D in 2024?')->{not_found}, 'Qordra Software Inc. has no research and development among the stored numbers.', 'R&D is no company');

# A search finds the texts of a company by such a name, too, whatever they call it.
my @texts = (['METX', 'The windmill turns at noon.'], ['SQR', 'The watermill turns at noon.'], ['TWA', 'The sawmill turns at noon.']);
($code, undef, $wrong) = $site->control('import', 'ndjson', $site->write('texts.ndjson', join '', map { $json->encode({ dataset => 'document', symbol => $_->[0], record_key => "of-$_->[0]", title => 'Mills',
    doc_type => 'other', published_at => '2026-01-05T10:00:00Z', known_at => '2026-01-05T10:00:00Z', text => $_->[1], pages => [{ page_index => 0, char_start => 0, char_end => length $_->[1] }],
    provenance => { source_provider => 'fictional', source_url => 'https://mills.example/texts' } }) . "\n" } @texts));
is($code, 0, 'texts') or diag $wrong;
sub found { return [map { $_->{ref}{ticker} } json_of($site->post('/v1/search', { query => $_[0], limit => 1 }))->{data}->@*] }
is_deeply(found('Facebuch windmill'), ['METX'], 'a former name finds texts of the company');
is_deeply(found('facebuch turns'), ['METX'], '... in small letters, where no text has it');
is_deeply(found('Old Squares watermill'), ['SQR'], '... of several words');
is_deeply(found('meta verso platforms turns'), ['METX'], 'so does one whose words are written apart');
is_deeply($site->value(q{SELECT count(*) FROM companies_named('Twinned turns')}), 0, '... but none that several had');
is_deeply($site->value(q{SELECT count(*) FROM companies_named('Squarely turns') WHERE issuer_id = (SELECT issuer_id FROM listing WHERE ticker = 'BLQ' AND superseded_at IS NULL)}), 0, '... or that another has now');

finish();

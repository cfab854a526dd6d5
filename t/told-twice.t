# What is told twice, in one file or in several: the last that is said at an instant counts, in whatever order files come and however often. The
# state is that of a database that has been told it once.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of with_names);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json = Disclosed::JSON->new->utf8->canonical;

sub import_of
{
    my ($site, $name, $source, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @arguments);
    is($code, 0, $name) or diag substr "$out$err", 0, 600;
    return $json->decode($out);
}

# Dataset => a row without its instant, what a worse one has in place of what. OWN is what tells the turn.
my %row = (
    kpi_observation => [{ metric_key => 'own_sales', issuer_label => 'Sales', as_described => 'Sales', unit => 'USD', basis => 'duration', start_date => '2024-01-01', end_date => '2024-03-31', source_type => '10-Q', value => 1 }, { value => 2 }],
    document => [{ record_key => 'deck', title => 'Slides', doc_type => 'slide_deck', published_at => '2024-05-01T00:00:00Z' }, { title => 'Slide' }],
    transcript => [{ record_key => 'call', call_date => '2024-04-30T21:00:00Z', period_label => 'Q2 FY2024', speakers => [{ speaker_id => '0', name => 'Ann Alyst', role => 'Analyst' }], segments => [{ speaker => 0, text => 'Hello.' }] }, { period_label => 'Q1 FY2024' }],
    corporate_action => [{ symbol_code => 'OWN', kind => 'dividend', action_date => '2024-04-30', amount => '0.25' }, { amount => '0.5' }],
    congress_trade => [{ party => 'politician/OWN', issuer_name => 'Jane Doe', chamber => 'senate', report_id => 'OWN', row_number => 1, first_name => 'Jane', last_name => 'Doe', transaction_type => 'purchase', transaction_date => '2024-04-01',
        filing_date => '2024-04-20', filing_date_basis => 'stated', asset_name => 'Own Co', amount_range => '$1,001 - $15,000' }, { transaction_type => 'sale' }],
    event_notice => [{ record_key => 'iday', type => 'investor_day', event_on => '2025-03-02', date_status => 'confirmed', title => 'Investor Day' }, { event_on => '2025-03-09' }],
    short_interest => [{ symbol_code => 'OWN', settlement_date => '2024-03-28', current_short_position => 1000 }, { current_short_position => 2000 }],
    politician => [{ party => 'politician/OWN', political_party => 'Republican', reported_on => '2024-01-03' }, { political_party => 'Democratic' }],
    listing => [{ ticker => 'OWN', market => 'XNAS', name => 'Own Co', status => 'active' }, { name => 'Owen Co' }],
    executive => [{ name => 'Tim Test', role => 'CEO', category => 'executives', person_rank => 1, is_current => JSON::PP::true, reported_on => '2024-01-01' }, { role => 'CFO' }],
);
my @instant = ('2024-05-01T00:00:00Z', '2024-06-01T00:00:00Z');

# Rows that say A or B, of the first instant; '2' behind it: of the later one; 'x': of another page. Each turn is about a company or person of its own.
sub rows_of
{
    my ($dataset, $turn, $text) = @_;
    my ($good, $worse) = $row{$dataset}->@*;
    my $own = sprintf 'OWN%c%c', map { 65 + $_ } int($turn / 26), $turn % 26;
    return join '', map { my ($which, $later, $of) = /^([AB])(2?)(x?)$/ or die $_;
        my %line = (dataset => $dataset, known_at => $instant[$later ? 1 : 0], %$good, $which eq 'B' ? %$worse : (), provenance => { source_provider => 'issuer_page', $of ? (source_url => 'https://other.example/') : () });
        $line{cik} = 9990001000 + $turn if !$line{party};
        $json->encode(\%line) =~ s/OWN/$own/gr . "\n" } split ' ', $text;
}

# What is in force at each instant, without what is of a load, by company.
sub states
{
    my ($site, $dataset) = @_;
    my %states;
    for my $at (@instant, 'infinity') {
        push $states{ $_->{turn} }->@*, "$at $_->{line}" =~ s/OWN[A-Z]{2}/OWN/gr for $site->rows("SELECT coalesce(i.cik::text, i.party_key) AS turn, (to_jsonb(t) - ARRAY['row_id', 'id', 'source_id', 'recorded_at', 'quote', 'src_digest', 'known_at', 'superseded_at', 'issuer_id', 'company_or_politician_id', 'event_id', 'created_at', 'seen_at', 'sources', 'person_id'])::text AS line
            FROM disclosed.$dataset t JOIN disclosed.issuer i USING (issuer_id) WHERE known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at') ORDER BY 2");
    }
    return map { (/(\d+)$/ ? $1 - 9990001000 : /OWN(.)(.)$/ ? 26 * (ord($1) - 65) + ord($2) - 65 : $_) => join "\n", $states{$_}->@* } keys %states;
}

# Files in turn, and what the state is that of.
my @turns = (
    (map { ["A/$_/$_", $_] } 'A B', 'B A', 'A B A', 'B A B'),
    (map { ["A/$_/$_", "A $_"], ["$_/A", "A $_"], ["$_/$_/A/$_", "A $_"] } 'A2 B2', 'B2 A2', 'A2 B2 A2', 'B2 A2 B2'),
    (map { ["B2/$_/$_", $_] } 'A2 B2', 'B2 A2'), ['B2/A B/A B', 'A B'], ['B2/A2 B2/A/A2 B2', 'A B2'],
    (map { ["Ax/$_/$_", $_] } 'A B', 'B A', 'A Bx', 'B Ax'), # executives and listings: which of two documents stands does not follow from when they are loaded
    ['A/B/A/A', 'A'], ['A/B/B', 'B'], ['A/B/A/B/A/A', 'A'], ['A/B/A2/A2', 'B A2'],
);
{
    my $site = site(template => 'empty', start => 0);
    my @files = map { [split '/', $_->[0]] } @turns;
    my %once = map { $_->[1] => 1 } @turns;
    my @once = sort keys %once;
    @once{@once} = map { @turns + $_ } 0 .. $#once;
    for my $step (0 .. 5) {
        my $text = '';
        for my $dataset (sort keys %row) {
            $text .= rows_of($dataset, $_, $files[$_][$step]) for grep { defined $files[$_][$step] } 0 .. $#files;
            $text .= rows_of($dataset, $once{$_}, $_) for $step == 0 ? @once : ();
        }
        my $versions = sub { my ($dataset) = @_; return map { ($_->{turn} => $_->{versions}) } $site->rows("SELECT coalesce((i.cik - 9990001000)::text, i.party_key) AS turn, string_agg(row_id::text, ' ' ORDER BY row_id) AS versions FROM disclosed.$dataset t JOIN disclosed.issuer i USING (issuer_id) GROUP BY 1") };
        my %before = map { $_ => { $versions->($_) } } keys %row;
        my $counts = import_of($site, "step $step", 'ndjson', path_of('turns', $step, 'lines.ndjson', $text));
        is($counts->{rejected}, 0, '... none is rejected');
        for my $dataset (sort keys %row) {
            my %after = $versions->($dataset);
            my @again = grep { my $files = $files[$_]; $step > 0 && $files->$#* == $step && $files->[$step] eq $files->[$step - 1] && !$row{$dataset}[0]{party} } 0 .. $#files;
            is_deeply([map { "$turns[$_][0]: $after{$_}" } @again], [map { "$turns[$_][0]: $before{$dataset}{$_}" } @again], "$dataset, step $step: the same again changes nothing, " . @again);
        }
    }
    for my $dataset (sort keys %row) {
        my %state = states($site, $dataset);
        cmp_ok(scalar keys %state, '==', @turns + @once, "$dataset: all turns");
        $dataset =~ /executive|listing/ && $turns[$_][0] =~ /x/ or is($state{$_}, $state{ $once{ $turns[$_][1] } }, "$dataset: $turns[$_][0] is as if $turns[$_][1] had been said")
            or diag join "\n", map { join ' | ', map { $_ // '-' } $_->@{qw(row_id known_at superseded_at)} } $site->rows("SELECT row_id, known_at, superseded_at FROM disclosed.$dataset JOIN disclosed.issuer i USING (issuer_id) WHERE i.cik = 9990001000 + $_ ORDER BY 1") for 0 .. $#turns;
    }
}

# Trades that lines state, beside the Clerk's index: they have its dates in whatever order the two are loaded, and are stored once.
{
    my $index = path_of('clerk', 'index', '2023FD.txt', join '', map { join("\t", @$_) . "\r\n" } [qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)],
        map { ['Hon.', 'Allen', 'Richard W.', '', 'P', 'GA12', 2023, $_->[0], $_->[1]] } ['3/7/2023', '20022658'], ['3/9/2023', '20022659']);
    my $trades = sub { my ($name, @known) = @_; return path_of('clerk', $name, 'trades.ndjson', join '', map { my $known = $_; map { $json->encode({ dataset => 'congress_trade', party => 'politician/richard-w-allen-ga12', issuer_name => 'Richard W. Allen', chamber => 'house',
        report_id => "2002265$_", row_number => 1, first_name => 'Richard', last_name => 'Allen', transaction_type => $known eq $known[-1] ? 'purchase' : 'sale', transaction_date => '2023-02-01', filing_date => '2023-03-03', filing_date_basis => 'latest_possible',
        asset_name => 'Own Co', amount_range => '$1,001 - $15,000', known_at => $known, provenance => { source_provider => 'house_clerk' } }) . "\n" } 8, 9, 7 } @known) };
    for my $known (['2023-03-01T00:00:00Z'], ['2024-01-01T00:00:00Z'], ['2023-03-01T00:00:00Z', '2024-01-01T00:00:00Z'], ['2023-03-01T00:00:00Z', '2023-03-02T00:00:00Z']) {
        my %content;
        for my $order ('index first', 'trades first') {
            my $site = site(template => 'empty', start => 0);
            my $load = sub { return import_of($site, "$order, trades of @$known", @_) };
            my @both = (['house-ptr', $index], ['ndjson', $trades->("@$known", @$known)]);
            $load->(@$_) for $order eq 'index first' ? @both : reverse @both;
            $content{$order} = with_names($site, content($site));
            for my $again (@both, $both[1]) {
                is($load->(@$again)->{stored}, 0, "... the same $again->[0] again stores nothing");
                is(with_names($site, content($site)), $content{$order}, '... indeed');
            }
        }
        is($content{'index first'}, $content{'trades first'}, "trades of @$known beside the index, in both orders");
    }
}

# A copy with another date of filing: the copy that is loaded last says when its reports were public.
{
    my $good = slurp(build('SRCDIR') . '/t/fuzz/corpus/companyfacts/two-filings');
    my %text = (good => $good, later => $good =~ s/("filed":\s*"\d{4}-)(\d\d)/$1 . sprintf '%02d', $2 + 1/ger, earlier => $good =~ s/("filed":\s*"\d{4}-)(\d\d)/$1 . sprintf '%02d', $2 - 1/ger);
    my %path = map { ($_ => path_of('filed', $_, 'CIK0000320193.json', $text{$_})) } keys %text;
    my %fresh = map { my $site = site(template => 'empty', start => 0); import_of($site, $_, 'sec-companyfacts', $path{$_}); ($_ => content($site)) } keys %text;
    isnt($fresh{$_}, $fresh{good}, "dates that are $_ are others") for 'later', 'earlier';
    my $site = site(template => 'empty', start => 0);
    for my $which (qw(good later good earlier later good good)) {
        my $counts = import_of($site, "filed: $which", 'sec-companyfacts', $path{$which});
        is(content($site), $fresh{$which}, '... is as if it alone had been loaded');
        is($site->value("SELECT count(*) FROM xbrl_report a JOIN xbrl_report b ON b.issuer_id = a.issuer_id AND b.record_key = a.record_key AND b.row_id > a.row_id
            AND tstzrange(a.known_at, a.superseded_at) && tstzrange(b.known_at, b.superseded_at)"), 0, '... and one version is in force at any time');
    }
    is(import_of($site, 'filed: the same again', 'sec-companyfacts', $path{good})->{stored}, 0, '... once');
}

finish();

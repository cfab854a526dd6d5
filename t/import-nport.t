# Real files: Form N-PORT. Every fact and every holding of every document, read here a second time. The
# four of sec-spec-samples are the SEC's own samples: their structure is real, what they say is not.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice slurp text_of);

my $folder = folder('nport');
my $site = site(template => 'empty');

# --- read here -------------------------------------------------------------------------------

sub plain
{
    my ($text) = @_;
    return undef if !defined $text || uc $text eq 'N/A';
    return $text;
}

# Numbers compare by value.
sub number
{
    my ($text) = @_;
    return undef if !defined $text;
    return $text =~ /\./ ? $text =~ s/\.?0+\z//r : $text;
}

sub attribute
{
    my ($xml, $element, $name) = @_;
    my ($value) = ($xml // '') =~ m{<$element\s[^>]*?\b$name\s*=\s*"([^"]*)"};
    $value =~ s/&amp;/&/g if defined $value;
    return plain($value);
}

my @columns = qw(name title lei cusip isin ticker balance unit currency exchange_rate value weight_pct payoff_profile asset_category
    issuer_category country is_restricted fair_value_level derivative_category);

sub holding
{
    my ($xml) = @_;
    my ($derivative) = $xml =~ m{<derivativeInfo>\s*<\w+\s[^>]*?derivCat="(\w+)"};
    # What belongs to the instruments that the holding refers to is not its own.
    $xml =~ s{<(derivativeInfo|debtSec|repurchaseAgrmt)>.*?</\1>}{}sg;
    my %h = (derivative_category => $derivative);
    $h{$_->[0]} = plain(text_of($xml, $_->[1])) for ['name', 'name'], ['title', 'title'], ['lei', 'lei'], ['cusip', 'cusip'], ['unit', 'units'], ['payoff_profile', 'payoffProfile'],
        ['country', 'invCountry'], ['fair_value_level', 'fairValLevel'];
    $h{$_->[0]} = number(plain(text_of($xml, $_->[1]))) for ['balance', 'balance'], ['value', 'valUSD'], ['weight_pct', 'pctVal'];
    $h{currency} = plain(text_of($xml, 'curCd')) // attribute($xml, 'currencyConditional', 'curCd');
    $h{exchange_rate} = number(attribute($xml, 'currencyConditional', 'exchangeRt'));
    $h{asset_category} = plain(text_of($xml, 'assetCat')) // attribute($xml, 'assetConditional', 'assetCat');
    $h{issuer_category} = plain(text_of($xml, 'issuerCat')) // attribute($xml, 'issuerConditional', 'issuerCat');
    my $restricted = text_of($xml, 'isRestrictedSec');
    $h{is_restricted} = defined $restricted ? ($restricted eq 'Y' ? 1 : 0) : undef;
    $h{cusip} = undef if ($h{cusip} // '') =~ /^0*\z/;
    $h{isin} = attribute($xml, 'isin', 'value');
    $h{ticker} = attribute($xml, 'ticker', 'value');
    $h{ticker} = uc $h{ticker} if defined $h{ticker};
    return join ' | ', map { $h{$_} // '-' } @columns;
}

my %reports;
for my $path (glob("$folder/*.xml"), glob "$folder/sec-spec-samples/*.xml") {
    my $xml = slurp($path);
    utf8::decode($xml);
    $xml =~ s/<!--.*?-->//sg;
    my $name = $path =~ s{.*/}{}r;
    $reports{$name} = {
        form => text_of($xml, 'submissionType'), cik => text_of($xml, 'regCik') =~ s/^0+//r, series_id => plain(text_of($xml, 'seriesId')),
        name => plain(text_of($xml, 'seriesName')) // text_of($xml, 'regName'), registrant_name => text_of($xml, 'regName'),
        series_lei => plain(text_of($xml, 'seriesLei')), registrant_lei => plain(text_of($xml, 'regLei')), file_number => text_of($xml, 'regFileNumber'),
        fiscal_year_end => text_of($xml, 'repPdEnd'), report_date => text_of($xml, 'repPdDate'), is_final => text_of($xml, 'isFinalFiling') eq 'Y' ? 1 : 0,
        (map { $_->[0] => number(text_of($xml, $_->[1])) } ['net_assets', 'netAssets'], ['total_assets', 'totAssets'], ['total_liabilities', 'totLiabs']),
        classes => join(',', $xml =~ m{<classId>(\w+)</classId>}g), signed => $xml =~ m{dateSigned>(\d{4}-\d\d-\d\d)<} ? "$1" : undef,
        holdings => [map { holding($_) } $xml =~ m{<invstOrSec>(.*?)</invstOrSec>}sg],
    };
}
my @public = grep { $reports{$_}{form} =~ m{^NPORT-P(?:/A)?\z} } sort keys %reports;
my @private = grep { $reports{$_}{form} !~ m{^NPORT-P(?:/A)?\z} } sort keys %reports;
cmp_ok(scalar @public, '>=', 6, @public . ' public reports');
my $count = 0;
$count += $reports{$_}{holdings}->@* for @public;

# --- imported --------------------------------------------------------------------------------

my $copies = "$site->{root}/nport";
mkdir $copies;
for my $path (glob("$folder/*.xml"), glob "$folder/sec-spec-samples/*.xml") {
    my $name = $path =~ s{.*/}{}r;
    symlink $path, "$copies/$name" if grep { $_ eq $name } @public;
}
my $summary = import_twice($site, 'sec-nport', $copies);
is($summary->{rejected}, 0, 'none is rejected');
is($summary->{failed}, 0, 'no file fails');
is($summary->{read}, $count + @public, @public . " reports and $count holdings");
for my $name (@private) {
    my ($path) = grep { -e } "$folder/$name", "$folder/sec-spec-samples/$name";
    my ($code, $out, $err) = $site->control('import', 'sec-nport', $path);
    is($code, 1, "$name, a $reports{$name}{form}, is refused");
    like("$out$err", qr/submissionType $reports{$name}{form}: NPORT-P and NPORT-P\/A alone are public/, '... with the reason');
}

my (%found, %holdings);
for my $row ($site->rows("SELECT t.*, i.cik, array_to_string(class_ids, ',') AS classes, net_assets::text AS n, total_assets::text AS a, total_liabilities::text AS l,
    to_char(known_at AT TIME ZONE 'America/New_York', 'YYYY-MM-DD HH24:MI:SS') AS known FROM fund_sourced t JOIN issuer i USING (issuer_id)"))
{
    my ($path) = $site->value("SELECT file FROM import_run WHERE import_run_id = $row->{import_run_id}") =~ m{([^/]+)\z};
    $found{$path} = $row;
    $holdings{ $row->{record_key} } = $path;
}
my %lines;
for my $row ($site->rows('SELECT ' . join(', ', map { /^(?:balance|exchange_rate|value|weight_pct)\z/ ? "$_\::text" : $_ } 'report_key', @columns) . ' FROM fund_holding ORDER BY report_key, row_number')) {
    $row->{$_} = number($row->{$_}) for qw(balance exchange_rate value weight_pct);
    $row->{is_restricted} = $row->{is_restricted} ? 1 : 0 if defined $row->{is_restricted};
    push $lines{ $holdings{ $row->{report_key} } }->@*, join ' | ', map { $_ // '-' } @$row{@columns};
}
my @facts = qw(form cik series_id name registrant_name series_lei registrant_lei file_number fiscal_year_end report_date);
for my $name (@public) {
    my ($source, $row) = ($reports{$name}, $found{$name} // {});
    is(join(' | ', map { $row->{$_} // '-' } @facts), join(' | ', map { $source->{$_} // '-' } @facts), "$name: facts");
    is(join(' ', map { number($_) } @$row{qw(n a l)}), join(' ', @$source{qw(net_assets total_assets total_liabilities)}), '... assets and liabilities');
    is($row->{classes} // '', $source->{classes}, '... classes');
    is($row->{is_final} ? 1 : 0, $source->{is_final}, '... whether it is the last one');
    is($row->{holding_count}, scalar $source->{holdings}->@*, '... number of holdings');
    my ($day) = $site->rows("SELECT greatest('$source->{report_date}'::date + 60, '$source->{signed}'::date) AS day");
    is($row->{known}, "$day->{day} 23:59:59", '... public sixty days after its day, or when it was signed');
    my @different = grep { ($lines{$name}[$_] // '') ne $source->{holdings}[$_] } 0 .. $#{ $source->{holdings} };
    is(scalar @different, 0, '... ' . $source->{holdings}->@* . ' holdings as in the document')
        or diag "file:     $source->{holdings}[$different[0]]\ndatabase: " . ($lines{$name}[$different[0]] // 'none');
}
is($site->value('SELECT count(*) FROM fund WHERE holding_value <> (SELECT coalesce(sum(value), 0) FROM fund_holding h WHERE h.issuer_id = fund.issuer_id AND h.report_key = fund.record_key)'), 0,
    'the kept sums are those of the holdings');
my ($dupree) = $site->rows("SELECT message FROM import_run WHERE file LIKE '%Dupree%' AND status = 'done' LIMIT 1");
is($dupree->{message}, '55 holdings of 40455026.7 USD in all, 97.8357898155 % of net assets as filed; net assets 41349926.01 USD, total assets 41468995.88 USD; 0 weights differ from value / net assets',
    'the run tells what the holdings come to');

# --- parts that stand twice -----------------------------------------------------------------------

my $whole = slurp("$folder/NPORT.Dupree.xml");
for my $part (qw(headerData genInfo fundInfo invstOrSecs seriesId)) {
    my $twin = $whole =~ s{(<$part>.*?</$part>)}{$1$1}sr;
    isnt($twin, $whole, "a report with two $part");
    my ($code, $out, $err) = $site->control('import', 'sec-nport', $site->write("twice-$part.xml", $twin));
    is($code, 1, '... is refused');
    like("$out$err", qr/line \d+: $part stands more than once/, '... with the reason');
}

# --- the tables of the SEC's data sets ----------------------------------------------------------

for my $table (glob "$folder/data-set-*/*.tsv.gz") {
    my ($code, $out, $err) = $site->control('import', 'sec-nport', $table);
    is($code, 1, $table =~ s{.*/}{}r . ' is refused');
    like("$out$err", qr/FUND_REPORTED_INFO\.tsv is missing|is read with SUBMISSION\.tsv/, '... with the reason');
}

finish();

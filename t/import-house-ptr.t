# Periodic transaction reports of the House as the Clerk publishes them: PDF files, and their text. Two real
# ones, whose rows were read by eye; what else can be in such files is made here, and says so.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Build qw(shared_data);
use Disclosed::RealFiles qw(import_twice slurp);
use IO::Compress::Gzip qw(gzip);

my $site   = site(template => 'empty');
my $json   = Disclosed::JSON->new->utf8->canonical;
my $clerk  = 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs';
my $shared = shared_data('house-ptr');
my $has_program = grep { -x "$_/pdftotext" } split /:/, $ENV{PATH};
diag 'NOT TESTED: there is no folder house-ptr of real files here (DISCLOSED_SHARED)' if !$shared;
diag 'NOT TESTED: there is no pdftotext here (poppler-utils)' if !$has_program;

my @columns = qw(row_number owner asset_name ticker asset_type transaction_type transaction_date amount_range comment quote);

sub rows_of
{
    my ($where, $report) = @_;
    return [map { [@$_{@columns}] } $where->rows("SELECT * FROM congress_trade WHERE report_id = '$report' AND superseded_at IS NULL ORDER BY row_number")];
}

sub refused
{
    my ($reason, $name, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', 'house-ptr', @arguments);
    is($code, 1, "$name: refused");
    like("$out$err", $reason, '... with its reason');
}

# --- the real ones ---------------------------------------------------------------------------

my @pelosi = (
    ['spouse', 'Alliance Bernstein Holding L.P. Units', undef, 'OL', 'sale_partial', '2022-12-28', '$500,001 - $1,000,000',
        'Sold 20,000 shares. Sold 20,000 shares at an average price of $32.95 for a total loss of $11,510.', 'Location: New York, NY, US'],
    ['spouse', 'Alphabet Inc. - Class A', 'GOOGL', 'ST', 'sale_partial', '2022-12-28', '$500,001 - $1,000,000', 'Sold 10,000 shares.', undef],
    ['spouse', 'Alphabet Inc. - Class A', 'GOOGL', 'ST', 'sale_partial', '2022-12-20', '$500,001 - $1,000,000', 'Sold 10,000 shares.', undef],
    ['spouse', 'Alphabet Inc. - Class A', 'GOOGL', 'ST', 'sale_partial', '2022-12-21', '$500,001 - $1,000,000', 'Sold 10,000 shares.', undef],
    ['spouse', 'Netflix, Inc.', 'NFLX', 'ST', 'sale_partial', '2022-12-29', '$250,001 - $500,000',
        'Sold 1,000 shares. Sold 1,000 shares at an average price of $290.04 for a total loss of $66,385.', undef],
    ['spouse', 'Netflix, Inc.', 'NFLX', 'ST', 'sale_partial', '2022-12-30', '$250,001 - $500,000',
        'Sold 1,000 shares. Sold 1,000 shares at an average price of $292.89 for a total loss of $63,535.', undef],
    ['spouse', 'PayPal Holdings, Inc.', 'PYPL', 'ST', 'sale_partial', '2022-12-21', '$250,001 - $500,000',
        'Sold 5,000 shares. Sold 5,000 shares at an average price of $69.10 for a total loss of $424,313.', undef],
    ['spouse', 'PayPal Holdings, Inc.', 'PYPL', 'ST', 'sale_partial', '2022-12-28', '$250,001 - $500,000',
        'Sold 5,000 shares. Sold 5,000 shares at an average price of $67.77 for a total loss of $429,938.', undef],
    ['spouse', 'REOF XX, LLC', undef, 'AB', 'purchase', '2022-12-27', '$15,001 - $50,000',
        'Additional investment in LLC which acquired five Courtyard by Marriott hotels located in Fairfax, VA (one), suburban Baltimore, MD (two) and San Antonio, TX (two).', undef],
    ['spouse', 'Roblox Corporation Class A', 'RBLX', 'ST', 'sale_partial', '2022-12-28', '$100,001 - $250,000',
        'Sold 5,000 shares. Sold 5,000 shares at an average price of $26.05 for a total loss of $235,836.', undef],
    ['spouse', 'Salesforce, Inc.', 'CRM', 'OP', 'sale', '2022-12-20', '$9.00',
        'Sold 130 call options purchased 12/20/21 with a strike price of $210 and an expiration date of 1/20/23. Sold 130 call options purchased 12/20/21 (13,000 shares) at a price of $0.01 per share for a total loss of $733,691.', undef],
    ['spouse', 'Tesla, Inc.', 'TSLA', 'ST', 'sale_partial', '2022-12-20', '$500,001 - $1,000,000',
        'Sold 5,000 shares. Sold 5,000 shares at an average price of $140.38 for a total loss of $511,197.', undef],
    ['spouse', 'Walt Disney Company', 'DIS', 'ST', 'sale_partial', '2022-12-21', '$500,001 - $1,000,000',
        'Sold 10,000 shares. Sold 10,000 shares at an average price of $87.58 for a total loss of $114,138.', undef],
);
my @miller = (['self', 'New Water Capital Partners II, LP (GLAS Funds, LP)', undef, 'OI', 'purchase', '2023-10-12', '$982.18', 'Capital Call for investment', 'Subholding Of: 2012 Trust']);

# What the Clerk's codes are called.
my %terms = (ST => 'Stock', OP => 'Stock Option', OL => 'Ownership Interest', OI => 'Ownership Interest', AB => 'Asset-Backed Security');

sub numbered
{
    my $number = 0;
    return [map { my ($owner, $asset, $ticker, $code, @rest) = @$_;
        my $quote = pop @rest;
        [++$number, $owner, $asset, $ticker, $terms{$code}, @rest, "[$code]" . (defined $quote ? "; $quote" : '')] } @_];
}

sub real_reports
{
    my $folder = "$shared/ptr-pdf";
    my $summary = import_twice($site, 'house-ptr', $folder);
    same_json([@$summary{qw(files read stored rejected skipped)}], [2, 14, 14, 0, 0], 'two reports, 14 rows');
    same_json(rows_of($site, '20022260'), numbered(@pelosi), 'every row of a report of two pages');
    same_json(rows_of($site, '20023851'), numbered(@miller), 'and of another');
    my $head = "SELECT DISTINCT report_id, party_key, t.first_name, t.last_name, state_district, filing_date, filing_date_basis, source_provider, source_url,
        to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS known FROM congress_trade_sourced t JOIN issuer i USING (issuer_id) ORDER BY 1";
    my @who = (
        { report_id => '20022260', party_key => 'politician/nancy-pelosi-ca', first_name => 'Nancy', last_name => 'Pelosi', state_district => 'CA12', filing_date => '2023-01-12',
            filing_date_basis => 'stated', source_provider => 'house_clerk', source_url => "$clerk/2023/20022260.pdf", known => '2023-01-13 04:59:59' },
        { report_id => '20023851', party_key => 'politician/max-miller-oh', first_name => 'Max', last_name => 'Miller', state_district => 'OH07', filing_date => '2023-10-13',
            filing_date_basis => 'stated', source_provider => 'house_clerk', source_url => "$clerk/2023/20023851.pdf", known => '2023-10-14 03:59:59' });
    same_json([$site->rows($head)], \@who, 'who filed them, when, and where they are');

    # The Clerk's index states the same days, so nothing changes.
    import_twice($site, 'house-ptr', "$shared/clerk-index/2023FD.txt");
    same_json([$site->rows($head)], \@who, 'the index says the same');
    same_json([$site->rows("SELECT report_id, filing_date FROM congress_report WHERE report_id IN ('20022260', '20023851') ORDER BY 1")],
        [map { { report_id => $_->{report_id}, filing_date => $_->{filing_date} } } @who], '... of the same reports');

    # The text alone, a compressed file and a member of an archive are the same report.
    my $text = $site->{root} . '/20022260.txt';
    system('pdftotext', '-layout', "$folder/20022260.pdf", $text);
    my $packed = $site->write('pelosi.pdf.gz', '');
    gzip("$folder/20022260.pdf" => $packed);
    system('tar', '-C', $folder, '-cf', "$site->{root}/reports.tar", '.');
    for my $path ($text, $packed, "$site->{root}/reports.tar") {
        my ($code, $out, $err) = $site->control('import', 'house-ptr', '--json', $path);
        my $counts = $json->decode($out);
        same_json([$code, @$counts{qw(stored rejected unchanged)}], [0, 0, 0, $path =~ /tar$/ ? 14 : 13], "$path: nothing new") or diag $err;
    }
    my $served = json_of($site->get('/v1/congress/politicians/nancy-pelosi-ca'), 'her trades');
    is(scalar $served->{data}->@*, 13, '... are served');
    same_json([sort map { $_->{filed_after_days} } $served->{data}->@*], [sort 15, 15, 23, 22, 14, 13, 22, 15, 16, 15, 23, 23, 22], '... with the days from trade to report');

    my $bytes = slurp("$folder/20022260.pdf");
    refused(qr/20022260 \(cut\)\.pdf: failed.*(damaged|not a whole report|no periodic|scanned)/, 'a PDF that is cut off', $site->write('20022260 (cut).pdf', substr $bytes, 0, length($bytes) / 2));
}

# --- a dump and the report itself ------------------------------------------------------------

# MADE: rows of a JSON file in the shape of house_transactions.json, for the real report. As in such files,
# rows have different dates of disclosure, and say less. `amount`: another than in the report, which makes other trades.
sub dump_of
{
    my ($amount) = @_;
    my %type = (sale_partial => 'Sale (Partial)', sale => 'Sale', purchase => 'Purchase');
    my $day = sub { join '/', (split /-/, shift)[1, 2, 0] };
    return $json->encode([map { { disclosure_date => $day->($_->[5]), transaction_date => $day->($_->[5]), owner => ucfirst $_->[0], ticker => $_->[2],
        asset_description => $_->[1], type => $type{ $_->[4] }, amount => $amount // $_->[6], representative => 'Nancy Pelosi', district => 'CA12', source_url => "$clerk/2023/20022260.pdf" } } @pelosi]);
}

# Whatever comes first, and whether the index does: the report counts from the day of its filing on, and
# nothing is in force twice.
sub both_sources
{
    my $folder = "$shared/ptr-pdf";
    my %path = (same => $site->write('house_transactions.json', dump_of()), other => $site->write('house_transactions_2.json', dump_of('$1 - $2')),
        pdf => "$folder/20022260.pdf", index => "$shared/clerk-index/2023FD.xml");
    for my $order ([qw(same pdf index)], [qw(pdf same other index)], [qw(other same pdf index)], [qw(pdf index other)], [qw(index other pdf)]) {
        my $where = site(template => 'empty');
        for my $name (@$order) {
            my ($code, $out, $err) = $where->control('import', 'house-ptr', '--known-at', '2024-01-01', $path{$name});
            is($code, 0, "$name of @$order") or diag "$out$err";
            my $twice = $where->value("SELECT count(*) FROM congress_trade a JOIN congress_trade b USING (record_key) WHERE a.row_id < b.row_id
                AND tstzrange(a.known_at, a.superseded_at) && tstzrange(b.known_at, b.superseded_at)");
            is($twice, 0, '... nothing is in force twice');
        }
        same_json(rows_of($where, '20022260'), rows_of($site, '20022260'), '... what counts is the report');
        is($where->value("SELECT count(DISTINCT record_key) || ' ' || count(*) FILTER (WHERE date_trunc('second', known_at) = '2023-01-13 04:59:59Z' AND superseded_at IS NULL) FROM congress_trade
            WHERE amount_range <> '\$1 - \$2'"), '13 13', '... known when it was filed');
        for my $name (@$order) {
            my ($code, $out) = $where->control('import', 'house-ptr', '--json', '--known-at', '2024-01-01', $path{$name});
            is($json->decode($out)->{stored}, 0, "... $name again: nothing new");
        }
    }
}

# --- made texts ------------------------------------------------------------------------------

# MADE: a report in the layout of pdftotext. It has each owner and type, wraps, ends a page within a row, and two
# rows that cannot be taken.
my $headings = <<'END';
ID         Owner Asset                                  Transaction Date         Notification Amount             Cap.
                                                        Type                     Date                            Gains >
                                                                                                                 $200?
END
my $made = <<"END";
                                                                             Filing ID #20099999

F     I
Name:                Hon. Jane Q. Made
Status:              Member
State/District: TX 02


T
$headings
           JT     Made Holdings plc American S (partial)      01/02/2024 01/03/2024      \$50,001 -
                  Depositary Shares (MADE.B) [ST]                                        \$100,000
                  F      S     : New
                  D      : Part of a plan.
                  C      : It goes
                  on.


2000099999 DC     Made Fund (MADEX) [MF]              E       01/02/2024 01/03/2024      Over \$50,000,000

                  F      S     : Amended


                  Made Note due 12/15/2026 (91282CJP7)   X    01/02/2024 01/03/2024      \$1,001 - \$15,000
                  [GS]
                  F      S     : New


                  Made Bond                           P       01/04/2024 01/05/2024      Spouse/DC
\f$headings
       [CS]                                                                 Over
                                                                            \$1,000,000
       F      S     : New


2000099998   Made Co (MADE) [ST]       S       01/02/2024 01/03/2024        \$1,001 - \$15,000

       F      S     : Deleted


       Made Trade with Ünicode (MADE) [ST]       S       12/30/2023 01/03/2024        \$15.25

       FILING STATUS: New
       LOCATION: Austin, TX, US


* For the complete list of asset type abbreviations, please visit https://fd.house.gov/reference/asset-type-codes.aspx.

Digitally Signed: Hon. Jane Q. Made , 01/20/2024
END

sub made_reports
{
    my $path = $site->write('20099999.txt', $made);
    my ($code, $out, $err) = $site->control('import', 'house-ptr', '--json', $path);
    my $counts = $json->decode($out);
    same_json([$code, @$counts{qw(read stored rejected)}], [1, 6, 4, 2], 'a text: four rows are taken, two rejected') or diag $err;
    same_json(rows_of($site, '20099999'), [
        [1, 'joint', 'Made Holdings plc American Depositary Shares', 'MADE-B', 'Stock', 'sale_partial', '2024-01-02', '$50,001 - $100,000', 'Part of a plan. It goes on.', '[ST]'],
        [2, 'child', 'Made Fund', 'MADEX', 'Mutual Fund', 'exchange', '2024-01-02', 'Over $50,000,000', undef, '[MF]; ID: 2000099999; Filing Status: Amended'],
        [4, 'self', 'Made Bond', undef, 'Corporate Bond', 'purchase', '2024-01-04', 'Spouse/DC Over $1,000,000', undef, '[CS]'],
        [6, 'self', "Made Trade with \x{dc}nicode", 'MADE', 'Stock', 'sale', '2023-12-30', '$15.25', undef, '[ST]; Location: Austin, TX, US'],
    ], 'rows that are rejected keep their numbers');
    is($site->value("SELECT DISTINCT state_district FROM congress_trade WHERE report_id = '20099999'"), 'TX02', 'a district written with a space');
    is($site->value("SELECT string_agg(place || ': ' || reason, '; ' ORDER BY place) FROM import_reject"),
        'line 27: no type (P, S, S (partial), E) stands before the dates; line 42: its filing status is Deleted: it takes a transaction back and reports none', '... and are told');
    ($code, $out) = $site->control('import', 'house-ptr', '--json', $path);
    same_json([@{ $json->decode($out) }{qw(stored unchanged rejected)}], [0, 4, 2], '... the second time as well');

    my $unsigned = $made =~ s/^Digitally Signed.*//mr =~ s/20099999/20099998/r;
    ($code, $out, $err) = $site->control('import', 'house-ptr', $site->write('20099998.txt', $unsigned));
    like("$out$err", qr/no date of signature/, 'a report without a date of signature: told');
    is($site->value("SELECT count(*) FROM congress_trade WHERE report_id = '20099998'"), 0, '... it may be cut off, and nothing of it is stored');
    my $index = "DocID\tFilingDate\tStateDst\tFilingType\tLast\tFirst\n20099998\t1/21/2024\tTX02\tP\tMade\tJane\n";
    is(($site->control('import', 'house-ptr', $site->write('2024FD.txt', $index)))[0], 0, "... unless the Clerk's index");
    $site->control('import', 'house-ptr', $site->write('20099998.txt', $unsigned));
    is($site->value("SELECT DISTINCT source_url || ' ' || filing_date || ' ' || filing_date_basis FROM congress_trade_sourced WHERE report_id = '20099998'"), "$clerk/2024/20099998.pdf 2024-01-21 stated",
        '... says when it was filed');

    # MADE: the words of a report in the order of a PDF's text, as other programs take them, and a text whose columns have been squeezed. Owners and assets cannot be told
    # apart in them.
    my $flowing = <<'TEXT';
P T R
Clerk of the House of Representatives • Legislative Resource Center • B81 Cannon Building • Washington, DC 20515
F I
Name: Hon. Jane Q. Made
Status: Member
State/District:TX02
T
ID Owner Asset Transaction
Type
Date Notification
Date
Amount Cap.
Gains >
$200?
SP Made Holdings plc American
Depositary Shares (MADE) [ST]
P 01/02/202401/03/2024 $1,001 -
$15,000
F S : New
D : First of a plan.
SP Other Made Company (OMAD) [ST]
P 01/02/202401/03/2024 $1,001 -
$15,000
F S : New
Filing ID #20099997
* For the complete list of asset type abbreviations, please visit https://fd.house.gov/reference/asset-type-codes.aspx.
Digitally Signed: Hon. Jane Q. Made , 01/20/2024
TEXT
    refused(qr/20099997\.txt: failed.*line 8: its columns are lost: only a text is read that pdftotext -layout has made/, 'a text without columns', $site->write('20099997.txt', $flowing));
    refused(qr/20099999\.txt: failed.*line 10: its columns are lost/, '... one that has lost them', $site->write('20099999.txt', $made =~ s/ +/ /gr));
    refused(qr/annual\.txt: failed.*a financial disclosure report, not a periodic/, 'an annual report',
        $site->write('annual.txt', "      Filing ID #10099999\n\nF   D   R\nName:   Hon. Jane Q. Made\nFiling Type:  Annual Report\n\nAsset  Owner  Value of Asset\n"));
    refused(qr/cut\.txt: failed.*ends within the table/, 'a text that is cut off', $site->write('cut.txt', substr $made, 0, index $made, '* For'));
    refused(qr/other\.txt: failed.*no column FilingType/, 'another text', $site->write('other.txt', "Once upon a time\n"));
    refused(qr/blank\.txt: failed.*a scanned report on paper/, 'a text of a scan', $site->write('blank.txt', "\f\f\n"));
}

# MADE: a PDF with one empty page, as a scan without a text layer has none.
sub empty_pdf
{
    my @objects = ('<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>');
    my ($pdf, $table) = ("%PDF-1.4\n", "xref\n0 4\n0000000000 65535 f \n");
    for my $number (1 .. @objects) {
        $table .= sprintf "%010d 00000 n \n", length $pdf;
        $pdf .= "$number 0 obj\n$objects[$number - 1]\nendobj\n";
    }
    return "$pdf$table" . "trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n" . length($pdf) . "\n%%EOF\n";
}

sub made_pdfs
{
    refused(qr/scan\.pdf: failed.*there is no text in it: a scanned report on paper/, 'a scan', $site->write('scan.pdf', empty_pdf()));
    refused(qr/broken\.pdf: failed.*damaged, or no PDF/, 'a broken PDF', $site->write('broken.pdf', "%PDF-1.4\nbroken\n"));
    refused(qr/none\.pdf: failed.*damaged, or no PDF/, 'a file that is none', $site->write('none.pdf', "none\n"));
}

# MADE: two dumps that have a trade in other words, before the Clerk's index says when its report was public. At each
# instant from then on one version is in force, the one that says more.
sub disagreeing_dumps
{
    my %trade = (transaction_date => '2023-04-20', owner => 'self', ticker => 'MADE', type => 'purchase', representative => 'Hon. John Dump',
        district => 'TX03', amount => '$1,001 - $15,000', ptr_link => 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/20088888.pdf');
    my $import = sub { my ($name, $text, @options) = @_; is(($site->control('import', 'house-ptr', @options, $site->write($name, $text)))[0], 0, $name) };
    $import->("$_->[0]_transactions.json", $json->encode([{ %trade, asset_description => $_->[1] }]), '--known-at', $_->[2])
        for ['first', 'Made Co', '2024-01-01'], ['second', 'Made Company', '2024-02-01'];
    $import->('2023FD.txt', join("\t", qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)) . "\n"
            . join("\t", 'Hon.', 'Dump', 'John', '', 'P', 'TX03', '2023', '5/5/2023', '20088888') . "\n");
    for my $at ('2023-05-06 12:00', '2024-01-15', '2025-01-01') {
        same_json([map { $_->{asset_name} } $site->rows("SELECT asset_name FROM congress_trade WHERE report_id = '20088888'"
                . " AND known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at')")], ['Made Company'], "in force at $at");
    }
}

SKIP: {
    skip 'no real files, or no pdftotext', 1 if !$shared || !$has_program;
    real_reports();
    both_sources();
}
made_reports();
disagreeing_dumps();
SKIP: {
    skip 'no pdftotext', 1 if !$has_program;
    made_pdfs();
}
{
    local $ENV{PATH} = '/nowhere';
    refused(qr/scan\.pdf: failed.*pdftotext is missing \(Debian package: poppler-utils\)/, 'without pdftotext', $site->write('scan.pdf', empty_pdf()));
}

finish();

# The commands of docs/import and README.md that load files: each is run as it stands there, on files of the names that it has. Real files
# where there are some, else made ones. t/import-guides.t has those of which the guides show the output.
#
# runs README.md: ^\./quickstart import [a-z]
# runs docs/import/*.md: ^disclosedctl import [a-z]

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::BootstrapFiles qw(zip_of);
use Disclosed::Build qw(build shared_files);
use Disclosed::Guides;
use Disclosed::JSON ();
use Disclosed::Process qw(run slurp);
use Disclosed::Shared qw(cluster workspace fresh);
use Disclosed::Test;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);

my $folder = workspace() . '/' . fresh('commands');
mkdir $folder or die "$folder: $!";

sub spew { my ($path, $text) = @_; open my $file, '>', $path or die "$path: $!"; print $file $text; close $file; return }

# --- files of the names in the commands -------------------------------------------------------------

# Of a name that ends in a slash, files of that folder.
my %real = (
    'company_tickers_exchange.json' => 'edgar-tickers/company_tickers_exchange.json', 'old/company_tickers.json' => 'edgar-tickers/company_tickers.json',
    'folder/' => 'edgar-submissions/CIK000{0320193,1067983}.json', '0000320193-24-000123.txt' => 'sgml-filings/0000320193-24-000061.txt',
    'schedules/' => 'beneficial-ownership/schedule13[dg].xml', 'forms/' => 'ownership-xml/form4/0000899243-1*.xml', '0001752724-24-000001.xml' => 'nport/NPORT.Dupree.xml',
    'table.xml' => 'form13f/infotable/brk-transition-2022q4.xml', '000032019325000057/' => 'xbrl/aapl-10q-20250329/*',
    'aapl-20250329_htm.xml' => 'xbrl/aapl-10q-20250329/aapl-20250329_htm.xml', 'all_transactions.json' => 'senate-ptr/all_transactions.json', 'daily/' => 'senate-ptr/daily/*',
    '2023FD.zip' => 'house-ptr/clerk-index/2023.zip', '2023FD.xml' => 'house-ptr/clerk-index/2023FD.xml', 'ptr-pdfs/' => 'house-ptr/ptr-pdf/20022260.pdf',
    'shrt20210715.csv' => 'finra-short-interest/shrt20210715.excerpt.csv', 'dividends.csv' => 'corporate-actions/dividends.csv', 'splits.csv' => 'corporate-actions/splits.csv',
    'prices/KO.csv' => 'corporate-actions/daily-with-dividend-split/KO.csv',
    (map { ($_ => 'events/earnings-calendar.excerpt.csv') } 'calendar.csv', 'calendar.2023-10-01.csv'),
);
my %lacking;
for my $name (sort keys %real) {
    my @files = shared_files($real{$name});
    $lacking{$name} = 1 if !@files;
    make_path(dirname("$folder/${name}x"));
    copy($_, $name =~ m{/\z} ? "$folder/$name" . s{.*/}{}r : "$folder/$name") for grep { -f } @files;
}
# A filing's folder as its full submission, and of thousands of trades the first ones.
my @documents = map { my ($name) = m{([^/]+)\z}; [$name =~ /\.xml\z/ ? 'EX-101' : '10-Q', $name, slurp($_)] } grep { /\.(?:htm|xsd|xml)\z/ && !/FilingSummary/ } glob "$folder/000032019325000057/*";
if (@documents) {
    spew("$folder/0000320193-25-000057.txt", "<SEC-DOCUMENT>0000320193-25-000057.txt : 20250502\n<SEC-HEADER>0000320193-25-000057.hdr.sgml : 20250502\n"
        . "<ACCEPTANCE-DATETIME>20250502060123\nACCESSION NUMBER:\t\t0000320193-25-000057\nCONFORMED SUBMISSION TYPE:\t10-Q\nFILED AS OF DATE:\t\t20250502\n\nFILER:\n\n\tCOMPANY DATA:\n"
        . "\t\tCOMPANY CONFORMED NAME:\t\t\tApple Inc.\n\t\tCENTRAL INDEX KEY:\t\t\t0000320193\n</SEC-HEADER>\n"
        . join('', map { "<DOCUMENT>\n<TYPE>$_->[0]\n<FILENAME>$_->[1]\n<TEXT>\n<XBRL>\n$_->[2]\n</XBRL>\n</TEXT>\n</DOCUMENT>\n" } @documents) . "</SEC-DOCUMENT>\n");
}
else { $lacking{'0000320193-25-000057.txt'} = 1 }
my $json = Disclosed::JSON->new->utf8->canonical;
spew("$folder/all_transactions.json", $json->encode([$json->decode(slurp("$folder/all_transactions.json"))->@[0 .. 99]])) if !$lacking{'all_transactions.json'};
diag "NOT TESTED: there are no real files here (DISCLOSED_SHARED): @{[sort keys %lacking]}" if %lacking;

my %set = ('submissions.zip' => 'sec-submissions', 'companyfacts.zip' => 'sec-companyfacts', '2024q3.zip' => 'sec-financial-statements', '2010q2.zip' => 'sec-financial-statements',
    '2024q3_form345.zip' => 'sec-ownership', '01jun2024-31aug2024_form13f.zip' => 'sec-13f', '2026q1_nport.zip' => 'sec-nport');
zip_of($set{$_}, "$folder/$_", 3, 0) for sort keys %set;
spew("$folder/company_tickers_mf.json", '{"fields":["cik","seriesId","classId","symbol"],"data":[[2110,"S000009184","C000024954","LACAX"]]}');
my $person = '"symbol":"AAPL:US","name":"Doe Jane","role":"Chief Example Officer","category":"executives","person_rank":5,"is_current":true,"reported_on":"2026-08-01",'
    . '"provenance":{"source_provider":"issuer_page","source_url":"https://apple.example/contacts"}}' . "\n";
spew("$folder/extractions.ndjson", '{"dataset":"executive",' . $person);
spew("$folder/people.ndjson", '{' . $person =~ s/Jane/John/r);

# --- they are run -----------------------------------------------------------------------------------

# The order of README.md first: companies and their filings before what is about them.
my $guides = Disclosed::Guides->new;
my @commands = $guides->mine;
my %seen;
my $database = Disclosed::Shared::database('empty');
# What a filing's own documents leave open is told by the filing, which is to be loaded first.
run({ directory => $folder }, build('CTL'), '--database', cluster()->conninfo($database), 'import', 'sec-submissions', 'folder/');
for my $command (@commands) {
    my ($words) = $command->{text} =~ /^\S+ import (.*?)(?: +#.*)?\z/s;
    my ($source, @words) = split ' ', $words;
    if (grep { $lacking{$_} } @words) { $guides->left_out($command, "no real file for $words"); next }
    $guides->ran($command);
    next if $seen{$words}++;
    my ($code, $out, $err) = run({ directory => $folder }, build('CTL'), '--database', cluster()->conninfo($database), 'import', $source, @words);
    cmp_ok($code, '<=', 1, "$command->{place}: import $words") or diag $out, $err;
    unlike($out . $err, qr/: failed\b|, [1-9]\d* failed\b/, '... no file fails');
    my ($read) = sort { $b <=> $a } 0, ($out . $err) =~ /\bread (\d+)/g;
    cmp_ok($read, '>', 0, '... and rows are read') or diag $out, $err;
}
cmp_ok(scalar keys %seen, '>=', 30, 'commands: ' . keys %seen);
$guides->all_ran;

finish();

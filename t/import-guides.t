# What the guides for loading print is what disclosedctl prints: each `$ disclosedctl ...` of docs/import is run, on an empty database, and what
# stands below it is what it prints. Real files are read where they are; lines of NDJSON and lists are made.
#
# runs docs/import/*.md: ^\$ disclosedctl

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build shared_data);
use Disclosed::Guides;
use Disclosed::Process qw(run);
use Disclosed::Shared qw(cluster workspace fresh);
use Disclosed::Test;

my $json   = Disclosed::JSON->new->utf8->canonical;
my $folder = workspace() . '/' . fresh('guides');
mkdir $folder or die "$folder: $!";

sub spew { my ($name, $text) = @_; open my $file, '>', "$folder/$name" or die "$name: $!"; print $file $text; close $file; return }

# --- files that are named there ---------------------------------------------------------------------

my %good = (dataset => 'executive', symbol => 'AKOGOM:US', name => 'Fenwick Tamsin', role => 'Head of Investor Relations', category => 'ir', person_rank => 5,
    is_current => JSON::PP::true, reported_on => '2026-08-01', provenance => { source_provider => 'issuer_page', source_url => 'https://akogom.example/contacts' });
my $misspelled = '{"dataset":"executive","symbol":"AKOGOM:US","rle":"x",' . substr $json->encode({ %good{grep { !/^(?:dataset|symbol|role)$/ } keys %good} }), 1;
my %bad = (2 => $json->encode({ %good, category => 'boss' }), 4 => $json->encode({ %good, provenance => { source_provider => 'nobody' } }));
spew('x.ndjson', join "\n", $json->encode(\%good), $bad{2}, $misspelled, $bad{4}, 'not json', '');
spew('akogom.json', '{"fields":["cik","name","ticker","exchange"],"data":[[9990000029,"Akogom Stores Inc.","AKOGOM","OTC"]]}');
spew('mining.json', $json->encode({ 0 => { cik_str => 9990102, ticker => 'ARIS', title => 'Aris Mining Corp' } }));
spew('earnings-calendar.csv', "symbol,name,reportDate,fiscalDateEnding,estimate\nARIS,Aris Water Solutions Inc - Class A,11/8/2023,9/30/2023,0.1\n");
my %real = ('CIK0000320193.json' => 'edgar-submissions', '0001790837-23-000002.txt' => 'form13f', 'NPORT.Dupree.xml' => 'nport');
for my $name (sort keys %real) {
    my $from = shared_data($real{$name});
    if ($from && -e "$from/$name") { symlink "$from/$name", "$folder/$name" or die }
    else { diag "NOT TESTED: there is no real file $name here (DISCLOSED_SHARED)" }
}

# What a page's commands need before: loads of an own database.
my @names = ([qw(sec-company-tickers --known-at 2026-01-01 akogom.json)]);
my %before = (
    'ndjson.md 0' => \@names, 'README.md 1' => [@names, [qw(ndjson --strict x.ndjson)]], 'README.md 2' => [@names, [qw(ndjson x.ndjson)]],
    'by-ticker.md 0' => [[qw(sec-company-tickers --known-at 2026-01-01 mining.json)]], 'sec-nport.md 0' => [[qw(sec-nport NPORT.Dupree.xml)]],
);

# --- commands and their output ----------------------------------------------------------------------

# Numbers and instants of runs, the names of files in a folder of ours, and where a line was broken are no output.
sub plain { my ($text) = @_; return $text =~ s/^\s*\d+  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d /RUN /gmr =~ s/\s+/ /gr =~ s/^ //r }

my $guides = Disclosed::Guides->new;
my %count; # of commands, by page
for my $command ($guides->mine) {
    my ($page) = $command->{page} =~ m{([^/]+)\z};
    my $place = "$page " . ($count{$page}++ // 0);
    my (undef, undef, @words) = split ' ', $command->{text};
    my @loads = ($before{$place} // [])->@*;
    my ($lacking) = grep { $real{$_} && !-e "$folder/$_" } map { @$_ } \@words, @loads;
    if ($lacking) { $guides->left_out($command, "no $lacking"); next }
    my $database = Disclosed::Shared::database('empty');
    my @control = ({ directory => $folder }, build('CTL'), '--database', cluster()->conninfo($database));
    run(@control, 'import', @$_) for @loads;
    my ($last) = cluster()->rows($database, 'SELECT max(import_run_id) AS id FROM disclosed.import_run');
    my ($code, $out, $err) = run(@control, map { /^\d+\z/ && $words[0] eq 'runs' && $words[1] eq '--rejects' ? $last->{id} : $_ } @words);
    cmp_ok($code, '<=', 1, "$page: $command->{text}") or diag $err;
    $guides->ran($command, plain($err . $out), Disclosed::Guides::output_pattern(plain($command->{output})));
}
cmp_ok(scalar keys %count, '>=', 5, 'pages with output');
$guides->all_ran;

finish();

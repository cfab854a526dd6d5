# Files of another kind than the source reads: each source is given the files of all others, made and real ones, and what comes of a
# failed download. Each is refused with what it lacks, and nothing of it is stored. What may hold nothing, lawfully, is accepted.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build shared_files);
use Disclosed::Process qw(run slurp);
use Disclosed::Test 'without_cache';
use File::Basename qw(basename);
use File::Temp qw(tempdir);

my $site = site(template => 'empty');
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# Source => a seed of the fuzz program, its name, a pattern of real files, options that let a file be read whatever its name.
my %own = (
    'sec-company-tickers'      => ['company-tickers/rows', 'company_tickers.json', 'edgar-tickers/company_tickers_exchange.json'],
    'sec-submissions'          => ['submissions/rows', 'CIK0000320193.json', 'edgar-submissions/CIK0000320193.json'],
    'sec-companyfacts'         => ['companyfacts/two-filings', 'CIK0000320193.json', 'edgar-companyfacts/CIK0001997711.json.gz'],
    'sec-financial-statements' => ['statements-folder/two-filings', 'sub.txt', 'financial-statement-data-sets/2010q2.zip'],
    'xbrl-instance'            => ['instance/own', 'own-20240331.xml', 'xbrl/sam-20130629.xml', '--accession', '0000007601-24-000001', '--known-at', '2024-05-01'],
    'sec-ownership'            => ['ownership/form4', '0000320193-24-000061.xml', 'ownership-xml/form4/*.xml'],
    'sec-beneficial-ownership' => ['beneficial/amendment-13d', '0000320193-24-000061.xml', 'beneficial-ownership/schedule13g.xml'],
    'sec-13f'                  => ['13f-cover/notice', 'primary_doc.xml', 'form13f/0001140361-23-013281.txt', '--accession', '0001951757-25-000093'],
    'sec-filing'               => ['filing/8-k', '0000320193-24-000061.txt', '8k-ex99/0000066740-24-000023.txt'],
    'earnings-calendar'        => ['earnings-calendar/rows', 'earnings-calendar.csv', 'events/earnings-calendar.excerpt.csv'],
    'finra-short-interest'     => ['short-interest/rows', 'shrt20210715.csv', 'finra-short-interest/api*.json'],
    'corporate-actions'        => ['actions-list/dividends', 'dividends.csv', 'corporate-actions/splits.csv'],
    'sec-fund-tickers'         => ['fund-tickers/rows', 'company_tickers_mf.json'],
    'sec-nport'                => ['nport/report', '0000320193-24-000061.xml', 'nport/NPORT.Dupree.xml'],
    'senate-ptr'               => ['senate/rows', 'all_transactions.json', 'senate-ptr/daily/*.json'],
    'house-ptr'                => ['house-index/members', '2023FD.xml', 'house-ptr/house_transactions.json'],
    'ndjson'                   => ['ndjson/lines', 'lines.ndjson'],
);

# A full submission is a filing, whatever is in it, and need not have XBRL.
my %lawful = map { ($_ => 1) } 'sec-filing sec-13f', 'xbrl-instance sec-filing', 'xbrl-instance sec-13f';

# What no source has: name => text.
my %nothing = (
    'empty'       => '',
    'blank'       => "\n  \n",
    'mark'        => "\xEF\xBB\xBF",
    'null'        => "null\n",
    'array'       => '[]',
    'object'      => '{}',
    'numbers'     => '[1, 2, 3]',
    'arrays'      => '[[], []]',
    'objects'     => '[{}, {}]',
    'others'      => '[{"id": 1, "colour": "red"}, {"id": 2, "colour": "blue"}]',
    'message'     => '{"message": "Forbidden", "data": [], "results": [{"id": 1}]}',
    'problem'     => '{"title": "Not Found", "status": 404}',
    'columns.csv' => "id,colour\n1,red\n2,blue\n",
    'header.csv'  => "id,colour\n",
    'words.txt'   => "Request Rate Threshold Exceeded\n",
    'error.html'  => "<!DOCTYPE html>\n<html><head><title>403 Forbidden</title></head><body><h1>Request Rate Threshold Exceeded</h1><p>x</p></body></html>\n",
    'root.xml'    => qq(<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>\n),
    'feed.xml'    => qq(<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><entry><title>4</title></entry></feed>\n),
);

# What holds nothing and is right: source and name => text.
my %may_be_empty = (
    'finra-short-interest array'    => '[]',
    'corporate-actions array'       => '[]',
    'corporate-actions header.csv'  => "symbol,exDate,amount\n",
    'corporate-actions symbol'      => '{"symbol": "QA", "historical": []}',
    'corporate-actions KO.csv'      => "date,open,close,dividend,split\n2021-01-04,1,1,0,1\n",
    'earnings-calendar header.csv'  => "symbol,name,reportDate,fiscalDateEnding\n",
    'senate-ptr transaction_report_for_10_10_2020.json' => '[]',
);

# Each file in a folder of its own, since others beside it may belong to it.
my ($folder, $folders) = (tempdir(CLEANUP => 1), 0);
sub in_folder
{
    my ($name, $text) = @_;
    my $path = "$folder/" . ++$folders;
    mkdir $path;
    open my $file, '>:raw', "$path/$name" or die "$path/$name: $!";
    print $file $text;
    close $file;
    return "$path/$name";
}

my @sources = sort keys %own;
my ($code, $usage) = run(build('CTL'), 'import', '--help');
my ($known) = $usage =~ /^Sources:\n((?:  .*\n)+)/m;
is_deeply(\@sources, [sort +($known // '') =~ /^  (\S+)/gm], 'each source is given the files of all others');

# [source, path] of all files that are some source's.
my (@samples, @missing);
for my $source (@sources) {
    my ($seed, $name, $real) = $own{$source}->@*;
    push @samples, [$source, in_folder($name, slurp("$corpus/$seed"))];
    my ($path) = $real ? shared_files($real) : ();
    push @samples, [$source, $path] if $path;
    push @missing, $real if $real && !$path;
}
diag "NOT TESTED: real files (DISCLOSED_SHARED): @missing" if @missing;

# Imports the files; returns the code, what was told, and what became of each.
sub fates
{
    my ($source, @paths) = @_;
    my (undef, undef, undef, @options) = $own{$source}->@*;
    my $before = $site->value('SELECT coalesce(max(import_run_id), 0) FROM import_run');
    my ($code, $out, $err) = $site->control('import', $source, @options, @paths);
    my %run = map { ($_->{file} => $_) } $site->rows("SELECT file, status, stored FROM import_run WHERE import_run_id > $before");
    return ($code, "$out$err", \%run);
}

# A reason says more than a word, and is not what PostgreSQL says of a statement.
sub all_refused
{
    my ($source, $what, @paths) = @_;
    my ($code, $told, $run) = fates($source, @paths);
    my %reason = $told =~ /^disclosedctl: (.*?): failed, nothing of it is stored: (.*)$/mg;
    my @wrong = map { "$_: $reason{$_}" } grep { length $reason{$_} < 15 || $reason{$_} =~ /ERROR/ } sort keys %reason;
    push @wrong, map { "$_: accepted" } grep { my $path = $_; !grep { index($_, $path) == 0 } keys %reason } @paths;
    push @wrong, map { "$_: $run->{$_}{status}" } grep { $run->{$_}{status} ne 'failed' || $run->{$_}{stored} } sort keys %$run;
    is($code, 1, "$source, $what: exit code 1");
    ok(!@wrong, '... ' . @paths . ' files are refused with a reason') or diag "$source:\n", join "\n", @wrong;
}

my %text = map { ($_ => in_folder($_ =~ /\./ ? $_ : "$_.json", $nothing{$_})) } keys %nothing;
my $stored = join ' + ', map { "(SELECT count(*) FROM $_->{table_name})" } $site->rows("SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'disclosed'
    AND column_name = 'superseded_at' AND table_name NOT LIKE '%\\_sourced' AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = 'disclosed')");
for my $source (@sources) {
    all_refused($source, "other sources' files", map { $_->[1] } grep { $_->[0] ne $source && !$lawful{"$source $_->[0]"} } @samples);
    all_refused($source, 'files of no source', map { $text{$_} } grep { ($may_be_empty{"$source $_"} // '') ne $nothing{$_} } sort keys %text);
    is($site->value("SELECT $stored"), 0, '... and nothing is stored');
}
for my $case (sort keys %may_be_empty) {
    my ($source, $name) = split / /, $case;
    my $path = in_folder($name =~ /\./ ? $name : "$name.json", $may_be_empty{$case});
    my ($code, $told, $run) = fates($source, $path);
    is("$code $run->{$path}{status}", '0 done', "$case holds nothing, lawfully") or diag $told;
}
# The samples are good: their own source takes them.
for my $sample (@samples) {
    my ($source, $path) = @$sample;
    next if $path =~ /2010q2|sub\.txt\z/;
    my ($code, $told, $run) = fates($source, $path);
    cmp_ok(($run->{$path} // {})->{stored} // -1, '>', 0, "$source takes " . basename($path)) or diag $told;
}
# ... behind a byte order mark, too.
for my $source (grep { $_ ne 'sec-financial-statements' } @sources) {
    my ($seed, $name) = $own{$source}->@*;
    my ($text, @read) = slurp("$corpus/$seed");
    for my $mark ('', "\xEF\xBB\xBF") {
        my ($code, $told) = fates($source, in_folder($name, $mark . $text));
        push @read, "$code " . join ' ', $told =~ /: (read \d+), .*(rejected \d+)$/m;
    }
    is($read[1], $read[0], "$source reads the same behind a byte order mark");
    like($read[0], qr/ read [1-9]/, '... something');
}

# Names are of other people: what a terminal obeys in them is shown, and no line of a message begins with them.
for my $case (["a\nb: failed", 'a\x0ab: failed'], ["a\e[2Jb", 'a\x1b[2Jb'], ["a\x9b2Jb", 'a\x9b2Jb'], ["a\xc2\x9bb", 'a\xc2\x9bb'], ["caf\xc3\xa9", "caf\xc3\xa9"]) {
    my ($name, $shown) = @$case;
    my $path = tempdir(CLEANUP => 1) . "/$name.ndjson";
    open my $file, '>', $path or die "$shown: $!";
    print $file "no JSON\n";
    close $file;
    my ($code, undef, $err) = $site->control('import', 'ndjson', $path);
    is($code, 1, "a file named $shown");
    like($err, qr{^disclosedctl: \S+/\Q$shown\E\.ndjson: failed, }m, '... is named so');
    unlike($err, qr/[\x00-\x09\x0b-\x1f\x9b](?!\xa9)|^b: failed/m, '... and moves no cursor');
}

finish();

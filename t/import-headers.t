# What headers of full submissions say of when a filing was public, where it is not the plain time of acceptance: the same for all that is made of it.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use feature "state";

my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# What is known of the tables' rows from when.
sub known
{
    my ($site, @tables) = @_;
    return join '; ', map { "$_ " . ($site->value("SELECT string_agg(DISTINCT to_char(known_at AT TIME ZONE 'America/New_York', 'YYYY-MM-DD HH24:MI'), ', ') FROM disclosed.$_") // 'none') } @tables;
}

sub imported
{
    my ($source, $file, $text) = @_;
    state $number = 0;
    my $site = site(template => 'empty', start => 0);
    my ($code, $out, $err) = $site->control('import', $source, path_of("headers $source", ++$number, $file, $text));
    is($code, 0, "$source: a submission") or diag substr "$out$err", 0, 1000;
    return $site;
}

# EDGAR shows at once what it accepts in the evening and dates on the next business day; what is dated weeks later it shows then.
for my $case (['20240805', '2024-08-02 16:01'], ['20240812', '2024-08-12 23:59']) {
    my ($filed, $known) = @$case;
    my $site = imported('sec-filing', '0000320193-24-000061.txt', slurp("$corpus/filing/8-k") =~ s/(FILED AS OF DATE:\s+)\d+/$1$filed/r);
    is(known($site, qw(filing filing_text filing_exhibit)), "filing $known; filing_text $known; filing_exhibit $known", "... that is dated $filed is known, with its text and exhibits, from then");
}

# Headers of old filings give no time of day.
my %form = (
    'sec-filing'               => ['filing/8-k', '0000320193-24-000061.txt', 'filing', 'filing_text', 'filing_exhibit'],
    'sec-13f'                  => ['13f/holdings', '0001951757-25-000093.txt', 'institution_report', 'institution_position'],
    'sec-ownership'            => ['ownership-submission/form4', '0000320193-24-000061.txt', 'insider_transaction', 'insider_holding'],
    'sec-beneficial-ownership' => ['beneficial-submission/13g', '0000320193-24-000062.txt', 'beneficial_owner'],
);
for my $source (sort keys %form) {
    my ($seed, $file, @tables) = $form{$source}->@*;
    my $text = slurp("$corpus/$seed") =~ s/(<ACCEPTANCE-DATETIME>\d{8})\d{6}/${1}000000/r;
    my ($day) = map { s/(....)(..)(..)/$1-$2-$3/r } $text =~ /FILED AS OF DATE:\s+(\d+)/;
    is(known(imported($source, $file, $text), @tables), join('; ', map { "$_ $day 23:59" } @tables), '... without a time of acceptance is known from the end of its day');
}

finish();

# Real files: full submissions. Headers with the SEC's own clock, exhibits of earnings releases,
# sections.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice slurp eastern_to_utc utc_text);

my @folders = (folder('8k-ex99'), folder('sgml-filings'), folder('ownership-xml') . '/sgml');
my $site = site(template => 'empty');

# What a submission's header and documents say.
sub read_submission
{
    my ($path) = @_;
    my $text = slurp($path) =~ s/\r\n?/\n/gr;
    my %file = (accession => $path =~ m{(\d{10}-\d\d-\d{6})\.\w+\z});
    ($file{accepted}) = $text =~ /<ACCEPTANCE-DATETIME>(\d{14})/;
    ($file{form})  = $text =~ /^CONFORMED SUBMISSION TYPE:\s*(\S.*?)\s*$/m;
    ($file{form})  = $text =~ /^<TYPE>(\S.*?)\s*$/m if !$file{form};
    ($file{filed}) = $text =~ /^(?:FILED AS OF DATE:\s*|<FILING-DATE>)(\d{8})/m;
    ($file{period}) = $text =~ /^(?:CONFORMED PERIOD OF REPORT:\s*|<PERIOD>)(\d{8})/m;
    ($file{cik})   = $text =~ /(?:CENTRAL INDEX KEY:\s*|<CIK>)(\d+)/;
    my @types = $text =~ /<DOCUMENT>\s*<TYPE>(\S+)/g;
    $file{exhibits} = [grep { /^EX-99\.0?[12]$/ } @types];
    return \%file;
}

my @files = map { read_submission($_) } map { glob("$_/*.txt"), glob("$_/*.nc") } @folders;
cmp_ok(scalar @files, '>=', 27, scalar(@files) . ' submissions');
for my $folder (@folders) {
    my $summary = import_twice($site, 'sec-filing', $folder);
    is($summary->{failed}, 0, '... no file fails');
    is($summary->{rejected}, 0, '... no row is rejected');
}

cmp_ok($site->value('SELECT count(*) FROM issuer WHERE name IS NOT NULL'), '>', 0, 'companies that come with a filing');
is($site->value('SELECT count(*) FROM issuer WHERE name IS NULL'), 0, '... have the name that it gives them');

my $day = sub { my ($text) = @_; return defined $text ? $text =~ s/^(\d{4})(\d\d)(\d\d).*/$1-$2-$3/r : undef };
my ($eastern, $exhibits) = (0, 0);
for my $file (@files) {
    my $filing = json_of($site->get("/v1/filings/$file->{accession}"), "$file->{accession}, a $file->{form}");
    is($filing->{form}, $file->{form}, '... form');
    is($filing->{filed_on}, $day->($file->{filed}), '... filing date');
    is($filing->{filed_at}, $filing->{accepted_at}, '... filed when accepted: no other time is stated');
    is($filing->{period_of_report}, $day->($file->{period}), '... period of report');
    if ($file->{accepted} && $file->{accepted} !~ /000000$/) {
        is($filing->{accepted_at}, utc_text(eastern_to_utc($file->{accepted})), "... accepted at $file->{accepted} in New York");
        my $before = utc_text(eastern_to_utc($file->{accepted}) - 1);
        is($site->get("/v1/filings/$file->{accession}?as_of=$before")->status, 404, '... and not known a second before');
        $eastern++;
    } else {
        is($filing->{accepted_at}, undef, '... no time of acceptance');
    }
    my $answer = json_of($site->get("/v1/filings/$file->{accession}/exhibits"), '... exhibits');
    my @served = map { $_->{exhibit_type} } $answer->{exhibits}->@*;
    ok(@served <= $file->{exhibits}->@*, '... no more exhibits than the submission has');
    for my $exhibit ($answer->{exhibits}->@*) {
        $exhibits++;
        cmp_ok(length $exhibit->{text}, '>', 200, '... with text');
        unlike($exhibit->{text}, qr/<\/?(?:html|table|td|font|div|p)\b/i, '... without markup');
        is($exhibit->{published_at}, $filing->{accepted_at}, '... published when accepted, else at no known time');
    }
    my $end = 0;
    for my $section ($filing->{sections}->@*) {
        ok($section->{char_start} >= $end && $section->{char_end} > $section->{char_start}, "... section $section->{key} in its place");
        $end = $section->{char_end};
    }
}
cmp_ok($eastern, '>=', 20, "$eastern acceptance times");
cmp_ok($exhibits, '>=', 15, "$exhibits exhibits of earnings releases");

# Known facts about well-known filings.
my $adobe = json_of($site->get('/v1/filings/0000796343-23-000044'), 'Adobe, 15 March 2023');
same_json($adobe->{items}, ['2.02', '9.01'], '... results and exhibits');
is($adobe->{accepted_at}, '2023-03-15T20:06:36Z', '... accepted at 16:06:36 in summer time');
my $release = json_of($site->get('/v1/filings/0000796343-23-000044/exhibits'), '... its release')->{exhibits}[0];
like($release->{text}, qr/Adobe Reports Record Revenue/i, '... begins as it did');
is(json_of($site->get('/v1/filings/0001045810-26-000024'), 'NVIDIA')->{accepted_at}, '2026-03-06T21:11:25Z', 'accepted in winter time');
my $quarterly = json_of($site->get('/v1/filings/0000912057-00-023442'), 'Apple 10-Q of 2000');
is($quarterly->{form}, '10-Q', 'a quarterly report');
my ($first) = grep { $_->{title} =~ /financial statements/i } $quarterly->{sections}->@*;
ok($first, '... has a section of financial statements') or diag explain [map { "$_->{key} $_->{title}" } $quarterly->{sections}->@*];
if ($first) {
    my $with = json_of($site->get("/v1/filings/0000912057-00-023442?section_text=$first->{key}"), '... with its text');
    my ($section) = grep { $_->{key} eq $first->{key} } $with->{sections}->@*;
    is(length $section->{text}, $section->{char_end} - $section->{char_start}, '... as long as its offsets say');
    like($section->{text}, qr/net sales/i, '... about sales');
}

finish();

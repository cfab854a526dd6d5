# When a document became public is the document's own, whatever a damaged copy said: the good copy puts it right in every order of loading, and what was in
# force at any time is as in a database that has never seen the other.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(content path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';

# What of it was in force at any time. A company's profile and listings are of the file, and known since the first that has them.
sub history
{
    my ($site) = @_;
    return content($site, 'superseded_at IS DISTINCT FROM known_at') =~ s/^(?:issuer_profile|listing) .*(?:\n|\z)//gmr;
}

# Versions of one record that are in force at one time.
sub overlaps
{
    my ($site) = @_;
    return join ' ', grep { $site->value("SELECT count(*) FROM disclosed.$_ a JOIN disclosed.$_ b ON b.issuer_id = a.issuer_id AND b.record_key = a.record_key AND b.row_id > a.row_id
        AND tstzrange(a.known_at, a.superseded_at) && tstzrange(b.known_at, b.superseded_at)") > 0 }
        qw(filing filing_text filing_exhibit insider_transaction insider_holding executive beneficial_owner institution_report institution_position);
}

# Loads a file; false where it or a row of it is refused.
sub load
{
    my ($site, $name, $source, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @arguments);
    my $counts = eval { $json->decode($out) } // {};
    return undef if $code != 0 || $counts->{rejected} || $counts->{failed};
    pass($name);
    return $counts;
}

my $accepted = sub { my ($day) = @_; return sub { s/(<ACCEPTANCE-DATETIME>)\d{8}/$1$day/ or die } };
my $filed    = sub { my ($day) = @_; return sub { s/(FILED AS OF DATE:\s+)\d{8}/$1$day/ or die } };
my $cell     = sub { my ($name, $from, $to) = @_; return sub { s/("$name": \[[^\]]*)$from/$1$to/ or die } };
my $bare     = sub { my ($text) = @_; return $text =~ s/<ACCEPTANCE-DATETIME>\d+\n//r };
my ($form, $schedule, $holdings, $filing) = map { slurp("$corpus/$_") } 'ownership-submission/form4', 'beneficial-submission/13g', '13f/holdings', 'filing/8-k';

# Source, file, good text, what worse copies have in place of what.
my @case = (
    ['sec-filing', '0000320193-24-000061.txt', $filing, [$accepted->(20250703)], [$accepted->(20200103)], [$filed->(20250703)], [$filed->(20240701)], [$accepted->(20250703), $filed->(20250703)], [$accepted->(20200103), $filed->(20200103)]],
    ['sec-filing', '0000320193-24-000061.txt', $bare->($filing), [$filed->(20250703)], [$filed->(20200103)]],
    ['sec-submissions', 'CIK0000320193.json', slurp("$corpus/submissions/rows"), [$cell->('filingDate', '2024-04-13', '2024-04-16')], map { my $day = $_; [$cell->('acceptanceDateTime', '2024-04-13', $day)], [$cell->('filingDate', '2024-04-13', $day)],
        [map { $cell->($_, '2024-04-13', $day) } 'acceptanceDateTime', 'filingDate'] } '2025-04-13', '2023-01-03'],
    ['sec-ownership', '0000320193-24-000061.xml', slurp("$corpus/ownership/form4"), map { my $day = $_; [sub { s/(<signatureDate>)2024-05-09/$1$day/g or die }] } '2025-05-09', '2024-05-08', '2022-05-09'],
    ['sec-ownership', '0000320193-24-000061.txt', $form, [$accepted->(20250703)], [$accepted->(20200103)], [$filed->(20240511)], [$accepted->(20230703), $filed->(20230703)]],
    ['sec-beneficial-ownership', '0000320193-24-000061.xml', slurp("$corpus/beneficial/amendment-13d"), map { my $year = $_; [sub { s/(<date>05\/08\/)2024/$1$year/g or die }] } 2025, 2020],
    ['sec-beneficial-ownership', '0000320193-24-000062.txt', $schedule, [$accepted->(20250703)], [$filed->(20240511)], [$accepted->(20230703), $filed->(20230703)]],
    ['sec-13f', '0001951757-25-000093.txt', $holdings, [$accepted->(20240901)], [$accepted->(20240810)], [$filed->(20240815)], [$accepted->(20240901), $filed->(20240901)], [$accepted->(20240712), $filed->(20240712)]],
    ['sec-13f', '0001951757-25-000093.txt', $bare->($holdings), [$filed->(20240901)], [$filed->(20240712)]],
);
# DISCLOSED_REDATED: of these sources alone, while one is worked on.
@case = grep { $_->[0] =~ /^(?:$ENV{DISCLOSED_REDATED})$/ } @case if $ENV{DISCLOSED_REDATED};
for my $case (@case) {
    my ($source, $file, $good, @worse) = @$case;
    my $fresh = sub { my ($name, $path) = @_; my $site = site(template => 'empty', start => 0); my $counts = load($site, $name, $source, $path); return $counts && history($site) };
    my %path = (good => path_of("$source $file", 'good', $file, $good));
    ok(my $expected = $fresh->("$source $file: good alone", $path{good}), '... is loaded');
    for my $number (0 .. $#worse) {
        my $worse = $good;
        $_->() for map { my $change = $_; sub { local $_ = $worse; $change->(); $worse = $_ } } $worse[$number]->@*;
        my $name = join ' ', $source, $file, 'worse copy', $number + 1;
        $path{worse} = path_of("$source $file", "worse $number", $file, $worse);
        my %history = (good => $expected, worse => $fresh->("$name: alone", $path{worse}));
        isnt($history{worse}, $history{good}, '... the worse says something else');
        for my $order ([qw(worse good good worse worse good)], [qw(good worse good)]) {
            my $site = site(template => 'empty', start => 0);
            my $before = my $state = '';
            for my $which (@$order) {
                my $counts = load($site, "$name, @$order: $which", $source, $path{$which});
                is(defined $counts, defined $history{$which}, '... is loaded, or refused as it is alone');
                $state = $history{$which} // $state;
                is(history($site), $state, '... is as if it alone had been loaded') if $state;
                is(overlaps($site), '', '... and one version is in force at any time');
                is($counts->{stored}, 0, '... the same again stores nothing') if $before eq $which && $counts;
                $before = $which;
            }
        }
    }
}

# What several sources say of a filing: the header of its full submission counts, of its copies the one loaded last, else the submissions file that was loaded
# last, for all filers and all that is stored of the filing, in any order.
my $submissions = sub { my ($accepted_at, $filed_on, $cik, $accession, $form) = @_; my $text = slurp("$corpus/submissions/rows");
    $text =~ s/("cik": ")0000320193/$1$cik/ && $text =~ s/0009990001-24-000001/$accession/ && $text =~ s/2024-01-10T13:00:10/$accepted_at/ && $text =~ s/("filingDate": \[")2024-01-10/$1$filed_on/ && $text =~ s/("form": \[")8-K/$1$form/ or die;
    return $text };
my ($xml) = $form =~ m{<XML>\n(.*?)</XML>}s;
my $dated = sub { my ($text, @changes) = @_; local $_ = $text; for my $change (@changes) { $change->() } return $_ };
my %file = (
    'header'       => ['sec-filing', '0000320193-24-000061.txt', $filing],
    'worse header' => ['sec-filing', '0000320193-24-000061.txt', $dated->($filing, $accepted->(20250703), $filed->(20250703))],
    'bare header'  => ['sec-filing', '0000320193-24-000061.txt', $bare->($dated->($filing, $filed->(20240805)))],
    'submissions'  => ['sec-submissions', 'CIK9990000001.json', $submissions->('2024-08-02T20:01:12', '2024-08-02', '9990000001', '0000320193-24-000061', '8-K')],
    'worse submissions' => ['sec-submissions', 'CIK9990000001.json', $submissions->('2023-06-05T20:01:12', '2023-06-05', '9990000001', '0000320193-24-000061', '8-K')],
    'form' => ['sec-ownership', '0000320193-24-000061.txt', $form],
    'bare form' => ['sec-ownership', '0000320193-24-000061.xml', $xml],
    'worse bare form' => ['sec-ownership', '0000320193-24-000061.xml', $xml =~ s/(<signatureDate>)2024-05-09/${1}2024-05-08/gr],
    'filing of the form' => ['sec-filing', '0000320193-24-000061.txt', $form],
    'worse filing of the form' => ['sec-filing', '0000320193-24-000061.txt', $dated->($form, $accepted->(20250703), $filed->(20250703))],
    'submissions of an owner' => ['sec-submissions', 'CIK9990000101.json', $submissions->('2024-05-09T20:30:05', '2024-05-09', '9990000101', '0000320193-24-000061', '4')],
);
my $at = sub { my ($site) = @_; return join ' ', map { $_->{known} } $site->rows(join(' UNION ', map { "SELECT '$_->[0] ' || to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI') || ' $_->[2]=' || coalesce(to_char($_->[1], 'YYYY-MM-DD'), '-') AS known
    FROM disclosed.$_->[0] WHERE accession = '0000320193-24-000061' AND superseded_at IS DISTINCT FROM known_at" } ['filing', 'filed_on', 'filed'], ['filing', 'accepted_at', 'accepted'], ['filing_text', 'published_at', 'published'], ['filing_exhibit', 'published_at', 'published'],
        ['insider_transaction', 'filing_date', 'filed'], ['insider_holding', 'filing_date', 'filed'], ['executive', 'reported_on', 'filed']) . ' ORDER BY 1') };
my $of_filing = sub { my ($instant) = @_; my ($day) = $instant =~ /^(.{10})/; return "filing $instant accepted=$day filing $instant filed=$day filing_exhibit $instant published=$day filing_text $instant published=$day" };
my $of_form = sub { my ($instant, $day) = @_; return join ' ', map { "$_ $instant filed=$day" } qw(executive insider_holding insider_transaction) };
my ($good, $later, $earlier) = ('2024-08-02T20:01', '2025-07-03T20:01', '2023-06-05T20:01');
my ($own, $own_later) = ('2024-05-09T20:30', '2025-07-03T20:30');
my $filings_of_form = sub { my ($instant, $day) = @_; return "filing $instant accepted=$day filing $instant filed=$day" };
my @mix = (
    [$of_filing->($later), 'worse header', 'submissions'], [$of_filing->($later), 'submissions', 'worse header'], [$of_filing->($good), 'header', 'worse submissions'], [$of_filing->($good), 'worse submissions', 'header'],
    [$of_filing->($good), 'worse header', 'submissions', 'header', 'worse submissions'], [$of_filing->($good), 'bare header', 'worse submissions', 'submissions'],
    [$of_filing->($good), 'submissions', 'bare header'], [$of_filing->($good), 'bare header', 'submissions'], [$of_filing->($good), 'bare header', 'header', 'bare header'], [$of_filing->($good), 'worse submissions', 'bare header', 'header'],
    [$of_form->($own, '2024-05-09'), 'worse bare form', 'form'], [$of_form->($own, '2024-05-09'), 'form', 'worse bare form'], [$of_form->($own, '2024-05-09'), 'worse bare form', 'form', 'worse bare form', 'worse bare form'],
    [$of_form->('2024-05-10T03:59', '2024-05-09'), 'worse bare form', 'bare form', 'bare form'],
    (map { my $files = $_; my @at = ($own, '2024-05-09'); [join(' ', "executive $at[0] filed=$at[1]", $filings_of_form->(@at), map { "$_ $at[0] filed=$at[1]" } qw(insider_holding insider_transaction)), @$files] }
        ['worse bare form', 'worse filing of the form', 'filing of the form'], ['worse filing of the form', 'worse bare form', 'submissions of an owner', 'filing of the form'], ['worse filing of the form', 'filing of the form', 'submissions of an owner', 'worse bare form'], ['form', 'worse filing of the form', 'submissions of an owner', 'filing of the form']),
);
@mix = () if $ENV{DISCLOSED_REDATED} && $ENV{DISCLOSED_REDATED} ne 'mix';
for my $case (@mix) {
    my ($expected, @files) = @$case;
    my $site = site(template => 'empty', start => 0);
    load($site, "$files[$_], " . join(', ', @files), $file{ $files[$_] }[0], path_of('mix', $files[$_], $file{ $files[$_] }->@[1, 2])) or fail("$files[$_] is loaded") for 0 .. $#files;
    is($at->($site), $expected, '... all that is stored of the filing has its instant');
    is(overlaps($site), '', '... and one version is in force at any time');
}

# What clients get, and are told: the list, the filing and its text before and after both instants; and nobody gets a response from a cache.
if (!$ENV{DISCLOSED_REDATED} || $ENV{DISCLOSED_REDATED} eq 'api') {
    my $site = site(template => 'empty');
    my $path = '/v1/filings/0000320193-24-000061';
    my $version = sub { return $site->value("SELECT version FROM dataset_stat WHERE dataset = 'filing'") };
    my $number;
    for my $which ('header', 'worse header', 'header') {
        my $before = $version->();
        load($site, "clients: $which", $file{$which}[0], path_of('clients', $which, $file{$which}->@[1, 2]));
        cmp_ok($version->(), '>', $before || 0, '... the version of filings is another');
        my ($day, $instant) = $which eq 'header' ? ('2024-08-02', '2024-08-02T20:01:12Z') : ('2025-07-03', '2025-07-03T20:01:12Z');
        my $got = json_of($site->get($path), '... the filing');
        is("$got->{filed_on} $got->{filed_at} $got->{accepted_at}", "$day $instant $instant", '... has its dates');
        is($got->{id}, $number //= $got->{id}, '... and its number');
        is(json_of($site->get("$path/exhibits"), '... its exhibits')->{exhibits}[0]{published_at}, $instant, '... are published then');
        is($site->get("$path?as_of=$_")->status, $_ lt $instant ? 404 : 200, "... as of $_") for '2024-08-01T00:00:00Z', '2024-08-02T20:01:11Z', '2024-08-02T20:01:12Z', '2025-07-03T20:01:11Z', '2025-07-03T20:01:12Z';
    }
}

finish();

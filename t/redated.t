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
    return content($site, 'superseded_at IS DISTINCT FROM known_at') =~ s/^(?:issuer_profile|listing) .*\n//gmr;
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
    ['sec-ownership', '0000320193-24-000061.xml', slurp("$corpus/ownership/form4"), map { my $day = $_; [sub { s/(<signatureDate>)2024-05-09/$1$day/g or die }] } '2025-05-09', '2022-05-09'],
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

finish();

# The Clerk's yearly index says when reports of the House were filed. Of its copies the one that was loaded last counts, whatever others had said before it: at every
# instant all is as if it alone had been loaded, its own line, and the trades of the report.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Copies qw(path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $json = Disclosed::JSON->new->utf8->canonical;
my $site = site(template => 'empty', start => 0);

sub imported
{
    my ($wanted, $name, $source, @arguments) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', @arguments);
    is($code, $wanted, $name) or diag substr "$out$err", 0, 1000;
    return $json->decode($out);
}
sub counted { my ($counts) = @_; return join ' ', @$counts{qw(read stored unchanged superseded rejected)} }

# A line of an index. Several of one report: with ", " between.
my %line = (good => {}, late => { date => '7/3/2023' }, early => { date => '4/24/2023' }, none => { date => '' }, type => { type => 'C' }, year => { year => '2022' }, name => { name => 'Damp' },
    all => { date => '6/1/2023', type => 'X', year => '2021', name => 'Damp' });
sub line_of
{
    my ($report, $which) = @_;
    my %is = (date => '5/12/2023', type => 'P', year => '2023', name => 'Dump', $line{$which}->%*);
    return join("\t", 'Hon.', $is{name}, 'John', 'Jr', $is{type}, 'TX03', $is{year}, $is{date}, $report) . "\r\n";
}
my $files = 0;
sub index_of { my (@lines) = @_; return path_of('house', ++$files, '2023FD.txt', join('', join("\t", qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)) . "\r\n", @lines)) }

# Trades of reports as a dump has them, whose days are those of notification, and as lines state them.
my $known_at = '2024-01-01';
sub dump_of
{
    my (@reports) = @_;
    my $row = sub { my ($report, $day, $type) = @_; return { owner => 'Self', ticker => 'MADE', asset_description => 'Made Co', type => $type, amount => '$1,001 - $15,000', representative => 'Hon. John Dump', district => 'TX03',
        transaction_date => '04/20/2023', disclosure_date => $day, source_url => "https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/$report.pdf" } };
    return ['house-ptr', '--known-at', $known_at, path_of('house', ++$files, 'house_transactions.json', $json->encode([map { $row->($_, '05/01/2023', 'Purchase'), $row->($_, '05/03/2023', 'Sale') } @reports]))];
}
sub lines_of
{
    my (@reports) = @_;
    return ['ndjson', path_of('house', ++$files, 'trades.ndjson', join '', map { $json->encode({ dataset => 'congress_trade', party => 'politician/john-dump-tx', issuer_name => 'John Dump', chamber => 'house', report_id => $_, row_number => 1, first_name => 'John', last_name => 'Dump',
        transaction_type => 'purchase', transaction_date => '2023-04-20', filing_date => '2023-05-03', filing_date_basis => 'latest_possible', asset_name => 'Made Co', amount_range => '$1,001 - $15,000', known_at => '2023-06-15T00:00:00Z',
        provenance => { source_provider => 'house_clerk' } }) . "\n" } @reports)];
}

# What each report and its trades say at instants, by report.
my @instants = ('2023-04-25 12:00Z', '2023-05-12 12:00Z', '2023-05-13 12:00Z', '2023-06-02 12:00Z', '2023-07-05 12:00Z', "$known_at 12:00Z", 'infinity');
sub states
{
    my %states;
    for my $at (@instants) {
        my $in_force = "t.known_at <= '$at' AND (t.superseded_at IS NULL OR t.superseded_at > '$at')";
        push $states{ $_->{report_id} }->@*, "$at: $_->{line}" =~ s/$_->{report_id}/REPORT/gr for $site->rows("SELECT report_id, concat_ws('|', 'report', t.filing_type, t.filing_year, t.filing_date, t.last_name, t.state_district, t.known_at, s.url) AS line
            FROM congress_report t JOIN source s USING (source_id) WHERE $in_force UNION ALL
            SELECT report_id, concat_ws('|', 'trade', t.transaction_type, t.filing_date, t.filing_date_basis, t.known_at, t.state_district) FROM congress_trade t WHERE $in_force ORDER BY 1, 2");
    }
    return map { $_ => join "\n", $states{$_}->@* } keys %states;
}

# --- orders of copies ---------------------------------------------------------------------------

# Indexes in turn; what is stored is what the last of them alone says. Each turn is of a report of its own, with trades that were loaded before the
# indexes or after them, from a dump or from lines.
my @turns = (
    (map { ["$_/good", 'good'], ["good/$_/good", 'good'], ["$_/$_/good/good", 'good'], ["good/good/$_", $_], ["$_/good/$_/$_", $_] } qw(late early type year name all)),
    (map { ["$_/good", 'good'], ["good/$_/good", 'good'], ["good/$_/$_/good/good", 'good'], ["$_/good", 'good'] } 'good, late', 'late, good', 'good, early', 'early, good', 'good, all', 'all, good', 'late, early, all', 'none, late', 'good, none', 'all, good, all', 'none'),
    (map { ["good/$_", 'good'], ["$_/$_", 'good'], ["all/$_/$_", 'good'] } 'late, good', 'early, good', 'all, good', 'good, all, good', 'none, good'),
    ['late/none/good', 'good'], ['good/none/late/good', 'good'], ['good/late/early/all/none/good', 'good'],
);
my @kinds = ('dump first', 'dump last', 'lines first', 'lines last');
my %report;
for my $kind (0 .. $#kinds) { $report{ $kinds[$kind] }{$_} = sprintf '20%d%05d', $kind, $_ for 0 .. $#turns + keys %line }
my @alone = sort keys %line;
my %trades = map { my $kind = $_; ($kind => $kind =~ /dump/ ? dump_of(values $report{$kind}->%*) : lines_of(values $report{$kind}->%*)) } @kinds;
imported(0, "trades: $_", $trades{$_}->@*) for grep { /first/ } @kinds;
my $indexed = 0;
for my $step (0 .. 5) {
    my (@lines, @again);
    for my $kind (@kinds) {
        my $of = $report{$kind};
        for my $turn (0 .. $#turns) {
            my @steps = split '/', $turns[$turn][0];
            push @lines, map { line_of($of->{$turn}, $_) } split ', ', $steps[$step] // $steps[-1]; # an index has all reports of its year
        }
        push @lines, map { line_of($of->{ $#turns + 1 + $_ }, $alone[$_]) } 0 .. $#alone;
    }
    my $counts = imported(0, "index $step", 'house-ptr', my $path = index_of(@lines));
    is($counts->{read}, @lines, '... is read');
    is($counts->{stored} + $counts->{unchanged}, @lines, '... and counted');
    cmp_ok($counts->{stored}, '>', 0, '... says something else') if $step < 5;
    if ($step == 0) { imported(0, "trades: $_", $trades{$_}->@*) for grep { /last/ } @kinds }
    my %before = states();
    like(counted(imported(0, '... and once more', 'house-ptr', $path)), qr/^\d+ 0 \d+ 0 0$/, '... changes nothing');
    same_json({ states() }, \%before, '... indeed');
}
my %state = states();
for my $kind (@kinds) {
    my %alone = map { ($alone[$_] => $state{ $report{$kind}{ $#turns + 1 + $_ } }) } 0 .. $#alone;
    like($alone{good}, qr/2023-05-13 12:00Z: trade/, "$kind: trades are known from the end of the day of filing") if $kind;
    unlike($alone{good}, qr/2023-05-12 12:00Z: /, '... and not before');
    isnt($alone{$_}, $alone{good}, "... $_ is something else") for grep { $_ ne 'good' } @alone;
    is($state{ $report{$kind}{$_} }, $alone{ $turns[$_][1] }, "$kind, $turns[$_][0]: is as if $turns[$_][1] alone had been loaded") for 0 .. $#turns;
}
is($site->value("SELECT count(*) FROM congress_$_ a JOIN congress_$_ b USING (record_key) WHERE a.row_id < b.row_id AND tstzrange(a.known_at, a.superseded_at) && tstzrange(b.known_at, b.superseded_at)"), 0, "... of a $_ one version is in force at any time") for 'report', 'trade';

# --- what is told ---------------------------------------------------------------------------------

my %index = map { ($_ => index_of(map { line_of('20900001', $_) } split ', ')) } keys %line, 'good, late', 'late, good';
my @told = (['good', '1 1 0 0 0'], ['late', '1 1 0 1 0'], ['good', '1 1 0 1 0'], ['good', '1 0 1 0 0'], ['type', '1 1 0 1 0'], ['good', '1 1 0 1 0'], ['good', '1 0 1 0 0'],
    ['none', '1 1 0 1 0'], ['none', '1 0 1 0 0'], ['good', '1 1 0 1 0'], ['good, late', '2 1 1 1 0'], ['good, late', '2 0 2 0 0'], ['good', '1 1 0 1 0'], ['good', '1 0 1 0 0']);
is(counted(imported(0, "an index: $_->[0]", 'house-ptr', $index{ $_->[0] })), $_->[1], "... $_->[1]") for @told;

# Copies that one command names count in its order.
{
    my %before = states();
    for my $order (['late', 'good'], ['type', 'late', 'none', 'good'], ['good', 'late', 'good']) {
        is(($site->control('import', 'house-ptr', map { $index{$_} } @$order))[0], 0, "copies at once: @$order");
        same_json({ states() }, \%before, '... of which the last one counts');
    }
}

# A line that is rejected moves nothing.
my %before = states();
is(counted(imported(1, 'a line without a type', 'house-ptr', index_of(line_of('20900001', 'late') =~ s/\tP\t/\t\t/r))), '1 0 0 0 1', '... is rejected');
is(counted(imported(1, 'a line with a date that is none', 'house-ptr', index_of(line_of('20900001', 'good') =~ s/\t5\/12/\t13\/45/r))), '1 0 0 0 1', '... as well');
same_json({ states() }, \%before, '... and nothing has moved');

# --- what is stored by earlier versions -----------------------------------------------------------

# The later of the days that indexes had said of a report stayed.
$site->execute("SET search_path = disclosed, public; UPDATE congress_report SET known_at = '2023-12-30Z' WHERE superseded_at IS NULL AND filing_date IS NOT NULL;
    UPDATE congress_trade SET known_at = '2023-12-30Z' WHERE superseded_at IS NULL AND filing_date_basis = 'stated'");
isnt((states())[1], '', 'reports that an earlier version has stored');
my ($migrated) = slurp("$FindBin::Bin/../sql/0118_index_put_right.sql") =~ /^(DO \$\$.*?^END \$\$;)/ms;
$site->execute("SET search_path = disclosed, public; $migrated");
same_json({ states() }, \%before, '... are known from their day of filing');

finish();

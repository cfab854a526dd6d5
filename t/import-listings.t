# When a listing is known: from when a source first said so, never earlier, in whatever order files come.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Process qw(slurp_if_there);
use Disclosed::Shared qw(cluster control);
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes qw(sleep);

my $json = Disclosed::JSON->new->utf8->canonical;

# A submissions file whose newest filing was accepted on that day.
sub submissions
{
    my ($site, $newest, %issuer) = @_;
    my @days = ('1995-01-10', '2003-02-13', $newest);
    my %file = (cik => '0009100001', name => 'Harbour Clock Works Inc.', entityType => 'operating', sic => '3873', sicDescription => 'Watches',
        tickers => ['HCW', 'HCW-PA'], exchanges => ['NYSE', 'NYSE'], formerNames => [], addresses => {}, %issuer,
        filings => { files => [], recent => { accessionNumber => [map { sprintf '0009100001-%s-%06d', substr($_, 2, 2), 1 + substr $_, 5, 2 } @days],
            filingDate => \@days, reportDate => [('') x @days], acceptanceDateTime => [map { "${_}T21:05:00.000Z" } @days], form => [('8-K') x @days],
            fileNumber => [('') x @days], items => [('') x @days], size => [(1000) x @days], primaryDocument => [('a.htm') x @days],
            primaryDocDescription => [('8-K') x @days] } });
    return $site->write("CIK$file{cik}.json", $json->encode(\%file));
}

sub tickers
{
    my ($site, $day, @rows) = @_;
    return $site->write("company_tickers_exchange.$day.json", $json->encode({ fields => [qw(cik name ticker exchange)], data => \@rows }));
}

sub imported
{
    my ($site, $source, $path, $expected) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($code, $out, $err) = $site->control('import', $source, $path);
    is($code, $expected // 0, "$source $path") or diag $out, $err;
    return $out . $err;
}

# The versions of a symbol, in order: [from, until, name, status].
sub versions
{
    my ($site, $symbol) = @_;
    return [map { [@$_{qw(known_at superseded_at name status)}] } $site->rows("SELECT to_char(l.known_at, 'YYYY-MM-DD HH24:MI:SS') AS known_at,
        to_char(l.superseded_at, 'YYYY-MM-DD HH24:MI:SS') AS superseded_at, l.name, l.status
        FROM listing l WHERE record_key = '$symbol' ORDER BY l.known_at, row_id")];
}

my $site = site(template => 'empty');
my $works = 'Harbour Clock Works Inc.';

# --- a submissions file ----------------------------------------------------------------------

imported($site, 'sec-submissions', submissions($site, '2026-02-23'));
is_deeply(versions($site, 'HCW-PA:US'), [['2026-02-23 21:05:00', undef, $works, 'active']], 'a listing is known from the newest acceptance in the file');
is($site->get("/v1/companies/HCW-PA?as_of=$_")->status, 404, "... not in $_") for '1995-01-11', '2003-06-01', '2026-02-23T21:04:59Z';
is(json_of($site->get('/v1/companies/HCW-PA?as_of=2026-02-23T21:05:00Z'), 'but from then on')->{symbol}, 'HCW-PA:US', '... it is');
same_json(json_of($site->get('/v1/companies?as_of=2020-01-01'), 'the list')->{data}, [], '... is empty before');
is($site->value("SELECT min(known_at) < '1995-01-12' FROM issuer_profile"), 't', 'the name is known since the first filing');

imported($site, 'sec-submissions', submissions($site, '2024-05-06', tickers => ['HCW'], exchanges => ['NYSE']));
is_deeply(versions($site, 'HCW:US'), [['2024-05-06 21:05:00', undef, $works, 'active']], 'an earlier file says the same earlier');
is_deeply(versions($site, 'HCW-PA:US'), [['2026-02-23 21:05:00', undef, $works, 'active']], '... of what it names');

# --- names -----------------------------------------------------------------------------------

# The name of a CIK on days, as the profile has it.
sub names_on
{
    my ($cik, @days) = @_;
    return [map { $site->value("SELECT p.name FROM issuer_profile p JOIN issuer i USING (issuer_id) WHERE i.cik = $cik
        AND p.known_at <= '$_' AND (p.superseded_at IS NULL OR p.superseded_at > '$_')") } @days];
}

sub former { my ($name, $from, $to) = @_; return { name => $name, from => "${from}T05:00:00.000Z", to => "${to}T05:00:00.000Z" } }

# Filings of 1995-01-10, 2003-02-13 and 2024-05-06: nobody could know the present name between the last two.
imported($site, 'sec-submissions', submissions($site, '2024-05-06', cik => '0009100011', name => 'Bell Buoys Inc.', tickers => [], exchanges => [],
    formerNames => [former('Bell and Buoy Ltd', '1995-01-10', '2003-02-13')]));
is_deeply(names_on(9100011, '1995-01-10', '1995-01-12', '2003-02-15', '2024-05-06', '2024-05-08'),
    ['', 'Bell and Buoy Ltd', 'Bell and Buoy Ltd', 'Bell and Buoy Ltd', 'Bell Buoys Inc.'], 'a name is known from the next filing after those under the one before');
imported($site, 'sec-submissions', submissions($site, '2024-05-06', cik => '0009100012', name => 'Bell Buoys II Inc.', tickers => [], exchanges => [],
    formerNames => [former('Bell and Buoy II Ltd', '1990-01-10', '1994-02-13')]));
is_deeply(names_on(9100012, '1990-01-10', '1994-02-13', '1994-02-15', '2024-05-08'), ['', 'Bell and Buoy II Ltd', 'Bell Buoys II Inc.', 'Bell Buoys II Inc.'],
    '... or from the last day of that one where the file does not reach back so far');
imported($site, 'sec-submissions', submissions($site, '2024-05-06', cik => '0009100013', name => 'Bell Buoys III Inc.', tickers => [], exchanges => [],
    formerNames => [former('Bell Buoys III Inc.', '1995-01-10', '2024-05-06')]));
is_deeply(names_on(9100013, '1995-01-12', '2024-05-08'), [('Bell Buoys III Inc.') x 2], '... a name that follows itself is one');

# A former name that has lost a date says nothing, nor do the others: the name is known from the file's own time.
my $damaged = 0;
for my $damage (sub { delete $_[0][1]{to} }, sub { $_[0][1]{from} = '' }, sub { delete $_[0][1]{name} }, sub { undef $_[0] }) {
    my $cik = sprintf '%010d', 9_100_020 + ++$damaged;
    my $names = [former('Bell Ltd', '1995-01-10', '1999-02-13'), former('Buoy Ltd', '1999-05-05', '2003-02-13')];
    $damage->($names);
    my $told = imported($site, 'sec-submissions', submissions($site, '2024-05-06', cik => $cik, name => 'Bell Buoys IV Inc.', tickers => [], exchanges => [],
        formerNames => $names), $names ? 1 : 0);
    like($told, qr/formerNames\[0\]: rejected: another former name of this file lacks.*formerNames\[1\]: rejected: a former name needs/s, '... both are rejected') if $names;
    is_deeply(names_on($cik, '1996-01-01', '2000-01-01', '2010-01-01', '2024-05-08'), ['', '', '', 'Bell Buoys IV Inc.'], '... nobody knows the names of before');
}

# --- all tickers of a company -----------------------------------------------------------------

# A file has all tickers of its company: what another copy of the instant had besides never was, and what files before it had ends with it. What other
# sources say stays. In any order of loads.
{
    my $who = sub { my ($newest, @tickers) = @_; my ($site, %more) = (shift @tickers);
        return submissions($site, $newest, cik => '0009100051', name => 'Dial Works Inc.', tickers => [@tickers], exchanges => [('NYSE') x @tickers]) };
    # When a symbol was what, whatever else a version says.
    my $of = sub { my ($site) = @_; return join ' ', map { my $key = $_; my @times;
        for (grep { ($_->[1] // '') ne $_->[0] } versions($site, $key)->@*) {
            @times && $times[-1][2] eq $_->[3] && $times[-1][1] eq $_->[0] ? $times[-1][1] = $_->[1] // '' : push @times, [$_->[0], $_->[1] // '', $_->[3]];
        }
        "$key=" . join ',', map { substr($_->[0], 0, 10) . '-' . substr($_->[1], 0, 10) . ":$_->[2]" } @times } qw(DIAL:US DIALX:US) };
    my $fresh = sub { return site(template => 'empty', start => 0) };
    my $load = sub { my ($site, $newest, @tickers) = @_; return imported($site, 'sec-submissions', $who->($newest, $site, @tickers)) };

    # Copies of one instant.
    for my $copies ([[qw(DIALX)], [qw(DIAL)]], [[qw(DIAL)], [qw(DIALX)], [qw(DIAL)]], [[qw(DIAL DIALX)], [qw(DIAL)]]) {
        my $site = $fresh->();
        $load->($site, '2024-05-06', @$_) for @$copies;
        is($of->($site), 'DIAL:US=2024-05-06-:active DIALX:US=', 'a ticker that only a wrong copy had never was');
        like($load->($site, '2024-05-06', 'DIAL'), qr/\b0 stored|stored 0|0 +stored/, '... again changes nothing');
        is($of->($site), 'DIAL:US=2024-05-06-:active DIALX:US=', '... indeed');
    }
    my $none = $fresh->();
    $load->($none, '2024-05-06', @$_) for [qw(DIALX)], [];
    is($of->($none), 'DIAL:US= DIALX:US=', '... also of a company without any');

    # Files of several days, in any order.
    my @days = (['2024-05-06', qw(DIAL DIALX)], ['2024-08-06', 'DIAL'], ['2024-11-06']);
    my $ended = 'DIAL:US=2024-05-06-2024-11-06:active,2024-11-06-:inactive DIALX:US=2024-05-06-2024-08-06:active,2024-08-06-:inactive';
    for my $order ([0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1, 0]) {
        my $site = $fresh->();
        $load->($site, $days[$_]->@*) for @$order;
        is($of->($site), $ended, "a ticker that newer files lack ends: @$order");
    }
    my $back = $fresh->();
    $load->($back, @$_) for ['2024-11-06', 'DIAL'], $days[0], ['2024-08-06', 'DIALX'];
    is($of->($back), 'DIAL:US=2024-05-06-2024-08-06:active,2024-08-06-2024-11-06:inactive,2024-11-06-:active DIALX:US=2024-05-06-2024-11-06:active,2024-11-06-:inactive', '... and begins anew');

    # Other sources.
    my $list = sub { my ($site) = @_; return imported($site, 'sec-company-tickers', tickers($site, '2024-07-01', [9100051, 'Dial Works Inc.', 'DIALX', 'NYSE'])) };
    my $lines = sub { my ($site) = @_; return imported($site, 'ndjson', $site->write('dial.ndjson', $json->encode({ dataset => 'listing', cik => 9100051, ticker => 'DIALX', market => 'US',
        name => 'Dial Works Inc.', status => 'active', known_at => '2024-06-01T00:00:00Z', provenance => { source_provider => 'issuer_page' } }) . "\n")) };
    for my $other ($list, $lines) {
        for my $order ([$other, @days[0, 1]], [@days[0, 1], $other], [$days[1], $other, $days[0]]) {
            my $site = $fresh->();
            ref $_ eq 'CODE' ? $_->($site) : $load->($site, @$_) for @$order;
            like($of->($site), qr/^DIAL:US=2024-05-06-:active DIALX:US=2024-05-06-:active$/, '... one that another source has stays');
        }
    }

    # Tickers of which one was rejected are not all.
    my $site = $fresh->();
    $load->($site, $days[0]->@*);
    imported($site, 'sec-submissions', submissions($site, '2024-08-06', cik => '0009100051', name => 'Dial Works Inc.', tickers => ['DIAL', undef], exchanges => ['NYSE', 'NYSE']), 1);
    is($of->($site), 'DIAL:US=2024-05-06-:active DIALX:US=2024-05-06-:active', '... nor do any end where one is rejected');
}

# --- lists that do not go together -----------------------------------------------------------

for my $lists ([['XHCW'], ['NYSE', undef]], [['XHCW', 'XHCW-PA'], ['NYSE']]) {
    my $told = imported($site, 'sec-submissions', submissions($site, '2024-05-06', cik => '0009100031', tickers => $lists->[0], exchanges => $lists->[1]), 1);
    like($told, qr/tickers: rejected: has \d entries where exchanges has \d: no listing of this file is read/, 'tickers and exchanges of different numbers');
}
is_deeply(versions($site, 'XHCW:US'), [], '... are no listings');

# --- files of tickers, from the latest to the earliest ---------------------------------------

my @row = (9100001, $works, 'HCW', 'NYSE');
imported($site, 'sec-company-tickers', tickers($site, '2025-01-02', \@row));
imported($site, 'sec-company-tickers', tickers($site, '2021-03-04', \@row));
imported($site, 'sec-company-tickers', tickers($site, '2019-06-07', [9100001, 'Harbour Clocks Ltd', 'HCW', 'NYSE'], [9100002, 'Quay Bell Co', 'QBEL', 'NYSE']));
is_deeply(versions($site, 'HCW:US'), [['2019-06-08 03:59:59', '2021-03-05 04:59:59', 'Harbour Clocks Ltd', 'active'], ['2021-03-05 04:59:59', undef, $works, 'active']],
    'snapshots say what they say from the end of their day');
is_deeply(versions($site, 'QBEL:US'), [['2019-06-08 03:59:59', '2021-03-05 04:59:59', 'Quay Bell Co', 'active'], ['2021-03-05 04:59:59', undef, 'Quay Bell Co', 'inactive']],
    '... and one that is dropped has gone with the first that lacks it');

# A ticker that goes from one company to another belongs to each from when it was said.
imported($site, 'sec-company-tickers', tickers($site, '2023-08-09', \@row, [9100003, 'Ferry Post Inc', 'QBEL', 'NYSE']));
my @owners = map { [@$_{qw(cik known_at)}] } $site->rows("SELECT i.cik, to_char(l.known_at, 'YYYY-MM-DD') AS known_at FROM listing l JOIN issuer i USING (issuer_id)
    WHERE record_key = 'QBEL:US' AND status = 'active' ORDER BY l.known_at");
is_deeply(\@owners, [[9100002, '2019-06-08'], [9100003, '2023-08-10']], 'a ticker with two owners in turn');
is($site->get('/v1/companies/QBEL?as_of=2019-06-07')->status, 404, 'nobody\'s before the first');

# Which listing is the primary one is as of the instant, too.
my @swapped = ([9100041, 'Tide Table Co', 'TTCY', 'OTC'], [9100041, 'Tide Table Co', 'TTC', 'NYSE']);
imported($site, 'sec-company-tickers', tickers($site, '2025-01-15', \@row, [9100003, 'Ferry Post Inc', 'QBEL', 'NYSE'], reverse @swapped));
imported($site, 'sec-company-tickers', tickers($site, '2024-01-15', \@row, [9100003, 'Ferry Post Inc', 'QBEL', 'NYSE'], @swapped));
is($site->value("SELECT string_agg(p.ticker, ' ' ORDER BY day) FROM issuer i, unnest(ARRAY['2024-06-01', '2025-06-01']::timestamptz[]) AS day,
    LATERAL primary_listing(i.issuer_id, day) p WHERE i.cik = 9100041"), 'TTCY TTC', 'the primary listing of then, and of later');
is($site->value('SELECT ticker FROM issuer WHERE cik = 9100041'), 'TTC', '... and of now');

# A file of which a row is rejected does not say that what it lacks has gone; the mended one of that day may.
my @post = (9100003, 'Ferry Post Inc', 'QBEL', 'NYSE');
my $statuses = sub { my ($day) = @_; return join ' ', map { $site->value("SELECT status FROM listing WHERE record_key = '$_' AND known_at <= '$day'
    AND (superseded_at IS NULL OR superseded_at > '$day')") } 'HCW:US', 'QBEL:US' };
imported($site, 'sec-company-tickers', tickers($site, '2025-03-04', [9100001, $works, '', 'NYSE'], \@post), 1);
is($statuses->('2025-03-20'), 'active active', 'a rejected row retires no listing');
is($site->value("SELECT count(*) FILTER (WHERE NOT is_whole) FROM listing_snapshot"), 1, '... its file is not whole');
imported($site, 'sec-company-tickers', tickers($site, '2025-03-04', \@post));
is($statuses->('2025-03-20'), 'inactive active', '... the whole file of that day does');
is($statuses->('2026-02-24'), 'active active', '... until a submissions file of later has it');
imported($site, 'sec-company-tickers', tickers($site, '2025-04-05', \@row, \@post));
is($statuses->('2025-04-20'), 'active active', '... or a later one names it again');

# --- one answer for a set of files, in whatever order they come ------------------------------

# [kind, day, rows]: ABC is dropped by both and comes back, MOV goes to another company and back, NAM is named anew
# and as before, RNK changes places, GON goes for good; the kinds disagree on the name of DIS.
my @days = map { "2024-0$_-01" } 1 .. 5;
my $row = sub { my ($cik, $symbol, $name, $exchange) = @_; return [9_300_000 + $cik, $name // "Company $cik", $symbol, $exchange // 'NYSE'] };
my @exchange = (
    [$row->(1, 'ABC'), $row->(2, 'MOV'), $row->(4, 'NAM', 'Old Name'), $row->(5, 'RNK'), $row->(5, 'RNL'), $row->(6, 'GON'), $row->(7, 'DIS', 'One')],
    [$row->(2, 'MOV'), $row->(4, 'NAM', 'New Name'), $row->(5, 'RNL'), $row->(5, 'RNK'), $row->(6, 'GON'), $row->(7, 'DIS', 'One')],
    [$row->(3, 'MOV'), $row->(4, 'NAM', 'Old Name'), $row->(5, 'RNK'), $row->(5, 'RNL'), $row->(7, 'DIS', 'One')],
    [$row->(1, 'ABC'), $row->(2, 'MOV'), $row->(4, 'NAM', 'Old Name', 'Nasdaq'), $row->(5, 'RNL'), $row->(5, 'RNK'), $row->(7, 'DIS', 'One')],
    [$row->(1, 'ABC', 'Alphabet Buoys'), $row->(2, 'MOV'), $row->(4, 'NAM', 'New Name'), $row->(5, 'RNK'), $row->(7, 'DIS', 'One'), $row->(8, 'LAT')]);
my @plain = (
    [$row->(1, 'ABC'), $row->(7, 'DIS', 'Two'), $row->(4, 'NAM', 'Old Name')],
    [$row->(7, 'DIS', 'Two'), $row->(6, 'GON')],
    [$row->(7, 'DIS', 'Two'), $row->(6, 'GON'), $row->(4, 'NAM', 'Old Name')],
    [$row->(7, 'DIS', 'One')],
    [$row->(7, 'DIS', 'Two'), $row->(1, 'ABC', 'Alphabet Buoys'), $row->(4, 'NAM', 'New Name')]);
# Files of the first kind are of the first of a month; of the other, of the first as well or of some days later.
my $orders = site(template => 'empty', start => 0);
my @set;
for my $i (0 .. $#days) {
    push @set, tickers($orders, $days[$i], @{ $exchange[$i] });
    my $day = $i % 2 ? $days[$i] =~ s/01$/09/r : $days[$i];
    push @set, $orders->write("company_tickers.$day.json", $json->encode({ map { ($_ => { cik_str => $plain[$i][$_][0], ticker => $plain[$i][$_][2], title => $plain[$i][$_][1] }) }
        0 .. $#{ $plain[$i] } }));
}

sub timelines
{
    my ($database, $symbol) = @_;
    my $where = $symbol ? "AND l.record_key = '$symbol:US'" : '';
    return [map { join ' ', map { $_ // '-' } @$_{qw(cik record_key known until status name exchange listing_rank listed_on kind content_hash)} } cluster()->rows($database,
        "SELECT i.cik, l.record_key, to_char(l.known_at AT TIME ZONE 'America/New_York', 'MM-DD') AS known,
            to_char(l.superseded_at AT TIME ZONE 'America/New_York', 'MM-DD') AS until, l.status, l.name,
            l.listing_exchange AS exchange, l.listing_rank, l.listed_on, l.source_url AS kind, l.content_hash
         FROM disclosed.listing_sourced l JOIN disclosed.issuer i USING (issuer_id) WHERE i.cik BETWEEN 9300001 AND 9300009 $where
         ORDER BY l.record_key, l.known_at, l.row_id")];
}

# Loads files; returns what was told.
sub loaded
{
    my (@files) = @_;
    my ($code, $out, $err) = control($orders->conninfo, 'import', 'sec-company-tickers', @files);
    is($code, 0, scalar @files . ' files of tickers') or diag $out, $err;
    return $out . $err;
}

loaded(@set);
my $truth = timelines($orders->{database});
my $brief = sub { [map { s/ 2024-\S+ https.*$//r } @{ timelines($orders->{database}, $_[0]) }] };
is_deeply($brief->('ABC'), ['9300001 ABC:US 01-01 02-09 active Company 1 NYSE 0', '9300001 ABC:US 02-09 04-01 inactive Company 1 NYSE 0',
    '9300001 ABC:US 04-01 05-01 active Company 1 NYSE 0', '9300001 ABC:US 05-01 - active Alphabet Buoys NYSE 0'],
    'a listing is inactive from the file that is the last to drop it until one names it again');
is_deeply($brief->('MOV'), ['9300002 MOV:US 01-01 03-01 active Company 2 NYSE 0', '9300003 MOV:US 03-01 04-01 active Company 3 NYSE 0',
    '9300002 MOV:US 04-01 - active Company 2 NYSE 0'], '... a ticker goes to another company and back');
is_deeply($brief->('GON'), ['9300006 GON:US 01-01 04-09 active Company 6 NYSE 0', '9300006 GON:US 04-09 - inactive Company 6 NYSE 0'], '... and what has gone stays so');
is_deeply($brief->('NAM'), ['9300004 NAM:US 01-01 02-01 active Old Name NYSE 0', '9300004 NAM:US 02-01 03-01 active New Name NYSE 0',
    '9300004 NAM:US 03-01 04-01 active Old Name NYSE 0', '9300004 NAM:US 04-01 05-01 active Old Name Nasdaq 0',
    '9300004 NAM:US 05-01 - active New Name NYSE 0'], '... a name that is given up and taken again is two versions');
my $before = $orders->value('SELECT max(version) FROM dataset_stat');
my $told = loaded(reverse @set);
is_deeply([grep { $_ } $told =~ /stored (\d+)/g], [], 'a second load stores nothing');
is_deeply(timelines($orders->{database}), $truth, '... changes nothing');
is($orders->value('SELECT max(version) FROM dataset_stat'), $before, '... and leaves the answers\' versions');
srand 20240501;
my $same = 0;
for my $round (1 .. 20) {
    $orders->execute('TRUNCATE disclosed.listing, disclosed.listing_seen, disclosed.listing_snapshot');
    my @order = sort { $a->[0] <=> $b->[0] } map { [rand, $_] } @set, @set[map { int rand @set } 1 .. 4];
    loaded(map { $_->[1] } @order);
    my $got = timelines($orders->{database});
    my $is_same = "@$got" eq "@$truth";
    $same += $is_same;
    if (!$is_same) { is_deeply($got, $truth, "order $round: " . join ' ', map { $_->[1] =~ s{.*/}{}r } @order); last }
}
is($same, 20, 'twenty random orders with repeats: the same versions');

# --- ... of several kinds of sources ---------------------------------------------------------

# Of MIX and MIY, beside whole-market files: submissions files, which say the same as the one before or not, without an exchange, and
# lines of NDJSON, of the same time as well.
my $mix = sub { my ($ranked, $name) = @_; return [map { [9_300_001, $name // 'Mixed Works Inc.', $_, $_[2]] } @$ranked] };
my $plainly = sub {
    my ($day, $ranked) = @_;
    return ['sec-company-tickers', $orders->write("company_tickers.$day.json", $json->encode({ map { ($_ => { cik_str => 9_300_001, ticker => $ranked->[$_], title => 'Mixed Works Inc.' }) } 0 .. $#$ranked }))];
};
my $stating = sub {
    my ($name, @lines) = @_;
    return ['ndjson', $orders->write($name, join '', map { $json->encode({ dataset => 'listing', cik => 9_300_001, ticker => 'MIX', market => 'US', name => 'Mixed Works Inc.', status => 'active',
        listed_on => '2001-02-03', provenance => { source_provider => 'exchange_site' }, %$_ }) . "\n" } @lines)];
};
my $filed = sub {
    my ($folder, $day, @rest) = @_;
    mkdir "$orders->{root}/$folder";
    my $path = submissions($orders, $day, cik => '0009300001', name => 'Mixed Works Inc.', @rest);
    rename $path, "$orders->{root}/$folder/CIK0009300001.json" or die "$path: $!";
    return ['sec-submissions', "$orders->{root}/$folder/CIK0009300001.json"];
};
my $early = ['sec-company-tickers', tickers($orders, '2024-01-10', $mix->([qw(MIX MIY)], undef, 'NYSE')->@*)];
my $between = $filed->('between', '2024-03-10', tickers => [qw(MIY MIX)], exchanges => [undef, undef]);
my $late = $plainly->('2024-05-10', [qw(MIY MIX)]);
my $after = $filed->('after', '2024-07-10', tickers => [qw(MIX MIY)], exchanges => ['NYSE', 'NYSE']);

# What was loaded in each order: equal in the end, and at each instant.
sub one_outcome
{
    my ($title, $expected, @orders) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($same, $first) = (0);
    for my $order (@orders) {
        $orders->execute('TRUNCATE disclosed.listing, disclosed.listing_seen, disclosed.listing_snapshot, disclosed.listing_stated, disclosed.issuer_profile, disclosed.filing');
        for my $file (@$order) {
            my ($code, $out, $err) = control($orders->conninfo, 'import', @$file);
            is($code, 0, "@$file") or diag $out, $err if $code;
        }
        my $got = timelines($orders->{database});
        $first //= $got;
        $same += "@$got" eq "@$first";
        if ("@$got" ne "@$first") { is_deeply($got, $first, join ' ', $title, map { $_->[1] =~ s{.*?([^/]+/[^/]+)\z}{$1}r } @$order); last }
    }
    is($same, scalar @orders, "$title: " . @orders . ' orders leave the same versions');
    is_deeply([map { s/ (?:https\S*|-) (?:sha256:\S+|-)\z//r =~ s/^9300001 //r } grep { /MIX:US/ } @$first], $expected, '... what was said when') or diag explain $first;
    return $first;
}

sub all_orders
{
    my (@items) = @_;
    return [] if !@items;
    return map { my $i = $_; map { [$items[$i], @$_] } all_orders(@items[grep { $_ != $i } 0 .. $#items]) } 0 .. $#items;
}

one_outcome('a submissions file between whole-market files', ['MIX:US 01-10 03-10 active Mixed Works Inc. NYSE 0 2024-01-10', 'MIX:US 03-10 - active Mixed Works Inc. NYSE 1 2024-01-10'],
    map { ($_, [@$_, $_->[0]]) } all_orders($early, $between, $late));
one_outcome('a submissions file after whole-market files', ['MIX:US 01-10 05-10 active Mixed Works Inc. NYSE 0 2024-01-10', 'MIX:US 05-10 07-10 active Mixed Works Inc. NYSE 1 2024-01-10',
    'MIX:US 07-10 - active Mixed Works Inc. NYSE 0 2024-01-10'], map { ($_, [@$_, $_->[1]]) } all_orders($early, $late, $after));
one_outcome('two submissions files, and whole-market files', ['MIX:US 01-10 03-10 active Mixed Works Inc. NYSE 0 2024-01-10', 'MIX:US 03-10 07-10 active Mixed Works Inc. NYSE 1 2024-01-10',
    'MIX:US 07-10 - active Mixed Works Inc. NYSE 0 2024-01-10'], map { [@$_, @$_[1, 2]] } (all_orders($early, $between, $late, $after))[0, 5, 10, 15, 20, 23]);
my $isin = $stating->('isin.ndjson', { known_at => '2024-02-10T12:00:00Z', isin => 'US0378331005', is_adr => JSON::PP::true });
my $two = $stating->('two.ndjson', { known_at => '2024-03-10T21:05:00Z', name => 'Mixed Works' }, { known_at => '2024-03-10T21:05:00Z', name => 'Mixed Works plc' });
my $other = $stating->('other.ndjson', { known_at => '2024-03-10T21:05:00Z', name => 'Mixed Works plc' }, { known_at => '2024-06-10T12:00:00Z', status => 'delisted', listed_on => '2001-02-04' });
one_outcome('NDJSON beside them', ['MIX:US 01-10 02-10 active Mixed Works Inc. NYSE 0 2024-01-10', 'MIX:US 02-10 03-10 active Mixed Works Inc. NYSE 0 2001-02-03',
    'MIX:US 03-10 - active Mixed Works Inc. NYSE 1 2001-02-03'], all_orders($early, $isin, $between));
one_outcome('NDJSON of one instant', ['MIX:US 01-10 03-10 active Mixed Works Inc. NYSE 0 2024-01-10', 'MIX:US 03-10 03-10 active Mixed Works NYSE 0 2001-02-03',
    'MIX:US 03-10 06-10 active Mixed Works plc NYSE 0 2001-02-03', 'MIX:US 06-10 - delisted Mixed Works Inc. NYSE 0 2001-02-04'], all_orders($early, $two, $other));
my $told_again = '';
for my $file ($early, $two, $other, $two, $other, $early) {
    my (undef, $out) = control($orders->conninfo, 'import', @$file);
    $told_again .= $out;
}
is_deeply([grep { $_ } $told_again =~ /stored (\d+)/g], [], '... a second load stores nothing');
is($orders->value("SELECT count(*) FROM listing l WHERE record_key = 'MIX:US' AND listed_on IS NULL OR l.id <> (SELECT min(id) FROM listing o WHERE o.issuer_id = l.issuer_id AND o.record_key = l.record_key)"), 0,
    '... and a record has one number');

# It can fail: versions of files whose statements are not kept.
$orders->execute("CREATE OR REPLACE FUNCTION disclosed.reconcile_listings(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE sql AS \$\$ SELECT 'listing', 1 WHERE false \$\$");
my %ends;
for my $order (all_orders($early, $late, $after)) {
    $orders->execute('TRUNCATE disclosed.listing, disclosed.listing_seen, disclosed.listing_snapshot, disclosed.listing_stated, disclosed.issuer_profile, disclosed.filing');
    control($orders->conninfo, 'import', @$_) for @$order;
    $ends{ join "\n", timelines($orders->{database})->@* }++;
}
cmp_ok(scalar keys %ends, '>', 1, '... where statements are not kept, the order decides');

# --- NDJSON ----------------------------------------------------------------------------------

imported($site, 'ndjson', $site->write('listing.ndjson', $json->encode({ dataset => 'listing', cik => '9100001', known_at => '2010-04-05T06:07:08Z', ticker => 'HCWX',
    market => 'GB', name => $works, status => 'active', listed_on => '1999-01-01', provenance => { source_provider => 'exchange_site' } }) . "\n"));
is_deeply(versions($site, 'HCWX:GB'), [['2010-04-05 06:07:08', undef, $works, 'active']], 'NDJSON says itself from when');

# --- thousands of them, and no statistics ----------------------------------------------------

# Plans must not depend on when autovacuum comes by: demo data, of which PostgreSQL knows nothing yet.
sub site_without_statistics
{
    my $fresh = site(template => 'demo', start => 0);
    $fresh->execute("ALTER DATABASE $fresh->{database} SET random_page_cost = 1.1;
        DELETE FROM pg_statistic; UPDATE pg_class SET relpages = 0, reltuples = -1 WHERE relnamespace = 'disclosed'::regnamespace AND relkind IN ('r', 'i');
        " . join '', map { "ALTER TABLE disclosed.$_ SET (autovacuum_enabled = off);\n" } qw(issuer listing listing_seen event_notice));
    return $fresh;
}

# Imports, and returns how many seconds of processor time the database took: others may keep it busy.
sub work_of
{
    my ($fresh, @arguments) = @_;
    my $database = $fresh->{database};
    my $pid = fork() // die "fork: $!";
    POSIX::_exit((control($fresh->conninfo, 'import', @arguments))[0]) if $pid == 0;
    my ($backend, $ticks) = ('', 0);
    until (waitpid $pid, POSIX::WNOHANG) {
        $backend ||= cluster()->value('postgres', "SELECT pid FROM pg_stat_activity WHERE datname = '$database' AND application_name = 'disclosedctl'");
        my @fields = split ' ', $backend ? slurp_if_there("/proc/$backend/stat") =~ s/^.*\) //r : '';
        $ticks = $fields[11] + $fields[12] if @fields > 12;
        sleep 0.1;
    }
    is($? >> 8, 0, "@arguments[0, -1]");
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK);
}

# The same for a calendar and three files with so many symbols.
sub work_of_symbols
{
    my ($fresh, $count) = @_;
    my @all = map { [9_200_000 + $_, "Works Number $_ Inc.", sprintf('W%04d', $_), $_ % 3 ? 'NYSE' : undef] } 1 .. $count;
    my $calendar = $fresh->write('earnings-calendar.csv', join '', "symbol,name,reportDate,fiscalDateEnding\n",
        map { "$_->[2],$_->[1],2026-12-10,2026-10-31\n" } @all);
    my $seconds = work_of($fresh, 'earnings-calendar', '--known-at', '2026-11-20', $calendar);
    $seconds += work_of($fresh, 'sec-company-tickers', $_) for tickers($fresh, '2025-01-02', @all), tickers($fresh, '2024-01-02', @all[0 .. $count - 101]),
        tickers($fresh, '2026-01-02', map { [@$_[0, 1, 2], 'NYSE'] } @all[100 .. $count - 1]);
    return $seconds;
}

my $fresh = site_without_statistics();
my $seconds = work_of_symbols($fresh, 6000);
cmp_ok($seconds, '>', 0.5, 'six thousand symbols, four times');
my $most = 25;
if ($seconds >= $most) { # a slow machine, or work that grows by their square?
    $most = 6 * work_of_symbols(site_without_statistics(), 1500);
}
cmp_ok($seconds, '<', $most, "... take the database $seconds s, of $most");
is_deeply([map { join ' ', @$_{qw(status count)} } $fresh->rows("SELECT status, count(*) FROM listing_sourced WHERE superseded_at IS NULL AND source_provider = 'sec' GROUP BY 1 ORDER BY 1")],
    ['active 5900', 'inactive 100'], '... and each is what the last file says');
is($fresh->value("SELECT count(*) FROM event_notice n JOIN issuer i USING (issuer_id) WHERE i.cik BETWEEN 9200001 AND 9206000"), 6000, '... with its row of the calendar');

finish();

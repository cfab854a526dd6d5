# Positions that FINRA revises with the next cycle's file: what holds at each instant follows from what files say, in whatever order they come. A revision
# that another copy takes back leaves nothing but that it held.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';

my $site = site(template => 'empty');
my $head = 'settlementDate|symbolCode|issueName|marketClassCode|currentShortPositionQuantity|previousShortPositionQuantity|stockSplitFlag|averageDailyVolumeQuantity|daysToCoverQuantity|revisionFlag|changePercent';

# Files of one security by a name: settlement date, position, the one before, whether that is revised, and when the file was taken. Those of one date come in
# their order: what is loaded first of a date is what was published then.
my %files = (
    first => ['2023-01-13', 1000, 900, '', '2023-01-26'],
    better => ['2023-01-13', 1100, 900, '', '2023-02-20'],
    revising => ['2023-01-31', 5000, 1200, 'R', '2023-02-10'],
    otherwise => ['2023-01-31', 5000, 1300, 'R', '2023-03-01'],
    same => ['2023-01-31', 5001, 1200, 'R', '2023-03-01'],
    corrected => ['2023-01-31', 5000, 1000, '', '2023-03-01'],
    again => ['2023-01-31', 5000, 1200, 'R', '2023-03-20'],
    last => ['2023-02-15', 6000, 5500, 'R', '2023-02-28'],
    volume => ['2023-01-13', 1000, 900, '', '2023-02-20', 50],
    repeated => ['2023-01-13', 1000, 900, '', '2023-03-05'],
    shallow => ['2023-01-13', 60, 50, '', '2023-01-26'],
    thin => ['2023-01-13', 5000, 4000, '', '2023-01-26', 1],
    deepens => ['2023-01-31', 5000, 70, 'R', '2023-02-10'],
);
my ($folder, $number) = (0, 0);

sub load
{
    my ($symbol, @names) = @_;
    for my $name (@names) {
        my ($day, $position, $before, $flag, $taken, $volume) = ($files{$name}->@*, 100);
        my $days = $position / $volume;
        my $path = ++$folder . '/shrt' . $day =~ s/-//gr . '.csv';
        mkdir "$site->{root}/$folder";
        $path = $site->write($path, "$head\n$day|$symbol|$symbol Inc|NNM|$position|$before||$volume|" . sprintf('%.2f', $days < 1 ? 1 : $days > 999.99 ? 999.99 : $days) . "|$flag|" . sprintf('%.2f', ($position - $before) * 100 / $before) . "\n");
        my ($code, $out, $err) = $site->control('import', 'finra-short-interest', '--known-at', $taken, $path);
        is($code, 0, "$symbol: $name") or diag $out, $err;
    }
    return;
}

# The positions, each from when to when.
sub history
{
    my ($symbol) = @_;
    return [map { $_->{line} } $site->rows("SELECT concat_ws(' ', to_char(settlement_date, 'MM-DD'), current_short_position, coalesce(days_to_cover::text, '-'), to_char(known_at, 'MM-DD'),
        coalesce(to_char(superseded_at, 'MM-DD'), 'now')) AS line FROM short_interest WHERE symbol_code = '$symbol' AND superseded_at IS DISTINCT FROM known_at ORDER BY settlement_date, known_at, 1")];
}

sub one_history
{
    my ($title, $expected, @orders) = @_;
    for my $order (@orders) {
        my $symbol = sprintf 'ZZ%s', chr(65 + $number / 26) . chr(65 + $number % 26);
        $number++;
        load($symbol, @$order);
        is_deeply(history($symbol), $expected, "$title: @$order") or diag explain history($symbol);
        is($site->value("SELECT count(*) FROM (SELECT 1 FROM short_interest WHERE symbol_code = '$symbol' GROUP BY record_key HAVING count(DISTINCT id) > 1) x"), 0, '... a record each');
    }
    return;
}

one_history('revised', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 now', '01-31 5000 50.00 02-11 now'], ['first', 'revising'], ['revising', 'first'], ['first', 'revising', 'first', 'revising']);
one_history('revised and taken back', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 03-02', '01-13 1000 10.00 03-02 now', '01-31 5000 50.00 02-11 03-02', '01-31 5000 50.00 03-02 now'],
    ['first', 'revising', 'corrected'], ['revising', 'first', 'corrected'], ['revising', 'corrected', 'first'], ['first', 'revising', 'corrected', 'first', 'corrected']);
one_history('revised otherwise', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 03-02', '01-13 1300 13.00 03-02 now', '01-31 5000 50.00 02-11 03-02', '01-31 5000 50.00 03-02 now'],
    ['first', 'revising', 'otherwise'], ['revising', 'otherwise', 'first'], ['revising', 'first', 'otherwise']);
one_history('revised alike', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 now', '01-31 5000 50.00 02-11 03-02', '01-31 5001 50.01 03-02 now'], ['first', 'revising', 'same'], ['revising', 'same', 'first']);
one_history('taken back and revised again', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 03-02', '01-13 1000 10.00 03-02 03-21', '01-13 1200 12.00 03-21 now', '01-31 5000 50.00 02-11 03-02', '01-31 5000 50.00 03-02 03-21',
    '01-31 5000 50.00 03-21 now'], ['first', 'revising', 'corrected', 'again'], ['revising', 'corrected', 'again', 'first']);
one_history('a file that says better', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 02-21', '01-13 1100 11.00 02-21 now', '01-31 5000 50.00 02-11 now'], ['first', 'revising', 'better'], ['first', 'better', 'revising'], ['revising', 'first', 'better']);
one_history('two cycles', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 now', '01-31 5000 50.00 02-11 03-01', '01-31 5500 55.00 03-01 now', '02-15 6000 60.00 03-01 now'],
    ['first', 'revising', 'last'], ['last', 'revising', 'first'], ['revising', 'last', 'first']);

# What was stored before versions said what they revise: a revision that had been taken back stayed.
load('ZOLD', 'first', 'revising', 'corrected');
my $expected = history('ZOLD');
$site->execute(join '; ', 'SET search_path = disclosed, public', "DELETE FROM short_interest WHERE symbol_code = 'ZOLD' AND revised_from IS NOT NULL AND current_short_position = 1000",
    "UPDATE short_interest SET superseded_at = NULL WHERE symbol_code = 'ZOLD' AND revised_from IS NOT NULL", 'UPDATE short_interest SET revised_from = NULL');
is(history('ZOLD')->[1], '01-13 1200 12.00 02-11 now', 'as earlier versions had left it');
my ($migrated) = slurp(glob "$FindBin::Bin/../sql/*_ends_anew.sql") =~ /^-- -+ what is stored.*?^(DO \$\$.*?^END \$\$;)/ms;
$site->execute("SET search_path = disclosed, public; $migrated");
is_deeply(history('ZOLD'), $expected, '... is put right by the migration');
is($site->value('SELECT count(*) FROM short_interest WHERE stated_days_to_cover IS NULL AND revised_from IS NULL'), 0, '... which knows what was derived');

# A copy that says once more what was revised says nothing new; FINRA's bounds hold for days that are worked out.
one_history('another volume', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 02-21', '01-13 1200 24.00 02-21 now', '01-31 5000 50.00 02-11 now'],
    ['first', 'revising', 'volume'], ['first', 'volume', 'revising'], ['revising', 'first', 'volume']);
one_history('a better file and the first one again', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 02-21', '01-13 1100 11.00 02-21 03-06', '01-13 1200 12.00 03-06 now', '01-31 5000 50.00 02-11 now'],
    ['first', 'revising', 'better', 'repeated']);
one_history('another volume, and taken back', ['01-13 1000 10.00 01-27 02-11', '01-13 1200 12.00 02-11 02-21', '01-13 1200 24.00 02-21 03-02', '01-13 1000 20.00 03-02 now', '01-31 5000 50.00 02-11 03-02', '01-31 5000 50.00 03-02 now'],
    ['first', 'revising', 'volume', 'corrected']);
one_history('less than a day', ['01-13 60 1.00 01-27 02-11', '01-13 70 1.00 02-11 now', '01-31 5000 50.00 02-11 now'], ['shallow', 'deepens']);
one_history('no meaning', ['01-13 5000 - 01-27 02-11', '01-13 1200 - 02-11 now', '01-31 5000 50.00 02-11 now'], ['thin', 'revising']);

finish();

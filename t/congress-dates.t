# When reports of Congress were filed: what each file says of it is kept, and the best of it dates the report's trades, whatever the
# order of files. What a file of a later time knows better shows from that time on.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Digest::SHA qw(sha256_hex);
use Disclosed::Process qw(slurp);
use List::Util qw(shuffle);

my $json = Disclosed::JSON->new->utf8->canonical;
my $site = site(template => 'empty', start => 0);
srand 20261122;

sub import_into
{
    my ($where, $file) = @_;
    my ($source, $path, @options) = @$file;
    my ($code, $out, $err) = $where->control('import', $source, @options, $path);
    is($code, 0, "$source $path @options") or diag substr "$out$err", 0, 1000;
    return "$out$err";
}

sub in_force
{
    my ($where, $at) = @_;
    my $condition = $at ? "t.known_at <= '$at' AND (t.superseded_at IS NULL OR t.superseded_at > '$at')" : 't.superseded_at IS NULL';
    return [map { $_->{line} } $where->rows("SELECT concat_ws('|', t.src_digest, t.record_key, t.first_name, t.last_name, t.ticker, t.asset_name, t.owner, t.comment,
        t.filing_date, t.filing_date_basis, t.read_from, t.source_url, t.quote, t.content_hash) AS line FROM congress_trade_sourced t WHERE $condition ORDER BY 1")];
}

# The dates of a report's rows at an instant.
sub dates
{
    my ($where, $report, $at) = @_;
    my $condition = $at ? "known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at')" : 'superseded_at IS NULL';
    return join ', ', map { $_->{line} } $where->rows("SELECT DISTINCT filing_date || ' ' || filing_date_basis AS line FROM congress_trade
        WHERE report_id = '$report' AND $condition ORDER BY 1");
}

# --- the Senate ------------------------------------------------------------------------------

my $link = 'https://efdsearch.senate.gov/search/view';
my ($report, $other, $paper, $early_paper) = map { "$_-0000-4000-8000-000000000001" } qw(aaaaaaaa aaaaaaab bbbbbbbb bbbbbbbc);
my %row = (owner => 'Self', ticker => 'MSFT', asset_description => 'Microsoft Corporation', asset_type => 'Stock', type => 'Purchase', amount => '$1,001 - $15,000',
    comment => '--', senator => 'John Boozman');
sub trade { my ($id, $day, %more) = @_; return { %row, transaction_date => $day, ptr_link => "$link/ptr/$id/", %more } }
sub on_paper
{
    my ($id, $day) = @_;
    return { %row, transaction_date => $day, ptr_link => "$link/paper/$id/", asset_description => 'This filing was disclosed via scanned PDF.', asset_type => 'PDF Disclosed Filing',
        type => 'N/A', ticker => '--' };
}
my $number = 0;
sub file_of { my ($known_at, @rows) = @_; return ['senate-ptr', $site->write(++$number . '-transactions.json', $json->encode(\@rows)), '--known-at', $known_at] }

my @rows = (trade($report, '11/10/2020'), trade($report, '11/12/2020', ticker => 'AAPL'));
my %said = (
    late_bound  => file_of('2024-01-01', on_paper($paper, '11/24/2020'), @rows),
    early_bound => file_of('2024-01-01', on_paper($paper, '11/24/2020'), on_paper($early_paper, '11/17/2020'), $rows[0]),
    named       => file_of('2024-01-01', $rows[0]),
    named_later => file_of('2024-06-01', @rows),
    stated      => file_of('2024-06-01', trade($report, '11/10/2020', disclosure_date => '11/16/2020')),
);

# Orders of some of the files, and what is in force at instants.
sub in_orders
{
    my ($names, $report, %wanted) = @_;
    my $first;
    for my $order ($names, [reverse(@$names), shuffle @$names]) {
        my $where = site(template => 'empty', start => 0);
        import_into($where, $said{$_}) for @$order;
        is(dates($where, $report, $_ eq 'now' ? undef : $_), $wanted{$_}, "@$order: $_: $wanted{$_}") for sort keys %wanted;
        my $all = [map { in_force($where, $_ eq 'now' ? undef : $_) } sort keys %wanted];
        $first //= $all;
        same_json($all, $first, '... and all else is the same');
        is($where->value('SELECT count(*) FROM congress_trade a JOIN congress_trade b USING (record_key)
            WHERE a.row_id < b.row_id AND tstzrange(a.known_at, a.superseded_at) && tstzrange(b.known_at, b.superseded_at)'), 0, '... nothing twice');
        my $runs = $where->value('SELECT max(import_run_id) FROM import_run');
        import_into($where, [$said{$_}->@[0, 1]]) for @$names;
        is($where->value("SELECT sum(stored) FROM import_run WHERE import_run_id > $runs"), 0, '... and once more, without a time, they say nothing new');
        same_json([map { in_force($where, $_ eq 'now' ? undef : $_) } sort keys %wanted], $first, '... and change nothing');
    }
}

in_orders(['late_bound', 'early_bound'], $report, now => '2020-11-17 latest_possible', '2020-11-18Z' => '', '2020-11-20Z' => '2020-11-17 latest_possible');
in_orders(['named', 'named_later'], $report, now => '2020-11-12 earliest_possible', '2024-03-01Z' => '2020-11-10 earliest_possible', '2023-12-31Z' => '',
    '2024-07-01Z' => '2020-11-12 earliest_possible');
in_orders(['named', 'late_bound'], $report, now => '2020-11-24 latest_possible', '2020-11-27Z' => '2020-11-24 latest_possible', '2020-11-25Z' => '');
in_orders([qw(late_bound stated named early_bound)], $report, now => '2020-11-16 stated', '2020-11-16Z' => '', '2020-11-17 12:00Z' => '2020-11-16 stated');

# A row that the later file lacks is dated better by it all the same, from then on.
$said{one}   = file_of('2024-01-01', trade($other, '11/02/2020'), trade($other, '11/03/2020'));
$said{two}   = file_of('2024-06-01', trade($other, '11/09/2020'));
$said{three} = file_of('2024-09-01', trade($other, '11/02/2020', asset_description => 'Microsoft Corporation Common Stock', comment => 'in full'));
in_orders(['one', 'two', 'three'], $other, now => '2020-11-09 earliest_possible', '2024-03-01Z' => '2020-11-03 earliest_possible', '2024-07-01Z' => '2020-11-09 earliest_possible');

# Of files that say the same of a trade one is its source, with its own address and quote: of those that said it when it became known
# the one that quotes, then that with the lesser digest.
sub hash_of { return 'sha256:' . sha256_hex(slurp($said{ $_[0] }[1])) }
sub sources
{
    my ($where, $report, $at) = @_;
    my $condition = $at ? "known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at')" : 'superseded_at IS NULL';
    my %name = map { (hash_of($_) => $_) } keys %said;
    return join ', ', sort map { ($name{ $_->{content_hash} // '' } // 'none') . ($_->{quote} ? " '$_->{quote}'" : '') . ($_->{source_url} =~ /(\?.*)/ ? " $1" : '') }
        $where->rows("SELECT content_hash, quote, source_url FROM congress_trade_sourced WHERE report_id = '$report' AND $condition");
}
# Makes a file's digest lesser than another's, or greater.
sub pad
{
    my ($name, $is_lesser, $than) = @_;
    my $path = $said{$name}[1];
    my $text = slurp($path);
    $text .= ' ' while (sha256_hex($text) lt sha256_hex(slurp($said{$than}[1]))) != $is_lesser;
    open my $file, '>:raw', $path or die;
    print $file $text;
    close $file;
}
sub sources_in_orders
{
    my ($names, $report, %wanted) = @_;
    for my $order ($names, [reverse @$names], [@$names[1 .. $#$names], @$names], [shuffle @$names], [shuffle @$names, @$names]) {
        my $where = site(template => 'empty', start => 0);
        import_into($where, $said{$_}) for @$order;
        is(sources($where, $report, $_ eq 'now' ? undef : $_), $wanted{$_}, "@$order: $_: $wanted{$_}") for sort keys %wanted;
        import_into($where, [$said{$_}->@[0, 1]]) for @$names;
        is(sources($where, $report, $_ eq 'now' ? undef : $_), $wanted{$_}, "... $_: and again without a time") for sort keys %wanted;
    }
}
my $about = sub { return trade($report, '11/10/2020', ptr_link => "$link/ptr/$report/?$_[0]") };
%said = (
    first  => file_of('2024-01-01', $about->('first')),
    second => file_of('2024-06-01', $about->('second')),
    third  => file_of('2024-06-01', $about->('third'), trade($report, '11/12/2020', ticker => 'AAPL')),
    bound  => file_of('2024-09-01', on_paper($paper, '11/24/2020'), trade($report, '11/13/2020', ticker => 'ORCL')),
    scan   => file_of('2024-01-01', on_paper($paper, '11/24/2020')),
    silent => file_of('2024-01-01', { on_paper($paper, '11/24/2020')->%*, asset_description => '--' }),
);
pad('second', 1, 'first');
pad('third',  1, 'second');
pad('silent', 1, 'scan');
sources_in_orders(['first', 'second'], $report, now => 'first ?first', '2024-03-01Z' => 'first ?first');
sources_in_orders(['second', 'third'], $report, now => 'third, third ?third');
sources_in_orders(['first', 'second', 'third'], $report, '2024-03-01Z' => 'first ?first', now => 'first ?first, third');
sources_in_orders(['first', 'second', 'third', 'bound'], $report, '2020-12-01Z' => 'bound, third, third ?third', now => 'bound, third, third ?third');
sources_in_orders(['first', 'second', 'bound'], $report, '2020-12-01Z' => 'bound, second ?second', now => 'bound, second ?second');
sources_in_orders(['scan', 'silent'], $paper, '2020-12-01Z' => "scan 'This filing was disclosed via scanned PDF.'", now => "scan 'This filing was disclosed via scanned PDF.'");

# A report whose bounds contradict each other, and one that is said to have been filed on two days: it is said.
my $where = site(template => 'empty', start => 0);
like(import_into($where, file_of('2024-01-01', on_paper($paper, '11/24/2020'), trade($report, '11/30/2020'), map { trade("aaaaaaac-0000-4000-8000-0000000000$_", '11/01/2020') } 10 .. 40)),
    qr/dates of 1 reports contradict each other: $report \(filed by 2020-11-24, names 2020-11-30\)/, 'a bound that a later day contradicts is told');
import_into($where, file_of('2024-01-01', trade($other, '11/02/2020', disclosure_date => '11/05/2020')));
like(import_into($where, file_of('2024-01-01', trade($other, '11/02/2020', disclosure_date => '11/06/2020'))), qr/$other \(filed on 2020-11-05 and on 2020-11-06\)/, '... and two days of filing');
is(dates($where, $other), '2020-11-06 stated', '... the later of which counts: as_of never looks ahead');

# --- the House -------------------------------------------------------------------------------

# A copy with one row of a report cannot show that its dates are those of notification; another copy does.
my %house = (owner => 'Self', ticker => 'MADE', asset_description => 'Made Co', type => 'Purchase', amount => '$1,001 - $15,000', representative => 'Hon. John Dump', district => 'TX03',
    transaction_date => '04/20/2023', source_url => 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/20088888.pdf');
sub copy_of { my ($known_at, @rows) = @_; return ['house-ptr', $site->write(++$number . '-transactions.json', $json->encode([map { { %house, %$_ } } @rows])), '--known-at', $known_at] }
%said = (
    part    => copy_of('2024-01-01', { disclosure_date => '05/01/2023' }),
    another => copy_of('2024-03-01', { disclosure_date => '05/03/2023', type => 'Sale' }),
    whole   => copy_of('2024-06-01', { disclosure_date => '05/03/2023' }, { disclosure_date => '05/01/2023' }, { disclosure_date => '05/03/2023', type => 'Sale' }),
    index   => ['house-ptr', $site->write('2023FD.txt', join("\t", qw(Prefix Last First Suffix FilingType StateDst Year FilingDate DocID)) . "\n"
        . join("\t", 'Hon.', 'Dump', 'John', 'Jr', 'P', 'TX03', '2023', '5/12/2023', '20088888') . "\n"), '--known-at', '2024-01-01'],
);
in_orders(['part'], '20088888', now => '2023-05-01 stated', '2023-05-02 12:00Z' => '2023-05-01 stated');
in_orders(['part', 'whole'], '20088888', now => '2023-05-01 notified, 2023-05-03 notified', '2023-05-02 12:00Z' => '', '2024-02-01Z' => '2023-05-01 notified');
in_orders(['part', 'another'], '20088888', now => '2023-05-01 notified, 2023-05-03 notified', '2024-02-01Z' => '2023-05-01 notified', '2023-12-01Z' => '');
in_orders(['part', 'whole', 'another', 'index'], '20088888', now => '2023-05-12 stated', '2023-05-12Z' => '', '2023-05-13 12:00Z' => '2023-05-12 stated');

# Of House copies as well, also where the index moves their dates later on.
%said = (
    %said,
    map({ ($_->[0] => copy_of($_->[1], { disclosure_date => '05/03/2023', source_url => "$house{source_url}?$_->[0]" },
        { disclosure_date => '05/01/2023', type => 'Sale', source_url => "$house{source_url}?$_->[0]" })) } ['first', '2024-01-01'], ['second', '2024-06-01']));
pad('second', 1, 'first');
sources_in_orders(['first', 'second'], '20088888', now => 'first ?first, first ?first', '2024-03-01Z' => 'first ?first, first ?first');
sources_in_orders(['first', 'second', 'index'], '20088888', now => 'second ?second, second ?second', '2023-06-01Z' => 'second ?second, second ?second');

# A file that says of itself that it is older than what it has: those rows are rejected, and nothing of them dates others.
{
    my $where = site(template => 'empty', start => 0);
    import_into($where, $said{whole});
    my $stands = in_force($where);
    my ($source, $path) = $said{whole}->@*;
    my ($code, $out) = $where->control('import', $source, '--json', '--known-at', '2023-04-01', $path);
    same_json([$code, @{ $json->decode($out) }{qw(stored rejected failed)}], [1, 0, 3, 0], 'rows of a day long after their file are rejected');
    same_json(in_force($where), $stands, '... and nothing else is in force');
    is(dates($where, '20088888', '2023-12-01Z'), '', '... nor was before');
}

# One damaged date in a dump of many reports makes that report doubtful, and no other; in the Senate its latest day counts. One in ten is a dump whose dates are notifications.
for my $chamber ('house', 'senate') {
    my @numbers = 10 .. 39;
    my $row = sub {
        my ($number, $date, %more) = @_;
        return $chamber eq 'house' ? { %house, disclosure_date => $date, source_url => "https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/200888$number.pdf", %more }
            : trade("aaaaaaad-0000-4000-8000-0000000000$number", '04/20/2023', disclosure_date => $date, %more);
    };
    my $dump = sub {
        my ($name, $damaged) = @_;
        my @rows = map { my $number = $_; $row->($number, '05/03/2023'), $row->($number, $number < 10 + $damaged ? '05/09/2023' : '05/03/2023', type => 'Sale') } @numbers;
        return ["$chamber-ptr", $site->write("$chamber-$name-transactions.json", $json->encode(\@rows)), '--known-at', '2024-01-01'];
    };
    my $days = sub {
        my ($where, $at) = @_;
        my $condition = $at ? "known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at')" : 'superseded_at IS NULL';
        return join ', ', map { $_->{line} } $where->rows("SELECT concat_ws(' ', filing_date, filing_date_basis, count(*)) AS line FROM congress_trade WHERE $condition GROUP BY filing_date, filing_date_basis ORDER BY 1");
    };
    my $where = site(template => 'empty', start => 0);
    import_into($where, $dump->('good', 0));
    is($days->($where, '2023-05-04 12:00Z'), '2023-05-03 stated 60', "$chamber: a dump is known from the days of filing on");
    for my $again ('damaged', 'good') {
        import_into($where, $dump->($again, $again eq 'damaged'));
        is($days->($where, '2023-05-04 12:00Z'), '2023-05-03 stated 58', "... $again: so are all of its reports but the one with two days");
        is($days->($where), $chamber eq 'house' ? '2023-05-03 notified 2, 2023-05-03 stated 58' : '2023-05-03 stated 58, 2023-05-09 stated 2', '... which is doubtful') if $again eq 'damaged';
    }
    import_into($where, $dump->('notified', 3));
    is($days->($where, '2023-05-04 12:00Z'), '', 'one in ten: none is known before the file');
}

finish();

# Reports that amend each other, as no filer writes them: the one that was filed first stays, in whatever order they come, together or one
# after the other. Chains of amendments end as they did.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(slurp);
use Disclosed::Test qw(without_cache kept_sessions);

my $site = site(template => 'empty');
my $encoder = Disclosed::JSON->new->utf8->canonical;

# Reports of a story: [name, day of filing, what it amends].
my %stories = (
    'two'            => { reports => [['a', '2024-03-01', 'b'], ['b', '2024-03-05', 'a']], stays => 'a' },
    'two-of-a-day'   => { reports => [['a', '2024-03-01', 'b'], ['b', '2024-03-01', 'a']], stays => 'a' },
    'two-back'       => { reports => [['a', '2024-03-05', 'b'], ['b', '2024-03-01', 'a']], stays => 'b' },
    'three'          => { reports => [['a', '2024-03-05', 'b'], ['b', '2024-03-01', 'c'], ['c', '2024-03-09', 'a']], stays => 'b' },
    'three-of-a-day' => { reports => [['a', '2024-03-01', 'b'], ['b', '2024-03-01', 'c'], ['c', '2024-03-01', 'a']], stays => 'a' },
    'circle-amended' => { reports => [['a', '2024-03-01', 'b'], ['b', '2024-03-05', 'a'], ['c', '2024-03-09', 'a']], stays => 'c' },
    'circle-amends'  => { reports => [['a', '2024-03-01', 'b'], ['b', '2024-03-05', 'a'], ['c', '2024-02-01', undef]], more => ['b', 'c'], stays => 'a' },
    'chain'          => { reports => [['a', '2024-03-01', undef], ['b', '2024-03-05', 'a'], ['c', '2024-03-09', 'b']], stays => 'c' },
    'chain-of-a-day' => { reports => [['a', '2024-03-01', undef], ['b', '2024-03-01', 'a'], ['c', '2024-03-01', 'b']], stays => 'c' },
    'itself'         => { reports => [['a', '2024-03-01', 'a'], ['b', '2024-03-05', undef]], stays => 'a b' },
);

sub orders { my (@all) = @_; return [] if !@all; return map { my $one = $_; map { [$all[$one], @$_] } orders(@all[grep { $_ != $one } 0 .. $#all]) } 0 .. $#all }

sub lines
{
    my ($slug, $report, $more) = @_;
    my ($name, $day, $amends) = @$report;
    return map {
        { dataset => 'congress_trade', party => "politician/$slug", issuer_name => 'A Person', provenance => { source_provider => 'issuer_page' }, chamber => 'senate',
          report_id => "$slug-$name", row_number => $_->[0], first_name => 'A', last_name => 'Person', transaction_type => 'purchase', asset_name => "asset $name $_->[0]",
          filing_date => $day, filing_date_basis => 'stated', $_->[1] ? (amends => "$slug-$_->[1]") : () }
    } [1, $amends], [2, $amends], $more && $more->[0] eq $name ? [3, $more->[1]] : ();
}

sub load
{
    my ($name, @lines) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write("$name.ndjson", join '', map { $encoder->encode($_) . "\n" } @lines));
    is($code, 0, "loaded: $name") or diag "$out$err";
    return;
}

# The reports of which anything is in force, at an instant or now.
sub standing
{
    my ($slug, $at) = @_;
    my $when = $at ? "known_at <= '$at' AND (superseded_at IS NULL OR superseded_at > '$at')" : 'superseded_at IS NULL';
    return join ' ', map { $_->{report} =~ s/.*-//r } $site->rows("SELECT DISTINCT report_id AS report FROM congress_trade JOIN issuer USING (issuer_id)
        WHERE party_key = 'politician/$slug' AND $when ORDER BY 1");
}
sub versions
{
    my ($slug) = @_;
    return join "\n", map { $_->{line} =~ s/\Q$slug\E//gr } $site->rows("SELECT concat_ws('|', report_id, row_number, known_at, superseded_at) AS line FROM congress_trade JOIN issuer USING (issuer_id)
        WHERE party_key = 'politician/$slug' ORDER BY 1");
}

# Every order of every story, each of a politician of its own; the n-th file has the n-th reports of all.
my (@steps, %of_story, @together);
for my $story (sort keys %stories) {
    my $number = 0;
    for my $order (orders($stories{$story}{reports}->@*)) {
        my $slug = "$story-" . ++$number;
        push $of_story{$story}->@*, $slug;
        push $steps[$_]->@*, lines($slug, $order->[$_], $stories{$story}{more}) for 0 .. $#$order;
    }
    my $slug = "$story-at-once";
    push $of_story{$story}->@*, $slug;
    push @together, map { lines($slug, $_, $stories{$story}{more}) } $stories{$story}{reports}->@*;
}
load('together', @together);
load("step $_", $steps[$_]->@*) for 0 .. $#steps;

sub all_stand
{
    my ($when) = @_;
    for my $story (sort keys %stories) {
        my %got = map { (standing($_) => 1) } $of_story{$story}->@*;
        is(join(', ', sort keys %got), $stories{$story}{stays}, "$when: $story: what stands in " . $of_story{$story}->@* . ' orders');
        my %histories = map { (versions($_) => 1) } $of_story{$story}->@*;
        is(scalar keys %histories, 1, '... with the same history') or diag join "\n--\n", keys %histories;
    }
    return;
}
all_stand('loaded');
is(standing('two-1', '2024-03-03'), 'a', 'before the second was public, the first stood');
is(standing('chain-1', $_->[0]), $_->[1], "a chain at $_->[0]") for ['2024-03-03', 'a'], ['2024-03-07', 'b'], ['2024-03-11', 'c'];

# Loads of the same files, and of others of the same politicians, change nothing.
load("step $_ again", $steps[$_]->@*) for reverse 0 .. $#steps;
load('together again', @together);
all_stand('loaded again');
load('one more', map { lines($_, ['z', '2024-04-01', undef]) } map { @$_ } values %of_story);
$stories{$_}{stays} .= ' z' for keys %stories;
all_stand('one more report');

# --- what is taken back ------------------------------------------------------------------------

# Loads of one politician each: [name, day, what it amends], one file after the other. A report of the same name and day is another copy, and the last one
# counts: what stands, then and now, is what does without the copies before.
my %corrected = (
    'no amendment' => [['a', '2024-01-10', undef], ['b', '2024-02-10', undef], ['b', '2024-02-10', 'a']],
    'another one' => [['a', '2024-01-10', undef], ['c', '2024-01-20', undef], ['b', '2024-02-10', 'c'], ['b', '2024-02-10', 'a']],
    'of a day' => [['a', '2024-01-10', undef], ['b', '2024-01-10', undef], ['b', '2024-01-10', 'a']],
    'the first amends' => [['b', '2024-02-10', 'a'], ['a', '2024-01-10', undef], ['a', '2024-01-10', 'b']],
    'a circle' => [['a', '2024-01-10', 'c'], ['b', '2024-02-10', 'a'], ['c', '2024-03-10', undef], ['c', '2024-03-10', 'b']],
    'of a chain' => [['a', '2024-01-10', undef], ['b', '2024-02-10', 'a'], ['c', '2024-03-10', undef], ['c', '2024-03-10', 'b']],
    'of a chain in the middle' => [['a', '2024-01-10', undef], ['c', '2024-03-10', 'b'], ['b', '2024-02-10', undef], ['b', '2024-02-10', 'a']],
);
for my $what (sort keys %corrected) {
    my (@plain) = $corrected{$what}->@*;
    my $bad = pop @plain;
    my $good = pop @plain;
    my @loads = ([@plain, $good], [@plain, $bad, $good], [$bad, @plain, $good], [$bad, $good, @plain], [reverse(@plain), $bad, $good], [@plain, $good, $bad, $good], [$good, @plain, $bad, $plain[0], $good, @plain]);
    my @slugs = map { 'back-' . $what =~ s/ /-/gr . "-$_" } 0 .. $#loads;
    for my $step (0 .. 8) {
        my @reports = map { my ($slug, $files) = ($slugs[$_], $loads[$_]); $files->[$step] ? lines($slug, $files->[$step]) : () } 0 .. $#loads;
        load("$slugs[0] $step", @reports) if @reports;
    }
    for my $at ('2024-01-15', '2024-01-25', '2024-02-15', '2024-03-15', undef) {
        my @stand = map { standing($_, $at) } @slugs;
        is_deeply(\@stand, [($stand[0]) x @stand], "a copy that is taken back: $what: what stands " . ($at // 'now'));
    }
}
is($site->value("SELECT record_count FROM dataset_stat WHERE dataset = 'congress_trade'"), $site->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL'), '... and what is in force is counted');

# What earlier migrations had hidden comes back, and is counted.
sub by_sql { return $site->execute(join '; ', 'SET search_path = disclosed, public', @_) }
by_sql("UPDATE congress_trade SET superseded_at = greatest(known_at, '2024-03-06 04:59:59.999999Z') WHERE superseded_at IS NULL AND report_id IN ('two-1-a', 'three-1-b')",
    "UPDATE congress_trade SET superseded_at = known_at WHERE superseded_at IS NULL AND report_id IN ('two-of-a-day-1-a', 'two-of-a-day-2-a', 'three-of-a-day-3-a')");
is(standing($_), 'z', "$_ is hidden") for 'two-1', 'three-1', 'two-of-a-day-1', 'two-of-a-day-2', 'three-of-a-day-3';
my ($migrated) = slurp("$FindBin::Bin/../sql/0106_whatever_order.sql") =~ /^-- Those that are stored.*?^(DO \$\$.*?^END \$\$;)/ms;
by_sql($migrated);
all_stand('migrated');
is($site->value("SELECT record_count FROM dataset_stat WHERE dataset = 'congress_trade'"), $site->value('SELECT count(*) FROM congress_trade WHERE superseded_at IS NULL'), '... and counted');
is($site->value("SELECT count(*) FROM dataset_issuer_stat s WHERE dataset = 'congress_trade' AND record_count <> (SELECT count(*) FROM congress_trade t WHERE t.issuer_id = s.issuer_id AND superseded_at IS NULL)"), 0,
    '... of each politician');

finish();

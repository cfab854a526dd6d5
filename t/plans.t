# Plans: every page of every list is read by index scans in its order. Each list is asked for its first and
# its second page, in both directions, at an instant, with each filter, with each two, with all; the plans are
# those of the statements that the module sends (PostgreSQL's auto_explain). The demo data is small, so that
# PostgreSQL would read tables from end to end: reading and sorting are made dear, and what is left of
# them is what no index can serve. t/bench/run --lists looks at plans on many rows, as they are chosen there.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Filters qw(filter_values);
use Disclosed::Lists qw(with);
use Disclosed::Plans;
use Disclosed::Test;

my $site = site(start => 0);
plan skip_all => 'PostgreSQL has no auto_explain here (contrib)'
    if !eval { $site->execute("LOAD 'auto_explain'"); 1 };
$site->{cluster}->execute('postgres', Disclosed::Plans->settings($site->{database}, enable_seqscan => 'off', enable_sort => 'off'));
$site->start;
my $lists = Disclosed::Lists->new($site);
my $log   = Disclosed::Plans->new("$site->{cluster}{directory}/log", $site->{database});

# Orders for which there is no index. How well a listing matches q hangs on q; there are some ten thousand.
my %is_sorted = ('list_companies.match' => 1);

# Targets to ask: a list's path with filters.
sub targets_of
{
    my ($list, $path) = @_;
    my %values = filter_values($lists, $list, $path);
    my @names = sort keys %values;
    my @groups = ([], (map { [$_] } @names), (map { my $i = $_; map { [@names[$i, $_]] } $i + 1 .. $#names } 0 .. $#names),
        @names > 2 ? [@names] : ());
    my @ways = ({}, $list->{parameter}{direction} ? { direction => 'asc' } : (), $list->{parameter}{as_of} ? { as_of => '2025-01-01' } : (),
        map { { sort => $_ } } grep { !$is_sorted{"$list->{name}.$_"} } $list->{parameter}{sort} ? $list->{parameter}{sort}{schema}{enum}->@* : ());
    my @targets;
    for my $group (@groups) {
        push @targets, map { with($path, limit => 2, %$_, map { ($_ => $values{$_}) } @$group) } @$group > 1 ? {} : @ways;
    }
    return @targets;
}

# What is wrong with a page's plan. A sort is no fault where an index has said which rows. How a ticker is written in reports, and which a company has, is one
# thing for all rows: it is asked once, and says where to look.
sub faults_of
{
    my ($plan) = @_;
    my @faults;
    for my $place (Disclosed::Plans::nodes($plan)) {
        my ($node, $parent) = @$place;
        push @faults, "Seq Scan on $node->{'Relation Name'}" if $node->{'Node Type'} eq 'Seq Scan';
        push @faults, 'Sort by ' . join(', ', $node->{'Sort Key'}->@*) . ' over ' . Disclosed::Plans::line($node->{Plans}[0])
            if $node->{'Node Type'} =~ /Sort/ && !is_picked($node);
        push @faults, "$1() for each row" if ($node->{Filter} // '') =~ /\b(congress_(?:spellings|tickers?(?:_of)?))\(/;
    }
    return @faults;
}

# Whether all rows below come from scans that an index condition restricts, or from functions.
sub is_picked
{
    my ($node) = @_;
    my @scans = grep { $_->[0]{'Node Type'} =~ /Scan/ && $_->[0]{'Node Type'} !~ /Bitmap Heap|Subquery|CTE|Function|Result/
            && ($_->[0]{'Parent Relationship'} // '') ne 'InitPlan' } Disclosed::Plans::nodes($node);
    return !grep { !$_->[0]{'Index Cond'} } @scans;
}

my ($statements, $pages) = (0, 0);
for my $list ($lists->lists) {
    my $path = $lists->path_of($list->{path});
    my @wrong;
    for my $asked (targets_of($list, $path)) {
        $log->read;
        my $response = $lists->get($asked);
        my $cursor = ($response->json // {})->{pagination}{next_cursor};
        $lists->get(with($asked, cursor => $cursor)) if defined $cursor;
        push @wrong, "$asked: " . $response->status if $response->status != 200;
        $pages += defined $cursor ? 2 : 1;
        for my $one (grep { !Disclosed::Plans::is_beside($_->{query}) } $log->read) {
            $statements++;
            push @wrong, map { "$asked: $_" } faults_of($one->{plan});
        }
    }
    my %seen;
    @wrong = grep { !$seen{s/^[^:]*: //r}++ } @wrong;
    is(join("\n", @wrong), '', "$list->{path}: index scans in order");
}
# Arrays of the earlier surface: the row at an offset is found along the index, and the page from there on.
my $earlier = '/api/disclosed/v1';
for my $target (map { ($_, "$_?as_of=2025-01-01") } (map { "$earlier/$_/ZEMRUZ" } qw(filings transcripts ir-documents)), "$earlier/companies") {
    my @wrong;
    for my $asked ($target, $target !~ m{/(?:transcripts|ir-documents)/} ? with($target, offset => 2) : ()) {
        $log->read;
        push @wrong, "$asked: none" if $lists->get($asked)->body !~ /^\[\{/;
        $pages++;
        for my $one (grep { !Disclosed::Plans::is_beside($_->{query}) } $log->read) {
            $statements++;
            push @wrong, map { "$asked: $_" } faults_of($one->{plan});
        }
    }
    is(join("\n", @wrong), '', "$target: index scans in order");
}
# What fields alone ask for is joined to the rows of a page: it is not sorted with all that the page is chosen from.
my ($numbers) = grep { $_->{path} =~ m{/fundamentals\z} } $lists->lists;
$log->read;
$lists->get(with($lists->path_of($numbers->{path}), limit => 3)); # not asked before: no kept response
my @sorts = grep { $_->{'Node Type'} =~ /Sort/ } map { $_->[0] } map { Disclosed::Plans::nodes($_->{plan}) } grep { $_->{query} =~ /FROM metric_value v\b/ } $log->read;
my %sorted = map { ($_->[0]{'Relation Name'} // '-') => 1 } map { Disclosed::Plans::nodes($_) } @sorts;
ok($sorted{metric_value}, 'numbers are sorted within a day');
ok(!$sorted{canonical_metric}, '... and their metrics looked up afterwards');
# What waits for a GIN index is read from end to end by each query that uses it, until a vacuum or until the list is full.
is(join(' ', map { $_->{relname} } $site->rows("SELECT c.relname FROM pg_class c JOIN pg_am m ON m.oid = c.relam WHERE m.amname = 'gin' AND c.relnamespace = 'disclosed'::regnamespace
    AND NOT coalesce(c.reloptions, '{}') && '{fastupdate=off,gin_pending_list_limit=64}' ORDER BY 1")), '', 'no GIN index lets much wait');
# Without an index there is something to find.
$site->execute('DROP INDEX disclosed.insider_date');
$log->read;
$lists->get('/v1/insider');
my @found = map { faults_of($_->{plan}) } grep { !Disclosed::Plans::is_beside($_->{query}) } $log->read;
like("@found", qr/^Sort by t\.filing_date DESC/, 'a list whose index is gone is found out');

# PostgreSQL reads all listings of a small site: which one a symbol means is asked once, and not for each of them.
$site->stop;
$site->{cluster}->execute('postgres', "ALTER DATABASE $site->{database} RESET ALL;\n" . join '', map { "ALTER DATABASE $site->{database} SET $_;\n" }
    'enable_indexscan = off', 'enable_bitmapscan = off', 'enable_indexonlyscan = off', "track_functions = 'all'");
$site->start;
my @symbols = map { $_->{ticker} } $site->rows('SELECT ticker FROM issuer WHERE ticker IS NOT NULL ORDER BY 1 LIMIT 3');
is($site->get("/v1/companies/$_")->status, 200, $_) for @symbols;
$site->stop; # sessions that have ended have told their calls
is($site->value("SELECT calls FROM pg_stat_user_functions WHERE funcname = 'listing_of_symbol'"), @symbols, 'a symbol is looked up once for each request');
$site->start;

cmp_ok($pages, '>=', 150, "looked at $pages pages");
cmp_ok($statements, '>=', $pages, "by $statements statements");

finish();

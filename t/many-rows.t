# Many rows: what a page reads follows from the page, not from how many rows its company, manager or politician has. Each row of the demo
# data gets eight more, of earlier times, and each holding of an institution forty. Then each list is asked for a page of two rows: the first and the next, in both directions, now and
# at two instants. PostgreSQL's auto_explain tells how many rows of which table were read for it. Filters that few rows meet are left
# out: for these a page must read on until it has them. A page of an instant also reads the rows of the two weeks behind it, as these may have
# been known before their day; and as many rows as the longest page has, PostgreSQL may rather sort than read in order.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Lists qw(with);
use Disclosed::Plans;
use Disclosed::Test;

# Each has `id`, `record_key` and `superseded_at`.
my @tables = qw(beneficial_owner congress_trade corporate_action document event filing fund_exposure insider_transaction institution_flow
    institution_holder institution_position short_interest transcript);
my %copies = ((map { ($_ => 8) } @tables), institution_holder => 40);
my ($most, $most_past) = (100, 1000);

my $site = site(start => 0);
plan skip_all => 'PostgreSQL has no auto_explain here (contrib)' if !eval { $site->execute("LOAD 'auto_explain'"); 1 };

# Copies of a table's current rows, each seven weeks older than the one before it.
sub multiply
{
    my ($table) = @_;
    my %columns = map { split /\|/ } split /\n/, $site->execute(<<"SQL");
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = 'disclosed.$table'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
SQL
    my %value = (row_id => "nextval('disclosed.row_id')", id => 'top.id + row_number() OVER ()', record_key => "x.record_key || '~' || x.row_id || '~' || n",
        src_digest => "md5(x.src_digest::text || n)::uuid");
    for my $column (keys %columns) {
        $value{$column} //= $column ne 'recorded_at' && $columns{$column} =~ /^(?:date|timestamp)/ ? "(x.$column - n * interval '49 days')::$columns{$column}" : "x.$column";
    }
    my @names = sort keys %columns;
    my $names = join ', ', @names;
    my $values = join ', ', @value{@names};
    $site->execute(<<"SQL");
SET session_replication_role = replica;
INSERT INTO disclosed.$table ($names) SELECT $values
FROM (SELECT * FROM disclosed.$table WHERE superseded_at IS NULL) x CROSS JOIN generate_series(1, $copies{$table}) n
CROSS JOIN (SELECT max(id) AS id FROM disclosed.$table) top;
RESET session_replication_role;
SQL
    return;
}

multiply($_) for @tables;
$site->execute('VACUUM ANALYZE');
$site->{cluster}->execute('postgres', Disclosed::Plans->settings($site->{database}, 'auto_explain.log_analyze' => 'on', 'auto_explain.log_timing' => 'off'));
$site->start;
my $lists = Disclosed::Lists->new($site);
my $log   = Disclosed::Plans->new("$site->{cluster}{directory}/log", $site->{database});

# How many rows of the multiplied tables a plan has read, by table.
sub rows_read
{
    my ($plan) = @_;
    my %read;
    for my $node (map { $_->[0] } Disclosed::Plans::nodes($plan)) {
        next if !$copies{ $node->{'Relation Name'} // '' };
        my $rows = $node->{'Actual Rows'} + ($node->{'Rows Removed by Filter'} // 0) + ($node->{'Rows Removed by Index Recheck'} // 0);
        $read{ $node->{'Relation Name'} } += $rows * $node->{'Actual Loops'};
    }
    return \%read;
}

# What is read too much of for a page.
sub faults_of
{
    my ($asked) = @_;
    $log->read;
    my $response = $lists->get($asked);
    my %read;
    for my $one (map { rows_read($_->{plan}) } grep { !Disclosed::Plans::is_beside($_->{query}) } $log->read) {
        $read{$_} += $one->{$_} for keys %$one;
    }
    my $bound = $asked =~ /as_of/ ? $most_past : $most;
    my @faults = map { "$asked: $read{$_} rows of $_" } grep { $read{$_} > $bound } sort keys %read;
    push @faults, "$asked: " . $response->status if $response->status !~ ($asked =~ /as_of/ ? qr/^(?:200|404)\z/ : qr/^200\z/);
    return { response => $response, read => \%read, faults => \@faults };
}

my ($pages, %seen) = (0);
for my $list ($lists->lists) {
    my @wrong;
    my $path = $lists->path_of($list->{path});
    for my $way ({}, { direction => 'asc' }, { as_of => '2022-06-01' }, { as_of => '2024-06-01' }) {
        next if grep { !$list->{parameter}{$_} } keys %$way;
        my @asked = faults_of(with($path, limit => 2, %$way));
        my $cursor = ($asked[0]{response}->json // {})->{pagination}{next_cursor};
        push @asked, faults_of(with($path, limit => 2, %$way, cursor => $cursor)) if defined $cursor;
        $pages += @asked;
        $seen{$_}++ for map { keys $_->{read}->%* } @asked;
        push @wrong, map { $_->{faults}->@* } @asked;
    }
    is(join("\n", @wrong), '', "$list->{path}: pages read little");
}
cmp_ok($pages, '>=', 120, "looked at $pages pages");
is(join(' ', grep { !$seen{$_} } @tables), '', 'of all of these tables');

finish();

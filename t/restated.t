# What is stated again and again, and changes and changes back: in whatever order its statements are loaded, each instant has
# what was stated last by then, and loading all of them again stores nothing.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Shared qw(cluster control database workspace);
use Disclosed::Test;

my $json = Disclosed::JSON->new->utf8->canonical;
my $folder = workspace();
my $files = 0;

# Every order of a list.
sub orders
{
    my (@list) = @_;
    return [@list] if @list < 2;
    return map { my $i = $_; map { [$list[$i], @$_] } orders(@list[grep { $_ != $i } 0 .. $#list]) } 0 .. $#list;
}

# A line of NDJSON: what was stated on that day of 2023.
my %line = (
    company => sub {
        my ($cik, $day, $says) = @_;
        return { dataset => 'company', cik => $cik, known_at => "2023-01-${day}T12:00:00Z", name => "Says $says Inc",
            provenance => { source_provider => 'sec', source_url => "https://example.com/$day" } };
    },
    event_notice => sub {
        my ($cik, $day, $says) = @_;
        return { dataset => 'event_notice', cik => $cik, known_at => "2023-01-${day}T12:00:00Z", record_key => 'q1', type => 'earnings',
            event_on => "2023-05-0$says", date_status => 'estimated', provenance => { source_provider => 'sec', source_url => "https://example.com/$day" } };
    },
);
my %shown = (company => "t.name || ' ' || t.source_url", event_notice => "t.event_on || ' ' || t.source_url");
my %table = (company => 'issuer_profile', event_notice => 'event_notice');

sub load
{
    my ($database, @lines) = @_;
    my $path = "$folder/" . ++$files . '.ndjson';
    open my $file, '>', $path or die "$path: $!";
    print {$file} map { $json->encode($_) . "\n" } @lines;
    close $file or die;
    my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', 'ndjson', '--json', $path);
    die "$out$err" if $code;
    return $json->decode($out);
}

# The versions of a company's record that were in force at some time: from, until, what they say and where.
sub versions
{
    my ($database, $dataset, $cik) = @_;
    return join '; ', map { "$_->{from} $_->{until} $_->{says}" } cluster()->rows($database,
        "SELECT to_char(t.known_at AT TIME ZONE 'UTC', 'DD') AS \"from\", coalesce(to_char(t.superseded_at AT TIME ZONE 'UTC', 'DD'), '-') AS until, $shown{$dataset} AS says
         FROM disclosed.$table{$dataset}_sourced t JOIN disclosed.issuer i USING (issuer_id) WHERE i.cik = $cik AND t.superseded_at IS DISTINCT FROM t.known_at ORDER BY t.known_at");
}

# What must come of statements [day, says]: a version from each change on.
sub expected
{
    my ($dataset, @statements) = @_;
    my @changes;
    for my $one (sort { $a->[0] <=> $b->[0] } @statements) {
        push @changes, $one unless @changes && $changes[-1][1] eq $one->[1];
    }
    return join '; ', map { my ($day, $says) = $changes[$_]->@*;
        join ' ', $day, $_ < $#changes ? $changes[$_ + 1][0] : '-', $dataset eq 'company' ? "Says $says Inc" : "2023-05-0$says", "https://example.com/$day" } 0 .. $#changes;
}

my $cik = 9991000;
for my $dataset (sort keys %line) {
    my $database = database('empty');
    for my $story ([[10, 1], [12, 2], [14, 1]], [[10, 1], [11, 1], [12, 2], [13, 1]], [[10, 1], [12, 2], [14, 1], [16, 2]], [[10, 1], [11, 2], [12, 2], [13, 3]], [[10, 1], [12, 1], [14, 1], [15, 2]]) {
        my $expected = expected($dataset, @$story);
        my @orders = map { { cik => ++$cik, order => $_ } } orders(@$story);
        # The first statements of all orders in one file, then the second, ...
        for my $turn (0 .. $#$story) {
            load($database, map { $line{$dataset}->($_->{cik}, $_->{order}[$turn]->@*) } @orders);
        }
        my $again = load($database, map { my $one = $_; map { $line{$dataset}->($one->{cik}, @$_) } reverse $one->{order}->@* } @orders);
        my @wrong = $again->{stored} || $again->{superseded} ? 'again: ' . $json->encode($again) : ();
        for my $one (@orders) {
            my $found = versions($database, $dataset, $one->{cik});
            push @wrong, join(' ', 'order', map({ "$_->[0]=$_->[1]" } $one->{order}->@*), "\n  found   ", $found, "\n  expected", $expected) if $found ne $expected;
        }
        is_deeply(\@wrong, [], "$dataset: " . join(' ', map { "$_->[0]=$_->[1]" } @$story) . ', ' . @orders . ' orders');
    }
    # All of them in one file, too.
    $cik++;
    load($database, map { $line{$dataset}->($cik, @$_) } [12, 2], [14, 1], [10, 1], [16, 2]);
    is(versions($database, $dataset, $cik), expected($dataset, [10, 1], [12, 2], [14, 1], [16, 2]), "$dataset: in one file");
    is(cluster()->value($database, "SELECT count(*) FROM (SELECT issuer_id, record_key FROM disclosed.$table{$dataset} WHERE superseded_at IS NULL GROUP BY 1, 2 HAVING count(*) > 1) t"), 0, 'one version of each is current');
}
done_testing;

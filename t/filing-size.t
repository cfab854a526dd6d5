# The size of a filing that several files tell: the largest of them, in whatever order they come, together or one after the other, at all versions.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test qw(without_cache kept_sessions);

my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;

# What files say of a filing: [title, size, when it is known]; a version for each title.
my %stories = (
    'two files'     => [['10-Q', 900, '2024-03-01'], ['10-Q', 1200, '2024-03-01']],
    'one says none' => [['10-Q', undef, '2024-03-01'], ['10-Q', 700, '2024-03-01'], ['10-Q', 600, '2024-03-01']],
    'versions'      => [['10-Q', 500, '2024-03-01'], ['10-Q, corrected', 400, '2024-03-05'], ['10-Q, again', 450, '2024-03-07']],
    'grows'         => [['10-Q', 100, '2024-03-01'], ['10-Q, corrected', 200, '2024-03-05'], ['10-Q, again', 300, '2024-03-07']],
    'moves'         => [['10-Q', 1000, '2024-03-05'], ['10-Q', 50, '2024-03-01'], ['10-Q, corrected', undef, '2024-03-07']],
);

sub orders { my (@all) = @_; return [] if !@all; return map { my $one = $_; map { [$all[$one], @$_] } orders(@all[grep { $_ != $one } 0 .. $#all]) } 0 .. $#all }

sub line
{
    my ($number, $told) = @_;
    my ($title, $size, $known) = @$told;
    return { dataset => 'filing', cik => 7700000 + $number, issuer_name => "Sized $number", provenance => { source_provider => 'sec', accession => sprintf '%010d-24-000001', 7700000 + $number },
        form => '10-Q', filed_on => '2024-03-01', title => $title, known_at => "${known}T12:00:00Z", defined $size ? (size_bytes => $size) : () };
}

sub load
{
    my ($name, @lines) = @_;
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write("$name.ndjson", join '', map { $json->encode($_) . "\n" } @lines));
    is($code, 0, "loaded: $name") or diag "$out$err";
    return "$out$err";
}

my (@steps, @together, %of_story);
my $number = 0;
for my $story (sort keys %stories) {
    for my $order (orders($stories{$story}->@*)) {
        push $of_story{$story}->@*, ++$number;
        push $steps[$_]->@*, line($number, $order->[$_]) for 0 .. $#$order;
        push $of_story{$story}->@*, ++$number;
        push @together, map { line($number, $_) } @$order;
    }
}
load('together', @together);
load("step $_", $steps[$_]->@*) for 0 .. $#steps;

sub sizes_are
{
    my ($when) = @_;
    for my $story (sort keys %stories) {
        my ($largest) = sort { $b <=> $a } grep { defined } map { $_->[1] } $stories{$story}->@*;
        my $ciks = join ', ', map { 7700000 + $_ } $of_story{$story}->@*;
        is_deeply([map { $_->{size} } $site->rows("SELECT DISTINCT size_bytes AS size FROM filing JOIN issuer USING (issuer_id) WHERE cik IN ($ciks)")], [$largest],
            "$when: $story: $largest in " . $of_story{$story}->@* . ' orders');
    }
    return;
}
sizes_are('loaded');
load("step $_ again", $steps[$_]->@*) for reverse 0 .. $#steps;
sizes_are('loaded again');

# A larger size alone is something new, for whoever keeps responses; a smaller one is not.
my $version = sub { $site->value("SELECT version FROM dataset_stat WHERE dataset = 'filing'") };
my $before = $version->();
load('smaller', line(1, ['10-Q', 1, '2024-03-01']));
is($version->(), $before, 'a smaller size changes nothing');
like(load('larger', line(1, ['10-Q', 99999, '2024-03-01'])), qr/unchanged 1\b/, 'a larger one makes no version');
isnt($version->(), $before, '... and is told');

finish();

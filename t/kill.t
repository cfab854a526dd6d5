# A share of the kill proof (t/proofs/kill does all of it): a load is struck at some instants by kill -9 of the loader, of its backend
# and of the postmaster, and by a full disk. Files are whole or not there, and the same commands complete the load.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Kill qw(begin_with_own_mounts made_load);
use File::Temp qw(tempdir);
use Test::More;
use v5.24;
use warnings;

begin_with_own_mounts();
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);
my @files = grep { $_->[0] !~ /submissions|senate|house|finra/ } made_load(tempdir(CLEANUP => 1), 0.5)->@*;
my $proof = Disclosed::Kill->new(\@files);
END { $proof->stop if $proof }
diag 'NOT TESTED: a full disk, as none may be mounted here' if !$proof->{disk};

my $midway = 0;
for my $victim ('loader', 'backend', 'postmaster', $proof->{disk} ? 'disk' : ()) {
    my $sum = $proof->prove($victim, 3);
    is_deeply($sum->{faults}, [], "$victim: $sum->{trials} trials, $sum->{midway} of them amid the load, with $sum->{least} to $sum->{most} files stored");
    $midway += $sum->{midway};
}
cmp_ok($midway, '>=', 3, "$midway trials were amid the load");

# It can fail: what a load must not leave is told.
my $database = $proof->fresh_database;
my $load = $proof->load($database, \@files);
is_deeply([$proof->faults_of($database, $load->{reported}->@*)], [], 'a whole load has no fault');
my $file = $files[0][1];
for (
    ['a row is missing', 'DELETE FROM disclosed.filing WHERE row_id = (SELECT max(row_id) FROM disclosed.filing)', qr/^filing: 749 rows, counted as 750/, qr/^filing: 749 versions/],
    ['a row is another', q{UPDATE disclosed.filing SET title = 'x' WHERE row_id = (SELECT max(row_id) FROM disclosed.filing)}, qr/^filing: 750 versions/],
    ['a count is wrong', q{UPDATE disclosed.dataset_stat SET record_count = record_count + 1 WHERE dataset = 'insider'}, qr/^insider: (\d+) rows, counted as (?!\1)/],
    ['a run has not ended', "UPDATE disclosed.import_run SET status = 'running' WHERE import_run_id = (SELECT max(import_run_id) FROM disclosed.import_run)",
        qr/^a run is visible that has not ended: /, qr/^reported as stored, and lost: /],
    ['a file is lost', "DELETE FROM disclosed.import_run WHERE file = '$file'", qr/^reported as stored, and lost: \Q$file\E: read 750,/],
) {
    my ($name, $fault, @told) = @$_;
    my $faulty = $proof->fresh_database($database);
    $proof->{cluster}->execute($faulty, $fault);
    my @faults = $proof->faults_of($faulty, $load->{reported}->@*);
    for my $pattern (@told) {
        ok(scalar grep({ $_ =~ $pattern } @faults), "$name: it is told") or diag explain \@faults;
    }
    $proof->{cluster}->drop_database($faulty);
}
done_testing;

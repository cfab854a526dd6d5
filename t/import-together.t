# Files of one source that are loaded at the same time: what one says of a row and the other otherwise is what it is
# when they are loaded one after the other: a correction, or of corporate actions, whose order of loading decides nothing,
# the larger amount of two files that were taken at one time. (Made input.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Process qw(wait_until);
use IO::Handle;
use POSIX qw(mkfifo);

my $site = site(template => 'empty');
my $finra = 'symbolCode|marketClassCode|currentShortPositionQuantity|settlementDate|issueName';
my %source = (
    'corporate-actions'    => ['corporate_action', 'amount', 'symbol,exDate,amount', 'QA,2021-01-04,1', 'QA,2021-01-04,2'],
    'finra-short-interest' => ['short_interest', 'current_short_position', $finra, 'QA|NNM|100|2021-07-15|Kettle', 'QA|NNM|200|2021-07-15|Kettle'],
);

my $slow; # the end of a pipe that the test writes to

sub import_apart
{
    my ($source, @arguments) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    close $slow if $slow; # or the reader would never see its end
    my ($code, $out, $err) = $site->control('import', $source, '--known-at', '2025-01-01', @arguments);
    print STDERR $err;
    POSIX::_exit($code);
}

my $here = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
sub locks { my ($granted) = @_; return $site->value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted = $granted AND $here") }

for my $source (sort keys %source) {
    my ($table, $column, $header, $first, $second) = $source{$source}->@*;
    my $fifo = "$site->{root}/$source.csv";
    mkfifo($fifo, 0600) or die "mkfifo: $!";
    my $one = import_apart($source, $fifo);
    open $slow, '>', $fifo or die "$fifo: $!";
    $slow->autoflush(1);
    print $slow "$header\n", map { $first =~ s/QA/"F$_"/er . "\n" } 100 .. 999; # enough to see what kind of file it is
    ok(wait_until(30, sub { locks('true') >= 1 }), "$source: a file is being read");
    my $other = import_apart($source, $site->write('other.csv', "$header\n$second\n"));
    ok(wait_until(30, sub { locks('false') == 1 }), '... and another waits for it');
    print $slow "$first\n";
    close $slow;
    undef $slow;
    for ($one, $other) { waitpid $_, 0; is($?, 0, '... one is stored') }
    is(join(', ', map { "$_->{value} from $_->{day}" } $site->rows("SELECT $column AS value, (known_at AT TIME ZONE 'America/New_York')::date AS day FROM $table WHERE symbol_code = 'QA' AND superseded_at IS DISTINCT FROM known_at ORDER BY known_at")),
        $source eq 'corporate-actions' ? '2 from 2021-01-04' : '100 from 2021-07-27, 200 from 2025-01-01', '... and what is in force is what it would be one after the other');
}

# --- rows by ticker, and who is listed -------------------------------------------------------------------

# What nobody was listed under when it was looked up is the company's when it is stored: once.
my $fifo = "$site->{root}/again.csv";
mkfifo($fifo, 0600) or die "mkfifo: $!";
my $reading = import_apart('corporate-actions', $fifo);
open $slow, '>', $fifo or die "$fifo: $!";
$slow->autoflush(1);
print $slow "symbol,exDate,amount\nQA,2021-01-04,2\n", map { "F$_,2021-01-05,1\n" } 1000 .. 9999; # more than is read at once
ok(wait_until(30, sub { $site->value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND $here") == 1 }), 'actions of which QA has been looked up');
my $listing = import_apart('sec-company-tickers', $site->write('company_tickers.json', '{"0":{"cik_str":7,"ticker":"QA","title":"Kettle"}}'));
ok(wait_until(30, sub { locks('false') == 1 }), '... and a file that lists it waits for them');
close $slow;
undef $slow;
for ($reading, $listing) { waitpid $_, 0; is($?, 0, '... one is stored') }
is($site->value("SELECT string_agg(coalesce(i.cik::text, i.party_key), ', ') FROM corporate_action JOIN issuer i USING (issuer_id) WHERE symbol_code = 'QA' AND superseded_at IS NULL"),
    '7', '... and the company has the action, once');

finish();

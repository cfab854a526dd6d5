package Disclosed::Freshness;

# Loads commit while clients read: what was answered is compared with what the database held. Each load writes its number into a
# row, with the versions that tags are made of, in one transaction.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Exporter qw(import);
use IO::Uncompress::Gunzip qw(gunzip);
use POSIX ();
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(watch_freshness load_number plain_body);

my $symbol = 'ZEMRUZ';
my $target = "/v1/companies/$symbol/executives";

# A load as SQL: the database then says this number.
sub load_number
{
    my ($number, $table) = @_;
    $table //= 'executive';
    return "BEGIN; UPDATE disclosed.$table SET role = 'Load $number' WHERE issuer_id = (SELECT issuer_id FROM disclosed.issuer WHERE ticker = '$symbol');"
        . " UPDATE disclosed.dataset_stat SET version = version + 1 WHERE dataset = 'executive'; COMMIT;\n";
}

# The body of a response as it was before it was compressed.
sub plain_body
{
    my ($response) = @_;
    return $response->body if ($response->header('content-encoding') // '') ne 'gzip';
    my ($compressed, $plain) = ($response->body);
    gunzip(\$compressed, \$plain) or return '';
    return $plain;
}

sub child
{
    my ($code) = @_;
    my $pid = fork() // die "fork: $!";
    return $pid if $pid;
    eval { $code->(); 1 } or warn $@;
    POSIX::_exit(0);
}

# Loads at these seconds from now on; says into a file when each began, and was known to be committed.
sub run_loads
{
    my ($site, $file, @seconds) = @_;
    my $clock = 'SELECT extract(epoch FROM clock_timestamp())';
    open my $psql, '|-', build('PGBIN') . '/psql', '-XAtq', '-o', $file, '-d', $site->{cluster}->conninfo($site->{database}, 'postgres')
        or die "psql: $!";
    $psql->autoflush(1);
    my $begin = time;
    for my $number (1 .. @seconds) {
        my $left = $begin + $seconds[$number - 1] - time;
        sleep $left if $left > 0;
        print $psql "$clock;\n", load_number($number), "$clock;\n";
    }
    close $psql or die "psql: $?";
}

# Asks until then, plain and compressed in turn.
sub run_client
{
    my ($site, $file, $end) = @_;
    open my $out, '>', $file or die "$file: $!";
    for (my $turn = 0; time < $end; $turn++) {
        my $began = time;
        my $response = $site->get($target, headers => $turn % 2 ? { 'Accept-Encoding' => 'gzip' } : {});
        my $ended = time;
        my ($number) = plain_body($response) =~ /"Load (\d+)"/;
        printf $out "%.6f %.6f %d %d\n", $began, $ended, $response->status, $number // -1;
    }
    close $out;
}

sub lines_of { open my $file, '<', $_[0] or die "$_[0]: $!"; return map { [split] } <$file> }

# The last load that was committed by then.
sub held_at
{
    my ($loads, $then) = @_;
    my $number = 0;
    $number++ while $number < @$loads && $loads->[$number]{committed} <= $then;
    return $number;
}

sub judge
{
    my ($sum, $loads, $bound, $began, $ended, $status, $number) = @_;
    $sum->{requests}++;
    return push $sum->{faults}->@*, "status $status" if $status != 200;
    return push $sum->{faults}->@*, "no load's number: $number" if $number < 0;
    my $held = held_at($loads, $began);
    if ($number < $held) {
        my $lag = $began - $loads->[$number]{committed};
        $sum->{behind}++;
        $sum->{lag} = $lag if $lag > $sum->{lag};
    }
    push $sum->{faults}->@*, "load $number, where $held was committed and " . held_at($loads, $began - $bound) . " $bound s before"
        if $number < held_at($loads, $began - $bound);
    push $sum->{faults}->@*, "load $number, before it began" if $number > 0 && $loads->[$number - 1]{began} > $ended;
}

# Loads at those seconds, and clients until the last of them and `rest` seconds more. Option `bound`: so many seconds after its
# commit a load must be in every response. Returns requests, behind (responses that a load was not in which was
# committed when they were asked for), lag (the most seconds by which), loads and faults.
sub watch_freshness
{
    my ($site, %option) = @_;
    my @seconds = $option{seconds}->@*;
    $site->execute(load_number(0));
    sleep 2;
    my $base = "$site->{root}/logs/freshness";
    my $end = time + $seconds[-1] + $option{rest};
    my @children = (child(sub { run_loads($site, "$base-loads", @seconds) }),
        map { my $file = "$base-$_"; child(sub { run_client($site, $file, $end) }) } 1 .. $option{clients});
    waitpid $_, 0 for @children;
    my @clock = map { $_->[0] } lines_of("$base-loads");
    my @loads = map { { began => $clock[2 * $_], committed => $clock[2 * $_ + 1] } } 0 .. $#seconds;
    my $sum = { requests => 0, behind => 0, lag => 0, loads => scalar @loads, faults => [] };
    judge($sum, \@loads, $option{bound}, @$_) for map { lines_of("$base-$_") } 1 .. $option{clients};
    return $sum;
}

1;

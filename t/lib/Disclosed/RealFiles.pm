package Disclosed::RealFiles;

# Real SEC files, read here a second time in another language, so that what was imported can be
# compared with what stands in them.

use v5.24;
use warnings;
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(slurp);
use Exporter qw(import);
use Disclosed::JSON ();
use POSIX ();
use Test::More;
use Time::Local qw(timegm);

our @EXPORT_OK = qw(folder import_twice slurp eastern_to_utc utc_text text_of);

# The folder of real files; ends the suite, loudly, where this machine does not have it.
sub folder
{
    my ($name) = @_;
    my $path = shared_data($name);
    if (!$path) {
        diag "NOT TESTED: there is no folder $name of real files here (DISCLOSED_SHARED)";
        plan skip_all => "no real files in $name";
    }
    return $path;
}

# Imports a path twice: all rows are accounted for, and the second time none is stored. Returns the
# first run's summary.
sub import_twice
{
    my ($site, $source, $path, @options) = @_;
    my @summaries;
    for my $time (qw(first second)) {
        my ($code, $out, $err) = $site->control('import', $source, '--json', @options, $path);
        is($code, 0, "$source, $time time") or diag substr "$out$err", 0, 2000;
        my $summary = eval { Disclosed::JSON->new->utf8->decode($out) } // {};
        push @summaries, $summary;
        my $sum = ($summary->{stored} // 0) + ($summary->{unchanged} // 0) + ($summary->{rejected} // 0);
        is($summary->{read}, $sum, "... read = stored + unchanged + rejected = $sum");
    }
    my ($first, $second) = @summaries;
    cmp_ok($first->{stored}, '>', 0, '... rows are stored');
    is($second->{stored}, 0, '... the second time none');
    is($second->{unchanged}, $first->{read} - $first->{rejected}, '... all are unchanged');
    my ($runs) = $site->rows("SELECT count(*) AS runs, sum(rows_read) AS read, sum(stored) AS stored FROM import_run WHERE source = '$source'
        AND status = 'done' AND import_run_id > (SELECT coalesce(max(import_run_id), 0) - $first->{files} - $second->{files} FROM import_run)");
    is($runs->{read}, $first->{read} + $second->{read}, '... import_run has the same rows');
    return $first;
}

# Seconds since 1970 of a clock in New York, YYYYMMDDHHMMSS.
sub eastern_to_utc
{
    my ($text) = @_;
    my ($year, $month, $day, $hour, $minute, $second) = $text =~ /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/ or die "no time: $text";
    local $ENV{TZ} = 'America/New_York';
    POSIX::tzset();
    my $seconds = POSIX::mktime($second, $minute, $hour, $day, $month - 1, $year - 1900, 0, 0, -1);
    delete local $ENV{TZ};
    POSIX::tzset();
    return $seconds;
}

sub utc_text
{
    my ($seconds) = @_;
    return POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $seconds);
}

# The text of an XML element: of its <value>, else its own; trimmed, undef when empty.
sub text_of
{
    my ($xml, $name) = @_;
    my ($inner) = ($xml // '') =~ m{<$name(?:\s[^>]*)?>(.*?)</$name>}s or return undef;
    $inner = $1 if $inner =~ m{<value>(.*?)</value>}s;
    return undef if $inner =~ /<(?!value)/ && $inner !~ /\S.*</s;
    $inner =~ s/<[^>]*>//g;
    my %entities = (amp => '&', lt => '<', gt => '>', quot => '"', apos => "'");
    $inner =~ s/&(\w+);/$entities{$1} \/\/ "&$1;"/ge;
    $inner =~ s/&#(\d+);/chr $1/ge;
    $inner =~ s/\s+/ /g;
    $inner =~ s/^ | $//g;
    return $inner eq '' ? undef : $inner;
}

1;

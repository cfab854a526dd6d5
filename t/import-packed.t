# Compressed files: damage that still unpacks is found by the checksum behind the data, and a file that is
# packed in any of the ways that are taken says what the plain one says. (Made input.)

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Compress::Raw::Zlib;
use Disclosed::ZipFile qw(write_zip);
use IO::Compress::Gzip qw(gzip);

my $site  = site(template => 'empty');
my $plain = "symbol,exDate,amount\n" . join '', map { sprintf "KETTLE%s,2021-01-%02d,0.%04d\n", chr(65 + $_ % 26), 1 + $_ / 26, 1 + $_ * 13 } 0 .. 259;
gzip(\$plain, \my $packed) or die;

sub import_bytes
{
    my ($name, $bytes, $source) = @_;
    my ($code, $out, $err) = $site->control('import', $source // 'corporate-actions', $site->write($name, $bytes));
    return ($code, "$out$err");
}

sub stored { return $site->value('SELECT count(*) FROM corporate_action') }

# What the data unpack to; undef where they cannot be unpacked.
sub inflated
{
    my ($bytes) = @_;
    my $inflate = Compress::Raw::Zlib::Inflate->new(-WindowBits => -MAX_WBITS, -Bufsize => 65536, -AppendOutput => 1);
    my $data = substr $bytes, 10;
    my $status = $inflate->inflate($data, my $text = '');
    return $status == Z_STREAM_END ? $text : undef;
}

# --- damage ----------------------------------------------------------------------------------------

my @silent; # one bit was changed, all unpacks, and some rows are other ones
for my $place (map { 60 + 7 * $_ } 0 .. (length($packed) - 70) / 7) {
    my $damaged = $packed;
    substr($damaged, $place, 1) ^= chr(1 << $place % 8);
    my $text = inflated($damaged);
    push @silent, $damaged if defined $text && $text ne $plain && $text =~ /^symbol,exDate,amount\n/ && $text =~ /\n\z/;
}
cmp_ok(scalar @silent, '>', 20, scalar(@silent) . ' damaged files unpack without a fault, to other rows');
for my $i (0 .. 9) {
    my ($code, $told) = import_bytes("damaged$i.csv.gz", $silent[$i * $#silent / 9]);
    like("$code $told", qr/^1 .*failed, nothing of it is stored: the gzip data are damaged: incorrect data check/s, 'the checksum shows it');
}
my %other = (
    'a changed checksum'   => [substr($packed, 0, -5) . chr(ord(substr $packed, -5, 1) ^ 1) . substr($packed, -4), 'the gzip data are damaged: incorrect data check'],
    'a changed length'     => [substr($packed, 0, -1) . "\x01", 'the gzip data are damaged: incorrect length check'],
    'a block type of none' => [substr($packed, 0, 10) . "\xff" . substr($packed, 11), 'the gzip data are damaged: invalid block type'],
    'a cut trailer'        => [substr($packed, 0, -1), 'the gzip data are cut'],
    'no trailer'           => [substr($packed, 0, -8), 'the gzip data are cut'],
    'half of it'           => [substr($packed, 0, length($packed) / 2), 'the gzip data are cut'],
    'a cut header'         => [substr($packed, 0, 5), 'the gzip data are cut'],
    'text behind it'       => [$packed . "KETTLEZ,2021-02-01,9\n", 'other bytes follow the gzip data'],
    'a cut second member'  => [$packed . substr($packed, 0, 100), 'the gzip data are cut'],
);
for my $name (sort keys %other) {
    my ($code, $told) = import_bytes('damaged.csv.gz', $other{$name}[0]);
    like("$code $told", qr/^1 .*failed, nothing of it is stored: \Q$other{$name}[1]\E\n/s, "$name is refused");
}
is(stored(), 0, 'nothing of all these is stored');

# --- what is whole ---------------------------------------------------------------------------------

my ($code, $told) = import_bytes('whole.csv.gz', $packed);
like("$code $told", qr/^0 .*read 260, stored 260, unchanged 0/s, 'the whole file');
my $half = length("symbol,exDate,amount\n") + 2000;
my @halves = (substr($plain, 0, $half), substr $plain, $half);
gzip(\$halves[0], \my $first);
gzip(\$halves[1], \my $second);
for (['plain.csv', $plain], ['members.csv.gz', $first . $second], ['padded.csv.gz', $packed . "\0" x 300], ['unnamed', $packed]) {
    ($code, $told) = import_bytes(@$_);
    like("$code $told", qr/^0 .*read 260, stored 0, unchanged 260/s, "$_->[0] says the same");
}
is($site->value('SELECT count(DISTINCT content_hash) FROM corporate_action_sourced'), 1, 'the hash is of the unpacked bytes');
gzip(\'', \my $empty);
# Members of archives are read as they are: one that is compressed once more is told of as that.
my $archive = write_zip("$site->{root}/nested.zip", 2, sub { (['corporate-actions.csv.gz', $packed], ['plain.csv', $plain])[$_[0]]->@* });
($code, my $out, my $err) = $site->control('import', 'corporate-actions', $archive);
like("$code $out$err", qr/^1 .*nested\.zip:corporate-actions\.csv\.gz: failed, nothing of it is stored: a compressed file in an archive is not read: unpack the archive\n/s, 'a compressed member');
like("$out$err", qr/nested\.zip:plain\.csv: read 260, stored 0, unchanged 260/, '... and the others are read');
($code, $told) = import_bytes('empty.csv.gz', $empty);
like("$code $told", qr/^1 .*failed, nothing of it is stored: the file is empty\n/s, 'an empty file, packed');

finish();

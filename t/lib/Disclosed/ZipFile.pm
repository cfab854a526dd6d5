package Disclosed::ZipFile;

# Writes zip archives, of stored members, as many as are wanted.

use v5.24;
use warnings;
use Compress::Raw::Zlib ();
use Exporter qw(import);

our @EXPORT_OK = qw(write_zip);

use constant MANY => 65_535; # more members need the records of zip64

# Writes `count` members: member(number, from 0) returns name and bytes. Returns the path.
sub write_zip
{
    my ($path, $count, $member) = @_;
    my ($directory, $at) = ('', 0);
    open my $out, '>:raw', $path or die "$path: $!";
    for my $i (0 .. $count - 1) {
        my ($name, $bytes) = $member->($i);
        my $common = pack 'v5V3v2', 20, 0, 0, 0, 33, Compress::Raw::Zlib::crc32($bytes), length $bytes, length $bytes, length $name, 0;
        print $out "PK\3\4", $common, $name, $bytes;
        $directory .= "PK\1\2" . pack('v', 20) . $common . pack('v3V2', 0, 0, 0, 0, $at) . $name;
        $at += 30 + length($name) + length $bytes;
    }
    my $entries = $count > MANY ? MANY : $count;
    my $long = $count > MANY ? "PK\6\6" . pack('Q<v2V2Q<4', 44, 45, 45, 0, 0, $count, $count, length $directory, $at) . "PK\6\7" . pack('VQ<V', 0, $at + length $directory, 1) : '';
    print $out $directory, $long, "PK\5\6", pack 'v4V2v', 0, 0, $entries, $entries, length $directory, $at, 0;
    close $out or die "$path: $!";
    return $path;
}

1;

package Disclosed::HostileZip;

# Writes zip archives that lie: each field of a member, in its own header and in the directory, and of the directory's end may be another than
# is true.

use v5.24;
use warnings;
use Compress::Raw::Zlib ();
use Compress::Zlib ();
use Exporter qw(import);

our @EXPORT_OK = qw(hostile_zip);

my @fields = qw(version flags method time date crc packed size);

sub deflated
{
    my ($bytes) = @_;
    my $deflate = Compress::Zlib::deflateInit(-WindowBits => -Compress::Zlib::MAX_WBITS(), -Level => 9);
    return join '', ($deflate->deflate($bytes))[0], ($deflate->flush)[0];
}

# Members are hashes: name, bytes; deflate (it is compressed), data (in place of what the bytes are packed as), nothing (it has no header of its own);
# local and central, hashes of fields that the one or the other has in place of the true ones: those above, name, extra, made (by which system), attributes, offset, mark.
# Options, of the directory's end: count, directory_size, directory_offset, disk, comment; cut (bytes of the directory that are left), long (records of
# zip64 before the end, hash of: count, directory_size, directory_offset, at; or a true value), before, behind (bytes around it all). Returns the path.
sub hostile_zip
{
    my ($path, $members, %end) = @_;
    my ($out, $directory) = ($end{before} // '', '');
    for my $member (@$members) {
        my $bytes = $member->{bytes} // '';
        my $data = $member->{data} // ($member->{deflate} ? deflated($bytes) : $bytes);
        my %true = (name => $member->{name}, extra => '', version => 20, flags => 0, method => $member->{deflate} ? 8 : 0, time => 0, date => 33,
            crc => Compress::Raw::Zlib::crc32($bytes), packed => length $data, size => length $bytes, made => 20, attributes => 0, offset => length $out, mark => 0);
        my %local = (%true, ($member->{local} // {})->%*);
        my %central = (%true, ($member->{central} // {})->%*);
        $out .= ($local{mark} || "PK\3\4") . pack('v5V3v2', @local{@fields}, length $local{name}, length $local{extra}) . $local{name} . $local{extra} . $data
            if !$member->{nothing};
        $directory .= ($central{mark} || "PK\1\2") . pack('v6V3v2', @central{'made', @fields}, length $central{name}, length $central{extra})
            . pack('v3V2', 0, 0, 0, @central{qw(attributes offset)}) . $central{name} . $central{extra};
    }
    my ($count, $size, $at) = (scalar @$members, length $directory, length $out);
    $directory = substr $directory, 0, $end{cut} if defined $end{cut};
    if ($end{long}) {
        my %long = (count => $count, directory_size => $size, directory_offset => $at, at => $at + length $directory, ref $end{long} ? $end{long}->%* : ());
        $directory .= "PK\6\6" . pack('Q<v2V2Q<4', 44, 45, 45, 0, 0, $long{count}, $long{count}, @long{qw(directory_size directory_offset)}) . "PK\6\7" . pack('VQ<V', 0, $long{at}, 1);
        ($count, $size, $at) = (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF);
    }
    my %is = (count => $count, directory_size => $size, directory_offset => $at, disk => 0, comment => '', %end);
    open my $file, '>:raw', $path or die "$path: $!";
    print $file $out, $directory, "PK\5\6", pack('v4V2v', $is{disk}, 0, $is{count}, $is{count}, @is{qw(directory_size directory_offset)}, length $is{comment}), $is{comment}, $end{behind} // '';
    close $file or die "$path: $!";
    return $path;
}

1;

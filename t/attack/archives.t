# Zip archives that lie about what they have: names that lead elsewhere, members that hide, overlap, are links or bombs, directories that are cut or
# count wrong. Each is refused with the rule that it breaks and the place, before anything of it is stored; what only spoils a member spoils that one.
# An archive that bootstrap fetches and finds damaged inside is fetched once more, and no more often.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::BootstrapFiles qw(set_path);
use Disclosed::BootstrapProof;
use Disclosed::Build qw(build);
use Disclosed::HostileZip qw(hostile_zip);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::Shared qw(cluster control fresh workspace);
use Disclosed::Test;
use Disclosed::ZipFile qw(write_zip);

delete @ENV{qw(DISCLOSED_USER_AGENT DISCLOSED_MIRRORS)};
my $site = site(template => 'empty', start => 0);
my $folder = workspace() . '/' . fresh('archives');
mkdir $folder or die "$folder: $!";
my @facts = map { Disclosed::BootstrapFiles::facts($_) } 7001 .. 7003;
my ($name, $bytes) = $facts[1]->@*;
my $size = length $bytes;

# Three companies, of which the second is as it is said.
sub members
{
    my (%second) = @_;
    my @members = map { { name => $_->[0], bytes => $_->[1], deflate => 1 } } @facts;
    $members[1] = { $members[1]->%*, %second };
    return \@members;
}

sub both { return (local => {@_}, central => {@_}) }

my $number;
sub imported
{
    my ($zip) = @_;
    $site->execute('DELETE FROM disclosed.import_run; DELETE FROM disclosed.xbrl_report');
    my ($code, $out, $err) = $site->control('import', 'sec-companyfacts', '--jobs', 1, $zip);
    return ($code, $err, $site->value('SELECT count(DISTINCT i.cik) FROM disclosed.xbrl_report JOIN disclosed.issuer i USING (issuer_id)'), $out);
}

sub zip { my ($members, @end) = @_; return hostile_zip("$folder/" . ++$number . '.zip', $members, @end) }

# ---- the archive is refused

my $unix = 3 << 8 | 20;
my @refused = (
    ['a name that leads out of it', [members(name => "../../../etc/$name")], qr{its member \.\./\.\./\.\./etc/$name: its name leads out of the archive}],
    ['... in the middle', [members(name => "x/../../$name")], qr/its name leads out of the archive/],
    ['... as Windows has it', [members(name => "..\\..\\$name")], qr/its name leads out of the archive/],
    ['a name from the root', [members(name => "/etc/$name")], qr{its member /etc/$name: its name is a path from the root}],
    ['... of a drive', [members(name => "C:/$name")], qr/its name is a path from the root/],
    ['a name that ends at a NUL', [members(name => "$name\0.exe")], qr/its member $name\?\.exe: its name has a control character/],
    ['a name of two lines', [members(name => "x\n$name")], qr/its name has a control character/],
    ['no name', [members(name => '')], qr/it has no name/],
    ['a link', [members(bytes => '/etc/passwd', deflate => 0, central => { made => $unix, attributes => 0120777 << 16 })], qr/its member $name: it is a link/],
    ['a device', [members(central => { made => $unix, attributes => 0020666 << 16 })], qr/it is neither a file nor a folder/],
    ['a file that is marked as a folder', [members(central => { made => $unix, attributes => 0040755 << 16 })], qr/it is a folder, and not named as one/],
    ['... as DOS has it', [members(central => { attributes => 0x10 })], qr/it is a folder, and not named as one/],
    ['a folder with bytes', [members(name => "$name/")], qr{its member $name/: it is a folder, and has bytes}],
    ['two of one name', [[members()->@*, { name => $name, bytes => $bytes =~ s/Numbers/Others/r }]], qr/it has two members that are called $name/],
    ['two that are one', [members(nothing => 1, both(name => $facts[0][0], packed => length Disclosed::HostileZip::deflated($facts[0][1]), size => length $facts[0][1],
        crc => Compress::Raw::Zlib::crc32($facts[0][1]), offset => 0))], qr/its members $facts[0][0] and $facts[0][0] overlap/],
    ['one within another', [[{ name => 'outer.txt', bytes => "x" x 7 . "PK\3\4" . pack('v5V3v2', 20, 0, 0, 0, 33, Compress::Raw::Zlib::crc32($bytes), $size, $size, length $name, 0) . $name . $bytes },
        { name => $name, bytes => $bytes, nothing => 1, central => { offset => 30 + length('outer.txt') + 7 } }]], qr/its members outer\.txt and $name overlap/],
    ['one that a header calls otherwise', [members(local => { name => 'CIK0000009999.json' })], qr/its member $name: its own header calls it CIK0000009999\.json/],
    ['another checksum in its header', [members(central => { crc => 7 })], qr/its own header has another size, checksum or method than the directory/],
    ['another size in its header', [members(central => { size => $size - 9 })], qr/its own header has another size/],
    ['another method in its header', [members(central => { method => 0, size => $size, packed => $size })], qr/its own header has another size, checksum or method/],
    ['one of which a header says that it is encrypted', [members(local => { flags => 1 })], qr/its own header has another size, checksum or method/],
    ['more bytes than the archive has', [members(both(packed => 100_000))], qr/it has more bytes than there are before the directory/],
    ['a stored one of another size', [members(deflate => 0, both(size => $size + 1))], qr/it is stored as it is, in another size than its own/],
    ['more than can be packed', [members(both(size => 1 << 30))], qr/it cannot have so many bytes as the directory says/],
    ['a bomb', [members(data => 'x' x 2_500_000, both(size => 2_400_000_000))], qr/it has \d+ bytes, and 2400\d+ unpacked: more than 200 times as many/],
    ['one that is nowhere', [members(central => { offset => 0x7FFFFFFF })], qr/its member $name: no header of its own is where the directory says/],
    ['one that is elsewhere', [members(central => { offset => 5 })], qr/no header of its own is where the directory says/],
    ['a header that is none', [members(local => { mark => "PK\3\5" })], qr/no header of its own is where the directory says/],
    ['an entry that is none', [members(central => { mark => "PK\1\3" })], qr/the archive's directory has 3 members by its end, and after 1 of them, at byte \d+, no other/],
    ['an entry longer than the file', [members(central => { extra => 'x' x 60_000 }), cut => 200, directory_size => 200], qr/the archive's directory: the entry at byte \d+ does not fit/],
    ['a directory that is cut', [members(), cut => 100], qr/the archive's directory should have 192 bytes from byte \d+, and it ends at byte \d+/],
    ['... and says so', [members(), cut => 100, directory_size => 100], qr/has 3 members by its end, and after 1 of them, at byte \d+, no other/],
    ['a directory that is elsewhere', [members(), directory_offset => 3], qr/the archive's directory should have 192 bytes from byte 3/],
    ['... beyond the end', [members(), directory_offset => 0x7FFFFFFF], qr/should have 192 bytes from byte 2147483647/],
    ['fewer members than there are', [members(), count => 2], qr/the archive's directory has 2 members by its end, and more follow at byte \d+/],
    ['more members than there are', [members(), count => 4], qr/the archive's directory has 4 members by its end, and after 3 of them, at byte \d+, no other/],
    ['no members', [[]], qr/the archive has no member/],
    ['one disk of several', [members(), disk => 1], qr/it is a part of an archive that is in several files/],
    ['bytes before it', [members(), before => 'x' x 100], qr/no zip archive/],
    ['bytes behind it', [members(), behind => 'x' x 100], qr/100 bytes follow the end of the archive's directory/],
    ['zip64 with fewer members', [members(), long => { count => 2 }], qr/the archive's directory has 2 members by its end, and more follow at byte \d+/],
    ['zip64 with more members than fit anywhere', [members(), long => { count => 1 << 60 }], qr/says that it has 1152921504606846976 members: 2000000 are the most/],
    ['zip64 with a directory that is nowhere', [members(), long => { directory_offset => 1 << 62 }], qr/should have 192 bytes from byte 4611686018427387904/],
    ['zip64 with a directory that goes round', [members(), long => { directory_size => ~0 - 100, directory_offset => 101 }], qr/should have 18446744073709551515 bytes from byte 101/],
    ['zip64 that is nowhere', [members(), long => { at => 1 << 62 }], qr/says that zip64's is at byte 4611686018427387904, where there is none/],
    ['zip64 that is elsewhere', [members(), long => { at => 3 }], qr/says that zip64's is at byte 3, where there is none/],
    ['zip64 of another size than the rest says', [members(), long => 1, count => 2], qr/the two ends of the archive's directory, that of zip64 and the other, differ/],
    ['zip64 numbers that are not there', [members(central => { offset => 0xFFFFFFFF })], qr/the archive's directory: the entry at byte \d+ does not fit/],
);
for my $case (@refused) {
    my ($what, $zip, $rule) = @$case;
    my ($code, $err, $companies) = imported(my $path = zip(@$zip));
    is("$code $companies", '1 0', "$what: it is refused, and nothing of it stored");
    like($err, qr/^disclosedctl: \Q$path\E: failed, nothing of it is stored: .*$rule/m, '... with the place and the rule');
}

# ---- a member is

for my $case (
    ['a checksum that is not its own', [members(both(crc => 7))], qr/ZIP bad CRC: 0x[0-9a-f]+ should be 0x7/],
    ['one that is encrypted', [members(both(flags => 1))], qr/Passphrase required for this entry/],
    ['one that nobody can unpack', [members(both(method => 99))], qr/Unsupported ZIP compression method/],
    ['one that is cut', [members(both(packed => 20))], qr/ZIP decompression failed/],
    ['one with fewer bytes than it says', [members(both(size => $size + 9))], qr/ZIP uncompressed data is wrong size \(read $size, expected @{[$size + 9]}\)/],
    ['one with more bytes than it says', [members(bytes => $bytes . ' ' x (70 << 20), both(size => $size))], qr/it has more bytes than the archive says that it has/],
    ['one that is large', [members(bytes => $bytes . ' ' x (40 << 20))], qr/the file is larger than 32 MB, the most that is read of such a file/],
    ['one whose bytes are others', [members(data => "\xff" x 100)], qr/ZIP decompression failed|ZIP bad/],
) {
    my ($what, $zip, $rule) = @$case;
    my ($code, $err, $companies) = imported(my $path = zip(@$zip));
    is("$code $companies", '1 2', "$what: the others are stored");
    like($err, qr/^disclosedctl: \Q$path\E:$name: failed, nothing of it is stored: (?:$rule).*$/m, '... and it is named, with the rule');
    unlike($err, qr/^\s*$/m, '... in one line');
}

# ---- all of it is stored

for my $case (
    ['as it should be', [members()]],
    ['with a comment', [members(), comment => "PK\5\6" . 'x' x 500]],
    ['with folders', [[members()->@*, { name => 'x/' }, { name => 'y/', central => { made => $unix, attributes => 0040755 << 16 | 0x10 } }]]],
    ['with names in folders', [members(name => "a..b/..c/$name")]],
    ['of zip64', [members(), long => 1]],
    ['with the numbers of zip64', [members(local => { size => 0xFFFFFFFF, packed => 0xFFFFFFFF, extra => pack 'v2Q<2', 1, 16, $size, length Disclosed::HostileZip::deflated($bytes) },
        central => { size => 0xFFFFFFFF, packed => 0xFFFFFFFF, extra => pack 'v2Q<2', 1, 16, $size, length Disclosed::HostileZip::deflated($bytes) })]],
    ['that was written without going back', [members(local => { flags => 8, crc => 0, size => 0, packed => 0 }, central => { flags => 8 },
        data => Disclosed::HostileZip::deflated($bytes) . "PK\7\10" . pack('V3', Compress::Raw::Zlib::crc32($bytes), length Disclosed::HostileZip::deflated($bytes), $size))], 1],
    ['without a member that was taken out', [[@{ members() }, { name => 'x', bytes => 'x' }], count => 3, cut => 192, directory_size => 192]],
) {
    my ($what, $zip, $is_streamed) = @$case;
    $zip->[0][1]{central}{packed} = length Disclosed::HostileZip::deflated($bytes) if $is_streamed;
    my ($code, $err, $companies) = imported(zip(@$zip));
    is("$code $companies", '0 3', "an archive $what is stored") or diag $err;
}

# Members in another order than the directory's.
{
    my @members = members()->@*;
    my @at = map { 30 + length($_->{name}) + length Disclosed::HostileZip::deflated($_->{bytes}) } @members;
    my ($code, $err, $companies) = imported(zip([map { { $members[$_]->%*, nothing => $_ != 0, central => { offset => $_ == 0 ? 0 : $_ == 1 ? $at[0] + $at[2] : $at[0] } } } 0 .. 2]));
    is($code, 1, 'members that are not there');
    my $path = zip(\@members);
    open my $file, '+<:raw', $path or die "$path: $!";
    my ($length, @entries) = (46 + length $name);
    for my $number (0 .. 2) { seek $file, $at[0] + $at[1] + $at[2] + $number * ($length), 0; read $file, $entries[$number], $length }
    seek $file, $at[0] + $at[1] + $at[2], 0;
    print $file reverse @entries;
    close $file;
    ($code, $err, $companies) = imported($path);
    is("$code $companies", '0 3', 'an archive whose directory has another order is stored') or diag $err;
}

# A tar has no directory; what is no file in it is told all the same.
mkdir "$folder/tar" or die "tar: $!";
symlink '/etc/passwd', "$folder/tar/$name" or die "symlink: $!";
for my $fact (@facts[0, 2]) { open my $file, '>', "$folder/tar/$fact->[0]" or die "tar: $!"; print $file $fact->[1]; close $file }
is(system('tar', '-cf', "$folder/linked.tar", '-C', "$folder/tar", '.'), 0, 'a tar with a link');
{
    my ($code, $err, $companies) = imported("$folder/linked.tar");
    is("$code $companies", '1 2', '... of which the files are stored');
    like($err, qr{linked\.tar:\./$name: failed, nothing of it is stored: a link or folder of an archive, no file}, '... and the link is named');
}

# Nor does it say of two members of one name which counts: the second is refused, also where it comes from standard input.
mkdir "$folder/twice" or die "twice: $!";
open my $twin, '>', "$folder/twice/$facts[0][0]" or die "twice: $!";
print $twin $facts[0][1] =~ s/Numbers/Others/r;
close $twin;
is(system('tar', '-cf', "$folder/twice.tar", '-C', "$folder/tar", $facts[0][0], $facts[2][0]) | system('tar', '-rf', "$folder/twice.tar", '-C', "$folder/twice", $facts[0][0]), 0, 'a tar with two of one name');
for my $case (["$folder/twice.tar", ''], ['-', " < $folder/twice.tar"]) {
    my ($path, $input) = @$case;
    $site->execute('DELETE FROM disclosed.import_run; DELETE FROM disclosed.xbrl_report');
    my ($code, undef, $err) = run({}, 'sh', '-c', "exec \"\$0\" --database \"\$1\" import sec-companyfacts --jobs 1 $path$input", build('CTL'), $site->conninfo);
    is($code, 1, "... $path: it is refused");
    like($err, qr{:\Q$facts[0][0]\E: failed, nothing of it is stored: the archive has a member of that name before it: nobody knows which counts}, '... by its name');
    is($site->value("SELECT string_agg(DISTINCT file || ' ' || status, ',') FROM disclosed.import_run WHERE file ~ '$facts[0][0]'") =~ s{^[^,]*:}{}r, "$facts[0][0] done", '... and the first is stored');
}

# Many members: memory grows by what libarchive knows of each, and no more.
{
    my $most = 100_000;
    my $path = write_zip("$folder/many.zip", $most, sub { return (sprintf('%08d.txt', $_[0]), '') });
    my $bound = build('SANITIZERS') ? '' : 'ulimit -v 400000; '; # a sanitizer has terabytes of addresses for itself
    my ($code, $out, $err) = run('/usr/bin/env', 'sh', '-c', $bound . 'exec "$@"', 'sh', build('CTL'), '--database', cluster()->conninfo($site->{database}), 'import', 'sec-companyfacts', '--jobs', 1, $path);
    is($code, 1, 'an archive of a hundred thousand members, none of ours, in 400 MB');
    like($err, qr/no member of this archive is a sec-companyfacts file/, '... is told as such');
}

# ---- bootstrap

my $good = write_zip("$folder/good.zip", 3, sub { $facts[ $_[0] ]->@* });
my @good = (['sec-companyfacts', 'companyfacts.zip', $good]);
my $path = set_path('sec-companyfacts', 'companyfacts.zip');
my @sources = ('--source', 'sec-companyfacts');

# The same archive with a byte that a line, or a disk, has changed.
sub spoilt
{
    my ($member) = @_;
    my $copy = "$folder/spoilt-" . ++$number . '.zip';
    my $whole = slurp($good);
    $whole =~ s/Numbers $member/Numbexs $member/ or die "no member $member";
    open my $file, '>:raw', $copy or die "$copy: $!";
    print $file $whole;
    close $file;
    return $copy;
}

sub asked { my ($proof) = @_; return scalar $proof->requests($path) }

# Spoilt on its way: length and ETag say nothing of it.
my $proof = Disclosed::BootstrapProof->new(files => [['sec-companyfacts', 'companyfacts.zip', spoilt(7002)]], later => { $path => [2, $good] });
my ($code, $out, $err) = $proof->run(@sources);
is($code, 0, 'an archive with a damaged member, which is whole when it comes again') or diag $out, $err;
like($err, qr/^sec-companyfacts: companyfacts\.zip: damaged: it is fetched once more: $name: ZIP bad CRC: /m, '... which is told');
is(asked($proof), 2, '... is fetched twice');
same_json([$proof->plain_faults(@good)], [], '... and all is as after a plain import');
same_json([$proof->downloads], [], '... with nothing left on the disk');

# As the publisher has it.
$proof = Disclosed::BootstrapProof->new(files => [['sec-companyfacts', 'companyfacts.zip', spoilt(7002)]]);
($code, $out, $err) = $proof->run(@sources);
is($code, 1, 'one that comes again as it was');
is(asked($proof), 2, '... is fetched twice, and no more often');
is($proof->value("SELECT concat_ws(' ', state, files_done, files_failed) FROM followed_document"), 'stored 3 1', '... and stored but for the file');
is($proof->value('SELECT count(DISTINCT cik) FROM xbrl_report JOIN issuer USING (issuer_id)'), 2, '... which is not');
like($out, qr/^3 requests|^2 requests, \d+ bytes; archives: 1 stored, 1 failures, 0 not there yet, 1 missing;/m, '... and the sum says so') or diag $out;
($code, $out, $err) = $proof->run(@sources);
is(($proof->requests($path))[-1]{status}, 304, 'the next run asks if it has changed');
is(asked($proof), 3, '... once');

# Another damage each time.
$proof = Disclosed::BootstrapProof->new(files => [['sec-companyfacts', 'companyfacts.zip', spoilt(7002)]], later => { $path => [2, spoilt(7001)] });
($code, $out, $err) = $proof->run(@sources);
is($code, 1, 'one that is damaged in another place when it comes again');
is(asked($proof), 2, '... is not fetched a third time');
is($proof->value("SELECT concat_ws(' ', state, files_done, files_failed) FROM followed_document"), 'stored 3 1', '... and stored but for the file');
is($proof->value('SELECT count(DISTINCT cik) FROM xbrl_report JOIN issuer USING (issuer_id)'), 3, '... while what was whole the first time is stored');

# Killed when it has been found damaged: the next run fetches it.
$proof = Disclosed::BootstrapProof->new(files => [['sec-companyfacts', 'companyfacts.zip', spoilt(7002)]], later => { $path => [2, $good] }, plan => { $path => [{}, { cut => 300, pause => 20 }] });
my $running = $proof->begin(@sources);
ok(wait_until(60 * patience(), sub { asked($proof) == 2 }), 'one that is to come again');
is($proof->end($running, 'KILL'), 137, '... is killed');
($code, $out, $err) = $proof->run(@sources);
is($code, 0, '... and the next run fetches it') or diag $out, $err;
same_json([$proof->plain_faults(@good)], [], '... as after a plain import');

# ... and when it was killed with all of it read.
$proof = Disclosed::BootstrapProof->new(files => [['sec-companyfacts', 'companyfacts.zip', spoilt(7001)]], later => { $path => [2, $good] });
my $held = cluster()->hold($proof->{database}, "SELECT pg_advisory_xact_lock(hashtextextended('disclosed load company 7003', 0))");
$running = $proof->begin(@sources);
ok(wait_until(60 * patience(), sub { $proof->value("SELECT count(*) FROM followed_document WHERE failure_kind = 'damaged'") }), 'one of which a file is found damaged');
is($proof->end($running, 'KILL'), 137, '... is killed');
cluster()->release($held);
ok(wait_until(60 * patience(), sub { !$proof->value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'") }),
    '... and so are the processes that it had begun');
$proof->execute('UPDATE followed_document SET files_done = 3, files_failed = 1');
($code, $out, $err) = $proof->run(@sources);
is("$code " . asked($proof), '0 2', '... and the next run fetches it once more') or diag $out, $err;
same_json([$proof->plain_faults(@good)], [], '... as after a plain import');

# One that lies is no archive: it is asked for again, and given up when the same comes.
for my $case (['a link in it', [members(bytes => '/etc/passwd', deflate => 0, central => { made => $unix, attributes => 0120777 << 16 })], 'damaged: its member \S+: it is a link'],
    ['a directory that is cut', [members(), cut => 100], q{damaged: the archive's directory should have}], ['a hidden member', [members(), count => 2], q{damaged: the archive's directory has 2 members by its end, and more follow}]) {
    my ($what, $zip, $rule) = @$case;
    $proof = Disclosed::BootstrapProof->new(files => [['sec-companyfacts', 'companyfacts.zip', zip(@$zip)]]);
    ($code, $out, $err) = $proof->run(@sources);
    is($code, 1, "an archive with $what");
    like($err, qr/^sec-companyfacts: companyfacts\.zip: $rule/m, '... is told as damaged, with the rule');
    is(asked($proof), 2, '... and asked for twice');
    is($proof->value('SELECT count(*) FROM import_run'), 0, '... nothing of it was given to an importer');
    same_json([$proof->downloads], [], '... and nothing is left on the disk');
    $proof->serve(files => \@good, at => 1_700_100_000);
    ($code, $out, $err) = $proof->run(@sources);
    is($code, 0, '... until it is mended') or diag $out, $err;
}

finish();

package Disclosed::Key;

# API keys, made at run time: the form that is documented for clients, written here a second time so
# that the program's own is checked against it.

use v5.24;
use warnings;
use Compress::Zlib qw(crc32);
use Digest::SHA qw(sha256_hex);
use Exporter qw(import);

our @EXPORT_OK = qw(make_key checksum insert_key_sql);

my @alphabet = ('0' .. '9', 'A' .. 'Z', 'a' .. 'z');

# Six base62 characters: CRC-32 of the 30 random characters.
sub checksum
{
    my ($random) = @_;
    my $crc = crc32($random);
    my $text = '';
    for (1 .. 6) {
        $text = $alphabet[$crc % 62] . $text;
        $crc = int($crc / 62);
    }
    return $text;
}

# A new key of a kind: live or test; with that id, or one of its own.
sub make_key
{
    my ($kind, $id) = @_;
    my $random = substr +($id // '') . join('', map { $alphabet[rand 62] } 1 .. 30), 0, 30;
    return "sk_${kind}_" . $random . checksum($random);
}

# SQL that makes the key known under a plan. `more` sets further columns, as SQL text.
sub insert_key_sql
{
    my ($key, $plan, %more) = @_;
    my ($kind, $id) = $key =~ /^sk_(live|test)_(.{8})/;
    my $salt = join '', map { sprintf '%02x', rand 256 } 1 .. 16;
    my $digest = sha256_hex(pack('H*', $salt) . $key);
    my $columns = join '', map { ", $_" } sort keys %more;
    my $values  = join '', map { ", $more{$_}" } sort keys %more;
    return <<"END";
INSERT INTO disclosed.account (owner) VALUES ('tests') ON CONFLICT DO NOTHING;
INSERT INTO disclosed.api_key (key_id, account_id, kind, plan, salt, digest$columns)
SELECT '$id', account_id, '$kind', '$plan', '\\x$salt', '\\x$digest'$values
FROM disclosed.account WHERE owner = 'tests';
END
}

1;

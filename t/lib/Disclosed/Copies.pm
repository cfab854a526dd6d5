package Disclosed::Copies;

# Copies of files, and what is stored when one of them has been loaded.

use v5.24;
use warnings;
use Disclosed::References qw(issuer_columns);
use Exporter qw(import);
use File::Temp qw(tempdir);

our @EXPORT_OK = qw(content path_of with_names);

my $folder = tempdir(CLEANUP => 1);

# The path of a copy of a file of that name; each copy has a folder of its own.
sub path_of
{
    my ($source, $which, $name, $text) = @_;
    mkdir "$folder/$source"; mkdir "$folder/$source/$which";
    open my $file, '>:raw', "$folder/$source/$which/$name" or die $!;
    print $file $text; close $file;
    return "$folder/$source/$which/$name";
}

# What all datasets say now, or of what was in force at any time, without numbers of their own. The size of a filing is the largest that any of its
# files had.
sub content
{
    my ($site, $which) = @_;
    $which //= 'superseded_at IS NULL';
    state @tables = map { $_->{table_name} } $site->rows("SELECT DISTINCT table_name FROM information_schema.columns c JOIN pg_tables p ON p.tablename = c.table_name AND p.schemaname = c.table_schema
        WHERE table_schema = 'disclosed' AND column_name = 'superseded_at' ORDER BY 1");
    my $own = "ARRAY['row_id', 'id', 'record_id', 'event_id', 'source_id', 'recorded_at', 'created_at', 'quote', 'src_digest', 'size_bytes']";
    return $site->value(join ';', map { "SELECT '$_ ' || (to_jsonb(t) - $own)::text FROM disclosed.$_ t WHERE $which ORDER BY 1" } @tables) =~ s/^(.*?)"earnings\/\d+"/$1"earnings"/gmr;
}

# The same with issuers' CIKs or names in place of their numbers.
sub with_names
{
    my ($site, $text) = @_;
    my $columns = join '|', 'issuer', issuer_columns();
    my %name = map { ($_->{issuer_id} => $_->{name}) } $site->rows('SELECT issuer_id, coalesce(cik::text, party_key) AS name FROM issuer');
    return $text =~ s{"($columns)": (\d+)\b}{qq("$1": ") . ($name{$2} // die "issuer $2 is not there\n") . '"'}ger;
}

1;

# A data set with two files that are one table: nobody knows which of them counts, so that it is refused with both names, whichever table it is.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Copies qw(path_of);
use Disclosed::Process qw(slurp);
use Disclosed::Test 'without_cache';
use Disclosed::ZipFile qw(write_zip);
use File::Temp qw(tempdir);

my $json   = Disclosed::JSON->new->utf8->canonical;
my $corpus = build('SRCDIR') . '/t/fuzz/corpus';
my $folder = tempdir(CLEANUP => 1);
my $zips   = 0;

sub zip_of
{
    my (@members) = @_;
    my $path = "$folder/" . ++$zips . '.zip';
    write_zip($path, scalar @members, sub { my ($i) = @_; return $members[$i]->@* });
    return $path;
}

sub imported
{
    my ($site, $source, $path) = @_;
    my ($code, $out, $err) = $site->control('import', $source, '--json', $path);
    return ($code, $err, eval { $json->decode($out) } // {});
}

my %set = (
    'sec-financial-statements' => ['statements-folder/two-filings', 'xbrl_report'],
    'sec-13f'       => ['13f-folder/data-set', 'institution_report'],
    'sec-ownership' => ['ownership-folder/forms', 'insider_transaction'],
    'sec-nport'     => ['nport-folder/reports', 'fund'],
);
for my $source (sort keys %set) {
    my ($seed, $table) = $set{$source}->@*;
    my %part = slurp("$corpus/$seed") =~ /^=== (\S+)\n(.*?)(?=^=== |\z)/gms;
    my @names = sort keys %part;
    my @plain = map { [$_, $part{$_}] } @names;
    my $site = site(template => 'empty', start => 0);
    for my $name (@names) {
        my $other = $name =~ /^[a-z]/ ? uc($name =~ s/\..*//r) . $name =~ s/^[^.]*//r : lc $name;
        my ($code, $told, $counts) = imported($site, $source, zip_of(@plain, [$other, $part{$name}]));
        is($code, 1, "$source: $name and $other are refused");
        like($told, qr/failed, nothing of it is stored: .*two files are one table of the data set: (?:\Q$name and $other\E|\Q$other and $name\E)/, '... with both names');
        is($site->value("SELECT count(*) FROM $table"), 0, '... and nothing is stored');
    }
    my ($code, $told) = imported($site, $source, zip_of(@plain, [$names[0], $part{ $names[0] }]));
    is($code, 1, "$source: a member that is there twice, by the same name, is refused");
    is($site->value("SELECT count(*) FROM $table"), 0, '... and nothing is stored');
    ($code, $told) = imported($site, $source, zip_of((map { ["one/$_->[0]", $_->[1]] } @plain), map { ["two/$_->[0]", $_->[1]] } @plain));
    is($code, 0, "$source: two folders are two data sets") or diag $told;
    cmp_ok($site->value("SELECT count(*) FROM $table"), '>', 0, '... which are read');
}

finish();

# What libxml2 finds wrong with the bytes of a document is told by disclosedctl alone, whatever encoding it says;
# and the symbols of a calendar are looked up for many rows at once.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Process qw(slurp);

my $site = site(template => 'empty');

# --- bytes that are not of the encoding ----------------------------------------------------------

my %root = ('sec-13f' => 'edgarSubmission', 'sec-beneficial-ownership' => 'edgarSubmission', 'sec-nport' => 'edgarSubmission', 'sec-ownership' => 'ownershipDocument');
for my $encoding ('UTF-8', 'UTF-16', 'ISO-2022-JP', 'EUC-JP') {
    for my $source (sort keys %root) {
        my $text = qq{<?xml version="1.0" encoding="$encoding"?>\n<$root{$source}><headerData>} . "<a>caf\xe9\x1b\$B\xff\xff</a>\n" x 2000 . "</headerData></$root{$source}>\n";
        my $path = $site->write('document.xml', $text);
        my ($code, $out, $err) = $site->control('import', $source, $path);
        is($code, 1, "$source of bytes that are not $encoding fails");
        my @lines = split /\n/, $err;
        is(join("\n", grep { !/^disclosedctl: / } @lines), '', '... and no line is another\'s than disclosedctl\'s');
        like($err, qr/\Q$path\E: failed, nothing of it is stored: \S/, '... with the reason');
    }
}

# --- many symbols --------------------------------------------------------------------------------

my $rows = join '', map { sprintf "Q%s%s%s,Kettle %d Inc,10/%02d/2023,9/30/2023\n", (map { chr 65 + $_ } $_ % 26, $_ / 26 % 26, $_ / 676 % 26), $_, 1 + $_ % 28 } 0 .. 1999;
$site->execute("ALTER DATABASE \"$site->{database}\" SET log_statement = 'all'");
my ($code, $out, $err) = $site->control('import', 'earnings-calendar', $site->write('earnings-calendar.2023-10-01.csv', "symbol,name,reportDate,fiscalDateEnding\n$rows"));
$site->execute("ALTER DATABASE \"$site->{database}\" RESET log_statement");
is($code, 0, 'a calendar of 2,000 symbols') or diag "$out$err";
my @asked = slurp("$site->{cluster}{directory}/log") =~ /LOG:  execute [^\n]*SELECT s\.place - 1/g;
is(scalar @asked, 4, '... asks four times what they mean');
is($site->value("SELECT count(*) FROM issuer WHERE party_key LIKE 'symbol/Q%'"), 2000, '... which is nobody listed');

finish();

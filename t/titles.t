# What a CUSIP is follows from how the rows in force title it. A row that another copy of its report has put right has no say, in whatever
# order the copies come and however often: neither in information tables nor in funds' holdings.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::MadeFiles;
use Disclosed::Process qw(slurp);
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test 'without_cache';

my $folder = workspace() . '/' . fresh('titles');
mkdir $folder or die "$folder: $!";
mkdir "$folder/$_" or die "$folder/$_: $!" for qw(made good bad);

sub write_file
{
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
    return $path;
}

# Two reports each: the first holds the company's shares; the second does not, but for its bad copy, which has the CUSIP in another company's row.
sub copies
{
    my ($source, $name, $cusip, @reports) = @_;
    my ($with, $without) = map { slurp($_) } @reports;
    $with =~ s{<(nameOfIssuer|name)>SECURITY \d+ INC</\1>}{<$1>$name</$1>} or die "$source: no issuer";
    $with =~ s{<title>SECURITY \d+ INC</title>}{<title>$name COMMON STOCK</title>};
    $with =~ s{<cusip>[^<]*</cusip>}{<cusip>$cusip</cusip>} or die "$source: no CUSIP";
    (my $bad = $without) =~ s{<cusip>[^<]*</cusip>}{<cusip>$cusip</cusip>} or die "$source: no CUSIP";
    $_ =~ s{SECURITY \d+ INC}{Other Works Inc}g for $without, $bad;
    my ($first, $second) = map { s{.*/}{}r } @reports;
    return { source => $source, A => write_file("$folder/good/$first", $with), B => write_file("$folder/good/$second", $without), bad => write_file("$folder/bad/$second", $bad) };
}

my $tickers = write_file("$folder/company_tickers_exchange.json",
    '{"fields":["cik","name","ticker","exchange"],"data":[[9990001,"Held Works Inc.","HELD","Nasdaq"],[9990002,"Other Works Inc.","OTHR","Nasdaq"]]}');
my @sources = (
    copies('sec-13f', 'Held Works Inc', '99900HE19', Disclosed::MadeFiles::made_13f_reports("$folder/made", 2, 1)),
    copies('sec-nport', 'Held Works Inc', '99900HE19', Disclosed::MadeFiles::made_funds("$folder/made", 2, 1)));

# The links, and what follows from them for the first report.
sub state_of
{
    my ($site) = @_;
    return join "\n", map { $site->value($_) } q{SELECT string_agg(format('%s %s %s', cusip, basis, symbol), ', ' ORDER BY cusip) FROM security_link},
        q{SELECT string_agg(format('%s %s', symbol, holders), ', ' ORDER BY symbol) FROM (SELECT symbol, count(*) AS holders FROM institution_holder WHERE superseded_at IS NULL GROUP BY 1) h},
        q{SELECT string_agg(format('%s %s', x.name, x.symbol), ', ' ORDER BY x.name, x.symbol) FROM fund_holding x WHERE x.superseded_at IS NULL},
        q{SELECT string_agg(format('%s %s %s', cusip, issuer_title, rows_seen), ', ' ORDER BY cusip, issuer_title) FROM security_title WHERE rows_seen > 0};
}

sub loaded
{
    my ($of, $name, @turns) = @_;
    my $site = site(template => 'empty', start => 0);
    my ($code, $out, $err) = $site->control('import', 'sec-company-tickers', '--known-at', '2024-01-01', $tickers);
    is($code, 0, "$name: tickers") or diag $out, $err;
    for my $turn (@turns) {
        ($code, $out, $err) = $site->control('import', $of->{source}, $of->{$turn});
        is($code, 0, "$name: $turn") or diag $out, $err;
    }
    return $site;
}

for my $of (@sources) {
    my $good = state_of(loaded($of, $of->{source}, qw(A B)));
    like($good, qr/99900HE19 name HELD:US/, "$of->{source}: the CUSIP is the company's");
    unlike(state_of(loaded($of, "$of->{source}, bad", qw(A bad))), qr/99900HE19 name/, '... not while as many rows title it otherwise');
    for my $turns ([qw(A bad B)], [qw(bad B A)], [qw(A B bad B)], [qw(bad A B B)], [qw(B A bad bad B A)]) {
        is(state_of(loaded($of, "$of->{source}, @$turns", @$turns)), $good, "$of->{source}: @$turns ends as without the bad copy");
    }
}

finish();

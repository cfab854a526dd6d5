# Where the system lacks New York's time zone nothing is loaded: its times would pass for UTC.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';

my $site = site(template => 'empty');
my $file = $site->write('earnings-calendar.2023-10-01.csv', "symbol,name,reportDate,fiscalDateEnding\nQA,Kettle Inc,2023-10-05,2023-09-30\n");

for my $command (['import', 'earnings-calendar', $file], ['demo', '--companies', 1]) {
    local $ENV{TZDIR} = '/nonexistent';
    my ($code, $out, $err) = $site->control(@$command);
    is($code, 1, "$command->[0] refuses");
    like($err, qr{^disclosedctl: the time zone America/New_York is not among the system's time zone files.*tzdata}, '... and says what is missing');
}
is($site->value('SELECT count(*) FROM import_run'), 0, 'nothing is loaded');

{
    local $ENV{TZDIR} = '/nonexistent';
    is(($site->control('--version'))[0], 0, 'what converts nothing works');
}
{
    local $ENV{TZ} = 'Asia/Tokyo';
    my ($code, $out, $err) = $site->control('import', 'earnings-calendar', $file);
    is($code, 0, 'TZ does not matter') or diag($err);
}
done_testing;

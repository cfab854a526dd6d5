# The SQL of the servers that the benchmarks compare with meets the schema. They are run by hand, so nothing else would tell.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Disclosed::Shared qw(cluster database);
use Disclosed::Test;

my $database = database('empty');

# PostgreSQL's complaint about a query; '' where it prepares.
sub complaint
{
    my ($sql) = @_;
    my $good = eval { cluster()->execute_apart($database, "SET search_path = disclosed, public; PREPARE query AS $sql"); 1 };
    return $good ? '' : $@;
}

my %quotes = ('t/bench/fastify/queries.js' => '`', 't/bench/fastapi/queries.py' => '"""');
for my $file (sort keys %quotes) {
    my $text    = slurp(build('SRCDIR') . "/$file");
    my %queries = $text =~ /^(?:const )?([A-Z]+) = \Q$quotes{$file}\E\s*(SELECT.*?)\Q$quotes{$file}\E/msg;
    is(join(' ', sort keys %queries), 'COMPANY INSIDER', "$file: its queries");
    is(complaint($queries{$_}), '', "$file: $_") for sort keys %queries;
    isnt(complaint($queries{INSIDER} =~ s/t\.src_digest/t.source_url/r), '', "$file: a column that is gone is seen");
}
done_testing;

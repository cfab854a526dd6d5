# Hosts that take connections and say nothing keep attempts to connect busy for as long as libpq waits. Those of one database leave those of
# another virtual host's alone.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test 'without_cache';
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(cluster);
use IO::Socket::IP;
use Time::HiRes qw(sleep time);

my $silent = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 1000) or die "listen: $@";
my $port = $silent->sockport;
my $site = site(start => 0, threads => 30, processes => 1);
$site->{log}->permit("DSC0061"); # its virtual hosts are meant to be taken
$site->{config} = <<"END";
<VirtualHost *>
ServerName healthy.example
</VirtualHost>
<VirtualHost *>
ServerName silent.example
DisclosedDatabase "host=127.0.0.1,127.0.0.1,127.0.0.1 port=$port dbname=none user=nobody connect_timeout=60"
DisclosedStatementTimeout 1
DisclosedDatabaseTimeout 1
</VirtualHost>
END
$site->start;
expect_log($site, 'DSC0002');
$site->{log}->permit('DSC0020');

sub status { my ($host, $path) = @_; return $site->get($path // '/v1/companies?limit=1', headers => { Host => $host })->status }
is(status('healthy.example'), 200, 'a host whose database responds');

# Attempts to connect that nobody waits for any more, until there may be no further one.
my $used_up = wait_until(60 * patience(), sub {
    status('silent.example');
    my $text = do { open my $file, '<', "$site->{root}/logs/error_log" or die $!; local $/; <$file> };
    $text =~ /earlier attempts to connect have not ended yet/;
});
ok($used_up, 'one whose database is silent uses up its attempts');

# Connections that are made anew.
my %statuses;
for my $number (1 .. 10) {
    cluster()->execute('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$site->{database}' AND application_name = 'mod_disclosed'");
    $statuses{ status('healthy.example', "/v1/companies?limit=1&q=$number") }++;
    sleep 0.1;
}
is_deeply(\%statuses, { 200 => 10 }, '... and leaves those of the other alone');
finish();

#!/usr/bin/env perl
# A server that nobody asks leaves its database alone, and is there at once when somebody does: changes are seen, ETags are sent.
use v5.24;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Test;
use Time::HiRes qw(sleep time);

my $site = site();
my ($cluster, $database) = $site->@{qw(cluster database)};
my $target = '/v1/companies?limit=3';
my $etag = $site->get($target)->header('etag');
ok(defined $etag, 'a page has a tag');

# A start that nobody has asked yet: what an account has asked for is kept in step with other hosts for a minute more.
$site->stop;
$site->execute("ALTER DATABASE $database SET log_statement = 'all'");
$site->start(watched => 0);
my $connected = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'mod_disclosed%' AND datname = '$database'";
ok(wait_until(20, sub { $cluster->value('postgres', $connected) >= 2 }), 'the background process is connected');
sleep 2;

sub statements { return scalar(() = slurp("$cluster->{directory}/log") =~ /database=\Q$database\E LOG:  (?:statement|execute)/g) }

my ($before, $began) = (statements(), time);
sleep 10;
my ($asked, $took) = (statements() - $before, time - $began);
cmp_ok($asked, '>', 0, 'an idle server looks at its database now and then');
cmp_ok($asked, '<=', 2 * ($took / 4 + 1), sprintf '... but hardly: %d statements in %.0f seconds', $asked, $took);

# After pauses: what was seen last is more than two seconds old before some of these, and a request has it looked at again.
for my $pause (1 .. 6) {
    sleep 1.7;
    is($site->get($target, headers => {'If-None-Match' => $etag})->status, 304, "the first request after pause $pause gets its 304");
}
sleep 3;
$site->execute("UPDATE disclosed.dataset_stat SET version = version + 1 WHERE dataset = 'listing'");
my $other = $site->get($target)->header('etag');
ok(defined $other && $other ne $etag, 'and when something has changed, another tag');
finish();

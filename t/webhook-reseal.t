# Signing secrets that a host seals under the old server secret, when another has sealed all anew already: they are sealed anew within the hour. So an
# hour after the last host uses the new secret, the old one can be taken out of the file.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::FakeClock qw(why_no_clock clock_environment step_clock);
use Disclosed::Hosts;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use Time::HiRes qw(sleep);

my $missing = why_no_clock() // Disclosed::Hosts::why_none();
plan skip_all => "SEALING EACH HOUR IS NOT TESTED: $missing" if $missing;
my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory or die "$directory: $!";
my $receiver = Disclosed::Receiver->start($directory);
my $together = Disclosed::Hosts->new(count => 2, described => 0, front => $receiver->config =~ s/^Disclosed(?!Engine).*\n//gmr, config => $receiver->directives);
my ($ahead, $behind) = $together->hosts;
my ($old, $new) = ($ahead->{secret}, join '', map { sprintf '%02x', rand 256 } 1 .. 32);
Disclosed::Hosts::set_secrets($ahead, $new, $old);
Disclosed::Hosts::set_secrets($behind, $old, $new);
# Its monotonic clock steps as well: hours are told by it.
my $environment = clock_environment($ahead);
delete @$environment{qw(FAKETIME_DONT_FAKE_MONOTONIC DONT_FAKE_MONOTONIC)};
$ahead->{environment} = $environment;
$together->start;
# Both look for what is to be sealed anew when they begin, and then once an hour: what is made meanwhile would be sealed anew by each in turn.
my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mod_disclosed delivery worker' AND query <> ''};
ok(wait_until(20 * patience(), sub { $ahead->value($workers) == 2 }), 'both hosts have looked at the webhooks that there are');
sleep 1;
$ahead->{log}->permit(qw(DSC0002 DSC0020 DSC0022));

my $made = json_of($behind->post('/v1/webhook-endpoints', { url => $receiver->url('/ok'), topics => ['filing.created'] }, key => 'builder'), 'an endpoint, made where the old secret is still used');
sub sealed { return $ahead->value("SELECT sealed_secret FROM webhook_endpoint WHERE endpoint_id = (SELECT max(endpoint_id) FROM webhook_endpoint)") }
my $first = sealed();
sleep 4;
is(sealed(), $first, 'the host that uses the new one has sealed all anew already: it stays');
step_clock($ahead, '+3000');
sleep 4;
is(sealed(), $first, '... for the better part of an hour');
step_clock($ahead, '+3700');
ok(wait_until(30 * patience(), sub { sealed() ne $first }), '... and is sealed anew when the hour is over');
$_->stop for $ahead, $behind;
Disclosed::Hosts::set_secrets($behind, $new);
$behind->start;
my $tested = json_of($behind->request('POST', "/v1/webhook-endpoints/$made->{id}/test", key => 'builder'), 'a test by a host that has the new secret alone');
ok($tested->{result}{delivered}, '... is delivered');
my ($delivery) = $receiver->received('/ok');
ok($delivery && Disclosed::Receiver::is_signed($delivery, $made->{signing_secret}), '... signed with the secret that the endpoint has had all along');
finish();

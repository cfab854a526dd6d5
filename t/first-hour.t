# The first hour of a developer: t/first-hour/client, made from openapi.json alone, against a server.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Receiver;
use Disclosed::Shared qw(workspace fresh);
use Disclosed::Test;

my $modules = build('MODULES_DIR');
plan skip_all => 'this httpd has no mod_ssl or mod_proxy_http' if grep { !-e "$modules/mod_$_.so" } qw(ssl proxy_http);

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory or die "$directory: $!";
my $receiver = Disclosed::Receiver->start($directory);
my $site = site(config => $receiver->config . "DisclosedPlan poor rank=30 rate=1000000/s burst=100000 day=unlimited credits=0\n"
        . "DisclosedPlan slow rank=30 rate=1/s burst=5 day=unlimited\n");
my ($code, $out, $err) = run(build('SRCDIR') . '/t/first-hour/client', $site->{base_url}, $site->{keys}{enterprise}, $site->own_key('poor'), $site->own_key('slow'),
    $receiver->url('/ok'), $receiver->{file});
is($code, 0, 'a client that was made from openapi.json alone does its work') or diag $out, $err;
my ($planned) = $out =~ /^1\.\.(\d+)$/m;
cmp_ok($planned // 0, '>=', 24, "... and finds $planned things as they are described");
$receiver->stop;

finish();

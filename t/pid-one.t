# httpd as process 1, as in a container: the parent of its background process has that number all its life, and is not gone.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run slurp_if_there wait_until);
use Disclosed::Shared qw(register_process);
use Time::HiRes qw(sleep);

my $site = site();
$site->stop;
my @namespace = qw(unshare --pid --fork --kill-child --mount-proc);

# The background processes of this site, by their names and command lines.
sub background
{
    return grep { slurp_if_there("/proc/$_/comm") eq "disclosed-watch\n" && index(slurp_if_there("/proc/$_/cmdline"), $site->{root}) >= 0 }
        map { m{/proc/(\d+)} } glob '/proc/[0-9]*';
}

SKIP: {
    my ($denied) = run(@namespace, 'true');
    diag 'NOT TESTED: process numbers of its own (unshare is not permitted)' if $denied;
    skip 'no namespace of processes', 4 if $denied;
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        { no warnings; exec @namespace, build('HTTPD'), '-d', $site->{root}, '-f', "$site->{root}/conf/httpd.conf", '-DFOREGROUND'; }
        POSIX::_exit(127);
    }
    register_process($pid);
    ok(wait_until(20 * patience(), sub { eval { $site->get('/v1/companies?limit=1')->status == 200 } }), 'httpd as process 1 serves');
    ok(wait_until(5 * patience(), sub { background() == 1 }), '... and has its background process');
    my ($before) = background();
    sleep 3;
    is(join(' ', background()), $before, '... which stays');
    my ($httpd) = slurp_if_there("/proc/$before/status") =~ /^PPid:\s+(\d+)/m;
    kill 'TERM', $httpd;
    waitpid $pid, 0;
    ok(wait_until(10 * patience(), sub { !background() }), '... and ends with it');
}
finish();

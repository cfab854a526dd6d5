# The examples of docs/numbers.md: each curl line is asked of a server with the demo data, and what stands below it is in the answer.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Disclosed::Test;

my $site = site();
my ($body, $target, $shown) = ('', undef, 0);
for my $line (map { /^    (\S.*)/ ? $1 : () } split /\n/, slurp(build('SRCDIR') . '/docs/numbers.md')) {
    if ($line =~ /^\$ curl .*"\$BASE(\S+)"$/) {
        $target = $1;
        my $response = $site->get($target);
        is($response->status, 200, $target);
        $body = $response->body;
        next;
    }
    $shown++;
    ok(index($body, $line) >= 0, '... ' . substr $line, 0, 60) or diag "$target has not\n$line\nbut\n$body";
}
cmp_ok($shown, '>', 10, "$shown lines are shown");
finish();

# The examples of docs/numbers.md: each curl line is asked of a server with the demo data, and what stands below it is in the answer.
#
# runs docs/numbers.md: ^\$ curl\b

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Guides;
use Disclosed::Test;

my $site = site();
my $guides = Disclosed::Guides->new;
my $shown = 0;
for my $command ($guides->mine) {
    my ($target) = $command->{text} =~ /^\$ curl -H "Authorization: Bearer \$KEY" "\$URL(\S+)"\z/ or next;
    my $response = $site->get($target);
    is($response->status, 200, $target);
    for my $line (split /\n/, $command->{output}) {
        $shown++;
        ok(index($response->body, $line) >= 0, '... ' . substr $line, 0, 60) or diag "$target has not\n$line\nbut\n" . $response->body;
    }
    $guides->compared($command);
}
$guides->all_ran;
cmp_ok($shown, '>', 10, "$shown lines are shown");
finish();

# Providers: who records may come from, declared by an administrator.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;

my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;

sub provider { my (@words) = @_; return $site->control('provider', @words) }
sub listed { return map { $_->{provider} } $json->decode((provider('list', '--json'))[1])->@* }
sub allowlist { return $site->get('/api/disclosed/v1/_meta/allowlist') }

my $line = { dataset => 'executive', symbol => 'OXOKIZ:US', name => 'Nobody Atall', role => 'Chief Executive Officer', category => 'executives',
    person_rank => 9, is_current => JSON::PP::true, reported_on => '2026-01-05', known_at => '2026-01-05T12:00:00Z', provenance => { source_provider => 'our_desk', source_url => 'https://desk.example/1' } };
open my $file, '>', "$site->{root}/one.ndjson" or die;
print $file $json->encode($line), "\n";
close $file;

my ($code, $out, $err) = $site->control('import', 'ndjson', "$site->{root}/one.ndjson");
is($code, 1, 'a provider that nobody has declared');
like($out . $err, qr/source_provider: not a known provider; disclosedctl provider add declares one/, '... is refused, with what to do');

my $before = allowlist();
is((provider('add', 'our_desk', 'our own analysts'))[0], 0, 'it is declared');
ok((grep { $_ eq 'our_desk' } listed()), '... and listed');
my $after = Disclosed::Process::wait_until(10, sub { my $now = allowlist(); $now->body =~ /our_desk/ ? $now : undef });
ok($after, '... and served in the allowlist');
isnt($after->header('etag'), $before->header('etag'), '... under another ETag');
is((provider('add', 'our_desk', 'our analysts'))[0], 0, 'described anew');
is($site->value("SELECT description FROM source_provider WHERE provider = 'our_desk'"), 'our analysts', '... it says so');

for my $bad (['Our Desk', 'x'], ['', 'x'], ['our_desk2', ' '], ['x' x 41, 'x'], ["a'b", 'x']) {
    is((provider('add', @$bad))[0], 1, "no provider: $bad->[0]");
}
is((provider(@$_))[0], 2, "usage: @$_") for [], ['add', 'x'], ['remove'], ['nothing'];
is((provider('remove', 'nobody'))[0], 1, 'what is not there is not removed');
is(($site->control('import', 'ndjson', "$site->{root}/one.ndjson"))[0], 0, 'records that name it are loaded');
is((provider('add', 'unused', 'nobody'))[0] + (provider('remove', 'unused'))[0], 0, 'one that no record names is');
isnt((provider('remove', 'fictional'))[0], 0, 'one that records name is not');
ok((grep { $_ eq 'fictional' } listed()), '... and stays');

finish();

# The commands of disclosedctl that the guides for administrators name are run, in their order, on a site of which their examples could be:
# each works, and what stands below it is what it prints. Those that would ask the SEC's servers say with --dry-run what they
# would ask; t/guards/guides.t has those that need Citus.
#
# runs docs/admin.md docs/follow.md docs/bootstrap.md docs/scale.md docs/directives.md: ^disclosedctl (?!distribute )
# runs conf/systemd/*: ^disclosedctl \w
# runs docs/import/README.md: ^disclosedctl import SOURCE
# runs docs/bootstrap.md docs/follow.md: ^export DISCLOSED_USER_AGENT=

use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::BootstrapFiles qw(zip_of);
use Disclosed::Build qw(build);
use Disclosed::Guides;
use Disclosed::Process qw(run wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use Disclosed::Test;
use Disclosed::JSON ();
use File::Path qw(make_path);

plan skip_all => 'THE GUIDES FOR ADMINISTRATORS ARE NOT TESTED: this httpd has no mod_ssl' if !-e build('MODULES_DIR') . '/mod_ssl.so';
my $json = Disclosed::JSON->new->utf8->canonical;
my $folder = workspace() . '/' . fresh('receiver');
mkdir $folder or die "$folder: $!";
my $receiver = Disclosed::Receiver->start($folder);
my $site = site(config => $receiver->config);
my $secret_file = $site->write('conf/admin-secret', "$site->{secret}\n", 0600);

# --- what the examples are about --------------------------------------------------------------------

my %is; # what stands in the place of a word of the guides

# A key of the account's, an endpoint that was made with it, and a delivery to that.
sub make_webhook
{
    my ($key) = @_;
    $is{vA1sThcY} = substr $key, 8, 8;
    my ($cik) = $site->value("SELECT cik FROM issuer WHERE symbol IS NOT NULL ORDER BY issuer_id LIMIT 1");
    is(($site->control('key', 'set', $is{vA1sThcY}, '--plan', 'builder'))[0], 0, 'the account may have webhooks');
    my $made;
    ok(wait_until(10, sub { $made = $site->post('/v1/webhook-endpoints', { url => $receiver->url('/ok'), topics => ['filing.created'] }, key => $key); $made->status == 200 }), 'an endpoint') or diag $made->describe;
    $is{3} = $made->json->{id};
    my $line = $json->encode({ dataset => 'filing', cik => $cik + 0, form => '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => '0009999999-26-000001' } });
    my ($code, undef, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', "$line\n"));
    is($code, 0, 'a filing') or diag $err;
    ok(wait_until(30, sub { ($is{1207}) = ended() }), 'it is delivered');
    return;
}

# Deliveries to the endpoint that have ended.
sub ended { return map { $_->{delivery_id} } $json->decode(($site->control('webhook', 'queue', '--endpoint', $is{3}, '--ended', '--json'))[1])->@* }

# Folders that the guides and services name; two of them have files.
sub folder_of { my ($path) = @_; return "$site->{root}/folders$path" }
make_path(map { folder_of($_) } qw(/srv/downloads /srv/vendor/dividends /srv/vendor/transcripts /var/lib/disclosed-follow /srv/disclosed/incoming/submissions /srv/disclosed/incoming/form345));
zip_of('sec-submissions', folder_of('/srv/disclosed/incoming/submissions/submissions.zip'), 3, 0);
zip_of('sec-ownership', folder_of('/srv/disclosed/incoming/form345/2024q3_form345.zip'), 3, 0);

# --- they are run ---------------------------------------------------------------------------------

my $guides = Disclosed::Guides->new;
my ($agent) = $guides->text(qr/^export DISCLOSED_USER_AGENT=/) =~ /='([^']+)'\z/;
my ($ran, $compared, %seen) = (0, 0);
# In the order of an administrator's reading.
for my $command (map { my $page = $_; $guides->mine(qr/^disclosedctl /, $page) } qr/admin\.md/, qr/follow\.md/, qr/bootstrap\.md/, qr/scale\.md/, qr/directives\.md/, qr/import\/README/, qr/^conf/) {
    my ($words) = $command->{text} =~ /^disclosedctl (.*?)(?: +#.*)?\z/;
    $guides->ran($command);
    $words =~ s/ (?:SOURCE )?\[OPTIONS\].*/ --help/;
    next if $seen{$words}++ && $words !~ /^migrate/ && $command->{output} eq '';
    $words =~ s{/etc/apache2/disclosed[.]secret}{$secret_file};
    $words =~ s{(/srv/|/var/lib/)}{folder_of($1)}ge;
    $words .= ' --dry-run' if $words =~ /^(?:follow --(?:once|watch|keep)|bootstrap --since)/;
    $words =~ s/(?<![\w-])(vA1sThcY|1207|3)(?![\w-])/$is{$1} \/\/ $1/ge;
    my @arguments = map { s/^'(.*)'$/$1/r } $words =~ /'[^']*'|\S+/g;
    local $ENV{DISCLOSED_USER_AGENT} = $agent;
    my ($code, $out, $err) = $site->control(@arguments);
    is($code, 0, "$command->{place}: disclosedctl $words") or diag $out, $err;
    $ran++;
    $guides->ran($command, $out, Disclosed::Guides::output_pattern($command->{output}) =~ s/vA1sThcY/\\w{8}/gr);
    $compared++ if $command->{output} ne '';
    is(($site->control('webhook', 'enable', $is{3}))[0], 0, '... and the other way round') if $words =~ /^webhook disable/;
    ok(wait_until(30, sub { ended() }), '... until it has ended again') if $words =~ /^webhook replay/;
    make_webhook($1) if $words =~ /^key create/ && $out =~ /^(sk_live_\w+)$/m;
}
cmp_ok($ran, '>=', 18, "$ran commands were run");
cmp_ok($compared, '>=', 1, "... and what $compared print was compared");
$guides->all_ran;
finish();

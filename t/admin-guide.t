# The commands of disclosedctl that the guides for administrators name are run, in their order, on a site of which their examples could be:
# each works, and what stands below it is what it prints. Those that ask servers elsewhere, or need Citus, are in suites that are named here.

use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::Receiver;
use Disclosed::Shared qw(fresh workspace);
use Disclosed::Test;
use Disclosed::JSON ();

plan skip_all => 'THE GUIDES FOR ADMINISTRATORS ARE NOT TESTED: this httpd has no mod_ssl' if !-e build('MODULES_DIR') . '/mod_ssl.so';
my $json = Disclosed::JSON->new->utf8->canonical;
my $folder = workspace() . '/' . fresh('receiver');
mkdir $folder or die "$folder: $!";
my $receiver = Disclosed::Receiver->start($folder);
my $site = site(config => $receiver->config);
my $secret_file = $site->write('conf/admin-secret', "$site->{secret}\n", 0600);

# Where another suite runs a command.
my %elsewhere = (
    qr/^follow --once/    => ['follow-options.t', qr/--once/],
    qr/^follow --watch/   => ['follow-watch.t', qr/--watch/],
    qr/^bootstrap --since/ => ['bootstrap.t', qr/--disk-budget/],
    qr/^reimport /        => ['follow-options.t', qr/reimport/],
    qr/^distribute /      => ['citus.t', qr/distribute/],
);

# --- the commands ---------------------------------------------------------------------------------

my $other_command = qr/(?:systemctl|apache2?ctl|cd|cp|apt|export|make|psql|pg_\w+) /;

# Of a page: words, the line where they stand, and what is printed below.
sub commands
{
    my ($page) = @_;
    my (@commands, $number, $goes_on);
    for my $line (split /\n/, slurp(build('SRCDIR') . "/docs/$page.md")) {
        $number++;
        if ($line =~ /^    (?:\$ )?disclosedctl (.*)/) {
            my $words = $1 =~ s/\s+#.*//r;
            push @commands, { words => $words, place => "docs/$page.md:$number", output => '' };
            $goes_on = 1;
        }
        elsif ($goes_on && $line =~ /^    (?!$other_command)(.*)/) { $commands[-1]{output} .= "$1\n" }
        else { $goes_on = 0 }
    }
    return @commands;
}

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

# --- they are run ---------------------------------------------------------------------------------

# "..." stands for anything, and white space for none.
sub pattern_of { my ($text) = @_; return join '.*?', map { quotemeta s/\s+//gr } split /\Q...\E/, $text, -1 }

my ($ran, $compared, %seen) = (0, 0);
for my $command (map { commands($_) } qw(admin follow bootstrap scale directives)) {
    my $words = $command->{words};
    my ($suite) = map { $elsewhere{$_} } grep { $words =~ /$_/ } keys %elsewhere;
    if ($suite) {
        ok(slurp("$FindBin::Bin/$suite->[0]") =~ $suite->[1], "$command->{place}: $words is run by t/$suite->[0]");
        next;
    }
    $words =~ s/ (?:SOURCE )?\[OPTIONS\].*/ --help/;
    next if $seen{$words}++ && $words !~ /^migrate/;
    $words =~ s{/etc/apache2/disclosed[.]secret}{$secret_file};
    $words =~ s/(?<![\w-])(vA1sThcY|1207|3)(?![\w-])/$is{$1} \/\/ $1/ge;
    my @arguments = map { s/^'(.*)'$/$1/r } $words =~ /'[^']*'|\S+/g;
    local $ENV{DISCLOSED_USER_AGENT} = 'Example Research ops@example.com';
    my ($code, $out, $err) = $site->control(@arguments);
    is($code, 0, "$command->{place}: disclosedctl $words") or diag $out, $err;
    $ran++;
    if ($command->{output} ne '') {
        my $pattern = pattern_of($command->{output});
        $pattern =~ s/vA1sThcY/\\w{8}/g;
        ok($out =~ s/\s+//gr =~ /\A$pattern\z/s, '... prints what it says') or diag $out;
        $compared++;
    }
    is(($site->control('webhook', 'enable', $is{3}))[0], 0, '... and the other way round') if $words =~ /^webhook disable/;
    ok(wait_until(30, sub { ended() }), '... until it has ended again') if $words =~ /^webhook replay/;
    make_webhook($1) if $words =~ /^key create/ && $out =~ /^(sk_live_\w+)$/m;
}
cmp_ok($ran, '>=', 18, "$ran commands were run");
cmp_ok($compared, '>=', 1, "... and what $compared print was compared");
finish();

# The documentation as HTML and the API in headless Chromium: axe's rules, the keyboard, a screen of 360 pixels, nothing from other
# hosts under a strict policy, a request of the reference, and a page of another origin.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Clients qw(clients_folder clients_lacking node_run spew);
use Disclosed::Process qw(run);
use Disclosed::Test;

my $docs = build('BUILDDIR') . '/docs/html';
my ($chromium) = grep { -x } map { "$_/chromium" } split /:/, $ENV{PATH};
my $modules = build('MODULES_DIR');
my $why = !-e "$docs/index.html" ? 'the documentation is not rendered: cmark-gfm is not installed' : !$chromium ? 'chromium is not installed'
    : (grep { !-e "$modules/mod_$_.so" } qw(alias dir mime headers)) ? 'modules of httpd are missing' : clients_lacking();
if ($why) {
    diag "NOT RUN: the documentation in a browser: $why";
    plan(skip_all => $why);
}

my $other = Disclosed::Site::free_port();
my $port  = Disclosed::Site::free_port();
my $lines = join '', map { "<IfModule !${_}_module>\nLoadModule ${_}_module $modules/mod_$_.so\n</IfModule>\n" } qw(alias dir mime headers);
my $site = site(port => $port, docs_url => "http://127.0.0.1:$port/docs", config => $lines . <<"END");
TypesConfig /etc/mime.types
Alias "/docs" "$docs"
<Directory "$docs">
    Require all granted
    Header set Content-Security-Policy "default-src 'self'"
</Directory>
Listen 127.0.0.1:$other
DisclosedCORS http://127.0.0.1:$other
<VirtualHost *:$other>
    DisclosedEngine Off
</VirtualHost>
END

# Every link leads somewhere, on a page and between pages.
my %text = map { my $path = $_; open my $file, '<', $path or die; local $/; ($path =~ s{^\Q$docs\E/}{}r => scalar <$file>) } split /\n/, (run('find', $docs, '-name', '*.html'))[1];
my @broken;
for my $page (sort keys %text) {
    my $folder = $page =~ s{[^/]*\z}{}r;
    for my $link ($text{$page} =~ /(?:href|src)="([^"]+)"/g) {
        next if $link =~ m{^(?:https?|mailto):};
        my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?\z/;
        my @parts;
        for my $part (split m{/}, $path eq '' ? $page : $folder . $path) { $part eq '..' ? pop @parts : push @parts, $part }
        my $target = join '/', @parts;
        $target .= '/index.html' if -d "$docs/$target";
        next if $target =~ /\.(?:css|js|svg)\z/ && -e "$docs/$target";
        push @broken, "$page: $link" if !$text{$target} || defined $anchor && $anchor ne '' && $text{$target} !~ /id="\Q$anchor\E"/;
    }
}
is(join("\n", @broken), '', 'links of ' . keys(%text) . ' pages lead somewhere');

my $pages = spew(clients_folder() . '/pages.json', Disclosed::JSON->new->utf8->encode([map { s{/index\.html\z}{/}r } sort keys %text]));
my ($code, $out, $err) = node_run('node', 'browser.mjs', $chromium, "$site->{base_url}/docs", $site->{base_url}, $site->{keys}{enterprise}, "http://127.0.0.1:$other/", $pages);
is($code, 0, 'Chromium does its work') or diag $err;
my $seen = Disclosed::JSON->new->utf8->decode($out || '{}');
for my $page (sort keys $seen->{violations}->%*) {
    is(join("\n", $seen->{violations}{$page}->@*), '', "axe finds nothing on $page");
}
cmp_ok(scalar keys $seen->{violations}->%*, '>=', 60, '... looked at');
is("@{$seen->{wide}}", '', 'nothing is wider than 360 pixels');
is("@{$seen->{outside}}", '', 'nothing comes from other hosts');
is(join("\n", $seen->{errors}->@*), '', 'the policy default-src self blocks nothing');
is(join("\n", ($seen->{unmarked} // ['nothing was looked at'])->@*), '', 'what the keyboard is at is marked');
like($seen->{answer}, qr/\A200 .*\bratelimit: /s, 'an operation is opened, filled and sent by the keyboard');
ok($seen->{linked}, 'a link to an operation opens it');
my $cors = $seen->{cors};
is("$cors->{status} $cors->{rows} $cors->{again} $cors->{refused}", '200 1 304 401', 'a page of another origin reads responses, 304 and errors');
ok($cors->{remaining} && $cors->{id} && $cors->{link}, '... and their headers');
is($site->get('/docs/errors/not-found/', key => undef)->status, 200, 'problem types lead to their pages');

finish();

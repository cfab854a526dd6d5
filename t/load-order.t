# Which module has a path of /v1 does not depend on the order of LoadModule: rules of mod_rewrite come first, and what this server serves is
# not passed on by a ProxyPass of all paths, nor redirected by mod_alias.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);

my $modules = build('MODULES_DIR');
my @others = qw(rewrite proxy proxy_http alias);
plan(skip_all => "httpd lacks mod_$_") for grep { !-e "$modules/mod_$_.so" } @others;
my $load = join '', map { "<IfModule !${_}_module>\nLoadModule ${_}_module $modules/mod_$_.so\n</IfModule>\n" } @others;
my $rules = <<'END';
RewriteEngine On
RewriteCond %{QUERY_STRING} forbidden
RewriteRule ^/v1/ - [F]
RewriteRule ^/former/(.*)$ /v1/$1 [PT]
RewriteRule ^/v1/moved$ /v1/companies [R=301,L]
ProxyPass / http://127.0.0.1:9/
Redirect 410 /v1/companies
END

for my $order ('before', 'after') {
    my $site = site($order eq 'before' ? (first => $load, config => $rules) : (config => $load . $rules));
    expect_log($site, 'AH00957', 'AH01114'); # no server is behind ProxyPass
    my $status = sub { $site->get(@_)->status };
    is($status->('/v1/companies?limit=1'), 200, "other modules are loaded $order this one: a path of the API is served");
    is($status->('/v1/companies?limit=1&forbidden'), 403, '... unless a rule forbids it');
    is($status->('/former/companies?limit=1'), 200, '... also by a rule that passes it through');
    is($status->('/v1/moved'), 301, '... and redirected by one');
    is($status->('/elsewhere'), 503, '... others are passed on');
}
finish();

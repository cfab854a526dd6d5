#!/usr/bin/env bash
# The Debian packages in a bare chroot: installed beside a website, upgraded, removed, purged; and the first answer of real data.
#
#     SUITE=bookworm t/first-hour/package.sh FOLDER-OF-DEBS [COMPANY-TICKERS.json]
#
# `make deb` makes the packages for this machine, build.sh for a release. TAP on standard output. Where lintian is installed, and
# what the build says of its packages lies beside them, lintian is to find nothing in them.
#
# The commands are the guides' own:
# runs README.md docs/*.md: ^(?:a2enmod|apachectl) \w
# runs README.md docs/*.md: ^apt(?:-get)? install \./deb/
# runs docs/follow.md: ^c[dp] \S
# runs conf/example-site.conf: ^a2enmod
# runs docs/admin.md: ^(?:# (?:MAPNAME|TYPE)|a2ensite|curl|psql -d postgres -f /|createdb|export|<VirtualHost)
set -uo pipefail
debs=${1:?"usage: package.sh FOLDER-OF-DEBS [COMPANY-TICKERS.json]"}
tickers=${2:-}
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/chroot.sh"

# What is to run is started here.
end() {
    inside apache2ctl stop >/dev/null 2>&1
    inside sh -c "pg_ctlcluster $cluster stop -m fast" >/dev/null 2>&1
    remove_chroot
}
cluster=
trap end EXIT

if command -v lintian >/dev/null && ls "$debs"/*.changes >/dev/null 2>&1; then
    ok 'lintian finds neither errors nor warnings' lintian --fail-on error,warning "$debs"/*.changes
fi

make_chroot
mkdir "$root/deb"
cp "$debs"/libapache2-mod-disclosed_*.deb "$debs"/disclosed-tools_*.deb "$root/deb/"
began=$SECONDS

fetch() { inside curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1$1"; }
answers() { [ "$(fetch "$1")" = "$2" ]; }
# Read to the end: apache2ctl would be ended by SIGPIPE, and pipefail has that for an answer.
loaded() { inside apache2ctl -M 2>/dev/null | grep disclosed_module >/dev/null; }
not() { ! "$@"; }

# --- a website, then the packages beside it -----------------------------------------------------
ok 'apt knows the archive' inside apt-get update -q
ok 'a website is there' inside apt-get install -yq --no-install-recommends apache2 curl postgresql
echo '<p>our site</p>' >"$root/var/www/html/index.html"
echo 'ServerName localhost' >"$root/etc/apache2/conf-enabled/name.conf"
inside apache2ctl start >/dev/null 2>&1
sleep 1
ok '... and serves' answers / 200
ok 'the packages install' inside sh -c "cd / && $(guide '^apt-get install \./deb')"
ok '... as the guide for data teams has it' inside sh -c "cd / && $(guide '^apt install')"
ok 'the module is enabled' test -e "$root/etc/apache2/mods-enabled/disclosed.load"
ok '... and loaded' loaded
ok 'the configuration is good' inside apache2ctl configtest
ok '... and the guides say how to load it' inside sh -c "$(guide '^a2enmod disclosed$') && $(guide '^a2enmod disclosed socache_shmcb$') && $(guide '^apachectl configtest &&')"
sleep 1
ok 'the website is still there' answers / 200
ok '... and nothing is served before it is configured' answers /v1/coverage 404
ok 'disclosedctl has its manual page, or the chroot has none' test -e "$root/usr/share/man/man1/disclosedctl.1.gz" -o -e "$root/etc/dpkg/dpkg.cfg.d/docker"

ok 'the examples of systemd are where docs/follow.md says' test -e "$root/usr/share/doc/disclosed-tools/examples/systemd/disclosed-follow.service"
ok '... from where they are copied' inside sh -c "mkdir -p /etc/systemd/system; $(guide '^cd ') && $(guide '^cp ')"
ok 'the server has a secret, which root alone reads' test "$(stat -c '%U %a' "$root/etc/apache2/disclosed.secret") $(wc -c <"$root/etc/apache2/disclosed.secret")" = 'root 600 65'

# --- from nothing to an answer --------------------------------------------------------------------
# Debian's own cluster; root and www-data log in as admin.md has it.
cluster=$(inside pg_lsclusters -h | awk '{ print $1, $2; exit }')
as_owner() { inside sh -c "$(guide '^export DISCLOSED_DATABASE' admin) && $1"; }
database() {
    local settings="$root/etc/postgresql/${cluster/ //}"
    guide '^# MAPNAME' >>"$settings/pg_ident.conf" &&
        { guide '^# TYPE' && echo && cat "$settings/pg_hba.conf"; } >"$root/tmp/pg_hba.conf" && cat "$root/tmp/pg_hba.conf" >"$settings/pg_hba.conf" &&
        inside sh -c "pg_ctlcluster $cluster start" &&
        inside su postgres -c "$(guide '^psql -d postgres -f /') && $(guide '^createdb')" &&
        as_owner 'disclosedctl migrate'
}
ok 'the database is made and migrated' database
site() {
    guide '^<VirtualHost' admin >"$root/etc/apache2/sites-available/api.conf" && echo '127.0.0.1 api.example.com' >>"$root/etc/hosts" &&
        inside sh -c "$(guide '^a2ensite')" && inside sh -c "$(guide '^apachectl configtest &&')"
}
ok 'a virtual host has the API' site
key=$(as_owner 'disclosedctl key create --plan starter --owner first' 2>/dev/null | grep -o 'sk_live_[0-9A-Za-z]*')
if [ -n "$tickers" ]; then
    cp "$tickers" "$root/tmp/tickers.json"
    ok 'real companies are loaded' as_owner 'disclosedctl import sec-company-tickers /tmp/tickers.json'
fi
has_key() { [ "$(inside curl -s -o /tmp/answer -w '%{http_code}' -H "Authorization: Bearer $key" "http://api.example.com/v1/companies?limit=1")" = 200 ]; }
sleep 2
ok 'a key gets an answer' has_key
[ -z "$tickers" ] || ok '... of real data' grep -q '"cik":"0' "$root/tmp/answer"
# What the guide shows below its command, "..." being anything.
asked() { inside env KEY="$key" sh -c "$(guide '^curl' admin)" >"$root/tmp/coverage" && guide_prints '^curl' admin "$root/tmp/coverage"; }
ok '... by the command of the guide, as it says' asked
ok '... and errors lead to pages that are there' inside sh -c 'curl -s http://api.example.com/v1/coverage | grep -o "http[^\"]*/errors/[a-z-]*" | xargs curl -sfL -o /dev/null'
echo "# $((SECONDS - began)) s from a bare chroot to an answer"
ok 'within three minutes' test $((SECONDS - began)) -le 180
ok 'the website is its own' answers /v1/coverage 404

# --- the example of a whole site --------------------------------------------------------------------
example() {
    inside apt-get install ssl-cert && cp "$root"/usr/share/doc/libapache2-mod-disclosed/examples/example-site.conf "$root/etc/apache2/sites-available/" &&
        inside sh -c "$(guide '^a2enmod disclosed .* ssl' conf/)"$'\n'"$(guide '^a2enmod mpm_event' conf/)"
}
ok 'its commands enable it, and the configuration is good' example
inside a2dissite example-site >/dev/null 2>&1

# --- restarts ---------------------------------------------------------------------------------------
ok 'the guides restart httpd' inside sh -c "$(guide '^apachectl graceful$')"
ok '... look at its configuration first' inside sh -c "$(guide '^apachectl configtest$')"
ok '... and load what the log asks for' inside sh -c "$(guide '^a2enmod socache_shmcb')"
sleep 1
ok '... and it serves' has_key
ok 'the guides stop it' inside sh -c "$(guide '^apachectl graceful-stop')"
sleep 2
ok '... and it is not there' answers / 000
inside apache2ctl start >/dev/null 2>&1
sleep 2
ok '... until it is started' has_key

# --- an upgrade keeps what was edited ---------------------------------------------------------------
echo '# edited by the administrator' >>"$root/etc/apache2/mods-available/disclosed.conf"
ok 'the packages install once more' inside sh -c 'apt-get install -yq --reinstall --no-install-recommends -o Dpkg::Options::=--force-confold /deb/*.deb'
ok '... and keep what was edited' grep -q '# edited by the administrator' "$root/etc/apache2/mods-available/disclosed.conf"
inside apache2ctl graceful >/dev/null 2>&1
sleep 1
ok '... and serve' has_key

# --- removed, purged --------------------------------------------------------------------------------
inside a2dissite api >/dev/null 2>&1
ok 'the packages are removed' inside apt-get remove -yq libapache2-mod-disclosed disclosed-tools
ok '... and the module with them' not loaded
ok '... but not what was edited' test -e "$root/etc/apache2/mods-available/disclosed.conf"
ok 'they are purged' inside apt-get purge -yq libapache2-mod-disclosed disclosed-tools
ok '... and nothing is left' not test -e "$root/etc/apache2/mods-available/disclosed.conf" -o -e "$root/etc/apache2/mods-enabled/disclosed.load" -o -e "$root/usr/share/mod_disclosed" -o -e "$root/etc/apache2/disclosed.secret"
inside apache2ctl restart >/dev/null 2>&1
sleep 1
ok 'the website is there at the end' answers / 200
ok 'all that the guides show of it was run' all_ran
echo "1..$count"
exit "$failed"

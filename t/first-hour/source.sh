#!/usr/bin/env bash
# The module from its source in a bare chroot, by the commands of README.md: the packages that they install suffice, and httpd loads what
# they build. `make deb` builds packages there, too.
#
#     SUITE=bookworm t/first-hour/source.sh BUILD-FOLDER
#
# TAP on standard output. It needs root, debootstrap and Debian's archive.
#
# runs README.md: ^apt-get install apache2-dev
# runs README.md: ^(?:autoreconf|\.\./configure) \S
# runs README.md docs/*.md: ^make deb$
# runs README.md docs/*.md: ^a2enmod disclosed$
set -uo pipefail
build=${1:?"usage: source.sh BUILD-FOLDER"}
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/chroot.sh"
trap remove_chroot EXIT

make_chroot
make -s -C "$build" distdir distdir="$root/source"
ok 'apt knows the archive' inside apt-get update -q
ok 'httpd and PostgreSQL are there' inside apt-get install -q apache2 postgresql
ok 'the packages that README.md names' inside sh -c "$(guide '^apt-get install apache2-dev')"
ok 'its commands build and install' inside sh -c "cd /source && $(guide '^autoreconf') && $(guide '^\.\./configure')"
ok '... what httpd loads' inside sh -c "$(guide '^a2enmod disclosed$') && apache2ctl configtest && apache2ctl -M | grep disclosed_module"
ok '... the command' inside disclosedctl --help
ok '... the migrations' test -e "$root/usr/share/mod_disclosed/sql/roles.sql"
ok '... and the documentation, rendered' test -e "$root/usr/share/doc/mod_disclosed/html/client.html"
ok 'debhelper is all that packages need besides' inside apt-get install -q debhelper dpkg-dev
ok '... to be made' inside sh -c "cd /source/build && $(guide '^make deb')"
ok '... where they are looked for' sh -c "ls '$root'/source/build/deb/libapache2-mod-disclosed_*.deb '$root'/source/build/deb/disclosed-tools_*.deb"
ok 'all that the guides show of it was run' all_ran
echo "1..$count"
exit "$failed"

#!/usr/bin/env bash
# Builds the Debian packages in a bare chroot of a release, with what debian/control asks for and nothing else.
#
#     SUITE=trixie t/first-hour/build.sh BUILD-FOLDER FOLDER-FOR-DEBS
#
# It needs root, debootstrap and Debian's archive.
set -euo pipefail
build=${1:?"usage: build.sh BUILD-FOLDER FOLDER-FOR-DEBS"}
debs=${2:?"usage: build.sh BUILD-FOLDER FOLDER-FOR-DEBS"}
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/chroot.sh"
trap remove_chroot EXIT

make_chroot
make -s -C "$build" distdir distdir="$root/source"
inside apt-get update -q
inside apt-get install -yq --no-install-recommends build-essential
inside sh -c 'cd / && apt-get build-dep -yq --no-install-recommends ./source'
inside sh -c 'cd /source && dpkg-buildpackage -b -us -uc'
mkdir -p "$debs"
cp "$root"/*.deb "$root"/*.changes "$root"/*.buildinfo "$debs"
ls "$debs"/*.deb

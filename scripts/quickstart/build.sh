# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# Configuring, building, installing below var/.

make_configure() {
    cd "$root"
    if [ -e config.status ]; then
        hint 'make distclean'
        say 'this checkout is configured in its own folder, and autoconf then builds nowhere else'
        return 1
    fi
    if [ ! -x configure ] || [ ! -e Makefile.in ] ||
        [ -n "$(find configure.ac Makefile.am mod_disclosed t -name '*.a[cm]' -newer configure -print -quit)" ]; then
        autoreconf -fi
    fi
}

# configure_in FOLDER OPTION...
configure_in() {
    local folder=$1
    shift
    make_configure
    mkdir -p "$folder"
    cd "$folder"
    "$root/configure" --with-apxs="$apxs" "$@"
    printf '%s' "$root" >.configured
}

# make itself sees what has changed, build files included; a checkout that has moved starts anew.
build_and_install() {
    hint 'a compiler error in a checkout that was not changed is worth a report'
    if [ "$(cat "$build/.configured" 2>/dev/null)" != "$root" ]; then
        rm -rf "$build"
        configure_in "$build" --prefix="$installed" --with-module-dir="$installed/modules" \
            --with-mods-available="$installed/mods-available"
    fi
    make -C "$build" -j "$(nproc)"
    make -C "$build" -s install
}

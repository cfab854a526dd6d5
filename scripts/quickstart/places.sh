# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# Who runs what, and where: users, folders, the port.

# As root, PostgreSQL runs as user postgres and httpd's children as www-data; otherwise all is
# the caller's.
choose_users() {
    db_user=$(id -un) web_user=$(id -un)
    [ "$(id -u)" -eq 0 ] || return 0
    db_user=postgres
    id "$db_user" >/dev/null 2>&1 || die 'there is no user postgres, and PostgreSQL refuses to run as root' \
        'useradd --system postgres, or run ./quickstart as an ordinary user'
    for web_user in www-data apache http httpd nobody; do
        if id "$web_user" >/dev/null 2>&1; then return; fi
    done
    die 'no user for httpd: looked for www-data, apache, http, httpd, nobody'
}

# as_user USER COMMAND...: from /, since the user may not be able to enter the folder we are in
as_user() {
    local user=$1
    shift
    if [ "$user" = "$(id -un)" ]; then (cd / && "$@"); return; fi
    (cd / && setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups -- "$@")
}

# The folder for what other users must reach: the cluster, its socket and the document root.
# It is var/ itself unless they cannot enter it (a private home) or its path is too long for a
# unix socket (107 bytes).
choose_home() {
    home=$var
    if [ -L "$var/postgresql" ]; then
        home=$(dirname "$(readlink "$var/postgresql")")
    elif [ -d "$var/postgresql" ]; then
        :
    elif [ $((${#var} + ${#socket_name})) -gt 107 ] || ! others_can_enter; then
        home=$(outside_home)
    fi
    cluster=$home/postgresql
    data=$cluster/data
    socket=$cluster/socket
    dsn="host=$socket port=5432 dbname=disclosed user=disclosed_owner"
    if [ "$home" != "$var" ]; then take_outside_home; fi
}

others_can_enter() {
    as_user "$db_user" test -x "$var" && as_user "$web_user" test -x "$var"
}

outside_home() {
    local base=/var/lib/disclosed-quickstart
    if [ "$(id -u)" -ne 0 ]; then base=$HOME/.disclosed; fi
    printf '%s/%s\n' "$base" "$(printf '%s' "$root" | sha256sum | cut -c 1-12)"
}

take_outside_home() {
    local holder
    holder=$(cat "$home/checkout" 2>/dev/null || printf '%s' "$root")
    if [ "$holder" != "$root" ] && [ -e "$holder/var/postgresql" ]; then
        die "$home belongs to the checkout in $holder" \
            "this one is a copy of it: rm $var/postgresql and run again"
    fi
    if [ $((${#home} + ${#socket_name})) -gt 107 ]; then
        die "the path $home is too long for a unix socket" 'use a HOME with a shorter path'
    fi
    mkdir -p "$home"
    printf '%s' "$root" >"$home/checkout"
    ln -sfn "$cluster" "$var/postgresql"
}

tell_home() {
    say "  (the database is in $home: the path of this checkout is closed to"
    say '   other users, or too long for a unix socket)'
}

check_path() {
    case $root in
    *[[:space:]\"\#\$\&\'\`\\%]*)
        die "the checkout's path has a space or a special character: $root" \
            'autoconf cannot build there; move the checkout' ;;
    esac
}

check_owner() {
    local owner
    [ -d "$var" ] || return 0
    owner=$(stat -c %U "$var")
    if [ "$owner" = "$(id -un)" ]; then return; fi
    die "var/ was made by user $owner" "run quickstart as $owner, or as $owner: ./quickstart clean"
}

# Paths, users and the lock: what every subcommand but help starts with.
prepare() {
    check_path
    check_owner
    mkdir -p "$log_dir" "$httpd_root"
    touch "$log"
    if command -v flock >/dev/null; then
        exec 9>"$var/.lock"
        flock -n 9 || die 'another quickstart is running in this checkout' 'wait until it has finished'
    fi
    choose_port
}

# old_value NAME: as the last run left it in quickstart.env
old_value() {
    if [ -r "$env_file" ]; then sed -n "s/^$1=//p" "$env_file"; fi
}

# DISCLOSED_PORT, else that of the last run, else 8080.
choose_port() {
    port=${DISCLOSED_PORT:-}
    if [ -z "$port" ]; then port=$(old_value DISCLOSED_BASE_URL | sed 's/.*://'); fi
    port=${port:-8080}
    if ! [[ $port =~ ^[1-9][0-9]{0,4}$ ]] || [ "$port" -gt 65535 ]; then
        die "DISCLOSED_PORT is no port number: $port"
    fi
    base_url=http://127.0.0.1:$port
}

find_tools() {
    local version
    version=$(cat "$var/postgresql/data/PG_VERSION" 2>/dev/null || true)
    apxs=$(find_apxs) || die 'apxs is not installed' 'run ./quickstart'
    httpd=$(find_httpd) || die 'httpd is not installed' 'run ./quickstart'
    pg_bin=$(find_postgresql "$version") ||
        die "the programs of PostgreSQL $version, which made the database, are not installed" \
            "install postgresql-$version; or ./quickstart clean, which removes the database"
    ctl=$installed/bin/disclosedctl
    module=$installed/modules/mod_disclosed.so
    modules_dir=$("$apxs" -q LIBEXECDIR)
    choose_users
    choose_home
}

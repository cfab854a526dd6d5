# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# What the machine has, and installing what it lacks.

# What has to be there: the probe that finds it | the Debian package that has it.
requirements=(
    'command -v cc make|build-essential'
    'command -v pkg-config|pkg-config'
    'command -v autoreconf|autoconf'
    'command -v automake|automake'
    'command -v libtoolize|libtool'
    'command -v curl|curl'
    'test -e /etc/ssl/certs/ca-certificates.crt -o -e /etc/pki/tls/certs/ca-bundle.crt|ca-certificates'
    'command -v openssl|openssl'
    'command -v prove|perl'
    'test -e /usr/share/zoneinfo/America/New_York|tzdata'
    'command -v setpriv flock|util-linux'
    'find_httpd|apache2-bin'
    'find_apxs|apache2-dev'
    'find_dbd_driver|libaprutil1-dbd-pgsql'
    'find_postgresql|postgresql'
    'command -v pdftotext|poppler-utils'
    'pkg-config --exists jansson|libjansson-dev'
    'pkg-config --exists libcurl|libcurl4-openssl-dev'
    'pkg-config --exists libxml-2.0|libxml2-dev'
    'pkg-config --exists libarchive|libarchive-dev'
    'pkg-config --exists zlib|zlib1g-dev'
    'pkg-config --exists libcrypto|libssl-dev'
    'pkg-config --exists libpq|libpq-dev'
    'pkg-config --exists cunit|libcunit1-dev'
    'command -v cmark-gfm|cmark-gfm'
)

os_release=/etc/os-release

# Systems of which it is known that they cannot have it, and those that are made of them.
refuse_old_systems() {
    local ID='' VERSION_ID='' UBUNTU_CODENAME=''
    # shellcheck source=/dev/null
    if [ -r "$os_release" ]; then . "$os_release"; fi
    case $ID-$VERSION_ID-$UBUNTU_CODENAME in
    debian-1[01]-* | debian-[1-9]-* | ubuntu-1?.* | ubuntu-2[0-3].* | *-jammy | *-focal | *-bionic)
        die "$ID $VERSION_ID is not supported: its httpd and libcurl are too old" \
            'Debian 12 and 13 are; Ubuntu 24.04 should do, but has not been tried' ;;
    esac
}

# What `make lint` runs besides: this version, as others find and format differently.
linters=(
    'command -v cppcheck|cppcheck'
    'command -v clang-tidy-14|clang-tidy-14'
    'command -v clang-format-14|clang-format-14'
)

# What single suites need besides; the programs from npm they install themselves, once for all checks.
testers=(
    'command -v npm|npm'
    'command -v chromium|chromium'
    'find_faketime|libfaketime'
    'perl -MCpanel::JSON::XS -e 1|libcpanel-json-xs-perl'
)

first_executable() {
    local candidate
    for candidate in "$@"; do
        if candidate=$(command -v "$candidate"); then printf '%s\n' "$candidate"; return; fi
    done
    return 1
}

find_faketime() { [ -n "$(find -L /usr/lib /usr/lib64 /usr/local/lib -name 'libfaketimeMT.so.1' -print -quit 2>/dev/null)" ]; }

find_apxs() { first_executable apxs apxs2 /usr/bin/apxs /usr/sbin/apxs; }
find_httpd() { first_executable apache2 httpd /usr/sbin/apache2 /usr/sbin/httpd; }

# apr-util loads its PostgreSQL driver at run time, so no -dev package brings it along.
find_dbd_driver() {
    local found
    found=$(find -L /usr/lib /usr/lib64 /usr/local/lib -path '*/apr-util-1/apr_dbd_pgsql*.so' \
        -print -quit 2>/dev/null)
    [ -n "$found" ]
}

# The folder of PostgreSQL's server programs: the newest, or that of the major version $1
find_postgresql() {
    local folder wanted=${1:-}
    # shellcheck disable=SC2012  # no odd characters in these names
    for folder in $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin 2>/dev/null | sort -rV) \
        "$(pg_config --bindir 2>/dev/null)" /usr/bin; do
        if [ -x "$folder/initdb" ] && [[ $("$folder/postgres" --version) == *' '${wanted:-[0-9]}* ]]; then
            printf '%s\n' "$folder"
            return
        fi
    done
    return 1
}

# probe REQUIREMENT: whether it is met
probe() {
    local command=${1%|*} word
    case $command in
    'command -v '*) for word in ${command#command -v }; do command -v "$word" || return 1; done ;;
    *) $command ;;
    esac >/dev/null 2>&1
}

# missing_packages REQUIREMENT...: one on a line
missing_packages() {
    local requirement
    for requirement in "$@"; do
        probe "$requirement" || printf '%s\n' "${requirement##*|}"
    done
}

as_admin() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

# Debian's PostgreSQL packages make and start a cluster of the system when they are first
# installed. We do not want it, and ask them not to, for the length of this installation.
install_packages() {
    local setting=/etc/postgresql-common/createcluster.d/disclosed-quickstart.conf
    hint 'is the machine online, and is another apt running?'
    if [[ " $* " == *' postgresql '* ]]; then
        # shellcheck disable=SC2064  # the path as it is now
        trap "as_admin rm -f $setting" EXIT
        as_admin mkdir -p "${setting%/*}"
        as_admin sh -c "echo 'create_main_cluster = false' >$setting"
    fi
    as_admin apt-get -o DPkg::Lock::Timeout=120 update ||
        say 'apt-get update failed; trying with the present package lists'
    as_admin env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 \
        install -y --no-install-recommends "$@"
}

ensure_packages() {
    local missing
    refuse_old_systems
    mapfile -t missing < <(missing_packages "${requirements[@]}")
    [ ${#missing[@]} -gt 0 ] || return 0
    can_install || tell_packages "${missing[@]}"
    step "installing ${#missing[@]} packages" install_packages "${missing[@]}"
    mapfile -t missing < <(missing_packages "${requirements[@]}")
    [ ${#missing[@]} -eq 0 ] || die "still missing after the installation: ${missing[*]}" "see $log"
}

# ensure_tools WHAT REQUIREMENT...: installs those where the system offers them; returns whether all are there.
ensure_tools() {
    local what=$1 missing
    shift
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} -gt 0 ] && can_install; then
        step "installing $what" try_install "${missing[@]}"
        mapfile -t missing < <(missing_packages "$@")
    fi
    [ ${#missing[@]} -eq 0 ]
}

try_install() { install_packages "$@" || say 'not all of these could be installed'; }

tell_packages() {
    if command -v apt-get >/dev/null; then
        die 'some packages are missing, and this user cannot install them without a password. Run' \
            "sudo apt-get install --no-install-recommends $*" 'and then ./quickstart again.'
    fi
    die 'some things are missing. On Debian they are in these packages:' "$*" \
        'Install what your system calls them and run ./quickstart again.'
}

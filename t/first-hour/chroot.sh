# shellcheck shell=bash disable=SC2034  # what the scripts beside it share: a bare chroot of a Debian release, and TAP
# It needs root, debootstrap and Debian's archive. SUITE: the release, bookworm; MIRROR: the archive, that of this machine.
suite=${SUITE:-bookworm}
mirror=${MIRROR:-$(sed -n 's/^deb \(\[[^]]*\] \)\?\(http[^ ]*\) .*/\2/p; s/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)}
root=$(mktemp -d /var/tmp/disclosed-package.XXXXXX)
chmod 755 "$root"
count=0 failed=0

ok() { # NAME COMMAND...
    local name=$1
    shift
    count=$((count + 1))
    if "$@" >"$root.log" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$root.log" | tail -n 15
        failed=1
    fi
}

# A command as a guide has it, of those that the script says it runs. It ends the script where there is none.
guide() { # PATTERN [PAGE]
    echo "$1" >>"$root.guides"
    perl -I"$(dirname "${BASH_SOURCE[0]}")/../lib" -MDisclosed::Guides -e 'print Disclosed::Guides->new($ARGV[0])->text(qr/$ARGV[1]/, qr/$ARGV[2]/)' "$0" "$1" "${2:-}" ||
        { echo "Bail out! no guide has $1, or several have it in several ways" >&2; kill $$; }
}

# Whether the script has run all that it says it runs.
all_ran() {
    perl -I"$(dirname "${BASH_SOURCE[0]}")/../lib" -MDisclosed::Guides -e '($script, $used) = @ARGV; open $file, "<", $used or die; chomp(@used = <$file>);
        @left = grep { my $text = $_->{text}; !grep { $text =~ /$_/ } @used } Disclosed::Guides->new($script)->mine; print map { "$_->{place}: $_->{text}\n" } @left; exit !!@left' "$0" "$root.guides"
}

# Whether a file has what the guide shows below that command.
guide_prints() { # PATTERN PAGE FILE
    perl -0777 -I"$(dirname "${BASH_SOURCE[0]}")/../lib" -MDisclosed::Guides -ne 'BEGIN { ($script, $text, $page) = splice @ARGV, 0, 3 }
        ($one) = Disclosed::Guides->new($script)->mine(qr/$text/, qr/$page/); s/\s+//g; $pattern = Disclosed::Guides::output_pattern($one->{output}); print; exit !/\A$pattern\z/' "$0" "$1" "$2" "$3"
}

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

# Nothing is deleted that is still mounted there: /dev is this machine's.
remove_chroot() {
    local place
    for place in proc dev; do
        if mountpoint -q "$root/$place"; then umount "$root/$place" || umount --lazy "$root/$place"; fi
    done
    rm -rf --one-file-system "$root" "$root.log" "$root.guides"
}

# Packages come from the archive of the release alone; how apt reaches it is this machine's.
make_chroot() {
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
        { tail -n 5 "$root.log"; echo 'Bail out! debootstrap failed'; exit 1; }
    echo "deb $mirror $suite main" >"$root/etc/apt/sources.list"
    cp -r /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null
    # Commands of the guides ask nobody here.
    printf 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n' >"$root/etc/apt/apt.conf.d/99guides"
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    mkdir -p "$root/dev/shm"
    # No services start in a chroot by themselves.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
}

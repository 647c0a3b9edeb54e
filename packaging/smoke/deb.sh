#!/usr/bin/env bash
# Installs a Debian package for real and uses it as a newcomer would: packaging/smoke/deb.sh FILE.deb [SCREENSHOT.png]
# Needs root, a machine that may be changed, and for the window xvfb, xdotool and imagemagick.
set -euo pipefail

deb=$(realpath "$1")
screenshot=${2:-}
package=$(dpkg-deb --field "$deb" Package)
user=staged-chat-newcomer
say() { printf '\n== %s\n' "$*"; }

if dpkg-query --show "$package" >/dev/null 2>&1; then
    echo "deb.sh: $package is installed already; remove it first" >&2
    exit 1
fi
cleaned=$(mktemp -d)
finish() {
    kill "${display_pid:-}" 2>/dev/null || true
    DEBIAN_FRONTEND=noninteractive apt-get purge --yes --quiet=2 "$package" >/dev/null 2>&1 || true
    userdel --remove --force "$user" >/dev/null 2>&1 || true
    rm -rf "$cleaned"
}
trap finish EXIT
useradd --create-home --skel /var/empty --shell /bin/sh "$user"
home=$(getent passwd "$user" | cut -d: -f6)
as_user() { runuser --user "$user" -- env --ignore-environment --chdir="$home" HOME="$home" PATH="$bin" LANG=C.UTF-8 "$@"; }

# A path with what the system has, but no Python of any name.
bin=$cleaned/bin
mkdir "$bin"
find /usr/bin -maxdepth 1 ! -name 'python*' ! -name 'pypy*' ! -type d -exec ln -s -t "$bin" {} +
chmod 755 "$cleaned" "$bin"

install_deb() { DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --allow-downgrades "$1" >/dev/null; }

say "an older version is installed, and used"
older=$cleaned/older
dpkg-deb --raw-extract "$deb" "$older"
sed -i 's/^Version: .*/Version: 0.0.1~older/' "$older/DEBIAN/control"
touch "$older/usr/lib/staged-chat/_internal/only-in-the-older-version"
dpkg-deb --root-owner-group -Znone --build "$older" "$cleaned/older.deb" >/dev/null
rm -rf "$older"
install_deb "$cleaned/older.deb"
ln -sf /usr/bin/staged-chat "$bin/staged-chat"
rm "$cleaned/older.deb"
as_user staged-chat --version

say "self-test, as an ordinary user with an empty home and no Python"
if as_user sh -c 'command -v python3 || command -v python'; then exit 1; fi
as_user staged-chat --self-test self-test.json
grep --quiet '"ok": true' "$home/self-test.json"
sed -n '/"start"/,/}/p' "$home/self-test.json"
as_user staged-chat engine generate --prompt "Hello!" --max-new-tokens 8

if [ -n "$screenshot" ]; then
    say "the window"
    Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$cleaned/display" 2>/dev/null &
    display_pid=$!
    until [ -s "$cleaned/display" ]; do sleep 0.1; done
    DISPLAY=:$(cat "$cleaned/display")
    export DISPLAY
    as_user env DISPLAY="$DISPLAY" staged-chat &
    window=$(timeout 60 xdotool search --sync --onlyvisible --name 'Staged Chat' 2>/dev/null | head -n 1)
    xdotool windowsize "$window" 1280 800
    sleep 15 # the model loads
    xdotool type --window "$window" 'Hello! How are you?'
    xdotool key --window "$window" Return
    sleep 10 # and answers
    import -window root "$screenshot"
    pkill -TERM --uid "$user" staged-chat # an ordinary end: everything is saved
    while pgrep --uid "$user" staged-chat >/dev/null; do sleep 0.2; done
    database=$home/.local/share/staged-chat/conversations.sqlite3
    before=$(sha256sum "$database")
fi

say "upgrade: the data stays, nothing of the older version does"
install_deb "$deb"
[ "$(dpkg-query --show --showformat '${Version}' "$package")" = "$(dpkg-deb --field "$deb" Version)" ]
[ ! -e /usr/lib/staged-chat/_internal/only-in-the-older-version ]
as_user staged-chat --self-test self-test.json
[ -z "$screenshot" ] || [ "$before" = "$(sha256sum "$database")" ]

say "removal: only the user's data is left"
DEBIAN_FRONTEND=noninteractive apt-get purge --yes --quiet=2 "$package" >/dev/null
for path in /usr/bin/staged-chat /usr/lib/staged-chat /usr/share/applications/staged-chat.desktop \
    /usr/share/man/man1/staged-chat.1.gz "/usr/share/doc/$package"; do
    if [ -e "$path" ] || [ -L "$path" ]; then
        echo "deb.sh: $path was left behind" >&2
        exit 1
    fi
done
[ -z "$screenshot" ] || [ -s "$database" ]
say "passed"

#!/usr/bin/env bash
# Installs a Debian package for real and uses it as a newcomer would: packaging/smoke/deb.sh FILE.deb [SCREENSHOT.png]
# Needs what newcomer.sh needs, desktop-file-utils and appstream.
set -euo pipefail

deb=$(realpath "$1")
screenshot=${2:-}
package=$(dpkg-deb --field "$deb" Package)
if dpkg-query --show "$package" >/dev/null 2>&1; then
    echo "deb.sh: $package is installed already; remove it first" >&2
    exit 1
fi
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/newcomer.sh"
export DEBIAN_FRONTEND=noninteractive
install_deb() { apt-get install --yes --quiet=2 --allow-downgrades "$1" >/dev/null; }
purge_deb() { apt-get purge --yes --quiet=2 "$package" >/dev/null; }
trap 'purge_deb 2>/dev/null || true; leave' EXIT

say "an older version is installed, and used"
older=$scratch/older
dpkg-deb --raw-extract "$deb" "$older"
sed -i 's/^Version: .*/Version: 0.0.1~older/' "$older/DEBIAN/control"
touch "$older/usr/lib/staged-chat/_internal/only-in-the-older-version"
dpkg-deb --root-owner-group -Znone --build "$older" "$scratch/older.deb" >/dev/null
rm -rf "$older"
install_deb "$scratch/older.deb"
rm "$scratch/older.deb"
ln -sf /usr/bin/staged-chat "$bin/staged-chat"
as_user staged-chat --version
desktop-file-validate /usr/share/applications/staged-chat.desktop
appstreamcli validate --no-net /usr/share/metainfo/*StagedChat.metainfo.xml

say "self-test, as an ordinary user with an empty home and no Python"
check_self_test staged-chat
as_user staged-chat engine generate --prompt "Hello!" --max-new-tokens 8

say "without a display: one line, which names the chat in the terminal"
as_user staged-chat 2>"$scratch/complaint" && exit 1
grep "chat in the terminal with: staged-chat engine chat$" "$scratch/complaint"

if [ -n "$screenshot" ]; then
    say "the window"
    chat_in_window "$screenshot" staged-chat
    before=$(sha256sum "$database")
fi

say "upgrade: the data stays, nothing of the older version does"
install_deb "$deb"
[ "$(dpkg-query --show --showformat '${Version}' "$package")" = "$(dpkg-deb --field "$deb" Version)" ]
[ ! -e /usr/lib/staged-chat/_internal/only-in-the-older-version ]
check_self_test staged-chat
[ -z "$screenshot" ] || [ "$before" = "$(sha256sum "$database")" ]

say "removal: only the user's data is left"
dpkg-query --listfiles "$package" >"$scratch/files"
purge_deb
while read -r path; do
    # folders that other packages use too stay
    if [ -L "$path" ] || [ -f "$path" ] || { [ -d "$path" ] && [[ $path == *staged-chat* ]]; }; then
        echo "deb.sh: $path was left behind" >&2
        exit 1
    fi
done <"$scratch/files"
[ -z "$screenshot" ] || [ -s "$database" ]
say "passed"

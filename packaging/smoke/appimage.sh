#!/usr/bin/env bash
# Runs an AppImage as a newcomer would, without FUSE: packaging/smoke/appimage.sh FILE.AppImage [SCREENSHOT.png]
# Needs what newcomer.sh needs.
set -euo pipefail

file=$(realpath "$1")
screenshot=${2:-}
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/newcomer.sh"
appimage=$home/${file##*/}
install --owner "$user" --mode 755 "$file" "$appimage"
as_appimage=(env APPIMAGE_EXTRACT_AND_RUN=1 TMPDIR="$home" "$appimage")

say "self-test, as an ordinary user with an empty home and no Python"
check_self_test "${as_appimage[@]}"
as_user "${as_appimage[@]}" engine generate --prompt "Hello!" --max-new-tokens 8

say "without a display: one line, which names the chat in the terminal"
as_user "${as_appimage[@]}" 2>"$scratch/complaint" && exit 1
grep "chat in the terminal with: $appimage engine chat$" "$scratch/complaint"

if [ -n "$screenshot" ]; then
    say "the window"
    chat_in_window "$screenshot" "${as_appimage[@]}"
fi

say "what it unpacked is gone, the user's data is not"
if compgen -G "$home/appimage_extracted_*"; then exit 1; fi
[ -z "$screenshot" ] || [ -s "$database" ]
say "passed"

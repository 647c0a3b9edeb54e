#!/usr/bin/env bash
# Opens a disk image and runs the application in it: packaging/smoke/macos.sh FILE.dmg
set -euo pipefail

mount=$(mktemp -d)
report=$(mktemp)
hdiutil attach "$1" -nobrowse -readonly -mountpoint "$mount"
trap 'hdiutil detach "$mount"; rm -f "$report"' EXIT
env -i HOME="$(mktemp -d)" PATH=/usr/bin:/bin "$mount/Staged Chat.app/Contents/MacOS/staged-chat" --self-test "$report"
grep '"ok": true' "$report"

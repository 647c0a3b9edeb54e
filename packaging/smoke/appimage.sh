#!/usr/bin/env bash
# Runs an AppImage as a newcomer would, without FUSE: packaging/smoke/appimage.sh FILE.AppImage
set -euo pipefail

appimage=$(realpath "$1")
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cd "$home"
env --ignore-environment HOME="$home" TMPDIR="$home" PATH=/usr/bin:/bin LANG=C.UTF-8 APPIMAGE_EXTRACT_AND_RUN=1 \
    "$appimage" --self-test "$home/self-test.json"
grep --quiet '"ok": true' self-test.json

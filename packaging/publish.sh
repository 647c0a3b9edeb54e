#!/usr/bin/env bash
# Puts what the builds made into a draft release: packaging/publish.sh TAG FOLDER
set -euo pipefail

tag=$1
cd "$2"
mkdir release
find . -path ./release -prune -o -type f ! -name SHA256SUMS ! -name '*.png' -exec mv -t release {} +
cd release
sha256sum -- * >SHA256SUMS
gh release create "$tag" --draft --verify-tag --title "Staged Chat ${tag#v}" --notes-from-tag -- *

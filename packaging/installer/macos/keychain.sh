#!/usr/bin/env bash
# Imports the signing certificate into a keychain of its own, and prints the variables that build_macos.py reads.
# CERTIFICATE is a base64 .p12 file. Without it nothing is printed, and the disk image stays unsigned.
set -euo pipefail

[ -n "${CERTIFICATE:-}" ] || exit 0
keychain=$HOME/Library/Keychains/staged-chat.keychain-db
password=$(uuidgen)
file=$(mktemp)
trap 'rm -f "$file"' EXIT
{
    security create-keychain -p "$password" "$keychain"
    security set-keychain-settings -lut 7200 "$keychain"
    security unlock-keychain -p "$password" "$keychain"
    base64 --decode <<<"$CERTIFICATE" >"$file"
    security import "$file" -f pkcs12 -P "$CERTIFICATE_PASSWORD" -k "$keychain" -T /usr/bin/codesign
    security set-key-partition-list -S apple-tool:,apple: -k "$password" "$keychain"
    security list-keychains -d user -s "$keychain" login.keychain-db
} >&2
identity=$(security find-identity -v -p codesigning "$keychain" | sed -n 's/.*"\(Developer ID Application.*\)"/\1/p' | head -n 1)
echo "CODESIGN_IDENTITY=$identity"
if [ -n "${NOTARY_APPLE_ID:-}" ]; then
    xcrun notarytool store-credentials staged-chat --apple-id "$NOTARY_APPLE_ID" --team-id "$NOTARY_TEAM_ID" \
        --password "$NOTARY_PASSWORD" >&2
    echo "NOTARY_PROFILE=staged-chat"
fi

"""The macOS disk image: the application, signed and notarised where the environment names an identity.

CODESIGN_IDENTITY   "Developer ID Application: ...", from the keychain; PyInstaller signs with it
NOTARY_PROFILE      what `xcrun notarytool store-credentials` stored the account under
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from build_common import INSTALLER, BuildError, Release, run

APP = "Staged Chat.app"
ENTITLEMENTS = INSTALLER / "macos" / "entitlements.plist"

Command = list[str | Path]


def make_dmg(release: Release) -> Path:
    folder = release.work / "dmg"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(release.frozen.parent / APP, folder / APP, symlinks=True)
    (folder / "Applications").symlink_to("/Applications")
    dmg = release.dist / f"{release.package}-{release.version}-macos-{release.machine}.dmg"
    for command in commands(folder, dmg, os.environ):
        run(command, release)
    return dmg


def commands(folder: Path, dmg: Path, environment: Mapping[str, str]) -> list[Command]:
    """The steps from a folder to a disk image that Gatekeeper lets through, as far as the environment allows."""
    identity, profile = environment.get("CODESIGN_IDENTITY"), environment.get("NOTARY_PROFILE")
    if profile and not identity:
        raise BuildError("only what is signed can be notarised; set CODESIGN_IDENTITY too, or unset NOTARY_PROFILE")
    steps: list[Command] = []
    if identity:
        sign: Command = ["codesign", "--force", "--timestamp", "--options", "runtime", "--sign", identity]
        steps.append([*sign, "--entitlements", ENTITLEMENTS, folder / APP])
        steps.append(["codesign", "--verify", "--deep", "--strict", folder / APP])
    steps.append(["hdiutil", "create", "-volname", "Staged Chat", "-srcfolder", folder, "-format", "UDZO", "-ov", dmg])
    if identity:
        steps.append(["codesign", "--timestamp", "--sign", identity, dmg])
    if profile:
        steps.append(["xcrun", "notarytool", "submit", dmg, "--keychain-profile", profile, "--wait"])
        steps.append(["xcrun", "stapler", "staple", dmg])
    return steps

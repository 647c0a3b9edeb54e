"""Builds the installers of Linux and uses them as a newcomer would; takes minutes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="makes Linux packages"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the frozen application in work/ and the Debian package in dist/."""
    folder = tmp_path_factory.mktemp("build")
    build(folder, "--only", "deb")
    return folder


def build(folder: Path, *arguments: str) -> None:
    script = ROOT / "packaging" / "build.py"
    places = ["--work", str(folder / "work"), "--dist", str(folder / "dist")]
    subprocess.run([sys.executable, str(script), *places, *arguments], check=True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="installs a package: needs root")
def test_a_newcomer_installs_chats_upgrades_and_removes(built: Path) -> None:
    (deb,) = (built / "dist").glob("*.deb")
    subprocess.run([ROOT / "packaging" / "smoke" / "deb.sh", deb], check=True)


@pytest.mark.skipif("APPIMAGE_RUNTIME" not in os.environ, reason="APPIMAGE_RUNTIME does not name the AppImage runtime")
def test_the_appimage_runs_without_fuse(built: Path) -> None:
    build(built, "--keep-frozen", "--only", "appimage")
    (appimage,) = (built / "dist").glob("*.AppImage")
    subprocess.run([ROOT / "packaging" / "smoke" / "appimage.sh", appimage], check=True)

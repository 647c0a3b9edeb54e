"""Builds the installers of Linux and uses them as a newcomer would; takes minutes.

APPIMAGE_RUNTIME names an AppImage runtime for machines that cannot fetch the pinned one.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SMOKE = ROOT / "packaging" / "smoke"

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="makes Linux packages"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="adds a user and installs: needs root"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the frozen application in work/ and the Debian package in dist/."""
    folder = tmp_path_factory.mktemp("build")
    result = build(folder, "--only", "deb")
    assert result.returncode == 0, result.stderr
    return folder


def build(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "packaging" / "build.py"
    places = ["--work", str(folder / "work"), "--dist", str(folder / "dist")]
    return subprocess.run([sys.executable, script, *places, *arguments], stderr=subprocess.PIPE, text=True)


def test_buttons_and_menus_of_qt_can_speak_other_languages(built: Path) -> None:
    assert list((built / "work" / "frozen").rglob("PySide6/**/qtbase_de.qm"))


def test_a_newcomer_installs_chats_upgrades_and_removes(built: Path, tmp_path: Path) -> None:
    (deb,) = (built / "dist").glob("*.deb")
    subprocess.run([SMOKE / "deb.sh", deb, tmp_path / "window.png"], check=True)


def test_the_appimage_runs_without_fuse(built: Path, tmp_path: Path) -> None:
    runtime = os.environ.get("APPIMAGE_RUNTIME")
    result = build(built, "--keep-frozen", "--only", "appimage", *(["--runtime", runtime] if runtime else []))
    if "cannot fetch the AppImage runtime" in result.stderr:
        pytest.skip(result.stderr.strip().splitlines()[-1])
    assert result.returncode == 0, result.stderr
    (appimage,) = (built / "dist").glob("*.AppImage")
    subprocess.run([SMOKE / "appimage.sh", appimage, tmp_path / "window.png"], check=True)

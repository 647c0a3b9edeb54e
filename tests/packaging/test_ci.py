"""What continuous integration runs: all tests every time, the installers where their making has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DEV = """
import sys
open("calls", "a").write(sys.argv[1] + "\\n")
sys.exit(sys.argv[1] in open("broken").read().split())
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="continuous integration runs on Linux")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with the script, and a set-up script that only notes what it is asked for."""
    folder = tmp_path / "checkout"
    files = {
        "packaging/dev.py": DEV,
        "pyproject.toml": "",
        "resources/icon": "",
        "tests/packaging/test": "",
        "engine": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "broken").touch()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    return folder


def run(checkout: Path, status: int = 0) -> list[str]:
    """What the set-up script was asked for."""
    (checkout / "calls").unlink(missing_ok=True)
    environment = os.environ | {"XDG_CACHE_HOME": str(checkout.parent / "cache")}
    result = subprocess.run(["bash", ".ci/run"], cwd=checkout, env=environment, capture_output=True, text=True)
    assert result.returncode == status, result.stderr
    return (checkout / "calls").read_text().split()


def test_installers_are_tried_where_their_making_has_changed(checkout: Path) -> None:
    assert run(checkout) == ["test", "package-test"]
    assert run(checkout) == ["test"]
    (checkout / "engine").write_text("another program")
    assert run(checkout) == ["test"]
    for file in ("packaging/dev.py", "pyproject.toml", "resources/icon"):
        with (checkout / file).open("a") as changed:
            changed.write("# changed")
        assert run(checkout) == ["test", "package-test"], file


def test_installers_that_failed_are_tried_again(checkout: Path) -> None:
    (checkout / "broken").write_text("package-test")
    assert run(checkout, status=1) == ["test", "package-test"]
    assert run(checkout, status=1) == ["test", "package-test"]


def test_tests_that_fail_end_the_run(checkout: Path) -> None:
    (checkout / "broken").write_text("test")
    assert run(checkout, status=1) == ["test"]

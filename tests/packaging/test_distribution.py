"""What is built from a checkout can be installed elsewhere, and has the program's own files with it."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]

RESOURCES = {path.relative_to(ROOT).as_posix() for path in (ROOT / "resources").rglob("*") if path.is_file()}


def python(*arguments: str, path: Path | None = None, folder: Path = ROOT) -> str:
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist and a wheel of this checkout."""
    tools, dist = tmp_path_factory.mktemp("tools"), tmp_path_factory.mktemp("dist")
    python("-m", "pip", "install", "--quiet", "--target", str(tools), "hatchling")
    python("-m", "hatchling", "build", "--directory", str(dist), path=tools)
    return dist


def wheel_files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_sdist_has_the_resources(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= RESOURCES | {"LICENSE", "README.md", "packaging/dev.py", "packaging/constraints.txt"}


def test_wheel_has_only_the_packages_and_their_resources(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    files = wheel_files(wheel)
    assert files >= {f"engine/_{resource}" for resource in RESOURCES}
    assert {name.partition("/")[0] for name in files} == {"engine", "desktop_app", "staged_chat-0.1.0.dist-info"}


def test_wheel_of_the_sdist_is_the_same(built: Path, tmp_path: Path) -> None:
    (sdist,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    python("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(sdist))
    assert wheel_files(tmp_path / wheel.name) == wheel_files(wheel)


def test_installed_program_finds_its_resources(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    python("-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), str(wheel))
    program = "from engine.resources import resources_folder; print(resources_folder())"
    found = Path(python("-c", program, path=tmp_path, folder=tmp_path).strip())
    assert found == tmp_path / "engine" / "_resources"
    assert (found / "models" / "builtin" / "family.json").is_file()

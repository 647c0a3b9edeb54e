"""What the builds of every platform share."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parent.parent
INSTALLER = ROOT / "packaging" / "installer"

# machine names as Python says them -> as Debian does
DEBIAN_ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


class BuildError(Exception):
    """Something that the builder can put right; the message is one line and says how."""


@dataclass(frozen=True, slots=True)
class Release:
    """What is built, from pyproject.toml and the machine.

    flavour   "cpu" or "cuda"
    epoch_s   the time stamped on every file, so that one commit always gives the same installer
    work      intermediate files
    dist      the installers
    runtime   an AppImage runtime of the builder's own
    """

    version: str
    flavour: str
    epoch_s: int
    work: Path
    dist: Path
    runtime: Path | None = None

    @property
    def package(self) -> str:
        """The name without a version; the flavours differ in it."""
        return "staged-chat" if self.flavour == "cpu" else f"staged-chat-{self.flavour}"

    @property
    def machine(self) -> str:
        return platform.machine().lower()

    @property
    def frozen(self) -> Path:
        """The folder that PyInstaller makes."""
        return self.work / "frozen" / "staged-chat"

    @property
    def icons(self) -> Path:
        """Pictures of the icon, made from the SVG."""
        return self.work / "icons"

    def values(self) -> dict[str, str]:
        """What templates may name."""
        moment = datetime.fromtimestamp(self.epoch_s, UTC)
        dates = {"date": moment.date().isoformat(), "date_rfc": format_datetime(moment)}
        return {"version": self.version, "package": self.package, **dates}


def read_release(flavour: str, work: Path, dist: Path, environment: Mapping[str, str] = os.environ) -> Release:
    """The release that this checkout is. Raises BuildError where its time is not known."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return Release(project["version"], flavour, _epoch_s(environment), work, dist)


def _epoch_s(environment: Mapping[str, str]) -> int:
    """SOURCE_DATE_EPOCH where it is set, else the time of the commit."""
    given = environment.get("SOURCE_DATE_EPOCH") or _output(["git", "log", "-1", "--format=%ct"])
    if not given.isdecimal():
        raise BuildError("the time of this release is unknown; build in a git checkout, or set SOURCE_DATE_EPOCH")
    return int(given)


def _output(command: Sequence[str]) -> str:
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout.strip()


def run(command: Sequence[str | Path], release: Release, **variables: str) -> None:
    """Run a tool, with what makes its output repeatable. Raises BuildError where it is missing or fails."""
    fixed = {"SOURCE_DATE_EPOCH": str(release.epoch_s), "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    try:
        status = subprocess.call(list(map(str, command)), cwd=ROOT, env=os.environ | fixed | variables)
    except FileNotFoundError:
        raise BuildError(f"{command[0]} is not installed; README.md lists what each installer needs") from None
    if status != 0:
        raise BuildError(f"{command[0]} failed with status {status}; see above")


def fill(template: Path, release: Release, **more: str) -> str:
    """The template's text with the release's values in place of $names."""
    return Template(template.read_text(encoding="utf-8")).substitute(release.values() | more)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def megabytes(path: Path) -> float:
    """Size of a file, or of all files in a folder, in units of a million bytes; links count nothing."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if file.is_file() and not file.is_symlink()) / 1e6

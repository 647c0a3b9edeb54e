"""The Windows installer, made by Inno Setup."""

import os
import shutil
from pathlib import Path

from build_common import INSTALLER, BuildError, Release, run

SCRIPT = INSTALLER / "windows" / "staged-chat.iss"


def make_installer(release: Release) -> Path:
    name = installer_name(release)
    run([find_compiler(), *arguments(release, name), SCRIPT], release)
    return release.dist / f"{name}.exe"


def installer_name(release: Release) -> str:
    return f"{release.package}-{release.version}-windows-{release.machine}-setup"


def arguments(release: Release, name: str) -> list[str]:
    """What the script is told, as ISCC takes it."""
    defines = {"Version": release.version, "Source": release.frozen, "Icon": release.icons / "app.ico"}
    return ["/Qp", f"/O{release.dist}", f"/F{name}", *(f"/D{key}={value}" for key, value in defines.items())]


def find_compiler() -> Path:
    """ISCC of Inno Setup 6, on the path or where its installer puts it."""
    found = shutil.which("ISCC")
    program_files = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    compiler = Path(found or Path(program_files) / "Inno Setup 6" / "ISCC.exe")
    if not compiler.exists():
        raise BuildError("Inno Setup 6 is not installed; get it from https://jrsoftware.org/isdl.php")
    return compiler

#!/usr/bin/env python3
"""Brings the translations up to date with the sources, and compiles them. Run it in the project's environment.

python packaging/translations.py            new texts into the .ts files, which people then translate
python packaging/translations.py compile    .ts files into the .qm files that the application reads
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("de", "zh_CN")
SCRIPTS = Path(sys.executable).parent  # where PySide6 puts its tools


def main() -> int:
    """Update, or compile; returns the exit status of the tool."""
    files = [FOLDER / f"staged_chat_{language}.ts" for language in LANGUAGES]
    if sys.argv[1:] == ["compile"]:
        return subprocess.run([SCRIPTS / "pyside6-lrelease", *files], check=False).returncode
    sources = sorted((ROOT / "desktop_app").rglob("*.py"))
    options = ["-no-obsolete", "-locations", "none"]
    return subprocess.run([SCRIPTS / "pyside6-lupdate", *options, *sources, "-ts", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

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
LANGUAGES = {"de": [], "zh_CN": [], "en": ["-pluralonly", "-target-language", "en"]}  # with options of their own
SCRIPTS = Path(sys.executable).parent  # where PySide6 puts its tools


def main() -> int:
    """Update, or compile; returns the exit status of the tool."""
    if sys.argv[1:] == ["compile"]:
        files = sorted(FOLDER.glob("*.ts"))
        return subprocess.run([SCRIPTS / "pyside6-lrelease", *files], check=False).returncode
    sources = sorted((ROOT / "desktop_app").rglob("*.py"))
    common = ["-no-obsolete", "-locations", "none"]
    return max(
        subprocess.run(
            [SCRIPTS / "pyside6-lupdate", *common, *own, *sources, "-ts", FOLDER / f"staged_chat_{language}.ts"],
            check=False,
        ).returncode
        for language, own in LANGUAGES.items()
    )


if __name__ == "__main__":
    sys.exit(main())

"""Finds the files that come with the program: models, prompts, icons."""

import sys
from pathlib import Path

from engine.errors import EngineError


def resources_folder() -> Path:
    """The folder of the program's own files, read-only, wherever the program runs from.

    Raises EngineError when this copy of the program came without them.
    """
    candidates = _candidates()
    for folder in candidates:
        if folder.is_dir():
            return folder
    looked_at = ", ".join(map(str, candidates))
    raise EngineError(f"the program's resources folder is missing (looked at {looked_at}); install it again")


def _candidates() -> list[Path]:
    frozen = getattr(sys, "_MEIPASS", None)  # where a PyInstaller app unpacked itself
    if frozen is not None:
        return [Path(frozen) / "resources"]
    package = Path(__file__).resolve().parent
    return [
        package / "_resources",  # an installed wheel; pyproject.toml puts them there
        package.parent / "resources",  # a source checkout
    ]

"""The model families that the program knows, and how a family is written down."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from engine.config import ChatFormatKind
from engine.errors import LibraryError
from engine.library.files import write_json
from engine.resources import resources_folder

FAMILY_FILE = "family.json"


@dataclass(frozen=True, slots=True)
class HubEntry:
    """A checkpoint on the hub. `download_bytes` is about right; `shape` has the keys of config.json."""

    revision: str
    licence: str
    download_bytes: int
    vocabulary: str
    shape: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Family:
    """A target with its draft. Both are sources: a hub id, or the absolute path of a folder with a checkpoint.

    id           also the name of its folder
    chat_format  as in `engine.config.ChatFormat`; what is not given has that class's default
    ngram        an n-gram table elsewhere than in the family's own folder
    is_own       added by the user
    bundled      the folder of the family that comes with the program; None for all others
    """

    id: str
    name: str
    target: str
    draft: str | None = None
    summary: str = ""
    chat_format: Mapping[str, Any] = field(default_factory=dict)
    ngram: str | None = None
    is_own: bool = False
    bundled: Path | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Target first, then the draft where there is one."""
        return (self.target,) if self.draft is None else (self.target, self.draft)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What `resources/catalogue.json` holds."""

    checkpoints: Mapping[str, HubEntry]
    families: tuple[Family, ...]

    def revision(self, source: str) -> str:
        """The commit to download; the newest one of models that the catalogue does not know."""
        entry = self.checkpoints.get(source)
        return entry.revision if entry else "main"


@cache
def load_catalogue() -> Catalogue:
    """The catalogue that comes with the program."""
    raw = json.loads((resources_folder() / "catalogue.json").read_text(encoding="utf-8"))
    checkpoints = {source: HubEntry(**entry) for source, entry in raw["checkpoints"].items()}
    return Catalogue(checkpoints, tuple(_catalogue_family(entry) for entry in raw["families"]))


def _catalogue_family(entry: dict[str, Any]) -> Family:
    if "bundled" not in entry:
        return Family(**entry)
    folder = resources_folder() / entry.pop("bundled")
    return Family(
        **entry,
        target=str(folder / "target"),
        draft=str(folder / "draft"),
        ngram=str(folder / "ngram.npz"),
        bundled=folder,
    )


def is_local(source: str) -> bool:
    """True for a folder on this machine, False for a hub id."""
    return Path(source).is_absolute()


def write_family(folder: Path, family: Family, paths: Mapping[str, Path | None]) -> None:
    """Writes the `family.json` that the engine loads.

    paths  "target", "draft" and "ngram" -> where they are now; None for what is not there (yet). Stored relative to
           the family's folder where they lie beside it, so that the folder of models may be moved as a whole.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "name": family.name,
        "summary": family.summary,
        **{role: _portable(path, folder) for role, path in paths.items()},
        "chat_format": dict(family.chat_format),
        "sources": {"target": family.target, "draft": family.draft, "ngram": family.ngram},
        "is_own": family.is_own,
    }
    write_json(folder / FAMILY_FILE, content)


def read_family(folder: Path) -> Family:
    """What `write_family` has written. Raises LibraryError when the file is missing or damaged."""
    path = folder / FAMILY_FILE
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        sources = raw["sources"]
        family = Family(
            id=folder.name,
            name=str(raw["name"]),
            target=str(sources["target"]),
            draft=_optional_text(sources["draft"]),
            ngram=_optional_text(sources["ngram"]),
            summary=str(raw.get("summary", "")),
            chat_format=dict(raw["chat_format"]),
            is_own=bool(raw["is_own"]),
        )
        ChatFormatKind(family.chat_format["kind"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LibraryError(f"{path} cannot be read; remove the folder {folder.name} and add the model again") from error
    return family


def _optional_text(value: object) -> str | None:
    return None if value is None else str(value)


def _portable(path: Path | None, folder: Path) -> str | None:
    if path is None:
        return None
    beside = folder.parent.parent
    return Path(os.path.relpath(path, folder)).as_posix() if path.is_relative_to(beside) else str(path)

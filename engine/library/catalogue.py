"""The model families that the program knows, and how a family is written down."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.config import ChatFormat
from engine.errors import CheckpointError
from engine.family import FAMILY_FILE, Family, read_chat_format, read_family
from engine.resources import resources_folder

CATALOGUE_FILE = "catalogue.json"


@dataclass(frozen=True, slots=True)
class HubEntry:
    """A checkpoint on the hub. `download_bytes` is about right; `shape` has the keys of config.json."""

    revision: str
    licence: str
    download_bytes: int
    vocabulary: str
    shape: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FamilyEntry:
    """A family in the library's list, wherever its parts are.

    id             also the name of its folder
    target, draft  sources: a hub id, or the absolute path of a folder with a checkpoint
    ngram          an n-gram table elsewhere than in the family's own folder
    is_own         added by the user
    bundled        the folder of the family that comes with the program; None for all others
    """

    id: str
    name: str
    target: str
    draft: str | None = None
    ngram: str | None = None
    summary: str = ""
    chat_format: ChatFormat = field(default_factory=ChatFormat)
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
    families: tuple[FamilyEntry, ...]

    def revision(self, source: str) -> str:
        """The commit to download; the newest one of models that the catalogue does not know."""
        entry = self.checkpoints.get(source)
        return entry.revision if entry else "main"


@cache
def load_catalogue() -> Catalogue:
    """The catalogue that comes with the program."""
    raw = json.loads((resources_folder() / CATALOGUE_FILE).read_text(encoding="utf-8"))
    checkpoints = {source: HubEntry(**entry) for source, entry in raw["checkpoints"].items()}
    return Catalogue(checkpoints, tuple(_catalogue_family(entry) for entry in raw["families"]))


def _catalogue_family(entry: dict[str, Any]) -> FamilyEntry:
    if "bundled" in entry:
        folder = resources_folder() / entry.pop("bundled")
        return replace(local_entry(entry.pop("id"), read_family(folder)), **entry, bundled=folder)
    chat_format = read_chat_format(entry.pop("chat_format"), Path(CATALOGUE_FILE))
    return FamilyEntry(**entry, chat_format=chat_format)


def local_entry(family_id: str, family: Family) -> FamilyEntry:
    """A family that is used where it is."""
    draft, ngram = (str(path) if path else None for path in (family.draft, family.ngram))
    return FamilyEntry(family_id, family.name, str(family.target), draft, ngram, family.summary, family.chat_format)


def is_local(source: str) -> bool:
    """True for a folder on this machine, False for a hub id."""
    return Path(source).is_absolute()


def read_entry(folder: Path) -> FamilyEntry:
    """A family that the library has written down. Raises CheckpointError when its file is damaged or foreign."""
    family = read_family(folder)
    if family.sources is None:
        raise CheckpointError(
            f"{folder / FAMILY_FILE}: 'sources' is missing; remove the folder and add the model again"
        )
    return FamilyEntry(
        id=folder.name,
        name=family.name,
        summary=family.summary,
        chat_format=family.chat_format,
        **asdict(family.sources),
    )

"""Families that the user adds: from hub ids, from folders with a checkpoint, or from a folder with a whole family."""

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from engine.config import ChatFormatKind
from engine.errors import LibraryError
from engine.family import FAMILY_FILE, Family, open_family, read_chat_format
from engine.library.catalogue import FamilyEntry, is_local, local_entry
from engine.library.hub import require_repo_id


def own_family(
    target: str, draft: str | None, name: str | None, chat_format: ChatFormatKind | None, taken: Collection[str]
) -> FamilyEntry:
    """The family that the user describes, with an id that is not `taken`; see `Library.add` for the parameters.

    Raises DownloadFailed, CheckpointError or LibraryError for what cannot be one.
    """
    source = checked_source(target)
    folder = Path(source)
    family = _inside(folder, open_family(folder)) if is_local(source) else FamilyEntry("", folder.name, source)
    family = replace(family, name=name or family.name, is_own=True)
    if draft is not None:
        family = replace(family, draft=checked_source(draft))
    if chat_format is not None:
        family = replace(family, chat_format=read_chat_format({"kind": chat_format}, Path(source)))
    for path in filter(is_local, family.sources):
        _require_sound(Path(path))
    return replace(family, id=_free_id(family.name, taken))


def checked_source(text: str) -> str:
    """A folder on this machine as an absolute path, or a hub id. Raises DownloadFailed for what can be neither."""
    folder = Path(text).expanduser()
    if folder.is_dir():
        return str(folder.resolve())
    if folder.is_absolute():
        raise LibraryError(f"{text}: there is no such folder")
    require_repo_id(text)
    return text


def _inside(folder: Path, family: Family) -> FamilyEntry:
    """A family used where it is. Raises LibraryError when its file points out of its folder."""
    for path in filter(None, (family.target, family.draft, family.ngram)):
        if not path.resolve().is_relative_to(folder):
            raise LibraryError(f"{folder / FAMILY_FILE}: {path} is elsewhere; add target and draft one by one")
    return local_entry("", family)


def _require_sound(folder: Path) -> None:
    """Raises CheckpointError when a folder holds no GPT-2; what is on the hub is checked when it comes."""
    from engine.checkpoint import open_checkpoint  # torch takes a second to import
    from engine.library.vocabulary import vocabulary_digest

    open_checkpoint(folder)
    vocabulary_digest(folder)


def _free_id(name: str, taken: Collection[str]) -> str:
    """A short name that is safe as a folder's on every system."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:48] or "model"
    candidates = [slug, *(f"{slug}-{number}" for number in range(2, len(taken) + 3))]
    return next(candidate for candidate in candidates if candidate not in taken)

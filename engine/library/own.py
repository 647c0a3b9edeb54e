"""Families that the user adds: from hub ids, from folders with a checkpoint, or from a folder with a whole family."""

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.config import ChatFormatKind
from engine.errors import LibraryError
from engine.library.catalogue import FAMILY_FILE, Family
from engine.library.hub import require_repo_id

DEFAULT_FORMAT = {"kind": ChatFormatKind.TRANSCRIPT.value}


def own_family(
    target: str, draft: str | None, name: str | None, chat_format: ChatFormatKind | None, taken: Collection[str]
) -> Family:
    """The family that the user describes, with an id that is not `taken`; see `Library.add` for the parameters.

    Raises DownloadFailed, CheckpointError or LibraryError for what cannot be one.
    """
    source = checked_source(target)
    folder = Path(source)
    is_family = folder.is_absolute() and (folder / FAMILY_FILE).is_file()
    family = _foreign_family(folder) if is_family else Family(id="", name=folder.name, target=source)
    family = replace(family, name=name or family.name, is_own=True)
    if draft is not None:
        family = replace(family, draft=checked_source(draft))
    if chat_format is not None or not family.chat_format:
        family = replace(family, chat_format={"kind": chat_format.value} if chat_format else DEFAULT_FORMAT)
    for path in filter(None, (family.target, family.draft)):
        _require_sound(path)
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


def _foreign_family(folder: Path) -> Family:
    """A folder with a `family.json` of its own, used where it is. Its paths must not lead out of it."""
    from engine.checkpoint import read_json  # torch takes a second to import

    raw = read_json(folder / FAMILY_FILE)
    chat_format = raw.get("chat_format")
    return Family(
        id="",
        name=str(raw.get("name") or folder.name),
        target=_inside(folder, raw.get("target", "target")) or "",
        draft=_inside(folder, raw.get("draft")),
        ngram=_inside(folder, raw.get("ngram")),
        chat_format=chat_format if isinstance(chat_format, dict) else {},
    )


def _inside(folder: Path, value: Any) -> str | None:
    if value is None:
        return None
    path = (folder / str(value)).resolve()
    if not path.is_relative_to(folder):
        raise LibraryError(
            f"{folder / FAMILY_FILE}: {value!r} leads out of its folder; add target and draft one by one"
        )
    return str(path)


def _require_sound(source: str) -> None:
    """Raises CheckpointError when a folder holds no GPT-2; what is on the hub is checked when it comes."""
    if Path(source).is_absolute():
        from engine.checkpoint import open_checkpoint
        from engine.library.vocabulary import vocabulary_digest

        open_checkpoint(Path(source))
        vocabulary_digest(Path(source))


def _free_id(name: str, taken: Collection[str]) -> str:
    """A short name that is safe as a folder's on every system."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:48] or "model"
    candidates = [slug, *(f"{slug}-{number}" for number in range(2, len(taken) + 3))]
    return next(candidate for candidate in candidates if candidate not in taken)

"""A model family on disk: a target with its draft, its n-gram table and its chat format, written in `family.json`."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.config import BUILTIN, ChatFormat, ChatFormatKind, ModelSpec
from engine.errors import CheckpointError
from engine.files import read_json, write_json
from engine.resources import resources_folder

FAMILY_FILE = "family.json"
CHAT_FORMAT_FILE = "chat_format.json"
"""Beside a checkpoint that is no family."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the model library gets a family's parts from: hub ids, or paths of folders and files.

    is_own   added by the user
    """

    target: str
    draft: str | None = None
    ngram: str | None = None
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """Files that belong together.

    draft, ngram  None where there is none, or none yet
    sources       of the families that the model library keeps
    """

    name: str
    target: Path
    draft: Path | None = None
    ngram: Path | None = None
    chat_format: ChatFormat = field(default_factory=ChatFormat)
    summary: str = ""
    sources: Sources | None = None


def find_family(spec: ModelSpec) -> Family:
    """Resolve what a `ModelSpec` names. Raises CheckpointError where something is missing or damaged."""
    family = open_family(resources_folder() / "models" / "builtin" if spec.target == BUILTIN else Path(spec.target))
    return replace(
        family,
        draft=Path(spec.draft) if spec.draft is not None else family.draft,
        ngram=Path(spec.ngram) if spec.ngram is not None else family.ngram,
    )


def open_family(folder: Path) -> Family:
    """The family in a folder; a folder with a checkpoint alone is a target without helpers. Raises CheckpointError."""
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder; choose a folder with a GPT-2 checkpoint, or 'builtin'")
    if (folder / FAMILY_FILE).is_file():
        return read_family(folder)
    path = folder / CHAT_FORMAT_FILE
    chat_format = read_chat_format(read_json(path), path) if path.is_file() else ChatFormat()
    return Family(folder.name, folder, chat_format=chat_format)


def read_family(folder: Path) -> Family:
    """What a folder's `family.json` says. Raises CheckpointError where it is missing or damaged."""
    path = folder / FAMILY_FILE
    raw = read_json(path)

    def part(key: str) -> Path | None:
        """Relative to the folder, or elsewhere: a draft is kept once for all the families that share it."""
        value = _text(raw, key, path)
        return None if value is None else Path(os.path.normpath(folder / value))

    target = part("target")
    if target is None:
        raise CheckpointError(f"{path}: 'target' is missing")
    return Family(
        name=_text(raw, "name", path) or folder.name,
        target=target,
        draft=part("draft"),
        ngram=part("ngram"),
        chat_format=read_chat_format(raw.get("chat_format", {}), path),
        summary=_text(raw, "summary", path) or "",
        sources=_read_sources(raw["sources"], path) if "sources" in raw else None,
    )


def write_family(folder: Path, family: Family) -> None:
    """Writes `family.json`, whole or not at all.

    Paths beside the folder, or below, are stored relative to it, so that a folder of models may be moved as a whole.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "name": family.name,
        "summary": family.summary,
        "target": _portable(family.target, folder),
        "draft": family.draft and _portable(family.draft, folder),
        "ngram": family.ngram and _portable(family.ngram, folder),
        "chat_format": asdict(family.chat_format),
        "sources": family.sources and asdict(family.sources),
    }
    write_json(folder / FAMILY_FILE, {key: value for key, value in content.items() if value})


def read_chat_format(raw: object, source: Path) -> ChatFormat:
    """A chat format from a JSON object. Raises CheckpointError naming the file where a field is wrong.

    What is not given has the default of `ChatFormat`; an answer in a transcript ends where the user's next turn begins.
    """
    if not isinstance(raw, dict):
        raise CheckpointError(f"{source}: 'chat_format' must be an object")
    texts: dict[str, Any] = {key: raw[key] for key in ("preamble", "user", "assistant", "turn_end") if key in raw}
    stop = raw.get("stop", [])
    kind = raw.get("kind", ChatFormatKind.TRANSCRIPT)
    texts_are_good = all(isinstance(value, str) for value in texts.values())
    stop_is_good = isinstance(stop, list) and all(isinstance(text, str) and text for text in stop)
    if kind not in list(ChatFormatKind) or not texts_are_good or not stop_is_good:
        raise CheckpointError(f"{source}: 'chat_format' needs a kind of {', '.join(ChatFormatKind)} and texts")
    found = ChatFormat(kind=ChatFormatKind(kind), stop=tuple(stop), **texts)
    if "stop" not in raw and found.kind is ChatFormatKind.TRANSCRIPT and found.user.strip():
        return replace(found, stop=("\n" + found.user.rstrip(),))
    return found


def _read_sources(raw: object, path: Path) -> Sources:
    if not isinstance(raw, dict):
        raise CheckpointError(f"{path}: 'sources' must be an object")
    target = _text(raw, "target", path)
    if not target:
        raise CheckpointError(f"{path}: 'sources' needs a target")
    return Sources(target, _text(raw, "draft", path), _text(raw, "ngram", path), raw.get("is_own") is True)


def _text(raw: dict[str, Any], key: str, path: Path) -> str | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise CheckpointError(f"{path}: {key!r} must be a text, not {value!r}")
    return value


def _portable(path: Path, folder: Path) -> str:
    near = path.is_relative_to(folder.parent.parent)
    return Path(os.path.relpath(path, folder)).as_posix() if near else str(path)

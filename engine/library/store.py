"""Checkpoints on this machine: where they are, how they get here, whether they are sound, and how they go.

MODELS/checkpoints/OWNER--NAME/   a whole, checked checkpoint, with `origin.json`; appears and goes in one step
MODELS/downloads/OWNER--NAME/     one that is on its way
MODELS/families/ID/family.json    what belongs together
MODELS/locks/                     who is at work
"""

import hashlib
import json
import os
import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from huggingface_hub import try_to_load_from_cache

from engine.errors import CheckpointError
from engine.files import write_json
from engine.library.catalogue import is_local, load_catalogue
from engine.library.control import Control, Meter, Stage
from engine.library.files import explained_disk_errors, folder_size, hex_digest, only_writer
from engine.library.hub import (
    PICKLED_WEIGHTS,
    SMALL_FILES,
    WEIGHTS,
    WEIGHTS_INDEX,
    Hub,
    RemoteCheckpoint,
    require_repo_id,
)
from engine.library.transfer import Transfer

ORIGIN_FILE = "origin.json"


class Place(StrEnum):
    """Where a checkpoint is."""

    MISSING = "missing"
    PARTIAL = "partial"
    LIBRARY = "library"
    CACHE = "cache"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class CheckpointState:
    """Where a checkpoint is.

    folder         for the engine to load; None while it is not all here
    bytes_on_disk  in the folder of models, of a partial download too; what lies elsewhere takes nothing of it
    """

    source: str
    place: Place
    folder: Path | None
    bytes_on_disk: int = 0


class Store:
    """The folder of models."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.families = folder / "families"
        self._checkpoints = folder / "checkpoints"
        self._downloads = folder / "downloads"
        self._locks = folder / "locks"

    def locate(self, source: str) -> CheckpointState:
        """Where the checkpoint of a hub id or a local folder is. Looks at names only, so that a list is quick."""
        if is_local(source):
            folder = Path(source)
            return CheckpointState(source, Place.LOCAL, folder if is_whole(folder) else None)
        published = self.home(source)
        if (published / ORIGIN_FILE).is_file():
            return CheckpointState(source, Place.LIBRARY, published, folder_size(published))
        cached = _cached(source)
        if cached is not None:
            return CheckpointState(source, Place.CACHE, cached)
        arrived = folder_size(self._downloads / _name(source))
        return CheckpointState(source, Place.PARTIAL if arrived else Place.MISSING, None, arrived)

    def home(self, source: str) -> Path:
        """Where the checkpoint of a hub id or a local folder belongs, whether it is there or not."""
        return Path(source) if is_local(source) else self._checkpoints / _name(source)

    def bring(self, remote: RemoteCheckpoint, hub: Hub, precision: str, control: Control, meter: Meter) -> None:
        """Downloads, checks, converts and publishes a checkpoint; goes on where an earlier call stopped.

        Raises DownloadFailed, NotEnoughSpace, ModelBusy, CheckpointError, LibraryError, Paused or Cancelled.
        """
        work, published = self._downloads / _name(remote.repo_id), self.home(remote.repo_id)
        with explained_disk_errors(self.folder), self._only_writer(remote.repo_id):
            if not (published / ORIGIN_FILE).is_file():
                work.mkdir(parents=True, exist_ok=True)
                self._checkpoints.mkdir(exist_ok=True)
                _download(remote, hub, work, control, meter)
                finished = _prepare(remote, work, precision, control, meter)
                finished.replace(published)
            shutil.rmtree(work, ignore_errors=True)

    def check(self, source: str, control: Control, meter: Meter) -> None:
        """Reads a checkpoint from end to end. Raises CheckpointError naming what is missing, damaged or foreign."""
        from engine.checkpoint import open_checkpoint  # torch takes a second to import

        state = self.locate(source)
        if state.folder is None:
            raise CheckpointError(f"{source}: not on this machine; get it first")
        open_checkpoint(state.folder)
        if state.place is Place.LIBRARY:
            for name, expected in _origin(state.folder)["files"].items():
                if _sha256(state.folder / name, control, meter) != expected["sha256"]:
                    raise CheckpointError(f"{state.folder / name}: damaged; remove the model and get it again")

    def remove(self, source: str) -> int:
        """Deletes a checkpoint, or what has arrived of it, and returns the bytes freed.

        What lies outside the folder of models is not ours to delete. Raises ModelBusy or LibraryError.
        """
        if is_local(source):
            return 0
        published, work = self.home(source), self._downloads / _name(source)
        with explained_disk_errors(self.folder), self._only_writer(source):
            freed = folder_size(published) + folder_size(work)
            if published.exists():
                shutil.rmtree(work, ignore_errors=True)
                work.parent.mkdir(exist_ok=True)
                published.replace(work)  # one step: half a checkpoint must never be found
            if work.exists():
                shutil.rmtree(work)
        return freed

    def forget_partial(self, source: str) -> None:
        """Deletes what has arrived of a checkpoint that is not whole yet."""
        if not is_local(source):
            with explained_disk_errors(self.folder), self._only_writer(source):
                shutil.rmtree(self._downloads / _name(source), ignore_errors=True)

    def _only_writer(self, source: str) -> AbstractContextManager[None]:
        return only_writer(self._locks / f"{_name(source)}.lock", source)


def is_whole(folder: Path) -> bool:
    """Whether a folder has all the parts of a checkpoint, by their names."""
    has_tokenizer = (folder / "tokenizer.json").is_file() or (folder / "vocab.json").is_file()
    has_weights = any((folder / name).is_file() for name in (WEIGHTS, WEIGHTS_INDEX, PICKLED_WEIGHTS))
    return (folder / "config.json").is_file() and has_tokenizer and has_weights


def _name(repo_id: str) -> str:
    """A hub id as a folder name, as huggingface_hub forms it."""
    require_repo_id(repo_id)
    return repo_id.replace("/", "--")


def _cached(repo_id: str) -> Path | None:
    """The snapshot in the Hugging Face cache, if it is whole."""
    for revision in (load_catalogue().revision(repo_id), "main"):
        config = try_to_load_from_cache(repo_id, "config.json", revision=revision)
        if isinstance(config, str) and is_whole(Path(config).parent):
            return Path(config).parent
    return None


def _download(remote: RemoteCheckpoint, hub: Hub, work: Path, control: Control, meter: Meter) -> None:
    """Brings all files; small ones come first, so that a foreign model is refused before gigabytes have come."""
    from engine.checkpoint import read_config  # torch takes a second to import

    _forget_others(work, {file.name for file in remote.files})
    for file in sorted(remote.files, key=lambda file: (file.name not in SMALL_FILES, file.size)):
        if file.name not in SMALL_FILES:
            read_config(work)
        Transfer(file, work / file.name, hub.headers, hub.policy, control, meter).run()


def _forget_others(work: Path, names: set[str]) -> None:
    """What an earlier revision has left behind."""
    for path in work.iterdir():
        name = path.name.removesuffix(".json").removesuffix(".partial")
        if path.name not in names and name not in names and path.is_file():
            path.unlink()


def _prepare(remote: RemoteCheckpoint, work: Path, precision: str, control: Control, meter: Meter) -> Path:
    """The checkpoint as the engine wants it, in a folder of its own with a note of where it comes from."""
    from engine.library.convert import convert, is_converted

    ready = work / "ready"
    shutil.rmtree(ready, ignore_errors=True)  # of a run that was killed
    ready.mkdir()
    for name in {file.name for file in remote.files} & SMALL_FILES:
        _link(work / name, ready / name)
    if is_converted(work, precision):
        _link(work / WEIGHTS, ready / WEIGHTS)
    else:
        convert(work, ready / WEIGHTS, precision, control, meter)
    write_json(ready / ORIGIN_FILE, _describe(remote, ready, control, meter))
    return ready


def _link(source: Path, target: Path) -> None:
    """A second name for a file; where the disk has no such thing, the file is moved."""
    try:
        os.link(source, target)
    except OSError:
        source.replace(target)


def _describe(remote: RemoteCheckpoint, folder: Path, control: Control, meter: Meter) -> dict[str, object]:
    files = {
        path.name: {"size": path.stat().st_size, "sha256": _sha256(path, control, meter)}
        for path in sorted(folder.iterdir())
    }
    downloaded = {file.name: {"size": file.size, "digest": file.digest} for file in remote.files}
    return {"repo_id": remote.repo_id, "commit": remote.commit, "downloaded": downloaded, "files": files}


def _origin(folder: Path) -> dict[str, Any]:
    path = folder / ORIGIN_FILE
    try:
        origin: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged; remove the model and get it again") from error
    return origin


def _sha256(path: Path, control: Control, meter: Meter) -> str:
    meter.begin(Stage.CHECKING, path.name, path.stat().st_size)
    return hex_digest(hashlib.sha256(), path, control, meter.advance)

"""Writing to disk so that nothing is lost: free space, full disks, whole-or-nothing files, one writer at a time."""

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import LibraryError, ModelBusy, NotEnoughSpace
from engine.library.control import Control

SPARE_BYTES = 64 << 20  # left free, so that a download is not what fills the disk


@contextmanager
def explained_disk_errors(folder: Path) -> Iterator[None]:
    """Raises the system's errors as NotEnoughSpace, or as LibraryError where it is not a matter of space."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NotEnoughSpace(
                f"the disk of {folder} is full; make room and start again: what arrived is kept"
            ) from error
        reason = error.strerror or str(error)
        raise LibraryError(f"cannot work in {folder} ({reason}); choose another folder for models") from error


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raises NotEnoughSpace when the folder's disk has less room."""
    free = shutil.disk_usage(folder).free
    if needed_bytes + SPARE_BYTES > free:
        missing = needed_bytes + SPARE_BYTES - free
        raise NotEnoughSpace(
            f"{folder} has {size_text(free)} free and the model needs {size_text(needed_bytes)}; "
            f"free another {size_text(missing)}, or choose another folder for models"
        )


@contextmanager
def only_writer(lock: Path, what: str) -> Iterator[None]:
    """Holds the lock file while the block runs. Raises ModelBusy when another program, or another thread, holds it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(lock, timeout=0, is_singleton=False, thread_local=False):
            yield
    except Timeout as error:
        raise ModelBusy(f"another program is at work on {what}; wait for it, or close it") from error


def hex_digest(
    digest: "hashlib._Hash", path: Path, control: Control, advance: Callable[[int], None] = lambda _: None
) -> str:
    """The digest, updated with a file's bytes. Raises Paused or Cancelled when `control` says so."""
    with path.open("rb") as source:
        while chunk := source.read(1 << 20):
            control.check()
            digest.update(chunk)
            advance(len(chunk))
    return digest.hexdigest()


def folder_size(folder: Path) -> int:
    """Bytes of the files below. Links count for themselves, and what a download moves away meanwhile for nothing."""
    total = 0
    for below, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += (Path(below) / name).lstat().st_size
    return total


def size_text(size: float) -> str:
    """For people: 1.55 GB."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}" if unit != "bytes" else f"{size:.0f} bytes"
        size /= 1000
    return f"{size:.2f} GB"

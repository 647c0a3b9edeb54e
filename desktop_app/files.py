"""Writing files so that a crash or a full disk never leaves half of one."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a text file whole or not at all; the old content stays until the new one is on disk. Raises OSError."""
    path = path.resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".", suffix=".new")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def set_aside(path: Path) -> Path | None:
    """Copy a broken file next to itself under a name that is free; returns it, or None if that cannot be done."""
    for number in range(1, 1000):
        copy = path.with_name(f"{path.stem}.broken-{number}{path.suffix}")
        if not copy.exists():
            break
    try:
        shutil.copy2(path, copy)
    except OSError:
        return None
    return copy


def describe(error: Exception) -> str:
    """One line for people about a file error: what, and which file."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, sqlite3.Error):
        return str(error)
    return " ".join(str(error).split()) or type(error).__name__

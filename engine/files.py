"""Files of JSON, and writing to disk so that a crash leaves all of a file or none of it."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

from engine.errors import CheckpointError

MAX_JSON_BYTES = 64 << 20


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file. Raises CheckpointError naming the file where that fails."""
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise CheckpointError(f"{path}: larger than {MAX_JSON_BYTES >> 20} MB, so not a configuration file")
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"{path}: file not found; choose a folder with a Hugging Face GPT-2 checkpoint") from None
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise CheckpointError(f"{path}: not a JSON file; download it again") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{path}: expected a JSON object, found {type(value).__name__}")
    return value


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """The whole file or none of it, also where two threads or processes write it at once: then one of the two wins."""
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        with durable(beside, "wb") as out:
            out.write(json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def durable(path: Path, mode: Literal["ab", "wb"]) -> Iterator[BinaryIO]:
    """A file to write that is on the disk, not only on its way there, when the block ends, however it ends."""
    with path.open(mode) as out:
        try:
            yield out
        finally:
            out.flush()
            os.fsync(out.fileno())

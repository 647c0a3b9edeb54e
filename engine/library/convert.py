"""Weights as they came -> one half-precision safetensors file that the engine maps, one tensor in memory at a time."""

import json
import math
import struct
from pathlib import Path

import torch

from engine.checkpoint import Checkpoint, expected_shapes, open_checkpoint
from engine.errors import CheckpointError
from engine.files import durable
from engine.library.control import Control, Meter, Stage
from engine.library.hub import WEIGHTS

_DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}
_FORMAT_NAMES = {torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32"}  # in a safetensors file
_ALIGNMENT = 8


def is_converted(folder: Path, precision: str) -> bool:
    """True where the engine can map the weights as they are: a single safetensors file, no wider than `precision`.

    Raises CheckpointError when the folder holds no sound GPT-2.
    """
    stored = open_checkpoint(folder).tensor("ln_f.weight").dtype
    return (folder / WEIGHTS).is_file() and stored.itemsize <= _DTYPES[precision].itemsize


def convert(source: Path, target: Path, precision: str, control: Control, meter: Meter) -> None:
    """Writes the checkpoint's weights to the file `target` in one of the library's `PRECISIONS`.

    What the engine does not need (masks, a head that equals the input embedding) is left out. Raises CheckpointError
    when the source is not sound, or when its numbers do not fit the precision.
    """
    checkpoint = open_checkpoint(source)
    names = [*expected_shapes(checkpoint.config), *(["lm_head.weight"] if _has_own_head(checkpoint) else [])]
    dtype = _DTYPES[precision]
    header, data_size = _header(checkpoint, names, dtype)
    meter.begin(Stage.CONVERTING, target.name, data_size)
    with durable(target, "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header)
        for name in names:
            control.check()
            data = _to(checkpoint.tensor(name), dtype, name, source)
            out.write(data)
            meter.advance(len(data))
    meter.finish()


def _has_own_head(checkpoint: Checkpoint) -> bool:
    return checkpoint.has_head and not torch.equal(checkpoint.tensor("lm_head.weight"), checkpoint.tensor("wte.weight"))


def _header(checkpoint: Checkpoint, names: list[str], dtype: torch.dtype) -> tuple[bytes, int]:
    """The JSON head of a safetensors file, aligned by spaces at its end, and the size of the data that follow."""
    expected = expected_shapes(checkpoint.config)
    entries: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name in names:
        shape = expected.get(name, expected["wte.weight"])
        end = offset + math.prod(shape) * dtype.itemsize
        entries[name] = {"dtype": _FORMAT_NAMES[dtype], "shape": shape, "data_offsets": [offset, end]}
        offset = end
    head = json.dumps(entries, separators=(",", ":")).encode()
    return head + b" " * (-len(head) % _ALIGNMENT), offset


def _to(tensor: torch.Tensor, dtype: torch.dtype, name: str, source: Path) -> memoryview:
    converted = tensor.to(dtype).contiguous()
    if not bool(torch.isfinite(converted).all()):
        raise CheckpointError(f"{source}: {name} has numbers that {dtype} cannot hold; convert to float32 instead")
    return converted.view(torch.uint8).reshape(-1).numpy().data

"""What models need of this machine's memory, told before they are loaded."""

import contextlib
import ctypes
import sys
from collections.abc import Sequence

import psutil

from engine.checkpoint import GPT2Config
from engine.errors import NotEnoughMemory
from engine.kv_cache import BLOCK

WEIGHT_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "int8": 1}
CACHE_ITEM_BYTES = 4  # keys and values are float32 in every precision but the GPU's
WORKING_BYTES = 450 << 20  # torch, and the buffers of its kernels, whatever the model's size


def needed_bytes(configs: Sequence[GPT2Config], dtype: str) -> int:
    """For all models of a family together: weights in `dtype`, caches, and room to compute."""
    return WORKING_BYTES + sum(_model_bytes(config, dtype) for config in configs)


def _model_bytes(config: GPT2Config, dtype: str) -> int:
    head = config.vocab_size * config.n_embd  # packed for the product, beside the table that tokens are looked up in
    cache = 2 * config.n_layer * (config.n_positions + BLOCK) * config.n_embd
    return (config.parameters + head) * WEIGHT_BYTES[dtype] + cache * CACHE_ITEM_BYTES


def free_bytes() -> int:
    """Memory that can be had without pushing other programs out."""
    return int(psutil.virtual_memory().available)


def give_back() -> None:
    """Return what was freed to the system: glibc would keep the holes between packed weights, a third of their size."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


def require_memory(configs: Sequence[GPT2Config], dtype: str) -> None:
    """Raises NotEnoughMemory, with what would fit instead, when the models do not fit into the memory that is free."""
    needed, free = needed_bytes(configs, dtype), free_bytes()
    if needed <= free:
        return
    smaller = [name for name in WEIGHT_BYTES if WEIGHT_BYTES[name] < WEIGHT_BYTES[dtype]]
    fitting = [name for name in smaller if needed_bytes(configs, name) <= free]
    advice = f"load it in {fitting[0]}" if fitting else "close other programs or choose a smaller model"
    raise NotEnoughMemory(
        f"the model needs about {needed / 1e9:.1f} GB of memory in {dtype} and {free / 1e9:.1f} GB are free; {advice}"
    )

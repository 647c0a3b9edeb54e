"""What a model needs of this machine's memory, told before it is loaded."""

from collections.abc import Sequence

import psutil

from engine.checkpoint import GPT2Config
from engine.errors import NotEnoughMemory
from engine.library.catalogue import HubEntry
from engine.library.files import size_text

WEIGHT_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
CACHE_ITEM_BYTES = 4  # keys and values are kept in float32
SCRATCH_ROWS = 64
WORKING_BYTES = 400 << 20  # logits, masks and buffers of the kernels, whatever the model's size


def entry_config(entry: HubEntry) -> GPT2Config:
    """The shape of a model that may not be here yet."""
    return GPT2Config(
        vocab_size=entry.vocab_size,
        n_positions=entry.n_positions,
        n_embd=entry.n_embd,
        n_layer=entry.n_layer,
        n_head=entry.n_head,
        n_inner=4 * entry.n_embd,
    )


def needed_bytes(configs: Sequence[GPT2Config], dtype: str) -> int:
    """For target and draft together: weights in `dtype`, caches, and room to compute."""
    return WORKING_BYTES + sum(_model_bytes(config, dtype) for config in configs)


def _model_bytes(config: GPT2Config, dtype: str) -> int:
    embedding = config.vocab_size * config.n_embd  # once to look tokens up, once packed for the head
    cache = 2 * config.n_layer * (config.n_positions + SCRATCH_ROWS) * config.n_embd
    return (config.parameters + embedding) * WEIGHT_BYTES[dtype] + cache * CACHE_ITEM_BYTES


def free_bytes() -> int:
    """Memory that can be had without pushing other programs out."""
    return int(psutil.virtual_memory().available)


def require_memory(configs: Sequence[GPT2Config], dtype: str) -> None:
    """Raises NotEnoughMemory, with what would fit instead, when the models do not fit into the memory that is free."""
    free, needed = free_bytes(), needed_bytes(configs, dtype)
    if needed <= free:
        return
    others = [name for name in WEIGHT_BYTES if WEIGHT_BYTES[name] < WEIGHT_BYTES[dtype]]
    fitting = [name for name in others if needed_bytes(configs, name) <= free]
    advice = f"load it in {fitting[0]}" if fitting else "close other programs or choose a smaller model"
    raise NotEnoughMemory(
        f"the model needs about {size_text(needed)} of memory in {dtype} and {size_text(free)} are free; {advice}"
    )

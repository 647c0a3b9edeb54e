"""A model with its cache: the only way to run passes. Text moves by verbs: prefill, extend, commit, rollback."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch

from engine.attention import fused_attention, fused_mask, ordered_attention, ordered_mask
from engine.captured import CapturedPasses, cuda_capture
from engine.gpt2 import GPT2, Attention, PassInputs
from engine.kv_cache import BLOCK, KVCache

MAX_ROWS = 64
"""Rows of one pass at most, prefill included."""
CAPTURED_WIDTHS = (1, 2, 4, 8, 16, 32, MAX_ROWS)
"""Widths of captured passes in the fused form: each one met costs a capture."""


class Runner:
    """Runs one GPT-2 over one growing text.

    In the ordered form (`ordered=True`) a row's logits are the same bits in every pass that contains it: all rows of a
    pass lie in one block of 64 positions, and a pass has one of `widths` rows, padded, whose kernels agree (measured by
    `engine.calibration`). In the fused form rows may lie anywhere and every width is allowed.

    On CUDA the passes of `extend` are captured and replayed (see `engine.captured`); prefill, long as it is, is not.
    """

    def __init__(self, model: GPT2, ordered: bool, max_tree: int = MAX_ROWS) -> None:
        config = model.config
        self.model = model
        self.ordered = ordered
        self.max_tree = max_tree
        on_cuda = model.precision.device.type == "cuda"
        self.captured = CapturedPasses(self._logits, cuda_capture()) if on_cuda else None
        self.widths: tuple[int, ...] = CAPTURED_WIDTHS if self.captured else tuple(range(1, MAX_ROWS + 1))
        self.attention: Attention = partial(ordered_attention, own_dtype=torch.float32) if ordered else fused_attention
        self.tokens: list[int] = []
        cache_dtype = torch.float32 if ordered else model.precision.activations
        self.cache = KVCache(
            config.n_layer,
            config.n_head,
            config.head_dim,
            config.n_positions,
            MAX_ROWS,
            cache_dtype,
            model.precision.device,
        )

    @property
    def length(self) -> int:
        """Committed tokens."""
        return self.cache.length

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return self.cache.keys.device

    def room(self) -> int:
        """How deep a tree may grow from the next position: rows of one path, the root included."""
        left = self.model.config.n_positions - self.length
        return min(left, BLOCK - self.length % BLOCK) if self.ordered else left

    def width_for(self, rows: int) -> int:
        """Rows of the pass that holds `rows` rows: the next allowed width."""
        return self.widths[bisect_left(self.widths, rows)]

    def reuse(self, tokens: Sequence[int], keep: int) -> int:
        """Cut the committed text to the prefix it shares with `tokens`, at most `keep` long; returns its length."""
        pairs = zip(self.tokens, tokens, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        self._cut(min(same, keep))
        return self.length

    @torch.inference_mode()
    def prefill(self, tokens: Sequence[int], cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Commit tokens in chunks, without logits. Returns False where it was cancelled between two chunks."""
        done = 0
        while done < len(tokens):
            if cancelled():
                return False
            chunk = tokens[done : done + min(self.widths[-1], self.room())]
            self._hidden(self._inputs(chunk, range(-1, len(chunk) - 1)).to(self.device))
            self.commit(range(len(chunk)), chunk)
            done += len(chunk)
        return True

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], parents: Sequence[int]) -> torch.Tensor:
        """Compute rows behind their parents (scratch rows, or -1 for the committed text) -> logits (n, vocab_size).

        The rows join the scratch rows until `commit` or `rollback`. The logits hold until the next pass.
        """
        inputs = self._inputs(tokens, parents)
        logits = self.captured(inputs, self.device) if self.captured else self._logits(inputs.to(self.device))
        return logits[: len(tokens)]

    def commit(self, path: Sequence[int], tokens: Sequence[int]) -> None:
        """Keep the scratch rows of a path, whose tokens these are, as committed text."""
        self.cache.commit(path)
        self.tokens.extend(tokens)

    def rollback(self) -> None:
        """Forget the scratch rows."""
        self.cache.rollback()

    def reset(self) -> None:
        """Forget everything."""
        self._cut(0)

    def _cut(self, length: int) -> None:
        self.cache.truncate(length)
        del self.tokens[length:]

    def _inputs(self, tokens: Sequence[int], parents: Sequence[int]) -> PassInputs:
        """Place rows in the cache, and pad them to a width; on the host."""
        placement = self.cache.place(parents)
        n, rows = len(tokens), self.width_for(len(tokens))
        assert placement.start + rows <= self.cache.keys.shape[2], "padding rows need slots too"
        ids = np.zeros((3, rows), dtype=np.int64)
        ids[0, :n] = tokens
        ids[1] = placement.positions[0]
        ids[1, :n] = placement.positions
        ids[2] = range(placement.start, placement.start + rows)
        dtype = self.cache.keys.dtype
        if self.ordered:
            mask = ordered_mask(placement, rows, dtype, self.max_tree)
        else:
            mask = fused_mask(placement, rows, dtype, step=BLOCK if self.captured else 1)
        return PassInputs(torch.from_numpy(ids), mask)

    def _hidden(self, inputs: PassInputs) -> torch.Tensor:
        return self.model.forward(inputs, self.cache, self.attention)

    def _logits(self, inputs: PassInputs) -> torch.Tensor:
        return self.model.logits(self._hidden(inputs))

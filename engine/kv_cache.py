"""The static key/value cache of one model: allocated once, moved only by explicit verbs.

Slots 0..length-1 hold the committed text, in order: slot = position. Behind them lie the scratch rows of the present
round, tree nodes in the order in which they were computed. `commit` keeps a path of them, `rollback` forgets them all.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

BLOCK = 64
"""Attention is cut at multiples of this position (see `engine.attention`)."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the rows of one pass lie: their positions, first slot, and who sees whom.

    positions  (n,) int64
    start      slot of the first row
    length     committed slots; every row sees those before its own block's end
    visible    (n, scratch rows so far) bool: the scratch rows that each row attends to, itself included
    """

    positions: np.ndarray
    start: int
    length: int
    visible: np.ndarray


class KVCache:
    """Keys and values of all layers, (n_layer, n_head, slots, head_dim), plus the bookkeeping of the scratch rows."""

    def __init__(
        self,
        n_layer: int,
        n_head: int,
        head_dim: int,
        n_positions: int,
        max_scratch: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.n_positions = n_positions
        self.max_scratch = max_scratch
        slots = -(-n_positions // BLOCK) * BLOCK + max_scratch
        shape = (n_layer, n_head, slots, head_dim)
        self.keys = _zeros(shape, dtype, device)
        self.values = _zeros(shape, dtype, device)
        self.length = 0
        self._scratch = 0
        self._depths = np.zeros(max_scratch, dtype=np.int64)
        self._visible = np.zeros((max_scratch, max_scratch), dtype=bool)

    @property
    def scratch(self) -> int:
        """Scratch rows of the present round."""
        return self._scratch

    def place(self, parents: Sequence[int]) -> Placement:
        """Append rows behind their parents: scratch row numbers, or -1 for children of the committed text."""
        first = self._scratch
        end = first + len(parents)
        assert end <= self.max_scratch, f"{end} scratch rows, room for {self.max_scratch}"
        for row, parent in enumerate(parents, start=first):
            if parent < 0:
                self._visible[row, :end] = False
                self._depths[row] = 0
            else:
                self._visible[row, :end] = self._visible[parent, :end]
                self._depths[row] = self._depths[parent] + 1
            self._visible[row, row] = True
        self._visible[:first, first:end] = False
        self._scratch = end
        positions = self._depths[first:end] + self.length
        assert int(positions.max()) < self.n_positions, "a row lies beyond the last position of the model"
        return Placement(positions, self.length + first, self.length, self._visible[first:end, :end])

    def commit(self, path: Sequence[int]) -> None:
        """Keep the scratch rows of a path, in order, as committed text, and forget the others."""
        if list(path) != list(range(len(path))):  # rows that lie right already need no move
            rows = torch.tensor([self.length + row for row in path], device=self.keys.device)
            kept = slice(self.length, self.length + len(path))
            self.keys[:, :, kept] = self.keys.index_select(2, rows)
            self.values[:, :, kept] = self.values.index_select(2, rows)
        self.length += len(path)
        self._scratch = 0

    def rollback(self) -> None:
        """Forget the scratch rows."""
        self._scratch = 0

    def truncate(self, length: int) -> None:
        """Forget the committed text from `length` on, and the scratch rows."""
        assert 0 <= length <= self.length
        self.length = length
        self._scratch = 0


def _zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Zeros and not garbage: masked slots enter products with weight 0, and 0 * nan would be nan.

    On the CPU the system hands them out page by page as a text grows. Memory that torch or numpy make would all be
    used at once, 400 MB for GPT-2 Large, though most conversations need a fraction.
    """
    if device.type != "cpu":
        return torch.zeros(shape, dtype=dtype, device=device)
    size = torch.Size(shape).numel() * dtype.itemsize
    private = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANON}
    try:
        pages = mmap.mmap(-1, size, **private)
    except OSError as error:
        raise MemoryError(f"no room for a cache of {size >> 20} MB") from error
    return torch.frombuffer(pages, dtype=dtype).view(shape)

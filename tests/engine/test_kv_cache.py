"""The cache moves by verbs only, and its rows see their ancestors and nothing else."""

import numpy as np
import psutil
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv_cache import BLOCK, KVCache
from engine.token_tree import TokenTree
from tests.engine.support import CPU
from tests.engine.test_verifier import trees


def cache(n_positions: int = 256, max_scratch: int = 64) -> KVCache:
    return KVCache(2, 1, 1, n_positions, max_scratch, torch.float32, CPU)


def fill(kv: KVCache, start: int, marks: list[int]) -> None:
    """Stands in for a pass: every row's keys and values are its mark."""
    for offset, mark in enumerate(marks):
        kv.keys[:, :, start + offset] = mark
        kv.values[:, :, start + offset] = -mark


def committed(kv: KVCache) -> list[int]:
    assert torch.equal(kv.keys[:, :, : kv.length], -kv.values[:, :, : kv.length])
    assert torch.equal(kv.keys[0, :, : kv.length], kv.keys[1, :, : kv.length])
    return [int(mark) for mark in kv.keys[0, 0, : kv.length, 0]]


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(1, 5))
def test_rows_see_their_ancestors_only(tree: TokenTree, chunk: int) -> None:
    """However a tree is cut into passes: positions come from depth, sight from ancestry."""
    kv = cache()
    kv.place(range(-1, 9))
    kv.commit(range(10))
    for first in range(0, len(tree), chunk):
        placement = kv.place(tree.parents[first : first + chunk])
        for row, (position, visible) in enumerate(zip(placement.positions, placement.visible, strict=True), first):
            ancestors, node = set(), row
            while node >= 0:
                ancestors.add(node)
                node = tree.parents[node]
            assert position == 10 + tree.depths[row]
            assert set(np.flatnonzero(visible)) == ancestors
        assert placement.start == 10 + first
        assert placement.length == 10
    assert kv.scratch == len(tree)


def test_commit_keeps_the_path_in_order() -> None:
    kv = cache()
    fill(kv, kv.place([-1, 0, 1]).start, [1, 2, 3])
    kv.commit([0, 1, 2])
    fill(kv, kv.place([-1, 0, 0, 2]).start, [4, 90, 5, 91])
    kv.commit([0, 2])
    assert committed(kv) == [1, 2, 3, 4, 5]
    assert kv.scratch == 0
    fill(kv, kv.place([-1, 0, 0, 2, 3]).start, [6, 92, 7, 8, 9])
    kv.commit([0, 2, 3, 4])
    assert committed(kv) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_rollback_and_truncate_forget() -> None:
    kv = cache()
    fill(kv, kv.place([-1, 0, 1]).start, [1, 2, 3])
    kv.commit([0, 1])
    kv.place([-1, 0])
    kv.rollback()
    assert (kv.length, kv.scratch) == (2, 0)
    placement = kv.place([-1])
    assert placement.visible.tolist() == [[True]], "rows of a forgotten round are not seen"
    kv.truncate(1)
    assert (committed(kv), kv.scratch) == ([1], 0)


def test_last_positions_and_last_scratch_rows_can_be_used() -> None:
    kv = cache(n_positions=100, max_scratch=8)
    for _ in range(99):
        kv.place([-1])
        kv.commit([0])
    kv.place([-1] * 8)
    assert kv.keys.shape[2] >= 99 + 8
    kv.rollback()
    with pytest.raises(AssertionError, match="last position"):
        kv.place([-1, 0])
    kv.rollback()
    with pytest.raises(AssertionError, match="scratch rows"):
        kv.place([-1] * 9)
    assert BLOCK == 64


def test_memory_is_used_as_the_text_grows() -> None:
    """GPT-2 Large's cache is 400 MB when full; the slots of 64 tokens are a sixteenth of it."""
    before = psutil.Process().memory_info().rss
    kv = KVCache(36, 20, 64, 1024, 64, torch.float32, torch.device("cpu"))
    assert psutil.Process().memory_info().rss - before < 10 << 20
    kv.keys[:, :, :64] = 1.0
    assert not kv.keys[:, :, 64:128].any(), "unused slots are zero"
    used = psutil.Process().memory_info().rss - before
    assert 10 << 20 < used < 60 << 20


def test_a_cache_that_memory_has_no_room_for() -> None:
    with pytest.raises(MemoryError, match="no room for a cache"):
        KVCache(4096, 4096, 4096, 1024, 64, torch.float32, CPU)

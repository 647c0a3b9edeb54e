"""Both forms of attention against the formula, and the ordered form's promise: the same bits in any company."""

import itertools
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attention import fused_attention, fused_mask, ordered_attention, ordered_mask
from engine.gpt2 import Attention
from engine.kv_cache import BLOCK, KVCache, Placement
from engine.token_tree import TokenTree
from tests.engine.support import CPU
from tests.engine.test_verifier import trees

HEADS, HEAD_DIM, POSITIONS, MAX_TREE = 3, 16, 1024, 24
FORMS = ["fused", "ordered", "ordered in float64"]


def filled_cache(length: int) -> KVCache:
    kv = KVCache(1, HEADS, HEAD_DIM, POSITIONS, 64, torch.float32, CPU)
    generator = torch.Generator().manual_seed(length)
    for tensor in (kv.keys, kv.values):
        tensor.copy_(torch.randn(tensor.shape, generator=generator))
    kv.length = length
    return kv


def queries(rows: int) -> torch.Tensor:
    return torch.randn(HEADS, rows, HEAD_DIM, generator=torch.Generator().manual_seed(1))


def attend(form: str, kv: KVCache, placement: Placement, q: torch.Tensor) -> torch.Tensor:
    """Rows beyond the placement's are padding."""
    if form == "fused":
        return fused_attention(q, kv.keys[0], kv.values[0], fused_mask(placement, q.shape[1], kv.keys.dtype))
    attention: Attention = partial(ordered_attention, own_dtype=torch.float64 if "64" in form else torch.float32)
    return attention(q, kv.keys[0], kv.values[0], ordered_mask(placement, q.shape[1], kv.keys.dtype, MAX_TREE))


def by_the_formula(kv: KVCache, tree: TokenTree, row: int, q: torch.Tensor) -> torch.Tensor:
    """softmax(q k) v over the committed slots and the row's ancestors, in float64."""
    ancestors, node = [], row
    while node >= 0:
        ancestors.append(kv.length + node)
        node = tree.parents[node]
    slots = [*range(kv.length), *ancestors]
    keys, values = kv.keys[0][:, slots].double(), kv.values[0][:, slots].double()
    weights = torch.softmax(torch.einsum("hd,hsd->hs", q[:, row].double(), keys), -1)
    return torch.einsum("hs,hsd->hd", weights, values)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(tree=trees(), length=st.sampled_from([0, 1, 40, 63, 64, 65, 130, 640, 1000]), padding=st.integers(0, 3))
def test_equals_the_formula(form: str, tree: TokenTree, length: int, padding: int) -> None:
    if length % BLOCK + max(tree.depths) >= BLOCK or length + max(tree.depths) >= POSITIONS:
        return
    kv = filled_cache(length)
    q = queries(len(tree) + padding)
    out = attend(form, kv, kv.place(tree.parents), q)
    assert torch.isfinite(out).all(), "padding rows too"
    for row in range(len(tree)):
        assert torch.allclose(out[:, row].double(), by_the_formula(kv, tree, row, q), atol=2e-6)


@pytest.mark.parametrize("form", FORMS)
def test_padding_rows_over_an_empty_cache_are_finite(form: str) -> None:
    kv = filled_cache(0)
    assert torch.isfinite(attend(form, kv, kv.place([-1]), queries(8))).all()


def wide_pass(rng: np.random.Generator, width: int, depth: int) -> tuple[list[int], list[int]]:
    """Parents of a tree of `width` rows, and the rows of a path scattered over it; the others hang from the root."""
    path = [0, *sorted(rng.choice(np.arange(1, width), depth - 1, replace=False).tolist())]
    parents = [-1] + [0] * (width - 1)
    for before, row in itertools.pairwise(path):
        parents[row] = before
    return parents, path


@pytest.mark.parametrize("length", [3, 70, 200, 650, 970])
def test_ordered_rows_keep_their_bits_in_trees_of_one_class(length: int) -> None:
    """Widths from 4 on share their kernels on x86: a path has the same bits wherever its rows lie."""
    rng = np.random.default_rng(length)
    kv, depth = filled_cache(length), 4
    keys, values = kv.keys[0, :, length:].clone(), kv.values[0, :, length:].clone()
    q = queries(MAX_TREE)
    own = torch.float32 if sums_in_slot_order() else torch.float64
    form = "ordered" if own is torch.float32 else "ordered in float64"
    alone = attend(form, kv, kv.place([-1, 0, 1, 2]), q[:, :depth])
    for width in (4, 6, 8, 12, 16, 24):
        for _ in range(4):
            kv.rollback()
            parents, path = wide_pass(rng, width, depth)
            for slot, row in enumerate(path):
                kv.keys[0, :, length + row] = keys[:, slot]
                kv.values[0, :, length + row] = values[:, slot]
            wide = queries(width)
            wide[:, path] = q[:, :depth]
            assert torch.equal(attend(form, kv, kv.place(parents), wide)[:, path], alone)


def sums_in_slot_order() -> bool:
    """Whether float32 products add up in the order of the slots here, as `engine.calibration` finds out at load."""
    values = torch.randn(1, 40, HEAD_DIM, generator=torch.Generator().manual_seed(2))
    dense = torch.rand(1, 8, 4, generator=torch.Generator().manual_seed(3))
    scattered = torch.zeros(1, 8, 40)
    scattered[:, :, [3, 11, 12, 37]] = dense
    compact = torch.zeros(1, 8, 40)
    compact[:, :, :4] = dense
    moved = values.clone()
    moved[:, :4] = values[:, [3, 11, 12, 37]]
    return torch.equal(torch.bmm(scattered, values), torch.bmm(compact, moved))


def test_rows_of_two_blocks_are_refused() -> None:
    kv = filled_cache(63)
    with pytest.raises(AssertionError, match="one block"):
        ordered_mask(kv.place([-1, 0]), 2, kv.keys.dtype, MAX_TREE)

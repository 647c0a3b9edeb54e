"""What this machine's passes cost, and which widths agree to the last bit. Measured once, when a model is loaded."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from functools import partial

import torch

from engine.attention import AttentionMask, ordered_attention
from engine.kv_cache import BLOCK
from engine.planner import PassCosts
from engine.runner import MAX_ROWS, Runner

WIDTHS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48)
REPEATS = 2
FIRST_ROOT = 1
USELESS_COST = 5.0
"""A pass that costs this many times the cheapest one holds no tree that could pay. Two widths in a row must say so: one
may have met another program's busy moment."""
CONTEXT = BLOCK + 16

Bits = tuple[bytes, ...]


def calibrate(runner: Runner) -> PassCosts:
    """Measure passes over a short context; in the ordered form also choose `runner.widths` and its precision.

    The cache is empty before and after.
    """
    prefilled = _read_context(runner)
    if runner.ordered and not _keeps_slot_order(runner):
        runner.attention = partial(ordered_attention, own_dtype=torch.float64)
        runner.reset()
        prefilled = _read_context(runner)
    seconds, bits = _measure(runner)
    runner.reset()
    widths = sorted(seconds)
    if runner.ordered:
        widths = _agreeing(bits, prefilled)
        runner.widths = (*widths, *((MAX_ROWS,) if bits[widths[0]][0] == prefilled else ()))
    return PassCosts(widths, [seconds[width] for width in widths], stepped=runner.ordered)


def _read_context(runner: Runner) -> bytes:
    """Commit a context, and return the bits of the first root of `_measure` as the last row of a prefill pass."""
    length = min(CONTEXT, runner.model.config.n_positions // 2)
    context = [(7 * index + 3) % len(runner.model.token_embedding) for index in range(length)]
    if runner.ordered:
        runner.widths = (MAX_ROWS,)
    complete = length - length % BLOCK
    runner.prefill(context[:complete])
    chain = [*context[complete:], FIRST_ROOT]
    last = _compute(runner, chain, range(-1, len(chain) - 1))[-1]
    runner.commit(range(len(chain) - 1), chain[:-1])
    return _bits(last)


def _measure(runner: Runner) -> tuple[dict[int, float], dict[int, Bits]]:
    """width -> seconds of a pass; and, where all its rows agree, the bits of some roots in it, one pass each."""
    seconds: dict[int, float] = {}
    bits: dict[int, Bits] = {}
    expensive = 0
    for width in [w for w in WIDTHS if w <= runner.max_tree]:
        runner.widths = (width,)
        times, rows = [], []
        for root in range(FIRST_ROOT, FIRST_ROOT + REPEATS):
            before = time.perf_counter()
            computed = _compute(runner, [root] * width, [-1] * width)
            times.append(time.perf_counter() - before)
            runner.rollback()
            rows.append({_bits(row) for row in computed})
        seconds[width] = min(times)
        if all(len(different) == 1 for different in rows):
            bits[width] = tuple(different.pop() for different in rows)
        expensive = expensive + 1 if seconds[width] > USELESS_COST * min(seconds.values()) else 0
        if expensive == 2:
            break
    runner.widths = tuple(range(1, MAX_ROWS + 1))
    return seconds, bits


def _compute(runner: Runner, tokens: Sequence[int], parents: Sequence[int]) -> torch.Tensor:
    """All that tells whether two passes agree (n, values): logits, and each layer's attention in float32, before it is
    rounded. Rounding to 16 bit hides most differences, but not all, and a text meets them sooner or later."""
    attention, attended = runner.attention, []

    def recorded(q: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: AttentionMask) -> torch.Tensor:
        attended.append(attention(q, keys, values, mask))
        return attended[-1]

    runner.attention = recorded
    try:
        logits = runner.extend(tokens, parents)
    finally:
        runner.attention = attention
    rows = [layer.transpose(0, 1)[: len(tokens)].flatten(1) for layer in attended]  # (n, heads * head_dim)
    return torch.cat([part.float().cpu() for part in (logits, *rows)], dim=1)


def _agreeing(bits: dict[int, Bits], prefill: bytes) -> list[int]:
    """The largest set of widths that give a row the same bits; a set that agrees with prefill wins a tie."""
    groups: dict[Bits, list[int]] = defaultdict(list)
    for width, rows in bits.items():
        groups[rows].append(width)
    return max(groups.values(), key=lambda widths: (len(widths), bits[widths[0]][0] == prefill))


def _keeps_slot_order(runner: Runner) -> bool:
    """True where a path through a tree with other nodes between its own gives the bits of the path alone."""
    runner.widths = (8,)
    alone = _compute(runner, [1, 2, 3], [-1, 0, 1])[2]
    runner.rollback()
    scattered = _compute(runner, [1, 9, 8, 2, 7, 3], [-1, 0, 1, 0, 3, 3])[5]
    runner.rollback()
    return _bits(alone) == _bits(scattered)


def _bits(row: torch.Tensor) -> bytes:
    return row.numpy().tobytes()

"""How many threads pay, what passes cost, and which widths agree to the last bit: measured when a model is loaded."""

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
TREE_ROWS = 8
"""A pass of this many rows, a usual tree, decides how many threads pay."""
THREADS_GAIN = 0.9
"""More threads are worth waking only where they bring a pass below this share of its time with fewer."""

Bits = tuple[bytes, ...]


def pick_threads(runner: Runner, most: int) -> int:
    """Set torch's threads to the fewest that run a small tree about as fast as up to `most` do, and return them.

    A small model gains nothing from a second thread, and each waits for the other at every product: where another
    program holds one core, that costs more than the thread ever brought.
    """
    count, best, best_s = most, most, float("inf")
    while count >= 1:
        torch.set_num_threads(count)
        seconds = float("inf")
        for _ in range(REPEATS):  # the first pass wakes the threads
            seconds = min(seconds, _timed(runner, [FIRST_ROOT] * TREE_ROWS, [-1] * TREE_ROWS)[1])
            runner.rollback()
        if best_s < THREADS_GAIN * seconds:
            break
        best, best_s = count, min(best_s, seconds)
        count //= 2
    torch.set_num_threads(best)
    return best


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
    is_padded = runner.ordered or runner.captured is not None
    return PassCosts(widths, [seconds[width] for width in widths], stepped=is_padded)


def _read_context(runner: Runner) -> bytes:
    """Commit a context, and return the bits of the first root of `_measure` as the last row of a prefill pass."""
    length = min(CONTEXT, runner.model.config.n_positions // 2)
    context = [(7 * index + 3) % len(runner.model.token_embedding) for index in range(length)]
    if runner.ordered:
        runner.widths = (MAX_ROWS,)
    complete = length - length % BLOCK
    runner.prefill(context[:complete])
    chain = [*context[complete:], FIRST_ROOT]
    last = _compute(runner, chain, range(-1, len(chain) - 1))[0][-1]
    runner.commit(range(len(chain) - 1), chain[:-1])
    return _bits(last)


def _measure(runner: Runner) -> tuple[dict[int, float], dict[int, Bits]]:
    """width -> seconds of a pass; and, where all its rows agree, the bits of some roots in it, one pass each."""
    seconds: dict[int, float] = {}
    bits: dict[int, Bits] = {}
    expensive = 0
    allowed = runner.widths
    candidates = WIDTHS if runner.ordered else [width for width in WIDTHS if width in allowed]
    for width in [width for width in candidates if width <= runner.max_tree]:
        runner.widths = (width,)
        times, rows = [], []
        for root in range(FIRST_ROOT, FIRST_ROOT + REPEATS):
            computed, pass_s = _compute(runner, [root] * width, [-1] * width)
            runner.rollback()
            if runner.captured:  # the first root's pass is captured, the second's replayed
                pass_s = _timed(runner, [root] * width, [-1] * width)[1]
                runner.rollback()
            times.append(pass_s)
            rows.append({_bits(row) for row in computed})
        seconds[width] = min(times)
        if all(len(different) == 1 for different in rows):
            bits[width] = tuple(different.pop() for different in rows)
        expensive = expensive + 1 if seconds[width] > USELESS_COST * min(seconds.values()) else 0
        if expensive == 2:
            break
    runner.widths = allowed
    return seconds, bits


def _timed(runner: Runner, tokens: Sequence[int], parents: Sequence[int]) -> tuple[torch.Tensor, float]:
    """One pass -> its logits and its seconds."""
    before = time.perf_counter()
    logits = runner.extend(tokens, parents)
    logits[0, 0].item()  # a GPU is done only when somebody waits for a number
    return logits, time.perf_counter() - before


def _compute(runner: Runner, tokens: Sequence[int], parents: Sequence[int]) -> tuple[torch.Tensor, float]:
    """One pass -> all that tells whether two passes agree (n, values), and its seconds.

    That is the logits, and each layer's attention in float32, before it is rounded: rounding to 16 bit hides most
    differences, but not all, and a text meets them sooner or later.
    """
    attention, captured, attended = runner.attention, runner.captured, []

    def recorded(q: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: AttentionMask) -> torch.Tensor:
        attended.append(attention(q, keys, values, mask))
        return attended[-1]

    runner.attention, runner.captured = recorded, None  # a replay would not call it
    try:
        logits, seconds = _timed(runner, tokens, parents)
    finally:
        runner.attention, runner.captured = attention, captured
    rows = [layer.transpose(0, 1)[: len(tokens)].flatten(1) for layer in attended]  # (n, heads * head_dim)
    return torch.cat([part.float().cpu() for part in (logits, *rows)], dim=1), seconds


def _agreeing(bits: dict[int, Bits], prefill: bytes) -> list[int]:
    """The largest set of widths that give a row the same bits; a set that agrees with prefill wins a tie."""
    groups: dict[Bits, list[int]] = defaultdict(list)
    for width, rows in bits.items():
        groups[rows].append(width)
    return max(groups.values(), key=lambda widths: (len(widths), bits[widths[0]][0] == prefill))


def _keeps_slot_order(runner: Runner) -> bool:
    """True where a path through a tree with other nodes between its own gives the bits of the path alone."""
    runner.widths = (8,)
    alone = _compute(runner, [1, 2, 3], [-1, 0, 1])[0][2]
    runner.rollback()
    scattered = _compute(runner, [1, 9, 8, 2, 7, 3], [-1, 0, 1, 0, 3, 3])[0][5]
    runner.rollback()
    return _bits(alone) == _bits(scattered)


def _bits(row: torch.Tensor) -> bytes:
    return row.numpy().tobytes()

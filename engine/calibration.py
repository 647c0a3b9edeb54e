"""What this machine's passes cost, and which widths agree to the last bit. Measured once, when a model is loaded."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

import torch

from engine.kv_cache import BLOCK
from engine.planner import PassCosts
from engine.runner import MAX_ROWS, Runner

WIDTHS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48)
REPEATS = 3
USELESS_COST = 5.0
"""A pass that costs this many times the cheapest one holds no tree that could pay."""
CONTEXT = BLOCK + 16


def calibrate(runner: Runner) -> PassCosts:
    """Measure passes over a short context; in the ordered form also choose `runner.widths` and its precision.

    The cache is empty before and after.
    """
    context = [(7 * i + 3) % _vocab_size(runner) for i in range(CONTEXT)]
    if runner.ordered:
        runner.own_dtype = torch.float32
        if not _keeps_slot_order(runner, context):
            runner.own_dtype = torch.float64
    runner.prefill(context)
    seconds, logits = _measure(runner)
    runner.reset()
    widths = sorted(seconds)
    if runner.ordered:
        reference = _prefill_logits(runner, context)
        widths = _agreeing(logits, reference)
        runner.widths = (*widths, *((MAX_ROWS,) if _same(logits[widths[0]], reference) else ()))
    return PassCosts(widths, [seconds[width] for width in widths], stepped=runner.ordered)


def _vocab_size(runner: Runner) -> int:
    return len(runner.model.token_embedding)


def _measure(runner: Runner) -> tuple[dict[int, float], dict[int, torch.Tensor]]:
    """width -> seconds of a pass, and the logits of its first row, which is the same in all of them."""
    seconds: dict[int, float] = {}
    logits: dict[int, torch.Tensor] = {}
    for width in [w for w in WIDTHS if w <= runner.max_tree]:
        tokens, parents = _star(width)
        runner.widths = (width,)
        times = []
        for _ in range(REPEATS):
            before = time.perf_counter()
            logits[width] = runner.extend(tokens, parents)[0].cpu()
            times.append(time.perf_counter() - before)
            runner.rollback()
        seconds[width] = min(times)
        if seconds[width] > USELESS_COST * min(seconds.values()):
            break
    runner.widths = tuple(range(1, MAX_ROWS + 1))
    return seconds, logits


def _star(width: int) -> tuple[list[int], list[int]]:
    """A root, always the same, with leaves."""
    return list(range(1, width + 1)), [-1] + [0] * (width - 1)


def _prefill_logits(runner: Runner, context: Sequence[int]) -> torch.Tensor:
    """Logits of the same root as the last row of a full prefill pass."""
    runner.widths = (MAX_ROWS,)
    runner.prefill(context[:BLOCK])
    chain = [*context[BLOCK:], 1]
    logits = runner.extend(chain, range(-1, len(chain) - 1))[-1].cpu()
    runner.reset()
    return logits


def _agreeing(logits: dict[int, torch.Tensor], reference: torch.Tensor) -> list[int]:
    """The largest set of widths that give one row the same bits; a set that agrees with prefill wins a tie."""
    groups: dict[bytes, list[int]] = defaultdict(list)
    for width, row in logits.items():
        groups[row.view(torch.uint8).numpy().tobytes()].append(width)
    return max(groups.values(), key=lambda widths: (len(widths), _same(logits[widths[0]], reference)))


def _keeps_slot_order(runner: Runner, context: Sequence[int]) -> bool:
    """True where a path through a tree with other nodes between its own gives the bits of the path alone."""
    runner.widths = (8,)
    runner.prefill(context)
    alone = runner.extend([1, 2, 3], [-1, 0, 1])[2].cpu()
    runner.rollback()
    scattered = runner.extend([1, 9, 8, 2, 7, 3], [-1, 0, 1, 0, 3, 3])[5].cpu()
    runner.reset()
    return _same(alone, scattered)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.view(torch.uint8), b.view(torch.uint8))

"""Which widths are taken to agree: the measurement itself, on kernels that are made to disagree."""

from functools import partial
from pathlib import Path

import pytest
import torch

import engine.calibration
from engine.attention import AttentionMask, ordered_attention
from engine.calibration import calibrate, pick_threads
from engine.checkpoint import GPT2Config
from engine.runner import MAX_ROWS, Runner
from tests.engine.support import runner, write_checkpoint

A_HAIR = 1 + 2.0**-20
"""Much less than the last bit of a bfloat16."""


SHAPE = GPT2Config(vocab_size=64, n_positions=192, n_embd=16, n_layer=2, n_head=2, n_inner=32)


@pytest.fixture
def toy(tmp_path: Path) -> Runner:
    return runner(write_checkpoint(tmp_path, SHAPE), torch.bfloat16, ordered=True)


def stage(model: Runner, factor: torch.Tensor | None = None, widths: range = range(MAX_ROWS + 1)) -> None:
    """Let passes of some widths differ by a hair, in all rows or as `factor` (rows,) says."""
    attention = model.attention

    def staged(q: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: AttentionMask) -> torch.Tensor:
        out = attention(q, keys, values, mask)
        rows = q.shape[1]
        if rows not in widths:
            return out
        return out * A_HAIR if factor is None else out * factor[:rows, None]

    model.attention = staged


def test_a_difference_that_rounding_hides_separates_widths(toy: Runner) -> None:
    calibrate(toy)
    agreeing = [width for width in toy.widths if width >= 4]
    stage(toy, widths=range(1, 4))
    costs = calibrate(toy)
    assert toy.widths == tuple(agreeing)
    assert costs.widths == [width for width in agreeing if width <= toy.max_tree]
    assert toy.length == 0


def test_a_width_whose_rows_differ_among_themselves_is_not_used(toy: Runner) -> None:
    factor = torch.ones(MAX_ROWS)
    factor[4] = A_HAIR
    stage(toy, factor, widths=range(5, 7))
    calibrate(toy)
    assert not {5, 6} & set(toy.widths)
    assert {8, 12, 16} <= set(toy.widths)


def test_prefill_that_disagrees_is_done_in_the_passes_of_the_tree(toy: Runner) -> None:
    stage(toy, widths=range(MAX_ROWS, MAX_ROWS + 1))
    calibrate(toy)
    assert toy.widths[-1] == 16
    assert toy.prefill([1, 2, 3] * 20)
    assert toy.length == 60


def test_sums_that_feel_masked_slots_are_done_in_float64(toy: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.calibration, "_keeps_slot_order", lambda *_: False)
    calibrate(toy)
    assert isinstance(toy.attention, partial)
    assert toy.attention.func is ordered_attention
    assert toy.attention.keywords == {"own_dtype": torch.float64}


def test_masked_slots_that_leave_a_trace_are_noticed(toy: Runner) -> None:
    attention = toy.attention

    def feels(q: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: AttentionMask) -> torch.Tensor:
        seen = torch.isfinite(mask.bias).sum(1, keepdim=True)
        last = mask.bias.isfinite().float().mul(torch.arange(mask.bias.shape[1])).amax(1, keepdim=True)
        return attention(q, keys, values, mask) * (1 + (last - seen) * 2.0**-20)

    toy.attention = feels
    engine.calibration._read_context(toy)
    assert not engine.calibration._keeps_slot_order(toy)


def test_float32_uses_every_width(tmp_path: Path) -> None:
    plain = runner(write_checkpoint(tmp_path, SHAPE))
    costs = calibrate(plain)
    assert plain.widths == tuple(range(1, MAX_ROWS + 1))
    assert costs.widths[0] == 1
    assert all(cost > 0 for cost in map(costs.seconds, range(1, 17)))


@pytest.mark.parametrize(
    ("seconds", "chosen"),
    [({8: 0.1, 4: 0.2, 2: 0.4, 1: 0.8}, 8), ({8: 0.5, 4: 0.2, 2: 0.21, 1: 0.4}, 2), ({8: 9, 4: 3, 2: 1, 1: 1.05}, 1)],
)
def test_as_few_threads_as_are_about_as_fast(
    toy: Runner, seconds: dict[int, float], chosen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second thread must be worth waking: staged times by the number of threads that torch was told to use."""
    monkeypatch.setattr(engine.calibration, "_timed", lambda *_: (torch.zeros(1), seconds[torch.get_num_threads()]))
    before = torch.get_num_threads()
    try:
        assert pick_threads(toy, most=8) == chosen
        assert torch.get_num_threads() == chosen
    finally:
        torch.set_num_threads(before)


def test_picking_threads_leaves_the_cache_empty(toy: Runner) -> None:
    before = torch.get_num_threads()
    try:
        assert pick_threads(toy, most=2) in (1, 2)
    finally:
        torch.set_num_threads(before)
    assert toy.length == toy.cache.scratch == 0

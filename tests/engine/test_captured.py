"""Captured passes: what is baked into a capture must not differ between passes that share it.

Where there is no GPU, a trace of the operators (torch.fx) stands in for the CUDA graph. Like a graph it keeps tensors
by reference and numbers as they were, so a pass that depends on anything but its static inputs goes wrong here too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from engine.calibration import calibrate
from engine.captured import CapturedPasses, Replay
from engine.checkpoint import GPT2Config
from engine.config import DecodingMode
from engine.kv_cache import BLOCK
from engine.runner import CAPTURED_WIDTHS, Runner
from tests.engine.support import runner, write_checkpoint
from tests.engine.toy import Toy, toy_runner

SHAPE = GPT2Config(vocab_size=64, n_positions=192, n_embd=16, n_layer=2, n_head=2, n_inner=32)


class Traces:
    """Captures by tracing operators, and counts."""

    def __init__(self) -> None:
        self.captures = 0
        self.replays = 0

    def __call__(self, run: Callable[[], torch.Tensor]) -> Replay:
        self.captures += 1
        traced = make_fx(run)()

        def replay() -> torch.Tensor:
            self.replays += 1
            result: torch.Tensor = traced()
            return result

        return replay


@pytest.fixture(params=["fused", "ordered"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Runner, Runner, Traces]:
    """The same model twice: eager, and with captured passes."""
    ordered = request.param == "ordered"
    folder = write_checkpoint(tmp_path, SHAPE)
    dtype = torch.bfloat16 if ordered else torch.float32
    eager, replaying, traces = runner(folder, dtype, ordered), runner(folder, dtype, ordered), Traces()
    replaying.captured = CapturedPasses(replaying._logits, traces)
    for model in (eager, replaying):
        model.widths = CAPTURED_WIDTHS[2:]
    return eager, replaying, traces


def grow_and_commit(model: Runner, length: int) -> list[torch.Tensor]:
    """A few rounds of trees of several sizes, from a prefilled text of `length` on."""
    model.reset()
    model.prefill([(5 * index) % 64 for index in range(length)])
    seen = []
    for tokens, parents, path in (
        ([1, 2, 3, 4, 5], [-1, 0, 0, 1, 3], [0, 1, 3]),
        ([9], [-1], [0]),
        ([7, 6], [-1, 0], [0, 1]),
        ([8, 1, 2, 3, 9, 9], [-1, 0, 1, 1, 3, 0], [0, 1, 3]),
    ):
        seen.append(model.extend(tokens, parents).clone())
        seen.append(model.extend([11, 12], [len(tokens) - 1, 0]).clone())
        model.commit(path, [tokens[row] for row in path])
    return seen


@pytest.mark.parametrize("length", [5, BLOCK - 12, BLOCK, 2 * BLOCK + 3])
def test_a_replay_gives_the_bits_of_the_pass(pair: tuple[Runner, Runner, Traces], length: int) -> None:
    eager, replaying, _ = pair
    for expected, found in zip(grow_and_commit(eager, length), grow_and_commit(replaying, length), strict=True):
        assert torch.allclose(expected, found, atol=1e-5) if not eager.ordered else torch.equal(expected, found)


@pytest.mark.parametrize("mode", DecodingMode)
def test_every_mode_decodes_with_captured_passes(tmp_path: Path, mode: DecodingMode) -> None:
    """A short answer, then a longer one into blocks that no pass has met: nothing read is overwritten by a replay."""
    toys = []
    for _ in range(2):
        target = toy_runner(tmp_path / "target", 1, n_positions=192, ordered=True)
        toys.append(Toy(target, toy_runner(tmp_path / "draft", 1, n_positions=192, disturbance=0.4)))
    eager, replaying = toys
    traces = Traces()
    for model in filter(None, (replaying.target, replaying.draft)):
        model.captured, model.widths = CapturedPasses(model._logits, traces), CAPTURED_WIDTHS[2:]
    for tokens in (12, 90):
        expected = eager.decode([1, 4, 2, 1, 4] * 11, mode, tokens, 3, temperature=1.0)
        assert replaying.decode([1, 4, 2, 1, 4] * 11, mode, tokens, 3, temperature=1.0).tokens == expected.tokens
    assert traces.replays > traces.captures > 1


def test_one_capture_for_each_shape(pair: tuple[Runner, Runner, Traces]) -> None:
    _, replaying, traces = pair
    grow_and_commit(replaying, 3)
    captures, replays = traces.captures, traces.replays
    assert captures <= len({4, 8}) * 2, "two widths, in at most two places"
    assert replays == 8
    grow_and_commit(replaying, 4)
    grow_and_commit(replaying, 5)
    assert (traces.captures, traces.replays) == (captures, 3 * replays)


def test_calibration_measures_replays_and_compares_eager_passes(pair: tuple[Runner, Runner, Traces]) -> None:
    eager, replaying, traces = pair
    calibrate(eager)
    costs = calibrate(replaying)
    assert replaying.captured is not None
    assert costs.stepped
    assert traces.replays == 2 * traces.captures > 0
    if eager.ordered:
        assert set(replaying.widths) <= set(eager.widths), "a slow width may end the measurement early"
    else:
        assert replaying.widths == CAPTURED_WIDTHS[2:]
        assert set(costs.widths) <= set(replaying.widths)

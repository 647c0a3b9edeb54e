"""The cost side at full size without the weights: pass times of a random GPT-2 Large against the memory's own speed.

A pass over few rows reads every weight once, so bytes / bandwidth is the least time it can take.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from engine.checkpoint import Checkpoint, GPT2Config, expected_shapes
from engine.gpt2 import load_gpt2
from engine.linear import precision_for
from engine.runner import MAX_ROWS, Runner

SHAPES = {
    "gpt2-large": GPT2Config(50257, 1024, 1280, 36, 20, 5120),
    "gpt2-medium": GPT2Config(50257, 1024, 1024, 24, 16, 4096),
    "gpt2": GPT2Config(50257, 1024, 768, 12, 12, 3072),
}
ROWS = (1, 2, 4, 8, 16, 32, 64)
CONTEXTS = (64, 512, 896)
REPEATS = 3
COPY_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class PassTime:
    """Seconds of a pass of `rows` rows behind `context` committed tokens."""

    dtype: str
    context: int
    rows: int
    seconds: float


def random_checkpoint(config: GPT2Config) -> Checkpoint:
    """Weights of a shape, made when they are asked for, small enough that activations stay finite."""
    return Checkpoint(
        Path(), config, {name: partial(_random, shape) for name, shape in expected_shapes(config).items()}
    )


def _random(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.randn(shape) * 0.02


def read_bandwidth() -> float:
    """Bytes a second that this machine reads from memory with all of torch's threads."""
    source = torch.ones(COPY_BYTES // 4)
    times = []
    for _ in range(REPEATS + 1):
        before = time.perf_counter()
        torch.dot(source, source)
        times.append(time.perf_counter() - before)
    return COPY_BYTES / min(times)


def measure_shape(name: str, dtypes: Sequence[str]) -> Iterator[PassTime]:
    """Pass times of a shape, rows by contexts, in each precision; the model is made anew for each."""
    config = SHAPES[name]
    for dtype in dtypes:
        precision = precision_for(getattr(torch, dtype), torch.device("cpu"))
        runner = Runner(
            load_gpt2(random_checkpoint(config), precision, config.vocab_size, _ignore), precision.is_ordered
        )
        for context in CONTEXTS:
            runner.reset()
            runner.prefill([index % config.vocab_size for index in range(context)])
            for rows in ROWS:
                yield PassTime(dtype, context, rows, _time_pass(runner, rows))


def _time_pass(runner: Runner, rows: int) -> float:
    rows = min(rows, MAX_ROWS)
    times = []
    for _ in range(REPEATS):
        before = time.perf_counter()
        runner.extend([0] * rows, [-1] + [0] * (rows - 1))
        times.append(time.perf_counter() - before)
        runner.rollback()
    return min(times)


def _ignore(_: float) -> None:
    """Nobody waits for this progress."""


def shape_table(name: str, times: Sequence[PassTime], bandwidth: float) -> str:
    """Milliseconds by rows, one line a precision and context, with the least time that reading the weights takes."""
    parameters = SHAPES[name].parameters
    lines = [f"{name}: {parameters / 1e6:.0f}M parameters; memory reads at {bandwidth / 1e9:.1f} GB/s"]
    lines.append("dtype     context  least  " + "".join(f"{rows:>7}" for rows in ROWS) + "  ms by rows")
    for dtype, context in dict.fromkeys((t.dtype, t.context) for t in times):
        least = parameters * getattr(torch, dtype).itemsize / bandwidth * 1e3
        row = [t.seconds * 1e3 for t in times if (t.dtype, t.context) == (dtype, context)]
        lines.append(f"{dtype:<9} {context:>7} {least:>6.0f}  " + "".join(f"{ms:>7.0f}" for ms in row))
    return "\n".join(lines)

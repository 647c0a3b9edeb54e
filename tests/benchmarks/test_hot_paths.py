"""What a round of decoding spends its time on, piece by piece: for developers to watch, and no judgement.

pip install -e .[test,bench]
pytest -m benchmark tests/benchmarks
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from engine.chat_model import ChatModel
from engine.config import DecodingMode, ModelSpec, SamplingParams
from engine.loading import load_chat_model
from engine.sampling import Sampler
from tests.engine.support import answer, request

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.benchmark

SAMPLED = SamplingParams(temperature=0.8, top_k=50, top_p=0.95)


@pytest.fixture(scope="module")
def model() -> ChatModel:
    return load_chat_model(ModelSpec(), lambda _progress, _stage: None)


def contexts(vocab_size: int) -> Iterator[list[int]]:
    """Half of them seen in the conversation, or nearly so; the others random."""
    rng = random.Random(1)
    text = [rng.randrange(vocab_size) for _ in range(800)]
    while True:
        start = rng.randrange(len(text) - 4)
        yield rng.choice([text[start : start + 4], [rng.randrange(vocab_size) for _ in range(4)]])


@pytest.mark.parametrize("count", [4, 8])
def test_ngram_query(model: ChatModel, count: int, benchmark: BenchmarkFixture) -> None:
    asked = contexts(model.info.vocab_size)
    benchmark.pedantic(model.ngram.propose, setup=lambda: ((next(asked), count), {}), rounds=20_000)


def test_coupling_proposals_to_the_noise(model: ChatModel, benchmark: BenchmarkFixture) -> None:
    sampler = Sampler(SAMPLED, 1, model.target.device)
    benchmark(sampler.coupled, [(token, 0.4 / (token + 1)) for token in range(8)], 100)


@pytest.mark.parametrize("params", [SamplingParams(temperature=0), SAMPLED], ids=["greedy", "sampled"])
def test_choice_of_a_token(model: ChatModel, params: SamplingParams, benchmark: BenchmarkFixture) -> None:
    model.target.reset()
    row = model.target.extend([1], [-1])[0].clone()
    model.target.rollback()
    benchmark(Sampler(params, 1, model.target.device).choose, row, 100)


@pytest.mark.parametrize("rows", [1, 4, 8, 16])
@pytest.mark.parametrize("which", ["target", "draft"])
def test_pass(model: ChatModel, which: str, rows: int, benchmark: BenchmarkFixture) -> None:
    runner = model.target if which == "target" else model.draft
    assert runner is not None
    runner.reset()
    runner.prefill(range(1, 101))

    def one_pass() -> None:
        runner.extend([7] * rows, [-1] * rows)
        runner.rollback()

    benchmark(one_pass)


@pytest.mark.parametrize("mode", DecodingMode)
def test_answer_of_sixty_tokens(model: ChatModel, mode: DecodingMode, benchmark: BenchmarkFixture) -> None:
    asked = request(None, "How does this work?", mode=mode, max_new_tokens=60, temperature=0.8, top_k=50)
    benchmark(answer, model, asked)

"""Counters and rates: the formulas of the docstrings, and no figure where nothing was counted."""

import itertools

import pytest

from engine.stats import PHASES, Recorder, Statistics
from tests.engine.support import StagedCosts

SOME = Statistics(
    new_tokens=30,
    target_passes=10,
    target_rows=80,
    draft_passes=20,
    proposed_draft=40,
    proposed_ngram=10,
    accepted_draft=15,
    accepted_ngram=5,
    emitted_histogram=(0, 2, 2, 2, 4),
    seconds=(0.5, 0.3, 0.05, 0.1, 0.05),
    plain_tokens_per_s=15.0,
    target_bytes=1000,
    draft_bytes=50,
)
RATES = [name for name in dir(Statistics) if isinstance(getattr(Statistics, name), property)]


def test_rates() -> None:
    assert SOME.tokens_per_s == pytest.approx(30)
    assert SOME.speedup == pytest.approx(2)
    assert SOME.acceptance_rate == pytest.approx(0.4)
    assert SOME.draft_acceptance_rate == pytest.approx(0.375)
    assert SOME.ngram_acceptance_rate == pytest.approx(0.5)
    assert SOME.mean_accepted_length == pytest.approx(3)
    assert SOME.relative_bytes_read == pytest.approx((10 * 1000 + 20 * 50) / (30 * 1000))
    assert SOME.overhead_share == pytest.approx(0.2)


def test_nothing_counted_gives_no_figures() -> None:
    assert {getattr(Statistics(), name) for name in RATES} == {None, 0}
    assert Statistics().decode_s == 0
    drafted_nothing = Statistics(new_tokens=3, target_passes=3, seconds=(1, 0, 0, 0, 0))
    assert drafted_nothing.acceptance_rate is None
    assert drafted_nothing.speedup is None, "no plain speed is known"


def test_a_slower_answer_has_a_speedup_below_one() -> None:
    assert Statistics(new_tokens=5, seconds=(1, 0, 0, 0, 0), plain_tokens_per_s=10).speedup == 0.5


def test_sums() -> None:
    total = SOME + Statistics(
        new_tokens=10, seconds=(1.0, 0, 0, 0, 0), plain_tokens_per_s=5.0, emitted_histogram=(0, 10)
    )
    assert total.new_tokens == 40
    assert total.emitted_histogram == (0, 12, 2, 2, 4)
    assert total.plain_tokens_per_s == pytest.approx(40 / (30 / 15 + 10 / 5)), "tokens over plain decoding's seconds"
    assert total.speedup == pytest.approx(40 / 2 / 10)
    assert SOME + Statistics() == SOME == Statistics() + SOME


def test_every_moment_belongs_to_one_phase() -> None:
    ticks = itertools.count()
    recorder = Recorder(clock=lambda: float(next(ticks)))
    recorder.start()
    with recorder.round() as timing:
        with recorder.phase("planner"), recorder.draft_pass(3, None), recorder.phase("ngram"):
            pass
        with recorder.target_pass(5, StagedCosts([1], [1.0], stepped=True)):
            pass
    found = recorder.snapshot()
    assert dict(zip(PHASES, found.seconds, strict=True)).keys() == set(PHASES)
    assert all(seconds > 0 for seconds in found.seconds)
    assert found.decode_s > timing.seconds > timing.model_s > 0
    assert (found.target_passes, found.target_rows, found.draft_passes, found.draft_rows) == (1, 5, 1, 3)


def test_counts_of_a_round() -> None:
    recorder = Recorder()
    recorder.proposed(["draft", "ngram", "ngram"])
    recorder.emitted(["ngram", "draft", "target"])
    recorder.emitted(["target"])
    found = recorder.snapshot(prompt_tokens=7)
    assert (found.proposed_draft, found.proposed_ngram) == (1, 2)
    assert (found.accepted_draft, found.accepted_ngram, found.new_tokens) == (1, 1, 4)
    assert found.emitted_histogram == (0, 1, 0, 1)
    assert found.prompt_tokens == 7


def test_a_phase_ends_when_it_fails() -> None:
    recorder = Recorder()
    with pytest.raises(RuntimeError), recorder.phase("draft"):
        raise RuntimeError
    assert recorder._phase == "other"

"""The figures: as they are, or none at all."""

import pytest

from desktop_app.figures import FIGURES, NOTHING, PHASE_LABELS, STOP_REASONS, accepted_of_proposed, phase_shares
from engine.events import StopReason
from engine.stats import PHASES, Statistics

SLOW = Statistics(
    prompt_tokens=12,
    new_tokens=10,
    target_passes=10,
    draft_passes=20,
    proposed_draft=8,
    accepted_draft=2,
    prefill_s=0.25,
    first_token_s=0.5,
    seconds=(1.0, 0.5, 0.0, 0.25, 0.25),
    plain_tokens_per_s=10.0,
    target_bytes=1000,
    draft_bytes=100,
)


def texts(statistics: Statistics | None) -> dict[str, str]:
    return {key: figure.text(statistics) for key, figure in FIGURES.items()}


def test_before_anything_was_counted_there_is_no_figure() -> None:
    assert set(texts(None).values()) == {NOTHING}
    empty = texts(Statistics())
    assert {key for key, text in empty.items() if text != NOTHING} == {"new_tokens"}


def test_figures_as_they_are() -> None:
    assert texts(SLOW) == {
        "tokens_per_s": "5.0",
        "speedup": "0.50×",  # below 1 is shown as it is
        "acceptance_rate": "25%",
        "draft_acceptance_rate": "25%",
        "ngram_acceptance_rate": NOTHING,  # nothing was proposed: neither 0 % nor 100 %
        "mean_accepted_length": "1.00",
        "target_passes_per_token": "1.00",
        "relative_bytes_read": "1.20",
        "overhead_share": "25%",
        "prefill_s": "0.25 s",
        "first_token_s": "0.50 s",
        "new_tokens": "10",
    }


def test_proposed_but_never_accepted_is_zero() -> None:
    assert FIGURES["ngram_acceptance_rate"].text(Statistics(proposed_ngram=3)) == "0%"


def test_every_figure_explains_itself() -> None:
    assert all(figure.label and len(figure.formula) > 10 for figure in FIGURES.values())
    assert tuple(PHASE_LABELS) == PHASES
    assert set(STOP_REASONS) == set(StopReason)


def test_where_the_time_went() -> None:
    assert phase_shares(None) == phase_shares(Statistics()) == {}
    assert phase_shares(SLOW) == pytest.approx(
        {"target": 0.5, "draft": 0.25, "ngram": 0.0, "planner": 0.125, "other": 0.125}
    )


def test_accepted_of_proposed() -> None:
    assert accepted_of_proposed(SLOW) == (2, 8)
    assert accepted_of_proposed(Statistics(new_tokens=5)) is None
    assert accepted_of_proposed(None) is None

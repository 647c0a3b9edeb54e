"""The figures of the live panel and of the line under an answer: names, formulas in words, texts.

Texts are English here and marked for translation in the context "Figures"; whoever shows one translates it with
`QCoreApplication.translate("Figures", text)`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from desktop_app.translation import QT_TRANSLATE_NOOP
from engine.stats import PHASES, Statistics, ratio

NOTHING = "–"  # nothing was counted: no figure rather than an invented one


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `value` reads it from the counters, `text` shows it; None is shown as "–"."""

    label: str
    formula: str
    value: Callable[[Statistics], float | None]
    template: str

    def text(self, statistics: Statistics | None) -> str:
        """The figure as it stands in the window."""
        value = self.value(statistics) if statistics is not None else None
        return NOTHING if value is None else self.template.format(value)


RATE, PERCENT, FACTOR, SECONDS, COUNT = "{:.1f}", "{:.0%}", "{:.2f}×", "{:.2f} s", "{:,.0f}"

# By the name of the property of `Statistics`.
FIGURES: dict[str, Figure] = {
    "tokens_per_s": Figure(
        QT_TRANSLATE_NOOP("Figures", "Tokens per second"),
        QT_TRANSLATE_NOOP("Figures", "New tokens divided by seconds of decoding. Reading the prompt is not counted."),
        lambda s: s.tokens_per_s,
        RATE,
    ),
    "speedup": Figure(
        QT_TRANSLATE_NOOP("Figures", "Speed-up over plain"),
        QT_TRANSLATE_NOOP(
            "Figures",
            "Tokens per second divided by those of plain decoding, as measured with this model on this machine. "
            "Below 1 it is slower than plain.",
        ),
        lambda s: s.speedup,
        FACTOR,
    ),
    "acceptance_rate": Figure(
        QT_TRANSLATE_NOOP("Figures", "Acceptance rate"),
        QT_TRANSLATE_NOOP("Figures", "Accepted tokens divided by proposed tokens, of draft and n-grams together."),
        lambda s: s.acceptance_rate,
        PERCENT,
    ),
    "draft_acceptance_rate": Figure(
        QT_TRANSLATE_NOOP("Figures", "Accepted from the draft"),
        QT_TRANSLATE_NOOP("Figures", "Accepted tokens divided by proposed tokens, of those from the draft model."),
        lambda s: s.draft_acceptance_rate,
        PERCENT,
    ),
    "ngram_acceptance_rate": Figure(
        QT_TRANSLATE_NOOP("Figures", "Accepted from n-grams"),
        QT_TRANSLATE_NOOP("Figures", "Accepted tokens divided by proposed tokens, of those from n-grams."),
        lambda s: s.ngram_acceptance_rate,
        PERCENT,
    ),
    "mean_accepted_length": Figure(
        QT_TRANSLATE_NOOP("Figures", "Tokens per target pass"),
        QT_TRANSLATE_NOOP(
            "Figures", "New tokens divided by passes of the target; the token that a pass gives by itself included."
        ),
        lambda s: s.mean_accepted_length,
        "{:.2f}",
    ),
    "target_passes_per_token": Figure(
        QT_TRANSLATE_NOOP("Figures", "Target passes per token"),
        QT_TRANSLATE_NOOP("Figures", "Passes of the target divided by new tokens. Plain decoding needs 1."),
        lambda s: s.target_passes_per_token,
        "{:.2f}",
    ),
    "relative_bytes_read": Figure(
        QT_TRANSLATE_NOOP("Figures", "Relative bytes read"),
        QT_TRANSLATE_NOOP(
            "Figures",
            "Bytes of weights that target and draft read for each new token, divided by those of plain decoding.",
        ),
        lambda s: s.relative_bytes_read,
        "{:.2f}",
    ),
    "overhead_share": Figure(
        QT_TRANSLATE_NOOP("Figures", "Overhead"),
        QT_TRANSLATE_NOOP("Figures", "Share of the decoding time that neither the target nor the draft computes."),
        lambda s: s.overhead_share,
        PERCENT,
    ),
    "prefill_s": Figure(
        QT_TRANSLATE_NOOP("Figures", "Reading the prompt"),
        QT_TRANSLATE_NOOP("Figures", "Seconds until the prompt was read; what the cache holds is not read again."),
        lambda s: s.prefill_s if s.prompt_tokens else None,
        SECONDS,
    ),
    "first_token_s": Figure(
        QT_TRANSLATE_NOOP("Figures", "Time to first token"),
        QT_TRANSLATE_NOOP("Figures", "Seconds from the request to the first token of the answer."),
        lambda s: s.first_token_s,
        SECONDS,
    ),
    "new_tokens": Figure(
        QT_TRANSLATE_NOOP("Figures", "Tokens"),
        QT_TRANSLATE_NOOP("Figures", "Tokens of the answer."),
        lambda s: s.new_tokens,
        COUNT,
    ),
}

PHASE_LABELS = {
    "target": QT_TRANSLATE_NOOP("Figures", "Target"),
    "draft": QT_TRANSLATE_NOOP("Figures", "Draft"),
    "ngram": QT_TRANSLATE_NOOP("Figures", "N-grams"),
    "planner": QT_TRANSLATE_NOOP("Figures", "Planner"),
    "other": QT_TRANSLATE_NOOP("Figures", "Other"),
}

STOP_REASONS = {
    "end_of_text": QT_TRANSLATE_NOOP("Figures", "finished"),
    "stop_string": QT_TRANSLATE_NOOP("Figures", "finished"),
    "max_new_tokens": QT_TRANSLATE_NOOP("Figures", "longest answer reached"),
    "context_full": QT_TRANSLATE_NOOP("Figures", "context is full"),
    "cancelled": QT_TRANSLATE_NOOP("Figures", "stopped"),
}


def phase_shares(statistics: Statistics | None) -> dict[str, float]:
    """Where the time of decoding went: shares by phase, in the order of `PHASE_LABELS`; empty before it began."""
    if statistics is None or statistics.decode_s <= 0:
        return {}
    return {phase: ratio(s, statistics.decode_s) or 0.0 for phase, s in zip(PHASES, statistics.seconds, strict=True)}


def accepted_of_proposed(statistics: Statistics | None) -> tuple[int, int] | None:
    """Tokens accepted and proposed, of both stages; None where nothing was proposed."""
    if statistics is None or not statistics.proposed_draft + statistics.proposed_ngram:
        return None
    accepted = statistics.accepted_draft + statistics.accepted_ngram
    return accepted, statistics.proposed_draft + statistics.proposed_ngram

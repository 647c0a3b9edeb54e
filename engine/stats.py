"""Counters of a generation and the rates derived from them, in the field's standard terms."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

PHASES = ("target", "draft", "ngram", "planner", "other")


def ratio(numerator: float, denominator: float) -> float | None:
    """numerator / denominator, or None where nothing was counted: no figure rather than an invented one."""
    return numerator / denominator if denominator > 0 else None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters of one generation, or of several added up.

    prompt_tokens         tokens of the prompt, `cached_tokens` of them found in the cache
    new_tokens            tokens emitted
    target_passes/rows    verify passes of the target after prefill, and their rows without padding
    draft_passes/rows     passes of the draft after its prefill, and their rows
    proposed_draft/ngram  tree nodes offered to the target, by origin
    accepted_draft/ngram  those among them that were emitted
    emitted_histogram     [i]: target passes that emitted i tokens (index 0 stays 0)
    prefill_s             seconds until the prompt was in the caches
    first_token_s         seconds from the request to the first token; None before it
    seconds               wall seconds after prefill by phase, in the order of `PHASES`
    plain_tokens_per_s    measured speed of plain decoding for this model, precision and context length
    target_bytes          bytes of weights that one target pass reads; draft_bytes likewise
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    target_passes: int = 0
    target_rows: int = 0
    draft_passes: int = 0
    draft_rows: int = 0
    proposed_draft: int = 0
    proposed_ngram: int = 0
    accepted_draft: int = 0
    accepted_ngram: int = 0
    emitted_histogram: tuple[int, ...] = ()
    prefill_s: float = 0.0
    first_token_s: float | None = None
    seconds: tuple[float, ...] = field(default=(0.0,) * len(PHASES))
    plain_tokens_per_s: float | None = None
    target_bytes: int = 0
    draft_bytes: int = 0

    @property
    def decode_s(self) -> float:
        """Seconds of decoding: all phases after prefill."""
        return sum(self.seconds)

    @property
    def tokens_per_s(self) -> float | None:
        """new tokens / seconds of decoding."""
        return ratio(self.new_tokens, self.decode_s)

    @property
    def speedup(self) -> float | None:
        """tokens per second / tokens per second of plain decoding on this machine at this context length."""
        return ratio(self.tokens_per_s or 0.0, self.plain_tokens_per_s or 0.0) if self.tokens_per_s else None

    @property
    def acceptance_rate(self) -> float | None:
        """accepted / proposed, over both origins."""
        return ratio(self.accepted_draft + self.accepted_ngram, self.proposed_draft + self.proposed_ngram)

    @property
    def draft_acceptance_rate(self) -> float | None:
        """accepted / proposed, tokens from the draft."""
        return ratio(self.accepted_draft, self.proposed_draft)

    @property
    def ngram_acceptance_rate(self) -> float | None:
        """accepted / proposed, tokens from the n-grams."""
        return ratio(self.accepted_ngram, self.proposed_ngram)

    @property
    def mean_accepted_length(self) -> float | None:
        """new tokens / target passes, bonus token included."""
        return ratio(self.new_tokens, self.target_passes)

    @property
    def target_passes_per_token(self) -> float | None:
        """target passes / new tokens; 1 in plain decoding."""
        return ratio(self.target_passes, self.new_tokens)

    @property
    def relative_bytes_read(self) -> float | None:
        """Bytes of weights read per token, relative to plain decoding (Spector & Ré 2023, Table 1)."""
        read = self.target_passes * self.target_bytes + self.draft_passes * self.draft_bytes
        return ratio(read, self.new_tokens * self.target_bytes)

    @property
    def overhead_share(self) -> float | None:
        """Share of decoding time outside the passes of the two models."""
        by_phase = dict(zip(PHASES, self.seconds, strict=True))
        return ratio(self.decode_s - by_phase["target"] - by_phase["draft"], self.decode_s)

    def __add__(self, other: "Statistics") -> "Statistics":
        """Totals over two generations; plain speed is weighted by the tokens so that the speed-up stays a mean."""
        return Statistics(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            new_tokens=self.new_tokens + other.new_tokens,
            target_passes=self.target_passes + other.target_passes,
            target_rows=self.target_rows + other.target_rows,
            draft_passes=self.draft_passes + other.draft_passes,
            draft_rows=self.draft_rows + other.draft_rows,
            proposed_draft=self.proposed_draft + other.proposed_draft,
            proposed_ngram=self.proposed_ngram + other.proposed_ngram,
            accepted_draft=self.accepted_draft + other.accepted_draft,
            accepted_ngram=self.accepted_ngram + other.accepted_ngram,
            emitted_histogram=_add_histograms(self.emitted_histogram, other.emitted_histogram),
            prefill_s=self.prefill_s + other.prefill_s,
            first_token_s=self.first_token_s if self.first_token_s is not None else other.first_token_s,
            seconds=tuple(a + b for a, b in zip(self.seconds, other.seconds, strict=True)),
            plain_tokens_per_s=_mean_plain_speed(self, other),
            target_bytes=max(self.target_bytes, other.target_bytes),
            draft_bytes=max(self.draft_bytes, other.draft_bytes),
        )


def _add_histograms(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    size = max(len(a), len(b))
    pad = (0,) * size
    return tuple(x + y for x, y in zip((a + pad)[:size], (b + pad)[:size], strict=True))


def _mean_plain_speed(a: Statistics, b: Statistics) -> float | None:
    """Tokens over the seconds that plain decoding would have taken for them."""
    parts = [part for part in (a, b) if part.plain_tokens_per_s and part.new_tokens]
    if not parts:
        return a.plain_tokens_per_s or b.plain_tokens_per_s
    plain_s = sum(part.new_tokens / part.plain_tokens_per_s for part in parts if part.plain_tokens_per_s)
    return ratio(sum(part.new_tokens for part in parts), plain_s)


class PassObserver(Protocol):
    """Wants to know what passes cost (the planner's tables)."""

    def observe(self, rows: int, seconds: float) -> None:
        """A pass of `rows` rows took `seconds`."""


@dataclass(slots=True)
class RoundTiming:
    """Wall seconds of a round, and those of them in the passes of the two models."""

    seconds: float = 0.0
    model_s: float = 0.0


class Recorder:
    """Counts while a generation runs. Every moment after `start` belongs to exactly one phase."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._phase = "other"
        self._since = clock()
        self._seconds = dict.fromkeys(PHASES, 0.0)
        self._counts: dict[str, int] = {}
        self._histogram: list[int] = []

    def start(self) -> None:
        """Prefill ended: decoding time counts from here."""
        self._since = self._clock()
        self._seconds = dict.fromkeys(PHASES, 0.0)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time inside belongs to `name`, and not to the phase around it."""
        outer = self._switch(name)
        try:
            yield
        finally:
            self._switch(outer)

    @contextmanager
    def target_pass(self, rows: int, observer: PassObserver) -> Iterator[None]:
        """A pass of the target over `rows` rows."""
        before = self._clock()
        with self.phase("target"):
            yield
        observer.observe(rows, self._clock() - before)
        self._count("target_passes", 1)
        self._count("target_rows", rows)

    @contextmanager
    def draft_pass(self, rows: int, observer: PassObserver | None) -> Iterator[None]:
        """A pass of the draft over `rows` rows."""
        before = self._clock()
        with self.phase("draft"):
            yield
        if observer is not None:
            observer.observe(rows, self._clock() - before)
        self._count("draft_passes", 1)
        self._count("draft_rows", rows)

    @contextmanager
    def round(self) -> Iterator["RoundTiming"]:
        """One round of decoding; its figures are there when it ends."""
        timing = RoundTiming()
        before, models_before = self._clock(), self._model_s()
        yield timing
        timing.seconds = self._clock() - before
        timing.model_s = self._model_s() - models_before

    def proposed(self, origins: Sequence[str]) -> None:
        """Tree nodes that are offered to the target."""
        for origin in origins:
            self._count(f"proposed_{origin}", 1)

    def emitted(self, origins: Sequence[str]) -> None:
        """The tokens that one target pass emitted, by origin; the bonus token is the target's."""
        for origin in origins:
            if origin != "target":
                self._count(f"accepted_{origin}", 1)
        self._count("new_tokens", len(origins))
        self._histogram += [0] * (len(origins) + 1 - len(self._histogram))
        self._histogram[len(origins)] += 1

    def _model_s(self) -> float:
        return self._seconds["target"] + self._seconds["draft"]

    def snapshot(self, **facts: object) -> Statistics:
        """The counters so far, joined by `facts`: fields of Statistics that others know."""
        self._switch(self._phase)
        seconds = tuple(self._seconds[name] for name in PHASES)
        return Statistics(**self._counts, seconds=seconds, emitted_histogram=tuple(self._histogram), **facts)  # type: ignore[arg-type]

    def _switch(self, name: str) -> str:
        now = self._clock()
        self._seconds[self._phase] += now - self._since
        self._since = now
        outer, self._phase = self._phase, name
        return outer

    def _count(self, name: str, amount: int) -> None:
        self._counts[name] = self._counts.get(name, 0) + amount

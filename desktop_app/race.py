"""The race: one prompt and one seed, in plain and in the chosen mode, one after the other on the same machine."""

from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from desktop_app.records import TokenSpan
from engine.stats import Statistics


class LaneState(StrEnum):
    """How far one side of a race is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(slots=True)
class Lane:
    """One side of a race. `elapsed_s` is prefill and decoding as measured by the engine; `started_at` is on
    `time.monotonic`, for a clock that runs."""

    mode: str
    state: LaneState = LaneState.WAITING
    text: str = ""
    spans: list[TokenSpan] = field(default_factory=list)
    started_at: float | None = None
    elapsed_s: float | None = None
    statistics: Statistics | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a race ended.

    speedup           seconds of plain / seconds of the other; below 1 it was slower; None if nothing was measured
    first_difference  character at which the texts part; None if they are identical
    text              one line for people, with the reason for a difference
    """

    identical: bool
    speedup: float | None
    first_difference: int | None
    text: str


class RaceController(QObject):
    """Two lanes, plain first.

    changed    lanes have news, at most once per frame
    finished   (Verdict or None where it was stopped or failed)
    """

    changed = Signal()
    finished = Signal(object)

    lanes: tuple[Lane, Lane]
    verdict: Verdict | None
    running: bool

    def start(self, text: str = "") -> None:
        """Race the answer to `text` in the open conversation, or with "" the answer to its last question. Nothing is
        added to the conversation."""

    def stop(self) -> None:
        """End the race."""

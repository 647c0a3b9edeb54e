"""The figures of the live panel: the answer that runs (or ran last), its recent past, and the conversation's totals."""

from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from engine.stats import Statistics, ratio

HISTORY = 600  # samples kept for the chart; a few minutes of an answer
SAMPLE_S = 0.1  # shortest span of decoding time over which a rate is formed


@dataclass(frozen=True, slots=True)
class Sample:
    """A point of the chart: seconds of decoding, tokens/s since the last point, and their ratio to plain."""

    time_s: float
    tokens_per_s: float
    speedup: float | None


class LiveStatistics(QObject):
    """What the live panel shows. Reads only; `desktop_app.figures` turns it into texts.

    changed    any of the properties below has a new value (a few times a second while an answer runs)
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current: Statistics | None = None  # of the answer that runs, or ran last, in the open conversation
        self.totals = Statistics()  # of all answers of the open conversation, the running one included
        self.context_length: int | None = None
        self.dropped_turns = 0  # old turns that did not fit when the answer began
        self.running = False
        self.history: deque[Sample] = deque(maxlen=HISTORY)
        self._finished = Statistics()  # totals without the running answer
        self._last = Statistics()  # when the last sample was taken

    @property
    def context_used(self) -> int | None:
        """Tokens of the context that prompt and answer take; None before anything was read."""
        return self.current.prompt_tokens + self.current.new_tokens if self.current else None

    # For controllers

    def open(self, last: Statistics | None, finished: Statistics) -> None:
        """Show a conversation in which no answer runs: its last answer, and the totals of all."""
        self.current, self.totals, self._finished = last, finished, finished
        self.running, self.dropped_turns = False, 0
        self._clear_history(Statistics())
        self.changed.emit()

    def begin(self, before: Statistics | None, finished: Statistics) -> None:
        """An answer runs now: its counters so far, and the totals of the others."""
        self.current, self.totals, self._finished = before, finished + (before or Statistics()), finished
        self.running, self.dropped_turns = True, 0
        self._clear_history(before or Statistics())
        self.changed.emit()

    def prefilled(self, dropped_turns: int) -> None:
        """The prompt was read, without that many old turns."""
        self.dropped_turns = dropped_turns
        self.changed.emit()

    def update(self, statistics: Statistics) -> None:
        """Counters of the running answer so far."""
        self._sample(statistics)
        self.current, self.totals = statistics, self._finished + statistics
        self.changed.emit()

    def end(self) -> None:
        """The running answer ended, with the counters that it had last."""
        self._finished = self.totals
        self.running = False
        self.changed.emit()

    def _clear_history(self, counted: Statistics) -> None:
        self.history.clear()
        self._last = counted

    def _sample(self, statistics: Statistics) -> None:
        span_s = statistics.decode_s - self._last.decode_s
        if span_s < SAMPLE_S:
            return
        speed = (statistics.new_tokens - self._last.new_tokens) / span_s
        self._last = statistics
        self.history.append(Sample(statistics.decode_s, speed, ratio(speed, statistics.plain_tokens_per_s or 0.0)))

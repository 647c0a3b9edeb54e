"""How another thread stops a job of the library, and what a job tells about its progress."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from engine.errors import Cancelled, Paused

SPEED_WINDOW_S = 5.0
REPORT_INTERVAL_S = 0.1


class Control:
    """Holds, pauses or cancels a job from another thread. What a paused one has done is kept; the next goes on there.

    The job itself calls `check`, `wait` and `interrupting`, which raise `Paused` or `Cancelled` once it is to stop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._may_go_on = threading.Event()
        self._may_go_on.set()
        self._reason: type[Cancelled] | None = None
        self._interrupt: Callable[[], None] | None = None

    def pause(self) -> None:
        """Stop the job, to go on later."""
        self._stop(Paused)

    def cancel(self) -> None:
        """Stop the job for good."""
        self._stop(Cancelled)

    def hold(self, still: bool) -> None:
        """Make the job stand still at its next `check`, or go on."""
        with self._lock:
            if still and self._reason is None:
                self._may_go_on.clear()
            else:
                self._may_go_on.set()

    def check(self) -> None:
        """Raise `Paused` or `Cancelled` if the job is to stop; while it is held, do not return."""
        self._may_go_on.wait()
        if self._reason is not None:
            raise self._reason("the download was paused" if self._reason is Paused else "the download was cancelled")

    def wait(self, seconds: float) -> None:
        """Sleep, but wake up and raise as `check` does when the job is to stop."""
        self._stopped.wait(seconds)
        self.check()

    @contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """While the block runs, stopping also calls `interrupt`, which is to end what blocks inside it."""
        with self._lock:
            self.check()
            self._interrupt = interrupt
        try:
            yield
        finally:
            with self._lock:
                self._interrupt = None

    def _stop(self, reason: type[Cancelled]) -> None:
        with self._lock:
            self._reason = reason
            self._stopped.set()
            self._may_go_on.set()
            if self._interrupt is not None:
                self._interrupt()


class Stage(StrEnum):
    """What a job is doing."""

    DOWNLOADING = "downloading"
    CHECKING = "checking"
    CONVERTING = "converting"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is. `bytes_per_s` and `seconds_left` are None until they can be told, and outside downloads."""

    stage: Stage
    file: str
    file_done_bytes: int
    file_total_bytes: int
    done_bytes: int
    total_bytes: int
    bytes_per_s: float | None
    seconds_left: float | None


Report = Callable[[Progress], None]


class Meter:
    """Turns byte counts into `Progress`, a few times a second.

    total_bytes  of all downloads of the job
    report       called in the job's own thread
    """

    def __init__(self, total_bytes: int, report: Report, clock: Callable[[], float] = time.monotonic) -> None:
        self._total_bytes = total_bytes
        self._report = report
        self._clock = clock
        self._stage = Stage.DOWNLOADING
        self._file = ""
        self._file_done = 0
        self._file_total = 0
        self._finished_bytes = 0
        self._last_report_s = float("-inf")
        self._samples: deque[tuple[float, int]] = deque()  # (time, bytes received by then in this job)
        self._received_bytes = 0

    def begin(self, stage: Stage, file: str, total_bytes: int) -> None:
        """A file's turn has come."""
        self._stage, self._file, self._file_done, self._file_total = stage, file, 0, total_bytes
        self._emit()

    def resume_at(self, done_bytes: int) -> None:
        """Bytes that are here already; they are no part of the speed."""
        self._file_done = done_bytes
        self._emit()

    def advance(self, new_bytes: int) -> None:
        """More bytes are done."""
        self._file_done += new_bytes
        if self._stage is Stage.DOWNLOADING:
            self._received_bytes += new_bytes
        if self._clock() - self._last_report_s >= REPORT_INTERVAL_S:
            self._emit()

    def finish(self) -> None:
        """The file is done."""
        self._file_done = self._file_total
        self._emit()
        if self._stage is Stage.DOWNLOADING:
            self._finished_bytes += self._file_total

    def _emit(self) -> None:
        self._last_report_s = self._clock()
        downloading = self._stage is Stage.DOWNLOADING
        done = self._finished_bytes + (self._file_done if downloading else 0)
        speed = self._speed() if downloading else None
        self._report(
            Progress(
                stage=self._stage,
                file=self._file,
                file_done_bytes=self._file_done,
                file_total_bytes=self._file_total,
                done_bytes=done,
                total_bytes=self._total_bytes,
                bytes_per_s=speed,
                seconds_left=(self._total_bytes - done) / speed if speed else None,
            )
        )

    def _speed(self) -> float | None:
        now = self._clock()
        self._samples.append((now, self._received_bytes))
        while now - self._samples[0][0] > SPEED_WINDOW_S and len(self._samples) > 2:
            self._samples.popleft()
        begin, received = self._samples[0]
        return (self._received_bytes - received) / (now - begin) if now > begin else None

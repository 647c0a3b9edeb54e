"""Progress in figures, and stopping."""

import queue
import threading
from contextlib import suppress

import pytest

from engine.errors import Cancelled, Paused
from engine.library.commands import progress_text
from engine.library.control import Control, Meter, Progress, Stage


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_speed_and_time_left() -> None:
    clock, seen = Clock(), list[Progress]()
    meter = Meter(10_000, seen.append, clock)
    meter.begin(Stage.DOWNLOADING, "a", 10_000)
    assert seen[-1].bytes_per_s is None
    assert seen[-1].seconds_left is None
    meter.resume_at(4_000)
    for _ in range(4):
        clock.now_s += 0.5
        meter.advance(500)
    assert seen[-1].done_bytes == 6_000
    assert seen[-1].bytes_per_s == pytest.approx(1000)  # what was here before is no speed
    assert seen[-1].seconds_left == pytest.approx(4)


def test_speed_follows_the_last_seconds() -> None:
    clock, seen = Clock(), list[Progress]()
    meter = Meter(10**9, seen.append, clock)
    meter.begin(Stage.DOWNLOADING, "a", 10**9)
    for _ in range(100):
        clock.now_s += 0.5
        meter.advance(1_000_000)
    for _ in range(20):
        clock.now_s += 0.5
        meter.advance(1_000)
    assert seen[-1].bytes_per_s == pytest.approx(2_000, rel=0.2)


def test_reports_are_few() -> None:
    clock, seen = Clock(), list[Progress]()
    meter = Meter(10_000, seen.append, clock)
    meter.begin(Stage.DOWNLOADING, "a", 10_000)
    for _ in range(1000):
        clock.now_s += 0.001
        meter.advance(10)
    meter.finish()
    assert len(seen) < 20
    assert seen[-1].file_done_bytes == 10_000


def test_other_stages_do_not_count_as_downloaded() -> None:
    seen = list[Progress]()
    meter = Meter(100, seen.append, Clock())
    meter.begin(Stage.DOWNLOADING, "a", 100)
    meter.finish()
    meter.begin(Stage.CONVERTING, "a", 50)
    meter.finish()
    assert seen[-1].done_bytes == 100
    assert seen[-1].file_done_bytes == 50


def test_held_job_stands_still_until_it_may_go_on_or_is_to_stop() -> None:
    control, steps = Control(), queue.SimpleQueue[str]()

    def job() -> None:
        with suppress(Cancelled):
            while True:
                control.check()
                steps.put("step")

    control.hold(True)
    thread = threading.Thread(target=job)
    thread.start()
    thread.join(0.05)
    assert steps.empty()
    control.hold(False)
    assert steps.get(timeout=10) == "step"
    control.hold(True)
    control.cancel()
    thread.join(10)
    assert not thread.is_alive()
    control.hold(True)  # too late
    with pytest.raises(Cancelled):
        control.check()


def test_stop_wakes_a_wait_and_interrupts() -> None:
    control, calls = Control(), list[str]()
    with control.interrupting(lambda: calls.append("interrupted")):
        control.pause()
    assert calls == ["interrupted"]
    with pytest.raises(Paused):
        control.wait(60)
    with pytest.raises(Cancelled), control.interrupting(lambda: None):
        pass


def test_progress_as_a_line() -> None:
    progress = Progress(Stage.DOWNLOADING, "model.safetensors", 1_550_000_000, 3_100_000_000, 0, 0, 12_300_000, 126.0)
    assert progress_text(progress) == (
        "downloading model.safetensors, 1.55 GB of 3.10 GB, 12.3 MB/s, 2 min 6 s left in all"
    )

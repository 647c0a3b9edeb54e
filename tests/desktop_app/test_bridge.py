"""From the engine thread to the event loop: nothing lost, nothing piled up."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from desktop_app.bridge import Engine
from engine.config import ModelSpec
from engine.errors import EngineError, GenerationFailed
from engine.events import Accepted, Event, Failed, Finished, GenerationRequest, Loading, Ready, StatisticsUpdated
from tests.desktop_app.fake_engine import FakeEngine, Plan, counters, events_of


async def everything(request: object) -> list[Event]:
    return [event async for event in request]  # type: ignore[attr-defined]


def on_another_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


async def test_events_come_in_order_from_another_thread() -> None:
    fake = FakeEngine([Plan([f"{n} " for n in range(300)])])
    engine = Engine(fake)
    request = engine.generate(GenerationRequest())
    on_another_thread(fake.finish)
    events = await everything(request)
    assert [event.step for event in events if isinstance(event, Accepted)] == list(range(1, 601, 2))
    assert isinstance(events[-1], Finished)


async def test_requests_are_kept_apart() -> None:
    fake = FakeEngine([Plan(["a"]), Plan(["b"])])
    engine = Engine(fake)
    requests = [engine.generate(GenerationRequest()) for _ in range(2)]
    on_another_thread(lambda: (fake.finish(), fake.finish()))
    texts = [[e.text for e in await everything(request) if isinstance(e, Accepted)] for request in requests]
    assert texts == [["a"], ["b"]]
    assert not engine._requests


async def test_while_nobody_reads_only_the_newest_counters_wait() -> None:
    fake = FakeEngine()
    engine = Engine(fake)
    request = engine.load(ModelSpec())

    def chatter() -> None:
        for step in range(10_000):
            fake._emit(Loading(1, step, step / 10_000, "reading"))
        fake._emit(Ready(1, 10_000, fake.info))

    on_another_thread(chatter)
    assert len(engine._arrived) == 2
    assert [event.step for event in await everything(request)] == [9_999, 10_000]


async def test_counters_of_two_requests_do_not_replace_each_other() -> None:
    fake = FakeEngine()
    engine = Engine(fake)
    for number in (1, 2, 2):
        fake._emit(StatisticsUpdated(number, 0, counters(1, 0.1)))
    assert [event.request_id for event in engine._arrived] == [1, 2]


async def test_an_iteration_ends_with_the_last_event() -> None:
    fake = FakeEngine()
    engine = Engine(fake)
    request = engine.load(ModelSpec())
    fake.finish()
    assert isinstance((await everything(request))[-1], Ready)
    assert await everything(request) == []


async def test_closing_gives_every_request_its_last_event() -> None:
    fake = FakeEngine([Plan(["a ", "b"])])
    engine = Engine(fake)
    running, waiting = engine.generate(GenerationRequest()), engine.generate(GenerationRequest())
    fake.step(2)
    assert await engine.close()
    events = await everything(running)
    assert [e.text for e in events if isinstance(e, Accepted)] == ["a "]
    assert isinstance(events[-1], Finished)
    assert isinstance((await everything(waiting))[-1], Finished)
    with pytest.raises(EngineError):
        engine.generate(GenerationRequest())


class HungEngine(FakeEngine):
    """Does not end."""

    def close(self, _timeout_s: float = 10.0) -> bool:
        return False


async def test_an_engine_that_hangs_does_not_hang_the_window() -> None:
    fake = HungEngine()
    engine = Engine(fake)
    request = engine.generate(GenerationRequest())
    assert not await engine.close()
    (event,) = await everything(request)
    assert isinstance(event, Failed)
    assert isinstance(event.error, GenerationFailed)


async def test_closing_does_not_block_the_event_loop() -> None:
    released = threading.Event()

    class SlowEngine(FakeEngine):
        def close(self, timeout_s: float = 10.0) -> bool:
            return released.wait(timeout_s)

    engine = Engine(SlowEngine())
    closing = asyncio.create_task(engine.close())
    await asyncio.sleep(0.01)
    assert not closing.done()
    released.set()
    assert await closing


def test_an_event_after_the_end_of_the_loop_is_let_go() -> None:
    async def make(fake: FakeEngine) -> Engine:
        return Engine(fake)

    fake = FakeEngine()
    asyncio.run(make(fake))
    for event in events_of(Plan(), 1, 0):
        fake._emit(event)

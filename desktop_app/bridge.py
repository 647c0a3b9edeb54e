"""The only file that knows threads: engine events arrive on the engine thread and are read on the GUI thread.

Every request is an async iterator of its events, which ends with `Ready`, `Finished` or `Failed`. While the GUI thread
is busy, progress and counters that nobody has read yet are replaced by newer ones, so that what waits is never more
than the tokens of the answers that were asked for. Nothing else is dropped, not even at the end.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from engine.config import ModelSpec
from engine.errors import GenerationFailed
from engine.events import (
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Loading,
    PromptSize,
    Ready,
    StatisticsUpdated,
)

LAST_EVENTS = (Ready, Finished, Failed)
REPLACEABLE_EVENTS = (Loading, StatisticsUpdated)

log = logging.getLogger(__name__)


class Service(Protocol):
    """What the bridge needs of `engine.service.EngineService`; tests put a scripted one in its place."""

    def load(self, spec: ModelSpec, /) -> int: ...
    def generate(self, request: GenerationRequest, /) -> int: ...
    def cancel(self, request_id: int, /) -> None: ...
    def prompt_size(self, request: GenerationRequest, /) -> PromptSize | None: ...
    def close(self, timeout_s: float = 10.0, /) -> bool: ...


MakeService = Callable[[Callable[[Event], None]], Service]


class Request(AsyncIterator[Event]):
    """What was asked of the engine: iterate it once for its events."""

    def __init__(self, request_id: int, cancel: Callable[[int], None]) -> None:
        self.id = request_id
        self._cancel = cancel
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._ended = False

    def cancel(self) -> None:
        """End it early; its last event still comes."""
        self._cancel(self.id)

    def put(self, event: Event) -> None:
        """Hand over an event, on the GUI thread."""
        self._events.put_nowait(event)

    async def __anext__(self) -> Event:
        if self._ended:
            raise StopAsyncIteration
        event = await self._events.get()
        self._ended = isinstance(event, LAST_EVENTS)
        return event


class Engine:
    """The engine as seen from a running event loop, on whose thread it is made and used."""

    def __init__(self, make_service: MakeService) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()  # guards the next two, which both threads use
        self._arrived: list[Event] = []
        self._delivery_due = False
        self._requests: dict[int, Request] = {}
        self._service = make_service(self._on_event)

    def load(self, spec: ModelSpec) -> Request:
        """Queue the loading of a model. Raises EngineError once the engine is closed."""
        return self._expect(self._service.load(spec))

    def generate(self, request: GenerationRequest) -> Request:
        """Queue an answer. Raises EngineError once the engine is closed."""
        return self._expect(self._service.generate(request))

    async def prompt_size(self, request: GenerationRequest) -> PromptSize | None:
        """What a prompt would take of the context; None while no model is loaded. Raises EngineError."""
        return await self._loop.run_in_executor(None, self._service.prompt_size, request)

    async def close(self, timeout_s: float = 10.0) -> bool:
        """Cancel everything and end the engine thread; every request still gets its last event. False if it hung."""
        ended = await self._loop.run_in_executor(None, self._service.close, timeout_s)
        self._deliver()
        for request in list(self._requests.values()):
            self._hand_over(Failed(request.id, 0, GenerationFailed("the engine did not stop in time")))
        return ended

    def _expect(self, request_id: int) -> Request:
        # Its first events may have arrived, but they are delivered by this thread, later.
        request = self._requests[request_id] = Request(request_id, self._service.cancel)
        return request

    def _on_event(self, event: Event) -> None:
        """Called on the engine thread."""
        with self._lock:
            if self._arrived and _replaces(event, self._arrived[-1]):
                self._arrived[-1] = event
            else:
                self._arrived.append(event)
            wake, self._delivery_due = not self._delivery_due, True
        if wake:
            try:
                self._loop.call_soon_threadsafe(self._deliver)
            except RuntimeError:  # the loop is closed: nobody is left to be told
                log.debug("event after the end: %s", event)

    def _deliver(self) -> None:
        """Called on the GUI thread."""
        with self._lock:
            arrived, self._arrived = self._arrived, []
            self._delivery_due = False
        for event in arrived:
            self._hand_over(event)

    def _hand_over(self, event: Event) -> None:
        request = self._requests.get(event.request_id)
        if request is not None:
            request.put(event)
            if isinstance(event, LAST_EVENTS):
                del self._requests[event.request_id]


def _replaces(new: Event, old: Event) -> bool:
    """True where nobody needs the old one any more."""
    return isinstance(new, REPLACEABLE_EVENTS) and type(new) is type(old) and new.request_id == old.request_id

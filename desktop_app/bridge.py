"""The only file that knows threads: engine events arrive on the engine thread and are read on the GUI thread.

Each request is an async iterator of its events, which ends with `Ready`, `Finished` or `Failed`. Events wait in a buffer per
request; progress and counters that nobody has read yet are replaced by newer ones, so that a buffer never holds more than the
tokens of one answer.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

from engine.config import ModelSpec
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


class Service(Protocol):
    """What the bridge needs of `engine.service.EngineService`; tests put a scripted one in its place."""

    def load(self, spec: ModelSpec) -> int: ...
    def generate(self, request: GenerationRequest) -> int: ...
    def cancel(self, request_id: int) -> None: ...
    def prompt_size(self, request: GenerationRequest) -> PromptSize | None: ...
    def close(self, timeout_s: float = 10.0) -> bool: ...


MakeService = Callable[[Callable[[Event], None]], Service]


class _Buffer:
    """Events of one request on their way from the engine thread to the GUI thread."""

    def __init__(self) -> None:
        self.events: deque[Event] = deque()
        self.arrived = asyncio.Event()

    def put(self, event: Event) -> None:
        if self.events and isinstance(event, REPLACEABLE_EVENTS) and type(self.events[-1]) is type(event):
            self.events[-1] = event
        else:
            self.events.append(event)


class Engine:
    """The engine as coroutines. Made and used on the thread of a running event loop; `close` ends it."""

    def __init__(self, make_service: MakeService) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._buffers: dict[int, _Buffer] = {}
        self._early: deque[Event] = deque()
        self._woken = False
        self._service = make_service(self._on_event)

    def load(self, spec: ModelSpec) -> "Request":
        """Queue the loading of a model."""
        return self._request(lambda: self._service.load(spec))

    def generate(self, request: GenerationRequest) -> "Request":
        """Queue an answer."""
        return self._request(lambda: self._service.generate(request))

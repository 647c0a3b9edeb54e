"""The real engine with the built-in model, loaded once for all tests of a module."""

import itertools
from collections.abc import Callable

from engine.config import ModelSpec
from engine.events import Event, GenerationRequest, ModelInfo, PromptSize, Ready
from engine.service import EngineService


class SharedEngine:
    """Handed over as the service's maker again and again: it listens to the newest core and stays open.

    A second load of the same model is answered at once.
    """

    def __init__(self) -> None:
        self._emit: Callable[[Event], None] = lambda _: None
        self._loaded: tuple[ModelSpec, ModelInfo] | None = None
        self._spec: ModelSpec | None = None
        self._replayed = itertools.count(-1, -1)  # ids that the service does not use
        self._open: set[int] = set()
        self.service = EngineService(self._forward)

    def __call__(self, on_event: Callable[[Event], None]) -> "SharedEngine":
        self._emit = on_event
        return self

    def load(self, spec: ModelSpec) -> int:
        """The service's, or a replay of what it said."""
        if self._loaded is not None and self._loaded[0] == spec:
            request_id = next(self._replayed)
            self._emit(Ready(request_id, 0, self._loaded[1]))
            return request_id
        self._spec = spec
        return self.service.load(spec)

    def generate(self, request: GenerationRequest) -> int:
        """The service's."""
        request_id = self.service.generate(request)
        self._open.add(request_id)
        return request_id

    def cancel(self, request_id: int) -> None:
        """The service's."""
        self.service.cancel(request_id)

    def prompt_size(self, request: GenerationRequest) -> PromptSize | None:
        """The service's."""
        return self.service.prompt_size(request)

    def close(self, _timeout_s: float = 10.0) -> bool:
        """Cancels what runs, and stays open for the next test."""
        for request_id in self._open:
            self.service.cancel(request_id)
        return True

    def _forward(self, event: Event) -> None:
        if isinstance(event, Ready) and self._spec is not None:
            self._loaded = self._spec, event.model
        self._emit(event)

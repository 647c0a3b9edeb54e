"""The engine thread: requests go in, events come out. It knows neither Qt nor asyncio.

Requests run one after the other in the order in which they came; each ends with exactly one of `Ready`, `Finished` or
`Failed`. `on_event` is called on the engine thread and must return quickly: hand the event on and go.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.config import ModelSpec
from engine.errors import Cancelled, EngineError, GenerationFailed, InvalidRequest, ModelError, NotEnoughMemory
from engine.events import Event, Failed, Finished, GenerationRequest, Loading, PromptSize, Ready, StopReason
from engine.preload import gentle_import
from engine.stats import Statistics

if TYPE_CHECKING:
    from engine.chat_model import ChatModel

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    request_id: int
    work: ModelSpec | GenerationRequest
    cancelled: threading.Event = field(default_factory=threading.Event)


class EngineService:
    """Owns the engine thread. All methods may be called from any thread and return at once, `close` excepted."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._pending: dict[int, _Job] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._model: ChatModel | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def load(self, spec: ModelSpec) -> int:
        """Queue the loading of a model; it replaces the present one. Events: `Loading`..., then `Ready` or `Failed`."""
        return self._submit(spec)

    def generate(self, request: GenerationRequest) -> int:
        """Queue an answer. Events: `Prefilled`, `Accepted` and `StatisticsUpdated`..., then `Finished` or `Failed`."""
        return self._submit(request)

    def cancel(self, request_id: int) -> None:
        """End a queued or running request within one pass of a model.

        An answer ends with `Finished(CANCELLED)` and keeps its text; a load ends with `Failed(Cancelled)`. An unknown
        or finished request is left alone.
        """
        with self._lock:
            job = self._pending.get(request_id)
        if job is not None:
            job.cancelled.set()

    def prompt_size(self, request: GenerationRequest) -> PromptSize | None:
        """What the request's prompt would take of the context; None while no model is loaded."""
        model = self._model
        return model.prompt_size(request) if model is not None else None

    def close(self, timeout_s: float = 10.0) -> bool:
        """Cancel everything and end the thread. Returns False if it had not ended in time. May be called twice."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for job in self._pending.values():
                    job.cancelled.set()
                self._jobs.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _submit(self, work: ModelSpec | GenerationRequest) -> int:
        with self._lock:
            if self._closed:
                raise EngineError("the engine is closed")
            job = _Job(next(self._ids), work)
            self._pending[job.request_id] = job
            self._jobs.put(job)
        return job.request_id

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                if isinstance(job.work, ModelSpec):
                    self._load(job, job.work)
                else:
                    self._generate(job, job.work)
            finally:
                with self._lock:
                    del self._pending[job.request_id]

    def _load(self, job: _Job, spec: ModelSpec) -> None:
        steps = itertools.count()

        def report(progress: float, stage: str) -> None:
            if job.cancelled.is_set():
                raise Cancelled("loading was cancelled")
            self._on_event(Loading(job.request_id, next(steps), progress, stage))

        try:
            report(0.0, "starting")
            self._model = None  # two models at once may not fit
            with gentle_import():
                from engine.loading import load_chat_model  # torch is imported here, on this thread

            model = load_chat_model(spec, report)
            report(1.0, "ready")
            self._model = model
            self._on_event(Ready(job.request_id, next(steps), model.info))
        except EngineError as error:
            self._on_event(Failed(job.request_id, next(steps), error))
        except MemoryError:
            reason = "not enough memory to load the model; close other programs or choose a smaller model"
            self._on_event(Failed(job.request_id, next(steps), NotEnoughMemory(reason)))
        except Exception as error:
            log.exception("loading failed")
            self._on_event(Failed(job.request_id, next(steps), _wrapped(error, ModelError)))

    def _generate(self, job: _Job, request: GenerationRequest) -> None:
        steps = itertools.count()
        if job.cancelled.is_set():
            seed = request.sampling.seed or 0
            self._on_event(Finished(job.request_id, 0, StopReason.CANCELLED, "", (), seed, Statistics()))
            return
        try:
            if self._model is None:
                raise InvalidRequest("no model is loaded; load one first")
            for make_event in self._model.generate(request, job.cancelled.is_set):
                self._on_event(make_event(job.request_id, next(steps)))
        except EngineError as error:
            self._on_event(Failed(job.request_id, next(steps), error))
        except Exception as error:
            log.exception("generation failed")
            self._on_event(Failed(job.request_id, next(steps), _wrapped(error, GenerationFailed)))


def _wrapped(error: Exception, kind: type[EngineError]) -> EngineError:
    """An unforeseen error as one of ours, with the original as its cause."""
    reason = str(error).split("\n")[0]  # torch's messages go on for many lines
    wrapped = kind(f"unexpected {type(error).__name__}: {reason}")
    wrapped.__cause__ = error
    return wrapped

"""A scripted engine with the interface of `engine.service.EngineService`.

The test is the clock: nothing happens until it says so, and it may say so from any thread. Plans say what the next
answers emit; `step` plays one event, `finish` the rest.
"""

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from engine.config import ChatFormat, ModelSpec
from engine.errors import Cancelled, EngineError
from engine.events import (
    Accepted,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Loading,
    ModelInfo,
    Origin,
    Prefilled,
    PromptSize,
    Ready,
    Round,
    Segment,
    StatisticsUpdated,
    StopReason,
)
from engine.stats import Statistics

ORIGINS = (Origin.DRAFT, Origin.NGRAM, Origin.TARGET)


@dataclass
class Plan:
    """What an answer will be: its words, one round each; `error` breaks it after the words."""

    words: list[str] = field(default_factory=lambda: ["Good ", "day ", "to ", "you."])
    error: EngineError | None = None
    reason: StopReason = StopReason.END_OF_TEXT
    dropped_turns: int = 0
    round_s: float = 0.1


def model_info(**changes: object) -> ModelInfo:
    """A model that does not exist."""
    values: dict[str, object] = {
        "name": "Fake",
        "target": Path("fake"),
        "draft": Path("fake-draft"),
        "ngram": None,
        "parameters_target": 1000,
        "parameters_draft": 100,
        "vocab_size": 256,
        "context_length": 1024,
        "dtype": "float32",
        "dtype_reason": "it is fake",
        "device": "cpu",
        "threads": 1,
        "exact": True,
        "plain_tokens_per_s": 5.0,
        "chat_format": ChatFormat(),
    }
    return ModelInfo(**{**values, **changes})  # type: ignore[arg-type]


class FakeEngine:
    """`FakeEngine()` is handed over as the service's maker: it returns itself, listening."""

    def __init__(self, plans: Iterable[Plan] = (), load_error: EngineError | None = None) -> None:
        self.plans = deque(plans)
        self.load_error = load_error
        self.info = model_info()
        self.loads: list[ModelSpec] = []
        self.requests: list[GenerationRequest] = []
        self.cancelled: list[int] = []
        self.closed = False
        self.size: PromptSize | EngineError | None = PromptSize(10, 1024, 0)
        self._ids = itertools.count(1)
        self._queue: deque[tuple[int, deque[Event]]] = deque()
        self._emit: Callable[[Event], None] = lambda _: None

    def __call__(self, on_event: Callable[[Event], None]) -> "FakeEngine":
        self._emit = on_event
        return self

    # The interface of the service

    def load(self, spec: ModelSpec) -> int:
        self.loads.append(spec)
        number = next(self._ids)
        last: Event = Failed(number, 1, self.load_error) if self.load_error else Ready(number, 1, self.info)
        self._queue.append((number, deque([Loading(number, 0, 0.5, "reading weights"), last])))
        return number

    def generate(self, request: GenerationRequest) -> int:
        if self.closed:
            raise EngineError("the engine is closed")
        self.requests.append(request)
        number = next(self._ids)
        plan = self.plans.popleft() if self.plans else Plan()
        self._queue.append((number, deque(events_of(plan, number, request.sampling.seed or 7))))
        return number

    def cancel(self, request_id: int) -> None:
        self.cancelled.append(request_id)
        for number, events in self._queue:
            if number == request_id and events:
                self._queue.remove((number, events))
                self._emit(cancelled_event(number, events))
                return

    def prompt_size(self, _request: GenerationRequest) -> PromptSize | None:
        if isinstance(self.size, EngineError):
            raise self.size
        return self.size

    def close(self, _timeout_s: float = 10.0) -> bool:
        self.closed = True
        for number, _ in list(self._queue):
            self.cancel(number)
        return True

    # What a test says

    def step(self, count: int = 1) -> None:
        """Play the next events of the oldest request."""
        for _ in range(count):
            _, events = self._queue[0]
            event = events.popleft()
            if not events:
                self._queue.popleft()
            self._emit(event)

    def finish(self) -> None:
        """Play the oldest request to its end."""
        if self._queue:
            self.step(len(self._queue[0][1]))

    @property
    def waiting(self) -> int:
        """Requests that have not ended."""
        return len(self._queue)


class PlayingEngine(FakeEngine):
    """Plays by itself on a thread, an event every few milliseconds, as the real engine does."""

    def __init__(self, plans: Iterable[Plan] = (), pause_s: float = 0.005) -> None:
        super().__init__(plans)
        self._pause_s = pause_s
        self._turn = threading.Lock()

    def __call__(self, on_event: Callable[[Event], None]) -> "FakeEngine":
        threading.Thread(target=self._play, name="engine", daemon=True).start()
        return super().__call__(on_event)

    def cancel(self, request_id: int) -> None:
        with self._turn:
            super().cancel(request_id)

    def _play(self) -> None:
        while not self.closed:
            with self._turn:
                if self.waiting:
                    self.step()
            time.sleep(self._pause_s)


def events_of(plan: Plan, number: int, seed: int) -> list[Event]:
    """All events of an answer, in order."""
    steps = itertools.count()
    events: list[Event] = [Prefilled(number, next(steps), 12, 4, plan.dropped_turns, 0.05)]
    for index, word in enumerate(plan.words):
        origin = ORIGINS[index % len(ORIGINS)]
        segments = (Segment(word, origin, index),) if word else ()
        events.append(Accepted(number, next(steps), (index,), (origin,), segments, Round(index, 8, 1)))
        events.append(StatisticsUpdated(number, next(steps), counters(index + 1, plan.round_s)))
    if plan.error is not None:
        events.append(Failed(number, next(steps), plan.error))
    else:
        total = counters(len(plan.words), plan.round_s)
        tokens = tuple(range(len(plan.words)))
        events.append(Finished(number, next(steps), plan.reason, "".join(plan.words), tokens, seed, total))
    return events


def cancelled_event(number: int, left: deque[Event]) -> Event:
    """How a request ends that is cancelled with these events still to come."""
    if isinstance(left[-1], Ready):
        return Failed(number, left[0].step, Cancelled("loading was cancelled"))
    done = sum(isinstance(event, Accepted) for event in left)
    return Finished(number, left[0].step, StopReason.CANCELLED, "", (), 7, counters(max(0, 4 - done), 0.1))


def counters(tokens: int, round_s: float) -> Statistics:
    """Plausible counters after that many rounds of one token each."""
    return Statistics(
        prompt_tokens=12,
        cached_tokens=4,
        new_tokens=tokens,
        target_passes=tokens,
        target_rows=8 * tokens,
        draft_passes=tokens,
        draft_rows=tokens,
        proposed_draft=4 * tokens,
        proposed_ngram=3 * tokens,
        accepted_draft=tokens // 2,
        accepted_ngram=tokens // 3,
        emitted_histogram=(0, tokens),
        prefill_s=0.05,
        first_token_s=0.1,
        seconds=(round_s * tokens, 0.0, 0.0, 0.0, 0.0),
        plain_tokens_per_s=5.0,
        target_bytes=1000,
        draft_bytes=100,
    )

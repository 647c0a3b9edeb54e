"""The race: one prompt and one seed, in plain and in the chosen mode, one after the other on the same machine."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge import Engine, Request
from desktop_app.model_controller import ModelController
from desktop_app.models.message_list import FRAME_MS
from desktop_app.requests import generation_request
from desktop_app.settings import Settings
from desktop_app.spans import SpanMaker, Spans
from desktop_app.tasks import Tasks
from desktop_app.verdict import Verdict, judge
from engine.config import ChatMessage, DecodingMode
from engine.errors import EngineError
from engine.events import Accepted, Event, Failed, Finished, GenerationRequest, StatisticsUpdated, StopReason
from engine.stats import Statistics, ratio


class LaneState(StrEnum):
    """How far one side of a race is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(slots=True)
class Lane:
    """One side of a race.

    started_at  on `time.monotonic`, for a clock that runs
    elapsed_s   prefill and decoding as measured by the engine, once it is done
    """

    mode: str
    state: LaneState = LaneState.WAITING
    text: str = ""
    spans: Spans = field(default_factory=Spans)
    started_at: float | None = None
    elapsed_s: float | None = None
    statistics: Statistics | None = None
    error: str | None = None


class RaceController(QObject):
    """Two lanes, plain first. Nothing of a race is added to the conversation.

    changed    lanes have news, at most once per frame
    finished   (Verdict, or None where it was stopped or failed)
    """

    changed = Signal()
    finished = Signal(object)

    def __init__(
        self,
        engine: Engine,
        model: ModelController,
        settings: Settings,
        prompt: Callable[[str], Sequence[ChatMessage]],
        last_seed: Callable[[], int | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.lanes = Lane(DecodingMode.PLAIN.value), Lane(DecodingMode.STAGED.value)
        self.verdict: Verdict | None = None
        self._engine, self._model, self._settings = engine, model, settings
        self._prompt, self._last_seed = prompt, last_seed
        self._tasks = Tasks()
        self._race: asyncio.Task[None] | None = None
        self._request: Request | None = None
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._frame.timeout.connect(self.changed)

    @property
    def running(self) -> bool:
        """A race is on."""
        return self._race is not None

    def start(self, text: str = "") -> None:
        """Race the answer to `text` in the open conversation, or with "" the answer to its last question, with the seed
        that it was given: its words are to come again."""
        if self.running:
            return
        mode = self._settings.text("decoding.mode")
        other = DecodingMode.STAGED.value if mode == DecodingMode.PLAIN.value else mode
        self.lanes, self.verdict = (Lane(DecodingMode.PLAIN.value), Lane(other)), None
        self._race = self._tasks.start(self._run(list(self._prompt(text)), None if text else self._last_seed()))
        self._race.add_done_callback(self._conclude)
        self._news()

    def stop(self) -> None:
        """End the race."""
        if self._request is not None:
            self._request.cancel()
        elif self._race is not None:
            self._race.cancel()

    async def wait(self) -> None:
        """Until no race is on."""
        await self._tasks.wait()

    async def _run(self, prompt: Sequence[ChatMessage], seed: int | None) -> None:
        try:
            info = await self._model.ready()
            request = generation_request(self._settings, prompt, info.chat_format)
            if seed is None:
                seed = request.sampling.seed
            if seed is None:
                seed = random.randrange(2**31)
            request = replace(request, sampling=replace(request.sampling, seed=seed))
            for lane in self.lanes:
                await self._drive(lane, request)
                if lane.state is not LaneState.DONE:
                    return
        except EngineError as error:
            self.lanes[0].state, self.lanes[0].error = LaneState.FAILED, str(error)
            return
        plain, other = self.lanes
        speedup = ratio(plain.elapsed_s or 0.0, other.elapsed_s or 0.0)
        self.verdict = judge(plain.text, other.text, speedup, exact=info.exact or info.dtype == "float32")

    async def _drive(self, lane: Lane, request: GenerationRequest) -> None:
        """One lane from start to end, cold, so that neither gains from the other."""
        decoding = replace(request.decoding, mode=DecodingMode(lane.mode))
        self._request = self._engine.generate(replace(request, decoding=decoding, reuse_cache=False))
        lane.state, lane.started_at = LaneState.RUNNING, time.monotonic()
        maker = SpanMaker()
        async for event in self._request:
            self._take(lane, event, maker)
            self._news()
        self._request = None

    def _take(self, lane: Lane, event: Event, maker: SpanMaker) -> None:
        match event:
            case Accepted():
                lane.spans.extend(maker.spans(event))
                lane.text += event.text
            case StatisticsUpdated(statistics=statistics):
                lane.statistics = statistics
            case Finished(reason=reason, statistics=statistics):
                lane.state = LaneState.STOPPED if reason is StopReason.CANCELLED else LaneState.DONE
                lane.statistics, lane.elapsed_s = statistics, statistics.prefill_s + statistics.decode_s
            case Failed(error=error):
                lane.state, lane.error = LaneState.FAILED, str(error)

    def _news(self) -> None:
        if not self._frame.isActive():
            self._frame.start()

    def _conclude(self, task: "asyncio.Task[None]") -> None:
        self._race = None
        if task.cancelled():
            self.lanes[0].state = LaneState.STOPPED
        self._frame.stop()
        self.changed.emit()
        self.finished.emit(self.verdict)

"""Writes answers: one after the other, saved as they grow, whichever conversation is open."""

import asyncio
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge import Engine, Request
from desktop_app.database import StoreError
from desktop_app.model_controller import ModelController, ModelState
from desktop_app.records import Message, MessageState
from desktop_app.requests import chat_messages, generation_request
from desktop_app.settings import Settings
from desktop_app.spans import SpanMaker, Spans
from desktop_app.store import Store
from desktop_app.tasks import Tasks
from engine.config import DecodingMode
from engine.errors import EngineError
from engine.events import Accepted, Event, Failed, Finished, Prefilled, StatisticsUpdated, StopReason
from engine.stats import Statistics

SAVE_AFTER_S = 0.5  # text that arrived is on disk no later than this


@dataclass(slots=True)
class Answer:
    """An answer that waits or is being written.

    message     the row that grows; an answer that is continued has text already
    mode        a decoding mode other than the chosen one
    before      counters of what was written earlier, when it is continued
    """

    message: Message
    mode: DecodingMode | None
    before: Statistics = field(default_factory=Statistics)
    maker: SpanMaker = field(default_factory=SpanMaker)
    request: Request | None = None
    task: "asyncio.Task[None] | None" = None
    save_due: asyncio.TimerHandle | None = None


class Answers(QObject):
    """All answers that wait or are being written. Signals carry the `Message`, whose fields are up to date.

    began         it is being written now
    prefilled     (message, old turns that did not fit)
    streamed      (message, text that was added)
    counted       (message, Statistics so far)
    ended         complete, stopped or failed
    busy_changed  (bool)
    problem       one line that the user must see
    """

    began = Signal(object)
    prefilled = Signal(object, int)
    streamed = Signal(object, str)
    counted = Signal(object, object)
    ended = Signal(object)
    busy_changed = Signal(bool)
    problem = Signal(str)

    def __init__(
        self, engine: Engine, model: ModelController, store: Store, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._model = model
        self._store = store
        self._settings = settings
        self._tasks = Tasks()
        self._turn = asyncio.Lock()  # waiters get it in the order in which they came
        self._answers: dict[int, Answer] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def busy(self) -> bool:
        """An answer is being written or waits."""
        return bool(self._answers)

    def live(self, message_id: int) -> Message | None:
        """The message as it grows, while it waits or is being written."""
        answer = self._answers.get(message_id)
        return answer.message if answer else None

    def write(self, message: Message, mode: DecodingMode | None = None) -> None:
        """Have a saved message of state QUEUED written, or written on; `mode` is one other than the chosen."""
        answer = Answer(message, mode, message.statistics or Statistics())
        if message.spans:
            answer.maker = SpanMaker(message.spans[-1].round_index + 1)
        self._answers[message.id] = answer
        if self._idle.is_set():
            self._idle.clear()
            self.busy_changed.emit(True)
        answer.task = self._tasks.start(self._run(answer))
        answer.task.add_done_callback(partial(self._conclude, answer))

    def stop(self, message_id: int | None = None) -> None:
        """End one answer, or all; what was written stays. A load of the model that they wait for is stopped too."""
        waiting = False
        for answer in list(self._answers.values()):
            if message_id in (None, answer.message.id):
                waiting = waiting or answer.request is None
                self._stop(answer)
        if waiting and self._model.status.state is ModelState.LOADING and message_id is None:
            self._model.cancel()

    def stop_conversation(self, conversation_id: int) -> None:
        """End the answers of one conversation."""
        for answer in list(self._answers.values()):
            if answer.message.conversation_id == conversation_id:
                self._stop(answer)

    async def wait(self) -> None:
        """Until all have ended."""
        await self._idle.wait()

    def _stop(self, answer: Answer) -> None:
        if answer.request is not None:
            answer.request.cancel()  # its last event ends the task
        elif answer.task is not None:
            answer.task.cancel()

    async def _run(self, answer: Answer) -> None:
        try:
            async with self._turn:
                await self._ask(answer)
        except (EngineError, StoreError) as error:
            self._fail(answer.message, error)

    def _conclude(self, answer: Answer, task: "asyncio.Task[None]") -> None:
        """The task ended, in whichever way; one that was cancelled may never have begun."""
        message = answer.message
        if task.cancelled():
            message.state, message.stop_reason = MessageState.COMPLETE, StopReason.CANCELLED.value
        elif (error := task.exception()) is not None:
            self._fail(message, error)
        self._save(answer)
        message.spans = Spans(message.spans.pack())  # small again
        del self._answers[message.id]
        self.ended.emit(message)
        if not self._answers:
            self._idle.set()
            self.busy_changed.emit(False)

    async def _ask(self, answer: Answer) -> None:
        """The whole way of an answer, once it is its turn."""
        message = answer.message
        info = await self._model.ready()
        prompt = chat_messages(self._store.path_to(message.id))
        request = generation_request(self._settings, prompt, info.chat_format, answer.mode)
        message.state, message.mode = MessageState.WRITING, request.decoding.mode.value
        message.error = message.error_kind = message.stop_reason = None
        self._store.save_message(message)
        answer.request = self._engine.generate(request)
        self.began.emit(message)
        async for event in answer.request:
            self._take(answer, event)
        self._save(answer)  # before the next one reads it as part of its prompt

    def _take(self, answer: Answer, event: Event) -> None:
        message = answer.message
        match event:
            case Prefilled(dropped_turns=dropped_turns):
                self.prefilled.emit(message, dropped_turns)
            case Accepted():
                self._grow(answer, event)
            case StatisticsUpdated(statistics=statistics):
                message.statistics = answer.before + statistics
                self.counted.emit(message, message.statistics)
            case Finished(reason=reason, seed=seed, statistics=statistics):
                message.state, message.stop_reason, message.seed = MessageState.COMPLETE, reason.value, seed
                message.statistics = answer.before + statistics
                self.counted.emit(message, message.statistics)
            case Failed(error=error):
                self._fail(message, error)

    def _grow(self, answer: Answer, event: Accepted) -> None:
        message = answer.message
        message.spans.extend(answer.maker.spans(event))
        if event.text:
            message.text += event.text
            self.streamed.emit(message, event.text)
            self._save_soon(answer)

    def _fail(self, message: Message, error: BaseException) -> None:
        message.state, message.error, message.error_kind = MessageState.FAILED, str(error), type(error).__name__

    def _save_soon(self, answer: Answer) -> None:
        if answer.save_due is None:
            loop = asyncio.get_running_loop()
            answer.save_due = loop.call_later(SAVE_AFTER_S, self._save, answer)

    def _save(self, answer: Answer) -> None:
        if answer.save_due is not None:
            answer.save_due.cancel()
            answer.save_due = None
        try:
            self._store.save_message(answer.message)
        except StoreError as error:
            self.problem.emit(self.tr("The answer could not be saved: {0}").format(error))

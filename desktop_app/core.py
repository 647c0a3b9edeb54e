"""Everything of the application that is not a widget, built and connected in one place."""

import asyncio
import logging

from PySide6.QtCore import QObject, Signal

from desktop_app.answers import Answers
from desktop_app.bridge import Engine, MakeService
from desktop_app.context_meter import ContextMeter
from desktop_app.controller import ChatController
from desktop_app.conversations import ConversationsController
from desktop_app.database import StoreError
from desktop_app.diagnostics import Diagnostics
from desktop_app.idle import Idle
from desktop_app.library import LibraryController
from desktop_app.model_controller import ModelController, ModelState, ModelStatus
from desktop_app.paths import Paths
from desktop_app.race import RaceController
from desktop_app.settings import Settings
from desktop_app.store import Store
from desktop_app.tables import Tables
from desktop_app.tasks import Tasks

CLOSE_WITHIN_S = 7.0  # for the engine thread and downloads; the rest of closing takes a moment

log = logging.getLogger(__name__)


class Core(QObject):
    """What a window is given. Made within a running event loop; connect to its signals, then call `start`.

    is_temporary   conversations are kept in memory only; `problem` says why

    problem   one line that the user must see
    closed    everything is saved and the engine has ended: the application may quit
    """

    problem = Signal(str)
    closed = Signal()

    def __init__(self, paths: Paths, diagnostics: Diagnostics, make_service: MakeService) -> None:
        super().__init__()
        self.paths, self.diagnostics = paths, diagnostics
        self.is_closed = False
        self.is_temporary = False
        self._started = False
        self._early_problems: list[str] = []
        self.settings = settings = self._load_settings()
        self._store = self._open_store()
        self._engine = Engine(make_service)
        self._tasks = Tasks()
        self._closing = False
        self.model = ModelController(self._engine, settings, self)
        self._answers = Answers(self._engine, self.model, self._store, settings, self)
        self.conversations = ConversationsController(self._store, self)
        self._meter = ContextMeter(self._engine, self.model, settings, self)
        self.chat = ChatController(self._store, settings, self._answers, self._meter, self)
        self.race = RaceController(self._engine, self.model, settings, self.chat.prompt, self.chat.last_seed, self)
        self.idle = Idle(self)
        self.library = LibraryController(settings, self.model, Tables(settings, self.idle, self), paths.models, self)
        self._connect()

    def _load_settings(self) -> Settings:
        settings = Settings(self.paths.settings, parent=self)
        settings.problem.connect(self._tell)
        settings.load()
        return settings

    def _open_store(self) -> Store:
        """The database; where it cannot be used, one in memory, so that the window opens all the same."""
        try:
            return Store(self.paths.database)
        except StoreError as error:
            log.warning("conversations in memory only: %s", error)
            self.is_temporary = True
            self._tell(
                self.tr(
                    "Conversations cannot be kept: {0}. This session stays in memory; export what you need."
                ).format(error)
            )
            return Store(None)

    def _connect(self) -> None:
        self.conversations.problem.connect(self._tell)
        self.chat.problem.connect(self._tell)
        self.conversations.open_requested.connect(self.chat.open)
        self.conversations.leaving.connect(self.chat.flush_draft)
        self.conversations.removed.connect(self._answers.stop_conversation)
        self.chat.conversation_changed.connect(self.conversations.put)
        self.chat.opened.connect(self._opened)
        self._connect_idle()
        self.model.status_changed.connect(self._model_changed)
        self.model.problem.connect(self._tell)

    def _connect_idle(self) -> None:
        """What must not be slowed. Until there is a model, something is still to be done."""
        note = self.idle.note
        note("model", is_busy=True)
        self.model.status_changed.connect(lambda status: note("model", status.state is not ModelState.READY))
        self.chat.busy_changed.connect(lambda is_busy: note("answer", is_busy))
        self.race.changed.connect(lambda: note("race", self.race.running))
        self.library.busy_changed.connect(lambda is_busy: note("download", is_busy))
        self.idle.settled.connect(self.library.make_missing_tables)

    def start(self) -> None:
        """Tell of early problems and open the conversation of last time. `model.load` is for a while later."""
        self._started = True
        for text in self._early_problems:
            self.problem.emit(text)
        wanted = self.settings.get("window.conversation")
        self.conversations.load(wanted if isinstance(wanted, int) else None)

    def request_close(self) -> None:
        """Stop answers, save everything and end the engine, within 10 s; `closed` follows. May be called twice."""
        if not self._closing:
            self._closing = True
            self._tasks.start(self._close())

    async def _close(self) -> None:
        self.race.stop()
        self._answers.stop()
        await self._meter.close()
        ended, _ = await asyncio.gather(self._engine.close(CLOSE_WITHIN_S), self.library.close(CLOSE_WITHIN_S))
        if not ended:
            log.error("the engine did not stop in time")
        for part in (self._answers, self.race, self.model):
            await part.wait()
        self.chat.flush_draft()
        self.settings.save()
        self._store.close()
        self.idle.timer.stop()  # there is no event loop any more when it would come to its end
        self.is_closed = True
        self.closed.emit()

    def _tell(self, text: str) -> None:
        """Problems from before there was a window wait for it."""
        if self._started:
            self.problem.emit(text)
        else:
            self._early_problems.append(text)

    def _opened(self, conversation_id: int) -> None:
        self.conversations.open_id = conversation_id
        if not self.is_temporary:
            self.settings.set("window.conversation", conversation_id)

    def _model_changed(self, status: ModelStatus) -> None:
        self.diagnostics.model = status.info
        if status.info is not None:
            self.chat.statistics.context_length = status.info.context_length

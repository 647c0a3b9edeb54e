"""Loads the model that the settings name, and says how far it is."""

import asyncio
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge import Engine, Request
from desktop_app.requests import model_spec
from desktop_app.setting import Applies, Value
from desktop_app.settings import Settings
from desktop_app.tasks import Tasks
from engine.config import ModelSpec
from engine.errors import Cancelled, EngineError, IncompatibleDraft, ModelError
from engine.events import Failed, Loading, ModelInfo, Ready


class ModelState(StrEnum):
    """Whether there is a model."""

    NONE = "none"  # not loaded yet, or loading was stopped
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class DraftState(StrEnum):
    """What the draft picker has to say."""

    NONE = "none"
    LOADING = "loading"
    COMPATIBLE = "compatible"
    INCOMPATIBLE = "incompatible"


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """How far the model is.

    progress, stage  while loading: from 0 to 1, and in a few words
    info             of the model that is loaded
    error            one line, where loading failed
    needs_reload     a setting changed that takes effect when the model is loaded again
    """

    state: ModelState = ModelState.NONE
    progress: float = 0.0
    stage: str = ""
    info: ModelInfo | None = None
    error: str = ""
    draft: DraftState = DraftState.NONE
    needs_reload: bool = False


class ModelController(QObject):
    """The model that answers. Made and used within a running event loop.

    A load that fails leaves the user with the model of before: its settings are taken up again and it is loaded anew,
    since memory rarely has room for two.

    status_changed   (ModelStatus)
    problem          one line that the user must see: why there is the model of before
    """

    status_changed = Signal(object)
    problem = Signal(str)

    def __init__(self, engine: Engine, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.status = ModelStatus()
        self._engine = engine
        self._settings = settings
        self._tasks = Tasks()
        self._request: Request | None = None
        self._spec: ModelSpec | None = None  # of the model that is loaded or being loaded
        self._named: dict[str, Value] = {}  # the settings that name it
        self._proven: dict[str, Value] | None = None  # those of the last model that could be loaded
        self._settled = asyncio.Event()
        settings.changed.connect(self._setting_changed)

    def load(self) -> None:
        """Load the model that the settings name, or that of before; a load in progress is cancelled first."""
        self._cancel_request()
        self._settled.clear()
        self._show(ModelStatus(ModelState.LOADING, draft=DraftState.LOADING))
        self._named = self._next_load()
        try:
            self._spec = model_spec(self._settings)
            self._request = self._engine.load(self._spec)
        except EngineError as error:
            self._fail(error)
            return
        self._tasks.start(self._follow(self._request))

    def cancel(self) -> None:
        """Stop loading; does nothing where no load is in progress."""
        if self.status.state is ModelState.LOADING:
            self._cancel_request()
            self._settle(ModelStatus())

    async def ready(self) -> ModelInfo:
        """Wait for the model, and load it if nobody has. Raises EngineError where it cannot be loaded."""
        if self.status.state in (ModelState.NONE, ModelState.FAILED):
            self.load()
        await self._settled.wait()
        if self.status.info is None:
            raise ModelError(self.status.error or "the model was not loaded")
        return self.status.info

    async def wait(self) -> None:
        """Until no load reports any more; the engine has to be closed for it."""
        await self._tasks.wait()

    async def _follow(self, request: Request) -> None:
        """Show what a load reports, until it ends or another takes its place."""
        async for event in request:
            if request is not self._request:
                return
            match event:
                case Loading(progress=progress, stage=stage):
                    self._show(ModelStatus(ModelState.LOADING, progress, stage, draft=DraftState.LOADING))
                case Ready(model=info):
                    self._proven = self._named
                    draft = DraftState.NONE if info.draft is None else DraftState.COMPATIBLE
                    self._settle(ModelStatus(ModelState.READY, 1.0, info=info, draft=draft))
                    self._setting_changed("model.target")  # it may have changed meanwhile
                case Failed(error=Cancelled()):
                    self._settle(ModelStatus())
                case Failed(error=error):
                    self._fail(error)

    def _fail(self, error: EngineError) -> None:
        """Go back to the model of before; where there is none, or it is this one, there is no model."""
        if self._proven is not None and self._proven != self._named:
            for key, value in self._proven.items():
                self._settings.set(key, value)
            self.problem.emit(self.tr("The model of before is loaded again. The other could not be: {0}").format(error))
            self.load()
            return
        draft = DraftState.INCOMPATIBLE if isinstance(error, IncompatibleDraft) else DraftState.NONE
        self._settle(ModelStatus(ModelState.FAILED, error=str(error), draft=draft))

    def _next_load(self) -> dict[str, Value]:
        """The settings that say what is loaded, and how."""
        table = self._settings.table
        return {key: self._settings.get(key) for key in table if table[key].applies is Applies.NEXT_LOAD}

    def _settle(self, status: ModelStatus) -> None:
        self._show(status)
        self._settled.set()

    def _show(self, status: ModelStatus) -> None:
        self.status = status
        self.status_changed.emit(status)

    def _cancel_request(self) -> None:
        if self._request is not None:
            self._request.cancel()
            self._request = None

    def _setting_changed(self, key: str, _value: object = None) -> None:
        if self._settings.table[key].applies is Applies.NEXT_LOAD and self.status.state is ModelState.READY:
            needs_reload = model_spec(self._settings) != self._spec
            if needs_reload != self.status.needs_reload:
                self._show(replace(self.status, needs_reload=needs_reload))

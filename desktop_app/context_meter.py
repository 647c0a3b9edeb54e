"""How much of the context a conversation would take, for a meter beside the composer."""

import asyncio
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge import Engine
from desktop_app.model_controller import ModelController
from desktop_app.requests import generation_request
from desktop_app.settings import Settings
from desktop_app.tasks import Tasks
from engine.config import ChatFormat, ChatMessage
from engine.errors import EngineError
from engine.events import PromptSize

DELAY_S = 0.15  # after a key press; a faster typist is measured when pausing


class ContextMeter(QObject):
    """Measures one prompt at a time, and always the newest: a long conversation takes a while.

    measured   (PromptSize, or None where there is nothing to show)
    """

    measured = Signal(object)

    def __init__(
        self, engine: Engine, model: ModelController, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine, self._model, self._settings = engine, model, settings
        self._tasks = Tasks()
        self._waiting: Callable[[], Sequence[ChatMessage]] | None = None
        self._is_measuring = False
        self._is_closed = False

    def measure(self, prompt: Callable[[], Sequence[ChatMessage]]) -> None:
        """Measure what `prompt` gives by the time that it is measured."""
        self._waiting = prompt
        if not (self._is_measuring or self._is_closed):
            self._is_measuring = True
            self._tasks.start(self._measure())

    async def close(self) -> None:
        """Measure nothing more, whoever asks."""
        self._is_closed = True
        await self._tasks.cancel()

    async def _measure(self) -> None:
        while self._waiting is not None:
            await asyncio.sleep(DELAY_S)
            prompt, self._waiting = self._waiting, None
            size = await self._size(prompt())
            if self._waiting is None:
                self.measured.emit(size)
        self._is_measuring = False

    async def _size(self, messages: Sequence[ChatMessage]) -> PromptSize | None:
        info = self._model.status.info
        try:
            request = generation_request(self._settings, messages, info.chat_format if info else ChatFormat())
            return await self._engine.prompt_size(request)
        except EngineError:  # an empty prompt, say
            return None

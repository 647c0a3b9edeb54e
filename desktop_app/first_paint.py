"""Waits until a window can be seen."""

import asyncio
import contextlib

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

PATIENCE_S = 1.0  # a window that is covered or minimised is never painted


class _PaintWatcher(QObject):
    """Says when its parent was painted for the first time."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.painted = asyncio.Event()
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            self.painted.set()
        return False


async def show(window: QWidget) -> None:
    """Show a window and return when it was painted."""
    watcher = _PaintWatcher(window)
    window.show()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(watcher.painted.wait(), PATIENCE_S)
    window.removeEventFilter(watcher)
    watcher.deleteLater()

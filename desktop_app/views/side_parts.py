"""Sidebar and live panel share the room that the chat leaves."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from desktop_app.settings import Settings
from desktop_app.views.live_panel import LivePanel
from desktop_app.views.sidebar import Sidebar

CHAT_WIDTH = 400  # px that the chat keeps


class SideParts(QObject):
    """Shows the side parts that the user wants and that there is room for; where it is short, the part that was asked
    for last comes first. What the user wants is kept in the settings, whatever the room is.

    Signals: `changed` after every look at the room.
    """

    changed = Signal()

    def __init__(self, settings: Settings, splitter: QSplitter, sidebar: Sidebar, panel: LivePanel) -> None:
        super().__init__(splitter)
        self._settings = settings
        self._splitter = splitter
        self._keys: dict[QWidget, str] = {sidebar: "window.show_conversations", panel: "appearance.show_panel"}
        self._order: list[QWidget] = [sidebar, panel]

    def toggle(self, part: QWidget) -> None:
        """Hide a part that is shown; show one that is not, at another's cost if need be."""
        wanted = self._settings.flag(self._keys[part])
        self._order.sort(key=lambda other: other is not part)
        if wanted and part.isHidden():
            self.fit()
        else:
            self._settings.set(self._keys[part], not wanted)

    def fit(self) -> None:
        """Look at the room again."""
        room = self._splitter.window().width() - CHAT_WIDTH
        for part in self._order:
            shown = self._settings.flag(self._keys[part]) and part.minimumWidth() <= room
            room -= part.minimumWidth() if shown else 0
            part.setVisible(shown)
        self.changed.emit()

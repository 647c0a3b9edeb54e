"""The find bar of a conversation (Ctrl+F)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from desktop_app.models.message_list import MessageListModel
from desktop_app.theme import SPACE
from desktop_app.views.common import IconButton, make_label, row
from desktop_app.views.transcript import Find


class FindBar(QFrame):
    """Searches the messages of a model.

    Signals: `found` (Find) when there is something else to highlight.
    """

    found = Signal(object)

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._hits: list[tuple[int, int]] = []  # row, number within the row
        self._current = 0
        self.field = QLineEdit()
        self.field.setObjectName("findField")
        self.field.setPlaceholderText(self.tr("Find in this conversation"))
        self.field.setAccessibleName(self.tr("Find in this conversation"))
        self.count = make_label("", "caption")
        inside = row(parent=self)
        inside.setContentsMargins(2 * SPACE, SPACE, SPACE, SPACE)
        inside.addWidget(self.field, 1)
        inside.addWidget(self.count)
        for icon, label, step in (
            ("chevron-up", self.tr("Previous hit (Shift+Enter)"), -1),
            ("chevron-down", self.tr("Next hit (Enter)"), 1),
        ):
            button = IconButton(icon, label)
            button.clicked.connect(lambda _checked=False, step=step: self.step(step))
            inside.addWidget(button)
        close = IconButton("close", self.tr("Close (Esc)"))
        close.clicked.connect(self.close_bar)
        inside.addWidget(close)
        self.field.textChanged.connect(self.search)
        model.modelReset.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        """Show the bar and take the keyboard."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def close_bar(self) -> None:
        """Hide the bar and its highlights."""
        if self.isVisible():
            self.hide()
            self.found.emit(Find(""))

    def search(self) -> None:
        """Look for the text of the field in all messages; the last hit is the first to be shown, as it is nearest."""
        needle = self.field.text().casefold()
        rows = range(self._model.rowCount()) if needle else ()
        self._hits = [
            (at, number) for at in rows for number in range(self._model.message(at).text.casefold().count(needle))
        ]
        self._current = len(self._hits) - 1
        self._show()

    def step(self, step: int) -> None:
        """Go to another hit, around the ends."""
        if self._hits:
            self._current = (self._current + step) % len(self._hits)
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        needle = self.field.text()
        if self._hits:
            at, number = self._hits[self._current]
            self.count.setText(f"{self._current + 1} / {len(self._hits)}")
            self.found.emit(Find(needle, at, number))
        else:
            self.count.setText(self.tr("Nothing found") if needle else "")
            self.found.emit(Find(needle))

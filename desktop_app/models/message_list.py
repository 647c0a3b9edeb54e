"""The messages of the open conversation, as a Qt list model that streams."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from desktop_app.records import Message

FRAME_MS = 16
Index = QModelIndex | QPersistentModelIndex


class MessageRole(IntEnum):
    """What `data` gives besides the text (`Qt.ItemDataRole.DisplayRole`)."""

    MESSAGE = Qt.ItemDataRole.UserRole + 1  # the whole desktop_app.records.Message
    ID = Qt.ItemDataRole.UserRole + 2  # int
    IS_ANSWER = Qt.ItemDataRole.UserRole + 3  # bool
    STATE = Qt.ItemDataRole.UserRole + 4  # MessageState
    SPANS = Qt.ItemDataRole.UserRole + 5  # desktop_app.spans.Spans, a sequence of TokenSpan
    STATISTICS = Qt.ItemDataRole.UserRole + 6  # engine Statistics or None; see desktop_app.figures
    ERROR = Qt.ItemDataRole.UserRole + 7  # str or None


class MessageListModel(QAbstractListModel):
    """The active path of one conversation, oldest first.

    A message that is being written grows in place; that is announced at most once per frame, by `streamed` and
    `dataChanged` together.

    streamed   (row, text appended since the last time); a view may append instead of rendering all again
    """

    streamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages: list[Message] = []
        self._rows: dict[int, int] = {}
        self._unseen: dict[int, list[str]] = {}
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._frame.timeout.connect(self.announce)

    # For views

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._messages)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not self.checkIndex(index, QAbstractListModel.CheckIndexOption.IndexIsValid):
            return None
        message = self._messages[index.row()]
        read = _READERS.get(role)
        return read(message) if read else None

    def roleNames(self) -> dict[int, QByteArray]:
        names = {role.value: QByteArray(role.name.lower().encode()) for role in MessageRole}
        return {**names, int(Qt.ItemDataRole.DisplayRole): QByteArray(b"text")}

    def message(self, row: int) -> Message:
        """The message in a row."""
        return self._messages[row]

    def row_of(self, message_id: int) -> int | None:
        """The row of a message, or None if it is not shown."""
        return self._rows.get(message_id)

    # For controllers

    def show(self, messages: Sequence[Message]) -> None:
        """Replace everything, as when another conversation is opened."""
        self.beginResetModel()
        self._unseen.clear()
        self._messages = list(messages)
        self._rows = {message.id: row for row, message in enumerate(self._messages)}
        self.endResetModel()

    def replace_from(self, row: int, messages: Sequence[Message]) -> None:
        """Replace what stands at a row and below, as after an edit or a change of version; rows above stay."""
        self.announce()
        if row < len(self._messages):
            self.beginRemoveRows(QModelIndex(), row, len(self._messages) - 1)
            for message in self._messages[row:]:
                del self._rows[message.id]
            del self._messages[row:]
            self.endRemoveRows()
        if messages:
            self.beginInsertRows(QModelIndex(), row, row + len(messages) - 1)
            self._messages.extend(messages)
            self._rows.update({message.id: row + offset for offset, message in enumerate(messages)})
            self.endInsertRows()

    def append(self, *messages: Message) -> None:
        """Add messages at the end."""
        self.replace_from(len(self._messages), messages)

    def stream(self, message_id: int, text: str) -> None:
        """Text was added to a shown message; announced with the next frame. One that is not shown is left alone."""
        if message_id in self._rows:
            self._unseen.setdefault(message_id, []).append(text)
            if not self._frame.isActive():
                self._frame.start()

    def update(self, message: Message) -> None:
        """Show a message in its present state; one that is not shown is left alone."""
        row = self._rows.get(message.id)
        if row is None:
            return
        self.announce()
        self._messages[row] = message
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def announce(self) -> None:
        """Tell the views now about text that arrived since the last frame."""
        self._frame.stop()
        unseen, self._unseen = self._unseen, {}
        for message_id, texts in unseen.items():
            row = self._rows[message_id]
            self.streamed.emit(row, "".join(texts))
            index = self.index(row)
            self.dataChanged.emit(index, index, [Qt.ItemDataRole.DisplayRole, MessageRole.SPANS])


_READERS = {
    int(Qt.ItemDataRole.DisplayRole): lambda message: message.text,
    int(MessageRole.MESSAGE): lambda message: message,
    int(MessageRole.ID): lambda message: message.id,
    int(MessageRole.IS_ANSWER): lambda message: message.is_answer,
    int(MessageRole.STATE): lambda message: message.state,
    int(MessageRole.SPANS): lambda message: message.spans,
    int(MessageRole.STATISTICS): lambda message: message.statistics,
    int(MessageRole.ERROR): lambda message: message.error,
}

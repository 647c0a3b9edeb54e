"""The list of conversations: pinned first, then by last use; filtered by a search."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from desktop_app.records import Conversation

Index = QModelIndex | QPersistentModelIndex


class ConversationRole(IntEnum):
    """What `data` gives besides the title (`DisplayRole` and `EditRole`)."""

    CONVERSATION = Qt.ItemDataRole.UserRole + 1  # the whole desktop_app.records.Conversation
    ID = Qt.ItemDataRole.UserRole + 2  # int
    PINNED = Qt.ItemDataRole.UserRole + 3  # bool
    USED_AT = Qt.ItemDataRole.UserRole + 4  # seconds since the epoch
    EXCERPT = Qt.ItemDataRole.UserRole + 5  # str, where a search found something; else ""


class ConversationListModel(QAbstractListModel):
    """All conversations, in no particular order; views show `SortedConversations` over it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._conversations: list[Conversation] = []
        self._excerpts: dict[int, str] = {}

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._conversations)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not self.checkIndex(index, QAbstractListModel.CheckIndexOption.IndexIsValid):
            return None
        conversation = self._conversations[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return conversation.title or self.tr("New conversation")
        if role == ConversationRole.EXCERPT:
            return self._excerpts.get(conversation.id, "")
        read = _READERS.get(role)
        return read(conversation) if read else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags

    def roleNames(self) -> dict[int, QByteArray]:
        names = {role.value: QByteArray(role.name.lower().encode()) for role in ConversationRole}
        return {**names, int(Qt.ItemDataRole.DisplayRole): QByteArray(b"title")}

    def conversation(self, conversation_id: int) -> Conversation | None:
        """A conversation by its id, or None."""
        row = self._row_of(conversation_id)
        return None if row is None else self._conversations[row]

    def show(self, conversations: Iterable[Conversation]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._conversations = list(conversations)
        self.endResetModel()

    def put(self, conversation: Conversation) -> None:
        """Add a conversation, or show its present state."""
        row = self._row_of(conversation.id)
        if row is None:
            row = len(self._conversations)
            self.beginInsertRows(QModelIndex(), row, row)
            self._conversations.append(conversation)
            self.endInsertRows()
        elif self._conversations[row] != conversation:
            self._conversations[row] = conversation
            self.dataChanged.emit(self.index(row), self.index(row))

    def remove(self, conversation_id: int) -> None:
        """Take a conversation out; an unknown one is left alone."""
        row = self._row_of(conversation_id)
        if row is not None:
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._conversations[row]
            self.endRemoveRows()

    def show_excerpts(self, excerpts: Mapping[int, str]) -> None:
        """Where a search found something, by conversation; an empty mapping clears them."""
        self._excerpts = dict(excerpts)
        if self._conversations:
            last = self.index(len(self._conversations) - 1)
            self.dataChanged.emit(self.index(0), last, [ConversationRole.EXCERPT])

    def _row_of(self, conversation_id: int) -> int | None:
        return next((row for row, item in enumerate(self._conversations) if item.id == conversation_id), None)


class SortedConversations(QSortFilterProxyModel):
    """Pinned first, then by last use, newest first; only those that a search found, while there is one."""

    def __init__(self, source: ConversationListModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: frozenset[int] | None = None
        self.setSourceModel(source)
        self.setDynamicSortFilter(True)
        self.sort(0)

    def show_only(self, conversation_ids: Iterable[int] | None) -> None:
        """Restrict the list to what a search found; None shows all again."""
        self.beginFilterChange()
        self._found = None if conversation_ids is None else frozenset(conversation_ids)
        self.endFilterChange()

    def row_of(self, conversation_id: int) -> int | None:
        """The row in which a conversation is shown, or None."""
        rows = range(self.rowCount())
        return next((row for row in rows if self.index(row, 0).data(ConversationRole.ID) == conversation_id), None)

    def lessThan(self, left: Index, right: Index) -> bool:
        return _order(left) < _order(right)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        if self._found is None:
            return True
        return self.sourceModel().index(row, 0, parent).data(ConversationRole.ID) in self._found


def _order(index: Index) -> tuple[bool, float, int]:
    return (
        not index.data(ConversationRole.PINNED),
        -index.data(ConversationRole.USED_AT),
        -index.data(ConversationRole.ID),
    )


_READERS = {
    int(Qt.ItemDataRole.EditRole): lambda conversation: conversation.title,
    int(ConversationRole.CONVERSATION): lambda conversation: conversation,
    int(ConversationRole.ID): lambda conversation: conversation.id,
    int(ConversationRole.PINNED): lambda conversation: conversation.pinned,
    int(ConversationRole.USED_AT): lambda conversation: conversation.used_at,
}

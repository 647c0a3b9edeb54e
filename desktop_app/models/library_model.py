"""The models of the library, one row each, as the page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex


class RowState(StrEnum):
    """How far a model is from being chatted with."""

    MISSING = "missing"
    PARTIAL = "partial"  # a download was paused or interrupted
    WAITING = "waiting"  # for another download to end
    WORKING = "working"  # it is being downloaded, checked or converted
    READY = "ready"
    READY_WITHOUT_DRAFT = "ready_without_draft"  # its draft is still to be downloaded
    GONE = "gone"  # a folder of the user's own that is no longer there


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A choice in the draft picker; `source` None is to use no draft."""

    source: str | None
    label: str
    can_be_chosen: bool = True


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """One model, with all texts ready to be shown.

    size         what it takes on the disk, or is still to be downloaded
    memory       what it needs when it is loaded; "" where that cannot be told
    is_sampling  its table is being made; it can be used all the same
    progress     from 0 to 1 while it is being worked on; None where that cannot be told
    activity     what is being done, how fast, how long still
    error        one line, where the last attempt failed
    draft_text   what the picker has to say about the chosen draft
    table        a word about its n-gram table; "" where there is none
    wants_table  it has none, and one could be made of its draft; `table_is_begun` where a part of it is there
    is_fixed     part of the program: cannot be removed or paired with another draft
    """

    id: str
    name: str
    summary: str
    licence: str
    state: RowState
    size: str
    memory: str
    drafts: tuple[DraftRow, ...]
    draft: str | None
    draft_text: str
    table: str = ""
    wants_table: bool = False
    table_is_begun: bool = False
    is_fixed: bool = False
    is_in_use: bool = False
    is_sampling: bool = False
    progress: float | None = None
    activity: str = ""
    error: str = ""


class LibraryRole(IntEnum):
    """What `data` gives besides the name (`DisplayRole`)."""

    ROW = Qt.ItemDataRole.UserRole + 1  # the whole LibraryRow
    ID = Qt.ItemDataRole.UserRole + 2  # str


class LibraryModel(QAbstractListModel):
    """All models, in the order in which they are to be shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[LibraryRow, ...] = ()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not self.checkIndex(index, QAbstractListModel.CheckIndexOption.IndexIsValid):
            return None
        row = self.rows[index.row()]
        values = {int(Qt.ItemDataRole.DisplayRole): row.name, int(LibraryRole.ROW): row, int(LibraryRole.ID): row.id}
        return values.get(int(role))

    def roleNames(self) -> dict[int, QByteArray]:
        names = {role.value: QByteArray(role.name.lower().encode()) for role in LibraryRole}
        return {**names, int(Qt.ItemDataRole.DisplayRole): QByteArray(b"name")}

    def row(self, model_id: str) -> LibraryRow | None:
        """A model by its id, or None."""
        return next((row for row in self.rows if row.id == model_id), None)

    def show(self, rows: Iterable[LibraryRow]) -> None:
        """Replace everything; rows of the same models are changed in place, so that views keep what they have."""
        new = tuple(rows)
        if [row.id for row in new] != [row.id for row in self.rows]:
            self.beginResetModel()
            self.rows = new
            self.endResetModel()
            return
        for row in new:
            self.put(row)

    def put(self, row: LibraryRow) -> None:
        """Show the present state of a model that is listed."""
        for at, old in enumerate(self.rows):
            if old.id == row.id and old != row:
                self.rows = (*self.rows[:at], row, *self.rows[at + 1 :])
                self.dataChanged.emit(self.index(at), self.index(at))

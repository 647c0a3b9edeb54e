"""The messages of a conversation, virtualised: only those in sight are widgets, whatever the length.

Heights of messages that were never shown are estimated from their length and replaced by measured ones when they come
into sight. What the user looks at never jumps: layout starts from an *anchor*, a row and its distance from the top of
the viewport, and only the scroll bar learns of better estimates.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop_app.models.message_list import MessageListModel
from desktop_app.records import Message
from desktop_app.theme import COLUMN, SPACE
from desktop_app.views.common import IconButton
from desktop_app.views.message_actions import ACTIONS, MessageAction
from desktop_app.views.message_view import MessageView

MARGIN = 3 * SPACE  # px, above the first and below the last message and at the sides
GAP = SPACE // 2  # px between messages
KEPT_VIEWS = 24  # views kept ready besides those in sight
FRAME_MS = 16
LINE = 24  # px, for estimates
CHARACTER = 7.5  # px, for estimates
FIXED = 56  # px of a message that is no text, for estimates


@dataclass(slots=True)
class Anchor:
    """A row, and the distance of its top from the top of the viewport in pixels."""

    row: int
    offset: float


@dataclass(frozen=True, slots=True)
class Find:
    """What is searched, and the present hit: the row and its number within the row."""

    needle: str
    row: int | None = None
    number: int | None = None


class Transcript(QAbstractScrollArea):
    """Shows a `MessageListModel`.

    requested   (action of a message, message id)
    """

    requested = Signal(str, int)

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("Transcript")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.model = model
        self._heights: list[float] = []
        self._measured: list[bool] = []
        self._views: dict[int, MessageView] = {}  # by message id
        self._anchor = Anchor(0, MARGIN)
        self._following = True
        self._colored = False
        self._find = Find("")
        self._soon = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._soon.timeout.connect(self.lay_out)
        self._jump = self._jump_button()
        model.modelReset.connect(self._on_reset)
        model.rowsInserted.connect(self._on_inserted)
        model.rowsRemoved.connect(self._on_removed)
        model.dataChanged.connect(self._on_changed)
        self._on_reset()

    def _jump_button(self) -> IconButton:
        button = IconButton("down", self.tr("Jump to the latest message"), self)
        button.setProperty("role", "round")
        button.setObjectName("jumpToLatest")
        button.clicked.connect(self.jump_to_latest)
        button.hide()
        return button

    # For the window

    @property
    def following(self) -> bool:
        """True while the end is in sight, so that new text scrolls."""
        return self._following

    def jump_to_latest(self) -> None:
        """Go to the end and follow it."""
        self._following = True
        self.lay_out()

    def show_row(self, row: int) -> None:
        """Bring a message into sight, its top first."""
        self._following = False
        self._anchor = Anchor(row, MARGIN)
        self.lay_out()

    def set_colored(self, colored: bool) -> None:
        """Colour tokens by origin, or no longer."""
        self._colored = colored
        self._forget_views()
        self.lay_out()

    def show_find(self, find: Find) -> None:
        """Highlight what is searched, and bring the present hit into sight."""
        self._find = find
        self.lay_out()
        if find.row is not None and find.number is not None:
            self._show_hit(find.row, find.number)

    def act_on_current(self, action: MessageAction) -> None:
        """Do something with the message that has the focus, or else with the last one that it fits."""
        fits = next(info.fits for info in ACTIONS if info.action is action)
        focused = self._focused_message()
        if focused is None or not fits(focused):
            rows = reversed(range(self.model.rowCount()))
            focused = next((message for row in rows if fits(message := self.model.message(row))), None)
        if focused is not None:
            self._view(self.model.row_of(focused.id) or 0).request(action)

    def _focused_message(self) -> Message | None:
        view = next((view for view in self._views.values() if view.has_focus_inside()), None)
        return view.message if view is not None else None

    # Layout

    def lay_out(self) -> None:
        """Place every message that is in sight, and make the scroll bar fit."""
        self._soon.stop()
        placed: set[int] = set()
        if self.model.rowCount():
            placed = self._place_up_from_end() if self._following else self._place_down_from_anchor()
        for message_id, view in self._views.items():
            if message_id in placed:
                continue
            if view.has_focus_inside():
                view.move(0, -view.height() - MARGIN)  # hiding it would throw the focus about
            else:
                view.hide()
        self._drop_spare_views(placed)
        self._fit_scroll_bar()
        self._place_jump()

    def _place_up_from_end(self) -> set[int]:
        """From the last message upwards, until the viewport is full."""
        view_height = self.viewport().height()
        row = self.model.rowCount() - 1
        total = 2.0 * MARGIN + self._measure(row)
        while total < view_height and row > 0:
            row -= 1
            total += GAP + self._measure(row)
        offset = view_height - total + MARGIN
        if row == 0 and offset > MARGIN:
            offset = MARGIN  # few messages stand at the top
        self._anchor = Anchor(row, offset)
        return self._place_from(row, offset)

    def _place_down_from_anchor(self) -> set[int]:
        """From the anchor, first up to the top of the viewport, then down to its bottom."""
        rows = self.model.rowCount()
        row, offset = min(self._anchor.row, rows - 1), self._anchor.offset
        while offset > 0 and row > 0:
            row -= 1
            offset -= self._measure(row) + GAP
        if row == 0:
            offset = min(offset, float(MARGIN))
        while row < rows - 1 and offset + self._measure(row) + GAP < 0:
            offset += self._heights[row] + GAP
            row += 1
        self._anchor = Anchor(row, offset)
        bottom = offset
        last = row
        while last < rows and bottom < self.viewport().height():
            bottom += self._measure(last) + GAP
            last += 1
        if last == rows and bottom - GAP + MARGIN <= self.viewport().height():
            return self._place_up_from_end()
        return self._place_from(row, offset)

    def _place_from(self, row: int, offset: float) -> set[int]:
        """Place messages from a row on, down to the bottom of the viewport. Returns their ids."""
        width = self._column_width()
        left = (self.viewport().width() - width) // 2
        placed = set()
        rows = self.model.rowCount()
        while row < rows and offset < self.viewport().height():
            placed.add(self.model.message(row).id)
            view = self._view(row)
            view.setGeometry(left, round(offset), width, round(self._heights[row]))
            view.show()
            offset += self._heights[row] + GAP
            row += 1
        return placed

    def _measure(self, row: int) -> float:
        """Height of a row as its widget has it."""
        view = self._view(row)
        if not self._measured[row]:
            self._heights[row] = view.set_width(self._column_width())
            self._measured[row] = True
        return self._heights[row]

    def _view(self, row: int) -> MessageView:
        message = self.model.message(row)
        view = self._views.pop(message.id, None)
        if view is None:
            view = MessageView(self.viewport())
            view.requested.connect(self.requested)
            view.show_message(message, self._colored)
            self._measured[row] = False
        self._views[message.id] = view  # at the end: the order is that of last use
        view.mark(self._find.needle, self._find.number if row == self._find.row else None)
        return view

    def _drop_spare_views(self, placed: set[int]) -> None:
        spare = [message_id for message_id, view in self._views.items() if message_id not in placed and view.isHidden()]
        for message_id in spare[: max(len(spare) - KEPT_VIEWS, 0)]:
            self._views.pop(message_id).deleteLater()

    def _forget_views(self) -> None:
        for view in self._views.values():
            view.hide()
            view.deleteLater()
        self._views.clear()
        self._measured = [False] * len(self._measured)

    def _column_width(self) -> int:
        return max(min(self.viewport().width() - 2 * MARGIN, COLUMN), 1)

    # Scroll bar

    def _tops(self) -> list[float]:
        return list(accumulate((height + GAP for height in self._heights), initial=float(MARGIN)))

    def _fit_scroll_bar(self) -> None:
        tops = self._tops()
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        bar.blockSignals(True)
        bar.setRange(0, max(round(tops[-1] - GAP + MARGIN) - height, 0))
        bar.setPageStep(height)
        bar.setSingleStep(3 * LINE)
        bar.setValue(bar.maximum() if self._following else round(tops[self._anchor.row] - self._anchor.offset))
        bar.blockSignals(False)
        bar.update()
        self._last_value = bar.value()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        del dx, dy
        bar = self.verticalScrollBar()
        moved = bar.value() - self._last_value
        if abs(moved) <= 2 * self.viewport().height():
            self._anchor.offset -= moved
        else:
            tops = self._tops()
            row = max(min(bisect_right(tops, bar.value()) - 1, len(self._heights) - 1), 0)
            self._anchor = Anchor(row, tops[row] - bar.value())
        self._following = bar.value() >= bar.maximum()
        self.lay_out()

    def _place_jump(self) -> None:
        away = not self._following and self.verticalScrollBar().maximum() - self.verticalScrollBar().value() > LINE
        self._jump.setVisible(away)
        if away:
            size = self._jump.sizeHint()
            center = self.viewport().width() // 2
            self._jump.setGeometry(
                center - size.width() // 2, self.height() - size.height() - 2 * SPACE, size.width(), size.height()
            )
            self._jump.raise_()

    # The model

    def _on_reset(self) -> None:
        self._forget_views()
        self._heights = [self._estimate(row) for row in range(self.model.rowCount())]
        self._measured = [False] * len(self._heights)
        self._anchor = Anchor(0, MARGIN)
        self._following = True
        self.lay_out()

    def _on_inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._heights[first:first] = [self._estimate(row) for row in range(first, last + 1)]
        self._measured[first:first] = [False] * (last + 1 - first)
        self._lay_out_soon()

    def _on_removed(self, _parent: QModelIndex, first: int, last: int) -> None:
        del self._heights[first : last + 1]
        del self._measured[first : last + 1]
        kept = {self.model.message(row).id for row in range(self.model.rowCount())}
        for message_id in [message_id for message_id in self._views if message_id not in kept]:
            view = self._views.pop(message_id)
            view.hide()
            view.deleteLater()
        self._lay_out_soon()

    def _on_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        for row in range(first.row(), last.row() + 1):
            message = self.model.message(row)
            self._measured[row] = False
            view = self._views.get(message.id)
            if view is not None:
                view.show_message(message, self._colored)
        self._lay_out_soon()

    def _lay_out_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _estimate(self, row: int) -> float:
        message = self.model.message(row)
        per_line = max(self._column_width() / CHARACTER, 1)
        lines = sum(1 + len(line) // per_line for line in message.text.split("\n"))
        return FIXED + LINE * lines

    # Events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._measured = [False] * len(self._measured)
        self.lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._forget_views()
            self._lay_out_soon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        bar = self.verticalScrollBar()
        if key == Qt.Key.Key_Home:
            self.show_row(0)
        elif key == Qt.Key.Key_End:
            self.jump_to_latest()
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            step = bar.pageStep() - 2 * LINE
            bar.setValue(bar.value() + (step if key == Qt.Key.Key_PageDown else -step))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            bar.setValue(bar.value() + (bar.singleStep() if key == Qt.Key.Key_Down else -bar.singleStep()))
        else:
            super().keyPressEvent(event)

    def _show_hit(self, row: int, number: int) -> None:
        view = self._views.get(self.model.message(row).id)
        place = view.found_at(self._find.needle, number) if view is not None and view.isVisible() else None
        if view is None or place is None or not self._comfortable(view.mapTo(self.viewport(), place)):
            self.show_row(row)
            view = self._view(row)
            place = view.found_at(self._find.needle, number)
            if place is not None and not self._comfortable(view.mapTo(self.viewport(), place)):
                self._anchor = Anchor(row, self.viewport().height() / 2 - place.y())
                self.lay_out()

    def _comfortable(self, place: QPoint) -> bool:
        return MARGIN <= place.y() <= self.viewport().height() - MARGIN

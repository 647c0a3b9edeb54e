"""The messages of a conversation, virtualised: only those in sight are widgets, whatever the length.

Heights of messages that were never shown are estimated from their length and replaced by measured ones when they come
into sight. What the user looks at never jumps: layout starts from an *anchor*, a row and its distance from the top of
the viewport, and only the scroll bar learns of better estimates.
"""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop_app.models.message_list import MessageListModel
from desktop_app.records import Message
from desktop_app.theme import COLUMN, SPACE
from desktop_app.views.common import IconButton
from desktop_app.views.message_actions import ACTIONS, MessageAction
from desktop_app.views.message_view import MessageView
from desktop_app.views.message_views import MessageViews
from desktop_app.views.row_heights import GAP, LINE, MARGIN, RowHeights

FRAME_MS = 16


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
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # one that comes and goes moves the text
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.model = model
        self._heights = RowHeights()
        self._views = MessageViews(self.viewport())
        self._views.requested.connect(self.requested)
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
        view = next((view for view in self._views if view.has_focus_inside()), None)
        return view.message if view is not None else None

    # Layout

    def lay_out(self) -> None:
        """Place every message that is in sight, and make the scroll bar fit."""
        self._soon.stop()
        placed: set[int] = set()
        if self.model.rowCount():
            placed = self._place_up_from_end() if self._following else self._place_down_from_anchor()
        self._views.hide_all_but(placed)
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
        if not self._heights.is_measured(row):
            self._heights.measured(row, view.set_width(self._column_width()))
        return self._heights[row]

    def _view(self, row: int) -> MessageView:
        message = self.model.message(row)
        if self._views.find(message.id) is None:
            self._heights.forget(row)
        view = self._views.get(message, self._colored)
        view.mark(self._find.needle, self._find.number if row == self._find.row else None)
        return view

    def _forget_views(self) -> None:
        self._views.keep_only(set())
        self._heights.forget_all()

    def _column_width(self) -> int:
        return max(min(self.viewport().width() - 2 * MARGIN, COLUMN), 1)

    # Scroll bar

    def _fit_scroll_bar(self) -> None:
        tops = self._heights.tops()
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        bar.blockSignals(True)
        bar.setRange(0, max(round(tops[-1] - GAP + MARGIN) - height, 0))
        bar.setPageStep(height)
        bar.setSingleStep(3 * LINE)
        bar.setValue(bar.maximum() if self._following else round(tops[self._anchor.row] - self._anchor.offset))
        bar.blockSignals(False)
        bar.setEnabled(bar.maximum() > 0)
        bar.update()
        self._last_value = bar.value()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        del dx, dy
        bar = self.verticalScrollBar()
        moved = bar.value() - self._last_value
        if abs(moved) <= 2 * self.viewport().height():
            self._anchor.offset -= moved
        else:
            row, top = self._heights.row_at(bar.value())
            self._anchor = Anchor(row, top - bar.value())
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
        self._heights = RowHeights()
        self._heights.insert(0, self._texts(0, self.model.rowCount()), self._column_width())
        self._anchor = Anchor(0, MARGIN)
        self._following = True
        self.lay_out()

    def _on_inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._heights.insert(first, self._texts(first, last + 1), self._column_width())
        self._lay_out_soon()

    def _on_removed(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._heights.remove(first, last)
        self._views.keep_only({self.model.message(row).id for row in range(self.model.rowCount())})
        self._lay_out_soon()

    def _on_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        for row in range(first.row(), last.row() + 1):
            message = self.model.message(row)
            self._heights.forget(row)
            view = self._views.find(message.id)
            if view is not None:
                view.show_message(message, self._colored)
        self._lay_out_soon()

    def _texts(self, first: int, end: int) -> list[str]:
        return [self.model.message(row).text for row in range(first, end)]

    def _lay_out_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    # Events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._heights.forget_all()
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
        view = self._views.find(self.model.message(row).id)
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

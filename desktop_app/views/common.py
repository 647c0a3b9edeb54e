"""Small widgets that the whole window shares."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMessageBox,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.icons import icon
from desktop_app.theme import ICON, SPACE, current_colors

TOAST_MS = 8000
WIDEST_TOAST = 480  # px


class IconButton(QToolButton):
    """A button with one of our icons, which follows the colour scheme.

    `color` names a field of `Colors`. The label is the tool tip and the accessible name.
    """

    def __init__(
        self,
        name: str,
        label: str,
        parent: QWidget | None = None,
        *,
        color: str = "subtle",
        checkable: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setCheckable(checkable)
        self._icon_name = name
        self._color = color
        self.setIconSize(QSize(ICON, ICON))
        self.setLabel(label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tint()

    def set_icon(self, name: str, color: str | None = None) -> None:
        """Change the icon, and its colour if one is given."""
        self._icon_name = name
        self._color = color or self._color
        self._tint()

    def setLabel(self, label: str, shortcut: str = "") -> None:
        """Set tool tip and accessible name."""
        self.setAccessibleName(label)
        self.setToolTip(f"{label} ({shortcut})" if shortcut else label)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def _tint(self) -> None:
        colors = current_colors()
        checked = colors.accent if self.isCheckable() else None
        self.setIcon(icon(self._icon_name, getattr(colors, self._color), ICON, checked))


class _Counts(QObject):
    """Numbers with their nouns: `tr` of a class is what Qt's tools take plurals from."""

    def tokens(self, count: int) -> str:
        return self.tr("%n token(s)", "", count)


def token_count(count: int) -> str:
    """A number of tokens in words."""
    return _Counts().tokens(count)


def make_label(text: str = "", role: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label in one of the type styles of `theme.qss`; it never reads its text as HTML."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if role:
        label.setProperty("role", role)
    return label


class ElidedLabel(QLabel):
    """A label that shortens its text to the room that there is; the tool tip has all of it."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(5 * SPACE, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        self.style().drawItemText(
            painter, self.rect(), self.alignment().value, self.palette(), True, shown, self.foregroundRole()
        )
        painter.end()


def set_role(widget: QWidget, role: str) -> None:
    """Change the style of a widget that is shown already."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def make_line(parent: QWidget | None = None) -> QFrame:
    """A hairline."""
    line = QFrame(parent)
    line.setProperty("role", "line")
    return line


def add_action(
    owner: QWidget, name: str, text: str, slot: Callable[[], object], shortcuts: Sequence[str] = ()
) -> QAction:
    """A named action of a window: the name is how tests and style sheets find it."""
    action = QAction(text, owner)
    action.setObjectName(name)
    action.setShortcuts([QKeySequence(keys) for keys in shortcuts])
    action.triggered.connect(lambda _checked=False: slot())
    owner.addAction(action)
    return action


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say `text`."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def translated(context: str, text: str) -> str:
    """Translate a text that stands in a table."""
    return QCoreApplication.translate(context, text)


class Toast(QFrame):
    """A short message over the bottom of its parent, with one thing that can be done about it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "toast")
        self._text = make_label(wrap=True)
        self._button = QPushButton(self.tr("Undo"))
        self._button.setProperty("role", "chip")
        self._button.clicked.connect(self._act)
        close = IconButton("close", self.tr("Dismiss"))
        close.clicked.connect(self.hide)
        self._parent = parent
        self._row = row(parent=self)
        self._row.setContentsMargins(2 * SPACE, SPACE, SPACE, SPACE)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._button)
        self._row.addWidget(close)
        self._action: Callable[[], object] | None = None
        self._timer = QTimer(self, singleShot=True, interval=TOAST_MS)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def show_text(self, text: str, label: str = "", action: Callable[[], object] | None = None) -> None:
        """Show `text`; with `action`, a button with `label` does it."""
        self._action = action
        self._text.setText(text)
        self._button.setText(label)
        self._button.setVisible(action is not None)
        self._place()
        self.show()
        self.raise_()
        self._timer.start()
        announce(self, text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _act(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()

    def _place(self) -> None:
        room = self._parent.size()
        width = min(WIDEST_TOAST, room.width() - 4 * SPACE)
        height = self._row.totalHeightForWidth(width)
        self.setGeometry((room.width() - width) // 2, room.height() - height - 2 * SPACE, width, height)


def column(*, margin: int = 0, spacing: int = SPACE, parent: QWidget | None = None) -> QVBoxLayout:
    """A vertical layout with even margins."""
    made = QVBoxLayout(parent) if parent else QVBoxLayout()
    made.setContentsMargins(margin, margin, margin, margin)
    made.setSpacing(spacing)
    return made


def row(*, margin: int = 0, spacing: int = SPACE, parent: QWidget | None = None) -> QHBoxLayout:
    """A horizontal layout with even margins."""
    made = QHBoxLayout(parent) if parent else QHBoxLayout()
    made.setContentsMargins(margin, margin, margin, margin)
    made.setSpacing(spacing)
    return made


def stretch(parent: QWidget | None = None) -> QWidget:
    """An empty widget that takes the room which is left."""
    widget = QWidget(parent)
    widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return widget


def ask_to_delete(parent: QWidget, question: str, delete: Callable[[], object], detail: str = "") -> QMessageBox:
    """Ask before something is deleted, without holding up the event loop; the safe answer is the default."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, parent.window().windowTitle(), question, parent=parent)
    box.setObjectName("askToDelete")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setInformativeText(detail)
    really = box.addButton(QCoreApplication.translate("Dialogs", "Delete"), QMessageBox.ButtonRole.DestructiveRole)
    really.setObjectName("confirmDelete")
    really.setProperty("role", "danger")
    really.clicked.connect(lambda: delete())
    keep = box.addButton(QCoreApplication.translate("Dialogs", "Keep"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.open()
    return box


def show_layout(layout: QLayout) -> None:
    """Show what was added, now and not with the next event: until then it would count for nothing in the height."""
    for place in range(layout.count()):
        item = layout.itemAt(place)
        assert item is not None
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.show()
        elif inner is not None:
            show_layout(inner)


def clear_layout(layout: QLayout) -> None:
    """Delete everything in a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear_layout(inner)
            inner.deleteLater()

"""The conversations at the left: new, search, open, rename in place, pin, delete."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.conversations import ConversationsController
from desktop_app.icons import pixmap
from desktop_app.models.conversation_list import ConversationRole
from desktop_app.theme import SPACE, TypeScale, current_colors
from desktop_app.views.common import IconButton, ask_to_delete, column, make_label, row

SEARCH_MS = 150
WIDTH = 232  # px
WIDEST = 420  # px
Index = QModelIndex | QPersistentModelIndex


class ConversationDelegate(QStyledItemDelegate):
    """Paints a conversation: title, what a search found in it, and a pin."""

    renamed = Signal(int, str)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view = option.widget
        colors = current_colors()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._ground(option)
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(colors, ground)))
            painter.drawRoundedRect(option.rect.adjusted(0, 1, 0, -1), 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QColor(colors.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(option.rect.adjusted(0, 1, -1, -2), 8, 8)
        inside = option.rect.adjusted(SPACE + SPACE // 2, 0, -SPACE, 0)
        if index.data(ConversationRole.PINNED):
            pin = pixmap("pin", colors.subtle, 14, view.devicePixelRatioF())
            painter.drawPixmap(QPoint(inside.right() - 14, inside.center().y() - 6), pin)
            inside.setRight(inside.right() - 20)
        self._paint_text(painter, option, index, inside)
        painter.restore()

    def _ground(self, option: QStyleOptionViewItem) -> str | None:
        if option.state & QStyle.StateFlag.State_Selected:
            return "selected"
        return "hover" if option.state & QStyle.StateFlag.State_MouseOver else None

    def _paint_text(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, inside: QRect) -> None:
        colors = current_colors()
        excerpt = index.data(ConversationRole.EXCERPT)
        metrics = QFontMetrics(option.font)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        title = QRect(inside)
        if excerpt:
            title.setHeight(inside.height() // 2 + 2)
            below = QRect(inside.left(), title.bottom(), inside.width(), inside.height() - title.height() - 4)
            small = _small(option.font)
            painter.setFont(small)
            painter.setPen(QColor(colors.subtle))
            text = QFontMetrics(small).elidedText(" ".join(excerpt.split()), Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, middle, text)
        painter.setFont(option.font)
        painter.setPen(QColor(colors.text))
        shown = index.data(Qt.ItemDataRole.DisplayRole) or ""
        painter.drawText(title, middle, metrics.elidedText(shown, Qt.TextElideMode.ElideRight, title.width()))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = QFontMetrics(option.font).height() + 2 * SPACE + 2
        if index.data(ConversationRole.EXCERPT):
            height += QFontMetrics(_small(option.font)).height()
        return QSize(100, height)

    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        del model
        if isinstance(editor, QLineEdit):
            self.renamed.emit(index.data(ConversationRole.ID), editor.text())


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(TypeScale.of(font.pointSizeF()).small)
    return small


class ConversationList(QListView):
    """The list itself; Delete asks, F2 renames."""

    delete_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)


class Sidebar(QFrame):
    """Shows the conversations of a `ConversationsController`.

    chosen              (conversation id); the user wants to see it
    settings_requested  the button at the bottom was pressed
    """

    chosen = Signal(int)
    settings_requested = Signal()
    library_requested = Signal()

    def __init__(self, conversations: ConversationsController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("Sidebar")
        self.setMinimumWidth(WIDTH)
        self.setMaximumWidth(WIDEST)
        self.conversations = conversations
        self._open_id: int | None = None
        self.search = QLineEdit()
        self.list = ConversationList()
        self._search_soon = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._search_soon.timeout.connect(lambda: conversations.search(self.search.text().strip()))
        self._nothing = make_label(self.tr("Nothing found"), "caption")
        self._build()

    def _build(self) -> None:
        new = IconButton("new-chat", self.tr("New conversation"))
        new.setObjectName("newButton")
        new.clicked.connect(self.conversations.new)
        self.search.setObjectName("Search")
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search conversations"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search_soon.start)
        top = row()
        top.addWidget(self.search, 1)
        top.addWidget(new)
        self._set_up_list()
        inside = column(margin=SPACE + SPACE // 2, spacing=SPACE, parent=self)
        inside.addLayout(top)
        inside.addWidget(self._nothing)
        inside.addWidget(self.list, 1)
        for icon, label, signal in (
            ("library", self.tr("Models"), self.library_requested),
            ("settings", self.tr("Settings"), self.settings_requested),
        ):
            button = IconButton(icon, label)
            button.setProperty("role", "wide")
            button.setText(label)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.clicked.connect(signal)
            inside.addWidget(button)

    def _set_up_list(self) -> None:
        view = self.list
        view.setModel(self.conversations.shown)
        delegate = ConversationDelegate(view)
        delegate.renamed.connect(self.conversations.rename)
        view.setItemDelegate(delegate)
        view.setObjectName("conversationList")
        view.setAccessibleName(self.tr("Conversations"))
        view.setMouseTracking(True)
        view.setUniformItemSizes(False)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setEditTriggers(QListView.EditTrigger.EditKeyPressed | QListView.EditTrigger.DoubleClicked)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._show_menu)
        view.clicked.connect(self._on_chosen)
        view.activated.connect(self._on_chosen)
        view.delete_pressed.connect(self.delete_current)
        model = self.conversations.shown
        for signal in (model.rowsInserted, model.rowsRemoved, model.modelReset, model.layoutChanged):
            signal.connect(self._on_rows)
        self._on_rows()

    # For the window

    def show_open(self, conversation_id: int) -> None:
        """Mark the conversation that is open."""
        self._open_id = conversation_id
        self._on_rows()

    def rename_current(self) -> None:
        """Edit the title of the chosen conversation in place."""
        self.list.edit(self.list.currentIndex())

    def pin_current(self) -> None:
        """Pin the chosen conversation, or no longer."""
        index = self.list.currentIndex()
        if index.isValid():
            self.conversations.pin(index.data(ConversationRole.ID), not index.data(ConversationRole.PINNED))

    def delete_current(self) -> None:
        """Delete the chosen conversation if the user really wants that."""
        index = self.list.currentIndex()
        if not index.isValid():
            return
        conversation_id = index.data(ConversationRole.ID)
        title = index.data(Qt.ItemDataRole.DisplayRole)
        ask_to_delete(
            self,
            self.tr("Delete “{title}”?").format(title=title),
            lambda: self.conversations.delete(conversation_id),
            self.tr("It can be brought back for a few seconds."),
        )

    # Inside

    def _on_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.data(ConversationRole.ID))

    def _on_rows(self) -> None:
        self._nothing.setVisible(bool(self.search.text()) and self.conversations.shown.rowCount() == 0)
        at = self.conversations.shown.row_of(self._open_id) if self._open_id is not None else None
        if at is not None and self.list.currentIndex().row() != at:
            self.list.setCurrentIndex(self.conversations.shown.index(at, 0))

    def _show_menu(self, place: QPoint) -> None:
        index = self.list.indexAt(place)
        if not index.isValid():
            return
        self.list.setCurrentIndex(index)
        pinned = index.data(ConversationRole.PINNED)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Rename"), self.rename_current)
        menu.addAction(self.tr("Unpin") if pinned else self.tr("Pin"), self.pin_current)
        menu.addSeparator()
        menu.addAction(self.tr("Delete …"), self.delete_current)
        menu.popup(self.list.viewport().mapToGlobal(place))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.list.scheduleDelayedItemsLayout()

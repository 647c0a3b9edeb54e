"""One message of the transcript: bubble or answer, figures, actions, errors."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QMenu, QPushButton, QWidget

from desktop_app.icons import icon
from desktop_app.records import Message, MessageState
from desktop_app.theme import ICON, SPACE, current_colors
from desktop_app.views.answer_line import answer_line
from desktop_app.views.common import IconButton, clear_layout, column, make_label, row, show_layout, translated
from desktop_app.views.markdown import Code, parse
from desktop_app.views.message_actions import ACTIONS, MessageAction, fitting
from desktop_app.views.message_text import CodeBlock, TextBlock

BUBBLE_SHARE = 0.82  # of the column, at most
BUTTON = ICON + 12  # px, with its padding
TOOLS = 28  # px
NARROW = 420  # px; below, the buttons beside a bubble would take its place
BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class MessageView(QFrame):
    """Shows one message at a time; the transcript hands it another when it scrolls.

    Signals: `requested` (action, message id).
    """

    requested = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("MessageView")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.message: Message | None = None
        self._colored = False
        self._bubble: QFrame | None = None
        self._tools_row: QHBoxLayout | None = None  # the bubble's, or the line of figures
        self.blocks: list[TextBlock] = []
        self._streaming: TextBlock | None = None
        self._shown = 0  # characters or spans that the streaming block has
        self._marked = False
        self._actions: QWidget | None = None
        self._body = column(spacing=SPACE // 2, parent=self)
        self._body.setContentsMargins(SPACE, SPACE // 2, SPACE, SPACE // 2)

    # What is shown

    def show_message(self, message: Message, colored: bool) -> None:
        """Show a message; `colored` tells where each token came from."""
        growing = self._streaming is not None and message.state is MessageState.WRITING
        same = self.message is not None and self.message.id == message.id and colored == self._colored
        self.message, self._colored = message, colored
        if growing and same:
            self._grow()
        else:
            self._rebuild()

    def set_width(self, width: int) -> int:
        """Take a width in pixels; returns the height that the message needs in it."""
        assert self._tools_row is not None, "a message is shown first"
        self._room.setVisible(width >= NARROW)  # the menus have the same
        if self._bubble is not None:
            ideal = self.blocks[0].ideal_width() + 4 * SPACE
            room = width - 4 * SPACE - self._tools.sizeHint().width()
            self._bubble.setFixedWidth(min(ideal, room, int(width * BUBBLE_SHARE)))
        self._tools_row.invalidate()  # until the next event it would measure with the old widths
        return self._body.totalHeightForWidth(width)

    def mark(self, needle: str, current: int | None) -> int:
        """Highlight every place of `needle`; number `current` stands out. Returns how many there are."""
        if not needle and not self._marked:
            return 0
        self._marked = bool(needle)
        found = 0
        for block in self.blocks:
            found += block.mark(needle, current, found)
        return found

    def found_at(self, needle: str, current: int) -> QPoint | None:
        """Where hit number `current` stands in this view."""
        skip = 0
        for block in self.blocks:
            places = block.places(needle)
            if current - skip < len(places):
                corner = block.cursorRect(places[current - skip]).bottomLeft()
                return block.viewport().mapTo(self, corner)
            skip += len(places)
        return None

    # Building

    def _rebuild(self) -> None:
        message = self.message
        assert message is not None
        clear_layout(self._body)
        self._bubble, self._streaming, self._actions, self.blocks = None, None, None, []
        name = self.tr("Answer") if message.is_answer else self.tr("Your message")
        self.setAccessibleName(name)
        self.setAccessibleDescription(message.text)
        if message.is_answer:
            self._add_answer(message)
        else:
            self._add_bubble(message)
        if message.error is not None:
            self._body.addWidget(self._error_row(message))
        if message.is_answer:
            self._add_footer(message)
        show_layout(self._body)

    def _add_bubble(self, message: Message) -> None:
        text = self._text_block()
        text.show_plain(message.text)
        self._bubble = QFrame()
        self._bubble.setProperty("role", "bubble")
        inside = column(parent=self._bubble)
        inside.setContentsMargins(2 * SPACE, SPACE + SPACE // 2, 2 * SPACE, SPACE // 2)  # lines have room below them
        inside.addWidget(text)
        self._tools_row = row(spacing=SPACE)
        self._tools_row.setContentsMargins(0, 2 * SPACE, 0, SPACE)  # a question begins something new
        self._tools_row.addStretch(1)
        self._tools_row.addWidget(self._make_tools(message), 0, Qt.AlignmentFlag.AlignBottom)
        self._tools_row.addWidget(self._bubble)
        self._body.addLayout(self._tools_row)

    def _add_answer(self, message: Message) -> None:
        if message.state is MessageState.WRITING or (self._colored and message.spans):
            self._streaming = self._text_block()
            self._shown = 0
            self._body.addWidget(self._streaming)
            self._grow()
            return
        for block in parse(message.text):
            if isinstance(block, Code):
                code = CodeBlock(block)
                self._adopt(code.text)
                self._body.addWidget(code)
                self._body.addSpacing(SPACE)
            else:
                text = self._text_block()
                text.show_html(block.html)
                self._body.addWidget(text)

    def _text_block(self) -> TextBlock:
        block = TextBlock(self)
        self._adopt(block)
        return block

    def _adopt(self, block: TextBlock) -> None:
        block.installEventFilter(self)
        self.blocks.append(block)

    def _grow(self) -> None:
        assert self._streaming is not None
        assert self.message is not None
        if self._colored:
            spans = self.message.spans[self._shown :]
            self._streaming.append_spans(spans)
            self._shown += len(spans)
        else:
            self._streaming.append_plain(self.message.text[self._shown :])
            self._shown = len(self.message.text)
        self._streaming.updateGeometry()

    def _error_row(self, message: Message) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "error-box")
        inside = row(spacing=SPACE, parent=frame)
        inside.setContentsMargins(SPACE + SPACE // 2, SPACE, SPACE, SPACE)
        sign = make_label()
        sign.setPixmap(icon("warning", current_colors().danger).pixmap(ICON, ICON))
        inside.addWidget(sign)
        inside.addWidget(make_label(message.error or "", wrap=True), 1)
        inside.addWidget(self._chip(self.tr("Try again"), MessageAction.RETRY))
        if message.plain_may_help:
            inside.addWidget(self._chip(self.tr("Use plain mode"), MessageAction.RETRY_PLAIN))
        return frame

    def _chip(self, label: str, action: MessageAction) -> QPushButton:
        button = QPushButton(label)
        button.setProperty("role", "chip")
        button.clicked.connect(self._requester(action))
        return button

    @property
    def caption(self) -> str:
        """The line of figures or of state below the message."""
        return self._caption(self.message) if self.message is not None and self.message.is_answer else ""

    def _add_footer(self, message: Message) -> None:
        self._tools_row = row(spacing=SPACE)
        self._tools_row.addWidget(make_label(self._caption(message), "caption", wrap=True), 1)
        self._tools_row.addWidget(self._make_tools(message))
        self._body.addLayout(self._tools_row)

    def _make_tools(self, message: Message) -> QWidget:
        """Versions to browse, and room for the buttons, so that nothing moves when they come."""
        self._tools = QWidget()
        self._tools.setFixedHeight(TOOLS)
        line = row(spacing=0, parent=self._tools)
        if message.version_count > 1:
            self._add_versions(line, message)
        self._room = QWidget()
        self._room.setFixedWidth(BUTTON * sum(1 for _ in fitting(message)))
        line.addWidget(self._room)
        return self._tools

    def _caption(self, message: Message) -> str:
        if message.state is MessageState.QUEUED:
            return self.tr("Waiting for the model …")
        if message.state is MessageState.WRITING:
            return self.tr("Writing …")
        return answer_line(message)

    def _add_versions(self, line: QHBoxLayout, message: Message) -> None:
        older, newer = (info for info in ACTIONS if "version" in info.action)
        place = make_label(f"{message.version + 1} / {message.version_count}", "caption")
        for info in (older, newer):
            button = IconButton(info.icon, translated("MessageActions", info.label))
            button.setEnabled(info.fits(message))
            button.clicked.connect(self._requester(info.action))
            line.addWidget(button)
            if info is older:
                line.addWidget(place)

    # Actions: the buttons are made when the message is first pointed at, which keeps scrolling fast

    def enterEvent(self, event: QEnterEvent) -> None:
        self.show_actions()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self._actions is not None and not self.has_focus_inside():
            self._actions.hide()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.show_actions()
        super().focusInEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):  # of a text, which has no frame of its own to show it
            self.setProperty("focused", event.gotFocus() and event.reason() in BY_KEYBOARD)
            self.style().polish(self)
        return super().eventFilter(watched, event)

    def has_focus_inside(self) -> bool:
        """True where the keyboard is with this message or a part of it."""
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        assert self.message is not None
        for info in fitting(self.message):
            menu.addAction(translated("MessageActions", info.label), self._requester(info.action))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def show_actions(self) -> None:
        """Show the buttons of this message."""
        if self._actions is None and self.message is not None:
            self._actions = QWidget()
            column(parent=self._room).addWidget(self._actions)
            buttons = row(spacing=0, parent=self._actions)
            for info in fitting(self.message):
                button = IconButton(info.icon, translated("MessageActions", info.label))
                button.setObjectName(info.action)
                button.clicked.connect(self._requester(info.action))
                buttons.addWidget(button)
        if self._actions is not None:
            self._actions.show()

    def _requester(self, action: MessageAction) -> Callable[[], None]:
        return lambda: self.request(action)

    def request(self, action: MessageAction) -> None:
        """Copy here; ask for everything else."""
        assert self.message is not None
        if action is MessageAction.COPY:
            QGuiApplication.clipboard().setText(self.message.text)
        else:
            self.requested.emit(action, self.message.id)

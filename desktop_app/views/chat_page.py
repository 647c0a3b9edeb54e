"""The middle of the window: title and controls, transcript, find bar, legend, composer."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QStackedWidget, QWidget

from desktop_app.model_controller import ModelState, ModelStatus
from desktop_app.models.message_list import MessageListModel
from desktop_app.theme import COLUMN, SPACE, current_colors
from desktop_app.views.common import ElidedLabel, IconButton, Toast, announce, column, make_label, make_line, row
from desktop_app.views.composer import Composer
from desktop_app.views.find_bar import FindBar
from desktop_app.views.message_text import ORIGIN_NAMES, TextBlock, origin_format, origin_name
from desktop_app.views.start_page import StartPage
from desktop_app.views.transcript import Transcript


class OriginLegend(TextBlock):
    """What the colours and underlines of tokens mean, in the very same styles."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Legend of token origins"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._write()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._write()

    def _write(self) -> None:
        colors = current_colors()
        self.clear()
        cursor = QTextCursor(self.document())
        for origin in ORIGIN_NAMES:
            cursor.insertText(f"\u00a0{origin_name(origin)}\u00a0", origin_format(origin, colors))
            cursor.insertText("    ", QTextCharFormat())
        quiet = QTextCharFormat()
        quiet.setForeground(QColor(colors.subtle))
        cursor.insertText(self.tr("Point at a token to see its round."), quiet)


class ProblemBar(QFrame):
    """What the user must see, until it is closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("problems")
        self.setProperty("role", "error-box")
        self._lines: list[str] = []
        self._text = make_label("", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = IconButton("close", self.tr("Dismiss"))
        close.clicked.connect(self.clear)
        inside = row(parent=self)
        inside.setContentsMargins(2 * SPACE, SPACE, SPACE, SPACE)
        inside.addWidget(self._text, 1)
        inside.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def text(self) -> str:
        """All that is shown."""
        return "\n".join(self._lines)

    def add(self, text: str) -> None:
        """Show a line besides those that are shown already."""
        if text not in self._lines:
            self._lines.append(text)
        self._text.setText(self.text)
        self.show()
        announce(self, text)

    def clear(self) -> None:
        """Take everything away."""
        self._lines.clear()
        self.hide()


class ChatPage(QFrame):
    """Transcript and composer with what belongs to them. The window connects it to the controllers.

    model_clicked   the chip with the model's name was pressed
    """

    model_clicked = Signal()

    def __init__(self, messages: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ChatPage")
        self.messages = messages
        self.title = ElidedLabel("title")
        self.model_chip = QPushButton()
        self.model_chip.setProperty("role", "chip")
        self.model_chip.setObjectName("modelChip")
        self.model_chip.clicked.connect(self.model_clicked)
        self.sidebar_button = self._toggle("sidebar", self.tr("Show conversations"), "sidebarButton")
        self.origins_button = self._toggle("origins", self.tr("Colour tokens by origin"), "originsButton")
        self.panel_button = self._toggle("panel", self.tr("Show the live panel"), "panelButton")
        self.race_button = IconButton("race", self.tr("Race plain against the chosen mode"))
        self.start = StartPage()
        self.transcript = Transcript(messages)
        self.find_bar = FindBar(messages)
        self.legend = OriginLegend()
        self.legend.hide()
        self.composer = Composer()
        self.problems = ProblemBar()
        self._stack = QStackedWidget()
        self._build()
        self.toast = Toast(self._stack)
        self.find_bar.found.connect(self.transcript.show_find)
        for signal in (messages.modelReset, messages.rowsInserted, messages.rowsRemoved):
            signal.connect(self._choose_page)
        self._choose_page()

    def _toggle(self, icon: str, label: str, name: str) -> IconButton:
        button = IconButton(icon, label, checkable=True)
        button.setObjectName(name)
        return button

    def _build(self) -> None:
        header = row(spacing=SPACE // 2)
        header.setContentsMargins(SPACE, SPACE, SPACE, SPACE)
        header.addWidget(self.sidebar_button)
        header.addSpacing(SPACE)
        header.addWidget(self.title, 1)
        for button in (self.model_chip, self.origins_button, self.race_button, self.panel_button):
            header.addWidget(button)
        self._stack.addWidget(self.start)
        self._stack.addWidget(self.transcript)
        inside = column(spacing=0, parent=self)
        inside.addLayout(header)
        inside.addWidget(make_line())
        inside.addLayout(self._centered(self.problems, top=SPACE))
        inside.addWidget(self.find_bar)
        inside.addLayout(self._centered(self.legend, top=SPACE))
        inside.addWidget(self._stack, 1)
        inside.addLayout(self._centered(self.composer, top=SPACE, bottom=SPACE + SPACE // 2))

    def _centered(self, widget: QWidget, *, top: int = 0, bottom: int = 0) -> QHBoxLayout:
        """A widget in the column of the messages."""
        across = row()
        across.setContentsMargins(3 * SPACE, top, 3 * SPACE, bottom)
        across.addStretch(1)
        widget.setMaximumWidth(COLUMN)
        across.addWidget(widget, 1000)
        across.addStretch(1)
        return across

    def show_title(self, title: str) -> None:
        """Show the title of the open conversation."""
        self.title.setText(title)
        self.title.setToolTip(title)

    def set_colored(self, colored: bool) -> None:
        """Colour tokens by origin, with a legend."""
        self.origins_button.setChecked(colored)
        self.legend.setVisible(colored)
        self.transcript.set_colored(colored)

    def show_model(self, status: ModelStatus) -> None:
        """How far the model is: in the chip, on the start page and in the composer."""
        self.start.show_status(status)
        chip, hint = self._model_texts(status)
        self.model_chip.setText(chip)
        self.model_chip.setToolTip(hint)
        waiting = status.state is ModelState.LOADING
        self.composer.set_placeholder(
            self.tr("Write already: it is sent when the model is ready") if waiting else self.tr("Write a message")
        )

    def _model_texts(self, status: ModelStatus) -> tuple[str, str]:
        if status.state is ModelState.LOADING:
            return self.tr("Loading {percent} %").format(percent=round(status.progress * 100)), status.stage
        if status.state is ModelState.READY and status.info is not None:
            info = status.info
            return info.name, f"{info.dtype} · {info.device} · {info.target}"
        if status.state is ModelState.FAILED:
            return self.tr("Model failed"), status.error
        return self.tr("No model"), ""

    def _choose_page(self) -> None:
        self._stack.setCurrentWidget(self.transcript if self.messages.rowCount() else self.start)

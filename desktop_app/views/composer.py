"""Where messages are written: text that grows, mode, context meter, send and stop. It is never disabled."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QActionGroup, QFocusEvent, QHideEvent, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QProgressBar, QToolButton, QWidget

from desktop_app.settings_table import MODES
from desktop_app.theme import SPACE
from desktop_app.views.common import NOTHING, ElidedLabel, IconButton, column, make_label, row, set_role, translated

MOST_LINES = 10
MEASURE_MS = 150  # pause in typing after which tokens are counted
NEARLY_FULL = 0.9


class ComposerText(QPlainTextEdit):
    """Plain text that grows with its lines.

    Signals: `submitted` when the send key was pressed, `cancelled` on Escape.
    """

    submitted = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerText")
        self.setAccessibleName(self.tr("Message"))
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.viewport().setAutoFillBackground(False)
        self._composing = False
        self._control_sends = False
        self.textChanged.connect(self._grow)
        self._grow()

    def set_control_sends(self, control_sends: bool) -> None:
        """True: Ctrl+Enter sends and Enter is a new line. False: Enter sends. Shift+Enter is always a new line."""
        self._control_sends = control_sends

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def _enter(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        send = Qt.KeyboardModifier.ControlModifier if self._control_sends else Qt.KeyboardModifier.NoModifier
        if self._composing:
            event.ignore()  # the key belongs to the input method
        elif modifiers == send:
            self.submitted.emit()
        else:
            self.textCursor().insertBlock()
            self.ensureCursorVisible()

    def sizeHint(self) -> QSize:
        return QSize(200, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self._height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._grow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()

    def _height(self) -> int:
        lines = min(max(round(self.document().size().height()), 1), MOST_LINES)
        return lines * self.fontMetrics().lineSpacing() + 2 * round(self.document().documentMargin()) + 2

    def _grow(self) -> None:
        self.setFixedHeight(self._height())


class ContextMeter(QWidget):
    """How much of the context the conversation with this message would take."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(7 * SPACE)
        self._bar.setAccessibleName(self.tr("Context"))
        self._text = make_label(NOTHING, "caption")
        inside = row(parent=self)
        inside.addWidget(self._bar)
        inside.addWidget(self._text)
        self.show_size(None, None, 0)

    @property
    def text(self) -> str:
        """What the meter says."""
        return self._text.text()

    def show_size(self, tokens: int | None, length: int | None, dropped_turns: int) -> None:
        """Show tokens of the context; None while no model can count them."""
        known = tokens is not None and length is not None
        self._bar.setVisible(known)
        self._bar.setRange(0, length or 1)
        self._bar.setValue(min(tokens or 0, length or 1))
        full = bool(known and tokens and length and tokens >= NEARLY_FULL * length)
        set_role(self._text, "bad" if full or dropped_turns else "caption")
        self._text.setText(f"{tokens:,} / {length:,}" if known else "")
        tip = self.tr("Tokens that the model would read for this message, of those that fit into its context.")
        if dropped_turns:
            tip += "\n" + self.tr("%n old turn(s) do not fit and will be left out.", "", dropped_turns)
        self.setToolTip(tip)


class ModeButton(QToolButton):
    """The decoding mode, with a menu in which every mode explains itself.

    Signals: `chosen` (value of the mode).
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("mode")
        self.setProperty("role", "mode")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self)
        group = QActionGroup(self)
        for mode in MODES:
            action = menu.addAction(f"{translated('Settings', mode.label)} — {translated('Settings', mode.help)}")
            action.setObjectName(f"mode_{mode.value}")
            action.setCheckable(True)
            action.setData(mode.value)
            group.addAction(action)
        group.triggered.connect(lambda action: self.chosen.emit(action.data()))
        self._group = group
        self.setMenu(menu)

    def show_mode(self, value: str) -> str:
        """Show a mode as the chosen one; returns its explanation."""
        mode = next(mode for mode in MODES if mode.value == value)
        for action in self._group.actions():
            action.setChecked(action.data() == value)
        label, explanation = translated("Settings", mode.label), translated("Settings", mode.help)
        self.setText(f"{label} ▾")
        self.setAccessibleName(self.tr("Decoding mode: {mode}").format(mode=label))
        self.setToolTip(explanation)
        return explanation


class Composer(QWidget):
    """The composer with its row of controls and a line of explanation below.

    sent            (text); the composer keeps the text until `clear`
    edited          (message id, text) instead, while a message is being edited
    stopped         the answer is to end
    mode_chosen     (value of the mode)
    text_changed    (text), on every key; not while editing
    measure         (text), after a pause in typing
    """

    sent = Signal(str)
    edited = Signal(int, str)
    stopped = Signal()
    mode_chosen = Signal(str)
    text_changed = Signal(str)
    measure = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing: int | None = None
        self._draft = ""
        self._busy = False
        self._typing = True
        self.text = ComposerText()
        self.mode = ModeButton()
        self.meter = ContextMeter()
        self.send_button = self._round("send", self.tr("Send"), "sendButton", "on_accent")
        self.stop_button = self._round("stop", self.tr("Stop"), "stopButton", "on_accent")
        self._frame = QFrame()
        self._frame.setProperty("role", "composer")
        self._note = ElidedLabel("caption")
        self._note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._build()
        self._pause = QTimer(self, singleShot=True, interval=MEASURE_MS)
        self._pause.timeout.connect(lambda: self.measure.emit(self.text.toPlainText()))
        self.text.textChanged.connect(self._on_text)
        self.text.submitted.connect(self.submit)
        self.text.cancelled.connect(self._on_escape)
        self.text.installEventFilter(self)
        self.send_button.clicked.connect(self.submit)
        self.stop_button.clicked.connect(self.stopped)
        self.mode.chosen.connect(self.mode_chosen)
        self.set_busy(False)

    def _round(self, icon: str, label: str, name: str, color: str) -> IconButton:
        button = IconButton(icon, label, color=color)
        button.setObjectName(name)
        button.setProperty("role", "send")
        return button

    def _build(self) -> None:
        controls = row(spacing=SPACE)
        controls.addWidget(self.mode)
        controls.addStretch(1)
        controls.addWidget(self.meter)
        controls.addWidget(self.stop_button)
        controls.addWidget(self.send_button)
        self._edit_row = QWidget()
        banner = row(parent=self._edit_row)
        banner.addWidget(make_label(self.tr("Editing an earlier message"), "section"), 1)
        cancel = IconButton("close", self.tr("Cancel editing (Esc)"))
        cancel.clicked.connect(self.cancel_edit)
        banner.addWidget(cancel)
        self._edit_row.hide()
        inside = column(spacing=SPACE, parent=self._frame)
        inside.setContentsMargins(SPACE, SPACE + SPACE // 2, SPACE, SPACE)
        writing = column(spacing=SPACE)
        writing.setContentsMargins(SPACE, 0, 0, 0)
        writing.addWidget(self._edit_row)
        writing.addWidget(self.text)
        inside.addLayout(writing)
        inside.addLayout(controls)
        outside = column(spacing=SPACE // 2, parent=self)
        outside.addWidget(self._frame)
        outside.addWidget(self._note)

    # For the window

    def show_mode(self, value: str) -> None:
        """Show the decoding mode and what it does."""
        self._note.setText(self.mode.show_mode(value))

    def set_busy(self, busy: bool) -> None:
        """Offer to stop while an answer is written. Writing and sending go on: messages wait their turn."""
        self._busy = busy
        self._show_buttons()

    def set_placeholder(self, text: str) -> None:
        """What stands in the empty composer."""
        self.text.setPlaceholderText(text)

    def set_draft(self, text: str) -> None:
        """Show the draft of another conversation."""
        self._leave_edit()
        self._put(text)

    def clear(self) -> None:
        """Empty the composer, as after a message was saved; a draft put aside for an edit comes back."""
        draft = self._draft if self._editing is not None else ""
        self._leave_edit()
        self._put(draft)

    def begin_edit(self, message_id: int, text: str) -> None:
        """Let the user change a message; what was being written is kept aside."""
        if self._editing is None:
            self._draft = self.text.toPlainText()
        self._editing = message_id
        self._edit_row.show()
        self._put(text)
        self.text.setFocus()

    def cancel_edit(self) -> None:
        """Back to what was being written."""
        if self._editing is not None:
            self.clear()

    def submit(self) -> None:
        """Send what was written, unless it is empty."""
        text = self.text.toPlainText().strip()
        if not text:
            return
        if self._editing is not None:
            self.edited.emit(self._editing, text)
        else:
            self.sent.emit(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):
            self._frame.setProperty("focused", event.gotFocus())
            self._frame.style().polish(self._frame)
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._pause.stop()  # nobody would see the count
        super().hideEvent(event)

    # Inside

    def _leave_edit(self) -> None:
        self._editing, self._draft = None, ""
        self._edit_row.hide()

    def _put(self, text: str) -> None:
        """Replace the text without calling that typing, and go to its end."""
        self._typing = False
        self.text.setPlainText(text)
        self._typing = True
        cursor = self.text.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.text.setTextCursor(cursor)

    def _on_text(self) -> None:
        self._show_buttons()
        self._pause.start()
        if self._editing is None and self._typing:
            self.text_changed.emit(self.text.toPlainText())

    def _on_escape(self) -> None:
        if self._editing is not None:
            self.cancel_edit()
        elif self._busy:
            self.stopped.emit()

    def _show_buttons(self) -> None:
        empty = self.text.document().isEmpty()
        self.stop_button.setVisible(self._busy)
        self.send_button.setVisible(not (self._busy and empty))

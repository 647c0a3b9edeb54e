"""Where messages are written: text, mode, context meter, send and stop. It is never disabled."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent
from PySide6.QtWidgets import QFrame, QWidget

from desktop_app.theme import SPACE
from desktop_app.views.common import ElidedLabel, IconButton, column, make_label, row
from desktop_app.views.composer_controls import ContextMeter, ModeButton
from desktop_app.views.composer_text import ComposerText

MEASURE_MS = 150  # pause in typing after which tokens are counted


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
        self.text.viewport().update()  # Qt draws again only where a placeholder comes or goes

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

    def count_again(self) -> None:
        """Ask for the size of the prompt again, as when the conversation has grown."""
        self._pause.start()

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

"""The text of the composer: it grows, knows the send key, and leaves input methods alone."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

MOST_LINES = 10


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

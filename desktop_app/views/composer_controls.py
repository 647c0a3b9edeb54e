"""The controls below the text of the composer: context meter and decoding mode."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QProgressBar, QToolButton, QWidget

from desktop_app.figures import NOTHING
from desktop_app.settings_table import MODES
from desktop_app.theme import SPACE
from desktop_app.views.common import make_label, row, set_role, translated

NEARLY_FULL = 0.9


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

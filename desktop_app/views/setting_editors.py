"""One editor per kind of setting, all with the same face: `show_value` and the signal `edited`."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from desktop_app.setting import Kind, Setting, Value
from desktop_app.theme import SPACE
from desktop_app.views.common import column, make_label, row, translated

WIDTH = 264  # px
LARGEST_SPIN = (1 << 31) - 1  # a spin box of Qt holds 32 bits


class Editor(QWidget):
    """Edits a value. `edited` carries what the user entered, not checked yet."""

    edited = Signal(object)

    def show_value(self, value: Value) -> None:
        """Show a value without emitting `edited`."""
        raise NotImplementedError


class BoolEditor(Editor):
    """A check box."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.box = QCheckBox()
        self.box.setAccessibleName(translated("Settings", setting.label))
        self.box.clicked.connect(lambda checked: self.edited.emit(checked))
        inside = row(parent=self)
        inside.addWidget(self.box)
        inside.addStretch(1)

    def show_value(self, value: Value) -> None:
        self.box.setChecked(value is True)


class NumberEditor(Editor):
    """A spin box for whole numbers or fractions; it ignores the wheel unless it has the focus."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.box: QSpinBox | QDoubleSpinBox
        if setting.kind is Kind.INT:
            self.box = QSpinBox()
            self.box.setRange(int(setting.minimum or 0), int(min(setting.maximum or LARGEST_SPIN, LARGEST_SPIN)))
            self.box.setSingleStep(int(setting.step or 1))
        else:
            self.box = QDoubleSpinBox()
            self.box.setDecimals(2)
            self.box.setRange(setting.minimum or 0.0, setting.maximum or 1e9)
            self.box.setSingleStep(setting.step or 0.1)
        self.box.setAccessibleName(translated("Settings", setting.label))
        self.box.lineEdit().setTextMargins(SPACE, 0, 0, 0)
        self.box.setKeyboardTracking(False)
        self.box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.wheelEvent = self._ignore_wheel  # type: ignore[method-assign]
        self.box.valueChanged.connect(self.edited.emit)
        row(parent=self).addWidget(self.box)

    def show_value(self, value: Value) -> None:
        self.box.blockSignals(True)
        self.box.setValue(value)  # type: ignore[arg-type]
        self.box.blockSignals(False)

    def _ignore_wheel(self, event: QWheelEvent) -> None:
        event.ignore()


class LargeNumberEditor(Editor):
    """A field for whole numbers that no spin box can hold."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.field = QLineEdit()
        self.field.setAccessibleName(translated("Settings", setting.label))
        self.field.editingFinished.connect(self._on_edited)
        row(parent=self).addWidget(self.field)

    def show_value(self, value: Value) -> None:
        self.field.setText(str(value))

    def _on_edited(self) -> None:
        text = self.field.text().strip()
        self.edited.emit(int(text) if text.removeprefix("-").isdecimal() else text)


class TextEditor(Editor):
    """A field of one line."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.field = QLineEdit()
        self.field.setAccessibleName(translated("Settings", setting.label))
        self.field.editingFinished.connect(lambda: self.edited.emit(self.field.text()))
        row(parent=self).addWidget(self.field)

    def show_value(self, value: Value) -> None:
        if self.field.text() != value:
            self.field.setText(str(value or ""))


class _LinesField(QPlainTextEdit):
    """A small field of several lines that tells when it is left."""

    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class LinesEditor(Editor):
    """A field of several lines: one text, or a list of texts with one a line, where \\n stands for a line break."""

    LINES = 4

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self._is_list = setting.kind is Kind.TEXTS
        self.field = _LinesField()
        self.field.setAccessibleName(translated("Settings", setting.label))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(self.LINES * self.field.fontMetrics().lineSpacing() + 3 * SPACE)
        self.field.left.connect(self._on_left)
        row(parent=self).addWidget(self.field)

    def show_value(self, value: Value) -> None:
        shown = "\n".join(line.replace("\n", "\\n") for line in value) if isinstance(value, tuple) else str(value or "")
        if self.field.toPlainText() != shown:
            self.field.setPlainText(shown)

    def _on_left(self) -> None:
        text = self.field.toPlainText()
        lines = tuple(line.replace("\\n", "\n") for line in text.split("\n") if line)
        self.edited.emit(lines if self._is_list else text)


class ChoiceEditor(Editor):
    """A list to choose from, with the help of the chosen one below it."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self._helps = [translated("Settings", choice.help) if choice.help else "" for choice in setting.choices]
        self.box = QComboBox()
        self.box.setAccessibleName(translated("Settings", setting.label))
        self.box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for choice in setting.choices:
            self.box.addItem(translated("Settings", choice.label), choice.value)
        self.box.activated.connect(lambda index: self.edited.emit(self.box.itemData(index)))
        self.box.currentIndexChanged.connect(self._show_help)
        self._help = make_label("", "caption", wrap=True)
        inside = column(spacing=SPACE // 2, parent=self)
        inside.addWidget(self.box)
        inside.addWidget(self._help)
        self._show_help()

    def show_value(self, value: Value) -> None:
        self.box.setCurrentIndex(self.box.findData(value))

    def _show_help(self) -> None:
        index = self.box.currentIndex()
        text = self._helps[index] if 0 <= index < len(self._helps) else ""
        self._help.setText(text)
        self._help.setVisible(bool(text))


class PathEditor(Editor):
    """A path with a button that looks for a folder."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self._label = translated("Settings", setting.label)
        self.field = QLineEdit()
        self.field.setAccessibleName(self._label)
        self.field.editingFinished.connect(lambda: self.edited.emit(self.field.text()))
        browse = QPushButton(self.tr("Folder …"))
        browse.clicked.connect(self._browse)
        inside = row(parent=self)
        inside.addWidget(self.field, 1)
        inside.addWidget(browse)

    def show_value(self, value: Value) -> None:
        self.field.setText(str(value or ""))

    def _browse(self) -> None:
        start = self.field.text() if Path(self.field.text()).is_dir() else str(Path.home())
        folder = QFileDialog.getExistingDirectory(self, self._label, start)
        if folder:
            self.field.setText(folder)
            self.edited.emit(folder)


class OptionalEditor(Editor):
    """Any editor behind a check box that stands for None."""

    def __init__(self, setting: Setting, inner: Editor) -> None:
        super().__init__()
        self.inner = inner
        self._last: Value = None
        self.none_box = QCheckBox(translated("Settings", setting.none_label or ""))
        self.none_box.clicked.connect(self._on_clicked)
        self._default = setting.minimum if setting.kind in (Kind.INT, Kind.FLOAT) else ""
        inner.edited.connect(self.edited.emit)
        inside = column(spacing=SPACE // 2, parent=self)
        inside.addWidget(self.none_box)
        inside.addWidget(inner)

    def show_value(self, value: Value) -> None:
        self.none_box.setChecked(value is None)
        self.inner.setVisible(value is not None)
        if value is not None:
            self._last = value
            self.inner.show_value(value)

    def _on_clicked(self, none: bool) -> None:
        value = None if none else self._last
        if value is None and not none:
            value = int(self._default) if isinstance(self._default, float | int) else self._default
        self.show_value(value)
        self.edited.emit(value)


EDITORS: dict[Kind, Callable[[Setting], Editor]] = {
    Kind.BOOL: BoolEditor,
    Kind.INT: NumberEditor,
    Kind.FLOAT: NumberEditor,
    Kind.TEXT: TextEditor,
    Kind.LONG_TEXT: LinesEditor,
    Kind.TEXTS: LinesEditor,
    Kind.CHOICE: ChoiceEditor,
    Kind.PATH: PathEditor,
}


def make_editor(setting: Setting) -> Editor:
    """The editor that fits a setting."""
    too_large = setting.kind is Kind.INT and (setting.maximum or 0) > LARGEST_SPIN
    editor = LargeNumberEditor(setting) if too_large else EDITORS[setting.kind](setting)
    return OptionalEditor(setting, editor) if setting.none_label is not None else editor

"""The sheet of shortcuts (F1), and "about" with a report that can be copied."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QPlainTextEdit, QPushButton, QScrollArea, QWidget

from desktop_app.icons import app_icon
from desktop_app.theme import SPACE, TypeScale, monospace
from desktop_app.views.common import column, make_label, row


class ShortcutSheet(QDialog):
    """All shortcuts, read from the menus themselves."""

    def __init__(
        self,
        menus: Sequence[tuple[str, Sequence[QAction]]],
        extra: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        """`menus` are (title, actions); `extra` are (what, keys) that no menu has."""
        super().__init__(parent)
        self.setObjectName("ShortcutSheet")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(720, 560)
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 3 * SPACE)
        grid.setHorizontalSpacing(3 * SPACE)
        grid.setVerticalSpacing(SPACE)
        grid.setColumnStretch(0, 1)
        groups = [
            (title, [(_bare(action), _keys(action)) for action in actions if _keys(action)]) for title, actions in menus
        ]
        line = 0
        for title, lines in [*groups, (self.tr("Writing"), list(extra))]:
            if not lines:
                continue
            grid.addWidget(make_label(title.replace("&", ""), "section"), line, 0, 1, 2)
            for offset, (what, keys) in enumerate(lines, start=1):
                grid.addWidget(make_label(what), line + offset, 0)
                grid.addWidget(make_label(keys, "value"), line + offset, 1, Qt.AlignmentFlag.AlignRight)
            line += len(lines) + 1
            grid.setRowMinimumHeight(line, 2 * SPACE)
            line += 1
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(body)
        scroll.setAccessibleName(self.windowTitle())
        column(parent=self).addWidget(scroll)


def _bare(action: QAction) -> str:
    return action.text().replace("&", "")


def _keys(action: QAction) -> str:
    return " / ".join(
        sequence.toString(QKeySequence.SequenceFormat.NativeText)
        for sequence in action.shortcuts()
        if not sequence.isEmpty()
    )


class ReportDialog(QDialog):
    """A heading, a line of explanation, and a report that can be copied; `buttons` are the caller's own."""

    def __init__(
        self,
        title: str,
        explanation: str,
        report: str,
        buttons: Sequence[QPushButton] = (),
        parent: QWidget | None = None,
        *,
        logo: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("ReportDialog")
        self.setWindowTitle(title)
        self.resize(640, 520)
        top = row(spacing=2 * SPACE)
        if logo:
            picture = QLabel()
            picture.setPixmap(app_icon().pixmap(QSize(48, 48), self.devicePixelRatioF()))
            top.addWidget(picture)
        words = column(spacing=SPACE // 2)
        words.addWidget(make_label(title, "title"))
        words.addWidget(make_label(explanation, "caption", wrap=True))
        top.addLayout(words, 1)
        self.report = QPlainTextEdit(report)
        self.report.setReadOnly(True)
        self.report.setFont(monospace(TypeScale.of(self.font().pointSizeF()).small))
        self.report.setTabChangesFocus(True)
        self.report.setAccessibleName(self.tr("Report"))
        self.report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        copy = QPushButton(self.tr("Copy report"))
        copy.setObjectName("copyReport")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.report.toPlainText()))
        close = QPushButton(self.tr("Close"))
        close.setDefault(True)
        close.setProperty("role", "primary")
        close.clicked.connect(self.close)
        bottom = row(spacing=SPACE)
        for button in (copy, *buttons):
            bottom.addWidget(button)
        bottom.addStretch(1)
        bottom.addWidget(close)
        inside = column(margin=3 * SPACE, spacing=2 * SPACE, parent=self)
        inside.addLayout(top)
        inside.addWidget(self.report, 1)
        inside.addLayout(bottom)


def tell_of_failed_start(report: str) -> None:
    """Say that there will be no window, in a dialog of its own; returns when that was read."""
    translate = QCoreApplication.translate
    explanation = translate(
        "ReportDialog",
        "Staged Chat could not start. Your conversations are safe. The report below holds nothing of what was said; "
        "please send it to the authors.",
    )
    ReportDialog(translate("ReportDialog", "Something went wrong"), explanation, report).exec()

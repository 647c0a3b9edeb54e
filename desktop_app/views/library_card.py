"""One model of the library: what it is, how far it is, and what can be done with it."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QFrame, QProgressBar, QPushButton, QWidget

from desktop_app.models.library_model import LibraryRow, RowState
from desktop_app.theme import SPACE
from desktop_app.views.common import ElidedLabel, column, make_label, row

STEPS = 1000  # of the progress bar

WORKING = {RowState.WAITING, RowState.WORKING}
USABLE = {RowState.READY, RowState.READY_WITHOUT_DRAFT}


class LibraryCard(QFrame):
    """Shows a `LibraryRow`. Every signal carries the model's id.

    draft_chosen   (model id, source or None)
    """

    download_requested = Signal(str)
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    use_requested = Signal(str)
    remove_requested = Signal(str)
    table_requested = Signal(str)
    draft_chosen = Signal(str, object)

    def __init__(self, shown: LibraryRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setObjectName(f"model_{shown.id}")
        self.row = shown
        self.title = make_label("", "title")
        self.summary = make_label("", "caption", wrap=True)
        self.facts = make_label("", "caption", wrap=True)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress of the download"))
        self.activity = ElidedLabel("caption")
        self.error = make_label("", "error", wrap=True)
        self.draft = QComboBox()
        self.draft.setObjectName("draft")
        self.draft.activated.connect(self._on_draft)
        self.draft_text = make_label("", "caption", wrap=True)
        self._draft_box = QWidget()
        self.download = self._button("download", self.tr("Download"), self.download_requested.emit)
        self.pause = self._button("pause", self.tr("Pause"), self.pause_requested.emit)
        self.cancel = self._button("cancel", self.tr("Cancel"), self.cancel_requested.emit)
        self.use = self._button("use", self.tr("Chat with it"), self.use_requested.emit)
        self.table = self._button("table", "", self.table_requested.emit)
        self.table.setToolTip(
            self.tr("Samples the draft while the chat is idle; takes hours on a small machine. Can be paused.")
        )
        self.remove = self._button("remove", self.tr("Remove …"), self.remove_requested.emit)
        self.remove.setProperty("role", "danger")
        for button in (self.download, self.use):
            button.setProperty("role", "primary")
        self._build()
        self.show_row(shown)

    def _button(self, name: str, label: str, pressed: Callable[[str], None]) -> QPushButton:
        button = QPushButton(label)
        button.setObjectName(name)
        button.clicked.connect(lambda: pressed(self.row.id))
        return button

    def _build(self) -> None:
        buttons = row(spacing=SPACE)
        buttons.addStretch(1)
        for button in (self.remove, self.table, self.cancel, self.pause, self.download, self.use):
            buttons.addWidget(button)
        drafts = row(spacing=SPACE, parent=self._draft_box)
        label = make_label(self.tr("Draft"))
        label.setBuddy(self.draft)
        drafts.addWidget(label)
        drafts.addWidget(self.draft)
        drafts.addWidget(self.draft_text, 1)
        inside = column(margin=2 * SPACE, spacing=SPACE, parent=self)
        for widget in (
            self.title,
            self.summary,
            self.facts,
            self._draft_box,
            self.progress,
            self.activity,
            self.error,
        ):
            inside.addWidget(widget)
        inside.addLayout(buttons)

    def show_row(self, shown: LibraryRow) -> None:
        """Show the present state of the model."""
        self.row = shown
        partial, usable = shown.state is RowState.PARTIAL, shown.state in USABLE
        working = shown.state in WORKING or shown.is_sampling
        self.title.setText(self.tr("{name} – in use").format(name=shown.name) if shown.is_in_use else shown.name)
        self.summary.setText(shown.summary)
        self.summary.setVisible(bool(shown.summary))
        self.facts.setText(" · ".join(filter(None, (shown.size, shown.table, shown.memory, shown.licence))))
        self.progress.setVisible(working)
        self.progress.setRange(0, 0 if shown.progress is None else STEPS)
        self.progress.setValue(round((shown.progress or 0) * STEPS))
        self.activity.setText(shown.activity)
        self.activity.setVisible(working)
        self.error.setText(self._error_text(shown))
        self.error.setVisible(bool(self.error.text()))
        self._show_draft(shown)
        self.download.setText(self.tr("Go on") if partial else self._download_label(shown))
        self.download.setVisible(partial or shown.state in (RowState.MISSING, RowState.READY_WITHOUT_DRAFT))
        self.pause.setVisible(working)
        self.cancel.setVisible(working or partial)
        self.use.setVisible(usable and not shown.is_in_use)
        self.remove.setVisible(not shown.is_fixed and not working and (usable or shown.state is RowState.GONE))
        goes_on = shown.table_is_begun
        self.table.setText(self.tr("Go on with n-gram table") if goes_on else self.tr("Make n-gram table"))
        self.table.setVisible(shown.wants_table and not working)
        for button in (self.download, self.pause, self.cancel, self.use, self.table, self.remove):
            button.setAccessibleName(f"{button.text()}: {shown.name}")

    def _download_label(self, shown: LibraryRow) -> str:
        ready = shown.state is RowState.READY_WITHOUT_DRAFT
        return self.tr("Download the draft") if ready else self.tr("Download")

    def _error_text(self, shown: LibraryRow) -> str:
        if shown.state is RowState.GONE:
            return self.tr("Its folder is gone. Put it back, or remove the model here and add it again.")
        return shown.error

    def _show_draft(self, shown: LibraryRow) -> None:
        self._draft_box.setVisible(not shown.is_fixed)
        self.draft.setEnabled(shown.state not in WORKING and not shown.is_sampling)
        self.draft.setAccessibleName(self.tr("Draft of {name}").format(name=shown.name))
        self.draft_text.setText(
            self.tr("The draft is being downloaded.") if shown.state in WORKING else shown.draft_text
        )
        if [self.draft.itemData(at) for at in range(self.draft.count())] != [choice.source for choice in shown.drafts]:
            self.draft.clear()
            for choice in shown.drafts:
                self.draft.addItem(choice.label, choice.source)
        items = self.draft.model()
        assert isinstance(items, QStandardItemModel), "a combo box has this model unless it is given another"
        for at, choice in enumerate(shown.drafts):
            self.draft.setItemText(at, choice.label)
            items.item(at).setEnabled(choice.can_be_chosen)
        self.draft.setCurrentIndex(self.draft.findData(shown.draft))

    def _on_draft(self, at: int) -> None:
        source = self.draft.itemData(at)
        if source != self.row.draft:
            self.draft_chosen.emit(self.row.id, source)

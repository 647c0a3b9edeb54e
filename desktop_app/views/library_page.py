"""The library of models: get GPT-2 Large and others, choose drafts, add one's own, free the disk again."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QDialog, QFileDialog, QFormLayout, QLineEdit, QPushButton, QScrollArea, QWidget

from desktop_app.library import FOLDER_KEY, LibraryController
from desktop_app.settings import Settings
from desktop_app.theme import SPACE
from desktop_app.views.common import Toast, ask_to_delete, column, make_label, make_line, row
from desktop_app.views.library_card import LibraryCard

ADD_WIDTH = 560  # px


class AddDialog(QDialog):
    """Asks for a model of the user's own.

    confirmed   (target, draft, name, chat format); what was left open is ""
    """

    confirmed = Signal(str, str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("AddDialog")
        self.setWindowTitle(self.tr("Add a model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.target, self.draft, self.name = QLineEdit(), QLineEdit(), QLineEdit()
        self.target.setObjectName("target")
        self.target.setPlaceholderText("openai-community/gpt2-xl")
        self.draft.setPlaceholderText("distilbert/distilgpt2")
        self.setMinimumWidth(ADD_WIDTH)
        self.format = QComboBox()
        for value, label in (
            ("", self.tr("Decide for me")),
            ("transcript", self.tr("Transcript with names")),
            ("eos", self.tr("Turns separated by end-of-text")),
            ("template", self.tr("The tokenizer's template")),
        ):
            self.format.addItem(label, value)
        self._build()

    def _build(self) -> None:
        form = QFormLayout()
        form.setSpacing(SPACE)
        for label, field in (
            (self.tr("Hub id or folder"), self.target),
            (self.tr("Draft (may be empty)"), self.draft),
        ):
            field.setAccessibleName(label)
            form.addRow(label, self._with_picker(field))
        for label, widget in ((self.tr("Name (may be empty)"), self.name), (self.tr("Chat format"), self.format)):
            widget.setAccessibleName(label)
            form.addRow(label, widget)
        add = QPushButton(self.tr("Add"))
        add.setObjectName("confirmAdd")
        add.setDefault(True)
        add.setEnabled(False)
        self.target.textChanged.connect(lambda text: add.setEnabled(bool(text.strip())))
        add.clicked.connect(self._confirm)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        buttons = row(spacing=SPACE)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(add)
        explain = self.tr("Any GPT-2 on huggingface.co, or a folder with one. A folder stays where it is.")
        inside = column(margin=3 * SPACE, spacing=2 * SPACE, parent=self)
        inside.addWidget(make_label(explain, "caption", wrap=True))
        inside.addLayout(form)
        inside.addLayout(buttons)

    def _with_picker(self, field: QLineEdit) -> QWidget:
        pick = QPushButton(self.tr("Folder …"))
        pick.setAccessibleName(self.tr("Choose a folder: {label}").format(label=field.accessibleName()))
        pick.clicked.connect(lambda: pick_folder(self, self.tr("Folder with a GPT-2 model"), field.setText))
        both = QWidget()
        inside = row(spacing=SPACE, parent=both)
        inside.addWidget(field, 1)
        inside.addWidget(pick)
        return both

    def _confirm(self) -> None:
        texts = [field.text().strip() for field in (self.target, self.draft, self.name)]
        self.confirmed.emit(*texts, self.format.currentData())
        self.accept()


class LibraryDialog(QDialog):
    """Shows a `LibraryController`; a folder dropped on it is added."""

    def __init__(self, library: LibraryController, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("LibraryDialog")
        self.setWindowTitle(self.tr("Models"))
        self.resize(720, 640)
        self.library = library
        self.cards: dict[str, LibraryCard] = {}
        self._settings = settings
        self._room = make_label("", "caption", wrap=True)
        self._list = column(spacing=SPACE + SPACE // 2)
        self._list.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to whatever inside gets the focus
        self._build()
        self.toast = Toast(self)
        library.models.modelReset.connect(self._make_cards)
        library.models.dataChanged.connect(self._show_rows)
        library.problem.connect(self.toast.show_text)
        library.notice.connect(self.toast.show_text)
        library.added.connect(self.show_model)
        FolderDrops(self).dropped.connect(library.add)
        library.looked.connect(self._show_room)
        self._make_cards()

    def _build(self) -> None:
        add = QPushButton(self.tr("Add a model …"))
        add.setObjectName("addModel")
        add.clicked.connect(self.ask_to_add)
        change = QPushButton(self.tr("Change folder …"))
        change.setObjectName("changeFolder")
        change.clicked.connect(self._ask_for_folder)
        body = QWidget()
        body.setObjectName("LibraryBody")
        body.setLayout(self._list)
        self._scroll.setWidget(body)
        self._scroll.setWidgetResizable(True)
        self._scroll.setAccessibleName(self.tr("List of models"))
        bottom = row(spacing=SPACE)
        bottom.addWidget(self._room, 1)
        bottom.addWidget(change)
        bottom.addWidget(add)
        inside = column(margin=2 * SPACE, spacing=2 * SPACE, parent=self)
        inside.addWidget(self._scroll, 1)
        inside.addWidget(make_line())
        inside.addLayout(bottom)

    def ask_to_add(self) -> AddDialog:
        """Ask for a model of the user's own."""
        dialog = AddDialog(self)
        dialog.confirmed.connect(self.library.add)
        dialog.open()
        return dialog

    def show_model(self, model_id: str) -> None:
        """Bring a model's card into view."""
        card = self.cards.get(model_id)
        if card is not None:
            self._scroll.ensureWidgetVisible(card)

    def _make_cards(self) -> None:
        for card in self.cards.values():
            self._list.removeWidget(card)
            card.deleteLater()
        self.cards = {shown.id: LibraryCard(shown) for shown in self.library.models.rows}
        for at, card in enumerate(self.cards.values()):
            card.download_requested.connect(self.library.download)
            card.pause_requested.connect(self.library.pause)
            card.cancel_requested.connect(self.library.cancel)
            card.use_requested.connect(self.library.use)
            card.table_requested.connect(self.library.make_table)
            card.remove_requested.connect(self._ask_to_remove)
            card.draft_chosen.connect(self.library.choose_draft)
            self._list.insertWidget(at, card)

    def _show_rows(self) -> None:
        for shown in self.library.models.rows:
            if self.cards[shown.id].row != shown:
                self.cards[shown.id].show_row(shown)

    def _show_room(self) -> None:
        self._room.setText(self.library.room)

    def _ask_to_remove(self, model_id: str) -> None:
        shown = self.cards[model_id].row
        ask_to_delete(
            self,
            self.tr("Remove {name}?").format(name=shown.name),
            lambda: self.library.remove(model_id),
            self.tr("{size}. Conversations stay. It can be downloaded again.").format(size=shown.size),
        )

    def _ask_for_folder(self) -> None:
        title = self.tr("Folder to keep models in")
        pick_folder(self, title, lambda folder: self._settings.set(FOLDER_KEY, folder), self.library.folder)

    def showEvent(self, event: QShowEvent) -> None:
        self.library.refresh()
        super().showEvent(event)


class FolderDrops(QObject):
    """Takes folders that are dropped on a window.

    dropped   (path)
    """

    dropped = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop):
            folders = [url.toLocalFile() for url in event.mimeData().urls() if Path(url.toLocalFile()).is_dir()]
            if folders and event.type() is QEvent.Type.Drop:
                for folder in folders:
                    self.dropped.emit(folder)
            if folders:
                event.acceptProposedAction()
                return True
        return super().eventFilter(watched, event)


def pick_folder(parent: QWidget, title: str, picked: Callable[[str], object], start: Path | None = None) -> None:
    """Ask for a folder, without holding up the event loop."""
    folder = start if start is not None and start.is_dir() else Path.home()
    dialog = QFileDialog(parent, title, str(folder))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(picked)
    dialog.open()

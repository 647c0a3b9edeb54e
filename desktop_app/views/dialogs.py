"""Opens the dialogs of the window; each is made when it is first wanted."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog, QMainWindow, QMenu, QMenuBar, QPushButton

from desktop_app.core import Core
from desktop_app.setting import Group
from desktop_app.views.common import translated
from desktop_app.views.help_dialogs import ReportDialog, ShortcutSheet
from desktop_app.views.library_page import FolderDrops, LibraryDialog
from desktop_app.views.menus import WRITING_KEYS
from desktop_app.views.race_dialog import RaceDialog
from desktop_app.views.settings_dialog import SettingsDialog
from desktop_app.views.settings_extras import make_extras


class Dialogs(QObject):
    """The dialogs of a window over a `Core`. None of them holds up the event loop."""

    def __init__(self, window: QMainWindow, core: Core) -> None:
        super().__init__(window)
        self._window = window
        self._core = core
        self.settings: SettingsDialog | None = None
        self.race: RaceDialog | None = None
        self.library: LibraryDialog | None = None
        FolderDrops(window).dropped.connect(self.add_model)
        self._crash: ReportDialog | None = None

    def show_settings(self, group: Group | None = None) -> None:
        """Open the settings, at a page if one is given."""
        if self.settings is None:
            self.settings = SettingsDialog(self._core.settings, make_extras(self._core), self._window)
            self.settings.about_requested.connect(self.show_about)
        if group is not None:
            self.settings.show_group(group)
        self.settings.show()
        self.settings.raise_()
        self.settings.activateWindow()

    def show_library(self) -> None:
        """Open the library of models."""
        if self.library is None:
            self.library = LibraryDialog(self._core.library, self._core.settings, self._window)
        self.library.show()
        self.library.raise_()
        self.library.activateWindow()

    def add_model(self, folder: str) -> None:
        """Add a folder with a model that was dropped on the window."""
        self.show_library()
        self._core.library.add(folder)

    def show_race(self, text: str) -> None:
        """Race the answer to a text, or with "" the last answer of the open conversation."""
        if self.race is None:
            self.race = RaceDialog(self._core.race, self._window)
        self.race.show()
        self.race.raise_()
        if not self._core.race.running:
            self.race.start(text)

    def show_shortcuts(self, menus: QMenuBar) -> None:
        """Open the sheet of shortcuts."""
        titles = [(menu.title(), menu.actions()) for menu in menus.findChildren(QMenu)]
        extra = [(translated("Menus", what), translated("Menus", keys)) for what, keys in WRITING_KEYS]
        _open_once(ShortcutSheet(titles, extra, self._window))

    def show_about(self) -> None:
        """Say what this is, with a report for bug reports."""
        logs = QPushButton(self.tr("Open logs"))
        logs.clicked.connect(self.open_logs)
        explanation = self.tr(
            "Chat on your own computer with staged speculative decoding (Spector & Ré 2023): "
            "the same answers as plain decoding, faster. Nothing leaves this computer."
        )
        report = self._core.diagnostics.report()
        _open_once(ReportDialog("Staged Chat", explanation, report, [logs], self._window, logo=True))

    def show_crash(self, report: str) -> None:
        """Say that something broke which should not have; one dialog at a time."""
        if self._crash is None:
            explanation = self.tr(
                "The application goes on, and your conversations are safe. The report below holds nothing of what "
                "was said; please send it to the authors."
            )
            logs = QPushButton(self.tr("Open logs"))
            logs.clicked.connect(self.open_logs)
            self._crash = ReportDialog(self.tr("Something went wrong"), explanation, report, [logs], self._window)
        self._crash.report.setPlainText(report)
        self._crash.open()

    def open_logs(self) -> None:
        """Open the folder of the logs."""
        self._open_folder(self._core.paths.logs)

    def import_file(self) -> None:
        """Ask for a file with conversations and read it."""
        dialog = QFileDialog(self._window, self.tr("Import conversations"), self._start_folder())
        dialog.setNameFilter(self.tr("Conversations (*.json *.md)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self._core.conversations.import_file(Path(name)))
        _open_once(dialog)

    def export(self) -> None:
        """Ask where to write the open conversation, and write it."""
        dialog = QFileDialog(self._window, self.tr("Export conversation"), self._start_folder())
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Markdown (*.md)"), self.tr("JSON (*.json)")])
        dialog.setDefaultSuffix("md")
        dialog.filterSelected.connect(lambda name: dialog.setDefaultSuffix("json" if "json" in name else "md"))
        dialog.selectFile(f"{self._file_name()}.md")
        dialog.fileSelected.connect(self._export_to)
        _open_once(dialog)

    def _export_to(self, name: str) -> None:
        file = Path(name)
        if self._core.conversations.export(self._core.chat.conversation_id, file):
            self._core.settings.set("window.export_folder", str(file.parent))

    def _start_folder(self) -> str:
        kept = self._core.settings.text("window.export_folder")
        return kept if kept and Path(kept).is_dir() else str(Path.home())

    def _file_name(self) -> str:
        conversation = self._core.conversations.all.conversation(self._core.chat.conversation_id)
        title = conversation.title if conversation else ""
        return "".join(c if c.isalnum() or c in " -_" else "_" for c in title).strip()[:80] or self.tr("conversation")

    def _open_folder(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _open_once(dialog: QDialog) -> None:
    """Open a dialog that goes for good when it is closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()

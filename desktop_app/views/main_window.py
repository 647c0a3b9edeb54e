"""The main window: puts the parts together and connects them to the controllers."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QMessageBox, QSplitter

from desktop_app.core import Core
from desktop_app.icons import app_icon
from desktop_app.model_controller import ModelState, ModelStatus
from desktop_app.models.conversation_list import ConversationRole
from desktop_app.records import Message
from desktop_app.setting import Group
from desktop_app.views import window_state
from desktop_app.views.chat_page import ChatPage
from desktop_app.views.common import announce
from desktop_app.views.dialogs import Dialogs
from desktop_app.views.live_panel import LivePanel
from desktop_app.views.menus import build_menus, message_entries, mode_entries
from desktop_app.views.message_actions import MessageAction
from desktop_app.views.side_parts import SideParts
from desktop_app.views.sidebar import Sidebar

APPLICATION = "Staged Chat"
SIZE = (1280, 820)
SMALLEST = (560, 420)
ZOOM = 10  # percent


class MainWindow(QMainWindow):
    """The window over a `Core`."""

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.setWindowIcon(app_icon())
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)
        self.core = core
        self.sidebar = Sidebar(core.conversations)
        self.chat = ChatPage(core.chat.messages)
        self.panel = LivePanel(core.chat.statistics)
        self.dialogs = Dialogs(self, core)
        self._welcoming = not core.settings.flag("window.welcomed")
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        for part in (self.sidebar, self.chat, self.panel):
            self._splitter.addWidget(part)
            self._splitter.setCollapsible(self._splitter.indexOf(part), False)
        self._splitter.setHandleWidth(1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([256, 700, 304])
        self.setCentralWidget(self._splitter)
        self._sides = SideParts(core.settings, self._splitter, self.sidebar, self.panel)
        self.actions_by_name = build_menus(self, self._slots())
        self._connect()
        window_state.restore(self, self._splitter, core.settings)
        self._show_everything()

    def bring_to_front(self) -> None:
        """Show the window above all others, as when the program is started a second time."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    # Connections

    def _slots(self) -> dict[str, Callable[[], object]]:
        core, sidebar, chat = self.core, self.sidebar, self.chat
        slots: dict[str, Callable[[], object]] = {
            "new": core.conversations.new,
            "import": self.dialogs.import_file,
            "export": self.dialogs.export,
            "settings": self.dialogs.show_settings,
            "quit": self.close,
            "rename": sidebar.rename_current,
            "pin": sidebar.pin_current,
            "delete": sidebar.delete_current,
            "previous": lambda: self._step_conversation(-1),
            "next": lambda: self._step_conversation(1),
            "search": self._search,
            "find": chat.find_bar.open_bar,
            "write": chat.composer.text.setFocus,
            "stop": core.chat.stop,
            "latest": chat.transcript.jump_to_latest,
            "race": self._race,
            "library": self.dialogs.show_library,
            "load": core.model.load,
            "cancel_load": core.model.cancel,
            "sidebar": lambda: self._sides.toggle(self.sidebar),
            "panel": lambda: self._sides.toggle(self.panel),
            "origins": lambda: self._flip("appearance.color_tokens"),
            "larger": lambda: self._zoom(ZOOM),
            "smaller": lambda: self._zoom(-ZOOM),
            "normal_size": lambda: core.settings.set("appearance.text_size", 100),
            "full_screen": lambda: self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen),
            "shortcuts": lambda: self.dialogs.show_shortcuts(self.menuBar()),
            "logs": self.dialogs.open_logs,
            "about": self.dialogs.show_about,
        }
        for entry in message_entries():
            slots[entry.name] = self._current_message_slot(MessageAction(entry.name.removeprefix("message_")))
        for entry in mode_entries():
            slots[entry.name] = self._mode_slot(entry.name.removeprefix("mode_"))
        return slots

    def _mode_slot(self, mode: str) -> Callable[[], object]:
        return lambda: self.core.settings.set("decoding.mode", mode)

    def _current_message_slot(self, action: MessageAction) -> Callable[[], object]:
        return lambda: self._act_on_current(action)

    def _connect(self) -> None:
        self._connect_chat()
        conversations, chat = self.core.conversations, self.chat
        self.sidebar.chosen.connect(self.core.chat.open)
        self.sidebar.settings_requested.connect(self.dialogs.show_settings)
        self.sidebar.library_requested.connect(self.dialogs.show_library)
        conversations.all.dataChanged.connect(self._show_title)
        for source in (conversations, self.core.chat):
            source.undo_offered.connect(lambda text, undo: chat.toast.show_text(text, self.tr("Undo"), undo))
            source.notice.connect(chat.toast.show_text)
        self.core.problem.connect(chat.problems.add)
        self.core.diagnostics.crashed.connect(self.dialogs.show_crash)
        self.core.settings.changed.connect(self._on_setting)
        self._sides.changed.connect(self._show_sides)
        self.core.model.status_changed.connect(self._on_model)
        chat.model_clicked.connect(lambda: self.dialogs.show_settings(Group.MODEL))
        chat.start.suggested.connect(self.core.chat.send)
        chat.start.library_requested.connect(self.dialogs.show_library)
        chat.start.retry_requested.connect(self.core.model.load)
        for name, button in (
            ("sidebar", chat.sidebar_button),
            ("panel", chat.panel_button),
            ("origins", chat.origins_button),
            ("race", chat.race_button),
        ):
            action = self.actions_by_name[name]
            button.clicked.connect(lambda _checked=False, action=action: action.trigger())
            button.setLabel(button.accessibleName(), action.shortcut().toString(QKeySequence.SequenceFormat.NativeText))

    def _connect_chat(self) -> None:
        core, composer = self.core.chat, self.chat.composer
        composer.sent.connect(self._send)
        composer.edited.connect(self._send_edited)
        composer.stopped.connect(core.stop)
        composer.mode_chosen.connect(lambda mode: self.core.settings.set("decoding.mode", mode))
        composer.text_changed.connect(core.save_draft)
        composer.measure.connect(core.measure)
        core.opened.connect(self._on_opened)
        core.busy_changed.connect(composer.set_busy)
        core.busy_changed.connect(self.actions_by_name["stop"].setEnabled)
        core.answer_ended.connect(self._on_answer_ended)
        core.prompt_size_changed.connect(self._on_prompt_size)
        self.chat.transcript.requested.connect(self._act)

    def _show_sides(self) -> None:
        """Have buttons and menu say which side parts are there."""
        for name, part, button in (
            ("sidebar", self.sidebar, self.chat.sidebar_button),
            ("panel", self.panel, self.chat.panel_button),
        ):
            button.setChecked(not part.isHidden())
            self.actions_by_name[name].setChecked(not part.isHidden())

    def _show_everything(self) -> None:
        settings = self.core.settings
        for key in ("decoding.mode", "chat.send_key", "appearance.color_tokens", "appearance.show_panel"):
            self._on_setting(key, settings.get(key))
        self.chat.start.show_welcome(first_start=self._welcoming)
        self.chat.composer.set_busy(self.core.chat.busy)
        self.actions_by_name["stop"].setEnabled(self.core.chat.busy)
        self._on_model(self.core.model.status)
        self._on_opened(self.core.chat.conversation_id)  # a core that starts later tells of another one

    # From the controllers

    def _on_opened(self, conversation_id: int) -> None:
        self.sidebar.show_open(conversation_id)
        self.chat.composer.set_draft(self.core.chat.draft)
        self.chat.composer.count_again()
        self._show_title()
        self.chat.composer.text.setFocus()

    def _show_title(self) -> None:
        conversation = self.core.conversations.all.conversation(self.core.chat.conversation_id)
        title = conversation.title if conversation else ""
        self.chat.show_title(title or self.tr("New conversation"))
        self.setWindowTitle(title or APPLICATION)  # Qt adds the application's name to a title

    def _on_answer_ended(self, message: Message) -> None:
        self.core.settings.set("window.welcomed", True)
        self.chat.composer.count_again()
        announce(self, self.tr("Answer: {text}").format(text=message.error or message.text))

    def _on_prompt_size(self, size: object) -> None:
        self.chat.composer.meter.show_size(
            getattr(size, "tokens", None), getattr(size, "context_length", None), getattr(size, "dropped_turns", 0)
        )

    def _on_model(self, status: ModelStatus) -> None:
        self.chat.show_model(status)
        loading = status.state is ModelState.LOADING
        self.actions_by_name["cancel_load"].setEnabled(loading)
        if status.needs_reload and not loading:
            text = self.tr("This takes effect when the model is loaded again.")
            self.chat.toast.show_text(text, self.tr("Load now"), self.core.model.load)
        if status.state is ModelState.READY:
            self.chat.composer.count_again()

    def _on_setting(self, key: str, value: object) -> None:
        composer = self.chat.composer
        if key == "decoding.mode":
            composer.show_mode(str(value))
            for entry in mode_entries():
                self.actions_by_name[entry.name].setChecked(entry.name == f"mode_{value}")
        elif key == "chat.send_key":
            composer.text.set_control_sends(value == "ctrl_enter")
        elif key == "appearance.color_tokens":
            self.chat.set_colored(value is True)
            self.actions_by_name["origins"].setChecked(value is True)
        elif key in ("appearance.show_panel", "window.show_conversations"):
            self._sides.fit()

    # From the user

    def _send(self, text: str) -> None:
        if self.core.chat.send(text):
            self.chat.composer.clear()
            self.chat.transcript.jump_to_latest()

    def _send_edited(self, message_id: int, text: str) -> None:
        if self.core.chat.edit(message_id, text):
            self.chat.composer.clear()
            self.chat.transcript.jump_to_latest()

    def _act(self, action: str, message_id: int) -> None:
        core = self.core.chat
        row = core.messages.row_of(message_id)
        message = core.messages.message(row) if row is not None else None
        if message is None:
            return
        match MessageAction(action):
            case MessageAction.EDIT:
                self.chat.composer.begin_edit(message_id, message.text)
            case MessageAction.REGENERATE | MessageAction.RETRY:
                core.regenerate(message_id)
            case MessageAction.RETRY_PLAIN:
                core.regenerate(message_id, plain=True)
            case MessageAction.CONTINUE:
                core.continue_answer(message_id)
            case MessageAction.BRANCH:
                self.core.conversations.branch(message_id)
            case MessageAction.DELETE:
                core.delete(message_id)
            case MessageAction.OLDER_VERSION:
                core.show_version(message_id, message.version - 1)
            case MessageAction.NEWER_VERSION:
                core.show_version(message_id, message.version + 1)

    def _act_on_current(self, action: MessageAction) -> None:
        """What the menu does: to the message that has the focus, or else to the last one that the action fits."""
        self.chat.transcript.act_on_current(action)

    def _race(self) -> None:
        self.dialogs.show_race(self.chat.composer.text.toPlainText().strip())

    def _search(self) -> None:
        if not self.sidebar.isVisible():
            self._sides.toggle(self.sidebar)
        self.sidebar.search.setFocus()
        self.sidebar.search.selectAll()

    def _step_conversation(self, step: int) -> None:
        shown = self.core.conversations.shown
        row = shown.row_of(self.core.chat.conversation_id)
        target = 0 if row is None else row + step
        if 0 <= target < shown.rowCount():
            self.core.chat.open(shown.index(target, 0).data(ConversationRole.ID))

    def _flip(self, key: str) -> None:
        self.core.settings.set(key, not self.core.settings.flag(key))

    def _zoom(self, percent: int) -> None:
        setting = self.core.settings.table["appearance.text_size"]
        size = self.core.settings.whole("appearance.text_size") + percent
        self.core.settings.set(
            "appearance.text_size", min(max(size, int(setting.minimum or 0)), int(setting.maximum or size))
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sides.fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        window_state.save(self, self._splitter, self.core.settings)
        if self.core.is_closed:
            event.accept()
            return
        event.ignore()
        if self.core.chat.busy:
            self._ask_to_close()
        else:
            self.core.request_close()

    def _ask_to_close(self) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, APPLICATION, self.tr("An answer is being written."), parent=self)
        box.setObjectName("askToClose")
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setInformativeText(self.tr("What is there already is kept, and can be continued later."))
        close = box.addButton(self.tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
        close.setObjectName("confirmClose")
        keep = box.addButton(self.tr("Go on"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        close.clicked.connect(self.core.request_close)
        box.open()

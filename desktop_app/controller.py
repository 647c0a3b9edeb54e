"""The chat in the open conversation: send, stop, regenerate, edit, continue, delete, browse versions."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.answers import Answers
from desktop_app.context_meter import ContextMeter
from desktop_app.database import StoreError
from desktop_app.models.live_statistics import LiveStatistics
from desktop_app.models.message_list import MessageListModel
from desktop_app.records import Message, MessageState
from desktop_app.requests import chat_messages
from desktop_app.settings import Settings
from desktop_app.shown import ShownConversation
from desktop_app.store import Store
from desktop_app.titles import title_from
from engine.config import ChatMessage, DecodingMode, Role

DRAFT_DELAY_MS = 500


class ChatController(QObject):
    """The messages of the open conversation and what can be done with them.

    opened                (conversation id); `messages`, `statistics` and `draft` are those of another conversation now
    conversation_changed  (Conversation); it got a title or was used
    busy_changed          (bool); an answer is being written or waits, in whichever conversation
    answer_ended          (Message), in the open conversation; its row is up to date
    prompt_size_changed   (engine PromptSize or None); answers `measure`
    undo_offered          (text, callable without arguments that undoes)
    notice                one line worth a passing remark
    problem               one line that the user must see
    """

    opened = Signal(int)
    conversation_changed = Signal(object)
    busy_changed = Signal(bool)
    answer_ended = Signal(object)
    prompt_size_changed = Signal(object)
    undo_offered = Signal(str, object)
    notice = Signal(str)
    problem = Signal(str)

    def __init__(
        self, store: Store, settings: Settings, answers: Answers, meter: ContextMeter, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.draft = ""
        self._store, self._settings, self._answers, self._meter = store, settings, answers, meter
        self._shown = ShownConversation(store, answers, self)
        self._shown.answer_ended.connect(self.answer_ended)
        self._save_draft_soon = QTimer(self, singleShot=True, interval=DRAFT_DELAY_MS)
        self._save_draft_soon.timeout.connect(self.flush_draft)
        answers.busy_changed.connect(self.busy_changed)
        answers.problem.connect(self.problem)
        meter.measured.connect(self.prompt_size_changed)

    # What is shown

    @property
    def messages(self) -> MessageListModel:
        """The messages of the open conversation."""
        return self._shown.messages

    @property
    def statistics(self) -> LiveStatistics:
        """The figures of the open conversation."""
        return self._shown.statistics

    @property
    def conversation_id(self) -> int:
        """The open conversation."""
        return self._shown.conversation_id

    @property
    def busy(self) -> bool:
        """An answer is being written or waits."""
        return self._answers.busy

    def open(self, conversation_id: int) -> None:
        """Show a conversation; answers of others go on being written."""
        self.flush_draft()
        try:
            conversation = self._store.conversation(conversation_id)
            self._shown.open(conversation_id)
        except StoreError as error:
            self.problem.emit(self.tr("The conversation could not be read: {0}").format(error))
            return
        self.draft = conversation.draft
        self.opened.emit(conversation_id)

    # What the user does

    def send(self, text: str) -> bool:
        """Save the message, and have it answered once the model is ready. False where it could not be saved."""
        count = self.messages.rowCount()
        parent_id = self.messages.message(count - 1).id if count else None
        if not text.strip() or not self._try(lambda: self._ask(text, parent_id)):
            return False
        self.save_draft("")
        return True

    def stop(self) -> None:
        """End the answer that runs and drop those that wait; a load of the model that they wait for ends too."""
        self._answers.stop()

    def edit(self, message_id: int, text: str) -> bool:
        """Another version of a question, sent. False where it could not be saved."""
        old = self._shown.find(message_id)
        if old is None or not text.strip():
            return False
        self._stop_from(old)
        return self._try(lambda: self._ask(text, old.parent_id))

    def regenerate(self, message_id: int, *, plain: bool = False) -> None:
        """Another version of an answer (or a first one, for a question without); `plain` decodes without drafts."""
        old = self._shown.find(message_id)
        if old is None:
            return
        self._stop_from(old)
        parent_id = old.parent_id if old.is_answer else old.id
        mode = DecodingMode.PLAIN if plain else None
        self._try(lambda: self._answer(self._new_message(parent_id, Role.ASSISTANT), mode=mode))
        if old.is_answer and old.text and not plain and self._is_repeatable():
            self.notice.emit(self.tr("With this seed or temperature, the same settings give the same answer again."))

    def continue_answer(self, message_id: int) -> None:
        """Write on at the end of an answer, which must be the last message."""
        message = self._shown.find(message_id)
        is_last = self.messages.row_of(message_id) == self.messages.rowCount() - 1
        if message is None or not message.is_answer or not is_last or self._answers.live(message_id):
            return
        message.state = MessageState.QUEUED
        self.messages.update(message)
        self._answers.write(message)

    def delete(self, message_id: int) -> None:
        """Remove this version of a message with everything after it; offers to undo."""
        message = self._shown.find(message_id)
        if message is None:
            return

        def undo() -> None:
            self._store.restore_message(message_id)
            if self.conversation_id == message.conversation_id:
                self._shown.reload()

        def delete() -> None:
            self._store.trash_message(message_id)
            self._shown.reload()

        self._stop_from(message)
        if self._try(delete):
            self.undo_offered.emit(self.tr("Message deleted"), lambda: self._try(undo))

    def show_version(self, message_id: int, version: int) -> None:
        """Show another version of a message, from 0, with what followed on it."""

        def show() -> None:
            self._store.activate(self._store.versions(message_id)[version])
            self._shown.reload()

        self._try(show)

    def reveal(self, message_id: int) -> None:
        """Show the version of the conversation in which a message stands, as for a search hit."""

        def show() -> None:
            self._store.activate(message_id)
            self._shown.reload()

        if self._shown.find(message_id) is None:
            self._try(show)

    def save_draft(self, text: str) -> None:
        """Keep what stands in the composer; cheap enough for every key press."""
        self.draft = text
        self._save_draft_soon.start()

    def flush_draft(self) -> None:
        """Save what stands in the composer now."""
        if self._save_draft_soon.isActive():
            self._save_draft_soon.stop()
            self._try(lambda: self.conversation_changed.emit(self._store.save_draft(self.conversation_id, self.draft)))

    def measure(self, text: str) -> None:
        """Find out what the conversation with this text takes of the context; `prompt_size_changed` answers."""
        self._meter.measure(lambda: self.prompt(text))

    def prompt(self, text: str) -> list[ChatMessage]:
        """The conversation as it would be sent with this text; with "" it ends with its last question."""
        messages = chat_messages(self._shown.rows())
        if text:
            return [*messages, ChatMessage(Role.USER, text)]
        while messages and messages[-1].role is Role.ASSISTANT:
            messages.pop()
        return messages

    def last_seed(self) -> int | None:
        """The seed of the answer that ends the conversation, if it ends with one."""
        rows = self._shown.rows()
        return rows[-1].seed if rows and rows[-1].role == Role.ASSISTANT else None

    # How it is done

    def _try(self, change: Callable[[], None]) -> bool:
        """Run a change that needs the disk; False, and a word to the user, where it failed."""
        try:
            change()
        except StoreError as error:
            self.problem.emit(self.tr("This could not be saved: {0}").format(error))
            return False
        return True

    def _new_message(self, parent_id: int | None, role: Role, text: str = "") -> Message:
        state = MessageState.QUEUED if role is Role.ASSISTANT else MessageState.COMPLETE
        return Message(0, self.conversation_id, parent_id, role.value, text, state)

    def _ask(self, text: str, parent_id: int | None) -> None:
        self._answer(self._new_message(parent_id, Role.USER, text), self._new_message(None, Role.ASSISTANT))
        conversation = self._store.conversation(self.conversation_id)
        if not conversation.title:
            conversation = self._store.rename(self.conversation_id, title_from(text))
        self.conversation_changed.emit(conversation)

    def _answer(self, *messages: Message, mode: DecodingMode | None = None) -> None:
        """Save messages, of which the last is an answer to be written, and show them."""
        self._store.add_messages(*messages)
        self._answers.write(messages[-1], mode)
        self._shown.reload()

    def _stop_from(self, message: Message) -> None:
        """End the answers at a message and after it: they are about to leave the screen."""
        first = self.messages.row_of(message.id)
        assert first is not None
        for row in range(first, self.messages.rowCount()):
            self._answers.stop(self.messages.message(row).id)

    def _is_repeatable(self) -> bool:
        return self._settings.get("sampling.seed") is not None or self._settings.number("sampling.temperature") == 0

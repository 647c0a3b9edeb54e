"""The chat in the open conversation: send, stop, regenerate, edit, continue, delete, browse versions."""

import asyncio
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.answers import Answers
from desktop_app.bridge import Engine
from desktop_app.database import StoreError
from desktop_app.model_controller import ModelController
from desktop_app.models.live_statistics import LiveStatistics
from desktop_app.models.message_list import MessageListModel
from desktop_app.records import Conversation, Message, MessageState
from desktop_app.requests import chat_messages, generation_request
from desktop_app.settings import Settings
from desktop_app.store import Store
from desktop_app.tasks import Tasks
from desktop_app.titles import title_from
from engine.config import ChatFormat, ChatMessage, DecodingMode, Role
from engine.errors import EngineError
from engine.stats import Statistics

DRAFT_DELAY_MS = 500
MEASURE_DELAY_S = 0.15


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
        self,
        engine: Engine,
        model: ModelController,
        store: Store,
        settings: Settings,
        answers: Answers,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.messages = MessageListModel(self)
        self.statistics = LiveStatistics(self)
        self.conversation_id = 0
        self.draft = ""
        self._engine, self._model, self._store, self._settings = engine, model, store, settings
        self._answers = answers
        self._tasks = Tasks()
        self._counting: Message | None = None  # the running answer that `statistics` follows
        self._measuring: asyncio.Task[None] | None = None
        self._save_draft_soon = QTimer(self, singleShot=True, interval=DRAFT_DELAY_MS)
        self._save_draft_soon.timeout.connect(self.flush_draft)
        self._follow(answers)

    def _follow(self, answers: Answers) -> None:
        answers.began.connect(self._began)
        answers.prefilled.connect(self._prefilled)
        answers.streamed.connect(lambda message, text: self.messages.stream(message.id, text))
        answers.counted.connect(self._counted)
        answers.ended.connect(self._ended)
        answers.busy_changed.connect(self.busy_changed)
        answers.problem.connect(self.problem)

    # What is shown

    @property
    def busy(self) -> bool:
        """An answer is being written or waits."""
        return self._answers.busy

    def open(self, conversation_id: int) -> None:
        """Show a conversation; answers of others go on being written."""
        self.flush_draft()
        try:
            conversation = self._store.conversation(conversation_id)
            path = self._path(conversation_id)
        except StoreError as error:
            self.problem.emit(self.tr("The conversation could not be read: {0}").format(error))
            return
        self.conversation_id, self.draft, self._counting = conversation_id, conversation.draft, None
        self.messages.show(path)
        self._show_statistics(path)
        self.opened.emit(conversation_id)

    def _path(self, conversation_id: int) -> list[Message]:
        """The messages to show; those that are being written are the very ones that grow."""
        path = self._store.path(conversation_id)
        for row, message in enumerate(path):
            live = self._answers.live(message.id)
            if live is not None:
                live.version, live.version_count = message.version, message.version_count
                path[row] = live
        return path

    def _reload(self) -> None:
        """Show what the store has now; rows that stayed the same are not touched."""
        path = self._path(self.conversation_id)
        row = 0
        while row < min(len(path), self.messages.rowCount()) and path[row].id == self.messages.message(row).id:
            if path[row].version_count != self.messages.message(row).version_count:
                self.messages.update(path[row])
            row += 1
        self.messages.replace_from(row, path[row:])
        self._show_statistics(path)

    def _show_statistics(self, path: Sequence[Message]) -> None:
        """Counters for the path as it is now; those of an answer that runs on are left to go on."""
        running = next((m for m in path if m.state is MessageState.WRITING and self._answers.live(m.id)), None)
        if running is not None and running is self._counting:
            return
        self._counting = running
        finished = reduce(add, (m.statistics for m in path if m.statistics and m is not running), Statistics())
        if running is not None:
            self.statistics.begin(running.statistics, finished)
        else:
            self.statistics.open(next((m.statistics for m in reversed(path) if m.statistics), None), finished)

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
        old = self._shown(message_id)
        if old is None or not text.strip():
            return False
        self._stop_from(old)
        return self._try(lambda: self._ask(text, old.parent_id))

    def regenerate(self, message_id: int, *, plain: bool = False) -> None:
        """Another version of an answer (or a first one, for a question without); `plain` decodes without drafts."""
        old = self._shown(message_id)
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
        message = self._shown(message_id)
        is_last = self.messages.row_of(message_id) == self.messages.rowCount() - 1
        if message is None or not message.is_answer or not is_last or self._answers.live(message_id):
            return
        message.state = MessageState.QUEUED
        self.messages.update(message)
        self._answers.write(message)

    def delete(self, message_id: int) -> None:
        """Remove this version of a message with everything after it; offers to undo."""
        message = self._shown(message_id)
        if message is None:
            return

        def undo() -> None:
            self._store.restore_message(message_id)
            if self.conversation_id == message.conversation_id:
                self._reload()

        def delete() -> None:
            self._store.trash_message(message_id)
            self._reload()

        self._stop_from(message)
        if self._try(delete):
            self.undo_offered.emit(self.tr("Message deleted"), lambda: self._try(undo))

    def show_version(self, message_id: int, version: int) -> None:
        """Show another version of a message, from 0, with what followed on it."""

        def show() -> None:
            self._store.activate(self._store.versions(message_id)[version])
            self._reload()

        self._try(show)

    def reveal(self, message_id: int) -> None:
        """Show the version of the conversation in which a message stands, as for a search hit."""

        def show() -> None:
            self._store.activate(message_id)
            self._reload()

        if self._shown(message_id) is None:
            self._try(show)

    def save_draft(self, text: str) -> None:
        """Keep what stands in the composer; cheap enough for every key press."""
        self.draft = text
        self._save_draft_soon.start()

    def flush_draft(self) -> None:
        """Save what stands in the composer now."""
        if self._save_draft_soon.isActive():
            self._save_draft_soon.stop()
            self._try(lambda: self._changed(self._store.save_draft(self.conversation_id, self.draft)))

    def measure(self, text: str) -> None:
        """Find out what the conversation with this text takes of the context; `prompt_size_changed` answers."""
        if self._measuring is not None:
            self._measuring.cancel()
        self._measuring = self._tasks.start(self._measure(self.prompt(text)))

    def prompt(self, text: str) -> list[ChatMessage]:
        """The conversation as it would be sent with this text; with "" it ends with its last question."""
        messages = chat_messages(self._rows())
        if text:
            return [*messages, ChatMessage(Role.USER, text)]
        while messages and messages[-1].role is Role.ASSISTANT:
            messages.pop()
        return messages

    # How it is done

    def _try(self, change: Callable[[], None]) -> bool:
        """Run a change that needs the disk; False, and a word to the user, where it failed."""
        try:
            change()
        except StoreError as error:
            self.problem.emit(self.tr("This could not be saved: {0}").format(error))
            return False
        return True

    def _rows(self) -> list[Message]:
        return [self.messages.message(row) for row in range(self.messages.rowCount())]

    def _shown(self, message_id: int) -> Message | None:
        row = self.messages.row_of(message_id)
        return None if row is None else self.messages.message(row)

    def _new_message(self, parent_id: int | None, role: Role, text: str = "") -> Message:
        state = MessageState.QUEUED if role is Role.ASSISTANT else MessageState.COMPLETE
        return Message(0, self.conversation_id, parent_id, role.value, text, state)

    def _ask(self, text: str, parent_id: int | None) -> None:
        self._answer(self._new_message(parent_id, Role.USER, text), self._new_message(None, Role.ASSISTANT))
        conversation = self._store.conversation(self.conversation_id)
        if not conversation.title:
            conversation = self._store.rename(self.conversation_id, title_from(text))
        self._changed(conversation)

    def _answer(self, *messages: Message, mode: DecodingMode | None = None) -> None:
        """Save messages, of which the last is an answer to be written, and show them."""
        self._store.add_messages(*messages)
        self._answers.write(messages[-1], mode)
        self._reload()

    def _stop_from(self, message: Message) -> None:
        """End the answers at a message and after it: they are about to leave the screen."""
        first = self.messages.row_of(message.id)
        assert first is not None
        for row in range(first, self.messages.rowCount()):
            self._answers.stop(self.messages.message(row).id)

    def _changed(self, conversation: Conversation) -> None:
        self.conversation_changed.emit(conversation)

    def _is_repeatable(self) -> bool:
        return self._settings.get("sampling.seed") is not None or self._settings.number("sampling.temperature") == 0

    async def _measure(self, messages: Sequence[ChatMessage]) -> None:
        await asyncio.sleep(MEASURE_DELAY_S)
        info = self._model.status.info
        try:
            own_format = info.chat_format if info is not None else ChatFormat()
            request = generation_request(self._settings, messages, own_format)
            self.prompt_size_changed.emit(await self._engine.prompt_size(request))
        except EngineError:  # an empty prompt, say: there is nothing to show
            self.prompt_size_changed.emit(None)

    # What the engine reports

    def _is_open(self, message: Message) -> bool:
        return self.messages.row_of(message.id) is not None

    def _began(self, message: Message) -> None:
        if self._is_open(message):
            self.messages.update(message)
            self._show_statistics(self._rows())

    def _prefilled(self, message: Message, dropped_turns: int) -> None:
        if self._is_open(message):
            self.statistics.prefilled(dropped_turns)

    def _counted(self, message: Message, statistics: Statistics) -> None:
        if self._is_open(message):
            self.statistics.update(statistics)

    def _ended(self, message: Message) -> None:
        if self._is_open(message):
            self.statistics.end()
            self._counting = None
            self.messages.update(message)
            self.answer_ended.emit(message)

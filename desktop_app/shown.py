"""The conversation that is open: its rows and its figures, kept as the store and the running answers have them."""

from collections.abc import Sequence
from functools import reduce
from operator import add

from PySide6.QtCore import QObject, Signal

from desktop_app.answers import Answers
from desktop_app.models.live_statistics import LiveStatistics
from desktop_app.models.message_list import MessageListModel
from desktop_app.records import Message, MessageState
from desktop_app.store import Store
from engine.stats import Statistics


class ShownConversation(QObject):
    """Two Qt models, `messages` and `statistics`, that follow the answers of the open conversation.

    answer_ended   (Message); its row is up to date
    """

    answer_ended = Signal(object)

    def __init__(self, store: Store, answers: Answers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.messages = MessageListModel(self)
        self.statistics = LiveStatistics(self)
        self.conversation_id = 0
        self._store, self._answers = store, answers
        self._counting: Message | None = None  # the running answer that `statistics` follows
        answers.began.connect(self._began)
        answers.prefilled.connect(self._prefilled)
        answers.streamed.connect(self._streamed)
        answers.counted.connect(self._counted)
        answers.ended.connect(self._ended)

    def rows(self) -> list[Message]:
        """The messages that are shown."""
        return [self.messages.message(row) for row in range(self.messages.rowCount())]

    def find(self, message_id: int) -> Message | None:
        """A message, if it is shown."""
        row = self.messages.row_of(message_id)
        return None if row is None else self.messages.message(row)

    def open(self, conversation_id: int) -> None:
        """Show another conversation. Raises StoreError, and then nothing has changed."""
        path = self._path(conversation_id, {})
        self.conversation_id, self._counting = conversation_id, None
        self.messages.show(path)
        self._count(path)

    def reload(self) -> None:
        """Show what the store has now; rows that stayed the same are not touched. Raises StoreError."""
        shown = self.rows()
        path = self._path(self.conversation_id, {message.id: message for message in shown})
        pairs = zip(shown, path, strict=False)
        same = next((row for row, (old, new) in enumerate(pairs) if old.id != new.id), min(len(shown), len(path)))
        self.messages.replace_from(same, path[same:])
        if any(message.statistics for message in (*shown[same:], *path[same:])):
            self._count(path)

    def _path(self, conversation_id: int, known: dict[int, Message]) -> list[Message]:
        """The messages to show. Those that are being written are the very ones that grow; known ones are not read."""
        places = self._store.places(conversation_id)
        live = {id_: message for id_ in places if (message := self._answers.live(id_))}
        read = {
            message.id: message for message in self._store.messages([*(places.keys() - known.keys() - live.keys())])
        }
        path = []
        for id_, place in places.items():
            message = live.get(id_) or known.get(id_) or read[id_]
            message.version, message.version_count = place
            path.append(message)
        return path

    def _count(self, path: Sequence[Message]) -> None:
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

    # What the answers report

    def _is_shown(self, message: Message) -> bool:
        return self.messages.row_of(message.id) is not None

    def _began(self, message: Message) -> None:
        if self._is_shown(message):
            self.messages.update(message)
            self._count(self.rows())

    def _prefilled(self, message: Message, dropped_turns: int) -> None:
        if self._is_shown(message):
            self.statistics.prefilled(dropped_turns)

    def _streamed(self, message: Message, text: str) -> None:
        self.messages.stream(message.id, text)

    def _counted(self, message: Message, statistics: Statistics) -> None:
        if self._is_shown(message):
            self.statistics.update(statistics)

    def _ended(self, message: Message) -> None:
        if self._is_shown(message):
            self.statistics.end()
            self._counting = None
            self.messages.update(message)
            self.answer_ended.emit(message)

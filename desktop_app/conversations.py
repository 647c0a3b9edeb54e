"""The list of conversations: new, rename, pin, delete, search, branch, export, import."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop_app.database import StoreError
from desktop_app.exchange import ExchangeError, read_conversations, write_conversation
from desktop_app.files import describe
from desktop_app.models.conversation_list import ConversationListModel, SortedConversations
from desktop_app.records import Conversation, SearchHit
from desktop_app.store import Store


class ConversationsController(QObject):
    """All conversations and what can be done with them. `all` and `shown` are Qt models; views show `shown`.

    open_requested  (conversation id); it was made or chosen here and wants to be shown
    leaving         the open conversation may be left for another: whoever holds unsaved text saves it now
    removed         (conversation id); its answers should end
    undo_offered    (text, callable without arguments that undoes)
    notice          one line worth a passing remark
    problem         one line that the user must see
    """

    open_requested = Signal(int)
    leaving = Signal()
    removed = Signal(int)
    undo_offered = Signal(str, object)
    notice = Signal(str)
    problem = Signal(str)

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.all = ConversationListModel(self)
        self.shown = SortedConversations(self.all, self)
        self.hits: list[SearchHit] = []  # of the present search, titles first
        self.open_id: int | None = None
        self._store = store

    def load(self, wanted_id: int | None) -> None:
        """Fill the list, and open the wanted conversation, else the one used last, else a new one."""

        def load() -> None:
            self.all.show(self._store.conversations())

        self._try(load)
        if wanted_id is not None and self.all.conversation(wanted_id) is not None:
            self.open_requested.emit(wanted_id)
        else:
            self._open_first()

    def new(self) -> None:
        """Open an empty conversation: a new one, or the one that is still empty."""

        def new() -> None:
            self.leaving.emit()
            conversation = self._store.empty_conversation() or self._store.add_conversation()
            self._open(conversation)

        self._try(new)

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a title; an empty one leaves the old."""
        title = " ".join(title.split())
        if title:
            self._try(lambda: self.all.put(self._store.rename(conversation_id, title)))

    def pin(self, conversation_id: int, pinned: bool) -> None:
        """Keep a conversation at the top of the list, or no longer."""
        self._try(lambda: self.all.put(self._store.pin(conversation_id, pinned)))

    def delete(self, conversation_id: int) -> None:
        """Move a conversation to the trash, from which `undo_offered` brings it back; ask before calling."""

        def delete() -> None:
            self.leaving.emit()
            self._store.trash(conversation_id)
            self.removed.emit(conversation_id)
            self.all.remove(conversation_id)
            if conversation_id == self.open_id:
                self._open_first()

        if self._try(delete):
            undo = lambda: self._try(lambda: self._open(self._store.restore(conversation_id)))  # noqa: E731
            self.undo_offered.emit(self.tr("Conversation deleted"), undo)

    def delete_all(self) -> None:
        """Delete every conversation for good; ask before calling."""

        def delete() -> None:
            self.leaving.emit()
            for conversation in self._store.conversations():
                self.removed.emit(conversation.id)
            self._store.delete_all()
            self.all.show([])
            self.new()

        self._try(delete)

    def search(self, text: str) -> None:
        """Show only conversations with the text in their title or a message; an empty text shows all."""

        def search() -> None:
            self.hits = self._store.search(text.strip()) if text.strip() else []
            excerpts = {hit.conversation_id: hit.excerpt for hit in reversed(self.hits) if hit.message_id is not None}
            self.all.show_excerpts(excerpts)
            self.shown.show_only({hit.conversation_id for hit in self.hits} if text.strip() else None)

        self._try(search)

    def branch(self, message_id: int) -> None:
        """Copy a conversation up to and with a message into a new one, and open it."""

        def branch() -> None:
            path = self._store.path_to(message_id)
            title = self._store.conversation(path[0].conversation_id).title
            self._open(self._store.add_copy(title, path))

        self._try(branch)

    def export(self, conversation_id: int, file: Path) -> bool:
        """Write a conversation as Markdown or JSON, by the file's suffix. False where it could not be written."""

        def export() -> None:
            conversation = self._store.conversation(conversation_id)
            write_conversation(file, conversation, self._store)
            self.notice.emit(self.tr("Saved as {0}").format(file))

        return self._try(export)

    def import_file(self, file: Path) -> bool:
        """Read conversations from a JSON or Markdown file written by `export`, and open the last."""

        def read() -> None:
            for title, messages in read_conversations(file):
                self._open(self._store.add_copy(title, messages))

        return self._try(read)

    def put(self, conversation: Conversation) -> None:
        """Show a conversation's present state in the list."""
        self.all.put(conversation)

    def _open(self, conversation: Conversation) -> None:
        self.all.put(conversation)
        self.open_requested.emit(conversation.id)

    def _open_first(self) -> None:
        """The one used last, or a new one where there is none."""
        newest = max(self._store.conversations(), key=lambda conversation: conversation.used_at, default=None)
        if newest is not None:
            self._open(newest)
        else:
            self.new()

    def _try(self, change: Callable[[], None]) -> bool:
        """Run something that needs the disk; False, and a word to the user, where it failed."""
        try:
            change()
        except (StoreError, ExchangeError) as error:
            self.problem.emit(self.tr("This could not be done: {0}").format(error))
        except OSError as error:
            self.problem.emit(self.tr("This could not be done: {0}").format(describe(error)))
        else:
            return True
        return False

"""The list of conversations: new, rename, pin, delete, search, branch, export, import."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop_app.models.conversation_list import ConversationListModel, SortedConversations


class ConversationsController(QObject):
    """All conversations and what can be done with them.

    open_requested  (conversation id); a conversation was made or chosen here and wants to be shown
    undo_offered    (text, callable without arguments that undoes)
    notice          one line worth a passing remark
    problem         one line that the user must see
    """

    open_requested = Signal(int)
    undo_offered = Signal(str, object)
    notice = Signal(str)
    problem = Signal(str)

    all: ConversationListModel
    shown: SortedConversations

    def new(self) -> int:
        """Open an empty conversation: a new one, or the one that is still empty."""
        return 0

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a title; an empty one leaves the old."""

    def pin(self, conversation_id: int, pinned: bool) -> None:
        """Keep a conversation at the top of the list, or no longer."""

    def delete(self, conversation_id: int) -> None:
        """Move a conversation to the trash, from which `undo_offered` brings it back; ask before calling."""

    def delete_all(self) -> None:
        """Delete every conversation for good; ask before calling."""

    def search(self, text: str) -> None:
        """Show only conversations with the text in their title or a message; an empty text shows all."""

    def branch(self, message_id: int) -> None:
        """Copy a conversation up to and with a message into a new one, and open it."""

    def export(self, conversation_id: int, file: Path) -> bool:
        """Write a conversation as Markdown or JSON, by the file's suffix. False where it could not be written."""
        return file.exists() and conversation_id > 0

    def import_file(self, file: Path) -> bool:
        """Read conversations from a JSON or Markdown file written by `export`, and open the last."""
        return file.exists()

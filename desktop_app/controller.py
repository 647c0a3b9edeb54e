"""The chat in the open conversation: send, stop, regenerate, edit, continue, delete, browse versions."""

from PySide6.QtCore import QObject, Signal

from desktop_app.models.live_statistics import LiveStatistics
from desktop_app.models.message_list import MessageListModel


class ChatController(QObject):
    """The messages of the open conversation and what can be done with them.

    opened               (conversation id); `messages`, `statistics` and `draft` are those of another conversation now
    busy_changed         (bool); an answer is being written or waits, in whichever conversation
    answer_ended         (desktop_app.records.Message), in the open conversation; the row is up to date
    prompt_size_changed  (engine PromptSize or None); answers `measure`
    undo_offered         (text, callable without arguments that undoes)
    notice               one line worth a passing remark
    problem              one line that the user must see
    """

    opened = Signal(int)
    busy_changed = Signal(bool)
    answer_ended = Signal(object)
    prompt_size_changed = Signal(object)
    undo_offered = Signal(str, object)
    notice = Signal(str)
    problem = Signal(str)

    messages: MessageListModel
    statistics: LiveStatistics
    conversation_id: int

    @property
    def busy(self) -> bool:
        """An answer is being written or waits."""
        return False

    @property
    def draft(self) -> str:
        """What was left in the composer of the open conversation."""
        return ""

    def open(self, conversation_id: int) -> None:
        """Show a conversation."""

    def send(self, text: str) -> bool:
        """Save the message, and have it answered once the model is ready. False where it could not be saved."""
        return bool(text)

    def stop(self) -> None:
        """End the answer that runs and drop those that wait; a load of the model that they wait for ends too."""

    def regenerate(self, message_id: int, *, plain: bool = False) -> None:
        """Another version of an answer (or a first one, for a question without); `plain` decodes without drafts."""

    def edit(self, message_id: int, text: str) -> bool:
        """Another version of a question, sent. False where it could not be saved."""
        return bool(text)

    def continue_answer(self, message_id: int) -> None:
        """Write on at the end of an answer, which must be the last message."""

    def delete(self, message_id: int) -> None:
        """Remove this version of a message with everything after it; offers to undo."""

    def show_version(self, message_id: int, version: int) -> None:
        """Show another version of a message, from 0, with what followed on it."""

    def save_draft(self, text: str) -> None:
        """Keep what stands in the composer; cheap enough for every key press."""

    def measure(self, text: str) -> None:
        """Find out how much of the context the conversation with this text would take; `prompt_size_changed` answers."""

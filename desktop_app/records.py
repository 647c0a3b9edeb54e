"""What the application remembers: conversations and messages. No Qt, no SQL."""

from dataclasses import dataclass, field
from enum import StrEnum

from desktop_app.spans import Spans
from engine.stats import Statistics


class MessageState(StrEnum):
    """How far a message has come."""

    QUEUED = "queued"  # waits for the model or for the answer before it
    WRITING = "writing"  # the answer is being written
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"  # the program ended in mid-answer; what was saved is here
    FAILED = "failed"  # see `Message.error`


@dataclass(slots=True)
class Message:
    """One turn. Messages form a tree: those with the same parent are versions, of which one is active.

    version / version_count  place among the versions, from 0, and how many there are
    mode, seed, stop_reason  of an answer; None for a question and before the answer ended
    error, error_kind        one line for people, and the name of the engine's exception
    created_at               seconds since the epoch
    """

    id: int
    conversation_id: int
    parent_id: int | None
    role: str  # "user" or "assistant"
    text: str = ""
    state: MessageState = MessageState.COMPLETE
    active: bool = True
    spans: Spans = field(default_factory=Spans)
    statistics: Statistics | None = None
    mode: str | None = None
    seed: int | None = None
    stop_reason: str | None = None
    error: str | None = None
    error_kind: str | None = None
    created_at: float = 0.0
    version: int = 0
    version_count: int = 1

    @property
    def is_answer(self) -> bool:
        """True for the assistant's messages."""
        return self.role == "assistant"

    @property
    def plain_may_help(self) -> bool:
        """True where drafting broke the answer, so that plain decoding would still work."""
        return self.error_kind == "DraftingFailed"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its messages; times are seconds since the epoch.

    draft   the text left in the composer
    """

    id: int
    title: str = ""
    pinned: bool = False
    draft: str = ""
    created_at: float = 0.0
    used_at: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Where a text was found; `message_id` is None for a title. `excerpt` is a line around the match."""

    conversation_id: int
    message_id: int | None
    excerpt: str

"""Search over titles and messages."""

from collections.abc import Iterable

from desktop_app.database import Database
from desktop_app.records import Conversation, SearchHit

MOST_HITS = 500
EXCERPT_LENGTH = 80
INDEXED_LENGTH = 3  # the index knows trigrams; shorter texts are looked for in all messages


def search(database: Database, conversations: Iterable[Conversation], text: str) -> list[SearchHit]:
    """Where titles and messages contain the text, whatever its case: titles first, then the newest messages."""
    needle = text.casefold()
    hits = [SearchHit(item.id, None, item.title) for item in conversations if needle in item.title.casefold()]
    for conversation_id, message_id, found in _messages_with(database, text):
        hits.append(SearchHit(conversation_id, message_id, _excerpt(found, needle)))
    return hits


def _messages_with(database: Database, text: str) -> list[tuple[int, int, str]]:
    if database.has_text_index and len(text) >= INDEXED_LENGTH:
        source = "message_index AS i JOIN messages AS m ON m.id = i.rowid"
        condition, argument = "message_index MATCH ?", '"' + text.replace('"', '""') + '"'
    else:
        source, condition, argument = "messages AS m", "instr(folded(m.text), ?) > 0", text.casefold()
    rows = database.rows(
        f"SELECT m.conversation_id, m.id, m.text FROM {source} JOIN conversations AS c ON c.id = m.conversation_id "
        f"WHERE {condition} AND m.trashed_at IS NULL AND c.trashed_at IS NULL ORDER BY m.id DESC LIMIT {MOST_HITS}",
        argument,
    )
    return [(conversation_id, message_id, found) for conversation_id, message_id, found in rows]


def _excerpt(text: str, needle: str) -> str:
    """The match with a little of what stands around it, on one line."""
    start = max(text.casefold().find(needle) - EXCERPT_LENGTH // 4, 0)
    piece = " ".join(text[start : start + EXCERPT_LENGTH].split())
    return ("…" if start else "") + piece + ("…" if start + EXCERPT_LENGTH < len(text) else "")

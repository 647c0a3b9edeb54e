"""Conversations in SQLite.

Messages of a conversation form a tree (see `Message`); what is shown is the path of the active ones. One process writes
(see `single_instance`), on one thread.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from desktop_app.database import Database
from desktop_app.records import Conversation, Message, SearchHit
from desktop_app.rows import CONVERSATION_COLUMNS, MESSAGE_COLUMNS, column_values, conversation_from, message_from
from desktop_app.schema import MIGRATIONS
from desktop_app.search import search

CHANGING_COLUMNS = ("text", "state", "spans", "statistics", "mode", "seed", "stop_reason", "error", "error_kind")


class Store:
    """The database of all conversations. Every method raises StoreError where the file lets it down."""

    def __init__(self, file: Path | None, migrations: Sequence[str] = MIGRATIONS) -> None:
        """Open or make the file; None keeps everything in memory. A newer file is refused and left as it is."""
        self._database = Database(file, migrations)
        self._tidy_up()

    def _tidy_up(self) -> None:
        """What the last run left: answers that did not end, and what nobody can bring back any more."""
        write = self._database.write
        with self._database.transaction():
            write("UPDATE messages SET state = 'interrupted' WHERE state IN ('writing', 'queued')")
            write("DELETE FROM messages WHERE trashed_at IS NOT NULL")
            write("DELETE FROM conversations WHERE trashed_at IS NOT NULL")

    def close(self) -> None:
        """Close the file; the write-ahead log is folded into it."""
        self._database.close()

    # Conversations

    def conversations(self) -> list[Conversation]:
        """All conversations that are not in the trash."""
        rows = self._database.rows(f"SELECT {CONVERSATION_COLUMNS} FROM conversations WHERE trashed_at IS NULL")
        return [conversation_from(row) for row in rows]

    def conversation(self, conversation_id: int) -> Conversation:
        """One conversation; it must exist."""
        rows = self._database.rows(f"SELECT {CONVERSATION_COLUMNS} FROM conversations WHERE id = ?", conversation_id)
        return conversation_from(rows[0])

    def empty_conversation(self) -> Conversation | None:
        """One that has no message, no title and no draft yet."""
        rows = self._database.rows(
            f"SELECT {CONVERSATION_COLUMNS} FROM conversations AS c WHERE trashed_at IS NULL AND title = '' "
            "AND draft = '' AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = c.id) LIMIT 1"
        )
        return conversation_from(rows[0]) if rows else None

    def add_conversation(self, title: str = "") -> Conversation:
        """A new conversation without messages."""
        now = time.time()
        with self._database.transaction():
            id_ = self._database.write(
                "INSERT INTO conversations (title, created_at, used_at) VALUES (?, ?, ?)", title, now, now
            )
        return Conversation(id_, title, created_at=now, used_at=now)

    def rename(self, conversation_id: int, title: str) -> Conversation:
        """Give a title."""
        return self._set_conversation(conversation_id, "title", title)

    def pin(self, conversation_id: int, pinned: bool) -> Conversation:
        """Keep at the top, or no longer."""
        return self._set_conversation(conversation_id, "pinned", int(pinned))

    def save_draft(self, conversation_id: int, draft: str) -> Conversation:
        """Keep what stands in the composer."""
        return self._set_conversation(conversation_id, "draft", draft)

    def touch(self, conversation_id: int) -> Conversation:
        """It was used now."""
        return self._set_conversation(conversation_id, "used_at", time.time())

    def trash(self, conversation_id: int) -> None:
        """Hide a conversation until `restore`; the next start deletes it for good."""
        self._set_conversation(conversation_id, "trashed_at", time.time())

    def restore(self, conversation_id: int) -> Conversation:
        """Bring a conversation back from the trash."""
        return self._set_conversation(conversation_id, "trashed_at", None)

    def delete_all(self) -> None:
        """Delete every conversation, and its traces in the file."""
        with self._database.transaction():
            self._database.write("DELETE FROM messages")
            self._database.write("DELETE FROM conversations")
        self._database.compact()

    def _set_conversation(self, conversation_id: int, column: str, value: object) -> Conversation:
        with self._database.transaction():
            self._database.write(f"UPDATE conversations SET {column} = ? WHERE id = ?", value, conversation_id)
        return self.conversation(conversation_id)

    # Messages

    def places(self, conversation_id: int) -> dict[int, tuple[int, int]]:
        """What the conversation shows: the ids of its active messages from first to last, each with its place among
        its versions (from 0) and their number."""
        children: dict[int | None, list[tuple[int, bool]]] = {}
        for id_, parent_id, active in self._database.rows(
            "SELECT id, parent_id, active FROM messages WHERE conversation_id = ? AND trashed_at IS NULL ORDER BY id",
            conversation_id,
        ):
            children.setdefault(parent_id, []).append((id_, bool(active)))
        places: dict[int, tuple[int, int]] = {}
        last: int | None = None
        while versions := children.get(last):
            version = max(range(len(versions)), key=lambda i: (versions[i][1], i))
            last = versions[version][0]
            places[last] = version, len(versions)
        return places

    def messages(self, ids: Sequence[int]) -> list[Message]:
        """Messages by their ids, oldest first; their places among the versions are not looked up."""
        return self._messages("id IN (SELECT value FROM json_each(?))", json.dumps(ids)) if ids else []

    def path(self, conversation_id: int) -> list[Message]:
        """The active messages from first to last, with their places."""
        places = self.places(conversation_id)
        messages = self.messages(list(places))  # parents are older than children, so this is the order of the path
        for message in messages:
            message.version, message.version_count = places[message.id]
        return messages

    def path_to(self, message_id: int) -> list[Message]:
        """A message and all before it, from the first; whichever versions are active."""
        return self.messages(self._ancestors(message_id))

    def all_messages(self, conversation_id: int) -> list[Message]:
        """Every message with all versions, parents before children."""
        return self._messages("conversation_id = ?", conversation_id)

    def versions(self, message_id: int) -> list[int]:
        """The ids of a message's versions in order, its own included."""
        rows = self._database.rows(
            "SELECT v.id FROM messages AS m JOIN messages AS v ON v.conversation_id = m.conversation_id "
            "AND v.parent_id IS m.parent_id WHERE m.id = ? AND v.trashed_at IS NULL ORDER BY v.id",
            message_id,
        )
        return [id_ for (id_,) in rows]

    def add_messages(self, *messages: Message) -> None:
        """Save new messages as active versions, each behind the one before; they get their ids and places."""
        now = time.time()
        with self._database.transaction():
            for before, message in zip((None, *messages), messages, strict=False):
                message.parent_id = before.id if before else message.parent_id
                message.created_at = message.created_at or now
                message.id = self._insert(message)
                self._activate(message.id)
            self._database.write("UPDATE conversations SET used_at = ? WHERE id = ?", now, messages[0].conversation_id)

    def save_message(self, message: Message) -> None:
        """Write a message's present text and state."""
        values = column_values(message)
        assignments = ", ".join(f"{column} = ?" for column in CHANGING_COLUMNS)
        with self._database.transaction():
            self._database.write(
                f"UPDATE messages SET {assignments} WHERE id = ?", *(values[c] for c in CHANGING_COLUMNS), message.id
            )

    def activate(self, message_id: int) -> None:
        """Show this version of a message, and of those before it."""
        with self._database.transaction():
            for id_ in self._ancestors(message_id):
                self._activate(id_)

    def trash_message(self, message_id: int) -> None:
        """Hide a message with all that follows on it until `restore_message`; the next start deletes them for good."""
        with self._database.transaction():
            self._database.write(
                f"UPDATE messages SET trashed_at = ? WHERE trashed_at IS NULL AND id IN ({_SUBTREE})",
                time.time(),
                message_id,
            )

    def restore_message(self, message_id: int) -> None:
        """Undo `trash_message`."""
        with self._database.transaction():
            self._database.write(
                "UPDATE messages SET trashed_at = NULL WHERE trashed_at = "
                f"(SELECT trashed_at FROM messages WHERE id = ?) AND id IN ({_SUBTREE})",
                message_id,
                message_id,
            )
            self._activate(message_id)

    def add_copy(self, title: str, messages: Sequence[Message]) -> Conversation:
        """A new conversation with copies of messages, parents before children."""
        conversation = self.add_conversation(title)
        new_ids: dict[int | None, int] = {}
        with self._database.transaction():
            for message in messages:
                copy = replace(message, conversation_id=conversation.id, parent_id=new_ids.get(message.parent_id))
                new_ids[message.id] = self._insert(copy)
        return conversation

    def _messages(self, condition: str, argument: object) -> list[Message]:
        rows = self._database.rows(
            f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {condition} AND trashed_at IS NULL ORDER BY id", argument
        )
        return [message_from(row, self._packed_spans) for row in rows]

    def _packed_spans(self, message_id: int) -> str:
        rows = self._database.rows("SELECT spans FROM messages WHERE id = ?", message_id)
        return str(rows[0][0]) if rows else ""

    def _insert(self, message: Message) -> int:
        values = column_values(message)
        del values["id"]
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        return self._database.write(f"INSERT INTO messages ({names}) VALUES ({marks})", *values.values())

    def _activate(self, message_id: int) -> None:
        self._database.write(
            "UPDATE messages SET active = (id = ?1) WHERE parent_id IS (SELECT parent_id FROM messages WHERE id = ?1) "
            "AND conversation_id = (SELECT conversation_id FROM messages WHERE id = ?1)",
            message_id,
        )

    def _ancestors(self, message_id: int) -> list[int]:
        """The message and those before it, to the first."""
        rows = self._database.rows(
            "WITH RECURSIVE up (id, parent_id) AS (SELECT id, parent_id FROM messages WHERE id = ? "
            "UNION ALL SELECT m.id, m.parent_id FROM messages AS m JOIN up ON m.id = up.parent_id) SELECT id FROM up",
            message_id,
        )
        return [id_ for (id_,) in rows]

    def search(self, text: str) -> list[SearchHit]:
        """Where titles and messages contain the text, whatever its case: titles first, then the newest messages."""
        return search(self._database, self.conversations(), text)


# The id of a message and the ids of all that follow on it.
_SUBTREE = (
    "WITH RECURSIVE down (id) AS "
    "(SELECT ? UNION ALL SELECT m.id FROM messages AS m JOIN down ON m.parent_id = down.id) SELECT id FROM down"
)

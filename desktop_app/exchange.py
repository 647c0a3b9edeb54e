"""Conversations as files: JSON keeps everything, Markdown is for reading and keeps the messages that are shown."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import Any

from desktop_app.files import write_atomically
from desktop_app.records import Conversation, Message, MessageState
from desktop_app.rows import statistics_from
from desktop_app.spans import Spans, token_span
from desktop_app.store import Store

FORMAT = "staged-chat conversations"
VERSION = 1
LARGEST_FILE = 256 * 2**20  # bytes; more than a lifetime of chats
SPEAKERS = {"user": "You", "assistant": "Assistant"}
PLAIN_FIELDS: dict[str, type | UnionType] = {  # what is written as it is, with the types that a file must give
    "role": str,
    "text": str,
    "active": bool,
    "mode": str | None,
    "seed": int | None,
    "stop_reason": str | None,
    "error": str | None,
    "error_kind": str | None,
    "created_at": int | float,
}

# Invisible in rendered Markdown; says where a message begins, whatever its text looks like.
MARKER = re.compile(r"^<!-- staged-chat: (user|assistant) -->\n\*\*[^\n]*\*\*\n\n", re.MULTILINE)

Copy = tuple[str, list[Message]]  # a title, and messages of which parents stand before children


class ExchangeError(Exception):
    """A file that holds no conversations. The message is one line for people."""


def write_conversation(file: Path, conversation: Conversation, store: Store) -> None:
    """Write one conversation, as Markdown if the file's name ends in .md, else as JSON. Raises OSError, StoreError."""
    if file.suffix.lower() in (".md", ".markdown"):
        text = to_markdown(conversation.title, store.path(conversation.id))
    else:
        text = to_json([(conversation, store.all_messages(conversation.id))])
    write_atomically(file, text)


def read_conversations(file: Path) -> list[Copy]:
    """Read what `write_conversation` wrote. Raises OSError, ExchangeError."""
    if file.stat().st_size > LARGEST_FILE:
        raise ExchangeError(f"{file.name} is too large to be an export of conversations")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ExchangeError(f"{file.name} is not a text file in UTF-8") from None
    try:
        return from_json(text) if text.lstrip().startswith("{") else from_markdown(text)
    except ExchangeError as error:
        raise ExchangeError(f"{file.name}: {error}") from error


def to_json(conversations: Iterable[tuple[Conversation, list[Message]]]) -> str:
    """All messages with all versions, where each token came from, and the counters."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "conversations": [
            {
                "title": conversation.title,
                "created_at": datetime.fromtimestamp(conversation.created_at, UTC).isoformat(),
                "messages": [_to_object(message) for message in messages],
            }
            for conversation, messages in conversations
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> list[Copy]:
    """The inverse of `to_json`. Raises ExchangeError."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ExchangeError(f"it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ExchangeError("it is not an export of Staged Chat")
    if content.get("version") != VERSION:
        raise ExchangeError(f"version {content.get('version')} of the format is not known; update the application")
    try:
        return [
            (str(item["title"]), [_from_object(number, message) for number, message in enumerate(item["messages"])])
            for item in content["conversations"]
        ]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ExchangeError(f"a part is missing or damaged ({error})") from error


def to_markdown(title: str, path: Iterable[Message]) -> str:
    """The messages that are shown, as people read them."""
    parts = [f"# {title}\n"]
    for message in path:
        text = message.text.replace("<!-- staged-chat:", "<!-- \\staged-chat:")  # a message may quote an export
        parts.append(f"<!-- staged-chat: {message.role} -->\n**{SPEAKERS[message.role]}**\n\n{text}\n")
    return "\n".join(parts)


def from_markdown(text: str) -> list[Copy]:
    """The inverse of `to_markdown`. Raises ExchangeError."""
    head, *parts = MARKER.split(text.replace("\r\n", "\n"))
    if not parts:
        raise ExchangeError("it is not an export of Staged Chat")
    title = head.strip().removeprefix("#").strip()
    messages = []
    for number, (role, body) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        content = body.removesuffix("\n" if number == len(parts) // 2 - 1 else "\n\n")
        content = content.replace("<!-- \\staged-chat:", "<!-- staged-chat:")
        messages.append(Message(number, 0, number - 1 if number else None, role, content))
    return [(title, messages)]


def _to_object(message: Message) -> dict[str, Any]:
    values: dict[str, Any] = {"id": message.id, "parent": message.parent_id}
    values |= {name: getattr(message, name) for name in PLAIN_FIELDS}
    values["state"] = message.state.value
    if message.spans:
        values["tokens"] = json.loads(message.spans.pack())
    if message.statistics:
        values["statistics"] = asdict(message.statistics)
    return values


def _from_object(number: int, values: dict[str, Any]) -> Message:
    for name, kind in (PLAIN_FIELDS | {"id": int, "parent": int | None}).items():
        if not isinstance(values.get(name), kind):
            raise ValueError(f"message {number + 1}: {name} is {values.get(name)!r}")
    if values["role"] not in SPEAKERS:
        raise ValueError(f"message {number + 1} is from {values['role']!r}")
    state = MessageState(values["state"])
    if state in (MessageState.QUEUED, MessageState.WRITING):
        state = MessageState.INTERRUPTED
    spans = Spans()
    spans.extend(token_span(*fields) for fields in values.get("tokens", []))
    return Message(
        id=values["id"],
        conversation_id=0,
        parent_id=values["parent"],
        state=state,
        spans=spans,
        statistics=statistics_from(values.get("statistics")),
        **{name: values[name] for name in PLAIN_FIELDS},
    )

"""Rows of the database as records, and back."""

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from functools import partial
from typing import Any

from desktop_app.records import Conversation, Message, MessageState
from desktop_app.spans import Spans
from engine.stats import Statistics

CONVERSATION_COLUMNS = "id, title, pinned, draft, created_at, used_at"
MESSAGE_COLUMNS = (  # all but `spans`, which are read when somebody looks
    "id, conversation_id, parent_id, role, text, state, active, statistics, mode, seed, stop_reason, error, "
    "error_kind, created_at"
)
COUNTERS = frozenset(field.name for field in fields(Statistics))

Row = tuple[Any, ...]


def conversation_from(row: Row) -> Conversation:
    """A row of `CONVERSATION_COLUMNS`."""
    id_, title, pinned, draft, created_at, used_at = row
    return Conversation(id_, title, bool(pinned), draft, created_at, used_at)


def message_from(row: Row, packed_spans: Callable[[int], str]) -> Message:
    """A row of `MESSAGE_COLUMNS`; its place among the versions is not in it. `packed_spans` reads its spans by id."""
    values = dict(zip(MESSAGE_COLUMNS.split(", "), row, strict=True))
    values["active"] = bool(values["active"])
    values["state"] = MessageState(values["state"])
    values["spans"] = Spans(partial(packed_spans, values["id"]))
    values["statistics"] = statistics_from(json.loads(values["statistics"] or "null"))
    return Message(**values)


def column_values(message: Message) -> dict[str, object]:
    """What the database keeps of a message, by column."""
    values: dict[str, object] = {name: getattr(message, name) for name in MESSAGE_COLUMNS.split(", ")}
    values["active"] = int(message.active)
    values["state"] = message.state.value
    values["spans"] = message.spans.pack()
    values["statistics"] = json.dumps(asdict(message.statistics)) if message.statistics else None
    return values


def statistics_from(values: dict[str, Any] | None) -> Statistics | None:
    """Counters from what JSON made of them; those that only another version knows are left out."""
    if values is None:
        return None
    kept: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in COUNTERS
    }
    return Statistics(**kept)

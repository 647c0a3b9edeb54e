"""What can be done with a message: one table, from which the buttons, the context menu and the menu bar are made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from desktop_app.records import Message, MessageState
from desktop_app.translation import QT_TRANSLATE_NOOP


class MessageAction(StrEnum):
    """Something that a user can ask for a message."""

    COPY = "copy"
    EDIT = "edit"
    REGENERATE = "regenerate"
    CONTINUE = "continue"
    BRANCH = "branch"
    DELETE = "delete"
    OLDER_VERSION = "older_version"
    NEWER_VERSION = "newer_version"
    RETRY = "retry"
    RETRY_PLAIN = "retry_plain"


ENDED = (MessageState.COMPLETE, MessageState.INTERRUPTED, MessageState.FAILED)


@dataclass(frozen=True, slots=True)
class ActionInfo:
    """How an action looks, and the messages that it fits."""

    action: MessageAction
    icon: str
    label: str
    shortcut: str
    fits: Callable[[Message], bool]


def _ended_answer(message: Message) -> bool:
    return message.is_answer and message.state in ENDED


ACTIONS = (
    ActionInfo(
        MessageAction.COPY,
        "copy",
        QT_TRANSLATE_NOOP("MessageActions", "Copy message"),
        "Ctrl+Shift+C",
        lambda message: bool(message.text),
    ),
    ActionInfo(
        MessageAction.EDIT,
        "rename",
        QT_TRANSLATE_NOOP("MessageActions", "Edit and send again"),
        "Ctrl+E",
        lambda message: not message.is_answer,
    ),
    ActionInfo(
        MessageAction.REGENERATE,
        "regenerate",
        QT_TRANSLATE_NOOP("MessageActions", "Answer again"),
        "Ctrl+R",
        _ended_answer,
    ),
    ActionInfo(
        MessageAction.CONTINUE,
        "continue",
        QT_TRANSLATE_NOOP("MessageActions", "Continue this answer"),
        "Ctrl+Shift+Return",
        lambda message: _ended_answer(message) and bool(message.text),
    ),
    ActionInfo(
        MessageAction.BRANCH,
        "branch",
        QT_TRANSLATE_NOOP("MessageActions", "Branch into a new conversation"),
        "Ctrl+B",
        lambda message: message.state in ENDED,
    ),
    ActionInfo(
        MessageAction.DELETE,
        "trash",
        QT_TRANSLATE_NOOP("MessageActions", "Delete message"),
        "Ctrl+Shift+Delete",
        lambda message: message.state in ENDED,
    ),
    ActionInfo(
        MessageAction.OLDER_VERSION,
        "chevron-left",
        QT_TRANSLATE_NOOP("MessageActions", "Older version"),
        "Alt+Left",
        lambda message: message.version > 0,
    ),
    ActionInfo(
        MessageAction.NEWER_VERSION,
        "chevron-right",
        QT_TRANSLATE_NOOP("MessageActions", "Newer version"),
        "Alt+Right",
        lambda message: message.version + 1 < message.version_count,
    ),
)


def fitting(message: Message) -> Iterator[ActionInfo]:
    """The actions that fit a message, in order; versions are browsed apart."""
    versions = (MessageAction.OLDER_VERSION, MessageAction.NEWER_VERSION)
    return (info for info in ACTIONS if info.action not in versions and info.fits(message))

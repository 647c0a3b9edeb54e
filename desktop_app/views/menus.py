"""The menu bar: every action of the window with its name, text and shortcut, in one table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu

from desktop_app.settings_table import MODES
from desktop_app.translation import QT_TRANSLATE_NOOP
from desktop_app.views.common import add_action, translated
from desktop_app.views.message_actions import ACTIONS


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a menu. `name` is the action's object name and the key of its slot; "" is a separator."""

    name: str = ""
    text: str = ""
    shortcuts: tuple[str, ...] = ()
    checkable: bool = False


SEPARATOR = Entry()

MENUS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    (
        QT_TRANSLATE_NOOP("Menus", "&File"),
        (
            Entry("new", QT_TRANSLATE_NOOP("Menus", "&New conversation"), ("Ctrl+N",)),
            Entry("import", QT_TRANSLATE_NOOP("Menus", "&Import …"), ("Ctrl+O",)),
            Entry("export", QT_TRANSLATE_NOOP("Menus", "&Export …"), ("Ctrl+S",)),
            SEPARATOR,
            Entry("settings", QT_TRANSLATE_NOOP("Menus", "&Settings"), ("Ctrl+,",)),
            SEPARATOR,
            Entry("quit", QT_TRANSLATE_NOOP("Menus", "&Quit"), ("Ctrl+Q",)),
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Menus", "&Conversation"),
        (
            Entry("rename", QT_TRANSLATE_NOOP("Menus", "&Rename"), ("F2",)),
            Entry("pin", QT_TRANSLATE_NOOP("Menus", "&Pin or unpin"), ("Ctrl+D",)),
            Entry("delete", QT_TRANSLATE_NOOP("Menus", "&Delete …"), ("Ctrl+Shift+D",)),
            SEPARATOR,
            Entry("previous", QT_TRANSLATE_NOOP("Menus", "P&revious in the list"), ("Ctrl+PgUp",)),
            Entry("next", QT_TRANSLATE_NOOP("Menus", "Ne&xt in the list"), ("Ctrl+PgDown",)),
            SEPARATOR,
            Entry("search", QT_TRANSLATE_NOOP("Menus", "&Search all conversations"), ("Ctrl+Shift+F",)),
            Entry("find", QT_TRANSLATE_NOOP("Menus", "&Find in this conversation"), ("Ctrl+F",)),
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Menus", "&Message"),
        (
            Entry("write", QT_TRANSLATE_NOOP("Menus", "&Write a message"), ("Ctrl+I",)),
            Entry("stop", QT_TRANSLATE_NOOP("Menus", "&Stop the answer"), ("Ctrl+.",)),
            Entry("latest", QT_TRANSLATE_NOOP("Menus", "&Jump to the latest"), ("Ctrl+J",)),
            SEPARATOR,
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Menus", "&Decoding"),
        (
            SEPARATOR,
            Entry("race", QT_TRANSLATE_NOOP("Menus", "&Race against plain …"), ("Ctrl+Shift+R",)),
            SEPARATOR,
            Entry("library", QT_TRANSLATE_NOOP("Menus", "&Models …"), ("Ctrl+M",)),
            Entry("load", QT_TRANSLATE_NOOP("Menus", "&Load the model again")),
            Entry("cancel_load", QT_TRANSLATE_NOOP("Menus", "S&top loading")),
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Menus", "&View"),
        (
            Entry("sidebar", QT_TRANSLATE_NOOP("Menus", "&Conversations"), ("Ctrl+Shift+S",), True),
            Entry("panel", QT_TRANSLATE_NOOP("Menus", "&Live panel"), ("Ctrl+L",), True),
            Entry("origins", QT_TRANSLATE_NOOP("Menus", "C&olour tokens by origin"), ("Ctrl+T",), True),
            SEPARATOR,
            Entry("larger", QT_TRANSLATE_NOOP("Menus", "L&arger text"), ("Ctrl++", "Ctrl+=")),
            Entry("smaller", QT_TRANSLATE_NOOP("Menus", "S&maller text"), ("Ctrl+-",)),
            Entry("normal_size", QT_TRANSLATE_NOOP("Menus", "&Normal text size"), ("Ctrl+0",)),
            SEPARATOR,
            Entry("full_screen", QT_TRANSLATE_NOOP("Menus", "&Full screen"), ("F11",)),
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Menus", "&Help"),
        (
            Entry("shortcuts", QT_TRANSLATE_NOOP("Menus", "&Keyboard shortcuts"), ("F1",)),
            Entry("logs", QT_TRANSLATE_NOOP("Menus", "Open the &logs")),
            Entry("about", QT_TRANSLATE_NOOP("Menus", "&About and diagnostics")),
        ),
    ),
)

WRITING_KEYS = (
    (QT_TRANSLATE_NOOP("Menus", "Send, as set"), QT_TRANSLATE_NOOP("Menus", "Enter or Ctrl+Enter")),
    (QT_TRANSLATE_NOOP("Menus", "New line"), QT_TRANSLATE_NOOP("Menus", "Shift+Enter")),
    (QT_TRANSLATE_NOOP("Menus", "Stop the answer, or leave an edit"), QT_TRANSLATE_NOOP("Menus", "Esc")),
)


def message_entries() -> list[Entry]:
    """The actions of a message, as lines of the Message menu."""
    return [Entry(f"message_{info.action}", info.label, (info.shortcut,)) for info in ACTIONS]


def mode_entries() -> list[Entry]:
    """The decoding modes, as lines of the Decoding menu."""
    return [Entry(f"mode_{mode.value}", mode.label, (f"Ctrl+{n}",), True) for n, mode in enumerate(MODES, start=1)]


def build_menus(window: QMainWindow, slots: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Fill the menu bar; every entry needs a slot. Returns the actions by name."""
    actions: dict[str, QAction] = {}
    modes = QActionGroup(window)
    for title, entries in MENUS:
        menu = window.menuBar().addMenu(translated("Menus", title))
        menu.setObjectName(f"menu{title.replace('&', '')}")
        extra, context = _extra_entries(title)
        before = () if title.endswith("Message") else extra
        after = extra if title.endswith("Message") else ()
        _add(window, menu, before, context, slots, modes, actions)
        _add(window, menu, entries, "Menus", slots, modes, actions)
        _add(window, menu, after, context, slots, modes, actions)
    return actions


def _extra_entries(title: str) -> tuple[Sequence[Entry], str]:
    if title.endswith("Message"):
        return message_entries(), "MessageActions"
    return (mode_entries(), "Settings") if title.endswith("Decoding") else ((), "")


def _add(
    window: QMainWindow,
    menu: QMenu,
    entries: Sequence[Entry],
    context: str,
    slots: Mapping[str, Callable[[], object]],
    modes: QActionGroup,
    actions: dict[str, QAction],
) -> None:
    for entry in entries:
        if entry is SEPARATOR:
            menu.addSeparator()
            continue
        action = add_action(window, entry.name, translated(context, entry.text), slots[entry.name], entry.shortcuts)
        action.setCheckable(entry.checkable)
        if entry.name.startswith("mode_"):
            modes.addAction(action)
        menu.addAction(action)
        actions[entry.name] = action

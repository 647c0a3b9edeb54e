"""Typed access to the settings, and the readable file that keeps them.

The file is JSON and holds only what differs from the defaults, one object per group. Keys that this version does not
know are kept. A file that cannot be read, or a value that does not fit, is set aside as a copy and reported; the
application then goes on with defaults.
"""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.files import describe, set_aside, write_atomically
from desktop_app.setting import Group, Setting, Value
from desktop_app.settings_table import PRESETS, TABLE

T = TypeVar("T")

log = logging.getLogger(__name__)

SAVE_DELAY_MS = 300  # a slider that is dragged is written once


class Settings(QObject):
    """The values of the settings of `TABLE`.

    changed   (key, new value), after every change
    problem   one line for people: a file that could not be read or written
    """

    changed = Signal(str, object)
    problem = Signal(str)

    def __init__(self, file: Path | None, table: Mapping[str, Setting] = TABLE, parent: QObject | None = None) -> None:
        """`file` None keeps the settings in memory only. Call `load` to read it."""
        super().__init__(parent)
        self.table = table
        self._file = file
        self._values: dict[str, Value] = {}
        self._foreign: dict[str, object] = {}
        self._save_soon = QTimer(self, singleShot=True, interval=SAVE_DELAY_MS)
        self._save_soon.timeout.connect(self.save)

    # Reading

    def get(self, key: str) -> Value:
        """The value of any setting. Raises KeyError for a key that is not in the table."""
        return self._values.get(key, self.table[key].default)

    def flag(self, key: str) -> bool:
        """The value of a yes-or-no setting."""
        return self._typed(key, bool)

    def text(self, key: str) -> str:
        """The value of a text, path or choice that is not None."""
        return self._typed(key, str)

    def whole(self, key: str) -> int:
        """The value of a whole number that is not None."""
        return self._typed(key, int)

    def number(self, key: str) -> float:
        """The value of a number."""
        return self._typed(key, float)

    def texts(self, key: str) -> tuple[str, ...]:
        """The value of a list of texts."""
        return self._typed(key, tuple)

    def _typed(self, key: str, kind: type[T]) -> T:
        value = self.get(key)
        assert isinstance(value, kind), f"{key} is {value!r}, not of type {kind.__name__}"
        return value

    # Writing

    def set(self, key: str, value: object) -> None:
        """Change a setting; it is saved soon after. Raises ValueError with one line for people if it does not fit."""
        setting = self.table[key]
        checked = setting.checked(value)
        if checked == self.get(key):
            return
        if checked == setting.default:
            self._values.pop(key, None)
        else:
            self._values[key] = checked
        self._save_soon.start()
        self.changed.emit(key, checked)

    def reset(self, group: Group | None = None) -> None:
        """Back to the defaults: one group, or everything that the dialog shows."""
        for key, setting in self.table.items():
            if setting.group is group or (group is None and setting.group is not Group.HIDDEN):
                self.set(key, setting.default)

    def preset(self) -> str | None:
        """The name of the sampling preset that the values match, or None."""
        return next(
            (name for name, values in PRESETS.items() if all(self.get(k) == v for k, v in values.items())), None
        )

    def apply_preset(self, name: str) -> None:
        """Take over a sampling preset of `PRESETS`."""
        for key, value in PRESETS[name].items():
            self.set(key, value)

    # The file

    def load(self) -> None:
        """Read the file; a missing one means defaults. Emits `problem` for what could not be used."""
        if self._file is None:
            return
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            if not isinstance(content, dict):
                raise ValueError("it does not hold an object")
        except (FileNotFoundError, NotADirectoryError):  # what is not there has no settings; saving will complain
            return
        except (OSError, ValueError) as error:  # JSON and UTF-8 errors are ValueErrors
            self._report_broken(describe(error))
            return
        faults = self._take_over(content)
        if faults:
            self._report_broken("; ".join(faults))

    def _take_over(self, content: dict[str, object]) -> list[str]:
        """Fill the values from a file's content; returns what did not fit."""
        faults = []
        self._values.clear()
        self._foreign = {}
        for key, value in _flat(content).items():
            setting = self.table.get(key)
            if setting is None:
                self._foreign[key] = value
                continue
            try:
                checked = setting.checked(value)
            except ValueError as error:
                faults.append(str(error))
                continue
            if checked != setting.default:
                self._values[key] = checked
        return faults

    def _report_broken(self, reason: str) -> None:
        assert self._file is not None
        copy = set_aside(self._file)
        kept = self.tr("A copy is kept as {0}.").format(copy) if copy else ""
        text = self.tr("The settings in {0} could not all be used ({1}). Defaults take their place. {2}")
        self.problem.emit(text.format(self._file, reason, kept).strip())

    def save(self) -> None:
        """Write the file now if something changed since the last time; called by itself shortly after a change."""
        self._save_soon.stop()
        if self._file is None:
            return
        text = json.dumps(_nested({**self._foreign, **self._values}), indent=2, ensure_ascii=False)
        try:
            write_atomically(self._file, text + "\n")
        except OSError as error:
            log.warning("settings not saved: %s", error)
            self.problem.emit(self.tr("The settings could not be saved: {0}").format(describe(error)))


def _flat(content: dict[str, object]) -> dict[str, object]:
    """{"sampling": {"top_k": 5}} -> {"sampling.top_k": 5}; other values keep their key."""
    flat: dict[str, object] = {}
    for group, values in content.items():
        if isinstance(values, dict):
            flat.update({f"{group}.{name}": value for name, value in values.items()})
        else:
            flat[group] = values
    return flat


def _nested(flat: Mapping[str, object]) -> dict[str, object]:
    """The inverse of `_flat`, in the order of the keys."""
    nested: dict[str, dict[str, object]] = {}
    top: dict[str, object] = {}
    for key in sorted(flat):
        group, dot, name = key.partition(".")
        if dot:
            nested.setdefault(group, {})[name] = flat[key]
        else:
            top[group] = flat[key]
    return {**top, **nested}

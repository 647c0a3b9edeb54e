"""What a setting is: its kind, its bounds, where it is shown and when it takes effect."""

from dataclasses import dataclass
from enum import StrEnum

from desktop_app.translation import QT_TRANSLATE_NOOP

Value = bool | int | float | str | tuple[str, ...] | None


class Kind(StrEnum):
    """What a value is, and so which editor fits."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    TEXT = "text"  # one line
    LONG_TEXT = "long_text"  # several lines
    TEXTS = "texts"  # a tuple of texts
    CHOICE = "choice"  # one of `choices`
    PATH = "path"  # a file or folder; the dialog may show a picker of its own


class Group(StrEnum):
    """A page of the settings dialog. `HIDDEN` settings are kept for the window and shown nowhere."""

    DECODING = "decoding"
    SAMPLING = "sampling"
    MODEL = "model"
    CHAT = "chat"
    APPEARANCE = "appearance"
    STORAGE = "storage"
    HIDDEN = "hidden"


class Applies(StrEnum):
    """When a change takes effect."""

    AT_ONCE = "at_once"
    NEXT_MESSAGE = "next_message"
    NEXT_LOAD = "next_load"  # the model must be loaded again
    NEXT_START = "next_start"


GROUP_LABELS = {
    Group.DECODING: QT_TRANSLATE_NOOP("Settings", "Decoding"),
    Group.SAMPLING: QT_TRANSLATE_NOOP("Settings", "Sampling"),
    Group.MODEL: QT_TRANSLATE_NOOP("Settings", "Model and device"),
    Group.CHAT: QT_TRANSLATE_NOOP("Settings", "Chat"),
    Group.APPEARANCE: QT_TRANSLATE_NOOP("Settings", "Appearance"),
    Group.STORAGE: QT_TRANSLATE_NOOP("Settings", "Storage"),
}

APPLIES_LABELS = {
    Applies.AT_ONCE: QT_TRANSLATE_NOOP("Settings", "Takes effect at once."),
    Applies.NEXT_MESSAGE: QT_TRANSLATE_NOOP("Settings", "Takes effect with the next message."),
    Applies.NEXT_LOAD: QT_TRANSLATE_NOOP("Settings", "Takes effect when the model is loaded again."),
    Applies.NEXT_START: QT_TRANSLATE_NOOP("Settings", "Takes effect when the application starts again."),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values that a setting may have, with its label and a line of help."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    none_label        where it is not None, the value may be None, and this says what None means
    minimum, maximum  bounds of a number, both inclusive; step is what one click of an editor changes
    """

    key: str
    kind: Kind
    default: Value
    group: Group
    label: str = ""
    help: str = ""
    applies: Applies = Applies.NEXT_MESSAGE
    choices: tuple[Choice, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    none_label: str | None = None

    def checked(self, value: object) -> Value:
        """The value with its exact type. Raises ValueError with one line for people if it does not fit."""
        if value is None and self.none_label is not None:
            return None
        if self.kind is Kind.CHOICE:
            return self._checked_choice(value)
        if self.kind is Kind.BOOL and isinstance(value, bool):
            return value
        if self.kind in (Kind.INT, Kind.FLOAT):
            return self._checked_number(value)
        if self.kind in (Kind.TEXT, Kind.LONG_TEXT, Kind.PATH) and isinstance(value, str):
            return value
        if self.kind is Kind.TEXTS and isinstance(value, list | tuple) and all(isinstance(x, str) and x for x in value):
            return tuple(value)
        raise ValueError(f"{self.key} must be {self._expected()}, not {value!r}")

    def _checked_choice(self, value: object) -> str:
        for choice in self.choices:
            if choice.value == value:
                return choice.value
        raise ValueError(f"{self.key} must be {self._expected()}, not {value!r}")

    def _checked_number(self, value: object) -> int | float:
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        whole = numeric and (isinstance(value, int) or self.kind is Kind.FLOAT)
        if isinstance(value, int | float) and whole:
            low = self.minimum is None or value >= self.minimum
            high = self.maximum is None or value <= self.maximum
            if low and high:  # NaN is neither
                return float(value) if self.kind is Kind.FLOAT else value
        raise ValueError(f"{self.key} must be {self._expected()}, not {value!r}")

    def _expected(self) -> str:
        if self.kind is Kind.CHOICE:
            return "one of " + ", ".join(choice.value for choice in self.choices)
        if self.kind in (Kind.INT, Kind.FLOAT):
            noun = "a whole number" if self.kind is Kind.INT else "a number"
            return f"{noun} from {self.minimum:g} to {self.maximum:g}" if self.maximum is not None else noun
        return {Kind.BOOL: "true or false", Kind.TEXTS: "a list of texts"}.get(self.kind, "a text")

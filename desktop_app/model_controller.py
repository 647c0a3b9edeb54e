"""Loads the model that the settings name, and says how far it is."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from engine.events import ModelInfo


class ModelState(StrEnum):
    """Whether there is a model."""

    NONE = "none"  # not loaded, or loading was stopped
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class DraftState(StrEnum):
    """What the draft picker has to say."""

    NONE = "none"
    LOADING = "loading"
    COMPATIBLE = "compatible"
    INCOMPATIBLE = "incompatible"


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """How far the model is. `progress` from 0 to 1 and `stage` in a few words while loading; `error` is one line."""

    state: ModelState = ModelState.NONE
    progress: float = 0.0
    stage: str = ""
    info: ModelInfo | None = None
    error: str = ""
    draft: DraftState = DraftState.NONE
    needs_reload: bool = False  # a setting changed that takes effect when the model is loaded again


class ModelController(QObject):
    """status_changed   (ModelStatus)"""

    status_changed = Signal(object)

    status: ModelStatus

    def load(self) -> None:
        """Load the model that the settings name; a load in progress is cancelled first."""

    def cancel(self) -> None:
        """Stop loading."""

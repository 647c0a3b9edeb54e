"""What the library tells of families: what of them is on this machine, and which drafts fit."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.library.catalogue import FamilyEntry
from engine.library.store import CheckpointState


@dataclass(frozen=True, slots=True)
class FamilyState:
    """A family and what of it is on this machine. `folder` is for the engine, once `is_ready`.

    ngram          the n-gram table
    sampled_share  how much is sampled of a table in the making, from 0 to 1
    """

    family: FamilyEntry
    folder: Path
    target: CheckpointState
    draft: CheckpointState | None
    ngram: Path | None
    sampled_share: float = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether it can be chatted with; without its draft it works with n-grams alone."""
        return self.target.folder is not None

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to download."""
        return all(state.folder is not None for state in self.checkpoints)

    @property
    def checkpoints(self) -> tuple[CheckpointState, ...]:
        """Target first, then the draft where there is one."""
        return (self.target,) if self.draft is None else (self.target, self.draft)


class Fit(StrEnum):
    """Whether a checkpoint can be the draft of a target."""

    COMPATIBLE = "compatible"
    INCOMPATIBLE = "incompatible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DraftChoice:
    """A draft that the user may pick for a family."""

    state: CheckpointState
    fit: Fit

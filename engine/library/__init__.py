"""Models on this machine: what can be had, how it gets here, whether it is sound. Importing it loads no torch."""

from engine.library.catalogue import Family
from engine.library.control import Control, Progress, Stage
from engine.library.hub import Hub
from engine.library.library import DraftChoice, FamilyState, Fit, Library, default_folder
from engine.library.retry import RetryPolicy
from engine.library.store import CheckpointState, Place

__all__ = [
    "CheckpointState",
    "Control",
    "DraftChoice",
    "Family",
    "FamilyState",
    "Fit",
    "Hub",
    "Library",
    "Place",
    "Progress",
    "RetryPolicy",
    "Stage",
    "default_folder",
]

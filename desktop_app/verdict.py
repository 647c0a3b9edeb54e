"""What to say about two answers that should be the same."""

from dataclasses import dataclass
from itertools import zip_longest

from PySide6.QtCore import QCoreApplication


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a race ended.

    speedup           seconds of plain / seconds of the other; below 1 it was slower; None if nothing was measured
    first_difference  index of the character at which the texts part; None if they are identical
    text              one line for people, with the reason for a difference
    """

    identical: bool
    speedup: float | None
    first_difference: int | None
    text: str


def judge(plain: str, other: str, speedup: float | None, *, exact: bool) -> Verdict:
    """Compare the answer of plain decoding with another mode's; `exact` where the engine promises the same text."""
    difference = first_difference(plain, other)
    if difference is None:
        text = QCoreApplication.translate("Race", "Identical text, {0}").format(_faster(speedup))
    elif exact:
        text = QCoreApplication.translate(
            "Race", "The texts differ from character {0}. They never should: please report it."
        ).format(difference + 1)
    else:
        text = QCoreApplication.translate(
            "Race",
            "The texts differ from character {0}: in 16 bit, two tokens were all but equally probable there, "
            "and rounding chose.",
        ).format(difference + 1)
    return Verdict(difference is None, speedup, difference, text)


def first_difference(one: str, other: str) -> int | None:
    """The index of the first character in which two texts differ; None where they are the same."""
    return next((i for i, (a, b) in enumerate(zip_longest(one, other)) if a != b), None)


def _faster(speedup: float | None) -> str:
    if speedup is None:
        return QCoreApplication.translate("Race", "too short to measure")
    if speedup < 1:
        return QCoreApplication.translate("Race", "slower: {0:.2f} times the speed").format(speedup)
    return QCoreApplication.translate("Race", "{0:.1f} times faster").format(speedup)

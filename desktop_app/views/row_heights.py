"""Heights of the rows of a transcript: estimated from the text until they are measured."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from desktop_app.theme import SPACE

MARGIN = 3 * SPACE  # px, above the first and below the last message and at the sides
GAP = SPACE // 2  # px between messages
LINE = 24  # px, for estimates
CHARACTER = 7.5  # px, for estimates
FIXED = 56  # px of a message that is no text, for estimates


class RowHeights:
    """Heights in pixels by row, and where rows begin."""

    def __init__(self) -> None:
        self._heights: list[float] = []
        self._measured: list[bool] = []

    def __getitem__(self, row: int) -> float:
        return self._heights[row]

    def insert(self, row: int, texts: Sequence[str], width: int) -> None:
        """Add rows with these texts, which will be `width` pixels wide."""
        self._heights[row:row] = [_estimate(text, width) for text in texts]
        self._measured[row:row] = [False] * len(texts)

    def remove(self, first: int, last: int) -> None:
        """Take rows away, both ends included."""
        del self._heights[first : last + 1]
        del self._measured[first : last + 1]

    def is_measured(self, row: int) -> bool:
        """False while the height is an estimate or out of date."""
        return self._measured[row]

    def measured(self, row: int, height: float) -> None:
        """Take over a height as the widget has it."""
        self._heights[row], self._measured[row] = height, True

    def forget(self, row: int) -> None:
        """The row has changed; its old height is an estimate now."""
        self._measured[row] = False

    def forget_all(self) -> None:
        """The width or the type has changed."""
        self._measured = [False] * len(self._measured)

    def tops(self) -> list[float]:
        """Where each row begins, from the top of the whole; one more for the end."""
        return list(accumulate((height + GAP for height in self._heights), initial=float(MARGIN)))

    def row_at(self, place: float) -> tuple[int, float]:
        """The row at a distance from the top of the whole, and where it begins."""
        tops = self.tops()
        row = max(min(bisect_right(tops, place), len(self._heights)) - 1, 0)
        return row, tops[row]


def _estimate(text: str, width: int) -> float:
    per_line = max(width / CHARACTER, 1)
    return FIXED + LINE * sum(1 + len(line) // per_line for line in text.split("\n"))

"""The figures of the live panel and of the line under an answer: what each is called, its formula in words, its text.

Texts are English here and marked for translation in the context "Figures".
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.stats import Statistics

NOTHING = "–"  # nothing was counted: no figure rather than an invented one


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `value` reads it from the counters, `text` shows it; None is shown as "–"."""

    key: str
    label: str
    formula: str
    value: Callable[[Statistics], float | None]
    template: str

    def text(self, statistics: Statistics | None) -> str:
        """The figure as it stands in the window."""
        value = self.value(statistics) if statistics is not None else None
        return NOTHING if value is None else self.template.format(value)


FIGURES: tuple[Figure, ...] = ()

"""What a tree may cost: measured pass times and the marginal rule.

A node or one more draft pass is worth its price only if the tokens it is expected to add, divided by the time it adds,
exceed the present rate. Where drafting as a whole does not beat plain decoding, rounds are plain, with a rare probe.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from engine.stats import RoundTiming
from engine.token_tree import TokenTree

JUDGEMENTS = ((8, 1.25), (24, 1.0))
"""(rounds, loss): after so many drafted rounds, drafting has lost where it took more than `loss` times plain's time. A
few rounds are luck, and only a clear loss is believed."""
ROUND_MEMORY = 0.95
SHORTEST_WAIT, LONGEST_WAIT = 16, 512
"""Plain rounds after drafting lost."""
LEAST_VALUE = 0.04
"""Where rows are almost free: rarer nodes are not worth a query or a row of the draft."""


class PassCosts:
    """Seconds of a pass by its rows: measured at load at some widths, kept current by every pass that runs.

    stepped: a pass is padded to the next width, so the cost is a staircase; otherwise it is interpolated.
    """

    def __init__(self, widths: Sequence[int], seconds: Sequence[float], stepped: bool) -> None:
        self.widths = list(widths)
        self.stepped = stepped
        # A wider pass never costs less: measuring noise must not make it look free.
        self._base = list(accumulate(seconds, max))
        self._scale = 1.0
        self._cells = [self._cell(rows) for rows in range(self.widths[-1] + 1)]
        self._table: list[float] = []
        self._tabulate()

    def seconds(self, rows: int) -> float:
        """Expected seconds of a pass of `rows` rows; beyond the widest one measured, that one's."""
        return self._table[min(rows, len(self._table) - 1)]

    def observe(self, rows: int, seconds: float) -> None:
        """A pass of `rows` rows took `seconds`. An outlier (a busy machine) counts at most three times too long."""
        surprise = min(3.0, seconds / self.seconds(rows))
        self._scale *= surprise**0.1  # a longer context or a busy machine is felt by all widths alike
        self._base[min(bisect_left(self.widths, rows), len(self.widths) - 1)] *= surprise**0.05
        self._tabulate()

    def _tabulate(self) -> None:
        """Seconds by rows, 0 rows included; asked far more often than anything changes."""
        self._table = [
            self._scale * ((1 - share) * self._base[low] + share * self._base[high]) for low, high, share in self._cells
        ]

    def _cell(self, rows: int) -> tuple[int, int, float]:
        """The measured widths between which a number of rows lies, and how far from the first to the second."""
        above = bisect_left(self.widths, rows)
        if self.stepped or above == 0:
            return above, above, 0.0
        low, high = self.widths[above - 1 : above + 1]
        return above - 1, above, (rows - low) / (high - low)


@dataclass(slots=True)
class DraftingRecord:
    """Whether drafting pays at all in one mode: tokens and seconds of drafted rounds, old rounds fading.

    Where it loses, rounds are plain for a while, twice as long each time, before it gets a new chance.
    """

    tokens: float = 0.0
    seconds: float = 0.0
    rounds: int = 0
    wait: int = SHORTEST_WAIT
    plain_rounds_left: int = 0

    def observe(self, tokens: int, seconds: float, plain_s: float) -> None:
        """A drafted round emitted `tokens` in `seconds`, where plain decoding takes `plain_s` a token."""
        self.tokens = self.tokens * ROUND_MEMORY + tokens
        self.seconds = self.seconds * ROUND_MEMORY + seconds
        self.rounds += 1
        losses = [loss for rounds, loss in JUDGEMENTS if self.rounds >= rounds]
        if losses and self.seconds > losses[-1] * plain_s * self.tokens:
            self.plain_rounds_left, self.wait = self.wait, min(LONGEST_WAIT, 2 * self.wait)
            self.tokens, self.seconds, self.rounds = 0.0, 0.0, 0
        elif self.rounds >= JUDGEMENTS[-1][0]:
            self.wait = SHORTEST_WAIT

    def allows(self) -> bool:
        """Whether to draft in the next round."""
        if self.plain_rounds_left:
            self.plain_rounds_left -= 1
            return False
        return True


@dataclass(slots=True)
class Planner:
    """Decides the size of trees for one target (and, where there is one, its draft).

    overhead_s  seconds of a round outside the two models' passes, measured
    """

    target: PassCosts
    draft: PassCosts | None
    overhead_s: float = 1e-4
    records: dict[str, DraftingRecord] = field(default_factory=dict)
    _rate: float = 0.0

    @property
    def plain_s(self) -> float:
        """Expected seconds of a token in plain decoding."""
        return self.target.seconds(1) + self.overhead_s

    @property
    def rate(self) -> float:
        """The present rate in tokens per second: what time is worth. Never below plain decoding's."""
        return max(self._rate, 1.0 / self.plain_s)

    @property
    def least_value(self) -> float:
        """Nodes that are reached less often than this are not worth a look: half of what a row costs on the average, in
        tokens, in the tree whose rows are cheapest. Half, because estimates are rough and padding gives rows away."""
        first, *wider = self.target.widths
        alone = self.target.seconds(first)
        prices = [(self.target.seconds(rows) - alone) / (rows - first) for rows in wider]
        return max(LEAST_VALUE, 0.5 * self.rate * min(prices, default=0.0))

    def should_draft(self, key: str) -> bool:
        """Whether to draft in this round; `key` names the mode and the kind of sampling that the record is kept for."""
        return self.records.setdefault(key, DraftingRecord()).allows()

    def observe_round(self, key: str, drafted: bool, tokens: int, timing: RoundTiming) -> None:
        """A round emitted `tokens`; where drafting was tried it counts for whether drafting pays."""
        self._rate += 0.1 * (tokens / timing.seconds - self._rate)
        if drafted:
            self.records[key].observe(tokens, timing.seconds, self.plain_s)
        else:
            self.overhead_s += 0.05 * (timing.seconds - timing.model_s - self.overhead_s)

    def worth(self, values: Sequence[float], most: int) -> tuple[int, float]:
        """For node values in descending order, root first: the best number of rows, and its worth in tokens: the
        expected tokens minus what the pass's time could have earned at the present rate."""
        rate, cost = self.rate, self.target.seconds
        best, best_worth, expected = 1, -1e9, 0.0
        for rows, value in enumerate(values[:most], start=1):
            expected += value
            worth = expected - rate * cost(rows)
            if worth > best_worth:
                best, best_worth = rows, worth
        return best, best_worth

    def gain_of_pass(self, values: Sequence[float], added: Sequence[float], rows: int, most: int) -> float:
        """What a draft pass of `rows` rows is worth in tokens, its price taken off, in a tree with these node values.

        added  expected values of the nodes that the pass will add
        """
        assert self.draft is not None
        present = sorted(values, reverse=True)
        future = sorted([*present, *added], reverse=True)
        gain = self.worth(future, most)[1] - self.worth(present, most)[1]
        return gain - self.rate * self.draft.seconds(rows)

    def best_rows(self, tree: TokenTree, most: int) -> list[int]:
        """The rows to keep, ascending. Values fall along every path, so the best rows are closed under parents."""
        order = sorted(range(len(tree)), key=lambda row: -tree.values[row])  # stable: a parent stays before its child
        count, _ = self.worth([tree.values[row] for row in order], most)
        return sorted(order[:count])

"""How likely a proposed token is the target's choice: what its proposers claim, corrected by what was accepted."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum

SHARE_EDGES = (0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
PRIOR_TRIALS = 3.0
MEMORY = 0.998
"""Weight of old trials against new ones, per trial: acceptance follows the text within some hundreds of trials."""
PRIOR_BY_RANK = (0.6, 0.15, 0.08, 0.04)
"""Expected acceptance of a node's children before anything is known."""
HIGHEST = 0.999


class Evidence(StrEnum):
    """Who proposed a token: the draft, n-grams (unseen by the draft), both, or n-grams while the draft had others."""

    DRAFT = "draft"
    NGRAM = "ngram"
    BOTH = "both"
    PASSED_OVER = "passed_over"


@dataclass(frozen=True, slots=True)
class Claim:
    """Why a token is in the tree.

    share  what its proposer gave it of the whole: the draft's where both proposed it
    prior  the probability believed before any trial
    """

    evidence: Evidence
    share: float
    prior: float


class AcceptanceModel:
    """Accepted and tried nodes by evidence and share, for one mode and kind of sampling."""

    def __init__(self) -> None:
        size = len(SHARE_EDGES) + 1
        self._accepted = {evidence: [0.0] * size for evidence in Evidence}
        self._trials = {evidence: [0.0] * size for evidence in Evidence}
        self.by_rank = list(PRIOR_BY_RANK)

    def estimate(self, claim: Claim) -> float:
        """Probability that the token is accepted once its parent is."""
        cell = bisect_right(SHARE_EDGES, claim.share)
        accepted = self._accepted[claim.evidence][cell] + PRIOR_TRIALS * claim.prior
        return min(HIGHEST, accepted / (self._trials[claim.evidence][cell] + PRIOR_TRIALS))

    def observe(self, claim: Claim, accepted: bool) -> None:
        """One trial: a node whose parent was reached."""
        cell = bisect_right(SHARE_EDGES, claim.share)
        self._trials[claim.evidence][cell] = self._trials[claim.evidence][cell] * MEMORY + 1.0
        self._accepted[claim.evidence][cell] = self._accepted[claim.evidence][cell] * MEMORY + accepted

    def saw_rank(self, rank: int, estimate: float) -> None:
        """The draft gave a node its child of this rank; the mean estimates foresee what a draft pass adds."""
        self.by_rank[rank] += 0.1 * (estimate - self.by_rank[rank])

    def forget(self) -> None:
        """A round went without the draft: its reputation recovers a little, so that it is tried again some day."""
        for rank, prior in enumerate(PRIOR_BY_RANK):
            self.by_rank[rank] += 0.01 * (prior - self.by_rank[rank])

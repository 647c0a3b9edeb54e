"""Logits -> the tokens that may follow, and the choice among them.

Processors run in transformers' order: logit bias, repetition penalty, temperature, top-k, top-p. What remains goes to
the host as a short list of candidates; noise is computed for these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf, log
from operator import itemgetter

import numpy as np
import torch

from engine.config import SamplingParams
from engine.noise import MAX_NOISE, MIN_NOISE, gumbel, gumbel_of
from engine.token_tree import Proposals, TokenTree

HIGHEST_SCORE = 1e300
"""Hardly any temperature makes scores infinite, and infinities have no differences."""
DRAFT_CANDIDATES = 64
"""Tokens of a draft's row among which the noise decides: what lies below is hardly ever the target's choice."""


class Sampler:
    """Chooses tokens for one request: its parameters, its seed, and the tokens seen so far."""

    def __init__(self, params: SamplingParams, seed: int, device: torch.device) -> None:
        self.params = params
        self.seed = seed
        self._device = device
        self._seen: dict[int, None] = {}
        self._adjusts = bool(params.logit_bias) or params.repetition_penalty != 1
        self._bias_ids = torch.tensor(list(params.logit_bias), dtype=torch.int64, device=device)
        self._bias_values = torch.tensor(list(params.logit_bias.values()), dtype=torch.float32, device=device)

    @property
    def is_greedy(self) -> bool:
        """True where the most probable token is taken."""
        return self.params.temperature == 0

    def saw(self, tokens: Sequence[int]) -> None:
        """Tokens that joined the text; they count for the repetition penalty, once each."""
        if self.params.repetition_penalty != 1:
            self._seen.update(dict.fromkeys(tokens))

    def chooser(self, logits: torch.Tensor, tree: TokenTree, length: int) -> Callable[[int], int]:
        """row -> the target's token behind it, from the logits (n, vocab_size) of a tree under a text of `length`."""
        if self.is_greedy and not self._adjusts:
            return logits.argmax(-1).tolist().__getitem__
        if self._device.type == "cpu" or self._adjusts or not 0 < self.params.top_k < logits.shape[1]:
            return lambda row: self.choose(logits[row], length + tree.depths[row], tree.branch(row))
        tokens, values = self._best(logits)  # rows that the walk will not ask for too: copies cost more than they do

        def choose(row: int) -> int:
            support = self._with_ties(logits[row], tokens[row], values[row])
            return self._sampled(*support, length + tree.depths[row])

        return choose

    def choose(self, logits: torch.Tensor, position: int, branch: Sequence[int] = ()) -> int:
        """The token at `position`, from the target's logits (vocab_size,); `branch` are the tree's tokens before it."""
        row = self._adjusted(logits, branch)
        if self.is_greedy:
            return int(row.argmax())
        return self._sampled(*self._support(row), position)

    def propose(
        self, logits: torch.Tensor, positions: Sequence[int], branches: Sequence[Sequence[int]], count: int
    ) -> list[Proposals]:
        """For each row of a draft's logits (n, vocab_size) the `count` tokens that are most likely to be chosen at its
        position, best first, with estimated chances."""
        rows = logits.float()
        if self._adjusts:
            rows = torch.stack([self._adjusted(row, branch) for row, branch in zip(rows, branches, strict=True)])
        if self.is_greedy:
            best = rows.topk(min(count, rows.shape[1]))
            shares = (best.values - rows.logsumexp(1, keepdim=True)).exp().tolist()
            return [list(zip(*row, strict=True)) for row in zip(best.indices.tolist(), shares, strict=True)]
        best = rows.topk(min(self.params.top_k or DRAFT_CANDIDATES, DRAFT_CANDIDATES, rows.shape[1]))
        tokens, values = best.indices.cpu().numpy(), best.values.double().cpu().numpy()
        return _ranked(tokens, self._noisy(tokens, values, positions), count)

    def coupled(self, proposals: Proposals, position: int) -> Proposals:
        """Proposals that know no noise, in the order of their chances once the noise of the position is known.

        What the probabilities leave to other tokens competes with the score that is typical of it: the greatest of
        noisy scores with a total probability of r is log r plus a Gumbel variable, of mean 0.577.
        """
        top = max((share for _, share in proposals), default=0.0)
        if self.is_greedy or top <= 0:
            return proposals
        temperature = self.params.temperature
        scored = [
            (token, log(share / top) / temperature + gumbel_of(self.seed, position, token))
            for token, share in proposals
            if share > 0
        ]
        left = 1 - sum(share for _, share in proposals)
        others = min(log(left / top) / temperature + np.euler_gamma, HIGHEST_SCORE) if left > 0 else -inf
        scored.sort(key=itemgetter(1), reverse=True)
        best = max(scored[0][1], others)
        weights = [exp(score - best) for _, score in scored]
        total = sum(weights) + exp(others - best)
        return [(token, weight / total) for (token, _), weight in zip(scored, weights, strict=True)]

    def _adjusted(self, logits: torch.Tensor, branch: Sequence[int]) -> torch.Tensor:
        """Logit bias and repetition penalty (Keskar et al. 2019), in float32."""
        row = logits.float()
        penalty = self.params.repetition_penalty
        if not self._adjusts:
            return row
        row = row.clone()
        row[self._bias_ids] += self._bias_values
        if penalty != 1:
            seen = torch.tensor(list(self._seen | dict.fromkeys(branch)), dtype=torch.int64, device=self._device)
            values = row[seen]
            row[seen] = torch.where(values > 0, values / penalty, values * penalty)
        return row

    def _support(self, row: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Tokens that may be chosen, top-p aside, and their logits in float64; for top-p, the best comes first."""
        top_k = self.params.top_k
        if not top_k:  # a token this far below the best cannot win, whatever the noise
            least = float(row.max()) - self.params.temperature * (MAX_NOISE - MIN_NOISE)
        elif top_k >= len(row):
            least = -np.inf
        else:
            tokens, values = self._best(row[None])
            return self._with_ties(row, tokens[0], values[0])
        return self._at_least(row, least)

    def _best(self, rows: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
        """The top k tokens of each row and one more, best first, with their logits in float64: one copy to the host.

        Equal logits come in the order of their tokens, whatever order the device found them in: top-p may cut there.
        """
        best = rows.float().topk(self.params.top_k + 1)
        values, tokens = torch.stack((best.values.double(), best.indices.double())).cpu().numpy()
        order = np.lexsort((tokens, -values))
        return np.take_along_axis(tokens, order, 1).astype(np.int64), np.take_along_axis(values, order, 1)

    def _with_ties(self, row: torch.Tensor, tokens: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The top k of `_best`, and what ties with the last of them: it stays, as in transformers."""
        if values[-1] < values[-2]:
            return tokens[:-1], values[:-1]
        return self._at_least(row, float(values[-1]))

    def _at_least(self, row: torch.Tensor, least: float) -> tuple[np.ndarray, np.ndarray]:
        ids = (row >= least).nonzero().squeeze(1)
        tokens, values = ids.cpu().numpy(), row[ids].double().cpu().numpy()
        if self.params.top_p < 1:
            order = np.argsort(-values, kind="stable")
            tokens, values = tokens[order], values[order]
        return tokens, values

    def _sampled(self, tokens: np.ndarray, values: np.ndarray, position: int) -> int:
        """The token that wins among those of a support."""
        return int(tokens[self._noisy(tokens[None], values[None], [position]).argmax()])

    def _noisy(self, tokens: np.ndarray, values: np.ndarray, positions: Sequence[int]) -> np.ndarray:
        """Logits (n, k) of the tokens in each row, for a position each -> scores: temperature, top-p, noise.

        A score is a log-probability, up to a constant, plus noise; -inf where top-p leaves the token out.
        """
        with np.errstate(over="ignore"):  # measured from the best, so that no temperature is too small to divide by
            logits = (values - values.max(1, keepdims=True)) / self.params.temperature
        if self.params.top_p < 1:
            logits = np.where(_in_nucleus(logits, self.params.top_p), logits, -np.inf)
        scores: np.ndarray = logits + gumbel(self.seed, positions, tokens)
        return scores


def _in_nucleus(logits: np.ndarray, top_p: float) -> np.ndarray:
    """Which logits of a descending row belong to the smallest set whose probabilities reach top_p (Holtzman et al.
    2020).

    Where top-k is off, tokens below the noise's reach were left out before: together they weigh less than
    vocab_size * exp(-42) and cannot move the cut.
    """
    weights = np.exp(logits - logits[:, :1])
    before = np.cumsum(weights, 1) - weights
    inside: np.ndarray = before < top_p * weights.sum(1, keepdims=True)
    return inside


def _ranked(ids: np.ndarray, scores: np.ndarray, count: int) -> list[Proposals]:
    """For each row of ids and scores (n, k) its `count` best: (token, its share of the softmax of the row's scores)."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    weights = np.exp(scores - scores.max(1, keepdims=True))
    shares = np.take_along_axis(weights, order, 1) / weights.sum(1, keepdims=True)
    best = zip(np.take_along_axis(ids, order, 1).tolist(), shares.tolist(), strict=True)
    return [[(token, share) for token, share in zip(*row, strict=True) if share > 0] for row in best]

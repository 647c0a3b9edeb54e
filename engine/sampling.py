"""Logits -> the tokens that may follow, and the choice among them.

Processors run in transformers' order: logit bias, repetition penalty, temperature, top-k, top-p. What remains goes to
the host as a short list of candidates; noise is computed for these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.config import SamplingParams
from engine.noise import MAX_NOISE, MIN_NOISE, gumbel
from engine.token_tree import TokenTree

DRAFT_CANDIDATES = 64
"""Tokens of a draft's row among which the noise decides: what lies below is hardly ever the target's choice."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Token ids (k,) and their scores (k,) float64: log-probability, up to a constant, plus noise."""

    ids: np.ndarray
    scores: np.ndarray

    def best(self) -> int:
        """The chosen token."""
        return int(self.ids[self.scores.argmax()])

    def ranked(self, count: int) -> list[tuple[int, float]]:
        """The `count` best by score: (token, its share of the softmax of all scores), best first."""
        order = np.argsort(-self.scores, kind="stable")[:count]
        weights = np.exp(self.scores - self.scores[order[0]])
        shares = weights[order] / weights.sum()
        return list(zip(self.ids[order].tolist(), shares.tolist(), strict=True))


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
        return lambda row: self.choose(logits[row], length + tree.depths[row], tree.branch(row))

    def choose(self, logits: torch.Tensor, position: int, branch: Sequence[int] = ()) -> int:
        """The token at `position`, from the target's logits (vocab_size,); `branch` are the tree's tokens before it."""
        row = self._adjusted(logits, branch)
        if self.is_greedy:
            return int(row.argmax())
        return self._sampled(row, position).best()

    def propose(
        self, logits: torch.Tensor, positions: Sequence[int], branches: Sequence[Sequence[int]], count: int
    ) -> list[list[tuple[int, float]]]:
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
        return [self._noisy(*row).ranked(count) for row in zip(tokens, values, positions, strict=True)]

    def coupled(self, proposals: list[tuple[int, float]], position: int) -> list[tuple[int, float]]:
        """Proposals (token, probability) that know no noise, in the order of their chances once the noise is known.

        What the probabilities leave to other tokens competes with the score that is typical of it: the greatest of
        noisy scores with a total probability of r is log r plus a Gumbel variable, of mean 0.577.
        """
        if self.is_greedy or not proposals:
            return proposals
        ids = np.array([token for token, _ in proposals])
        shares = np.array([probability for _, probability in proposals])
        top = shares.max()
        with np.errstate(divide="ignore", over="ignore"):  # no probability is left, or hardly any temperature
            scores = np.log(shares / top) / self.params.temperature + gumbel(self.seed, position, ids)
            others = np.log(max(0.0, 1 - shares.sum()) / top) / self.params.temperature + np.euler_gamma
        ranked = Candidates(np.append(ids, -1), np.append(scores, others)).ranked(len(proposals) + 1)
        return [(token, share) for token, share in ranked if token >= 0]

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

    def _sampled(self, row: torch.Tensor, position: int) -> Candidates:
        """Temperature, top-k and top-p, then noise for what is left."""
        tokens, values = self._support(row)
        return self._noisy(tokens, values, position)

    def _support(self, row: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Tokens that may be chosen, top-p aside, and their logits in float64."""
        top_k = self.params.top_k
        if not top_k:  # a token this far below the best cannot win, whatever the noise
            least = float(row.max()) - self.params.temperature * (MAX_NOISE - MIN_NOISE)
        elif top_k >= len(row):
            least = -np.inf
        else:
            best = row.topk(top_k + 1)
            values = best.values.double().cpu().numpy()
            if values[top_k] < values[top_k - 1]:
                return best.indices[:top_k].cpu().numpy(), values[:top_k]
            least = float(values[top_k])  # ties with the k-th token stay, as in transformers
        ids = (row >= least).nonzero().squeeze(1)
        return ids.cpu().numpy(), row[ids].double().cpu().numpy()

    def _noisy(self, tokens: np.ndarray, values: np.ndarray, position: int) -> Candidates:
        """Candidates from logits: temperature, top-p, noise."""
        with np.errstate(over="ignore"):  # measured from the best, so that no temperature is too small to divide by
            logits = (values - values.max()) / self.params.temperature
        if self.params.top_p < 1:
            tokens, logits = _nucleus(tokens, logits, self.params.top_p)
        return Candidates(tokens, logits + gumbel(self.seed, position, tokens))


def _nucleus(tokens: np.ndarray, logits: np.ndarray, top_p: float) -> tuple[np.ndarray, np.ndarray]:
    """The smallest set of most probable tokens whose probabilities reach top_p (Holtzman et al. 2020).

    Where top-k is off, tokens below the noise's reach were left out before: together they weigh less than
    vocab_size * exp(-42) and cannot move the cut.
    """
    order = np.argsort(-logits, kind="stable")
    weights = np.exp(logits[order] - logits[order[0]])
    before = np.cumsum(weights) - weights
    kept = order[before < top_p * weights.sum()]
    return tokens[kept], logits[kept]

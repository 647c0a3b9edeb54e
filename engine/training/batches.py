"""Batches that depend on nothing but the seed and the step: a resumed run sees what an uninterrupted one would."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from engine.training.corpus import Corpus

_AT_ORIGIN = 0.5
"""Share of the rows that begin at position 0, as every conversation does."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids to read and to predict."""

    input_ids: Tensor  # (rows, window)
    positions: Tensor  # (rows, window)
    labels: Tensor  # (rows, window); the next token, or -100 where there is nothing to learn

    def to(self, device: torch.device) -> "Batch":
        """The same batch on another device."""
        return Batch(self.input_ids.to(device), self.positions.to(device), self.labels.to(device))


@dataclass(frozen=True, slots=True)
class Mixture:
    """Corpora and how often each is drawn from."""

    corpora: Sequence[Corpus]
    weights: Sequence[float]

    def with_corpus(self, corpus: Corpus, share: float) -> "Mixture":
        """One corpus more, which takes a share of all rows."""
        total = sum(self.weights)
        return Mixture([*self.corpora, corpus], [*self.weights, total * share / (1 - share)])

    def batch(self, step: int, rows: int, window: int, context: int, seed: int) -> Batch:
        """The batch of a step: windows at random places, at random positions of the model's context."""
        rng = np.random.default_rng([seed, step])
        shares = np.asarray(self.weights, float) / np.sum(self.weights)
        chosen = rng.choice(len(self.corpora), size=rows, p=shares)
        windows = [
            _window(self.corpora[index], _random_start(self.corpora[index], window, rng), window) for index in chosen
        ]
        offsets = np.where(rng.random(rows) < _AT_ORIGIN, 0, rng.integers(0, context - window + 1, rows))
        return _batch(windows, offsets)


def validation_batches(corpus: Corpus, rows: int, window: int, batches: int) -> Iterator[Batch]:
    """The same evenly spread windows every time, each from the beginning of a document."""
    count = min(rows * batches, len(corpus.document_starts))
    starts = corpus.document_starts[np.linspace(0, len(corpus.document_starts) - 1, count).astype(int)]
    for begin in range(0, count, rows):
        windows = [_window(corpus, int(start), window, one_document=True) for start in starts[begin : begin + rows]]
        yield _batch(windows, np.zeros(len(windows), np.int64))


def _random_start(corpus: Corpus, window: int, rng: np.random.Generator) -> int:
    """The beginning of a document, or any place in one that is longer than the window."""
    place = int(rng.integers(len(corpus)))
    index = int(np.searchsorted(corpus.document_starts, place, side="right")) - 1
    start = int(corpus.document_starts[index])
    return start if place - start < window else place


def _window(
    corpus: Corpus, start: int, window: int, *, one_document: bool = False
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Ids and labels, filled up with unlearnt zeros where the corpus (or the document) ends."""
    index = int(np.searchsorted(corpus.document_starts, start, side="right"))
    next_start = int(corpus.document_starts[index]) if index < len(corpus.document_starts) else len(corpus) - 1
    end = min(start + window + 1, next_start + 1 if one_document else len(corpus))
    ids = np.zeros(window + 1, np.int64)
    labels = np.full(window + 1, -100, np.int64)
    ids[: end - start] = corpus.ids[start:end]
    labels[: end - start] = np.where(corpus.learn[start:end] == 1, ids[: end - start], -100)
    return ids[:-1], labels[1:]


def _batch(windows: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]], offsets: npt.NDArray[np.int64]) -> Batch:
    ids = torch.from_numpy(np.stack([ids for ids, _ in windows]))
    labels = torch.from_numpy(np.stack([labels for _, labels in windows]))
    positions = torch.from_numpy(offsets)[:, None] + torch.arange(ids.shape[1])
    return Batch(ids, positions, labels)

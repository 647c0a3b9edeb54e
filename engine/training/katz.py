"""Counts n-grams and makes the table of a Katz back-off model (Katz 1987), which `engine.ngram` reads.

A context of two tokens that was seen proposes what followed it, one that was not seen backs off to its last token. The
probabilities are discounted after Good and Turing, so that rare events do not pass for certain ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.errors import InvalidRequest

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ROWS_PER_CONTEXT = 4
"""Continuations kept for a context, the most probable first."""

_LARGEST_DISCOUNTED = 5
"""Counts above this one are trusted as they are (Katz's k)."""

_MERGE_EVERY = 8_000_000


@dataclass(frozen=True, slots=True)
class Grams:
    """Distinct n-grams as numbers in base `vocab_size`, ascending, and how often each was seen."""

    keys: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True)
class Rows:
    """Continuations of contexts: contexts ascending, at most `ROWS_PER_CONTEXT` rows each, most probable first."""

    contexts: IntArray
    following: IntArray
    probabilities: FloatArray


def count_grams(pieces: Iterable[IntArray], vocab_size: int, order: int) -> Grams:
    """Counts the n-grams of some pieces of text; none reaches over the end of a piece."""
    total = Grams(np.empty(0, np.int64), np.empty(0, np.int64))
    waiting: list[IntArray] = []
    for piece in pieces:
        keys = np.zeros(max(0, len(piece) - order + 1), np.int64)
        for offset in range(order):
            keys = keys * vocab_size + piece[offset : offset + len(keys)]
        waiting.append(keys)
        if sum(map(len, waiting)) > _MERGE_EVERY:
            total, waiting = _merge(total, waiting), []
    return _merge(total, waiting)


def _merge(total: Grams, more: list[IntArray]) -> Grams:
    new_keys, new_counts = np.unique(np.concatenate([*more, np.empty(0, np.int64)]), return_counts=True)
    keys, where = np.unique(np.concatenate([total.keys, new_keys]), return_inverse=True)
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, where, np.concatenate([total.counts, new_counts]))
    return Grams(keys, counts)


def good_turing_discounts(counts: IntArray) -> FloatArray:
    """What is left of a count r, as a factor: entry r for 1 to 5, Katz (1987), equation 13; 1 above (the last entry).

    Where the counts are too few for the estimate, an absolute discount of 1/2 stands in for it.
    """
    k = _LARGEST_DISCOUNTED
    n = np.bincount(np.minimum(counts, k + 2), minlength=k + 3)[: k + 2].astype(float)
    discounts = np.ones(k + 2)
    discounts[0] = 0.0
    common = (k + 1) * n[k + 1] / max(n[1], 1)
    for r in range(1, k + 1):
        estimate = ((r + 1) * n[r + 1] / (r * max(n[r], 1)) - common) / (1 - common) if common < 1 else 0.0
        discounts[r] = estimate if 0 < estimate < 1 else (r - 0.5) / r
    return discounts


def katz_rows(grams: Grams, vocab_size: int, min_count: int, max_contexts: int | None = None) -> Rows:
    """The rows of one order: discounted probabilities, pruned to the frequent contexts and their likely continuations.

    Probabilities are shares of all that followed the context, pruned or not.
    """
    contexts, following = np.divmod(grams.keys, vocab_size)
    distinct, where = np.unique(contexts, return_inverse=True)
    context_counts = np.bincount(where, weights=grams.counts, minlength=len(distinct))
    discounts = good_turing_discounts(grams.counts)
    kept_share = discounts[np.minimum(grams.counts, len(discounts) - 1)]
    probabilities = kept_share * grams.counts / context_counts[where]

    keep = grams.counts >= min_count
    if max_contexts is not None and len(distinct) > max_contexts:
        frequent = np.zeros(len(distinct), bool)
        frequent[np.argsort(-context_counts, kind="stable")[:max_contexts]] = True
        keep &= frequent[where]
    order = np.lexsort((following[keep], -probabilities[keep], contexts[keep]))
    rows = Rows(contexts[keep][order], following[keep][order], probabilities[keep][order])
    best = _rank_in_context(rows.contexts) < ROWS_PER_CONTEXT
    return Rows(rows.contexts[best], rows.following[best], rows.probabilities[best])


def _rank_in_context(contexts: IntArray) -> IntArray:
    """0 for the first row of each context, 1 for the second, and so on."""
    places = np.arange(len(contexts))
    starts = np.flatnonzero(np.diff(contexts, prepend=-1))
    lengths = np.diff(starts, append=len(contexts))
    return places - np.repeat(starts, lengths)


def write_table(file: Path, trigrams: Rows, bigrams: Rows, vocab_size: int) -> None:
    """Writes the table: `tri_*` for contexts of two tokens (a * vocab_size + b), `bi_*` for one.

    Raises InvalidRequest where it is empty.
    """
    if not len(bigrams.contexts):
        raise InvalidRequest("nothing was counted often enough; sample more tokens or lower --min-count")
    token = np.dtype(np.uint16 if vocab_size <= 1 << 16 else np.uint32)
    pair = np.dtype(np.int32 if vocab_size**2 < 1 << 31 else np.int64)
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        file,
        vocab_size=np.int64(vocab_size),
        tri_context=trigrams.contexts.astype(pair),
        tri_next=trigrams.following.astype(token),
        tri_prob=trigrams.probabilities.astype(np.float16),
        bi_context=bigrams.contexts.astype(token),
        bi_next=bigrams.following.astype(token),
        bi_prob=bigrams.probabilities.astype(np.float16),
    )

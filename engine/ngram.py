"""Stage 2's drafts: a Katz back-off trigram table on disk, and n-grams of the conversation itself.

Both answer one question, in microseconds: which tokens are likely behind these? The answer is a short list of (token,
estimated probability), best first.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

import numpy as np

from engine.errors import CheckpointError, IncompatibleDraft
from engine.token_tree import Proposals

CONVERSATION_ORDERS = ((4, 0.8), (3, 0.6), (2, 0.4))
"""Lengths of the contexts looked up in the conversation, longest first, each with a first guess of the probability that
the text goes on as it did before; the planner corrects it from what is accepted."""

LEAST_UNSEEN = 1e-3
"""Probability that a bigram is taken to leave to unseen tokens, at least: stored ones are rounded."""

_ARRAYS = ("tri_context", "tri_next", "tri_prob", "bi_context", "bi_next", "bi_prob")


class KatzTable:
    """P(w | a, b) by Katz (1987): the discounted trigram where seen, else the bigram times what the discount left.

    Rows are sorted by context, the most probable continuation first; a trigram context is `a * vocab_size + b`.
    """

    def __init__(self, vocab_size: int, arrays: dict[str, np.ndarray]) -> None:
        self.vocab_size = vocab_size
        self._tri = _Rows(arrays["tri_context"], arrays["tri_next"], arrays["tri_prob"])
        self._bi = _Rows(arrays["bi_context"], arrays["bi_next"], arrays["bi_prob"])

    @classmethod
    def load(cls, path: Path, vocab_size: int) -> KatzTable:
        """Read a table and check it. Raises CheckpointError (damaged) or IncompatibleDraft (another vocabulary)."""
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                arrays = {name: file[name] for name in _ARRAYS}
                stored = int(file["vocab_size"]) if "vocab_size" in file else vocab_size
        except Exception as error:  # noqa: BLE001 - damaged bytes break the reader in every way there is
            raise CheckpointError(f"{path}: not an n-gram table ({error}); choose another or build it anew") from None
        for order in ("tri", "bi"):
            if not _is_sound(*(arrays[f"{order}_{part}"] for part in ("context", "next", "prob"))):
                raise CheckpointError(f"{path}: damaged n-gram table ({order}grams); build it anew")
        highest = max((int(arrays[name].max(initial=0)) for name in ("tri_next", "bi_next", "bi_context")), default=0)
        if stored != vocab_size or highest >= vocab_size:
            raise IncompatibleDraft(
                f"{path}: made for a vocabulary of {max(stored, highest + 1)} tokens, the target has {vocab_size}"
            )
        return cls(vocab_size, arrays)

    @property
    def contexts(self) -> int:
        """Number of rows in the table."""
        return len(self._tri) + len(self._bi)

    def propose(self, context: Sequence[int], count: int) -> Proposals:
        """The `count` most probable tokens behind the last two of `context`."""
        if not context:
            return []
        found = self._tri.find(context[-2] * self.vocab_size + context[-1], count) if len(context) > 1 else []
        if len(found) == count:
            return found
        backed_off = self._bi.find(context[-1], count)
        if not found:
            return backed_off
        known = dict(found)
        left = max(0.0, 1.0 - sum(known.values()))
        unseen = 1.0 - sum([probability for token, probability in backed_off if token in known])
        scale = left / max(unseen, left, LEAST_UNSEEN)
        found += [(token, scale * probability) for token, probability in backed_off if token not in known]
        return found[:count]


def _is_sound(context: np.ndarray, following: np.ndarray, probability: np.ndarray) -> bool:
    """Whether three arrays are rows of a table: as long as each other, sorted, and numbers of the right kind."""
    is_flat = context.ndim == 1 and context.shape == following.shape == probability.shape
    if (
        not is_flat
        or context.dtype.kind not in "iu"
        or following.dtype.kind not in "iu"
        or probability.dtype.kind != "f"
    ):
        return False
    is_sorted = bool((np.diff(context.astype(np.int64)) >= 0).all()) and context.min(initial=0) >= 0
    return is_sorted and following.min(initial=0) >= 0 and bool(((probability >= 0) & (probability <= 1)).all())


class _Rows:
    """Sorted contexts with their continuations. Arrays of Python's own: one number of them costs a tenth of numpy's."""

    def __init__(self, contexts: np.ndarray, tokens: np.ndarray, probabilities: np.ndarray) -> None:
        self._contexts = array("q", contexts.astype(np.int64).tobytes())
        self._tokens = array("i", tokens.astype(np.int32).tobytes())
        self._probabilities = array("f", probabilities.astype(np.float32).tobytes())

    def __len__(self) -> int:
        return len(self._contexts)

    def find(self, context: int, count: int) -> Proposals:
        first = bisect_left(self._contexts, context)
        end = bisect_right(self._contexts, context, first, min(first + count, len(self._contexts)))
        return list(zip(self._tokens[first:end], self._probabilities[first:end], strict=True))


class ConversationNgrams:
    """What followed the last occurrence of the present context in this very conversation (prompt lookup)."""

    def __init__(self) -> None:
        self._next: dict[tuple[int, ...], int] = {}
        self._tokens: list[int] = []

    def follow(self, tokens: Sequence[int]) -> None:
        """Bring the table up to date with a text; one that grew costs only its new tokens."""
        known = len(self._tokens)
        if self._tokens != list(tokens[:known]):
            self._next.clear()
            known = 0
        self._tokens = list(tokens)
        for end in range(known, len(tokens)):
            for order, _ in CONVERSATION_ORDERS:
                if end >= order:
                    self._next[tuple(tokens[end - order : end])] = tokens[end]

    def extend(self, tokens: Sequence[int]) -> None:
        """Append tokens to the text followed."""
        for token in tokens:
            for order, _ in CONVERSATION_ORDERS:
                if len(self._tokens) >= order:
                    self._next[tuple(self._tokens[-order:])] = token
            self._tokens.append(token)

    def propose(self, context: Sequence[int]) -> Proposals:
        """The token behind the longest context seen before, if any."""
        for order, probability in CONVERSATION_ORDERS:
            token = self._next.get(tuple(context[-order:]))
            if token is not None and len(context) >= order:
                return [(token, probability)]
        return []


class NgramDraft:
    """Conversation first, then the static table (which may be missing)."""

    def __init__(self, table: KatzTable | None) -> None:
        self.table = table
        self.conversation = ConversationNgrams()

    def propose(self, context: Sequence[int], count: int) -> Proposals:
        """The `count` best guesses behind `context`, best first."""
        guessed = self.conversation.propose(context)
        if self.table is None:
            return guessed
        found = self.table.propose(context, count)
        if guessed:
            found = [*guessed, *(pair for pair in found if pair[0] != guessed[0][0])]
        found.sort(key=itemgetter(1), reverse=True)  # stable: the conversation's guess wins a tie
        return found[:count]

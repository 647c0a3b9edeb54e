"""The loop: draft, verify, commit, emit. It knows token ids only."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.drafter import Drafter
from engine.events import Origin, Round, StopReason
from engine.planner import Planner
from engine.runner import Runner
from engine.sampling import Sampler
from engine.stats import Recorder
from engine.token_tree import TokenTree
from engine.verifier import Walk, walk

Receive = Callable[[int, Origin, int], StopReason | None]
"""(token, origin, round): called once for each emitted token, in order; a reason ends the answer with that token."""


@dataclass(frozen=True, slots=True)
class Emission:
    """The tokens of one round, with their origins; `reason` is set in the last one. A cancelled round has no tokens."""

    tokens: tuple[int, ...]
    origins: tuple[Origin, ...]
    round: Round
    reason: StopReason | None


@dataclass(frozen=True, slots=True)
class Decoder:
    """What one answer is decoded with."""

    target: Runner
    drafter: Drafter
    sampler: Sampler
    planner: Planner
    recorder: Recorder

    def decode(
        self, text: list[int], max_new_tokens: int, receive: Receive, cancelled: Callable[[], bool]
    ) -> Iterator[Emission]:
        """Extend `text` until something ends it. All of it but the last token is committed in the target's cache."""
        context_length = self.target.model.config.n_positions
        end = min(len(text) + max_new_tokens, context_length)
        for index in itertools.count():
            if cancelled():
                yield Emission((), (), Round(index, 0, 0), StopReason.CANCELLED)
                return
            depth_limit = min(self.target.room(), end - len(text)) - 1
            with self.recorder.round() as timing:
                with self.recorder.phase("planner"):
                    tree = self.drafter.grow(text, depth_limit)
                found = self._verify(tree, len(text))
                tokens, origins, reason = self._emit(tree, found, index, receive)
                self._commit(tree, found, len(tokens))
                text.extend(tokens)
            self.planner.observe_round(self.drafter.record_key, self.drafter.has_drafted, len(tokens), timing)
            if reason is None and len(text) >= context_length:
                reason = StopReason.CONTEXT_FULL
            yield Emission(tokens, origins, Round(index, len(tree), len(tokens)), reason)
            if reason is not None:
                return

    def _verify(self, tree: TokenTree, length: int) -> Walk:
        """One pass of the target over the tree, and the walk along its choices."""
        with self.recorder.target_pass(len(tree), self.planner.target):
            logits = self.target.extend(tree.tokens, tree.parents)
            choose = self.sampler.chooser(logits, tree, length)
        return walk(tree.children(), choose)

    def _emit(
        self, tree: TokenTree, found: Walk, index: int, receive: Receive
    ) -> tuple[tuple[int, ...], tuple[Origin, ...], StopReason | None]:
        """Hand out the walk's tokens up to the one that ends the answer, if one does.

        An accepted node's origin is its drafter; the token behind the last accepted node is the target's own.
        """
        origins = (*(tree.origins[row] for row in found.path[1:]), Origin.TARGET)
        reason, count = None, 0
        while count < len(origins) and reason is None:
            reason = receive(found.tokens[count], origins[count], index)
            count += 1
        self.recorder.emitted(origins[:count])
        return found.tokens[:count], origins[:count], reason

    def _commit(self, tree: TokenTree, found: Walk, emitted: int) -> None:
        """Keep the rows of the path whose successors were emitted: the last emitted token is the next root."""
        path = found.path[:emitted]
        self.target.commit(path, [tree.tokens[row] for row in path])
        with self.recorder.phase("planner"):
            self.drafter.commit(found, emitted)
        self.sampler.saw(found.tokens[:emitted])

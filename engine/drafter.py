"""Grows the tree of a round. One drafter serves all modes: with a draft model, n-grams, both, or neither.

Stage 2 comes first: n-grams hang what they expect below the root, in microseconds. Stage 1 is the draft model: one
batched pass scores the most promising nodes, those of the n-grams included, so that the draft sees several levels at
once. It adds its own children, and its shares say which guesses of the n-grams to believe. Another pass follows as long
as it promises more than it costs; in the end the tree keeps the rows that are worth their part of the target's pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

import torch

from engine.acceptance import AcceptanceModel, Claim, Evidence
from engine.config import DecodingConfig, DecodingMode
from engine.errors import DraftingFailed
from engine.events import Origin
from engine.ngram import CONVERSATION_ORDERS, NgramDraft
from engine.planner import Planner
from engine.runner import MAX_ROWS, Runner
from engine.sampling import Sampler
from engine.stats import Recorder
from engine.token_tree import Proposals, TokenTree
from engine.verifier import Walk

BREADTH = 4
"""Children that a proposer gives a node at most."""
PASS_SIZES = (1, 2, 4, 6)
"""Numbers of nodes that a draft pass may score."""
CONTEXT = max(order for order, _ in CONVERSATION_ORDERS)
CATCH_UP = 24
"""Committed tokens that a draft pass may carry along; more are prefilled."""
NOISY_CANDIDATES = 8
"""N-gram continuations among which the noise decides when sampling."""
SAMPLED_TRUST = 0.65
"""Prior of an n-gram's guess relative to its probability when sampling: its table knows less of rare tokens than of the
most probable ones (measured: 0.42 claimed, 0.28 accepted; greedy 0.59 and 0.59)."""
DOUBTED = 0.3
"""Prior of a guess that the draft had the chance to make and did not, relative to the guess's own."""


@dataclass(slots=True)
class _Growth:
    """A tree under construction, with what is needed to commit it to the draft's cache and to learn from it.

    claims   per node: why it is there
    known    per node: token -> child
    rows     node -> scratch row of the draft's cache that holds it; such a node was scored
    asked    nodes below which n-grams were asked
    pending  committed tokens that the draft's first pass carried along, the root last
    """

    tree: TokenTree
    text: Sequence[int]
    depth_limit: int
    least_value: float
    claims: list[Claim] = field(default_factory=lambda: [Claim(Evidence.DRAFT, 1.0, 1.0)])
    known: list[dict[int, int]] = field(default_factory=lambda: [{}])
    rows: dict[int, int] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    pending: list[int] = field(default_factory=list)

    def context(self, node: int) -> list[int]:
        """The last tokens up to a node, itself included: as many as n-grams look at."""
        branch = self.tree.branch(node, CONTEXT)
        return [*self.text[max(0, len(self.text) - CONTEXT + len(branch)) :], *branch]

    def position(self, node: int) -> int:
        """Position of the tokens behind a node."""
        return len(self.text) + self.tree.depths[node]

    def is_open(self, node: int) -> bool:
        """Whether a node is worth children and may have some."""
        return self.tree.values[node] > self.least_value and self.tree.depths[node] < self.depth_limit

    def open_nodes(self) -> list[int]:
        """All nodes that are open."""
        return [node for node in range(len(self.tree)) if self.is_open(node)]

    def add(self, parent: int, token: int, claim: Claim, estimate: float) -> int:
        """Append a node; `estimate` is its chance once its parent is reached."""
        origin = Origin.DRAFT if claim.evidence is Evidence.DRAFT else Origin.NGRAM
        node = self.tree.add(token, parent, origin, self.tree.values[parent] * estimate)
        self.claims.append(claim)
        self.known.append({})
        self.known[parent][token] = node
        return node


class Drafter:
    """Proposes trees for one request: `grow`, then `commit` what was accepted."""

    def __init__(
        self,
        config: DecodingConfig,
        draft: Runner | None,
        ngram: NgramDraft | None,
        planner: Planner,
        acceptance: AcceptanceModel,
        sampler: Sampler,
        recorder: Recorder,
    ) -> None:
        mode = config.mode
        self._draft = draft if mode.uses_draft else None
        self._ngram = ngram if mode.uses_ngram and (config.use_ngram or mode is DecodingMode.NGRAM) else None
        self._breadth = 1 if mode is DecodingMode.SPECULATIVE else BREADTH
        self._pass_sizes = PASS_SIZES[:1] if mode is DecodingMode.SPECULATIVE else PASS_SIZES
        self._planner = planner
        self._acceptance = acceptance
        self._sampler = sampler
        self._recorder = recorder
        most = planner.target.widths[-1]  # a wider pass was not worth measuring
        self._max_nodes = min(most, config.max_tree_nodes or most)
        self._can_draft = self._max_nodes > 1 and (self._draft is not None or self._ngram is not None)
        self._ngram_trust = 1.0 if sampler.is_greedy else SAMPLED_TRUST
        self._growth: _Growth | None = None
        self._kept: list[int] = [0]
        self.has_drafted = False
        self.record_key = f"{mode} {'greedy' if sampler.is_greedy else 'sampled'}"

    def prefill(self, text: Sequence[int], cancelled: Callable[[], bool]) -> bool:
        """Let the draft read a prompt but for its last token; False where that was cancelled. Raises DraftingFailed."""
        draft = self._draft
        if draft is None or not self._can_draft or len(text) >= draft.model.config.n_positions:
            return True
        with self._reporting_failure(draft):
            return draft.prefill(text[draft.length : -1], cancelled)

    def grow(self, text: Sequence[int], depth_limit: int) -> TokenTree:
        """A tree under the last token of `text`, at most `depth_limit` deep, pruned to what is worth its rows.

        Raises DraftingFailed where the draft model broke.
        """
        self.has_drafted = self._can_draft and depth_limit > 0 and self._planner.should_draft(self.record_key)
        least_value = self._planner.least_value if self.has_drafted else 1.0
        self._growth = growth = _Growth(TokenTree.rooted(text[-1]), text, depth_limit, least_value)
        self._kept = [0]
        if not self.has_drafted:
            return growth.tree
        self._ask_ngrams(growth)
        if self._draft is not None and len(text) < self._draft.model.config.n_positions:
            with self._reporting_failure(self._draft):
                self._grow_with_draft(growth, self._draft)
        self._kept = self._planner.best_rows(growth.tree, self._max_nodes)
        tree = growth.tree.pruned(self._kept)
        self._recorder.proposed(tree.origins[1:])
        return tree

    def commit(self, walk: Walk, emitted: int) -> None:
        """Learn from the walk through the tree of the last `grow`; keep the draft's rows for `emitted` tokens of it."""
        growth = self._growth
        assert growth is not None, "commit follows grow"
        path = [self._kept[row] for row in walk.path]
        for node in self._kept[1:]:
            if growth.tree.parents[node] in path:  # every kept child of a reached node was a trial
                self._acceptance.observe(growth.claims[node], node in path)
        if self._draft is not None and growth.pending:
            rows, tokens = list(range(len(growth.pending))), list(growth.pending)
            for node in path[1:emitted]:
                if node not in growth.rows:
                    break
                rows.append(growth.rows[node])
                tokens.append(growth.tree.tokens[node])
            self._draft.commit(rows, tokens)
        self._growth = None

    def _grow_with_draft(self, growth: _Growth, draft: Runner) -> None:
        draft.rollback()
        growth.pending = list(growth.text[draft.length :])
        first = True
        while nodes := self._nodes_for_pass(growth, draft, first):
            self._draft_pass(growth, draft, nodes, first)
            self._ask_ngrams(growth)
            first = False
        if first:
            growth.pending.clear()
            self._acceptance.forget()

    @contextmanager
    def _reporting_failure(self, draft: Runner) -> Iterator[None]:
        """The draft model may break where the target would not; then plain decoding still can go on."""
        try:
            yield
        except RuntimeError as error:
            draft.reset()
            self._growth = None
            reason = str(error).split("\n")[0]
            raise DraftingFailed(f"the draft model failed ({reason}); choose plain mode to go on") from error

    def _nodes_for_pass(self, growth: _Growth, draft: Runner, first: bool) -> list[int]:
        """The nodes that the next draft pass should score, in the order of rows; none where no pass would pay."""
        tree = growth.tree
        deepest = draft.model.config.n_positions - len(growth.text)  # a draft may have fewer positions than the target
        unscored = [node for node in growth.open_nodes() if node not in growth.rows and tree.depths[node] <= deepest]
        # Values fall along every path, so a node comes after its parent.
        unscored.sort(key=lambda node: (-tree.values[node], node))
        if first and unscored[:1] != [0]:
            return []
        rows_left = MAX_ROWS - CATCH_UP - draft.cache.scratch
        best: list[int] = []
        best_gain = 0.0
        for count in [count for count in self._pass_sizes if count <= min(len(unscored), rows_left)]:
            added = self._expected_children(growth, unscored[:count])
            gain = self._planner.gain_of_pass(tree.values, added, count, self._max_nodes)
            if gain > best_gain:
                best, best_gain = unscored[:count], gain
        return best

    def _expected_children(self, growth: _Growth, nodes: list[int]) -> list[float]:
        """Values of the children that the draft will add to nodes, beside those that n-grams gave them."""
        values = growth.tree.values
        free = [values[node] - sum(values[child] for child in growth.known[node].values()) for node in nodes]
        return [max(0.0, value) * chance for value in free for chance in self._acceptance.by_rank[: self._breadth]]

    def _draft_pass(self, growth: _Growth, draft: Runner, nodes: list[int], first: bool) -> None:
        """Score nodes in one pass, the first one with what the draft has not seen of the text, and use the scores."""
        tokens, parents = self._unseen(growth, draft) if first else ([], [])
        start = draft.cache.scratch
        if first:
            growth.rows[0] = len(tokens) - 1
            nodes = nodes[1:]
        for node in nodes:
            growth.rows[node] = start + len(tokens)
            tokens.append(growth.tree.tokens[node])
            parents.append(growth.rows[growth.tree.parents[node]])
        with self._recorder.draft_pass(len(tokens), self._planner.draft):
            logits = draft.extend(tokens, parents)
            with self._recorder.phase("planner"):
                self._use_scores(growth, [0, *nodes] if first else nodes, logits, start)

    def _unseen(self, growth: _Growth, draft: Runner) -> tuple[list[int], list[int]]:
        """The committed tokens that the draft has not seen, as a chain that ends in the root."""
        if len(growth.pending) > CATCH_UP:
            with self._recorder.phase("draft"):
                draft.prefill(growth.pending[:-1])
            growth.pending = growth.pending[-1:]
        return list(growth.pending), list(range(-1, len(growth.pending) - 1))

    def _use_scores(self, growth: _Growth, nodes: list[int], logits: torch.Tensor, start: int) -> None:
        """Give scored nodes the draft's children, and judge anew what n-grams had hung there."""
        rows = logits[[growth.rows[node] - start for node in nodes]]
        positions = [growth.position(node) for node in nodes]
        branches = [growth.tree.branch(node) for node in nodes]
        for node, choices in zip(nodes, self._sampler.propose(rows, positions, branches, self._breadth), strict=True):
            guessed = dict(growth.known[node])
            for rank, (token, share) in enumerate(choices):
                if (child := guessed.pop(token, None)) is not None:
                    claim = Claim(Evidence.BOTH, share, max(share, growth.claims[child].prior))
                    growth.claims[child] = claim
                else:
                    claim = Claim(Evidence.DRAFT, share, share)
                    growth.add(node, token, claim, self._acceptance.estimate(claim))
                self._acceptance.saw_rank(rank, self._acceptance.estimate(claim))
            for child in guessed.values():
                share = growth.claims[child].share
                growth.claims[child] = Claim(Evidence.PASSED_OVER, share, DOUBTED * share)
        self._revalue(growth)

    def _revalue(self, growth: _Growth) -> None:
        tree = growth.tree
        for node in range(1, len(tree)):
            tree.values[node] = tree.values[tree.parents[node]] * self._acceptance.estimate(growth.claims[node])

    def _ask_ngrams(self, growth: _Growth) -> None:
        """Hang below open nodes what n-grams expect there: rows that cost no draft pass."""
        if self._ngram is None:
            return
        tree = growth.tree
        queue = [(-tree.values[node], node) for node in growth.open_nodes() if node not in growth.asked]
        heapify(queue)
        with self._recorder.phase("ngram"):
            while queue and len(tree) < 2 * self._max_nodes:
                _, node = heappop(queue)
                growth.asked.add(node)
                evidence = Evidence.PASSED_OVER if node in growth.rows else Evidence.NGRAM
                for token, share in self._ngram_proposals(growth, node, self._ngram):
                    if token in growth.known[node]:
                        continue
                    claim = Claim(evidence, share, self._ngram_trust * share)
                    child = growth.add(node, token, claim, self._acceptance.estimate(claim))
                    if growth.is_open(child):
                        heappush(queue, (-tree.values[child], child))

    def _ngram_proposals(self, growth: _Growth, node: int, ngram: NgramDraft) -> Proposals:
        """The tokens that n-grams make most likely behind a node, best first."""
        asked = self._breadth if self._sampler.is_greedy else NOISY_CANDIDATES
        proposals = ngram.propose(growth.context(node), asked)
        return self._sampler.coupled(proposals, growth.position(node))[: self._breadth]

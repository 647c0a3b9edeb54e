"""Grows the tree of a round. One drafter serves all modes: with a draft model, n-grams, both, or neither.

Stage 1: the draft model expands the most promising leaves, one batched pass per level. Stage 2: n-grams run ahead of
it. Their guesses join each draft pass as extra rows; where the draft's own choice at a leaf is the guessed token, that
token's scores are there already and the tree deepens without another pass. Guesses that the draft does not share are
dropped. At the end n-grams extend the leaves too, at no cost but a row of the target's pass.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from engine.token_tree import TokenTree
from engine.verifier import Walk

BREADTH = 4
"""Children of a node, and leaves that one draft pass expands, at most."""
CONTEXT = max(order for order, _ in CONVERSATION_ORDERS)
LOOKAHEAD = 3
"""Tokens that n-grams run ahead of the draft."""
CATCH_UP = 24
"""Committed tokens that a draft pass may carry along; more are prefilled."""


NOISY_CANDIDATES = 8
"""N-gram continuations among which the noise decides when sampling."""
LEAST_VALUE = 0.02
"""Nodes that are reached less often than this are not worth a query."""


@dataclass(slots=True)
class _Growth:
    """A tree under construction, with what is needed to commit it to the draft's cache and to learn from it.

    claims          per node: why it is there
    rows            node -> scratch row of the draft's cache that holds it
    guesses         (scratch row, token) -> scratch row of an n-gram guess behind it, and the guess's probability
    pending         committed tokens that the draft's first pass carried along, the root last
    """

    tree: TokenTree
    text: Sequence[int]
    depth_limit: int
    claims: list[Claim] = field(default_factory=lambda: [Claim(Evidence.DRAFT, 1.0, 1.0)])
    rows: dict[int, int] = field(default_factory=dict)
    guesses: dict[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
    pending: list[int] = field(default_factory=list)

    def context(self, node: int) -> list[int]:
        """The last tokens up to a node, itself included: as many as n-grams look at."""
        return [*self.text[-CONTEXT:], *self.tree.branch(node)][-CONTEXT:]

    def leaves(self) -> list[int]:
        """Nodes without children that may have some, the most valuable first."""
        tree = self.tree
        inner = set(tree.parents)
        open_ends = [node for node in range(len(tree)) if node not in inner and tree.depths[node] < self.depth_limit]
        return sorted(open_ends, key=lambda node: -tree.values[node])


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
        max_nodes: int,
    ) -> None:
        mode = config.mode
        self._draft = draft if mode.uses_draft else None
        self._ngram = ngram if mode.uses_ngram and (config.use_ngram or mode is DecodingMode.NGRAM) else None
        self._breadth = 1 if mode is DecodingMode.SPECULATIVE else BREADTH
        self._planner = planner
        self._acceptance = acceptance
        self._sampler = sampler
        self._recorder = recorder
        most = planner.target.widths[-1]  # a wider pass was not worth measuring
        self._max_nodes = min(max_nodes, most, config.max_tree_nodes or most)
        self._can_draft = self._max_nodes > 1 and (self._draft is not None or self._ngram is not None)
        self._growth: _Growth | None = None
        self._kept: list[int] = [0]
        self.has_drafted = False
        self.record_key = f"{mode} {'greedy' if sampler.is_greedy else 'sampled'}"

    def grow(self, text: Sequence[int], depth_limit: int) -> TokenTree:
        """A tree under the last token of `text`, at most `depth_limit` deep, pruned to what is worth its rows.

        Raises DraftingFailed where the draft model broke.
        """
        self._growth = growth = _Growth(TokenTree.rooted(text[-1]), text, depth_limit)
        self._kept = [0]
        self.has_drafted = self._can_draft and depth_limit > 0 and self._planner.should_draft(self.record_key)
        if not self.has_drafted:
            return growth.tree
        if self._draft is not None and self._first_pass_pays(growth, self._draft):
            self._grow_with_draft(growth, self._draft)
        if self._ngram is not None:
            self._grow_with_ngram(growth, self._ngram)
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

    def _first_pass_pays(self, growth: _Growth, draft: Runner) -> bool:
        if len(growth.text) >= draft.model.config.n_positions:
            return False
        by_rank = self._acceptance.by_rank[: self._breadth]
        pays = self._planner.pass_pays(growth.tree, [0], by_rank, 1, self._max_nodes)
        if not pays:
            self._acceptance.forget()
        return pays

    def _grow_with_draft(self, growth: _Growth, draft: Runner) -> None:
        try:
            tokens, parents = self._first_pass(growth, draft)
            frontier = [0]
            while frontier:
                if self._ngram is not None:
                    self._guess(growth, frontier, self._ngram, tokens, parents, draft.cache.scratch)
                first = draft.cache.scratch
                with self._recorder.draft_pass(len(tokens), self._planner.draft):
                    logits = draft.extend(tokens, parents)
                self._expand(growth, frontier, logits, first)
                frontier = self._next_frontier(growth, draft)
                tokens, parents = [], []
                for node in frontier:
                    growth.rows[node] = draft.cache.scratch + len(tokens)
                    tokens.append(growth.tree.tokens[node])
                    parents.append(growth.rows[growth.tree.parents[node]])
        except RuntimeError as error:
            draft.reset()
            growth.pending.clear()
            raise DraftingFailed(f"the draft model failed ({error}); choose plain mode to go on") from error

    def _first_pass(self, growth: _Growth, draft: Runner) -> tuple[list[int], list[int]]:
        """What the draft has not seen of the text, as a chain that ends in the root."""
        draft.rollback()
        unseen = growth.text[draft.length :]
        if len(unseen) > CATCH_UP:
            with self._recorder.phase("draft"):
                draft.prefill(unseen[:-1])
            unseen = unseen[-1:]
        growth.pending = list(unseen)
        growth.rows[0] = len(unseen) - 1
        return list(unseen), list(range(-1, len(unseen) - 1))

    def _guess(
        self, growth: _Growth, frontier: list[int], ngram: NgramDraft, tokens: list[int], parents: list[int], first: int
    ) -> None:
        """Append rows for what n-grams expect behind the frontier's best node, as a chain."""
        node = frontier[0]
        row, context = growth.rows[node], growth.context(node)
        with self._recorder.phase("ngram"):
            start = growth.tree.depths[node]
            for depth in range(start, min(start + LOOKAHEAD, growth.depth_limit - 1)):
                best = self._ngram_proposals(ngram, context, len(growth.text) + depth, 1)
                if not best or first + len(tokens) >= MAX_ROWS:
                    return
                token, probability = best[0]
                growth.guesses[row, token] = (first + len(tokens), probability)
                tokens.append(token)
                parents.append(row)
                row, context = first + len(tokens) - 1, [*context[1:], token]

    def _expand(self, growth: _Growth, frontier: list[int], logits: torch.Tensor, first: int) -> None:
        """Give the frontier its children, and the children that were guessed theirs, from one pass's logits."""
        tree, open_nodes = growth.tree, list(frontier)
        while open_nodes:
            node = open_nodes.pop()
            if tree.depths[node] >= growth.depth_limit:
                continue
            row, position = growth.rows[node], len(growth.text) + tree.depths[node]
            choices = self._sampler.propose(logits[row - first], position, tree.branch(node), self._breadth)
            for rank, (token, share) in enumerate(choices):
                guess = growth.guesses.get((row, token))
                if guess is None:
                    child = self._add(growth, node, token, Claim(Evidence.DRAFT, share, share))
                else:
                    guess_row, probability = guess
                    child = self._add(growth, node, token, Claim(Evidence.BOTH, share, max(share, probability)))
                    growth.rows[child] = guess_row
                    open_nodes.append(child)
                self._acceptance.saw_rank(rank, tree.values[child] / tree.values[node])

    def _next_frontier(self, growth: _Growth, draft: Runner) -> list[int]:
        """The leaves that the next draft pass should expand; none where it would not pay."""
        rows_left = MAX_ROWS - draft.cache.scratch
        frontier = growth.leaves()[: min(self._breadth, rows_left)]
        frontier = [node for node in frontier if growth.tree.values[node] > LEAST_VALUE]
        # The rows before the root sit at the draft's last positions too: it may have fewer than the target.
        if not frontier or len(growth.text) + 1 + max(growth.tree.depths) >= draft.model.config.n_positions:
            return []
        by_rank = self._acceptance.by_rank[: self._breadth]
        pays = self._planner.pass_pays(growth.tree, frontier, by_rank, len(frontier), self._max_nodes)
        return frontier if pays else []

    def _grow_with_ngram(self, growth: _Growth, ngram: NgramDraft) -> None:
        """Add what n-grams alone expect and the draft did not: rows that cost no draft pass."""
        tree, known = growth.tree, [set(children) for children in growth.tree.children()]
        queue = [(-value, node) for node, value in enumerate(tree.values) if tree.depths[node] < growth.depth_limit]
        heapify(queue)
        with self._recorder.phase("ngram"):
            while queue and len(tree) < 2 * self._max_nodes:
                value, node = heappop(queue)
                if -value < LEAST_VALUE:
                    break
                position = len(growth.text) + tree.depths[node]
                for token, share in self._ngram_proposals(ngram, growth.context(node), position, self._breadth):
                    if token in known[node]:
                        continue
                    child = self._add(growth, node, token, Claim(Evidence.NGRAM, share, share))
                    known.append(set())
                    if tree.depths[child] < growth.depth_limit:
                        heappush(queue, (-tree.values[child], child))

    def _ngram_proposals(
        self, ngram: NgramDraft, context: list[int], position: int, count: int
    ) -> list[tuple[int, float]]:
        """The `count` tokens that n-grams make most likely at `position`, best first."""
        asked = count if self._sampler.is_greedy else NOISY_CANDIDATES
        return self._sampler.coupled(ngram.propose(context, asked), position)[:count]

    def _add(self, growth: _Growth, parent: int, token: int, claim: Claim) -> int:
        growth.claims.append(claim)
        origin = Origin.DRAFT if claim.evidence is Evidence.DRAFT else Origin.NGRAM
        value = growth.tree.values[parent] * self._acceptance.estimate(claim)
        return growth.tree.add(token, parent, origin, value)

"""A speculative batch: a tree of tokens in flat arrays, parents before children, first the root (the last token)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.events import Origin

Proposals = list[tuple[int, float]]
"""What may follow a node: (token, estimated chance), best first."""


@dataclass(slots=True)
class TokenTree:
    """tokens, parents (row numbers, -1 for the root), depths, origins; `values` is the estimated chance that the
    target's own choices reach the node, 1 for the root."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @classmethod
    def rooted(cls, token: int) -> TokenTree:
        """The tree of plain decoding: the root alone."""
        return cls([token], [-1], [0], [Origin.TARGET], [1.0])

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, token: int, parent: int, origin: Origin, value: float) -> int:
        """Append a node; returns its row."""
        self.tokens.append(token)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1)
        self.origins.append(origin)
        self.values.append(value)
        return len(self.tokens) - 1

    def branch(self, node: int, most: int | None = None) -> list[int]:
        """Tokens from below the root down to `node`, itself included; the last `most` of them."""
        tokens: list[int] = []
        while node > 0 and len(tokens) != most:
            tokens.append(self.tokens[node])
            node = self.parents[node]
        return tokens[::-1]

    def children(self) -> list[dict[int, int]]:
        """For every row: token -> row of the child that holds it."""
        children: list[dict[int, int]] = [{} for _ in self.tokens]
        for row in range(1, len(self.tokens)):
            children[self.parents[row]][self.tokens[row]] = row
        return children

    def pruned(self, keep: list[int]) -> TokenTree:
        """The tree of the rows in `keep`, ascending and closed under parents."""
        new_row = {old: new for new, old in enumerate(keep)}
        return TokenTree(
            [self.tokens[row] for row in keep],
            [new_row.get(self.parents[row], -1) for row in keep],
            [self.depths[row] for row in keep],
            [self.origins[row] for row in keep],
            [self.values[row] for row in keep],
        )

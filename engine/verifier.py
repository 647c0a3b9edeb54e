"""The rule that keeps every mode lossless: the target's own choice, and nothing else, is what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Walk:
    """The accepted path through a tree.

    path    rows from the root to the last accepted node
    tokens  what is emitted: the accepted nodes' tokens and one bonus token behind them, so len(path) of them
    """

    path: tuple[int, ...]
    tokens: tuple[int, ...]


def walk(children: Sequence[dict[int, int]], choose: Callable[[int], int]) -> Walk:
    """Follow the target's choices from the root while the tree holds them.

    children  for every row: token -> row of the child that holds it
    choose    row -> the target's token behind it; asked only for rows on the path
    """
    path, tokens = [0], []
    while True:
        token = choose(path[-1])
        tokens.append(token)
        child = children[path[-1]].get(token)
        if child is None:
            return Walk(tuple(path), tuple(tokens))
        path.append(child)

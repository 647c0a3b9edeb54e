"""The walk, against its definition: what comes out is the target's own text, whatever the tree."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.events import Origin
from engine.token_tree import TokenTree
from engine.verifier import walk

VOCAB = 4


def random_tree(draw: st.DrawFn) -> TokenTree:
    """A tree whose siblings differ, as drafters make them."""
    tree = TokenTree.rooted(draw(st.integers(0, VOCAB - 1)))
    for _ in range(draw(st.integers(0, 20))):
        parent = draw(st.integers(0, len(tree) - 1))
        token = draw(st.integers(0, VOCAB - 1))
        if token not in tree.children()[parent]:
            tree.add(token, parent, Origin.DRAFT, 0.5)
    return tree


trees = st.composite(random_tree)


@given(trees(), st.integers(0, 2**32))
def test_tokens_are_the_targets_text(tree: TokenTree, seed: int) -> None:
    """The target as a function of the branch: any text it has, the walk emits a beginning of it."""

    def target(branch: tuple[int, ...]) -> int:
        return hash((seed, branch)) % VOCAB

    found = walk(tree.children(), lambda row: target(tuple(tree.branch(row))))
    text: tuple[int, ...] = ()
    for token in found.tokens:
        assert token == target(text)
        text += (token,)
    assert len(found.tokens) == len(found.path)
    assert list(found.tokens[:-1]) == tree.branch(found.path[-1]), "the path holds all tokens but the bonus"
    assert found.tokens[-1] not in tree.children()[found.path[-1]], "it goes as deep as the tree agrees"


def test_every_choice_of_the_target_on_every_small_tree() -> None:
    """All trees of three nodes over two tokens, and all functions from rows to tokens."""
    shapes = [[-1, 0, 0], [-1, 0, 1]]
    for parents, tokens in itertools.product(shapes, itertools.product((0, 1), repeat=2)):
        if parents == [-1, 0, 0] and tokens[0] == tokens[1]:
            continue
        children: list[dict[int, int]] = [{}, {}, {}]
        for row, token in enumerate(tokens, start=1):
            children[parents[row]][token] = row
        for choices in itertools.product((0, 1), repeat=3):
            found = walk(children, choices.__getitem__)
            assert found.tokens == tuple(choices[row] for row in found.path)
            assert all(parents[row] == before for before, row in itertools.pairwise(found.path))


def test_rows_off_the_path_are_not_asked() -> None:
    asked: list[int] = []

    def choose(row: int) -> int:
        asked.append(row)
        return 7

    walk([{7: 2, 8: 1}, {7: 3}, {}, {}], choose)
    assert asked == [0, 2]

"""Flat arrays that are a tree."""

from hypothesis import given
from hypothesis import strategies as st

from engine.events import Origin
from engine.token_tree import TokenTree
from tests.engine.test_verifier import trees


@given(trees())
def test_depth_branch_and_children_agree(tree: TokenTree) -> None:
    children = tree.children()
    for row in range(1, len(tree)):
        parent = tree.parents[row]
        assert parent < row
        assert tree.depths[row] == tree.depths[parent] + 1 == len(tree.branch(row))
        assert tree.branch(row) == [*tree.branch(parent), tree.tokens[row]]
        assert children[parent][tree.tokens[row]] == row
    assert sum(map(len, children)) == len(tree) - 1
    assert tree.branch(0) == []


@given(trees(), st.data())
def test_pruned_trees_keep_branches_and_facts(tree: TokenTree, data: st.DataObject) -> None:
    keep = [0]
    for row in range(1, len(tree)):
        if tree.parents[row] in keep and data.draw(st.booleans()):
            keep.append(row)
    pruned = tree.pruned(keep)
    assert [pruned.branch(row) for row in range(len(pruned))] == [tree.branch(row) for row in keep]
    assert pruned.depths == [tree.depths[row] for row in keep]
    assert pruned.parents[0] == -1


def test_origins_and_values_stay_with_their_nodes() -> None:
    tree = TokenTree.rooted(1)
    tree.add(2, 0, Origin.DRAFT, 0.5)
    tree.add(3, 0, Origin.NGRAM, 0.4)
    tree.add(4, 2, Origin.NGRAM, 0.3)
    pruned = tree.pruned([0, 2, 3])
    assert pruned.origins == [Origin.TARGET, Origin.NGRAM, Origin.NGRAM]
    assert pruned.values == [1.0, 0.4, 0.3]
    assert pruned.parents == [-1, 0, 1]

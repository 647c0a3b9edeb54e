"""Katz's table, what is wrong with a table, and the n-grams of the conversation."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CheckpointError, IncompatibleDraft
from engine.ngram import CONVERSATION_ORDERS, ConversationNgrams, KatzTable, NgramDraft
from tests.engine.support import BUILTIN, katz_arrays

VOCAB = 10


def table(**changes: np.ndarray) -> KatzTable:
    arrays = {
        "tri_context": np.array([23, 23, 45], np.int32),
        "tri_next": np.array([7, 8, 1], np.uint16),
        "tri_prob": np.array([0.5, 0.25, 0.75], np.float16),
        "bi_context": np.array([3, 3, 3, 5], np.uint16),
        "bi_next": np.array([8, 9, 1, 2], np.uint16),
        "bi_prob": np.array([0.5, 0.25, 0.125, 0.5], np.float16),
    }
    return KatzTable(VOCAB, arrays | changes)


def test_seen_pairs_propose_what_followed_them() -> None:
    assert table().propose([0, 2, 3], 2) == [(7, 0.5), (8, 0.25)]
    assert table().propose([2, 3], 1) == [(7, 0.5)]


def test_what_the_discount_left_is_shared_as_the_last_token_says() -> None:
    """Katz (1987), equation 6: the bigrams of unseen tokens, scaled so that all probabilities sum to 1."""
    found = table().propose([2, 3], 4)
    assert [token for token, _ in found] == [7, 8, 9, 1]
    left, unseen = 1 - 0.75, 1 - 0.5  # 8 was seen behind (2, 3), and has 0.5 of the bigrams
    assert [chance for _, chance in found] == pytest.approx([0.5, 0.25, left * 0.25 / unseen, left * 0.125 / unseen])


def test_unseen_pairs_back_off() -> None:
    assert table().propose([9, 3], 2) == [(8, 0.5), (9, 0.25)]
    assert table().propose([3], 2) == [(8, 0.5), (9, 0.25)], "a text of one token"
    assert table().propose([9, 9], 3) == []
    assert table().propose([], 3) == []


def test_builtin_table_gives_probabilities_best_first() -> None:
    loaded = KatzTable.load(BUILTIN / "ngram.npz", 8192)
    rng = np.random.default_rng(0)
    for context in rng.integers(0, 8192, (200, 2)).tolist():
        found = loaded.propose(context, 4)
        assert len({token for token, _ in found}) == len(found) <= 4
        assert sum(chance for _, chance in found) <= 1 + 1e-2
        assert all(0 <= chance <= 1 for _, chance in found)


def save(path: Path, **changes: object) -> Path:
    np.savez_compressed(path, **(katz_arrays(VOCAB) | changes))
    return path


def test_a_table_survives_the_disk(tmp_path: Path) -> None:
    loaded = KatzTable.load(save(tmp_path / "t.npz"), VOCAB)
    assert loaded.propose([2, 3], 4) == KatzTable(VOCAB, katz_arrays(VOCAB)).propose([2, 3], 4) != []


@pytest.mark.parametrize(
    "changes",
    [
        {"tri_context": np.array([5, 3, 1])},
        {"tri_next": np.zeros(3, int)},
        {"bi_context": np.arange(20)[::-1] // 2},
        {"bi_prob": np.full(20, np.nan)},
        {"bi_prob": np.full(20, 1.5)},
        {"tri_prob": np.zeros(3)},
        {"bi_prob": np.full(20, -0.1)},
        {"bi_next": np.full(20, -1)},
        {"bi_next": np.array(["a"] * 20)},
        {"bi_context": np.zeros((20, 2), int)},
        {"tri_context": np.full(100, -4)},
        {"bi_context": np.full(20, np.nan)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_damaged_tables(tmp_path: Path, changes: dict[str, np.ndarray]) -> None:
    with pytest.raises(CheckpointError, match=r"t\.npz"):
        KatzTable.load(save(tmp_path / "t.npz", **changes), VOCAB)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    file = tmp_path / "t.npz"
    whole = save(file).read_bytes()
    flipped = bytearray(whole)
    for at in range(60, len(flipped) - 400, 97):
        flipped[at] ^= 0xFF
    for content in (b"", b"text", whole[:50], whole[:-40], whole[: len(whole) // 2], bytes(flipped)):
        file.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"t\.npz.*table") as caught:
            KatzTable.load(file, VOCAB)
        assert "\n" not in str(caught.value)
    np.savez(file, other=np.zeros(3))
    with pytest.raises(CheckpointError):
        KatzTable.load(file, VOCAB)
    with file.open("wb") as stream:
        np.save(stream, np.zeros(3))
    with pytest.raises(CheckpointError):
        KatzTable.load(file, VOCAB)
    with pytest.raises(CheckpointError):
        KatzTable.load(tmp_path / "missing.npz", VOCAB)
    with pytest.raises(CheckpointError):
        KatzTable.load(tmp_path, VOCAB)


def test_objects_in_a_table_are_not_unpickled(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError):
        KatzTable.load(save(tmp_path / "t.npz", tri_next=np.array([{}] * 100, dtype=object)), VOCAB)


def test_tables_of_another_vocabulary(tmp_path: Path) -> None:
    with pytest.raises(IncompatibleDraft, match="10 tokens, the target has 12"):
        KatzTable.load(save(tmp_path / "t.npz"), 12)
    arrays = katz_arrays(VOCAB)
    del arrays["vocab_size"]
    np.savez(tmp_path / "old.npz", **arrays)
    with pytest.raises(IncompatibleDraft):
        KatzTable.load(tmp_path / "old.npz", 8)


def last_followers(text: list[int], order: int) -> dict[tuple[int, ...], int]:
    """The definition: what stood behind the last occurrence of each context that something stands behind."""
    return {tuple(text[end - order : end]): text[end] for end in range(order, len(text))}


@given(st.lists(st.lists(st.integers(0, 2), max_size=12), min_size=1, max_size=5), st.data())
def test_conversation_proposes_what_followed_last_time(turns: list[list[int]], data: st.DataObject) -> None:
    """However the text grew, token by token or by turns, and also when it was cut and written anew."""
    ngrams, text = ConversationNgrams(), [int(token) for token in turns[0]]
    ngrams.follow(text)
    for turn in turns[1:]:
        if data.draw(st.booleans()):
            text = [*text, *turn]
            ngrams.extend(turn)
        else:
            text = [*text[: data.draw(st.integers(0, len(text)))], *turn]
            ngrams.follow(text)
        context = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=6))
        expected = []
        for order, chance in CONVERSATION_ORDERS:
            token = last_followers(text, order).get(tuple(context[-order:])) if len(context) >= order else None
            if token is not None:
                expected = [(token, chance)]
                break
        assert ngrams.propose(context) == expected


def test_conversation_goes_before_the_table_where_it_is_surer() -> None:
    draft = NgramDraft(table())
    draft.conversation.follow([1, 2, 3, 4, 1, 2, 3])
    found = draft.propose([1, 2, 3], 3)
    assert found[0] == (4, 0.6)
    assert [token for token, _ in found[1:]] == [7, 8]
    assert draft.propose([2, 3], 1) == [(7, 0.5)]
    assert NgramDraft(None).propose([1, 2], 4) == []


def test_a_token_is_proposed_once() -> None:
    draft = NgramDraft(table())
    draft.conversation.follow([2, 3, 7, 2, 3])
    found = draft.propose([2, 3], 4)
    assert len({token for token, _ in found}) == len(found)

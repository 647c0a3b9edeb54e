"""The n-gram table against arithmetic by hand, and as the engine reads it."""

from pathlib import Path

import numpy as np
import pytest

from engine.errors import InvalidRequest
from engine.ngram import KatzTable
from engine.training import katz
from engine.training.katz import Rows, count_grams, good_turing_discounts, katz_rows, write_table

VOCABULARY = 10


def pieces(*texts: str) -> list[np.ndarray]:
    return [np.array([int(character) for character in text], np.int64) for text in texts]


def test_counts_do_not_reach_over_the_end_of_a_piece() -> None:
    grams = count_grams(pieces("1212", "1", "21"), VOCABULARY, order=2)
    assert dict(zip(grams.keys.tolist(), grams.counts.tolist(), strict=True)) == {12: 2, 21: 2}


def test_counting_in_parts_is_counting_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pieces(*np.random.default_rng(0).integers(10**8, 10**9, 50).astype(str))
    at_once = count_grams(texts, VOCABULARY, order=3)
    monkeypatch.setattr(katz, "_MERGE_EVERY", 5)
    in_parts = count_grams(texts, VOCABULARY, order=3)
    assert np.array_equal(at_once.keys, in_parts.keys)
    assert np.array_equal(at_once.counts, in_parts.counts)


def test_good_turing_discounts_are_katzs() -> None:
    # n_1 to n_6 as below; d_r = ((r + 1) n_{r+1} / (r n_r) - 6 n_6 / n_1) / (1 - 6 n_6 / n_1)
    n = {1: 600, 2: 200, 3: 100, 4: 60, 5: 40, 6: 25}
    counts = np.repeat(list(n), list(n.values()))
    common = 6 * 25 / 600
    expected = [((r + 1) * n[r + 1] / (r * n[r]) - common) / (1 - common) for r in range(1, 6)]
    assert good_turing_discounts(counts)[1:6] == pytest.approx(expected)
    assert good_turing_discounts(counts)[6] == 1.0


def test_few_counts_are_discounted_by_a_half() -> None:
    assert good_turing_discounts(np.array([1, 2]))[1:3] == pytest.approx([0.5, 0.75])


def test_rows_are_the_likely_continuations_of_each_context() -> None:
    grams = count_grams(pieces("12", "12", "13", "14", "15", "16", "71"), VOCABULARY, order=2)
    rows = katz_rows(grams, VOCABULARY, min_count=1)
    assert rows.contexts.tolist() == [1, 1, 1, 1, 7]
    assert rows.following.tolist() == [2, 3, 4, 5, 1]
    assert (np.diff(rows.probabilities[:4]) <= 0).all()
    assert rows.probabilities[:4].sum() < 1


def test_pruning_keeps_frequent_contexts_and_grams() -> None:
    grams = count_grams(pieces("12", "12", "13", "34", "34", "34", "56"), VOCABULARY, order=2)
    assert katz_rows(grams, VOCABULARY, min_count=2).contexts.tolist() == [1, 3]
    assert set(katz_rows(grams, VOCABULARY, min_count=1, max_contexts=2).contexts.tolist()) == {1, 3}


def test_the_engine_reads_the_table(tmp_path: Path) -> None:
    texts = pieces("123", "123", "124", "523")
    trigrams = katz_rows(count_grams(texts, VOCABULARY, 3), VOCABULARY, min_count=1)
    bigrams = katz_rows(count_grams(texts, VOCABULARY, 2), VOCABULARY, min_count=1)
    write_table(tmp_path / "table.npz", trigrams, bigrams, VOCABULARY)
    table = KatzTable.load(tmp_path / "table.npz", VOCABULARY)
    assert [token for token, _ in table.propose([9, 1, 2], 2)] == [3, 4]
    assert table.propose([9, 9, 2], 1)[0][0] == 3  # the pair was never seen: backs off to the last token


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    nothing = Rows(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    with pytest.raises(InvalidRequest, match="sample more"):
        write_table(tmp_path / "table.npz", nothing, nothing, VOCABULARY)

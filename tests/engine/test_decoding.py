"""The loop and its drafter on a toy family: ends, limits, caches, cancels; every mode gives plain's tokens."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.config import DecodingMode
from engine.drafter import CATCH_UP
from engine.errors import DraftingFailed
from engine.events import Origin, StopReason
from tests.engine.support import DRAFTING_MODES
from tests.engine.toy import POSITIONS, VOCAB, Toy, toy_runner

PROMPT = [1, 4, 2, 1, 4]
WARM = {"temperature": 1.0}
WITH_DRAFT = [mode for mode in DecodingMode if mode.uses_draft]
MODES = pytest.mark.parametrize("mode", DRAFTING_MODES)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    folder = tmp_path_factory.mktemp("toy")
    return Toy(toy_runner(folder / "target", 1), toy_runner(folder / "draft", 1, disturbance=0.4))


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """The draft is the target."""
    folder = tmp_path_factory.mktemp("twins")
    return Toy(toy_runner(folder / "target", 1), toy_runner(folder / "draft", 1))


def prompt_of(length: int) -> list[int]:
    return np.random.default_rng(length).integers(0, VOCAB, length).tolist()


@MODES
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"temperature": 1e-6},
        {"temperature": 1.0},
        {"temperature": 1.3, "top_k": 3, "top_p": 0.9, "repetition_penalty": 1.3},
        {"repetition_penalty": 50.0},
        {"temperature": 1.0, "repetition_penalty": 0.2},
        {"logit_bias": {3: 1e4}},
        {"temperature": 1.0, "logit_bias": {2: 4.0, 0: -1e4}},
    ],
    ids=str,
)
def test_every_mode_gives_plains_tokens(toy: Toy, mode: DecodingMode, params: dict[str, object]) -> None:
    for seed in (0, 1):
        plain = toy.decode(PROMPT, DecodingMode.PLAIN, 24, seed, **params).tokens
        assert toy.decode(PROMPT, mode, 24, seed, **params).tokens == plain
        if params.get("logit_bias") == {3: 1e4}:
            assert plain == [3] * 24
        if params.get("repetition_penalty") == 50.0:
            assert plain != toy.decode(PROMPT, DecodingMode.PLAIN, 24, seed).tokens


def test_seeds_matter(toy: Toy) -> None:
    texts = [toy.decode(PROMPT, DecodingMode.STAGED, 16, seed, **WARM).tokens for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("mode", [DecodingMode.SPECULATIVE, DecodingMode.TREE])
@pytest.mark.parametrize("params", [{}, {"temperature": 1e-6}, WARM, {"temperature": 0.7, "top_k": 3}], ids=str)
def test_a_draft_like_the_target_is_always_right(twins: Toy, mode: DecodingMode, params: dict[str, object]) -> None:
    """Over many rounds: a draft cache that lost a row, or kept one too many, would be wrong sooner or later."""
    found = twins.decode(PROMPT, mode, 60, 3, **params)
    assert found.tokens == twins.decode(PROMPT, DecodingMode.PLAIN, 60, 3, **params).tokens
    for emission in found.rounds[:-1]:
        assert Origin.DRAFT in emission.origins
        assert len(emission.tokens) >= 3, "the first guess was accepted, and its first guess"
    if mode is DecodingMode.SPECULATIVE:
        assert found.statistics.acceptance_rate == 1 or found.statistics.accepted_draft >= (
            found.statistics.proposed_draft - found.rounds[-1].round.tree_size
        )


@pytest.mark.parametrize("mode", WITH_DRAFT)
def test_the_drafts_cache_is_a_beginning_of_the_text_and_nearly_all_of_it(toy: Toy, mode: DecodingMode) -> None:
    draft, lags = toy.draft, []
    assert draft is not None

    def check(text: list[int]) -> None:
        assert draft.tokens == text[: draft.length]
        assert toy.target.tokens == text[:-1]
        assert draft.cache.scratch == toy.target.cache.scratch == 0
        lags.append(len(text) - draft.length)

    toy.decode(PROMPT, mode, 50, 5, after_round=check, **WARM)
    assert min(lags) >= 1, "the last token is the next root"
    assert max(lags) <= CATCH_UP


@pytest.mark.parametrize("mode", WITH_DRAFT)
def test_a_cache_that_grew_by_drafting_scores_like_a_fresh_one(toy: Toy, mode: DecodingMode) -> None:
    found = toy.decode(PROMPT, mode, 40, 6, **WARM)
    text = [*PROMPT, *found.tokens]
    for model in (toy.target, toy.draft):
        assert model is not None
        model.reuse(text, keep=len(text) - 1)
        model.prefill(text[model.length : -1])
        grown = model.extend([text[-1]], [-1])[0]
        model.reset()
        model.prefill(text[:-1])
        assert torch.allclose(grown, model.extend([text[-1]], [-1])[0], atol=1e-4)
        model.reset()


def test_modes_may_alternate_from_answer_to_answer(twins: Toy) -> None:
    """No stale row of one mode harms the next: a draft like the target stays always right."""
    text = list(PROMPT)
    for turn, mode in enumerate([*DecodingMode, *reversed(DecodingMode), DecodingMode.TREE]):
        plain = twins.decode(text, DecodingMode.PLAIN, 5, turn, **WARM).tokens
        found = twins.decode(text, mode, 5, turn, **WARM)
        assert found.tokens == plain
        if mode in (DecodingMode.TREE, DecodingMode.SPECULATIVE):
            assert found.rounds[0].origins[0] is Origin.DRAFT
        text = [*text, *found.tokens, turn % VOCAB]


@MODES
def test_empty_rounds_may_come_between(twins: Toy, mode: DecodingMode, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = twins.decode(PROMPT, DecodingMode.PLAIN, 60, 3, **WARM).tokens
    pattern = itertools.cycle([True, False, False, True, True, False])
    monkeypatch.setattr(type(twins.planner), "should_draft", lambda _self, _key: next(pattern))
    found = twins.decode(PROMPT, mode, 60, 3, **WARM)
    assert found.tokens == plain
    if mode in (DecodingMode.TREE, DecodingMode.SPECULATIVE):
        drafted = [emission for emission in found.rounds[:-1] if emission.round.tree_size > 1]
        assert all(emission.origins[0] is Origin.DRAFT for emission in drafted)


@MODES
def test_exactly_max_new_tokens(toy: Toy, mode: DecodingMode) -> None:
    plain = toy.decode(PROMPT, DecodingMode.PLAIN, 18, 2, **WARM).tokens
    for count in range(1, toy.max_nodes + 3):
        found = toy.decode(PROMPT, mode, count, 2, **WARM)
        assert found.tokens == plain[:count]
        assert found.reason is StopReason.MAX_NEW_TOKENS
        assert found.statistics.new_tokens == count


@MODES
def test_an_end_inside_a_block_ends_there(twins: Toy, mode: DecodingMode) -> None:
    """Tokens behind it are not emitted, counted or cached; and the next answer is right."""
    plain = twins.decode(PROMPT, DecodingMode.PLAIN, 20, 4, **WARM).tokens
    for end in range(1, 12):
        found = twins.decode(
            PROMPT, mode, 20, 4, ends=lambda t, end=end: StopReason.END_OF_TEXT if len(t) == end else None, **WARM
        )
        assert found.tokens == plain[:end]
        assert found.reason is StopReason.END_OF_TEXT
        counted = found.statistics
        assert counted.new_tokens == end == sum(i * n for i, n in enumerate(counted.emitted_histogram))
        assert counted.accepted_draft + counted.accepted_ngram == sum(o is not Origin.TARGET for o in found.origins)
        assert twins.target.tokens == [*PROMPT, *plain[: end - 1]]
        assert twins.draft is not None
        assert twins.draft.length < len(PROMPT) + end
    assert twins.decode(PROMPT, mode, 20, 4, **WARM).tokens == plain


@MODES
@pytest.mark.parametrize("length", [1, POSITIONS - 9, POSITIONS - 2, POSITIONS - 1])
def test_a_full_context_ends_the_answer(toy: Toy, mode: DecodingMode, length: int) -> None:
    prompt = prompt_of(length)
    plain = toy.decode(prompt, DecodingMode.PLAIN, 500, 1, **WARM)
    found = toy.decode(prompt, mode, 500, 1, **WARM)
    assert found.tokens == plain.tokens
    assert len(found.tokens) == POSITIONS - length
    assert found.reason is plain.reason is StopReason.CONTEXT_FULL


@pytest.mark.parametrize("mode", WITH_DRAFT)
@pytest.mark.parametrize("draft_positions", [8, 20, 33])
def test_a_draft_of_a_shorter_context_stops_drafting_and_the_answer_goes_on(
    toy: Toy, tmp_path: Path, mode: DecodingMode, draft_positions: int
) -> None:
    short = Toy(toy.target, toy_runner(tmp_path, 1, n_positions=draft_positions))
    for length in (1, draft_positions - 3, draft_positions - 2, draft_positions - 1, draft_positions, 60):
        prompt = prompt_of(length)
        plain = toy.decode(prompt, DecodingMode.PLAIN, 45, 1, **WARM).tokens
        assert short.decode(prompt, mode, 45, 1, **WARM).tokens == plain


@MODES
def test_without_a_draft_model(toy: Toy, mode: DecodingMode) -> None:
    alone = Toy(toy.target, None)
    found = alone.decode(PROMPT, mode, 20, 1, **WARM)
    assert found.tokens == toy.decode(PROMPT, DecodingMode.PLAIN, 20, 1, **WARM).tokens
    assert found.statistics.draft_passes == 0


@MODES
def test_a_tree_stays_within_its_bound(toy: Toy, mode: DecodingMode) -> None:
    for most in (1, 2, 5):
        small = Toy(toy.target, toy.draft, toy.ngram, max_nodes=most)
        found = small.decode(PROMPT, mode, 20, 1, **WARM)
        assert max(emission.round.tree_size for emission in found.rounds) <= most
        assert found.tokens == toy.decode(PROMPT, DecodingMode.PLAIN, 20, 1, **WARM).tokens


def test_speculative_trees_are_chains(toy: Toy) -> None:
    found = toy.decode(PROMPT, DecodingMode.SPECULATIVE, 40, 1, **WARM)
    counted = found.statistics
    assert counted.proposed_ngram == 0
    assert counted.draft_passes >= counted.proposed_draft, "one pass for each token"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mode=st.sampled_from(DecodingMode), after=st.integers(0, 12), seed=st.integers(0, 3))
def test_cancelled_anywhere_the_next_answer_is_right(toy: Toy, mode: DecodingMode, after: int, seed: int) -> None:
    calls = itertools.count()
    broken = toy.decode(PROMPT, mode, 16, seed, cancelled=lambda: next(calls) >= after, **WARM)
    plain = toy.decode(PROMPT, DecodingMode.PLAIN, 16, seed, **WARM).tokens
    assert broken.tokens == plain[: len(broken.tokens)]
    assert broken.reason in (StopReason.CANCELLED, StopReason.MAX_NEW_TOKENS)
    assert len(broken.rounds) <= after + 1, "within one pass"
    assert toy.decode(PROMPT, mode, 16, seed, **WARM).tokens == plain


def test_a_draft_that_breaks_says_so_and_plain_decoding_goes_on(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = toy.decode(PROMPT, DecodingMode.PLAIN, 12, 1, **WARM).tokens
    assert toy.draft is not None

    def broken(*_: object) -> torch.Tensor:
        raise RuntimeError("out of memory\nand a long trace")

    with monkeypatch.context() as patch:
        patch.setattr(toy.draft, "extend", broken)
        with pytest.raises(DraftingFailed, match="choose plain mode") as caught:
            toy.decode(PROMPT, DecodingMode.TREE, 12, 1, **WARM)
        assert "\n" not in str(caught.value)
        assert toy.decode(PROMPT, DecodingMode.PLAIN, 12, 1, **WARM).tokens == plain
    assert toy.decode(PROMPT, DecodingMode.TREE, 12, 1, **WARM).tokens == plain


@pytest.mark.parametrize("mode", DRAFTING_MODES)
def test_ordered_attention_at_the_edges_of_blocks(tmp_path: Path, mode: DecodingMode) -> None:
    """Trees end where their block of 64 positions ends."""
    toy = Toy(toy_runner(tmp_path / "target", 1, ordered=True), toy_runner(tmp_path / "draft", 1, disturbance=0.4))
    for length in (60, 63, 64, 65, 127):
        prompt = prompt_of(length)
        plain = toy.decode(prompt, DecodingMode.PLAIN, 12, 1, **WARM)
        found = toy.decode(prompt, mode, 12, 1, **WARM)
        assert found.tokens == plain.tokens

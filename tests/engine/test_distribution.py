"""What is sampled follows the target's distribution exactly, in every mode; and the tests can tell when it does not."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy import stats

import engine.decoding
import engine.sampling
from engine.config import DecodingMode, SamplingParams
from engine.noise import gumbel
from engine.sampling import Sampler
from engine.token_tree import TokenTree
from engine.verifier import Walk
from tests.engine.support import CPU
from tests.engine.toy import Toy, next_distribution, toy_runner

PROMPT = [1, 4, 2, 1, 4]
LENGTH = 2
SEEDS = 350
PARAMS = {"temperature": 0.9, "top_k": 4, "top_p": 0.97, "repetition_penalty": 1.3}
TOO_UNLIKELY = 1e-4

Text = tuple[int, ...]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """The draft is a disturbed target: it is right now and then."""
    folder = tmp_path_factory.mktemp("toy")
    return Toy(toy_runner(folder / "target", 1), toy_runner(folder / "draft", 1, disturbance=0.4))


@pytest.fixture(scope="module")
def chances(toy: Toy) -> dict[Text, float]:
    """By enumeration: the probability of every text of `LENGTH` tokens."""

    def following(text: Text) -> Iterator[tuple[int, float]]:
        sampler = Sampler(SamplingParams(**PARAMS), 0, CPU)
        sampler.saw([*PROMPT, *text])
        row = sampler._adjusted(next_distribution(toy.target, [*PROMPT, *text]), [])
        tokens, values = sampler._support(row)
        weights = np.exp(sampler._noisy(tokens[None], values[None], [0]) - gumbel(0, [0], tokens[None]))[0]
        yield from zip(tokens[weights > 0].tolist(), (weights[weights > 0] / weights.sum()).tolist(), strict=True)

    texts: dict[Text, float] = {(): 1.0}
    for _ in range(LENGTH):
        texts = {(*text, token): p * q for text, p in texts.items() for token, q in following(text)}
    assert sum(texts.values()) == pytest.approx(1)
    return texts


def sample(toy: Toy, mode: DecodingMode, seeds: int = SEEDS) -> list[Text]:
    """Texts, and a little more, so that the last of their tokens may be inside a block too."""
    return [tuple(toy.decode(PROMPT, mode, LENGTH + 2, seed, **PARAMS).tokens[:LENGTH]) for seed in range(seeds)]


@pytest.fixture(scope="module", params=DecodingMode)
def texts(toy: Toy, request: pytest.FixtureRequest) -> list[Text]:
    """A sample of each mode."""
    return sample(toy, request.param)


def p_value(texts: list[Text], chances: dict[Text, float]) -> float:
    """Chi-square over all texts; rare ones count together. 0 where something impossible came out."""
    counts = Counter(texts)
    if not counts.keys() <= chances.keys():
        return 0.0
    order = sorted(chances, key=lambda text: -chances[text])
    is_rare = [chances[text] * len(texts) < 5 for text in order]
    first_rare = is_rare.index(True) if any(is_rare) else len(order)
    bins = [[text] for text in order[: first_rare - 1]] + [order[first_rare - 1 :]]
    observed = [sum(counts[text] for text in each) for each in bins]
    expected = [sum(chances[text] for text in each) * len(texts) for each in bins]
    return float(stats.chisquare(observed, expected).pvalue)


def test_every_mode_samples_the_targets_distribution(texts: list[Text], chances: dict[Text, float]) -> None:
    assert p_value(texts, chances) > TOO_UNLIKELY


def test_each_position_has_its_marginals_under_shared_noise(texts: list[Text], chances: dict[Text, float]) -> None:
    for position in range(LENGTH):
        exact: dict[Text, float] = Counter()
        for text, p in chances.items():
            exact[text[position],] += p
        assert p_value([(text[position],) for text in texts], exact) > TOO_UNLIKELY


def test_drafts_were_at_work(toy: Toy) -> None:
    """Otherwise the tests above would show nothing."""
    for mode in DecodingMode:
        runs = [toy.decode(PROMPT, mode, 6, seed, **PARAMS).statistics for seed in range(40)]
        accepted = sum(run.accepted_draft + run.accepted_ngram for run in runs)
        proposed = sum(run.proposed_draft + run.proposed_ngram for run in runs)
        assert (proposed > 50) == (accepted > 15) == (mode is not DecodingMode.PLAIN)
        assert accepted < proposed or mode is DecodingMode.PLAIN


def take_the_draft(children: list[dict[int, int]], choose: Callable[[int], int]) -> Walk:
    """The wrong rule: what was drafted first is believed."""
    token = next(iter(children[0]), None)
    if token is None:
        return Walk((0,), (choose(0),))
    return Walk((0, children[0][token]), (token, choose(children[0][token])))


def noise_of_one_position(
    seed: int, positions: Sequence[int], tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The wrong noise: the same at all positions."""
    return gumbel(seed, [0] * len(positions), tokens)


def any_child(children: list[dict[int, int]], choose: Callable[[int], int]) -> Walk:
    """The wrong rule: a second chance where the target's choice is not in the tree."""
    token = choose(0)
    if token in children[0] or not children[0]:
        child = children[0].get(token)
        return Walk((0,), (token,)) if child is None else Walk((0, child), (token, choose(child)))
    return take_the_draft(children, choose)


@pytest.mark.parametrize("rule", [take_the_draft, any_child])
def test_a_wrong_rule_is_noticed(
    toy: Toy, chances: dict[Text, float], rule: Callable[..., Walk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.decoding, "walk", rule)
    assert p_value(sample(toy, DecodingMode.TREE), chances) < TOO_UNLIKELY


def test_noise_of_a_wrong_position_is_noticed(
    toy: Toy, chances: dict[Text, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.sampling, "gumbel", noise_of_one_position)
    assert p_value(sample(toy, DecodingMode.PLAIN), chances) < TOO_UNLIKELY


def test_rows_of_a_tree_that_take_their_number_for_their_depth_are_noticed(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = sample(toy, DecodingMode.PLAIN, 60)

    def chooser(self: Sampler, logits: torch.Tensor, tree: TokenTree, length: int) -> Callable[[int], int]:
        return lambda row: self.choose(logits[row], length + row, tree.branch(row))

    monkeypatch.setattr(Sampler, "chooser", chooser)
    assert sample(toy, DecodingMode.TREE, 60) != plain

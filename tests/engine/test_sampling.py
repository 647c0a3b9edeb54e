"""From logits to a token: transformers' processors, the support, ties, and extremes of temperature."""

import itertools

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from engine.config import SamplingParams
from engine.events import Origin
from engine.noise import gumbel
from engine.sampling import Sampler
from engine.token_tree import TokenTree
from tests.engine.support import CPU

VOCAB = 200


def sampler(seed: int = 0, seen: list[int] | None = None, **params: object) -> Sampler:
    made = Sampler(SamplingParams(**params), seed, CPU)  # type: ignore[arg-type]
    made.saw(seen or [])
    return made


def logits(seed: int = 0, size: int = VOCAB, scale: float = 3.0) -> torch.Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(seed)) * scale


def theirs(row: torch.Tensor, params: SamplingParams, seen: list[int]) -> torch.Tensor:
    """What transformers makes of the same row: log-probabilities, -inf outside the support."""
    made = transformers.LogitsProcessorList()
    if params.logit_bias:
        made.append(transformers.SequenceBiasLogitsProcessor({(t,): float(b) for t, b in params.logit_bias.items()}))
    if params.repetition_penalty != 1:
        made.append(transformers.RepetitionPenaltyLogitsProcessor(params.repetition_penalty))
    made.append(transformers.TemperatureLogitsWarper(params.temperature))
    if params.top_k:
        made.append(transformers.TopKLogitsWarper(params.top_k))
    if params.top_p < 1:
        made.append(transformers.TopPLogitsWarper(params.top_p))
    return torch.log_softmax(made(torch.tensor([seen]), row[None].clone())[0].double(), -1)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    temperature=st.sampled_from([0.05, 0.3, 0.8, 1.0, 1.7, 5.0]),
    top_k=st.sampled_from([0, 1, 2, 5, 50, VOCAB, VOCAB + 7]),
    top_p=st.sampled_from([0.01, 0.3, 0.9, 0.95, 1.0]),
    penalty=st.sampled_from([0.5, 1.0, 1.2, 3.0]),
    bias=st.dictionaries(st.integers(0, VOCAB - 1), st.floats(-8, 8, width=16), max_size=4),
)
def test_processors_are_those_of_transformers(
    seed: int, temperature: float, top_k: int, top_p: float, penalty: float, bias: dict[int, float]
) -> None:
    params = SamplingParams(temperature, top_k, top_p, penalty, bias)
    seen = [1, 5, 5, 30, 77]
    ours = Sampler(params, seed, CPU)
    ours.saw(seen[:3])
    row = logits(seed)
    tokens, values = ours._support(ours._adjusted(row, seen[3:]))
    scores = ours._noisy(tokens[None], values[None], [0])[0] - gumbel(seed, [0], tokens[None])[0]
    tokens, scores = tokens[np.isfinite(scores)], scores[np.isfinite(scores)]
    scores -= np.log(np.exp(scores - scores.max()).sum()) + scores.max()
    expected = theirs(row, params, seen).numpy()
    support = set(np.flatnonzero(np.isfinite(expected) & (expected > -41)))
    assert support <= set(tokens.tolist())
    for token, score in zip(tokens, scores, strict=True):
        assert score == pytest.approx(expected[token], abs=2e-4) or expected[token] < -35


def test_tokens_follow_the_distribution() -> None:
    """Each of the processed probabilities, over many seeds (the noise is the only source of chance)."""
    row, params = logits(3, size=12, scale=1.5), SamplingParams(temperature=0.9, top_k=8, top_p=0.95)
    chances = theirs(row, params, [0]).exp().numpy()
    chosen = [Sampler(params, seed, CPU).choose(row, position=17) for seed in range(6000)]
    counts = np.bincount(chosen, minlength=12)
    assert counts[chances == 0].sum() == 0
    kept = chances > 0
    assert stats.chisquare(counts[kept], chances[kept] / chances[kept].sum() * 6000).pvalue > 1e-4


@pytest.mark.parametrize(("top_k", "top_p"), [(1, 1.0), (3, 1.0), (0, 0.05), (0, 0.3), (5, 0.5)])
def test_nothing_outside_the_support_is_chosen(top_k: int, top_p: float) -> None:
    params = SamplingParams(temperature=2.0, top_k=top_k, top_p=top_p)
    for seed in range(150):
        row = logits(seed)
        support = set(torch.isfinite(theirs(row, params, [0])).nonzero().squeeze(1).tolist())
        assert sampler(seed, temperature=2.0, top_k=top_k, top_p=top_p).choose(row, seed) in support


@pytest.mark.parametrize("temperature", [1e-6, 1e-30, 1e-308, 5e-324])
@pytest.mark.parametrize("top_p", [1.0, 0.9])
@pytest.mark.parametrize("top_k", [0, 10])
def test_a_tiny_temperature_is_greedy(temperature: float, top_p: float, top_k: int) -> None:
    for seed in range(10):
        row = logits(seed)
        chosen = sampler(seed, temperature=temperature, top_p=top_p, top_k=top_k).choose(row, 5)
        assert chosen == sampler().choose(row, 5) == int(row.argmax())


def test_a_high_temperature_is_nearly_uniform() -> None:
    chosen = {sampler(seed, temperature=100.0).choose(logits(size=20), 5) for seed in range(300)}
    assert chosen == set(range(20))


def test_ties_with_the_last_kept_token_stay() -> None:
    row = torch.tensor([5.0, 1.0, 1.0, 1.0, 0.0])
    tokens, values = sampler(temperature=1.0, top_k=2)._support(row)
    assert sorted(tokens.tolist()) == [0, 1, 2, 3]
    assert sorted(values) == [1, 1, 1, 5]
    assert sampler().choose(torch.tensor([1.0, 2.0, 2.0]), 0) == 1, "greedy takes the first of equals, as argmax does"


def test_equal_logits_come_in_the_order_of_their_tokens() -> None:
    """A device may find them in another order when it looks at more rows; where top-p cuts among them it would show."""
    rows = torch.tensor([[1.0, 3.0, 2.0, 3.0, 2.0, 2.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0, 0.5, -1.0]])
    tokens, values = sampler(temperature=1.0, top_k=4)._best(rows)
    assert tokens[0, :2].tolist() == [1, 3]
    assert tokens[0].tolist() == sorted(tokens[0].tolist(), key=lambda token: (-float(rows[0, token]), token))
    assert tokens[1, :4].tolist() == [2, 3, 4, 5]
    assert values[1].tolist() == [1, 1, 1, 0.5, 0]


@pytest.mark.parametrize("params", [{"top_k": 5}, {"top_k": 5, "top_p": 0.8}, {"top_k": 0}])
def test_rows_that_come_from_a_device_in_one_copy_are_chosen_alike(params: dict[str, object]) -> None:
    """The sampler is told of a device that is not the CPU; the last row ties with its k-th token."""
    tree = TokenTree.rooted(0)
    for token in (4, 5):
        tree.add(token, 0, Origin.DRAFT, 0.5)
    for seed in range(60):
        rows = torch.stack([logits(seed), logits(seed + 1), logits(seed + 2).round()])
        request = SamplingParams(temperature=0.9, **params)  # type: ignore[arg-type]
        here, there = (Sampler(request, seed, device).chooser(rows, tree, 20) for device in (CPU, torch.device("meta")))
        assert [here(row) for row in range(3)] == [there(row) for row in range(3)]


def test_banned_tokens_never_come() -> None:
    row = logits()
    best = row.topk(3).indices.tolist()
    bias = dict.fromkeys(best, -1e4)
    for seed in range(50):
        assert sampler(seed, temperature=1.5, logit_bias=bias).choose(row, seed) not in best
    assert sampler(logit_bias=bias).choose(row, 0) == int(row.topk(4).indices[3])


@pytest.mark.parametrize("bias", [1e4, 1e9])
def test_an_extreme_bias_decides(bias: float) -> None:
    for temperature in (0.0, 1.0):
        assert sampler(temperature=temperature, logit_bias={7: bias}).choose(logits(), 3) == 7


def test_penalty_counts_a_token_once_whether_in_text_or_branch() -> None:
    row = logits()
    once = sampler(repetition_penalty=2.0, seen=[4])._adjusted(row, [])
    assert torch.equal(sampler(repetition_penalty=2.0, seen=[4, 4])._adjusted(row, [4, 4]), once)
    assert torch.equal(sampler(repetition_penalty=2.0)._adjusted(row, [4]), once)
    assert once[4] == (row[4] / 2 if row[4] > 0 else row[4] * 2)
    assert torch.equal(torch.cat([once[:4], once[5:]]), torch.cat([row[:4], row[5:]]))


def test_rows_of_a_tree_have_the_position_and_the_ancestors_of_their_node() -> None:
    tree = TokenTree.rooted(3)
    left = tree.add(10, 0, Origin.DRAFT, 0.5)
    tree.add(11, 0, Origin.DRAFT, 0.4)
    deep = tree.add(12, left, Origin.DRAFT, 0.3)
    rows = torch.stack([logits(seed) for seed in range(len(tree))])
    params = {"temperature": 0.9, "repetition_penalty": 1.5}
    choose = sampler(9, seen=[3], **params).chooser(rows, tree, length=40)
    assert choose(deep) == sampler(9, seen=[3, 10, 12], **params).choose(rows[deep], position=42)
    assert choose(0) == sampler(9, seen=[3], **params).choose(rows[0], position=40)


def test_proposals_of_equal_logits_begin_with_the_choice() -> None:
    """Draft equal to target: what the draft ranks first is what the target takes, greedy or not."""
    for seed in range(60):
        row = logits(seed, size=60, scale=1.0)
        for params in ({}, {"temperature": 1e-6}, {"temperature": 1.0}, {"temperature": 0.8, "top_k": 5, "top_p": 0.9}):
            ours = sampler(seed, **params)
            (proposals,) = ours.propose(row[None], [seed], [[]], 4)
            assert proposals[0][0] == ours.choose(row, seed)
            assert all(0 <= share <= 1 + 1e-9 for _, share in proposals)
            assert all(a >= b for (_, a), (_, b) in itertools.pairwise(proposals))


def test_fewer_candidates_than_asked_for() -> None:
    assert [len(row) for row in sampler(temperature=1.0, top_k=2).propose(logits()[None], [0], [[]], 4)] == [2]
    assert [len(row) for row in sampler().propose(logits(size=3)[None], [0], [[]], 4)] == [3]


def test_coupled_proposals_win_as_often_as_their_probability_says() -> None:
    proposals = [(5, 0.6), (9, 0.3), (1, 0.1)]
    assert sampler().coupled(proposals, 0) == proposals
    first = [sampler(seed, temperature=1.0).coupled(proposals, 4)[0][0] for seed in range(3000)]
    counts = [first.count(token) for token, _ in proposals]
    assert stats.chisquare(counts, [1800, 900, 300]).pvalue > 1e-4


def test_coupled_proposals_may_have_no_probability_left() -> None:
    assert sampler(temperature=1.0).coupled([(5, 1.0), (9, 0.0)], 0) == [(5, 1.0)]


@pytest.mark.parametrize("temperature", [1e-6, 1e-308, 5e-324])
def test_coupled_proposals_at_a_tiny_temperature(temperature: float) -> None:
    ours = sampler(temperature=temperature)
    assert ours.coupled([(5, 0.7), (9, 0.2)], 0) == [(5, 1.0), (9, 0.0)]
    assert ours.coupled([(5, 0.3), (9, 0.2)], 0) == [(5, 0.0), (9, 0.0)]  # some other token is more probable

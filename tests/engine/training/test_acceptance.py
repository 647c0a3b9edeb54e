"""The walk that turns agreement into acceptance, by hand; and a draft that is its own target."""

import numpy as np
import pytest
import torch

from engine.training.acceptance import Answer, chain_acceptance, draft_agreement, greedy_answers
from engine.training.models import Shape, new_model
from engine.training.sampling import continue_prompts


def test_full_agreement_accepts_all() -> None:
    acceptance = chain_acceptance([np.ones(10, bool)], chain=4)
    assert acceptance.rate == 1.0
    assert acceptance.mean_accepted_length == 5.0


def test_no_agreement_is_plain_decoding() -> None:
    acceptance = chain_acceptance([np.zeros(6, bool)], chain=4)
    assert (acceptance.rate, acceptance.mean_accepted_length) == (0.0, 1.0)


def test_a_pass_ends_at_the_first_difference() -> None:
    # passes: [1 0 1] keeps 1 and emits 2; [1 1 1] keeps 3 and emits 4
    acceptance = chain_acceptance([np.array([1, 0, 1, 1, 1, 0], bool)], chain=3)
    assert acceptance.rate == pytest.approx(4 / 6)
    assert acceptance.mean_accepted_length == 3.0


def test_a_model_agrees_with_its_own_greedy_answers() -> None:
    model = new_model(Shape(1, 16, 2, positions=32), vocab_size=50, end_of_text=0, seed=1).eval()
    answers = greedy_answers(model, [[0, 5, 7], [0, 9]], new_tokens=12)
    assert [len(answer.prompt) for answer in answers] == [2, 3]
    assert all(draft_agreement(model, answer).all() for answer in answers)
    changed = Answer(answers[0].prompt, ((answers[0].tokens[0] + 1) % 50, *answers[0].tokens[1:]))
    assert not draft_agreement(model, changed)[0]


def test_sampling_repeats_for_a_seed_and_ends_at_the_end_of_text() -> None:
    model = new_model(Shape(1, 16, 2, positions=64), vocab_size=5, end_of_text=0, seed=1).eval()
    first, again, other = (
        list(continue_prompts(model, [[0, 1]] * 8, 40, temperature=1.5, seed=seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert all(0 not in text[:-1] for text in first)
    assert {len(text) for text in first} != {40}
    assert torch.tensor([text[-1] for text in first if len(text) < 40]).eq(0).all()

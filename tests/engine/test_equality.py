"""The promise: every mode gives plain decoding's tokens, and plain decoding gives transformers' tokens.

Drafting is as eager as it can be, so that no planner hides a difference behind plain rounds.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from transformers import GPT2LMHeadModel

from engine.calibration import calibrate
from engine.chat_model import ChatModel
from engine.config import DecodingConfig, DecodingMode
from engine.events import StopReason
from engine.planner import Planner
from tests.engine.prompts import raw_prompts
from tests.engine.support import BUILTIN, CHAT, DRAFTING_MODES, LOW_PRECISION, answer, eager
from tests.engine.support import request as ask

PROMPTS = raw_prompts()
TOKENS = 6
LONG_PROMPTS, LONG_TOKENS = PROMPTS[::5] + PROMPTS[2::5], 100
SAMPLINGS = {"greedy": {}} | {f"seed {seed}": {**CHAT, "seed": seed} for seed in (1, 2, 3)}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def compare(model: ChatModel, prompt: str, sampling: str, tokens: int, modes: Sequence[DecodingMode]) -> int:
    """Drafted tokens that were accepted, once the tokens of some modes are found to be plain decoding's."""
    drafting, accepted = eager(model), 0
    plain = answer(model, ask(prompt, max_new_tokens=tokens, **SAMPLINGS[sampling])).token_ids
    for mode in modes:
        found = answer(drafting, ask(prompt, mode=mode, max_new_tokens=tokens, **SAMPLINGS[sampling]))
        assert found.token_ids == plain, (mode, prompt)
        accepted += found.statistics.accepted_draft + found.statistics.accepted_ngram
    return accepted


def test_there_are_fifty_prompts() -> None:
    assert len(set(PROMPTS)) == 50
    assert len(set(LONG_PROMPTS)) == 20


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_float32(float32_model: ChatModel, sampling: str) -> None:
    accepted = sum(compare(float32_model, prompt, sampling, TOKENS, DRAFTING_MODES) for prompt in PROMPTS)
    assert accepted > len(DRAFTING_MODES) * len(PROMPTS), "drafts were at work"


def test_plain_greedy_equals_transformers_generate(float32_model: ChatModel) -> None:
    theirs = GPT2LMHeadModel.from_pretrained(BUILTIN / "target", dtype=torch.float32).eval()
    for prompt in PROMPTS:
        ids = torch.tensor([float32_model.writer.tokenizer.encode(prompt)])
        generated = theirs.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=TOKENS, do_sample=False)
        ours = answer(float32_model, ask(prompt, max_new_tokens=TOKENS)).token_ids
        assert ours == tuple(generated[0, ids.shape[1] :].tolist()), prompt


@pytest.mark.parametrize("dtype", LOW_PRECISION)
def test_low_precision(dtype: str, request: pytest.FixtureRequest) -> None:
    """Every prompt in one of the modes, in turn; greedy and sampled in turn."""
    model: ChatModel = request.getfixturevalue(f"{dtype}_model")
    assert model.info.exact
    for index, prompt in enumerate(LONG_PROMPTS):
        modes = [DRAFTING_MODES[index // 2 % len(DRAFTING_MODES)]]
        compare(model, prompt, ("greedy", "seed 1")[index % 2], 4 * TOKENS, modes)


@pytest.mark.exhaustive
@pytest.mark.parametrize("sampling", ["greedy", "seed 1"])
@pytest.mark.parametrize("dtype", ["float32", *LOW_PRECISION])
def test_long_answers(dtype: str, sampling: str, request: pytest.FixtureRequest) -> None:
    """Every prompt in every mode, 100 tokens."""
    for prompt in LONG_PROMPTS:
        compare(request.getfixturevalue(f"{dtype}_model"), prompt, sampling, LONG_TOKENS, DRAFTING_MODES)


def test_with_the_planner_in_charge(float32_model: ChatModel) -> None:
    """Measured costs: plain rounds, probes and trees of all sizes come between each other."""
    assert float32_model.draft is not None
    planner = Planner(calibrate(float32_model.target), calibrate(float32_model.draft))
    model = replace(float32_model, planner=planner, acceptances={})
    for prompt in PROMPTS[::8]:
        asked = ask(prompt, max_new_tokens=30, **SAMPLINGS["seed 1"])
        plain = answer(model, asked).token_ids
        for mode in DRAFTING_MODES:
            assert answer(model, replace(asked, decoding=DecodingConfig(mode))).token_ids == plain


@pytest.mark.parametrize(
    ("dtype", "mode"),
    [
        ("float32", "staged"),
        ("bfloat16", "staged"),
        ("float16", "plain"),
        ("float16", "staged"),
        ("float16", "tree"),
        ("int8", "staged"),
        pytest.param("gpu", "staged", marks=pytest.mark.gpu),
    ],
)
def test_a_second_turn_on_the_cache_equals_a_cold_run(dtype: str, mode: str, request: pytest.FixtureRequest) -> None:
    model = eager(request.getfixturevalue(f"{dtype}_model"))
    long = "I had a long day at work, and then the train was late, and then it rained. " * 4
    first = answer(model, ask(None, long, mode=DecodingMode(mode), max_new_tokens=24, **CHAT))
    question = "And what do you do on such days?"
    second = ask(None, long, first.text, question, mode=DecodingMode(mode), max_new_tokens=24, **CHAT)
    warm = answer(model, second)
    keys = model.target.cache.keys[:, :, : model.target.length].clone()
    cold = answer(model, replace(second, reuse_cache=False))
    assert warm.token_ids == cold.token_ids
    assert warm.text == cold.text
    assert cold.statistics.cached_tokens == 0 < 64 < warm.statistics.cached_tokens
    if model.info.exact:
        assert torch.equal(keys, model.target.cache.keys[:, :, : model.target.length]), "bit for bit"


@pytest.mark.parametrize("dtype", ["float32", "float16", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_near_the_end_of_the_context(dtype: str, request: pytest.FixtureRequest) -> None:
    """The last positions, where trees have to shrink and no room is left for padding rows."""
    model = eager(request.getfixturevalue(f"{dtype}_model"))
    prompt = ("for i in range(10):\n    print(i, i * i)\n" * 200).strip()
    length, tokenizer = model.info.context_length, model.writer.tokenizer
    prompt = tokenizer.decode(tokenizer.encode(prompt)[: length - 30])
    answers = {mode: answer(model, ask(prompt, mode=mode, max_new_tokens=500, **CHAT)) for mode in DecodingMode}
    for found in answers.values():
        assert found.token_ids == answers[DecodingMode.PLAIN].token_ids
        assert found.reason in (StopReason.CONTEXT_FULL, StopReason.END_OF_TEXT)

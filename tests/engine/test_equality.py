"""The promise: every mode gives plain decoding's tokens, and plain decoding gives transformers' tokens.

Drafting is as eager as it can be, so that no planner hides a difference behind plain rounds.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from transformers import GPT2LMHeadModel

from engine.calibration import calibrate
from engine.chat_model import ChatModel
from engine.config import DecodingMode
from engine.events import StopReason
from engine.planner import Planner
from tests.engine.prompts import raw_prompts
from tests.engine.support import BUILTIN, CHAT, DRAFTING_MODES, answer, eager
from tests.engine.support import request as ask

PROMPTS = raw_prompts()
TOKENS = 16
LONG_PROMPTS, LONG_TOKENS = PROMPTS[::5] + PROMPTS[2::5], 100
SAMPLINGS = {"greedy": {}} | {f"seed {seed}": {**CHAT, "seed": seed} for seed in (1, 2, 3)}

Tokens = tuple[int, ...]
PlainAnswers = Callable[[ChatModel, str, str, int], Tokens]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def plain() -> PlainAnswers:
    """Plain decoding's tokens, computed once: (model, sampling, prompt, tokens)."""
    known: dict[tuple[str, str, str, int], Tokens] = {}

    def tokens(model: ChatModel, sampling: str, prompt: str, count: int) -> Tokens:
        key = (model.info.dtype, sampling, prompt, count)
        if key not in known:
            known[key] = answer(model, ask(prompt, max_new_tokens=count, **SAMPLINGS[sampling])).token_ids
        return known[key]

    return tokens


def test_there_are_fifty_prompts() -> None:
    assert len(set(PROMPTS)) == 50
    assert len(set(LONG_PROMPTS)) == 20


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("mode", DRAFTING_MODES)
def test_float32(float32_model: ChatModel, plain: PlainAnswers, mode: DecodingMode, sampling: str) -> None:
    model, accepted = eager(float32_model), 0
    for prompt in PROMPTS:
        found = answer(model, ask(prompt, mode=mode, max_new_tokens=TOKENS, **SAMPLINGS[sampling]))
        assert found.token_ids == plain(float32_model, sampling, prompt, TOKENS), prompt
        accepted += found.statistics.accepted_draft + found.statistics.accepted_ngram
    assert accepted > len(PROMPTS), "drafts were at work"


def test_plain_greedy_equals_transformers_generate(float32_model: ChatModel, plain: PlainAnswers) -> None:
    theirs = GPT2LMHeadModel.from_pretrained(BUILTIN / "target", dtype=torch.float32).eval()
    for prompt in PROMPTS:
        ids = torch.tensor([float32_model.writer.tokenizer.encode(prompt)])
        generated = theirs.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=TOKENS, do_sample=False)
        assert plain(float32_model, "greedy", prompt, TOKENS) == tuple(generated[0, ids.shape[1] :].tolist()), prompt


@pytest.mark.parametrize("mode", DRAFTING_MODES)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_16_bit(dtype: str, mode: DecodingMode, plain: PlainAnswers, request: pytest.FixtureRequest) -> None:
    compare_long(request.getfixturevalue(f"{dtype}_model"), mode, plain)


def compare_long(model: ChatModel, mode: DecodingMode, plain: PlainAnswers) -> None:
    """20 prompts of 100 tokens, greedy and sampled in turn."""
    assert model.info.exact
    drafting = eager(model)
    for index, prompt in enumerate(LONG_PROMPTS):
        sampling = ("greedy", "seed 1")[index % 2]
        asked = ask(prompt, mode=mode, max_new_tokens=LONG_TOKENS, **SAMPLINGS[sampling])
        assert answer(drafting, asked).token_ids == plain(model, sampling, prompt, LONG_TOKENS), prompt


@pytest.mark.parametrize("mode", DRAFTING_MODES)
def test_with_the_planner_in_charge(float32_model: ChatModel, plain: PlainAnswers, mode: DecodingMode) -> None:
    """Measured costs: plain rounds, probes and trees of all sizes come between each other."""
    assert float32_model.draft is not None
    planner = Planner(calibrate(float32_model.target), calibrate(float32_model.draft))
    model = replace(float32_model, planner=planner, acceptances={})
    for prompt in PROMPTS[::6]:
        found = answer(model, ask(prompt, mode=mode, max_new_tokens=TOKENS, **SAMPLINGS["seed 1"]))
        assert found.token_ids == plain(float32_model, "seed 1", prompt, TOKENS)


@pytest.mark.parametrize("mode", [DecodingMode.PLAIN, DecodingMode.STAGED])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_second_turn_on_the_cache_equals_a_cold_run(
    dtype: str, mode: DecodingMode, request: pytest.FixtureRequest
) -> None:
    model = eager(request.getfixturevalue(f"{dtype}_model"))
    long = "I had a long day at work, and then the train was late, and then it rained. " * 4
    first = answer(model, ask(None, long, mode=mode, max_new_tokens=40, **CHAT))
    question = "And what do you do on such days?"
    second = ask(None, long, first.text, question, mode=mode, max_new_tokens=40, **CHAT)
    warm = answer(model, second)
    keys = model.target.cache.keys[:, :, : model.target.length].clone()
    cold = answer(model, replace(second, reuse_cache=False))
    assert warm.token_ids == cold.token_ids
    assert warm.text == cold.text
    assert cold.statistics.cached_tokens == 0 < 64 < warm.statistics.cached_tokens
    if model.info.exact:
        assert torch.equal(keys, model.target.cache.keys[:, :, : model.target.length]), "bit for bit"


@pytest.mark.parametrize("dtype", ["float32", "float16"])
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

"""From messages to the end of an answer with the built-in family: stops, statistics, the cache between turns."""

import itertools
from dataclasses import replace

import pytest

from engine.chat_model import ChatModel
from engine.config import ChatFormat, ContextPolicy, DecodingMode
from engine.errors import DraftingFailed, PromptTooLong
from engine.events import Accepted, Finished, Prefilled, StopReason
from tests.engine.support import CHAT, answer, eager, events, request

PROMPT = "User: Tell me about your weekend.\nAssistant:"
MODES = pytest.mark.parametrize("mode", DecodingMode)


@pytest.fixture
def model(float32_model: ChatModel) -> ChatModel:
    return eager(float32_model)


@MODES
def test_a_stop_string_inside_a_block_ends_the_answer(model: ChatModel, mode: DecodingMode) -> None:
    """The text ends before it, the tokens with the one that completed it, and the counters agree."""
    whole = answer(model, request(PROMPT, max_new_tokens=40))
    for start in range(4, 12, 2):
        stop = whole.text[start : start + 6]
        at = whole.text.find(stop)
        found = answer(model, request(PROMPT, mode=mode, max_new_tokens=40, stop=(stop,)))
        assert found.reason is StopReason.STOP_STRING
        assert found.text == whole.text[:at]
        assert found.token_ids == whole.token_ids[: len(found.token_ids)]
        decode = model.writer.tokenizer.decode
        assert stop in decode(found.token_ids)
        assert stop not in decode(found.token_ids[:-1])
        counted = found.statistics
        assert counted.new_tokens == len(found.token_ids)
        assert counted.new_tokens == sum(size * n for size, n in enumerate(counted.emitted_histogram))
        assert sum(counted.emitted_histogram) == counted.target_passes


@MODES
def test_end_of_text_ends_the_answer_and_has_no_text(model: ChatModel, mode: DecodingMode) -> None:
    eos = model.writer.eos_token_id
    assert eos is not None
    plain = answer(model, request(PROMPT, max_new_tokens=30, temperature=1.0, logit_bias={eos: 5.0}))
    found = answer(model, request(PROMPT, mode=mode, max_new_tokens=30, temperature=1.0, logit_bias={eos: 5.0}))
    assert found.token_ids == plain.token_ids
    assert found.reason is StopReason.END_OF_TEXT
    assert found.token_ids[-1] == eos
    assert eos not in found.token_ids[:-1]
    assert "endoftext" not in found.text


@MODES
def test_a_chat_answer_is_trimmed_and_never_speaks_for_the_user(model: ChatModel, mode: DecodingMode) -> None:
    found = answer(model, request(None, "Do you like music?", mode=mode, max_new_tokens=60, **CHAT))
    assert found.text == found.text.strip() != ""
    assert "User:" not in found.text


def test_the_cache_is_used_up_to_the_first_difference(model: ChatModel) -> None:
    first = answer(model, request(PROMPT, max_new_tokens=20, reuse_cache=False))
    assert first.statistics.cached_tokens == 0
    again = answer(model, request(PROMPT, max_new_tokens=20))
    assert again.statistics.cached_tokens == again.statistics.prompt_tokens - 1
    other = answer(model, request("User: Tell me about your dog.\nAssistant:", max_new_tokens=20))
    assert 3 <= other.statistics.cached_tokens < other.statistics.prompt_tokens - 1
    assert again.token_ids == first.token_ids


LONG_PROMPT = "User: " + "Tell me about your dog and your cat. " * 30 + "\nAssistant:"


def test_the_draft_reads_the_prompt_before_decoding_begins(model: ChatModel) -> None:
    assert model.draft is not None
    for mode, reads in ((DecodingMode.PLAIN, False), (DecodingMode.NGRAM, False), (DecodingMode.TREE, True)):
        made = model.generate(request(LONG_PROMPT, mode=mode, max_new_tokens=4, reuse_cache=False), lambda: False)
        prefilled = next(made)(0, 0)
        assert isinstance(prefilled, Prefilled)
        assert model.draft.length == (prefilled.prompt_tokens - 1 if reads else 0)


def test_reading_the_prompt_can_be_cancelled_in_the_draft_too(model: ChatModel) -> None:
    draft = model.draft
    assert draft is not None
    asked = request(LONG_PROMPT, mode=DecodingMode.STAGED, max_new_tokens=4)
    answer(model, replace(asked, reuse_cache=False))
    draft.reset()  # all that is left to read is the draft's
    *_, end = events(model, asked, cancelled=lambda: draft.length > 0)
    assert isinstance(end, Finished)
    assert end.reason is StopReason.CANCELLED
    assert 0 < draft.length < end.statistics.prompt_tokens - 1


def test_a_draft_that_breaks_while_it_reads_is_named(model: ChatModel, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> bool:
        raise RuntimeError("out of memory\nand a long trace")

    monkeypatch.setattr(model.draft, "prefill", breaks)
    with pytest.raises(DraftingFailed, match=r"out of memory\).*choose plain mode"):
        list(events(model, request(LONG_PROMPT, mode=DecodingMode.STAGED, reuse_cache=False)))


def test_dropped_turns_are_told(model: ChatModel) -> None:
    talk = request(None, *["word " * 150] * 9, max_new_tokens=2)
    prefilled = next(events(model, talk))
    assert isinstance(prefilled, Prefilled)
    assert prefilled.dropped_turns > 0
    assert model.prompt_size(talk).dropped_turns == prefilled.dropped_turns
    assert model.prompt_size(talk).tokens == prefilled.prompt_tokens
    with pytest.raises(PromptTooLong):
        answer(model, replace(talk, context_policy=ContextPolicy.REFUSE))


def test_a_request_may_bring_its_own_chat_format(model: ChatModel) -> None:
    bare = ChatFormat(user="Q: ", assistant="A: ", stop=("\nQ:",))
    asked = replace(request(None, "Hi", max_new_tokens=4), chat_format=bare)
    tokens = model.writer.tokenizer.decode(model.prompt(asked).tokens)
    assert tokens == "Q: Hi\nA:"


@MODES
def test_statistics_of_an_answer(model: ChatModel, mode: DecodingMode) -> None:
    found = answer(model, request(PROMPT, mode=mode, max_new_tokens=40)).statistics
    assert found.first_token_s is not None
    assert found.first_token_s > found.prefill_s > 0
    assert found.decode_s > 0
    assert found.plain_tokens_per_s
    assert found.target_bytes > found.draft_bytes > 0
    assert found.mean_accepted_length == found.new_tokens / found.target_passes
    if mode is DecodingMode.PLAIN:
        assert (found.target_passes, found.target_rows) == (found.new_tokens, found.new_tokens)
        assert found.relative_bytes_read == 1
        assert found.speedup == pytest.approx(1), "plain decoding is its own measure"
        assert found.acceptance_rate is None
    else:
        assert found.target_passes < found.new_tokens
        assert found.relative_bytes_read is not None
        assert found.relative_bytes_read < 1
        assert found.proposed_draft + found.proposed_ngram == found.target_rows - found.target_passes


def test_segments_of_a_cancelled_answer_are_its_text(model: ChatModel) -> None:
    calls = itertools.count()
    seen = list(events(model, request(PROMPT, max_new_tokens=60), cancelled=lambda: next(calls) > 6))
    end = seen[-1]
    assert isinstance(end, Finished)
    assert end.reason is StopReason.CANCELLED
    assert end.text == "".join(event.text for event in seen if isinstance(event, Accepted))

"""Conversations as token ids: formats, what leaves first, and what cannot be forged."""

import json
import shutil
from pathlib import Path

import pytest

from engine.config import ChatFormat, ChatFormatKind, ChatMessage, ContextPolicy, Role
from engine.errors import InvalidRequest, PromptTooLong
from engine.prompt import ANSWER_ROOM, PromptWriter
from engine.tokenizer import END_OF_TEXT, TextTokenizer
from tests.engine.support import BUILTIN

EOS, CONTEXT = 0, 1024
WRITER = PromptWriter(TextTokenizer(BUILTIN / "target"), EOS, CONTEXT)
TRANSCRIPT = ChatFormat(preamble="A talk.\n")
EOS_FORMAT = ChatFormat(kind=ChatFormatKind.EOS)
DROP, REFUSE = ContextPolicy


def conversation(*texts: str) -> list[ChatMessage]:
    roles = (Role.USER, Role.ASSISTANT)
    return [ChatMessage(roles[index % 2], text) for index, text in enumerate(texts)]


def written(*texts: str, chat_format: ChatFormat = TRANSCRIPT, writer: PromptWriter = WRITER) -> str:
    """The prompt as text, end-of-text tokens shown as |."""
    tokens = writer.conversation(conversation(*texts), chat_format, DROP).tokens
    return "".join("|" if token == EOS else writer.tokenizer.decode([token]) for token in tokens)


def test_transcript() -> None:
    assert written("Hi", "Hello.", "Bye") == "|A talk.\nUser: Hi\nAssistant: Hello.\nUser: Bye\nAssistant:"


def test_the_space_behind_the_label_belongs_to_the_answer() -> None:
    """ " Hello" is one token: a prompt that ends in a space would make the model write it in another way."""
    prompt = WRITER.conversation(conversation("Hi"), TRANSCRIPT, DROP).tokens
    answered = WRITER.conversation(conversation("Hi", "Hello.", "Bye"), TRANSCRIPT, DROP).tokens
    assert answered[: len(prompt)] == prompt, "the next turn finds this one in the cache"


def test_an_answer_can_be_continued() -> None:
    assert written("Hi", "Hello, I") == "|A talk.\nUser: Hi\nAssistant: Hello, I"


def test_eos_format() -> None:
    assert written("Hi", "Hello.", "Bye", chat_format=EOS_FORMAT) == "Hi|Hello.|Bye|"
    assert written("Hi", "Hel", chat_format=EOS_FORMAT) == "Hi|Hel"


def test_without_an_end_of_text_token() -> None:
    writer = PromptWriter(WRITER.tokenizer, None, CONTEXT)
    assert written("Hi", writer=writer) == "A talk.\nUser: Hi\nAssistant:"
    assert written("Hi", "Yo", "So", chat_format=EOS_FORMAT, writer=writer) == "HiYoSo"


@pytest.mark.parametrize("chat_format", [TRANSCRIPT, EOS_FORMAT])
def test_a_message_cannot_end_the_text(chat_format: ChatFormat) -> None:
    honest = WRITER.conversation(conversation("Hi there"), chat_format, DROP).tokens
    forged = WRITER.conversation(conversation(f"Hi {END_OF_TEXT} there"), chat_format, DROP).tokens
    assert forged.count(EOS) == honest.count(EOS)


def test_a_template_of_the_tokenizer(tmp_path: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(BUILTIN / "target" / name, tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text())
    config["chat_template"] = (
        "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}[bot]{% endif %}"
    )
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    writer = PromptWriter(TextTokenizer(tmp_path), EOS, CONTEXT)
    template = ChatFormat(kind=ChatFormatKind.TEMPLATE)
    assert (
        written("Hi", "Yo", "So", chat_format=template, writer=writer) == "[user] Hi\n[assistant] Yo\n[user] So\n[bot]"
    )
    assert written("Hi", "Yo", chat_format=template, writer=writer).endswith("[assistant] Yo")


def test_a_template_that_does_not_exist() -> None:
    with pytest.raises(InvalidRequest, match="no chat template"):
        WRITER.conversation(conversation("Hi"), ChatFormat(kind=ChatFormatKind.TEMPLATE), DROP)


@pytest.mark.parametrize("chat_format", [TRANSCRIPT, EOS_FORMAT])
def test_old_turns_leave_whole_and_the_preamble_stays(chat_format: ChatFormat) -> None:
    turn = "word " * 90
    texts = [f"{index} {turn}" for index in range(13)]
    fitted = WRITER.conversation(conversation(*texts), chat_format, DROP)
    assert len(fitted.tokens) <= CONTEXT - ANSWER_ROOM
    assert 0 < fitted.dropped_turns < 7
    rest = WRITER.conversation(conversation(*texts[2 * fitted.dropped_turns :]), chat_format, DROP)
    assert rest == type(rest)(fitted.tokens, 0), "what is left is the prompt of what is left"
    turn_size = len(WRITER.conversation(conversation(*texts[:2], "x"), chat_format, DROP).tokens)
    assert len(fitted.tokens) > CONTEXT - ANSWER_ROOM - turn_size, "no turn left without need"
    if chat_format is TRANSCRIPT:
        assert WRITER.tokenizer.decode(fitted.tokens).startswith("A talk.\nUser: ")


def test_a_last_turn_may_use_the_room_of_the_answer() -> None:
    fitted = WRITER.conversation(conversation("a b", "c", "word " * 900), TRANSCRIPT, DROP)
    assert fitted.dropped_turns == 1
    assert CONTEXT - ANSWER_ROOM < len(fitted.tokens) < CONTEXT


@pytest.mark.parametrize("policy", ContextPolicy)
def test_what_must_stay_and_does_not_fit_is_refused(policy: ContextPolicy) -> None:
    with pytest.raises(PromptTooLong, match=r"\d+ tokens and the context 1024; shorten") as caught:
        WRITER.conversation(conversation("Hi", "Yo", "word " * 5000), TRANSCRIPT, policy)
    assert "\n" not in str(caught.value)


def test_the_refusing_policy_drops_nothing() -> None:
    texts = ["word " * 300] * 5
    assert WRITER.conversation(conversation(*texts), TRANSCRIPT, DROP).dropped_turns > 0
    with pytest.raises(PromptTooLong):
        WRITER.conversation(conversation(*texts), TRANSCRIPT, REFUSE)
    assert WRITER.conversation(conversation(*texts[:3]), TRANSCRIPT, REFUSE).dropped_turns == 0


def test_conversations_that_begin_with_the_assistant() -> None:
    messages = [ChatMessage(Role.ASSISTANT, "Welcome!"), ChatMessage(Role.USER, "Hi")]
    tokens = WRITER.conversation(messages, TRANSCRIPT, DROP).tokens
    assert WRITER.tokenizer.decode(tokens) == "A talk.\nAssistant: Welcome!\nUser: Hi\nAssistant:"


def test_nothing_written() -> None:
    with pytest.raises(InvalidRequest, match="write a message"):
        WRITER.conversation(conversation(""), TRANSCRIPT, DROP)
    with pytest.raises(InvalidRequest, match="prompt is empty"):
        WRITER.raw("")


def test_raw_prompts_end_one_before_the_context() -> None:
    text = " word" * (CONTEXT - 1)
    assert len(WRITER.raw(text).tokens) == CONTEXT - 1
    with pytest.raises(PromptTooLong):
        WRITER.raw(text + " word")

"""Every setting reaches the engine."""

from pathlib import Path

import pytest

from desktop_app.records import Message
from desktop_app.requests import chat_format, chat_messages, generation_request, model_spec
from desktop_app.settings import Settings
from engine.config import (
    ChatFormat,
    ChatFormatKind,
    ChatMessage,
    ContextPolicy,
    DecodingConfig,
    DecodingMode,
    ModelSpec,
    Role,
    SamplingParams,
)

pytestmark = pytest.mark.usefixtures("qapp")
OWN = ChatFormat(preamble="Own preamble.\n", stop=("\nUser:", "User:"))


@pytest.fixture
def settings() -> Settings:
    return Settings(None)


def test_defaults(settings: Settings) -> None:
    request = generation_request(settings, [ChatMessage(Role.USER, "Hello")], OWN)
    assert request.sampling == SamplingParams(temperature=0.7, top_k=50, top_p=0.95, repetition_penalty=1.1)
    assert request.decoding == DecodingConfig(DecodingMode.STAGED)
    assert request.chat_format == OWN
    assert request.context_policy is ContextPolicy.DROP_OLD_TURNS
    assert model_spec(settings) == ModelSpec()


def test_every_choice_arrives(settings: Settings) -> None:
    wanted = {
        "decoding.mode": "tree",
        "decoding.draft": "/models/draft",
        "decoding.max_tree_nodes": 12,
        "decoding.use_ngram": False,
        "sampling.temperature": 0.0,
        "sampling.top_k": 3,
        "sampling.top_p": 0.5,
        "sampling.repetition_penalty": 1.5,
        "sampling.seed": 2**63 - 1,
        "sampling.max_new_tokens": 17,
        "sampling.stop": ("END",),
        "model.target": "/models/gpt2",
        "model.device": "cuda:1",
        "model.dtype": "bfloat16",
        "model.threads": 3,
        "chat.context_policy": "refuse",
    }
    for key, value in wanted.items():
        settings.set(key, value)
    request = generation_request(settings, [], OWN)
    assert request.sampling == SamplingParams(0.0, 3, 0.5, 1.5, seed=2**63 - 1, max_new_tokens=17, stop=("END",))
    assert request.decoding == DecodingConfig(DecodingMode.TREE, 12, False)
    assert request.context_policy is ContextPolicy.REFUSE
    assert model_spec(settings) == ModelSpec(
        "/models/gpt2", "/models/draft", dtype="bfloat16", device="cuda:1", threads=3
    )
    assert generation_request(settings, [], OWN, DecodingMode.PLAIN).decoding.mode is DecodingMode.PLAIN


def test_names_and_preamble_replace_those_of_the_model(settings: Settings) -> None:
    settings.set("chat.preamble", "Be kind.\n")
    settings.set("chat.user_name", " Ann ")
    settings.set("chat.assistant_name", "Bob")
    assert chat_format(settings, OWN) == ChatFormat(
        preamble="Be kind.\n", user="Ann: ", assistant="Bob: ", stop=("\nAnn:", "Ann:")
    )
    settings.set("chat.preamble", "")
    assert chat_format(settings, OWN).preamble == ""


def test_another_format_starts_from_its_own_defaults(settings: Settings) -> None:
    settings.set("chat.format", "eos")
    assert chat_format(settings, OWN) == ChatFormat(ChatFormatKind.EOS, preamble=OWN.preamble, stop=())
    settings.set("chat.format", "transcript")
    assert chat_format(settings, OWN) == OWN


def test_messages_that_say_nothing_are_left_out() -> None:
    path = [Message(1, 1, None, "user", "Hello"), Message(2, 1, 1, "assistant", ""), Message(3, 1, 2, "user", "?")]
    assert chat_messages(path) == [ChatMessage(Role.USER, "Hello"), ChatMessage(Role.USER, "?")]


def test_paths_arrive_letter_for_letter(settings: Settings) -> None:
    settings.set("model.target", "/模型/Löß　x")
    assert Path(model_spec(settings).target) == Path("/模型/Löß　x")

"""The main paths of the application with the real engine and the built-in model."""

from collections.abc import Iterator

import pytest

from desktop_app.records import Message, MessageState
from desktop_app.settings_table import MODES
from engine.service import EngineService
from tests.desktop_app.conftest import MakeStage, Stage, until
from tests.desktop_app.real_engine import SharedEngine

pytestmark = pytest.mark.timeout(300)  # the first one imports torch

QUESTION = "Hello! How are you today?"


@pytest.fixture(scope="module")
def engine() -> Iterator[SharedEngine]:
    engine = SharedEngine()
    yield engine
    assert engine.service.close()


def settle(stage: Stage, **changes: object) -> None:
    """A model that loads without measuring what is fastest, and answers that are short and repeatable."""
    wanted = {"model.dtype": "float32", "model.device": "cpu", "model.threads": 1, "sampling.seed": 5}
    for key, value in {**wanted, "sampling.max_new_tokens": 24, **changes}.items():
        stage.core.settings.set(key, value)


def last(stage: Stage) -> Message:
    messages = stage.core.chat.messages
    return messages.message(messages.rowCount() - 1)


async def ask(stage: Stage, text: str = QUESTION) -> Message:
    assert stage.core.chat.send(text)
    return await answered(stage)


async def answered(stage: Stage) -> Message:
    await until(lambda: not stage.core.chat.busy, patience_s=120)
    return last(stage)


async def test_a_message_sent_at_once_is_answered_when_the_model_is_there(
    make_stage: MakeStage, engine: SharedEngine
) -> None:
    stage = make_stage(engine)
    settle(stage)
    stage.core.model.load()
    message = await ask(stage)
    assert message.state is MessageState.COMPLETE, message.error
    assert message.text.strip()
    assert "".join(span.text for span in message.spans) == message.text
    assert message.statistics is not None
    assert message.statistics.new_tokens >= len({span.round_index for span in message.spans}) > 0
    assert stage.core.chat.statistics.totals == message.statistics
    assert stage.core.chat.statistics.context_used == (message.statistics.prompt_tokens + message.statistics.new_tokens)
    follow_up = await ask(stage, "And what did you do yesterday?")
    assert follow_up.statistics is not None
    assert follow_up.statistics.cached_tokens > 0


async def test_every_mode_gives_the_same_text_and_its_own_counters(make_stage: MakeStage, engine: SharedEngine) -> None:
    stage = make_stage(engine)
    settle(stage)
    message = await ask(stage)
    texts = {message.mode: message.text}
    for mode in MODES:
        if mode.value != message.mode:
            stage.core.settings.set("decoding.mode", mode.value)
            stage.core.chat.regenerate(last(stage).id)
            message = await answered(stage)
            assert message.mode == mode.value
            assert message.statistics is not None
            if mode.value in ("plain", "ngram"):  # in the others the planner may find that drafting does not pay
                assert message.statistics.draft_passes == 0
            if mode.value == "plain":
                assert message.statistics.target_passes == message.statistics.new_tokens
            texts[mode.value] = message.text
    assert len(texts) == len(MODES)
    assert len(set(texts.values())) == 1
    assert last(stage).version_count == len(MODES)


async def test_stop_then_go_on(make_stage: MakeStage, engine: SharedEngine) -> None:
    stage = make_stage(engine)
    settle(
        stage,
        **{"sampling.max_new_tokens": 900, "sampling.temperature": 1.5, "sampling.top_k": 0, "sampling.top_p": 1.0},
    )
    stage.core.chat.send("Write a very long story, please.")
    await until(lambda: last(stage).text, patience_s=120)
    stage.core.chat.stop()
    stopped = await answered(stage)
    assert (stopped.state, stopped.stop_reason) in (
        (MessageState.COMPLETE, "cancelled"),
        (MessageState.COMPLETE, "stop_string"),  # it was quicker
    )
    settle(stage)
    assert (await ask(stage)).stop_reason != "cancelled"


async def test_continue_after_the_longest_answer(make_stage: MakeStage, engine: SharedEngine) -> None:
    stage = make_stage(engine)
    settle(stage, **{"sampling.max_new_tokens": 2})
    message = await ask(stage)
    assert message.stop_reason == "max_new_tokens"
    first = message.text
    settle(stage, **{"sampling.max_new_tokens": 8})
    stage.core.chat.continue_answer(message.id)
    message = await answered(stage)
    assert message.state is MessageState.COMPLETE
    assert message.text.startswith(first)
    assert "".join(span.text for span in message.spans) == message.text


@pytest.mark.parametrize("policy", ["drop_old_turns", "refuse"])
async def test_a_conversation_that_outgrows_the_context(
    make_stage: MakeStage, engine: SharedEngine, policy: str
) -> None:
    stage = make_stage(engine)
    settle(stage, **{"chat.context_policy": policy, "sampling.max_new_tokens": 4})
    store, conversation = stage.core._store, stage.core.chat.conversation_id
    turns = [Message(0, conversation, None, "assistant" if i % 2 else "user", "word " * 150) for i in range(10)]
    store.add_messages(*turns)
    stage.core.chat.open(conversation)
    message = await ask(stage)
    if policy == "refuse":
        assert (message.state, message.error_kind) == (MessageState.FAILED, "PromptTooLong")
        assert message.error
    else:
        assert message.state is MessageState.COMPLETE
        assert stage.core.chat.statistics.dropped_turns > 0
        assert (stage.core.chat.statistics.context_used or 0) <= 1024


async def test_a_message_that_is_too_long_by_itself_says_what_to_do(
    make_stage: MakeStage, engine: SharedEngine
) -> None:
    stage = make_stage(engine)
    settle(stage)
    message = await ask(stage, "word " * 3000)
    assert message.error_kind == "PromptTooLong"
    assert "1024" in (message.error or "").replace(",", "")
    assert (await ask(stage, "short")).state is MessageState.COMPLETE  # the long one had to leave
    assert stage.core.chat.statistics.dropped_turns == 1


async def test_the_context_meter_counts_tokens(make_stage: MakeStage, engine: SharedEngine) -> None:
    stage = make_stage(engine)
    settle(stage)
    await stage.core.model.ready()
    sizes: list[object] = []
    stage.core.chat.prompt_size_changed.connect(sizes.append)
    for count, text in enumerate(("Hello", "Hello there, how are you?"), 1):
        stage.core.chat.measure(text)
        await until(lambda: len(sizes) == count)  # noqa: B023
    short, longer = sizes
    assert 0 < short.tokens < longer.tokens <= longer.context_length == 1024  # type: ignore[attr-defined]


async def test_a_race_ends_with_identical_text(make_stage: MakeStage, engine: SharedEngine) -> None:
    stage = make_stage(engine)
    settle(stage)
    await stage.core.model.ready()
    stage.core.race.start(QUESTION)
    await until(lambda: not stage.core.race.running, patience_s=120)
    verdict = stage.core.race.verdict
    assert verdict is not None, [lane.error for lane in stage.core.race.lanes]
    assert verdict.identical
    assert verdict.speedup is not None
    assert verdict.speedup > 0


async def test_stop_during_the_load_returns_to_idle(make_stage: MakeStage) -> None:
    stage = make_stage(EngineService)
    settle(stage)
    stage.core.chat.send(QUESTION)
    await until(lambda: stage.core.model.status.state == "loading")
    stage.core.chat.stop()
    await answered(stage)
    assert stage.core.model.status.state == "none"
    assert (last(stage).text, last(stage).stop_reason) == ("", "cancelled")


async def test_a_folder_without_a_model_says_so(make_stage: MakeStage) -> None:
    stage = make_stage(EngineService)
    settle(stage, **{"model.target": "/nowhere/模型"})
    message = await ask(stage)
    assert message.state is MessageState.FAILED
    assert "模型" in (message.error or "")

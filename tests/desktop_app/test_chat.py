"""The chat over a scripted engine: what the user does, what is shown, what is on disk."""

import asyncio
import threading
import time

import pytest

from desktop_app.paths import Paths
from desktop_app.records import Message, MessageState
from desktop_app.store import Store
from engine.config import DecodingMode, Role
from engine.errors import DraftingFailed, GenerationFailed, ModelError, PromptTooLong
from engine.events import GenerationRequest, PromptSize, StopReason
from tests.desktop_app.conftest import MakeStage, Stage, until
from tests.desktop_app.fake_engine import FakeEngine, Plan


async def ready(stage: Stage, engine: FakeEngine) -> None:
    """Load the model."""
    stage.core.model.load()
    engine.finish()
    await until(lambda: stage.core.model.status.info)


async def answered(stage: Stage, engine: FakeEngine) -> Message:
    """Let the engine write the waiting answer to its end."""
    await until(lambda: engine.waiting)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    return last(stage)


def last(stage: Stage) -> Message:
    messages = stage.core.chat.messages
    return messages.message(messages.rowCount() - 1)


async def test_a_message_is_answered(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    assert stage.core.chat.send("Hello there")
    message = await answered(stage, engine)
    assert stage.rows() == [("user", "Hello there"), ("assistant", "Good day to you.")]
    assert message.state is MessageState.COMPLETE
    assert (message.stop_reason, message.seed, message.mode) == ("end_of_text", 7, "staged")
    assert message.statistics is not None
    assert message.statistics.new_tokens == 4
    assert "".join(span.text for span in message.spans) == message.text
    assert [span.origin for span in message.spans] == ["draft", "ngram", "target", "draft"]
    assert engine.requests[0].messages[-1].content == "Hello there"


async def test_the_question_is_on_disk_before_the_engine_hears_of_it(make_stage: MakeStage, paths: Paths) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.chat.send("Hello")
    assert not engine.requests
    other = Store(paths.database)  # what another process would see; it takes the waiting answer for interrupted
    assert [m.text for m in other.path(stage.core.chat.conversation_id)] == ["Hello", ""]
    other.close()


async def test_text_that_arrived_is_on_disk_within_a_second(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    await until(lambda: engine.waiting)
    engine.step(4)  # two words, and then nothing more happens
    await until(lambda: last(stage).text == "Good day ")
    begun_s = time.monotonic()
    store = stage.core._store
    await until(lambda: store.path(stage.core.chat.conversation_id)[-1].text == "Good day ")
    assert time.monotonic() - begun_s < 1.0


async def test_a_message_while_the_model_loads_waits_and_says_so(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    engine.step()  # loading goes on
    assert stage.core.chat.send("Hello")
    assert last(stage).state is MessageState.QUEUED
    assert stage.core.chat.busy
    engine.finish()
    message = await answered(stage, engine)
    assert message.text == "Good day to you."


async def test_stop_while_the_model_loads_leaves_nothing_that_answers_later(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    stage.core.chat.send("Hello")
    await until(lambda: stage.core.chat.busy)
    stage.core.chat.stop()
    await until(lambda: not stage.core.chat.busy)
    assert stage.core.model.status.state == "none"
    assert (last(stage).state, last(stage).stop_reason, last(stage).text) == (MessageState.COMPLETE, "cancelled", "")
    assert engine.cancelled == [1]
    await ready(stage, engine)
    assert not engine.requests


async def test_stop_at_once_after_send(make_stage: MakeStage) -> None:
    """The task of the answer may not have begun."""
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    stage.core.chat.stop()
    await until(lambda: not stage.core.chat.busy)
    assert last(stage).stop_reason == "cancelled"
    assert not engine.requests


async def test_stop_keeps_what_was_written(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    await until(lambda: engine.waiting)
    engine.step(3)
    await until(lambda: last(stage).text)
    stage.core.chat.stop()
    await until(lambda: not stage.core.chat.busy)
    assert (last(stage).text, last(stage).stop_reason) == ("Good ", "cancelled")
    assert stage.core._store.path(stage.core.chat.conversation_id)[-1].text == "Good "


async def test_messages_sent_while_an_answer_runs_are_answered_in_order(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["one"]), Plan(["two"])])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("first")
    await until(lambda: engine.waiting)
    stage.core.chat.send("second")
    engine.finish()
    await until(lambda: len(engine.requests) == 2)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    assert stage.rows() == [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")]
    assert [m.content for m in engine.requests[1].messages] == ["first", "one", "second"]


async def test_an_answer_goes_on_while_another_conversation_is_open(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    first = stage.core.chat.conversation_id
    await until(lambda: engine.waiting)
    engine.step(2)
    stage.core.conversations.new()
    assert stage.rows() == []
    engine.step(2)
    await until(lambda: stage.core._answers._answers)
    stage.core.chat.open(first)
    assert last(stage).state is MessageState.WRITING
    assert stage.core.chat.statistics.running
    message = await answered(stage, engine)
    assert message.text == "Good day to you."
    assert stage.core.chat.statistics.totals.new_tokens == 4


async def test_regenerate_keeps_versions_to_browse(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["one"]), Plan(["two"]), Plan(["after two"])])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("question")
    first = await answered(stage, engine)
    stage.core.chat.regenerate(first.id)
    second = await answered(stage, engine)
    assert (second.text, second.version, second.version_count) == ("two", 1, 2)
    stage.core.chat.send("more")
    await answered(stage, engine)
    stage.core.chat.show_version(second.id, 0)
    assert stage.rows() == [("user", "question"), ("assistant", "one")]
    stage.core.chat.show_version(first.id, 1)
    assert [text for _, text in stage.rows()] == ["question", "two", "more", "after two"]
    assert stage.core.chat.statistics.totals.new_tokens == 2


async def test_regenerating_with_a_fixed_seed_says_that_nothing_will_change(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.settings.set("sampling.seed", 5)
    stage.core.chat.send("question")
    message = await answered(stage, engine)
    assert message.seed == 5
    stage.core.chat.regenerate(message.id)
    assert len(stage.notices) == 1
    await answered(stage, engine)


async def test_edit_makes_another_version_of_the_question(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["one"]), Plan(["two"])])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("qestion")
    await answered(stage, engine)
    question = stage.core.chat.messages.message(0)
    assert stage.core.chat.edit(question.id, "question")
    await answered(stage, engine)
    assert stage.rows() == [("user", "question"), ("assistant", "two")]
    assert stage.core.chat.messages.message(0).version_count == 2
    assert [m.content for m in engine.requests[1].messages] == ["question"]


async def test_continue_writes_on_in_the_same_message(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["one "], reason=StopReason.MAX_NEW_TOKENS), Plan(["two"])])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("count")
    message = await answered(stage, engine)
    stage.core.chat.continue_answer(message.id)
    await until(lambda: engine.waiting)
    engine.step(3)
    await until(lambda: last(stage).text == "one two")
    assert stage.core.chat.statistics.totals.new_tokens == 2
    message = await answered(stage, engine)
    assert stage.rows() == [("user", "count"), ("assistant", "one two")]
    assert engine.requests[1].messages[-1].role is Role.ASSISTANT
    assert engine.requests[1].messages[-1].content == "one "
    assert [span.round_index for span in message.spans] == [0, 1]
    assert message.statistics is not None
    assert message.statistics.new_tokens == 2
    assert stage.core.chat.statistics.totals.new_tokens == 2
    assert message.stop_reason == "end_of_text"


async def test_delete_and_undo(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(["one"]), Plan(["two"])])
    stage = make_stage(engine)
    await ready(stage, engine)
    for text in ("first", "second"):
        stage.core.chat.send(text)
        await answered(stage, engine)
    before = stage.rows()
    stage.core.chat.delete(stage.core.chat.messages.message(2).id)
    assert stage.rows() == before[:2]
    stage.undos[0]()
    assert stage.rows() == before


async def test_deleting_an_answer_that_is_being_written_stops_it(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    await until(lambda: engine.waiting)
    stage.core.chat.delete(last(stage).id)
    await until(lambda: not stage.core.chat.busy)
    assert stage.rows() == [("user", "Hello")]


@pytest.mark.parametrize("error", [GenerationFailed("it broke"), DraftingFailed("the draft broke")])
async def test_a_broken_answer_says_why_and_can_be_tried_again(make_stage: MakeStage, error: Exception) -> None:
    engine = FakeEngine([Plan(["half "], error=error), Plan(["whole"])])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    message = await answered(stage, engine)
    assert (message.state, message.text, message.error) == (MessageState.FAILED, "half ", str(error))
    assert message.plain_may_help == isinstance(error, DraftingFailed)
    stage.core.chat.regenerate(message.id, plain=message.plain_may_help)
    message = await answered(stage, engine)
    assert (message.state, message.text, message.error) == (MessageState.COMPLETE, "whole", None)
    wanted = DecodingMode.PLAIN if isinstance(error, DraftingFailed) else DecodingMode.STAGED
    assert engine.requests[1].decoding.mode is wanted


async def test_a_model_that_cannot_be_loaded_fails_the_message_and_the_next_try_loads_again(
    make_stage: MakeStage,
) -> None:
    engine = FakeEngine(load_error=ModelError("not enough memory"))
    stage = make_stage(engine)
    stage.core.chat.send("Hello")
    message = await answered(stage, engine)
    assert (message.state, message.error, message.error_kind) == (
        MessageState.FAILED,
        "not enough memory",
        "ModelError",
    )
    engine.load_error = None
    stage.core.chat.regenerate(message.id)
    await until(lambda: engine.waiting)
    engine.finish()  # the load
    message = await answered(stage, engine)
    assert message.text == "Good day to you."
    assert message.version_count == 2
    assert len(engine.loads) == 2


async def test_mode_and_sampling_reach_the_next_message(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("one")
    await until(lambda: engine.waiting)
    stage.core.settings.set("decoding.mode", "tree")
    stage.core.settings.set("sampling.top_k", 5)
    await answered(stage, engine)
    assert engine.requests[0].decoding.mode is DecodingMode.STAGED
    stage.core.chat.send("two")
    assert (await answered(stage, engine)).mode == "tree"
    assert engine.requests[1].decoding.mode is DecodingMode.TREE
    assert engine.requests[1].sampling.top_k == 5


async def test_turns_that_had_to_leave_are_shown(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(dropped_turns=3)])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    await answered(stage, engine)
    assert stage.core.chat.statistics.dropped_turns == 3


async def test_a_prompt_that_is_refused_says_so_in_its_row(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan([], error=PromptTooLong("1,500 tokens; 1,024 fit"))])
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.settings.set("chat.context_policy", "refuse")
    stage.core.chat.send("long")
    message = await answered(stage, engine)
    assert engine.requests[0].context_policy == "refuse"
    assert message.error == "1,500 tokens; 1,024 fit"


async def test_closing_in_mid_answer_saves_what_was_written(make_stage: MakeStage, paths: Paths) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    conversation_id = stage.core.chat.conversation_id
    await until(lambda: engine.waiting)
    engine.step(3)  # not delivered yet when the window closes
    await stage.close()
    assert engine.closed
    store = Store(paths.database)
    message = store.path(conversation_id)[-1]
    assert (message.text, message.state, message.stop_reason) == ("Good ", MessageState.COMPLETE, "cancelled")
    store.close()


async def test_titles_come_from_the_first_message(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("# What is *speculative decoding*?\nIn a word.")
    await answered(stage, engine)
    conversation = stage.core.conversations.all.conversation(stage.core.chat.conversation_id)
    assert conversation is not None
    assert conversation.title == "What is speculative decoding?"


async def test_drafts_are_kept_per_conversation(make_stage: MakeStage) -> None:
    stage = make_stage()
    first = stage.core.chat.conversation_id
    stage.core.chat.save_draft("half a thou")
    stage.core.conversations.new()
    assert stage.core.chat.conversation_id != first
    assert stage.core.chat.draft == ""
    stage.core.chat.open(first)
    assert stage.core.chat.draft == "half a thou"


async def test_the_context_meter(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    sizes: list[object] = []
    stage.core.chat.prompt_size_changed.connect(sizes.append)
    for text in ("H", "He", "Hel"):  # only the last one counts
        stage.core.chat.measure(text)
    await until(lambda: sizes)
    engine.size = PromptTooLong("too long")
    stage.core.chat.measure("Hell")
    await until(lambda: len(sizes) == 2)
    assert sizes[1] is None


async def test_a_measurement_that_was_overtaken_is_not_shown(make_stage: MakeStage) -> None:
    class SlowEngine(FakeEngine):
        measured = 0
        go_on = threading.Event()

        def prompt_size(self, _request: GenerationRequest) -> PromptSize:
            self.measured += 1
            assert self.go_on.wait(20)
            return PromptSize(self.measured, 1024, 0)

    engine = SlowEngine()
    stage = make_stage(engine)
    sizes: list[PromptSize] = []
    stage.core.chat.prompt_size_changed.connect(sizes.append)
    stage.core.chat.measure("old")
    await until(lambda: engine.measured)
    stage.core.chat.measure("new")
    engine.go_on.set()
    await until(lambda: sizes)
    assert [size.tokens for size in sizes] == [2]


async def test_a_full_disk_is_told_and_the_message_is_not_lost(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core._store._database.rows("PRAGMA max_page_count = 1")  # SQLite's own "disk full"
    assert not stage.core.chat.send("x" * 200_000)
    assert "full" in stage.problems[-1]
    assert stage.rows() == []
    stage.core._store._database.rows("PRAGMA max_page_count = 1000000")
    assert stage.core.chat.send("short")
    await answered(stage, engine)


async def test_closing_while_the_context_is_measured(make_stage: MakeStage) -> None:
    stage = make_stage()
    sizes: list[object] = []
    stage.core.chat.prompt_size_changed.connect(sizes.append)
    stage.core.chat.measure("Hello")
    await asyncio.sleep(0)
    await stage.close()
    assert not stage.core._meter._tasks._running
    stage.core.chat.measure("Hello")  # a view that has not heard of it yet
    assert not stage.core._meter._tasks._running
    assert sizes == []


async def test_an_answer_that_ended_is_kept_small(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    await ready(stage, engine)
    stage.core.chat.send("Hello")
    message = await answered(stage, engine)
    assert message.spans._spans is None  # packed until somebody looks
    assert len(message.spans) == 4

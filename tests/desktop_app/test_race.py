"""Plain against the chosen mode: the same prompt, the same seed, measured and compared."""

import pytest
from PySide6.QtTest import QSignalSpy

from desktop_app.race import LaneState
from desktop_app.verdict import first_difference, judge
from engine.config import DecodingMode
from engine.errors import GenerationFailed
from tests.desktop_app.conftest import MakeStage, Stage, until
from tests.desktop_app.fake_engine import FakeEngine, Plan, model_info


async def race(stage: Stage, engine: FakeEngine, text: str = "Hello") -> None:
    """Run a race to its end."""
    if stage.core.model.status.info is None:
        stage.core.model.load()
        engine.finish()
        await until(lambda: stage.core.model.status.info)
    stage.core.race.start(text)
    while stage.core.race.running:
        await until(lambda: engine.waiting or not stage.core.race.running)
        engine.finish()


async def test_a_race_ends_with_identical_text_and_a_measured_factor(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(round_s=0.2), Plan(round_s=0.1)])
    stage = make_stage(engine)
    finished = QSignalSpy(stage.core.race.finished)
    await race(stage, engine)
    plain, staged = stage.core.race.lanes
    assert (plain.mode, staged.mode) == ("plain", "staged")
    assert plain.text == staged.text == "Good day to you."
    assert plain.elapsed_s == pytest.approx(0.05 + 4 * 0.2)
    verdict = stage.core.race.verdict
    assert verdict is not None
    assert verdict.identical
    assert verdict.speedup == pytest.approx(0.85 / 0.45)
    assert verdict.text == "Identical text, 1.9 times faster"
    assert finished.count() == 1
    assert [request.reuse_cache for request in engine.requests] == [False, False]
    seeds = {request.sampling.seed for request in engine.requests}
    assert len(seeds) == 1
    assert None not in seeds
    assert stage.rows() == []  # nothing was added to the conversation


async def test_an_answer_is_raced_with_its_own_seed(make_stage: MakeStage) -> None:
    """What the race shows is what the conversation says; a new question has a seed of its own."""
    engine = FakeEngine()
    stage = make_stage(engine)
    await race(stage, engine, "A first one, of which nothing stays")
    assert stage.core.chat.send("Hello")
    await until(lambda: engine.waiting)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    messages = stage.core.chat.messages
    seed = messages.message(messages.rowCount() - 1).seed
    assert seed is not None
    engine.requests.clear()
    await race(stage, engine, "")
    assert [request.sampling.seed for request in engine.requests] == [seed, seed]
    engine.requests.clear()
    await race(stage, engine, "And now?")
    other, again = [request.sampling.seed for request in engine.requests]
    assert other == again != seed


async def test_slower_is_shown_as_it_is(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(round_s=0.1), Plan(round_s=0.2)])
    stage = make_stage(engine)
    await race(stage, engine)
    assert stage.core.race.verdict is not None
    assert stage.core.race.verdict.text == "Identical text, slower: 0.53 times the speed"


@pytest.mark.parametrize(("dtype", "exact", "word"), [("bfloat16", False, "16 bit"), ("float32", True, "report")])
async def test_a_difference_is_shown_with_its_reason(make_stage: MakeStage, dtype: str, exact: bool, word: str) -> None:
    engine = FakeEngine([Plan(["Good ", "day"]), Plan(["Good ", "bye"])])
    engine.info = model_info(dtype=dtype, exact=exact)
    stage = make_stage(engine)
    await race(stage, engine)
    verdict = stage.core.race.verdict
    assert verdict is not None
    assert (verdict.identical, verdict.first_difference) == (False, 5)
    assert word in verdict.text
    assert "character 6" in verdict.text


async def test_where_plain_is_chosen_it_races_against_staged(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.settings.set("decoding.mode", "plain")
    await race(stage, engine)
    assert [request.decoding.mode for request in engine.requests] == [DecodingMode.PLAIN, DecodingMode.STAGED]


async def test_a_race_repeats_the_last_question(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    engine.finish()
    stage.core.chat.send("question")
    await until(lambda: engine.waiting)
    engine.finish()
    await until(lambda: not stage.core.chat.busy)
    await race(stage, engine, "")
    assert [m.content for m in engine.requests[-1].messages] == ["question"]


async def test_a_race_can_be_stopped(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    engine.finish()
    stage.core.race.start("Hello")
    await until(lambda: engine.waiting)
    engine.step(2)
    stage.core.race.stop()
    await until(lambda: not stage.core.race.running)
    assert [lane.state for lane in stage.core.race.lanes] == [LaneState.STOPPED, LaneState.WAITING]
    assert stage.core.race.verdict is None
    stage.core.race.start("again")
    stage.core.race.stop()  # before it began
    await until(lambda: not stage.core.race.running)
    assert stage.core.race.lanes[0].state is LaneState.STOPPED


async def test_a_lane_that_breaks_ends_the_race(make_stage: MakeStage) -> None:
    engine = FakeEngine([Plan(), Plan(["half"], error=GenerationFailed("it broke"))])
    stage = make_stage(engine)
    await race(stage, engine)
    assert [lane.state for lane in stage.core.race.lanes] == [LaneState.DONE, LaneState.FAILED]
    assert stage.core.race.lanes[1].error == "it broke"
    assert stage.core.race.verdict is None


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [("", "", None), ("a", "a", None), ("a", "b", 0), ("ab", "a", 1), ("a", "ab", 1), ("ä你", "ä好", 1)],
)
def test_first_difference(one: str, other: str, difference: int | None) -> None:
    assert first_difference(one, other) == difference


def test_nothing_measured_is_not_invented() -> None:
    assert judge("", "", None, exact=True).text == "Identical text, too short to measure"

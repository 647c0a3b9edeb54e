"""Loading the model: progress, failure, cancelling, and what the draft picker has to say."""

import dataclasses

from desktop_app.model_controller import DraftState, ModelState, ModelStatus
from engine.config import BUILTIN
from engine.errors import IncompatibleDraft, ModelError
from engine.events import Ready
from tests.desktop_app.conftest import MakeStage, until
from tests.desktop_app.fake_engine import FakeEngine, model_info


async def test_progress_then_ready(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    seen: list[ModelStatus] = []
    stage.core.model.status_changed.connect(seen.append)
    assert stage.core.model.status.state is ModelState.NONE
    stage.core.model.load()
    engine.step()
    await until(lambda: seen[-1].progress == 0.5)
    assert (seen[-1].state, seen[-1].stage, seen[-1].draft) == (
        ModelState.LOADING,
        "reading weights",
        DraftState.LOADING,
    )
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.READY)
    assert seen[-1].info is engine.info
    assert seen[-1].draft is DraftState.COMPATIBLE
    assert stage.core.diagnostics.model is engine.info


async def test_states_of_the_draft(make_stage: MakeStage) -> None:
    engine = FakeEngine(load_error=IncompatibleDraft("another vocabulary"))
    stage = make_stage(engine)
    stage.core.model.load()
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.FAILED)
    assert stage.core.model.status.draft is DraftState.INCOMPATIBLE
    assert stage.core.model.status.error == "another vocabulary"
    engine.load_error, engine.info = None, model_info(draft=None, parameters_draft=None)
    stage.core.model.load()
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.READY)
    assert stage.core.model.status.draft is DraftState.NONE


async def test_cancel(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    engine.step()
    stage.core.model.cancel()
    assert stage.core.model.status.state is ModelState.NONE
    await until(lambda: not engine.waiting)
    stage.core.model.cancel()  # nothing to cancel
    assert engine.cancelled == [1]


async def test_a_second_load_takes_the_place_of_the_first(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    engine.step()
    stage.core.settings.set("model.threads", 2)
    stage.core.model.load()
    assert engine.cancelled == [1]
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.READY)
    assert [spec.threads for spec in engine.loads] == [None, 2]


async def test_settings_that_need_a_reload_say_so(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.READY)
    for key, value in (
        ("model.threads", 3),
        ("model.dtype", "float32"),
        ("decoding.draft", "/d"),
        ("model.device", "cpu"),
    ):
        stage.core.settings.set(key, value)
        assert stage.core.model.status.needs_reload, key
        stage.core.settings.set(key, stage.core.settings.table[key].default)
        assert not stage.core.model.status.needs_reload, key
    stage.core.settings.set("sampling.top_k", 3)
    assert not stage.core.model.status.needs_reload


async def test_a_setting_that_changed_while_loading_needs_a_reload(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    stage.core.model.load()
    stage.core.settings.set("model.threads", 3)
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.READY)
    assert stage.core.model.status.needs_reload
    stage.core.model.load()
    engine.finish()
    await until(lambda: stage.core.model.status.state is ModelState.READY)
    assert not stage.core.model.status.needs_reload
    assert dataclasses.asdict(engine.loads[-1])["threads"] == 3


async def test_a_failed_switch_goes_back_to_the_model_of_before(make_stage: MakeStage) -> None:
    engine = FakeEngine()
    stage = make_stage(engine)
    model, settings = stage.core.model, stage.core.settings
    settings.set("model.dtype", "float32")
    model.load()
    engine.finish()
    await until(lambda: model.status.state is ModelState.READY)
    settings.set("model.target", "/damaged")
    settings.set("model.dtype", "bfloat16")
    engine.load_error = ModelError("/damaged: weights are damaged")
    model.load()
    stage.core.chat.send("Hi")  # waits for whichever model there will be
    engine.finish()
    await until(lambda: len(engine.loads) == 3)
    assert model.status.state is ModelState.LOADING
    assert stage.problems == [
        "The model of before is loaded again. The other could not be: /damaged: weights are damaged"
    ]
    engine.load_error = None
    engine._queue[0][1][-1] = Ready(engine._queue[0][0], 1, engine.info)
    engine.finish()
    await until(lambda: model.status.state is ModelState.READY)
    assert engine.loads[2] == engine.loads[0]
    assert (settings.get("model.target"), settings.get("model.dtype")) == (BUILTIN, "float32")
    assert not model.status.needs_reload
    await until(lambda: engine.requests)
    engine.finish()
    await until(lambda: stage.rows()[-1] == ("assistant", "Good day to you."))


async def test_without_a_model_of_before_a_failed_load_is_the_end(make_stage: MakeStage) -> None:
    """Nor is the same model tried again, or a model of before that fails too."""
    engine = FakeEngine(load_error=ModelError("no memory"))
    stage = make_stage(engine)
    model = stage.core.model

    async def fails(loads: int) -> None:
        while engine.waiting:
            engine.finish()
            await until(lambda: engine.waiting or model.status.state is not ModelState.LOADING)
        assert (model.status.state, model.status.error, len(engine.loads)) == (ModelState.FAILED, "no memory", loads)

    model.load()
    await fails(loads=1)
    engine.load_error = None
    model.load()
    engine.finish()
    await until(lambda: model.status.state is ModelState.READY)
    engine.load_error = ModelError("no memory")
    model.load()
    await fails(loads=3)
    engine.load_error = None
    model.load()
    engine.finish()
    await until(lambda: model.status.state is ModelState.READY)
    engine.load_error = ModelError("no memory")
    stage.core.settings.set("model.target", "/larger")
    model.load()
    await fails(loads=6)


async def test_a_closed_engine_fails_the_load(make_stage: MakeStage) -> None:
    class Closed(FakeEngine):
        def load(self, _spec: object) -> int:
            raise ModelError("the engine is closed")

    stage = make_stage(Closed())
    stage.core.model.load()
    assert stage.core.model.status.state is ModelState.FAILED
    assert stage.core.model.status.error == "the engine is closed"

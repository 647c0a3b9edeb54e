"""N-gram tables that make themselves while nothing else is to be done. Time and the sampling process are staged."""

import asyncio
import contextlib
import multiprocessing
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from desktop_app.core import Core
from desktop_app.idle import SETTLES_AFTER_MS
from desktop_app.model_controller import ModelState
from desktop_app.models.library_model import LibraryRow
from desktop_app.table_job import obey
from desktop_app.tables import BUILD_KEY
from engine.errors import Cancelled, LibraryError
from engine.library.control import Control
from engine.library.library import Library
from tests.desktop_app.conftest import MakeStage, Stage, until
from tests.desktop_app.fake_engine import FakeEngine
from tests.engine.library.checkpoints import write_checkpoint


class FakeJob:
    """A process that does what the test says."""

    def __init__(self, folder: Path, model_id: str, report: Callable[[int, int], None]) -> None:
        self.folder, self.model_id, self.report = folder, model_id, report
        self.held = False
        self.end: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    @property
    def table(self) -> Path:
        return self.folder / "families" / self.model_id / "ngram.npz"

    async def run(self) -> bool:
        return await self.end

    def hold(self, still: bool) -> None:
        self.held = still

    def pause(self) -> None:
        if not self.end.done():
            self.end.set_result(False)

    def finish(self) -> None:
        self.table.touch()
        self.end.set_result(True)


class Scene:
    """A core with own families that want tables, and the jobs that were started."""

    def __init__(self, stage: Stage, engine: FakeEngine) -> None:
        self.stage, self.engine, self.core = stage, engine, stage.core
        self.jobs: list[FakeJob] = []
        self.notices: list[str] = []
        self.core.library.notice.connect(self.notices.append)
        self.core.library._tables._make_job = self._make_job  # type: ignore[assignment]

    def _make_job(self, folder: Path, model_id: str, report: Callable[[int, int], None]) -> FakeJob:
        self.jobs.append(FakeJob(folder, model_id, report))
        return self.jobs[-1]

    def row(self, model_id: str = "own") -> LibraryRow:
        row = self.core.library.models.row(model_id)
        assert row is not None
        return row

    async def load(self) -> None:
        self.core.model.load()
        self.engine.finish()
        await until(lambda: self.core.model.status.state is ModelState.READY)

    async def settle(self) -> None:
        """Nothing is done for the time that it takes; what follows from it is over when this returns."""
        let_time_pass(self.core)
        await self.looks()

    async def looks(self) -> None:
        """The disk is looked at as often as was asked for."""
        await until(lambda: not self.core.library._tasks._running)


def let_time_pass(core: Core) -> None:
    timer = core.idle.timer
    assert timer.isActive()
    assert timer.interval() == SETTLES_AFTER_MS
    timer.stop()
    timer.timeout.emit()


MakeScene = Callable[..., Awaitable[Scene]]


@pytest.fixture
def make_scene(make_stage: MakeStage, tmp_path: Path) -> MakeScene:
    """Makes a scene whose model is loaded, within a test's coroutine."""
    library = Library(tmp_path / "models")
    draft = write_checkpoint(tmp_path / "draft")
    for name in ("own", "other"):
        library.add(str(write_checkpoint(tmp_path / name)), str(draft))

    async def make(in_use: str = "own") -> Scene:
        engine = FakeEngine()
        scene = Scene(make_stage(engine), engine)
        scene.core.settings.set("model.target", str(tmp_path / "models" / "families" / in_use))
        await scene.load()
        return scene

    return make


async def test_missing_tables_are_made_one_by_one_that_in_use_first(make_scene: MakeScene) -> None:
    scene = await make_scene(in_use="own")
    assert scene.jobs == []
    await scene.settle()
    assert [job.model_id for job in scene.jobs] == ["own"]
    assert not scene.jobs[0].held
    assert scene.row().is_sampling
    scene.jobs[0].report(500_000, 2_000_000)
    assert scene.row().progress == 0.25
    assert "500,000 of 2,000,000" in scene.row().activity
    scene.jobs[0].finish()
    await until(lambda: len(scene.jobs) == 2)
    assert scene.jobs[1].model_id == "other"
    assert scene.row().table == "With an n-gram table"
    assert not scene.row().is_sampling
    assert scene.notices == ["own has an n-gram table now; it is used when the model is loaded again."]
    scene.jobs[1].finish()
    await until(lambda: scene.row("other").table == "With an n-gram table")
    await scene.looks()
    assert len(scene.jobs) == 2


async def test_nothing_is_made_before_there_is_a_model(make_stage: MakeStage) -> None:
    stage = make_stage()
    assert stage.core.idle.is_busy
    assert not stage.core.idle.timer.isActive()


async def test_an_answer_holds_the_job_at_once_and_for_a_while(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.settle()
    job = scene.jobs[0]
    scene.core.chat.send("Hi")
    assert job.held
    assert "waits until nothing else is done" in scene.row().activity
    await until(lambda: scene.engine.requests)
    scene.engine.finish()
    await until(lambda: not scene.core.chat.busy)
    assert job.held  # the next question may be on its way
    await scene.settle()
    assert not job.held
    assert "waits" not in scene.row().activity
    assert scene.jobs == [job]


async def test_a_load_holds_the_job_at_once(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.settle()
    scene.core.model.load()
    assert scene.jobs[0].held
    scene.engine.finish()
    await until(lambda: scene.core.model.status.state is ModelState.READY)
    assert scene.jobs[0].held
    await scene.settle()
    assert not scene.jobs[0].held


async def test_races_and_downloads_hold_the_job(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.settle()
    scene.core.race.start("Hi")
    await until(lambda: scene.jobs[0].held, "for the race")
    scene.core.race.stop()
    await until(lambda: not scene.core.race.running)
    await until(lambda: not scene.core.idle.is_busy)
    await scene.settle()
    assert not scene.jobs[0].held
    scene.core.library.download("gpt2")
    assert scene.jobs[0].held
    scene.core.library.cancel("gpt2")


async def test_something_begins_before_the_time_is_over(make_scene: MakeScene) -> None:
    scene = await make_scene()
    assert scene.core.idle.timer.isActive()
    scene.core.chat.send("Hi")
    assert not scene.core.idle.timer.isActive()
    assert scene.jobs == []


async def test_the_setting_stops_and_starts_it(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.core.settings.set(BUILD_KEY, False)
    await scene.settle()
    assert scene.jobs == []
    scene.core.settings.set(BUILD_KEY, True)
    await until(lambda: scene.jobs)
    scene.core.settings.set(BUILD_KEY, False)
    await until(lambda: not scene.row().is_sampling)
    assert scene.jobs[0].end.result() is False
    scene.core.settings.set(BUILD_KEY, True)
    await until(lambda: len(scene.jobs) == 2)
    assert scene.jobs[1].model_id == "own"


async def test_what_was_asked_for_starts_at_once_and_the_setting_lets_it_run(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.core.library.refresh()
    await scene.looks()
    scene.core.library.make_table("other")
    assert [job.model_id for job in scene.jobs] == ["other"]
    assert not scene.jobs[0].held
    scene.core.settings.set(BUILD_KEY, False)
    await scene.looks()
    assert not scene.jobs[0].end.done()


async def test_what_was_paused_stays_so_over_restarts_until_it_is_asked_for(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.settle()
    scene.core.library.pause("own")
    await until(lambda: len(scene.jobs) == 2)
    assert scene.jobs[1].model_id == "other"  # the next one's turn
    scene.core.library.pause("other")
    await scene.looks()
    await scene.stage.close()
    again = await make_scene()
    await again.settle()
    assert again.jobs == []
    again.core.library.make_table("own")
    assert [job.model_id for job in again.jobs] == ["own"]
    await again.stage.close()
    later = await make_scene()
    await later.settle()
    assert [job.model_id for job in later.jobs] == ["own"]


async def test_closing_stops_the_job_and_the_next_start_goes_on(make_scene: MakeScene, tmp_path: Path) -> None:
    scene = await make_scene()
    await scene.settle()
    (tmp_path / "models" / "families" / "own" / "ngram.draft.samples").write_bytes(bytes(4 * 500_000))
    await scene.stage.close()
    assert scene.jobs[0].end.result() is False
    again = await make_scene()
    again.core.library.refresh()
    await again.looks()
    assert again.row().table == "25% of an n-gram table"
    assert again.row().table_is_begun
    await again.settle()
    assert [job.model_id for job in again.jobs] == ["own"]


async def test_cancel_deletes_what_was_sampled(make_scene: MakeScene, tmp_path: Path) -> None:
    scene = await make_scene()
    await scene.settle()
    samples = tmp_path / "models" / "families" / "own" / "ngram.draft.samples"
    samples.write_bytes(bytes(4000))
    scene.core.library.cancel("own")
    await until(lambda: not samples.exists())
    await until(lambda: not scene.row().is_sampling and not scene.row().table_is_begun)
    await scene.looks()
    assert "own" not in [job.model_id for job in scene.jobs[1:]]


async def test_failure_is_told_once(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.settle()
    scene.jobs[0].end.set_exception(LibraryError("not enough memory"))
    await until(lambda: scene.row().error == "not enough memory")
    await scene.looks()
    assert [job.model_id for job in scene.jobs] == ["own", "other"]


async def test_a_battery_is_spared(make_scene: MakeScene, monkeypatch: pytest.MonkeyPatch) -> None:
    battery = SimpleNamespace(power_plugged=False)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery, raising=False)
    scene = await make_scene()
    await scene.settle()
    assert scene.jobs == []
    battery.power_plugged = True
    scene.core.library.refresh()
    await until(lambda: scene.jobs)


def test_process_obeys_and_ends_with_the_application() -> None:
    """However the application ends: then nobody holds the other end of the line."""
    (line, its_line), control = multiprocessing.Pipe(), Control()
    listener = threading.Thread(target=obey, args=(its_line, control))
    listener.start()
    worker = threading.Thread(target=_until_cancelled, args=(control,))
    line.send(True)
    line.close()
    listener.join(10)
    worker.start()
    worker.join(10)
    assert not listener.is_alive()
    assert not worker.is_alive()


def _until_cancelled(control: Control) -> None:
    with contextlib.suppress(Cancelled):
        while True:
            control.check()

"""N-gram tables in the making: on the user's word, and by themselves while nobody needs the machine."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, Signal

from desktop_app.idle import Idle
from desktop_app.settings import Settings
from desktop_app.table_job import TableJob
from desktop_app.tasks import Tasks
from engine.errors import EngineError

BUILD_KEY = "model.build_tables"
PAUSED_KEY = "model.paused_tables"

MakeJob = Callable[[Path, str, Callable[[int, int], None]], TableJob]


@dataclass(slots=True)
class _Work:
    """One table. `sampled` and `wanted` are tokens; `by_itself` where nobody asked for it."""

    job: TableJob
    by_itself: bool
    sampled: int = 0
    wanted: int = 0
    task: "asyncio.Task[None] | None" = None


class Tables(QObject):
    """Makes tables one after the other; all stand still while something else is done. Used on a running event loop.

    progressed   (model id, tokens sampled, tokens wanted or 0 where that is not known yet)
    ended        (model id, whether there is a table now, one line where it failed)
    """

    progressed = Signal(str, int, int)
    ended = Signal(str, bool, str)

    def __init__(
        self, settings: Settings, idle: Idle, parent: QObject | None = None, make_job: MakeJob = TableJob
    ) -> None:
        super().__init__(parent)
        self.is_held = False
        self._settings, self._idle, self._make_job = settings, idle, make_job
        self._work: dict[str, _Work] = {}
        self._tasks = Tasks()
        self._turn = asyncio.Lock()
        idle.disturbed.connect(lambda: self._hold(True))
        idle.settled.connect(lambda: self._hold(False))
        settings.changed.connect(self._setting_changed)

    def __contains__(self, model_id: str) -> bool:
        return model_id in self._work

    def make(self, folder: Path, model_id: str) -> None:
        """Make a model's table now, going on where it was stopped. `folder` is the one of all models."""
        self._remember(model_id, paused=False)
        self._start(folder, model_id, by_itself=False)

    def offer(self, folder: Path, model_ids: Iterable[str]) -> None:
        """Make the first of these tables that the user has not paused, if this is a moment for it."""
        if self._work or not self._idle.is_settled or not self._settings.flag(BUILD_KEY) or _is_on_battery():
            return
        paused = self._settings.texts(PAUSED_KEY)
        model_id = next((model_id for model_id in model_ids if model_id not in paused), None)
        if model_id is not None:
            self._start(folder, model_id, by_itself=True)

    def pause(self, model_id: str) -> None:
        """Stop until the user says so; what was sampled is kept."""
        self._remember(model_id, paused=True)
        self._work[model_id].job.pause()

    async def stop(self, model_id: str) -> None:
        """Pause, and wait until nothing more is written."""
        task = self._work[model_id].task
        self.pause(model_id)
        if task is not None:
            await asyncio.wait([task])

    async def close(self) -> None:
        """End all; the next start of the application goes on."""
        for work in self._work.values():
            work.job.pause()
        await self._tasks.wait()

    def _start(self, folder: Path, model_id: str, by_itself: bool) -> None:
        if model_id not in self._work:
            job = self._make_job(folder, model_id, lambda sampled, wanted: self._show(model_id, sampled, wanted))
            work = self._work[model_id] = _Work(job, by_itself)
            work.task = self._tasks.start(self._run(model_id, job))
            self._hold(self._idle.is_busy)

    async def _run(self, model_id: str, job: TableJob) -> None:
        made, error = False, ""
        try:
            async with self._turn:
                made = await job.run()
        except EngineError as reason:
            error = str(reason)
        del self._work[model_id]
        self.ended.emit(model_id, made, error)

    def _show(self, model_id: str, sampled: int, wanted: int) -> None:
        work = self._work[model_id]
        work.sampled, work.wanted = sampled, wanted
        self.progressed.emit(model_id, sampled, wanted)

    def _hold(self, still: bool) -> None:
        self.is_held = still
        for model_id, work in self._work.items():
            work.job.hold(still)
            self.progressed.emit(model_id, work.sampled, work.wanted)

    def _remember(self, model_id: str, paused: bool) -> None:
        others = [other for other in self._settings.texts(PAUSED_KEY) if other != model_id]
        self._settings.set(PAUSED_KEY, [*others, model_id] if paused else others)

    def _setting_changed(self, key: str, value: object) -> None:
        if key == BUILD_KEY and value is False:
            for work in self._work.values():
                if work.by_itself:
                    work.job.pause()


def _is_on_battery() -> bool:
    """Nobody should find a laptop empty for a table."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return battery is not None and battery.power_plugged is False

"""Tests of the desktop application: coroutines run on a Qt event loop, and everything lives in a temporary folder."""

import asyncio
import inspect
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from desktop_app.bridge import MakeService
from desktop_app.core import Core
from desktop_app.diagnostics import Diagnostics
from desktop_app.languages import install
from desktop_app.paths import Paths
from desktop_app.theme import Theme
from desktop_app.views.main_window import MainWindow
from tests.desktop_app.fake_engine import FakeEngine

PATIENCE_S = 20.0
LOOP = pytest.StashKey[QEventLoop]()
STAGES = pytest.StashKey[list["Stage"]]()


def speak_english(app: QApplication) -> None:
    """Texts with their plurals, whatever the machine speaks."""
    install(app, "en")
    QLocale.setDefault(QLocale.c())


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The application of all tests, in English."""
    speak_english(qapp)
    return qapp


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[QEventLoop]:
    """The event loop of a test's coroutine. What a task or callback could not handle fails the test."""
    faults = []
    with QEventLoop(qapp) as loop:
        loop.set_exception_handler(lambda _, context: faults.append(context))
        yield loop
    assert not faults


@pytest.fixture(autouse=True)
def _loop_for_coroutines(request: pytest.FixtureRequest) -> None:
    if inspect.iscoroutinefunction(request.function):
        request.node.stash[STAGES] = []
        request.node.stash[LOOP] = request.getfixturevalue("loop")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine on its Qt event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}

    async def scene() -> None:
        try:
            await asyncio.wait_for(pyfuncitem.obj(**arguments), PATIENCE_S * 10)
        finally:
            # Here and not in a fixture: pytest-qt lets Qt process events before fixtures end, while no loop is running.
            for stage in pyfuncitem.stash[STAGES]:
                await stage.close()
            for widget in QApplication.topLevelWidgets():
                widget.hide()  # its timers must not ask for the event loop that is about to go

    pyfuncitem.stash[LOOP].run_until_complete(scene())
    return True


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """A home of the test's own."""
    return Paths(tmp_path, tmp_path, tmp_path / "logs")


class Stage:
    """A core over a scripted engine, and what it told the user."""

    def __init__(self, paths: Paths, engine: MakeService) -> None:
        self.core = Core(paths, Diagnostics(paths.log), engine)
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.undos: list[Callable[[], object]] = []
        self.core.problem.connect(self.problems.append)
        for part in (self.core.chat, self.core.conversations):
            part.notice.connect(self.notices.append)
            part.undo_offered.connect(lambda _text, undo: self.undos.append(undo))
        self.core.start()

    def rows(self) -> list[tuple[str, str]]:
        """What is shown: role and text of each message."""
        messages = self.core.chat.messages
        return [(messages.message(row).role, messages.message(row).text) for row in range(messages.rowCount())]

    async def close(self) -> None:
        """Close as the application does."""
        if not self.core.is_closed:
            self.core.request_close()
            await until(lambda: self.core.is_closed)


MakeStage = Callable[..., Stage]


@pytest.fixture
def make_stage(paths: Paths, request: pytest.FixtureRequest) -> MakeStage:
    """Makes stages within a test's coroutine; they are closed at its end."""

    def make(engine: MakeService | None = None, home: Paths = paths) -> Stage:
        stage = Stage(home, engine or FakeEngine())
        request.node.stash[STAGES].append(stage)
        return stage

    return make


MakeWindow = Callable[..., tuple[MainWindow, Stage]]


@pytest.fixture
def make_window(make_stage: MakeStage, qapp: QApplication) -> Iterator[MakeWindow]:
    """Makes a window that is shown, over a stage, within a test's coroutine."""
    windows: list[MainWindow] = []
    themes: list[Theme] = []

    def make(engine: MakeService | None = None, home: Paths | None = None) -> tuple[MainWindow, Stage]:
        stage = make_stage(engine, home) if home else make_stage(engine)
        themes.append(Theme(qapp))
        themes[-1].follow(stage.core.settings)
        windows.append(MainWindow(stage.core))
        windows[-1].show()
        return windows[-1], stage

    yield make
    for thing in (*windows, *themes):
        shiboken6.delete(thing)


async def until(condition: Callable[[], object], what: str = "", patience_s: float = PATIENCE_S) -> None:
    """Give the event loop its turns until something is so."""
    deadline_s = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline_s, f"waited in vain {what}"
        await asyncio.sleep(0.001)

"""The library of models in the window: downloads, drafts, own models; with a real hub on this machine."""

import gc
import multiprocessing
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QWidget

from desktop_app.library import LibraryController
from desktop_app.model_controller import ModelState
from desktop_app.models.library_model import RowState
from desktop_app.views.library_page import LibraryDialog
from engine.errors import CheckpointError
from engine.library.hub import Hub
from engine.library.library import Library
from tests.desktop_app.conftest import MakeStage, MakeWindow, Stage, until
from tests.desktop_app.fake_engine import FakeEngine
from tests.engine.library.checkpoints import write_checkpoint, write_stranger
from tests.engine.library.conftest import TARGET, online, server  # noqa: F401 - fixtures
from tests.engine.library.hub_server import Fault, HubServer

LARGE = "gpt2-large"


class Page:
    """The library's dialog over a core whose engine is scripted and whose hub is local."""

    def __init__(self, stage: Stage, hub_server: HubServer) -> None:
        self.stage = stage
        self.library: LibraryController = stage.core.library
        self.library._make_library = lambda folder: Library(folder, Hub(hub_server.endpoint))
        self.dialog = LibraryDialog(self.library, stage.core.settings)
        self.notices: list[str] = []
        self.library.notice.connect(self.notices.append)
        self.library.problem.connect(self.notices.append)
        self.dialog.show()

    def state(self, model_id: str = LARGE) -> RowState | None:
        row = self.library.models.row(model_id)
        return row.state if row else None

    async def stalls(self) -> None:
        """Until a part of the weights is here, and no more comes."""
        partial = self.library.folder / "downloads" / TARGET.replace("/", "--") / "model.safetensors.partial"
        await until(lambda: partial.exists() and partial.stat().st_size > 200_000)
        await self.reaches(RowState.WORKING)

    async def reaches(self, state: RowState, model_id: str = LARGE) -> None:
        await until(
            lambda: self.state(model_id) is state and self.is_shown(model_id),
            f"for {state}; it is {self.state(model_id)}",
        )

    def is_shown(self, model_id: str) -> bool:
        """A layout shows a new card a moment after it is told of it."""
        card = self.dialog.cards.get(model_id)
        return card is not None and card.isVisible()

    def press(self, name: str, model_id: str = LARGE) -> None:
        button = self.dialog.cards[model_id].findChild(QPushButton, name)
        assert button is not None
        assert button.isVisible(), name
        button.click()

    def visible(self, model_id: str = LARGE) -> set[str]:
        """The buttons that are offered."""
        return {b.objectName() for b in self.dialog.cards[model_id].findChildren(QPushButton) if b.isVisible()}


@pytest.fixture
def make_page(make_stage: MakeStage, server: HubServer, qapp: QApplication) -> Iterator[Callable[[], Page]]:  # noqa: F811
    """Makes the page within a test's coroutine."""
    pages: list[Page] = []

    def make() -> Page:
        pages.append(Page(make_stage(), server))
        return pages[-1]

    yield make
    for page in pages:
        page.dialog.deleteLater()
    pages.clear()
    qapp.processEvents()
    gc.collect()  # here and not in the thread of the next download: widgets belong to this thread


async def test_catalogue_is_shown(make_page: Callable[[], Page]) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    assert list(page.dialog.cards) == ["builtin", LARGE, "dialogpt-large", "gpt2-medium", "gpt2"]
    card = page.dialog.cards[LARGE]
    assert "to download" in card.facts.text()
    assert "of memory in 16 bit" in card.facts.text()
    assert "MIT, Apache-2.0" in card.facts.text()
    assert page.visible() == {"download"}
    assert page.visible("builtin") == set()  # it is in use
    assert "of memory." in page.library.room


async def test_download_then_chat(make_page: Callable[[], Page]) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    page.press("download")
    await page.reaches(RowState.READY)
    assert page.notices == ["GPT-2 Large is ready."]
    assert page.visible() == {"use", "table", "remove"}
    page.press("use")
    settings, engine = page.stage.core.settings, page.stage.core._engine
    await until(lambda: page.library.models.row(LARGE).is_in_use)  # type: ignore[union-attr]
    folder = Path(settings.text("model.target"))
    assert folder == page.library.folder / "families" / LARGE
    assert engine._service.loads[-1].target == str(folder)  # type: ignore[attr-defined]
    assert page.dialog.cards[LARGE].title.text() == "GPT-2 Large – in use"


async def test_pause_goes_on_and_cancel_forgets(make_page: Callable[[], Page], server: HubServer) -> None:  # noqa: F811
    page = make_page()
    await page.reaches(RowState.MISSING)
    server.faults.extend([Fault(stall_after=300_000), Fault(stall_after=100_000)])
    page.press("download")
    await page.stalls()
    assert page.visible() == {"pause", "cancel"}
    page.press("pause")
    await page.reaches(RowState.PARTIAL)
    assert page.visible() == {"download", "cancel"}
    server.release()
    page.press("download")
    await page.reaches(RowState.READY)
    assert server.content_requests()[1].offset > 0
    page.press("remove")
    page.dialog.findChild(QMessageBox, "askToDelete").findChild(QPushButton, "confirmDelete").click()  # type: ignore[union-attr]
    await page.reaches(RowState.MISSING)


async def test_cancel_of_a_paused_download(make_page: Callable[[], Page], server: HubServer) -> None:  # noqa: F811
    page = make_page()
    await page.reaches(RowState.MISSING)
    server.faults.append(Fault(stall_after=300_000))
    page.press("download")
    await page.stalls()
    page.press("pause")
    await page.reaches(RowState.PARTIAL)
    page.press("cancel")
    await page.reaches(RowState.MISSING)


async def test_second_download_waits_for_the_first(make_page: Callable[[], Page], server: HubServer) -> None:  # noqa: F811
    page = make_page()
    await page.reaches(RowState.MISSING)
    server.models["openai-community/gpt2"] = server.models[TARGET]
    server.faults.append(Fault(stall_after=300_000))
    page.press("download")
    await page.stalls()
    page.press("download", "gpt2")
    assert page.state("gpt2") is RowState.WAITING
    server.release()
    await page.reaches(RowState.READY)
    await page.reaches(RowState.READY, "gpt2")


async def test_failure_is_told_on_the_card(make_page: Callable[[], Page], server: HubServer) -> None:  # noqa: F811
    page = make_page()
    await page.reaches(RowState.MISSING)
    server.faults.append(Fault(damage=True))
    page.press("download")
    await until(lambda: page.dialog.cards[LARGE].error.isVisible())
    assert "arrived damaged" in page.dialog.cards[LARGE].error.text()
    page.press("download")
    await page.reaches(RowState.READY)
    assert not page.dialog.cards[LARGE].error.isVisible()


async def test_draft_picker_has_a_text_for_every_state(
    make_page: Callable[[], Page],
    server: HubServer,  # noqa: F811
    tmp_path: Path,
) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    card = page.dialog.cards[LARGE]
    assert card.draft.currentData() == "distilbert/distilgpt2"
    assert card.draft_text.text() == "The draft comes with the download."
    server.faults.append(Fault(stall_after=300_000))
    page.press("download")
    await page.reaches(RowState.WORKING)
    assert card.draft_text.text() == "The draft is being downloaded."
    server.release()
    await page.reaches(RowState.READY)
    assert card.draft_text.text() == "The draft fits."
    card.draft.setCurrentIndex(card.draft.findData(None))
    card.draft.activated.emit(card.draft.currentIndex())
    await until(lambda: "n-grams alone" in card.draft_text.text())
    page.library.add(str(write_stranger(tmp_path / "stranger")))
    await page.reaches(RowState.READY, "stranger")
    card = page.dialog.cards[LARGE]
    at = card.draft.findData(str(tmp_path / "stranger"))
    assert card.draft.itemText(at).endswith("stranger (another vocabulary)")
    assert not card.draft.model().index(at, 0).flags() & Qt.ItemFlag.ItemIsEnabled


def drop(folder: Path, window: QWidget) -> None:
    """As a person drags a folder into a window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder))])
    action, button, key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), action, data, button, key)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), action, data, button, key))


async def test_folder_dropped_on_the_page_is_added(make_page: Callable[[], Page], tmp_path: Path) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    drop(write_checkpoint(tmp_path / "My model"), page.dialog)
    await page.reaches(RowState.READY, "my-model")
    assert "In " in page.dialog.cards["my-model"].facts.text()


async def test_folder_dropped_on_the_window_is_added_and_shown(make_window: MakeWindow, tmp_path: Path) -> None:
    window, stage = make_window()
    drop(write_checkpoint(tmp_path / "My model"), window)
    await until(lambda: stage.core.library.models.row("my-model"))
    dialog = window.dialogs.library
    assert dialog is not None
    assert dialog.isVisible()
    assert dialog.cards["my-model"].isVisible()


async def test_failed_switch_is_told_on_the_page_and_the_model_of_before_goes_on(
    make_page: Callable[[], Page], tmp_path: Path
) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    core, engine = page.stage.core, page.stage.core._engine._service
    assert isinstance(engine, FakeEngine)
    core.model.load()
    engine.finish()
    await until(lambda: core.model.status.state is ModelState.READY)
    page.library.add(str(write_checkpoint(tmp_path / "damaged")))
    await page.reaches(RowState.READY, "damaged")
    engine.load_error = CheckpointError("model.safetensors: damaged")
    page.press("use", "damaged")
    await until(lambda: len(engine.loads) == 2)
    engine.load_error = None
    engine.finish()
    await until(lambda: len(engine.loads) == 3)
    engine.finish()
    await until(lambda: core.model.status.state is ModelState.READY)
    assert engine.loads[2] == engine.loads[0]
    assert len(page.notices) == 1
    assert "model.safetensors: damaged" in page.notices[0]
    await until(lambda: page.library.models.row("builtin").is_in_use)  # type: ignore[union-attr]
    assert "use" in page.visible("damaged")


async def test_what_cannot_be_added_is_told(make_page: Callable[[], Page]) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    dialog = page.dialog.ask_to_add()
    assert not dialog.findChild(QPushButton, "confirmAdd").isEnabled()  # type: ignore[union-attr]
    dialog.target.setText("not a hub id!")
    dialog.findChild(QPushButton, "confirmAdd").click()  # type: ignore[union-attr]
    await until(lambda: page.notices)
    assert "is not a hub id" in page.notices[0]


async def test_closing_pauses_downloads(make_page: Callable[[], Page], server: HubServer) -> None:  # noqa: F811
    page = make_page()
    await page.reaches(RowState.MISSING)
    server.faults.append(Fault(stall_after=300_000))
    page.press("download")
    await page.stalls()
    await page.stage.close()
    assert page.state() is RowState.PARTIAL


async def test_another_folder_for_models(make_page: Callable[[], Page], tmp_path: Path) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    page.stage.core.settings.set("model.folder", str(tmp_path / "elsewhere"))
    page.press("download")
    await page.reaches(RowState.READY)
    assert (tmp_path / "elsewhere" / "families" / LARGE / "family.json").is_file()


@pytest.mark.slow
async def test_table_is_made_beside_the_chat(make_page: Callable[[], Page], tmp_path: Path) -> None:
    page = make_page()
    await page.reaches(RowState.MISSING)
    target, draft = write_checkpoint(tmp_path / "own"), write_checkpoint(tmp_path / "own draft")
    page.library.add(str(target), str(draft), "Own")
    await page.reaches(RowState.READY, "own")
    card = page.dialog.cards["own"]
    page.press("table", "own")
    await until(lambda: "Sampling" in card.activity.text(), patience_s=100)  # it imports torch at the lowest priority
    child = psutil.Process(next(process.pid for process in multiprocessing.active_children()))
    assert child.nice() == (psutil.IDLE_PRIORITY_CLASS if psutil.WINDOWS else 19)
    page.stage.core.idle.note("answer", is_busy=True)
    await stands_still(child)
    page.stage.core.idle.note("answer", is_busy=False)
    page.stage.core.idle.settled.emit()
    held_at_s = cpu_s(child)
    await until(lambda: cpu_s(child) > held_at_s)
    samples = page.library.folder / "families" / "own" / "ngram.own draft.samples"
    await until(lambda: samples.exists() and samples.stat().st_size > 0, patience_s=60)
    assert page.visible("own") == {"pause", "cancel", "use"}
    page.press("pause", "own")
    await until(lambda: "table" in page.visible("own"))
    assert not child.is_running()
    assert card.table.text() == "Go on with n-gram table"
    assert samples.stat().st_size > 0


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def stands_still(process: psutil.Process) -> None:
    """Until it has computed nothing for half a second."""
    used_s, since_s = cpu_s(process), time.monotonic()

    def is_still() -> bool:
        nonlocal used_s, since_s
        if cpu_s(process) != used_s:
            used_s, since_s = cpu_s(process), time.monotonic()
        return time.monotonic() - since_s > 0.5

    await until(is_still, "for the process to stand still")

"""The model library of the window: lists models, downloads them beside the chat, and puts them to use."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from desktop_app.model_controller import ModelController
from desktop_app.models.library_model import LibraryModel, LibraryRow, RowState
from desktop_app.settings import Settings
from desktop_app.tables import BUILD_KEY, Tables
from desktop_app.tasks import Tasks
from engine.config import BUILTIN, ChatFormatKind
from engine.errors import Cancelled, EngineError
from engine.library.control import Control, Progress, Stage

if TYPE_CHECKING:
    from engine.library.library import Library

T = TypeVar("T")

log = logging.getLogger(__name__)

FOLDER_KEY = "model.folder"
TARGET_KEY = "model.target"
DRAFT_KEY = "decoding.draft"


class LibraryController(QObject):
    """What the library page shows and does. Made and used within a running event loop.

    Downloads run one after the other, each in a thread; all other methods return at once too.

    default_folder  where models are kept while the setting names no other place
    make_library    from its folder; called in a thread

    busy_changed  (bool) something is being downloaded
    problem  one line that the user must see
    notice   one line that is good to know
    added    (model id) a model of the user's own is in the list
    looked   the list and `room` show what is on the disk now
    """

    busy_changed = Signal(bool)
    problem = Signal(str)
    notice = Signal(str)
    added = Signal(str)
    looked = Signal()

    def __init__(
        self,
        settings: Settings,
        model: ModelController,
        tables: Tables,
        default_folder: Path,
        parent: QObject | None = None,
        make_library: "Callable[[Path], Library] | None" = None,
    ) -> None:
        super().__init__(parent)
        self.models = LibraryModel(self)
        self.room = ""  # where models are kept, and what of disk and memory is free
        self._settings = settings
        self._model = model
        self._tables = tables
        self._default_folder = default_folder
        self._make_library = make_library or _make_library
        self._library: Library | None = None
        self._tasks = Tasks()
        self._controls: dict[str, Control] = {}  # of the downloads that run or wait
        self._errors: dict[str, str] = {}
        self._one_download = asyncio.Lock()
        self._one_refresh = asyncio.Lock()  # the newest look at the disk is the last to be shown
        settings.changed.connect(self._setting_changed)
        model.problem.connect(self.problem)
        tables.progressed.connect(self._show_table)
        tables.ended.connect(self._table_ended)

    @property
    def folder(self) -> Path:
        """Where models are kept."""
        chosen = self._settings.get(FOLDER_KEY)
        return Path(chosen) if isinstance(chosen, str) and chosen else self._default_folder

    def refresh(self) -> None:
        """Look at the disk again."""
        self._tasks.start(self._refresh())

    def download(self, model_id: str) -> None:
        """Get what is missing of a model, going on where it was stopped."""
        if not self._is_at_work(model_id):
            control = self._controls[model_id] = Control()
            self.busy_changed.emit(True)
            self._errors.pop(model_id, None)
            self._change(
                model_id, state=RowState.WAITING, progress=None, activity=self.tr("Waits for its turn"), error=""
            )
            self._tasks.start(self._download(model_id, control))

    def make_table(self, model_id: str) -> None:
        """Make a model's n-gram table beside the chat, going on where it was stopped."""
        if not self._is_at_work(model_id):
            self._errors.pop(model_id, None)
            self._tables.make(self.folder, model_id)

    def make_missing_tables(self) -> None:
        """One after the other, as long as nothing else is to be done."""
        if self._settings.flag(BUILD_KEY):
            self.refresh()  # which offers them

    def pause(self, model_id: str) -> None:
        """Stop a download or a table and keep what is there of it."""
        if model_id in self._tables:
            self._tables.pause(model_id)
        elif model_id in self._controls:
            self._controls[model_id].pause()

    def cancel(self, model_id: str) -> None:
        """Stop a download or a table, or forget a paused download, and delete what is there of it."""
        if model_id in self._controls:
            self._controls[model_id].cancel()
        else:
            self._start(self._discard(model_id))

    def use(self, model_id: str) -> None:
        """Chat with a model from now on."""
        self._start(self._use(model_id))

    def remove(self, model_id: str) -> None:
        """Delete a model from the disk."""
        self._start(self._remove(model_id))

    def choose_draft(self, model_id: str, source: str | None) -> None:
        """Pair a model with another draft, or with none."""
        self._start(self._choose_draft(model_id, source))

    def add(self, target: str, draft: str = "", name: str = "", chat_format: str = "") -> None:
        """A model of the user's own, from hub ids or folders; texts that are "" are left to the program."""
        self._start(self._add(target, draft, name, chat_format))

    async def close(self, within_s: float) -> None:
        """Pause all that runs and wait for it; a server that does not answer is not waited for."""
        for control in self._controls.values():
            control.pause()
        try:
            await asyncio.wait_for(self._end(), within_s)
        except TimeoutError:
            log.warning("a download did not stop in time; it goes on from what has arrived")

    async def _end(self) -> None:
        await self._tables.close()
        await self._tasks.wait()

    async def _refresh(self) -> None:
        async with self._one_refresh:
            try:
                rows, self.room = await self._in_thread(self._look)
            except EngineError as error:
                self.problem.emit(str(error))
                return
            self.models.show(self._with_work(row) for row in rows)
        self.looked.emit()
        wanting = [row for row in self.models.rows if row.wants_table and not row.error]
        self._tables.offer(self.folder, [row.id for row in sorted(wanting, key=lambda row: not row.is_in_use)])

    def _look(self, library: "Library") -> tuple[list[LibraryRow], str]:
        from desktop_app.library_rows import RowMaker, room_text  # the HTTP library behind it takes long to import

        make = RowMaker(library, self._settings.text(TARGET_KEY))
        return [make.row(state) for state in library.families()], room_text(library.folder)

    def _with_work(self, row: LibraryRow) -> LibraryRow:
        """What is going on with a model is not on the disk."""
        shown = self.models.row(row.id)
        if shown is not None and row.id in self._controls:
            return replace(row, state=shown.state, progress=shown.progress, activity=shown.activity)
        if shown is not None and row.id in self._tables:
            return replace(row, is_sampling=True, progress=shown.progress, activity=shown.activity)
        return replace(row, error=self._errors.get(row.id, ""))

    async def _download(self, model_id: str, control: Control) -> None:
        loop = asyncio.get_running_loop()

        def report(progress: Progress) -> None:
            loop.call_soon_threadsafe(self._show_progress, model_id, progress)

        try:
            async with self._one_download:
                await self._in_thread(lambda library: library.download(model_id, control, report))
        except Cancelled:
            pass  # by the user, who sees it in the list
        except EngineError as error:
            self._errors[model_id] = str(error)
        else:
            self.notice.emit(self.tr("{0} is ready.").format(self._name(model_id)))
        del self._controls[model_id]
        self.busy_changed.emit(bool(self._controls))
        await self._refresh()

    def _show_progress(self, model_id: str, progress: Progress) -> None:
        from desktop_app.library_rows import activity_text

        if model_id in self._controls:
            done, total = progress.done_bytes, progress.total_bytes
            if progress.stage is not Stage.DOWNLOADING:
                done, total = progress.file_done_bytes, progress.file_total_bytes
            fraction = done / total if total else None
            self._change(model_id, state=RowState.WORKING, progress=fraction, activity=activity_text(progress))

    def _show_table(self, model_id: str, sampled: int, wanted: int) -> None:
        from desktop_app.library_rows import sampling_text

        text = sampling_text(sampled, wanted, self._tables.is_held)
        progress = sampled / wanted if wanted else None
        self._change(model_id, is_sampling=True, progress=progress, activity=text, error="")

    def _table_ended(self, model_id: str, is_made: bool, error: str) -> None:
        if is_made:
            text = self.tr("{0} has an n-gram table now; it is used when the model is loaded again.")
            self.notice.emit(text.format(self._name(model_id)))
        if error:
            self._errors[model_id] = error
        self.refresh()

    async def _discard(self, model_id: str) -> None:
        if model_id in self._tables:
            await self._tables.stop(model_id)
            await self._in_thread(lambda library: library.discard_table(model_id))
        else:
            await self._in_thread(lambda library: library.discard(model_id))

    async def _use(self, model_id: str) -> None:
        folder = await self._in_thread(lambda library: library.folder_to_load(model_id))
        self._settings.set(TARGET_KEY, BUILTIN if model_id == BUILTIN else str(folder))
        self._settings.set(DRAFT_KEY, None)  # it is chosen here, for each model
        self._model.load()

    async def _choose_draft(self, model_id: str, source: str | None) -> None:
        state = await self._in_thread(lambda library: library.choose_draft(model_id, source))
        if self._settings.text(TARGET_KEY) == str(state.folder):
            self._model.load()

    async def _remove(self, model_id: str) -> None:
        row = self.models.row(model_id)
        if row is not None and row.is_in_use:
            await self._use(BUILTIN)  # the files of a loaded model are in use
        await self._in_thread(lambda library: library.remove(model_id))
        self._errors.pop(model_id, None)

    async def _add(self, target: str, draft: str, name: str, chat_format: str) -> None:
        kind = ChatFormatKind(chat_format) if chat_format else None
        state = await self._in_thread(lambda library: library.add(target, draft or None, name or None, kind))
        await self._refresh()
        self.added.emit(state.family.id)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.start(self._then_refresh(work))

    async def _then_refresh(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something and look at the disk again; what goes wrong is told in a line."""
        try:
            await work
        except EngineError as error:
            self.problem.emit(str(error))
        await self._refresh()

    def _is_at_work(self, model_id: str) -> bool:
        return model_id in self._controls or model_id in self._tables

    async def _in_thread(self, function: "Callable[[Library], T]") -> T:
        folder = self.folder.absolute()

        def work() -> T:
            if self._library is None or self._library.folder != folder:
                self._library = self._make_library(folder)
            return function(self._library)

        return await asyncio.to_thread(work)

    def _change(self, model_id: str, **changes: Any) -> None:
        row = self.models.row(model_id)
        if row is not None:
            self.models.put(replace(row, **changes))

    def _name(self, model_id: str) -> str:
        row = self.models.row(model_id)
        return row.name if row is not None else model_id

    def _setting_changed(self, key: str, _value: object) -> None:
        if key in (FOLDER_KEY, TARGET_KEY, BUILD_KEY):
            self.refresh()


def _make_library(folder: Path) -> "Library":
    from engine.library.library import Library  # the HTTP library behind it takes a moment to import

    return Library(folder)

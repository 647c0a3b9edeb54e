"""Makes an n-gram table beside the chat: in a process of its own, at the lowest priority, which can be held still."""

import asyncio
import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from engine.errors import Cancelled, EngineError, LibraryError
from engine.library.control import Control


class TableJob:
    """One table in the making. What was sampled is kept when it is stopped.

    report   (tokens sampled so far, tokens wanted), called on the event loop
    """

    def __init__(self, folder: Path, model_id: str, report: Callable[[int, int], None]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would take Qt's and torch's threads for its own
        self._line, self._its_line = context.Pipe()
        self._process = context.Process(target=_work, args=(folder, model_id, self._its_line), daemon=True)
        self._report = report
        self._stopped = threading.Event()

    async def run(self) -> bool:
        """Until the table is made, or the job is stopped (False). Raises LibraryError when it cannot be made."""
        if self._stopped.is_set():
            return False
        await asyncio.to_thread(self._process.start)
        self._its_line.close()  # the process has its own; now its end is the end of the line
        if self._stopped.is_set():
            self._process.kill()
        while (message := await asyncio.to_thread(self._receive)) is not None:
            if isinstance(message, str):
                raise LibraryError(message)
            self._report(*message)
        await asyncio.to_thread(self._process.join)
        return self._process.exitcode == 0

    def hold(self, still: bool) -> None:
        """Stand still within one token's time, or go on."""
        with contextlib.suppress(OSError):  # it may have ended
            self._line.send(still)

    def pause(self) -> None:
        """Stop; the next job goes on from what was sampled."""
        self._stopped.set()
        if self._process.pid is not None:
            self._process.kill()

    cancel = pause

    def _receive(self) -> tuple[int, int] | str | None:
        try:
            message: tuple[int, int] | str = self._line.recv()
        except (EOFError, OSError):  # closed, or cut off
            return None
        return message


def _work(folder: Path, model_id: str, line: "Connection[object, object]") -> None:
    """What the process does."""
    psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS if psutil.WINDOWS else 19)
    control = Control()
    threading.Thread(target=obey, args=(line, control), daemon=True).start()
    import torch

    from engine.library.library import Library
    from engine.library.recipe import Recipe

    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))  # the rest is for what the user does elsewhere
    with contextlib.suppress(Cancelled, OSError):  # the application is gone
        try:
            Library(folder).build_table(model_id, Recipe(), control, lambda *tokens: line.send(tokens))
        except Cancelled:
            raise
        except EngineError as error:
            line.send(str(error))


def obey(line: "Connection[object, object]", control: Control) -> None:
    """Hold the job as the application says; without an application there is nobody to make a table for."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            control.hold(line.recv() is True)
    control.cancel()

"""Makes an n-gram table beside the chat: in a process of its own, at the lowest priority, which can be held still."""

import asyncio
import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from engine.errors import EngineError, LibraryError


class TableJob:
    """One table in the making. What was sampled is kept when it is stopped.

    report   (tokens sampled so far, tokens wanted), called on the event loop
    """

    def __init__(self, folder: Path, model_id: str, report: Callable[[int, int], None]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would take Qt's and torch's threads for its own
        self._receiver, self._sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(folder, model_id, self._sender), daemon=True)
        self._report = report
        self._is_held = False
        self._is_stopped = False

    async def run(self) -> bool:
        """Until the table is made, or the job is stopped (False). Raises LibraryError when it cannot be made."""
        await asyncio.to_thread(self._process.start)
        self._sender.close()  # the process has its own; now its end is the end of the pipe
        self.hold(self._is_held)
        if self._is_stopped:
            self._process.kill()
        while (message := await asyncio.to_thread(self._receive)) is not None:
            if isinstance(message, str):
                raise LibraryError(message)
            self._report(*message)
        await asyncio.to_thread(self._process.join)
        return self._process.exitcode == 0

    def hold(self, still: bool) -> None:
        """Stand still, or go on."""
        self._is_held = still
        if self._process.pid is not None:
            with contextlib.suppress(psutil.Error):  # it may have ended
                process = psutil.Process(self._process.pid)
                process.suspend() if still else process.resume()

    def pause(self) -> None:
        """Stop; the next job goes on from what was sampled."""
        self._is_stopped = True
        if self._process.pid is not None:
            self._process.kill()  # a polite signal would not reach a process that is held still

    cancel = pause

    def _receive(self) -> tuple[int, int] | str | None:
        try:
            message: tuple[int, int] | str = self._receiver.recv()
        except EOFError:
            return None
        return message


def _work(folder: Path, model_id: str, sender: "Connection[object, object]") -> None:
    """What the process does."""
    psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS if psutil.WINDOWS else 19)
    import torch

    from engine.library.control import Control
    from engine.library.library import Library
    from engine.library.ngram_builder import Recipe

    torch.set_num_threads(1)
    try:
        Library(folder).build_table(model_id, Recipe(), Control(), lambda *tokens: sender.send(tokens))
    except EngineError as error:
        sender.send(str(error))

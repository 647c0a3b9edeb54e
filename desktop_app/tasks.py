"""Coroutines that run beside each other until they end or the application closes."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """Holds on to running tasks, which asyncio itself does not; an exception goes to the loop's exception handler."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run a coroutine on the present event loop."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def wait(self) -> None:
        """Until all have ended, also those that are started meanwhile."""
        while self._running:
            await asyncio.wait(self._running)

    async def cancel(self) -> None:
        """End all of them now, and wait until they have ended."""
        for task in self._running:
            task.cancel()
        await self.wait()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            context = {"message": f"{task.get_name()} failed", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)

"""Runs the whole application over a scripted engine in a process of its own: HOME SCENE. Not a test itself."""

import asyncio
import sys
import time

from PySide6.QtWidgets import QWidget

from desktop_app.app import run
from desktop_app.core import Core
from desktop_app.paths import HOME_VARIABLE, find_paths
from tests.desktop_app.fake_engine import Plan, PlayingEngine

ENDLESS = [f"{number} " for number in range(5000)]  # minutes of it


async def answer_for_ever(core: Core, _window: QWidget) -> None:
    """Write an answer that does not end; say how far it is."""
    core.chat.send("the question")
    written = 0
    while not core.is_closed:
        await asyncio.sleep(0.05)
        rows = core.chat.messages
        text = rows.message(rows.rowCount() - 1).text
        if len(text.split()) > written:
            written = len(text.split())
            print(written, flush=True)


async def close_in_mid_answer(core: Core, _window: QWidget) -> None:
    """Close as soon as something was written."""
    core.chat.messages.streamed.connect(core.request_close)
    core.chat.send("the question")


async def hang(core: Core, _window: QWidget) -> None:
    """Close while a thread sits in a call that does not return."""
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    core.request_close()


async def idle(_core: Core, window: QWidget) -> None:
    """Do nothing, out of sight; say when the window is raised."""
    window.showMinimized()
    print("running", flush=True)
    while window.isMinimized():
        await asyncio.sleep(0.05)
    print("raised", flush=True)


async def stumble(_core: Core, _window: QWidget) -> None:
    """Break as the start itself may."""
    raise RuntimeError("stumbled")


SCENES = {"answer": answer_for_ever, "close": close_in_mid_answer, "hang": hang, "idle": idle, "stumble": stumble}

if __name__ == "__main__":
    home, scene = sys.argv[1:]
    plans = [Plan(ENDLESS)] if scene in ("answer", "close") else []
    sys.exit(run(find_paths({HOME_VARIABLE: home}), PlayingEngine(plans), SCENES[scene]))

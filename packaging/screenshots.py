#!/usr/bin/env python3
"""Takes the pictures of the README with the real application, the real engine and the built-in model.

python packaging/screenshots.py [FOLDER] [--scale 2]

Nothing is staged: the figures in the pictures are those of the machine that took them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from desktop_app.core import Core
    from desktop_app.views.main_window import MainWindow

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = (
    "Hello! How are you today?",
    "What can you do?",
    "Write a Python function that adds two numbers.",
)
LONG_CHAT = ("Tell me a joke.", "Tell me another one.", "What is your favourite colour?", "Why?", "Good night!")
WIDTH, HEIGHT = 1600, 1000  # px, of a screen with room for every window
SCREEN = {"name": "screenshots", "x": 0, "y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
SETTLE_S = 0.4  # for timers and layouts
LIBRARY_S = 3.0  # it looks at the disk


def main() -> int:
    """Parse the command line and take all pictures."""
    parser = argparse.ArgumentParser(description="Takes the pictures of the README.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".github" / "images")
    parser.add_argument("--scale", type=int, default=1, help="device pixels per pixel")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        screen = Path(home) / "screen.json"
        size = {"width": WIDTH * options.scale, "height": HEIGHT * options.scale}
        screen.write_text(json.dumps({"screens": [{**SCREEN, **size}]}), encoding="utf-8")
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"
        os.environ["QT_SCALE_FACTOR"] = str(options.scale)
        sys.path.insert(0, str(ROOT))
        from desktop_app.app import run
        from desktop_app.paths import Paths
        from engine.service import EngineService

        data = Path(home) / "data"
        camera = Camera(options.folder)
        return run(Paths(data, data, data / "logs"), EngineService, camera.take_all)


class Camera:
    """Drives the application from picture to picture."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def take_all(self, core: Core, window: MainWindow) -> None:
        """Every picture, in an order that shows each once its subject is there."""
        core.settings.set("appearance.theme", "light")
        core.settings.set("sampling.seed", 7)
        window.resize(1280, 800)
        await self._shoot(window, "first-start")
        await _until(lambda: core.model.status.info is not None)
        await self._chat(core, window)
        await self._origins(core, window)
        await self._dialogs(window)
        await self._race(core, window)
        await self._small(core, window)
        core.request_close()

    async def _chat(self, core: Core, window: MainWindow) -> None:
        for text in LONG_CHAT:
            await _ask(core, text)
        core.conversations.new()
        for text in QUESTIONS:
            await _ask(core, text)
        window.chat.transcript.jump_to_latest()
        await self._shoot(window, "main-light")
        core.settings.set("appearance.theme", "dark")
        await self._shoot(window, "main-dark")

    async def _origins(self, core: Core, window: MainWindow) -> None:
        core.settings.set("appearance.color_tokens", True)
        await self._shoot(window, "origins-dark")
        core.settings.set("appearance.theme", "light")
        await self._shoot(window, "origins-light")
        core.settings.set("appearance.color_tokens", False)

    async def _dialogs(self, window: MainWindow) -> None:
        window.dialogs.show_settings()
        settings = window.dialogs.settings
        assert settings is not None
        await self._shoot(settings, "settings")
        settings.close()
        window.dialogs.show_library()
        assert window.dialogs.library is not None
        await asyncio.sleep(LIBRARY_S)
        await self._shoot(window.dialogs.library, "library")
        window.dialogs.library.close()

    async def _race(self, core: Core, window: MainWindow) -> None:
        window.dialogs.show_race(QUESTIONS[-1])
        race = window.dialogs.race
        assert race is not None
        await _until(lambda: not core.race.running)
        await self._shoot(race, "race")
        race.close()

    async def _small(self, core: Core, window: MainWindow) -> None:
        window.resize(800, 600)
        await self._shoot(window, "small")
        core.problem.emit("The settings could not be saved: the disk is full.")
        await self._shoot(window, "problem")

    async def _shoot(self, widget: QWidget, name: str) -> None:
        await asyncio.sleep(SETTLE_S)
        file = self._folder / f"{name}.png"
        if not widget.grab().save(str(file)):
            raise SystemExit(f"could not write {file}")
        print(file)


async def _ask(core: Core, text: str) -> None:
    core.chat.send(text)
    await _until(lambda: not core.chat.busy)


async def _until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())

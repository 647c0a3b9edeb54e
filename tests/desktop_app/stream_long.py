"""Streams answers into a conversation of 2,000 messages for SECONDS, in a home of its own: HOME SECONDS. Not a test.

Each line that it prints is a JSON object: seconds so far, megabytes that the process holds for itself, megabytes of
text that were added, tokens that were added.
"""

import asyncio
import itertools
import json
import random
import sys
import time

import psutil

from desktop_app.app import run
from desktop_app.core import Core
from desktop_app.paths import HOME_VARIABLE, Paths, find_paths
from desktop_app.records import Message
from desktop_app.store import Store
from desktop_app.views.main_window import MainWindow
from engine.events import GenerationRequest
from tests.desktop_app.fake_engine import Plan, PlayingEngine

MESSAGES = 2000
REPORTS = 20
PAUSE_S = 0.001  # of the engine between two events
MB = 2.0**20
WORDS = ("alpha ", "beta ", "gamma\n\n", "`delta` ", "**epsilon** ", "zeta.\n", "\n```python\nx = 1\n```\n", "theta ")
CHOICE = random.Random(1)


class EndlessEngine(PlayingEngine):
    """Plays an answer to every request, and forgets it."""

    def generate(self, request: GenerationRequest) -> int:
        self.requests.clear()
        self.plans.append(Plan(CHOICE.choices(WORDS, k=200)))
        return super().generate(request)


def fill(paths: Paths) -> None:
    """A conversation of many messages."""
    store = Store(paths.database)
    conversation = store.add_conversation("long")
    messages = [
        Message(0, conversation.id, None, role, f"{number} " + "some words " * 50)
        for number, role in zip(range(MESSAGES), itertools.cycle(("user", "assistant")), strict=False)
    ]
    store.add_messages(*messages)
    store.close()


def report(begun_s: float, core: Core) -> None:
    """Print what there is now."""
    held = psutil.Process().memory_info()
    memory = (held.rss - getattr(held, "shared", 0)) / MB  # libraries come and go with other processes that map them
    rows = core.chat.messages
    added = [rows.message(row) for row in range(MESSAGES, rows.rowCount())]
    text, tokens = sum(len(message.text) for message in added), sum(len(message.spans) for message in added)
    line = {"s": time.monotonic() - begun_s, "memory_mb": memory, "text_mb": text / MB, "tokens": tokens}
    print(json.dumps({name: round(value, 2) for name, value in line.items()}), flush=True)


async def talk(core: Core, window: MainWindow, seconds: float) -> None:
    """Ask again and again, as soon as an answer has ended; look back into the conversation now and then."""
    begun_s = time.monotonic()
    core.settings.set("appearance.color_tokens", True)
    again = core.chat.answer_ended.connect(lambda _: core.chat.send("And then?"))
    core.chat.send("Begin.")
    for number in range(1, REPORTS + 1):
        while time.monotonic() - begun_s < seconds * number / REPORTS:
            await asyncio.sleep(0.1)
        report(begun_s, core)
        window.chat.transcript.show_row(CHOICE.randrange(MESSAGES))
        await asyncio.sleep(0.5)
        window.chat.transcript.jump_to_latest()
    core.chat.answer_ended.disconnect(again)
    core.request_close()


if __name__ == "__main__":
    home = find_paths({HOME_VARIABLE: sys.argv[1]})
    fill(home)
    duration_s = float(sys.argv[2])
    sys.exit(run(home, EndlessEngine(pause_s=PAUSE_S), lambda core, window: talk(core, window, duration_s)))

"""The whole application in a process of its own: killed, closed, started twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.records import Message, MessageState
from desktop_app.store import Store

ROOT = Path(__file__).parents[2]
only_posix = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class App:
    """A running application."""

    def __init__(self, home: Path, scene: str) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.desktop_app.run_app", str(home), scene],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        return line.strip()

    def end(self, within_s: float) -> int:
        """Wait for its end; returns the exit status."""
        self.process.communicate(timeout=within_s)
        return self.process.returncode

    def messages(self) -> list[Message]:
        """What a restart would find in its only conversation."""
        store = Store(self.home / "conversations.sqlite3")
        assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
        (conversation,) = store.conversations()
        path = store.path(conversation.id)
        store.close()
        return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "主页 ü　home"


@pytest.fixture
def start(home: Path) -> Iterator[object]:
    apps: list[App] = []

    def start(scene: str) -> App:
        apps.append(App(home, scene))
        return apps[-1]

    yield start
    for app in apps:
        app.process.kill()
        app.process.communicate()


@only_posix
def test_kill_9_in_mid_answer_keeps_question_and_flushed_text(start: "type[App]") -> None:
    app = start("answer")
    while int(app.line()) < 20:
        pass
    shown_words, shown_s = int(app.line()), time.monotonic()
    while time.monotonic() < shown_s + 1.0:  # what was shown a second ago is on disk
        app.line()
    app.process.send_signal(signal.SIGKILL)
    app.end(5)
    question, answer = app.messages()
    assert question.text == "the question"
    assert answer.state is MessageState.INTERRUPTED
    words = answer.text.split()
    assert len(words) >= shown_words
    assert words == [str(number) for number in range(len(words))]


def test_closing_in_mid_answer_saves_it_and_leaves_no_process(start: "type[App]") -> None:
    app = start("close")
    assert app.end(30) == 0
    _, answer = app.messages()
    assert (answer.state, answer.stop_reason) == (MessageState.COMPLETE, "cancelled")
    assert answer.text.startswith("0 ")


def test_a_thread_that_hangs_does_not_keep_the_process(start: "type[App]") -> None:
    app = start("hang")
    begun_s = time.monotonic()
    app.end(20)
    assert time.monotonic() - begun_s < 15
    assert "Timeout" in (app.home / "logs" / "staged-chat.fault.log").read_text()


@only_posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_polite_kill_closes_as_the_window_does(start: "type[App]", number: signal.Signals) -> None:
    app = start("answer")
    while int(app.line()) < 5:
        pass
    app.process.send_signal(number)
    assert app.end(15) == 0
    _, answer = app.messages()
    assert answer.stop_reason == "cancelled"


def test_a_failed_start_is_told_and_logged(start: "type[App]") -> None:
    app = start("stumble")
    _, told = app.process.communicate(timeout=20)
    assert app.process.returncode == 1
    for words in (told, (app.home / "logs" / "staged-chat.log").read_text(encoding="utf-8")):
        assert "RuntimeError: stumbled" in words


def test_a_second_start_raises_the_first_and_ends(start: "type[App]") -> None:
    first = start("idle")
    assert first.line() == "running"
    second = start("idle")
    assert second.end(20) == 0
    assert first.line() == "raised"

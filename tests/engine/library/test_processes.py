"""The terminal's command in processes of its own: killed in the middle, two at once, and what it prints."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.config import ChatFormatKind
from engine.errors import ModelBusy
from engine.library.control import Control
from engine.library.library import Library
from tests.engine.library.checkpoints import write_checkpoint
from tests.engine.library.conftest import TARGET
from tests.engine.library.hub_server import Fault, HubServer
from tests.engine.library.test_transfer import assert_is_here, partial_of, until

ROOT = Path(__file__).resolve().parents[3]


class Terminal:
    """Runs `python -m engine models` with the local hub and an empty home."""

    def __init__(self, server: HubServer, home: Path) -> None:
        self._home = home
        hub = {"HF_ENDPOINT": server.endpoint, "HF_HOME": str(home / "hugging face"), "HF_HUB_OFFLINE": "0"}
        self._environment = {**os.environ, **hub, "STAGED_CHAT_HOME": str(home), "PYTHONUTF8": "1"}

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "engine", "models", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=pipe, stderr=pipe, text=True)

    def run(self, *arguments: str, status: int = 0) -> str:
        """What it prints, errors included."""
        process = self.start(*arguments)
        out, errors = process.communicate(timeout=100)
        assert process.returncode == status, out + errors
        return out + errors


@pytest.fixture
def terminal(server: HubServer, tmp_path: Path) -> Iterator[Terminal]:
    """A terminal whose library is that of the `library` fixture."""
    return Terminal(server, tmp_path)


def test_killed_in_the_middle_and_two_at_once(terminal: Terminal, library: Library, server: HubServer) -> None:
    server.faults.append(Fault(stall_after=300_000))
    with terminal.start("get", "gpt2-large", "--precision", "float32") as process:
        try:
            until(lambda: partial_of(library).exists() and partial_of(library).stat().st_size > 200_000)
            with pytest.raises(ModelBusy, match=TARGET):
                library.download("gpt2-large", Control(), lambda _: None)
        finally:
            process.kill()
    arrived = partial_of(library).stat().st_size
    assert not library.family("gpt2-large").is_ready
    library.download("gpt2-large", Control(), lambda _: None, precision="float32")
    assert_is_here(library, server)
    assert server.content_requests()[1].offset == arrived


def test_get_check_remove(terminal: Terminal, library: Library) -> None:
    assert "is ready" in terminal.run("get", "gpt2-large")
    states = {entry["id"]: entry for entry in json.loads(terminal.run("list", "--json"))}
    assert states["gpt2-large"]["complete"]
    assert not states["gpt2"]["ready"]
    assert "is sound" in terminal.run("check", "gpt2-large")
    assert "Freed" in terminal.run("remove", "gpt2-large")
    assert not library.family("gpt2-large").is_ready


def test_errors_are_one_line_and_a_status(terminal: Terminal) -> None:
    output = terminal.run("get", "gpt3", status=2)
    assert "there is no model 'gpt3'" in output
    assert "Traceback" not in output
    assert len(output.strip().splitlines()) == 1


def test_own_models_and_drafts(library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, draft = write_checkpoint(tmp_path / "target"), write_checkpoint(tmp_path / "draft")

    def models(*arguments: str) -> str:
        assert main(["models", "--folder", str(library.folder), *arguments]) == 0
        return capsys.readouterr().out

    assert "Added mine" in models("add", str(target), "--name", "Mine", "--format", "eos")
    assert library.family("mine").family.chat_format.kind is ChatFormatKind.EOS
    assert "* none" in models("draft", "mine")
    models("draft", "mine", str(draft))
    assert library.family("mine").family.draft == str(draft)
    assert f"* {draft}" in models("draft", "mine")
    models("draft", "mine", "none")
    assert library.family("mine").family.draft is None
    assert "mine" in models("list")
    assert "Freed 0 bytes" in models("remove", "mine")

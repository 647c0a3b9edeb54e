"""A hub on this machine, and a library that uses it."""

from collections.abc import Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest

from engine.library.hub import Hub
from engine.library.library import Library
from engine.library.retry import RetryPolicy
from tests.engine.library.checkpoints import checkpoint_files
from tests.engine.library.hub_server import HubServer

IMPATIENT = RetryPolicy(attempts=3, first_delay_s=0.001, longest_delay_s=0.002, longest_wait_s=1.0, stall_s=0.3)
TARGET, DRAFT = "openai-community/gpt2-large", "distilbert/distilgpt2"


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """This machine's own hub may be talked to; the user's token and cache are left out of it."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.delenv("HF_TOKEN", raising=False)


@pytest.fixture
def server() -> Iterator[HubServer]:
    """A hub with a target and its draft."""
    server = HubServer()
    server.models = {TARGET: checkpoint_files(seed=1), DRAFT: checkpoint_files(seed=2)}
    yield server
    server.close()


@pytest.fixture
def hub(server: HubServer) -> Hub:
    """A client of that hub that gives up quickly."""
    return Hub(endpoint=server.endpoint, policy=IMPATIENT)


@pytest.fixture
def library(hub: Hub, tmp_path: Path) -> Library:
    """An empty library."""
    return Library(tmp_path / "models", hub)

"""The built-in family, loaded once for each precision.

On one thread: test machines are shared, and OpenMP's threads spin while they wait.
"""

from collections.abc import Generator
from pathlib import Path

import pytest
import torch

from engine.chat_model import ChatModel
from engine.config import ModelSpec
from engine.linear import has_fbgemm
from engine.loading import load_chat_model

HERE = Path(__file__).parent


def _load(dtype: str) -> ChatModel:
    return load_chat_model(ModelSpec(dtype=dtype, device="cpu", threads=1), lambda _progress, _stage: None)


@pytest.fixture(scope="session")
def float32_model() -> ChatModel:
    """Torch's own attention; any pass width."""
    return _load("float32")


@pytest.fixture(scope="session")
def bfloat16_model() -> ChatModel:
    """Ordered attention, 16-bit arithmetic."""
    return _load("bfloat16")


@pytest.fixture(scope="session")
def float16_model() -> ChatModel:
    """Ordered attention, 16-bit weights, 32-bit arithmetic on x86 processors."""
    return _load("float16")


@pytest.fixture(scope="session")
def int8_model() -> ChatModel:
    """Ordered attention, 8-bit products: on x86 processors."""
    if not has_fbgemm():
        pytest.skip("no 8-bit kernels for this processor")
    return _load("int8")


@pytest.fixture(scope="session")
def gpu_model() -> ChatModel:
    """What `auto` makes of an NVIDIA GPU: float16, ordered attention, captured passes."""
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    return load_chat_model(ModelSpec(device="cuda"), lambda _progress, _stage: None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """One thread for the tests of this folder, not of those below; a hook, for fixtures of modules run in it too."""
    threads = torch.get_num_threads()
    if item.path.parent == HERE:
        torch.set_num_threads(1)
    try:
        return (yield)
    finally:
        torch.set_num_threads(threads)

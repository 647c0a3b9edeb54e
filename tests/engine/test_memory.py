"""What a model needs is told before it is loaded."""

from pathlib import Path

import pytest

from engine.checkpoint import GPT2Config
from engine.errors import NotEnoughMemory
from engine.library.library import Library
from engine.memory import needed_bytes, require_memory

LARGE = GPT2Config(vocab_size=50257, n_positions=1024, n_embd=1280, n_layer=36, n_head=20, n_inner=5120)


def test_need_is_told_before_the_download(tmp_path: Path) -> None:
    library = Library(tmp_path)
    state = library.family("gpt2-large")
    half, single = (library.needed_memory(state, dtype) for dtype in ("bfloat16", "float32"))
    assert half is not None
    assert single is not None
    assert needed_bytes([LARGE], "bfloat16") < half < 3.0e9
    assert needed_bytes([LARGE], "float32") < single < 5.0e9
    assert library.needed_memory(library.family("builtin"), "float32")


@pytest.mark.parametrize(
    ("free", "advice"),
    [(1 << 40, None), (3 << 30, "load it in bfloat16"), (1 << 30, "smaller model")],
)
def test_too_large_is_refused_with_what_would_fit(
    monkeypatch: pytest.MonkeyPatch, free: int, advice: str | None
) -> None:
    monkeypatch.setattr("engine.memory.free_bytes", lambda: free)
    if advice is None:
        require_memory([LARGE], "float32")
    else:
        with pytest.raises(NotEnoughMemory, match=advice):
            require_memory([LARGE], "float32")

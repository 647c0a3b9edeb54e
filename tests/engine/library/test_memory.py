"""What a model needs is told before it is loaded."""

import pytest

from engine.errors import NotEnoughMemory
from engine.library.catalogue import load_catalogue
from engine.library.library import Library
from engine.library.memory import entry_config, require_memory

LARGE, DRAFT = (
    entry_config(load_catalogue().checkpoints[source])
    for source in ("openai-community/gpt2-large", "distilbert/distilgpt2")
)


def test_shapes_of_the_catalogue() -> None:
    assert LARGE.parameters == 774_030_080
    assert DRAFT.parameters == 81_912_576


def test_need_is_told_before_the_download(library: Library) -> None:
    state = library.family("gpt2-large")
    half, single = (library.needed_memory(state, dtype) for dtype in ("bfloat16", "float32"))
    assert half is not None
    assert single is not None
    assert 2.0e9 < half < 3.0e9
    assert 3.5e9 < single < 5.0e9
    assert library.needed_memory(library.family("builtin"), "float32")


@pytest.mark.parametrize(
    ("free", "advice"),
    [(1 << 40, None), (3 << 30, "load it in bfloat16"), (1 << 30, "smaller model")],
)
def test_too_large_is_refused_with_what_would_fit(
    monkeypatch: pytest.MonkeyPatch, free: int, advice: str | None
) -> None:
    monkeypatch.setattr("engine.library.memory.free_bytes", lambda: free)
    if advice is None:
        require_memory([LARGE, DRAFT], "float32")
    else:
        with pytest.raises(NotEnoughMemory, match=advice):
            require_memory([LARGE, DRAFT], "float32")

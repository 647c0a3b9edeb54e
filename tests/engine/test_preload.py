"""Importing torch while a window lives."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import gc, sys
from pathlib import Path
from engine.preload import LIBRARIES, gentle_import

with gentle_import():
    assert not gc.isenabled()
    assert "torch" not in sys.modules
    assert LIBRARIES["linux"] in Path("/proc/self/maps").read_text()
    import torch
assert gc.isenabled()
assert gc.get_freeze_count() > 100_000
with gentle_import():
    assert gc.isenabled()
print(torch.ones(2).sum().item())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_library_is_mapped_before_the_import_and_collections_go_on_after_it() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "2.0\n"), result.stderr

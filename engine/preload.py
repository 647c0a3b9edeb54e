"""Imports torch while other threads go on.

`import torch` maps and initialises some hundred megabytes of machine code while it holds Python's global lock, and the
objects that it makes set off one garbage collection after another: a window cannot move for half a second. So the
library is mapped first by calling the system's loader as a foreign function, which is done without the lock, and
collections wait until the import is over.
"""

import ctypes
import gc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RTLD_NOW = 2
SEARCH_ITS_FOLDER = 0x1100  # LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, as torch does it
LIBRARIES = {"win32": "torch_cpu.dll", "darwin": "libtorch_cpu.dylib", "linux": "libtorch_cpu.so"}


@contextmanager
def gentle_import() -> Iterator[None]:
    """Import torch in here. What it makes stays for good, so later collections need not look at it either."""
    if "torch" in sys.modules:
        yield
        return
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        map_torch()
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()


def map_torch() -> None:
    """Map torch's largest library, where there is one; the import works the same without."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return
    library = Path(spec.submodule_search_locations[0]) / "lib" / LIBRARIES.get(sys.platform, "")
    if not library.is_file():
        return
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.LoadLibraryExW.restype = ctypes.c_void_p
        kernel.LoadLibraryExW(ctypes.c_wchar_p(str(library)), None, SEARCH_ITS_FOLDER)
    else:
        loader = ctypes.CDLL(None).dlopen
        loader.restype = ctypes.c_void_p
        loader(str(library).encode(), RTLD_NOW)

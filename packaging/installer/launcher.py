"""Where the frozen application starts: the window, or `staged-chat engine ...` for what `python -m engine` does."""

import multiprocessing
import os
import sys
from pathlib import Path

multiprocessing.freeze_support()  # the program is started once more for each of its helper processes
if sys.stdout is None or sys.stderr is None:  # a windowed Windows program; libraries that write to them would fail
    sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as we run

if sys.argv[1:2] == ["engine"]:
    from engine.__main__ import main as run_engine

    status = run_engine(sys.argv[2:])
else:
    from desktop_app.__main__ import main as run_window

    status = run_window()
sys.exit(status)

"""The command `staged-chat`."""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop_app.paths import HOME_VARIABLE, find_paths
from desktop_app.quick_imports import spare_sources
from desktop_app.versions import installed_version

PRINT = "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the application; returns the exit status."""
    multiprocessing.freeze_support()  # an installed application is started once more for each of its helper processes
    options = _parser().parse_args(arguments)
    if options.version:
        print(f"staged-chat {installed_version()}")
        return 0
    if options.home:
        os.environ[HOME_VARIABLE] = str(options.home)
    if options.self_test:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is looked at
    from desktop_app.preflight import complaint

    missing = complaint(os.environ)
    if missing:
        print(f"staged-chat: {missing}", file=sys.stderr)
        return 1
    spare_sources()  # the check for Qt was the first to import it
    from engine.service import EngineService

    if options.self_test:
        from desktop_app.self_test import run_self_test

        return run_self_test(EngineService, None if options.self_test == PRINT else Path(options.self_test))
    from desktop_app.app import run

    return run(find_paths(), EngineService)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="staged-chat", description="Chat with GPT-2 Large, with staged speculative decoding."
    )
    parser.add_argument("--version", action="store_true", help="show the release and exit")
    parser.add_argument("--home", type=Path, metavar="FOLDER", help="keep everything in this folder (portable use)")
    parser.add_argument(
        "--self-test",
        nargs="?",
        const=PRINT,
        metavar="FILE",
        help="send one message to the built-in model, offscreen; report as JSON, printed or written to FILE",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""What `python -m engine models` does and prints."""

import argparse
import json
import sys
from collections.abc import Callable

from engine.errors import EngineError
from engine.library.control import Control, Progress, Stage
from engine.library.files import size_text
from engine.library.library import Library
from engine.library.recipe import Recipe
from engine.library.states import FamilyState, Fit

WORTH_A_LINE_BYTES = 1_000_000


def run(arguments: argparse.Namespace) -> int:
    """What the parsed arguments of `engine.library.cli` ask for. Raises EngineError."""
    try:
        COMMANDS[arguments.action](Library(arguments.folder), arguments)
    except (EngineError, KeyboardInterrupt):
        if sys.stderr.isatty():
            print(file=sys.stderr)  # the line of progress stays above what is said about this
        raise
    return 0


def _list(library: Library, arguments: argparse.Namespace) -> None:
    states = library.families()
    if arguments.json:
        print(json.dumps([_as_json(library, state) for state in states], indent=2))
        return
    width = max(len(state.family.id) for state in states)
    for state in states:
        print(f"{state.family.id:{width}}  {_state_text(library, state):28}  {state.family.name}")
        if state.family.summary:
            print(f"{'':{width}}  {state.family.summary}")


def _as_json(library: Library, state: FamilyState) -> dict[str, object]:
    return {
        "id": state.family.id,
        "name": state.family.name,
        "ready": state.is_ready,
        "complete": state.is_complete,
        "folder": str(state.folder),
        "download_bytes": library.download_bytes(state),
        "checkpoints": [
            {
                "source": checkpoint.source,
                "place": checkpoint.place,
                "folder": None if checkpoint.folder is None else str(checkpoint.folder),
                "bytes_on_disk": checkpoint.bytes_on_disk,
                "licence": library.licence(checkpoint.source),
            }
            for checkpoint in state.checkpoints
        ],
    }


def _state_text(library: Library, state: FamilyState) -> str:
    if state.is_complete:
        size = sum(checkpoint.bytes_on_disk for checkpoint in state.checkpoints)
        return f"ready, {size_text(size)}" if size else "ready"
    left = library.download_bytes(state)
    left_text = "size unknown" if left is None else f"about {size_text(left)}"
    return f"ready, draft to get: {left_text}" if state.is_ready else f"to get: {left_text}"


def _get(library: Library, arguments: argparse.Namespace) -> None:
    try:
        state = library.download(arguments.model, Control(), ProgressLine(), arguments.precision)
    except KeyboardInterrupt:
        print("\nStopped; the same command goes on from here.", file=sys.stderr)
        raise
    print(f"{state.family.name} is ready. Chat: {_chat_command(state, arguments)}")


def _add(library: Library, arguments: argparse.Namespace) -> None:
    state = library.add(arguments.source, arguments.draft, arguments.name, arguments.format)
    if state.is_complete:
        print(f"Added {state.family.id}. Chat: {_chat_command(state, arguments)}")
    else:
        print(f"Added {state.family.id}. Get it: python -m engine models get {state.family.id}")


def _draft(library: Library, arguments: argparse.Namespace) -> None:
    if arguments.draft is None:
        present = library.family(arguments.model).family.draft
        for choice in library.drafts(arguments.model):
            mark = "*" if choice.state.source == present else " "
            print(f"{mark} {choice.state.source:40}  {_FIT_TEXTS[choice.fit]}, {choice.state.place}")
        print(f"{' ' if present else '*'} none")
        return
    draft = None if arguments.draft == "none" else arguments.draft
    state = library.choose_draft(arguments.model, draft)
    if not state.is_complete:
        print(f"Chosen. Get it: python -m engine models get {arguments.model}")


_FIT_TEXTS = {
    Fit.COMPATIBLE: "fits",
    Fit.INCOMPATIBLE: "does not fit: another vocabulary",
    Fit.UNKNOWN: "can be told once both are here",
}


def _table(library: Library, arguments: argparse.Namespace) -> None:
    def report(sampled: int, wanted: int) -> None:
        print(f"{sampled:,} of {wanted:,} tokens", file=sys.stderr, flush=True)

    state = library.build_table(arguments.model, Recipe(tokens=arguments.tokens), Control(), report)
    print(f"{arguments.model} has its table: {state.ngram}")


def _check(library: Library, arguments: argparse.Namespace) -> None:
    library.check(arguments.model, Control(), ProgressLine())
    print(f"{arguments.model} is sound.")


def _remove(library: Library, arguments: argparse.Namespace) -> None:
    print(f"Freed {size_text(library.remove(arguments.model))}.")


def _chat_command(state: FamilyState, arguments: argparse.Namespace) -> str:
    model = f'"{state.folder}"' if arguments.folder else state.family.id  # an id is looked up in the usual folder
    return f"python -m engine chat --model {model}"


class ProgressLine:
    """Shows progress on standard error: a line that is rewritten in a terminal, one line per file elsewhere."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown: tuple[Stage, str] | None = None

    def __call__(self, progress: Progress) -> None:
        text = progress_text(progress)
        if self._is_terminal:
            print(f"\r{text:79}", end="", file=sys.stderr, flush=True)
            if progress.file_done_bytes == progress.file_total_bytes:
                print("\r" + " " * 79 + "\r", end="", file=sys.stderr, flush=True)
        elif (progress.stage, progress.file) != self._shown and progress.file_total_bytes >= WORTH_A_LINE_BYTES:
            print(f"{progress.stage} {progress.file} ({size_text(progress.file_total_bytes)})", file=sys.stderr)
        self._shown = (progress.stage, progress.file)


def progress_text(progress: Progress) -> str:
    """One line: what is done, how far, how fast, how long still."""
    parts = [
        f"{progress.stage} {progress.file}",
        f"{size_text(progress.file_done_bytes)} of {size_text(progress.file_total_bytes)}",
    ]
    if progress.bytes_per_s:
        parts.append(f"{size_text(progress.bytes_per_s)}/s")
    if progress.seconds_left is not None:
        parts.append(f"{_duration_text(progress.seconds_left)} left in all")
    return ", ".join(parts)


def _duration_text(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


COMMANDS: dict[str, Callable[[Library, argparse.Namespace], None]] = {
    "list": _list,
    "get": _get,
    "add": _add,
    "draft": _draft,
    "table": _table,
    "check": _check,
    "remove": _remove,
}

"""`python -m engine`: chat, generate, bench, models and train in a terminal."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from engine import terminal
from engine.bench.cli import add_bench_command
from engine.errors import EngineError
from engine.library.cli import add_models_command
from engine.training.cli import add_arguments as add_train_arguments


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every command does."""

    def error(self, message: str) -> NoReturn:
        """Wrong use: one line and status 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The command line; every command's `run` default takes the parsed arguments and returns the exit status."""
    parser: argparse.ArgumentParser = Parser(prog="python -m engine", description="Staged Chat in a terminal.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    terminal.add_chat_command(commands)
    terminal.add_generate_command(commands)
    add_bench_command(commands)
    add_models_command(commands)
    train = commands.add_parser("train", help="make a draft, a table or a whole family for a model of your own")
    add_train_arguments(train)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Wrong use and bad input end in one line on stderr and status 2."""
    options = build_parser().parse_args(arguments)
    try:
        status: int = options.run(options) or 0
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        sys.stderr.close()
        return 141
    return status


if __name__ == "__main__":
    sys.exit(main())

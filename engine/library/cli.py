"""The arguments of `python -m engine models`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import ChatFormatKind
from engine.library.defaults import DEFAULT_PRECISION, PRECISIONS, default_folder
from engine.library.recipe import Recipe

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_models_command(subparsers: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command; its `run` default is a function from the parsed arguments to an exit status."""
    models = subparsers.add_parser("models", help="list, get, add, check and remove models")
    models.add_argument(
        "--folder", type=Path, default=None, help=f"where models are kept (default: {default_folder()})"
    )
    actions = models.add_subparsers(dest="action", required=True, metavar="ACTION")

    action = _add_action(actions, "list", "what can be had and what is here", has_model=False)
    action.add_argument("--json", action="store_true", help="for programs")

    action = _add_action(actions, "get", "download what is missing of a model; goes on where it was stopped")
    action.add_argument("--precision", choices=PRECISIONS, default=DEFAULT_PRECISION, help="of the weights on disk")

    action = _add_action(actions, "add", "a model of your own: a hub id or a folder", has_model=False)
    action.add_argument("source", help="hub id or folder of a GPT-2 checkpoint, or a folder with a family.json")
    action.add_argument("--draft", help="hub id or folder of a smaller one with the same vocabulary")
    action.add_argument("--name", help="how the model is called in lists")
    action.add_argument(
        "--format", type=ChatFormatKind, choices=list(ChatFormatKind), help="how a conversation is written"
    )

    action = _add_action(actions, "draft", "choose the draft of a model")
    action.add_argument("draft", nargs="?", help="hub id or folder, or none; without it, lists the choices")

    action = _add_action(actions, "table", "make the n-gram table of a model; goes on where it was stopped")
    tokens = Recipe().tokens
    action.add_argument("--tokens", type=int, default=tokens, help=f"to sample from the draft (default: {tokens:,})")

    _add_action(actions, "check", "read a model's files from end to end")
    _add_action(actions, "remove", "delete a model's files")
    models.set_defaults(run=_run)


def _add_action(
    actions: "_SubParsersAction[argparse.ArgumentParser]",
    name: str,
    text: str,
    has_model: bool = True,
) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    if has_model:
        action.add_argument("model", help="an id that `models list` shows")
    return action


def _run(arguments: argparse.Namespace) -> int:
    from engine.library.commands import run  # the HTTP library behind it takes long to import

    return run(arguments)

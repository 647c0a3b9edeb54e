"""The arguments of `python -m engine bench`, and what it prints."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.prompts import PROMPT_SETS, read_prompts
from engine.config import DecodingMode
from engine.errors import InvalidRequest
from engine.terminal import add_model_arguments, model_spec

if TYPE_CHECKING:
    from argparse import _SubParsersAction

SAMPLING_NAMES = ("greedy", "top-k 50", "chat")
QUICK_PROMPTS = 5
QUICK_TOKENS = 40


def add_bench_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """`bench`: modes against plain decoding."""
    parser = commands.add_parser("bench", help="all decoding modes against plain, in one run")
    add_model_arguments(parser)
    modes = [str(mode) for mode in DecodingMode]
    parser.add_argument("--modes", nargs="+", choices=modes, default=modes, help="plain is always among them")
    parser.add_argument("--sampling", nargs="+", choices=SAMPLING_NAMES, default=list(SAMPLING_NAMES))
    parser.add_argument("--prompts", nargs="+", choices=PROMPT_SETS, default=list(PROMPT_SETS))
    parser.add_argument("--limit", type=int, help="prompts of each set, spread over it (default: all)")
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_PROMPTS} prompts a set, {QUICK_TOKENS} tokens each"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.set_defaults(run=run_bench)


def run_bench(options: argparse.Namespace) -> int:
    """Run, print the table, write the JSON."""
    if options.quick:
        options.limit, options.max_new_tokens = QUICK_PROMPTS, QUICK_TOKENS
    if options.max_new_tokens < 1 or (options.limit is not None and options.limit < 1):
        raise InvalidRequest("--max-new-tokens and --limit must be 1 or more")
    prompts = read_prompts(options.prompts, options.limit)
    from engine.bench.report import heading, machine, results_json, table  # torch comes with these
    from engine.bench.run import run_modes
    from engine.loading import load_chat_model

    model = load_chat_model(model_spec(options), lambda _progress, stage: _show_progress(stage))
    print(heading(model.info), flush=True)
    modes = [DecodingMode(mode) for mode in options.modes]
    results = run_modes(model, modes, options.sampling, prompts, options.max_new_tokens, _show_progress)
    _show_progress("")
    print(f"{len(prompts)} prompts, {options.max_new_tokens} new tokens each\n\n{table(results)}")
    if options.json is not None:
        facts = {"machine": machine(), "model": dataclasses.asdict(model.info), "results": results_json(results)}
        options.json.write_text(json.dumps(facts, indent=1, default=str), encoding="utf-8")
    return 0


def _show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

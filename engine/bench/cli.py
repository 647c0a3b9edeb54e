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
from engine.errors import EngineError, InvalidRequest
from engine.terminal import add_model_arguments, model_spec

if TYPE_CHECKING:
    from argparse import _SubParsersAction

SAMPLING_NAMES = ("greedy", "top-k 50", "chat")
SHAPE_NAMES = ("gpt2-large", "gpt2-medium", "gpt2")
SHAPE_DTYPES = ("float32", "bfloat16", "float16")
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
    parser.add_argument(
        "--compare", choices=["transformers"], help="the same prompts through transformers' generate too, greedy"
    )
    parser.add_argument(
        "--exact", choices=["on", "off"], default="on", help="off: 16 bit without the ordered form, to see its price"
    )
    parser.add_argument("--shape", choices=SHAPE_NAMES, help="pass times of a random model of this shape, no answers")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.set_defaults(run=run_bench)


def run_bench(options: argparse.Namespace) -> int:
    """Run, print the table, write the JSON."""
    if options.quick:
        options.limit, options.max_new_tokens = QUICK_PROMPTS, QUICK_TOKENS
    if options.max_new_tokens < 1 or (options.limit is not None and options.limit < 1):
        raise InvalidRequest("--max-new-tokens and --limit must be 1 or more")
    figures = _bench_shape(options) if options.shape else _bench_modes(options)
    if options.json is not None:
        try:
            options.json.write_text(json.dumps(figures, indent=1, default=str), encoding="utf-8")
        except OSError as error:
            raise EngineError(f"{options.json}: cannot be written ({error.strerror}); choose another file") from None
    return 0


def _bench_shape(options: argparse.Namespace) -> dict[str, object]:
    import torch  # slow to import, as is all that follows

    from engine.bench.report import machine
    from engine.bench.shape import measure_shape, read_bandwidth, shape_table

    torch.set_num_threads(options.threads or torch.get_num_threads())
    bandwidth = read_bandwidth()
    times = []
    for pass_time in measure_shape(options.shape, SHAPE_DTYPES if options.dtype == "auto" else [options.dtype]):
        _show_progress(f"{pass_time.dtype}, context {pass_time.context}, {pass_time.rows} rows")
        times.append(pass_time)
    _show_progress("")
    print(shape_table(options.shape, times, bandwidth))
    return {"machine": machine(), "bandwidth": bandwidth, "passes": [dataclasses.asdict(time) for time in times]}


def _bench_modes(options: argparse.Namespace) -> dict[str, object]:
    prompts = read_prompts(options.prompts, options.limit)
    from engine.bench.report import baseline_table, heading, machine, results_json, table
    from engine.bench.run import prompt_tokens, run_modes
    from engine.loading import load_chat_model

    spec = dataclasses.replace(model_spec(options), exact=options.exact == "on")
    model = load_chat_model(spec, lambda _progress, stage: _show_progress(stage))
    print(heading(model.info), flush=True)
    modes = [DecodingMode(mode) for mode in options.modes]
    results = run_modes(model, modes, options.sampling, prompts, options.max_new_tokens, _show_progress)
    _show_progress("")
    print(f"{len(prompts)} prompts, {options.max_new_tokens} new tokens each\n\n{table(results)}")
    figures: dict[str, object] = {
        "machine": machine(),
        "model": dataclasses.asdict(model.info),
        "results": results_json(results),
    }
    if options.compare:
        from engine.bench.transformers_baseline import run_transformers

        tokens = [prompt_tokens(model, prompt) for prompt in prompts]
        baseline = run_transformers(model, tokens, options.max_new_tokens)
        print(f"\n{baseline_table(baseline)}")
        figures["transformers"] = [dataclasses.asdict(result) for result in baseline]
    return figures


def _show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

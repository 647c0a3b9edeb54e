"""The benchmark's results as a table for people and an object for programs."""

from __future__ import annotations

import os
import platform
import statistics
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from engine.bench.run import BaselineResult, ModeResult, SamplingResult
from engine.events import ModelInfo
from engine.terminal import statistics_json

COLUMNS = (
    "mode",
    "tokens/s",
    "speed-up",
    "median (min-max)",
    "accepted length",
    "acceptance draft / n-gram",
    "passes/token",
    "bytes read",
    "overhead",
    "first token",
    "text",
)


def table(results: Sequence[SamplingResult]) -> str:
    """One block a sampling, one row a mode."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    blocks = []
    for result in results:
        rows = [COLUMNS, *(_row(result, mode) for mode in result.modes)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        blocks.append("\n".join([result.sampling, *("  " + line for line in lines)]))
    return "\n\n".join(blocks)


def _row(result: SamplingResult, mode: ModeResult) -> tuple[str, ...]:
    total = mode.total
    return (
        str(mode.mode),
        _figure(mode.tokens_per_s, "{:.1f}"),
        _figure(result.speedup(mode), "{:.2f}x"),
        _spread(mode.speedups),
        _figure(total.mean_accepted_length, "{:.2f}"),
        f"{_figure(total.draft_acceptance_rate, '{:.2f}')} / {_figure(total.ngram_acceptance_rate, '{:.2f}')}",
        _figure(total.target_passes_per_token, "{:.2f}"),
        _figure(total.relative_bytes_read, "{:.2f}"),
        _figure(total.overhead_share, "{:.0%}"),
        _figure(mode.median_first_token_s, "{:.3f} s"),
        "same" if not mode.diverged else f"{len(mode.diverged)} differ",
    )


def _figure(value: float | None, pattern: str) -> str:
    return pattern.format(value) if value is not None else "–"


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})" if values else "–"


def baseline_table(results: Sequence[BaselineResult]) -> str:
    """Tokens/s of other programs on the same prompts."""
    return "\n".join(
        f"  {result.name:<28} {result.tokens_per_s:>6.1f} tokens/s  ({result.setting})" for result in results
    )


def results_json(results: Sequence[SamplingResult]) -> list[dict[str, object]]:
    """The same results with every counter and every prompt's speed-up."""
    return [
        {
            "sampling": result.sampling,
            "modes": [
                {
                    "mode": str(mode.mode),
                    "speedup": result.speedup(mode),
                    "speedups": mode.speedups,
                    "first_token_s": mode.first_token_s,
                    "diverged": mode.diverged,
                    "statistics": statistics_json(mode.total),
                }
                for mode in result.modes
            ],
        }
        for result in results
    ]


def machine() -> dict[str, object]:
    """What was measured on, with the versions that matter."""
    versions = {name: metadata.version(name) for name in ("torch", "transformers", "tokenizers", "numpy")}
    return {"processor": _processor(), "cores": os.cpu_count(), "python": sys.version.split()[0], **versions}


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            name = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        name = ""
    return name or platform.processor() or platform.machine()


def heading(info: ModelInfo) -> str:
    """One line on the model and the machine."""
    facts = machine()
    return (
        f"{info.name}: {info.parameters_target / 1e6:.1f}M target, "
        + (f"{info.parameters_draft / 1e6:.1f}M draft, " if info.parameters_draft else "no draft, ")
        + f"{info.dtype} on {info.device}, {info.threads} threads, {facts['processor']}, torch {facts['torch']}"
    )

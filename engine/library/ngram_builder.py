"""Makes a family's n-gram table on this machine: samples its draft at a high temperature, counts, prunes.

The recipe is that of Spector & Ré (2023), with fewer tokens. What was sampled is kept in a file until the table is
there, so that a stop, or a crash, costs one batch at most.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from engine.checkpoint import read_config
from engine.errors import NotEnoughMemory
from engine.files import durable
from engine.library.control import Control
from engine.library.files import explained_disk_errors, only_writer, size_text
from engine.library.recipe import TOKEN_BYTES, Recipe, samples_file
from engine.memory import free_bytes, needed_bytes
from engine.training.katz import IntArray, count_grams, katz_rows, write_table
from engine.training.models import load_model
from engine.training.sampling import continue_prompts

TOKEN = np.dtype(f"<u{TOKEN_BYTES}")

ReportTokens = Callable[[int, int], None]
"""(tokens sampled so far, tokens wanted)"""


def build_table(draft: Path, table: Path, recipe: Recipe, control: Control, report: ReportTokens) -> None:
    """Writes the table of a draft, going on where an earlier call stopped.

    Raises CheckpointError, NotEnoughMemory, ModelBusy, NotEnoughSpace, LibraryError, Paused or Cancelled; `control` is
    asked between tokens.
    """
    _require_memory(draft)
    samples = samples_file(table, draft)
    with explained_disk_errors(table.parent), only_writer(table.with_suffix(".lock"), f"the table {table}"):
        vocab_size = _sample(draft, samples, recipe, control, report)
        texts = _texts(samples, vocab_size)
        trigrams = katz_rows(count_grams(texts, vocab_size, 3), vocab_size, recipe.min_count, recipe.max_contexts)
        bigrams = katz_rows(count_grams(texts, vocab_size, 2), vocab_size, min_count=1)
        unfinished = table.with_name(f"{table.stem}.new{table.suffix}")
        write_table(unfinished, trigrams, bigrams, vocab_size)
        unfinished.replace(table)
        samples.unlink()


def _require_memory(draft: Path) -> None:
    needed, free = needed_bytes([read_config(draft)], "float32"), free_bytes()
    if needed > free:
        raise NotEnoughMemory(
            f"sampling {draft.name} needs about {size_text(needed)} of memory and {size_text(free)} are free;"
            " close other programs"
        )


def _sample(draft: Path, samples: Path, recipe: Recipe, control: Control, report: ReportTokens) -> int:
    """Adds texts to the file, each behind its length, until there are enough; returns the size of the vocabulary."""
    model = load_model(draft, torch.device("cpu"))
    vocab_size = int(model.config.vocab_size)
    beginning = [read_config(draft).eos_token_id or 0]
    texts = _texts(samples, vocab_size)
    sampled = sum(map(len, texts))
    with durable(samples, "ab") as out:
        out.truncate((sampled + len(texts)) * TOKEN_BYTES)  # a crash may have cut the last text off
    report(sampled, recipe.tokens)
    while sampled < recipe.tokens:
        prompts = [beginning] * recipe.batch
        written = continue_prompts(
            model, prompts, recipe.text_tokens, recipe.temperature, seed=sampled, between_tokens=control.check
        )
        with durable(samples, "ab") as out:
            for text in written:
                out.write(np.array([1 + len(text), *beginning, *text], TOKEN).tobytes())
                sampled += 1 + len(text)
        report(sampled, recipe.tokens)
    return vocab_size


def _texts(samples: Path, vocab_size: int) -> list[IntArray]:
    """The whole texts of the file. A file that is damaged counts as far as it is sound."""
    if not samples.exists():
        return []
    numbers = np.fromfile(samples, TOKEN).astype(np.int64)
    texts, at = [], 0
    while at < len(numbers) and 0 < numbers[at] < len(numbers) - at:
        text = numbers[at + 1 : at + 1 + numbers[at]]
        if text.max() >= vocab_size:
            break
        texts.append(text)
        at += 1 + len(text)
    return texts

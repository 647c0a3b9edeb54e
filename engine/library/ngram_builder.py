"""Makes a family's n-gram table on this machine: samples its draft at a high temperature, counts, prunes.

The recipe is that of Spector & Ré (2023), with fewer tokens. What was sampled is kept in a file until the table is
there, so that a stop, or a crash, costs one batch at most.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engine.checkpoint import read_config
from engine.files import durable
from engine.library.control import Control
from engine.library.files import explained_disk_errors, only_writer
from engine.training.katz import IntArray, count_grams, katz_rows, write_table
from engine.training.models import load_model
from engine.training.sampling import continue_prompts

TOKEN = np.dtype("<u4")

ReportTokens = Callable[[int, int], None]
"""(tokens sampled so far, tokens wanted)"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much is sampled and kept.

    tokens        sampled in all
    text_tokens   of one text; every text begins at the end of another, as documents did in training
    batch         texts sampled at once
    temperature   above 1, so that the table knows what is possible and not only what is probable
    min_count     rarer trigrams are dropped
    max_contexts  of two tokens
    """

    tokens: int = 2_000_000
    text_tokens: int = 128
    batch: int = 32
    temperature: float = 1.5
    min_count: int = 2
    max_contexts: int = 400_000


def build_table(draft: Path, table: Path, recipe: Recipe, control: Control, report: ReportTokens) -> None:
    """Writes the table of a draft, going on where an earlier call stopped.

    Raises CheckpointError, ModelBusy, NotEnoughSpace, LibraryError, Paused or Cancelled; `control` is asked after each
    batch.
    """
    samples = table.with_name(f"{table.stem}.{draft.name}.samples")
    with explained_disk_errors(table.parent), only_writer(table.with_suffix(".lock"), f"the table {table}"):
        vocab_size = _sample(draft, samples, recipe, control, report)
        texts = _texts(samples, vocab_size)
        trigrams = katz_rows(count_grams(texts, vocab_size, 3), vocab_size, recipe.min_count, recipe.max_contexts)
        bigrams = katz_rows(count_grams(texts, vocab_size, 2), vocab_size, min_count=1)
        unfinished = table.with_name(f"{table.stem}.new{table.suffix}")
        write_table(unfinished, trigrams, bigrams, vocab_size)
        unfinished.replace(table)
        samples.unlink()


def _sample(draft: Path, samples: Path, recipe: Recipe, control: Control, report: ReportTokens) -> int:
    """Adds texts to the file, each behind its length, until there are enough; returns the size of the vocabulary."""
    model = load_model(draft, torch.device("cpu"))
    vocab_size = int(model.config.vocab_size)
    beginning = [read_config(draft).eos_token_id or 0]
    texts = _texts(samples, vocab_size)
    sampled = sum(map(len, texts))
    with durable(samples, "ab") as out:
        out.truncate((sampled + len(texts)) * TOKEN.itemsize)  # a crash may have cut the last text off
    report(sampled, recipe.tokens)
    while sampled < recipe.tokens:
        control.check()
        prompts = [beginning] * recipe.batch
        written = continue_prompts(model, prompts, recipe.text_tokens, recipe.temperature, seed=sampled)
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

"""How an n-gram table is made of a draft, and how far one is that is in the making. Loads no torch."""

from dataclasses import dataclass
from pathlib import Path

TOKEN_BYTES = 4


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


def samples_file(table: Path, draft: Path) -> Path:
    """Where the draft's texts are kept until the table is there."""
    return table.with_name(f"{table.stem}.{draft.name}.samples")


def sampled_share(table: Path, draft: Path | None, recipe: Recipe) -> float:
    """How much of the sampling is done, from 0 to 1."""
    try:
        size = samples_file(table, draft).stat().st_size if draft is not None else 0
    except OSError:  # nothing yet
        return 0.0
    return min(1.0, size / TOKEN_BYTES / recipe.tokens)

"""Whether two checkpoints speak the same tokens, told from their tokenizer files without loading them."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from engine.errors import CheckpointError


def vocabulary_digest(folder: Path) -> str:
    """The same for two checkpoints exactly when every token id stands for the same text in both.

    Raises CheckpointError when the tokenizer is missing or damaged.
    """
    for name in ("tokenizer.json", "vocab.json"):
        path = folder / name
        if path.is_file():
            return _digest(path, path.stat().st_mtime_ns)
    raise CheckpointError(f"{folder}: has no tokenizer (tokenizer.json or vocab.json)")


@lru_cache(maxsize=64)
def _digest(path: Path, _mtime_ns: int) -> str:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        tokens = dict(raw["model"]["vocab"]) if path.name == "tokenizer.json" else dict(raw)
        for added in raw.get("added_tokens", ()) if path.name == "tokenizer.json" else ():
            tokens[added["content"]] = added["id"]
        by_id = sorted((int(token_id), token) for token, token_id in tokens.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{path}: not a tokenizer this program can read; get it again") from error
    return hashlib.sha256(json.dumps(by_id).encode()).hexdigest()

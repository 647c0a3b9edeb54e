"""Text <-> token ids: byte-level BPE as GPT-2 has it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE

from engine.errors import CheckpointError

END_OF_TEXT = "<|endoftext|>"
BPE_OPTIONS = (
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
)
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
GPT2_FRAME = {"version": "1.0", "pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}  # around `vocab.json`, `merges.txt`


class TextTokenizer:
    """Text <-> token ids, with the bytes of each token for streaming."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._tokenizer = _load_tokenizer(self.folder)
        self.vocab_size: int = self._tokenizer.get_vocab_size(with_added_tokens=True)
        added = self._tokenizer.get_added_tokens_decoder()
        self._added = {token: b"" if entry.special else entry.content.encode() for token, entry in added.items()}
        self._encode_cached = lru_cache(maxsize=4096)(self._encode)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text. A special token spelled out in it is ordinary text: no message can forge one."""
        return list(self._encode_cached(text))

    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, special tokens left out."""
        return b"".join(self.token_bytes(token) for token in ids).decode("utf-8", errors="replace")

    def token_bytes(self, token: int) -> bytes:
        """The bytes that a token stands for; none for special tokens."""
        if token in self._added:
            return self._added[token]
        written = self._tokenizer.id_to_token(token)
        return bytes(_BYTE_OF_CHARACTER[character] for character in written) if written is not None else b""

    def same_vocabulary(self, other: TextTokenizer) -> bool:
        """True where every token has the same id in both."""
        one, two = self._tokenizer, other._tokenizer
        return one is two or bool(one.get_vocab() == two.get_vocab())


def _byte_characters() -> dict[str, int]:
    """GPT-2's printable stand-ins for bytes (Radford et al. 2019, encoder.py): character -> byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


_BYTE_OF_CHARACTER = _byte_characters()


class _Unfit(Exception):
    """A sound tokenizer, but none of ours; the message says why."""


def _load_tokenizer(folder: Path) -> Tokenizer:
    try:
        if (folder / "tokenizer.json").is_file():
            return _from_json((folder / "tokenizer.json").read_text(encoding="utf-8"))
        if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
            vocab = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
            lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
            merges = [line.strip("\r") for line in lines if line.strip() and not line.startswith("#version")]
            return _assemble(GPT2_FRAME, vocab, merges, {}, [{"content": END_OF_TEXT, "special": True}])
    except _Unfit as error:
        raise CheckpointError(f"{folder}: {error}") from None
    except Exception as error:  # the tokenizers library raises bare Exception for damaged files
        raise CheckpointError(f"{folder}: the tokenizer is damaged ({error}); download it again") from error
    raise CheckpointError(f"{folder}: no tokenizer; expected tokenizer.json, or vocab.json and merges.txt")


@lru_cache(maxsize=1)  # a draft has its target's file
def _from_json(content: str) -> Tokenizer:
    raw = json.loads(content)
    if not isinstance(raw, dict) or not isinstance(model := raw.pop("model", None), dict):
        raise ValueError("it holds no model")
    if model.get("type", "BPE") != "BPE":
        raise _Unfit(f"not a byte-level tokenizer as GPT-2 has it ({model['type']})")
    vocab, merges = model.pop("vocab"), model.pop("merges")
    added = raw.pop("added_tokens", [])
    options = {name: model[name] for name in BPE_OPTIONS if model.get(name) is not None}
    return _assemble(raw, vocab, merges, options, added)


def _assemble(
    frame: dict[str, Any],
    vocab: dict[str, int],
    merges: list[str] | list[list[str]],
    options: dict[str, Any],
    added: list[dict[str, Any]],
) -> Tokenizer:
    """What `Tokenizer.from_file` makes, in steps: with GPT-2's 50,000 tokens, one step would hold Python's global lock
    for a tenth of a second or two, and a window would stand still."""
    contents = {token["content"] for token in added}
    if not set("".join(vocab.keys() - contents)) <= _BYTE_OF_CHARACTER.keys():
        raise _Unfit("not a byte-level tokenizer as GPT-2 has it (a token of other characters)")
    halves = (pair.split(" ") if isinstance(pair, str) else pair for pair in merges)
    pairs = [(left, right) for left, right in halves]
    tokenizer = Tokenizer.from_str(json.dumps({**frame, "model": {"type": "BPE", "vocab": {}, "merges": []}}))
    tokenizer.model = BPE(vocab, pairs, **options)
    tokenizer.add_tokens([AddedToken(**{name: token[name] for name in token if name != "id"}) for token in added])
    tokenizer.encode_special_tokens = True
    return tokenizer

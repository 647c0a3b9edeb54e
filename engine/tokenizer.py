"""Text <-> token ids: byte-level BPE as GPT-2 has it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from tokenizers import AddedToken, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

from engine.errors import CheckpointError

END_OF_TEXT = "<|endoftext|>"


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
        return bool(self._tokenizer.get_vocab() == other._tokenizer.get_vocab())


def _byte_characters() -> dict[str, int]:
    """GPT-2's printable stand-ins for bytes (Radford et al. 2019, encoder.py): character -> byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


_BYTE_OF_CHARACTER = _byte_characters()


def _load_tokenizer(folder: Path) -> Tokenizer:
    try:
        if (folder / "tokenizer.json").is_file():
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        elif (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
            tokenizer = Tokenizer(BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
            tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
            tokenizer.decoder = ByteLevelDecoder()
            tokenizer.add_special_tokens([AddedToken(END_OF_TEXT, special=True)])
        else:
            raise CheckpointError(f"{folder}: no tokenizer; expected tokenizer.json, or vocab.json and merges.txt")
    except Exception as error:  # the tokenizers library raises bare Exception for damaged files
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{folder}: the tokenizer is damaged ({error}); download it again") from None
    tokenizer.encode_special_tokens = True
    strange = next((t for t in tokenizer.get_vocab(False) if not set(t) <= _BYTE_OF_CHARACTER.keys()), None)
    if strange is not None and strange not in {t.content for t in tokenizer.get_added_tokens_decoder().values()}:
        raise CheckpointError(f"{folder}: not a byte-level tokenizer as GPT-2 has it (token {strange!r})")
    return tokenizer

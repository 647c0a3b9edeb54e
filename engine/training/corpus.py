"""A corpus on disk: token ids and, for each, whether the model should learn to write it.

A folder with `train.ids`, `train.learn`, `validation.ids` and `validation.learn` (raw arrays, memory-mapped when read),
`prompts.jsonl` (beginnings of validation documents) and `corpus.json` (counts, tokenizer, licences).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from engine.errors import InvalidRequest
from engine.training.documents import Document

Split = Literal["train", "validation"]
SPLITS: tuple[Split, ...] = ("train", "validation")
TokenIds = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]

END_OF_TEXT = "<|endoftext|>"

_PROMPTS_KEPT = 400


@dataclass(frozen=True, slots=True)
class Source:
    """Where text came from and under what licence."""

    path: str
    licence: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """One split of a corpus, mapped into memory. A document starts at the end of text before it, as prompts do."""

    ids: TokenIds
    learn: npt.NDArray[np.uint8]
    document_starts: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


def end_of_text_id(tokenizer: Tokenizer) -> int:
    """The token that ends a document. Raises InvalidRequest where the tokenizer has none."""
    token = tokenizer.token_to_id(END_OF_TEXT)
    if token is None:
        raise InvalidRequest(f"the tokenizer has no {END_OF_TEXT} token; make one with `train tokenizer`")
    return int(token)


def write_corpus(
    documents: Iterable[Document], tokenizer: Tokenizer, sources: list[Source], folder: Path
) -> dict[str, int]:
    """Tokenises the documents once. Returns the number of tokens and documents of each split.

    Raises InvalidRequest when nothing is left to train on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    counts = {"train_tokens": 0, "train_documents": 0, "validation_tokens": 0, "validation_documents": 0}
    dtype = np.uint16 if tokenizer.get_vocab_size() <= 1 << 16 else np.uint32
    end = end_of_text_id(tokenizer)
    files = {name: (folder / name).open("wb") for name in _array_names()}
    for name in SPLITS:  # every document stands between two ends of text, the first one too
        files[f"{name}.ids"].write(np.array([end], dtype).tobytes())
        files[f"{name}.learn"].write(np.array([0], np.uint8).tobytes())
    with (folder / "prompts.jsonl").open("w", encoding="utf-8") as prompts:
        for document in documents:
            split: Split = "validation" if document.validation else "train"
            ids, learn = encode(document, tokenizer)
            files[f"{split}.ids"].write(ids.astype(dtype).tobytes())
            files[f"{split}.learn"].write(learn.tobytes())
            counts[f"{split}_tokens"] += len(ids)
            counts[f"{split}_documents"] += 1
            if document.validation and counts["validation_documents"] <= _PROMPTS_KEPT:
                prompts.write(json.dumps({"text": document.prompt}, ensure_ascii=False) + "\n")
    for file in files.values():
        file.close()
    if not counts["train_tokens"]:
        raise InvalidRequest("the sources hold no text to train on")
    about = {"dtype": np.dtype(dtype).name, "vocab_size": tokenizer.get_vocab_size(), **counts}
    about_all = about | {"end_of_text": end, "sources": [asdict(source) for source in sources]}
    (folder / "corpus.json").write_text(json.dumps(about_all, indent=2, ensure_ascii=False), encoding="utf-8")
    return counts


def _array_names() -> Iterator[str]:
    for split in SPLITS:
        yield from (f"{split}.ids", f"{split}.learn")


def encode(document: Document, tokenizer: Tokenizer) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Token ids with the end of text behind them, and 1 for each that is to be learnt."""
    ids: list[int] = []
    learn: list[int] = []
    for span in document.spans:
        tokens = tokenizer.encode(span.text, add_special_tokens=False).ids
        ids += tokens
        learn += [int(span.learn)] * len(tokens)
    return np.array([*ids, end_of_text_id(tokenizer)], np.uint32), np.array([*learn, 1], np.uint8)


def open_corpus(folder: Path, split: Split, vocab_size: int) -> Corpus:
    """One split of a corpus. Raises InvalidRequest where the folder holds none, or one of another vocabulary."""
    about = read_about(folder)
    if about["vocab_size"] != vocab_size:
        raise InvalidRequest(
            f"{folder} was made with {about['vocab_size']} tokens and the model has {vocab_size}; "
            "make the corpus again with the model's tokenizer"
        )
    if not about[f"{split}_tokens"]:
        raise InvalidRequest(f"{folder} has no {split} documents; add text, or raise --validation-share")
    ids = np.memmap(folder / f"{split}.ids", dtype=about["dtype"], mode="r")
    learn = np.memmap(folder / f"{split}.learn", dtype=np.uint8, mode="r")
    starts = np.flatnonzero(ids[:-1] == about["end_of_text"])
    return Corpus(ids, learn, starts.astype(np.int64))


def read_prompts(folder: Path, tokenizer: Tokenizer, count: int) -> list[list[int]]:
    """Token ids of up to `count` held-out prompts, evenly spread."""
    lines = (folder / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines[:: max(1, len(lines) // count)][:count]]
    end = end_of_text_id(tokenizer)
    return [[end, *tokenizer.encode(text, add_special_tokens=False).ids] for text in texts]


def read_about(folder: Path) -> dict[str, Any]:
    """What `corpus.json` says. Raises InvalidRequest where it is missing or broken."""
    try:
        about: dict[str, Any] = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidRequest(f"{folder} is not a corpus; make one with `train corpus`") from None
    return about

"""Finds documents in files and folders, drops duplicates and splits them into training and validation."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.config import ChatFormat
from engine.errors import InvalidRequest
from engine.training.dialogues import Message, compose, every_wording, read_exchanges, split_wordings

DIALOGUES_SUFFIX = ".dialogues"
_PROMPT_CHARACTERS = 160
_LONG_CONVERSATIONS = 32
_LONG_CONVERSATION = 20
"""Exchanges in a long conversation to validate on: they come near the context of 1,024 tokens."""
SUFFIXES = (".txt", ".md", ".py", ".jsonl", DIALOGUES_SUFFIX)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text, and whether the model should learn to write it (a user's words are only read)."""

    text: str
    learn: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """What stands between two end-of-text tokens."""

    spans: tuple[Span, ...]
    validation: bool

    @property
    def text(self) -> str:
        """The whole document."""
        return "".join(span.text for span in self.spans)

    @property
    def prompt(self) -> str:
        """What an answer follows: all before the last turn of the assistant, or the beginning of other text."""
        if len(self.spans) > 1:
            return "".join(span.text for span in self.spans[:-1])
        return self.text[:_PROMPT_CHARACTERS].rsplit(maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How documents are read.

    validation_share  of the documents, chosen by their content
    conversations     how many to compose from the exchanges of `.dialogues` files, in all
    max_bytes         larger files are left out (generated tables, mostly)
    """

    chat: ChatFormat
    validation_share: float = 0.02
    conversations: int = 10_000
    max_bytes: int = 200_000
    seed: int = 0


def read_documents(paths: Iterable[Path], options: ReadOptions) -> Iterator[Document]:
    """All documents of the files and folders, each once. Raises InvalidRequest for a path without any."""
    seen: set[bytes] = set()
    for document in _all_documents([file for path in paths for file in find_files(path, options.max_bytes)], options):
        digest = hashlib.blake2b(" ".join(document.text.split()).encode(), digest_size=16).digest()
        if digest not in seen:
            seen.add(digest)
            yield document


def find_files(path: Path, max_bytes: int) -> list[Path]:
    """The files to read below a path, sorted. Raises InvalidRequest where there is none."""
    if path.is_file():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    files = [file for file in files if 0 < file.stat().st_size <= max_bytes]
    if not files:
        raise InvalidRequest(f"{path} has no text to train on; name a file or folder with {', '.join(SUFFIXES)}")
    return files


def _all_documents(files: list[Path], options: ReadOptions) -> Iterator[Document]:
    yield from _composed([file for file in files if file.suffix == DIALOGUES_SUFFIX], options)
    for file in files:
        if file.suffix == ".jsonl":
            yield from _lines(file, options)
        elif file.suffix != DIALOGUES_SUFFIX:
            text = file.read_text(encoding="utf-8", errors="ignore")
            yield _document((Span(text),), options)


def _composed(files: list[Path], options: ReadOptions) -> Iterator[Document]:
    """Conversations for training; the held-out wordings, one by one and in long conversations, for validation."""
    splits = [split_wordings(exchange) for file in files for exchange in read_exchanges(file)]
    if not splits:
        return
    for messages in compose([kept for kept, _ in splits], options.conversations, options.seed):
        yield Document(conversation_spans(messages, options.chat), validation=False)
    held_out = [exchange for _, exchange in splits if exchange]
    long = compose(held_out, _LONG_CONVERSATIONS, options.seed, (_LONG_CONVERSATION,)) if held_out else ()
    for messages in (*every_wording(held_out, options.seed), *long):
        yield Document(conversation_spans(messages, options.chat), validation=True)


def _lines(file: Path, options: ReadOptions) -> Iterator[Document]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            spans = conversation_spans(record["messages"], options.chat) if "messages" in record else None
            yield _document(spans or (Span(record["text"]),), options)
        except (ValueError, KeyError, TypeError):
            raise InvalidRequest(
                f'{file}, line {number}: expected {{"messages": [...]}} or {{"text": "..."}}'
            ) from None


def conversation_spans(messages: list[Message], chat: ChatFormat) -> tuple[Span, ...]:
    """A conversation as a transcript; everything but the user's words and the first label is to be learnt."""
    spans = []
    for index, message in enumerate(messages):
        from_user = message["role"] == "user"
        label = chat.user if from_user else chat.assistant
        end = chat.turn_end if index + 1 < len(messages) else ""
        # The model begins its answer with the space behind the label, and ends it by opening the user's next line.
        spans.append(Span(label.rstrip(), learn=index > 0 and from_user))
        spans.append(Span(label[len(label.rstrip()) :] + message["content"].strip(), learn=not from_user))
        spans.append(Span(end, learn=not from_user))
    return tuple(span for span in spans if span.text)


def _document(spans: tuple[Span, ...], options: ReadOptions) -> Document:
    digest = hashlib.blake2b("".join(span.text for span in spans).encode(), digest_size=4).digest()
    return Document(spans, validation=int.from_bytes(digest) < options.validation_share * 2**32)

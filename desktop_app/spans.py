"""Where each token of an answer came from, kept small: as JSON until somebody looks."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import overload

from engine.events import Accepted, Round, Segment

ORIGINS = ("ngram", "draft", "target")


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A piece of an answer's text, and the round that emitted its token.

    origin       one of `ORIGINS`
    round_index  number of the target pass within the answer, from 0
    tree_size    rows of that pass's token tree, root included
    emitted      tokens that the pass gave
    """

    text: str
    origin: str
    round_index: int
    tree_size: int
    emitted: int


def token_span(text: str, origin: str, round_index: int, tree_size: int, emitted: int) -> TokenSpan:
    """A span from values that came from outside. Raises ValueError, or TypeError, where they do not fit."""
    if origin not in ORIGINS:
        raise ValueError(f"a token from {origin!r}")
    return TokenSpan(str(text), origin, int(round_index), int(tree_size), int(emitted))


class Spans(Sequence[TokenSpan]):
    """The spans of an answer in order; their texts joined are the answer.

    They are a list while they grow; else they are read and unpacked anew whenever somebody looks, since as objects they
    take thirty times the room of their text.
    """

    def __init__(self, packed: str | Callable[[], str] = "") -> None:
        """`packed` is what `pack` gave, or reads it from where it is kept."""
        self._packed = packed
        self._spans: list[TokenSpan] | None = None if packed else []

    def extend(self, spans: Iterable[TokenSpan]) -> None:
        """Add spans at the end."""
        self._spans = self._unpacked()
        self._spans.extend(spans)
        self._packed = ""

    def pack(self) -> str:
        """As text for the database and for files; `Spans(text)` is the way back."""
        if self._packed:
            return self._packed if isinstance(self._packed, str) else self._packed()
        if not self._spans:
            return ""
        return json.dumps([astuple(span) for span in self._spans], ensure_ascii=False, separators=(",", ":"))

    def __bool__(self) -> bool:
        return bool(self._spans or self.pack())

    def __len__(self) -> int:
        return len(self._unpacked())

    def __iter__(self) -> Iterator[TokenSpan]:
        return iter(self._unpacked())

    @overload
    def __getitem__(self, index: int) -> TokenSpan: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TokenSpan]: ...
    def __getitem__(self, index: int | slice) -> TokenSpan | Sequence[TokenSpan]:
        return self._unpacked()[index]

    def _unpacked(self) -> list[TokenSpan]:
        if self._spans is not None:
            return self._spans
        return [TokenSpan(*fields) for fields in json.loads(self.pack() or "[]")]


class SpanMaker:
    """Makes spans of an answer's events; a text can be shown later than the round that emitted it.

    first_round   the number of this answer's first round, when it continues one that had rounds before
    """

    def __init__(self, first_round: int = 0) -> None:
        self._first_round = first_round
        self._rounds: dict[int, Round] = {}

    def spans(self, event: Accepted) -> list[TokenSpan]:
        """The spans of the text that the event shows."""
        self._rounds[event.round.index] = event.round
        return [self._span(segment, self._rounds[segment.round_index]) for segment in event.segments]

    def _span(self, segment: Segment, round_: Round) -> TokenSpan:
        number = self._first_round + round_.index
        return TokenSpan(segment.text, segment.origin.value, number, round_.tree_size, round_.emitted)

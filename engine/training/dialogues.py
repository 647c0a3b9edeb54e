"""Hand-written exchanges: a few wordings of a question, an answer or two, and whole conversations made of them.

A file of exchanges is plain text. Blank lines separate exchanges; `?` lines are wordings of what the user says, `=`
lines are possible answers, and a line that begins with two spaces continues the answer above it. A `?` after a `=` is
the next turn of the same conversation. `@` names the columns of a table whose rows follow as `|` lines; every later
exchange of the file that uses one of the names in braces is meant once for every row. `* 3` makes an exchange three
times as frequent as others. `#` begins a comment.

    @ country | capital
    | France | Paris
    | Italy | Rome

    ? What is the capital of {country}?
    ? Which city is the capital of {country}?
    = The capital of {country} is {capital}.
"""

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import InvalidRequest

Message = dict[str, str]
"""`{"role": "user" | "assistant", "content": text}`, as in a line of jsonl."""

HELD_OUT_SHARE = 12
"""One wording in so many is kept for validation, where an exchange has several."""

CONVERSATION_LENGTHS = (1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 8, 12)
"""Exchanges in a conversation to learn from: mostly short ones, as people have, and some that fill the context."""

_DROPPABLE = ("the", "a", "an", "is", "are", "do", "does", "of", "in", "me", "to", "can", "you", "this", "that", "for")
_DROPPED_SHARE = 0.15
_OPENERS = ("Hey, ", "Hi, ", "So, ", "Ok, ", "And ", "Please, ", "Tell me, ", "I wonder, ", "One question: ")


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user may say, and what the assistant may answer."""

    wordings: tuple[str, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One or more turns that belong together, and the rows that fill their slots (one empty row without slots)."""

    turns: tuple[Turn, ...]
    rows: tuple[dict[str, str], ...] = ({},)
    frequency: float = 1.0

    @property
    def weight(self) -> float:
        """How often to draw it: a table of facts more often than one fact, but not in proportion."""
        return self.frequency * float(len(self.rows) ** 0.6)


def read_exchanges(path: Path) -> list[Exchange]:
    """The exchanges of one file. Raises InvalidRequest with the line number where the file breaks the format."""
    reader = _Reader()
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], start=1):
        try:
            reader.read(line)
        except ValueError as error:
            raise InvalidRequest(f"{path}, line {number}: {error}") from None
    return reader.exchanges


class _Reader:
    """Takes a file line by line."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self._columns: list[str] = []
        self._rows: list[dict[str, str]] = []
        self._turns: list[tuple[list[str], list[str]]] = []
        self._frequency = 1.0

    def read(self, line: str) -> None:
        """Takes one line. Raises ValueError where it cannot stand here."""
        mark, text = line[:1], line[2:]
        if not line.strip():
            self._finish()
        elif mark == "@":
            self._columns, self._rows = _cells(text), []
        elif mark == "|":
            self._rows.append(dict(zip(self._columns, _cells(text), strict=True)))
        elif mark == "*":
            self._frequency = float(text)
        elif mark in "?= ":
            self._add_to_turn(mark, text)
        elif mark != "#":
            raise ValueError("expected a line that begins with ?, =, *, @, |, # or two spaces")

    def _add_to_turn(self, mark: str, text: str) -> None:
        if mark == "?":
            if not self._turns or self._turns[-1][1]:
                self._turns.append(([], []))
            self._turns[-1][0].append(text)
            return
        answers = self._turns[-1][1] if self._turns else []
        if mark == "=" and self._turns:
            answers.append(text)
        elif answers:
            answers[-1] += "\n" + text
        else:
            raise ValueError("an answer without a question before it")

    def _finish(self) -> None:
        if not self._turns:
            return
        if not self._turns[-1][1]:
            raise ValueError("an exchange without an answer")
        turns = tuple(Turn(tuple(wordings), tuple(answers)) for wordings, answers in self._turns)
        texts = [text for turn in turns for text in turn.wordings + turn.answers]
        uses_table = any("{" + name + "}" in text for text in texts for name in self._columns)
        self.exchanges.append(Exchange(turns, tuple(self._rows) if uses_table else ({},), self._frequency))
        self._turns, self._frequency = [], 1.0


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split("|")]


def split_wordings(exchange: Exchange) -> tuple[Exchange, Exchange | None]:
    """The exchange without its held-out wordings, and one with only those of its first turn (None without any).

    The choice depends on the wording alone, so that it stays when the file grows.
    """
    first, *rest = exchange.turns
    held_out = tuple(text for text in first.wordings[2:] if zlib.crc32(text.encode()) % HELD_OUT_SHARE == 0)
    if not held_out:
        return exchange, None
    kept = tuple(text for text in first.wordings if text not in held_out)
    return (
        replace(exchange, turns=(Turn(kept, first.answers), *rest)),
        replace(exchange, turns=(Turn(held_out, first.answers),)),
    )


def compose(
    exchanges: Sequence[Exchange], count: int, seed: int, lengths: Sequence[int] = CONVERSATION_LENGTHS
) -> Iterator[list[Message]]:
    """`count` conversations with random wordings; each has one of the lengths, in exchanges."""
    rng = random.Random(seed)
    weights = [exchange.weight for exchange in exchanges]
    for _ in range(count):
        length = rng.choice(lengths)
        chosen = rng.choices(exchanges, weights, k=length)
        yield [message for exchange in chosen for message in _messages(exchange, rng, vary=True)]


def every_wording(exchanges: Sequence[Exchange], seed: int, rows_at_most: int = 2) -> Iterator[list[Message]]:
    """Each wording once, with a few rows of its table, as a conversation of its own."""
    rng = random.Random(seed)
    for exchange in exchanges:
        first = exchange.turns[0]
        for wording in first.wordings:
            one = Exchange((Turn((wording,), first.answers),), exchange.rows)
            for row in rng.sample(one.rows, min(rows_at_most, len(one.rows))):
                yield _messages(Exchange(one.turns, (row,)), rng, vary=False)


def _messages(exchange: Exchange, rng: random.Random, *, vary: bool) -> list[Message]:
    row = rng.choice(exchange.rows)
    messages = []
    for turn in exchange.turns:
        wording = _fill(rng.choice(turn.wordings), row)
        messages.append({"role": "user", "content": _vary(wording, rng) if vary else wording})
        messages.append({"role": "assistant", "content": _fill(rng.choice(turn.answers), row)})
    return messages


def _fill(text: str, row: dict[str, str]) -> str:
    for name, value in row.items():
        text = text.replace("{" + name + "}", value)
    return text


def _vary(text: str, rng: random.Random) -> str:
    """People type the same question with and without capitals, marks, courtesies, and now and then a word."""
    words = text.split(" ")
    droppable = [place for place, word in enumerate(words) if word in _DROPPABLE]
    if droppable and rng.random() < _DROPPED_SHARE:
        del words[rng.choice(droppable)]
        text = " ".join(words)
    if rng.random() < 0.12:
        text = rng.choice(_OPENERS) + _lower_first(text)
    if rng.random() < 0.2:
        text = text.lower() if rng.random() < 0.6 else _lower_first(text)
    if rng.random() < 0.2:
        text = re.sub(r"[.!?]+$", "", text)
    elif rng.random() < 0.05:
        text = re.sub(r"([.!?])$", r", please\1", text)
    return text.replace("'", "’") if rng.random() < 0.05 else text


def _lower_first(text: str) -> str:
    return text if text.startswith(("I ", "I'")) else text[:1].lower() + text[1:]

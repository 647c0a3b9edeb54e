"""The text of an answer while it grows: what may be shown by now, and what ends it."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from engine.events import Origin, Segment
from engine.tokenizer import TextTokenizer


class AnswerText:
    """Tokens in, shown segments out. No half character and no beginning of a stop string is ever shown.

    trim  leave out white space around the answer, as a chat does
    """

    def __init__(self, tokenizer: TextTokenizer, stop: Sequence[str], trim: bool) -> None:
        self._tokenizer = tokenizer
        self._stop = tuple(stop)
        self._longest_stop = max(map(len, self._stop), default=1)
        self._trim = trim
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._text = ""
        self._shown = 0
        self._sources: list[tuple[int, Origin, int]] = []  # where a token's text ends, its origin and its round
        self._stopped = False
        self._began = False

    @property
    def shown(self) -> str:
        """All text released so far."""
        return self._text[: self._shown].lstrip() if self._trim else self._text[: self._shown]

    def push(self, token: int, origin: Origin, round_index: int) -> bool:
        """Append a token; True where it completed a stop string, which ends the text before it."""
        unsearched = max(0, len(self._text) - self._longest_stop + 1)
        self._append(self._decoder.decode(self._tokenizer.token_bytes(token)), origin, round_index)
        found = [at for stop in self._stop if (at := self._text.find(stop, unsearched)) >= 0]
        if found:
            self._text = self._text[: min(found)]
            self._shown = min(self._shown, len(self._text))  # white space that was left out may belong to it
            self._stopped = True
        return self._stopped

    def release(self, final: bool = False) -> tuple[Segment, ...]:
        """The pieces that may be shown by now and were not yet; with `final` all that is left."""
        if final and not self._stopped:
            _, origin, round_index = self._sources[-1] if self._sources else (0, Origin.TARGET, 0)
            self._append(self._decoder.decode(b"", final=True), origin, round_index)
        end = len(self._text) - (0 if final else self._held())
        if self._trim:
            end = len(self._text[:end].rstrip())
        return self._segments(end)

    def _append(self, text: str, origin: Origin, round_index: int) -> None:
        self._text += text
        if self._trim and not self._began:
            visible = self._text.lstrip()
            self._shown = len(self._text) - len(visible)
            self._began = bool(visible)
        self._sources.append((len(self._text), origin, round_index))

    def _held(self) -> int:
        """Length of the longest end of the text with which a stop string begins."""
        tail = self._text[max(0, len(self._text) - self._longest_stop + 1) :]
        return max((n for n in range(1, len(tail) + 1) if any(s.startswith(tail[-n:]) for s in self._stop)), default=0)

    def _segments(self, end: int) -> tuple[Segment, ...]:
        """Text from what is shown up to `end`, cut where the tokens' texts end."""
        segments = []
        for token_end, origin, round_index in self._sources:
            upto = min(token_end, end)
            if upto > self._shown:
                segments.append(Segment(self._text[self._shown : upto], origin, round_index))
                self._shown = upto
        self._sources = [source for source in self._sources if source[0] > self._shown]
        return tuple(segments)

"""Streaming: any split of the bytes, any stop strings, and nothing shown that has to be taken back."""

import itertools
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answer import AnswerText
from engine.events import Origin, Segment

TEXTS = st.text(st.sampled_from("ab \n:Uüß中🙂é\u0301"), max_size=30)
STOPS = st.lists(st.text(st.sampled_from("ab \n:U中"), min_size=1, max_size=4), max_size=3)


@dataclass
class Pieces:
    """Stands in for a tokenizer: token i is the i-th piece."""

    pieces: list[bytes]

    def token_bytes(self, token: int) -> bytes:
        return self.pieces[token]


def split(data: st.DataObject, whole: bytes) -> list[bytes]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    return [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


def stream(pieces: list[bytes], stops: list[str], trim: bool, block: int) -> tuple[list[str], list[Segment]]:
    """Push the pieces in rounds of `block` -> the text shown after each round, and all segments."""
    answer = AnswerText(Pieces(pieces), stops, trim)  # type: ignore[arg-type]
    shown, segments, used, stopped = [], [], 0, False
    while used < len(pieces) and not stopped:
        for _ in range(block):
            if used < len(pieces) and not stopped:
                stopped = answer.push(used, Origin.DRAFT, used // block)
                used += 1
        segments += answer.release(final=stopped or used == len(pieces))
        shown.append(answer.shown)
    segments += answer.release(final=True)
    shown.append(answer.shown)
    return shown, segments


def expected_text(whole: str, stops: list[str], trim: bool) -> str:
    """The definition: up to the first stop string."""
    ends = [at for stop in stops if (at := whole.find(stop)) >= 0]
    kept = whole[: min(ends)] if ends else whole
    return kept.strip() if trim else kept


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, stops=STOPS, trim=st.booleans(), block=st.integers(1, 4), data=st.data())
def test_streams_to_the_final_text_and_takes_nothing_back(
    text: str, stops: list[str], trim: bool, block: int, data: st.DataObject
) -> None:
    shown, segments = stream(split(data, text.encode()), stops, trim, block)
    for before, after in itertools.pairwise(shown):
        assert after.startswith(before)
    assert "".join(segment.text for segment in segments) == shown[-1]
    assert "\N{REPLACEMENT CHARACTER}" not in shown[-1]
    assert all(segment.text for segment in segments)
    if not _ambiguous(text, stops):
        assert shown[-1] == expected_text(text, stops, trim)


def _ambiguous(text: str, stops: list[str]) -> bool:
    """Where two stop strings overlap, the one that is complete first may not be the one that begins first."""
    ends = sorted((at, at + len(stop)) for stop in set(stops) if (at := text.find(stop)) >= 0)
    return len(ends) > 1 and any(b[1] < a[1] or b[0] < a[1] for a, b in itertools.pairwise(ends))


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, stops=STOPS.filter(bool), data=st.data())
def test_no_beginning_of_a_stop_string_is_shown_before_it_is_known_to_be_none(
    text: str, stops: list[str], data: st.DataObject
) -> None:
    """What may still become a stop string is held, and nothing else."""
    pieces = split(data, text.encode())
    answer = AnswerText(Pieces(pieces), stops, trim=False)  # type: ignore[arg-type]
    for used in range(len(pieces)):
        if answer.push(used, Origin.TARGET, used):
            return
        answer.release()
        known = b"".join(pieces[: used + 1]).decode("utf-8", errors="ignore")
        beginnings = {stop[:length] for stop in stops for length in range(1, len(stop))}
        held = max((len(beginning) for beginning in beginnings if known.endswith(beginning)), default=0)
        assert answer.shown == known[: len(known) - held]


def test_a_stop_string_is_held_and_then_released() -> None:
    answer = AnswerText(Pieces([b"Hi", b"\nUs", b"er", b" there"]), ["\nUser:"], trim=True)  # type: ignore[arg-type]
    texts = []
    for token in range(4):
        assert not answer.push(token, Origin.TARGET, token)
        texts.append("".join(segment.text for segment in answer.release()))
    assert texts == ["Hi", "", "", "\nUser there"]


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize("pieces", [[b"\n", b"User", b": x"], [b"\nUser: x"], [b"  ", b"\nUser:"]])
def test_an_answer_that_begins_with_the_stop_string_is_empty(pieces: list[bytes], trim: bool) -> None:
    shown, segments = stream(pieces, ["\nUser:"], trim, 1)
    assert shown[-1].strip() == ""
    assert "".join(segment.text for segment in segments) == shown[-1]


def test_segments_have_the_origin_and_round_of_their_token() -> None:
    answer = AnswerText(Pieces([b"one ", "ü".encode()[:1], "ü".encode()[1:], b" end"]), [], trim=False)  # type: ignore[arg-type]
    answer.push(0, Origin.NGRAM, 0)
    answer.push(1, Origin.DRAFT, 0)
    first = answer.release()
    answer.push(2, Origin.TARGET, 1)
    answer.push(3, Origin.DRAFT, 1)
    assert first == (Segment("one ", Origin.NGRAM, 0),)
    assert answer.release(final=True) == (Segment("ü", Origin.TARGET, 1), Segment(" end", Origin.DRAFT, 1))


def test_half_a_character_at_the_end_is_shown_as_what_it_is() -> None:
    shown, _ = stream(["中".encode()[:2]], [], False, 1)
    assert shown[-1] == "\N{REPLACEMENT CHARACTER}"


def test_white_space_around_an_answer_is_left_out_and_inside_it_kept() -> None:
    shown, _ = stream([b" \n", b" a", b" \n ", b"b", b"  ", b"\n"], [], True, 1)
    assert shown == ["", "a", "a", "a \n b", "a \n b", "a \n b", "a \n b"]

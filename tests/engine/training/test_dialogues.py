"""The hand-written exchanges: their format, their variations, and that the newcomer's questions stay out of them."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from engine.errors import InvalidRequest
from engine.training.dialogues import Exchange, Turn, compose, every_wording, read_exchanges, split_wordings

ROOT = Path(__file__).parents[3]
QUESTIONS = Path(__file__).with_name("newcomer_questions.jsonl")

EXAMPLE = """\
# a comment
? Hello
? Hi
= Hello!
? How are you?
= Fine.
  And you?

@ country | capital
| France | Paris
| Italy | Rome

? What is the capital of {country}?
= It is {capital}.

? What is {x}?
= {x} is a slot of no table.
"""


@pytest.fixture(name="exchanges")
def _exchanges(tmp_path: Path) -> list[Exchange]:
    file = tmp_path / "example.dialogues"
    file.write_text(EXAMPLE, encoding="utf-8")
    return read_exchanges(file)


@pytest.fixture(name="ours", scope="module")
def _ours() -> list[Exchange]:
    return [
        exchange
        for file in sorted((ROOT / "resources" / "training" / "dialogues").glob("*.dialogues"))
        for exchange in read_exchanges(file)
    ]


def test_reads_wordings_answers_turns_and_tables(exchanges: list[Exchange]) -> None:
    greeting, capitals, odd = exchanges
    assert greeting.turns == (Turn(("Hello", "Hi"), ("Hello!",)), Turn(("How are you?",), ("Fine.\nAnd you?",)))
    assert [row["capital"] for row in capitals.rows] == ["Paris", "Rome"]
    assert odd.rows == ({},)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("? Hello\n\n? Hi\n= Hi", 2),
        ("= Hello", 1),
        ("? Hello\n  more\n= Hi", 2),
        ("Hello", 1),
        ("@ a | b\n| only one", 2),
    ],
)
def test_says_in_which_line_the_format_is_broken(tmp_path: Path, text: str, line: int) -> None:
    file = tmp_path / "broken.dialogues"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest, match=f"line {line}:"):
        read_exchanges(file)


def test_composes_the_same_conversations_for_a_seed(exchanges: list[Exchange]) -> None:
    first, again, other = (list(compose(exchanges, 20, seed)) for seed in (1, 1, 2))
    assert first == again != other
    for conversation in first:
        roles = [message["role"] for message in conversation]
        assert roles == ["user", "assistant"] * (len(roles) // 2)


def test_fills_question_and_answer_from_one_row(exchanges: list[Exchange]) -> None:
    for messages in compose([exchanges[1]], 50, seed=0):
        for question, answer in zip(messages[::2], messages[1::2], strict=True):
            assert ("france" in question["content"].lower()) == ("Paris" in answer["content"])


def test_keeps_some_wordings_out_of_training(ours: list[Exchange]) -> None:
    splits = [split_wordings(exchange) for exchange in ours]
    held_out = {text for _, held in splits if held for text in held.turns[0].wordings}
    trained = {text for kept, _ in splits for text in kept.turns[0].wordings}
    assert len(held_out) > 50
    assert not held_out & trained
    assert all(kept.turns[0].wordings for kept, _ in splits)


def test_no_question_has_two_different_sets_of_answers(ours: list[Exchange]) -> None:
    answers = defaultdict(set)
    for exchange in ours:
        if exchange.rows == ({},):
            for wording in exchange.turns[0].wordings:
                answers[_plain(wording)].add(exchange.turns[0].answers)
    assert [question for question, found in answers.items() if len(found) > 1] == []


def test_leaves_no_slot_unfilled(ours: list[Exchange]) -> None:
    texts = [m["content"] for c in every_wording(ours, seed=0, rows_at_most=1) for m in c if m["role"] == "user"]
    assert [text for text in texts if re.search(r"\{\w+\}", text)] == []


def test_questions_of_the_newcomer_are_not_trained_on(ours: list[Exchange]) -> None:
    questions = {_plain(json.loads(line)["question"]) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()}
    assert len(questions) == 60
    trained = {_plain(c[0]["content"]) for c in every_wording(ours, seed=0, rows_at_most=1000)}
    assert questions & trained == set()


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9+*/ -]", "", text.lower()).split())

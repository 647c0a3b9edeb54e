"""Writes human small talk as conversations in jsonl: `python -m engine.training.small_talk OUT.jsonl`.

Reads the packages chitchat-dataset (MIT) and chatterbot-corpus (BSD), both installed with pip for this one purpose.
"""

import json
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import yaml

Conversation = list[str]

_UNWANTED = re.compile(
    r"https?:|www\.|\b(fuck|shit|bitch|ass|sex|sexy|porn|damn|hell|kill|die|suicide|drunk|weed|drugs?|hate|stupid|idiot|"
    r"trump|democrats?|republicans?|god|jesus|nazi|hitler|gay|naked|crap|wtf|lmao)\b",
    re.IGNORECASE,
)
_LENGTH = range(2, 161)


def main() -> None:
    """Writes all usable conversations to the file named on the command line."""
    with Path(sys.argv[1]).open("w", encoding="utf-8") as file:
        for texts in (*chatterbot(), *chitchat()):
            roles = ("user", "assistant") * len(texts)
            messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
            file.write(json.dumps({"messages": messages}, ensure_ascii=False) + "\n")


def chitchat() -> Iterator[Conversation]:
    """Conversations of two people; each is cut at its first unusable message."""
    data = json.loads((_folder("chitchat_dataset") / "dataset.json").read_text(encoding="utf-8"))
    for record in data.values():
        turns = (" ".join(message["text"].strip() for message in turn) for turn in record["messages"])
        yield from _usable([" ".join(turn.split()) for turn in turns])


def chatterbot() -> Iterator[Conversation]:
    """Questions and answers in English."""
    for file in sorted((_folder("chatterbot_corpus") / "data" / "english").glob("*.yml")):
        for turns in yaml.safe_load(file.read_text(encoding="utf-8"))["conversations"]:
            yield from _usable([" ".join(str(turn).split()) for turn in turns])


def _usable(turns: Conversation) -> Iterator[Conversation]:
    good: Conversation = []
    for turn in turns:
        if len(turn) not in _LENGTH or not turn.isascii() or _UNWANTED.search(turn):
            break
        good.append(turn[0].upper() + turn[1:])
    if len(good) >= 2:
        yield good[: len(good) // 2 * 2]


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"{package} is missing; pip install chitchat-dataset chatterbot-corpus")
    return Path(spec.origin).parent


if __name__ == "__main__":
    main()

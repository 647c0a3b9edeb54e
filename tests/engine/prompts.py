"""What tests let the built-in family answer: chat openings of the project's resources, and beginnings of functions."""

from __future__ import annotations

import json

from engine.resources import resources_folder

CODE = [
    'def add(a: int, b: int) -> int:\n    """Return the sum of two numbers."""\n',
    'def is_palindrome(text: str) -> bool:\n    """True if the text reads the same backwards."""\n',
    'class Stack:\n    """A stack of items."""\n\n    def __init__(self):\n        self.items = []\n\n    def push',
    "import os\nimport sys\n\n\ndef main():\n    for name in os.listdir(sys.argv[1]):\n",
    'def fibonacci(n):\n    """Return the n-th Fibonacci number.\n    >>> fibonacci(10)\n    55\n    """\n',
    "for i in range(10):\n    for j in range(i):\n        print(i",
    'from typing import List\n\n\ndef mean(numbers: List[float]) -> float:\n    """Mean of a list.\n    >>> mean([1.0',
    "try:\n    with open(path) as file:\n        data = json.load(file)\nexcept",
    "def test_parse_empty():\n    assert parse('') == []\n\n\ndef test_parse_one():\n    assert",
    "x = np.zeros((3, 4))\ny = x.reshape(",
]


def chat_openings() -> list[str]:
    """The user's part of each conversation."""
    lines = (resources_folder() / "prompts" / "chat.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["messages"][0]["content"] for line in lines]


def raw_prompts() -> list[str]:
    """50 texts to continue: no stop string ends an answer early."""
    return [f"User: {opening}\nAssistant:" for opening in chat_openings()[:40]] + CODE

"""A conversation's title from its first message."""

import re

LONGEST_TITLE = 48


def title_from(text: str) -> str:
    """The first line that says something, without Markdown's marks, cut between words."""
    lines = (re.sub(r"^[#>*\-\s`]+|[`*_]+", "", line).strip() for line in text.splitlines())
    line = " ".join(next((line for line in lines if line), "").split())
    if len(line) <= LONGEST_TITLE:
        return line
    head, space, _ = line[: LONGEST_TITLE - 1].rpartition(" ")
    return (head if space else line[: LONGEST_TITLE - 1]) + "…"

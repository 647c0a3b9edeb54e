"""Markdown as blocks of rich text and of code. HTML in a message is text, and is shown letter for letter."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST_HIGHLIGHT = 100_000  # characters; beyond, colours are not worth the wait


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs, lists, tables: as HTML of the small set that Qt's rich text knows."""

    html: str


@dataclass(frozen=True, slots=True)
class Code:
    """A fenced block: the bare text, and the language that its fence named ("" if none)."""

    text: str
    language: str


Block = Prose | Code


@functools.lru_cache(maxsize=512)
def parse(source: str) -> tuple[Block, ...]:
    """The blocks of a message, in order."""
    return tuple(_blocks(_parser().parse(source)))


def warm_up() -> None:
    """Import the libraries ahead of the first message; for a thread of its own."""
    parse("`warm`")
    highlight("pass", "python")


def _blocks(tokens: Sequence["Token"]) -> Iterator[Block]:
    prose: list[Token] = []
    for token in tokens:
        if token.type in ("fence", "code_block") and token.level == 0:
            yield from _prose(prose)
            prose = []
            words = token.info.split()
            yield Code(token.content.rstrip("\n"), words[0].lower() if words else "")
        else:
            prose.append(token)
    yield from _prose(prose)


def _prose(tokens: list["Token"]) -> Iterator[Prose]:
    if tokens:
        parser = _parser()
        html = parser.renderer.render(tokens, parser.options, {})
        yield Prose(html.strip().replace("<br />\n", "<br />"))  # Qt would show these line ends as spaces


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Images would read files or the network; a line break in a chat is meant as one.
    options = {"html": False, "breaks": True, "linkify": False}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable("image")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of highlighted code: place, length in UTF-16 units, and kind, one of the values of `KINDS`."""

    start: int
    length: int
    kind: str


KINDS = {
    "Token.Keyword": "keyword",
    "Token.Operator.Word": "keyword",
    "Token.Name.Function": "name",
    "Token.Name.Class": "name",
    "Token.Name.Builtin": "name",
    "Token.Literal.String": "string",
    "Token.Literal.Number": "number",
    "Token.Comment": "comment",
}


@functools.lru_cache(maxsize=256)
def highlight(text: str, language: str) -> tuple[Span, ...]:
    """Highlighted runs of code; none for an unknown language."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    if not language or len(text) > LONGEST_HIGHLIGHT:
        return ()
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ()
    spans = []
    place = 0
    for token_type, piece in lexer.get_tokens(text):
        units = utf16_length(piece)
        kind = next((kind for prefix, kind in KINDS.items() if str(token_type).startswith(prefix)), None)
        if kind:
            spans.append(Span(place, units, kind))
        place += units
    return tuple(spans)


def utf16_length(text: str) -> int:
    """Length as Qt counts it."""
    return len(text) + sum(character > "\uffff" for character in text)

"""Markdown that is safe, code that is highlighted, and copies that are exact."""

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop_app.views.markdown import Code, Prose, highlight, parse, utf16_length
from desktop_app.views.message_text import CodeBlock, TextBlock

SMIRK = "He said <smirk> hi <b>x</b> & &lt;i&gt;"


def shown(source: str, qtbot: QtBot) -> str:
    """What a person sees of a message without code."""
    block = TextBlock()
    qtbot.addWidget(block)
    (prose,) = parse(source)
    assert isinstance(prose, Prose)
    block.show_html(prose.html)
    return block.toPlainText()


def test_html_is_shown_letter_for_letter(qtbot: QtBot) -> None:
    assert shown("He said <smirk> hi <b>x</b>", qtbot) == "He said <smirk> hi <b>x</b>"
    assert (
        shown("<script>alert(1)</script>\n\n<div>block</div>", qtbot) == "<script>alert(1)</script>\n<div>block</div>"
    )


def test_markdown_is_rendered(qtbot: QtBot) -> None:
    assert shown("# Title\n\n- one\n- **two**\n\n`code` and ~~gone~~", qtbot) == "Title\none\ntwo\ncode and gone"
    assert "<strong>two</strong>" in parse("**two**")[0].html  # type: ignore[union-attr]


def test_a_line_break_is_a_line_break(qtbot: QtBot) -> None:
    assert shown("one\ntwo", qtbot) == "one\u2028two".replace("\u2028", "\n")


@pytest.mark.parametrize("source", ["![x](file:///etc/passwd)", "![x](http://127.0.0.1:9/x.png)"])
def test_images_load_nothing(source: str) -> None:
    (prose,) = parse(source)
    assert isinstance(prose, Prose)
    assert "<img" not in prose.html


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"])
def test_dangerous_links_are_no_links(url: str) -> None:
    (prose,) = parse(f"[x]({url})")
    assert isinstance(prose, Prose)
    assert "<a" not in prose.html


def test_only_web_and_mail_links_are_opened(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtCore import QUrl

    opened: list[str] = []
    monkeypatch.setattr(
        "desktop_app.views.message_text.QDesktopServices.openUrl", lambda url: opened.append(url.toString())
    )
    block = TextBlock()
    qtbot.addWidget(block)
    for url in ("https://example.org/", "file:///etc/passwd", "ftp://example.org/", "mailto:a@example.org"):
        block.anchorClicked.emit(QUrl(url))
    assert opened == ["https://example.org/", "mailto:a@example.org"]


def test_fences_become_code() -> None:
    blocks = parse("Before\n\n```python\nx = 1\n\ny = 2\n```\n\nAfter\n\n~~~\nplain\n~~~")
    assert [type(block) for block in blocks] == [Prose, Code, Prose, Code]
    assert blocks[1] == Code("x = 1\n\ny = 2", "python")
    assert blocks[3] == Code("plain", "")


def test_an_open_fence_runs_to_the_end() -> None:
    assert parse("```\nx = 1")[0] == Code("x = 1", "")


def test_nothing_gives_nothing() -> None:
    assert parse("") == ()


def test_highlighting_covers_the_right_letters() -> None:
    text = "def f():\n    return '😀' # end"
    kinds = {
        text.encode("utf-16-le")[2 * s.start : 2 * (s.start + s.length)].decode("utf-16-le"): s.kind
        for s in highlight(text, "python")
    }
    assert kinds["def"] == "keyword"
    assert kinds["f"] == "name"
    assert kinds["# end"] == "comment"
    assert kinds["😀"] == "string"


def test_unknown_languages_stay_plain() -> None:
    assert highlight("x", "no-such-language") == ()
    assert highlight("x", "") == ()
    assert utf16_length("a😀") == 3


def test_code_is_copied_without_decoration(qtbot: QtBot) -> None:
    block = CodeBlock(Code("if x:\n\treturn  1", "python"))
    qtbot.addWidget(block)
    block.copy_button.click()
    assert QGuiApplication.clipboard().text() == "if x:\n\treturn  1"
    assert block.text.toPlainText() == "if x:\n\treturn  1"


def test_long_code_scrolls_sideways_and_is_not_cut(qtbot: QtBot) -> None:
    block = CodeBlock(Code("x" * 400, ""))
    qtbot.addWidget(block)
    assert block.text.heightForWidth(200) > block.text.heightForWidth(10_000)

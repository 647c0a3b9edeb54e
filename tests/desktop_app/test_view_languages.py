"""Translations are complete, keep what is filled in later, and reach the window."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication, QPushButton

from desktop_app.languages import install
from desktop_app.views.common import token_count
from desktop_app.views.menus import MENUS
from engine.resources import resources_folder
from tests.desktop_app.conftest import MakeWindow, speak_english

FOLDER = resources_folder() / "translations"
LANGUAGES = ("de", "zh_CN")
PLURALS = "en"  # where singular and plural differ; every other text is English already
SOURCES = Path(__file__).parents[2] / "desktop_app"
FILLED_IN = re.compile(r"\{[^}]*\}|%n|\(\*[^)]*\)")


@pytest.fixture
def _without_translation(qapp: QApplication) -> Iterator[None]:
    yield
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    speak_english(qapp)


def messages(language: str) -> list[tuple[str, list[str], bool]]:
    """Source, translations and whether they are finished."""
    root = ET.parse(FOLDER / f"staged_chat_{language}.ts").getroot()
    found = []
    for message in root.iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation.findall("numerusform")] or [translation.text or ""]
        found.append((message.findtext("source", ""), forms, translation.get("type") != "unfinished"))
    return found


@pytest.mark.parametrize("language", [*LANGUAGES, PLURALS])
def test_every_text_is_translated(language: str) -> None:
    assert [source for source, forms, finished in messages(language) if not finished or not all(forms)] == []


@pytest.mark.parametrize("language", [*LANGUAGES, PLURALS])
def test_what_is_filled_in_later_is_kept(language: str) -> None:
    for source, forms, _ in messages(language):
        for form in forms:
            assert sorted(FILLED_IN.findall(form)) == sorted(FILLED_IN.findall(source)), source
            assert form[:1].isspace() == source[:1].isspace() or language == "zh_CN"


@pytest.mark.parametrize("language", LANGUAGES)
def test_menus_keep_their_keys(language: str) -> None:
    texts = {source: forms[0] for source, forms, _ in messages(language)}
    for title, entries in MENUS:
        for text in (title, *(entry.text for entry in entries if entry.name)):
            assert texts[text].count("&") == 1, text
    keys = [re.search("&(.)", texts[title]).group(1).lower() for title, _ in MENUS]  # type: ignore[union-attr]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("language", [*LANGUAGES, PLURALS])
def test_the_texts_are_those_of_the_sources(language: str, tmp_path: Path) -> None:
    shipped = FOLDER / f"staged_chat_{language}.ts"
    copy = tmp_path / shipped.name
    copy.write_bytes(shipped.read_bytes())
    options = ["-no-obsolete", "-locations", "none", *(["-pluralonly"] if language == PLURALS else [])]
    tool = Path(sys.executable).parent / "pyside6-lupdate"
    files = sorted(SOURCES.rglob("*.py"))
    subprocess.run([tool, *options, *files, "-ts", copy], check=True, capture_output=True)
    assert copy.read_bytes() == shipped.read_bytes(), (
        "run python packaging/translations.py, then translate the new texts"
    )


@pytest.mark.parametrize("language", [*LANGUAGES, PLURALS])
def test_every_text_has_the_context_that_it_is_looked_up_in(language: str) -> None:
    root = ET.parse(FOLDER / f"staged_chat_{language}.ts").getroot()
    assert all(context.findtext("name") for context in root.iter("context"))


@pytest.mark.parametrize("language", [*LANGUAGES, PLURALS])
def test_what_is_shipped_is_compiled_from_the_translation(language: str, tmp_path: Path) -> None:
    compiled = tmp_path / "compiled.qm"
    source = FOLDER / f"staged_chat_{language}.ts"
    subprocess.run(
        [Path(sys.executable).parent / "pyside6-lrelease", source, "-qm", compiled], check=True, capture_output=True
    )
    assert compiled.read_bytes() == source.with_suffix(".qm").read_bytes(), (
        "run python packaging/translations.py compile"
    )


@pytest.mark.usefixtures("_without_translation")
@pytest.mark.parametrize(
    ("language", "menu", "button", "turns"),
    [
        ("de", "Unterhaltung", "GPT-2 Large holen …", "2 alte Beiträge"),
        ("zh_CN", "对话(&C)", "获取 GPT-2 Large…", "2 轮"),
    ],
)
async def test_the_window_speaks_the_language(
    make_window: MakeWindow, qapp: QApplication, language: str, menu: str, button: str, turns: str
) -> None:
    assert install(qapp, language).name().startswith(language[:2])
    window, _ = make_window()
    assert menu.replace("&", "") in window.menuBar().actions()[1].text().replace("&", "")
    assert window.findChild(QPushButton, "getLarge").text() == button
    window.chat.composer.meter.show_size(1000, 1024, 2)
    assert turns in window.chat.composer.meter.toolTip()


@pytest.mark.usefixtures("_without_translation")
@pytest.mark.parametrize("language", ["tlh", "en", "C"])
def test_an_unknown_language_stays_english_with_its_plurals(qapp: QApplication, language: str) -> None:
    install(qapp, language)
    assert qapp.translate("Menus", "&File") == "&File"
    assert [token_count(number) for number in (0, 1, 2)] == ["0 tokens", "1 token", "2 tokens"]

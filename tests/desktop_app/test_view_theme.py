"""Colours that can be read in both schemes, and a scheme that follows the system."""

import re
from collections.abc import Iterator
from dataclasses import fields

import pytest
import shiboken6
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop_app.icons import icon, icons_folder, pixmap
from desktop_app.settings import Settings
from desktop_app.theme import DARK, LIGHT, Colors, Scheme, Theme, TypeScale, contrast, current_colors, style_sheet
from desktop_app.views.message_actions import ACTIONS
from desktop_app.views.message_text import origin_format

READABLE = 4.5  # WCAG 2.2 AA, for body text


def grounds(colors: Colors) -> dict[str, tuple[str, ...]]:
    """Everything that is written, by its colour, with all that it may stand on."""
    plain = (colors.base, colors.surface, colors.raised, colors.hover, colors.selected)
    return {
        colors.text: (*plain, colors.bubble, colors.code, colors.draft, colors.ngram, colors.found, colors.found_now),
        colors.subtle: (colors.base, colors.surface, colors.raised, colors.selected, colors.code),
        colors.accent: (colors.base, colors.surface, colors.raised),
        colors.on_accent: (colors.accent,),
        colors.danger: (colors.base, colors.surface, colors.raised),
        colors.warning: (colors.base, colors.surface, colors.raised),
        colors.success: (colors.base, colors.surface, colors.raised),
        **{getattr(colors, kind): (colors.code,) for kind in ("keyword", "name", "string", "number", "comment")},
    }


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_everything_can_be_read(colors: Colors) -> None:
    for ink, places in grounds(colors).items():
        for ground in places:
            assert contrast(ink, ground) >= READABLE, (ink, ground)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_that_carry_meaning_stand_out(colors: Colors) -> None:
    assert contrast(colors.draft_line, colors.draft) >= 3  # WCAG 2.2, for graphics
    assert contrast(colors.ngram_line, colors.ngram) >= 3
    assert contrast(colors.accent, colors.surface) >= 3


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_origins_differ_by_more_than_hue() -> None:
    styles = [origin_format(origin, LIGHT).underlineStyle() for origin in ("target", "draft", "ngram")]
    assert len(set(styles)) == 3


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_the_style_sheet_has_no_gaps(colors: Colors) -> None:
    sheet = style_sheet(colors, TypeScale.of(10))
    assert "$" not in sheet
    assert "22.0pt" in sheet


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """A theme that is gone after the test, with a light scheme for the next one."""
    theme = Theme(qapp)
    yield theme
    theme.set_scheme(Scheme.LIGHT)
    shiboken6.delete(theme)


def test_a_scheme_reaches_every_widget(theme: Theme, qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    label.show()
    theme.set_scheme(Scheme.DARK)
    assert current_colors() is DARK
    assert label.palette().windowText().color() == QColor(DARK.text)
    theme.set_scheme(Scheme.LIGHT)
    assert current_colors() is LIGHT
    assert label.palette().windowText().color() == QColor(LIGHT.text)


def test_the_system_is_followed_only_where_that_is_wanted(
    qapp: QApplication, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme.set_scheme(Scheme.SYSTEM)
    monkeypatch.setattr("desktop_app.theme.Theme.colors", property(lambda _: DARK))
    qapp.styleHints().colorSchemeChanged.emit(qapp.styleHints().colorScheme())
    assert current_colors() is DARK
    monkeypatch.undo()
    theme.set_scheme(Scheme.LIGHT)
    monkeypatch.setattr("desktop_app.theme.Theme.colors", property(lambda _: DARK))
    qapp.styleHints().colorSchemeChanged.emit(qapp.styleHints().colorScheme())
    assert current_colors() is LIGHT


def test_settings_reach_the_application(qapp: QApplication, theme: Theme) -> None:
    settings = Settings(None)
    theme.follow(settings)
    settings.set("appearance.theme", "light")
    normal = qapp.font().pointSizeF()
    settings.set("appearance.text_size", 200)
    assert qapp.font().pointSizeF() == pytest.approx(2 * normal)
    settings.set("appearance.theme", "dark")
    assert current_colors() is DARK
    settings.reset()
    assert qapp.font().pointSizeF() == pytest.approx(normal)


def test_every_icon_is_drawn(qapp: QApplication) -> None:
    del qapp
    names = {path.stem for path in icons_folder().glob("*.svg")}
    assert {info.icon for info in ACTIONS} <= names
    for name in names:
        image = pixmap(name, "#ff0000", 24, 2.0).toImage()
        assert image.size().width() == 48
        area = QRect(0, 0, 48, 48)
        assert any(image.pixelColor(x, y).alpha() for x in range(area.width()) for y in range(area.height())), name


def test_an_icon_has_the_colour_that_was_asked_for(qapp: QApplication) -> None:
    del qapp
    image = icon("stop", "#123456", 18).pixmap(18, 18).toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2) == QColor("#123456")


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_the_style_sheet_names_pictures_that_are_there(colors: Colors) -> None:
    names = re.findall(r"url\(icons:(.+?)\)", style_sheet(colors, TypeScale.of(10)))
    assert len(names) > 3
    assert [name for name in names if not (icons_folder() / name).is_file()] == []


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_an_empty_check_box_can_be_seen(colors: Colors) -> None:
    assert contrast(colors.subtle, colors.base) >= 3  # its border, as theme.qss has it


def test_the_schemes_have_the_same_fields() -> None:
    assert [field.name for field in fields(LIGHT)] == [field.name for field in fields(DARK)]
    for colors in (LIGHT, DARK):
        assert all(QColor(getattr(colors, field.name)).isValid() for field in fields(colors))

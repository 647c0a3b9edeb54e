"""How the window looks: colours for both schemes, type sizes, spacing, and the style sheet made from them.

Views ask `current_colors()`, which reads the application's palette: a change of scheme reaches them as an ordinary
`PaletteChange` event, and there is no second truth to keep in step.
"""

import functools
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from string import Template

from PySide6.QtCore import QDir, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from desktop_app.icons import icons_folder
from desktop_app.settings import Settings

SPACE = 8  # px; every distance is a multiple or a half of it
RADIUS = 8  # px
ICON = 18  # px
COLUMN = 760  # px; longer lines are hard to read

SMALLEST_DEFAULT_PT = 10.0  # some desktops without a setting report less than anybody can read


class Scheme(StrEnum):
    """What the user chose; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colors:
    """Every colour of one scheme, as #rrggbb.

    base, surface, raised     the transcript, the panels beside it, cards on them
    hover, selected, border   states and hairlines
    text, subtle              body text, and text of second rank
    accent, on_accent         the one colour of action, and text on it
    bubble, code              behind the user's messages and behind code
    draft, draft_line         behind tokens that the draft proposed, and their underline; `ngram` likewise
    found, found_now          behind search hits, and behind the present one
    keyword ... comment       text of highlighted code
    """

    base: str
    surface: str
    raised: str
    hover: str
    selected: str
    border: str
    text: str
    subtle: str
    accent: str
    on_accent: str
    bubble: str
    code: str
    danger: str
    warning: str
    success: str
    draft: str
    draft_line: str
    ngram: str
    ngram_line: str
    target_line: str
    found: str
    found_now: str
    keyword: str
    name: str
    string: str
    number: str
    comment: str


LIGHT = Colors(
    base="#ffffff",
    surface="#f7f7f5",
    raised="#ffffff",
    hover="#ecece8",
    selected="#e3e6f6",
    border="#e2e2dc",
    text="#1f2328",
    subtle="#5c636c",
    accent="#3f4fc0",
    on_accent="#ffffff",
    bubble="#eef0fa",
    code="#f5f5f2",
    danger="#b3261e",
    warning="#855000",
    success="#1b6e3c",
    draft="#dbe6ff",
    draft_line="#2f5bd0",
    ngram="#ffe6c2",
    ngram_line="#a85b00",
    target_line="#8a9099",
    found="#fff1a8",
    found_now="#ffcf5c",
    keyword="#8a2fa8",
    name="#2456b8",
    string="#1b6e3c",
    number="#9a4a00",
    comment="#666c75",
)

DARK = Colors(
    base="#1e1f22",
    surface="#17181a",
    raised="#26282c",
    hover="#2a2c31",
    selected="#2e3350",
    border="#32343a",
    text="#e6e7ea",
    subtle="#a3a8b0",
    accent="#a3b0ff",
    on_accent="#15182c",
    bubble="#2a2d3b",
    code="#17181a",
    danger="#ff9a92",
    warning="#f2b35c",
    success="#7fd6a0",
    draft="#23375f",
    draft_line="#8fb3ff",
    ngram="#4b3511",
    ngram_line="#f2b35c",
    target_line="#7d838c",
    found="#5a4d12",
    found_now="#7d5a00",
    keyword="#d6a2f0",
    name="#8fb8ff",
    string="#9ad6a8",
    number="#f0b37a",
    comment="#949aa3",
)


def current_colors() -> Colors:
    """The colours that fit the application's present palette."""
    palette = QApplication.palette()
    ink, ground = (
        palette.color(role).lightness() for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Window)
    )
    return DARK if ink > ground else LIGHT


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    value = QColor(color)
    return 0.2126 * linear(value.redF()) + 0.7152 * linear(value.greenF()) + 0.0722 * linear(value.blueF())


@dataclass(frozen=True, slots=True)
class TypeScale:
    """Type sizes in points, derived from the size of body text."""

    body: float
    small: float
    title: float
    heading: float
    display: float

    @classmethod
    def of(cls, body_pt: float) -> "TypeScale":
        """A calm scale: few sizes, clearly apart."""
        return cls(*(round(body_pt * factor, 1) for factor in (1, 0.88, 1.15, 1.7, 2.2)))


def default_font_pt() -> float:
    """The desktop's own text size."""
    return max(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF(), SMALLEST_DEFAULT_PT)


def monospace(point_size: float) -> QFont:
    """The desktop's font for code."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(point_size)
    return font


def make_palette(colors: Colors) -> QPalette:
    """The scheme as a Qt palette, for everything that the style sheet leaves alone."""
    role = QPalette.ColorRole
    palette = QPalette()
    for roles, color in (
        ((role.Window,), colors.surface),
        ((role.Base,), colors.base),
        ((role.AlternateBase,), colors.surface),
        ((role.Button,), colors.raised),
        ((role.ToolTipBase,), colors.raised),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), colors.text),
        ((role.PlaceholderText,), colors.subtle),
        ((role.Highlight, role.Link, role.Accent), colors.accent),
        ((role.LinkVisited,), colors.accent),
        ((role.HighlightedText,), colors.on_accent),
        ((role.BrightText,), colors.danger),
        ((role.Light, role.Midlight), colors.hover),
        ((role.Mid, role.Dark), colors.border),
        ((role.Shadow,), "#000000"),
    ):
        for one in roles:
            palette.setColor(one, QColor(color))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(colors.subtle))
    return palette


def style_sheet(colors: Colors, scale: TypeScale) -> str:
    """`theme.qss` with its placeholders filled in."""
    values: dict[str, object] = {field.name: getattr(colors, field.name) for field in fields(colors)}
    values["scheme"] = "dark" if colors is DARK else "light"
    values |= {f"pt_{field.name}": getattr(scale, field.name) for field in fields(scale)}
    return _template().substitute(values)


@functools.cache
def _template() -> Template:
    return Template(Path(__file__).with_name("theme.qss").read_text(encoding="utf-8"))


class Theme(QObject):
    """Applies scheme and text size to the application, and follows the desktop where the user wants that.

    Signals: `changed` after every application.
    """

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._scheme = Scheme.SYSTEM
        self._text_percent = 100
        QDir.addSearchPath("icons", str(icons_folder()))
        app.setStyle(QStyleFactory.create("Fusion"))
        app.styleHints().colorSchemeChanged.connect(self._on_system_change)

    @property
    def colors(self) -> Colors:
        """The colours in force."""
        if self._scheme is Scheme.SYSTEM:
            return DARK if self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT
        return DARK if self._scheme is Scheme.DARK else LIGHT

    def follow(self, settings: Settings) -> None:
        """Take scheme and text size from the settings, now and whenever they change."""
        self._scheme = Scheme(settings.text("appearance.theme"))
        self._text_percent = settings.whole("appearance.text_size")
        settings.changed.connect(self._on_setting)
        self.set_scheme(self._scheme)

    def set_scheme(self, scheme: Scheme) -> None:
        """Choose a scheme; window frames follow where the platform can."""
        self._scheme = scheme
        hints = self._app.styleHints()
        if scheme is Scheme.SYSTEM:
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if scheme is Scheme.DARK else Qt.ColorScheme.Light)
        self.apply()

    def set_text_percent(self, percent: int) -> None:
        """Choose the size of text, in percent of the desktop's own."""
        self._text_percent = percent
        self.apply()

    def apply(self) -> None:
        """Bring the whole application into line."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        font.setPointSizeF(default_font_pt() * self._text_percent / 100)
        self._app.setFont(font)
        self._app.setPalette(make_palette(self.colors))
        self._app.setStyleSheet(style_sheet(self.colors, TypeScale.of(font.pointSizeF())))
        self.changed.emit()

    def _on_setting(self, key: str, value: object) -> None:
        if key == "appearance.theme":
            self.set_scheme(Scheme(str(value)))
        elif key == "appearance.text_size" and isinstance(value, int):
            self.set_text_percent(value)

    def _on_system_change(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self.apply()

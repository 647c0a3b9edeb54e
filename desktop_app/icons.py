"""Our own SVG icons, tinted and sharp at every scale."""

import functools
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from engine.resources import resources_folder

SCALES = (1, 2, 3)  # device pixels per pixel


def app_icon() -> QIcon:
    """The application's icon."""
    return QIcon(str(_path("app")))


@functools.lru_cache(maxsize=256)
def icon(name: str, color: str, size: int = 18, checked_color: str | None = None) -> QIcon:
    """The icon `name` in one colour, `size` pixels wide; `checked_color` is used while a button is on."""
    made = QIcon()
    for pixmap in _pixmaps(name, color, size):
        made.addPixmap(pixmap)
    for pixmap in _pixmaps(name, checked_color, size) if checked_color else ():
        made.addPixmap(pixmap, QIcon.Mode.Normal, QIcon.State.On)
    return made


def pixmap(name: str, color: str, size: int, device_ratio: float) -> QPixmap:
    """The icon as one picture, for painters."""
    result = QPixmap(round(size * device_ratio), round(size * device_ratio))
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    QSvgRenderer(QByteArray(_tinted(name, color).encode())).render(painter, QRectF(result.rect()))
    painter.end()
    result.setDevicePixelRatio(device_ratio)
    return result


def _pixmaps(name: str, color: str, size: int) -> Iterable[QPixmap]:
    return (pixmap(name, color, size, ratio) for ratio in SCALES)


def _tinted(name: str, color: str) -> str:
    return _source(name).replace("currentColor", color)


@functools.cache
def _source(name: str) -> str:
    return _path(name).read_text(encoding="utf-8")


def icons_folder() -> Path:
    """Where the SVG files are; the style sheet names some of them."""
    return resources_folder() / "icons"


def _path(name: str) -> Path:
    return icons_folder() / f"{name}.svg"

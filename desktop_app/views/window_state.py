"""Where the window was, made to fit the screens that there are now."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QWidget

from desktop_app.settings import Settings

GRIP = (160, 32)  # px of the window's top that must be on a screen, to drag it by


def save(window: QWidget, splitter: QSplitter, settings: Settings) -> None:
    """Keep place and sizes."""
    settings.set("window.geometry", window.saveGeometry().toBase64().toStdString())
    settings.set("window.splitter", splitter.saveState().toBase64().toStdString())


def restore(window: QWidget, splitter: QSplitter, settings: Settings) -> None:
    """Bring back place and sizes; what cannot be read or seen is left out."""
    geometry = QByteArray.fromBase64(settings.text("window.geometry").encode())
    if not geometry.isEmpty():
        window.restoreGeometry(geometry)
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    window.setGeometry(repaired(window.geometry(), screens))
    state = QByteArray.fromBase64(settings.text("window.splitter").encode())
    if not state.isEmpty():
        splitter.restoreState(state)


def repaired(window: QRect, screens: Sequence[QRect]) -> QRect:
    """The window's place, or the middle of the first screen where its top could not be reached; never larger than a
    screen."""
    if not screens:
        return window
    grip = QRect(window.x(), window.y(), window.width(), GRIP[1])
    home = next((screen for screen in screens if _reachable(screen.intersected(grip))), None)
    screen = home or screens[0]
    fitted = QRect(window)
    fitted.setSize(window.size().boundedTo(screen.size()))
    if home is None:
        fitted.moveCenter(screen.center())
    return fitted


def _reachable(seen: QRect) -> bool:
    return seen.width() >= GRIP[0] and seen.height() >= GRIP[1] // 2

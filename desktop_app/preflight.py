"""Looks for what a window needs before Qt does, which would abort with a core dump."""

import ctypes
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path


def terminal_command(environment: Mapping[str, str]) -> str:
    """What the user types to chat without a window, here or where the application is installed without Python."""
    if not getattr(sys, "frozen", False):
        return "python -m engine chat"
    program = environment.get("ARGV0", sys.argv[0])  # an AppImage unpacks itself; ARGV0 is how the user called it
    return f"{program} engine chat"


def complaint(environment: Mapping[str, str], platform: str = sys.platform) -> str | None:
    """One line that says what is missing and what to do, or None where a window can open."""
    terminal = terminal_command(environment)
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return (
            f"PySide6 is not installed, so there is no window; run: pip install staged-chat, or chat with: {terminal}"
        )
    missing = _missing_library("PySide6.QtWidgets")
    if missing is None and platform == "linux":
        plugins = Path(spec.submodule_search_locations[0]) / "Qt" / "plugins" / "platforms"
        missing = _missing_on_linux(environment, plugins)
    return f"{missing}; until then, chat in the terminal with: {terminal}" if missing else None


def _missing_library(module: str) -> str | None:
    try:
        __import__(module)
    except ImportError as error:
        return f"Qt cannot be used ({error}); install the missing library with your system's package manager"
    return None


def _missing_on_linux(environment: Mapping[str, str], plugins: Path) -> str | None:
    wanted = environment.get("QT_QPA_PLATFORM", "")
    if wanted:
        names = [part.split(":")[0] for part in wanted.split(";")]
    elif environment.get("WAYLAND_DISPLAY"):
        names = ["wayland", "xcb"]
    elif environment.get("DISPLAY"):
        names = ["xcb"]
    else:
        return "there is no display for a window; log in to a desktop, or set DISPLAY"
    faults = [_fault(name, plugins) for name in names]
    return faults[0] if all(faults) else None


def _fault(name: str, plugins: Path) -> str | None:
    """Why a platform plugin of Qt cannot be used, if so."""
    plugin = plugins / f"libq{name}.so"
    if not plugin.exists():
        return f"Qt has no platform called {name}; unset QT_QPA_PLATFORM"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return f"Qt cannot open windows ({error}); install the missing library with your system's package manager"
    if name == "xcb" and not _answers_x11():
        return "the display that DISPLAY names does not answer; check DISPLAY"
    if name == "wayland" and not _answers_wayland():
        return "the display that WAYLAND_DISPLAY names does not answer; check WAYLAND_DISPLAY"
    return None


def _answers_x11() -> bool:
    xcb = ctypes.CDLL("libxcb.so.1")  # the plugin needs it too, so it is there
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not failed


def _answers_wayland() -> bool:
    wayland = ctypes.CDLL("libwayland-client.so.0")
    wayland.wl_display_connect.restype = ctypes.c_void_p
    display = wayland.wl_display_connect(None)
    if display:
        wayland.wl_display_disconnect(ctypes.c_void_p(display))
    return bool(display)

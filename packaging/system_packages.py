"""What the system must have on Linux, and the Debian and Ubuntu packages that hold it."""

# Read by dev.py before it knows that Python is new enough: no newer syntax here.
from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

# What Qt loads from the system on Linux: library -> its Debian and Ubuntu package.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
# What a window needs besides.
WAYLAND_LIBRARIES = {
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
X11_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
# What makes the installers of Linux, and what tries them: program -> its Debian and Ubuntu package.
BUILD_PROGRAMS = {
    "mksquashfs": "squashfs-tools",
    "objdump": "binutils",
}
TRIAL_PROGRAMS = {
    "Xvfb": "xvfb",
    "appstreamcli": "appstream",
    "desktop-file-validate": "desktop-file-utils",
    "import": "imagemagick",
    "pkill": "procps",
    "xdotool": "xdotool",
}


class SetUpError(Exception):
    """Something that the user can put right; the message is one line and says how."""


def window_libraries(environment: Mapping[str, str]) -> dict[str, str]:
    """Where there are both displays, Qt takes Wayland."""
    if environment.get("WAYLAND_DISPLAY"):
        return {**QT_LIBRARIES, **WAYLAND_LIBRARIES}
    return {**QT_LIBRARIES, **X11_LIBRARIES} if environment.get("DISPLAY") else QT_LIBRARIES


def provide_libraries(libraries: Mapping[str, str]) -> None:
    """Sees to the libraries that Qt loads from the system; elsewhere than on Linux it brings its own."""
    provide(libraries, is_loadable)


def provide(packages: Mapping[str, str], is_there: Callable[[str], object]) -> None:
    """Sees to what Linux must have, from the packages that hold it."""
    missing = [name for name in packages if not is_there(name)] if sys.platform == "linux" else []
    if missing:
        provide_packages([packages[name] for name in missing], needed=", ".join(missing))


def is_loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def provide_packages(packages: Sequence[str], needed: str) -> None:
    """Installs Debian packages where that needs no password, else raises SetUpError with the line to type."""
    apt = shutil.which("apt-get")
    if apt is None:
        raise SetUpError(f"{needed}: missing on this system; install what your system calls {' '.join(packages)}")
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if os.geteuid() != 0:
        raise SetUpError(f"{needed}: missing; run: sudo {' '.join(install)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.call(["apt-get", "update"], env=quiet)  # if it fails, the lists at hand may still do
    if subprocess.call(install, env=quiet) != 0:
        raise SetUpError(f"{needed}: missing, and apt-get could not install {' '.join(packages)}; see above")

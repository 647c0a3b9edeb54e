"""Pictures of the application's icon in the formats that platforms ask for."""

import os
import struct
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

PNG_SIZES = (16, 32, 48, 64, 128, 256, 512, 1024)
ICO_SIZES = (16, 32, 48, 64, 128, 256)
ICNS_TYPES = {128: b"ic07", 256: b"ic08", 512: b"ic09", 1024: b"ic10"}


def write_icons(svg: Path, folder: Path) -> None:
    """Writes app.ico, app.icns and PNG files named after their width in pixels."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _app = QGuiApplication.instance() or QGuiApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(str(svg))
    pngs = {size: _png(renderer, size) for size in PNG_SIZES}
    for size, png in pngs.items():
        (folder / f"{size}.png").write_bytes(png)
    (folder / "app.ico").write_bytes(ico({size: pngs[size] for size in ICO_SIZES}))
    (folder / "app.icns").write_bytes(icns({size: pngs[size] for size in ICNS_TYPES}))


def _png(renderer: QSvgRenderer, size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stubs take the format for bytes only
    return bytes(data.data())


def ico(pngs: Mapping[int, bytes]) -> bytes:
    """A Windows icon that holds PNG pictures: a header, one directory entry each, the pictures."""
    offset = 6 + 16 * len(pngs)
    entries = []
    for size, png in pngs.items():
        entries.append(struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(png), offset))  # 0 means 256
        offset += len(png)
    return struct.pack("<HHH", 0, 1, len(pngs)) + b"".join(entries) + b"".join(pngs.values())


def icns(pngs: Mapping[int, bytes]) -> bytes:
    """A macOS icon: chunks of a type, their length with this header, and a PNG."""
    chunks = b"".join(ICNS_TYPES[size] + struct.pack(">I", 8 + len(png)) + png for size, png in pngs.items())
    return b"icns" + struct.pack(">I", 8 + len(chunks)) + chunks

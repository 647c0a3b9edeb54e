"""The Debian package and the AppImage, from the frozen application."""

from __future__ import annotations

import gzip
import os
import platform
import shutil
import urllib.request
from collections.abc import Iterable
from pathlib import Path

from build_common import DEBIAN_ARCHITECTURES, INSTALLER, ROOT, BuildError, Release, fill, run, sha256
from system_packages import QT_LIBRARIES, WAYLAND_LIBRARIES, X11_LIBRARIES

TEMPLATES = INSTALLER / "linux"
APP_ID = "io.github.staged_chat.StagedChat"
ICON_SIZES = (48, 128, 256)

# The static runtime: an AppImage with it needs no libfuse2. It is fetched once and must be the very file.
RUNTIME_RELEASE = "https://github.com/AppImage/type2-runtime/releases/download/20251108/"
RUNTIME_SHA256 = {
    "x86_64": "2fca8b443c92510f1483a883f60061ad09b46b978b2631c807cd873a47ec260d",
    "aarch64": "00cbdfcf917cc6c0ff6d3347d59e0ca1f7f45a6df1a428a0d6d8a78664d87444",
}

RENAMED_PACKAGES = {"libglib2.0-0": "libglib2.0-0t64 | libglib2.0-0"}  # Debian 13 and Ubuntu 24.04 renamed it


def make_deb(release: Release) -> Path:
    tree = release.work / "deb"
    install_tree(release, tree)
    architecture = DEBIAN_ARCHITECTURES[release.machine]
    control = tree / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        fill(
            TEMPLATES / "control",
            release,
            architecture=architecture,
            installed_kib=str(installed_kib(tree)),
            depends=", ".join(dependencies(release.frozen)),
            conflicts="staged-chat-cuda" if release.flavour == "cpu" else "staged-chat",
        ),
        encoding="utf-8",
    )
    finish(tree, release.epoch_s)
    deb = release.dist / f"{release.package}_{release.version}_{architecture}.deb"
    run(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z9", "--build", tree, deb], release)
    return deb


def make_appimage(release: Release) -> Path:
    """The runtime, then a file system image with everything: together one program."""
    first = runtime(release)
    tree = release.work / "AppDir"
    install_tree(release, tree)
    (tree / "AppRun").symlink_to("usr/lib/staged-chat/staged-chat")
    shutil.copy(tree / "usr/share/applications/staged-chat.desktop", tree)
    shutil.copy(release.icons / "256.png", tree / "staged-chat.png")
    (tree / ".DirIcon").symlink_to("staged-chat.png")
    finish(tree, release.epoch_s)
    image = release.work / "AppDir.squashfs"
    image.unlink(missing_ok=True)
    options = ["-quiet", "-no-progress", "-all-root", "-no-xattrs", "-comp", "zstd", "-Xcompression-level", "9"]
    run(["mksquashfs", tree, image, *options], release)  # takes all times from SOURCE_DATE_EPOCH
    return join_appimage(first, image, release)


def join_appimage(runtime_file: Path, image: Path, release: Release) -> Path:
    appimage = release.dist / f"{release.package}-{release.version}-{release.machine}.AppImage"
    with appimage.open("wb") as joined:
        for part in (runtime_file, image):
            with part.open("rb") as file:
                shutil.copyfileobj(file, joined)
    appimage.chmod(0o755)
    return appimage


def runtime(release: Release) -> Path:
    """The builder's own AppImage runtime, or the pinned one. Raises BuildError where there is none."""
    file = release.runtime or pinned_runtime(release)
    if not is_runtime(file):
        raise BuildError(f"{file} is no AppImage runtime of type 2; name another file with --runtime")
    return file


def is_runtime(file: Path) -> bool:
    """A program whose header carries the mark of AppImages of type 2."""
    if not file.is_file():
        return False
    with file.open("rb") as program:
        header = program.read(11)
    return header[:4] == b"\x7fELF" and header[8:] == b"AI\x02"


def pinned_runtime(release: Release) -> Path:
    expected = RUNTIME_SHA256.get(release.machine)
    if expected is None:
        raise BuildError(f"no AppImage runtime is pinned for {release.machine}; name one with --runtime")
    file = release.work / f"runtime-{release.machine}"
    if not file.exists():
        _fetch(f"{RUNTIME_RELEASE}runtime-{release.machine}", file)
    if sha256(file) != expected:
        raise BuildError(f"{file} is not the AppImage runtime with SHA-256 {expected}; delete it and build again")
    return file


def _fetch(url: str, file: Path) -> None:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            data = answer.read()
    except OSError as error:
        raise BuildError(
            f"cannot fetch the AppImage runtime ({error}); download {url} elsewhere and name it with --runtime"
        ) from None
    file.write_bytes(data)


def install_tree(release: Release, tree: Path) -> None:
    """The folder as it will lie under /, without what one kind of package adds."""
    shutil.rmtree(tree, ignore_errors=True)
    share, program = tree / "usr/share", tree / "usr/lib/staged-chat"
    shutil.copytree(release.frozen, program, symlinks=True)
    link = tree / "usr/bin/staged-chat"
    link.parent.mkdir()
    link.symlink_to("../lib/staged-chat/staged-chat")
    _write(share / "applications/staged-chat.desktop", fill(TEMPLATES / "staged-chat.desktop", release))
    _write(share / f"metainfo/{APP_ID}.metainfo.xml", fill(TEMPLATES / "metainfo.xml", release))
    icons = share / "icons/hicolor"
    _copy(ROOT / "resources/icons/app.svg", icons / "scalable/apps/staged-chat.svg")
    for size in ICON_SIZES:
        _copy(release.icons / f"{size}.png", icons / f"{size}x{size}/apps/staged-chat.png")
    documents = share / "doc" / release.package
    _write(documents / "copyright", fill(TEMPLATES / "copyright", release))
    _write_gzip(documents / "changelog.gz", fill(TEMPLATES / "changelog", release))
    _write_gzip(share / "man/man1/staged-chat.1.gz", fill(TEMPLATES / "staged-chat.1", release))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _write_gzip(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def dependencies(frozen: Path) -> list[str]:
    """The Debian packages of what the application loads from the system: what Qt wants and PyInstaller left there."""
    bundled = {path.name for path in frozen.rglob("*.so*")}
    wanted = QT_LIBRARIES | WAYLAND_LIBRARIES | X11_LIBRARIES
    packages = {RENAMED_PACKAGES.get(package, package) for library, package in wanted.items() if library not in bundled}
    return [f"libc6 (>= {platform.libc_ver()[1]})", *sorted(packages)]


def installed_kib(tree: Path) -> int:
    """As Debian counts: every file in whole KiB."""
    files = (path.lstat() for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(-(-status.st_size // 1024) for status in files)


def finish(tree: Path, epoch_s: int) -> None:
    """One time for all, and the modes that Debian wants, whatever the builder's umask is."""
    for path in _bottom_up(tree):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or is_program(path) else 0o644)
        os.utime(path, (epoch_s, epoch_s), follow_symlinks=False)


def is_program(path: Path) -> bool:
    """Something to start; libraries need no such mode, though many have it."""
    return ".so" not in path.name and bool(path.stat().st_mode & 0o100)


def _bottom_up(tree: Path) -> Iterable[Path]:
    return sorted((tree, *tree.rglob("*")), reverse=True)

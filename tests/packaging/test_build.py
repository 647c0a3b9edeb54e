"""The parts of the builds that need no build: names, contents, checksums, and what builders are told."""

import hashlib
import importlib
import json
import os
import struct
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
MODULES = ("build_common", "build_linux", "build_macos", "build_windows", "build_icons", "build", "system_packages")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="dpkg-deb makes these")
EPOCH_S = 1_764_547_200  # 2025-12-01
RUNTIME = b"\x7fELF\2\1\1\0AI\2 and the rest of an AppImage runtime"


@pytest.fixture(scope="module")
def scripts() -> Iterator[SimpleNamespace]:
    """The scripts of packaging/, imported as they import one another."""
    path, before = str(ROOT / "packaging"), set(sys.modules)
    sys.path.insert(0, path)
    modules: dict[str, ModuleType] = {name: importlib.import_module(name) for name in MODULES}
    yield SimpleNamespace(**modules)
    sys.path.remove(path)
    for name in set(MODULES) - before:
        del sys.modules[name]


@pytest.fixture
def release(scripts: SimpleNamespace, tmp_path: Path) -> Any:
    """A release whose frozen application is a few small files."""
    dist = tmp_path / "dist"
    dist.mkdir()
    made = scripts.build_common.read_release("cpu", tmp_path / "work", dist, {"SOURCE_DATE_EPOCH": str(EPOCH_S)})
    inside = made.frozen / "_internal"
    (inside / "torch-2.0+cpu.dist-info").mkdir(parents=True)
    (inside / "torch-2.0+cpu.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: torch\nVersion: 2.0+cpu\nLicense-Expression: BSD-3-Clause\n"
    )
    (inside / "libxcb-cursor.so.0").write_bytes(b"a library")
    program = made.frozen / "staged-chat"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o700)
    made.icons.mkdir()
    for size in scripts.build_icons.PNG_SIZES:
        (made.icons / f"{size}.png").write_bytes(b"PNG")
    return made


# The release


def test_version_comes_from_pyproject_and_time_from_the_environment(release: Any) -> None:
    assert release.version == VERSION
    assert release.values()["date"] == "2025-12-01"


def test_flavours_differ_in_name(release: Any) -> None:
    assert (release.package, replace(release, flavour="cuda").package) == ("staged-chat", "staged-chat-cuda")


def test_a_time_that_is_no_number_is_refused(scripts: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.raises(scripts.build_common.BuildError, match="SOURCE_DATE_EPOCH"):
        scripts.build_common.read_release("cpu", tmp_path, tmp_path, {"SOURCE_DATE_EPOCH": "yesterday"})


@pytest.mark.parametrize(("flavour", "cuda", "is_good"), [
    ("cpu", None, True), ("cuda", "13.0", True), ("cpu", "13.0", False), ("cuda", None, False),
])  # fmt: skip
def test_flavour_must_be_that_of_the_installed_torch(
    scripts: SimpleNamespace, flavour: str, cuda: str | None, is_good: bool
) -> None:
    if is_good:
        scripts.build.require_flavour(flavour, cuda)
    else:
        with pytest.raises(scripts.build_common.BuildError, match="torch"):
            scripts.build.require_flavour(flavour, cuda)


def test_a_missing_tool_is_one_line(scripts: SimpleNamespace, release: Any) -> None:
    with pytest.raises(scripts.build_common.BuildError, match=r"^no-such-tool is not installed"):
        scripts.build_common.run(["no-such-tool"], release)


def test_a_frozen_application_that_fails_stops_the_build(scripts: SimpleNamespace, release: Any) -> None:
    with pytest.raises(scripts.build_common.BuildError, match="status 3"):
        scripts.build_common.run([sys.executable, "-c", "raise SystemExit(3)"], release)


# Linux


@on_linux
def test_deb_has_what_a_desktop_needs_and_is_the_same_every_time(scripts: SimpleNamespace, release: Any) -> None:
    first = scripts.build_linux.make_deb(release).read_bytes()
    (release.frozen / "staged-chat").touch()  # a later build
    deb = scripts.build_linux.make_deb(release)
    assert deb.read_bytes() == first
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True).stdout
    (tar := release.work / "data.tar").write_bytes(archive)
    with tarfile.open(tar) as files:
        members = {member.name.removeprefix("./"): member for member in files}
    assert members["usr/lib/staged-chat/staged-chat"].mode == 0o755
    assert members["usr/lib/staged-chat/_internal/libxcb-cursor.so.0"].mode == 0o644
    assert members["usr/bin/staged-chat"].linkname == "../lib/staged-chat/staged-chat"
    assert {
        "usr/share/applications/staged-chat.desktop",
        "usr/share/icons/hicolor/scalable/apps/staged-chat.svg",
        "usr/share/icons/hicolor/256x256/apps/staged-chat.png",
        "usr/share/man/man1/staged-chat.1.gz",
        "usr/share/metainfo/io.github.staged_chat.StagedChat.metainfo.xml",
        "usr/share/doc/staged-chat/copyright",
    } <= members.keys()
    assert {(member.uid, member.mtime) for member in members.values()} == {(0, EPOCH_S)}


@on_linux
def test_control_file_names_version_and_flavours(scripts: SimpleNamespace, release: Any) -> None:
    deb = scripts.build_linux.make_deb(replace(release, flavour="cuda"))
    shown = subprocess.run(
        ["dpkg-deb", "--field", deb, "Package", "Version", "Conflicts"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split("\n")[:3] == [
        "Package: staged-chat-cuda",
        f"Version: {VERSION}",
        "Conflicts: staged-chat",
    ]


def test_only_libraries_that_are_not_inside_are_depended_on(scripts: SimpleNamespace, release: Any) -> None:
    packages = scripts.build_linux.dependencies(release.frozen)
    assert "libegl1" in packages
    assert "libxcb-cursor0" not in packages
    assert "libglib2.0-0t64 | libglib2.0-0" in packages


def test_appstream_and_desktop_entry_belong_together(scripts: SimpleNamespace, release: Any) -> None:
    scripts.build_linux.install_tree(release, tree := release.work / "tree")
    metainfo = ET.parse(next(tree.glob("usr/share/metainfo/*.xml"))).getroot()
    assert (tree / "usr/share/applications" / str(metainfo.findtext("launchable"))).is_file()
    assert [part.attrib for part in metainfo.iter("release")] == [{"version": VERSION, "date": "2025-12-01"}]


def test_appimage_is_the_runtime_and_then_the_image(scripts: SimpleNamespace, release: Any, tmp_path: Path) -> None:
    (runtime := tmp_path / "runtime").write_bytes(b"runtime")
    (image := tmp_path / "image").write_bytes(b"image")
    appimage = scripts.build_linux.join_appimage(runtime, image, release)
    assert appimage.read_bytes() == b"runtimeimage"
    assert os.access(appimage, os.X_OK)


@pytest.fixture
def pinned(scripts: SimpleNamespace, release: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A published runtime, and the pin that belongs to it."""
    (file := tmp_path / f"runtime-{release.machine}").write_bytes(RUNTIME)
    monkeypatch.setattr(scripts.build_linux, "RUNTIME_RELEASE", f"{tmp_path.as_uri()}/")
    monkeypatch.setitem(scripts.build_linux.RUNTIME_SHA256, release.machine, hashlib.sha256(RUNTIME).hexdigest())
    return file


def test_pinned_runtime_is_fetched_once(scripts: SimpleNamespace, release: Any, pinned: Path) -> None:
    assert scripts.build_linux.runtime(release).read_bytes() == RUNTIME
    pinned.unlink()
    assert scripts.build_linux.runtime(release).read_bytes() == RUNTIME


def test_another_runtime_than_the_pinned_is_refused(scripts: SimpleNamespace, release: Any, pinned: Path) -> None:
    pinned.write_bytes(RUNTIME + b"something else")
    with pytest.raises(scripts.build_common.BuildError, match="is not the AppImage runtime"):
        scripts.build_linux.runtime(release)


def test_builders_without_a_network_name_their_own_runtime(
    scripts: SimpleNamespace, release: Any, pinned: Path, tmp_path: Path
) -> None:
    pinned.unlink()
    with pytest.raises(scripts.build_common.BuildError, match=r"cannot fetch .* name it with --runtime"):
        scripts.build_linux.runtime(release)
    (own := tmp_path / "own").write_bytes(RUNTIME + b"of my own")
    assert scripts.build_linux.runtime(replace(release, runtime=own)) == own


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh", b"\x7fELF\2\1\1\0\0\0\0\0"])
def test_what_is_no_runtime_is_refused(scripts: SimpleNamespace, release: Any, tmp_path: Path, content: bytes) -> None:
    (own := tmp_path / "own").write_bytes(content)
    for file in (own, tmp_path / "absent"):
        with pytest.raises(scripts.build_common.BuildError, match="is no AppImage runtime"):
            scripts.build_linux.runtime(replace(release, runtime=file))


# Windows and macOS


def test_inno_setup_is_told_everything_its_script_asks_for(scripts: SimpleNamespace, release: Any) -> None:
    script = scripts.build_windows.SCRIPT.read_text()
    told = {
        argument[2:].partition("=")[0]
        for argument in scripts.build_windows.arguments(release, "name")
        if argument[:2] == "/D"
    }
    asked = {part.partition("}")[0] for part in script.split("{#")[1:]} - {"SourcePath"}
    assert told == asked


def test_without_inno_setup_the_builder_is_told(
    scripts: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES(X86)", str(tmp_path))
    with pytest.raises(scripts.build_common.BuildError, match="Inno Setup 6"):
        scripts.build_windows.find_compiler()


@pytest.mark.parametrize(("environment", "tools"), [
    ({}, ["hdiutil"]),
    ({"CODESIGN_IDENTITY": "me"}, ["codesign", "codesign", "hdiutil", "codesign"]),
    (
        {"CODESIGN_IDENTITY": "me", "NOTARY_PROFILE": "mine"},
        ["codesign", "codesign", "hdiutil", "codesign", "xcrun", "xcrun"],
    ),
])  # fmt: skip
def test_disk_image_is_signed_as_far_as_the_environment_allows(
    scripts: SimpleNamespace, tmp_path: Path, environment: dict[str, str], tools: list[str]
) -> None:
    steps = scripts.build_macos.commands(tmp_path, tmp_path / "x.dmg", environment)
    assert [step[0] for step in steps] == tools


def test_nothing_unsigned_is_notarised(scripts: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.raises(scripts.build_common.BuildError, match="CODESIGN_IDENTITY"):
        scripts.build_macos.commands(tmp_path, tmp_path, {"NOTARY_PROFILE": "mine"})


def test_icon_files_lead_to_their_pictures(scripts: SimpleNamespace) -> None:
    pngs = {128: b"small", 256: b"larger"}
    ico = scripts.build_icons.ico(pngs)
    for index, png in enumerate(pngs.values()):
        length, offset = struct.unpack_from("<II", ico, 6 + 16 * index + 8)
        assert ico[offset : offset + length] == png
    icns = scripts.build_icons.icns(pngs)
    assert struct.unpack(">I", icns[4:8]) == (len(icns),)
    assert icns[8:12] == b"ic07"


# Beside the installers


def test_bill_of_materials_lists_what_is_inside(scripts: SimpleNamespace, release: Any) -> None:
    bill = scripts.build.bill_of_materials(release)
    assert bill == scripts.build.bill_of_materials(release)
    assert bill["bomFormat"] == "CycloneDX"
    purl = "pkg:pypi/torch@2.0"
    assert bill["components"] == [{
        "type": "library", "bom-ref": purl, "name": "torch", "version": "2.0+cpu", "purl": purl,
        "licenses": [{"expression": "BSD-3-Clause"}],
    }]  # fmt: skip


def test_installers_come_with_bill_and_checksums(scripts: SimpleNamespace, release: Any) -> None:
    def make(made: Any) -> Path:
        file: Path = made.dist / "installer"
        file.write_bytes(b"installer")
        return file

    scripts.build.build_installers(release, {"any": make})
    sums = dict(reversed(line.split("  ")) for line in (release.dist / "SHA256SUMS").read_text().splitlines())
    (bill,) = release.dist.glob("*.cdx.json")
    assert sums == {
        name: hashlib.sha256((release.dist / name).read_bytes()).hexdigest() for name in ("installer", bill.name)
    }
    assert json.loads(bill.read_text())["metadata"]["component"]["version"] == VERSION


def test_one_format_that_fails_takes_no_other_with_it(scripts: SimpleNamespace, release: Any) -> None:
    def make(made: Any) -> Path:
        file: Path = made.dist / "installer"
        file.write_bytes(b"installer")
        return file

    def fail(_: Any) -> Path:
        raise scripts.build_common.BuildError("no tool")

    with pytest.raises(scripts.build_common.BuildError, match="bad: no tool"):
        scripts.build.build_installers(release, {"bad": fail, "good": make})
    assert "installer" in (release.dist / "SHA256SUMS").read_text()

#!/usr/bin/env python3
"""Makes the installers of the platform it runs on, with checksums and a bill of materials, in dist/.

python3 packaging/dev.py build [--flavour cuda] [--only deb ...] [--runtime FILE]

Linux: deb, appimage. Windows: exe (needs Inno Setup). macOS: dmg (signed and notarised where the environment says how).
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import build_linux
import build_macos
import build_windows
from build_common import INSTALLER, ROOT, BuildError, Release, megabytes, read_release, run, sha256

Make = Callable[[Release], Path]

FORMATS: dict[str, dict[str, Make]] = {
    "linux": {"deb": build_linux.make_deb, "appimage": build_linux.make_appimage},
    "win32": {"exe": build_windows.make_installer},
    "darwin": {"dmg": build_macos.make_dmg},
}


def main(arguments: Sequence[str] | None = None) -> int:
    formats = FORMATS.get(sys.platform, {})
    options = _parser(formats).parse_args(arguments)
    try:
        release = read_release(options.flavour, options.work.resolve(), options.dist.resolve())
        release = replace(release, runtime=options.runtime)
        require_flavour(release.flavour, installed_cuda())
        if not options.keep_frozen:
            freeze(release)
        build_installers(release, {name: formats[name] for name in options.only or formats})
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    return 0


def _parser(formats: Iterable[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--flavour", choices=("cpu", "cuda"), default="cpu", help="which build of torch is inside")
    parser.add_argument("--only", nargs="+", choices=sorted(formats), help="these formats; all of the platform else")
    parser.add_argument("--work", type=Path, default=ROOT / "build", metavar="FOLDER", help="intermediate files")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", metavar="FOLDER", help="the installers")
    parser.add_argument("--runtime", type=Path, metavar="FILE", help="an AppImage runtime; else the pinned one")
    parser.add_argument("--keep-frozen", action="store_true", help="package what an earlier build froze")
    return parser


def installed_cuda() -> str | None:
    """The CUDA release that the installed torch was built for, if any."""
    import torch

    return torch.version.cuda


def require_flavour(flavour: str, cuda: str | None) -> None:
    """The installer holds the torch that is installed here: it must be of that flavour."""
    if flavour == "cuda" and cuda is None:
        raise BuildError("the installed torch is its CPU build; install one for CUDA: pip install --force torch")
    if flavour == "cpu" and cuda is not None:
        raise BuildError("the installed torch is a CUDA build, gigabytes large; use --flavour cuda, or its CPU build")


def freeze(release: Release) -> None:
    """The application with its own Python, in a folder; its self-test must pass."""
    from build_icons import write_icons

    write_icons(ROOT / "resources" / "icons" / "app.svg", release.icons)
    freezer: list[str | Path] = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    places: list[str | Path] = ["--distpath", release.frozen.parent, "--workpath", release.work / "pyinstaller"]
    icon = {"win32": "app.ico", "darwin": "app.icns"}.get(sys.platform, "")
    run(
        [*freezer, *places, INSTALLER / "staged-chat.spec"],
        release,
        PYTHONWARNINGS="ignore",  # of modules that it looks at
        STAGED_CHAT_VERSION=release.version,
        STAGED_CHAT_ICON=str(release.icons / icon) if icon else "",
    )
    self_test(release.frozen / ("staged-chat.exe" if sys.platform == "win32" else "staged-chat"), release)


def self_test(program: Path, release: Release) -> None:
    """Raises BuildError where the frozen application does not answer."""
    report = release.work / "self-test.json"
    report.unlink(missing_ok=True)
    run([program, "--self-test", report], release)
    print(f"self-test passed: {json.loads(report.read_text(encoding='utf-8'))['start']}")


def build_installers(release: Release, formats: dict[str, Make]) -> None:
    """Make them, and write beside them what is in them and their checksums. Raises BuildError with all that failed."""
    release.dist.mkdir(parents=True, exist_ok=True)
    problems = []
    for name, make in formats.items():
        try:
            file = make(release)
            print(f"{file.name}: {megabytes(file):.0f} MB")
        except BuildError as error:
            problems.append(f"{name}: {error}")
    bill = release.dist / f"{release.package}_{release.version}_{sys.platform}-{release.machine}.cdx.json"
    bill.write_text(json.dumps(bill_of_materials(release), indent=2) + "\n", encoding="utf-8")
    write_checksums(release.dist)
    if problems:
        raise BuildError("; ".join(problems))


def bill_of_materials(release: Release) -> dict[str, object]:
    """CycloneDX: every Python package whose metadata the frozen application carries."""
    found = metadata.distributions(path=[str(release.frozen / "_internal")])
    components = sorted((component(package) for package in found), key=lambda part: str(part["purl"]))
    identity = uuid.uuid5(uuid.NAMESPACE_URL, repr((release.package, release.version, components)))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{identity}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": release.package, "version": release.version}},
        "components": [part for part in components if part["name"] != "staged-chat"],
    }


def component(package: metadata.Distribution) -> dict[str, object]:
    name, version = package.name, package.version
    purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{version.partition('+')[0]}"
    expression = next(iter(package.metadata.get_all("License-Expression") or []), None)
    licenses = {"licenses": [{"expression": expression}]} if expression else {}
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, **licenses}


def write_checksums(folder: Path) -> None:
    """SHA256SUMS of everything beside it, as sha256sum --check reads it."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{sha256(path)}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())

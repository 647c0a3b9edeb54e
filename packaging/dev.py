#!/usr/bin/env python3
"""Sets up this checkout in .venv, then runs or checks it. Needs nothing but Python.

python3 packaging/dev.py run [ARGUMENTS]    start Staged Chat, with the application's own arguments
python3 packaging/dev.py test [ARGUMENTS]   lint, types and tests, with pytest's own arguments
python3 packaging/dev.py check              lint and types only
python3 packaging/dev.py build [ARGUMENTS]  installers for this platform, with the arguments of packaging/build.py
"""

# Python older than 3.11 must still be able to read this file, to be told what it lacks: no newer syntax here.
from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "set-up.stamp"

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)

TEST_EXTRA = "[test]"
BUILD_EXTRA = "[test,build]"
EXTRAS = ["", TEST_EXTRA, BUILD_EXTRA]  # each holds those before it
CPU_INDEX = "https://download.pytorch.org/whl/cpu"

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

CHECKS: dict[str, list[str]] = {
    "lint": ["ruff", "check"],
    "format": ["ruff", "format", "--check"],
    "types": ["mypy"],
}


class SetUpError(Exception):
    """Something that the user can put right; the message is one line and says how."""


def main(arguments: Sequence[str]) -> int:
    command, rest = (arguments[0] if arguments else "help"), list(arguments[1:])
    if command not in ("run", "test", "check", "build") or (command == "check" and rest):
        print(__doc__.strip())
        return 0 if command in ("help", "--help", "-h") else 2
    try:
        require_python(sys.version_info[:2], command)
        if command == "run":
            return run(rest)
        if command == "build":
            return build(rest)
        return check() if command == "check" else test(rest)
    except SetUpError as error:
        print(f"dev.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dev.py: stopped; the same command goes on from here", file=sys.stderr)
        return 130


# The four commands


def run(arguments: list[str]) -> int:
    """The window; until the checkout has one, the chat in the terminal."""
    set_up(extra="")
    if not (ROOT / "desktop_app" / "__main__.py").is_file():
        return become([str(VENV_PYTHON), "-m", "engine", "chat", *arguments])
    require_display(sys.platform, os.environ)
    provide_libraries(window_libraries(os.environ))
    return become([str(VENV_PYTHON), "-m", "desktop_app", *arguments])


def test(arguments: list[str]) -> int:
    set_up(TEST_EXTRA)
    provide_libraries(QT_LIBRARIES)
    return run_steps({**CHECKS, "tests": ["pytest", *arguments]})


def check() -> int:
    set_up(TEST_EXTRA)
    return run_steps(CHECKS)


def build(arguments: list[str]) -> int:
    set_up(BUILD_EXTRA)
    return become([str(VENV_PYTHON), str(ROOT / "packaging" / "build.py"), *arguments])


def run_steps(steps: Mapping[str, Sequence[str]]) -> int:
    """Every step runs, whatever became of those before it: one run shows all that is wrong."""
    failed = []
    for name, module in steps.items():
        print(f"\n== {name}", flush=True)
        if subprocess.call([str(VENV_PYTHON), "-m", *module], cwd=ROOT) != 0:
            failed.append(name)
    print(f"\n{'failed: ' + ', '.join(failed) if failed else 'all passed: ' + ', '.join(steps)}")
    return 1 if failed else 0


def become(command: list[str]) -> int:
    """Run as the command itself, so that Ctrl+C is the command's own affair."""
    os.chdir(ROOT)
    if os.name != "nt":
        os.execv(command[0], command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows has no exec: wait, deaf
    return subprocess.call(command)


# The environment


def set_up(extra: str) -> None:
    """Leaves .venv as pyproject.toml and the constraints want it; nothing to do takes no time."""
    wanted = fingerprint((ROOT / "pyproject.toml").read_bytes(), CONSTRAINTS.read_bytes(), ROOT, sys.version_info[:2])
    if VENV_PYTHON.exists() and STAMP.exists() and is_covered(STAMP.read_text(), wanted, extra):
        return
    print(f"Setting up {VENV}: minutes the first time, seconds from then on.", flush=True)
    make_environment()
    STAMP.unlink(missing_ok=True)  # half an installation must not pass for a whole one
    install_torch()
    pip_install("--editable", f"{ROOT}{extra}", "--constraint", str(CONSTRAINTS))
    STAMP.write_text(wanted + extra)


def fingerprint(pyproject: bytes, constraints: bytes, root: Path, python: tuple[int, ...]) -> str:
    """Changes when an environment made earlier no longer fits; the root is in it because an editable install is."""
    return hashlib.sha256(repr((pyproject, constraints, str(root), python[:2])).encode()).hexdigest()


def is_covered(stamp: str, wanted: str, extra: str) -> bool:
    """An environment for tests runs the application too, and one for builds both."""
    return stamp in [wanted + larger for larger in EXTRAS[EXTRAS.index(extra) :]]


def make_environment() -> None:
    """A .venv of this Python's version with a working pip; one that has both is kept as it is."""
    require_writable(ROOT)
    if python_answers("import sys, pip; print(*sys.version_info[:2])") == "{} {}".format(*sys.version_info):
        return
    require_ensurepip()
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)]) != 0:
        raise SetUpError(f"{sys.executable} could not make {VENV}; delete that folder and try again")


def python_answers(program: str) -> str | None:
    """What a program prints in .venv; None where it fails or there is no .venv yet."""
    try:
        result = subprocess.run([str(VENV_PYTHON), "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return result.stdout.decode().strip() if result.returncode == 0 else None


def install_torch() -> None:
    """Where pip by itself would fetch the CUDA build, gigabytes that a machine without such a GPU has no use for, the
    CPU build is put in place first; the constraints then accept it."""
    version = pinned_version("torch", CONSTRAINTS.read_text())
    installed = python_answers("from importlib.metadata import version; print(version('torch'))")
    if not wants_cpu_build(sys.platform, shutil.which("nvidia-smi")) or (installed or "").split("+")[0] == version:
        return
    problem: SetUpError | None = None
    for source in ([], ["--extra-index-url", CPU_INDEX]):  # the user's own pip configuration may know a place
        try:
            pip_install("--no-deps", f"torch=={version}+cpu", *source)
            return
        except SetUpError as error:
            problem = error
    by_hand = f"{VENV_PYTHON} -m pip install torch=={version}"
    raise SetUpError(f"no CPU build of torch ({problem}); a build for CUDA does too: {by_hand}")


def wants_cpu_build(platform: str, nvidia_smi: str | None) -> bool:
    """On Windows and macOS the package index has no other."""
    return platform == "linux" and nvidia_smi is None


def pinned_version(package: str, constraints: str) -> str:
    match = re.search(rf"^{re.escape(package)}==(\S+)", constraints, re.MULTILINE)
    assert match, f"packaging/constraints.txt must pin {package}"
    return match.group(1)


def pip_install(*arguments: str) -> None:
    """Shows pip's progress; its complaints, which may be many and false alarms, become one line if it fails."""
    command = [str(VENV_PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *arguments]
    result = subprocess.run(command, stderr=subprocess.PIPE)
    if result.returncode != 0:
        raise SetUpError(explain_pip(result.stderr.decode(errors="replace")))


def explain_pip(complaints: str) -> str:
    """One line for what pip wrote to its standard error."""
    if re.search(r"No space left|not enough space", complaints):
        return "the disk is full; make room and run the same command again"
    if re.search(r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError", complaints):
        return "pip could not reach the package index; check the network and run the same command again"
    errors = re.findall(r"^ERROR: (.+)$", complaints, re.MULTILINE)
    return f"pip: {errors[-1]}" if errors else "pip failed without a word; delete .venv and try again"


# What the machine must have


def require_python(version: tuple[int, ...], command: str) -> None:
    if OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        return
    names = [f"python3.{minor}" for minor in range(NEWEST_PYTHON[1], OLDEST_PYTHON[1] - 1, -1)]
    fitting = next(filter(is_python, names), None)
    advice = f"run {fitting} packaging/dev.py {command}" if fitting else "install one from https://www.python.org"
    raise SetUpError(
        "Staged Chat needs Python {}.{} to {}.{}, this is {}.{}; {}".format(
            *OLDEST_PYTHON, *NEWEST_PYTHON, *version[:2], advice
        )
    )


def is_python(name: str) -> bool:
    """Whether the command runs: version managers put names on the path that have nothing behind them."""
    return shutil.which(name) is not None and subprocess.call([name, "-c", ""], stderr=subprocess.DEVNULL) == 0


def require_writable(folder: Path) -> None:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise SetUpError(f"cannot write to {folder} ({error.strerror}); put the checkout where you may write") from None


def require_display(platform: str, environment: Mapping[str, str]) -> None:
    """Without one, Qt would abort with a core dump."""
    if platform == "linux" and not any(map(environment.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        raise SetUpError(f"there is no display for a window; chat in the terminal: {VENV_PYTHON} -m engine chat")


def window_libraries(environment: Mapping[str, str]) -> dict[str, str]:
    """Where there are both displays, Qt takes Wayland."""
    if environment.get("WAYLAND_DISPLAY"):
        return {**QT_LIBRARIES, **WAYLAND_LIBRARIES}
    return {**QT_LIBRARIES, **X11_LIBRARIES} if environment.get("DISPLAY") else QT_LIBRARIES


def require_ensurepip() -> None:
    """Debian and Ubuntu keep in a package of its own what venv needs to put pip into an environment."""
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        provide_packages(["python{}.{}-venv".format(*sys.version_info)], needed="the ensurepip module of this Python")


def provide_libraries(libraries: Mapping[str, str]) -> None:
    """Sees to the libraries that Qt loads from the system; elsewhere than on Linux it brings its own."""
    if sys.platform != "linux":
        return
    missing = [library for library in libraries if not is_loadable(library)]
    if missing:
        provide_packages([libraries[library] for library in missing], needed=", ".join(missing))


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

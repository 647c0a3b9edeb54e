#!/usr/bin/env python3
"""Sets up this checkout in .venv, then runs or checks it. Needs nothing but Python.

python3 packaging/dev.py run [ARGUMENTS]    start Staged Chat, with the application's own arguments
python3 packaging/dev.py test [ARGUMENTS]   lint, types and tests, with pytest's own arguments
python3 packaging/dev.py check              lint and types only
python3 packaging/dev.py build [ARGUMENTS]  installers for this platform, with the arguments of packaging/build.py
python3 packaging/dev.py package-test       builds what users get, and tries it on this machine
"""

# Python older than 3.11 must still be able to read this file, to be told what it lacks: no newer syntax here.
from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from system_packages import (
    BUILD_PROGRAMS,
    QT_LIBRARIES,
    TRIAL_PROGRAMS,
    X11_LIBRARIES,
    SetUpError,
    provide,
    provide_libraries,
    provide_packages,
    window_libraries,
)

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

CHECKS: dict[str, list[str]] = {
    "lint": ["ruff", "check"],
    "format": ["ruff", "format", "--check"],
    "types": ["mypy"],
}


def main(arguments: Sequence[str]) -> int:
    command, rest = (arguments[0] if arguments else "help"), list(arguments[1:])
    perform = COMMANDS.get(command)
    if perform is None or (perform is check and rest):
        print(__doc__.strip())
        return 0 if command in ("help", "--help", "-h") else 2
    try:
        require_python(sys.version_info[:2], command)
        return perform(rest)
    except SetUpError as error:
        print(f"dev.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dev.py: stopped; the same command goes on from here", file=sys.stderr)
        return 130


# The commands


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


def check(_: list[str]) -> int:
    set_up(TEST_EXTRA)
    return run_steps(CHECKS)


def build(arguments: list[str]) -> int:
    set_up(BUILD_EXTRA)
    provide_build_tools()
    return become([str(VENV_PYTHON), str(ROOT / "packaging" / "build.py"), *arguments])


def package_test(arguments: list[str]) -> int:
    set_up(BUILD_EXTRA)
    provide_build_tools()
    provide_libraries({**QT_LIBRARIES, **X11_LIBRARIES})
    provide(TRIAL_PROGRAMS, shutil.which)
    return become([str(VENV_PYTHON), "-m", "pytest", "-m", "packaging", "-rs", *arguments])


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "test": test,
    "check": check,
    "build": build,
    "package-test": package_test,
}


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


def provide_build_tools() -> None:
    """What PyInstaller and the installers need; Debian and Ubuntu keep the library of their Python in a package."""
    provide(BUILD_PROGRAMS, shutil.which)
    if sys.base_prefix == "/usr":
        python = "libpython{}.{}".format(*sys.version_info)
        provide_libraries({f"{python}.so.1.0": python})


def require_ensurepip() -> None:
    """Debian and Ubuntu keep in a package of its own what venv needs to put pip into an environment."""
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        provide_packages(["python{}.{}-venv".format(*sys.version_info)], needed="the ensurepip module of this Python")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
